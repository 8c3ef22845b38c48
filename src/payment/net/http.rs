//! An HTTP client for JSON: what facilitators and chain nodes are asked with.
//!
//! A call ends within its time, connection and body included, and takes in at most [`RESPONSE_BYTES_MAX`]. What goes
//! wrong is told in words that are fit for a log: of a URL they show scheme, host and port, since user, path and query
//! of a node's URL are often its key.
//!
//! Plain HTTP is for services on the same machine; the configuration decides where it is allowed.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use jiff::fmt::rfc2822;
use tokio::time::timeout;

use crate::payment::core::clock::unix_seconds;
use crate::payment::core::secret::Secret;

/// The longest answer that is read.
pub const RESPONSE_BYTES_MAX: usize = 1 << 20;

/// How long a connection is kept without a call. Node.js, which facilitators run on, hangs up after 5 s; a call that
/// meets the hanging up is cut off, and its payer has to wait.
const IDLE_MAX: Duration = Duration::from_secs(4);

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const AGENT: HeaderValue = HeaderValue::from_static(concat!("pricebook/", env!("CARGO_PKG_VERSION")));

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// The other side could not be reached, was cut off, or took too long: it may be gone.
    #[error("{0}")]
    Network(String),
    /// It answered, in a way that cannot be used; or it cannot be asked at all.
    #[error("{0}")]
    Unreadable(String),
}

impl Silence {
    /// Whether the other side may be gone.
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Network(_))
    }
}

/// Status and body of an answer.
pub type HttpAnswer = (u16, Bytes);

/// An HTTP client that keeps its connections; clones share them.
#[derive(Debug, Clone)]
pub struct Client {
    plain: legacy::Client<HttpConnector, Full<Bytes>>,
    /// Or why there is none.
    secure: Result<legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>, String>,
    /// See [`Client::clock_lead`].
    clock_lead: Arc<Mutex<Option<i64>>>,
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

impl Client {
    /// A client that trusts the certificates which the system trusts. Where the system has none, calls over TLS fail
    /// and say so.
    pub fn new() -> Self {
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_MAX);
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let secure = match HttpsConnectorBuilder::new().with_native_roots() {
            Ok(tls) => Ok(builder.build(tls.https_only().enable_http1().wrap_connector({
                let mut connector = connector.clone();
                connector.enforce_http(false);
                connector
            }))),
            Err(error) => Err(format!("{error}; install the system's root certificates")),
        };
        Self { plain: builder.build(connector), secure, clock_lead: Arc::default() }
    }

