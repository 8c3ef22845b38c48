//! The small tables that are decoded at opening: platforms, brands, categories, aliases, coverage.

use super::super::normalized::{NONE, Names};
use super::coverage;
use super::listing_key::ListingKeys;
use crate::lang::text::{path_slug, slug};
use crate::snapshot::layout::{AliasEntry, AliasTarget, BrandEntry, CategoryEntry, Dictionary};
use crate::types::Country;

pub(super) fn of(names: &Names, keys: &ListingKeys) -> Dictionary {
    let mut brands: Vec<BrandEntry> = names
        .brands
        .iter()
        .map(|brand| BrandEntry {
            key: brand.key.clone(),
            label: brand.label.clone(),
            listings: [0; Country::ALL.len()],
            priced: [0; Country::ALL.len()],
        })
        .collect();
    for (row, &brand) in keys.brand.iter().enumerate().filter(|&(_, &brand)| brand != NONE) {
        let country = keys.country(row).as_u8() as usize;
        brands[brand as usize].listings[country] += 1;
        brands[brand as usize].priced[country] += u32::from(keys.is_priced(row));
    }
    let categories = names
        .categories
        .iter()
        .map(|node| CategoryEntry { slug: node.slug.clone(), label: node.label.clone(), parent: node.parent })
        .collect();
    let observed = (0..keys.len()).filter(|&row| keys.is_observed(row));
    Dictionary {
        first_day: names.first_day.days(),
        last_day: names.last_day.days(),
        newest: observed.map(|row| keys.latest_instant[row]).max().unwrap_or_default(),
        platforms: names.platforms.clone(),
        brands,
        categories,
        aliases: aliases(names),
        coverage: coverage::cells(names, keys),
    }
}

/// Aliases in slug form, the first of equal names first; a target of eight digits is a code.
fn aliases(names: &Names) -> Vec<AliasEntry> {
    let is_code = |target: &str| target.len() == 8 && target.bytes().all(|byte| byte.is_ascii_digit());
    names
        .aliases
        .iter()
        .map(|alias| AliasEntry {
            slug: slug(&alias.name),
            target: match alias.target.trim() {
                code if is_code(code) => AliasTarget::Code(code.parse().unwrap_or_default()),
                path => AliasTarget::Category(path_slug(path)),
            },
        })
        .collect()
}
