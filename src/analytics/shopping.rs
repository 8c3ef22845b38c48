//! The cost of a shopping list: at one retailer, at two, and with each item where it is cheapest.
//!
//! Sums are in whole cents. Retailers are numbered in the order of their keys.

use std::cmp::Reverse;

/// The worth of an item that a retailer carries, before its cost is subtracted, in cents. This constant exceeds the
/// cost of any list. Of two sums of worths, the larger one therefore belongs to more items or, if the numbers of items
/// are equal, to a lower cost. An item that is not carried has a worth of 0.
const CARRIED: u64 = 1 << 48;

/// An item of the list, with at least one offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedItem {
    /// The quantity.
    pub quantity: u32,
    /// The retailers that offer it, each once, with the price of one unit in cents, cheapest first.
    pub offers: Vec<(u16, u32)>,
}

/// The cost of the list at one retailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtRetailer {
    /// The retailer.
    pub retailer: u16,
    /// The number of items that the retailer offers.
    pub carried: u32,
    /// The indices of the items that the retailer does not offer.
    pub missing: Vec<usize>,
    /// The cost of the items that the retailer offers, in cents.
    pub total: u64,
    /// The cost of the whole list in cents, where each missing item is bought at the cheapest other retailer.
    pub completed: u64,
}

/// The cost of the list at several retailers, with each item at the cheapest of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtSeveral {
    /// The retailers, ascending.
    pub retailers: Vec<u16>,
    /// The number of items that these retailers offer.
    pub carried: u32,
    /// The cost of these items, in cents.
    pub total: u64,
}

/// The ways to buy a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways {
    /// All retailers, in descending order of carried items, then by completed total, then by key.
    pub retailers: Vec<AtRetailer>,
    /// The two retailers that together carry the most items; of equal pairs the cheapest, then the first by key. `None`
    /// if there is only one retailer.
    pub pair: Option<AtSeveral>,
    /// The cost if each item is bought where it is cheapest.
    pub split: AtSeveral,
}

impl WantedItem {
    fn cost(&self, cents: u32) -> u64 {
        u64::from(cents) * u64::from(self.quantity)
    }

    fn cheapest(&self) -> u64 {
        self.offers.first().map_or(0, |&(_, cents)| self.cost(cents))
    }
}

impl Ways {
    /// Computes the ways for a list. Each item must have an offer.
    pub fn of(list: &[WantedItem]) -> Self {
        let mut keys: Vec<u16> =
            list.iter().flat_map(|item| &item.offers).map(|&(retailer, _)| retailer).collect();
        keys.sort_unstable();
        keys.dedup();
        // The worth of each item at each retailer, one row per retailer.
        let mut worths = vec![0; keys.len() * list.len()];
        for (at, item) in list.iter().enumerate() {
            for &(retailer, cents) in &item.offers {
                if let Ok(row) = keys.binary_search(&retailer) {
                    worths[row * list.len() + at] = CARRIED - item.cost(cents);
                }
            }
        }
        let rows: Vec<&[u64]> = worths.chunks_exact(list.len().max(1)).collect();
        let all: u64 = list.iter().map(WantedItem::cheapest).sum();
        let at_retailer = |(&retailer, row): (&u16, &&[u64])| {
            let (mut missing, mut elsewhere) = (Vec::new(), 0);
            for (at, _) in row.iter().enumerate().filter(|&(_, &worth)| worth == 0) {
                missing.push(at);
                elsewhere += list[at].cheapest();
            }
            let (carried, total) = carried_and_total(row.iter().sum());
            AtRetailer { retailer, carried, missing, total, completed: total + elsewhere }
        };
        let mut retailers: Vec<AtRetailer> = keys.iter().zip(&rows).map(at_retailer).collect();
        retailers.sort_by_key(|at| (Reverse(at.carried), at.completed, at.retailer));
        let mut split: Vec<u16> = list.iter().filter_map(|item| Some(item.offers.first()?.0)).collect();
        split.sort_unstable();
        split.dedup();
        Self {
            retailers,
            pair: pair(&keys, &rows),
            split: AtSeveral { retailers: split, carried: list.len() as u32, total: all },
        }
    }
}

/// The number of items and their cost, from a sum of worths.
fn carried_and_total(worth: u64) -> (u32, u64) {
    let carried = worth.div_ceil(CARRIED);
    (carried as u32, carried * CARRIED - worth)
}

