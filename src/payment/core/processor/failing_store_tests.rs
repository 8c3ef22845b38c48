//! A store of claims that fails at any one write, before or after it is done, or from then on: at most one transfer, no
//! answer without a durable claim, and after the next start the chain's word decides.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::JoinSet;

use super::for_tests::{
    Bench, REQUEST, UNPAID, WriteFault, bench, claim, done, paid, payment, refused, silent, unclear,
};
use crate::payment::core::claim::{ClaimState, ClaimStore as _};
use crate::payment::core::outcome::PaymentOutcome;
use crate::payment::core::scheme::{Chain, Settlement, Verdict};

const DEADLINE: Duration = Duration::from_mins(1);
/// More writes than a payment takes, tries included.
const WRITES_MAX: usize = 9;

/// How a payment goes, but for the store.
#[derive(Debug, Clone)]
struct Course {
    verdict: Verdict,
    settlement: Settlement,
    /// What the chain says before a settlement is asked for, and after.
    chain: [Chain; 2],
}

fn courses() -> Vec<Course> {
    let course = |verdict, settlement, chain| Course { verdict, settlement, chain };
    let no = || Verdict::Invalid("no".into());
    vec![
        course(Verdict::Valid, done(), [UNPAID, paid()]),
        course(Verdict::Valid, done(), [UNPAID, silent()]),
        course(Verdict::Valid, refused(), [UNPAID, paid()]),
        course(Verdict::Valid, refused(), [UNPAID, UNPAID]),
        course(Verdict::Valid, unclear(), [UNPAID, paid()]),
        course(Verdict::Valid, unclear(), [UNPAID, silent()]),
        course(no(), done(), [paid(), paid()]),
        course(no(), done(), [UNPAID, UNPAID]),
    ]
}

/// What a client does: it asks what is known, and pays where nothing is.
async fn send(bench: &Bench) -> PaymentOutcome {
    match bench.processor.known(&claim().key, REQUEST, "ref").await {
        Ok(Some(outcome)) => outcome,
        Ok(None) => bench.processor.take(claim(), payment(), bench.work(), DEADLINE).await,
        Err(_) => PaymentOutcome::Unclear(None),
    }
}

/// Holds an outcome against the store and the chain.
fn check(bench: &Bench, outcome: &PaymentOutcome, when: &str) {
    let is_paid = matches!(bench.script.chain.lock().unwrap()[0], Chain::Paid(_));
    let row = bench.store.lookup(&claim().key).unwrap();
    match outcome {
        PaymentOutcome::Paid(_, answer) => {
            assert_eq!(row.unwrap().state, ClaimState::Settled, "{when}");
            assert_eq!(bench.store.answer(&claim().key, 0).unwrap().as_ref(), Some(answer), "{when}");
        }
        PaymentOutcome::Refused(..) => assert!(!is_paid, "{when}: refused, and the chain has it"),
        PaymentOutcome::Unclear(_) | PaymentOutcome::InProgress => {}
        other => panic!("{when}: {}", other.as_str()),
    }
}

/// A payment whose store fails so; whether the fault came about.
async fn run(course: Course, fault: WriteFault) -> bool {
    let when = format!("{course:?}, {fault:?}");
    let [before, after] = course.chain.clone();
    let bench = bench(course.verdict, course.settlement, &[before]);
    *bench.script.chain_after.lock().unwrap() = Some(after.clone());
    *bench.store.fault.lock().unwrap() = Some(fault);
    let first = send(&bench).await;
    bench.processor.idle().await;
    check(&bench, &first, &when);
    let (WriteFault::Before(at) | WriteFault::After(at) | WriteFault::From(at)) = fault;
    let came_about = bench.store.writes.load(Ordering::SeqCst) >= at;
    // The disk is well again, and the server starts anew.
    *bench.store.fault.lock().unwrap() = None;
    bench.store.recover();
    for time in 0..3 {
        let again = send(&bench).await;
        check(&bench, &again, &format!("{when}, sent again"));
        // What was durable before the settlement is not settled again: it is in doubt, until its time is over.
        let in_doubt = matches!(fault, WriteFault::After(_)) && bench.counts().1 == 0;
        if matches!(after, Chain::Paid(_)) && time > 0 && !in_doubt {
            assert_eq!(again.as_str(), "paid", "{when}, sent again {time}");
        }
    }
    let (_, settled) = bench.counts();
    let may_fail_again = matches!(after, Chain::Unpaid { .. });
    assert!(settled <= 1 || may_fail_again, "{when}: {settled} settlements");
    came_about
}

#[tokio::test]
async fn failed_writes_never_charge_twice_or_without_an_answer() {
    let mut runs = JoinSet::new();
    for course in courses() {
        for number in 1..=WRITES_MAX {
            for fault in [WriteFault::Before, WriteFault::After, WriteFault::From] {
                runs.spawn(run(course.clone(), fault(number)));
            }
        }
    }
    let (mut met, mut beyond) = (0, 0);
    while let Some(came_about) = runs.join_next().await {
        *(if came_about.unwrap() { &mut met } else { &mut beyond }) += 1;
    }
    assert!(met > 50 && beyond > 50, "{met} faults came about, {beyond} lay beyond the last write");
}
