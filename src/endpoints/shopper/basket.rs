//! `GET /v1/shopper/basket`: the cost of a shopping list at each retailer, at the best two retailers, and with each
//! item bought where it is cheapest.

use schemars::JsonSchema;
use serde::Serialize;

use super::best_prices::none_priced;
use crate::analytics::Span;
use crate::analytics::shopping::{AtRetailer, AtSeveral, WantedItem, Ways};
use crate::catalog::{Catalog, SuspectReason};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::ids::{ItemStatus, ListedId};
use crate::query::params::{BadParameter, Kind, Param, REQUIRED, Reader};
use crate::query::parts::Meta;
use crate::query::product_params::{COUNTRY, read_country};
use crate::query::refusal::Refusal;
use crate::query::scope::Market;
use crate::query::subject::{QuotedItems, Subject};
use crate::types::{Cents, Condition, Country, EntityUid, Instant, Money, Percent, ProductUid};

/// Maximum number of items of a basket.
const ITEMS_MAX: usize = 50;
/// Maximum quantity of an item.
const QUANTITY_MAX: u32 = 99;
/// Maximum number of retailers listed in the answer.
const RETAILERS_LISTED: usize = 20;

static ITEMS: Param = Param {
    name: "items",
    kind: Kind::Text,
    about: "Up to 50 comma-separated ids, each a barcode, product_uid or entity_uid, with *N after it for a quantity \
            of N, 1 to 99. Each id may appear only once.",
};

/// The endpoint.
pub(super) struct Basket;

/// Parsed parameters.
pub(super) struct Params {
    items: Vec<RequestedItem>,
    country: Country,
}

/// A requested item.
struct RequestedItem {
    id: ListedId,
    quantity: u32,
}

/// A resolved request.
pub(super) struct Plan {
    country: Country,
    items: Vec<(RequestedItem, Result<OfferedItem, ItemStatus>)>,
    answered: u32,
}

/// An item with an offer.
struct OfferedItem {
    entity: u32,
    /// Rows of the lowest offer of each retailer, ordered by price, then by product uid.
    offers: Vec<u32>,
}

/// Answer of basket.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    #[serde(flatten)]
    market: Market,
    /// Number of requested items.
    requested_items: u32,
    /// Number of requested items that have an offer.
    resolved_items: u32,
    /// Ids of the items without an offer, in the order of the request.
    missing: Vec<String>,
    /// One row per item, in the order of the request.
    items: Vec<ItemRow<'a>>,
    /// Number of retailers that offer any of the items.
    retailer_count: u32,
    /// The basket at each retailer, at most 20 retailers: most items first, then by completed_total, then by key.
    retailers: Vec<RetailerBasket<'a>>,
    /// The best basket at a single retailer, which is the first of `retailers`.
    single: Option<RetailerBasket<'a>>,
    /// The basket at the two retailers that together offer the most items, with each item at the cheaper of the two.
    /// Of pairs with equally many items, the cheapest is used. Null if only one retailer offers any of the items.
    pair: Option<SharedBasket<'a>>,
    /// The basket with each item at the retailer where it is cheapest.
    split: SharedBasket<'a>,
    /// Saving of split: completed_total of single minus total of split.
    split_saving: Money,
    /// split_saving in percent of completed_total of single.
    split_saving_pct: Percent,
    /// Source and freshness of the answer.
    meta: Meta,
}

/// An item of the basket.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BasketItem")]
struct ItemRow<'a> {
    /// Id from the request. A uid is returned unchanged, and a usable barcode as a GTIN of 14 digits.
    item: String,
    /// Requested quantity of the item.
    quantity: u32,
    /// Status of the item: `ok` if it has an offer; any other value is the reason why it has none.
    status: ItemStatus,
    /// Stable id of the product across retailers; null without an offer.
    entity_uid: Option<EntityUid>,
    /// Product name of the cheapest offer; null without an offer.
    product_name: Option<&'a str>,
    /// Whether the entity may combine materially different products; null without an offer.
    match_suspect: Option<bool>,
    /// Reasons for `match_suspect`; null without an offer.
    match_suspect_reasons: Option<Vec<SuspectReason>>,
    /// Lowest offer of each retailer, the cheapest first. Offers that are out of stock are excluded, and so are used
    /// and refurbished offers.
    offers: Vec<ItemOffer<'a>>,
}

