//! One raw file becomes one run ([`runs`](super::runs)), in bounded memory.
//!
//! ```text
//! file ─read─▶ chunks ─rules─▶ groups ─sort, spill, merge─▶ rows.arrow
//!                          └─▶ rejects.ndjson.zst, tallies ─▶ run.json
//! ```
//!
//! Rows are held against nothing but their own file: whether there is a listing of a key, and which of several rows
//! counts, is decided when runs are merged. A file of both tables is read as one and then as the other.

mod chunks;
mod known;
pub(super) mod listings;
mod name;
pub(super) mod observations;
pub(super) mod sellers;
mod sort;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};

use self::chunks::ValidatedChunk;
use self::known::LineSet;
use self::sort::Sorter;
use super::runs::{
    LineExample, LineTally, MemberMeta, REJECTS, ROWS, Run, RunMeta, RunReject, RunRejectWriter,
};
use crate::ingest::mapping::InputTable;
use crate::ingest::rejects::Reject;
use crate::ingest::report::Tally;
use crate::ingest::{self, Chunk, Header, Holds, InputFile, Progress};
use crate::snapshot::tables::ListingInput;
use crate::store::Store;

pub use known::{KnownRun, RunOf, Validation};
pub use name::run_name;

/// Version of the rules and of the form of runs: what is judged anew when it changes. A test holds the bytes of a run
/// against it.
pub const VALIDATION_VERSION: u32 = 4;

/// Part of the memory that rows take before they are spilled; the rest is for text, decoding and writing.
const ROWS_SHARE: u64 = 3;

/// Judges a file and puts the run `name` into `runs`, unless it is there. `newest` says whether the newest of several
/// listings with one key counts, and so whether the dates of listings are read; `memory` is what rows, text and sorting
/// may take, in bytes, and does not show in the run.
///
/// # Errors
/// When the file cannot be read or lacks a required column, its values can be read in two ways, or the disk refuses.
pub fn validate(
    file: &InputFile,
    newest: bool,
    name: &str,
    runs: &Store,
    scratch: &Path,
    memory: u64,
    progress: &dyn Progress,
) -> Result<()> {
    if Run::is_there(runs, name)? {
        return Ok(());
    }
    let folder = Folder::create(scratch)?;
    let rows = usize::try_from(memory / ROWS_SHARE).unwrap_or(usize::MAX);
    let mut pass = Pass {
        file,
        rejects: RunRejectWriter::create(&folder.0.join(REJECTS))?,
        sorter: Sorter::new(&folder.0, rows),
        member: MemberMeta { run: name.to_owned(), ..MemberMeta::default() },
        days: vec![0; usize::from(u16::MAX) + 1],
        spoiled: LineSet::default(),
        progress,
    };
    if file.holds.has(InputTable::Listings) {
        pass.read_listings(newest)?;
    }
    if file.holds.has(InputTable::Observations) {
        pass.read_observations()?;
    }
    let meta = pass.finish(&folder.0.join(ROWS))?;
    Run::put(runs, name, &folder.0, &meta)
}

/// A folder of temporary files, which goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn create(scratch: &Path) -> Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = scratch.join(format!("judge-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is removed with the scratch folder that it lies in.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A way through one file.
struct Pass<'a> {
    file: &'a InputFile,
    rejects: RunRejectWriter,
    sorter: Sorter<'a>,
    member: MemberMeta,
    /// Observations by day.
    days: Vec<u64>,
    /// Lines of a file of both tables that were rejected as listings.
    spoiled: LineSet,
    progress: &'a dyn Progress,
}

impl Pass<'_> {
    fn read_listings(&mut self, newest: bool) -> Result<()> {
        let (file, both) = (self.file, self.file.holds == Holds::Both);
        let columns = if newest { ListingInput::ALL } else { ListingInput::UNDATED };
        let work = |chunk: &Chunk| chunks::listings(chunk, file, newest);
        let header = ingest::read(file, InputTable::Listings, columns, work, |validated| {
            let validated = validated?;
            self.member.rejected_listings += validated.rejects.len() as u64;
            if both {
                validated.rejects.iter().for_each(|reject| self.spoiled.insert(reject.line));
            } else {
                // Rows of both tables are counted as observations.
                self.member.listing_rows += validated.read;
                self.progress.rows(validated.read);
            }
            self.take(validated, true)
        })?;
        // Texts are decoded for listings alone.
        self.member.tallies.decoded_entities = of_lines(header.damage.decoded_entities.clone());
        if !both {
            self.found_out(header);
        }
        Ok(())
    }

    fn read_observations(&mut self) -> Result<()> {
        let (file, spoiled) = (self.file, std::mem::take(&mut self.spoiled));
        let work = |chunk: &Chunk| chunks::observations(chunk, file, &spoiled);
        let columns = observations::columns(file);
        let header = ingest::read(file, InputTable::Observations, columns, work, |validated| {
            let validated = validated?;
            self.member.rejected_observations += validated.rejects.len() as u64;
            self.member.observation_rows += validated.read;
            self.progress.rows(validated.read);
            self.take(validated, false)
        })?;
        self.found_out(header);
        Ok(())
    }

    /// Takes what became of some rows.
    fn take(&mut self, validated: ValidatedChunk, of_listings: bool) -> Result<()> {
        self.member.faultless += validated.faultless();
        let ValidatedChunk { groups, rejects, tallies, spellings, codes, .. } = validated;
        for Reject { line, reason, value } in rejects {
            self.rejects.push(&RunReject { member: 0, of_listings, line, reason, value })?;
        }
        for spelling in spellings {
            self.member.spelled(&spelling.key, &spelling.written);
        }
        for (platform, codes) in codes {
            self.member.codes.entry(platform).or_default().merge(codes);
        }
        self.member.tallies.merge(tallies);
        for &day in groups.days() {
            self.days[usize::from(day)] += 1;
        }
        self.member.candidates += groups.candidates() as u64;
        if of_listings {
            self.member.texts_bytes += (groups.text_bytes() + groups.key_bytes()) as u64;
        }
        self.sorter.push(groups)
    }

    /// Remembers what was found out about the file.
    fn found_out(&mut self, header: Header) {
        let Header { detected, damage, .. } = header;
        self.member.detected = detected;
        let tallies = &mut self.member.tallies;
        tallies.replaced_bytes = of_lines(damage.replaced_bytes);
        tallies.open_quotes = of_lines(damage.open_quotes);
        tallies.differ_from_path = of_lines(damage.differ_from_path);
    }

    /// Writes the rows, and says what the run is.
    fn finish(self, rows: &Path) -> Result<RunMeta> {
        let Self { rejects, sorter, mut member, days, .. } = self;
        let rejects = rejects.finish()?;
        let sorted = sorter.finish(rows)?;
        member.groups = sorted.groups;
        let days = days.into_iter().enumerate().filter(|(_, rows)| *rows > 0);
        member.rows_by_day = days.map(|(day, rows)| (day as u16, rows)).collect();
        Ok(RunMeta { members: vec![member], batches: sorted.batches, rejects })
    }
}

/// A tally without the name of the file.
fn of_lines(tally: Tally) -> LineTally {
    let examples = tally.examples.into_iter();
    let examples = examples.map(|example| LineExample { line: example.line, value: example.value });
    LineTally { count: tally.count, examples: examples.collect() }
}

#[cfg(test)]
mod known_tests;
#[cfg(test)]
mod tests;
