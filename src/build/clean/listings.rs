//! Rows of listings: which are taken, and the first of each key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anyhow::{Result, ensure};

use super::labels::Interner;
use crate::build::canonical::NONE;
use crate::build::ingest::{Chunk, listing};
use crate::build::rejects::{Reason, Reject};
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::domain::{Condition, Country, EntityUid, Gtin, ProductUid, platform};
use crate::link;
use crate::snapshot::Strings;

/// Most listings a snapshot holds: their numbers are 32 bits, one of which says "none".
const LISTINGS_MAX: usize = NONE as usize - 1;

/// A listing that may be taken.
#[derive(Debug)]
struct Row {
    line: u64,
    country: Country,
    platform: String,
    product_id: String,
    name: String,
    url: String,
    mpn: String,
    brand: String,
    category_path: String,
    gtin: u64,
    gpc_code: u32,
    condition: Condition,
    rating: f64,
    review_count: u32,
    product_uid: u64,
    entity_uid: u64,
}

/// A chunk of listings after the rules.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub read: u64,
    pub rejects: Vec<Reject>,
    rows: Vec<Row>,
    unusable_barcodes: Tallies,
    unusable_gpc_codes: Tally,
}

/// Applies the rules to a chunk.
pub(super) fn judge(chunk: &Chunk, file: &str) -> Judged {
    let mut judged = Judged { read: chunk.rows() as u64, ..Judged::default() };
    for at in 0..chunk.rows() {
        match row(chunk, at) {
            Ok(row) => {
                judged.note_oddities(chunk, at, &row, file);
                judged.rows.push(row);
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged
}

fn row(chunk: &Chunk, at: usize) -> Result<Row, (Reason, &str)> {
    let text = |column| chunk.text(column, at);
    if chunk.is_broken(at) {
        return Err((Reason::UnreadableRow, ""));
    }
    let country = text(listing::COUNTRY);
    let country = Country::parse(country).ok_or((Reason::UnknownCountry, country))?;
    let platform = text(listing::PLATFORM);
    let platform = platform::normalize(platform).ok_or((Reason::InvalidPlatform, platform))?;
    let (product_id, name) = (text(listing::PRODUCT_ID), text(listing::NAME));
    if product_id.is_empty() {
        return Err((Reason::EmptyProductId, name));
    }
    if name.is_empty() {
        return Err((Reason::EmptyName, product_id));
    }
    let (brand, url) = (text(listing::BRAND), text(listing::URL));
    let gtin = Gtin::parse(text(listing::GTIN));
    let listing = ProductUid::of(country, &platform, product_id);
    let entity = gtin.map_or_else(|| EntityUid::of_listing(listing), EntityUid::of_gtin);
    Ok(Row {
        line: chunk.line(at),
        country,
        platform,
        product_id: product_id.to_owned(),
        name: name.to_owned(),
        url: url.to_owned(),
        mpn: link::mpn(text(listing::MPN)).unwrap_or_default(),
        brand: brand.to_owned(),
        category_path: text(listing::CATEGORY_PATH).to_owned(),
        gtin: gtin.map_or(0, Gtin::get),
        gpc_code: gpc_code(text(listing::GPC_CODE)).unwrap_or(0),
        condition: Condition::derive(text(listing::CONDITION), name, brand, url),
        rating: text(listing::RATING)
            .parse()
            .ok()
            .filter(|rating: &f64| rating.is_finite())
            .unwrap_or(f64::NAN),
        review_count: review_count(text(listing::REVIEW_COUNT)).unwrap_or(NONE),
        product_uid: listing.get(),
        entity_uid: entity.get(),
    })
}

/// Eight digits; the `.0` of an export goes.
pub(in crate::build) fn gpc_code(text: &str) -> Option<u32> {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    let usable = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&code| usable && code > 0)
}

/// A whole number; the `.0` of an export goes.
fn review_count(text: &str) -> Option<u32> {
    text.strip_suffix(".0").unwrap_or(text).parse().ok().filter(|&count| count != NONE)
}

/// Why `text` is no barcode, for the report.
fn barcode_fault(text: &str) -> &'static str {
    let digits = text.strip_suffix(".0").unwrap_or(text).bytes().filter(u8::is_ascii_digit).count();
    if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        let scientific = text.parse::<f64>().is_ok_and(f64::is_finite);
        return if scientific { "scientific_notation" } else { "letters" };
    }
    match digits {
        0..8 => "too_short",
        8 | 12..=14 => "check_digit_or_restricted",
        9..=11 => "lost_zeros_without_check_digit",
        _ => "too_long",
    }
}

