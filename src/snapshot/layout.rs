//! The contents of a snapshot directory: the names and records that the builder and the loader share.

use std::io;
use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::columns::{BINCODE, Element, HashedFile, Tag, Written};
use crate::lang::Lexicon;
use crate::lang::text::name::is_variety;
use crate::stats::mean_of_ratios::places;
use crate::types::money::is_believed;

/// Listings, one row each, ordered by (country, category in preorder, platform, product id).
pub const LISTINGS: &str = "listings.cols";
/// Prices of each listing by week and by month.
pub const PERIODS: &str = "periods.cols";
/// Price spells and the days on which each listing was seen, in the order of the listings. A price spell is a run of
/// a listing's observations with the same price, list price and flags.
pub const SPELLS: &str = "spells.cols";
/// Entities, listings in uid order, rows of categories and of classification nodes.
pub const INDICES: &str = "indices.cols";
/// The classification. The file exists only if the input contains a classification.
pub const CLASSIFICATION: &str = "classification.cols";
/// Small tables that are decoded when the snapshot is opened.
pub const DICTIONARY: &str = "dictionary.bin";
/// The text index: the terms of names, brands and categories, and the listings that contain them.
pub const TEXT: &str = "text.cols";

/// Slug of the root category of listings without a category.
pub const UNCATEGORIZED: &str = "uncategorized";

/// Likely links of each listing, and part numbers.
pub const LINKS: &str = "links.cols";
/// The words and units by which names and queries are read, as rows of text.
pub const LEXICON: &str = "lexicon.tsv";

/// Marks a missing value in a column of indices or counts.
pub const NONE: u32 = u32::MAX;
/// Marks a listing without observations in the column of current days.
pub const NO_DAY: u16 = u16::MAX;

/// Stock bits of an observation's flags; zero means unknown.
pub const STOCK_MASK: u8 = 0b011;
/// The source states that the product is out of stock.
pub const STOCK_OUT: u8 = 0b001;
/// The source states that the product is in stock.
pub const STOCK_IN: u8 = 0b010;
/// On promotion: the source states a promotion, or price < list price <= 5 × price.
pub const PROMO: u8 = 0b100;

/// The [`depth`] of a spell whose list price is not plausible. The depth of a plausible list price is never this
/// close to one.
pub const UNBELIEVED: u64 = u64::MAX;

/// The depth of a price: the discount against the list price, as a share of the list price in units of 2^-64. It is 0
/// if the list price is not above the price or is missing (0), and [`UNBELIEVED`] if the list price is not plausible.
pub fn depth(price: u32, list_price: u32) -> u64 {
    match list_price {
        _ if list_price <= price => 0,
        _ if is_believed(price, list_price) => places(list_price - price, list_price) as u64,
        _ => UNBELIEVED,
    }
}

/// The fields of a listing that answers show, in one cache line. An answer about a product shows about twenty
/// listings from all over the catalog, and reading these fields from columns would touch one cache line per column
/// and listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Offer {
    /// Uid of the listing.
    pub uid: u64,
    /// Uid of the listing's entity.
    pub entity_uid: u64,
    /// Instant of the latest observation, microseconds since 1970 UTC.
    pub observed_at: i64,
    /// The position of the name in the column of names, see [`Offer::name_word`].
    pub name: u64,
    /// Index of the entity.
    pub entity: u32,
    /// Row of the entity's cheapest priced listing in the country; of equal prices, the listing with the smallest
    /// uid. [`NONE`] if the entity has no priced listing in the country.
    pub cheapest: u32,
    /// Current price in cents; 0 without an observation.
    pub price: u32,
    /// Numerator of the quantity of one item of the pack; 0 if the pack is not known.
    pub pack_num: u32,
    /// Denominator of the quantity of one item of the pack.
    pub pack_den: u32,
    /// The number of items in the pack.
    pub pack_count: u32,
    /// Index of the platform.
    pub platform: u16,
    /// Code of the country.
    pub country: u8,
    /// Code of the condition.
    pub condition: u8,
    /// Stock and promotion bits of the latest observation.
    pub flags: u8,
    /// Code of the unit of the pack.
    pub pack_unit: u8,
    /// 1 if the latest observation is within the 90 days before the as-of date of the snapshot, else 0.
    pub priced: u8,
    /// 1 if the entity has other listings in the country, else 0.
    pub linked: u8,
}

const _: () = assert!(size_of::<Offer>() == 64, "an offer is one cache line");

