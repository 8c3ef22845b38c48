//! Pages of a category in price order, with an offset as cursor.
//!
//! The order is stored in the snapshot, so the cost of an unfiltered page depends on its size and not on its offset.
//! In descending order, rows of equal price are still in ascending uid order. Descending order is therefore not the
//! reverse of ascending order, and a row's position is computed from the group of rows with its price.

use super::descriptor::PriceClass;
use super::params::{Kind, Param};
use crate::analytics::category_scope::PricedRows;
use crate::analytics::scope::{Scope, is_at};
use crate::catalog::Catalog;

/// `cursor`.
pub static CURSOR: Param = Param {
    name: "cursor",
    kind: Kind::Position,
    about: "Start of the page: next_cursor of the previous answer.",
};
/// `limit` of a page of items.
pub static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: 50, default: Some(20) },
    about: "Maximum number of items on the page.",
};

/// Cursors above this value are deep reads.
const DEEP_CURSOR: u64 = 1_000;
/// Text for the field `deep` of the descriptors of endpoints whose far pages are deep reads.
pub const DEEP_CURSORS: &str = "cursors above 1000";

/// Price class of a request for a page: a deep read if the cursor is above 1,000, otherwise the usual class.
pub const fn price(cursor: u64, usual: PriceClass) -> PriceClass {
    if cursor > DEEP_CURSOR { PriceClass::Deep } else { usual }
}

/// One page of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Rows in page order.
    pub rows: Vec<u32>,
    /// Cursor of the next page, if there is one.
    pub next_cursor: Option<u32>,
}

/// Returns the priced rows of a scope at positions `cursor..cursor + limit` in price order.
pub fn by_price(catalog: &Catalog, scope: &Scope, descending: bool, cursor: usize, limit: usize) -> Page {
    let PricedRows { rows, within } = scope.priced(catalog);
    let price = |row: u32| catalog.listings.current_price[row as usize];
    let order = PriceOrder { rows, price: &price, descending };
    let filtered = scope.retailer.is_some() || within.is_some();
    let takes = |row: &u32| {
        is_at(catalog, scope.retailer, *row) && within.as_ref().is_none_or(|range| range.contains(row))
    };
    // Reads one row more than the page contains, to find out whether there is a next page.
    let mut rows: Vec<u32> = if filtered {
        order.from(0).filter(takes).skip(cursor).take(limit + 1).collect()
    } else {
        order.from(cursor).take(limit + 1).collect()
    };
    let more = rows.len() > limit;
    rows.truncate(limit);
    Page { rows, next_cursor: more.then(|| (cursor + limit) as u32) }
}

/// Rows sorted by (price, uid), read in ascending or descending order of price.
struct PriceOrder<'a, P: Fn(u32) -> u32> {
    rows: &'a [u32],
    price: &'a P,
    descending: bool,
}

impl<P: Fn(u32) -> u32> PriceOrder<'_, P> {
    /// Returns the rows from position `start` on.
    fn from(&self, start: usize) -> impl Iterator<Item = u32> {
        let len = self.rows.len();
        let mut group = 0..0;
        (start..len.max(start)).map(move |position| {
            if !self.descending {
                return self.rows[position];
            }
            // Position `p` of the descending order is in the price group of row `len - 1 - p`. Rows of a group keep
            // their order.
            let mirrored = len - 1 - position;
            if !group.contains(&mirrored) {
                let price = (self.price)(self.rows[mirrored]);
                let low = self.rows.partition_point(|&row| (self.price)(row) < price);
                let high = self.rows.partition_point(|&row| (self.price)(row) <= price);
                group = low..high;
            }
            self.rows[group.start + (group.end - 1 - mirrored)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PriceOrder;

    #[test]
    fn descending_keeps_ties_in_order() {
        // Row numbers serve as uids.
        let prices = [5, 5, 7, 7, 7, 9];
        let price = |row: u32| prices[row as usize];
        let rows = [0, 1, 2, 3, 4, 5];
        let order = PriceOrder { rows: &rows, price: &price, descending: true };
        assert_eq!(order.from(0).collect::<Vec<_>>(), [5, 2, 3, 4, 0, 1]);
        for start in 0..8 {
            let tail: Vec<u32> = order.from(0).skip(start).collect();
            assert_eq!(order.from(start).collect::<Vec<_>>(), tail, "from {start}");
        }
        let order = PriceOrder { rows: &rows, price: &price, descending: false };
        assert_eq!(order.from(4).collect::<Vec<_>>(), [4, 5]);
    }
}
