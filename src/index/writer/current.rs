//! The current price of each listing: its latest observation.

use super::super::normalized::GroupedSpells;
use crate::snapshot::layout::NO_DAY;

/// A listing is priced when its latest observation is at most this many days before the snapshot's now.
pub(crate) const PRICED_DAYS: u16 = 90;

/// Latest observations of some listings in a row.
pub(super) struct Current {
    /// Day, or [`NO_DAY`] for a listing without any observation.
    pub day: Vec<u16>,
    /// Price in cents; 0 without an observation.
    pub price: Vec<u32>,
    /// List price in cents; 0 for none.
    pub list_price: Vec<u32>,
    /// Stock and promotion bits.
    pub flags: Vec<u8>,
    /// 1 where the latest observation lies in the 90 days before the snapshot's now.
    pub priced: Vec<u8>,
}

impl Current {
    /// Those that the spells end with, in a snapshot whose last day is so many days after its first.
    pub(super) fn of(spells: &GroupedSpells, span_days: u16) -> Self {
        let columns = &spells.columns;
        let last = |listing: usize| {
            (spells.last_day[listing] != NO_DAY).then(|| spells.offsets[listing + 1] as usize - 1)
        };
        let rows = 0..spells.listings();
        let u32_of = |column: &[u32]| rows.clone().map(|row| last(row).map_or(0, |at| column[at])).collect();
        Self {
            price: u32_of(&columns.price),
            list_price: u32_of(&columns.list_price),
            flags: rows.clone().map(|row| last(row).map_or(0, |at| columns.flags[at])).collect(),
            priced: spells
                .last_day
                .iter()
                .map(|&day| u8::from(day != NO_DAY && span_days - day < PRICED_DAYS))
                .collect(),
            day: spells.last_day.clone(),
        }
    }

    /// Whether there is an observation of a listing.
    pub(super) fn is_observed(&self, listing: usize) -> bool {
        self.day[listing] != NO_DAY
    }
}