/// The number of bits for the length of a name.
const NAME_LENGTH_BITS: u32 = 20;
/// The exclusive maximum of the length of a name, in bytes.
pub const NAME_BYTES_END: u64 = 1 << NAME_LENGTH_BITS;

impl Offer {
    /// The position of a name, packed into one word: offset, then length. `None` if the name is too long.
    pub const fn name_word(range: &Range<u64>) -> Option<u64> {
        let length = range.end - range.start;
        if length < NAME_BYTES_END { Some(range.start << NAME_LENGTH_BITS | length) } else { None }
    }

    /// The byte range of the listing's name in the column of names.
    pub const fn name_range(&self) -> Range<usize> {
        let from = (self.name >> NAME_LENGTH_BITS) as usize;
        from..from + (self.name & (NAME_BYTES_END - 1)) as usize
    }
}

impl Element for Offer {
    const TAG: Tag = Tag::Offer;
}

/// The origin of a listing's brick, which is its product type in the classification.
pub mod mapping {
    /// The listing has no brick.
    pub const NONE: u8 = 0;
    /// The source states the brick.
    pub const EXACT: u8 = 1;
    /// Derived from the category of the listing, or from the nearest ancestor of this category that has a brick.
    pub const DERIVED: u8 = 2;
}

/// The field in which a listing contains a term. The listing *is* the product that a term names if the term is the
/// head noun of its category's label ("keyboard" of "Wireless Keyboards"). This also applies to the head noun of the
/// listing's own name, unless this noun is the head noun of another category's label. In that case the term is a
/// *trait*. The other words of its category's label are traits too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TermField {
    /// The name or brand contains the term, and the listing is the product that the term names.
    ProductType = 0,
    /// The name or brand contains the term, and the term is a trait.
    Trait = 1,
    /// The name or brand contains the term, which is neither the product type nor a trait.
    Own = 2,
    /// The category's label contains the term as its head noun. The name does not contain it, or only after "for",
    /// "with" or a similar word.
    CategoryType = 3,
    /// The category's label contains the term, but not as its head noun. The name does not contain it, or only after
    /// "for", "with" or a similar word.
    CategoryTrait = 4,
    /// The name contains the term only after "for", "with" or a similar word.
    Aside = 5,
    /// Only the label of an ancestor of the category contains the term.
    Above = 6,
    /// The term is a number in the brand. It matches a query, but does not contribute to the score.
    Number = 7,
}

impl TermField {
    /// All fields, in the order of their codes.
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

    /// The bits of the fields in which only the category contains the term.
    pub const BY_CATEGORY: u8 =
        1 << Self::CategoryType as u8 | 1 << Self::CategoryTrait as u8 | 1 << Self::Above as u8;

    /// Whether only the category contains the term.
    pub const fn is_by_category(self) -> bool {
        Self::BY_CATEGORY >> self as u8 & 1 == 1
    }

    /// The fields whose bit is set, in the order of their codes.
    pub fn among(bits: u8) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |held| bits >> *held as u8 & 1 == 1)
    }

    /// Whether the listing is the product that the term names.
    pub const fn is_product_type(self) -> bool {
        matches!(self, Self::ProductType | Self::CategoryType)
    }

    /// Whether the term is the head noun of the listing's name, or a word of the last segment of its category.
    pub const fn is_of_type(self) -> bool {
        matches!(self, Self::ProductType | Self::Trait | Self::CategoryType | Self::CategoryTrait)
    }

    /// The field with a code. Only the lower three bits of the code are used.
    pub const fn from_code(code: u8) -> Self {
        Self::ALL[code as usize % Self::ALL.len()]
    }
}

/// The length of a name and brand: the number of their terms (`terms`) plus the number of varieties. A variety (a
/// flavour, a diet, a preservation method) is counted if the name states it of the product itself and it is not the
/// product type. `name` contains the terms of the name with their fields.
pub fn length<'a>(lexicon: &Lexicon, terms: usize, name: impl Iterator<Item = (&'a str, TermField)>) -> u32 {
    let is_variety = |(term, held): &(&str, TermField)| {
        matches!(held, TermField::Trait | TermField::Own) && is_variety(lexicon, term)
    };
    (terms + name.filter(is_variety).count()) as u32
}

/// A term with its field, as stored for listings and categories: the field in the highest 3 bits, then the term in 29
/// bits.
pub mod term_field {
    use super::TermField;

    /// The maximum number of terms of a snapshot.
    pub const TERMS_MAX: usize = 1 << TERM_BITS;
    const TERM_BITS: u32 = 29;

    /// Packs a term and its field.
    pub const fn of(term: u32, held: TermField) -> u32 {
        (held as u32) << TERM_BITS | term
    }

