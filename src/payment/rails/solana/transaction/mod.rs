//! Solana: reads a partially signed transaction that holds one payment as the x402 `exact` scheme lays it out.
//!
//! ```text
//! SetComputeUnitLimit, SetComputeUnitPrice, TransferChecked, then one Memo and any Lighthouse checks
//! ```
//!
//! Its fee payer is the facilitator, who signs last: its slot holds anything when it comes and zeros when it goes on.
//! Invariant: a [`SolanaTransfer`] was signed by its authority, takes nothing from the fee payer but the fee, and is
//! named by the hash of its message, which is all that is signed. Neighbours: `message` reads the encoding;
//! `protocols::x402` carries the transaction.

mod message;
#[cfg(test)]
mod tests;

use std::fmt;

use bs58::decode::DecodeBuilder;
use curve25519_dalek::edwards::CompressedEdwardsY;
use ed25519_dalek::{Signature, VerifyingKey};

use self::message::{Instruction, Message, Transaction};
use crate::payment::protocols::codec::{InvalidTransaction, sha256};

/// A public key, or an address without one.
pub type Pubkey = [u8; 32];

/// Instructions of a transaction, at least: limit, price, transfer, memo.
const INSTRUCTIONS_MIN: usize = 4;
/// Instructions of a transaction, at most; facilitators refuse more.
const INSTRUCTIONS_MAX: usize = 7;
/// Highest price that a facilitator pays.
const UNIT_PRICE_MICROLAMPORTS_MAX: u64 = 5_000_000;
/// Longest memo that clients write.
const MEMO_BYTES_MAX: usize = 256;
/// Decimals of USDC.
const DECIMALS: u8 = 6;
/// Instruction of the compute budget program: at most so many units.
const SET_COMPUTE_UNIT_LIMIT: u8 = 2;
/// Instruction of the compute budget program: a price for each unit.
const SET_COMPUTE_UNIT_PRICE: u8 = 3;
/// Instruction of the token program: a transfer that names the mint and its decimals.
const TRANSFER_CHECKED: u8 = 12;
/// Place of the fee payer among the accounts.
const FEE_PAYER: u8 = 0;
/// Place of the only other signer.
const AUTHORITY: u8 = 1;
/// Length of a signature.
const SIGNATURE_BYTES: usize = 64;
/// Ends what a derived address is the hash of.
const DERIVED_ADDRESS: &[u8] = b"ProgramDerivedAddress";

const COMPUTE_BUDGET_PROGRAM: Pubkey = fixed("ComputeBudget111111111111111111111111111111");
const TOKEN_PROGRAM: Pubkey = fixed("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED_TOKEN_PROGRAM: Pubkey = fixed("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
const MEMO_PROGRAM: Pubkey = fixed("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
const LIGHTHOUSE_PROGRAM: Pubkey = fixed("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95");

/// One payment. Its `Debug` form shows neither transaction nor memo.
#[derive(Clone, PartialEq, Eq)]
pub struct SolanaTransfer {
    /// Who pays the fee.
    pub fee_payer: Pubkey,
    /// Payer: who signed for the source.
    pub authority: Pubkey,
    /// The token.
    pub mint: Pubkey,
    /// Token account that is paid.
    pub destination: Pubkey,
    /// Token account that pays.
    pub source: Pubkey,
    /// Atomic amount.
    pub amount: u64,
    /// Text of the memo.
    pub memo: String,
    /// Names the payment.
    pub message_sha256: [u8; 32],
    /// The transaction in its canonical form, the fee payer's signature left out.
    pub wire: Vec<u8>,
}

impl fmt::Debug for SolanaTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolanaTransfer")
            .field("fee_payer", &base58(&self.fee_payer))
            .field("authority", &base58(&self.authority))
            .field("mint", &base58(&self.mint))
            .field("destination", &base58(&self.destination))
            .field("amount", &self.amount)
            .finish_non_exhaustive()
    }
}

/// Reads a partially signed transaction.
///
/// # Errors
/// When it is not canonical, is laid out differently, or is not signed by its authority.
pub fn read(bytes: &[u8]) -> Result<SolanaTransfer, InvalidTransaction> {
    let transaction =
        Transaction::read(bytes).ok_or(InvalidTransaction::Malformed("it is not a canonical transaction"))?;
    let message = Message::read(transaction.message)
        .ok_or(InvalidTransaction::Malformed("its message is not a canonical message of version 0"))?;
    if message.signers != 2 || transaction.signatures.len() != 2 {
        return Err(InvalidTransaction::Layout("two keys must sign: the fee payer and the payer"));
    }
    let parts = read_instructions(&message)?;
    let account = |place: u8| message.accounts[usize::from(place)];
    let signature = transaction.signatures[1];
    if !is_signed(&account(AUTHORITY), &signature, transaction.message) {
        return Err(InvalidTransaction::Signature);
    }
    Ok(SolanaTransfer {
        fee_payer: account(FEE_PAYER),
        authority: account(AUTHORITY),
        mint: account(parts.mint),
        destination: account(parts.destination),
        source: account(parts.source),
        amount: parts.amount,
        memo: parts.memo,
        message_sha256: sha256(transaction.message),
        wire: [&[2], &[0; SIGNATURE_BYTES][..], &signature, transaction.message].concat(),
    })
}

