//! Quantities: the numbers with a unit that a name states, and the pack among them.
//!
//! A name is read once by `read`. A number is compared with the numbers of other names in the base unit of its
//! dimension, so that `1 kg` and `1000 g` are one value. A number that says how much is sold is an *amount*: not a number of
//! a model (`5700G`), an aperture (`f/2.8L`), a memory (`16G`), a rate (`10 L/min`) or a nutrient (`9 g protein`). Amounts
//! make the pack, where the name states one.

mod behind;
mod cursor;
mod letters;
mod number;
mod reader;
mod statements;
#[cfg(test)]
mod tests;

use self::letters::LINES;
use self::reader::Reader;
use super::dimension::Dimension;
use super::lexicon::{Kind, Lexicon};
use super::pack::Pack;

/// Most factors before or behind a quantity, as in `2 x 3 x 400 g`.
const FACTORS_MAX: usize = 3;
/// Most letters before the hyphen of a model number that ends like a measure: `DCS-2230L`.
const SERIES_LETTERS_MAX: usize = 3;

/// A quantity that a query asks for is equal to one that a listing states up to this many percent apart.
const ASKED_TOLERANCE_PCT: u64 = 3;
const MILLIMETRES_PER_INCH: f64 = 25.4;

/// When two values of a dimension are equal.
#[derive(PartialEq, Eq)]
enum Tolerance {
    Exact,
    /// Up to 0.5 % apart: `2.66 GHz` is `2666 MHz`.
    Close,
    /// Up to 2 % apart, as the totals of packs.
    Near,
    /// Near, or one is a whole number that the other rounds to: `13.5 megapixel` is sold as `13`.
    Rounded,
}

/// A number in the base unit of its dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    pub(crate) dimension: Dimension,
    /// Thousandths of the base unit; of two sides, both sides.
    pub(crate) value: u64,
}

/// What a name states.
pub(crate) struct Quantities {
    /// Ascending, each once.
    pub(crate) numbers: Box<[Number]>,
    /// Those that say how much is sold, ascending, each once.
    pub(crate) amounts: Box<[Number]>,
    /// `None` if the name states no pack, or several different ones.
    pub(crate) pack: Option<Pack>,
}

/// Reads the quantities of a name.
pub(crate) fn read(lexicon: &Lexicon, name: &str) -> Quantities {
    let Reader { name, mut found, statements } = Reader::read(lexicon, name);
    // One piece is the default, so it is not compared.
    found.retain(|(number, _)| number.dimension != Dimension::Pieces || number.value > 1000);
    found.sort_unstable();
    let unique = |all: &mut dyn Iterator<Item = Number>| {
        let mut all: Vec<Number> = all.collect();
        all.dedup();
        all.into()
    };
    let amounts = unique(&mut found.iter().filter(|(_, is_amount)| *is_amount).map(|(number, _)| *number));
    Quantities {
        numbers: unique(&mut found.iter().map(|(number, _)| *number)),
        amounts,
        pack: statements::pack(&name, statements),
    }
}

/// The codes of the quantities of a text.
pub fn codes(lexicon: &Lexicon, text: &str) -> Vec<NumberCode> {
    read(lexicon, text).numbers.iter().map(|number| number.code()).collect()
}

/// The code of the quantity of a word, or of a number and the word behind it, if they state one.
pub fn only(lexicon: &Lexicon, text: &str) -> Option<NumberCode> {
    // Without a number, only words such as "dozen" and "pair" state a quantity.
    let may_state =
        text.contains(char::is_numeric) || lexicon.units.get(text).is_some() || lexicon.has(Kind::Set, text);
    if !may_state {
        return None;
    }
    match codes(lexicon, text)[..] {
        [code] => Some(code),
        _ => None,
    }
}

/// The code of the percentage of these digits, if a text states it: "2" of "2 % milk".
pub fn percentage(lexicon: &Lexicon, text: &str, digits: &str) -> Option<NumberCode> {
    let digits = Some(digits).filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))?;
    let value = (digits.parse::<f64>().ok()? * 1000.0).round() as u64;
    let numbers = read(lexicon, text).numbers;
    let is_it = |number: &&Number| number.dimension == Dimension::Percent && number.value == value;
    numbers.iter().find(is_it).map(|number| number.code())
}

