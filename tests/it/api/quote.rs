//! Quotes: what they say on every paid route, what they keep to themselves, and that they are refused for what the
//! paid request is refused for.

use crate::oracle;
use std::num::NonZeroU32;

use crate::support::asking::{Service, build, fixture};
use crate::support::client::Answer;
use crate::support::server::TestServer;
use pricebook::endpoints;
use pricebook::payment::Mode;
use pricebook::query::descriptor::Group;
use pricebook::query::endpoint::Route;
use pricebook::server::ServerOptions;
use serde_json::{Value, json};

/// Words in the name of a member that would tell what is for sale.
const FOR_SALE: [&str; 12] = [
    "retailer",
    "platform",
    "price",
    "count",
    "products",
    "product_uid",
    "stock",
    "url",
    "rating",
    "review",
    "observed",
    "meta",
];

fn with_quote(query: &str) -> String {
    if query.is_empty() { "quote=true".into() } else { format!("{query}&quote=true") }
}

fn paid() -> impl Iterator<Item = Route> {
    endpoints::routes().into_iter().filter(|route| !route.is_free())
}

/// Names of all members, at any depth.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                found.push(name.clone());
                names(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

/// Checks what every quote has and hands its body back.
fn quote(answer: &Answer, target: &str) -> Value {
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!((answer.header("cache-control"), answer.header("etag")), (Some("no-store"), None), "{target}");
    for header in ["payment-required", "www-authenticate", "payment-response", "payment-receipt"] {
        assert_eq!(answer.header(header), None, "{target}");
    }
    let body = answer.json();
    assert_eq!(body["quote"], true, "{target}");
    assert_eq!(body["endpoint"], target.split('?').next().unwrap());
    body
}

#[test]
fn every_paid_route_is_quoted() {
    let server = TestServer::real(fixture(), &ServerOptions::default());
    let mut client = server.connect();
    for route in paid() {
        let (amount, atomic) = match route.group {
            Group::Analyst => ("0.02", "20000"),
            _ => ("0.01", "10000"),
        };
        for example in route.examples {
            let target = format!("{}?{}", route.path, with_quote(example));
            let body = quote(&client.get(&target), &target);
            assert_eq!(
                body["price"],
                json!({"amount": amount, "currency": "USD", "atomic": atomic}),
                "{target}"
            );
            assert_eq!(body["rails"], json!([]), "payments are off");
            let mut subject: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
            subject.retain(|name| !["quote", "endpoint", "price", "rails"].contains(name));
            let expected: &[&str] = match route.path.rsplit('/').next().unwrap() {
                "best-price" | "price-history" | "price-drop-alert" => &["product"],
                "brand-tracker" | "brand-breakdown" if !example.contains("category=") => &["brand"],
                "price-bands" => &["resolved"],
                _ if example.contains("brand=") => &["resolved", "brand"],
                "brick-attributes" => &["codes", "unresolved", "gpc_release"],
                "classify" => &["phrases", "gpc_release"],
                "basket" | "best-prices" => &["items"],
                _ => &["resolved"],
            };
            assert_eq!(subject, expected, "{target}");
            let head = client.send("HEAD", &target, &[]);
            assert_eq!((head.status, head.header("cache-control")), (200, Some("no-store")), "{target}");
        }
    }
}

#[test]
fn a_quote_is_about_what_the_answer_is_about() {
    let server = TestServer::real(fixture(), &ServerOptions::default());
    let mut client = server.connect();
    let mut ask =
        |target: &str| (client.get(target).json(), client.get(&format!("{target}&quote=true")).json());
    for route in paid() {
        for example in route.examples {
            let target = format!("{}?{example}", route.path);
            let (answer, quote) = ask(&target);
            if let Some(resolved) = quote.get("resolved") {
                let mut known = answer["resolved"].clone();
                for alternate in known["alternates"].as_array_mut().unwrap() {
                    alternate.as_object_mut().unwrap().remove("products").unwrap();
                }
                assert_eq!(*resolved, known, "{target}");
            }
            if let Some(product) = quote.get("product") {
                let uid = answer.get("resolved_product").unwrap_or(&answer)["entity_uid"].clone();
                assert_eq!(product["entity_uid"], uid, "{target}");
                let members: Vec<&String> = product.as_object().unwrap().keys().collect();
                let expected = [
                    "entity_uid",
                    "product_name",
                    "brand",
                    "category_path",
                    "corrected_terms",
                    "dropped_terms",
                    "match_quality",
                    "understood_as",
                ];
                assert_eq!(members, expected);
                for how in &expected[4..] {
                    let told = answer.get(how).unwrap_or(&Value::Null);
                    assert_eq!(product[how], *told, "{target}");
                }
            }
            if let Some(brand) = quote.get("brand") {
                assert_eq!(*brand, answer["brand"], "{target}");
            }
            if let Some(items) = quote.get("items") {
                let counts =
                    json!({"requested": answer["requested_items"], "resolved": answer["resolved_items"]});
                assert_eq!(*items, counts, "{target}");
            }
            if let Some(codes) = quote.get("codes") {
                let code =
                    |item: &Value| item["code"].as_str().or(item["gpc_code"].as_str()).unwrap().to_owned();
                let all = |items: &Value| items.as_array().unwrap().iter().map(code).collect::<Vec<_>>();
                assert_eq!(all(codes), all(&answer["results"]), "{target}");
                assert_eq!(quote["unresolved"], answer["unresolved"]);
            }
            if let Some(phrases) = quote.get("phrases") {
                let asked =
                    answer["results"].as_array().unwrap().iter().map(|result| result["query"].clone());
                assert_eq!(*phrases, Value::Array(asked.collect()), "{target}");
            }
        }
    }
}

#[test]
fn deep_reads_are_quoted_by_their_parameters() {
    let server = TestServer::real(fixture(), &ServerOptions::default());
    let atomic = |target: &str| quote(&server.get(target), target)["price"]["atomic"].clone();
    let landscape = "/v1/marketing/competitive-landscape?quote=true&category=food&country=ca&cursor=";
    assert_eq!(atomic(&format!("{landscape}1000")), "10000");
    assert_eq!(atomic(&format!("{landscape}1001")), "50000");
    let inflation = "/v1/analyst/inflation?category=food&country=ca&quote=true&to=2026-10-31&from=";
    assert_eq!(atomic(&format!("{inflation}2026-05-04")), "20000");
    assert_eq!(atomic(&format!("{inflation}2026-05-03")), "50000");
}

#[test]
fn a_quote_tells_nothing_that_is_for_sale() {
    let server = TestServer::real(fixture(), &ServerOptions::default());
    let mut client = server.connect();
    let asked = [
        "/v1/shopper/best-price?q=0+13409+35299+4&country=ca",
        "/v1/shopper/best-price?q=sauce&country=ca&retailer=metro",
        "/v1/shopper/deal-finder?category=wine&country=ca&retailer=bcliquor",
        "/v1/marketing/brand-tracker?brand=corsair&category=computer",
        "/v1/analyst/price-dispersion?category=sauces&country=ca",
    ];
    let examples = paid().flat_map(|route| {
        let path = route.path;
        route.examples.iter().map(move |example| format!("{path}?{example}")).collect::<Vec<_>>()
    });
    let mut seen = 0;
    for target in examples.chain(asked.map(str::to_owned)) {
        let answer = client.get(&format!("{target}&quote=true"));
        if answer.status == 404 {
            continue;
        }
        let mut body = quote(&answer, &target);
        // The one price in it is that of the answer.
        assert!(body.as_object_mut().unwrap().remove("price").is_some());
        let mut found = Vec::new();
        names(&body, &mut found);
        let leak = found.iter().find(|name| FOR_SALE.iter().any(|word| name.contains(word)));
        assert_eq!(leak, None, "{target}: {body}");
        // Ids of listings, wherever they stand.
        assert!(!body.to_string().contains("\"p_"), "{target}: {body}");
        seen += 1;
    }
    assert!(seen > 20, "{seen} quotes");
}

/// A tea that two shops sell under names of their own, and a shelf called tea under two roots. Alpha asks `cents`.
fn teas(cents: u32) -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let listings = "country,platform,product_id,product_name,brand,gtin,category_path\n\
                    us,alpha,1,Black Tea of Alpha,Leaf,4006381333931,Grocery > Tea\n\
                    us,beta,1,Black Tea of Beta,Leaf,4006381333931,Grocery > Tea\n\
                    us,beta,2,Tea Box,Leaf,,Gifts > Tea\n";
    let observations = format!(
        "country,platform,product_id,date,price\nus,alpha,1,2026-10-15,{}.{:02}\nus,beta,1,2026-10-15,5.00\n\
         us,beta,2,2026-10-15,9.00\n",
        cents / 100,
        cents % 100
    );
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    Service::new(build(&[input.path().to_owned()], out.path()))
}

