//! Numbers that no unit word alone makes: `5x7`, `2700K`, `14K gold`, `4-in-1`, sizes in letters.

use super::super::units::Unit;
use super::{LINES, Number, Reader};

/// Temperatures of light, and shares of gold.
const KELVIN: std::ops::RangeInclusive<f64> = 1_500.0..=12_000.0;
const KARATS: [f64; 7] = [8.0, 9.0, 10.0, 14.0, 18.0, 22.0, 24.0];
const GOLD_COLOURS_MAX: usize = 2;
/// Sizes in letters, by their place; `2XL` stands two behind `LARGEST`.
const LETTERS: [(&str, f64); 8] =
    [("xxs", 1.0), ("xs", 2.0), ("s", 3.0), ("m", 4.0), ("l", 5.0), ("xl", 6.0), ("xxl", 7.0), ("xxxl", 8.0)];
const LARGEST: f64 = 5.0;
/// A side is shorter than this, so that two make one number.
const SIDE_MAX: f64 = 16_000.0;
const SIDE_SHARE: u64 = 16_000_000;

/// The place of a size in letters among them.
pub(crate) fn letter_size(letters: &[u8]) -> Option<f64> {
    LETTERS.iter().find(|(size, _)| size.as_bytes() == letters).map(|(_, place)| *place)
}

impl Reader<'_> {
    /// Past a mark of inches or feet before a multiplication sign, `5"x7"`; not of inches behind feet, `5'3" x 7'7"`.
    pub(crate) fn mark(&self, at: usize, end: usize) -> usize {
        let is_marked = matches!(self.byte(end), b'"' | b'\'') && self.times(end + 1).is_some();
        end + usize::from(is_marked && !self.text[..at].ends_with(b"'"))
    }

    /// Two sides in inches, in feet, or without a unit: `5 x 7`.
    pub(crate) fn sides(&mut self, first: f64, second: f64, end: usize) {
        let is_whole = match self.unit(end) {
            Some((Unit::Inch | Unit::Foot | Unit::Prime, _, after)) => !self.byte(after).is_ascii_digit(),
            Some(_) => false,
            None => !self.byte(end).is_ascii_alphanumeric() && self.times(end).is_none(),
        };
        let (short, long) = (first.min(second), first.max(second));
        if is_whole && long < SIDE_MAX {
            let value = (short * 1000.0) as u64 * SIDE_SHARE + (long * 1000.0) as u64;
            self.found.push(Number { unit: Unit::Sides, value });
        }
    }

    /// Numbers that a unit measures at some values only, or several words behind them, and the place after them.
    pub(crate) fn special(&mut self, number: f64, end: usize) -> Option<usize> {
        let from = if self.byte(end) == b'-' { end + 1 } else { self.blanks(end) };
        let to = self.letters(from);
        let is_glued = from == end;
        let (unit, value, to) = match &self.text[from..to] {
            b"k" | b"kelvin" | b"kelvins" if KELVIN.contains(&number) && !self.goes_on(to) => {
                (Unit::Kelvin, number, to)
            }
            b"k" if KARATS.contains(&number) && self.is_of_gold(to) => (Unit::Karats, number, to),
            b"i" if is_glued && LINES.iter().any(|lines| self.text[..end].ends_with(lines.as_bytes())) => {
                (Unit::Lines, number, to)
            }
            b"xl" if is_glued && (2.0..=9.0).contains(&number) && !self.goes_on(to) => {
                (Unit::Letter, LARGEST + number, to)
            }
            b"in" | b"n" | b"en" => {
                let one = if self.byte(to) == b'-' { to + 1 } else { self.blanks(to) };
                let is_one = self.byte(one) == b'1'
                    && !self.byte(one + 1).is_ascii_alphanumeric()
                    && self.byte(one + 1) != b'/'
                    && self.byte(one + 1) != b'.';
                // "27 in 1 TB" is no thing of 27 in one.
                let is_measure = self.unit(one + 1).is_some_and(|(unit, ..)| unit != Unit::Pieces);
                (is_one && !is_measure).then_some((Unit::InOne, number, one + 1))?
            }
            _ => return None,
        };
        self.push(unit, value);
        Some(to)
    }

    /// Whether a word goes on behind its letters: `K-cups`.
    fn goes_on(&self, at: usize) -> bool {
        let byte = self.byte(at);
        byte.is_ascii_alphanumeric() || byte == b'-' && self.byte(at + 1).is_ascii_alphanumeric()
    }

    /// Whether gold is named behind a number of karats, perhaps with its colour.
    fn is_of_gold(&self, at: usize) -> bool {
        let mut at = at;
        (0..=GOLD_COLOURS_MAX).any(|_| {
            let from = if self.byte(at) == b'-' { at + 1 } else { self.blanks(at) };
            at = self.letters(from);
            matches!(&self.text[from..at], b"gold" | b"or")
        })
    }

    /// A size in letters, alone behind a comma, bracket or dash at the end: `Tee, M`.
    pub(crate) fn last_letters(&mut self) {
        let text = self.text.trim_ascii_end();
        let text = text.strip_suffix(b")").unwrap_or(text);
        let from = text.len() - text.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let before = text[..from].trim_ascii_end();
        let is_alone = before.ends_with(b",")
            || before.ends_with(b" -")
            || before.ends_with(b"(") && before.len() == from;
        if is_alone && let Some(value) = letter_size(&text[from..]) {
            self.push(Unit::Letter, value);
        }
    }
}
