//! The till: takes one payment at a time through verification, work and settlement, and never loses one.
//!
//! A payment that is claimed runs in a task of its own. Until the settlement is asked for, the task gives the payment
//! back when its client goes away; from then on nothing stops it but the end of the process, and what it leaves
//! behind is found again by the reconciler ([`super::reconcile`]). Both decide by the chain, not by anybody's word: a
//! client that is told "not paid" signs a second payment, so that is said only when the chain agrees.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, sleep, timeout};

use super::claim::{
    Advance, Answer, Change, Claim, ClaimStore, Claiming, Key, Proof, Rail, Row, State, StoreError,
};
use super::clock::unix_millis;
use super::codec::same;
use super::outcome::{Outcome, Reason};
use super::scheme::{Chain, Order, Scheme, Settlement, Verdict};

/// Payments at work at one time.
pub const PAYMENTS_MAX: usize = 1_024;

/// Looks at a chain in the time for looking.
const LOOKS: u32 = 16;

/// Share of the time for looking after which a chain that does not answer is no longer waited for when a facilitator
/// says that all is well: 1 s of 4.
const CONFIRM_SILENCE_SHARE: u32 = 4;

/// Schemes keep the times themselves, and count in their health who does not; so much later nobody waits for one that
/// does not keep them.
const OVERTIME: Duration = Duration::from_millis(250);

/// Tries to write a step that must not be lost.
const WRITE_TRIES_MAX: u32 = 5;

/// Time before the second of those tries; it doubles with each.
const WRITE_PAUSE: Duration = Duration::from_millis(50);

/// Computes what is sold; `None` when it failed, which is in the log then.
pub type Work = Pin<Box<dyn Future<Output = Option<Answer>> + Send>>;

/// Computes the answer of a canonical request from the catalog in use, for payments whose money arrives when nobody
/// waits for it any more.
pub type Answerer = Arc<dyn Fn(&str) -> Option<Answer> + Send + Sync>;

/// How long each step may take.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Verification.
    pub verify: Duration,
    /// Settlement, however often it is asked for.
    pub settle: Duration,
    /// Looking at the chain after a settlement that is not clear: two of its block times.
    pub chain_look: Duration,
}

/// The till.
pub struct Till {
    /// What is known of every payment.
    pub store: Arc<dyn ClaimStore>,
    schemes: BTreeMap<Rail, Arc<dyn Scheme>>,
    times: Times,
    answerer: Answerer,
    places: Arc<Semaphore>,
}

impl Till {
    /// A till over these schemes.
    pub fn new(
        store: Arc<dyn ClaimStore>,
        schemes: BTreeMap<Rail, Arc<dyn Scheme>>,
        times: Times,
        answerer: Answerer,
    ) -> Self {
        Self { store, schemes, times, answerer, places: Arc::new(Semaphore::new(PAYMENTS_MAX)) }
    }

    /// The scheme of a rail, if the rail is configured.
    pub fn scheme(&self, rail: Rail) -> Option<&Arc<dyn Scheme>> {
        self.schemes.get(&rail)
    }

