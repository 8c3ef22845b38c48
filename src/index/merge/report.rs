//! `report.json` and `rejected.ndjson`, from the list of inputs, runs and shards alone: what was reused and what was
//! made anew says nothing in them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

use anyhow::Result;

use super::shard::{LateRows, PlacedTally, Shard, ShardReject};
use super::source::day_of;
use super::task::FilePosition;
use crate::index::clean::codes::CodeRules;
use crate::index::clean::far_days::{self, RowsByDay, Tail};
use crate::index::runs::{LineExample, LineTallies, LineTally, MemberMeta, Run, RunRejects};
use crate::ingest::rejects::{Reason, Reject, RejectWriter};
use crate::ingest::report::{
    Detected, Example, FileReport, InputReport, LatestDay, Tally, WarningCode, merge,
};
use crate::ingest::{Holds, InputFile};
use crate::store::Store;
use crate::types::CodeForm;

/// Most spellings of a retailer that are reported, the first by bytes.
const SPELLINGS_MAX: usize = 20;

/// A file of an input, and where what it says was put.
#[derive(Debug)]
pub struct ValidatedFile<'a> {
    /// The file.
    pub file: &'a InputFile,
    /// Where it stands in the reading orders.
    pub place: FilePosition,
    /// The run that holds its rows.
    pub run: String,
    /// Number of the file among the members of the run.
    pub member: u32,
    /// What was found out about it.
    pub meta: MemberMeta,
    /// Under which name it is known without being read, where it is.
    pub known: Option<String>,
}

impl ValidatedFile<'_> {
    /// Rows read.
    pub fn rows(&self) -> u64 {
        self.meta.listing_rows + self.meta.observation_rows
    }
}

