//! Spells, written out day by day, are the observations.

use std::ops::{BitOr, BitXor};

use super::rows::first_bad;
use crate::catalog::Catalog;
use crate::snapshot::layout::{self, NO_DAY};

pub(super) fn offsets(catalog: &Catalog) -> Option<String> {
    let offsets = &catalog.spells.offsets;
    // As many columns as the last one says were loaded.
    if offsets.first() != Some(&0) {
        return Some("spells: offsets do not span the rows".into());
    }
    let bad = first_bad(offsets.len() - 1, |row| offsets[row] <= offsets[row + 1])?;
    Some(format!("spells: offset {} falls", bad + 1))
}

pub(super) fn observed(catalog: &Catalog) -> Option<String> {
    let bad = first_bad(catalog.listings.country.len(), |listing| {
        is_whole(catalog, listing as u32) && spells_out(catalog, listing as u32)
    })?;
    Some(format!("spells: those of listing {bad} are not its observations"))
}

/// The first day is there where none is missing.
fn is_whole(catalog: &Catalog, listing: u32) -> bool {
    let days = &catalog.observations.columns.day[catalog.observations.of(listing)];
    let first_day = match (days.first(), days.last()) {
        (Some(&first), Some(&last)) if usize::from(last - first) + 1 == days.len() => first,
        _ => NO_DAY,
    };
    catalog.spells.first_day[listing as usize] == first_day
}

fn spells_out(catalog: &Catalog, listing: u32) -> bool {
    let (spells, columns) = (&catalog.spells, &catalog.observations.columns);
    let (rows, observed) = (spells.of(listing), catalog.observations.of(listing));
    let seen = |row: usize| (spells.price[row], spells.list_price[row], spells.flags[row]);
    let mut from = observed.start;
    for row in rows.clone() {
        let to = observed.start + usize::from(spells.end[row]);
        if to <= from || to > observed.end || (row > rows.start && seen(row) == seen(row - 1)) {
            return false;
        }
        let (price, list_price, flags) = seen(row);
        let holds = all_are(&columns.price[from..to], price)
            && all_are(&columns.list_price[from..to], list_price)
            && all_are(&columns.flags[from..to], flags)
            && spells.depth[row] == layout::depth(price, list_price);
        if !holds {
            return false;
        }
        from = to;
    }
    from == observed.end
}

/// Whether all values are this one. Nothing ends the loop early, so that many are compared at once.
fn all_are<T>(values: &[T], value: T) -> bool
where
    T: Copy + Default + PartialEq + BitXor<Output = T> + BitOr<Output = T>,
{
    values.iter().fold(T::default(), |wrong, &other| wrong | (other ^ value)) == T::default()
}
