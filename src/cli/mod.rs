//! The command line: one subcommand per thing that pricebook does.

mod bench;
mod build;
mod eval;
mod input;
mod ledger;
mod mcp;
mod publish;
mod runs;
mod snapshots;
mod tasks;
mod watch;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::builder::BoolishValueParser;
use clap::{Args, Parser, Subcommand};

use self::bench::{BenchArgs, FloorArgs};
use self::build::BuildArgs;
use self::eval::EvalCommand;
use self::ledger::LedgerCommand;
use self::runs::RunsCommand;
use self::snapshots::SnapshotsCommand;
use self::tasks::{JudgeArgs, MergeArgs, PackArgs, PlanCommand};
use crate::bench::generate::{self, CHURN_PCT};
use crate::build::template;
use crate::catalog::Catalog;
use crate::config::{ServeConfig, ServeFlags};
use crate::export;
use crate::openapi;
use crate::payment::Mode;
use crate::snapshot::mapped::end_loudly_without_files;
use crate::telemetry::{LogFormat, flush_log, start_log};

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
        /// Directory of the snapshot.
        snapshot: PathBuf,
    },
    /// Writes the cleaned tables of a snapshot as Parquet, a folder for each country: listings with their entity, brand
    /// and category, and observations. docs/export.md says how other engines read them.
    Export {
        /// Directory of the snapshot.
        #[arg(long, value_name = "DIR")]
        snapshot: PathBuf,
        /// Directory for the tables; it may not hold them yet.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Writes a synthetic input of any size, the same bytes for the same arguments.
    Generate(GenerateArgs),
    /// Measures answers of a snapshot by what people judged.
    #[command(subcommand)]
    Eval(EvalCommand),
    /// Reports what was paid.
    #[command(subcommand)]
    Ledger(LedgerCommand),
}

#[derive(Debug, Args)]
struct GenerateArgs {
    /// Listings in all: three quarters in the US, a twentieth on the largest shelf.
    #[arg(long, value_name = "COUNT")]
    listings: u32,
    /// Days up to 2026-10-31.
    #[arg(long, value_name = "COUNT")]
    days: u32,
    /// Observes on every so many of these days, the last one among them.
    #[arg(long, default_value_t = 1, value_name = "DAYS")]
    every: u32,
    /// Another seed, another catalog of the same kind.
    #[arg(long)]
    seed: u64,
    /// Share of the listings that leave in thirty days; as many come. Without any, every listing has all its days.
    #[arg(long, default_value_t = CHURN_PCT, value_name = "PCT", value_parser = percent)]
    churn: f64,
    /// Folder to write into, new or empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) { Ok(value) } else { Err("not between 0 and 100".to_owned()) }
}

