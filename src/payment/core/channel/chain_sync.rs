//! Chain sync: work beside requests, which reads the chain and claims what was sold.
//!
//! Every channel in memory is read in a steady round, so that a withdrawal by force is seen long before it ends; no
//! voucher waits for it. *Claims* secure the money of what was sold. Only the chain moves `claimed`, so a claim may be
//! made twice and needs no channel's turn. *Sweeps* move claimed money to the receiver. *Refunds* that were begun are
//! requested until they are done, and channels that are no longer used are closed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::chain::{CLAIMS_PER_CALL_MAX, ChannelClaim};
use super::manager::ChannelManager;
use super::row::{ChannelChange, ChannelEvent, ChannelEventKind};
use super::table::{Channel, Patience};
use super::voucher_check::{ClaimCause, DueClaim, claim_due, is_idle};
use crate::payment::core::claim::StoreError;
use crate::payment::core::clock::unix_millis;
use crate::payment::core::metrics::CLAIM_OUTCOMES;
use crate::payment::core::scheme::Settlement;

/// Rounds of the mirror in the time that a withdrawal takes.
const ROUNDS_PER_DELAY: u64 = 288;
/// Shortest and longest time between two rounds, in seconds.
const ROUND_S: (u64, u64) = (30, 300);
/// A round that could not be read is tried again after so long.
const ROUND_AGAIN: Duration = Duration::from_secs(5);
/// Channels that are read in one call.
const CHANNELS_PER_QUERY: usize = 100;
/// Between two looks for something to claim.
const CLAIMS_PAUSE: Duration = Duration::from_secs(1);
/// Between two looks for money to sweep and for channels that nobody uses.
const CHORES_PAUSE: Duration = Duration::from_mins(1);

/// A channel, and what is claimed of it.
type DueChannel = (Arc<Channel>, ChannelClaim);

impl ChannelManager {
    /// Starts what goes on beside requests, on the current runtime, until the manager is dropped.
    pub fn start(self: &Arc<Self>) {
        let manager = Arc::downgrade(self);
        let (mirror, claims, chores) = (manager.clone(), manager.clone(), manager);
        tokio::spawn(async move {
            loop {
                let Some(manager) = mirror.upgrade() else { return };
                let pause = manager.round().await;
                drop(manager);
                sleep(pause).await;
            }
        });
        tokio::spawn(async move {
            loop {
                let Some(manager) = claims.upgrade() else { return };
                // Whoever rings has something to claim; what is due by its age is found by looking.
                let _ = timeout(CLAIMS_PAUSE, manager.claims_due.notified()).await;
                manager.claim_round().await;
            }
        });
        tokio::spawn(async move {
            let mut patience = Patience::new();
            loop {
                sleep(CHORES_PAUSE).await;
                let Some(manager) = chores.upgrade() else { return };
                if patience.is_over() {
                    manager.chores(&mut patience).await;
                }
            }
        });
    }

    /// Reads the chain for every channel in memory; returns the time until the next round.
    pub(super) async fn round(&self) -> Duration {
        let pause = self.round_pause();
        let channels = self.all();
        for some in channels.chunks(CHANNELS_PER_QUERY) {
            let ids: Vec<_> = some.iter().map(|channel| channel.id).collect();
            let query = self.begin_query();
            let said = match self.parts.chain.query(&ids).await {
                Ok(said) => said,
                Err(why) => {
                    tracing::warn!(
                        why,
                        "the state of payment channels cannot be read from the chain; the read will be retried"
                    );
                    return ROUND_AGAIN;
                }
            };
            for (channel, chain) in some.iter().zip(said) {
                let was_withdrawn = is_withdrawn(channel);
                if let Err(error) = self.saw(channel, query, chain, None).await {
                    tracing::error!(
                        channel = %channel.id, %error,
                        "the on-chain state of a channel was not written to the ledger"
                    );
                }
                if !was_withdrawn && is_withdrawn(channel) {
                    tracing::warn!(
                        channel = %channel.id,
                        "the payer has started a withdrawal by force; the unclaimed amount is claimed now"
                    );
                    self.claims_due.notify_one();
                }
                if is_spent(channel) {
                    self.forget(channel);
                }
            }
        }
        self.note_mirrored();
        pause
    }

