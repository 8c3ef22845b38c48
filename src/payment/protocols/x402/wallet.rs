//! A payer of x402 offers. Pages of a sandbox server pay with it, and no money moves.

use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::{B256, hex, keccak256};
use hyper::header::HeaderValue;
use serde::{Deserialize, Serialize};

use super::{EXACT, Requirement, VERSION};
use crate::payment::protocols::channel::AuthorizerKey;
use crate::payment::protocols::codec::{base64, from_base64, json};
use crate::payment::protocols::eip3009::{Authorization, Domain, address, decimal};

/// Chain part of the CAIP-2 names of EVM networks.
const EVM: &str = "eip155:";

/// A key and the number of payments that it has signed.
#[derive(Debug)]
pub struct Wallet {
    key: AuthorizerKey,
    signed: AtomicU64,
}

/// A payment that was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedOffer {
    /// Value of the `PAYMENT-SIGNATURE` header.
    pub header: HeaderValue,
    /// Atomic amount.
    pub atomic: u64,
}

/// The offers of a challenge.
#[derive(Deserialize)]
struct Challenge {
    accepts: Vec<Requirement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payment<'a> {
    x402_version: u64,
    accepted: &'a Requirement,
    payload: Payload,
}

#[derive(Serialize)]
struct Payload {
    signature: String,
    authorization: AuthorizationText,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthorizationText {
    from: String,
    to: String,
    value: String,
    valid_after: String,
    valid_before: String,
    nonce: B256,
}

impl Wallet {
    /// A wallet with a new key.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn generate() -> Result<Self, getrandom::Error> {
        loop {
            let mut key = [0; 32];
            getrandom::fill(&mut key)?;
            if let Some(wallet) = Self::new(key) {
                return Ok(wallet);
            }
        }
    }

    /// The wallet of a key of 32 bytes; `None` where they are not a key of the curve.
    fn new(key: [u8; 32]) -> Option<Self> {
        Some(Self { key: AuthorizerKey::new(key)?, signed: AtomicU64::new(0) })
    }

    /// Signs the first transfer on an EVM chain that a `PAYMENT-REQUIRED` header offers, valid until its timeout after
    /// `now`, in Unix seconds. `None` where the header offers no such transfer.
    pub fn pay(&self, challenge: &str, now: u64) -> Option<SignedOffer> {
        let Challenge { accepts } = serde_json::from_slice(&from_base64(challenge)?).ok()?;
        accepts.iter().find_map(|offer| self.sign(offer, now))
    }

    fn sign(&self, accepted: &Requirement, now: u64) -> Option<SignedOffer> {
        let chain_id = decimal(accepted.network.strip_prefix(EVM)?)?;
        if accepted.scheme != EXACT {
            return None;
        }
        let (name, version) = accepted.extra.name.as_ref().zip(accepted.extra.version.as_ref())?;
        let domain = Domain::new(name, version, chain_id, address(&accepted.asset)?);
        let atomic = decimal(&accepted.amount)?;
        let from = self.key.address();
        let number = self.signed.fetch_add(1, Ordering::Relaxed);
        let authorization = Authorization {
            from,
            to: address(&accepted.pay_to)?,
            value: atomic,
            valid_after: 0,
            valid_before: now + accepted.max_timeout_seconds,
            nonce: keccak256([from.as_slice(), &number.to_be_bytes()].concat()),
        };
        let signature = self.key.sign(authorization.digest(&domain));
        let Authorization { to, value, valid_after, valid_before, nonce, .. } = authorization;
        let payment = Payment {
            x402_version: VERSION,
            accepted,
            payload: Payload {
                signature: hex::encode_prefixed(signature),
                authorization: AuthorizationText {
                    from: from.to_string(),
                    to: to.to_string(),
                    value: value.to_string(),
                    valid_after: valid_after.to_string(),
                    valid_before: valid_before.to_string(),
                    nonce,
                },
            },
        };
        Some(SignedOffer { header: HeaderValue::try_from(base64(&json(&payment))).ok()?, atomic })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payment::protocols::eip3009::Signed;
    use crate::payment::protocols::x402::{Extra, Resource, X402Payload, challenge_header, decode};

    const NOW: u64 = 1_800_000_000;
    const TOKEN: &str = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

    fn offer(scheme: &str, network: &str) -> Requirement {
        Requirement {
            scheme: scheme.to_owned(),
            network: network.to_owned(),
            amount: "10000".to_owned(),
            asset: TOKEN.to_owned(),
            pay_to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8".to_owned(),
            max_timeout_seconds: 60,
            extra: Extra {
                name: Some("USDC".to_owned()),
                version: Some("2".to_owned()),
                reference: Some("token of the offer".to_owned()),
                ..Extra::default()
            },
        }
    }

    fn challenge(offers: &[Requirement]) -> String {
        let resource = Resource { url: String::new(), description: String::new(), mime_type: String::new() };
        challenge_header(&resource, "", offers)
    }

    #[test]
    fn signs_the_first_transfer_on_an_evm_chain() {
        let wallet = Wallet::new([7; 32]).expect("a key");
        let wanted = offer(EXACT, "eip155:84532");
        let offers = challenge(&[offer(EXACT, "solana:devnet"), offer("batch", "eip155:1"), wanted.clone()]);
        let domain = Domain::new("USDC", "2", 84_532, address(TOKEN).expect("an address"));
        let nonces = [(); 2].map(|()| {
            let SignedOffer { header, atomic } = wallet.pay(&offers, NOW).expect("a payment");
            assert_eq!(atomic, 10_000);
            let payment = decode(header.to_str().expect("text")).expect("a payment that servers read");
            assert_eq!(payment.accepted, wanted);
            let X402Payload::Authorization { authorization, signature } = payment.payload else {
                panic!("an authorization")
            };
            assert_eq!((authorization.value, authorization.valid_before), (10_000, NOW + 60));
            let nonce = authorization.nonce;
            assert!(Signed::checked(authorization, &signature, &domain).is_some());
            nonce
        });
        assert_ne!(nonces[0], nonces[1]);
    }

    #[test]
    fn signs_nothing_where_no_such_transfer_is_offered() {
        let wallet = Wallet::new([7; 32]).expect("a key");
        for offers in [challenge(&[offer(EXACT, "solana:devnet")]), challenge(&[]), "no challenge".to_owned()]
        {
            assert_eq!(wallet.pay(&offers, NOW), None, "{offers}");
        }
        assert!(Wallet::new([0; 32]).is_none());
    }
}
