//! `pricebook build`.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::{env, process};

use anyhow::Context as _;
use clap::Args;

use super::{percent, say};
use crate::build::demo::build_demo;
use crate::build::explain;
use crate::build::ingest::{Arguments, ListingsOrder};
use crate::build::mapping::InputMapping;
use crate::build::pack::Linking;
use crate::build::run::{self as build, Built, MAX_REJECTS_PCT, Options};
use crate::http::fitness;
use crate::progress;

#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Builds the demo instead: real retailer data that the program carries with it.
    #[arg(long, conflicts_with_all = [
        "input", "listings", "observations", "map", "config", "explain", "write_map", "id", "gpc", "max_rejects", "linking",
    ])]
    demo: bool,
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
    /// Makes the snapshot current even where it holds much less than the one before, and has servers take it.
    #[arg(long)]
    force: bool,
}

/// What is read, and how.
#[derive(Debug, Args)]
struct InputArgs {
    /// Folder with listings, observations and side tables, or one file of them; several are read in the order given. Also
    /// an address (s3:// gs:// az:// of a folder or a file, http:// https:// of a file), or `-`, an Arrow stream on
    /// standard input.
    #[arg(long, required_unless_present_any = ["demo", "listings"], num_args = 1.., value_name = "PATH")]
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
    /// Prints what each column is taken for and the first rows as they are understood, and builds nothing.
    #[arg(long)]
    explain: bool,
    /// Writes a mapping for the columns whose names are near ours, to be looked through, and builds nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "config"])]
    write_map: Option<PathBuf>,
}

/// What a build is told to read.
fn arguments(args: &InputArgs) -> anyhow::Result<Arguments> {
    let mapping = match (&args.map, &args.config) {
        (Some(file), _) => InputMapping::read(file)?,
        (None, Some(config)) => InputMapping::of_config(config)?,
        (None, None) => InputMapping::default(),
    };
    let newest = args.listings_order == "newest";
    Ok(Arguments {
        inputs: args.input.clone(),
        listings: args.listings.clone(),
        observations: args.observations.clone(),
        mapping,
        listings_order: if newest { ListingsOrder::Newest } else { ListingsOrder::First },
    })
}

/// Says what a build would make of its input, and builds nothing.
fn explain_input(args: &BuildArgs) -> anyhow::Result<()> {
    let scratch = env::temp_dir().join(format!("pricebook-explain-{}", process::id()));
    let explanation = explain::explain(&arguments(&args.input)?, &scratch);
    // It is there only where something was fetched, and each copy goes when it was looked at.
    let _ = fs::remove_dir_all(&scratch);
    let explanation = explanation?;
    if args.input.explain {
        say(&explanation)?;
    }
    let Some(file) = &args.input.write_map else { return Ok(()) };
    let write = || File::create_new(file)?.write_all(explanation.mapping().as_bytes());
    write().with_context(|| format!("cannot write {}; name a new file", file.display()))?;
    say(format_args!("wrote {}: look it through, then build with --map {}\n", file.display(), file.display()))
}

/// Builds, or says what would be built.
pub(super) fn run(args: &BuildArgs) -> anyhow::Result<()> {
    if args.input.explain || args.input.write_map.is_some() {
        return explain_input(args);
    }
    let linking = match args.linking.as_str() {
        "off" => Linking::Off,
        _ if args.keep_links => Linking::Kept,
        _ => Linking::Checked,
    };
    let BuildArgs { demo, ref out, ref id, ref gpc, max_rejects, force, .. } = *args;
    let options = Options {
        arguments: arguments(&args.input)?,
        out: out.clone(),
        id: id.clone(),
        gpc: gpc.clone(),
        max_rejects_pct: max_rejects,
        linking,
    };
    let progress = progress::watch();
    let Built { report, published } = if demo {
        build_demo(&options.out, progress.as_ref())?
    } else {
        build::run(&options, progress.as_ref())?
    };
    progress.stage("trying", None);
    let tried = fitness::activate(&crate::api::routes(), published.snapshots(), published.id(), force);
    drop(progress);
    say(report)?;
    tried.map(drop).with_context(|| {
        format!(
            "the snapshot is published in {}, but CURRENT does not name it and goes on as it was",
            published.path().display()
        )
    })
}
