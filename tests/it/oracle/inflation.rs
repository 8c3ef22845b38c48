//! `/v1/analyst/inflation`: like-for-like change and the time series of a scope.

use super::frac::{Frac, mean, median, money_of, pct_of, quantile, ratio_of, rounded};
use super::load::Listing;
use super::params::{Params, Window};
use super::{Answer, Oracle, checked, day, head, mean_pct, merge, meta_of_days, unobserved};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const GRANULARITIES: [&str; 3] = ["daily", "weekly", "monthly"];

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = [
        "category",
        "department",
        "country",
        "retailer",
        "time_window",
        "from",
        "to",
        "granularity",
        "quote",
    ];
    let mut p = Params::read(query, &names);
    p.boolean("quote");
    let (country, retailer, window) = (p.country(), p.platform("retailer"), p.window(o.n));
    let granularity_named = p.one_of("granularity", &GRANULARITIES);
    let granularity = granularity_named.unwrap_or(window.default_granularity());
    if !p.given("category") && !p.given("department") {
        p.blame("category");
    }
    checked(&p)?;
    o.eligible(retailer.as_deref(), country)?;
    let resolved = o.shelf(country, p.text("category").as_deref(), p.text("department").as_deref())?;
    let scope = o.scope(country, Some(&resolved.scope), retailer.as_deref());
    let Some(mut record) = record(&scope, &window, granularity) else { return Err(unobserved(&scope)) };
    let named = !p.given("from") && !p.given("to");
    let hint = if record["lfl_change_pct"].is_null() && named {
        let longer = |days: &i64| *days > window.to - window.from;
        [60, 90].into_iter().filter(longer).find(|days| {
            let wide = Window { preset: "", from: o.n - days, to: o.n, before: o.n - days, until: 0 };
            let points = periods(&scope, &wide, granularity_named.unwrap_or("weekly"));
            !like_for_like(&scope, &wide, &points)["lfl_change_pct"].is_null()
        })
    } else {
        None
    };
    record["lfl_try"] = json!(hint.map(|days| format!("last_{days}_days")));
    if let Some(name) = record["lfl_try"].as_str() {
        record["lfl_note"] = json!({ "$contains": name });
    }
    Ok(merge(head(country, retailer.as_deref(), &resolved), record))
}

/// One product in one period: its prices and what was seen last.
struct Cell {
    price: Frac,
    observations: usize,
    in_stock: bool,
    promo: bool,
}

type Period<'a> = BTreeMap<&'a str, Cell>;

fn label(d: i64, granularity: &str) -> String {
    match granularity {
        "weekly" => day::week_label(d),
        "monthly" => day::month_label(d),
        _ => day::text(d),
    }
}

fn period<'a>(scope: &[&'a Listing], holds: &dyn Fn(i64) -> bool) -> Period<'a> {
    let mut cells = BTreeMap::new();
    for l in scope {
        let seen: Vec<_> = l.days.iter().filter(|(d, _)| holds(**d)).collect();
        if let Some((_, last)) = seen.last() {
            let prices: Vec<Frac> = seen.iter().map(|(_, x)| Frac::int(x.price)).collect();
            let cell = Cell {
                price: mean(&prices),
                observations: seen.len(),
                in_stock: last.stock == Some(true),
                promo: last.promo(),
            };
            cells.insert(l.uid.as_str(), cell);
        }
    }
    cells
}

/// The periods that hold an observation: first day, label, products.
fn periods<'a>(scope: &[&'a Listing], w: &Window, granularity: &str) -> Vec<(i64, String, Period<'a>)> {
    let union: Vec<i64> = (w.before.min(w.from)..w.to).filter(|d| w.spans(*d)).collect();
    let mut buckets: BTreeMap<i64, String> = BTreeMap::new();
    for d in &union {
        let name = label(*d, granularity);
        if !buckets.values().any(|l| *l == name) {
            buckets.insert(*d, name);
        }
    }
    let mut points: Vec<(i64, String, Period)> = Vec::new();
    for (first, name) in buckets {
        let cells = period(scope, &|d| w.spans(d) && label(d, granularity) == name);
        if !cells.is_empty() {
            points.push((first, name, cells));
        }
    }
    points
}

/// The body without its head; `None` where the window holds no observation.
pub fn record(scope: &[&Listing], w: &Window, granularity: &str) -> Option<Value> {
    let points = periods(scope, w, granularity);
    if points.is_empty() {
        return None;
    }
    let days = scope.iter().flat_map(|l| l.days.keys().filter(|d| w.spans(**d)).map(|d| (*l, *d)));
    let v = json!({
        "granularity": granularity, "window": w.json(granularity), "meta": meta_of_days(days),
    });
    Some(merge(merge(v, series(&points)), like_for_like(scope, w, &points)))
}

/// The record of a window without observations.
pub fn empty() -> Value {
    let w = Window { preset: "custom", from: 0, to: 1, before: -1, until: 0 };
    merge(json!({ "time_series": [] }), like_for_like(&[], &w, &[]))
}

