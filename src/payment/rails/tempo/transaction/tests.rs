//! Transactions that real clients signed, and every way in which they could be something else.
//!
//! That the hash is taken over `v` as 27 or 28, whichever form was broadcast, was seen on a Tempo node.

#![allow(clippy::unwrap_used)]

use alloy_primitives::{U256, address, b256, hex};
use proptest::prelude::*;
use secp256k1::{Message, Secp256k1, SecretKey};

use super::*;
use crate::payment::protocols::for_tests::{MPP_TEMPO_MPPX, MPP_TEMPO_PYMPP, REALM};
use crate::payment::protocols::mpp::{MppPayload, decode};

const CHALLENGE_ID: &str = "MzZcuKtcPkd51zUCW5AM7ob-WI4AGUxkhYGjzbduzLk";
const MEMO: [u8; 32] = hex!("ef1ed71201e70a914be4a9d5ff48b800000000000000000000e1c8b8c7e9be22");
const USDC_E: Address = address!("20C000000000000000000000b9537d11c60E8b50");
const PAY_TO: Address = address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");

fn recorded(header: &str) -> Vec<u8> {
    match decode(header).unwrap().unwrap().payload {
        MppPayload::Transaction(bytes) => bytes,
        MppPayload::Authorization { .. } => panic!("on Tempo"),
    }
}

