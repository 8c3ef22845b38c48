//! Payment steps of a request: known payments, the offers for an unpaid request, and the sale of an answer.
//! [`crate::payment`] makes the decisions; this module turns them into responses.

use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::encoding::{Coding, encode};
use super::etag;
use super::panics::CatchPanic;
use super::problem::Problem;
use super::request_context::RequestContext;
use super::respond::{Bought, Reply};
use super::state::Shared;
use crate::payment::Mode;
use crate::payment::core::channel::gateway::{receipt_field, told};
use crate::payment::core::channel::outcome::ChannelOutcome;
use crate::payment::core::channel::payment::ChannelAct;
use crate::payment::core::claim::{StoreError, StoredAnswer};
use crate::payment::core::credential::{PresentedPayment, Repeated};
use crate::payment::core::gate::Gate;
use crate::payment::core::offer::{BATCH_BYTES_MAX, REQUEST_BYTES_MAX, Sale};
use crate::payment::core::outcome::{PaymentOutcome, PaymentReason};
use crate::payment::core::prices::QuotedPrice;
use crate::query::endpoint::{ParsedRequest, ResolvedRequest, Route, Stamp};
use crate::query::refusal::Refusal;
use crate::query::representation::{Json, Representation};
use crate::server::compute::ComputePlace;

/// A request for a paid route at a server with payments, before its parameters are read.
pub(super) struct Paying<'a> {
    shared: &'a Shared,
    /// `None` while no gate is set; the request is then refused and not answered for free.
    gate: Option<&'a Gate>,
    presented: Result<PresentedPayment, Repeated>,
}

/// A request with valid parameters that is either paid or answered with offers.
pub(super) struct Selling<'a> {
    shared: &'a Shared,
    gate: &'a Gate,
    sale: Sale,
    presented: PresentedPayment,
}

impl<'a> Paying<'a> {
    /// Reads the payment that came with a request. Returns `None` if the route does not have to be paid. A payment that
    /// comes with a HEAD request is ignored.
    pub(super) fn begin(shared: &'a Shared, route: &Route, context: &RequestContext) -> Option<Self> {
        if !shared.must_be_paid(route) {
            return None;
        }
        let gate = shared.gate();
        let presented = match gate {
            Some(gate) if !context.is_head() => gate.present(&context.headers),
            _ => Ok(PresentedPayment::Nothing),
        };
        Some(Self { shared, gate, presented })
    }

    /// Answers a request whose payment is already known. The answer depends on the state of the payment, and not on how
    /// the current snapshot reads the parameters. If a new payment is required and the request is no longer valid, the
    /// refusal is returned instead of an offer.
    async fn known(&self, route: &Route, context: &RequestContext) -> Result<Option<Reply>, Problem> {
        let (Some(gate), Ok(presented)) = (self.gate, &self.presented) else { return Ok(None) };
        if matches!(presented, PresentedPayment::Nothing) {
            return Ok(None);
        }
        if let PresentedPayment::Forged(payer) = presented
            && let Some(retry_after_s) = gate.channels.forged(context.client, payer)
        {
            return Err(Problem::payer_limited(retry_after_s));
        }
        let (query, as_of) = (context.uri.query().unwrap_or_default(), context.catalog.as_of());
        let Some(asked) = route.normal_form(query, as_of) else { return Ok(None) };
        if let PresentedPayment::Channel(payment) = presented {
            let known = gate.channels.known(payment, &route.request(&asked));
            let Some(outcome) = known.map_err(|error| not_written(&error))? else { return Ok(None) };
            let Ok(parsed) = route.parse(query, as_of) else { return Ok(None) };
            self.shared.metrics.payment(presented.rail(), outcome.as_str());
            // If the current catalog has no answer to any item of a batch, the lowest price is quoted. The next request
            // for the batch is then refused.
            let least = sale(route, &parsed, context);
            let sale = priced(route, parsed, context).unwrap_or(least);
            return channel_reply(gate, &sale, outcome, context).map(Some);
        }
        let known = gate.known(presented, &route.request(&asked)).await;
        let Some(outcome) = known.map_err(|error| not_written(&error))? else { return Ok(None) };
        let refused = |reason| match (context.representation, route.parse(query, as_of)) {
            (None, _) => self.shared.not_acceptable(route),
            (_, Ok(parsed)) => match priced(route, parsed, context) {
                Ok(sale) => required(gate, &sale, Some(reason)),
                Err(refusal) => refusal.into(),
            },
            (_, Err(faults)) => Problem::bad_parameters(faults),
        };
        self.shared.metrics.payment(presented.rail(), outcome.as_str());
        conclude(gate, outcome, context, true, refused).map(Some)
    }

