//! From a file to the name of its run, judged if it is not there yet.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::{JUDGE_VERSION, judge};
use crate::build::Progress;
use crate::build::ingest::InputFile;
use crate::build::runs::Run;
use crate::store::Store;

/// Where files are judged, and how.
pub struct Judging<'a> {
    /// Where runs are.
    pub store: &'a Store,
    /// A folder for temporary files.
    pub scratch: &'a Path,
    /// Memory in bytes.
    pub memory: u64,
    /// Whether the newest of several listings with one key counts.
    pub newest: bool,
    /// Whether nothing that is known is believed.
    pub rehash: bool,
    /// Who watches.
    pub progress: &'a dyn Progress,
}

/// The run of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOf {
    /// Its name.
    pub name: String,
    /// Whether it was there.
    pub reused: bool,
}

impl Judging<'_> {
    /// The run of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn run_of(&self, file: &InputFile) -> Result<RunOf> {
        let _kept = file.fetch()?;
        let mut hash = blake3::Hasher::new();
        hash.update(&JUDGE_VERSION.to_le_bytes());
        let settings = format!(
            "{:?}",
            (self.newest, file.holds, file.format, file.compression, &file.keys, &file.settings)
        );
        hash.update(settings.as_bytes());
        hash.update_reader(std::fs::File::open(&file.path)?).with_context(|| file.name.clone())?;
        let name = hash.finalize().to_hex().to_string();
        let reused = Run::is_there(self.store, &name)?;
        judge(file, self.newest, &name, self.store, self.scratch, self.memory, self.progress)?;
        Ok(RunOf { name, reused })
    }
}
