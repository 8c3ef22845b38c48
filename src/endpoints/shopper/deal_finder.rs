//! `GET /v1/shopper/deal-finder`: discounts in a category, compared with each listing's own past prices.

use std::cmp::Ordering;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::reference_price::{self, Past};
use crate::catalog::{Catalog, Listing};
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::item::ListingItem;
use crate::query::next_step::NextStep;
use crate::query::page::{CURSOR, LIMIT};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Meta, believed_list_price};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::stats::exact::{self, Fraction};
use crate::types::{Cents, Condition, Money, Percent};

static MIN_DISCOUNT_PCT: Param = Param {
    name: "min_discount_pct",
    kind: Kind::Integer { min: 0, max: 95, default: Some(10) },
    about: "Minimum discount in percent: of verified_pct if sort is verified_pct, otherwise of claimed_pct.",
};
static SORT: Param = Param {
    name: "sort",
    kind: Kind::Word(&["verified_pct", "claimed_pct", "amount"], Some("verified_pct")),
    about: "Order of the items, highest first: by the discount against the listing's own past price, by the discount \
            against its list price, or by the discount against its list price as an amount of money.",
};

/// Minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 1024;

/// The endpoint.
pub(super) struct DealFinder;

/// Figure by which deals are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Discount against the reference price.
    Verified,
    /// Discount against the list price.
    Claimed,
    /// Discount against the list price, as an amount of money.
    Amount,
}

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    min_discount_pct: u32,
    measure: Measure,
    cursor: u64,
    limit: u32,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    min_discount_pct: u32,
    measure: Measure,
    cursor: u64,
    limit: u32,
}

/// Answer of deal-finder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: CategoryHead,
    /// Number of listings that were considered: priced, new and not out of stock.
    candidates: u32,
    /// Number of these listings that have no reference price. Their discounts cannot be verified.
    without_reference: u32,
    /// One page of deals, best first.
    items: Vec<DealItem<'a>>,
    /// Value of `cursor` for the next page; null if there is none.
    next_cursor: Option<u32>,
    /// Whether there is a next page.
    has_more: bool,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer. The observation times are those of the items' current prices.
    meta: Meta,
}

/// A listing with its claimed and its verified discount.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DealItem<'a> {
    #[serde(flatten)]
    item: ListingItem<'a>,
    /// Discount against the list price, in percent, equal to `discount_pct`; null without a plausible list price.
    claimed_pct: Option<Percent>,
    /// Discount against `reference_price`, in percent. Negative if the price is above the reference price; null without
    /// a reference price.
    verified_pct: Option<Percent>,
    /// Past price of the listing: the median of its daily prices in the 90 days before its latest observation, if at
    /// least 2 of these days have a price. With fewer days, it is the latest price of the 200 days before the latest
    /// observation. Null if there is no such price.
    reference_price: Option<Money>,
    /// Number of daily prices that `reference_price` is computed from; null without a reference price.
    reference_days: Option<u32>,
    /// Lowest price of the 90 days before the latest observation; null if these days have no price.
    lowest_90: Option<Cents>,
    /// Whether the price is at most `lowest_90`; null if `lowest_90` is null.
    is_lowest_90: Option<bool>,
}

