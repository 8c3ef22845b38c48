//! Rows that are not taken, and why.
//!
//! A bad row never stops a build by itself; the share of bad rows may, and that is decided here.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::report::{Example, Tally};
use crate::domain::{DateError, PriceError};

/// Longest value that is quoted in a report, in bytes.
const VALUE_BYTES_MAX: usize = 200;

/// Why a row was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The line is no object.
    UnreadableRow,
    /// Neither of the countries served.
    UnknownCountry,
    /// Not the form of a platform key.
    InvalidPlatform,
    /// The retailer's id is empty.
    EmptyProductId,
    /// The name is empty.
    EmptyName,
    /// No number.
    UnparsablePrice,
    /// Zero or below.
    PriceNotPositive,
    /// Under half a cent.
    PriceTooSmall,
    /// Above the largest price taken.
    PriceTooLarge,
    /// No date.
    UnparsableDate,
    /// A date outside the years taken.
    DateOutOfRange,
    /// Not the currency of the country.
    WrongCurrency,
    /// An observation of a listing that the input does not hold.
    NoListing,
}

impl Reason {
    /// The code that stands in files and reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::UnreadableRow => "unreadable_row",
            Self::UnknownCountry => "unknown_country",
            Self::InvalidPlatform => "invalid_platform",
            Self::EmptyProductId => "empty_product_id",
            Self::EmptyName => "empty_name",
            Self::UnparsablePrice => "unparsable_price",
            Self::PriceNotPositive => "price_not_positive",
            Self::PriceTooSmall => "price_too_small",
            Self::PriceTooLarge => "price_too_large",
            Self::UnparsableDate => "unparsable_date",
            Self::DateOutOfRange => "date_out_of_range",
            Self::WrongCurrency => "wrong_currency",
            Self::NoListing => "no_listing",
        }
    }
}

impl From<PriceError> for Reason {
    fn from(error: PriceError) -> Self {
        match error {
            PriceError::Unparsable => Self::UnparsablePrice,
            PriceError::NotPositive => Self::PriceNotPositive,
            PriceError::TooSmall => Self::PriceTooSmall,
            PriceError::TooLarge => Self::PriceTooLarge,
        }
    }
}

impl From<DateError> for Reason {
    fn from(error: DateError) -> Self {
        match error {
            DateError::Unparsable => Self::UnparsableDate,
            DateError::OutOfRange => Self::DateOutOfRange,
        }
    }
}

/// A row that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Its line, from 1.
    pub line: u64,
    /// Why.
    pub reason: Reason,
    /// The value that decided; empty when there is none.
    pub value: String,
}

impl Reject {
    /// A row that was not taken because of `value`.
    pub fn new(line: u64, reason: Reason, value: &str) -> Self {
        let cut = value.floor_char_boundary(VALUE_BYTES_MAX);
        Self { line, reason, value: value[..cut].to_owned() }
    }
}

/// A line of `rejected.ndjson`.
#[derive(Serialize)]
struct Written<'a> {
    file: &'a str,
    line: u64,
    reason: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    value: &'a str,
}

/// Writes `rejected.ndjson` while it counts.
pub struct RejectWriter {
    out: Box<dyn Write + Send>,
    rows: u64,
    rejected: u64,
    reasons: BTreeMap<&'static str, Tally>,
}

impl RejectWriter {
    /// Writes to a new file at `path`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self::new(Box::new(BufWriter::new(file))))
    }

    /// Writes to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, rows: 0, rejected: 0, reasons: BTreeMap::new() }
    }

    /// Counts only.
    pub fn discard() -> Self {
        Self::new(Box::new(io::sink()))
    }

    /// Counts `rows` rows read, whatever became of them.
    pub fn count_rows(&mut self, rows: u64) {
        self.rows += rows;
    }

    /// Writes and counts a reject of `file`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn reject(&mut self, file: &str, reject: &Reject) -> Result<()> {
        let Reject { line, reason, ref value } = *reject;
        self.rejected += 1;
        let tally = self.reasons.entry(reason.code()).or_default();
        tally.add(|| Example { file: file.to_owned(), line, value: value.clone() });
        let row = Written { file, line, reason: reason.code(), value };
        serde_json::to_writer(&mut self.out, &row).context("rejected.ndjson cannot be written")?;
        self.out.write_all(b"\n").context("rejected.ndjson cannot be written")
    }

    /// Hands everything to the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.out.flush().context("rejected.ndjson cannot be written")
    }

    /// Rows read so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows rejected so far.
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Rejects by reason code.
    pub fn by_reason(&self) -> &BTreeMap<&'static str, Tally> {
        &self.reasons
    }

    /// Rejected rows over rows read; 0 when none was read.
    pub fn share(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.rejected as f64 / self.rows as f64 }
    }

    /// Refuses an input of which more than `max_percent` per cent was rejected.
    ///
    /// # Errors
    /// When it was; the message gives the share and the reasons, the most frequent first.
    pub fn check(&self, max_percent: f64) -> Result<()> {
        if self.rejected as f64 * 100.0 <= max_percent * self.rows as f64 {
            return Ok(());
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.count));
        let reasons: Vec<_> =
            reasons.iter().map(|(reason, tally)| format!("{reason} {}", tally.count)).collect();
        bail!(
            "{} of {} rows ({:.2} %) were rejected, more than the {max_percent} % allowed: {}",
            self.rejected,
            self.rows,
            100.0 * self.share(),
            reasons.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_serialized_names() {
        for reason in [Reason::UnreadableRow, Reason::PriceTooSmall, Reason::NoListing] {
            assert_eq!(serde_json::to_string(&reason).unwrap(), format!("\"{}\"", reason.code()));
        }
    }

    #[test]
    fn the_share_decides() {
        let mut writer = RejectWriter::discard();
        writer.count_rows(40);
        for line in 0..2 {
            writer.reject("f.csv", &Reject::new(line, Reason::NoListing, "x")).unwrap();
        }
        writer.check(5.0).unwrap();
        writer.reject("f.csv", &Reject::new(9, Reason::EmptyName, "")).unwrap();
        let message = writer.check(5.0).unwrap_err().to_string();
        assert!(message.contains("3 of 40 rows (7.50 %)") && message.contains("no_listing 2, empty_name 1"));
        assert_eq!(writer.by_reason()["no_listing"].examples.len(), 2);
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(Reject::new(1, Reason::EmptyName, &"é".repeat(150)).value.len(), 200);
    }
}
