//! A credential: the payment that a request carries, read, checked for its signature, and held against the offer.
//!
//! [`Processor::known`](super::processor::Processor::known) comes between the two steps: what is known of a payment
//! already decides, whatever the offer, the clock and the prices say by now.

use std::sync::Arc;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};

use super::channel::payment::ChannelPayment;
use super::claim::{Claim, ClaimKey, ClaimKind, PaymentProtocol, RailName};
use super::conditions::{Conditions, EchoedOffer};
use super::offer::{PaymentOffers, Sale};
use super::outcome::PaymentReason;
use super::rail::{Rail, RailPayment, ReadPayment};
use super::scheme::{RailClaim, SignedPayment};
use crate::payment::protocols::mpp;
use crate::payment::protocols::x402::{self, Requirement, X402Payload, X402Payment};
use crate::payment::rails;

/// Payments of x402, in its second version.
pub const PAYMENT_SIGNATURE: HeaderName = HeaderName::from_static("payment-signature");

/// Blocks before the newest known one in which a payment is still looked for: it may have been settled by somebody
/// else before it was presented.
const BLOCKS_BEFORE_MAX: u64 = 1_000;

/// What a request carries.
#[derive(Debug)]
pub enum PresentedPayment {
    /// No payment.
    Nothing,
    /// Something that is none, or is none any more: a payment over a rail, on terms or by a key that left the
    /// configuration may still name the claim that was made for it.
    Unusable(PaymentReason, Option<Box<FormerPayment>>),
    /// A payment.
    Payment(Box<Credential>),
    /// Something for a payment channel.
    Channel(Box<ChannelPayment>),
    /// Something for a payment channel that this payer has not signed.
    Forged(String),
}

impl PresentedPayment {
    /// The rail over which it comes, where one has read it.
    pub fn rail(&self) -> Option<&'static str> {
        match self {
            Self::Payment(credential) => Some(credential.rail.as_str()),
            Self::Channel(payment) => Some(payment.rail.as_str()),
            Self::Nothing | Self::Unusable(..) | Self::Forged(_) => None,
        }
    }
}

/// What a payment that can no longer be read is recognised by. Its signature was not checked, so its claim is shown to
/// nobody who does not know the reference, which only its payer was given.
#[derive(Debug, PartialEq, Eq)]
pub struct FormerPayment {
    /// Names the payment.
    pub key: ClaimKey,
    /// What only the payer and this server know of the offer.
    pub reference: String,
}

