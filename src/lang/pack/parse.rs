//! Reads the pack out of a product name.
//!
//! A small scanner instead of a grammar: it stops at every number that stands on its own (not inside a
//! model number), tries to read a statement there, and joins neighbours at the end. Statements are
//!
//! - a measure: `12 oz`, `0.75L`, `1/2 gal`, `12 x 355 mL`, `150gx2`, `195G*3`
//! - pieces: `24 ct`, `10 count`, `30 Each`, `24 ct x 2`
//! - a multiplier: `6-pack`, `12 PK`, `pack of 2`
//!
//! A multiplier beside a measure or pieces packs them where the name says so (`packs`): `6-pack of 12 fl oz`,
//! `12 PK/12 OZ`, `12 fl oz cans, 12 pack`. Alone it counts pieces. Everything else stays two statements and so no
//! pack, because nobody can say whether the one is in the other or both are of the whole: `2 Pack, 240 Gram`,
//! `8 ct/12 oz`, `64 count, pack of 3`. A single piece (`1 Each`) beside another statement adds nothing.
//! `6/12 oz` is no pack either: shops mean six of them, readers half an ounce. Every Unicode space is a blank.
//! Reading numbers and units is in `scan`.

use super::super::text::spaced;
use super::scan::{Number, Scanner, Word};
use super::{Pack, Unit};

/// Statements looked at in one name; a name with more states no pack.
const STATEMENTS_MAX: usize = 8;
/// Largest number of packs in a pack.
const COUNT_MAX: u32 = 1000;

/// Words that may stand between a measure and how often it is packed.
const CONTAINERS: [&str; 18] = [
    "bag", "bags", "bottle", "bottles", "box", "boxes", "can", "cans", "carton", "cartons", "cup", "cups",
    "jar", "jars", "pouch", "pouches", "tub", "tubs",
];

/// Words that may stand between a multiplier and what it packs.
const JOINING: [&str; 2] = ["of", "x"];

/// Most factors beside the quantity, as in `2 x 3 x 400 g`.
const FACTORS_MAX: usize = 3;
/// What a food holds of something, rather than how much of the food there is.
const NUTRIENTS: [&str; 8] = ["protein", "fat", "sugar", "sugars", "fiber", "fibre", "carbs", "net"];
/// Most grams of a nutrient; a bigger bag is a bag.
const NUTRIENT_GRAMS_MAX: u32 = 50;
/// Most centilitres; nobody writes ten litres so.
const CENTILITRES_MAX: u32 = 999;

/// Something the name says about its pack, and where.
#[derive(Clone, Copy)]
struct Statement {
    pack: Pack,
    multiplier: bool,
    start: usize,
    end: usize,
}

/// The pack that a product name states; `None` when it states none, or several different ones.
pub fn parse(name: &str) -> Option<Pack> {
    let name = &*spaced(name);
    let text = name.as_bytes();
    let scanner = Scanner { name, text, has_lower_case: text.iter().any(u8::is_ascii_lowercase) };
    // Most names state nothing, and an empty vector costs nothing.
    let mut found: Vec<Statement> = Vec::new();
    let mut at = 0;
    while at < scanner.text.len() {
        let last_end = found.last().map_or(0, |statement| statement.end);
        let statement = match scanner.text[at] {
            b'0'..=b'9' | b'.' => scanner.at_number(at, last_end),
            b'p' | b'P' => scanner.pack_of(at),
            _ => None,
        };
        at = statement.map_or_else(|| scanner.skip(at), |statement| statement.end);
        found.extend(statement);
        if found.len() > STATEMENTS_MAX {
            return None;
        }
    }
    drop_repeated_counts(&mut found);
    scanner.join(&mut found);
    drop_single_pieces(&mut found);
    single(found.into_iter().map(|statement| statement.pack))
}

/// `24 PACK CAN 0.355L x 24` says 24 once: pieces that a measure already counts go.
fn drop_repeated_counts(found: &mut Vec<Statement>) {
    let counts: Vec<u32> =
        found.iter().map(|statement| statement.pack.count).filter(|&count| count > 1).collect();
    found.retain(|Statement { pack, .. }| {
        pack.unit != Unit::Piece || pack.count > 1 || !counts.contains(&pack.num)
    });
}

