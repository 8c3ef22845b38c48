//! `[payment.rail.channels]`: what it may hold, and what it cannot be.

use std::ops::RangeInclusive;

use alloy_primitives::{hex, keccak256};
use serde::Deserialize;

use super::ChannelRail;
use crate::payment::core::channel::ChannelTerms;
use crate::payment::core::check::Check;
use crate::payment::core::prices::PRICE_ATOMIC_MAX;
use crate::payment::core::rail::RailContext;
use crate::payment::core::secret::{CHANNEL_KEY, CHANNEL_KEY_PREVIOUS, Secret};
use crate::payment::protocols::channel::{AuthorizerKey, channel_domain};
use crate::payment::rails::base::BaseRail;

/// Seconds between a withdrawal by force and its end: the contract takes a quarter of an hour to thirty days.
pub(super) const WITHDRAW_DELAY_S: RangeInclusive<u64> = 900..=2_592_000;
/// Atomic USDC of an amount: up to a million dollars.
pub(super) const AMOUNT_ATOMIC: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Seconds until a claim or a sweep: up to thirty days.
pub(super) const CLAIM_AFTER_S: RangeInclusive<u64> = 60..=2_592_000;
/// Seconds of silence after which a channel is closed: a day to ten years.
pub(super) const IDLE_REFUND_S: RangeInclusive<u64> = 86_400..=315_360_000;
/// Channels that are kept in memory, at about a kilobyte each.
pub(super) const CHANNELS_MAX: RangeInclusive<u64> = 1..=10_000_000;
/// Requests that may wait for one channel.
pub(super) const WAITERS_MAX: RangeInclusive<u64> = 0..=1_024;
/// Vouchers on one channel in a second.
pub(super) const VOUCHERS_PER_S: RangeInclusive<u64> = 1..=1_000_000;

/// Mixed into the entropy of a sandbox, so that its key is no other secret of it.
const SANDBOX_KEY: &[u8] = b"channel key of a sandbox";

/// `[payment.rail.channels]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawChannels {
    /// Seconds between a withdrawal by force and its end.
    pub withdraw_delay_s: Option<u64>,
    /// Smallest deposit, in atomic USDC.
    pub deposit_min: Option<u64>,
    /// Most that lies unspent in a channel after a deposit.
    pub deposit_max: Option<u64>,
    /// Unclaimed money at which a channel is claimed.
    pub claim_at: Option<u64>,
    /// Age of the oldest unclaimed charge at which it is claimed.
    pub claim_after_s: Option<u64>,
    /// Claimed money at which it is swept.
    pub sweep_at: Option<u64>,
    /// Time after the last sweep.
    pub sweep_after_s: Option<u64>,
    /// Most that is sold on one channel and not claimed.
    pub at_risk_channel_max: Option<u64>,
    /// Most that is sold on all and not claimed.
    pub at_risk_max: Option<u64>,
    /// Silence after which a channel is closed.
    pub idle_refund_s: Option<u64>,
    /// Channels in memory.
    pub channels_max: Option<u64>,
    /// Requests that wait for one channel.
    pub waiters_max: Option<u64>,
    /// Vouchers on one channel in a second.
    pub vouchers_per_s: Option<u64>,
}

fn at(key: &str) -> String {
    format!("payment.rail.channels.{key}")
}

/// The rail of a configuration.
pub(super) fn check(raw: &RawChannels, context: &RailContext<'_>, check: &mut Check) -> Option<ChannelRail> {
    let base = context.before.iter().find_map(|rail| {
        (rail.as_ref() as &dyn std::any::Any).downcast_ref::<BaseRail>().filter(|base| base.x402)
    });
    if base.is_none() {
        check.fault(
            "payment.rail.channels",
            "requires a [payment.rail.base] that offers x402: channels use the network, token and payee of Base",
        );
    }
    let terms = terms(raw, context.price_max, check);
    let key = key(CHANNEL_KEY, context.channel_key, check);
    let previous = match context.channel_key_previous {
        Some(_) => Some(self::key(CHANNEL_KEY_PREVIOUS, context.channel_key_previous, check)?),
        None => None,
    };
    let key = match (context.channel_key, check.is_live()) {
        (Some(_), _) => key?,
        (None, true) => {
            check.fault(
                CHANNEL_KEY,
                "is not set: claims and refunds of channels are signed with it; give 0x and 64 hexadecimal digits \
                 (openssl rand -hex 32)",
            );
            return None;
        }
        // A hash is a key but for one in 2^128.
        (None, false) => AuthorizerKey::new(keccak256([SANDBOX_KEY, context.entropy.as_slice()].concat()).0)?,
    };
    if previous.as_ref().is_some_and(|previous| previous.address() == key.address()) {
        check.fault(
            CHANNEL_KEY_PREVIOUS,
            format!("is the same as {CHANNEL_KEY}: unset it, or set it to the previous key"),
        );
    }
    let base = base?.clone();
    let domain = channel_domain(base.chain_id);
    Some(ChannelRail { base, terms, key, previous, domain })
}

