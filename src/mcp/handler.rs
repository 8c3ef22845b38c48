//! Messages over HTTP. The service is stateless: each message has one JSON answer, without sessions and streams.
//! Requests for other paths are passed to the pipeline.

use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::message::Refusal;
use super::{MESSAGE_BYTES_MAX, McpServer, PATH};
use crate::server::accept_loop::{Handler, Peer};
use crate::server::nested_service::NestedService;
use crate::server::respond::{JSON, TEXT};
use crate::server::telemetry::ConnectionRefusal;
use crate::server::{Shared, accepts};

const PLACE: NestedService = NestedService {
    path: PATH,
    methods: "POST, OPTIONS",
    request_headers: "content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, \
                      x-request-id",
    body_bytes_max: MESSAGE_BYTES_MAX,
};

/// The value of `Accept` that the library requires. It includes streams, which are not sent.
const LIBRARY_ACCEPTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The handler of client requests: messages at [`PATH`], routes and documents at other paths.
pub struct McpHandler {
    shared: Arc<Shared>,
    messages: StreamableHttpService<McpServer, NeverSessionManager>,
}

impl McpHandler {
    /// Makes the handler of a server.
    ///
    /// # Errors
    /// Returns an error if the tools cannot be serialized, which cannot happen with their types.
    pub fn new(shared: Arc<Shared>) -> serde_json::Result<Self> {
        let server = McpServer::new(Arc::clone(&shared))?;
        // Hosts and origins were checked before (`server::host`), against the name that the operator gave the server.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(None)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(MESSAGE_BYTES_MAX);
        let sessions = Arc::new(NeverSessionManager::default());
        let messages = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        Ok(Self { shared, messages })
    }

    async fn reply(&self, request: Request<Full<Bytes>>) -> Response<Bytes> {
        let request = match checked(request).await {
            Ok(request) => request,
            Err(refused) => return refused,
        };
        let (head, body) = self.messages.handle(request).await.into_parts();
        let Ok(body) = body.collect().await;
        Response::from_parts(head, body.to_bytes())
    }
}

/// Returns a message in the form that the library requires, or the response that refuses it.
async fn checked(mut request: Request<Full<Bytes>>) -> Result<Request<Full<Bytes>>, Response<Bytes>> {
    // The library answers other methods with 405.
    if request.method() != Method::POST {
        return Ok(request);
    }
    if !accepts(request.headers(), JSON) {
        let sentence = "Accept does not allow application/json, the only media type of this path; add it to Accept, or \
                        omit Accept.\n";
        return Err(refusal(StatusCode::NOT_ACCEPTABLE, TEXT, sentence));
    }
    request.headers_mut().insert(ACCEPT, LIBRARY_ACCEPTS);
    let Ok(body) = request.body_mut().collect().await;
    let body = body.to_bytes();
    if let Some(refused) = Refusal::of(&body) {
        let json = serde_json::to_vec(&refused).unwrap_or_default();
        return Err(refusal(StatusCode::BAD_REQUEST, JSON, json));
    }
    *request.body_mut() = Full::new(body);
    Ok(request)
}

fn refusal(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

impl Handler for McpHandler {
    async fn handle(self: Arc<Self>, peer: Peer, request: Request<Incoming>) -> Response<Bytes> {
        if request.uri().path() == PATH {
            self.shared.receive(&PLACE, peer, request, |message| self.reply(message)).await
        } else {
            Arc::clone(&self.shared).handle(peer, request).await
        }
    }

    fn connections(&self, change: i64) {
        self.shared.connections(change);
    }

    fn refused(&self, reason: ConnectionRefusal) {
        self.shared.refused(reason);
    }
}
