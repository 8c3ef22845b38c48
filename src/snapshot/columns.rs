//! A column file: named arrays of little-endian numbers in sequence, and a directory at the end.
//!
//! ```text
//! magic (8 bytes) | column | padding to 64 bytes | column | … | directory (bincode) | its length (u32) | magic
//! ```
//!
//! The directory is at the end so that columns of any size can be written as a stream. The checksums of the whole
//! file, including padding and directory, are computed while writing and stored in the manifest.
//!
//! Arrow IPC is not used, for three reasons. The request path reads `&[T]` without a branch. The writer streams
//! columns of any length into one batch and hashes them at the same time. Polars' mapped IPC reader silently copies a
//! column that it cannot map.
//!
//! An offset has 64 bits if it can exceed 32 bits in a large catalog: the ends of strings, spells and words of days,
//! and the ends of the lists of `indices.cols`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bytemuck::Pod;
use polars_buffer::Buffer;
use serde::{Deserialize, Serialize};

use super::blocks::BlockHasher;
pub use super::blocks::Written;
use super::mapped::Mapping;
use super::strings::{StringEnd, Strings, StringsView};

const MAGIC: [u8; 8] = *b"PBCOLS01";
/// Columns start at multiples of this number of bytes, so that a cast to any element type is aligned.
const ALIGN_BYTES: u64 = 64;
/// The maximum number of bytes of a decoded column directory or dictionary.
pub const DECODE_BYTES_MAX: usize = 1 << 30;

const _: () = assert!(cfg!(target_endian = "little"), "snapshots are mapped as they lie: little-endian only");

/// Encoding of column directories and of the dictionary.
pub(super) const BINCODE: Configuration<LittleEndian, Fixint, Limit<DECODE_BYTES_MAX>> =
    bincode::config::standard().with_fixed_int_encoding().with_limit::<DECODE_BYTES_MAX>();

/// An element type of a column.
pub trait Element: Pod + Send + Sync {
    /// Tag of the type in the directory.
    const TAG: Tag;
}

/// The element types in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Tag {
    U8,
    U16,
    U32,
    U64,
    I64,
    F64,
    Offer,
}

macro_rules! elements {
    ($($type:ty => $tag:ident),*) => { $(impl Element for $type { const TAG: Tag = Tag::$tag; })* };
}
elements!(u8 => U8, u16 => U16, u32 => U32, u64 => U64, i64 => I64, f64 => F64);

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    name: String,
    tag: Tag,
    start: u64,
    bytes: u64,
}

/// A file that is hashed while it is written.
pub struct HashedFile {
    file: BufWriter<File>,
    hash: BlockHasher,
}

impl HashedFile {
    /// Creates the file at `path`, which must not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create_new(path)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 20, file), hash: BlockHasher::new() })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.file.write_all(bytes)
    }

    /// Flushes the file to the disk. Returns its length and checksums.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be written to the disk.
    pub fn finish(self) -> io::Result<Written> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok(self.hash.finish())
    }
}

/// Writes a column file.
pub struct ColumnWriter {
    file: HashedFile,
    entries: Vec<Entry>,
}

impl ColumnWriter {
    /// Creates the file at `path`, which must not exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = HashedFile::create(path)?;
        file.write(&MAGIC)?;
        Ok(Self { file, entries: Vec::new() })
    }

    /// Appends a column. If the last column has the same name, the values are appended to it.
    ///
    /// # Errors
    /// Returns an error if the column cannot be written.
    pub fn column<T: Element>(&mut self, name: &str, values: &[T]) -> io::Result<()> {
        self.append(name, T::TAG, bytemuck::cast_slice(values))
    }

    /// Appends a string column as two columns, `name.ends` and `name.bytes`.
    ///
    /// # Errors
    /// Returns an error if the column cannot be written.
    pub fn strings(&mut self, name: &str, values: &Strings) -> io::Result<()> {
        self.append_strings(name, values.view())
    }

    /// Writes the directory and flushes the file to the disk. Returns its length and checksums.
    ///
    /// # Errors
    /// Returns an error if the bytes cannot be written to the disk.
    pub fn finish(mut self) -> io::Result<Written> {
        let directory = bincode::serde::encode_to_vec(&self.entries, BINCODE).map_err(io::Error::other)?;
        self.file.write(&directory)?;
        self.file.write(&(directory.len() as u32).to_le_bytes())?;
        self.file.write(&MAGIC)?;
        self.file.finish()
    }
}

