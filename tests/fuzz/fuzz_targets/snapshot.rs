//! The small files of a snapshot: dictionary, manifest, pointer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::snapshot::layout::Dictionary;
use pricebook::snapshot::manifest::{Manifest, is_id};

fuzz_target!(|bytes: &[u8]| {
    let _ = Dictionary::read(bytes);
    let _ = serde_json::from_slice::<Manifest>(bytes);
    let _ = std::str::from_utf8(bytes).map(is_id);
});
