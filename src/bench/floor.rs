//! The floor: a reference server that has the accept loop and the connections of the real server, and a constant
//! answer.
//!
//! The throughput of the floor is an upper bound for every endpoint. The ratio of an endpoint's throughput to the
//! throughput of the floor shows the cost of the endpoint.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

use crate::server::accept_loop::{ConnectionLimits, Handler, Peer, listen, serve};

/// Answers every request with the same bytes.
struct Constant(Bytes);

impl Handler for Constant {
    async fn handle(self: Arc<Self>, _: Peer, _: Request<Incoming>) -> Response<Bytes> {
        let mut response = Response::new(self.0.clone());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// A JSON string of `bytes` bytes, and of at least two bytes, because an empty string has two quotes.
fn body(bytes: usize) -> Bytes {
    format!("\"{}\"", "x".repeat(bytes.saturating_sub(2))).into()
}

/// Serves a constant body until the process ends.
///
/// # Errors
/// Returns an error if the program cannot listen on the address.
pub fn run(bytes: usize, address: SocketAddr) -> anyhow::Result<()> {
    // The runtime has the same configuration as the runtime of `serve`.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("floor").build()?;
    runtime.block_on(async {
        let listener =
            listen(address).with_context(|| format!("cannot listen on {address}; name another --listen"))?;
        serve(listener, Arc::new(Constant(body(bytes))), ConnectionLimits::default(), pending()).await;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_json_of_its_size() {
        for bytes in [2, 3, 1_000] {
            assert_eq!(body(bytes).len(), bytes);
            assert!(serde_json::from_slice::<String>(&body(bytes)).is_ok());
        }
        assert_eq!(body(0).len(), 2);
    }
}
