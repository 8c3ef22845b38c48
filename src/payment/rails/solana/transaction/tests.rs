//! A transaction that a real client signed, known addresses, and every way in which it could be something else.

#![allow(clippy::unwrap_used)]

use alloy_primitives::hex;
use ed25519_dalek::{Signer, SigningKey};
use proptest::prelude::*;

use super::*;
use crate::payment::protocols::for_tests::{REFERENCE, X402_SOLANA};
use crate::payment::protocols::x402::{X402Payload, decode};

const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const PAYER: &str = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9";
const FACILITATOR: &str = "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu";

/// Places of the accounts of the transactions that are built here.
const SOURCE: u8 = 2;
const DESTINATION: u8 = 3;
const BUDGET: u8 = 4;
const TOKEN: u8 = 5;
const MINT: u8 = 6;
const MEMO: u8 = 7;
const LIGHTHOUSE: u8 = 8;
const STRANGER: u8 = 9;

fn recorded() -> Vec<u8> {
    match decode(X402_SOLANA).unwrap().payload {
        X402Payload::Transaction(bytes) => bytes,
        X402Payload::Authorization { .. } | X402Payload::Channel(_) => panic!("on Solana"),
    }
}

fn key(text: &str) -> Pubkey {
    pubkey(text).unwrap()
}

/// How a transaction is changed.
type Change = fn(&mut Draft);

/// Program, accounts, data.
type Built = (u8, Vec<u8>, Vec<u8>);

/// A transaction to be; written apart from the reader.
#[derive(Clone)]
struct Draft {
    header: [u8; 4],
    accounts: Vec<Pubkey>,
    instructions: Vec<Built>,
    tail: Vec<u8>,
}

fn limit() -> Built {
    (BUDGET, vec![], vec![2, 0x20, 0x4e, 0, 0])
}

fn price(microlamports: u64) -> Built {
    (BUDGET, vec![], [&[3][..], &microlamports.to_le_bytes()].concat())
}

fn transfer(amount: u64) -> Built {
    let data = [&[12][..], &amount.to_le_bytes(), &[6]].concat();
    (TOKEN, vec![SOURCE, MINT, DESTINATION, AUTHORITY], data)
}

fn memo(text: &[u8]) -> Built {
    (MEMO, vec![], text.to_vec())
}

fn draft() -> Draft {
    let accounts = vec![
        key(FACILITATOR),
        key(PAYER),
        ata(&key(PAYER), &key(USDC)),
        [3; 32],
        COMPUTE_BUDGET_PROGRAM,
        TOKEN_PROGRAM,
        key(USDC),
        MEMO_PROGRAM,
        LIGHTHOUSE_PROGRAM,
        [9; 32],
    ];
    Draft {
        header: [0x80, 2, 1, 6],
        accounts,
        instructions: vec![limit(), price(1), transfer(10_000), memo(b"memo")],
        tail: vec![0],
    }
}

fn length(length: usize) -> Vec<u8> {
    if length < 0x80 { vec![length as u8] } else { vec![length as u8 | 0x80, (length >> 7) as u8] }
}

impl Draft {
    fn message(&self) -> Vec<u8> {
        let mut bytes = self.header.to_vec();
        bytes.extend(length(self.accounts.len()));
        bytes.extend(self.accounts.concat());
        bytes.extend([5; 32]);
        bytes.extend(length(self.instructions.len()));
        for (program, accounts, data) in &self.instructions {
            bytes.push(*program);
            bytes.extend(length(accounts.len()));
            bytes.extend(accounts);
            bytes.extend(length(data.len()));
            bytes.extend(data);
        }
        bytes.extend(&self.tail);
        bytes
    }

    fn read(&self) -> Result<SolanaTransfer, InvalidTransaction> {
        let message = self.message();
        let signature = SigningKey::from_bytes(&[1; 32]).sign(&message).to_bytes();
        read(&[&[2], &[0; 64][..], &signature, &message].concat())
    }
}

fn changed(change: impl FnOnce(&mut Draft)) -> Result<SolanaTransfer, InvalidTransaction> {
    let mut draft = draft();
    change(&mut draft);
    draft.read()
}

#[test]
fn the_transaction_of_a_real_client_is_read() {
    let bytes = recorded();
    let transfer = read(&bytes).unwrap();
    assert_eq!(base58(&transfer.fee_payer), FACILITATOR);
    assert_eq!(base58(&transfer.authority), PAYER);
    assert_eq!(base58(&transfer.mint), USDC);
    assert_eq!(base58(&transfer.source), "3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP");
    assert_eq!(base58(&transfer.destination), "DNDTCnZkNk358qDFZd9unHtnrc73SsXcpVWtwJJMrR4B");
    assert_eq!((transfer.amount, transfer.memo.as_str()), (10_000, REFERENCE));
    assert_eq!(
        transfer.message_sha256,
        hex!("6db2c6d480ef6ed5dcca282c538bab81d87e358461d71918aac47f69033da1e0")
    );
    assert_eq!(transfer.wire, bytes);
    assert!(!format!("{transfer:?}").contains(REFERENCE));
}

