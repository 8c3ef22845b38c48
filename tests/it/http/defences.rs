//! What one client can do to the others, and what an operator can say of the world before the server.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::asking::{build, fixture_input};
use crate::support::client::Client;
use crate::support::server::TestServer;
use crate::support::tls::{certificate, set_mode, shake_hands};
use hyper_util::rt::TokioIo;
use pricebook::catalog::Catalog;
use pricebook::server::ServerOptions;
use pricebook::server::accept_loop::{ConnectionLimits, Entrance, listen, serve};
use pricebook::server::forwarded::{ForwardedHeader, Proxies};
use pricebook::server::telemetry::Gauges;
use pricebook::server::tls::{Tls, TlsFiles};
use serde_json::Value;

/// A part of the test catalog.
fn demo_catalog() -> Arc<Catalog> {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["bc_liquor", "gpc"].map(|source| fixture_input().join(source));
    Arc::new(build(&inputs, folder.path()))
}

/// What a server answers to these bytes until it closes.
fn exchange(server: &TestServer, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn an_address_has_its_share_of_the_connections() {
    let limits = ConnectionLimits { connections_max: 32, ..ConnectionLimits::default() };
    let server = TestServer::with(&ServerOptions::default(), limits);
    let mut held: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for client in &mut held {
        assert_eq!(client.get("/v1/public/echo").status, 200);
    }
    let mut fifth = TcpStream::connect(server.address).unwrap();
    assert_eq!(fifth.read(&mut [0; 1]).unwrap_or(0), 0, "closed unanswered");
    let from = std::net::SocketAddr::from(([127, 0, 0, 2], 0));
    let other = server.runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(from).unwrap();
        socket.connect(server.address).await.unwrap().into_std().unwrap()
    });
    other.set_nonblocking(false).unwrap();
    let mut other = Client::over(other);
    assert_eq!(other.get("/v1/public/echo").status, 200, "another address is let in");
    let metrics = server.shared.metrics.text(&Gauges::default());
    assert!(metrics.contains("pricebook_connections_refused_total{reason=\"address\"} 1"), "{metrics}");
    assert!(metrics.contains("pricebook_connections 5"), "{metrics}");
}

#[test]
fn a_host_is_named_once() {
    let server = TestServer::start();
    for (head, status) in [
        ("GET /v1/public/echo HTTP/1.1\r\n", "400"),
        ("GET /v1/public/echo HTTP/1.1\r\nhost: a\r\nhost: a\r\n", "400"),
        ("GET /v1/public/echo HTTP/1.1\r\nhost: a\r\n", "200"),
        ("GET /v1/public/echo HTTP/1.1\r\nhost: a/b c\r\n", "400"),
        ("GET /v1/public/echo HTTP/1.1\r\nhost: caf\u{e9}\r\n", "400"),
        ("GET /v1/public/echo HTTP/1.1\r\nhost: user@a\r\n", "400"),
        ("GET http://user@a/v1/public/echo HTTP/1.1\r\nhost: a\r\n", "400"),
        ("GET http://a/v1/public/echo HTTP/1.1\r\nhost: a b\r\n", "400"),
        ("GET /v1/public/echo HTTP/1.0\r\n", "200"),
    ] {
        let answer = exchange(&server, format!("{head}connection: close\r\n\r\n").as_bytes());
        assert_eq!(answer.split(' ').nth(1), Some(status), "{head}: {answer}");
    }
}

#[test]
fn answers_clients_that_closed_their_write_side() {
    let server = TestServer::start();
    for target in ["/v1/public/echo", "/v1/analyst/slow?millis=300"] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: test\r\n\r\n").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{target}: {answer}");
    }
}