    /// Continues a request with valid parameters. A request with two payments is refused. A request that is too long
    /// to be offered is refused before it is paid.
    fn selling(self, route: &Route, sale: Sale) -> Result<Selling<'a>, Problem> {
        bounded(route, &sale.request)?;
        let Self { shared, gate, presented } = self;
        let gate = gate.ok_or_else(Problem::no_way_to_pay)?;
        let presented = presented.map_err(|repeated| Problem::repeated_payment(repeated.0))?;
        Ok(Selling { shared, gate, sale, presented })
    }
}

impl Selling<'_> {
    /// Sells the answer, or returns the offers.
    pub(super) async fn sell(
        self,
        work: Box<dyn ResolvedRequest>,
        place: ComputePlace,
        context: &RequestContext,
    ) -> Result<Reply, Problem> {
        let Self { shared, gate, mut sale, presented } = self;
        sale.class = work.batch_price().unwrap_or(sale.class);
        let credential = match presented {
            PresentedPayment::Nothing => return Err(required(gate, &sale, None)),
            PresentedPayment::Unusable(reason, _) => return Err(required(gate, &sale, Some(reason))),
            PresentedPayment::Forged(_) => {
                return Err(required(gate, &sale, Some(PaymentReason::Signature)));
            }
            presented @ (PresentedPayment::Payment(_) | PresentedPayment::Channel(_)) => presented,
        };
        let snapshot_id = context.catalog.id().to_owned();
        let panics = shared.metrics.panics.clone();
        let (stamp, path, representation) = (context.stamp, sale.endpoint, context.form());
        // Set to the reason if the compute threads refused to compute the answer.
        let refusal = Arc::new(OnceLock::new());
        let refused = Arc::clone(&refusal);
        let answer = Box::pin(async move {
            let computed = place.due().run(move || compute(work, stamp, representation, snapshot_id, path));
            match CatchPanic(Box::pin(computed)).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(reason)) => {
                    let _ = refused.set(reason);
                    None
                }
                Err(panic) => {
                    panics.inc();
                    tracing::error!(panic, path, "a paid answer panicked; the client receives status 500");
                    None
                }
            }
        });
        let rail = credential.rail();
        let credential = match credential {
            PresentedPayment::Channel(payment) => {
                let price = gate.price(&sale);
                let outcome = gate.channels.take(payment, &sale, price, context.client, answer).await;
                shared.metrics.payment(rail, outcome.as_str());
                if matches!(outcome, ChannelOutcome::Charged { again: false, .. }) {
                    shared.give_back_rate(context);
                }
                return match (&outcome, refusal.get()) {
                    (ChannelOutcome::WorkFailed, Some(&reason)) => Err(shared.overloaded(reason)),
                    _ => channel_reply(gate, &sale, outcome, context),
                };
            }
            PresentedPayment::Payment(credential) => credential,
            _ => return Err(Problem::internal()),
        };
        let outcome = gate.take(*credential, &sale, answer).await;
        shared.metrics.payment(rail, outcome.as_str());
        match (outcome, refusal.get()) {
            (PaymentOutcome::WorkFailed, Some(&reason)) => Err(shared.overloaded(reason)),
            (outcome, _) => {
                conclude(gate, outcome, context, false, |reason| required(gate, &sale, Some(reason)))
            }
        }
    }

    /// Refunds a channel if the payment is a refund request, and then returns the response as `Err`. Nothing is
    /// computed for a refund. Any other payment is returned unchanged.
    pub(super) async fn refund(self, context: &RequestContext) -> Result<Self, Result<Reply, Problem>> {
        let Self { shared, gate, sale, presented } = self;
        match presented {
            PresentedPayment::Channel(payment) if matches!(payment.act, ChannelAct::Refund { .. }) => {
                let rail = payment.rail.as_str();
                let outcome = gate.channels.refund(payment, context.client).await;
                shared.metrics.payment(Some(rail), outcome.as_str());
                Err(channel_reply(gate, &sale, outcome, context))
            }
            presented => Ok(Self { shared, gate, sale, presented }),
        }
    }
}

/// Response body of a refund.
#[derive(Serialize)]
struct RefundAnswer {
    refund: RefundMade,
}

/// A refund that was made.
#[derive(Serialize)]
struct RefundMade {
    /// Id of the channel.
    channel_id: String,
    /// Amount that was refunded, in atomic units.
    amount: String,
    /// Id of the transaction; empty if it is not known.
    transaction: String,
}

