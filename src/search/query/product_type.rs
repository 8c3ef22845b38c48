//! The thing that a text asks for: "chocolate milk" is a milk, and "milk chocolate" a chocolate.

use crate::lang::text::name::is_qualifier;
use crate::search::index::TextIndex;

/// Which of the terms that a match holds names it: the first of those that may be the head, else the last one, that some
/// listing is. Colours, sizes and the like name no thing: "vin rouge" is a wine.
pub fn type_term(text: &TextIndex, head_nouns: impl Iterator<Item = u32>, needed: &[u32]) -> Option<u32> {
    let is_product_type = |term: &u32| text.names_listing(*term) && !is_qualifier(text.term(*term));
    let head_nouns = head_nouns.filter(|head| needed.contains(head));
    head_nouns.chain(needed.iter().rev().copied()).find(is_product_type)
}
