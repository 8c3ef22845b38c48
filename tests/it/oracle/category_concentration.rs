//! `/v1/analyst/category-concentration`: how the listings of a category spread over brands or retailers.

use super::frac::{Frac, pct_of, ratio_of};
use super::params::Params;
use super::price_positioning::note;
use super::shelf::{counted, rows, shelf};
use super::{Answer, Oracle, head, merge, meta, nothing};
use serde_json::{Value, json};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = ["category", "department", "country", "retailer", "aggregate_by", "quote"];
    let mut p = Params::read(query, &names);
    let by = p.one_of("aggregate_by", &["brand", "retailer"]).unwrap_or("brand");
    let shelf = shelf(o, &mut p)?;
    let priced: Vec<_> = shelf.listings.iter().filter(|l| o.priced(l)).copied().collect();
    if priced.is_empty() {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let counts = if by == "brand" {
        counted(priced.iter().filter_map(|l| o.brand(l)))
    } else {
        counted(priced.iter().map(|l| l.platform.as_str()))
    };
    if counts.is_empty() {
        return Err(nothing(json!({ "reason": "no_brand" })));
    }
    let n: i128 = counts.iter().map(|c| i128::from(c.1)).sum();
    let squares: i128 = counts.iter().map(|c| i128::from(c.1 * c.1)).sum();
    let hhi = Frac::new(10_000 * squares, n * n);
    let two = |x: Frac| json!(x.times(100).half_up() as f64 / 100.0);
    let level = |moderate: i128, concentrated: i128| {
        if hhi.less(Frac::int(moderate)) {
            "fragmented"
        } else if Frac::int(concentrated).less(hhi) {
            "concentrated"
        } else {
            "moderate"
        }
    };
    let four: i128 = counts.iter().take(4).map(|c| i128::from(c.1)).sum();
    let mut v = json!({
        "aggregate_by": by, "products": priced.len(), "counted_products": n as i64,
        "counted_coverage": ratio_of(Frac::new(n, priced.len() as i128)), "groups": counts.len(),
        "hhi": two(hhi), "cr4_pct": pct_of(Frac::new(four, n)), "effective_groups": two(Frac::new(n * n, squares)),
        "fragmentation": level(1000, 1800), "fragmentation_2010": level(1500, 2500),
        "thresholds": [
            { "guideline": "2023", "moderate_from": 1000, "concentrated_above": 1800 },
            { "guideline": "2010", "moderate_from": 1500, "concentrated_above": 2500 },
        ],
        "largest": rows("label", &counts), "notes": [], "meta": meta(priced.iter().map(|l| o.now(l).instant)),
    });
    if counts.len() < 5 {
        for name in ["hhi", "cr4_pct", "effective_groups", "fragmentation", "fragmentation_2010"] {
            v[name] = Value::Null;
        }
        v["notes"] = json!([note("hhi", "too_few", json!(counts.len()), json!(5))]);
    }
    Ok(merge(head(shelf.country, shelf.retailer.as_deref(), &shelf.resolved), v))
}
