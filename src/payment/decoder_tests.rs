//! What others write and payments are read from, held against bytes that are almost right: headers, transactions,
//! signatures, replies of facilitators and nodes. An error or a value, never a panic; and what is read of a payment whose
//! signature is good is the payment that was signed.

#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use alloy_primitives::address;
use hyper::body::Bytes;
use proptest::prelude::*;
use serde_json::Value;

use super::core::reference;
use super::core::scheme::Verdict;
use super::mutate::{almost, almost_text, cases, mutated};
use super::net::facilitator::Facilitator;
use super::net::http::Client;
use super::net::node::{EvmBlock, EvmReceipt};
use super::net::rpc::Rpc;
use super::protocols::codec::{CREDENTIAL_BYTES_MAX, base64, base64url, from_base64};
use super::protocols::eip3009::{Domain, Signed, decimal};
use super::protocols::for_tests::{
    MPP_EVM_MPPX, MPP_EVM_PYMPP, MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP, REFERENCE, X402_MPPX, X402_NPM, X402_PYPI,
    X402_SOLANA,
};
use super::protocols::mpp::{self, MppPayload};
use super::protocols::x402::{self, SettleResponse, SupportedResponse, VerifyResponse, X402Payload};
use super::rails::{self, solana, tempo};

const X402: [&str; 4] = [X402_NPM, X402_MPPX, X402_PYPI, X402_SOLANA];
const MPP: [&str; 4] = [MPP_EVM_MPPX, MPP_EVM_PYMPP, MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP];
const SCHEME: &str = "Payment ";
/// Nobody waits longer for a reply; every one is whole and the connection closed behind it.
const REPLY_TIME: Duration = Duration::from_secs(5);

const VERIFIED: &str =
    r#"{"isValid":true,"invalidReason":null,"payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}"#;
const SETTLED: &str =
    r#"{"success":true,"transaction":"0xabc","network":"eip155:8453","payer":"0x1","extra":{"a":[1]}}"#;
const SUPPORTED: &str = r#"{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453","extra":{"feePayer":"9hSR"}}],"signers":{}}"#;
const RECEIPT: &str = r#"{"transactionHash":"0xb4c79daba8f6d3c1ee0aab30b8f4a96f05d3d2ccf8ba05d70d26ee3ff2d1e0a5","blockNumber":"0x10","status":"0x1","logs":[{"address":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"],"data":"0x0000000000000000000000000000000000000000000000000000000000002710","logIndex":"0x7","transactionHash":"0xb4c79daba8f6d3c1ee0aab30b8f4a96f05d3d2ccf8ba05d70d26ee3ff2d1e0a5","removed":false}]}"#;

/// The JSON inside of recorded headers.
fn inside(headers: &[&str]) -> Vec<Vec<u8>> {
    headers.iter().map(|header| from_base64(header.trim_start_matches(SCHEME)).unwrap()).collect()
}

fn transactions(headers: &[&str]) -> Vec<Vec<u8>> {
    let read = |header: &&str| match (x402::decode(header), mpp::decode(header)) {
        (Ok(payment), _) => match payment.payload {
            X402Payload::Transaction(bytes) => bytes,
            X402Payload::Authorization { .. } | X402Payload::Channel(_) => panic!("no transaction"),
        },
        (_, Ok(Some(credential))) => match credential.payload {
            MppPayload::Transaction(bytes) => bytes,
            MppPayload::Authorization { .. } => panic!("no transaction"),
        },
        _ => panic!("a recorded header"),
    };
    headers.iter().map(read).collect()
}

/// Reads a header as the gate does, as far as it can be read.
fn read_x402(header: &str) {
    if let Ok(payment) = x402::decode(header) {
        assert!(header.len() <= CREDENTIAL_BYTES_MAX);
        let key = rails::x402_key(&payment.accepted, &payment.payload);
        let other = header.replace('+', "-").replace('/', "_");
        let again = x402::decode(other.trim_end_matches('=')).unwrap();
        assert_eq!(rails::x402_key(&again.accepted, &again.payload), key, "another spelling of {header}");
    }
}

fn read_mpp(header: &str) {
    if let Ok(Some(credential)) = mpp::decode(header) {
        assert!(header.len() <= CREDENTIAL_BYTES_MAX);
        let _ = (credential.is_ours(&["secret"]), credential.opaque(), rails::mpp_key(&credential));
        let _ = (credential.request_as::<Value>(), credential.opaque_binds(&["secret"], "/"));
    }
}

/// Somebody who replies to one request with these bytes, whatever they are.
fn replying(reply: Vec<u8>) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        // The request is in one piece: it is short.
        let _ = stream.read(&mut asked).and_then(|_| stream.write_all(&reply));
    };
    (url, std::thread::spawn(serve))
}

