//! `GET /v1/analyst/price-dispersion`: the spread of current prices, over a category and for the same product.
//!
//! For the spread of the same product, the lowest prices of the retailers are compared.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::new_prices::NewPrices;
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::Reader;
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::stats::mean_of_ratios::PERCENT_UNITS;
use crate::stats::quantile::quantile_by;
use crate::stats::spreads::Spreads;
use crate::types::{Money, Percent, Ratio4};

/// Minimum number of products for a spread.
const PRODUCTS_MIN: usize = 5;
/// Number of bins of the histogram.
const BINS: usize = 8;

/// The endpoint.
pub(super) struct PriceDispersion;

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    prices: NewPrices,
}

/// Answer of price-dispersion.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    #[serde(flatten)]
    head: CategoryHead,
    /// Number of listings of condition new with a price of the last 90 days. Every figure is based on their current
    /// prices.
    products: u32,
    /// Arithmetic mean of the prices, in currency.
    mean: Money,
    /// Median of the prices, in currency.
    median: Money,
    /// Sample standard deviation of the prices, in currency.
    std_dev: Money,
    /// Standard deviation divided by mean: 0.5 means that the standard deviation is half the mean.
    coefficient_of_variation: Ratio4,
    /// Quantiles of the prices, in currency.
    percentiles: Percentiles,
    /// Distance from p25 to p75, divided by p50: a measure of spread that single extreme prices do not affect.
    iqr_to_median: Ratio4,
    /// Eight bins of equal width from the 1 % to the 99 % quantile, the cheapest first. A price on an inner edge
    /// belongs to the upper bin. Prices outside the range are counted in the first and the last bin.
    histogram: Vec<Bin>,
    /// Spread of the same product across retailers; null if no product is sold by two retailers.
    cross_retailer: Option<CrossRetailer>,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Quantiles, interpolated linearly between the prices around them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PricePercentiles")]
struct Percentiles {
    /// 5 % quantile: 5 % of the prices are at or below it.
    p05: Money,
    /// 10 % quantile: 10 % of the prices are at or below it.
    p10: Money,
    /// 25 % quantile: 25 % of the prices are at or below it.
    p25: Money,
    /// 50 % quantile, the median: 50 % of the prices are at or below it.
    p50: Money,
    /// 75 % quantile: 75 % of the prices are at or below it.
    p75: Money,
    /// 90 % quantile: 90 % of the prices are at or below it.
    p90: Money,
    /// 95 % quantile: 95 % of the prices are at or below it.
    p95: Money,
}

/// A bin of the histogram.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HistogramBin")]
struct Bin {
    /// Lower edge of the bin, in currency.
    from: Money,
    /// Upper edge of the bin, in currency.
    to: Money,
    /// Number of products in the bin.
    count: u32,
}

impl Endpoint for PriceDispersion {
    type Params = ScopeParams;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price dispersion",
        summary: "The spread of current prices, over a category and for the same product across retailers.",
        about: "Use it to learn how far the prices of a category spread, and how much buyers save by comparing: \
                cross_retailer measures the same products at several retailers, and is null if no product is sold by \
                two. The other figures cover all new products of the category with a current price, at least 5; for \
                price tiers use price-bands. Prices below the 1 % and above the 99 % quantile are counted in the \
                outer bins of the histogram. Give category, department or both.",
        methodology: &["dispersion"],
        params: &[&CATEGORY, &DEPARTMENT, &COUNTRY, &RETAILER],
        examples: &["category=food&country=ca", "category=memory"],
        rows: &["histogram"],
        pictures: &[Picture { rows: "histogram", kind: "dispersion", title: "Products by price" }],
        highlights: &["median"],
        next: |answer| NextStep::about_category("deal-finder", answer),
        ..Descriptor::of("/v1/analyst/price-dispersion", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        ScopeParams::read::<Self>(reader, &[])
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<Plan, Refusal> {
        let scope = params.resolve_priced(catalog)?;
        let prices = NewPrices::of(catalog, &scope.listings);
        let products = prices.cents(catalog).len();
        if products < PRODUCTS_MIN {
            let message = format!(
                "this scope has {products} new products with a price of the last 90 days; a spread needs \
                 {PRODUCTS_MIN}"
            );
            return Err(Refusal::no_results(NoResultsReason::TooFewProducts, message));
        }
        Ok(Plan { scope, prices })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, prices } = plan;
        let cents = prices.cents(catalog);
        let moments = Moments::of(cents);
        let quantile = |p| quantile_by(cents.len(), p, |rank| f64::from(cents[rank]));
        let money = |p| Money::from_cents_f64(quantile(p));
        Answer {
            head: scope.category_head(),
            products: cents.len() as u32,
            mean: Money::from_ratio(moments.sum, moments.len),
            median: median(cents),
            std_dev: Money::from_cents_f64(moments.deviation()),
            coefficient_of_variation: Ratio4::from_f64(moments.deviation() / moments.mean()),
            percentiles: Percentiles {
                p05: money(0.05),
                p10: money(0.1),
                p25: money(0.25),
                p50: money(0.5),
                p75: money(0.75),
                p90: money(0.9),
                p95: money(0.95),
            },
            iqr_to_median: Ratio4::from_f64((quantile(0.75) - quantile(0.25)) / quantile(0.5)),
            histogram: histogram(cents, quantile(0.01), quantile(0.99)),
            cross_retailer: CrossRetailer::of(&prices.spreads(catalog)),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, prices.observed(catalog)),
        }
    }
}

