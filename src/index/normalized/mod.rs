//! The normalized catalog: the interface between the two halves of a build.
//!
//! The ingest pipeline ([`super::pipeline`]) reads raw input and leaves a [`Source`]; the index writer
//! ([`super::writer`]) turns it into bytes and indices. They exchange no other data, so either half can be replaced.
//!
//! The small parts ([`Names`]) are in memory. Listings and their spells come in batches, as often as they are asked
//! for ([`Source`]), so a catalog may be larger than memory.
//!
//! Invariants that the pipeline guarantees and the writer relies on:
//! - listings are unique by (country, platform, product id) and ordered by (country, category in preorder, platform
//!   key, product id bytes);
//! - observations of a listing are contiguous, in the order of the listings, one per UTC day, days ascending;
//! - the sizes are those of what the batches hold together;
//! - `platforms` is sorted; `categories` is in preorder, siblings by slug; `brands` is sorted by label.

mod spells;

use std::ops::Range;
use std::sync::Arc;

use anyhow::Result;

use crate::ingest::classification::ClassificationTables;
use crate::ingest::side_tables::{Alias, CategoryBrick};
use crate::lang::Lexicon;
use crate::snapshot::tables::{ObservationColumns, ObservationRow};
use crate::types::Day;

/// Listings, one row each, in snapshot order.
pub use crate::snapshot::tables::ListingColumns;

pub use spells::{GroupedSpells, ListingSpells, Seen, SpellColumns};

pub use crate::snapshot::layout::{NONE, PROMO, STOCK_IN, STOCK_MASK, STOCK_OUT};

/// Observations: those of listing `i` are rows `offsets[i]..offsets[i + 1]`.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct GroupedObservations {
    /// One more than there are listings.
    pub offsets: Vec<u32>,
    /// The columns; days count from [`Names::first_day`].
    pub columns: ObservationColumns,
}

/// A canonical brand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    /// Folded key that spelling variants share.
    pub key: String,
    /// Most frequent source spelling, ties by code point.
    pub label: String,
}

/// A node of the category tree, over both countries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Slug path, segments joined by `/`.
    pub slug: String,
    /// Most frequent source spelling of the last segment at this node, ties by code point.
    pub label: String,
    /// Index of the parent, or [`NONE`] for a root.
    pub parent: u32,
}

/// What is small beside listings: names, trees and the bounds of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Names {
    /// Day of the earliest observation.
    pub first_day: Day,
    /// Day of the latest observation; the snapshot's as-of instant is the midnight that follows it.
    pub last_day: Day,
    /// Platform keys, sorted.
    pub platforms: Vec<String>,
    /// Canonical brands, by label.
    pub brands: Vec<Brand>,
    /// The category tree in preorder.
    pub categories: Vec<Category>,
    /// Everyday shelf names, in input order.
    pub aliases: Vec<Alias>,
    /// Category to brick mapping, by slug path; the first row of a path wins.
    pub category_bricks: Vec<CategoryBrick>,
    /// The classification, if the input has one.
    pub classification: Option<ClassificationTables>,
    /// The words by which names are read.
    pub lexicon: Arc<Lexicon>,
}

/// Listings that a batch of a [`Source`] holds: of a year of prices that change every day, some 70 MB.
pub const LISTINGS_PER_BATCH: usize = 1 << 14;

/// How much a [`Source`] has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Listings.
    pub listings: u64,
    /// Price spells.
    pub spells: u64,
    /// Observations.
    pub observations: u64,
    /// Words of [`GroupedSpells::days`].
    pub day_words: u64,
}

/// Batches of a table, in order.
pub type Batches<'a, T> = Box<dyn Iterator<Item = Result<T>> + Send + 'a>;

/// Clean input, ready to be packed: names in memory, rows by the batch. Each reading gives the same.
pub trait Source: Sync {
    /// What is small.
    fn names(&self) -> &Names;

    /// How much there is.
    fn sizes(&self) -> Sizes;

    /// Listings in snapshot order, [`LISTINGS_PER_BATCH`] at a time, fewer only at the end.
    ///
    /// # Errors
    /// When they cannot be read.
    fn listings(&self) -> Result<Batches<'_, ListingColumns>>;

    /// Their spells, cut at the same listings.
    ///
    /// # Errors
    /// When they cannot be read.
    fn spells(&self) -> Result<Batches<'_, GroupedSpells>>;
}

/// Clean input, ready to be packed, all of it in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    /// Names, trees and the bounds of time.
    pub names: Names,
    /// Listings in snapshot order.
    pub listings: ListingColumns,
    /// Observations in the order of the listings.
    pub observations: GroupedObservations,
}

/// The ranges of so many listings, a batch each.
fn batches(listings: usize) -> impl Iterator<Item = Range<usize>> {
    (0..listings).step_by(LISTINGS_PER_BATCH).map(move |from| from..listings.min(from + LISTINGS_PER_BATCH))
}

impl Source for Canonical {
    fn names(&self) -> &Names {
        &self.names
    }

