//! Tempo's rail against a node that says what each test wants. The receipt is a real one's, of a local Tempo node.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::payment::core::claim::{ClaimKey, ClaimKind, PaymentProtocol};
use crate::payment::net::for_tests::{self as fake, FakeReply, FakeServer, until};
use crate::payment::protocols::for_tests::unsigned;
use crate::payment::rails::tempo::NAME;

const HASH: &str = "0x48ba546ee0cf65165aa3aff6d3b3ad0617e671bc970883e39edfd086282747c9";
const OTHER_HASH: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";
const MEMO: &str = "0xef1ed71201e70a914be4a9d5ff48b800000000000000000000e1c8b8c7e9be22";
const ASSET: &str = "0x20C000000000000000000000b9537d11c60E8b50";
const PAYER: &str = "0x034417A9174DbC46D7074b0A9AAeFCA6DE84038e";
const PAY_TO: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const VALID_BEFORE: u64 = 1_795_277_758;
const SOON: Duration = Duration::from_millis(400);
const LATE: Duration = Duration::from_secs(20);
const WIRE: &[u8] = &[0x76, 0x01];

fn claim() -> Claim {
    Claim {
        key: ClaimKey("tempo:4217:x".into()),
        kind: ClaimKind::Sale,
        rail: NAME,
        protocol: PaymentProtocol::Mpp,
        network: "eip155:4217".into(),
        asset: ASSET.into(),
        payer: PAYER.into(),
        pay_to: PAY_TO.into(),
        amount: 10_000,
        endpoint: "/v1/x".into(),
        request: "/v1/x".into(),
        media_type: "application/json".into(),
        reference: "id".into(),
        trace: format!("{HASH} {MEMO}"),
        valid_before: VALID_BEFORE,
        from_block: 3,
        claimed_at: 0,
    }
}

/// What the node said of a payment, its blooms and block hashes left out.
fn receipt() -> Value {
    let payer = "0x000000000000000000000000034417a9174dbc46d7074b0a9aaefca6de84038e";
    let pay_to = "0x0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc";
    let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let with_memo = "0x57bc7354aa85aed339e000bccffabbc529466af35f0772c8f8ee1145927de7f0";
    let nonce = "0x42d98041765078b1557c6a9fe7e4a27230ca413fc141df57d89acd6cc68ffb45";
    let token = "0x20c000000000000000000000b9537d11c60e8b50";
    let amount = "0x0000000000000000000000000000000000000000000000000000000000002710";
    let log = |index: usize, address: &str, topics: Value, data: &str| {
        json!({
            "address": address, "topics": topics, "data": data, "blockNumber": "0x4", "blockTimestamp": "0x6b01c383",
            "transactionHash": HASH, "transactionIndex": "0x0", "logIndex": format!("{index:#x}"), "removed": false
        })
    };
    json!({
        "type": "0x76", "status": "0x1", "cumulativeGasUsed": "0xebd7", "transactionHash": HASH,
        "transactionIndex": "0x0", "blockNumber": "0x4", "gasUsed": "0xebd7", "contractAddress": null,
        "from": "0x034417a9174dbc46d7074b0a9aaefca6de84038e", "to": token, "blockTimestamp": 1_795_277_699,
        "logs": [
            log(0, "0x4e4f4e4345000000000000000000000000000000", json!([nonce, payer]), amount),
            log(1, token, json!([transfer, payer, pay_to]), amount),
            log(2, token, json!([with_memo, payer, pay_to, MEMO]), amount),
            log(3, token, json!([transfer, payer, pay_to]), amount),
        ]
    })
}

/// A node of one transaction, or none; `send` answers the broadcasts.
async fn node(
    time: u64,
    mined: Option<Value>,
    send: impl Fn(&str, &Value) -> Option<Result<Value, FakeReply>> + Send + Sync + 'static,
) -> FakeServer {
    fake::node(move |method, params| {
        Some(Ok(match method {
            "eth_chainId" => json!("0x1079"),
            "eth_blockNumber" => json!("0x5"),
            "eth_getBlockByNumber" => json!({"number": "0x5", "timestamp": format!("{time:#x}")}),
            "eth_getTransactionReceipt" => {
                assert_eq!(params[0], HASH);
                mined.clone().unwrap_or(Value::Null)
            }
            method => return send(method, params),
        }))
    })
    .await
}

fn start(server: &FakeServer, settle: Duration) -> TempoBroadcast {
    let rail = TempoRail {
        chain_id: 4217,
        asset: ASSET.parse().expect("an address"),
        pay_to: PAY_TO.parse().expect("an address"),
        rpc_url: server.url.clone(),
    };
    let times = CallTimes { verify: Duration::from_secs(3), settle, offer_s: 60 };
    TempoBroadcast::start(&Client::new(), &rail, times)
}

