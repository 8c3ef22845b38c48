//! What the text index stores twice, compared; and the order of its places, compared with the listings.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::TextIndex;
use crate::catalog::Catalog;
use crate::catalog::check::first_bad;
use crate::snapshot::layout::posting;

/// What is wrong with the index of a catalog, if anything.
pub(in crate::catalog) fn fault(catalog: &Catalog) -> Option<String> {
    let index = &catalog.text;
    places(catalog, index).or_else(|| names(index)).or_else(|| terms(index))
}

/// Rows by country, priced ones first, then as equally good matches are ranked.
fn places(catalog: &Catalog, index: &TextIndex) -> Option<String> {
    let rows = &index.place_row;
    if let Some(bad) = first_bad(rows.len(), |at| index.row_place[rows[at] as usize] as usize == at) {
        return Some(format!("text: row and place do not agree at place {bad}"));
    }
    // By row, so that columns are read in their order; then one look for each place.
    let key = |row: u32| {
        let listing = catalog.listing(row);
        let country = listing.country();
        let members = catalog.entities.members(listing.entity(), &catalog.country_rows(country)).len();
        let in_stock = listing.in_stock() == Some(true);
        let worse_later = (listing.is_priced(), members as u32, in_stock);
        (country, Reverse(worse_later), listing.price(), Reverse(listing.observed_at()), listing.uid())
    };
    let keys: Vec<_> = (0..rows.len() as u32).into_par_iter().map(key).collect();
    let key = |at: usize| &keys[rows[at] as usize];
    let bad = first_bad(rows.len().saturating_sub(1), |at| key(at) < key(at + 1))?;
    Some(format!("text: place {} is out of order", bad + 1))
}

fn names(index: &TextIndex) -> Option<String> {
    let terms = index.terms.view();
    if let Some(bad) = first_bad(terms.len().saturating_sub(1), |at| terms.get(at) < terms.get(at + 1)) {
        return Some(format!("text: term {} is out of order", bad + 1));
    }
    let counts = &index.name_terms;
    let bad = first_bad(counts.len(), |at| counts[at] as usize <= index.terms_at(at as u32).len())?;
    Some(format!("text: the name at place {bad} has too many terms"))
}

/// Places as postings lie: by country, priced ones first, then by number of terms.
fn as_postings_lie(index: &TextIndex) -> Vec<u32> {
    let bounds: Vec<u32> = index.priced.iter().flat_map(|priced| [priced.start, priced.end]).collect();
    let lengths = usize::from(posting::TERMS_MAX) + 1;
    let mut alike = vec![Vec::new(); (bounds.len() + 1) * lengths];
    for place in 0..index.place_row.len() as u32 {
        let part = bounds.partition_point(|&bound| bound <= place);
        let terms = posting::counted(index.terms_at(place).len());
        alike[part * lengths + usize::from(terms)].push(place);
    }
    alike.concat()
}

/// Each term has a posting for every place that has it, in order, and no other: going through the places as postings
/// lie, the next posting of each of its terms is that of this place.
fn terms(index: &TextIndex) -> Option<String> {
    let starts = (0..index.term_most.len()).map(|term| index.term_ends.of(term).start);
    let mut next: Vec<usize> = starts.collect();
    let mut most = vec![0; next.len()];
    let fault =
        |term: usize| format!("text: the postings of term {term} are not those of the places that have it");
    for place in as_postings_lie(index) {
        let own = index.terms_at(place);
        let bits = posting::bits(own);
        for (at, &term) in own.iter().enumerate().filter(|&(at, term)| !own[..at].contains(term)) {
            let times = own[at..].iter().filter(|&&other| other == term).count() as u32;
            let term = term as usize;
            let expected = posting::of(place, own.len(), bits, times);
            if next[term] == index.term_ends.of(term).end || index.postings[next[term]] != expected {
                return Some(fault(term));
            }
            next[term] += 1;
            most[term] = times.max(most[term]);
        }
    }
    let full = |term: &usize| {
        next[*term] == index.term_ends.of(*term).end
            && most[*term] == index.term_most[*term]
            && most[*term] > 0
    };
    (0..next.len()).find(|term| !full(term)).map(fault)
}
