//! The rules: which rows count, which of several wins, and the order of everything.
//!
//! Listings are read first, whole, because observations are kept as numbers of listings; then observations stream
//! by and leave a few bytes each.

pub(super) mod brands;
pub(super) mod categories;
pub(super) mod far_days;
pub(super) mod labels;
mod listings;
mod observations;
mod order;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use self::far_days::Tail;
use self::listings::{Asked, ListingTable};
use self::observations::{Against, ObservationTable, day_of};
use super::canonical::{Canonical, Names};
use super::ingest::{
    self, Arguments, Found, Header, Holds, InputFile, ListingsOrder, SideFile, Spool, Unread,
};
use super::judge::observations::columns;
use super::judge::sellers::Spelling;
use super::mapping::InputTable;
use super::rejects::{Reason, Reject, RejectWriter};
use super::report::{FileReport, InputReport, Tally};
use super::{Progress, classification, side_tables};
use crate::snapshot::tables::ListingInput;

/// Most files that an error names.
const NAMED_FILES_MAX: usize = 10;
/// Most spellings of a retailer that are reported, the first by bytes.
const SPELLINGS_MAX: usize = 20;

/// Reads the input and leaves clean tables.
///
/// `gpc` names a classification publication; without it the first one found in the input counts. `spool` holds
/// standard input. Rejected rows go to `rejects`, whose caller decides whether they are too many; what was
/// found out is in `report`, also after an error.
///
/// # Errors
/// When a file cannot be read or lacks a required column, or nothing usable is in the input.
pub fn clean(
    arguments: &Arguments,
    gpc: Option<&Path>,
    spool: &Spool,
    rejects: &mut RejectWriter,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<Canonical> {
    let found = ingest::find(arguments, spool)?;
    for Unread { path, why, .. } in &found.unread {
        report.warnings.push(format!("{}: not read: {why}", path.display()));
    }
    for (table, files) in
        [(InputTable::Listings, &found.listings), (InputTable::Observations, &found.observations)]
    {
        ensure!(!files.is_empty(), "no {} in {}", table.as_str(), what_was_found(arguments, &found, table));
    }
    let classification = read_classification(&found, gpc, report)?;
    let aliases = side_tables::aliases(&found.aliases)?;
    let category_bricks = side_tables::category_bricks(&found.category_gpc, &mut report.warnings)?;

    let mut pass =
        Pass { rejects, report, progress, rows_of: vec![0; found.arguments.len()], spoiled: HashMap::new() };
    progress.stage("listings", None);
    let newest = arguments.listings_order == ListingsOrder::Newest;
    let listings = pass.read_listings(&found.listings, newest)?;
    progress.stage("observations", None);
    let observations = pass.read_observations(&found.observations, &listings)?;
    let rows_of = pass.rows_of;
    rejects.flush()?;
    check_arguments(&found, &rows_of)?;
    if observations.is_empty() {
        bail!("no valid observation in the input: {}", what_became_of_all(&found, rejects, report));
    }

    progress.stage("order", Some(listings.len() as u64 + observations.len() as u64));
    let canonical = order::assemble(listings, observations, report, progress)?;
    let names = Names { aliases, category_bricks, classification, ..canonical.names };
    let canonical = Canonical { names, ..canonical };
    finish(report);
    debug_assert_eq!(canonical.check(), Ok(()), "an invariant of the canonical tables");
    Ok(canonical)
}

/// The arguments, what to do where nothing by them holds a table, and the files that may have been meant.
fn what_was_found(arguments: &Arguments, found: &Found, table: InputTable) -> String {
    let mut text = arguments.all().join(", ");
    let others = match table {
        InputTable::Listings => &found.observations,
        InputTable::Observations => &found.listings,
    };
    if others.is_empty() && found.unread.is_empty() {
        return text + ": no file is there";
    }
    let table = table.as_str();
    let _ = write!(text, ": call the file or its folder {table}, or name it with --{table}");
    for file in others.iter().filter(|file| !file.lacks.is_empty()).take(NAMED_FILES_MAX) {
        let _ = write!(text, "\n  {}: read as {} alone: {}", file.name, file.holds.as_str(), file.lacks);
    }
    for unread in found.unread.iter().take(NAMED_FILES_MAX) {
        let _ = write!(text, "\n  {unread}");
    }
    if found.unread.len() > NAMED_FILES_MAX {
        let more = found.unread.len() - NAMED_FILES_MAX;
        let _ = write!(text, "\n  and {more} more files that nothing reads");
    }
    text
}

/// What became of observations of which none is left.
fn what_became_of_all(found: &Found, rejects: &RejectWriter, report: &InputReport) -> String {
    if rejects.rejected() == 0 || report.observation_rows == 0 {
        let files = found.observations.iter().map(|file| file.name.as_str()).take(NAMED_FILES_MAX);
        return format!("no row with date and price in {}", files.collect::<Vec<_>>().join(", "));
    }
    format!("{} of {} rows were rejected{}", rejects.rejected(), rejects.rows(), rejects.reasons())
}

/// Refuses arguments of which nothing came.
fn check_arguments(found: &Found, rows_of: &[u64]) -> Result<()> {
    for (at, ((argument, side_table), &rows)) in found.arguments.iter().zip(rows_of).enumerate() {
        let empty = found.listings.iter().filter(|file| file.holds == Holds::Listings);
        let empty = empty.chain(&found.observations).filter(|file| file.argument == at);
        let empty: Vec<_> = empty
            .take(NAMED_FILES_MAX)
            .map(|file| format!("\n  {}: names of columns and no row", file.name))
            .collect();
        let unread = found.unread.iter().filter(|unread| unread.path.starts_with(argument));
        let unread: Vec<_> = unread.take(NAMED_FILES_MAX).map(|unread| format!("\n  {unread}")).collect();
        ensure!(
            *side_table || rows > 0,
            "{argument}: no row and no side table is in it{}{}",
            empty.concat(),
            unread.concat()
        );
    }
    Ok(())
}

fn read_classification(
    found: &Found,
    gpc: Option<&Path>,
    report: &mut InputReport,
) -> Result<Option<super::canonical::ClassificationTables>> {
    let asked = gpc.map(SideFile::at);
    let Some(file) = asked.as_ref().or(found.gpc.first()) else { return Ok(None) };
    for ignored in found.gpc.iter().filter(|other| other.path != file.path) {
        report
            .warnings
            .push(format!("{}: ignored, the classification is read from {}", ignored.name, file.name));
    }
    classification::read(&file.path).map(Some)
}

/// A way through the files of an input.
struct Pass<'a> {
    rejects: &'a mut RejectWriter,
    report: &'a mut InputReport,
    progress: &'a dyn Progress,
    /// Rows read of each argument.
    rows_of: Vec<u64>,
    /// Lines of files with both tables that were rejected as listings.
    spoiled: HashMap<PathBuf, HashSet<u64>>,
}

