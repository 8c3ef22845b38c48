//! `GET /v1/analyst/price-change-leaders`: the products of a category whose prices moved most.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::Span;
use crate::analytics::leaders::{self, Bands, Direction, Move, Moves};
use crate::catalog::Catalog;
use crate::query::category::{CATEGORY, DEPARTMENT, Resolved};
use crate::query::descriptor::{Descriptor, Group, PriceClass};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::item::ListingItem;
use crate::query::page::{self, CURSOR, LIMIT};
use crate::query::params::{Kind, Param, Reader};
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, RETAILER};
use crate::query::refusal::{LeaderDetails, NoResultsDetails, NoResultsReason, Refusal};
use crate::query::scope::{ResolvedScope, ScopeHead, ScopeParams};
use crate::query::subject::Subject;
use crate::types::{Cents, Day, Money, Percent};

/// Minimum number of products with a price in both bands, without errors.
const PRODUCTS_MIN: usize = 5;

static WIN: Param = Param {
    name: "win",
    kind: Kind::OneOf(&[7, 30, 90], Some(30)),
    about: "Number of days between the two bands of days that are compared.",
};
static DIRECTION: Param = Param {
    name: "direction",
    kind: Kind::Word(&["all", "up", "down"], Some("all")),
    about: "Direction of the changes that are listed.",
};

/// The endpoint.
pub(super) struct PriceChangeLeaders;

/// Parsed parameters.
pub(super) struct Params {
    scope: ScopeParams,
    win: u32,
    direction: Direction,
    limit: u32,
    cursor: u64,
}

/// A resolved request.
pub(super) struct Plan {
    scope: ResolvedScope,
    /// Rows of the listings of condition new.
    rows: Vec<u32>,
    bands: Bands,
    win: u32,
    direction: Direction,
    limit: u32,
    cursor: u64,
}

/// Answer of price-change-leaders. Products are listings of condition new.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    head: ScopeHead,
    /// How the category was understood.
    resolved: Resolved,
    /// Number of days between the two bands of days that are compared.
    win: u32,
    /// Direction of the changes that are listed.
    direction: Direction,
    /// The two bands of days that are compared.
    bands: BandDays,
    /// Number of products observed in both bands.
    matched: u32,
    /// Matched products whose price rose by more than 1 %.
    rising: u32,
    /// Matched products whose price changed by at most 1 %.
    stable: u32,
    /// Matched products whose price fell by more than 1 %.
    falling: u32,
    /// Matched products left out as errors: their price fell to less than half or rose to more than double.
    trimmed: u32,
    /// Number of products whose price changed by more than 1 % in the requested direction, without errors.
    leaders: u32,
    /// One page of these products: the largest factor between the two prices first, then by product_uid.
    items: Vec<Leader<'a>>,
    /// Value of `cursor` for the next page; null if there is none.
    next_cursor: Option<u32>,
    /// Whether there is a next page.
    has_more: bool,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// The days that are compared. First and last days are inclusive.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "ComparedBands")]
struct BandDays {
    /// First day of the recent band.
    recent_from: Day,
    /// Last day of the recent band, which is the last day on which any of the products was observed.
    recent_to: Day,
    /// First day of the base band, with which the recent band is compared.
    base_from: Day,
    /// Last day of the base band.
    base_to: Day,
    /// Number of days by which the base band was moved, because its original days had no observations. Negative if it
    /// was moved to earlier days.
    shifted_days: i32,
}

/// A product whose price moved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PriceChangeItem")]
struct Leader<'a> {
    #[serde(flatten)]
    item: ListingItem<'a>,
    /// Lowest price of the listing in the base band, the earlier of the two compared ranges of days, in currency.
    from_price: Cents,
    /// Lowest price of the listing in the recent band, the later of the two compared ranges of days, in currency.
    to_price: Cents,
    /// Change from `from_price` to `to_price`, in percent.
    change_pct: Percent,
    /// Change from `from_price` to `to_price`, in currency.
    change_amount: Money,
    /// Number of days in the base band on which the listing was observed.
    base_days: u32,
    /// Number of days in the recent band on which the listing was observed.
    recent_days: u32,
}

