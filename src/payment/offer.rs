//! Offers: what a request costs, said in both protocols, and the terms that a payment is later held against.
//!
//! Nothing is stored for an offer. It carries a code that only this server can make, over the canonical request, the
//! price, a random nonce and its expiry, and clients bring it back with their payment. Offers of one moment share the
//! nonce; no two answers to two requests do.

use hyper::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use jiff::Timestamp;

use super::claim::Rail;
use super::eip3009::Domain;
use super::mpp::{self, EvmRequest, METHOD_EVM, METHOD_TEMPO, Opaque, TempoRequest};
use super::prices::Prices;
use super::reference::{LABEL_BASE, LABEL_SOLANA, LABEL_SOLANA_MEMO, Reference};
use super::secret::Secret;
use super::settings::{EvmRail, Settings, SolanaRail, TempoRail};
use super::solana;
use super::x402::{self, Extra, Requirement, Resource};
use crate::query::endpoint::PriceClass;

/// Offers of x402, in its second version.
pub const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static("payment-required");

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
}

/// A rail that can take payments now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Which.
    pub rail: Rail,
    /// Who pays the fees on Solana.
    pub fee_payer: Option<String>,
}

/// Why no offer can be made: no rail is up.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rail can take payments now")]
pub struct NoRail;

/// Base as it is offered.
#[derive(Debug)]
pub struct EvmTerms {
    /// Configuration.
    pub rail: EvmRail,
    /// What signatures are made for.
    pub domain: Domain,
}

/// Solana as it is offered.
#[derive(Debug)]
pub struct SolanaTerms {
    /// Configuration.
    pub rail: SolanaRail,
    /// Token account that is paid.
    pub destination: [u8; 32],
}

/// Makes offers.
#[derive(Debug)]
pub struct Offers {
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
    /// Base, if it is configured.
    pub base: Option<EvmTerms>,
    /// Solana, if it is configured.
    pub solana: Option<SolanaTerms>,
    /// Tempo, if it is configured.
    pub tempo: Option<TempoRail>,
}

impl EvmTerms {
    /// The terms of a configured rail.
    pub fn new(rail: EvmRail) -> Self {
        let domain = Domain::new(&rail.eip712_name, &rail.eip712_version, rail.chain_id, rail.asset);
        Self { rail, domain }
    }
}

impl SolanaTerms {
    /// The terms of a configured rail; `None` when its owner has no token account, which no owner is without.
    pub fn new(rail: SolanaRail) -> Option<Self> {
        let destination = solana::ata(&rail.pay_to, &rail.asset)?;
        Some(Self { rail, destination })
    }
}

impl Offers {
    /// Offers by the operator's settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            base_url: settings.public_base_url.clone(),
            realm: settings.realm.clone(),
            secret: settings.secret.clone(),
            previous: settings.secret_previous.clone(),
            ttl_s: settings.offer_ttl_s,
            prices: settings.prices,
            base: settings.base.clone().map(EvmTerms::new),
            solana: settings.solana.clone().and_then(SolanaTerms::new),
            tempo: settings.tempo.clone(),
        }
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

    /// The header fields of a 402: every way to pay that is open, x402 first, Base before Solana and Tempo before EVM.
    ///
    /// # Errors
    /// When no rail is open.
    pub fn headers(
        &self,
        sale: &Sale,
        open: &[Open],
        error: &str,
        nonce: [u8; 12],
        now: u64,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, NoRail> {
        let mut headers = Vec::with_capacity(3);
        let accepts = self.requirements(sale, open, nonce, now);
        if !accepts.is_empty() {
            let resource = Resource {
                url: self.url(sale),
                description: sale.summary.to_owned(),
                mime_type: JSON.to_owned(),
            };
            headers.extend(field(PAYMENT_REQUIRED, x402::challenge_header(&resource, error, &accepts)));
        }
        for line in self.challenges(sale, open, nonce, now) {
            headers.extend(field(WWW_AUTHENTICATE, line));
        }
        if headers.is_empty() { Err(NoRail) } else { Ok(headers) }
    }

    /// What x402 accepts.
    fn requirements(&self, sale: &Sale, open: &[Open], nonce: [u8; 12], now: u64) -> Vec<Requirement> {
        let (amount, expiry) = (self.price(sale), now + self.ttl_s);
        let code =
            |label: &str| Reference::make(self.secret.expose(), label, &sale.request, amount, nonce, expiry);
        let mut accepts = Vec::with_capacity(2);
        if let (Some(terms), Some(_)) = (&self.base, find(open, Rail::Base))
            && terms.rail.x402
        {
            accepts.push(Requirement::evm(&terms.rail, amount, self.ttl_s, Some(code(LABEL_BASE))));
        }
        if let (Some(terms), Some(Open { fee_payer: Some(fee_payer), .. })) =
            (&self.solana, find(open, Rail::Solana))
        {
            let extra = Extra {
                fee_payer: Some(fee_payer.clone()),
                memo: Some(code(LABEL_SOLANA_MEMO)),
                reference: Some(code(LABEL_SOLANA)),
                ..Extra::default()
            };
            accepts.push(Requirement::solana(&terms.rail, amount, self.ttl_s, extra));
        }
        accepts
    }

    /// What MPP offers.
    fn challenges(&self, sale: &Sale, open: &[Open], nonce: [u8; 12], now: u64) -> Vec<String> {
        let amount = self.price(sale);
        let expires = rfc3339(now + self.ttl_s);
        let opaque = Opaque::new(self.secret.expose(), &sale.request, nonce);
        let mut lines = Vec::with_capacity(2);
        if let (Some(rail), Some(_)) = (&self.tempo, find(open, Rail::Tempo)) {
            let request = TempoRequest::new(rail.chain_id, rail.asset, rail.pay_to, amount);
            let secret = self.secret.expose();
            lines.push(mpp::challenge(secret, &self.realm, METHOD_TEMPO, &request, &expires, &opaque));
        }
        if let (Some(terms), Some(_)) = (&self.base, find(open, Rail::Base))
            && terms.rail.mpp
        {
            let request = EvmRequest::new(terms.rail.chain_id, terms.rail.asset, terms.rail.pay_to, amount);
            let secret = self.secret.expose();
            lines.push(mpp::challenge(secret, &self.realm, METHOD_EVM, &request, &expires, &opaque));
        }
        lines.into_iter().flatten().map(|challenge| challenge.header_line).collect()
    }
}

/// Media type of what is sold.
const JSON: &str = "application/json";

fn find(open: &[Open], rail: Rail) -> Option<&Open> {
    open.iter().find(|open| open.rail == rail)
}

/// Seconds since 1970 as a date and time with milliseconds, as all clients read it.
pub fn rfc3339(seconds: u64) -> String {
    let instant = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    format!("{:.3}", instant.unwrap_or(Timestamp::MAX))
}

/// A header field, unless the value cannot stand in one.
pub(super) fn field(name: HeaderName, value: String) -> Option<(HeaderName, HeaderValue)> {
    HeaderValue::try_from(value).ok().map(|value| (name, value))
}
