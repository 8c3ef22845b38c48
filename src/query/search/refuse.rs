//! The refusal of a text that no product matches well enough.

use super::{Found, Search};
use crate::catalog::{MatchQuality, Wanted};
use crate::lang::text::terms::Term;
use crate::query::refusal::{NearestProduct, NoResultsDetails, NoResultsReason, Refusal};

/// Products that are named.
const NEAREST_MAX: usize = 3;

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// The refusal of a text whose best match has too little quality; what to ask for instead is looked up later.
    pub(super) fn refusal(&self, asked: &[Term], found: Option<&Found>) -> Refusal {
        let Wanted { country, among, ref accept, .. } = *self.wanted;
        let wanted = Wanted { country, limit: NEAREST_MAX, among, accept };
        let hits = found.map_or_else(Vec::new, |found| match &found.matches {
            known if known.all || known.hits.len() >= NEAREST_MAX => known.hits.clone(),
            _ => found.searched.matches(self.catalog, &wanted, MatchQuality::default()).hits,
        });
        let nearest: Vec<NearestProduct> = hits
            .iter()
            .take(NEAREST_MAX)
            .map(|hit| NearestProduct {
                product_name: self.catalog.listing(hit.row).name().to_owned(),
                match_quality: hit.quality.ratio(),
            })
            .collect();
        let quality = found.map_or(MatchQuality::default(), Found::quality);
        let message = match nearest.first() {
            None => format!("no priced listing of {} matches q", country.as_str()),
            Some(nearest) => format!(
                "no priced listing of {} matches q well enough: the best, {:?}, has a match_quality of {}, below the {} required; \
                 min_quality asks for less",
                country.as_str(),
                nearest.product_name,
                decimal(quality),
                decimal(self.strictness.least()),
            ),
        };
        let details = NoResultsDetails {
            terms: Some(asked.iter().map(|term| term.written.clone()).collect()),
            match_quality: Some(quality.ratio()),
            nearest: Some(nearest),
            suggestions: Some(Vec::new()),
            categories: Some(Vec::new()),
            other_country: Some(None),
            ..NoResultsDetails::new(NoResultsReason::UnknownProduct)
        };
        Refusal::NoResults { message, details: Box::new(details), suggest: None }
    }
}

/// A quality with two decimals.
fn decimal(quality: MatchQuality) -> String {
    format!("{}.{:02}", quality.hundredths() / 100, quality.hundredths() % 100)
}
