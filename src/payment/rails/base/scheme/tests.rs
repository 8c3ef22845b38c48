//! The rule for paid, against a node that says what each test wants; and the rail as a whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::payment::core::claim::{ClaimKey, ClaimKind, PaymentProtocol};
use crate::payment::core::secret::Secret;
use crate::payment::net::for_tests::{self as fake, FakeReply, FakeServer, until};
use crate::payment::protocols::eip3009::{Authorization, Domain, Signed};
use crate::payment::rails::base::NAME;

const ASSET: &str = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const OTHER_TOKEN: &str = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
const PAYER: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const PAY_TO: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const SOMEBODY: &str = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const VALID_BEFORE: u64 = 1_796_083_200;
const FROM_BLOCK: u64 = 100;

fn nonce(number: u8) -> String {
    format!("0x{number:064x}")
}

fn hash(number: u8) -> String {
    format!("0x{:064x}", u64::from(number) + 0xabcd_ef00)
}

fn claim() -> Claim {
    Claim {
        key: ClaimKey("eip155:8453:x".into()),
        kind: ClaimKind::Sale,
        rail: NAME,
        protocol: PaymentProtocol::X402,
        network: "eip155:8453".into(),
        asset: ASSET.into(),
        payer: PAYER.into(),
        pay_to: PAY_TO.into(),
        amount: 10_000,
        endpoint: "/v1/x".into(),
        request: "/v1/x?q=kettle".into(),
        media_type: "application/json".into(),
        reference: "pb1.secret".into(),
        trace: format!("{PAYER} {}", nonce(1)),
        valid_before: VALID_BEFORE,
        from_block: FROM_BLOCK,
        claimed_at: 0,
    }
}

fn padded(address: &str) -> String {
    format!("0x{:0>64}", &address[2..])
}

/// `AuthorizationUsed`.
fn used(number: u8) -> Value {
    let event = keccak256("AuthorizationUsed(address,bytes32)");
    json!({"address": ASSET, "topics": [event, padded(PAYER), nonce(number)], "data": "0x"})
}

/// `Transfer` from the payer.
fn transfer(token: &str, to: &str, value: &str) -> Value {
    let event = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    json!({"address": token, "topics": [event, padded(PAYER), padded(to)], "data": value})
}

fn word(value: u64) -> String {
    format!("0x{value:064x}")
}

fn to_us() -> Value {
    transfer(ASSET, PAY_TO, &word(10_000))
}

/// A receipt whose logs are numbered from 7 on.
fn receipt(of: u8, block: u64, status: &str, logs: &[Value]) -> Value {
    let numbered = logs.iter().enumerate().map(|(at, log)| {
        let mut log = log.clone();
        log["logIndex"] = json!(format!("{:#x}", at + 7));
        log["transactionHash"] = json!(hash(of));
        log["blockNumber"] = json!(format!("{block:#x}"));
        log
    });
    json!({
        "transactionHash": hash(of), "blockNumber": format!("{block:#x}"), "status": status,
        "logs": numbered.collect::<Vec<_>>(), "type": "0x2"
    })
}