async fn query(time: u64, mined: Option<Value>) -> Chain {
    let server = node(time, mined, |_, _| None).await;
    start(&server, Duration::ZERO).query(&claim(), Some("anything")).await
}

const NEVER: Chain = Chain::Unpaid { for_good: true, contradicted: true };

#[tokio::test]
async fn a_real_receipt_pays() {
    let proof = Proof { transaction: HASH.into(), index: 2 };
    assert_eq!(query(VALID_BEFORE, Some(receipt())).await, Chain::Paid(proof));
}

#[tokio::test]
async fn rejects_receipts_without_the_expected_transfer() {
    let spoil = |change: &dyn Fn(&mut Value)| {
        let mut receipt = receipt();
        change(&mut receipt);
        receipt
    };
    let wrong = [
        spoil(&|it| it["status"] = json!("0x0")),
        spoil(&|it| it["blockNumber"] = json!("0x2")),
        spoil(&|it| it["logs"][2]["address"] = json!("0x20c0000000000000000000000000000000000000")),
        spoil(&|it| it["logs"][2]["topics"][3] = json!(OTHER_HASH)),
        spoil(&|it| it["logs"][2]["topics"][2] = it["logs"][2]["topics"][1].clone()),
        spoil(&|it| it["logs"][2]["topics"][1] = it["logs"][2]["topics"][2].clone()),
        spoil(&|it| it["logs"][2]["data"] = json!(format!("0x{:064x}", 9_999))),
        spoil(&|it| drop(it["logs"].as_array_mut().expect("logs").remove(2))),
    ];
    for receipt in wrong {
        assert_eq!(query(VALID_BEFORE, Some(receipt.clone())).await, NEVER, "{receipt}");
    }
}

#[tokio::test]
async fn without_a_receipt_time_decides() {
    for (time, for_good) in [(VALID_BEFORE + 30, false), (VALID_BEFORE + 31, true)] {
        assert_eq!(query(time, None).await, Chain::Unpaid { for_good, contradicted: false });
    }
    let mut foreign = receipt();
    foreign["transactionHash"] = json!(OTHER_HASH);
    let not_yet = Chain::Unpaid { for_good: false, contradicted: false };
    assert_eq!(query(VALID_BEFORE, Some(foreign)).await, not_yet);
    let silent = fake::server(|_| FakeReply::json(503, "busy")).await;
    assert!(matches!(start(&silent, Duration::ZERO).query(&claim(), None).await, Chain::Silent(_)));
}

/// Settles against a node that answers the broadcast so, and otherwise knows of this receipt.
async fn settle(
    mined: Option<Value>,
    send: impl Fn(&str, &Value) -> Option<Result<Value, FakeReply>> + Send + Sync + 'static,
) -> Settlement {
    settle_within(LATE, mined, send).await
}

async fn settle_within(
    time: Duration,
    mined: Option<Value>,
    send: impl Fn(&str, &Value) -> Option<Result<Value, FakeReply>> + Send + Sync + 'static,
) -> Settlement {
    let server = node(VALID_BEFORE, mined, send).await;
    let scheme = start(&server, time);
    assert_eq!(scheme.verify(&claim(), &payment()).await, Verdict::Valid);
    scheme.settle(&claim(), &payment()).await
}

fn failed() -> Value {
    let mut receipt = receipt();
    (receipt["status"], receipt["logs"]) = (json!("0x0"), json!([]));
    receipt
}

fn done() -> Settlement {
    Settlement::Done(Some(HASH.into()))
}

#[tokio::test]
async fn the_node_waits_for_the_receipt() {
    let send = |with: Value| {
        move |method: &str, params: &Value| {
            assert_eq!((method, &params[0]), ("eth_sendRawTransactionSync", &json!("0x7601")));
            Some(Ok(with.clone()))
        }
    };
    assert_eq!(settle(None, send(receipt())).await, done());
    let refused = Settlement::Refused("transaction_failed".into(), Some(HASH.into()));
    assert_eq!(settle(None, send(failed())).await, refused);
    let mut foreign = receipt();
    foreign["transactionHash"] = json!(OTHER_HASH);
    assert!(matches!(settle(None, send(foreign)).await, Settlement::Unclear(_, None)));
    // A result that cannot be read is looked up.
    assert_eq!(settle(Some(receipt()), send(json!(HASH))).await, done());
    assert!(matches!(settle(None, send(json!(HASH))).await, Settlement::Unclear(_, Some(_))));
}

