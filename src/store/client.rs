//! The transport of requests to stores, with the HTTP client library that payments also use.

use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{AUTHORIZATION, HeaderValue, LOCATION, USER_AGENT};
use hyper::{Method, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector as Plain;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Result};
use tokio::time::{Instant, Sleep, sleep, timeout};
use url::Url;

/// The connect timeout.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// The timeout for the first byte of a response, and between two reads of its body.
const SILENCE_MAX: Duration = Duration::from_mins(1);
/// The minimum send rate, in bytes per second. The timeout of a request is extended by the time that its body takes
/// at this rate.
const SENT_BYTES_PER_S_MIN: u64 = 64 << 10;
/// The timeout for the instance metadata address of a cloud. Outside of clouds, no server answers at this address.
const METADATA_TIME_MAX: Duration = Duration::from_secs(1);
/// The time for which an idle connection is kept.
const IDLE_MAX: Duration = Duration::from_secs(20);
/// The maximum number of redirects.
const REDIRECTS_MAX: usize = 10;
const AGENT: HeaderValue = HeaderValue::from_static(concat!("pricebook/", env!("CARGO_PKG_VERSION")));

type Secure = Client<HttpsConnector<Plain>, HttpRequestBody>;

/// Creates the HTTP clients of stores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Connector {
    /// Whether redirects are followed. Signed requests are valid for one address only.
    pub(super) follows: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient> {
        Ok(HttpClient::new(Requests { follows: self.follows }))
    }
}

#[derive(Debug)]
struct Requests {
    follows: bool,
}

#[async_trait]
impl HttpService for Requests {
    async fn call(&self, mut request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        request.headers_mut().entry(USER_AGENT).or_insert(AGENT);
        let may_follow = self.follows && matches!(*request.method(), Method::GET | Method::HEAD);
        for _ in 0..REDIRECTS_MAX {
            let next = may_follow.then(|| request.clone());
            let from = request.uri().clone();
            let response = send(request).await?;
            let to = next.filter(|_| response.status().is_redirection()).zip(target(&from, &response));
            let Some((mut next, to)) = to else { return Ok(response) };
            if to.authority() != from.authority() || to.scheme() != from.scheme() {
                next.headers_mut().remove(AUTHORIZATION);
            }
            *next.uri_mut() = to;
            request = next;
        }
        Err(fault(HttpErrorKind::Unknown, format!("the address redirects more than {REDIRECTS_MAX} times")))
    }
}

/// The target of a redirect.
fn target(from: &Uri, response: &HttpResponse) -> Option<Uri> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let to = Url::parse(&from.to_string()).ok()?.join(location).ok()?;
    matches!(to.scheme(), "http" | "https").then(|| to.as_str().parse().ok())?
}

async fn send(request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
    let host = request.uri().host().unwrap_or_default();
    let time = if super::fault::METADATA_HOSTS.contains(&host) {
        METADATA_TIME_MAX
    } else {
        SILENCE_MAX + Duration::from_secs(request.body().content_length() as u64 / SENT_BYTES_PER_S_MIN)
    };
    let answer = if request.uri().scheme_str() == Some("https") {
        let client = secure().map_err(|why| fault(HttpErrorKind::Unknown, why))?;
        timeout(time, client.request(request)).await
    } else {
        timeout(time, plain().request(request)).await
    };
    let answer = answer
        .map_err(|_| fault(HttpErrorKind::Timeout, format!("no answer within {} s", time.as_secs())))?;
    let (parts, body) = answer.map_err(of_request)?.into_parts();
    Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(Heard::new(body))))
}

fn plain() -> &'static Client<Plain, HttpRequestBody> {
    static CLIENT: OnceLock<Client<Plain, HttpRequestBody>> = OnceLock::new();
    CLIENT.get_or_init(|| builder().build(connector()))
}

/// The client over TLS, which trusts the system's root certificates, or the reason why it could not be created.
fn secure() -> std::result::Result<&'static Secure, String> {
    static CLIENT: OnceLock<std::result::Result<Secure, String>> = OnceLock::new();
    let make = || {
        let tls = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| format!("{error}; install the system's root certificates"))?;
        let mut connector = connector();
        connector.enforce_http(false);
        Ok(builder().build(tls.https_only().enable_http1().wrap_connector(connector)))
    };
    CLIENT.get_or_init(make).as_ref().map_err(Clone::clone)
}

fn builder() -> legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_MAX);
    builder
}

fn connector() -> Plain {
    let mut connector = Plain::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIME_MAX));
    connector
}

fn fault(kind: HttpErrorKind, why: String) -> HttpError {
    HttpError::new(kind, std::io::Error::other(why))
}

/// Converts the error of a request. Both kinds of error permit a retry: the connection failed, or it closed before
/// the response.
fn of_request(error: legacy::Error) -> HttpError {
    let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
    HttpError::new(kind, error)
}

/// A body that fails if no data arrives for [`SILENCE_MAX`].
struct Heard {
    body: Incoming,
    silence: Pin<Box<Sleep>>,
}

impl Heard {
    fn new(body: Incoming) -> Self {
        Self { body, silence: Box::pin(sleep(SILENCE_MAX)) }
    }
}

impl Body for Heard {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, HttpError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.silence.as_mut().reset(Instant::now() + SILENCE_MAX);
            return Poll::Ready(
                frame.map(|frame| frame.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error))),
            );
        }
        self.silence.as_mut().poll(cx).map(|()| {
            let why = format!("no data was received for {} s", SILENCE_MAX.as_secs());
            Some(Err(fault(HttpErrorKind::Timeout, why)))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
