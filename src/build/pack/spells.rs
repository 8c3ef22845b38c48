//! Price spells and the days on which each listing was seen.

use std::io;
use std::path::Path;

use super::super::canonical::{GroupedSpells, SpellColumns};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::layout;

/// Writes the spells to `path`.
pub(super) fn write(spells: &GroupedSpells, path: &Path) -> io::Result<Written> {
    let SpellColumns { end, price, list_price, flags } = &spells.columns;
    let depth: Vec<u64> = price.iter().zip(list_price).map(|(&p, &l)| layout::depth(p, l)).collect();
    let mut file = ColumnWriter::create(path)?;
    file.column("offsets", &spells.offsets)?;
    file.column("first_day", &spells.first_day)?;
    file.column("end", end)?;
    file.column("price", price)?;
    file.column("list_price", list_price)?;
    file.column("flags", flags)?;
    file.column("depth", &depth)?;
    file.column("day_offsets", &spells.day_offsets)?;
    file.column("days", &spells.days)?;
    file.finish()
}
