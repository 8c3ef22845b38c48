//! The oracle against the golden answers of another program.

use crate::oracle::{self, Oracle, compare};
use crate::support::asking::{fixture_input, golden_answers};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn golden_answers_hold() {
    let oracle = Oracle::load(&[fixture_input()]);
    let (mut held, mut left, mut failures) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    for want in golden_answers() {
        let request = want["request"].as_str().expect("request");
        let path = request.split('?').next().unwrap_or("");
        // It has nothing to say of quotes.
        if !Oracle::ENDPOINTS.iter().any(|e| e.0 == path) || request.contains("quote=") {
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

/// Dirty inputs of many seeds load within the reject limit, and every request drawn from them has an answer.
#[test]
fn dirty_inputs_answer() {
    let mut statuses = BTreeMap::<(String, u16), usize>::new();
    let mut found = BTreeMap::<String, usize>::new();
    let mut far_ahead = 0;
    let seeds = std::env::var("ORACLE_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    for seed in 0..seeds {
        let dir = tempfile::tempdir().expect("a folder");
        oracle::write_input(dir.path(), seed);
        let Ok(oracle) = Oracle::try_load(&[dir.path().to_path_buf()]) else { continue };
        assert!(oracle.rows_rejected * 20 <= oracle.rows_read, "seed {seed}: too many bad rows");
        far_ahead += oracle.rows_far_ahead;
        for request in oracle::requests(&oracle, seed) {
            let answer = oracle.answer(&request);
            let path = request.split('?').next().unwrap_or("").to_string();
            *statuses.entry((path, answer.status)).or_default() += 1;
            assert_eq!(answer.status == 400, !answer.bad_parameters.is_empty(), "{request}");
            if answer.status == 200 {
                count(&mut found, &answer.body);
                let wrong = oracle.check(&answer, &request, 200, &answer.body);
                let own: Vec<_> = wrong.iter().filter(|w| !w.contains("related_matches")).collect();
                assert!(own.is_empty() || answer.body.to_string().contains('$'), "{request}: {own:?}");
            }
        }
    }
    eprintln!("{statuses:?}\n{found:?}");
    assert!(far_ahead > 0, "no dirty input has a mistyped year");
    for seldom in SELDOM {
        assert!(found.contains_key(seldom), "no dirty input shows {seldom}");
    }
}

/// What the inputs must bring about somewhere, or they test too little.
const SELDOM: [&str; 15] = [
    "scope=entity",
    "match_source=alias",
    "match_source=gpc",
    "match_source=subtree",
    "match_source=everyday",
    "match_source=text",
    "match_source=department",
    "condition=used",
    "condition=refurbished",
    "condition=unknown",
    "quality_status=serving",
    "quality_status=stale",
    "mapping=derived",
    "lfl_change_pct",
    "matched_index",
];

fn count(found: &mut BTreeMap<String, usize>, v: &Value) {
    match v {
        Value::Object(map) => {
            for (k, x) in map {
                let label = match x {
                    Value::String(s) if SELDOM.iter().any(|m| *m == format!("{k}={s}")) => format!("{k}={s}"),
                    Value::Null => continue,
                    _ => k.clone(),
                };
                if SELDOM.contains(&label.as_str()) || k == "match_suspect_reasons" || k == "inherited_from" {
                    let label = if k == "match_suspect_reasons" { x.to_string() } else { label };
                    *found.entry(label).or_default() += 1;
                }
                count(found, x);
            }
        }
        Value::Array(all) => all.iter().for_each(|x| count(found, x)),
        _ => {}
    }
}
