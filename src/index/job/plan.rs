//! The plan of a job.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::index::merge::task::MergeTask;
use crate::ingest::mapping::InputMapping;
use crate::ingest::{Arguments, InputFile, ListingsOrder, PlannedFile};
use crate::store::{Store, is_address, shown};

/// Version of what a plan says.
const PLAN_VERSION: u32 = 1;

/// What is read, and where runs lie.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobPlan {
    version: u32,
    /// Where runs and shards lie.
    runs: String,
    inputs: Vec<String>,
    listings: Vec<String>,
    observations: Vec<String>,
    mapping: toml::Table,
    newest: bool,
    /// Each file once.
    files: Vec<PlannedFile>,
    /// What is merged, once every file is judged.
    merge: Option<PlannedMerge>,
}

/// Merges of one plan: they differ in the shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMerge {
    /// The merge of the first shard.
    pub first: MergeTask,
}

impl PlannedMerge {
    /// The merge of a shard.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn task(&self, shard: u32) -> Result<MergeTask> {
        let shards = self.shards();
        ensure!(shard < shards, "the plan has {shards} shards: --shard must be between 0 and {}", shards - 1);
        Ok(MergeTask { shard, ..self.first.clone() })
    }

    /// How many there are.
    pub fn shards(&self) -> u32 {
        1 << self.first.shard_bits
    }
}

/// A task or a plan of another version of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} has version {theirs}, but this program requires version {ours}: use the same version of pricebook for the \
     plan and all tasks, and start again with: pricebook job plan validate"
)]
pub struct WrongVersion {
    what: &'static str,
    theirs: u32,
    ours: u32,
}

impl WrongVersion {
    /// Refuses another version than the program's.
    ///
    /// # Errors
    /// When `theirs` is not `ours`.
    pub fn unless_equal(what: &'static str, theirs: u32, ours: u32) -> Result<(), Self> {
        if theirs == ours { Ok(()) } else { Err(Self { what, theirs, ours }) }
    }
}

impl JobPlan {
    /// The plan to read these files, which these arguments name, with runs at `runs`.
    ///
    /// # Errors
    /// When a path cannot be written down.
    pub fn new(arguments: &Arguments, files: &[&InputFile], runs: &str) -> Result<Self> {
        let text = |path: &PathBuf| {
            path.to_str()
                .map(str::to_owned)
                .context("an input path is not UTF-8: a plan requires UTF-8 paths")
        };
        Ok(Self {
            version: PLAN_VERSION,
            runs: everywhere(runs)?,
            inputs: arguments.inputs.iter().map(text).collect::<Result<_>>()?,
            listings: arguments.listings.clone(),
            observations: arguments.observations.clone(),
            mapping: arguments.mapping.written().clone(),
            newest: arguments.listings_order == ListingsOrder::Newest,
            files: files.iter().map(|file| PlannedFile::new(file)).collect::<Result<_>>()?,
            merge: None,
        })
    }

    /// Reads the plan at a path or an address.
    ///
    /// # Errors
    /// When there is none, or it is of another version ([`WrongVersion`]).
    pub fn read(at: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let (store, name) = Store::of_object(at)?;
        let bytes = store.get(&name)?;
        let bytes = bytes.with_context(|| {
            format!("there is no plan at {}: create a plan with pricebook job plan validate", shown(at))
        })?;
        let unreadable = || format!("{} is not a valid plan", shown(at));
        let Version { version } = serde_json::from_slice(&bytes).with_context(unreadable)?;
        WrongVersion::unless_equal("a plan", version, PLAN_VERSION)?;
        serde_json::from_slice(&bytes).with_context(unreadable)
    }

    /// Writes it, in the place of what is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, at: &str, scratch: &Path) -> Result<()> {
        let (store, name) = Store::of_object(at)?;
        fs::create_dir_all(scratch).with_context(|| format!("{} cannot be created", scratch.display()))?;
        let file = scratch.join("plan.json");
        fs::write(&file, serde_json::to_vec(self)?)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        store.put_file(&name, &file)
    }

    /// The arguments of the build.
    ///
    /// # Errors
    /// When the mapping is none, which it was when the plan was made.
    pub fn arguments(&self) -> Result<Arguments> {
        Ok(Arguments {
            inputs: self.inputs.iter().map(PathBuf::from).collect(),
            listings: self.listings.clone(),
            observations: self.observations.clone(),
            mapping: InputMapping::of_table(&self.mapping)?,
            listings_order: if self.newest { ListingsOrder::Newest } else { ListingsOrder::First },
        })
    }

    /// The store of runs and shards.
    ///
    /// # Errors
    /// When the environment does not say how to speak to it.
    pub fn store(&self) -> Result<Store> {
        Store::open(&self.runs)
    }

    /// Where runs and shards lie.
    pub fn runs(&self) -> &str {
        &self.runs
    }

    /// Whether of several listings with one key the newest counts.
    pub fn newest(&self) -> bool {
        self.newest
    }

    /// The file of a task.
    ///
    /// # Errors
    /// When there are not so many.
    pub fn file(&self, number: u32) -> Result<&PlannedFile> {
        let count = self.files.len();
        self.files
            .get(number as usize)
            .with_context(|| format!("the plan has {count} files: there is no file {number}"))
    }

    /// What is merged.
    ///
    /// # Errors
    /// When that was not planned yet.
    pub fn merge(&self) -> Result<&PlannedMerge> {
        self.merge
            .as_ref()
            .context("the plan does not contain merge tasks: run pricebook job plan merge first")
    }

    /// The same with what is merged.
    #[must_use]
    pub fn with_merge(self, merge: PlannedMerge) -> Self {
        Self { merge: Some(merge), ..self }
    }
}

/// A path from the root, and an address as it is: every working directory has it so.
///
/// # Errors
/// When it cannot be written down.
pub fn everywhere(at: &str) -> Result<String> {
    if is_address(at) {
        return Ok(at.to_owned());
    }
    let absolute =
        std::path::absolute(at).with_context(|| format!("the absolute path of {at} cannot be determined"))?;
    absolute.into_os_string().into_string().ok().context("the path is not UTF-8: a plan requires UTF-8 paths")
}
