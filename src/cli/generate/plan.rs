//! The plan of the catalog: the products of each shelf and the retailers that offer them. Every other part of the
//! generator reads the plan.
//!
//! Products fill a shelf of a country until its exact number of listings is reached. A listing is a product at a
//! retailer. Listings are numbered product by product, so a worker needs only a range of numbers.

use super::categories::{LEAF_SIGMA, LeafCategory, leaves};
use super::draw::{Draw, Stream, exp, sums};
use super::endings::nearest;
use super::retailers::{Retailer, Retailers};
use crate::types::Country;

/// Maximum number of retailers of one product.
pub(super) const OFFERS_MAX: usize = 48;
/// Shares of products by number of retailers: lowest number, highest number, share in thousandths. Because retailers
/// omit some barcodes, a shared barcode has a median of three retailers and a ninth decile of eight.
const OFFERS: [(usize, usize, f64); 11] = [
    (1, 1, 380.0),
    (2, 2, 160.0),
    (3, 3, 110.0),
    (4, 4, 80.0),
    (5, 5, 60.0),
    (6, 6, 45.0),
    (7, 7, 35.0),
    (8, 8, 35.0),
    (9, 12, 50.0),
    (13, 20, 27.0),
    (21, OFFERS_MAX, 18.0),
];
/// Share of Canadian products that are also sold in the US.
const SHARED_SHARE: f64 = 0.15;
/// Maximum number of weighted draws of the retailers of a product. The missing retailers are then taken in the order of
/// the pool.
const OFFER_DRAWS_MAX: usize = 400;
/// Share of listings at the manufacturer's price.
const NAMED_PRICE_SHARE: f64 = 0.6;
/// For the other listings: share of prices near the manufacturer's price, and standard deviations of the logarithm of
/// near prices and of far prices.
const NEAR_SHARE: f64 = 0.8;
const NEAR_SIGMA: f64 = 0.06;
const FAR_SIGMA: f64 = 0.2;
/// Share of listings with a much too high price, as if the barcode were of another product, and the factor of the
/// price.
const MISTAKEN_SHARE: f64 = 0.001;
const MISTAKEN_FACTOR: f64 = 6.0;
/// Used and refurbished goods of electronics resellers: share of listings, and price relative to new goods.
const USED: (f64, f64) = (0.18, 0.74);
const REFURBISHED: (f64, f64) = (0.22, 0.72);

/// A product in one country.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    /// Number of the product, the same in both countries.
    pub identity: u32,
    pub leaf: u32,
    /// Number of its first listing.
    pub first: u32,
    pub offers: u8,
    pub country: Country,
}

/// Condition of a listing's goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    New,
    Used,
    Refurbished,
}

/// A product at a retailer.
#[derive(Debug, Clone)]
pub(super) struct Offer<'a> {
    pub product: Product,
    pub leaf: &'a LeafCategory,
    pub retailer: &'a Retailer,
    pub state: State,
    /// Regular price on the first day of the input.
    pub cents: u32,
    pub ending: u32,
    /// Seed of further draws about the offer.
    key: u64,
}

impl Offer<'_> {
    /// Draws about this offer.
    pub(super) fn draws(&self, stream: Stream) -> Draw {
        Draw::at(self.key, stream, &[])
    }
}

/// The whole catalog, without prices by day.
#[derive(Debug)]
pub(super) struct Plan {
    pub seed: u64,
    pub listings: u32,
    pub leaves: Vec<LeafCategory>,
    pub retailers: Retailers,
    pub products: Vec<Product>,
}

impl Plan {
    pub(super) fn of(seed: u64, listings: u32) -> Self {
        let (leaves, retailers) = (leaves(seed, listings), Retailers::of(seed, listings));
        let mut plan = Self { seed, listings: 0, leaves, retailers, products: Vec::new() };
        let mut identity = 0;
        for leaf in 0..plan.leaves.len() {
            let from = plan.products.len();
            plan.fill(leaf, Country::Us, &mut identity, from..from);
            let shared = from..plan.products.len();
            plan.fill(leaf, Country::Ca, &mut identity, shared);
        }
        plan
    }

    /// Adds the products of a shelf in a country. Some of them are also products of the same shelf in the other
    /// country; `shared` is the index range of those products.
    fn fill(
        &mut self,
        leaf: usize,
        country: Country,
        identity: &mut u32,
        mut shared: std::ops::Range<usize>,
    ) {
        let counts = sums(OFFERS.iter().map(|(_, _, share)| *share));
        let most = self.retailers.pool(country, self.leaves[leaf].department).retailers.len();
        let mut left = self.leaves[leaf].listings[country as usize];
        while left > 0 {
            let mut draw = Draw::at(self.seed, Stream::Product, &[self.products.len() as u64]);
            let (low, high, _) = OFFERS[draw.weighted(&counts)];
            let offers = (low + draw.below(high - low + 1)).min(most).min(left as usize);
            let known = shared.next().filter(|_| draw.chance(SHARED_SHARE));
            let own = known.map_or(*identity, |at| self.products[at].identity);
            *identity += u32::from(known.is_none());
            let (leaf, first) = (leaf as u32, self.listings);
            self.products.push(Product { identity: own, leaf, first, offers: offers as u8, country });
            self.listings += offers as u32;
            left -= offers as u32;
        }
    }

