//! Many small runs become one, so that a build opens few files however many days its input has.
//!
//! Every row stays, with the number of its file among the members, so nothing of it shows in what is merged. Runs of a
//! month that is over become one, and what are still too many are put together whatever their months.
//!
//! ```text
//! member/<run>    name of the run that a run is a member of now
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;

use super::kway::MergedGroups;
use super::meta::{MemberMeta, RunMeta};
use super::rejects::RunRejectWriter;
use super::run::{MEMBER_FOLDER, REJECTS, ROWS, Run};
use super::writer::GroupWriter;
use super::{RunGroup, RunReject};
use crate::ingest::Progress;
use crate::store::Store;
use crate::types::Day;

/// Fewest runs of a month that become one.
const MONTH_RUNS_MIN: usize = 8;
/// Most runs that a build merges at a time.
pub const RUNS_MAX: usize = 256;
/// Most runs that become one in one go, on each thread: each holds a batch and what was read ahead.
const TOGETHER_MAX: usize = 64;
/// Version of how runs are put together.
const COMPACTION_VERSION: &[u8] = b"compaction 1\n";

/// A run, and which of its members are in use.
#[derive(Debug, Clone)]
pub struct UsedRun {
    /// The run.
    pub run: Run,
    /// Numbers of the members in use, ascending.
    pub members: Vec<u32>,
}

impl UsedRun {
    fn used(&self) -> impl Iterator<Item = &MemberMeta> {
        self.members.iter().map(|&member| &self.run.meta().members[member as usize])
    }

    /// The calendar month of the latest day of observations, by its first day.
    fn month(&self) -> Option<Day> {
        let latest = self.used().filter_map(MemberMeta::latest_day).max()?;
        Some(Day::OBSERVED_MIN.plus_days(latest.into()).first_of_month())
    }
}

/// The runs that hold these members, each once, in the order in which they are named first.
///
/// # Errors
/// When one is not there, or damaged.
pub fn used_runs<'a>(store: &Store, members: impl IntoIterator<Item = &'a str>) -> Result<Vec<UsedRun>> {
    let (mut used, mut places) = (Vec::<UsedRun>::new(), BTreeMap::new());
    for name in members {
        let whole = Run::holding(store, name)?.with_context(|| format!("run {name} is missing"))?;
        let at = if let Some(&at) = places.get(&whole) {
            at
        } else {
            used.push(UsedRun { run: Run::open(store, &whole)?, members: vec![] });
            places.insert(whole, used.len() - 1);
            used.len() - 1
        };
        let UsedRun { run, members } = &mut used[at];
        let member =
            run.meta().member(name).with_context(|| format!("run {} does not contain {name}", run.name()))?;
        if let Err(place) = members.binary_search(&member) {
            members.insert(place, member);
        }
    }
    Ok(used)
}

/// Puts runs together where they are many: those of each month but the newest, then any.
///
/// # Errors
/// When a run cannot be read, or the store refuses.
pub fn compact(
    store: &Store,
    scratch: &Path,
    mut runs: Vec<UsedRun>,
    progress: &dyn Progress,
) -> Result<Vec<UsedRun>> {
    let mut months: BTreeMap<Option<Day>, Vec<UsedRun>> = BTreeMap::new();
    for run in runs.drain(..) {
        months.entry(run.month()).or_default().push(run);
    }
    let newest = months.keys().next_back().copied().flatten();
    let mut groups = Vec::new();
    for (month, mut of_month) in months {
        let is_over = month.is_some() && month != newest;
        if is_over && of_month.len() >= MONTH_RUNS_MIN {
            of_month.sort_by(|a, b| a.run.name().cmp(b.run.name()));
            groups.extend(in_groups(of_month));
        } else {
            runs.extend(of_month);
        }
    }
    runs.extend(put_all_together(store, scratch, groups, progress)?);
    while runs.len() > RUNS_MAX {
        // The smallest ones: what is large is not written again to save a file.
        runs.sort_by_cached_key(|run| (run.run.meta().batches.end, run.run.name().to_owned()));
        let groups = (runs.len() - RUNS_MAX).div_ceil(TOGETHER_MAX - 1);
        let small = runs.drain(..runs.len().min(groups * TOGETHER_MAX)).collect();
        runs.extend(put_all_together(store, scratch, in_groups(small), progress)?);
    }
    Ok(runs)
}

/// What becomes one in one go, in the order that is given.
fn in_groups(runs: Vec<UsedRun>) -> impl Iterator<Item = Vec<UsedRun>> {
    let mut runs = runs.into_iter();
    std::iter::from_fn(move || {
        Some(runs.by_ref().take(TOGETHER_MAX).collect()).filter(|group: &Vec<_>| !group.is_empty())
    })
}