    /// Seconds by which this machine's clock is ahead of the `Date` of the last answer; negative where it is behind, `None`
    /// before an answer had one.
    pub fn clock_lead(&self) -> Option<i64> {
        *self.clock_lead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Posts a JSON body.
    ///
    /// # Errors
    /// When there is no whole answer of a bearable size within `time`.
    pub async fn post_json(
        &self,
        url: &str,
        bearer: Option<&Secret>,
        body: Bytes,
        time: Duration,
    ) -> Result<HttpAnswer, Silence> {
        let mut request = request(Method::POST, url, bearer, body)?;
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        self.ask(request, time).await
    }

    /// Gets a JSON body.
    ///
    /// # Errors
    /// As [`Client::post_json`].
    pub async fn get(
        &self,
        url: &str,
        bearer: Option<&Secret>,
        time: Duration,
    ) -> Result<HttpAnswer, Silence> {
        self.ask(request(Method::GET, url, bearer, Bytes::new())?, time).await
    }

    async fn ask(&self, request: Request<Full<Bytes>>, time: Duration) -> Result<HttpAnswer, Silence> {
        let place = place(request.uri());
        match timeout(time, self.exchange(request)).await {
            Ok(answer) => answer.map_err(|silence| match silence {
                Silence::Network(why) => Silence::Network(format!("{place}: {why}")),
                Silence::Unreadable(why) => Silence::Unreadable(format!("{place}: {why}")),
            }),
            Err(_) => Err(Silence::Network(format!("{place}: no answer within {} ms", time.as_millis()))),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<HttpAnswer, Silence> {
        let response = if request.uri().scheme_str() == Some("https") {
            let client = self.secure.as_ref().map_err(|why| Silence::Unreadable(why.clone()))?;
            client.request(request).await
        } else {
            self.plain.request(request).await
        };
        let response = response.map_err(|error| Silence::Network(words(&error)))?;
        if let Some(date) = response.headers().get(DATE).and_then(date_seconds) {
            let lead = unix_seconds() as i64 - date;
            *self.clock_lead.lock().unwrap_or_else(PoisonError::into_inner) = Some(lead);
        }
        read(response).await
    }
}

/// Unix seconds of a `Date`.
fn date_seconds(value: &HeaderValue) -> Option<i64> {
    Some(rfc2822::parse(value.to_str().ok()?).ok()?.timestamp().as_second())
}

fn request(
    method: Method,
    url: &str,
    bearer: Option<&Secret>,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Silence> {
    let unusable = |what: &str| Silence::Unreadable(format!("{what}; correct the configuration"));
    let uri: Uri = url.parse().map_err(|_| unusable("the URL is not valid"))?;
    if uri.host().is_none() || !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(unusable("the URL does not begin with http:// or https:// and a host"));
    }
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, JSON);
    headers.insert(USER_AGENT, AGENT);
    if let Some(secret) = bearer {
        let mut value = HeaderValue::try_from(format!("Bearer {}", secret.expose()))
            .map_err(|_| unusable("the bearer token contains a character that a header cannot contain"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(request)
}

async fn read(response: Response<Incoming>) -> Result<HttpAnswer, Silence> {
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), RESPONSE_BYTES_MAX).collect().await;
    let body = body.map_err(|error| {
        if error.is::<LengthLimitError>() {
            Silence::Unreadable(format!("the answer is longer than {RESPONSE_BYTES_MAX} bytes"))
        } else {
            Silence::Network(words(error.as_ref()))
        }
    })?;
    Ok((status, body.to_bytes()))
}

/// Scheme, host and port.
fn place(uri: &Uri) -> String {
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default())
}

/// An error and what caused it.
fn words(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::net::for_tests::{self as fake, FakeReply};

    const SOON: Duration = Duration::from_millis(150);
    const LATE: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn a_body_comes_back_with_any_status_and_type() {
        for status in [200, 404, 500] {
            let server = fake::server(move |_| FakeReply::Typed(status, "text/html", "{}".into())).await;
            let answer = Client::new().post_json(&server.url, None, Bytes::from("1"), LATE).await;
            assert_eq!(answer, Ok((status, Bytes::from("{}"))));
        }
    }

    #[tokio::test]
    async fn the_request_is_json_with_its_bearer() {
        let server = fake::server(|_| FakeReply::json(200, "{}")).await;
        let client = Client::new();
        let bearer = Secret::new("swordfish");
        client.post_json(&server.url, Some(&bearer), Bytes::from("[1]"), LATE).await.expect("an answer");
        client.get(&format!("{}/supported", server.url), None, LATE).await.expect("an answer");
        let seen = server.seen();
        let text = |at: usize, name: &str| seen[at].headers.get(name).map(|value| value.to_str().unwrap());
        assert_eq!((seen[0].path.as_str(), seen[0].body.as_ref()), ("/", &b"[1]"[..]));
        assert_eq!(text(0, "content-type"), Some("application/json"));
        assert_eq!(text(0, "authorization"), Some("Bearer swordfish"));
        assert_eq!((seen[1].path.as_str(), text(1, "authorization")), ("/supported", None));
        assert_eq!(server.connections(), 1, "the connection is used again");
    }

    #[tokio::test]
    async fn distinguishes_network_failures_from_other_errors() {
        let client = Client::new();
        let ask = async |url: &str| client.get(url, None, SOON).await.expect_err("no answer");
        let slow = fake::server(|_| FakeReply::Never).await;
        let stuck = fake::server(|_| FakeReply::HalfBody).await;
        let reset = fake::server(|_| FakeReply::Reset).await;
        for url in [&slow.url, &stuck.url, &reset.url, &fake::nobody().await] {
            assert!(ask(url).await.is_network(), "{url}");
        }
        let long = fake::server(|_| FakeReply::json(200, &"x".repeat(RESPONSE_BYTES_MAX + 1))).await;
        for url in [&long.url, "ftp://127.0.0.1/", "/path", "no url"] {
            assert!(!client.get(url, None, LATE).await.expect_err("no answer").is_network(), "{url}");
        }
    }

    #[tokio::test]
    async fn the_longest_body_is_read() {
        let server = fake::server(|_| FakeReply::json(200, &"x".repeat(RESPONSE_BYTES_MAX))).await;
        let (_, body) = Client::new().get(&server.url, None, LATE).await.expect("an answer");
        assert_eq!(body.len(), RESPONSE_BYTES_MAX);
    }

    #[test]
    fn dates_of_http_are_read() {
        let seconds = |text: &str| date_seconds(&HeaderValue::from_str(text).expect("a header value"));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        for text in ["", "now", "Sun, 06 Nov 1994", "1994-11-06T08:49:37Z"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[tokio::test]
    async fn words_hold_no_secrets() {
        let port = fake::nobody().await.rsplit(':').next().unwrap().to_owned();
        let url = format!("http://user:hunter2@127.0.0.1:{port}/v2/hunter3?key=hunter4");
        let why = Client::new().get(&url, Some(&Secret::new("hunter5")), LATE).await.expect_err("nobody");
        let why = format!("{why} {why:?}");
        assert!(why.contains(&format!("http://127.0.0.1:{port}: ")), "{why}");
        assert!(!why.contains("hunter") && !why.contains("user"), "{why}");
        let why = Client::new().get("http://a b/hunter2", None, LATE).await.expect_err("no URL");
        assert!(!why.to_string().contains("hunter"), "{why}");
    }
}
