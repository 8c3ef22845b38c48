//! `/v1/analyst/price-change-leaders`: whose lowest price of some days moved farthest from that of days before.

use super::frac::{Frac, money, pct_of};
use super::load::Listing;
use super::params::Params;
use super::shelf::shelf;
use super::{Answer, Oracle, day, head, landscape, merge, meta, nothing};
use serde_json::json;
use std::ops::RangeInclusive;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let names =
        ["category", "department", "country", "retailer", "win", "direction", "limit", "cursor", "quote"];
    let mut p = Params::read(query, &names);
    let win = p.int_of("win", &[7, 30, 90]).unwrap_or(30);
    let direction = p.one_of("direction", &["all", "up", "down"]).unwrap_or("all");
    let limit = p.int("limit", 1, 50).unwrap_or(20) as usize;
    let cursor = p.position("cursor");
    let shelf = shelf(o, &mut p)?;
    if !shelf.listings.iter().any(|l| o.priced(l)) {
        return Err(nothing(json!({ "reason": "no_priced_listing" })));
    }
    let new: Vec<&Listing> = shelf.listings.iter().filter(|l| l.condition == "new").copied().collect();
    let last = new.iter().filter_map(|l| l.days.keys().next_back()).max().copied().unwrap_or(o.n - 1);
    let h = (win / 10).max(1);
    let band = |middle: i64| middle - h..=middle + h;
    let seen = |days: RangeInclusive<i64>| new.iter().any(|l| l.days.range(days.clone()).next().is_some());
    let mut middle = last - win;
    if !seen(band(middle)) {
        let near = (0..=win / 2)
            .find_map(|off| [last - win - off, last - win + off].into_iter().find(|d| seen(*d..=*d)));
        middle = near.unwrap_or(middle);
    }
    let (recent, base) = (last - h..=last, band(middle));
    let lowest =
        |l: &Listing, days: &RangeInclusive<i64>| l.days.range(days.clone()).map(|(_, x)| x.price).min();
    let both = |l: &&'_ Listing| Some((lowest(l, &base)?, lowest(l, &recent)?));
    let matched: Vec<(&Listing, i64, i64)> =
        new.iter().filter_map(|l| both(l).map(|(p0, p1)| (*l, p0, p1))).collect();
    let up = |p0: i64, p1: i64| 100 * p1 > 101 * p0;
    let down = |p0: i64, p1: i64| 100 * p1 < 99 * p0;
    let kept: Vec<_> = matched.iter().filter(|(_, p0, p1)| *p1 <= 2 * p0 && 2 * p1 >= *p0).copied().collect();
    let bands = json!({
        "recent_from": day::text(*recent.start()), "recent_to": day::text(*recent.end()),
        "base_from": day::text(*base.start()), "base_to": day::text(*base.end()),
        "shifted_days": middle - (last - win),
    });
    let counts = json!({ "matched": matched.len(), "trimmed": matched.len() - kept.len() });
    if kept.len() < 5 {
        return Err(nothing(merge(merge(json!({ "reason": "too_few_products" }), counts), bands)));
    }
    let mut leaders: Vec<_> = kept
        .iter()
        .filter(|(_, p0, p1)| direction != "down" && up(*p0, *p1) || direction != "up" && down(*p0, *p1))
        .copied()
        .collect();
    let size = |p0: i64, p1: i64| Frac::new(p0.max(p1).into(), p0.min(p1).into());
    leaders.sort_by(|a, b| size(b.1, b.2).order(size(a.1, a.2)).then_with(|| a.0.uid.cmp(&b.0.uid)));
    let page: Vec<_> = leaders.iter().skip(cursor).take(limit).collect();
    let more = cursor.saturating_add(page.len()) < leaders.len() && !page.is_empty();
    let days = |l: &Listing, band: &RangeInclusive<i64>| l.days.range(band.clone()).count();
    let item = |(l, p0, p1): &&(&Listing, i64, i64)| {
        merge(
            landscape::item(o, l),
            json!({ "from_price": money(*p0), "to_price": money(*p1), "change_amount": money(p1 - p0),
                "change_pct": pct_of(Frac::new((p1 - p0).into(), (*p0).into())),
                "base_days": days(l, &base), "recent_days": days(l, &recent) }),
        )
    };
    let moved = |test: &dyn Fn(i64, i64) -> bool| matched.iter().filter(|(_, p0, p1)| test(*p0, *p1)).count();
    let (rising, falling) = (moved(&up), moved(&down));
    let v = json!({
        "win": win, "direction": direction, "bands": bands, "rising": rising, "falling": falling,
        "stable": matched.len() - rising - falling, "leaders": leaders.len(),
        "items": page.iter().map(item).collect::<Vec<_>>(), "next_cursor": more.then(|| cursor + page.len()),
        "has_more": more, "meta": meta(page.iter().map(|(l, ..)| o.now(l).instant)),
    });
    Ok(merge(merge(head(shelf.country, shelf.retailer.as_deref(), &shelf.resolved), v), counts))
}
