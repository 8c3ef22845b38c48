//! Reading dates as people and programs write them: three parts in some order, and perhaps a time.

use std::fmt;
use std::ops::RangeInclusive;

use crate::types::{Day, Instant};

const SECOND_MICROS: i64 = 1_000_000;
/// Digits of a second that are kept.
const FRACTION_DIGITS: usize = 6;

const MONTHS: [&str; 12] = [
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
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/// Letters of a short name.
const SHORT_NAME: usize = 3;

/// A date in any year from 0000 to 9999. Its text is one that [`parse_observed`](crate::types::day::parse_observed)
/// reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Day(Day),
    Instant(Instant),
}

/// In which order day, month and year are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Ymd,
    Dmy,
    Mdy,
}

impl Order {
    /// What is asked where a column is not in the contract's form, the first of equals first.
    pub(super) const ALL: [Self; 3] = [Self::Ymd, Self::Dmy, Self::Mdy];
}

impl Written {
    /// Reads a trimmed text of the contract's form: `YYYY-MM-DD` or RFC 3339.
    pub(super) fn contract(text: &str) -> Option<Self> {
        Day::parse(text).map(Self::Day).or_else(|| Instant::parse_rfc3339(text).map(Self::Instant))
    }

    /// Reads a trimmed text in that order. A month by name needs no order, but is none of `Ymd`; a time without an
    /// offset is UTC.
    pub(super) fn parse(text: &str, order: Order) -> Option<Self> {
        let whole = Cursor(text);
        let (day, rest) = match order {
            Order::Ymd => whole.year_first()?,
            Order::Dmy | Order::Mdy => whole.year_last(order).or_else(|| whole.named())?,
        };
        if rest.0.is_empty() { Some(Self::Day(day)) } else { rest.time(day).map(Self::Instant) }
    }

    /// A moment `micros` after `day` began, where that is still a date.
    pub(super) fn moment(day: Day, micros: i64) -> Option<Instant> {
        let micros = day.start().micros().checked_add(micros)?;
        Some(Instant::from_micros(micros)).filter(|instant| instant.micros() == micros)
    }

    /// Its UTC day in words, without the year: `1 February`.
    pub(super) fn words(self) -> String {
        let day = match self {
            Self::Day(day) => day,
            Self::Instant(instant) => instant.day(),
        };
        let (_, month, day) = day.ymd();
        format!("{day} {}", MONTHS[month as usize - 1])
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Instant(instant) => instant.fmt(f),
        }
    }
}

