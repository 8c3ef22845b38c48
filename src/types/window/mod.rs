//! The span of days of a request, `[from, to)`, and the span with which it is compared.
//!
//! Invariant: windows are relative to the catalog's "now" and not to the clock, so one snapshot always gives the same
//! answer. A resolved window is never empty and never longer than [`SPAN_DAYS_MAX`]. Its buckets are defined in
//! [`period`](super::period).

use schemars::JsonSchema;
use serde::Serialize;

use super::day::{Day, Instant};

/// Maximum length of a window, in days.
pub const SPAN_DAYS_MAX: i32 = 1100;

/// Length of a window, in days, if a request gives neither bound or only the end.
pub const SPAN_DAYS_DEFAULT: i32 = 30;

/// A named window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TimeWindow")]
pub enum Preset {
    /// The last 30 days.
    #[serde(rename = "last_30_days")]
    Last30Days,
    /// The last 60 days.
    #[serde(rename = "last_60_days")]
    Last60Days,
    /// The last 90 days.
    #[serde(rename = "last_90_days")]
    Last90Days,
    /// The month of the newest observation in the catalog, from its first day up to the day of that observation.
    MonthToDate,
    /// The calendar month before the month of the newest observation in the catalog.
    PreviousMonth,
    /// The month to date, compared with the same number of days of the previous month.
    MonthOverMonth,
    /// The quarter of the newest observation in the catalog, from its first day up to the day of that observation.
    QuarterToDate,
    /// A window that is given by `from` and `to`, or by `lookback_days`.
    Custom,
}

impl Preset {
    /// All presets, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Last30Days,
        Self::Last60Days,
        Self::Last90Days,
        Self::MonthToDate,
        Self::PreviousMonth,
        Self::MonthOverMonth,
        Self::QuarterToDate,
        Self::Custom,
    ];

    /// The name in parameters and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Last30Days => "last_30_days",
            Self::Last60Days => "last_60_days",
            Self::Last90Days => "last_90_days",
            Self::MonthToDate => "month_to_date",
            Self::PreviousMonth => "previous_month",
            Self::MonthOverMonth => "month_over_month",
            Self::QuarterToDate => "quarter_to_date",
            Self::Custom => "custom",
        }
    }

    /// Reads the name, case-sensitively.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == text)
    }
}

impl std::fmt::Display for Preset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The window parameters of a request, all of which are optional.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowArgs {
    /// `time_window`.
    pub time_window: Option<Preset>,
    /// `from`, the first day.
    pub from: Option<Day>,
    /// `to`, the day after the last day.
    pub to: Option<Day>,
    /// `lookback_days`, 1 to [`SPAN_DAYS_MAX`].
    pub lookback_days: Option<u32>,
}

/// A resolved window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    preset: Preset,
    from: Day,
    to: Day,
    comparison_from: Day,
    comparison_to: Day,
}

/// A fault of a parameter that prevents the window from being resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{parameter}: {reason}")]
pub struct WindowError {
    /// The name of the parameter to change.
    pub parameter: &'static str,
    /// The reason, for the client.
    pub reason: &'static str,
}

const REASON_MISSING: &str = "time_window=custom requires both from and to";
const REASON_ORDER: &str = "from must be before to";
const REASON_SPAN: &str = "the window must not be longer than 1100 days";
const REASON_LOOKBACK: &str = "lookback_days must be between 1 and 1100";

