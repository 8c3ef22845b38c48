//! Watches the files of an opened snapshot for changes.
//!
//! If a file is truncated, an access to a missing page ends the process. If a file is overwritten, answers are wrong.
//! Lengths and times are cheap to compare. The bytes are read block by block at a low rate, and compared with the
//! checksums of the manifest. They are read through file handles instead of the mapping, but from the same page
//! cache.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use xxhash_rust::xxh3::Xxh3;

use super::blocks::BLOCK_BYTES;
use super::manifest::FileEntry;

/// The number of bytes per read.
const PIECE_BYTES: usize = 1 << 20;
const _: () = assert!(BLOCK_BYTES.is_multiple_of(PIECE_BYTES), "blocks end where pieces end");

/// The files of a snapshot, which are checked repeatedly.
pub struct Watch {
    files: Vec<WatchedFile>,
    /// The index of the file that is being read.
    at: usize,
    buffer: Vec<u8>,
}

/// A file and its read position.
struct WatchedFile {
    entry: FileEntry,
    file: File,
    modified: (i64, i64),
    /// The hash of the block that is being read.
    hash: Xxh3,
    /// The number of bytes of the file that were read.
    read: u64,
}

impl Watch {
    /// Watches files that were just opened.
    ///
    /// # Errors
    /// Returns an error if the metadata of a file cannot be read.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a FileEntry, &'a File)>) -> io::Result<Self> {
        let watched = |(entry, file): (&FileEntry, &File)| {
            let file = file.try_clone()?;
            let modified = length_and_time(&file)?.1;
            Ok(WatchedFile { entry: entry.clone(), file, modified, hash: Xxh3::new(), read: 0 })
        };
        let files = files.into_iter().map(watched).collect::<io::Result<_>>()?;
        Ok(Self { files, at: 0, buffer: vec![0; PIECE_BYTES] })
    }

    /// Checks length and time of every file, and reads the files whose time has changed.
    ///
    /// # Errors
    /// Returns a sentence that names the file, if a file has changed or cannot be read.
    pub fn look(&mut self) -> Result<(), String> {
        for file in &mut self.files {
            let (length, now) = length_and_time(&file.file).map_err(|fault| file.unreadable(&fault))?;
            if length != file.entry.bytes {
                return Err(file.has_length(length));
            }
            if now != file.modified {
                file.begin();
                while !file.read_on(&mut self.buffer)? {}
                file.modified = now;
            }
        }
        Ok(())
    }

    /// The name of a file that was removed or replaced; `None` if all files are in place. The open file is unchanged,
    /// so answers are correct, but opening the snapshot now would give a different result.
    pub fn removed(&self) -> Option<&str> {
        let is_removed = |file: &&WatchedFile| file.file.metadata().is_ok_and(|about| about.nlink() == 0);
        self.files.iter().find(is_removed).map(|file| file.entry.name.as_str())
    }

    /// Reads about `bytes` more bytes, cyclically over all files.
    ///
    /// # Errors
    /// Returns an error in the cases of [`Watch::look`].
    pub fn read_on(&mut self, bytes: u64) -> Result<(), String> {
        let mut read = 0;
        while read < bytes && !self.files.is_empty() {
            let file = &mut self.files[self.at];
            let before = file.read;
            let is_whole = file.read_on(&mut self.buffer)?;
            // An empty file counts as one byte, so that the loop ends.
            read += (if is_whole { file.entry.bytes } else { file.read } - before).max(1);
            if is_whole {
                self.at = (self.at + 1) % self.files.len();
            }
        }
        Ok(())
    }
}

impl WatchedFile {
    fn begin(&mut self) {
        self.hash.reset();
        self.read = 0;
    }

    /// Reads the next piece. Returns true at the end of the file. The next call then starts at the beginning of the
    /// file.
    fn read_on(&mut self, buffer: &mut [u8]) -> Result<bool, String> {
        let wanted = (self.entry.bytes - self.read).min(buffer.len() as u64) as usize;
        let piece = &mut buffer[..wanted];
        self.file.read_exact_at(piece, self.read).map_err(|fault| self.unreadable(&fault))?;
        self.hash.update(piece);
        self.read += wanted as u64;
        let is_whole = self.read == self.entry.bytes;
        if wanted > 0 && (is_whole || self.read.is_multiple_of(BLOCK_BYTES as u64)) {
            let block = (self.read - 1) / BLOCK_BYTES as u64;
            let fault = self.entry.sum_fault(block as usize, self.hash.digest128());
            self.hash.reset();
            if let Some(fault) = fault {
                self.begin();
                return Err(format!("{} was modified: {fault}", self.entry.name));
            }
        }
        if is_whole {
            self.begin();
        }
        Ok(is_whole)
    }

