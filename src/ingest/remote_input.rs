//! Files of an input that lie behind an address: what is known of them, and how they come here to be read.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context, Result, ensure};
use globset::GlobBuilder;
use xxhash_rust::xxh3::xxh3_64;

use super::local_files::{WILDCARDS, is_data, names_hidden};
use crate::store::{Store, StoreEntry, shown};

/// How many bytes of a file's own name its copy keeps, those of the end: endings say how it is compressed.
const NAME_BYTES_MAX: usize = 100;

/// A file behind an address.
#[derive(Debug)]
pub struct RemoteInput {
    /// The address, which may hold a key to it: not for messages.
    url: String,
    store: Store,
    name: String,
    /// Where its copy lies while it is read.
    copy: PathBuf,
    entry: Mutex<StoreEntry>,
    held: Mutex<Weak<Copied>>,
}

/// Keeps the copy of a file; it goes when nobody keeps it any more.
#[derive(Debug)]
pub struct Fetched {
    _copy: Option<Arc<Copied>>,
}

#[derive(Debug)]
struct Copied(PathBuf);

impl Drop for Copied {
    fn drop(&mut self) {
        // What is left lies in scratch, which goes as a whole.
        let _ = fs::remove_file(&self.0);
    }
}

impl Fetched {
    /// Of a file that is here anyway.
    pub(super) fn nothing() -> Self {
        Self { _copy: None }
    }
}

impl RemoteInput {
    fn new(url: String, store: Store, name: String, entry: StoreEntry, scratch: &Path) -> Self {
        let last = name.rsplit('/').next().unwrap_or_default();
        let from =
            (last.len().saturating_sub(NAME_BYTES_MAX)..last.len()).find(|&at| last.is_char_boundary(at));
        let own = &last[from.unwrap_or(0)..];
        let copy = scratch.join(format!("fetched-{:016x}-{own}", xxh3_64(url.as_bytes())));
        Self { url, store, name, copy, entry: Mutex::new(entry), held: Mutex::new(Weak::new()) }
    }

    /// Where its copy lies while somebody keeps it.
    pub(super) fn copy(&self) -> &Path {
        &self.copy
    }

    /// The address, which may hold a key to the file: not for messages.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Length and strong ETag, as they were when it was listed or, since then, fetched.
    pub fn version(&self) -> (u64, Option<String>) {
        let entry = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        (entry.bytes, entry.etag.clone().filter(|etag| !etag.starts_with("W/")))
    }

    /// Copies it here, unless somebody else holds a copy.
    pub(super) fn fetch(&self) -> Result<Fetched> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(copy) = held.upgrade() {
            return Ok(Fetched { _copy: Some(copy) });
        }
        if let Some(folder) = self.copy.parent() {
            fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
        }
        // From here on a part of it goes too.
        let copy = Arc::new(Copied(self.copy.clone()));
        let fetched = self.store.fetch(&self.name, &self.copy)?;
        let fetched = fetched.with_context(|| format!("{} no longer exists", shown(&self.url)))?;
        *self.entry.lock().unwrap_or_else(PoisonError::into_inner) = fetched;
        *held = Arc::downgrade(&copy);
        Ok(Fetched { _copy: Some(copy) })
    }
}

/// Files behind addresses that a search has met, each once.
#[derive(Debug)]
pub(super) struct RemoteSearch {
    scratch: PathBuf,
    met: HashMap<String, Arc<RemoteInput>>,
}

impl RemoteSearch {
    pub(super) fn new(scratch: &Path) -> Self {
        Self { scratch: scratch.to_owned(), met: HashMap::new() }
    }

    /// The object, or the objects of the folder, that `at` names, by the bytes of their addresses.
    pub(super) fn below(&mut self, at: &str) -> Result<Vec<Arc<RemoteInput>>> {
        let found = self.named(at)?;
        found.with_context(|| format!("input {} does not exist", shown(at)))
    }

    /// What the flag of a table names: an object, the data of a folder, or what matches a pattern.
    pub(super) fn matches(&mut self, pattern: &str) -> Result<Vec<Arc<RemoteInput>>> {
        if let Some(mut found) = self.named(pattern)? {
            let root = shown(pattern);
            found.retain(|input| input.url == pattern || is_data(Path::new(&input.url), Path::new(&root)));
            ensure!(!found.is_empty(), "{}: the folder does not contain a data file", shown(pattern));
            return Ok(found);
        }
        let wild = pattern.find(WILDCARDS).filter(|_| !is_web(pattern));
        let wild = wild.with_context(|| format!("{} does not exist", shown(pattern)))?;
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .with_context(|| format!("{pattern} is not a valid pattern (* ** ? [] {{}})"))?
            .compile_matcher();
        let root = &pattern[..pattern[..wild].rfind('/').map_or(0, |at| at + 1)];
        ensure!(!root.ends_with("://"), "{pattern}: the name of a bucket cannot be a pattern");
        let mut found = self.named(root)?.unwrap_or_default();
        let hidden = names_hidden(pattern);
        found.retain(|input| {
            glob.is_match(&input.url) && (hidden || is_data(Path::new(&input.url), Path::new(root)))
        });
        ensure!(!found.is_empty(), "{pattern} matches no file");
        Ok(found)
    }

    /// The object of this address, or else what lies below it; nothing where there is neither.
    fn named(&mut self, at: &str) -> Result<Option<Vec<Arc<RemoteInput>>>> {
        let is_bucket =
            at.split_once("://").is_some_and(|(_, rest)| !rest.trim_end_matches('/').contains('/'));
        if !at.ends_with('/') && !is_bucket {
            let (store, name) = Store::of_object(at)?;
            if let Some(entry) = store.head(&name)? {
                return Ok(Some(vec![self.meet(at, &store, entry)]));
            }
        }
        if is_web(at) {
            return Ok(None);
        }
        let store = Store::open(at)?;
        let base = at.trim_end_matches('/');
        let entries = store.list("")?.into_iter();
        let found: Vec<_> =
            entries.map(|entry| self.meet(&format!("{base}/{}", entry.name), &store, entry)).collect();
        Ok(Some(found).filter(|found| !found.is_empty()))
    }

    fn meet(&mut self, url: &str, store: &Store, entry: StoreEntry) -> Arc<RemoteInput> {
        let input = || {
            let name = entry.name.clone();
            Arc::new(RemoteInput::new(url.to_owned(), store.clone(), name, entry, &self.scratch))
        };
        self.met.entry(url.to_owned()).or_insert_with(input).clone()
    }
}

/// Whether the address is that of a web server, which knows files and no folders.
fn is_web(at: &str) -> bool {
    let scheme = at.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
}