impl Window {
    /// Resolves the parameters against the catalog's now, which is the midnight after its last observed day.
    ///
    /// Dates take precedence over `lookback_days`, which takes precedence over `time_window`. There is one exception:
    /// if a request names `custom` and gives one date, the other date is reported as missing instead of being
    /// defaulted.
    ///
    /// # Errors
    ///
    /// Returns one error for each parameter that must be changed.
    pub fn resolve(args: WindowArgs, now: Day) -> Result<Self, Vec<WindowError>> {
        let blame = |parameter, reason| WindowError { parameter, reason };
        if args.lookback_days.is_some_and(|days| !(1..=SPAN_DAYS_MAX as u32).contains(&days)) {
            return Err(vec![blame("lookback_days", REASON_LOOKBACK)]);
        }
        let (from, to) = match (args.from, args.to, args.lookback_days) {
            (None, None, Some(days)) => (now.plus_days(-(days as i32)), now),
            (None, None, None) if args.time_window != Some(Preset::Custom) => {
                return Ok(Self::of_preset(args.time_window.unwrap_or(Preset::Last30Days), now));
            }
            (Some(from), Some(to), _) => (from, to),
            (from, to, _) if args.time_window == Some(Preset::Custom) => {
                let missing = [("from", from), ("to", to)].into_iter().filter(|(_, given)| given.is_none());
                return Err(missing.map(|(name, _)| blame(name, REASON_MISSING)).collect());
            }
            (Some(from), None, _) => (from, now),
            (None, to, _) => {
                let to = to.unwrap_or(now);
                (to.plus_days(-SPAN_DAYS_DEFAULT), to)
            }
        };
        let reason = match to.minus(from) {
            ..1 => Some(REASON_ORDER),
            1..=SPAN_DAYS_MAX => None,
            _ => Some(REASON_SPAN),
        };
        if let Some(reason) = reason {
            let given = [("from", args.from), ("to", args.to)].into_iter().filter(|(_, day)| day.is_some());
            return Err(given.map(|(name, _)| blame(name, reason)).collect());
        }
        Ok(Self::with_comparison_before(Preset::Custom, from, to))
    }

    /// The window of a preset. [`Preset::Custom`] does not determine dates, so its window is the last 30 days.
    pub fn of_preset(preset: Preset, now: Day) -> Self {
        let last = now.plus_days(-1);
        let month = last.first_of_month();
        let (from, to) = match preset {
            Preset::Last30Days | Preset::Custom => (now.plus_days(-30), now),
            Preset::Last60Days => (now.plus_days(-60), now),
            Preset::Last90Days => (now.plus_days(-90), now),
            Preset::MonthToDate => (month, now),
            Preset::PreviousMonth => (last.first_of_previous_month(), month),
            Preset::QuarterToDate => (last.first_of_quarter(), now),
            Preset::MonthOverMonth => {
                let comparison_from = last.first_of_previous_month();
                let comparison_to = comparison_from.plus_days(now.minus(month)).min(month);
                return Self { preset, from: month, to: now, comparison_from, comparison_to };
            }
        };
        Self::with_comparison_before(preset, from, to)
    }

    /// The last `days` days up to `now`. `days` must be at least 1.
    pub fn last_days(days: u32, now: Day) -> Self {
        Self::with_comparison_before(Preset::Custom, now.plus_days(-(days as i32)), now)
    }

    fn with_comparison_before(preset: Preset, from: Day, to: Day) -> Self {
        let comparison_from = from.plus_days(-to.minus(from));
        Self { preset, from, to, comparison_from, comparison_to: from }
    }

    /// The preset that answers report for the window.
    pub const fn preset(&self) -> Preset {
        self.preset
    }

    /// The first day.
    pub const fn from(&self) -> Day {
        self.from
    }

    /// The day after the last day.
    pub const fn to(&self) -> Day {
        self.to
    }

    /// The first day of the comparison window.
    pub const fn comparison_from(&self) -> Day {
        self.comparison_from
    }

    /// The day after the last day of the comparison window.
    pub const fn comparison_to(&self) -> Day {
        self.comparison_to
    }

    /// The length in days, at least 1.
    pub const fn span_days(&self) -> i32 {
        self.to.minus(self.from)
    }
}

/// Reads `from` or `to`: a day, or a date-time with an offset, whose UTC day is used.
pub fn parse_bound(text: &str) -> Option<Day> {
    Day::parse(text).or_else(|| Instant::parse_rfc3339(text).map(Instant::day))
}

#[cfg(test)]
mod tests;