    /// Number of listings of a department in both countries.
    pub(super) fn department_listings(&self, department: usize) -> u32 {
        let own = self.leaves.iter().filter(|leaf| leaf.department == department);
        own.map(|leaf| leaf.listings[0] + leaf.listings[1]).sum()
    }

    /// The listings with numbers in `range`, in order.
    pub(super) fn offers(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = Offer<'_>> {
        let from =
            self.products.partition_point(|product| product.first + u32::from(product.offers) <= range.start);
        let products = self.products[from..].iter().take_while(move |product| product.first < range.end);
        products.flat_map(move |&product| {
            let numbers = product.first..product.first + u32::from(product.offers);
            let retailers = self.sellers(product);
            let kept = numbers.zip(retailers).filter(|(number, _)| range.contains(number));
            kept.map(move |(_, retailer)| self.offer(product, retailer)).collect::<Vec<_>>()
        })
    }

    /// Indices of the retailers that offer a product, without repetition.
    fn sellers(&self, product: Product) -> Vec<u16> {
        let pool = self.retailers.pool(product.country, self.leaves[product.leaf as usize].department);
        let mut draw = Draw::at(self.seed, Stream::Offers, &[u64::from(product.first)]);
        let count = usize::from(product.offers);
        let mut chosen = Vec::with_capacity(count);
        for _ in 0..OFFER_DRAWS_MAX {
            if chosen.len() == count {
                break;
            }
            let one = pool.retailers[draw.weighted(&pool.sums)];
            if !chosen.contains(&one) {
                chosen.push(one);
            }
        }
        for &one in &pool.retailers {
            if chosen.len() < count && !chosen.contains(&one) {
                chosen.push(one);
            }
        }
        chosen
    }

    /// The manufacturer's price in cents, before rounding, and the price ending to which it is rounded.
    fn named_price(&self, product: Product, leaf: &LeafCategory) -> (f64, u32) {
        let mut draw = Draw::at(self.seed, Stream::Price, &[u64::from(product.identity)]);
        let cents = 100.0 * leaf.level() * exp(LEAF_SIGMA * draw.normal());
        let pool = self.retailers.pool(product.country, leaf.department);
        let leader = &self.retailers.all[usize::from(pool.retailers[0])];
        (cents, leader.endings.draw(&mut draw))
    }

    fn offer(&self, product: Product, retailer: u16) -> Offer<'_> {
        let (leaf, retailer) =
            (&self.leaves[product.leaf as usize], &self.retailers.all[usize::from(retailer)]);
        let place = [u64::from(product.identity), product.country as u64, retailer.number];
        let mut draw = Draw::at(self.seed, Stream::Listing, &place);
        let state = match draw.unit() {
            _ if !retailer.resells || leaf.department().trade != super::categories::Trade::Electronics => {
                State::New
            }
            share if share < USED.0 => State::Used,
            share if share < USED.0 + REFURBISHED.0 => State::Refurbished,
            _ => State::New,
        };
        let (named, ending) = self.named_price(product, leaf);
        let own_ending = retailer.endings.draw(&mut draw);
        let far = if draw.chance(NEAR_SHARE) { NEAR_SIGMA } else { FAR_SIGMA };
        let own = named * exp(retailer.level + far * draw.normal());
        let factor = if draw.chance(MISTAKEN_SHARE) { MISTAKEN_FACTOR } else { 1.0 };
        let (cents, ending) = match state {
            State::New if draw.chance(NAMED_PRICE_SHARE) => (named, ending),
            State::New => (own * factor, own_ending),
            State::Used => (own * USED.1, own_ending),
            State::Refurbished => (own * REFURBISHED.1, own_ending),
        };
        Offer { product, leaf, retailer, state, cents: nearest(cents, ending), ending, key: draw.bits() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_numbered_without_gaps() {
        let plan = Plan::of(9, 3_000);
        assert_eq!(plan.listings, 3_000);
        let key = |offer: &Offer| (offer.product.country, offer.retailer.key.clone(), offer.product.identity);
        let whole: Vec<_> = plan.offers(0..3_000).map(|offer| key(&offer)).collect();
        let parts: Vec<_> = [0..1, 1..700, 700..3_000]
            .into_iter()
            .flat_map(|part| plan.offers(part))
            .map(|offer| key(&offer))
            .collect();
        assert_eq!(whole, parts);
        let once: std::collections::HashSet<_> = whole.iter().collect();
        assert_eq!((whole.len(), once.len()), (3_000, 3_000));
    }
}
