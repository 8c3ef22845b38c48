//! MPP against the vectors of two other implementations and credentials of real clients.

#![allow(clippy::unwrap_used)]

use alloy_primitives::{Address, address, b256, hex};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::payment::protocols::codec::{base64, from_base64};
use crate::payment::protocols::eip3009::{Domain, Signed};
use crate::payment::protocols::for_tests::{
    EVM_CHALLENGE, EXPIRES, EXPIRES_SECONDS, MPP_EVM_MPPX, MPP_EVM_PYMPP, MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP,
    REALM, SECRET, TEMPO_CHALLENGE,
};
use crate::payment::rails::base::{self, evm_charge};
use crate::payment::rails::tempo::{self, tempo_charge, transaction};

const EVM_ID: &str = "zphw_jDr3HmStLU2WurMnPZ99P8WWBZDBKUbR5RzTLA";
const TEMPO_ID: &str = "MzZcuKtcPkd51zUCW5AM7ob-WI4AGUxkhYGjzbduzLk";
const USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const PAY_TO: Address = address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");
const PAYERS_ON_TEMPO: [Address; 2] = [
    address!("19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"),
    address!("1563915e194D8CfBA1943570603F7606A3115508"),
];
const OTHER_SECRET: &str = "another-secret-0123456789abcdef-xyz";
const CANONICAL: &str = "/v1/shopper/best-price?q=coffee";

fn evm_request() -> MppCharge {
    evm_charge(8453, USDC, PAY_TO, 10_000)
}

fn tempo_request() -> MppCharge {
    tempo_charge(4217, address!("20C000000000000000000000b9537d11c60E8b50"), PAY_TO, 10_000)
}

/// The opaque of the vectors, whose mac is made up.
fn vector_opaque() -> Opaque {
    Opaque { n: "AAECAwQFBgcICQoL".to_owned(), res: "Zm9v".to_owned() }
}

fn opened(header: &str) -> Value {
    serde_json::from_slice(&from_base64(header.strip_prefix("Payment ").unwrap()).unwrap()).unwrap()
}

fn sealed(value: &Value) -> String {
    format!("Payment {}", base64url(value.to_string().as_bytes()))
}

fn presented(header: &str) -> MppCredential {
    decode(header).unwrap().expect("it is a Payment credential")
}

/// A recorded credential, changed.
fn changed(header: &str, change: impl FnOnce(&mut Value)) -> Result<MppCredential, Malformed> {
    let mut value = opened(header);
    change(&mut value);
    decode(&sealed(&value)).map(|credential| credential.expect("it is a Payment credential"))
}

#[test]
fn challenges_are_those_of_the_vectors() {
    let evm = challenge(SECRET, REALM, &evm_request(), EXPIRES, &vector_opaque()).unwrap();
    assert_eq!((evm.id.as_str(), evm.header_line.as_str()), (EVM_ID, EVM_CHALLENGE));
    let tempo = challenge(SECRET, REALM, &tempo_request(), EXPIRES, &vector_opaque()).unwrap();
    assert_eq!((tempo.id.as_str(), tempo.header_line.as_str()), (TEMPO_ID, TEMPO_CHALLENGE));
    assert!(challenge(SECRET, "a\r\nb", &evm_request(), EXPIRES, &vector_opaque()).is_err());
    assert!(challenge(SECRET, REALM, &evm_request(), "tomorrow", &vector_opaque()).is_err());
}

#[test]
fn nonces_are_those_of_the_vectors() {
    assert_eq!(
        evm_nonces(EVM_ID, REALM),
        [
            b256!("695df5c0cc881fe2903236fa6817c3ea4db9e04bcf0c76320ab024b0aca89d8a"),
            b256!("011d00d22f9912fd3dc821dd67bb882efdcd310b34086d5f7aa7e389b3b2e83b"),
        ]
    );
}

#[test]
fn credentials_of_real_clients_are_read_and_their_payers_recovered() {
    for (place, header) in [MPP_EVM_MPPX, MPP_EVM_PYMPP].into_iter().enumerate() {
        let credential = presented(header);
        assert_eq!((credential.id(), credential.realm()), (EVM_ID, REALM));
        assert_eq!((credential.method(), credential.intent()), (base::MPP_METHOD, INTENT));
        assert_eq!(Some(credential.request()), Some(evm_request().text()));
        assert_eq!((credential.expires, credential.opaque()), (EXPIRES_SECONDS, Some(vector_opaque())));
        assert!(credential.is_ours(&[SECRET]));
        let MppPayload::Authorization { authorization, signature } = credential.payload else {
            panic!("on Base")
        };
        assert_eq!(authorization.nonce, evm_nonces(EVM_ID, REALM)[place]);
        let signed =
            Signed::checked(authorization, &signature, &Domain::new("USD Coin", "2", 8453, USDC)).unwrap();
        let source = format!("did:pkh:eip155:8453:{}", signed.authorization.from);
        assert_eq!(credential.source, Some(source));
    }
    for header in [MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP] {
        let credential = presented(header);
        assert_eq!((credential.id(), credential.method()), (TEMPO_ID, tempo::MPP_METHOD));
        assert_eq!(Some(credential.request()), Some(tempo_request().text()));
        assert!(credential.is_ours(&[SECRET]));
        let MppPayload::Transaction(bytes) = credential.payload else { panic!("on Tempo") };
        let transfer = transaction::read(&bytes).unwrap();
        assert_eq!(credential.source, Some(format!("did:pkh:eip155:4217:{}", transfer.sender)));
        assert!(transaction::memo_binds(&transfer.memo, REALM, TEMPO_ID));
    }
}

