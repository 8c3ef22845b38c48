//! A file of an input before it is opened: its path, and the table, country and retailer that the path names.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use super::format::{Compression, Format};
use super::remote_input::{Fetched, RemoteInput};
use crate::ingest::mapping::{InputSettings, InputTable};

/// What stands for a missing value in a `key=value` folder.
const HIVE_MISSING: &str = "__HIVE_DEFAULT_PARTITION__";
/// What the name of a file says that it holds, or that of the nearest folder which says anything.
pub(super) fn named(path: &Path) -> Option<Holds> {
    let is = |name: &str, table: InputTable| name.eq_ignore_ascii_case(table.as_str());
    let holds = |name: &str| {
        let tables =
            [(InputTable::Listings, Holds::Listings), (InputTable::Observations, Holds::Observations)];
        tables.into_iter().find(|(table, _)| is(name, *table)).map(|(_, holds)| holds)
    };
    let name = path.file_name()?.to_string_lossy();
    let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
    holds(stem).or_else(|| {
        let folders = path.parent()?.components().rev();
        folders.into_iter().find_map(|folder| {
            let folder = folder.as_os_str().to_string_lossy();
            // Spark makes a folder of what it is told to write: `observations.csv/part-00000.csv`.
            let stem = folder.split_once('.').filter(|_| Format::of_name(&folder).is_some());
            holds(stem.map_or(&*folder, |(stem, _)| stem))
        })
    })
}

/// The folders of a path that are written `key=value`, with their values decoded.
pub(super) fn keys(path: &Path) -> Vec<(String, String)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    let key = |folder: Component<'_>| {
        let folder = folder.as_os_str().to_string_lossy();
        let (key, value) = folder.split_once('=')?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().trim().to_owned();
        let key = decoded(key);
        let value = if value == HIVE_MISSING { String::new() } else { decoded(value) };
        Some((if key.eq_ignore_ascii_case("dt") { "date".to_owned() } else { key }, value))
    };
    folders.filter_map(key).collect()
}

pub(super) fn is_partitioned(path: &Path) -> bool {
    !keys(path).is_empty()
}

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