    /// Time between two rounds of the mirror.
    pub(super) fn round_pause(&self) -> Duration {
        let delay_s = self.parts.terms.withdraw_delay_s;
        Duration::from_secs((delay_s / ROUNDS_PER_DELAY).clamp(ROUND_S.0, ROUND_S.1))
    }

    /// Claims what is due.
    pub(super) async fn claim_round(&self) {
        if self.parts.is_sandbox {
            return;
        }
        let due = self.due(unix_millis());
        if due.is_empty() || !self.parts.chain.can_settle() {
            return;
        }
        if let Err(error) = self.claim(due).await {
            tracing::error!(
                %error,
                "a claim of channels is not complete, because the ledger failed; the claim will be retried"
            );
        }
    }

    /// The channels that are to be claimed now, with what is claimed.
    fn due(&self, now_ms: u64) -> Vec<DueChannel> {
        let due = |channel: Arc<Channel>| {
            let claim = {
                let state = channel.state();
                let row = state.row.as_ref()?;
                // One that is being refunded is claimed with that.
                if row.intent.as_ref().is_some_and(|intent| !intent.done) {
                    return None;
                }
                let ends = !self.parts.chain.is_current(&row.config);
                if !state.claims.is_over() {
                    return None;
                }
                let DueClaim { voucher, claimed, cause } = claim_due(row, &self.parts.terms, now_ms, ends)?;
                if cause == ClaimCause::End {
                    tracing::info!(
                        channel = %row.id, at_risk = row.at_risk(),
                        "a channel ends, because its payer withdraws or its configuration is no longer current; its \
                         unclaimed amount is claimed now"
                    );
                }
                ChannelClaim { config: row.config.clone(), voucher, claimed }
            };
            Some((channel, claim))
        };
        self.all().into_iter().filter_map(due).collect()
    }

    /// Claims these, as many in one call as go, each authorizer's for themselves. The contract refuses a call as a whole, so
    /// one that is refused is halved, until it is known who cannot pay.
    async fn claim(&self, due: Vec<DueChannel>) -> Result<(), StoreError> {
        let mut by_authorizer: BTreeMap<_, Vec<DueChannel>> = BTreeMap::new();
        for due in due {
            by_authorizer.entry(due.1.config.receiver_authorizer).or_default().push(due);
        }
        let mut calls: Vec<Vec<DueChannel>> = by_authorizer
            .into_values()
            .flat_map(|all| all.chunks(CLAIMS_PER_CALL_MAX).map(<[_]>::to_vec).collect::<Vec<_>>())
            .collect();
        while let Some(mut some) = calls.pop() {
            for (channel, claim) in &some {
                self.change(channel, ChannelChange::Published(claim.voucher.max)).await?;
            }
            let claims: Vec<ChannelClaim> = some.iter().map(|(_, claim)| claim.clone()).collect();
            let (why, is_refused, transaction) = match self.parts.chain.claim(&claims).await {
                Settlement::Done(transaction) => (None, false, transaction),
                Settlement::Refused(why, transaction) => (Some(why), true, transaction),
                Settlement::Unclear(why, transaction) => (Some(why), false, transaction),
            };
            let amount = self.see_claimed(&some, transaction.clone()).await?;
            let channels = some.len();
            self.count_claim(CLAIM_OUTCOMES[usize::from(amount == 0)]);
            if amount > 0 {
                tracing::info!(channels, amount, transaction, "channels were claimed");
                for (channel, _) in &some {
                    channel.state().claims.succeeded();
                }
            } else if is_refused && channels > 1 {
                let rest = some.split_off(channels / 2);
                calls.extend([some, rest]);
            } else {
                let why = why.unwrap_or_else(|| "the chain does not show the claim yet".to_owned());
                tracing::error!(
                    channels, first = %some[0].0.id, why,
                    "channels were not claimed; the claim will be retried"
                );
                for (channel, _) in &some {
                    channel.state().claims.failed();
                }
            }
        }
        Ok(())
    }

    /// Looks until the chain shows a claim; returns what it moved.
    async fn see_claimed(&self, some: &[DueChannel], transaction: Option<String>) -> Result<u64, StoreError> {
        let ids: Vec<_> = some.iter().map(|(channel, _)| channel.id).collect();
        let claimed_of = |channel: &Channel| channel.state().row.as_ref().map_or(0, |row| row.chain.claimed);
        let before: u64 = some.iter().map(|(channel, _)| claimed_of(channel)).sum();
        let began = Instant::now();
        loop {
            let query = self.begin_query();
            if let Ok(said) = self.parts.chain.query(&ids).await {
                for ((channel, _), chain) in some.iter().zip(said) {
                    self.saw(channel, query, chain, transaction.clone()).await?;
                }
            }
            let now: u64 = some.iter().map(|(channel, _)| claimed_of(channel)).sum();
            if now > before || began.elapsed() >= self.parts.chain_query {
                return Ok(now.saturating_sub(before));
            }
            sleep(self.parts.chain_query / 16).await;
        }
    }

