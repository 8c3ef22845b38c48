//! Whether listings of one barcode can be one product at all.

use std::collections::{BTreeSet, HashMap};
use std::io;

use super::super::normalized::NONE;
use super::super::scratch::TempColumns;
use super::listing_key::{ListingKeys, Member};
use crate::lang::text::terms::terms;
use crate::lang::{Lexicon, pack};
use crate::snapshot::layout::suspect;
use crate::types::Condition;

/// Two priced new members whose prices differ by more than this factor are not one product.
const PRICE_FACTOR_MAX: u64 = 3;
/// Shortest name word that counts as common, in characters.
const COMMON_WORD_CHARS_MIN: usize = 3;

/// Suspicion bits of the members of an entity in one country. `listings` has their names.
pub(super) fn suspicion(
    lexicon: &Lexicon,
    keys: &ListingKeys,
    listings: &TempColumns,
    members: &[Member],
) -> io::Result<u8> {
    if members.len() < 2 {
        return Ok(0);
    }
    let mut bits = 0;
    let new_prices = members
        .iter()
        .map(|member| member.row as usize)
        .filter(|&row| keys.is_priced(row) && keys.condition(row) == Condition::New)
        .map(|row| u64::from(keys.price[row]))
        .collect();
    if prices_conflict(new_prices) {
        bits |= suspect::PRICE_RATIO;
    }
    if pack::any_conflict(members.iter().filter_map(Member::pack)) {
        bits |= suspect::PACK_CONFLICT;
    }
    if brands_conflict(lexicon, keys, listings, members)? {
        bits |= suspect::BRAND_CONFLICT;
    }
    Ok(bits)
}

/// Two prices: further apart than the factor; three or more: one further than the factor from their median.
fn prices_conflict(mut prices: Vec<u64>) -> bool {
    prices.sort_unstable();
    let (Some(&low), Some(&high)) = (prices.first(), prices.last()) else { return false };
    let n = prices.len();
    if n < 3 {
        return high > PRICE_FACTOR_MAX * low;
    }
    let twice_median = prices[(n - 1) / 2] + prices[n / 2];
    2 * high > PRICE_FACTOR_MAX * twice_median || 2 * PRICE_FACTOR_MAX * low < twice_median
}

/// Whether two members have different brands and names without a common word.
fn brands_conflict(
    lexicon: &Lexicon,
    keys: &ListingKeys,
    listings: &TempColumns,
    members: &[Member],
) -> io::Result<bool> {
    let branded = || members.iter().map(|member| member.row).filter(|&row| keys.brand[row as usize] != NONE);
    let brand = |row: u32| keys.brand[row as usize];
    // Names are read only where there are two brands.
    if !branded().any(|row| branded().next().is_some_and(|first| brand(first) != brand(row))) {
        return Ok(false);
    }
    let mut names: BTreeSet<(u32, Vec<String>)> = BTreeSet::new();
    for row in branded() {
        let name = listings.string("name", row.into())?;
        let mut words: Vec<String> = terms(lexicon, &name).into_iter().map(|term| term.written).collect();
        words.retain(|word| word.chars().count() >= COMMON_WORD_CHARS_MIN);
        words.sort_unstable();
        words.dedup();
        names.insert((brand(row), words));
    }
    Ok(two_are_apart(&names.into_iter().collect::<Vec<_>>()))
}

/// Whether two of these brands with words, in order and each once, have neither brand nor a word in common.
fn two_are_apart(names: &[(u32, Vec<String>)]) -> bool {
    let holders = Holders::of(names);
    // Names that share their most frequent word are not apart: of two that are, one lacks it.
    let common = holders.most_frequent();
    let lacks_it = |words: &[String]| common.is_none_or(|common| !words.iter().any(|word| word == common));
    let mut reached = vec![0_u64; names.len().div_ceil(BLOCK)];
    names.iter().filter(|(_, words)| lacks_it(words)).any(|(brand, words)| {
        // Those of its brand, which lie together, and those that share a word; is anybody left?
        reached.fill(0);
        let from = names.partition_point(|(other, _)| other < brand);
        let to = names.partition_point(|(other, _)| other <= brand);
        for at in from..to {
            mark(&mut reached, at);
        }
        for word in words {
            holders.reach(word, &mut reached);
        }
        reached.iter().map(|bits| bits.count_ones() as usize).sum::<usize>() < names.len()
    })
}