/// A destination of columns: a column file, or temporary columns that are merged into a column file later.
pub trait ColumnSink {
    /// Appends values, as bytes, to a column. In a column file, a column must be completed before the next one.
    ///
    /// # Errors
    /// Returns an error if the values cannot be written.
    fn append(&mut self, name: &str, tag: Tag, bytes: &[u8]) -> io::Result<()>;

    /// Appends strings to a string column, `name.ends` and `name.bytes`. In a column file, all strings must be
    /// appended in one call.
    ///
    /// # Errors
    /// Returns an error if the strings cannot be written.
    fn append_strings(&mut self, name: &str, values: StringsView<'_>) -> io::Result<()>;
}

impl ColumnSink for ColumnWriter {
    fn append(&mut self, name: &str, tag: Tag, bytes: &[u8]) -> io::Result<()> {
        if self.entries.last().is_none_or(|last| last.name != name) {
            let pad = (ALIGN_BYTES - self.file.hash.bytes() % ALIGN_BYTES) % ALIGN_BYTES;
            self.file.write(&[0; ALIGN_BYTES as usize][..pad as usize])?;
            let start = self.file.hash.bytes();
            self.entries.push(Entry { name: name.to_owned(), tag, start, bytes: 0 });
        }
        if let Some(entry) = self.entries.last_mut() {
            entry.bytes += bytes.len() as u64;
        }
        self.file.write(bytes)
    }

    fn append_strings(&mut self, name: &str, StringsView { ends, bytes }: StringsView<'_>) -> io::Result<()> {
        self.column(&format!("{name}.ends"), ends)?;
        self.column(&format!("{name}.bytes"), bytes)
    }
}

/// The checks that are made when a snapshot is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// Every byte: the checksums, and the consistency of the data.
    Full,
    /// As [`Verification::Full`], unless this machine has verified the snapshot before and its files are unchanged
    /// ([`super::verified`]). In that case as [`Verification::Lengths`].
    Once,
    /// The manifest and the lengths of the files. Suitable for files that were verified before and are unchanged.
    Lengths,
}

/// A mapped column file.
pub struct ColumnFile {
    name: String,
    mapping: Mapping,
    entries: Vec<Entry>,
    verification: Verification,
}

impl ColumnFile {
    /// Reads the directory of a mapped file. `name` is the name of the file in error messages.
    ///
    /// # Errors
    /// Returns an error if the file is not a column file.
    pub fn new(name: &str, mapping: Mapping) -> Result<Self, String> {
        let entries = directory(mapping.bytes()).ok_or_else(|| format!("{name} is not a column file"))?;
        Ok(Self { name: name.to_owned(), mapping, entries, verification: Verification::Full })
    }

    /// Sets the verification, which determines whether strings are checked.
    #[must_use]
    pub fn verified(self, verification: Verification) -> Self {
        Self { verification, ..self }
    }

