//! A whole build: input folders in, a published snapshot and its report out. Putting the snapshot in use is a separate
//! step, for a caller that can open it.
//!
//! ```text
//! inputs ─pipeline─▶ normalized catalog ─writer─▶ <out>/.building-<pid>/ ─publish─▶ <out>/<id>/
//!              └─▶ rejected.ndjson ───────────────────────────────────────────────▶ <out>/reports/<id>/
//! ```
//!
//! The snapshot holds only data that follow from the input: no clock, no host, no path.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Serialize;

use super::everyday;
use super::memory::default_memory;
use super::normalized::Source as _;
use super::pipeline::{PipelineOptions, PipelineOutput};
use super::runs::prune_unused;
use super::writer::{self, Linking, WrittenSnapshot};
use crate::ingest::rejects::{self, RejectWriter};
use crate::ingest::report::{InputReport, WarningCode};
use crate::ingest::{Arguments, Progress};
use crate::snapshot::layout::QualityStatus;
use crate::snapshot::manifest::{self, Counts, FORMAT_VERSION, Manifest, is_id};
use crate::snapshot::publish::{Published, Staging};
use crate::store::Store;
use crate::types::INTERFACE_VERSION;

/// Share of rejected rows in percent above which nothing is published, unless the operator says otherwise.
pub const MAX_REJECTS_PCT: f64 = 5.0;
/// Directory of the reports, beside the snapshots.
pub const REPORTS: &str = "reports";
/// File of a report.
pub const REPORT: &str = "report.json";
/// Directory of the report of the last build that failed, below that of the reports.
pub const FAILED: &str = ".failed";

/// Most retailers of several spellings that are printed.
const SPELLINGS_PRINTED_MAX: usize = 10;
/// Most warnings, and most ways to write files, that are printed: a folder of photos has a warning for each.
const LINES_OF_A_KIND_MAX: usize = 40;
/// File of the rejected rows.
const REJECTED: &str = "rejected.ndjson";

/// Folder of runs and shards, beside the snapshots.
pub const RUNS: &str = "runs";

/// Where runs and shards are kept for the builds that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunsAt {
    /// In [`RUNS`] beside the snapshots.
    Beside,
    /// In a folder or at a URL, which builds may share.
    Named(String),
    /// Nowhere: they go with the build.
    Nowhere,
}

/// What to build.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is read.
    pub arguments: Arguments,
    /// Directory of snapshots.
    pub out: PathBuf,
    /// Name of the snapshot; from its content without one.
    pub id: Option<String>,
    /// Classification publication that replaces any in the input.
    pub gpc: Option<PathBuf>,
    /// Rows that are added to the shipped lexicon.
    pub lexicon: Option<PathBuf>,
    /// Share of rejected rows in percent above which nothing is published.
    pub max_rejects_pct: f64,
    /// Whether listings without a barcode are linked by what they say.
    pub linking: Linking,
    /// Where runs and shards are kept.
    pub runs: RunsAt,
    /// Memory of the build, in bytes.
    pub memory: u64,
    /// Whether every file is read again.
    pub rehash: bool,
    /// Two to the power of this many shards; by the memory without it.
    pub shard_bits: Option<u32>,
}

impl Default for Options {
    /// Of nothing, into the usual place, leaving nothing for the builds that follow.
    fn default() -> Self {
        Self {
            arguments: Arguments::default(),
            out: PathBuf::from("snapshots"),
            id: None,
            gpc: None,
            lexicon: None,
            max_rejects_pct: MAX_REJECTS_PCT,
            linking: Linking::Checked,
            runs: RunsAt::Nowhere,
            memory: default_memory(),
            rehash: false,
            shard_bits: None,
        }
    }
}

/// What a build made of its input.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Id of the snapshot.
    pub id: String,
    /// The snapshot's now.
    pub as_of: String,
    /// Sizes.
    pub counts: Counts,
    /// Entities by number of listings.
    pub entities_by_size: BTreeMap<usize, u64>,
    /// Suspect entities by reason, over both countries.
    pub suspects: BTreeMap<&'static str, u64>,
    /// Coverage cells by status.
    pub coverage: BTreeMap<&'static str, u64>,
    /// Phrases of the everyday table that name no category, by country; rows of `aliases.csv` may tell theirs.
    pub unresolved_everyday: BTreeMap<&'static str, Vec<&'static str>>,
    /// Bytes of the snapshot.
    pub bytes: u64,
    /// Likely links; null when none were looked for.
    pub linking: Option<manifest::LinkingCounts>,
    /// What was read, what was dropped and what looks odd.
    pub input: InputReport,
}

/// What is left of a build that failed.
#[derive(Debug, Serialize)]
struct FailedReport<'a> {
    /// What ended it.
    error: String,
    /// What was read until then.
    input: &'a InputReport,
}

/// A finished build.
pub struct Built {
    /// What it made of its input.
    pub report: Report,
    /// The snapshot, published and not in use yet.
    pub published: Published,
}

