//! Secrets: read from the environment or from a file that others cannot read, never printed, and not such as can be
//! guessed.

use std::collections::BTreeSet;
use std::env::VarError;
use std::path::{Path, PathBuf};
use std::{env, fmt, io};

use crate::snapshot::safe_open;

/// Longest file of a secret, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 16;

/// Shortest key, in bytes.
pub const SECRET_BYTES_MIN: usize = 32;

/// Fewest different bytes in a key. Of 32 random bytes in hexadecimal, not one in 10¹¹ has fewer.
const DISTINCT_BYTES_MIN: usize = 10;

/// Words that stand in the place of a secret in examples. No hexadecimal number holds one, and of 32 random bytes in
/// base64 not one in a million does.
const EXAMPLE_WORDS: [&str; 6] = ["secret", "password", "example", "change", "replace", "0123456789"];

/// Variable of the key that signs claims and refunds of payment channels.
pub const CHANNEL_KEY: &str = "PRICEBOOK_CHANNEL_KEY";

/// Variable of the key before it.
pub const CHANNEL_KEY_PREVIOUS: &str = "PRICEBOOK_CHANNEL_KEY_PREVIOUS";

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
    /// Its file can be read by others than its owner and group.
    #[error(
        "{name}_FILE names {}: every user of this machine can read the secret; remove the permissions of others (chmod \
         o-rwx), and create a new secret if this one is in use", path.display()
    )]
    OpenToAll {
        /// Variable.
        name: String,
        /// File.
        path: PathBuf,
    },
}

/// Why a key can be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretWeakness {
    /// It has so few bytes.
    Short(usize),
    /// So many bytes of it come again and again.
    Repeated(usize),
    /// It has so few different bytes.
    Uniform(usize),
    /// It holds a word of examples, and was not made by chance.
    Example(&'static str),
}

impl fmt::Display for SecretWeakness {
    /// What is wrong with it, after its name; nothing of it is repeated.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(length) => write!(f, "has {length} bytes"),
            Self::Repeated(1) => write!(f, "repeats one byte"),
            Self::Repeated(period) => write!(f, "repeats {period} bytes"),
            Self::Uniform(distinct) => write!(f, "has only {distinct} different bytes"),
            Self::Example(word) => write!(f, "contains {word:?}, a word of example secrets"),
        }?;
        write!(f, ": give at least {SECRET_BYTES_MIN} random bytes (openssl rand -hex {SECRET_BYTES_MIN})")
    }
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
    /// When both are set, or what is set is empty, cannot be read, or can be read by everybody.
    pub fn from_environment(name: &str) -> Result<Option<Self>, SecretError> {
        let variable = |name: &str| match env::var(name) {
            Ok(text) => Ok(Some(text)),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(SecretError::NotText(name.to_owned())),
        };
        let text = match (variable(name)?, env::var_os(format!("{name}_FILE")).map(PathBuf::from)) {
            (Some(_), Some(_)) => return Err(SecretError::Twice(name.to_owned())),
            (Some(text), None) => text,
            (None, Some(path)) => from_file(name, &path)?,
            (None, None) => return Ok(None),
        };
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            return Err(SecretError::Empty(name.to_owned()));
        }
        Ok(Some(Self(text.to_owned())))
    }

    /// Why somebody could guess a key that is written so; `None` where nothing speaks for it.
    pub fn weakness(&self) -> Option<SecretWeakness> {
        let bytes = self.0.as_bytes();
        if bytes.len() < SECRET_BYTES_MIN {
            return Some(SecretWeakness::Short(bytes.len()));
        }
        let mut periods = 1..SECRET_BYTES_MIN.min(bytes.len() / 2 + 1);
        let is_period =
            |period: &usize| bytes[*period..].iter().zip(bytes).all(|(later, byte)| later == byte);
        if let Some(period) = periods.find(is_period) {
            return Some(SecretWeakness::Repeated(period));
        }
        let distinct = bytes.iter().collect::<BTreeSet<_>>().len();
        if distinct < DISTINCT_BYTES_MIN {
            return Some(SecretWeakness::Uniform(distinct));
        }
        let lower = self.0.to_ascii_lowercase();
        EXAMPLE_WORDS.into_iter().find(|word| lower.contains(word)).map(SecretWeakness::Example)
    }
}

