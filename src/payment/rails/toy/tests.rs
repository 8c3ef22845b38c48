//! A rail that only its folder and its row in the table know is configured, offered, paid, received and remembered.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::payment::core::check::Fault;
use crate::payment::core::claim::{ClaimStore as _, StoredAnswer};
use crate::payment::core::clock::{unix_millis, unix_seconds};
use crate::payment::core::credential::{Credential, PAYMENT_SIGNATURE, PresentedPayment};
use crate::payment::core::failure_limiter::FAILURES_PER_PAYER_MAX;
use crate::payment::core::gate::{Gate, PAYMENT_RECEIPT, PAYMENT_RESPONSE};
use crate::payment::core::offer::{PAYMENT_REQUIRED, Sale};
use crate::payment::core::outcome::PaymentOutcome;
use crate::payment::core::secret::for_tests::sound_secret;
use crate::payment::ledger::report::{ExportFormat, LedgerReport};
use crate::payment::ledger::{Ledger, ReplyLimits};
use crate::payment::net::for_tests::until;
use crate::payment::protocols::codec::{base64, base64url, from_base64};
use crate::payment::settings::{Secrets, Settings};
use crate::payment::{Mode, start};
use crate::query::descriptor::PriceClass;

const PRICE: u64 = 10_000;
const LIMITS: ReplyLimits = ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 1 << 20 };

/// A server's payments, on this rail alone.
struct Shop {
    gate: Arc<Gate>,
    folder: TempDir,
}

fn settings(table: &str) -> Result<Settings, Vec<Fault>> {
    let text = format!("public_base_url = \"https://prices.example\"\n[rail.toy]\n{table}");
    let raw = toml::from_str(&text).expect("a table");
    let secrets = Secrets { current: Some(sound_secret()), ..Secrets::default() };
    let listen: SocketAddr = "127.0.0.1:8080".parse().expect("an address");
    Settings::new(&raw, Mode::Live, listen, secrets, [0; 32])
}

async fn shop() -> Shop {
    let folder = tempfile::tempdir().expect("a folder");
    let gate = gate(&folder, |_| {});
    until(|| !gate.open().is_empty()).await;
    Shop { gate, folder }
}

/// A gate over the ledger in a folder.
fn gate(folder: &TempDir, change: impl FnOnce(&mut Settings)) -> Arc<Gate> {
    let mut settings = settings("pay_to = \"us\"").expect("a configuration");
    settings.ledger = folder.path().join("ledger.sqlite");
    change(&mut settings);
    start::open(&settings, Arc::new(|_: &str, _: &str| None)).expect("a ledger")
}

fn sale() -> Sale {
    Sale {
        endpoint: "/v1/shopper/best-price",
        summary: "Best price.",
        request: "/v1/shopper/best-price?q=tea".to_owned(),
        class: PriceClass::Shopper,
        media_type: "application/json",
    }
}

fn credential(gate: &Gate, headers: &HeaderMap) -> Box<Credential> {
    match gate.present(headers) {
        Ok(PresentedPayment::Payment(credential)) => credential,
        other => panic!("{other:?}"),
    }
}

/// Pays, and pays again with the same bytes; returns the receipt.
async fn pay(shop: &Shop, headers: &HeaderMap) -> (String, Value) {
    let answer = StoredAnswer {
        body: b"{}".to_vec(),
        media_type: "application/json".into(),
        snapshot_id: "s".into(),
        freshness_seconds: 1,
    };
    let sold = answer.clone();
    let credentials = || credential(&shop.gate, headers);
    let paid = shop.gate.take(*credentials(), &sale(), Box::pin(async { Some(sold) })).await;
    let PaymentOutcome::Paid(row, bought) = paid else { panic!("not paid") };
    assert_eq!((bought, row.claim.rail, row.claim.payer.as_str()), (answer, NAME, "alice"));
    let again = known(&shop.gate, headers).await;
    assert!(matches!(again, Some(PaymentOutcome::Paid(..))), "{again:?}");
    let (name, receipt) = shop.gate.receipt(&row).expect("a receipt");
    let receipt = from_base64(receipt.to_str().expect("text")).expect("base64");
    (name.to_string(), serde_json::from_slice(&receipt).expect("JSON"))
}

