//! The rules: which rows count, which of several wins, and the order of everything.
//!
//! Listings are read first, whole, because observations are kept as numbers of listings; then observations stream
//! by and leave a few bytes each.

mod brands;
mod categories;
mod far_days;
mod labels;
mod listings;
mod observations;
mod order;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use self::far_days::Tail;
use self::listings::ListingTable;
use self::observations::{ObservationTable, day_of};
use super::canonical::Canonical;
use super::ingest::{self, Found, Header, InputFile};
use super::rejects::{Reason, Reject, RejectWriter};
use super::report::{FileReport, InputReport, Tally};
use super::{Progress, classification, side_tables};
use crate::snapshot::tables::{ListingInput, ObservationInput};

/// Reads the input folders and leaves clean tables.
///
/// `gpc` names a classification publication; without it the first one found in the input counts. Rejected rows go
/// to `rejects`, whose caller decides whether they are too many.
///
/// # Errors
/// When a file cannot be read or lacks a required column, or nothing usable is in the input.
pub fn clean(
    inputs: &[PathBuf],
    gpc: Option<&Path>,
    rejects: &mut RejectWriter,
    progress: &dyn Progress,
) -> Result<(Canonical, InputReport)> {
    let found = ingest::find(inputs)?;
    ensure!(
        !found.listings.is_empty(),
        "no listings file (listings.csv, .csv.gz, .parquet, .ndjson) in {}",
        {
            let names: Vec<_> = inputs.iter().map(|input| input.display().to_string()).collect();
            if names.is_empty() { "no input folder at all".to_owned() } else { names.join(", ") }
        }
    );
    ensure!(!found.observations.is_empty(), "no observations file beside the listings of the input");
    let mut report = InputReport::default();
    let classification = read_classification(&found, gpc, &mut report)?;
    let aliases = side_tables::aliases(&found.aliases)?;
    let category_bricks = side_tables::category_bricks(&found.category_gpc, &mut report.warnings)?;

    progress.stage("listings", None);
    let listings = read_listings(&found.listings, rejects, &mut report, progress)?;
    progress.stage("observations", None);
    let observations = read_observations(&found.observations, &listings, rejects, &mut report, progress)?;
    rejects.flush()?;
    if observations.is_empty() {
        bail!(
            "no valid observation in the input: {} of {} rows were rejected",
            rejects.rejected(),
            rejects.rows()
        );
    }

    progress.stage("order", Some(listings.len() as u64 + observations.len() as u64));
    let canonical = order::assemble(listings, observations, &mut report, progress)?;
    let canonical = Canonical { aliases, category_bricks, classification, ..canonical };
    finish(&mut report, rejects, &found);
    debug_assert_eq!(canonical.check(), Ok(()), "an invariant of the canonical tables");
    Ok((canonical, report))
}

fn read_classification(
    found: &Found,
    gpc: Option<&Path>,
    report: &mut InputReport,
) -> Result<Option<super::canonical::ClassificationTables>> {
    let Some(path) = gpc.or(found.gpc.first().map(PathBuf::as_path)) else { return Ok(None) };
    for ignored in found.gpc.iter().filter(|other| *other != path) {
        report.warnings.push(format!(
            "{}: ignored, the classification is read from {}",
            ignored.display(),
            path.display()
        ));
    }
    classification::read(path).map(Some)
}

