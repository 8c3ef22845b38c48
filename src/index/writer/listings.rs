//! Listings, read once: what is thin stays in memory, their columns go to temporary files and from there to the snapshot.

use std::io;
use std::path::Path;

use anyhow::Result;
use bytemuck::Pod;

use super::super::normalized::{GroupedSpells, ListingColumns, Source};
use super::super::scratch::{Scratch, Sorted, Sorter, TempColumn, TempColumns};
use super::batches;
use super::bounds::MemoryBudget;
use super::bricks::Bricks;
use super::listing_key::{Current, ListingKeys, Member};
use super::offers;
use crate::lang::Lexicon;
use crate::snapshot::columns::Written;
use crate::snapshot::layout::Offer;
use crate::snapshot::tables::{self, ListingsPacked};
use crate::snapshot::values::{BuiltColumn, ColumnParts};

/// Rows of which a column is put together at a time.
const ROWS_AT_A_TIME: usize = 1 << 14;

/// All listings, as they were read.
pub(super) struct Listings {
    /// What is kept of them in memory.
    pub keys: ListingKeys,
    /// Their columns: those that a snapshot keeps, and part numbers.
    pub columns: TempColumns,
    /// Members of entities, sorted.
    pub members: Sorted<Member>,
    made: Made,
}

/// What was made of listings and is written with them.
struct Made {
    brick_mapping: TempColumn<u8>,
    current_day: TempColumn<u16>,
    current_list_price: TempColumn<u32>,
    /// Offers without what entities say.
    offer: TempColumn<Offer>,
}

/// Listings while they are read.
struct Reading<'a> {
    lexicon: &'a Lexicon,
    keys: ListingKeys,
    columns: TempColumns,
    members: Sorter<Member>,
    made: Made,
    bricks: Bricks,
    /// Days from the first to the last of the snapshot.
    span_days: u16,
    /// Bytes of names so far.
    names_bytes: u64,
}

impl Listings {
    /// Reads all listings, and hands over the spells of each batch.
    ///
    /// # Errors
    /// When they cannot be read, or temporary files cannot be written.
    pub(super) fn read(
        source: &dyn Source,
        budget: MemoryBudget,
        scratch: &Scratch,
        mut take_spells: impl FnMut(&GroupedSpells) -> Result<()>,
    ) -> Result<Self> {
        let mut reading = Reading::new(source, budget, scratch);
        // Columns are there even if no listing is.
        reading.take(&ListingColumns::default(), &GroupedSpells::default())?;
        batches::each(source, |listings, spells| {
            reading.take(&listings, &spells)?;
            drop(listings);
            take_spells(&spells)
        })?;
        let Reading { keys, columns, members, made, .. } = reading;
        Ok(Self { keys, columns, members: members.finish()?, made })
    }
}

impl<'a> Reading<'a> {
    fn new(source: &'a dyn Source, budget: MemoryBudget, scratch: &Scratch) -> Self {
        let names = source.names();
        Self {
            lexicon: &names.lexicon,
            keys: ListingKeys::with_capacity(source.sizes().listings as usize),
            columns: TempColumns::new(scratch),
            members: Sorter::new(scratch, "members", budget.sort_bytes()),
            made: Made {
                brick_mapping: TempColumn::new(scratch, "brick_mapping"),
                current_day: TempColumn::new(scratch, "current_day"),
                current_list_price: TempColumn::new(scratch, "current_list_price"),
                offer: TempColumn::new(scratch, "offer"),
            },
            bricks: Bricks::of(names),
            span_days: names.last_day.minus(names.first_day) as u16,
            names_bytes: 0,
        }
    }

    fn take(&mut self, listings: &ListingColumns, spells: &GroupedSpells) -> io::Result<()> {
        let current = Current::of(spells, self.span_days);
        let (lexicon, columns, names_from) = (self.lexicon, &mut self.columns, self.names_bytes);
        let (offers, written) = rayon::join(
            || offers::begun(lexicon, listings, &current, names_from),
            || write_columns(listings, columns),
        );
        written?;
        let offers = offers?;
        self.names_bytes += listings.name.view().bytes.len() as u64;
        let coded = listings.gpc_code.iter().zip(&listings.category);
        let (bricks, mapping): (Vec<u32>, Vec<u8>) =
            coded.map(|(&code, &category)| self.bricks.node(code, category)).unzip();
        for (row, offer) in (self.keys.len() as u32..).zip(&offers) {
            self.members.push(Member::of(row, offer))?;
        }
        self.keys.extend(listings, &current, &bricks);
        self.made.brick_mapping.extend(&mapping)?;
        self.made.current_day.extend(&current.day)?;
        self.made.current_list_price.extend(&current.list_price)?;
        self.made.offer.extend(&offers)
    }
}

fn write_columns(listings: &ListingColumns, columns: &mut TempColumns) -> io::Result<()> {
    for (name, column) in listings.kept() {
        column.write(name, columns)?;
    }
    listings.mpn.write("mpn", columns)
}

/// Writes the columns of listings to `path`. `cheapest` has the row of the cheapest listing of each one's entity.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn write(listings: &Listings, cheapest: &[u32], path: &Path) -> io::Result<Written> {
    let Listings { keys, columns, made, .. } = listings;
    let written_columns = ListingsPacked {
        entity: &keys.entity,
        brick: &keys.brick,
        brick_mapping: &made.brick_mapping,
        priced: &Priced(keys),
        current_day: &made.current_day,
        current_price: &keys.price,
        current_list_price: &made.current_list_price,
        current_flags: &keys.flags,
        offer: &Offers { made: &made.offer, keys, cheapest },
    };
    tables::write_listings(&written_columns, |name, file| columns.copy(name, file), path)
}

/// A byte for each listing: whether it is priced.
struct Priced<'a>(&'a ListingKeys);

impl ColumnParts<u8> for Priced<'_> {
    fn each(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut part = Vec::with_capacity(ROWS_AT_A_TIME);
        for from in (0..self.0.len()).step_by(ROWS_AT_A_TIME) {
            let rows = from..self.0.len().min(from + ROWS_AT_A_TIME);
            part.clear();
            part.extend(rows.map(|row| u8::from(self.0.is_priced(row))));
            take(&part)?;
        }
        Ok(())
    }
}

/// Offers with what entities say.
struct Offers<'a> {
    made: &'a TempColumn<Offer>,
    keys: &'a ListingKeys,
    cheapest: &'a [u32],
}

impl ColumnParts<Offer> for Offers<'_> {
    fn each(&self, take: &mut dyn FnMut(&[Offer]) -> io::Result<()>) -> io::Result<()> {
        let mut from = 0;
        self.made.each(&mut |part| {
            let mut offers = part.to_vec();
            offers::complete(&mut offers, from, self.keys, self.cheapest);
            from += offers.len();
            take(&offers)
        })
    }
}

impl<T: Pod> ColumnParts<T> for TempColumn<T> {
    fn each(&self, take: &mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()> {
        let mut parts = self.read();
        while let Some(part) = parts.next_chunk()? {
            take(part)?;
        }
        Ok(())
    }
}
