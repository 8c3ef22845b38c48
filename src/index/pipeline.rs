//! The ingest pipeline, the first half of a build: from arguments to a catalog in shards.
//!
//! ```text
//! arguments ─find─▶ files ─validate─▶ runs ─tasks─▶ merge ─▶ shards ─▶ names, report, rejects
//! ```
//!
//! A run or a shard that exists, made by an earlier build or by another machine, is used as it is.
//!
//! A bad row is written to `rejected.ndjson` with file, line and reason, and the build goes on. When too many rows are
//! bad the build fails and its report is left in `reports/.failed`. The report and the rejects are made from the list
//! of files, the runs and the shards alone, so they do not tell which runs were reused.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use rayon::prelude::*;

use super::merge::merge;
use super::merge::report::{self, ValidatedFile};
use super::merge::shard::Shard;
use super::merge::source::Shards;
use super::merge::task::{FilePosition, MergeTask, PlacedMember, PlacedRun, SHARD_BITS_MAX};
use super::normalized::Names;
use super::runs::{self, InUse, MemberMeta, Run, UsedRun};
use super::space;
use super::validate::{RunOf, Validation};
use crate::ingest::classification::{self, ClassificationTables};
use crate::ingest::mapping::InputTable;
use crate::ingest::rejects::RejectWriter;
use crate::ingest::report::{InputReport, WarningCode};
use crate::ingest::side_tables::{self, Alias, CategoryBrick};
use crate::ingest::{
    self, Arguments, Holds, InputFile, InputFiles, ListingsOrder, Progress, SideFile, Spool, Unread,
};
use crate::lang::Lexicon;
use crate::store::Store;
use crate::types::Day;

/// Most files that an error names.
const NAMED_FILES_MAX: usize = 10;
/// Bytes that a listing takes in a shard beside its texts, roughly.
const LISTING_BYTES: u64 = 120;
/// Bytes that a row of observations leaves in a shard, roughly: prices stay for days.
const OBSERVATION_BYTES: u64 = 4;
/// A shard takes at least one part in so many of that on disk: prices are small, and texts repeat.
const SHARD_DISK_PART: u64 = 4;
/// A snapshot and what is laid aside while it is packed take at least so many times the bytes of the shards.
const PACKED_TIMES: u64 = 3;
/// Of a thread's memory the part that the reduced listings of a shard take.
const SHARD_PART: u64 = 8;

/// Where a build reads and keeps things, and how.
#[derive(Clone, Copy)]
pub struct PipelineOptions<'a> {
    /// What is read.
    pub arguments: &'a Arguments,
    /// A classification publication that replaces any in the input.
    pub gpc: Option<&'a Path>,
    /// Rows that are added to the shipped lexicon.
    pub lexicon: Option<&'a Path>,
    /// Where input is put that is no file of this machine.
    pub spool: &'a Spool,
    /// Where runs and shards are.
    pub store: &'a Store,
    /// A folder for temporary files.
    pub scratch: &'a Path,
    /// Memory of all threads together, in bytes.
    pub memory: u64,
    /// Whether nothing that is known of files is believed.
    pub rehash: bool,
    /// Two to the power of this many shards; by the memory without it.
    pub shard_bits: Option<u32>,
    /// Who watches.
    pub progress: &'a dyn Progress,
}

/// A catalog, and what it was made of.
pub struct PipelineOutput {
    /// The catalog.
    pub shards: Shards,
    /// What was used of the store.
    pub in_use: InUse,
}

/// What an input holds, before its rows are read.
pub struct Inputs {
    found: InputFiles,
    classification: Option<ClassificationTables>,
    aliases: Vec<Alias>,
    category_bricks: Vec<CategoryBrick>,
}

impl Inputs {
    /// Finds files and reads side tables; what looks odd goes into the report.
    ///
    /// # Errors
    /// When a table has no file, or a side table cannot be read.
    pub fn find(
        arguments: &Arguments,
        gpc: Option<&Path>,
        spool: &Spool,
        report: &mut InputReport,
    ) -> Result<Self> {
        let found = ingest::find(arguments, spool)?;
        for Unread { path, why, .. } in &found.unread {
            report.warn(WarningCode::FileNotRead, path.display().to_string(), format!("not read: {why}"));
        }
        for (table, files) in
            [(InputTable::Listings, &found.listings), (InputTable::Observations, &found.observations)]
        {
            ensure!(
                !files.is_empty(),
                "no {} in {}",
                table.as_str(),
                what_was_found(arguments, &found, table)
            );
        }
        let classification = read_classification(&found, gpc, report)?;
        let aliases = side_tables::aliases(&found.aliases)?;
        let category_bricks = side_tables::category_bricks(&found.category_gpc, report)?;
        Ok(Self { found, classification, aliases, category_bricks })
    }

