//! Servers for tests: each answers in its own process, over a real socket, and remembers what it was asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hyper::HeaderMap;
use hyper::body::Bytes;
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct FakeRequest {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl FakeRequest {
    /// Its JSON body.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a JSON request")
    }
}

/// What a server does once it has read a request.
#[derive(Debug, Clone)]
pub(crate) enum FakeReply {
    /// Answers with status, content type and body.
    Typed(u16, &'static str, String),
    /// Says nothing and keeps the connection.
    Never,
    /// Begins an answer and stops in the middle.
    HalfBody,
    /// Cuts the connection.
    Reset,
}

impl FakeReply {
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::Typed(status, "application/json", body.to_owned())
    }
}

/// A running server; it ends with the test's runtime.
pub(crate) struct FakeServer {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<FakeRequest>>>,
    connections: Arc<AtomicUsize>,
}

impl FakeServer {
    /// Everything it was asked so far.
    pub(crate) fn seen(&self) -> Vec<FakeRequest> {
        self.seen.lock().expect("whole").clone()
    }

    /// How often `path` was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|asked| asked.path == path).count()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// A server that answers with `reply`.
pub(crate) async fn server(reply: impl Fn(&FakeRequest) -> FakeReply + Send + Sync + 'static) -> FakeServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (seen, connections) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
    let server = FakeServer { url, seen: Arc::clone(&seen), connections: Arc::clone(&connections) };
    let reply = Arc::new(reply);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::SeqCst);
            let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
            tokio::spawn(async move {
                let answer = |asked: FakeRequest| {
                    let answer = reply(&asked);
                    seen.lock().expect("whole").push(asked);
                    answer
                };
                serve(stream, answer).await
            });
        }
    });
    server
}

/// A URL that nobody listens on.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

async fn serve(mut stream: TcpStream, reply: impl Fn(FakeRequest) -> FakeReply) -> Option<()> {
    loop {
        let asked = read(&mut stream).await?;
        let (status, kind, body) = match reply(asked) {
            FakeReply::Typed(status, kind, body) => (status, kind, body),
            FakeReply::Never => std::future::pending().await,
            FakeReply::HalfBody => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{").await.ok()?;
                std::future::pending().await
            }
            FakeReply::Reset => return None,
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await.ok()?;
    }
}

async fn read(stream: &mut TcpStream) -> Option<FakeRequest> {
    let mut bytes = Vec::new();
    let (head, path, headers) = loop {
        if let Some(head) = head_of(&bytes) {
            break head;
        }
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    };
    let length = headers
        .get(CONTENT_LENGTH)
        .map_or(0, |value| value.to_str().expect("text").parse::<usize>().expect("a length"));
    while bytes.len() < head + length {
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    }
    let body = Bytes::copy_from_slice(&bytes[head..head + length]);
    Some(FakeRequest { path, headers, body })
}

/// Length of a request's head, its target and its fields; `None` until it is complete.
fn head_of(bytes: &[u8]) -> Option<(usize, String, HeaderMap)> {
    let mut fields = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut fields);
    let httparse::Status::Complete(length) = request.parse(bytes).expect("a request") else { return None };
    let read = |field: &httparse::Header<'_>| {
        (
            field.name.parse::<HeaderName>().expect("a name"),
            HeaderValue::from_bytes(field.value).expect("a value"),
        )
    };
    let headers = request.headers.iter().map(read).collect();
    Some((length, request.path.expect("a target").to_owned(), headers))
}

/// A chain node: answers each call with what `answer` makes of method and parameters; `None` is a method that it does
/// not know, a [`FakeReply`] in place of a result whatever it says.
pub(crate) async fn node(
    answer: impl Fn(&str, &serde_json::Value) -> Option<Result<serde_json::Value, FakeReply>>
    + Send
    + Sync
    + 'static,
) -> FakeServer {
    server(move |asked| {
        let call = asked.json();
        match answer(call["method"].as_str().expect("a method"), &call["params"]) {
            Some(Ok(result)) => FakeReply::json(
                200,
                &serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string(),
            ),
            Some(Err(reply)) => reply,
            None => FakeReply::error(-32601, "Method not found"),
        }
    })
    .await
}

impl FakeReply {
    /// A node's error.
    pub(crate) fn error(code: i64, message: &str) -> Self {
        let error = serde_json::json!({"code": code, "message": message});
        Self::json(200, &serde_json::json!({"jsonrpc": "2.0", "id": 1, "error": error}).to_string())
    }
}

impl FakeServer {
    /// How often a node's `method` was called.
    pub(crate) fn calls(&self, method: &str) -> usize {
        self.seen().iter().filter(|asked| asked.json()["method"] == method).count()
    }
}

/// Waits for what tasks in the background bring about.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
