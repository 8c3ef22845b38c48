//! What the operator decides about payment, checked as a whole.
//!
//! [`RawPayment`] is the form of the configuration file, `check` holds it against what can be. What a rail needs is checked by
//! the rail itself, with the same tools. A [`Settings`] that exists can be served: every address has been read, every
//! time is in bounds, and in `live` there is a rail and a secret. What only the network can tell (whether a facilitator
//! answers, whether a token account exists) is found out at the start by those who ask it.

mod check;

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::Mode;
use super::core::prices::RawPrices;
use super::rails::RawRails;
use crate::payment::core::claim::RailName;
use crate::payment::core::prices::Prices;
use crate::payment::core::rail::Rail;
use crate::payment::core::secret::{CHANNEL_KEY, CHANNEL_KEY_PREVIOUS, Secret, SecretError};
use crate::payment::core::validators;
pub use crate::payment::core::validators::PUBLIC_URL_BYTES_MAX;
use crate::payment::rails;
pub use check::{
    CHAIN_QUERY_MS, OFFER_TTL_S, REPLIES_BYTES_MAX, REPLY_TTL_S, REQUEST_DEADLINE_MS, SETTLE_TIMEOUT_MS,
    VERIFY_TIMEOUT_MS,
};

/// What the operator decided. It exists in `sandbox` and in `live`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Sandbox or live.
    pub mode: Mode,
    /// What every resource's URL begins with: scheme, host in lower case and port, without a slash at the end.
    pub public_base_url: String,
    /// Host of `public_base_url`, without the port.
    pub realm: String,
    /// The ledger's file.
    pub ledger: PathBuf,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: u64,
    /// Time for a facilitator to verify a payment.
    pub verify_timeout: Duration,
    /// Time for a payment to be settled, a second call included.
    pub settle_timeout: Duration,
    /// Time for which the chain is asked after a settlement that did not say yes.
    pub chain_query: Duration,
    /// Time for a whole paid request.
    pub request_deadline: Duration,
    /// Seconds for which a bought answer is kept.
    pub reply_ttl_s: u64,
    /// Bytes of bought answers that are kept.
    pub replies_bytes_max: u64,
    /// What requests cost.
    pub prices: Prices,
    /// Key of every MAC in an offer.
    pub secret: Secret,
    /// Key of the offers that were made before the last change of keys.
    pub secret_previous: Option<Secret>,
    /// The rails that are offered, in the order of their table.
    pub rails: Vec<Arc<dyn Rail>>,
    /// Whether `public_base_url` is that of the listening socket, for want of a configured one.
    follows_address: bool,
}

impl Settings {
    /// These settings for a server that listens on `address`: a sandbox without a configured public URL is reached
    /// there, on a port that may be known only now.
    #[must_use]
    pub fn with_address(self, address: SocketAddr) -> Self {
        if !self.follows_address {
            return self;
        }
        let (public_base_url, realm) = (validators::own_url(address), validators::own_realm(address));
        Self { public_base_url, realm, ..self }
    }

    /// The host by which clients know this server, if that was configured.
    pub fn configured_host(&self) -> Option<&str> {
        (!self.follows_address).then_some(self.realm.as_str())
    }

    /// Where clients reach this server, if that was configured.
    pub fn configured_url(&self) -> Option<&str> {
        (!self.follows_address).then_some(self.public_base_url.as_str())
    }

    /// A rail by its type, if it is offered.
    pub fn rail<R: Rail>(&self) -> Option<&R> {
        self.rails.iter().find_map(|rail| (rail.as_ref() as &dyn Any).downcast_ref())
    }
}

/// The secrets of payment, as the environment has them.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Key of every MAC in an offer.
    pub current: Option<Secret>,
    /// The key before it.
    pub previous: Option<Secret>,
    /// Key that signs claims and refunds of payment channels.
    pub channel_key: Option<Secret>,
    /// The key before it, for channels that were opened under it.
    pub channel_key_previous: Option<Secret>,
    /// Bearer tokens of facilitators, by rail.
    pub bearers: BTreeMap<RailName, Secret>,
}

impl Secrets {
    /// Variable of `current`; like the others, it may stand in the file that `<name>_FILE` names.
    pub const CURRENT: &'static str = "PRICEBOOK_PAYMENT_SECRET";
    /// Variable of `previous`.
    pub const PREVIOUS: &'static str = "PRICEBOOK_PAYMENT_SECRET_PREVIOUS";

    /// Variable of the bearer token of a rail's facilitator.
    pub fn bearer(rail: RailName) -> String {
        format!("PRICEBOOK_FACILITATOR_BEARER_{}", rail.as_str().to_ascii_uppercase())
    }

    /// Reads them all.
    ///
    /// # Errors
    /// With everything that cannot be read.
    pub fn from_environment() -> Result<Self, Vec<SecretError>> {
        let mut errors = Vec::new();
        let mut read =
            |name: &str| Secret::from_environment(name).map_err(|error| errors.push(error)).ok().flatten();
        let secrets = Self {
            current: read(Self::CURRENT),
            previous: read(Self::PREVIOUS),
            channel_key: read(CHANNEL_KEY),
            channel_key_previous: read(CHANNEL_KEY_PREVIOUS),
            bearers: rails::KINDS
                .iter()
                .filter(|kind| kind.takes_bearer)
                .filter_map(|kind| Some((kind.name, read(&Self::bearer(kind.name))?)))
                .collect(),
        };
        if errors.is_empty() { Ok(secrets) } else { Err(errors) }
    }
}

/// `[payment]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawPayment {
    /// How paid routes are paid.
    pub mode: Option<Mode>,
    /// URL that clients reach the server by.
    pub public_base_url: Option<String>,
    /// File of the ledger.
    pub ledger: Option<PathBuf>,
    /// Seconds for which an offer can be paid.
    pub offer_ttl_s: Option<u64>,
    /// Milliseconds for a facilitator to verify a payment.
    pub verify_timeout_ms: Option<u64>,
    /// Milliseconds for a payment to be settled.
    pub settle_timeout_ms: Option<u64>,
    /// Milliseconds for which the chain is asked for a payment.
    pub chain_look_ms: Option<u64>,
    /// Milliseconds for a whole paid request.
    pub request_deadline_ms: Option<u64>,
    /// Seconds for which a bought answer is kept.
    pub reply_ttl_s: Option<u64>,
    /// Bytes of bought answers that are kept.
    pub replies_bytes_max: Option<u64>,
    /// `[payment.prices]`.
    pub prices: RawPrices,
    /// `[payment.rail]`.
    pub rail: RawRails,
}