/// A chain of these receipts, whose newest block has this number and time. A block takes two seconds.
async fn chain(latest: (u64, u64), receipts: Vec<Value>) -> FakeServer {
    fake::node(move |method, params| {
        let logs = || receipts.iter().flat_map(|receipt| receipt["logs"].as_array().expect("logs").clone());
        let number =
            |value: &Value| u64::from_str_radix(&value.as_str().expect("text")[2..], 16).expect("hex");
        Some(Ok(match method {
            "eth_chainId" => json!("0x2105"),
            "eth_blockNumber" => json!(format!("{:#x}", latest.0)),
            "eth_getBlockByNumber" => {
                let block = if params[0] == "latest" { latest.0 } else { number(&params[0]) };
                let time = latest.1 - 2 * (latest.0 - block);
                json!({"number": format!("{block:#x}"), "timestamp": format!("{time:#x}"), "hash": "0x"})
            }
            "eth_getTransactionReceipt" => {
                let found = receipts.iter().find(|receipt| receipt["transactionHash"] == params[0]);
                found.cloned().unwrap_or(Value::Null)
            }
            "eth_getLogs" => {
                let filter = &params[0];
                let (from, to) = (number(&filter["fromBlock"]), number(&filter["toBlock"]));
                assert!(to - from <= LOG_BLOCKS_MAX && to <= latest.0);
                assert_eq!(filter["address"], ASSET);
                let fits = |log: &Value| {
                    log["topics"] == filter["topics"] && (from..=to).contains(&number(&log["blockNumber"]))
                };
                json!(logs().filter(fits).collect::<Vec<_>>())
            }
            _ => return None,
        }))
    })
    .await
}

async fn look_at(server: &FakeServer, claim: &Claim, transaction: Option<&str>) -> Chain {
    let node = EvmNode::new(Client::new(), &server.url, 8453);
    let due = Due::of(claim).expect("a trace");
    due.query(&node, transaction).await.unwrap_or_else(|why| Chain::Silent(why.to_string()))
}

/// What a chain of one transaction says, when it is named and when it is looked for.
async fn query(of: Value) -> Chain {
    let server = chain((FROM_BLOCK + 3, VALID_BEFORE - 40), vec![of]).await;
    let named = look_at(&server, &claim(), Some(&hash(1))).await;
    assert_eq!(look_at(&server, &claim(), None).await, named);
    named
}

fn paid(of: u8, index: u64) -> Chain {
    Chain::Paid(Proof { transaction: hash(of), index })
}

const CONTRADICTED: Chain = Chain::Unpaid { for_good: false, contradicted: true };
const UNPAID: Chain = Chain::Unpaid { for_good: false, contradicted: false };
const OVER: Chain = Chain::Unpaid { for_good: true, contradicted: false };

#[tokio::test]
async fn a_payment_is_found_named_or_not() {
    assert_eq!(query(receipt(1, 101, "0x1", &[used(1), to_us()])).await, paid(1, 8));
    let busy = [to_us(), used(2), to_us(), used(1), to_us(), to_us()];
    assert_eq!(query(receipt(1, 101, "0x1", &busy)).await, paid(1, 11));
    assert_eq!(query(receipt(1, FROM_BLOCK, "0x1", &[used(1), to_us()])).await, paid(1, 8));
}

#[tokio::test]
async fn two_nonces_in_one_transaction_pay_once() {
    // Nonce 1 pays somebody else, nonce 2 pays us: nobody may buy with nonce 1.
    let to_somebody = transfer(ASSET, SOMEBODY, &word(10_000));
    let both = receipt(1, 101, "0x1", &[used(1), to_somebody.clone(), used(2), to_us()]);
    assert_eq!(query(both.clone()).await, CONTRADICTED);
    let server = chain((103, VALID_BEFORE), vec![both]).await;
    let second = Claim { trace: format!("{PAYER} {}", nonce(2)), ..claim() };
    assert_eq!(look_at(&server, &second, Some(&hash(1))).await, paid(1, 10));
    let reversed = receipt(1, 101, "0x1", &[used(2), to_us(), used(1), to_somebody]);
    assert_eq!(query(reversed).await, CONTRADICTED);
    // Both events first, then both transfers: no payment of nonce 1 either.
    assert_eq!(query(receipt(1, 101, "0x1", &[used(1), used(2), to_us()])).await, CONTRADICTED);
}

