//! `pricebook job`: a build as tasks that an engine, such as Apache Spark, starts. docs/engine.md describes the command
//! lines.

use std::env;
use std::fs;
use std::num::NonZeroU32;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args, Subcommand};
use serde::Serialize;

use super::build::{InputArgs, PublishArgs, build_once, shard_bits};
use super::say;
use crate::index::job::{self, DoneTask, JobPlan, LeftTask, StepContext, WrongVersion};
use crate::index::memory::parse_memory;
use crate::index::run::{Options, RunsAt};
use crate::server::progress;
use crate::snapshot::pointer_lock::is_held;
use crate::store::is_transient;

/// Exit code if the command line is invalid, or a task or plan has another version. A retry fails on every machine.
const USAGE: u8 = 64;
/// Exit code if the input or the settings are wrong. A retry fails the same way.
const BAD_INPUT: u8 = 65;
/// Exit code if storage, disk or memory failed, or another process did not release a lock. A retry may succeed.
const TRY_AGAIN: u8 = 75;
/// Environment variables from which libraries read the number of compute threads, before the command line is parsed.
const THREAD_VARIABLES: [&str; 2] = ["RAYON_NUM_THREADS", "POLARS_MAX_THREADS"];

#[derive(Debug, Subcommand)]
pub(super) enum JobCommand {
    /// Plans a step and prints one line of JSON for each task.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Runs a task that validates one file.
    Validate(ValidateArgs),
    /// Runs a task that merges one shard.
    Merge(MergeArgs),
    /// Writes the snapshot of a plan whose tasks are done.
    ///
    /// The snapshot is then put in use, as `pricebook build` does.
    Write(WriteArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Finds the input, writes the plan and prints the files to validate.
    Validate(PlanValidateArgs),
    /// Adds the merge to the plan and prints the shards to merge.
    ///
    /// Every file must be validated first.
    Merge(PlanMergeArgs),
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("read").args(["input", "listings"]).required(true).multiple(true))]
pub(super) struct PlanValidateArgs {
    #[command(flatten)]
    input: InputArgs,
    /// File or address for the plan, readable by every machine.
    ///
    /// The plan may contain access keys that are part of web addresses.
    #[arg(long, value_name = "URL")]
    plan: String,
    /// Folder or address for runs and shards, readable and writable by every machine; several builds may use it.
    #[arg(long, value_name = "URL")]
    runs: String,
    #[command(flatten)]
    each: EachArgs,
}

#[derive(Debug, Args)]
pub(super) struct PlanMergeArgs {
    /// File or address of the plan.
    #[arg(long, value_name = "URL")]
    plan: String,
    /// Number of shards of the catalog, a power of two; it does not change the snapshot [default: depends on the
    /// memory of a task].
    #[arg(long, value_name = "COUNT", value_parser = shard_bits)]
    shards: Option<u32>,
    #[command(flatten)]
    each: EachArgs,
}

