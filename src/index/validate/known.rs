//! Which run a file is, without reading it where nothing about it has changed.
//!
//! `known/<hash of path or address, size, times, inode or ETag, settings>` holds the name of the run. Times are coarse:
//! a file that was touched right before it was read may change again and show the same ones, so nothing is believed of
//! it then.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail};

use super::name::{TextHasher, run_name, settings};
use super::validate;
use crate::index::runs::{KNOWN_FOLDER, Run, is_name};
use crate::ingest::{InputFile, Progress};
use crate::store::Store;

/// A file that was touched so shortly before it was read may change again within one tick of its times.
const SETTLED: Duration = Duration::from_secs(2);
/// How often a file is judged that changes meanwhile.
const ATTEMPTS_MAX: u32 = 3;

/// How files are judged.
#[derive(Clone, Copy)]
pub struct Validation<'a> {
    /// Where runs are.
    pub store: &'a Store,
    /// Folder of temporary files.
    pub scratch: &'a Path,
    /// Bytes that rows, text and sorting may take.
    pub memory: u64,
    /// Whether the newest of several listings with one key counts.
    pub newest: bool,
    /// Whether files are read whatever is known of them.
    pub rehash: bool,
    /// Who is told.
    pub progress: &'a dyn Progress,
}

/// The run that a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOf {
    /// Its name.
    pub name: String,
    /// Whether it was there.
    pub reused: bool,
    /// Under which name it is known of the file, where it is.
    pub known: Option<String>,
}

/// What is known of a file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct KnownRun {
    /// Under which name; nothing where the file has no version that changes with its bytes.
    pub name: Option<String>,
    /// The run that it is.
    pub run: Option<String>,
}

impl Validation<'_> {
    /// The run of a file: what is known of it, else that of its bytes, else a new one.
    ///
    /// # Errors
    /// When the file cannot be read or judged, or changes while it is.
    pub fn run_of(&self, file: &InputFile) -> Result<RunOf> {
        if let KnownRun { name: Some(known), run: Some(run) } = self.known(file)? {
            return Ok(RunOf { name: run, reused: true, known: Some(known) });
        }
        let _kept = file.fetch()?;
        for _ in 0..ATTEMPTS_MAX {
            let (before, began) = (FileState::of(file)?, SystemTime::now());
            let name = run_name(file, self.newest)?;
            let reused = Run::is_there(self.store, &name)?;
            let validated = if reused { Ok(()) } else { self.validate(file, &name) };
            if FileState::of(file)? != before {
                // Whatever was read, or whatever failed, it may have been half of it.
                continue;
            }
            validated?;
            let seen = before.filter(|seen| seen.is_settled(began));
            let known = seen.map(|seen| self.remember(file, &seen, &name)).transpose()?;
            return Ok(RunOf { name, reused, known });
        }
        bail!(
            "{}: the file changed while it was read; build again when no process writes to the file",
            file.name
        )
    }

    /// Remembers which run a file is, and says under which name.
    fn remember(&self, file: &InputFile, seen: &FileState, name: &str) -> Result<String> {
        let known = self.known_name(file, seen);
        let (object, name) = (format!("{KNOWN_FOLDER}/{known}"), name.as_bytes());
        if !self.store.create(&object, name)? && self.store.get(&object)?.as_deref() != Some(name) {
            // Its bytes changed behind times that did not.
            self.store.remove(&object)?;
            self.store.create(&object, name)?;
        }
        Ok(known)
    }

    fn validate(&self, file: &InputFile, name: &str) -> Result<()> {
        validate(file, self.newest, name, self.store, self.scratch, self.memory, self.progress)
    }

    /// What is known of a file that is not read.
    ///
    /// # Errors
    /// When the file or the store cannot be asked.
    pub fn known(&self, file: &InputFile) -> Result<KnownRun> {
        let Some(seen) = FileState::of(file)? else { return Ok(KnownRun::default()) };
        let name = self.known_name(file, &seen);
        let run = if self.rehash { None } else { self.run_by(&name)? };
        Ok(KnownRun { name: Some(name), run })
    }

    /// The run that is known under a name, if it is there.
    fn run_by(&self, known: &str) -> Result<Option<String>> {
        let run = self.store.get(&format!("{KNOWN_FOLDER}/{known}"))?;
        let Some(run) = run.and_then(|run| String::from_utf8(run).ok()).filter(|run| is_name(run)) else {
            return Ok(None);
        };
        Ok(Run::is_there(self.store, &run)?.then_some(run))
    }

    fn known_name(&self, file: &InputFile, seen: &FileState) -> String {
        let mut hash = TextHasher::default();
        for part in &seen.parts {
            hash.text(part);
        }
        settings(&mut hash, file, self.newest);
        hash.finish()
    }
}

