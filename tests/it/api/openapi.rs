//! The OpenAPI document says what the server does: it is compared with the route table and with real answers.
//!
//! A change to the document is seen in review: `INSTA_UPDATE=always cargo test --test it openapi` writes it down anew.

use crate::support::{asking, validate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::openapi::{self, Terms};
use pricebook::query::descriptor::{Group, PriceClass};
use pricebook::query::endpoint::Route;
use pricebook::query::params::Kind;
use pricebook::server::{ServerOptions, quote};
use pricebook::types::Day;
use serde_json::{Value, json};

use crate::support::client::{Answer, Client};
use crate::support::server::TestServer;

fn document() -> Value {
    serde_json::from_slice(&openapi::compact(&endpoints::routes(), &Terms::default()).unwrap()).unwrap()
}

/// The document's object, references followed.
fn follow<'a>(document: &'a Value, object: &'a Value) -> &'a Value {
    match object.get("$ref").and_then(Value::as_str) {
        Some(target) => document.pointer(target.strip_prefix('#').unwrap()).unwrap(),
        None => object,
    }
}

#[test]
fn the_document_is_the_golden_one() {
    insta::with_settings!({ snapshot_path => "../../golden", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("openapi", openapi::pretty(&endpoints::routes(), &Terms::default()).unwrap());
    });
}

#[test]
fn every_parameter_is_there_with_its_bounds() {
    let document = document();
    for route in endpoints::routes() {
        let listed = document["paths"][route.path]["get"]["parameters"].as_array().unwrap();
        let listed = listed.iter().map(|parameter| follow(&document, parameter));
        let query: Vec<&Value> = listed.filter(|parameter| parameter["in"] == "query").collect();
        let names: Vec<&str> = query.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
        assert_eq!(names, route.params.iter().map(|param| param.name).collect::<Vec<_>>(), "{}", route.path);
        for (parameter, param) in query.iter().zip(route.params) {
            let schema = &parameter["schema"];
            assert!(parameter["description"].as_str().unwrap().starts_with(param.about), "{}", param.name);
            match param.kind {
                Kind::Integer { min, max, default } => {
                    assert_eq!((&schema["minimum"], &schema["maximum"]), (&json!(min), &json!(max)));
                    assert_eq!(schema.get("default"), default.map(Value::from).as_ref());
                }
                Kind::OneOf(numbers, default) => {
                    assert_eq!(schema["enum"], json!(numbers));
                    assert_eq!(schema.get("default"), default.map(Value::from).as_ref());
                }
                Kind::Word(words, default) => {
                    let listed = follow(&document, schema)["enum"].as_array().unwrap();
                    let listed: BTreeSet<&str> = listed.iter().filter_map(Value::as_str).collect();
                    assert_eq!(listed, words.iter().copied().collect());
                    assert_eq!(schema.get("default"), default.map(Value::from).as_ref());
                }
                Kind::Text | Kind::PlatformKey => assert_eq!(schema["minLength"], 1),
                Kind::Flag => assert_eq!(schema["default"], false),
                _ => assert!(schema.get("type").or(schema.get("anyOf")).is_some()),
            }
            required_means_required(&route, param.name, parameter["required"] == true);
        }
    }
}

/// Leaves a parameter out of the route's examples: a required one is missed every time, another one never for
/// itself alone.
fn required_means_required(route: &Route, name: &str, required: bool) {
    let day = Day::from_ymd(2026, 10, 31).unwrap();
    for example in route.examples {
        let kept: Vec<&str> =
            example.split('&').filter(|pair| pair.split('=').next() != Some(name)).collect();
        let missed = match route.parse(&kept.join("&"), day) {
            Ok(_) => false,
            Err(faults) => {
                faults.iter().any(|fault| fault.parameter == name && fault.reason == "is required")
            }
        };
        assert_eq!(missed, required, "{}?{example} without {name}", route.path);
    }
}

/// A whole number is written in one way, whichever parameter it is of: what the document calls an integer.
#[test]
fn integers_have_no_zeros_signs_or_blanks_before_them() {
    let day = Day::from_ymd(2026, 10, 31).unwrap();
    let mut seen = 0;
    for route in endpoints::routes() {
        for param in route.params {
            let some = match param.kind {
                Kind::Integer { min, .. } => min,
                Kind::Position => 0,
                Kind::OneOf(numbers, _) => numbers[0],
                _ => continue,
            };
            let is_bad = |value: &str| match route.parse(&format!("{}={value}", param.name), day) {
                Ok(_) => false,
                Err(faults) => faults.iter().any(|fault| fault.parameter == param.name),
            };
            assert!(!is_bad(&some.to_string()), "{} {}={some}", route.path, param.name);
            for value in [
                format!("0{some}"),
                format!("%2B{some}"),
                format!("+{some}"),
                format!("%C2%A0{some}"),
                "00".into(),
            ] {
                assert!(is_bad(&value), "{} {}={value}", route.path, param.name);
            }
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} parameters");
}

#[test]
fn every_field_is_described() {
    let document = document();
    let mut missing = Vec::new();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        assert!(
            !name.ends_with(|last: char| last.is_ascii_digit()),
            "{name}: two types have one name, rename one"
        );
        described(&document, schema, name, &mut missing);
    }
    assert!(missing.is_empty(), "without a description:\n{}", missing.join("\n"));
}

fn described(document: &Value, schema: &Value, at: &str, missing: &mut Vec<String>) {
    let own = schema.get("description").or_else(|| follow(document, schema).get("description"));
    if own.and_then(Value::as_str).is_none_or(|text| text.trim().len() < 8) {
        missing.push(at.to_owned());
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        described(document, property, &format!("{at}.{name}"), missing);
    }
}

#[test]
fn prices_are_those_that_are_asked_for() {
    let document = document();
    let day = Day::from_ymd(2026, 10, 31).unwrap();
    for route in endpoints::routes() {
        let operation = &document["paths"][route.path]["get"];
        assert_eq!(operation.get("x-price").is_none(), route.is_free(), "{}", route.path);
        // The farthest page and the longest window that there are.
        let far = |example: &&str| {
            let mut pairs: Vec<String> = example.split('&').map(str::to_owned).collect();
            let has = |name: &str| route.params.iter().any(|param| param.name == name);
            pairs.retain(|pair| !["time_window", "cursor"].iter().any(|name| pair.starts_with(name)));
            pairs.extend(has("from").then(|| "from=2024-01-01&to=2026-10-31".to_owned()));
            pairs.extend(has("cursor").then(|| "cursor=1001".to_owned()));
            pairs.join("&")
        };
        let price = |query: &str| {
            route.parse(query, day).unwrap_or_else(|faults| panic!("{query}: {faults:?}")).price
        };
        let deep = route.examples.iter().any(|example| price(&far(example)) == PriceClass::Deep);
        assert_eq!(operation["x-price"].get("deep_usd").is_some(), deep || route.batch, "{}", route.path);
        for example in route.examples {
            assert_eq!(price(example), route.usual_price(), "{}", route.path);
        }
    }
}

/// Every object of the document.
fn objects<'a>(value: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match value {
        Value::Object(members) => {
            found.push(members);
            members.values().for_each(|member| objects(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, found)),
        _ => {}
    }
}

