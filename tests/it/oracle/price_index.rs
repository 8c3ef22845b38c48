//! `/v1/analyst/price-index`: four index numbers over one panel, with an interval and what moved them.

use super::frac::{Frac, mean, median, money_of, pct_of, quantile, rounded};
use super::index_numbers::{GROUPS, Method, Panel};
use super::load::Listing;
use super::params::{Params, Window};
use super::shelf::shelf;
use super::{Answer, Oracle, day, head, in_window, merge, meta_of_days, nothing, observed_span, unobserved};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const METHODS: [(&str, Method); 4] = [
    ("jevons_chained", Method::Chained),
    ("jevons_fixed", Method::Fixed),
    ("geks_jevons", Method::Geks),
    ("tpd", Method::Tpd),
];

/// A period that holds an observation.
struct Period {
    date: i64,
    label: String,
    observations: usize,
    /// Mean prices of products by uid, errors left out.
    prices: BTreeMap<String, Frac>,
}

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names = [
        "category",
        "department",
        "country",
        "retailer",
        "time_window",
        "from",
        "to",
        "lookback_days",
        "granularity",
        "method",
        "splice",
        "window_periods",
        "quote",
    ];
    let mut p = Params::read(query, &names);
    let dated = ["time_window", "from", "to", "lookback_days"].iter().any(|name| p.given(name));
    let asked = p.window(o.n);
    let half_a_year =
        Window { preset: "custom", from: o.n - 180, to: o.n, before: o.n - 360, until: o.n - 180 };
    let w = if dated { asked } else { half_a_year };
    let granularity = p.one_of("granularity", &["weekly", "monthly"]);
    if granularity == Some("weekly") && w.to - w.from > 400 {
        p.blame("granularity");
    }
    let granularity = granularity.unwrap_or(if w.to - w.from <= 180 { "weekly" } else { "monthly" });
    let method = p.one_of("method", &METHODS.map(|m| m.0)).unwrap_or("geks_jevons");
    let splice = p.one_of("splice", &["mean", "movement", "window", "half"]).unwrap_or("mean");
    let span = p.int("window_periods", 3, 61).unwrap_or(25) as usize;
    let shelf = shelf(o, &mut p)?;
    let (mut periods, outliers) = periods(&shelf.listings, &w, granularity);
    if periods.is_empty() {
        return Err(unobserved(&shelf.listings));
    }
    let full: Vec<usize> = (0..periods.len()).filter(|i| periods[*i].prices.len() >= 10).collect();
    let counts: Vec<Frac> = full.iter().map(|i| Frac::int(periods[*i].prices.len() as i64)).collect();
    let base = full.iter().find(|i| {
        let twice = Frac::int(2 * periods[**i].prices.len() as i64);
        !twice.less(median(&counts))
    });
    let panel: Vec<usize> = full.iter().filter(|i| base.is_some_and(|b| *i >= b)).copied().collect();
    if panel.len() < 2 {
        let super::Refusal::NoResults(span) = observed_span(&shelf.listings) else { unreachable!() };
        return Err(nothing(merge(json!({ "reason": "too_few_products", "periods": panel.len() }), span)));
    }
    let uids: Vec<&str> = shelf.listings.iter().map(|l| l.uid.as_str()).collect();
    let log = |uid: &str, at: usize| periods[at].prices.get(uid).map(|p| p.f64().ln());
    let x: Vec<Vec<Option<f64>>> = uids
        .iter()
        .map(|uid| panel.iter().map(|at| log(uid, *at)).collect::<Vec<_>>())
        .filter(|row| row.iter().any(Option::is_some))
        .collect();
    let kernel = Panel::new(x, panel.len());
    let index = |m: Method, without| kernel.index(m, splice, span, without);
    let all = METHODS.map(|(name, m)| (name, index(m, None)));
    let own = &all.iter().find(|m| m.0 == method).expect("one of them").1;
    let which = METHODS.iter().find(|m| m.0 == method).expect("one of them").1;
    let ci = interval(&kernel, own, &|g| index(which, Some(g)));
    let last = panel.len() - 1;
    let of = |name: &str| all.iter().find(|m| m.0 == name).expect("one of them").1[last];
    let drift = of("jevons_chained").zip(of("geks_jevons")).map(|(a, b)| 100.0 * ((a - b).exp() - 1.0));
    let value = |ln: Option<f64>| ln.map_or(Value::Null, |ln| rounded(ln.exp(), 4));
    let change = |ln: Option<f64>| ln.map_or(Value::Null, |ln| rounded(100.0 * (ln.exp() - 1.0), 2));
    let series: Vec<Value> = (0..periods.len())
        .map(|i| {
            let period = &periods[i];
            let at = panel.iter().position(|p| *p == i);
            let mut v = json!({
                "date": day::text(period.date), "period": period.label, "product_count": period.prices.len(),
                "observation_count": period.observations, "index": null, "ci95": null, "change_pct": null,
                "matched_previous": null, "matched_base": null, "usable_pairs": null,
            });
            let Some(t) = at else {
                v["status"] = json!(if i < panel[0] { "before_base" } else { "thin" });
                return v;
            };
            v["status"] = json!(match own[t] {
                _ if t == 0 => "base",
                Some(_) => "ok",
                None => "no_overlap",
            });
            v["index"] = value(own[t]);
            v["usable_pairs"] =
                json!((0..=last).filter(|s| *s != t && kernel.link(*s, t, None).is_some()).count());
            if t > 0 {
                v["ci95"] = ci[t].clone();
                v["change_pct"] = change(own[t].zip(own[t - 1]).map(|(now, before)| now - before));
                v["matched_previous"] = json!(kernel.shared(t - 1, t));
                v["matched_base"] = json!(kernel.shared(0, t));
            }
            v
        })
        .collect();
    let pairs: Vec<(usize, usize)> = (0..=last).flat_map(|s| (s + 1..=last).map(move |t| (s, t))).collect();
    let shared: Vec<Frac> = pairs.iter().map(|(s, t)| Frac::int(kernel.shared(*s, *t) as i64)).collect();
    let held = |least: usize| kernel.x.iter().filter(|row| row.iter().flatten().count() >= least).count();
    let contributions = kernel.link(0, last, None).map(|_| {
        let ends = [panel[0], panel[last]].map(|i| std::mem::take(&mut periods[i].prices));
        contributions(o, &shelf.listings, &ends)
    });
    let v = json!({
        "window": w.json(granularity), "granularity": granularity, "method": method, "splice": splice,
        "window_periods": span, "base_period": periods[panel[0]].label,
        "last_period": periods[panel[last]].label, "index": value(own[last]), "index_ci95": ci[last],
        "index_change_pct": change(own[last]),
        "index_note": if own[last].is_none() { json!({ "$text": true }) } else { Value::Null },
        "methods": all.iter().map(|(name, ln)| ((*name).to_string(), value(ln[last]))).collect::<serde_json::Map<_, _>>(),
        "chain_drift_pct": drift.map_or(Value::Null, |d| rounded(d, 2)),
        "panel": {
            "products": kernel.x.len(), "matched_products": held(2), "complete_products": held(panel.len()),
            "outliers": outliers, "periods": panel.len(), "pairs": pairs.len(),
            "usable_pairs": pairs.iter().filter(|(s, t)| kernel.link(*s, *t, None).is_some()).count(),
            "median_matched": median(&shared).times(10).half_up() as f64 / 10.0,
        },
        "contributions": contributions, "time_series": series,
        "meta": meta_of_days(shelf.listings.iter().flat_map(|l| in_window(l, &w).into_iter().map(|(d, _)| (*l, d)))),
    });
    Ok(merge(head(shelf.country, shelf.retailer.as_deref(), &shelf.resolved), v))
}

