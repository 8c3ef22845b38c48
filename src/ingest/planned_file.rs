//! A file of an input as the plan of a build names it: every task finds the same file, on whatever machine it runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::arguments::Spool;
use super::format::{Compression, Format};
use super::input_file::{Holds, InputFile};
use super::remote_input::RemoteSearch;
use crate::ingest::mapping::InputMapping;
use crate::store::is_address;

/// A file of an input, as a plan names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Its address, which may hold a key to it, or its path from the root.
    at: String,
    /// How reports name it.
    name: String,
    format: Format,
    compression: Compression,
    holds: Holds,
    /// What the `key=value` folders say that it lies in.
    keys: Vec<(String, String)>,
    argument: usize,
}

impl PlannedFile {
    /// The file as a plan names it.
    ///
    /// # Errors
    /// When its path is not one that can be written down.
    pub fn new(file: &InputFile) -> Result<Self> {
        let at = match &file.remote {
            Some(remote) => remote.url().to_owned(),
            None => absolute(&file.path)?,
        };
        Ok(Self {
            at,
            name: file.name.clone(),
            format: file.format,
            compression: file.compression,
            holds: file.holds,
            keys: file.keys.clone(),
            argument: file.argument,
        })
    }

    /// The file that is meant.
    ///
    /// # Errors
    /// When there is none behind its address.
    pub fn find(&self, mapping: &InputMapping, spool: &Spool) -> Result<InputFile> {
        let mut found = Vec::new();
        if is_address(&self.at) {
            found = RemoteSearch::new(spool.scratch()).below(&self.at)?;
        }
        let remote = found.pop();
        Ok(InputFile {
            path: remote.as_ref().map_or_else(|| PathBuf::from(&self.at), |remote| remote.copy().to_owned()),
            remote,
            name: self.name.clone(),
            format: self.format,
            compression: self.compression,
            holds: self.holds,
            lacks: String::new(),
            keys: self.keys.clone(),
            settings: mapping.settings(&self.name),
            argument: self.argument,
        })
    }
}

/// A path as every working directory has it.
fn absolute(path: &Path) -> Result<String> {
    let absolute = std::path::absolute(path).with_context(|| format!("{}: invalid path", path.display()))?;
    let text = absolute.into_os_string().into_string();
    text.ok().with_context(|| format!("{}: the path must be valid UTF-8", path.display()))
}
