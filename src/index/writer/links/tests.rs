//! Links that are looked for a few texts at a time against those of all listings at once.

use super::super::bounds::MemoryBudget;
use super::super::pack_in;
use super::super::tests::demo;
use super::*;
use crate::index::normalized::Canonical;
use crate::lang::Lexicon;
use crate::matching::{Item, Linker};
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout;
use crate::snapshot::mapped::{Mapping, Residence};
use crate::types::Instant;

/// Rows, confidence and reasons of all links, both ways, made of tables in memory.
fn known_links(tables: &Canonical) -> Vec<(u32, u32, u16, u8)> {
    let listings = &tables.listings;
    let names = &tables.names;
    let brands: Vec<BrandName<'_>> =
        names.brands.iter().map(|brand| BrandName { key: &brand.key, label: &brand.label }).collect();
    let item = |row: u32| {
        let at = row as usize;
        let (from, to) = (tables.observations.offsets[at], tables.observations.offsets[at + 1]);
        let prices = &tables.observations.columns.price[from as usize..to as usize];
        Item {
            row,
            uid: listings.product_uid[at],
            platform: listings.platform[at],
            name: listings.name.get(at),
            brand: listings.brand[at],
            gtin: listings.gtin[at],
            condition: listings.condition[at],
            price: prices.last().copied().unwrap_or(0),
            seen: Instant::from_micros(listings.latest_instant[at]).day(),
            mpn: listings.mpn.get(at),
        }
    };
    let mut links = Vec::new();
    for country in Country::ALL {
        let rows = 0..listings.country.len() as u32;
        let items = rows.filter(|&row| listings.country[row as usize] == country).map(item).collect();
        for link in
            Linker::new(Lexicon::shipped(), &names.platforms, &brands, items).links(Confidence::THRESHOLD)
        {
            links.push((link.left, link.right, link.confidence.0, link.reasons));
            links.push((link.right, link.left, link.confidence.0, link.reasons));
        }
    }
    links.sort_unstable();
    links
}

#[test]
fn links_are_those_of_all_listings_at_once() {
    let tables = demo();
    let (dir, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let budget = MemoryBudget::of_bytes(10_000);
    let written = pack_in(budget, &tables, Linking::Kept, dir.path(), scratch.path(), &|_| ()).unwrap();
    let path = dir.path().join(layout::LINKS);
    let bytes = std::fs::metadata(&path).unwrap().len();
    let file = ColumnFile::new("links", Mapping::open(&path, bytes, Residence::Mapped).unwrap()).unwrap();
    let rows = tables.listings.country.len();
    let ends = file.column_of::<u32>("link_ends", rows).unwrap();
    let (others, confidence) = (file.column::<u32>("link_rows"), file.column::<u16>("link_confidence"));
    let (others, confidence) = (others.unwrap(), confidence.unwrap());
    let reasons = file.column::<u8>("link_reasons").unwrap();
    let mut found = Vec::new();
    for row in 0..rows {
        let from = if row == 0 { 0 } else { ends[row - 1] };
        for at in from as usize..ends[row] as usize {
            found.push((row as u32, others[at], confidence[at], reasons[at]));
        }
    }
    assert!(!found.is_empty());
    assert_eq!(found, known_links(&tables));
    assert_eq!(written.linking.unwrap().links * 2, found.len() as u64);
    let mpns = file.strings("mpn", rows).unwrap();
    assert!((0..rows).all(|row| mpns.get(row as u32) == tables.listings.mpn.get(row)));
}
