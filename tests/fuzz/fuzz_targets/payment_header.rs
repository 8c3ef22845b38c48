//! A payment header of either protocol.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::payment::core::reference;
use pricebook::payment::protocols::{mpp, x402};

fuzz_target!(|header: &str| {
    let _ = x402::decode(header);
    if let Ok(Some(credential)) = mpp::decode(header) {
        let _ = (credential.is_ours(&["secret"]), credential.opaque());
    }
    let _ = reference::parse(header);
});
