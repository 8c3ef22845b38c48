//! A facilitator over a socket, in every state it has been seen in.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::payment::net::for_tests::{self as fake, FakeReply, FakeServer};

const NETWORK: &str = "eip155:8453";
const SOON: Duration = Duration::from_millis(150);
const LATE: Duration = Duration::from_secs(20);
const BODY: &[u8] = br#"{"x402Version":2}"#;

fn at(url: &str) -> Facilitator {
    Facilitator::new(Client::new(), "base", url, Some(Secret::new("swordfish")), ("exact", NETWORK))
}

/// A facilitator that gives these replies, one after the other, the last for ever.
async fn replying(replies: &[FakeReply]) -> (FakeServer, Facilitator) {
    let (replies, next) = (replies.to_vec(), AtomicUsize::new(0));
    let server = fake::server(move |_| {
        let at = next.fetch_add(1, Ordering::SeqCst);
        replies[at.min(replies.len() - 1)].clone()
    })
    .await;
    let facilitator = at(&format!("{}/", server.url));
    (server, facilitator)
}

async fn verify(reply: FakeReply, time: Duration) -> Verdict {
    let (server, facilitator) = replying(&[reply]).await;
    let verdict = facilitator.verify(Bytes::from_static(BODY), "a", time).await;
    assert_eq!(server.count("/verify"), 1);
    verdict
}

async fn settle(replies: &[FakeReply], time: Duration, calls: usize) -> Settlement {
    let (server, facilitator) = replying(replies).await;
    let settlement = facilitator.settle(Bytes::from_static(BODY), "a", time).await;
    let seen = server.seen();
    assert!(seen.iter().all(|asked| asked.body == BODY && asked.path == "/settle"));
    assert!(seen.iter().all(|asked| asked.headers["authorization"] == "Bearer swordfish"));
    assert_eq!(seen.len(), calls);
    settlement
}

fn json(body: &str) -> FakeReply {
    FakeReply::json(200, body)
}

fn done(transaction: &str) -> Settlement {
    Settlement::Done(Some(transaction.to_owned()))
}

const PAID: &str = r#"{"success":true,"transaction":"0xabc","network":"eip155:8453","payer":"0x1","new":[]}"#;
const WAIT: &str =
    r#"{"success":false,"errorReason":"settlement_pending","transaction":"0xabc","network":"x"}"#;

