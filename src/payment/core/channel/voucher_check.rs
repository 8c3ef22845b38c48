//! The value of a voucher, by what is known of its channel: pure rules, which the channel manager follows during the
//! channel's turn.
//!
//! A voucher buys exactly one answer: it must sign what was charged before and the price, no more and no less. The
//! newest one presented again is the same purchase. A signature that left for a facilitator is public, so it buys no
//! further answer.

use super::ChannelTerms;
use super::row::{ChannelRow, Voucher};

/// A voucher that is presented for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presented<'a> {
    /// What it signs, in atomic USDC from the channel's beginning.
    pub max: u64,
    /// SHA-256 of the canonical request.
    pub request_hash: &'a [u8; 32],
    /// What the request costs.
    pub price: u64,
    /// What is deposited with it.
    pub deposit: u64,
}

/// What is to be done about a voucher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoucherVerdict {
    /// It was sold already for the same request: the stored answer, while it is kept.
    Replay,
    /// The same, of a voucher that is public: there is only its receipt.
    ReplayPublic,
    /// It was sold already for another request.
    Used,
    /// It is public, or older than what is.
    BelowClaimed,
    /// It signs another sum than what was charged and the price.
    Amount,
    /// It signs the right sum, and there is not so much money in the channel.
    Short,
    /// The payer takes the money out by force.
    Withdrawing,
    /// A refund is on its way.
    Refunding,
    /// Too much of the channel is sold and not claimed.
    AtRisk,
    /// It buys an answer, with the money that is there.
    Sell,
    /// It buys an answer once the deposit that came with it is settled.
    Deposit,
}

/// Whether it was sold already: that is decided before anything else, and without a lock.
pub fn check_charged(row: &ChannelRow, max: u64, request_hash: &[u8; 32]) -> Option<VoucherVerdict> {
    let last = row.last.as_ref().filter(|_| max == row.charged)?;
    Some(match (last.request_hash == *request_hash, max <= row.published) {
        (true, false) => VoucherVerdict::Replay,
        (true, true) => VoucherVerdict::ReplayPublic,
        (false, false) => VoucherVerdict::Used,
        (false, true) => VoucherVerdict::BelowClaimed,
    })
}

/// What is to be done about a voucher whose signature is good and whose channel is on today's terms.
pub fn judge(row: &ChannelRow, presented: Presented<'_>, terms: &ChannelTerms) -> VoucherVerdict {
    let Presented { max, request_hash, price, deposit } = presented;
    if let Some(sold) = check_charged(row, max, request_hash) {
        return sold;
    }
    if max <= row.published {
        return VoucherVerdict::BelowClaimed;
    }
    if row.charged.checked_add(price) != Some(max) {
        return VoucherVerdict::Amount;
    }
    if row.chain.withdraw_at.is_some() {
        return VoucherVerdict::Withdrawing;
    }
    if row.intent.as_ref().is_some_and(|intent| !intent.done) {
        return VoucherVerdict::Refunding;
    }
    if max > row.chain.balance.saturating_add(deposit) {
        return VoucherVerdict::Short;
    }
    if max - row.chain.claimed.min(max) > terms.at_risk_channel_max {
        return VoucherVerdict::AtRisk;
    }
    if max > row.chain.balance { VoucherVerdict::Deposit } else { VoucherVerdict::Sell }
}

/// Why a refund is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundFault {
    /// Its voucher signs more than was charged.
    Above,
    /// Its voucher signs less than was claimed.
    BelowClaimed,
    /// There is nothing to give back.
    NoBalance,
    /// It asks for nothing, or for more than there is.
    Amount,
}

/// How much goes back to a payer who asks with a voucher up to `max`, for `asked` or for everything that is left.
///
/// # Errors
/// With why nothing does.
pub fn check_refund(row: &ChannelRow, max: u64, asked: Option<u64>) -> Result<u64, RefundFault> {
    if max > row.charged {
        return Err(RefundFault::Above);
    }
    if max < row.chain.claimed {
        return Err(RefundFault::BelowClaimed);
    }
    let left = row.chain.balance.saturating_sub(row.charged);
    match asked {
        _ if left == 0 => Err(RefundFault::NoBalance),
        None => Ok(left),
        Some(amount) if (1..=left).contains(&amount) => Ok(amount),
        Some(_) => Err(RefundFault::Amount),
    }
}

/// Whether money lies in a channel that nobody used for so long that it goes back.
pub fn is_idle(row: &ChannelRow, terms: &ChannelTerms, now_ms: u64) -> bool {
    let idle_ms = terms.idle_refund_s.saturating_mul(1_000);
    now_ms.saturating_sub(row.used_at) >= idle_ms && row.chain.balance > row.charged
}

/// Milliseconds for which the newest voucher stays unpublished, so that its answer can be had again.
pub const NEWEST_KEPT_BACK_MS: u64 = 600_000;

/// Why a channel is claimed now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimCause {
    /// So much of it is unclaimed.
    Amount,
    /// The oldest charge is so old, or nobody uses it any more.
    Age,
    /// It ends: its payer takes the money out, or its terms are no longer today's.
    End,
}

/// What is claimed of a channel now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueClaim {
    /// The voucher that allows it.
    pub voucher: Voucher,
    /// What is claimed then, from the channel's beginning: never more than lies in it, since the contract refuses a whole
    /// call for one channel that cannot pay.
    pub claimed: u64,
    /// Why.
    pub cause: ClaimCause,
}

/// What is claimed of a channel now, if anything. `ends` when its configuration is no longer today's.
pub fn claim_due(row: &ChannelRow, terms: &ChannelTerms, now_ms: u64, ends: bool) -> Option<DueClaim> {
    let ends = ends || row.chain.withdraw_at.is_some();
    let newest = row.voucher.as_ref()?;
    let is_fresh = now_ms.saturating_sub(row.used_at) < NEWEST_KEPT_BACK_MS;
    let voucher = if is_fresh && !ends { row.prior.as_ref()? } else { newest };
    let claimed = voucher.max.min(row.charged).min(row.chain.balance);
    if claimed <= row.chain.claimed {
        return None;
    }
    let age_ms = row.unclaimed_since.map_or(0, |since| now_ms.saturating_sub(since));
    let cause = if ends {
        ClaimCause::End
    } else if row.at_risk() >= terms.claim_at {
        ClaimCause::Amount
    } else if age_ms >= terms.claim_after_s.saturating_mul(1_000) {
        ClaimCause::Age
    } else {
        return None;
    };
    Some(DueClaim { voucher: voucher.clone(), claimed, cause })
}
