//! What the scorer sees of a pair: numbers between -1 and some small one, none of which knows a catalog.
//!
//! Weights of terms are over ln(1 + N), so that catalogs of different sizes look more alike; the trees know several.

use super::Linker;
use super::blocking::shared;
use super::dictionary::TermKind;
use super::profile::Profile;
use super::veto::{BrandMatch, PartMatch, is_telling, packs_differ, packs_equal, part_match, part_pairs};
use crate::lang::part_numbers::PART_CHARS_MIN;
use crate::lang::quantities;

/// Names of the features, in order.
pub const FEATURES: [&str; 42] = [
    "cosine",
    "contained",
    "jaccard",
    "soft",
    "soft_contained",
    "trigrams",
    "trigrams_contained",
    "part_shared",
    "part_contained",
    "part_apart",
    "brand",
    "brand_apart",
    "first_term",
    "pack_equal",
    "pack_apart",
    "price_apart",
    "price_known",
    "alone_less",
    "alone_more",
    "alone_sum_less",
    "alone_sum_more",
    "numbers_equal",
    "numbers_apart",
    "plain_apart",
    "plain_shared",
    "mixed_apart",
    "mixed_alone",
    "mixed_shared",
    "variants_apart",
    "colours_apart",
    "colour_alone",
    "rarest_shared",
    "rarest_shared_second",
    "words_cosine",
    "run",
    "fewest_terms",
    "firsts_apart",
    "part_contained_only",
    "part_more",
    "brand_equal",
    "pieces_alone",
    "age",
];

/// The place of the share of all words that both have, by weight.
pub(super) const JACCARD: usize = 2;
/// The place of how long ago both were last seen; no tree looks at it.
pub(super) const AGE: usize = 41;

/// Days after which listings are as old as any: a price is no older.
const AGE_DAYS_MAX: i32 = 90;
/// Prices further apart than this factor's logarithm look alike.
const PRICE_APART_MAX: f64 = 2.0;
/// Shortest term that is another's beginning or differs from it by one letter.
const ALIKE_CHARS_MIN: usize = 4;
/// Terms after which names are equally long.
const TERMS_MAX: f64 = 12.0;

/// What one side says that the other does not.
struct Alone<'a> {
    terms: Vec<u32>,
    /// Which of these the other side says in other letters.
    alike: Vec<bool>,
    side: &'a Profile,
}

