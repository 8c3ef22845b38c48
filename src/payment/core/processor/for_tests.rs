//! A store in memory and a scheme that says what it is told to: what the tests of the processor and of the reconciler
//! run against.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;

use super::{PaymentWork, ProcessingTimes, Processor};
use crate::payment::core::claim::{
    Advance, Change, Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, ClaimStore, Claiming, LedgerMetrics,
    PaymentProtocol, Proof, RailName, StoreError, Stored, StoredAnswer,
};
use crate::payment::core::scheme::{Chain, Scheme, Settlement, SignedPayment, Step, Verdict};
use crate::payment::protocols::for_tests::unsigned;
use crate::payment::rails::base;

/// Claims and answers in memory.
#[derive(Default)]
pub(crate) struct Memory {
    rows: Mutex<BTreeMap<ClaimKey, (ClaimRow, Option<StoredAnswer>)>>,
    /// Writes that fail before one succeeds again.
    pub(crate) failures: AtomicUsize,
    /// A write that fails, by its number.
    pub(crate) fault: Mutex<Option<WriteFault>>,
    pub(crate) writes: AtomicUsize,
}

/// Which write fails, counted from 1, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WriteFault {
    /// Nothing of it is written.
    Before(usize),
    /// It is written, and nobody can say so.
    After(usize),
    /// This one and all after it are not written.
    From(usize),
}

impl Memory {
    pub(crate) fn row(&self) -> ClaimRow {
        self.rows.lock().unwrap().values().next().unwrap().0.clone()
    }

    fn fail(&self) -> Result<(), StoreError> {
        let fail = |left: usize| left.checked_sub(1);
        match self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fail) {
            Ok(_) => Err(StoreError("told to fail".into())),
            Err(_) => Ok(()),
        }
    }

    /// Does a write, unless it fails before or after.
    fn write<T>(&self, work: impl FnOnce() -> T) -> Result<T, StoreError> {
        self.fail()?;
        let (number, fault) = (self.writes.fetch_add(1, Ordering::SeqCst) + 1, *self.fault.lock().unwrap());
        let failed = || Err(StoreError(format!("told to fail by {fault:?}")));
        match fault {
            Some(WriteFault::Before(at)) if at == number => failed(),
            Some(WriteFault::From(at)) if at <= number => failed(),
            Some(WriteFault::After(at)) if at == number => {
                work();
                failed()
            }
            _ => Ok(work()),
        }
    }

    /// What a server that starts does about claims that the last one was at work on.
    pub(crate) fn recover(&self) {
        for (row, _) in self.rows.lock().unwrap().values_mut() {
            let to = match row.state {
                ClaimState::Claimed => ClaimState::Open,
                ClaimState::Settling => ClaimState::Unknown,
                _ => continue,
            };
            (row.state, row.watched) = (to, true);
        }
    }

    fn take(&self, claim: Claim) -> Claiming {
        let mut rows = self.rows.lock().unwrap();
        if let Some((row, _)) = rows.get(&claim.key) {
            let again = row.state == ClaimState::Open
                && row.claim.request == claim.request
                && row.claim.reference == claim.reference;
            if !again {
                return Claiming::Known(Box::new(row.clone()));
            }
        }
        let row = claimed(claim);
        rows.insert(row.claim.key.clone(), (row, None));
        Claiming::Ours
    }

    #[expect(clippy::too_many_lines, reason = "a table of states, read as a whole")]
    fn step(&self, key: &ClaimKey, change: Change, at: u64) -> Advance {
        let mut rows = self.rows.lock().unwrap();
        if let Change::Settled { proof: Some(proof), .. } | Change::Confirmed(proof) = &change {
            let spent = |row: &ClaimRow| {
                row.claim.key != *key && row.transaction.as_ref() == Some(&proof.transaction)
            };
            if rows.values().any(|(row, _)| spent(row)) {
                return Advance::Spent;
            }
        }
        let Some((row, answer)) = rows.get_mut(key) else { return Advance::NotThere };
        let from: &[ClaimState] = match &change {
            Change::Settling(_) => &[ClaimState::Claimed],
            Change::Settled { .. } => &[
                ClaimState::Claimed,
                ClaimState::Settling,
                ClaimState::Open,
                ClaimState::Failed,
                ClaimState::Unknown,
                ClaimState::Expired,
            ],
            Change::Open { .. } | Change::Unknown { .. } => &[ClaimState::Claimed, ClaimState::Settling],
            Change::Failed { .. } => &[ClaimState::Settling],
            Change::Confirmed(_) => &[ClaimState::Settled],
            Change::Closed => {
                &[ClaimState::Open, ClaimState::Failed, ClaimState::Unknown, ClaimState::Settled]
            }
        };
        if !from.contains(&row.state) {
            return Advance::NotThere;
        }
        let before = row.state;
        row.since = at;
        row.watched = true;
        match change {
            Change::Settling(sold) => {
                *answer = Some(sold);
                (row.state, row.watched) = (ClaimState::Settling, false);
            }
            Change::Settled { proof, transaction, answer: sold } => {
                *answer = answer.take().or(sold);
                (row.state, row.settled_at) = (ClaimState::Settled, Some(at));
                (row.confirmed, row.watched) = (proof.is_some(), proof.is_none());
                row.transaction = proof.map(|proof| proof.transaction).or(transaction);
            }
            Change::Open { reason } => (row.state, row.reason) = (ClaimState::Open, Some(reason)),
            Change::Failed { reason } => (row.state, row.reason) = (ClaimState::Failed, Some(reason)),
            Change::Unknown { transaction, reason } => {
                (row.state, row.reason, row.transaction) = (ClaimState::Unknown, Some(reason), transaction);
            }
            Change::Confirmed(proof) => {
                (row.confirmed, row.watched, row.transaction) = (true, false, Some(proof.transaction));
            }
            Change::Closed => {
                row.watched = false;
                if matches!(before, ClaimState::Unknown | ClaimState::Settled) {
                    row.state = ClaimState::Expired;
                }
                *answer = None;
            }
        }
        Advance::Done
    }
}