/// The two retailers that together carry the most items, each item at the cheaper of the two. Of equal pairs the
/// cheapest, then the first by key. `None` with fewer than two retailers.
///
/// The worth of a pair is at most the sum of the worths of both retailers. Retailers are therefore tried in descending
/// order of worth, and a pair whose bound is below the best is skipped. This excludes most pairs if many retailers
/// carry few items.
fn pair(keys: &[u16], rows: &[&[u64]]) -> Option<AtSeveral> {
    let mut worths: Vec<(u64, usize)> = rows.iter().map(|row| row.iter().sum()).zip(0..).collect();
    worths.sort_unstable_by_key(|&(worth, at)| (Reverse(worth), at));
    let mut best: Option<(u64, Reverse<(usize, usize)>)> = None;
    for (place, &(one, first)) in worths.iter().enumerate() {
        for &(other, second) in &worths[place + 1..] {
            if best.is_some_and(|(most, _)| one + other < most) {
                break;
            }
            let worth = rows[first].iter().zip(rows[second]).map(|(one, other)| one.max(other)).sum();
            best = best.max(Some((worth, Reverse((first.min(second), first.max(second))))));
        }
    }
    let (worth, Reverse((first, second))) = best?;
    let (carried, total) = carried_and_total(worth);
    Some(AtSeveral { retailers: vec![keys[first], keys[second]], carried, total })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wanted(quantity: u32, offers: &[(u16, u32)]) -> WantedItem {
        let mut offers = offers.to_vec();
        offers.sort_by_key(|&(retailer, cents)| (cents, retailer));
        WantedItem { quantity, offers }
    }

    #[test]
    fn completes_baskets_with_items_from_other_retailers() {
        let (a, b) = (0, 1);
        let ways = Ways::of(&[wanted(2, &[(a, 300), (b, 400)]), wanted(1, &[(b, 500)])]);
        let sums = |at: &AtRetailer| (at.retailer, at.carried, at.total, at.completed);
        assert_eq!(
            ways.retailers.iter().map(sums).collect::<Vec<_>>(),
            [(b, 2, 1300, 1300), (a, 1, 600, 1100)]
        );
        assert_eq!(ways.retailers[1].missing, [1]);
        let both = AtSeveral { retailers: vec![a, b], carried: 2, total: 1100 };
        assert_eq!((ways.pair.as_ref(), &ways.split), (Some(&both), &both));
    }

    #[test]
    fn proposes_no_pair_for_one_retailer() {
        let ways = Ways::of(&[wanted(1, &[(4, 10)])]);
        assert_eq!((ways.pair, ways.split.retailers), (None, vec![4]));
    }

    proptest! {
        /// The split is never more expensive than another way, and two retailers never carry fewer items than one.
        #[test]
        fn more_retailers_are_never_worse(
            list in proptest::collection::vec(
                (1..9_u32, proptest::collection::btree_map(0..6_u16, 1..2_000_u32, 1..6)),
                1..9,
            )
        ) {
            let list: Vec<WantedItem> = list
                .into_iter()
                .map(|(quantity, offers)| wanted(quantity, &offers.into_iter().collect::<Vec<_>>()))
                .collect();
            let ways = Ways::of(&list);
            for at in &ways.retailers {
                prop_assert!(ways.split.total <= at.completed);
                prop_assert_eq!(at.carried as usize + at.missing.len(), list.len());
                if let Some(pair) = &ways.pair {
                    prop_assert!(pair.carried >= at.carried);
                }
            }
            // Compares the pair with all pairs, computed directly from the offers.
            let cost = |item: &WantedItem, two: [u16; 2]| {
                let offers = item.offers.iter().filter(|(retailer, _)| two.contains(retailer));
                offers.map(|&(_, cents)| item.cost(cents)).min()
            };
            let mut best = None;
            for one in 0..6 {
                for other in one + 1..6 {
                    let is_there = |wanted: u16| ways.retailers.iter().any(|at| at.retailer == wanted);
                    if is_there(one) && is_there(other) {
                        let costs: Vec<u64> = list.iter().filter_map(|item| cost(item, [one, other])).collect();
                        let found = (usize::MAX - costs.len(), costs.iter().sum::<u64>(), one, other);
                        best = Some(best.map_or(found, |best: (usize, u64, u16, u16)| best.min(found)));
                    }
                }
            }
            let pair = ways.pair.map(|pair| {
                (usize::MAX - pair.carried as usize, pair.total, pair.retailers[0], pair.retailers[1])
            });
            prop_assert_eq!(pair, best);
        }
    }
}
