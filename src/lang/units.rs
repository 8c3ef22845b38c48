//! Units as names write them, and what they measure.

use std::collections::{HashMap, HashSet};

use super::dimension::Dimension;
use super::pack;

/// What a unit states of how much is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sold {
    /// An amount by mass or volume.
    Measure(pack::Unit),
    /// A number of pieces.
    Pieces,
    /// A number of pieces, unless it ends a model number.
    Each,
    /// A number of packs of the amount beside it; of pieces where there is none.
    Packs,
}

impl Sold {
    /// Reads the canonical word of a unit.
    fn read(canonical: &str) -> Option<Self> {
        let is_named = |unit: &pack::Unit| unit.as_str().replace(' ', "") == canonical;
        match canonical {
            "ct" => Some(Self::Pieces),
            "each" => Some(Self::Each),
            "pack" => Some(Self::Packs),
            "piece" => None,
            _ => pack::Unit::ALL.into_iter().find(is_named).map(Self::Measure),
        }
    }
}

/// A unit behind a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    pub(crate) dimension: Dimension,
    /// One of it in the base unit of the dimension.
    pub(crate) size: f64,
    /// `None` if it does not state how much is sold.
    pub(crate) sold: Option<Sold>,
    /// Whether it is a unit only directly behind its number: `4th`.
    pub(crate) is_glued: bool,
    /// Whether it names one thing, so that a number before it may be part of a name: "850 Evo bar".
    pub(crate) is_thing: bool,
    /// Whether the word before a number is an attribute only in a list of attributes: "(capacity 2000, type SSD)".
    pub(crate) is_listed: bool,
}

impl Unit {
    /// Reads a unit of the lexicon. Its value has the dimension, the size in base units, and `glued`, `thing` or
    /// `listed`: `mass 1000`.
    pub(crate) fn read(canonical: &str, value: &str) -> Option<Self> {
        let mut value = value.split(' ');
        let (dimension, size, use_) = (value.next()?, value.next()?, value.next());
        Some(Self {
            dimension: Dimension::read(dimension)?,
            size: size.parse().ok().filter(|size| *size > 0.0)?,
            sold: Sold::read(canonical),
            is_glued: use_ == Some("glued"),
            is_thing: use_ == Some("thing"),
            is_listed: use_ == Some("listed"),
        })
    }
}

/// Units by their forms: words, signs, or two words with a blank between them.
#[derive(Debug, Default)]
pub(crate) struct Units {
    by_form: HashMap<Box<str>, Unit>,
    /// First words of the forms of two words: `fl oz`.
    first_words: HashSet<Box<str>>,
}

impl Units {
    /// Adds a form of a unit; false if there is one.
    pub(crate) fn add(&mut self, form: &str, unit: Unit) -> bool {
        self.first_words.extend(form.split_once(' ').map(|(first, _)| first.into()));
        self.by_form.insert(form.into(), unit).is_none()
    }

    /// The unit of a form.
    pub(crate) fn get(&self, form: &str) -> Option<Unit> {
        self.by_form.get(form).copied()
    }

    /// Whether a word begins a unit of two words.
    pub(crate) fn begins(&self, word: &str) -> bool {
        self.first_words.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::lexicon::Lexicon;

    #[test]
    fn units_of_packs_have_the_size_of_the_lexicon() {
        for unit in pack::Unit::ALL.into_iter().filter(|unit| *unit != pack::Unit::Piece) {
            let one = pack::Pack::new(1, 1, 1, unit).unwrap();
            let known = Lexicon::shipped().units.get(unit.as_str()).unwrap();
            assert_eq!(known.sold, Some(Sold::Measure(unit)));
            assert_eq!(known.dimension, unit.dimension());
            assert!((known.size - one.total()).abs() < 1e-9, "{unit:?}");
        }
    }
}
