//! Per-country statistics that are not stored in the snapshot, computed in one pass over the listings of a country and
//! one pass over the entities.

use rayon::prelude::*;

use super::Catalog;
use crate::types::{Country, Day};

/// The minimum number of listings, or of entities, per parallel task.
const ROWS_PER_TASK: usize = 16_384;

/// The size of a snapshot in a country. Counts include listings that are not priced, unless a field is restricted to
/// priced listings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountryStats {
    /// Listings.
    pub listings: u32,
    /// Priced listings.
    pub priced: u32,
    /// Listings with a usable barcode.
    pub barcoded: u32,
    /// Entities with a listing.
    pub entities: u32,
    /// Entities with a priced listing.
    pub priced_entities: u32,
    /// Entities with priced listings of at least two retailers.
    pub cross_retailer_entities: u32,
    /// Retailers with a listing.
    pub retailers: u32,
    /// Brands with a listing.
    pub brands: u32,
    /// Categories with a listing.
    pub categories: u32,
    /// Root categories with a listing.
    pub roots: u32,
    /// Number of days on which a listing was observed, summed over listings.
    pub observations: u64,
    /// First and last day with an observation; `None` without observations.
    pub observed: Option<(Day, Day)>,
}

impl CountryStats {
    /// Computes the statistics of a country.
    pub(super) fn of(catalog: &Catalog, country: Country) -> Self {
        let (listings, entities) =
            rayon::join(|| ByListing::of(catalog, country), || ByEntity::of(catalog, country));
        let at = country.as_u8() as usize;
        let taxonomy = &catalog.taxonomy;
        let nodes = (0..).zip(taxonomy.nodes());
        let is_there = nodes.filter(|&(node, _)| taxonomy.exists(country, node));
        let (categories, roots) = is_there.fold((0, 0), |(categories, roots), (_, node)| {
            (categories + 1, roots + u32::from(node.parent.is_none()))
        });
        let first_to_last = listings.days.map(|(first, last)| (catalog.day(first), catalog.day(last)));
        Self {
            listings: catalog.country_rows(country).len() as u32,
            priced: listings.priced,
            barcoded: listings.barcoded,
            entities: entities.all,
            priced_entities: entities.priced,
            cross_retailer_entities: entities.across,
            retailers: listings.retailers.iter().filter(|&&is_there| is_there).count() as u32,
            brands: catalog.brands.iter().filter(|brand| brand.listings[at] > 0).count() as u32,
            categories,
            roots,
            observations: listings.observations,
            observed: first_to_last,
        }
    }
}

/// The counts over listings.
struct ByListing {
    priced: u32,
    barcoded: u32,
    retailers: Vec<bool>,
    observations: u64,
    days: Option<(u16, u16)>,
}

impl ByListing {
    fn of(catalog: &Catalog, country: Country) -> Self {
        let none = || Self {
            priced: 0,
            barcoded: 0,
            retailers: vec![false; catalog.platforms.len()],
            observations: 0,
            days: None,
        };
        let rows = catalog.country_rows(country).into_par_iter().with_min_len(ROWS_PER_TASK);
        rows.fold(none, |part, row| part.with(catalog, row)).reduce(none, Self::plus)
    }

    fn with(mut self, catalog: &Catalog, row: u32) -> Self {
        let (listings, at) = (&catalog.listings, row as usize);
        self.priced += u32::from(listings.priced[at]);
        self.barcoded += u32::from(listings.gtin[at] != 0);
        self.retailers[usize::from(listings.platform[at])] = true;
        self.observations += u64::from(catalog.spells.observed(row));
        self.days = joined(self.days, catalog.seen_span(row));
        self
    }

    fn plus(mut self, other: Self) -> Self {
        self.priced += other.priced;
        self.barcoded += other.barcoded;
        self.retailers.iter_mut().zip(other.retailers).for_each(|(one, other)| *one |= other);
        self.observations += other.observations;
        self.days = joined(self.days, other.days);
        self
    }
}

/// The range that covers both ranges of days.
fn joined(one: Option<(u16, u16)>, other: Option<(u16, u16)>) -> Option<(u16, u16)> {
    match (one, other) {
        (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
        (one, other) => one.or(other),
    }
}

/// The counts over entities.
#[derive(Clone, Copy, Default)]
struct ByEntity {
    all: u32,
    priced: u32,
    across: u32,
}

impl ByEntity {
    fn of(catalog: &Catalog, country: Country) -> Self {
        let rows = catalog.country_rows(country);
        let (priced, platform) = (&catalog.listings.priced, &catalog.listings.platform);
        let count = |part: Self, entity: u32| {
            let members = catalog.entities.members(entity, &rows);
            let offers = members.iter().filter(|&&row| priced[row as usize] == 1);
            let mut sellers = offers.map(|&row| platform[row as usize]);
            let first = sellers.next();
            Self {
                all: part.all + u32::from(!members.is_empty()),
                priced: part.priced + u32::from(first.is_some()),
                across: part.across + u32::from(sellers.any(|seller| Some(seller) != first)),
            }
        };
        let plus = |one: Self, other: Self| Self {
            all: one.all + other.all,
            priced: one.priced + other.priced,
            across: one.across + other.across,
        };
        let entities = (0..catalog.entities.len() as u32).into_par_iter().with_min_len(ROWS_PER_TASK);
        entities.fold(Self::default, count).reduce(Self::default, plus)
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn days_are_joined_whatever_is_missing() {
        assert_eq!(joined(None, None), None);
        assert_eq!(joined(Some((3, 5)), None), Some((3, 5)));
        assert_eq!(joined(None, Some((3, 5))), Some((3, 5)));
        assert_eq!(joined(Some((3, 5)), Some((1, 4))), Some((1, 5)));
        assert_eq!(joined(Some((3, 5)), Some((7, 9))), Some((3, 9)));
    }
}
