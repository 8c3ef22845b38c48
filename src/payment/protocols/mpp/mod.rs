//! MPP, the "Payment" scheme of HTTP authentication: challenges, credentials, receipts.
//!
//! The only file that names the `mpp` crate; of it the core layer alone is used, which knows no chain. A challenge's id
//! is an HMAC over everything in it, so the server remembers no challenge; the `request` in it is canonical JSON,
//! because clients decode and re-encode it. Invariant: what [`MppCredential`] says of its challenge is only to be
//! believed after [`MppCredential::is_ours`]. Neighbours: `protocols::eip3009` checks signatures,
//! `rails::tempo::transaction` transactions.

#[cfg(test)]
mod tests;

use std::fmt;

use ::mpp::PaymentChallenge;
use ::mpp::mcp::{CREDENTIAL_META_KEY, McpPaymentErrorData, extract_credential};
#[cfg(test)]
use ::mpp::protocol::core::parse_receipt;
use ::mpp::protocol::core::{
    Base64UrlJson, PaymentCredential, extract_payment_scheme, format_authorization, format_www_authenticate,
    parse_authorization, parse_www_authenticate_all,
};
use alloy_primitives::{B256, keccak256};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use crate::payment::protocols::codec::{CREDENTIAL_BYTES_MAX, Malformed};
use crate::payment::protocols::codec::{base64url, from_hex, hmac_sha256, json, same};
use crate::payment::protocols::eip3009::Authorization;
use crate::payment::protocols::x402::WireAuthorization;

/// The intent: one payment.
pub const INTENT: &str = "charge";
/// Length of what keeps two challenges of one moment apart.
pub const ENTROPY_BYTES: usize = 12;

/// What a challenge asks for: the method, and its request in the one form that clients decode and encode again.
#[derive(Debug, Clone)]
pub struct MppCharge {
    method: &'static str,
    request: Base64UrlJson,
}

impl MppCharge {
    /// Asks to be paid once by `method`; what `request` holds is the method's own.
    ///
    /// # Panics
    /// When the request has no form in JSON: requests are texts and numbers.
    pub fn new(method: &'static str, request: &impl Serialize) -> Self {
        let request = Base64UrlJson::from_typed(request).expect("texts and numbers have a form in JSON");
        Self { method, request }
    }

    /// The method.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// The currency that it asks for, as the method writes it.
    pub fn currency(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct RequestFields {
            currency: String,
        }
        self.request.decode::<RequestFields>().ok().map(|asked| asked.currency)
    }

    /// What stands in a challenge's `request`, for comparison with [`MppCredential::request`].
    pub fn text(&self) -> &str {
        self.request.raw()
    }

    /// Amount that it asks for, as it says it; `None` where it has none.
    pub fn amount(&self) -> Option<String> {
        self.request.decode::<RequestFields>().ok().map(|asked| asked.amount)
    }
}

/// What every method's request has.
#[derive(Deserialize)]
struct RequestFields {
    amount: String,
}

/// Ties a challenge to a canonical request, and makes it unique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opaque {
    /// Random.
    pub n: String,
    /// Mac of the canonical request.
    pub res: String,
}

impl Opaque {
    /// For a canonical request; the entropy must be random.
    pub fn new(secret: &str, canonical_request: &str, entropy: [u8; ENTROPY_BYTES]) -> Self {
        Self { n: base64url(&entropy), res: request_mac(secret, canonical_request) }
    }
}

/// One offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MppChallenge {
    /// Names it.
    pub id: String,
    /// Value of a `WWW-Authenticate` header.
    pub header_line: String,
}

/// A challenge that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the challenge cannot be written, check realm and expiry: {0}")]
pub struct Unwritable(String);

/// Makes a challenge to pay a charge.
///
/// # Errors
/// When realm or expiry cannot stand in a header.
pub fn challenge(
    secret: &str,
    realm: &str,
    charge: &MppCharge,
    expires_rfc3339: &str,
    opaque: &Opaque,
) -> Result<MppChallenge, Unwritable> {
    let unwritable = |error: ::mpp::MppError| Unwritable(error.to_string());
    let challenge = PaymentChallenge::with_secret_key_full(
        secret,
        realm,
        charge.method,
        INTENT,
        charge.request.clone(),
        Some(expires_rfc3339),
        None,
        None,
        Some(Base64UrlJson::from_typed(opaque).map_err(unwritable)?),
        None,
    );
    let header_line = format_www_authenticate(&challenge).map_err(unwritable)?;
    Ok(MppChallenge { id: challenge.id, header_line })
}

