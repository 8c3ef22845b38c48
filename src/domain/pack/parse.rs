//! Reads the pack out of a product name.
//!
//! A small scanner instead of a grammar: it stops at every number that stands on its own (not inside a
//! model number), tries to read a statement there, and joins neighbours at the end. Statements are
//!
//! - a measure: `12 oz`, `0.75L`, `1/2 gal`, `12 x 355 mL`, `150gx2`
//! - pieces: `24 ct`, `10 count`
//! - a multiplier: `6-pack`, `12 PK`, `pack of 2`
//!
//! A multiplier right beside a measure or pieces, with nothing but punctuation, `of`, `x` or the name of a
//! container between, packs them: `6-pack of 12 fl oz`, `12 PK/12 OZ`, `12 fl oz cans, 12 pack`. Alone it
//! counts pieces. `8 ct/12 oz` stays two statements and so no pack: it may be eight of 12 oz or 12 oz in
//! all.

use super::{Pack, Unit};

/// Statements looked at in one name; a name with more states no pack.
const STATEMENTS_MAX: usize = 8;
/// Digits of one number; more is an article number.
const DIGITS_MAX: usize = 7;
/// Largest number of packs in a pack.
const COUNT_MAX: u32 = 1000;

/// The words for units, in lower case; the short forms and their spelled-out names.
const UNITS: &[(&str, Word)] = &[
    ("oz", Word::Measure(Unit::Oz)),
    ("ounce", Word::Measure(Unit::Oz)),
    ("ounces", Word::Measure(Unit::Oz)),
    ("lb", Word::Measure(Unit::Lb)),
    ("lbs", Word::Measure(Unit::Lb)),
    ("pound", Word::Measure(Unit::Lb)),
    ("pounds", Word::Measure(Unit::Lb)),
    ("g", Word::Measure(Unit::G)),
    ("gram", Word::Measure(Unit::G)),
    ("grams", Word::Measure(Unit::G)),
    ("kg", Word::Measure(Unit::Kg)),
    ("kilogram", Word::Measure(Unit::Kg)),
    ("kilograms", Word::Measure(Unit::Kg)),
    ("floz", Word::Measure(Unit::FlOz)),
    ("ml", Word::Measure(Unit::Ml)),
    ("milliliter", Word::Measure(Unit::Ml)),
    ("milliliters", Word::Measure(Unit::Ml)),
    ("millilitre", Word::Measure(Unit::Ml)),
    ("millilitres", Word::Measure(Unit::Ml)),
    ("cl", Word::Measure(Unit::Cl)),
    ("l", Word::Measure(Unit::L)),
    ("liter", Word::Measure(Unit::L)),
    ("liters", Word::Measure(Unit::L)),
    ("litre", Word::Measure(Unit::L)),
    ("litres", Word::Measure(Unit::L)),
    ("pt", Word::Measure(Unit::Pt)),
    ("pint", Word::Measure(Unit::Pt)),
    ("pints", Word::Measure(Unit::Pt)),
    ("qt", Word::Measure(Unit::Qt)),
    ("quart", Word::Measure(Unit::Qt)),
    ("quarts", Word::Measure(Unit::Qt)),
    ("gal", Word::Measure(Unit::Gal)),
    ("gallon", Word::Measure(Unit::Gal)),
    ("gallons", Word::Measure(Unit::Gal)),
    ("ct", Word::Pieces),
    ("count", Word::Pieces),
    ("pk", Word::Packs),
    ("pack", Word::Packs),
    ("packs", Word::Packs),
];

/// Words that may stand between a measure and how often it is packed.
const CONTAINERS: [&str; 18] = [
    "bag", "bags", "bottle", "bottles", "box", "boxes", "can", "cans", "carton", "cartons", "cup", "cups",
    "jar", "jars", "pouch", "pouches", "tub", "tubs",
];

/// Units of time: a quantity over one of them is a rate.
const PER_TIME: [&str; 7] = ["s", "sec", "min", "h", "hr", "hour", "day"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Measure(Unit),
    Pieces,
    Packs,
}

