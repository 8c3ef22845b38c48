//! A configuration file: refused, or checked as a whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::server::config::{RawFile, ServeConfig, ServeFlags};
use pricebook::payment::settings::Secrets;

fuzz_target!(|text: &str| {
    if let Ok(file) = RawFile::parse(text) {
        let _ = ServeConfig::new(ServeFlags::default(), Some(file), Secrets::default(), [9; 32]);
    }
});
