//! The number of listings of each retailer and each brand in a scope.
//!
//! Platforms and brands are numbered in the order of their labels, so counts are stored by number, and equal counts
//! stay in the order of labels.

use std::cmp::Reverse;

use super::Span;
use super::scope::Scope;
use crate::catalog::Catalog;
use crate::snapshot::layout::NONE;

/// The number of a platform or a brand, and the number of its listings.
pub type Count = (u32, u32);

/// The platforms of some rows with the numbers of their rows: largest first, then by key.
pub fn of_platforms(catalog: &Catalog, rows: &[u32]) -> Vec<Count> {
    let platform = &catalog.listings.platform;
    largest_first(catalog.platforms.len(), rows.iter().map(|&row| u32::from(platform[row as usize])))
}

/// The brands of some rows with the numbers of their rows: largest first, then by label. Rows without a brand are not
/// counted.
pub fn of_brands(catalog: &Catalog, rows: &[u32]) -> Vec<Count> {
    let brand = &catalog.listings.brand;
    let branded = rows.iter().map(|&row| brand[row as usize]).filter(|&brand| brand != NONE);
    largest_first(catalog.brands.len(), branded)
}

/// The brands of the priced listings of a scope, and the span of their observations. For a whole scope, both are
/// prepared; otherwise they are computed.
pub fn brands_of_scope(catalog: &Catalog, scope: &Scope) -> (Vec<Count>, Span) {
    if let Some(figures) = scope.figures(catalog) {
        let (brands, counts) = figures.brands();
        let counts = brands.iter().copied().zip(counts.iter().copied()).collect();
        return (counts, Span::between(figures.brands_observed()));
    }
    let mut rows = scope.priced_rows(catalog);
    let brand = &catalog.listings.brand;
    rows.retain(|&row| brand[row as usize] != NONE);
    (of_brands(catalog, &rows), Span::of_rows(catalog, rows))
}

/// The frequency of each number below `numbers`: most frequent first, then in ascending order of the number.
fn largest_first(numbers: usize, all: impl Iterator<Item = u32>) -> Vec<Count> {
    let mut counts = vec![0; numbers];
    all.for_each(|number| counts[number as usize] += 1);
    let mut counts: Vec<Count> = (0..).zip(counts).filter(|&(_, count)| count > 0).collect();
    counts.sort_by_key(|&(_, count)| Reverse(count));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_equal_ones_in_their_order() {
        assert_eq!(largest_first(5, [3, 1, 1, 4, 3, 0].into_iter()), [(1, 2), (3, 2), (0, 1), (4, 1)]);
    }
}
