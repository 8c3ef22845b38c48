//! Days that lie far beyond all others.
//!
//! A snapshot's now is the midnight after its last observation, so one mistyped year makes every other price an old
//! one and leaves no current price. A day is not believed when it comes after a gap of more than [`GAP_DAYS_MAX`] days
//! without an observation and less than [`BEHIND_PCT_MIN`] percent of all rows lie behind that gap. Both conditions
//! have to hold: an archive with a small new part has no such gap, or its new part is larger. In an input of a hundred
//! rows or fewer every day is believed.
//!
//! The decision needs the counts of all runs, so it is made after validation. The merge then leaves the rows out.

use std::collections::BTreeMap;

use crate::ingest::limits::{BEHIND_PCT_MIN, GAP_DAYS_MAX};

/// Longest gap, in days, that is not warned of: after a longer one every price before it is an old one.
const SILENT_GAP_DAYS_MAX: u16 = 90;

/// Rows of observations on each day.
pub(in crate::index) type RowsByDay = BTreeMap<u16, u64>;

/// Rows that lie behind a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::index) struct Tail {
    /// The last day before the gap.
    pub(in crate::index) last: u16,
    /// Rows behind it.
    pub(in crate::index) rows: u64,
}

/// The rows that are not believed: those behind the first gap that is long enough and has few enough behind it.
pub(in crate::index) fn unbelieved(rows: &RowsByDay) -> Option<Tail> {
    tail(rows, GAP_DAYS_MAX)
}

/// The rows that are believed and look like a mistake.
pub(in crate::index) fn suspicious(rows: &RowsByDay) -> Option<Tail> {
    tail(rows, SILENT_GAP_DAYS_MAX)
}

/// The first of the latest days that together hold hardly any row; rows that are not believed do not count.
pub(in crate::index) fn first_late(rows: &RowsByDay) -> Option<u16> {
    let last = unbelieved(rows).map_or(u16::MAX, |tail| tail.last);
    let believed = || rows.range(..=last).map(|(&day, &here)| (day, here));
    let all: u64 = believed().map(|(_, here)| here).sum();
    latest(believed().rev(), all).last()
}

/// The latest days, the last first, as far as they together hold hardly any of `all` rows.
pub(in crate::index) fn latest<D>(days: impl Iterator<Item = (D, u64)>, all: u64) -> impl Iterator<Item = D> {
    let mut rows = 0;
    days.take_while(move |&(_, here)| {
        rows += here;
        rows * 100 < all * BEHIND_PCT_MIN
    })
    .map(|(day, _)| day)
}

fn tail(rows: &RowsByDay, gap_days_max: u16) -> Option<Tail> {
    let all: u64 = rows.values().sum();
    let (mut found, mut behind, mut next) = (None, 0, None);
    for (&day, &here) in rows.iter().rev() {
        if behind * 100 >= all * BEHIND_PCT_MIN {
            break;
        }
        if next.is_some_and(|next: u16| next - day > gap_days_max) {
            found = Some(Tail { last: day, rows: behind });
        }
        behind += here;
        next = Some(day);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many rows on each of these days.
    fn days(parts: &[(u16, u64)]) -> RowsByDay {
        parts.iter().copied().collect()
    }

    fn cut(parts: &[(u16, u64)]) -> Option<(u16, u64)> {
        unbelieved(&days(parts)).map(|tail| (tail.last, tail.rows))
    }

    #[test]
    fn a_gap_and_hardly_any_row_behind_it_make_a_mistake() {
        assert_eq!(cut(&[(100, 200), (467, 1)]), Some((100, 1)));
        assert_eq!(cut(&[(100, 200), (466, 1)]), None, "366 days are no gap");
        assert_eq!(cut(&[(100, 198), (467, 2)]), None, "one in a hundred is something");
        assert_eq!(cut(&[(100, 199), (467, 2)]), Some((100, 2)));
        assert_eq!(cut(&[(100, 99), (467, 1)]), None, "and so is any of a hundred");
        assert_eq!(cut(&[(100, 100), (467, 1)]), Some((100, 1)));
    }

    #[test]
    fn several_gaps_end_where_the_first_of_them_begins() {
        assert_eq!(cut(&[(100, 500), (1_000, 1), (2_000, 1), (30_000, 2)]), Some((100, 4)));
        assert_eq!(cut(&[(100, 500), (1_000, 10), (30_000, 1)]), Some((1_000, 1)));
    }

    #[test]
    fn little_and_nothing_lose_nothing() {
        assert_eq!(cut(&[]), None);
        for few in 1..=5 {
            assert_eq!(cut(&[(0, few), (36_000, 1)]), None);
            assert_eq!(cut(&[(0, 1), (9_000, few), (36_000, 1)]), None);
        }
        assert_eq!(cut(&[(7, 1_000)]), None);
    }

    #[test]
    fn latest_days_end_where_they_hold_one_in_a_hundred() {
        let late = |parts: &[(u16, u64)]| first_late(&days(parts));
        assert_eq!(late(&[(100, 500), (101, 3), (102, 1)]), Some(101));
        assert_eq!(
            late(&[(100, 500), (101, 4), (102, 2)]),
            Some(102),
            "6 of 506 are more than one in a hundred"
        );
        assert_eq!(late(&[(100, 99), (101, 1)]), None);
        assert_eq!(late(&[(100, 100), (101, 1)]), Some(101));
        assert_eq!(late(&[(100, 50), (101, 50)]), None);
        assert_eq!(late(&[]), None);
        // The row of the absurd day is rejected.
        assert_eq!(late(&[(100, 500), (130, 2), (30_000, 1)]), Some(130));
    }

    #[test]
    fn a_shorter_gap_is_warned_of() {
        let rows = days(&[(100, 500), (200, 4)]);
        assert_eq!((unbelieved(&rows), suspicious(&rows)), (None, Some(Tail { last: 100, rows: 4 })));
        assert_eq!(suspicious(&days(&[(100, 500), (190, 4)])), None);
        assert_eq!(suspicious(&days(&[(100, 500), (200, 6)])), None);
    }
}
