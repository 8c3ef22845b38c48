//! A store in a directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

use super::StoreEntry;

/// The prefix of the names of files that are being written.
const PART: &str = ".part-";
/// The maximum number of attempts to create a file while other processes remove its directory.
const TRIES_MAX: u32 = 100;

/// A store in a directory, which is created at the first write.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(super) fn below(&self, folder: &str) -> Self {
        Self { root: self.root.join(folder) }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(name);
        there(fs::read(&path)).with_context(|| format!("{} cannot be read", path.display()))
    }

    pub(super) fn range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>> {
        let path = self.path(name);
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(range.start))?;
            let mut bytes = vec![0; range.end.saturating_sub(range.start) as usize];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().with_context(|| format!("{}: bytes {range:?} cannot be read", path.display()))
    }

    pub(super) fn fetch(&self, name: &str, to: &Path) -> Result<Option<StoreEntry>> {
        let path = self.path(name);
        let copy = || -> io::Result<StoreEntry> {
            let mut from = File::open(&path)?;
            let entry = entry(name.to_owned(), &from.metadata()?);
            io::copy(&mut from, &mut File::create(to)?)?;
            Ok(entry)
        };
        there(copy()).with_context(|| format!("{} cannot be copied to {}", path.display(), to.display()))
    }

    pub(super) fn put_file(&self, name: &str, file: &Path) -> Result<()> {
        let path = self.path(name);
        let put = || -> io::Result<()> {
            File::open(file)?.sync_all()?;
            let moved = in_folder_of(&path, || fs::rename(file, &path));
            if moved.as_ref().is_err_and(|error| error.kind() == ErrorKind::CrossesDevices) {
                let (part, mut copy) = begin(&path)?;
                let copied = io::copy(&mut File::open(file)?, &mut copy).and_then(|_| copy.sync_all());
                or_remove(copied.and_then(|()| fs::rename(&part, &path)), &part)?;
            } else {
                moved?;
            }
            sync_folder_of(&path)
        };
        put().with_context(|| format!("{} cannot be moved to {}", file.display(), path.display()))
    }

    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let path = self.path(name);
        let create = || -> io::Result<bool> {
            if fs::symlink_metadata(&path).is_ok() {
                return Ok(false);
            }
            let (part, mut file) = begin(&path)?;
            // Unlike a rename, a link does not replace an existing file.
            let linked = file
                .write_all(bytes)
                .and_then(|()| file.sync_all())
                .and_then(|()| fs::hard_link(&part, &path));
            let won = match linked {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                other => other.map(|()| true),
            };
            fs::remove_file(&part)?;
            sync_folder_of(&path)?;
            won
        };
        create().with_context(|| format!("{} cannot be written", path.display()))
    }

    pub(super) fn list(&self, prefix: &str) -> Result<Vec<StoreEntry>> {
        let mut entries = Vec::new();
        let folder = self.root.join(prefix);
        self.walk(&folder, &mut entries).with_context(|| format!("{} cannot be listed", folder.display()))?;
        Ok(entries)
    }

    fn walk(&self, folder: &Path, out: &mut Vec<StoreEntry>) -> io::Result<()> {
        let Some(entries) = there(fs::read_dir(folder))? else { return Ok(()) };
        for found in entries {
            let path = found?.path();
            // A file that is removed during the listing is skipped.
            let Some(metadata) = there(fs::metadata(&path))? else { continue };
            if metadata.is_dir() {
                self.walk(&path, out)?;
            } else if let Some(name) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) {
                out.push(entry(name.to_owned(), &metadata));
            }
        }
        Ok(())
    }

    pub(super) fn head(&self, name: &str) -> Result<Option<StoreEntry>> {
        let path = self.path(name);
        let metadata =
            there(fs::metadata(&path)).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(metadata.filter(fs::Metadata::is_file).map(|metadata| entry(name.to_owned(), &metadata)))
    }

    pub(super) fn remove(&self, name: &str) -> Result<()> {
        let path = self.path(name);
        there(fs::remove_file(&path)).with_context(|| format!("{} cannot be removed", path.display()))?;
        // Directories that are empty now are removed. The removal of a directory that is not empty fails and ends the
        // loop.
        let mut folder = path.parent();
        while let Some(empty) = folder.filter(|folder| *folder != self.root && folder.starts_with(&self.root))
        {
            if fs::remove_dir(empty).is_err() {
                break;
            }
            folder = empty.parent();
        }
        Ok(())
    }
}

impl std::fmt::Display for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.root.display().fmt(f)
    }
}

/// Converts the error of a missing file to `None`.
fn there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        other => other.map(Some),
    }
}

fn entry(name: String, metadata: &fs::Metadata) -> StoreEntry {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified_micros = since.map_or(0, |since| since.as_micros() as i64);
    StoreEntry { name, bytes: metadata.len(), modified_micros, etag: None }
}

/// Creates a file beside `path`, under a unique name.
fn begin(path: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or(ErrorKind::InvalidFilename)?.to_string_lossy();
    in_folder_of(path, || {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let part = path.with_file_name(format!("{PART}{}-{number}-{name}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Ok(file) => Ok((part, file)),
            // A process with the same id was killed, or runs on another machine that shares the disk. `NotFound`
            // causes a retry with the next number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(ErrorKind::NotFound.into()),
            Err(error) => Err(error),
        }
    })
}

/// Runs `work` in the directory of `path`, which is created first. Retries if another process removes the directory
/// because its last file was removed.
fn in_folder_of<T>(path: &Path, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let folder = path.parent().ok_or(ErrorKind::InvalidFilename)?;
    for _ in 1..TRIES_MAX {
        // `AlreadyExists` is also returned if another process removes the directory between the creation and the
        // check.
        match fs::create_dir_all(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        match work() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
    }
    work()
}

fn or_remove(result: io::Result<()>, part: &Path) -> io::Result<()> {
    result.inspect_err(|_| {
        // Only the first error is reported.
        let _ = fs::remove_file(part);
    })
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
