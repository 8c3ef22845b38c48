//! x402, version 2: the headers of offers, payments and results.
//!
//! Offers and results are written in standard base64 with padding, the one form that every client reads. A payment is
//! read into typed parts and nothing of its own text is kept, so what is sent on to a facilitator is rebuilt and always
//! the same. Nothing is compared here: whether a payment fits an offer is the pipeline's question. Neighbours:
//! [`facilitator`] speaks to those who settle, `protocols::eip3009` checks signatures, `rails::solana::transaction`
//! transactions.

pub mod batch;
pub mod facilitator;
#[cfg(test)]
mod tests;
pub mod wallet;

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use self::batch::{
    ChannelPayload, ChannelStateText, VoucherStateText, WireChannel, WireConfig, WireDeposit, WireVoucher,
};
pub use self::facilitator::{
    KindExtra, SettleResponse, SupportedKind, SupportedResponse, VerifyResponse, facilitator_request,
};
pub use crate::payment::protocols::codec::{CREDENTIAL_BYTES_MAX, Malformed};
use crate::payment::protocols::codec::{base64, from_base64, from_hex, json};
use crate::payment::protocols::eip3009::{Authorization, address, decimal, word};

/// The version that is spoken.
pub const VERSION: u64 = 2;
/// The scheme of one transfer of exactly the amount.
pub const EXACT: &str = "exact";

/// One way to pay: what an offer holds and a payment echoes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// How the payment is made.
    pub scheme: String,
    /// CAIP-2 name of the network.
    pub network: String,
    /// Atomic amount, in digits.
    pub amount: String,
    /// Token, as the chain writes it.
    pub asset: String,
    /// Who is paid, as the chain writes it.
    pub pay_to: String,
    /// For how long a payment may be good.
    pub max_timeout_seconds: u64,
    /// What the scheme needs besides.
    #[serde(default, deserialize_with = "or_nothing")]
    pub extra: Extra,
}

/// The part of a requirement that depends on its chain. What is not known here is not kept. Its `Debug` form does not
/// show the tokens of the offer.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Extra {
    /// Name of the token's EIP-712 domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Version of the token's EIP-712 domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Token of the offer.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Who pays the fees on Solana.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee_payer: Option<String>,
    /// Memo that a transaction on Solana must carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
    /// What only offers of payment channels hold. Whatever a client echoes of it is passed over.
    #[serde(flatten, skip_deserializing)]
    pub channel: Option<Box<ChannelExtra>>,
}

/// The part of a requirement that only payment channels have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChannelExtra {
    /// Whose key signs claims and refunds.
    pub receiver_authorizer: String,
    /// Seconds between a withdrawal by force and its end.
    pub withdraw_delay: u64,
    /// Smallest deposit, in atomic units.
    pub min_deposit: String,
    /// Where the channel of a client stands that is out of step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_state: Option<ChannelStateText>,
    /// Its newest voucher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voucher_state: Option<VoucherStateText>,
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extra")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("fee_payer", &self.fee_payer)
            .finish_non_exhaustive()
    }
}

/// What is sold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Where it is asked for.
    pub url: String,
    /// What it is, in words.
    pub description: String,
    /// Media type of the answer.
    pub mime_type: String,
}

/// A payment that was read from its header.
#[derive(Debug, PartialEq, Eq)]
pub struct X402Payment {
    /// URL of what is paid for, where the client says so.
    pub resource_url: Option<String>,
    /// The offer that is paid.
    pub accepted: Requirement,
    /// The payment itself.
    pub payload: X402Payload,
}

/// A payment, not yet checked. Its `Debug` form shows no signature.
#[derive(PartialEq, Eq)]
pub enum X402Payload {
    /// On an EVM chain.
    Authorization {
        /// What is signed.
        authorization: Authorization,
        /// The signature, of whatever length.
        signature: Vec<u8>,
    },
    /// On Solana: the wire bytes of a transaction.
    Transaction(Vec<u8>),
    /// On a payment channel.
    Channel(Box<ChannelPayload>),
}

impl fmt::Debug for X402Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Authorization { authorization, .. } => {
                f.debug_struct("Authorization").field("authorization", authorization).finish_non_exhaustive()
            }
            Self::Transaction(_) => f.debug_struct("Transaction").finish_non_exhaustive(),
            Self::Channel(payload) => payload.fmt(f),
        }
    }
}

/// How a payment ended, as its client is told.
#[derive(Debug, Clone, Copy)]
pub struct X402Outcome<'a> {
    /// Transaction, empty when none is known.
    pub transaction: &'a str,
    /// CAIP-2 name of the network.
    pub network: &'a str,
    /// Who paid.
    pub payer: &'a str,
    /// Whether no money moved because none was meant to.
    pub sandbox: bool,
}

/// The `PAYMENT-REQUIRED` header of an offer; the order of `accepts` is our preference.
pub fn challenge_header(resource: &Resource, error: &str, accepts: &[Requirement]) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Challenge<'a> {
        x402_version: u64,
        error: &'a str,
        resource: &'a Resource,
        accepts: &'a [Requirement],
    }
    base64(&json(&Challenge { x402_version: VERSION, error, resource, accepts }))
}

