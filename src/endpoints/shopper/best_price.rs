//! `GET /v1/shopper/best-price`: the lowest current price of a product across retailers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::catalog::{Catalog, LikelyLink, Listing, SuspectReason};
use crate::lang::{Pack, UnitPrice};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::item::MatchType;
use crate::query::likely;
use crate::query::next_step::NextStep;
use crate::query::params::{BadParameter, Kind, Param, Reader};
use crate::query::parts::{Gpc, Meta, discount_pct, pack_and_unit_price};
use crate::query::product::{self, Product, RELATED_MAX, Related, distinct_retailers};
use crate::query::product_params::{
    COUNTRY, ENTITY_UID, EXACT_QUERY, MIN_QUALITY, PRODUCT_UID, ProductQuery, Q, RETAILER,
};
use crate::query::refusal::{NoResultsReason, Refusal};
use crate::query::scope::Market;
use crate::query::subject::Subject;
use crate::search::index::MatchQuality;
use crate::search::query::TextReading;
use crate::types::{Cents, Condition, EntityUid, Instant, Percent, ProductUid, Ratio4};

static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: RELATED_MAX as u32, default: Some(10) },
    about: "Maximum number of rows in other_prices and, separately, in related_matches.",
};
static STRICT: Param = Param {
    name: "strict",
    kind: Kind::Flag,
    about: "Only verified offers of the same product: no related_matches, and 404 if there is nothing to compare.",
};

static LINKING: Param = Param {
    name: "linking",
    kind: Kind::Word(&["off", "likely"], Some("off")),
    about: "likely: adds likely_matches, listings of other retailers that are likely the same product. They are linked \
            by name, not by barcode; verify them before you rely on them. Not allowed with strict=true.",
};

/// The endpoint.
pub(super) struct BestPrice;

/// Parsed parameters.
pub(super) struct Params {
    asked: ProductQuery,
    limit: usize,
    strict: bool,
    linking: bool,
}

/// A resolved request.
pub(super) struct Plan {
    product: Product,
    limit: usize,
    /// Maximum number of related products.
    related: usize,
    /// Likely matches, if they were requested.
    likely: Option<Vec<LikelyLink>>,
}

/// Whether the prices may come from several listings of the product or come from a single listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ProductScope")]
pub(super) enum Scope {
    /// The product has several listings in the country, so the prices may come from different listings.
    Entity,
    /// The product has one listing in the country.
    Listing,
}

impl Scope {
    /// Returns the scope of a product.
    pub(super) fn of(product: &Product) -> Self {
        if product.is_entity() { Self::Entity } else { Self::Listing }
    }
}

