//! From the operator's wish to settings that can be served, or to everything that is wrong with it at once. `rails`
//! checks the rails.

mod rails;

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use alloy_primitives::hex;

use super::wish::PaymentWish;
use super::{Fault, Secrets, Settings, forms};
use crate::payment::Mode;
use crate::payment::prices::Prices;
use crate::payment::secret::Secret;

/// Seconds for which an offer can be paid: a payer needs time to sign, and an old offer is an old price.
pub const OFFER_TTL_S: RangeInclusive<u64> = 1..=3_600;
/// Milliseconds for a facilitator to verify a payment.
pub const VERIFY_TIMEOUT_MS: RangeInclusive<u64> = 100..=30_000;
/// Milliseconds for a payment to be settled.
pub const SETTLE_TIMEOUT_MS: RangeInclusive<u64> = 100..=90_000;
/// Milliseconds for which the chain is asked for a payment.
pub const CHAIN_LOOK_MS: RangeInclusive<u64> = 100..=30_000;
/// Milliseconds after which a paid request is answered, whatever its payment has come to; the payment goes on.
pub const REQUEST_DEADLINE_MS: RangeInclusive<u64> = 1_000..=120_000;
/// Seconds for which a bought answer is kept: up to thirty days.
pub const REPLY_TTL_S: RangeInclusive<u64> = 1..=2_592_000;
/// Bytes of bought answers that are kept: up to a terabyte.
pub const REPLIES_BYTES_MAX: RangeInclusive<u64> = 1..=1_099_511_627_776;
/// Shortest secret, in bytes.
pub const SECRET_BYTES_MIN: usize = 32;

/// Seconds for which an offer can be paid, unless configured.
const OFFER_TTL_DEFAULT_S: u64 = 60;
const VERIFY_TIMEOUT_DEFAULT_MS: u64 = 3_000;
const SETTLE_TIMEOUT_DEFAULT_MS: u64 = 20_000;
const CHAIN_LOOK_DEFAULT_MS: u64 = 4_000;
const REQUEST_DEADLINE_DEFAULT_MS: u64 = 30_000;
const REPLY_TTL_DEFAULT_S: u64 = 86_400;
const REPLIES_BYTES_DEFAULT: u64 = 1_073_741_824;
const LEDGER_DEFAULT: &str = "ledger.sqlite";

impl Settings {
    /// Checks what an operator wishes for a server that is told to listen on `listen`. `entropy` becomes the key of a
    /// sandbox that has none.
    ///
    /// # Errors
    /// With everything that has to be changed.
    pub fn new(
        wish: &PaymentWish,
        mode: Mode,
        listen: SocketAddr,
        secrets: Secrets,
        entropy: [u8; SECRET_BYTES_MIN],
    ) -> Result<Self, Vec<Fault>> {
        let mut check = Check { live: mode == Mode::Live, faults: Vec::new() };
        let url = check.public_url(wish, listen);
        let times = check.times(wish);
        let prices = Prices::new(wish.prices, &mut check.faults);
        let secret = check.secrets(&secrets).unwrap_or_else(|| Secret::new(hex::encode(entropy)));
        let offer_ttl_s =
            check.bounded("payment.offer_ttl_s", wish.offer_ttl_s, OFFER_TTL_DEFAULT_S, OFFER_TTL_S);
        let reply_ttl_s =
            check.bounded("payment.reply_ttl_s", wish.reply_ttl_s, REPLY_TTL_DEFAULT_S, REPLY_TTL_S);
        let replies_bytes_max = check.bounded(
            "payment.replies_bytes_max",
            wish.replies_bytes_max,
            REPLIES_BYTES_DEFAULT,
            REPLIES_BYTES_MAX,
        );
        let ledger = check.ledger(wish);
        let (base, solana, tempo) = check.rails(wish, secrets.base_bearer, secrets.solana_bearer);
        match (url, check.faults) {
            (Some((public_base_url, realm)), faults) if faults.is_empty() => Ok(Self {
                mode,
                public_base_url,
                realm,
                ledger,
                offer_ttl_s,
                verify_timeout: times.verify,
                settle_timeout: times.settle,
                chain_look: times.look,
                request_deadline: times.deadline,
                reply_ttl_s,
                replies_bytes_max,
                prices,
                secret,
                secret_previous: secrets.previous,
                base,
                solana,
                tempo,
                follows_address: wish.public_base_url.is_none(),
            }),
            (_, faults) => Err(faults),
        }
    }
}

/// Times of a paid request.
struct Times {
    verify: Duration,
    settle: Duration,
    look: Duration,
    deadline: Duration,
}

/// What is wrong so far.
struct Check {
    live: bool,
    faults: Vec<Fault>,
}