/// Generators of clients stumble over alternatives of constants, over what is put together of parts, and over two
/// answers of one operation.
#[test]
fn schemas_are_plain() {
    let document = document();
    let mut found = Vec::new();
    objects(&document["components"], &mut found);
    let (mut enumerations, mut nullable) = (0, 0);
    for object in found {
        assert!(!object.contains_key("allOf"), "{object:?}");
        if let (Some(words), Some(told)) = (object.get("enum"), object.get("x-enum-descriptions")) {
            let lengths = [words, told].map(|list| list.as_array().unwrap().len());
            assert_eq!(lengths[0], lengths[1], "{words}");
            enumerations += 1;
        }
        let parts = object.get("anyOf").or(object.get("oneOf")).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            assert!(part.get("const").is_none(), "{object:?}");
            nullable += usize::from(part["type"] == "null");
        }
    }
    assert!(enumerations > 15 && nullable > 10, "{enumerations} enumerations, {nullable} nullable objects");
    for route in endpoints::routes().iter().filter(|route| !route.examples.is_empty()) {
        let responses = &document["paths"][route.path]["get"]["responses"];
        let schema = &responses["200"]["content"]["application/json"]["schema"];
        assert_eq!(schema.as_object().unwrap().keys().collect::<Vec<_>>(), ["$ref"], "{}", route.path);
        assert_eq!(responses.get("402").is_some(), !route.is_free(), "{}", route.path);
    }
}

