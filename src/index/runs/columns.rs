//! Rows of a run in columns.

use std::ops::Range;

use super::rows::{ListingCandidate, ObservationOfRun, ObservationRows, Odd, OddRow, TEXT_COLUMNS};
use crate::types::Condition;

/// Texts behind each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Texts {
    pub text: String,
    /// Where each begins, and where the last ends.
    pub offsets: Vec<u32>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { text: String::new(), offsets: vec![0] }
    }
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.offsets.push(self.text.len() as u32);
    }

    pub(super) fn get(&self, at: usize) -> &str {
        &self.text[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&self.offsets[..])
    }
}

/// Candidates for listings.
#[derive(Debug, Default, Clone)]
pub(super) struct ListingColumnsOfRun {
    pub line: Vec<u64>,
    pub micros: Vec<i64>,
    pub says: Vec<u64>,
    pub brand: Texts,
    pub path: Texts,
    pub mpn: Texts,
    pub condition: Vec<Condition>,
    pub gtin: Vec<u64>,
    pub gpc_code: Vec<u32>,
    /// What the source says in `TEXT_COLUMNS`.
    pub texts: [Texts; TEXT_COLUMNS.len()],
}

impl ListingColumnsOfRun {
    pub(super) fn push(&mut self, row: &ListingCandidate<'_>) {
        self.line.push(row.line);
        self.micros.push(row.micros);
        self.says.push(row.says);
        self.brand.push(row.brand);
        self.path.push(row.path);
        self.mpn.push(row.mpn);
        self.condition.push(row.condition);
        self.gtin.push(row.gtin);
        self.gpc_code.push(row.gpc_code);
        for (texts, text) in self.texts.iter_mut().zip(row.texts) {
            texts.push(text);
        }
    }

    pub(super) fn get(&self, at: usize) -> ListingCandidate<'_> {
        ListingCandidate {
            line: self.line[at],
            micros: self.micros[at],
            says: self.says[at],
            brand: self.brand.get(at),
            path: self.path.get(at),
            mpn: self.mpn.get(at),
            condition: self.condition[at],
            gtin: self.gtin[at],
            gpc_code: self.gpc_code[at],
            texts: self.texts.each_ref().map(|texts| texts.get(at)),
        }
    }

    /// All columns of texts.
    pub(super) fn all_texts(&self) -> impl Iterator<Item = &Texts> {
        [&self.brand, &self.path, &self.mpn].into_iter().chain(&self.texts)
    }
}

/// Observations.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct ObservationColumnsOfRun {
    pub day: Vec<u16>,
    pub price: Vec<u32>,
    pub list_price: Vec<u32>,
    pub flags: Vec<u8>,
    pub micros: Vec<i64>,
    pub line: Vec<u64>,
}

impl ObservationColumnsOfRun {
    pub(super) fn push(&mut self, row: ObservationOfRun) {
        self.day.push(row.day);
        self.price.push(row.price);
        self.list_price.push(row.list_price);
        self.flags.push(row.flags);
        self.micros.push(row.micros);
        self.line.push(row.line);
    }

    pub(super) fn extend(&mut self, rows: &ObservationRows<'_>) {
        self.day.extend_from_slice(rows.day);
        self.price.extend_from_slice(rows.price);
        self.list_price.extend_from_slice(rows.list_price);
        self.flags.extend_from_slice(rows.flags);
        self.micros.extend_from_slice(rows.micros);
        self.line.extend_from_slice(rows.line);
    }

    pub(super) fn rows(&self, range: Range<usize>) -> ObservationRows<'_> {
        ObservationRows {
            day: &self.day[range.clone()],
            price: &self.price[range.clone()],
            list_price: &self.list_price[range.clone()],
            flags: &self.flags[range.clone()],
            micros: &self.micros[range.clone()],
            line: &self.line[range],
        }
    }
}

/// Odd rows.
#[derive(Debug, Default, Clone)]
pub(super) struct OddColumns {
    pub line: Vec<u64>,
    pub what: Vec<Odd>,
    pub value: Texts,
}

impl OddColumns {
    pub(super) fn push(&mut self, row: &OddRow<'_>) {
        self.line.push(row.line);
        self.what.push(row.what);
        self.value.push(row.value);
    }

    pub(super) fn get(&self, at: usize) -> OddRow<'_> {
        OddRow { line: self.line[at], what: self.what[at], value: self.value.get(at) }
    }
}
