//! Text search over names and brands: every term must match, ranked by BM25.
//!
//! Listings stand in the index at *places*: by country, priced ones first, then in the order of equally good matches.
//! A search walks the postings of its rarest term, the shortest listings first, until none that follows can be among the
//! best. It passes over those that tell of themselves that they lack a term, asks the bit sets of frequent terms, and
//! looks at the terms of the places that are left. It keeps no more matches than are wanted; of two that score alike the
//! first place stays.

mod bits;
pub(super) mod check;
mod top;

use std::ops::Range;

use polars_buffer::Buffer;

use self::bits::{FrequentTerms, PlaceSet};
use self::top::Top;
use super::lists::Ends;
use crate::domain::Country;
use crate::snapshot::columns::{ColumnFile, StringColumn};
use crate::snapshot::layout::posting;

/// Weight of repetition in BM25.
const K1: f32 = 1.2;
/// Weight of document length in BM25.
const B: f32 = 0.75;
/// Postings that are thinned out at a time, so that they stay in the first cache.
const POSTINGS_AT_A_TIME: usize = 512;
/// Lengths up to this one count as they are.
const EXACT_LENGTH_MAX: u32 = 24;

/// The text index of a snapshot.
pub struct TextIndex {
    /// The row at each place, and the place of each row.
    place_row: Buffer<u32>,
    row_place: Buffer<u32>,
    /// The terms of each place: those of the name, then those of the brand.
    place_ends: Ends,
    place_terms: Buffer<u32>,
    name_terms: Buffer<u32>,
    /// The postings of each term.
    term_ends: Ends,
    postings: Buffer<u64>,
    /// How often a place has a term at most.
    term_most: Buffer<u32>,
    /// Terms in order.
    terms: StringColumn,
    frequent: FrequentTerms,
    /// Terms of an average place.
    average: f32,
    /// Places of priced listings by country.
    priced: [Range<u32>; Country::ALL.len()],
}

/// A listing that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Row of the listing.
    pub row: u32,
    /// BM25 over all terms of the query, those that were dropped too.
    pub score: f32,
}

/// What a query matched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// How many leading terms had to match; the rest was dropped.
    pub kept: usize,
    /// The best matches in rank order.
    pub hits: Vec<Hit>,
    /// Whether there are no others.
    pub all: bool,
}

/// What is searched for besides terms.
pub struct Wanted<F> {
    /// The country.
    pub country: Country,
    /// How many matches, if there are so many.
    pub limit: usize,
    /// Takes or refuses a row.
    pub accept: F,
}

/// A term of a query with what scoring needs of it.
struct Scored {
    term: u32,
    weight: f32,
    most: u32,
}

/// What places with this number of terms score at most.
struct Bound {
    terms: u8,
    /// Those that have the rarest term once, and those that have it more often.
    most: [f32; 2],
}

impl Scored {
    /// What a place of this length adds for having the term so many times.
    fn part(&self, times: u32, length: f32) -> f32 {
        self.weight * times as f32 / (times as f32 + length)
    }
}

impl TextIndex {
    /// Loads the index of listings, given which are priced and which rows are a country's.
    ///
    /// # Errors
    /// When a column is missing or cannot be walked.
    pub fn load(
        file: &ColumnFile,
        priced: &[u8],
        countries: &[Range<u32>; Country::ALL.len()],
    ) -> Result<Self, String> {
        let rows = priced.len();
        let (place_terms, postings): (Buffer<u32>, Buffer<u64>) =
            (file.column("place_terms")?, file.column("postings")?);
        let term_most: Buffer<u32> = file.column("term_most")?;
        let mut index = Self {
            frequent: FrequentTerms::default(),
            place_row: file.column_of("place_row", rows)?,
            row_place: file.column_of("row_place", rows)?,
            place_ends: Ends::load(file, "place", rows, place_terms.len())?,
            average: place_terms.len() as f32 / rows.max(1) as f32,
            place_terms,
            name_terms: file.column_of("name_terms", rows)?,
            term_ends: Ends::load(file, "term", term_most.len(), postings.len())?,
            terms: file.strings("term", term_most.len())?,
            term_most,
            postings,
            priced: Country::ALL.map(|country| {
                let all = &countries[country.as_u8() as usize];
                let is_priced =
                    priced[all.start as usize..all.end as usize].iter().map(|&is| u32::from(is == 1));
                all.start..all.start + is_priced.sum::<u32>()
            }),
        };
        index.fault().map_or(Ok(()), Err)?;
        let lists = (0..index.term_most.len() as u32).map(|term| index.postings(term));
        index.frequent = FrequentTerms::of(lists, rows);
        Ok(index)
    }

