//! The oracle against the golden answers of another program, where the demo input is at hand.

mod oracle;

use oracle::{Oracle, compare};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn demo() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    [root.join("demo"), root.join("../shared/data/demo"), root.join("../../shared/data/demo")]
        .into_iter()
        .find(|d| d.is_dir())
}

#[test]
fn golden_answers_hold() {
    let Some(dir) = demo() else {
        eprintln!("SKIPPED: no demo input beside the project, the golden answers were not checked");
        return;
    };
    let oracle = Oracle::load(&[dir]);
    let golden = include_str!("golden/demo.ndjson");
    let (mut held, mut left, mut failures) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    for line in golden.lines() {
        let want: Value = serde_json::from_str(line).expect("golden line");
        let request = want["request"].as_str().expect("request");
        let path = request.split('?').next().unwrap_or("");
        if !Oracle::ENDPOINTS.iter().any(|e| e.0 == path) {
            *left.entry(path.to_string()).or_default() += 1;
            continue;
        }
        let mine = oracle.answer(request);
        let mut diff = Vec::new();
        if want["status"] != mine.status || want["code"].as_str() != mine.code.as_deref() {
            diff.push(format!("status {} {:?} / {}", want["status"], want["code"], mine.status));
        }
        if let Some(bad) = want.get("bad_parameters") {
            diff.extend(compare(bad, &serde_json::json!(mine.bad_parameters), "bad"));
        }
        if let Some(details) = want.get("details") {
            diff.extend(compare(details, &mine.details, "details"));
        }
        if let (Some(expect), 200) = (want.get("expect"), mine.status) {
            diff.extend(either_way(expect, &mine.body));
        }
        if diff.is_empty() {
            held += 1;
        } else {
            failures.push(format!("{request}\n    {}", diff[..diff.len().min(6)].join("\n    ")));
        }
    }
    eprintln!("golden: {held} held, {} failed, not covered: {left:?}", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The golden answer against the oracle's, whose wildcards are on the actual side here.
fn either_way(golden: &Value, mine: &Value) -> Vec<String> {
    fn settle(golden: &Value, mine: &Value) -> Value {
        match (golden, mine) {
            (g, Value::Object(m))
                if m.contains_key("$any_of") || m.contains_key("$set") || m.contains_key("$text") =>
            {
                if compare(mine, g, "").is_empty() {
                    g.clone()
                } else {
                    mine.clone()
                }
            }
            (Value::Object(g), Value::Object(m)) => {
                m.iter().map(|(k, v)| (k.clone(), g.get(k).map_or(v.clone(), |x| settle(x, v)))).collect()
            }
            (Value::Array(g), Value::Array(m)) if g.len() == m.len() => {
                g.iter().zip(m).map(|(x, y)| settle(x, y)).collect()
            }
            _ => mine.clone(),
        }
    }
    compare(golden, &settle(golden, mine), "")
}
