//! The server over a socket: what every response carries, every refusal's shape, and what a client may not do.

use std::io::Write as _;
use std::num::NonZeroU32;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::client::{Answer, Client};
use crate::support::server::TestServer;
use pricebook::server::ServerOptions;
use pricebook::server::accept_loop::{ConnectionLimits, End};
use serde_json::json;

/// Checks what every response carries, then its status.
fn check(answer: &Answer, status: u16) {
    for name in ["x-request-id", "x-snapshot-id", "access-control-expose-headers"] {
        assert!(answer.header(name).is_some(), "{name} is missing: {answer:?}");
    }
    let freshness = answer.header("x-data-freshness-hours").unwrap();
    let (hours, tenths) = freshness.split_once('.').unwrap();
    assert!(hours.parse::<u64>().is_ok() && tenths.len() == 1, "{freshness}");
    assert_eq!(answer.header("payment-mode"), Some("off"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert!(answer.header("cache-control").is_some());
    assert_eq!(answer.status, status, "{answer:?}");
}

/// Checks a problem document and hands back its error.
fn problem(answer: &Answer, status: u16, code: &str) -> serde_json::Value {
    check(answer, status);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let document = answer.json();
    let slug = code.to_lowercase().replace('_', "-");
    assert_eq!(document["type"], format!("/problems/{slug}"));
    assert_eq!(document["status"], status);
    for member in ["title", "detail", "instance"] {
        assert!(document[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {document}");
    }
    assert_eq!(document["error"]["code"], code);
    assert!(document["error"]["message"].is_string() && document["error"]["details"].is_object());
    document["error"].clone()
}

#[test]
fn a_free_answer_may_be_kept_and_a_paid_one_not() {
    let server = TestServer::start();
    let free = server.get("/v1/public/echo?word=a&count=3");
    check(&free, 200);
    assert_eq!(free.json()["word"], "aaa");
    assert_eq!(free.header("content-type"), Some("application/json"));
    assert_eq!(free.header("cache-control"), Some("public, max-age=60"));
    assert!(free.header("etag").unwrap().starts_with("W/\""));
    let paid = server.get("/v1/shopper/echo?word=a");
    check(&paid, 200);
    assert_eq!((paid.header("cache-control"), paid.header("etag")), (Some("private, no-store"), None));
}

#[test]
fn a_tag_names_an_answer_however_it_is_asked_for() {
    let server = TestServer::start();
    let tag = |target: &str| server.get(target).header("etag").unwrap().to_owned();
    let first = tag("/v1/public/echo?word=a&count=3");
    assert_eq!(first, tag("/v1/public/echo?count=3&word=%61"));
    assert_ne!(first, tag("/v1/public/echo?word=a&count=4"));
    assert_ne!(first, tag("/v1/public/bare?word=a&count=3"));
    let again = |target: &str, held: &str| server.connect().send("GET", target, &[("if-none-match", held)]);
    for held in [first.clone(), format!("\"x\", {first}"), first.replace("W/", ""), "*".into()] {
        let answer = again("/v1/public/echo?word=a&count=3", &held);
        check(&answer, 304);
        assert_eq!(answer.header("etag"), Some(first.as_str()));
        assert_eq!(answer.header("content-length"), None);
    }
    check(&again("/v1/public/echo?word=a&count=3", "W/\"x\""), 200);
    check(&again("/v1/shopper/echo?word=a", "*"), 200);
    check(&again("/v1/public/echo?word=nothing", "*"), 404);
}

#[test]
fn every_bad_parameter_is_named_at_once() {
    let server = TestServer::start();
    let answer = server.get("/v1/shopper/echo?word=&count=1e1&side=up&other=1&word=a");
    let error = problem(&answer, 400, "INVALID_PARAMS");
    let parameters = error["details"]["parameters"].as_array().unwrap();
    let names: Vec<_> = parameters.iter().map(|fault| fault["parameter"].as_str().unwrap()).collect();
    assert_eq!(names, ["word", "count", "side", "other"]);
    assert_eq!(parameters[2]["allowed"], json!(["left", "right"]));
    assert!(answer.json()["detail"].as_str().unwrap().contains("from 1 to 50"));
}

#[test]
fn refusals_have_their_codes() {
    let server = TestServer::start();
    problem(&server.get("/"), 404, "NOT_FOUND");
    problem(&server.get("/v1/shopper/echo/?word=a"), 404, "NOT_FOUND");
    let error = problem(&server.get("/v1/shopper/echo?word=nothing"), 404, "NO_RESULTS");
    assert_eq!(error["details"], json!({"reason": "unknown_product"}));
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        let answer = server.connect().send(method, "/v1/shopper/echo", &[]);
        problem(&answer, 405, "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
    problem(&server.connect().send("POST", "/v1/nowhere", &[]), 404, "NOT_FOUND");
}

#[test]
fn a_target_has_at_most_2048_bytes() {
    let server = TestServer::start();
    let target = |bytes: usize| format!("/v1/shopper/echo?word={}", "a".repeat(bytes - 22));
    check(&server.get(&target(2_048)), 200);
    problem(&server.get(&target(2_049)), 414, "URI_TOO_LONG");
    problem(&server.get(&target(60_000)), 414, "URI_TOO_LONG");
    problem(&server.get(&format!("/{}", "a".repeat(3_000))), 414, "URI_TOO_LONG");
}

#[test]
fn some_routes_answer_errors_bare() {
    let server = TestServer::start();
    let answers = [
        (server.get("/v1/public/bare?count=0"), 400, "INVALID_PARAMS"),
        (server.get("/v1/public/bare?word=stumble"), 500, "INTERNAL"),
        (server.connect().send("POST", "/v1/public/bare", &[]), 405, "METHOD_NOT_ALLOWED"),
        (server.get(&format!("/v1/public/bare?word={}", "a".repeat(3_000))), 414, "URI_TOO_LONG"),
    ];
    for (answer, status, code) in answers {
        check(&answer, status);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let error = answer.json();
        assert_eq!(error["code"], code);
        assert_eq!(error.as_object().unwrap().len(), 3, "{error}");
        assert!(error["message"].is_string() && error["details"].is_object());
    }
}

#[test]
fn head_is_get_without_a_body() {
    let server = TestServer::start();
    let mut client = server.connect();
    for target in
        ["/v1/public/echo?word=a", "/v1/shopper/echo?word=nothing", "/v1/shopper/echo?count=0", "/x"]
    {
        let (get, head) = (client.get(target), client.send("HEAD", target, &[]));
        check(&head, get.status);
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {target}");
        }
    }
}

#[test]
fn options_says_what_may_be_asked() {
    let server = TestServer::start();
    let mut client = server.connect();
    let answer = client.send("OPTIONS", "/v1/shopper/echo", &[("access-control-request-method", "GET")]);
    check(&answer, 204);
    assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for name in ["payment-signature", "authorization", "x-payment", "access-control-expose-headers"] {
        assert!(allowed.contains(name), "{allowed}");
    }
    problem(&client.send("OPTIONS", "/nowhere", &[]), 404, "NOT_FOUND");
}

#[test]
fn a_request_id_is_taken_over_or_made() {
    let server = TestServer::start();
    let mut client = server.connect();
    let mut id = |sent: &str| {
        let answer = client.send("GET", "/v1/public/echo", &[("x-request-id", sent)]);
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(id("order-7/a"), "order-7/a");
    let long = "a".repeat(64);
    assert_eq!(id(&long), long);
    let made = [id(&"a".repeat(65)), id("a b"), id("é"), id("")];
    for (at, one) in made.iter().enumerate() {
        assert!(!one.is_empty() && one.len() < 65 && !made[..at].contains(one), "{made:?}");
    }
}

#[test]
fn a_panic_ends_its_request_only() {
    let server = TestServer::start();
    let mut client = server.connect();
    for target in ["/v1/shopper/boom", "/v1/analyst/boom", "/v1/shopper/echo?word=stumble"] {
        let answer = client.get(target);
        let error = problem(&answer, 500, "INTERNAL");
        assert_eq!(error["details"], json!({}));
        assert!(!error.to_string().contains("boom"), "the cause is for the log: {error}");
        check(&client.get("/v1/public/echo"), 200);
    }
    assert_eq!(server.shared.metrics.panics.get(), 3);
}

#[test]
fn overload_is_refused_at_once() {
    let server = TestServer::with(
        &ServerOptions { threads: 1, queue_depth_max: 1, ..ServerOptions::default() },
        ConnectionLimits::default(),
    );
    let mut busy = [server.connect(), server.connect()];
    for client in &mut busy {
        client.write("GET", "/v1/analyst/slow?millis=800", &[]);
    }
    sleep(Duration::from_millis(300));
    let began = Instant::now();
    let answer = server.get("/v1/analyst/slow");
    problem(&answer, 503, "UNAVAILABLE");
    assert_eq!(answer.header("retry-after"), Some("2"));
    check(&server.get("/v1/shopper/echo"), 200);
    assert!(began.elapsed() < Duration::from_secs(1), "refusals and light requests do not wait");
    for client in &mut busy {
        check(&client.read("GET"), 200);
    }
    check(&server.get("/v1/analyst/slow"), 200);
}

#[test]
fn a_client_is_told_its_rate() {
    let options = ServerOptions {
        requests_per_minute: NonZeroU32::new(2),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let server = TestServer::with(&options, ConnectionLimits::default());
    let mut client = server.connect();
    for left in [1, 0] {
        let answer = client.get("/v1/public/echo?count=0");
        problem(&answer, 400, "INVALID_PARAMS");
        assert_eq!(answer.header("ratelimit-policy"), Some("\"client\";q=2;w=60"));
        assert!(answer.header("ratelimit").unwrap().starts_with(&format!("\"client\";r={left};t=")));
    }
    let answer = client.get("/v1/public/echo");
    let error = problem(&answer, 429, "RATE_LIMITED");
    let seconds = answer.header("retry-after").unwrap();
    assert_eq!(error["details"]["retry_after_seconds"].to_string(), seconds);
    assert!((1..=30).contains(&seconds.parse::<u32>().unwrap()));
}

#[test]
fn loopback_is_not_rated_by_default() {
    let server = TestServer::start();
    let mut client = server.connect();
    for _ in 0..1_000 {
        assert_eq!(client.get("/v1/public/echo").status, 200);
    }
    assert_eq!(client.get("/v1/public/echo").header("ratelimit"), None);
}

#[test]
fn large_bodies_are_compressed_for_those_who_ask() {
    let server = TestServer::start();
    let mut client = server.connect();
    let target = format!("/v1/public/echo?count=50&word={}", "abcdefghij".repeat(10));
    let plain = client.get(&target);
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, Some("accept, accept-encoding"))
    );
    for (accepted, coding) in [("gzip", "gzip"), ("br", "br"), ("gzip, br, zstd", "zstd")] {
        let small = client.send("GET", &target, &[("accept-encoding", accepted)]);
        check(&small, 200);
        assert_eq!(small.header("content-encoding"), Some(coding));
        assert!(small.body.len() < plain.body.len() / 10);
    }
    let short = client.send("GET", "/v1/public/echo", &[("accept-encoding", "gzip")]);
    assert_eq!(short.header("content-encoding"), None);
}

fn impatient() -> ConnectionLimits {
    ConnectionLimits { head_read_timeout: Duration::from_millis(400), ..ConnectionLimits::default() }
}

#[test]
fn a_head_that_does_not_end_is_given_up() {
    let server = TestServer::with(&ServerOptions::default(), impatient());
    let began = Instant::now();
    let mut slow = server.connect();
    slow.0.get_mut().write_all(b"GET /v1/public/echo HTTP/1.1\r\n").unwrap();
    // One byte at a time keeps a client awake, not its request.
    let mut trickle = slow.0.get_ref().try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        while trickle.write_all(b"a").is_ok() && began.elapsed().as_secs() < 10 {
            sleep(Duration::from_millis(50));
        }
    });
    check(&server.get("/v1/public/echo"), 200);
    let _ = slow.is_closed();
    assert!(began.elapsed() < Duration::from_secs(5), "closed after {:?}", began.elapsed());
    drop(slow);
    writer.join().unwrap();
}

#[test]
fn an_idle_connection_is_closed() {
    let server = TestServer::with(&ServerOptions::default(), impatient());
    let mut client = server.connect();
    check(&client.get("/v1/public/echo"), 200);
    let began = Instant::now();
    assert!(client.is_closed());
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn connections_beyond_the_limit_wait() {
    let limits = ConnectionLimits { connections_max: 1, ..ConnectionLimits::default() };
    let server = TestServer::with(&ServerOptions::default(), limits);
    let mut first = server.connect();
    check(&first.get("/v1/public/echo"), 200);
    let mut second = server.connect();
    second.write("GET", "/v1/public/echo", &[]);
    check(&first.get("/v1/public/echo"), 200);
    drop(first);
    check(&second.read("GET"), 200);
}

#[test]
fn a_stop_finishes_what_runs() {
    let mut server = TestServer::start();
    let mut idle = server.connect();
    check(&idle.get("/v1/public/echo"), 200);
    let mut busy = server.connect();
    busy.write("GET", "/v1/analyst/slow?millis=600", &[]);
    sleep(Duration::from_millis(150));
    let address = server.address;
    server.tell_to_stop();
    check(&busy.read("GET"), 200);
    assert!(busy.is_closed() && idle.is_closed());
    assert_eq!(server.stop(), End::Drained);
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let limits =
        ConnectionLimits { shutdown_grace: Duration::from_millis(200), ..ConnectionLimits::default() };
    let server = TestServer::with(&ServerOptions::default(), limits);
    let mut busy = Client::connect(server.address);
    busy.write("GET", "/v1/analyst/slow?millis=3000", &[]);
    sleep(Duration::from_millis(150));
    assert_eq!(server.stop(), End::CutOff);
}

#[test]
fn requests_on_one_connection_are_answered_in_order() {
    let server = TestServer::start();
    let mut client = server.connect();
    for word in ["a", "b", "c"] {
        client.write("GET", &format!("/v1/public/echo?word={word}"), &[]);
    }
    for word in ["a", "b", "c"] {
        assert_eq!(client.read("GET").json()["word"], word);
    }
}
