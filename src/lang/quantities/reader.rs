//! Reads the quantities of a name, from its beginning to its end.

use super::cursor::Cursor;
use super::letters::letter_size;
use super::number::Printed;
use super::statements::Statement;
use super::{FACTORS_MAX, Number, is_series};
use crate::lang::dimension::Dimension;
use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::text::{fold_term, is_hebrew};
use crate::lang::units::{Sold, Unit, Use};

/// Quantities below this are compared, in base units.
const QUANTITY_MAX: f64 = 1e10;
/// Most pieces before a slash and the amount of one: `6/355 ml`.
const SLASHED_PIECES_MAX: f64 = 48.0;
/// Least amount behind the slash: less is a fraction.
const SLASHED_AMOUNT_MIN: f64 = 17.0;
/// A word whose number counts nothing: "omega 3 eggs".
const OMEGA: &str = "omega";

/// A name and what was read of it.
pub(super) struct Reader<'a> {
    pub(super) name: Cursor<'a>,
    /// Numbers, and whether they say how much is sold.
    pub(super) found: Vec<(Number, bool)>,
    pub(super) statements: Vec<Statement>,
}

impl<'a> Reader<'a> {
    /// Reads a name.
    pub(super) fn read(lexicon: &'a Lexicon, name: &'a str) -> Self {
        let mut reader = Self { name: Cursor::new(lexicon, name), found: Vec::new(), statements: Vec::new() };
        let mut at = 0;
        while at < reader.name.text.len() {
            at = reader.step(at);
        }
        if let Some(value) = reader.name.last_letters() {
            reader.push(Dimension::Letter, value, false);
        }
        reader
    }

    /// Adds a number for comparison.
    pub(super) fn push(&mut self, dimension: Dimension, value: f64, is_amount: bool) {
        if value < QUANTITY_MAX {
            self.found.push((Number { dimension, value: (value * 1000.0).round() as u64 }, is_amount));
        }
    }

    /// Reads what begins at `at`.
    fn step(&mut self, at: usize) -> usize {
        let Some(c) = self.name.next_char(at) else { return self.name.text.len() };
        if c.is_alphabetic() {
            return self.word(at);
        }
        if c == '#' {
            self.behind_attribute(Dimension::Size, 1.0, at + 1);
        }
        let is_point = c == '.'
            && self.name.is_digit(at + 1)
            && !self.name.before(at).is_some_and(|c| c.is_alphanumeric() || c == '.');
        if !c.is_ascii_digit() && !is_point {
            return at + c.len_utf8();
        }
        self.quantity(at)
    }

    /// Reads what begins with the number at `at`.
    fn quantity(&mut self, at: usize) -> usize {
        let mut number = self.name.number(at);
        if let Some(end) = self.slashed(number) {
            return end;
        }
        if let Some((dimension, value, end)) = self.name.special(number.value(), number.end) {
            self.push(dimension, value, false);
            return end;
        }
        let mut factors: Vec<Printed> = Vec::new();
        while let Some(next) = self.next_factor(at, number).filter(|_| factors.len() < FACTORS_MAX) {
            factors.push(number);
            number = self.name.number(next);
        }
        if let [first] = factors[..] {
            let sides = self.name.sides(first.value(), number.value(), number.end);
            self.found.extend(sides.map(|sides| (sides, false)));
        }
        let Some((unit, end)) = self.name.unit(number.end) else {
            if self.name.text[at..number.end].contains('-') {
                // `5-1/4`: only inches are written in eighths.
                self.push(Dimension::Inch, number.value(), false);
            }
            return self.name.alphanumerics(number.end);
        };
        if unit.sold.is_none() && self.name.text[..at].trim_end_matches([' ', '-']).ends_with(OMEGA) {
            return self.name.alphanumerics(number.end);
        }
        if factors.is_empty() && self.name.is_network(number, end) {
            self.push(Dimension::Ordinal, number.value(), false);
            return end;
        }
        let behind = self.name.factors_behind(end);
        let last_end = self.statements.last().map_or(0, |statement| statement.end);
        let statement = self.name.statement(at, &factors, number, (unit, end), behind, last_end);
        self.take(unit, number.value(), statement.is_some(), end);
        let times =
            factors.iter().map(|factor| factor.value()).chain(behind.map(|(count, _)| f64::from(count)));
        for factor in times {
            match unit.dimension {
                Dimension::Mass | Dimension::Volume | Dimension::Pieces => {
                    self.push(Dimension::Pieces, factor, true);
                }
                Dimension::Inch
                | Dimension::Prime
                | Dimension::Millimetre
                | Dimension::Foot
                | Dimension::Metre => {
                    self.push(unit.dimension, factor * unit.size, false);
                }
                _ => {}
            }
        }
        self.statements.extend(statement);
        behind.filter(|_| unit.sold.is_some()).map_or(end, |(_, end)| end)
    }

    /// The number behind a factor and a multiplication sign: `4 x 100 g`, `25 bags x 2 g`. `at` is where the quantity begins.
    fn next_factor(&self, at: usize, factor: Printed) -> Option<usize> {
        if let Some(next) = self.name.times(self.name.mark(at, factor.end)) {
            return Some(next);
        }
        let (pieces, end) =
            self.name.unit(factor.end).filter(|(unit, _)| unit.dimension == Dimension::Pieces)?;
        let next = self.name.times(end).filter(|_| pieces.size < 2.0)?;
        let (of, _) = self.name.unit(self.name.number(next).end)?;
        matches!(of.dimension, Dimension::Mass | Dimension::Volume).then_some(next)
    }

