//! An opened snapshot: columns and indices over its mapped files, and the handle through which it is replaced.
//!
//! Opening maps the files and checks the manifest, the lengths and the checksums, and then every order and offset
//! invariant that the index writer guarantees (`check`). Checksums prove that the bytes are those that were written,
//! and the invariants prove that they are consistent. Requests do not repeat any of these checks.
//!
//! The same data are stored in two layouts for two access patterns. An answer that is computed over a category scope
//! scans columns. An answer about a product shows about twenty listings from all over the catalog. It reads the
//! [`Offer`](crate::snapshot::layout::Offer) record of each listing, which is one cache line; reading fifteen columns
//! would cost fifteen cache misses per listing. Except for pack sizes and the row of the entity's cheapest listing, the
//! record only repeats columns, and it is compared with them at opening. Answers borrow names, labels and titles from
//! the mapping.
//!
//! - `listing` gives access to the fields of one listing. `spells` and `periods` contain the prices of listings over
//!   time.
//! - `entities`, `taxonomy`, `classification`, `titles`, `links` and `coverage` are the indices by which requests find
//!   listings. `category_scopes` contains prepared orders and sums of each category scope.
//! - `country_stats` and `retailer_docs` are computed when a request first needs them.
//! - `size_check` compares a snapshot with its successor. [`CatalogHandle`] contains the catalog in use, which is
//!   replaced as a whole.
//!
//! A [`Buffer`] is a slice that keeps its mapping alive. The same buffer backs a column of a frame (for ad-hoc
//! queries, benchmarks and tests) and the field that a request loops over, without a copy in either case
//! (`tests/it/catalog/zero_copy.rs`).

mod category_scopes;
mod check;
mod classification;
mod country_stats;
mod coverage;
mod entities;
mod links;
mod listing;
mod periods;
mod retailer_docs;
mod size_check;
mod spells;
mod taxonomy;
mod titles;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use polars::prelude::{
    ChunkedArray, Column, DataFrame, Float64Type, Int64Type, IntoColumn, PolarsNumericType, PolarsResult,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;
use retailer_docs::RetailerDocs;

pub use self::coverage::Promoters;
use crate::lang::Lexicon;
use crate::search::index::{CategoryLabel, DocOrdinals, TextIndex};
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::{BrandEntry, Dictionary};
use crate::snapshot::manifest::{Manifest, Verification};
use crate::snapshot::mapped::{Mapping, Residence};
pub use crate::snapshot::tables::Listings;
use crate::snapshot::values::AnyColumn;
use crate::snapshot::verified::Mark;
use crate::snapshot::watch::Watch;
use crate::snapshot::{layout, manifest, publish};
use crate::types::{Country, Day, Instant, ProductUid};
pub use category_scopes::ScopeAggregates;
pub use classification::{Classification, GpcLevel};
pub use country_stats::CountryStats;
pub use coverage::{Cell, Coverage};
pub use entities::{Entities, SuspectReason};
pub use links::{LikelyLink, Links};
pub use listing::{Listing, in_stock};
pub use periods::{Cells, Periods};
pub use size_check::{LISTINGS_PCT_MIN, PRICED_PCT_MIN, SERVING_PCT_MIN, SnapshotSize};
pub use spells::Spells;
pub use taxonomy::{CategoryNode, Level, Node, Taxonomy, words};
pub use titles::{Overlap, Titles};

/// The reason why a snapshot cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("snapshot {path} cannot be opened: {}", faults.join("; "))]
pub struct OpenError {
    /// The snapshot's directory.
    pub path: String,
    /// Descriptions of the faults, each with the file or table in which it was found.
    pub faults: Vec<String>,
}

/// An opened snapshot: all data that requests read.
pub struct Catalog {
    manifest: Manifest,
    verification: Verification,
    as_of: Day,
    first_day: Day,
    newest: Instant,
    country_rows: [Range<u32>; Country::ALL.len()],
    /// Platform keys, sorted.
    pub platforms: Vec<String>,
    /// Canonical brands, sorted by label.
    pub brands: Vec<BrandEntry>,
    /// The index of each brand by its key.
    brands_by_key: OnceLock<HashMap<String, u32>>,
    /// Listing columns.
    pub listings: Listings,
    /// The listings' prices by week and by month.
    pub periods: Periods,
    /// Price spells, and the days on which listings were seen.
    pub spells: Spells,
    /// Entities and uid lookup.
    pub entities: Entities,
    /// The category tree.
    pub taxonomy: Taxonomy,
    /// The classification, if the snapshot has one.
    pub classification: Option<Classification>,
    /// Coverage cells.
    pub coverage: Coverage,
    /// Likely links.
    pub links: Links,
    /// The words and units by which names and queries are read.
    pub lexicon: Arc<Lexicon>,
    /// Text search.
    pub text: TextIndex,
    /// The retailers that show promotions, computed on first use.
    promoters: OnceLock<Promoters>,
    /// The doc ordinals of each retailer's listings in the text index, computed on first use.
    retailer_docs: OnceLock<RetailerDocs>,
    /// The size of the snapshot in each country, computed on first use.
    country_stats: [OnceLock<CountryStats>; Country::ALL.len()],
    /// The mapped files, by name.
    mapped: BTreeMap<String, Mapping>,
}

impl Catalog {
    /// Maps the snapshot in `path` and verifies it in full.
    ///
    /// # Errors
    /// Returns an error if a file is missing, damaged or not part of this format. The error contains the faults of the
    /// first stage that fails: manifest, files or invariants.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_after(path, Verification::Full, Residence::Mapped)
    }

