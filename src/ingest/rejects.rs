//! Rows that are not taken, and why.
//!
//! A bad row never stops a build by itself; the share of bad rows may, and that is decided here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::report::{Example, InputReport, Tally, quoted};
use crate::types::{DateError, PriceError};

/// Most reasons that are printed with a line of their own.
const REASONS_PRINTED_MAX: usize = 9;

/// The reasons: for each its name in the code, the code in files and reports, what is wrong, and what to change.
macro_rules! reasons {
    ($($(#[doc = $about:literal])+ $reason:ident = $code:literal, $remedy:literal;)*) => {
        /// Why a row was not taken.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Reason {
            $($(#[doc = $about])+ $reason,)*
        }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$reason,)*];

            /// Whether it is a fault of the input, which counts for the share that `--max-rejects` bounds.
            pub const fn is_fault(self) -> bool {
                !matches!(self, Self::UnpricedOutOfStock | Self::ImageRow)
            }

            /// The code that stands in files and reports.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$reason => $code,)*
                }
            }

            /// What is wrong with the row.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$reason => concat!($($about),+).trim(),)*
                }
            }

            /// What to change in the source.
            pub const fn remedy(self) -> &'static str {
                match self {
                    $(Self::$reason => $remedy,)*
                }
            }
        }
    };
}

reasons! {
    /// The line is not a JSON object.
    UnreadableRow = "unreadable_row", "Write one object per line, without commas between them.";
    /// The line nests lists and objects more than 64 levels deep.
    NestedTooDeep = "nested_too_deep", "Write one flat object per line.";
    /// The record has more or fewer values than the header has names, values that do not match the kinds of their columns, or text after the closing quote of a value of several lines.
    RaggedRecord = "ragged_record", "Put quotes around values that contain separators, thousands separators or quotes, and double the quotes inside.";
    /// The country is neither `us` nor `ca`.
    UnknownCountry = "unknown_country", "Write `us` or `ca`, set the country of the whole file (`[constants]` of a mapping), or map the word to a country (`[values.country]`).";
    /// The retailer is empty, or a key cannot be derived from its name.
    InvalidPlatform = "invalid_platform", "Name the retailer with letters or digits, or set its key (`[retailers]` of a mapping).";
    /// The row has a handle, but neither a name nor a variant: it describes a further image. Such rows are counted separately and are not faults.
    ImageRow = "image_row", "No change is required.";
    /// The retailer's id is empty.
    EmptyProductId = "empty_product_id", "Give the retailer's id of the offer.";
    /// The retailer's id contains a character that was replaced, or is a number with more digits than its cell can store exactly.
    InexactId = "inexact_id", "Write ids as text, in the encoding of the file.";
    /// The name is empty.
    EmptyName = "empty_name", "Give the name as the retailer writes it. If only one row of several variants has the name, set `handle` in the mapping to the column that the variants share.";
    /// The retailer's id is longer than 1,024 bytes.
    ProductIdTooLong = "product_id_too_long", "Give only the retailer's id of the offer.";
    /// The name is longer than 1,048,575 bytes.
    NameTooLong = "name_too_long", "Give only the name, without the description or the page.";
    /// The brand is longer than 1,024 bytes.
    BrandTooLong = "brand_too_long", "Give one brand.";
    /// The address is longer than 8,192 bytes.
    UrlTooLong = "url_too_long", "Remove tracking parameters, or leave out the address.";
    /// The category path is longer than 8,192 bytes.
    CategoryPathTooLong = "category_path_too_long", "Give one path, not a list of tags.";
    /// The category path has more than 32 segments.
    CategoryTooDeep = "category_too_deep", "Give one path from the root to the category, with segments separated by `>`.";
    /// The price is missing.
    MissingPrice = "missing_price", "Give the price, or leave the row out.";
    /// The price is missing, and the row marks the product as out of stock. Such rows are counted separately and are not faults.
    UnpricedOutOfStock = "unpriced_out_of_stock", "No change is required.";
    /// The price is not a number.
    UnparsablePrice = "unparsable_price", "Write all numbers of the file in one notation, preferably `1299.00`, or set their notation with `decimal` in the mapping.";
    /// The price is zero or negative.
    PriceNotPositive = "price_not_positive", "Leave the row out if the price is not known.";
    /// The price is under half a cent.
    PriceTooSmall = "price_too_small", "Write prices in dollars and not in another unit.";
    /// The price is above 10,000,000.
    PriceTooLarge = "price_too_large", "Write prices in dollars and not in cents; leave placeholders out.";
    /// The date is neither a day nor an instant.
    UnparsableDate = "unparsable_date", "Write all dates of the file in one notation, preferably `2026-10-31`, or set their notation with `dates` in the mapping: `dates = \"%m/%d/%y\"`, `\"%d/%m/%y\"`, `\"%y%m%d\"`, `\"DMY\"`, `\"unix_s\"`, `\"unix_ms\"`, `\"serial\"`.";
    /// The date is outside the years 2000 to 2100.
    DateOutOfRange = "date_out_of_range", "Correct the year.";
    /// The date is more than 366 days after all earlier dates, and less than 1 % of all observations are that late.
    DateFarAhead = "date_far_ahead", "Correct the year. If the date is correct, build from more observations of that time.";
    /// The currency is not the currency of the country.
    WrongCurrency = "wrong_currency", "Leave such rows out, convert their prices, or map the word to the country's currency (`[values.currency]` of a mapping).";
    /// The input has no listing of this country, platform and id.
    NoListing = "no_listing", "Add the listing, or correct the key. The observations of a rejected listing are rejected too.";
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
        Self { line, reason, value: quoted(value) }
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
        self.rejected += u64::from(reason.is_fault());
        let tally = self.reasons.entry(reason.code()).or_default();
        tally.add(|| Example::new(file, line, value));
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
        bail!(
            "{} of {} rows ({:.2} %) were rejected, more than the {max_percent} % allowed{}",
            self.rejected,
            self.rows,
            100.0 * self.share(),
            self.reasons()
        )
    }

    /// The most frequent reasons, a line each: see [`reason_lines`].
    pub fn reasons(&self) -> String {
        reason_lines(|reason| self.reasons.get(reason.code()))
    }

    /// Puts the counts into a report.
    pub fn report(&self, report: &mut InputReport) {
        report.rejected_rows = self.rejected;
        report.rejected_share = self.share();
        report.rejected =
            self.reasons.iter().map(|(&reason, tally)| (reason.to_owned(), tally.clone())).collect();
    }
}

