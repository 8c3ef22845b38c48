//! The payment steps of a request: what is known of a payment, the offers of an unpaid request, and the way of a paid
//! one. What is decided there is decided in [`crate::payment`]; here it becomes a response.

use std::sync::{Arc, OnceLock};

use super::encoding::{Coding, encode};
use super::etag;
use super::panics::CatchPanic;
use super::problem::Problem;
use super::respond::{Bought, Reply};
use super::shared::Shared;
use super::visit::Visit;
use crate::compute::Place;
use crate::payment::Mode;
use crate::payment::core::claim::{StoreError, StoredAnswer};
use crate::payment::core::credential::PresentedPayment;
use crate::payment::core::gate::Gate;
use crate::payment::core::offer::Sale;
use crate::payment::core::outcome::{PaymentOutcome, PaymentReason};
use crate::payment::core::prices::QuotedPrice;
use crate::query::endpoint::{ResolvedRequest, Stamp};
use crate::query::representation::{Json, Representation};

/// A request for a paid route at a server that takes payments.
pub(super) struct Paying<'a> {
    shared: &'a Shared,
    gate: &'a Gate,
    sale: Sale,
    presented: PresentedPayment,
}

impl<'a> Paying<'a> {
    /// Reads the payment that came with a request; `None` where nobody has to pay. HEAD never pays.
    pub(super) fn begin(shared: &'a Shared, sale: Sale, visit: &Visit) -> Result<Option<Self>, Problem> {
        let gate = match shared.gate() {
            None if shared.payments == Mode::Off => return Ok(None),
            // Nothing is given away while there is no gate.
            None => return Err(Problem::no_way_to_pay()),
            Some(gate) => gate,
        };
        let presented = if visit.is_head() {
            PresentedPayment::Nothing
        } else {
            gate.present(&visit.headers).map_err(|repeated| Problem::repeated_payment(repeated.0))?
        };
        Ok(Some(Self { shared, gate, sale, presented }))
    }

    /// A payment that is known already is answered by its state.
    pub(super) async fn known(&self, visit: &Visit) -> Result<Option<Reply>, Problem> {
        let PresentedPayment::Payment(credential) = &self.presented else { return Ok(None) };
        let known = self.gate.known(credential, &self.sale).await.map_err(|error| not_written(&error))?;
        let Some(outcome) = known else { return Ok(None) };
        self.conclude(outcome, visit, true).map(Some)
    }

    /// Sells the answer, or says how to pay for it.
    pub(super) async fn sell(
        mut self,
        work: Box<dyn ResolvedRequest>,
        place: Place,
        visit: &Visit,
    ) -> Result<Reply, Problem> {
        let credential = match std::mem::replace(&mut self.presented, PresentedPayment::Nothing) {
            PresentedPayment::Nothing => return Err(self.required(None)),
            PresentedPayment::Unusable(reason) => return Err(self.required(Some(reason))),
            PresentedPayment::Payment(credential) => credential,
        };
        let snapshot_id = visit.catalog.id().to_owned();
        let panics = self.shared.metrics.panics.clone();
        let (stamp, path, representation) = (visit.stamp, self.sale.endpoint, visit.representation);
        // Why the answer was not computed, where that was for want of room.
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
                    tracing::error!(panic, path, "a paid answer panicked");
                    None
                }
            }
        });
        let outcome = self.gate.take(*credential, &self.sale, answer).await;
        match (outcome, refusal.get()) {
            (PaymentOutcome::WorkFailed, Some(&reason)) => Err(self.shared.overloaded(reason)),
            (outcome, _) => self.conclude(outcome, visit, false),
        }
    }

    /// 402 with every offer, or 503 when there is none.
    fn required(&self, reason: Option<PaymentReason>) -> Problem {
        match self.gate.challenge(&self.sale, reason) {
            Ok(offers) => Problem::payment_required(reason, QuotedPrice::of(self.gate.price(&self.sale)))
                .with_fields(offers),
            Err(_) => Problem::no_way_to_pay(),
        }
    }

    /// The response to what a payment came to. Only one that was settled before can be held by the client.
    fn conclude(&self, outcome: PaymentOutcome, visit: &Visit, before: bool) -> Result<Reply, Problem> {
        self.shared.metrics.payment(None, outcome.as_str());
        match outcome {
            PaymentOutcome::Paid(row, answer) => {
                let tag = etag::of_sold(&row.claim.key.0, &answer.body);
                let bought = Bought {
                    receipt: self.gate.receipt(&row),
                    media_type: answer.media_type,
                    snapshot_id: answer.snapshot_id,
                    freshness_seconds: answer.freshness_seconds,
                };
                if before && visit.holds(&tag) {
                    return Ok(Reply::paid_not_modified(tag, bought));
                }
                Ok(Reply::paid(encode(answer.body, Coding::choose(&visit.headers)), tag, bought))
            }
            PaymentOutcome::AnswerExpired(row) => {
                let transaction = row.transaction.clone().unwrap_or_default();
                let problem = Problem::answer_expired(row.claim.network.clone(), transaction);
                Err(problem.with_fields(self.gate.receipt(&row)))
            }
            PaymentOutcome::InProgress => Err(Problem::payment_in_progress()),
            PaymentOutcome::Refused(reason, row) => {
                let failure = row.and_then(|row| self.gate.no_receipt(&row));
                Err(self.required(Some(reason)).with_fields(failure))
            }
            PaymentOutcome::Unclear(row) => {
                let pending = row.and_then(|row| self.gate.no_receipt(&row));
                Err(Problem::payment_unclear().with_fields(pending))
            }
            PaymentOutcome::WorkFailed => Err(Problem::internal()),
        }
    }
}

/// Computes what is sold.
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

/// Without the ledger no payment is taken.
fn not_written(error: &StoreError) -> Problem {
    tracing::error!(%error, "a payment cannot be looked up");
    Problem::payment_unclear()
}

impl Shared {
    /// Computes the answer of a canonical request from the catalog in use, for a payment that nobody waits for any
    /// more. `None` when it can no longer be served.
    pub fn answer_again(&self, request: &str) -> Option<StoredAnswer> {
        let (path, query) = request.split_once('?').unwrap_or((request, ""));
        let (catalog, route) = (self.catalog(), self.route(path)?);
        let work = route.parse(query, catalog.as_of()).ok()?.resolve(&catalog).ok()?;
        compute(work, super::visit::stamp_of(&catalog), &Json, catalog.id().to_owned(), route.path)
    }
}
