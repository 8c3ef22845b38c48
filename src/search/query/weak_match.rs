//! The best matches of a text that no product matches well enough.

use super::{Found, Search};
use crate::lang::text::terms::Term;
use crate::search::index::{MatchQuality, Wanted};

/// Products that are named.
const NEAREST_MAX: usize = 3;

/// The best matches of a text, none of which has the least quality.
#[derive(Debug, Clone, PartialEq)]
pub struct WeakMatch {
    /// The terms of the text as they were written.
    pub terms: Vec<String>,
    /// The quality of the best match; 0 where nothing matches.
    pub quality: MatchQuality,
    /// The quality that a match must have.
    pub least: MatchQuality,
    /// Names and qualities of the best matches, at most three, one per product.
    pub nearest: Vec<(String, MatchQuality)>,
}

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// What came near to a text whose best match, if any, has too little quality.
    pub(super) fn weak_match(&self, asked: &[Term], found: Option<&Found>) -> WeakMatch {
        let Wanted { country, among, ref accept, .. } = *self.wanted;
        let wanted = Wanted { country, limit: NEAREST_MAX, among, accept };
        let hits = found.map_or_else(Vec::new, |found| match &found.matches {
            known if known.all || known.hits.len() >= NEAREST_MAX => known.hits.clone(),
            _ => found.searched.matches(self.catalog, &wanted, MatchQuality::default()).hits,
        });
        let nearest = hits.iter().take(NEAREST_MAX);
        WeakMatch {
            terms: asked.iter().map(|term| term.written.clone()).collect(),
            quality: found.map_or(MatchQuality::default(), Found::quality),
            least: self.strictness.least(),
            nearest: nearest
                .map(|hit| (self.catalog.listing(hit.row).name().to_owned(), hit.quality))
                .collect(),
        }
    }
}
