//! Refunds: what is left in a channel goes back to its payer, by the payer's request or after a long silence.
//!
//! What is to be done is durable before anybody is told to do it, since the signature that we give for it is good until
//! the contract has counted a refund. Until the chain says that it did, nothing is sold on the channel, and the same
//! refund is asked for again. The contract's own count of refunds decides, and nobody's word.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use tokio::time::sleep;

use super::chain::ChannelClaim;
use super::manager::{ChannelManager, correction, unseen};
use super::outcome::ChannelOutcome;
use super::payment::{ChannelAct, ChannelPayment, TermsStatus};
use super::row::{ChannelChange, ChannelEvent, ChannelEventKind, ChannelRow, RefundIntent, Voucher};
use super::table::Channel;
use super::voucher_check::{RefundFault, check_refund, is_idle};
use crate::payment::core::claim::StoreError;
use crate::payment::core::clock::unix_millis;
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::scheme::Settlement;

/// Between two refunds of one channel; for as long the first is the answer to whoever repeats it.
const REFUND_PAUSE_MS: u64 = 3_600_000;

/// Looks at a channel in the time for looking.
const CHAIN_QUERIES_MAX: u32 = 16;

impl ChannelManager {
    /// Gives money back to a payer who asks for it.
    pub async fn refund(self: &Arc<Self>, payment: Box<ChannelPayment>, client: IpAddr) -> ChannelOutcome {
        if payment.terms_status == TermsStatus::Foreign || !self.parts.chain.has_key_for(&payment.config) {
            return ChannelOutcome::Refused(PaymentReason::Terms);
        }
        // What is not on today's terms was once only if it is known here.
        let is_former = payment.terms_status == TermsStatus::Former;
        match is_former.then(|| self.parts.store.channel(payment.id)).transpose() {
            Ok(Some(None)) => return ChannelOutcome::Refused(PaymentReason::Terms),
            Ok(_) => {}
            Err(error) => {
                tracing::error!(channel = %payment.id, %error, "a channel cannot be read from the ledger");
                return ChannelOutcome::Unclear;
            }
        }
        let manager = Arc::clone(self);
        self.in_turn(payment.id, payment.config.clone(), client, move |channel, done| async move {
            manager.give_back(&channel, &payment).await.map(|outcome| (outcome, done))
        })
        .await
    }

    async fn give_back(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
    ) -> Result<ChannelOutcome, StoreError> {
        let ChannelAct::Refund { amount: asked } = payment.act else { return Ok(ChannelOutcome::Unclear) };
        if let Err(why) = self.query(channel).await? {
            return Ok(unseen(channel, &why));
        }
        let Some(row) = channel.state().row.clone() else {
            return Ok(ChannelOutcome::RefundRefused(RefundFault::NoBalance));
        };
        let now = unix_millis();
        if let Some(intent) = &row.intent {
            let is_same = intent.max == payment.max && intent.asked == asked;
            let age_ms = now.saturating_sub(intent.at);
            match (intent.done, is_same) {
                (true, true) if age_ms < REFUND_PAUSE_MS => return Ok(self.refunded(&row, intent)),
                (true, false) if age_ms < REFUND_PAUSE_MS => {
                    return Ok(ChannelOutcome::TooMany {
                        retry_after_s: (REFUND_PAUSE_MS - age_ms).div_ceil(1_000),
                    });
                }
                (true, _) => {}
                (false, true) => return self.pursue(channel, Some(presented(payment))).await,
                (false, false) => return Ok(ChannelOutcome::Unclear),
            }
        }
        let amount = match check_refund(&row, payment.max, asked) {
            Ok(amount) => amount,
            Err(RefundFault::Above) => return Ok(correction(PaymentReason::Amount, &row)),
            Err(RefundFault::BelowClaimed) => return Ok(ChannelOutcome::BelowClaimed),
            Err(fault) => return Ok(ChannelOutcome::RefundRefused(fault)),
        };
        if !self.parts.chain.can_settle() {
            return Ok(unseen(channel, "the facilitator does not answer; the refund is not made"));
        }
        self.intend(channel, &row, amount, asked, payment.max).await?;
        self.pursue(channel, Some(presented(payment))).await
    }

    /// Gives back what lies in a channel that nobody uses any more.
    pub(super) async fn close_idle(&self, channel: &Channel) -> Result<(), StoreError> {
        let _turn = channel.turn.lock().await;
        if self.query(channel).await?.is_err() {
            return Ok(());
        }
        let Some(row) = channel.state().row.clone() else { return Ok(()) };
        let left = row.chain.balance.saturating_sub(row.charged);
        let is_free = row.intent.as_ref().is_none_or(|intent| intent.done);
        // It may have been used while its turn was waited for.
        if is_idle(&row, &self.parts.terms, unix_millis()) && is_free && row.chain.withdraw_at.is_none() {
            tracing::info!(
                channel = %channel.id, amount = left,
                "a channel was not used for a long time; its balance is refunded to its payer"
            );
            self.intend(channel, &row, left, None, row.charged).await?;
            self.pursue(channel, None).await?;
        }
        Ok(())
    }

