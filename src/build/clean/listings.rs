//! Rows of listings: which are taken, and the first of each key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anyhow::{Result, ensure};

use super::categories;
use super::labels::Interner;
use super::sellers::{Sellers, Spelling};
use crate::build::canonical::{ListingColumns, NONE};
use crate::build::classification::gpc_code;
use crate::build::ingest::{Chunk, Holds, InputFile};
use crate::build::limits;
use crate::build::rejects::{Reason, Reject};
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::domain::day::parse_observed;
use crate::domain::{Condition, Country, EntityUid, Gtin, ProductUid};
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
    /// When each was written, microseconds since 1970 UTC, where the newest counts.
    instants: Vec<i64>,
    /// Hash of what each says, where repeats that say the same are no duplicates.
    hashes: Vec<u64>,
    unusable_barcodes: Tallies,
    unusable_gpc_codes: Tally,
    one_level_categories: Tally,
    pub spellings: Vec<Spelling>,
}

/// What is to be known of listings beside their columns.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Asked {
    /// When they were written: of several with one key the newest counts, and not the first.
    pub newest: bool,
    /// Whether they say the same: a file of both tables may repeat a listing in every row.
    pub equality: bool,
}

/// Texts that many listings share, by number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub platforms: Interner,
    pub brands: Interner,
    pub paths: Interner,
}

/// Applies the rules to a chunk.
pub(super) fn judge(chunk: &Chunk, file: &InputFile, asked: Asked) -> Judged {
    let mut judged = Judged { read: chunk.rows() as u64, ..Judged::default() };
    let mut sellers = Sellers::new(&file.settings.retailers);
    let name = |at| chunk.text(ListingInput::ProductName as usize, at);
    for at in 0..chunk.rows() {
        // In a file of both tables a row without a name is an observation only.
        if file.holds == Holds::Both && name(at).is_empty() && chunk.fault(at).is_none() {
            continue;
        }
        match row(chunk, at, &mut judged.texts, &mut sellers) {
            Ok(row) => {
                judged.note_oddities(chunk, at, &row, &file.name);
                judged.lines.push(chunk.line(at));
                judged.instants.extend(asked.newest.then(|| instant(chunk, at)));
                judged.hashes.extend(asked.equality.then(|| hash(chunk, at)));
                judged.columns.push(row, |column| chunk.text(column as usize, at));
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged.spellings = sellers.spellings();
    judged
}

/// When a row was written; before all others where it does not say.
fn instant(chunk: &Chunk, at: usize) -> i64 {
    parse_observed(chunk.text(ListingInput::Date as usize, at))
        .map_or(i64::MIN, |(_, instant)| instant.micros())
}

/// Hash of what a row says of its listing.
fn hash(chunk: &Chunk, at: usize) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for column in 0..ListingInput::UNDATED.len() {
        let text = chunk.text(column, at);
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest()
}

fn row<'a>(
    chunk: &'a Chunk,
    at: usize,
    texts: &mut Texts,
    sellers: &mut Sellers<'a>,
) -> Result<ListingRow, (Reason, &'a str)> {
    let text = |column: ListingInput| chunk.text(column as usize, at);
    if let Some(reason) = chunk.fault(at) {
        return Err((reason, ""));
    }
    let country = text(ListingInput::Country);
    let country = Country::read(country).ok_or((Reason::UnknownCountry, country))?;
    let platform = text(ListingInput::Platform);
    let platform = sellers.number(platform).ok_or((Reason::InvalidPlatform, platform))?;
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
    let listing = ProductUid::of(country, sellers.key(platform), product_id);
    let entity = gtin.map_or_else(|| EntityUid::of_listing(listing), EntityUid::of_gtin);
    Ok(ListingRow {
        country,
        platform: saturated(texts.platforms.number(sellers.key(platform))),
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
        let path = chunk.text(ListingInput::CategoryPath as usize, at);
        if !path.is_empty() && !path.contains('>') {
            self.one_level_categories.add(|| example(path));
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
    /// Row of each listing; rows that no listing stands at were replaced by newer ones.
    row_of: Vec<u32>,
    /// When the row of each listing was written, where the newest counts.
    instant_of: Vec<i64>,
    /// Hash of what the row of each listing says, where that is asked.
    hash_of: Vec<u64>,
}

impl ListingTable {
    /// Number of listings.
    pub(super) fn len(&self) -> usize {
        self.row_of.len()
    }

    /// From keys to numbers.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Texts and columns, when nothing is looked up by key any more.
    pub(super) fn into_parts(self) -> (Texts, ListingColumns) {
        let in_order = self.row_of.len() == self.columns.country.len();
        (self.texts, if in_order { self.columns } else { self.columns.take(&self.row_of) })
    }

    /// Takes the rows whose key is new, or which are newer than what was there, where that counts.
    pub(super) fn extend(
        &mut self,
        judged: Judged,
        file: &InputFile,
        report: &mut InputReport,
    ) -> Result<()> {
        let taken = self.taken(&judged, file, report)?;
        let Judged { lines, texts, columns, .. } = judged;
        merge(&mut report.unusable_barcodes, judged.unusable_barcodes);
        report.unusable_gpc_codes.merge(judged.unusable_gpc_codes);
        report.one_level_categories.merge(judged.one_level_categories);
        let mut columns = if taken.len() == lines.len() { columns } else { columns.take(&taken) };
        self.texts.renumber(&mut columns, &texts);
        self.columns.append(columns);
        Ok(())
    }

    /// Enters the keys of rows into the index and says which of them are taken.
    fn taken(&mut self, judged: &Judged, file: &InputFile, report: &mut InputReport) -> Result<Vec<u32>> {
        let Judged { lines, texts, columns, instants, hashes, .. } = judged;
        let (mut taken, mut key) = (Vec::with_capacity(lines.len()), String::new());
        for (row, &line) in lines.iter().enumerate() {
            let next = self.columns.country.len() + taken.len();
            ensure!(next < LISTINGS_MAX, "more than {LISTINGS_MAX} listings");
            let platform = &texts.platforms.texts()[usize::from(columns.platform[row])];
            let product_id = columns.product_id.get(row);
            Index::key(columns.country[row], platform, product_id, &mut key);
            let (instant, hash) = (instants.get(row), hashes.get(row));
            match self.index.numbers.entry(key.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(self.row_of.len() as u32);
                    self.row_of.push(next as u32);
                    self.instant_of.extend(instant);
                    self.hash_of.extend(hash);
                    taken.push(row as u32);
                }
                Entry::Occupied(occupied) => {
                    let listing = *occupied.get() as usize;
                    let says_the_same = hash.is_some_and(|hash| self.hash_of[listing] == *hash);
                    if !(says_the_same && file.holds == Holds::Both) {
                        let value = format!("{platform} {product_id}");
                        report.duplicate_listings.add(|| Example::new(&file.name, line, &value));
                    }
                    if let Some(&instant) = instant.filter(|instant| **instant >= self.instant_of[listing]) {
                        self.row_of[listing] = next as u32;
                        self.instant_of[listing] = instant;
                        if let Some(&hash) = hash {
                            self.hash_of[listing] = hash;
                        }
                        taken.push(row as u32);
                    }
                }
            }
        }
        Ok(taken)
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
