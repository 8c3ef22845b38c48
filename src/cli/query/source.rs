//! Which snapshot is asked: the one that is named, the current one of a directory, else the demo.
//!
//! Whoever asks for the first time has no snapshot. Then the demo is built, in seconds, into the user's cache: asking in
//! some folder should not leave one there, nor build it once more in the next.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::catalog::Catalog;
use crate::endpoints;
use crate::index::demo::build_demo;
use crate::server::config::SNAPSHOTS;
use crate::server::{preflight, progress};
use crate::snapshot::manifest::{FORMAT_VERSION, Verification};
use crate::snapshot::mapped::Residence;
use crate::snapshot::publish;

/// Which snapshot is asked.
#[derive(Debug, Args)]
pub(super) struct SourceArgs {
    /// Directory of snapshots, of which the current one is asked [default: snapshots, and where that holds none the demo,
    /// which is built into the user's cache].
    #[arg(long, global = true, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR", help_heading = "Snapshot")]
    snapshots: Option<PathBuf>,
    /// A snapshot, whatever is current; or a directory of them, as with --snapshots.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Snapshot")]
    snapshot: Option<PathBuf>,
}

impl SourceArgs {
    /// Opens it; what was verified before is not verified again.
    pub(super) fn open(&self) -> anyhow::Result<Catalog> {
        let path = self.path()?;
        Ok(Catalog::open_after(&path, Verification::Once, Residence::Mapped)?)
    }

    fn path(&self) -> anyhow::Result<PathBuf> {
        match (&self.snapshot, &self.snapshots) {
            (Some(snapshot), _) => super::super::named(snapshot),
            (None, Some(snapshots)) => current(snapshots)?.with_context(|| no_snapshot(snapshots)),
            (None, None) => match current(Path::new(SNAPSHOTS))? {
                Some(path) => Ok(path),
                None => demo(&cache().with_context(|| no_snapshot(Path::new(SNAPSHOTS)))?),
            },
        }
    }
}

/// The current snapshot of a directory.
fn current(snapshots: &Path) -> io::Result<Option<PathBuf>> {
    Ok(publish::current(snapshots)?.map(|id| snapshots.join(id)))
}

fn no_snapshot(snapshots: &Path) -> String {
    format!(
        "{0} holds no snapshot (there is no {1}); build one with: pricebook build --input DIR --out {0}, or the demo's \
         with: pricebook build --demo --out {0}",
        snapshots.display(),
        snapshots.join(publish::CURRENT).display()
    )
}

/// Where the demo of this version lies: what another one has built may be of another format.
fn cache() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
    cache_in(named("XDG_CACHE_HOME"), named("HOME"))
}

fn cache_in(cache: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // The specification has relative ones passed over.
    let cache = cache.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(home?).join(".cache")))?;
    let version = format!("demo-{}-{FORMAT_VERSION}", env!("CARGO_PKG_VERSION"));
    Some(cache.join("pricebook").join(version))
}

/// The demo's snapshot, built unless it is there.
fn demo(cache: &Path) -> anyhow::Result<PathBuf> {
    if let Some(path) = current(cache)? {
        return Ok(path);
    }
    writeln!(
        io::stderr(),
        "there is no snapshot here: the demo is built into {}, once, which takes seconds (--snapshots names your own)",
        cache.display()
    )?;
    let progress = progress::watch();
    let built = build_demo(cache, progress.as_ref());
    drop(progress);
    let built = built.with_context(|| {
        format!(
            "the demo cannot be built into {}; name a directory of snapshots with --snapshots",
            cache.display()
        )
    })?;
    preflight::activate(&endpoints::routes(), built.published.snapshots(), built.published.id(), false)?;
    match current(cache)? {
        Some(path) => Ok(path),
        None => bail!("the demo in {} is gone", cache.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_of_each_version_lies_apart() {
        let place = |cache: Option<&str>, home: Option<&str>| {
            cache_in(cache.map(OsString::from), home.map(OsString::from))
        };
        let version = format!("pricebook/demo-{}-{FORMAT_VERSION}", env!("CARGO_PKG_VERSION"));
        let at = |root: &str| Some(Path::new(root).join(&version));
        assert_eq!(place(Some("/c"), Some("/h")), at("/c"));
        assert_eq!(place(Some("c"), Some("/h")), at("/h/.cache"));
        assert_eq!(place(None, Some("/h")), at("/h/.cache"));
        assert_eq!(place(None, None), None);
    }
}
