//! A run that is there: opened, and written.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::ByteSource;
use super::cursor::Groups;
use super::index::BatchIndex;
use super::meta::{MemberMeta, RunMeta};
use super::rejects::{RunRejects, read};
use crate::store::Store;

/// Folder of runs in their store.
pub const RUN_FOLDER: &str = "run";
/// File of the groups of a run.
pub const ROWS: &str = "rows.arrow";
/// File of the rejects of a run.
pub const REJECTS: &str = "rejects.ndjson.zst";
/// File that says what a run is; where it is there, the run is whole.
pub const RUN_JSON: &str = "run.json";

/// Folder of the names of runs that runs are members of.
pub(super) const MEMBER_FOLDER: &str = "member";
/// Digits of the name of a run.
const NAME_DIGITS: usize = 64;

/// An opened run.
#[derive(Debug, Clone)]
pub struct Run {
    name: String,
    store: Store,
    meta: RunMeta,
    batches: Arc<BatchIndex>,
}

/// Whether a text can be the name of a run: it is a hash in hexadecimal.
pub fn is_name(text: &str) -> bool {
    text.len() == NAME_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of a file of a run in its store.
fn file(run: &str, file: &str) -> String {
    format!("{RUN_FOLDER}/{run}/{file}")
}

impl Run {
    /// Whether a run is there, whole, by itself or within another one.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub fn is_there(store: &Store, name: &str) -> Result<bool> {
        Ok(Self::holding(store, name)?.is_some())
    }

    /// The name of the run that holds a run: the one that it is a member of now, else itself; nothing where it is not
    /// there.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub fn holding(store: &Store, name: &str) -> Result<Option<String>> {
        let is_whole = |name: &str| Ok::<_, anyhow::Error>(store.head(&file(name, RUN_JSON))?.is_some());
        let marker = store.get(&format!("{MEMBER_FOLDER}/{name}"))?;
        if let Some(whole) =
            marker.and_then(|whole| String::from_utf8(whole).ok()).filter(|name| is_name(name))
            && is_whole(&whole)?
        {
            return Ok(Some(whole));
        }
        Ok(is_whole(name)?.then(|| name.to_owned()))
    }

    /// Opens a run.
    ///
    /// # Errors
    /// When it is not there, or damaged.
    pub fn open(store: &Store, name: &str) -> Result<Self> {
        let path = file(name, RUN_JSON);
        let bytes = store.get(&path)?.with_context(|| format!("{path} is missing"))?;
        let meta = RunMeta::from_bytes(&bytes).with_context(|| damaged(&path))?;
        let batches = Arc::new(meta.batches.clone());
        Ok(Self { name: name.to_owned(), store: store.clone(), meta, batches })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn meta(&self) -> &RunMeta {
        &self.meta
    }

    /// Its groups whose keys have these hashes, in order.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub fn groups(&self, hashes: RangeInclusive<u64>) -> Result<Groups> {
        let path = file(&self.name, ROWS);
        let groups = Groups::open(self.source(&path), self.batches.clone(), hashes);
        groups.with_context(|| damaged(&path))
    }

    /// Its rejects, by (member, listings first, line).
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn rejects(&self) -> Result<RunRejects> {
        let path = file(&self.name, REJECTS);
        let rejects = |member: &MemberMeta| member.rejected_listings + member.rejected_observations;
        let rejects = self.meta.members.iter().map(rejects).sum();
        read(self.source(&path), self.meta.rejects, rejects).with_context(|| damaged(&path))
    }

    fn source(&self, name: &str) -> ByteSource {
        ByteSource::Stored { store: self.store.clone(), name: name.to_owned() }
    }

    /// Puts a run into a store: its rows and rejects, which are files of `from`, then what it is.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn put(store: &Store, name: &str, from: &Path, meta: &RunMeta) -> Result<()> {
        for part in [ROWS, REJECTS] {
            store.put_file(&file(name, part), &from.join(part))?;
        }
        store.create(&file(name, RUN_JSON), &meta.to_bytes()?)?;
        Ok(())
    }
}

/// What to do about a run that cannot be read.
fn damaged(path: &str) -> String {
    format!("{path} cannot be read; remove its folder, and the input file is validated again")
}
