//! `pricebook runs`: removes old runs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::Subcommand;

use super::say;
use crate::index::runs::{PrunedRuns, prune_older};
use crate::store::Store;

/// Length of a day.
const DAY: Duration = Duration::from_hours(24);

#[derive(Debug, Subcommand)]
pub(super) enum RunsCommand {
    /// Removes old runs and shards from a folder or bucket that several builds use.
    ///
    /// A later build that needs a removed run or shard makes it again. No build may run at the same time.
    Prune {
        /// Folder or URL (s3, gs, az), as in `build --runs`.
        #[arg(long, value_name = "URL")]
        runs: String,
        /// Age, in whole days, above which runs and shards are removed.
        #[arg(long, value_name = "DAYS")]
        older_than: u32,
    },
}

/// Runs the command.
pub(super) fn run(command: &RunsCommand) -> anyhow::Result<()> {
    let RunsCommand::Prune { runs, older_than } = command;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let before = i64::try_from(since_1970.saturating_sub(DAY * *older_than).as_micros())?;
    let PrunedRuns { objects, bytes } = prune_older(&Store::open(runs)?, before)?;
    say(format_args!("removed {objects} files, {bytes} bytes\n"))
}