    /// What keeps the index from being walked, if anything.
    fn fault(&self) -> Option<String> {
        let rows = self.place_row.len();
        let within = |values: &[u32], end: usize| values.iter().all(|&value| (value as usize) < end);
        let sound = within(&self.place_row, rows)
            && within(&self.row_place, rows)
            && self.postings.iter().all(|&of| (posting::place(of) as usize) < rows)
            && within(&self.place_terms, self.term_most.len());
        (!sound).then(|| "text: its terms and places do not lie inside it".into())
    }

    /// The numbers of terms; `None` for one that no listing has.
    pub fn look_up(&self, terms: &[String]) -> Vec<Option<u32>> {
        terms.iter().map(|term| self.terms.view().find(term).map(|at| at as u32)).collect()
    }

    /// The terms of a listing's name.
    pub fn name_terms(&self, row: u32) -> &[u32] {
        let place = self.row_place[row as usize];
        &self.terms_at(place)[..self.name_terms[place as usize] as usize]
    }

    /// The best priced listings that hold all of the terms; where there is none, the last term is dropped until there
    /// is one or no term is left.
    pub fn search(&self, terms: &[Option<u32>], wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        let known: Vec<u32> = terms.iter().flatten().copied().collect();
        let leading = terms.iter().take_while(|term| term.is_some()).count();
        let mut found = (1..=leading).rev().map(|kept| self.matching(&known, kept, wanted));
        let none = Matches { all: true, ..Matches::default() };
        found.find(|matches| !matches.hits.is_empty()).unwrap_or(none)
    }

    /// The best priced listings that hold all of the terms.
    pub fn search_all(&self, terms: &[u32], wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        self.matching(terms, terms.len(), wanted)
    }

    /// The best priced listings that hold the first `kept` of the terms, by all of them.
    fn matching(&self, terms: &[u32], kept: usize, wanted: &Wanted<impl Fn(u32) -> bool>) -> Matches {
        let mut needed = terms[..kept].to_vec();
        needed.sort_unstable_by_key(|&term| (self.postings(term).len(), term));
        needed.dedup();
        let Some((&rarest, others)) = needed.split_first() else {
            return Matches { kept, hits: Vec::new(), all: true };
        };
        let bits = posting::bits(others);
        let (sets, looked_at): (Vec<_>, Vec<_>) =
            others.iter().map(|&term| (self.frequent.get(term), term)).partition(|(set, _)| set.is_some());
        let sets: Vec<&PlaceSet> = sets.into_iter().filter_map(|(set, _)| set).collect();
        let scored: Vec<Scored> = terms.iter().map(|&term| self.scored(term)).collect();
        let mut top = Top::new(wanted.limit);
        let mut bound = self.bound(&scored, rarest, 0);
        let mut room = [0; POSTINGS_AT_A_TIME];
        let priced = &self.priced[wanted.country.as_u8() as usize];
        'walk: for postings in within(self.postings(rarest), priced).chunks(POSTINGS_AT_A_TIME) {
            for &posting in thinned(postings, bits, &mut room) {
                let (place, terms) = (posting::place(posting), posting::terms(posting));
                if terms != bound.terms {
                    bound = self.bound(&scored, rarest, terms);
                    // Those that follow are no shorter.
                    if !top.may_take(bound.most[1], 0) {
                        break 'walk;
                    }
                }
                let most = bound.most[posting::is_repeated(posting)];
                if !top.may_take(most, place) || !sets.iter().all(|set| set.has(place)) {
                    continue;
                }
                let (own, row) = (self.terms_at(place), self.place_row[place as usize]);
                if looked_at.iter().all(|(_, term)| own.contains(term)) && (wanted.accept)(row) {
                    top.push(self.score(&scored, own), place);
                }
            }
        }
        let all = top.is_all();
        let hit = |(score, place): (f32, u32)| Hit { row: self.place_row[place as usize], score };
        Matches { kept, hits: top.into_ranked().map(hit).collect(), all }
    }

    fn scored(&self, term: u32) -> Scored {
        let with = self.postings(term).len() as u32;
        Scored { term, weight: self.weight(with), most: self.term_most[term as usize] }
    }

    /// Inverse document frequency times (k1 + 1).
    fn weight(&self, listings_with_term: u32) -> f32 {
        let (with, all) = (f64::from(listings_with_term), self.place_row.len() as f64);
        ((1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32) * (K1 + 1.0)
    }

    /// BM25 of a place, summed in the order of the query so that it has one value.
    fn score(&self, scored: &[Scored], own: &[u32]) -> f32 {
        let length = self.length(own.len() as u32);
        let mut score = 0.0;
        for of in scored {
            let times = own.iter().map(|other| u32::from(*other == of.term)).sum::<u32>();
            if times > 0 {
                score += of.part(times, length);
            }
        }
        score
    }

    /// The length part of BM25's denominator.
    fn length(&self, terms: u32) -> f32 {
        K1 * (1.0 - B + B * counted_length(terms) as f32 / self.average)
    }

    /// What places with so many terms score at most, by whether they have the rarest term more than once.
    ///
    /// Exact to the bit: rounding keeps the order of sums, products and quotients, so that no place with fewer
    /// repetitions or more terms scores more.
    fn bound(&self, scored: &[Scored], rarest: u32, terms: u8) -> Bound {
        let length = self.length(terms.into());
        let most = [false, true].map(|is_repeated| {
            let times = |of: &Scored| if of.term == rarest && !is_repeated { 1 } else { of.most };
            scored.iter().map(|of| of.part(times(of), length)).sum()
        });
        Bound { terms, most }
    }

    fn postings(&self, term: u32) -> &[u64] {
        &self.postings[self.term_ends.of(term as usize)]
    }

    fn terms_at(&self, place: u32) -> &[u32] {
        &self.place_terms[self.place_ends.of(place as usize)]
    }
}