/// The nine most frequent reasons with count, first row, rule and remedy, then the others in one line. Each line begins
/// with a line break.
pub fn reason_lines<'a>(tally_of: impl Fn(Reason) -> Option<&'a Tally>) -> String {
    let tallies = Reason::ALL.iter().filter_map(|reason| Some((reason, tally_of(*reason)?)));
    let mut tallies: Vec<_> = tallies.collect();
    tallies.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.count));
    let others = tallies.split_off(tallies.len().min(REASONS_PRINTED_MAX));
    let mut lines = String::new();
    for (reason, tally) in tallies {
        let (code, count) = (reason.code(), tally.count);
        let _ = write!(lines, "\n  {code} {count}");
        if let Some(Example { file, line, value }) = tally.examples.first() {
            let _ = write!(lines, ", first {file}:{line} {value:?}");
        }
        let _ = write!(lines, ": {} {}", reason.about(), reason.remedy());
    }
    if !others.is_empty() {
        let rows: u64 = others.iter().map(|(_, tally)| tally.count).sum();
        let codes: Vec<_> = others.iter().map(|(reason, _)| reason.code()).collect();
        let _ = write!(lines, "\n  others {rows}: {}", codes.join(", "));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nine_most_frequent_reasons_have_a_line_each() {
        let mut writer = RejectWriter::discard();
        for (at, &reason) in Reason::ALL[..11].iter().enumerate() {
            for line in 0..=at as u64 {
                writer.reject("f.csv", &Reject::new(line, reason, "x")).unwrap();
            }
        }
        let lines = writer.reasons();
        let lines: Vec<&str> = lines.trim_start().lines().map(str::trim_start).collect();
        assert_eq!(lines.len(), 10, "{lines:?}");
        let (first, last) = (Reason::ALL[10], Reason::ALL[2]);
        assert!(lines[0].starts_with(&format!("{} 11, first f.csv:0 \"x\": ", first.code())), "{lines:?}");
        assert!(lines[0].ends_with(first.remedy()) && lines[8].starts_with(last.code()), "{lines:?}");
        assert_eq!(lines[9], "others 3: nested_too_deep, unreadable_row");
    }

    #[test]
    fn codes_are_the_serialized_names() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_string(reason).unwrap(), format!("\"{}\"", reason.code()));
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
        let reasons = "allowed\n  no_listing 2, first f.csv:0 \"x\": The input has no listing";
        assert!(message.contains("3 of 40 rows (7.50 %)") && message.contains(reasons), "{message}");
        assert!(message.contains("\n  empty_name 1, first f.csv:9"), "{message}");
        let mut report = InputReport::default();
        writer.report(&mut report);
        assert_eq!((report.rejected_rows, report.rejected["no_listing"].examples.len()), (3, 2));
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(Reject::new(1, Reason::EmptyName, &"é".repeat(150)).value.len(), 200);
    }
}
