//! The products that moved an index most.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::price_index::Mover;
use crate::catalog::Catalog;
use crate::query::item::NamedItem;
use crate::stats::exact::rational;
use crate::types::{Money, Percent, Percent4};

/// Maximum number of products listed in each direction.
const MOVERS_SHOWN: usize = 5;

/// The products that moved an index most.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexContributions")]
pub(super) struct Contributions<'a> {
    /// Number of products with a price in both the base and the last period.
    matched: u32,
    /// The five products whose price rose most.
    up: Vec<MoverRow<'a>>,
    /// The five products whose price fell most.
    down: Vec<MoverRow<'a>>,
}

/// A product that moved an index.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IndexContribution")]
struct MoverRow<'a> {
    #[serde(flatten)]
    item: NamedItem<'a>,
    /// Mean price in the base period, in currency.
    from_price: Money,
    /// Mean price in the last period, in currency.
    to_price: Money,
    /// Change from `from_price` to `to_price`, in percent.
    change_pct: Percent,
    /// Contribution of this change to the index: the contributions of all matched products add up to 100 ×
    /// ln(jevons_fixed).
    contribution_pct: Percent4,
}

/// Orders two price relatives that are both above 1 or both below 1. The relative that is farther from 1 comes first.
fn farther((a, b): (u64, u64), (c, d): (u64, u64)) -> Ordering {
    let (one, other) = (u128::from(a) * u128::from(d), u128::from(c) * u128::from(b));
    if a > b { other.cmp(&one) } else { one.cmp(&other) }
}

impl<'a> Contributions<'a> {
    /// Selects the products with the largest changes. `movers` are all products in both the base and the last period.
    pub(super) fn of(catalog: &'a Catalog, movers: &[Mover]) -> Self {
        let matched = movers.len();
        let uids = &catalog.listings.product_uid;
        let most = |side: Ordering| {
            let is_there = |mover: &&Mover| {
                let (num, den) = mover.relative();
                num.cmp(&den) == side
            };
            let mut side: Vec<Mover> = movers.iter().filter(is_there).copied().collect();
            let order = |one: &Mover, other: &Mover| {
                farther(one.relative(), other.relative())
                    .then_with(|| uids[one.row as usize].cmp(&uids[other.row as usize]))
            };
            if side.len() > MOVERS_SHOWN {
                side.select_nth_unstable_by(MOVERS_SHOWN, order);
                side.truncate(MOVERS_SHOWN);
            }
            side.sort_unstable_by(order);
            side.iter().map(|mover| MoverRow::of(catalog, mover, matched)).collect()
        };
        Self { matched: matched as u32, up: most(Ordering::Greater), down: most(Ordering::Less) }
    }
}

impl<'a> MoverRow<'a> {
    fn of(catalog: &'a Catalog, mover: &Mover, matched: usize) -> Self {
        let money = |fraction| {
            let (num, den) = rational(fraction);
            Money::from_ratio(num, den)
        };
        let (num, den) = mover.relative();
        Self {
            item: NamedItem::of(catalog, mover.row),
            from_price: money(mover.from),
            to_price: money(mover.to),
            change_pct: Percent::from_ratio(i128::from(num) - i128::from(den), den.into()),
            contribution_pct: Percent4::from_f64(100.0 * (num as f64 / den as f64).ln() / matched as f64),
        }
    }
}