#[test]
fn a_named_server_answers_to_its_name_alone() {
    let options = ServerOptions { host: Some("prices.example".into()), ..ServerOptions::default() };
    let server = TestServer::with(&options, ConnectionLimits::default());
    for (host, status) in [
        ("prices.example", "200"),
        ("Prices.Example:443", "200"),
        ("127.0.0.1:8080", "200"),
        ("localhost", "200"),
        ("evil.example", "400"),
        ("prices.example.evil.example", "400"),
    ] {
        let head = format!("GET /v1/public/echo HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        assert_eq!(exchange(&server, head.as_bytes()).split(' ').nth(1), Some(status), "{host}");
    }
}

#[test]
fn clients_behind_a_trusted_proxy_are_told_apart() {
    let options = |trusted: &[&str]| ServerOptions {
        requests_per_minute: NonZeroU32::new(1),
        rate_loopback: true,
        proxies: Proxies {
            trusted: trusted.iter().map(ToString::to_string).collect::<Vec<_>>().try_into().unwrap(),
            header: ForwardedHeader::XForwardedFor,
        },
        ..ServerOptions::default()
    };
    let statuses = |options: &ServerOptions| {
        let server = TestServer::with(options, ConnectionLimits::default());
        let mut client = server.connect();
        ["192.0.2.1", "192.0.2.2", "192.0.2.2", "6.6.6.6, 192.0.2.1"]
            .map(|heard| client.send("GET", "/v1/public/echo", &[("x-forwarded-for", heard)]).status)
    };
    assert_eq!(statuses(&options(&["127.0.0.1"])), [200, 200, 429, 429]);
    assert_eq!(statuses(&options(&[])), [200, 429, 429, 429], "nobody is believed unless configured");
}

/// What is not there costs whoever asks for it, not the others, and is not asked for at any length.
#[test]
fn suggestions_cost_a_client_its_rate() {
    let options = ServerOptions {
        requests_per_minute: NonZeroU32::new(25),
        rate_loopback: true,
        ..ServerOptions::default()
    };
    let server = TestServer::real(demo_catalog(), &options);
    let target = format!("/v1/analyst/inflation?country=ca&category={}", "cofee+".repeat(300));
    let suggestions = |answer: Value| answer["error"]["details"]["suggestions"].as_array().unwrap().len();
    let mut client = server.connect();
    let answers: Vec<_> = (0..4).map(|_| client.get(&target)).collect();
    assert!(answers.iter().all(|answer| answer.status == 404));
    let found: Vec<usize> = answers.iter().map(|answer| suggestions(answer.json())).collect();
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
    assert_eq!(found[2..], [0, 0], "ten requests each of twenty-five");
}

#[test]
fn nonsense_is_answered_briefly() {
    let server = TestServer::real(demo_catalog(), &ServerOptions::default());
    let names: Vec<String> = (0..500).map(|number| format!("{number:x}")).collect();
    let answer = server.get(&format!("/v1/shopper/best-price?{}", names.join("&")));
    assert_eq!(answer.status, 400);
    assert!(answer.body.len() < 8_192, "{} bytes", answer.body.len());
}

/// What a client that trusts only this certificate gets over HTTP/1.1 or HTTP/2, or why it gets nothing.
async fn over_tls(
    address: std::net::SocketAddr,
    certificate: &Path,
    protocol: &str,
) -> Result<(u16, bool), String> {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let stream = shake_hands(stream, certificate, protocol).await?;
    let stream = TokioIo::new(stream);
    let request = |uri: &str| {
        let request = hyper::Request::get(uri).header("host", "localhost");
        request.body(http_body_util::Empty::<hyper::body::Bytes>::new()).unwrap()
    };
    let response = if protocol == "h2" {
        let executor = hyper_util::rt::TokioExecutor::new();
        let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, stream)
            .await
            .map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        sender.send_request(request("https://localhost/v1/public/echo")).await
    } else {
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(stream).await.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        sender.send_request(request("/v1/public/echo")).await
    };
    let response = response.map_err(|error| error.to_string())?;
    Ok((response.status().as_u16(), response.headers().contains_key("strict-transport-security")))
}

#[test]
fn tls_speaks_both_protocols_and_follows_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path());
    let tls = Arc::new(Tls::open(files.clone()).unwrap());
    let options = ServerOptions { tls: true, ..ServerOptions::default() };
    let server = TestServer::with(&options, ConnectionLimits::default());
    server.runtime.block_on(async {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let entrance = Entrance::new(vec![listener], Some(Arc::clone(&tls)));
        tokio::spawn(serve(
            entrance,
            Arc::clone(&server.shared),
            ConnectionLimits::default(),
            std::future::pending(),
        ));
        for protocol in ["http/1.1", "h2"] {
            assert_eq!(over_tls(address, &files.certificate, protocol).await, Ok((200, true)), "{protocol}");
        }
        let old = folder.path().join("old.pem");
        std::fs::copy(&files.certificate, &old).unwrap();
        certificate(folder.path());
        assert_eq!(over_tls(address, &old, "h2").await, Ok((200, true)), "not read again yet");
        tls.reload().unwrap();
        assert!(over_tls(address, &old, "h2").await.is_err());
        assert_eq!(over_tls(address, &files.certificate, "h2").await, Ok((200, true)));
        std::fs::write(&files.key, "no key").unwrap();
        assert!(tls.reload().is_err());
        assert_eq!(over_tls(address, &files.certificate, "h2").await, Ok((200, true)), "the old one goes on");
    });
}

