//! The command line: one subcommand per thing that pricebook does.

mod bench;
mod build;
mod claims;
mod doctor;
pub mod export;
pub mod generate;
mod input;
mod ledger;
mod mcp;
mod pages;
mod publish;
pub mod query;
mod runs;
mod serve;
mod snapshots;
mod tasks;
mod watch;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};

use self::bench::{BenchArgs, FloorArgs};
use self::build::BuildArgs;
use self::doctor::DoctorArgs;
use self::generate::command::GenerateArgs;
use self::ledger::LedgerCommand;
use self::pages::{CompletionsArgs, ManArgs};
use self::query::QueryCommand;
use self::runs::RunsCommand;
use self::serve::ServeArgs;
use self::snapshots::SnapshotsCommand;
use self::tasks::{JudgeArgs, MergeArgs, PackArgs, PlanCommand};
use crate::catalog::Catalog;
use crate::ingest::template;
use crate::openapi;
use crate::server::config::SNAPSHOTS;
use crate::server::telemetry::{LogFormat, flush_log, start_log};
use crate::snapshot::mapped::end_loudly_without_files;
use crate::snapshot::pointer_lock::is_held;
use crate::snapshot::{self, manifest};

/// An in-memory columnar server for retail price intelligence.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// How the log on standard error is written; `PRICEBOOK_LOG` filters it.
    #[arg(long, global = true, value_enum, default_value = "text", env = "PRICEBOOK_LOG_FORMAT")]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers requests from the current snapshot; builds the demo's if there is none.
    Serve(ServeArgs),
    /// Speaks MCP on standard input and output, for agents on this machine; docs/agents.md says how to connect them.
    Mcp(mcp::McpArgs),
    /// Answers one request from a snapshot, without a server; without an endpoint it lists them.
    Query(Box<QueryCommand>),
    /// Looks whether a server could start here and stay well, a line for each thing: ok, warning or error with what to do.
    /// It takes what serve takes; exit code 1 on an error.
    Doctor(Box<DoctorArgs>),
    /// Builds a snapshot from raw input, tries it, compares it with the current one, and makes it current.
    Build(Box<BuildArgs>),
    /// Plans a build as tasks, which an engine starts on many machines; docs/engine.md says how.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Does a task of a plan: judges one file.
    Judge(JudgeArgs),
    /// Does a task of a plan: makes one shard.
    Merge(MergeArgs),
    /// Makes the snapshot of a plan whose tasks are done, and makes it current.
    Pack(PackArgs),
    /// Writes an example input, to be filled with your own rows: docs/input.md tells each column.
    Template {
        /// Folder to write into, new or empty.
        dir: PathBuf,
    },
    /// Tidies what builds leave for each other.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Lists the snapshots of a directory, puts another one in use, or removes old ones.
    #[command(subcommand)]
    Snapshots(SnapshotsCommand),
    /// Measures a server under load: latency by rate up to the knee, beside the floor of what a server can do.
    Bench(Box<BenchArgs>),
    /// Serves a constant answer: the floor that bench measures beside the server.
    #[command(hide = true)]
    Floor(FloorArgs),
    /// Prints the OpenAPI document of the service, as `/openapi.json` serves it.
    Openapi,
    /// Checks a snapshot: checksums, versions, every order and offset; exit code 1 when something is wrong.
    Verify {
        /// The snapshot, or a directory of snapshots, of which the current one is meant.
        #[arg(default_value = SNAPSHOTS, value_name = "DIR")]
        snapshot: PathBuf,
    },
    /// Writes the cleaned tables of a snapshot as Parquet, a folder for each country: listings with their entity, brand
    /// and category, and observations. docs/export.md says how other engines read them.
    Export {
        /// The snapshot, or a directory of snapshots, of which the current one is meant.
        #[arg(long, value_name = "DIR")]
        snapshot: PathBuf,
        /// Directory for the tables; it may not hold them yet.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Writes a synthetic input of any size, the same bytes for the same arguments.
    Generate(GenerateArgs),
    /// Reports what was paid.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Prints what completes this command line in a shell.
    Completions(CompletionsArgs),
    /// Writes the manual, a page for each command.
    Man(ManArgs),
}

fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("not between 0 and 100".to_owned()) }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let Cli { log_format, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    let is_task = command.is_task();
    let result = prepare(log_format, command.log_filter()).and_then(|()| obey(command));
    let code = match result {
        Ok(code) => code,
        // Who read it has had enough, as `head` has.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            if is_task || is_held(&error) { tasks::code(&error) } else { ExitCode::FAILURE }
        }
    };
    flush_log();
    code
}

