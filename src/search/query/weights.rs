//! Weights of the words of a query for the match quality, and the roles in which a match must contain them.

use super::Search;
use super::reading::Version;
use crate::lang::Lexicon;
use crate::lang::everyday;
use crate::lang::lexicon::Kind;
use crate::lang::text::terms::{TermKind, terms};
use crate::search::index::{
    FULL_PCT, NamedBrand, QualityQuery, QueryQuantity, QueryTerm, Role, TITLE_TERMS_MIN,
};

/// The number of fraction bits of a weight. Fixed point makes sums of weights exact.
const WEIGHT_FRACTION_BITS: i32 = 20;
/// The maximum number of words of a brand that is looked up.
const BRAND_WORDS_MAX: usize = 4;
/// The length of the shortest part number or model number, in letters and digits.
const PART_NUMBER_MIN: usize = 4;

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// Computes the weights and roles by which the quality of a version's matches is measured.
    pub(super) fn weigh(&self, version: &Version) -> QualityQuery {
        let distinct = version.distinct();
        let head = self.head(version);
        let head_word = head.map(|at| version.words[at].folded.as_str());
        let is_head = |at: usize| head_word == Some(version.words[at].folded.as_str());
        let brands = self.named_brands(version);
        let constants = self.strictness.constants;
        let idfs: Vec<u64> = distinct.iter().map(|&at| self.idf(version, at)).collect();
        let weighted = idfs.iter().filter(|idf| **idf > 0).count();
        let mean = idfs.iter().sum::<u64>() / weighted.max(1) as u64;
        let is_title = weighted >= TITLE_TERMS_MIN;
        let mut query = QualityQuery { is_title, constants, ..QualityQuery::default() };
        let percent = |weight: u64, pct: u64| weight * pct / 100;
        for (&at, &idf) in distinct.iter().zip(&idfs) {
            let term = version.words[at].term;
            let role = term.map(|term| self.role(version, at, term, (is_head(at), is_title)));
            let mut weight = idf;
            // The name of a brand or a model does not get the weight of a head noun. An unknown word may get it.
            if is_head(at) && idf > 0 && role != Some(Role::Name) {
                weight = percent(idf.max(percent(mean, constants.head_of_mean_pct)), constants.head_pct);
            } else if term.is_none() {
                let pct = if is_title { constants.title_unknown_pct } else { constants.unknown_pct };
                weight = percent(weight, pct);
            }
            if term.is_some_and(|term| brands.iter().any(|brand| brand.terms.contains(&term))) {
                weight = percent(weight, constants.brand_pct);
            }
            query.total += weight;
            if let Some((term, role)) = term.zip(role) {
                query.terms.push(self.query_term(version, at, term, weight, role));
            }
        }
        query.head = head_word.and_then(|head| {
            query.terms.iter().map(|of| of.term).find(|&term| self.catalog.text.term(term) == head)
        });
        query.brands = brands;
        add_quantities(version, &mut query);
        self.add_roles(version, head, &mut query);
        query
    }

    /// The role in which a listing must contain a known word.
    fn role(&self, version: &Version, at: usize, term: u32, (is_head, is_title): (bool, bool)) -> Role {
        let word = version.words[at].folded.as_str();
        let is_type = self.catalog.text.names_type(term, self.wanted.country)
            // A word in the everyday table names a product, so it is not the name of a brand or model.
            || is_head && everyday::table().has_word(word);
        let has_aside =
            || version.words.iter().any(|word| self.catalog.lexicon.has(Kind::Aside, &word.folded));
        match is_head {
            _ if is_type && !word.bytes().any(|byte| byte.is_ascii_digit()) => Role::Type,
            true => Role::Name,
            false if is_title || has_aside() => Role::Anywhere,
            false => Role::Any,
        }
    }

    /// The inverse document frequency of a word, in units of 2^-20. It is 0 for a request word such as "cheap" and for a
    /// quantity, which has a weight of its own. An unknown word gets the value of a word that one listing contains.
    fn idf(&self, version: &Version, at: usize) -> u64 {
        let word = &version.words[at];
        if word.quantity.is_some() || self.catalog.lexicon.has(Kind::Ask, &word.folded) {
            return 0;
        }
        let (text, country) = (&self.catalog.text, self.wanted.country);
        let idf = text.idf(word.term.map_or(1, |term| text.priced_with(term, country)), country);
        (idf.max(0.0) * 2_f64.powi(WEIGHT_FRACTION_BITS)).round() as u64
    }

    fn query_term(&self, version: &Version, at: usize, term: u32, weight: u64, role: Role) -> QueryTerm {
        let word = &version.words[at];
        let lexicon = &self.catalog.lexicon;
        let origin = &version.origins[word.origin];
        let is_corrected = origin.to.is_some() && !origin.is_renamed;
        let is_part_number = word.quantity.is_none() && is_part_number(lexicon, &word.folded);
        QueryTerm {
            term,
            weight,
            full_pct: if is_corrected { self.strictness.constants.corrected_pct } else { FULL_PCT },
            role,
            is_evidence: weight > 0 && (is_part_number || !is_number(lexicon, &word.folded)),
            is_part_number,
            compound: None,
        }
    }

    /// The brands of the country whose full name the query contains as neighbouring words.
    fn named_brands(&self, version: &Version) -> Vec<NamedBrand> {
        let country = self.wanted.country.as_u8() as usize;
        let words: Vec<String> = (0..version.words.len()).map(|at| version.spelled(at)).collect();
        let mut named: Vec<NamedBrand> = Vec::new();
        for from in 0..words.len() {
            let mut key = String::new();
            for (at, word) in words.iter().enumerate().skip(from).take(BRAND_WORDS_MAX) {
                key += word;
                let brand = self.catalog.brand_of_key(&key).filter(|&brand| {
                    self.catalog.brands[brand as usize].priced[country] > 0
                        && !key.bytes().all(|byte| byte.is_ascii_digit())
                });
                if let Some(brand) = brand.filter(|&brand| named.iter().all(|other| other.brand != brand)) {
                    let terms = version.words[from..=at].iter().filter_map(|word| word.term).collect();
                    named.push(NamedBrand { brand, terms });
                }
            }
        }
        named
    }
}

