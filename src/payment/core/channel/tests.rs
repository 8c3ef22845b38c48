//! The channel manager by its rules, over the real ledger and a scripted chain.

#![allow(clippy::unwrap_used)]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ChannelTerms;
use super::for_tests::{Bench, DEPOSIT, Fate, LIMITS, PRICE, Payer, Script, terms};
use super::manager::UNKNOWN_PER_MINUTE_MAX;
use super::outcome::ChannelOutcome;
use super::payment::{ChannelAct, TermsStatus};
use super::row::{ChannelRow, ChannelStore as _};
use super::voucher_check::{ClaimCause, RefundFault, claim_due};
use crate::payment::core::clock::unix_millis;
use crate::payment::core::outcome::PaymentReason;
use crate::payment::ledger::Ledger;

fn is_sold(outcome: &ChannelOutcome, body: &str) -> bool {
    matches!(outcome, ChannelOutcome::Charged { answer, again: false, .. } if answer.body == body.as_bytes())
}

fn is_replayed(outcome: &ChannelOutcome, body: &str) -> bool {
    matches!(outcome, ChannelOutcome::Charged { answer, again: true, .. } if answer.body == body.as_bytes())
}

fn corrected(outcome: &ChannelOutcome) -> Option<(PaymentReason, u64, u64)> {
    match outcome {
        ChannelOutcome::Corrected(reason, correction) => {
            Some((*reason, correction.charged, correction.chain.balance))
        }
        _ => None,
    }
}

#[tokio::test]
async fn a_voucher_buys_exactly_one_answer() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
    // The same again is the same purchase, whoever computes.
    assert!(is_replayed(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
    let other = bench.ask(payer.voucher(2 * PRICE), "b").await;
    assert_eq!(corrected(&other), Some((PaymentReason::PaymentUsed, 2 * PRICE, DEPOSIT)));
    for wrong in [1, PRICE, 2 * PRICE + 1, 3 * PRICE - 1, 3 * PRICE + 1, 4 * PRICE, u64::MAX] {
        let told = bench.ask(payer.voucher(wrong), "c").await;
        assert_eq!(corrected(&told), Some((PaymentReason::Amount, 2 * PRICE, DEPOSIT)), "{wrong}");
    }
    assert!(is_sold(&bench.ask(payer.voucher(3 * PRICE), "c").await, "c"));
    assert_eq!((bench.row(payer.id).charged, bench.worked.load(Ordering::SeqCst)), (3 * PRICE, 3));
    assert_eq!(bench.manager.at_risk(), 3 * PRICE);
}

#[tokio::test]
async fn copies_at_once_are_one_purchase() {
    let bench = Bench::with(ChannelTerms { waiters_max: 8, ..terms() });
    let payer = Payer::new(1);
    bench.opened(&payer).await;
    let copies = (0..8).map(|_| bench.ask(payer.voucher(2 * PRICE), "a"));
    let outcomes = futures_util::future::join_all(copies).await;
    assert_eq!(outcomes.iter().filter(|outcome| is_sold(outcome, "a")).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| is_replayed(outcome, "a")).count(), 7);
    // Different requests with one voucher: one of them buys.
    let names: Vec<String> = (0..8).map(|number| format!("b{number}")).collect();
    let others = names.iter().map(|name| bench.ask(payer.voucher(3 * PRICE), name));
    let outcomes = futures_util::future::join_all(others).await;
    let sold = outcomes.iter().filter(|outcome| matches!(outcome, ChannelOutcome::Charged { .. })).count();
    assert_eq!((sold, bench.row(payer.id).charged), (1, 3 * PRICE));
}

