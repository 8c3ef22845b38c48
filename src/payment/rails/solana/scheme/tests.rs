//! Solana's rail against a node and a facilitator that say what each test wants.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::payment::core::claim::{ClaimKey, ClaimKind, PaymentProtocol};
use crate::payment::net::for_tests::{self as fake, FakeReply, FakeServer, until};
use crate::payment::protocols::for_tests::unsigned;
use crate::payment::rails::solana::NAME;
use crate::payment::rails::solana::transaction::pubkey;

const FEE_PAYER: &str = "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu";
const OWNER: &str = "GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse";
const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const MEMO: &str = "pb1.AAAA.1796083200.BBBB";
const LISTED: &str = "[24] pb1.AAAA.1796083200.BBBB";
const MESSAGE: &[u8] = b"\x80 all that was signed";
const VALID_BEFORE: u64 = 1_796_083_200;
const FROM_SLOT: u64 = 100;
/// The owner's account for the token.
const ACCOUNT: &str = "DNDTCnZkNk358qDFZd9unHtnrc73SsXcpVWtwJJMrR4B";
const NETWORK: &str = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

fn claim() -> Claim {
    Claim {
        key: ClaimKey(format!("solana:{}", alloy_primitives::hex::encode(Sha256::digest(MESSAGE)))),
        kind: ClaimKind::Sale,
        rail: NAME,
        protocol: PaymentProtocol::X402,
        network: NETWORK.into(),
        asset: MINT.into(),
        payer: "payer".into(),
        pay_to: OWNER.into(),
        amount: 10_000,
        endpoint: "/v1/x".into(),
        request: "/v1/x".into(),
        media_type: "application/json".into(),
        reference: "pb1.secret".into(),
        trace: format!("{FEE_PAYER} {MEMO}"),
        valid_before: VALID_BEFORE,
        from_block: FROM_SLOT,
        claimed_at: 0,
    }
}

/// A transaction as a node holds it.
#[derive(Clone)]
struct Landed {
    signature: [u8; 64],
    message: Vec<u8>,
    slot: u64,
    memo: Option<String>,
    failed: bool,
}

fn landed(of: u8) -> Landed {
    Landed {
        signature: [of; 64],
        message: MESSAGE.into(),
        slot: 101,
        memo: Some(LISTED.into()),
        failed: false,
    }
}

impl Landed {
    fn name(&self) -> String {
        base58(&self.signature)
    }

    fn err(&self) -> Value {
        if self.failed { json!({"InstructionError": [2, {"Custom": 1}]}) } else { Value::Null }
    }

    fn listed(&self) -> Value {
        json!({
            "signature": self.name(), "slot": self.slot, "memo": self.memo, "err": self.err(),
            "blockTime": 1, "confirmationStatus": "confirmed"
        })
    }

    fn whole(&self) -> Value {
        let wire = [&[2][..], &self.signature, &[9; 64], &self.message].concat();
        json!({
            "slot": self.slot, "blockTime": 1, "version": 0, "meta": {"err": self.err(), "fee": 5000},
            "transaction": [STANDARD.encode(wire), "base64"]
        })
    }
}

