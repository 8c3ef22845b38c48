//! `pricebook snapshots`: lists snapshots, puts one in use, and removes old ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::say;
use crate::catalog::Catalog;
use crate::endpoints;
use crate::index::run::REPORTS;
use crate::server::preflight;
use crate::snapshot::publish;
use crate::snapshot::retention::{self, KeptSnapshot};
use crate::types::Instant;

/// Maximum number of directories without a valid manifest that `prune` names. Further directories are only counted.
const UNSOUND_NAMED_MAX: usize = 10;

#[derive(Debug, Subcommand)]
pub(super) enum SnapshotsCommand {
    /// Lists snapshots, the last published first.
    ///
    /// The columns are the id, the as-of date, the number of listings, the format, the time of publication, and whether
    /// the snapshot is the current or the previous one.
    List(Directory),
    /// Verifies a snapshot and puts it in use.
    ///
    /// The snapshot is opened and verified, and every endpoint is tried. The snapshot is compared with the current one,
    /// and the dates of its observations are compared with the clock.
    Activate {
        #[command(flatten)]
        directory: Directory,
        /// Id of the snapshot.
        id: String,
        /// Puts the snapshot in use even if it contains much less than the current one, or if a few of its observations
        /// are dated after tomorrow.
        ///
        /// Running servers also accept such a snapshot.
        #[arg(long)]
        force: bool,
    },
    /// Puts the previous snapshot in use again.
    ///
    /// The previous snapshot is opened and verified, and every endpoint is tried. It is not compared with the current
    /// one.
    Rollback(Directory),
    /// Removes all snapshots except the last published ones.
    ///
    /// The current and the previous snapshot are always kept. Files of interrupted builds are removed too.
    Prune {
        #[command(flatten)]
        directory: Directory,
        /// Number of snapshots to keep, including the current and the previous snapshot.
        #[arg(long, value_name = "COUNT")]
        keep: usize,
    },
}

#[derive(Debug, Args)]
pub(super) struct Directory {
    /// Directory of snapshots.
    #[arg(long, default_value = "snapshots", env = "PRICEBOOK_SNAPSHOTS", value_name = "DIR")]
    snapshots: PathBuf,
}

pub(super) fn run(command: SnapshotsCommand) -> anyhow::Result<()> {
    match command {
        SnapshotsCommand::List(Directory { snapshots }) => say(list(&snapshots)?),
        SnapshotsCommand::Activate { directory: Directory { snapshots }, id, force } => {
            activate(&snapshots, &id, force)
        }
        SnapshotsCommand::Rollback(Directory { snapshots }) => {
            let catalog = preflight::roll_back(&endpoints::routes(), &snapshots)?;
            say_current(&catalog)
        }
        SnapshotsCommand::Prune { directory: Directory { snapshots }, keep } => {
            let pruned = retention::prune(&snapshots, keep, REPORTS)
                .with_context(|| format!("cannot prune {}", snapshots.display()))?;
            for id in &pruned.removed {
                say(format_args!("removed {id}\n"))?;
            }
            for (id, fault) in pruned.unsound.iter().take(UNSOUND_NAMED_MAX) {
                say(format_args!("kept {id}: {fault}; remove it by hand if it is not needed\n"))?;
            }
            match pruned.unsound.len().saturating_sub(UNSOUND_NAMED_MAX) {
                0 => {}
                more => say(format_args!(
                    "kept {more} more, {} in all; pricebook snapshots list shows all\n",
                    pruned.unsound.len()
                ))?,
            }
            say(format_args!("{} removed\n", pruned.removed.len()))
        }
    }
}

fn activate(snapshots: &Path, id: &str, force: bool) -> anyhow::Result<()> {
    let catalog = preflight::activate(&endpoints::routes(), snapshots, id, force)
        .with_context(|| preflight::not_in_use(id))?;
    say_current(&catalog)
}

fn say_current(catalog: &Catalog) -> anyhow::Result<()> {
    let (id, listings) = (catalog.id(), catalog.manifest().counts.listings);
    say(format_args!("{id} is current: as of {}, {listings} listings\n", catalog.as_of()))
}

/// Formats a table with a header and one line for each snapshot.
fn list(snapshots: &Path) -> anyhow::Result<String> {
    let all = retention::list(snapshots).with_context(|| format!("cannot list {}", snapshots.display()))?;
    let (current, previous) = (publish::current(snapshots), publish::previous(snapshots));
    let width = all.iter().map(|snapshot| snapshot.id.len()).max().unwrap_or_default().max("ID".len());
    let mut text = format!(
        "{:<width$}  {:<10}  {:>12}  {:>6}  {:<20}  IN USE\n",
        "ID", "AS OF", "LISTINGS", "FORMAT", "PUBLISHED"
    );
    for KeptSnapshot { id, published, manifest } in &all {
        let names = |pointer: &std::io::Result<Option<String>>| {
            pointer.as_ref().is_ok_and(|named| named.as_deref() == Some(id))
        };
        let usage = match (names(&current), names(&previous)) {
            (true, _) => "current",
            (_, true) => "previous",
            _ => "",
        };
        let published = instant(*published);
        let line = match manifest {
            Ok(manifest) => format!(
                "{id:<width$}  {:<10}  {:>12}  {:>6}  {published:<20}  {usage}",
                manifest.as_of, manifest.counts.listings, manifest.format_version
            ),
            Err(fault) => format!("{id:<width$}  not sound: {fault}  {usage}"),
        };
        writeln!(text, "{}", line.trim_end())?;
    }
    for fault in [current.err(), previous.err()].into_iter().flatten() {
        writeln!(text, "{fault}")?;
    }
    Ok(text)
}

/// Formats a time as a date and a time of day, to the second.
fn instant(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Instant::from_micros(seconds as i64 * 1_000_000).to_string()
}
