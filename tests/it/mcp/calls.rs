//! Calls of tools, prompts and resources: what comes back, against what the routes answer.

use super::{call, message, server, text, tools};
use crate::support::server::TestServer;
use pricebook::endpoints;
use pricebook::query::endpoint::Route;
use pricebook::query::params::Kind;
use serde_json::{Map, Value, json};

fn tool_of(route: &Route) -> String {
    route.path.rsplit('/').next().unwrap().replace('-', "_")
}

/// A query as the arguments of a tool, with the types that its schema asks for.
fn arguments(route: &Route, query: &str) -> Value {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, raw)| {
        let raw = raw.replace('+', " ");
        let value = percent_encoding::percent_decode_str(&raw).decode_utf8().unwrap().into_owned();
        let param = route.params.iter().find(|param| param.name == name).unwrap();
        let value = match param.kind {
            Kind::Integer { .. } | Kind::OneOf(..) | Kind::Flag | Kind::Price => value.parse().unwrap(),
            _ => Value::from(value),
        };
        (name.to_owned(), value)
    });
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// Without what the clock says.
fn timeless(mut answer: Value) -> Value {
    if let Some(meta) = answer.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("computed_at");
        meta.remove("freshness_seconds");
    }
    answer
}

/// Calls what a result suggests; each must be answered.
fn follow(server: &TestServer, result: &Value, after: &str) -> usize {
    let suggested = text(result, 1);
    let calls = suggested["suggested_next_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    for next in calls {
        let result = call(server, next["tool"].as_str().unwrap(), &next["arguments"]);
        assert_eq!(result["isError"], false, "after {after}: {next}: {result}");
    }
    calls.len()
}

#[test]
fn every_tool_answers_what_its_route_answers() {
    let server = server();
    let tools = tools(&server);
    let mut suggested = 0;
    for route in endpoints::routes() {
        let definition = tools.iter().find(|tool| tool["name"] == tool_of(&route));
        let is_tool = !route.examples.is_empty();
        assert_eq!(definition.is_some(), is_tool, "{}", route.path);
        if !is_tool {
            continue;
        }
        for query in route.examples {
            let definition = definition.unwrap();
            let arguments = arguments(&route, query);
            let result = call(&server, &tool_of(&route), &arguments);
            assert_eq!(result["isError"], false, "{}?{query}: {result}", route.path);
            assert_eq!(result.get("structuredContent"), None, "an answer is sent once");
            let mut target = format!("{}?{query}", route.path);
            if let Some(limit) = definition["inputSchema"]["properties"]["limit"]["default"].as_u64()
                && arguments.get("limit").is_none()
            {
                target += &format!("&limit={limit}");
            }
            if let Some(longest) = definition["inputSchema"]["properties"]["granularity"]["default"].as_str()
                && arguments.get("granularity").is_none()
            {
                target += &format!("&granularity={longest}");
            }
            let answer = server.get(&target);
            assert_eq!(timeless(text(&result, 0)), timeless(answer.json()), "{target}");
            suggested += follow(&server, &result, &target);
        }
    }
    assert!(suggested >= 17, "{suggested}");
}

#[test]
fn tools_are_described_by_the_table() {
    let server = server();
    for route in endpoints::routes() {
        let tools = tools(&server);
        let Some(tool) = tools.iter().find(|tool| tool["name"] == tool_of(&route)) else { continue };
        let schema = &tool["inputSchema"];
        let paid = route.group.is_paid();
        assert!(tool["description"].as_str().unwrap().starts_with("Price: "));
        assert_eq!(tool["annotations"]["readOnlyHint"], !paid, "{}", route.path);
        for param in route.params.iter().filter(|param| param.name != "change_window_days") {
            let property = &schema["properties"][param.name];
            let described = property["description"].as_str().is_some_and(|text| !text.is_empty());
            assert_eq!(described, !["country", "limit"].contains(&param.name), "{}", param.name);
            match param.kind {
                Kind::Word(words, _) => assert_eq!(property["enum"], json!(words)),
                Kind::OneOf(numbers, _) => assert_eq!(property["enum"], json!(numbers)),
                Kind::Integer { min, .. } => assert_eq!(property["minimum"], min),
                _ => {}
            }
        }
    }
    let tools = tools(&server);
    let required = |name: &str| {
        tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"]["required"].clone()
    };
    assert_eq!(required("share_of_shelf"), json!(["category"]));
    assert_eq!(required("retailer_index"), json!(["retailer"]));
    assert_eq!(required("best_price"), Value::Null);
}