/// What is known of the payment in these headers.
async fn known(gate: &Gate, headers: &HeaderMap) -> Option<PaymentOutcome> {
    let presented = gate.present(headers).expect("one payment");
    gate.known(&presented, &sale().request).await.expect("a ledger")
}

/// Headers of an offer.
fn offers(gate: &Gate) -> HeaderMap {
    gate.challenge(&sale(), None).expect("offers").into_iter().collect()
}

fn by_x402(gate: &Gate, amount: u64) -> HeaderMap {
    let offer = offers(gate).remove(PAYMENT_REQUIRED).expect("an offer of x402");
    let offer: Value =
        serde_json::from_slice(&from_base64(offer.to_str().expect("text")).expect("base64")).expect("JSON");
    let accepted = &offer["accepts"][0];
    assert_eq!((&accepted["network"], &accepted["payTo"]), (&json!(NETWORK), &json!("us")));
    let reference = accepted["extra"]["ref"].as_str().expect("a reference");
    let wire = wire("alice", amount, unix_seconds() + 60, reference);
    let payment = json!({"x402Version": 2, "accepted": accepted, "payload": {"transaction": base64(&wire)}});
    let value = HeaderValue::try_from(base64(payment.to_string().as_bytes())).expect("a header");
    HeaderMap::from_iter([(PAYMENT_SIGNATURE, value)])
}

fn by_mpp(gate: &Gate) -> HeaderMap {
    let line = offers(gate).remove(WWW_AUTHENTICATE).expect("an offer of MPP");
    let line = line.to_str().expect("text");
    assert!(line.contains("method=\"toy\""), "{line}");
    let field = |name: &str| line.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    let names = ["id", "realm", "method", "intent", "request", "expires", "opaque"];
    let challenge: Value = names.map(|name| (name, field(name).expect(name))).into_iter().collect();
    let wire = wire("alice", PRICE, unix_seconds() + 60, field("id").expect("an id"));
    let payload = json!({"type": "transaction", "signature": hex::encode_prefixed(wire)});
    let credential = json!({"challenge": challenge, "payload": payload});
    let value = format!("Payment {}", base64url(credential.to_string().as_bytes()));
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(value).expect("a header"))])
}

#[tokio::test]
async fn it_is_paid_by_both_protocols_and_remembered_by_its_name() {
    let shop = shop().await;
    let (name, receipt) = pay(&shop, &by_x402(&shop.gate, PRICE)).await;
    assert_eq!((name.as_str(), &receipt["network"]), (PAYMENT_RESPONSE.as_str(), &json!(NETWORK)));
    let (name, receipt) = pay(&shop, &by_mpp(&shop.gate)).await;
    assert_eq!((name.as_str(), &receipt["method"]), (PAYMENT_RECEIPT.as_str(), &json!("toy")));
    let mut export = Vec::new();
    let report = LedgerReport::open(&shop.folder.path().join("ledger.sqlite")).expect("a ledger");
    report.export(ExportFormat::Csv, &mut export).expect("written");
    let export = String::from_utf8(export).expect("text");
    assert_eq!(export.lines().filter(|line| line.contains(",toy,")).count(), 2, "{export}");
}

#[tokio::test]
async fn its_own_conditions_hold() {
    let shop = shop().await;
    let take = async |headers: HeaderMap| {
        shop.gate.take(*credential(&shop.gate, &headers), &sale(), Box::pin(async { None })).await
    };
    let reason = |outcome| match outcome {
        PaymentOutcome::Refused(reason, None) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(take(by_x402(&shop.gate, PRICE - 1)).await), PaymentReason::Amount);
    let settings = settings("").expect_err("nobody is paid");
    assert_eq!(settings[0].key, "payment.rail.toy.pay_to");
}

