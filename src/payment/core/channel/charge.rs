//! Charges: answers for vouchers, one at a time on each channel.
//!
//! ```text
//! known (no lock) ─▶ take: a turn on the channel ─▶ read again ─▶ [deposit] ─▶ check ─▶ compute ─▶ commit ─▶ answer
//! ```
//!
//! Until the commit a charge ends when its client is gone, and the channel is not charged. `voucher_check` has the
//! rules.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::deposit::Deposited;
use super::manager::{ChannelManager, Done, correction, unseen};
use super::outcome::ChannelOutcome;
use super::payment::{ChannelAct, ChannelPayment, SignedDeposit, TermsStatus};
use super::row::{ChannelCharge, ChannelRow, ChannelWrite, LastCharge, OnChain, Voucher};
use super::table::Channel;
use super::voucher_check::{Presented, VoucherVerdict, check_charged, judge};
use crate::payment::core::claim::{StoreError, StoredAnswer};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::processor::PaymentWork;
use crate::payment::protocols::channel::ChannelId;
use crate::payment::protocols::x402::batch::{ChannelReceipt, receipt_header};

/// Pause between two chain queries for one channel whose balance does not suffice.
const SHORT_QUERY_PAUSE: Duration = Duration::from_secs(2);

/// Least time without a chain query after which no voucher is accepted.
const STALE_MIN: Duration = Duration::from_mins(2);

/// The same as a share of the withdrawal delay: one in so many. The longer of the two counts.
const STALE_SHARE: u64 = 8;

/// The request that a voucher pays for.
#[derive(Debug, Clone)]
pub struct ChargeRequest {
    /// Price in atomic USDC.
    pub price: u64,
    /// Path of the endpoint.
    pub endpoint: &'static str,
    /// SHA-256 of the canonical request.
    pub request_hash: [u8; 32],
    /// Who asks.
    pub client: IpAddr,
}

