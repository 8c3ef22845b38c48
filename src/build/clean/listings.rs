//! Rows of listings: which are taken, and the first of each key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anyhow::{Result, ensure};

use super::categories;
use super::labels::Interner;
use crate::build::canonical::{ListingColumns, NONE};
use crate::build::classification::gpc_code;
use crate::build::ingest::Chunk;
use crate::build::limits;
use crate::build::rejects::{Reason, Reject};
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::domain::{Condition, Country, EntityUid, Gtin, ProductUid, platform};
use crate::link;
use crate::snapshot::tables::{ListingInput, ListingRow};

/// Most listings a snapshot holds: their numbers are 32 bits, one of which says "none".
const LISTINGS_MAX: usize = NONE as usize - 1;

/// A chunk of listings after the rules: those that may be taken, with numbers for their texts that hold in the chunk.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub read: u64,
    pub rejects: Vec<Reject>,
    lines: Vec<u64>,
    texts: Texts,
    columns: ListingColumns,
    unusable_barcodes: Tallies,
    unusable_gpc_codes: Tally,
}

/// Texts that many listings share, by number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub platforms: Interner,
    pub brands: Interner,
    pub paths: Interner,
}

/// Applies the rules to a chunk.
pub(super) fn judge(chunk: &Chunk, file: &str) -> Judged {
    let mut judged = Judged { read: chunk.rows() as u64, ..Judged::default() };
    for at in 0..chunk.rows() {
        match row(chunk, at, &mut judged.texts) {
            Ok(row) => {
                judged.note_oddities(chunk, at, &row, file);
                judged.lines.push(chunk.line(at));
                judged.columns.push(row, |column| chunk.text(column as usize, at));
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged
}

fn row<'a>(chunk: &'a Chunk, at: usize, texts: &mut Texts) -> Result<ListingRow, (Reason, &'a str)> {
    let text = |column: ListingInput| chunk.text(column as usize, at);
    if let Some(reason) = chunk.fault(at) {
        return Err((reason, ""));
    }
    let country = text(ListingInput::Country);
    let country = Country::parse(country).ok_or((Reason::UnknownCountry, country))?;
    let platform = text(ListingInput::Platform);
    let platform = platform::normalize(platform).ok_or((Reason::InvalidPlatform, platform))?;
    let (product_id, name) = (text(ListingInput::ProductId), text(ListingInput::ProductName));
    if product_id.is_empty() {
        return Err((Reason::EmptyProductId, name));
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
    let gtin = Gtin::parse(text(ListingInput::Gtin));
    let listing = ProductUid::of(country, &platform, product_id);
    let entity = gtin.map_or_else(|| EntityUid::of_listing(listing), EntityUid::of_gtin);
    Ok(ListingRow {
        country,
        platform: saturated(texts.platforms.number(&platform)),
        category: texts.paths.number(path),
        brand: texts.brands.number(brand),
        condition: Condition::derive(text(ListingInput::Condition), name, brand, url),
        product_uid: listing.get(),
        gtin: gtin.map_or(0, Gtin::get),
        latest_instant: 0,
        gpc_code: gpc_code(text(ListingInput::GpcCode)).unwrap_or(0),
        mpn: link::mpn(text(ListingInput::Mpn)).unwrap_or_default(),
        entity_uid: entity.get(),
    })
}

/// The number of a platform. More platforms than there are numbers end the build when all are known.
fn saturated(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
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
    fn note_oddities(&mut self, chunk: &Chunk, at: usize, row: &ListingRow, file: &str) {
        let example = |value: &str| Example::new(file, chunk.line(at), value);
        let barcode = chunk.text(ListingInput::Gtin as usize, at);
        if row.gtin == 0 && !barcode.is_empty() {
            let tally = self.unusable_barcodes.entry(barcode_fault(barcode).to_owned()).or_default();
            tally.add(|| example(barcode));
        }
        let code = chunk.text(ListingInput::GpcCode as usize, at);
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

/// Listings in input order, one per key, with numbers for their texts.
#[derive(Debug, Default)]
pub(super) struct ListingTable {
    index: Index,
    texts: Texts,
    columns: ListingColumns,
}

impl ListingTable {
    /// Number of listings.
    pub(super) fn len(&self) -> usize {
        self.columns.country.len()
    }

    /// From keys to numbers.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Texts and columns, when nothing is looked up by key any more.
    pub(super) fn into_parts(self) -> (Texts, ListingColumns) {
        (self.texts, self.columns)
    }

    /// Takes the rows whose key is new.
    pub(super) fn extend(&mut self, judged: Judged, file: &str, report: &mut InputReport) -> Result<()> {
        let new = self.new_rows(&judged, file, report)?;
        let Judged { lines, texts, columns, unusable_barcodes, unusable_gpc_codes, .. } = judged;
        merge(&mut report.unusable_barcodes, unusable_barcodes);
        report.unusable_gpc_codes.merge(unusable_gpc_codes);
        let mut columns = if new.len() == lines.len() { columns } else { columns.take(&new) };
        self.texts.renumber(&mut columns, &texts);
        self.columns.append(columns);
        Ok(())
    }

    /// Enters the keys of rows into the index and says which of them are new.
    fn new_rows(&mut self, judged: &Judged, file: &str, report: &mut InputReport) -> Result<Vec<u32>> {
        let Judged { lines, texts, columns, .. } = judged;
        let (mut new, mut key) = (Vec::with_capacity(lines.len()), String::new());
        for (row, &line) in lines.iter().enumerate() {
            let next = self.len() + new.len();
            ensure!(next < LISTINGS_MAX, "more than {LISTINGS_MAX} listings");
            let platform = &texts.platforms.texts()[usize::from(columns.platform[row])];
            let product_id = columns.product_id.get(row);
            Index::key(columns.country[row], platform, product_id, &mut key);
            match self.index.numbers.entry(key.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(next as u32);
                    new.push(row as u32);
                }
                Entry::Occupied(_) => {
                    let value = format!("{platform} {product_id}");
                    report.duplicate_listings.add(|| Example::new(file, line, &value));
                }
            }
        }
        Ok(new)
    }
}

impl Texts {
    /// Turns the numbers of a chunk's texts into those of all.
    fn renumber(&mut self, columns: &mut ListingColumns, texts: &Self) {
        let platform = texts.platforms.texts().iter().map(|text| self.platforms.number(text));
        let platform: Vec<u16> = platform.map(saturated).collect();
        columns.platform.iter_mut().for_each(|number| *number = platform[usize::from(*number)]);
        self.brands.renumber(&mut columns.brand, &texts.brands);
        self.paths.renumber(&mut columns.category, &texts.paths);
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