/// A credential that was read. Its `Debug` form does not show the payment.
pub struct MppCredential {
    challenge: PaymentChallenge,
    /// Unix seconds at which the challenge expires.
    pub expires: u64,
    /// The payment itself.
    pub payload: MppPayload,
    /// Who pays, by the client's word.
    pub source: Option<String>,
}

impl fmt::Debug for MppCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presented")
            .field("id", &self.challenge.id)
            .field("method", &self.challenge.method)
            .finish_non_exhaustive()
    }
}

/// A payment, not yet checked.
#[derive(PartialEq, Eq)]
pub enum MppPayload {
    /// On an EVM chain.
    Authorization {
        /// What is signed.
        authorization: Authorization,
        /// The signature, of whatever length.
        signature: Vec<u8>,
    },
    /// On Tempo: the bytes of a signed transaction.
    Transaction(Vec<u8>),
}

/// Reads an `Authorization` header; `None` when it is of another scheme, which is nobody's fault.
///
/// # Errors
/// When it is too long, holds two credentials, or is not base64 of JSON with a challenge of ours in form and a payload
/// that is taken.
pub fn decode(header: &str) -> Result<Option<MppCredential>, Malformed> {
    if extract_payment_scheme(header).is_none() {
        return Ok(None);
    }
    if header.len() > CREDENTIAL_BYTES_MAX {
        return Err(Malformed("it is longer than 8 kB"));
    }
    if header.split(',').filter(|part| is_payment(part)).count() > 1 {
        return Err(Malformed("send one Payment credential"));
    }
    let credential = parse_authorization(header)
        .map_err(|_| Malformed("send base64url of an object with the unchanged challenge and payload"))?;
    let expires = unix_seconds(credential.challenge.expires.as_deref())?;
    let payload = read_payload(&credential)?;
    let echo = credential.challenge;
    let challenge = PaymentChallenge {
        id: echo.id,
        realm: echo.realm,
        method: echo.method,
        intent: echo.intent,
        request: echo.request,
        expires: echo.expires,
        description: None,
        digest: echo.digest,
        opaque: echo.opaque,
        header: echo.header,
    };
    Ok(Some(MppCredential { challenge, expires, payload, source: credential.source }))
}

impl MppCredential {
    /// Id of the challenge.
    pub fn id(&self) -> &str {
        &self.challenge.id
    }

    /// Realm of the challenge.
    pub fn realm(&self) -> &str {
        &self.challenge.realm
    }

    /// Method of the challenge.
    pub fn method(&self) -> &str {
        self.challenge.method.as_str()
    }

    /// Intent of the challenge.
    pub fn intent(&self) -> &str {
        self.challenge.intent.as_str()
    }

    /// Request of the challenge, as it stood there; see [`MppCharge::text`].
    pub fn request(&self) -> &str {
        self.challenge.request.raw()
    }

    /// Amount that its challenge asked for; `None` where it has none.
    pub fn amount(&self) -> Option<String> {
        self.request_as::<RequestFields>().map(|asked| asked.amount)
    }

    /// Request of the challenge, read; `None` when it is of another form.
    pub fn request_as<T: DeserializeOwned>(&self) -> Option<T> {
        self.challenge.request.decode().ok()
    }

    /// What tied the challenge to a canonical request.
    pub fn opaque(&self) -> Option<Opaque> {
        self.challenge.opaque.as_ref()?.decode().ok()
    }

    /// Whether the challenge was made with one of the secrets.
    pub fn is_ours(&self, secrets: &[&str]) -> bool {
        // Every secret is tried, whichever fits.
        secrets.iter().filter(|secret| self.challenge.verify(secret)).count() > 0
    }