#[test]
fn a_quote_does_not_follow_prices() {
    let (cheap, dear) = (teas(499), teas(501));
    let uid =
        cheap.ask("/v1/shopper/best-price?q=4006381333931").1["entity_uid"].as_str().unwrap().to_owned();
    let best = |service: &Service| {
        service.ask(&format!("/v1/shopper/best-price?entity_uid={uid}")).1["best_price"]["retailer"].clone()
    };
    assert_eq!((best(&cheap), best(&dear)), (json!("alpha"), json!("beta")));
    let servers = [cheap, dear].map(|service| TestServer::real(service.catalog, &ServerOptions::default()));
    let mut alternates = 0;
    for target in [
        format!("/v1/shopper/best-price?entity_uid={uid}"),
        format!("/v1/shopper/price-history?entity_uid={uid}"),
        format!("/v1/shopper/price-drop-alert?entity_uid={uid}"),
        "/v1/shopper/best-price?q=4006381333931".into(),
        "/v1/shopper/price-history?q=black+tea".into(),
        "/v1/shopper/deal-finder?category=tea".into(),
        "/v1/marketing/share-of-shelf?category=tea".into(),
        "/v1/marketing/brand-tracker?brand=leaf&category=tea".into(),
    ] {
        let target = format!("{target}&quote=true");
        let [one, other] = servers.each_ref().map(|server| quote(&server.get(&target), &target));
        assert_eq!(one, other, "{target}");
        let listed = &one["resolved"]["alternates"];
        alternates += listed.as_array().map_or(0, Vec::len);
        assert!(listed.get(0).is_none_or(|other| other.get("products").is_none()), "{one}");
    }
    assert_eq!(alternates, 3, "tea is on two shelves");
}

