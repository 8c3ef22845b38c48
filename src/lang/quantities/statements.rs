//! Statements of how much is sold, and the pack on which the statements of a name agree.
//!
//! Statements are
//!
//! - a measure: `12 oz`, `0.75L`, `1/2 gal`, `12 x 355 mL`, `150gx2`, `195G*3`
//! - pieces: `24 ct`, `10 count`, `30 Each`, `24 ct x 2`
//! - a multiplier: `6-pack`, `12 PK`, `pack of 2`
//!
//! A multiplier beside a measure or pieces packs them if the name says so ([`Cursor::packs`]): `6-pack of 12 fl oz`,
//! `12 PK/12 OZ`, `12 fl oz cans, 12 pack`. Alone it counts pieces. Everything else stays two statements and so is not a
//! pack, because the name does not say whether one is in the other or both are of the whole: `2 Pack, 240 Gram`,
//! `8 ct/12 oz`, `64 count, pack of 3`. A single piece (`1 Each`) beside another statement adds nothing. `6/12 oz` is not a
//! pack either: shops mean six of them, readers half an ounce.

use super::behind::UnitAt;
use super::cursor::Cursor;
use super::number::Printed;
use crate::lang::lexicon::Kind;
use crate::lang::pack::{Pack, Unit};
use crate::lang::text::{fold_term, is_hebrew};
use crate::lang::units::Sold;

/// Most statements of a name; a name with more states no pack.
const STATEMENTS_MAX: usize = 8;
/// Largest number of packs in a pack.
const COUNT_MAX: u32 = 1000;
/// Most grams of a nutrient; a larger bag is a bag.
const NUTRIENT_GRAMS_MAX: f64 = 50.0;
/// Most centilitres; larger packs are written in litres.
const CENTILITRES_MAX: f64 = 999.0;
/// Most gigabytes that are written like a mass: `16G`.
const MEMORY_MAX: u32 = 512;
/// Generations of mobile networks: `5G`. A capital also writes `2.4G` and `6.5G`.
const NETWORKS: std::ops::RangeInclusive<f64> = 2.0..=6.0;
const NETWORK_CAPITAL_BELOW: f64 = 7.0;
/// The number of a wireless standard that is written like a mass: `802.11 g`.
const WIRELESS: (u32, u32) = (80_211, 100);

/// What a name says about its pack, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement {
    pack: Pack,
    is_multiplier: bool,
    start: usize,
    pub(super) end: usize,
}

impl Statement {
    /// `pack of 2`, from the place of its first word.
    pub(super) fn packs(number: Printed, start: usize) -> Option<Self> {
        let pack = Pack::new(1, number.whole()?, 1, Unit::Piece)?;
        Some(Self { pack, is_multiplier: pack.fraction().0 <= COUNT_MAX, start, end: number.end })
    }
}

/// The pack that a name states. `None` if it states none, or several different ones.
pub(super) fn pack(cursor: &Cursor<'_>, mut found: Vec<Statement>) -> Option<Pack> {
    if found.len() > STATEMENTS_MAX {
        return None;
    }
    drop_repeated_counts(&mut found);
    cursor.join(&mut found);
    drop_single_pieces(&mut found);
    single(found.into_iter().map(|statement| statement.pack))
}

/// `24 PACK CAN 0.355L x 24` says 24 once: drops pieces that a measure already counts.
fn drop_repeated_counts(found: &mut Vec<Statement>) {
    let counts: Vec<u32> =
        found.iter().map(|statement| statement.pack.count()).filter(|&count| count > 1).collect();
    found.retain(|Statement { pack, .. }| {
        pack.unit() != Unit::Piece || pack.count() > 1 || !counts.contains(&pack.fraction().0)
    });
}

/// `10 lb, 1 Each` is 10 lb: one piece of something is the thing itself. `15 PK` and `1 PK` contradict each other.
fn drop_single_pieces(found: &mut Vec<Statement>) {
    let is_one = |statement: &Statement| statement.pack.is_single_piece();
    let more = |of: bool| found.iter().any(|other| !is_one(other) && other.is_multiplier == of);
    let (others, multipliers) = (more(false), more(true));
    found.retain(|statement| !is_one(statement) || !(others || multipliers && !statement.is_multiplier));
}

