//! The second half of a build: canonical tables in, snapshot files out.
//!
//! Everything here is derived from [`Canonical`] alone and written in one fixed order, without a clock or a random
//! number, so that equal tables give equal bytes.

mod bricks;
mod coverage;
mod current;
mod dictionary;
mod entities;
mod figures;
mod links;
mod offers;
mod periods;
mod shelves;
mod spells;
mod text;

use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::canonical::{Canonical, ClassificationTables};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::{self, Dictionary};
use crate::snapshot::manifest::{self, Counts, FileEntry};
use crate::snapshot::tables::ListingsPacked;
use bricks::Bricks;
use current::Current;
pub use entities::EntityGroups;
use entities::InCountries;
pub use links::Linking;

/// What packing tells the build report.
#[derive(Debug)]
pub struct Packed {
    /// Sizes, for the manifest.
    pub counts: Counts,
    /// Files written, in manifest order.
    pub files: Vec<FileEntry>,
    /// Entities, for the report.
    pub entities: EntityGroups,
    /// The small tables, for the report.
    pub dictionary: Dictionary,
    /// Likely links, for manifest and report; `None` when none were looked for.
    pub linking: Option<manifest::LinkingFigures>,
    /// Why links that were found are not published, if they are not.
    pub unpublished_links: Option<String>,
}

/// Packs canonical tables into the files of a snapshot below `dir`.
///
/// # Errors
/// When a file cannot be written.
pub fn pack(tables: &Canonical, linking: Linking, dir: &Path, step: &dyn Fn(&str)) -> io::Result<Packed> {
    step("indexing");
    let current = Current::of(tables);
    let bricks = Bricks::of(tables);
    let entities = EntityGroups::of(tables, &current);
    let here = InCountries::of(tables, &current, &entities);
    step("writing columns");
    let mut files = vec![
        FileEntry::new(
            layout::LISTINGS,
            write_listings(tables, &current, &bricks, (&entities, &here), &dir.join(layout::LISTINGS))?,
        ),
        FileEntry::new(layout::OBSERVATIONS, write_observations(tables, &dir.join(layout::OBSERVATIONS))?),
        FileEntry::new(layout::PERIODS, periods::write(tables, &dir.join(layout::PERIODS))?),
        FileEntry::new(layout::SPELLS, spells::write(tables, &dir.join(layout::SPELLS))?),
        FileEntry::new(
            layout::INDICES,
            write_indices(tables, &current, &bricks, &entities, &dir.join(layout::INDICES))?,
        ),
    ];
    if let Some(classification) = &tables.names.classification {
        let written = write_classification(classification, &dir.join(layout::CLASSIFICATION))?;
        files.push(FileEntry::new(layout::CLASSIFICATION, written));
    }
    let dictionary = dictionary::of(tables, &current);
    files.push(FileEntry::new(layout::DICTIONARY, dictionary.write(&dir.join(layout::DICTIONARY))?));
    step("indexing text");
    let text = text::write(tables, &current, &entities, &here, &dir.join(layout::TEXT))?;
    files.push(FileEntry::new(layout::TEXT, text));
    step("linking");
    let links = links::Links::of(tables, &current, &entities, linking);
    files.push(FileEntry::new(layout::LINKS, links.write(tables, &dir.join(layout::LINKS))?));
    let counts = Counts {
        listings: tables.listings.product_uid.len() as u64,
        observations: tables.observations.columns.day.len() as u64,
        entities: entities.uid.len() as u64,
        platforms: tables.names.platforms.len() as u64,
        brands: tables.names.brands.len() as u64,
        categories: tables.names.categories.len() as u64,
    };
    let (linking, unpublished_links) = (links.summary, links.unpublished);
    Ok(Packed { counts, files, entities, dictionary, linking, unpublished_links })
}

fn write_listings(
    tables: &Canonical,
    current: &Current,
    bricks: &Bricks,
    (entities, here): (&EntityGroups, &InCountries),
    path: &Path,
) -> io::Result<Written> {
    let packed = ListingsPacked {
        entity: &entities.of_row,
        brick: &bricks.node,
        brick_mapping: &bricks.mapping,
        priced: &current.priced,
        current_day: &current.day,
        current_price: &current.price,
        current_list_price: &current.list_price,
        current_flags: &current.flags,
        offer: &offers::of(tables, current, entities, here),
    };
    tables.listings.write(&packed, path)
}

fn write_observations(tables: &Canonical, path: &Path) -> io::Result<Written> {
    let observations = &tables.observations;
    let mut file = ColumnWriter::create(path)?;
    file.column("offsets", &observations.offsets)?;
    for (name, column) in observations.columns.kept() {
        column.write(name, &mut file)?;
    }
    file.finish()
}

fn write_indices(
    tables: &Canonical,
    current: &Current,
    bricks: &Bricks,
    entities: &EntityGroups,
    path: &Path,
) -> io::Result<Written> {
    let uid = &tables.listings.product_uid;
    let mut uid_order: Vec<u32> = (0..uid.len() as u32).collect();
    uid_order.par_sort_unstable_by_key(|&row| uid[row as usize]);
    let by_price = current.rows_by_price(tables);

    let mut file = ColumnWriter::create(path)?;
    file.column("listing_uid", &uid_order.iter().map(|&row| uid[row as usize]).collect::<Vec<_>>())?;
    file.column("uid_order", &uid_order)?;
    file.column("entity_uid", &entities.uid)?;
    file.column("entity_ends", &entities.ends)?;
    file.column("entity_rows", &entities.rows)?;
    file.column("entity_suspect", &entities.suspect)?;
    let ranges = shelves::category_ranges(tables);
    file.column("category_from", &ranges.from)?;
    file.column("category_to", &ranges.to)?;
    let from = (tables, current, entities);
    figures::write(&mut file, "category", &shelves::priced_by_category(tables, &by_price), from)?;
    if let Some(classification) = &tables.names.classification {
        let all = shelves::rows_by_brick(tables, classification, &bricks.node);
        file.column("brick_ends", &all.ends)?;
        file.column("brick_rows", &all.rows)?;
        let priced = shelves::priced_by_code(tables, classification, &bricks.node, &by_price);
        figures::write(&mut file, "code", &priced, from)?;
    }
    file.finish()
}

fn write_classification(classification: &ClassificationTables, path: &Path) -> io::Result<Written> {
    let mut file = ColumnWriter::create(path)?;
    let release: crate::snapshot::Strings = [classification.release.as_str()].into_iter().collect();
    file.strings("release", &release)?;
    file.strings("titles", &classification.titles)?;
    file.column("code", &classification.code)?;
    file.column("level", &classification.level)?;
    file.column("title", &classification.title)?;
    file.column("parent", &classification.parent)?;
    file.column("has_attributes", &[u8::from(classification.has_attributes)])?;
    file.column("attribute_ends", &classification.attribute_ends)?;
    file.column("attribute_title", &classification.attribute_title)?;
    file.column("attribute_values", &classification.attribute_values)?;
    file.column("value_ends", &classification.value_ends)?;
    file.column("value_title", &classification.value_title)?;
    file.finish()
}