/// Resources of each task.
#[derive(Debug, Args)]
struct EachArgs {
    /// Number of threads of a task.
    #[arg(long, default_value = "1", value_name = "COUNT")]
    threads: NonZeroU32,
    /// Memory of a task, as in 512M or 4G.
    #[arg(long, default_value = "1G", value_name = "AMOUNT", value_parser = parse_memory)]
    memory: u64,
    /// Folder for temporary files of tasks [default: the system's temporary folder].
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

/// Arguments of a task, as `plan` prints them.
#[derive(Debug, Args)]
struct TaskArgs {
    /// File or address of the plan.
    #[arg(long, value_name = "URL")]
    plan: String,
    /// Version of the task; a program with another version rejects the task.
    #[arg(long, value_name = "NUMBER")]
    task_version: u32,
    #[command(flatten)]
    each: EachArgs,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    #[command(flatten)]
    task: TaskArgs,
    /// Number of the file in the plan.
    #[arg(long, value_name = "NUMBER")]
    file: u32,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    #[command(flatten)]
    task: TaskArgs,
    /// Number of the shard in the plan.
    #[arg(long, value_name = "NUMBER")]
    shard: u32,
}

#[derive(Debug, Args)]
pub(super) struct WriteArgs {
    /// File or address of the plan.
    #[arg(long, value_name = "URL")]
    plan: String,
    #[command(flatten)]
    publish: PublishArgs,
}

/// A task as `plan` prints it.
#[derive(Serialize)]
struct TaskLine {
    task: String,
    argv: Vec<String>,
}

/// Line of JSON that a finished task prints.
#[derive(Serialize)]
struct DoneLine {
    made: String,
    reused: bool,
}

/// Runs a step of a job.
pub(super) fn run(command: &JobCommand) -> Result<()> {
    match command {
        JobCommand::Plan(command) => plan(command),
        JobCommand::Validate(args) => validate(args),
        JobCommand::Merge(args) => merge(args),
        JobCommand::Write(args) => write(args),
    }
}

/// Plans a step of a job.
fn plan(command: &PlanCommand) -> Result<()> {
    let (step, at, each) = match command {
        PlanCommand::Validate(args) => ("validate", &args.plan, &args.each),
        PlanCommand::Merge(args) => ("merge", &args.plan, &args.each),
    };
    let at = job::everywhere(at)?;
    let (left, version, flag) = each.with(|context| {
        Ok(match command {
            PlanCommand::Validate(PlanValidateArgs { input, runs, .. }) => {
                let left = job::plan_validate(&input.arguments()?, runs, &at, context)?;
                (left, job::VALIDATE_TASK_VERSION, "--file")
            }
            PlanCommand::Merge(args) => {
                (job::plan_merge(&at, args.shards, context)?, job::MERGE_TASK_VERSION, "--shard")
            }
        })
    })?;
    for task in left {
        let LeftTask { name, number } = task;
        let task =
            ["job", step, "--plan", &at, flag, &number.to_string(), "--task-version", &version.to_string()];
        let argv = task.map(str::to_owned).into_iter().chain(each.argv()).collect();
        say(format_args!("{}\n", serde_json::to_string(&TaskLine { task: name, argv })?))?;
    }
    Ok(())
}

/// Validates a file.
fn validate(args: &ValidateArgs) -> Result<()> {
    args.task.run("a task that validates", job::VALIDATE_TASK_VERSION, |at, context| {
        job::validate(at, args.file, context)
    })
}

/// Merges a shard.
fn merge(args: &MergeArgs) -> Result<()> {
    args.task
        .run("a task that merges", job::MERGE_TASK_VERSION, |at, context| job::merge(at, args.shard, context))
}

/// Writes the snapshot from the shards of a plan and puts it in use.
fn write(args: &WriteArgs) -> Result<()> {
    let plan = JobPlan::read(&args.plan)?;
    let options = args.publish.options(plan.arguments()?);
    let shard_bits = Some(plan.merge()?.first.shard_bits);
    let options = Options { runs: RunsAt::Named(plan.runs().to_owned()), shard_bits, ..options };
    build_once(&options, false, args.publish.force)
}

/// Exit code of an error, by which an engine decides whether to retry.
pub(super) fn code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if error.is::<WrongVersion>() {
        USAGE
    } else if is_transient(error) || is_held(error) {
        TRY_AGAIN
    } else {
        BAD_INPUT
    })
}

/// Exit code of an invalid command line.
pub(super) fn usage() -> ExitCode {
    ExitCode::from(USAGE)
}

impl TaskArgs {
    /// Runs the task and prints its result.
    fn run(
        &self,
        what: &'static str,
        version: u32,
        task: impl FnOnce(&str, StepContext<'_>) -> Result<DoneTask>,
    ) -> Result<()> {
        WrongVersion::unless_equal(what, self.task_version, version)?;
        self.each.compute_with_threads()?;
        let DoneTask { made, reused } = self.each.with(|context| task(&self.plan, context))?;
        say(format_args!("{}\n", serde_json::to_string(&DoneLine { made, reused })?))
    }
}

impl EachArgs {
    /// Formats these arguments as words of a task's command line.
    fn argv(&self) -> Vec<String> {
        let mut argv = vec!["--threads".to_owned(), self.threads.to_string()];
        argv.extend(["--memory".to_owned(), self.memory.to_string()]);
        if let Some(scratch) = &self.scratch {
            argv.extend(["--scratch".to_owned(), scratch.display().to_string()]);
        }
        argv
    }

    /// Calls `work` with a temporary folder and removes the folder afterwards.
    fn with<T>(&self, work: impl FnOnce(StepContext<'_>) -> Result<T>) -> Result<T> {
        let folder = self.scratch.clone().unwrap_or_else(env::temp_dir);
        let scratch = folder.join(format!("pricebook-task-{}", process::id()));
        fs::create_dir_all(&scratch).with_context(|| format!("{} cannot be created", scratch.display()))?;
        let progress = progress::watch();
        let context = StepContext {
            scratch: &scratch,
            memory: self.memory,
            threads: self.threads.get(),
            progress: progress.as_ref(),
        };
        let done = work(context);
        // A folder that cannot be removed does not fail the task.
        let _ = fs::remove_dir_all(&scratch);
        done
    }

    /// Restarts the program if it would compute with another number of threads. Libraries read the number from the
    /// environment before the command line is parsed.
    fn compute_with_threads(&self) -> Result<()> {
        let threads = self.threads.to_string();
        if THREAD_VARIABLES.iter().all(|name| env::var(name).is_ok_and(|set| set == threads)) {
            return Ok(());
        }
        let own = env::current_exe().context("the path of this program is not known")?;
        let mut anew = process::Command::new(own);
        anew.args(env::args_os().skip(1)).envs(THREAD_VARIABLES.map(|name| (name, &threads)));
        Err(anew.exec()).context("the program cannot be restarted with the number of threads of --threads")
    }
}