#[tokio::test]
async fn rejects_receipts_without_the_expected_transfer() {
    let wrong = [
        vec![used(1), transfer(OTHER_TOKEN, PAY_TO, &word(10_000))],
        vec![used(1), transfer(OTHER_TOKEN, PAY_TO, &word(10_000)), to_us()],
        vec![to_us(), used(1)],
        vec![used(1)],
        vec![used(1), transfer(ASSET, PAY_TO, &word(9_999))],
        vec![used(1), transfer(ASSET, PAY_TO, &word(10_001))],
        // 10,000 and 2^64 more.
        vec![used(1), transfer(ASSET, PAY_TO, &format!("0x{:047x}1{:016x}", 0, 10_000))],
        vec![used(1), transfer(ASSET, PAY_TO, "0x2710")],
        vec![used(1), transfer(ASSET, PAY_TO, "0x")],
        vec![used(1), transfer(ASSET, SOMEBODY, &word(10_000))],
    ];
    for logs in wrong {
        assert_eq!(query(receipt(1, 101, "0x1", &logs)).await, CONTRADICTED, "{logs:?}");
    }
    // A node that leaves logs out does not make two of them neighbours.
    let mut gap = receipt(1, 101, "0x1", &[used(1), to_us()]);
    gap["logs"][1]["logIndex"] = json!("0x9");
    assert_eq!(query(gap).await, CONTRADICTED);
    let mut foreign = used(1);
    foreign["address"] = json!(OTHER_TOKEN);
    let server = chain((103, VALID_BEFORE), vec![receipt(1, 101, "0x1", &[foreign, to_us()])]).await;
    assert_eq!(look_at(&server, &claim(), Some(&hash(1))).await, CONTRADICTED);
    assert_eq!(look_at(&server, &claim(), None).await, UNPAID);
}

#[tokio::test]
async fn a_failed_transaction_does_not_pay() {
    let failed = receipt(1, 101, "0x0", &[]);
    let server = chain((103, VALID_BEFORE), vec![failed.clone()]).await;
    assert_eq!(look_at(&server, &claim(), Some(&hash(1))).await, CONTRADICTED);
    assert_eq!(look_at(&server, &claim(), None).await, UNPAID);
    // The one that was named failed; another paid.
    let good = receipt(2, 102, "0x1", &[used(1), to_us()]);
    let server = chain((103, VALID_BEFORE), vec![failed, good]).await;
    assert_eq!(look_at(&server, &claim(), Some(&hash(1))).await, paid(2, 8));
}

#[tokio::test]
async fn rejects_transfers_from_earlier_blocks() {
    let early = receipt(1, FROM_BLOCK - 1, "0x1", &[used(1), to_us()]);
    let server = chain((103, VALID_BEFORE), vec![early]).await;
    assert_eq!(look_at(&server, &claim(), Some(&hash(1))).await, CONTRADICTED);
    assert_eq!(look_at(&server, &claim(), None).await, UNPAID);
}

/// The first block that counts is the next one after the ledger was made: no block since then is an answer too.
#[tokio::test]
async fn a_chain_that_makes_no_block_says_unpaid() {
    let early = receipt(1, FROM_BLOCK - 1, "0x1", &[used(1), to_us()]);
    for (time, chain_says) in [(VALID_BEFORE + 30, UNPAID), (VALID_BEFORE + 31, OVER)] {
        let server = chain((FROM_BLOCK - 1, time), vec![early.clone()]).await;
        assert_eq!(look_at(&server, &claim(), None).await, chain_says);
    }
    let server = chain((FROM_BLOCK - 1, VALID_BEFORE), vec![early]).await;
    assert_eq!(look_at(&server, &claim(), Some(&hash(1))).await, CONTRADICTED);
}

#[tokio::test]
async fn unpaid_is_for_good_when_the_chains_time_is_past() {
    for (time, chain_says) in [(VALID_BEFORE + 30, UNPAID), (VALID_BEFORE + 31, OVER)] {
        let server = chain((103, time), vec![]).await;
        assert_eq!(look_at(&server, &claim(), None).await, chain_says);
        for garbage in ["0xabc", "", "nonsense", &hash(9)] {
            assert_eq!(look_at(&server, &claim(), Some(garbage)).await, chain_says, "{garbage}");
        }
    }
    let spent = receipt(1, 101, "0x1", &[used(1)]);
    let server = chain((103, VALID_BEFORE + 31), vec![spent]).await;
    let never = Chain::Unpaid { for_good: true, contradicted: true };
    assert_eq!(look_at(&server, &claim(), None).await, never);
}

