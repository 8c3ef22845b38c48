//! How messages come in: the life of a conversation, methods, bodies, hosts, pages of other sites, the rate.

use std::num::NonZeroU32;

use std::sync::Arc;

use super::{FIELDS, message, post};
use crate::support::server::{TestServer, catalog};
use pricebook::mcp::MESSAGE_BYTES_MAX;
use pricebook::server::ServerOptions;
use serde_json::{Value, json};

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// A server of one listing.
fn server() -> TestServer {
    TestServer::real(Arc::new(catalog()), &ServerOptions::default())
}

fn begin(version: &str) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client })
}

#[test]
fn a_conversation_begins_and_remembers_nothing() {
    let server = server();
    let result = &message(&server, "initialize", &begin("2025-06-18"))["result"];
    assert_eq!(result["serverInfo"]["name"], "pricebook");
    assert_eq!(result["protocolVersion"], "2025-06-18");
    for capability in ["tools", "prompts", "resources"] {
        assert!(result["capabilities"][capability].is_object(), "{result}");
    }
    assert!(result["instructions"].as_str().unwrap().contains("Payments are off"));
    let notified = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = post(&mut server.connect(), &FIELDS, notified);
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    assert_eq!(answer.header("mcp-session-id"), None);
    // Another connection, which never began, is answered all the same.
    let answer = post(&mut server.connect(), &FIELDS, PING);
    assert_eq!((answer.status, &answer.json()["result"]), (200, &json!({})));
    for name in ["x-request-id", "x-snapshot-id", "x-content-type-options", "payment-mode"] {
        assert!(answer.header(name).is_some(), "{name}");
    }
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn refuses_streams_and_sessions() {
    let server = server();
    for method in ["GET", "DELETE", "HEAD", "PUT"] {
        let answer = server.connect().send(method, "/mcp", &FIELDS);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    // Other paths go on as they were.
    assert_eq!(server.get("/v1/public/retailers").status, 200);
    assert_eq!(server.get("/mcp/").status, 404);
}

#[test]
fn a_message_has_a_form_and_a_length() {
    let server = server();
    for (fields, body, status) in [
        (&FIELDS[1..], PING, 415),
        (&[FIELDS[0], FIELDS[1], ("mcp-protocol-version", "1999-01-01")], PING, 400),
    ] {
        let answer = post(&mut server.connect(), fields, body);
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(!answer.body.is_empty() && answer.header("x-request-id").is_some());
    }
    let mut padded = PING.to_vec();
    padded.resize(MESSAGE_BYTES_MAX, b' ');
    assert_eq!(post(&mut server.connect(), &FIELDS, &padded).status, 200);
    padded.push(b' ');
    let answer = post(&mut server.connect(), &FIELDS, &padded);
    assert_eq!((answer.status, answer.text().contains("65536 bytes")), (413, true));
}

#[test]
fn answers_clients_that_accept_json() {
    let server = server();
    for accept in
        ["application/json", "*/*", "application/*", "text/event-stream, application/json;q=0.5", ""]
    {
        let answer = post(&mut server.connect(), &[FIELDS[0], ("accept", accept)], PING);
        assert_eq!(answer.status, 200, "{accept}: {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    assert_eq!(post(&mut server.connect(), &FIELDS[..1], PING).status, 200);
    for accept in ["text/event-stream", "text/html", "application/json;q=0"] {
        let answer = post(&mut server.connect(), &[FIELDS[0], ("accept", accept)], PING);
        assert_eq!(answer.status, 406, "{accept}");
        assert!(answer.text().contains("application/json"), "{}", answer.text());
    }
}

#[test]
fn refuses_in_json_rpc_what_is_not_a_message() {
    let server = server();
    let batch = [b"[".as_slice(), PING, b"]"].concat();
    let cases: [(&[u8], i64, &str); 6] = [
        (b"not json", -32700, "not JSON"),
        (b"", -32700, "empty"),
        (b"{}", -32600, "jsonrpc"),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, "id"),
        (b"[]", -32600, "batches are not supported"),
        (&batch, -32600, "batches are not supported"),
    ];
    for version in ["2025-03-26", "2025-06-18"] {
        let fields = [FIELDS[0], ("accept", "application/json"), ("mcp-protocol-version", version)];
        for (body, code, said) in &cases {
            let answer = post(&mut server.connect(), &fields, body);
            assert_eq!((answer.status, answer.header("content-type")), (400, Some("application/json")));
            let json = answer.json();
            assert_eq!((&json["jsonrpc"], &json["id"]), (&json!("2.0"), &Value::Null), "{json}");
            assert_eq!(json["error"]["code"], *code, "{json}");
            assert!(json["error"]["message"].as_str().unwrap().contains(said), "{json}");
        }
    }
}

/// A length that is not announced is counted.
#[test]
fn a_body_in_chunks_has_the_same_limit() {
    use std::io::Write as _;
    let server = server();
    let mut client = server.connect();
    client.write("POST", "/mcp", &[FIELDS[0], FIELDS[1], ("transfer-encoding", "chunked")]);
    let chunk = format!("{:x}\r\n{}\r\n", 32_768, " ".repeat(32_768));
    for _ in 0..3 {
        // The server may have had enough.
        let _ = client.0.get_mut().write_all(chunk.as_bytes());
    }
    assert_eq!(client.read("POST").status, 413);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = server();
    let from = |origin: &str| {
        let fields = [FIELDS[0], FIELDS[1], ("origin", origin)];
        (
            post(&mut server.connect(), &fields, PING),
            server.connect().send("OPTIONS", "/mcp", &[("origin", origin)]),
        )
    };
    for origin in ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:80"] {
        let (answer, preflight) = from(origin);
        assert_eq!((answer.status, preflight.status), (200, 204), "{origin}");
        assert!(preflight.header("access-control-allow-headers").unwrap().contains("mcp-protocol-version"));
        assert_eq!(preflight.header("access-control-allow-methods"), Some("POST, OPTIONS"));
    }
    for origin in ["http://evil.example", "https://localhost.evil.example", "null", "file://", "nonsense"] {
        let (answer, preflight) = from(origin);
        assert_eq!((answer.status, preflight.status), (403, 403), "{origin}");
    }
    // A server with a name has pages of that name.
    let named = ServerOptions { host: Some("prices.example".into()), ..ServerOptions::default() };
    let server = TestServer::real(Arc::new(catalog()), &named);
    for (host, origin, status) in [
        ("prices.example", "https://prices.example", 200),
        ("prices.example", "https://evil.example", 403),
        ("evil.example", "https://prices.example", 400),
        ("evil.example", "https://evil.example", 400),
    ] {
        let fields = [FIELDS[0], FIELDS[1], ("origin", origin), ("host", host)];
        assert_eq!(post(&mut server.connect(), &fields, PING).status, status, "{host} {origin}");
    }
}

/// A message is a request, and what it asks of a route is none beside it.
#[test]
fn a_message_is_counted_once() {
    let options = ServerOptions {
        requests_per_minute: NonZeroU32::new(3),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let server = TestServer::real(Arc::new(catalog()), &options);
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "retailers" } });
    let body = serde_json::to_vec(&body).unwrap();
    for (left, body) in [(2, &body[..]), (1, PING), (0, &body)] {
        let answer = post(&mut server.connect(), &FIELDS, body);
        assert_eq!(answer.status, 200);
        let told = answer.header("ratelimit").unwrap();
        assert!(told.starts_with(&format!("\"client\";r={left};")), "{told}");
    }
    let answer = post(&mut server.connect(), &FIELDS, &body);
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (429, &json!("RATE_LIMITED")));
    assert!(answer.header("retry-after").is_some());
}
