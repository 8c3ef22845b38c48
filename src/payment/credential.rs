//! A credential: the payment that a request carries, read, checked for its signature, and held against the offer.
//!
//! [`Till::known`](super::till::Till::known) comes between the two steps: what is known of a payment already decides,
//! whatever the offer, the clock and the prices say by now.

use alloy_primitives::{Address, hex};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};

use super::claim::{Claim, Key, Protocol, Rail};
use super::codec::Unfit;
use super::eip3009::{Authorization, Signed};
use super::mpp::{self, METHOD_EVM, METHOD_TEMPO};
use super::offer::{EvmTerms, Offers, Sale};
use super::outcome::Reason;
use super::reference::{self, LABEL_BASE, LABEL_SOLANA, LABEL_SOLANA_MEMO};
use super::scheme::Order;
use super::settings::TempoRail;
use super::x402::{self, Extra, Requirement};
use super::{solana, tempo};

/// Payments of x402, in its second version.
pub const PAYMENT_SIGNATURE: HeaderName = HeaderName::from_static("payment-signature");

/// Seconds that a payment must still be good for when it is presented.
pub const WINDOW_MIN_S: u64 = 6;

/// Seconds beyond the life of an offer that a payment may be good for.
pub const WINDOW_EXTRA_S: u64 = 120;

/// Seconds in which a Solana transaction can land: its block hash is good for 150 slots, and then some.
const SOLANA_WINDOW_S: u64 = 180;

/// Blocks before the newest known one in which a payment is still looked for: it may have been settled by somebody
/// else before it was presented.
const BLOCKS_BEFORE_MAX: u64 = 1_000;

/// What a request carries.
#[derive(Debug)]
pub enum Presented {
    /// No payment.
    Nothing,
    /// Something that is none.
    Unusable(Reason),
    /// A payment.
    Payment(Box<Credential>),
}