/// Answer of best-price.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    /// `q` as given; null for look-ups by uid.
    query: Option<String>,
    #[serde(flatten)]
    reading: TextReading,
    #[serde(flatten)]
    market: Market,
    /// Stable id of the resolved listing: the listing of the requested product_uid, the best match of a text, or
    /// otherwise the best offer.
    product_uid: ProductUid,
    /// Stable id of the product across retailers; null if scope is `listing`.
    entity_uid: Option<EntityUid>,
    /// Whether the prices may come from several listings of the product or come from a single listing.
    scope: Scope,
    /// Number of listings of the product in the country, priced or not.
    member_count: u32,
    /// Whether the entity may combine materially different products, so that the lowest price may be that of another
    /// product. If so, prefer strict or a product_uid.
    match_suspect: bool,
    /// Reasons for match_suspect; empty if match_suspect is false.
    match_suspect_reasons: Vec<SuspectReason>,
    /// Number of distinct retailers in best_price and other_prices of this answer; 1 means that there is nothing to
    /// compare.
    retailers_compared: u32,
    /// The resolved listing in detail.
    resolved_product: ResolvedProduct<'a>,
    /// Product type of the resolved listing; null without a mapping to the classification.
    gpc: Option<Gpc<'a>>,
    /// The best offer. Offers are ordered by condition (new and unknown first), then stock (out of stock last), then
    /// price.
    best_price: BestOffer<'a>,
    /// The other offers, in the same order.
    other_prices: Vec<Offer<'a>>,
    /// Offers that are likely the same product, one per retailer, in the order of other_prices; null unless linking is
    /// `likely`. They are linked by name, not by barcode: verify them before you rely on them. Other figures of the
    /// answer, except likely_cheaper, do not include them.
    likely_matches: Option<Vec<LikelyOffer<'a>>>,
    /// Whether a likely match costs less than best_price. Only matches that are new and not out of stock are
    /// considered, including those beyond limit. Null unless linking is `likely`. Likely matches are linked by name,
    /// not by barcode: verify them before you rely on them.
    likely_cheaper: Option<bool>,
    /// Other products that match the text of q, each with its cheapest listing. For look-ups by uid or barcode, they
    /// match the name of the product. Their prices are not prices of the requested product. Matches of all words of q
    /// come first, followed by matches of at least half of the words.
    related_matches: Vec<RelatedOffer<'a>>,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// The listing to which the request was resolved.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ResolvedProduct<'a> {
    /// Stable id of the listing.
    product_uid: ProductUid,
    /// Stable id of the product across retailers.
    entity_uid: EntityUid,
    /// Name of the product at the retailer.
    product_name: &'a str,
    /// Display label of the brand; null if the listing has no brand.
    brand: Option<&'a str>,
    /// Key of the retailer.
    retailer: &'a str,
    /// Id of the product at the retailer.
    product_id: &'a str,
    /// Barcode as a GTIN of 14 digits; null without a usable barcode.
    gtin: Option<String>,
    /// Display path of the listing's category (A > B > C).
    category_path: &'a str,
    /// Condition. If the source does not state it, it is read from words in the name or the URL. Without such words it
    /// is `new`.
    condition: Condition,
    /// URL of the offer at the retailer; null if the source does not state it.
    url: Option<&'a str>,
    /// Pack size stated in the name; null if the name states no pack size or several.
    pack: Option<Pack>,
}

/// The best offer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BestOffer<'a> {
    /// Stable id of the listing.
    product_uid: ProductUid,
    /// Stable id of the product across retailers.
    entity_uid: EntityUid,
    /// Name of the product at the retailer.
    product_name: &'a str,
    /// Key of the retailer.
    retailer: &'a str,
    /// Current price (price of the latest observation), in currency.
    price: Cents,
    /// List price that the source reports, even if it is implausible; null if the source reports none.
    list_price: Option<Cents>,
    /// Saving against the list price, in percent; null without a plausible list price (above the price, at most 5
    /// times the price).
    savings_pct: Option<Percent>,
    /// Whether the listing was in stock when its price was observed; null if the source does not state it.
    in_stock: Option<bool>,
    /// Condition. If the source does not state it, it is read from words in the name or the URL. Without such words it
    /// is `new`.
    condition: Condition,
    /// Relation of the row to the requested product.
    match_type: MatchType,
    /// Instant of the observation. If the source reports only days, it is the start of the UTC day.
    scraped_at: Instant,
    /// Pack size stated in the name; null if the name states no pack size or several.
    pack: Option<Pack>,
    /// Current price per customary unit of the country; null without a pack size.
    unit_price: Option<UnitPrice>,
}

/// Another offer, or a related product.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProductOffer")]
pub(super) struct Offer<'a> {
    /// Stable id of the listing.
    product_uid: ProductUid,
    /// Stable id of the product across retailers; null in related_matches and likely_matches for a product with one
    /// listing.
    entity_uid: Option<EntityUid>,
    /// Key of the retailer.
    retailer: &'a str,
    /// Name of the product at the retailer.
    product_name: &'a str,
    /// Current price (price of the latest observation), in currency.
    price: Cents,
    /// Whether the listing was in stock when its price was observed; null if the source does not state it.
    in_stock: Option<bool>,
    /// Condition. If the source does not state it, it is read from words in the name or the URL. Without such words it
    /// is `new`.
    condition: Condition,
    /// Relation of the row to the requested product.
    match_type: MatchType,
    /// Instant of the observation. If the source reports only days, it is the start of the UTC day.
    observed_at: Instant,
    /// Pack size stated in the name; null if the name states no pack size or several.
    pack: Option<Pack>,
    /// Current price per customary unit of the country; null without a pack size.
    unit_price: Option<UnitPrice>,
}

