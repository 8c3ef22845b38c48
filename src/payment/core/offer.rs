//! Offers: what a request costs, said in both protocols, and the terms that a payment is later compared with.
//!
//! Offers are not stored. An offer carries a code that only this server can make, over the canonical request, the
//! price, a random nonce and its expiry, and clients bring it back with their payment. Offers of one moment share the
//! nonce; two answers to two requests never do.
//!
//! The length of a request is bounded ([`REQUEST_BYTES_MAX`], [`BATCH_BYTES_MAX`]), as is the public URL before it, so
//! that all header fields of a 402 stay below 4 kB, those of a batch below 8 kB, with every rail open. Clients send
//! the offer back within the same limits, so everything that is offered can be paid. A longer request is refused with
//! 414.
//!
//! The price of a batch depends on the catalog: it is taken per ten items that the batch answers, so it is known when
//! the batch is resolved, before any payment. `ResolvedRequest::batch_price` becomes the price class for offers,
//! quotes and vouchers alike. A payment of the price under another snapshot is neither claimed nor charged; its client
//! is told the new price.

use std::sync::Arc;

use hyper::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::claim::{PaymentProtocol, RailName};
use super::prices::Prices;
use super::rail::{OfferParts, Rail, WayToPay};
use super::reference::OfferReference;
use super::secret::Secret;
use crate::payment::protocols::mpp::{self, Opaque};
use crate::payment::protocols::x402::{self, Requirement, Resource};
use crate::payment::settings::Settings;
use crate::query::descriptor::PriceClass;

/// Offers of x402, in its second version.
pub const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static("payment-required");

/// Receipts of x402.
pub const PAYMENT_RESPONSE: HeaderName = HeaderName::from_static("payment-response");

/// Longest request that is offered for sale, path and canonical query, in bytes. It stands in the offers as base64, and
/// all header fields of a 402 together stay under the 4 kB that proxies read, with every rail open; what is offered can
/// be paid, because clients send the offer back.
pub const REQUEST_BYTES_MAX: usize = 640;

/// Longest batch that is offered for sale, likewise: a hundred uids. The header fields of its 402 stay under 8 kB.
pub const BATCH_BYTES_MAX: usize = 2_048;

/// Bytes of an `accepts` of x402 and its resource, as base64, beside which the other header fields of a 402 fit into
/// 4 kB. What is offered last is left out of a long request's offers where it would go beyond: payment channels, whose
/// clients remember what they accept from any other request. A batch has all offers.
const X402_BYTES_MAX: usize = 2_432;

/// What is sold: one request.
#[derive(Debug, Clone)]
pub struct Sale {
    /// Path of the endpoint.
    pub endpoint: &'static str,
    /// What it answers, in one sentence.
    pub summary: &'static str,
    /// Path and canonical query.
    pub request: String,
    /// What it costs.
    pub class: PriceClass,
    /// Media type that the answer is wanted in.
    pub media_type: &'static str,
}

/// A rail that can take payments now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRail {
    /// Which.
    pub rail: RailName,
    /// Who pays the fees, where the scheme names somebody.
    pub fee_payer: Option<String>,
}

/// A way to pay that a client can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RailOffer {
    /// Protocol that the payment is offered and presented with: `x402` or `mpp`.
    pub protocol: &'static str,
    /// Scheme of x402, or method of MPP: `exact`; `evm`, `tempo`.
    pub method: &'static str,
    /// Chain that the payment is settled on, by its CAIP-2 name.
    pub network: String,
}

/// Why no offer can be made: no rail is up.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rail can accept payments now")]
pub struct NoRail;

/// Makes offers.
#[derive(Debug)]
pub struct PaymentOffers {
    /// Where clients reach the service, without a slash at the end.
    pub base_url: String,
    /// Host name of that.
    pub realm: String,
    /// Key of the codes.
    pub secret: Secret,
    /// The key before it, whose codes are still good.
    pub previous: Option<Secret>,
    /// How long an offer stands, in seconds.
    pub ttl_s: u64,
    /// What requests cost.
    pub prices: Prices,
    /// The configured rails, in the order of the table.
    rails: Vec<Arc<dyn Rail>>,
    /// What they are offered by, the preferred first.
    ways: Vec<(WayToPay, Arc<dyn Rail>)>,
}

/// Every protocol that the rails are offered by: x402 first, within a protocol by rank.
fn ways_to_pay(rails: &[Arc<dyn Rail>]) -> Vec<(WayToPay, Arc<dyn Rail>)> {
    let ways_of = |rail: &Arc<dyn Rail>| {
        let rail = Arc::clone(rail);
        rail.ways().into_iter().map(move |way| (way, Arc::clone(&rail)))
    };
    let mut ways: Vec<_> = rails.iter().flat_map(ways_of).collect();
    ways.sort_by_key(|(way, _)| (way.protocol, way.rank));
    ways
}

/// Every way to pay over these rails, the preferred first.
pub fn offered_by(rails: &[Arc<dyn Rail>]) -> Vec<(RailName, RailOffer)> {
    let offer = |(way, rail): (_, Arc<dyn Rail>)| {
        let WayToPay { protocol, method, .. } = way;
        (rail.name(), RailOffer { protocol: protocol.as_str(), method, network: rail.network() })
    };
    ways_to_pay(rails).into_iter().map(offer).collect()
}

