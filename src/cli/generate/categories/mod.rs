//! The category tree: its shelves (leaf categories), their numbers of listings, and their price levels.
//!
//! Numbers of listings are exact. Of all listings, three quarters are in the US, a twentieth is on one US shelf
//! ([`HEAD`]), and a fifth is in US electronics. Within a department, the other listings are divided by Zipf weights.
//!
//! Prices are log-normal within a shelf. Price levels differ between departments, aisles and shelves. The standard
//! deviation of log prices is 0.55 within a shelf, 0.85 within an aisle and 1.2 within a department.

mod departments;

use super::draw::{Draw, Stream, exp};
use crate::types::Country;

pub(super) use self::departments::DEPARTMENTS;

/// The largest shelf, which is in electronics: name of the aisle and name of the shelf.
pub(super) const HEAD: [&str; 2] = ["Audio", "Headphones"];
/// Reciprocal of the share of listings on the largest shelf.
const HEAD_ONE_IN: u32 = 20;
/// Reciprocal of the share of listings in US electronics.
const ELECTRONICS_ONE_IN: u32 = 5;
/// Reciprocal of the share of Canadian listings.
const CANADA_ONE_IN: u32 = 4;
/// Listings per department and per shelf. They limit the departments and shelves of a small input, so that each has
/// enough listings for answers.
const DEPARTMENT_LISTINGS: u32 = 60;
const SHELF_LISTINGS: u32 = 60;
const DEPARTMENTS_MIN: usize = 3;
const LEAVES_MIN: usize = 2;
/// One shelf in this many is divided into varieties.
const DIVIDED_ONE_IN: usize = 3;
/// Standard deviation of log prices: within a shelf, between the shelves of an aisle, and between aisles.
pub(super) const LEAF_SIGMA: f64 = 0.55;
const AISLE_SIGMA: f64 = 0.65;
const DEPARTMENT_SIGMA: f64 = 0.85;

/// Trade of a department. It decides which retailers sell the department and how its prices behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trade {
    Grocery,
    Electronics,
    Fashion,
    Liquor,
    General,
}

/// Quantity that the pack sizes of an aisle measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Volume,
    Weight,
    Count,
    Bottle,
    None,
}

/// A row of the table of departments.
#[derive(Debug)]
pub(super) struct Department {
    pub name: &'static str,
    pub trade: Trade,
    /// Geometric mean of its prices in the currency of the country.
    pub level: f64,
    /// Weights in Canada and in the US, for the listings that are not assigned by an exact share.
    pub weight: [u64; 2],
    /// Varieties into which divided shelves are split.
    pub varieties: &'static [&'static str],
    pub aisles: &'static [Aisle],
}

/// An aisle of a department.
#[derive(Debug)]
pub(super) struct Aisle {
    pub name: &'static str,
    pub measure: Measure,
    pub leaves: &'static str,
}

/// A leaf of the tree.
#[derive(Debug, Clone)]
pub(super) struct LeafCategory {
    pub department: usize,
    pub aisle: usize,
    pub name: &'static str,
    pub variety: Option<&'static str>,
    /// Mean log price, relative to the mean of the department.
    pub offset: f64,
    /// Number of listings by country.
    pub listings: [u32; 2],
}

impl LeafCategory {
    pub(super) fn department(&self) -> &'static Department {
        &DEPARTMENTS[self.department]
    }

    pub(super) fn measure(&self) -> Measure {
        self.department().aisles[self.aisle].measure
    }

    /// Geometric mean of the prices.
    pub(super) fn level(&self) -> f64 {
        self.department().level * exp(self.offset)
    }

    /// True for the largest shelf ([`HEAD`]).
    pub(super) fn is_head(&self) -> bool {
        [self.department().aisles[self.aisle].name, self.name] == HEAD && self.variety.is_none()
    }

    /// Path of the category, as in `A > B > C`.
    pub(super) fn path(&self) -> String {
        let Department { name, aisles, .. } = self.department();
        let path = format!("{name} > {} > {}", aisles[self.aisle].name, self.name);
        self.variety.map_or(path.clone(), |variety| format!("{path} > {variety}"))
    }
}

/// The shelves of a catalog of `listings` listings, by department in the order of the table.
pub(super) fn leaves(seed: u64, listings: u32) -> Vec<LeafCategory> {
    let departments = ((listings / DEPARTMENT_LISTINGS) as usize).clamp(DEPARTMENTS_MIN, DEPARTMENTS.len());
    let most = (listings / SHELF_LISTINGS) as usize / departments;
    let mut leaves = Vec::new();
    for department in 0..departments {
        leaves.extend(opened(seed, department, most.max(LEAVES_MIN)));
    }
    share_out(&mut leaves, listings, departments);
    leaves.retain(|leaf| leaf.listings != [0, 0]);
    for department in 0..departments {
        center(&mut leaves, department);
    }
    leaves
}

