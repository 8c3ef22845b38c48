//! The numbers of listings in stock, by the latest observation of each listing.

use crate::catalog::{Catalog, in_stock};
use crate::types::{Percent, Ratio4};

/// The minimum number of listings of known stock for a rate.
pub const KNOWN_MIN: u32 = 5;

/// Listings by their stock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stock {
    /// Listings that are in stock.
    pub in_stock: u32,
    /// Listings that are out of stock.
    pub out_of_stock: u32,
    /// Listings whose source does not state the stock.
    pub unknown: u32,
}

impl Stock {
    /// Counts some rows.
    pub fn of(catalog: &Catalog, rows: &[u32]) -> Self {
        let flags = &catalog.listings.current_flags;
        let mut stock = Self::default();
        for &row in rows {
            stock.add(flags[row as usize]);
        }
        stock
    }

    /// Counts a listing whose latest observation has these flags.
    pub fn add(&mut self, flags: u8) {
        match in_stock(flags) {
            Some(true) => self.in_stock += 1,
            Some(false) => self.out_of_stock += 1,
            None => self.unknown += 1,
        }
    }

    /// The sum of two counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            in_stock: self.in_stock + other.in_stock,
            out_of_stock: self.out_of_stock + other.out_of_stock,
            unknown: self.unknown + other.unknown,
        }
    }

    /// The number of all listings.
    pub fn products(self) -> u32 {
        self.known() + self.unknown
    }

    /// The number of listings whose stock is known.
    pub fn known(self) -> u32 {
        self.in_stock + self.out_of_stock
    }

    /// The share of the listings of known stock that are in stock; `None` if fewer than [`KNOWN_MIN`] are known.
    pub fn rate(self) -> Option<Percent> {
        let known = self.known();
        (known >= KNOWN_MIN).then(|| Percent::from_ratio(self.in_stock.into(), known.into()))
    }

    /// The share of all listings whose stock is known. There must be at least one listing.
    pub fn coverage(self) -> Ratio4 {
        Ratio4::from_ratio(self.known().into(), self.products().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::layout::{STOCK_IN, STOCK_OUT};

    #[test]
    fn a_rate_needs_enough_that_say_so() {
        let mut stock = Stock::default();
        for flags in [STOCK_IN, STOCK_IN, STOCK_OUT, STOCK_IN, 0] {
            stock.add(flags);
        }
        assert_eq!((stock.known(), stock.products(), stock.coverage().get()), (4, 5, 8000));
        assert_eq!(stock.rate(), None);
        stock.add(STOCK_OUT);
        assert_eq!(stock.rate().map(Percent::get), Some(6000));
        assert_eq!(stock.plus(stock).known(), 10);
    }
}
