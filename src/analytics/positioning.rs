//! The position of a brand or a retailer among the prices of a category.

use rayon::prelude::*;

use super::price_level::matched::{LOG_SLACK, PAIRS_MIN, RATIO_MAX};
use crate::catalog::Catalog;
use crate::lang::pack::{Per, exact_unit_price, unit_price};
use crate::stats::exact::{Rational, mean_of_cents, median_of_sorted};
use crate::stats::like_for_like::CI95_Z;
use crate::stats::quantile::median_mut;
use crate::types::{Condition, Country};

/// The minimum number of products for the figures of a subject, which is a brand or a retailer.
pub const PRODUCTS_MIN: usize = 3;
/// The minimum number of products of a subject with the same unit for figures about unit prices.
const UNIT_PRICES_MIN: usize = 3;

/// The number of entities per parallel task.
const ENTITIES_PER_TASK: usize = 512;

/// The mean and the median of some prices, in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Centre {
    /// Mean.
    pub mean: Rational,
    /// Median.
    pub median: Rational,
}

impl Centre {
    /// Computes both for ascending prices; `None` if there are no prices.
    pub fn of(cents: &[u32]) -> Option<Self> {
        Some(Self { mean: mean_of_cents(cents)?, median: median_of_sorted(cents)? })
    }
}

/// Whether a listing is new and priced.
pub fn is_new(catalog: &Catalog, row: u32) -> bool {
    let listings = &catalog.listings;
    listings.priced[row as usize] == 1 && listings.condition[row as usize] == Condition::New.as_u8()
}

/// The quotient of two figures.
pub fn quotient((a, b): Rational, (c, d): Rational) -> Rational {
    (a * d, b * c)
}

/// The share of prices of a pool (ascending) below a figure, where prices equal to it count half.
pub fn percentile(pool: &[u32], (num, den): Rational) -> Rational {
    let below = pool.partition_point(|&cents| i128::from(cents) * den < num);
    let upto = pool.partition_point(|&cents| i128::from(cents) * den <= num);
    ((below + upto) as i128, 2 * pool.len() as i128)
}

/// A retailer's prices compared with the prices of other retailers for the same products.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matched {
    /// The number of products that are compared.
    pub pairs: u32,
    /// The geometric mean of the price ratios to the other retailers, and its 95 % interval; `None` for fewer than
    /// [`PAIRS_MIN`] products.
    pub index: Option<(f64, [f64; 2])>,
}

impl Matched {
    /// Compares the barcoded products among some rows of a retailer. The rows must be new and priced. The retailer's
    /// lowest price of a product is compared with the geometric mean of the other retailers' lowest prices, over new
    /// listings anywhere in the country.
    pub fn of(catalog: &Catalog, country: Country, platform: u16, rows: &[u32]) -> Self {
        let listings = &catalog.listings;
        let linked = rows.iter().filter(|&&row| catalog.listing(row).is_linked());
        let mut entities: Vec<u32> = linked
            .filter(|&&row| listings.gtin[row as usize] != 0)
            .map(|&row| listings.entity[row as usize])
            .collect();
        entities.sort_unstable();
        entities.dedup();
        let parts =
            entities.par_chunks(ENTITIES_PER_TASK).map(|part| logs_of(catalog, country, platform, part));
        let logs = parts.collect::<Vec<_>>().concat();
        let n = logs.len() as f64;
        let index = (logs.len() as i64 >= PAIRS_MIN).then(|| {
            let mean = logs.iter().sum::<f64>() / n;
            let squares: f64 = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
            let margin = CI95_Z * (squares / (n - 1.0)).sqrt() / n.sqrt();
            (mean.exp(), [(mean - margin).exp(), (mean + margin).exp()])
        });
        Self { pairs: logs.len() as u32, index }
    }
}

