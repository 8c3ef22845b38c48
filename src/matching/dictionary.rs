//! The terms of a country's listings as numbers, what each weighs, and the listings that hold it.

use std::collections::HashMap;

/// Terms of more listings than this, and than [`COMMON_SHARE`] of the country's, make no candidates by themselves.
const COMMON_MIN: usize = 50;
const COMMON_SHARE: usize = 100;
/// A term names a brand when at least so many names begin with it,
const LEADS_MIN: usize = 5;
/// at least so many percent of the listings that hold it: what else leads a name also stands within others,
const LEADS_PCT: usize = 70;
/// and so many different terms follow it there, none in more than so many percent: a brand has products of many kinds,
/// "Romaine" is followed by one word.
const FOLLOWERS_MIN: usize = 4;
const FOLLOWER_PCT_MAX: usize = 60;

/// Terms by number.
#[derive(Default)]
pub(super) struct Dictionary {
    number: HashMap<Box<str>, u32>,
    /// What characters the term has.
    pub(super) kind: Vec<TermKind>,
    text: Vec<Box<str>>,
    /// Trigrams of term `t` end at `trigram_ends[t]`.
    trigram_ends: Vec<u32>,
    trigrams: Vec<u32>,
    /// Listings of term `t` end at `ends[t]` in `listings`, ascending.
    ends: Vec<u32>,
    listings: Vec<u32>,
    /// ln(1 + N / df)
    pub(super) idf: Vec<f64>,
    /// ln(1 + N), the weight of a term of one listing.
    pub(super) most: f64,
    common: usize,
    /// Whether the term names a brand.
    is_brand: Vec<bool>,
    /// What the term says that others say, too, in other words; 0 where nothing.
    meaning: Vec<u16>,
}

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermKind {
    Word,
    Number,
    Mixed,
}

impl Dictionary {
    /// The number of a term, a new one for a new term.
    pub(super) fn intern(&mut self, term: &str) -> u32 {
        if let Some(&number) = self.number.get(term) {
            return number;
        }
        let number = self.text.len() as u32;
        self.number.insert(term.into(), number);
        self.text.push(term.into());
        self.kind.push(kind(term));
        self.trigrams.extend(trigrams(term));
        self.trigram_ends.push(self.trigrams.len() as u32);
        number
    }

    /// Notes what a term means.
    pub(super) fn note(&mut self, term: &str, meaning: u16) {
        self.meaning.resize(self.text.len(), 0);
        if let Some(term) = self.find(term) {
            self.meaning[term as usize] = meaning;
        }
    }

    /// Whether two terms mean one thing.
    pub(super) fn mean_one(&self, a: u32, b: u32) -> bool {
        let meaning = self.meaning[a as usize];
        meaning != 0 && meaning == self.meaning[b as usize]
    }

    /// The number of a term that some listing has.
    pub(super) fn find(&self, term: &str) -> Option<u32> {
        self.number.get(term).copied()
    }

    pub(super) fn text(&self, term: u32) -> &str {
        &self.text[term as usize]
    }

    pub(super) fn trigrams(&self, term: u32) -> &[u32] {
        let term = term as usize;
        let from = if term == 0 { 0 } else { self.trigram_ends[term - 1] };
        &self.trigrams[from as usize..self.trigram_ends[term] as usize]
    }

    /// Weighs the terms by the listings that hold them; `terms` gives the distinct terms of each of `count` listings.
    pub(super) fn weigh<'a>(&mut self, count: usize, terms: impl Fn(usize) -> &'a [u32]) {
        let mut ends = vec![0_u32; self.text.len() + 1];
        for listing in 0..count {
            for &term in terms(listing) {
                ends[term as usize + 1] += 1;
            }
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut next = ends.clone();
        let mut listings = vec![0_u32; *ends.last().unwrap_or(&0) as usize];
        for listing in 0..count {
            for &term in terms(listing) {
                let slot = &mut next[term as usize];
                listings[*slot as usize] = listing as u32;
                *slot += 1;
            }
        }
        ends.remove(0);
        (self.ends, self.listings) = (ends, listings);
        self.common = COMMON_MIN.max(count / COMMON_SHARE);
        self.most = (1.0 + count as f64).ln();
        // A brand's term may be held by no listing; it weighs as if one did.
        self.idf = (0..self.text.len() as u32)
            .map(|term| (1.0 + count as f64 / self.postings(term).len().max(1) as f64).ln())
            .collect();
    }

    /// The listings that hold a term, ascending.
    pub(super) fn postings(&self, term: u32) -> &[u32] {
        let term = term as usize;
        let from = if term == 0 { 0 } else { self.ends[term - 1] };
        &self.listings[from as usize..self.ends[term] as usize]
    }

    /// Finds the terms that name a brand, by the first two terms of names; `says_more` tells words that say something
    /// else.
    pub(super) fn find_brands(&mut self, mut openings: Vec<[u32; 2]>, says_more: impl Fn(&str) -> bool) {
        openings.sort_unstable();
        self.is_brand = vec![false; self.text.len()];
        for names in openings.chunk_by(|a, b| a[0] == b[0]) {
            let (term, leads) = (names[0][0], names.len());
            let followers = || names.chunk_by(|a, b| a[1] == b[1]).map(<[_]>::len);
            self.is_brand[term as usize] = leads >= LEADS_MIN
                && leads * 100 >= self.postings(term).len() * LEADS_PCT
                && followers().count() >= FOLLOWERS_MIN
                && followers().all(|names| names * 100 <= leads * FOLLOWER_PCT_MAX)
                && self.kind[term as usize] != TermKind::Number
                && !says_more(self.text(term));
        }
    }

    /// Whether a term names a brand.
    pub(super) fn is_brand(&self, term: u32) -> bool {
        self.is_brand[term as usize]
    }

    /// Whether a term is too common to make candidates by itself.
    pub(super) fn is_common(&self, term: u32) -> bool {
        self.postings(term).len() > self.common
    }
}

fn kind(term: &str) -> TermKind {
    let digit = term.bytes().any(|byte| byte.is_ascii_digit());
    let letter = term.chars().any(char::is_alphabetic);
    match (digit, letter) {
        (true, true) => TermKind::Mixed,
        (true, false) => TermKind::Number,
        _ => TermKind::Word,
    }
}

/// Three neighbouring characters as one number, the ends of the term marked.
fn trigrams(term: &str) -> impl Iterator<Item = u32> + '_ {
    let all: Vec<u32> = std::iter::once(' ')
        .chain(term.chars())
        .chain(std::iter::once(' '))
        .map(|c| u32::from(c) & 0x3ff)
        .collect();
    (0..all.len().saturating_sub(2)).map(move |at| all[at] << 20 | all[at + 1] << 10 | all[at + 2])
}