/// The row of a claim that was just made.
fn claimed(claim: Claim) -> ClaimRow {
    ClaimRow {
        since: claim.claimed_at,
        state: ClaimState::Claimed,
        transaction: None,
        settled_at: None,
        confirmed: false,
        watched: false,
        reason: None,
        snapshot_id: None,
        claim,
    }
}

/// The row of [`claim`].
pub(crate) fn row() -> ClaimRow {
    claimed(claim())
}

impl ClaimStore for Memory {
    fn claim(&self, claim: Claim) -> Stored<'_, Claiming> {
        Box::pin(async move { self.write(|| self.take(claim)) })
    }

    fn advance(&self, key: ClaimKey, change: Change, at: u64) -> Stored<'_, Advance> {
        Box::pin(async move { self.write(|| self.step(&key, change, at)) })
    }

    fn lookup(&self, key: &ClaimKey) -> Result<Option<ClaimRow>, StoreError> {
        Ok(self.rows.lock().unwrap().get(key).map(|(row, _)| row.clone()))
    }

    fn deposit_in_doubt(&self, _reference: &str) -> Result<Option<ClaimKey>, StoreError> {
        Ok(None)
    }

    fn answer(&self, key: &ClaimKey, _at: u64) -> Result<Option<StoredAnswer>, StoreError> {
        Ok(self.rows.lock().unwrap().get(key).and_then(|(_, answer)| answer.clone()))
    }

    fn watched(&self, rail: RailName, _now: u64, count_max: usize) -> Result<Vec<ClaimRow>, StoreError> {
        let rows = self.rows.lock().unwrap();
        let watched = rows.values().map(|(row, _)| row).filter(|row| row.watched && row.claim.rail == rail);
        Ok(watched.take(count_max).cloned().collect())
    }

    fn query_again(&self, _due: Vec<(ClaimKey, u64)>) -> Stored<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn fault(&self) -> Option<String> {
        None
    }

    fn check(&self) -> Stored<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn close(&self) -> Stored<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn figures(&self) -> Result<LedgerMetrics, StoreError> {
        Ok(LedgerMetrics::default())
    }

    fn first_block(&self, _network: String, head: u64) -> Stored<'_, u64> {
        Box::pin(async move { Ok(head) })
    }
}

/// A scheme that says what it is told to.
pub(crate) struct Script {
    pub(crate) verdict: Mutex<Option<Verdict>>,
    pub(crate) settlement: Mutex<Option<Settlement>>,
    /// How long a verdict takes.
    pub(crate) verifying: Mutex<Duration>,
    /// How long a settlement takes.
    pub(crate) settling: Mutex<Duration>,
    /// What the chain says: each but the last once.
    pub(crate) chain: Mutex<Vec<Chain>>,
    /// What it says once a settlement was asked for, if that is something else.
    pub(crate) chain_after: Mutex<Option<Chain>>,
    pub(crate) verified: AtomicUsize,
    pub(crate) settled: AtomicUsize,
    pub(crate) withdrawn: AtomicUsize,
    pub(crate) settle_began: Notify,
}