/// Something the name says about its pack, and where.
#[derive(Clone, Copy)]
struct Statement {
    pack: Pack,
    multiplier: bool,
    start: usize,
    end: usize,
}

/// A number as printed, `num / den`.
#[derive(Clone, Copy)]
struct Number {
    num: u32,
    den: u32,
    end: usize,
}

/// The pack that a product name states; `None` when it states none, or several different ones.
pub fn parse(name: &str) -> Option<Pack> {
    let scanner = Scanner { name, text: name.as_bytes() };
    let mut found = [None; STATEMENTS_MAX];
    let mut len = 0;
    let mut at = 0;
    let mut last_end = 0;
    while at < scanner.text.len() {
        let statement = match scanner.text[at] {
            b'0'..=b'9' | b'.' => scanner.from_number(at, last_end),
            b'p' | b'P' => scanner.pack_of(at),
            _ => None,
        };
        if let Some(statement) = statement {
            *found.get_mut(len)? = Some(statement);
            len += 1;
            last_end = statement.end;
        }
        at = statement.map_or_else(|| scanner.skip(at), |statement| statement.end);
    }
    scanner.join(&mut found);
    single(found.into_iter().flatten().map(|statement| statement.pack))
}

/// The one pack that all statements agree on; of equal totals, the one that says how it is packed.
fn single(packs: impl Iterator<Item = Pack>) -> Option<Pack> {
    let mut single: Option<Pack> = None;
    for pack in packs {
        match single {
            None => single = Some(pack),
            Some(known) if !known.same_total(&pack) => return None,
            Some(known) if pack.count > known.count => single = Some(pack),
            Some(_) => {}
        }
    }
    single
}

struct Scanner<'a> {
    name: &'a str,
    text: &'a [u8],
}