    /// Adds a number with its unit, which ends at `end`. `is_stated`: a statement of what is sold has it.
    fn take(&mut self, unit: Unit, number: f64, is_stated: bool, end: usize) {
        let is_amount = is_stated
            || unit.dimension == Dimension::Pieces && unit.use_ != Use::Thing && number.fract() <= 0.0;
        self.push(unit.dimension, number * unit.size, is_amount);
        if unit.dimension == Dimension::Mass && self.name.is_nutrient(end) {
            self.push(Dimension::Nutrient, number * unit.size, false);
        }
    }

    /// Reads what begins with the letter at `at`.
    fn word(&mut self, at: usize) -> usize {
        let end = self.name.letters(at);
        self.pieces_of(at, end);
        if let Some(end) = self.attribute(at) {
            return end;
        }
        let set = self.name.lexicon.value(Kind::Set, &self.name.text[at..end]);
        if let Some(count) = set.and_then(|count| count.parse().ok()) {
            self.push(Dimension::Set, count, false);
        }
        // Letters take the digits that follow them, and few letters those behind their hyphen: a model number states
        // no measure. Model numbers are not written in Hebrew, where a prefix is glued to its number.
        if self.name.before(end).is_some_and(is_hebrew) {
            return end;
        }
        let mut run = self.name.alphanumerics(end);
        if is_series(&self.name.text.as_bytes()[at..run])
            && matches!(self.name.byte(run), b'-' | b'/')
            && !self.name.begins_statement(run + 1)
        {
            run = self.name.alphanumerics(run + 1);
        }
        // `f/1.8G`, `v2.0L`
        while self.name.byte(run - 1).is_ascii_digit()
            && self.name.byte(run) == b'.'
            && self.name.is_digit(run + 1)
        {
            run = self.name.alphanumerics(run + 1);
        }
        run
    }

    /// `6/355 ml`: so many pieces of so much.
    fn slashed(&mut self, pieces: Printed) -> Option<usize> {
        let slash = pieces.end;
        if self.name.byte(slash) != b'/'
            || !self.name.is_digit(slash + 1)
            || pieces.value() > SLASHED_PIECES_MAX
        {
            return None;
        }
        let amount = self.name.number(slash + 1);
        let (unit, end) = self.name.unit(amount.end)?;
        if amount.value() < SLASHED_AMOUNT_MIN
            || !matches!(unit.dimension, Dimension::Mass | Dimension::Volume)
        {
            return None;
        }
        self.push(Dimension::Pieces, pieces.value(), true);
        self.push(unit.dimension, amount.value() * unit.size, true);
        Some(end)
    }

    /// Reads a word that says what the number behind it measures, and this number: `size 4`, `screen_size 27`. Returns the
    /// end of the word; the number is read again, and has no unit.
    fn attribute(&mut self, at: usize) -> Option<usize> {
        let end = self.name.words_with_underscores(at);
        let unit = self.name.lexicon.attributes.get(&self.name.text[at..end])?;
        let is_listed = self.name.text[..at].trim_end_matches(' ').ends_with(['(', ',']);
        if is_listed || unit.use_ != Use::Listed {
            self.behind_attribute(unit.dimension, unit.size, self.name.blanks(end));
        }
        Some(end)
    }

    /// Reads a number without a unit, several numbers that are multiplied, `[2, 16]`, or a size in letters.
    fn behind_attribute(&mut self, dimension: Dimension, size: f64, at: usize) {
        if self.name.byte(at) == b'[' {
            let (mut product, mut end) = (size, at);
            while self.name.is_digit(self.name.blanks(end + 1)) {
                let number = self.name.number(self.name.blanks(end + 1));
                (product, end) = (product * number.value(), number.end);
            }
            if end > at && self.name.byte(end) == b']' {
                self.push(dimension, product, false);
            }
        } else if self.name.is_digit(at) {
            let number = self.name.number(at);
            let special = self.name.special(number.value(), number.end);
            if self.name.unit(number.end).is_none() && special.is_none() {
                self.push(dimension, number.value() * size, false);
            }
        } else if dimension == Dimension::Size
            && let Some(value) = letter_size(&self.name.text[at..self.name.letters(at)])
        {
            self.push(Dimension::Letter, value, false);
        }
    }

    /// Reads a number of pieces that begins with a word: `pack of 2`, `dozen`, `half dozen`.
    fn pieces_of(&mut self, at: usize, end: usize) {
        let word = &self.name.text[at..end];
        let unit = self.name.lexicon.units.get(word);
        if let Some(unit) = unit.filter(|unit| unit.dimension == Dimension::Pieces && unit.size > 1.0) {
            let is_half = self.name.text[..at].trim_ascii_end().ends_with("half");
            return self.push(Dimension::Pieces, unit.size / if is_half { 2.0 } else { 1.0 }, true);
        }
        let is_pack = unit.is_some_and(|unit| unit.sold == Some(Sold::Packs));
        if !is_pack && !self.name.lexicon.has(Kind::Container, &fold_term(word)) {
            return;
        }
        let of = self.name.blanks(end + usize::from(self.name.byte(end) == b'.'));
        let of_end = self.name.letters(of);
        let next = self.name.blanks(of_end);
        if !self.name.lexicon.has(Kind::Of, &self.name.text[of..of_end]) || !self.name.is_digit(next) {
            return;
        }
        let number = self.name.number(next);
        if self.name.unit(number.end).is_some_and(|(unit, _)| unit.sold.is_some()) {
            return;
        }
        self.push(Dimension::Pieces, number.value(), true);
        if is_pack && !self.name.is_glued(number.end) && self.next_factor(next, number).is_none() {
            self.statements.extend(Statement::packs(number, at));
        }
    }
}