    /// The term.
    pub const fn term(term_field: u32) -> u32 {
        term_field & ((1 << TERM_BITS) - 1)
    }

    /// The field.
    pub const fn held(term_field: u32) -> TermField {
        TermField::from_code((term_field >> TERM_BITS) as u8)
    }
}

/// Postings of a term in the text index, in ascending order: one for each listing that contains the term in name,
/// brand or category. A posting has the doc ordinal of the listing (its position in the index) in the upper 29 bits
/// and the field in the lower 3 bits.
pub mod posting {
    use super::TermField;

    /// The maximum number of docs (listings in the text index) of a snapshot.
    pub const DOCS_MAX: usize = 1 << (u32::BITS - HELD_BITS);
    const HELD_BITS: u32 = 3;

    /// The posting of a doc that contains the term in this field.
    pub const fn of(doc: u32, held: TermField) -> u32 {
        doc << HELD_BITS | held as u32
    }

    /// The doc of a posting.
    pub const fn doc(posting: u32) -> u32 {
        posting >> HELD_BITS
    }

    /// The field of a posting.
    pub const fn held(posting: u32) -> TermField {
        TermField::from_code(posting as u8)
    }
}

/// Bit sets of the docs that contain a frequent term, in addition to the postings of the term. A set has one bit per
/// doc, in lines of 512 bits. The number of postings before each line is stored too, so that the posting of a doc can
/// be found. A term that is the product type of any listing has a second set of the docs whose product type it is,
/// and one bit per line that states whether the line of the second set is not empty.
pub mod set {
    /// A line of a set. Sets are read in lines, and a line is one cache line of the processor.
    pub type DocBlock = [u64; WORDS];

    /// A term is frequent if at least one in this many docs contains it.
    const FREQUENT_ONE_IN: usize = 128;
    /// The number of words in a line.
    pub const WORDS: usize = 8;
    /// The number of docs in a line.
    pub const DOCS: u32 = u64::BITS * WORDS as u32;

    /// Whether a term has a set if `holding` of `docs` docs contain it.
    pub const fn is_due(holding: usize, docs: usize) -> bool {
        holding > 0 && holding * FREQUENT_ONE_IN >= docs
    }

    /// The number of lines of a set over this many docs.
    pub const fn lines(docs: usize) -> usize {
        docs.div_ceil(DOCS as usize)
    }

    /// The position of a doc in a set: its line, the word in the line, and the bit as a mask.
    pub const fn bit(doc: u32) -> (usize, usize, u64) {
        let word = doc % DOCS / u64::BITS;
        ((doc / DOCS) as usize, word as usize, 1 << (doc % u64::BITS))
    }

    /// Builds the set of the docs in `holding`. `docs` is the number of all docs.
    pub fn of(holding: impl Iterator<Item = u32>, docs: usize) -> Vec<DocBlock> {
        let mut lines = vec![[0; WORDS]; lines(docs)];
        for (line, word, bit) in holding.map(bit) {
            lines[line][word] |= bit;
        }
        lines
    }

    /// The number of docs of a set before each of its lines.
    pub fn before(lines: &[DocBlock]) -> impl Iterator<Item = u32> {
        lines.iter().scan(0, |next, line| {
            let before = *next;
            *next += count(line);
            Some(before)
        })
    }

    /// The intersection of two lines.
    #[inline]
    pub fn both(a: &DocBlock, b: &DocBlock) -> DocBlock {
        std::array::from_fn(|at| a[at] & b[at])
    }

    /// Whether a line contains any doc.
    #[inline]
    pub fn is_filled(line: &DocBlock) -> bool {
        line.iter().fold(0, |any, word| any | word) != 0
    }

    /// Words with one bit per line, which is set if the line contains any doc.
    pub fn filled(lines: &[DocBlock]) -> impl Iterator<Item = u64> {
        let bit = |(at, line): (usize, &DocBlock)| u64::from(is_filled(line)) << at;
        lines.chunks(u64::BITS as usize).map(move |lines| lines.iter().enumerate().map(bit).sum())
    }

    /// The number of docs in some words.
    #[inline]
    pub fn count(words: &[u64]) -> u32 {
        words.iter().map(|word| word.count_ones()).sum()
    }
}

/// A summary of the letters of a term, by which similar spellings are found without reading the term. It has one bit
/// for each of the letters a to z, one bit for all other characters, and the number of characters (at most 31).
pub mod letters {
    const OTHER: u32 = 26;
    const NUMBER_FROM: u32 = 27;
    const NUMBER_MAX: u32 = 31;

