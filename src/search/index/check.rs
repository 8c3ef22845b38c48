//! Consistency checks of the text index: data that is stored twice must agree, and the order of docs must match the
//! listings.

use rayon::prelude::*;

use super::TextIndex;
use crate::lang::text::fold_term;
use crate::lang::text::terms::word_term;
use crate::snapshot::layout::{TermField, letters, posting, set, term_field};
use crate::snapshot::values::first_bad;
use crate::types::Country;

impl TextIndex {
    /// Compares all data that is stored twice. `key` returns the sort key of a row: its group (country, priced or not),
    /// and its order among equally good matches.
    ///
    /// # Errors
    /// Returns an error that describes the first difference.
    pub fn check<G, O>(&self, key: impl Fn(u32) -> (G, O) + Send + Sync) -> Result<(), String>
    where
        G: Ord + Copy + Send + Sync,
        O: Ord + Send + Sync,
    {
        docs(self, key).or_else(|| names(self)).or_else(|| postings(self)).map_or(Ok(()), Err)
    }
}

/// Docs must be ordered by country with priced listings first, then by length, then by the rank of equally good
/// matches.
fn docs<G, O>(index: &TextIndex, key: impl Fn(u32) -> (G, O) + Send + Sync) -> Option<String>
where
    G: Ord + Copy + Send + Sync,
    O: Ord + Send + Sync,
{
    let rows = &index.doc_row;
    if let Some(bad) = first_bad(rows.len(), |at| index.row_doc[rows[at] as usize] as usize == at) {
        return Some(format!("text: doc_row and row_doc disagree at doc {bad}"));
    }
    let mut ranked = vec![None; rows.len()];
    for (&rank, &row) in index.doc_rank.iter().zip(rows.iter()) {
        match ranked.get_mut(rank as usize) {
            Some(of_rank @ None) => *of_rank = Some(row),
            _ => return Some(format!("text: rank {rank} belongs to two docs or is out of range")),
        }
    }
    let ranked: Vec<u32> = ranked.into_iter().flatten().collect();
    // Keys are computed in row order, so that columns are read sequentially, and are then looked up once per doc.
    let keys: Vec<_> = (0..rows.len() as u32).into_par_iter().map(key).collect();
    let last = rows.len().saturating_sub(1);
    let of_rank = |at: usize| &keys[ranked[at] as usize];
    if let Some(bad) = first_bad(last, |at| of_rank(at) < of_rank(at + 1)) {
        return Some(format!("text: rank {} is out of order", bad + 1));
    }
    let of_doc = |at: usize| (keys[rows[at] as usize].0, index.length(at as u32), index.doc_rank[at]);
    let bad = first_bad(last, |at| of_doc(at) < of_doc(at + 1))?;
    Some(format!("text: doc {} is out of order", bad + 1))
}

fn names(index: &TextIndex) -> Option<String> {
    let (terms, spelled) = (index.terms.view(), index.spelled.view());
    if let Some(bad) = first_bad(terms.len().saturating_sub(1), |at| terms.get(at) < terms.get(at + 1)) {
        return Some(format!("text: term {} is out of order", bad + 1));
    }
    let spells = |at: usize| {
        let (spelled, term) = (spelled.get(at), terms.get(at));
        spelled.is_empty() || fold_term(spelled) == term || word_term(&index.lexicon, spelled) == term
    };
    if let Some(bad) = first_bad(terms.len(), spells) {
        return Some(format!("text: term {bad} is not the folded form of its spelling"));
    }
    if let Some(bad) = first_bad(terms.len(), |at| index.term_letters[at] == letters::of(terms.get(at))) {
        return Some(format!("text: the letters of term {bad} do not match the term"));
    }
    let counts = &index.name_terms;
    let bad = first_bad(counts.len(), |at| counts[at] as usize <= index.terms_at(at as u32).len())?;
    Some(format!("text: the name of doc {bad} has too many terms"))
}

/// Counts over the terms of all docs, for comparison with the stored counts.
struct TermCounts {
    /// The index of the next expected posting of each term.
    next: Vec<usize>,
    /// The fields in which each term occurs, one bit per field.
    held: Vec<u8>,
    /// The number of priced listings with each term, by country.
    priced: Vec<u32>,
}

