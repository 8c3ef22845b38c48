//! UTC days and instants in the proleptic Gregorian calendar. Offsets are resolved when text is read.
//!
//! Invariant: a [`Day`] is in the years 0000 to 9999, so it always prints as four, two and two digits. Arithmetic
//! saturates at both ends. Windows and periods are based on this module.

use std::fmt;

use serde::{Serialize, Serializer};

use super::inline_schema;

const SECOND_MICROS: i64 = 1_000_000;
const DAY_MICROS: i64 = 86_400 * SECOND_MICROS;

/// A UTC calendar day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// A moment, in microseconds from 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// The reason why a text is not the date of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DateError {
    /// Neither a day nor an instant with an offset.
    #[error("the date is neither YYYY-MM-DD nor an RFC 3339 instant")]
    Unparsable,
    /// A date outside the accepted years.
    #[error("the date is outside 2000-01-01 to 2100-12-31")]
    OutOfRange,
}

/// English names of the months.
pub const MONTH_NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Day {
    /// The first day with a four-digit year.
    pub const MIN: Self = Self(-719_528);
    /// The last day with a four-digit year.
    pub const MAX: Self = Self(2_932_896);
    /// The earliest day of an observation.
    pub const OBSERVED_MIN: Self = Self(10_957);
    /// The latest day of an observation.
    pub const OBSERVED_MAX: Self = Self(47_846);

    /// The day that is `days` days after 1970-01-01, clamped to [`Day::MIN`] and [`Day::MAX`].
    pub const fn from_days(days: i32) -> Self {
        if days < Self::MIN.0 {
            Self::MIN
        } else if days > Self::MAX.0 {
            Self::MAX
        } else {
            Self(days)
        }
    }

    /// Days since 1970-01-01.
    pub const fn days(self) -> i32 {
        self.0
    }

    /// The calendar day; `None` if it does not exist.
    pub const fn from_ymd(year: i32, month: u32, day: u32) -> Option<Self> {
        if year < 0 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) {
            return None;
        }
        Some(Self(days_from_civil(year, month, day)))
    }

    /// Year, month 1 to 12, day of the month 1 to 31.
    pub const fn ymd(self) -> (i32, u32, u32) {
        civil_from_days(self.0)
    }

    /// The date in words: `30 October 2026`.
    pub fn in_words(self) -> String {
        let (year, month, day) = self.ymd();
        format!("{day} {} {year}", MONTH_NAMES[month as usize - 1])
    }

    /// Reads exactly `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
        if bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        Self::from_ymd(number(&bytes[..4])? as i32, number(&bytes[5..7])?, number(&bytes[8..])?)
    }

    /// The day that is `days` days later, or earlier if `days` is negative.
    #[must_use]
    pub const fn plus_days(self, days: i32) -> Self {
        Self::from_days(self.0.saturating_add(days))
    }

    /// The number of days from `earlier` to this day.
    pub const fn minus(self, earlier: Self) -> i32 {
        self.0 - earlier.0
    }

    /// The first day of the calendar month that contains this day.
    #[must_use]
    pub const fn first_of_month(self) -> Self {
        let (_, _, day) = self.ymd();
        self.plus_days(1 - day as i32)
    }

    /// The first day of the previous calendar month.
    #[must_use]
    pub const fn first_of_previous_month(self) -> Self {
        self.first_of_month().plus_days(-1).first_of_month()
    }

    /// The first day of the next calendar month.
    #[must_use]
    pub const fn first_of_next_month(self) -> Self {
        self.first_of_month().plus_days(31).first_of_month()
    }

    /// The first day of the calendar quarter that contains this day.
    #[must_use]
    pub const fn first_of_quarter(self) -> Self {
        let (year, month, _) = self.ymd();
        Self::from_days(days_from_civil(year, (month - 1) / 3 * 3 + 1, 1))
    }

    /// The Monday of the ISO week that contains this day.
    #[must_use]
    pub const fn iso_week_monday(self) -> Self {
        // 1970-01-01 was a Thursday, three days after a Monday.
        self.plus_days(-(self.0 + 3).rem_euclid(7))
    }

    /// The ISO year and week. A week belongs to the year that contains its Thursday.
    pub const fn iso_week(self) -> (i32, u32) {
        let thursday = self.0 - (self.0 + 3).rem_euclid(7) + 3;
        let (year, _, _) = civil_from_days(thursday);
        (year, ((thursday - days_from_civil(year, 1, 1)) / 7 + 1) as u32)
    }

    /// The instant at which the day begins.
    pub const fn start(self) -> Instant {
        Instant(self.0 as i64 * DAY_MICROS)
    }

    fn text(self) -> [u8; 10] {
        let (year, month, day) = self.ymd();
        let mut text = *b"0000-00-00";
        write_digits(&mut text[..4], year as u32);
        write_digits(&mut text[5..7], month);
        write_digits(&mut text[8..], day);
        text
    }
}

