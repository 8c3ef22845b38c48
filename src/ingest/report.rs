//! What a build read and what became of it, for people and for scripts.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

/// Longest value that is quoted in a report, in bytes.
const VALUE_BYTES_MAX: usize = 200;
/// Most examples kept of anything.
pub const EXAMPLES_MAX: usize = 5;

/// One row that shows what a count means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// File of the row.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The value in question; empty when there is none.
    pub value: String,
}

impl Example {
    /// A row of a file, and the value in question, as much of it as a report quotes.
    pub fn new(file: &str, line: u64, value: &str) -> Self {
        Self { file: file.to_owned(), line, value: quoted(value) }
    }
}

/// As much of a value as a report quotes.
pub(crate) fn excerpt(value: &str) -> &str {
    &value[..value.floor_char_boundary(VALUE_BYTES_MAX)]
}

/// A copy of as much of a value as a report quotes.
pub(crate) fn quoted(value: &str) -> String {
    excerpt(value).to_owned()
}

/// A count with its first few examples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How often.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

impl Tally {
    /// Counts one; the example is made only while there is room for it.
    pub fn add(&mut self, example: impl FnOnce() -> Example) {
        self.count += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(example());
        }
    }

    /// Counts what `later` counted.
    pub fn merge(&mut self, later: Self) {
        self.count += later.count;
        let room = EXAMPLES_MAX - self.examples.len();
        self.examples.extend(later.examples.into_iter().take(room));
    }
}

/// One of the latest days of an input, which together hold under 1 % of its observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestDay {
    /// The day, as `2026-10-31`.
    pub day: String,
    /// Observations of the day.
    pub observations: u64,
    /// File of the first row of the day, in reading order.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
}

/// The part of a report that tells of the latest days.
#[derive(Debug, Deserialize)]
struct ReadReport {
    input: ReadInput,
}

#[derive(Debug, Deserialize)]
struct ReadInput {
    latest_days: Vec<LatestDay>,
}

/// Reads what the bytes of a `report.json` say of the latest days.
///
/// # Errors
/// When it is not a report, or one of a version that did not record them.
pub fn read_latest_days(report: &[u8]) -> serde_json::Result<Vec<LatestDay>> {
    serde_json::from_slice::<ReadReport>(report).map(|report| report.input.latest_days)
}

/// Tallies by a key, in its order.
pub type Tallies = BTreeMap<String, Tally>;

/// Counts what `later` counted.
pub(crate) fn merge(tallies: &mut Tallies, later: Tallies) {
    for (key, tally) in later {
        tallies.entry(key).or_default().merge(tally);
    }
}

/// One input file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file, below its input folder as given.
    pub file: String,
    /// `listings`, `observations` or both.
    pub kind: &'static str,
    /// How it is written.
    pub format: &'static str,
    /// What its values are parted by; null where nothing parts them.
    pub separator: Option<char>,
    /// What its text is written in; null for ASCII, and where values have types.
    pub encoding: Option<String>,
    /// How its numbers are written; null for the contract's way.
    pub numbers: Option<String>,
    /// How its dates are written; null for the contract's way.
    pub dates: Option<String>,
    /// What it calls columns that have another name here.
    pub renamed: BTreeMap<String, String>,
    /// Rows read.
    pub rows: u64,
    /// Rows rejected.
    pub rejected: u64,
    /// Columns that nothing reads.
    pub unknown_columns: Vec<String>,
}

/// What was read, what was dropped and what looks odd.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct InputReport {
    /// Files in reading order.
    pub files: Vec<FileReport>,
    /// Rows of listings read.
    pub listing_rows: u64,
    /// Rows of observations read.
    pub observation_rows: u64,
    /// Rows rejected, of both kinds.
    pub rejected_rows: u64,
    /// Rejected rows over all rows read.
    pub rejected_share: f64,
    /// Rejected rows by reason.
    pub rejected: Tallies,
    /// Rows of listings whose key was there before; the first one counts.
    pub duplicate_listings: Tally,
    /// Rows of observations beyond the first of their listing and day; the lowest price counts.
    pub repeated_days: u64,
    /// List prices that are no price; their rows are kept.
    pub ignored_list_prices: Tally,
    /// Values of stock and promotion that say neither yes nor no; their rows count, and what they say is unknown.
    pub unreadable_flags: Tally,
    /// Prices of one cent by platform: legal, and nearly always placeholders.
    pub one_cent_prices: Tallies,
    /// Barcodes that are none, by cause; their listings are kept.
    pub unusable_barcodes: Tallies,
    /// Classification codes that are not eight digits; their listings are kept.
    pub unusable_gpc_codes: Tally,
    /// Category paths of one segment; a path that is parted by anything else than `>` is one.
    pub one_level_categories: Tally,
    /// Bytes that are not in the encoding of their file; replacement characters stand in their place.
    pub replaced_bytes: Tally,
    /// Records that swallowed others: a quote opens in them that does not close where a value ends. The value is their last
    /// line.
    pub open_quotes: Tally,
    /// Rows that say something else than the `key=value` folders they lie in.
    pub differ_from_path: Tally,
    /// Texts with entities of HTML, which are read decoded.
    pub decoded_entities: Tally,
    /// Retailers that are written in several ways: key, spellings.
    pub retailer_spellings: BTreeMap<String, BTreeSet<String>>,
    /// Listings that were never observed.
    pub unobserved_listings: u64,
    /// Listings in the catalog.
    pub listings: u64,
    /// Observations in the catalog.
    pub observations: u64,
    /// The latest days that together hold under 1 % of the observations in the catalog, the last first.
    pub latest_days: Vec<LatestDay>,
    /// Platforms in the catalog.
    pub platforms: u64,
    /// Brands in the catalog.
    pub brands: u64,
    /// Nodes of the category tree.
    pub categories: u64,
    /// Everything else worth a look.
    pub warnings: Vec<String>,
}