/// The one pack that all statements agree on; of equal totals, the one that says how it is packed.
fn single(packs: impl Iterator<Item = Pack>) -> Option<Pack> {
    let mut single: Option<Pack> = None;
    for pack in packs {
        match single {
            None => single = Some(pack),
            Some(known) if !known.same_total(&pack) => return None,
            Some(known) if pack.count() > known.count() => single = Some(pack),
            Some(_) => {}
        }
    }
    single
}

impl Cursor<'_> {
    /// The statement of a number with its unit, which begins at `start`; `behind` are the factors behind the unit.
    pub(super) fn statement(
        &self,
        start: usize,
        factors: &[Printed],
        number: Printed,
        (unit, end): UnitAt,
        behind: Option<(u32, usize)>,
        last_end: usize,
    ) -> Option<Statement> {
        let sold = unit.sold?;
        let is_apart = self.byte(number.end) != b'/' && self.byte(end) != b'+' && !self.is_rate(end);
        if !is_apart || !self.stands_alone(start, last_end) {
            return None;
        }
        let (num, den) = number.fraction()?;
        let times = |count: u32, factor: &Printed| {
            count.checked_mul(factor.whole()?).filter(|count| *count <= COUNT_MAX)
        };
        let count = factors.iter().try_fold(1, times)?;
        let behind = behind.filter(|(times, _)| count == 1 && *times <= COUNT_MAX);
        let (count, end_behind) = behind.unwrap_or((count, end));
        let statement = |pack: Pack, is_multiplier: bool| {
            let is_multiplier = is_multiplier && pack.fraction().0 <= COUNT_MAX;
            Statement { pack, is_multiplier, start, end: end_behind }
        };
        match sold {
            Sold::Measure(Unit::G) if self.is_not_grams(number, end) => None,
            Sold::Measure(Unit::Cl) if number.value() > CENTILITRES_MAX => None,
            Sold::Measure(unit) => Some(statement(Pack::new(count, num, den, unit)?, false)),
            Sold::Each if self.is_not_each(number, end) => None,
            Sold::Pieces | Sold::Each | Sold::Packs => {
                let is_multiplier = sold == Sold::Packs && count == 1 && behind.is_none();
                Some(statement(Pack::new(count, number.whole()?, 1, Unit::Piece)?, is_multiplier))
            }
        }
    }

    /// Whether a statement begins with the number at `at`.
    pub(super) fn begins_statement(&self, at: usize) -> bool {
        if !self.is_digit(at) {
            return false;
        }
        let number = self.number(at);
        self.unit(number.end).is_some_and(|unit| self.statement(at, &[], number, unit, None, 0).is_some())
    }

    /// Whether the number at `at` is not part of a word, a model number, a range or a price. The
    /// previous statement ends at `last_end`.
    fn stands_alone(&self, at: usize, last_end: usize) -> bool {
        let Some(before) = self.before(at) else { return true };
        match before {
            '$' | '#' | '€' | '£' | '.' => false,
            '-' | '/' => at - 1 == last_end || self.may_precede(at - 1, before),
            _ => !before.is_alphanumeric() || is_hebrew(before),
        }
    }

    /// Whether the word before a hyphen or slash leaves the number behind it alone: model numbers have digits, or few
    /// letters and a hyphen.
    fn may_precede(&self, at: usize, mark: char) -> bool {
        let bytes = self.text.as_bytes();
        let word = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric());
        let (mut letters, mut digits) = (0, 0);
        word.for_each(|byte| if byte.is_ascii_digit() { digits += 1 } else { letters += 1 });
        let is_aperture = mark == '/' && letters == 1 && bytes[at - 1] == b'f';
        // "CFR-012": quantities behind a hyphen are not padded.
        let is_padded = mark == '-' && self.byte(at + 1) == b'0' && self.digits(at + 1) > at + 2;
        digits == 0 && !is_aperture && !is_padded && (mark == '/' || letters == 0 || letters >= 3)
    }

    /// Whether a unit that ends at `end` is that of a rate: `10 L/min`.
    fn is_rate(&self, end: usize) -> bool {
        if self.byte(end) != b'/' {
            return false;
        }
        let to = self.letters(end + 1);
        self.lexicon.has(Kind::Time, &self.text[end + 1..to]) && !self.is_glued(to)
    }

    /// Whether an `ea` ends a model number (`dv7-1211ea`). Behind its number it counts in capitals only (`12EA`).
    fn is_not_each(&self, number: Printed, end: usize) -> bool {
        let is_model = matches!(self.before(number.start), Some('-' | '/'));
        let is_short = self.text[..end].ends_with("ea");
        is_short && number.end + 2 == end && (is_model || &self.cased[number.end..end] != "EA")
    }

    /// Whether a `g` is not a gram: networks (`5G`, `2.4G`), memory (`16G`), the standard `802.11 g`, model numbers
    /// (`Ryzen 5700G`, `SuperNOVA 650 GM`), nutrients (`9g Protein`).
    ///
    /// Names in capitals write `140G` and mean it. In other names, these capitals are grams only after a comma, a bracket
    /// or a multiplication sign, or before one.
    fn is_not_grams(&self, number: Printed, end: usize) -> bool {
        let word = &self.cased[number.end..end];
        let is_capital = word == "G" || word.trim_start() == "GM";
        let whole = number.whole().unwrap_or_default();
        let is_memory = word == "G" && (whole.is_power_of_two() || whole == 10) && whole <= MEMORY_MAX;
        let is_listed = self.text[..number.start].ends_with(['x', '*'])
            || self.factors_behind(end).is_some()
            || self.text[..number.start].trim_end_matches(' ').ends_with([',', '(']);
        let is_model = is_capital && !is_listed && self.has_lower_case();
        let is_nutrient = number.value() <= NUTRIENT_GRAMS_MAX && self.is_nutrient(end);
        self.is_network(number, end)
            || is_memory
            || is_model
            || is_nutrient
            || number.fraction() == Some(WIRELESS)
    }

    /// Whether what a food contains stands behind a mass: `9 g protein`.
    pub(super) fn is_nutrient(&self, end: usize) -> bool {
        let at = self.blanks(end);
        self.lexicon.has(Kind::Nutrient, &self.text[at..self.letters(at)])
    }

    /// Whether a number with its unit is a mobile network: `5G`.
    pub(super) fn is_network(&self, number: Printed, end: usize) -> bool {
        let is_gram = end == number.end + 1 && self.byte(number.end) == b'g';
        is_gram
            && match self.cased.as_bytes()[number.end] {
                b'G' => number.value() < NETWORK_CAPITAL_BELOW,
                _ => number.value().fract() == 0.0 && NETWORKS.contains(&number.value()),
            }
    }

    fn has_lower_case(&self) -> bool {
        self.cased.bytes().any(|byte| byte.is_ascii_lowercase())
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
        if left.is_multiplier == right.is_multiplier || !self.packs(left, right) {
            return None;
        }
        let (times, of) = if left.is_multiplier { (left, right) } else { (right, left) };
        let count =
            of.pack.count().checked_mul(times.pack.fraction().0).filter(|count| *count <= COUNT_MAX)?;
        let (num, den) = of.pack.fraction();
        let pack = Pack::new(count, num, den, of.pack.unit())?;
        Some(Statement { pack, is_multiplier: false, start: left.start, end: right.end })
    }

    /// Whether what lies between a multiplier and the statement beside it says that the one packs the other.
    ///
    /// `of`, a multiplication sign or the name of a container do. For a measure so do a slash, brackets around the
    /// multiplier, `pack of 8`, and in names in capitals mere neighbourhood: `6 PK 12 OZ`. Such names come from tills.
    /// Shops that write prose put the size of the whole there: `2 Pack, 240 Gram`.
    fn packs(&self, left: Statement, right: Statement) -> bool {
        let Some(gap) = self.text.get(left.end..right.start) else { return false };
        let mut is_said = gap.contains('*');
        for word in gap.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if !self.lexicon.has(Kind::Of, word) && !self.lexicon.has(Kind::Container, &fold_term(word)) {
                return false;
            }
            is_said = true;
        }
        let (times, of) = if left.is_multiplier { (left, right) } else { (right, left) };
        let is_pack_of = !self.is_digit(times.start) && self.byte(times.start) != b'.';
        let is_bracketed = if left.is_multiplier { gap.starts_with(')') } else { gap.ends_with('(') };
        let is_till = !self.has_lower_case() && !gap.contains(',');
        is_said
            || of.pack.unit() != Unit::Piece && (gap.contains('/') || is_pack_of || is_bracketed || is_till)
    }
}