#[tokio::test]
async fn a_long_search_goes_on_until_the_payment_is_over() {
    let late = receipt(1, FROM_BLOCK + LOG_BLOCKS_MAX + 5, "0x1", &[used(1), to_us()]);
    let latest = FROM_BLOCK + 2 * LOG_BLOCKS_MAX;
    // The payment ended two blocks before the newest one.
    let server = chain((latest, VALID_BEFORE + 4), vec![late]).await;
    assert_eq!(look_at(&server, &claim(), None).await, paid(1, 8));
    assert_eq!(server.calls("eth_getLogs"), 2);
    // It ended long before: the first blocks say enough.
    let server = chain((latest, VALID_BEFORE + 4 * LOG_BLOCKS_MAX), vec![]).await;
    assert_eq!(look_at(&server, &claim(), None).await, OVER);
    assert_eq!(server.calls("eth_getLogs"), 1);
    // More blocks than anybody asks for.
    let server = chain((FROM_BLOCK + 9 * LOG_BLOCKS_MAX, VALID_BEFORE), vec![]).await;
    assert!(matches!(look_at(&server, &claim(), None).await, Chain::Silent(_)));
}

#[tokio::test]
async fn a_node_that_does_not_know_says_nothing() {
    let behind = chain((FROM_BLOCK - 2, VALID_BEFORE + 100), vec![]).await;
    assert!(matches!(look_at(&behind, &claim(), None).await, Chain::Silent(_)));
    for reply in [
        FakeReply::Reset,
        FakeReply::Never,
        FakeReply::json(500, "{}"),
        FakeReply::error(-32000, "limit exceeded"),
    ] {
        let server = fake::node(move |_, _| Some(Err(reply.clone()))).await;
        for transaction in [None, Some(hash(1))] {
            let says = look_at(&server, &claim(), transaction.as_deref()).await;
            assert!(matches!(says, Chain::Silent(_)), "{says:?}");
        }
    }
    // The log is there, its receipt is not.
    let server = fake::node(|method, _| {
        Some(Ok(match method {
            "eth_getBlockByNumber" => json!({"number": "0x67", "timestamp": "0xffffffff"}),
            "eth_getLogs" => receipt(1, 101, "0x1", &[used(1)])["logs"].clone(),
            _ => Value::Null,
        }))
    })
    .await;
    assert!(matches!(look_at(&server, &claim(), None).await, Chain::Silent(_)));
}

fn rail(facilitator: &str, rpc: &str) -> BaseRail {
    BaseRail {
        network: "eip155:8453".into(),
        chain_id: 8453,
        asset: ASSET.parse().expect("an address"),
        pay_to: PAY_TO.parse().expect("an address"),
        eip712_name: "USD Coin".into(),
        eip712_version: "2".into(),
        domain: Domain::new("USD Coin", "2", 8453, ASSET.parse().expect("an address")),
        facilitator_url: facilitator.into(),
        rpc_url: rpc.into(),
        x402: true,
        mpp: true,
        bearer: Some(Secret::new("swordfish")),
    }
}

fn times() -> CallTimes {
    CallTimes { verify: Duration::from_secs(3), settle: Duration::from_secs(20), offer_s: 60 }
}

fn payment() -> SignedPayment {
    SignedPayment::Authorization(Signed {
        authorization: Authorization {
            from: PAYER.parse().expect("an address"),
            to: PAY_TO.parse().expect("an address"),
            value: 10_000,
            valid_after: 0,
            valid_before: VALID_BEFORE,
            nonce: nonce(1).parse().expect("a word"),
        },
        signature: [27; 65],
    })
}