/// A header that may come once came twice, or two protocols came at once.
#[derive(Debug, PartialEq, Eq)]
pub struct Repeated(pub &'static str);

/// A payment whose signature is good. Nothing else of it has been checked.
#[derive(Debug)]
pub struct Credential {
    /// Names the payment.
    pub key: ClaimKey,
    /// Rail.
    pub rail: RailName,
    /// Protocol.
    pub protocol: PaymentProtocol,
    /// Who pays.
    pub payer: String,
    /// What only the payer and this server know of the offer.
    pub reference: String,
    echo: EchoedOffer,
    payment: Box<dyn RailPayment>,
}

/// Reads what the headers carry.
///
/// # Errors
/// When they carry more than one payment.
pub fn present(headers: &HeaderMap, offers: &PaymentOffers) -> Result<PresentedPayment, Repeated> {
    let mut signatures = headers.get_all(PAYMENT_SIGNATURE).iter();
    let authorizations = || headers.get_all(AUTHORIZATION).iter();
    let signature = signatures.next();
    let authorization = authorizations().find(|value| payments_in(value) > 0);
    if signatures.next().is_some() || signature.is_some_and(is_joined) {
        return Err(Repeated("PAYMENT-SIGNATURE"));
    }
    let repeated = authorizations().map(payments_in).sum::<usize>() > 1;
    if repeated || (signature.is_some() && authorization.is_some()) {
        return Err(Repeated("Authorization"));
    }
    let read = match (signature.map(HeaderValue::to_str), authorization.map(HeaderValue::to_str)) {
        (Some(Ok(value)), _) => match x402::decode(value) {
            Ok(X402Payment { accepted, payload: payload @ X402Payload::Channel(_), .. }) => {
                return Ok(on_channel(&accepted, &payload, offers));
            }
            Ok(payment) => x402(payment, offers),
            Err(_) => Err(PaymentReason::Malformed.into()),
        },
        (None, Some(Ok(value))) => mpp(value, offers),
        (None, None) => return Ok(PresentedPayment::Nothing),
        (Some(Err(_)), _) | (None, Some(Err(_))) => Err(PaymentReason::Malformed.into()),
    };
    Ok(match read {
        Ok(credential) => PresentedPayment::Payment(Box::new(credential)),
        Err(Unread(reason, former)) => PresentedPayment::Unusable(reason, former),
    })
}

/// What came for a payment channel.
fn on_channel(accepted: &Requirement, payload: &X402Payload, offers: &PaymentOffers) -> PresentedPayment {
    match offers.rails().iter().find_map(|rail| rail.read_channel(accepted, payload)) {
        Some(Ok(payment)) => PresentedPayment::Channel(payment),
        Some(Err((PaymentReason::Signature, payer))) => PresentedPayment::Forged(payer),
        Some(Err((reason, _))) => PresentedPayment::Unusable(reason, None),
        None => PresentedPayment::Unusable(PaymentReason::Terms, None),
    }
}

/// Why a payment cannot be read, and which it may have been.
struct Unread(PaymentReason, Option<Box<FormerPayment>>);

impl From<PaymentReason> for Unread {
    fn from(reason: PaymentReason) -> Self {
        Self(reason, None)
    }
}

impl Unread {
    /// What is forged names nothing; what is on other terms, or of another key, may have been good once.
    fn former(reason: PaymentReason, key: Option<ClaimKey>, reference: &str) -> Self {
        let was_good = matches!(reason, PaymentReason::Terms | PaymentReason::NotOurs);
        let former = key.filter(|_| was_good && !reference.is_empty());
        Self(reason, former.map(|key| Box::new(FormerPayment { key, reference: reference.to_owned() })))
    }
}

/// How many credentials of the scheme that pays an `Authorization` header holds; others belong to somebody else.
fn payments_in(value: &HeaderValue) -> usize {
    const SCHEME: &[u8] = b"payment";
    let is_payment = |part: &&[u8]| {
        let part = part.trim_ascii_start();
        let (scheme, rest) = part.split_at(part.len().min(SCHEME.len()));
        scheme.eq_ignore_ascii_case(SCHEME) && rest.first().is_none_or(u8::is_ascii_whitespace)
    };
    value.as_bytes().split(|byte| *byte == b',').filter(is_payment).count()
}

/// Whether a header holds several payments: who repeats a header may find its values joined on the way.
fn is_joined(value: &HeaderValue) -> bool {
    let parts = value.to_str().unwrap_or_default().split(',').map(str::trim);
    parts.filter(|part| x402::decode(part).is_ok()).count() > 1
}

fn x402(payment: X402Payment, offers: &PaymentOffers) -> Result<Credential, Unread> {
    let X402Payment { accepted, resource_url: url, payload } = payment;
    let reference = accepted.extra.reference.clone().unwrap_or_default();
    match read_by(offers, |rail| rail.read_x402(&accepted, &payload)) {
        Ok((rail, payment)) => {
            let echo = EchoedOffer::X402 { accepted, url };
            Ok(Credential::new(PaymentProtocol::X402, reference, echo, rail, payment))
        }
        Err(reason) => Err(Unread::former(reason, rails::x402_key(&accepted, &payload), &reference)),
    }
}

fn mpp(value: &str, offers: &PaymentOffers) -> Result<Credential, Unread> {
    let credential =
        mpp::decode(value).map_err(|_| PaymentReason::Malformed)?.ok_or(PaymentReason::Malformed)?;
    let reference = credential.id().to_owned();
    let read = if credential.is_ours(&offers.secrets()) {
        read_by(offers, |rail| rail.read_mpp(&credential))
    } else {
        Err(PaymentReason::NotOurs)
    };
    match read {
        Ok((rail, payment)) => {
            let echo = EchoedOffer::Mpp(credential);
            Ok(Credential::new(PaymentProtocol::Mpp, reference, echo, rail, payment))
        }
        Err(reason) => Err(Unread::former(reason, rails::mpp_key(&credential), &reference)),
    }
}

/// Has the rail read a payment whose it is; no rail's is none on our terms.
fn read_by(
    offers: &PaymentOffers,
    read: impl Fn(Arc<dyn Rail>) -> Option<ReadPayment>,
) -> Result<(RailName, Box<dyn RailPayment>), PaymentReason> {
    let found = offers.rails().iter().find_map(|rail| Some((rail.name(), read(Arc::clone(rail))?)));
    let (rail, payment) = found.ok_or(PaymentReason::Terms)?;
    Ok((rail, payment?))
}

impl Credential {
    fn new(
        protocol: PaymentProtocol,
        reference: String,
        echo: EchoedOffer,
        rail: RailName,
        payment: Box<dyn RailPayment>,
    ) -> Self {
        Self { key: payment.key(), rail, protocol, payer: payment.payer(), reference, echo, payment }
    }

    /// Holds the payment against the offer of this sale, in everything that needs no network.
    ///
    /// # Errors
    /// The first reason not to take it.
    pub fn check(
        &self,
        offers: &PaymentOffers,
        sale: &Sale,
        fee_payer: Option<&str>,
        now: u64,
    ) -> Result<(), PaymentReason> {
        self.payment.check(&Conditions {
            secrets: offers.secrets(),
            realm: &offers.realm,
            ttl_s: offers.ttl_s,
            price: offers.price(sale),
            request: &sale.request,
            url: offers.url(sale),
            echo: &self.echo,
            reference: &self.reference,
            fee_payer,
            now,
        })
    }

    /// The claim of this payment for a sale, and what is to be settled. `first_block` is the first block that the
    /// ledger knows everything of, `head` the newest one seen.
    pub fn claim(
        self,
        offers: &PaymentOffers,
        sale: &Sale,
        first_block: u64,
        head: u64,
        now_ms: u64,
    ) -> (Claim, SignedPayment) {
        let RailClaim { network, asset, pay_to, trace, valid_before, payment } =
            self.payment.into_claim(now_ms / 1_000);
        let claim = Claim {
            key: self.key,
            kind: ClaimKind::Sale,
            rail: self.rail,
            protocol: self.protocol,
            network,
            asset,
            payer: self.payer,
            pay_to,
            amount: offers.price(sale),
            endpoint: sale.endpoint.to_owned(),
            request: sale.request.clone(),
            media_type: sale.media_type.to_owned(),
            reference: self.reference,
            trace,
            valid_before,
            from_block: first_block.max(head.saturating_sub(BLOCKS_BEFORE_MAX)),
            claimed_at: now_ms,
        };
        (claim, payment)
    }
}
