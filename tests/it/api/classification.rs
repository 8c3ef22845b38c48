//! The reference endpoints over a toy publication: attributes, residual bricks, nodes without a listing, phrases.

use crate::support::asking::{Service, build};
use serde_json::{Value, json};

const LISTINGS: &str = "country,platform,product_id,product_name,category_path,gpc_code\n\
                        us,shop,1,Claw Hammer,Tools > Hammers,70000001\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price\nus,shop,1,2026-10-30,9.99\n";
const ALIASES: &str = "alias,target\nBanger,70000001\nthings,70000004\nthings,70000005\nhardware,Tools\n\
                       gone,70999999\n";

fn node(level: u8, code: u32, title: &str, children: &[Value]) -> Value {
    json!({ "Level": level, "Code": code, "Title": title, "Childs": children })
}

/// Hammers have attributes, if the publication has any; saws have none.
fn publication(with_attributes: bool) -> Value {
    let values = [node(6, 30_000_001, "STEEL", &[]), node(6, 30_000_002, "WOOD", &[])];
    let attributes = [node(5, 20_000_002, "Handle", &values), node(5, 20_000_001, "Weight", &[])];
    let hammers = node(4, 70_000_001, "Hammers", if with_attributes { &attributes } else { &[] });
    let bricks = [
        hammers,
        node(4, 70_000_002, "Saws & Blades", &[]),
        node(4, 70_000_003, "Hand Tools - Other", &[]),
        node(4, 70_000_004, "Mother Lodes", &[]),
        node(4, 70_000_005, "Hand Tools Variety Packs", &[]),
    ];
    let classes = [node(3, 70_110_000, "Hand Tools", &bricks), node(3, 70_120_000, "Other Tools", &[])];
    json!({ "DateUtc": "2025-11-27", "Schema": [
        node(1, 70_000_000, "Tools", &[node(2, 70_100_000, "Tools", &classes)]),
    ] })
}

fn service(gpc: Option<&Value>) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write = |name: &str, text: &str| std::fs::write(input.path().join(name), text).unwrap();
    write("listings.csv", LISTINGS);
    write("observations.csv", OBSERVATIONS);
    write("aliases.csv", ALIASES);
    if let Some(gpc) = gpc {
        write("gpc.json", &gpc.to_string());
    }
    Service::new(build(&[input.path().to_owned()], out.path()))
}

fn results(service: &Service, target: &str) -> Vec<Value> {
    let (status, body) = service.ask(target);
    assert_eq!(status, 200, "{target}: {body}");
    body["results"].as_array().unwrap().clone()
}

#[test]
fn attributes_are_listed_missing_or_unknown() {
    let codes = "/v1/reference/brick-attributes?gpc_code=70000001,70000002,70110000";
    let defined = |service: &Service| -> Vec<Value> {
        results(service, codes).iter().map(|result| result["gpc"]["attributes_defined"].clone()).collect()
    };
    let with = service(Some(&publication(true)));
    assert_eq!(defined(&with), [json!(true), json!(false), Value::Null]);
    assert_eq!(
        results(&with, codes)[0]["attributes"],
        json!([
            { "name": "Handle", "allowed_values": ["STEEL", "WOOD"], "value_count": 2 },
            { "name": "Weight", "allowed_values": [], "value_count": 0 },
        ])
    );
    assert_eq!(results(&with, codes)[1]["attributes"], json!([]));
    let without = service(Some(&publication(false)));
    assert_eq!(defined(&without), [Value::Null, Value::Null, Value::Null]);
    assert!(results(&without, codes).iter().all(|result| result["attributes"] == json!([])));
}

