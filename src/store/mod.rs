//! Stores of immutable objects: a directory, or a prefix of an object store.
//!
//! A name is a path of `/` between words, relative to the store. Data is written first and may be written again with
//! the same bytes. The marker that completes it comes last, by [`Store::create`], which one writer wins.
//!
//! Calls are synchronous: requests run on a small runtime with threads of its own, so a compute thread may call a
//! store. Buckets and web servers are reached over the HTTP client that payments use, so the program has one TLS
//! stack.
//!
//! Credentials come from the environment, in the variables of the vendors' tools: `AWS_*` (with `AWS_ENDPOINT_URL` for
//! compatible stores), `AZURE_*`, `GOOGLE_*`.

mod address;
mod client;
mod fault;
mod folder;
mod remote;

/// A place for immutable objects; clones share its connections.
#[derive(Debug, Clone)]
pub struct Store(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Folder(Folder),
    Remote(Remote),
}

impl Store {
    /// The store at a path or an address: `file://`, `s3://`, `gs://`, `az://`, `http://`, `https://`. Nothing is asked
    /// yet; a directory is made when something is written.
    ///
    /// # Errors
    /// When the address is none, or the environment holds settings that cannot be used.
    pub fn open(at: &str) -> Result<Self> {
        Ok(Self(match Address::parse(at)? {
            Address::Folder(root) => Kind::Folder(Folder::new(root)),
            address => Kind::Remote(Remote::open(&address)?),
        }))
    }

    /// The store that holds the object at `at`, and the object's name there.
    ///
    /// # Errors
    /// As [`Store::open`], or when `at` names no object.
    pub fn of_object(at: &str) -> Result<(Self, String)> {
        let (address, name) = Address::parse(at)?.split()?;
        Ok((
            Self(match address {
                Address::Folder(root) => Kind::Folder(Folder::new(root)),
                address => Kind::Remote(Remote::open(&address)?),
            }),
            name,
        ))
    }

    /// The part of the store whose names begin with `folder/`.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        Self(match &self.0 {
            Kind::Folder(place) => Kind::Folder(place.below(folder)),
            Kind::Remote(place) => Kind::Remote(place.below(folder)),
        })
    }

    /// The whole object; nothing where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match &self.0 {
            Kind::Folder(place) => place.get(name),
            Kind::Remote(place) => place.get(name),
        }
    }

    /// These bytes of the object.
    ///
    /// # Errors
    /// When it is not there, is shorter, or cannot be read.
    pub fn range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>> {
        match &self.0 {
            Kind::Folder(place) => place.range(name, range),
            Kind::Remote(place) => place.range(name, range),
        }
    }

    /// Copies the object into the file `to`, which is made anew, and says what it was; nothing where there is none.
    ///
    /// # Errors
    /// When it cannot be read, or the file cannot be written.
    pub fn fetch(&self, name: &str, to: &Path) -> Result<Option<StoreEntry>> {
        match &self.0 {
            Kind::Folder(place) => place.fetch(name, to),
            Kind::Remote(place) => place.fetch(name, to),
        }
    }

    /// Puts a file there, in the place of what is there. On the same disk the file is moved and not copied, so it is
    /// not the caller's any more.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn put_file(&self, name: &str, file: &Path) -> Result<()> {
        match &self.0 {
            Kind::Folder(place) => place.put_file(name, file),
            Kind::Remote(place) => place.put_file(name, file),
        }
    }

    /// Puts an object where none is yet; false where one is. Of several writers one is told true.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        match &self.0 {
            Kind::Folder(place) => place.create(name, bytes),
            Kind::Remote(place) => place.create(name, bytes),
        }
    }

    /// Every object of the folder `prefix` ("": of the store), by the bytes of their names; none where there is no such
    /// folder.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn list(&self, prefix: &str) -> Result<Vec<StoreEntry>> {
        let mut entries = match &self.0 {
            Kind::Folder(place) => place.list(prefix)?,
            Kind::Remote(place) => place.list(prefix)?,
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// What is known of an object without reading it; nothing where there is none.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn head(&self, name: &str) -> Result<Option<StoreEntry>> {
        match &self.0 {
            Kind::Folder(place) => place.head(name),
            Kind::Remote(place) => place.head(name),
        }
    }

    /// Removes an object; one that is gone already is fine.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<()> {
        match &self.0 {
            Kind::Folder(place) => place.remove(name),
            Kind::Remote(place) => place.remove(name),
        }
    }

    /// Where the object is, in a plain directory.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        match &self.0 {
            Kind::Folder(place) => Some(place.path(name)),
            Kind::Remote(_) => None,
        }
    }
}

impl std::fmt::Display for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Folder(place) => place.fmt(f),
            Kind::Remote(place) => place.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;

use self::address::Address;
pub use self::address::{is_address, shown};
pub use self::fault::{StoreFault, is_transient};
use self::folder::Folder;
use self::remote::Remote;

/// An object of a store, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreEntry {
    /// Its name, relative to the store.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was written: microseconds since 1970 UTC, or 0 where the store does not say.
    pub modified_micros: i64,
    /// What changes with its bytes, where the store says so; one that begins with `W/` is weak.
    pub etag: Option<String>,
}
