//! Answers that clients do not read: how long they are kept, how many, and what the others are answered meanwhile.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::payment::statuses::{PATH, Shop};
use crate::support::server::TestServer;
use crate::support::tls::{RawClient, SecureListener};
use h2::Reason;
use hyper::Method;
use pricebook::server::ServerOptions;
use pricebook::server::accept_loop::ConnectionLimits;
use pricebook::server::backlog::{CONNECTION_UNREAD_BYTES_MAX, UnreadLimits};
use pricebook::server::forwarded::{ForwardedHeader, Proxies};

/// Longest time that a test waits for something.
const PATIENCE: Duration = Duration::from_secs(30);

/// Address of a client.
const HERE: [u8; 4] = [127, 0, 0, 1];

/// A request whose answer has a little more than 50,000 bytes.
fn long() -> String {
    format!("/v1/shopper/echo?word={}&count=50", "x".repeat(1_000))
}

fn limits(write_stall_timeout: Duration) -> ConnectionLimits {
    ConnectionLimits { write_stall_timeout, ..ConnectionLimits::default() }
}

/// Limits in bytes for one connection, one client and all.
fn options(connection: usize, client: usize, total: usize) -> ServerOptions {
    let unread = UnreadLimits {
        connection_bytes_max: connection,
        client_bytes_max: client,
        client_bytes_free: 0,
        total_bytes_max: total,
    };
    ServerOptions { unread, ..ServerOptions::default() }
}