#[tokio::test]
async fn few_wait_for_one_channel() {
    let bench = Bench::with(ChannelTerms { waiters_max: 1, ..terms() });
    let payer = Payer::new(1);
    bench.opened(&payer).await;
    let many = (0..6).map(|_| bench.ask(payer.voucher(2 * PRICE), "a"));
    let outcomes = futures_util::future::join_all(many).await;
    assert!(outcomes.contains(&ChannelOutcome::Busy), "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| is_sold(outcome, "a")).count(), 1);
}

#[tokio::test]
async fn a_channel_without_money_is_not_opened() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    assert_eq!(bench.ask(payer.voucher(PRICE), "a").await, ChannelOutcome::BelowClaimed);
    assert_eq!(bench.ledger.channel(payer.id), Ok(None));
    let small = bench.ask(payer.deposit(PRICE, DEPOSIT - 1, 1), "a").await;
    assert_eq!(small, ChannelOutcome::Refused(PaymentReason::Amount));
    let large = bench.ask(payer.deposit(PRICE, terms().deposit_max + 1, 1), "a").await;
    assert_eq!(large, ChannelOutcome::Refused(PaymentReason::Amount));
    for terms_status in [TermsStatus::Former, TermsStatus::Foreign] {
        let mut foreign = payer.deposit(PRICE, DEPOSIT, 1);
        foreign.terms_status = terms_status;
        assert_eq!(bench.ask(foreign, "a").await, ChannelOutcome::Refused(PaymentReason::Terms));
    }
    let mut permit = payer.voucher(PRICE);
    permit.act = ChannelAct::DepositOtherwise;
    assert_eq!(bench.ask(permit, "a").await, ChannelOutcome::Refused(PaymentReason::Terms));
    assert_eq!(bench.script.deposits.load(Ordering::SeqCst), 0, "nothing was settled");
}

#[tokio::test]
async fn unknown_channels_of_one_address_are_counted() {
    let bench = Bench::new();
    let from = |last| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last));
    for number in 0..UNKNOWN_PER_MINUTE_MAX as u8 {
        let asked = bench.ask_from(Payer::new(number + 1).voucher(PRICE), "a", from(1)).await;
        assert_eq!(asked, ChannelOutcome::BelowClaimed, "{number}");
    }
    let next = bench.ask_from(Payer::new(200).voucher(PRICE), "a", from(1)).await;
    assert!(matches!(next, ChannelOutcome::TooMany { .. }), "{next:?}");
    assert_eq!(
        bench.ask_from(Payer::new(200).voucher(PRICE), "a", from(2)).await,
        ChannelOutcome::BelowClaimed
    );
}

#[tokio::test]
async fn a_deposit_is_settled_only_where_it_is_needed() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    assert!(is_sold(&bench.ask(payer.deposit(2 * PRICE, DEPOSIT, 2), "a").await, "a"));
    assert_eq!(bench.script.deposits.load(Ordering::SeqCst), 1);
    // A voucher that signs the wrong sum spends no deposit.
    let wrong = bench.ask(payer.deposit(9 * PRICE, DEPOSIT, 3), "b").await;
    assert_eq!(corrected(&wrong).map(|told| told.0), Some(PaymentReason::Amount));
    assert_eq!(bench.script.deposits.load(Ordering::SeqCst), 1);
    // The money runs out: a voucher alone is told so, with a deposit it is sold.
    bench.script.change(payer.id, |channel| channel.balance = 2 * PRICE);
    let bench = bench.restarted();
    assert_eq!(
        corrected(&bench.ask(payer.voucher(3 * PRICE), "b").await),
        Some((PaymentReason::Amount, 2 * PRICE, 2 * PRICE))
    );
    assert!(is_sold(&bench.ask(payer.deposit(3 * PRICE, DEPOSIT, 4), "b").await, "b"));
    assert_eq!(bench.script.deposits.load(Ordering::SeqCst), 2);
    // A deposit that was settled and spent before is no second one.
    bench.script.change(payer.id, |channel| channel.balance = 3 * PRICE);
    let bench = bench.restarted();
    let spent = bench.ask(payer.deposit(4 * PRICE, DEPOSIT, 4), "c").await;
    assert_eq!(corrected(&spent).map(|told| told.0), Some(PaymentReason::Amount), "{spent:?}");
    assert_eq!(bench.script.deposits.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn finds_deposits_whose_outcome_was_not_reported() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.script.set(Fate::LostAndDone);
    // The chain shows it, so that nobody answered changes nothing.
    assert!(is_sold(&bench.ask(payer.deposit(PRICE, DEPOSIT, 1), "a").await, "a"));
    bench.script.set(Fate::Lost);
    let other = Payer::new(2);
    assert_eq!(bench.ask(other.deposit(PRICE, DEPOSIT, 1), "a").await, ChannelOutcome::Unclear);
    // Another deposit waits until the end of the first is known, a voucher within the money does not.
    bench.script.set(Fate::Done);
    assert_eq!(bench.ask(other.deposit(PRICE, DEPOSIT, 2), "a").await, ChannelOutcome::Unclear);
    // The money comes after all: nothing was charged, and the same voucher is sold.
    bench.script.change(other.id, |channel| channel.balance = DEPOSIT);
    assert!(is_sold(&bench.ask(other.voucher(PRICE), "a").await, "a"));
    assert_eq!(bench.row(other.id).charged, PRICE);
}

