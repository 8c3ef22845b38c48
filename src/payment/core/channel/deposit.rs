//! Deposits: money that a request brings for its channel, settled before its voucher is sold.
//!
//! A deposit is a payment like any other to the [`Processor`](crate::payment::core::processor::Processor): a claim of its
//! own kind, keyed by what the token takes once, verified, settled and watched for late money. It buys nothing by itself.
//! It counts only when the contract shows it, so a deposit that is lost on the way costs its payer a wait: the next look
//! at the chain finds the money, and the same voucher is sold then.

use std::future::ready;
use std::time::Instant;

use tokio::time::sleep;

use super::manager::{ChannelManager, correction, unseen};
use super::outcome::ChannelOutcome;
use super::payment::{ChannelPayment, SignedDeposit};
use super::table::Channel;
use crate::payment::core::claim::{
    Claim, ClaimKind, ClaimState, DEPOSIT_WORD, PaymentProtocol, StoreError, StoredAnswer,
};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::conditions::{WINDOW_EXTRA_S, WINDOW_MIN_S};
use crate::payment::core::outcome::{PaymentOutcome, PaymentReason};
use crate::payment::core::scheme::RailClaim;
use crate::payment::protocols::channel::ChannelId;

/// Blocks before the newest known one in which a deposit is still looked for.
const BLOCKS_BEFORE_MAX: u64 = 1_000;

/// Looks at a channel in the time for looking.
const CHAIN_QUERIES_MAX: u32 = 16;

/// What deposits are claimed for: the words of their claims' requests and references.
pub fn deposit_words(id: ChannelId) -> (String, String) {
    (format!("{DEPOSIT_WORD}{id}"), id.to_string())
}

/// A deposit that the contract shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deposited {
    /// Its transaction; empty where none is known.
    pub(super) transaction: String,
    /// Atomic USDC.
    pub(super) amount: u64,
}

impl ChannelManager {
    /// Settles a deposit, and waits until the contract shows the money; the inner error is what the client is told
    /// otherwise. The caller has the channel's turn and has just read the chain.
    pub(super) async fn deposit(
        &self,
        channel: &Channel,
        payment: &ChannelPayment,
        deposit: &SignedDeposit,
    ) -> Result<Result<Deposited, ChannelOutcome>, StoreError> {
        let parts = &self.parts;
        if let Err(reason) = self.fits(channel, deposit) {
            return Ok(Err(ChannelOutcome::Refused(reason)));
        }
        let payer = (parts.rail, format!("{:#x}", payment.config.payer));
        if let Some(retry_after_s) = parts.processor.failing.refuses(&payer, Instant::now()) {
            return Ok(Err(ChannelOutcome::TooMany { retry_after_s }));
        }
        if !parts.chain.can_settle() {
            return Ok(Err(unseen(channel, "the facilitator does not answer; the deposit is not accepted")));
        }
        let store = &parts.processor.store;
        let (key, claimed) = parts.chain.deposit_claim(payment, deposit);
        if store.deposit_in_doubt(&channel.id.to_string())?.is_some_and(|doubted| doubted != key) {
            return Ok(Err(unseen(channel, "the outcome of the last deposit is not known yet")));
        }
        // By what the ledger says now, not by a clock: a request can follow within the millisecond of a settlement.
        let is_old = store.lookup(&key)?.is_some_and(|row| row.state == ClaimState::Settled);
        let head = parts.chain.head();
        let first_block = store.first_block(parts.network.clone(), head + 1).await?;
        let RailClaim { network, asset, pay_to, trace, valid_before, payment: signed } = claimed;
        let (request, reference) = deposit_words(channel.id);
        let claim = Claim {
            key,
            kind: ClaimKind::Deposit,
            rail: parts.rail,
            protocol: PaymentProtocol::X402,
            network,
            asset,
            payer: payer.1,
            pay_to,
            amount: deposit.authorization.amount,
            endpoint: String::new(),
            request,
            media_type: String::new(),
            reference,
            trace,
            valid_before,
            from_block: first_block.max(head.saturating_sub(BLOCKS_BEFORE_MAX)),
            claimed_at: unix_millis(),
        };
        let work = Box::pin(ready(Some(StoredAnswer::nothing())));
        match parts.processor.take(claim, signed, work, parts.deadline).await {
            PaymentOutcome::Paid(row, _) | PaymentOutcome::AnswerExpired(row) => {
                let arrived = self.arrives(channel, payment.max, is_old).await?;
                let transaction = row.transaction.filter(|_| !parts.is_sandbox).unwrap_or_default();
                Ok(arrived.map(|()| Deposited { transaction, amount: deposit.authorization.amount }))
            }
            PaymentOutcome::Refused(reason, _) => Ok(Err(ChannelOutcome::Refused(reason))),
            PaymentOutcome::TooManyFailures { retry_after_s } => {
                Ok(Err(ChannelOutcome::TooMany { retry_after_s }))
            }
            PaymentOutcome::InProgress | PaymentOutcome::Unclear(_) | PaymentOutcome::WorkFailed => {
                Ok(Err(ChannelOutcome::Unclear))
            }
        }
    }

    /// Whether a deposit can be taken as it is: its amount, and its window.
    fn fits(&self, channel: &Channel, deposit: &SignedDeposit) -> Result<(), PaymentReason> {
        let terms = &self.parts.terms;
        let amount = deposit.authorization.amount;
        let unspent = {
            let state = channel.state();
            state.row.as_ref().map_or(0, |row| row.chain.balance.saturating_sub(row.charged))
        };
        if amount < terms.deposit_min || unspent.saturating_add(amount) > terms.deposit_max {
            return Err(PaymentReason::Amount);
        }
        let now = unix_millis() / 1_000;
        if deposit.authorization.valid_before < now + WINDOW_MIN_S {
            return Err(PaymentReason::Expired);
        }
        let end = now + self.parts.offer_ttl_s + WINDOW_EXTRA_S;
        if deposit.authorization.valid_after > now || deposit.authorization.valid_before > end {
            return Err(PaymentReason::Terms);
        }
        Ok(())
    }

    /// Looks until the contract shows a deposit that was settled. One that was settled before this request may have been
    /// spent since: its client is out of step.
    async fn arrives(
        &self,
        channel: &Channel,
        max: u64,
        is_old: bool,
    ) -> Result<Result<(), ChannelOutcome>, StoreError> {
        let began = Instant::now();
        loop {
            let looked = self.query(channel).await?;
            let row = {
                let state = channel.state();
                state.row.clone()
            };
            match (looked, row) {
                (Ok(()), Some(row)) if row.chain.balance >= max => return Ok(Ok(())),
                (Ok(()), Some(row)) if is_old => return Ok(Err(correction(PaymentReason::Amount, &row))),
                (Ok(()), None) if is_old => return Ok(Err(ChannelOutcome::BelowClaimed)),
                (looked, _) if began.elapsed() >= self.parts.chain_query => {
                    let why =
                        looked.err().unwrap_or_else(|| "the chain does not show the deposit yet".to_owned());
                    return Ok(Err(unseen(channel, &why)));
                }
                _ => sleep(self.parts.chain_query / CHAIN_QUERIES_MAX).await,
            }
        }
    }
}
