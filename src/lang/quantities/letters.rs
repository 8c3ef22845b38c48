//! Numbers that no unit word alone makes: `5x7`, `2700K`, `14K gold`, `4-in-1`, sizes in letters.

use super::Number;
use super::cursor::Cursor;
use crate::lang::dimension::Dimension;
use crate::lang::lexicon::Kind;

/// Numbers of lines of pictures.
pub(super) const LINES: [&str; 6] = ["480", "576", "720", "1080", "1440", "2160"];
/// Temperatures of light, and shares of gold.
const KELVIN: std::ops::RangeInclusive<f64> = 1_500.0..=12_000.0;
const KARATS: [f64; 7] = [8.0, 9.0, 10.0, 14.0, 18.0, 22.0, 24.0];
const GOLD_COLOURS_MAX: usize = 2;
/// Sizes in letters, by their place; `2XL` stands two behind `LARGEST`.
const LETTERS: [(&str, f64); 8] =
    [("xxs", 1.0), ("xs", 2.0), ("s", 3.0), ("m", 4.0), ("l", 5.0), ("xl", 6.0), ("xxl", 7.0), ("xxxl", 8.0)];
const LARGEST: f64 = 5.0;
/// Upper bound of a side, so that two sides fit one number.
const SIDE_MAX: f64 = 16_000.0;
const SIDE_SHARE: u64 = 16_000_000;

/// The place of a size in letters among them.
pub(super) fn letter_size(letters: &str) -> Option<f64> {
    LETTERS.iter().find(|(size, _)| *size == letters).map(|(_, place)| *place)
}

impl Cursor<'_> {
    /// Past a mark of inches or feet before a multiplication sign, `5"x7"`; not of inches behind feet, `5'3" x 7'7"`.
    pub(super) fn mark(&self, at: usize, end: usize) -> usize {
        let is_marked = matches!(self.byte(end), b'"' | b'\'') && self.times(end + 1).is_some();
        end + usize::from(is_marked && !self.text[..at].ends_with('\''))
    }

    /// Two sides in inches, in feet, or without a unit: `5 x 7`.
    pub(super) fn sides(&self, first: f64, second: f64, end: usize) -> Option<Number> {
        let is_whole = match self.unit(end) {
            Some((unit, after)) => {
                matches!(unit.dimension, Dimension::Inch | Dimension::Foot | Dimension::Prime)
                    && !self.is_digit(after)
            }
            None => !self.byte(end).is_ascii_alphanumeric() && self.times(end).is_none(),
        };
        let (short, long) = (first.min(second), first.max(second));
        let value = (short * 1000.0) as u64 * SIDE_SHARE + (long * 1000.0) as u64;
        (is_whole && long < SIDE_MAX).then_some(Number { dimension: Dimension::Sides, value })
    }

    /// A number that a unit measures at some values only, or several words behind it: its dimension, its value, and the
    /// place after it.
    pub(super) fn special(&self, number: f64, end: usize) -> Option<(Dimension, f64, usize)> {
        let from = if self.byte(end) == b'-' { end + 1 } else { self.blanks(end) };
        let to = self.letters(from);
        let is_glued = from == end;
        Some(match &self.text[from..to] {
            "k" if KELVIN.contains(&number) && !self.goes_on(to) => (Dimension::Kelvin, number, to),
            "k" if KARATS.contains(&number) && self.is_of_gold(to) => (Dimension::Karats, number, to),
            "i" if is_glued && LINES.iter().any(|lines| self.text[..end].ends_with(lines)) => {
                (Dimension::Lines, number, to)
            }
            "xl" if is_glued && (2.0..=9.0).contains(&number) && !self.goes_on(to) => {
                (Dimension::Letter, LARGEST + number, to)
            }
            "in" | "n" | "en" => {
                let one = if self.byte(to) == b'-' { to + 1 } else { self.blanks(to) };
                let is_one = self.byte(one) == b'1'
                    && !self.byte(one + 1).is_ascii_alphanumeric()
                    && self.byte(one + 1) != b'/'
                    && self.byte(one + 1) != b'.';
                // "27 in 1 TB" is 27 inches.
                let is_measure = || {
                    let unit = self.unit(one + 1);
                    unit.is_some_and(|(unit, _)| unit.dimension != Dimension::Pieces || unit.sold.is_some())
                };
                (is_one && !is_measure()).then_some((Dimension::InOne, number, one + 1))?
            }
            _ => return None,
        })
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
            self.lexicon.canonical(Kind::Colour, &self.text[from..at]) == Some("gold")
        })
    }

    /// A size in letters, alone behind a comma, bracket or dash at the end: `Tee, M`.
    pub(super) fn last_letters(&self) -> Option<f64> {
        let text = self.text.trim_ascii_end();
        let text = text.strip_suffix(')').unwrap_or(text);
        let before_letters = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let before = before_letters.trim_ascii_end();
        let is_alone = before.ends_with(',')
            || before.ends_with(" -")
            || before.ends_with('(') && before.len() == before_letters.len();
        letter_size(&text[before_letters.len()..]).filter(|_| is_alone)
    }
}