#[tokio::test]
async fn refused_deposits_and_silence_sell_nothing() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.script.set(Fate::Refused);
    let refused = bench.ask(payer.deposit(PRICE, DEPOSIT, 9), "a").await;
    assert_eq!(refused, ChannelOutcome::Refused(PaymentReason::SettlementFailed));
    bench.script.set(Fate::Done);
    bench.script.silent.store(true, Ordering::SeqCst);
    assert_eq!(bench.ask(payer.deposit(PRICE, DEPOSIT, 2), "a").await, ChannelOutcome::Unclear);
    bench.script.silent.store(false, Ordering::SeqCst);
    bench.script.facilitator_is_down.store(true, Ordering::SeqCst);
    assert_eq!(bench.ask(payer.deposit(PRICE, DEPOSIT, 3), "a").await, ChannelOutcome::Unclear);
    assert_eq!(bench.ledger.channel(payer.id), Ok(None));
    // Channels that are open go on without the facilitator, and without the node for a while.
    bench.script.facilitator_is_down.store(false, Ordering::SeqCst);
    bench.opened(&payer).await;
    bench.script.facilitator_is_down.store(true, Ordering::SeqCst);
    bench.script.silent.store(true, Ordering::SeqCst);
    assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
}

#[tokio::test]
async fn a_server_that_starts_again_reads_the_chain_first() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, 3 * PRICE).await;
    let bench = bench.restarted();
    assert_eq!(bench.manager.at_risk(), 3 * PRICE);
    assert!(is_replayed(
        &bench.ask(payer.voucher(3 * PRICE), &format!("request {}", 3 * PRICE)).await,
        "request 30000"
    ));
    bench.script.silent.store(true, Ordering::SeqCst);
    assert_eq!(bench.ask(payer.voucher(4 * PRICE), "a").await, ChannelOutcome::Unclear);
    bench.script.silent.store(false, Ordering::SeqCst);
    assert!(is_sold(&bench.ask(payer.voucher(4 * PRICE), "a").await, "a"));
    // A backup that knows less than the chain adopts what was claimed.
    bench.script.change(payer.id, |channel| channel.claimed = 9 * PRICE);
    let bench = bench.restarted();
    assert_eq!(bench.ask(payer.voucher(5 * PRICE), "b").await, ChannelOutcome::BelowClaimed);
    assert!(is_sold(&bench.ask(payer.voucher(10 * PRICE), "b").await, "b"));
    assert_eq!((bench.row(payer.id).charged, bench.manager.at_risk()), (10 * PRICE, PRICE));
}

#[tokio::test]
async fn a_lost_ledger_takes_what_the_chain_says() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, 5 * PRICE).await;
    bench.script.change(payer.id, |channel| channel.claimed = 2 * PRICE);
    let lost = Bench::over(Arc::new(Ledger::in_memory(LIMITS).unwrap()), Arc::clone(&bench.script), terms());
    assert_eq!(lost.ask(payer.voucher(2 * PRICE), "a").await, ChannelOutcome::BelowClaimed);
    let told = lost.ask(payer.voucher(6 * PRICE), "a").await;
    assert_eq!(corrected(&told), Some((PaymentReason::Amount, 2 * PRICE, DEPOSIT)));
    assert!(matches!(&told, ChannelOutcome::Corrected(_, correction) if correction.voucher.is_none()));
    assert!(is_sold(&lost.ask(payer.voucher(3 * PRICE), "a").await, "a"));
}

