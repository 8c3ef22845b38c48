//! Listings as the linker reads them: a few at a time, since their texts lie in files.

use std::io;

use rayon::prelude::*;

use crate::index::writer::WriterContext;
use crate::matching::{BrandName, Item, Linker, LinkerReader};
use crate::types::{Country, Instant};

/// Listings whose texts are in memory at a time.
const LISTINGS_AT_A_TIME: usize = 1 << 13;
/// Most listings of the self check.
const CHECKED_MAX: usize = 100_000;
/// Listings of a barcode from which on it is left out of the self check: nobody sells one product that often, and every
/// listing would be held against every other.
const CHECKED_MEMBERS_MAX: usize = 1_000;

/// What the columns of a listing say beside what is kept of it.
pub(super) struct Texts {
    name: String,
    mpn: String,
    gtin: u64,
}

/// The linker over all listings of a country.
pub(super) fn linker<'a>(
    step: &WriterContext<'a>,
    brands: &[BrandName<'_>],
    country: Country,
) -> io::Result<Linker<'a>> {
    let mut rows: Vec<u32> =
        (0..step.keys.len() as u32).filter(|&row| step.keys.country(row as usize) == country).collect();
    let place = |row: &u32| (step.keys.platform[*row as usize], step.keys.uid[*row as usize], *row);
    rows.par_sort_unstable_by_key(place);
    let mut reader = LinkerReader::new(&step.names.lexicon, brands, rows.len());
    for rows in rows.chunks(LISTINGS_AT_A_TIME) {
        reader.take(&items(step, rows, &texts(step, rows)?));
    }
    Ok(reader.finish(&step.names.platforms))
}

/// Reads what the linker needs of some listings.
pub(super) fn texts(step: &WriterContext<'_>, rows: &[u32]) -> io::Result<Vec<Texts>> {
    let read = |&row: &u32| {
        let mut gtin = [0];
        step.listings.read_at("gtin", row.into(), &mut gtin)?;
        let text = |name| step.listings.string(name, row.into());
        Ok(Texts { name: text("name")?, mpn: text("mpn")?, gtin: gtin[0] })
    };
    rows.par_iter().map(read).collect()
}

/// Some listings with their texts.
pub(super) fn items<'t>(step: &WriterContext<'_>, rows: &[u32], texts: &'t [Texts]) -> Vec<Item<'t>> {
    let keys = step.keys;
    let item = |(&row, texts): (&u32, &'t Texts)| {
        let at = row as usize;
        Item {
            row,
            uid: keys.uid[at],
            platform: keys.platform[at],
            name: &texts.name,
            brand: keys.brand[at],
            gtin: texts.gtin,
            condition: keys.condition(at),
            price: keys.price[at],
            seen: Instant::from_micros(keys.latest_instant[at]).day(),
            mpn: &texts.mpn,
        }
    };
    rows.iter().zip(texts).map(item).collect()
}

/// Listings of the self check: those of whole entities that have a barcode, of the lowest uids.
pub(super) fn checked_rows(step: &WriterContext<'_>) -> Vec<u32> {
    let entity = &step.keys.entity;
    let count = entity.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut members, mut has_barcode) = (vec![0_u32; count], vec![false; count]);
    for (row, &entity) in entity.iter().enumerate() {
        members[entity as usize] += 1;
        has_barcode[entity as usize] |= step.keys.has_barcode(row);
    }
    let (mut is_checked, mut checked) = (vec![false; count], 0);
    for entity in (0..count).filter(|&entity| has_barcode[entity]) {
        let members = members[entity] as usize;
        if members > CHECKED_MEMBERS_MAX {
            continue;
        }
        checked += members;
        if checked > CHECKED_MAX {
            break;
        }
        is_checked[entity] = true;
    }
    (0..entity.len() as u32).filter(|&row| is_checked[entity[row as usize] as usize]).collect()
}