    /// The summary of a term.
    pub fn of(term: &str) -> u32 {
        let (mut bits, mut number) = (0, 0);
        for c in term.chars() {
            number += 1;
            bits |= 1 << if c.is_ascii_lowercase() { c as u32 - 'a' as u32 } else { OTHER };
        }
        bits | NUMBER_MAX.min(number) << NUMBER_FROM
    }

    /// Whether terms with these summaries may be at most `edits` edits apart. An edit removes at most one letter and
    /// adds at most one.
    pub const fn may_be_within(edits: u32, a: u32, b: u32) -> bool {
        let bits = (1 << NUMBER_FROM) - 1;
        ((a ^ b) & bits).count_ones() <= 2 * edits && (a >> NUMBER_FROM).abs_diff(b >> NUMBER_FROM) <= edits
    }
}

/// The reasons why an entity is suspect, as bits.
pub mod suspect {
    /// The current prices of members in new condition are too far apart.
    pub const PRICE_RATIO: u8 = 0b001;
    /// The names state different pack sizes.
    pub const PACK_CONFLICT: u8 = 0b010;
    /// The brands differ, and the names do not have a common word.
    pub const BRAND_CONFLICT: u8 = 0b100;
}

/// Small tables that are decoded when the snapshot is opened.
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
    /// Canonical brands, sorted by label.
    pub brands: Vec<BrandEntry>,
    /// The category tree in preorder.
    pub categories: Vec<CategoryEntry>,
    /// Aliases: everyday names of categories.
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

/// An alias: an everyday name of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AliasEntry {
    /// Slug of the everyday name.
    pub slug: String,
    /// A category path in slug form, or a classification code.
    pub target: AliasTarget,
}

/// The target of an alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AliasTarget {
    /// Slug path of a category.
    Category(String),
    /// Classification code.
    Code(u32),
}

/// A coverage cell: the listings of a platform in a country and a root category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellEntry {
    /// Index into the platforms.
    pub platform: u16,
    /// Country code.
    pub country: u8,
    /// Index of the root category.
    pub root: u32,
    /// Number of listings with any observation.
    pub priced: u32,
    /// Number of listings with a price of the last 90 days.
    pub recent: u32,
    /// Number of listings with any observation that have a brand.
    pub branded: u32,
    /// Instant of the newest observation, microseconds since 1970 UTC.
    pub newest: i64,
}

impl Dictionary {
    /// Writes the dictionary to `path`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<Written> {
        let mut file = HashedFile::create(path)?;
        file.write(&bincode::serde::encode_to_vec(self, BINCODE).map_err(io::Error::other)?)?;
        file.finish()
    }

    /// Decodes a dictionary.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a dictionary or have a surplus at their end.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        match bincode::serde::decode_from_slice(bytes, BINCODE) {
            Ok((dictionary, read)) if read == bytes.len() => Ok(dictionary),
            Ok(_) => Err(format!("{DICTIONARY} has surplus bytes at its end")),
            Err(fault) => Err(format!("{DICTIONARY}: {fault}")),
        }
    }
}

/// Quality of the data of one retailer in one country and root category.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum QualityStatus {
    /// At least 25 listings have a price of the last 90 days. They are at least a fifth of the listings that ever had
    /// a price.
    Serving,
    /// Fewer than 25 listings have a price of the last 90 days. They are at least a fifth of the listings that ever
    /// had a price.
    Thin,
    /// Fewer than a fifth of the listings that ever had a price have a price of the last 90 days.
    Stale,
}

impl QualityStatus {
    /// The minimum number of priced listings of a serving cell.
    pub const SERVING_LISTINGS_MIN: u32 = 25;
    /// A cell is stale if fewer than one in this many of its listings have a recent price.
    pub const STALE_BELOW_ONE_IN: u32 = 5;
    /// The names of the statuses.
    pub const WORDS: &[&str] = &["serving", "thin", "stale"];

    /// The status of a cell, given the number of listings with any observation (`priced`) and the number of listings
    /// with a price of the last 90 days (`recent`).
    pub fn of(priced: u32, recent: u32) -> Self {
        if u64::from(recent) * u64::from(Self::STALE_BELOW_ONE_IN) < u64::from(priced) {
            Self::Stale
        } else if recent < Self::SERVING_LISTINGS_MIN {
            Self::Thin
        } else {
            Self::Serving
        }
    }

    /// The status with a name; `None` for an unknown name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "serving" => Some(Self::Serving),
            "thin" => Some(Self::Thin),
            "stale" => Some(Self::Stale),
            _ => None,
        }
    }
}