/// Whether a reply says yes by another reader, which is strict about text that nobody reads.
fn says(reply: &[u8], field: &str) -> bool {
    serde_json::from_str::<Value>(&String::from_utf8_lossy(reply)).is_ok_and(|said| said[field] == true)
}

fn http(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn x402_headers(header in almost_text(&X402), json in almost(inside(&X402))) {
        read_x402(&header);
        read_x402(&base64(&json));
    }

    #[test]
    fn mpp_headers(header in almost_text(&MPP), json in almost(inside(&MPP))) {
        read_mpp(&header);
        read_mpp(&format!("{SCHEME}{}", base64url(&json)));
    }

    #[test]
    fn references_and_numbers(token in almost_text(&[REFERENCE]), digits in almost_text(&["18446744073709551615", "0"])) {
        let _ = reference::parse(&token);
        if let Some(number) = decimal(&digits) {
            prop_assert!(digits.trim_start_matches('0') == number.to_string().trim_start_matches('0'));
        }
    }

    #[test]
    fn a_transaction_on_solana_is_the_one_that_was_signed(bytes in almost(transactions(&[X402_SOLANA]))) {
        if let Ok(transfer) = solana::transaction::read(&bytes) {
            let signed = solana::transaction::read(&transactions(&[X402_SOLANA])[0]).unwrap();
            prop_assert_eq!(transfer, signed);
        }
    }

    #[test]
    fn a_transaction_on_tempo_is_one_or_none(bytes in almost(transactions(&MPP[2..]))) {
        if let Ok(transfer) = tempo::transaction::read(&bytes) {
            // What is sent on is what was read.
            prop_assert_eq!(tempo::transaction::read(&transfer.raw), Ok(transfer.clone()));
        }
    }

    #[test]
    fn an_authorization_has_one_signature(changed in mutated(vec![vec![0; 65]])) {
        let X402Payload::Authorization { authorization, signature } = x402::decode(X402_NPM).unwrap().payload else {
            panic!("on Base")
        };
        let usdc = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
        let domain = Domain::new("USD Coin", "2", 8453, usdc);
        let good = Signed::checked(authorization.clone(), &signature, &domain).unwrap();
        // The change is laid over the good one.
        let length = changed.len().max(signature.len() * usize::from(changed.len() >= 65));
        let other: Vec<u8> = (0..length)
            .map(|at| signature.get(at).copied().unwrap_or_default() ^ changed.get(at).copied().unwrap_or_default())
            .collect();
        if let Some(read) = Signed::checked(authorization, &other, &domain) {
            prop_assert_eq!(read.signature, good.signature);
        }
    }

    #[test]
    fn replies_as_json(
        verified in almost(vec![VERIFIED.into()]), settled in almost(vec![SETTLED.into()]),
        supported in almost(vec![SUPPORTED.into()]), receipt in almost(vec![RECEIPT.into()]),
    ) {
        if serde_json::from_slice::<VerifyResponse>(&verified).is_ok_and(|verdict| verdict.is_valid) {
            prop_assert!(says(&verified, "isValid"));
        }
        if serde_json::from_slice::<SettleResponse>(&settled).is_ok_and(|settled| settled.success) {
            prop_assert!(says(&settled, "success"));
        }
        if let Ok(supported) = serde_json::from_slice::<SupportedResponse>(&supported) {
            let _ = supported.kind("exact", "eip155:8453");
        }
        if let Ok(receipt) = serde_json::from_slice::<EvmReceipt>(&receipt) {
            let _ = receipt.succeeded();
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn replies_over_http(verified in almost(vec![http(VERIFIED.as_bytes())]), asked: bool) {
        let (url, thread) = replying(verified.clone());
        let facilitator = Facilitator::new(Client::new(), "base", &url, None, ("exact", "eip155:8453"));
        let verdict = wait(async {
            if asked {
                facilitator.verify(Bytes::from_static(b"{}"), "a", REPLY_TIME).await
            } else {
                Verdict::Silent(facilitator.supported().await.err().unwrap_or_default())
            }
        });
        if verdict == Verdict::Valid {
            prop_assert!(String::from_utf8_lossy(&verified).contains("isValid"));
        }
        thread.join().unwrap();
    }

    #[test]
    fn replies_of_nodes(reply in almost(vec![
        http(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{RECEIPT}}}"#).as_bytes()),
        http(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#),
        http(br#"{"jsonrpc":"2.0","id":1,"result":{"number":"0x10","timestamp":"0x6a"}}"#),
    ]), block: bool) {
        let (url, thread) = replying(reply);
        let rpc = Rpc::new(Client::new(), url);
        if block {
            let _ = wait(rpc.call_within::<_, Option<EvmBlock>>(REPLY_TIME, "eth_getBlockByNumber", ("latest", false)));
        } else {
            let _ = wait(rpc.call_within::<_, Option<EvmReceipt>>(REPLY_TIME, "eth_getTransactionReceipt", ("0x0",)));
        }
        thread.join().unwrap();
    }
}
