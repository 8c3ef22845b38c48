//! Patterns of paths, and what they leave out.

use std::path::Path;

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