fn terms(raw: &RawChannels, price_max: u64, check: &mut Check) -> ChannelTerms {
    let default = ChannelTerms::default();
    let mut amount =
        |key: &str, given, default| check.bounded(&at(key), given, default, AMOUNT_ATOMIC.clone());
    let deposit_min = amount("deposit_min", raw.deposit_min, default.deposit_min);
    let deposit_max = amount("deposit_max", raw.deposit_max, default.deposit_max);
    let claim_at = amount("claim_at", raw.claim_at, default.claim_at);
    let sweep_at = amount("sweep_at", raw.sweep_at, default.sweep_at);
    let at_risk_channel_max =
        amount("at_risk_channel_max", raw.at_risk_channel_max, default.at_risk_channel_max);
    let at_risk_max = amount("at_risk_max", raw.at_risk_max, default.at_risk_max);
    let mut bounded = |key: &str, given, default, bounds| check.bounded(&at(key), given, default, bounds);
    let withdraw_delay_s =
        bounded("withdraw_delay_s", raw.withdraw_delay_s, default.withdraw_delay_s, WITHDRAW_DELAY_S);
    let claim_after_s = bounded("claim_after_s", raw.claim_after_s, default.claim_after_s, CLAIM_AFTER_S);
    let sweep_after_s = bounded("sweep_after_s", raw.sweep_after_s, default.sweep_after_s, CLAIM_AFTER_S);
    let idle_refund_s = bounded("idle_refund_s", raw.idle_refund_s, default.idle_refund_s, IDLE_REFUND_S);
    let channels_max = bounded("channels_max", raw.channels_max, default.channels_max as u64, CHANNELS_MAX);
    let waiters_max = bounded("waiters_max", raw.waiters_max, default.waiters_max as u64, WAITERS_MAX);
    let vouchers_per_s =
        bounded("vouchers_per_s", raw.vouchers_per_s, u64::from(default.vouchers_per_s), VOUCHERS_PER_S);
    let price_max = price_max.min(PRICE_ATOMIC_MAX);
    if deposit_min < price_max {
        check.fault(
            &at("deposit_min"),
            format!("is {deposit_min}, which is below the highest price: give at least {price_max}"),
        );
    }
    for (key, value, above, bound) in [
        ("deposit_max", deposit_max, "deposit_min", deposit_min),
        ("at_risk_channel_max", at_risk_channel_max, "claim_at", claim_at),
        ("at_risk_channel_max", at_risk_channel_max, "the highest price", price_max),
        ("at_risk_max", at_risk_max, "at_risk_channel_max", at_risk_channel_max),
    ] {
        if value < bound {
            check.fault(&at(key), format!("is {value}, which is below {above}: give at least {bound}"));
        }
    }
    ChannelTerms {
        withdraw_delay_s,
        deposit_min,
        deposit_max,
        claim_at,
        claim_after_s,
        sweep_at,
        sweep_after_s,
        at_risk_channel_max,
        at_risk_max,
        idle_refund_s,
        channels_max: usize::try_from(channels_max).unwrap_or(usize::MAX),
        waiters_max: usize::try_from(waiters_max).unwrap_or(usize::MAX),
        vouchers_per_s: u32::try_from(vouchers_per_s).unwrap_or(u32::MAX),
    }
}

/// Reads a key; a fault names its variable and nothing of it.
fn key(name: &str, secret: Option<&Secret>, check: &mut Check) -> Option<AuthorizerKey> {
    let text = secret?.expose();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let bytes = hex::decode(digits).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let found = bytes.and_then(AuthorizerKey::new);
    if found.is_none() {
        check.fault(name, "is not a key: give 0x and 64 hexadecimal digits (openssl rand -hex 32)");
    }
    found
}