/// How a file looks from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    parts: Vec<Vec<u8>>,
    /// When it was touched last, where its times say so.
    touched: Option<SystemTime>,
}

impl FileState {
    /// Of a file; nothing where it has no version that changes with its bytes.
    fn of(file: &InputFile) -> Result<Option<Self>> {
        if let Some(remote) = &file.remote {
            let (bytes, etag) = remote.version();
            let parts =
                etag.map(|etag| vec![remote.url().into(), bytes.to_le_bytes().into(), etag.into_bytes()]);
            return Ok(parts.map(|parts| Self { parts, touched: None }));
        }
        let read = || {
            let path = fs::canonicalize(&file.path)?;
            let about = fs::metadata(&path)?;
            std::io::Result::Ok(Self::local(&path, &about))
        };
        read().map(Some).with_context(|| format!("{} cannot be read", file.name))
    }

    fn local(path: &Path, about: &Metadata) -> Self {
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        // No number of its device: machines count those of a shared disk differently.
        let numbers = [about.size(), about.ino()].map(u64::to_le_bytes).concat();
        let times_of_it = times.map(i64::to_le_bytes).concat();
        let parts = vec![path.as_os_str().as_encoded_bytes().to_vec(), numbers, times_of_it];
        let changed = u64::try_from(about.ctime()).ok();
        let changed = changed.map(|seconds| {
            SystemTime::UNIX_EPOCH + Duration::new(seconds, u32::try_from(about.ctime_nsec()).unwrap_or(0))
        });
        Self { parts, touched: about.modified().ok().max(changed) }
    }

    /// Whether it was touched long enough before a time that a change since then shows.
    fn is_settled(&self, at: SystemTime) -> bool {
        let Some(touched) = self.touched else { return true };
        at.duration_since(touched).is_ok_and(|since| since >= SETTLED)
    }
}

/// Lines of a page.
const PAGE_LINES: u64 = 1 << 15;

/// Lines of a file. What lies together takes a bit a line.
#[derive(Debug, Default)]
pub(in crate::index) struct LineSet {
    pages: BTreeMap<u64, Box<[u64]>>,
}

impl LineSet {
    /// Adds a line.
    pub(in crate::index) fn insert(&mut self, line: u64) {
        let empty = || vec![0; (PAGE_LINES / 64) as usize].into_boxed_slice();
        let page = self.pages.entry(line / PAGE_LINES).or_insert_with(empty);
        page[(line % PAGE_LINES / 64) as usize] |= 1 << (line % 64);
    }

    /// Whether a line is in it.
    pub(in crate::index) fn contains(&self, line: u64) -> bool {
        let page = self.pages.get(&(line / PAGE_LINES));
        page.is_some_and(|page| page[(line % PAGE_LINES / 64) as usize] & (1 << (line % 64)) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_in_it_or_not() {
        let (mut set, lines) = (LineSet::default(), [1, 63, 64, 32_767, 32_768, 1 << 40, u64::MAX]);
        for line in lines {
            assert!(!set.contains(line), "{line}");
            set.insert(line);
        }
        let around = lines.iter().flat_map(|line| [line.wrapping_sub(1), *line, line.wrapping_add(1)]);
        assert!(around.into_iter().all(|line| set.contains(line) == lines.contains(&line)));
    }
}
