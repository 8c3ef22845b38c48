//! An example input, for whoever has to fill one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Files of the example: what they are for, and what is in them.
static FILES: [(&str, &str, &str); 3] = [
    (
        "listings.csv",
        "offers of retailers: one row per offer",
        include_str!("../../snapshots/template-input/listings.csv"),
    ),
    (
        "observations.csv",
        "prices of offers: one row per offer and day",
        include_str!("../../snapshots/template-input/observations.csv"),
    ),
    (
        "mapping.toml",
        "for files with other columns, numbers or dates (--map)",
        include_str!("../../snapshots/template-input/mapping.toml"),
    ),
];

/// Writes the example into `dir`, which is made if it is missing, and says what is in it.
///
/// # Errors
/// When a file of these names is there already, or cannot be written.
pub fn write(dir: &Path) -> Result<String> {
    fs::create_dir_all(dir).with_context(|| format!("cannot create the folder {}", dir.display()))?;
    let mut text = String::new();
    for (name, about, content) in &FILES {
        let path = dir.join(name);
        let write = || File::create_new(&path)?.write_all(content.as_bytes());
        write().with_context(|| format!("cannot write {}; name an empty folder", path.display()))?;
        let _ = writeln!(text, "{}: {about}", path.display());
    }
    let _ = writeln!(text, "try it: pricebook build --input {} --out snapshots", dir.display());
    Ok(text)
}