/// Makes one run of each group.
fn put_all_together(
    store: &Store,
    scratch: &Path,
    groups: impl IntoIterator<Item = Vec<UsedRun>>,
    progress: &dyn Progress,
) -> Result<Vec<UsedRun>> {
    let groups: Vec<Vec<UsedRun>> = groups.into_iter().collect();
    if groups.iter().any(|group| group.len() > 1) {
        progress.stage("compacting runs", Some((groups.len() as u64, "groups")));
    }
    let one = |group: &Vec<UsedRun>| {
        let made = put_together(store, scratch, group)?;
        progress.part();
        Ok(made)
    };
    groups.par_iter().with_max_len(1).map(one).collect()
}

/// A member of a run that is made: its name, and where it is.
struct Source<'a> {
    meta: &'a MemberMeta,
    run: usize,
    member: u32,
}

fn put_together(store: &Store, scratch: &Path, runs: &[UsedRun]) -> Result<UsedRun> {
    if let [one] = runs {
        return Ok(one.clone());
    }
    let mut sources = Vec::new();
    for (run, UsedRun { run: whole, members }) in runs.iter().enumerate() {
        let source = |&member: &u32| Source { meta: &whole.meta().members[member as usize], run, member };
        sources.extend(members.iter().map(source));
    }
    // Members of every run are in this order, so their numbers ascend in each.
    sources.sort_by(|a, b| a.meta.run.cmp(&b.meta.run));
    let mut hash = blake3::Hasher::new();
    hash.update(COMPACTION_VERSION);
    for source in &sources {
        hash.update(source.meta.run.as_bytes()).update(b"\n");
    }
    let name = hash.finalize().to_hex().to_string();
    if !Run::is_there(store, &name)? {
        let folder = new_folder(scratch, &name)?;
        let made = write(runs, &sources, &folder).and_then(|meta| Run::put(store, &name, &folder, &meta));
        std::fs::remove_dir_all(&folder).ok();
        made?;
    }
    for source in &sources {
        let marker = format!("{MEMBER_FOLDER}/{}", source.meta.run);
        if store.get(&marker)?.as_deref() != Some(name.as_bytes()) {
            store.remove(&marker)?;
            store.create(&marker, name.as_bytes())?;
        }
    }
    let run = Run::open(store, &name)?;
    Ok(UsedRun { members: (0..run.meta().members.len() as u32).collect(), run })
}

/// A new folder for the files of a run.
fn new_folder(scratch: &Path, name: &str) -> Result<std::path::PathBuf> {
    let folder = scratch.join(format!("compact-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot write {}", folder.display()))?;
    Ok(folder)
}

fn write(runs: &[UsedRun], sources: &[Source<'_>], folder: &Path) -> Result<RunMeta> {
    let mut ranks: Vec<Vec<Option<u32>>> =
        runs.iter().map(|used| vec![None; used.run.meta().members.len()]).collect();
    for (rank, source) in sources.iter().enumerate() {
        ranks[source.run][source.member as usize] = Some(rank as u32);
    }
    let cursors = runs.iter().map(|used| used.run.groups(0..=u64::MAX)).collect::<Result<Vec<_>>>()?;
    let mut merged = MergedGroups::ranked(cursors.into_iter().zip(ranks))?;
    let mut writer = GroupWriter::create(&folder.join(ROWS))?;
    while let Some((rank, group)) = merged.current() {
        writer.push(&RunGroup { member: rank, ..group })?;
        merged.advance()?;
    }
    Ok(RunMeta {
        members: sources.iter().map(|source| source.meta.clone()).collect(),
        batches: writer.finish()?,
        rejects: write_rejects(runs, sources, folder)?,
    })
}

fn write_rejects(runs: &[UsedRun], sources: &[Source<'_>], folder: &Path) -> Result<(u64, u64)> {
    let mut rejects = Vec::new();
    for used in runs {
        rejects.push(used.run.rejects()?.peekable());
    }
    let mut writer = RunRejectWriter::create(&folder.join(REJECTS))?;
    for (rank, source) in sources.iter().enumerate() {
        let of_run = &mut rejects[source.run];
        let mut left = source.meta.rejected_listings + source.meta.rejected_observations;
        while let Some(reject) =
            of_run.next_if(|reject| reject.as_ref().map_or(true, |reject| reject.member <= source.member))
        {
            let reject = reject?;
            if reject.member == source.member {
                writer.push(&RunReject { member: rank as u32, ..reject })?;
                left = left.saturating_sub(1);
            }
        }
        ensure!(left == 0, "rejected rows of run {} are missing", source.meta.run);
    }
    writer.finish()
}
