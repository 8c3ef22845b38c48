//! What lies in a snapshot directory: the one list of names that builder and loader both read.

use std::io;
use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::columns::{BINCODE, Element, HashedFile, Tag, Written};
use crate::lang::text::name::is_variety;
use crate::stats::mean_of_ratios::places;
use crate::types::money::is_believed;

/// Listings, one row each, ordered (country, category in preorder, platform, product id).
pub const LISTINGS: &str = "listings.cols";
/// Each listing by week and by month.
pub const PERIODS: &str = "periods.cols";
/// Price spells, runs of a listing's observations with one price, list price and flags, and the days on which it was
/// seen; in the order of the listings.
pub const SPELLS: &str = "spells.cols";
/// Entities, uid order, rows of categories and classification nodes.
pub const INDICES: &str = "indices.cols";
/// The classification; present when the input has one.
pub const CLASSIFICATION: &str = "classification.cols";
/// Small tables that are decoded at opening.
pub const DICTIONARY: &str = "dictionary.bin";
/// The text index: terms of names, brands and categories, and the listings that have them.
pub const TEXT: &str = "text.cols";

/// Slug of the root where listings without a category lie.
pub const UNCATEGORIZED: &str = "uncategorized";

/// Likely links of each listing, and part numbers.
pub const LINKS: &str = "links.cols";

/// "No such thing" in a column of indices or counts.
pub const NONE: u32 = u32::MAX;
/// "No observation" in the column of current days.
pub const NO_DAY: u16 = u16::MAX;

/// Stock bits of an observation's flags; zero means unknown.
pub const STOCK_MASK: u8 = 0b011;
/// The source says that the product is out of stock.
pub const STOCK_OUT: u8 = 0b001;
/// The source says that the product is in stock.
pub const STOCK_IN: u8 = 0b010;
/// On promotion: the source says so, or price < list price <= 5 × price.
pub const PROMO: u8 = 0b100;

/// The depth of a spell whose list price is not believed. No depth is this close to one.
pub const UNBELIEVED: u64 = u64::MAX;

/// The column of depths: the discount against a list price above the price in units of 2^-64, [`UNBELIEVED`], or 0
/// where the list price (0 for none) is not above the price.
pub fn depth(price: u32, list_price: u32) -> u64 {
    match list_price {
        _ if list_price <= price => 0,
        _ if is_believed(price, list_price) => places(list_price - price, list_price) as u64,
        _ => UNBELIEVED,
    }
}

/// What answers show of a listing, in one cache line: an answer about a product shows a score of listings from all over
/// the catalog, and what lies in columns is that many lines of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Offer {
    /// Uid of the listing.
    pub uid: u64,
    /// Uid of its entity.
    pub entity_uid: u64,
    /// Instant of its latest observation, microseconds since 1970 UTC.
    pub observed_at: i64,
    /// Where its name lies in the column of names, see [`Offer::name_word`].
    pub name: u64,
    /// Its entity.
    pub entity: u32,
    /// Row of the entity's cheapest priced listing in the country, the smaller uid of two; [`NONE`] where none is priced.
    pub cheapest: u32,
    /// Current price in cents; 0 without an observation.
    pub price: u32,
    /// Numerator of the quantity of its pack; 0 without a pack.
    pub pack_num: u32,
    /// Denominator.
    pub pack_den: u32,
    /// How many of the quantity.
    pub pack_count: u32,
    /// Index of its platform.
    pub platform: u16,
    /// Code of its country.
    pub country: u8,
    /// Code of its condition.
    pub condition: u8,
    /// Stock and promotion bits of its latest observation.
    pub flags: u8,
    /// Code of the unit of its pack.
    pub pack_unit: u8,
    /// 1 where its latest observation lies in the 90 days before the snapshot's now.
    pub priced: u8,
    /// 1 where its entity has other listings in the country.
    pub linked: u8,
}

const _: () = assert!(size_of::<Offer>() == 64, "an offer is one cache line");

/// Bits of the length of a name in bytes.
const NAME_LENGTH_BITS: u32 = 20;
/// A name is shorter than this, in bytes.
pub const NAME_BYTES_END: u64 = 1 << NAME_LENGTH_BITS;

impl Offer {
    /// Where a name lies, in one word: offset, then length. `None` of one that is too long.
    pub const fn name_word(range: &Range<u64>) -> Option<u64> {
        let length = range.end - range.start;
        if length < NAME_BYTES_END { Some(range.start << NAME_LENGTH_BITS | length) } else { None }
    }

