//! The channel manager: the channels in memory, each as the ledger has it, the chain's view of them, and their turns.
//!
//! Every change of a channel runs in a task of its own, so a client that hangs up leaves the channel in order, and
//! takes the channel's *turn*. The chain sync writes beside it only what the chain decides. No lock is held over the
//! state of a channel across an await. Invariants: a change is durable before memory has it, and a change that fails
//! has the row read again from the ledger. Chain queries are numbered when they begin, so a slow one never overwrites
//! a later one, and an answer of an older block is ignored. The money at risk on all channels is the sum over each.
//!
//! Neighbours: `charge` sells, `deposit` takes money in, `refund` gives it back, `chain_sync` reads the chain and
//! claims.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::ChannelTerms;
use super::chain::ChannelChain;
use super::outcome::{ChannelOutcome, OutOfSync};
use super::row::{ChannelChange, ChannelRow, ChannelStore, ChannelWrite, OnChain};
use super::table::{Channel, Waiting};
use crate::payment::core::claim::{RailName, StoreError};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::failure_limiter::FailureWindows;
use crate::payment::core::metrics::{ChannelMetrics, CommitTimes};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::processor::Processor;
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};
use crate::payment::protocols::x402::batch::{ChannelReceipt, receipt_header};

/// Purchases and refunds at work at one time.
pub const PURCHASES_MAX: usize = 4_096;

/// Channels that nobody here knows, from one address in a minute: each has the chain read.
pub const UNKNOWN_PER_MINUTE_MAX: u32 = 20;

/// The parts that a channel manager is opened with.
pub struct ChannelManagerParts {
    /// Rail.
    pub rail: RailName,
    /// CAIP-2 name of the network.
    pub network: String,
    /// What the operator allows.
    pub terms: ChannelTerms,
    /// Whether no money moves because none is meant to.
    pub is_sandbox: bool,
    /// The contracts.
    pub chain: Arc<dyn ChannelChain>,
    /// The ledger.
    pub store: Arc<dyn ChannelStore>,
    /// Takes deposits.
    pub processor: Arc<Processor>,
    /// How long a request may take, a deposit included.
    pub deadline: Duration,
    /// How long the chain is asked for what was just settled.
    pub chain_query: Duration,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: u64,
}

/// The channels of one rail.
pub struct ChannelManager {
    pub(super) parts: ChannelManagerParts,
    pub(super) channels: Mutex<HashMap<ChannelId, Arc<Channel>>>,
    /// What is sold on all channels and not claimed.
    pub(super) at_risk: AtomicU64,
    /// Looks at the chain that were begun.
    pub(super) queries: AtomicU64,
    pub(super) unknown: FailureWindows<IpAddr>,
    pub(super) places: Arc<Semaphore>,
    /// Rung when there may be something to claim.
    pub(super) claims_due: Notify,
    /// Claims by what they came to.
    claims: Mutex<BTreeMap<&'static str, u64>>,
    pub(super) commits: Mutex<CommitTimes>,
    mirrored_at: Mutex<Option<Instant>>,
    /// When claimed money was first seen that was not swept, in Unix milliseconds.
    unswept_since: Mutex<Option<u64>>,
}

impl ChannelManager {
    /// A manager with the channels that the ledger has, as many as fit.
    ///
    /// # Errors
    /// When the ledger cannot be read, or unclaimed money has no key to claim it with.
    pub fn open(mut parts: ChannelManagerParts) -> Result<Self, StoreError> {
        if parts.is_sandbox {
            // Nothing is ever claimed there, and nothing can be lost.
            parts.terms.at_risk_channel_max = u64::MAX;
            parts.terms.at_risk_max = u64::MAX;
        }
        let rows = parts.store.channels(parts.rail, parts.terms.channels_max)?;
        let stranded: Vec<&ChannelRow> =
            rows.iter().filter(|row| row.at_risk() > 0 && !parts.chain.has_key_for(&row.config)).collect();
        if let Some(row) = stranded.first() {
            return Err(StoreError(format!(
                "{} channels have unclaimed money that no configured key can claim (first channel: {}, authorizer {}); \
                 set PRICEBOOK_CHANNEL_KEY_PREVIOUS to the authorizer's key until the channels are claimed",
                stranded.len(),
                row.id,
                row.config.receiver_authorizer
            )));
        }
        if !rows.is_empty() {
            parts.chain.was_supported_before();
        }
        let at_risk = rows.iter().map(ChannelRow::at_risk).sum();
        let channel =
            |row: ChannelRow| (row.id, Arc::new(Channel::new(row.id, row.config.clone(), Some(row))));
        Ok(Self {
            channels: Mutex::new(rows.into_iter().map(channel).collect()),
            at_risk: AtomicU64::new(at_risk),
            queries: AtomicU64::new(0),
            unknown: FailureWindows::new(UNKNOWN_PER_MINUTE_MAX),
            places: Arc::new(Semaphore::new(PURCHASES_MAX)),
            claims_due: Notify::new(),
            claims: Mutex::default(),
            commits: Mutex::default(),
            mirrored_at: Mutex::default(),
            unswept_since: Mutex::default(),
            parts,
        })
    }

