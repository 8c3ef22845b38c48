//! Values of a build's input, and a classification publication.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::ingest::classification;
use pricebook::types::{Cents, Gtin};
use pricebook::lang::pack;

fuzz_target!(|bytes: &[u8]| {
    let _ = classification::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (Cents::parse(text), Gtin::parse(text), pricebook::types::day::parse_observed(text));
        let _ = pack::parse(text);
    }
});
