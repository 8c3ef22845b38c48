//! A rail for tests, over which no money comes: what it takes to add one, and the shortest that shows every part.
//!
//! Its payment is a text, `payer|amount|valid_before|binding|seal`; the seal is the hash of what stands before it and
//! anybody can make it, the binding is the code of the offer or the id of the challenge. It settles like a sandbox.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use alloy_primitives::hex;
use serde::{Deserialize, Serialize};

use super::sandbox::Sandbox;
use crate::payment::core::check::Check;
use crate::payment::core::claim::{ClaimKey, PaymentProtocol, RailName};
use crate::payment::core::conditions::{Conditions, EchoedOffer, held};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::{
    OfferParts, Rail, RailContext, RailKind, RailMeans, RailPayment, ReadPayment, Started, WayToPay,
};
use crate::payment::core::scheme::{RailClaim, SignedPayment};
use crate::payment::core::secret::Secret;
use crate::payment::protocols::codec::sha256;
use crate::payment::protocols::mpp::{MppCharge, MppCredential, MppPayload};
use crate::payment::protocols::x402::{EXACT, Extra, Requirement, X402Payload};

/// Its name.
pub const NAME: RailName = RailName::new("toy");
/// What is known of it before it is configured.
pub const KIND: RailKind = RailKind { name: NAME, mpp_method: "toy", takes_bearer: false };
const NETWORK: &str = "toy:1";
const LABEL: &str = "x402-toy";

/// `[payment.rail.toy]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawToy {
    /// Who is paid.
    pub pay_to: Option<String>,
}

/// The rail as it is configured.
#[derive(Debug)]
pub struct ToyRail {
    pay_to: String,
}

#[derive(Serialize)]
struct ToyRequest {
    amount: String,
    recipient: String,
}

impl ToyRail {
    fn requirement(&self, amount: u64, offer_s: u64, reference: Option<String>) -> Requirement {
        Requirement {
            scheme: EXACT.to_owned(),
            network: NETWORK.to_owned(),
            amount: amount.to_string(),
            asset: "play money".to_owned(),
            pay_to: self.pay_to.clone(),
            max_timeout_seconds: offer_s,
            extra: Extra { reference, ..Extra::default() },
        }
    }
}

impl Rail for ToyRail {
    type Raw = RawToy;

    fn check(raw: &RawToy, _context: &RailContext<'_>, check: &mut Check) -> Option<Self> {
        let pay_to = check.demand("payment.rail.toy.pay_to", raw.pay_to.as_ref(), |text| Ok(text.to_owned()));
        Some(Self { pay_to: pay_to? })
    }

    fn in_sandbox(_configured: Option<Self>) -> Option<Self> {
        None
    }

    fn kind(&self) -> RailKind {
        KIND
    }

    fn network(&self) -> String {
        NETWORK.to_owned()
    }

    fn ways(&self) -> Vec<WayToPay> {
        [(PaymentProtocol::X402, EXACT), (PaymentProtocol::Mpp, KIND.mpp_method)]
            .map(|(protocol, method)| WayToPay { protocol, method, rank: 9 })
            .into()
    }

    fn x402_key(accepted: &Requirement, payload: &X402Payload) -> Option<ClaimKey> {
        let X402Payload::Transaction(wire) = payload else { return None };
        (accepted.network == NETWORK).then(|| key_of(wire))
    }

    fn mpp_key(credential: &MppCredential) -> Option<ClaimKey> {
        let MppPayload::Transaction(wire) = &credential.payload else { return None };
        (credential.method() == KIND.mpp_method).then(|| key_of(wire))
    }

    fn x402_offer(&self, parts: &OfferParts<'_>) -> Option<Requirement> {
        Some(self.requirement(parts.amount, parts.ttl_s, Some((parts.code)(LABEL))))
    }

    fn mpp_charge(&self, amount: u64) -> Option<MppCharge> {
        let request = ToyRequest { amount: amount.to_string(), recipient: self.pay_to.clone() };
        Some(MppCharge::new(KIND.mpp_method, &request))
    }

    fn read_x402(self: Arc<Self>, accepted: &Requirement, payload: &X402Payload) -> Option<ReadPayment> {
        let X402Payload::Transaction(wire) = payload else { return None };
        (accepted.network == NETWORK).then(|| ToyPayment::read(self, wire))
    }

    fn read_mpp(self: Arc<Self>, credential: &MppCredential) -> Option<ReadPayment> {
        let MppPayload::Transaction(wire) = &credential.payload else { return None };
        (credential.method() == KIND.mpp_method).then(|| ToyPayment::read(self, wire))
    }

    fn start(self: Arc<Self>, _means: &RailMeans) -> Started {
        Sandbox::default().into()
    }
}

/// A payment in play money.
#[derive(Debug)]
struct ToyPayment {
    rail: Arc<ToyRail>,
    payer: String,
    amount: u64,
    valid_before: u64,
    binding: String,
    wire: Vec<u8>,
}

/// What a payer sends.
fn wire(payer: &str, amount: u64, valid_before: u64, binding: &str) -> Vec<u8> {
    let text = format!("{payer}|{amount}|{valid_before}|{binding}");
    format!("{text}|{}", hex::encode(sha256(text.as_bytes()))).into_bytes()
}

impl ToyPayment {
    fn read(rail: Arc<ToyRail>, bytes: &[u8]) -> ReadPayment {
        let text = str::from_utf8(bytes).map_err(|_| PaymentReason::Malformed)?;
        let [payer, amount, valid_before, binding, _seal] = text.split('|').collect::<Vec<_>>()[..] else {
            return Err(PaymentReason::Malformed);
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| PaymentReason::Malformed);
        let (amount, valid_before) = (number(amount)?, number(valid_before)?);
        if wire(payer, amount, valid_before, binding) != bytes {
            return Err(PaymentReason::Signature);
        }
        let (payer, binding) = (payer.to_owned(), binding.to_owned());
        Ok(Box::new(Self { rail, payer, amount, valid_before, binding, wire: bytes.to_vec() }))
    }
}

fn key_of(wire: &[u8]) -> ClaimKey {
    ClaimKey(format!("toy:{}", hex::encode(sha256(wire))))
}

impl RailPayment for ToyPayment {
    fn key(&self) -> ClaimKey {
        key_of(&self.wire)
    }

    fn payer(&self) -> String {
        self.payer.clone()
    }

    fn check(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        match conditions.echo {
            EchoedOffer::X402 { accepted, url } => {
                held(accepted, &self.rail.requirement(conditions.price, conditions.ttl_s, None))?;
                conditions.bound(LABEL, conditions.reference)?;
                conditions.same_url(url.as_deref())?;
            }
            EchoedOffer::Mpp(challenge) => {
                conditions.challenged(challenge, self.rail.mpp_charge(conditions.price).as_ref())?;
            }
        }
        if self.binding != conditions.reference {
            return Err(PaymentReason::NotOurs);
        }
        if self.amount != conditions.price {
            return Err(PaymentReason::Amount);
        }
        conditions.open_for(self.valid_before)
    }

    fn into_claim(self: Box<Self>, _now: u64) -> RailClaim {
        RailClaim {
            network: NETWORK.to_owned(),
            asset: "play money".to_owned(),
            pay_to: self.rail.pay_to.clone(),
            trace: String::new(),
            valid_before: self.valid_before,
            payment: SignedPayment::Transaction(self.wire),
        }
    }
}