    fn sizes(&self) -> Sizes {
        let listings = self.listings.country.len();
        let all = GroupedSpells::of(&self.observations, 0..listings);
        Sizes {
            listings: listings as u64,
            spells: all.columns.end.len() as u64,
            observations: self.observations.columns.day.len() as u64,
            day_words: all.days.len() as u64,
        }
    }

    fn listings(&self) -> Result<Batches<'_, ListingColumns>> {
        let batch = |range| Ok(self.listings.slice(&range));
        Ok(Box::new(batches(self.listings.country.len()).map(batch)))
    }

    fn spells(&self) -> Result<Batches<'_, GroupedSpells>> {
        let batch = |range| Ok(GroupedSpells::of(&self.observations, range));
        Ok(Box::new(batches(self.listings.country.len()).map(batch)))
    }
}

impl Canonical {
    /// All of a source.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(source: &dyn Source) -> Result<Self> {
        let mut tables = Self {
            names: source.names().clone(),
            listings: ListingColumns::default(),
            observations: GroupedObservations { offsets: vec![0], columns: ObservationColumns::default() },
        };
        for batch in source.listings()? {
            tables.listings.append(batch?);
        }
        let GroupedObservations { offsets, columns } = &mut tables.observations;
        for batch in source.spells()? {
            let batch = batch?;
            for listing in 0..batch.listings() {
                for Seen { day, price, list_price, flags } in batch.seen(listing) {
                    columns.push(ObservationRow { day, price, list_price, flags }, |_| "");
                }
                offsets.push(columns.day.len() as u32);
            }
        }
        Ok(tables)
    }

    /// Checks the invariants that the second half relies on.
    ///
    /// # Errors
    /// With the first one that does not hold.
    pub fn check(&self) -> Result<(), String> {
        self.check_names()?;
        self.check_listings()?;
        self.check_observations()
    }

    fn check_names(&self) -> Result<(), String> {
        hold(self.names.platforms.is_sorted_by(|a, b| a < b), || "platforms are not sorted".into())?;
        let labels = |brand: &Brand| (brand.label.clone(), brand.key.clone());
        hold(self.names.brands.is_sorted_by(|a, b| labels(a) < labels(b)), || {
            "brands are not sorted by label".into()
        })?;
        // In preorder the segments of the paths ascend, and every parent stands before its children.
        let ascend = |a: &Category, b: &Category| a.slug.split('/').lt(b.slug.split('/'));
        hold(self.names.categories.is_sorted_by(ascend), || "categories are not in preorder".into())?;
        for (at, node) in self.names.categories.iter().enumerate() {
            let parent = match node.slug.rsplit_once('/') {
                None => node.parent == NONE,
                Some((path, _)) => {
                    (node.parent as usize) < at && self.names.categories[node.parent as usize].slug == path
                }
            };
            hold(parent, || format!("category {} has the wrong parent", node.slug))?;
        }
        Ok(())
    }

    fn check_listings(&self) -> Result<(), String> {
        let listings = &self.listings;
        let count = listings.country.len();
        let mut lengths = listings.lengths();
        lengths.push(self.observations.offsets.len().wrapping_sub(1));
        hold(lengths.iter().all(|&length| length == count), || {
            format!("the columns have {lengths:?} rows instead of {count}")
        })?;
        let key = |row: usize| {
            let product_id = listings.product_id.get(row).as_bytes();
            (listings.country[row], listings.category[row], listings.platform[row], product_id)
        };
        for row in 0..count {
            let known = usize::from(listings.platform[row]) < self.names.platforms.len()
                && (listings.category[row] as usize) < self.names.categories.len()
                && (listings.brand[row] == NONE || (listings.brand[row] as usize) < self.names.brands.len());
            hold(known, || format!("listing {row} refers to a name that does not exist"))?;
            hold(row == 0 || key(row - 1) < key(row), || format!("listing {row} is out of order"))?;
        }
        Ok(())
    }

    fn check_observations(&self) -> Result<(), String> {
        let GroupedObservations { offsets, columns } = &self.observations;
        let count = columns.day.len();
        let whole = offsets.first() == Some(&0)
            && offsets.last() == Some(&(count as u32))
            && offsets.is_sorted()
            && columns.lengths().iter().all(|&length| length == count);
        hold(whole, || "offsets and columns of observations do not match".into())?;
        for pair in offsets.windows(2) {
            let days = &columns.day[pair[0] as usize..pair[1] as usize];
            hold(days.is_sorted_by(|a, b| a < b), || format!("days of row {} do not ascend", pair[0]))?;
        }
        hold(!columns.price.contains(&0), || "a price is 0".into())?;
        let span = (columns.day.iter().min().copied(), columns.day.iter().max().copied());
        let days = self.names.last_day.minus(self.names.first_day);
        hold(span == (Some(0), u16::try_from(days).ok()), || {
            format!("the days {span:?} do not match the span of {days} days")
        })
    }
}

/// An invariant, and what to say when it does not hold.
fn hold(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