    /// Its rail.
    pub fn rail(&self) -> RailName {
        self.parts.rail
    }

    /// How its channels stand.
    pub fn figures(&self) -> ChannelMetrics {
        let channels = self.all();
        let is_withdrawn = |channel: &&Arc<Channel>| {
            channel.state().row.as_ref().is_some_and(|row| row.chain.withdraw_at.is_some())
        };
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let mirrored_at = *self.mirrored_at.lock().unwrap_or_else(PoisonError::into_inner);
        ChannelMetrics {
            channels: channels.len(),
            at_risk: self.at_risk(),
            mirror_age_s: mirrored_at.map(|at| at.elapsed().as_secs_f64()),
            withdrawals: channels.iter().filter(is_withdrawn).count(),
            claims: claims.iter().map(|(outcome, count)| (*outcome, *count)).collect(),
            commits: *self.commits.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Notes that the chain was read for every channel.
    pub(super) fn note_mirrored(&self) {
        *self.mirrored_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Notes that there is claimed money that was not swept, or none; since when there is, by what was noted.
    pub(super) fn note_unswept(&self, now: Option<u64>) -> u64 {
        let mut since = self.unswept_since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = now.map(|now| since.unwrap_or(now));
        since.unwrap_or_default()
    }

    /// Counts a claim by what it came to.
    pub(super) fn count_claim(&self, outcome: &'static str) {
        *self.claims.lock().unwrap_or_else(PoisonError::into_inner).entry(outcome).or_default() += 1;
    }

    /// What is sold on all channels and not claimed, in atomic USDC.
    pub fn at_risk(&self) -> u64 {
        self.at_risk.load(Ordering::Acquire)
    }

    /// Purchases and refunds at work.
    pub fn at_work(&self) -> usize {
        PURCHASES_MAX - self.places.available_permits()
    }

    /// Waits until nothing is at work.
    pub async fn idle(&self) {
        // It is never closed.
        let _ = self.places.acquire_many(PURCHASES_MAX as u32).await;
    }

    /// Whether vouchers can be taken.
    pub fn is_up(&self) -> bool {
        self.parts.chain.is_up()
    }

    /// Runs something on a channel in a task of its own, once it is its turn.
    pub(super) async fn in_turn<F>(
        self: &Arc<Self>,
        id: ChannelId,
        config: ChannelConfig,
        client: IpAddr,
        run: impl FnOnce(Arc<Channel>, Done) -> F + Send + 'static,
    ) -> ChannelOutcome
    where
        F: Future<Output = Result<(ChannelOutcome, Done), StoreError>> + Send,
    {
        let (channel, place) = match self.enter(id, config, client) {
            Ok(entered) => entered,
            Err(outcome) => return *outcome,
        };
        let (done, outcome) = oneshot::channel();
        let manager = Arc::clone(self);
        tokio::spawn(async move {
            let waiting = Waiting(Arc::clone(&channel));
            let turn = channel.turn.lock().await;
            match run(Arc::clone(&channel), done).await {
                Ok((outcome, done)) => drop(done.send(outcome)),
                Err(error) => {
                    tracing::error!(channel = %channel.id, %error, "a charge or a refund of a channel failed");
                }
            }
            drop(turn);
            drop(waiting);
            manager.leave(&channel);
            drop(place);
        });
        match timeout(self.parts.deadline, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => ChannelOutcome::Unclear,
        }
    }

    /// The receipt of a refund.
    pub(super) fn refund_receipt(&self, row: &ChannelRow, transaction: &str, amount: u64) -> String {
        receipt_header(&ChannelReceipt {
            payer: row.config.payer,
            network: &self.parts.network,
            transaction,
            moved: Some(amount),
            charged: 0,
            state: row.chain.as_text(row.id, row.charged),
            sandbox: self.parts.is_sandbox,
        })
    }

    /// The channels in memory.
    pub(super) fn all(&self) -> Vec<Arc<Channel>> {
        self.map().values().cloned().collect()
    }

    pub(super) fn map(&self) -> MutexGuard<'_, HashMap<ChannelId, Arc<Channel>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a channel and a place on it.
    pub(super) fn enter(
        &self,
        id: ChannelId,
        config: ChannelConfig,
        client: IpAddr,
    ) -> Result<(Arc<Channel>, OwnedSemaphorePermit), Box<ChannelOutcome>> {
        let place =
            Arc::clone(&self.places).try_acquire_owned().map_err(|_| Box::new(ChannelOutcome::Busy))?;
        let found = self.map().get(&id).cloned();
        let channel = match found {
            Some(channel) => channel,
            None => self.admit(id, config, client)?,
        };
        let before = channel.waiting.fetch_add(1, Ordering::AcqRel);
        if before > self.parts.terms.waiters_max {
            channel.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(Box::new(ChannelOutcome::Busy));
        }
        Ok((channel, place))
    }

    /// Takes a channel into memory that is not there.
    fn admit(
        &self,
        id: ChannelId,
        config: ChannelConfig,
        client: IpAddr,
    ) -> Result<Arc<Channel>, Box<ChannelOutcome>> {
        let stored = self.stored(id).map_err(|error| {
            tracing::error!(channel = %id, %error, "a channel cannot be read from the ledger");
            Box::new(ChannelOutcome::Unclear)
        })?;
        let channel = if let Some(channel) = stored {
            channel
        } else {
            let now = Instant::now();
            if let Some(retry_after_s) = self.unknown.refuses(&client, now) {
                return Err(Box::new(ChannelOutcome::TooMany { retry_after_s }));
            }
            self.unknown.fail(&client, now);
            Arc::new(Channel::new(id, config, None))
        };
        let mut map = self.map();
        if let Some(channel) = map.get(&id) {
            return Ok(Arc::clone(channel));
        }
        if map.len() >= self.parts.terms.channels_max {
            tracing::error!(
                channels = map.len(),
                "the limit of channels is reached, so payments on further channels are not accepted; raise channels_max"
            );
            return Err(Box::new(ChannelOutcome::Unclear));
        }
        map.insert(id, Arc::clone(&channel));
        Ok(channel)
    }

    pub(super) fn stored(&self, id: ChannelId) -> Result<Option<Arc<Channel>>, StoreError> {
        let row = self.parts.store.channel(id)?.filter(|row| row.rail == self.parts.rail);
        Ok(row.map(|row| Arc::new(Channel::new(id, row.config.clone(), Some(row)))))
    }

    /// Forgets a channel that nobody has put money in.
    pub(super) fn leave(&self, channel: &Channel) {
        let mut map = self.map();
        if !channel.is_busy() && channel.state().row.is_none() {
            map.remove(&channel.id);
        }
    }

    /// Forgets a channel that is empty and claimed: the ledger has it.
    pub(super) fn forget(&self, channel: &Channel) {
        let mut map = self.map();
        if !channel.is_busy() {
            map.remove(&channel.id);
        }
    }

    /// Reads the chain for one channel; the inner error is why it did not say.
    pub(super) async fn query(&self, channel: &Channel) -> Result<Result<(), String>, StoreError> {
        self.look_after(channel, None).await
    }

    /// The same after a transaction that may have claimed something of it.
    pub(super) async fn look_after(
        &self,
        channel: &Channel,
        transaction: Option<&str>,
    ) -> Result<Result<(), String>, StoreError> {
        let query = self.begin_query();
        match self.parts.chain.query(&[channel.id]).await {
            Ok(said) => match said.first() {
                Some(&chain) => self.saw(channel, query, chain, transaction.map(str::to_owned)).await.map(Ok),
                None => Ok(Err("the answer does not contain the channel".to_owned())),
            },
            Err(why) => Ok(Err(why)),
        }
    }

    /// A look at the chain that begins now.
    pub(super) fn begin_query(&self) -> u64 {
        self.queries.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Takes what the chain said of a channel, unless a later look has spoken already or it is of an older block.
    pub(super) async fn saw(
        &self,
        channel: &Channel,
        query: u64,
        chain: OnChain,
        transaction: Option<String>,
    ) -> Result<(), StoreError> {
        let now = unix_millis();
        let (known, charged) = {
            let mut state = channel.state();
            let known = state.row.as_ref().map(|row| row.chain);
            let is_older = known.is_some_and(|known| {
                chain.claimed < known.claimed || chain.refund_nonce < known.refund_nonce
            });
            if query < state.query || is_older {
                return Ok(());
            }
            state.query = query;
            state.read_at = Some(Instant::now());
            (known, state.row.as_ref().map_or(0, |row| row.charged))
        };
        match known {
            None if chain.balance == 0 => Ok(()),
            None => {
                let row = ChannelRow::new(channel.id, self.parts.rail, channel.config.clone(), chain, now);
                match self.parts.store.open_channel(row.clone()).await? {
                    ChannelWrite::Done => channel.state().row = Some(row),
                    ChannelWrite::Elsewhere => self.read_again(channel)?,
                }
                Ok(())
            }
            Some(known) if known == chain => Ok(()),
            Some(_) => {
                if chain.claimed > charged {
                    tracing::error!(
                        channel = %channel.id, claimed = chain.claimed, charged,
                        "the amount claimed on the chain is above the charged amount in the ledger; check whether a \
                         second server uses this channel key or a backup was restored"
                    );
                }
                let change = ChannelChange::Chain { chain, at: now, transaction };
                self.change(channel, change).await
            }
        }
    }

    /// Changes a channel, in the ledger and then in memory.
    pub(super) async fn change(&self, channel: &Channel, change: ChannelChange) -> Result<(), StoreError> {
        match self.parts.store.change(channel.id, change.clone()).await? {
            ChannelWrite::Done => self.update(channel, |row| row.changed(&change)),
            ChannelWrite::Elsewhere => self.read_again(channel)?,
        }
        Ok(())
    }

    /// Changes what is known in memory, and what is at risk with it.
    pub(super) fn update(&self, channel: &Channel, change: impl FnOnce(&mut ChannelRow)) {
        let mut state = channel.state();
        let Some(row) = &mut state.row else { return };
        let before = row.at_risk();
        change(row);
        self.weigh(before, row.at_risk());
    }

    fn weigh(&self, before: u64, after: u64) {
        if after >= before {
            self.at_risk.fetch_add(after - before, Ordering::AcqRel);
        } else {
            self.at_risk.fetch_sub(before - after, Ordering::AcqRel);
        }
    }

    /// Takes what the ledger has of a channel.
    pub(super) fn read_again(&self, channel: &Channel) -> Result<(), StoreError> {
        let row = self.parts.store.channel(channel.id)?;
        let mut state = channel.state();
        let before = state.row.as_ref().map_or(0, ChannelRow::at_risk);
        self.weigh(before, row.as_ref().map_or(0, ChannelRow::at_risk));
        state.row = row;
        // The chain is read before anything is sold.
        state.read_at = None;
        Ok(())
    }
}

/// What waits for a purchase; when it is closed, its client is gone.
pub(super) type Done = oneshot::Sender<ChannelOutcome>;

/// Tells a client that is out of step where its channel stands.
pub(super) fn correction(reason: PaymentReason, row: &ChannelRow) -> ChannelOutcome {
    let correction =
        OutOfSync { id: row.id, chain: row.chain, charged: row.charged, voucher: row.voucher.clone() };
    ChannelOutcome::Corrected(reason, Box::new(correction))
}

/// Nothing is sold while the chain does not say how a channel stands.
pub(super) fn unseen(channel: &Channel, why: &str) -> ChannelOutcome {
    tracing::warn!(channel = %channel.id, why, "a payment or a refund on a channel was not accepted");
    ChannelOutcome::Unclear
}
