//! The floor: the server's own accept loop and connections, with nothing behind them but a constant answer.
//!
//! What it does in a second is what no endpoint can do more of; the ratio to it is the price of the endpoint.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

use crate::server::accept_loop::{ConnectionLimits, Handler, Peer, listen, serve};

/// Answers everything with the same bytes.
struct Constant(Bytes);

impl Handler for Constant {
    async fn handle(self: Arc<Self>, _: Peer, _: Request<Incoming>) -> Response<Bytes> {
        let mut response = Response::new(self.0.clone());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// A JSON string of that many bytes; of two, the shortest there is, for fewer.
fn body(bytes: usize) -> Bytes {
    format!("\"{}\"", "x".repeat(bytes.saturating_sub(2))).into()
}

/// Serves a constant body until the process ends.
///
/// # Errors
/// When the address cannot be listened on.
pub fn run(bytes: usize, address: SocketAddr) -> anyhow::Result<()> {
    // As `serve` does it.
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
