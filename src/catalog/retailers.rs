//! Where a retailer's listings stand in the text index: what is asked at one retailer is looked for among its listings, where
//! these are fewer than those that have the words.

use super::{Listings, TextIndex};
use crate::domain::Country;

/// The places of priced listings, ascending, by country and platform.
#[derive(Debug)]
pub(super) struct RetailerPlaces([Vec<Vec<u32>>; Country::ALL.len()]);

impl RetailerPlaces {
    /// Those of so many platforms.
    pub(super) fn of(text: &TextIndex, listings: &Listings, platforms: usize) -> Self {
        Self(Country::ALL.map(|country| {
            let mut places = vec![Vec::new(); platforms];
            for (place, row) in text.priced_rows(country) {
                places[listings.platform[row as usize] as usize].push(place);
            }
            places.iter_mut().for_each(Vec::shrink_to_fit);
            places
        }))
    }

    /// Those of a platform in a country.
    pub(super) fn at(&self, platform: u16, country: Country) -> &[u32] {
        &self.0[country.as_u8() as usize][platform as usize]
    }
}
