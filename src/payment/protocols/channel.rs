//! Payment channels of x402 `batch-settlement`: what their parties sign, by EIP-712, and how contracts are told of it.
//!
//! A payer deposits tokens under a [`ChannelConfig`], whose digest names the channel, and signs vouchers: each says up
//! to which sum, counted from the channel's beginning, the receiver may claim. The receiver's authorizer signs claims and
//! refunds. Only keys sign here: a contract as authorizer (ERC-1271) can be asked on the chain alone, so it is refused.
//! Neighbours: `eip3009` has the signatures, `x402::batch` the JSON of all this, `rails::channels` the contracts' calls.

use std::fmt;
use std::sync::LazyLock;

use alloy_primitives::{Address, B256, address, keccak256};
use secp256k1::{Message, Secp256k1, SecretKey, SignOnly};

use super::eip3009::{Domain, V_BASE, hash_words, number_word, recover, typed};

/// Names a channel: the digest of its configuration.
pub type ChannelId = B256;

/// The contract that holds the money of all channels, at one address on every chain.
pub const CHANNELS_CONTRACT: Address = address!("4020074e9dF2ce1deE5A9C1b5c3f541D02a10003");

/// The contract that takes deposits by ERC-3009 authorization.
pub const DEPOSIT_COLLECTOR: Address = address!("4020806089470a89826cB9fB1f4059150b550004");

const DOMAIN_NAME: &str = "x402 Batch Settlement";
const DOMAIN_VERSION: &str = "1";
const CONFIG_TYPE: &str = "ChannelConfig(address payer,address payerAuthorizer,address receiver,\
address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)";
const VOUCHER_TYPE: &str = "Voucher(bytes32 channelId,uint128 maxClaimableAmount)";
const CLAIM_ENTRY_TYPE: &str =
    "ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)";
const CLAIM_BATCH_TYPE: &str = "ClaimBatch(ClaimEntry[] claims)";
const REFUND_TYPE: &str = "Refund(bytes32 channelId,uint256 nonce,uint128 amount)";
const DEPOSIT_TYPE: &str = "ReceiveWithAuthorization(address from,address to,uint256 value,\
uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/// Tables of the curve.
static SIGNER: LazyLock<Secp256k1<SignOnly>> = LazyLock::new(Secp256k1::signing_only);

/// What a channel is: who pays whom in what. It names no price.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChannelConfig {
    /// Whose money it is.
    pub payer: Address,
    /// Whose key signs vouchers.
    pub payer_authorizer: Address,
    /// Who is paid.
    pub receiver: Address,
    /// Whose key signs claims and refunds.
    pub receiver_authorizer: Address,
    /// The token.
    pub token: Address,
    /// Seconds between a withdrawal by force and its end, a `uint40`.
    pub withdraw_delay: u64,
    /// Tells channels of the same parties apart.
    pub salt: B256,
}

/// A signature of 65 bytes: `r`, `s`, `v`.
pub type Signature = [u8; 65];

/// What signatures of channels on a chain are made for.
pub fn channel_domain(chain_id: u64) -> Domain {
    Domain::new(DOMAIN_NAME, DOMAIN_VERSION, chain_id, CHANNELS_CONTRACT)
}

impl ChannelConfig {
    /// Names the channel.
    pub fn id(&self, domain: &Domain) -> ChannelId {
        let words = self.words();
        let mut message = vec![keccak256(CONFIG_TYPE)];
        message.extend(words);
        typed(domain, hash_words(&message))
    }

    /// Its fields, each as a word, as contracts take them.
    pub fn words(&self) -> [B256; 7] {
        [
            self.payer.into_word(),
            self.payer_authorizer.into_word(),
            self.receiver.into_word(),
            self.receiver_authorizer.into_word(),
            self.token.into_word(),
            number_word(self.withdraw_delay),
            self.salt,
        ]
    }
}

/// What the payer's authorizer signs: that up to `max` atomic units may be claimed, counted from the channel's
/// beginning.
pub fn voucher_digest(id: ChannelId, max: u64, domain: &Domain) -> B256 {
    typed(domain, hash_words(&[keccak256(VOUCHER_TYPE), id, number_word(max)]))
}

/// Whether `authorizer` signed this voucher, by key and with a low s.
pub fn is_voucher_of(
    authorizer: Address,
    id: ChannelId,
    max: u64,
    signature: &Signature,
    domain: &Domain,
) -> bool {
    !authorizer.is_zero() && recover(voucher_digest(id, max, domain), signature) == Some(authorizer)
}

/// One channel in a claim: its voucher's ceiling, and the sum that is claimed with this, both from the channel's
/// beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimEntry {
    /// Channel.
    pub id: ChannelId,
    /// What its voucher allows.
    pub max: u64,
    /// What is claimed then.
    pub claimed: u64,
}

/// What the receiver's authorizer signs to claim.
pub fn claim_digest(entries: &[ClaimEntry], domain: &Domain) -> B256 {
    let entry_type = keccak256(CLAIM_ENTRY_TYPE);
    let entry = |entry: &ClaimEntry| {
        hash_words(&[entry_type, entry.id, number_word(entry.max), number_word(entry.claimed)])
    };
    let entries: Vec<B256> = entries.iter().map(entry).collect();
    let batch_type = keccak256([CLAIM_BATCH_TYPE, CLAIM_ENTRY_TYPE].concat());
    typed(domain, hash_words(&[batch_type, hash_words(&entries)]))
}

