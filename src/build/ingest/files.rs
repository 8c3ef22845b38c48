//! Which files of the input folders are read, and in which order.
//!
//! Folders come in the order given, the files of a folder by the bytes of their paths relative to it. The order
//! matters: of two listings with one key the first wins.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// Deepest nesting that is searched; a link that leads back into its own folder ends here.
const DEPTH_MAX: usize = 32;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
}

/// A file of listings or observations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// How reports name it: the folder as given and the path within it.
    pub name: String,
    /// How it is written.
    pub format: Format,
    /// Whether it is compressed.
    pub gzip: bool,
}

/// Everything an input holds, in reading order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Found {
    /// Files of listings.
    pub listings: Vec<InputFile>,
    /// Files of observations.
    pub observations: Vec<InputFile>,
    /// Classification publications.
    pub gpc: Vec<PathBuf>,
    /// Tables of everyday shelf names.
    pub aliases: Vec<PathBuf>,
    /// Tables from category paths to bricks.
    pub category_gpc: Vec<PathBuf>,
    /// Files that are named like input and written like nothing this program reads.
    pub unreadable: Vec<PathBuf>,
}

/// Searches the input folders.
///
/// # Errors
/// When a folder is missing or cannot be listed.
pub fn find(inputs: &[PathBuf]) -> Result<Found> {
    let mut found = Found::default();
    for input in inputs {
        ensure!(input.exists(), "input folder {} does not exist", input.display());
        ensure!(input.is_dir(), "input {} is not a folder", input.display());
        let mut paths = Vec::new();
        walk(input, 0, &mut paths)?;
        paths.sort_by_cached_key(|path| relative_bytes(path, input));
        for path in paths {
            found.add(path);
        }
    }
    Ok(found)
}

fn relative_bytes(path: &Path, input: &Path) -> Vec<u8> {
    path.strip_prefix(input).unwrap_or(path).as_os_str().as_encoded_bytes().to_vec()
}

fn walk(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<()> {
    if depth > DEPTH_MAX {
        bail!("input folder {} is nested more than {DEPTH_MAX} deep", folder.display());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        if path.is_dir() {
            walk(&path, depth + 1, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}

impl Found {
    fn add(&mut self, path: PathBuf) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match name.as_str() {
            "gpc.json" | "gpc.json.gz" => self.gpc.push(path),
            "aliases.csv" | "aliases.csv.gz" => self.aliases.push(path),
            "category_gpc.csv" | "category_gpc.csv.gz" => self.category_gpc.push(path),
            _ => {
                let Some((stem, extension)) = name.split_once('.') else { return };
                let list = match stem {
                    "listings" => &mut self.listings,
                    "observations" => &mut self.observations,
                    _ => return,
                };
                let (format, gzip) = match extension {
                    "csv" => (Format::Csv, false),
                    "csv.gz" => (Format::Csv, true),
                    "ndjson" => (Format::Ndjson, false),
                    "ndjson.gz" => (Format::Ndjson, true),
                    "parquet" => (Format::Parquet, false),
                    _ => return self.unreadable.push(path),
                };
                let name = path.to_string_lossy().into_owned();
                list.push(InputFile { path, name, format, gzip });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_byte_order_of_their_relative_paths() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "b/listings.csv",
            "b-1/listings.csv.gz",
            "B/observations.parquet",
            "b/c/gpc.json",
            "listings.txt",
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = find(&[folder.path().to_path_buf()]).unwrap();
        let names: Vec<_> =
            found.listings.iter().map(|file| file.path.strip_prefix(folder.path()).unwrap()).collect();
        assert_eq!(names, [Path::new("b-1/listings.csv.gz"), Path::new("b/listings.csv")]);
        assert!(found.listings[0].gzip);
        assert_eq!(found.observations[0].format, Format::Parquet);
        assert_eq!((found.gpc.len(), found.unreadable.len()), (1, 1));
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = find(&[PathBuf::from("nowhere/at/all")]).unwrap_err();
        assert!(error.to_string().contains("nowhere/at/all"));
    }
}
