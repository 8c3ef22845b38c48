//! `/v1/analyst/price-dispersion`: how far current prices spread, on a shelf and for one product.

use super::frac::{Frac, mean, median, money_of, pct_of, quantile, rounded};
use super::load::Listing;
use super::params::Params;
use super::{Answer, Oracle, checked, head, mean_pct, merge, meta, nothing};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["category", "department", "country", "retailer", "quote"]);
    p.boolean("quote");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    if !p.given("category") && !p.given("department") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), p.text("department").as_deref())?;
    let mut found = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    found.retain(|l| o.priced(l) && l.condition == "new");
    if found.len() < 5 {
        return Err(nothing(json!({})));
    }
    let cents: Vec<Frac> = found.iter().map(|l| Frac::int(o.now(l).price)).collect();
    let mut x: Vec<f64> = found.iter().map(|l| o.now(l).price as f64 / 100.0).collect();
    x.sort_by(f64::total_cmp);
    let middle = mean(&cents).f64() / 100.0;
    let std = (x.iter().map(|p| (p - middle).powi(2)).sum::<f64>() / (x.len() - 1) as f64).sqrt();
    let q = |p: f64| rounded(quantile(&x, p), 2);
    let iqr = (quantile(&x, 0.75) - quantile(&x, 0.25)) / quantile(&x, 0.5);
    let mut v = merge(
        head(country, retailer.as_deref(), &resolved),
        json!({
            "products": found.len(), "mean": money_of(mean(&cents)), "median": money_of(median(&cents)),
            "std_dev": rounded(std, 2), "coefficient_of_variation": rounded(std / middle, 4),
            "percentiles": { "p05": q(0.05), "p10": q(0.1), "p25": q(0.25), "p50": q(0.5), "p75": q(0.75),
                "p90": q(0.9), "p95": q(0.95) },
            "iqr_to_median": rounded(iqr, 4), "cross_retailer": cross(o, &found),
            "meta": meta(found.iter().map(|l| o.now(l).instant)),
        }),
    );
    if let Some(bins) = histogram(&x) {
        v["histogram"] = bins;
    }
    Ok(v)
}

/// `None` where a price lies so close to an inner edge that f64 decides.
fn histogram(x: &[f64]) -> Option<Value> {
    let (low, high) = (quantile(x, 0.01), quantile(x, 0.99));
    let edge = |i: usize| low + (high - low) * i as f64 / 8.0;
    let mut counts = [0usize; 8];
    for p in x {
        if high > low && (1..8).any(|i| (p - edge(i)).abs() < 1e-7) {
            return None;
        }
        let bin = (1..8).filter(|i| *p >= edge(*i)).count();
        counts[bin] += 1;
    }
    let bins: Vec<Value> = (0..8)
        .map(|i| json!({ "from": rounded(edge(i), 2), "to": rounded(edge(i + 1), 2), "count": counts[i] }))
        .collect();
    Some(json!(bins))
}

fn cross(o: &Oracle, found: &[&Listing]) -> Value {
    let mut lowest: BTreeMap<&str, BTreeMap<&str, i64>> = BTreeMap::new();
    for l in found {
        let price = o.now(l).price;
        let low = lowest.entry(&l.entity).or_default().entry(&l.platform).or_insert(price);
        *low = price.min(*low);
    }
    let sets: Vec<Vec<i64>> = lowest
        .values()
        .filter(|r| r.len() >= 2)
        .map(|r| {
            let mut prices: Vec<i64> = r.values().copied().collect();
            prices.sort_unstable();
            prices
        })
        .collect();
    if sets.is_empty() {
        return Value::Null;
    }
    let over = |a: i64, b: i64| Frac::new(i128::from(a - b), i128::from(b));
    let spreads: Vec<Frac> = sets.iter().map(|s| over(s[s.len() - 1], s[0])).collect();
    let gaps: Vec<Frac> = sets.iter().map(|s| over(s[1], s[0])).collect();
    let savings: Vec<Frac> = sets
        .iter()
        .map(|s| mean(&s.iter().map(|p| Frac::int(*p)).collect::<Vec<_>>()).sub(Frac::int(s[0])))
        .collect();
    let mut floats: Vec<f64> = spreads.iter().map(|s| s.f64() * 100.0).collect();
    floats.sort_by(f64::total_cmp);
    json!({
        "entities": sets.len(), "median_spread_pct": pct_of(median(&spreads)),
        "p90_spread_pct": rounded(quantile(&floats, 0.9), 2), "mean_gap_to_second_pct": mean_pct(&gaps),
        "mean_saving": money_of(mean(&savings)),
    })
}