/// Names of schemas are told apart whatever a language does with case, and are no words of one.
#[test]
fn names_do_not_collide() {
    const TAKEN: [&str; 14] = [
        "any",
        "code",
        "error",
        "example",
        "list",
        "mapping",
        "method",
        "object",
        "parameter",
        "request",
        "response",
        "type",
        "union",
        "unset",
    ];
    let document = document();
    let mut names = BTreeSet::new();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        let plain = name.to_ascii_lowercase();
        assert!(!TAKEN.contains(&plain.as_str()), "{name}");
        assert!(names.insert(plain), "{name}");
    }
}

#[test]
fn every_operation_is_described_and_none_is_head() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert_eq!(item.as_object().unwrap().keys().collect::<Vec<_>>(), ["get"], "{path}");
        let get = &item["get"];
        let text = get["description"].as_str().unwrap();
        assert!(text.starts_with("Use it") || text.starts_with("Do not use it"), "{path}: {text}");
        let price = match get.get("x-price") {
            Some(price) => format!(" Costs {} USD", price["usd"].as_str().unwrap()),
            None => " Free.".to_owned(),
        };
        assert!(text.contains(&price), "{path}: {text}");
        assert!(ids.insert(get["operationId"].as_str().unwrap()), "{path}");
        if let Some(answer) = get["responses"].get("200") {
            let content = &answer["content"]["application/json"];
            let examples = content["examples"].as_object().unwrap();
            assert!(!examples.is_empty(), "{path}");
            for example in examples.values().filter(|_| path != openapi::PATH) {
                let faults = validate::faults(&document, &content["schema"], &example["value"]);
                assert!(faults.is_empty(), "{path}\n{}", faults.join("\n"));
            }
        }
    }
}

#[test]
fn every_error_has_an_example_of_its_own_schema_alone() {
    let document = document();
    for (name, response) in document["components"]["responses"].as_object().unwrap() {
        for content in response["content"].as_object().unwrap().values() {
            let examples = content["examples"].as_object().unwrap();
            assert_eq!(examples.len(), 1, "{name}");
            for example in examples.values() {
                let fits = |schema: &Value| validate::faults(&document, schema, &example["value"]);
                assert_eq!(fits(&content["schema"]), Vec::<String>::new(), "{name}");
                let kind = if name.ends_with("Bare") { "Error" } else { "Problem" };
                let schemas = document["components"]["schemas"].as_object().unwrap();
                let all = schemas.iter().filter(|(name, _)| name.ends_with(kind));
                let fitting: Vec<_> = all.filter(|(_, schema)| fits(schema).is_empty()).collect();
                assert_eq!(fitting.len(), 1, "{name}: {fitting:?}");
            }
        }
    }
}