impl Scanner<'_> {
    /// A statement that begins with the number at `at`.
    fn from_number(&self, at: usize, last_end: usize) -> Option<Statement> {
        if !self.stands_alone(at, last_end) {
            return None;
        }
        let mut count = 1_u32;
        let mut number = self.number(at)?;
        while let Some(next) = self.times(number.end) {
            count = count.checked_mul(whole(number)?).filter(|count| *count <= COUNT_MAX)?;
            number = self.number(next)?;
        }
        let (word, mut end) = self.unit(number.end)?;
        match word {
            Word::Measure(Unit::G) if self.is_generation_or_memory(number, end) => return None,
            Word::Measure(unit) => {
                if count == 1 {
                    if let Some((times, after)) = self.packed_times(end) {
                        (count, end) = (times, after);
                    }
                }
                let pack = Pack::new(count, number.num, number.den, unit)?;
                Some(Statement { pack, multiplier: false, start: at, end })
            }
            Word::Pieces | Word::Packs => {
                let pack = Pack::new(count, whole(number)?, 1, Unit::Piece)?;
                let multiplier = word == Word::Packs && count == 1 && pack.num <= COUNT_MAX;
                Some(Statement { pack, multiplier, start: at, end })
            }
        }
    }

    /// `pack of 2`, with the cursor at its `p`.
    fn pack_of(&self, at: usize) -> Option<Statement> {
        if self.before(at).is_some_and(char::is_alphanumeric) {
            return None;
        }
        let end = self.word(at, &["pack", "packs", "pk"])?;
        let of = self.word(self.blanks(end), &["of"])?;
        let number = self.number(self.blanks(of))?;
        if self.unit(number.end).is_some() || self.times(number.end).is_some() || self.glued(number.end) {
            return None;
        }
        let pack = Pack::new(1, whole(number)?, 1, Unit::Piece)?;
        Some(Statement { pack, multiplier: pack.num <= COUNT_MAX, start: at, end: number.end })
    }

    /// Joins each multiplier with the statement beside it.
    fn join(&self, found: &mut [Option<Statement>; STATEMENTS_MAX]) {
        for at in 1..found.len() {
            let (Some(left), Some(right)) = (found[at - 1], found[at]) else { continue };
            if left.multiplier == right.multiplier || !self.beside(left.end, right.start) {
                continue;
            }
            let (times, of) = if left.multiplier { (left, right) } else { (right, left) };
            let joined = of.pack.count.checked_mul(times.pack.num).filter(|count| *count <= COUNT_MAX);
            if let Some(pack) =
                joined.and_then(|count| Pack::new(count, of.pack.num, of.pack.den, of.pack.unit))
            {
                found[at - 1] = None;
                found[at] = Some(Statement { pack, multiplier: false, start: left.start, end: right.end });
            }
        }
    }

    /// Whether only punctuation, `of`, `x` and containers lie between two statements.
    fn beside(&self, from: usize, to: usize) -> bool {
        let mut words =
            self.name[from..to].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.all(|word| {
            let is = |known: &&str| word.eq_ignore_ascii_case(known);
            ["of", "x"].iter().any(is) || CONTAINERS.iter().any(is)
        })
    }

    /// Whether a number begins here that is no part of a word, a model number, a range or a price.
    fn stands_alone(&self, at: usize, last_end: usize) -> bool {
        let Some(before) = self.before(at) else { return true };
        match before {
            '$' | '#' | '€' | '£' | '.' => return false,
            '-' | '/' if at - 1 == last_end => return true,
            '-' | '/' => {}
            _ => return !before.is_alphanumeric(),
        }
        let token = self.text[..at - 1].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric());
        let (mut letters, mut digits) = (0, 0);
        token.for_each(|byte| if byte.is_ascii_digit() { digits += 1 } else { letters += 1 });
        digits == 0 && (before == '/' || letters == 0 || letters >= 3)
    }

    /// The number at `at`: digits with a decimal point or comma, thousands, a fraction, a mixed fraction.
    fn number(&self, at: usize) -> Option<Number> {
        let whole = self.digits(at);
        let mut number = Number { num: self.value(at, whole)?, den: 1, end: whole };
        if whole == at && self.byte(at) != Some(b'.') {
            return None;
        }
        match self.byte(whole) {
            Some(mark @ (b'.' | b',')) => {
                let end = self.digits(whole + 1);
                let decimals = end - whole - 1;
                if decimals > 0 {
                    let thousands = mark == b',' && decimals == 3;
                    if (mark == b',' && !thousands && decimals > 2) || self.byte(end) == Some(b'.') {
                        return None;
                    }
                    let power = 10_u32.checked_pow(decimals as u32)?;
                    let part = self.value(whole + 1, end)?;
                    number.num = number.num.checked_mul(power)?.checked_add(part)?;
                    number.den = if thousands { 1 } else { power };
                    number.end = end;
                } else if whole == at {
                    return None;
                }
            }
            Some(b'/') => match self.fraction(number.num, whole) {
                Some((num, den, end)) => number = Number { num, den, end },
                // "12/18" is two numbers, and neither of them is the one that the unit belongs to.
                None if self.digits(whole + 1) > whole + 1 => return None,
                None => {}
            },
            Some(b' ' | b'-') => {
                let next = self.digits(whole + 1);
                let part = self.value(whole + 1, next).filter(|_| next > whole + 1);
                if let Some((num, den, end)) = part.and_then(|part| self.fraction(part, next)) {
                    number = Number { num: number.num.checked_mul(den)?.checked_add(num)?, den, end };
                }
            }
            _ => {}
        }
        (number.num > 0).then_some(number)
    }

    /// A proper fraction as kitchens know them, with the cursor at its slash.
    fn fraction(&self, num: u32, slash: usize) -> Option<(u32, u32, usize)> {
        let end = self.digits(slash + 1);
        let den = self.value(slash + 1, end)?;
        let kitchen = self.byte(slash) == Some(b'/') && matches!(den, 2 | 3 | 4 | 8) && num < den;
        kitchen.then_some((num, den, end))
    }

    /// The unit after a number that ends at `at`, and where it ends. Blanks or one hyphen may lie between.
    fn unit(&self, at: usize) -> Option<(Word, usize)> {
        let start = if self.byte(at) == Some(b'-') { at + 1 } else { self.blanks(at) };
        let mut end = self.letters(start);
        if matches!(self.byte(end - 1), Some(b'x' | b'X'))
            && self.byte(end).is_some_and(|b| b.is_ascii_digit())
        {
            end -= 1;
        } else if self.glued(end) {
            return None;
        }
        let word = self.name.get(start..end).filter(|word| !word.is_empty())?;
        let (unit, end) = if ["fl", "fluid"].iter().any(|fluid| word.eq_ignore_ascii_case(fluid)) {
            let dot = end + usize::from(self.byte(end) == Some(b'.'));
            (Word::Measure(Unit::FlOz), self.word(self.blanks(dot), &["oz", "ounce", "ounces"])?)
        } else {
            (UNITS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?.1, end)
        };
        (!self.is_rate(end)).then_some((unit, end))
    }

    /// Whether the letters that ended at `end` go on as a rate: `10 L/min`.
    fn is_rate(&self, end: usize) -> bool {
        self.byte(end) == Some(b'/') && self.word(end + 1, &PER_TIME).is_some()
    }

    /// The number after `x`, as in `12 x 355 mL`, when the text goes on with one.
    fn times(&self, at: usize) -> Option<usize> {
        let sign = self.blanks(at);
        let after = match self.text.get(sign..)? {
            [b'x' | b'X', ..] => sign + 1,
            [0xC3, 0x97, ..] => sign + 2,
            _ => return None,
        };
        let next = self.blanks(after);
        let digit = |at| self.byte(at).is_some_and(|byte| byte.is_ascii_digit());
        (digit(next) || (self.byte(next) == Some(b'.') && digit(next + 1))).then_some(next)
    }

    /// `x 2` after a measure, as in `150gx2`.
    fn packed_times(&self, at: usize) -> Option<(u32, usize)> {
        let number = self.number(self.times(at)?)?;
        let count = whole(number).filter(|count| *count <= COUNT_MAX)?;
        (self.unit(number.end).is_none() && !self.glued(number.end)).then_some((count, number.end))
    }

    /// `5G`, `2.4G`, `16G` are networks and memory, and `802.11 g` is a standard.
    fn is_generation_or_memory(&self, number: Number, end: usize) -> bool {
        let Number { num, den, .. } = number;
        let glued = end == number.end + 1;
        let upper = self.byte(end - 1) == Some(b'G');
        let network = if upper { num < 7 * den } else { den == 1 && (2..=6).contains(&num) };
        let memory = upper && den == 1 && (num.is_power_of_two() || num == 10) && num <= 512;
        (glued && (network || memory)) || (num, den) == (80_211, 100)
    }

    /// Past what begins at `at`: a whole run of digits and points, or one byte.
    fn skip(&self, at: usize) -> usize {
        if !self.text[at].is_ascii_digit() {
            return at + 1;
        }
        let run = self.text[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
        at + run.count()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.name.get(..at)?.chars().next_back()
    }

    /// Whether the text goes on with a letter or digit, so that what ended at `at` was no whole word.
    fn glued(&self, at: usize) -> bool {
        self.name.get(at..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
    }

    fn run(&self, at: usize, of: impl Fn(&u8) -> bool) -> usize {
        at + self.text.get(at..).unwrap_or_default().iter().take_while(|byte| of(byte)).count()
    }

    fn digits(&self, at: usize) -> usize {
        self.run(at, u8::is_ascii_digit)
    }

    fn letters(&self, at: usize) -> usize {
        self.run(at, u8::is_ascii_alphabetic)
    }

    fn blanks(&self, at: usize) -> usize {
        self.run(at, |byte| *byte == b' ')
    }

    /// The end of one of the words, when it stands at `at` as a whole word.
    fn word(&self, at: usize, words: &[&str]) -> Option<usize> {
        let end = self.letters(at);
        let word = self.name.get(at..end)?;
        (words.iter().any(|known| word.eq_ignore_ascii_case(known)) && !self.glued(end)).then_some(end)
    }

    /// The digits between two places as a number; none of them is 0.
    fn value(&self, from: usize, to: usize) -> Option<u32> {
        let digits = self.text.get(from..to).filter(|digits| digits.len() <= DIGITS_MAX)?;
        Some(digits.iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')))
    }
}

/// The number as a whole one.
fn whole(number: Number) -> Option<u32> {
    number.num.is_multiple_of(number.den).then(|| number.num / number.den)
}
