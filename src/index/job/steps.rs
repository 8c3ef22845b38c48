//! The steps of a job: what is left to do is planned, and tasks are done.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, ensure};
use rayon::prelude::*;

use super::plan::{JobPlan, PlannedMerge};
use crate::index::merge;
use crate::index::merge::shard::Shard;
use crate::index::merge::task::MERGE_VERSION;
use crate::index::pipeline::{Inputs, PipelineOptions, merge_tasks, shard_bits};
use crate::index::validate::{VALIDATION_VERSION, Validation};
use crate::ingest::report::InputReport;
use crate::ingest::{Arguments, Progress, Spool};
use crate::store::Store;

/// A task that is left to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftTask {
    /// Name under which the file is known then, or of the shard.
    pub name: String,
    /// Its number in the plan: of a file, or of a shard.
    pub number: u32,
}

/// What a task did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneTask {
    /// What is there now: a run or a shard, by its place in the store.
    pub made: String,
    /// Whether it was there before.
    pub reused: bool,
}

/// What a step may take, and who watches.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// Folder for temporary files.
    pub scratch: &'a Path,
    /// Memory of all threads of a task together, in bytes.
    pub memory: u64,
    /// Threads of a task.
    pub threads: u32,
    /// Who watches.
    pub progress: &'a dyn Progress,
}

/// The version of tasks that validate.
pub const VALIDATE_TASK_VERSION: u32 = VALIDATION_VERSION;
/// The version of tasks that merge.
pub const MERGE_TASK_VERSION: u32 = MERGE_VERSION;

/// Finds the input, writes the plan to `at`, and says which files are left to validate.
///
/// # Errors
/// When a table has no file, a side table cannot be read, or the plan cannot be written.
pub fn plan_validate(
    arguments: &Arguments,
    runs: &str,
    at: &str,
    context: StepContext<'_>,
) -> Result<Vec<LeftTask>> {
    let spool = Spool::new(context.scratch);
    let inputs = Inputs::find(arguments, None, &spool, &mut InputReport::default())?;
    let files: Vec<_> = inputs.files().into_iter().map(|(file, _)| file).collect();
    let plan = JobPlan::new(arguments, &files, runs)?;
    plan.write(at, context.scratch)?;
    let store = plan.store()?;
    let validation = validation(&plan, &store, context);
    let left = |(number, file): (usize, &&_)| {
        let known = validation.known(file)?;
        // What shows no version is read by every plan, and named by its place.
        let name = known.name.unwrap_or_else(|| format!("file-{number}"));
        Ok(known.run.is_none().then_some(LeftTask { name, number: number as u32 }))
    };
    files.par_iter().enumerate().with_max_len(1).map(left).filter_map(Result::transpose).collect()
}

/// Judges a file of the plan at `at`.
///
/// # Errors
/// As [`Validation::run_of`].
pub fn validate(at: &str, file: u32, context: StepContext<'_>) -> Result<DoneTask> {
    let plan = JobPlan::read(at)?;
    let file = plan.file(file)?.find(&plan.arguments()?.mapping, &Spool::new(context.scratch))?;
    let run = validation(&plan, &plan.store()?, context).run_of(&file)?;
    Ok(DoneTask { made: format!("run/{}", run.name), reused: run.reused })
}

/// Adds to the plan at `at` what is merged, cut into two to the power of `bits` shards (by the memory without it), and
/// says which shards are left to make. A file that came or changed since
/// the tasks were planned is validated here.
///
/// # Errors
/// As [`plan_validate`], and when such a file cannot be validated.
pub fn plan_merge(at: &str, bits: Option<u32>, context: StepContext<'_>) -> Result<Vec<LeftTask>> {
    let plan = JobPlan::read(at)?;
    let (arguments, spool, store) = (plan.arguments()?, Spool::new(context.scratch), plan.store()?);
    let gathering = PipelineOptions {
        arguments: &arguments,
        gpc: None,
        lexicon: None,
        spool: &spool,
        store: &store,
        scratch: context.scratch,
        memory: context.memory,
        rehash: false,
        shard_bits: None,
        progress: context.progress,
    };
    let inputs = Inputs::find(&arguments, None, &spool, &mut InputReport::default())?;
    let files = gathering.validate(&inputs)?;
    let bits = bits.unwrap_or_else(|| shard_bits(&files, context.memory / u64::from(context.threads)));
    let tasks = merge_tasks(&files, plan.newest(), bits);
    ensure!(!tasks.is_empty(), "the plan contains no merge tasks");
    plan.with_merge(PlannedMerge { first: tasks[0].clone() }).write(at, context.scratch)?;
    let there: HashSet<String> = Shard::names(&store)?.into_iter().collect();
    let mut left = Vec::new();
    for task in tasks {
        let name = task.name()?;
        if !there.contains(&name) {
            left.push(LeftTask { name, number: task.shard });
        }
    }
    Ok(left)
}

/// Makes a shard of the plan at `at`.
///
/// # Errors
/// As [`merge::merge`].
pub fn merge(at: &str, shard: u32, context: StepContext<'_>) -> Result<DoneTask> {
    let plan = JobPlan::read(at)?;
    let (task, store) = (plan.merge()?.task(shard)?, plan.store()?);
    let name = task.name()?;
    let reused = Shard::meta(&store, &name)?.is_some();
    merge::merge(&task, &store, context.scratch)?;
    Ok(DoneTask { made: format!("shard/{name}"), reused })
}

fn validation<'a>(plan: &JobPlan, store: &'a Store, context: StepContext<'a>) -> Validation<'a> {
    let StepContext { scratch, memory, progress, .. } = context;
    Validation { store, scratch, memory, newest: plan.newest(), rehash: false, progress }
}