impl ChannelManager {
    /// Finds the outcome of a voucher that was charged before: its answer is sent again.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn known(
        &self,
        payment: &ChannelPayment,
        request_hash: &[u8; 32],
    ) -> Result<Option<ChannelOutcome>, StoreError> {
        if matches!(payment.act, ChannelAct::Refund { .. }) {
            return Ok(None);
        }
        let found = self.map().get(&payment.id).cloned();
        let Some(channel) = found.or_else(|| self.stored(payment.id).ok().flatten()) else { return Ok(None) };
        self.charged_before(&channel, payment.max, request_hash)
    }

    /// The outcome of a voucher that was charged before.
    fn charged_before(
        &self,
        channel: &Channel,
        max: u64,
        request_hash: &[u8; 32],
    ) -> Result<Option<ChannelOutcome>, StoreError> {
        let (verdict, last) = {
            let state = channel.state();
            let Some(row) = &state.row else { return Ok(None) };
            let Some(verdict) = check_charged(row, max, request_hash) else { return Ok(None) };
            match verdict {
                VoucherVerdict::Used => return Ok(Some(correction(PaymentReason::PaymentUsed, row))),
                VoucherVerdict::BelowClaimed => return Ok(Some(ChannelOutcome::BelowClaimed)),
                _ => {}
            }
            (verdict, row.last.clone())
        };
        let Some(LastCharge { media_type, receipt, snapshot_id, freshness_seconds, .. }) = last else {
            return Ok(None);
        };
        let body = match verdict {
            VoucherVerdict::Replay => self.parts.store.last_body(channel.id, unix_millis())?,
            _ => None,
        };
        Ok(Some(match body {
            Some(body) => {
                let answer = StoredAnswer { body, media_type, snapshot_id, freshness_seconds };
                ChannelOutcome::Charged { key: charge_key(channel.id, max), answer, receipt, again: true }
            }
            None => ChannelOutcome::AnswerExpired { network: self.parts.network.clone(), receipt },
        }))
    }

    /// Charges for the answer that `work` computes, in a task of its own.
    pub async fn take(
        self: &Arc<Self>,
        payment: Box<ChannelPayment>,
        request: ChargeRequest,
        work: PaymentWork,
    ) -> ChannelOutcome {
        if payment.terms_status != TermsStatus::Current || payment.act == ChannelAct::DepositOtherwise {
            return ChannelOutcome::Refused(PaymentReason::Terms);
        }
        let manager = Arc::clone(self);
        self.in_turn(payment.id, payment.config.clone(), request.client, move |channel, done| async move {
            manager
                .commit_charge(&channel, &payment, &request, work, &done)
                .await
                .map(|outcome| (outcome, done))
        })
        .await
    }

    async fn commit_charge(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        request: &ChargeRequest,
        work: PaymentWork,
        done: &Done,
    ) -> Result<ChannelOutcome, StoreError> {
        if done.is_closed() {
            return Ok(ChannelOutcome::Unclear);
        }
        if let Some(outcome) = self.charged_before(channel, payment.max, &request.request_hash)? {
            return Ok(outcome);
        }
        if self.is_too_fast(channel) {
            return Ok(ChannelOutcome::TooMany { retry_after_s: 1 });
        }
        let mut looked = false;
        if channel.state().read_at.is_none() {
            if let Err(why) = self.query(channel).await? {
                return Ok(unseen(channel, &why));
            }
            looked = true;
        }
        if self.is_stale(channel) {
            return Ok(unseen(channel, "the state of the channel was read from the chain too long ago"));
        }
        let deposit = match &payment.act {
            ChannelAct::Deposit(deposit) => Some(deposit),
            _ => None,
        };
        let mut deposited = None;
        loop {
            let verdict = self.judge(channel, payment, request, deposit.filter(|_| deposited.is_none()));
            match verdict {
                VoucherVerdict::Sell => break,
                // The chain may know more by now.
                VoucherVerdict::Short | VoucherVerdict::Deposit
                    if !looked && !was_read_at_just_now(channel, verdict) =>
                {
                    if let Err(why) = self.query(channel).await? {
                        return Ok(unseen(channel, &why));
                    }
                    looked = true;
                }
                VoucherVerdict::Deposit => {
                    let deposit = deposit.expect("the verdict is of a voucher with a deposit");
                    match self.deposit(channel, payment, deposit).await? {
                        Ok(settled) => deposited = Some(settled),
                        Err(outcome) => return Ok(outcome),
                    }
                }
                other => return self.refuse(channel, payment, request, other),
            }
        }
        if self.at_risk() + request.price > self.parts.terms.at_risk_max {
            tracing::error!(
                at_risk = self.at_risk(),
                "the unclaimed amount of all channels would exceed at_risk_max; the voucher is not accepted"
            );
            return Ok(ChannelOutcome::Unclear);
        }
        let Some(answer) = work.await else { return Ok(ChannelOutcome::WorkFailed) };
        if done.is_closed() {
            return Ok(ChannelOutcome::Unclear);
        }
        self.commit(channel, payment, request, deposited.as_ref(), answer).await
    }

    fn judge(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        request: &ChargeRequest,
        deposit: Option<&SignedDeposit>,
    ) -> VoucherVerdict {
        let presented = Presented {
            max: payment.max,
            request_hash: &request.request_hash,
            price: request.price,
            deposit: deposit.map_or(0, |deposit| deposit.authorization.amount),
        };
        let state = channel.state();
        match &state.row {
            Some(row) => judge(row, presented, &self.parts.terms),
            None => judge(&self.empty(channel), presented, &self.parts.terms),
        }
    }

    /// A channel that nobody has put money in.
    fn empty(&self, channel: &Channel) -> ChannelRow {
        ChannelRow::new(channel.id, self.parts.rail, channel.config.clone(), OnChain::default(), 0)
    }

    /// Why a voucher is not sold.
    fn refuse(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        request: &ChargeRequest,
        verdict: VoucherVerdict,
    ) -> Result<ChannelOutcome, StoreError> {
        let state = channel.state();
        let Some(row) = &state.row else {
            // Nobody here knows the channel, and there is no money in it: the client reads the chain.
            return Ok(ChannelOutcome::BelowClaimed);
        };
        Ok(match verdict {
            VoucherVerdict::Amount | VoucherVerdict::Short => correction(PaymentReason::Amount, row),
            VoucherVerdict::BelowClaimed => ChannelOutcome::BelowClaimed,
            VoucherVerdict::Withdrawing => ChannelOutcome::Refused(PaymentReason::Refused),
            VoucherVerdict::AtRisk => {
                tracing::warn!(
                    channel = %channel.id,
                    at_risk = row.at_risk(),
                    "the unclaimed amount of a channel would exceed at_risk_channel_max; the voucher is not accepted"
                );
                self.claims_due.notify_one();
                ChannelOutcome::Unclear
            }
            VoucherVerdict::Replay | VoucherVerdict::ReplayPublic | VoucherVerdict::Used => {
                drop(state);
                let sold = self.charged_before(channel, payment.max, &request.request_hash)?;
                sold.unwrap_or(ChannelOutcome::Unclear)
            }
            VoucherVerdict::Refunding | VoucherVerdict::Sell | VoucherVerdict::Deposit => {
                ChannelOutcome::Unclear
            }
        })
    }

    /// Makes a sale durable, and tells of it.
    async fn commit(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        request: &ChargeRequest,
        deposited: Option<&Deposited>,
        answer: StoredAnswer,
    ) -> Result<ChannelOutcome, StoreError> {
        let (expected, receipt) = {
            let state = channel.state();
            let Some(row) = &state.row else { return Ok(ChannelOutcome::Unclear) };
            (row.charged, self.receipt(row, payment, request.price, deposited))
        };
        let charge = ChannelCharge {
            expected,
            voucher: Voucher { max: payment.max, signature: payment.signature },
            last: LastCharge {
                request_hash: request.request_hash,
                media_type: answer.media_type.clone(),
                receipt: receipt.clone(),
                snapshot_id: answer.snapshot_id.clone(),
                freshness_seconds: answer.freshness_seconds,
            },
            body: answer.body.clone(),
            endpoint: request.endpoint.to_owned(),
            at: unix_millis(),
        };
        let began = Instant::now();
        let kept = match self.parts.store.commit_charge(channel.id, charge.clone()).await {
            Ok(kept) => kept,
            Err(error) => {
                tracing::error!(
                    channel = %channel.id, %error,
                    "a sale on a channel was not written to the ledger; the answer was not sent"
                );
                self.read_again(channel)?;
                return Ok(ChannelOutcome::Unclear);
            }
        };
        if kept == ChannelWrite::Elsewhere {
            tracing::error!(
                channel = %channel.id,
                "the charged amount in the ledger differs from the amount in memory, so the voucher was not accepted; \
                 check whether a second server or another program writes to this ledger"
            );
            self.read_again(channel)?;
            return Ok(ChannelOutcome::Unclear);
        }
        self.commits.lock().unwrap_or_else(PoisonError::into_inner).count(began.elapsed());
        self.update(channel, |row| row.sold(&charge));
        let key = charge_key(channel.id, payment.max);
        Ok(ChannelOutcome::Charged { key, answer, receipt, again: false })
    }

    /// The receipt of a sale on a channel as it stands before that, and of the deposit that came with it.
    fn receipt(
        &self,
        row: &ChannelRow,
        payment: &ChannelPayment,
        price: u64,
        deposited: Option<&Deposited>,
    ) -> String {
        receipt_header(&ChannelReceipt {
            payer: payment.config.payer,
            network: &self.parts.network,
            transaction: deposited.map_or("", |deposited| &deposited.transaction),
            moved: deposited.map(|deposited| deposited.amount),
            charged: price,
            state: row.chain.as_text(row.id, payment.max),
            sandbox: self.parts.is_sandbox,
        })
    }

    /// Whether the chain was read so long ago that a withdrawal may have begun and ended meanwhile.
    fn is_stale(&self, channel: &Channel) -> bool {
        let share = Duration::from_secs(self.parts.terms.withdraw_delay_s / STALE_SHARE);
        channel.state().read_at.is_none_or(|at| at.elapsed() > STALE_MIN.max(share))
    }

    /// Whether more vouchers come on a channel in this second than are taken; this one is counted.
    fn is_too_fast(&self, channel: &Channel) -> bool {
        let second = unix_millis() / 1_000;
        let mut state = channel.state();
        if state.pace.0 != second {
            state.pace = (second, 0);
        }
        state.pace.1 += 1;
        state.pace.1 > self.parts.terms.vouchers_per_s
    }
}

/// Names a sale.
fn charge_key(id: ChannelId, max: u64) -> String {
    format!("{id}:{max}")
}

/// Whether looking at the chain again is worth it: for a deposit always, else not twice in a moment.
fn was_read_at_just_now(channel: &Channel, verdict: VoucherVerdict) -> bool {
    verdict == VoucherVerdict::Short
        && channel.state().read_at.is_some_and(|at| at.elapsed() < SHORT_QUERY_PAUSE)
}
