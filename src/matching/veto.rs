//! What no score outweighs, and the evidence without which no score counts.

use std::ops::Range;

use super::Linker;
use super::blocking::shared;
use super::dictionary::TermKind;
use super::profile::Profile;
use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::part_numbers::{PART_CHARS_MIN, is_mixed};
use crate::lang::{pack, quantities, series};

/// A term or part number that more listings of a platform hold than this, and than one in [`RARE_SHARE`], identifies
/// nothing there.
const RARE_MIN: usize = 5;
const RARE_SHARE: usize = 100;
/// Shortest part number of which another one's likeness says that both are of one series.
const SERIES_CHARS_MIN: usize = 8;

/// Why two listings are not the same product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Veto {
    /// Both have a barcode, which decides.
    Barcodes,
    /// One platform sells both.
    Platform,
    /// Different conditions.
    Condition,
    /// Different packs.
    Pack,
    /// Numbers of one unit without a common value.
    Number,
    /// Two brands, neither of which contains the other or is named by the other listing.
    Brand,
    /// Part numbers on both sides, no two of which equal or contain one another.
    PartNumber,
    /// One brand, two part numbers in the column, neither of which begins the other.
    Mpn,
    /// Members of one series, none in common.
    Series,
    /// A variant word on one side alone, or other ones.
    Variant,
    /// Called one thing here and another there.
    ProductType,
    /// Another retailer's private label.
    PrivateLabel,
}

/// What two listings have to do with each other's part numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartMatch {
    /// Both have some, and none fits.
    Apart,
    /// One of them has none.
    Silent,
    /// One contains another.
    Contained,
    /// One is shared.
    Shared,
}

/// What two listings have to do with each other's brands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BrandMatch {
    Apart,
    Silent,
    Contained,
    Named,
    Equal,
}

/// Whether each platform sells each private label, platform by platform.
pub(super) fn sells(lexicon: &Lexicon, platforms: &[String]) -> Vec<bool> {
    let plain = |key: &String| key.replace(['-', '_'], "");
    platforms
        .iter()
        .map(plain)
        .flat_map(|key| {
            lexicon
                .meanings(Kind::PrivateLabel)
                .iter()
                .map(move |label| label.value.split(' ').any(|owner| key.starts_with(owner)))
        })
        .collect()
}

