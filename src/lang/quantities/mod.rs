//! Numbers with a unit: sizes, capacities, counts, percentages.
//!
//! Values are whole thousandths of a base unit, so that `1 kg` and `1000 g` are one value. Two listings contradict each
//! other in a unit where both state values and none of one is one of the other.

mod letters;

use self::letters::letter_size;
use super::units::{BEFORE_UNITS, Unit, unit_of};

/// How two values of a unit are the same.
#[derive(PartialEq, Eq)]
enum Same {
    Exactly,
    /// Up to 0.5 % apart: `2.66 GHz` is `2666 MHz`.
    Closely,
    /// Up to 2 % apart, as the totals of packs.
    Nearly,
    /// Nearly, or one is a whole number that the other rounds to: `13.5 megapixel` is sold as `13`.
    Rounded,
}

/// A number and its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    pub(crate) unit: Unit,
    /// Thousandths of the base unit.
    pub(crate) value: u64,
}

/// Unit letters that count only right behind their number.
const GLUED_ONLY: [&str; 6] = ["nd", "p", "rd", "st", "th", "x"];
/// Numbers of lines of pictures.
const LINES: [&str; 6] = ["480", "576", "720", "1080", "1440", "2160"];
/// Generations of mobile networks that are written like a mass.
const NETWORKS: std::ops::RangeInclusive<u64> = 2..=5;
/// Units that are none before a number: "4 in 1", "ages 3 to 5".
const BETWEEN: [&str; 2] = ["in", "to"];
/// Words before `of` and a number of pieces.
const PACKS: [&str; 17] = [
    "pack",
    "packs",
    "package",
    "pkg",
    "set",
    "box",
    "case",
    "lot",
    "paquet",
    "paq",
    "emballage",
    "emb",
    "pqt",
    "sac",
    "boite",
    "caisse",
    "ensemble",
];
/// Words before a number that has no unit behind it, and what it measures.
const MEASURES: [(&str, Unit); 6] = [
    ("size", Unit::Size),
    ("taille", Unit::Size),
    ("stage", Unit::Stage),
    ("etape", Unit::Stage),
    ("spf", Unit::Sun),
    ("fps", Unit::Sun),
];
/// Units of what is sold that mean nothing else, and that the reader of packs does not know.
const AMOUNTS: [&str; 12] =
    ["gm", "gr", "gramme", "grammes", "grs", "kilo", "kilos", "livre", "livres", "ltr", "once", "onces"];
/// What a food holds of something, rather than how much of the food there is: `9 g protein`.
const NUTRIENTS: [&str; 12] = [
    "carbs",
    "fat",
    "fiber",
    "fibre",
    "fibres",
    "gras",
    "protein",
    "proteine",
    "proteines",
    "sucre",
    "sugar",
    "sugars",
];
/// One thing: "850 Evo bar", "335 camera bag", "6-bottle cooler".
const SINGULARS: [&str; 10] =
    ["bag", "bar", "barre", "bottle", "bouteille", "can", "canette", "egg", "oeuf", "slice"];
/// Most pieces before a slash and the amount of one: `6/355 ml`.
const SLASHED_PIECES_MAX: f64 = 48.0;
/// Least amount behind it: less is a fraction.
const SLASHED_AMOUNT_MIN: f64 = 17.0;
/// A word whose number counts nothing: "omega 3 eggs".
const OMEGA: &[u8] = b"omega";
/// Words that are a number of pieces by themselves, or with "half" before them.
const DOZENS: [&str; 2] = ["dozen", "douzaine"];
/// Most letters before the hyphen of a model number that ends like a measure: `DCS-2230L`.
const SERIES_LETTERS_MAX: usize = 3;
/// Largest number that is read; more is an article number.
const NUMBER_MAX: f64 = 1e7;
/// Factors before a number, as in `4 x 100 g`.
const FACTORS_MAX: usize = 3;

impl Unit {
    fn same(self) -> Same {
        match self {
            Self::Mass | Self::Volume => Same::Nearly,
            Self::Megahertz => Same::Closely,
            Self::Inch | Self::Prime | Self::Pixels | Self::CubicFoot | Self::Charge | Self::Millimetre => {
                Same::Rounded
            }
            _ => Same::Exactly,
        }
    }
}

impl Number {
    /// Whether it says by mass or volume how much there is.
    pub(crate) fn is_measured(&self) -> bool {
        matches!(self.unit, Unit::Mass | Unit::Volume)
    }