/// Status and body of the error that a request gets, or that it gets none.
fn refusal(service: &Service, route: &Route, query: &str) -> String {
    match route.parse(query, service.catalog.as_of()).map(|parsed| parsed.resolve(&service.catalog)) {
        Err(faults) => format!("400 {faults:?}"),
        Ok(Err(refusal)) => format!("{refusal:?}"),
        Ok(Ok(_)) => "none".into(),
    }
}

#[test]
fn a_quote_is_refused_for_what_the_request_is_refused_for() {
    let (mut refused, mut served) = (0, 0);
    for seed in 7..10 {
        let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        oracle::write_input(input.path(), seed);
        let inputs = [input.path().to_owned()];
        let service = Service::new(build(&inputs, out.path()));
        let oracle = oracle::Oracle::load(&inputs);
        for target in oracle::requests::requests(&oracle, seed) {
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let Some(route) = service.routes.iter().find(|route| route.path == path && !route.is_free())
            else {
                continue;
            };
            let plain = refusal(&service, route, query);
            assert_eq!(refusal(&service, route, &with_quote(query)), plain, "{target}");
            if plain == "none" { served += 1 } else { refused += 1 }
        }
    }
    assert!(served > 200 && refused > 200, "{served} served, {refused} refused");
}

#[test]
fn excludes_quote_from_the_canonical_request() {
    let service = Service::new(fixture());
    for route in paid() {
        for example in route.examples {
            let parse = |query: &str| route.parse(query, service.catalog.as_of()).unwrap();
            let (plain, quoted) = (parse(example), parse(&with_quote(example)));
            let declined = parse(&format!("quote=false&{example}"));
            assert_eq!((plain.quote, quoted.quote, declined.quote), (false, true, false));
            assert_eq!(plain.canonical_query, quoted.canonical_query, "{}?{example}", route.path);
            assert_eq!(plain.canonical_query, declined.canonical_query);
            assert_eq!(plain.price, quoted.price);
            assert!(route.params.iter().all(|param| param.name != "quote"), "it is not documented");
        }
    }
}