    /// Where its name lies.
    pub const fn name_range(&self) -> Range<usize> {
        let from = (self.name >> NAME_LENGTH_BITS) as usize;
        from..from + (self.name & (NAME_BYTES_END - 1)) as usize
    }
}

impl Element for Offer {
    const TAG: Tag = Tag::Offer;
}

/// How a listing got its brick.
pub mod mapping {
    /// It has none.
    pub const NONE: u8 = 0;
    /// The source gave it.
    pub const EXACT: u8 = 1;
    /// From its category or the nearest ancestor that has one.
    pub const DERIVED: u8 = 2;
}

/// How a listing holds a term. It *is* the thing that a term names when that is a head: of the label of its category
/// ("keyboard" of "Wireless Keyboards"), or of its own name, unless another category is named so. Heads of such names, and
/// other words of the label, are *traits*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TermField {
    /// Name or brand, and the listing is that thing.
    ProductType = 0,
    /// Name or brand, and a trait.
    Trait = 1,
    /// Name or brand.
    Own = 2,
    /// The label of its category, whose head it is; in the name at most behind "for", "with" and the like.
    CategoryType = 3,
    /// The label of its category; in the name at most behind "for", "with" and the like.
    CategoryTrait = 4,
    /// Behind "for", "with" and the like in the name.
    Aside = 5,
    /// Only the label of a category above its own.
    Above = 6,
    /// A brand's number: it matches and scores nothing.
    Number = 7,
}

impl TermField {
    /// All of them, by code.
    pub const ALL: [Self; 8] = [
        Self::ProductType,
        Self::Trait,
        Self::Own,
        Self::CategoryType,
        Self::CategoryTrait,
        Self::Aside,
        Self::Above,
        Self::Number,
    ];

    /// The bits of those by which it is the category that has the term.
    pub const BY_CATEGORY: u8 =
        1 << Self::CategoryType as u8 | 1 << Self::CategoryTrait as u8 | 1 << Self::Above as u8;

    /// Whether it is the category that has the term.
    pub const fn is_by_category(self) -> bool {
        Self::BY_CATEGORY >> self as u8 & 1 == 1
    }

    /// Those that have a bit, by their code.
    pub fn among(bits: u8) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |held| bits >> *held as u8 & 1 == 1)
    }

    /// Whether the listing is the thing that the term names.
    pub const fn is_product_type(self) -> bool {
        matches!(self, Self::ProductType | Self::CategoryType)
    }

    /// Whether the term is the head noun of the listing's name, or a word of the last segment of its category.
    pub const fn is_of_type(self) -> bool {
        matches!(self, Self::ProductType | Self::Trait | Self::CategoryType | Self::CategoryTrait)
    }

    /// The one of a code, of which three bits count.
    pub const fn from_code(code: u8) -> Self {
        Self::ALL[code as usize % Self::ALL.len()]
    }
}

/// The length of a name and brand of so many terms: one more for each variety (a taste, a diet, a way to preserve) that
/// the name says of itself and that is not the thing. `name` are the terms of the name, and how they are held.
pub fn length<'a>(terms: usize, name: impl Iterator<Item = (&'a str, TermField)>) -> u32 {
    let is_variety = |(term, held): &(&str, TermField)| {
        matches!(held, TermField::Trait | TermField::Own) && is_variety(term)
    };
    (terms + name.filter(is_variety).count()) as u32
}

/// Terms as listings and categories hold them: from the highest bit how (3), then the term (29).
pub mod term_field {
    use super::TermField;

    /// Most terms of a snapshot.
    pub const TERMS_MAX: usize = 1 << TERM_BITS;
    const TERM_BITS: u32 = 29;

    /// A term and how it is held.
    pub const fn of(term: u32, held: TermField) -> u32 {
        (held as u32) << TERM_BITS | term
    }

    /// The term.
    pub const fn term(term_field: u32) -> u32 {
        term_field & ((1 << TERM_BITS) - 1)
    }

    /// How it is held.
    pub const fn held(term_field: u32) -> TermField {
        TermField::from_code((term_field >> TERM_BITS) as u8)
    }
}

/// Postings of a term in the text index: the doc ordinals that hold it in name, brand or category, ascending. A posting has
/// the doc ordinal in its upper 29 bits and how the doc holds the term in the lower 3.
pub mod posting {
    use super::TermField;

