//! `GET /v1/marketing/price-positioning`: the position of a brand or a retailer among the prices of a category.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::new_prices::NewPrices;
use crate::analytics::positioning::{self, Centre, Matched, PRODUCTS_MIN, UnitPrices};
use crate::analytics::price_level::matched::PAIRS_MIN;
use crate::analytics::price_tiers::PriceLadder;
use crate::analytics::scope::Scope;
use crate::catalog::Catalog;
use crate::lang::pack::Per;
use crate::query::brand::BRAND;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{BadParameter, Reader};
use crate::query::parts::{Meta, Note, NoteReason};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::subject::Subject as Quoted;
use crate::stats::bands::{tier_edges, tier_names, tier_of};
use crate::stats::exact::Rational;
use crate::types::{Money, Money4, Percent, Ratio4};

/// The endpoint.
pub(super) struct PricePositioning;

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    /// Rows of the subject, ascending.
    rows: Vec<u32>,
}

/// Subject that is compared with its category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PositioningSubject")]
enum Subject {
    /// A brand, compared with the category.
    Brand,
    /// A retailer, compared with the category.
    Retailer,
    /// A brand at a retailer, compared with that retailer's part of the category.
    BrandAtRetailer,
}

/// Answer of price-positioning. Products are listings of condition new with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// Display label of the requested brand; null if all were requested.
    brand: Option<&'a str>,
    /// How the category was understood.
    resolved: Resolved,
    /// Subject that is compared with its category.
    subject: Subject,
    /// Number of products of the subject.
    products: u32,
    /// Number of products that the subject is compared with, including its own products.
    category_products: u32,
    /// Mean price of the products that the subject is compared with.
    category_avg_price: Money,
    /// Median price of the products that the subject is compared with.
    category_median_price: Money,
    /// Mean price of the subject; null for fewer than 3 products.
    avg_price: Option<Money>,
    /// Median price of the subject; null for fewer than 3 products.
    median_price: Option<Money>,
    /// avg_price divided by category_avg_price; above 1 means more expensive. It compares assortments, including pack
    /// sizes; matched_index compares prices. Null if the subject has fewer than 3 products or the category has no
    /// other products.
    price_index: Option<Ratio4>,
    /// median_price divided by category_median_price; null if the subject has fewer than 3 products or the category
    /// has no other products.
    median_index: Option<Ratio4>,
    /// Share of the category's prices below the subject's median, in percent. Prices equal to the median count half.
    /// Null if the subject has fewer than 3 products or the category has no other products.
    category_percentile: Option<Percent>,
    /// Name of the tier that contains the subject's median price; null if the subject has fewer than 3 products or the
    /// category has no tiers.
    tier: Option<&'static str>,
    /// Distribution of subject and category over the tiers of price-bands; null if the category has no tiers.
    tier_mix: Option<Vec<TierShare>>,
    /// Price level of the retailer for products that other retailers sell too, matched by barcode: the geometric mean
    /// of one ratio per product. The ratio is the retailer's lowest price divided by the geometric mean of the other
    /// retailers' lowest prices. Null for fewer than 10 products, and if no retailer was requested.
    matched_index: Option<Ratio4>,
    /// Number of products that matched_index is computed from; null if no retailer was requested.
    matched_pairs: Option<u32>,
    /// 95 % confidence interval of matched_index, low and high; null if matched_index is null.
    matched_ci95: Option<[Ratio4; 2]>,
    /// Prices per unit of measure, for each unit with a price for at least 3 products of the subject. Units with the
    /// most products come first.
    unit_prices: Vec<UnitRow>,
    /// Reasons why figures are null; empty if no figure is null.
    notes: Vec<Note>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// A price tier, with its share of the products of the subject and of the category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TierShare")]
struct TierShare {
    /// Name of the tier: entry, value, mid, premium or luxury. If there are fewer than five tiers, the last names are
    /// used: three tiers are mid, premium and luxury. A single tier is mid.
    name: &'static str,
    /// Lower edge of the tier: only prices above this edge belong to the tier. 0 for the first tier.
    from: Money,
    /// Highest price that belongs to the tier; null for the last tier.
    to: Option<Money>,
    /// Number of products of the subject (the requested brand or retailer) in the tier.
    products: u32,
    /// Share of the subject's products that are in the tier, in percent.
    share_pct: Percent,
    /// Share of the category's products that are in the tier, in percent.
    category_share_pct: Percent,
}

