//! Rows of observations: which are taken, as a few bytes each.

use std::collections::HashSet;

use anyhow::{Result, ensure};

use super::listings::Index;
use crate::build::canonical::NONE;
use crate::build::ingest::{Chunk, Holds, InputFile};
use crate::build::judge::observations::{self, ObservationRules, RowKey, is_listing_alone};
use crate::build::judge::sellers::Spelling;
use crate::build::rejects::{Reason, Reject};
use crate::build::report::{Example, InputReport, Tallies, Tally, merge};
use crate::build::runs::Odd;
use crate::domain::Day;
use crate::snapshot::tables::{ObservationColumns, ObservationInput, ObservationRow};

/// Most rows of observations an input may hold: their numbers are 32 bits, one of which says "none".
const ROWS_MAX: usize = NONE as usize - 1;

/// A chunk of observations after the rules: those that are taken, of which listing and at which instant.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub read: u64,
    pub rejects: Vec<Reject>,
    listing: Vec<u32>,
    instant: Vec<i64>,
    columns: ObservationColumns,
    ignored_list_prices: Tally,
    unreadable_flags: Tally,
    one_cent_prices: Tallies,
    pub spellings: Vec<Spelling>,
}

/// What rows of observations are held against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Against<'a> {
    pub file: &'a InputFile,
    pub index: &'a Index,
    /// Lines that were rejected as listings already.
    pub spoiled: &'a HashSet<u64>,
    /// The last day that is believed, where some are not.
    pub last: Option<u16>,
}

/// Applies the rules to a chunk. Which listing a row is about is asked last.
pub(super) fn judge(chunk: &Chunk, against: Against<'_>) -> Judged {
    let Against { file, index, spoiled, last } = against;
    let mut judged = Judged { read: chunk.rows() as u64, ..Judged::default() };
    let mut rules = ObservationRules::new(&file.settings.retailers);
    let mut lookup = Lookup { index, last: None, key: String::new() };
    for at in 0..chunk.rows() {
        if file.holds == Holds::Both && (spoiled.contains(&chunk.line(at)) || is_listing_alone(chunk, at)) {
            continue;
        }
        let row = rules.row(chunk, at).and_then(|observed| match last {
            Some(last) if observed.row.day > last => {
                Err((Reason::DateFarAhead, chunk.quote(ObservationInput::Date as usize, at)))
            }
            _ => {
                let RowKey { seller, product_id, .. } = observed.key;
                let listing = lookup.find(observed.key, rules.platform(seller));
                listing.map(|listing| (listing, observed)).ok_or((Reason::NoListing, product_id))
            }
        });
        match row {
            Ok((listing, observed)) => {
                let platform = rules.platform(observed.key.seller);
                judged.note_oddities(chunk, at, &observed.row, platform, &file.name);
                judged.listing.push(listing);
                judged.instant.push(observed.micros);
                judged.columns.push(observed.row, |column| chunk.text(column as usize, at));
            }
            Err((reason, value)) => judged.rejects.push(Reject::new(chunk.line(at), reason, value)),
        }
    }
    judged.spellings = rules.spellings();
    judged
}

/// Finds listings; rows of one listing mostly come together, so the last answer is kept.
struct Lookup<'a> {
    index: &'a Index,
    last: Option<(RowKey<'a>, Option<u32>)>,
    key: String,
}

impl<'a> Lookup<'a> {
    fn find(&mut self, key: RowKey<'a>, platform: &str) -> Option<u32> {
        match self.last {
            Some((last, found)) if last == key => found,
            _ => {
                let found = self.index.find(key.country, platform, key.product_id, &mut self.key);
                self.last = Some((key, found));
                found
            }
        }
    }
}

impl Judged {
    fn note_oddities(&mut self, chunk: &Chunk, at: usize, row: &ObservationRow, platform: &str, file: &str) {
        observations::oddities(chunk, at, row, |odd, value| {
            let tally = match odd {
                Odd::IgnoredListPrice => &mut self.ignored_list_prices,
                Odd::UnreadableFlag => &mut self.unreadable_flags,
                Odd::OneCentPrice => self.one_cent_prices.entry(platform.to_owned()).or_default(),
            };
            tally.add(|| Example::new(file, chunk.line(at), value));
        });
    }
}

/// The observation by which a listing is known.
#[derive(Debug, Clone, Copy)]
struct Latest {
    day: u16,
    price: u32,
    instant: i64,
}

/// Observations in input order.
#[derive(Debug)]
pub(super) struct ObservationTable {
    pub listing: Vec<u32>,
    pub columns: ObservationColumns,
    latest: Vec<Option<Latest>>,
}

impl ObservationTable {
    /// An empty table about `listings` listings.
    pub(super) fn new(listings: usize) -> Self {
        Self { listing: Vec::new(), columns: ObservationColumns::default(), latest: vec![None; listings] }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.listing.len()
    }

    /// Whether there is no row.
    pub(super) fn is_empty(&self) -> bool {
        self.listing.is_empty()
    }

    /// Takes the rows of a chunk.
    pub(super) fn extend(&mut self, judged: Judged, report: &mut InputReport) -> Result<()> {
        ensure!(self.len() + judged.listing.len() <= ROWS_MAX, "more than {ROWS_MAX} rows of observations");
        merge(&mut report.one_cent_prices, judged.one_cent_prices);
        report.ignored_list_prices.merge(judged.ignored_list_prices);
        report.unreadable_flags.merge(judged.unreadable_flags);
        let ObservationColumns { day, price, .. } = &judged.columns;
        for (row, &listing) in judged.listing.iter().enumerate() {
            self.note_latest(
                listing,
                Latest { day: day[row], price: price[row], instant: judged.instant[row] },
            );
        }
        self.listing.extend_from_slice(&judged.listing);
        self.columns.append(judged.columns);
        Ok(())
    }

    /// Keeps the instant of the row that will stand for its listing: latest day, then lowest price, then first.
    fn note_latest(&mut self, listing: u32, seen: Latest) {
        let latest = &mut self.latest[listing as usize];
        let stands = latest
            .is_none_or(|last| seen.day > last.day || (seen.day == last.day && seen.price < last.price));
        if stands {
            *latest = Some(seen);
        }
    }

    /// Instant of the observation by which `listing` is known; 0 when it was never observed.
    pub(super) fn latest_instant(&self, listing: usize) -> i64 {
        self.latest[listing].map_or(0, |latest| latest.instant)
    }

    /// Earliest and latest day; nothing without a row.
    pub(super) fn span(&self) -> Option<(u16, u16)> {
        let day = &self.columns.day;
        Some((*day.iter().min()?, *day.iter().max()?))
    }
}

/// The date of a kept day.
pub(super) fn day_of(day: u16) -> Day {
    Day::OBSERVED_MIN.plus_days(i32::from(day))
}