/// The log ratios of a retailer's lowest price to the geometric mean of the others' lowest prices, for entities that
/// have both. Implausible ratios are left out.
fn logs_of(catalog: &Catalog, country: Country, platform: u16, entities: &[u32]) -> Vec<f64> {
    let listings = &catalog.listings;
    let here = catalog.country_rows(country);
    let mut lowest: Vec<(u16, u32)> = Vec::new();
    let mut logs: Vec<f64> = Vec::new();
    for &entity in entities {
        lowest.clear();
        for &row in catalog.entities.members(entity, &here) {
            if !is_new(catalog, row) {
                continue;
            }
            let (seller, cents) = (listings.platform[row as usize], listings.current_price[row as usize]);
            match lowest.iter_mut().find(|(known, _)| *known == seller) {
                Some((_, low)) => *low = cents.min(*low),
                None => lowest.push((seller, cents)),
            }
        }
        let own = lowest.iter().find(|(seller, _)| *seller == platform);
        let others = lowest.iter().filter(|(seller, _)| *seller != platform);
        let (sum, count) =
            others.fold((0.0, 0_u32), |(sum, count), &(_, cents)| (sum + f64::from(cents).ln(), count + 1));
        if let Some(&(_, own)) = own.filter(|_| count > 0) {
            let log = f64::from(own).ln() - sum / f64::from(count);
            logs.extend((log.abs() <= RATIO_MAX.ln() + LOG_SLACK).then_some(log));
        }
    }
    logs
}

/// Unit prices of a subject, compared with those of its pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitPrices {
    /// The unit.
    pub per: Per,
    /// The number of products of the subject with a price per this unit.
    pub products: u32,
    /// The median unit price of the subject's products, in cents.
    pub median: f64,
    /// The number of products of the pool with a price per this unit.
    pub category_products: u32,
    /// The median unit price of the pool's products, in cents.
    pub category_median: f64,
}

impl UnitPrices {
    /// Computes the figures for each unit in which enough of the subject's rows have a unit price, in descending order
    /// of products, then by the name of the unit.
    pub fn of(catalog: &Catalog, subject: &[u32], pool: &[u32]) -> Vec<Self> {
        let mut own = by_unit(catalog, subject);
        own.retain(|(_, prices)| prices.len() >= UNIT_PRICES_MIN);
        if own.is_empty() {
            return Vec::new();
        }
        let mut all = by_unit(catalog, pool);
        let found = |(per, mut prices): (Per, Vec<f64>)| {
            let (_, all) = all.iter_mut().find(|(known, _)| *known == per)?;
            Some(Self {
                per,
                products: prices.len() as u32,
                median: median_mut(&mut prices)?,
                category_products: all.len() as u32,
                category_median: median_mut(all)?,
            })
        };
        let mut found: Vec<Self> = own.into_iter().filter_map(found).collect();
        found.sort_by_key(|unit| (std::cmp::Reverse(unit.products), unit.per.as_str()));
        found
    }
}

/// The unit prices of some rows in cents, by unit.
fn by_unit(catalog: &Catalog, rows: &[u32]) -> Vec<(Per, Vec<f64>)> {
    let mut units: Vec<(Per, Vec<f64>)> = Vec::new();
    for &row in rows {
        let listing = catalog.listing(row);
        let Some(pack) = listing.pack() else { continue };
        if unit_price(listing.price(), &pack, listing.country()).is_none() {
            continue;
        }
        let (per, (num, den)) = exact_unit_price(listing.price(), &pack, listing.country());
        let price = num as f64 / den as f64;
        match units.iter_mut().find(|(known, _)| *known == per) {
            Some((_, prices)) => prices.push(price),
            None => units.push((per, vec![price])),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_among_its_pool() {
        let pool = [200, 400, 600, 800];
        let (own, all) = (Centre::of(&[400, 600, 800]).unwrap(), Centre::of(&pool).unwrap());
        let (num, den) = quotient(own.mean, all.mean);
        assert_eq!(10 * num, 12 * den);
        let (num, den) = percentile(&pool, own.median);
        assert_eq!(1_000 * num, 625 * den);
        // The figure is between two prices, so none is equal to it.
        assert_eq!(percentile(&[100, 101], (201, 2)), (2, 4));
    }
}
