//! The canonical tables: where the two halves of a build meet.
//!
//! The first half ([`mod@super::clean`]) reads raw input and leaves these tables; the second ([`super::pack`]) turns
//! them into bytes and indices. Nothing else passes between them, so either half can be replaced.
//!
//! Invariants the first half promises and the second relies on:
//! - listings are unique by (country, platform, product id) and ordered by (country, category in preorder,
//!   platform key, product id bytes);
//! - observations of a listing are contiguous, in the order of the listings, one per UTC day, days ascending;
//! - `platforms` is sorted; `categories` is in preorder, siblings by slug; `brands` is sorted by label.

use crate::domain::Day;
use crate::snapshot::Strings;
use crate::snapshot::tables::ObservationColumns;

/// Listings, one row each, in snapshot order.
pub use crate::snapshot::tables::ListingColumns;

pub use crate::snapshot::layout::{NONE, PROMO, STOCK_IN, STOCK_MASK, STOCK_OUT};

/// Observations: those of listing `i` are rows `offsets[i]..offsets[i + 1]`.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Observations {
    /// One more than there are listings.
    pub offsets: Vec<u32>,
    /// The columns; days count from [`Canonical::first_day`].
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

/// An everyday shelf name from `aliases.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name as the source has it.
    pub name: String,
    /// A category path (display form, as given) or an 8-digit classification code.
    pub target: String,
}

/// A row of `category_gpc.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryBrick {
    /// Slug path of the category (it need not exist in the tree).
    pub slug: String,
    /// Brick code.
    pub brick: u32,
}

/// A classification publication, interned: titles and attribute value lists are stored once.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Classification {
    /// Release identifier of the publication: its date, `YYYY-MM`.
    pub release: String,
    /// Every title once.
    pub titles: Strings,
    /// Code of each node of levels 1–4, in preorder of the publication with siblings by code.
    pub code: Vec<u32>,
    /// Level of each node, 1 to 4 (segment, family, class, brick).
    pub level: Vec<u8>,
    /// Index into `titles` for each node.
    pub title: Vec<u32>,
    /// Index of each node's parent, or [`NONE`].
    pub parent: Vec<u32>,
    /// Whether the publication has any attribute level at all.
    pub has_attributes: bool,
    /// Attribute links of node `i` are `attribute_ends[i - 1]..attribute_ends[i]` (0 before the first).
    pub attribute_ends: Vec<u32>,
    /// Per attribute link: index into `titles` of the attribute's name.
    pub attribute_title: Vec<u32>,
    /// Per attribute link: index of its value list.
    pub attribute_values: Vec<u32>,
    /// Value list `v` is `value_ends[v - 1]..value_ends[v]`. Equal lists are stored once.
    pub value_ends: Vec<u32>,
    /// Per value: index into `titles`.
    pub value_title: Vec<u32>,
}

/// Clean input, ready to be packed.
#[derive(Debug, Clone, PartialEq)]
pub struct Canonical {
    /// Listings in snapshot order.
    pub listings: ListingColumns,
    /// Observations in the order of the listings.
    pub observations: Observations,
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
    pub classification: Option<Classification>,
}

impl Canonical {
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
        hold(self.platforms.is_sorted_by(|a, b| a < b), || "platforms are not sorted".into())?;
        let labels = |brand: &Brand| (brand.label.clone(), brand.key.clone());
        hold(self.brands.is_sorted_by(|a, b| labels(a) < labels(b)), || {
            "brands are not sorted by label".into()
        })?;
        // In preorder the segments of the paths ascend, and every parent stands before its children.
        let ascend = |a: &Category, b: &Category| a.slug.split('/').lt(b.slug.split('/'));
        hold(self.categories.is_sorted_by(ascend), || "categories are not in preorder".into())?;
        for (at, node) in self.categories.iter().enumerate() {
            let parent = match node.slug.rsplit_once('/') {
                None => node.parent == NONE,
                Some((path, _)) => {
                    (node.parent as usize) < at && self.categories[node.parent as usize].slug == path
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
            format!("columns of {lengths:?} rows, not {count}")
        })?;
        let key = |row: usize| {
            let product_id = listings.product_id.get(row).as_bytes();
            (listings.country[row], listings.category[row], listings.platform[row], product_id)
        };
        for row in 0..count {
            let known = usize::from(listings.platform[row]) < self.platforms.len()
                && (listings.category[row] as usize) < self.categories.len()
                && (listings.brand[row] == NONE || (listings.brand[row] as usize) < self.brands.len());
            hold(known, || format!("listing {row} points at a name that is not there"))?;
            hold(row == 0 || key(row - 1) < key(row), || format!("listing {row} is out of order"))?;
        }
        Ok(())
    }

    fn check_observations(&self) -> Result<(), String> {
        let Observations { offsets, columns } = &self.observations;
        let count = columns.day.len();
        let whole = offsets.first() == Some(&0)
            && offsets.last() == Some(&(count as u32))
            && offsets.is_sorted()
            && columns.lengths().iter().all(|&length| length == count);
        hold(whole, || "offsets and columns of observations do not fit".into())?;
        for pair in offsets.windows(2) {
            let days = &columns.day[pair[0] as usize..pair[1] as usize];
            hold(days.is_sorted_by(|a, b| a < b), || format!("days of row {} do not ascend", pair[0]))?;
        }
        hold(!columns.price.contains(&0), || "a price is 0".into())?;
        let span = (columns.day.iter().min().copied(), columns.day.iter().max().copied());
        let days = self.last_day.minus(self.first_day);
        hold(span == (Some(0), u16::try_from(days).ok()), || format!("days {span:?} in a span of {days}"))
    }
}

/// An invariant, and what to say when it does not hold.
fn hold(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
