//! Rows of listings: which are taken, and the first of each key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use anyhow::{Result, ensure};

use super::labels::Interner;
use crate::build::canonical::{ListingColumns, NONE};
use crate::build::ingest::{Chunk, Holds, InputFile};
use crate::build::judge::listings::{self, JudgedListing, ListingOddity, ListingRules};
use crate::build::judge::sellers::Spelling;
use crate::build::rejects::Reject;
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::domain::{Country, EntityUid, Gtin, ProductUid};
use crate::snapshot::tables::ListingRow;

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
    let mut rules = ListingRules::new(&file.settings.retailers);
    for at in 0..chunk.rows() {
        if listings::is_observation_alone(chunk, at, file) {
            continue;
        }
        match rules.row(chunk, at) {
            Ok(listing) => {
                judged.note_oddities(chunk, at, &listing, &file.name);
                judged.lines.push(chunk.line(at));
                judged.instants.extend(asked.newest.then(|| listings::written_at(chunk, at)));
                judged.hashes.extend(asked.equality.then(|| listings::says(chunk, at)));
                let row = judged.texts.row(listing, &rules);
                judged.columns.push(row, |column| chunk.text(column as usize, at));
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged.spellings = rules.spellings();
    judged
}

/// The number of a platform. More platforms than there are numbers end the build when all are known.
fn saturated(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl Judged {
    fn note_oddities(&mut self, chunk: &Chunk, at: usize, row: &JudgedListing<'_>, file: &str) {
        listings::oddities(chunk, at, row, |oddity, value| {
            let tally = match oddity {
                ListingOddity::Barcode(cause) => self.unusable_barcodes.entry(cause.to_owned()).or_default(),
                ListingOddity::GpcCode => &mut self.unusable_gpc_codes,
                ListingOddity::OneLevelCategory => &mut self.one_level_categories,
            };
            tally.add(|| Example::new(file, chunk.line(at), value));
        });
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
    /// What is kept of a row, with numbers for its texts.
    fn row(&mut self, listing: JudgedListing<'_>, rules: &ListingRules<'_>) -> ListingRow {
        let JudgedListing {
            country, seller, product_id, brand, path, mpn, condition, gtin, gpc_code, ..
        } = listing;
        let platform = rules.platform(seller);
        let uid = ProductUid::of(country, platform, product_id);
        let entity = gtin.map_or_else(|| EntityUid::of_listing(uid), EntityUid::of_gtin);
        ListingRow {
            country,
            platform: saturated(self.platforms.number(platform)),
            category: self.paths.number(path),
            brand: self.brands.number(brand),
            condition,
            product_uid: uid.get(),
            gtin: gtin.map_or(0, Gtin::get),
            latest_instant: 0,
            gpc_code: gpc_code.unwrap_or(0),
            mpn,
            entity_uid: entity.get(),
        }
    }

    /// Turns the numbers of a chunk's texts into those of all.
    fn renumber(&mut self, columns: &mut ListingColumns, texts: &Self) {
        let platform = texts.platforms.texts().iter().map(|text| self.platforms.number(text));
        let platform: Vec<u16> = platform.map(saturated).collect();
        columns.platform.iter_mut().for_each(|number| *number = platform[usize::from(*number)]);
        self.brands.renumber(&mut columns.brand, &texts.brands);
        self.paths.renumber(&mut columns.category, &texts.paths);
    }
}