impl Endpoint for DealFinder {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Deal finder",
        summary: "Discounts in a category, compared with each listing's own past prices.",
        about: "Use it to find what is cheap in a category now, and to tell a real discount from a claimed one. \
                claimed_pct is the shop's discount against its list price; verified_pct compares with the listing's \
                own median price of the 90 days before, and is negative if the item has become more expensive. Sort by \
                verified_pct unless you want the claims. Only new items that are not out of stock are included. \
                verified_pct and reference_price are null if no earlier price is known, which neither confirms nor \
                refutes the deal. next_cursor is null on the last page.",
        methodology: &["deals"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER, &MIN_DISCOUNT_PCT, &SORT, &LIMIT, &CURSOR],
        examples: &[
            "category=food&country=ca&limit=5",
            "category=food&country=ca&sort=amount&min_discount_pct=30",
        ],
        rows: &["items"],
        highlights: &[
            "items.product_name",
            "items.verified_pct",
            "items.price",
            "items.reference_price",
            "items.retailer",
            "items.claimed_pct",
            "items.is_lowest_90",
        ],
        next: |answer| NextStep::history(answer, "items.product_uid"),
        heavy: true,
        ..Descriptor::of("/v1/shopper/deal-finder", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&CATEGORY]),
            min_discount_pct: reader.integer(&MIN_DISCOUNT_PCT).unwrap_or_default(),
            measure: reader.choice(&SORT, [Measure::Verified, Measure::Claimed, Measure::Amount]),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
            cursor: reader.position(&CURSOR),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, min_discount_pct, measure, cursor, limit } = params;
        Ok(Plan { scope: scope.resolve_priced(catalog)?, min_discount_pct, measure, cursor, limit })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let scope = plan.scope;
        let rows = scope.listings.rows(catalog);
        let found = rows
            .par_chunks(LISTINGS_PER_TASK)
            .map(|rows| DealSearch::among(catalog, rows, plan.measure, plan.min_discount_pct))
            .reduce(DealSearch::default, DealSearch::join);
        let (page, more) = best(found.deals, plan.cursor as usize, plan.limit as usize);
        let next_cursor = more.then(|| plan.cursor as u32 + plan.limit);
        Answer {
            head: scope.category_head(),
            candidates: found.candidates,
            without_reference: found.without_reference,
            items: page.iter().map(|deal| DealItem::of(catalog, deal.row)).collect(),
            next_cursor,
            has_more: more,
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, Span::of_rows(catalog, page.iter().map(|deal| deal.row))),
        }
    }
}

/// A listing with a sufficient discount.
#[derive(Debug, Clone, Copy)]
struct Deal {
    /// Figure by which the deals are ranked.
    size: Fraction,
    uid: u64,
    row: u32,
}

impl Deal {
    /// Orders by size, largest first, then by uid.
    fn order(a: &Self, b: &Self) -> Ordering {
        exact::compare(b.size, a.size).then(a.uid.cmp(&b.uid))
    }
}

/// Result of a search through listings.
#[derive(Debug, Default)]
struct DealSearch {
    candidates: u32,
    without_reference: u32,
    deals: Vec<Deal>,
}

impl DealSearch {
    fn among(catalog: &Catalog, rows: &[u32], measure: Measure, min_discount_pct: u32) -> Self {
        let mut found = Self::default();
        for &row in rows {
            let listing = catalog.listing(row);
            if !is_candidate(listing) {
                continue;
            }
            found.candidates += 1;
            let price = listing.price();
            let (has_reference, discount) = if measure == Measure::Verified {
                let least = least_reference(price, min_discount_pct);
                let (has_reference, past) = reference_price::of_at_least(catalog, row, least);
                (has_reference, past.and_then(|past| verified(price, past.price)))
            } else {
                (reference_price::exists(catalog, row), claimed(price, listing.list_price()))
            };
            found.without_reference += u32::from(!has_reference);
            let Some(discount) = discount.filter(|&discount| reaches(discount, min_discount_pct)) else {
                continue;
            };
            let size = if measure == Measure::Amount { (discount.0, 1) } else { discount };
            found.deals.push(Deal { size, uid: catalog.listings.product_uid[row as usize], row });
        }
        found
    }

    fn join(mut self, mut other: Self) -> Self {
        self.candidates += other.candidates;
        self.without_reference += other.without_reference;
        self.deals.append(&mut other.deals);
        self
    }
}

fn is_candidate(listing: Listing<'_>) -> bool {
    listing.is_priced() && listing.condition() == Condition::New && listing.in_stock() != Some(false)
}

/// Discount against a reference price, as a fraction of the reference price; `None` if the price is above it.
fn verified(price: Cents, (num, den): Fraction) -> Option<Fraction> {
    let saved = num.checked_sub(u64::from(price.get()) * u64::from(den))?;
    Some((saved, num as u32))
}

/// Discount against the list price, as a fraction of the list price; `None` without a plausible list price.
fn claimed(price: Cents, list_price: Option<Cents>) -> Option<Fraction> {
    let list_price = believed_list_price(price, list_price)?.get();
    Some((u64::from(list_price - price.get()), list_price))
}