/// Rows of observations on each day, of all files.
pub fn rows_by_day(files: &[ValidatedFile<'_>]) -> RowsByDay {
    let mut rows = RowsByDay::new();
    for (&day, &here) in files.iter().flat_map(|file| &file.meta.rows_by_day) {
        *rows.entry(day).or_default() += here;
    }
    rows
}

/// The last day that is believed, where some are not.
pub fn last_believed(rows: &RowsByDay) -> Option<u16> {
    far_days::unbelieved(rows).map(|tail| tail.last)
}

/// The first of the latest days that together hold hardly any row.
pub fn first_late(rows: &RowsByDay) -> Option<u16> {
    far_days::first_late(rows)
}

/// Which codes of which retailers are barcodes, by all files.
pub fn code_rules(files: &[ValidatedFile<'_>]) -> CodeRules {
    CodeRules::of(files.iter().flat_map(|file| &file.meta.codes))
}

/// Those that hold listings, or those that hold observations, in reading order.
fn in_order<'a, 'f>(
    files: &'a [ValidatedFile<'f>],
    place: fn(&FilePosition) -> Option<u32>,
) -> Vec<&'a ValidatedFile<'f>> {
    let mut ordered: Vec<_> = files.iter().filter(|file| place(&file.place).is_some()).collect();
    ordered.sort_unstable_by_key(|file| place(&file.place));
    ordered
}

/// Puts what was read of the files into a report, as far as they say it themselves.
pub fn of_files(files: &[ValidatedFile<'_>], report: &mut InputReport) {
    for file in in_order(files, |place| place.listings) {
        if file.file.holds != Holds::Both {
            of_file(file, report);
        }
        let LineTallies {
            unusable_barcodes, unusable_gpc_codes, one_level_categories, decoded_entities, ..
        } = &file.meta.tallies;
        for (cause, tally) in unusable_barcodes {
            let known = report.unusable_barcodes.entry(cause.clone()).or_default();
            known.merge(named(tally, file.file));
        }
        report.unusable_gpc_codes.merge(named(unusable_gpc_codes, file.file));
        report.one_level_categories.merge(named(one_level_categories, file.file));
        report.decoded_entities.merge(named(decoded_entities, file.file));
    }
    for file in in_order(files, |place| place.observations) {
        of_file(file, report);
    }
    of_codes(files, report);
    for (key, written) in files.iter().flat_map(|file| &file.meta.spellings) {
        let known = report.retailer_spellings.entry(key.clone()).or_default();
        known.extend(written.iter().cloned());
        while known.len() > SPELLINGS_MAX {
            // Those that stay do not depend on the order of files.
            known.pop_last();
        }
    }
    report.listing_rows = files.iter().map(|file| file.meta.listing_rows).sum();
    report.observation_rows = files.iter().map(|file| file.meta.observation_rows).sum();
}

/// Puts codes that are not believed, since others of their retailer are none, into a report.
fn of_codes(files: &[ValidatedFile<'_>], report: &mut InputReport) {
    let rules = code_rules(files);
    let mut unbelieved = BTreeSet::new();
    for file in in_order(files, |place| place.listings) {
        for (platform, codes) in &file.meta.codes {
            for (form, codes, cause) in [
                (CodeForm::TenCharacters, &codes.ten_characters, "not_isbn_10"),
                (CodeForm::LongNumber, &codes.long_numbers, "no_check_digits"),
            ] {
                if !rules.believe(form, platform) {
                    let known = report.unusable_barcodes.entry(cause.to_owned()).or_default();
                    known.merge(named(&codes.usable, file.file));
                    unbelieved.extend((form == CodeForm::LongNumber).then_some(platform));
                }
            }
        }
    }
    report.unusable_barcodes.retain(|_, tally| tally.count > 0);
    for platform in unbelieved {
        let text = "check digits are probably missing: at least nine in ten codes of 11 to 13 digits have a wrong \
                    check digit, so these codes are not used as barcodes";
        report.warn(WarningCode::CheckDigitsMissing, platform, text);
    }
}

fn of_file(validated: &ValidatedFile<'_>, report: &mut InputReport) {
    let ValidatedFile { file, meta, .. } = validated;
    let Detected { form, unknown_columns, unread_sheets } = meta.detected.clone();
    if !unread_sheets.is_empty() {
        let unread = unread_sheets.join(", ");
        let text = format!("sheets that are not read: {unread}");
        report.warn(WarningCode::SheetsNotRead, &file.name, text);
    }
    if !unknown_columns.is_empty() {
        let unknown = unknown_columns.join(", ");
        let text = format!("columns that are not read: {unknown}");
        report.warn(WarningCode::ColumnsNotRead, &file.name, text);
    }
    for LineExample { line, value: last } in &meta.tallies.open_quotes.examples {
        let text = format!(
            "lines {line} to {last} are one record and are not read: a quote opens in this record and closes in the \
             middle of a value"
        );
        report.warn(WarningCode::LinesSwallowed, &file.name, text);
    }
    let swallowed = &meta.tallies.open_quotes;
    let others = swallowed.count - swallowed.examples.len() as u64;
    if others > 0 {
        let text =
            format!("{others} more records contain other records; rejected.ndjson lists their first lines");
        report.warn(WarningCode::LinesSwallowed, &file.name, text);
    }
    report.replaced_bytes.merge(named(&meta.tallies.replaced_bytes, file));
    report.open_quotes.merge(named(&meta.tallies.open_quotes, file));
    report.differ_from_path.merge(named(&meta.tallies.differ_from_path, file));
    report.files.push(FileReport {
        file: file.name.clone(),
        kind: file.holds.as_str(),
        format: file.format.as_str(),
        form,
        rows: validated.rows(),
        rejected: meta.rejected_listings + meta.rejected_observations - meta.faultless,
        unknown_columns,
    });
}

/// A tally of a file with its name.
fn named(tally: &LineTally, file: &InputFile) -> Tally {
    let example = |LineExample { line, value }: &LineExample| Example::new(&file.name, *line, value);
    Tally { count: tally.count, examples: tally.examples.iter().map(example).collect() }
}

/// Warns of days that are believed and look like a mistake.
pub fn warn_of_far_days(rows: &RowsByDay, report: &mut InputReport) {
    let mut rows = rows.clone();
    if let Some(last) = last_believed(&rows) {
        rows.split_off(&(last + 1));
    }
    if let Some(Tail { last, rows }) = far_days::suspicious(&rows) {
        let text = format!(
            "rows dated more than 90 days after {}, the last date of all other rows: {rows}. Prices of that \
             date are no longer current; if a year is mistyped, correct the year",
            day_of(last)
        );
        report.warn(WarningCode::DatesFarApart, "observations", text);
    }
}

/// Puts what the shards say into a report.
pub fn of_shards(files: &[ValidatedFile<'_>], shards: &[Shard], report: &mut InputReport) {
    let names = |place: fn(&FilePosition) -> Option<u32>| -> Vec<&str> {
        in_order(files, place).into_iter().map(|file| file.file.name.as_str()).collect()
    };
    let (listings, observations) = (names(|place| place.listings), names(|place| place.observations));
    let sum = |of: fn(&Shard) -> &PlacedTally, files: &[&str]| {
        let mut sum = PlacedTally::default();
        for shard in shards {
            sum.merge(of(shard));
        }
        sum.named(files)
    };
    report.duplicate_listings = sum(|shard| &shard.meta.duplicate_listings, &listings);
    report.ignored_list_prices = sum(|shard| &shard.meta.ignored_list_prices, &observations);
    report.unreadable_flags = sum(|shard| &shard.meta.unreadable_flags, &observations);
    let mut one_cent = BTreeMap::<&str, PlacedTally>::new();
    for (platform, tally) in shards.iter().flat_map(|shard| &shard.meta.one_cent_prices) {
        one_cent.entry(platform).or_default().merge(tally);
    }
    let one_cent = one_cent.into_iter().map(|(key, tally)| (key.to_owned(), tally.named(&observations)));
    merge(&mut report.one_cent_prices, one_cent.collect());
    for (&place, &rejected) in shards.iter().flat_map(|shard| &shard.meta.rejected) {
        let name = observations[place as usize];
        if let Some(file) = report.files.iter_mut().rev().find(|file| file.file == name) {
            file.rejected += rejected;
        }
    }
    report.latest_days = latest_days(&observations, shards);
    report.repeated_days = shards.iter().map(|shard| shard.meta.repeated_days).sum();
    report.unobserved_listings = shards.iter().map(|shard| shard.meta.unobserved).sum();
}

/// The latest days that together hold hardly any observation, the last first, each with its first row.
fn latest_days(files: &[&str], shards: &[Shard]) -> Vec<LatestDay> {
    let mut days = BTreeMap::<u16, LateRows>::new();
    for (&day, &late) in shards.iter().flat_map(|shard| &shard.meta.latest_days) {
        days.entry(day).and_modify(|known| known.merge(late)).or_insert(late);
    }
    let all = shards.iter().map(|shard| shard.meta.observations).sum();
    // Rows that were rejected or repeated count no more.
    let days = far_days::latest(days.iter().rev().map(|day| (day, day.1.observations)), all);
    let named = |(&day, &LateRows { observations, first: (place, line) }): (&u16, &LateRows)| LatestDay {
        day: day_of(day).to_string(),
        observations,
        file: files[place as usize].to_owned(),
        line,
    };
    days.map(named).collect()
}

/// Writes and counts all rejects: those of listings first, then by file and line.
///
/// # Errors
/// When they cannot be read or written.
pub fn write_rejects(
    files: &[ValidatedFile<'_>],
    store: &Store,
    shards: &[Shard],
    rejects: &mut RejectWriter,
) -> Result<()> {
    for file in in_order(files, |place| place.listings) {
        for reject in own(file, store, true)? {
            rejects.reject(&file.file.name, &reject?)?;
        }
    }
    let mut merged = Vec::with_capacity(shards.len());
    for shard in shards {
        merged.push(shard.rejects()?.peekable());
    }
    for (place, file) in (0..).zip(in_order(files, |place| place.observations)) {
        let mut own = own(file, store, false)?.peekable();
        let mut decided = Decided { shards: &mut merged, place, holds: file.file.holds };
        let mut next = decided.next()?;
        loop {
            let line = match own.peek() {
                Some(Err(_)) => 0,
                Some(Ok(reject)) => reject.line,
                None => u64::MAX,
            };
            let reject = match next.take() {
                Some(reject) if reject.line < line => {
                    next = decided.next()?;
                    reject
                }
                other => {
                    next = other;
                    let Some(reject) = own.next() else { break };
                    reject?
                }
            };
            rejects.reject(&file.file.name, &reject)?;
        }
    }
    Ok(())
}

/// Rejects that shards decided, of one file.
struct Decided<'a, I: Iterator<Item = Result<ShardReject>>> {
    shards: &'a mut [Peekable<I>],
    place: u32,
    holds: Holds,
}

impl<I: Iterator<Item = Result<ShardReject>>> Decided<'_, I> {
    /// The next one by line.
    fn next(&mut self) -> Result<Option<Reject>> {
        let mut least: Option<(u64, usize)> = None;
        for (at, shard) in self.shards.iter_mut().enumerate() {
            let line = match shard.peek() {
                Some(Ok(reject)) if reject.place == self.place => reject.line,
                Some(Err(_)) => 0,
                _ => continue,
            };
            if least.is_none_or(|(known, _)| line < known) {
                least = Some((line, at));
            }
        }
        let Some((_, at)) = least else { return Ok(None) };
        let Some(reject) = self.shards[at].next() else { return Ok(None) };
        let ShardReject { line, reason, value, .. } = reject?;
        // In a file of both tables a row without a listing is one without a name.
        let is_unnamed = reason == Reason::NoListing && self.holds == Holds::Both;
        let reason = if is_unnamed { Reason::EmptyName } else { reason };
        Ok(Some(Reject { line, reason, value }))
    }
}

/// Rejects of a file for faults of their own, as listings or as observations, in line order.
fn own<'a>(
    file: &'a ValidatedFile<'_>,
    store: &Store,
    of_listings: bool,
) -> Result<impl Iterator<Item = Result<Reject>> + use<'a>> {
    let rejected = if of_listings { file.meta.rejected_listings } else { file.meta.rejected_observations };
    let rejects: Option<RunRejects> =
        if rejected == 0 { None } else { Some(Run::open(store, &file.run)?.rejects()?) };
    let member = file.member;
    Ok(rejects.into_iter().flatten().filter_map(move |reject| match reject {
        Err(error) => Some(Err(error)),
        Ok(reject) if reject.member != member || reject.of_listings != of_listings => None,
        Ok(reject) => Some(Ok(Reject { line: reject.line, reason: reject.reason, value: reject.value })),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_the_first_whatever_the_order() {
        let rows: Vec<(u32, u64)> = (0..4).flat_map(|place| (1..4).map(move |line| (place, line))).collect();
        let tally = |rows: &mut dyn Iterator<Item = &(u32, u64)>| {
            let mut tally = PlacedTally::default();
            rows.for_each(|&(place, line)| tally.add(place, line, &format!("{place}:{line}")));
            tally
        };
        let forwards = tally(&mut rows.iter());
        assert_eq!(forwards.named(&["a", "b", "c", "d"]).examples[3], Example::new("b", 1, "1:1"));
        assert_eq!(tally(&mut rows.iter().rev()), forwards);
        let (odd, even): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, line)| line % 2 == 1);
        let mut merged = tally(&mut odd.iter());
        merged.merge(&tally(&mut even.iter()));
        assert_eq!(merged, forwards);
    }
}
