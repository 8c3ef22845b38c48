//! What a build is told to read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::ingest::mapping::InputMapping;

/// The argument that stands for an Arrow stream on standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// Which of several listings with one key counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListingsOrder {
    /// The first in reading order.
    #[default]
    First,
    /// The one with the latest date, and of equals the last in reading order.
    Newest,
}

/// What a build is told to read, and how.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// Folders and files of any table, and addresses of both.
    pub inputs: Vec<PathBuf>,
    /// Files, folders and patterns of listings, and addresses of all three.
    pub listings: Vec<String>,
    /// Files, folders and patterns of observations, and addresses of all three.
    pub observations: Vec<String>,
    /// What the columns and values of the files mean.
    pub mapping: InputMapping,
    /// Which of several listings with one key counts.
    pub listings_order: ListingsOrder,
}

impl Arguments {
    /// Folders in the form of the contract.
    pub fn folders(inputs: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Every argument, as given.
    pub fn all(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|input| input.display().to_string());
        inputs.chain(self.listings.iter().chain(&self.observations).cloned()).collect()
    }

    /// Writes what comes on `input` into `scratch` where an argument names standard input.
    ///
    /// # Errors
    /// When several do, or it cannot be written.
    pub fn spool(&self, mut input: impl Read, scratch: &Path) -> Result<Spool> {
        let asked = self.all().iter().filter(|argument| *argument == STANDARD_INPUT).count();
        ensure!(asked <= 1, "standard input (-) can be read only once");
        let mut spool = Spool::new(scratch);
        if asked == 1 {
            let path = scratch.join("standard-input.arrows");
            let mut copy = || io::copy(&mut input, &mut File::create(&path)?);
            copy().with_context(|| format!("standard input cannot be copied to {}", path.display()))?;
            spool.standard_input = Some(path);
        }
        Ok(spool)
    }
}

/// Where input is put that is no file of this machine.
#[derive(Debug, Clone)]
pub struct Spool {
    scratch: PathBuf,
    standard_input: Option<PathBuf>,
}

impl Spool {
    /// A place in this folder, without standard input. The folder is made when something comes, and is the caller's to
    /// remove.
    pub fn new(scratch: &Path) -> Self {
        Self { scratch: scratch.to_owned(), standard_input: None }
    }

    /// The folder for copies of what lies behind addresses.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// The file into which standard input was written.
    pub(super) fn standard_input(&self) -> Option<&Path> {
        self.standard_input.as_deref()
    }
}
