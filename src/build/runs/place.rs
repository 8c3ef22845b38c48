//! A folder of immutable objects, until the store of the engine is there.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A place for immutable objects.
#[derive(Debug, Clone)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// A folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(at: &str) -> Result<Self> {
        Ok(Self { dir: PathBuf::from(at) })
    }

    /// A folder within.
    #[must_use]
    pub fn below(&self, folder: &str) -> Self {
        Self { dir: self.dir.join(folder) }
    }

    /// The bytes of an object; nothing where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match fs::read(self.dir.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{name} cannot be read")),
        }
    }

    /// Where an object lies.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.dir.join(name))
    }

    /// Some bytes of an object.
    ///
    /// # Errors
    /// When they are not there.
    pub fn range(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>> {
        let read = || {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            fs::File::open(self.dir.join(name))?.read_exact_at(&mut bytes, range.start)?;
            std::io::Result::Ok(bytes)
        };
        read().with_context(|| format!("{name} cannot be read"))
    }

    /// Moves a file here; replaces what is there.
    ///
    /// # Errors
    /// When it cannot.
    pub fn put_file(&self, name: &str, file: &Path) -> Result<()> {
        let to = self.dir.join(name);
        let put = || {
            fs::create_dir_all(to.parent().unwrap_or(&self.dir))?;
            fs::rename(file, &to)
        };
        put().with_context(|| format!("{name} cannot be written"))
    }

    /// Writes an object; false where it is there already.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let to = self.dir.join(name);
        if to.exists() {
            return Ok(false);
        }
        let put = || {
            fs::create_dir_all(to.parent().unwrap_or(&self.dir))?;
            let aside = to.with_extension("aside");
            fs::write(&aside, bytes)?;
            fs::rename(aside, &to)
        };
        put().with_context(|| format!("{name} cannot be written"))?;
        Ok(true)
    }

    /// Removes an object; it may be gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<()> {
        match fs::remove_file(self.dir.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{name} cannot be removed"))
            }
            _ => Ok(()),
        }
    }
}