impl Linker<'_> {
    /// What speaks against two listings, if anything does.
    pub(super) fn veto(&self, a: &Profile, b: &Profile) -> Option<Veto> {
        let checks: [(Veto, &dyn Fn() -> bool); 12] = [
            (Veto::Barcodes, &|| a.gtin != 0 && b.gtin != 0),
            (Veto::Platform, &|| a.platform == b.platform),
            (Veto::Condition, &|| a.condition != b.condition),
            (Veto::PrivateLabel, &|| self.is_anothers_label(a, b) || self.is_anothers_label(b, a)),
            (Veto::Variant, &|| self.variants_differ(a, b)),
            (Veto::ProductType, &|| a.product_types.differ(&b.product_types) && !self.shares_rare_part(a, b)),
            (Veto::Pack, &|| packs_differ(a, b)),
            (Veto::Number, &|| quantities::contradict(&a.numbers, &b.numbers)),
            (Veto::Brand, &|| self.brand_match(a, b) == BrandMatch::Apart),
            (Veto::PartNumber, &|| part_match(a, b) == PartMatch::Apart || self.parts_differ(a, b)),
            (Veto::Mpn, &|| self.mpns_differ(a, b)),
            (Veto::Series, &|| series::differ(&a.members, &b.members) && !self.shares_rare_part(a, b)),
        ];
        checks.into_iter().find(|(_, holds)| holds()).map(|(veto, _)| veto)
    }

    /// Whether there is more than likeness between two listings.
    pub(super) fn is_identified(&self, a: &Profile, b: &Profile) -> bool {
        self.shares_rare_part(a, b)
            || self.are_of_one_brand(a, b)
            || ((packs_equal(a, b) || quantities::share_a_nutrient(&a.numbers, &b.numbers))
                && self.shares_rare_term(a, b))
    }

    pub(super) fn brand_match(&self, a: &Profile, b: &Profile) -> BrandMatch {
        let (mine, theirs) = (self.brand_of(a), self.brand_of(b));
        if let (Some(x), Some(y)) = (mine, theirs)
            && (a.brand == b.brand || x.name == y.name)
        {
            return BrandMatch::Equal;
        }
        let named = mine.is_some_and(|brand| brand.is_named_by(b, theirs))
            || theirs.is_some_and(|brand| brand.is_named_by(a, mine));
        match (mine, theirs) {
            _ if named => BrandMatch::Named,
            (Some(x), Some(y)) if x.key.contains(&y.key) || y.key.contains(&x.key) => BrandMatch::Contained,
            (Some(_), Some(_)) => BrandMatch::Apart,
            _ => BrandMatch::Silent,
        }
    }

    /// Whether both have one brand, by column or name.
    pub(super) fn are_of_one_brand(&self, a: &Profile, b: &Profile) -> bool {
        self.brand_match(a, b) >= BrandMatch::Named || self.name_one_brand(a, b)
    }

    /// Whether both names hold the brand that one of them begins with, of a listing that has none in its column. It is
    /// less than what a column says, so that it counts only where the other column names no other brand and no number
    /// stands against another.
    fn name_one_brand(&self, a: &Profile, b: &Profile) -> bool {
        let brand = |side: &Profile| -> Option<u32> {
            let first = side.name.first().copied().filter(|_| self.brand_of(side).is_none());
            first.filter(|&term| self.dictionary.is_brand(term))
        };
        [(a, b), (b, a)].into_iter().any(|(side, other)| {
            let is_said = |term: &u32| other.name.contains(term) && !self.is_of_another_brand(other, *term);
            brand(side).as_ref().is_some_and(is_said)
        }) && !quantities::stand_apart(&a.numbers, &b.numbers)
            && !(self.says_another_number(a, b) && self.says_another_number(b, a))
    }

    /// Whether the column names a brand that does not go by a word.
    fn is_of_another_brand(&self, side: &Profile, word: u32) -> bool {
        let word = self.dictionary.text(word);
        self.brand_of(side).is_some_and(|brand| !brand.key.contains(word) && !word.contains(&brand.key))
    }

    /// Whether each has a part number of its own in spite of what they share: what they share is on many listings, or
    /// their own ones are of one series, or one is the other's and a number of pieces of which that one says nothing.
    fn parts_differ(&self, a: &Profile, b: &Profile) -> bool {
        if part_pairs(a, b).next().is_none() {
            return false;
        }
        if quantities::says_pieces(&a.numbers) != quantities::says_pieces(&b.numbers)
            && part_pairs(a, b).any(|(x, y)| counts_pieces(x, y) || counts_pieces(y, x))
        {
            return true;
        }
        let (mine, theirs) = (self.own_parts(a, b), self.own_parts(b, a));
        let are_siblings = || mine.iter().any(|x| theirs.iter().any(|y| are_of_one_series(x, y)));
        !mine.is_empty() && !theirs.is_empty() && (!self.shares_rare_part(a, b) || are_siblings())
    }

    /// The part numbers of a name that few others have and that fit none of the other listing.
    fn own_parts<'a>(&self, side: &'a Profile, other: &Profile) -> Vec<&'a str> {
        let fits = |x: &str| other.part_numbers().any(|y| x.contains(y) || y.contains(x));
        let parts = side.parts.iter().map(|part| &**part);
        parts.filter(|part| is_mixed(part) && !fits(part) && self.is_rare_part(part, side)).collect()
    }

    /// Whether few listings of a platform have a part number.
    fn is_rare_part(&self, part: &str, side: &Profile) -> bool {
        is_rare_among(self.parts.postings(part), &self.listings_of(side.platform))
    }

    /// Whether a name has a term with a digit, and no measure, that the other lacks.
    fn says_another_number(&self, side: &Profile, other: &Profile) -> bool {
        side.name.iter().any(|&term| {
            self.dictionary.kind[term as usize] != TermKind::Word
                && !quantities::is_measure(self.lexicon, self.dictionary.text(term))
                && other.terms.binary_search(&term).is_err()
        })
    }

    /// Whether a platform's listing bears the label of a retailer that the other listing is not of.
    fn is_anothers_label(&self, a: &Profile, b: &Profile) -> bool {
        a.labels.iter().any(|label| {
            let sold = usize::from(b.platform) * self.lexicon.meanings(Kind::PrivateLabel).len()
                + usize::from(*label);
            !self.sells[sold] && !b.labels.contains(label)
        })
    }

    /// The variants of each side, without words of a brand that both sides name.
    pub(super) fn variants(&self, a: &Profile, b: &Profile) -> (u128, u128) {
        let mut brand_words = 0;
        for (side, other) in [(a, b), (b, a)] {
            if let Some(brand) = self.brand_of(side)
                && brand.variants != 0
                && brand.is_named_by(other, self.brand_of(other))
            {
                brand_words |= brand.variants;
            }
        }
        (a.variants & !brand_words, b.variants & !brand_words)
    }

    fn variants_differ(&self, a: &Profile, b: &Profile) -> bool {
        let (mine, theirs) = self.variants(a, b);
        if a.forms.differs(&self.groups, &b.forms) {
            return true;
        }
        if mine == theirs {
            return false;
        }
        let apart = mine ^ theirs;
        if apart & (self.bits.strict | self.bits.accessories & (a.head_variant | b.head_variant)) != 0 {
            return true;
        }
        let parts = part_match(a, b);
        let are_other_ones = |kind: u128| {
            let (x, y) = (mine & kind, theirs & kind);
            let is_some = x & y == x || x & y == y;
            x != 0 && y != 0 && x != y && !(is_some && parts == PartMatch::Shared)
        };
        [self.bits.colours, self.bits.wearers, self.bits.accessories].into_iter().any(are_other_ones)
            || apart & self.bits.outweighed != 0 && parts < PartMatch::Contained
    }

    /// Whether both have one brand and one part number in the column.
    pub(super) fn is_one_part(&self, a: &Profile, b: &Profile) -> bool {
        a.mpn.is_some() && a.mpn == b.mpn && self.brand_match(a, b) == BrandMatch::Equal
    }

    fn mpns_differ(&self, a: &Profile, b: &Profile) -> bool {
        let (Some(x), Some(y)) = (&a.mpn, &b.mpn) else { return false };
        self.brand_of(a).is_some() && a.brand == b.brand && !x.starts_with(&**y) && !y.starts_with(&**x)
    }

    /// Whether a part number is shared or contained that few listings of either platform have.
    fn shares_rare_part(&self, a: &Profile, b: &Profile) -> bool {
        part_pairs(a, b).any(|(x, y)| is_telling(x, y) && self.is_rare_part(x, a) && self.is_rare_part(y, b))
    }

    /// Whether both hold a term that few listings of either platform hold.
    fn shares_rare_term(&self, a: &Profile, b: &Profile) -> bool {
        let mut found = false;
        shared(&a.terms, &b.terms, |term| {
            found = found || [a, b].iter().any(|side| self.is_rare_on(term, side.platform));
        });
        found
    }

    fn is_rare_on(&self, term: u32, platform: u16) -> bool {
        is_rare_among(self.dictionary.postings(term), &self.listings_of(platform))
    }
}

