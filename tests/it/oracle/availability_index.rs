//! `/v1/marketing/availability-index`: what is in stock, and how long what is not has been out of it.

use super::frac::{Frac, median, money, pct_of, ratio_of};
use super::load::Listing;
use super::params::{Params, Window};
use super::{Answer, Oracle, checked, day, head, in_window, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names =
        ["category", "brand", "country", "retailer", "time_window", "from", "to", "aggregate_by", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    let by = p.one_of("aggregate_by", &["retailer", "brand"]).unwrap_or("retailer");
    if !p.given("category") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let brand = o.known_brand(country, p.text("brand"))?;
    let mut scope = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    scope.retain(|l| brand.is_none() || l.brand_key == brand);
    if !scope.iter().any(|l| o.priced(l)) {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let mut groups: BTreeMap<String, Vec<&Listing>> = BTreeMap::new();
    for l in &scope {
        let label = if by == "brand" { o.brand(l).map(str::to_string) } else { Some(l.platform.clone()) };
        if let Some(label) = label {
            groups.entry(label).or_default().push(l);
        }
    }
    groups.retain(|_, listings| listings.iter().any(|l| o.priced(l)));
    if groups.is_empty() {
        return Err(nothing(json!({ "reason": "no_brand" })));
    }
    let all: Vec<&Listing> = groups.values().flatten().copied().collect();
    let observed = meta(all.iter().filter(|l| o.priced(l)).map(|l| o.now(l).instant));
    let said_now = |l: &&Listing| o.priced(l) && o.now(l).stock.is_some();
    let said = |l: &&Listing| in_window(l, &window).iter().any(|(_, x)| x.stock.is_some());
    if !all.iter().any(|l| said_now(l) || said(l)) {
        return Err(nothing(json!({ "reason": "no_stock_status" })));
    }
    let mut rows: Vec<(String, Value)> =
        groups.iter().map(|(label, of)| (label.clone(), figures(o, of, &window))).collect();
    rows.sort_by_key(|(label, v)| (u64::MAX - v["products"].as_u64().expect("a count"), label.clone()));
    let rows: Vec<Value> =
        rows.into_iter().take(200).map(|(label, v)| merge(json!({ by: label }), v)).collect();
    let mut out: Vec<(i64, &Listing, i64)> = Vec::new();
    for l in all.iter().filter(|l| o.priced(l)) {
        out.extend(streaks(l, &window).last().filter(|s| s.ongoing).map(|s| (s.days, *l, s.since)));
    }
    out.sort_by_key(|(days, l, _)| (-days, &l.uid));
    let out: Vec<Value> = out
        .into_iter()
        .take(20)
        .map(|(days, l, since)| {
            json!({ "product_uid": l.uid, "entity_uid": l.entity, "product_name": l.name, "brand": o.brand(l),
                "retailer": l.platform, "price": money(o.now(l).price), "out_since": day::text(since),
                "out_days": days })
        })
        .collect();
    let (shown, absent) = if by == "brand" { ("brands", "retailers") } else { ("retailers", "brands") };
    let v = json!({
        "brand": brand.as_ref().and_then(|k| o.brand_label(k)), "aggregate_by": by,
        "window": window.json("daily"), "total": figures(o, &all, &window), shown: rows,
        absent: { "$absent": true }, "out_of_stock_now": out, "meta": observed,
    });
    Ok(merge(head(country, retailer.as_deref(), &resolved), v))
}

/// What the priced of some listings say of their stock now.
pub fn stock_now(o: &Oracle, of: &[&Listing]) -> Value {
    let now: Vec<Option<bool>> = of.iter().filter(|l| o.priced(l)).map(|l| o.now(l).stock).collect();
    let count = |said: Option<bool>| now.iter().filter(|s| **s == said).count() as i128;
    let (stocked, out) = (count(Some(true)), count(Some(false)));
    let known = stocked + out;
    json!({
        "in_stock_count": stocked as i64, "out_of_stock_count": out as i64,
        "in_stock_rate_pct": if known < 5 { Value::Null } else { pct_of(Frac::new(stocked, known)) },
        "availability_coverage": ratio_of(Frac::new(known, now.len() as i128)),
    })
}

fn figures(o: &Oracle, of: &[&Listing], window: &Window) -> Value {
    let said: Vec<bool> = of.iter().flat_map(|l| in_window(l, window)).filter_map(|(_, x)| x.stock).collect();
    let out = said.iter().filter(|stocked| !**stocked).count();
    let streaks: Vec<Streak> = of.iter().flat_map(|l| streaks(l, window)).collect();
    let lengths: Vec<Frac> = streaks.iter().map(|s| Frac::int(s.days)).collect();
    let v = stock_now(o, of);
    let known = v["in_stock_count"].as_i64().unwrap() + v["out_of_stock_count"].as_i64().unwrap();
    let share = if said.len() < 5 { Value::Null } else { pct_of(Frac::new(out as i128, said.len() as i128)) };
    let middle = (!lengths.is_empty()).then(|| median(&lengths).times(10).half_up() as f64 / 10.0);
    merge(
        v,
        json!({
            "products": of.iter().filter(|l| o.priced(l)).count(), "known_products": known,
            "observations": said.len(), "out_of_stock_observation_pct": share, "streaks": streaks.len(),
            "ongoing_streaks": streaks.iter().filter(|s| s.ongoing).count(), "median_streak_days": middle,
            "longest_streak_days": streaks.iter().map(|s| s.days).max(),
        }),
    )
}

struct Streak {
    since: i64,
    days: i64,
    ongoing: bool,
}

fn streaks(l: &Listing, window: &Window) -> Vec<Streak> {
    let said = in_window(l, window).into_iter().filter_map(|(d, x)| Some((d, x.stock?)));
    let latest = l.days.keys().next_back();
    let mut found = Vec::new();
    let mut open: Option<(i64, i64)> = None;
    for (d, stocked) in said {
        open = match open {
            None if stocked => None,
            None => Some((d, d)),
            Some((since, _)) if !stocked => Some((since, d)),
            Some((since, _)) => {
                found.push(Streak { since, days: d - since, ongoing: false });
                None
            }
        };
    }
    if let Some((since, last)) = open {
        found.push(Streak { since, days: last + 1 - since, ongoing: latest == Some(&last) });
    }
    found
}