#[test]
fn free_routes_have_no_quotes() {
    let server = TestServer::real(fixture(), &ServerOptions::default());
    let mut free = 0;
    for route in endpoints::routes().into_iter().filter(|route| route.is_free()) {
        for value in ["true", "false"] {
            let answer = server.get(&format!("{}?quote={value}", route.path));
            assert_eq!(answer.status, 400, "{}", route.path);
            assert!(answer.text().contains("is not a parameter of this endpoint"), "{}", answer.text());
        }
        free += 1;
    }
    assert!(free > 5);
}

#[test]
fn a_quote_is_asked_for_plainly() {
    let server = TestServer::start();
    for query in ["quote=1", "quote=TRUE", "quote=", "quote", "quote=true&quote=true", "quote=true&count=0"] {
        assert_eq!(server.get(&format!("/v1/shopper/echo?{query}")).status, 400, "{query}");
    }
    assert_eq!(server.get("/v1/shopper/echo?word=nothing&quote=true").status, 404);
    assert_eq!(server.get("/v1/shopper/echo?quote=false").json()["word"], "hello");
}

#[test]
fn payments_mean_nothing_on_a_quote() {
    for payments in Mode::ALL {
        let options = ServerOptions { payments, ..ServerOptions::default() };
        let server = TestServer::with(&options, pricebook::server::accept_loop::ConnectionLimits::default());
        let paying =
            [("payment-signature", "e30="), ("authorization", "Payment e30"), ("if-none-match", "*")];
        let answer = server.connect().send("GET", "/v1/shopper/echo?quote=true", &paying);
        quote(&answer, "/v1/shopper/echo");
        assert_eq!(answer.header("payment-mode"), Some(payments.as_str()));
        assert_eq!(server.get("/v1/public/echo").status, 200);
    }
}

#[test]
fn quotes_are_counted_and_admitted_like_requests() {
    let rate = ServerOptions {
        requests_per_minute: NonZeroU32::new(2),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let server = TestServer::with(&rate, pricebook::server::accept_loop::ConnectionLimits::default());
    let statuses = [(); 3].map(|()| server.get("/v1/shopper/echo?quote=true").status);
    assert_eq!(statuses, [200, 200, 429]);

    let narrow = ServerOptions { threads: 1, queue_depth_max: 1, ..ServerOptions::default() };
    let server = TestServer::with(&narrow, pricebook::server::accept_loop::ConnectionLimits::default());
    let mut busy = [server.connect(), server.connect()];
    for client in &mut busy {
        client.write("GET", "/v1/analyst/slow?millis=1500", &[]);
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(server.get("/v1/analyst/slow?quote=true").status, 503);
    assert_eq!(server.get("/v1/shopper/echo?quote=true").status, 200);
}