/// The postings of a country's priced places: they lie together.
fn within<'a>(postings: &'a [u64], range: &Range<u32>) -> &'a [u64] {
    let before = |end: u32| move |&posting: &u64| posting::place(posting) < end;
    let postings = &postings[postings.partition_point(before(range.start))..];
    &postings[..postings.partition_point(before(range.end))]
}

/// Those of few postings whose places have the bits. Without a branch, as nobody can guess them.
fn thinned<'a>(postings: &[u64], bits: u64, room: &'a mut [u64; POSTINGS_AT_A_TIME]) -> &'a [u64] {
    let mut left = 0;
    for &posting in postings {
        room[left] = posting;
        left += usize::from(posting::has(posting, bits));
    }
    &room[..left]
}

/// A length as BM25 counts it: to four binary digits beyond the first lengths, as search engines keep it in a byte.
fn counted_length(terms: u32) -> u32 {
    let beyond = terms.saturating_sub(EXACT_LENGTH_MAX);
    let dropped = (u32::BITS - beyond.leading_zeros()).saturating_sub(4);
    terms.min(EXACT_LENGTH_MAX) + (beyond >> dropped << dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_tell_of_their_places() {
        let other = 7;
        let without = (0..9).find(|&term| posting::bit(term) != posting::bit(other)).unwrap();
        let of = |place, term| posting::of(place, 3, posting::bit(term), 1);
        let mut room = [0; POSTINGS_AT_A_TIME];
        let left = thinned(&[of(1, other), of(3, without), of(9, other)], posting::bit(other), &mut room);
        assert_eq!(left.iter().copied().map(posting::place).collect::<Vec<_>>(), [1, 9]);
        let long = posting::of(u32::MAX, 1_000, posting::bits(&[other, without]), 1);
        assert_eq!((posting::place(long), posting::terms(long)), (u32::MAX, posting::TERMS_MAX));
    }

    #[test]
    fn lengths_count_to_four_binary_digits() {
        for (terms, counted) in
            [(0, 0), (24, 24), (39, 39), (41, 40), (55, 54), (59, 56), (95, 88), (104, 104)]
        {
            assert_eq!(counted_length(terms), counted, "{terms}");
        }
    }
}
