//! The assortment of a retailer compared with others: overlap, gaps, and new and delisted listings.
//!
//! Products are compared by barcode. A retailer *sells* a product if it has a priced listing of it anywhere in the
//! country, because another retailer's category tree may classify the product differently.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use super::offers;
use super::scope::Scope;
use crate::catalog::Catalog;
use crate::stats::exact::{Rational, median_of_cents};

/// The minimum number of entities per parallel task.
const ENTITIES_PER_TASK: usize = 1_024;

/// Another retailer, compared with the retailer in question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharingRetailer {
    /// The platform of the other retailer.
    pub platform: u16,
    /// The number of barcoded products that the other retailer sells in the category, or shares with the retailer in
    /// question.
    pub entities: u32,
    /// The number of barcoded products of the retailer in question that the other retailer sells too.
    pub shared: u32,
}

/// A product that other retailers sell and the retailer in question does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Entity.
    pub entity: u32,
    /// The row of its best offer in the country.
    pub best: u32,
    /// The number of retailers that sell it.
    pub retailers: u32,
    /// Lowest price in cents.
    pub lowest: u32,
    /// Median of the prices in cents.
    pub median: Rational,
}

/// The overlap of a retailer's barcoded products with those of other retailers.
#[derive(Debug, Default)]
pub struct AssortmentOverlap {
    /// The number of the retailer's barcoded products in the category.
    pub own: u32,
    /// The number of these that only this retailer sells.
    pub exclusive: u32,
    /// The other retailers, in descending order of `shared`, then of `entities`, then by key.
    pub peers: Vec<SharingRetailer>,
    /// Products that the retailer lacks, in descending order of the number of retailers that sell them, then by the uid
    /// of the best offer.
    pub gaps: Vec<Gap>,
}

/// The result of one parallel task.
struct Part {
    own: u32,
    exclusive: u32,
    peers: Vec<SharingRetailer>,
    gaps: Vec<Gap>,
}

impl AssortmentOverlap {
    /// Compares one retailer with the others in a category, given the category's priced rows in ascending order. A
    /// product counts as a gap if at least `min_retailers` sell it.
    pub fn of(catalog: &Catalog, scope: &Scope, own: u16, priced: &[u32], min_retailers: u32) -> Self {
        let (gtin, entity) = (&catalog.listings.gtin, &catalog.listings.entity);
        let mut entities: Vec<u32> =
            priced.iter().filter(|&&row| gtin[row as usize] != 0).map(|&row| entity[row as usize]).collect();
        entities.par_sort_unstable();
        entities.dedup();
        let country = catalog.country_rows(scope.country);
        let mut in_category = vec![false; country.len()];
        for &row in priced {
            in_category[(row - country.start) as usize] = true;
        }
        let look = AssortmentScope { catalog, country, in_category: &in_category, own, min_retailers };
        let parts: Vec<Part> = entities.par_chunks(ENTITIES_PER_TASK).map(|part| look.at(part)).collect();
        let mut found = Self::default();
        let mut peers = look.no_peers();
        for part in parts {
            found.own += part.own;
            found.exclusive += part.exclusive;
            for (peer, other) in peers.iter_mut().zip(part.peers) {
                peer.entities += other.entities;
                peer.shared += other.shared;
            }
            found.gaps.extend(part.gaps);
        }
        peers.retain(|peer| peer.entities > 0);
        // The sort is stable, and platforms are numbered in the order of their keys.
        peers.sort_by_key(|peer| (Reverse(peer.shared), Reverse(peer.entities)));
        let uids = &catalog.listings.product_uid;
        found.gaps.sort_unstable_by_key(|gap| (Reverse(gap.retailers), uids[gap.best as usize]));
        found.peers = peers;
        found
    }
}

/// The inputs of the comparison.
struct AssortmentScope<'a> {
    catalog: &'a Catalog,
    country: Range<u32>,
    /// Whether a row of the country is priced and in the category.
    in_category: &'a [bool],
    own: u16,
    min_retailers: u32,
}