impl Judged {
    fn note_oddities(&mut self, chunk: &Chunk, at: usize, row: &Row, file: &str) {
        let example =
            |value: &str| Example { file: file.to_owned(), line: row.line, value: value.to_owned() };
        let barcode = chunk.text(listing::GTIN, at);
        if row.gtin == 0 && !barcode.is_empty() {
            let tally = self.unusable_barcodes.entry(barcode_fault(barcode).to_owned()).or_default();
            tally.add(|| example(barcode));
        }
        let code = chunk.text(listing::GPC_CODE, at);
        if row.gpc_code == 0 && !code.is_empty() {
            self.unusable_gpc_codes.add(|| example(code));
        }
    }
}

/// From the key of a listing to its number.
#[derive(Debug, Default)]
pub(super) struct Index {
    numbers: HashMap<String, u32>,
}

impl Index {
    /// The key as one text, written over `out`; a platform key holds no `|`.
    fn key<'a>(country: Country, platform: &str, product_id: &str, out: &'a mut String) -> &'a str {
        out.clear();
        out.push(match country {
            Country::Ca => 'c',
            Country::Us => 'u',
        });
        out.push_str(platform);
        out.push('|');
        out.push_str(product_id);
        out
    }

    /// The number of a listing; `scratch` is written over.
    pub(super) fn find(
        &self,
        country: Country,
        platform: &str,
        product_id: &str,
        scratch: &mut String,
    ) -> Option<u32> {
        self.numbers.get(Self::key(country, platform, product_id, scratch)).copied()
    }
}

/// Listings in input order, one per key.
#[derive(Debug, Default)]
pub(super) struct ListingTable {
    index: Index,
    pub platforms: Interner,
    pub brands: Interner,
    pub paths: Interner,
    pub country: Vec<Country>,
    pub platform: Vec<u32>,
    pub brand: Vec<u32>,
    pub path: Vec<u32>,
    pub product_id: Strings,
    pub name: Strings,
    pub url: Strings,
    pub mpn: Strings,
    pub gtin: Vec<u64>,
    pub gpc_code: Vec<u32>,
    pub condition: Vec<Condition>,
    pub rating: Vec<f64>,
    pub review_count: Vec<u32>,
    pub product_uid: Vec<u64>,
    pub entity_uid: Vec<u64>,
}

impl ListingTable {
    /// Number of listings.
    pub(super) fn len(&self) -> usize {
        self.country.len()
    }

    /// From keys to numbers.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Forgets the keys, when nothing is looked up any more.
    pub(super) fn drop_index(&mut self) {
        self.index = Index::default();
    }

    /// Takes the rows whose key is new.
    pub(super) fn extend(&mut self, judged: Judged, file: &str, report: &mut InputReport) -> Result<()> {
        merge(&mut report.unusable_barcodes, judged.unusable_barcodes);
        report.unusable_gpc_codes.merge(judged.unusable_gpc_codes);
        let mut key = String::new();
        for row in judged.rows {
            ensure!(self.len() < LISTINGS_MAX, "more than {LISTINGS_MAX} listings");
            let number = self.len() as u32;
            Index::key(row.country, &row.platform, &row.product_id, &mut key);
            match self.index.numbers.entry(key.clone()) {
                Entry::Vacant(vacant) => vacant.insert(number),
                Entry::Occupied(_) => {
                    let value = format!("{} {}", row.platform, row.product_id);
                    let example = || Example { file: file.to_owned(), line: row.line, value };
                    report.duplicate_listings.add(example);
                    continue;
                }
            };
            self.push(&row);
        }
        Ok(())
    }

    fn push(&mut self, row: &Row) {
        self.country.push(row.country);
        self.platform.push(self.platforms.number(&row.platform));
        self.brand.push(self.brands.number(&row.brand));
        self.path.push(self.paths.number(&row.category_path));
        self.product_id.push(&row.product_id);
        self.name.push(&row.name);
        self.url.push(&row.url);
        self.mpn.push(&row.mpn);
        self.gtin.push(row.gtin);
        self.gpc_code.push(row.gpc_code);
        self.condition.push(row.condition);
        self.rating.push(row.rating);
        self.review_count.push(row.review_count);
        self.product_uid.push(row.product_uid);
        self.entity_uid.push(row.entity_uid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_eight_digits() {
        assert_eq!(gpc_code("10000276"), Some(10_000_276));
        assert_eq!(gpc_code("10000276.0"), Some(10_000_276));
        for text in ["", "1000027", "100002760", "+1000027", "00000000", "abcdefgh"] {
            assert_eq!(gpc_code(text), None, "{text}");
        }
    }

    #[test]
    fn faults_of_barcodes_are_told_apart() {
        for (text, fault) in [
            ("4.81E+10", "scientific_notation"),
            ("B00X4WHP5E", "letters"),
            ("4011", "too_short"),
            ("200000000004", "check_digit_or_restricted"),
            ("1234567890", "lost_zeros_without_check_digit"),
            ("123456789012345", "too_long"),
        ] {
            assert_eq!(barcode_fault(text), fault, "{text}");
        }
    }
}
