//! The batches of a source, read while those before are worked on.

use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::{Context as _, Result, ensure};

use super::super::normalized::{GroupedSpells, ListingColumns, Source};

/// Hands over all listings with their spells, batch by batch. The next batch is read on a thread of its own.
///
/// # Errors
/// When a batch cannot be read, listings and spells do not fit, or one is refused.
pub(super) fn each(
    source: &dyn Source,
    mut take: impl FnMut(ListingColumns, GroupedSpells) -> Result<()>,
) -> Result<()> {
    // Nothing waits in the channel: one batch is worked on, and one more is there.
    let (sender, receiver) = sync_channel(0);
    thread::scope(|scope| {
        scope.spawn(move || {
            // Who takes them has gone where one is refused.
            let read = read(source, |listings, spells| sender.send(Ok((listings, spells))).is_ok());
            if let Err(fault) = read {
                let _ = sender.send(Err(fault));
            }
        });
        for batch in receiver {
            let (listings, spells) = batch?;
            take(listings, spells)?;
        }
        Ok(())
    })
}

/// Reads batches as long as `goes_on`.
fn read(source: &dyn Source, goes_on: impl Fn(ListingColumns, GroupedSpells) -> bool) -> Result<()> {
    let mut all_spells = source.spells()?;
    for listings in source.listings()? {
        let (listings, spells) =
            (listings?, all_spells.next().context("the price spells of listings are missing")??);
        ensure!(
            listings.country.len() == spells.listings(),
            "the columns have {} listings, but the price spells belong to {} listings",
            listings.country.len(),
            spells.listings()
        );
        if !goes_on(listings, spells) {
            return Ok(());
        }
    }
    ensure!(all_spells.next().is_none(), "price spells belong to listings that do not exist");
    Ok(())
}
