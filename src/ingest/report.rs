//! What a build read and what became of it, for people and for scripts.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

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

/// How a file is written, as far as it was found by looking at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileForm {
    /// Separator of its values; null where they have none.
    pub separator: Option<char>,
    /// How quotes are written; null for the contract's way.
    pub quoting: Option<String>,
    /// Encoding of its text; null for ASCII, and where values have types.
    pub encoding: Option<String>,
    /// How its numbers are written; null for the contract's way.
    pub numbers: Option<String>,
    /// How its dates are written; null for the contract's way.
    pub dates: Option<String>,
    /// Columns with another name in the file: ours, theirs.
    pub renamed: BTreeMap<String, String>,
}

/// The properties of a file that were found by reading it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detected {
    /// How it is written.
    #[serde(flatten)]
    pub form: FileForm,
    /// Columns that are not read.
    pub unknown_columns: Vec<String>,
    /// Sheets of a workbook that are not read, and why.
    pub unread_sheets: Vec<String>,
}

/// One input file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file, below its input folder as given.
    pub file: String,
    /// `listings`, `observations` or both.
    pub kind: &'static str,
    /// How it is stored.
    pub format: &'static str,
    /// How it is written.
    #[serde(flatten)]
    pub form: FileForm,
    /// Rows read.
    pub rows: u64,
    /// Rows rejected.
    pub rejected: u64,
    /// Columns that are not read.
    pub unknown_columns: Vec<String>,
}

impl FileForm {
    /// The parts that are not in the contract's form, in words; `None` where all are.
    fn dialect(&self) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.separator.filter(|&at| at != ',').map(|at| format!("separated by {at:?}")));
        parts.extend(self.quoting.clone());
        parts.extend(self.encoding.clone().filter(|encoding| encoding != "utf-8"));
        parts.extend(self.numbers.clone());
        parts.extend(self.dates.as_ref().map(|dates| format!("dates {dates}")));
        parts.extend(self.renamed.iter().map(|(ours, theirs)| format!("{ours} is {theirs:?}")));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Kinds of warnings. The code of a kind stays the same in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A file that is not read.
    FileNotRead,
    /// Sheets of a workbook that are not read.
    SheetsNotRead,
    /// Columns of a file that are not read.
    ColumnsNotRead,
    /// Lines that a stray quote made one record.
    LinesSwallowed,
    /// Rows of a side table that say nothing usable.
    SideTableRow,
    /// Observations that lie long after all others.
    DatesFarApart,
    /// Prices of 0.01.
    OneCentPrices,
    /// Codes that lack their check digit.
    CheckDigitsMissing,
    /// Likely links that are too often wrong.
    LinksNotPublished,
}

/// Something about an input that is worth a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its kind.
    pub code: WarningCode,
    /// The file, the retailer or the table that it is about.
    pub subject: String,
    /// What is worth a look.
    pub text: String,
}

/// Puts equal keys together: each key with its first subject and the number of others, in order of appearance.
fn distinct<K: Clone + Eq + Hash, S>(keys: impl Iterator<Item = (K, S)>) -> Vec<(K, S, usize)> {
    let mut distinct: Vec<(K, S, usize)> = Vec::new();
    let mut known: HashMap<K, usize> = HashMap::new();
    for (key, subject) in keys {
        match known.entry(key) {
            Entry::Occupied(at) => distinct[*at.get()].2 += 1,
            Entry::Vacant(place) => {
                let key = place.key().clone();
                place.insert(distinct.len());
                distinct.push((key, subject, 0));
            }
        }
    }
    distinct
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
    pub warnings: Vec<Warning>,
}

impl InputReport {
    /// Adds a warning about a file, a retailer or the input.
    pub fn warn(&mut self, code: WarningCode, subject: impl Into<String>, text: impl Into<String>) {
        self.warnings.push(Warning { code, subject: subject.into(), text: text.into() });
    }

    /// The warnings as they are printed. Equal ones about several files are one, with the first file and the number of
    /// others.
    pub fn distinct_warnings(&self) -> Vec<String> {
        let about = self.warnings.iter().map(|Warning { code, subject, text }| ((*code, text), subject));
        let line = |((_, text), subject, others): ((WarningCode, &String), &String, usize)| match others {
            0 => format!("{subject}: {text}"),
            1 => format!("{subject}: {text} (same warning for 1 other)"),
            others => format!("{subject}: {text} (same warning for {others} others)"),
        };
        distinct(about).into_iter().map(line).collect()
    }

    /// How files that are not in the contract's form are written, as it is printed. Files written alike are one line.
    pub fn distinct_dialects(&self) -> Vec<String> {
        let dialects = self.files.iter().filter_map(|file| Some((file.form.dialect()?, &file.file)));
        let line = |(dialect, file, others): (String, &String, usize)| match others {
            0 => format!("{file}: {dialect}"),
            others => format!("{file} and {others} more: {dialect}"),
        };
        distinct(dialects).into_iter().map(line).collect()
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
        let mut report = InputReport::default();
        let unread = "columns that are not read: colour, size";
        report.warn(WarningCode::ColumnsNotRead, "in/0.csv", unread);
        report.warn(WarningCode::DatesFarApart, "observations", "90 lie after all others");
        for file in ["in/a: b.csv", "in/1.csv"] {
            report.warn(WarningCode::ColumnsNotRead, file, unread);
        }
        for file in ["in/7.csv", "in/8.csv"] {
            report.warn(WarningCode::ColumnsNotRead, file, "columns that are not read: colour");
        }
        assert_eq!(
            report.distinct_warnings(),
            [
                "in/0.csv: columns that are not read: colour, size (same warning for 2 others)",
                "observations: 90 lie after all others",
                "in/7.csv: columns that are not read: colour (same warning for 1 other)",
            ]
        );
    }

    #[test]
    fn files_written_alike_are_one_dialect() {
        let file = |file: &str, separator, encoding: &str| FileReport {
            file: file.to_owned(),
            kind: "listings",
            format: "csv",
            form: FileForm {
                separator: Some(separator),
                encoding: Some(encoding.to_owned()),
                ..FileForm::default()
            },
            rows: 1,
            rejected: 0,
            unknown_columns: vec![],
        };
        let plain = file("a.csv", ',', "utf-8");
        let odd = ["b.csv", "c.csv"].map(|name| file(name, ';', "windows-1252"));
        let renamed = BTreeMap::from([("gtin".to_owned(), "EAN".to_owned())]);
        let mut other = file("d.csv", ',', "utf-8");
        other.form = FileForm { renamed, dates: Some("%d/%m/%Y".to_owned()), ..other.form };
        let files = [plain].into_iter().chain(odd).chain([other]).collect();
        assert_eq!(
            InputReport { files, ..InputReport::default() }.distinct_dialects(),
            ["b.csv and 1 more: separated by ';', windows-1252", "d.csv: dates %d/%m/%Y, gtin is \"EAN\"",]
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
