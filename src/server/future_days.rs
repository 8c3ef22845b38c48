//! Observations dated after tomorrow: the dates of a snapshot are compared with the clock before it is put in use.
//!
//! The as-of date of a snapshot is the day after its last observation, so one mistyped date makes every other price
//! count as old. A build cannot check the dates, because it is a function of its input and does not read the clock. A
//! server does not check them either: it serves the snapshot that `CURRENT` names.

use std::fmt::Write as _;
use std::path::Path;

use crate::catalog::Catalog;
use crate::index::run::{REPORT, REPORTS};
use crate::ingest::limits::BEHIND_PCT_MIN;
use crate::ingest::report::{LatestDay, read_latest_days};
use crate::snapshot::safe_open;
use crate::types::Day;

/// Maximum number of days that a message names.
const DAYS_NAMED_MAX: usize = 5;
/// Maximum size of a build report that is read, in bytes.
const REPORT_BYTES_MAX: u64 = 256 << 20;

/// Observations on days after tomorrow, as a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Under 1 % of all observations, so their dates are probably wrong.
    Few(String),
    /// At least 1 % of all observations, so the clock may be wrong.
    Many(String),
}

/// The observations of a snapshot on days after tomorrow; `None` if there are none.
pub(super) fn ahead(catalog: &Catalog, snapshots: &Path, today: Day) -> Option<Ahead> {
    let days: Vec<(Day, u64)> = catalog.observed_after(today.plus_days(1)).collect();
    let (ahead, all) = (days.iter().map(|day| day.1).sum::<u64>(), catalog.manifest().counts.observations);
    if ahead == 0 {
        return None;
    }
    let id = catalog.id();
    let begin = |share: &str| {
        format!(
            "snapshot {id} has {ahead} of {all} observations ({share}) on days after tomorrow (today is {today} by the \
             clock of this machine)"
        )
    };
    if ahead * 100 >= all * BEHIND_PCT_MIN {
        let begin = begin(&format!("{:.1} %", 100.0 * ahead as f64 / all as f64));
        let days = named(&days, &[]);
        return Some(Ahead::Many(format!(
            "{begin}: {days}. Either the clock or the dates of the input are wrong"
        )));
    }
    let path = snapshots.join(REPORTS).join(id).join(REPORT);
    let report = safe_open::read(&path, REPORT_BYTES_MAX).map_err(|fault| fault.to_string());
    let report = report.and_then(|bytes| read_latest_days(&bytes).map_err(|fault| fault.to_string()));
    let unnamed = report.as_ref().err().map_or_else(String::new, |fault| {
        format!(" (their rows are not known, because {} cannot be read: {fault})", path.display())
    });
    let rows = report.unwrap_or_default();
    Some(Ahead::Few(format!(
        "{}: {}{unnamed}. They set its as-of date to {}, so every other price counts as old. If a date is mistyped, \
         correct the row and build again; if the clock is wrong, set it; if the dates are intended, put the snapshot \
         in use with: pricebook snapshots activate {id} --force",
        begin(&format!("under {BEHIND_PCT_MIN} %")),
        named(&days, &rows),
        catalog.as_of(),
    )))
}

/// Lists the first of these days, each with its number of observations and, if the report contains it, its first row.
fn named(days: &[(Day, u64)], rows: &[LatestDay]) -> String {
    let day = |&(day, observations): &(Day, u64)| {
        let day = day.to_string();
        let row = rows.iter().find(|row| row.day == day);
        let place = match row {
            Some(row) => format!(", first {} line {}", row.file, row.line),
            // The report may lack this day, because it also counts duplicate rows and the snapshot does not.
            None if !rows.is_empty() => ", its row is not in the report".to_owned(),
            None => String::new(),
        };
        format!("{day} ({observations}{place})")
    };
    let mut text = days.iter().take(DAYS_NAMED_MAX).map(day).collect::<Vec<_>>().join(", ");
    let more = days.len().saturating_sub(DAYS_NAMED_MAX);
    if more > 0 {
        let _ = write!(text, " and {more} more days");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_with_rows_and_counted_beyond_the_limit() {
        let first = Day::from_ymd(2027, 1, 30).unwrap();
        let days: Vec<(Day, u64)> = (0..7).map(|at| (first.plus_days(at), 1 + at as u64)).collect();
        let row =
            |day: &str, line| LatestDay { day: day.into(), observations: 1, file: "a/p.csv".into(), line };
        assert_eq!(
            named(&days[..2], &[row("2027-01-31", 9), row("2027-01-30", 7)]),
            "2027-01-30 (1, first a/p.csv line 7), 2027-01-31 (2, first a/p.csv line 9)"
        );
        let said = named(&days, &[]);
        assert!(
            said.starts_with("2027-01-30 (1), ") && said.ends_with("2027-02-03 (5) and 2 more days"),
            "{said}"
        );
    }
}
