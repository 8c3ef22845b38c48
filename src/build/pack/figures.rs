//! Sums and orders of each shelf, for answers about all of it: prices of what is new, brands, spreads of products
//! across retailers.
//!
//! Nothing here is an answer: it is what answers would otherwise collect from the listings one hop at a time.

use std::cmp::Reverse;
use std::io;

use rayon::prelude::*;

use super::super::canonical::{Canonical, NONE};
use super::current::Current;
use super::entities::EntityGroups;
use super::shelves::Lists;
use crate::domain::Condition;
use crate::snapshot::columns::{ColumnWriter, Element};
use crate::stats::spreads::{SellerPrice, Spreads};

/// What is prepared about one shelf.
struct Figures {
    new_cents: Vec<u32>,
    new_observed: [i64; 2],
    /// Brand and number of rows.
    brands: Vec<(u32, u32)>,
    brands_observed: [i64; 2],
    spreads: Spreads<'static>,
}

/// Writes the priced rows of the shelves of a tree and what is prepared about them.
pub(super) fn write(
    file: &mut ColumnWriter,
    tree: &str,
    shelves: &Lists,
    (tables, current, entities): (&Canonical, &Current, &EntityGroups),
) -> io::Result<()> {
    let all: Vec<Figures> = (0..shelves.ends.len())
        .into_par_iter()
        .map(|at| Figures::of(tables, current, entities, shelves.get(at)))
        .collect();
    let mut column = Columns { file, tree, all: &all };
    column.put("priced_ends", &shelves.ends)?;
    column.put("priced_rows", &shelves.rows)?;
    column.ends("new", |shelf| shelf.new_cents.len())?;
    column.each("new_cents", |shelf| shelf.new_cents.clone())?;
    column.each("new_observed", |shelf| shelf.new_observed.to_vec())?;
    column.ends("brand", |shelf| shelf.brands.len())?;
    column.each("brand", |shelf| shelf.brands.iter().map(|&(brand, _)| brand).collect())?;
    column.each("brand_count", |shelf| shelf.brands.iter().map(|&(_, count)| count).collect())?;
    column.each("brand_observed", |shelf| shelf.brands_observed.to_vec())?;
    column.ends("spread", |shelf| shelf.spreads.len())?;
    column.each("spread_lowest", |shelf| shelf.spreads.lowest.to_vec())?;
    column.each("spread_highest", |shelf| shelf.spreads.highest.to_vec())?;
    column.each("gap_sum", |shelf| words(shelf.spreads.gaps.parts().1).to_vec())?;
    column.ends("saving", |shelf| shelf.spreads.savings.groups().count())?;
    column.each("saving_retailers", |shelf| {
        shelf.spreads.savings.groups().map(|(retailers, _)| retailers).collect()
    })?;
    column
        .each("saving_sum", |shelf| shelf.spreads.savings.groups().flat_map(|(_, sum)| words(sum)).collect())
}

/// The columns of a tree.
struct Columns<'a> {
    file: &'a mut ColumnWriter,
    tree: &'a str,
    all: &'a [Figures],
}

impl Columns<'_> {
    fn put<T: Element>(&mut self, name: &str, values: &[T]) -> io::Result<()> {
        self.file.column(&format!("{}_{name}", self.tree), values)
    }

    /// A column of what every shelf has in it.
    fn each<T: Element>(&mut self, name: &str, of: impl Fn(&Figures) -> Vec<T>) -> io::Result<()> {
        let values: Vec<T> = self.all.iter().flat_map(of).collect();
        self.put(name, &values)
    }

    /// Where each shelf ends in columns of which it has `len` entries.
    fn ends(&mut self, name: &str, len: impl Fn(&Figures) -> usize) -> io::Result<()> {
        let mut total = 0;
        let mut ends: Vec<u32> = Vec::with_capacity(self.all.len());
        for shelf in self.all {
            total += len(shelf);
            ends.push(u32::try_from(total).map_err(io::Error::other)?);
        }
        self.put(&format!("{name}_ends"), &ends)
    }
}

impl Figures {
    /// Those of a shelf's priced rows, which come in price order.
    fn of(tables: &Canonical, current: &Current, entities: &EntityGroups, rows: &[u32]) -> Self {
        let listings = &tables.listings;
        let at = |&row: &u32| row as usize;
        let new: Vec<usize> =
            rows.iter().map(at).filter(|&row| listings.condition[row] == Condition::New).collect();
        let branded: Vec<usize> = rows.iter().map(at).filter(|&row| listings.brand[row] != NONE).collect();
        let shared = |row: &usize| entities.members(entities.of_row[*row] as usize).len() > 1;
        let offer = |&row: &usize| SellerPrice {
            product: entities.of_row[row],
            cents: current.price[row],
            seller: listings.platform[row],
        };
        Self {
            new_cents: new.iter().map(|&row| current.price[row]).collect(),
            new_observed: observed(tables, &new),
            brands: counts(branded.iter().map(|&row| listings.brand[row]).collect()),
            brands_observed: observed(tables, &branded),
            spreads: Spreads::of(new.iter().filter(|row| shared(row)).map(offer).collect()),
        }
    }
}

/// The oldest and the newest of the latest observations of some rows; zeros for none.
fn observed(tables: &Canonical, rows: &[usize]) -> [i64; 2] {
    let instants = || rows.iter().map(|&row| tables.listings.latest_instant[row]);
    [instants().min().unwrap_or_default(), instants().max().unwrap_or_default()]
}

/// How often each brand stands there: the most frequent first, equal ones in brand order.
fn counts(mut brands: Vec<u32>) -> Vec<(u32, u32)> {
    brands.sort_unstable();
    let mut counts: Vec<(u32, u32)> =
        brands.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
    counts.sort_unstable_by_key(|&(brand, count)| (Reverse(count), brand));
    counts
}

/// A sum of 128 bits as two words, the low one first.
fn words(sum: u128) -> [u64; 2] {
    [sum as u64, (sum >> u64::BITS) as u64]
}