/// Builds, publishes and reports. `CURRENT` goes on naming what it names.
///
/// # Errors
/// When the input cannot be read, too much of it is rejected, or the disk refuses; then nothing is published.
pub fn run(options: &Options, progress: &dyn Progress) -> Result<Built> {
    if let Some(id) = options.id.as_ref().filter(|id| !is_id(id)) {
        bail!(
            "{id:?} is not a valid snapshot id: use letters, digits, '.', '_' and '-', and do not start with a dot"
        );
    }
    run_in(begin(&options.out)?, options, progress)
}

/// Takes the right to build into a snapshots directory.
pub(super) fn begin(out: &Path) -> Result<Staging> {
    Staging::begin(out).with_context(|| format!("cannot build into {}", out.display()))
}

/// [`run`], with the right to build already taken.
pub(super) fn run_in(staging: Staging, options: &Options, progress: &dyn Progress) -> Result<Built> {
    let out = &options.out;
    let rejected = staging.scratch().join(REJECTED);
    let mut input = InputReport::default();
    let store = store(&staging, options)?;
    let PipelineOutput { shards: tables, in_use } =
        read(&staging, &store, options, &rejected, &mut input, progress).map_err(|error| {
            let dir = out.join(REPORTS).join(FAILED);
            let report = FailedReport { error: format!("{error:#}"), input: &input };
            // The failure of the build is what counts, whatever becomes of its report.
            match write_report(&dir, &report, &rejected) {
                Ok(()) => anyhow!(
                    "{error:#}\nno snapshot was published; {} contains the report and all rejected rows",
                    dir.display()
                ),
                Err(lost) => anyhow!("{error:#}\nno snapshot was published; {lost:#}"),
            }
        })?;
    let step = |step: &str| progress.stage(step, None);
    let packed =
        writer::pack(&tables, options.linking, staging.dir(), staging.scratch(), options.memory, &step)
            .with_context(|| format!("cannot write the snapshot below {}", out.display()))?;
    if let Some(why) = &packed.unpublished_links {
        input.warn(WarningCode::LinksNotPublished, "likely links", why);
    }

    let as_of = tables.names().last_day.plus_days(1).to_string();
    let id =
        options.id.clone().unwrap_or_else(|| format!("{as_of}-{}", &manifest::content(&packed.files)[..8]));
    let unresolved = everyday::unresolved(tables.names(), &packed.stocked);
    let report = report(&id, &as_of, &packed, unresolved, input);
    progress.stage("publishing", None);
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        id,
        as_of,
        schema_version: INTERFACE_VERSION.to_owned(),
        classification_release: tables.names().classification.as_ref().map(|gpc| gpc.release.clone()),
        counts: packed.counts,
        linking: packed.linking,
        files: packed.files,
    };
    // A report never speaks of another snapshot than the one of its id, nor is one published without.
    staging.holds(&manifest).context("cannot publish the snapshot")?;
    write_report(&out.join(REPORTS).join(&manifest.id), &report, &rejected)?;
    let published = staging.publish(&manifest).context("cannot publish the snapshot")?;
    if options.runs == RunsAt::Beside
        && let Err(error) = prune_unused(&store, &in_use)
    {
        // The snapshot is sound and published; what is left over takes room until the next build.
        tracing::warn!("runs and shards that are no longer needed cannot be removed: {error:#}");
    }
    Ok(Built { report, published })
}

/// Reads, judges and merges the input.
fn read(
    staging: &Staging,
    store: &Store,
    options: &Options,
    rejected: &Path,
    report: &mut InputReport,
    progress: &dyn Progress,
) -> Result<PipelineOutput> {
    let mut rejects = RejectWriter::create(rejected)?;
    let spool = options.arguments.spool(std::io::stdin().lock(), staging.scratch())?;
    let gathering = PipelineOptions {
        arguments: &options.arguments,
        gpc: options.gpc.as_deref(),
        lexicon: options.lexicon.as_deref(),
        spool: &spool,
        store,
        scratch: staging.scratch(),
        memory: options.memory,
        rehash: options.rehash,
        shard_bits: options.shard_bits,
        progress,
    };
    let output = gathering.read(&mut rejects, report);
    rejects.report(report);
    rejects.flush()?;
    let output = output?;
    rejects.check(options.max_rejects_pct)?;
    Ok(output)
}

/// Where runs and shards are.
fn store(staging: &Staging, options: &Options) -> Result<Store> {
    let folder = |dir: &Path| Store::open(&dir.join(RUNS).to_string_lossy());
    match &options.runs {
        RunsAt::Beside => folder(&options.out),
        RunsAt::Named(at) => Store::open(at),
        RunsAt::Nowhere => folder(staging.scratch()),
    }
}

