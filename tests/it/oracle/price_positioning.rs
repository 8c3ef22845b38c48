//! `/v1/marketing/price-positioning`: where a brand or a retailer stands among the prices of a category.

use super::frac::{Frac, mean, median, money_of, pct_of, quantile, ratio_of, rounded};
use super::load::Listing;
use super::pack::{self, Reading};
use super::params::Params;
use super::{Answer, Oracle, checked, head, merge, meta, nothing, price_bands};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["category", "brand", "country", "retailer", "quote"]);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    if !p.given("category") {
        p.blame("category");
    }
    if !p.given("brand") && !p.given("retailer") {
        p.blame("brand");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let brand = o.known_brand(country, p.text("brand"))?;
    let at = |l: &Listing| retailer.as_ref().is_none_or(|r| *r == l.platform);
    let of = |l: &Listing| brand.is_none() || l.brand_key == brand;
    let mut pool = o.scope(country, Some(&resolved.scope), None);
    pool.retain(|l| o.priced(l) && (brand.is_none() || at(l)));
    if !pool.iter().any(|l| at(l) && of(l)) {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    pool.retain(|l| l.condition == "new");
    let subject: Vec<&Listing> = pool.iter().filter(|l| at(l) && of(l)).copied().collect();
    if subject.is_empty() {
        return Err(nothing(json!({ "reason": "too_few_products" })));
    }
    let cents = |of: &[&Listing]| -> Vec<Frac> { of.iter().map(|l| Frac::int(o.now(l).price)).collect() };
    let (all, own) = (cents(&pool), cents(&subject));
    let mut v = json!({
        "brand": brand.as_ref().and_then(|k| o.brand_label(k)),
        "subject": match (&brand, &retailer) {
            (Some(_), Some(_)) => "brand_at_retailer",
            (Some(_), None) => "brand",
            _ => "retailer",
        },
        "products": subject.len(), "category_products": pool.len(), "category_avg_price": money_of(mean(&all)),
        "category_median_price": money_of(median(&all)), "avg_price": null, "median_price": null,
        "price_index": null, "median_index": null, "category_percentile": null, "tier": null, "tier_mix": null,
        "matched_index": null, "matched_pairs": null, "matched_ci95": null,
        "meta": meta(pool.iter().map(|l| o.now(l).instant)),
    });
    let mut notes = Vec::new();
    let middle = median(&own);
    if subject.len() < 3 {
        notes.push(note("price_index", "too_few", json!(subject.len()), json!(3)));
    } else {
        v["avg_price"] = money_of(mean(&own));
        v["median_price"] = money_of(middle);
        if subject.len() == pool.len() {
            notes.push(note("price_index", "no_peer", Value::Null, Value::Null));
        } else {
            v["price_index"] = ratio_of(mean(&own).div(mean(&all)));
            v["median_index"] = ratio_of(middle.div(median(&all)));
            let below = all.iter().filter(|p| p.less(middle)).count();
            let equal = all.iter().filter(|p| **p == middle).count();
            v["category_percentile"] = pct_of(Frac::new((2 * below + equal) as i128, 2 * all.len() as i128));
        }
    }
    match price_bands::tiers_of(o, country, &resolved.scope) {
        None => notes.push(note("tier", "no_ladder", Value::Null, Value::Null)),
        Some(Value::Array(tiers)) => {
            let inside = |tier: &Value, price: Frac| {
                let cents = |name: &str| tier[name].as_f64().map(|x| Frac::int((x * 100.0).round() as i64));
                let low = cents("from").expect("a lower end");
                (low.n == 0 || low.less(price)) && cents("to").is_none_or(|high| !high.less(price))
            };
            let count = |tier: &Value, of: &[Frac]| of.iter().filter(|p| inside(tier, **p)).count() as i128;
            if subject.len() >= 3 {
                v["tier"] = tiers.iter().find(|t| inside(t, middle)).expect("a tier")["name"].clone();
            }
            let row = |t: &Value| {
                json!({ "name": t["name"], "from": t["from"], "to": t["to"], "products": count(t, &own) as i64,
                    "share_pct": pct_of(Frac::new(count(t, &own), own.len() as i128)),
                    "category_share_pct": pct_of(Frac::new(count(t, &all), all.len() as i128)) })
            };
            v["tier_mix"] = tiers.iter().map(row).collect();
        }
        Some(_) => {
            let members = v.as_object_mut().expect("an object");
            members.remove("tier");
            members.remove("tier_mix");
        }
    }
    match &retailer {
        None => notes.push(note("matched_index", "needs_retailer", Value::Null, Value::Null)),
        Some(retailer) => {
            let logs = matched(o, country, retailer, &subject);
            v["matched_pairs"] = json!(logs.len());
            if logs.len() < 10 {
                notes.push(note("matched_index", "too_few", json!(logs.len()), json!(10)));
            } else {
                let n = logs.len() as f64;
                let m = logs.iter().sum::<f64>() / n;
                let s = (logs.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
                let half = 1.96 * s / n.sqrt();
                v["matched_index"] = rounded(m.exp(), 4);
                v["matched_ci95"] = json!([rounded((m - half).exp(), 4), rounded((m + half).exp(), 4)]);
            }
        }
    }
    v["notes"] = json!(notes);
    if let Some(rows) = unit_prices(o, &pool, &subject) {
        v["unit_prices"] = rows;
    }
    Ok(merge(head(country, retailer.as_deref(), &resolved), v))
}

pub fn note(field: &str, reason: &str, have: Value, need: Value) -> Value {
    json!({ "field": field, "reason": reason, "have": have, "need": need })
}

/// Logs of the retailer's lowest price over the geometric mean of the others' lowest, entity by entity.
fn matched(o: &Oracle, country: &str, retailer: &str, subject: &[&Listing]) -> Vec<f64> {
    let entities: BTreeSet<&str> =
        subject.iter().filter(|l| l.gtin.is_some()).map(|l| l.entity.as_str()).collect();
    let mut logs = Vec::new();
    for entity in entities {
        let mut lowest: BTreeMap<&str, i64> = BTreeMap::new();
        for l in o.members(entity, country).into_iter().filter(|l| o.priced(l) && l.condition == "new") {
            let low = lowest.entry(&l.platform).or_insert(i64::MAX);
            *low = o.now(l).price.min(*low);
        }
        let Some(own) = lowest.remove(retailer) else { continue };
        if lowest.is_empty() {
            continue;
        }
        let others = lowest.values().map(|p| (*p as f64).ln()).sum::<f64>() / lowest.len() as f64;
        let x = (own as f64).ln() - others;
        if x.abs() <= 3f64.ln() + 1e-12 {
            logs.push(x);
        }
    }
    logs
}

/// Rows by unit; `None` where a name is too odd to be read plainly.
fn unit_prices(o: &Oracle, pool: &[&Listing], subject: &[&Listing]) -> Option<Value> {
    let by_unit = |of: &[&Listing]| -> Option<BTreeMap<&'static str, Vec<f64>>> {
        let mut found: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for l in of {
            match pack::read(&l.name) {
                Reading::Murky => return None,
                Reading::Clear(None) => {}
                Reading::Clear(Some(p)) => {
                    let (price, per) = p.exact_unit_price(o.now(l).price, &l.country);
                    found.entry(per).or_default().push(price.f64());
                }
            }
        }
        found.values_mut().for_each(|prices| prices.sort_by(f64::total_cmp));
        Some(found)
    };
    let (all, own) = (by_unit(pool)?, by_unit(subject)?);
    let mut units: Vec<(&&str, &Vec<f64>)> = own.iter().filter(|(_, prices)| prices.len() >= 3).collect();
    units.sort_by_key(|(per, prices)| (usize::MAX - prices.len(), **per));
    let rows = units.into_iter().map(|(per, prices)| {
        let (median, category) = (quantile(prices, 0.5), quantile(&all[per], 0.5));
        json!({ "per": per, "products": prices.len(), "median": rounded(median, 4),
            "category_products": all[per].len(), "category_median": rounded(category, 4),
            "index": rounded(median / category, 4) })
    });
    Some(rows.collect())
}