    fn is(self, other: Self) -> bool {
        let (small, large) = (self.value.min(other.value), self.value.max(other.value));
        let nearly = large * 100 <= small * 102;
        let whole = small.is_multiple_of(1000) || large.is_multiple_of(1000);
        match self.unit.same() {
            Same::Exactly => small == large,
            Same::Closely => large * 1000 <= small * 1005,
            Same::Nearly => nearly,
            Same::Rounded => nearly || (whole && large - small < 1000),
        }
    }
}

/// The values of each unit that both state.
fn of_one_unit<'a>(a: &'a [Number], b: &'a [Number]) -> impl Iterator<Item = (&'a [Number], &'a [Number])> {
    let by_unit = |all: &'a [Number]| all.chunk_by(|x, y| x.unit == y.unit);
    by_unit(a).filter_map(move |mine| {
        by_unit(b).find(|theirs| theirs[0].unit == mine[0].unit).map(|theirs| (mine, theirs))
    })
}

/// Whether two have a value in common.
fn meet(mine: &[Number], theirs: &[Number]) -> bool {
    mine.iter().any(|x| theirs.iter().any(|y| x.is(*y)))
}

/// Whether each states a value that the other does not.
fn differ(mine: &[Number], theirs: &[Number]) -> bool {
    let lacks = |all: &[Number], x: &Number| !all.iter().any(|y| y.is(*x));
    mine.iter().any(|x| lacks(theirs, x)) && theirs.iter().any(|x| lacks(mine, x))
}

/// In how many units both state values, and in how many of these they have none in common. Sizes of what is worn are left
/// out: shops list one shoe in all of them, and some in one.
pub(crate) fn compare(a: &[Number], b: &[Number]) -> (u32, u32) {
    of_one_unit(a, b)
        .filter(|(mine, _)| mine[0].unit != Unit::Size)
        .fold((0, 0), |(both, apart), (mine, theirs)| (both + 1, apart + u32::from(!meet(mine, theirs))))
}

/// Whether two contradict each other in a unit that both state: they have no value in common, or, of capacities, each has
/// one of its own. One product has several of these (`8 GB`, `256 GB`), and all count.
pub(crate) fn contradict(a: &[Number], b: &[Number]) -> bool {
    of_one_unit(a, b).any(|(mine, theirs)| match mine[0].unit {
        Unit::Memory => differ(mine, theirs),
        _ => !meet(mine, theirs),
    })
}

/// Whether in some unit that both state each states a value that the other does not.
pub(crate) fn stand_apart(a: &[Number], b: &[Number]) -> bool {
    of_one_unit(a, b).any(|(mine, theirs)| differ(mine, theirs))
}

/// Whether both state one of these amounts and contradict each other in none. Where both say how much there is, pieces in
/// common are not enough: `8 x 93 mL` is no `8 x 100 g`.
pub(crate) fn share_an_amount(a: &[Number], b: &[Number]) -> bool {
    let (both, apart) = compare(a, b);
    let share_a_measure = of_one_unit(a, b).any(|(mine, _)| mine[0].is_measured());
    let is_counted = |side: &[Number]| !side.iter().any(Number::is_measured);
    both > 0 && apart == 0 && (share_a_measure || is_counted(a) || is_counted(b))
}

/// Whether both state how much of something a serving holds, and one amount of it.
pub(crate) fn share_a_nutrient(a: &[Number], b: &[Number]) -> bool {
    of_one_unit(a, b).any(|(mine, theirs)| mine[0].unit == Unit::Nutrient && meet(mine, theirs))
}

/// Whether a number of pieces is stated, which is more than one.
pub(crate) fn says_pieces(numbers: &[Number]) -> bool {
    numbers.iter().any(|number| number.unit == Unit::Pieces)
}

/// Whether a run of letters and digits is a number with its unit, or dimensions.
pub(crate) fn is_measure(run: &str) -> bool {
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
                || unit_of(word).is_some();
        }
        // `12V7Ah`, `4K60`, `1080p60`
        at_volts = matches!(word, "v" | "volt");
        let of_pictures = word == "k" && number.len() == 1 || word == "p" && LINES.contains(&number);
        let times = word == "x" || word.strip_suffix('x').is_some_and(|unit| unit_of(unit).is_some());
        if !(times || at_volts || of_pictures) {
            return false;
        }
        rest = letters;
    }
}

