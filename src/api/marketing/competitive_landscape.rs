//! `GET /v1/marketing/competitive-landscape`: the products of a category with their current prices.

use schemars::JsonSchema;
use serde::Serialize;

use crate::api::shopper::MatchType;
use crate::catalog::{Catalog, Listing};
use crate::domain::{Cents, Condition, Country, EntityUid, Instant, Pack, Percent, ProductUid, UnitPrice};
use crate::query::category::{self, CATEGORY, Resolved};
use crate::query::endpoint::{Endpoint, Group, PriceClass, Stamp};
use crate::query::page::{self, Page};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::{Gpc, Meta, Span, discount_pct, pack_and_unit_price};
use crate::query::product::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{self, Scope};

static SORT: Param = Param {
    name: "sort",
    kind: Kind::Word(&["price_asc", "price_desc", "rating", "reviews"], Some("price_asc")),
    about: "Order of the items. rating and reviews are accepted for compatibility and order like price_asc.",
};
static CURSOR: Param = Param {
    name: "cursor",
    kind: Kind::Integer { min: 0, max: u32::MAX, default: Some(0) },
    about: "Where the page starts: the previous answer's next_cursor.",
};
static LIMIT: Param = Param {
    name: "limit",
    kind: Kind::Integer { min: 1, max: 50, default: Some(20) },
    about: "Most items of the page.",
};

/// Cursors above this cost more.
const DEEP_CURSOR: u32 = 1000;

/// The endpoint.
pub(super) struct CompetitiveLandscape;

/// Parsed parameters.
pub(super) struct Params {
    category: String,
    country: Country,
    retailer: Option<String>,
    descending: bool,
    cursor: u32,
    limit: u32,
}

/// A resolved request.
pub(super) struct Plan {
    scope: Scope,
    resolved: Resolved,
    retailer: Option<String>,
    descending: bool,
    cursor: u32,
    limit: u32,
}

/// Answer of competitive-landscape.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Display path of the category.
    category: String,
    /// Root of the category; null for a classification code.
    department: Option<String>,
    /// Country of the listings.
    country: Country,
    /// Currency of every price.
    currency: &'static str,
    /// Retailer that was asked for; null for all.
    retailer: Option<String>,
    /// One page of priced listings.
    items: Vec<Item>,
    /// Cursor of the next page; null when there is none.
    next_cursor: Option<u32>,
    /// Whether there is a next page.
    has_more: bool,
    /// How the category was understood.
    resolved: Resolved,
    /// Provenance.
    meta: Meta,
}

/// A priced listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Item {
    product_uid: ProductUid,
    entity_uid: EntityUid,
    /// The retailer's own id.
    product_id: String,
    product_name: String,
    /// Display label of the brand; null for a listing without one.
    brand: Option<String>,
    retailer: String,
    /// Current price.
    price: Cents,
    /// List price as the source has it.
    list_price: Option<Cents>,
    /// Discount against the list price in percent; null without a believed list price above the price.
    discount_pct: Option<Percent>,
    /// Star rating as the source has it.
    star_rating: Option<f64>,
    /// Number of reviews.
    review_count: Option<u32>,
    /// Whether the current price is a promotion.
    promo_flag: bool,
    /// Null when the source does not say.
    in_stock: Option<bool>,
    condition: Condition,
    /// `entity` when the product has other listings in the country, else `self_text`.
    match_type: MatchType,
    /// When the price was observed.
    observed_at: Instant,
    /// The same instant.
    scraped_at: Instant,
    /// Product type; null without a mapping.
    gpc: Option<Gpc>,
    /// Pack size parsed from the name.
    pack: Option<Pack>,
    /// Price per unit of measure.
    unit_price: Option<UnitPrice>,
}

impl Endpoint for CompetitiveLandscape {
    type Params = Params;
    type Plan = Plan;
    type Answer = Answer;

    const PATH: &'static str = "/v1/marketing/competitive-landscape";
    const GROUP: Group = Group::Marketing;
    const SUMMARY: &'static str = "The products of a category with their current prices across retailers.";
    const PARAMS: &'static [&'static Param] = &[&CATEGORY, &COUNTRY, &RETAILER, &SORT, &CURSOR, &LIMIT];
    const DEEP: Option<&'static str> = Some("cursors above 1000");
    const EXAMPLES: &'static [&'static str] =
        &["category=memory&limit=3", "category=wine&country=ca&sort=price_desc"];

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            category: category::read_required(reader),
            country: reader.word(&COUNTRY, Country::parse).unwrap_or(Country::Us),
            retailer: reader.text(&RETAILER),
            descending: reader.word(&SORT, sorts_descending) == Some(true),
            cursor: reader.integer(&CURSOR).unwrap_or_default(),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
        }
    }

    fn price(params: &Params) -> PriceClass {
        if params.cursor > DEEP_CURSOR { PriceClass::Deep } else { PriceClass::Marketing }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { category, country, retailer, descending, cursor, limit } = params;
        let platform = scope::retailer(catalog, country, retailer.as_deref())?;
        let (shelf, resolved) = category::resolve(catalog, country, Some(&category), None)?;
        let scope = Scope { country, shelf, retailer: platform };
        scope.require_priced(catalog)?;
        Ok(Plan { scope, resolved, retailer, descending, cursor, limit })
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer {
        let Page { rows, next_cursor } =
            page::by_price(catalog, &plan.scope, plan.descending, plan.cursor as usize, plan.limit as usize);
        let country = catalog.country_rows(plan.scope.country);
        let item = |&row: &u32| {
            let listing = catalog.listing(row);
            Item::of(catalog, listing, catalog.entities.members(listing.entity(), &country).len() >= 2)
        };
        Answer {
            category: plan.resolved.category_path.clone(),
            department: plan.resolved.department.clone(),
            country: plan.scope.country,
            currency: plan.scope.country.currency(),
            retailer: plan.retailer,
            items: rows.iter().map(item).collect(),
            next_cursor,
            has_more: next_cursor.is_some(),
            resolved: plan.resolved,
            meta: Meta::new(catalog, stamp, Span::of_rows(catalog, rows)),
        }
    }
}

/// Whether a sort word orders from the highest price; `None` for an unknown word.
fn sorts_descending(word: &str) -> Option<bool> {
    match word {
        "price_desc" => Some(true),
        "price_asc" | "rating" | "reviews" => Some(false),
        _ => None,
    }
}

impl Item {
    fn of(catalog: &Catalog, listing: Listing<'_>, linked: bool) -> Self {
        let (pack, unit_price) = pack_and_unit_price(listing);
        Self {
            product_uid: listing.uid(),
            entity_uid: listing.entity_uid(),
            product_id: listing.product_id().to_owned(),
            product_name: listing.name().to_owned(),
            brand: listing.brand().map(str::to_owned),
            retailer: listing.retailer().to_owned(),
            price: listing.price(),
            list_price: listing.list_price(),
            discount_pct: discount_pct(listing.price(), listing.list_price()),
            star_rating: listing.rating(),
            review_count: listing.review_count(),
            promo_flag: listing.on_promotion(),
            in_stock: listing.in_stock(),
            condition: listing.condition(),
            match_type: if linked { MatchType::Entity } else { MatchType::SelfText },
            observed_at: listing.observed_at(),
            scraped_at: listing.observed_at(),
            gpc: Gpc::of(catalog, listing),
            pack,
            unit_price,
        }
    }
}