/// Prices per unit of measure, of a subject and of its category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnitPricePosition")]
struct UnitRow {
    /// Unit of the prices.
    per: Per,
    /// Number of products of the subject with a price per this unit.
    products: u32,
    /// Median of these prices, in currency.
    median: Money4,
    /// Number of products of the category with a price per this unit.
    category_products: u32,
    /// Median of these prices, in currency.
    category_median: Money4,
    /// median divided by category_median; above 1 means that the subject is more expensive.
    index: Ratio4,
}

impl Endpoint for PricePositioning {
    type Params = ScopeParams;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price positioning",
        summary: "The position of a brand or a retailer among the prices of a category.",
        about: "Use it to see whether a brand or a retailer is cheap or expensive in a category: mean and median \
                against the category's, its percentile, its tiers and its prices per unit. If both are given, the \
                brand is compared with the products of that retailer. price_index compares assortments, so larger \
                packs raise it; matched_index compares a retailer's prices of the same products with others', by \
                barcode, and is null below 10 of them. Every null has its reason in notes.",
        methodology: &["price-positioning"],
        params: &[&CATEGORY, &COUNTRY, &BRAND, &RETAILER],
        examples: &["category=memory&brand=corsair", "category=food&country=ca&retailer=walmart"],
        rows: &["tier_mix"],
        heavy: true,
        highlights: &["tier", "median_index"],
        ..Descriptor::of("/v1/marketing/price-positioning", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> ScopeParams {
        let params = ScopeParams::read::<Self>(reader, &[&CATEGORY]);
        if !reader.was_given(&BRAND) && !reader.was_given(&RETAILER) {
            reader.reject(BadParameter::new(BRAND.name, "give brand or retailer, or both"));
        }
        params
    }

    fn resolve(catalog: &Catalog, params: ScopeParams) -> Result<Plan, Refusal> {
        let scope = params.resolve(catalog)?;
        let mut rows = scope.branded_rows(catalog)?;
        rows.retain(|&row| positioning::is_new(catalog, row));
        if rows.is_empty() {
            let message = "this brand or retailer does not have a new product with a price of the last 90 days in the \
                           category";
            return Err(Refusal::no_results(NoResultsReason::TooFewProducts, message));
        }
        Ok(Plan { scope, rows })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Quoted {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, rows } = plan;
        let everywhere = Scope { retailer: None, ..scope.listings };
        // A brand at a retailer is compared with that retailer's part of the category.
        let pool = if scope.brand.is_some() { scope.listings } else { everywhere };
        let pool = NewPrices::of(catalog, &pool);
        let all = pool.cents(catalog);
        let mut own: Vec<u32> =
            rows.iter().map(|&row| catalog.listings.current_price[row as usize]).collect();
        own.sort_unstable();
        let money = |(num, den): Rational| Money::from_ratio(num, den);
        let ratio = |(num, den): Rational| Ratio4::from_ratio(num, den);
        let centre = Centre::of(&own).filter(|_| own.len() >= PRODUCTS_MIN);
        let category = Centre::of(all);
        let compared = centre.zip(category).filter(|_| own.len() < all.len());
        let whole = NewPrices::of(catalog, &everywhere);
        let ladder = PriceLadder::of(catalog, &everywhere, &whole).ok();
        let edges = ladder.as_ref().map(|ladder| tier_edges(whole.cents(catalog), &ladder.boundaries()));
        let retailer = scope.listings.retailer;
        let matched = retailer.map(|platform| Matched::of(catalog, everywhere.country, platform, &rows));
        let index = matched.and_then(|matched| matched.index);
        let tier = centre.zip(edges.as_ref()).map(|(centre, edges)| {
            let (num, den) = centre.median;
            // The median is rounded up, because half a cent above an edge belongs to the next tier.
            let cents = (num + den - 1) / den;
            tier_names(edges.len() + 1)[tier_of(edges, cents as u32)]
        });
        let units = UnitPrices::of(catalog, &rows, &pool.rows(catalog));
        Answer {
            head: scope.head(),
            brand: scope.brand_label(catalog),
            subject: match (scope.brand, retailer) {
                (Some(_), None) => Subject::Brand,
                (None, _) => Subject::Retailer,
                (Some(_), Some(_)) => Subject::BrandAtRetailer,
            },
            products: own.len() as u32,
            category_products: all.len() as u32,
            category_avg_price: category.map(|category| money(category.mean)).unwrap_or_default(),
            category_median_price: category.map(|category| money(category.median)).unwrap_or_default(),
            avg_price: centre.map(|centre| money(centre.mean)),
            median_price: centre.map(|centre| money(centre.median)),
            price_index: compared
                .map(|(own, category)| ratio(positioning::quotient(own.mean, category.mean))),
            median_index: compared
                .map(|(own, category)| ratio(positioning::quotient(own.median, category.median))),
            category_percentile: compared.map(|(own, _)| {
                let (num, den) = positioning::percentile(all, own.median);
                Percent::from_ratio(num, den)
            }),
            tier,
            tier_mix: edges.as_ref().map(|edges| tier_mix(edges, &own, all)),
            matched_index: index.map(|(index, _)| Ratio4::from_f64(index)),
            matched_pairs: matched.map(|matched| matched.pairs),
            matched_ci95: index.map(|(_, ends)| ends.map(Ratio4::from_f64)),
            unit_prices: units.iter().map(UnitRow::of).collect(),
            notes: notes(own.len(), all.len(), edges.is_some(), matched),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, pool.observed(catalog)),
        }
    }
}

