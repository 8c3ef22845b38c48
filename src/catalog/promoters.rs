//! Which retailers show promotions: who never does says nothing by not being on promotion.

use rayon::prelude::*;

use super::Listings;
use crate::snapshot::layout::PROMO;
use crate::types::Country;

/// Listings that one task looks at, at least.
const LISTINGS_PER_TASK: usize = 16_384;

/// The retailers of each country that show promotions.
#[derive(Debug, Default)]
pub struct Promoters([Vec<bool>; Country::ALL.len()]);

impl Promoters {
    /// Those that have a priced listing with a list price, or on promotion, among so many platforms.
    pub(super) fn of(listings: &Listings, platforms: usize) -> Self {
        let none = || Country::ALL.map(|_| vec![false; platforms]);
        let mark = |mut marks: [Vec<bool>; Country::ALL.len()], row: usize| {
            let shows = listings.current_list_price[row] > 0 || listings.current_flags[row] & PROMO != 0;
            if shows && listings.priced[row] == 1 {
                marks[listings.country[row] as usize][listings.platform[row] as usize] = true;
            }
            marks
        };
        let either = |mut one: [Vec<bool>; Country::ALL.len()], other: [Vec<bool>; Country::ALL.len()]| {
            let pairs = one.iter_mut().flatten().zip(other.iter().flatten());
            pairs.for_each(|(one, other)| *one |= other);
            one
        };
        let rows = (0..listings.priced.len()).into_par_iter().with_min_len(LISTINGS_PER_TASK);
        Self(rows.fold(none, mark).reduce(none, either))
    }

    /// Of each platform, whether it does in a country.
    pub fn of_country(&self, country: Country) -> &[bool] {
        &self.0[country.as_u8() as usize]
    }
}