/// The periods of the window that hold an observation, and how many prices were errors.
fn periods(listings: &[&Listing], w: &Window, granularity: &str) -> (Vec<Period>, usize) {
    let label = |d: i64| if granularity == "weekly" { day::week_label(d) } else { day::month_label(d) };
    let mut periods: Vec<Period> = Vec::new();
    for d in w.from..w.to {
        if periods.last().is_none_or(|p| p.label != label(d)) {
            periods.push(Period { date: d, label: label(d), observations: 0, prices: BTreeMap::new() });
        }
    }
    let mut outliers = 0;
    for l in listings {
        let mut cells: BTreeMap<usize, Vec<Frac>> = BTreeMap::new();
        let mut at = 0;
        for (d, x) in in_window(l, w) {
            while at + 1 < periods.len() && periods[at + 1].date <= d {
                at += 1;
            }
            periods[at].observations += 1;
            cells.entry(at).or_default().push(Frac::int(x.price));
        }
        let cells: Vec<(usize, Frac)> = cells.into_iter().map(|(at, prices)| (at, mean(&prices))).collect();
        let mut logs: Vec<f64> = cells.iter().map(|(_, price)| price.f64().ln()).collect();
        logs.sort_by(f64::total_cmp);
        for (at, price) in cells {
            if (price.f64().ln() - quantile(&logs, 0.5)).abs() > 3f64.ln() + 1e-12 {
                outliers += 1;
            } else {
                periods[at].prices.insert(l.uid.clone(), price);
            }
        }
    }
    periods.retain(|p| p.observations > 0);
    (periods, outliers)
}