#[tokio::test]
async fn a_node_that_does_not_wait_is_polled() {
    let plain = |method: &str, _: &Value| (method == "eth_sendRawTransaction").then(|| Ok(json!(HASH)));
    assert_eq!(settle(Some(receipt()), plain).await, done());
    let unmined = settle_within(SOON, None, plain).await;
    assert!(matches!(unmined, Settlement::Unclear(_, Some(_))), "{unmined:?}");
    let known = |method: &str, _: &Value| {
        (method == "eth_sendRawTransaction").then(|| Err(FakeReply::error(-32000, "already known")))
    };
    assert_eq!(settle(Some(receipt()), known).await, done());
}

#[tokio::test]
async fn an_error_is_a_refusal_only_where_the_node_rejects() {
    let says = |code: i64| move |_: &str, _: &Value| Some(Err(FakeReply::error(code, "no")));
    assert!(matches!(settle(None, says(-32003)).await, Settlement::Refused(_, None)));
    for code in [-32000, -32002, -32602, 3] {
        assert!(matches!(settle(None, says(code)).await, Settlement::Unclear(_, Some(hash)) if hash == HASH));
    }
    assert_eq!(settle(Some(receipt()), says(-32003)).await, done(), "somebody else sent it");
    let silences = [(FakeReply::Never, SOON), (FakeReply::Reset, LATE), (FakeReply::json(500, "boom"), LATE)];
    for (reply, time) in silences {
        let other = reply.clone();
        let silent = move |_: &str, _: &Value| Some(Err(reply.clone()));
        let settlement = settle_within(time, None, silent).await;
        assert!(matches!(settlement, Settlement::Unclear(_, Some(_))), "{other:?}: {settlement:?}");
        let silent = move |_: &str, _: &Value| Some(Err(other.clone()));
        assert_eq!(settle_within(time, Some(receipt()), silent).await, done());
    }
}

const FAILURES: usize = crate::payment::net::health::FAILURES_IN_A_ROW_MAX;

fn payment() -> SignedPayment {
    SignedPayment::Transaction(WIRE.to_vec())
}

/// A payment of another payer each.
fn claim_of(payer: usize) -> Claim {
    Claim { payer: format!("0x{payer:040x}"), ..claim() }
}

#[tokio::test]
async fn its_node_is_its_health() {
    let sent = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&sent);
    // Errors first, which are answers; then nonsense.
    let server = node(VALID_BEFORE - 30, None, move |method, _| {
        if method == "eth_getTransactionByHash" {
            return Some(Ok(Value::Null));
        }
        let errs = asked.fetch_add(1, Ordering::SeqCst) < FAILURES;
        Some(Err(if errs { FakeReply::error(-32000, "no") } else { FakeReply::json(500, "boom") }))
    })
    .await;
    let scheme = start(&server, Duration::from_secs(5));
    until(|| scheme.is_up()).await;
    assert_eq!(scheme.head(), 5);
    for payer in 0..2 * FAILURES {
        assert!(scheme.is_up());
        scheme.settle(&claim_of(payer), &payment()).await;
    }
    assert!(!scheme.is_up(), "the circuit is open");
    assert_eq!(sent.load(Ordering::SeqCst), 2 * FAILURES, "one broadcast each");
    let foreign = SignedPayment::Authorization(unsigned());
    assert!(matches!(scheme.settle(&claim(), &foreign).await, Settlement::Refused(_, None)));
}

/// What a node holds and never mines, what it waited for until its time was over, and what it took from a server that
/// polls it: none of them is the node's failure, whoever pays.
#[tokio::test]
async fn unmined_transactions_do_not_take_the_rail_down() {
    const LATER: u64 = VALID_BEFORE + 1;
    const EARLIER: u64 = VALID_BEFORE - 30;
    for (time, holds_it, waits) in [(EARLIER, true, true), (LATER, false, true), (EARLIER, false, false)] {
        let server = node(time, None, move |method, _| {
            Some(match method {
                "eth_getTransactionByHash" if holds_it => Ok(json!({"hash": HASH})),
                "eth_getTransactionByHash" => Ok(Value::Null),
                "eth_sendRawTransactionSync" if waits => Err(FakeReply::Never),
                "eth_sendRawTransaction" if !waits => Ok(json!(HASH)),
                _ => return None,
            })
        })
        .await;
        let scheme = start(&server, SOON);
        until(|| scheme.is_up()).await;
        let settle = async |payer| scheme.settle(&claim_of(payer), &payment()).await;
        for settlement in futures_util::future::join_all((0..FAILURES).map(settle)).await {
            assert!(matches!(settlement, Settlement::Unclear(_, Some(_))), "{settlement:?}");
        }
        assert!(scheme.is_up(), "at {time}, held {holds_it}, waits {waits}");
    }
}
