//! What shopper endpoints share: which product is meant, its entity, its priced rows, its suspicions.

use super::frac::{Frac, median};
use super::load::Listing;
use super::pack::Reading;
use super::params::Params;
use super::{Oracle, Refusal, checked, day, frac, nothing, pack, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How a product was asked for.
#[derive(Debug, Clone)]
pub enum ProductQuery {
    Uid(String),
    Entity(String),
    Barcode(String),
    Text(String),
}

/// The resolved product: the entity's members in the country, the rows, the pinned listing.
pub struct Product<'a> {
    pub asked: ProductQuery,
    pub query: Option<String>,
    pub country: &'static str,
    pub retailer: Option<String>,
    pub members: Vec<&'a Listing>,
    pub rows: Vec<&'a Listing>,
    pub pinned: Option<&'a Listing>,
}

pub const NAMES: [&str; 8] =
    ["q", "product_uid", "entity_uid", "country", "retailer", "exact_query", "min_quality", "quote"];

/// Parameters of a product; rules over several of them included.
pub struct Question {
    pub asked: Option<ProductQuery>,
    pub entity: Option<String>,
    pub q: Option<String>,
    pub country: &'static str,
    pub retailer: Option<String>,
}

pub fn question(p: &mut Params) -> Question {
    p.boolean("quote");
    p.boolean("exact_query");
    p.fraction("min_quality");
    let (country, retailer) = (p.country(), p.platform("retailer"));
    let (q, uid, entity) = (p.text("q"), p.text("product_uid"), p.text("entity_uid"));
    if ["q", "product_uid", "entity_uid"].iter().all(|n| !p.given(n)) {
        p.blame("q");
    }
    let asked = match (&uid, &entity, &q) {
        (Some(u), ..) => Some(ProductQuery::Uid(u.clone())),
        (_, Some(e), _) => Some(ProductQuery::Entity(e.clone())),
        (_, _, Some(q)) => {
            Some(barcode_query(q).map_or(ProductQuery::Text(q.clone()), ProductQuery::Barcode))
        }
        _ => None,
    };
    let q = q.filter(|_| uid.is_none() && entity.is_none());
    Question { asked, entity, q, country, retailer }
}

/// The GTIN-14 of a query that is one.
pub fn barcode_query(q: &str) -> Option<String> {
    let only = q.chars().all(|c| c.is_ascii_digit() || c == ' ' || c == '-');
    words::barcode(q).filter(|_| only)
}

/// Everything but text, which is checked by [`Oracle::check_text`].
pub fn resolve<'a>(o: &'a Oracle, p: &mut Params, question: Question) -> Result<Product<'a>, Refusal> {
    checked(p)?;
    // What contradicts itself in this catalog only is told of requests that could be made of any.
    if let (Some(u), Some(e)) = (p.text("product_uid"), p.text("entity_uid"))
        && !o.listings.iter().any(|l| l.uid == u && l.entity == e)
    {
        p.blame("product_uid");
        p.blame("entity_uid");
        checked(p)?;
    }
    let Question { asked, q, country, retailer, .. } = question;
    o.eligible(retailer.as_deref(), country)?;
    let asked = asked.expect("checked");
    let unknown = |is_it: &dyn Fn(&Listing) -> bool| {
        nothing(json!({ "reason": "unknown_product", "other_country": o.other_country(country, is_it) }))
    };
    let (entity, pinned) = match &asked {
        ProductQuery::Uid(uid) => {
            let l = o.listings.iter().find(|l| l.uid == *uid && l.country == country);
            let l = l.ok_or_else(|| unknown(&|l| l.uid == *uid))?;
            if retailer.as_ref().is_some_and(|r| *r != l.platform) {
                return Err(unknown(&|l| l.uid == *uid));
            }
            (l.entity.clone(), Some(l))
        }
        ProductQuery::Entity(e) => (e.clone(), None),
        ProductQuery::Barcode(g) => (words::uid("e_", &format!("gtin:{g}")), None),
        ProductQuery::Text(_) => return Err(Refusal::Text),
    };
    let members = o.members(&entity, country);
    if members.is_empty() {
        return Err(unknown(&|l| l.entity == entity));
    }
    let rows = rows(o, &members, retailer.as_deref());
    Ok(Product { asked, query: q, country, retailer, members, rows, pinned })
}

/// The priced members in the order of best-price.
pub fn rows<'a>(o: &Oracle, members: &[&'a Listing], retailer: Option<&str>) -> Vec<&'a Listing> {
    let mut rows: Vec<&Listing> =
        members.iter().filter(|l| o.priced(l) && retailer.is_none_or(|r| l.platform == r)).copied().collect();
    let rank = |l: &Listing| match l.condition {
        "refurbished" => 1,
        "used" => 2,
        _ => 0,
    };
    rows.sort_by_key(|l| (rank(l), o.now(l).stock == Some(false), o.now(l).price, l.uid.clone()));
    rows
}