#[test]
fn an_edited_challenge_is_not_ours() {
    assert!(presented(MPP_EVM_MPPX).is_ours(&[OTHER_SECRET, SECRET]), "the previous secret");
    assert!(!presented(MPP_EVM_MPPX).is_ours(&[OTHER_SECRET]));
    assert!(!presented(MPP_EVM_MPPX).is_ours(&[]));
    let edits: [fn(&mut Value); 9] = [
        |value| value["challenge"]["id"] = json!(TEMPO_ID),
        |value| value["challenge"]["id"] = json!(format!("{EVM_ID}=")),
        |value| value["challenge"]["realm"] = json!("other.example"),
        |value| value["challenge"]["method"] = json!("tempo"),
        |value| value["challenge"]["intent"] = json!("session"),
        |value| {
            value["challenge"]["request"] = json!(evm_charge(8453, USDC, PAY_TO, 1).text());
        },
        |value| value["challenge"]["expires"] = json!("2026-12-01T00:00:01.000Z"),
        |value| value["challenge"]["digest"] = json!("sha-256=AAAA"),
        |value| value["challenge"]["header"] = json!("Payment-Authorization"),
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let credential = changed(MPP_EVM_MPPX, edit).unwrap();
        assert!(!credential.is_ours(&[SECRET]), "edit {place}");
    }
    let without =
        changed(MPP_EVM_MPPX, |value| drop(value["challenge"].as_object_mut().unwrap().remove("opaque")));
    let without = without.unwrap();
    assert!(!without.is_ours(&[SECRET]));
    assert_eq!(without.opaque(), None);
}

#[test]
fn an_opaque_may_come_back_as_an_object() {
    let credential = changed(MPP_EVM_MPPX, |value| {
        value["challenge"]["opaque"] = json!({"res": "Zm9v", "n": "AAECAwQFBgcICQoL"});
    });
    let credential = credential.unwrap();
    assert!(credential.is_ours(&[SECRET]));
    assert_eq!(credential.opaque(), Some(vector_opaque()));
    let edited =
        changed(MPP_EVM_MPPX, |value| value["challenge"]["opaque"] = json!({"res": "Zm9v", "n": "AAEC"}));
    assert!(!edited.unwrap().is_ours(&[SECRET]));
}

#[test]
fn a_challenge_is_for_one_canonical_request() {
    let opaque = Opaque::new(SECRET, CANONICAL, [7; ENTROPY_BYTES]);
    assert_eq!(opaque.n, "BwcHBwcHBwcHBwcH");
    let credential = changed(MPP_EVM_MPPX, |value| {
        value["challenge"]["opaque"] = json!({"n": opaque.n, "res": opaque.res});
    });
    let credential = credential.unwrap();
    assert!(credential.opaque_binds(&[SECRET], CANONICAL));
    assert!(credential.opaque_binds(&[OTHER_SECRET, SECRET], CANONICAL));
    assert!(!credential.opaque_binds(&[OTHER_SECRET], CANONICAL));
    assert!(!credential.opaque_binds(&[SECRET], "/v1/shopper/best-price?q=tea"));
    assert!(!presented(MPP_EVM_MPPX).opaque_binds(&[SECRET], CANONICAL), "the vector's mac is made up");
    let mut macs = [Opaque::new(SECRET, CANONICAL, [8; 12]), Opaque::new(OTHER_SECRET, CANONICAL, [7; 12])];
    macs[0].n.clone_from(&opaque.n);
    assert_eq!(macs[0], opaque, "the mac does not depend on the entropy, the challenge's id does");
    assert_ne!(macs[1], opaque);
}

#[test]
fn two_challenges_of_one_moment_differ() {
    let id = |entropy| {
        let opaque = Opaque::new(SECRET, CANONICAL, entropy);
        challenge(SECRET, REALM, &evm_request(), EXPIRES, &opaque).unwrap().id
    };
    assert_ne!(id([0; 12]), id([1; 12]));
    assert_eq!(id([1; 12]), id([1; 12]));
}

