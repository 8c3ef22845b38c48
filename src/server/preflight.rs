//! Preflight: checks whether a snapshot can be served. The snapshot must open, it must answer the examples of every
//! route, and it must not contain much less data than its predecessor (`catalog::size_check`).
//!
//! [`swap`](super::swap) runs preflight before it replaces the catalog. `pricebook build` and `pricebook snapshots` run
//! it before they write `CURRENT`, and also compare the days of the snapshot with the clock (`future_days`). These
//! commands take the pointer lock after the comparison with the current snapshot, and repeat the comparison if
//! `CURRENT` has changed meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::future_days::{Ahead, ahead};
use super::panics;
use super::rejection::{RejectedSnapshot, SnapshotRefusal};
use super::state::now;
use crate::catalog::Catalog;
use crate::query::endpoint::{Route, Stamp};
use crate::query::representation::Json;
use crate::snapshot::manifest::{Verification, is_id};
use crate::snapshot::mapped::Residence;
use crate::snapshot::pointer_lock::PointerLock;
use crate::snapshot::publish::{self, ACCEPT};

/// Opens a snapshot with this verification and answers every route's examples from it.
///
/// # Errors
/// Returns an error if the snapshot does not open or an endpoint fails on it. Its sentence names the damaged or missing
/// part, or the endpoint.
pub fn fit(
    routes: &[Route],
    snapshots: &Path,
    id: &str,
    verification: Verification,
    residence: Residence,
) -> Result<Arc<Catalog>, RejectedSnapshot> {
    if !is_id(id) {
        return Err(SnapshotRefusal::Unreadable.because(format!("{id:?} is not a snapshot id")));
    }
    let path = snapshots.join(id);
    let opened = open(&path, id, verification, residence);
    let catalog = opened.map_err(|fault| SnapshotRefusal::Unsound.because(fault))?;
    rehearse(routes, &catalog).map_err(|fault| SnapshotRefusal::FailsExamples.because(fault))?;
    Ok(catalog)
}

fn open(
    path: &Path,
    id: &str,
    verification: Verification,
    residence: Residence,
) -> Result<Arc<Catalog>, String> {
    let opened = catch_unwind(|| Catalog::open_after(path, verification, residence))
        .map_err(|panic| panics::message(panic.as_ref()))?;
    let catalog = opened.map_err(|error| error.to_string())?;
    if catalog.id() != id {
        return Err(format!("the snapshot in {} has the id {}", path.display(), catalog.id()));
    }
    Ok(Arc::new(catalog))
}

/// Describes how much less data a snapshot contains than the snapshot that it would replace, and the steps that the
/// operator can take. Returns `None` if the new snapshot is not much smaller or older.
pub fn behind(next: &Catalog, before: &Catalog) -> Option<String> {
    let falls = next.size().falls_from(&before.size());
    (!falls.is_empty()).then(|| {
        format!(
            "snapshot {next} contains much less data than {before}, which it would replace: {falls}. If the input was \
             complete and the decrease is intended, put it in use with: pricebook snapshots activate {next} --force \
             (or write {next} into the file {ACCEPT} beside CURRENT); otherwise build it again from the complete input",
            next = next.id(),
            before = before.id(),
            falls = falls.join("; ")
        )
    })
}

/// Makes a published snapshot current if it passes preflight. A snapshot is refused if it falls behind the current one
/// or if some of its observations, but under 1 %, are dated after tomorrow, unless `force` is set or the file `accept`
/// names the snapshot.
///
/// # Errors
/// Returns an error if the snapshot is refused or an I/O operation fails. `CURRENT` is then unchanged.
pub fn activate(routes: &[Route], snapshots: &Path, id: &str, force: bool) -> anyhow::Result<Arc<Catalog>> {
    let catalog = fit(routes, snapshots, id, Verification::Full, Residence::Mapped)?;
    // The snapshot that is already current has been compared with the clock before.
    let is_current = comparable(snapshots).as_deref() == Some(id);
    let ahead = if is_current { None } else { ahead(&catalog, snapshots, now().day()) };
    match ahead {
        Some(Ahead::Few(fault)) if !force && !publish::is_accepted(snapshots, id)? => anyhow::bail!(fault),
        Some(Ahead::Many(warning)) => tracing::warn!("{warning}"),
        Some(Ahead::Few(_)) | None => {}
    }
    loop {
        let before = comparable(snapshots);
        if !force && let Some(fault) = falls_behind(&catalog, snapshots, before.as_deref())? {
            anyhow::bail!(fault);
        }
        let lock = PointerLock::take(snapshots)?;
        // The comparison is repeated if another command has changed `CURRENT` meanwhile.
        if force || comparable(snapshots) == before {
            publish::put_in_use(&lock, catalog.manifest(), force)?;
            return Ok(catalog);
        }
    }
}

