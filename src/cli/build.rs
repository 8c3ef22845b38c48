//! `pricebook build`, and the arguments for input and snapshots that it shares with `watch` and `job`.

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

/// Default time without changes before a watched input is built, in seconds.
const SETTLE_SECONDS: u64 = 10;

/// Parses a number of shards, which must be a power of two, and returns its base-2 logarithm.
pub(super) fn shard_bits(text: &str) -> Result<u32, String> {
    let shards: u32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if shards.is_power_of_two() && shards.ilog2() <= SHARD_BITS_MAX {
        return Ok(shards.ilog2());
    }
    Err(format!("not a power of two from 1 to {}", 1 << SHARD_BITS_MAX))
}

/// Options that describe an input instead of building a snapshot from it.
#[derive(Debug, Args)]
struct LookArgs {
    /// Prints how the columns and the first rows are interpreted, without building.
    #[arg(long)]
    explain: bool,
    /// Writes a draft mapping for columns whose names resemble the expected names, without building.
    ///
    /// The draft must be reviewed before it is used.
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
    /// Builds the demo snapshot, from real retailer data that is included in the program, instead of an input.
    #[arg(long, conflicts_with_all = [
        "input", "listings", "observations", "map", "config", "explain", "write_map", "id", "gpc", "lexicon", "max_rejects", "linking",
        "memory", "runs", "no_runs", "rehash", "shards", "watch",
    ])]
    demo: bool,
    #[command(flatten)]
    publish: PublishArgs,
    /// Folder or URL (s3, gs, az) for runs: validated files that later builds reuse [default: `runs` below --out].
    #[arg(long, value_name = "URL")]
    runs: Option<String>,
    /// Does not reuse runs of earlier builds, and does not keep runs for later builds.
    #[arg(long, conflicts_with = "runs")]
    no_runs: bool,
    /// Reads every file again, including files that seem unchanged.
    #[arg(long)]
    rehash: bool,
    /// Number of shards of the catalog, a power of two; it does not change the snapshot [default: depends on the
    /// memory].
    #[arg(long, value_name = "COUNT", value_parser = shard_bits)]
    shards: Option<u32>,
    /// Keeps running and builds again after each change of the input.
    ///
    /// A build starts when the input has not changed for the time of --settle. A folder named here is an additional
    /// --input.
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    #[allow(clippy::option_option, reason = "clap: not given, given alone, given with a folder")]
    watch: Option<Option<PathBuf>>,
    /// Time without changes before a watched input is built, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = SETTLE_SECONDS, requires = "watch")]
    settle: u64,
}

/// Prints how a build would interpret its input, and writes a draft mapping if `--write-map` is given.
fn explain_input(args: &BuildArgs) -> anyhow::Result<()> {
    let scratch = env::temp_dir().join(format!("pricebook-explain-{}", process::id()));
    let explanation = explain::explain(&args.input.arguments()?, &scratch);
    // The folder exists only if a remote file was copied into it. Each copy was removed after it was read.
    let _ = fs::remove_dir_all(&scratch);
    let explanation = explanation?;
    if args.look.explain {
        say(&explanation)?;
    }
    let Some(file) = &args.look.write_map else { return Ok(()) };
    let write = || File::create_new(file)?.write_all(explanation.mapping().as_bytes());
    write().with_context(|| format!("cannot write {}; name a new file", file.display()))?;
    say(format_args!("wrote {}: review the file, then build with --map {}\n", file.display(), file.display()))
}

/// Runs the command: explains the input, builds once, or watches.
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
    // The folder is outside the temporary folders of a build, because the next build removes these folders.
    let scratch = env::temp_dir().join(format!("pricebook-watch-{}", process::id()));
    watch::watch(&options.arguments, &scratch, settle, || build_once(&options, false, args.publish.force))
}

/// Builds a snapshot, tries every endpoint on it and makes it the current snapshot.
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
            "the snapshot is published in {}, but CURRENT does not name it and is unchanged",
            published.path().display()
        )
    })
}

/// The input of a build.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Folder or file with listings, observations and side tables; several paths are read in the order given.
    ///
    /// Addresses are accepted too: s3://, gs:// or az:// for a folder or a file, http:// or https:// for a file. `-`
    /// reads an Arrow stream from standard input.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    input: Vec<PathBuf>,
    /// Listings: a file of any name, a folder, or a pattern (* ** ? [] {}), local or at an address.
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    listings: Vec<String>,
    /// Observations: a file of any name, a folder, or a pattern (* ** ? [] {}), local or at an address.
    #[arg(long, num_args = 1.., value_name = "PATTERN")]
    observations: Vec<String>,
    /// TOML file that maps columns and values of the input; docs/input.md lists the keys.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    map: Option<PathBuf>,
    /// Configuration file with the mapping in its table `[input]`, instead of --map.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Listing that is kept if several have the same key: the first one read, or the one with the latest date.
    #[arg(long, default_value = "first", value_name = "ORDER", value_parser = ["first", "newest"])]
    listings_order: String,
}

impl InputArgs {
    /// Returns the description of the input that a build reads. Returns an error if the mapping cannot be read.
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

/// Options of how a snapshot is built and put in use.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// Directory of snapshots.
    #[arg(long, default_value = "snapshots", env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    out: PathBuf,
    /// Name of the snapshot [default: its as-of date and content hash].
    #[arg(long)]
    id: Option<String>,
    /// GPC (Global Product Classification) publication, as .json or .json.gz, to use instead of one in the input.
    #[arg(long, value_name = "FILE")]
    gpc: Option<PathBuf>,
    /// Rows of words and units to add to the lexicon that is included in the program (docs/lexicon.md).
    #[arg(long, value_name = "FILE")]
    lexicon: Option<PathBuf>,
    /// Maximum share of rejected rows, in percent; above it the snapshot is not published.
    #[arg(long, default_value_t = MAX_REJECTS_PCT, value_name = "PCT", value_parser = percent)]
    max_rejects: f64,
    /// Linking of listings without a barcode by their names and attributes: off or likely.
    #[arg(long, default_value = "likely", value_name = "MODE", value_parser = ["off", "likely"])]
    linking: String,
    /// Publishes likely links even if the linker's precision, checked against barcodes, is below 90 percent.
    #[arg(long)]
    keep_links: bool,
    /// Memory for the build, as in 512M or 4G [default: a quarter of the machine's memory].
    #[arg(long, value_name = "AMOUNT", value_parser = parse_memory)]
    memory: Option<u64>,
    /// Puts the snapshot in use even if it contains much less than the current one, or if a few of its observations
    /// are dated after tomorrow.
    ///
    /// Running servers also accept such a snapshot.
    #[arg(long)]
    pub(super) force: bool,
}

impl PublishArgs {
    /// Returns the options of a build of this input.
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
            lexicon: self.lexicon.clone(),
            max_rejects_pct: self.max_rejects,
            linking,
            memory: self.memory.unwrap_or_else(default_memory),
            ..Options::default()
        }
    }
}