#[tokio::test]
async fn refuses_sales_during_a_forced_withdrawal() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.script.change(payer.id, |channel| channel.withdraw_at = Some(7));
    let bench = bench.restarted();
    let refused = ChannelOutcome::Refused(PaymentReason::Refused);
    assert_eq!(bench.ask(payer.voucher(2 * PRICE), "a").await, refused);
    assert!(is_replayed(&bench.ask(payer.voucher(PRICE), "first").await, "first"), "what was sold is sold");
    let due = claim_due(&bench.row(payer.id), &terms(), unix_millis(), false).expect("at once");
    assert_eq!((due.voucher.max, due.cause), (PRICE, ClaimCause::End));
    bench.script.change(payer.id, |channel| (channel.withdraw_at, channel.balance) = (None, 2 * PRICE));
    let bench = bench.restarted();
    assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
}

#[tokio::test]
async fn refunds_the_remaining_balance_once() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, 3 * PRICE).await;
    let above = bench.ask(payer.refund(4 * PRICE, None), "any").await;
    assert_eq!(corrected(&above).map(|told| told.0), Some(PaymentReason::Amount));
    for amount in [0, DEPOSIT - 3 * PRICE + 1] {
        let refused = bench.ask(payer.refund(3 * PRICE, Some(amount)), "any").await;
        assert_eq!(refused, ChannelOutcome::RefundRefused(RefundFault::Amount), "{amount}");
    }
    let back = bench.ask(payer.refund(3 * PRICE, None), "any").await;
    let ChannelOutcome::Refunded { amount, transaction, .. } = &back else { panic!("{back:?}") };
    assert_eq!((*amount, transaction.as_str()), (DEPOSIT - 3 * PRICE, "0xrefund"));
    let chain = bench.script.on_chain(payer.id);
    assert_eq!((chain.balance, chain.claimed), (3 * PRICE, 3 * PRICE), "what was sold was claimed with it");
    // Repeated it is the same refund, another one waits.
    assert_eq!(bench.ask(payer.refund(3 * PRICE, None), "any").await, back);
    let other = bench.ask(payer.refund(3 * PRICE, Some(1)), "any").await;
    assert!(matches!(other, ChannelOutcome::TooMany { .. }), "{other:?}");
    assert_eq!(bench.script.refunds.load(Ordering::SeqCst), 1);
    // The voucher left for a facilitator: it opens nothing any more, and its answer neither.
    let replay = bench.ask(payer.voucher(3 * PRICE), "request 30000").await;
    assert!(matches!(replay, ChannelOutcome::AnswerExpired { .. }), "{replay:?}");
    assert_eq!(bench.ask(payer.voucher(3 * PRICE), "other").await, ChannelOutcome::BelowClaimed);
    // Money comes again, and the count goes on.
    assert!(is_sold(&bench.ask(payer.deposit(4 * PRICE, DEPOSIT, 9), "again").await, "again"));
    assert_eq!(bench.row(payer.id).charged, 4 * PRICE);
}

