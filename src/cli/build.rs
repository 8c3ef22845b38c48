//! `pricebook build`, and the arguments that it shares with `watch` and `job`: the input, and the snapshots directory.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, process};

use anyhow::Context as _;
use clap::{ArgGroup, Args};

use super::{percent, say, watch};
use crate::index::demo::build_demo;
use crate::index::memory::{default_memory, parse_memory};
use crate::index::merge::task::SHARD_BITS_MAX;
use crate::index::run as build;
use crate::index::run::{Built, MAX_REJECTS_PCT, Options, RunsAt};
use crate::index::writer::Linking;
use crate::ingest::mapping::InputMapping;
use crate::ingest::{Arguments, ListingsOrder, explain};
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

/// What is read, and how.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Folder with listings, observations and side tables, or one file of them; several are read in the order given. Also
    /// an address (s3:// gs:// az:// of a folder or a file, http:// https:// of a file), or `-`, an Arrow stream on
    /// standard input.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    input: Vec<PathBuf>,
    /// Listings: a file of any name, a folder, or a pattern (* ** ? [] {}), also behind an address.
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    listings: Vec<String>,
    /// Observations: a file of any name, a folder, or a pattern (* ** ? [] {}), also behind an address.
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    observations: Vec<String>,
    /// What the columns and values of the files mean (TOML); docs/input.md has the keys.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    map: Option<PathBuf>,
    /// Configuration whose table `[input]` says what --map would.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Which of several listings with one key counts: the first that is read, or the one with the latest date.
    #[arg(long, default_value = "first", value_name = "ORDER", value_parser = ["first", "newest"])]
    listings_order: String,
}

impl InputArgs {
    /// What a build is told to read.
    pub(super) fn arguments(&self) -> anyhow::Result<Arguments> {
        let mapping = match (&self.map, &self.config) {
            (Some(file), _) => InputMapping::read(file)?,
            (None, Some(config)) => InputMapping::of_config(config)?,
            (None, None) => InputMapping::default(),
        };
        let newest = self.listings_order == "newest";
        Ok(Arguments {
            inputs: self.input.clone(),
            listings: self.listings.clone(),
            observations: self.observations.clone(),
            mapping,
            listings_order: if newest { ListingsOrder::Newest } else { ListingsOrder::First },
        })
    }
}

/// How a snapshot is made and put in use.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// Directory of snapshots.
    #[arg(long, default_value = "snapshots", env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    out: PathBuf,
    /// Name of the snapshot; its as-of date and content hash without it.
    #[arg(long)]
    id: Option<String>,
    /// GPC publication (JSON, also .gz) to use instead of any in the input.
    #[arg(long, value_name = "FILE")]
    gpc: Option<PathBuf>,
    /// Share of rejected rows above which nothing is published.
    #[arg(long, default_value_t = MAX_REJECTS_PCT, value_name = "PCT", value_parser = percent)]
    max_rejects: f64,
    /// Whether listings without a barcode are linked by what they say of themselves: off or likely.
    #[arg(long, default_value = "likely", value_name = "MODE", value_parser = ["off", "likely"])]
    linking: String,
    /// Publishes likely links even where the linker, held against barcodes, is right on fewer than nine in ten.
    #[arg(long)]
    keep_links: bool,
    /// Memory for the build, 512M or 4G; a quarter of the machine's without it.
    #[arg(long, value_name = "AMOUNT", value_parser = parse_memory)]
    memory: Option<u64>,
    /// Makes the snapshot current even where it holds much less than the one before, or a few observations dated
    /// after tomorrow, and has servers take it.
    #[arg(long)]
    pub(super) force: bool,
}

impl PublishArgs {
    /// The build of what these arguments name.
    pub(super) fn options(&self, arguments: Arguments) -> Options {
        let linking = match self.linking.as_str() {
            "off" => Linking::Off,
            _ if self.keep_links => Linking::Kept,
            _ => Linking::Checked,
        };
        Options {
            arguments,
            out: self.out.clone(),
            id: self.id.clone(),
            gpc: self.gpc.clone(),
            max_rejects_pct: self.max_rejects,
            linking,
            memory: self.memory.unwrap_or_else(default_memory),
            ..Options::default()
        }
    }
}
