//! Preflight: whether a snapshot can be served. It opens, it answers the examples of every route, and it does not hold
//! suspiciously less than its predecessor (`catalog::size_check`).
//!
//! [`swap`](super::swap) runs it before it moves the pointer, `pricebook build` and `pricebook snapshots` before they
//! write `CURRENT`. Before a snapshot is made current its days are compared with the clock too (`future_days`). The
//! comparison with the current snapshot is made again under the pointer lock where `CURRENT` has moved.

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

/// Opens a snapshot after this verification and answers every route's examples from it.
///
/// # Errors
/// With what is damaged or missing, or which endpoint fails.
pub fn fit(
    routes: &[Route],
    snapshots: &Path,
    id: &str,
    verification: Verification,
    residence: Residence,
) -> Result<Arc<Catalog>, RejectedSnapshot> {
    if !is_id(id) {
        return Err(SnapshotRefusal::Unreadable.because(format!("{id:?} is no snapshot id")));
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
        return Err(format!("the snapshot in {} calls itself {}", path.display(), catalog.id()));
    }
    Ok(Arc::new(catalog))
}

/// How far a snapshot falls behind the one it is to replace, and what to do; `None` where it does not.
pub fn behind(next: &Catalog, before: &Catalog) -> Option<String> {
    let falls = next.size().falls_from(&before.size());
    (!falls.is_empty()).then(|| {
        format!(
            "snapshot {next} holds much less than {before}, which it is to replace: {falls}. If the input was whole and \
             this is meant, say so with: pricebook snapshots activate {next} --force (or write {next} into the file \
             {ACCEPT} beside CURRENT); else build it again from the whole input",
            next = next.id(),
            before = before.id(),
            falls = falls.join("; ")
        )
    })
}

/// Makes a published snapshot current if it is fit. One that falls behind the current one, or holds few observations dated
/// after tomorrow, is refused unless `force` is set.
///
/// # Errors
/// With a sentence; `CURRENT` then names what it named.
pub fn activate(routes: &[Route], snapshots: &Path, id: &str, force: bool) -> anyhow::Result<Arc<Catalog>> {
    let catalog = fit(routes, snapshots, id, Verification::Full, Residence::Mapped)?;
    // The snapshot that is current already has been compared with the clock.
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
        // The comparison is made anew where another command has moved `CURRENT` meanwhile.
        if force || comparable(snapshots) == before {
            publish::put_in_use(&lock, catalog.manifest(), force)?;
            return Ok(catalog);
        }
    }
}

/// Makes the snapshot current that was current before, whatever it holds: going back is going back to less.
///
/// # Errors
/// As [`activate`].
pub fn roll_back(routes: &[Route], snapshots: &Path) -> anyhow::Result<Arc<Catalog>> {
    loop {
        let before = publish::previous(snapshots)?;
        let before = before.context("no snapshot was current before: there is no PREVIOUS")?;
        let catalog = fit(routes, snapshots, &before, Verification::Full, Residence::Mapped);
        let catalog = catalog.with_context(|| not_in_use(&before))?;
        let lock = PointerLock::take(snapshots).with_context(|| not_in_use(&before))?;
        // The snapshot to go back to is another one where a command has moved `PREVIOUS` meanwhile.
        if publish::previous(snapshots)?.as_ref() == Some(&before) {
            let changed = publish::put_in_use(&lock, catalog.manifest(), true);
            return changed.map(|()| catalog).with_context(|| not_in_use(&before));
        }
    }
}

/// A sentence that says that a snapshot was not put in use.
pub fn not_in_use(id: &str) -> String {
    format!("{id} is not put in use, and CURRENT goes on as it was")
}

/// The snapshot that the next one is compared with. A pointer that cannot be read is replaced.
fn comparable(snapshots: &Path) -> Option<String> {
    publish::current(snapshots).unwrap_or_else(|fault| {
        tracing::warn!(%fault, "nothing to compare with");
        None
    })
}

/// How far a snapshot falls behind the current one, unless that was accepted. One that cannot be opened compares with
/// nothing: it is damaged, or of another version of the format.
fn falls_behind(next: &Catalog, snapshots: &Path, current: Option<&str>) -> anyhow::Result<Option<String>> {
    if publish::is_accepted(snapshots, next.id())? {
        return Ok(None);
    }
    let Some(current) = current.filter(|current| *current != next.id()) else { return Ok(None) };
    let open = || Catalog::open_after(&snapshots.join(current), Verification::Once, Residence::Mapped);
    match catch_unwind(open) {
        Ok(Ok(before)) => Ok(behind(next, &before)),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "the current snapshot does not open, so there is nothing to compare with");
            Ok(None)
        }
        Err(_panic) => Ok(None),
    }
}

/// Answers every example from a catalog, so that what would fail for clients fails here, and what is slow at first
/// is slow here.
///
/// Examples are written for the demo: another snapshot may well refuse them.
///
/// # Errors
/// With a sentence, when an endpoint panics or its answer cannot be encoded.
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
        return Err(format!("{} fails: {fault}", route.request(example)));
    }
    Ok(())
}