    /// Most docs of a snapshot.
    pub const DOCS_MAX: usize = 1 << (u32::BITS - HELD_BITS);
    const HELD_BITS: u32 = 3;

    /// The posting of a doc that holds the term so.
    pub const fn of(doc: u32, held: TermField) -> u32 {
        doc << HELD_BITS | held as u32
    }

    /// Its doc.
    pub const fn doc(posting: u32) -> u32 {
        posting >> HELD_BITS
    }

    /// How its doc holds the term.
    pub const fn held(posting: u32) -> TermField {
        TermField::from_code(posting as u8)
    }
}

/// Sets of the docs that hold a frequent term, beside its postings: a bit for each doc, in lines of 512, and how many
/// postings come before those of each line, so that a doc leads to its posting. Of a term that names the thing of some
/// listing also the set of the docs where it does, and a bit for each of its lines that has any.
pub mod set {
    /// What is read of a set at a time: a line of the processor's cache.
    pub type DocBlock = [u64; WORDS];

    /// A term is frequent when one in this many docs holds it.
    const FREQUENT_ONE_IN: usize = 128;
    /// Words of a line.
    pub const WORDS: usize = 8;
    /// Docs of a line.
    pub const DOCS: u32 = u64::BITS * WORDS as u32;

    /// Whether a term that so many of all docs hold has a set.
    pub const fn is_due(holding: usize, docs: usize) -> bool {
        holding > 0 && holding * FREQUENT_ONE_IN >= docs
    }

    /// How many lines a set of so many docs takes.
    pub const fn lines(docs: usize) -> usize {
        docs.div_ceil(DOCS as usize)
    }

    /// Where the bit of a doc is: its line, the word in that, and the bit.
    pub const fn bit(doc: u32) -> (usize, usize, u64) {
        let word = doc % DOCS / u64::BITS;
        ((doc / DOCS) as usize, word as usize, 1 << (doc % u64::BITS))
    }

    /// The lines of a set of so many docs.
    pub fn of(holding: impl Iterator<Item = u32>, docs: usize) -> Vec<DocBlock> {
        let mut lines = vec![[0; WORDS]; lines(docs)];
        for (line, word, bit) in holding.map(bit) {
            lines[line][word] |= bit;
        }
        lines
    }

    /// How many docs of a set come before each of its lines.
    pub fn before(lines: &[DocBlock]) -> impl Iterator<Item = u32> {
        lines.iter().scan(0, |next, line| {
            let before = *next;
            *next += count(line);
            Some(before)
        })
    }

    /// The docs that both have, of a line.
    #[inline]
    pub fn both(a: &DocBlock, b: &DocBlock) -> DocBlock {
        std::array::from_fn(|at| a[at] & b[at])
    }

    /// Whether a line has any doc.
    #[inline]
    pub fn is_filled(line: &DocBlock) -> bool {
        line.iter().fold(0, |any, word| any | word) != 0
    }

    /// A bit for each line that has any doc.
    pub fn filled(lines: &[DocBlock]) -> impl Iterator<Item = u64> {
        let bit = |(at, line): (usize, &DocBlock)| u64::from(is_filled(line)) << at;
        lines.chunks(u64::BITS as usize).map(move |lines| lines.iter().enumerate().map(bit).sum())
    }

    /// How many docs words have.
    #[inline]
    pub fn count(words: &[u64]) -> u32 {
        words.iter().map(|word| word.count_ones()).sum()
    }
}

/// The letters of a term, for finding what is spelled alike without reading it: a bit for each of a to z, one for any
/// other, and their number.
pub mod letters {
    const OTHER: u32 = 26;
    const NUMBER_FROM: u32 = 27;
    const NUMBER_MAX: u32 = 31;

    /// The letters of a term.
    pub fn of(term: &str) -> u32 {
        let (mut bits, mut number) = (0, 0);
        for c in term.chars() {
            number += 1;
            bits |= 1 << if c.is_ascii_lowercase() { c as u32 - 'a' as u32 } else { OTHER };
        }
        bits | NUMBER_MAX.min(number) << NUMBER_FROM
    }

    /// Whether terms with such letters may be so many edits apart: an edit takes a letter away and puts one in.
    pub const fn may_be_within(edits: u32, a: u32, b: u32) -> bool {
        let bits = (1 << NUMBER_FROM) - 1;
        ((a ^ b) & bits).count_ones() <= 2 * edits && (a >> NUMBER_FROM).abs_diff(b >> NUMBER_FROM) <= edits
    }
}