impl Linker<'_> {
    /// The features of a pair.
    #[expect(clippy::too_many_lines, reason = "a line a feature, in the order of their names")]
    pub(super) fn features(&self, a: &Profile, b: &Profile) -> [f64; FEATURES.len()] {
        let most = self.dictionary.most.max(f64::MIN_POSITIVE);
        let idf = |term: u32| self.dictionary.idf[term as usize];
        let (mut common, mut sum, mut squares) = (Vec::new(), 0.0, 0.0);
        shared(&a.terms, &b.terms, |term| {
            common.push(term);
            sum += idf(term);
            squares += idf(term).powi(2);
        });
        let (mine, theirs) = self.alone(a, b, &common);
        let (soft_mine, soft_theirs) = (self.alike_weight(&mine), self.alike_weight(&theirs));
        let soft = sum + soft_mine.min(soft_theirs);
        let (less, more) = (a.weight.min(b.weight).max(1e-9), a.weight.max(b.weight).max(1e-9));
        let (trigrams, trigrams_contained) = self.trigrams(a, b);
        let lengths = (a.length * b.length).max(1e-9);
        let parts = part_match(a, b);
        let part_weight = self.part_weight(a, b);
        let brand = self.brand_match(a, b);
        let (numbers_both, numbers_apart) = quantities::compare(&a.numbers, &b.numbers);
        let (x, y) = (self.alone_weights(&mine, b), self.alone_weights(&theirs, a));
        let kinds = |kind: TermKind| {
            (self.count_alone(&mine, kind), self.count_alone(&theirs, kind), self.count(&common, kind))
        };
        let (plain_mine, plain_theirs, plain_shared) = kinds(TermKind::Number);
        let (mixed_mine, mixed_theirs, mixed_shared) = kinds(TermKind::Mixed);
        let (said, says) = self.variants(a, b);
        let (colour, colours) = (said & self.bits.colours, says & self.bits.colours);
        let mut weights: Vec<f64> = common.iter().map(|&term| idf(term)).collect();
        weights.sort_by(|x, y| y.total_cmp(x));
        let price = (f64::from(a.price.max(1)) / f64::from(b.price.max(1))).ln().abs();
        let priced = a.price > 0 && b.price > 0;
        let flag = |holds: bool| f64::from(u8::from(holds));
        let age = |side: &Profile| self.newest.minus(side.seen).min(AGE_DAYS_MAX);
        let few = |count: u32| f64::from(count.min(3)) / 3.0;
        [
            squares / lengths,
            sum / less,
            sum / (less + more - sum),
            soft / (less + more - soft).max(1e-9),
            (soft / less).min(1.0),
            trigrams,
            trigrams_contained,
            if parts == PartMatch::Shared { part_weight } else { 0.0 },
            if parts == PartMatch::Contained { part_weight } else { 0.0 },
            flag(parts == PartMatch::Apart),
            flag(brand >= BrandMatch::Contained),
            flag(brand == BrandMatch::Apart),
            flag(!a.name.is_empty() && a.name.first() == b.name.first()),
            flag(packs_equal(a, b)),
            flag(packs_differ(a, b)),
            if priced { price.min(PRICE_APART_MAX) } else { 0.0 },
            flag(priced),
            x.0.min(y.0) / most,
            x.0.max(y.0) / most,
            (x.1 / a.weight.max(1e-9)).min(y.1 / b.weight.max(1e-9)),
            (x.1 / a.weight.max(1e-9)).max(y.1 / b.weight.max(1e-9)),
            few(numbers_both - numbers_apart),
            few(numbers_apart),
            few(plain_mine.min(plain_theirs)),
            few(plain_shared),
            few(mixed_mine.min(mixed_theirs)),
            few(mixed_mine.max(mixed_theirs)),
            few(mixed_shared),
            few(((said ^ says) & self.bits.variants).count_ones()),
            flag(colour != 0 && colours != 0 && colour != colours),
            flag((colour == 0) != (colours == 0)),
            weights.first().copied().unwrap_or(0.0) / most,
            weights.get(1).copied().unwrap_or(0.0) / most,
            self.words_cosine(a, b, &common),
            f64::from(longest_run(&a.name, &b.name)) / a.name.len().min(b.name.len()).max(1) as f64,
            (a.terms.len().min(b.terms.len()) as f64 / TERMS_MAX).min(1.0),
            flag(!leads(a, b) && !leads(b, a)),
            flag(parts == PartMatch::Contained),
            if parts == PartMatch::Contained { few(letters_more(a, b)) } else { 0.0 },
            flag(brand == BrandMatch::Equal),
            flag(quantities::says_pieces(&a.numbers) != quantities::says_pieces(&b.numbers)),
            f64::from(age(a) + age(b)) / f64::from(2 * AGE_DAYS_MAX),
        ]
    }

    /// What each side says alone, and what of that the other says in other letters.
    fn alone<'a>(&self, a: &'a Profile, b: &'a Profile, common: &[u32]) -> (Alone<'a>, Alone<'a>) {
        let rest = |side: &Profile| -> Vec<u32> {
            side.terms.iter().copied().filter(|term| common.binary_search(term).is_err()).collect()
        };
        let (mine, theirs) = (rest(a), rest(b));
        let (mut x, mut y) = (vec![false; mine.len()], vec![false; theirs.len()]);
        for (at, &term) in mine.iter().enumerate() {
            for (with, &other) in theirs.iter().enumerate() {
                if self.are_alike(term, other) {
                    (x[at], y[with]) = (true, true);
                }
            }
        }
        self.join(a, &mine, &mut x, &theirs, &mut y);
        self.join(b, &theirs, &mut y, &mine, &mut x);
        (Alone { terms: mine, alike: x, side: a }, Alone { terms: theirs, alike: y, side: b })
    }

    /// Two neighbouring words of one side that the other writes as one.
    fn join(&self, side: &Profile, own: &[u32], own_alike: &mut [bool], other: &[u32], alike: &mut [bool]) {
        for pair in side.name.windows(2) {
            let (first, second) = (self.dictionary.text(pair[0]), self.dictionary.text(pair[1]));
            for (at, &term) in other.iter().enumerate() {
                let text = self.dictionary.text(term);
                if text.len() == first.len() + second.len()
                    && text.starts_with(first)
                    && text.ends_with(second)
                {
                    alike[at] = true;
                    for word in pair {
                        if let Ok(place) = own.binary_search(word) {
                            own_alike[place] = true;
                        }
                    }
                }
            }
        }
    }

    /// Whether two words mean one thing, are one with another ending, or differ by one letter.
    fn are_alike(&self, a: u32, b: u32) -> bool {
        if self.dictionary.mean_one(a, b) {
            return true;
        }
        let word = |term: u32| self.dictionary.kind[term as usize] == TermKind::Word;
        let (x, y) = (self.dictionary.text(a), self.dictionary.text(b));
        let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        if short.len() < ALIKE_CHARS_MIN {
            return false;
        }
        if !(word(a) && word(b)) {
            return long.contains(short) && short.bytes().any(|byte| byte.is_ascii_digit());
        }
        long.starts_with(short)
            || (long.len() - short.len() <= 1 && short.len() > ALIKE_CHARS_MIN && one_edit(short, long))
    }

    fn alike_weight(&self, alone: &Alone<'_>) -> f64 {
        let alike = alone.terms.iter().zip(&alone.alike).filter(|(_, alike)| **alike);
        alike.map(|(&term, _)| self.dictionary.idf[term as usize]).sum()
    }

    /// Whether a term is a part number of a listing, or a piece of one.
    fn is_of_a_part(&self, term: u32, side: &Profile) -> bool {
        let text = self.dictionary.text(term);
        self.dictionary.kind[term as usize] == TermKind::Mixed
            && text.len() >= PART_CHARS_MIN
            && side.parts.iter().any(|part| part.contains(text))
    }

    /// The heaviest term that one side says alone, and the sum of all of them; part numbers count where the other side has
    /// some, too.
    fn alone_weights(&self, alone: &Alone<'_>, other: &Profile) -> (f64, f64) {
        let is_silent = other.parts.is_empty() && other.mpn.is_none();
        let is_part = |term: u32| is_silent && self.is_of_a_part(term, alone.side);
        let apart = alone.terms.iter().zip(&alone.alike).filter(|(term, alike)| !**alike && !is_part(**term));
        apart.fold((0.0, 0.0), |(most, sum), (&term, _)| {
            let weight = self.dictionary.idf[term as usize];
            (f64::max(most, weight), sum + weight)
        })
    }

    fn count_alone(&self, alone: &Alone<'_>, kind: TermKind) -> u32 {
        let named = |term: u32| alone.side.name.contains(&term);
        let apart = alone.terms.iter().zip(&alone.alike).filter(|(_, alike)| !**alike);
        apart.filter(|&(&term, _)| self.dictionary.kind[term as usize] == kind && named(term)).count() as u32
    }

    fn count(&self, terms: &[u32], kind: TermKind) -> u32 {
        terms.iter().filter(|&&term| self.dictionary.kind[term as usize] == kind).count() as u32
    }

    /// The weight of the rarest part number that both have, or that is contained in the other's.
    fn part_weight(&self, a: &Profile, b: &Profile) -> f64 {
        let count = self.profiles.len() as f64;
        let weight = |part: &str| (1.0 + count / self.parts.postings(part).len().max(1) as f64).ln();
        let best = part_pairs(a, b).map(|(x, y)| weight(x).min(weight(y))).fold(0.0, f64::max);
        best / self.dictionary.most.max(f64::MIN_POSITIVE)
    }

    /// Cosine over terms without a digit.
    fn words_cosine(&self, a: &Profile, b: &Profile, common: &[u32]) -> f64 {
        let squares = |terms: &[u32]| -> f64 {
            let words = terms.iter().filter(|&&term| self.dictionary.kind[term as usize] == TermKind::Word);
            words.map(|&term| self.dictionary.idf[term as usize].powi(2)).sum()
        };
        let lengths = (squares(&a.terms) * squares(&b.terms)).sqrt();
        if lengths > 0.0 { squares(common) / lengths } else { 0.0 }
    }

    /// Dice and containment of the trigrams of all terms.
    fn trigrams(&self, a: &Profile, b: &Profile) -> (f64, f64) {
        let all = |side: &Profile| {
            let mut all: Vec<u32> =
                side.terms.iter().flat_map(|&term| self.dictionary.trigrams(term)).copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (x, y) = (all(a), all(b));
        let mut both = 0;
        shared(&x, &y, |_| both += 1);
        let total = (x.len() + y.len()).max(1);
        (2.0 * f64::from(both) / total as f64, f64::from(both) / x.len().min(y.len()).max(1) as f64)
    }
}

