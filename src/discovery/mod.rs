//! Pages that describe the server to clients that have only its address: `/llms.txt` for language models and people,
//! and `/.well-known/x402` for catalogs of paid resources. Both are rendered once, from the route table and the
//! configured prices.

mod llms;
mod x402;

pub use llms::llms_txt;
pub use x402::x402_manifest;

use crate::payment::core::prices::Prices;
use crate::query::endpoint::Route;

/// Path of the page for language models and people.
pub const LLMS_PATH: &str = "/llms.txt";

/// Path of the list of paid resources.
pub const X402_PATH: &str = "/.well-known/x402";

/// Description of the service, in one sentence.
const ABOUT: &str = "Competitive prices of products sold by online retailers in the United States and Canada: current \
                     and past prices of a product by retailer, promotions, shares of shelf, price levels and inflation \
                     of categories.";

/// Facts in the pages that are not in the route table.
#[derive(Debug, Clone, Copy)]
pub struct PageFacts<'a> {
    /// Prices of requests.
    pub prices: &'a Prices,
    /// Scheme and authority of the URLs by which clients reach the server, without a slash at the end; empty if they
    /// are not known.
    pub base: &'a str,
}

/// An example request of the route, or its path if it has no example.
fn example(route: &Route) -> String {
    route.example_requests().next().unwrap_or_else(|| route.path.to_owned())
}
