//! The time span of the observations behind a figure.

use crate::catalog::Catalog;
use crate::types::Instant;

/// The oldest and the newest of the observations on which an answer is based.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span(Option<(Instant, Instant)>);

impl Span {
    /// Includes an observation.
    pub fn add(&mut self, at: Instant) {
        self.0 = Some(self.0.map_or((at, at), |(min, max)| (min.min(at), max.max(at))));
    }

    /// The span from the oldest to the newest observation. Empty for `None`.
    pub const fn between(bounds: Option<(Instant, Instant)>) -> Self {
        Self(bounds)
    }

    /// The span of the current prices of some listings.
    pub fn of_rows(catalog: &Catalog, rows: impl IntoIterator<Item = u32>) -> Self {
        let mut span = Self::default();
        rows.into_iter().for_each(|row| span.add(catalog.listing(row).observed_at()));
        span
    }

    /// The oldest and the newest instant; `None` if the span is empty.
    pub const fn bounds(self) -> Option<(Instant, Instant)> {
        self.0
    }
}