/// Whether the first term of a name is one of the other's.
fn leads(name: &Profile, other: &Profile) -> bool {
    name.name.first().is_some_and(|first| other.terms.binary_search(first).is_ok())
}

/// How many letters and digits the least of the longer part numbers has more than the one that it contains.
fn letters_more(a: &Profile, b: &Profile) -> u32 {
    let telling = part_pairs(a, b).filter(|(x, y)| is_telling(x, y));
    telling.map(|(x, y)| x.len().abs_diff(y.len()) as u32).min().unwrap_or(0)
}

/// Whether one letter put in, left out or changed makes one word of the other; `long` has at most one byte more.
fn one_edit(short: &str, long: &str) -> bool {
    let (x, y) = (short.as_bytes(), long.as_bytes());
    let same = x.iter().zip(y).take_while(|(a, b)| a == b).count();
    let (x, y) = (&x[same..], &y[same..]);
    if x.len() == y.len() { x.get(1..) == y.get(1..) } else { Some(x) == y.get(1..) }
}

/// The longest run of terms that both names have.
fn longest_run(a: &[u32], b: &[u32]) -> u32 {
    let mut longest = 0;
    let mut row = vec![0_u32; b.len() + 1];
    for x in a {
        for at in (0..b.len()).rev() {
            row[at + 1] = if *x == b[at] { row[at] + 1 } else { 0 };
            longest = longest.max(row[at + 1]);
        }
    }
    longest
}