/// A node with these transactions, the newest first, and a block time if it knows the method.
async fn node(time: Option<Value>, transactions: Vec<Landed>) -> FakeServer {
    fake::node(move |method, params| {
        Some(Ok(match method {
            "getSlot" => json!(103),
            "getBlockTime" => {
                assert_eq!(params[0], 103);
                return time.clone().map(Ok);
            }
            "getSignaturesForAddress" => {
                assert_eq!((&params[0], &params[1]["commitment"]), (&json!(FEE_PAYER), &json!("confirmed")));
                let from = params[1]["before"].as_str().map_or(0, |before| {
                    1 + transactions.iter().position(|one| one.name() == before).expect("a known signature")
                });
                let limit = params[1]["limit"].as_u64().expect("a limit") as usize;
                json!(transactions[from..].iter().take(limit).map(Landed::listed).collect::<Vec<_>>())
            }
            "getTransaction" => {
                let options = json!({"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 0});
                assert_eq!(params[1], options);
                transactions.iter().find(|one| params[0] == one.name()).map_or(Value::Null, Landed::whole)
            }
            _ => return None,
        }))
    })
    .await
}

fn rail(facilitator: &str, rpc: &str) -> SolanaRail {
    SolanaRail {
        network: NETWORK.into(),
        asset: pubkey(MINT).expect("an address"),
        pay_to: pubkey(OWNER).expect("an address"),
        destination: pubkey(ACCOUNT).expect("an address"),
        facilitator_url: facilitator.into(),
        rpc_url: rpc.into(),
        bearer: None,
    }
}

async fn look_at(server: &FakeServer, transaction: Option<&str>) -> Chain {
    let node = Node::new(&Client::new(), &rail("http://127.0.0.1:1", &server.url));
    let claim = claim();
    let due = Due::of(&claim).expect("a trace");
    let clock = || VALID_BEFORE + 31;
    due.query(&node, transaction, clock).await.unwrap_or_else(|why| Chain::Silent(why.to_string()))
}

async fn query(transactions: Vec<Landed>, transaction: Option<&str>) -> Chain {
    look_at(&node(Some(json!(VALID_BEFORE)), transactions).await, transaction).await
}

fn paid(by: &Landed) -> Chain {
    Chain::Paid(Proof { transaction: by.name(), index: 2 })
}

const UNPAID: Chain = Chain::Unpaid { for_good: false, contradicted: false };
const NEVER: Chain = Chain::Unpaid { for_good: true, contradicted: true };

#[tokio::test]
async fn a_payment_is_found_named_or_not() {
    let ours = landed(1);
    assert_eq!(query(vec![ours.clone()], Some(&ours.name())).await, paid(&ours));
    assert_eq!(query(vec![ours.clone()], None).await, paid(&ours));
    let other = Landed { memo: Some("[5] hello".into()), message: b"other".into(), ..landed(2) };
    let none = Landed { memo: None, ..landed(3) };
    let joined = Landed { memo: Some(format!("[5] hello; {LISTED}")), ..landed(1) };
    assert_eq!(query(vec![other, none, joined.clone()], None).await, paid(&joined));
}

#[tokio::test]
async fn another_message_does_not_pay() {
    // The memo can be copied; the message cannot.
    let copy = Landed { message: b"\x80 another".into(), ..landed(1) };
    assert_eq!(query(vec![copy.clone()], None).await, UNPAID);
    let contradicted = Chain::Unpaid { for_good: false, contradicted: true };
    assert_eq!(query(vec![copy.clone()], Some(&copy.name())).await, contradicted);
    let ours = landed(2);
    assert_eq!(query(vec![copy.clone(), ours.clone()], Some(&copy.name())).await, paid(&ours));
    for memo in
        ["pb1.AAAA.1796083200.BBBB", "[24] pb1.AAAA.1796083200.BBBBx", "[25] pb1.AAAA.1796083200.BBBB"]
    {
        let one = Landed { memo: Some(memo.into()), ..landed(1) };
        assert_eq!(query(vec![one], None).await, UNPAID, "{memo}");
    }
}

#[tokio::test]
async fn rejects_failed_and_earlier_transactions() {
    let failed = Landed { failed: true, ..landed(1) };
    for transaction in [None, Some(failed.name())] {
        assert_eq!(query(vec![failed.clone()], transaction.as_deref()).await, NEVER);
    }
    let early = Landed { slot: FROM_SLOT - 1, ..landed(1) };
    assert_eq!(query(vec![early.clone()], None).await, UNPAID);
    let contradicted = Chain::Unpaid { for_good: false, contradicted: true };
    assert_eq!(query(vec![early.clone()], Some(&early.name())).await, contradicted);
}

#[tokio::test]
async fn time_decides_what_is_for_good() {
    let cases = [
        (Some(json!(VALID_BEFORE + 30)), false),
        (Some(json!(VALID_BEFORE + 31)), true),
        // The block has no time yet.
        (Some(Value::Null), false),
        // The node does not know the method: the clock, which is past the end, decides.
        (None, true),
    ];
    for (time, for_good) in cases {
        let server = node(time.clone(), vec![]).await;
        let says = Chain::Unpaid { for_good, contradicted: false };
        for transaction in [None, Some("garbage"), Some(""), Some(&*base58(&[7; 64]))] {
            assert_eq!(look_at(&server, transaction).await, says, "{time:?}");
        }
    }
}

#[tokio::test]
async fn a_long_list_is_read_to_its_end() {
    let unlike = |at: usize| {
        let mut one = Landed { memo: None, ..landed(0) };
        one.signature[..8].copy_from_slice(&(at as u64 + 1).to_be_bytes());
        one
    };
    let ours = landed(1);
    let mut many: Vec<Landed> = (0..SIGNATURES_MAX + 5).map(unlike).collect();
    many.push(ours.clone());
    assert_eq!(query(many, None).await, paid(&ours));
    let mut old: Vec<Landed> = (0..SIGNATURES_MAX).map(unlike).collect();
    old[SIGNATURES_MAX - 1].slot = FROM_SLOT - 1;
    let server = node(Some(json!(1)), old).await;
    assert_eq!(look_at(&server, None).await, UNPAID);
    assert_eq!(server.calls("getSignaturesForAddress"), 1, "what is older cannot be it");
    let endless = (0..SIGNATURE_CALLS_MAX * SIGNATURES_MAX).map(unlike).collect();
    assert!(matches!(query(endless, None).await, Chain::Silent(_)));
}

/// The first slot that counts is the next one after the ledger was made: none since then is an answer too.
#[tokio::test]
async fn a_chain_that_stands_still_says_unpaid() {
    let still = fake::node(|method, _| {
        Some(Ok(match method {
            "getSlot" => json!(FROM_SLOT - 1),
            "getSignaturesForAddress" => json!([Landed { slot: FROM_SLOT - 1, ..landed(1) }.listed()]),
            _ => json!(VALID_BEFORE),
        }))
    })
    .await;
    assert_eq!(look_at(&still, None).await, UNPAID);
}

#[tokio::test]
async fn a_node_that_does_not_know_says_nothing() {
    for reply in
        [FakeReply::Reset, FakeReply::Never, FakeReply::json(500, "{}"), FakeReply::error(-32005, "behind")]
    {
        let server = fake::node(move |_, _| Some(Err(reply.clone()))).await;
        let says = look_at(&server, None).await;
        assert!(matches!(says, Chain::Silent(_)), "{says:?}");
    }
    let behind = fake::node(|_, _| Some(Ok(json!(FROM_SLOT - 2)))).await;
    assert!(matches!(look_at(&behind, None).await, Chain::Silent(_)));
    let listed = fake::node(|method, _| {
        Some(Ok(match method {
            "getSlot" => json!(103),
            "getSignaturesForAddress" => json!([landed(1).listed()]),
            _ => Value::Null,
        }))
    })
    .await;
    assert!(matches!(look_at(&listed, None).await, Chain::Silent(_)), "listed, and not to be had");
    let unreadable = json!({"slot": 101, "meta": {"err": null}, "transaction": ["not base64", "base64"]});
    let garbled = fake::node(move |method, _| {
        Some(Ok(match method {
            "getSlot" => json!(103),
            "getSignaturesForAddress" => json!([landed(1).listed()]),
            "getTransaction" => unreadable.clone(),
            _ => json!(VALID_BEFORE + 31),
        }))
    })
    .await;
    assert!(matches!(look_at(&garbled, None).await, Chain::Silent(_)), "had, and not to be read");
}

#[test]
fn transactions_are_split() {
    let wire = [&[1][..], &[7; 64], b"message"].concat();
    assert_eq!(split(&wire), Some((&[7; 64][..], &b"message"[..])));
    for wrong in [&[][..], &[0, 1, 2], &[1; 64], &[0x80; 200]] {
        assert_eq!(split(wrong), None);
    }
}

/// A facilitator that names this fee payer.
async fn facilitator(extra: Value) -> FakeServer {
    fake::server(move |asked| match asked.path.as_str() {
        "/supported" => {
            let kind = json!({"x402Version": 2, "scheme": "exact", "network": NETWORK, "extra": extra});
            FakeReply::json(200, &json!({ "kinds": [kind] }).to_string())
        }
        "/verify" => FakeReply::json(200, r#"{"isValid":true}"#),
        _ => FakeReply::json(200, r#"{"success":true,"transaction":"sig"}"#),
    })
    .await
}

async fn probed(account: Value) -> FakeServer {
    fake::node(move |method, params| {
        Some(Ok(match method {
            "getAccountInfo" => {
                assert_eq!(params[0], "DNDTCnZkNk358qDFZd9unHtnrc73SsXcpVWtwJJMrR4B");
                json!({"context": {"slot": 1}, "value": account})
            }
            "getSlot" => json!(103),
            _ => return None,
        }))
    })
    .await
}

fn start(facilitator: &FakeServer, node: &FakeServer) -> ExactSolana {
    let times = CallTimes { verify: Duration::from_secs(3), settle: Duration::from_secs(20), offer_s: 60 };
    ExactSolana::start(
        &Client::new(),
        Arc::new(rail(&facilitator.url, &node.url)),
        times,
        crate::payment::core::clock::unix_seconds,
    )
}

#[tokio::test]
async fn the_rail_verifies_and_settles_through_its_facilitator() {
    let (facilitator, node) =
        (facilitator(json!({"feePayer": FEE_PAYER})).await, probed(json!({"lamports": 1})).await);
    let scheme = start(&facilitator, &node);
    until(|| scheme.is_up()).await;
    assert_eq!((scheme.head(), scheme.fee_payer().as_deref()), (103, Some(FEE_PAYER)));
    let payment = SignedPayment::Transaction(vec![1, 2, 3]);
    assert_eq!(scheme.verify(&claim(), &payment).await, Verdict::Valid);
    assert_eq!(scheme.settle(&claim(), &payment).await, Settlement::Done(Some("sig".into())));
    let seen = facilitator.seen();
    let bodies: Vec<_> = seen.iter().filter(|asked| asked.path != "/supported").collect();
    assert_eq!(bodies[0].body, bodies[1].body);
    let body = bodies[0].json();
    let requirement = json!({
        "scheme": "exact", "network": NETWORK, "amount": "10000", "asset": MINT, "payTo": OWNER,
        "maxTimeoutSeconds": 60, "extra": {"feePayer": FEE_PAYER, "memo": MEMO}
    });
    assert_eq!(body["paymentRequirements"], requirement);
    assert_eq!(body["paymentPayload"]["accepted"], requirement);
    assert_eq!(body["paymentPayload"]["payload"], json!({"transaction": "AQID"}));
    assert!(!body.to_string().contains("secret"), "the reference stays here");
    scheme.withdraw("it lied");
    assert!(!scheme.is_up());
    let foreign = SignedPayment::Authorization(unsigned());
    assert!(matches!(scheme.verify(&claim(), &foreign).await, Verdict::Invalid(_)));
}

#[tokio::test]
async fn the_rail_is_down_without_an_account_or_a_fee_payer() {
    let node = probed(Value::Null).await;
    let why = Node::new(&Client::new(), &rail("http://127.0.0.1:1", &node.url)).probe().await;
    assert!(why.expect_err("no account").contains(ACCOUNT));
    let nameless = facilitator(json!({})).await;
    let node = probed(json!({"lamports": 1})).await;
    let scheme = start(&nameless, &node);
    until(|| scheme.node.head.was_seen()).await;
    until(|| scheme.facilitator.health().fault().is_some_and(|why| why.contains("fee"))).await;
    assert!(!scheme.is_up());
}
