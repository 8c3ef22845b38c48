//! Values that the name of a file holds, as in `prices_2026-10-31.csv`.

use std::fmt;

use regex::Regex;

use crate::ingest::parsers::DateNotation;
use crate::snapshot::tables::ObservationInput;

/// The column whose pattern is one of dates.
const DATE: &str = ObservationInput::Date.name();

/// A pattern of the mapping, found anywhere in the name of a file.
#[derive(Debug, Clone)]
pub(super) struct FileNamePattern {
    written: String,
    regex: Regex,
    /// The form of the text that is found, of a date.
    date: Option<DateNotation>,
}

impl FileNamePattern {
    /// Reads the pattern of a column: of a date in the notation of `strptime`, else a regular expression with one group.
    ///
    /// # Errors
    /// When it is neither; the message says what to write.
    pub(super) fn new(column: &str, written: &str) -> Result<Self, String> {
        let is_date = column == DATE;
        let (text, date) = if is_date {
            let date = written.parse::<DateNotation>().ok();
            (date_regex(written).filter(|_| matches!(date, Some(DateNotation::Pattern(_)))), date)
        } else {
            (Some(written.to_owned()), None)
        };
        let text = text.ok_or("write a pattern of year, month and day, as in \"prices_%Y-%m-%d\"")?;
        let regex = Regex::new(&text).map_err(|error| error.to_string())?;
        if !is_date && regex.captures_len() != 2 {
            return Err("write a regular expression with one group, as in \"^([a-z]+)_\"".to_owned());
        }
        Ok(Self { written: written.to_owned(), regex, date })
    }

    /// The value in the name of the file at `path`, if the name has one.
    pub(super) fn value(&self, path: &str) -> Option<String> {
        let name = path.rsplit(['/', '\\']).next()?;
        let mut found =
            self.regex.captures_iter(name).filter_map(|found| Some(found.iter().last()??.as_str()));
        match &self.date {
            Some(date) => found.find_map(|text| Some(date.plain(text)?.into_owned())),
            None => found.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned),
        }
    }
}

impl PartialEq for FileNamePattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.written, &self.date) == (&other.written, &other.date)
    }
}

impl fmt::Display for FileNamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in the name of the file", self.written)
    }
}

/// The regular expression of the texts that a pattern of dates may read.
fn date_regex(pattern: &str) -> Option<String> {
    let mut regex = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => {
                regex += match letters.next()? {
                    'Y' => "[0-9]{4}",
                    'y' | 'm' | 'd' | 'H' | 'M' | 'S' => "[0-9]{2}",
                    'b' | 'B' => r"\p{L}+",
                    _ => return None,
                }
            }
            letter => regex += &regex::escape(letter.encode_utf8(&mut [0; 4])),
        }
    }
    Some(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(column: &str, pattern: &str, path: &str) -> Option<String> {
        FileNamePattern::new(column, pattern).unwrap().value(path)
    }

    #[test]
    fn dates_are_found_anywhere_in_the_name() {
        for (pattern, path, expected) in [
            ("prices_%Y-%m-%d", "in/prices_2026-10-31.csv", Some("2026-10-31")),
            ("%Y%m%d", "in/20250101/acme-20261031-full.csv.gz", Some("2026-10-31")),
            ("%Y%m%d", "acme-99999999-20261031.csv", Some("2026-10-31")),
            ("%d.%m.%y", "Preise 31.10.26.xlsx", Some("2026-10-31")),
            ("%d-%b-%Y", "prices 31-Oct-2026.csv", Some("2026-10-31")),
            ("prices_%Y-%m-%d", "in/prices_2026-10-31/today.csv", None),
            ("prices_%Y-%m-%d", "prices_2026-13-31.csv", None),
        ] {
            assert_eq!(value(DATE, pattern, path).as_deref(), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn other_columns_have_a_regular_expression_with_one_group() {
        assert_eq!(value("platform", "^([a-z]+)_", "in/acme_2026.csv").as_deref(), Some("acme"));
        assert_eq!(value("platform", "^([a-z]+)_", "in/2026.csv"), None);
        for (column, pattern, fault) in [
            ("platform", "^[a-z]+_", "one group"),
            ("platform", "(a)(b)", "one group"),
            ("platform", "(a", "unclosed group"),
            (DATE, "prices_(.*)", "year, month and day"),
            (DATE, "YMD", "year, month and day"),
            (DATE, "%Y-%m", "year, month and day"),
        ] {
            let error = FileNamePattern::new(column, pattern).unwrap_err();
            assert!(error.contains(fault), "{pattern}: {error}");
        }
    }
}
