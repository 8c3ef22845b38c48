//! A file of an input, before it is opened.

use std::path::PathBuf;
use std::sync::Arc;

use super::format::{Compression, Format};
use crate::build::mapping::{InputSettings, InputTable};

/// Which tables a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Where it is.
    pub path: PathBuf,
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