    /// Maps the snapshot in `path` with the given verification. If only lengths are verified, the snapshot must have
    /// been verified in full before, because a request that reads invalid data fails or returns a wrong answer. After a
    /// full verification, a mark is written beside the snapshot ([`crate::snapshot::verified`]) if possible.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Catalog::open`], limited to the checks that are made.
    pub fn open_after(
        path: &Path,
        verification: Verification,
        residence: Residence,
    ) -> Result<Self, OpenError> {
        let failed = |faults: Vec<String>| OpenError { path: path.display().to_string(), faults };
        if publish::is_staging(path) {
            return Err(failed(vec!["this is the directory of an unfinished build".into()]));
        }
        let manifest = manifest::read(path).map_err(|fault| failed(vec![fault]))?;
        let mark = Mark::of(path, &manifest);
        // The mark is used for mapped files only. A copy reads all bytes anyway, and must be correct even if the disk
        // fails later.
        let is_known =
            || residence == Residence::Mapped && mark.as_ref().is_some_and(|mark| mark.is_left(path));
        let verification = match verification {
            Verification::Once if is_known() => Verification::Lengths,
            Verification::Once => Verification::Full,
            asked => asked,
        };
        let files = manifest::map_files(path, &manifest, verification, residence).map_err(failed)?;
        let files = Files { mapped: files.into_iter().collect(), verification };
        let catalog = Self::load(manifest, files).map_err(|fault| failed(vec![fault]))?;
        if verification == Verification::Lengths {
            return Ok(catalog);
        }
        match check::faults(&catalog) {
            faults if faults.is_empty() => {}
            faults => return Err(failed(faults)),
        }
        // The mark is written only if the files did not change while they were read.
        if let Some(mark) = mark.filter(|mark| Mark::of(path, &catalog.manifest).as_ref() == Some(mark))
            && let Err(fault) = mark.leave(path)
        {
            tracing::debug!(snapshot = %path.display(), %fault, "the mark of the verification was not written");
        }
        Ok(catalog)
    }

