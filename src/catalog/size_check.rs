//! The snapshot size check: the size of a snapshot, and whether its successor is suspiciously smaller.
//!
//! A feed that arrived incompletely, or a date in the future, produces a snapshot that is valid but nearly empty. A
//! snapshot is therefore compared with the snapshot it is to replace, by listings, priced listings, serving coverage
//! cells and the newest day. A decrease beyond the limits in this module must be confirmed by an operator.

use super::Catalog;
use crate::snapshot::layout::{NO_DAY, QualityStatus};
use crate::types::Day;

/// Minimum number of listings of a successor, in percent of its predecessor's.
pub const LISTINGS_PCT_MIN: u64 = 50;
/// Minimum number of priced listings of a successor, in percent of its predecessor's.
pub const PRICED_PCT_MIN: u64 = 50;
/// Minimum number of serving coverage cells of a successor, in percent of its predecessor's.
pub const SERVING_PCT_MIN: u64 = 80;

/// The size of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotSize {
    /// Listings.
    pub listings: u64,
    /// Listings with a current price.
    pub priced: u64,
    /// Coverage cells with the status serving.
    pub serving: u64,
    /// Day of its newest observation.
    pub newest: Day,
}

impl SnapshotSize {
    pub(super) fn of(catalog: &Catalog) -> Self {
        let cells = &catalog.coverage.cells;
        Self {
            listings: catalog.manifest.counts.listings,
            // Each listing with an observation is in exactly one cell.
            priced: cells.iter().map(|cell| u64::from(cell.recent)).sum(),
            serving: cells.iter().filter(|cell| cell.status == QualityStatus::Serving).count() as u64,
            newest: catalog.as_of.plus_days(-1),
        }
    }

    /// Describes each decrease from the predecessor beyond the limits. Empty if there is none.
    pub fn falls_from(&self, before: &Self) -> Vec<String> {
        let counts = [
            ("listings", self.listings, before.listings, LISTINGS_PCT_MIN),
            ("listings with a current price", self.priced, before.priced, PRICED_PCT_MIN),
            ("serving coverage cells", self.serving, before.serving, SERVING_PCT_MIN),
        ];
        let mut falls: Vec<String> = counts
            .into_iter()
            .filter(|&(_, now, before, percent)| now * 100 < before * percent)
            .map(|(what, now, before, percent)| {
                format!("{now} {what} instead of {before} (at least {percent} %)")
            })
            .collect();
        if self.newest < before.newest {
            falls.push(format!("its newest observation is of {} instead of {}", self.newest, before.newest));
        }
        falls
    }
}

impl Catalog {
    /// The days after `day`, in order, each with its number of observations.
    pub fn observed_after(&self, day: Day) -> impl Iterator<Item = (Day, u64)> + use<'_> {
        let last = self.as_of.plus_days(-1);
        let from = if day < self.first_day { 0 } else { self.day_number(day.min(last)) + 1 };
        let mut observed = vec![0_u64; usize::from(self.day_number(last)) + 1];
        let is_late = |listing: &u32| self.seen_span(*listing).is_some_and(|(_, last)| last >= from);
        if day < last {
            for listing in (0..self.manifest.counts.listings as u32).filter(is_late) {
                let spells = self.spells_within(listing, &(from..NO_DAY));
                spells.each_day(|_, day| observed[usize::from(day)] += 1);
            }
        }
        (0..).zip(observed).filter(|&(_, count)| count > 0).map(|(day, count)| (self.day(day), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: SnapshotSize =
        SnapshotSize { listings: 200, priced: 100, serving: 10, newest: Day::from_days(20_000) };

    #[test]
    fn a_fall_is_told_from_the_limit_on() {
        let at_the_limits = SnapshotSize { listings: 100, priced: 50, serving: 8, ..BEFORE };
        assert_eq!(at_the_limits.falls_from(&BEFORE), [""; 0]);
        for (now, said) in [
            (SnapshotSize { listings: 99, ..BEFORE }, "99 listings instead of 200 (at least 50 %)"),
            (
                SnapshotSize { priced: 49, ..BEFORE },
                "49 listings with a current price instead of 100 (at least 50 %)",
            ),
            (SnapshotSize { serving: 7, ..BEFORE }, "7 serving coverage cells instead of 10 (at least 80 %)"),
            (
                SnapshotSize { newest: Day::from_days(19_999), ..BEFORE },
                "its newest observation is of 2024-10-03 instead of 2024-10-04",
            ),
        ] {
            assert_eq!(now.falls_from(&BEFORE), [said]);
        }
        let nothing = SnapshotSize { listings: 0, priced: 0, serving: 0, newest: Day::from_days(0) };
        assert_eq!(nothing.falls_from(&BEFORE).len(), 4);
        assert_eq!(BEFORE.falls_from(&nothing), [""; 0]);
    }
}