/// The pack that a name states. `None` if it states no pack, or several different ones.
pub fn pack(lexicon: &Lexicon, name: &str) -> Option<Pack> {
    if !name.contains(char::is_numeric) {
        return None;
    }
    let Reader { name, statements, .. } = Reader::read(lexicon, name);
    statements::pack(&name, statements)
}

impl Dimension {
    fn tolerance(self) -> Tolerance {
        match self {
            Self::Mass | Self::Volume => Tolerance::Near,
            Self::Megahertz => Tolerance::Close,
            Self::Inch | Self::Prime | Self::Pixels | Self::CubicFoot | Self::Charge | Self::Millimetre => {
                Tolerance::Rounded
            }
            _ => Tolerance::Exact,
        }
    }
}

/// The quantities of a dimension that a listing states, compared with one that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stated {
    /// An equal quantity, within 3 %.
    Equal,
    /// No quantity of the dimension.
    Nothing,
    /// Other quantities of the dimension.
    Other,
}

/// A number in 64 bits: the dimension in the highest 8 bits, and the value. Lengths are in millimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberCode(u64);

impl NumberCode {
    const VALUE_BITS: u32 = 56;

    /// The code as stored.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Compares the number with the codes of a listing.
    pub fn stated(self, all: impl Iterator<Item = u64>) -> Stated {
        let dimension = self.0 >> Self::VALUE_BITS;
        // Two sides are packed into one value.
        let tolerance_pct = if dimension == Dimension::Sides as u64 { 0 } else { ASKED_TOLERANCE_PCT };
        let value = |code: u64| code & ((1 << Self::VALUE_BITS) - 1);
        let same = all.filter(|code| code >> Self::VALUE_BITS == dimension).map(value);
        same.fold(Stated::Nothing, |stated, other| {
            let (small, large) = (value(self.0).min(other), value(self.0).max(other));
            let is_equal = stated == Stated::Equal || large * 100 <= small * (100 + tolerance_pct);
            if is_equal { Stated::Equal } else { Stated::Other }
        })
    }
}

impl Number {
    /// The number in 64 bits.
    pub(crate) fn code(self) -> NumberCode {
        let (dimension, per_unit) = match self.dimension {
            Dimension::Inch => (Dimension::Millimetre, MILLIMETRES_PER_INCH),
            Dimension::Foot => (Dimension::Millimetre, 12.0 * MILLIMETRES_PER_INCH),
            Dimension::Yards => (Dimension::Millimetre, 36.0 * MILLIMETRES_PER_INCH),
            Dimension::Metre => (Dimension::Millimetre, 1000.0),
            dimension => (dimension, 1.0),
        };
        let value = (self.value as f64 * per_unit).round() as u64;
        NumberCode(
            (dimension as u64) << NumberCode::VALUE_BITS | value.min((1 << NumberCode::VALUE_BITS) - 1),
        )
    }

    /// Whether it is a mass or a volume.
    pub(crate) fn is_measured(&self) -> bool {
        matches!(self.dimension, Dimension::Mass | Dimension::Volume)
    }

    fn equals(self, other: Self) -> bool {
        let (small, large) = (self.value.min(other.value), self.value.max(other.value));
        let is_near = large * 100 <= small * 102;
        let is_whole = small.is_multiple_of(1000) || large.is_multiple_of(1000);
        match self.dimension.tolerance() {
            Tolerance::Exact => small == large,
            Tolerance::Close => large * 1000 <= small * 1005,
            Tolerance::Near => is_near,
            Tolerance::Rounded => is_near || (is_whole && large - small < 1000),
        }
    }
}

/// The values of each dimension that both state.
fn of_one_dimension<'a>(
    a: &'a [Number],
    b: &'a [Number],
) -> impl Iterator<Item = (&'a [Number], &'a [Number])> {
    let by_dimension = |all: &'a [Number]| all.chunk_by(|x, y| x.dimension == y.dimension);
    by_dimension(a).filter_map(move |mine| {
        by_dimension(b).find(|theirs| theirs[0].dimension == mine[0].dimension).map(|theirs| (mine, theirs))
    })
}

/// Whether two have a value in common.
fn meet(mine: &[Number], theirs: &[Number]) -> bool {
    mine.iter().any(|x| theirs.iter().any(|y| x.equals(*y)))
}