    fn load(manifest: Manifest, files: Files) -> Result<Self, String> {
        let counts = manifest.counts;
        let rows = counts.listings as usize;
        let listings = Listings::load(&files.columns(layout::LISTINGS)?, rows)?;
        let spells = Spells::load(&files.columns(layout::SPELLS)?, rows)?;
        let indices = files.columns(layout::INDICES)?;
        let dictionary = Dictionary::read(files.get(layout::DICTIONARY)?)?;
        let as_of = Day::from_days(dictionary.last_day).plus_days(1);
        if manifest.as_of != as_of.to_string() {
            return Err(format!(
                "{} has the as-of date {as_of}, but the manifest has {}",
                layout::DICTIONARY,
                manifest.as_of
            ));
        }
        let classification = files.classification(&manifest, &indices)?;
        let country_rows = Country::ALL.map(|country| {
            let code = country.as_u8();
            let from = listings.country.partition_point(|&other| other < code);
            from as u32..listings.country.partition_point(|&other| other <= code) as u32
        });
        let taxonomy = Taxonomy::load(dictionary.categories, dictionary.aliases, &indices)?;
        let labels: Vec<CategoryLabel<'_>> = taxonomy.nodes().iter().map(CategoryNode::as_label).collect();
        let lexicon = Arc::new(files.lexicon()?);
        let text = TextIndex::load(
            &files.columns(layout::TEXT)?,
            Arc::clone(&lexicon),
            &listings,
            &labels,
            &country_rows,
        )?;
        Ok(Self {
            as_of,
            periods: Periods::load(
                &files.columns(layout::PERIODS)?,
                rows,
                Day::from_days(dictionary.first_day),
                as_of,
            )?,
            first_day: Day::from_days(dictionary.first_day),
            newest: Instant::from_micros(dictionary.newest),
            text,
            lexicon,
            country_rows,
            coverage: Coverage::load(&dictionary.coverage, dictionary.platforms.len())?,
            platforms: dictionary.platforms,
            brands: dictionary.brands,
            entities: Entities::load(&indices, rows, counts.entities as usize)?,
            taxonomy,
            classification,
            links: Links::load(&files.columns(layout::LINKS)?, rows)?,
            brands_by_key: OnceLock::new(),
            promoters: OnceLock::new(),
            retailer_docs: OnceLock::new(),
            country_stats: Country::ALL.map(|_| OnceLock::new()),
            listings,
            spells,
            manifest,
            verification: files.verification,
            mapped: files.mapped,
        })
    }

    /// The snapshot's id.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }

    /// The snapshot's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The verification that was made at opening: of all bytes, or of lengths only.
    pub fn verification(&self) -> Verification {
        self.verification
    }

    /// The size of the snapshot, for comparison with the snapshot it replaces.
    pub fn size(&self) -> SnapshotSize {
        SnapshotSize::of(self)
    }

    /// Watches the mapped files for changes. Copied files are not watched.
    ///
    /// # Errors
    /// Returns an error if the metadata of a file cannot be read.
    pub fn watch(&self) -> std::io::Result<Watch> {
        let files = self.manifest.files.iter();
        Watch::of(files.filter_map(|entry| Some((entry, self.mapped.get(&entry.name)?.file()?))))
    }

    /// The snapshot's now: the UTC midnight after its last observation.
    pub fn as_of(&self) -> Day {
        self.as_of
    }

    /// Instant of the newest observation.
    pub fn newest(&self) -> Instant {
        self.newest
    }

    /// Rows of a country's listings.
    pub fn country_rows(&self, country: Country) -> Range<u32> {
        self.country_rows[country.as_u8() as usize].clone()
    }

    /// The index of a platform, by its key.
    pub fn platform(&self, key: &str) -> Option<u16> {
        self.platforms.binary_search_by(|known| known.as_str().cmp(key)).ok().map(|at| at as u16)
    }

    /// The number of a day in the columns of days: days since the snapshot's first day, clamped to the range of the
    /// columns.
    pub fn day_number(&self, day: Day) -> u16 {
        day.minus(self.first_day).clamp(0, i32::from(u16::MAX)) as u16
    }

    /// The day for a number in the columns of days.
    pub fn day(&self, number: u16) -> Day {
        self.first_day.plus_days(i32::from(number))
    }

    /// The index of the brand with a key. The table of keys is built on the first call.
    pub fn brand_of_key(&self, key: &str) -> Option<u32> {
        let by_key = self.brands_by_key.get_or_init(|| {
            (0..).zip(&self.brands).map(|(brand, entry)| (entry.key.clone(), brand)).collect()
        });
        by_key.get(key).copied()
    }

    /// The row of the listing with a uid.
    pub fn row_of(&self, uid: ProductUid) -> Option<u32> {
        self.entities.row_of(uid)
    }

    /// The cheapest row among the given rows that are priced and accepted. If prices are equal, the row with the
    /// smaller uid.
    pub fn cheapest(&self, rows: &[u32], accept: impl Fn(u32) -> bool) -> Option<u32> {
        let listings = &self.listings;
        let offers = rows.iter().copied().filter(|&row| listings.priced[row as usize] == 1 && accept(row));
        offers.min_by_key(|&row| (listings.current_price[row as usize], listings.product_uid[row as usize]))
    }

    /// The retailers that show promotions, computed on the first call.
    pub fn promoters(&self) -> &Promoters {
        self.promoters.get_or_init(|| Promoters::of(&self.listings, self.platforms.len()))
    }