    /// A column that shares the mapping.
    ///
    /// # Errors
    /// Returns an error if the column is missing or has another type.
    pub fn column<T: Element>(&self, name: &str) -> Result<Buffer<T>, String> {
        let fault = |what: &str| format!("{}: column {name} {what}", self.name);
        let entry =
            self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| fault("is missing"))?;
        if entry.tag != T::TAG {
            return Err(fault("has another type"));
        }
        let end = entry.start.checked_add(entry.bytes).ok_or_else(|| fault("is outside the file"))?;
        let range = entry.start as usize..end as usize;
        self.mapping.column(range).ok_or_else(|| fault("is outside the file"))
    }

    /// A column that must have `rows` values.
    ///
    /// # Errors
    /// Returns an error if the column is missing, or has another type or length.
    pub fn column_of<T: Element>(&self, name: &str, rows: usize) -> Result<Buffer<T>, String> {
        let column = self.column(name)?;
        if column.len() == rows {
            return Ok(column);
        }
        Err(format!("{}: column {name} has {} rows instead of {rows}", self.name, column.len()))
    }

    /// A string column that must have `rows` strings. All strings are checked, unless only lengths are verified.
    ///
    /// # Errors
    /// Returns an error if the column is missing or damaged.
    pub fn strings(&self, name: &str, rows: usize) -> Result<StringColumn, String> {
        let ends = self.column_of(&format!("{name}.ends"), rows)?;
        let bytes = self.column(&format!("{name}.bytes"))?;
        let column = StringColumn { ends, bytes };
        let fault = match self.verification {
            Verification::Full | Verification::Once => column.view().fault(),
            Verification::Lengths => None,
        };
        match fault {
            None => Ok(column),
            Some(fault) => Err(format!("{}: column {name}: {fault}", self.name)),
        }
    }
}

fn directory(bytes: &[u8]) -> Option<Vec<Entry>> {
    let body = bytes.strip_prefix(&MAGIC)?.strip_suffix(&MAGIC)?;
    let (body, length) = body.split_last_chunk::<4>()?;
    let from = body.len().checked_sub(u32::from_le_bytes(*length) as usize)?;
    let (entries, read) = bincode::serde::decode_from_slice(&body[from..], BINCODE).ok()?;
    (read == body.len() - from).then_some(entries)
}

/// A mapped string column.
#[derive(Debug, Clone)]
pub struct StringColumn {
    ends: Buffer<StringEnd>,
    bytes: Buffer<u8>,
}

impl StringColumn {
    /// The column as slices.
    pub fn view(&self) -> StringsView<'_> {
        StringsView { ends: &self.ends, bytes: &self.bytes }
    }

    /// The string in `row`.
    pub fn get(&self, row: u32) -> &str {
        self.view().get(row as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::mapped::Residence;

    fn mapped(path: &Path) -> io::Result<Mapping> {
        Mapping::open(path, std::fs::metadata(path)?.len(), Residence::Mapped)
    }

    #[test]
    fn columns_come_back_from_the_mapping() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cols");
        let mut writer = ColumnWriter::create(&path).unwrap();
        writer.column("price", &[1_u32, 2, 3]).unwrap();
        writer.column::<u16>("day", &[]).unwrap();
        writer.strings("name", &["x", "é"].into_iter().collect()).unwrap();
        let written = writer.finish().unwrap();
        assert_eq!(written.bytes, std::fs::metadata(&path).unwrap().len());

        let mapping = mapped(&path).unwrap();
        let inside = mapping.bytes().as_ptr_range();
        let file = ColumnFile::new("a.cols", mapping.clone()).unwrap();
        let price = file.column_of::<u32>("price", 3).unwrap();
        assert_eq!(price.as_slice(), [1, 2, 3]);
        assert!(inside.contains(&price.as_ptr().cast()), "the column lies inside the mapping");
        assert_eq!(file.column::<u16>("day").unwrap().len(), 0);
        assert_eq!(file.strings("name", 2).unwrap().get(1), "é");
        assert!(file.column::<u64>("price").unwrap_err().contains("another type"));
        assert!(file.column::<u64>("cost").unwrap_err().contains("missing"));
        assert!(file.column_of::<u32>("price", 4).unwrap_err().contains("3 rows instead of 4"));
    }

    #[test]
    fn foreign_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for bytes in
            [&b""[..], b"PBCOLS01", b"PBCOLS01PBCOLS01", b"PBCOLS01\xff\xff\xff\xffPBCOLS01", b"PK\x03\x04"]
        {
            let path = dir.path().join("x");
            std::fs::write(&path, bytes).unwrap();
            let Ok(mapping) = mapped(&path) else { continue };
            assert!(ColumnFile::new("x", mapping).is_err());
        }
    }
}