/// What lies in a channel that was not used for `idle_refund_s` goes back, what was sold on it is claimed with it, and
/// a sale that was made while the refund waited for its turn keeps it open.
#[tokio::test]
async fn closes_idle_channels() {
    let (bench, payer) = (Bench::with(ChannelTerms { idle_refund_s: 3_600, ..terms() }), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, 3 * PRICE).await;
    let channel = || bench.manager.all().pop().unwrap();
    let used = |ago_ms: u64| bench.manager.update(&channel(), |row| row.used_at = unix_millis() - ago_ms);
    let refunds = || bench.script.refunds.load(Ordering::SeqCst);
    used(3_590_000);
    assert!(bench.manager.finish_refunds().await.unwrap());
    assert_eq!(refunds(), 0, "not yet");
    used(3_600_000);
    let turn = channel();
    let turn = turn.turn.lock().await;
    let chores = {
        let manager = Arc::clone(&bench.manager);
        tokio::spawn(async move { manager.finish_refunds().await })
    };
    tokio::task::yield_now().await;
    used(0);
    drop(turn);
    assert!(chores.await.unwrap().unwrap());
    assert_eq!(refunds(), 0, "used meanwhile");
    used(3_600_000);
    // A facilitator that does not answer leaves it to the next round, and nothing is sold until then.
    bench.script.set(Fate::Lost);
    assert!(!bench.manager.finish_refunds().await.unwrap());
    assert_eq!(bench.ask(payer.voucher(4 * PRICE), "a").await, ChannelOutcome::Unclear);
    bench.script.set(Fate::Done);
    for _ in 0..2 {
        assert!(bench.manager.finish_refunds().await.unwrap());
        let chain = bench.script.on_chain(payer.id);
        assert_eq!((chain.balance, chain.claimed, refunds()), (3 * PRICE, 3 * PRICE, 1));
    }
    assert_eq!((bench.manager.at_risk(), bench.row(payer.id).charged), (0, 3 * PRICE));
    // Its payer may come again.
    assert!(is_sold(&bench.ask(payer.deposit(4 * PRICE, DEPOSIT, 9), "again").await, "again"));
}

#[tokio::test]
async fn blocks_the_channel_until_an_unreported_refund_is_done() {
    for fate in [Fate::Lost, Fate::Refused, Fate::LostAndDone] {
        let (bench, payer) = (Bench::new(), Payer::new(1));
        bench.opened(&payer).await;
        bench.script.set(fate);
        let told = bench.ask(payer.refund(PRICE, Some(500_000)), "any").await;
        if fate == Fate::LostAndDone {
            assert!(matches!(told, ChannelOutcome::Refunded { amount: 500_000, .. }), "{told:?}");
            continue;
        }
        assert_eq!(told, ChannelOutcome::Unclear);
        assert_eq!(bench.ask(payer.voucher(2 * PRICE), "a").await, ChannelOutcome::Unclear);
        let bench = bench.restarted();
        assert_eq!(bench.ask(payer.voucher(2 * PRICE), "a").await, ChannelOutcome::Unclear);
        bench.script.set(Fate::Done);
        let again = bench.ask(payer.refund(PRICE, Some(500_000)), "any").await;
        assert!(matches!(again, ChannelOutcome::Refunded { amount: 500_000, .. }), "{again:?}");
        assert_eq!(bench.script.refunds.load(Ordering::SeqCst), 1);
        assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
    }
}

#[tokio::test]
async fn the_hard_stop_of_a_channel_holds() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, terms().at_risk_channel_max).await;
    let next = terms().at_risk_channel_max + PRICE;
    assert_eq!(bench.ask(payer.voucher(next), "a").await, ChannelOutcome::Unclear);
    bench.script.change(payer.id, |channel| channel.claimed = 5 * PRICE);
    let bench = bench.restarted();
    assert!(is_sold(&bench.ask(payer.voucher(next), "a").await, "a"));
    let bench =
        Bench::with(ChannelTerms { at_risk_max: 3 * PRICE, at_risk_channel_max: 3 * PRICE, ..terms() });
    let (one, other) = (Payer::new(1), Payer::new(2));
    bench.opened(&one).await;
    bench.opened(&other).await;
    assert!(is_sold(&bench.ask(one.voucher(2 * PRICE), "a").await, "a"));
    assert_eq!(
        bench.ask(other.voucher(2 * PRICE), "a").await,
        ChannelOutcome::Unclear,
        "all channels together"
    );
}