fn read_listings(
    files: &[InputFile],
    rejects: &mut RejectWriter,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<ListingTable> {
    let mut table = ListingTable::default();
    for file in files {
        let before = rejects.rejected();
        let work = |chunk: &ingest::Chunk| listings::judge(chunk, &file.name);
        let header = ingest::read(file, ListingInput::ALL, work, |judged| {
            take_rejects(rejects, file, judged.read, &judged.rejects)?;
            progress.advance(judged.read);
            table.extend(judged, &file.name, report)
        })?;
        note(report, file, "listings", header, rejects.rejected() - before);
    }
    report.listing_rows = rejects.rows();
    Ok(table)
}

fn read_observations(
    files: &[InputFile],
    listings: &ListingTable,
    rejects: &mut RejectWriter,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<ObservationTable> {
    let mut table = ObservationTable::new(listings.len());
    for file in files {
        let before = rejects.rejected();
        let work = |chunk: &ingest::Chunk| observations::judge(chunk, &file.name, listings.index(), None);
        let header = ingest::read(file, ObservationInput::ALL, work, |judged| {
            take_rejects(rejects, file, judged.read, &judged.rejects)?;
            progress.advance(judged.read);
            table.extend(judged, report)
        })?;
        note(report, file, "observations", header, rejects.rejected() - before);
    }
    report.observation_rows = rejects.rows() - report.listing_rows;
    if let Some(tail) = far_days::unbelieved(&table.columns.day) {
        drop(table);
        progress.stage("observations without days far ahead", None);
        table = read_believed(files, listings, tail, rejects, report, progress)?;
    }
    if let Some(Tail { last, rows }) = far_days::suspicious(&table.columns.day) {
        report.warnings.push(format!(
            "{rows} observations lie more than 90 days after all others, which end on {}: prices that were current then \
             no longer are; if a year is mistyped, mend it",
            day_of(last)
        ));
    }
    Ok(table)
}

/// Reads observations once more and leaves out those of days that are not believed: which they are shows only when all
/// are known, and then nobody remembers in which lines they stand.
fn read_believed(
    files: &[InputFile],
    listings: &ListingTable,
    tail: Tail,
    rejects: &mut RejectWriter,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<ObservationTable> {
    // Odd values of rows that are now rejected are not counted, as those of other rejected rows are not.
    report.one_cent_prices.clear();
    report.ignored_list_prices = Tally::default();
    let first_file = report.files.len() - files.len();
    let (mut table, before_all) = (ObservationTable::new(listings.len()), rejects.rejected());
    for (number, file) in files.iter().enumerate() {
        let before = rejects.rejected();
        let last = Some(tail.last);
        let work = |chunk: &ingest::Chunk| observations::judge(chunk, &file.name, listings.index(), last);
        ingest::read(file, ObservationInput::ALL, work, |judged| {
            // The others were written down the first time.
            let mut far = judged.rejects.iter().filter(|reject| reject.reason == Reason::DateFarAhead);
            far.try_for_each(|reject| rejects.reject(&file.name, reject))?;
            progress.advance(judged.read);
            table.extend(judged, report)
        })?;
        report.files[first_file + number].rejected += rejects.rejected() - before;
    }
    ensure!(
        rejects.rejected() - before_all == tail.rows,
        "the observations changed while they were read; build again when nobody writes to them"
    );
    Ok(table)
}

fn take_rejects(writer: &mut RejectWriter, file: &InputFile, read: u64, rejects: &[Reject]) -> Result<()> {
    writer.count_rows(read);
    rejects.iter().try_for_each(|reject| writer.reject(&file.name, reject)).context("a reject is lost")
}

fn note(report: &mut InputReport, file: &InputFile, kind: &'static str, header: Header, rejected: u64) {
    let unknown_columns = header.unknown;
    if !unknown_columns.is_empty() {
        report.warnings.push(format!(
            "{}: columns that nothing reads: {}",
            file.name,
            unknown_columns.join(", ")
        ));
    }
    report.files.push(FileReport {
        file: file.name.clone(),
        kind,
        rows: header.rows,
        rejected,
        unknown_columns,
    });
}

fn finish(report: &mut InputReport, rejects: &RejectWriter, found: &Found) {
    report.rejected_rows = rejects.rejected();
    report.rejected_share = rejects.share();
    report.rejected =
        rejects.by_reason().iter().map(|(&reason, tally)| (reason.to_owned(), tally.clone())).collect();
    for path in &found.unreadable {
        report.warnings.push(format!("{}: ignored, not a format that is read", path.display()));
    }
    for (platform, tally) in &report.one_cent_prices {
        report.warnings.push(format!(
            "{platform}: {} prices of 0.01, which is nearly always a placeholder",
            tally.count
        ));
    }
}