    /// What need not be done at once.
    async fn chores(&self, patience: &mut Patience) {
        let (at_risk, at_risk_max) = (self.at_risk(), self.parts.terms.at_risk_max);
        if at_risk > at_risk_max / 2 {
            tracing::error!(
                at_risk,
                at_risk_max,
                "the unclaimed amount is above half of at_risk_max; check why channels are not claimed"
            );
        }
        if !self.parts.chain.can_settle() {
            return;
        }
        let done = async {
            self.sweep_if_due().await?;
            self.finish_refunds().await
        };
        match done.await {
            Ok(true) => patience.succeeded(),
            Ok(false) => patience.failed(),
            Err(error) => {
                tracing::error!(
                    %error,
                    "sweeps and refunds are not complete, because the ledger failed; they will be retried"
                );
                patience.failed();
            }
        }
    }

    async fn sweep_if_due(&self) -> Result<(), StoreError> {
        let terms = &self.parts.terms;
        let unswept = match self.parts.chain.unswept().await {
            Ok(unswept) => unswept,
            Err(why) => {
                tracing::warn!(
                    why,
                    "the amount that is claimed but not swept cannot be read from the chain; the read will be retried"
                );
                return Ok(());
            }
        };
        if unswept == 0 {
            self.note_unswept(None);
            return Ok(());
        }
        // What was claimed by somebody else counts from when it was seen here.
        let now = unix_millis();
        let seen = self.note_unswept(Some(now));
        let since = self.parts.store.unswept_since()?.unwrap_or(seen);
        let age_ms = now.saturating_sub(since);
        let is_due = unswept >= terms.sweep_at || age_ms >= terms.sweep_after_s.saturating_mul(1_000);
        if !is_due {
            return Ok(());
        }
        match self.parts.chain.sweep().await {
            Settlement::Done(transaction) => {
                tracing::info!(amount = unswept, transaction, "claimed money was swept to the receiver");
                let kind = ChannelEventKind::Sweep;
                let event =
                    ChannelEvent { channel: None, kind, amount: unswept, transaction, at: unix_millis() };
                self.parts.store.note(event).await
            }
            Settlement::Refused(why, _) | Settlement::Unclear(why, _) => {
                tracing::error!(
                    amount = unswept,
                    why,
                    "claimed money was not swept; the sweep will be retried"
                );
                Ok(())
            }
        }
    }

    /// Asks for refunds that are not done, and closes what nobody uses; false when one is not done still.
    pub(super) async fn finish_refunds(&self) -> Result<bool, StoreError> {
        let now = unix_millis();
        let mut all_done = true;
        for channel in self.all() {
            let (is_pending, is_unused) = {
                let state = channel.state();
                let Some(row) = &state.row else { continue };
                let is_pending = row.intent.as_ref().is_some_and(|intent| !intent.done);
                (is_pending, is_idle(row, &self.parts.terms, now) && state.read_at.is_some())
            };
            if is_pending {
                self.pursue_again(&channel).await?;
            } else if is_unused && self.parts.chain.has_key_for(&channel.config) {
                self.close_idle(&channel).await?;
            }
            let state = channel.state();
            let pending = state.row.as_ref().and_then(|row| row.intent.as_ref());
            all_done &= pending.is_none_or(|intent| intent.done);
        }
        Ok(all_done)
    }
}

fn is_withdrawn(channel: &Channel) -> bool {
    channel.state().row.as_ref().is_some_and(|row| row.chain.withdraw_at.is_some())
}

/// Whether nothing is left in a channel and nothing is owed: the ledger has it, memory need not.
fn is_spent(channel: &Channel) -> bool {
    let state = channel.state();
    state.row.as_ref().is_some_and(|row| {
        row.at_risk() == 0
            && row.chain.balance <= row.charged
            && row.intent.as_ref().is_none_or(|intent| intent.done)
    })
}