/// Whether a run may begin a model number that goes on behind a hyphen, and an aperture (`f/4L`) is one.
pub(crate) fn is_series(run: &[u8]) -> bool {
    run.len() <= SERIES_LETTERS_MAX && run.iter().all(u8::is_ascii_alphabetic)
}

/// The numbers with a unit in a folded name, ascending.
#[cfg(test)]
pub(crate) fn read(text: &str) -> Vec<Number> {
    read_with_loose(text).0
}

/// The numbers with a unit in a folded name, ascending, and those among them that may say something else than how much is
/// sold.
pub(crate) fn read_with_loose(text: &str) -> (Vec<Number>, Vec<Number>) {
    let mut reader = Reader { text: text.as_bytes(), found: Vec::new(), loose: Vec::new() };
    let mut at = 0;
    while at < reader.text.len() {
        at = reader.step(at);
    }
    reader.last_letters();
    let mut found = reader.found;
    // One piece is what everything is sold by.
    found.retain(|number| number.unit != Unit::Pieces || number.value > 1000);
    found.sort_unstable();
    found.dedup();
    (found, reader.loose)
}

/// A cursor over a folded name.
struct Reader<'a> {
    text: &'a [u8],
    found: Vec<Number>,
    loose: Vec<Number>,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn push(&mut self, unit: Unit, value: f64) {
        if value < NUMBER_MAX * 1000.0 {
            self.found.push(Number { unit, value: (value * 1000.0).round() as u64 });
        }
    }

    /// Reads what begins with a letter at `at` and gives the place after it.
    fn word(&mut self, at: usize) -> usize {
        let end = self.letters(at);
        self.pack_of(at, end);
        self.measured(at, end);
        match &self.text[at..end] {
            b"each" => self.push(Unit::Set, 1.0),
            b"pair" | b"paire" => self.push(Unit::Set, 2.0),
            _ => {}
        }
        // Letters swallow the digits of their own run, and few letters those behind their hyphen: a model number
        // holds no measure.
        let run = self.run(end);
        let goes_on = is_series(&self.text[at..run]) && matches!(self.byte(run), b'-' | b'/');
        let mut run = if goes_on { self.run(run + 1) } else { run };
        // `f/1.8G`, `v2.0L`
        while self.byte(run - 1).is_ascii_digit()
            && self.byte(run) == b'.'
            && self.byte(run + 1).is_ascii_digit()
        {
            run = self.run(run + 1);
        }
        run
    }

    /// Reads what begins at `at` and gives the place after it.
    fn step(&mut self, at: usize) -> usize {
        let byte = self.byte(at);
        if byte.is_ascii_alphabetic() {
            return self.word(at);
        }
        if byte == b'#' {
            self.sized(Unit::Size, at + 1);
        }
        if !byte.is_ascii_digit() {
            return at + 1;
        }
        if self.is_behind(OMEGA, at) {
            return self.run(at);
        }
        let mut factors: Vec<f64> = Vec::new();
        let (mut number, mut end) = self.number(at);
        if let Some(after) = self.slashed(number, end).or_else(|| self.special(number, end)) {
            return after;
        }
        while let Some(next) = self.times(self.mark(at, end)).filter(|_| factors.len() < FACTORS_MAX) {
            factors.push(number);
            (number, end) = self.number(next);
        }
        if let [first] = factors[..] {
            self.sides(first, number, end);
        }
        let Some((unit, scale, after)) = self.unit(end) else {
            if self.text[at..end].contains(&b'-') {
                // `5-1/4`: eighths of nothing else are written so.
                self.push(Unit::Inch, number);
            }
            return self.run(end);
        };
        if end + 1 == after
            && self.byte(end) == b'g'
            && NETWORKS.contains(&(number as u64))
            && factors.is_empty()
        {
            self.push(Unit::Ordinal, number);
            return after;
        }
        self.take(unit, scale, (number, &factors), after);
        // `100gx4`
        if matches!(unit, Unit::Mass | Unit::Volume)
            && let Some(next) = self.times(after)
        {
            let (count, end) = self.number(next);
            if self.unit(end).is_none() {
                self.push(Unit::Pieces, count);
            }
            return end;
        }
        after
    }

    /// Notes a number with its unit, which ends at `after`, and the factors before it.
    fn take(&mut self, unit: Unit, scale: f64, (number, factors): (f64, &[f64]), after: usize) {
        self.push(unit, number * scale);
        let is_loose = match unit {
            Unit::Pieces => number.fract() > 0.0 || self.ends_in(&SINGULARS, after),
            _ => !self.ends_in(&AMOUNTS, after),
        };
        if is_loose {
            self.loose.extend(self.found.last());
        }
        if unit == Unit::Mass && self.is_nutrient(self.blanks(after)) {
            self.push(Unit::Nutrient, number * scale);
        }
        match unit {
            Unit::Mass | Unit::Volume | Unit::Pieces => {
                for &factor in factors {
                    self.push(Unit::Pieces, factor);
                }
            }
            Unit::Inch | Unit::Prime | Unit::Millimetre | Unit::Foot | Unit::Metre => {
                for &factor in factors {
                    self.push(unit, factor * scale);
                }
            }
            _ => {}
        }
    }

    /// Whether the word at `at` names what a food holds.
    fn is_nutrient(&self, at: usize) -> bool {
        NUTRIENTS.iter().any(|word| word.as_bytes() == &self.text[at..self.letters(at)])
    }

    /// Whether one of the words ends at `end`.
    fn ends_in(&self, words: &[&str], end: usize) -> bool {
        words.iter().any(|word| self.text[..end].ends_with(word.as_bytes()))
    }

    /// `6/355 ml`: so many pieces of so much, and the place after them.
    fn slashed(&mut self, pieces: f64, end: usize) -> Option<usize> {
        if self.byte(end) != b'/' || !self.byte(end + 1).is_ascii_digit() || pieces > SLASHED_PIECES_MAX {
            return None;
        }
        let (amount, end) = self.number(end + 1);
        let (unit, scale, after) = self.unit(end)?;
        if amount < SLASHED_AMOUNT_MIN || !matches!(unit, Unit::Mass | Unit::Volume) {
            return None;
        }
        self.push(Unit::Pieces, pieces);
        self.push(unit, amount * scale);
        Some(after)
    }

    /// `size 4`
    fn measured(&mut self, at: usize, end: usize) {
        let word = &self.text[at..end];
        if let Some((_, unit)) = MEASURES.iter().find(|(name, _)| name.as_bytes() == word) {
            self.sized(*unit, self.blanks(end));
        }
    }

    /// A number without a unit of its own.
    fn sized(&mut self, unit: Unit, at: usize) {
        if self.byte(at).is_ascii_digit() {
            let (value, end) = self.number(at);
            if self.unit(end).is_none() && self.special(value, end).is_none() {
                self.push(unit, value);
            }
        } else if unit == Unit::Size
            && let Some(value) = letter_size(&self.text[at..self.letters(at)])
        {
            self.push(Unit::Letter, value);
        }
    }

    /// `pack of 2`, `dozen`
    fn pack_of(&mut self, at: usize, end: usize) {
        let word = |from: usize, to: usize| std::str::from_utf8(&self.text[from..to]).unwrap_or_default();
        if DOZENS.contains(&word(at, end)) {
            let is_half = self.text[..at].trim_ascii_end().ends_with(b"half");
            return self.push(Unit::Pieces, if is_half { 6.0 } else { 12.0 });
        }
        if !PACKS.contains(&word(at, end)) {
            return;
        }
        let of = self.blanks(end + usize::from(self.byte(end) == b'.'));
        let of_end = self.letters(of);
        if !matches!(word(of, of_end), "of" | "de") {
            return;
        }
        let next = self.blanks(of_end);
        if self.byte(next).is_ascii_digit() {
            let (count, _) = self.number(next);
            self.push(Unit::Pieces, count);
        }
    }

    /// Whether a word stands before `at`, but for blanks and hyphens.
    fn is_behind(&self, word: &[u8], at: usize) -> bool {
        let last = self.text[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'-'));
        last.is_some_and(|last| self.text[..=last].ends_with(word))
    }

    fn letters(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
    }

    fn blanks(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        at + self.text[at..].iter().take_while(|byte| **byte == b' ').count()
    }

    fn run(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
    }

    fn digits(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn value(&self, from: usize, to: usize) -> f64 {
        self.text[from..to]
            .iter()
            .fold(0.0, |sum, byte| (sum * 10.0 + f64::from(byte - b'0')).min(NUMBER_MAX * 10.0))
    }

    /// The number at `at` (a digit) and where it ends: decimals, thousands, a fraction behind.
    fn number(&self, at: usize) -> (f64, usize) {
        let mut end = self.digits(at);
        let mut value = self.value(at, end);
        while self.byte(end) == b',' && self.digits(end + 1) == end + 4 {
            value = value * 1000.0 + self.value(end + 1, end + 4);
            end += 4;
        }
        if matches!(self.byte(end), b'.' | b',') && self.byte(end + 1).is_ascii_digit() {
            let to = self.digits(end + 1);
            value += self.value(end + 1, to) / 10_f64.powi((to - end - 1) as i32);
            end = to;
        }
        // `22-1/2`, `1/2`
        let (whole, from) = if matches!(self.byte(end), b'-' | b' ') { (value, end + 1) } else { (0.0, at) };
        let slash = self.digits(from);
        if slash > from && self.byte(slash) == b'/' && self.byte(slash + 1).is_ascii_digit() {
            let to = self.digits(slash + 1);
            let (part, of) = (self.value(from, slash), self.value(slash + 1, to));
            if part < of && of <= 16.0 {
                return (whole + part / of, to);
            }
        }
        (value, end)
    }

    /// The number after a multiplication sign.
    fn times(&self, at: usize) -> Option<usize> {
        let sign = self.blanks(at);
        if !matches!(self.byte(sign), b'x' | b'*') {
            return None;
        }
        let next = self.blanks(sign + 1);
        self.byte(next).is_ascii_digit().then_some(next)
    }

    /// The unit behind a number, its scale, and where it ends.
    fn unit(&self, at: usize) -> Option<(Unit, f64, usize)> {
        let from = if matches!(self.byte(at), b'-' | b'/') { at + 1 } else { self.blanks(at) };
        match self.byte(from) {
            b'%' => return Some((Unit::Percent, 1.0, from + 1)),
            b'"' => return Some((Unit::Inch, 1.0, from + 1)),
            b'\'' if from == at && self.byte(at + 1) == b'\'' => return Some((Unit::Inch, 1.0, at + 2)),
            b'\''
                if from == at
                    && self.text[at + 1..].starts_with(b"s")
                    && !self.byte(at + 2).is_ascii_alphanumeric() =>
            {
                return Some((Unit::Pieces, 1.0, at + 2));
            }
            b'\'' if from == at => return Some((Unit::Prime, 1.0, at + 1)),
            _ => {}
        }
        let end = self.letters(from);
        let word = std::str::from_utf8(&self.text[from..end]).ok().filter(|word| !word.is_empty())?;
        if BEFORE_UNITS.contains(&word) {
            let dot = end + usize::from(self.byte(end) == b'.');
            let next = self.blanks(dot);
            let to = self.letters(next);
            return match &self.text[next..to] {
                b"oz" | b"ounce" | b"ounces" => Some((Unit::Volume, 29.573_529_562_5, to)),
                b"ft" | b"feet" | b"foot" => Some((Unit::CubicFoot, 1.0, to)),
                _ => None,
            };
        }
        if self.byte(end).is_ascii_digit() {
            // `100gx4`
            let unit = word.strip_suffix('x').filter(|unit| !unit.is_empty())?;
            return unit_of(unit).map(|(unit, scale)| (unit, scale, end - 1));
        }
        let per_second = matches!(self.byte(end), b'/' | b' ')
            && self.byte(end + 1) == b's'
            && !self.byte(end + 2).is_ascii_alphanumeric();
        if let ("gb" | "mb", true) = (word, per_second) {
            return Some((Unit::Rate, if word == "gb" { 1000.0 } else { 1.0 }, end + 2));
        }
        if GLUED_ONLY.contains(&word) && from != at {
            return None;
        }
        if BETWEEN.contains(&word) && self.byte(self.blanks(end)).is_ascii_digit() {
            return None;
        }
        if let Some((unit, scale)) = unit_of(word) {
            return Some((unit, scale, end));
        }
        // "20 tea bags"
        let next = self.blanks(end);
        let to = self.letters(next);
        let counted = std::str::from_utf8(&self.text[next..to]).ok().and_then(unit_of);
        counted.filter(|(unit, _)| *unit == Unit::Pieces && next > end).map(|(unit, scale)| (unit, scale, to))
    }
}
