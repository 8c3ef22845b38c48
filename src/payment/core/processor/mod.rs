//! The processor: takes one payment at a time through verification, work and settlement, and never loses one.
//!
//! A payment that is claimed runs in a task of its own. Until the settlement is asked for, the task gives the payment
//! back when its client goes away; from then on nothing stops it but the end of the process, and what it leaves
//! behind is found again by the reconciler (`core::reconcile`). Both decide by the chain, not by anybody's word: a
//! client that is told "not paid" signs a second payment, so that is said only when the chain agrees.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, sleep, timeout};

use super::claim::RailName;
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, ClaimStore, Claiming, Proof,
    StoreError, StoredAnswer,
};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::failure_limiter::FailingPayers;
use crate::payment::core::metrics::PaymentTally;
use crate::payment::core::outcome::{PaymentOutcome, PaymentReason};
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Verdict};
use crate::payment::protocols::codec::same;

/// Payments at work at one time on each rail: what waits on one takes no place on another.
pub const PAYMENTS_PER_RAIL_MAX: usize = 1_024;

/// Most chain queries in the time for them.
const CHAIN_QUERIES_MAX: u32 = 16;

/// Divisor of the time for chain queries: after that part of it, a silent chain is no longer waited for when a
/// facilitator reports success (1 s of 4).
const CONFIRM_SILENCE_DIVISOR: u32 = 4;

/// Schemes enforce their own timeouts and count violations in their health. This is the grace on top, after which a
/// scheme is no longer waited for.
const TIMEOUT_GRACE: Duration = Duration::from_millis(250);

/// Tries to write a step that must not be lost.
const WRITE_TRIES_MAX: u32 = 5;

/// Time before the second of those tries; it doubles with each.
const WRITE_PAUSE: Duration = Duration::from_millis(50);
/// Reason of a claim that is opened again because its client no longer waits for the answer.
const CLIENT_GONE: &str = "the client disconnected, or the time limit of the request passed";

/// Computes what is sold; `None` when it failed, which is in the log then.
pub type PaymentWork = Pin<Box<dyn Future<Output = Option<StoredAnswer>> + Send>>;

/// Computes the answer of a canonical request from the catalog in use, in a media type, for payments whose money arrives
/// when nobody waits for it any more.
pub type Answerer = Arc<dyn Fn(&str, &str) -> Option<StoredAnswer> + Send + Sync>;

/// How long each step may take.
#[derive(Debug, Clone, Copy)]
pub struct ProcessingTimes {
    /// Verification.
    pub verify: Duration,
    /// Settlement, however often it is asked for.
    pub settle: Duration,
    /// Looking at the chain after a settlement that is not clear: two of its block times.
    pub chain_query: Duration,
}

/// Takes payments.
pub struct Processor {
    /// What is known of every payment.
    pub store: Arc<dyn ClaimStore>,
    schemes: BTreeMap<RailName, Arc<dyn Scheme>>,
    times: ProcessingTimes,
    answerer: Answerer,
    places: BTreeMap<RailName, Arc<Semaphore>>,
    /// Payers whose payments are not looked at.
    pub failing: FailingPayers,
    /// Payments that have ended.
    pub tally: PaymentTally,
}

impl Processor {
    /// A processor over these schemes.
    pub fn new(
        store: Arc<dyn ClaimStore>,
        schemes: BTreeMap<RailName, Arc<dyn Scheme>>,
        times: ProcessingTimes,
        answerer: Answerer,
    ) -> Self {
        let place = |rail: &RailName| (*rail, Arc::new(Semaphore::new(PAYMENTS_PER_RAIL_MAX)));
        let places = schemes.keys().map(place).collect();
        let (failing, tally) = (FailingPayers::default(), PaymentTally::default());
        Self { store, schemes, times, answerer, places, failing, tally }
    }

    /// The configured rails.
    pub fn rails(&self) -> impl Iterator<Item = RailName> {
        self.schemes.keys().copied()
    }

    /// Payments at work on a rail.
    pub fn at_work(&self, rail: RailName) -> usize {
        self.places.get(&rail).map_or(0, |places| PAYMENTS_PER_RAIL_MAX - places.available_permits())
    }

    /// The scheme of a rail, if the rail is configured.
    pub fn scheme(&self, rail: RailName) -> Option<&Arc<dyn Scheme>> {
        self.schemes.get(&rail)
    }

