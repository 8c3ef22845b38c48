//! x402 headers: what real clients sent, what they must be able to read, and what is refused.

#![allow(clippy::unwrap_used)]

use alloy_primitives::{address as fixed_address, b256};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::payment::core::scheme::SignedPayment;
use crate::payment::protocols::codec::base64url;
use crate::payment::protocols::eip3009::{Domain, Signed};
use crate::payment::protocols::for_tests::{
    REFERENCE, RESOURCE_URL, X402_MPPX, X402_NPM, X402_PYPI, X402_SOLANA,
};
use crate::payment::rails::solana::transaction;

const ON_BASE: [&str; 3] = [X402_NPM, X402_MPPX, X402_PYPI];

fn requirement() -> Requirement {
    Requirement {
        scheme: EXACT.to_owned(),
        network: "eip155:8453".to_owned(),
        amount: "10000".to_owned(),
        asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".to_owned(),
        pay_to: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC".to_owned(),
        max_timeout_seconds: 60,
        extra: Extra {
            name: Some("USD Coin".to_owned()),
            version: Some("2".to_owned()),
            reference: Some(REFERENCE.to_owned()),
            ..Extra::default()
        },
    }
}

fn resource() -> Resource {
    Resource {
        url: RESOURCE_URL.to_owned(),
        description: "Best price".to_owned(),
        mime_type: "application/json".to_owned(),
    }
}

fn domain() -> Domain {
    Domain::new("USD Coin", "2", 8453, fixed_address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))
}

fn opened(header: &str) -> Value {
    serde_json::from_slice(&from_base64(header).unwrap()).unwrap()
}

/// A recorded payment on Base, changed.
fn changed(change: impl FnOnce(&mut Value)) -> Result<X402Payment, Malformed> {
    let mut value = opened(X402_NPM);
    change(&mut value);
    decode(&base64(value.to_string().as_bytes()))
}