/// Makes the previously current snapshot current again. Its size is not checked, because an older snapshot usually
/// contains less data.
///
/// # Errors
/// Returns an error if there is no previous snapshot, if it does not open, if an endpoint fails on it, or if an I/O
/// operation fails. `CURRENT` is then unchanged.
pub fn roll_back(routes: &[Route], snapshots: &Path) -> anyhow::Result<Arc<Catalog>> {
    loop {
        let before = publish::previous(snapshots)?;
        let before = before.context("there is no previous snapshot: the file PREVIOUS does not exist")?;
        let catalog = fit(routes, snapshots, &before, Verification::Full, Residence::Mapped);
        let catalog = catalog.with_context(|| not_in_use(&before))?;
        let lock = PointerLock::take(snapshots).with_context(|| not_in_use(&before))?;
        // The target is a different snapshot if another command has changed `PREVIOUS` meanwhile.
        if publish::previous(snapshots)?.as_ref() == Some(&before) {
            let changed = publish::put_in_use(&lock, catalog.manifest(), true);
            return changed.map(|()| catalog).with_context(|| not_in_use(&before));
        }
    }
}

/// The message that a snapshot was not put in use.
pub fn not_in_use(id: &str) -> String {
    format!("{id} was not put in use; CURRENT is unchanged")
}

/// Id of the current snapshot, with which a new snapshot is compared. `None` if there is no current snapshot or
/// `CURRENT` cannot be read.
fn comparable(snapshots: &Path) -> Option<String> {
    publish::current(snapshots).unwrap_or_else(|fault| {
        tracing::warn!(%fault, "CURRENT cannot be read, so the new snapshot is not compared with the current one");
        None
    })
}

/// Compares a snapshot with the current one; see [`behind`]. Also returns `None` if the file `accept` names the
/// snapshot, or if the current snapshot cannot be opened, for example because it has another format version.
fn falls_behind(next: &Catalog, snapshots: &Path, current: Option<&str>) -> anyhow::Result<Option<String>> {
    if publish::is_accepted(snapshots, next.id())? {
        return Ok(None);
    }
    let Some(current) = current.filter(|current| *current != next.id()) else { return Ok(None) };
    let open = || Catalog::open_after(&snapshots.join(current), Verification::Once, Residence::Mapped);
    match catch_unwind(open) {
        Ok(Ok(before)) => Ok(behind(next, &before)),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "the current snapshot cannot be opened, so the new one is not compared with it");
            Ok(None)
        }
        Err(_panic) => Ok(None),
    }
}

/// Answers every example from a catalog. A request that would fail for clients fails here, and the first, slow access
/// to the data happens here.
///
/// The examples are written for the demo snapshot, so a refusal by another snapshot is not an error.
///
/// # Errors
/// Returns an error if an endpoint panics or its answer cannot be encoded.
pub fn rehearse(routes: &[Route], catalog: &Arc<Catalog>) -> Result<(), String> {
    let computed_at = now();
    for (route, example) in
        routes.iter().flat_map(|route| route.examples.iter().map(move |query| (route, query)))
    {
        let answer = catch_unwind(AssertUnwindSafe(|| {
            let Ok(parsed) = route.parse(example, catalog.as_of()) else { return Ok(()) };
            match parsed.resolve(catalog) {
                Ok(work) => work.run(Stamp { computed_at, freshness_seconds: 0 }, &Json).map(drop),
                Err(_refusal) => Ok(()),
            }
        }));
        let fault = match answer {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panics::message(panic.as_ref()),
        };
        return Err(format!("the example request {} fails: {fault}", route.request(example)));
    }
    Ok(())
}