    /// The files with rows, each once, and where they stand in the reading orders.
    pub fn files(&self) -> Vec<(&InputFile, FilePosition)> {
        let mut files: Vec<(&InputFile, FilePosition)> = Vec::new();
        let mut both: HashMap<&Path, usize> = HashMap::new();
        for (file, place) in self.found.listings.iter().zip(0..) {
            if file.holds == Holds::Both {
                both.insert(&file.path, files.len());
            }
            files.push((file, FilePosition { listings: Some(place), observations: None }));
        }
        for (file, place) in self.found.observations.iter().zip(0..) {
            match both.get(file.path.as_path()).filter(|_| file.holds == Holds::Both) {
                Some(&at) => files[at].1.observations = Some(place),
                None => files.push((file, FilePosition { listings: None, observations: Some(place) })),
            }
        }
        files
    }
}

/// The shipped lexicon with the rows of a file.
fn read_lexicon(file: Option<&Path>) -> Result<Lexicon> {
    let Some(file) = file else {
        return Lexicon::extended("").map_err(anyhow::Error::msg);
    };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the lexicon {}", file.display()))?;
    Lexicon::extended(text.trim_start_matches('\u{feff}'))
        .map_err(|fault| anyhow!("{}: {fault}", file.display()))
}

/// The merges that make a catalog of these files.
pub fn merge_tasks(files: &[ValidatedFile<'_>], newest: bool, shard_bits: u32) -> Vec<MergeTask> {
    let rows_by_day = report::rows_by_day(files);
    let (last_day, first_late_day) = (report::last_believed(&rows_by_day), report::first_late(&rows_by_day));
    let codes = Arc::new(report::code_rules(files));
    let mut runs: Vec<PlacedRun> = Vec::new();
    let mut number: HashMap<&str, usize> = HashMap::new();
    for ValidatedFile { run, member, place, meta, .. } in files {
        let at = *number.entry(run).or_insert_with(|| {
            runs.push(PlacedRun { run: run.clone(), members: vec![] });
            runs.len() - 1
        });
        let (members, member) = (&mut runs[at].members, *member as usize);
        members.resize(members.len().max(member + 1), PlacedMember::default());
        members[member].run.clone_from(&meta.run);
        members[member].places.push(*place);
    }
    let runs: Arc<[PlacedRun]> = runs.into();
    let task = |shard| {
        let runs = Arc::clone(&runs);
        let codes = Arc::clone(&codes);
        MergeTask { shard, shard_bits, runs, newest, last_day, first_late_day, codes }
    };
    (0..1 << shard_bits).map(task).collect()
}

/// Into how many shards these files are cut, as a power of two, so that what is left of one fits into its part of a
/// thread's memory.
pub fn shard_bits(files: &[ValidatedFile<'_>], memory_of_thread: u64) -> u32 {
    let shards = shard_bytes(files).div_ceil((memory_of_thread / SHARD_PART).max(1)).max(1);
    shards.next_power_of_two().ilog2().min(SHARD_BITS_MAX)
}

/// Bytes that shards of these files take in memory, roughly.
fn shard_bytes(files: &[ValidatedFile<'_>]) -> u64 {
    let bytes = |meta: &MemberMeta| {
        let listings = meta.texts_bytes + meta.candidates * LISTING_BYTES;
        listings + meta.rows_by_day.values().sum::<u64>() * OBSERVATION_BYTES
    };
    files.iter().map(|file| bytes(&file.meta)).sum()
}

impl PipelineOptions<'_> {
    /// Reads, judges and merges the input. What was found out is in `report`, also after an error; rejected rows go to
    /// `rejects`, whose caller decides whether they are too many.
    ///
    /// # Errors
    /// When a file cannot be read or lacks a required column, or nothing usable is in the input.
    pub fn read(&self, rejects: &mut RejectWriter, report: &mut InputReport) -> Result<PipelineOutput> {
        let lexicon = read_lexicon(self.lexicon)?;
        let inputs = Inputs::find(self.arguments, self.gpc, self.spool, report)?;
        let files = self.validate(&inputs)?;
        report::of_files(&files, report);
        rejects.count_rows(files.iter().map(ValidatedFile::rows).sum());
        let shards = self.merge(&files)?;
        report::of_shards(&files, &shards, report);
        report::write_rejects(&files, self.store, &shards, rejects)?;
        report::warn_of_far_days(&report::rows_by_day(&files), report);
        check_arguments(&inputs.found, &files)?;
        if shards.iter().all(|shard| shard.meta.observations == 0) {
            bail!(
                "the input does not contain a valid observation: {}",
                what_became_of_all(&inputs.found, rejects, report)
            );
        }
        let bytes_of_shards = shards.iter().flat_map(|shard| &shard.meta.files).map(|file| file.bytes);
        space::require(self.scratch, PACKED_TIMES * bytes_of_shards.sum::<u64>(), "the snapshot")?;
        let in_use = self.in_use(&files)?;
        drop(files);
        let Inputs { classification, aliases, category_bricks, .. } = inputs;
        let names = Names {
            first_day: Day::OBSERVED_MIN,
            last_day: Day::OBSERVED_MIN,
            platforms: vec![],
            brands: vec![],
            categories: vec![],
            aliases,
            category_bricks,
            classification,
            lexicon: Arc::new(lexicon),
        };
        let shards = Shards::of(shards, names)?;
        note(&shards, report);
        Ok(PipelineOutput { shards, in_use })
    }

    /// What a build of these files used of the store.
    fn in_use(&self, files: &[ValidatedFile<'_>]) -> Result<InUse> {
        let mut in_use = InUse::default();
        let tasks = self.tasks(files);
        for task in &tasks {
            in_use.add_shard(&task.name()?);
        }
        for PlacedRun { run, .. } in tasks.iter().take(1).flat_map(|task| task.runs.iter()) {
            in_use.add_run(&Run::open(self.store, run)?);
        }
        files.iter().filter_map(|file| file.known.as_deref()).for_each(|known| in_use.add_known(known));
        Ok(in_use)
    }

    /// The merges of these files.
    fn tasks(&self, files: &[ValidatedFile<'_>]) -> Vec<MergeTask> {
        let threads = rayon::current_num_threads() as u64;
        let bits = self.shard_bits.unwrap_or_else(|| shard_bits(files, self.memory / threads));
        merge_tasks(files, self.arguments.listings_order == ListingsOrder::Newest, bits)
    }

    /// Has every file judged that is not known yet.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn validate<'i>(&self, inputs: &'i Inputs) -> Result<Vec<ValidatedFile<'i>>> {
        let Self { store, scratch, memory, rehash, progress, .. } = *self;
        let newest = self.arguments.listings_order == ListingsOrder::Newest;
        let validation = Validation { store, scratch, memory, newest, rehash, progress };
        let files = inputs.files();
        progress.stage("validating", Some((files.len() as u64, "files")));
        let mut validated = Vec::new();
        for (file, place) in files {
            validated.push((file, place, validation.run_of(file)?));
            progress.part();
        }
        // Where they are many, they are put together.
        let used = runs::used_runs(store, validated.iter().map(|(_, _, run)| run.name.as_str()))?;
        let used = runs::compact(store, scratch, used, progress)?;
        let mut holder = HashMap::new();
        for UsedRun { run, members } in &used {
            for &member in members {
                holder.insert(run.meta().members[member as usize].run.as_str(), (run, member));
            }
        }
        let file = |(file, place, RunOf { name, known, .. }): (&'i InputFile, FilePosition, RunOf)| {
            let &(run, member) = holder.get(name.as_str()).context("the run of a file is missing")?;
            let meta = run.meta().members[member as usize].clone();
            Ok(ValidatedFile { file, place, run: run.name().to_owned(), member, meta, known })
        };
        validated.into_iter().map(file).collect()
    }

    /// Makes the shards that are not there yet.
    fn merge(&self, files: &[ValidatedFile<'_>]) -> Result<Vec<Shard>> {
        let tasks = self.tasks(files);
        if let Some(dir) = self.store.path("") {
            let is_there = |task: &MergeTask| anyhow::Ok(Shard::meta(self.store, &task.name()?)?.is_some());
            let missing =
                tasks.iter().map(is_there).filter(|there| !matches!(there, Ok(true))).count() as u64;
            let needed = shard_bytes(files) / SHARD_DISK_PART * missing / tasks.len() as u64;
            space::require(&dir, needed, "the merge")?;
        }
        self.progress.stage("merging", Some((tasks.len() as u64, "shards")));
        let shard = |task: &MergeTask| {
            merge(task, self.store, self.scratch)?;
            self.progress.part();
            Shard::open(self.store, &task.name()?, self.scratch)
        };
        tasks.par_iter().with_max_len(1).map(shard).collect()
    }
}

/// Puts the sizes of a catalog, and what looks odd about it, into a report.
fn note(shards: &Shards, report: &mut InputReport) {
    use super::normalized::Source as _;
    let (names, sizes) = (shards.names(), shards.sizes());
    report.listings = sizes.listings;
    report.observations = sizes.observations;
    report.platforms = names.platforms.len() as u64;
    report.brands = names.brands.len() as u64;
    report.categories = names.categories.len() as u64;
    report.retailer_spellings.retain(|_, written| written.len() > 1);
    for (platform, tally) in report.one_cent_prices.clone() {
        let text = format!("{} prices of 0.01, which is nearly always a placeholder", tally.count);
        report.warn(WarningCode::OneCentPrices, platform, text);
    }
}

/// The arguments, what to do where nothing by them holds a table, and the files that may have been meant.
fn what_was_found(arguments: &Arguments, found: &InputFiles, table: InputTable) -> String {
    let mut text = arguments.all().join(", ");
    let others = match table {
        InputTable::Listings => &found.observations,
        InputTable::Observations => &found.listings,
    };
    if others.is_empty() && found.unread.is_empty() {
        return text + ": no files were found";
    }
    let table = table.as_str();
    let _ = write!(text, ": rename the file or its folder to {table}, or pass the file with --{table}");
    for file in others.iter().filter(|file| !file.lacks.is_empty()).take(NAMED_FILES_MAX) {
        let _ = write!(text, "\n  {}: read only as {}: {}", file.name, file.holds.as_str(), file.lacks);
    }
    for unread in found.unread.iter().take(NAMED_FILES_MAX) {
        let _ = write!(text, "\n  {unread}");
    }
    if found.unread.len() > NAMED_FILES_MAX {
        let more = found.unread.len() - NAMED_FILES_MAX;
        let _ = write!(text, "\n  and {more} more files that are not read");
    }
    text
}

/// What became of observations of which none is left.
fn what_became_of_all(found: &InputFiles, rejects: &RejectWriter, report: &InputReport) -> String {
    if rejects.rejected() == 0 || report.observation_rows == 0 {
        let files = found.observations.iter().map(|file| file.name.as_str()).take(NAMED_FILES_MAX);
        return format!("no row has a date and a price in {}", files.collect::<Vec<_>>().join(", "));
    }
    format!("{} of {} rows were rejected{}", rejects.rejected(), rejects.rows(), rejects.reasons())
}

/// Refuses arguments of which nothing came.
fn check_arguments(found: &InputFiles, files: &[ValidatedFile<'_>]) -> Result<()> {
    let mut rows_of = vec![0; found.arguments.len()];
    for file in files {
        rows_of[file.file.argument] += file.rows();
    }
    for (at, ((argument, side_table), &rows)) in found.arguments.iter().zip(&rows_of).enumerate() {
        let empty = found.listings.iter().filter(|file| file.holds == Holds::Listings);
        let empty = empty.chain(&found.observations).filter(|file| file.argument == at);
        let empty: Vec<_> = empty
            .take(NAMED_FILES_MAX)
            .map(|file| format!("\n  {}: contains a header and no rows", file.name))
            .collect();
        let unread = found.unread.iter().filter(|unread| unread.path.starts_with(argument));
        let unread: Vec<_> = unread.take(NAMED_FILES_MAX).map(|unread| format!("\n  {unread}")).collect();
        ensure!(
            *side_table || rows > 0,
            "{argument}: contains neither rows nor a side table{}{}",
            empty.concat(),
            unread.concat()
        );
    }
    Ok(())
}

fn read_classification(
    found: &InputFiles,
    gpc: Option<&Path>,
    report: &mut InputReport,
) -> Result<Option<ClassificationTables>> {
    let asked = gpc.map(SideFile::at);
    let Some(file) = asked.as_ref().or(found.gpc.first()) else { return Ok(None) };
    for ignored in found.gpc.iter().filter(|other| other.path != file.path) {
        let text = format!("not read: the classification is read from {}", file.name);
        report.warn(WarningCode::FileNotRead, &ignored.name, text);
    }
    classification::read(&file.path).map(Some)
}
