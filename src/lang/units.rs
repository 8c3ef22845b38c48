//! Units as names write them, English and French.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::{Kind, Meaning, lexicon};

macro_rules! units {
    ($($unit:ident),+ $(,)?) => {
        /// A dimension of quantities; only values of one dimension are compared.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum Unit { $($unit),+ }

        impl Unit {
            /// Reads the name of a dimension in the lexicon: the name of the variant in lower case.
            fn read(name: &str) -> Option<Self> {
                [$((stringify!($unit), Self::$unit)),+]
                    .into_iter()
                    .find_map(|(known, unit)| known.eq_ignore_ascii_case(name).then_some(unit))
            }
        }
    };
}

units! {
    Mass, Volume, Pieces, Percent, Inch, Prime, Millimetre, Metre, Foot, Memory, Hertz, Megahertz, Watt,
    Volt, Charge, Pixels, Lines, Turns, Dots, Ports, Channels, Users, Ordinal, CubicFoot, Zoom, Sheets,
    Hours, Years, Days, Heat, Bits, Rate, Current, Cups, Lumens, Months, Ohms, Ply, Loads, Potency, Size,
    Stage, Sun, Kinds, VoltAmpere, Joule, InOne, Kelvin, Letter, Nutrient, Set, Sides, Micrograms, Cores,
    Frames, Decibels, Pressure, Air, Gauge, Karats, Servings, Pages, Doses, Bays, Threads, Keys, Speeds,
    Persons, Tiers, Drawers, Strokes, Outlets, Buttons, Yards, Miles,
}

/// Words that begin a unit of two words: "12.6 fl oz", "18 cu. ft.".
pub(crate) const BEFORE_UNITS: [&str; 4] = ["cu", "cubic", "fl", "fluid"];

/// Dimension and size by unit word.
static UNITS: LazyLock<HashMap<&str, (Unit, f64)>> = LazyLock::new(|| {
    let meanings = [Kind::Unit, Kind::Measure].into_iter().flat_map(|kind| lexicon().meanings(kind));
    let sized = meanings.filter_map(|meaning| Some((meaning, size(meaning)?)));
    sized.flat_map(|(meaning, size)| meaning.forms.iter().map(move |form| (&**form, size))).collect()
});

/// Dimension and number of base units of a meaning: `mass 1000`.
fn size(meaning: &Meaning) -> Option<(Unit, f64)> {
    let (dimension, size) = meaning.value.split_once(' ')?;
    Some((Unit::read(dimension)?, size.parse().ok()?))
}

/// Dimension of a unit word, and its size in the base unit.
pub(crate) fn unit_of(word: &str) -> Option<(Unit, f64)> {
    UNITS.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_the_lexicon_has_a_size() {
        for meaning in [Kind::Unit, Kind::Measure].into_iter().flat_map(|kind| lexicon().meanings(kind)) {
            assert!(size(meaning).is_some_and(|(_, size)| size > 0.0), "{meaning:?}");
        }
        assert_eq!(unit_of("onces"), unit_of("oz"));
        assert_eq!(unit_of("douzaine"), Some((Unit::Pieces, 12.0)));
    }
}
