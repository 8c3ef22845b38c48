//! Files of this machine: those of a folder, and those that a pattern matches. A pattern leaves out hidden files unless
//! it names them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use globset::GlobBuilder;

use super::arguments::STANDARD_INPUT;

/// Deepest nesting that is searched; a link that leads back into its own folder ends here.
const DEPTH_MAX: usize = 32;
/// The file itself, or the files of a folder in order.
pub(super) fn files_below(input: &Path) -> Result<Vec<PathBuf>> {
    if !input.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut paths = Vec::new();
    walk(input, 0, &mut paths)?;
    paths.sort_by_cached_key(|path| relative_bytes(path, input));
    Ok(paths)
}

/// The files that a flag names: one, those of a folder, or those that match a pattern, by the bytes of their paths.
pub(super) fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    if pattern == STANDARD_INPUT || path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if path.is_dir() {
        let mut files = files_below(path)?;
        files.retain(|file| is_data(file, path));
        ensure!(!files.is_empty(), "{pattern}: the folder does not contain a data file");
        return Ok(files);
    }
    ensure!(pattern.contains(WILDCARDS), "{pattern} does not exist");
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .with_context(|| format!("{pattern} is not a valid pattern (* ** ? [] {{}})"))?
        .compile_matcher();
    // The part of the path before the first wildcard is where to search.
    let fixed = &pattern[..pattern.find(WILDCARDS).unwrap_or(0)];
    let root = Path::new(&fixed[..fixed.rfind('/').map_or(0, |at| at + 1)]);
    let from = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    ensure!(from.is_dir(), "{pattern}: the folder {} does not exist", from.display());
    let plain = |path: PathBuf| path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
    let mut files: Vec<PathBuf> = files_below(from)?.into_iter().map(plain).collect();
    files.retain(|file| glob.is_match(file) && (is_data(file, root) || names_hidden(pattern)));
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    ensure!(!files.is_empty(), "{pattern} matches no file");
    Ok(files)
}

fn relative_bytes(path: &Path, input: &Path) -> Vec<u8> {
    path.strip_prefix(input).unwrap_or(path).as_os_str().as_encoded_bytes().to_vec()
}

fn walk(folder: &Path, depth: usize, out: &mut Vec<PathBuf>) -> Result<()> {
    if depth > DEPTH_MAX {
        bail!("input folder {} is nested more than {DEPTH_MAX} levels deep", folder.display());
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

/// What makes a path a pattern.
pub(super) const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// What programs leave beside their data, and what is not for others.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_']) && name != "." && name != ".."
}

/// Whether nothing between the folder and the file is hidden.
pub(super) fn is_data(path: &Path, root: &Path) -> bool {
    let within = path.strip_prefix(root).unwrap_or(path);
    !within.components().any(|part| is_hidden(&part.as_os_str().to_string_lossy()))
}

/// Whether a pattern asks for hidden files in so many words.
pub(super) fn names_hidden(pattern: &str) -> bool {
    pattern.split('/').any(is_hidden)
}
