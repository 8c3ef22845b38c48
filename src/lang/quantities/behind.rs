//! What stands behind a number: a unit, and multiplication signs.

use super::FACTORS_MAX;
use super::cursor::Cursor;
use crate::lang::dimension::Dimension;
use crate::lang::units::{Unit, Use};

/// Units that are words before a number: "4 in 1", "ages 3 to 5".
const BETWEEN: [&str; 2] = ["in", "to"];

/// A unit behind a number, and where it ends.
pub(super) type UnitAt = (Unit, usize);

impl Cursor<'_> {
    /// The number behind a multiplication sign. An asterisk directly behind a word and before a blank marks a footnote:
    /// `500 ml* 2 servings`.
    pub(super) fn times(&self, at: usize) -> Option<usize> {
        let sign = self.blanks(at);
        let is_sign = match self.byte(sign) {
            b'x' => true,
            b'*' => sign > at || self.byte(sign + 1) != b' ',
            _ => false,
        };
        let next = self.blanks(sign + 1);
        let is_number = self.is_digit(next) || self.byte(next) == b'.' && self.is_digit(next + 1);
        (is_sign && is_number).then_some(next)
    }

    /// How often a quantity is packed, as in `150gx2`, and where this ends; `None` if the last number has a unit, so that
    /// the sign belongs to it.
    pub(super) fn factors_behind(&self, at: usize) -> Option<(u32, usize)> {
        let (mut count, mut end) = (1_u32, at);
        for _ in 0..FACTORS_MAX {
            let Some(next) = self.times(end) else { break };
            let number = self.number(next);
            if self.unit(number.end).is_some() || self.is_glued(number.end) {
                return None;
            }
            count = count.checked_mul(number.whole()?)?;
            end = number.end;
        }
        (end > at).then_some((count, end))
    }

    /// The unit behind a number that ends at `at`.
    pub(super) fn unit(&self, at: usize) -> Option<UnitAt> {
        let from = if matches!(self.byte(at), b'-' | b'/') { at + 1 } else { self.blanks(at) };
        if let Some(end) = self.sign(at, from) {
            return self.lexicon.units.get(&self.text[from..end]).map(|unit| (unit, end));
        }
        let end = self.letters(from);
        let word = &self.text[from..end];
        if self.is_digit(end) {
            // `100gx4`
            let unit = word.strip_suffix('x').and_then(|unit| self.lexicon.units.get(unit))?;
            return Some((unit, end - 1));
        }
        if let Some(unit) = self.unit_of_two_words(from, end) {
            return Some(unit);
        }
        if let Some(unit) = self.lexicon.units.get(word) {
            let is_between = BETWEEN.contains(&word) && self.is_between(word, self.blanks(end));
            return (!is_between && (unit.use_ != Use::Glued || from == at)).then_some((unit, end));
        }
        // "20 tea bags"
        let next = self.blanks(end);
        let to = self.letters(next);
        let unit = self
            .lexicon
            .units
            .get(&self.text[next..to])
            .filter(|unit| unit.dimension == Dimension::Pieces && next > end);
        unit.map(|unit| (Unit { sold: None, ..unit }, to))
    }

    /// Whether a word before the number at `at` is not a unit: "4 in 1", "3 to 5 years". "15.6 in 16 GB" are inches.
    fn is_between(&self, word: &str, at: usize) -> bool {
        if !self.is_digit(at) || word != "in" {
            return self.is_digit(at);
        }
        let from = self.blanks(self.number(at).end);
        let behind = &self.text[from..self.letters(from)];
        BETWEEN.contains(&behind) || self.lexicon.units.get(behind).is_none()
    }

    /// The end of a sign that is a unit: `%`, `"`, `'`, `''`, `'s`.
    fn sign(&self, at: usize, from: usize) -> Option<usize> {
        match self.byte(from) {
            b'%' | b'"' => Some(from + 1),
            b'\'' if from == at => {
                let is_long =
                    self.byte(at + 1) == b'\'' || self.byte(at + 1) == b's' && !self.is_glued(at + 2);
                Some(at + 1 + usize::from(is_long))
            }
            _ => None,
        }
    }

    /// The unit of two words, the first of which lies between two places: `fl. oz`, `gb/s`.
    fn unit_of_two_words(&self, from: usize, end: usize) -> Option<UnitAt> {
        let word = &self.text[from..end];
        if !self.lexicon.units.begins(word) {
            return None;
        }
        let next = match self.byte(end) {
            b'/' => end + 1,
            b'.' => self.blanks(end + 1),
            _ => self.blanks(end),
        };
        let to = self.letters(next);
        let unit = self.lexicon.units.get(&format!("{word} {}", &self.text[next..to]))?;
        (!self.is_glued(to)).then_some((unit, to))
    }
}
