//! How dates are written: the order of their parts, a count of time, or a pattern.

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
/// Digits of the seconds, milliseconds and serials that the values of a file alone show to be dates.
const SECOND_DIGITS: usize = 10;
const MILLI_DIGITS: usize = 13;
const SERIAL_DIGITS: usize = 5;
/// Serial of 1970-01-01.
const SERIAL_1970: i64 = 25_569;
/// Serial of 1900-03-01. Those before it count a 29 February 1900 that never was.
const SERIAL_MIN: i64 = 61;
/// Decimals of a serial that are read.
const SERIAL_PLACES: u32 = 10;
const DAY_MILLIS: i64 = 86_400_000;
const MILLI_MICROS: i64 = 1000;

/// How the dates of a column are written. All but the first read the contract's form too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DateNotation {
    /// `2026-10-31`, or an RFC 3339 instant.
    Contract,
    /// `2026/10/31`, `20261031`, `2026-10-31 12:30`, `26-10-31`.
    Ymd,
    /// `31/10/2026`, `31/10/26`; also `31-Oct-2026` and `October 31, 2026`, which need no order.
    Dmy,
    /// `10/31/2026`, `10/31/26`; also months by name.
    Mdy,
    /// Seconds since 1970-01-01T00:00:00Z, whole or decimal.
    UnixSeconds,
    /// Milliseconds since then.
    UnixMillis,
    /// Days of a spreadsheet, 1 for 1900-01-01, whole or decimal.
    Serial,
    /// As the mapping says. The pattern is asked before the contract's form.
    Pattern(DatePattern),
}

impl DateNotation {
    /// What to write for it into a mapping.
    pub fn setting(&self) -> &str {
        match self {
            Self::Contract => "contract",
            Self::Ymd => "YMD",
            Self::Dmy => "DMY",
            Self::Mdy => "MDY",
            Self::UnixSeconds => "unix_s",
            Self::UnixMillis => "unix_ms",
            Self::Serial => "serial",
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
        by_pattern.or_else(|| self.read(text)).map(|written| Cow::Owned(written.to_string()))
    }

    /// Reads a trimmed text that has not the contract's form and is not read by a pattern.
    fn read(&self, text: &str) -> Option<Written> {
        match self {
            Self::Contract | Self::Pattern(_) => None,
            Self::Ymd => Written::parse(text, Order::Ymd),
            Self::Dmy => Written::parse(text, Order::Dmy),
            Self::Mdy => Written::parse(text, Order::Mdy),
            Self::UnixSeconds => since_1970(text, SECOND_PLACES),
            Self::UnixMillis => since_1970(text, MILLI_PLACES),
            Self::Serial => serial(text),
        }
    }

    /// Digits before the point, of notations that are numbers.
    fn digits(&self) -> Option<usize> {
        match self {
            Self::UnixSeconds => Some(SECOND_DIGITS),
            Self::UnixMillis => Some(MILLI_DIGITS),
            Self::Serial => Some(SERIAL_DIGITS),
            _ => None,
        }
    }

    /// Reads a value as evidence: any number would be a date, so its digits are counted and its day has to be one of
    /// an observation.
    fn read_evidence(&self, text: &str) -> Option<Written> {
        let Some(digits) = self.digits() else { return self.read(text) };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = [whole, fraction]
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let written = if is_number && whole.len() == digits { self.read(text) } else { None };
        written.filter(|written| (Day::OBSERVED_MIN..=Day::OBSERVED_MAX).contains(&written.day()))
    }

    /// The pattern of its dates with years of two digits, for notations that are orders.
    fn short_pattern(&self, separator: char) -> Option<String> {
        let [one, two, three] = match self {
            Self::Ymd => ["%y", "%m", "%d"],
            Self::Dmy => ["%d", "%m", "%y"],
            Self::Mdy => ["%m", "%d", "%y"],
            _ => return None,
        };
        Some(format!("{one}{separator}{two}{separator}{three}"))
    }
}

fn since_1970(text: &str, places: i64) -> Option<Written> {
    Written::moment(Day::from_days(0), scaled(text, places)?).map(Written::Instant)
}

/// A day, or an instant to the millisecond: decimals of a day are rounded.
fn serial(text: &str) -> Option<Written> {
    let unit = 10_i128.pow(SERIAL_PLACES);
    let value = i128::from(scaled(text, SERIAL_PLACES.into())?);
    let millis = i64::try_from((value * i128::from(DAY_MILLIS) + unit / 2).div_euclid(unit)).ok()?;
    if millis < SERIAL_MIN * DAY_MILLIS {
        return None;
    }
    let since_1970 = (millis - SERIAL_1970 * DAY_MILLIS).checked_mul(MILLI_MICROS)?;
    let instant = Written::moment(Day::from_days(0), since_1970)?;
    Some(if millis % DAY_MILLIS == 0 { Written::Day(instant.day()) } else { Written::Instant(instant) })
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
            Self::Serial => "spreadsheet serials",
            Self::Pattern(pattern) => return write!(f, "pattern {}", pattern.0),
        })
    }
}

