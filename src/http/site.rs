//! Pages for people. A room above makes them; here is what the pipeline has to know of them.
//!
//! Host, rate, log and the headers of every response are those of any request. What a page shows of an answer it asks the
//! pipeline for, as the client that looks at it, so prices, limits and refusals are those of the client.

use std::pin::Pin;

use hyper::body::Bytes;
use hyper::header::{HOST, HeaderMap};
use hyper::http::uri::{Authority, InvalidUri};
use hyper::{Response, StatusCode, Uri};

use super::encoding::Encoded;
use super::foreign::Caller;
use super::shared::Shared;

/// Pages by path.
pub trait Site: Send + Sync {
    /// The name under which requests of a path are counted; `None` where the site has nothing there.
    fn counted_as(&self, path: &str) -> Option<&'static str>;

    /// Every name that [`Site::counted_as`] gives.
    fn names(&self) -> &'static [&'static str];

    /// What stands at a path that it has.
    fn show<'a>(&'a self, visitor: &'a Visitor<'a>) -> Showing<'a>;

    /// What a browser is shown at a path that nobody has.
    fn missing(&self, path: &str) -> Vec<u8>;
}

/// What is shown, once it is there.
pub type Showing<'a> = Pin<Box<dyn Future<Output = Shown> + Send + 'a>>;

/// Who looks at a page, and at which.
pub struct Visitor<'a> {
    /// The server.
    pub shared: &'a Shared,
    /// Path of the page.
    pub path: &'a str,
    /// What stands behind the question mark, as it was sent.
    pub query: &'a str,
    /// Header fields of the request.
    pub headers: &'a HeaderMap,
    pub(super) uri: &'a Uri,
    pub(super) caller: Caller,
}

impl Visitor<'_> {
    /// Scheme and authority by which the visitor knows this server; empty where the request names none.
    pub fn origin(&self) -> String {
        let header = || self.headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
        let authority = self.uri.authority().cloned().or_else(header);
        let scheme = if self.shared.tls { "https" } else { "http" };
        authority.map(|authority| format!("{scheme}://{authority}")).unwrap_or_default()
    }

    /// Asks a route for this visitor, `target` being its path and query.
    ///
    /// # Errors
    /// When the target is none.
    pub async fn ask(&self, target: &str) -> Result<Response<Bytes>, InvalidUri> {
        self.shared.ask(&self.caller, target, []).await
    }
}

/// What a browser is shown.
#[derive(Debug)]
pub enum Shown {
    /// The same for everybody until server or snapshot change.
    Page {
        /// Media type.
        media_type: &'static str,
        /// What it says.
        body: Vec<u8>,
    },
    /// HTML that was made for this request.
    Live {
        /// Status of the response.
        status: StatusCode,
        /// What it says.
        body: Vec<u8>,
    },
    /// A file whose path changes with its content, so it is kept for good.
    File {
        /// Media type.
        media_type: &'static str,
        /// Its content, in a coding that the visitor accepts.
        body: Encoded,
    },
    /// Elsewhere, on this server.
    Moved(String),
}
