//! The gateway: the gate's interface to the channel manager. A request on a channel becomes an outcome, and an outcome
//! the headers that say it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use hyper::header::{HeaderName, HeaderValue};

use super::charge::ChargeRequest;
use super::manager::ChannelManager;
use super::outcome::{ChannelOutcome, OutOfSync};
use super::payment::ChannelPayment;
use super::voucher_check::RefundFault;
use crate::payment::core::claim::{RailName, StoreError};
use crate::payment::core::failure_limiter::FailureWindows;
use crate::payment::core::offer::{PAYMENT_REQUIRED, PAYMENT_RESPONSE, PaymentOffers, Sale, field};
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::processor::PaymentWork;
use crate::payment::protocols::codec::sha256;
use crate::payment::protocols::x402;
use crate::payment::protocols::x402::batch::{
    AMOUNT_MISMATCH, BELOW_CLAIMED, REFUND_AMOUNT_INVALID, REFUND_NO_BALANCE,
};

/// Forged signatures of one payer from one address in a minute, beyond which they are refused unseen.
pub const FORGERIES_PER_MINUTE_MAX: u32 = 20;

/// Where channels are served: the tills of the rails that have them.
pub struct ChannelGateway {
    tills: Vec<Arc<ChannelManager>>,
    forgers: FailureWindows<(IpAddr, String)>,
}

impl ChannelGateway {
    /// A counter with these tills.
    pub fn new(tills: Vec<Arc<ChannelManager>>) -> Self {
        Self { tills, forgers: FailureWindows::new(FORGERIES_PER_MINUTE_MAX) }
    }

    /// The tills.
    pub fn tills(&self) -> &[Arc<ChannelManager>] {
        &self.tills
    }

    fn manager(&self, rail: RailName) -> Option<&Arc<ChannelManager>> {
        self.tills.iter().find(|manager| manager.rail() == rail)
    }

    /// Notes a voucher that its payer has not signed. Seconds after which the next is looked at, when there were too many.
    pub fn forged(&self, client: IpAddr, payer: &str) -> Option<u64> {
        let (who, now) = ((client, payer.to_owned()), Instant::now());
        self.forgers.fail(&who, now);
        self.forgers.refuses(&who, now)
    }

    /// What is known of a voucher already; `request` is its path and normal form.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn known(
        &self,
        payment: &ChannelPayment,
        request: &str,
    ) -> Result<Option<ChannelOutcome>, StoreError> {
        match self.manager(payment.rail) {
            Some(manager) => manager.known(payment, &sha256(request.as_bytes())),
            None => Ok(None),
        }
    }

    /// Sells an answer for a voucher.
    pub async fn take(
        &self,
        payment: Box<ChannelPayment>,
        charge: &Sale,
        price: u64,
        client: IpAddr,
        work: PaymentWork,
    ) -> ChannelOutcome {
        let Some(manager) = self.manager(payment.rail).filter(|manager| manager.is_up()) else {
            return ChannelOutcome::Unclear;
        };
        let request_hash = sha256(charge.request.as_bytes());
        manager
            .take(payment, ChargeRequest { price, endpoint: charge.endpoint, request_hash, client }, work)
            .await
    }

    /// Gives money back.
    pub async fn refund(&self, payment: Box<ChannelPayment>, client: IpAddr) -> ChannelOutcome {
        match self.manager(payment.rail).filter(|manager| manager.is_up()) {
            Some(manager) => manager.refund(payment, client).await,
            None => ChannelOutcome::Unclear,
        }
    }
}

/// What a client is told that is out of step, or whose refund is not made: the offer of channels alone, since a client that
/// knows others too would pay one of those instead.
pub fn corrective(
    offers: &PaymentOffers,
    charge: &Sale,
    error: &str,
    out_of_sync: Option<&OutOfSync>,
) -> Option<(HeaderName, HeaderValue)> {
    let price = offers.price(charge);
    let terms = offers.rails().iter().find_map(|rail| rail.correction(price, offers.ttl_s, out_of_sync))?;
    field(PAYMENT_REQUIRED, x402::challenge_header(&offers.resource(charge), error, &[terms]))
}

/// The word by which clients know why a refund is not made.
pub const fn refund_error(fault: RefundFault) -> &'static str {
    match fault {
        RefundFault::Above => AMOUNT_MISMATCH,
        RefundFault::BelowClaimed => BELOW_CLAIMED,
        RefundFault::NoBalance => REFUND_NO_BALANCE,
        RefundFault::Amount => REFUND_AMOUNT_INVALID,
    }
}

/// What goes into the response of an outcome that was not answered: why, by which word, and where the channel stands.
pub fn told(outcome: &ChannelOutcome) -> Option<(PaymentReason, &'static str, Option<&OutOfSync>)> {
    match outcome {
        ChannelOutcome::Corrected(reason, correction) => Some((*reason, AMOUNT_MISMATCH, Some(correction))),
        ChannelOutcome::BelowClaimed => Some((PaymentReason::Amount, BELOW_CLAIMED, None)),
        ChannelOutcome::RefundRefused(fault) => Some((PaymentReason::Amount, refund_error(*fault), None)),
        _ => None,
    }
}

/// A receipt as a header field.
pub fn receipt_field(receipt: String) -> Option<(HeaderName, HeaderValue)> {
    field(PAYMENT_RESPONSE, receipt)
}