/// `10 lb, 1 Each` is 10 lb: one piece of something is the thing itself. `15 PK` and `1 PK` contradict each other.
fn drop_single_pieces(found: &mut Vec<Statement>) {
    let is_one = |statement: &Statement| statement.pack.is_single_piece();
    let more = |of: bool| found.iter().any(|other| !is_one(other) && other.multiplier == of);
    let (others, multipliers) = (more(false), more(true));
    found.retain(|statement| !is_one(statement) || !(others || multipliers && !statement.multiplier));
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

impl Scanner<'_> {
    /// A statement that begins with the number at `at`.
    fn at_number(&self, at: usize, last_end: usize) -> Option<Statement> {
        if !self.stands_alone(at, last_end) {
            return None;
        }
        let mut count = 1_u32;
        let mut number = self.number(at)?;
        for _ in 0..FACTORS_MAX {
            let Some(next) = self.times(number.end) else { break };
            count = count.checked_mul(number.whole()?).filter(|count| *count <= COUNT_MAX)?;
            number = self.number(next)?;
        }
        let (word, mut end) = self.unit(number.end)?;
        match word {
            Word::Measure(Unit::G) if self.is_not_grams(number, end) => None,
            Word::Measure(Unit::Cl) if number.num > CENTILITRES_MAX * number.den => None,
            Word::Measure(unit) => {
                if let Some((times, after)) = self.packed_times(end).filter(|_| count == 1) {
                    (count, end) = (times, after);
                }
                let pack = Pack::new(count, number.num, number.den, unit)?;
                Some(Statement { pack, multiplier: false, start: at, end })
            }
            Word::Each if self.is_not_each(number, end) => None,
            Word::Pieces | Word::Each | Word::Packs => {
                let packed = self.packed_times(end).filter(|_| count == 1);
                let multiplier = word == Word::Packs && count == 1 && packed.is_none();
                (count, end) = packed.unwrap_or((count, end));
                let pack = Pack::new(count, number.whole()?, 1, Unit::Piece)?;
                Some(Statement { pack, multiplier: multiplier && pack.num <= COUNT_MAX, start: at, end })
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
        let pack = Pack::new(1, number.whole()?, 1, Unit::Piece)?;
        Some(Statement { pack, multiplier: pack.num <= COUNT_MAX, start: at, end: number.end })
    }

    /// Joins each multiplier with the statement beside it.
    fn join(&self, found: &mut Vec<Statement>) {
        let mut at = 1;
        while at < found.len() {
            match self.joined(found[at - 1], found[at]) {
                Some(joined) => {
                    found[at - 1] = joined;
                    found.remove(at);
                }
                None => at += 1,
            }
        }
    }

    fn joined(&self, left: Statement, right: Statement) -> Option<Statement> {
        if left.multiplier == right.multiplier || !self.packs(left, right) {
            return None;
        }
        let (times, of) = if left.multiplier { (left, right) } else { (right, left) };
        let count = of.pack.count.checked_mul(times.pack.num).filter(|count| *count <= COUNT_MAX)?;
        let pack = Pack::new(count, of.pack.num, of.pack.den, of.pack.unit)?;
        Some(Statement { pack, multiplier: false, start: left.start, end: right.end })
    }

    /// Whether what lies between a multiplier and the statement beside it says that the one packs the other.
    ///
    /// `of`, a multiplication sign or the name of a container do. For a measure so do a slash, brackets around the
    /// multiplier, `pack of 8`, and in names that shout, which are a till's, mere neighbourhood: `6 PK 12 OZ`. Shops
    /// that write prose put the size of the whole there: `2 Pack, 240 Gram`.
    fn packs(&self, left: Statement, right: Statement) -> bool {
        let gap = &self.name[left.end..right.start];
        let mut is_said = gap.contains(['*', '×']);
        for word in gap.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if !JOINING.iter().chain(&CONTAINERS).any(|known| word.eq_ignore_ascii_case(known)) {
                return false;
            }
            is_said = true;
        }
        let (times, of) = if left.multiplier { (left, right) } else { (right, left) };
        let is_pack_of = self.text[times.start].is_ascii_alphabetic();
        let is_bracketed = if left.multiplier { gap.starts_with(')') } else { gap.ends_with('(') };
        let is_till = !self.has_lower_case && !gap.contains(',');
        is_said || of.pack.unit != Unit::Piece && (gap.contains('/') || is_pack_of || is_bracketed || is_till)
    }

    /// `x 2` or `*3` after a quantity, as in `150gx2`: how often, where no quantity follows that the sign belongs to.
    fn packed_times(&self, at: usize) -> Option<(u32, usize)> {
        let (mut count, mut end) = (1_u32, at);
        for _ in 0..FACTORS_MAX {
            let Some(next) = self.times(end) else { break };
            let number = self.number(next)?;
            if self.unit(number.end).is_some() || self.glued(number.end) {
                return None;
            }
            count = count.checked_mul(number.whole()?).filter(|count| *count <= COUNT_MAX)?;
            end = number.end;
        }
        (end > at).then_some((count, end))
    }

    /// Whether an `ea` ends a model number (`dv7-1211ea`): beside its number it counts in capitals alone (`12EA`).
    fn is_not_each(&self, number: Number, end: usize) -> bool {
        let is_apart = self.byte(number.end) == Some(b' ');
        let is_model = matches!(self.byte(number.start.wrapping_sub(1)), Some(b'-' | b'/'));
        let is_short = self.text[end - 2..end].eq_ignore_ascii_case(b"ea");
        is_short && !is_apart && (is_model || self.name.get(number.end..end) != Some("EA"))
    }

    /// Whether a `g` stands for something else than grams: networks (`5G`, `2.4G`), memory (`16G`), the
    /// standard `802.11 g`, model numbers (`Ryzen 5700G`), nutrients (`9g Protein`).
    ///
    /// Shops that shout write `140G` and mean it. Where lower case is in use, a capital right behind the
    /// number counts as grams only after a comma, a bracket or a multiplication sign, or before one.
    fn is_not_grams(&self, number: Number, end: usize) -> bool {
        let Number { num, den, start, .. } = number;
        let glued = end == number.end + 1;
        let capital = self.byte(end - 1) == Some(b'G');
        let network = if capital { num < 7 * den } else { den == 1 && (2..=6).contains(&num) };
        let memory = capital && den == 1 && (num.is_power_of_two() || num == 10) && num <= 512;
        let listed = matches!(self.byte(start.wrapping_sub(1)), Some(b'x' | b'X' | b'*'))
            || self.packed_times(end).is_some()
            || self.name[..start].trim_end_matches(' ').ends_with([',', '(']);
        let model = capital && !listed && self.has_lower_case;
        let nutrient = num <= NUTRIENT_GRAMS_MAX * den && self.word(self.blanks(end), &NUTRIENTS).is_some();
        (glued && (network || memory || model)) || nutrient || (num, den) == (80_211, 100)
    }
}