/// Whether each states a value that the other does not.
fn differ(mine: &[Number], theirs: &[Number]) -> bool {
    let lacks = |all: &[Number], x: &Number| !all.iter().any(|y| y.equals(*x));
    mine.iter().any(|x| lacks(theirs, x)) && theirs.iter().any(|x| lacks(mine, x))
}

/// The number of dimensions in which both state values, and of those in which they have none in common. Sizes of clothing
/// are left out: some shops list one shoe in all sizes, some in one.
pub(crate) fn compare(a: &[Number], b: &[Number]) -> (u32, u32) {
    of_one_dimension(a, b)
        .filter(|(mine, _)| mine[0].dimension != Dimension::Size)
        .fold((0, 0), |(both, apart), (mine, theirs)| (both + 1, apart + u32::from(!meet(mine, theirs))))
}

/// Whether two contradict each other in a dimension that both state: they have no value in common, or, of capacities, each
/// has one of its own. One product has several of these (`8 GB`, `256 GB`), and all count.
pub(crate) fn contradict(a: &[Number], b: &[Number]) -> bool {
    of_one_dimension(a, b).any(|(mine, theirs)| match mine[0].dimension {
        Dimension::Memory => differ(mine, theirs),
        _ => !meet(mine, theirs),
    })
}

/// Whether in some dimension that both state each states a value that the other does not.
pub(crate) fn stand_apart(a: &[Number], b: &[Number]) -> bool {
    of_one_dimension(a, b).any(|(mine, theirs)| differ(mine, theirs))
}

/// Whether both state one of these amounts and contradict each other in none. Where both state a mass or a volume, pieces
/// in common are not enough: `8 x 93 mL` is not `8 x 100 g`.
pub(crate) fn share_an_amount(a: &[Number], b: &[Number]) -> bool {
    let (both, apart) = compare(a, b);
    let share_a_measure = of_one_dimension(a, b).any(|(mine, _)| mine[0].is_measured());
    let is_counted = |side: &[Number]| !side.iter().any(Number::is_measured);
    both > 0 && apart == 0 && (share_a_measure || is_counted(a) || is_counted(b))
}

/// Whether both state how much of a nutrient a serving contains, and one amount of it.
pub(crate) fn share_a_nutrient(a: &[Number], b: &[Number]) -> bool {
    of_one_dimension(a, b)
        .any(|(mine, theirs)| mine[0].dimension == Dimension::Nutrient && meet(mine, theirs))
}

/// Whether a number of pieces greater than one is stated.
pub(crate) fn says_pieces(numbers: &[Number]) -> bool {
    numbers.iter().any(|number| number.dimension == Dimension::Pieces)
}

/// Whether a run of letters and digits is a number with its unit, or dimensions.
pub(crate) fn is_measure(lexicon: &Lexicon, run: &str) -> bool {
    let in_one = run.strip_suffix("in1").or(run.strip_suffix("n1"));
    if in_one.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())) {
        return true;
    }
    let (mut rest, mut at_volts) = (run, false);
    loop {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if digits.len() == rest.len() {
            return false;
        }
        let number = &rest[..rest.len() - digits.len()];
        let letters = digits.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let word = &digits[..digits.len() - letters.len()];
        if letters.is_empty() {
            let dimension = word.is_empty() && rest.len() < run.len() && !at_volts;
            return dimension
                || matches!(word, "k" | "d")
                || at_volts && matches!(word, "a" | "ma")
                || word == "i" && LINES.contains(&number)
                || lexicon.units.get(word).is_some();
        }
        // `12V7Ah`, `4K60`, `1080p60`
        at_volts = matches!(word, "v" | "volt");
        let of_pictures = word == "k" && number.len() == 1 || word == "p" && LINES.contains(&number);
        let times =
            word == "x" || word.strip_suffix('x').is_some_and(|unit| lexicon.units.get(unit).is_some());
        if !(times || at_volts || of_pictures) {
            return false;
        }
        rest = letters;
    }
}

/// Whether a run may be the prefix of a model number (`DCS-2230L`) or of an aperture (`f/4L`): at most three letters.
pub(crate) fn is_series(run: &[u8]) -> bool {
    run.len() <= SERIES_LETTERS_MAX && run.iter().all(u8::is_ascii_alphabetic)
}