#[test]
fn other_schemes_are_nobodys_fault() {
    let long = format!("Bearer {}", "x".repeat(CREDENTIAL_BYTES_MAX));
    for header in ["Bearer abc", "Basic YTpi", "", "Payment", "Payments abc", "Digest a=\"Payment x\"", &long]
    {
        assert!(decode(header).unwrap().is_none(), "{header}");
    }
    let beside = format!("Bearer abc, {MPP_EVM_MPPX}");
    assert_eq!(presented(&beside).id(), EVM_ID);
    assert_eq!(presented(&MPP_EVM_MPPX.replace("Payment ", "payment  ")).id(), EVM_ID);
}

#[test]
fn spelling_does_not_matter() {
    let bytes = from_base64(MPP_EVM_MPPX.strip_prefix("Payment ").unwrap()).unwrap();
    for token in [base64(&bytes), base64url(&bytes), format!("{}==", base64url(&bytes))] {
        let credential = presented(&format!("Payment {token}"));
        assert!(credential.is_ours(&[SECRET]));
        assert!(credential.payload == presented(MPP_EVM_MPPX).payload);
    }
}

#[test]
fn rejects_malformed_credentials() {
    let changes: [fn(&mut Value); 19] = [
        |value| *value = json!(null),
        |value| *value = json!([]),
        |value| drop(value.as_object_mut().unwrap().remove("challenge")),
        |value| drop(value.as_object_mut().unwrap().remove("payload")),
        |value| value["challenge"]["id"] = json!(""),
        |value| value["challenge"]["method"] = json!("EVM"),
        |value| value["challenge"]["request"] = json!({"amount": "10000"}),
        |value| value["challenge"]["expires"] = json!("soon"),
        |value| value["challenge"]["expires"] = json!("1969-12-31T23:59:59Z"),
        |value| drop(value["challenge"].as_object_mut().unwrap().remove("expires")),
        |value| value["challenge"]["opaque"] = json!({"n": 1}),
        |value| value["payload"] = json!(null),
        |value| value["payload"]["type"] = json!("permit2"),
        |value| value["payload"]["type"] = json!("proof"),
        |value| value["payload"] = json!({"type": "hash", "hash": "0x00"}),
        |value| drop(value["payload"].as_object_mut().unwrap().remove("type")),
        |value| drop(value["payload"].as_object_mut().unwrap().remove("nonce")),
        |value| value["payload"]["value"] = json!("0x2710"),
        |value| value["payload"]["signature"] = json!("not hexadecimal"),
    ];
    for (place, change) in changes.into_iter().enumerate() {
        assert!(changed(MPP_EVM_MPPX, change).is_err(), "change {place}");
    }
    assert!(changed(MPP_TEMPO_MPPX, |value| value["payload"]["signature"] = json!("76")).is_err());
    let text = opened(MPP_EVM_MPPX).to_string();
    let twice = format!("{MPP_EVM_MPPX}, {MPP_EVM_PYMPP}");
    for wrong in [
        "Payment not-base64!",
        &format!("Payment {}", base64url(format!("{text} x").as_bytes())),
        &format!("Payment {}", "x".repeat(CREDENTIAL_BYTES_MAX)),
        &twice,
    ] {
        assert!(decode(wrong).is_err());
    }
    let padded =
        changed(MPP_EVM_MPPX, |value| value["pad"] = json!("x".repeat(CREDENTIAL_BYTES_MAX * 3 / 4)));
    assert_eq!(padded.unwrap_err(), Malformed("it is longer than 8 kB"));
}

#[test]
fn a_numbers_fraction_is_dropped_from_the_expiry() {
    let credential =
        changed(MPP_EVM_MPPX, |value| value["challenge"]["expires"] = json!("2026-12-01T01:00:00.999+01:00"));
    assert_eq!(credential.unwrap().expires, EXPIRES_SECONDS);
}