#[test]
fn payments_of_real_clients_are_read_and_their_payers_recovered() {
    for header in ON_BASE {
        let presented = decode(header).unwrap();
        assert_eq!(presented.accepted, requirement());
        assert_eq!(presented.resource_url.as_deref(), Some(RESOURCE_URL));
        let X402Payload::Authorization { authorization, signature } = presented.payload else {
            panic!("on Base")
        };
        assert_eq!(authorization.value, 10_000);
        let signed = Signed::checked(authorization, &signature, &domain()).unwrap();
        assert_eq!(signed.authorization.from, fixed_address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"));
    }
    let presented = decode(X402_SOLANA).unwrap();
    assert_eq!(presented.accepted.extra.memo.as_deref(), Some(REFERENCE));
    let X402Payload::Transaction(bytes) = presented.payload else { panic!("on Solana") };
    let transfer = transaction::read(&bytes).unwrap();
    assert_eq!(transfer.memo, REFERENCE);
    assert_eq!(presented.accepted.extra.fee_payer, Some(transaction::base58(&transfer.fee_payer)));
}

#[test]
fn an_offer_is_written_as_clients_read_it() {
    let solana = Requirement {
        network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp".to_owned(),
        extra: Extra {
            fee_payer: Some("9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu".to_owned()),
            memo: Some(REFERENCE.to_owned()),
            ..Extra::default()
        },
        ..requirement()
    };
    let header = challenge_header(&resource(), "payment required", &[requirement(), solana]);
    assert!(header.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
    assert_eq!(header.len() % 4, 0, "padded");
    let expected = json!({
        "x402Version": 2,
        "error": "payment required",
        "resource": {"url": RESOURCE_URL, "description": "Best price", "mimeType": "application/json"},
        "accepts": [
            {
                "scheme": "exact", "network": "eip155:8453", "amount": "10000",
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "maxTimeoutSeconds": 60,
                "extra": {"name": "USD Coin", "version": "2", "ref": REFERENCE}
            },
            {
                "scheme": "exact", "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "amount": "10000",
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "maxTimeoutSeconds": 60,
                "extra": {"feePayer": "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu", "memo": REFERENCE}
            }
        ]
    });
    assert_eq!(opened(&header), expected);
}

#[test]
fn results_are_written_as_clients_read_them() {
    let outcome = X402Outcome { transaction: "0xab", network: "eip155:8453", payer: "0xcd", sandbox: false };
    assert_eq!(
        opened(&settled_header(&outcome)),
        json!({"success": true, "transaction": "0xab", "network": "eip155:8453", "payer": "0xcd"})
    );
    assert_eq!(
        opened(&failed_header(&X402Outcome { transaction: "", ..outcome }, "insufficient_funds")),
        json!({
            "success": false, "errorReason": "insufficient_funds", "transaction": "",
            "network": "eip155:8453", "payer": "0xcd"
        })
    );
    assert_eq!(
        opened(&settled_header(&X402Outcome { transaction: "", sandbox: true, ..outcome })),
        json!({
            "success": true, "transaction": "", "network": "eip155:8453", "payer": "0xcd",
            "sandbox": true, "extra": {"sandbox": true}
        })
    );
}

#[test]
fn spelling_does_not_matter() {
    let bytes = from_base64(X402_NPM).unwrap();
    let expected = decode(X402_NPM).unwrap();
    for header in [base64(&bytes), base64url(&bytes), base64(&bytes).trim_end_matches('=').to_owned()] {
        assert_eq!(decode(&header), Ok(decode(X402_NPM).unwrap()));
    }
    let other_case = changed(|value| {
        for field in ["from", "to", "nonce"] {
            let text = &mut value["payload"]["authorization"][field];
            *text = json!(text.as_str().unwrap().to_ascii_uppercase().replace("0X", "0x"));
        }
        value["payload"]["authorization"]["value"] = json!(10_000);
        value["payload"]["authorization"]["validAfter"] = json!(0);
        value["extensions"] = json!({"bazaar": 1});
        value["accepted"]["extra"]["recentBlockhash"] = json!([1]);
        value["accepted"]["extra"]["memo"] = json!(null);
    });
    assert_eq!(other_case, Ok(expected));
}

#[test]
fn the_resource_may_be_left_out() {
    let without = changed(|value| drop(value.as_object_mut().unwrap().remove("resource"))).unwrap();
    assert_eq!(without.resource_url, None);
    assert_eq!(changed(|value| value["resource"] = json!(null)).unwrap().resource_url, None);
    assert_eq!(changed(|value| value["resource"] = json!({"title": 1})).unwrap().resource_url, None);
    assert!(changed(|value| value["resource"] = json!(RESOURCE_URL)).is_err());
}

#[test]
fn rejects_malformed_payments() {
    let changes: [fn(&mut Value); 24] = [
        |value| *value = json!(null),
        |value| *value = json!([]),
        |value| value["x402Version"] = json!(1),
        |value| value["x402Version"] = json!("2"),
        |value| value["accepted"] = json!(null),
        |value| value["accepted"]["amount"] = json!(10_000),
        |value| value["accepted"]["maxTimeoutSeconds"] = json!("60"),
        |value| value["accepted"]["extra"] = json!("pb1"),
        |value| value["accepted"]["extra"]["ref"] = json!(1),
        |value| value["accepted"]["extra"]["version"] = json!(2),
        |value| drop(value["accepted"].as_object_mut().unwrap().remove("payTo")),
        |value| value["payload"] = json!({}),
        |value| value["payload"]["transaction"] = json!("AAAA"),
        |value| value["payload"]["signature"] = json!(null),
        |value| value["payload"]["signature"] = json!("0xzz"),
        |value| value["payload"]["signature"] = json!("00"),
        |value| value["payload"]["authorization"]["value"] = json!("1e4"),
        |value| value["payload"]["authorization"]["value"] = json!(-1),
        |value| value["payload"]["authorization"]["value"] = json!(10_000.0),
        |value| value["payload"]["authorization"]["value"] = json!("18446744073709551616"),
        |value| value["payload"]["authorization"]["from"] = json!("0x70"),
        |value| value["payload"]["authorization"]["nonce"] = json!("0x00"),
        |value| drop(value["payload"]["authorization"].as_object_mut().unwrap().remove("validAfter")),
        |value| value["payload"] = json!({"transaction": "not base64"}),
    ];
    for (place, change) in changes.into_iter().enumerate() {
        assert!(changed(change).is_err(), "change {place}");
    }
    let text = String::from_utf8(from_base64(X402_NPM).unwrap()).unwrap();
    for wrong in [format!("{text} x"), format!("{text}{text}"), text[..text.len() - 1].to_owned()] {
        assert!(decode(&base64(wrong.as_bytes())).is_err());
    }
    // A known name that is said twice could mean two things.
    let twice = text.replacen("\"amount\"", "\"amount\":\"1\",\"amount\"", 1);
    assert!(decode(&base64(twice.as_bytes())).is_err());
    assert!(decode("").is_err());
    assert!(decode("not base64").is_err());
}

#[test]
fn length_has_a_limit() {
    let pad = |bytes: usize| changed(|value| value["pad"] = json!("x".repeat(bytes)));
    let over = CREDENTIAL_BYTES_MAX / 4 * 3;
    assert_eq!(pad(over), Err(Malformed("it is longer than 8 kB")));
    assert!(pad(over - 2_000).is_ok());
}

#[test]
fn long_signatures_are_read_and_not_valid() {
    let presented =
        changed(|value| value["payload"]["signature"] = json!(format!("0x{}", "ab".repeat(130)))).unwrap();
    let X402Payload::Authorization { authorization, signature } = presented.payload else {
        panic!("on Base")
    };
    assert_eq!(signature.len(), 130);
    assert_eq!(Signed::checked(authorization, &signature, &domain()), None);
}

#[test]
fn a_payment_is_sent_on_as_it_was_checked() {
    let presented = decode(X402_PYPI).unwrap();
    let X402Payload::Authorization { authorization, mut signature } = presented.payload else {
        panic!("on Base")
    };
    let expected = json!({
        "x402Version": 2,
        "paymentPayload": {
            "x402Version": 2,
            "resource": {"url": RESOURCE_URL, "description": "Best price", "mimeType": "application/json"},
            "accepted": opened(X402_PYPI)["accepted"],
            "payload": opened(X402_PYPI)["payload"]
        },
        "paymentRequirements": opened(X402_PYPI)["accepted"]
    });
    // A parity in place of v is rewritten, so both spellings are sent on as the same bytes.
    signature[64] -= 27;
    let signed = Signed::checked(authorization, &signature, &domain()).unwrap();
    let body =
        facilitator_request(&requirement(), Some(&resource()), &SignedPayment::Authorization(signed.clone()))
            .unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected);
    let unchecked = Signed { signature: signature.try_into().unwrap(), ..signed };
    assert_eq!(
        facilitator_request(&requirement(), Some(&resource()), &SignedPayment::Authorization(unchecked))
            .unwrap(),
        body
    );
}

#[test]
fn a_transaction_is_sent_on_in_its_canonical_form() {
    let payment = SignedPayment::Transaction(vec![0xfb, 0xff]);
    let body: Value =
        serde_json::from_slice(&facilitator_request(&requirement(), None, &payment).unwrap()).unwrap();
    assert_eq!(body["paymentPayload"]["payload"], json!({"transaction": "+/8="}));
    assert_eq!(body["paymentPayload"].get("resource"), None);
}

#[test]
fn answers_of_facilitators_are_read() {
    let supported: SupportedResponse = serde_json::from_value(json!({
        "kinds": [
            {"x402Version": 1, "scheme": "exact", "network": "base", "extra": {"feePayer": 5}},
            {"x402Version": 2, "scheme": "upto", "network": "solana:x", "extra": {"feePayer": "A"}},
            {"x402Version": 2, "scheme": "exact", "network": "solana:x", "extra": {"feePayer": "B", "name": 1}},
            {"x402Version": "2", "scheme": "exact", "network": "eip155:1", "extra": "none"},
            {}
        ],
        "extensions": [], "signers": {"solana:*": ["B"]}
    }))
    .unwrap();
    let kind = supported.kind(EXACT, "solana:x").unwrap();
    assert_eq!(kind.extra, Some(KindExtra { fee_payer: Some("B".to_owned()) }));
    assert_eq!(supported.kind(EXACT, "eip155:1"), None);
    assert_eq!(supported.kinds[0].extra, Some(KindExtra { fee_payer: None }));

    let verify: VerifyResponse =
        serde_json::from_str(r#"{"isValid":false,"invalidReason":"x","payer":7}"#).unwrap();
    assert_eq!((verify.is_valid, verify.invalid_reason.as_deref(), verify.payer), (false, Some("x"), None));
    let settle: SettleResponse = serde_json::from_str(
        r#"{"success":false,"errorReason":"settlement_pending","transaction":"0xab","network":"eip155:8453","extra":{}}"#,
    )
    .unwrap();
    assert_eq!(settle.error_reason.as_deref(), Some("settlement_pending"));
    assert_eq!(settle.transaction.as_deref(), Some("0xab"));
    for wrong in ["{}", r#"{"success":"true"}"#, r#"{"success":1}"#, r#"{"success":null}"#, "null", "[]"] {
        assert!(serde_json::from_str::<SettleResponse>(wrong).is_err(), "{wrong}");
        assert!(
            serde_json::from_str::<VerifyResponse>(&wrong.replace("success", "isValid")).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn debug_forms_show_no_signature() {
    for header in [X402_NPM, X402_SOLANA] {
        let shown = format!("{:?}", decode(header).unwrap());
        let payload = &opened(header)["payload"];
        for secret in ["signature", "transaction"].iter().filter_map(|name| payload[name].as_str()) {
            assert!(!shown.contains(&secret[2..]), "{shown}");
        }
        assert!(!shown.contains("signature") && !shown.contains(REFERENCE), "{shown}");
    }
}

/// What makes a payment on an EVM chain the same as another one.
fn key(presented: &X402Payment) -> Option<(String, B256Key)> {
    match &presented.payload {
        X402Payload::Authorization { authorization, signature } => {
            let signed = Signed::checked(authorization.clone(), signature, &domain())?;
            Some((signed.authorization.from.to_string(), signed.authorization.nonce.0))
        }
        X402Payload::Transaction(_) | X402Payload::Channel(_) => None,
    }
}

type B256Key = [u8; 32];

#[test]
fn no_changed_byte_makes_a_second_valid_payment() {
    let bytes = from_base64(X402_NPM).unwrap();
    let original = key(&decode(X402_NPM).unwrap()).unwrap();
    assert_eq!(original.1, b256!("c9107ea5cb5f08a84de817086a5be851d4fff7d64a517e383d38e3e86699cdbb").0);
    let mut still_valid = 0;
    for place in 0..bytes.len() {
        for change in [0x01, 0x04, 0x10, 0x20, 0x40] {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            let decoded = decode(&base64(&changed)).ok();
            if let Some(other) = decoded.as_ref().and_then(key) {
                assert_eq!(other, original, "byte {place}");
                still_valid += 1;
            }
        }
    }
    // The case of hexadecimal, and what is not signed: the offer and the resource.
    assert!(still_valid > 0);
}

proptest! {
    #[test]
    fn nonsense_is_read_without_a_panic(bytes: Vec<u8>, text: String) {
        prop_assert!(decode(&base64(&bytes)).is_err());
        let _ = decode(&text);
        let _ = serde_json::from_slice::<SupportedResponse>(&bytes);
    }

    #[test]
    fn offers_are_read_back(
        texts in prop::array::uniform5(any::<String>()), max_timeout_seconds: u64,
        extra in prop::array::uniform5(any::<Option<String>>()),
    ) {
        let [scheme, network, amount, asset, pay_to] = texts;
        let [name, version, reference, fee_payer, memo] = extra;
        let extra = Extra { name, version, reference, fee_payer, memo, channel: None };
        let requirement = Requirement { scheme, network, amount, asset, pay_to, max_timeout_seconds, extra };
        let written = challenge_header(&resource(), "", std::slice::from_ref(&requirement));
        let read: Requirement = serde_json::from_value(opened(&written)["accepts"][0].clone()).unwrap();
        prop_assert_eq!(read, requirement);
    }
}