/// Whether few of a platform's listings are among these, which are in order.
fn is_rare_among(postings: &[u32], platform: &Range<u32>) -> bool {
    let from = postings.partition_point(|&at| at < platform.start);
    let to = postings.partition_point(|&at| at < platform.end);
    to - from <= RARE_MIN.max(platform.len() / RARE_SHARE)
}

/// Pairs of part numbers that equal or contain one another.
pub(super) fn part_pairs<'a>(a: &'a Profile, b: &'a Profile) -> impl Iterator<Item = (&'a str, &'a str)> {
    a.part_numbers()
        .flat_map(move |x| b.part_numbers().map(move |y| (x, y)))
        .filter(|(x, y)| x.len().min(y.len()) >= PART_CHARS_MIN && (x.contains(y) || y.contains(x)))
}

/// Whether two part numbers of which one contains the other speak for one product: they are equal, or what is contained
/// ends where letters and digits meet. `dscw150` in `dscw150b` does, `fs10` in `fs105` and `9500i` in `9500ix` do not.
pub(super) fn is_telling(x: &str, y: &str) -> bool {
    let (inner, outer) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    let alike = |a: Option<&u8>, b: Option<&u8>| match (a, b) {
        (Some(a), Some(b)) => a.is_ascii_digit() == b.is_ascii_digit(),
        _ => false,
    };
    outer.match_indices(inner).any(|(from, _)| {
        let (inside, around) = (inner.as_bytes(), outer.as_bytes());
        let before = from.checked_sub(1).and_then(|at| around.get(at));
        !alike(before, inside.first()) && !alike(inside.last(), around.get(from + inside.len()))
    })
}

/// Whether a part number is another and a number of pieces: `417190002` and `4171900025pack`.
fn counts_pieces(part: &str, of: &str) -> bool {
    let Some(rest) = part.strip_prefix(of) else { return false };
    let word = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    word.len() < rest.len() && matches!(word, "pack" | "packs" | "pk")
}

/// Whether two part numbers are two of one series: long, and alike but for their middle.
fn are_of_one_series(x: &str, y: &str) -> bool {
    let (less, more) = (x.len().min(y.len()), x.len().max(y.len()));
    let ahead = x.bytes().zip(y.bytes()).take_while(|(x, y)| x == y).count();
    let behind = x.bytes().rev().zip(y.bytes().rev()).take_while(|(x, y)| x == y).count();
    less >= SERIES_CHARS_MIN && 3 * (ahead + behind).min(less) >= 2 * more
}

pub(super) fn part_match(a: &Profile, b: &Profile) -> PartMatch {
    let best = part_pairs(a, b).map(|(x, y)| match x == y {
        true => PartMatch::Shared,
        false if is_telling(x, y) => PartMatch::Contained,
        false => PartMatch::Silent,
    });
    let telling = |side: &Profile| side.part_numbers().any(is_mixed);
    best.max().unwrap_or(if telling(a) && telling(b) { PartMatch::Apart } else { PartMatch::Silent })
}

pub(super) fn packs_differ(a: &Profile, b: &Profile) -> bool {
    matches!((&a.pack, &b.pack), (Some(x), Some(y)) if pack::conflicts(x, y))
}

/// Whether both state one pack. Of a name that states several (`10 bars, 210 g`) one is enough, and so is the number of
/// pieces (`4 x 100 g`, `4 each`), but not one of which the other says nothing.
pub(super) fn packs_equal(a: &Profile, b: &Profile) -> bool {
    match (&a.pack, &b.pack) {
        (Some(x), Some(y)) if x.unit().dimension() == y.unit().dimension() => !pack::conflicts(x, y),
        _ => {
            quantities::share_an_amount(&a.amounts, &b.amounts)
                && quantities::says_pieces(&a.numbers) == quantities::says_pieces(&b.numbers)
        }
    }
}
