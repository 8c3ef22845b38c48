//! Pages that say what this server is to those who know its address and nothing else: `/llms.txt` for readers, and
//! `/.well-known/x402` for catalogs of paid resources. Both are made once, from the route table and the configured
//! prices.

mod llms;
mod x402;

pub use llms::llms_txt;
pub use x402::x402_manifest;

use crate::payment::core::prices::Prices;
use crate::query::endpoint::Route;

/// Where the page for readers is.
pub const LLMS_PATH: &str = "/llms.txt";

/// Where the list of paid resources is.
pub const X402_PATH: &str = "/.well-known/x402";

/// What this service is, in a sentence.
const ABOUT: &str = "Competitive prices of products sold by online retailers in the United States and Canada: what a product \
                     costs and where, what it cost before, promotions, shares of shelf, price levels and inflation of \
                     categories.";

/// What stands in the pages besides the route table.
#[derive(Debug, Clone, Copy)]
pub struct PageFacts<'a> {
    /// What requests cost.
    pub prices: &'a Prices,
    /// Scheme and authority that clients know the server by, without a slash at the end; empty where it is not known.
    pub base: &'a str,
}

/// A request of the route that shows what it takes.
fn example(route: &Route) -> String {
    route.example_requests().next().unwrap_or_else(|| route.path.to_owned())
}
