//! What tests share.

pub mod asking;
pub mod buckets;
pub mod channel;
pub mod cleaned;
pub mod client;
pub mod crafted;
pub mod daily;
pub mod generated;
pub mod mutate;
pub mod payer;
pub mod searching;
pub mod server;
pub mod snapshots;
pub mod test_endpoints;
pub mod tls;
pub mod validate;
pub mod written;