/// Returns the tiers between the edges, with the numbers and shares of the subject's prices and of all prices in each
/// tier. Both lists of prices must be ascending.
fn tier_mix(edges: &[u32], own: &[u32], all: &[u32]) -> Vec<TierShare> {
    let within = |cents: &[u32], at: usize| {
        let upto =
            |at: usize| edges.get(at).map_or(cents.len(), |&edge| cents.partition_point(|&c| c <= edge));
        (upto(at) - at.checked_sub(1).map_or(0, upto)) as u32
    };
    let edge = |at: usize| edges.get(at).map(|&edge| Money::new(edge.into()));
    let share = |cents: &[u32], at| Percent::from_ratio(within(cents, at).into(), cents.len() as i128);
    let tier = |(at, &name): (usize, &&'static str)| TierShare {
        name,
        from: at.checked_sub(1).and_then(edge).unwrap_or_default(),
        to: edge(at),
        products: within(own, at),
        share_pct: share(own, at),
        category_share_pct: share(all, at),
    };
    tier_names(edges.len() + 1).iter().enumerate().map(tier).collect()
}

/// Returns the reasons why figures are null.
fn notes(own: usize, all: usize, has_ladder: bool, matched: Option<Matched>) -> Vec<Note> {
    let index = if own < PRODUCTS_MIN {
        Some(Note::too_few("price_index", own, PRODUCTS_MIN))
    } else {
        (own == all).then(|| Note::because("price_index", NoteReason::NoPeer))
    };
    let tier = (!has_ladder).then(|| Note::because("tier", NoteReason::NoLadder));
    let matched = match matched {
        None => Some(Note::because("matched_index", NoteReason::NeedsRetailer)),
        Some(Matched { index: Some(_), .. }) => None,
        Some(Matched { pairs, .. }) => {
            Some(Note::too_few("matched_index", pairs as usize, PAIRS_MIN as usize))
        }
    };
    [index, tier, matched].into_iter().flatten().collect()
}

impl UnitRow {
    fn of(unit: &UnitPrices) -> Self {
        let UnitPrices { per, products, median, category_products, category_median } = *unit;
        Self {
            per,
            products,
            median: Money4::from_f64(median / 100.0),
            category_products,
            category_median: Money4::from_f64(category_median / 100.0),
            index: Ratio4::from_f64(median / category_median),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_when_peers_are_missing() {
        let reasons = |own, all, matched| -> Vec<(&str, NoteReason)> {
            notes(own, all, true, matched).iter().map(|note| (note.field, note.reason)).collect()
        };
        let matched = |pairs, index| Some(Matched { pairs, index });
        assert_eq!(
            reasons(9, 9, matched(12, Some((1.0, [0.9, 1.1])))),
            [("price_index", NoteReason::NoPeer)]
        );
        assert_eq!(
            reasons(2, 2, matched(9, None)),
            [("price_index", NoteReason::TooFew), ("matched_index", NoteReason::TooFew)]
        );
        assert_eq!(reasons(5, 9, None), [("matched_index", NoteReason::NeedsRetailer)]);
    }
}
