//! The index writer, the second half of a build: from a normalized catalog to the files of a snapshot.
//!
//! Everything here is derived from [`Source`] alone and written in one fixed order, without a clock or a random
//! number, so that equal catalogs give equal bytes. The batch boundaries of the source, the memory and the number of
//! threads do not show in the bytes (`tests/it/build/packing.rs`).
//!
//! ```text
//! batches ─▶ listing keys ─┬▶ members sorted by entity ─▶ entities, suspects, cheapest ─┐
//!    │                     ├▶ price ranks ─▶ category scopes, one after the other       ├▶ files of the snapshot
//!    └▶ columns in temporary files ─▶ joined ───────────────────────────────────────────┤
//!       spells ─▶ entries of periods by blocks of listings ─▶ transposed to periods ────┘
//! ```
//!
//! Memory is bounded. `bounds` compares the sizes and the memory with what is needed before the first byte is written:
//! [`BUFFERS_BYTES`] for buffers, [`LISTING_BYTES`] a listing, and the dictionary. Likely links take some hundred
//! bytes a listing of one country beyond that, which `bounds` does not count.
//!
//! - The source is read once. The listing key (`listing_key`, 44 bytes) stays in memory, since every later step reads
//!   it. All other columns go to temporary files ([`scratch`](super::scratch)) and from there to the snapshot: a
//!   column file has its columns one after the other, while a batch adds to each of them.
//! - Texts are read again in the order in which they lie: by `text` for terms, by `links` for names, by `entities` for
//!   the names of entities with several brands.
//! - The priced rows of a category scope are found by the scope's range of listings and sorted by price rank, so the
//!   lists of all scopes are never in memory together.

mod aggregates;
mod batches;
mod bounds;
mod bricks;
mod category_scopes;
mod entities;
mod indices;
mod links;
mod listing_key;
mod listings;
mod offers;
mod periods;
mod spells;
mod suspects;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::path::Path;

use anyhow::Result;
use bounds::MemoryBudget;
use category_scopes::CategoryScopes;
use entities::Entities;
use listings::Listings;
use periods::Periods;
use spells::Spells;

use self::listing_key::ListingKeys;
use super::normalized::{Names, Source};
use super::scratch::{Scratch, TempColumns};
use crate::ingest::classification::ClassificationTables;
use crate::lang::Lexicon;
use crate::snapshot::columns::{ColumnWriter, HashedFile, Written};
use crate::snapshot::layout::Dictionary;
use crate::snapshot::manifest::{Counts, FileEntry};
use crate::snapshot::{layout, manifest};
use crate::types::Country;
pub use bounds::{BUFFERS_BYTES, LISTING_BYTES};
pub use entities::EntityAggregates;
pub use links::Linking;

/// What packing tells the build report.
#[derive(Debug)]
pub struct WrittenSnapshot {
    /// Sizes, for the manifest.
    pub counts: Counts,
    /// Files written, in manifest order.
    pub files: Vec<FileEntry>,
    /// Entities, for the report.
    pub entities: EntityAggregates,
    /// Which categories have listings, by country.
    pub stocked: [Vec<bool>; Country::ALL.len()],
    /// The small tables, for the report.
    pub dictionary: Dictionary,
    /// Likely links, for manifest and report; `None` when none were looked for.
    pub linking: Option<manifest::LinkingCounts>,
    /// Why links that were found are not published, if they are not.
    pub unpublished_links: Option<String>,
}

/// Packs clean input into the files of a snapshot below `dir`, in about so many bytes of memory; temporary files lie below
/// `scratch`. The bytes hang on neither.
///
/// # Errors
/// When a snapshot or the memory is too small for the input, or a file cannot be read or written.
pub fn pack(
    source: &dyn Source,
    linking: Linking,
    dir: &Path,
    scratch: &Path,
    memory: u64,
    step: &dyn Fn(&str),
) -> Result<WrittenSnapshot> {
    let budget = MemoryBudget::of(source, memory)?;
    pack_in(budget, source, linking, dir, scratch, step)
}