/// What a server is told of prices and rails stands in its document, in the words of MPP's discovery.
#[test]
fn a_server_says_how_it_is_paid() {
    let raw = pricebook::server::config::RawFile::parse(
        "[payment]\nmode = \"sandbox\"\n[payment.prices]\nshopper = 12500\n",
    )
    .unwrap();
    let secrets = pricebook::payment::settings::Secrets::default();
    let flags = pricebook::server::config::ServeFlags::default();
    let config = pricebook::server::config::ServeConfig::new(flags, Some(raw), secrets, [7; 32]).unwrap();
    let terms = Terms::of(config.options.prices, config.payment.as_ref());
    let document: Value =
        serde_json::from_slice(&openapi::compact(&endpoints::routes(), &terms).unwrap()).unwrap();
    assert_eq!(document["x-service-info"]["docs"]["apiReference"], openapi::PATH);
    for route in endpoints::routes() {
        let get = &document["paths"][route.path]["get"];
        let Some(payment) = get.get("x-payment-info") else {
            assert!(route.is_free(), "{}", route.path);
            continue;
        };
        let offer = &payment["offers"][0];
        assert_eq!((&offer["intent"], &offer["method"]), (&json!("charge"), &json!("evm")), "{}", route.path);
        assert!(offer["currency"].as_str().unwrap().starts_with("0x"));
        match (route.dearest_price(), route.group) {
            (Some(_), _) => assert_eq!(offer["amount"], Value::Null),
            (None, Group::Shopper) => assert_eq!(offer["amount"], "12500"),
            (None, Group::Analyst) => assert_eq!(offer["amount"], "20000"),
            (None, _) => assert_eq!(offer["amount"], "10000"),
        }
    }
    let text = document["paths"]["/v1/shopper/best-price"]["get"]["description"].as_str().unwrap();
    assert!(text.ends_with("Costs 0.0125 USD."), "{text}");
}

/// The real endpoints over the demo, and what the document says of their answers.
struct Contract {
    document: Value,
    seen: BTreeMap<String, BTreeSet<u16>>,
}

impl Contract {
    /// Sends a request and holds the response against the document.
    fn ask(&mut self, client: &mut Client, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = client.send(method, target, headers);
        let path = target.split('?').next().unwrap();
        // What is said of GET is true of HEAD, but for the body.
        let responses = &self.document["paths"][path]["get"]["responses"];
        let response = responses.get(answer.status.to_string());
        let response =
            response.unwrap_or_else(|| panic!("{method} {target}: {} is not in the document", answer.status));
        let response = follow(&self.document, response);
        let said = format!("{method} {target} {}", answer.status);
        for (name, header) in response["headers"].as_object().unwrap() {
            let required = follow(&self.document, header)["required"] == true;
            let there = answer.header(&name.to_ascii_lowercase()).is_some();
            assert!(there || !required, "{said}: {name} is missing");
        }
        if let Some(content) = response.get("content").filter(|_| method != "HEAD") {
            let media = answer.header("content-type").unwrap();
            let schema = &content.get(media).unwrap_or_else(|| panic!("{said}: {media}"))["schema"];
            if path != openapi::PATH {
                let faults = validate::faults(&self.document, schema, &answer.json());
                assert!(faults.is_empty(), "{said}\n{}", faults.join("\n"));
            }
        }
        self.seen.entry(path.to_owned()).or_default().insert(answer.status);
        answer
    }
}

fn serve(catalog: &Arc<Catalog>, options: &ServerOptions) -> TestServer {
    TestServer::real(Arc::clone(catalog), options)
}

