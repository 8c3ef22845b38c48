//! The current price of each listing: its latest observation, laid out beside the listings.

use rayon::prelude::*;

use super::super::canonical::{Canonical, GroupedObservations};
use crate::snapshot::layout::NO_DAY;

/// A listing is priced when its latest observation is at most this many days before the snapshot's now.
pub(crate) const PRICED_DAYS: u16 = 90;

/// Latest observations, one per listing.
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
    pub(super) fn of(tables: &Canonical) -> Self {
        let GroupedObservations { offsets, columns } = &tables.observations;
        let rows = tables.listings.product_uid.len();
        let mut current = Self {
            day: vec![NO_DAY; rows],
            price: vec![0; rows],
            list_price: vec![0; rows],
            flags: vec![0; rows],
            priced: vec![0; rows],
        };
        let span = (tables.names.last_day.days() - tables.names.first_day.days()) as u16;
        for row in 0..rows {
            let (from, to) = (offsets[row], offsets[row + 1]);
            if from == to {
                continue;
            }
            let last = to as usize - 1;
            current.day[row] = columns.day[last];
            current.price[row] = columns.price[last];
            current.list_price[row] = columns.list_price[last];
            current.flags[row] = columns.flags[last];
            current.priced[row] = u8::from(span - columns.day[last] < PRICED_DAYS);
        }
        current
    }

    /// Priced rows by price, equal prices by product uid.
    pub(super) fn rows_by_price(&self, tables: &Canonical) -> Vec<u32> {
        let uid = &tables.listings.product_uid;
        let mut rows: Vec<u32> =
            (0..self.priced.len() as u32).filter(|&row| self.priced[row as usize] == 1).collect();
        rows.par_sort_unstable_by_key(|&row| (self.price[row as usize], uid[row as usize]));
        rows
    }
}