impl FromStr for DateNotation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        match CANDIDATES.into_iter().chain([Self::Contract]).find(|notation| notation.setting() == text) {
            Some(notation) => Ok(notation),
            None => DatePattern::parse(text).map(Self::Pattern).ok_or_else(|| UnknownNotation {
                text: text.to_owned(),
                what: "dates",
                choice: "\"DMY\", \"MDY\", \"YMD\", \"contract\", \"unix_s\", \"unix_ms\", \"serial\", or a pattern \
                         that gives year, month and day, such as \"%d.%m.%y\" or \"%m/%d/%Y %I:%M %p\"",
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

/// Notations that are tried where a column has not the contract's form. Of equals the first wins.
const CANDIDATES: [DateNotation; 6] = [
    DateNotation::Ymd,
    DateNotation::Dmy,
    DateNotation::Mdy,
    DateNotation::UnixSeconds,
    DateNotation::UnixMillis,
    DateNotation::Serial,
];

/// Separators of a date with a year of two digits.
const SEPARATORS: [char; 3] = ['/', '-', '.'];

/// What the dates of a column say of their form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DateEvidence {
    votes: Votes<{ CANDIDATES.len() }>,
    /// Values that are three groups of one or two digits, by their separator.
    short: [u64; SEPARATORS.len()],
}

impl DateEvidence {
    /// Adds the value on `line`; empty ones say nothing.
    pub fn add(&mut self, text: &str, line: u64) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if Written::contract(text).is_some() {
            return self.votes.add_contract();
        }
        for (count, separator) in self.short.iter_mut().zip(SEPARATORS) {
            *count += u64::from(is_short(text, separator));
        }
        let readings = CANDIDATES.each_ref().map(|notation| notation.read_evidence(text));
        let mut years = readings.iter().flatten().map(|written| written.day().ymd().0);
        let first = years.next();
        let differ = years.any(|year| Some(year) != first);
        let describe = |reading: &Option<Written>| {
            reading.map_or("not a date".to_owned(), |written| written.words(differ))
        };
        self.votes.add(false, &readings, (line, text), describe);
    }

    /// Adds what the values behind these say.
    pub fn merge(&mut self, later: Self) {
        self.votes.merge(later.votes);
        self.short.iter_mut().zip(later.short).for_each(|(count, more)| *count += more);
    }

    /// Whether every value so far has the contract's form.
    pub fn is_contract(&self) -> bool {
        self.votes.is_contract()
    }

    /// The form of the column. Numbers are dates only where all values are.
    ///
    /// # Errors
    /// When two orders read equally many values, but not all alike.
    pub fn decide(&self) -> Result<DateNotation, Ambiguity> {
        let mut votes = self.votes.clone();
        for (read, notation) in votes.read.iter_mut().zip(&CANDIDATES) {
            if notation.digits().is_some() && *read < votes.values {
                *read = 0;
            }
        }
        match votes.decide() {
            Ok(None) => Ok(DateNotation::Contract),
            Ok(Some(best)) => Ok(CANDIDATES[best].clone()),
            Err((one, other, difference)) => {
                let third = (0..CANDIDATES.len()).filter(|&third| {
                    third != one
                        && third != other
                        && votes.read[third] == votes.read[one]
                        && CANDIDATES[third].read_evidence(&difference.value).is_some()
                });
                let settings: Vec<String> = [one, other]
                    .into_iter()
                    .chain(third)
                    .map(|candidate| format!("{:?}", self.setting(&CANDIDATES[candidate])))
                    .collect();
                Err(difference.ambiguity(format!("dates = {}", settings.join(" or "))))
            }
        }
    }

    /// The setting of a mapping for a notation that reads these values: a pattern where all of them fit one.
    fn setting(&self, notation: &DateNotation) -> String {
        let others = self.votes.values - self.votes.contract;
        let separator = SEPARATORS.into_iter().zip(self.short).find(|(_, count)| *count == others);
        let pattern = separator.and_then(|(separator, _)| notation.short_pattern(separator));
        pattern.unwrap_or_else(|| notation.setting().to_owned())
    }
}

/// Whether a text is three groups of one or two digits.
fn is_short(text: &str, separator: char) -> bool {
    let is_group =
        |group: &str| matches!(group.len(), 1 | 2) && group.bytes().all(|byte| byte.is_ascii_digit());
    text.split(separator).count() == 3 && text.split(separator).all(is_group)
}