    /// What is already known of a payment decides, whatever offers, clock and rails say now. `None`: it is new, or may
    /// be tried again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn known(
        &self,
        key: &ClaimKey,
        request: &str,
        reference: &str,
    ) -> Result<Option<PaymentOutcome>, StoreError> {
        let Some(row) = self.store.lookup(key)? else { return Ok(None) };
        self.by_state(row, request, reference).await
    }

    /// The same of a payment that cannot be read any more, as its rail left the configuration. Nobody checked who signed
    /// it, so who does not know the reference is told nothing of it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn known_formerly(
        &self,
        key: &ClaimKey,
        request: &str,
        reference: &str,
    ) -> Result<Option<PaymentOutcome>, StoreError> {
        match self.store.lookup(key)? {
            Some(row) if is_for(&row, request, reference) => self.by_state(row, request, reference).await,
            _ => Ok(None),
        }
    }

    async fn by_state(
        &self,
        row: ClaimRow,
        request: &str,
        reference: &str,
    ) -> Result<Option<PaymentOutcome>, StoreError> {
        if !is_for(&row, request, reference) {
            return Ok(Some(PaymentOutcome::Refused(PaymentReason::PaymentUsed, None)));
        }
        let outcome = match row.state {
            ClaimState::Claimed | ClaimState::Settling => PaymentOutcome::InProgress,
            ClaimState::Settled => self.sold(row, None)?,
            ClaimState::Expired => PaymentOutcome::Refused(PaymentReason::Expired, None),
            ClaimState::Open | ClaimState::Failed | ClaimState::Unknown => {
                match (self.late_money(&row).await?, row.state) {
                    (Some(outcome), _) => outcome,
                    // Nobody can ask the chain of a rail that is gone.
                    (None, ClaimState::Open) if row.watched && self.scheme(row.claim.rail).is_none() => {
                        PaymentOutcome::Unclear(Some(Box::new(row)))
                    }
                    (None, ClaimState::Open) => return Ok(None),
                    (None, ClaimState::Failed) => {
                        PaymentOutcome::Refused(PaymentReason::SettlementFailed, Some(Box::new(row)))
                    }
                    (None, _) => PaymentOutcome::Unclear(Some(Box::new(row))),
                }
            }
        };
        Ok(Some(outcome))
    }

    /// What a settled payment bought; `at_hand` is the answer that was stored for it a moment ago, for who paid must
    /// get it even where there is no room to keep it.
    fn sold(&self, row: ClaimRow, at_hand: Option<StoredAnswer>) -> Result<PaymentOutcome, StoreError> {
        Ok(match self.store.answer(&row.claim.key, unix_millis())?.or(at_hand) {
            Some(answer) => PaymentOutcome::Paid(Box::new(row), answer),
            None => PaymentOutcome::AnswerExpired(Box::new(row)),
        })
    }

    /// Before a watched payment is answered as before: has its money arrived meanwhile?
    async fn late_money(&self, row: &ClaimRow) -> Result<Option<PaymentOutcome>, StoreError> {
        let Some(scheme) = self.scheme(row.claim.rail).filter(|_| row.watched) else { return Ok(None) };
        match scheme.query(&row.claim, row.transaction.as_deref()).await {
            Chain::Paid(proof) => self.arrived(row, proof).await.map(Some),
            Chain::Silent(_) if row.state != ClaimState::Unknown => Ok(Some(PaymentOutcome::Unclear(None))),
            Chain::Silent(_) | Chain::Unpaid { .. } => Ok(None),
        }
    }

    /// Money was found on the chain for a claim that nobody works on: it is settled, with the answer that is stored or
    /// one that is computed now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn arrived(&self, row: &ClaimRow, proof: Proof) -> Result<PaymentOutcome, StoreError> {
        let key = &row.claim.key;
        let stored = self.store.answer(key, unix_millis())?;
        let answer = stored.or_else(|| match row.claim.kind {
            ClaimKind::Deposit => Some(StoredAnswer::nothing()),
            ClaimKind::Sale => (self.answerer)(&row.claim.request, &row.claim.media_type),
        });
        tracing::info!(
            %key, payer = row.claim.payer, transaction = proof.transaction, was = %row.state,
            "a payment whose outcome was not certain was found on the chain"
        );
        let change = Change::Settled { proof: Some(proof), transaction: None, answer: answer.clone() };
        match self.insist(key, change).await? {
            Advance::Done => self.by_now(key, answer),
            // Somebody else was quicker, or the transfer pays another claim.
            Advance::NotThere => self.by_now(key, None),
            Advance::Spent => {
                tracing::error!(%key, "one transfer was presented for two payments; the second payment is refused");
                Ok(PaymentOutcome::Refused(PaymentReason::Refused, None))
            }
        }
    }

    /// Takes a payment: claims it, and runs it to its end in a task of its own. When this future is dropped, the task
    /// gives the payment back unless the settlement was asked for.
    pub async fn take(
        self: &Arc<Self>,
        claim: Claim,
        payment: SignedPayment,
        work: PaymentWork,
        deadline: Duration,
    ) -> PaymentOutcome {
        let places = self.places.get(&claim.rail).map(Arc::clone);
        let Some(place) = places.and_then(|places| places.try_acquire_owned().ok()) else {
            return PaymentOutcome::Unclear(None);
        };
        let (done, outcome) = oneshot::channel();
        let processor = Arc::clone(self);
        // The claim itself is made in the task: a client that goes away cannot leave one that nobody works on.
        tokio::spawn(async move {
            let key = claim.key.clone();
            let task = tokio::spawn(Arc::clone(&processor).finish(claim, payment, work, done));
            if task.await.is_err() {
                tracing::error!(%key, "the task of a payment panicked; the chain shows whether the payment was made");
                processor.set_down(&key, "the task of the payment panicked").await;
            }
            drop(place);
        });
        // The task always answers, unless it panics or the runtime ends.
        match timeout(deadline, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => PaymentOutcome::Unclear(None),
        }
    }

    /// Waits until no payment is at work.
    pub async fn idle(&self) {
        for places in self.places.values() {
            // It is never closed.
            let _ = places.acquire_many(PAYMENTS_PER_RAIL_MAX as u32).await;
        }
    }

    /// Runs a payment to its end and tells who waits for it.
    async fn finish(
        self: Arc<Self>,
        claim: Claim,
        payment: SignedPayment,
        work: PaymentWork,
        done: oneshot::Sender<PaymentOutcome>,
    ) {
        let (key, began) = (&claim.key, Instant::now());
        let outcome = match self.claim_and_run(&claim, &payment, work, &done).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::error!(%key, %error, "a change of a payment was not written to the ledger");
                self.set_down(key, &error.0).await
            }
        };
        self.tally.count(claim.rail, outcome.as_str(), began.elapsed());
        tracing::info!(
            %key, rail = %claim.rail, protocol = %claim.protocol, payer = claim.payer, amount = claim.amount,
            outcome = outcome.as_str(), "payment",
        );
        let _ = done.send(outcome);
    }

    async fn claim_and_run(
        &self,
        claim: &Claim,
        payment: &SignedPayment,
        work: PaymentWork,
        done: &oneshot::Sender<PaymentOutcome>,
    ) -> Result<PaymentOutcome, StoreError> {
        let claiming = match self.store.claim(claim.clone()).await {
            Ok(claiming) => claiming,
            Err(error) => {
                // Nothing was claimed: what may be there is another request's.
                tracing::error!(
                    key = %claim.key, %error,
                    "a payment was not written to the ledger, so its settlement was not requested"
                );
                return Ok(PaymentOutcome::Unclear(None));
            }
        };
        match claiming {
            Claiming::Ours => self.run(claim, payment, work, done).await,
            Claiming::Known(row) => {
                // Another request was quicker by a moment.
                let outcome = self.by_state(*row, &claim.request, &claim.reference).await?;
                Ok(outcome.unwrap_or(PaymentOutcome::InProgress))
            }
        }
    }

    /// Leaves a claim in a state from which it is found again, when its task cannot go on.
    async fn set_down(&self, key: &ClaimKey, why: &str) -> PaymentOutcome {
        let state = self.store.lookup(key).ok().flatten().map(|row| row.state);
        let change = match state {
            Some(ClaimState::Claimed) => Change::Open { reason: why.to_owned() },
            Some(ClaimState::Settling) => Change::Unknown { transaction: None, reason: why.to_owned() },
            _ => return PaymentOutcome::Unclear(None),
        };
        if let Err(error) = self.insist(key, change).await {
            tracing::error!(
                %key, %error,
                "the state of a payment cannot be written to the ledger; the payment stays in progress until the next \
                 start of the server"
            );
        }
        PaymentOutcome::Unclear(None)
    }

    async fn run(
        &self,
        claim: &Claim,
        payment: &SignedPayment,
        work: PaymentWork,
        done: &oneshot::Sender<PaymentOutcome>,
    ) -> Result<PaymentOutcome, StoreError> {
        let Some(scheme) = self.scheme(claim.rail) else {
            return self
                .open(claim, "the rail of the payment is not configured", PaymentOutcome::Unclear(None))
                .await;
        };
        let verdict = timeout(self.times.verify + TIMEOUT_GRACE, scheme.verify(claim, payment)).await;
        match verdict.unwrap_or_else(|_| Verdict::Silent("the verification timed out".to_owned())) {
            Verdict::Valid => {}
            // Whoever was asked may have seen the payment.
            Verdict::Silent(why) => return self.open(claim, &why, PaymentOutcome::Unclear(None)).await,
            Verdict::Invalid(why) => match scheme.query(claim, None).await {
                // Somebody else has settled it: the payment was made, so it buys what it was made for.
                Chain::Paid(proof) => return self.sell(claim, work, proof).await,
                Chain::Unpaid { .. } => {
                    self.blame(claim);
                    return self
                        .open(claim, &why, PaymentOutcome::Refused(PaymentReason::Refused, None))
                        .await;
                }
                Chain::Silent(_) => return self.open(claim, &why, PaymentOutcome::Unclear(None)).await,
            },
        }
        if done.is_closed() {
            return self.open(claim, CLIENT_GONE, PaymentOutcome::Unclear(None)).await;
        }
        let Some(answer) = work.await else {
            return self.open(claim, "the answer could not be computed", PaymentOutcome::WorkFailed).await;
        };
        if done.is_closed() {
            return self.open(claim, CLIENT_GONE, PaymentOutcome::Unclear(None)).await;
        }
        // The answer is durable before the settlement is asked for; from here on there is no way back.
        if self.insist(&claim.key, Change::Settling(answer.clone())).await? != Advance::Done {
            return self.by_now(&claim.key, None);
        }
        let settlement = timeout(self.times.settle + TIMEOUT_GRACE, scheme.settle(claim, payment)).await;
        let settlement =
            settlement.unwrap_or_else(|_| Settlement::Unclear("the settlement timed out".to_owned(), None));
        self.conclude(claim, scheme.as_ref(), settlement, answer).await
    }

    /// Gives a claim back, to be tried again and watched.
    async fn open(
        &self,
        claim: &Claim,
        why: &str,
        outcome: PaymentOutcome,
    ) -> Result<PaymentOutcome, StoreError> {
        match self.insist(&claim.key, Change::Open { reason: why.to_owned() }).await? {
            Advance::Done => Ok(outcome),
            _ => self.by_now(&claim.key, None),
        }
    }

    /// What a claim has come to, perhaps by somebody else's hand: the reconciler's, when it found the money.
    fn by_now(&self, key: &ClaimKey, at_hand: Option<StoredAnswer>) -> Result<PaymentOutcome, StoreError> {
        match self.store.lookup(key)? {
            Some(row) if row.state == ClaimState::Settled => self.sold(row, at_hand),
            row => Ok(PaymentOutcome::Unclear(row.map(Box::new))),
        }
    }

    /// Computes and sells the answer of a payment that is already made.
    async fn sell(
        &self,
        claim: &Claim,
        work: PaymentWork,
        proof: Proof,
    ) -> Result<PaymentOutcome, StoreError> {
        let Some(answer) = work.await else {
            return self.open(claim, "the answer could not be computed", PaymentOutcome::WorkFailed).await;
        };
        self.settled(claim, Some(proof), None, answer).await
    }

    /// What a settlement's end means, by the chain.
    async fn conclude(
        &self,
        claim: &Claim,
        scheme: &dyn Scheme,
        settlement: Settlement,
        answer: StoredAnswer,
    ) -> Result<PaymentOutcome, StoreError> {
        match settlement {
            Settlement::Done(transaction) => {
                match self.confirm(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Silent(_) => self.settled(claim, None, transaction, answer).await,
                    Chain::Unpaid { .. } => {
                        scheme.withdraw("a reported settlement is not on the chain");
                        self.unknown(
                            claim,
                            transaction,
                            "the payment was reported as settled and is not on the chain",
                        )
                        .await
                    }
                }
            }
            Settlement::Refused(why, transaction) => {
                match self.watch(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Unpaid { .. } => {
                        self.blame(claim);
                        self.failed(claim, why).await
                    }
                    Chain::Silent(_) => self.unknown(claim, transaction, &why).await,
                }
            }
            Settlement::Unclear(why, transaction) => {
                match self.watch(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Unpaid { .. } => {
                        self.blame(claim);
                        self.unknown(claim, transaction, &why).await
                    }
                    Chain::Silent(_) => self.unknown(claim, transaction, &why).await,
                }
            }
        }
    }

    /// The chain answers and does not hold the payment: that is its payer's failure.
    fn blame(&self, claim: &Claim) {
        self.failing.fail(&(claim.rail, claim.payer.clone()), Instant::now().into_std());
    }

    /// Looks for a settlement that was reported, until the chain shows it, contradicts it or has had its time.
    async fn confirm(&self, claim: &Claim, scheme: &dyn Scheme, transaction: Option<&str>) -> Chain {
        let began = Instant::now();
        loop {
            let query = scheme.query(claim, transaction).await;
            let waited = began.elapsed();
            let settled = match &query {
                Chain::Paid(_) | Chain::Unpaid { contradicted: true, .. } => true,
                Chain::Silent(_) => waited >= self.times.chain_query / CONFIRM_SILENCE_DIVISOR,
                Chain::Unpaid { .. } => waited >= self.times.chain_query,
            };
            if settled {
                return query;
            }
            sleep(self.times.chain_query / CHAIN_QUERIES_MAX).await;
        }
    }

    /// Looks for a payment for as long as a competing transaction may wait for its block.
    async fn watch(&self, claim: &Claim, scheme: &dyn Scheme, transaction: Option<&str>) -> Chain {
        let began = Instant::now();
        loop {
            let query = scheme.query(claim, transaction).await;
            let over = began.elapsed() >= self.times.chain_query;
            if over || matches!(query, Chain::Paid(_) | Chain::Unpaid { for_good: true, .. }) {
                return query;
            }
            sleep(self.times.chain_query / CHAIN_QUERIES_MAX).await;
        }
    }

    async fn settled(
        &self,
        claim: &Claim,
        proof: Option<Proof>,
        transaction: Option<String>,
        answer: StoredAnswer,
    ) -> Result<PaymentOutcome, StoreError> {
        let key = &claim.key;
        let change = Change::Settled { proof, transaction, answer: Some(answer.clone()) };
        self.failing.clear(&(claim.rail, claim.payer.clone()));
        match self.insist(key, change).await? {
            Advance::Done => self.by_now(key, Some(answer)),
            // The reconciler was quicker.
            Advance::NotThere => self.by_now(key, None),
            Advance::Spent => {
                tracing::error!(%key, "one transfer was presented for two payments; the second payment is refused");
                let reason = "the transfer belongs to another payment".to_owned();
                let change = match self.store.lookup(key)?.map(|row| row.state) {
                    Some(ClaimState::Settling) => Change::Unknown { transaction: None, reason },
                    _ => Change::Open { reason },
                };
                self.insist(key, change).await?;
                Ok(PaymentOutcome::Refused(PaymentReason::Refused, None))
            }
        }
    }

    async fn failed(&self, claim: &Claim, reason: String) -> Result<PaymentOutcome, StoreError> {
        match self.insist(&claim.key, Change::Failed { reason }).await? {
            Advance::Done => {
                let row = self.store.lookup(&claim.key)?;
                Ok(PaymentOutcome::Refused(PaymentReason::SettlementFailed, row.map(Box::new)))
            }
            _ => self.by_now(&claim.key, None),
        }
    }

    async fn unknown(
        &self,
        claim: &Claim,
        transaction: Option<String>,
        why: &str,
    ) -> Result<PaymentOutcome, StoreError> {
        let key = &claim.key;
        tracing::warn!(%key, transaction, why, "the outcome of a settlement is not known");
        self.insist(key, Change::Unknown { transaction, reason: why.to_owned() }).await?;
        self.by_now(key, None)
    }

    /// Writes a step, again when the store fails: what it says has happened.
    async fn insist(&self, key: &ClaimKey, change: Change) -> Result<Advance, StoreError> {
        let mut pause = WRITE_PAUSE;
        for _ in 1..WRITE_TRIES_MAX {
            match self.store.advance(key.clone(), change.clone(), unix_millis()).await {
                Ok(advance) => return Ok(advance),
                Err(error) => {
                    tracing::warn!(%key, %error, "a change of a payment was not written; the write will be retried");
                }
            }
            sleep(pause).await;
            pause *= 2;
        }
        self.store.advance(key.clone(), change, unix_millis()).await
    }
}

/// Whether a claim was made for this request, by who knows its reference.
fn is_for(row: &ClaimRow, request: &str, reference: &str) -> bool {
    row.claim.request == request && same(row.claim.reference.as_bytes(), reference.as_bytes())
}

#[cfg(test)]
mod failing_store_tests;
#[cfg(test)]
pub(in crate::payment::core) mod for_tests;
#[cfg(test)]
mod tests;
