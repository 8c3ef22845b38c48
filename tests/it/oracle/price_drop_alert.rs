//! `/v1/shopper/price-drop-alert`: has the daily lowest price fallen by so much?

use super::frac::{Frac, money, pct_of};
use super::params::Params;
use super::{Answer, Oracle, day, merge, nothing, price_history, product};
use serde_json::json;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut names = product::NAMES.to_vec();
    names.extend(["win", "threshold_pct", "target_price"]);
    let mut p = Params::read(query, &names);
    let win = p.int_of("win", &[7, 30, 90]).unwrap_or(30);
    let threshold = p.int("threshold_pct", 1, 95).unwrap_or(5);
    let target = p.amount("target_price");
    let question = product::question(&mut p);
    let product = product::resolve(o, &mut p, question)?;
    let listing = product.listing()?;
    if !o.priced(listing) {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let series: Vec<(i64, i64)> = product.series(listing.condition).into_iter().collect();
    let t = series.last().expect("a priced listing has rows").0;
    // The last price known when the window began stands for that moment, unless it was 90 days old by then.
    let start = t - win;
    let stale = start - 90;
    let standing = series.iter().filter(|r| r.0 <= start && r.0 > stale).max_by_key(|r| r.0).copied();
    let rows: Vec<(i64, i64)> =
        standing.into_iter().chain(series.iter().copied().filter(|r| r.0 > start)).collect();
    let current = rows.last().expect("the last row").1;
    let before = &rows[..rows.len() - 1];
    let high = before.iter().enumerate().max_by_key(|(i, r)| (r.1, *i)).map(|(i, r)| (i, r.1));
    let fell = |price: i64, high: i64| 100 * price <= (100 - threshold) * high;
    let mut v = json!({
        "dropped": false, "from_price": null, "to_price": null, "drop_pct": null, "drop_amount": null,
        "drop_date": null, "target_hit": target.map(|t| !t.less(Frac::int(current))),
        "drops": price_history::drops(&rows), "insufficient_history": rows.len() < 5,
        "meta": super::meta_of_days(rows.iter().map(|r| (listing, r.0))),
    });
    if let Some((i, high)) = high.filter(|(_, h)| fell(current, *h)) {
        let date = rows[i + 1..].iter().find(|r| fell(r.1, high)).expect("the last row at least").0;
        v = merge(
            v,
            json!({
                "dropped": true, "from_price": money(high), "to_price": money(current),
                "drop_pct": pct_of(Frac::new(i128::from(high - current), i128::from(high))),
                "drop_amount": money(high - current), "drop_date": day::text(date),
            }),
        );
    }
    Ok(merge(product.block(o, listing), v))
}
