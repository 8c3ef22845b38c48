//! Codes that are barcodes or not for all listings of a retailer together.
//!
//! Ten characters are read as ISBN-10 where at least nine in ten of the retailer's codes of ten characters are one: one
//! in eleven other numbers passes the check as well. Codes of 11 to 13 digits are not believed where at least nine in
//! ten of at least [`CODES_MIN`] fail the check digit: the source left check digits out, and the codes that pass do so
//! by chance.
//!
//! Each run keeps a sample of the different codes of each retailer: those with the smallest hashes, so the sample of
//! several runs follows from theirs, however rows are distributed over files. Of up to [`SAMPLE_MAX`] codes it is all.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::index::runs::LineTally;
use crate::types::{CodeForm, CodeVote, Gtin, SourceCode};

/// Fewest different codes that show that check digits are missing.
const CODES_MIN: usize = 20;
/// Most different codes of a retailer that are kept, those with the smallest hashes.
const SAMPLE_MAX: usize = 256;
/// Bit of a code of the sample that says that its check digit holds.
const HOLDS: u32 = 1;
/// The form of a barcode stands above the bits of its number.
const FORM_SHIFT: u32 = 62;

/// The codes of one form of a retailer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::index) struct Codes {
    /// Hashes of different codes, in which [`HOLDS`] is set or not.
    sample: BTreeSet<u32>,
    /// Rows whose barcode counts only where the codes are believed.
    pub(in crate::index) usable: LineTally,
}

/// The codes of a retailer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetailerCodes {
    /// Codes of ten characters.
    pub(in crate::index) ten_characters: Codes,
    /// Codes of 11 to 13 digits.
    pub(in crate::index) long_numbers: Codes,
}

/// The retailers whose codes are read in another way than a single row shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRules {
    /// Those whose codes of ten characters are ISBN-10.
    isbn_10: BTreeSet<String>,
    /// Those whose codes of 11 to 13 digits are not believed.
    no_check_digits: BTreeSet<String>,
}

impl Codes {
    fn add(&mut self, vote: CodeVote) {
        let hash = xxh3_64(&vote.code.to_le_bytes()) as u32;
        self.insert(if vote.holds { hash | HOLDS } else { hash & !HOLDS });
    }

    fn insert(&mut self, code: u32) {
        if self.sample.len() < SAMPLE_MAX {
            self.sample.insert(code);
        } else if self.sample.last().is_some_and(|last| code < *last) && self.sample.insert(code) {
            self.sample.pop_last();
        }
    }

    fn merge(&mut self, later: Self) {
        self.merge_sample(&later);
        self.usable.merge(later.usable);
    }

    /// Takes the codes of `later`, and not the rows.
    fn merge_sample(&mut self, later: &Self) {
        later.sample.iter().for_each(|&code| self.insert(code));
    }

    /// How many are in the sample, and how many of those pass.
    fn counts(&self) -> (usize, usize) {
        (self.sample.len(), self.sample.iter().filter(|code| **code & HOLDS != 0).count())
    }
}

impl RetailerCodes {
    fn of(&mut self, form: CodeForm) -> &mut Codes {
        match form {
            CodeForm::TenCharacters => &mut self.ten_characters,
            CodeForm::LongNumber => &mut self.long_numbers,
        }
    }

    /// Takes the code of a row.
    pub(in crate::index) fn add(&mut self, code: SourceCode, line: u64, text: &str) {
        if let Some(vote) = code.vote {
            self.of(vote.form).add(vote);
        }
        if let (Some(_), Some(form)) = (code.gtin, code.believed_with) {
            self.of(form).usable.add(line, text);
        }
    }

    /// Takes what `later` holds, whose lines come behind.
    pub(in crate::index) fn merge(&mut self, later: Self) {
        self.ten_characters.merge(later.ten_characters);
        self.long_numbers.merge(later.long_numbers);
    }
}