#[test]
fn receipts_are_what_clients_read() {
    let header = receipt_header(base::MPP_METHOD, "0xab", "2026-11-21T16:00:00.000Z", Some(EVM_ID), true);
    assert!(header.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    let receipt: Value = serde_json::from_slice(&from_base64(&header).unwrap()).unwrap();
    assert_eq!(
        receipt,
        json!({
            "status": "success", "method": "evm", "timestamp": "2026-11-21T16:00:00.000Z", "reference": "0xab",
            "challengeId": EVM_ID, "sandbox": true
        })
    );
    let read = parse_receipt(&header).unwrap();
    assert_eq!((read.reference.as_str(), read.method.as_str()), ("0xab", "evm"));
    let plain = receipt_header(tempo::MPP_METHOD, "0xab", "2026-11-21T16:00:00Z", None, false);
    let plain: Value = serde_json::from_slice(&from_base64(&plain).unwrap()).unwrap();
    assert_eq!((plain.get("sandbox"), plain.get("challengeId")), (None, None));
}

#[test]
fn debug_forms_show_no_payment() {
    for header in [MPP_EVM_MPPX, MPP_TEMPO_MPPX] {
        let shown = format!("{:?}", presented(header));
        assert!(!shown.contains("payload") && !shown.contains("signature"), "{shown}");
    }
}

/// What makes a credential's payment the same as another one, when the credential is good.
fn key(header: &str) -> Option<String> {
    let credential = decode(header).ok()??;
    if !credential.is_ours(&[SECRET]) {
        return None;
    }
    let (id, realm) = (credential.id().to_owned(), credential.realm().to_owned());
    match credential.payload {
        MppPayload::Authorization { authorization, signature } => {
            let domain = Domain::new("USD Coin", "2", 8453, USDC);
            let signed = Signed::checked(authorization, &signature, &domain)?.authorization;
            evm_nonces(&id, &realm)
                .contains(&signed.nonce)
                .then(|| format!("{} {}", signed.from, signed.nonce))
        }
        MppPayload::Transaction(bytes) => {
            // A changed transaction is signed by somebody, too: by a key that nobody has.
            let transfer = transaction::read(&bytes)
                .ok()
                .filter(|transfer| PAYERS_ON_TEMPO.contains(&transfer.sender))?;
            transaction::memo_binds(&transfer.memo, &realm, &id).then(|| transfer.hash.to_string())
        }
    }
}

#[test]
fn no_changed_byte_makes_a_second_valid_payment() {
    for header in [MPP_EVM_MPPX, MPP_EVM_PYMPP, MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP] {
        let bytes = from_base64(header.strip_prefix("Payment ").unwrap()).unwrap();
        let original = key(header);
        assert!(original.is_some());
        let mut still_valid = 0;
        for place in 0..bytes.len() {
            for change in [0x01, 0x02, 0x20] {
                let mut changed = bytes.clone();
                changed[place] ^= change;
                if let Some(other) = key(&format!("Payment {}", base64url(&changed))) {
                    assert_eq!(Some(other), original, "byte {place}");
                    still_valid += 1;
                }
            }
        }
        // The case of hexadecimal, and the source, which nobody signed.
        assert!(still_valid > 0);
    }
}

#[test]
fn rejects_high_s_signatures_as_second_payments() {
    let value = opened(MPP_EVM_MPPX);
    let mut signature = from_hex(value["payload"]["signature"].as_str().unwrap()).unwrap();
    // n − s, which signs the same for whoever does not look.
    let order = alloy_primitives::U256::from_be_bytes(hex!(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    ));
    let s = order - alloy_primitives::U256::from_be_slice(&signature[32..64]);
    signature[32..64].copy_from_slice(&s.to_be_bytes::<32>());
    signature[64] = 55 - signature[64];
    let mut high = value;
    high["payload"]["signature"] = json!(hex::encode_prefixed(signature));
    assert!(decode(&sealed(&high)).is_ok());
    assert_eq!(key(&sealed(&high)), None);
}

proptest! {
    #[test]
    fn nonsense_is_read_without_a_panic(bytes: Vec<u8>, text: String) {
        let damaged = format!("Payment {}!", base64url(&bytes));
        prop_assert!(decode(&damaged).is_err());
        let _ = decode(&format!("Payment {}", base64url(&bytes)));
        let _ = decode(&format!("Payment {text}"));
        let _ = decode(&text);
    }

    #[test]
    fn challenges_are_read_back(
        request in "/[a-z0-9/?=&%]{0,60}", entropy: [u8; 12], amount: u64, seconds in 0_i64..4_000_000_000,
    ) {
        let opaque = Opaque::new(SECRET, &request, entropy);
        let expires = jiff::Timestamp::from_second(seconds).unwrap().to_string();
        let asked = evm_charge(8453, USDC, PAY_TO, amount);
        let made = challenge(SECRET, REALM, &asked, &expires, &opaque).unwrap();
        let credential = changed(MPP_EVM_MPPX, |value| {
            value["challenge"] = json!({
                "id": made.id, "realm": REALM, "method": base::MPP_METHOD, "intent": INTENT,
                "request": asked.text(), "expires": expires, "opaque": {"n": opaque.n, "res": opaque.res},
            });
        })
        .unwrap();
        prop_assert!(credential.is_ours(&[SECRET]));
        prop_assert!(credential.opaque_binds(&[SECRET], &request));
        prop_assert_eq!(i64::try_from(credential.expires).unwrap(), seconds);
        prop_assert!(made.header_line.contains(&made.id));
    }
}