impl Instant {
    /// The instant that is `micros` microseconds after 1970-01-01T00:00:00Z, clamped to the range of [`Day`].
    pub fn from_micros(micros: i64) -> Self {
        let end = Day::MAX.start().0 + DAY_MICROS - 1;
        Self(micros.clamp(Day::MIN.start().0, end))
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The UTC day of the instant.
    pub const fn day(self) -> Day {
        Day::from_days(self.0.div_euclid(DAY_MICROS) as i32)
    }

    /// Reads an RFC 3339 date-time. The offset is required. A blank is accepted instead of `T`, as the RFC permits.
    /// Fractions are truncated to microseconds. A leap second is read as the second before it.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked(10)?;
        let day = Day::parse(date)?;
        let bytes = time.as_bytes();
        if bytes.len() < 10 || !matches!(bytes[0], b'T' | b't' | b' ') || bytes[3] != b':' || bytes[6] != b':'
        {
            return None;
        }
        let (hour, minute, second) = (number(&bytes[1..3])?, number(&bytes[4..6])?, number(&bytes[7..9])?);
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (fraction, offset) = split_fraction(&bytes[9..])?;
        let clock = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second.min(59));
        let seconds = i64::from(day.0) * 86_400 + clock - offset_seconds(offset)?;
        let micros = seconds * SECOND_MICROS + fraction;
        (Self::from_micros(micros).0 == micros).then_some(Self(micros))
    }
}

/// Reads the date of an observation: a day or an RFC 3339 instant, whose UTC day must be in the accepted years. A day
/// without a time is read as its start in UTC.
///
/// # Errors
///
/// Returns an error if the text is not a date, or if the date is outside the accepted years.
pub fn parse_observed(text: &str) -> Result<(Day, Instant), DateError> {
    let text = text.trim();
    let instant = match Day::parse(text) {
        Some(day) => day.start(),
        None => Instant::parse_rfc3339(text).ok_or(DateError::Unparsable)?,
    };
    let day = instant.day();
    if day < Day::OBSERVED_MIN || day > Day::OBSERVED_MAX {
        return Err(DateError::OutOfRange);
    }
    Ok((day, instant))
}

/// Splits `.250Z` into microseconds and the offset.
fn split_fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let [b'.', rest @ ..] = text else { return Some((0, text)) };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = rest[..len].iter().copied().chain(std::iter::repeat(b'0')).take(6);
    let micros = digits.fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
    (len > 0).then_some((micros, &rest[len..]))
}

/// The offset of `Z` or `±HH:MM` in seconds east of UTC.
fn offset_seconds(text: &[u8]) -> Option<i64> {
    match text {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            let seconds = i64::from(hours * 3600 + minutes * 60);
            (hours <= 23 && minutes <= 59).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
}

fn write_digits(room: &mut [u8], mut value: u32) {
    for byte in room.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

const fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970-01-01. The computation uses eras of 400 years. Its years begin in March, so that the
/// leap day is the last day of a year.
const fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let day_of_year = ((153 * ((month + 9) % 12) + 2) / 5 + day - 1) as i32;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

const fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + (month <= 2) as i32, month as u32, day as u32)
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl Instant {
    /// Formats the instant as RFC 3339 in UTC, with as many decimals as needed, and passes the text to `with`.
    fn with_text<T>(self, with: impl FnOnce(&str) -> T) -> T {
        let of_day = self.0.rem_euclid(DAY_MICROS);
        let (seconds, fraction) = ((of_day / SECOND_MICROS) as u32, (of_day % SECOND_MICROS) as u32);
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        text[..10].copy_from_slice(&self.day().text());
        write_digits(&mut text[11..13], seconds / 3600);
        write_digits(&mut text[14..16], seconds / 60 % 60);
        write_digits(&mut text[17..19], seconds % 60);
        write_digits(&mut text[20..26], fraction);
        let end = match fraction {
            0 => 19,
            _ => text[..26].iter().rposition(|&digit| digit != b'0').map_or(19, |last| last + 1),
        };
        text[end] = b'Z';
        with(std::str::from_utf8(&text[..=end]).unwrap_or_default())
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

inline_schema!(Day, "Day", { "type": "string", "format": "date" });
inline_schema!(Instant, "Instant", { "type": "string", "format": "date-time" });

#[cfg(test)]
mod tests;