    /// Goes on with a refund that is not done.
    pub(super) async fn pursue_again(&self, channel: &Channel) -> Result<(), StoreError> {
        let _turn = channel.turn.lock().await;
        self.pursue(channel, None).await.map(drop)
    }

    async fn intend(
        &self,
        channel: &Channel,
        row: &ChannelRow,
        amount: u64,
        asked: Option<u64>,
        max: u64,
    ) -> Result<(), StoreError> {
        let nonce = row.chain.refund_nonce;
        let intent =
            RefundIntent { nonce, amount, asked, max, at: unix_millis(), done: false, transaction: None };
        self.change(channel, ChannelChange::Refund(intent)).await
    }

    /// Has a refund made that is intended, and sees whether it was. The caller has the channel's turn.
    async fn pursue(
        &self,
        channel: &Channel,
        presented: Option<Voucher>,
    ) -> Result<ChannelOutcome, StoreError> {
        let Some(row) = channel.state().row.clone() else { return Ok(ChannelOutcome::Unclear) };
        let Some(intent) = row.intent.clone().filter(|intent| !intent.done) else {
            return Ok(ChannelOutcome::Unclear);
        };
        if row.chain.refund_nonce > intent.nonce {
            return self.done(channel, intent, None).await;
        }
        let newest = row.voucher.clone();
        let claim = newest.clone().filter(|_| row.at_risk() > 0).map(|voucher| ChannelClaim {
            config: row.config.clone(),
            claimed: row.charged.min(voucher.max),
            voucher,
        });
        let unsigned = || Voucher { max: row.charged, signature: [0; 65] };
        let voucher = presented.or(newest).unwrap_or_else(unsigned);
        self.change(channel, ChannelChange::Published(row.charged.max(voucher.max))).await?;
        let settled = self.parts.chain.refund(&row.config, &voucher, claim.as_ref(), &intent).await;
        let (why, transaction) = match settled {
            Settlement::Done(transaction) => (None, transaction),
            Settlement::Refused(why, transaction) | Settlement::Unclear(why, transaction) => {
                (Some(why), transaction)
            }
        };
        let began = Instant::now();
        loop {
            let looked = self.look_after(channel, transaction.as_deref()).await?;
            let nonce = channel.state().row.as_ref().map_or(0, |row| row.chain.refund_nonce);
            if nonce > intent.nonce {
                return self.done(channel, intent, transaction).await;
            }
            if began.elapsed() >= self.parts.chain_query {
                let why = why
                    .or(looked.err())
                    .unwrap_or_else(|| "the chain does not show the refund yet".to_owned());
                tracing::error!(channel = %channel.id, why, "a refund is not complete; the refund will be retried");
                return Ok(ChannelOutcome::Unclear);
            }
            sleep(self.parts.chain_query / CHAIN_QUERIES_MAX).await;
        }
    }

    async fn done(
        &self,
        channel: &Channel,
        intent: RefundIntent,
        transaction: Option<String>,
    ) -> Result<ChannelOutcome, StoreError> {
        let intent = RefundIntent { done: true, transaction: transaction.or(intent.transaction), ..intent };
        self.change(channel, ChannelChange::Refund(intent.clone())).await?;
        let event = ChannelEvent {
            channel: Some(channel.id),
            kind: ChannelEventKind::Refund,
            amount: intent.amount,
            transaction: intent.transaction.clone(),
            at: unix_millis(),
        };
        self.parts.store.note(event).await?;
        tracing::info!(
            channel = %channel.id, amount = intent.amount, transaction = intent.transaction,
            "a channel was refunded"
        );
        let state = channel.state();
        let Some(row) = &state.row else { return Ok(ChannelOutcome::Unclear) };
        Ok(self.refunded(row, &intent))
    }

    fn refunded(&self, row: &ChannelRow, intent: &RefundIntent) -> ChannelOutcome {
        let transaction = intent.transaction.clone().unwrap_or_default();
        let receipt = self.refund_receipt(row, &transaction, intent.amount);
        ChannelOutcome::Refunded { id: row.id, amount: intent.amount, transaction, receipt }
    }
}

fn presented(payment: &ChannelPayment) -> Voucher {
    Voucher { max: payment.max, signature: payment.signature }
}