/// Why an entity is suspect, as bits.
pub mod suspect {
    /// Current prices of new members are too far apart.
    pub const PRICE_RATIO: u8 = 0b001;
    /// Names speak of different pack sizes.
    pub const PACK_CONFLICT: u8 = 0b010;
    /// Different brands and names without a common word.
    pub const BRAND_CONFLICT: u8 = 0b100;
}

/// Small tables that are decoded at opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dictionary {
    /// Day of the earliest observation, days since 1970.
    pub first_day: i32,
    /// Day of the latest observation, days since 1970.
    pub last_day: i32,
    /// Instant of the newest observation, microseconds since 1970 UTC.
    pub newest: i64,
    /// Platform keys, sorted.
    pub platforms: Vec<String>,
    /// Canonical brands, by label.
    pub brands: Vec<BrandEntry>,
    /// The category tree in preorder.
    pub categories: Vec<CategoryEntry>,
    /// Everyday shelf names.
    pub aliases: Vec<AliasEntry>,
    /// Coverage cells, ordered by platform, country, category root.
    pub coverage: Vec<CellEntry>,
}

/// A canonical brand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrandEntry {
    /// Folded key that spelling variants share.
    pub key: String,
    /// Display label.
    pub label: String,
    /// Listings by country.
    pub listings: [u32; 2],
    /// Priced listings by country.
    pub priced: [u32; 2],
}

/// A node of the category tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryEntry {
    /// Slug path.
    pub slug: String,
    /// Display label of the last segment.
    pub label: String,
    /// Index of the parent, or [`NONE`].
    pub parent: u32,
}

/// An everyday shelf name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AliasEntry {
    /// Slug of the name.
    pub slug: String,
    /// A category path in slug form, or a classification code.
    pub target: AliasTarget,
}

/// What an alias stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AliasTarget {
    /// Slug path of a category.
    Category(String),
    /// Classification code.
    Code(u32),
}

/// A coverage cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellEntry {
    /// Index into the platforms.
    pub platform: u16,
    /// Country code.
    pub country: u8,
    /// Index of the root category.
    pub root: u32,
    /// Listings with any observation.
    pub priced: u32,
    /// Priced listings.
    pub recent: u32,
    /// Of the listings with any observation, those with a brand.
    pub branded: u32,
    /// Newest observation, microseconds since 1970 UTC.
    pub newest: i64,
}

impl Dictionary {
    /// Writes the dictionary to `path`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<Written> {
        let mut file = HashedFile::create(path)?;
        file.write(&bincode::serde::encode_to_vec(self, BINCODE).map_err(io::Error::other)?)?;
        file.finish()
    }

    /// Decodes a dictionary.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        match bincode::serde::decode_from_slice(bytes, BINCODE) {
            Ok((dictionary, read)) if read == bytes.len() => Ok(dictionary),
            Ok(_) => Err(format!("{DICTIONARY} has bytes left over")),
            Err(fault) => Err(format!("{DICTIONARY}: {fault}")),
        }
    }
}

/// State of a coverage cell.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum QualityStatus {
    /// Enough listings, fresh enough.
    Serving,
    /// Fresh, but fewer than 25 listings with a price of the last 90 days.
    Thin,
    /// Fewer than a fifth of the listings have a price of the last 90 days.
    Stale,
}

impl QualityStatus {
    /// Fewest priced listings of a serving cell.
    pub const SERVING_LISTINGS_MIN: u32 = 25;
    /// A cell is stale when less than one in this many listings is fresh.
    pub const STALE_BELOW_ONE_IN: u32 = 5;
    /// The printed words.
    pub const WORDS: &[&str] = &["serving", "thin", "stale"];

    /// The status of a cell with `priced` listings that were ever observed and `recent` priced ones.
    pub fn of(priced: u32, recent: u32) -> Self {
        if u64::from(recent) * u64::from(Self::STALE_BELOW_ONE_IN) < u64::from(priced) {
            Self::Stale
        } else if recent < Self::SERVING_LISTINGS_MIN {
            Self::Thin
        } else {
            Self::Serving
        }
    }

    /// The status of a printed word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "serving" => Some(Self::Serving),
            "thin" => Some(Self::Thin),
            "stale" => Some(Self::Stale),
            _ => None,
        }
    }
}
