//! The snapshot that is queried: a named snapshot, the current snapshot of a directory, or the demo snapshot.
//!
//! A first-time user has no snapshot. In this case, the demo is built, within seconds, in the user's cache. The current
//! folder stays unchanged, and a query in another folder does not build the demo again.

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

/// Options that select the snapshot.
#[derive(Debug, Args)]
pub(super) struct SourceArgs {
    /// Directory whose current snapshot is queried [default: snapshots, or else the demo].
    ///
    /// If no directory is named and `snapshots` contains no snapshot, the demo is built in the user's cache.
    #[arg(long, global = true, env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR", help_heading = "Snapshot")]
    snapshots: Option<PathBuf>,
    /// Snapshot to query, even if it is not the current one, or a directory whose current snapshot is queried.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Snapshot")]
    snapshot: Option<PathBuf>,
}

impl SourceArgs {
    /// Opens the snapshot. Files that were verified before are not verified again.
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

/// Path of the current snapshot of a directory; `None` if there is none.
fn current(snapshots: &Path) -> io::Result<Option<PathBuf>> {
    Ok(publish::current(snapshots)?.map(|id| snapshots.join(id)))
}

fn no_snapshot(snapshots: &Path) -> String {
    format!(
        "{0} does not contain a snapshot ({1} does not exist); build one with: pricebook build --input DIR --out {0}, \
         or the demo snapshot with: pricebook build --demo --out {0}",
        snapshots.display(),
        snapshots.join(publish::CURRENT).display()
    )
}

/// Directory of the demo in the user's cache. Each version of the program has its own demo, because formats may differ.
/// `None` if the user has no home directory.
fn cache() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
    cache_in(named("XDG_CACHE_HOME"), named("HOME"))
}

fn cache_in(cache: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // The XDG base directory specification requires that relative paths are ignored.
    let cache = cache.map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(home?).join(".cache")))?;
    let version = format!("demo-{}-{FORMAT_VERSION}", env!("CARGO_PKG_VERSION"));
    Some(cache.join("pricebook").join(version))
}

/// Returns the snapshot of the demo, and builds it if it does not exist.
fn demo(cache: &Path) -> anyhow::Result<PathBuf> {
    if let Some(path) = current(cache)? {
        return Ok(path);
    }
    writeln!(
        io::stderr(),
        "there is no snapshot: the demo is built into {} once, in seconds (--snapshots selects your own snapshots)",
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
        None => bail!("the demo in {} was removed", cache.display()),
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
