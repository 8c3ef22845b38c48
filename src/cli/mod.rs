//! The command line of pricebook, with one subcommand for each function.

mod bench;
mod build;
mod claims;
mod doctor;
pub mod export;
pub mod generate;
mod job;
mod ledger;
mod mcp;
mod pages;
pub mod query;
mod runs;
mod serve;
mod snapshots;
mod watch;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use self::bench::{BenchArgs, FloorArgs};
use self::build::BuildArgs;
use self::doctor::DoctorArgs;
use self::generate::command::GenerateArgs;
use self::job::JobCommand;
use self::ledger::LedgerCommand;
use self::pages::{CompletionsArgs, ManArgs};
use self::query::QueryCommand;
use self::runs::RunsCommand;
use self::serve::ServeArgs;
use self::snapshots::SnapshotsCommand;
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
    /// Format of the log on standard error; `PRICEBOOK_LOG` filters it.
    #[arg(long, global = true, value_enum, default_value = "text", env = "PRICEBOOK_LOG_FORMAT")]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers requests from the current snapshot.
    ///
    /// If no directory of snapshots is named and the default directory contains no snapshot, a demo snapshot is built
    /// first.
    Serve(ServeArgs),
    /// Builds a snapshot from raw input and puts it in use.
    ///
    /// Before a snapshot is put in use, every endpoint is tried on it. It is also compared with the current snapshot.
    Build(Box<BuildArgs>),
    /// Answers one request from a snapshot, without a server.
    ///
    /// Without an endpoint, the command lists all endpoints.
    Query(Box<QueryCommand>),
    /// Lists snapshots, puts one in use, removes old ones.
    #[command(subcommand)]
    Snapshots(SnapshotsCommand),
    /// Checks whether a server could start here and keep running.
    ///
    /// Each finding is a line that begins with ok, warning or error. Warnings and errors end with a remedy. The command
    /// accepts the options of serve. The exit code is 1 if there is an error.
    Doctor(Box<DoctorArgs>),
    /// Reports, verifies and copies the ledger of payments.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Writes an example input, to be replaced with your own rows.
    ///
    /// docs/input.md explains each column.
    Template {
        /// Folder to write into, new or empty.
        dir: PathBuf,
    },
    /// Checks a snapshot: checksums, versions, sort orders, offsets.
    ///
    /// The exit code is 1 if a check fails.
    Verify {
        /// Snapshot to verify, or directory whose current snapshot is verified.
        #[arg(default_value = SNAPSHOTS, value_name = "DIR")]
        snapshot: PathBuf,
    },
    /// Writes the cleaned tables of a snapshot as Parquet.
    ///
    /// Each country has a folder with its observations and its listings. A row of a listing contains the entity, the
    /// brand and the category of the listing. docs/export.md shows how DuckDB, pandas and other engines read the
    /// tables.
    Export {
        /// Snapshot to export, or directory whose current snapshot is exported.
        #[arg(long, value_name = "DIR")]
        snapshot: PathBuf,
        /// Directory to write the tables into; it must not contain them yet.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Writes a synthetic input of any size.
    ///
    /// Equal arguments produce equal files.
    Generate(GenerateArgs),
    /// Removes old runs: validated files that builds reuse.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Runs a build on many machines, with Spark or another engine.
    ///
    /// The engine starts each step as tasks. docs/engine.md describes the steps.
    #[command(subcommand)]
    Job(JobCommand),
    /// Serves MCP on standard input and output, for agents.
    ///
    /// docs/agents.md describes how to connect agents.
    Mcp(mcp::McpArgs),
    /// Prints the OpenAPI document, as `/openapi.json` serves it.
    Openapi,
    /// Measures a server under load, relative to a minimal server.
    ///
    /// The minimal server, called the floor, has the same loop and a constant answer. The command prints the latency at
    /// each request rate up to the knee, which is the highest rate that the server keeps up with.
    Bench(Box<BenchArgs>),
    /// Serves a constant answer, as the minimal server (floor) of bench.
    #[command(hide = true)]
    Floor(FloorArgs),
    /// Prints shell completions of this command line.
    Completions(CompletionsArgs),
    /// Writes the manual, with a page for each command.
    Man(ManArgs),
}

/// The commands in the order in which the help lists them, by heading.
const HEADINGS: [(&str, &[&str]); 4] = [
    ("Daily commands", &["serve", "build", "query", "snapshots", "doctor"]),
    ("Payments", &["ledger"]),
    ("Data", &["template", "verify", "export", "generate", "runs", "job"]),
    ("Developers", &["mcp", "openapi", "bench", "completions", "man"]),
];
/// The command that `--help` lists and `-h` does not.
const IN_LONG_HELP: &str = "job";

fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("not between 0 and 100".to_owned()) }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let parsed = command_line().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let Cli { log_format, command } = match parsed {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    let is_task = command.is_task();
    let result = prepare(log_format, command.log_filter()).and_then(|()| obey(command));
    let code = match result {
        Ok(code) => code,
        // The reader closed the pipe, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            if is_task || is_held(&error) { job::code(&error) } else { ExitCode::FAILURE }
        }
    };
    flush_log();
    code
}

impl Command {
    /// True for a command of a job, because an engine reads its exit code to decide whether to retry.
    fn is_task(&self) -> bool {
        matches!(self, Self::Job(_))
    }

    /// Log filter if `PRICEBOOK_LOG` is not set; `None` for the default filter. `query` and `doctor` log less, because
    /// they print their own messages.
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
    let command = Cli::command();
    let (short, long) = (commands_by_heading(&command, false), commands_by_heading(&command, true));
    command
        .help_template("{about}\n\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}")
        .before_help(short)
        .before_long_help(long)
        .after_help("pricebook COMMAND --help lists the options of a command")
}

/// The list of commands in the help: headings, and one line for each command.
fn commands_by_heading(command: &clap::Command, is_long: bool) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        format!("  {name:<12} {}\n", about.cloned().unwrap_or_default())
    };
    let group = |(heading, names): (&str, &[&str])| {
        let lines: String = names.iter().filter(|&&name| is_long || name != IN_LONG_HELP).map(line).collect();
        format!("{heading}:\n{lines}\n")
    };
    HEADINGS.map(group).concat()
}

/// Prints the error of an invalid command line, or the requested help. Returns the exit code. `job` has a code of its
/// own for an invalid command line.
fn misread(error: &clap::Error) -> ExitCode {
    // If the message cannot be printed, the exit code still reports the error.
    let _ = error.print();
    // The first word that is the name of a command is the command. Later words may be any text.
    let all = command_line();
    // Arguments may be invalid UTF-8.
    let mut words = std::env::args_os().skip(1);
    let named = words.find(|word| all.get_subcommands().any(|known| word == known.get_name()));
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ if named.is_some_and(|name| name == "job") => job::usage(),
        code => ExitCode::from(u8::try_from(code).unwrap_or(1)),
    }
}

/// Starts the log and installs signal handlers. After SIGBUS (a mapped file is gone), the process ends with a message.
/// SIGXFSZ does not end the process, so a write beyond the file size limit returns an error. Rust already ignores
/// SIGPIPE.
fn prepare(log_format: LogFormat, log_filter: Option<&str>) -> anyhow::Result<()> {
    start_log(log_format, log_filter)?;
    end_loudly_without_files().context("the handler of SIGBUS cannot be installed")?;
    signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::default())?;
    Ok(())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes to standard output and flushes it.
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
        Command::Job(command) => job::run(&command),
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

/// Returns `dir` itself if it is a snapshot, or its current snapshot if it is a directory of snapshots.
fn named(dir: &Path) -> anyhow::Result<PathBuf> {
    let path = snapshot::publish::named(dir)?;
    let is_one = path != dir || path.join(manifest::MANIFEST).exists();
    anyhow::ensure!(
        is_one,
        "{0} is not a snapshot ({1} is missing) and not a directory of snapshots ({2} is missing)",
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
    fn command_line_is_well_formed() {
        command_line().debug_assert();
    }

    #[test]
    fn help_lists_every_command_with_a_short_summary() {
        let mut command = command_line();
        let visible = command.get_subcommands().filter(|below| !below.is_hide_set());
        let mut visible: Vec<String> = visible.map(|below| below.get_name().to_owned()).collect();
        let mut listed: Vec<&str> = HEADINGS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        visible.sort();
        listed.sort_unstable();
        assert_eq!(visible, listed);
        for below in command.get_subcommands() {
            let about = below.get_about().unwrap().to_string();
            assert!(below.is_hide_set() || about.chars().count() <= 60, "{}: {about}", below.get_name());
        }
        let help = command.render_help().to_string();
        let first: Vec<&str> =
            help.lines().skip_while(|line| *line != "Daily commands:").skip(1).take(5).collect();
        let names: Vec<&str> = first.iter().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["serve", "build", "query", "snapshots", "doctor"]);
        assert!(!help.contains("\n  job ") && command.render_long_help().to_string().contains("\n  job "));
    }
}
