//! The demo: real retailer data that the program carries with it, so that a newcomer needs nothing else.
//!
//! Dates of each source were moved by whole weeks so that the sources overlap and end in October 2026; prices and
//! weekdays are as collected. Sources and licences are in `NOTICE`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::run::{Built, Options, begin, run_in};
use crate::ingest::{Arguments, Progress};

macro_rules! demo_files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../snapshots/demo-input/", $path)))),*]
    };
}

/// Input files of the demo, by path.
static FILES: &[(&str, &[u8])] = demo_files![
    "bc_liquor/listings.csv.gz",
    "bc_liquor/observations.csv.gz",
    "gpc/gpc.json.gz",
    "hammer/listings.csv.gz",
    "hammer/observations.csv.gz",
    "hammer_gtin/listings.csv.gz",
    "hammer_gtin/observations.csv.gz",
    "pcparts/listings.csv.gz",
    "pcparts/observations.csv.gz",
];

/// Builds the demo snapshot into a snapshots directory.
///
/// # Errors
/// When the directory cannot be written.
pub fn build_demo(snapshots: &Path, progress: &dyn Progress) -> Result<Built> {
    let staging = begin(snapshots)?;
    // In the scratch of the build, so that it goes with the build whatever becomes of it.
    let input = staging.scratch().join("demo-input");
    unpack(&input)?;
    let options =
        Options { arguments: Arguments::folders([input]), out: snapshots.to_owned(), ..Options::default() };
    run_in(staging, &options, progress)
}

fn unpack(dir: &Path) -> Result<()> {
    for (path, bytes) in FILES {
        let target = dir.join(path);
        let parent = target.parent().unwrap_or(dir);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&target, bytes))
            .with_context(|| format!("cannot unpack the demo to {}", target.display()))?;
    }
    Ok(())
}
