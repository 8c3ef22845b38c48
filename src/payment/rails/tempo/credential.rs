//! A transaction as MPP carried it, held against the offer.

use std::sync::Arc;

use alloy_primitives::hex;

use super::TempoRail;
use super::transaction::{TempoTransfer, memo_binds, read};
use crate::payment::core::claim::ClaimKey;
use crate::payment::core::conditions::{Conditions, EchoedOffer};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::{Rail as _, RailClaim, RailPayment, ReadPayment};
use crate::payment::core::scheme::SignedPayment;

/// A transfer that its payer signed.
#[derive(Debug)]
pub(super) struct TempoPayment {
    rail: Arc<TempoRail>,
    transfer: TempoTransfer,
}

impl TempoPayment {
    /// Reads a transaction that its payer signed.
    pub(super) fn read(rail: Arc<TempoRail>, wire: &[u8]) -> ReadPayment {
        let transfer = read(wire).map_err(PaymentReason::from)?;
        Ok(Box::new(Self { rail, transfer }))
    }

    /// Whether it pays us the price.
    fn pays(&self, price: u64) -> Result<(), PaymentReason> {
        let (rail, transfer) = (&self.rail, &self.transfer);
        let to_us =
            transfer.chain_id == rail.chain_id && transfer.asset == rail.asset && transfer.to == rail.pay_to;
        if !to_us {
            return Err(PaymentReason::Terms);
        }
        if transfer.amount == price { Ok(()) } else { Err(PaymentReason::Amount) }
    }
}

/// What the chain takes once.
pub(super) fn key_of(transfer: &TempoTransfer) -> ClaimKey {
    let TempoTransfer { chain_id, hash, .. } = transfer;
    ClaimKey(format!("tempo:{chain_id}:{hash:#x}"))
}

impl RailPayment for TempoPayment {
    fn key(&self) -> ClaimKey {
        key_of(&self.transfer)
    }

    fn payer(&self) -> String {
        format!("{:#x}", self.transfer.sender)
    }

    fn check(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        let EchoedOffer::Mpp(challenge) = conditions.echo else { return Err(PaymentReason::Terms) };
        conditions.challenged(challenge, self.rail.mpp_charge(conditions.price).as_ref())?;
        self.pays(conditions.price)?;
        if !memo_binds(&self.transfer.memo, challenge.realm(), challenge.id()) {
            return Err(PaymentReason::NotOurs);
        }
        conditions.open_since(self.transfer.valid_after.unwrap_or_default())?;
        conditions.open_for(self.transfer.valid_before.ok_or(PaymentReason::Terms)?)
    }

    fn into_claim(self: Box<Self>, _now: u64) -> RailClaim {
        let Self { rail, transfer } = *self;
        RailClaim {
            network: rail.network(),
            asset: format!("{:#x}", transfer.asset),
            pay_to: format!("{:#x}", transfer.to),
            trace: format!("{:#x} 0x{}", transfer.hash, hex::encode(transfer.memo)),
            valid_before: transfer
                .valid_before
                .expect("a payment without an end is refused when it is checked"),
            payment: SignedPayment::Transaction(transfer.raw),
        }
    }
}
