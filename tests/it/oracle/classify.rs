//! `/v1/reference/classify`: phrases against every title of the publication, one after the other.

use super::category::{self, twins};
use super::frac::{Frac, ratio_of};
use super::params::Params;
use super::{Answer, Oracle, Refusal, brick_attributes, checked, everyday, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["q", "quote"]);
    p.boolean("quote");
    let text = p.text("q");
    if text.as_ref().is_none_or(|t| t.split(',').count() > 100) {
        p.blame("q");
    }
    checked(&p)?;
    if o.gpc.is_empty() {
        return Err(Refusal::NotPublished);
    }
    let text = text.expect("checked");
    let results: Vec<Value> = text.split(',').map(|phrase| classified(o, phrase.trim())).collect();
    Ok(json!({ "results": results, "schema_version": "1.0.0" }))
}

/// How well a code fits a phrase: a class of likeness, the better the higher, and a confidence in it.
fn fit(o: &Oracle, phrase: &str, code: &str) -> Option<(u8, Frac)> {
    let (mine, its) = (words::slug(phrase), words::slug(&o.gpc[code].title));
    if mine.is_empty() {
        return None;
    }
    if mine == its {
        return Some((3, Frac::int(1)));
    }
    let named = |(name, target): &(String, String)| words::slug(name) == mine && target.trim() == code;
    if !its.is_empty() && twins(&mine, &its) || o.aliases.iter().any(named) {
        return Some((2, Frac::new(9, 10)));
    }
    let set = |slug: &str| -> BTreeSet<String> {
        slug.split('-').filter(|w| !w.is_empty()).map(str::to_string).collect()
    };
    let (mine, its) = (set(&mine), set(&its));
    let both = mine.intersection(&its).count();
    (both > 0).then(|| (1, Frac::new(both as i128, mine.union(&its).count() as i128)))
}

fn classified(o: &Oracle, phrase: &str) -> Value {
    let mut fits: Vec<(u8, Frac, &str)> = Vec::new();
    for code in o.gpc.keys() {
        if let Some((likeness, confidence)) = fit(o, phrase, code) {
            fits.push((likeness, confidence, code));
        }
    }
    if fits.iter().all(|f| f.0 == 1) {
        let patterns = everyday::patterns(&o.everyday, phrase).unwrap_or_default();
        let holding = patterns.iter().map(|p| -> Vec<&str> {
            let holds = |code: &&String| everyday::holds(&o.everyday, &[&o.gpc[*code].title], p).is_some();
            o.gpc.keys().filter(holds).map(String::as_str).collect()
        });
        let first = holding.into_iter().find(|codes| !codes.is_empty()).unwrap_or_default();
        fits.extend(first.into_iter().map(|code| (2, Frac::new(9, 10), code)));
    }
    let best_likeness = fits.iter().map(|f| f.0).max().unwrap_or(0);
    fits.retain(|f| f.0 == best_likeness);
    fits.sort_by(|a, b| b.1.order(a.1).then(a.2.cmp(b.2)));
    let Some(best) = fits.first().copied() else {
        return json!({ "query": phrase, "gpc": null, "match_kind": "none", "confidence": 0, "candidates": [] });
    };
    let top = fits.iter().filter(|f| f.1 == best.1).count();
    let kind = if top > 1 { "co_equal" } else { ["", "text", "synonym", "exact"][best.0 as usize] };
    let sure = top == 1 && !best.1.less(Frac::new(1, 2));
    let shown = if top > 1 { top } else { fits.len().min(5) };
    let candidates: Vec<Value> = fits[..shown]
        .iter()
        .map(|(_, confidence, code)| {
            let block = category::gpc_json(o, code);
            json!({ "code": code, "title": block["title"], "level": block["level"],
                "confidence": ratio_of(*confidence) })
        })
        .collect();
    json!({
        "query": phrase, "match_kind": kind, "confidence": ratio_of(best.1), "candidates": candidates,
        "gpc": if sure { brick_attributes::block(o, best.2) } else { Value::Null },
    })
}