impl InputReport {
    /// The warnings, those that say the same of several files once: the first of them and how many others.
    pub fn distinct_warnings(&self) -> Vec<String> {
        let mut distinct: Vec<(&str, Option<&str>, usize)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for warning in &self.warnings {
            // A warning about a file begins with its name. Another one is whole.
            let (subject, text) = match warning.split_once(": ") {
                Some((subject, text)) => (subject, Some(text)),
                None => (warning.as_str(), None),
            };
            match known.entry(text.unwrap_or(subject)) {
                Entry::Occupied(at) => distinct[*at.get()].2 += 1,
                Entry::Vacant(place) => {
                    place.insert(distinct.len());
                    distinct.push((subject, text, 0));
                }
            }
        }
        let line = |(subject, text, others): (&str, Option<&str>, usize)| match (text, others) {
            (None, _) => subject.to_owned(),
            (Some(text), 0) => format!("{subject}: {text}"),
            (Some(text), 1) => format!("{subject}: {text} (the same of 1 other)"),
            (Some(text), others) => format!("{subject}: {text} (the same of {others} others)"),
        };
        distinct.into_iter().map(line).collect()
    }

    /// What was read otherwise than it stands in the files, or not at all, though its rows count.
    pub fn damage(&self) -> Vec<(&'static str, Tally)> {
        let mut barcodes = Tally::default();
        self.unusable_barcodes.values().for_each(|tally| barcodes.merge(tally.clone()));
        let all = [
            ("replaced bytes", self.replaced_bytes.clone()),
            ("quotes left open", self.open_quotes.clone()),
            ("unlike their folder", self.differ_from_path.clone()),
            ("HTML entities", self.decoded_entities.clone()),
            ("ignored list prices", self.ignored_list_prices.clone()),
            ("unreadable flags", self.unreadable_flags.clone()),
            ("unusable barcodes", barcodes),
            ("unusable GPC codes", self.unusable_gpc_codes.clone()),
            ("one-level categories", self.one_level_categories.clone()),
        ];
        all.into_iter().filter(|(_, tally)| tally.count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_warnings_of_many_files_are_one_with_the_count() {
        let warning = |number: usize| format!("in/{number}.csv: columns that nothing reads: colour, size");
        let mut report = InputReport { warnings: (0..3).map(warning).collect(), ..InputReport::default() };
        report.warnings.insert(1, "90 observations lie after all others".to_owned());
        report.warnings.insert(2, "in/a: b.csv: columns that nothing reads: colour, size".to_owned());
        report.warnings.push("in/7.csv: columns that nothing reads: colour".to_owned());
        report.warnings.push("in/8.csv: columns that nothing reads: colour".to_owned());
        assert_eq!(
            report.distinct_warnings(),
            [
                "in/0.csv: columns that nothing reads: colour, size (the same of 2 others)",
                "90 observations lie after all others",
                "in/a: b.csv: columns that nothing reads: colour, size",
                "in/7.csv: columns that nothing reads: colour (the same of 1 other)",
            ]
        );
    }

    #[test]
    fn examples_are_the_first_ones() {
        let mut tally = Tally::default();
        for line in 0..4 {
            tally.add(|| Example { file: "a".into(), line, value: String::new() });
        }
        tally.merge(tally.clone());
        assert_eq!(tally.count, 8);
        assert_eq!(tally.examples.iter().map(|example| example.line).collect::<Vec<_>>(), [0, 1, 2, 3, 0]);
    }
}