fn series(points: &[(i64, String, Period)]) -> Value {
    let mut rows = Vec::new();
    let (mut chain, mut methods) = (1.0f64, Vec::new());
    let average = |c: &Period| mean(&c.values().map(|x| x.price).collect::<Vec<_>>());
    for (i, (first, name, cells)) in points.iter().enumerate() {
        let mut prices: Vec<Frac> = cells.values().map(|c| c.price).collect();
        prices.sort_by(|a, b| a.order(*b));
        let mut row = json!({
            "date": day::text(*first), "period": name, "avg_price": money_of(mean(&prices)),
            "min_price": money_of(prices[0]), "max_price": money_of(*prices.last().expect("not empty")),
            "median_price": money_of(median(&prices)), "product_count": cells.len(),
            "observation_count": cells.values().map(|c| c.observations).sum::<usize>(),
            "in_stock_count": cells.values().filter(|c| c.in_stock).count(),
            "promo_count": cells.values().filter(|c| c.promo).count(),
            "change_pct": null, "matched_basket_size": null, "method": null,
        });
        if i > 0 {
            let before = &points[i - 1].2;
            let logs: Vec<f64> = cells
                .iter()
                .filter_map(|(uid, c)| before.get(uid).map(|b| c.price.div(b.price).f64().ln()))
                .collect();
            row["matched_basket_size"] = json!(logs.len());
            if logs.len() >= 10 {
                let growth = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
                chain *= growth;
                row["change_pct"] = rounded(100.0 * (growth - 1.0), 2);
                row["method"] = json!("matched");
                methods.push("matched");
            } else {
                let growth = average(cells).div(average(before)).sub(Frac::int(1));
                row["change_pct"] = pct_of(growth);
                row["method"] = json!("naive");
                methods.push("naive");
            }
        }
        rows.push(row);
    }
    let all = |m: &str| methods.iter().all(|x| *x == m);
    let method = match methods.len() {
        0 => Value::Null,
        _ if all("matched") => json!("matched"),
        _ if all("naive") => json!("naive"),
        _ => json!("mixed"),
    };
    let chained = method == "matched";
    let naive = (points.len() > 1)
        .then(|| average(&points[points.len() - 1].2).div(average(&points[0].2)).sub(Frac::int(1)));
    json!({
        "time_series": rows, "method": method,
        "overall_change_pct": if chained { rounded(100.0 * (chain - 1.0), 2) } else { Value::Null },
        "naive_overall_change_pct": naive.map_or(Value::Null, pct_of),
    })
}

/// First and last of the comparable periods.
fn ends<'a>(points: &'a [(i64, String, Period<'a>)]) -> Option<[&'a (i64, String, Period<'a>); 2]> {
    if points.len() < 2 {
        return None;
    }
    let mut counts: Vec<f64> = points.iter().map(|p| p.2.len() as f64).collect();
    counts.sort_by(f64::total_cmp);
    let middle = quantile(&counts, 0.5);
    let full: Vec<_> = points.iter().filter(|p| 2.0 * p.2.len() as f64 >= middle).collect();
    let usable: Vec<_> = if full.len() < 2 { points.iter().collect() } else { full };
    (usable.len() >= 2).then(|| [usable[0], usable[usable.len() - 1]])
}

fn like_for_like(scope: &[&Listing], w: &Window, points: &[(i64, String, Period)]) -> Value {
    let mut v = json!({
        "lfl_change_pct": null, "lfl_ci95_pct": null, "lfl_median_pct": null, "lfl_arithmetic_pct": null,
        "lfl_matched": 0, "lfl_rising": 0, "lfl_stable": 0, "lfl_falling": 0, "lfl_trimmed": 0,
        "lfl_match_rate": null, "lfl_periods": null, "lfl_note": { "$text": true },
    });
    let months;
    let (labels, first, last) = if w.month_over_month() {
        months = [period(scope, &|d| (w.before..w.until).contains(&d)), period(scope, &|d| w.holds(d))];
        if months.iter().any(BTreeMap::is_empty) {
            return v;
        }
        ([day::month_label(w.before), day::month_label(w.from)], &months[0], &months[1])
    } else {
        let Some([a, b]) = ends(points) else { return v };
        ([a.1.clone(), b.1.clone()], &a.2, &b.2)
    };
    let relatives: Vec<Frac> =
        last.iter().filter_map(|(uid, c)| first.get(uid).map(|b| c.price.div(b.price))).collect();
    let above = |r: &Frac, n: i128, d: i128| Frac::new(n, d).less(*r);
    let rising = relatives.iter().filter(|r| above(r, 101, 100)).count();
    let falling = relatives.iter().filter(|r| r.less(Frac::new(99, 100))).count();
    let kept: Vec<Frac> =
        relatives.iter().filter(|r| !above(r, 2, 1) && !r.less(Frac::new(1, 2))).copied().collect();
    let rate = Frac::new(relatives.len() as i128, first.len() as i128);
    v = merge(
        v,
        json!({
            "lfl_matched": relatives.len(), "lfl_rising": rising, "lfl_falling": falling,
            "lfl_stable": relatives.len() - rising - falling, "lfl_trimmed": relatives.len() - kept.len(),
            "lfl_match_rate": ratio_of(rate), "lfl_periods": labels,
        }),
    );
    if kept.len() < 10 {
        return v;
    }
    let n = kept.len() as f64;
    let logs: Vec<f64> = kept.iter().map(|r| r.f64().ln()).collect();
    let middle = logs.iter().sum::<f64>() / n;
    let s = (logs.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let pct = |x: f64| rounded(100.0 * (x.exp() - 1.0), 2);
    let half = 1.96 * s / n.sqrt();
    let over: Vec<Frac> = kept.iter().map(|r| r.sub(Frac::int(1))).collect();
    merge(
        v,
        json!({
            "lfl_change_pct": pct(middle), "lfl_ci95_pct": [pct(middle - half), pct(middle + half)],
            "lfl_median_pct": pct_of(median(&over)), "lfl_arithmetic_pct": mean_pct(&over),
            "lfl_note": if rate.less(Frac::new(1, 5)) { json!({ "$text": true }) } else { Value::Null },
        }),
    )
}