    /// Whether the challenge was made for a canonical request, with one of the secrets.
    pub fn opaque_binds(&self, secrets: &[&str], canonical_request: &str) -> bool {
        let Some(opaque) = self.opaque() else { return false };
        let binds =
            |secret: &&&str| same(request_mac(secret, canonical_request).as_bytes(), opaque.res.as_bytes());
        secrets.iter().filter(binds).count() > 0
    }
}

/// The `Authorization` header of the credential in the metadata of an MCP request; `None` where there is none. One that
/// cannot be read becomes a header that cannot be read, so that one place says so.
pub fn authorization_of_meta(meta: &impl Serialize) -> Option<String> {
    let meta = serde_json::to_value(meta).ok()?;
    let sent = meta.get(CREDENTIAL_META_KEY)?;
    let written = extract_credential(&meta).and_then(|credential| format_authorization(&credential).ok());
    Some(written.unwrap_or_else(|| format!("Payment {}", base64url(&json(sent)))))
}

/// What the metadata of an MCP result say of these `WWW-Authenticate` headers, as JSON; `None` where none is a challenge.
pub fn challenges_for_meta<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Vec<u8>> {
    let challenges: Vec<PaymentChallenge> = parse_www_authenticate_all(lines).into_iter().flatten().collect();
    let offered = McpPaymentErrorData { http_status: 402, challenges, problem: None };
    // A challenge whose request is no JSON has no form there; ours is.
    (!offered.challenges.is_empty()).then(|| serde_json::to_vec(&offered).ok())?
}

/// The nonces that bind an EIP-3009 authorization to a challenge: as mppx and the draft make it, and as pympp does.
pub fn evm_nonces(id: &str, realm: &str) -> [B256; 2] {
    [keccak256(format!("{id}{realm}")), keccak256(json(&[id, realm]))]
}

/// The `Payment-Receipt` header of a payment that was made.
pub fn receipt_header(
    method: &str,
    reference: &str,
    timestamp_rfc3339: &str,
    challenge_id: Option<&str>,
    sandbox: bool,
) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Receipt<'a> {
        status: &'static str,
        method: &'a str,
        timestamp: &'a str,
        reference: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        challenge_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        sandbox: Option<bool>,
    }
    base64url(&json(&Receipt {
        status: "success",
        method,
        timestamp: timestamp_rfc3339,
        reference,
        challenge_id,
        sandbox: sandbox.then_some(true),
    }))
}

/// A payload as it is sent.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum WirePayload {
    Authorization {
        signature: String,
        #[serde(flatten)]
        authorization: WireAuthorization,
    },
    Transaction {
        signature: String,
    },
}

fn read_payload(credential: &PaymentCredential) -> Result<MppPayload, Malformed> {
    const DIGITS: Malformed = Malformed("write the signature as 0x and hexadecimal digits");
    let wire = credential.payload_as().map_err(|_| {
        Malformed("the payload's type must be authorization or transaction, with all its fields")
    })?;
    Ok(match wire {
        WirePayload::Authorization { signature, authorization } => MppPayload::Authorization {
            authorization: authorization.read()?,
            signature: from_hex(&signature).ok_or(DIGITS)?,
        },
        WirePayload::Transaction { signature } => {
            MppPayload::Transaction(from_hex(&signature).ok_or(DIGITS)?)
        }
    })
}

/// Fractions of a second are dropped: a challenge expires early rather than late.
fn unix_seconds(expires: Option<&str>) -> Result<u64, Malformed> {
    let text = expires.ok_or(Malformed("the challenge must be sent back with its expires"))?;
    let time: jiff::Timestamp =
        text.parse().map_err(|_| Malformed("the challenge must be sent back with its expires unchanged"))?;
    u64::try_from(time.as_second()).map_err(|_| Malformed("the challenge's expires is before 1970"))
}

fn is_payment(part: &str) -> bool {
    let mut words = part.split_ascii_whitespace();
    words.next().is_some_and(|scheme| scheme.eq_ignore_ascii_case("payment")) && words.next().is_some()
}

fn request_mac(secret: &str, canonical_request: &str) -> String {
    base64url(&hmac_sha256(secret, &[b"GET ", canonical_request.as_bytes()]))
}
