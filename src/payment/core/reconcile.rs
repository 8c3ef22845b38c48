//! The reconciler: asks the chains for every payment whose end is not certain, until it is.
//!
//! It needs no facilitator. What it finds paid becomes Settled, with its answer; what the chain can no longer take is
//! closed. New doubts are looked at every second, old ones less often, each for the last time after its window.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::payment::core::claim::{Advance, Change, ClaimKey, ClaimRow, ClaimState, StoreError};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::outcome::PaymentOutcome;
use crate::payment::core::processor::Processor;
use crate::payment::core::scheme::Chain;

/// Time between two rounds.
const ROUND: Duration = Duration::from_secs(1);

/// Claims looked at in one round.
const CLAIMS_MAX: usize = 4_096;

/// Looks at chains at one time.
const LOOKS_MAX: usize = 16;

/// Longest time between two looks at a claim, in milliseconds.
const PAUSE_MAX_MS: u64 = 15_000;

/// When a claim is looked at next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Due {
    at: u64,
    pause: u64,
}

impl Due {
    /// The first look.
    fn first(now: u64) -> Self {
        Self { at: now, pause: ROUND.as_millis() as u64 }
    }

    /// After a look at `now`. Doubts about money are looked at twice as often as what was merely given back.
    fn after(self, now: u64, state: ClaimState) -> Self {
        let pause = match state {
            ClaimState::Unknown | ClaimState::Settled => self.pause * 3 / 2,
            _ => self.pause * 2,
        };
        let pause = pause.min(PAUSE_MAX_MS);
        Self { at: now + pause, pause }
    }
}

/// Reconciles until the runtime ends.
pub async fn reconcile(processor: Arc<Processor>) {
    let mut schedule = BTreeMap::new();
    loop {
        if let Err(error) = round(&processor, &mut schedule).await {
            tracing::error!(%error, "the reconciler cannot read or write the ledger");
        }
        sleep(ROUND).await;
    }
}

/// Looks at every claim that is due.
async fn round(processor: &Arc<Processor>, schedule: &mut BTreeMap<ClaimKey, Due>) -> Result<(), StoreError> {
    let rows = processor.store.watched(CLAIMS_MAX)?;
    let now = unix_millis();
    let previous = std::mem::take(schedule);
    let mut looks = JoinSet::new();
    for row in rows {
        let key = row.claim.key.clone();
        let due = previous.get(&key).copied().unwrap_or_else(|| Due::first(now));
        if due.at > now {
            schedule.insert(key, due);
            continue;
        }
        schedule.insert(key, due.after(now, row.state));
        if looks.len() >= LOOKS_MAX
            && let Some(Ok(Err(error))) = looks.join_next().await
        {
            return Err(error);
        }
        let processor = Arc::clone(processor);
        looks.spawn(async move { look(&processor, &row).await });
    }
    while let Some(done) = looks.join_next().await {
        if let Ok(Err(error)) = done {
            return Err(error);
        }
    }
    Ok(())
}

/// Looks for one payment and writes down what the chain says.
async fn look(processor: &Processor, row: &ClaimRow) -> Result<(), StoreError> {
    // The rail of an old claim may be configured no more.
    let Some(scheme) = processor.scheme(row.claim.rail) else { return Ok(()) };
    let key = row.claim.key.clone();
    match scheme.look(&row.claim, row.transaction.as_deref()).await {
        Chain::Paid(proof) if row.state == ClaimState::Settled => {
            if processor.store.advance(key.clone(), Change::Confirmed(proof), unix_millis()).await?
                == Advance::Spent
            {
                scheme.withdraw("it named one transfer for two payments");
                close(processor, key, "its transfer pays another claim").await?;
            }
        }
        Chain::Paid(proof) => {
            if let PaymentOutcome::Refused(..) = processor.arrived(row, proof).await? {
                close(processor, key, "its transfer pays another claim").await?;
            }
        }
        Chain::Unpaid { for_good: true, .. } => {
            if row.state == ClaimState::Settled {
                scheme.withdraw("it reported a settlement that never came");
                tracing::error!(%key, amount = row.claim.amount, "an answer was given for money that never came");
            }
            close(processor, key, "unpaid for good").await?;
        }
        Chain::Unpaid { .. } | Chain::Silent(_) => {}
    }
    Ok(())
}

async fn close(processor: &Processor, key: ClaimKey, why: &str) -> Result<(), StoreError> {
    tracing::info!(%key, why, "a claim is closed");
    processor.store.advance(key, Change::Closed, unix_millis()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_and_stay_bounded() {
        let mut due = Due::first(1_000);
        let mut pauses = Vec::new();
        for _ in 0..12 {
            let next = due.after(due.at, ClaimState::Open);
            pauses.push(next.at - due.at);
            due = next;
        }
        assert_eq!(pauses[..4], [2_000, 4_000, 8_000, 15_000]);
        assert!(pauses.iter().all(|pause| *pause <= PAUSE_MAX_MS));
        assert_eq!(Due::first(0).after(0, ClaimState::Unknown).at, 1_500);
    }
}
