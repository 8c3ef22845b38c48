//! Stores of immutable objects: a directory, or a prefix of an object store.
//!
//! A name is a path relative to the store, with `/` between its parts. Data is written first and may be written again
//! with the same bytes. The marker that completes the data is written last, by [`Store::create`], which succeeds for
//! exactly one writer.
//!
//! Calls are synchronous: requests run on a small runtime with its own threads, so a compute thread may call a store.
//! Buckets and web servers are reached through the HTTP client that payments use, so the program has one TLS stack.
//!
//! Credentials come from the environment, in the variables of the vendors' tools: `AWS_*` (with `AWS_ENDPOINT_URL` for
//! compatible stores), `AZURE_*`, `GOOGLE_*`.

mod address;
mod client;
mod fault;
mod folder;
mod remote;

/// A store of immutable objects. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Store(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Folder(Folder),
    Remote(Remote),
}

impl Store {
    /// The store at a path or an address: `file://`, `s3://`, `gs://`, `az://`, `http://`, `https://`. No request is
    /// made yet, and a directory is created at the first write.
    ///
    /// # Errors
    /// Returns an error if the address is invalid, or the environment contains settings that cannot be used.
    pub fn open(at: &str) -> Result<Self> {
        Ok(Self(match Address::parse(at)? {
            Address::Folder(root) => Kind::Folder(Folder::new(root)),
            address => Kind::Remote(Remote::open(&address)?),
        }))
    }

    /// The store that contains the object at `at`, and the object's name in it.
    ///
    /// # Errors
    /// Returns an error in the cases of [`Store::open`], and if `at` does not name an object.
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

    /// The part of the store that contains the names that begin with `folder/`.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        Self(match &self.0 {
            Kind::Folder(place) => Kind::Folder(place.below(folder)),
            Kind::Remote(place) => Kind::Remote(place.below(folder)),
        })
    }

    /// The whole object; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the object cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match &self.0 {
            Kind::Folder(place) => place.get(name),
            Kind::Remote(place) => place.get(name),
        }
    }

    /// A range of bytes of the object.
    ///
    /// # Errors
    /// Returns an error if the object does not exist, is shorter, or cannot be read.
    pub fn range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>> {
        match &self.0 {
            Kind::Folder(place) => place.range(name, range),
            Kind::Remote(place) => place.range(name, range),
        }
    }

    /// Copies the object into the file `to`, which is created or truncated. Returns the metadata of the object;
    /// `None` if the object does not exist.
    ///
    /// # Errors
    /// Returns an error if the object cannot be read, or the file cannot be written.
    pub fn fetch(&self, name: &str, to: &Path) -> Result<Option<StoreEntry>> {
        match &self.0 {
            Kind::Folder(place) => place.fetch(name, to),
            Kind::Remote(place) => place.fetch(name, to),
        }
    }

    /// Stores a file as an object, and replaces an existing object. On the same disk the file is moved instead of
    /// copied, so the caller must not use it afterwards.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or the object cannot be written.
    pub fn put_file(&self, name: &str, file: &Path) -> Result<()> {
        match &self.0 {
            Kind::Folder(place) => place.put_file(name, file),
            Kind::Remote(place) => place.put_file(name, file),
        }
    }

    /// Creates an object if it does not exist yet. Returns false if it exists. Of several concurrent writers, exactly
    /// one gets true.
    ///
    /// # Errors
    /// Returns an error if the object cannot be written.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        match &self.0 {
            Kind::Folder(place) => place.create(name, bytes),
            Kind::Remote(place) => place.create(name, bytes),
        }
    }

    /// All objects in the directory `prefix` ("" for the whole store), in byte order of their names. The list is
    /// empty if the directory does not exist.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be listed.
    pub fn list(&self, prefix: &str) -> Result<Vec<StoreEntry>> {
        let mut entries = match &self.0 {
            Kind::Folder(place) => place.list(prefix)?,
            Kind::Remote(place) => place.list(prefix)?,
        };
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// The metadata of an object; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the metadata cannot be requested.
    pub fn head(&self, name: &str) -> Result<Option<StoreEntry>> {
        match &self.0 {
            Kind::Folder(place) => place.head(name),
            Kind::Remote(place) => place.head(name),
        }
    }

    /// Removes an object. It is not an error if the object does not exist.
    ///
    /// # Errors
    /// Returns an error if the object cannot be removed.
    pub fn remove(&self, name: &str) -> Result<()> {
        match &self.0 {
            Kind::Folder(place) => place.remove(name),
            Kind::Remote(place) => place.remove(name),
        }
    }

    /// The path of an object; `None` if the store is not a directory.
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

/// The metadata of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreEntry {
    /// Name of the object, relative to the store.
    pub name: String,
    /// Length of the object, in bytes.
    pub bytes: u64,
    /// The time at which the object was written, in microseconds since 1970 UTC; 0 if the store does not report it.
    pub modified_micros: i64,
    /// Entity tag, which changes with the content; `None` if the store does not report a tag. A tag that begins with
    /// `W/` is weak.
    pub etag: Option<String>,
}
