//! The text index: what words a listing has, and what listings have a word.
//!
//! Listings stand in it at *places*, in the order in which equally good matches are ranked, so that a search meets
//! the better of two first and reads nothing to tell. The terms of each place are kept beside the places of each
//! term: a search walks the places of its rarest term and looks at the terms of each. The words of a category are kept
//! by category, not by listing; only counts and the bits of postings know of both.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::super::canonical::NONE;
use super::interim::{Current, EntityGroups, InCountries, Whole};
use crate::domain::Country;
use crate::domain::text::name::{NameTerm, Part, name_terms};
use crate::domain::text::terms::label_terms;
use crate::snapshot::Strings;
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::{Held, STOCK_IN, STOCK_MASK, UNCATEGORIZED, held_term, letters, posting};

/// Listings whose names are split at a time: enough for all threads, and a few megabytes of terms.
const LISTINGS_AT_A_TIME: usize = 1 << 16;

/// Terms of a listing that are looked through one by one.
const SCANNED_TERMS_MAX: usize = 32;

/// What a listing is found by: the terms of its name, then those that only its brand has.
struct Tokens {
    terms: Vec<(String, Held)>,
    /// Places of those beyond the first [`SCANNED_TERMS_MAX`].
    place_of: HashMap<String, usize>,
    name_terms: usize,
    /// How the name spells terms: the term's place among `terms`.
    spellings: Vec<(u32, String)>,
}

/// Terms as they are first seen, and how names spell them.
#[derive(Default)]
struct Lexicon {
    number: HashMap<Box<str>, u32>,
    /// Term and how often, by spelling; each spelling is one term's.
    spelled: HashMap<Box<str>, (u32, u32)>,
}

/// All terms in order, each with its most frequent spelling in names; empty where that is the term itself.
struct Terms {
    terms: Strings,
    spelled: Strings,
}

/// The terms of every place, as numbers and how they are held.
#[derive(Default)]
struct Forward {
    ends: Vec<u32>,
    terms: Vec<u32>,
    name_terms: Vec<u32>,
}

/// The terms of every category's path, sorted.
struct CategoryTerms {
    /// Those of its last segment, then those above.
    of: Vec<[Vec<u32>; 2]>,
}

/// The postings of every term.
struct Inverted {
    ends: Vec<u32>,
    postings: Vec<u64>,
    roles: Vec<u8>,
}

/// Writes the index to `path`.
pub(super) fn write(
    tables: &Whole<'_>,
    current: &Current,
    entities: &EntityGroups,
    here: &InCountries,
    path: &Path,
) -> io::Result<Written> {
    let row = places(tables, current, entities, here);
    let mut place = vec![0_u32; row.len()];
    for (at, &row) in (0..).zip(&row) {
        place[row as usize] = at;
    }
    let labels = category_labels(tables);
    let (terms, forward, categories) = forward(tables, &row, &labels)?;
    let index = Index { tables, current, row: &row, forward: &forward, categories: &categories };
    let inverted = index.invert(terms.terms.len());
    let priced = index.priced_counts(terms.terms.len());
    let letters: Vec<u32> = terms.terms.iter().map(letters::of).collect();

    let mut file = ColumnWriter::create(path)?;
    file.column("place_row", &row)?;
    file.column("row_place", &place)?;
    file.column("place_ends", &forward.ends)?;
    file.column("place_terms", &forward.terms)?;
    file.column("name_terms", &forward.name_terms)?;
    file.column("term_ends", &inverted.ends)?;
    file.column("postings", &inverted.postings)?;
    file.column("term_held", &inverted.roles)?;
    file.column("term_priced", &priced)?;
    file.column("term_letters", &letters)?;
    file.strings("term", &terms.terms)?;
    file.strings("term_spelled", &terms.spelled)?;
    file.finish()
}

