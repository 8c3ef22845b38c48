//! A payment header of either protocol, read as far as its key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::payment::protocols::{mpp, x402};
use pricebook::payment::{core, rails};

fuzz_target!(|header: &str| {
    if let Ok(payment) = x402::decode(header) {
        let _ = rails::x402_key(&payment.accepted, &payment.payload);
    }
    if let Ok(Some(credential)) = mpp::decode(header) {
        let _ = (rails::mpp_key(&credential), credential.is_ours(&["secret"]), credential.opaque());
    }
    let _ = core::reference::parse(header);
});