/// Values of the metrics of a server, by their names as they are written.
fn metrics(server: &TestServer) -> HashMap<String, usize> {
    let text = server.shared.metrics.text(&server.shared.observe());
    let lines = text.lines().filter_map(|line| line.rsplit_once(' '));
    lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

fn unread(server: &TestServer, scope: &str) -> usize {
    metrics(server)[&format!("pricebook_unread_answer_bytes{{scope=\"{scope}\"}}")]
}

/// Waits until no bytes of answers are counted any more.
async fn wait_until_read(server: &TestServer) {
    let began = Instant::now();
    while unread(server, "total") > 0 {
        assert!(began.elapsed() < PATIENCE, "{} bytes are still counted", unread(server, "total"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!([unread(server, "client"), unread(server, "connection")], [0, 0]);
}

/// Status of an answer that is not read.
async fn status(client: &mut RawClient, target: &str, fields: &[(&str, &str)]) -> (u16, h2::RecvStream) {
    let (head, body) = client.get(target, fields).await.into_parts();
    if head.status == 503 {
        assert!(head.headers.contains_key("retry-after"));
    }
    (head.status.as_u16(), body)
}

#[test]
fn resets_streams_that_are_not_read() {
    let server = TestServer::start();
    server.runtime.block_on(async {
        let secure = SecureListener::start(&server, limits(Duration::from_secs(1)));
        // Without window hyper waits for some. With a little of it the rest of an answer waits in h2.
        for window in [0, 100] {
            let mut client = secure.connect(HERE, window).await;
            let mut bodies = Vec::new();
            for _ in 0..8 {
                let (status, body) = status(&mut client, &long(), &[]).await;
                assert_eq!(status, 200);
                bodies.push(body);
            }
            assert!(unread(&server, "total") > 8 * 50_000);
            for mut body in bodies {
                let mut taken = 0;
                let end = loop {
                    match tokio::time::timeout(PATIENCE, body.data()).await.expect("a reset") {
                        Some(Ok(data)) => taken += data.len(),
                        Some(Err(error)) => break error,
                        None => panic!("the answer ended"),
                    }
                };
                assert_eq!((end.reason(), taken), (Some(Reason::CANCEL), window as usize), "{end}");
            }
            wait_until_read(&server).await;
            assert_eq!(status(&mut client, "/v1/public/echo", &[]).await.0, 200, "the connection goes on");
        }
    });
    assert_eq!(metrics(&server)["pricebook_streams_reset_total"], 16);
}

#[test]
fn keeps_streams_that_are_read_slowly() {
    let server = TestServer::start();
    server.runtime.block_on(async {
        let timeout = Duration::from_millis(500);
        let secure = SecureListener::start(&server, limits(timeout));
        let mut client = secure.connect(HERE, 1_000).await;
        let (_, mut body) =
            status(&mut client, &format!("/v1/public/echo?word={}&count=10", "x".repeat(1_000)), &[]).await;
        let (began, mut taken) = (Instant::now(), 0);
        while let Some(data) = tokio::time::timeout(PATIENCE, body.data()).await.expect("data") {
            let bytes = data.expect("the stream is kept").len();
            taken += bytes;
            tokio::time::sleep(Duration::from_millis(200)).await;
            body.flow_control().release_capacity(bytes).unwrap();
        }
        assert!(taken > 10_000, "{taken} bytes");
        assert!(began.elapsed() > 3 * timeout, "several periods");
        wait_until_read(&server).await;
    });
    assert_eq!(metrics(&server)["pricebook_streams_reset_total"], 0);
}

#[test]
fn refuses_requests_of_a_client_that_does_not_read() {
    let server = TestServer::with(&options(1 << 20, 100_000, 1 << 20), ConnectionLimits::default());
    server.runtime.block_on(async {
        let secure = SecureListener::start(&server, ConnectionLimits::default());
        let (mut one, mut two) = (secure.connect(HERE, 0).await, secure.connect(HERE, 0).await);
        let mut held = Vec::new();
        for (client, expected) in [(&mut one, [200, 503, 503]), (&mut two, [200, 503, 503])] {
            for expected in expected {
                let (status, body) = status(client, &long(), &[]).await;
                assert_eq!(status, expected);
                held.push(body);
            }
        }
        assert!(unread(&server, "client") > 100_000);
        let mut other = secure.connect([127, 0, 0, 2], 1 << 20).await;
        for _ in 0..3 {
            assert_eq!(status(&mut other, "/v1/public/echo", &[]).await.0, 200, "another client is answered");
        }
        assert_eq!(server.get("/v1/public/echo").status, 200, "a new connection gets one answer");
        drop((held, one, two, other));
        wait_until_read(&server).await;
    });
    assert_eq!(metrics(&server)["pricebook_unread_refused_total{limit=\"client\"}"], 4);
}

#[test]
fn refuses_requests_of_all_clients_in_total() {
    let server = TestServer::with(&options(1 << 20, 1 << 20, 150_000), ConnectionLimits::default());
    server.runtime.block_on(async {
        let secure = SecureListener::start(&server, ConnectionLimits::default());
        let mut clients = Vec::new();
        let mut held = Vec::new();
        for last in 1..=4 {
            let mut client = secure.connect([127, 0, 0, last], 0).await;
            held.push(status(&mut client, &long(), &[]).await);
            clients.push(client);
        }
        assert!(held.iter().all(|(status, _)| *status == 200), "the first of each connection");
        assert_eq!(status(&mut clients[0], &long(), &[]).await.0, 503);
        drop((held, clients));
        wait_until_read(&server).await;
    });
    assert_eq!(metrics(&server)["pricebook_unread_refused_total{limit=\"total\"}"], 1);
}

#[test]
fn counts_answers_for_the_client_behind_a_proxy() {
    let proxies = Proxies {
        trusted: vec!["127.0.0.1".to_owned()].try_into().unwrap(),
        header: ForwardedHeader::XForwardedFor,
    };
    let options = ServerOptions { proxies, ..options(1 << 20, 100_000, 1 << 20) };
    let server = TestServer::with(&options, ConnectionLimits::default());
    server.runtime.block_on(async {
        let secure = SecureListener::start(&server, ConnectionLimits::default());
        let mut proxy = secure.connect(HERE, 0).await;
        let mut held = Vec::new();
        for (heard, expected) in [("192.0.2.1", 200), ("192.0.2.1", 503), ("192.0.2.2", 200)] {
            let (status, body) = status(&mut proxy, &long(), &[("x-forwarded-for", heard)]).await;
            assert_eq!(status, expected, "{heard}");
            held.push(body);
        }
    });
}

#[test]
fn refuses_before_payment_and_delivers_what_is_paid() {
    let shop = Shop::open();
    let payment = shop.x402(PATH, "of a client that does not read");
    let paying = [("payment-signature", payment.as_str())];
    let server = &shop.server;
    server.runtime.block_on(async {
        let secure = SecureListener::start(server, limits(Duration::from_secs(5)));
        let mut client = secure.connect(HERE, 0).await;
        let mut held = Vec::new();
        while unread(server, "connection") + (64 << 10) <= CONNECTION_UNREAD_BYTES_MAX {
            let (status, body) = status(&mut client, "/openapi.json", &[]).await;
            assert_eq!(status, 200);
            held.push(body);
        }
        assert_eq!(status(&mut client, PATH, &[]).await.0, 503, "an offer");
        assert_eq!(status(&mut client, PATH, &paying).await.0, 503, "a payment");
        let mut other = secure.connect(HERE, 0).await;
        let (status, mut body) = status(&mut other, PATH, &paying).await;
        assert_eq!(status, 200, "the payment was not settled before");
        drop((held, client));
        let end = tokio::time::timeout(PATIENCE, body.data()).await.expect("a reset");
        assert_eq!(end.unwrap().unwrap_err().reason(), Some(Reason::CANCEL));
        wait_until_read(server).await;
    });
    let again = shop.get(PATH, &paying);
    assert_eq!(again.status, 200, "{}", again.text());
}

#[test]
fn sends_no_body_to_head_over_http2() {
    let server = TestServer::start();
    server.runtime.block_on(async {
        let secure = SecureListener::start(&server, ConnectionLimits::default());
        let mut client = secure.connect(HERE, 1 << 20).await;
        let response = client.send(Method::HEAD, "/v1/public/echo", &[]).await.await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.headers()["content-length"].to_str().unwrap().parse::<usize>().unwrap() > 0);
        assert!(response.into_body().data().await.is_none());
    });
}
