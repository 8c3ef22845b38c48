//! The part of the document that depends on the configuration of the server: the cost of requests, and the ways to pay
//! for them by MPP.

use serde_json::{Value, json};

use crate::discovery::LLMS_PATH;
use crate::payment::core::claim::{PaymentProtocol, RailName};
use crate::payment::core::offer::{RailOffer, offered_by};
use crate::payment::core::prices::{Prices, usd};
use crate::payment::protocols::mpp::INTENT;
use crate::payment::settings::Settings;
use crate::query::endpoint::Route;

/// Description of the batch requests that cost the most.
const LARGE_BATCHES: &str = "the largest batches (every started group of ten answered items is charged)";

/// The cost of requests at a server, and the ways to pay. The default has the usual prices and no way to pay.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    prices: Prices,
    /// Ways to pay by MPP, the preferred first.
    charges: Vec<Charge>,
}

/// A way to pay by MPP.
#[derive(Debug, Clone)]
struct Charge {
    method: &'static str,
    currency: String,
}

/// Price of a request, in US dollars.
#[derive(serde::Serialize)]
pub(super) struct Price {
    usd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deep_usd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deep_for: Option<&'static str>,
}

/// Ways to pay for a request by MPP, in the fields of MPP's discovery.
#[derive(serde::Serialize)]
pub(super) struct PaymentInfo {
    offers: Vec<PaymentOffer>,
}

/// One way to pay.
#[derive(serde::Serialize)]
struct PaymentOffer {
    intent: &'static str,
    method: &'static str,
    /// Amount in atomic units of the currency; null if it depends on the request.
    amount: Option<String>,
    currency: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Terms {
    /// The terms of a server with these prices and, if it takes payments, with these payment settings.
    pub fn of(prices: Prices, settings: Option<&Settings>) -> Self {
        let rails = settings.map_or(&[][..], |settings| &settings.rails);
        let charge = |(name, offer): (RailName, RailOffer)| {
            let rail = rails.iter().find(|rail| rail.name() == name)?;
            let is_mpp = offer.protocol == PaymentProtocol::Mpp.as_str();
            let charge = rail.mpp_charge(1).filter(|_| is_mpp)?;
            Some(Charge { method: charge.method(), currency: charge.currency()? })
        };
        Self { prices, charges: offered_by(rails).into_iter().filter_map(charge).collect() }
    }

    /// Price of a route; `None` if the route is free.
    pub(super) fn price(&self, route: &Route) -> Option<Price> {
        let price = |class| usd(self.prices.of(class));
        let deep_usd = route.dearest_price().map(price);
        let deep_for = route.deep.or(route.batch.then_some(LARGE_BATCHES));
        (!route.is_free()).then(|| Price { usd: price(route.usual_price()), deep_usd, deep_for })
    }

    /// Description of a route: its purpose, the meaning of null in its answer, and its price.
    pub(super) fn description(&self, route: &Route) -> String {
        format!("{} {}", route.about, self.prices.said(route))
    }

    /// Ways to pay for a route by MPP; `None` if the route is free or the server does not accept MPP.
    pub(super) fn payment(&self, route: &Route) -> Option<PaymentInfo> {
        if route.is_free() || self.charges.is_empty() {
            return None;
        }
        let is_flat = route.dearest_price().is_none();
        let offer = |charge: &Charge| PaymentOffer {
            intent: INTENT,
            method: charge.method,
            amount: is_flat.then(|| self.prices.of(route.usual_price()).to_string()),
            currency: charge.currency.clone(),
            description: (!is_flat).then(|| self.prices.said(route)),
        };
        Some(PaymentInfo { offers: self.charges.iter().map(offer).collect() })
    }
}

/// Description of the service, in the fields of MPP's discovery.
pub(super) fn service() -> Value {
    json!({ "categories": ["data", "shopping"], "docs": { "apiReference": super::PATH, "llms": LLMS_PATH } })
}