    /// The doc ordinals of a retailer's priced listings in the text index. The table of all retailers is computed on
    /// the first call.
    pub fn docs_at(&self, platform: u16, country: Country) -> DocOrdinals<'_> {
        let of_all = || RetailerDocs::of(&self.text, &self.listings, self.platforms.len());
        self.retailer_docs.get_or_init(of_all).at(platform, country)
    }

    /// The size of the snapshot in a country, computed on the first call.
    pub fn country_stats(&self, country: Country) -> &CountryStats {
        self.country_stats[country.as_u8() as usize].get_or_init(|| CountryStats::of(self, country))
    }

    /// A listing, for reading its fields by name.
    pub fn listing(&self, row: u32) -> Listing<'_> {
        Listing::new(self, row)
    }
}

/// The mapped files of a snapshot.
struct Files {
    mapped: BTreeMap<String, Mapping>,
    verification: Verification,
}

impl Files {
    /// The classification of the release that the manifest names.
    fn classification(
        &self,
        manifest: &Manifest,
        indices: &ColumnFile,
    ) -> Result<Option<Classification>, String> {
        let Some(release) = &manifest.classification_release else { return Ok(None) };
        let classification = Classification::load(&self.columns(layout::CLASSIFICATION)?, indices)?;
        if classification.release() != release {
            return Err(format!("{} is not of the release in the manifest", layout::CLASSIFICATION));
        }
        Ok(Some(classification))
    }

    fn lexicon(&self) -> Result<Lexicon, String> {
        let text = str::from_utf8(self.get(layout::LEXICON)?);
        let lexicon = text.map_err(|fault| fault.to_string()).and_then(Lexicon::parse);
        lexicon.map_err(|fault| format!("{}: {fault}", layout::LEXICON))
    }

    fn get(&self, name: &str) -> Result<&Mapping, String> {
        self.mapped.get(name).ok_or_else(|| format!("{name} is not part of the snapshot"))
    }

    fn columns(&self, name: &str) -> Result<ColumnFile, String> {
        Ok(ColumnFile::new(name, self.get(name)?.clone())?.verified(self.verification))
    }
}

/// A replaceable reference to the catalog in use. A request loads the catalog once and keeps it until the request ends.
pub struct CatalogHandle(ArcSwap<Catalog>);

impl CatalogHandle {
    /// Creates a handle with its first catalog.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self(ArcSwap::new(catalog))
    }

    /// The catalog in use.
    pub fn load(&self) -> Arc<Catalog> {
        self.0.load_full()
    }

    /// Replaces the catalog in use and returns the old one, which should be dropped outside of request handling.
    pub fn swap(&self, catalog: Arc<Catalog>) -> Arc<Catalog> {
        self.0.swap(catalog)
    }
}

/// A numeric frame column that shares the memory of the buffer.
fn column<T: PolarsNumericType>(name: &str, buffer: &Buffer<T::Native>) -> Column {
    let array = PrimitiveArray::new(<T::Native as NativeType>::PRIMITIVE.into(), buffer.clone(), None);
    ChunkedArray::<T>::with_chunk(name.into(), array).into_column()
}

/// The numeric columns as a frame that shares their memory.
fn frame(columns: Vec<(&'static str, AnyColumn<'_>)>) -> PolarsResult<DataFrame> {
    let numbers = columns.into_iter().filter_map(|(name, any)| match any {
        AnyColumn::U8(values) => Some(column::<UInt8Type>(name, values)),
        AnyColumn::U16(values) => Some(column::<UInt16Type>(name, values)),
        AnyColumn::U32(values) => Some(column::<UInt32Type>(name, values)),
        AnyColumn::U64(values) => Some(column::<UInt64Type>(name, values)),
        AnyColumn::I64(values) => Some(column::<Int64Type>(name, values)),
        AnyColumn::Count(values) => Some(column::<UInt32Type>(name, values)),
        AnyColumn::Number(values) => Some(column::<Float64Type>(name, values)),
        AnyColumn::Text(_) | AnyColumn::Offer(_) => None,
    });
    DataFrame::new_infer_height(numbers.collect())
}

impl Listings {
    /// The numeric columns as a frame that shares their memory. Missing numbers keep their sentinel value.
    ///
    /// # Errors
    /// Never returns an error for a loaded table, because its columns have the same length.
    pub fn frame(&self) -> PolarsResult<DataFrame> {
        frame(self.columns())
    }
}