impl<'a> Product<'a> {
    pub fn scope(&self) -> &'static str {
        if self.members.len() >= 2 { "entity" } else { "listing" }
    }

    /// Why there is no row: the retailer has no such product, or no member of it is priced.
    pub fn without_rows(&self) -> Refusal {
        let at = |l: &&Listing| self.retailer.as_ref().is_none_or(|r| *r == l.platform);
        let any = self.members.iter().any(at);
        nothing(json!({ "reason": if any { "no_priced_listing" } else { "unknown_product" } }))
    }

    /// The listing that price-history and price-drop-alert speak of.
    pub fn listing(&self) -> Result<&'a Listing, Refusal> {
        self.pinned.or(self.rows.first().copied()).ok_or_else(|| self.without_rows())
    }

    /// The product block of price-history.
    pub fn block(&self, o: &Oracle, l: &Listing) -> Value {
        json!({
            "query": self.query, "corrected_terms": null, "dropped_terms": null, "match_quality": null, "understood_as": null, "country": self.country, "currency": super::currency(self.country),
            "product_uid": l.uid, "entity_uid": l.entity, "product_name": l.name, "retailer": l.platform,
            "condition": l.condition, "scope": self.scope(), "member_count": self.members.len(),
            "gpc": super::category::listing_gpc(o, l),
        })
    }

    /// Per UTC day the lowest price over the entity's listings of one condition, with who had it.
    pub fn series(&self, condition: &str) -> std::collections::BTreeMap<i64, i64> {
        let mut series = std::collections::BTreeMap::new();
        for l in self.peers(condition) {
            for (d, obs) in &l.days {
                let low = series.entry(*d).or_insert(obs.price);
                *low = obs.price.min(*low);
            }
        }
        series
    }

    pub fn peers(&self, condition: &str) -> Vec<&'a Listing> {
        let at = |l: &Listing| self.retailer.as_ref().is_none_or(|r| *r == l.platform);
        self.members.iter().filter(|l| l.condition == condition && at(l)).copied().collect()
    }
}

/// Pack and unit price of a row where the name is plain enough.
pub fn pack_fields(l: &Listing, cents: Option<i64>) -> Value {
    match pack::read(&l.name) {
        Reading::Murky => json!({}),
        Reading::Clear(None) => match cents {
            Some(_) => json!({ "pack": null, "unit_price": null }),
            None => json!({ "pack": null }),
        },
        Reading::Clear(Some(p)) => {
            let mut v = json!({ "pack": {} });
            if p.dimension != pack::Dimension::Pieces {
                v["pack"] = json!({ "quantity": p.quantity.f64(), "unit": p.unit });
                if p.count > 1 {
                    v["pack"]["count"] = json!(p.count as i64);
                }
            }
            if let Some(cents) = cents {
                let (price, per) = p.unit_price(cents, &l.country);
                v["unit_price"] = json!({ "price": price, "per": per });
            }
            v
        }
    }
}

/// A priced row of best-price; the best one says `scraped_at`, the others `observed_at`.
pub fn row(o: &Oracle, l: &Listing, match_type: &str, best: bool) -> Value {
    let now = o.now(l);
    let mut v = json!({
        "product_uid": l.uid, "entity_uid": l.entity, "retailer": l.platform, "product_name": l.name,
        "price": frac::money(now.price), "in_stock": now.stock, "condition": l.condition,
        "match_type": match_type,
    });
    let at = day::instant_text(now.instant);
    if best {
        v["list_price"] = now.list.map_or(Value::Null, frac::money);
        v["savings_pct"] = now.depth().map_or(Value::Null, frac::pct_of);
        v["scraped_at"] = json!(at);
    } else {
        v["observed_at"] = json!(at);
    }
    super::merge(v, pack_fields(l, Some(now.price)))
}

/// Reasons to suspect an entity in a country: (those that hold, whether packs left it open).
pub fn suspicions(o: &Oracle, members: &[&Listing]) -> (Vec<&'static str>, bool) {
    let mut reasons = Vec::new();
    let fresh: Vec<Frac> = members
        .iter()
        .filter(|l| l.condition == "new" && o.priced(l))
        .map(|l| Frac::int(o.now(l).price))
        .collect();
    let far = match fresh.len() {
        0 | 1 => false,
        2 => fresh[0].times(3).less(fresh[1]) || fresh[1].times(3).less(fresh[0]),
        _ => {
            let m = median(&fresh);
            fresh.iter().any(|p| m.times(3).less(*p) || p.times(3).less(m))
        }
    };
    if far {
        reasons.push("price_ratio");
    }
    let packs: Vec<Reading> = members.iter().map(|l| pack::read(&l.name)).collect();
    let mut conflict = false;
    for (i, a) in packs.iter().enumerate() {
        for b in &packs[i + 1..] {
            if let (Reading::Clear(Some(a)), Reading::Clear(Some(b))) = (a, b)
                && a.dimension == b.dimension
            {
                let (small, large) = if a.total.less(b.total) { (a, b) } else { (b, a) };
                let apart = small.total.mul(Frac::new(102, 100)).less(large.total);
                conflict |= apart || a.count != b.count;
            }
        }
    }
    let same = members.iter().all(|l| l.name == members[0].name);
    let open = !conflict && !same && packs.contains(&Reading::Murky);
    if conflict {
        reasons.push("pack_conflict");
    }
    let long = |l: &Listing| -> BTreeSet<String> {
        words::terms(&l.name).into_iter().filter(|t| t.chars().count() >= 3).collect()
    };
    let strangers = |a: &Listing, b: &Listing| {
        a.brand_key.is_some()
            && b.brand_key.is_some()
            && a.brand_key != b.brand_key
            && long(a).is_disjoint(&long(b))
    };
    if members.iter().enumerate().any(|(i, a)| members[i + 1..].iter().any(|b| strangers(a, b))) {
        reasons.push("brand_conflict");
    }
    (reasons, open)
}
