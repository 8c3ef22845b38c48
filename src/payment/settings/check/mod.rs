//! From what the operator gave to settings that can be served, or to everything that is wrong with it at once.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::hex;

use super::RawPayment;
use super::{Secrets, Settings};
use crate::payment::Mode;
use crate::payment::core::check::{Check, Fault};
use crate::payment::core::prices::Prices;
use crate::payment::core::rail::Rail;
use crate::payment::core::secret::{SECRET_BYTES_MIN, Secret};
use crate::payment::core::validators;
use crate::payment::rails::KINDS;

/// Seconds for which an offer can be paid: a payer needs time to sign, and an old offer is an old price.
pub const OFFER_TTL_S: RangeInclusive<u64> = 1..=3_600;
/// Milliseconds for a facilitator to verify a payment.
pub const VERIFY_TIMEOUT_MS: RangeInclusive<u64> = 100..=30_000;
/// Milliseconds for a payment to be settled.
pub const SETTLE_TIMEOUT_MS: RangeInclusive<u64> = 100..=90_000;
/// Milliseconds for which the chain is asked for a payment.
pub const CHAIN_QUERY_MS: RangeInclusive<u64> = 100..=30_000;
/// Milliseconds after which a paid request is answered, whatever its payment has come to; the payment goes on.
pub const REQUEST_DEADLINE_MS: RangeInclusive<u64> = 1_000..=120_000;
/// Seconds for which a bought answer is kept: up to thirty days.
pub const REPLY_TTL_S: RangeInclusive<u64> = 1..=2_592_000;
/// Bytes of bought answers that are kept: up to a terabyte.
pub const REPLIES_BYTES_MAX: RangeInclusive<u64> = 1..=1_099_511_627_776;

/// Seconds for which an offer can be paid, unless configured.
const OFFER_TTL_DEFAULT_S: u64 = 60;
const VERIFY_TIMEOUT_DEFAULT_MS: u64 = 3_000;
const SETTLE_TIMEOUT_DEFAULT_MS: u64 = 20_000;
const CHAIN_QUERY_DEFAULT_MS: u64 = 4_000;
const REQUEST_DEADLINE_DEFAULT_MS: u64 = 30_000;
const REPLY_TTL_DEFAULT_S: u64 = 86_400;
const REPLIES_BYTES_DEFAULT: u64 = 1_073_741_824;
const LEDGER_DEFAULT: &str = "ledger.sqlite";

impl Settings {
    /// Checks what the operator gave for a server that is told to listen on `listen`. `entropy` becomes the key of a
    /// sandbox that has none.
    ///
    /// # Errors
    /// With everything that has to be changed.
    pub fn new(
        raw: &RawPayment,
        mode: Mode,
        listen: SocketAddr,
        secrets: Secrets,
        entropy: [u8; SECRET_BYTES_MIN],
    ) -> Result<Self, Vec<Fault>> {
        let mut check = Check::new(mode == Mode::Live);
        let url = check.public_url(raw, listen);
        let times = check.times(raw);
        let prices = Prices::new(raw.prices, &mut check);
        let secret = check.secrets(&secrets).unwrap_or_else(|| Secret::new(hex::encode(entropy)));
        let offer_ttl_s =
            check.bounded("payment.offer_ttl_s", raw.offer_ttl_s, OFFER_TTL_DEFAULT_S, OFFER_TTL_S);
        let reply_ttl_s =
            check.bounded("payment.reply_ttl_s", raw.reply_ttl_s, REPLY_TTL_DEFAULT_S, REPLY_TTL_S);
        let replies_bytes_max = check.bounded(
            "payment.replies_bytes_max",
            raw.replies_bytes_max,
            REPLIES_BYTES_DEFAULT,
            REPLIES_BYTES_MAX,
        );
        let ledger = check.ledger(raw);
        let rails = check.rails(raw, &secrets, prices.dearest(), &entropy);
        match (url, check.into_faults()) {
            (Some((public_base_url, realm)), faults) if faults.is_empty() => Ok(Self {
                mode,
                public_base_url,
                realm,
                ledger,
                offer_ttl_s,
                verify_timeout: times.verify,
                settle_timeout: times.settle,
                chain_query: times.query,
                request_deadline: times.deadline,
                reply_ttl_s,
                replies_bytes_max,
                prices,
                secret,
                secret_previous: secrets.previous,
                rails,
                follows_address: raw.public_base_url.is_none(),
            }),
            (_, faults) => Err(faults),
        }
    }
}