/// What the receiver's authorizer signs to give `amount` back; the contract takes each nonce of a channel once, in
/// order.
pub fn refund_digest(id: ChannelId, nonce: u64, amount: u64, domain: &Domain) -> B256 {
    typed(domain, hash_words(&[keccak256(REFUND_TYPE), id, number_word(nonce), number_word(amount)]))
}

/// A deposit as its payer signs it: an ERC-3009 authorization that only the collector may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositAuthorization {
    /// Atomic amount of the token.
    pub amount: u64,
    /// Unix seconds before which it cannot be used.
    pub valid_after: u64,
    /// Unix seconds from which on it can no longer be used.
    pub valid_before: u64,
    /// Chosen by the payer.
    pub salt: B256,
}

impl DepositAuthorization {
    /// The nonce that the token takes once: it binds the money to its channel.
    pub fn nonce(&self, id: ChannelId) -> B256 {
        hash_words(&[id, self.salt])
    }

    /// What the payer's key signs, for the token's domain.
    pub fn digest(&self, payer: Address, id: ChannelId, token: &Domain) -> B256 {
        let message = hash_words(&[
            keccak256(DEPOSIT_TYPE),
            payer.into_word(),
            DEPOSIT_COLLECTOR.into_word(),
            number_word(self.amount),
            number_word(self.valid_after),
            number_word(self.valid_before),
            self.nonce(id),
        ]);
        typed(token, message)
    }
}

/// The key of a receiver's authorizer. Its `Debug` form shows its address alone.
#[derive(Clone)]
pub struct AuthorizerKey {
    key: SecretKey,
    address: Address,
}

impl AuthorizerKey {
    /// The key of 32 bytes; `None` when they are none.
    pub fn new(bytes: [u8; 32]) -> Option<Self> {
        let key = SecretKey::from_byte_array(bytes).ok()?;
        let public = key.public_key(&SIGNER).serialize_uncompressed();
        Some(Self { key, address: Address::from_raw_public_key(&public[1..]) })
    }

    /// Its address.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Signs a digest: with a low s, and `v` as 27 or 28.
    pub fn sign(&self, digest: B256) -> Signature {
        let signed = SIGNER.sign_ecdsa_recoverable(Message::from_digest(digest.0), &self.key);
        let (recovery, compact) = signed.serialize_compact();
        let mut signature = [0; 65];
        signature[..64].copy_from_slice(&compact);
        signature[64] = V_BASE + i32::from(recovery) as u8;
        signature
    }
}

impl fmt::Debug for AuthorizerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AuthorizerKey").field(&self.address).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::b256;

    use super::*;

    fn config() -> ChannelConfig {
        ChannelConfig {
            payer: address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
            payer_authorizer: address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
            receiver: address!("3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"),
            receiver_authorizer: address!("90F79bf6EB2c4f870365E785982E1f101E93b906"),
            token: address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            withdraw_delay: 900,
            salt: B256::ZERO,
        }
    }

    /// Computed with @x402/evm 2.27.0.
    #[test]
    fn ids_and_digests_are_those_of_other_programs() {
        let domain = channel_domain(8_453);
        let id = config().id(&domain);
        assert_eq!(id, b256!("aa1f8fed4c20752bd6964993991996851d7ed493bcfbf3d12dbb22e5908df712"));
        let digest = voucher_digest(id, 20_000, &domain);
        assert_eq!(digest, b256!("d2b2146d553f7152ab52ccf2326f8a91e358cc7ca9d52df89d3362742dc59aef"));
    }

    #[test]
    fn vouchers_are_signed_by_their_authorizer_and_with_a_low_s() {
        let domain = channel_domain(8_453);
        let key = AuthorizerKey::new([7; 32]).expect("a key");
        let id = config().id(&domain);
        let signature = key.sign(voucher_digest(id, 20_000, &domain));
        let is_of = |who, max, signature: &Signature| is_voucher_of(who, id, max, signature, &domain);
        assert!(is_of(key.address(), 20_000, &signature));
        assert!(!is_of(key.address(), 20_001, &signature));
        assert!(!is_of(config().payer, 20_000, &signature));
        assert!(!is_of(Address::ZERO, 20_000, &signature));
        // The other signature of the pair, which everybody can make.
        let mut high = signature;
        let order = alloy_primitives::U256::from_be_bytes(secp256k1::constants::CURVE_ORDER);
        let s = order - alloy_primitives::U256::from_be_slice(&signature[32..64]);
        high[32..64].copy_from_slice(&s.to_be_bytes::<32>());
        high[64] = 55 - high[64];
        assert!(!is_of(key.address(), 20_000, &high));
    }

    #[test]
    fn a_key_is_what_its_address_says() {
        // The third development key of anvil.
        let bytes =
            alloy_primitives::hex!("7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6");
        let key = AuthorizerKey::new(bytes).expect("a key");
        assert_eq!(key.address(), config().receiver_authorizer);
        assert!(AuthorizerKey::new([0; 32]).is_none());
        assert_eq!(format!("{key:?}"), "AuthorizerKey(0x90f79bf6eb2c4f870365e785982e1f101e93b906)");
    }
}
