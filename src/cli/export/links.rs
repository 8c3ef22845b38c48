//! Likely links: pairs of listings of two retailers that are likely the same product, with a confidence.

use anyhow::Result;

use super::column;
use super::files::Table;
use crate::catalog::{Catalog, LikelyLink, Listing};

pub(super) fn write(catalog: &Catalog, mut table: Table) -> Result<()> {
    let rows = 0..catalog.listings.country.len() as u32;
    // A link is stored in both directions. The direction from the smaller uid is exported.
    let mut links: Vec<(Listing<'_>, Listing<'_>, LikelyLink)> = rows
        .flat_map(|row| {
            catalog.links.of(row).map(move |link| (catalog.listing(row), catalog.listing(link.row), link))
        })
        .filter(|(left, right, _)| left.uid() < right.uid())
        .collect();
    links.sort_unstable_by_key(|(left, right, _)| (left.uid(), right.uid()));
    /// Makes a column from a closure over links.
    macro_rules! each {
        ($name:literal, $value:expr) => {
            column($name, links.iter().map($value).collect::<Vec<_>>())
        };
    }
    table.group(vec![
        each!("left_product_uid", |(left, _, _)| left.uid().to_string()),
        each!("left_retailer", |(left, _, _)| left.retailer()),
        each!("left_product_id", |(left, _, _)| left.product_id()),
        each!("right_product_uid", |(_, right, _)| right.uid().to_string()),
        each!("right_retailer", |(_, right, _)| right.retailer()),
        each!("right_product_id", |(_, right, _)| right.product_id()),
        each!("country", |(left, _, _)| left.country().as_str()),
        each!("confidence", |(_, _, link)| link.confidence.get()),
        each!("match_reasons", |(_, _, link)| link.words().join(" ")),
    ])?;
    table.finish()
}
