//! Where listings stand in the index.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use super::super::listing_key::ListingKeys;
use crate::snapshot::layout::{STOCK_IN, STOCK_MASK};
use crate::types::Country;

/// Groups of docs: by country, those of priced listings first.
const GROUP_FROM: u32 = 32;
/// The price takes the bits below this one, which says whether the listing is out of stock.
const STOCK_FROM: u32 = 31;

/// Listings by doc and docs by listing.
pub(super) struct DocOrdinals {
    /// The listing of each doc.
    pub row: Vec<u32>,
    /// The doc of each listing.
    pub doc: Vec<u32>,
    /// The rank of each doc among equally good matches.
    pub rank: Vec<u32>,
}

/// What ranks a listing, the most telling first. Two that are alike are told apart by what [`ListingKeys`] has of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Its group, then fewer than how many listings its entity has in the country.
    group_and_members: u64,
    /// Whether it is not in stock, then its price.
    stock_and_price: u32,
    row: u32,
}

impl DocOrdinals {
    /// Rows by country, priced ones first, then by length, then as equally good matches are ranked:
    /// larger entities in the country, in stock, cheaper, newer, smaller uid.
    pub(super) fn of(listing_keys: &ListingKeys, lengths: &[u32]) -> Self {
        let ranked = ranked(listing_keys);
        let by_length = |(rank, &row): (u64, &u32)| u64::from(lengths[row as usize]) << u32::BITS | rank;
        let mut keys: Vec<u64> = (0..).zip(&ranked).map(by_length).collect();
        let row_of = |key: u64| ranked[key as u32 as usize] as usize;
        let is_same_group =
            |a: &u64, b: &u64| group(listing_keys, row_of(*a)) == group(listing_keys, row_of(*b));
        keys.chunk_by_mut(is_same_group).for_each(<[u64]>::par_sort_unstable);
        let row: Vec<u32> = keys.iter().map(|&key| row_of(key) as u32).collect();
        let rank = keys.into_iter().map(|key| key as u32).collect();
        let mut doc = ranked;
        for (at, &row) in (0..).zip(&row) {
            doc[row as usize] = at;
        }
        Self { row, doc, rank }
    }

    /// The docs of priced listings of a country: they lie together.
    pub(super) fn priced(&self, listing_keys: &ListingKeys, country: Country) -> Range<u32> {
        let first = country.as_u8() << 1;
        let from =
            |least: u8| self.row.partition_point(|&row| group(listing_keys, row as usize) < least) as u32;
        from(first)..from(first + 1)
    }
}

/// Rows by group, then as equally good matches are ranked.
fn ranked(listing_keys: &ListingKeys) -> Vec<u32> {
    let rank = |row: u32| {
        let at = row as usize;
        let is_in_stock = listing_keys.flags[at] & STOCK_MASK == STOCK_IN;
        Rank {
            group_and_members: u64::from(group(listing_keys, at)) << GROUP_FROM
                | u64::from(u32::MAX - listing_keys.members[at]),
            stock_and_price: u32::from(!is_in_stock) << STOCK_FROM | listing_keys.price[at],
            row,
        }
    };
    let mut ranks: Vec<Rank> = (0..listing_keys.len() as u32).into_par_iter().map(rank).collect();
    let rest = |of: &Rank| {
        (Reverse(listing_keys.latest_instant[of.row as usize]), listing_keys.uid[of.row as usize], of.row)
    };
    ranks.par_sort_unstable_by(|a, b| {
        let first = |of: &Rank| (of.group_and_members, of.stock_and_price);
        first(a).cmp(&first(b)).then_with(|| rest(a).cmp(&rest(b)))
    });
    ranks.into_iter().map(|rank| rank.row).collect()
}

/// The group of a listing: by country, priced ones first.
fn group(listing_keys: &ListingKeys, row: usize) -> u8 {
    listing_keys.country(row).as_u8() << 1 | u8::from(!listing_keys.is_priced(row))
}