impl Check {
    fn fault(&mut self, key: &str, reason: impl Into<String>) {
        self.faults.push(Fault::new(key, reason));
    }

    /// The value of a key, read; `None` where it is missing or its fault is known now.
    fn read<T>(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        match read(value?) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.fault(key, reason);
                None
            }
        }
    }

    /// The same of a key that must be there.
    fn demand<T>(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        if value.is_none() {
            self.fault(key, "is missing: pricebook.example.toml says what it means");
        }
        self.read(key, value, read)
    }

    /// The same of a key that only a rail that settles needs; empty elsewhere.
    fn demand_live(
        &mut self,
        key: &str,
        value: Option<&String>,
        read: fn(&str) -> Result<String, String>,
    ) -> Option<String> {
        if self.live || value.is_some() { self.demand(key, value, read) } else { Some(String::new()) }
    }

    fn bounded(&mut self, key: &str, value: Option<u64>, default: u64, bounds: RangeInclusive<u64>) -> u64 {
        let value = value.unwrap_or(default);
        if !bounds.contains(&value) {
            let (min, max) = bounds.into_inner();
            self.fault(key, format!("is {value}: give a number from {min} to {max}"));
        }
        value
    }

    fn public_url(&mut self, wish: &PaymentWish, listen: SocketAddr) -> Option<(String, String)> {
        const KEY: &str = "payment.public_base_url";
        if wish.public_base_url.is_some() {
            return self.read(KEY, wish.public_base_url.as_ref(), forms::public_url);
        }
        if self.live || !listen.ip().to_canonical().is_loopback() {
            self.fault(KEY, "is missing: give the URL that clients reach this server by");
            return None;
        }
        Some((forms::own_url(listen), forms::own_realm(listen)))
    }

    fn ledger(&mut self, wish: &PaymentWish) -> PathBuf {
        let ledger = wish.ledger.clone().unwrap_or_else(|| LEDGER_DEFAULT.into());
        if ledger.file_name().is_none() {
            self.fault("payment.ledger", "names no file: give the path of a file that may be created");
        }
        ledger
    }

    fn times(&mut self, wish: &PaymentWish) -> Times {
        let verify = self.bounded(
            "payment.verify_timeout_ms",
            wish.verify_timeout_ms,
            VERIFY_TIMEOUT_DEFAULT_MS,
            VERIFY_TIMEOUT_MS,
        );
        let settle = self.bounded(
            "payment.settle_timeout_ms",
            wish.settle_timeout_ms,
            SETTLE_TIMEOUT_DEFAULT_MS,
            SETTLE_TIMEOUT_MS,
        );
        let look =
            self.bounded("payment.chain_look_ms", wish.chain_look_ms, CHAIN_LOOK_DEFAULT_MS, CHAIN_LOOK_MS);
        let deadline = self.bounded(
            "payment.request_deadline_ms",
            wish.request_deadline_ms,
            REQUEST_DEADLINE_DEFAULT_MS,
            REQUEST_DEADLINE_MS,
        );
        let millis = Duration::from_millis;
        Times {
            verify: millis(verify),
            settle: millis(settle),
            look: millis(look),
            deadline: millis(deadline),
        }
    }

    /// The current secret, if there is one.
    fn secrets(&mut self, secrets: &Secrets) -> Option<Secret> {
        let (current, previous) = (secrets.current.as_ref(), secrets.previous.as_ref());
        for (name, secret) in [(Secrets::CURRENT, current), (Secrets::PREVIOUS, previous)] {
            let length = secret.map(|secret| secret.expose().len());
            if let Some(length) = length.filter(|&length| length < SECRET_BYTES_MIN) {
                let reason = format!("has {length} bytes: give at least {SECRET_BYTES_MIN} random ones");
                self.fault(name, reason);
            }
        }
        if self.live && current.is_none() {
            self.fault(
                Secrets::CURRENT,
                "is not set: live payments need a secret of at least 32 random bytes",
            );
        }
        if previous.is_some() && previous == current {
            let reason =
                format!("is the same as {}: unset it, or keep the one before here", Secrets::CURRENT);
            self.fault(Secrets::PREVIOUS, reason);
        }
        let bearers =
            [(Secrets::BASE_BEARER, &secrets.base_bearer), (Secrets::SOLANA_BEARER, &secrets.solana_bearer)];
        for (name, bearer) in bearers {
            let sendable = |secret: &Secret| secret.expose().bytes().all(|byte| byte.is_ascii_graphic());
            if bearer.as_ref().is_some_and(|bearer| !sendable(bearer)) {
                self.fault(
                    name,
                    "holds a blank or a character that no header may hold: give the token alone",
                );
            }
        }
        current.cloned()
    }
}

#[cfg(test)]
mod tests;
