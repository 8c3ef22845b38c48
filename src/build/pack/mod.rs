//! The second half of a build: canonical tables in, snapshot files out.
//!
//! Everything here is derived from [`Canonical`] alone and written in one fixed order, without a clock or a random
//! number, so that equal tables give equal bytes.

mod coverage;
mod current;
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

use super::canonical::{Canonical, Classification, NONE};
use crate::domain::Country;
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout::{
    self, AliasEntry, AliasTarget, BrandEntry, CategoryEntry, Dictionary, mapping,
};
use crate::snapshot::manifest::{self, Counts, FileEntry};
use crate::snapshot::tables::ListingsPacked;
use current::Current;
pub use entities::Entities;
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
    pub entities: Entities,
    /// The small tables, for the report.
    pub dictionary: Dictionary,
    /// Likely links, for manifest and report; `None` when none were looked for.
    pub linking: Option<manifest::Linking>,
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
    let entities = Entities::of(tables, &current);
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
    if let Some(classification) = &tables.classification {
        let written = write_classification(classification, &dir.join(layout::CLASSIFICATION))?;
        files.push(FileEntry::new(layout::CLASSIFICATION, written));
    }
    let dictionary = dictionary(tables, &current);
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
        platforms: tables.platforms.len() as u64,
        brands: tables.brands.len() as u64,
        categories: tables.categories.len() as u64,
    };
    let (linking, unpublished_links) = (links.summary, links.unpublished);
    Ok(Packed { counts, files, entities, dictionary, linking, unpublished_links })
}

/// The classification node of each listing and how it got it.
struct Bricks {
    node: Vec<u32>,
    mapping: Vec<u8>,
}

impl Bricks {
    /// The source's brick where the publication holds it, else that of the listing's category or of its nearest
    /// ancestor with one.
    fn of(tables: &Canonical) -> Self {
        let rows = tables.listings.category.len();
        let Some(classification) = &tables.classification else {
            return Self { node: vec![NONE; rows], mapping: vec![mapping::NONE; rows] };
        };
        let nodes = classification.code.iter().zip(&classification.level).zip(0..);
        let codes: std::collections::HashMap<u32, u32> =
            nodes.filter(|&((_, &level), _)| level == 4).map(|((&code, _), node)| (code, node)).collect();
        let derived = derived_bricks(tables, &codes);
        let (node, mapping) = (0..rows)
            .map(|row| match codes.get(&tables.listings.gpc_code[row]) {
                Some(&node) => (node, mapping::EXACT),
                None => match derived[tables.listings.category[row] as usize] {
                    NONE => (NONE, mapping::NONE),
                    node => (node, mapping::DERIVED),
                },
            })
            .unzip();
        Self { node, mapping }
    }
}

/// The brick of each category, inherited from the nearest ancestor (preorder puts parents first).
fn derived_bricks(tables: &Canonical, codes: &std::collections::HashMap<u32, u32>) -> Vec<u32> {
    let mut rows = std::collections::HashMap::new();
    for row in &tables.category_bricks {
        rows.entry(row.slug.as_str()).or_insert(row.brick);
    }
    let mut derived: Vec<u32> = Vec::with_capacity(tables.categories.len());
    for category in &tables.categories {
        let own = rows.get(category.slug.as_str());
        derived.push(match own {
            Some(code) => codes.get(code).copied().unwrap_or(NONE),
            None if category.parent == NONE => NONE,
            None => derived[category.parent as usize],
        });
    }
    derived
}

fn write_listings(
    tables: &Canonical,
    current: &Current,
    bricks: &Bricks,
    (entities, here): (&Entities, &InCountries),
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
    entities: &Entities,
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
    if let Some(classification) = &tables.classification {
        let all = shelves::rows_by_brick(tables, classification, &bricks.node);
        file.column("brick_ends", &all.ends)?;
        file.column("brick_rows", &all.rows)?;
        let priced = shelves::priced_by_code(tables, classification, &bricks.node, &by_price);
        figures::write(&mut file, "code", &priced, from)?;
    }
    file.finish()
}

fn write_classification(classification: &Classification, path: &Path) -> io::Result<Written> {
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

fn dictionary(tables: &Canonical, current: &Current) -> Dictionary {
    let listings = &tables.listings;
    let mut brands: Vec<BrandEntry> = tables
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
        .categories
        .iter()
        .map(|node| CategoryEntry { slug: node.slug.clone(), label: node.label.clone(), parent: node.parent })
        .collect();
    let newest = listings.latest_instant.iter().zip(&current.day).filter(|&(_, &day)| day != layout::NO_DAY);
    Dictionary {
        first_day: tables.first_day.days(),
        last_day: tables.last_day.days(),
        newest: newest.map(|(&instant, _)| instant).max().unwrap_or_default(),
        platforms: tables.platforms.clone(),
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
        .aliases
        .iter()
        .map(|alias| AliasEntry {
            slug: crate::domain::text::slug(&alias.name),
            target: match alias.target.trim() {
                code if is_code(code) => AliasTarget::Code(code.parse().unwrap_or_default()),
                path => AliasTarget::Category(crate::domain::text::path_slug(path)),
            },
        })
        .collect()
}
