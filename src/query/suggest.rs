//! What to ask for instead of something that is not there.
//!
//! A text is compared with every category or brand of the country, which costs far more than to find that it is none of
//! them; so the refusal comes first, and whoever has the time completes it.

use super::refusal::{Refusal, Sought};
use super::{brand, category};
use crate::catalog::Catalog;

/// The refusal with its suggestions looked up.
#[must_use]
pub fn complete(refusal: Refusal, catalog: &Catalog) -> Refusal {
    let Refusal::NoResults { message, mut details, suggest: Some(asked) } = refusal else { return refusal };
    details.suggestions = Some(match &*asked {
        Sought::Category { country, text, root } => category::suggestions(catalog, *country, text, *root),
        Sought::Brand { country, text } => brand::suggestions(catalog, *country, text),
    });
    Refusal::NoResults { message, details, suggest: None }
}

/// Whether [`complete`] has something to look up.
pub fn is_open(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NoResults { suggest: Some(_), .. })
}