const SUPPORTED: &str = r#"{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}"#;

#[tokio::test]
async fn the_rail_verifies_and_settles_through_its_facilitator() {
    let node = chain((103, VALID_BEFORE), vec![]).await;
    let facilitator = fake::server(|asked| match asked.path.as_str() {
        "/supported" => FakeReply::json(200, SUPPORTED),
        "/verify" => FakeReply::json(200, r#"{"isValid":true}"#),
        _ => FakeReply::json(200, r#"{"success":true,"transaction":"0xabc"}"#),
    })
    .await;
    let scheme = ExactEvm::start(&Client::new(), Arc::new(rail(&facilitator.url, &node.url)), times());
    until(|| scheme.is_up()).await;
    assert_eq!((scheme.head(), scheme.fee_payer()), (103, None));
    assert_eq!(scheme.verify(&claim(), &payment()).await, Verdict::Valid);
    assert_eq!(scheme.settle(&claim(), &payment()).await, Settlement::Done(Some("0xabc".into())));
    assert_eq!(scheme.query(&claim(), None).await, UNPAID);
    let unreadable = Claim { trace: "nothing".into(), ..claim() };
    assert!(matches!(scheme.query(&unreadable, None).await, Chain::Silent(_)));
    let seen = facilitator.seen();
    let bodies: Vec<_> = seen.iter().filter(|asked| asked.path != "/supported").collect();
    assert_eq!(bodies[0].body, bodies[1].body, "both are asked the same");
    let body = bodies[0].json();
    let requirement = json!({
        "scheme": "exact", "network": "eip155:8453", "amount": "10000", "maxTimeoutSeconds": 60,
        "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
        "extra": {"name": "USD Coin", "version": "2"}
    });
    assert_eq!(body["paymentRequirements"], requirement);
    assert_eq!(body["paymentPayload"]["accepted"], requirement);
    assert_eq!(body["paymentPayload"]["payload"]["authorization"]["value"], "10000");
    assert!(!body.to_string().contains("pb1."), "the reference stays here");
    let foreign = SignedPayment::Transaction(vec![0x76]);
    assert!(matches!(scheme.verify(&claim(), &foreign).await, Verdict::Invalid(_)));
    assert!(matches!(scheme.settle(&claim(), &foreign).await, Settlement::Refused(_, None)));
    scheme.withdraw("it lied");
    assert!(!scheme.is_up());
}

#[tokio::test]
async fn the_rail_needs_its_first_head_and_no_later_one() {
    let (gone, chain_id) = (Arc::new(AtomicBool::new(true)), Arc::new(Mutex::new("0x1")));
    let (is_gone, id) = (Arc::clone(&gone), Arc::clone(&chain_id));
    let node = fake::node(move |method, _| match method {
        _ if is_gone.load(Ordering::SeqCst) => Some(Err(FakeReply::Reset)),
        "eth_chainId" => Some(Ok(json!(*id.lock().expect("whole")))),
        _ => Some(Ok(json!("0x0"))),
    })
    .await;
    let facilitator = fake::server(|_| FakeReply::json(200, SUPPORTED)).await;
    let scheme = ExactEvm::start(&Client::new(), Arc::new(rail(&facilitator.url, &node.url)), times());
    until(|| scheme.facilitator.health().is_up()).await;
    assert!(!scheme.is_up(), "no head yet");
    let node = &scheme.node;
    gone.store(false, Ordering::SeqCst);
    let why = node.probe().await.expect_err("another chain");
    assert!(why.contains("chain 1,") && why.contains("rpc_url"), "{why}");
    assert!(!scheme.is_up());
    *chain_id.lock().expect("whole") = "0x2105";
    assert_eq!(node.probe().await, Ok(()));
    assert!(scheme.is_up(), "block 0 is a head too");
    gone.store(true, Ordering::SeqCst);
    node.probe().await.expect_err("gone");
    assert!(scheme.is_up());
}