    fn has_length(&self, length: u64) -> String {
        format!("{} has {length} bytes instead of {}", self.entry.name, self.entry.bytes)
    }

    fn unreadable(&self, fault: &io::Error) -> String {
        format!("{} can no longer be read: {fault}", self.entry.name)
    }
}

/// The length and the modification time of a file.
fn length_and_time(file: &File) -> io::Result<(u64, (i64, i64))> {
    let about = file.metadata()?;
    Ok((about.len(), (about.mtime(), about.mtime_nsec())))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Seek as _, SeekFrom, Write as _};
    use std::path::Path;

    use super::super::blocks::Written;
    use super::*;

    const BYTES: usize = 3 * PIECE_BYTES + 17;

    fn watch(path: &Path) -> Watch {
        let bytes = fs::read(path).unwrap();
        let entry = FileEntry::new("a.cols", Written::of(&bytes));
        let file = File::open(path).unwrap();
        Watch::of([(&entry, &file)]).unwrap()
    }

    /// Changes a byte and restores the file's modification time.
    fn flip(path: &Path, at: u64) {
        let mut file = File::options().write(true).open(path).unwrap();
        let times = file.metadata().unwrap().modified().unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(b"!").unwrap();
        file.set_modified(times).unwrap();
    }

    #[test]
    fn a_changed_byte_is_found_when_its_turn_comes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, vec![7; BYTES]).unwrap();
        let mut watch = watch(&path);
        for _ in 0..20 {
            watch.read_on(PIECE_BYTES as u64).unwrap();
        }
        flip(&path, BYTES as u64 - 1);
        watch.look().unwrap();
        let found = (0..8).find_map(|_| watch.read_on(PIECE_BYTES as u64).err());
        assert!(found.is_some_and(|fault| fault.contains("a.cols was modified")));
    }

    #[test]
    fn blocks_are_looked_at_one_by_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, vec![7; 2 * BLOCK_BYTES + 17]).unwrap();
        let mut watch = watch(&path);
        for _ in 0..2 {
            watch.read_on(2 * BLOCK_BYTES as u64 + 17).unwrap();
        }
        flip(&path, BLOCK_BYTES as u64 + 1);
        watch.read_on(BLOCK_BYTES as u64).unwrap();
        let fault = watch.read_on(BLOCK_BYTES as u64).unwrap_err();
        assert!(fault.contains("a.cols was modified") && fault.contains("block 1,"), "{fault}");
    }

    #[test]
    fn another_time_has_the_file_read_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, vec![7; BYTES]).unwrap();
        let mut watch = watch(&path);
        let touch = |seconds: u64| {
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        };
        touch(1);
        watch.look().unwrap();
        flip(&path, 5);
        watch.look().unwrap();
        touch(2);
        assert!(watch.look().unwrap_err().contains("a.cols was modified"));
    }

    #[test]
    fn another_length_is_seen_without_touching_the_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, vec![7; BYTES]).unwrap();
        let mut watch = watch(&path);
        File::options().write(true).open(&path).unwrap().set_len(5).unwrap();
        assert_eq!(watch.look().unwrap_err(), format!("a.cols has 5 bytes instead of {BYTES}"));
        assert!(watch.read_on(BYTES as u64).is_err());
    }

    #[test]
    fn a_file_that_is_replaced_is_as_sound_as_before_and_told() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("file"), dir.path().join("other"));
        fs::write(&path, vec![7; BYTES]).unwrap();
        let mut watch = watch(&path);
        assert_eq!(watch.removed(), None);
        fs::write(&other, "other").unwrap();
        fs::rename(&other, &path).unwrap();
        watch.look().unwrap();
        watch.read_on(2 * BYTES as u64).unwrap();
        assert_eq!(watch.removed(), Some("a.cols"));
    }

    #[test]
    fn accepts_no_files_and_empty_files() {
        Watch::of([]).unwrap().read_on(u64::MAX).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "").unwrap();
        watch(&path).read_on(100).unwrap();
    }
}
