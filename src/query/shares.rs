//! Rows that say how products are spread over retailers, brands or either: a label, a count and its share.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::counts::Count;
use crate::catalog::Catalog;
use crate::types::Percent;

/// Products of a retailer among those of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetailerShare<'a> {
    /// Retailer platform key.
    pub retailer: &'a str,
    /// Its listings with a price of the last 90 days.
    pub product_count: u32,
    /// Their share of all such listings, shown or not, in percent.
    pub share_pct: Percent,
}

/// Products of a brand among those of a scope that have one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrandShare<'a> {
    /// Display label; spelling variants are one brand, and what stands for no brand is none.
    pub brand: &'a str,
    /// Priced listings of the brand.
    pub product_count: u32,
    /// Their share of all with a brand, shown or not, in percent.
    pub share_pct: Percent,
}

/// Products of a group among those of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LabelShare<'a> {
    /// Brand or retailer platform key.
    pub label: &'a str,
    /// Its listings with a price of the last 90 days.
    pub product_count: u32,
    /// Their share of all that are counted, shown or not, in percent.
    pub share_pct: Percent,
}

/// The first rows of counted retailers.
pub fn of_retailers<'a>(catalog: &'a Catalog, counts: &[Count], first: usize) -> Vec<RetailerShare<'a>> {
    let row = |(at, product_count, share_pct): (u32, u32, Percent)| RetailerShare {
        retailer: &catalog.platforms[at as usize],
        product_count,
        share_pct,
    };
    shares(counts, first).map(row).collect()
}

/// The first rows of counted brands.
pub fn of_brands<'a>(catalog: &'a Catalog, counts: &[Count], first: usize) -> Vec<BrandShare<'a>> {
    let row = |(at, product_count, share_pct): (u32, u32, Percent)| BrandShare {
        brand: &catalog.brands[at as usize].label,
        product_count,
        share_pct,
    };
    shares(counts, first).map(row).collect()
}

/// The first rows of groups that `label` names.
pub fn of_labels<'a>(counts: &[Count], first: usize, label: impl Fn(u32) -> &'a str) -> Vec<LabelShare<'a>> {
    let row = |(at, product_count, share_pct): (u32, u32, Percent)| LabelShare {
        label: label(at),
        product_count,
        share_pct,
    };
    shares(counts, first).map(row).collect()
}

fn shares(counts: &[Count], first: usize) -> impl Iterator<Item = (u32, u32, Percent)> {
    let all: u32 = counts.iter().map(|&(_, count)| count).sum();
    let share = move |&(at, count): &Count| (at, count, Percent::from_ratio(count.into(), all.into()));
    counts.iter().take(first).map(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_everything_that_was_counted() {
        let labels = ["a", "b", "c"];
        let rows = of_labels(&[(2, 2), (0, 1), (1, 1)], 2, |at| labels[at as usize]);
        let rows: Vec<_> =
            rows.iter().map(|row| (row.label, row.product_count, row.share_pct.get())).collect();
        assert_eq!(rows, [("c", 2, 5000), ("a", 1, 2500)]);
        assert!(of_labels(&[], 10, |_| "").is_empty());
    }
}
