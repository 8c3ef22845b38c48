//! Rules of one row of listings.

use super::sellers::{Sellers, Spelling};
use crate::index::clean::categories;
use crate::ingest::classification::gpc_code;
use crate::ingest::mapping::Retailers;
use crate::ingest::rejects::Reason;
use crate::ingest::{Chunk, Holds, InputFile, limits};
use crate::lang;
use crate::snapshot::tables::ListingInput;
use crate::types::day::parse_observed;
use crate::types::{Condition, Country, SourceCode};

/// What a row without a fault says of its listing.
#[derive(Debug, Clone)]
pub(in crate::index) struct ValidatedListing<'a> {
    pub country: Country,
    /// Number of the retailer among those of the rules.
    pub seller: u32,
    pub product_id: &'a str,
    pub brand: &'a str,
    /// The category path.
    pub path: &'a str,
    pub mpn: String,
    pub condition: Condition,
    pub code: SourceCode,
    pub gpc_code: Option<u32>,
}

/// What is odd about a row of listings that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::index) enum ListingOddity {
    /// The barcode is none, for this cause.
    Barcode(&'static str),
    /// The classification code is none.
    GpcCode,
    /// The category path has one segment.
    OneLevelCategory,
}

/// Judges the rows of a chunk, one by one.
pub(in crate::index) struct ListingRules<'a> {
    sellers: Sellers<'a>,
}

impl<'a> ListingRules<'a> {
    pub(in crate::index) fn new(retailers: &'a Retailers) -> Self {
        Self { sellers: Sellers::new(retailers) }
    }

    /// The retailer's key with a number.
    pub(in crate::index) fn platform(&self, seller: u32) -> &str {
        self.sellers.key(seller)
    }

    /// Keys of retailers and how they were written.
    pub(in crate::index) fn spellings(&self) -> Vec<Spelling> {
        self.sellers.spellings()
    }

    /// What a row says, or why it is not taken and the value that decided.
    pub(in crate::index) fn row(
        &mut self,
        chunk: &'a Chunk,
        at: usize,
    ) -> Result<ValidatedListing<'a>, (Reason, &'a str)> {
        let text = |column: ListingInput| chunk.text(column as usize, at);
        if let Some(fault) = chunk.fault(at) {
            return Err(fault);
        }
        let country = text(ListingInput::Country);
        let country = Country::read(country).ok_or((Reason::UnknownCountry, country))?;
        let platform = text(ListingInput::Platform);
        let seller = self.sellers.number(platform).ok_or((Reason::InvalidPlatform, platform))?;
        let (product_id, name) = (text(ListingInput::ProductId), text(ListingInput::ProductName));
        if product_id.is_empty() {
            return Err((Reason::EmptyProductId, name));
        }
        if product_id.contains(char::REPLACEMENT_CHARACTER) {
            return Err((Reason::InexactId, product_id));
        }
        if name.is_empty() {
            return Err((Reason::EmptyName, product_id));
        }
        let (brand, url, path) =
            (text(ListingInput::Brand), text(ListingInput::Url), text(ListingInput::CategoryPath));
        for (text, most, reason) in [
            (product_id, limits::PRODUCT_ID_BYTES_MAX, Reason::ProductIdTooLong),
            (name, limits::NAME_BYTES_MAX, Reason::NameTooLong),
            (brand, limits::BRAND_BYTES_MAX, Reason::BrandTooLong),
            (url, limits::URL_BYTES_MAX, Reason::UrlTooLong),
            (path, limits::CATEGORY_PATH_BYTES_MAX, Reason::CategoryPathTooLong),
        ] {
            if text.len() > most {
                return Err((reason, text));
            }
        }
        if categories::is_too_deep(path) {
            return Err((Reason::CategoryTooDeep, path));
        }
        Ok(ValidatedListing {
            country,
            seller,
            product_id,
            brand,
            path,
            mpn: lang::mpn(text(ListingInput::Mpn)).unwrap_or_default(),
            condition: Condition::derive(text(ListingInput::Condition), name, brand, url),
            code: SourceCode::parse(text(ListingInput::Gtin)),
            gpc_code: gpc_code(text(ListingInput::GpcCode)),
        })
    }
}

/// Whether a row says nothing of a listing: in a file of both tables a row without a name is an observation only.
pub(in crate::index) fn is_observation_alone(chunk: &Chunk, at: usize, file: &InputFile) -> bool {
    file.holds == Holds::Both
        && chunk.text(ListingInput::ProductName as usize, at).is_empty()
        && chunk.fault(at).is_none()
}

/// Tells what is odd about a row that is taken, each with the value in question.
pub(in crate::index) fn oddities(
    chunk: &Chunk,
    at: usize,
    row: &ValidatedListing<'_>,
    mut note: impl FnMut(ListingOddity, &str),
) {
    let barcode = chunk.text(ListingInput::Gtin as usize, at);
    if row.code.gtin.is_none() && !barcode.is_empty() {
        note(ListingOddity::Barcode(barcode_fault(barcode)), barcode);
    }
    let code = chunk.text(ListingInput::GpcCode as usize, at);
    if row.gpc_code.is_none() && !code.is_empty() {
        note(ListingOddity::GpcCode, code);
    }
    if !row.path.is_empty() && !row.path.contains('>') {
        note(ListingOddity::OneLevelCategory, row.path);
    }
}

/// When a row was written, microseconds since 1970 UTC; before all others where it does not say.
pub(in crate::index) fn written_at(chunk: &Chunk, at: usize) -> i64 {
    parse_observed(chunk.text(ListingInput::Date as usize, at))
        .map_or(i64::MIN, |(_, instant)| instant.micros())
}

/// Hash of what a row says of its listing.
pub(in crate::index) fn says(chunk: &Chunk, at: usize) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for column in 0..ListingInput::UNDATED.len() {
        let text = chunk.text(column, at);
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest()
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

#[cfg(test)]
mod tests {
    use super::*;

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