/// The ledger keeps what was sold, whatever becomes of the configuration: payments over a rail that left it, and offers
/// of a key that is forgotten, are answered as before, and nothing new is taken.
#[tokio::test]
async fn answers_past_payments_after_the_rail_is_removed() {
    let shop = shop().await;
    let (x402, mpp) = (by_x402(&shop.gate, PRICE), by_mpp(&shop.gate));
    let unpaid = by_x402(&shop.gate, PRICE);
    for headers in [&x402, &mpp] {
        pay(&shop, headers).await;
    }
    shop.gate.close().await.expect("closed");
    let Shop { gate: before, folder } = shop;
    // Everything that holds the ledger goes with the gate's tasks.
    drop(before);
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::copy(folder.path().join("ledger.sqlite"), copy.path().join("ledger.sqlite")).expect("a copy");
    let gone = gate(&copy, |settings| {
        settings.rails = Vec::new();
        settings.secret = Secret::new("t".repeat(32));
    });
    let other = Sale { request: "/v1/shopper/best-price?q=other".to_owned(), ..sale() };
    for headers in [&x402, &mpp] {
        let presented = gone.present(headers).expect("one payment");
        assert!(matches!(presented, PresentedPayment::Unusable(_, Some(_))), "{presented:?}");
        assert!(matches!(known(&gone, headers).await, Some(PaymentOutcome::Paid(..))));
        assert_eq!(gone.known(&presented, &other.request).await, Ok(None), "another request's answer");
    }
    assert_eq!(known(&gone, &unpaid).await, None, "it was never taken, and is not now");
    // Who has seen the payment and not the offer is told nothing.
    let mut thief = x402.clone();
    let payment = from_base64(x402[PAYMENT_SIGNATURE].to_str().expect("text")).expect("base64");
    let mut payment: Value = serde_json::from_slice(&payment).expect("JSON");
    payment["accepted"]["extra"]["ref"] = json!("pb1.guessed");
    let value = HeaderValue::try_from(base64(payment.to_string().as_bytes())).expect("a header");
    thief.insert(PAYMENT_SIGNATURE, value);
    assert_eq!(known(&gone, &thief).await, None);
}

/// A payer whose payments fail too often is refused before anybody is asked for them; others pay, and what was paid is
/// answered.
#[tokio::test]
async fn a_payer_who_fails_is_not_looked_at() {
    let shop = shop().await;
    let paid = by_x402(&shop.gate, PRICE);
    pay(&shop, &paid).await;
    for _ in 0..FAILURES_PER_PAYER_MAX {
        shop.gate.blame(NAME, "alice");
    }
    let again = by_x402(&shop.gate, PRICE);
    let refused = shop.gate.take(*credential(&shop.gate, &again), &sale(), Box::pin(async { None })).await;
    assert!(matches!(refused, PaymentOutcome::TooManyFailures { retry_after_s: 1.. }), "{refused:?}");
    assert!(matches!(known(&shop.gate, &paid).await, Some(PaymentOutcome::Paid(..))));
    assert_eq!(shop.gate.figures().expect("figures").payers_failing, 1);
}

/// A name that no rail has is refused by name, and never taken for another rail.
#[test]
fn a_stored_name_that_no_rail_has_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.sqlite");
    let ledger = Ledger::open(&path, LIMITS, unix_millis()).expect("a ledger");
    drop(ledger);
    let database = rusqlite::Connection::open(&path).expect("a database");
    database
        .execute_batch(
            "INSERT INTO claims VALUES ('k', 'ripple', 'mpp', 'n', 'a', 'p', 'us', 1, '/e', '/e', 'r', 't', 1, 1, 1,
             'open', 1, NULL, NULL, NULL, 0, 0, NULL, NULL, 'application/json', 0, 0, 'sale')",
        )
        .expect("a row");
    drop(database);
    let ledger = Ledger::open(&path, LIMITS, unix_millis()).expect("a ledger");
    let refused = ledger.lookup(&ClaimKey("k".into())).expect_err("a refusal");
    assert!(refused.to_string().contains("the rail \"ripple\" is not known"), "{refused}");
}
