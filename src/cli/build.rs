//! `pricebook build`.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, process};

use anyhow::Context as _;
use clap::{ArgGroup, Args};

use super::input::InputArgs;
use super::publish::PublishArgs;
use super::{say, watch};
use crate::index::demo::build_demo;
use crate::index::merge::task::SHARD_BITS_MAX;
use crate::index::run as build;
use crate::index::run::{Built, Options, RunsAt};
use crate::ingest::explain;
use crate::server::{preflight, progress};

/// Seconds for which a watched input stands still before it is built, unless told otherwise.
const SETTLE_SECONDS: u64 = 10;

/// Reads a number of shards as a power of two.
pub(super) fn shard_bits(text: &str) -> Result<u32, String> {
    let shards: u32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if shards.is_power_of_two() && shards.ilog2() <= SHARD_BITS_MAX {
        return Ok(shards.ilog2());
    }
    Err(format!("not a power of two from 1 to {}", 1 << SHARD_BITS_MAX))
}

/// What is told of an input instead of building it.
#[derive(Debug, Args)]
struct LookArgs {
    /// Prints what each column is taken for and the first rows as they are understood, and builds nothing.
    #[arg(long)]
    explain: bool,
    /// Writes a mapping for the columns whose names are near ours, to be looked through, and builds nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "config"])]
    write_map: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("read").args(["input", "listings", "demo", "watch"]).required(true).multiple(true))]
pub(super) struct BuildArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    look: LookArgs,
    /// Builds the demo instead: real retailer data that the program carries with it.
    #[arg(long, conflicts_with_all = [
        "input", "listings", "observations", "map", "config", "explain", "write_map", "id", "gpc", "max_rejects", "linking",
        "memory", "runs", "no_runs", "rehash", "shards", "watch",
    ])]
    demo: bool,
    #[command(flatten)]
    publish: PublishArgs,
    /// Folder or URL (s3, gs, az) of what builds leave for the next one; `runs` below --out without it.
    #[arg(long, value_name = "URL")]
    runs: Option<String>,
    /// Leaves nothing for the next build, and takes nothing of the one before.
    #[arg(long, conflicts_with = "runs")]
    no_runs: bool,
    /// Reads every file again, also those that seem not to have changed.
    #[arg(long)]
    rehash: bool,
    /// Cuts the catalog into so many shards, a power of two; by the memory without it. The snapshot is the same.
    #[arg(long, value_name = "COUNT", value_parser = shard_bits)]
    shards: Option<u32>,
    /// Goes on: builds whenever the input has changed and stands still. A folder named here is one more --input.
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    #[allow(clippy::option_option, reason = "clap: not given, given alone, given with a folder")]
    watch: Option<Option<PathBuf>>,
    /// Seconds for which a watched input stands still before it is built.
    #[arg(long, value_name = "SECONDS", default_value_t = SETTLE_SECONDS, requires = "watch")]
    settle: u64,
}

/// Says what a build would make of its input, and builds nothing.
fn explain_input(args: &BuildArgs) -> anyhow::Result<()> {
    let scratch = env::temp_dir().join(format!("pricebook-explain-{}", process::id()));
    let explanation = explain::explain(&args.input.arguments()?, &scratch);
    // It is there only where something was fetched, and each copy goes when it was looked at.
    let _ = fs::remove_dir_all(&scratch);
    let explanation = explanation?;
    if args.look.explain {
        say(&explanation)?;
    }
    let Some(file) = &args.look.write_map else { return Ok(()) };
    let write = || File::create_new(file)?.write_all(explanation.mapping().as_bytes());
    write().with_context(|| format!("cannot write {}; name a new file", file.display()))?;
    say(format_args!("wrote {}: look it through, then build with --map {}\n", file.display(), file.display()))
}

/// Builds, or says what would be built.
pub(super) fn run(args: &BuildArgs) -> anyhow::Result<()> {
    if args.look.explain || args.look.write_map.is_some() {
        return explain_input(args);
    }
    let runs = match &args.runs {
        Some(at) => RunsAt::Named(at.clone()),
        None if args.no_runs => RunsAt::Nowhere,
        None => RunsAt::Beside,
    };
    let folder = args.watch.as_ref().and_then(Option::as_ref);
    let arguments = watch::with_folder(args.input.arguments()?, folder);
    let options =
        Options { runs, rehash: args.rehash, shard_bits: args.shards, ..args.publish.options(arguments) };
    if args.watch.is_none() {
        return build_once(&options, args.demo, args.publish.force);
    }
    let settle = Duration::from_secs(args.settle);
    // Not among the temporary folders of a build, which the next one removes.
    let scratch = env::temp_dir().join(format!("pricebook-watch-{}", process::id()));
    watch::watch(&options.arguments, &scratch, settle, || build_once(&options, false, args.publish.force))
}

/// Builds, tries what was built and makes it current.
pub(super) fn build_once(options: &Options, demo: bool, force: bool) -> anyhow::Result<()> {
    let progress = progress::watch();
    let Built { report, published } = if demo {
        build_demo(&options.out, progress.as_ref())?
    } else {
        build::run(options, progress.as_ref())?
    };
    progress.stage("trying", None);
    let tried =
        preflight::activate(&crate::endpoints::routes(), published.snapshots(), published.id(), force);
    drop(progress);
    say(report)?;
    tried.map(drop).with_context(|| {
        format!(
            "the snapshot is published in {}, but CURRENT does not name it and goes on as it was",
            published.path().display()
        )
    })
}