/// The response to the outcome of a request on a payment channel.
fn channel_reply(
    gate: &Gate,
    sale: &Sale,
    outcome: ChannelOutcome,
    context: &RequestContext,
) -> Result<Reply, Problem> {
    if let Some((reason, error, out_of_sync)) = told(&outcome) {
        let problem = Problem::payment_required(Some(reason), QuotedPrice::of(gate.price(sale)));
        return Err(problem.with_fields(gate.corrective(sale, error, out_of_sync)));
    }
    match outcome {
        ChannelOutcome::Charged { key, answer, receipt, again } => {
            let tag = etag::of_sold(&key, &answer.body);
            let bought = Bought {
                receipt: receipt_field(receipt),
                media_type: answer.media_type,
                snapshot_id: answer.snapshot_id,
                freshness_seconds: answer.freshness_seconds,
            };
            if again && context.holds(&tag) {
                return Ok(Reply::paid_not_modified(tag, bought));
            }
            Ok(Reply::paid(encode(answer.body, Coding::choose(&context.headers)), tag, bought))
        }
        ChannelOutcome::AnswerExpired { network, receipt } => {
            Err(Problem::answer_expired(network, String::new()).with_fields(receipt_field(receipt)))
        }
        ChannelOutcome::Refunded { id, amount, transaction, receipt } => {
            let refund = RefundMade { channel_id: id.to_string(), amount: amount.to_string(), transaction };
            let body = serde_json::to_vec(&RefundAnswer { refund }).map_err(|error| {
                tracing::error!(
                    %error,
                    "a refund was made, but its answer cannot be encoded; the client receives status 500"
                );
                Problem::internal()
            })?;
            Ok(Reply::refunded(encode(body, Coding::choose(&context.headers)), receipt_field(receipt)))
        }
        ChannelOutcome::Refused(reason) => Err(required(gate, sale, Some(reason))),
        ChannelOutcome::TooMany { retry_after_s } => Err(Problem::payer_limited(retry_after_s)),
        ChannelOutcome::Busy => Err(Problem::channel_busy()),
        ChannelOutcome::WorkFailed => Err(Problem::internal()),
        _ => Err(Problem::payment_unclear()),
    }
}

/// Answers a payment that is already known; see [`Paying::known`].
pub(super) async fn known(
    paying: Option<&Paying<'_>>,
    route: &Route,
    context: &RequestContext,
) -> Result<Option<Reply>, Problem> {
    match paying {
        Some(paying) => paying.known(route, context).await,
        None => Ok(None),
    }
}

/// Continues a request with its payment; see [`Paying::selling`].
pub(super) fn selling<'a>(
    paying: Option<Paying<'a>>,
    route: &Route,
    parsed: &ParsedRequest,
    context: &RequestContext,
) -> Result<Option<Selling<'a>>, Problem> {
    paying.map(|paying| paying.selling(route, sale(route, parsed, context))).transpose()
}

/// Refuses a request that is too long to be offered, if it has to be paid.
pub(super) fn offerable(shared: &Shared, route: &Route, parsed: &ParsedRequest) -> Result<(), Problem> {
    if !shared.must_be_paid(route) {
        return Ok(());
    }
    bounded(route, &route.request(&parsed.canonical_query))
}

/// Refuses a request that is too long to be offered, because the header fields of its offers would be too long.
fn bounded(route: &Route, request: &str) -> Result<(), Problem> {
    let bytes_max = if route.batch { BATCH_BYTES_MAX } else { REQUEST_BYTES_MAX };
    if request.len() > bytes_max {
        return Err(Problem::request_too_long(request.len(), bytes_max));
    }
    Ok(())
}

/// The sale of a paid request at its current price. A batch is resolved to determine the price.
fn priced(route: &Route, parsed: ParsedRequest, context: &RequestContext) -> Result<Sale, Refusal> {
    let mut sale = sale(route, &parsed, context);
    if route.batch {
        let work = parsed.resolve_promptly(&context.catalog)?;
        sale.class = work.batch_price().unwrap_or(sale.class);
    }
    Ok(sale)
}

/// The sale of a paid request. A batch gets the lowest price that it may cost.
fn sale(route: &Route, parsed: &ParsedRequest, context: &RequestContext) -> Sale {
    Sale {
        endpoint: route.path,
        summary: route.summary,
        request: route.request(&parsed.canonical_query),
        class: parsed.price,
        media_type: context.form().media_type(),
    }
}

