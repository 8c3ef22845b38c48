//! EIP-3009 authorizations: what a payer signs on an EVM chain, and who signed it.
//!
//! Invariant: a [`Signed`] was signed by its `from`, with one of the two signatures (r, s) and (r, n − s) that any
//! signature gives: the low one, so that nobody can rewrite it. Longer signatures belong to smart wallets, which only
//! the chain can check; they are not taken. Neighbours: `protocols::x402` and `protocols::mpp` read authorizations from
//! credentials; `rails::tempo::transaction` recovers its senders here.

use std::fmt;
use std::sync::LazyLock;

use alloy_primitives::{Address, B256, keccak256};
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use secp256k1::{Message, Secp256k1, VerifyOnly};

use crate::payment::protocols::codec::from_hex;

/// Type of the signed message.
const AUTHORIZATION_TYPE: &str = "TransferWithAuthorization(address from,address to,uint256 value,\
uint256 validAfter,uint256 validBefore,bytes32 nonce)";
/// Type of the domain.
const DOMAIN_TYPE: &str =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
/// Half of the order of secp256k1: the greatest s of a low signature.
const LOW_S_MAX: [u8; 32] = [
    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x5d,
    0x57, 0x6e, 0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0,
];
/// Added to the parity of R where `v` is written.
pub(in crate::payment::protocols) const V_BASE: u8 = 27;
/// Length of a signature: r, s, v.
const SIGNATURE_BYTES: usize = 65;

/// Tables of the curve.
static CURVE: LazyLock<Secp256k1<VerifyOnly>> = LazyLock::new(Secp256k1::verification_only);

/// `TransferWithAuthorization`, the message that is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Payer.
    pub from: Address,
    /// Who is paid.
    pub to: Address,
    /// Atomic amount of the token.
    pub value: u64,
    /// Unix seconds before which it cannot be used.
    pub valid_after: u64,
    /// Unix seconds from which on it can no longer be used.
    pub valid_before: u64,
    /// Chosen by the payer; the token takes each once.
    pub nonce: B256,
}

/// An authorization with its signature, which was checked. Its `Debug` form does not show the signature.
#[derive(Clone, PartialEq, Eq)]
pub struct Signed {
    /// What was signed.
    pub authorization: Authorization,
    /// `r`, `s`, `v`.
    pub signature: [u8; 65],
}

/// The token that an authorization is for, as EIP-712 names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domain {
    /// Hash of its name, version, chain and address.
    pub separator: B256,
}

impl Domain {
    /// The domain of a token. Name and version are the token's own and must be exactly those that it hashes.
    pub fn new(name: &str, version: &str, chain_id: u64, asset: Address) -> Self {
        let words = [
            keccak256(DOMAIN_TYPE),
            keccak256(name),
            keccak256(version),
            number_word(chain_id),
            asset.into_word(),
        ];
        Self { separator: hash_words(&words) }
    }
}

impl Authorization {
    /// What the payer's key signs.
    pub fn digest(&self, domain: &Domain) -> B256 {
        let message = hash_words(&[
            keccak256(AUTHORIZATION_TYPE),
            self.from.into_word(),
            self.to.into_word(),
            number_word(self.value),
            number_word(self.valid_after),
            number_word(self.valid_before),
            self.nonce,
        ]);
        typed(domain, message)
    }
}

impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signed").field("authorization", &self.authorization).finish_non_exhaustive()
    }
}

impl Signed {
    /// Takes an authorization that its payer signed; `v` becomes 27 or 28. `None` for every other signature.
    pub fn checked(authorization: Authorization, signature: &[u8], domain: &Domain) -> Option<Self> {
        let mut signature: [u8; SIGNATURE_BYTES] = signature.try_into().ok()?;
        let signer = recover(authorization.digest(domain), &signature)?;
        if signer != authorization.from {
            return None;
        }
        normalise(&mut signature)?;
        Some(Self { authorization, signature })
    }
}

/// Who signed a digest: by a low-s signature with a `v` of 0, 1, 27 or 28.
pub fn recover(digest: B256, signature: &[u8; 65]) -> Option<Address> {
    let mut signature = *signature;
    normalise(&mut signature)?;
    if signature[32..64] > LOW_S_MAX[..] {
        return None;
    }
    let recovery = RecoveryId::try_from(i32::from(signature[64] - V_BASE)).ok()?;
    let signature = RecoverableSignature::from_compact(&signature[..64], recovery).ok()?;
    let key = CURVE.recover_ecdsa(Message::from_digest(digest.0), &signature).ok()?;
    Some(Address::from_raw_public_key(&key.serialize_uncompressed()[1..]))
}

/// Writes `v` as 27 or 28, as chains do; `None` when it is neither that nor a parity.
pub(in crate::payment) fn normalise(signature: &mut [u8; 65]) -> Option<()> {
    let v = &mut signature[64];
    *v = match *v {
        parity @ (0 | 1) => V_BASE + parity,
        written @ (27 | 28) => written,
        _ => return None,
    };
    Some(())
}

/// An amount or a time in decimal digits, as credentials hold them.
pub fn decimal(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// An address: `0x` and 40 digits of any case.
pub fn address(text: &str) -> Option<Address> {
    Some(Address::from(<[u8; 20]>::try_from(from_hex(text)?).ok()?))
}

/// A word of 32 bytes: `0x` and 64 digits of any case.
pub fn word(text: &str) -> Option<B256> {
    Some(B256::from(<[u8; 32]>::try_from(from_hex(text)?).ok()?))
}

/// What is signed: a message of a type, in its domain.
pub(in crate::payment::protocols) fn typed(domain: &Domain, message: B256) -> B256 {
    let mut text = [0; 66];
    text[..2].copy_from_slice(&[0x19, 0x01]);
    text[2..34].copy_from_slice(domain.separator.as_slice());
    text[34..].copy_from_slice(message.as_slice());
    keccak256(text)
}

/// A number as a word.
pub(crate) fn number_word(number: u64) -> B256 {
    let mut word = B256::ZERO;
    word[24..].copy_from_slice(&number.to_be_bytes());
    word
}

/// The hash of words, one after the other.
pub(in crate::payment::protocols) fn hash_words(words: &[B256]) -> B256 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).collect();
    keccak256(bytes)
}

#[cfg(test)]
mod tests;
