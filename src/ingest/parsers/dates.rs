//! How dates are written: the order of their parts, seconds since 1970, or a pattern.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::TimeZone;

use super::calendar::{Order, Written};
use super::numbers::scaled;
use super::{Ambiguity, UnknownNotation, Votes};
use crate::types::{Day, Instant};

const NANOS_PER_MICRO: i64 = 1000;
const HOUR_MICROS: i64 = 3_600_000_000;
/// Zeros between seconds or milliseconds and microseconds.
const SECOND_PLACES: i64 = 6;
const MILLI_PLACES: i64 = 3;

/// How the dates of a column are written. All but the first read the contract's form too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DateNotation {
    /// `2026-10-31`, or an RFC 3339 instant.
    Contract,
    /// `2026/10/31`, `20261031`, `2026-10-31 12:30`.
    Ymd,
    /// `31/10/2026`; also `31-Oct-2026` and `October 31, 2026`, which need no order.
    Dmy,
    /// `10/31/2026`; also months by name.
    Mdy,
    /// Seconds since 1970-01-01T00:00:00Z, whole or decimal.
    UnixSeconds,
    /// Milliseconds since then.
    UnixMillis,
    /// As the mapping says. The pattern is asked before the contract's form.
    Pattern(DatePattern),
}

impl DateNotation {
    const fn of(order: Order) -> Self {
        match order {
            Order::Ymd => Self::Ymd,
            Order::Dmy => Self::Dmy,
            Order::Mdy => Self::Mdy,
        }
    }

    /// What to write for it into a mapping.
    pub fn setting(&self) -> &str {
        match self {
            Self::Contract => "contract",
            Self::Ymd => "YMD",
            Self::Dmy => "DMY",
            Self::Mdy => "MDY",
            Self::UnixSeconds => "unix_s",
            Self::UnixMillis => "unix_ms",
            Self::Pattern(pattern) => &pattern.0,
        }
    }

    /// The date as `2026-10-31` or in RFC 3339, whatever its year; `None` when it is none in this form.
    pub fn plain<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        let text = text.trim();
        let by_pattern = match self {
            Self::Pattern(pattern) => pattern.read(text),
            _ => None,
        };
        if by_pattern.is_none() && Written::contract(text).is_some() {
            return Some(Cow::Borrowed(text));
        }
        let written = match self {
            Self::Contract => None,
            Self::Ymd => Written::parse(text, Order::Ymd),
            Self::Dmy => Written::parse(text, Order::Dmy),
            Self::Mdy => Written::parse(text, Order::Mdy),
            Self::UnixSeconds => since_1970(text, SECOND_PLACES),
            Self::UnixMillis => since_1970(text, MILLI_PLACES),
            Self::Pattern(_) => by_pattern,
        };
        written.map(|written| Cow::Owned(written.to_string()))
    }
}

fn since_1970(text: &str, places: i64) -> Option<Written> {
    Written::moment(Day::from_days(0), scaled(text, places)?).map(Written::Instant)
}

impl fmt::Display for DateNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contract => "YYYY-MM-DD or RFC 3339",
            Self::Ymd => "year/month/day",
            Self::Dmy => "day/month/year",
            Self::Mdy => "month/day/year",
            Self::UnixSeconds => "seconds since 1970",
            Self::UnixMillis => "milliseconds since 1970",
            Self::Pattern(pattern) => return write!(f, "pattern {}", pattern.0),
        })
    }
}

impl FromStr for DateNotation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        let words = [Self::Contract, Self::Ymd, Self::Dmy, Self::Mdy, Self::UnixSeconds, Self::UnixMillis];
        match words.into_iter().find(|notation| notation.setting() == text) {
            Some(notation) => Ok(notation),
            None => DatePattern::parse(text).map(Self::Pattern).ok_or_else(|| UnknownNotation {
                text: text.to_owned(),
                what: "dates",
                choice: "\"DMY\", \"MDY\", \"YMD\", \"contract\", \"unix_s\", \"unix_ms\", or a pattern that gives \
                         year, month and day, such as \"%d.%m.%y\" or \"%m/%d/%Y %I:%M %p\"",
            }),
        }
    }
}

/// A pattern of dates in the notation of `strptime`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DatePattern(Box<str>);

impl DatePattern {
    /// A moment whose day, month, year and hour are told apart wherever they stand: 2006-11-23T13:45:07Z.
    const SAMPLE_SECONDS: i64 = 1_164_289_507;

    /// Takes a pattern that reads what it writes: all of a day, and of an hour if any.
    fn parse(pattern: &str) -> Option<Self> {
        let sample = Timestamp::from_second(Self::SAMPLE_SECONDS).ok()?;
        let text = strtime::format(pattern, &sample.to_zoned(TimeZone::UTC)).ok()?;
        let read = Self(pattern.into());
        let moment = Instant::from_micros(sample.as_microsecond());
        let holds = match read.read(text.trim())? {
            Written::Day(day) => day == moment.day(),
            Written::Instant(found) => found.micros() / HOUR_MICROS == moment.micros() / HOUR_MICROS,
        };
        holds.then_some(read)
    }

    /// Reads a trimmed text. A time without an offset is UTC. Names of time zones are not read.
    fn read(&self, text: &str) -> Option<Written> {
        let parts = BrokenDownTime::parse(self.0.as_bytes(), text).ok()?;
        if parts.iana_time_zone().is_some() {
            return None;
        }
        if let Some(timestamp) = parts.timestamp() {
            return Written::moment(Day::from_days(0), timestamp.as_microsecond()).map(Written::Instant);
        }
        let date = parts.to_date().ok()?;
        let day = Day::from_ymd(date.year().into(), date.month() as u32, date.day() as u32)?;
        if parts.hour().is_none() {
            return Some(Written::Day(day));
        }
        let since_midnight = parts.to_time().ok()?.duration_since(jiff::civil::Time::midnight());
        let offset = parts.offset().map_or(0, |offset| i64::from(offset.seconds()));
        let micros =
            since_midnight.as_nanos() as i64 / NANOS_PER_MICRO - offset * 10_i64.pow(SECOND_PLACES as u32);
        Written::moment(day, micros).map(Written::Instant)
    }
}

/// What the dates of a column say of their form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateEvidence(Votes<3>);

impl DateEvidence {
    /// Adds the value on `line`; empty ones say nothing.
    pub fn add(&mut self, text: &str, line: u64) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if Written::contract(text).is_some() {
            return self.0.add_contract();
        }
        let readings = Order::ALL.map(|order| Written::parse(text, order));
        let describe = |reading: &Option<Written>| reading.map_or("no date".to_owned(), Written::words);
        self.0.add(false, &readings, (line, text), describe);
    }

    /// Adds what the values behind these say.
    pub fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
    }

    /// Whether every value so far has the contract's form.
    pub fn is_contract(&self) -> bool {
        self.0.is_contract()
    }

    /// The form of the column.
    ///
    /// # Errors
    /// When two orders read equally many values, but not all alike.
    pub fn decide(&self) -> Result<DateNotation, Ambiguity> {
        match self.0.decide() {
            Ok(None) => Ok(DateNotation::Contract),
            Ok(Some(best)) => Ok(DateNotation::of(Order::ALL[best])),
            Err((one, other, difference)) => {
                let [one, other] = [one, other].map(|candidate| DateNotation::of(Order::ALL[candidate]));
                let settings = format!("dates = \"{}\" or \"{}\"", one.setting(), other.setting());
                Err(difference.ambiguity(settings))
            }
        }
    }
}