/// Sums of prices. Mean and deviation are computed from them without cancellation.
struct Moments {
    len: i128,
    sum: i128,
    squares: i128,
}

impl Moments {
    fn of(cents: &[u32]) -> Self {
        // The low and high halves of the squares are summed separately, so that 64 bits suffice for any number of
        // listings.
        let (mut sum, mut low, mut high) = (0_u64, 0_u64, 0_u64);
        for &price in cents {
            let square = u64::from(price).pow(2);
            sum += u64::from(price);
            low += square & u64::from(u32::MAX);
            high += square >> u32::BITS;
        }
        let squares = (i128::from(high) << u32::BITS) + i128::from(low);
        Self { len: cents.len() as i128, sum: sum.into(), squares }
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.len as f64
    }

    /// Sample standard deviation. Requires two prices.
    fn deviation(&self) -> f64 {
        let scaled = self.len * self.squares - self.sum * self.sum;
        (scaled as f64 / (self.len * (self.len - 1)) as f64).sqrt()
    }
}

/// Exact median of ascending prices. Requires one price.
fn median(cents: &[u32]) -> Money {
    let (low, high) = (cents[(cents.len() - 1) / 2], cents[cents.len() / 2]);
    Money::from_ratio(i128::from(low) + i128::from(high), 2)
}

/// Counts ascending prices in bins of equal width between two quantiles.
fn histogram(cents: &[u32], low: f64, high: f64) -> Vec<Bin> {
    let edge = |bin: usize| low + (high - low) * bin as f64 / BINS as f64;
    let below = |bin: usize| match bin {
        0 => 0,
        BINS => cents.len(),
        _ => cents.partition_point(|&price| f64::from(price) < edge(bin)),
    };
    let bin = |at: usize| Bin {
        from: Money::from_cents_f64(edge(at)),
        to: Money::from_cents_f64(edge(at + 1)),
        count: (below(at + 1) - below(at)) as u32,
    };
    (0..BINS).map(bin).collect()
}

/// Spread of the same product across retailers. The lowest price of each retailer counts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CrossRetailerSpread")]
struct CrossRetailer {
    /// Number of products that two or more retailers sell.
    entities: u32,
    /// Median over products of (highest − lowest) / lowest, in percent.
    median_spread_pct: Percent,
    /// 90 % quantile over products of (highest − lowest) / lowest, in percent.
    p90_spread_pct: Percent,
    /// Mean over products of the distance from the lowest to the second-lowest price, in percent of the lowest.
    mean_gap_to_second_pct: Percent,
    /// Mean over products of the amount by which the lowest price is below the mean of all retailers' prices, in
    /// currency.
    mean_saving: Money,
}

impl CrossRetailer {
    /// Creates the block from the spreads of products; `None` if no product is sold by two retailers.
    fn of(spreads: &Spreads<'_>) -> Option<Self> {
        let (num, den) = spreads.median()?;
        let (gap, gap_den) = spreads.gaps.ratio(PERCENT_UNITS)?;
        let (saving, saving_den) = spreads.savings.ratio()?;
        Some(Self {
            entities: spreads.len() as u32,
            median_spread_pct: Percent::from_ratio(num, den),
            p90_spread_pct: Percent::from_f64(100.0 * spreads.quantile(0.9)?),
            mean_gap_to_second_pct: Percent::from_ratio(gap, gap_den),
            mean_saving: Money::from_ratio(saving, saving_den),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::spreads::SellerPrice;

    fn counts(cents: &[u32], low: f64, high: f64) -> Vec<u32> {
        histogram(cents, low, high).iter().map(|bin| bin.count).collect()
    }

    #[test]
    fn bins_take_their_lower_edge_and_the_ends_what_lies_outside() {
        let cents = [50, 100, 199, 200, 300, 899, 900, 2000];
        assert_eq!(counts(&cents, 100.0, 900.0), [3, 1, 1, 0, 0, 0, 0, 3]);
        assert_eq!(counts(&[5, 100, 100, 100, 300], 100.0, 100.0), [1, 0, 0, 0, 0, 0, 0, 4]);
    }

    #[test]
    fn moments_by_hand() {
        let moments = Moments::of(&[200, 400, 400, 400, 500, 500, 700, 900]);
        assert!((moments.mean() - 500.0).abs() < 1e-12);
        assert!((moments.deviation() - (320_000.0_f64 / 7.0).sqrt()).abs() < 1e-9);
        let large = Moments::of(&[u32::MAX; 3]);
        assert_eq!(large.squares, 3 * i128::from(u32::MAX).pow(2));
        assert_eq!(median(&[1, 2, 5]).get(), 2);
        assert_eq!(median(&[1, 2]).get(), 2);
    }

    #[test]
    fn retailers_are_compared_product_by_product() {
        let offers = [(1, 0, 100), (1, 1, 150), (2, 0, 200), (2, 1, 300), (2, 2, 400), (3, 0, 7)];
        let offers = offers.map(|(product, seller, cents)| SellerPrice { product, cents, seller });
        let cross = CrossRetailer::of(&Spreads::of(offers.to_vec())).unwrap();
        assert_eq!((cross.entities, cross.median_spread_pct.get()), (2, 7500));
        assert_eq!((cross.p90_spread_pct.get(), cross.mean_gap_to_second_pct.get()), (9500, 5000));
        // (25 + 100) / 2 = 62.5 cents, rounded half up.
        assert_eq!(cross.mean_saving.get(), 63);
        assert!(CrossRetailer::of(&Spreads::of(Vec::new())).is_none());
    }
}