impl Scheme for Script {
    fn verify<'a>(&'a self, _: &'a Claim, _: &'a SignedPayment) -> Step<'a, Verdict> {
        self.verified.fetch_add(1, Ordering::SeqCst);
        let (verdict, verifying) = (self.verdict.lock().unwrap().clone(), *self.verifying.lock().unwrap());
        Box::pin(async move {
            sleep(verifying).await;
            match verdict {
                Some(verdict) => verdict,
                None => std::future::pending().await,
            }
        })
    }

    fn settle<'a>(&'a self, _: &'a Claim, _: &'a SignedPayment) -> Step<'a, Settlement> {
        self.settled.fetch_add(1, Ordering::SeqCst);
        if let Some(after) = self.chain_after.lock().unwrap().clone() {
            *self.chain.lock().unwrap() = vec![after];
        }
        self.settle_began.notify_one();
        let (settlement, settling) =
            (self.settlement.lock().unwrap().clone(), *self.settling.lock().unwrap());
        Box::pin(async move {
            sleep(settling).await;
            match settlement {
                Some(settlement) => settlement,
                None => std::future::pending().await,
            }
        })
    }

    fn query<'a>(&'a self, _: &'a Claim, _: Option<&'a str>) -> Step<'a, Chain> {
        let mut chain = self.chain.lock().unwrap();
        let said = if chain.len() > 1 { chain.remove(0) } else { chain[0].clone() };
        Box::pin(async move { said })
    }

    fn is_up(&self) -> bool {
        true
    }

    fn withdraw(&self, _: &str) {
        self.withdrawn.fetch_add(1, Ordering::SeqCst);
    }

    fn head(&self) -> u64 {
        1
    }
}

pub(crate) const UNPAID: Chain = Chain::Unpaid { for_good: false, contradicted: false };
pub(crate) const REQUEST: &str = "/v1/shopper/best-price?q=tea";

pub(crate) fn paid() -> Chain {
    Chain::Paid(Proof { transaction: "0xaa".into(), index: 7 })
}

pub(crate) fn silent() -> Chain {
    Chain::Silent("no answer".into())
}

pub(crate) fn done() -> Settlement {
    Settlement::Done(Some("0xaa".into()))
}

pub(crate) fn refused() -> Settlement {
    Settlement::Refused("no".into(), None)
}

pub(crate) fn unclear() -> Settlement {
    Settlement::Unclear("lost".into(), Some("0xaa".into()))
}

/// A processor with its parts in reach.
pub(crate) struct Bench {
    pub(crate) processor: Arc<Processor>,
    pub(crate) store: Arc<Memory>,
    pub(crate) script: Arc<Script>,
    pub(crate) worked: Arc<AtomicUsize>,
}

/// A processor whose scheme answers so; `None` is silence without end.
pub(crate) fn bench(
    verdict: impl Into<Option<Verdict>>,
    settlement: impl Into<Option<Settlement>>,
    chain: &[Chain],
) -> Bench {
    let store = Arc::new(Memory::default());
    let script = Arc::new(Script {
        verdict: Mutex::new(verdict.into()),
        settlement: Mutex::new(settlement.into()),
        verifying: Mutex::new(Duration::ZERO),
        settling: Mutex::new(Duration::ZERO),
        chain: Mutex::new(chain.to_vec()),
        chain_after: Mutex::new(None),
        verified: AtomicUsize::new(0),
        settled: AtomicUsize::new(0),
        withdrawn: AtomicUsize::new(0),
        settle_began: Notify::new(),
    });
    let scheme: Arc<dyn Scheme> = script.clone();
    let times = ProcessingTimes {
        verify: Duration::from_millis(50),
        settle: Duration::from_millis(200),
        chain_query: Duration::from_millis(160),
    };
    let answerer = Arc::new(|request: &str, _: &str| Some(answer(&format!("again {request}"))));
    let processor = Processor::new(store.clone(), [(base::NAME, scheme)].into(), times, answerer);
    Bench { processor: Arc::new(processor), store, script, worked: Arc::new(AtomicUsize::new(0)) }
}

pub(crate) fn answer(body: &str) -> StoredAnswer {
    StoredAnswer {
        body: body.into(),
        media_type: "application/json".into(),
        snapshot_id: "s".into(),
        freshness_seconds: 1,
    }
}

pub(crate) fn claim() -> Claim {
    Claim {
        key: ClaimKey("eip155:1:0x0:0x1:0x2".into()),
        kind: ClaimKind::Sale,
        rail: base::NAME,
        protocol: PaymentProtocol::X402,
        network: "eip155:1".into(),
        asset: "0x0".into(),
        payer: "0x1".into(),
        pay_to: "0x3".into(),
        amount: 10_000,
        endpoint: "/v1/shopper/best-price".into(),
        request: REQUEST.into(),
        media_type: "application/json".into(),
        reference: "ref".into(),
        trace: "0x1 0x2".into(),
        valid_before: 100,
        from_block: 1,
        claimed_at: 1,
    }
}

pub(crate) fn payment() -> SignedPayment {
    SignedPayment::Authorization(unsigned())
}

impl Bench {
    /// Work that counts how often it is done.
    pub(crate) fn work(&self) -> PaymentWork {
        let worked = Arc::clone(&self.worked);
        Box::pin(async move {
            worked.fetch_add(1, Ordering::SeqCst);
            Some(answer("first"))
        })
    }

    /// Answers computed and settlements asked for.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.worked.load(Ordering::SeqCst), self.script.settled.load(Ordering::SeqCst))
    }

    /// The states that the only claim is in, for messages.
    pub(crate) fn states(&self) -> BTreeSet<ClaimState> {
        self.store.rows.lock().unwrap().values().map(|(row, _)| row.state).collect()
    }
}