/// Each term must have exactly one posting for every doc that contains it, in order. The docs are walked in order,
/// and the next posting of each of their terms must be the posting of that doc. Terms are counted during the walk.
fn postings(index: &TextIndex) -> Option<String> {
    let count = index.term_held.len();
    let mut seen = TermCounts {
        next: (0..count).map(|term| index.term_ends.of(term).start).collect(),
        held: vec![0; count],
        priced: vec![0; count * Country::ALL.len()],
    };
    let wrong = |term: usize| {
        Some(format!("text: the postings of term {term} do not match the docs that contain the term"))
    };
    for doc in 0..index.doc_row.len() as u32 {
        if let Some(term) = seen.wrong_at(index, doc) {
            return wrong(term);
        }
    }
    let bad = first_bad(count, |term| seen.next[term] == index.term_ends.of(term).end);
    if let Some(bad) = bad.or_else(|| first_bad(count, |term| seen.held[term] == index.term_held[term])) {
        return wrong(bad);
    }
    let bad = first_bad(seen.priced.len(), |at| seen.priced[at] == index.term_priced[at]);
    if let Some(bad) = bad {
        return Some(format!("text: the number of priced listings with term {} is wrong", bad % count));
    }
    sets(index)
}

impl TermCounts {
    /// Counts the terms of a doc. Returns the first term whose next posting is not the posting of this doc.
    fn wrong_at(&mut self, index: &TextIndex, doc: u32) -> Option<usize> {
        let own = index.terms_at(doc);
        let is_own = |term: u32| own.iter().any(|&of| term_field::term(of) == term);
        let category = index.row_category[index.doc_row[doc as usize] as usize];
        let by_category = index.categories.held_terms(category).iter();
        let by_category = by_category.filter(|&&of| !is_own(term_field::term(of)));
        let country = index.priced.iter().position(|priced| priced.contains(&doc));
        for &of in own.iter().chain(by_category) {
            let (term, held) = (term_field::term(of) as usize, term_field::held(of));
            let next = self.next[term];
            // A term that the name contains only after "for", "with" and the like may have the field of the category.
            let of_category = || index.categories.held(category, term as u32);
            if held.is_by_category() && of_category() != Some(held)
                || next == index.term_ends.of(term).end
                || index.postings[next] != posting::of(doc, held)
            {
                return Some(term);
            }
            self.next[term] += 1;
            self.held[term] |= 1 << held as u8;
            if let Some(country) = country {
                self.priced[country * self.held.len() + term] += 1;
            }
        }
        None
    }
}

/// Exactly the frequent terms have a set, and the set has one bit per posting.
fn sets(index: &TextIndex) -> Option<String> {
    let docs = index.doc_row.len();
    let is_frequent = |term: &u32| set::is_due(index.postings(*term).len(), docs);
    let frequent: Vec<u32> = (0..index.term_held.len() as u32).filter(is_frequent).collect();
    let names_types =
        |term: &u32| index.postings(*term).iter().any(|&of| posting::held(of).is_product_type());
    let product_types = frequent.iter().copied().filter(names_types);
    if frequent != *index.sets.terms || !product_types.eq(index.sets.type_terms.iter().copied()) {
        return Some("text: the sets do not match the frequent terms".into());
    }
    let is_sound = |at: usize| {
        let postings = index.postings(frequent[at]);
        let docs_of = |is_wanted: fn(TermField) -> bool| {
            let wanted = postings.iter().filter(move |&&of| is_wanted(posting::held(of)));
            set::of(wanted.map(|&of| posting::doc(of)), docs)
        };
        let of_term = index.sets.at(at);
        let lines = docs_of(|_| true);
        of_term.lines == lines
            && set::before(&lines).eq(of_term.before.iter().copied())
            && of_term.product_types.is_none_or(|product_types| {
                let lines = docs_of(TermField::is_product_type);
                product_types.lines == lines && set::filled(&lines).eq(product_types.filled.iter().copied())
            })
    };
    let bad = first_bad(frequent.len(), is_sound)?;
    Some(format!("text: the set of term {} does not match its postings", frequent[bad]))
}