/// A retailer's offer of an item.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BasketOffer")]
struct ItemOffer<'a> {
    /// Key of the retailer.
    retailer: &'a str,
    /// Stable id of the listing.
    product_uid: ProductUid,
    /// Current price of one unit, in currency.
    price: Cents,
    /// Whether the listing was in stock when its price was observed; null if the source does not state it.
    in_stock: Option<bool>,
    /// Condition. If the source does not state it, it is read from words in the name or the URL. Without such words it
    /// is `new`.
    condition: Condition,
    /// Instant of the observation. If the source reports only days, it is the start of the UTC day.
    observed_at: Instant,
}

/// The basket at one retailer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct RetailerBasket<'a> {
    /// Key of the retailer.
    retailer: &'a str,
    /// Number of items that the retailer offers.
    items_carried: u32,
    /// Ids of the items that only other retailers offer.
    missing: Vec<String>,
    /// Cost of the items that the retailer offers, in the requested quantities.
    total: Money,
    /// `total` plus the cost of the missing items at the retailers where they are cheapest. It is comparable between
    /// retailers, because it covers the same items.
    completed_total: Money,
}

/// The basket at several retailers.
#[derive(Debug, Serialize, JsonSchema)]
struct SharedBasket<'a> {
    /// Keys of the retailers, sorted.
    retailers: Vec<&'a str>,
    /// Number of items that at least one of these retailers offers.
    items_carried: u32,
    /// Cost of these items in the requested quantities, each item at the cheapest of these retailers.
    total: Money,
}

impl Endpoint for Basket {
    type Params = Params;
    type Plan = Plan;
    type Answer<'a> = Answer<'a>;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Basket",
        summary: "The cost of a shopping list at each retailer, at two retailers, and split over all.",
        about: "Use it to learn where a whole list is cheapest: up to 50 barcodes or uids with quantities. single is \
                the best retailer, pair the best two, split each item where it is cheapest, and split_saving the \
                saving of split. Retailers that lack items are compared by completed_total, which adds those items at \
                their cheapest elsewhere. Only offers that are new or of unknown condition and not out of stock count. \
                Only items with an offer are paid for, in started groups of ten; status gives the reason for the \
                others. pair is null if only one retailer offers any item.",
        methodology: &["basket"],
        params: &[&ITEMS, &COUNTRY],
        examples: &["items=00013409918104*2,00011210000032&country=ca"],
        rows: &["items"],
        batch: true,
        heavy: true,
        highlights: &["single.retailer", "single.completed_total", "split.total"],
        ..Descriptor::of("/v1/shopper/basket", Group::Shopper)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        let items = reader.text_as(&ITEMS, read);
        if !reader.was_given(&ITEMS) {
            reader.reject(BadParameter::new(ITEMS.name, REQUIRED));
        }
        Params { items: items.unwrap_or_default(), country: read_country(reader) }
    }

    fn resolve(catalog: &Catalog, params: Params) -> Result<Plan, Refusal> {
        let Params { items, country } = params;
        let found = |asked: RequestedItem| {
            let found = OfferedItem::of(catalog, country, &asked.id);
            (asked, found)
        };
        let items: Vec<_> = items.into_iter().map(found).collect();
        let answered = items.iter().filter(|(_, found)| found.is_ok()).count() as u32;
        if answered == 0 {
            return Err(none_priced(items.iter().filter_map(|(_, found)| found.as_ref().err())));
        }
        Ok(Plan { country, items, answered })
    }

    fn answered(plan: &Plan) -> u32 {
        plan.answered
    }

    fn subject(_: &Catalog, plan: &Plan) -> Subject {
        Subject::Items(QuotedItems { requested: plan.items.len() as u32, resolved: plan.answered })
    }

    fn run(catalog: &Catalog, plan: Plan, stamp: Stamp) -> Answer<'_> {
        let Plan { country, items, answered } = plan;
        let is_found = |item: &&(RequestedItem, Result<OfferedItem, ItemStatus>)| item.1.is_ok();
        let found = || items.iter().filter(is_found);
        let list: Vec<WantedItem> =
            found().filter_map(|(asked, found)| Some(wanted(catalog, asked, found.as_ref().ok()?))).collect();
        let texts: Vec<&str> = found().map(|(asked, _)| asked.id.text.as_str()).collect();
        let missing = items.iter().filter(|(_, found)| found.is_err());
        let missing = missing.map(|(asked, _)| asked.id.text.clone()).collect();
        let ways = Ways::of(&list);
        let rows = found()
            .filter_map(|(_, found)| found.as_ref().ok())
            .flat_map(|found| found.offers.iter().copied());
        let observed = Span::of_rows(catalog, rows);
        let retailers = ways.retailers.iter().take(RETAILERS_LISTED);
        let retailers: Vec<RetailerBasket<'_>> =
            retailers.map(|at| RetailerBasket::of(catalog, at, &texts)).collect();
        let completed = ways.retailers.first().map_or(ways.split.total, |single| single.completed);
        let saving = i128::from(completed) - i128::from(ways.split.total);
        Answer {
            market: Market::of(country),
            requested_items: items.len() as u32,
            resolved_items: answered,
            missing,
            retailer_count: ways.retailers.len() as u32,
            single: retailers.first().cloned(),
            retailers,
            pair: ways.pair.as_ref().map(|pair| SharedBasket::of(catalog, pair)),
            split: SharedBasket::of(catalog, &ways.split),
            split_saving: Money::from_ratio(saving, 1),
            split_saving_pct: Percent::from_ratio(saving, i128::from(completed)),
            items: items
                .into_iter()
                .map(|(asked, found)| ItemRow::of(catalog, country, asked, found))
                .collect(),
            meta: Meta::new(catalog, stamp, observed),
        }
    }
}