/// The `PAYMENT-RESPONSE` header of a payment that was made.
pub fn settled_header(outcome: &X402Outcome<'_>) -> String {
    response_header(outcome, None)
}

/// The `PAYMENT-RESPONSE` header of a payment that was not made, and why.
pub fn failed_header(outcome: &X402Outcome<'_>, reason: &str) -> String {
    response_header(outcome, Some(reason))
}

fn response_header(outcome: &X402Outcome<'_>, error_reason: Option<&str>) -> String {
    #[derive(Serialize)]
    struct Sandbox {
        sandbox: bool,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Response<'a> {
        success: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_reason: Option<&'a str>,
        transaction: &'a str,
        network: &'a str,
        payer: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        sandbox: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        extra: Option<Sandbox>,
    }
    base64(&json(&Response {
        success: error_reason.is_none(),
        error_reason,
        transaction: outcome.transaction,
        network: outcome.network,
        payer: outcome.payer,
        sandbox: outcome.sandbox.then_some(true),
        extra: outcome.sandbox.then_some(Sandbox { sandbox: true }),
    }))
}

/// Reads a `PAYMENT-SIGNATURE` header.
///
/// # Errors
/// When it is too long, not base64 of JSON, of another version, or lacks what a payment has.
pub fn decode(header: &str) -> Result<X402Payment, Malformed> {
    if header.len() > CREDENTIAL_BYTES_MAX {
        return Err(Malformed("it is longer than 8 kB"));
    }
    let bytes = from_base64(header).ok_or(Malformed("send it as base64"))?;
    let wire: Wire = serde_json::from_slice(&bytes)
        .map_err(|_| Malformed("send an object with x402Version, accepted and payload"))?;
    if wire.x402_version != VERSION {
        return Err(Malformed("x402Version must be 2"));
    }
    Ok(X402Payment {
        resource_url: wire.resource.and_then(|resource| resource.url),
        accepted: wire.accepted,
        payload: wire.payload.read()?,
    })
}

/// A payment as it is sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    x402_version: u64,
    resource: Option<WireResource>,
    accepted: Requirement,
    payload: WirePayload,
}

#[derive(Deserialize)]
struct WireResource {
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePayload {
    signature: Option<String>,
    authorization: Option<WireAuthorization>,
    transaction: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    channel_config: Option<WireConfig>,
    voucher: Option<WireVoucher>,
    deposit: Option<WireDeposit>,
    amount: Option<Digits>,
}

/// An authorization as JSON holds it, in both protocols.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::payment::protocols) struct WireAuthorization {
    from: String,
    to: String,
    value: Digits,
    valid_after: Digits,
    valid_before: Digits,
    nonce: String,
}

impl WirePayload {
    fn read(self) -> Result<X402Payload, Malformed> {
        let is_channel = self.channel_config.is_some() || self.voucher.is_some();
        if let Some(kind) = self.kind.filter(|_| is_channel) {
            let (config, voucher, deposit, amount) =
                (self.channel_config, self.voucher, self.deposit, self.amount);
            let payload = WireChannel { kind, config, voucher, deposit, amount }.read()?;
            return Ok(X402Payload::Channel(Box::new(payload)));
        }
        match (self.authorization, self.signature, self.transaction) {
            (Some(authorization), Some(signature), None) => Ok(X402Payload::Authorization {
                authorization: authorization.read()?,
                signature: from_hex(&signature)
                    .ok_or(Malformed("write the signature as 0x and hexadecimal digits"))?,
            }),
            (None, None, Some(transaction)) => {
                let bytes = from_base64(&transaction).ok_or(Malformed("send the transaction as base64"))?;
                Ok(X402Payload::Transaction(bytes))
            }
            _ => Err(Malformed(
                "payload must contain authorization and signature, or transaction, or type, channelConfig and voucher",
            )),
        }
    }
}

impl WireAuthorization {
    pub(in crate::payment::protocols) fn read(self) -> Result<Authorization, Malformed> {
        const ADDRESS: Malformed = Malformed("from and to must be addresses: 0x and 40 hexadecimal digits");
        Ok(Authorization {
            from: address(&self.from).ok_or(ADDRESS)?,
            to: address(&self.to).ok_or(ADDRESS)?,
            value: self.value.0,
            valid_after: self.valid_after.0,
            valid_before: self.valid_before.0,
            nonce: word(&self.nonce).ok_or(Malformed("nonce must be 0x and 64 hexadecimal digits"))?,
        })
    }
}

/// A number, as a text of digits or as a JSON integer.
struct Digits(u64);

impl<'de> Deserialize<'de> for Digits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DigitsVisitor;

        impl Visitor<'_> for DigitsVisitor {
            type Value = Digits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number below 2^64, as digits")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Digits, E> {
                Ok(Digits(number))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digits, E> {
                decimal(text).map(Digits).ok_or_else(|| E::custom("not a number in digits"))
            }
        }

        deserializer.deserialize_any(DigitsVisitor)
    }
}

/// Takes `null` for an empty object.
fn or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Extra, D::Error> {
    Option::<Extra>::deserialize(deserializer).map(Option::unwrap_or_default)
}
