//! `/v1/reference/brick-attributes`: the attribute schema of classification codes.

use super::params::Params;
use super::{Answer, Oracle, Refusal, category, checked, nothing};
use serde_json::{Value, json};

pub fn answer(o: &Oracle, query: &str) -> Answer {
    let mut p = Params::read(query, &["gpc_code", "quote"]);
    p.boolean("quote");
    let text = p.text("gpc_code");
    let mut codes: Vec<String> = Vec::new();
    for code in text.as_deref().unwrap_or("").split(',').map(str::trim) {
        if !codes.iter().any(|c| c == code) {
            codes.push(code.to_string());
        }
    }
    if text.is_none() || text.is_some_and(|t| t.split(',').count() > 100) {
        p.blame("gpc_code");
    }
    checked(&p)?;
    if o.gpc.is_empty() {
        return Err(Refusal::NotPublished);
    }
    let (known, unknown): (Vec<String>, Vec<String>) = codes.into_iter().partition(|c| o.gpc.contains_key(c));
    if known.is_empty() {
        return Err(nothing(json!({})));
    }
    let results: Vec<Value> = known
        .iter()
        .map(|code| {
            let node = &o.gpc[code];
            let attributes: Vec<Value> = node
                .attributes
                .iter()
                .map(|(name, values)| {
                    json!({ "name": name, "allowed_values": values, "value_count": values.len() })
                })
                .collect();
            json!({ "gpc_code": code, "gpc": block(o, code), "attributes": attributes })
        })
        .collect();
    Ok(json!({ "results": results, "unresolved": unknown, "schema_version": "1.0.0" }))
}

/// The gpc block of the reference answers.
pub fn block(o: &Oracle, code: &str) -> Value {
    let node = &o.gpc[code];
    let mut gpc = category::gpc_json(o, code);
    gpc["attributes_defined"] = match node.level {
        4 if o.gpc_has_attributes => json!(!node.attributes.is_empty()),
        _ => Value::Null,
    };
    gpc
}