/// Reads the items of a basket and returns them with their normal form.
fn read(text: &str) -> Result<(Vec<RequestedItem>, String), String> {
    let mut items: Vec<RequestedItem> = Vec::new();
    for entry in text.split(',') {
        let (id, quantity) = match entry.rsplit_once('*') {
            None => (entry, Some(1)),
            Some((id, quantity)) => (id, read_quantity(quantity.trim())),
        };
        let id = ListedId::read(id).ok_or("contains an empty id; remove the surplus comma")?;
        let quantity = quantity.ok_or_else(|| {
            format!("{entry:?} does not have a quantity from 1 to {QUANTITY_MAX} after the *")
        })?;
        if items.iter().any(|known| known.id.text == id.text) {
            return Err(format!("contains {} twice; give each id once, with a quantity", id.text));
        }
        items.push(RequestedItem { id, quantity });
    }
    if items.len() > ITEMS_MAX {
        return Err(format!("contains {} items; at most {ITEMS_MAX} are compared per request", items.len()));
    }
    let normal = |item: &RequestedItem| match item.quantity {
        1 => item.id.text.clone(),
        more => format!("{}*{more}", item.id.text),
    };
    let normal = items.iter().map(normal).collect::<Vec<_>>().join(",");
    Ok((items, normal))
}

fn read_quantity(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let quantity = is_plain.then(|| text.parse().ok()).flatten();
    quantity.filter(|quantity| (1..=QUANTITY_MAX).contains(quantity))
}

/// Converts an item to the input of the comparison of retailers: its quantity and the price at each retailer.
fn wanted(catalog: &Catalog, asked: &RequestedItem, found: &OfferedItem) -> WantedItem {
    let offer = |&row: &u32| {
        let listing = catalog.listing(row);
        (listing.platform(), listing.price().get())
    };
    WantedItem { quantity: asked.quantity, offers: found.offers.iter().map(offer).collect() }
}

