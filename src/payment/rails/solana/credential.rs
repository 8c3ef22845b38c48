//! A transaction as x402 carried it, held against the offer.

use std::sync::Arc;

use alloy_primitives::hex;

use super::transaction::{SolanaTransfer, base58, read};
use super::{LABEL, LABEL_MEMO, SolanaRail};
use crate::payment::core::claim::ClaimKey;
use crate::payment::core::conditions::{Conditions, EchoedOffer, held};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::{RailPayment, ReadPayment};
use crate::payment::core::scheme::RailClaim;
use crate::payment::core::scheme::SignedPayment;
use crate::payment::protocols::x402::Extra;

/// Seconds in which a transaction can land: its block hash is good for 150 slots, and then some.
const WINDOW_S: u64 = 180;

/// A transfer that its payer signed.
#[derive(Debug)]
pub(super) struct SolanaPayment {
    rail: Arc<SolanaRail>,
    transfer: SolanaTransfer,
}

impl SolanaPayment {
    /// Reads a transaction that its payer signed.
    pub(super) fn read(rail: Arc<SolanaRail>, wire: &[u8]) -> ReadPayment {
        let transfer = read(wire).map_err(PaymentReason::from)?;
        Ok(Box::new(Self { rail, transfer }))
    }

    /// Whether it pays us the price, at the expense of the facilitator that the offer named.
    fn pays(&self, price: u64, fee_payer: Option<&str>) -> Result<(), PaymentReason> {
        let (rail, transfer) = (&self.rail, &self.transfer);
        let to_us = transfer.destination == rail.destination && transfer.mint == rail.asset;
        let sponsored = Some(base58(&transfer.fee_payer)).as_deref() == fee_payer;
        if !to_us || !sponsored {
            return Err(PaymentReason::Terms);
        }
        if transfer.amount == price { Ok(()) } else { Err(PaymentReason::Amount) }
    }
}

/// What the chain takes once.
pub(super) fn key_of(transfer: &SolanaTransfer) -> ClaimKey {
    ClaimKey(format!("solana:{}", hex::encode(transfer.message_sha256)))
}

impl RailPayment for SolanaPayment {
    fn key(&self) -> ClaimKey {
        key_of(&self.transfer)
    }

    fn payer(&self) -> String {
        base58(&self.transfer.authority)
    }

    fn check(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        let EchoedOffer::X402 { accepted, url } = conditions.echo else { return Err(PaymentReason::Terms) };
        let fee_payer = conditions.fee_payer;
        let extra = Extra { fee_payer: fee_payer.map(str::to_owned), ..Extra::default() };
        held(accepted, &self.rail.requirement(conditions.price, conditions.ttl_s, extra))?;
        self.pays(conditions.price, fee_payer)?;
        let memo = conditions.bound(LABEL_MEMO, &self.transfer.memo)?;
        let reference = conditions.bound(LABEL, conditions.reference)?;
        // Of one offer: who sees the memo on the chain has a reference of his own only.
        if (memo.nonce, memo.expiry) != (reference.nonce, reference.expiry) {
            return Err(PaymentReason::NotOurs);
        }
        conditions.same_url(url.as_deref())
    }

    fn into_claim(self: Box<Self>, now: u64) -> RailClaim {
        let Self { rail, transfer } = *self;
        RailClaim {
            network: rail.network.clone(),
            asset: base58(&transfer.mint),
            pay_to: base58(&rail.pay_to),
            trace: format!("{} {}", base58(&transfer.fee_payer), transfer.memo),
            valid_before: now + WINDOW_S,
            payment: SignedPayment::Transaction(transfer.wire),
        }
    }
}
