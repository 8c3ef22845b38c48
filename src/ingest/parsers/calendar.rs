//! Reading dates as people and programs write them: three parts in some order, and perhaps a time.

use std::fmt;
use std::ops::RangeInclusive;

use super::date_words;
use crate::types::{Day, Instant};

const SECOND_MICROS: i64 = 1_000_000;
/// Digits of a second that are kept.
const FRACTION_DIGITS: usize = 6;

/// The year to which the two digits of a short year are added.
const CENTURY: u32 = 2000;

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
            Order::Dmy | Order::Mdy => {
                whole.year_last(order).or_else(|| whole.named()).or_else(|| whole.year_behind_time())?
            }
        };
        if rest.0.is_empty() { Some(Self::Day(day)) } else { rest.time(day).map(Self::Instant) }
    }

    /// A moment `micros` after `day` began, where that is still a date.
    pub(super) fn moment(day: Day, micros: i64) -> Option<Instant> {
        let micros = day.start().micros().checked_add(micros)?;
        Some(Instant::from_micros(micros)).filter(|instant| instant.micros() == micros)
    }

    /// Its UTC day.
    pub(super) fn day(self) -> Day {
        match self {
            Self::Day(day) => day,
            Self::Instant(instant) => instant.day(),
        }
    }

    /// Its UTC day in words: `1 February`, `1 February 2026`.
    pub(super) fn words(self, with_year: bool) -> String {
        let words = self.day().in_words();
        let without_year = words.rsplit_once(' ').map_or("", |(day, _)| day);
        if with_year { words } else { without_year.to_owned() }
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
    /// `2026-10-31`, `2026/1/5`, `20261031`, `26-10-31`. A short year stands first only before hyphens.
    fn year_first(mut self) -> Option<(Day, Self)> {
        if let Some(digits) = self.number(8..=8) {
            return Some((date(digits / 10_000, digits / 100 % 100, digits % 100)?, self));
        }
        let full = self.number(4..=4);
        let year = full.or_else(|| self.short_year())?;
        let separator = self.one(|letter| letter == '-' || full.is_some() && matches!(letter, '/' | '.'))?;
        let month = self.number(1..=2)?;
        self.one(|letter| letter == separator)?;
        Some((date(year, month, self.number(1..=2)?)?, self))
    }

    /// `31/10/2026`, `10-31-2026`, `31.10.26`.
    fn year_last(mut self, order: Order) -> Option<(Day, Self)> {
        let first = self.number(1..=2)?;
        let separator = self.one(|letter| matches!(letter, '-' | '/' | '.') || letter.is_whitespace())?;
        let second = self.number(1..=2)?;
        self.one(|letter| letter == separator)?;
        let short = |rest: &mut Self| if separator.is_whitespace() { None } else { rest.short_year() };
        let year = self.number(4..=4).or_else(|| short(&mut self))?;
        let (month, day) = if order == Order::Mdy { (first, second) } else { (second, first) };
        Some((date(year, month, day)?, self))
    }

    /// `Saturday, October 31, 2026`, `31-Oct-26`, `31OCT2026`, `1er août 2026`.
    fn named(self) -> Option<(Day, Self)> {
        self.three_with_name().or_else(|| self.past_weekday()?.three_with_name())
    }

    /// Three parts, of which a word is the month. Of two short numbers the year is the second.
    fn three_with_name(mut self) -> Option<(Day, Self)> {
        let (mut year, mut month, mut day) = (None, None, None);
        for part in 0..3 {
            if part > 0 {
                self = self.past_separators();
            }
            if let Some(word) = self.word() {
                month = Some(date_words::month(word)?);
            } else if let Some(number) = self.number(4..=4) {
                year = Some(number);
            } else if part == 2 && day.is_some() {
                // Digits before a colon are an hour.
                year = Some(self.short_year().filter(|_| !self.0.starts_with(':'))?);
            } else {
                day = Some(self.day_of_month()?);
            }
        }
        Some((date(year?, month?, day?)?, self))
    }

    /// `Sat Oct 31 04:05:06 2026`. What is left is the time.
    fn year_behind_time(self) -> Option<(Day, Self)> {
        let (front, year) = self.0.rsplit_once(' ')?;
        let mut year = Self(year);
        let year = year.number(4..=4).filter(|_| year.0.is_empty())?;
        let month_and_day = |mut rest: Self| {
            let month = date_words::month(rest.word()?)?;
            rest = rest.past_separators();
            let day = rest.day_of_month()?;
            Some((date(year, month, day)?, rest))
        };
        let front = Self(front);
        front.past_weekday().and_then(month_and_day).or_else(|| month_and_day(front))
    }

    /// `T10:30:00.5-04:00`, `T103000Z`, ` 5:07 PM`, `, 5:07:00 PM UTC`: all that is left has to be the time of `day`.
    fn time(mut self, day: Day) -> Option<Instant> {
        let behind_t = self.one(|letter| matches!(letter, 'T' | 't')).is_some();
        if !behind_t {
            self.one(|letter| letter == ',');
            self.one(char::is_whitespace)?;
            self = self.past_blanks();
        }
        let basic = if behind_t { self.basic_clock() } else { None };
        let (mut hour, minute, second) = basic.or_else(|| self.clock())?;
        let fraction = if second.is_some() { self.fraction()? } else { 0 };
        let second = second.unwrap_or(0);
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

    /// `10:30:00`, `10:30`: the second is `None` where it is not written.
    fn clock(&mut self) -> Option<(u32, u32, Option<u32>)> {
        let (hour, minute) = (self.number(1..=2)?, self.colon()?.number(2..=2)?);
        let second = match self.colon() {
            Some(seconds) => Some(seconds.number(2..=2)?),
            None => None,
        };
        Some((hour, minute, second))
    }

    /// `103000`, `1030`.
    fn basic_clock(&mut self) -> Option<(u32, u32, Option<u32>)> {
        let both = |digits: u32| (digits / 100, digits % 100);
        match self.number(6..=6) {
            Some(all) => {
                let (hour, minute) = both(all / 100);
                Some((hour, minute, Some(all % 100)))
            }
            None => self.number(4..=4).map(both).map(|(hour, minute)| (hour, minute, None)),
        }
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

    /// Takes a year of two digits.
    fn short_year(&mut self) -> Option<u32> {
        self.number(2..=2).map(|year| CENTURY + year)
    }

    /// Takes a day of the month, `1er` and `31st` too.
    fn day_of_month(&mut self) -> Option<u32> {
        let day = self.number(1..=2)?;
        let mut behind = *self;
        if behind.word().is_some_and(date_words::is_ordinal) {
            *self = behind;
        }
        Some(day)
    }

    fn digits(&mut self) -> &'a str {
        self.run(|letter| letter.is_ascii_digit())
    }

    /// Takes a word of letters; an accent may be a character of its own.
    fn word(&mut self) -> Option<&'a str> {
        let word = self.run(|letter| letter.is_alphabetic() || matches!(letter, '\u{301}' | '\u{302}'));
        Some(word).filter(|word| !word.is_empty())
    }

    /// Takes the characters of that kind.
    fn run(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let len = self.0.find(|letter| !is_wanted(letter)).unwrap_or(self.0.len());
        let (run, rest) = self.0.split_at(len);
        self.0 = rest;
        run
    }

    fn past_blanks(self) -> Self {
        Self(self.0.trim_start())
    }

    /// The text behind a weekday, right or wrong.
    fn past_weekday(mut self) -> Option<Self> {
        self.word().filter(|word| date_words::is_weekday(word))?;
        Some(self.past_separators())
    }

    fn past_separators(self) -> Self {
        let is_separator = |letter: char| matches!(letter, '-' | '/' | '.' | ',') || letter.is_whitespace();
        Self(self.0.trim_start_matches(is_separator))
    }
}

fn date(year: u32, month: u32, day: u32) -> Option<Day> {
    Day::from_ymd(year as i32, month, day)
}
