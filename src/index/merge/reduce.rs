//! One key at a time: which of its rows count.
//!
//! Of a day the row with the lowest price counts, then the first; of listings the first, or the newest and then the
//! last. Any grouping of the rows gives the same, since each row brings its place in the reading order along.

use super::task::FilePosition;
use crate::index::normalized::Seen;
use crate::index::runs::{ListingCandidate, Odd, RunGroup, TEXT_COLUMNS};
use crate::ingest::rejects::Reason;
use crate::snapshot::tables::ListingInput;
use crate::types::{Condition, Day};

/// A row of observations of a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub day: u16,
    pub price: u32,
    /// Place of its file among those of observations.
    pub place: u32,
    pub line: u64,
    pub list_price: u32,
    pub flags: u8,
    pub micros: i64,
}

impl Row {
    pub(super) fn seen(&self) -> Seen {
        let Self { day, price, list_price, flags, .. } = *self;
        Seen { day, price, list_price, flags }
    }
}

/// A row of listings of a key, without its contents.
#[derive(Debug, Clone, Copy)]
struct CandidateMeta {
    place: u32,
    line: u64,
    micros: i64,
    says: u64,
    /// Whether its file holds both tables: then a repeat that says the same is no duplicate.
    both: bool,
}

/// The contents of the listing that counts for a key.
#[derive(Debug, Default)]
pub(super) struct WinningListing {
    pub brand: String,
    pub path: String,
    pub mpn: String,
    pub condition: Condition,
    pub gtin: u64,
    pub gpc_code: u32,
    /// What its source says in [`TEXT_COLUMNS`].
    pub texts: [String; TEXT_COLUMNS.len()],
}

/// An odd row of observations.
#[derive(Debug)]
pub(super) struct PlacedOdd {
    pub place: u32,
    pub line: u64,
    pub what: Odd,
    pub value: String,
}

/// A row of observations that is not taken.
#[derive(Debug)]
pub(super) struct PlacedReject {
    pub place: u32,
    pub line: u64,
    pub reason: Reason,
    pub value: String,
}

/// The rows of one key.
#[derive(Debug, Default)]
pub(super) struct Reducer {
    newest: bool,
    last_day: Option<u16>,
    marks: Vec<CandidateMeta>,
    best: Option<CandidateMeta>,
    pub chosen: WinningListing,
    pub rows: Vec<Row>,
    pub odd: Vec<PlacedOdd>,
    pub far: Vec<PlacedReject>,
}

impl Reducer {
    pub(super) fn new(newest: bool, last_day: Option<u16>) -> Self {
        Self { newest, last_day, ..Self::default() }
    }

    /// Forgets the key before.
    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.best = None;
        self.rows.clear();
        self.odd.clear();
        self.far.clear();
    }

    /// Takes what a file, at each place where it stands, says of the key.
    pub(super) fn add(&mut self, group: &RunGroup<'_>, places: &[FilePosition]) {
        for place in places {
            if let Some(at) = place.listings {
                for candidate in group.listings.iter() {
                    self.add_listing(&candidate, at, place.is_both());
                }
            }
            if let Some(at) = place.observations {
                self.add_observations(group, at);
            }
        }
    }

    fn add_listing(&mut self, candidate: &ListingCandidate<'_>, place: u32, both: bool) {
        let ListingCandidate { line, micros, says, .. } = *candidate;
        let mark = CandidateMeta { place, line, micros, says, both };
        self.marks.push(mark);
        let beats = |best: CandidateMeta| {
            if self.newest {
                (micros, place, line) > (best.micros, best.place, best.line)
            } else {
                (place, line) < (best.place, best.line)
            }
        };
        if self.best.is_none_or(beats) {
            self.best = Some(mark);
            self.chosen.take(candidate);
        }
    }

    fn add_observations(&mut self, group: &RunGroup<'_>, place: u32) {
        let rows = group.observations;
        let is_far = |day: u16| self.last_day.is_some_and(|last| day > last);
        self.rows.reserve(rows.len());
        for at in 0..rows.len() {
            let (day, line) = (rows.day[at], rows.line[at]);
            if is_far(day) {
                let value = Day::OBSERVED_MIN.plus_days(i32::from(day)).to_string();
                self.far.push(PlacedReject { place, line, reason: Reason::DateFarAhead, value });
                continue;
            }
            self.rows.push(Row {
                day,
                price: rows.price[at],
                place,
                line,
                list_price: rows.list_price[at],
                flags: rows.flags[at],
                micros: rows.micros[at],
            });
        }
        for odd in group.odd.iter() {
            let day = rows.line.binary_search(&odd.line).map(|at| rows.day[at]);
            if day.is_ok_and(|day| !is_far(day)) {
                self.odd.push(PlacedOdd {
                    place,
                    line: odd.line,
                    what: odd.what,
                    value: odd.value.to_owned(),
                });
            }
        }
    }

    /// Whether any row is a listing.
    pub(super) fn has_listing(&self) -> bool {
        self.best.is_some()
    }

    /// Rows of listings beyond the one that was there before each, by place and line.
    pub(super) fn duplicates(&mut self, mut each: impl FnMut(u32, u64)) {
        if self.marks.len() < 2 {
            return;
        }
        self.marks.sort_unstable_by_key(|mark| (mark.place, mark.line));
        let mut stands = self.marks[0];
        for mark in &self.marks[1..] {
            if !(mark.both && mark.says == stands.says) {
                each(mark.place, mark.line);
            }
            if self.newest && mark.micros >= stands.micros {
                stands = *mark;
            }
        }
    }

    /// Leaves one row a day, days ascending, and says how many went.
    pub(super) fn keep_days(&mut self) -> usize {
        let before = self.rows.len();
        if !self.rows.is_sorted_by(|a, b| a.day < b.day) {
            self.rows.sort_unstable_by_key(|row| (row.day, row.price, row.place, row.line));
            self.rows.dedup_by_key(|row| row.day);
        }
        before - self.rows.len()
    }
}

impl WinningListing {
    /// What its source says in one of [`TEXT_COLUMNS`].
    pub(super) fn text(&self, column: ListingInput) -> &str {
        let at = TEXT_COLUMNS.iter().position(|kept| *kept == column);
        at.map_or("", |at| &self.texts[at])
    }

    fn take(&mut self, candidate: &ListingCandidate<'_>) {
        let validated = [
            (&mut self.brand, candidate.brand),
            (&mut self.path, candidate.path),
            (&mut self.mpn, candidate.mpn),
        ];
        for (mine, text) in validated.into_iter().chain(self.texts.iter_mut().zip(candidate.texts)) {
            mine.clear();
            mine.push_str(text);
        }
        self.condition = candidate.condition;
        self.gtin = candidate.gtin;
        self.gpc_code = candidate.gpc_code;
    }
}