fn report(
    id: &str,
    as_of: &str,
    packed: &WrittenSnapshot,
    unresolved_everyday: BTreeMap<&'static str, Vec<&'static str>>,
    input: InputReport,
) -> Report {
    let mut coverage: BTreeMap<&'static str, u64> = BTreeMap::new();
    for cell in &packed.dictionary.coverage {
        let word = match QualityStatus::of(cell.priced, cell.recent) {
            QualityStatus::Serving => "serving",
            QualityStatus::Thin => "thin",
            QualityStatus::Stale => "stale",
        };
        *coverage.entry(word).or_default() += 1;
    }
    Report {
        id: id.to_owned(),
        as_of: as_of.to_owned(),
        counts: packed.counts,
        entities_by_size: packed.entities.by_size.clone(),
        suspects: packed.entities.suspects.clone(),
        coverage,
        unresolved_everyday,
        linking: packed.linking,
        bytes: packed.files.iter().map(|file| file.bytes).sum(),
        input,
    }
}

/// Likely links in a line.
fn linking_line(linking: &manifest::LinkingCounts) -> String {
    let manifest::LinkingCounts { links, linked_listings, self_check, .. } = linking;
    let share =
        |share: Option<f64>| share.map_or("unknown".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    format!(
        "{links} between {linked_listings} listings; self check with {} known pairs: precision {}, recall {}",
        self_check.pairs,
        share(self_check.precision),
        share(self_check.recall)
    )
}

/// Puts `report.json` and `rejected.ndjson` into the report directory of a snapshot.
fn write_report(dir: &Path, report: &impl Serialize, rejected: &Path) -> Result<()> {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(dir)?;
        let mut json = serde_json::to_vec_pretty(report)?;
        json.push(b'\n');
        fs::write(dir.join(REPORT), json)?;
        fs::rename(rejected, dir.join(REJECTED))
    };
    write().with_context(|| format!("cannot write the build report to {}", dir.display()))
}

impl Report {
    /// The rows: how many were read and used, why the others were not, and in which forms they were written.
    fn write_input(&self, line: &mut dyn FnMut(&str, String) -> std::fmt::Result) -> std::fmt::Result {
        let input = &self.input;
        let read = input.listing_rows + input.observation_rows;
        let unused: u64 = input.rejected.values().map(|tally| tally.count).sum();
        let used = read.saturating_sub(unused);
        let (rejected, share) = (input.rejected_rows, 100.0 * input.rejected_share);
        let reasons = rejects::reason_lines(|reason| input.rejected.get(reason.code()));
        line("rows", format!("{read} read, {used} used, {rejected} rejected ({share:.2} %){reasons}"))?;
        let (listings, days) = (input.duplicate_listings.count, input.repeated_days);
        line("repeated", format!("{listings} listings, {days} days"))?;
        for (what, tally) in input.damage() {
            let first = tally
                .examples
                .first()
                .map_or_else(String::new, |at| format!("  e.g. {}:{} {}", at.file, at.line, at.value));
            line(what, format!("{}{first}", tally.count))?;
        }
        for (key, written) in self.input.retailer_spellings.iter().take(SPELLINGS_PRINTED_MAX) {
            let written: Vec<&str> = written.iter().map(String::as_str).collect();
            line("retailer spellings", format!("{key}: {}", written.join(", ")))?;
        }
        let more = self.input.retailer_spellings.len().saturating_sub(SPELLINGS_PRINTED_MAX);
        if more > 0 {
            line("retailer spellings", format!("{more} more retailers, listed in report.json"))?;
        }
        for (what, texts) in [("written", input.distinct_dialects()), ("warning", input.distinct_warnings())]
        {
            texts.iter().take(LINES_OF_A_KIND_MAX).try_for_each(|text| line(what, text.clone()))?;
            let more = texts.len().saturating_sub(LINES_OF_A_KIND_MAX);
            if more > 0 {
                line(what, format!("{more} more, listed in report.json"))?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "  {name:<24} {value}");
        let by = |counts: &BTreeMap<&'static str, u64>| {
            let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
        };
        line("snapshot", self.id.clone())?;
        line("as of", self.as_of.clone())?;
        line("listings", self.counts.listings.to_string())?;
        line("observations", self.counts.observations.to_string())?;
        let of = |sizes: RangeInclusive<usize>| {
            self.entities_by_size.range(sizes).map(|(_, count)| count).sum::<u64>()
        };
        let sizes = format!(
            "{} with one listing, {} with 2 to 9, {} with more",
            of(0..=1),
            of(2..=9),
            of(10..=usize::MAX)
        );
        line("entities", format!("{}: {sizes}", self.counts.entities))?;
        line("suspect entities", by(&self.suspects))?;
        line("coverage cells", by(&self.coverage))?;
        for (country, phrases) in &self.unresolved_everyday {
            let count = phrases.len();
            line(
                "everyday names",
                format!("{count} without a category in {country}, listed in report.json"),
            )?;
        }
        match &self.linking {
            None => line("likely links", "off".to_owned())?,
            Some(linking) => line("likely links", linking_line(linking))?,
        }
        line("bytes", self.bytes.to_string())?;
        self.write_input(&mut line)
    }
}
