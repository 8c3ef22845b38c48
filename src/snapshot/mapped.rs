//! Memory-mapped files, and the few system calls that Rust cannot check. This module has the only unsafe code of the
//! crate.
//!
//! A mapped file must never change while it is mapped. Snapshots are immutable by construction (written to a staging
//! directory, made read-only, renamed), and an operator replaces a snapshot by replacing its directory, not by
//! overwriting its files. If that cannot be guaranteed, files can be copied into memory of the process
//! ([`Residence::Copied`]).
//!
//! An access to a missing page raises SIGBUS. The process then writes a message and exits with [`EXIT_LOST_FILE`].

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::{Mmap, MmapMut};
use polars_buffer::Buffer;

use super::safe_open;

/// The storage of the bytes of an opened snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Residence {
    /// In the mapped files. As fast as a copy, and uses no memory except the page cache.
    #[default]
    Mapped,
    /// Copied into memory of this process, which takes as many bytes as the files have. Later changes of the files
    /// have no effect.
    Copied,
}

/// A file that is mapped read-only, or a copy of its bytes. Clones share the mapping, and dropping the last clone
/// releases it.
#[derive(Debug, Clone)]
pub struct Mapping(Arc<Mapped>);

#[derive(Debug)]
struct Mapped {
    map: Mmap,
    /// The file, unless the bytes were copied.
    file: Option<File>,
}

impl Mapping {
    /// Maps or copies the file at `path`, which must have `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if the path is not a regular file, cannot be opened, or has another length.
    pub fn open(path: &Path, bytes: u64, residence: Residence) -> io::Result<Self> {
        let (file, about) = safe_open::open(path)?;
        let wrong = |found: u64| io::Error::other(format!("it has {found} bytes instead of {bytes}"));
        if about.len() != bytes {
            return Err(wrong(about.len()));
        }
        let mapped = match residence {
            Residence::Mapped => {
                // SAFETY: the mapping is read-only and private to this type, and snapshot files are immutable once
                // published (see the module documentation), so the bytes behind the slice do not change.
                let map = unsafe { Mmap::map(&file)? };
                Mapped { map, file: Some(file) }
            }
            Residence::Copied => {
                let mut copy = MmapMut::map_anon(bytes as usize)?;
                (&file).read_exact(&mut copy)?;
                Mapped { map: copy.make_read_only()?, file: None }
            }
        };
        if mapped.map.len() as u64 != bytes {
            return Err(wrong(mapped.map.len() as u64));
        }
        Ok(Self(Arc::new(mapped)))
    }

    /// The mapped bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0.map
    }

    /// The file behind the bytes; `None` for a copy.
    pub fn file(&self) -> Option<&File> {
        self.0.file.as_ref()
    }

    /// The elements in `range` (in bytes) as a column that shares the mapping. `None` if the range is outside the
    /// file, is not aligned, or does not contain a whole number of elements.
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
        self.bytes()
    }
}

// SAFETY: the bytes belong to the mapping behind the `Arc`; moving or cloning a `Mapping` moves or copies only the
// pointer to the mapping, so a reference obtained through `deref` stays valid as long as any clone lives.
unsafe impl stable_deref_trait::StableDeref for Mapping {}

/// A part of a mapping with a checked range. It keeps the mapping alive for a column.
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

/// `struct fsverity_enable_arg` of Linux.
#[repr(C)]
#[derive(Default)]
struct EnableVerity {
    version: u32,
    hash_algorithm: u32,
    block_size: u32,
    salt_size: u32,
    salt_ptr: u64,
    signature_size: u32,
    reserved: u32,
    signature_ptr: u64,
    more_reserved: [u64; 11],
}

const VERITY_VERSION: u32 = 1;
const VERITY_SHA256: u32 = 1;
const VERITY_BLOCK_BYTES: u32 = 4_096;
/// `FS_IOC_ENABLE_VERITY`: `_IOW('f', 133, struct fsverity_enable_arg)`.
const ENABLE_VERITY: libc::Ioctl = libc::_IOW::<EnableVerity>(b'f' as u32, 133);

/// Makes the kernel reject all future writes to a file, and verify the data that is read from the file.
///
/// # Errors
/// Returns an error if the file system does not support fs-verity, or fs-verity is not enabled on it.
pub(super) fn enable_verity(file: &File) -> io::Result<()> {
    let wish = EnableVerity {
        version: VERITY_VERSION,
        hash_algorithm: VERITY_SHA256,
        block_size: VERITY_BLOCK_BYTES,
        ..EnableVerity::default()
    };
    // SAFETY: the call reads one `fsverity_enable_arg` through the pointer. `wish` has the layout that the kernel
    // expects and lives until the call returns, and the file is open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), ENABLE_VERITY, &raw const wish) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The exit code of a process that lost a mapped file: `EX_IOERR`.
pub const EXIT_LOST_FILE: i32 = 74;

/// The message of a process that lost a mapped file.
const LOST_FILE: &[u8] = b"pricebook: a mapped file of the snapshot was truncated or cannot be read from its disk \
(SIGBUS), so the process ends. Published files must never change: remove or rebuild the snapshot (pricebook snapshots \
list), or serve it with --private-copy. See docs/snapshots.md.\n";

/// Installs a handler that ends the process with a message and [`EXIT_LOST_FILE`] if a mapped page is missing.
/// Without the handler, the process would end with a signal and no message.
///
/// # Errors
/// Returns an error if the system rejects the handler.
pub fn end_loudly_without_files() -> io::Result<()> {
    // SAFETY: the handler calls only write and _exit, which may be called in a signal handler; the struct is plain
    // data whose zeros are an empty mask and no flags.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = lost_file as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

extern "C" fn lost_file(_signal: libc::c_int) {
    // SAFETY: write reads the whole static text and no other bytes; _exit does not return and does not run exit
    // handlers.
    unsafe {
        libc::write(libc::STDERR_FILENO, LOST_FILE.as_ptr().cast(), LOST_FILE.len());
        libc::_exit(EXIT_LOST_FILE)
    }
}
