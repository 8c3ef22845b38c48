//! `/v1/marketing/competitive-landscape`: the priced listings of a category by price.

use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, category, checked, day, frac, head, merge, meta, nothing};
use serde_json::{Value, json};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["category", "country", "retailer", "sort", "cursor", "limit", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    let sort = p.one_of("sort", &["price_asc", "price_desc", "rating", "reviews"]);
    let cursor = p.position("cursor");
    let limit = p.int("limit", 1, 50).unwrap_or(20) as usize;
    if !p.given("category") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let mut found = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    found.retain(|l| o.priced(l));
    if found.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let sign = if sort == Some("price_desc") { -1 } else { 1 };
    found.sort_by_key(|l| (sign * o.now(l).price, l.uid.clone()));
    let page: Vec<&Listing> = found.iter().skip(cursor).take(limit).copied().collect();
    let more = cursor.saturating_add(page.len()) < found.len() && !page.is_empty();
    Ok(merge(
        head(country, retailer.as_deref(), &resolved),
        json!({
            "items": page.iter().map(|l| item(o, l)).collect::<Vec<_>>(),
            "next_cursor": more.then(|| cursor + page.len()), "has_more": more,
            "meta": meta(page.iter().map(|l| o.now(l).instant)),
        }),
    ))
}

pub fn item(o: &Oracle, l: &Listing) -> Value {
    let now = o.now(l);
    let at = day::instant_text(now.instant);
    let several = o.members(&l.entity, &l.country).len() >= 2;
    json!({
        "product_uid": l.uid, "entity_uid": l.entity, "product_id": l.product_id, "product_name": l.name,
        "brand": o.brand(l), "retailer": l.platform, "price": frac::money(now.price),
        "list_price": now.list.map_or(Value::Null, frac::money),
        "discount_pct": now.depth().map_or(Value::Null, frac::pct_of),
        "star_rating": l.rating, "review_count": l.reviews, "promo_flag": now.promo(), "in_stock": now.stock,
        "condition": l.condition, "match_type": if several { "entity" } else { "self_text" },
        "observed_at": at, "scraped_at": at, "gpc": category::listing_gpc(o, l),
    })
}