#[tokio::test]
async fn a_verdict_counts_whatever_the_status_and_the_type() {
    let yes = r#"{"isValid":true,"payer":"0x1"}"#;
    let no = r#"{"isValid":false,"invalidReason":"insufficient_funds","invalidMessage":"poor"}"#;
    for status in [200, 400, 402, 500] {
        assert_eq!(verify(FakeReply::json(status, yes), LATE).await, Verdict::Valid);
        let invalid = Verdict::Invalid("insufficient_funds".into());
        assert_eq!(verify(FakeReply::Typed(status, "text/plain", no.into()), LATE).await, invalid);
    }
    let silent = Verdict::Invalid("no reason given".into());
    assert_eq!(verify(json(r#"{"isValid":false,"invalidReason":""}"#), LATE).await, silent);
}

#[tokio::test]
async fn treats_unreadable_replies_as_silence() {
    let unreadable = [
        r#"{"isValid":"true"}"#,
        r#"{"isValid":1}"#,
        r#"{"error":"boom"}"#,
        "<html>bad gateway</html>",
        "null",
        "",
        r#"{"isValid":true"#,
    ];
    for body in unreadable {
        for status in [200, 500] {
            let verdict = verify(FakeReply::json(status, body), LATE).await;
            assert!(matches!(verdict, Verdict::Silent(_)), "{status} {body}: {verdict:?}");
        }
    }
    for reply in [FakeReply::Reset, FakeReply::Never, FakeReply::HalfBody] {
        assert!(matches!(verify(reply, SOON).await, Verdict::Silent(_)));
    }
    let long = json(&format!(r#"{{"isValid":true,"x":"{}"}}"#, "x".repeat(1 << 20)));
    assert!(matches!(verify(long, LATE).await, Verdict::Silent(_)));
}

#[tokio::test]
async fn a_settlement_counts_whatever_the_status() {
    for status in [200, 402, 500] {
        assert_eq!(settle(&[FakeReply::json(status, PAID)], LATE, 1).await, done("0xabc"));
    }
    for body in [r#"{"success":true,"transaction":""}"#, r#"{"success":true}"#] {
        assert_eq!(settle(&[json(body)], LATE, 1).await, Settlement::Done(None));
    }
    for why in ["duplicate_settlement", "invalid_exact_evm_nonce_already_used", "something new"] {
        let body = format!(r#"{{"success":false,"errorReason":"{why}","transaction":""}}"#);
        assert_eq!(settle(&[json(&body)], LATE, 1).await, Settlement::Refused(why.into(), None));
    }
    let named = r#"{"success":false,"errorMessage":"reverted\n","transaction":"0xdef"}"#;
    let refused = Settlement::Refused("reverted".into(), Some("0xdef".into()));
    assert_eq!(settle(&[FakeReply::json(400, named)], LATE, 1).await, refused);
}

#[tokio::test]
async fn doubt_is_not_a_refusal() {
    let bodies = [
        r#"{"success":"true","transaction":"0xabc"}"#,
        r#"{"error":"boom"}"#,
        "<html>bad gateway</html>",
        "null",
        "",
    ];
    for body in bodies {
        for status in [200, 500] {
            let settlement = settle(&[FakeReply::json(status, body)], LATE, 1).await;
            assert!(matches!(settlement, Settlement::Unclear(_, None)), "{status} {body}: {settlement:?}");
        }
    }
    for reply in [FakeReply::Reset, FakeReply::Never, FakeReply::HalfBody] {
        let settlement = settle(std::slice::from_ref(&reply), SOON, 1).await;
        assert!(matches!(settlement, Settlement::Unclear(_, None)), "{reply:?}: {settlement:?}");
    }
    let facilitator = at(&fake::nobody().await);
    assert!(matches!(facilitator.settle(Bytes::new(), "a", LATE).await, Settlement::Unclear(_, None)));
}

#[tokio::test]
async fn pending_is_asked_for_once_more() {
    let abc = || Some("0xabc".to_owned());
    assert_eq!(settle(&[json(WAIT), json(PAID)], LATE, 2).await, done("0xabc"));
    let unnamed = json(r#"{"success":true,"transaction":""}"#);
    assert_eq!(settle(&[json(WAIT), unnamed], LATE, 2).await, done("0xabc"));
    let unclear = |why: &str| Settlement::Unclear(why.into(), abc());
    assert_eq!(settle(&[json(WAIT)], LATE, 2).await, unclear("settlement_pending"));
    let copy = json(r#"{"success":false,"errorReason":"duplicate_settlement","transaction":""}"#);
    assert_eq!(settle(&[json(WAIT), copy], LATE, 2).await, unclear("duplicate_settlement"));
    let failed = json(r#"{"success":false,"errorReason":"transaction_failed","transaction":""}"#);
    let refused = Settlement::Refused("transaction_failed".into(), abc());
    assert_eq!(settle(&[json(WAIT), failed], LATE, 2).await, refused);
    // The last waits for its whole time, so that is shorter; long enough for a first answer on a busy machine.
    for (second, time) in [
        (FakeReply::Reset, LATE),
        (FakeReply::json(500, "{}"), LATE),
        (FakeReply::Never, Duration::from_secs(2)),
    ] {
        let settlement = settle(&[json(WAIT), second], time, 2).await;
        assert!(
            matches!(&settlement, Settlement::Unclear(_, Some(hash)) if hash == "0xabc"),
            "{settlement:?}"
        );
    }
}

#[tokio::test]
async fn words_of_others_are_cut() {
    let body = format!(r#"{{"isValid":false,"invalidReason":"a\u0007b{}"}}"#, "ü".repeat(5000));
    let Verdict::Invalid(why) = verify(json(&body), LATE).await else { panic!("invalid") };
    assert!(why.starts_with("abü") && why.chars().count() == crate::payment::net::WORDS_CHARS_MAX);
}

async fn supported(body: &str) -> Result<Support, String> {
    let (server, facilitator) = replying(&[json(body)]).await;
    let support = facilitator.supported().await;
    assert_eq!(server.count("/supported"), 1);
    assert_eq!(facilitator.fee_payer(), support.as_ref().ok().and_then(|support| support.fee_payer.clone()));
    support
}

#[tokio::test]
async fn reads_supported_schemes_and_networks() {
    let body = r#"{"kinds":[{"x402Version":"1","scheme":7},{"x402Version":1,"scheme":"exact","network":"base"},
        {"x402Version":2,"scheme":"exact","network":"eip155:8453","extra":{"feePayer":"F","x":1}}],
        "extensions":[],"signers":{"eip155:*":["0xa"],"solana:*":["b"]}}"#;
    let support = Support { fee_payer: Some("F".into()) };
    assert_eq!(supported(body).await, Ok(support));
    let bare = r#"{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}"#;
    assert_eq!(supported(bare).await, Ok(Support::default()));
    let other = r#"{"kinds":[{"x402Version":1,"scheme":"exact","network":"eip155:8453"},
        {"x402Version":2,"scheme":"upto","network":"eip155:8453"},
        {"x402Version":2,"scheme":"exact","network":"eip155:84532"}]}"#;
    let why = supported(other).await.expect_err("another network");
    assert!(why.contains("eip155:8453") && why.contains("facilitator_url"), "{why}");
    for body in ["{}", "null", "<html>", r#"{"kinds":{}}"#, r#"{"kinds":[1]}"#] {
        supported(body).await.expect_err(body);
    }
}

#[tokio::test]
async fn its_answers_are_its_health() {
    let (_server, facilitator) = replying(&[FakeReply::json(500, "{}")]).await;
    let health = || format!("{:?}", facilitator.health());
    facilitator.verify(Bytes::new(), "a", LATE).await;
    facilitator.settle(Bytes::new(), "a", LATE).await;
    facilitator.settle(Bytes::new(), "b", LATE).await;
    assert!(health().contains(r#"in_a_row: [{"a"}, {"a", "b"}]"#), "{}", health());
    let (_server, facilitator) = replying(&[json(WAIT)]).await;
    facilitator.settle(Bytes::new(), "a", LATE).await;
    assert!(format!("{:?}", facilitator.health()).contains("in_a_row: [{}, {}]"), "pending is an answer");
    assert!(!format!("{facilitator:?}").contains("swordfish"));
}
