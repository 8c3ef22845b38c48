//! Every key that is expected must be there and equal; what is not expected is not looked at.
//!
//! Wildcards in the expected value: `{"$any_of": [..]}` one of these, `{"$set": [..]}` these in any order,
//! `{"$text": true}` any non-empty text, `{"$starts": ".."}` a text that starts so, `{"$contains": ".."}` a text that
//! holds it, `{"$absent": true}` no such key.

use serde_json::Value;

pub fn compare(expected: &Value, actual: &Value, path: &str) -> Vec<String> {
    let differs = || vec![format!("{path}: expected {}, got {}", short(expected), short(actual))];
    match (expected, actual) {
        (Value::Object(e), _) if e.keys().next().is_some_and(|k| k.starts_with('$')) => {
            if wildcard(e, actual) { vec![] } else { differs() }
        }
        (Value::Object(e), Value::Object(a)) => e
            .iter()
            .flat_map(|(k, v)| match a.get(k) {
                Some(x) => compare(v, x, &format!("{path}.{k}")),
                None if v.get("$absent").is_some() => vec![],
                None => vec![format!("{path}.{k}: expected {}, absent", short(v))],
            })
            .collect(),
        (Value::Array(e), Value::Array(a)) if e.len() == a.len() => {
            let pairs = e.iter().zip(a).enumerate();
            pairs.flat_map(|(i, (x, y))| compare(x, y, &format!("{path}[{i}]"))).collect()
        }
        (Value::Array(e), Value::Array(a)) => {
            vec![format!("{path}: expected {} elements, got {}", e.len(), a.len())]
        }
        (Value::Number(e), Value::Number(a)) => {
            let (e, a) = (e.as_f64().unwrap_or(f64::NAN), a.as_f64().unwrap_or(f64::NAN));
            if (e - a).abs() <= 1e-9 * e.abs().max(1.0) { vec![] } else { differs() }
        }
        _ if expected == actual => vec![],
        _ => differs(),
    }
}

fn wildcard(e: &serde_json::Map<String, Value>, actual: &Value) -> bool {
    let equal = |x: &Value, y: &Value| compare(x, y, "").is_empty();
    if let Some(Value::Array(any)) = e.get("$any_of") {
        return any.iter().any(|x| equal(x, actual));
    }
    if let (Some(Value::Array(set)), Value::Array(a)) = (e.get("$set"), actual) {
        return set.len() == a.len() && set.iter().all(|x| a.iter().any(|y| equal(x, y)));
    }
    if let Some(Value::String(start)) = e.get("$starts") {
        return actual.as_str().is_some_and(|s| s.starts_with(start));
    }
    if let Some(Value::String(part)) = e.get("$contains") {
        return actual.as_str().is_some_and(|s| s.contains(part));
    }
    e.contains_key("$text") && actual.as_str().is_some_and(|s| !s.is_empty())
}

fn short(v: &Value) -> String {
    let text = v.to_string();
    if text.chars().count() <= 160 { text } else { text.chars().take(160).collect::<String>() + "…" }
}
