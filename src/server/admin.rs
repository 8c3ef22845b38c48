//! The admin server: liveness, readiness and metrics. It has a separate address and thread, and reserved file
//! descriptors, so it answers even when the rest of the server is overloaded.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::accept_loop::{Handler, Peer};
use super::respond::TEXT;
use super::state::Shared;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Handler of `/livez` (also `/healthz`), `/readyz` and `/metrics`.
pub struct Admin(pub Arc<Shared>);

impl Handler for Admin {
    async fn handle(self: Arc<Self>, _: Peer, request: Request<Incoming>) -> Response<Bytes> {
        let (status, media, body) = self.answer(request.method(), request.uri().path());
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
        response
    }
}

impl Admin {
    fn answer(&self, method: &Method, path: &str) -> (StatusCode, &'static str, String) {
        let Self(shared) = self;
        if !matches!(*method, Method::GET | Method::HEAD) {
            return (StatusCode::METHOD_NOT_ALLOWED, TEXT, "GET only\n".into());
        }
        match path {
            "/livez" | "/healthz" => (StatusCode::OK, TEXT, "alive\n".into()),
            "/readyz" => match shared.unready() {
                None => (StatusCode::OK, TEXT, format!("ready: snapshot {}\n", shared.catalog().id())),
                Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{reason}\n")),
            },
            "/metrics" => (StatusCode::OK, OPEN_METRICS, shared.metrics.text(&shared.observe())),
            _ => (StatusCode::NOT_FOUND, TEXT, "/livez, /readyz, /metrics\n".into()),
        }
    }
}