#[test]
fn a_refusal_says_what_to_change() {
    let server = server();
    for (tool, arguments, code, said) in [
        ("best_price", json!({}), "INVALID_PARAMS", "q:"),
        ("best_price", json!({ "q": "beer", "limit": 51 }), "INVALID_PARAMS", "from 1 to 50"),
        ("best_price", json!({ "q": "beer", "colour": "red" }), "INVALID_PARAMS", "colour"),
        ("best_price", json!({ "q": ["beer", { "a": 1 }] }), "INVALID_PARAMS", "q must be"),
        ("best_price", json!({ "q": "x".repeat(3_000) }), "URI_TOO_LONG", "2048"),
        ("best_price", json!({ "q": "qqzzx" }), "NO_RESULTS", ""),
        ("deal_finder", json!({ "category": "qqzzx" }), "NO_RESULTS", ""),
        ("coverage", json!({ "country": "fr" }), "INVALID_PARAMS", ""),
        (
            "best_price",
            json!({ "q": "beer", "retailer": "nobody" }),
            "RETAILER_NOT_SERVING_ELIGIBLE",
            "retailer",
        ),
    ] {
        let result = call(&server, tool, &arguments);
        let told = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["isError"], true, "{told}");
        assert!(told.starts_with(code) && told.contains(said), "{tool} {arguments}: {told}");
        if let Some(error) = result.get("structuredContent") {
            assert_eq!(error["code"], code);
            assert!(error["message"].is_string() && error["details"].is_object(), "{error}");
        }
    }
}

#[test]
fn suggests_near_matches_with_working_arguments() {
    let server = server();
    for (tool, arguments) in [
        ("share_of_shelf", json!({ "category": "memry" })),
        ("price_bands", json!({ "node": "memry" })),
        ("brand_tracker", json!({ "brand": "corsar" })),
        ("best_price", json!({ "q": "sweet baby rays barbecue sauce", "country": "us" })),
    ] {
        let result = call(&server, tool, &arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(follow(&server, &result, tool) > 0, "{tool} {arguments}: {result}");
    }
}

#[test]
fn keeps_suggestions_in_the_requested_country() {
    let server = server();
    for (tool, arguments) in [
        ("categories", json!({ "country": "ca" })),
        ("categories", json!({ "country": "ca", "parent": "food" })),
        ("brands", json!({ "country": "ca" })),
    ] {
        let suggested = text(&call(&server, tool, &arguments), 1);
        let calls = suggested["suggested_next_calls"].as_array().unwrap();
        assert!(
            calls.iter().all(|next| next["arguments"]["country"] == "ca"),
            "{tool} {arguments}: {suggested}"
        );
    }
}

#[test]
fn refusals_are_sentences_that_name_tools() {
    let server = server();
    let result = call(&server, "share_of_shelf", &json!({ "category": "qqqq" }));
    let told = result["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("the tool categories; us has: ") && !told.contains("/v1/"), "{told}");
}

#[test]
fn reports_unknown_names_and_omits_empty_arguments() {
    let server = server();
    let result = call(&server, "best_price", &json!({ "q": "corsair", "retailer": null, "product_uid": "" }));
    assert_eq!(result["isError"], false, "{result}");
    for (method, params, code) in [
        ("tools/call", json!({ "name": "best-price", "arguments": {} }), -32_602),
        ("prompts/get", json!({ "name": "none" }), -32_602),
        ("prompts/get", json!({ "name": "find_cheapest", "arguments": {} }), -32_602),
        ("resources/read", json!({ "uri": "pricebook://methodology/none" }), -32_002),
        ("nothing/at/all", json!({}), -32_601),
    ] {
        let answer = message(&server, method, &params);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[test]
fn prompts_and_definitions_can_be_read() {
    let server = server();
    let prompts =
        message(&server, "prompts/list", &json!({}))["result"]["prompts"].as_array().unwrap().clone();
    assert_eq!(prompts.len(), 4);
    for prompt in prompts {
        let names = prompt["arguments"].as_array().unwrap().iter();
        let required = names.filter(|argument| argument["required"] == true);
        let arguments =
            required.map(|argument| (argument["name"].as_str().unwrap().to_owned(), json!("tea")));
        let params = json!({ "name": prompt["name"], "arguments": Value::Object(arguments.collect()) });
        let result = &message(&server, "prompts/get", &params)["result"];
        let told = result["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(told.contains("tea") && !told.contains('{'), "{told}");
    }
    let listed = &message(&server, "resources/list", &json!({}))["result"]["resources"];
    let uri = "pricebook://methodology/inflation-like-for-like";
    assert!(listed.as_array().unwrap().iter().any(|part| part["uri"] == uri), "{listed}");
    let read = &message(&server, "resources/read", &json!({ "uri": uri }))["result"]["contents"][0];
    assert_eq!((&read["uri"], &read["mimeType"]), (&json!(uri), &json!("text/markdown")));
    assert!(read["text"].as_str().unwrap().starts_with("Inflation compares two periods of the window"));
}
