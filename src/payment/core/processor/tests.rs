//! Every row of the table of failures, by the word of a scripted scheme, with times of milliseconds.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::payment::core::claim::{ClaimState, ClaimStore as _};
use crate::payment::core::failure_limiter::FAILURES_PER_PAYER_MAX;
use crate::payment::core::outcome::PaymentOutcome;
use crate::payment::core::processor::for_tests::{
    Bench, REQUEST, UNPAID, answer, bench, claim, done, paid, payment, refused, silent, unclear,
};
use crate::payment::core::reconcile::reconcile;
use crate::payment::core::scheme::{Chain, Settlement, Verdict};
use crate::payment::rails::tempo;

const DEADLINE: Duration = Duration::from_secs(30);

const VALID: Verdict = Verdict::Valid;

fn invalid() -> Verdict {
    Verdict::Invalid("no".into())
}

async fn take(bench: &Bench) -> PaymentOutcome {
    bench.processor.take(claim(), payment(), bench.work(), DEADLINE).await
}

async fn known(bench: &Bench) -> Option<PaymentOutcome> {
    bench.processor.known(&claim().key, REQUEST, "ref").await.unwrap()
}

/// One payment: what the client hears, the state it leaves, whether it is watched, answers computed, settlements.
async fn check(
    verdict: impl Into<Option<Verdict>>,
    settlement: impl Into<Option<Settlement>>,
    chain: &[Chain],
    expect: (&str, ClaimState, bool, usize, usize),
) -> Bench {
    let (verdict, settlement) = (verdict.into(), settlement.into());
    let bench = bench(verdict.clone(), settlement.clone(), chain);
    let outcome = take(&bench).await;
    let row = bench.store.row();
    let (worked, settled) = bench.counts();
    let seen = (outcome.as_str(), row.state, row.watched, worked, settled);
    assert_eq!(seen, expect, "verify {verdict:?}, settle {settlement:?}, chain {chain:?}");
    bench
}

#[tokio::test]
async fn verification() {
    let silence = Verdict::Silent("reset".into());
    check(silence, done(), &[UNPAID], ("unclear", ClaimState::Open, true, 0, 0)).await;
    check(None, done(), &[UNPAID], ("unclear", ClaimState::Open, true, 0, 0)).await;
    check(invalid(), done(), &[UNPAID], ("refused", ClaimState::Open, true, 0, 0)).await;
    // Somebody else has settled it: it buys what it was made for, and nothing is settled again.
    check(invalid(), done(), &[paid()], ("paid", ClaimState::Settled, false, 1, 0)).await;
    check(invalid(), done(), &[silent()], ("unclear", ClaimState::Open, true, 0, 0)).await;
}

/// A scheme that is told nothing in time says so itself, for it counts that: its word comes first, if only just.
#[tokio::test]
async fn a_scheme_keeps_its_own_time() {
    let bench = bench(Verdict::Silent("the scheme's word".into()), done(), &[UNPAID]);
    *bench.script.verifying.lock().unwrap() = Duration::from_millis(60);
    assert_eq!(take(&bench).await.as_str(), "unclear");
    assert_eq!(bench.store.row().reason.as_deref(), Some("the scheme's word"));
}

