//! The body of a call to a facilitator, until the codec's takes its place.

use serde::Serialize;

use crate::payment::scheme::Order;

#[derive(Serialize, Clone, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Extra {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fee_payer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memo: Option<String>,
}

#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requirement {
    pub(crate) scheme: String,
    pub(crate) network: String,
    pub(crate) amount: String,
    pub(crate) asset: String,
    pub(crate) pay_to: String,
    pub(crate) max_timeout_seconds: u64,
    pub(crate) extra: Extra,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    x402_version: u32,
    payment_payload: PaymentPayload<'a>,
    payment_requirements: &'a Requirement,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PaymentPayload<'a> {
    x402_version: u32,
    accepted: &'a Requirement,
    payload: Payload,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Payload {
    Authorization { signature: String, authorization: Authorization },
    Transaction { transaction: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Authorization {
    from: String,
    to: String,
    value: String,
    valid_after: String,
    valid_before: String,
    nonce: String,
}

pub(crate) fn facilitator_request(requirement: &Requirement, _resource: Option<&()>, order: &Order) -> Vec<u8> {
    use base64::Engine;
    let payload = match order {
        Order::Authorization(signed) => {
            let it = &signed.authorization;
            let mut signature = signed.signature;
            signature[64] = if signature[64] < 27 { signature[64] + 27 } else { signature[64] };
            Payload::Authorization {
                signature: alloy_primitives::hex::encode_prefixed(signature),
                authorization: Authorization {
                    from: it.from.to_checksum(None),
                    to: it.to.to_checksum(None),
                    value: it.value.to_string(),
                    valid_after: it.valid_after.to_string(),
                    valid_before: it.valid_before.to_string(),
                    nonce: it.nonce.to_string(),
                },
            }
        }
        Order::SolanaTransaction(wire) | Order::TempoTransaction(wire) => {
            Payload::Transaction { transaction: base64::engine::general_purpose::STANDARD.encode(wire) }
        }
    };
    let request = Request {
        x402_version: 2,
        payment_payload: PaymentPayload { x402_version: 2, accepted: requirement, payload },
        payment_requirements: requirement,
    };
    serde_json::to_vec(&request).unwrap_or_default()
}