/// The status of a request over HTTP/2 with a field of so many bytes and so many small ones beside it.
async fn status_of_head(
    address: std::net::SocketAddr,
    certificate: &Path,
    bytes: usize,
    fields: usize,
) -> u16 {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let stream = TokioIo::new(shake_hands(stream, certificate, "h2").await.unwrap());
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) = hyper::client::conn::http2::handshake(executor, stream).await.unwrap();
    tokio::spawn(connection);
    let mut request = hyper::Request::get("https://localhost/v1/public/echo");
    if bytes > 0 {
        request = request.header("large", "x".repeat(bytes));
    }
    for number in 0..fields {
        request = request.header(format!("field-{number}"), "x");
    }
    let request = request.body(http_body_util::Empty::<hyper::body::Bytes>::new()).unwrap();
    sender.send_request(request).await.unwrap().status().as_u16()
}

#[test]
fn heads_over_http2_have_the_limits_of_http1() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path());
    let tls = Arc::new(Tls::open(files.clone()).unwrap());
    let server = TestServer::with(&ServerOptions::default(), ConnectionLimits::default());
    server.runtime.block_on(async {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let entrance = Entrance::new(vec![listener], Some(tls));
        let handler = Arc::clone(&server.shared);
        tokio::spawn(serve(entrance, handler, ConnectionLimits::default(), std::future::pending()));
        for (bytes, fields, status) in [
            (0, 0, 200),
            (0, 100, 200),
            (60_000, 20, 200),
            (0, 101, 431),
            (0, 150, 431),
            (65_500, 0, 431),
            (70_000, 0, 431),
            (100_000, 0, 431),
            (40_000, 900, 431),
        ] {
            let found = status_of_head(address, &files.certificate, bytes, fields).await;
            assert_eq!(found, status, "a field of {bytes} bytes and {fields} others");
        }
    });
}

#[test]
fn http2_without_tls_is_told_that_it_needs_tls() {
    let server = TestServer::start();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &settings].concat()).unwrap();
    // The server waits for the client's own end of the connection, so a client that goes on is not reset.
    let (mut frames, mut header) = (Vec::new(), [0; 9]);
    while stream.read_exact(&mut header).is_ok() {
        let mut payload = vec![0; usize::from(header[1]) * 256 + usize::from(header[2])];
        stream.read_exact(&mut payload).unwrap();
        frames.push((header[3], payload));
        stream.write_all(&settings).unwrap();
    }
    let [(4, settings), (7, goaway)] = frames.as_slice() else { panic!("{frames:?}") };
    assert!(settings.is_empty());
    assert_eq!(goaway[..8], [0, 0, 0, 0, 0, 0, 0, 12], "no stream, INADEQUATE_SECURITY");
    let said = String::from_utf8_lossy(&goaway[8..]);
    assert!(said.contains("HTTP/2 needs TLS"), "{said}");
    assert_eq!(server.get("/v1/public/echo").status, 200);
}

#[test]
fn refuses_a_key_that_every_user_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path());
    set_mode(&files.key, 0o644);
    let fault = |files: &TlsFiles| Tls::open(files.clone()).err().expect("a fault").to_string();
    let said = fault(&files);
    assert!(said.contains("every user") && said.contains("chmod"), "{said}");
    // And one that never comes is not waited for.
    std::fs::remove_file(&files.key).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&files.key).status().unwrap().success());
    assert!(fault(&files).ends_with("it is not a regular file"), "{}", fault(&files));
}

#[test]
fn the_openapi_page_may_be_shown_and_nothing_else() {
    let server = TestServer::real(demo_catalog(), &ServerOptions::default());
    let answer = server.get("/openapi.json");
    assert_eq!(answer.header("content-security-policy"), Some("default-src 'none'; frame-ancestors 'none'"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
}
