//! What clients send on channels, with its signatures checked.

use alloy_primitives::Address;

use super::ChannelRail;
use crate::payment::core::channel::payment::{ChannelAct, ChannelPayment, SignedDeposit, TermsStatus};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::rail::ReadChannel;
use crate::payment::protocols::channel::{ChannelId, DepositAuthorization, Signature, is_voucher_of};
use crate::payment::protocols::eip3009::{normalise, recover};
use crate::payment::protocols::x402::batch::{ChannelPayload, PayloadAct};

/// Reads what came for a channel: whose configuration names it, whose authorizer signed the voucher and whose payer
/// signed the deposit.
pub(super) fn read(rail: &ChannelRail, payload: &ChannelPayload) -> ReadChannel {
    let payer = || format!("{:#x}", payload.config.payer);
    let forged = || (PaymentReason::Signature, payer());
    let id = payload.config.id(&rail.domain);
    if id != payload.id {
        return Err((PaymentReason::Terms, payer()));
    }
    let signature = whole(&payload.signature).ok_or_else(forged)?;
    if !is_voucher_of(payload.config.payer_authorizer, id, payload.max, &signature, &rail.domain) {
        return Err(forged());
    }
    let act = match &payload.act {
        PayloadAct::Voucher => ChannelAct::Voucher,
        PayloadAct::DepositOtherwise => ChannelAct::DepositOtherwise,
        PayloadAct::Refund { amount } => ChannelAct::Refund { amount: *amount },
        PayloadAct::Deposit { authorization, signature } => {
            let signed = deposit(rail, payload.config.payer, id, authorization, signature);
            ChannelAct::Deposit(signed.ok_or_else(forged)?)
        }
    };
    let terms_status = if rail.is_current(&payload.config) {
        TermsStatus::Current
    } else if rail.key_for(&payload.config).is_some() {
        TermsStatus::Former
    } else {
        TermsStatus::Foreign
    };
    Ok(Box::new(ChannelPayment {
        rail: super::NAME,
        id,
        config: payload.config.clone(),
        max: payload.max,
        signature,
        act,
        terms_status,
    }))
}

fn deposit(
    rail: &ChannelRail,
    payer: Address,
    id: ChannelId,
    authorization: &DepositAuthorization,
    signature: &[u8],
) -> Option<SignedDeposit> {
    let signature = whole(signature)?;
    let signer = recover(authorization.digest(payer, id, &rail.base.domain), &signature)?;
    (signer == payer).then(|| SignedDeposit { authorization: authorization.clone(), signature })
}

/// A signature of the one length that a key makes, with `v` as 27 or 28.
fn whole(signature: &[u8]) -> Option<Signature> {
    let mut signature: Signature = signature.try_into().ok()?;
    normalise(&mut signature)?;
    Some(signature)
}
