//! `/v1/shopper/price-history`: one listing's observations and its entity's daily lowest prices.

use super::frac::{Frac, mean, median, money, money_of, pct_of};
use super::params::{Params, Window};
use super::product;
use super::{Answer, Oracle, day, in_window, merge, meta_of_days, unobserved};
use serde_json::{Value, json};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut names = product::NAMES.to_vec();
    names.extend(["time_window", "from", "to", "win", "change_window_days", "lookback_days"]);
    let mut p = Params::read(query, &names);
    let window = p.window(o.n);
    let (a, b) = (p.int_of("win", &[7, 30, 90]), p.int_of("change_window_days", &[7, 30, 90]));
    if let (Some(a), Some(b)) = (a, b)
        && a != b
    {
        p.blame("win");
        p.blame("change_window_days");
    }
    let win = a.or(b).unwrap_or(7);
    let question = product::question(&mut p);
    let product = product::resolve(o, &mut p, question)?;
    let listing = product.listing()?;
    let own = in_window(listing, &window);
    if own.is_empty() {
        return Err(unobserved(&[listing]));
    }
    let cents: Vec<Frac> = own.iter().map(|(_, x)| Frac::int(x.price)).collect();
    let prices = || own.iter().map(|(_, x)| x.price);
    let rows: Vec<(i64, i64)> =
        product.series(listing.condition).into_iter().filter(|(d, _)| window.holds(*d)).collect();
    let points = |rows: &[(i64, i64)]| -> Vec<Value> {
        rows.iter().map(|(d, c)| json!({ "date": day::text(*d), "price": money(*c) })).collect()
    };
    let own_rows: Vec<(i64, i64)> = own.iter().map(|(d, x)| (*d, x.price)).collect();
    let peers = product.peers(listing.condition);
    let behind = peers.iter().flat_map(|l| l.days.keys().filter(|d| window.holds(**d)).map(|d| (*l, *d)));
    Ok(merge(
        product.block(o, listing),
        json!({
            "current_price": money(own.last().expect("not empty").1.price),
            "period_low": money(prices().min().expect("not empty")),
            "period_high": money(prices().max().expect("not empty")),
            "period_avg": money_of(mean(&cents)),
            "observation_count": own.len(),
            "insufficient_history": rows.len() < 5,
            "trend": trend(&rows),
            "is_good_deal": good_deal(&rows),
            "window": window.json("daily"),
            "observations": points(&own_rows),
            "series": points(&rows),
            "series_summary": summary(&rows, win, &window),
            "meta": meta_of_days(behind),
        }),
    ))
}

fn trend(rows: &[(i64, i64)]) -> &'static str {
    if rows.len() < 5 {
        return "stable";
    }
    let third = rows.len().div_ceil(3);
    let mid = |part: &[(i64, i64)]| median(&part.iter().map(|r| Frac::int(r.1)).collect::<Vec<_>>());
    let (first, last) = (mid(&rows[..third]), mid(&rows[rows.len() - third..]));
    if first.times(102).less(last.times(100)) {
        "rising"
    } else if last.times(100).less(first.times(98)) {
        "falling"
    } else {
        "stable"
    }
}

fn good_deal(rows: &[(i64, i64)]) -> bool {
    let prices: Vec<i64> = rows.iter().map(|r| r.1).collect();
    let (Some(low), Some(high), Some(now)) = (prices.iter().min(), prices.iter().max(), prices.last()) else {
        return false;
    };
    let mid = median(&prices.iter().map(|p| Frac::int(*p)).collect::<Vec<_>>());
    rows.len() >= 5 && 100 * now <= 105 * low && !mid.less(Frac::int(*now)) && 100 * high >= 105 * low
}

/// Every fall of 5 % or more from one row to the next.
pub fn drops(rows: &[(i64, i64)]) -> Vec<Value> {
    let falls = rows.windows(2).filter(|w| 100 * w[1].1 <= 95 * w[0].1);
    falls
        .map(|w| {
            let pct = Frac::new(i128::from(w[0].1 - w[1].1), i128::from(w[0].1));
            json!({ "date": day::text(w[1].0), "from_price": money(w[0].1), "to_price": money(w[1].1),
                "pct": pct_of(pct) })
        })
        .collect()
}

fn summary(rows: &[(i64, i64)], win: i64, window: &Window) -> Value {
    let (min, max) =
        (rows.iter().map(|r| r.1).min().expect("rows"), rows.iter().map(|r| r.1).max().expect("rows"));
    let first = |price: i64| rows.iter().find(|r| r.1 == price).map(|r| day::text(r.0));
    let (t, now) = *rows.last().expect("rows");
    let h = (win / 10).max(1);
    let best = |a: i64, b: i64| rows.iter().filter(|r| (a..=b).contains(&r.0)).map(|r| r.1).min();
    let change = match (best(t - h, t), best(t - win - h, t - win + h)) {
        (Some(new), Some(old)) if window.from <= t - win => {
            pct_of(Frac::new(i128::from(new - old), i128::from(old)))
        }
        _ => Value::Null,
    };
    json!({
        "current": money(now), "min": money(min), "max": money(max), "min_date": first(min),
        "max_date": first(max), "change_pct": change, "change_window_days": win, "drops": drops(rows),
    })
}