impl Command {
    /// Whether an engine reads its exit code.
    fn is_task(&self) -> bool {
        matches!(self, Self::Plan(_) | Self::Judge(_) | Self::Merge(_) | Self::Pack(_))
    }

    /// What of the log is written unless `PRICEBOOK_LOG` says so: a command that answers and ends says what it has to say
    /// itself.
    fn log_filter(&self) -> Option<&'static str> {
        match self {
            Self::Query(_) => Some("warn"),
            Self::Doctor(_) => Some("off"),
            _ => None,
        }
    }
}

/// The whole command line, with a subcommand of `query` for every endpoint.
pub fn command_line() -> clap::Command {
    Cli::command()
}

/// Says what a command line should be. Those of tasks have an exit code of their own.
fn misread(error: &clap::Error) -> ExitCode {
    // Where nothing can be said, the code says it.
    let _ = error.print();
    // The first word that is a command is the command; what comes after it may be any text.
    let (all, tasks) = (command_line(), ["plan", "judge", "merge", "pack"]);
    // Words may be of any bytes.
    let mut words = std::env::args_os().skip(1);
    let named = words.find(|word| all.get_subcommands().any(|known| word == known.get_name()));
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ if named.is_some_and(|name| tasks.iter().any(|task| name == *task)) => tasks::usage(),
        code => ExitCode::from(u8::try_from(code).unwrap_or(1)),
    }
}

/// What every command wants of the process: a log, a sentence where a mapped file is gone, and a file that grows beyond
/// its limit as an error and not as the end (the other signal that a write may end in, SIGPIPE, Rust has made an error
/// already).
fn prepare(log_format: LogFormat, log_filter: Option<&str>) -> anyhow::Result<()> {
    start_log(log_format, log_filter)?;
    end_loudly_without_files().context("the end at SIGBUS cannot be arranged")?;
    signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::default())?;
    Ok(())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes on standard output.
fn say(text: impl Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

fn obey(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Query(asked) => return query::run(&asked),
        Command::Doctor(args) => return doctor::run(*args),
        Command::Serve(args) => serve::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Build(args) => build::run(&args),
        Command::Plan(command) => tasks::plan(&command),
        Command::Judge(args) => tasks::judge(&args),
        Command::Merge(args) => tasks::merge(&args),
        Command::Pack(args) => tasks::pack(&args),
        Command::Template { dir } => say(template::write(&dir)?),
        Command::Runs(command) => runs::run(&command),
        Command::Snapshots(command) => snapshots::run(command),
        Command::Generate(args) => self::generate::command::run(args),
        Command::Bench(args) => bench::bench(*args),
        Command::Floor(args) => bench::serve_floor(&args),
        Command::Openapi => openapi(),
        Command::Verify { snapshot } => verify(&snapshot),
        Command::Export { snapshot, out } => export_tables(&snapshot, &out),
        Command::Ledger(command) => ledger::run(command),
        Command::Completions(args) => pages::complete(&args, command_line()),
        Command::Man(args) => pages::write_manual(&args, command_line()),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn openapi() -> anyhow::Result<()> {
    say(format_args!("{}\n", openapi::pretty(&crate::endpoints::routes(), &openapi::Terms::default())?))
}

fn verify(snapshot: &Path) -> anyhow::Result<()> {
    let catalog = Catalog::open(&named(snapshot)?)?;
    let counts = catalog.manifest().counts;
    say(format_args!(
        "{} is sound: as of {}, {} listings, {} observations, {} entities\n",
        catalog.id(),
        catalog.as_of(),
        counts.listings,
        counts.observations,
        counts.entities
    ))
}

/// The snapshot that a directory means: itself, or the current one of a directory of snapshots.
fn named(dir: &Path) -> anyhow::Result<PathBuf> {
    let path = snapshot::publish::named(dir)?;
    let is_one = path != dir || path.join(manifest::MANIFEST).exists();
    anyhow::ensure!(
        is_one,
        "{0} is no snapshot (it has no {1}) and no directory of snapshots (it has no {2})",
        dir.display(),
        manifest::MANIFEST,
        snapshot::publish::CURRENT
    );
    Ok(path)
}

fn export_tables(snapshot: &Path, out: &Path) -> anyhow::Result<()> {
    export::run(&Catalog::open(&named(snapshot)?)?, out, export::PART_ROWS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