/// An offer that is likely the same product.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LikelyOffer<'a> {
    #[serde(flatten)]
    offer: Offer<'a>,
    /// Confidence that the listing is the requested product, 0 to 1. It is the share of links with this score that are
    /// correct, rounded down to two decimals.
    confidence: Ratio4,
    /// Reasons for the link, sorted. The possible reasons are brand, mpn, name, pack, part_number and price.
    match_reasons: Vec<&'static str>,
}

/// A related product.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelatedOffer<'a> {
    #[serde(flatten)]
    offer: Offer<'a>,
    /// Two numbers, [matched, of]: how many different terms of q the best match of the product contains, and how many
    /// terms were searched for. Null for look-ups by uid or barcode.
    matched_terms: Option<[u32; 2]>,
    /// Match quality of the product's best match, 0 to 1: the share of the weight of q that it satisfies. Null for
    /// look-ups by uid or barcode.
    match_quality: Option<Ratio4>,
}

impl Endpoint for BestPrice {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Best price",
        summary: "The lowest current price of a product across retailers.",
        about: "Use it to learn what a product costs now and where it is cheapest. Ask by q, which is a text or a \
                barcode, or by a product_uid or entity_uid of an earlier answer. A text is resolved to its best match: \
                read resolved_product and match_quality. best_price and other_prices are offers of that product; \
                related_matches are other products. retailers_compared of 1 means that there was nothing to compare. \
                Null means unknown: in_stock null is not out of stock. unit_price is null without a pack size in the \
                name, and entity_uid is null if the country has one listing only.",
        methodology: &["best-price", "finding-a-product", "links-in-answers"],
        params: &[
            &Q,
            &PRODUCT_UID,
            &ENTITY_UID,
            &COUNTRY,
            &RETAILER,
            &EXACT_QUERY,
            &MIN_QUALITY,
            &LIMIT,
            &STRICT,
            &LINKING,
        ],
        examples: &[
            "q=sweet+baby+rays+barbecue+sauce&country=ca",
            "entity_uid=e_25jf5m3673dmj&country=ca&strict=true",
        ],
        rows: &["best_price", "other_prices", "likely_matches"],
        highlights: &["best_price.price", "best_price.retailer"],
        next: |answer| NextStep::history(answer, "product_uid"),
        ..Descriptor::of("/v1/shopper/best-price", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        let params = Params {
            asked: ProductQuery::read(reader),
            limit: reader.integer(&LIMIT).unwrap_or_default() as usize,
            strict: reader.flag(&STRICT),
            linking: reader.choice(&LINKING, [false, true]),
        };
        if params.strict && params.linking {
            let reason = "strict=true excludes the likely matches that linking=likely requests; leave out strict or \
                          linking";
            for param in [&STRICT, &LINKING] {
                reader.reject(BadParameter::new(param.name, reason));
            }
        }
        params
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let related = if params.strict { 0 } else { params.limit };
        let product = product::resolve(catalog, &params.asked, related)?;
        product.require_offer(catalog)?;
        if params.strict && !product.is_entity() {
            let message =
                "the product has one listing only, so there is nothing to compare; leave out strict";
            return Err(Refusal::no_results(NoResultsReason::NoComparison, message));
        }
        let likely = params.linking.then(|| likely::matches(catalog, &product));
        Ok(Plan { product, limit: params.limit, related, likely })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        let likely = plan.likely.as_ref().map(|matches| !matches.is_empty());
        Subject::product(catalog, &plan.product).with_likely(likely)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { product, limit, related, likely } = plan;
        let (best, others) = (product.offers[0], &product.offers[1..]);
        let others = &others[..others.len().min(limit)];
        let passed_over: Vec<u32> =
            likely.iter().flatten().map(|link| catalog.listing(link.row).entity()).collect();
        let related = product.related_beside(catalog, related, &passed_over);
        let likely_served = || likely.iter().flatten().take(limit);
        let match_type = match_type_of(&product);
        let resolved = catalog.listing(product.listing.unwrap_or(best));
        let reasons = catalog.entities.suspect_reasons(product.entity, product.country);
        let served = || std::iter::once(best).chain(others.iter().copied());
        let offer = |row: &u32| Offer::of(catalog.listing(*row), match_type, true);
        let relative = |&Related { row, matched, quality }: &Related| {
            let listing = catalog.listing(row);
            let offer = Offer::of(listing, MatchType::Title, listing.is_linked());
            RelatedOffer { offer, matched_terms: matched, match_quality: quality.map(MatchQuality::ratio) }
        };
        Answer {
            reading: product.reading(),
            market: Market::of(product.country),
            product_uid: resolved.uid(),
            entity_uid: product.is_entity().then(|| catalog.entities.uid(product.entity)),
            scope: Scope::of(&product),
            member_count: product.member_count,
            match_suspect: !reasons.is_empty(),
            match_suspect_reasons: reasons,
            retailers_compared: distinct_retailers(catalog, served()),
            resolved_product: ResolvedProduct::of(catalog, resolved),
            gpc: Gpc::of(catalog, resolved),
            best_price: BestOffer::of(catalog.listing(best), match_type),
            other_prices: others.iter().map(offer).collect(),
            likely_matches: likely
                .is_some()
                .then(|| likely_served().map(|link| LikelyOffer::of(catalog, *link)).collect()),
            likely_cheaper: likely.as_ref().map(|matches| likely::is_any_cheaper(catalog, matches, best)),
            related_matches: related.iter().map(relative).collect(),
            meta: Meta::new(
                catalog,
                stamp,
                Span::of_rows(
                    catalog,
                    served()
                        .chain(likely_served().map(|link| link.row))
                        .chain(related.iter().map(|related| related.row)),
                ),
            ),
            query: product.query,
        }
    }
}

