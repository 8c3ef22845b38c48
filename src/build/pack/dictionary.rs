//! The small tables that are decoded at opening: platforms, brands, categories, aliases, coverage.

use super::super::canonical::{Canonical, NONE};
use super::coverage;
use super::current::Current;
use crate::domain::Country;
use crate::domain::text::{path_slug, slug};
use crate::snapshot::layout::{self, AliasEntry, AliasTarget, BrandEntry, CategoryEntry, Dictionary};

pub(super) fn of(tables: &Canonical, current: &Current) -> Dictionary {
    let listings = &tables.listings;
    let mut brands: Vec<BrandEntry> = tables
        .names
        .brands
        .iter()
        .map(|brand| BrandEntry {
            key: brand.key.clone(),
            label: brand.label.clone(),
            listings: [0; Country::ALL.len()],
            priced: [0; Country::ALL.len()],
        })
        .collect();
    for (row, &brand) in listings.brand.iter().enumerate().filter(|&(_, &brand)| brand != NONE) {
        let country = listings.country[row].as_u8() as usize;
        brands[brand as usize].listings[country] += 1;
        brands[brand as usize].priced[country] += u32::from(current.priced[row]);
    }
    let categories = tables
        .names
        .categories
        .iter()
        .map(|node| CategoryEntry { slug: node.slug.clone(), label: node.label.clone(), parent: node.parent })
        .collect();
    let newest = listings.latest_instant.iter().zip(&current.day).filter(|&(_, &day)| day != layout::NO_DAY);
    Dictionary {
        first_day: tables.names.first_day.days(),
        last_day: tables.names.last_day.days(),
        newest: newest.map(|(&instant, _)| instant).max().unwrap_or_default(),
        platforms: tables.names.platforms.clone(),
        brands,
        categories,
        aliases: aliases(tables),
        coverage: coverage::cells(tables, current),
    }
}

/// Aliases in slug form, the first of equal names first; a target of eight digits is a code.
fn aliases(tables: &Canonical) -> Vec<AliasEntry> {
    let is_code = |target: &str| target.len() == 8 && target.bytes().all(|byte| byte.is_ascii_digit());
    tables
        .names
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
