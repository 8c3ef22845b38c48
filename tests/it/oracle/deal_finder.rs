//! `/v1/shopper/deal-finder`: discounts held against the listing's own past.

use super::frac::{Frac, median, money, money_of, pct_of};
use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, checked, head, landscape, merge, meta, nothing};
use serde_json::{Value, json};

struct Reference {
    price: Option<Frac>,
    days: Option<usize>,
    lowest: Option<i64>,
}

fn reference(o: &Oracle, l: &Listing) -> Reference {
    let (t, _) = o.latest(l).expect("priced");
    let recent: Vec<i64> = l.days.range(t - 90..t).map(|(_, x)| x.price).collect();
    let lowest = recent.iter().min().copied();
    if recent.len() >= 2 {
        let all: Vec<Frac> = recent.iter().map(|c| Frac::int(*c)).collect();
        return Reference { price: Some(median(&all)), days: Some(recent.len()), lowest };
    }
    let earlier = l.days.range(t - 200..t).next_back().map(|(_, x)| Frac::int(x.price));
    Reference { price: earlier, days: earlier.map(|_| 1), lowest }
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["category", "country", "retailer", "min_discount_pct", "sort", "limit", "cursor", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    let least = p.int("min_discount_pct", 0, 95).unwrap_or(10);
    let sort = p.one_of("sort", &["verified_pct", "claimed_pct", "amount"]).unwrap_or("verified_pct");
    let limit = p.int("limit", 1, 50).unwrap_or(20) as usize;
    let cursor = p.position("cursor");
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
    found.retain(|l| l.condition == "new" && o.now(l).stock != Some(false));
    let without = found.iter().filter(|l| reference(o, l).price.is_none()).count();
    let verified =
        |l: &Listing| reference(o, l).price.map(|r| Frac::int(1).sub(Frac::int(o.now(l).price).div(r)));
    let least = Frac::new(i128::from(least), 100);
    let mut kept: Vec<(Frac, &Listing)> = Vec::new();
    for l in &found {
        let now = o.now(l);
        let measured = if sort == "verified_pct" { verified(l) } else { now.depth() };
        if measured.is_none_or(|m| m.less(least)) {
            continue;
        }
        let amount = now.believed().map(|x| Frac::int(x - now.price));
        let key = if sort == "amount" { amount } else { measured };
        kept.push((key.expect("measured"), l));
    }
    kept.sort_by(|a, b| b.0.order(a.0).then(a.1.uid.cmp(&b.1.uid)));
    let page: Vec<&Listing> = kept.iter().skip(cursor).take(limit).map(|x| x.1).collect();
    let more = !page.is_empty() && cursor + page.len() < kept.len();
    let items: Vec<Value> = page
        .iter()
        .map(|l| {
            let (now, r) = (o.now(l), reference(o, l));
            merge(
                landscape::item(o, l),
                json!({
                    "claimed_pct": now.depth().map_or(Value::Null, pct_of),
                    "verified_pct": verified(l).map_or(Value::Null, pct_of),
                    "reference_price": r.price.map_or(Value::Null, money_of), "reference_days": r.days,
                    "lowest_90": r.lowest.map_or(Value::Null, money),
                    "is_lowest_90": r.lowest.map(|low| now.price <= low),
                }),
            )
        })
        .collect();
    Ok(merge(
        head(country, retailer.as_deref(), &resolved),
        json!({
            "candidates": found.len(), "without_reference": without, "items": items,
            "next_cursor": more.then(|| cursor + page.len()), "has_more": more,
            "meta": { "served_from": "memory", "schema_version": "1.0.0",
                "price_observed_at_max": meta(page.iter().map(|l| o.now(l).instant))["price_observed_at_max"] },
        }),
    ))
}