#[test]
fn every_level_resolves_in_the_order_of_the_request() {
    let service = service(Some(&publication(true)));
    let target = "/v1/reference/brick-attributes?gpc_code=70120000,+70000003,7,70120000,70000000,70999999,7";
    let (_, body) = service.ask(target);
    let codes: Vec<&Value> =
        body["results"].as_array().unwrap().iter().map(|result| &result["gpc_code"]).collect();
    assert_eq!(codes, [&json!("70120000"), &json!("70000003"), &json!("70000000")]);
    assert_eq!(body["unresolved"], json!(["7", "70999999"]));
    assert_eq!((&body["gpc_release"], &body["schema_version"]), (&json!("2025-11"), &json!("1.0.0")));
    assert_eq!(
        body["results"][1]["gpc"],
        json!({
            "code": "70000003", "title": "Hand Tools - Other", "level": "brick", "segment": "Tools",
            "family": "Tools", "class": "Hand Tools", "brick": "Hand Tools - Other", "is_catchall": true,
            "attributes_defined": false,
        })
    );
    let segment = &body["results"][2]["gpc"];
    assert_eq!((&segment["level"], &segment["family"]), (&json!("segment"), &Value::Null));
    assert_eq!(service.ask("/v1/reference/brick-attributes?gpc_code=12345678").0, 404);
}

#[test]
fn residual_bricks_are_told_by_whole_words() {
    let service = service(Some(&publication(true)));
    let target = "/v1/reference/brick-attributes?gpc_code=70000003,70000005,70000001,70000004,70120000";
    let catchall: Vec<bool> =
        results(&service, target).iter().map(|r| r["gpc"]["is_catchall"].as_bool().unwrap()).collect();
    assert_eq!(catchall, [true, true, false, false, false]);
}

#[test]
fn phrases_find_codes() {
    let service = service(Some(&publication(true)));
    let cases = [
        ("HAMMERS", "exact", 1.0, Some("70000001"), 1),
        ("saws and blades", "exact", 1.0, Some("70000002"), 1),
        ("hammer", "synonym", 0.9, Some("70000001"), 1),
        ("bangér", "synonym", 0.9, Some("70000001"), 1),
        // Two codes under one name; a segment and its family under one title.
        ("things", "co_equal", 0.9, None, 2),
        ("tools", "co_equal", 1.0, None, 2),
        ("tool", "co_equal", 0.9, None, 2),
        ("packs of tools in variety", "text", 0.5, Some("70000005"), 5),
        ("blades for cars", "text", 0.2, None, 1),
        // An alias of a category and one of a code that is not there.
        ("hardware", "none", 0.0, None, 0),
        ("gone", "none", 0.0, None, 0),
        ("", "none", 0.0, None, 0),
    ];
    let phrases: Vec<String> =
        cases.iter().map(|case| case.0.replace(' ', "+").replace('é', "%C3%A9")).collect();
    let found = results(&service, &format!("/v1/reference/classify?q={}", phrases.join(",")));
    assert_eq!(found.len(), cases.len());
    for (result, (phrase, kind, confidence, code, candidates)) in found.iter().zip(cases) {
        assert_eq!(result["query"], phrase);
        assert_eq!(result["match_kind"], kind, "{result}");
        assert_eq!(result["confidence"], confidence, "{result}");
        assert_eq!(result["gpc"]["code"].as_str(), code, "{result}");
        assert_eq!(result["candidates"].as_array().unwrap().len(), candidates, "{result}");
    }
    assert_eq!(found[4]["candidates"][1]["code"], "70000005");
    assert_eq!(
        found[5]["candidates"][0],
        json!({ "code": "70000000", "title": "Tools", "level": "segment", "confidence": 1.0 })
    );
}

#[test]
fn without_a_publication_nothing_is_sold() {
    let service = service(None);
    for target in ["brick-attributes?gpc_code=70000001", "classify?q=hammers"] {
        let (status, body) = service.ask(&format!("/v1/reference/{target}"));
        assert_eq!((status, &body["error"]["code"]), (404, &json!("NOT_PUBLISHED")), "{target}");
    }
}

#[test]
fn lists_are_bounded() {
    let service = service(Some(&publication(true)));
    let of = |entries: usize| vec!["saw"; entries].join(",");
    assert_eq!(results(&service, &format!("/v1/reference/classify?q={}", of(100))).len(), 100);
    assert_eq!(service.ask(&format!("/v1/reference/classify?q={}", of(101))).0, 400);
    assert_eq!(service.ask(&format!("/v1/reference/brick-attributes?gpc_code={}", of(101))).0, 400);
}
