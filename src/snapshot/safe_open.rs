//! Reads files that another user may have placed in a directory. Only regular files are opened, and at most a given
//! number of bytes is read.
//!
//! Opening a FIFO blocks until it has a writer, and the data of a device may never end. `CURRENT`, manifests and
//! secrets are small files, so callers state a maximum length.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// The permission bits of users who are neither owner nor group of a file.
const OTHERS: u32 = 0o007;

/// Opens a regular file for reading, without blocking.
///
/// # Errors
/// Returns an error if the path does not exist, or is a directory, a FIFO, a socket or a device.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let about = file.metadata()?;
    if about.is_file() { Ok((file, about)) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Whether users other than a file's owner and group have any permission on it.
pub fn is_open_to_all(about: &Metadata) -> bool {
    about.permissions().mode() & OTHERS != 0
}

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// Returns an error in the cases of [`open`], and if the file is longer.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_opened(&open(path)?.0, most)
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
/// Returns an error in the cases of [`read`], and if the text is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// The text of an opened file from its current position, at most `most` bytes.
///
/// # Errors
/// Returns an error if the text is longer, is not UTF-8 or cannot be read.
pub fn read_opened_text(file: &File, most: u64) -> io::Result<String> {
    text(read_opened(file, most)?)
}

/// The bytes of an opened file from its current position, at most `most` bytes.
///
/// # Errors
/// Returns an error if more than `most` bytes remain, or the file cannot be read.
pub fn read_opened(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The file may grow while it is read, so the limit is applied to the bytes that are read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("larger than {most} bytes")));
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert!(read(&path, 4).unwrap_err().to_string().contains("larger than 4 bytes"));
        std::fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 5).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn refuses_special_files_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in [fifo.as_path(), dir.path(), Path::new("/dev/zero")] {
            let fault = read(path, 10).unwrap_err().to_string();
            assert_eq!(fault, "it is not a regular file", "{}", path.display());
        }
        assert_eq!(read(&dir.path().join("none"), 1).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
