//! Files mapped into memory: the only unsafe code of the crate.
//!
//! A mapped file must never change while it is mapped. Snapshots are immutable by construction (written aside,
//! made read-only, renamed into place), and an operator who replaces one replaces the directory, not its bytes.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;
use polars_buffer::Buffer;

/// A file mapped read-only. Clones share the mapping, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Mapping(Arc<Mmap>);

impl Mapping {
    /// Maps the file at `path`.
    ///
    /// # Errors
    /// When the file cannot be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is read-only and private to this type, and snapshot files are immutable once
        // published (see the module documentation), so the bytes behind the slice do not change.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self(Arc::new(map)))
    }

    /// The mapped bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The elements in `range` (of bytes) as a column that shares the mapping; `None` when the range lies outside
    /// the file, is not aligned or is not a whole number of elements.
    pub fn column<T: Pod + Send + Sync>(&self, range: Range<usize>) -> Option<Buffer<T>> {
        let bytes = self.bytes().get(range.clone())?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Buffer::from_owner(Part {
            mapping: self.clone(),
            range,
            element: std::marker::PhantomData::<T>,
        }))
    }
}

impl std::ops::Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

// SAFETY: the bytes belong to the mapping behind the `Arc`; moving or cloning a `Mapping` moves the pointer to it,
// never the mapping, so a reference obtained through `deref` stays valid as long as any clone lives.
unsafe impl stable_deref_trait::StableDeref for Mapping {}

/// A checked part of a mapping, as the owner of a column.
struct Part<T> {
    mapping: Mapping,
    range: Range<usize>,
    element: std::marker::PhantomData<T>,
}

impl<T: Pod> AsRef<[T]> for Part<T> {
    fn as_ref(&self) -> &[T] {
        bytemuck::cast_slice(&self.mapping.bytes()[self.range.clone()])
    }
}
