//! `GET /v1/analyst/price-bands`: the range of similar prices in a category, and the price tiers of the category.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::category_scope::{self, CategoryScope};
use crate::analytics::new_prices::NewPrices;
use crate::analytics::price_tiers::{NoLadder, PRODUCTS_MIN, PriceLadder};
use crate::analytics::scope::Scope;
use crate::catalog::{Catalog, GpcLevel, Level};
use crate::lang::brand::brand_key;
use crate::query::category::{CATEGORY, NODE, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::Meta;
use crate::query::product_params::COUNTRY;
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{Market, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;
use crate::stats::bands::{tier_edges, tier_names, tier_of};
use crate::types::{Money, Percent};

static BRAND: Param = Param {
    name: "brand",
    kind: Kind::Text,
    about: "A brand, in any spelling; adds the number of its products to each tier, 0 for an unknown brand.",
};

/// The endpoint.
pub(super) struct PriceBands;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    brand: Option<String>,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    brand: Option<String>,
    prices: NewPrices,
    ladder: PriceLadder,
}

/// Answer of price-bands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Slug path of the category, or the classification code.
    node: String,
    /// Level of the node. A category is a root, department, category or shelf; a shelf has no subcategories. A
    /// classification code is a segment, family, class or brick.
    level: NodeLevel,
    #[serde(flatten)]
    market: Market,
    /// Number of listings of condition new with a price of the last 90 days. Every figure is based on their current
    /// prices.
    products: u32,
    /// Range of the prices in the requested category.
    price_range: PriceRange,
    /// Width of the range of prices that count as similar.
    band: Band,
    /// Tiers with about equal numbers of products, the cheapest first: at most five, fewer if many products share a
    /// price.
    tiers: Vec<Tier>,
    /// How the node was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Level of a node in its hierarchy.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum NodeLevel {
    /// Level of a category.
    Category(Level),
    /// Level of a classification code.
    Code(GpcLevel),
}

/// Quantiles of the prices in the requested category, computed on the logarithms of the prices.
#[derive(Debug, Serialize, JsonSchema)]
struct PriceRange {
    /// 5 % quantile: 5 % of the prices are at or below it.
    p05: Money,
    /// Median price: half of the prices are at or below it.
    median: Money,
    /// 95 % quantile: 95 % of the prices are at or below it.
    p95: Money,
}

/// The band of similar prices around any price in the category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceBand")]
struct Band {
    /// Half width h of the band, in percent. The band extends from price / (1 + h) to price × (1 + h). h is half a
    /// robust standard deviation of the logarithms of the prices, limited to the range 5 to 100.
    half_width_pct: Percent,
    /// Whether the half width was limited to 5 or to 100.
    clamped: bool,
    /// The band around the median price of the category.
    example: Example,
    /// Source of the band if the category itself has too few products or no spread of prices: `type:` and the title of
    /// the product type, or the slug path or code of an ancestor. Null if the band was measured on the category
    /// itself.
    inherited_from: Option<String>,
}

/// A band around a price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceBandExample")]
struct Example {
    /// Median price of the category, in currency.
    price: Money,
    /// Lowest similar price.
    lower: Money,
    /// Highest similar price.
    upper: Money,
}

/// A price tier.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceTier")]
struct Tier {
    /// Name of the tier: entry, value, mid, premium or luxury. If there are fewer than five tiers, the last names are
    /// used: three tiers are mid, premium and luxury. A single tier is mid.
    name: &'static str,
    /// Highest price that belongs to the tier; null for the last tier.
    upper_bound: Option<Money>,
    /// Lower edge of the tier: only prices above this edge belong to the tier. 0 for the first tier.
    from: Money,
    /// Upper edge of the tier, equal to `upper_bound`; null for the last tier.
    to: Option<Money>,
    /// Number of products in the tier.
    products: u32,
    /// Number of the brand's products in the tier; absent if no brand was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    brand_products: Option<u32>,
}

