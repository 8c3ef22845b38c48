//! An authorization as it came by either protocol, held against the offer.

use std::sync::Arc;

use alloy_primitives::{Address, B256};

use super::{BaseRail, LABEL};
use crate::payment::core::claim::ClaimKey;
use crate::payment::core::conditions::{Conditions, EchoedOffer, held};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::{Rail as _, RailPayment, ReadPayment};
use crate::payment::core::scheme::RailClaim;
use crate::payment::core::scheme::SignedPayment;
use crate::payment::protocols::eip3009::{Authorization, Signed};
use crate::payment::protocols::mpp::{self, MppCredential};
use crate::payment::protocols::x402::Requirement;

/// An authorization that its payer signed for the rail's token.
#[derive(Debug)]
pub(super) struct BasePayment {
    rail: Arc<BaseRail>,
    signed: Signed,
}

impl BasePayment {
    /// Takes an authorization that its payer signed.
    pub(super) fn read(rail: Arc<BaseRail>, authorization: &Authorization, signature: &[u8]) -> ReadPayment {
        let signed = Signed::checked(authorization.clone(), signature, &rail.domain);
        let signed = signed.ok_or(PaymentReason::Signature)?;
        Ok(Box::new(Self { rail, signed }))
    }

    /// Against a requirement of x402.
    fn check_x402(
        &self,
        conditions: &Conditions<'_>,
        accepted: &Requirement,
        url: Option<&str>,
    ) -> Result<(), PaymentReason> {
        if !self.rail.x402 {
            return Err(PaymentReason::Terms);
        }
        held(accepted, &self.rail.requirement(conditions.price, conditions.ttl_s, None))?;
        self.pays(conditions.price)?;
        conditions.bound(LABEL, conditions.reference)?;
        conditions.same_url(url)?;
        self.is_open(conditions)
    }

    /// Against a challenge of MPP: the nonce is its hash.
    fn check_mpp(&self, conditions: &Conditions<'_>, challenge: &MppCredential) -> Result<(), PaymentReason> {
        let charge = self.rail.mpp_charge(conditions.price);
        conditions.challenged(challenge, charge.as_ref())?;
        let nonces = mpp::evm_nonces(challenge.id(), challenge.realm());
        if !nonces.contains(&self.signed.authorization.nonce) {
            return Err(PaymentReason::NotOurs);
        }
        self.pays(conditions.price)?;
        self.is_open(conditions)
    }

    /// Whether it pays us the price.
    fn pays(&self, price: u64) -> Result<(), PaymentReason> {
        if self.signed.authorization.to != self.rail.pay_to {
            return Err(PaymentReason::Terms);
        }
        if self.signed.authorization.value == price { Ok(()) } else { Err(PaymentReason::Amount) }
    }

    /// Whether it can be used now and for long enough.
    fn is_open(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        conditions.open_since(self.signed.authorization.valid_after)?;
        conditions.open_for(self.signed.authorization.valid_before)
    }
}

/// What the token takes once.
pub(in crate::payment::rails) fn key_of(
    chain_id: u64,
    asset: Address,
    from: Address,
    nonce: B256,
) -> ClaimKey {
    ClaimKey(format!("eip155:{chain_id}:{asset:#x}:{from:#x}:{nonce:#x}"))
}

impl RailPayment for BasePayment {
    fn key(&self) -> ClaimKey {
        key_of(
            self.rail.chain_id,
            self.rail.asset,
            self.signed.authorization.from,
            self.signed.authorization.nonce,
        )
    }

    fn payer(&self) -> String {
        format!("{:#x}", self.signed.authorization.from)
    }

    fn check(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        match conditions.echo {
            EchoedOffer::X402 { accepted, url } => self.check_x402(conditions, accepted, url.as_deref()),
            EchoedOffer::Mpp(challenge) => self.check_mpp(conditions, challenge),
        }
    }

    fn into_claim(self: Box<Self>, _now: u64) -> RailClaim {
        let Authorization { from, to, nonce, valid_before, .. } = self.signed.authorization;
        RailClaim {
            network: self.rail.network.clone(),
            asset: format!("{:#x}", self.rail.asset),
            pay_to: format!("{to:#x}"),
            trace: format!("{from:#x} {nonce:#x}"),
            valid_before,
            payment: SignedPayment::Authorization(self.signed),
        }
    }
}
