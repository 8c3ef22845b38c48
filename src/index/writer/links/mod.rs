//! Likely links of a snapshot: made, compared with barcodes, written.
//!
//! Links are made last, one country at a time. [`LinkerReader`](crate::matching::LinkerReader) reads listings by
//! platform and uid, some thousand texts at a time, and keeps some hundred bytes of each listing of the country.

mod items;
mod reach;

use std::io;
use std::path::Path;

use super::WriterContext;
use crate::matching::{BrandName, Confidence, Link, SelfCheck};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::manifest;
use crate::types::{Country, Ratio4};
use reach::Reach;

/// Share of right links among those of the self check under which none are published.
const PRECISION_MIN: f64 = 0.9;

/// What a build does about likely links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linking {
    /// None are looked for.
    Off,
    /// They are published unless the self check speaks against it.
    Checked,
    /// They are published whatever the self check says.
    Kept,
}

/// What became of links.
pub(super) struct Linked {
    /// The file that holds them.
    pub(super) written: Written,
    /// What manifest and report say; `None` when no links were looked for.
    pub(super) summary: Option<manifest::LinkingCounts>,
    /// Why links are not published, if they are not.
    pub(super) unpublished: Option<String>,
}

/// Links by row: those of row `i` end at `ends[i]`.
struct ByRow {
    ends: Vec<u32>,
    sorted: Vec<(u32, u32, Link)>,
}

/// Looks for links as wished, and writes them and the part numbers to `path`.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn write(step: &WriterContext<'_>, wish: Linking, path: &Path) -> io::Result<Linked> {
    if wish == Linking::Off {
        let written = write_links(step, &ByRow::of(&[], step.keys.len()), false, path)?;
        return Ok(Linked { written, summary: None, unpublished: None });
    }
    let labels = step.names.brands.iter();
    let brands: Vec<BrandName<'_>> =
        labels.map(|brand| BrandName { key: &brand.key, label: &brand.label }).collect();
    let check = self_check(step, &brands)?;
    let wrong = check.precision().filter(|&precision| precision < PRECISION_MIN);
    let unpublished = wrong.filter(|_| wish == Linking::Checked).map(|precision| {
        format!(
            "likely links are not published: of {} links in the self check against barcodes, {:.1} % are correct, but \
             at least {:.0} % are required; --keep-links publishes the links anyway",
            check.links,
            100.0 * precision,
            100.0 * PRECISION_MIN
        )
    });
    let mut made = Vec::new();
    for country in Country::ALL.into_iter().filter(|_| unpublished.is_none()) {
        made.extend(items::linker(step, &brands, country)?.links(Confidence::THRESHOLD));
    }
    let linked = ByRow::of(&made, step.keys.len());
    let summary = summary(step, &linked, made.len(), check);
    Ok(Linked { written: write_links(step, &linked, true, path)?, summary: Some(summary), unpublished })
}

/// The linker over listings that have a barcode, it hidden.
fn self_check(step: &WriterContext<'_>, brands: &[BrandName<'_>]) -> io::Result<SelfCheck> {
    let rows = items::checked_rows(step);
    let mut check = SelfCheck::default();
    for country in Country::ALL {
        let here = |row: &u32| step.keys.country(*row as usize) == country;
        let rows: Vec<u32> = rows.iter().copied().filter(here).collect();
        check.add(
            &step.names.lexicon,
            &step.names.platforms,
            brands,
            &items::items(step, &rows, &items::texts(step, &rows)?),
        );
    }
    Ok(check)
}

fn summary(
    step: &WriterContext<'_>,
    linked: &ByRow,
    links: usize,
    check: SelfCheck,
) -> manifest::LinkingCounts {
    let rows = step.keys.len();
    let count = |holds: &dyn Fn(usize) -> bool| (0..rows).filter(|&row| holds(row)).count() as u64;
    let ratio = |share: Option<f64>| share.map(|share| Ratio4::from_f64(share).as_f64());
    let reach = Reach::of(step, linked);
    manifest::LinkingCounts {
        listings_without_barcode: count(&|row| !step.keys.has_barcode(row)),
        linked_listings: count(&|row| linked.at(row as u32).next().is_some()),
        links: links as u64,
        threshold: Confidence::THRESHOLD.get(),
        comparable_by_barcode: reach.by_barcode,
        comparable_with_links: reach.with_links,
        self_check: manifest::SelfCheckCounts {
            pairs: check.pairs,
            links: check.links,
            precision: ratio(check.precision()),
            recall: ratio(check.recall()),
        },
    }
}

fn write_links(
    step: &WriterContext<'_>,
    linked: &ByRow,
    looked_for: bool,
    path: &Path,
) -> io::Result<Written> {
    let ByRow { ends, sorted } = linked;
    let mut file = ColumnWriter::create(path)?;
    file.column("looked_for", &[u8::from(looked_for)])?;
    file.column("link_ends", ends)?;
    file.column("link_rows", &sorted.iter().map(|entry| entry.1).collect::<Vec<_>>())?;
    file.column("link_confidence", &sorted.iter().map(|entry| entry.2.confidence.0).collect::<Vec<_>>())?;
    file.column("link_reasons", &sorted.iter().map(|entry| entry.2.reasons).collect::<Vec<_>>())?;
    step.listings.copy("mpn", &mut file)?;
    file.finish()
}

impl ByRow {
    /// The links of each of so many rows, both ways.
    fn of(made: &[Link], rows: usize) -> Self {
        let both =
            made.iter().flat_map(|link| [(link.left, link.right, *link), (link.right, link.left, *link)]);
        let mut sorted: Vec<(u32, u32, Link)> = both.collect();
        sorted.sort_unstable_by_key(|&(row, other, _)| (row, other));
        let mut ends = Vec::with_capacity(rows);
        let mut at = 0;
        for row in 0..rows as u32 {
            at += sorted[at..].partition_point(|entry| entry.0 == row);
            ends.push(at as u32);
        }
        Self { ends, sorted }
    }

    /// The links of a row.
    fn at(&self, row: u32) -> impl Iterator<Item = (u32, Link)> + '_ {
        let row = row as usize;
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        self.sorted[from as usize..self.ends[row] as usize].iter().map(|entry| (entry.1, entry.2))
    }
}

#[cfg(test)]
mod tests;