impl Endpoint for PriceBands {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price bands",
        summary: "The range of similar prices in a category, and the price tiers of the category.",
        about: "Use it to learn what entry, mid and premium mean on a shelf, and which prices count as similar. \
                tiers have about equal numbers of products, the cheapest first; with brand, each also counts that \
                brand's products. half_width_pct is the distance from a price within which other prices compete with \
                it. inherited_from is null if the band was measured on the shelf itself; otherwise the shelf has too \
                few products, and the field names the source. upper_bound is null for the most expensive tier, which \
                is open. brand_products is absent without brand.",
        methodology: &["price-bands"],
        params: &[&CATEGORY, &NODE, &COUNTRY, &BRAND],
        examples: &["category=memory&brand=corsair", "node=wine&country=ca"],
        rows: &["tiers"],
        pictures: &[Picture {
            rows: "tiers",
            kind: "price-bands",
            title: "Price tiers, on a logarithmic scale",
        }],
        highlights: &["price_range.median", "tiers.name", "tiers.from", "tiers.to", "tiers.products"],
        next: |answer| NextStep::about_category("competitive-landscape", answer),
        ..Descriptor::of("/v1/analyst/price-bands", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params { scope: ScopeParams::read::<Self>(reader, &[]), brand: reader.text(&BRAND) }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, brand } = params;
        let scope = scope.resolve_priced(catalog)?;
        let prices = NewPrices::of(catalog, &scope.listings);
        let refused = |message| Refusal::no_results(NoResultsReason::TooFewProducts, message);
        let ladder = PriceLadder::of(catalog, &scope.listings, &prices).map_err(|fault| match fault {
            NoLadder::NoProduct => {
                refused("this shelf has no new product with a price of the last 90 days".into())
            }
            NoLadder::NoSpread => {
                let products = prices.cents(catalog).len();
                refused(format!(
                    "a price band needs {PRODUCTS_MIN} new products with different prices; this shelf has {products}, \
                     and neither its product type nor an ancestor has enough"
                ))
            }
        })?;
        Ok(Plan { scope, brand, prices, ladder })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Plan { scope, brand, prices, ladder } = plan;
        let (own, half_width, boundaries) = (ladder.own, ladder.half_width(), ladder.boundaries());
        let (lower, upper) = half_width.around(own.median);
        let money = Money::from_cents_f64;
        let cents = prices.cents(catalog);
        Answer {
            node: category_scope::slug_of(catalog, scope.listings.category_scope),
            level: level(catalog, &scope.listings),
            market: scope.market(),
            products: cents.len() as u32,
            price_range: PriceRange { p05: money(own.p05), median: money(own.median), p95: money(own.p95) },
            band: Band {
                half_width_pct: Percent::from_f64(half_width.pct),
                clamped: half_width.clamped,
                example: Example { price: money(own.median), lower: money(lower), upper: money(upper) },
                inherited_from: ladder.inherited_from(),
            },
            tiers: tiers(cents, &boundaries, brand.map(|brand| of_brand(catalog, &prices, &brand))),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, prices.observed(catalog)),
        }
    }
}

fn level(catalog: &Catalog, scope: &Scope) -> NodeLevel {
    match scope.category_scope {
        CategoryScope::Category(node) => NodeLevel::Category(catalog.taxonomy.level(scope.country, node)),
        CategoryScope::Code { node, .. } => {
            let level = catalog.classification.as_ref().map(|gpc| gpc.level(node));
            NodeLevel::Code(level.unwrap_or(GpcLevel::Brick))
        }
    }
}

/// Returns the prices in cents of a brand's products, in any order; empty for an unknown brand.
fn of_brand(catalog: &Catalog, prices: &NewPrices, brand: &str) -> Vec<u32> {
    let key = brand_key(brand);
    let known = catalog.brands.iter().position(|brand| Some(&brand.key) == key.as_ref());
    known.map_or_else(Vec::new, |known| prices.of_brand(catalog, known as u32))
}

/// Returns the tiers into which the boundaries divide the prices, which must be ascending. If the prices of a brand
/// are given, they are counted in each tier.
fn tiers(cents: &[u32], boundaries: &[f64], brand: Option<Vec<u32>>) -> Vec<Tier> {
    let edges = tier_edges(cents, boundaries);
    let upto = |at: usize| edges.get(at).map_or(cents.len(), |&edge| cents.partition_point(|&c| c <= edge));
    let products = |at: usize| upto(at) - at.checked_sub(1).map_or(0, upto);
    let brand = brand.map(|prices| {
        let mut counts = vec![0; edges.len() + 1];
        for price in prices {
            counts[tier_of(&edges, price)] += 1;
        }
        counts
    });
    let edge = |at: usize| edges.get(at).map(|&edge| Money::new(edge.into()));
    let tier = |(at, &name): (usize, &&'static str)| Tier {
        name,
        upper_bound: edge(at),
        from: at.checked_sub(1).and_then(edge).unwrap_or_default(),
        to: edge(at),
        products: products(at) as u32,
        brand_products: brand.as_ref().map(|counts| counts[at]),
    };
    tier_names(edges.len() + 1).iter().enumerate().map(tier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_meet_at_their_edges() {
        let cents = [100, 200, 300, 400, 500, 500, 500, 600];
        let tiers = tiers(&cents, &[150.0, 299.6, 500.0, 500.2], Some(vec![100, 500, 600]));
        let seen: Vec<_> = tiers
            .iter()
            .map(|tier| {
                (tier.name, tier.from.get(), tier.to.map(Money::get), tier.products, tier.brand_products)
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("value", 0, Some(150), 1, Some(1)),
                ("mid", 150, Some(300), 2, Some(0)),
                ("premium", 300, Some(500), 4, Some(1)),
                ("luxury", 500, None, 1, Some(1)),
            ]
        );
    }

    #[test]
    fn one_price_is_one_tier() {
        let tiers = tiers(&[500; 40], &[500.0; 4], None);
        assert_eq!((tiers.len(), tiers[0].name, tiers[0].products), (1, "mid", 40));
        assert_eq!((tiers[0].from.get(), tiers[0].to, tiers[0].brand_products), (0, None, None));
    }
}
