//! Which run a file is, without reading it where nothing about it has changed.
//!
//! `known/<hash of path or address, size, times, inode or ETag, settings>` holds the name of the run. Times are coarse:
//! a file that was touched right before it was read may change again and show the same ones, so nothing is believed of
//! it then.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail};

use super::judge;
use super::name::{TextHasher, run_name, settings};
use crate::build::Progress;
use crate::build::ingest::InputFile;
use crate::build::runs::Run;
use crate::store::Store;

/// Folder of what is known, in the store of runs.
const KNOWN_FOLDER: &str = "known";
/// A file that was touched so shortly before it was read may change again within one tick of its times.
const SETTLED: Duration = Duration::from_secs(2);
/// How often a file is judged that changes meanwhile.
const ATTEMPTS_MAX: u32 = 3;
/// Digits of the name of a run.
const NAME_DIGITS: usize = 64;

/// How files are judged.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
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
}

impl Judging<'_> {
    /// The run of a file: what is known of it, else that of its bytes, else a new one.
    ///
    /// # Errors
    /// When the file cannot be read or judged, or changes while it is.
    pub fn run_of(&self, file: &InputFile) -> Result<RunOf> {
        if let Some(name) = self.known(file)? {
            return Ok(RunOf { name, reused: true });
        }
        let _kept = file.fetch()?;
        for _ in 0..ATTEMPTS_MAX {
            let (before, began) = (Seen::of(file)?, SystemTime::now());
            let name = run_name(file, self.newest)?;
            let reused = Run::is_there(self.store, &name)?;
            let judged = if reused { Ok(()) } else { self.judge(file, &name) };
            if Seen::of(file)? != before {
                // Whatever was read, or whatever failed, it may have been half of it.
                continue;
            }
            judged?;
            if let Some(seen) = before.filter(|seen| seen.is_settled(began)) {
                self.remember(file, &seen, &name)?;
            }
            return Ok(RunOf { name, reused });
        }
        bail!("{}: it changes while it is read; build again when nobody writes to it", file.name)
    }

    fn remember(&self, file: &InputFile, seen: &Seen, name: &str) -> Result<()> {
        let known = self.known_name(file, seen);
        if !self.store.create(&known, name.as_bytes())?
            && self.store.get(&known)?.as_deref() != Some(name.as_bytes())
        {
            // Its bytes changed behind times that did not.
            self.store.remove(&known)?;
            self.store.create(&known, name.as_bytes())?;
        }
        Ok(())
    }

    fn judge(&self, file: &InputFile, name: &str) -> Result<()> {
        judge(file, self.newest, name, self.store, self.scratch, self.memory, self.progress)
    }

    /// The name of the run of a file that looks as it did when it was read.
    fn known(&self, file: &InputFile) -> Result<Option<String>> {
        let Some(seen) = Seen::of(file)?.filter(|_| !self.rehash) else { return Ok(None) };
        let Some(name) = self.store.get(&self.known_name(file, &seen))? else { return Ok(None) };
        let is_name = name.len() == NAME_DIGITS && name.iter().all(u8::is_ascii_hexdigit);
        let Some(name) = String::from_utf8(name).ok().filter(|_| is_name) else { return Ok(None) };
        Ok(Run::is_there(self.store, &name)?.then_some(name))
    }

    fn known_name(&self, file: &InputFile, seen: &Seen) -> String {
        let mut hash = TextHasher::default();
        for part in &seen.parts {
            hash.text(part);
        }
        settings(&mut hash, file, self.newest);
        format!("{KNOWN_FOLDER}/{}", hash.finish())
    }
}

/// How a file looks from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    parts: Vec<Vec<u8>>,
    /// When it was touched last, where its times say so.
    touched: Option<SystemTime>,
}

impl Seen {
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
        let numbers = [about.size(), about.ino(), about.dev()].map(u64::to_le_bytes).concat();
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
