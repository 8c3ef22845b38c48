//! Buckets of a series: a day, an ISO week or a calendar month.
//!
//! Invariant: a bucket is identified by its first calendar day, even if the window begins later. The caller clips the
//! first bucket to the window when it prints a date.

use schemars::JsonSchema;
use serde::Serialize;

use super::day::Day;

/// Maximum span of a series that is daily by default, in days.
pub const DAILY_DAYS_MAX: i32 = 31;
/// Maximum span of a series that is weekly by default, in days.
pub const WEEKLY_DAYS_MAX: i32 = 180;

/// The width of the buckets of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// UTC days.
    Daily,
    /// ISO weeks, from Monday.
    Weekly,
    /// Calendar months.
    Monthly,
}

impl Granularity {
    /// All widths, finest first.
    pub const ALL: [Self; 3] = [Self::Daily, Self::Weekly, Self::Monthly];

    /// The name in parameters and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }

    /// Reads the name, case-sensitively.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|granularity| granularity.as_str() == text)
    }

    /// The default granularity of a series that spans `span_days` days.
    pub const fn default_for(span_days: i32) -> Self {
        if span_days <= DAILY_DAYS_MAX {
            Self::Daily
        } else if span_days <= WEEKLY_DAYS_MAX {
            Self::Weekly
        } else {
            Self::Monthly
        }
    }

    /// The first day of the bucket that contains a day.
    pub const fn bucket(self, day: Day) -> Day {
        match self {
            Self::Daily => day,
            Self::Weekly => day.iso_week_monday(),
            Self::Monthly => day.first_of_month(),
        }
    }

    /// The first day of the bucket after the one that contains `day`.
    pub const fn next(self, day: Day) -> Day {
        match self {
            Self::Daily => day.plus_days(1),
            Self::Weekly => day.iso_week_monday().plus_days(7),
            Self::Monthly => day.first_of_next_month(),
        }
    }

    /// The label of the bucket that contains a day: `2026-10-05`, `2026-W41` (of the ISO year), `2026-10`.
    pub fn label(self, day: Day) -> String {
        match self {
            Self::Daily => day.to_string(),
            Self::Weekly => {
                let (year, week) = day.iso_week();
                format!("{year:04}-W{week:02}")
            }
            Self::Monthly => {
                let (year, month, _) = day.ymd();
                format!("{year:04}-{month:02}")
            }
        }
    }
}

impl std::fmt::Display for Granularity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use Granularity::{Daily, Monthly, Weekly};
    use proptest::prelude::*;

    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn names() {
        for granularity in Granularity::ALL {
            assert_eq!(Granularity::parse(granularity.as_str()), Some(granularity));
            assert_eq!(serde_json::to_string(&granularity).unwrap(), format!("\"{granularity}\""));
        }
        assert_eq!(Granularity::parse("Daily"), None);
    }

    #[test]
    fn defaults_change_after_the_limits() {
        let spans = [1, 31, 32, 180, 181, 1100].map(Granularity::default_for);
        assert_eq!(spans, [Daily, Daily, Weekly, Weekly, Monthly, Monthly]);
    }

    #[test]
    fn labels() {
        assert_eq!(Granularity::Daily.label(day("2026-10-05")), "2026-10-05");
        assert_eq!(Granularity::Weekly.label(day("2026-10-05")), "2026-W41");
        assert_eq!(Granularity::Weekly.label(day("2024-12-30")), "2025-W01");
        assert_eq!(Granularity::Weekly.label(day("2027-01-01")), "2026-W53");
        assert_eq!(Granularity::Monthly.label(day("2026-10-05")), "2026-10");
    }

    proptest! {
        #[test]
        fn buckets_tile_the_calendar(days in 10_957..47_846) {
            let day = Day::from_days(days);
            for granularity in Granularity::ALL {
                let (first, next) = (granularity.bucket(day), granularity.next(day));
                prop_assert!(first <= day && day < next);
                prop_assert_eq!(granularity.bucket(next), next);
                prop_assert_eq!(granularity.bucket(next.plus_days(-1)), first);
                prop_assert_eq!(granularity.label(first), granularity.label(day));
                prop_assert_ne!(granularity.label(next), granularity.label(day));
            }
        }
    }
}