/// The text of the file that `<name>_FILE` names. Its rights are those of what was opened, not of what lies there
/// later.
fn from_file(name: &str, path: &Path) -> Result<String, SecretError> {
    let unreadable = |error| SecretError::Unreadable { name: name.to_owned(), path: path.to_owned(), error };
    let (file, about) = safe_open::open(path).map_err(unreadable)?;
    if safe_open::is_open_to_all(&about) {
        return Err(SecretError::OpenToAll { name: name.to_owned(), path: path.to_owned() });
    }
    safe_open::read_opened_text(&file, FILE_BYTES_MAX).map_err(unreadable)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
pub(crate) mod for_tests {
    use super::Secret;

    /// A key that nothing speaks against.
    pub(crate) fn sound_secret() -> Secret {
        Secret::new("9f3c1e07ab52d86640d1f7b8c2e95a3b7716e0fd84c95b2aa30e6d41f8b7c259")
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn flags_guessable_secrets_as_weak() {
        use SecretWeakness::{Example, Repeated, Short, Uniform};
        for (text, weakness) in [
            ("hunter2".to_owned(), Short(7)),
            ("x".repeat(31), Short(31)),
            ("x".repeat(32), Repeated(1)),
            ("hunter2".repeat(5), Repeated(7)),
            ("0123456789abcdef".repeat(2), Repeated(16)),
            ("fedcba98".repeat(9)[..65].to_owned(), Repeated(8)),
            ("abcabdabeabfabgabhabiabcabbabaaaa".to_owned(), Uniform(9)),
            ("10110111011110111110111111011111110".to_owned(), Uniform(2)),
            ("Replace-Me-With-32-Random-Bytes!!".to_owned(), Example("replace")),
            ("test-vector-secret-0123456789abcdef".to_owned(), Example("secret")),
            ("zyxwvutsrqponmlkjihgfe0123456789".to_owned(), Example("0123456789")),
        ] {
            assert_eq!(Secret::new(text.clone()).weakness(), Some(weakness), "{text}");
        }
    }

    #[test]
    fn accepts_generated_secrets() {
        for text in [
            // openssl rand -hex 32, -hex 16, -base64 32; a long one whose first byte comes again at its end.
            "1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014",
            "60303ae22b998861bce3b28f33eec1be",
            "M2Y5ZTg0ZDA3YzFiNmE1Mi0xOWVmLTQ3ZDgtYjNhMA==",
            "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635a9",
        ] {
            assert_eq!(Secret::new(text).weakness(), None, "{text}");
        }
        assert_eq!(for_tests::sound_secret().weakness(), None);
    }

    #[test]
    fn a_weakness_says_what_to_do_and_not_what_the_secret_is() {
        let said = Secret::new("hunter2".repeat(5)).weakness().expect("weak").to_string();
        assert_eq!(said, "repeats 7 bytes: give at least 32 random bytes (openssl rand -hex 32)");
    }

    #[test]
    fn a_file_that_everybody_can_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        write(&path, "swordfish\n").expect("a file");
        for (mode, is_read) in [(0o600, true), (0o640, true), (0o644, false), (0o604, false), (0o602, false)]
        {
            set_permissions(&path, Permissions::from_mode(mode)).expect("rights");
            let found = from_file("KEY", &path);
            assert_eq!(found.is_ok(), is_read, "{mode:o}: {found:?}");
            if let Err(error) = found {
                let said = error.to_string();
                assert!(said.starts_with("KEY_FILE names ") && said.contains("chmod o-rwx"), "{said}");
            }
        }
    }
}