#[tokio::test]
async fn claims_keep_the_newest_voucher_back_while_it_is_fresh() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.buy_up_to(&payer, 9 * PRICE).await;
    let now = unix_millis();
    let due = |row: &ChannelRow, now| claim_due(row, &terms(), now, false);
    assert_eq!(due(&bench.row(payer.id), now), None, "too little");
    bench.buy_up_to(&payer, 10 * PRICE).await;
    let row = bench.row(payer.id);
    assert_eq!(due(&row, now).map(|due| (due.voucher.max, due.cause)), Some((9 * PRICE, ClaimCause::Amount)));
    assert_eq!(due(&row, now + 600_001).map(|due| due.voucher.max), Some(10 * PRICE), "nobody asks again");
    bench.manager.claim_round().await;
    assert_eq!(bench.script.on_chain(payer.id).claimed, 9 * PRICE);
    assert_eq!(bench.manager.at_risk(), PRICE);
    assert!(is_replayed(&bench.ask(payer.voucher(10 * PRICE), "request 100000").await, "request 100000"));
    assert_eq!(bench.ask(payer.voucher(9 * PRICE), "x").await, ChannelOutcome::BelowClaimed);
    assert_eq!(due(&bench.row(payer.id), now), None);
    // What is left is claimed for its age, once nobody can ask for its answer.
    let later = now + terms().claim_after_s * 1_000 + 60_000;
    assert_eq!(
        due(&bench.row(payer.id), later).map(|due| (due.voucher.max, due.cause)),
        Some((10 * PRICE, ClaimCause::Age))
    );
}

/// The contract refuses a whole call for one channel that cannot pay: the others are claimed all the same.
#[tokio::test]
async fn one_channel_that_cannot_pay_holds_up_no_other() {
    let bench = Bench::new();
    let payers: Vec<Payer> = (1..=5).map(Payer::new).collect();
    for payer in &payers {
        bench.opened(payer).await;
        bench.buy_up_to(payer, 12 * PRICE).await;
    }
    // Behind the mirror's back one is emptied, and another one but for a part.
    bench.script.change(payers[2].id, |channel| channel.balance = 0);
    bench.script.change(payers[3].id, |channel| channel.balance = 4 * PRICE);
    bench.manager.claim_round().await;
    let claimed = |at: usize| bench.script.on_chain(payers[at].id).claimed;
    assert_eq!([0, 1, 4].map(claimed), [11 * PRICE; 3]);
    bench.manager.round().await;
    bench.manager.claim_round().await;
    assert_eq!(claimed(2), 0);
    // The first failure of a channel has it wait; what lies in it is claimed then.
    let due = claim_due(&bench.row(payers[3].id), &terms(), unix_millis(), false).expect("what is there");
    assert_eq!((due.claimed, due.voucher.max), (4 * PRICE, 11 * PRICE));
    assert_eq!(claim_due(&bench.row(payers[2].id), &terms(), unix_millis(), true), None);
}

#[tokio::test]
async fn a_client_that_hangs_up_is_not_charged() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    let (began, go) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let work = {
        let (began, go) = (Arc::clone(&began), Arc::clone(&go));
        Box::pin(async move {
            began.notify_one();
            go.notified().await;
            Some(crate::payment::core::claim::StoredAnswer::nothing())
        })
    };
    let request = super::charge::ChargeRequest {
        price: PRICE,
        endpoint: "/v1/shopper/best-price",
        request_hash: [7; 32],
        client: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    {
        let asked = bench.manager.take(Box::new(payer.voucher(2 * PRICE)), request, work);
        tokio::select! {
            outcome = asked => panic!("{outcome:?}"),
            () = began.notified() => {}
        }
    }
    go.notify_one();
    assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"), "nothing was charged");
}

/// Two servers over one store: the second sells nothing that the first has sold.
#[tokio::test]
async fn a_second_server_on_the_ledger_is_noticed() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    let second = Bench::over(Arc::clone(&bench.ledger), Arc::clone(&bench.script), terms());
    assert!(is_sold(&bench.ask(payer.voucher(2 * PRICE), "a").await, "a"));
    assert_eq!(second.ask(payer.voucher(2 * PRICE), "b").await, ChannelOutcome::Unclear);
    let told = second.ask(payer.voucher(2 * PRICE), "b").await;
    assert_eq!(corrected(&told).map(|told| told.0), Some(PaymentReason::PaymentUsed));
    assert!(is_sold(&second.ask(payer.voucher(3 * PRICE), "b").await, "b"));
}

