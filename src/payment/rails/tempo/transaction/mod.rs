//! Tempo: reads a signed transaction of type `0x76` that holds one payment and nothing else.
//!
//! ```text
//! 0x76 ‖ rlp[ chainId, maxPriorityFeePerGas, maxFeePerGas, gas, [[to, value, data]], accessList,
//!             nonceKey, nonce, validBefore, validAfter, feeToken, feePayerSignature, authorizationList, signature ]
//! ```
//!
//! What is absent is the empty text, so every list and text that a payment does not need must be empty, and the payer
//! pays the fee. Invariant: a [`TempoTransfer`] has one wire form and one hash, the ones that the chain uses. Nodes
//! take a signature's `v` as parity or as 27 and 28 and store the latter; its s must be low, on the chain as here.
//! Neighbours: `rlp` reads the encoding, `protocols::eip3009` recovers the sender, `protocols::mpp` carries the
//! transaction.

mod rlp;
#[cfg(test)]
mod tests;

use std::fmt;

use alloy_primitives::{Address, B256, keccak256};

use self::rlp::{RlpItem, RlpReader};
use crate::payment::protocols::codec::InvalidTransaction;
use crate::payment::protocols::eip3009::{normalise, recover};

/// First byte of the transaction.
const TYPE: u8 = 0x76;
/// `transferWithMemo(address,uint256,bytes32)`.
const SELECTOR: [u8; 4] = [0x95, 0x77, 0x7d, 0x59];
/// Selector, recipient, amount, memo.
const CALL_BYTES: usize = 4 + 3 * 32;
/// Length of a signature by a secp256k1 key; other kinds of keys give other lengths.
const SIGNATURE_BYTES: usize = 65;
/// Length of the signature as an item: its head is two bytes long.
const SIGNATURE_ITEM_BYTES: usize = 2 + SIGNATURE_BYTES;
/// Version of the memo's layout.
const MEMO_VERSION: u8 = 1;
/// Where in a memo the client may put its own fingerprint.
const MEMO_CLIENT: std::ops::Range<usize> = 15..25;

/// One payment. Its `Debug` form does not show the transaction.
#[derive(Clone, PartialEq, Eq)]
pub struct TempoTransfer {
    /// Number of the chain.
    pub chain_id: u64,
    /// The token.
    pub asset: Address,
    /// Who is paid.
    pub to: Address,
    /// Atomic amount.
    pub amount: u64,
    /// Memo of the transfer.
    pub memo: [u8; 32],
    /// Unix seconds before which the chain does not take it. Some clients put a random moment of the past here, to keep
    /// two payments apart.
    pub valid_after: Option<u64>,
    /// Unix seconds from which on the chain no longer takes it.
    pub valid_before: Option<u64>,
    /// Payer.
    pub sender: Address,
    /// Name of the transaction on the chain.
    pub hash: B256,
    /// The transaction in its canonical form.
    pub raw: Vec<u8>,
}

impl fmt::Debug for TempoTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TempoTransfer")
            .field("chain_id", &self.chain_id)
            .field("asset", &self.asset)
            .field("to", &self.to)
            .field("amount", &self.amount)
            .field("valid_after", &self.valid_after)
            .field("valid_before", &self.valid_before)
            .field("sender", &self.sender)
            .field("hash", &self.hash)
            .finish_non_exhaustive()
    }
}

/// Reads a signed transaction.
///
/// # Errors
/// When it is not canonical, does anything else than one transfer with a memo, or is not signed by one plain key.
pub fn read(bytes: &[u8]) -> Result<TempoTransfer, InvalidTransaction> {
    let fields = match bytes.split_first() {
        Some((&TYPE, list)) => {
            rlp::only_list(list).ok_or(InvalidTransaction::Malformed("it is not a canonical RLP list"))?
        }
        _ => return Err(InvalidTransaction::Malformed("it must begin with 0x76")),
    };
    let mut reader = RlpReader::new(fields);
    let body = read_body(&mut reader)?;
    let signature = read_signature(&mut reader)?;

    let mut raw = bytes.to_vec();
    if let Some(v) = raw.last_mut() {
        *v = signature[SIGNATURE_BYTES - 1];
    }
    let unsigned = &fields[..fields.len() - SIGNATURE_ITEM_BYTES];
    let digest = keccak256([&[TYPE][..], &rlp::list_head(unsigned.len()), unsigned].concat());
    let sender = recover(digest, &signature).ok_or(InvalidTransaction::Signature)?;
    let Body { chain_id, valid_after, valid_before, call } = body;
    let hash = keccak256(&raw);
    Ok(TempoTransfer {
        chain_id,
        asset: call.asset,
        to: call.to,
        amount: call.amount,
        memo: call.memo,
        valid_after,
        valid_before,
        sender,
        hash,
        raw,
    })
}

