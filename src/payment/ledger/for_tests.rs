//! What the tests of the ledger share: an instant, claims by number, and waiting for one operation.

use crate::payment::core::claim::{Claim, ClaimKey, ClaimKind, PaymentProtocol};
use crate::payment::rails::base;

/// Milliseconds since 1970.
pub(super) const NOW: u64 = 1_795_233_600_000;

pub(super) fn key(number: u64) -> ClaimKey {
    ClaimKey(format!("payment-{number:03}"))
}

pub(super) fn claim(number: u64) -> Claim {
    Claim {
        key: key(number),
        kind: ClaimKind::Sale,
        rail: base::NAME,
        protocol: PaymentProtocol::X402,
        network: "eip155:8453".into(),
        asset: "0xasset".into(),
        payer: "0xpayer".into(),
        pay_to: "0xus".into(),
        amount: 10_000,
        endpoint: "/v1/shopper/best-price".into(),
        request: "/v1/shopper/best-price?q=kettle".into(),
        media_type: "text/csv".into(),
        reference: "pb1.reference".into(),
        trace: String::new(),
        valid_before: NOW / 1_000 + 60,
        from_block: 7,
        claimed_at: NOW + number,
    }
}

pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}
