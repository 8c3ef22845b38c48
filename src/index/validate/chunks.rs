//! Chunks of a file become groups of rows.

use anyhow::{Result, ensure};

use super::known::LineSet;
use super::listings::{self, ListingOddity, ListingRules};
use super::observations::{self, ObservationRules, RowKey};
use super::sellers::Spelling;
use crate::index::clean::codes::{self, RetailerCodes};
use crate::index::runs::{
    GroupTable, Key, LineTallies, ListingCandidate, ObservationOfRun, OddRow, TEXT_COLUMNS,
};
use crate::ingest::rejects::{Reason, Reject};
use crate::ingest::report::excerpt;
use crate::ingest::{Chunk, Holds, InputFile};
use crate::snapshot::tables::{ListingInput, ObservationRow};
use crate::types::Country;

/// Most bytes of texts that the rows of a chunk may hold together: places of texts are 32 bits.
const TEXT_BYTES_MAX: usize = 1 << 30;

/// A chunk after the rules.
#[derive(Debug, Default)]
pub(super) struct ValidatedChunk {
    /// Rows that it had.
    pub read: u64,
    /// Rows that may be taken, in file order; rows of one key that follow each other are a group.
    pub groups: GroupTable,
    /// The others, in file order.
    pub rejects: Vec<Reject>,
    /// What is odd about listings.
    pub tallies: LineTallies,
    pub spellings: Vec<Spelling>,
    /// Codes of listings by retailer.
    pub codes: Vec<(String, RetailerCodes)>,
}

impl ValidatedChunk {
    fn reject(&mut self, line: u64, (reason, value): (Reason, &str)) {
        self.rejects.push(Reject::new(line, reason, value));
    }

    /// Rows that were rejected without a fault.
    pub(super) fn faultless(&self) -> u64 {
        self.rejects.iter().filter(|reject| !reject.reason.is_fault()).count() as u64
    }

    fn begin(&mut self, country: Country, platform: &str, product_id: &str) {
        let key = Key { country, platform, product_id };
        self.groups.begin(key, key.hash(), 0);
    }

    /// Fails where the rows so far hold more text than there are places for.
    fn check(&self, chunk: &Chunk) -> Result<()> {
        let bytes = self.groups.text_bytes() + self.groups.key_bytes();
        ensure!(
            bytes <= TEXT_BYTES_MAX,
            "from line {} on: more than {TEXT_BYTES_MAX} bytes of text in {} rows; shorten the texts",
            chunk.line(0),
            chunk.rows()
        );
        Ok(())
    }
}

/// Applies the rules of listings; `dated` says whether the rows say when they were written.
pub(super) fn listings(chunk: &Chunk, file: &InputFile, dated: bool) -> Result<ValidatedChunk> {
    let mut validated = ValidatedChunk { read: chunk.rows() as u64, ..ValidatedChunk::default() };
    let mut rules = ListingRules::new(&file.settings.retailers);
    let mut last = None;
    // By the number of the retailer.
    let mut codes: Vec<RetailerCodes> = Vec::new();
    for at in 0..chunk.rows() {
        if listings::is_observation_alone(chunk, at, file) {
            continue;
        }
        let line = chunk.line(at);
        let row = match rules.row(chunk, at) {
            Ok(row) => row,
            Err(fault) => {
                validated.reject(line, fault);
                continue;
            }
        };
        let key = RowKey { country: row.country, seller: row.seller, product_id: row.product_id };
        if last.replace(key) != Some(key) {
            validated.begin(key.country, rules.platform(key.seller), key.product_id);
        }
        let seller = row.seller as usize;
        codes.resize(codes.len().max(seller + 1), RetailerCodes::default());
        codes[seller].add(row.code, line, chunk.text(ListingInput::Gtin as usize, at));
        let tallies = &mut validated.tallies;
        listings::oddities(chunk, at, &row, |oddity, value| note(tallies, oddity, line, value));
        validated.groups.push_listing(&ListingCandidate {
            line,
            micros: if dated { listings::written_at(chunk, at) } else { i64::MIN },
            says: listings::says(chunk, at),
            brand: row.brand,
            path: row.path,
            mpn: &row.mpn,
            condition: row.condition,
            gtin: codes::to_bits(row.code),
            gpc_code: row.gpc_code.unwrap_or(0),
            texts: TEXT_COLUMNS.map(|column| chunk.text(column as usize, at)),
        });
        validated.check(chunk)?;
    }
    validated.spellings = rules.spellings();
    let codes = codes.into_iter().zip(0..);
    validated.codes = codes.map(|(codes, seller)| (rules.platform(seller).to_owned(), codes)).collect();
    Ok(validated)
}

fn note(tallies: &mut LineTallies, oddity: ListingOddity, line: u64, value: &str) {
    let tally = match oddity {
        ListingOddity::Barcode(cause) => tallies.unusable_barcodes.entry(cause.to_owned()).or_default(),
        ListingOddity::GpcCode => &mut tallies.unusable_gpc_codes,
        ListingOddity::OneLevelCategory => &mut tallies.one_level_categories,
    };
    tally.add(line, value);
}

/// Applies the rules of observations; lines that are `spoiled` were rejected as listings already.
pub(super) fn observations(chunk: &Chunk, file: &InputFile, spoiled: &LineSet) -> Result<ValidatedChunk> {
    let mut validated = ValidatedChunk { read: chunk.rows() as u64, ..ValidatedChunk::default() };
    let mut rules = ObservationRules::new(&file.settings.retailers);
    let (mut last, both) = (None, file.holds == Holds::Both);
    for at in 0..chunk.rows() {
        let line = chunk.line(at);
        if both && (spoiled.contains(line) || observations::is_listing_alone(chunk, at)) {
            continue;
        }
        let observed = match rules.row(chunk, at) {
            Ok(observed) => observed,
            Err(fault) => {
                validated.reject(line, fault);
                continue;
            }
        };
        let key = observed.key;
        if last.replace(key) != Some(key) {
            validated.begin(key.country, rules.platform(key.seller), key.product_id);
            validated.check(chunk)?;
        }
        let ObservationRow { day, price, list_price, flags } = observed.row;
        let micros = observed.micros;
        validated.groups.push_observation(ObservationOfRun { day, price, list_price, flags, micros, line });
        let groups = &mut validated.groups;
        observations::oddities(chunk, at, &observed.row, |what, value| {
            groups.push_odd(&OddRow { line, what, value: excerpt(value) });
        });
    }
    validated.check(chunk)?;
    validated.spellings = rules.spellings();
    Ok(validated)
}
