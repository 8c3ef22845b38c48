//! `GET /v1/marketing/retailer-assortment`: a retailer's assortment in a category, compared with other retailers, and
//! its changes.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::assortment::{AssortmentOverlap, Churn, Gap, SharingRetailer};
use crate::analytics::scope::Scope;
use crate::analytics::{counts, latest};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Amount, Meta, Note, NoteReason, WindowBlock};
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{CategoryNames, Market, ResolvedScope, ScopeParams};
use crate::query::shares::{self, BrandShare};
use crate::query::subject::Subject;
use crate::query::windows::{FROM, TIME_WINDOW, TO};
use crate::types::{Cents, Day, EntityUid, Granularity, Money, Percent, ProductUid, Ratio4};

/// Maximum number of brands listed in the answer.
const BRANDS_LISTED: usize = 10;
/// Maximum number of other retailers listed in the answer.
const PEERS_LISTED: usize = 20;
/// Minimum number of barcoded products for a count of exclusive products.
const BARCODED_MIN: u32 = 5;
/// Minimum number of listings in the window for a report of changes, as a share of the listings in the preceding
/// window, in ten-thousandths.
const WITHIN_MIN: Ratio4 = Ratio4::new(5_000);

static MIN_RETAILERS: Param = Param {
    name: "min_retailers",
    kind: Kind::Integer { min: 1, max: 10, default: Some(2) },
    about: "Minimum number of retailers that sell a product for it to count as a gap.",
};
static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: 50, default: Some(10) },
    about: "Maximum number of rows in each of gaps, new_items and delisted_items.",
};

/// The endpoint.
pub(super) struct RetailerAssortment;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    min_retailers: u32,
    limit: u32,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    own: u16,
    min_retailers: u32,
    limit: usize,
}

/// Answer of retailer-assortment. Products are listings with a price of the last 90 days.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    market: Market,
    #[serde(flatten)]
    category: CategoryNames,
    /// Key of the requested retailer.
    retailer: String,
    /// How the category was understood.
    resolved: Resolved,
    /// The days that churn covers.
    window: WindowBlock,
    /// Number of products of the retailer.
    products: u32,
    /// Number of entities among these products: products of several retailers that share a barcode are one entity.
    entities: u32,
    /// Number of products of all retailers in the category.
    category_products: u32,
    /// Share of the retailer's products among the products of all retailers in the category, in percent.
    share_pct: Percent,
    /// Number of brands of the retailer.
    brand_count: u32,
    /// The ten largest brands of the retailer, most products first, then by label.
    brands: Vec<BrandShare<'a>>,
    /// Number of different products of the retailer with a usable barcode. Only these can be compared.
    barcoded_entities: u32,
    /// Share of the retailer's products that have a usable barcode, 0 to 1.
    barcode_coverage: Ratio4,
    /// Number of barcoded products that no other retailer sells; null for fewer than 5 barcoded products, or if there
    /// is no other retailer to compare with.
    exclusive_entities: Option<u32>,
    /// Exclusive products in percent of the barcoded products; null if exclusive_entities is null.
    exclusive_pct: Option<Percent>,
    /// Number of other retailers that have barcoded products in the category, or that share barcoded products with
    /// this retailer.
    overlap_retailers: u32,
    /// Other retailers, at most 20: most shared products first, then most barcoded products, then by key.
    overlap: Vec<PeerRow<'a>>,
    /// Minimum number of retailers that sell a product for it to count as a gap.
    min_retailers: u32,
    /// Number of barcoded products of the category that at least min_retailers other retailers sell and this retailer
    /// does not.
    gap_entities: u32,
    /// The first of the gap products: most retailers first, then by product_uid of the best offer.
    gaps: Vec<GapRow<'a>>,
    /// Changes of the assortment from the preceding window to the window, counted in listings of the retailer.
    churn: ChurnBlock,
    /// Listings that are new in the window, the latest first; empty if churn.new is null.
    new_items: Vec<ChurnItem<'a>>,
    /// Listings that were delisted, the latest first; empty if churn.delisted is null.
    delisted_items: Vec<ChurnItem<'a>>,
    /// Reasons why figures are null; empty if no figure is null.
    notes: Vec<Note>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// Another retailer, compared with the requested retailer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AssortmentPeer")]
struct PeerRow<'a> {
    /// Key of the retailer.
    retailer: &'a str,
    /// Number of barcoded products of this retailer in the category, including products that the requested retailer
    /// also sells.
    entities: u32,
    /// Number of barcoded products of the requested retailer that this retailer also sells.
    shared: u32,
    /// Jaccard index, 0 to 1: number of shared products divided by the number of products that at least one of the two
    /// retailers sells.
    jaccard: Ratio4,
    /// Shared products in percent of the requested retailer's barcoded products; null if the requested retailer has no
    /// barcoded products.
    covered_pct: Option<Percent>,
}