#[test]
fn token_accounts_are_those_that_the_library_derives() {
    for (owner, account) in [
        (PAYER, "3wvJdyFnGvaMWpbq93NU91SggiVRveULUXL6iX5VZDGP"),
        (FACILITATOR, "ASZ2TDDNJG2n42TxAezqNNzwWipykHrENDKMCoLKgzup"),
        ("GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse", "DNDTCnZkNk358qDFZd9unHtnrc73SsXcpVWtwJJMrR4B"),
    ] {
        assert_eq!(ata(&key(owner), &key(USDC)), key(account));
    }
}

#[test]
fn ignores_the_fee_payer_signature() {
    let original = read(&recorded()).unwrap();
    let mut filled = recorded();
    for (place, byte) in filled[1..65].iter_mut().enumerate() {
        *byte = place as u8 ^ 0x5a;
    }
    assert_eq!(read(&filled), Ok(original));
}

#[test]
fn reads_locally_built_transactions_as_payments() {
    let transfer = draft().read().unwrap();
    assert_eq!((transfer.amount, transfer.memo.as_str()), (10_000, "memo"));
    assert_eq!((transfer.source, transfer.destination), (draft().accounts[2], [3; 32]));
    let lighthouse = || (LIGHTHOUSE, vec![SOURCE], vec![1, 2, 3]);
    let most = changed(|draft| {
        draft.instructions.insert(3, lighthouse());
        draft.instructions.extend([lighthouse(), lighthouse()]);
    });
    assert_eq!(most.unwrap().memo, "memo");
    assert!(changed(|draft| draft.instructions[1] = price(5_000_000)).is_ok());
    assert!(changed(|draft| draft.header[2] = 0).is_ok(), "the authority may be writable");
    assert_eq!(changed(|draft| draft.instructions[3] = memo(&[b'm'; 256])).unwrap().memo.len(), 256);
}

#[test]
fn only_the_payment_and_nothing_else() {
    let changes: &[(&str, Change)] = &[
        ("no memo", |draft| drop(draft.instructions.pop())),
        ("two memos", |draft| draft.instructions.push(memo(b"memo"))),
        ("no memo among checks", |draft| draft.instructions[3] = (LIGHTHOUSE, vec![], vec![])),
        ("a long memo", |draft| draft.instructions[3] = memo(&[b'm'; 257])),
        ("a memo that is no text", |draft| draft.instructions[3] = memo(&[0xff])),
        ("eight instructions", |draft| {
            draft.instructions.extend(std::iter::repeat_n((LIGHTHOUSE, vec![], vec![]), 4));
        }),
        ("a stranger's program", |draft| draft.instructions.push((STRANGER, vec![], vec![]))),
        ("a second transfer", |draft| draft.instructions.push(transfer(1))),
        ("a third budget instruction", |draft| draft.instructions.push(price(1))),
        ("price before limit", |draft| draft.instructions.swap(0, 1)),
        ("transfer before price", |draft| draft.instructions.swap(1, 2)),
        ("a price too high", |draft| draft.instructions[1] = price(5_000_001)),
        ("a longer limit", |draft| draft.instructions[0].2.push(0)),
        ("a longer price", |draft| draft.instructions[1].2.push(0)),
        ("another budget instruction", |draft| draft.instructions[0].2[0] = 1),
        ("a budget of another program", |draft| draft.instructions[0].0 = STRANGER),
        ("a plain transfer", |draft| draft.instructions[2].2[0] = 3),
        ("nine decimals", |draft| draft.instructions[2].2[9] = 9),
        ("longer transfer data", |draft| draft.instructions[2].2.push(0)),
        ("a token program of one's own", |draft| draft.instructions[2].0 = STRANGER),
        ("a fifth account", |draft| draft.instructions[2].1.push(STRANGER)),
        ("another authority", |draft| draft.instructions[2].1[3] = STRANGER),
        ("the fee payer as authority", |draft| draft.instructions[2].1[3] = FEE_PAYER),
        ("a transfer to itself", |draft| draft.instructions[2].1[2] = SOURCE),
        ("the fee payer in a check", |draft| draft.instructions.push((LIGHTHOUSE, vec![FEE_PAYER], vec![]))),
        ("a third signer", |draft| draft.header[1] = 3),
    ];
    for (what, change) in changes {
        assert!(matches!(changed(change), Err(InvalidTransaction::Layout(_))), "{what}");
    }
}

