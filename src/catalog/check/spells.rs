//! Checks that spells and seen days are consistent with each other and with the counts of observations.

use crate::catalog::Catalog;
use crate::snapshot::layout::{self, NO_DAY, PROMO, STOCK_MASK};
use crate::snapshot::spells::WORD_DAYS;
use crate::snapshot::values::first_bad;

/// Offsets must start at 0 and must not decrease. The number of loaded rows already equals the last offset.
pub(super) fn offsets(catalog: &Catalog) -> Option<String> {
    let spells = &catalog.spells;
    let fault = |name: &str, offsets: &[u64]| {
        if offsets.first() != Some(&0) {
            return Some(format!("spells: the first {name} is not 0"));
        }
        let bad = first_bad(offsets.len() - 1, |row| offsets[row] <= offsets[row + 1])?;
        Some(format!("spells: {name} {} is less than the one before", bad + 1))
    };
    fault("offset", &spells.offsets).or_else(|| fault("day_offset", &spells.day_offsets))
}

/// Every spell must have an observation and must differ from the spell before it.
pub(super) fn rows(catalog: &Catalog) -> Option<String> {
    let bad = first_bad(catalog.listings.country.len(), |listing| are_spells(catalog, listing as u32))?;
    Some(format!("spells: the spells of listing {bad} are inconsistent"))
}

fn are_spells(catalog: &Catalog, listing: u32) -> bool {
    let spells = &catalog.spells;
    let said = |row: usize| (spells.price[row], spells.list_price[row], spells.flags[row]);
    let (mut before, mut end) = (None, 0);
    spells.of(listing).all(|row| {
        let (price, list_price, flags) = said(row);
        let holds = spells.end[row] > end
            && before != Some(said(row))
            && price > 0
            && flags <= (STOCK_MASK | PROMO)
            && flags & STOCK_MASK != STOCK_MASK
            && spells.depth[row] == layout::depth(price, list_price);
        (before, end) = (Some(said(row)), spells.end[row]);
        holds
    })
}

/// The number of days on which a listing was seen must equal the number of observations in its spells. Day words must
/// be present exactly if a day is missing between the first and the last; they must begin and end with a seen day.
pub(super) fn days(catalog: &Catalog) -> Option<String> {
    let bad = first_bad(catalog.listings.country.len(), |listing| are_days(catalog, listing as u32))?;
    Some(format!("spells: the days of listing {bad} do not match its observations"))
}

fn are_days(catalog: &Catalog, listing: u32) -> bool {
    let (first, last) =
        (catalog.spells.first_day[listing as usize], catalog.listings.current_day[listing as usize]);
    let (words, observed) = (catalog.spells.words(listing), catalog.spells.observed(listing));
    if observed == 0 {
        return first == NO_DAY && last == NO_DAY && words.is_empty();
    }
    if first > last || i32::from(last) >= catalog.as_of.minus(catalog.first_day) {
        return false;
    }
    let behind = last - first;
    let is_whole = u32::from(observed) == u32::from(behind) + 1;
    match words {
        [] => is_whole,
        [begin, ..] => {
            let set: u32 = words.iter().map(|word| word.count_ones()).sum();
            !is_whole
                && words.len() == usize::from(behind / WORD_DAYS) + 1
                && begin & 1 == 1
                && words[words.len() - 1] >> (behind % WORD_DAYS) == 1
                && set == u32::from(observed)
        }
    }
}

/// The spells must have as many observations as the manifest counts.
pub(super) fn observations(catalog: &Catalog) -> Option<String> {
    let listings = catalog.listings.country.len() as u32;
    let held: u64 = (0..listings).map(|listing| u64::from(catalog.spells.observed(listing))).sum();
    let counted = catalog.manifest.counts.observations;
    (held != counted).then(|| format!("spells: {held} observations instead of {counted}"))
}