/// What is signed.
struct Body {
    chain_id: u64,
    valid_after: Option<u64>,
    valid_before: Option<u64>,
    call: Call,
}

struct Call {
    asset: Address,
    to: Address,
    amount: u64,
    memo: [u8; 32],
}

fn read_body(reader: &mut RlpReader<'_>) -> Result<Body, InvalidTransaction> {
    const SHORT: InvalidTransaction =
        InvalidTransaction::Malformed("a field is missing, or not in canonical RLP");
    let chain_id = reader.number().ok_or(SHORT)?;
    for width in [16, 16, 8] {
        reader.quantity(width).ok_or(SHORT)?;
    }
    let call = read_calls(reader.list().ok_or(SHORT)?)?;
    if !reader.list().ok_or(SHORT)?.is_empty() {
        return Err(InvalidTransaction::Layout("leave the access list empty"));
    }
    reader.quantity(32).ok_or(SHORT)?;
    reader.quantity(8).ok_or(SHORT)?;
    let valid_before = Some(reader.number().ok_or(SHORT)?).filter(|&time| time != 0);
    let valid_after = Some(reader.number().ok_or(SHORT)?).filter(|&time| time != 0);
    if ![0, 20].contains(&reader.text().ok_or(SHORT)?.len()) {
        return Err(InvalidTransaction::Malformed("the fee token is not an address"));
    }
    match reader.item().ok_or(SHORT)? {
        RlpItem::Text([]) => {}
        _ => return Err(InvalidTransaction::Layout("leave the fee payer empty: the sender pays the fee")),
    }
    if !reader.list().ok_or(SHORT)?.is_empty() {
        return Err(InvalidTransaction::Layout("leave the authorization list empty"));
    }
    Ok(Body { chain_id, valid_after, valid_before, call })
}

fn read_calls(list: &[u8]) -> Result<Call, InvalidTransaction> {
    const FORM: InvalidTransaction = InvalidTransaction::Malformed("a call must be [to, value, data]");
    let mut calls = RlpReader::new(list);
    let mut call = RlpReader::new(calls.list().ok_or(InvalidTransaction::Layout("make one call"))?);
    if !calls.is_at_end() {
        return Err(InvalidTransaction::Layout("make one call"));
    }
    let asset = call.text().ok_or(FORM)?;
    let value = call.text().ok_or(FORM)?;
    let data = call.text().ok_or(FORM)?;
    if !call.is_at_end() {
        return Err(FORM);
    }
    if !value.is_empty() {
        return Err(InvalidTransaction::Layout("the call's value must be 0"));
    }
    let asset = <[u8; 20]>::try_from(asset).map_err(|_| FORM)?;
    read_transfer(asset.into(), data)
        .ok_or(InvalidTransaction::Layout("call transferWithMemo(address,uint256,bytes32)"))
}

fn read_transfer(asset: Address, data: &[u8]) -> Option<Call> {
    let words = data.strip_prefix(&SELECTOR).filter(|_| data.len() == CALL_BYTES)?;
    let to = words[..32].strip_prefix(&[0; 12])?;
    let amount = words[32..64].strip_prefix(&[0; 24])?;
    Some(Call {
        asset,
        to: Address::from_slice(to),
        amount: u64::from_be_bytes(amount.try_into().ok()?),
        memo: words[64..].try_into().ok()?,
    })
}

/// The last field: r, s and v of a plain key, `v` as the chain writes it.
fn read_signature(reader: &mut RlpReader<'_>) -> Result<[u8; SIGNATURE_BYTES], InvalidTransaction> {
    let Some(RlpItem::Text(signature)) = reader.item() else {
        return Err(InvalidTransaction::Layout(
            "a key authorization is not supported: sign with the key of the sender",
        ));
    };
    if !reader.is_at_end() {
        return Err(InvalidTransaction::Malformed("the signature must be the last field"));
    }
    let mut signature =
        <[u8; SIGNATURE_BYTES]>::try_from(signature).map_err(|_| InvalidTransaction::Signature)?;
    normalise(&mut signature).ok_or(InvalidTransaction::Signature)?;
    Ok(signature)
}

/// The memo that binds a transfer to a challenge: tag, version, realm, zeros for the client, challenge.
pub fn memo_for(realm: &str, challenge_id: &str) -> [u8; 32] {
    let mut memo = [0; 32];
    memo[..4].copy_from_slice(&keccak256("mpp")[..4]);
    memo[4] = MEMO_VERSION;
    memo[5..15].copy_from_slice(&keccak256(realm)[..10]);
    memo[25..].copy_from_slice(&keccak256(challenge_id)[..7]);
    memo
}

/// Whether a memo binds its transfer to a challenge, whatever the client put into its own part.
pub fn memo_binds(memo: &[u8; 32], realm: &str, challenge_id: &str) -> bool {
    let mut known = *memo;
    known[MEMO_CLIENT].fill(0);
    known == memo_for(realm, challenge_id)
}
