//! Units as names write them, and what they measure.

use std::collections::{HashMap, HashSet};

use super::dimension::Dimension;
use super::pack;

/// Difference of two sizes of one unit, as a share, that comes from rounding.
const SIZE_TOLERANCE: f64 = 1e-9;

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
    pub(crate) use_: Use,
}

/// Where a unit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Anywhere,
    /// Only directly behind its number: `4th`.
    Glued,
    /// A singular noun. The number before it may belong to a product name, so it is not an amount: "850 Evo bar".
    Thing,
    /// The word of an attribute, only in a list of attributes: "(capacity 2000, type SSD)".
    Listed,
}

impl Use {
    fn read(word: Option<&str>) -> Option<Self> {
        match word {
            None => Some(Self::Anywhere),
            Some("glued") => Some(Self::Glued),
            Some("thing") => Some(Self::Thing),
            Some("listed") => Some(Self::Listed),
            Some(_) => None,
        }
    }
}

impl Unit {
    /// Reads a unit of the lexicon. Its value has the dimension, the size in base units, and perhaps where it counts:
    /// `mass 1000`, `ordinal 1 glued`. `None` if the value is wrong, or is not that of the unit of packs with this name.
    pub(crate) fn read(canonical: &str, value: &str) -> Option<Self> {
        let mut words = value.split(' ');
        let (dimension, size, use_) = (words.next()?, words.next()?, Use::read(words.next())?);
        let (dimension, size) = (Dimension::read(dimension)?, size.parse::<f64>().ok()?);
        let sold = Sold::read(canonical);
        let is_expected = match sold {
            Some(Sold::Measure(unit)) => {
                dimension == unit.dimension() && (size / unit.size() - 1.0).abs() < SIZE_TOLERANCE
            }
            Some(_) => dimension == Dimension::Pieces,
            None => true,
        };
        let is_valid = is_expected && size.is_finite() && size > 0.0 && words.next().is_none();
        is_valid.then_some(Self { dimension, size, sold, use_ })
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
    fn every_unit_of_packs_has_a_row() {
        for unit in pack::Unit::ALL.into_iter().filter(|unit| *unit != pack::Unit::Piece) {
            let known = Lexicon::shipped().units.get(unit.as_str()).unwrap();
            assert_eq!(known.sold, Some(Sold::Measure(unit)));
        }
    }

    #[test]
    fn rejects_wrong_values() {
        for (canonical, value) in [
            ("kg", "mass 11500"),
            ("kg", "volume 1000"),
            ("ct", "mass 1"),
            ("cm", "millimetre inf"),
            ("cm", "millimetre 10 gluedd"),
            ("cm", "millimetre 10 glued glued"),
            ("cm", "length 10"),
            ("cm", "millimetre"),
            ("cm", ""),
        ] {
            assert_eq!(Unit::read(canonical, value), None, "{canonical} {value}");
        }
    }
}