/// Times of a paid request.
struct Times {
    verify: Duration,
    settle: Duration,
    query: Duration,
    deadline: Duration,
}

/// The rails that are offered.
impl Check {
    /// The rails that are offered.
    fn rails(
        &mut self,
        raw: &RawPayment,
        secrets: &Secrets,
        price_max: u64,
        entropy: &[u8; SECRET_BYTES_MIN],
    ) -> Vec<Arc<dyn Rail>> {
        if self.is_live() && raw.rail.is_empty() {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name.as_str()).collect();
            let (last, others) = names.split_last().expect("there are rails");
            let names = format!("{} and {last}", others.join(", "));
            self.fault("payment.rail", format!("has no rail: give at least one of {names}"));
        }
        let channel_keys = [secrets.channel_key.as_ref(), secrets.channel_key_previous.as_ref()];
        raw.rail.check(self, &secrets.bearers, channel_keys, price_max, entropy)
    }

    fn public_url(&mut self, raw: &RawPayment, listen: SocketAddr) -> Option<(String, String)> {
        const KEY: &str = "payment.public_base_url";
        if raw.public_base_url.is_some() {
            return self.read(KEY, raw.public_base_url.as_ref(), validators::public_url);
        }
        if self.is_live() || !listen.ip().to_canonical().is_loopback() {
            self.fault(KEY, "is missing: give the URL at which clients reach this server");
            return None;
        }
        Some((validators::own_url(listen), validators::own_realm(listen)))
    }

    fn ledger(&mut self, raw: &RawPayment) -> PathBuf {
        let ledger = raw.ledger.clone().unwrap_or_else(|| LEDGER_DEFAULT.into());
        if ledger.file_name().is_none() {
            self.fault("payment.ledger", "does not name a file: give the path of a file that can be created");
        }
        ledger
    }

    fn times(&mut self, raw: &RawPayment) -> Times {
        let verify = self.bounded(
            "payment.verify_timeout_ms",
            raw.verify_timeout_ms,
            VERIFY_TIMEOUT_DEFAULT_MS,
            VERIFY_TIMEOUT_MS,
        );
        let settle = self.bounded(
            "payment.settle_timeout_ms",
            raw.settle_timeout_ms,
            SETTLE_TIMEOUT_DEFAULT_MS,
            SETTLE_TIMEOUT_MS,
        );
        let query =
            self.bounded("payment.chain_look_ms", raw.chain_look_ms, CHAIN_QUERY_DEFAULT_MS, CHAIN_QUERY_MS);
        let deadline = self.bounded(
            "payment.request_deadline_ms",
            raw.request_deadline_ms,
            REQUEST_DEADLINE_DEFAULT_MS,
            REQUEST_DEADLINE_MS,
        );
        let millis = Duration::from_millis;
        Times {
            verify: millis(verify),
            settle: millis(settle),
            query: millis(query),
            deadline: millis(deadline),
        }
    }

    /// The current secret, if there is one.
    fn secrets(&mut self, secrets: &Secrets) -> Option<Secret> {
        let (current, previous) = (secrets.current.as_ref(), secrets.previous.as_ref());
        for (name, secret) in [(Secrets::CURRENT, current), (Secrets::PREVIOUS, previous)] {
            if let Some(weakness) = secret.and_then(Secret::weakness) {
                self.fault(name, weakness.to_string());
            }
        }
        if self.is_live() && current.is_none() {
            self.fault(
                Secrets::CURRENT,
                "is not set: live payments need a secret of at least 32 random bytes",
            );
        }
        if previous.is_some() && previous == current {
            let reason =
                format!("is the same as {}: unset it, or set it to the previous secret", Secrets::CURRENT);
            self.fault(Secrets::PREVIOUS, reason);
        }
        for (rail, bearer) in &secrets.bearers {
            if !bearer.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
                self.fault(
                    &Secrets::bearer(*rail),
                    "contains a space or a character that a header cannot contain: give only the token",
                );
            }
        }
        current.cloned()
    }
}

#[cfg(test)]
mod tests;