#[test]
fn other_messages_are_malformed() {
    let changes: &[(&str, Change)] = &[
        ("version 1", |draft| draft.header[0] = 0x81),
        ("a legacy message", |draft| draft.header[0] = 2),
        ("a lookup table", |draft| draft.tail = [&[1][..], &[7; 32], &[1, 0, 0]].concat()),
        ("a tail", |draft| draft.tail.push(0)),
        ("no tail", |draft| draft.tail.clear()),
        ("only readonly signers", |draft| draft.header[2] = 2),
        ("more readonly accounts than there are", |draft| draft.header[3] = 9),
        ("an account twice", |draft| draft.accounts[9] = draft.accounts[3]),
        ("a program that is no account", |draft| draft.instructions[3].0 = 10),
        ("a place that is no account", |draft| draft.instructions[2].1[1] = 10),
    ];
    for (what, change) in changes {
        assert!(matches!(changed(change), Err(InvalidTransaction::Malformed(_))), "{what}");
    }
    let bytes = recorded();
    for wrong in [&[&bytes[..], &[0]].concat(), &bytes[..bytes.len() - 1], &bytes[1..], &[], &[0; 1233]] {
        assert!(read(wrong).is_err());
    }
    // Two is written in one byte.
    assert!(matches!(read(&[&[0x82, 0][..], &bytes[1..]].concat()), Err(InvalidTransaction::Malformed(_))));
}

#[test]
fn signatures_are_counted_and_checked() {
    let bytes = recorded();
    let message = &bytes[129..];
    let signature = &bytes[65..129];
    let one = [&[1], signature, message].concat();
    let three = [&[3], &[0; 128][..], signature, message].concat();
    for wrong in [one, three] {
        assert!(read(&wrong).is_err());
    }
    // The order of the group, added to s, verifies where nobody looks.
    let mut rewritten = bytes.clone();
    let order = hex!("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut carry = 0;
    for (byte, add) in rewritten[97..129].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    assert_eq!(read(&rewritten), Err(InvalidTransaction::Signature));
    let mut swapped = bytes.clone();
    swapped[1..65].copy_from_slice(signature);
    swapped[65..129].fill(0);
    assert_eq!(read(&swapped), Err(InvalidTransaction::Signature));
    // A key of small order signs everything, for whoever is not strict.
    let mut weak = draft();
    weak.accounts[1] = [0; 32];
    weak.accounts[1][0] = 1;
    let mut identity = [0; 64];
    identity[0] = 1;
    assert_eq!(
        read(&[&[2], &[0; 64][..], &identity, &weak.message()].concat()),
        Err(InvalidTransaction::Signature)
    );
}

#[test]
fn no_changed_byte_is_another_payment() {
    let bytes = recorded();
    let original = read(&bytes).unwrap();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            let read = read(&changed);
            if (1..65).contains(&place) {
                assert_eq!(read.as_ref(), Ok(&original), "the fee payer's slot");
            } else {
                assert!(read.is_err(), "byte {place}");
            }
        }
    }
}

#[test]
fn addresses_have_one_form() {
    assert_eq!(base58(&key(USDC)), USDC);
    for text in [
        "",
        "1",
        &USDC[8..],
        &format!("1{USDC}"),
        &format!(" {USDC}"),
        &USDC.replace('E', "0"),
        &"z".repeat(99),
    ] {
        assert_eq!(pubkey(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn nonsense_is_read_without_a_panic(bytes: Vec<u8>, text: String) {
        prop_assert!(read(&bytes).is_err());
        let _ = read(&[&[2], &[0; 128][..], &[0x80, 2, 1, 1], &bytes].concat());
        let _ = pubkey(&text);
    }

    #[test]
    fn cut_and_changed_transactions_are_refused(
        cut in 0_usize..600, from in 0_usize..518, bytes in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let original = recorded();
        let mut changed = original.clone();
        for (place, byte) in bytes.into_iter().enumerate() {
            if let Some(old) = changed.get_mut(from + place) {
                *old = byte;
            }
        }
        changed.truncate(cut);
        if let Ok(transfer) = read(&changed) {
            prop_assert_eq!(transfer, read(&original).unwrap());
        }
    }

    #[test]
    fn payments_are_read_back(amount: u64, text in ".{0,60}", blockhash: u8, microlamports in 0_u64..=5_000_000) {
        let mut draft = draft();
        draft.accounts[9] = [blockhash | 0x10; 32];
        draft.instructions[1] = price(microlamports);
        draft.instructions[2] = transfer(amount);
        draft.instructions[3] = memo(text.as_bytes());
        let read = draft.read().unwrap();
        prop_assert_eq!((read.amount, read.memo), (amount, text));
        prop_assert_eq!(read.message_sha256, sha256(&draft.message()));
    }

    #[test]
    fn addresses_are_read_back(bytes: [u8; 32]) {
        prop_assert_eq!(pubkey(&base58(&bytes)), Some(bytes));
    }
}
