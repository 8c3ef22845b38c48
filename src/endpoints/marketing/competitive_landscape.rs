//! `GET /v1/marketing/competitive-landscape`: the products of a category with their current prices.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, Resolved};
use crate::query::descriptor::{Descriptor, Group, Picture, PriceClass};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::item::ListingItem;
use crate::query::next_step::NextStep;
use crate::query::page::{self, CURSOR, LIMIT, Page};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::Refusal;
use crate::query::scope::{CategoryHead, ResolvedScope, ScopeParams};
use crate::query::subject::Subject;

static SORT: Param = Param {
    name: "sort",
    kind: Kind::Word(&["price_asc", "price_desc", "rating", "reviews"], Some("price_asc")),
    about: "Order of the items. rating and reviews are accepted for compatibility and order like price_asc.",
};
/// The endpoint.
pub(super) struct CompetitiveLandscape;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    descending: bool,
    cursor: u64,
    limit: u32,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    descending: bool,
    cursor: u64,
    limit: u32,
}

/// Answer of competitive-landscape.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: CategoryHead,
    /// One page of priced listings in the order of sort; empty if the cursor is beyond the last listing.
    items: Vec<ListingItem<'a>>,
    /// Value of `cursor` for the next page; null if there is none.
    next_cursor: Option<u32>,
    /// Whether there is a next page.
    has_more: bool,
    /// How the category was understood.
    resolved: Resolved,
    /// Source and freshness of the answer.
    meta: Meta,
}

impl Endpoint for CompetitiveLandscape {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Competitive landscape",
        summary: "The products of a category with their current prices across retailers.",
        about: "Use it to list the products of a category by price, page by page, with brand, retailer, discount and \
                stock of each. For the cheapest offer of one product use best-price, for discounts deal-finder, for \
                counts by brand share-of-shelf. Read resolved: it shows how the category text was understood, and \
                alternates lists its other meanings. Every item is a listing of one retailer, so a product may occur \
                several times; items with the same entity_uid are one product. discount_pct is null without a \
                plausible list price. next_cursor is null on the last page.",
        methodology: &["category-page", "finding-a-category"],
        params: &[&CATEGORY, &COUNTRY, &RETAILER, &SORT, &CURSOR, &LIMIT],
        examples: &["category=memory&limit=3", "category=wine&country=ca&sort=price_desc"],
        rows: &["items"],
        pictures: &[Picture { rows: "items", kind: "landscape", title: "Prices on this page, by retailer" }],
        highlights: &[
            "items.product_name",
            "items.price",
            "items.retailer",
            "items.brand",
            "items.list_price",
            "items.discount_pct",
            "items.in_stock",
        ],
        next: |answer| {
            Some(NextStep::to("best-price", "product_uid", answer.first_text("items.product_uid")?))
        },
        deep: Some(page::DEEP_CURSORS),
        ..Descriptor::of("/v1/marketing/competitive-landscape", Group::Marketing)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[&CATEGORY]),
            descending: reader.choice(&SORT, [false, true, false, false]),
            cursor: reader.position(&CURSOR),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
        }
    }

    fn price(params: &Params) -> PriceClass {
        page::price(params.cursor, PriceClass::Marketing)
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, descending, cursor, limit } = params;
        Ok(Plan { scope: scope.resolve_priced(catalog)?, descending, cursor, limit })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, descending, cursor, limit } = plan;
        let Page { rows, next_cursor } =
            page::by_price(catalog, &scope.listings, descending, cursor as usize, limit as usize);
        Answer {
            head: scope.category_head(),
            items: rows.iter().map(|&row| ListingItem::of(catalog, row)).collect(),
            next_cursor,
            has_more: next_cursor.is_some(),
            resolved: scope.resolved,
            meta: Meta::new(catalog, stamp, Span::of_rows(catalog, rows)),
        }
    }
}