impl Pass<'_> {
    fn read_listings(&mut self, files: &[InputFile], newest: bool) -> Result<ListingTable> {
        let mut table = ListingTable::default();
        let asked = Asked { newest, equality: files.iter().any(|file| file.holds == Holds::Both) };
        let columns = if newest { ListingInput::ALL } else { ListingInput::UNDATED };
        for file in files {
            let before = self.rejects.rejected();
            let both = file.holds == Holds::Both;
            let work = |chunk: &ingest::Chunk| listings::judge(chunk, file, asked);
            let header = ingest::read(file, InputTable::Listings, columns, work, |judged| {
                if both {
                    let lines = judged.rejects.iter().map(|reject| reject.line);
                    self.spoiled.entry(file.path.clone()).or_default().extend(lines);
                }
                // Rows of both tables are counted as observations.
                self.take(file, if both { 0 } else { judged.read }, &judged.rejects, &judged.spellings)?;
                table.extend(judged, file, self.report)
            })?;
            if !both {
                self.note(file, header, self.rejects.rejected() - before);
            }
        }
        self.report.listing_rows = self.rejects.rows();
        Ok(table)
    }

    fn read_observations(
        &mut self,
        files: &[InputFile],
        listings: &ListingTable,
    ) -> Result<ObservationTable> {
        let mut table = ObservationTable::new(listings.len());
        for file in files {
            let spoiled = self.spoiled.get(&file.path).cloned().unwrap_or_default();
            let before = self.rejects.rejected() - spoiled.len() as u64;
            let against = Against { file, index: listings.index(), spoiled: &spoiled, last: None };
            let work = |chunk: &ingest::Chunk| observations::judge(chunk, against);
            let header = ingest::read(file, InputTable::Observations, columns(file), work, |judged| {
                self.take(file, judged.read, &judged.rejects, &judged.spellings)?;
                table.extend(judged, self.report)
            })?;
            self.note(file, header, self.rejects.rejected() - before);
        }
        self.report.observation_rows = self.rejects.rows() - self.report.listing_rows;
        if let Some(tail) = far_days::unbelieved(&by_day(&table.columns.day)) {
            drop(table);
            self.progress.stage("observations without days far ahead", None);
            table = self.read_believed(files, listings, tail)?;
        }
        if let Some(Tail { last, rows }) = far_days::suspicious(&by_day(&table.columns.day)) {
            self.report.warnings.push(format!(
                "{rows} observations lie more than 90 days after all others, which end on {}: prices that were current \
                 then no longer are; if a year is mistyped, mend it",
                day_of(last)
            ));
        }
        Ok(table)
    }

    /// Reads observations once more and leaves out those of days that are not believed: which they are shows only when
    /// all are known, and then nobody remembers in which lines they stand.
    fn read_believed(
        &mut self,
        files: &[InputFile],
        listings: &ListingTable,
        tail: Tail,
    ) -> Result<ObservationTable> {
        // Odd values of rows that are now rejected are not counted, as those of other rejected rows are not.
        self.report.one_cent_prices.clear();
        self.report.ignored_list_prices = Tally::default();
        self.report.unreadable_flags = Tally::default();
        let first_file = self.report.files.len() - files.len();
        let (mut table, before_all) = (ObservationTable::new(listings.len()), self.rejects.rejected());
        for (number, file) in files.iter().enumerate() {
            let before = self.rejects.rejected();
            let spoiled = self.spoiled.get(&file.path).cloned().unwrap_or_default();
            let against = Against { file, index: listings.index(), spoiled: &spoiled, last: Some(tail.last) };
            let work = |chunk: &ingest::Chunk| observations::judge(chunk, against);
            ingest::read(file, InputTable::Observations, columns(file), work, |judged| {
                // The others were written down the first time.
                let mut far = judged.rejects.iter().filter(|reject| reject.reason == Reason::DateFarAhead);
                far.try_for_each(|reject| self.rejects.reject(&file.name, reject))?;
                self.progress.advance(judged.read);
                table.extend(judged, self.report)
            })?;
            self.report.files[first_file + number].rejected += self.rejects.rejected() - before;
        }
        ensure!(
            self.rejects.rejected() - before_all == tail.rows,
            "the observations changed while they were read; build again when nobody writes to them"
        );
        Ok(table)
    }

    /// Counts what became of some rows.
    fn take(
        &mut self,
        file: &InputFile,
        read: u64,
        rejects: &[Reject],
        spellings: &[Spelling],
    ) -> Result<()> {
        self.rejects.count_rows(read);
        self.rows_of[file.argument] += read;
        self.progress.advance(read);
        for Spelling { key, written } in spellings {
            let known = self.report.retailer_spellings.entry(key.clone()).or_default();
            known.insert(written.clone());
            if known.len() > SPELLINGS_MAX {
                // Those that stay do not depend on the order of rows.
                known.pop_last();
            }
        }
        let mut rejects = rejects.iter();
        rejects.try_for_each(|reject| self.rejects.reject(&file.name, reject)).context("a reject is lost")
    }

    fn note(&mut self, file: &InputFile, header: Header, rejected: u64) {
        let Header { unknown, rows, separator, encoding, numbers, dates, renamed, damage } = header;
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            self.report.warnings.push(format!("{}: columns that nothing reads: {unknown}", file.name));
        }
        self.report.replaced_bytes.merge(damage.replaced_bytes);
        self.report.extra_fields.merge(damage.extra_fields);
        self.report.open_quotes.merge(damage.open_quotes);
        self.report.differ_from_path.merge(damage.differ_from_path);
        self.report.files.push(FileReport {
            file: file.name.clone(),
            kind: file.holds.as_str(),
            format: file.format.as_str(),
            separator,
            encoding: encoding.map(str::to_owned),
            numbers,
            dates,
            renamed: renamed.into_iter().map(|(ours, theirs)| (ours.to_owned(), theirs)).collect(),
            rows,
            rejected,
            unknown_columns: unknown,
        });
    }
}

/// Rows on each day.
fn by_day(days: &[u16]) -> far_days::RowsByDay {
    let mut rows = far_days::RowsByDay::new();
    days.iter().for_each(|&day| *rows.entry(day).or_default() += 1);
    rows
}

fn finish(report: &mut InputReport) {
    report.retailer_spellings.retain(|_, written| written.len() > 1);
    for (platform, tally) in &report.one_cent_prices {
        report.warnings.push(format!(
            "{platform}: {} prices of 0.01, which is nearly always a placeholder",
            tally.count
        ));
    }
}
