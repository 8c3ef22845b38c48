//! Secrets: read from the environment or from a file, never printed.

use std::env::VarError;
use std::path::PathBuf;
use std::{env, fmt, io};

use crate::snapshot::regular;

/// Longest file of a secret, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 16;

/// A secret text. Its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// A secret that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Two places name it.
    #[error("{0} and {0}_FILE are both set; keep one of them")]
    Twice(String),
    /// There is nothing in it.
    #[error("{0} is empty; unset it or give it a value")]
    Empty(String),
    /// It is not text.
    #[error("{0} is not UTF-8")]
    NotText(String),
    /// Its file cannot be read.
    #[error("{name}_FILE names {}, which cannot be read: {error}", path.display())]
    Unreadable {
        /// Variable.
        name: String,
        /// File.
        path: PathBuf,
        /// Cause.
        error: io::Error,
    },
}

impl Secret {
    /// A secret text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, to be handed to what needs it and to nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Reads the variable `name`, or the file that `<name>_FILE` names, without the line end at its end.
    ///
    /// # Errors
    /// When both are set, or what is set is empty or cannot be read.
    pub fn from_environment(name: &str) -> Result<Option<Self>, SecretError> {
        let variable = |name: &str| match env::var(name) {
            Ok(text) => Ok(Some(text)),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(SecretError::NotText(name.to_owned())),
        };
        let text = match (variable(name)?, env::var_os(format!("{name}_FILE")).map(PathBuf::from)) {
            (Some(_), Some(_)) => return Err(SecretError::Twice(name.to_owned())),
            (Some(text), None) => text,
            (None, Some(path)) => regular::read_text(&path, FILE_BYTES_MAX)
                .map_err(|error| SecretError::Unreadable { name: name.to_owned(), path, error })?,
            (None, None) => return Ok(None),
        };
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            return Err(SecretError::Empty(name.to_owned()));
        }
        Ok(Some(Self(text.to_owned())))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}