/// [`pack`] in a given room.
fn pack_in(
    budget: MemoryBudget,
    source: &dyn Source,
    linking: Linking,
    dir: &Path,
    scratch: &Path,
    step: &dyn Fn(&str),
) -> Result<WrittenSnapshot> {
    let (names, scratch) = (source.names(), Scratch::new(scratch));
    step("indexing");
    let (mut spells, mut periods) = (Spells::new(&scratch)?, Periods::of(names));
    let mut listings = Listings::read(source, budget, &scratch, |more| {
        spells.take(more)?;
        periods.count(more);
        Ok(())
    })?;
    let mut entities = Entities::of(&names.lexicon, &mut listings, &scratch)?;
    step("writing columns");
    let at = |name: &str| dir.join(name);
    let mut files = vec![FileEntry::new(
        layout::LISTINGS,
        listings::write(&listings, &entities.cheapest, &at(layout::LISTINGS))?,
    )];
    entities.cheapest = Vec::new();
    files.push(FileEntry::new(layout::PERIODS, periods.write(&spells, &scratch, &at(layout::PERIODS))?));
    files.push(FileEntry::new(layout::SPELLS, spells.write(&at(layout::SPELLS))?));
    drop(spells);
    let category_scopes = CategoryScopes::of_categories(names, &listings.keys);
    let indices =
        indices::write(names, &listings.keys, &entities, &category_scopes, &scratch, &at(layout::INDICES))?;
    files.push(FileEntry::new(layout::INDICES, indices));
    if let Some(classification) = &names.classification {
        let written = write_classification(classification, &at(layout::CLASSIFICATION))?;
        files.push(FileEntry::new(layout::CLASSIFICATION, written));
    }
    let dictionary = indices::of(names, &listings.keys);
    files.push(FileEntry::new(layout::DICTIONARY, dictionary.write(&at(layout::DICTIONARY))?));
    files.push(FileEntry::new(layout::LEXICON, write_lexicon(&names.lexicon, &at(layout::LEXICON))?));
    step("indexing text");
    let working = WriterContext {
        names,
        keys: &listings.keys,
        listings: &listings.columns,
        scratch: &scratch,
        memory: budget.bytes(),
    };
    let text = text::write(&working, &at(layout::TEXT))?;
    files.push(FileEntry::new(layout::TEXT, text));
    step("linking");
    let links = links::write(&working, linking, &at(layout::LINKS))?;
    files.push(FileEntry::new(layout::LINKS, links.written));
    Ok(WrittenSnapshot {
        counts: counts(source, &entities),
        files,
        entities: entities.aggregates,
        stocked: category_scopes.stocked(),
        dictionary,
        linking: links.summary,
        unpublished_links: links.unpublished,
    })
}

fn counts(source: &dyn Source, entities: &Entities) -> Counts {
    let Names { platforms, brands, categories, .. } = source.names();
    Counts {
        listings: source.sizes().listings,
        observations: source.sizes().observations,
        entities: entities.count as u64,
        platforms: platforms.len() as u64,
        brands: brands.len() as u64,
        categories: categories.len() as u64,
    }
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

fn write_lexicon(lexicon: &Lexicon, path: &Path) -> io::Result<Written> {
    let mut file = HashedFile::create(path)?;
    file.write(lexicon.text().as_bytes())?;
    file.finish()
}

/// All listings, and what a step may take.
struct WriterContext<'a> {
    /// Platforms, brands, categories.
    pub names: &'a Names,
    /// What is kept of each listing.
    pub keys: &'a ListingKeys,
    /// The columns of listings: those that a snapshot keeps, and `mpn`.
    pub listings: &'a TempColumns,
    /// Where temporary files go.
    pub scratch: &'a Scratch,
    /// Bytes that the step may take beyond what is kept of listings and names.
    pub memory: u64,
}

impl WriterContext<'_> {
    /// A part of the memory: 1 in so many.
    fn share(&self, one_in: u64) -> usize {
        usize::try_from(self.memory / one_in).unwrap_or(usize::MAX)
    }
}
