//! A rail: one way over which money comes, and everything that is particular to it.
//!
//! ```text
//! Rail::Raw ──check──▶ Rail ──start──▶ Scheme: verify · settle · chain query, and whether it is up
//!  (a table of          │ x402_offer, mpp_charge: its terms in each protocol
//!   the file)           │ read_x402, read_mpp ──▶ RailPayment: key, payer, check, into_claim
//! ```
//!
//! Everything outside `rails` knows rails only by these traits, and by names that are compared and never matched on.
//!
//! A payment over a rail, or under a key, that left the configuration is still found, by a key that follows from the
//! payment alone (`Rail::x402_key`, `Rail::mpp_key`). Its signature was not checked, so its reference, which only its
//! payer was given, must be the claim's.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::channel::ChannelTerms;
use super::channel::chain::ChannelChain;
use super::channel::outcome::OutOfSync;
use super::channel::payment::ChannelPayment;
use super::check::Check;
use super::claim::{ClaimKey, PaymentProtocol, RailName};
use super::conditions::Conditions;
use super::outcome::PaymentReason;
use super::scheme::{RailClaim, Scheme};
use super::secret::Secret;
use crate::payment::net::http::Client;
use crate::payment::protocols::mpp::{MppCharge, MppCredential};
use crate::payment::protocols::x402::{Requirement, X402Payload};
use crate::payment::rails::sandbox::Sandbox;

/// What is known of a rail before it is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RailKind {
    /// Its name.
    pub name: RailName,
    /// What MPP calls payments on its chain, whether or not they are offered: the method in its receipts.
    pub mpp_method: &'static str,
    /// Whether it has a facilitator that may want a bearer token.
    pub takes_bearer: bool,
}

/// A protocol that a rail is offered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayToPay {
    /// The protocol.
    pub protocol: PaymentProtocol,
    /// Scheme of x402, or method of MPP.
    pub method: &'static str,
    /// Its place among the offers of the protocol: clients take the first that they can pay.
    pub rank: u8,
}

/// What an x402 offer is made of beside what the rail knows itself.
pub struct OfferParts<'a> {
    /// Price in atomic USDC.
    pub amount: u64,
    /// Seconds for which the offer can be paid.
    pub ttl_s: u64,
    /// Who pays the fees, where the scheme names somebody.
    pub fee_payer: Option<&'a str>,
    /// Makes the code that ties the offer to its request, by the label of its use.
    pub code: &'a dyn Fn(&str) -> String,
}

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTimes {
    /// Verifying a payment.
    pub verify: Duration,
    /// Settling it, every call for it together.
    pub settle: Duration,
    /// How long a payer has to pay an offer, in seconds.
    pub offer_s: u64,
}

/// What a rail is started with.
pub struct RailMeans {
    /// Asks facilitators and nodes.
    pub client: Client,
    /// How long they may take.
    pub times: CallTimes,
    /// Unix seconds, for chains that do not tell their own time.
    pub clock: fn() -> u64,
}

/// What a rail is checked with beside its own table.
pub struct RailContext<'a> {
    /// Token of its facilitator, from the environment.
    pub bearer: Option<Secret>,
    /// Key that signs for the receiver of payment channels, from the environment.
    pub channel_key: Option<&'a Secret>,
    /// The key before it.
    pub channel_key_previous: Option<&'a Secret>,
    /// Bytes by chance, for what a sandbox makes up.
    pub entropy: &'a [u8; 32],
    /// What the dearest request costs, in atomic USDC.
    pub price_max: u64,
    /// The rails that were checked before it, as they are offered.
    pub before: &'a [Arc<dyn Rail>],
}

/// A rail that was started.
pub struct Started {
    /// Verifies, settles and finds payments; on a rail of channels, their deposits.
    pub scheme: Arc<dyn Scheme>,
    /// The contracts of a rail of channels.
    pub channels: Option<Arc<dyn ChannelChain>>,
}

impl<S: Scheme + 'static> From<S> for Started {
    fn from(scheme: S) -> Self {
        Self { scheme: Arc::new(scheme), channels: None }
    }
}

/// A configured rail. It does no I/O; [`Rail::start`] makes what does.
///
/// The statuses that a client sees, the order of steps and what is durable when are decided by the processor, for all
/// rails alike. A rail of payment channels, whose answers wait for no settlement, has the same parts; its deposits are
/// payments like any other, and its vouchers go to the channel manager (`core::channel::manager`).
pub trait Rail: Any + fmt::Debug + Send + Sync {
    /// `[payment.rail.<name>]` as it stands in the file: keys and types, nothing checked beyond them. Derive it with
    /// `deny_unknown_fields`, so that a mistyped key is refused.
    type Raw: DeserializeOwned + fmt::Debug + Clone + Default + PartialEq + Eq
    where
        Self: Sized;

