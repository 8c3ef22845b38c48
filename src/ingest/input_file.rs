//! A file of an input, before it is opened.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::format::{Compression, Format};
use super::remote_input::{Fetched, RemoteInput};
use crate::ingest::mapping::{InputSettings, InputTable};

/// Which tables a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// Listings.
    Listings,
    /// Observations.
    Observations,
    /// Both: each row is an observation, and a listing where it has a name.
    Both,
}

impl Holds {
    /// The tables that it holds.
    pub const fn tables(self) -> &'static [InputTable] {
        match self {
            Self::Both => &InputTable::ALL,
            Self::Listings => &[InputTable::Listings],
            Self::Observations => &[InputTable::Observations],
        }
    }

    /// Whether it holds this table.
    pub fn has(self, table: InputTable) -> bool {
        self.tables().contains(&table)
    }

    /// The word of reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Listings => "listings",
            Self::Observations => "observations",
            Self::Both => "listings and observations",
        }
    }
}

/// A file of listings or observations.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Where it is; of one behind an address, where its copy is while somebody keeps it.
    pub path: PathBuf,
    /// What is known of it behind an address.
    pub remote: Option<Arc<RemoteInput>>,
    /// How reports name it: the argument as given and the path within it.
    pub name: String,
    /// How it is written.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Which tables it holds.
    pub holds: Holds,
    /// Why it does not hold the other table, where its columns decided what it holds; else nothing.
    pub lacks: String,
    /// What the `key=value` folders say that it lies in.
    pub keys: Vec<(String, String)>,
    /// What the mapping says of it.
    pub settings: Arc<InputSettings>,
    /// Number of the argument that names it, or its folder.
    pub argument: usize,
}

impl InputFile {
    /// Sees to it that the file can be read at its path as long as what is returned is kept: one that lies behind an
    /// address is copied there.
    ///
    /// # Errors
    /// When it cannot be fetched, or there is no room for it.
    pub fn fetch(&self) -> Result<Fetched> {
        self.remote.as_ref().map_or_else(|| Ok(Fetched::nothing()), |remote| remote.fetch())
    }
}
