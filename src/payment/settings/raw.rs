//! `[payment]` as it stands in the configuration file: its keys and their types, nothing checked beyond them. The
//! tables of rails are their own ([`RawRails`]).

use std::path::PathBuf;

use serde::Deserialize;

use crate::payment::Mode;
use crate::payment::core::prices::RawPrices;
use crate::payment::rails::RawRails;

/// `[payment]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawPayment {
    /// How paid routes are paid.
    pub mode: Option<Mode>,
    /// URL that clients reach the server by.
    pub public_base_url: Option<String>,
    /// File of the ledger.
    pub ledger: Option<PathBuf>,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: Option<u64>,
    /// Milliseconds for a facilitator to verify a payment.
    pub verify_timeout_ms: Option<u64>,
    /// Milliseconds for a payment to be settled.
    pub settle_timeout_ms: Option<u64>,
    /// Milliseconds for which the chain is asked for a payment.
    pub chain_look_ms: Option<u64>,
    /// Milliseconds for a whole paid request.
    pub request_deadline_ms: Option<u64>,
    /// Seconds for which a bought answer is kept.
    pub reply_ttl_s: Option<u64>,
    /// Bytes of bought answers that are kept.
    pub replies_bytes_max: Option<u64>,
    /// `[payment.prices]`.
    pub prices: RawPrices,
    /// `[payment.rail]`.
    pub rail: RawRails,
}
