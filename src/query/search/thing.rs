//! The thing that a text asks for: "chocolate milk" is a milk, and "milk chocolate" a chocolate.

use crate::catalog::TextIndex;
use crate::domain::everyday;

/// Which of the terms that a match holds names it: the head of the text, read as a name, where it is one of them and some
/// listing is that; else the last that some listing is. Colours name no thing: "vin rouge" is a wine.
pub fn thing(text: &TextIndex, head: Option<u32>, needed: &[u32]) -> Option<u32> {
    let is_thing = |term: &u32| text.names_listing(*term) && !everyday::table().is_colour(text.term(*term));
    let head = head.filter(|head| needed.contains(head));
    head.into_iter().chain(needed.iter().rev().copied()).find(is_thing)
}
