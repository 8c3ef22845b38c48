//! Observations of an opened snapshot day by day, slowly: every day is looked up by itself.

use pricebook::catalog::Catalog;
use pricebook::snapshot::layout::NO_DAY;

/// An observation: day from the snapshot's first, price and list price in cents, flags.
pub type Daily = (u16, u32, u32, u8);

/// A listing's observations, days ascending.
pub fn of(catalog: &Catalog, listing: u32) -> Vec<Daily> {
    let (spells, at) = (&catalog.spells, listing as usize);
    let (first, last) = (spells.first_day[at], catalog.listings.current_day[at]);
    if first == NO_DAY {
        return Vec::new();
    }
    let words = &spells.days[spells.day_offsets[at] as usize..spells.day_offsets[at + 1] as usize];
    let was_seen = |day: &u16| {
        let bit = usize::from(day - first);
        words.is_empty() || words[bit / 64] & 1 << (bit % 64) != 0
    };
    let said = |(day, place): (u16, u16)| {
        let mut rows = spells.offsets[at] as usize..spells.offsets[at + 1] as usize;
        let row = rows.find(|&row| spells.end[row] > place).expect("a spell of every place");
        (day, spells.price[row], spells.list_price[row], spells.flags[row])
    };
    (first..=last).filter(was_seen).zip(0..).map(said).collect()
}

/// All observations, listing by listing.
pub fn all(catalog: &Catalog) -> Vec<(u32, Daily)> {
    let listings = 0..catalog.listings.country.len() as u32;
    listings.flat_map(|listing| of(catalog, listing).into_iter().map(move |seen| (listing, seen))).collect()
}