impl PaymentOffers {
    /// Offers by the operator's settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            base_url: settings.public_base_url.clone(),
            realm: settings.realm.clone(),
            secret: settings.secret.clone(),
            previous: settings.secret_previous.clone(),
            ttl_s: settings.offer_ttl_s,
            prices: settings.prices,
            rails: settings.rails.clone(),
            ways: ways_to_pay(&settings.rails),
        }
    }

    /// The configured rails.
    pub fn rails(&self) -> &[Arc<dyn Rail>] {
        &self.rails
    }

    /// The keys of codes that are good, the newest first.
    pub fn secrets(&self) -> Vec<&str> {
        std::iter::once(&self.secret).chain(&self.previous).map(Secret::expose).collect()
    }

    /// Price of a sale, in atomic USDC.
    pub fn price(&self, sale: &Sale) -> u64 {
        self.prices.of(sale.class)
    }

    /// URL of a sale.
    pub fn url(&self, sale: &Sale) -> String {
        format!("{}{}", self.base_url, sale.request)
    }

    /// What is sold, as x402 names it.
    pub fn resource(&self, sale: &Sale) -> Resource {
        Resource {
            url: self.url(sale),
            description: sale.summary.to_owned(),
            mime_type: sale.media_type.to_owned(),
        }
    }

    /// The header fields of a 402: every way to pay that is open, x402 first, each protocol's preferred rail first.
    ///
    /// # Errors
    /// When no rail is open.
    pub fn headers(
        &self,
        sale: &Sale,
        open: &[OpenRail],
        error: &str,
        nonce: [u8; 12],
        now: u64,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, NoRail> {
        let mut headers = Vec::with_capacity(3);
        let accepts = self.requirements(sale, open, nonce, now);
        if !accepts.is_empty() {
            headers.extend(field(PAYMENT_REQUIRED, self.x402_header(sale, error, &accepts)));
        }
        for line in self.challenges(sale, open, nonce, now) {
            headers.extend(field(WWW_AUTHENTICATE, line));
        }
        if headers.is_empty() { Err(NoRail) } else { Ok(headers) }
    }

    /// What x402 accepts as a header, but for the last way where it goes beyond what proxies read.
    fn x402_header(&self, sale: &Sale, error: &str, accepts: &[Requirement]) -> String {
        let resource = self.resource(sale);
        let header = |accepts: &[Requirement]| x402::challenge_header(&resource, error, accepts);
        let whole = header(accepts);
        match accepts.split_last() {
            Some((_, others))
                if whole.len() > X402_BYTES_MAX
                    && !matches!(sale.class, PriceClass::Batch(_))
                    && !others.is_empty() =>
            {
                header(others)
            }
            _ => whole,
        }
    }

    /// The open rails that are offered by a protocol, the preferred first.
    fn offered<'a>(
        &'a self,
        by: PaymentProtocol,
        open: &'a [OpenRail],
    ) -> impl Iterator<Item = (&'a dyn Rail, &'a OpenRail)> {
        let ways = self.ways.iter().filter(move |(way, _)| way.protocol == by);
        ways.filter_map(|(_, rail)| {
            let open = open.iter().find(|open| open.rail == rail.name())?;
            Some((rail.as_ref(), open))
        })
    }

    /// What x402 accepts.
    fn requirements(&self, sale: &Sale, open: &[OpenRail], nonce: [u8; 12], now: u64) -> Vec<Requirement> {
        let (amount, ttl_s) = (self.price(sale), self.ttl_s);
        let secret = self.secret.expose();
        let code =
            |label: &str| OfferReference::make(secret, label, &sale.request, amount, nonce, now + ttl_s);
        let offer = |(rail, open): (&dyn Rail, &OpenRail)| {
            rail.x402_offer(&OfferParts { amount, ttl_s, fee_payer: open.fee_payer.as_deref(), code: &code })
        };
        self.offered(PaymentProtocol::X402, open).filter_map(offer).collect()
    }

    /// What MPP offers.
    fn challenges(&self, sale: &Sale, open: &[OpenRail], nonce: [u8; 12], now: u64) -> Vec<String> {
        let (amount, secret) = (self.price(sale), self.secret.expose());
        let expires = rfc3339(now + self.ttl_s);
        let opaque = Opaque::new(secret, &sale.request, nonce);
        let line = |(rail, _): (&dyn Rail, &OpenRail)| {
            let charge = rail.mpp_charge(amount)?;
            let challenge = mpp::challenge(secret, &self.realm, &charge, &expires, &opaque);
            challenge.ok().map(|challenge| challenge.header_line)
        };
        self.offered(PaymentProtocol::Mpp, open).filter_map(line).collect()
    }
}

/// Seconds since 1970 as a date and time with milliseconds, as all clients read it.
///
/// # Panics
/// After the year 9999: a moment in money's papers is never made up.
pub fn rfc3339(seconds: u64) -> String {
    let instant = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    format!("{:.3}", instant.expect("an offer or a settlement before the year 10000"))
}

/// A header field, unless the value cannot stand in one.
pub(super) fn field(name: HeaderName, value: String) -> Option<(HeaderName, HeaderValue)> {
    HeaderValue::try_from(value).ok().map(|value| (name, value))
}