/// By panel period.
fn interval(
    kernel: &Panel,
    index: &[Option<f64>],
    without: &dyn Fn(usize) -> Vec<Option<f64>>,
) -> Vec<Value> {
    if kernel.group.iter().flatten().count() < GROUPS {
        return vec![Value::Null; index.len()];
    }
    let left: Vec<Vec<Option<f64>>> = (0..GROUPS).map(without).collect();
    (0..index.len())
        .map(|t| {
            let thetas: Option<Vec<f64>> = left.iter().map(|ln| ln[t]).collect();
            let (Some(ln), Some(thetas), true) = (index[t], thetas, t > 0) else { return Value::Null };
            let g = GROUPS as f64;
            let mean = thetas.iter().sum::<f64>() / g;
            let spread = thetas.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            let half = 2.093 * ((g - 1.0) / g * spread).sqrt();
            json!([rounded((ln - half).exp(), 4), rounded((ln + half).exp(), 4)])
        })
        .collect()
}

fn contributions(o: &Oracle, listings: &[&Listing], ends: &[BTreeMap<String, Frac>; 2]) -> Value {
    let both = |l: &&Listing| Some((*ends[0].get(&l.uid)?, *ends[1].get(&l.uid)?));
    let moved: Vec<(&Listing, Frac, Frac)> =
        listings.iter().filter_map(|l| both(l).map(|(from, to)| (*l, from, to))).collect();
    let n = moved.len() as f64;
    let farthest = |up: bool| -> Vec<Value> {
        let size = |from: Frac, to: Frac| if up { to.div(from) } else { from.div(to) };
        let mut rows: Vec<_> =
            moved.iter().filter(|(_, from, to)| Frac::int(1).less(size(*from, *to))).collect();
        rows.sort_by(|a, b| size(b.1, b.2).order(size(a.1, a.2)).then_with(|| a.0.uid.cmp(&b.0.uid)));
        let row = |(l, from, to): &&(&Listing, Frac, Frac)| {
            let r = to.div(*from);
            json!({ "product_uid": l.uid, "entity_uid": l.entity, "product_name": l.name, "brand": o.brand(l),
                "retailer": l.platform, "from_price": money_of(*from), "to_price": money_of(*to),
                "change_pct": pct_of(r.sub(Frac::int(1))),
                "contribution_pct": rounded(100.0 * r.f64().ln() / n, 4) })
        };
        rows.iter().take(5).map(row).collect()
    };
    json!({ "matched": moved.len(), "up": farthest(true), "down": farthest(false) })
}