/// At most `most` shelves of a department: the largest shelf of the catalog first, the others in a seeded random order.
fn opened(seed: u64, department: usize, most: usize) -> Vec<LeafCategory> {
    let mut leaves = Vec::new();
    let Department { aisles, varieties, .. } = &DEPARTMENTS[department];
    for (at, aisle) in aisles.iter().enumerate() {
        for name in aisle.leaves.split(';') {
            let leaf =
                LeafCategory { department, aisle: at, name, variety: None, offset: 0.0, listings: [0, 0] };
            let place = leaves.len();
            if place % DIVIDED_ONE_IN == 1 && !leaf.is_head() {
                let divide = |variety| LeafCategory { variety: Some(variety), ..leaf.clone() };
                leaves.extend(varieties.iter().copied().map(divide));
            } else {
                leaves.push(leaf);
            }
        }
    }
    for (place, leaf) in leaves.iter_mut().enumerate() {
        let aisle = Draw::at(seed, Stream::LeafPrice, &[department as u64, leaf.aisle as u64]).normal();
        let own = Draw::at(seed, Stream::LeafPrice, &[department as u64, u64::MAX, place as u64]).normal();
        leaf.offset = DEPARTMENT_SIGMA * aisle + AISLE_SIGMA * own;
    }
    let mut ranked: Vec<(u64, LeafCategory)> = leaves
        .into_iter()
        .enumerate()
        .map(|(place, leaf)| {
            let rank = Draw::at(seed, Stream::LeafRank, &[department as u64, place as u64]).bits();
            (if leaf.is_head() { 0 } else { rank }, leaf)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().take(most).map(|(_, leaf)| leaf).collect()
}

/// Sets the exact number of listings of every shelf.
fn share_out(leaves: &mut [LeafCategory], listings: u32, departments: usize) {
    let ca = Country::Ca as usize;
    let us = Country::Us as usize;
    let canada = listings / CANADA_ONE_IN;
    let (head, electronics) = (listings / HEAD_ONE_IN, listings / ELECTRONICS_ONE_IN);
    let weight = |country: usize| DEPARTMENTS[..departments].iter().map(move |row| row.weight[country]);
    let mut by_department = [
        split(canada, &weight(ca).collect::<Vec<_>>()),
        split(listings - canada - electronics, &weight(us).collect::<Vec<_>>()),
    ];
    for (at, department) in DEPARTMENTS[..departments].iter().enumerate() {
        if department.trade == Trade::Electronics {
            by_department[us][at] += electronics - head;
        }
        for country in [ca, us] {
            let mut own: Vec<&mut LeafCategory> =
                leaves.iter_mut().filter(|leaf| leaf.department == at && !leaf.is_head()).collect();
            let weights: Vec<u64> = (0..own.len() as u64).map(|rank| 1_000_000 / (rank + 3)).collect();
            let shares = split(by_department[country][at], &weights);
            own.iter_mut().zip(shares).for_each(|(leaf, share)| leaf.listings[country] = share);
        }
    }
    if let Some(leaf) = leaves.iter_mut().find(|leaf| leaf.is_head()) {
        leaf.listings[us] = head;
    }
}

/// Splits `total` in proportion to the weights. The parts with the largest remainders are rounded up, so the sum is
/// exact.
fn split(total: u32, weights: &[u64]) -> Vec<u32> {
    let all = weights.iter().sum::<u64>().max(1);
    let product = |weight: u64| u64::from(total) * weight;
    let mut parts: Vec<u32> = weights.iter().map(|&weight| (product(weight) / all) as u32).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(product(weights[at]) % all), at));
    let missing = total - parts.iter().sum::<u32>();
    order.into_iter().take(missing as usize).for_each(|at| parts[at] += 1);
    parts
}

/// Shifts and scales the price offsets of a department's shelves. Their mean becomes zero, and their standard deviation
/// becomes the value that the constants define.
fn center(leaves: &mut [LeafCategory], department: usize) {
    let own = || leaves.iter().filter(|leaf| leaf.department == department);
    let weight = |leaf: &LeafCategory| f64::from(leaf.listings[0]) + f64::from(leaf.listings[1]);
    let total: f64 = own().map(weight).sum::<f64>().max(1.0);
    let mean = own().map(|leaf| weight(leaf) * leaf.offset).sum::<f64>() / total;
    let square = |leaf: &LeafCategory| weight(leaf) * (leaf.offset - mean) * (leaf.offset - mean);
    let spread = (own().map(square).sum::<f64>() / total).sqrt();
    let wanted = (AISLE_SIGMA * AISLE_SIGMA + DEPARTMENT_SIGMA * DEPARTMENT_SIGMA).sqrt();
    let stretch = if spread > 0.0 { wanted / spread } else { 1.0 };
    for leaf in leaves.iter_mut().filter(|leaf| leaf.department == department) {
        leaf.offset = (leaf.offset - mean) * stretch;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(leaves: &[LeafCategory], country: Country) -> u32 {
        leaves.iter().map(|leaf| leaf.listings[country as usize]).sum()
    }

    #[test]
    fn sizes_are_exact() {
        for listings in [1, 7, 60, 1_000, 20_000, 1_000_000] {
            let leaves = leaves(3, listings);
            let (ca, us) = (total(&leaves, Country::Ca), total(&leaves, Country::Us));
            assert_eq!((ca, ca + us), (listings / 4, listings));
            let head = leaves.iter().find(|leaf| leaf.is_head()).map_or([0, 0], |leaf| leaf.listings);
            assert_eq!(head, [0, listings / 20]);
            let electronics = leaves.iter().filter(|leaf| leaf.department == 1);
            assert_eq!(electronics.map(|leaf| leaf.listings[1]).sum::<u32>(), listings / 5);
        }
    }

    #[test]
    fn the_head_is_the_largest_shelf() {
        for (seed, listings) in [(1, 10_000), (2, 100_000), (3, 1_000_000)] {
            let leaves = leaves(seed, listings);
            let largest = leaves.iter().max_by_key(|leaf| leaf.listings[0] + leaf.listings[1]);
            assert!(largest.is_some_and(LeafCategory::is_head), "{:?}", largest.map(LeafCategory::path));
        }
    }

    #[test]
    fn parts_add_up() {
        assert_eq!(split(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(split(3, &[0, 5]), [0, 3]);
        assert_eq!(split(0, &[2, 5]), [0, 0]);
    }
}