/// What is changed, and how.
type Change<T> = (&'static str, fn(&mut T));

/// RLP by the book, written apart from the reader.
#[derive(Clone)]
enum Rlp {
    Text(Vec<u8>),
    List(Vec<Rlp>),
}

impl Rlp {
    fn encode(&self) -> Vec<u8> {
        let (base, body) = match self {
            Self::Text(text) if text.len() == 1 && text[0] < 0x80 => return text.clone(),
            Self::Text(text) => (0x80, text.clone()),
            Self::List(list) => (0xc0, list.iter().flat_map(Self::encode).collect()),
        };
        let mut encoded = match body.len() {
            short @ ..=55 => vec![base + short as u8],
            long @ ..=255 => vec![base + 56, long as u8],
            long => vec![base + 57, (long >> 8) as u8, long as u8],
        };
        encoded.extend(body);
        encoded
    }
}

fn text(bytes: &[u8]) -> Rlp {
    Rlp::Text(bytes.to_vec())
}

fn call_data(to: Address, amount: U256, memo: [u8; 32]) -> Vec<u8> {
    [&SELECTOR[..], to.into_word().as_slice(), &amount.to_be_bytes::<32>(), &memo].concat()
}

/// The unsigned fields of a payment.
fn fields() -> Vec<Rlp> {
    let call = Rlp::List(vec![
        text(USDC_E.as_slice()),
        text(&[]),
        Rlp::Text(call_data(PAY_TO, U256::from(10_000), MEMO)),
    ]);
    vec![
        text(&[0x10, 0x79]),
        text(&[0x3b]),
        text(&[0x50, 0x22]),
        text(&[0x01, 0x9a, 0x8c]),
        Rlp::List(vec![call]),
        Rlp::List(vec![]),
        text(&[0xff; 32]),
        text(&[]),
        text(&[0x6b, 0x01, 0xc2, 0x94]),
        text(&[]),
        text(&[]),
        text(&[]),
        Rlp::List(vec![]),
    ]
}

fn key() -> SecretKey {
    SecretKey::from_byte_array([0x11; 32]).unwrap()
}

fn sign(fields: &[Rlp]) -> [u8; 65] {
    let unsigned = [vec![TYPE], Rlp::List(fields.to_vec()).encode()].concat();
    let digest = Message::from_digest(keccak256(unsigned).0);
    let (recovery, compact) = Secp256k1::new().sign_ecdsa_recoverable(digest, &key()).serialize_compact();
    let mut signature = [0; 65];
    signature[..64].copy_from_slice(&compact);
    signature[64] = 27 + i32::from(recovery) as u8;
    signature
}

fn wire(mut fields: Vec<Rlp>, signature: &[u8]) -> Vec<u8> {
    fields.push(text(signature));
    [vec![TYPE], Rlp::List(fields).encode()].concat()
}

/// A payment with some fields changed, signed all the same.
fn signed_with(change: impl FnOnce(&mut Vec<Rlp>)) -> Result<TempoTransfer, InvalidTransaction> {
    let mut fields = fields();
    change(&mut fields);
    let signature = sign(&fields);
    read(&wire(fields, &signature))
}

fn with_call(change: impl FnOnce(&mut Vec<Rlp>)) -> Result<TempoTransfer, InvalidTransaction> {
    signed_with(|fields| {
        let Rlp::List(calls) = &mut fields[4] else { panic!("a list") };
        let Rlp::List(call) = &mut calls[0] else { panic!("a list") };
        change(call);
    })
}

#[test]
fn transactions_of_real_clients_are_read() {
    let mppx = read(&recorded(MPP_TEMPO_MPPX)).unwrap();
    assert_eq!(mppx.sender, address!("19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"));
    assert_eq!(mppx.hash, b256!("e344acd0ff10d04a38641b7e98e4716555bef2ed4c7436f4dd148c4bf6d2cc88"));
    assert_eq!((mppx.valid_after, mppx.valid_before), (Some(1_729_568_446), Some(1_795_277_460)));
    let pympp = read(&recorded(MPP_TEMPO_PYMPP)).unwrap();
    assert_eq!(pympp.sender, address!("1563915e194D8CfBA1943570603F7606A3115508"));
    assert_eq!(pympp.hash, b256!("1e320437baf29cc5ec6259443cf647072a8ba24618f5c6747fbd5caa5b2f86c2"));
    assert_eq!((pympp.valid_after, pympp.valid_before), (None, Some(1_795_277_497)));
    for (transfer, header) in [(mppx, MPP_TEMPO_MPPX), (pympp, MPP_TEMPO_PYMPP)] {
        assert_eq!(transfer.raw, recorded(header));
        assert_eq!((transfer.chain_id, transfer.amount), (4217, 10_000));
        assert_eq!((transfer.asset, transfer.to), (USDC_E, PAY_TO));
        assert_eq!(transfer.memo, MEMO);
    }
}

#[test]
fn the_memo_is_that_of_the_vector() {
    assert_eq!(memo_for(REALM, CHALLENGE_ID), MEMO);
    assert!(memo_binds(&MEMO, REALM, CHALLENGE_ID));
    assert!(!memo_binds(&MEMO, "other.example", CHALLENGE_ID));
    assert!(!memo_binds(&MEMO, REALM, "zphw_jDr3HmStLU2WurMnPZ99P8WWBZDBKUbR5RzTLA"));
    for place in 0..32 {
        let mut changed = MEMO;
        changed[place] ^= 1;
        assert_eq!(memo_binds(&changed, REALM, CHALLENGE_ID), MEMO_CLIENT.contains(&place), "byte {place}");
    }
}

#[test]
fn v_has_one_form_on_the_chain() {
    let bytes = recorded(MPP_TEMPO_MPPX);
    let original = read(&bytes).unwrap();
    let with_v = |v: u8| {
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() = v;
        read(&changed)
    };
    let v = *bytes.last().unwrap();
    assert_eq!(with_v(v - 27), Ok(original.clone()), "a parity is the same transaction");
    for other in (0..=255).filter(|other| ![0, 1, 27, 28].contains(other)) {
        assert_eq!(with_v(other), Err(InvalidTransaction::Signature), "v {other}");
    }
    // The other parity is a signature of somebody else, or of nobody.
    assert!(with_v(55 - v).map_or(true, |transfer| transfer.sender != original.sender));
}

#[test]
fn a_high_s_is_refused() {
    let mut bytes = recorded(MPP_TEMPO_MPPX);
    let order = U256::from_be_bytes(hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"));
    let s = bytes.len() - 33..bytes.len() - 1;
    let high = order - U256::from_be_slice(&bytes[s.clone()]);
    bytes[s].copy_from_slice(&high.to_be_bytes::<32>());
    let v = bytes.last_mut().unwrap();
    *v = 55 - *v;
    assert_eq!(read(&bytes), Err(InvalidTransaction::Signature));
}

#[test]
fn reads_locally_built_transactions_as_payments() {
    let transfer = signed_with(|_| {}).unwrap();
    assert_eq!(transfer.sender, address!("19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"));
    let named_fee_token = signed_with(|fields| fields[10] = text(USDC_E.as_slice())).unwrap();
    assert_eq!(named_fee_token.sender, transfer.sender);
    assert_eq!(signed_with(|fields| fields[8] = text(&[])).unwrap().valid_before, None);
}

#[test]
fn only_one_transfer_and_nothing_else() {
    let changes: &[Change<Vec<Rlp>>] = &[
        ("no call", |fields| fields[4] = Rlp::List(vec![])),
        ("two calls", |fields| {
            let Rlp::List(calls) = &mut fields[4] else { panic!("a list") };
            calls.push(calls[0].clone());
        }),
        ("access list", |fields| {
            fields[5] = Rlp::List(vec![Rlp::List(vec![text(USDC_E.as_slice()), Rlp::List(vec![])])]);
        }),
        ("fee payer wanted", |fields| fields[11] = text(&[0])),
        ("fee payer named", |fields| fields[11] = text(PAY_TO.as_slice())),
        ("fee payer signed", |fields| fields[11] = Rlp::List(vec![text(&[]), text(&[1]), text(&[2])])),
        ("authorization", |fields| fields[12] = Rlp::List(vec![Rlp::List(vec![])])),
        ("key authorization", |fields| fields.push(Rlp::List(vec![]))),
    ];
    for (what, change) in changes {
        assert!(matches!(signed_with(change), Err(InvalidTransaction::Layout(_))), "{what}");
    }
    let calls: &[Change<Vec<Rlp>>] = &[
        ("value", |call| call[1] = text(&[1])),
        ("another function", |call| call[2] = text(&hex!("a9059cbb"))),
        ("no data", |call| call[2] = text(&[])),
        ("longer data", |call| {
            call[2] = Rlp::Text([call_data(PAY_TO, U256::from(1), MEMO), vec![0]].concat());
        }),
        ("an amount beyond 64 bits", |call| {
            call[2] = Rlp::Text(call_data(PAY_TO, U256::from(u64::MAX) + U256::from(1), MEMO));
        }),
        ("dirt before the address", |call| {
            let mut data = call_data(PAY_TO, U256::from(1), MEMO);
            data[4] = 1;
            call[2] = Rlp::Text(data);
        }),
    ];
    for (what, change) in calls {
        assert!(matches!(with_call(change), Err(InvalidTransaction::Layout(_))), "{what}");
    }
    assert_eq!(
        with_call(|call| call[2] = Rlp::Text(call_data(PAY_TO, U256::from(u64::MAX), MEMO))).unwrap().amount,
        u64::MAX
    );
}

#[test]
fn other_encodings_are_malformed() {
    let changes: &[Change<Vec<Rlp>>] = &[
        ("a zero as a byte", |fields| fields[7] = text(&[0])),
        ("leading zero in the chain", |fields| fields[0] = text(&[0, 0x10, 0x79])),
        ("leading zero in validBefore", |fields| fields[8] = text(&[0, 1])),
        ("nine bytes of chain", |fields| fields[0] = text(&[1; 9])),
        ("seventeen bytes of fee", |fields| fields[1] = text(&[1; 17])),
        ("33 bytes of nonce key", |fields| fields[6] = text(&[1; 33])),
        ("a fee token of 19 bytes", |fields| fields[10] = text(&[1; 19])),
        ("a list for a number", |fields| fields[3] = Rlp::List(vec![])),
        ("a text for the calls", |fields| fields[4] = text(&[])),
        ("leading zero in validAfter", |fields| fields[9] = text(&[0, 1])),
        ("a field too many", |fields| fields.push(text(&[]))),
    ];
    for (what, change) in changes {
        assert!(matches!(signed_with(change), Err(InvalidTransaction::Malformed(_))), "{what}");
    }
    for field in 0..13 {
        assert!(signed_with(|fields| drop(fields.remove(field))).is_err(), "without field {field}");
    }
    assert!(with_call(|call| drop(call.pop())).is_err());
    assert!(with_call(|call| call.push(text(&[]))).is_err());
    assert!(with_call(|call| call[0] = text(&[])).is_err(), "a creation");
    let bytes = wire(fields(), &sign(&fields()));
    for wrong in [&[&bytes[..], &[0]].concat(), &bytes[..bytes.len() - 1], &bytes[1..], &[0x76], &[]] {
        assert!(matches!(read(wrong), Err(InvalidTransaction::Malformed(_))));
    }
    let sponsored = [&[0x78], &bytes[1..]].concat();
    assert!(read(&sponsored).is_err());
    // The long form of a length that has a short one.
    let list = rlp::only_list(&bytes[1..]).unwrap();
    let long_head = [&[TYPE, 0xfa, 0][..], &(list.len() as u16).to_be_bytes(), list].concat();
    assert!(matches!(read(&long_head), Err(InvalidTransaction::Malformed(_))));
}

#[test]
fn other_kinds_of_keys_are_refused() {
    let with_signature = |signature: &[u8]| read(&wire(fields(), signature));
    let plain = sign(&fields());
    assert!(with_signature(&plain).is_ok());
    assert_eq!(with_signature(&[]), Err(InvalidTransaction::Signature));
    assert_eq!(with_signature(&plain[..64]), Err(InvalidTransaction::Signature));
    // Behind a type byte come P-256, passkeys, access keys and multisigs; 32 bytes of magic may end them.
    assert_eq!(with_signature(&[&[1], &plain[..]].concat()), Err(InvalidTransaction::Signature));
    assert_eq!(with_signature(&[&plain[..], &[0x77; 32]].concat()), Err(InvalidTransaction::Signature));
    assert_eq!(with_signature(&[0; 65]), Err(InvalidTransaction::Signature));
}

#[test]
fn no_changed_byte_is_the_same_senders_other_payment() {
    for bytes in [recorded(MPP_TEMPO_MPPX), recorded(MPP_TEMPO_PYMPP)] {
        let original = read(&bytes).unwrap();
        for place in 0..bytes.len() {
            for change in 1..=255 {
                // All changes where structure lies, some in long fields.
                if change & (change - 1) != 0 && (40..bytes.len() - 70).contains(&place) {
                    continue;
                }
                let mut changed = bytes.clone();
                changed[place] ^= change;
                if let Ok(other) = read(&changed) {
                    let same = other == original;
                    assert!(same || other.sender != original.sender, "byte {place} ^ {change}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn nonsense_is_read_without_a_panic(bytes: Vec<u8>) {
        prop_assert!(read(&bytes).is_err());
        let _ = read(&[&[TYPE], &bytes[..]].concat());
        let _ = read(&[&[TYPE], &rlp::list_head(bytes.len())[..], &bytes[..]].concat());
    }

    #[test]
    fn payments_are_read_back(
        chain in 1_u64.., fee in 1_u128.., gas in 1_u64.., amount: u64, memo: [u8; 32], valid_before in 1_u64..,
        valid_after in 1_u64.., to: [u8; 20], asset: [u8; 20],
    ) {
        let minimal = |bytes: &[u8]| Rlp::Text(bytes.iter().copied().skip_while(|&byte| byte == 0).collect());
        let mut fields = fields();
        fields[0] = minimal(&chain.to_be_bytes());
        fields[2] = minimal(&fee.to_be_bytes());
        fields[3] = minimal(&gas.to_be_bytes());
        fields[4] = Rlp::List(vec![Rlp::List(vec![
            text(&asset), text(&[]), Rlp::Text(call_data(to.into(), U256::from(amount), memo)),
        ])]);
        fields[8] = minimal(&valid_before.to_be_bytes());
        fields[9] = minimal(&valid_after.to_be_bytes());
        let bytes = wire(fields.clone(), &sign(&fields));
        let hash = keccak256(&bytes);
        let expected = TempoTransfer {
            chain_id: chain, asset: asset.into(), to: to.into(), amount, memo,
            valid_after: Some(valid_after), valid_before: Some(valid_before),
            sender: address!("19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"), hash, raw: bytes.clone(),
        };
        prop_assert_eq!(read(&bytes), Ok(expected));
    }
}
