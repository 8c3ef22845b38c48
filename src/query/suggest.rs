//! Suggestions for a text that was not found.
//!
//! Comparing a text with every category or brand of a country costs far more than finding that it matches none of
//! them. A refusal is therefore created without suggestions, and [`complete`] adds them later.

use super::brand;
use super::category;
use super::product;
use super::product_params::ProductQuery;
use super::refusal::{NoResultsDetails, Refusal, Sought};
use crate::catalog::Catalog;
use crate::lang::everyday;
use crate::lang::text::name;
use crate::lang::text::terms::terms;
use crate::search::query;
use crate::types::Country;

/// Maximum number of terms suggested for a product.
const TERMS_MAX: usize = 5;
/// Maximum number of categories suggested for a product.
const CATEGORIES_MAX: usize = 5;

/// Adds the suggestions to a refusal that lacks them. Other refusals are returned unchanged.
#[must_use]
pub fn complete(refusal: Refusal, catalog: &Catalog) -> Refusal {
    let Refusal::NoResults { mut message, mut details, suggest: Some(asked) } = refusal else {
        return refusal;
    };
    details.suggestions = Some(match &*asked {
        Sought::Category { country, text, root } => {
            let branch = category::branch(catalog, *country, text, *root);
            message.extend(branch.map(|branch| format!("; {branch}")));
            category::suggestions(catalog, *country, text, *root)
        }
        Sought::Brand { country, text } => brand::suggestions(catalog, *country, text),
        Sought::Product(asked) => return complete_product(catalog, asked, message, details),
    });
    Refusal::NoResults { message, details, suggest: None }
}

/// Whether a refusal lacks suggestions that [`complete`] would add.
pub fn is_open(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NoResults { suggest: Some(_), .. })
}

/// Completes the refusal of a product text: adds terms, categories, and the other country if the product has an offer
/// there.
fn complete_product(
    catalog: &Catalog,
    asked: &ProductQuery,
    message: String,
    mut details: Box<NoResultsDetails>,
) -> Refusal {
    let q = asked.q.as_deref().unwrap_or_default();
    let text =
        query::without_asking(catalog, q, asked.strictness).map_or_else(|| q.to_owned(), |asked| asked.rest);
    let suggestions = suggestions(catalog, asked.country, &text);
    let categories = category::near(catalog, asked.country, &text, CATEGORIES_MAX);
    let mut message = message;
    if let Some(path) = category::of_everyday_name(catalog, asked.country, &text) {
        message = format!("{message}; retailers list such products under {path}");
    }
    let other_country = asked.country.others().find(|&country| {
        product::resolve(catalog, &ProductQuery { country, ..asked.clone() }, 0)
            .is_ok_and(|product| !product.offers.is_empty())
    });
    if other_country.is_none() {
        message = match suggestions.is_empty() && categories.is_empty() {
            true if asked.strictness.is_exact => {
                format!("{message}; leave out exact_query, use other words, or give a barcode")
            }
            true => {
                let branch = category::branch(catalog, asked.country, "", None).unwrap_or_default();
                format!("{message}; use other words or a barcode; {branch}")
            }
            false => format!("{message}; ask for one of the suggestions or categories"),
        };
    }
    (details.suggestions, details.categories) = (Some(suggestions), Some(categories));
    Refusal::NoResults { message, details, suggest: None }.elsewhere(other_country)
}

/// Returns terms to request instead: other names from the everyday table, words of the text that name product types
/// of the country, then words that are spelled like the first unknown word and do not name a product type.
fn suggestions(catalog: &Catalog, country: Country, text: &str) -> Vec<String> {
    let index = &catalog.text;
    let known = |folded: &str| index.known(folded, country);
    let asked = terms(&catalog.lexicon, text);
    let is_sold = |name: &&str| {
        let terms = terms(&catalog.lexicon, name);
        let head = name::head(&catalog.lexicon, &terms).and_then(|at| known(&terms[at].folded));
        terms.iter().all(|term| known(&term.folded).is_some())
            && head.is_some_and(|head| index.names_type(head, country))
    };
    let other_names = everyday::table().other_names(text).filter(is_sold).map(str::to_owned);
    let types = asked.iter().filter_map(|term| known(&term.folded));
    let types = types.filter(|&term| index.names_type(term, country) && asked.len() > 1);
    let is_unknown = |folded: &str| known(folded).is_none() && !query::is_spelled_right(catalog, folded);
    let unknown = asked.iter().find(|term| is_unknown(&term.folded));
    let near = unknown.map_or_else(Vec::new, |term| index.near(&term.written, &term.folded, country));
    let near = near.iter().map(|near| near.term).filter(|&term| !index.names_type(term, country));
    let spelled = types.chain(near).map(|term| index.spelled(term).to_owned());
    let mut suggestions: Vec<String> = Vec::new();
    for suggestion in other_names.chain(spelled) {
        if suggestions.len() < TERMS_MAX && !suggestions.contains(&suggestion) {
            suggestions.push(suggestion);
        }
    }
    suggestions
}
