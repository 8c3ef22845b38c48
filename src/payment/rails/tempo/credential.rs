//! A transaction as MPP carried it, held against the offer.

use std::sync::Arc;

use alloy_primitives::hex;

use super::TempoRail;
use super::transaction::{TempoTransfer, memo_binds, read};
use crate::payment::core::claim::ClaimKey;
use crate::payment::core::conditions::{Conditions, EchoedOffer};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::{Rail as _, RailPayment, ReadPayment};
use crate::payment::core::scheme::RailClaim;
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

    /// Whether it can be used now and for long enough: the chain takes none before its time, so a node would wait for it
    /// and so would everybody behind it.
    fn is_open(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason> {
        conditions.open_since(self.transfer.valid_after.unwrap_or_default())?;
        conditions.open_for(self.transfer.valid_before.ok_or(PaymentReason::Terms)?)
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
        self.is_open(conditions)
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

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256};

    use super::*;
    use crate::payment::core::conditions::{WINDOW_EXTRA_S, WINDOW_MIN_S};
    use crate::payment::protocols::x402::{Extra, Requirement};

    const NOW: u64 = 1_795_277_700;
    const TTL_S: u64 = 60;

    fn payment(valid_after: Option<u64>, valid_before: Option<u64>) -> TempoPayment {
        let (asset, to, sender) = (Address::ZERO, Address::ZERO, Address::ZERO);
        let rail = TempoRail { chain_id: 4217, asset, pay_to: to, rpc_url: String::new() };
        let transfer = TempoTransfer {
            chain_id: 4217,
            asset,
            to,
            amount: 10_000,
            memo: [0; 32],
            valid_after,
            valid_before,
            sender,
            hash: B256::ZERO,
            raw: Vec::new(),
        };
        TempoPayment { rail: Arc::new(rail), transfer }
    }

    #[test]
    fn a_payment_is_open_now_and_for_long_enough() {
        let accepted = Requirement {
            scheme: String::new(),
            network: String::new(),
            amount: String::new(),
            asset: String::new(),
            pay_to: String::new(),
            max_timeout_seconds: TTL_S,
            extra: Extra::default(),
        };
        let conditions = Conditions {
            secrets: Vec::new(),
            realm: "",
            ttl_s: TTL_S,
            price: 10_000,
            request: "",
            url: String::new(),
            echo: &EchoedOffer::X402 { accepted, url: None },
            reference: "",
            fee_payer: None,
            now: NOW,
        };
        let soon = Some(NOW + WINDOW_MIN_S);
        for (valid_after, valid_before, expected) in [
            (None, soon, Ok(())),
            (Some(1), soon, Ok(())),
            (Some(NOW), soon, Ok(())),
            (Some(NOW + 1), soon, Err(PaymentReason::Terms)),
            (Some(u64::MAX), soon, Err(PaymentReason::Terms)),
            (None, None, Err(PaymentReason::Terms)),
            (None, Some(NOW + WINDOW_MIN_S - 1), Err(PaymentReason::Expired)),
            (None, Some(NOW + TTL_S + WINDOW_EXTRA_S), Ok(())),
            (None, Some(NOW + TTL_S + WINDOW_EXTRA_S + 1), Err(PaymentReason::Terms)),
        ] {
            let is_open = payment(valid_after, valid_before).is_open(&conditions);
            assert_eq!(is_open, expected, "{valid_after:?} to {valid_before:?}");
        }
    }
}