/// Rows by country, priced ones first, then as equally good matches are ranked: larger entities in the country, in
/// stock, cheaper, newer, smaller uid.
fn places(tables: &Whole<'_>, current: &Current, entities: &EntityGroups, here: &InCountries) -> Vec<u32> {
    let listings = &tables.listings;
    let members = |row: usize| here.listings(listings.country[row], entities.of_row[row]);
    let key = |row: u32| {
        let row = row as usize;
        (
            listings.country[row].as_u8(),
            Reverse(current.priced[row]),
            Reverse(members(row)),
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

/// The folded terms of every category's last segment; none where nothing is said.
fn category_labels(tables: &Whole<'_>) -> Vec<Vec<String>> {
    let of = |category: &super::super::canonical::Category| {
        if category.slug == UNCATEGORIZED { Vec::new() } else { label_terms(&category.label) }
    };
    tables.names.categories.par_iter().map(of).collect()
}

/// All terms, the terms of every place, and those of every category.
fn forward(
    tables: &Whole<'_>,
    rows: &[u32],
    labels: &[Vec<String>],
) -> io::Result<(Terms, Forward, CategoryTerms)> {
    let brands: Vec<Vec<String>> =
        tables.names.brands.par_iter().map(|brand| label_terms(&brand.label)).collect();
    let (mut lexicon, mut forward) = (Lexicon::default(), Forward::default());
    for rows in rows.chunks(LISTINGS_AT_A_TIME) {
        let split = |&row: &u32| tokens(tables, &brands, labels, row as usize);
        let tokens: Vec<Tokens> = rows.par_iter().map(split).collect();
        for Tokens { terms, name_terms, spellings, .. } in tokens {
            let from = forward.terms.len();
            forward.name_terms.push(name_terms as u32);
            let number = |(term, held): (String, Held)| held_term::of(lexicon.number_of(term), held);
            forward.terms.extend(terms.into_iter().map(number));
            forward.ends.push(forward.terms.len() as u32);
            for (at, spelling) in spellings {
                lexicon.spell(held_term::term(forward.terms[from + at as usize]), spelling);
            }
        }
        if lexicon.number.len() > held_term::TERMS_MAX {
            let fault = format!("names have more than {} different terms", held_term::TERMS_MAX);
            return Err(io::Error::other(fault));
        }
    }
    let mut category_terms: Vec<Vec<u32>> = Vec::with_capacity(labels.len());
    for label in labels {
        category_terms.push(label.iter().map(|term| lexicon.number_of(term.clone())).collect());
    }
    let (terms, new_number) = lexicon.in_order();
    let renumber = |old: u32| new_number[old as usize];
    forward.terms.par_iter_mut().for_each(|of| {
        *of = held_term::of(renumber(held_term::term(*of)), held_term::held(*of));
    });
    for term in category_terms.iter_mut().flatten() {
        *term = renumber(*term);
    }
    Ok((terms, forward, CategoryTerms::of(tables, category_terms)))
}

fn tokens(tables: &Whole<'_>, brands: &[Vec<String>], labels: &[Vec<String>], row: usize) -> Tokens {
    let shelf = &labels[tables.listings.category[row] as usize];
    let is_thing = |term: &String, part: Part| part == Part::Head || shelf.contains(term);
    let mut tokens =
        Tokens { terms: Vec::new(), place_of: HashMap::new(), name_terms: 0, spellings: Vec::new() };
    for NameTerm { folded, written, part } in name_terms(tables.listings.name.get(row)) {
        let held = match (part, is_thing(&folded, part)) {
            (Part::Aside, true) => Held::AsideThing,
            (Part::Aside, false) => Held::Aside,
            (_, true) => Held::Thing,
            (_, false) => Held::Own,
        };
        let at = tokens.take(folded, held);
        tokens.spellings.extend(written.map(|written| (at, written)));
    }
    tokens.name_terms = tokens.terms.len();
    if let Some(brand) = brands.get(tables.listings.brand[row] as usize) {
        for term in brand {
            let held = match term.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Held::Number,
                false if is_thing(term, Part::Own) => Held::Thing,
                false => Held::Own,
            };
            tokens.take(term.clone(), held);
        }
    }
    tokens
}

impl Tokens {
    /// Takes a term, once: of two ways to hold it the stronger counts. Says where it stands.
    fn take(&mut self, term: String, held: Held) -> u32 {
        let at = self.place(&term).unwrap_or_else(|| {
            let at = self.terms.len();
            if at >= SCANNED_TERMS_MAX {
                self.place_of.insert(term.clone(), at);
            }
            self.terms.push((term, held));
            at
        });
        let stronger = &mut self.terms[at].1;
        if (held as u8) < *stronger as u8 {
            *stronger = held;
        }
        at as u32
    }
}

impl Tokens {
    /// Where a term stands. The first ones are looked through: names have a few, and a table would cost more.
    fn place(&self, term: &str) -> Option<usize> {
        let first = &self.terms[..self.terms.len().min(SCANNED_TERMS_MAX)];
        first.iter().position(|(other, _)| other == term).or_else(|| self.place_of.get(term).copied())
    }
}

impl Lexicon {
    fn number_of(&mut self, term: String) -> u32 {
        let next = self.number.len() as u32;
        match self.number.get(term.as_str()) {
            Some(&number) => number,
            None => *self.number.entry(term.into()).or_insert(next),
        }
    }

    fn spell(&mut self, term: u32, spelling: String) {
        match self.spelled.get_mut(spelling.as_str()) {
            Some((_, times)) => *times += 1,
            None => {
                self.spelled.insert(spelling.into(), (term, 1));
            }
        }
    }

    /// The terms in order, and the place in it of each number.
    fn in_order(self) -> (Terms, Vec<u32>) {
        let mut terms: Vec<(Box<str>, u32)> = self.number.into_iter().collect();
        terms.par_sort_unstable();
        let mut new_number = vec![0; terms.len()];
        for (new, (_, old)) in (0..).zip(&terms) {
            new_number[*old as usize] = new;
        }
        let mut spelled: Vec<(u32, Reverse<u32>, Box<str>)> = self
            .spelled
            .into_iter()
            .map(|(spelling, (term, times))| (new_number[term as usize], Reverse(times), spelling))
            .collect();
        spelled.par_sort_unstable();
        spelled.dedup_by_key(|(term, _, _)| *term);
        let mut best = spelled.iter().peekable();
        let spelled = (0_u32..).zip(&terms).map(|(at, (term, _))| {
            best.next_if(|(of, _, _)| *of == at)
                .map_or("", |(_, _, best)| if best == term { "" } else { best })
        });
        let spelled = spelled.collect();
        (Terms { terms: terms.iter().map(|(term, _)| &**term).collect(), spelled }, new_number)
    }
}

impl CategoryTerms {
    /// What the paths of categories say, given the terms of each one's last segment.
    fn of(tables: &Whole<'_>, own: Vec<Vec<u32>>) -> Self {
        let mut of: Vec<[Vec<u32>; 2]> = Vec::with_capacity(own.len());
        for (category, mut last) in tables.names.categories.iter().zip(own) {
            last.sort_unstable();
            last.dedup();
            let mut above = match category.parent {
                NONE => Vec::new(),
                parent => of[parent as usize].concat(),
            };
            above.sort_unstable();
            above.dedup();
            above.retain(|term| last.binary_search(term).is_err());
            of.push([last, above]);
        }
        Self { of }
    }

    fn at(&self, category: u32) -> impl Iterator<Item = u32> {
        self.of[category as usize].iter().flatten().copied()
    }
}

impl Forward {
    /// The terms of a place.
    fn at(&self, place: u32) -> &[u32] {
        let from = if place == 0 { 0 } else { self.ends[place as usize - 1] };
        &self.terms[from as usize..self.ends[place as usize] as usize]
    }
}

/// What postings and counts are made of.
struct Index<'a> {
    tables: &'a Whole<'a>,
    current: &'a Current,
    row: &'a [u32],
    forward: &'a Forward,
    categories: &'a CategoryTerms,
}

impl Index<'_> {
    /// Places as postings lie: by country, priced ones first, then by number of terms.
    fn order_of_postings(&self) -> Vec<u32> {
        let key = |&place: &u32| {
            let row = self.row[place as usize] as usize;
            let country = self.tables.listings.country[row].as_u8();
            let terms = posting::counted(self.forward.at(place).len());
            (country, Reverse(self.current.priced[row]), terms, place)
        };
        let mut order: Vec<u32> = (0..self.row.len() as u32).collect();
        order.par_sort_unstable_by_key(key);
        order
    }

    /// The terms of a place's category.
    fn category_terms(&self, place: u32) -> impl Iterator<Item = u32> {
        self.categories.at(self.tables.listings.category[self.row[place as usize] as usize])
    }

    /// Turns the terms of places into the postings of terms, one for each place, with the ways in which places hold
    /// each term.
    fn invert(&self, terms: usize) -> Inverted {
        let mut ends = vec![0_u32; terms];
        let mut roles = vec![0; terms];
        for &of in &self.forward.terms {
            let term = held_term::term(of) as usize;
            ends[term] += 1;
            roles[term] |= 1 << held_term::held(of) as u8;
        }
        for [last, above] in &self.categories.of {
            for &term in last {
                roles[term as usize] |= 1 << Held::Category as u8;
            }
            for &term in above {
                roles[term as usize] |= 1 << Held::Above as u8;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut next: Vec<u32> = std::iter::once(0).chain(ends.iter().copied()).collect();
        let mut postings = vec![0; sum as usize];
        for place in self.order_of_postings() {
            let own = self.forward.at(place);
            let terms = own.iter().map(|&of| held_term::term(of));
            let bits = posting::bits(terms.chain(self.category_terms(place)));
            for &of in own {
                let next = &mut next[held_term::term(of) as usize];
                postings[*next as usize] = posting::of(place, own.len(), bits, held_term::held(of));
                *next += 1;
            }
        }
        Inverted { ends, postings, roles }
    }

    /// How many priced listings of each country hold each term, in name, brand or category: by country, then by term.
    fn priced_counts(&self, terms: usize) -> Vec<u32> {
        let (mut counts, mut sorted) = (vec![0; Country::ALL.len() * terms], Vec::new());
        for (place, &row) in (0..).zip(self.row) {
            if self.current.priced[row as usize] == 0 {
                continue;
            }
            let of_country = self.tables.listings.country[row as usize].as_u8() as usize * terms;
            let own = self.forward.at(place);
            for &of in own {
                counts[of_country + held_term::term(of) as usize] += 1;
            }
            // Names of many terms are looked up in order.
            sorted.clear();
            if own.len() > SCANNED_TERMS_MAX {
                sorted.extend(own.iter().map(|&of| held_term::term(of)));
                sorted.sort_unstable();
            }
            for term in self.category_terms(place) {
                let is_own = if sorted.is_empty() {
                    own.iter().any(|&of| held_term::term(of) == term)
                } else {
                    sorted.binary_search(&term).is_ok()
                };
                counts[of_country + term as usize] += u32::from(!is_own);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_held_in_its_strongest_way() {
        let mut tokens =
            Tokens { terms: Vec::new(), place_of: HashMap::new(), name_terms: 0, spellings: Vec::new() };
        let places = [("case", Held::Thing), ("red", Held::Aside), ("case", Held::Aside), ("red", Held::Own)]
            .map(|(term, held)| tokens.take(term.to_owned(), held));
        assert_eq!(places, [0, 1, 0, 1]);
        assert_eq!(tokens.terms, [("case".to_owned(), Held::Thing), ("red".to_owned(), Held::Own)]);
    }

    #[test]
    fn the_most_frequent_spelling_wins_then_the_first_by_code_point() {
        let mut lexicon = Lexicon::default();
        let numbers = ["mouse", "cooky", "box", "365"].map(|term| lexicon.number_of(term.to_owned()));
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert_eq!(lexicon.number_of("cooky".to_owned()), 1);
        for (term, spelling) in
            [(0, "mouse"), (0, "mice"), (1, "cookie"), (1, "cookies"), (1, "cookies"), (2, "box"), (2, "box")]
        {
            lexicon.spell(term, spelling.to_owned());
        }
        let (terms, new_number) = lexicon.in_order();
        assert_eq!(new_number, [3, 2, 1, 0]);
        assert_eq!(terms.terms.iter().collect::<Vec<_>>(), ["365", "box", "cooky", "mouse"]);
        // Empty where the spelling is the term.
        assert_eq!(terms.spelled.iter().collect::<Vec<_>>(), ["", "", "cookies", "mice"]);
    }
}
