//! What is said to x402 facilitators and what they answer.
//!
//! A request is rebuilt from checked parts: the requirement is ours, signature and addresses have one spelling, and the
//! same order gives the same bytes each time, which is what a repeated settlement needs. Of an answer only its verdict
//! must be there, as a JSON boolean; what is missing or of another type elsewhere is taken as not said. Neighbours:
//! [`super`] reads payments; whoever speaks HTTP sends these bytes.

use alloy_primitives::hex;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::{Requirement, Resource, VERSION};
use crate::payment::core::scheme::SignedPayment;
use crate::payment::protocols::codec::{base64, json};
use crate::payment::protocols::eip3009::{Signed, normalise};

/// The body of a request to verify or to settle; `None` for a payment of another scheme.
pub fn facilitator_request(
    requirement: &Requirement,
    resource: Option<&Resource>,
    payment: &SignedPayment,
) -> Option<Vec<u8>> {
    let payload = match payment {
        SignedPayment::Authorization(signed) => WirePayload::from(signed),
        SignedPayment::Transaction(wire) => WirePayload::Transaction { transaction: base64(wire) },
        SignedPayment::Deposit(_) => return None,
    };
    Some(json(&Request {
        x402_version: VERSION,
        payment_payload: PaymentPayload { x402_version: VERSION, resource, accepted: requirement, payload },
        payment_requirements: requirement,
    }))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    x402_version: u64,
    payment_payload: PaymentPayload<'a>,
    payment_requirements: &'a Requirement,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PaymentPayload<'a> {
    x402_version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<&'a Resource>,
    accepted: &'a Requirement,
    payload: WirePayload,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WirePayload {
    Authorization { signature: String, authorization: WireAuthorization },
    Transaction { transaction: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireAuthorization {
    from: String,
    to: String,
    value: String,
    valid_after: String,
    valid_before: String,
    nonce: String,
}

impl From<&Signed> for WirePayload {
    fn from(signed: &Signed) -> Self {
        let mut signature = signed.signature;
        // A checked signature is normal already; one that cannot be made so is for the facilitator to refuse.
        let _ = normalise(&mut signature);
        let authorization = &signed.authorization;
        Self::Authorization {
            signature: hex::encode_prefixed(signature),
            authorization: WireAuthorization {
                from: authorization.from.to_checksum(None),
                to: authorization.to.to_checksum(None),
                value: authorization.value.to_string(),
                valid_after: authorization.valid_after.to_string(),
                valid_before: authorization.valid_before.to_string(),
                nonce: hex::encode_prefixed(authorization.nonce),
            },
        }
    }
}

/// Answer to the question what a facilitator settles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SupportedResponse {
    /// What it settles.
    #[serde(default)]
    pub kinds: Vec<SupportedKind>,
}

/// One thing that a facilitator settles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SupportedKind {
    /// Version of x402.
    #[serde(default, deserialize_with = "lenient")]
    pub x402_version: Option<u64>,
    /// Scheme.
    #[serde(default, deserialize_with = "lenient")]
    pub scheme: Option<String>,
    /// Network; version 1 has names of its own.
    #[serde(default, deserialize_with = "lenient")]
    pub network: Option<String>,
    /// What payers need to know.
    #[serde(default, deserialize_with = "lenient")]
    pub extra: Option<KindExtra>,
}

/// What payers need to know of a facilitator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindExtra {
    /// Who pays the fees on Solana.
    #[serde(default, deserialize_with = "lenient")]
    pub fee_payer: Option<String>,
}

impl SupportedResponse {
    /// The entry for our version, a scheme and a network.
    pub fn kind(&self, scheme: &str, network: &str) -> Option<&SupportedKind> {
        self.kinds.iter().find(|kind| {
            kind.x402_version == Some(VERSION)
                && kind.scheme.as_deref() == Some(scheme)
                && kind.network.as_deref() == Some(network)
        })
    }
}

/// Answer to the question whether a payment would settle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyResponse {
    /// Whether it would.
    pub is_valid: bool,
    /// Why not.
    #[serde(default, deserialize_with = "lenient")]
    pub invalid_reason: Option<String>,
    /// Why not, in words.
    #[serde(default, deserialize_with = "lenient")]
    pub invalid_message: Option<String>,
    /// Who pays.
    #[serde(default, deserialize_with = "lenient")]
    pub payer: Option<String>,
}

/// Answer to the request to settle.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettleResponse {
    /// Whether it was settled.
    pub success: bool,
    /// Why not.
    #[serde(default, deserialize_with = "lenient")]
    pub error_reason: Option<String>,
    /// Why not, in words.
    #[serde(default, deserialize_with = "lenient")]
    pub error_message: Option<String>,
    /// Transaction; an empty one is none.
    #[serde(default, deserialize_with = "lenient")]
    pub transaction: Option<String>,
    /// Network.
    #[serde(default, deserialize_with = "lenient")]
    pub network: Option<String>,
    /// Who paid.
    #[serde(default, deserialize_with = "lenient")]
    pub payer: Option<String>,
}

/// Takes a value of another type for none.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum FacilitatorReply<T> {
        Readable(T),
        Other(IgnoredAny),
    }
    Ok(match FacilitatorReply::deserialize(deserializer)? {
        FacilitatorReply::Readable(value) => Some(value),
        FacilitatorReply::Other(_) => None,
    })
}