impl Endpoint for PriceChangeLeaders {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Price change leaders",
        summary: "The products of a category whose prices moved most.",
        about: "Use it to find products of a category whose price rose or fell: the lowest price of each product in \
                the last days against that of days about 7, 30 or 90 days before. bands gives the days; if nothing was \
                observed then, the base band is moved to the nearest days with observations, and shifted_days gives \
                the number of days. Changes beyond half or double are treated as errors and counted in trimmed. Items \
                are ordered by factor, so a price that halved ranks equal to one that doubled. Give category, \
                department or both.",
        methodology: &["price-change-leaders"],
        params: &[&CATEGORY, &DEPARTMENT, &COUNTRY, &RETAILER, &WIN, &DIRECTION, &LIMIT, &CURSOR],
        examples: &["category=food&country=ca&limit=3"],
        rows: &["items"],
        deep: Some(page::DEEP_CURSORS),
        heavy: true,
        highlights: &[
            "items.product_name",
            "items.change_pct",
            "items.from_price",
            "items.to_price",
            "items.retailer",
            "items.change_amount",
        ],
        ..Descriptor::of("/v1/analyst/price-change-leaders", Group::Analyst)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            scope: ScopeParams::read::<Self>(reader, &[]),
            win: reader.integer(&WIN).unwrap_or_default(),
            direction: reader.choice(&DIRECTION, [Direction::All, Direction::Up, Direction::Down]),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
            cursor: reader.position(&CURSOR),
        }
    }

    fn price(params: &Params) -> PriceClass {
        page::price(params.cursor, PriceClass::Analyst)
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { scope, win, direction, limit, cursor } = params;
        let scope = scope.resolve_priced(catalog)?;
        let rows = leaders::new_rows(catalog, scope.listings.rows(catalog));
        let bands = Bands::of(catalog, &rows, win as i32);
        if !Moves::has(catalog, &rows, &bands, PRODUCTS_MIN) {
            return Err(too_few(catalog, &Moves::of(catalog, &rows, &bands), &bands));
        }
        Ok(Plan { scope, rows, bands, win, direction, limit, cursor })
    }

    fn subject(catalog: &Catalog, plan: &Plan) -> Subject {
        plan.scope.subject(catalog)
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { scope, rows, bands, win, direction, limit, cursor } = plan;
        let moves = Moves::of(catalog, &rows, &bands);
        let leaders = moves.leaders(direction);
        let count = leaders.len() as u32;
        let found = leaders::page(catalog, leaders, cursor as usize, limit as usize);
        let next = cursor.saturating_add(u64::from(limit));
        let next_cursor = (next < u64::from(count)).then_some(next as u32);
        Answer {
            head: scope.head(),
            resolved: scope.resolved,
            win,
            direction,
            bands: BandDays::of(catalog, &bands),
            matched: moves.matched,
            rising: moves.rising,
            stable: moves.matched - moves.rising - moves.falling,
            falling: moves.falling,
            trimmed: moves.trimmed,
            leaders: count,
            items: found.iter().map(|found| Leader::of(catalog, found)).collect(),
            next_cursor,
            has_more: next_cursor.is_some(),
            meta: Meta::new(catalog, stamp, Span::of_rows(catalog, found.iter().map(|found| found.row))),
        }
    }
}

/// Creates the refusal of a scope with too few products in both bands.
fn too_few(catalog: &Catalog, moves: &Moves, bands: &Bands) -> Refusal {
    let message = format!(
        "{} products have a price in both bands of days, {} of them beyond half or double; {PRODUCTS_MIN} are needed: \
         ask for another win or a wider category",
        moves.matched, moves.trimmed
    );
    let BandDays { recent_from, recent_to, base_from, base_to, shifted_days } = BandDays::of(catalog, bands);
    let details = NoResultsDetails {
        leaders: Some(Box::new(LeaderDetails {
            matched: moves.matched,
            trimmed: moves.trimmed,
            recent_from,
            recent_to,
            base_from,
            base_to,
            shifted_days,
        })),
        ..NoResultsDetails::new(NoResultsReason::TooFewProducts)
    };
    Refusal::NoResults { message, details: Box::new(details), suggest: None }
}

impl BandDays {
    fn of(catalog: &Catalog, bands: &Bands) -> Self {
        let day = |number| Bands::day(catalog, number);
        Self {
            recent_from: day(bands.recent.0),
            recent_to: day(bands.recent.1),
            base_from: day(bands.base.0),
            base_to: day(bands.base.1),
            shifted_days: bands.shifted,
        }
    }
}

impl<'a> Leader<'a> {
    fn of(catalog: &'a Catalog, found: &Move) -> Self {
        let (from, to) = (i128::from(found.from), i128::from(found.to));
        Self {
            item: ListingItem::of(catalog, found.row),
            from_price: Cents::new(found.from),
            to_price: Cents::new(found.to),
            change_pct: Percent::from_ratio(to - from, from),
            change_amount: Money::from_ratio(to - from, 1),
            base_days: found.base_days,
            recent_days: found.recent_days,
        }
    }
}
