//! `/v1/marketing/promo-intelligence`: how often and how deep, by brand or by retailer.

use super::frac::{Frac, pct_of};
use super::load::{Listing, Obs};
use super::params::{Params, Window};
use super::{Answer, Oracle, checked, head, in_window, mean_pct, merge, meta_of_days, observed_span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names =
        ["category", "country", "retailer", "time_window", "from", "to", "brand", "aggregate_by", "quote"];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    let by = p.one_of("aggregate_by", &["brand", "retailer"]).unwrap_or("brand");
    if !p.given("category") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), None)?;
    let brand = o.known_brand(country, p.text("brand"))?;
    let mut scope = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    scope.retain(|l| brand.is_none() || l.brand_key == brand);
    scope.retain(|l| by == "retailer" || l.brand_key.is_some());
    let mut groups: BTreeMap<&str, Vec<&Obs>> = BTreeMap::new();
    for l in &scope {
        let key = if by == "brand" { o.brand(l).unwrap_or("") } else { l.platform.as_str() };
        let seen = in_window(l, &window);
        if !seen.is_empty() {
            groups.entry(key).or_default().extend(seen.iter().map(|x| x.1));
        }
    }
    if groups.is_empty() {
        let by_nobody = by == "brand" && brand.is_none() && scope.is_empty();
        let none = json!({ "reason": "no_brand", "observed_from": null, "observed_to": null });
        return Err(if by_nobody { super::nothing(none) } else { observed_span(&scope) });
    }
    let mut rows: Vec<(&str, Vec<&Obs>)> = groups.into_iter().collect();
    rows.sort_by_key(|(label, all)| (usize::MAX - all.len(), *label));
    let served: Vec<Value> =
        rows.iter().take(200).map(|(label, all)| merge(json!({ by: label }), row(all))).collect();
    let list = if by == "brand" { "brands" } else { "retailers" };
    let mut v = merge(
        head(country, retailer.as_deref(), &resolved),
        json!({
            "brand": brand.as_ref().and_then(|k| o.brand_label(k)), "aggregate_by": by,
            "window": window.json("daily"), list: served,
        }),
    );
    if rows.len() <= 200 {
        v["meta"] = meta_of_days(points(&scope, &window));
    }
    Ok(v)
}

pub fn points<'a>(scope: &'a [&'a Listing], w: &'a Window) -> impl Iterator<Item = (&'a Listing, i64)> + 'a {
    scope.iter().flat_map(move |l| l.days.keys().filter(|d| w.holds(**d)).map(|d| (*l, *d)))
}

/// A promo row without its label.
pub fn row(all: &[&Obs]) -> Value {
    let promo: Vec<_> = all.iter().filter(|x| x.promo()).collect();
    let depths: Vec<Frac> = promo.iter().filter_map(|x| x.depth()).collect();
    let deepest = depths.iter().max_by(|a, b| a.order(**b));
    json!({
        "total_observations": all.len(), "promo_observations": promo.len(),
        "promo_frequency_pct": pct_of(Frac::new(promo.len() as i128, all.len() as i128)),
        "avg_promo_depth_pct": if depths.is_empty() { Value::Null } else { mean_pct(&depths) },
        "max_promo_depth_pct": deepest.map_or(Value::Null, |d| pct_of(*d)),
        "suspect_list_prices": all.iter().filter(|x| x.suspect_list()).count(),
    })
}