impl<'a> ResolvedProduct<'a> {
    fn of(catalog: &'a Catalog, listing: Listing<'a>) -> Self {
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_name: listing.name(),
            brand: listing.brand(),
            retailer: listing.retailer(),
            product_id: listing.product_id(),
            gtin: listing.gtin(),
            category_path: catalog.taxonomy.node(listing.category()).path.as_str(),
            condition: listing.condition(),
            url: listing.url(),
            pack: pack_and_unit_price(listing).0,
        }
    }
}

/// Returns the relation of a product's offers to the requested product.
pub(super) fn match_type_of(product: &Product) -> MatchType {
    if product.is_entity() { MatchType::Entity } else { MatchType::SelfText }
}

impl<'a> BestOffer<'a> {
    /// Creates the offer of a listing.
    pub(super) fn of(listing: Listing<'a>, match_type: MatchType) -> Self {
        let (pack, unit_price) = pack_and_unit_price(listing);
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_name: listing.name(),
            retailer: listing.retailer(),
            price: listing.price(),
            list_price: listing.list_price(),
            savings_pct: discount_pct(listing.price(), listing.list_price()),
            in_stock: listing.in_stock(),
            condition: listing.condition(),
            match_type,
            scraped_at: listing.observed_at(),
            pack,
            unit_price,
        }
    }
}

impl<'a> LikelyOffer<'a> {
    fn of(catalog: &'a Catalog, link: LikelyLink) -> Self {
        let listing = catalog.listing(link.row);
        Self {
            offer: Offer::of(listing, MatchType::Likely, listing.is_linked()),
            confidence: Ratio4::new(i64::from(link.confidence.0 / 100) * 100),
            match_reasons: link.words(),
        }
    }
}

impl<'a> Offer<'a> {
    fn of(listing: Listing<'a>, match_type: MatchType, linked: bool) -> Self {
        let (pack, unit_price) = pack_and_unit_price(listing);
        Self {
            product_uid: listing.uid(),
            entity_uid: linked.then(|| listing.entity_uid()),
            retailer: listing.retailer(),
            product_name: listing.name(),
            price: listing.price(),
            in_stock: listing.in_stock(),
            condition: listing.condition(),
            match_type,
            observed_at: listing.observed_at(),
            pack,
            unit_price,
        }
    }
}
