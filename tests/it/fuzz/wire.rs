//! Requests as they come over a socket, heads and all: answered or hung up on, never with a 500.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use pricebook::catalog::Catalog;
use pricebook::server::ServerOptions;
use pricebook::server::forwarded::{ForwardedHeader, Proxies};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::crafted::build_small;
use crate::support::mutate::{almost, cases};
use crate::support::server::TestServer;

/// Wait for an answer that would be for ever.
const PATIENCE: Duration = Duration::from_secs(20);

const REQUEST: &str = "GET /v1/shopper/best-price?q=bottle&country=us HTTP/1.1\r\nhost: test\r\n";

/// The head of a message of MCP, and two messages.
const MESSAGE: &str = "POST /mcp HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n\
                       accept: application/json, text/event-stream\r\n";
const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"best_price",
    "arguments":{"q":"bottle","limit":3,"strict":false},"_meta":{"x402/payment":{"x402Version":2},
    "org.paymentauth/credential":{"challenge":{"id":"a","realm":"r","method":"evm","intent":"charge","request":{}},
    "payload":{}}}}}"#;
const BEGIN: &[u8] =
    br#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18",
    "capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;

/// Header fields that something reads, with values that are read.
const FIELDS: [(&str, &str); 14] = [
    ("accept", "application/json;q=0.9, text/csv; q=0.5, */*;q=0.1"),
    ("accept-encoding", "gzip;q=0.5, br, zstd;q=1.000, identity;q=0, *"),
    ("host", "prices.example:8080"),
    ("host", "[::1]:80"),
    ("x-forwarded-for", "203.0.113.9, 10.0.0.1, [2001:db8::1]:443"),
    ("forwarded", "for=\"[2001:db8::1]:4711\";proto=http;by=203.0.113.43, for=unknown"),
    ("if-none-match", "W/\"0123456789abcdef\", \"x\", *"),
    ("x-request-id", "0123-abcd_EF.9"),
    ("payment-signature", "eyJ4NDAyVmVyc2lvbiI6Mn0="),
    ("authorization", "Payment eyJjaGFsbGVuZ2UiOnt9fQ, Bearer x"),
    ("content-length", "0"),
    ("transfer-encoding", "chunked"),
    ("connection", "close, upgrade"),
    ("expect", "100-continue"),
];

fn server(header: ForwardedHeader) -> TestServer {
    let out = tempfile::tempdir().unwrap();
    let catalog = Arc::new(Catalog::open(&build_small(out.path())).unwrap());
    let trusted = vec!["127.0.0.0/8".to_owned(), "10.0.0.0/8".to_owned()].try_into().unwrap();
    TestServer::real(
        catalog,
        &ServerOptions { proxies: Proxies { trusted, header }, ..ServerOptions::default() },
    )
}

static SERVERS: LazyLock<[TestServer; 2]> =
    LazyLock::new(|| [server(ForwardedHeader::Forwarded), server(ForwardedHeader::XForwardedFor)]);

/// Sends bytes and no more; what comes back until the server closes.
fn exchange(server: &TestServer, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut heard = Vec::new();
    // A server that has refused does not read on.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let fault = stream.read_to_end(&mut heard).err().map(|fault| fault.kind());
    assert!(
        !matches!(fault, Some(std::io::ErrorKind::WouldBlock)),
        "no end of {:?}",
        String::from_utf8_lossy(bytes)
    );
    heard
}

/// A request with many of the fields.
fn whole_head() -> Vec<u8> {
    let mut head = REQUEST.to_owned();
    for (name, value) in &FIELDS[..10] {
        head.extend([name, ": ", value, "\r\n"]);
    }
    (head + "\r\n").into_bytes()
}

/// The first bytes of a client of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn check(server: &TestServer, bytes: &[u8]) {
    let heard = exchange(server, bytes);
    let text = String::from_utf8_lossy(&heard);
    // HTTP/2 without TLS is answered in its own frames, the first of which is SETTINGS.
    let is_told = bytes.starts_with(PREFACE) && heard.starts_with(&[0, 0, 0, 4, 0]);
    assert!(heard.is_empty() || text.starts_with("HTTP/1.") || is_told, "{text}");
    assert!(!text.contains("HTTP/1.1 500"), "{text}");
    assert_eq!(server.shared.metrics.panics.get(), 0, "{:?}", String::from_utf8_lossy(bytes));
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn a_field_is_read_or_ignored((name, value) in select(&FIELDS[..]).prop_flat_map(|(name, value)| {
        (Just(name), almost(vec![value.as_bytes().to_vec()]))
    })) {
        // A line's end would begin another field.
        let value: Vec<u8> = value.into_iter().filter(|byte| !b"\r\n".contains(byte)).collect();
        let request = [REQUEST.as_bytes(), name.as_bytes(), b": ", &value, b"\r\nconnection: close\r\n\r\n"].concat();
        SERVERS.iter().for_each(|server| check(server, &request));
    }

    #[test]
    fn a_request_is_answered_or_hung_up_on(request in almost(vec![
        whole_head(),
        format!("{REQUEST}\r\n{REQUEST}connection: close\r\n\r\n").into_bytes(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\x10\0\0\0\x02\0\0\0\0".to_vec(),
    ])) {
        check(&SERVERS[0], &request);
    }

    #[test]
    fn a_message_is_answered_or_refused(message in almost(vec![CALL.to_vec(), BEGIN.to_vec()])) {
        let head = format!("{MESSAGE}content-length: {}\r\nconnection: close\r\n\r\n", message.len());
        check(&SERVERS[0], &[head.as_bytes(), &message].concat());
    }
}

/// Whatever was sent before, the next client is served.
#[test]
fn a_server_that_heard_nonsense_serves() {
    for noise in [&b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"[..], b"\r\n\r\n\r\n", b"GET", &[0; 4096]] {
        check(&SERVERS[0], noise);
        assert_eq!(SERVERS[0].get("/v1/public/coverage").status, 200);
    }
}