#[derive(Debug, Args)]
struct ServeArgs {
    /// Configuration file; pricebook.example.toml is one with every key. What is named here comes before it.
    #[arg(long, env = "PRICEBOOK_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of snapshots; its file CURRENT names the one to serve [default: snapshots].
    #[arg(long, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// Address for clients [default: 127.0.0.1:8080].
    #[arg(long, env = "PRICEBOOK_LISTEN", value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Address for /livez, /readyz and /metrics; none without it.
    #[arg(long, env = "PRICEBOOK_ADMIN", value_name = "ADDR")]
    admin: Option<SocketAddr>,
    /// Lets that address be one which others can reach.
    #[arg(long)]
    admin_public: bool,
    /// How paid routes are paid: off, sandbox or live. It must be named unless the server listens on a loopback
    /// address; live needs --config.
    #[arg(long, env = "PRICEBOOK_PAYMENTS", value_name = "MODE")]
    payments: Option<Mode>,
    /// Requests per minute that one client may send; 0 counts nobody [default: 600].
    #[arg(long, env = "PRICEBOOK_RATE", value_name = "COUNT")]
    rate: Option<u32>,
    /// Counts clients on loopback addresses too.
    #[arg(long, env = "PRICEBOOK_RATE_LOOPBACK", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = BoolishValueParser::new())]
    rate_loopback: Option<bool>,
    /// Starts without reading the snapshot through: for files that were verified before and not touched since. Lengths
    /// are checked all the same, and a snapshot that is swapped in is always verified.
    #[arg(long)]
    skip_verification: bool,
    /// Copies snapshots into memory instead of mapping their files: nothing that becomes of the files matters then. It
    /// takes as much memory as a snapshot is large, and twice that during a swap.
    #[arg(long, env = "PRICEBOOK_PRIVATE_COPY", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = BoolishValueParser::new())]
    private_copy: Option<bool>,
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let Cli { log_format, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    let is_task = command.is_task();
    let result = prepare(log_format).and_then(|()| obey(command));
    let code = match result {
        Ok(()) => ExitCode::SUCCESS,
        // Who read it has had enough, as `head` has.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            if is_task { tasks::code(&error) } else { ExitCode::FAILURE }
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
}

/// Says what a command line should be. Those of tasks have an exit code of their own.
fn misread(error: &clap::Error) -> ExitCode {
    // Where nothing can be said, the code says it.
    let _ = error.print();
    let is_task = |word: String| ["plan", "judge", "merge", "pack"].contains(&&*word);
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ if std::env::args().any(is_task) => tasks::usage(),
        code => ExitCode::from(u8::try_from(code).unwrap_or(1)),
    }
}

/// What every command wants of the process: a log, a sentence where a mapped file is gone, and a file that grows beyond
/// its limit as an error and not as the end (the other signal that a write may end in, SIGPIPE, Rust has made an error
/// already).
fn prepare(log_format: LogFormat) -> anyhow::Result<()> {
    start_log(log_format)?;
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

fn obey(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => serve(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Build(args) => build::run(&args),
        Command::Plan(command) => tasks::plan(&command),
        Command::Judge(args) => tasks::judge(&args),
        Command::Merge(args) => tasks::merge(&args),
        Command::Pack(args) => tasks::pack(&args),
        Command::Template { dir } => say(template::write(&dir)?),
        Command::Runs(command) => runs::run(&command),
        Command::Snapshots(command) => snapshots::run(command),
        Command::Generate(args) => generate(args),
        Command::Bench(args) => bench::bench(*args),
        Command::Floor(args) => bench::serve_floor(&args),
        Command::Openapi => openapi(),
        Command::Verify { snapshot } => verify(&snapshot),
        Command::Export { snapshot, out } => export_tables(&snapshot, &out),
        Command::Eval(command) => eval::run(command),
        Command::Ledger(command) => ledger::run(command),
    }
}

fn serve(args: ServeArgs) -> anyhow::Result<()> {
    crate::serve::run(&ServeConfig::load(flags(args))?)
}

fn flags(args: ServeArgs) -> ServeFlags {
    let ServeArgs {
        config,
        snapshots,
        listen,
        admin,
        admin_public,
        payments,
        rate,
        rate_loopback,
        skip_verification,
        private_copy,
    } = args;
    ServeFlags {
        config,
        snapshots,
        listen,
        admin,
        admin_public,
        payments,
        requests_per_minute: rate,
        rate_loopback,
        skip_verification,
        private_copy,
    }
}

fn generate(args: GenerateArgs) -> anyhow::Result<()> {
    let GenerateArgs { listings, days, every, seed, churn, out } = args;
    let options = generate::GenerateOptions { listings, days, every, seed, churn_pct: churn, out };
    let summary = generate::run(&options, &|done| tracing::info!("generated {done} of {listings} listings"))?;
    say(summary)
}

fn openapi() -> anyhow::Result<()> {
    say(format_args!("{}\n", openapi::pretty(&crate::api::routes(), &openapi::Terms::default())?))
}

fn verify(snapshot: &Path) -> anyhow::Result<()> {
    let catalog = Catalog::open(snapshot)?;
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

fn export_tables(snapshot: &Path, out: &Path) -> anyhow::Result<()> {
    export::run(&Catalog::open(snapshot)?, out, export::PART_ROWS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    fn asked(args: &[&str]) -> Result<ServeFlags, String> {
        let cli = Cli::try_parse_from(["pricebook", "serve"].iter().chain(args));
        match cli.map_err(|error| error.to_string())?.command {
            Command::Serve(args) => Ok(flags(args)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_named_is_left_to_the_file() {
        let flags = asked(&["--rate-loopback=false", "--payments", "sandbox"]).expect("a command line");
        assert_eq!((flags.rate_loopback, flags.payments), (Some(false), Some(Mode::Sandbox)));
        assert_eq!((flags.listen, flags.snapshots, flags.requests_per_minute), (None, None, None));
        let flags = asked(&["--rate-loopback", "--rate", "0"]).expect("a command line");
        assert_eq!(
            (flags.rate_loopback, flags.requests_per_minute, flags.payments),
            (Some(true), Some(0), None)
        );
        assert!(asked(&["--payments", "free"]).is_err_and(|error| error.contains("off, sandbox or live")));
    }
}
