//! Bytes that are written once, in order, and then read: in memory as long as they are few, in a file from then on.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for temporary files.
#[derive(Debug, Clone)]
pub struct Scratch {
    folder: Arc<Folder>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    files: AtomicU64,
}

/// A file that goes when it is dropped.
#[derive(Debug)]
struct TempFile {
    file: File,
    path: PathBuf,
}

/// Bytes as they are written. Whoever drops the last of what reads them removes the file.
#[derive(Debug)]
pub(super) struct Spool {
    scratch: Scratch,
    name: String,
    /// Most bytes that wait in memory.
    buffer_bytes: usize,
    /// What is not in the file.
    buffer: Vec<u8>,
    file: Option<TempFile>,
    /// Bytes in the file.
    written: u64,
}

/// A range of a spool, read from its beginning to its end.
pub(super) struct SpoolReader {
    spool: Arc<Spool>,
    /// The next byte that is not in the buffer.
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    /// The next byte of the buffer.
    next: usize,
    /// Bytes that are read at a time.
    block: usize,
}

impl Scratch {
    /// A folder that is made when the first file is.
    pub fn new(dir: &Path) -> Self {
        Self { folder: Arc::new(Folder { path: dir.to_owned(), files: AtomicU64::new(0) }) }
    }

    fn create(&self, name: &str) -> io::Result<TempFile> {
        let Folder { path, files } = &*self.folder;
        std::fs::create_dir_all(path).map_err(|error| at(path, &error))?;
        let path = path.join(format!("{:04}-{name}", files.fetch_add(1, Ordering::Relaxed)));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        Ok(TempFile { file: file.map_err(|error| at(&path, &error))?, path })
    }
}

/// An error with the file that it happened to.
fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("temporary file {}: {error}", path.display()))
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // What cannot be removed goes with its folder.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Spool {
    /// Nothing yet; `name` shows in the name of the file.
    pub(super) fn new(scratch: &Scratch, name: &str, buffer_bytes: usize) -> Self {
        let (scratch, name) = (scratch.clone(), name.to_owned());
        Self { scratch, name, buffer_bytes, buffer: Vec::new(), file: None, written: 0 }
    }

    pub(super) fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > self.buffer_bytes {
            self.flush()?;
            if bytes.len() > self.buffer_bytes {
                return self.append(bytes);
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        if !buffer.is_empty() {
            self.append(&buffer)?;
        }
        buffer.clear();
        self.buffer = buffer;
        Ok(())
    }

    /// Appends to the file.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let temp = match self.file.take() {
            Some(temp) => temp,
            None => self.scratch.create(&self.name)?,
        };
        let TempFile { file, path } = self.file.insert(temp);
        file.write_all(bytes).map_err(|error| at(path, &error))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Reads the bytes from `from` on.
    pub(super) fn read(&self, from: u64, into: &mut [u8]) -> io::Result<()> {
        let in_file = self.written.saturating_sub(from).min(into.len() as u64) as usize;
        let (head, tail) = into.split_at_mut(in_file);
        if let Some(TempFile { file, path }) = self.file.as_ref().filter(|_| in_file > 0) {
            file.read_exact_at(head, from).map_err(|error| at(path, &error))?;
        }
        let from = (from + in_file as u64 - self.written.min(from + in_file as u64)) as usize;
        match self.buffer.get(from..from + tail.len()) {
            Some(bytes) => tail.copy_from_slice(bytes),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }
}

impl SpoolReader {
    /// Reads `from..end`, about so many bytes at a time.
    pub(super) fn new(spool: Arc<Spool>, from: u64, end: u64, block: usize) -> Self {
        Self { spool, at: from, end, buffer: Vec::new(), next: 0, block }
    }

    /// Whether all was taken.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.end && self.next == self.buffer.len()
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.next < count {
            self.fill(count)?;
        }
        self.next += count;
        Ok(&self.buffer[self.next - count..self.next])
    }

    #[cold]
    fn fill(&mut self, count: usize) -> io::Result<()> {
        self.buffer.drain(..self.next);
        self.next = 0;
        let held = self.buffer.len();
        let more = (self.block.max(count) as u64 - held as u64).min(self.end - self.at);
        self.buffer.resize(held + more as usize, 0);
        self.spool.read(self.at, &mut self.buffer[held..])?;
        self.at += more;
        if self.buffer.len() < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_across_file_and_buffer_and_the_file_goes() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(&dir.path().join("below"));
        let mut spool = Spool::new(&scratch, "x", 10);
        let all: Vec<u8> = (0..100).collect();
        for piece in [&all[..4], &all[4..9], &all[9..40], &all[40..40], &all[40..97], &all[97..]] {
            spool.write(piece).unwrap();
        }
        assert_eq!((spool.len(), spool.written), (100, 97));
        for from in 0..100 {
            for end in from..=100 {
                let mut read = vec![0; end - from];
                spool.read(from as u64, &mut read).unwrap();
                assert_eq!(read, all[from..end]);
            }
        }
        assert!(spool.read(99, &mut [0; 2]).is_err());
        let file = dir.path().join("below/0000-x");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 97);

        let mut reader = SpoolReader::new(Arc::new(spool), 3, 99, 7);
        let mut read = Vec::new();
        for count in [1, 2, 30, 0, 5] {
            read.extend_from_slice(reader.take(count).unwrap());
        }
        while !reader.is_at_end() {
            read.extend_from_slice(reader.take(1).unwrap());
        }
        assert_eq!(read, all[3..99]);
        assert!(reader.take(1).is_err());
        drop(reader);
        assert!(!file.exists());
    }

    #[test]
    fn little_meets_no_disk_and_failures_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(&Scratch::new(&dir.path().join("below")), "x", 10);
        spool.write(&[1; 10]).unwrap();
        assert!(!dir.path().join("below").exists());
        std::fs::write(dir.path().join("file"), "").unwrap();
        let mut spool = Spool::new(&Scratch::new(&dir.path().join("file")), "x", 10);
        let fault = spool.write(&[1; 11]).unwrap_err().to_string();
        assert!(fault.starts_with("temporary file ") && fault.contains("file"), "{fault}");
    }
}