/// What is left to read. Its parts are taken off the front.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    /// `2026-10-31`, `2026/1/5`, `20261031`.
    fn year_first(mut self) -> Option<(Day, Self)> {
        if let Some(digits) = self.number(8..=8) {
            return Some((date(digits / 10_000, digits / 100 % 100, digits % 100)?, self));
        }
        let year = self.number(4..=4)?;
        let separator = self.one(|letter| matches!(letter, '-' | '/' | '.'))?;
        let month = self.number(1..=2)?;
        self.one(|letter| letter == separator)?;
        Some((date(year, month, self.number(1..=2)?)?, self))
    }

    /// `31/10/2026`, `10-31-2026`.
    fn year_last(mut self, order: Order) -> Option<(Day, Self)> {
        let first = self.number(1..=2)?;
        let separator = self.one(|letter| matches!(letter, '-' | '/' | '.') || letter.is_whitespace())?;
        let second = self.number(1..=2)?;
        self.one(|letter| letter == separator)?;
        let year = self.number(4..=4)?;
        let (month, day) = if order == Order::Mdy { (first, second) } else { (second, first) };
        Some((date(year, month, day)?, self))
    }

    /// `Saturday, October 31, 2026`, `31-Oct-2026`, `31OCT2026`. A weekday is passed over, right or wrong.
    fn named(mut self) -> Option<(Day, Self)> {
        let mut behind = self;
        if behind.word().is_some_and(|word| position(&WEEKDAYS, word).is_some()) {
            self = behind.past_separators();
        }
        let (mut year, mut month, mut day) = (None, None, None);
        for part in 0..3 {
            if part > 0 {
                self = self.past_separators();
            }
            if let Some(word) = self.word() {
                month = Some(position(&MONTHS, word)? as u32 + 1);
            } else if let Some(number) = self.number(4..=4) {
                year = Some(number);
            } else {
                day = Some(self.number(1..=2)?);
            }
        }
        Some((date(year?, month?, day?)?, self))
    }

    /// `T10:30:00.5-04:00`, ` 5:07 PM`, `, 5:07:00 PM UTC`: all that is left has to be the time of `day`.
    fn time(mut self, day: Day) -> Option<Instant> {
        if self.one(|letter| matches!(letter, 'T' | 't')).is_none() {
            self.one(|letter| letter == ',');
            self.one(char::is_whitespace)?;
            self = self.past_blanks();
        }
        let (mut hour, minute) = (self.number(1..=2)?, self.colon()?.number(2..=2)?);
        let (second, fraction) = match self.colon() {
            Some(seconds) => (seconds.number(2..=2)?, seconds.fraction()?),
            None => (0, 0),
        };
        self = self.past_blanks();
        let mut behind = self;
        if let Some(word) = behind.word() {
            let afternoon = word.eq_ignore_ascii_case("PM");
            if afternoon || word.eq_ignore_ascii_case("AM") {
                hour = (1..=12).contains(&hour).then_some(hour % 12 + if afternoon { 12 } else { 0 })?;
                self = behind.past_blanks();
            }
        }
        let offset = self.offset()?;
        if !self.0.is_empty() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        // As in RFC 3339 elsewhere: a leap second counts as the second before it.
        let clock = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second.min(59));
        Written::moment(day, (clock - offset) * SECOND_MICROS + fraction)
    }

    /// Microseconds of `.25`, cut; none without a point.
    fn fraction(&mut self) -> Option<i64> {
        if self.one(|letter| letter == '.').is_none() {
            return Some(0);
        }
        let digits = self.digits();
        let padded = digits.bytes().chain(std::iter::repeat(b'0')).take(FRACTION_DIGITS);
        let micros = padded.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        (!digits.is_empty()).then_some(micros)
    }

    /// Seconds east of UTC: of `Z`, `UTC`, `GMT`, `+05:30`, `+0530`, `+05`; nothing is UTC.
    fn offset(&mut self) -> Option<i64> {
        if let Some(word) = self.word() {
            return ["Z", "UTC", "GMT"].iter().any(|zone| zone.eq_ignore_ascii_case(word)).then_some(0);
        }
        let Some(sign) = self.one(|letter| matches!(letter, '+' | '-')) else { return Some(0) };
        let (hours, minutes) = match self.number(4..=4) {
            Some(both) => (both / 100, both % 100),
            None => {
                (self.number(2..=2)?, if let Some(behind) = self.colon() { behind.number(2..=2)? } else { 0 })
            }
        };
        let seconds = i64::from(hours * 3600 + minutes * 60);
        (hours <= 23 && minutes <= 59).then_some(if sign == '-' { -seconds } else { seconds })
    }

    /// Takes a letter of that kind.
    fn one(&mut self, is_wanted: impl Fn(char) -> bool) -> Option<char> {
        let letter = self.0.chars().next().filter(|&letter| is_wanted(letter))?;
        self.0 = &self.0[letter.len_utf8()..];
        Some(letter)
    }

    /// Takes a colon.
    fn colon(&mut self) -> Option<&mut Self> {
        self.one(|letter| letter == ':')?;
        Some(self)
    }

    /// Takes a number of so many digits, at most eight; digits beyond them are no number.
    fn number(&mut self, lengths: RangeInclusive<usize>) -> Option<u32> {
        let mut behind = *self;
        let digits = behind.digits();
        if !lengths.contains(&digits.len()) {
            return None;
        }
        *self = behind;
        Some(digits.bytes().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    }

    fn digits(&mut self) -> &'a str {
        self.run(|byte| byte.is_ascii_digit())
    }

    /// Takes a word of ASCII letters.
    fn word(&mut self) -> Option<&'a str> {
        Some(self.run(|byte| byte.is_ascii_alphabetic())).filter(|word| !word.is_empty())
    }

    /// Takes the ASCII letters of that kind.
    fn run(&mut self, is_wanted: impl Fn(u8) -> bool) -> &'a str {
        let len = self.0.bytes().take_while(|&byte| is_wanted(byte)).count();
        let (run, rest) = self.0.split_at(len);
        self.0 = rest;
        run
    }

    fn past_blanks(self) -> Self {
        Self(self.0.trim_start())
    }

    fn past_separators(self) -> Self {
        let is_separator = |letter: char| matches!(letter, '-' | '/' | '.' | ',') || letter.is_whitespace();
        Self(self.0.trim_start_matches(is_separator))
    }
}

fn date(year: u32, month: u32, day: u32) -> Option<Day> {
    Day::from_ymd(year as i32, month, day)
}

/// Which name a word is, in full or by its first three letters.
fn position(names: &[&str], word: &str) -> Option<usize> {
    names
        .iter()
        .position(|name| name.eq_ignore_ascii_case(word) || name[..SHORT_NAME].eq_ignore_ascii_case(word))
}