/// A product that other retailers sell and the requested retailer does not.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AssortmentGap")]
struct GapRow<'a> {
    /// Stable id of the product across retailers.
    entity_uid: EntityUid,
    /// Product name of the best offer.
    product_name: &'a str,
    /// Display label of the best offer's brand; null if its listing has no brand.
    brand: Option<&'a str>,
    /// Number of retailers that sell the product in the country.
    retailer_count: u32,
    /// Lowest current price in the country.
    lowest_price: Cents,
    /// Median of the current prices in the country.
    median_price: Money,
}

/// Changes between the preceding window and the window.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AssortmentChurn")]
struct ChurnBlock {
    /// Listings observed in the preceding window.
    observed_before: u32,
    /// Listings observed in the window.
    observed_in_window: u32,
    /// Number of listings in the window that were never observed before it. Null if the preceding window has no
    /// listings, or if the window has fewer than half as many listings as the preceding window.
    new: Option<u32>,
    /// New listings in percent of the listings in the window; null if new is null.
    new_pct: Option<Percent>,
    /// Number of listings of the preceding window that were not observed in the window; null if new is null.
    delisted: Option<u32>,
    /// Delisted listings in percent of the listings in the preceding window; null if new is null.
    delisted_pct: Option<Percent>,
    /// Number of listings in the window that were observed earlier, but not in the preceding window; null if new is
    /// null.
    returned: Option<u32>,
}

/// A listing that is new or was delisted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AssortmentChange")]
struct ChurnItem<'a> {
    /// Stable id of the listing.
    product_uid: ProductUid,
    /// Stable id of the product across retailers.
    entity_uid: EntityUid,
    /// Name of the product at the retailer.
    product_name: &'a str,
    /// Display label of the brand; null if the listing has no brand.
    brand: Option<&'a str>,
    /// Latest price of the listing, in currency.
    price: Cents,
    /// Day of the first observation of a new listing, or of the last observation of a delisted listing.
    date: Day,
}

impl Endpoint for RetailerAssortment {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Retailer assortment",
        summary: "A retailer's assortment in a category, compared with other retailers, and its changes.",
        about: "Use it to see which products of a retailer's category others sell too, which only this retailer sells \
                (exclusive_entities), and which it lacks (gaps). Products are compared by barcode; barcode_coverage \
                gives the share that can be. A product counts as sold by another retailer wherever that retailer lists \
                it, because its category tree may differ. churn compares the window with the preceding one, by the \
                retailer's listings. Figures with too few observations are null, and notes gives the reason.",
        methodology: &["assortment"],
        params: &[&RETAILER, &CATEGORY, &COUNTRY, &TIME_WINDOW, &FROM, &TO, &MIN_RETAILERS, &LIMIT],
        examples: &["retailer=walmart&category=uncategorized&country=ca&min_retailers=1"],
        rows: &["overlap"],
        pictures: &[Picture {
            rows: "overlap",
            kind: "overlap",
            title: "Products that other retailers sell too",
        }],
        heavy: true,
        highlights: &["products", "share_pct"],
        ..Descriptor::of("/v1/marketing/retailer-assortment", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&RETAILER, &CATEGORY]),
            min_retailers: reader.integer(&MIN_RETAILERS).unwrap_or_default(),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
        }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, min_retailers, limit } = params;
        let scope = scope.resolve_priced(catalog)?;
        Ok(Plan { own: scope.required_retailer()?, scope, min_retailers, limit: limit as usize })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, own, min_retailers, limit } = plan;
        let window = scope.window;
        let category = Scope { retailer: None, ..scope.listings };
        let all = category.priced_rows(catalog);
        let rows = scope.listings.rows(catalog);
        let mut priced = rows.clone();
        priced.retain(|&row| catalog.listings.priced[row as usize] == 1);
        let (overlap, churn) = rayon::join(
            || AssortmentOverlap::of(catalog, &category, own, &all, min_retailers),
            || {
                let day = |day| catalog.day_number(day);
                let before = day(window.comparison_from())..day(window.comparison_to());
                Churn::of(catalog, &rows, &before, &scope.days(catalog))
            },
        );
        let brands = counts::of_brands(catalog, &priced);
        let barcoded = priced.iter().filter(|&&row| catalog.listings.gtin[row as usize] != 0).count();
        let exclusive =
            (overlap.own >= BARCODED_MIN && !overlap.peers.is_empty()).then_some(overlap.exclusive);
        let (block, churn_note) = ChurnBlock::of(&churn);
        let item = |&(row, day): &(u32, u16)| ChurnItem::of(catalog, row, day);
        let items = |list: &[(u32, u16)]| match block.new {
            Some(_) => list.iter().take(limit).map(item).collect(),
            None => Vec::new(),
        };
        let note = exclusive.is_none().then(|| exclusive_note(overlap.own));
        Answer {
            market: scope.market(),
            category: scope.names(),
            retailer: catalog.platforms[usize::from(own)].clone(),
            window: WindowBlock::new(&window, Granularity::Daily),
            products: priced.len() as u32,
            entities: latest::entities(catalog, &priced).0,
            category_products: all.len() as u32,
            share_pct: Percent::from_ratio(priced.len() as i128, all.len() as i128),
            brand_count: brands.len() as u32,
            brands: shares::of_brands(catalog, &brands, BRANDS_LISTED),
            barcoded_entities: overlap.own,
            barcode_coverage: Ratio4::from_ratio(barcoded as i128, priced.len() as i128),
            exclusive_entities: exclusive,
            exclusive_pct: exclusive
                .map(|exclusive| Percent::from_ratio(exclusive.into(), overlap.own.into())),
            overlap_retailers: overlap.peers.len() as u32,
            overlap: overlap
                .peers
                .iter()
                .take(PEERS_LISTED)
                .map(|peer| PeerRow::of(catalog, overlap.own, peer))
                .collect(),
            min_retailers,
            gap_entities: overlap.gaps.len() as u32,
            gaps: overlap.gaps.iter().take(limit).map(|gap| GapRow::of(catalog, gap)).collect(),
            new_items: items(&churn.new),
            delisted_items: items(&churn.delisted),
            churn: block,
            notes: note.into_iter().chain(churn_note).collect(),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, latest::observed(catalog, &category, &all)),
        }
    }
}

