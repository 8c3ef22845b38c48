//! What is read, as the commands that read input take it.

use std::path::PathBuf;

use clap::Args;

use crate::ingest::mapping::InputMapping;
use crate::ingest::{Arguments, ListingsOrder};

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