#[test]
fn the_server_answers_what_the_document_says() {
    let catalog = asking::fixture();
    let server = serve(&catalog, &ServerOptions::default());
    // A client that may send one request a minute, for 429.
    let limited = ServerOptions {
        requests_per_minute: std::num::NonZeroU32::new(1),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let mut contract = Contract { document: document(), seen: BTreeMap::new() };
    let mut client = server.connect();
    let long = "x".repeat(2_100);
    for route in endpoints::routes() {
        for example in route.examples {
            let target = format!("{}?{example}", route.path);
            let answer = contract.ask(&mut client, "GET", &target, &[]);
            assert_eq!(answer.status, 200, "{target}");
            assert_eq!(contract.ask(&mut client, "HEAD", &target, &[]).status, 200);
            let quote = contract.ask(&mut client, "GET", &quote::target_of(&target), &[]);
            assert_eq!(quote.status, if route.is_free() { 400 } else { 200 }, "{target}");
            if let Some(tag) = answer.header("etag") {
                let held = [("if-none-match", tag)];
                assert_eq!(contract.ask(&mut client, "GET", &target, &held).status, 304, "{target}");
            }
        }
        let example = route.examples.first().copied().unwrap_or_default();
        for change in
            ["country=xx", "unheard=of", "limit=0", "retailer=no-such-shop", "retailer=%20", "to=2001-01-01"]
        {
            contract.ask(&mut client, "GET", &format!("{}?{}", route.path, changed(example, change)), &[]);
        }
        for text in ["q", "category", "node", "brand", "gpc_code", "items"] {
            if route.params.iter().any(|param| param.name == text) {
                let change = format!("{text}=qqzzx");
                contract.ask(
                    &mut client,
                    "GET",
                    &format!("{}?{}", route.path, changed(example, &change)),
                    &[],
                );
            }
        }
        contract.ask(&mut client, "GET", route.path, &[]);
        contract.ask(&mut client, "POST", route.path, &[]);
        contract.ask(&mut client, "GET", route.path, &[("accept", "image/png")]);
        contract.ask(&mut client, "GET", &format!("{}?q={long}", route.path), &[]);
        let slow = serve(&catalog, &limited);
        slow.get(route.path);
        let answer = contract.ask(&mut slow.connect(), "GET", route.path, &[]);
        assert_eq!(answer.status, 429, "{}", route.path);
        assert!(answer.header("ratelimit").is_some());
    }
    let tag = contract.ask(&mut client, "GET", openapi::PATH, &[]).header("etag").unwrap().to_owned();
    assert_eq!(contract.ask(&mut client, "HEAD", openapi::PATH, &[("if-none-match", &tag)]).status, 304);
    assert_eq!(contract.ask(&mut client, "GET", "/openapi.json?a=b", &[]).status, 400);
    assert_eq!(client.send("OPTIONS", openapi::PATH, &[]).status, 204);
    every_status_was_seen(&contract);
}

/// A query with one parameter set to another value.
fn changed(query: &str, change: &str) -> String {
    let name = change.split('=').next().unwrap();
    let kept = query.split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(name));
    kept.chain([change]).collect::<Vec<_>>().join("&")
}

/// All but those that a sound server in this mode does not answer.
fn every_status_was_seen(contract: &Contract) {
    const NOT_HERE: [&str; 5] = ["402", "409", "410", "500", "503"];
    for route in endpoints::routes() {
        let responses = contract.document["paths"][route.path]["get"]["responses"].as_object().unwrap();
        for status in responses.keys().filter(|status| !NOT_HERE.contains(&status.as_str())) {
            // Nothing in the demo's classification can be missing from a classification.
            let seen = contract.seen[route.path].contains(&status.parse().unwrap());
            let replayed = status == "304" && !route.is_free();
            assert!(
                seen || replayed || (status == "404" && route.path.ends_with("classify")),
                "{} {status}",
                route.path
            );
        }
    }
}

/// Faults of the server have the form that the document says, on every path that has another.
#[test]
fn errors_without_a_cause_of_the_client_have_their_form() {
    let document = document();
    let server = TestServer::start();
    for (target, schema) in
        [("/v1/shopper/boom", "InternalProblem"), ("/v1/public/bare?word=stumble", "InternalError")]
    {
        let answer = server.get(target);
        assert_eq!(answer.status, 500);
        let faults = validate::faults(&document, &document["components"]["schemas"][schema], &answer.json());
        assert!(faults.is_empty(), "{target}\n{}", faults.join("\n"));
    }
    let answer = server.get("/no/such/path");
    let faults =
        validate::faults(&document, &document["components"]["schemas"]["NotFoundProblem"], &answer.json());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A request has one name on every day, also on one that refuses it: payments are found by it.
#[test]
fn a_request_is_called_the_same_on_every_day() {
    let days = ["1999-01-01", "2026-11-21", "2222-02-02"].map(|day| Day::parse(day).unwrap());
    for route in endpoints::routes() {
        for example in route.examples {
            let parsed = days.iter().find_map(|day| route.parse(example, *day).ok()).unwrap();
            for day in days {
                let named = route.normal_form(example, day);
                assert_eq!(
                    named.as_deref(),
                    Some(parsed.canonical_query.as_str()),
                    "{} {example}",
                    route.path
                );
                assert_eq!(route.normal_form(&format!("{example}&quote=true"), day), None, "{}", route.path);
            }
        }
    }
}
