//! What facilitators and nodes reply, as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::payment::net::node::{EvmBlock, EvmReceipt};
use pricebook::payment::protocols::x402::{SettleResponse, SupportedResponse, VerifyResponse};

fuzz_target!(|bytes: &[u8]| {
    let _ = serde_json::from_slice::<VerifyResponse>(bytes);
    let _ = serde_json::from_slice::<SettleResponse>(bytes);
    let _ = serde_json::from_slice::<SupportedResponse>(bytes);
    let _ = serde_json::from_slice::<EvmBlock>(bytes);
    let _ = serde_json::from_slice::<EvmReceipt>(bytes);
});