#[tokio::test]
async fn a_reported_settlement() {
    check(VALID, done(), &[paid()], ("paid", ClaimState::Settled, false, 1, 1)).await;
    check(VALID, done(), &[UNPAID, UNPAID, paid()], ("paid", ClaimState::Settled, false, 1, 1)).await;
    // The chain cannot be asked: the answer is given, and the claim watched.
    let unconfirmed = check(VALID, done(), &[silent()], ("paid", ClaimState::Settled, true, 1, 1)).await;
    assert!(!unconfirmed.store.row().confirmed);
    // A lie.
    for contradicted in [false, true] {
        let chain = Chain::Unpaid { for_good: false, contradicted };
        let lied = check(VALID, done(), &[chain], ("unclear", ClaimState::Unknown, true, 1, 1)).await;
        assert_eq!(lied.script.withdrawn.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_refused_settlement() {
    check(VALID, refused(), &[UNPAID], ("settlement_failed", ClaimState::Failed, true, 1, 1)).await;
    // A competing transaction gets into the next block.
    check(VALID, refused(), &[UNPAID, UNPAID, UNPAID, paid()], ("paid", ClaimState::Settled, false, 1, 1))
        .await;
    check(VALID, refused(), &[silent()], ("unclear", ClaimState::Unknown, true, 1, 1)).await;
}

#[tokio::test]
async fn an_unclear_settlement() {
    for settlement in [Some(unclear()), None] {
        let told = settlement.clone();
        check(VALID, told, &[UNPAID, paid()], ("paid", ClaimState::Settled, false, 1, 1)).await;
        check(VALID, settlement.clone(), &[UNPAID], ("unclear", ClaimState::Unknown, true, 1, 1)).await;
        check(VALID, settlement, &[silent()], ("unclear", ClaimState::Unknown, true, 1, 1)).await;
    }
}

#[tokio::test]
async fn never_charged_for_an_error() {
    let bench = bench(VALID, done(), &[UNPAID]);
    let outcome = bench.processor.take(claim(), payment(), Box::pin(async { None }), DEADLINE).await;
    assert_eq!((outcome, bench.store.row().state), (PaymentOutcome::WorkFailed, ClaimState::Open));
    // A panic is an error, too.
    let outcome =
        bench.processor.take(claim(), payment(), Box::pin(async { panic!("boom") }), DEADLINE).await;
    bench.processor.idle().await;
    assert_eq!((outcome, bench.store.row().state), (PaymentOutcome::Unclear(None), ClaimState::Open));
    assert_eq!(bench.counts(), (0, 0));
    // The same payment can be tried again.
    *bench.script.chain.lock().unwrap() = vec![paid()];
    assert!(matches!(take(&bench).await, PaymentOutcome::Paid(..)));
}

#[tokio::test]
async fn copies_are_answered_once() {
    let bench = bench(VALID, done(), &[paid()]);
    *bench.script.settling.lock().unwrap() = Duration::from_millis(100);
    let copies = (0..20).map(|_| {
        let (processor, work) = (Arc::clone(&bench.processor), bench.work());
        tokio::spawn(async move { processor.take(claim(), payment(), work, DEADLINE).await })
    });
    let mut outcomes = Vec::new();
    for copy in copies.collect::<Vec<_>>() {
        outcomes.push(copy.await.unwrap().as_str());
    }
    outcomes.sort_unstable();
    assert_eq!((outcomes[18], outcomes[19]), ("in_progress", "paid"));
    assert_eq!(bench.counts(), (1, 1));
    assert!(matches!(known(&bench).await, Some(PaymentOutcome::Paid(_, sold)) if sold == answer("first")));
}

#[tokio::test]
async fn a_client_that_goes_away() {
    // Before the settlement is asked for: nothing is charged.
    let early = bench(VALID, done(), &[UNPAID]);
    let slow = Box::pin(async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Some(answer("first"))
    });
    let taking = early.processor.take(claim(), payment(), slow, DEADLINE);
    assert!(tokio::time::timeout(Duration::from_millis(40), taking).await.is_err());
    early.processor.idle().await;
    assert_eq!((early.states().into_iter().next(), early.counts()), (Some(ClaimState::Open), (0, 0)));
    // After it: it is seen through, and the answer waits.
    let late = bench(VALID, done(), &[paid()]);
    *late.script.settling.lock().unwrap() = Duration::from_millis(150);
    let (processor, work) = (Arc::clone(&late.processor), late.work());
    let taking = tokio::spawn(async move { processor.take(claim(), payment(), work, DEADLINE).await });
    late.script.settle_began.notified().await;
    taking.abort();
    late.processor.idle().await;
    assert!(matches!(known(&late).await, Some(PaymentOutcome::Paid(..))));
    // A deadline that passes is a client that goes away.
    let timed = bench(VALID, None, &[paid()]);
    let outcome = timed.processor.take(claim(), payment(), timed.work(), Duration::from_millis(60)).await;
    assert_eq!(outcome, PaymentOutcome::Unclear(None));
    timed.processor.idle().await;
    assert!(matches!(known(&timed).await, Some(PaymentOutcome::Paid(..))));
}

#[tokio::test]
async fn answers_known_payments_only_for_their_own_request() {
    let bench = bench(VALID, done(), &[paid()]);
    assert_eq!(known(&bench).await, None);
    take(&bench).await;
    let ask = |request, reference| bench.processor.known(&claim().key, request, reference).await_now();
    assert_eq!(ask("/v1/other", "ref"), Some("payment_used"));
    assert_eq!(ask(REQUEST, "another"), Some("payment_used"));
    assert_eq!(ask(REQUEST, "ref"), Some("paid"));
}

#[tokio::test]
async fn late_money_is_found_when_the_payment_is_sent_again() {
    for (verdict, settlement, before) in [
        (invalid(), done(), "refused"),
        (VALID, refused(), "settlement_failed"),
        (VALID, unclear(), "unclear"),
    ] {
        let bench = bench(verdict, settlement, &[UNPAID]);
        assert_eq!(take(&bench).await.as_str(), before);
        *bench.script.chain.lock().unwrap() = vec![silent()];
        assert!(matches!(known(&bench).await, Some(PaymentOutcome::Unclear(_))));
        *bench.script.chain.lock().unwrap() = vec![paid()];
        assert!(matches!(known(&bench).await, Some(PaymentOutcome::Paid(..))));
    }
}

#[tokio::test]
async fn the_reconciler_finds_late_money_and_closes_what_never_comes() {
    let for_good = Chain::Unpaid { for_good: true, contradicted: false };
    for (verdict, settlement, chain, open, closed) in [
        (invalid(), done(), UNPAID, ClaimState::Open, ClaimState::Open),
        (VALID, refused(), UNPAID, ClaimState::Failed, ClaimState::Failed),
        (VALID, unclear(), UNPAID, ClaimState::Unknown, ClaimState::Expired),
        (VALID, done(), silent(), ClaimState::Settled, ClaimState::Expired),
    ] {
        for arrives in [true, false] {
            let bench = bench(verdict.clone(), settlement.clone(), std::slice::from_ref(&chain));
            take(&bench).await;
            assert_eq!(bench.store.row().state, open);
            *bench.script.chain.lock().unwrap() = vec![if arrives { paid() } else { for_good.clone() }];
            let reconciling = tokio::spawn(reconcile(Arc::clone(&bench.processor)));
            while bench.store.row().watched {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            reconciling.abort();
            let row = bench.store.row();
            let expect = if arrives { (ClaimState::Settled, true) } else { (closed, false) };
            assert_eq!((row.state, row.confirmed, row.watched), (expect.0, expect.1, false));
            if arrives {
                assert!(matches!(known(&bench).await, Some(PaymentOutcome::Paid(..))));
            }
        }
    }
}

/// What fails because its chain does not hold it is its payer's failure; what nobody can say anything of is nobody's.
#[tokio::test]
async fn failures_are_counted_for_their_payer() {
    for (verdict, settlement, chain, fails) in [
        (invalid(), done(), UNPAID, true),
        (VALID, refused(), UNPAID, true),
        (VALID, unclear(), UNPAID, true),
        (invalid(), done(), silent(), false),
        (VALID, refused(), silent(), false),
        (VALID, unclear(), silent(), false),
        (VALID, done(), silent(), false),
    ] {
        let bench = bench(verdict, settlement, std::slice::from_ref(&chain));
        let claim = claim();
        let now = || tokio::time::Instant::now().into_std();
        for _ in 1..FAILURES_PER_PAYER_MAX {
            bench.processor.failing.fail(&(claim.rail, claim.payer.clone()), now());
        }
        take(&bench).await;
        let refuses = bench.processor.failing.refuses(&(claim.rail, claim.payer.clone()), now());
        assert_eq!(refuses.is_some(), fails, "{chain:?}");
    }
    let bench = bench(VALID, done(), &[paid()]);
    (0..FAILURES_PER_PAYER_MAX).for_each(|_| {
        bench.processor.failing.fail(&(claim().rail, claim().payer), std::time::Instant::now());
    });
    take(&bench).await;
    assert_eq!(bench.processor.failing.count(std::time::Instant::now()), 0, "who pays is forgiven");
}

/// What waits on one rail takes no place on another.
#[tokio::test]
async fn rails_have_places_of_their_own() {
    let bench = bench(VALID, done(), &[paid()]);
    *bench.script.settling.lock().unwrap() = Duration::from_millis(50);
    let (processor, work) = (Arc::clone(&bench.processor), bench.work());
    let taking = tokio::spawn(async move { processor.take(claim(), payment(), work, DEADLINE).await });
    bench.script.settle_began.notified().await;
    let at_work = |rail| bench.processor.at_work(rail);
    assert_eq!((at_work(claim().rail), at_work(tempo::NAME)), (1, 0));
    taking.await.unwrap();
    bench.processor.idle().await;
    assert_eq!(at_work(claim().rail), 0);
    let counts = bench.processor.tally.counts();
    assert_eq!(counts.iter().map(|it| (it.outcome, it.count)).collect::<Vec<_>>(), [("paid", 1)]);
}

#[tokio::test]
async fn a_store_that_stumbles_loses_nothing() {
    let bench = bench(VALID, done(), &[paid()]);
    *bench.script.settling.lock().unwrap() = Duration::from_millis(100);
    let (processor, work) = (Arc::clone(&bench.processor), bench.work());
    let taking = tokio::spawn(async move { processor.take(claim(), payment(), work, DEADLINE).await });
    bench.script.settle_began.notified().await;
    bench.store.failures.store(3, Ordering::SeqCst);
    assert!(matches!(taking.await.unwrap(), PaymentOutcome::Paid(..)));
    // One that fails at the claim takes no payment.
    let failing = crate::payment::core::processor::for_tests::bench(VALID, done(), &[paid()]);
    failing.store.failures.store(1, Ordering::SeqCst);
    assert_eq!(take(&failing).await, PaymentOutcome::Unclear(None));
    assert_eq!(failing.store.lookup(&claim().key), Ok(None));
    assert_eq!(failing.counts(), (0, 0));
}

#[tokio::test]
async fn a_copy_that_cannot_be_claimed_leaves_the_first_alone() {
    let bench = bench(VALID, refused(), &[UNPAID]);
    *bench.script.settling.lock().unwrap() = Duration::from_millis(100);
    let (processor, work) = (Arc::clone(&bench.processor), bench.work());
    let first = tokio::spawn(async move { processor.take(claim(), payment(), work, DEADLINE).await });
    bench.script.settle_began.notified().await;
    bench.store.failures.store(1, Ordering::SeqCst);
    assert_eq!(take(&bench).await, PaymentOutcome::Unclear(None));
    assert_eq!(bench.store.row().state, ClaimState::Settling);
    assert_eq!(
        (first.await.unwrap().as_str(), bench.store.row().state),
        ("settlement_failed", ClaimState::Failed)
    );
}

/// Runs a future that has nothing to wait for.
trait AwaitNow {
    fn await_now(self) -> Option<&'static str>;
}

impl<F: Future<Output = Result<Option<PaymentOutcome>, super::StoreError>>> AwaitNow for F {
    fn await_now(self) -> Option<&'static str> {
        let mut future = std::pin::pin!(self);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(outcome) => outcome.unwrap().map(|outcome| outcome.as_str()),
            std::task::Poll::Pending => panic!("there is nothing to wait for"),
        }
    }
}
