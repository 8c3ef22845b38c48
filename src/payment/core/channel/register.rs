//! The register: the channels in memory, each as the ledger has it, and what the chain says of them.
//!
//! Invariants: whatever changes a channel is durable before memory knows it, and whatever fails has the ledger read
//! again. Looks at the chain are numbered when they begin, so that a slow one never overwrites a later one, and an answer
//! of an older block is none. What is at risk on all channels is the sum of what is at risk on each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::OwnedSemaphorePermit;

use super::mirror::Patience;
use super::outcome::ChannelOutcome;
use super::row::{ChannelChange, ChannelRow, Kept, OnChain};
use super::till::Till;
use crate::payment::core::claim::StoreError;
use crate::payment::core::clock::unix_millis;
use crate::payment::protocols::channel::{ChannelConfig, ChannelId};

/// One channel, in memory.
pub(super) struct Channel {
    pub(super) id: ChannelId,
    pub(super) config: ChannelConfig,
    /// What sales, deposits and refunds wait for.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Requests at work on it or waiting for their turn.
    waiting: AtomicUsize,
    state: Mutex<ChannelState>,
}

/// What is known of a channel.
pub(super) struct ChannelState {
    /// As the ledger has it; `None` while nobody has put money in.
    pub(super) row: Option<ChannelRow>,
    /// When this process last read the chain for it.
    pub(super) looked_at: Option<Instant>,
    /// The newest look whose word was taken.
    pub(super) look: u64,
    /// The second in which vouchers are counted, and how many came.
    pub(super) pace: (u64, u32),
    /// When it may be claimed again, after it could not be.
    pub(super) claims: Patience,
}

impl Channel {
    pub(super) fn new(id: ChannelId, config: ChannelConfig, row: Option<ChannelRow>) -> Self {
        let state = ChannelState { row, looked_at: None, look: 0, pace: (0, 0), claims: Patience::new() };
        Self {
            id,
            config,
            turn: tokio::sync::Mutex::default(),
            waiting: AtomicUsize::new(0),
            state: Mutex::new(state),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ChannelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request is at work on it, or waits for it.
    pub(super) fn is_busy(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }
}

/// A request's place among those that wait for a channel.
pub(super) struct Waiting(pub(super) Arc<Channel>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Till {
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
    ) -> Result<(Arc<Channel>, OwnedSemaphorePermit), ChannelOutcome> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| ChannelOutcome::Busy)?;
        let found = self.map().get(&id).cloned();
        let channel = match found {
            Some(channel) => channel,
            None => self.admit(id, config, client)?,
        };
        let before = channel.waiting.fetch_add(1, Ordering::AcqRel);
        if before > self.parts.terms.waiters_max {
            channel.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(ChannelOutcome::Busy);
        }
        Ok((channel, place))
    }

    /// Takes a channel into memory that is not there.
    fn admit(
        &self,
        id: ChannelId,
        config: ChannelConfig,
        client: IpAddr,
    ) -> Result<Arc<Channel>, ChannelOutcome> {
        let stored = self.stored(id).map_err(|error| {
            tracing::error!(channel = %id, %error, "a channel cannot be read");
            ChannelOutcome::Unclear
        })?;
        let channel = match stored {
            Some(channel) => channel,
            None => {
                let now = Instant::now();
                if let Some(retry_after_s) = self.unknown.refuses(&client, now) {
                    return Err(ChannelOutcome::TooMany { retry_after_s });
                }
                self.unknown.fail(&client, now);
                Arc::new(Channel::new(id, config, None))
            }
        };
        let mut map = self.map();
        if let Some(channel) = map.get(&id) {
            return Ok(Arc::clone(channel));
        }
        if map.len() >= self.parts.terms.channels_max {
            tracing::error!(channels = map.len(), "no room for another channel: raise channels_max");
            return Err(ChannelOutcome::Unclear);
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
    pub(super) async fn look(&self, channel: &Channel) -> Result<Result<(), String>, StoreError> {
        self.look_after(channel, None).await
    }

    /// The same after a transaction that may have claimed something of it.
    pub(super) async fn look_after(
        &self,
        channel: &Channel,
        transaction: Option<&str>,
    ) -> Result<Result<(), String>, StoreError> {
        let look = self.begin_look();
        match self.parts.chain.look(&[channel.id]).await {
            Ok(said) => match said.first() {
                Some(&chain) => self.saw(channel, look, chain, transaction.map(str::to_owned)).await.map(Ok),
                None => Ok(Err("it said nothing".to_owned())),
            },
            Err(why) => Ok(Err(why)),
        }
    }

    /// A look at the chain that begins now.
    pub(super) fn begin_look(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Takes what the chain said of a channel, unless a later look has spoken already or it is of an older block.
    pub(super) async fn saw(
        &self,
        channel: &Channel,
        look: u64,
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
            if look < state.look || is_older {
                return Ok(());
            }
            state.look = look;
            state.looked_at = Some(Instant::now());
            (known, state.row.as_ref().map_or(0, |row| row.charged))
        };
        match known {
            None if chain.balance == 0 => Ok(()),
            None => {
                let row = ChannelRow::new(channel.id, self.parts.rail, channel.config.clone(), chain, now);
                match self.parts.store.open_channel(row.clone()).await? {
                    Kept::Done => channel.state().row = Some(row),
                    Kept::Elsewhere => self.read_again(channel)?,
                }
                Ok(())
            }
            Some(known) if known == chain => Ok(()),
            Some(_) => {
                if chain.claimed > charged {
                    tracing::error!(
                        channel = %channel.id, claimed = chain.claimed, charged,
                        "more was claimed than this ledger sold: does a second server use its key, or was a backup restored?"
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
            Kept::Done => self.update(channel, |row| row.changed(&change)),
            Kept::Elsewhere => self.read_again(channel)?,
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
        state.looked_at = None;
        Ok(())
    }
}