/// Returns the lowest reference price, in whole cents, against which a price has at least the minimum discount.
fn least_reference(price: Cents, min_discount_pct: u32) -> u32 {
    let least = (100 * u64::from(price.get())).div_ceil(u64::from(100 - min_discount_pct));
    u32::try_from(least).unwrap_or(u32::MAX)
}

fn reaches((num, den): Fraction, pct: u32) -> bool {
    100 * num >= u64::from(pct) * u64::from(den)
}

/// Returns the deals at `cursor..cursor + limit` in rank order, and whether more deals follow.
fn best(mut deals: Vec<Deal>, cursor: usize, limit: usize) -> (Vec<Deal>, bool) {
    let end = cursor.saturating_add(limit);
    let more = end < deals.len();
    if more {
        deals.select_nth_unstable_by(end, Deal::order);
        deals.truncate(end);
    }
    if cursor >= deals.len() {
        return (Vec::new(), false);
    }
    deals.sort_unstable_by(Deal::order);
    (deals.split_off(cursor), more)
}

impl<'a> DealItem<'a> {
    fn of(catalog: &'a Catalog, row: u32) -> Self {
        let item = ListingItem::of(catalog, row);
        let Past { reference, lowest } = reference_price::of_listing(catalog, row);
        let price = item.price;
        let against = |(num, den): Fraction| {
            let (num, den) = (i128::from(num), i128::from(den));
            Percent::from_ratio(num - i128::from(price.get()) * den, num)
        };
        Self {
            claimed_pct: item.discount_pct,
            verified_pct: reference.map(|past| against(past.price)),
            reference_price: reference.map(|past| {
                let (num, den) = exact::rational(past.price);
                Money::from_ratio(num, den)
            }),
            reference_days: reference.map(|past| past.days),
            lowest_90: lowest.map(Cents::new),
            is_lowest_90: lowest.map(|lowest| price.get() <= lowest),
            item,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deals(sizes: &[(u64, u32)]) -> Vec<Deal> {
        let deal = |(at, &size): (usize, &Fraction)| Deal { size, uid: 90 - at as u64, row: at as u32 };
        sizes.iter().enumerate().map(deal).collect()
    }

    fn page(sizes: &[(u64, u32)], cursor: usize, limit: usize) -> (Vec<u32>, bool) {
        let (deals, more) = best(deals(sizes), cursor, limit);
        (deals.iter().map(|deal| deal.row).collect(), more)
    }

    #[test]
    fn deals_are_ordered_exactly() {
        let sizes = [(1, 3), (1, 2), (333_333_333, 1_000_000_000), (2, 6), (2, 3)];
        assert_eq!(page(&sizes, 0, 9), (vec![4, 1, 3, 0, 2], false), "equal ones by uid");
        assert_eq!(page(&sizes, 0, 2), (vec![4, 1], true));
        assert_eq!(page(&sizes, 2, 3), (vec![3, 0, 2], false));
        assert_eq!(page(&sizes, 5, 3), (vec![], false));
        assert_eq!(page(&[], 0, 3), (vec![], false));
    }

    #[test]
    fn discounts_are_fractions_of_what_they_are_held_against() {
        let cents = Cents::new;
        assert_eq!(verified(cents(100), (301, 2)), Some((101, 301)));
        assert_eq!(verified(cents(151), (301, 2)), None, "dearer than before");
        assert_eq!(claimed(cents(599), Some(cents(800))), Some((201, 800)));
        assert_eq!(claimed(cents(100), Some(cents(501))), None, "not believed");
        for (price, pct) in [(599, 25), (1, 95), (900, 10), (901, 10), (7, 0)] {
            let least = least_reference(cents(price), pct);
            let is_deal =
                |past: u32| verified(cents(price), (past.into(), 1)).is_some_and(|deal| reaches(deal, pct));
            assert!(is_deal(least) && !is_deal(least - 1), "{price} {pct}");
        }
        assert!(reaches((1, 10), 10) && !reaches((99, 1000), 10) && reaches((0, 7), 0));
    }
}