/// Names of which a word of bits says whether they are reached.
const BLOCK: usize = u64::BITS as usize;

fn mark(bits: &mut [u64], at: usize) {
    bits[at / BLOCK] |= 1 << (at % BLOCK);
}

/// Which names hold a word: a list for rare words, a bit of each name for frequent ones, so that what a name is held
/// against takes a bit each at most.
struct Holders<'a> {
    of: HashMap<&'a str, Rows>,
    /// The most frequent word and how many hold it.
    most: Option<(usize, &'a str)>,
}

enum Rows {
    Few(Vec<u32>),
    Many(Vec<u64>),
}

impl<'a> Holders<'a> {
    fn of(names: &'a [(u32, Vec<String>)]) -> Self {
        let mut lists: HashMap<&str, Vec<u32>> = HashMap::new();
        for (at, (_, words)) in (0..).zip(names) {
            for word in words {
                lists.entry(word).or_default().push(at);
            }
        }
        let most = lists.iter().map(|(word, list)| (list.len(), *word)).max();
        let blocks = names.len().div_ceil(BLOCK);
        let held = |list: Vec<u32>| {
            if list.len() <= blocks {
                return Rows::Few(list);
            }
            let mut bits = vec![0; blocks];
            for at in list {
                mark(&mut bits, at as usize);
            }
            Rows::Many(bits)
        };
        Self { of: lists.into_iter().map(|(word, list)| (word, held(list))).collect(), most }
    }

    fn most_frequent(&self) -> Option<&'a str> {
        self.most.map(|(_, word)| word)
    }

    /// Marks the names that hold a word.
    fn reach(&self, word: &str, reached: &mut [u64]) {
        match self.of.get(word) {
            None => {}
            Some(Rows::Few(list)) => {
                for &at in list {
                    mark(reached, at as usize);
                }
            }
            Some(Rows::Many(bits)) => {
                for (all, bits) in reached.iter_mut().zip(bits) {
                    *all |= bits;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{prices_conflict, two_are_apart};

    proptest! {
        /// Few words and brands, so that all of it happens; many names, so that some words are held by many.
        #[test]
        fn names_are_apart_as_all_pairs_say(
            names in proptest::collection::btree_set((0..3_u32, proptest::collection::btree_set(0..6_u32, 0..4)), 0..90),
        ) {
            let names: Vec<(u32, Vec<String>)> = names
                .into_iter()
                .map(|(brand, words)| (brand, words.into_iter().map(|word| word.to_string()).collect()))
                .collect();
            let apart = |a: &(u32, Vec<String>), b: &(u32, Vec<String>)| {
                a.0 != b.0 && !a.1.iter().any(|word| b.1.contains(word))
            };
            prop_assert_eq!(two_are_apart(&names), names.iter().any(|a| names.iter().any(|b| apart(a, b))));
        }
    }

    #[test]
    fn prices_too_far_apart_are_suspect() {
        for (prices, expect) in [
            (vec![], false),
            (vec![100], false),
            (vec![100, 300], false),
            (vec![100, 301], true),
            (vec![100, 100, 301], true),
            (vec![100, 200, 300], false),
            (vec![66, 200, 201], true),
            (vec![1480, 1500, 166_600], true),
            (vec![100, 100, 200, 450], false),
            (vec![100, 100, 200, 451], true),
        ] {
            assert_eq!(prices_conflict(prices.clone()), expect, "{prices:?}");
        }
    }
}