impl CodeRules {
    /// Decides, by the codes of each retailer in all files.
    pub(in crate::index) fn of<'a>(codes: impl Iterator<Item = (&'a String, &'a RetailerCodes)>) -> Self {
        let mut retailers = BTreeMap::<&str, RetailerCodes>::new();
        for (platform, codes) in codes {
            let known = retailers.entry(platform).or_default();
            known.ten_characters.merge_sample(&codes.ten_characters);
            known.long_numbers.merge_sample(&codes.long_numbers);
        }
        let mut rules = Self::default();
        for (platform, codes) in retailers {
            let (all, hold) = codes.ten_characters.counts();
            if hold > 0 && hold * 10 >= all * 9 {
                rules.isbn_10.insert(platform.to_owned());
            }
            let (all, hold) = codes.long_numbers.counts();
            if all >= CODES_MIN && (all - hold) * 10 >= all * 9 {
                rules.no_check_digits.insert(platform.to_owned());
            }
        }
        rules
    }

    /// Whether the codes of one form of a retailer are believed.
    pub(in crate::index) fn believe(&self, form: CodeForm, platform: &str) -> bool {
        match form {
            CodeForm::TenCharacters => self.isbn_10.contains(platform),
            CodeForm::LongNumber => !self.no_check_digits.contains(platform),
        }
    }

    /// The barcode of a row, as [`to_bits`] keeps it, where it is believed.
    pub(in crate::index) fn gtin(&self, bits: u64, platform: &str) -> Option<Gtin> {
        let form = match bits >> FORM_SHIFT {
            0 => None,
            1 => Some(CodeForm::TenCharacters),
            _ => Some(CodeForm::LongNumber),
        };
        let believed = form.is_none_or(|form| self.believe(form, platform));
        believed.then(|| Gtin::from_value(bits & ((1 << FORM_SHIFT) - 1))).flatten()
    }
}

/// The barcode of a row and the form that it is believed with, as a number; 0 for none.
pub(in crate::index) fn to_bits(code: SourceCode) -> u64 {
    let form = match code.believed_with {
        None => 0,
        Some(CodeForm::TenCharacters) => 1,
        Some(CodeForm::LongNumber) => 2,
    };
    code.gtin.map_or(0, |gtin| gtin.get() | form << FORM_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of a retailer, in two files of which the second repeats some of the first.
    fn rules(codes: &[String]) -> CodeRules {
        let read = |codes: &[String]| {
            let mut read = RetailerCodes::default();
            codes.iter().zip(1..).for_each(|(code, line)| read.add(SourceCode::parse(code), line, code));
            read
        };
        let platform = "shop".to_owned();
        let once = CodeRules::of([(&platform, &read(codes))].into_iter());
        let (first, second) = codes.split_at(codes.len() / 2);
        let files = [read(second), read(&[first, second].concat()), read(first)];
        let apart = CodeRules::of(files.iter().map(|codes| (&platform, codes)));
        assert_eq!(once, apart, "the distribution over files changes nothing");
        once
    }

    /// So many codes of 12 digits, the first `failing` of them with a wrong check digit.
    fn long(codes: usize, failing: usize) -> Vec<String> {
        let code = |at: usize| {
            let holds = |code: &u64| SourceCode::parse(&code.to_string()).vote.is_some_and(|vote| vote.holds);
            let from = 360_002_914_000 + at as u64 * 10;
            let mut codes = (from..from + 10).filter(|code| holds(code) != (at < failing));
            codes.next().unwrap().to_string()
        };
        (0..codes).map(code).collect()
    }

    #[test]
    fn long_numbers_are_disbelieved_where_nine_in_ten_of_twenty_fail() {
        let believed = |codes: &[String]| rules(codes).believe(CodeForm::LongNumber, "shop");
        assert!(!believed(&long(20, 18)));
        assert!(believed(&long(20, 17)));
        assert!(believed(&long(19, 19)));
        assert!(believed(&[long(19, 19), long(19, 19)].concat()), "repeated codes count once");
        assert!(!believed(&long(2_000, 2_000)));
        assert!(believed(&long(2_000, 1_000)));
        assert!(rules(&long(20, 20)).believe(CodeForm::LongNumber, "another"));
    }

    #[test]
    fn ten_characters_are_isbn_10_where_nine_in_ten_are() {
        let books = ["0306406152", "080442957X", "0131103628", "0-201-03801-3", "0596007124"];
        let books: Vec<_> = books.map(str::to_owned).into_iter().collect();
        let is_isbn = |codes: &[String]| rules(codes).believe(CodeForm::TenCharacters, "shop");
        assert!(is_isbn(&books));
        assert!(is_isbn(&books[..1]));
        assert!(!is_isbn(&[]));
        assert!(!is_isbn(&[books, vec!["B00X4WHP5E".to_owned()]].concat()));
    }

    #[test]
    fn a_barcode_is_kept_with_its_form() {
        let rules = CodeRules {
            isbn_10: BTreeSet::from(["books".to_owned()]),
            no_check_digits: BTreeSet::from(["lamps".to_owned()]),
        };
        let gtin = |text: &str, platform: &str| rules.gtin(to_bits(SourceCode::parse(text)), platform);
        for (text, platform, expected) in [
            ("0306406152", "books", Gtin::parse("9780306406157")),
            ("0306406152", "lamps", None),
            ("036000291452", "books", Gtin::parse("036000291452")),
            ("036000291452", "lamps", None),
            ("00036000291452", "lamps", Gtin::parse("036000291452")),
            ("12", "books", None),
        ] {
            assert_eq!(gtin(text, platform), expected, "{text} {platform}");
        }
    }
}
