//! Statistics of the latest observations of a scope's priced listings, computed in one pass.
//!
//! All values are counts or sums of integers, so the result does not depend on the order in which parts are merged.

use rayon::prelude::*;

use super::Span;
use super::scope::Scope;
use super::stock::Stock;
use crate::catalog::{Catalog, Listings};
use crate::snapshot::layout::PROMO;
use crate::stats::exact::Rational;
use crate::stats::mean_of_ratios::{MeanOfRatios, PERCENT_UNITS};
use crate::types::money::is_believed;
use crate::types::{Condition, Country, Day, Ratio4};

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 4_096;

/// The latest observations of some priced listings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latest {
    /// Listings by condition, in the order of the condition codes.
    pub conditions: [u32; 4],
    /// Listings by stock.
    pub stock: Stock,
    /// Listings on promotion.
    pub on_promotion: u32,
    /// Listings at retailers that show promotions.
    pub at_promoters: u32,
    /// Listings with a list price, plausible or not.
    pub list_priced: u32,
    /// Discounts against plausible list prices.
    depth: MeanOfRatios,
    /// Listings by the day on which they were last observed.
    by_day: Vec<u32>,
}

impl Latest {
    /// Computes the statistics of some rows, all of which must be priced.
    pub fn of(catalog: &Catalog, country: Country, rows: &[u32]) -> Self {
        let promoters = catalog.promoters().of_country(country);
        let days = usize::from(catalog.day_number(catalog.as_of()));
        let none = || Self { by_day: vec![0; days], ..Self::default() };
        let parts = rows.par_chunks(LISTINGS_PER_TASK).map(|rows| {
            let mut part = none();
            for &row in rows {
                part.add(&catalog.listings, promoters, row as usize);
            }
            part
        });
        parts.reduce(none, Self::plus)
    }

    fn add(&mut self, listings: &Listings, promoters: &[bool], row: usize) {
        let flags = listings.current_flags[row];
        let (price, list_price) = (listings.current_price[row], listings.current_list_price[row]);
        self.conditions[usize::from(listings.condition[row])] += 1;
        self.stock.add(flags);
        self.on_promotion += u32::from(flags & PROMO != 0);
        self.at_promoters += u32::from(promoters[usize::from(listings.platform[row])]);
        self.list_priced += u32::from(list_price > 0);
        if is_believed(price, list_price) {
            self.depth.add(list_price - price, list_price);
        }
        self.by_day[usize::from(listings.current_day[row])] += 1;
    }

    fn plus(mut self, other: Self) -> Self {
        let pairs = self.conditions.iter_mut().zip(other.conditions);
        pairs.chain(self.by_day.iter_mut().zip(other.by_day)).for_each(|(one, other)| *one += other);
        self.stock = self.stock.plus(other.stock);
        self.on_promotion += other.on_promotion;
        self.at_promoters += other.at_promoters;
        self.list_priced += other.list_priced;
        self.depth.merge(&other.depth);
        self
    }

    /// The number of all listings.
    pub fn products(&self) -> u32 {
        self.stock.products()
    }

    /// The number of listings of a condition.
    pub fn of_condition(&self, condition: Condition) -> u32 {
        self.conditions[usize::from(condition.as_u8())]
    }

    /// A number of listings as a share of all. There must be at least one listing.
    pub fn share(&self, count: u32) -> Ratio4 {
        Ratio4::from_ratio(count.into(), self.products().into())
    }

    /// The mean discount against plausible list prices; `None` if there are none.
    pub fn mean_depth(&self) -> Option<Rational> {
        self.depth.ratio(PERCENT_UNITS)
    }

    /// The earliest and the latest of the days on which the listings were last observed.
    pub fn observed(&self, catalog: &Catalog) -> Option<(Day, Day)> {
        let day = |at: Option<usize>| at.map(|day| catalog.day(day as u16));
        let held = |&count: &u32| count > 0;
        day(self.by_day.iter().position(held)).zip(day(self.by_day.iter().rposition(held)))
    }

    /// The median number of days from the latest observation to the catalog's last day; `None` without a listing.
    pub fn median_age_days(&self) -> Option<Rational> {
        let count = self.products();
        let age = |rank: u32| {
            let mut before = 0;
            self.by_day.iter().rev().position(|&listings| {
                before += listings;
                before > rank
            })
        };
        let (low, high) = (age(count.checked_sub(1)? / 2)?, age(count / 2)?);
        Some(((low + high) as i128, 2))
    }

    /// The number of listings last observed on one of the last `days` days.
    pub fn within(&self, days: usize) -> u32 {
        self.by_day.iter().rev().take(days).sum()
    }
}

/// The number of entities of some rows, and the number of these that at least two retailers have.
pub fn entities(catalog: &Catalog, rows: &[u32]) -> (u32, u32) {
    /// Marks an entity that was seen at more than one platform. For a single platform, the mark is its index plus one.
    const SEVERAL: u32 = u32::MAX;
    let (entity, platform) = (&catalog.listings.entity, &catalog.listings.platform);
    let mut seen = vec![0; catalog.entities.len()];
    let (mut entities, mut across) = (0, 0);
    for &row in rows {
        let (at, own) = (&mut seen[entity[row as usize] as usize], u32::from(platform[row as usize]) + 1);
        match *at {
            0 => {
                entities += 1;
                *at = own;
            }
            SEVERAL => {}
            first if first == own => {}
            _ => {
                across += 1;
                *at = SEVERAL;
            }
        }
    }
    (entities, across)
}

/// The span of the observations behind the current prices of a scope's priced listings. For a whole scope, only the
/// span of new products is prepared; other products are added.
pub fn observed(catalog: &Catalog, scope: &Scope, rows: &[u32]) -> Span {
    let Some(figures) = scope.figures(catalog) else { return Span::of_rows(catalog, rows.iter().copied()) };
    let mut span = Span::between(figures.new_observed());
    let condition = &catalog.listings.condition;
    let others = rows.iter().filter(|&&row| condition[row as usize] != Condition::New.as_u8());
    others.for_each(|&row| span.add(catalog.listing(row).observed_at()));
    span
}

/// The same as [`observed`], for rows that are restricted to a brand if `brand` is given.
pub fn observed_of(catalog: &Catalog, scope: &Scope, brand: Option<u32>, rows: &[u32]) -> Span {
    match brand {
        Some(_) => Span::of_rows(catalog, rows.iter().copied()),
        None => observed(catalog, scope, rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_counted_back_from_the_last_day() {
        let stock = Stock { unknown: 4, ..Stock::default() };
        let latest = Latest { by_day: vec![1, 0, 0, 1, 1, 1], stock, ..Latest::default() };
        assert_eq!(latest.median_age_days(), Some((3, 2)));
        assert_eq!([1, 2, 3, 6].map(|days| latest.within(days)), [1, 2, 3, 4]);
        let odd = Latest { by_day: vec![2, 1], stock: Stock { unknown: 3, ..stock }, ..Latest::default() };
        assert_eq!(odd.median_age_days(), Some((2, 2)));
        assert_eq!(Latest::default().median_age_days(), None);
    }
}
