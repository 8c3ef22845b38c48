//! The doc ordinals of each retailer's listings in the text index.
//!
//! A search at one retailer walks the retailer's own doc ordinals if they are fewer than the postings of the query's
//! terms. A large retailer also has a set, which is intersected with the sets of terms.

use super::Listings;
use crate::search::index::{DocOrdinals, TextIndex};
use crate::snapshot::layout::set::{self, DocBlock};
use crate::types::Country;

/// The docs of priced listings by country and platform.
#[derive(Debug)]
pub(super) struct RetailerDocs([Vec<OfOne>; Country::ALL.len()]);

/// The docs of one retailer.
#[derive(Debug)]
struct OfOne {
    /// The docs, in ascending order.
    listed: Vec<u32>,
    /// The same docs as a set, if they are many.
    set: Option<Vec<DocBlock>>,
}

impl RetailerDocs {
    /// Collects the docs of each of this many platforms.
    pub(super) fn of(text: &TextIndex, listings: &Listings, platforms: usize) -> Self {
        let all = listings.platform.len();
        Self(Country::ALL.map(|country| {
            let mut docs = vec![Vec::new(); platforms];
            for (doc, row) in text.priced_rows(country) {
                docs[listings.platform[row as usize] as usize].push(doc);
            }
            let of_one = |mut listed: Vec<u32>| {
                listed.shrink_to_fit();
                let is_due = set::is_due(listed.len(), all);
                OfOne { set: is_due.then(|| set::of(listed.iter().copied(), all)), listed }
            };
            docs.into_iter().map(of_one).collect()
        }))
    }

    /// The docs of a platform in a country.
    pub(super) fn at(&self, platform: u16, country: Country) -> DocOrdinals<'_> {
        let of_one = &self.0[country.as_u8() as usize][platform as usize];
        DocOrdinals { listed: &of_one.listed, set: of_one.set.as_deref() }
    }
}