/// What the instructions say; accounts by their places.
struct Parts {
    source: u8,
    mint: u8,
    destination: u8,
    amount: u64,
    memo: String,
}

fn read_instructions(message: &Message<'_>) -> Result<Parts, InvalidTransaction> {
    const ORDER: InvalidTransaction = InvalidTransaction::Layout(
        "the instructions must be unit limit, unit price, transfer, one memo and Lighthouse checks; at most 7",
    );
    let instructions = &message.instructions;
    if !(INSTRUCTIONS_MIN..=INSTRUCTIONS_MAX).contains(&instructions.len()) {
        return Err(ORDER);
    }
    if instructions.iter().any(|one| one.program == FEE_PAYER || one.accounts.contains(&FEE_PAYER)) {
        return Err(InvalidTransaction::Layout("no instruction may name the fee payer"));
    }
    let program = |instruction: &Instruction<'_>| message.accounts[usize::from(instruction.program)];
    read_budget(&program, &instructions[0], &instructions[1]).ok_or(InvalidTransaction::Layout(
        "begin with the unit limit and a unit price of at most 5000000 microlamports",
    ))?;
    let (source, mint, destination, amount) = Some(&instructions[2])
        .filter(|transfer| program(transfer) == TOKEN_PROGRAM)
        .and_then(read_transfer)
        .ok_or(InvalidTransaction::Layout(
            "the third instruction must be TransferChecked of 6 decimals by the second signer",
        ))?;

    let mut memos = instructions[3..].iter().filter(|one| program(one) == MEMO_PROGRAM);
    let (Some(memo), None) = (memos.next(), memos.next()) else {
        return Err(InvalidTransaction::Layout("write the memo of the offer, once"));
    };
    if instructions[3..].iter().any(|one| ![MEMO_PROGRAM, LIGHTHOUSE_PROGRAM].contains(&program(one))) {
        return Err(ORDER);
    }
    let memo = Some(memo.data)
        .filter(|data| data.len() <= MEMO_BYTES_MAX)
        .and_then(|data| String::from_utf8(data.to_vec()).ok())
        .ok_or(InvalidTransaction::Layout("the memo must be a text of at most 256 bytes"))?;
    Ok(Parts { source, mint, destination, amount, memo })
}

fn read_budget(
    program: &impl Fn(&Instruction<'_>) -> Pubkey,
    limit: &Instruction<'_>,
    price: &Instruction<'_>,
) -> Option<()> {
    let is_budget = |one: &Instruction<'_>| program(one) == COMPUTE_BUDGET_PROGRAM && one.accounts.is_empty();
    let units = limit.data.strip_prefix(&[SET_COMPUTE_UNIT_LIMIT])?;
    let price_data = price.data.strip_prefix(&[SET_COMPUTE_UNIT_PRICE])?;
    let price_value = u64::from_le_bytes(price_data.try_into().ok()?);
    (is_budget(limit) && is_budget(price) && units.len() == 4 && price_value <= UNIT_PRICE_MICROLAMPORTS_MAX)
        .then_some(())
}

/// Source, mint, destination, amount. A transfer to itself would move nothing.
fn read_transfer(transfer: &Instruction<'_>) -> Option<(u8, u8, u8, u64)> {
    let &[source, mint, destination, AUTHORITY] = transfer.accounts else { return None };
    let (amount, decimals) = transfer.data.strip_prefix(&[TRANSFER_CHECKED])?.split_first_chunk()?;
    (source != destination && decimals == [DECIMALS]).then(|| {
        let amount = u64::from_le_bytes(*amount);
        (source, mint, destination, amount)
    })
}

fn is_signed(key: &Pubkey, signature: &[u8; SIGNATURE_BYTES], message: &[u8]) -> bool {
    VerifyingKey::from_bytes(key)
        .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
}

/// The token account that belongs to an owner and a mint of the token program. It always exists as an address.
///
/// # Panics
/// When 256 addresses in a row are all keys, which does not happen: each is one with a chance of one half.
pub fn ata(owner: &Pubkey, mint: &Pubkey) -> Pubkey {
    let found = (0..=u8::MAX).rev().find_map(|bump| {
        let seeds = [&owner[..], &TOKEN_PROGRAM, mint, &[bump], &ASSOCIATED_TOKEN_PROGRAM, DERIVED_ADDRESS];
        let address = sha256(&seeds.concat());
        // A derived address must be nobody's key.
        CompressedEdwardsY(address).decompress().is_none().then_some(address)
    });
    found.expect("one of 256 derived addresses is nobody's key")
}

/// Reads an address.
pub fn pubkey(text: &str) -> Option<Pubkey> {
    let mut key = [0; 32];
    let length = bs58::decode(text).onto(&mut key[..]).ok()?;
    (length == key.len()).then_some(key)
}

/// Writes an address, or a signature.
pub fn base58(bytes: &[u8]) -> String {
    bs58::encode(bytes).into_string()
}

/// An address that is written in this file.
const fn fixed(text: &str) -> Pubkey {
    DecodeBuilder::new(text.as_bytes(), bs58::Alphabet::BITCOIN).into_array_const_unwrap()
}