impl AssortmentScope<'_> {
    fn no_peers(&self) -> Vec<SharingRetailer> {
        (0..self.catalog.platforms.len() as u16)
            .map(|platform| SharingRetailer { platform, ..SharingRetailer::default() })
            .collect()
    }

    fn at(&self, entities: &[u32]) -> Part {
        let mut part = Part { own: 0, exclusive: 0, peers: self.no_peers(), gaps: Vec::new() };
        // The retailers of one entity, and whether each has it in the category.
        let mut sellers: Vec<(u16, bool)> = Vec::new();
        for &entity in entities {
            sellers.clear();
            for row in self.priced(entity) {
                let platform = self.catalog.listings.platform[row as usize];
                let is_here = self.in_category[(row - self.country.start) as usize];
                match sellers.iter_mut().find(|(known, _)| *known == platform) {
                    Some((_, here)) => *here |= is_here,
                    None => sellers.push((platform, is_here)),
                }
            }
            let own = sellers.iter().find(|(platform, _)| *platform == self.own);
            let is_own = own.is_some_and(|(_, is_here)| *is_here);
            part.own += u32::from(is_own);
            part.exclusive += u32::from(is_own && sellers.len() == 1);
            for &(platform, is_here) in sellers.iter().filter(|(platform, _)| *platform != self.own) {
                let peer = &mut part.peers[usize::from(platform)];
                peer.shared += u32::from(is_own);
                peer.entities += u32::from(is_own || is_here);
            }
            if own.is_none() && sellers.len() as u32 >= self.min_retailers {
                part.gaps.extend(self.gap(entity, sellers.len() as u32));
            }
        }
        part
    }

    fn priced(&self, entity: u32) -> impl Iterator<Item = u32> + '_ {
        let members = self.catalog.entities.members(entity, &self.country);
        members.iter().copied().filter(|&row| self.catalog.listings.priced[row as usize] == 1)
    }

    fn gap(&self, entity: u32, retailers: u32) -> Option<Gap> {
        let mut cents: Vec<u32> =
            self.priced(entity).map(|row| self.catalog.listings.current_price[row as usize]).collect();
        Some(Gap {
            entity,
            best: self.priced(entity).min_by_key(|&row| offers::place(self.catalog, row))?,
            retailers,
            lowest: cents.iter().min().copied()?,
            median: median_of_cents(&mut cents)?,
        })
    }
}

/// The changes of an assortment between two windows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Churn {
    /// The number of listings observed in the earlier window.
    pub before: u32,
    /// The number of listings observed in the later window.
    pub within: u32,
    /// The number of listings in the later window that were observed before the earlier window, but not in it.
    pub returned: u32,
    /// Listings that were never observed before the later window, with their first day.
    pub new: Vec<(u32, u16)>,
    /// Listings of the earlier window that were not observed in the later window, with their last day.
    pub delisted: Vec<(u32, u16)>,
}

impl Churn {
    /// Compares two windows over some rows. New and delisted listings are ordered by day, latest first, then by uid.
    pub fn of(catalog: &Catalog, rows: &[u32], before: &Range<u16>, window: &Range<u16>) -> Self {
        let mut churn = Self::default();
        for &row in rows {
            let Some((first, last)) = catalog.seen_span(row) else { continue };
            let was_seen = |days: &Range<u16>| !catalog.spells_within(row, days).is_empty();
            let (was_before, is_within) = (was_seen(before), was_seen(window));
            churn.before += u32::from(was_before);
            churn.within += u32::from(is_within);
            match (was_before, is_within) {
                (_, true) if first >= window.start => churn.new.push((row, first)),
                (false, true) => churn.returned += 1,
                (true, false) => churn.delisted.push((row, last)),
                _ => {}
            }
        }
        let uids = &catalog.listings.product_uid;
        for list in [&mut churn.new, &mut churn.delisted] {
            list.sort_unstable_by_key(|&(row, day)| (Reverse(day), uids[row as usize]));
        }
        churn
    }
}
