//! What a listing is found by.

use std::collections::HashMap;

use super::labels::Labels;
use crate::lang::Lexicon;
use crate::lang::quantities::{self, NumberCode};
use crate::lang::text::name::{NameTerm, Part, is_accessory, name_terms};
use crate::snapshot::layout::{self, TermField};

/// Terms of a listing that are looked through one by one.
pub(super) const SCANNED_TERMS_MAX: usize = 32;

/// The terms of a listing's name, then those that only its brand has.
#[derive(Default)]
pub(super) struct Tokens {
    /// Each once, and how the listing holds it.
    pub terms: Vec<(String, TermField)>,
    /// Positions of the terms beyond the first [`SCANNED_TERMS_MAX`].
    place_of: HashMap<String, usize>,
    /// How many of them the name has.
    pub name_terms: usize,
    /// The quantities that the name states, as codes.
    pub quantities: Vec<u64>,
    /// How the name spells terms: the term's place among `terms`.
    pub spellings: Vec<(u32, String)>,
}

impl Tokens {
    /// Splits a name, and adds what brand and category say of it.
    pub(super) fn of(lexicon: &Lexicon, name: &str, brand: u32, category: u32, labels: &Labels) -> Self {
        let mut tokens = Self::default();
        let named = name_terms(lexicon, name);
        let is_accessory = named.iter().any(|NameTerm { folded, part, .. }| {
            *part == Part::Head && is_accessory(lexicon, folded) && labels.held(category, folded).is_none()
        });
        for NameTerm { folded, written, part } in named {
            let of_category = labels.held(category, &folded);
            let held = match part {
                // Where a category is named after a thing, that is what its listings are, and others less so.
                Part::Head if labels.names(&folded) && of_category != Some(TermField::CategoryType) => {
                    TermField::Trait
                }
                Part::Head => TermField::ProductType,
                Part::Own if !is_accessory => own(of_category),
                Part::Own | Part::Aside => of_category.unwrap_or(TermField::Aside),
            };
            let at = tokens.take(folded, held);
            tokens.spellings.extend(written.map(|written| (at, written)));
        }
        tokens.name_terms = tokens.terms.len();
        let codes = quantities::codes(lexicon, name);
        tokens.quantities = codes.into_iter().map(NumberCode::bits).collect();
        for term in labels.brands.get(brand) {
            let is_number = term.bytes().all(|byte| byte.is_ascii_digit());
            let held = if is_number { TermField::Number } else { own(labels.held(category, term)) };
            tokens.take(term.to_owned(), held);
        }
        tokens
    }

    /// How many terms there are, those of a variety counted more.
    pub(super) fn length(&self, lexicon: &Lexicon) -> u32 {
        let name = self.terms[..self.name_terms].iter();
        layout::length(lexicon, self.terms.len(), name.map(|(term, held)| (term.as_str(), *held)))
    }

    /// Takes a term, once: of two ways to hold it the stronger counts. Says where it stands.
    fn take(&mut self, term: String, held: TermField) -> u32 {
        let at = self.doc(&term).unwrap_or_else(|| {
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

    /// Where a term stands. The first ones are looked through: names have a few, and a table would cost more.
    fn doc(&self, term: &str) -> Option<usize> {
        let first = &self.terms[..self.terms.len().min(SCANNED_TERMS_MAX)];
        first.iter().position(|(other, _)| other == term).or_else(|| self.place_of.get(term).copied())
    }
}

/// How a listing holds a term of its own, given how it does by its category.
fn own(of_category: Option<TermField>) -> TermField {
    match of_category {
        Some(TermField::CategoryType) => TermField::ProductType,
        Some(_) => TermField::Trait,
        None => TermField::Own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_held_in_its_strongest_way() {
        let mut tokens = Tokens::default();
        let docs = [
            ("case", TermField::ProductType),
            ("red", TermField::Aside),
            ("case", TermField::Aside),
            ("red", TermField::Own),
        ]
        .map(|(term, held)| tokens.take(term.to_owned(), held));
        assert_eq!(docs, [0, 1, 0, 1]);
        assert_eq!(
            tokens.terms,
            [("case".to_owned(), TermField::ProductType), ("red".to_owned(), TermField::Own)]
        );
    }
}
