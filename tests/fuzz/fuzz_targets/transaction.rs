//! The wire bytes of a transaction of either chain.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pricebook::payment::rails::{solana, tempo};

fuzz_target!(|bytes: &[u8]| {
    let _ = solana::transaction::read(bytes);
    if let Ok(transfer) = tempo::transaction::read(bytes) {
        assert_eq!(tempo::transaction::read(&transfer.raw), Ok(transfer));
    }
});