/// Returns the reason why the number of exclusive products is null.
fn exclusive_note(own: u32) -> Note {
    if own < BARCODED_MIN {
        return Note::too_few("exclusive_entities", own as usize, BARCODED_MIN as usize);
    }
    Note::because("exclusive_entities", NoteReason::NoPeer)
}

impl<'a> PeerRow<'a> {
    fn of(catalog: &'a Catalog, own: u32, peer: &SharingRetailer) -> Self {
        let SharingRetailer { platform, entities, shared } = *peer;
        Self {
            retailer: &catalog.platforms[usize::from(platform)],
            entities,
            shared,
            jaccard: Ratio4::from_ratio(shared.into(), i128::from(own + entities - shared)),
            covered_pct: (own > 0).then(|| Percent::from_ratio(shared.into(), own.into())),
        }
    }
}

impl<'a> GapRow<'a> {
    fn of(catalog: &'a Catalog, gap: &Gap) -> Self {
        let best = catalog.listing(gap.best);
        Self {
            entity_uid: catalog.entities.uid(gap.entity),
            product_name: best.name(),
            brand: best.brand(),
            retailer_count: gap.retailers,
            lowest_price: Cents::new(gap.lowest),
            median_price: Money::from_ratio(gap.median.0, gap.median.1),
        }
    }
}

impl ChurnBlock {
    /// Returns the block, and the reason if its figures of new, delisted and returned listings are null.
    fn of(churn: &Churn) -> (Self, Option<Note>) {
        let (before, within) = (churn.before, churn.within);
        let note = if before == 0 {
            Some(Note::because("churn", NoteReason::NotObservedBefore))
        } else if 2 * u64::from(within) < u64::from(before) {
            let have = Amount::Share(Ratio4::from_ratio(within.into(), before.into()));
            let (have, need) = (Some(have), Some(Amount::Share(WITHIN_MIN)));
            Some(Note { field: "churn", reason: NoteReason::LowCoverage, have, need })
        } else {
            None
        };
        let known = |count: usize| note.is_none().then_some(count as u32);
        let share =
            |count: usize, all: u32| note.is_none().then(|| Percent::from_ratio(count as i128, all.into()));
        let block = Self {
            observed_before: before,
            observed_in_window: within,
            new: known(churn.new.len()),
            new_pct: share(churn.new.len(), within),
            delisted: known(churn.delisted.len()),
            delisted_pct: share(churn.delisted.len(), before),
            returned: known(churn.returned as usize),
        };
        (block, note)
    }
}

impl<'a> ChurnItem<'a> {
    fn of(catalog: &'a Catalog, row: u32, day: u16) -> Self {
        let listing = catalog.listing(row);
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_name: listing.name(),
            brand: listing.brand(),
            price: listing.price(),
            date: catalog.day(day),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_in_the_window_says_nothing_of_what_went() {
        let churn = |before, within| Churn { before, within, ..Churn::default() };
        let (block, note) = ChurnBlock::of(&churn(10, 4));
        assert_eq!((block.new, block.delisted_pct), (None, None));
        let need = Amount::Share(WITHIN_MIN);
        assert_eq!(note.and_then(|note| note.need), Some(need));
        let (block, note) = ChurnBlock::of(&churn(10, 5));
        assert_eq!((block.new, note), (Some(0), None));
        let (_, note) = ChurnBlock::of(&churn(0, 5));
        assert_eq!(note.map(|note| note.reason), Some(NoteReason::NotObservedBefore));
    }

    #[test]
    fn shared_products_are_counted_once_in_the_union() {
        // The retailer has products a to e. Another retailer has a, b and f.
        let union = i128::from(5 + 3 - 2_u32);
        assert_eq!(Ratio4::from_ratio(2, union).get(), 3_333);
    }
}