/// Adds the quantities of a version, each with the lower median of the weights of known words.
fn add_quantities(version: &Version, query: &mut QualityQuery) {
    let weight = query.lower_median().unwrap_or(query.total);
    for number in version.distinct().into_iter().filter_map(|at| version.words[at].quantity) {
        if query.quantities.iter().all(|other| other.number != number) {
            query.quantities.push(QueryQuantity { number, weight });
            query.total += weight;
        }
    }
}

/// Whether a word is a part number or a model number: at least [`PART_NUMBER_MIN`] letters and digits that do not form
/// a quantity, or at least as many digits alone.
pub(super) fn is_part_number(lexicon: &Lexicon, folded: &str) -> bool {
    let has = |is: fn(&u8) -> bool| folded.as_bytes().iter().any(is);
    folded.len() >= PART_NUMBER_MIN
        && folded.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && has(u8::is_ascii_digit)
        && (!has(u8::is_ascii_alphabetic) || !is_quantity(lexicon, folded))
}

/// Whether a word is a number or a quantity.
fn is_number(lexicon: &Lexicon, folded: &str) -> bool {
    folded.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || is_quantity(lexicon, folded)
}

fn is_quantity(lexicon: &Lexicon, folded: &str) -> bool {
    matches!(terms(lexicon, folded).as_slice(), [only] if only.kind == TermKind::Quantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_names_with_a_digit() {
        for (word, expected) in
            [("2", true), ("1.5", true), ("500ml", true), ("7up", false), ("4k", false), ("x2", false)]
        {
            assert_eq!(is_number(Lexicon::shipped(), word), expected, "{word}");
        }
    }

    #[test]
    fn part_numbers_are_told_from_quantities() {
        for (word, is_number) in [
            ("1000xm4", true),
            ("kcp424ns6", true),
            ("7800x3d", true),
            ("4090", true),
            ("0100071740", true),
            ("2000g", false),
            ("144hz", false),
            ("xm4", false),
            ("990", false),
            ("keyboard", false),
            ("1eg0.052", false),
        ] {
            assert_eq!(is_part_number(Lexicon::shipped(), word), is_number, "{word}");
        }
    }
}
