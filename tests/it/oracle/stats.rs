//! `/v1/public/stats`: what a snapshot holds.

use super::params::Params;
use super::{Answer, Oracle, checked, currency, day};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["country"]);
    let asked = p.one_of("country", &["us", "ca"]);
    checked(&p)?;
    let countries: Vec<Value> =
        ["us", "ca"].into_iter().filter(|c| asked.is_none_or(|a| a == *c)).map(|c| row(o, c)).collect();
    let sum = |name: &str| countries.iter().filter_map(|c| c[name].as_u64()).sum::<u64>();
    Ok(json!({
        "as_of": day::text(o.n), "snapshot_id": { "$text": true }, "schema_version": "1.0.0",
        "gpc_codes": (!o.gpc.is_empty()).then_some(o.gpc.len()), "listings": sum("listings"),
        "priced_listings": sum("priced_listings"), "observations": sum("observations"), "countries": countries,
    }))
}

fn row(o: &Oracle, country: &str) -> Value {
    let all = || o.listings.iter().filter(|l| l.country == country);
    let priced = || all().filter(|l| o.priced(l));
    let mut sellers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for l in priced() {
        sellers.entry(&l.entity).or_default().insert(&l.platform);
    }
    let serving = o.cells.iter().filter(|c| c.country == country && c.status() == "serving");
    let serving: BTreeSet<&str> = serving.map(|c| c.platform.as_str()).collect();
    let days = || all().flat_map(|l| l.days.keys().copied());
    let tree = &o.trees[country];
    json!({
        "country": country, "currency": currency(country), "listings": all().count(),
        "priced_listings": priced().count(), "barcoded_listings": all().filter(|l| l.gtin.is_some()).count(),
        "entities": all().map(|l| &l.entity).collect::<BTreeSet<_>>().len(), "priced_entities": sellers.len(),
        "cross_retailer_entities": sellers.values().filter(|s| s.len() >= 2).count(),
        "retailer_count": all().map(|l| &l.platform).collect::<BTreeSet<_>>().len(),
        "serving_eligible_retailer_count": serving.len(),
        "brand_count": all().filter_map(|l| l.brand_key.as_ref()).collect::<BTreeSet<_>>().len(),
        "category_count": tree.len(), "category_root_count": tree.keys().filter(|n| !n.contains('/')).count(),
        "observations": days().count(), "observed_from": days().min().map(day::text),
        "observed_to": days().max().map(day::text),
    })
}
