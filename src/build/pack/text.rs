//! The text index: what words a listing has, and what listings have a word.
//!
//! Listings stand in it at *places*, in the order in which equally good matches are ranked, so that a search meets
//! the better of two first and reads nothing to tell. The terms of each place are kept beside the places of each
//! term: a search walks the places of its rarest term and looks at the terms of each.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::super::canonical::{Canonical, NONE};
use super::Entities;
use super::current::Current;
use crate::domain::text::search_terms;
use crate::snapshot::Strings;
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::{STOCK_IN, STOCK_MASK, posting};

/// Listings whose names are split at a time: enough for all threads, and a few megabytes of terms.
const LISTINGS_AT_A_TIME: usize = 1 << 16;

/// Terms by place, name before brand, and how many of them are the name's.
struct Tokens {
    terms: Vec<String>,
    name_terms: usize,
}

/// Terms as they are first seen.
#[derive(Default)]
struct Lexicon {
    number: HashMap<Box<str>, u32>,
}

/// The terms of every place, as numbers.
#[derive(Default)]
struct Forward {
    ends: Vec<u32>,
    terms: Vec<u32>,
    name_terms: Vec<u32>,
}

/// The postings of every term.
struct Inverted {
    ends: Vec<u32>,
    postings: Vec<u64>,
    most: Vec<u32>,
}

/// Writes the index to `path`.
pub(super) fn write(
    tables: &Canonical,
    current: &Current,
    entities: &Entities,
    path: &Path,
) -> io::Result<Written> {
    let row = places(tables, current, entities);
    let mut place = vec![0_u32; row.len()];
    for (at, &row) in (0..).zip(&row) {
        place[row as usize] = at;
    }
    let (terms, forward) = forward(tables, &row);
    let inverted = invert(&forward, &order_of_postings(tables, current, &row, &forward), terms.len());

    let mut file = ColumnWriter::create(path)?;
    file.column("place_row", &row)?;
    file.column("row_place", &place)?;
    file.column("place_ends", &forward.ends)?;
    file.column("place_terms", &forward.terms)?;
    file.column("name_terms", &forward.name_terms)?;
    file.column("term_ends", &inverted.ends)?;
    file.column("postings", &inverted.postings)?;
    file.column("term_most", &inverted.most)?;
    file.strings("term", &terms)?;
    file.finish()
}

/// Rows by country, priced ones first, then as equally good matches are ranked: larger entities in the country, in
/// stock, cheaper, newer, smaller uid.
fn places(tables: &Canonical, current: &Current, entities: &Entities) -> Vec<u32> {
    let listings = &tables.listings;
    let members = |row: usize| {
        let all = entities.members(entities.of_row[row] as usize);
        all.iter().filter(|&&other| listings.country[other as usize] == listings.country[row]).count()
    };
    let key = |row: u32| {
        let row = row as usize;
        (
            listings.country[row].as_u8(),
            Reverse(current.priced[row]),
            Reverse(members(row) as u32),
            Reverse(current.flags[row] & STOCK_MASK == STOCK_IN),
            current.price[row],
            Reverse(listings.latest_instant[row]),
            listings.product_uid[row],
        )
    };
    let mut rows: Vec<(_, u32)> =
        (0..listings.product_uid.len() as u32).into_par_iter().map(|row| (key(row), row)).collect();
    rows.par_sort_unstable();
    rows.into_iter().map(|(_, row)| row).collect()
}

/// All terms in order, and the terms of every place.
fn forward(tables: &Canonical, rows: &[u32]) -> (Strings, Forward) {
    let brands: Vec<Vec<String>> = tables.brands.par_iter().map(|brand| search_terms(&brand.label)).collect();
    let (mut lexicon, mut forward) = (Lexicon::default(), Forward::default());
    for rows in rows.chunks(LISTINGS_AT_A_TIME) {
        let split = |&row: &u32| tokens(tables, &brands, row as usize);
        let tokens: Vec<Tokens> = rows.par_iter().map(split).collect();
        for Tokens { terms, name_terms } in tokens {
            forward.name_terms.push(name_terms as u32);
            forward.terms.extend(terms.into_iter().map(|term| lexicon.number_of(term)));
            forward.ends.push(forward.terms.len() as u32);
        }
    }
    let (terms, new_number) = lexicon.in_order();
    forward.terms.par_iter_mut().for_each(|term| *term = new_number[*term as usize]);
    (terms, forward)
}

fn tokens(tables: &Canonical, brands: &[Vec<String>], row: usize) -> Tokens {
    let mut terms = search_terms(tables.listings.name.get(row));
    let name_terms = terms.len();
    match tables.listings.brand[row] {
        NONE => {}
        brand => terms.extend_from_slice(&brands[brand as usize]),
    }
    Tokens { terms, name_terms }
}

impl Lexicon {
    fn number_of(&mut self, term: String) -> u32 {
        let next = self.number.len() as u32;
        match self.number.get(term.as_str()) {
            Some(&number) => number,
            None => *self.number.entry(term.into()).or_insert(next),
        }
    }

    /// The terms in order, and the place in it of each number.
    fn in_order(self) -> (Strings, Vec<u32>) {
        let mut terms: Vec<(Box<str>, u32)> = self.number.into_iter().collect();
        terms.par_sort_unstable();
        let mut new_number = vec![0; terms.len()];
        for (new, (_, old)) in (0..).zip(&terms) {
            new_number[*old as usize] = new;
        }
        (terms.iter().map(|(term, _)| &**term).collect(), new_number)
    }
}

/// Places as postings lie: by country, priced ones first, then by number of terms.
fn order_of_postings(tables: &Canonical, current: &Current, row: &[u32], forward: &Forward) -> Vec<u32> {
    let key = |&place: &u32| {
        let row = row[place as usize] as usize;
        let country = tables.listings.country[row].as_u8();
        (country, Reverse(current.priced[row]), posting::counted(forward.at(place).len()), place)
    };
    let mut order: Vec<u32> = (0..row.len() as u32).collect();
    order.par_sort_unstable_by_key(key);
    order
}

/// Turns the terms of places into the postings of terms, one for each place, with the most often that a place has the
/// term.
fn invert(forward: &Forward, order: &[u32], terms: usize) -> Inverted {
    let mut ends = vec![0_u32; terms];
    let mut most = vec![0; terms];
    forward.each(order, |term, times, _| {
        ends[term] += 1;
        most[term] = times.max(most[term]);
    });
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    let mut next: Vec<u32> = std::iter::once(0).chain(ends.iter().copied()).collect();
    let mut postings = vec![0; sum as usize];
    forward.each(order, |term, _, posting| {
        postings[next[term] as usize] = posting;
        next[term] += 1;
    });
    Inverted { ends, postings, most }
}

impl Forward {
    /// The terms of a place.
    fn at(&self, place: u32) -> &[u32] {
        let from = if place == 0 { 0 } else { self.ends[place as usize - 1] };
        &self.terms[from as usize..self.ends[place as usize] as usize]
    }

    /// Visits the different terms of every place: how often the place has each, and its posting.
    fn each(&self, order: &[u32], mut visit: impl FnMut(usize, u32, u64)) {
        for &place in order {
            let own = self.at(place);
            let bits = posting::bits(own);
            for (at, &term) in own.iter().enumerate().filter(|&(at, term)| !own[..at].contains(term)) {
                let times = own[at..].iter().filter(|&&other| other == term).count() as u32;
                visit(term as usize, times, posting::of(place, own.len(), bits, times));
            }
        }
    }
}