    /// Checks what the operator gave; `None` when a fault was found, which is in `check` then. Faults begin with
    /// `payment.rail.<name>.<key>`.
    fn check(raw: &Self::Raw, context: &RailContext<'_>, check: &mut Check) -> Option<Self>
    where
        Self: Sized;

    /// The rail of a sandbox, where nobody is asked to sign away real money; `None` where it has no test money that
    /// every client knows. `configured` is what the operator gave, if it is sound.
    fn in_sandbox(configured: Option<Self>) -> Option<Self>
    where
        Self: Sized;

    /// What is known of it before it is configured; the same for every value of one type.
    fn kind(&self) -> RailKind;

    /// CAIP-2 name of the network.
    fn network(&self) -> String;

    /// The protocols that it is offered by.
    fn ways(&self) -> Vec<WayToPay>;

    /// The key of a payment that x402 carried, read from the payment alone: its claim is found by it when the rail, its
    /// terms or its token have left the configuration. Nothing is checked. `None` when it is another rail's by form.
    fn x402_key(_accepted: &Requirement, _payload: &X402Payload) -> Option<ClaimKey>
    where
        Self: Sized,
    {
        None
    }

    /// The same of a payment that MPP carried.
    fn mpp_key(_credential: &MppCredential) -> Option<ClaimKey>
    where
        Self: Sized,
    {
        None
    }

    /// Its terms in x402; `None` when it is not offered by that, or not now.
    fn x402_offer(&self, _parts: &OfferParts<'_>) -> Option<Requirement> {
        None
    }

    /// Its terms in MPP for a price in atomic USDC; `None` when it is not offered by that.
    fn mpp_charge(&self, _amount: u64) -> Option<MppCharge> {
        None
    }

    /// Reads a payment that x402 carried and checks its signature, and nothing that clock, prices or settings can
    /// change: what is already known of a payment decides before that. `None` when it is another rail's, by scheme,
    /// network or form.
    fn read_x402(self: Arc<Self>, _accepted: &Requirement, _payload: &X402Payload) -> Option<ReadPayment> {
        None
    }

    /// The same of a payment that MPP carried, whose challenge is ours.
    fn read_mpp(self: Arc<Self>, _credential: &MppCredential) -> Option<ReadPayment> {
        None
    }

    /// What the operator allows on its channels; `None` for a rail that has none.
    fn channel_terms(&self) -> Option<&ChannelTerms> {
        None
    }

    /// Reads what x402 carried for a channel of this rail and checks its signatures. `None` when it is another rail's.
    fn read_channel(&self, _accepted: &Requirement, _payload: &X402Payload) -> Option<ReadChannel> {
        None
    }

    /// Its terms, for a client that is told where its channel stands.
    fn correction(&self, _amount: u64, _ttl_s: u64, _standing: Option<&OutOfSync>) -> Option<Requirement> {
        None
    }

    /// Starts it: it is up once whom it needs has answered. Tasks of the current runtime probe them until the scheme
    /// is dropped.
    fn start(self: Arc<Self>, means: &RailMeans) -> Started;

    /// Starts it where no money is to move.
    fn start_in_sandbox(self: Arc<Self>) -> Started {
        Sandbox::default().into()
    }
}

impl dyn Rail {
    /// Its name.
    pub fn name(&self) -> RailName {
        self.kind().name
    }
}

/// What was read for a channel, or why it is nothing and who seems to have sent it: the payer whose signature it lacks.
pub type ReadChannel = Result<Box<ChannelPayment>, (PaymentReason, String)>;

/// A payment that was read, or why it is none.
pub type ReadPayment = Result<Box<dyn RailPayment>, PaymentReason>;

/// A payment as its rail read it: its signature is good, and nothing else of it has been checked.
pub trait RailPayment: fmt::Debug + Send + Sync {
    /// Names the payment by what the chain takes once, in one spelling: whatever can be rewritten without changing the
    /// payment (headers, signatures, empty slots) must not be in it.
    fn key(&self) -> ClaimKey;

    /// Who pays, as the chain writes it.
    fn payer(&self) -> String;

    /// Holds it against the offer, in everything that needs no network: terms, recipient, amount, what binds it to the
    /// request, and its window.
    ///
    /// # Errors
    /// The first reason not to take it.
    fn check(&self, conditions: &Conditions<'_>) -> Result<(), PaymentReason>;

    /// What its claim holds that only the rail knows. It is called for payments that were checked; `now` is in Unix
    /// seconds.
    fn into_claim(self: Box<Self>, now: u64) -> RailClaim;
}
