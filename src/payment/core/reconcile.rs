//! The reconciler: asks the chains for every payment whose end is not certain, until it is.
//!
//! It needs no facilitator. What it finds paid becomes Settled, with its answer; what the chain can no longer take is
//! closed. New doubts are looked at every second, old ones less often, each for the last time after its window. Every
//! rail has its own rounds, so one whose node is slow holds up nobody else's; in a round those come first whose look has
//! been due for longest, so however many can never be decided, a new one waits for few of them.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::claim::{Advance, Change, ClaimKey, ClaimRow, ClaimState, RailName, StoreError};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::outcome::PaymentOutcome;
use crate::payment::core::processor::Processor;
use crate::payment::core::scheme::Chain;

/// Time between two rounds of a rail.
const ROUND: Duration = Duration::from_secs(1);

/// Open claims looked at in one round, and as many others: so few that a round ends soon even if each waits for a node.
const CLAIMS_PER_ROUND_MAX: usize = 128;

/// Looks at one chain at one time.
const LOOKS_MAX: usize = 16;

/// Longest time between two looks at a claim, in milliseconds.
const PAUSE_MAX_MS: u64 = 15_000;

/// Milliseconds until the next look at a claim: it grows with the time that the claim has been in doubt. Doubts about
/// money are looked at twice as often as what was merely given back.
fn pause_ms(row: &ClaimRow, now: u64) -> u64 {
    let age = now.saturating_sub(row.since);
    let pause = match row.state {
        ClaimState::Unknown | ClaimState::Settled => age / 2,
        _ => age,
    };
    pause.clamp(ROUND.as_millis() as u64, PAUSE_MAX_MS)
}

/// Reconciles every rail until the runtime ends. The claims of a rail that is configured no more wait for its return.
pub async fn reconcile(processor: Arc<Processor>) {
    let mut rails = JoinSet::new();
    for rail in processor.rails() {
        rails.spawn(reconcile_rail(Arc::clone(&processor), rail));
    }
    while let Some(ended) = rails.join_next().await {
        if let Err(error) = ended {
            tracing::error!(
                %error,
                "the reconciler of a rail has ended, so payments in doubt stay in doubt; restart the server"
            );
        }
    }
}

async fn reconcile_rail(processor: Arc<Processor>, rail: RailName) {
    loop {
        if let Err(error) = round(&processor, rail).await {
            tracing::error!(
                %rail, %error,
                "the outcome of payments cannot be determined, because the ledger failed; the server tries again"
            );
        }
        sleep(ROUND).await;
    }
}

/// Looks at the claims of a rail that are due.
async fn round(processor: &Arc<Processor>, rail: RailName) -> Result<(), StoreError> {
    let now = unix_millis();
    let rows = processor.store.watched(rail, now, CLAIMS_PER_ROUND_MAX)?;
    if rows.is_empty() {
        return Ok(());
    }
    // Before the looks, so that one that ends badly does not come first again.
    let due = rows.iter().map(|row| (row.claim.key.clone(), now + pause_ms(row, now))).collect();
    processor.store.query_again(due).await?;
    let mut queries = JoinSet::new();
    for row in rows {
        if queries.len() >= LOOKS_MAX
            && let Some(Ok(Err(error))) = queries.join_next().await
        {
            return Err(error);
        }
        let processor = Arc::clone(processor);
        queries.spawn(async move { query(&processor, &row).await });
    }
    while let Some(done) = queries.join_next().await {
        if let Ok(Err(error)) = done {
            return Err(error);
        }
    }
    Ok(())
}

/// Looks for one payment and writes down what the chain says.
async fn query(processor: &Processor, row: &ClaimRow) -> Result<(), StoreError> {
    let Some(scheme) = processor.scheme(row.claim.rail) else { return Ok(()) };
    let key = row.claim.key.clone();
    match scheme.query(&row.claim, row.transaction.as_deref()).await {
        Chain::Paid(proof) if row.state == ClaimState::Settled => {
            if processor.store.advance(key.clone(), Change::Confirmed(proof), unix_millis()).await?
                == Advance::Spent
            {
                scheme.withdraw("one transfer was reported for two payments");
                close(processor, key, "the transfer belongs to another payment").await?;
            }
        }
        Chain::Paid(proof) => {
            if let PaymentOutcome::Refused(..) = processor.arrived(row, proof).await? {
                close(processor, key, "the transfer belongs to another payment").await?;
            }
        }
        Chain::Unpaid { for_good: true, .. } => {
            if row.state == ClaimState::Settled {
                scheme.withdraw("a reported settlement never reached the chain");
                tracing::error!(
                    %key, amount = row.claim.amount,
                    "an answer was sold, but its payment is not on the chain and can no longer be made; the amount is \
                     lost"
                );
            }
            close(processor, key, "the payment was not made and can no longer be made").await?;
        }
        Chain::Unpaid { .. } | Chain::Silent(_) => {}
    }
    Ok(())
}

async fn close(processor: &Processor, key: ClaimKey, why: &str) -> Result<(), StoreError> {
    tracing::info!(%key, why, "a payment is closed: the server no longer looks for it on the chain");
    processor.store.advance(key, Change::Closed, unix_millis()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::core::processor::for_tests::row;

    #[test]
    fn looks_become_rarer_and_stay_bounded() {
        let looked = |state, age: u64| pause_ms(&ClaimRow { state, since: 1_000, ..row() }, 1_000 + age);
        for (age, open, unknown) in
            [(0, 1_000, 1_000), (1_500, 1_500, 1_000), (8_000, 8_000, 4_000), (1 << 40, 15_000, 15_000)]
        {
            assert_eq!(looked(ClaimState::Open, age), open, "after {age} ms");
            assert_eq!(looked(ClaimState::Unknown, age), unknown, "after {age} ms");
        }
    }
}
