//! Checks the snapshot that would be served: whether it exists, opens, and is recent.

use super::Findings;
use crate::catalog::Catalog;
use crate::server::config::ServeConfig;
use crate::server::stamp_of;
use crate::snapshot::manifest::{FORMAT_VERSION, Verification};
use crate::snapshot::publish;

/// Age of the newest price of a snapshot, in days, above which a warning is given. Snapshots are built every month.
pub(super) const AGE_DAYS_MAX: u64 = 45;

const CHECK: &str = "snapshot";
const DAY_SECONDS: u64 = 86_400;

/// Opens the snapshot as a server start would, and checks its age. Returns `None` if there is no usable snapshot.
pub(super) fn check(config: &ServeConfig, findings: &mut Findings) -> Option<Catalog> {
    let ServeConfig { snapshots, builds_demo, residence, .. } = config;
    let place = snapshots.display();
    let id = match publish::current(snapshots) {
        Ok(Some(id)) => id,
        Ok(None) if *builds_demo => {
            findings.warning(CHECK, format!("{place} contains no snapshot: serve builds the demo snapshot"));
            return None;
        }
        Ok(None) => {
            let command = format!("pricebook build --input DIR --out {place}");
            findings.error(CHECK, format!("{place} contains no snapshot: build one with {command}"));
            return None;
        }
        Err(error) => {
            findings.error(CHECK, error.to_string());
            return None;
        }
    };
    match Catalog::open_after(&snapshots.join(&id), Verification::Once, *residence) {
        Ok(catalog) => {
            age(&catalog, findings);
            Some(catalog)
        }
        Err(error) => {
            let advice = "use the previous snapshot with pricebook snapshots rollback, or build a new one";
            findings.error(CHECK, format!("{error}; {advice}"));
            None
        }
    }
}

fn age(catalog: &Catalog, findings: &mut Findings) {
    let days = stamp_of(catalog).freshness_seconds / DAY_SECONDS;
    let (id, listings) = (catalog.id(), catalog.manifest().counts.listings);
    if days > AGE_DAYS_MAX {
        let message =
            format!("{id} opens, but its newest price is {days} days old: build one from newer input");
        findings.warning(CHECK, message);
    } else {
        let about = format!("{listings} listings, newest price {days} days old, format {FORMAT_VERSION}");
        findings.ok(CHECK, format!("{id} opens: {about}"));
    }
}
