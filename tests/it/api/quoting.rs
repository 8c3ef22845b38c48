//! `GET /v1/public/quote`: what a request costs, without asking the request itself.

use std::num::NonZeroU32;

use pricebook::endpoints;
use pricebook::payment::Mode;
use pricebook::server::accept_loop::ConnectionLimits;
use pricebook::server::quote::target_of;
use pricebook::server::{ServerOptions, quote};
use serde_json::Value;

use crate::support::asking::fixture;
use crate::support::server::TestServer;

fn demo() -> TestServer {
    TestServer::real(fixture(), &ServerOptions::default())
}

/// The details of a 400: parameter and reason.
fn faults(body: &Value) -> Vec<(String, String)> {
    let listed = body["error"]["details"]["parameters"].as_array().unwrap().iter();
    let text = |fault: &Value, name: &str| fault[name].as_str().unwrap().to_owned();
    listed.map(|fault| (text(fault, "parameter"), text(fault, "reason"))).collect()
}

#[test]
fn it_tells_what_the_request_itself_would_be_told() {
    let server = demo();
    let mut client = server.connect();
    for route in endpoints::routes().into_iter().filter(|route| !route.is_free()) {
        for example in route.examples {
            let request = format!("{}?{example}", route.path);
            let quoted = client.get(&target_of(&request));
            assert_eq!(quoted.status, 200, "{request}: {}", quoted.text());
            assert_eq!((quoted.header("cache-control"), quoted.header("etag")), (Some("no-store"), None));
            assert_eq!(quoted.json(), client.get(&format!("{request}&quote=true")).json(), "{request}");
            assert_eq!(client.send("HEAD", &target_of(&request), &[]).status, 200);
        }
    }
}

#[test]
fn it_is_refused_for_what_the_request_would_be_refused_for() {
    let server = demo();
    let mut client = server.connect();
    for request in [
        "/v1/shopper/best-price",
        "/v1/shopper/best-price?q=zzyqx&limit=0&country=xx&unheard=of",
        "/v1/shopper/best-price?q=zzyqx",
        "/v1/shopper/best-price?q=sauce&retailer=nobody",
        "/v1/marketing/share-of-shelf?category=zzyqx&country=ca",
        "/v1/marketing/brand-tracker?brand=corsaire",
        "/v1/analyst/inflation?category=food&from=2001-01-01&to=2001-02-01",
    ] {
        let (quoted, asked) = (client.get(&target_of(request)), client.get(request));
        assert!(asked.status >= 400, "{request}");
        assert_eq!(quoted.status, asked.status, "{request}: {}", quoted.text());
        assert_eq!(quoted.json()["error"], asked.json()["error"], "{request}");
        assert_eq!(quoted.json()["instance"], quote::PATH);
    }
    let twice = faults(&client.get(&target_of("/v1/shopper/best-price?q=tea&limit=0&country=xx")).json());
    assert_eq!(twice.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["country", "limit"]);
}

#[test]
fn rejects_quotes_for_requests_that_are_not_paid() {
    let server = demo();
    let mut client = server.connect();
    for (request, reason) in [
        ("/v1/public/retailers?country=ca", "is free"),
        ("/v1/social/topic-trends", "is free"),
        ("/openapi.json", "does not begin with a paid path"),
        ("/v1/public/quote?request=x", "does not begin with a paid path"),
        ("/v1/shopper/no-such", "does not begin with a paid path"),
        ("https://prices.example/v1/shopper/best-price?q=tea", "does not begin with a paid path"),
        ("q=tea", "does not begin with a paid path"),
    ] {
        let answer = client.get(&target_of(request));
        assert_eq!(answer.status, 400, "{request}: {}", answer.text());
        let found = faults(&answer.json());
        assert_eq!(found.len(), 1, "{request}");
        assert!(found[0].0 == "request" && found[0].1.starts_with(reason), "{request}: {found:?}");
    }
    for (query, fault) in [
        ("", "is required"),
        ("?request=", "is empty"),
        ("?request=%2Fv1%2Fshopper%2Fbest-price&request=x", "is given more than once"),
    ] {
        let answer = client.get(&format!("{}{query}", quote::PATH));
        assert_eq!((answer.status, faults(&answer.json())), (400, vec![("request".into(), fault.into())]));
    }
    let unencoded = client.get("/v1/public/quote?request=/v1/shopper/best-price?q=tea&country=ca");
    assert_eq!((unencoded.status, faults(&unencoded.json())[0].0.as_str()), (400, "country"));
    assert_eq!(client.send("POST", quote::PATH, &[]).status, 405);
    assert_eq!(
        client.get(&target_of(&format!("/v1/shopper/best-price?q={}", "x".repeat(2_100)))).status,
        414
    );
}

#[test]
fn it_says_nothing_of_payments_that_come_with_it() {
    for payments in Mode::ALL {
        let options = ServerOptions { payments, ..ServerOptions::default() };
        let server = TestServer::with(&options, ConnectionLimits::default());
        let paying =
            [("payment-signature", "e30="), ("authorization", "Payment e30"), ("if-none-match", "*")];
        let answer = server.connect().send("GET", &target_of("/v1/shopper/echo?word=tea"), &paying);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["endpoint"], "/v1/shopper/echo");
        for header in ["payment-required", "www-authenticate", "payment-response", "payment-receipt"] {
            assert_eq!(answer.header(header), None);
        }
        // What is too long to be offered is not quoted, where it would have to be paid.
        let long = target_of(&format!("/v1/shopper/echo?word={}", "x".repeat(700)));
        assert_eq!(server.get(&long).status, if payments == Mode::Off { 200 } else { 414 });
    }
}

#[test]
fn it_counts_like_a_request() {
    let rate = ServerOptions {
        requests_per_minute: NonZeroU32::new(2),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let server = TestServer::with(&rate, ConnectionLimits::default());
    let statuses = [(); 3].map(|()| server.get(&target_of("/v1/shopper/echo?count=2")).status);
    assert_eq!(statuses, [200, 200, 429]);
}