impl OfferedItem {
    fn of(catalog: &Catalog, country: Country, id: &ListedId) -> Result<Self, ItemStatus> {
        let product = id.find(catalog, country, None)?;
        let mut offers = product.offers;
        offers.retain(|&row| {
            let listing = catalog.listing(row);
            let is_sound = matches!(listing.condition(), Condition::New | Condition::Unknown);
            is_sound && listing.in_stock() != Some(false)
        });
        offers.sort_unstable_by_key(|&row| (catalog.listing(row).price(), catalog.listing(row).uid()));
        let mut seen: Vec<u16> = Vec::with_capacity(offers.len());
        offers.retain(|&row| {
            let platform = catalog.listing(row).platform();
            let is_first = !seen.contains(&platform);
            seen.extend(is_first.then_some(platform));
            is_first
        });
        if offers.is_empty() {
            return Err(ItemStatus::NoOffer);
        }
        Ok(Self { entity: product.entity, offers })
    }
}

impl<'a> ItemRow<'a> {
    fn of(
        catalog: &'a Catalog,
        country: Country,
        asked: RequestedItem,
        found: Result<OfferedItem, ItemStatus>,
    ) -> Self {
        let RequestedItem { id: ListedId { text: item, .. }, quantity } = asked;
        let (status, found) = match found {
            Ok(found) => (ItemStatus::Ok, Some(found)),
            Err(status) => (status, None),
        };
        let reasons = found.as_ref().map(|found| catalog.entities.suspect_reasons(found.entity, country));
        let offers = found.as_ref().map_or(&[][..], |found| &found.offers);
        Self {
            item,
            quantity,
            status,
            entity_uid: found.as_ref().map(|found| catalog.entities.uid(found.entity)),
            product_name: offers.first().map(|&row| catalog.listing(row).name()),
            match_suspect: reasons.as_ref().map(|reasons| !reasons.is_empty()),
            match_suspect_reasons: reasons,
            offers: offers.iter().map(|&row| ItemOffer::of(catalog, row)).collect(),
        }
    }
}

impl<'a> ItemOffer<'a> {
    fn of(catalog: &'a Catalog, row: u32) -> Self {
        let listing = catalog.listing(row);
        Self {
            retailer: listing.retailer(),
            product_uid: listing.uid(),
            price: listing.price(),
            in_stock: listing.in_stock(),
            condition: listing.condition(),
            observed_at: listing.observed_at(),
        }
    }
}

fn key(catalog: &Catalog, retailer: u16) -> &str {
    &catalog.platforms[usize::from(retailer)]
}

fn money(cents: u64) -> Money {
    Money::from_ratio(i128::from(cents), 1)
}

impl<'a> RetailerBasket<'a> {
    fn of(catalog: &'a Catalog, at: &AtRetailer, texts: &[&str]) -> Self {
        Self {
            retailer: key(catalog, at.retailer),
            items_carried: at.carried,
            missing: at.missing.iter().map(|&item| texts[item].to_owned()).collect(),
            total: money(at.total),
            completed_total: money(at.completed),
        }
    }
}

impl<'a> SharedBasket<'a> {
    fn of(catalog: &'a Catalog, at: &AtSeveral) -> Self {
        Self {
            retailers: at.retailers.iter().map(|&retailer| key(catalog, retailer)).collect(),
            items_carried: at.carried,
            total: money(at.total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_a_basket_are_one_request() {
        let normal = |text: &str| read(text).map(|(_, normal)| normal);
        let one = normal("00013409918104,e_x*2");
        assert_eq!(one.as_deref(), Ok("00013409918104,e_x*2"));
        assert_eq!(normal(" 0-13409-91810-4*1 , e_x *2"), one);
        for wrong in [
            "a*0",
            "a*",
            "a*100",
            "a*01",
            "a*x",
            "a*-1",
            "*2",
            "a,,b",
            "",
            "a,a*2",
            "13409918104,00013409918104",
        ] {
            assert!(normal(wrong).is_err(), "{wrong}");
        }
        let many = |count: usize| (0..count).map(|at| format!("p_{at}")).collect::<Vec<_>>().join(",");
        assert!(normal(&many(50)).is_ok() && normal(&many(51)).is_err());
    }
}