    /// What is already known of a payment decides, whatever offers, clock and rails say now. `None`: it is new, or may
    /// be tried again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn known(
        &self,
        key: &Key,
        request: &str,
        reference: &str,
    ) -> Result<Option<Outcome>, StoreError> {
        let Some(row) = self.store.lookup(key)? else { return Ok(None) };
        self.by_state(row, request, reference).await
    }

    async fn by_state(
        &self,
        row: Row,
        request: &str,
        reference: &str,
    ) -> Result<Option<Outcome>, StoreError> {
        if row.claim.request != request || !same(row.claim.reference.as_bytes(), reference.as_bytes()) {
            return Ok(Some(Outcome::Refused(Reason::PaymentUsed, None)));
        }
        let outcome = match row.state {
            State::Claimed | State::Settling => Outcome::InProgress,
            State::Settled => self.sold(row, None)?,
            State::Expired => Outcome::Refused(Reason::Expired, None),
            State::Open | State::Failed | State::Unknown => match (self.late_money(&row).await?, row.state) {
                (Some(outcome), _) => outcome,
                (None, State::Open) => return Ok(None),
                (None, State::Failed) => Outcome::Refused(Reason::SettlementFailed, Some(Box::new(row))),
                (None, _) => Outcome::Unclear(Some(Box::new(row))),
            },
        };
        Ok(Some(outcome))
    }

    /// What a settled payment bought; `at_hand` is the answer that was stored for it a moment ago, for who paid must
    /// get it even where there is no room to keep it.
    fn sold(&self, row: Row, at_hand: Option<Answer>) -> Result<Outcome, StoreError> {
        Ok(match self.store.answer(&row.claim.key, unix_millis())?.or(at_hand) {
            Some(answer) => Outcome::Paid(Box::new(row), answer),
            None => Outcome::AnswerExpired(Box::new(row)),
        })
    }

    /// Before a watched payment is answered as before: has its money arrived meanwhile?
    async fn late_money(&self, row: &Row) -> Result<Option<Outcome>, StoreError> {
        let Some(scheme) = self.scheme(row.claim.rail).filter(|_| row.watched) else { return Ok(None) };
        match scheme.look(&row.claim, row.transaction.as_deref()).await {
            Chain::Paid(proof) => self.arrived(row, proof).await.map(Some),
            Chain::Silent(_) if row.state != State::Unknown => Ok(Some(Outcome::Unclear(None))),
            Chain::Silent(_) | Chain::Unpaid { .. } => Ok(None),
        }
    }

    /// Money was found on the chain for a claim that nobody works on: it is settled, with the answer that is stored or
    /// one that is computed now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn arrived(&self, row: &Row, proof: Proof) -> Result<Outcome, StoreError> {
        let key = &row.claim.key;
        let stored = self.store.answer(key, unix_millis())?;
        let answer = stored.or_else(|| (self.answerer)(&row.claim.request));
        tracing::info!(%key, payer = row.claim.payer, transaction = proof.transaction, was = %row.state, "money arrived");
        let change = Change::Settled { proof: Some(proof), transaction: None, answer: answer.clone() };
        match self.insist(key, change).await? {
            Advance::Done => self.by_now(key, answer),
            // Somebody else was quicker, or the transfer pays another claim.
            Advance::NotThere => self.by_now(key, None),
            Advance::Spent => {
                tracing::error!(%key, "one transfer was presented for two payments");
                Ok(Outcome::Refused(Reason::Refused, None))
            }
        }
    }

    /// Takes a payment: claims it, and runs it to its end in a task of its own. When this future is dropped, the task
    /// gives the payment back unless the settlement was asked for.
    pub async fn take(
        self: &Arc<Self>,
        claim: Claim,
        order: Order,
        work: Work,
        deadline: Duration,
    ) -> Outcome {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Outcome::Unclear(None);
        };
        let (done, outcome) = oneshot::channel();
        let till = Arc::clone(self);
        // The claim itself is made in the task: a client that goes away cannot leave one that nobody works on.
        tokio::spawn(async move {
            let key = claim.key.clone();
            let task = tokio::spawn(Arc::clone(&till).finish(claim, order, work, done));
            if task.await.is_err() {
                tracing::error!(%key, "a payment's task panicked");
                till.set_down(&key, "the task panicked").await;
            }
            drop(place);
        });
        // The task always answers, unless it panics or the runtime ends.
        match timeout(deadline, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Outcome::Unclear(None),
        }
    }

    /// Waits until no payment is at work.
    pub async fn idle(&self) {
        let all = u32::try_from(PAYMENTS_MAX).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        let _ = self.places.acquire_many(all).await;
    }

    /// Runs a payment to its end and tells who waits for it.
    async fn finish(self: Arc<Self>, claim: Claim, order: Order, work: Work, done: oneshot::Sender<Outcome>) {
        let key = &claim.key;
        let outcome = match self.claim_and_run(&claim, &order, work, &done).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::error!(%key, %error, "a payment's step was not written");
                self.set_down(key, &error.0).await
            }
        };
        tracing::info!(
            %key, rail = %claim.rail, protocol = %claim.protocol, payer = claim.payer, amount = claim.amount,
            outcome = outcome.as_str(), "payment",
        );
        let _ = done.send(outcome);
    }

    async fn claim_and_run(
        &self,
        claim: &Claim,
        order: &Order,
        work: Work,
        done: &oneshot::Sender<Outcome>,
    ) -> Result<Outcome, StoreError> {
        let claiming = match self.store.claim(claim.clone()).await {
            Ok(claiming) => claiming,
            Err(error) => {
                // Nothing was claimed: what may be there is another request's.
                tracing::error!(key = %claim.key, %error, "a payment was not claimed");
                return Ok(Outcome::Unclear(None));
            }
        };
        match claiming {
            Claiming::Ours => self.run(claim, order, work, done).await,
            Claiming::Known(row) => {
                // Another request was quicker by a moment.
                let outcome = self.by_state(*row, &claim.request, &claim.reference).await?;
                Ok(outcome.unwrap_or(Outcome::InProgress))
            }
        }
    }

    /// Leaves a claim in a state from which it is found again, when its task cannot go on.
    async fn set_down(&self, key: &Key, why: &str) -> Outcome {
        let state = self.store.lookup(key).ok().flatten().map(|row| row.state);
        let change = match state {
            Some(State::Claimed) => Change::Open { reason: why.to_owned() },
            Some(State::Settling) => Change::Unknown { transaction: None, reason: why.to_owned() },
            _ => return Outcome::Unclear(None),
        };
        if let Err(error) = self.insist(key, change).await {
            tracing::error!(%key, %error, "a claim stays behind until the next start");
        }
        Outcome::Unclear(None)
    }

    async fn run(
        &self,
        claim: &Claim,
        order: &Order,
        work: Work,
        done: &oneshot::Sender<Outcome>,
    ) -> Result<Outcome, StoreError> {
        let Some(scheme) = self.scheme(claim.rail) else {
            return self.open(claim, "its rail is not configured", Outcome::Unclear(None)).await;
        };
        let verdict = timeout(self.times.verify + OVERTIME, scheme.verify(claim, order)).await;
        match verdict.unwrap_or_else(|_| Verdict::Silent("no verdict in time".to_owned())) {
            Verdict::Valid => {}
            // Whoever was asked may have seen the payment.
            Verdict::Silent(why) => return self.open(claim, &why, Outcome::Unclear(None)).await,
            Verdict::Invalid(why) => match scheme.look(claim, None).await {
                // Somebody else has settled it: the payment was made, so it buys what it was made for.
                Chain::Paid(proof) => return self.sell(claim, work, proof).await,
                Chain::Unpaid { .. } => {
                    return self.open(claim, &why, Outcome::Refused(Reason::Refused, None)).await;
                }
                Chain::Silent(_) => return self.open(claim, &why, Outcome::Unclear(None)).await,
            },
        }
        if done.is_closed() {
            return self.open(claim, "the client went away", Outcome::Unclear(None)).await;
        }
        let Some(answer) = work.await else {
            return self.open(claim, "the answer failed", Outcome::WorkFailed).await;
        };
        if done.is_closed() {
            return self.open(claim, "the client went away", Outcome::Unclear(None)).await;
        }
        // The answer is durable before the settlement is asked for; from here on there is no way back.
        if self.insist(&claim.key, Change::Settling(answer.clone())).await? != Advance::Done {
            return self.by_now(&claim.key, None);
        }
        let settlement = timeout(self.times.settle + OVERTIME, scheme.settle(claim, order)).await;
        let settlement =
            settlement.unwrap_or_else(|_| Settlement::Unclear("no settlement in time".to_owned(), None));
        self.conclude(claim, scheme.as_ref(), settlement, answer).await
    }

    /// Gives a claim back, to be tried again and watched.
    async fn open(&self, claim: &Claim, why: &str, outcome: Outcome) -> Result<Outcome, StoreError> {
        match self.insist(&claim.key, Change::Open { reason: why.to_owned() }).await? {
            Advance::Done => Ok(outcome),
            _ => self.by_now(&claim.key, None),
        }
    }

    /// What a claim has come to, perhaps by somebody else's hand: the reconciler's, when it found the money.
    fn by_now(&self, key: &Key, at_hand: Option<Answer>) -> Result<Outcome, StoreError> {
        match self.store.lookup(key)? {
            Some(row) if row.state == State::Settled => self.sold(row, at_hand),
            row => Ok(Outcome::Unclear(row.map(Box::new))),
        }
    }

    /// Computes and sells the answer of a payment that is already made.
    async fn sell(&self, claim: &Claim, work: Work, proof: Proof) -> Result<Outcome, StoreError> {
        let Some(answer) = work.await else {
            return self.open(claim, "the answer failed", Outcome::WorkFailed).await;
        };
        self.settled(claim, Some(proof), None, answer).await
    }

    /// What a settlement's end means, by the chain.
    async fn conclude(
        &self,
        claim: &Claim,
        scheme: &dyn Scheme,
        settlement: Settlement,
        answer: Answer,
    ) -> Result<Outcome, StoreError> {
        match settlement {
            Settlement::Done(transaction) => {
                match self.confirm(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Silent(_) => self.settled(claim, None, transaction, answer).await,
                    Chain::Unpaid { .. } => {
                        scheme.withdraw("it reported a settlement that the chain does not hold");
                        self.unknown(claim, transaction, "reported as settled, not on the chain").await
                    }
                }
            }
            Settlement::Refused(why, transaction) => {
                match self.watch(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Unpaid { .. } => self.failed(claim, why).await,
                    Chain::Silent(_) => self.unknown(claim, transaction, &why).await,
                }
            }
            Settlement::Unclear(why, transaction) => {
                match self.watch(claim, scheme, transaction.as_deref()).await {
                    Chain::Paid(proof) => self.settled(claim, Some(proof), None, answer).await,
                    Chain::Unpaid { .. } | Chain::Silent(_) => self.unknown(claim, transaction, &why).await,
                }
            }
        }
    }

    /// Looks for a settlement that was reported, until the chain shows it, contradicts it or has had its time.
    async fn confirm(&self, claim: &Claim, scheme: &dyn Scheme, transaction: Option<&str>) -> Chain {
        let began = Instant::now();
        loop {
            let look = scheme.look(claim, transaction).await;
            let waited = began.elapsed();
            let settled = match &look {
                Chain::Paid(_) | Chain::Unpaid { contradicted: true, .. } => true,
                Chain::Silent(_) => waited >= self.times.chain_look / CONFIRM_SILENCE_SHARE,
                Chain::Unpaid { .. } => waited >= self.times.chain_look,
            };
            if settled {
                return look;
            }
            sleep(self.times.chain_look / LOOKS).await;
        }
    }

    /// Looks for a payment for as long as a competing transaction may wait for its block.
    async fn watch(&self, claim: &Claim, scheme: &dyn Scheme, transaction: Option<&str>) -> Chain {
        let began = Instant::now();
        loop {
            let look = scheme.look(claim, transaction).await;
            let over = began.elapsed() >= self.times.chain_look;
            if over || matches!(look, Chain::Paid(_) | Chain::Unpaid { for_good: true, .. }) {
                return look;
            }
            sleep(self.times.chain_look / LOOKS).await;
        }
    }

    async fn settled(
        &self,
        claim: &Claim,
        proof: Option<Proof>,
        transaction: Option<String>,
        answer: Answer,
    ) -> Result<Outcome, StoreError> {
        let key = &claim.key;
        let change = Change::Settled { proof, transaction, answer: Some(answer.clone()) };
        match self.insist(key, change).await? {
            Advance::Done => self.by_now(key, Some(answer)),
            // The reconciler was quicker.
            Advance::NotThere => self.by_now(key, None),
            Advance::Spent => {
                tracing::error!(%key, "one transfer was presented for two payments");
                let reason = "its transfer pays another claim".to_owned();
                let change = match self.store.lookup(key)?.map(|row| row.state) {
                    Some(State::Settling) => Change::Unknown { transaction: None, reason },
                    _ => Change::Open { reason },
                };
                self.insist(key, change).await?;
                Ok(Outcome::Refused(Reason::Refused, None))
            }
        }
    }

    async fn failed(&self, claim: &Claim, reason: String) -> Result<Outcome, StoreError> {
        match self.insist(&claim.key, Change::Failed { reason }).await? {
            Advance::Done => {
                let row = self.store.lookup(&claim.key)?;
                Ok(Outcome::Refused(Reason::SettlementFailed, row.map(Box::new)))
            }
            _ => self.by_now(&claim.key, None),
        }
    }

    async fn unknown(
        &self,
        claim: &Claim,
        transaction: Option<String>,
        why: &str,
    ) -> Result<Outcome, StoreError> {
        let key = &claim.key;
        tracing::warn!(%key, transaction, why, "nobody can say how a settlement ended");
        self.insist(key, Change::Unknown { transaction, reason: why.to_owned() }).await?;
        self.by_now(key, None)
    }

    /// Writes a step, again when the store fails: what it says has happened.
    async fn insist(&self, key: &Key, change: Change) -> Result<Advance, StoreError> {
        let mut pause = WRITE_PAUSE;
        for _ in 1..WRITE_TRIES_MAX {
            match self.store.advance(key.clone(), change.clone(), unix_millis()).await {
                Ok(advance) => return Ok(advance),
                Err(error) => tracing::warn!(%key, %error, "a step is written again"),
            }
            sleep(pause).await;
            pause *= 2;
        }
        self.store.advance(key.clone(), change, unix_millis()).await
    }
}

#[cfg(test)]
mod for_tests;
#[cfg(test)]
mod tests;
