//! Rows that show how products are distributed over retailers, brands or other groups: a label, a count and its
//! share.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::counts::Count;
use crate::catalog::Catalog;
use crate::types::Percent;

/// Number and share of a retailer's listings in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetailerShare<'a> {
    /// Key of the retailer.
    pub retailer: &'a str,
    /// Number of listings of the retailer with a price of the last 90 days.
    pub product_count: u32,
    /// Share of the retailer among all listings of the scope with a price of the last 90 days, in percent. The total
    /// includes retailers that are not listed.
    pub share_pct: Percent,
}

/// Number and share of a brand's listings, among the listings of a scope that have a brand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrandShare<'a> {
    /// Display label of the brand. Spelling variants count as one brand. Texts that mean "no brand" do not count as a
    /// brand.
    pub brand: &'a str,
    /// Number of listings of the brand with a price of the last 90 days.
    pub product_count: u32,
    /// Share of the brand among all listings with a brand and a price of the last 90 days, in percent. The total
    /// includes brands that are not listed.
    pub share_pct: Percent,
}

/// Number and share of the listings of a brand or retailer in a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LabelShare<'a> {
    /// Display label of the brand, or key of the retailer.
    pub label: &'a str,
    /// Number of listings of the brand or retailer with a price of the last 90 days.
    pub product_count: u32,
    /// Share of the brand or retailer among all counted listings, in percent. The total includes brands or retailers
    /// that are not listed.
    pub share_pct: Percent,
}

/// Returns rows for the first `first` counted retailers.
pub fn of_retailers<'a>(catalog: &'a Catalog, counts: &[Count], first: usize) -> Vec<RetailerShare<'a>> {
    let row = |(at, product_count, share_pct): (u32, u32, Percent)| RetailerShare {
        retailer: &catalog.platforms[at as usize],
        product_count,
        share_pct,
    };
    shares(counts, first).map(row).collect()
}

/// Returns rows for the first `first` counted brands.
pub fn of_brands<'a>(catalog: &'a Catalog, counts: &[Count], first: usize) -> Vec<BrandShare<'a>> {
    let row = |(at, product_count, share_pct): (u32, u32, Percent)| BrandShare {
        brand: &catalog.brands[at as usize].label,
        product_count,
        share_pct,
    };
    shares(counts, first).map(row).collect()
}

/// Returns rows for the first `first` counted groups. `label` returns the name of a group.
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
