//! What becomes of an input that is read, as the commands that make snapshots take it.

use std::path::PathBuf;

use clap::Args;

use super::percent;
use crate::index::memory::{default_memory, parse_memory};
use crate::index::run::{MAX_REJECTS_PCT, Options};
use crate::index::writer::Linking;
use crate::ingest::Arguments;

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
