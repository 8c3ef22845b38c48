//! What the text index stores twice, compared; and the order of its places, compared with the listings.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::TextIndex;
use crate::catalog::Catalog;
use crate::catalog::check::rows::first_bad;
use crate::domain::Country;
use crate::domain::text::fold_term;
use crate::snapshot::layout::{held_term, letters, posting};

/// What is wrong with the index of a catalog, if anything.
pub(in crate::catalog) fn fault(catalog: &Catalog) -> Option<String> {
    let index = &catalog.text;
    places(catalog, index).or_else(|| names(index)).or_else(|| postings(index))
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
        let first = Reverse((listing.is_priced(), members as u32, in_stock));
        (country, first, listing.price(), Reverse(listing.observed_at()), listing.uid())
    };
    let keys: Vec<_> = (0..rows.len() as u32).into_par_iter().map(key).collect();
    let key = |at: usize| &keys[rows[at] as usize];
    let bad = first_bad(rows.len().saturating_sub(1), |at| key(at) < key(at + 1))?;
    Some(format!("text: place {} is out of order", bad + 1))
}

fn names(index: &TextIndex) -> Option<String> {
    let (terms, spelled) = (index.terms.view(), index.spelled.view());
    if let Some(bad) = first_bad(terms.len().saturating_sub(1), |at| terms.get(at) < terms.get(at + 1)) {
        return Some(format!("text: term {} is out of order", bad + 1));
    }
    let spells = |at: usize| spelled.get(at).is_empty() || fold_term(spelled.get(at)) == terms.get(at);
    if let Some(bad) = first_bad(terms.len(), spells) {
        return Some(format!("text: term {bad} is not what its spelling folds to"));
    }
    if let Some(bad) = first_bad(terms.len(), |at| index.term_letters[at] == letters::of(terms.get(at))) {
        return Some(format!("text: the letters of term {bad} are others"));
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

/// What is counted of the terms of places, to be compared with what is stored.
struct Seen {
    /// The next posting of each term.
    next: Vec<usize>,
    /// In which ways each term is held.
    held: Vec<u8>,
    /// Priced listings with it, by country.
    priced: Vec<u32>,
}

/// Each term has a posting for every place that has it, in order, and no other: going through the places as postings
/// lie, the next posting of each of its terms is that of this place. On the way terms are counted.
fn postings(index: &TextIndex) -> Option<String> {
    let count = index.term_held.len();
    let mut seen = Seen {
        next: (0..count).map(|term| index.term_ends.of(term).start).collect(),
        held: categories_hold(index),
        priced: vec![0; count * Country::ALL.len()],
    };
    for place in as_postings_lie(index) {
        if let Some(fault) = place_fault(index, place, &mut seen) {
            return Some(fault);
        }
    }
    let bad = first_bad(count, |term| seen.next[term] == index.term_ends.of(term).end);
    let bad = bad.or_else(|| {
        first_bad(count, |term| seen.held[term] == index.term_held[term] && seen.held[term] != 0)
    });
    if let Some(bad) = bad {
        return Some(format!("text: the postings of term {bad} are not those of the places that have it"));
    }
    let bad = first_bad(seen.priced.len(), |at| seen.priced[at] == index.term_priced[at])?;
    Some(format!("text: term {} is held by another number of priced listings", bad % count))
}

/// In which ways categories hold each term.
fn categories_hold(index: &TextIndex) -> Vec<u8> {
    let mut held = vec![0; index.term_held.len()];
    for of in index.categories.all() {
        held[held_term::term(of) as usize] |= 1 << held_term::held(of) as u8;
    }
    held
}

fn place_fault(index: &TextIndex, place: u32, seen: &mut Seen) -> Option<String> {
    let own = index.terms_at(place);
    let category = index.row_category[index.place_row[place as usize] as usize];
    let by_category = || index.categories.terms(category);
    let terms = || own.iter().map(|&of| held_term::term(of));
    let bits = posting::bits(terms().chain(by_category()));
    let country = index.priced.iter().position(|priced| priced.contains(&place));
    let mut count = |term: u32| {
        if let Some(country) = country {
            seen.priced[country * seen.held.len() + term as usize] += 1;
        }
    };
    for &of in own {
        let (term, held) = (held_term::term(of) as usize, held_term::held(of));
        let expected = posting::of(place, own.len(), bits, held);
        let is_own = !held.is_by_category();
        if !is_own
            || seen.next[term] == index.term_ends.of(term).end
            || index.postings[seen.next[term]] != expected
        {
            return Some(format!(
                "text: the postings of term {term} are not those of the places that have it"
            ));
        }
        seen.next[term] += 1;
        count(term as u32);
    }
    by_category().filter(|&term| !terms().any(|own| own == term)).for_each(&mut count);
    for &of in own {
        seen.held[held_term::term(of) as usize] |= 1 << held_term::held(of) as u8;
    }
    None
}