/// A header that may come once came twice, or two protocols came at once.
#[derive(Debug, PartialEq, Eq)]
pub struct Repeated(pub &'static str);

/// A payment whose signature is good. Nothing else of it has been checked.
#[derive(Debug)]
pub struct Credential {
    /// Names the payment.
    pub key: Key,
    /// Chain.
    pub rail: Rail,
    /// Protocol.
    pub protocol: Protocol,
    /// Who pays.
    pub payer: String,
    /// What only the payer and this server know of the offer.
    pub reference: String,
    offer: Offer,
    transfer: Transfer,
}

/// The offer as the client echoes it.
#[derive(Debug)]
enum Offer {
    X402 { accepted: Requirement, url: Option<String> },
    Mpp(mpp::Presented),
}

/// The payment itself.
#[derive(Debug)]
enum Transfer {
    Evm(Signed),
    Solana(solana::Transfer),
    Tempo(tempo::Transfer),
}

/// Reads what the headers carry.
///
/// # Errors
/// When they carry more than one payment.
pub fn present(headers: &HeaderMap, offers: &Offers) -> Result<Presented, Repeated> {
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
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).map_err(|_| Reason::Malformed);
    let read = match (signature, authorization) {
        (Some(value), _) => text(value).and_then(|value| x402(&value, offers)),
        (_, Some(value)) => text(value).and_then(|value| mpp(&value, offers)),
        (None, None) => return Ok(Presented::Nothing),
    };
    Ok(match read {
        Ok(credential) => Presented::Payment(Box::new(credential)),
        Err(reason) => Presented::Unusable(reason),
    })
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

fn x402(value: &str, offers: &Offers) -> Result<Credential, Reason> {
    let x402::Presented { accepted, resource_url: url, payload } =
        x402::decode(value).map_err(|_| Reason::Malformed)?;
    if accepted.scheme != x402::SCHEME {
        return Err(Reason::Terms);
    }
    let transfer = match (payload, &offers.base, &offers.solana) {
        (x402::Payload::Authorization { authorization, signature }, Some(terms), _)
            if accepted.network == terms.rail.network =>
        {
            evm(authorization, &signature, terms)?
        }
        (x402::Payload::Transaction(wire), _, Some(terms)) if accepted.network == terms.rail.network => {
            Transfer::Solana(solana::read(&wire).map_err(unfit)?)
        }
        _ => return Err(Reason::Terms),
    };
    let reference = accepted.extra.reference.clone().unwrap_or_default();
    Ok(Credential::new(Protocol::X402, reference, Offer::X402 { accepted, url }, transfer, offers))
}

fn mpp(value: &str, offers: &Offers) -> Result<Credential, Reason> {
    let presented = mpp::decode(value).map_err(|_| Reason::Malformed)?.ok_or(Reason::Malformed)?;
    if !presented.is_ours(&offers.secrets()) {
        return Err(Reason::NotOurs);
    }
    let transfer = match (&presented.payload, &offers.base, &offers.tempo) {
        (mpp::Payload::Authorization { authorization, signature }, Some(terms), _)
            if presented.method() == METHOD_EVM =>
        {
            evm(authorization.clone(), signature, terms)?
        }
        (mpp::Payload::Transaction(wire), _, Some(_)) if presented.method() == METHOD_TEMPO => {
            Transfer::Tempo(tempo::read(wire).map_err(unfit)?)
        }
        _ => return Err(Reason::Terms),
    };
    let reference = presented.id().to_owned();
    Ok(Credential::new(Protocol::Mpp, reference, Offer::Mpp(presented), transfer, offers))
}

/// Why a transaction is no payment.
fn unfit(unfit: Unfit) -> Reason {
    match unfit {
        Unfit::Malformed(_) => Reason::Malformed,
        Unfit::Layout(_) => Reason::Terms,
        Unfit::Signature => Reason::Signature,
    }
}

fn evm(authorization: Authorization, signature: &[u8], terms: &EvmTerms) -> Result<Transfer, Reason> {
    Signed::checked(authorization, signature, &terms.domain).map(Transfer::Evm).ok_or(Reason::Signature)
}

impl Credential {
    fn new(protocol: Protocol, reference: String, offer: Offer, transfer: Transfer, offers: &Offers) -> Self {
        let (rail, key, payer) = match &transfer {
            Transfer::Evm(signed) => {
                let Authorization { from, nonce, .. } = &signed.authorization;
                // The signature was checked for this rail, so there is one.
                let (chain, asset) = offers
                    .base
                    .as_ref()
                    .map_or((0, Address::ZERO), |terms| (terms.rail.chain_id, terms.rail.asset));
                (Rail::Base, format!("eip155:{chain}:{asset:#x}:{from:#x}:{nonce:#x}"), format!("{from:#x}"))
            }
            Transfer::Solana(transfer) => (
                Rail::Solana,
                format!("solana:{}", hex::encode(transfer.message_sha256)),
                solana::base58(&transfer.authority),
            ),
            Transfer::Tempo(transfer) => (
                Rail::Tempo,
                format!("tempo:{}:{:#x}", transfer.chain_id, transfer.hash),
                format!("{:#x}", transfer.sender),
            ),
        };
        Self { key: Key(key), rail, protocol, payer, reference, offer, transfer }
    }

    /// Holds the payment against the offer of this sale, in everything that needs no network.
    ///
    /// # Errors
    /// The first reason not to take it.
    pub fn check(
        &self,
        offers: &Offers,
        sale: &Sale,
        fee_payer: Option<&str>,
        now: u64,
    ) -> Result<(), Reason> {
        let price = offers.price(sale);
        match (&self.transfer, &self.offer) {
            (Transfer::Evm(signed), Offer::X402 { accepted, url }) => {
                let terms = offers.base.as_ref().filter(|terms| terms.rail.x402).ok_or(Reason::Terms)?;
                held(accepted, &Requirement::evm(&terms.rail, price, offers.ttl_s, None))?;
                paid(&signed.authorization, terms, price)?;
                bound(offers, sale, LABEL_BASE, &self.reference, now)?;
                same_url(url.as_deref(), offers, sale)?;
                window(&signed.authorization, offers, now)
            }
            (Transfer::Solana(transfer), Offer::X402 { accepted, url }) => {
                let terms = offers.solana.as_ref().ok_or(Reason::Terms)?;
                let extra = Extra { fee_payer: fee_payer.map(str::to_owned), ..Extra::default() };
                held(accepted, &Requirement::solana(&terms.rail, price, offers.ttl_s, extra))?;
                let to_us = transfer.destination == terms.destination && transfer.mint == terms.rail.asset;
                let sponsored = Some(solana::base58(&transfer.fee_payer)).as_deref() == fee_payer;
                if !to_us || !sponsored {
                    return Err(Reason::Terms);
                }
                if transfer.amount != price {
                    return Err(Reason::Amount);
                }
                let memo = bound(offers, sale, LABEL_SOLANA_MEMO, &transfer.memo, now)?;
                let reference = bound(offers, sale, LABEL_SOLANA, &self.reference, now)?;
                // Of one offer: who sees the memo on the chain has a reference of his own only.
                if (memo.nonce, memo.expiry) != (reference.nonce, reference.expiry) {
                    return Err(Reason::NotOurs);
                }
                same_url(url.as_deref(), offers, sale)
            }
            (Transfer::Evm(signed), Offer::Mpp(challenge)) => {
                let terms = offers.base.as_ref().filter(|terms| terms.rail.mpp).ok_or(Reason::Terms)?;
                let rail = &terms.rail;
                let request = mpp::EvmRequest::new(rail.chain_id, rail.asset, rail.pay_to, price);
                challenged(challenge, offers, sale, METHOD_EVM, mpp::request_text(&request).as_deref(), now)?;
                if !mpp::evm_nonces(challenge.id(), challenge.realm()).contains(&signed.authorization.nonce) {
                    return Err(Reason::NotOurs);
                }
                paid(&signed.authorization, terms, price)?;
                window(&signed.authorization, offers, now)
            }
            (Transfer::Tempo(transfer), Offer::Mpp(challenge)) => {
                let rail = offers.tempo.as_ref().ok_or(Reason::Terms)?;
                let request = mpp::TempoRequest::new(rail.chain_id, rail.asset, rail.pay_to, price);
                challenged(
                    challenge,
                    offers,
                    sale,
                    METHOD_TEMPO,
                    mpp::request_text(&request).as_deref(),
                    now,
                )?;
                transferred(transfer, rail, challenge, price)?;
                open_for(transfer.valid_before.ok_or(Reason::Terms)?, offers, now)
            }
            // A protocol's credential holds only what that protocol pays with.
            (Transfer::Solana(_), Offer::Mpp(_)) | (Transfer::Tempo(_), Offer::X402 { .. }) => {
                Err(Reason::Terms)
            }
        }
    }

    /// The claim of this payment for a sale, and what is to be settled. `first_block` is the first block that the ledger
    /// knows everything of, `head` the newest one seen.
    pub fn claim(
        self,
        offers: &Offers,
        sale: &Sale,
        first_block: u64,
        head: u64,
        now_ms: u64,
    ) -> (Claim, Order) {
        let amount = offers.price(sale);
        let hash = |hash: &[u8]| format!("0x{}", hex::encode(hash));
        let (network, asset, pay_to, trace, valid_before, order) = match self.transfer {
            Transfer::Evm(signed) => {
                let Authorization { from, nonce, valid_before, to, .. } = signed.authorization;
                let (network, asset) = offers.base.as_ref().map_or_else(Default::default, |terms| {
                    (terms.rail.network.clone(), format!("{:#x}", terms.rail.asset))
                });
                let trace = format!("{from:#x} {nonce:#x}");
                (network, asset, format!("{to:#x}"), trace, valid_before, Order::Authorization(signed))
            }
            Transfer::Solana(transfer) => {
                let (network, pay_to) = offers.solana.as_ref().map_or_else(Default::default, |terms| {
                    (terms.rail.network.clone(), solana::base58(&terms.rail.pay_to))
                });
                let trace = format!("{} {}", solana::base58(&transfer.fee_payer), transfer.memo);
                let asset = solana::base58(&transfer.mint);
                let valid_before = now_ms / 1_000 + SOLANA_WINDOW_S;
                (network, asset, pay_to, trace, valid_before, Order::SolanaTransaction(transfer.wire))
            }
            Transfer::Tempo(transfer) => (
                offers.tempo.as_ref().map(TempoRail::network).unwrap_or_default(),
                format!("{:#x}", transfer.asset),
                format!("{:#x}", transfer.to),
                format!("{:#x} {}", transfer.hash, hash(&transfer.memo)),
                transfer.valid_before.unwrap_or_default(),
                Order::TempoTransaction(transfer.raw),
            ),
        };
        let claim = Claim {
            key: self.key,
            rail: self.rail,
            protocol: self.protocol,
            network,
            asset,
            payer: self.payer,
            pay_to,
            amount,
            endpoint: sale.endpoint.to_owned(),
            request: sale.request.clone(),
            reference: self.reference,
            trace,
            valid_before,
            from_block: first_block.max(head.saturating_sub(BLOCKS_BEFORE_MAX)),
            claimed_at: now_ms,
        };
        (claim, order)
    }
}

/// Reads a code that was made here, for this sale at this price, and is still good.
fn bound(
    offers: &Offers,
    sale: &Sale,
    label: &str,
    code: &str,
    now: u64,
) -> Result<reference::Parsed, Reason> {
    let code = reference::parse(code).ok_or(Reason::NotOurs)?;
    if !code.binds(&offers.secrets(), label, &sale.request, offers.price(sale)) {
        return Err(Reason::NotOurs);
    }
    if code.expiry < now { Err(Reason::Expired) } else { Ok(code) }
}

/// Whether the echoed offer has the terms of ours: equal but for `extra`, and of that whatever we advertise.
fn held(accepted: &Requirement, ours: &Requirement) -> Result<(), Reason> {
    if accepted.amount != ours.amount {
        return Err(Reason::Amount);
    }
    let advertised = |ours: &Option<String>, echoed: &Option<String>| ours.is_none() || ours == echoed;
    // The case of an address on an EVM chain is a checksum and means nothing.
    let address = |ours: &str, echoed: &str| {
        ours == echoed || (ours.starts_with("0x") && ours.eq_ignore_ascii_case(echoed))
    };
    let same = accepted.scheme == ours.scheme
        && accepted.network == ours.network
        && address(&ours.asset, &accepted.asset)
        && address(&ours.pay_to, &accepted.pay_to)
        && accepted.max_timeout_seconds == ours.max_timeout_seconds
        && advertised(&ours.extra.name, &accepted.extra.name)
        && advertised(&ours.extra.version, &accepted.extra.version)
        && advertised(&ours.extra.fee_payer, &accepted.extra.fee_payer);
    if same { Ok(()) } else { Err(Reason::Terms) }
}

/// Whether an authorization pays us the price.
fn paid(authorization: &Authorization, terms: &EvmTerms, price: u64) -> Result<(), Reason> {
    if authorization.to != terms.rail.pay_to {
        return Err(Reason::Terms);
    }
    if authorization.value == price { Ok(()) } else { Err(Reason::Amount) }
}

/// Whether the challenge is one for this sale.
fn challenged(
    challenge: &mpp::Presented,
    offers: &Offers,
    sale: &Sale,
    method: &str,
    request: Option<&str>,
    now: u64,
) -> Result<(), Reason> {
    let ours = challenge.realm() == offers.realm
        && challenge.method() == method
        && challenge.intent() == mpp::INTENT;
    if !ours || !challenge.opaque_binds(&offers.secrets(), &sale.request) {
        return Err(Reason::NotOurs);
    }
    if request != Some(challenge.request()) {
        return Err(Reason::Terms);
    }
    if challenge.expires < now { Err(Reason::Expired) } else { Ok(()) }
}

fn transferred(
    transfer: &tempo::Transfer,
    rail: &TempoRail,
    challenge: &mpp::Presented,
    price: u64,
) -> Result<(), Reason> {
    let to_us =
        transfer.chain_id == rail.chain_id && transfer.asset == rail.asset && transfer.to == rail.pay_to;
    if !to_us {
        return Err(Reason::Terms);
    }
    if transfer.amount != price {
        return Err(Reason::Amount);
    }
    let bound = tempo::memo_binds(&transfer.memo, challenge.realm(), challenge.id());
    if bound { Ok(()) } else { Err(Reason::NotOurs) }
}

fn window(authorization: &Authorization, offers: &Offers, now: u64) -> Result<(), Reason> {
    if authorization.valid_after > now {
        return Err(Reason::Terms);
    }
    open_for(authorization.valid_before, offers, now)
}

/// Whether a payment can be used for long enough, and not for too long.
fn open_for(valid_before: u64, offers: &Offers, now: u64) -> Result<(), Reason> {
    if valid_before < now + WINDOW_MIN_S {
        return Err(Reason::Expired);
    }
    if valid_before > now + offers.ttl_s + WINDOW_EXTRA_S { Err(Reason::Terms) } else { Ok(()) }
}

/// Whether the resource that the client names, if it names one, is this one.
fn same_url(url: Option<&str>, offers: &Offers, sale: &Sale) -> Result<(), Reason> {
    match url {
        Some(url) if url != offers.url(sale) => Err(Reason::NotOurs),
        _ => Ok(()),
    }
}