/// 402 with every offer, or 503 if no rail is open.
fn required(gate: &Gate, sale: &Sale, reason: Option<PaymentReason>) -> Problem {
    match gate.challenge(sale, reason) {
        Ok(offers) => {
            Problem::payment_required(reason, QuotedPrice::of(gate.price(sale))).with_fields(offers)
        }
        Err(_) => Problem::no_way_to_pay(),
    }
}

/// The response to the outcome of a payment. A 304 is possible only if the payment was settled `before` this request.
/// `refused` builds the refusal with new offers.
fn conclude(
    gate: &Gate,
    outcome: PaymentOutcome,
    context: &RequestContext,
    before: bool,
    refused: impl FnOnce(PaymentReason) -> Problem,
) -> Result<Reply, Problem> {
    match outcome {
        PaymentOutcome::Paid(row, answer) => {
            let tag = etag::of_sold(&row.claim.key.0, &answer.body);
            let bought = Bought {
                receipt: gate.receipt(&row),
                media_type: answer.media_type,
                snapshot_id: answer.snapshot_id,
                freshness_seconds: answer.freshness_seconds,
            };
            if before && context.holds(&tag) {
                return Ok(Reply::paid_not_modified(tag, bought));
            }
            Ok(Reply::paid(encode(answer.body, Coding::choose(&context.headers)), tag, bought))
        }
        PaymentOutcome::AnswerExpired(row) => {
            let transaction = row.transaction.clone().unwrap_or_default();
            let problem = Problem::answer_expired(row.claim.network.clone(), transaction);
            Err(problem.with_fields(gate.receipt(&row)))
        }
        PaymentOutcome::InProgress => Err(Problem::payment_in_progress()),
        PaymentOutcome::Refused(reason, row) => {
            let failure = row.and_then(|row| gate.no_receipt(&row));
            Err(refused(reason).with_fields(failure))
        }
        PaymentOutcome::TooManyFailures { retry_after_s } => Err(Problem::payer_limited(retry_after_s)),
        PaymentOutcome::Unclear(row) => {
            let pending = row.and_then(|row| gate.no_receipt(&row));
            Err(Problem::payment_unclear().with_fields(pending))
        }
        PaymentOutcome::WorkFailed => Err(Problem::internal()),
    }
}

/// Computes the answer that is sold.
fn compute(
    work: Box<dyn ResolvedRequest>,
    stamp: Stamp,
    representation: &dyn Representation,
    snapshot_id: String,
    path: &str,
) -> Option<StoredAnswer> {
    match work.run(stamp, representation) {
        Ok(body) => Some(StoredAnswer {
            body,
            media_type: representation.media_type().to_owned(),
            snapshot_id,
            freshness_seconds: stamp.freshness_seconds,
        }),
        Err(error) => {
            tracing::error!(%error, path, "an answer cannot be encoded");
            None
        }
    }
}

/// 503: payments cannot be taken if the ledger cannot be read.
fn not_written(error: &StoreError) -> Problem {
    tracing::error!(%error, "the ledger cannot be read for a payment; the client receives status 503");
    Problem::payment_unclear()
}

impl Shared {
    /// Gives a charged channel request back to its client's rate, so that clients that pay for each request are not
    /// limited.
    fn give_back_rate(&self, context: &RequestContext) {
        if let (Some(rate), Some(budget)) = (&self.rate, &context.budget) {
            rate.give_back(context.client, budget);
        }
    }

    /// Whether a payment is required for the answers of a route.
    pub fn must_be_paid(&self, route: &Route) -> bool {
        !route.is_free() && (self.gate().is_some() || self.payments != Mode::Off)
    }

    /// The price of the answers of a route in words; `None` if they are free on this server.
    pub fn price(&self, path: &str) -> Option<String> {
        let route = self.route(path).filter(|route| self.must_be_paid(route))?;
        self.prices.words(route)
    }

    /// Computes the answer to a canonical request from the catalog in use, for a payment whose client no longer waits.
    /// `media_type` is the type that the client requested. Returns `None` if the request can no longer be served.
    pub fn answer_again(&self, request: &str, media_type: &str) -> Option<StoredAnswer> {
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let (catalog, route) = (self.catalog(), self.route(path)?);
        let work = route.parse(query, catalog.as_of()).ok()?.resolve(&catalog).ok()?;
        let wanted = self.representations.iter().find(|known| known.media_type() == media_type);
        let representation: &dyn Representation = wanted.map_or(&Json, |wanted| *wanted);
        compute(
            work,
            super::request_context::stamp_of(&catalog),
            representation,
            catalog.id().to_owned(),
            route.path,
        )
    }
}
