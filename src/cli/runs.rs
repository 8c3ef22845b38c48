//! `pricebook runs`: what builds leave for each other in a store that they share.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Subcommand;

use super::say;
use crate::build::runs::{PrunedRuns, prune_older};
use crate::store::Store;

const HOUR_SECONDS: u64 = 3_600;
const DAY_HOURS: u64 = 24;

#[derive(Debug, Subcommand)]
pub(super) enum RunsCommand {
    /// Removes runs and shards that were made long ago, and what was known by them. What a later build wants of them is
    /// made again.
    Prune {
        /// Folder or bucket of the runs, as builds name it.
        #[arg(long, value_name = "URL")]
        runs: String,
        /// Age from which on they go, in days or hours: 90d, 12h.
        #[arg(long, value_name = "AGE", value_parser = parse_age)]
        older_than: Duration,
    },
}

pub(super) fn run(command: RunsCommand) -> anyhow::Result<()> {
    let RunsCommand::Prune { runs, older_than } = command;
    let before = SystemTime::now().checked_sub(older_than).unwrap_or(UNIX_EPOCH);
    let before = before.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    let before_micros = i64::try_from(before).unwrap_or(i64::MAX);
    let PrunedRuns { objects, bytes } = prune_older(&Store::open(&runs)?, before_micros)?;
    say(format_args!("{objects} files removed, {bytes} bytes\n"))
}

fn parse_age(text: &str) -> Result<Duration, String> {
    let hours = match (text.strip_suffix('d'), text.strip_suffix('h')) {
        (Some(days), _) => days.parse().ok().and_then(|days: u64| days.checked_mul(DAY_HOURS)),
        (_, Some(hours)) => hours.parse().ok(),
        _ => None,
    };
    let seconds = hours.and_then(|hours| hours.checked_mul(HOUR_SECONDS));
    seconds.map(Duration::from_secs).ok_or_else(|| "write days or hours, as in 90d or 12h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_days_or_hours() {
        let hours = |text: &str| parse_age(text).map(|age| age.as_secs() / HOUR_SECONDS).ok();
        assert_eq!((hours("90d"), hours("12h"), hours("0h")), (Some(2_160), Some(12), Some(0)));
        for text in ["", "d", "90", "-1d", "1.5d", "3 d", "18446744073709551615d", "1w"] {
            assert_eq!(hours(text), None, "{text}");
        }
    }
}