#[tokio::test]
async fn a_silent_round_is_tried_again_and_a_withdrawal_is_seen() {
    let (bench, payer) = (Bench::new(), Payer::new(1));
    bench.opened(&payer).await;
    bench.script.silent.store(true, Ordering::SeqCst);
    assert!(bench.manager.round().await < bench.manager.round_pause());
    bench.script.silent.store(false, Ordering::SeqCst);
    bench.script.change(payer.id, |channel| channel.withdraw_at = Some(5));
    assert_eq!(bench.manager.round().await, bench.manager.round_pause());
    assert_eq!(
        bench.ask(payer.voucher(2 * PRICE), "a").await,
        ChannelOutcome::Refused(PaymentReason::Refused)
    );
    assert_eq!(bench.manager.figures().withdrawals, 1);
    bench.manager.claim_round().await;
    assert_eq!(bench.script.on_chain(payer.id).claimed, PRICE);
}

/// Whatever comes in whatever order: one answer per voucher, money in its bounds, the ledger and memory one.
#[tokio::test]
async fn any_story_keeps_the_books() {
    for seed in 0..std::env::var("CHANNEL_SEEDS").map_or(12, |text| text.parse().unwrap()) {
        story(seed).await;
    }
}

/// Numbers below a bound, the same for the same seed.
fn dice(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

async fn story(seed: u64) {
    let mut draw = dice(seed);
    let mut bench = Bench::over(Arc::new(Ledger::in_memory(LIMITS).unwrap()), Script::new(), terms());
    let payers: Vec<Payer> = (1..=3).map(Payer::new).collect();
    let mut sold = [0_u64; 3];
    let mut salt = 0_u8;
    for step in 0..120 {
        let at = draw(3) as usize;
        let payer = &payers[at];
        let charged = bench.ledger.channel(payer.id).unwrap().map_or(0, |row| row.charged);
        let before = bench.script.on_chain(payer.id);
        let request = format!("{step}");
        let outcome = match draw(12) {
            0..=4 => Some(bench.ask(payer.voucher(charged + PRICE), &request).await),
            5 => Some(bench.ask(payer.voucher(draw(charged + 3 * PRICE)), &request).await),
            6 => {
                salt = salt.wrapping_add(1);
                Some(bench.ask(payer.deposit(charged + PRICE, DEPOSIT, salt), &request).await)
            }
            7 => {
                Some(bench.ask(payer.refund(charged, (draw(2) == 0).then(|| draw(DEPOSIT))), &request).await)
            }
            8 => {
                let fates = [Fate::Done, Fate::Done, Fate::Refused, Fate::Lost, Fate::LostAndDone];
                bench.script.set(fates[draw(5) as usize]);
                None
            }
            9 => {
                bench.script.silent.store(draw(4) == 0, Ordering::SeqCst);
                None
            }
            10 => {
                bench = bench.restarted();
                None
            }
            _ => {
                bench.manager.claim_round().await;
                bench.manager.round().await;
                None
            }
        };
        let when = format!("seed {seed}, step {step}: {outcome:?}");
        if let Some(ChannelOutcome::Charged { again: false, answer, .. }) = &outcome {
            sold[at] += PRICE;
            assert_eq!(answer.body, request.as_bytes(), "{when}");
            let row = bench.row(payer.id);
            assert!(row.charged <= bench.script.on_chain(payer.id).balance, "{when}: {row:?}");
            assert!(row.at_risk() <= terms().at_risk_channel_max, "{when}");
        }
        balanced(&bench, payer, sold[at], charged, before.claimed, &when);
        let at_risk: u64 = payers
            .iter()
            .filter_map(|payer| bench.ledger.channel(payer.id).unwrap())
            .map(|row| row.at_risk())
            .sum();
        assert_eq!(bench.manager.at_risk(), at_risk, "{when}");
    }
}

/// What was sold is charged, and never less than before; what is claimed was sold, and never less than before.
fn balanced(bench: &Bench, payer: &Payer, sold: u64, charged: u64, claimed: u64, when: &str) {
    if let Some(row) = bench.ledger.channel(payer.id).unwrap() {
        assert_eq!(row.charged, sold, "{when}");
        assert!(row.chain.claimed <= row.charged && row.charged >= charged, "{when}: {row:?}");
    }
    let chain = bench.script.on_chain(payer.id);
    assert!(chain.claimed >= claimed && chain.claimed <= sold, "{when}: {chain:?}");
}
