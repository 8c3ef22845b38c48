//! The steps of a request, from its head to its answer, in one function.
//!
//! ```text
//! host (400) ─▶ target length (414) ─▶ path (404) ─▶ method (405) ─▶ rate (429) ─▶ unread answers (503)
//!   ─▶ known payment (its state) ─▶ representation (406) ─▶ parameters (400, all faults at once)
//!   ─▶ offer length (414) ─▶ sound catalog, admission (503) ─▶ resolve (404)
//!   ─▶ payment (402) ─▶ unchanged free answer (304) ─▶ compute ─▶ encode
//! ```
//!
//! Cheap refusals come first, and no error is charged. A request whose payment is already known is answered before it
//! is checked against the snapshot in use. A step that refuses returns a [`Problem`]. A quote takes the same steps up
//! to `resolve`, so it is refused for the same reasons.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};

use super::accept_loop::{Handler, Peer};
use super::encoding::{Coding, encode, encode_shared};
use super::panics::CatchPanic;
use super::paying::{Paying, known, offerable, selling};
use super::problem::Problem;
use super::quote::{Quote, REQUEST};
use super::request_context::RequestContext;
use super::respond::{CORS_REQUEST_HEADERS, Reply};
use super::state::{Page, Shared};
use super::{METHODS, TARGET_BYTES_MAX, content_negotiation, etag, host, quote};
use crate::endpoints::BEST_PRICE;
use crate::payment::core::gate::Gate;
use crate::query::descriptor::PriceClass;
use crate::query::endpoint::{ParsedRequest, ResolvedRequest, Route};
use crate::query::params::{BadParameter, Reader};
use crate::query::refusal::Refusal;
use crate::query::suggest;
use crate::server::compute::ComputePlace;
use crate::server::telemetry::ConnectionRefusal;
use crate::types::Day;

impl Handler for Shared {
    async fn handle(self: Arc<Self>, peer: Peer, request: Request<Incoming>) -> Response<Bytes> {
        // Requests have no body. A body that a client sends is not read.
        let (head, _) = request.into_parts();
        answer(&self, peer, head).await
    }

    fn connections(&self, change: i64) {
        self.metrics.connections.inc_by(change);
    }

    fn refused(&self, reason: ConnectionRefusal) {
        self.metrics.refused(reason);
    }
}

/// Answers a request: runs the steps, adds the common headers and logs one event.
pub(super) async fn answer(shared: &Shared, peer: Peer, head: Parts) -> Response<Bytes> {
    let mut context = RequestContext::begin(shared, peer, head);
    let outcome = guarded(shared, steps(shared, &mut context)).await;
    let target = Target::of(shared, context.uri.path());
    let reply = outcome.unwrap_or_else(|problem| {
        let bare = matches!(target, Some(Target::Route(route)) if route.bare_errors);
        Reply::problem(&problem, context.uri.path(), bare)
    });
    let path = target.map(|target| target.path());
    finish(shared, &context, path, reply)
}

/// Runs the steps of a request. A panic becomes a 500 and does not end the process.
pub(super) async fn guarded(
    shared: &Shared,
    steps: impl Future<Output = Result<Reply, Problem>>,
) -> Result<Reply, Problem> {
    CatchPanic(Box::pin(steps)).await.unwrap_or_else(|panic| {
        shared.metrics.panics.inc();
        tracing::error!(
            panic,
            "a request panicked; the client receives status 500, and the server continues"
        );
        Err(Problem::internal())
    })
}

/// Adds the common headers to a reply, counts it under `path` and logs it.
pub(super) fn finish(
    shared: &Shared,
    context: &RequestContext,
    path: Option<&'static str>,
    reply: Reply,
) -> Response<Bytes> {
    let mut response = reply.into_response(shared, context);
    if let Some(unread) = &context.unread {
        response.extensions_mut().insert(Arc::clone(unread));
    }
    let elapsed = context.began.elapsed();
    shared.metrics.request(path, response.status().as_u16(), elapsed);
    if shared.access.takes(response.status().as_u16()) {
        tracing::info!(
            target: "pricebook::access",
            method = context.method.as_str(),
            path = context.uri.path(),
            query = context.uri.query().unwrap_or_default(),
            status = response.status().as_u16(),
            micros = elapsed.as_micros() as u64,
            client = %context.client,
            request_id = context.id.to_str().unwrap_or_default(),
            snapshot_id = context.catalog.id(),
        );
    }
    response
}

/// The steps of a request. The catalog was taken when the context was created. Parameters, and all steps after them,
/// use that catalog.
async fn steps(shared: &Shared, context: &mut RequestContext) -> Result<Reply, Problem> {
    // Host (400), target (414), route (404), method (405).
    host::check(context, shared.host.as_deref())?;
    if context.target_bytes() > TARGET_BYTES_MAX {
        return Err(Problem::target_too_long(context.target_bytes()));
    }
    let target = Target::of(shared, context.uri.path()).ok_or_else(Problem::unknown_path)?;
    match context.method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Ok(Reply::preflight(METHODS, CORS_REQUEST_HEADERS)),
        _ => return Err(Problem::method_not_allowed()),
    }
    // Rate (429) and unread answers (503). From here on every response carries the state of the rate.
    context.admit(shared)?;
    // A page takes no parameters and needs neither admission to the compute threads nor payment.
    let query = context.uri.query().unwrap_or_default();
    let route = match target {
        Target::Route(route) => route,
        Target::Page(page) => return answer_page(shared, page, query, context),
        Target::Quote => {
            let asked = requested_route(shared, query, context.catalog.as_of());
            let (route, query) = asked.map_err(Problem::bad_parameters)?;
            let parsed = route.parse(&query, context.catalog.as_of()).map_err(Problem::bad_parameters)?;
            return answer_quote(shared, context, route, parsed).await;
        }
    };
    context.representation = content_negotiation::choose(&context.headers, shared.offered(route));
    // A request whose payment is already known is answered according to the state of the payment (200, 402, 409, 410,
    // 429, 503).
    let paying = Paying::begin(shared, route, context);
    if let Some(reply) = known(paying.as_ref(), route, context).await? {
        return Ok(reply);
    }
    // The client must accept a representation of the answer (406).
    if context.representation.is_none() {
        return Err(shared.not_acceptable(route));
    }
    // Parameters (400), with all errors at once.
    let parsed = route.parse(query, context.catalog.as_of()).map_err(Problem::bad_parameters)?;
    // A quote instead of the answer. Payment headers are ignored.
    if parsed.quote {
        return answer_quote(shared, context, route, parsed).await;
    }
    let free = parsed.price == PriceClass::Free;
    let tag = free.then(|| etag::of_answer(context, route.path, &parsed.canonical_query));
    // The request must be short enough to be offered (414) and carry at most one payment (400). A refund of a payment
    // channel is answered here (200, 402, 429, 503), because nothing is computed for it.
    let selling = match selling(paying, route, &parsed, context)? {
        Some(selling) => match selling.refund(context).await {
            Ok(selling) => Some(selling),
            Err(refunded) => return refunded,
        },
        None => None,
    };
    // The catalog must be sound, and the queue of heavy requests must not be full (503).
    let place = shared.admit(route.heavy, context.client, &context.catalog)?;
    // The catalog must contain data for the request (404).
    let work = resolve(shared, context, parsed).await?;
    // Payment (402). The answer is computed between verification and settlement.
    if let Some(selling) = selling {
        return tokio::select! {
            biased;
            reply = selling.sell(work, place, context) => reply,
            () = context.hung_up() => Err(Problem::payment_unclear()),
        };
    }
    // A free answer that the client already has (304).
    if let Some(tag) = tag.as_ref().filter(|tag| context.holds(tag)) {
        return Ok(Reply::not_modified(tag.clone()));
    }
    computed(shared, context, route, work, place, tag).await
}

/// Computes and encodes a free answer.
async fn computed(
    shared: &Shared,
    context: &RequestContext,
    route: &Route,
    work: Box<dyn ResolvedRequest>,
    place: ComputePlace,
    tag: Option<HeaderValue>,
) -> Result<Reply, Problem> {
    let (stamp, coding, representation) = (context.stamp, Coding::choose(&context.headers), context.form());
    // A free answer that is being sent to another client is shared.
    if let Some(found) = tag.as_ref().and_then(|tag| shared.bodies.find(tag, coding)) {
        return Ok(Reply::answer(found, representation.content_type(), tag));
    }
    let answer = place
        .run(move || work.run(stamp, representation).map(|body| encode(body, coding)))
        .await
        .map_err(|reason| shared.overloaded(reason))?
        .map_err(|error| {
            tracing::error!(%error, path = route.path, "an answer cannot be encoded");
            Problem::internal()
        })?;
    let answer = match &tag {
        Some(tag) => shared.bodies.share(tag, coding, answer),
        None => answer,
    };
    Ok(Reply::answer(answer, representation.content_type(), tag))
}

/// Resolves a request against the catalog of the request context.
async fn resolve(
    shared: &Shared,
    context: &RequestContext,
    parsed: ParsedRequest,
) -> Result<Box<dyn ResolvedRequest>, Problem> {
    match parsed.resolve_promptly(&context.catalog) {
        Ok(work) => Ok(work),
        Err(refusal) => Err(complete(shared, context, refusal).await.into()),
    }
}

/// Adds suggestions to a refusal. The suggestions are looked up on a compute thread and count as several requests
/// against the client's rate. If the queue is full or the client does not have enough requests left, the refusal has no
/// suggestions.
async fn complete(shared: &Shared, context: &RequestContext, refusal: Refusal) -> Refusal {
    let is_worth_it = || shared.rate.as_ref().is_none_or(|rate| rate.take_costly(context.client));
    if !suggest::is_open(&refusal) || !is_worth_it() {
        return refusal;
    }
    let Ok(place) = shared.compute.admit(true, context.client) else { return refusal };
    let (open, catalog) = (refusal.clone(), Arc::clone(&context.catalog));
    place.run(move || suggest::complete(open, &catalog)).await.unwrap_or(refusal)
}

/// The target of a request.
enum Target<'a> {
    Route(&'a Route),
    Page(&'a Page),
    /// The quotes of paid routes.
    Quote,
}

impl<'a> Target<'a> {
    fn of(shared: &'a Shared, path: &str) -> Option<Self> {
        let table = || shared.route(path).map(Self::Route).or_else(|| shared.page(path).map(Self::Page));
        if path == quote::PATH { Some(Self::Quote) } else { table() }
    }

    /// The declared path, under which the request is counted.
    fn path(&self) -> &'static str {
        match self {
            Self::Route(route) => route.path,
            Self::Page(page) => page.path,
            Self::Quote => quote::PATH,
        }
    }
}

/// Answers with the price of a request, the ways to pay and the subject of the request. A quote takes the steps of the
/// request up to the payment, so it is refused for the same reasons: length (414), catalog and admission (503), resolve
/// (404).
async fn answer_quote(
    shared: &Shared,
    context: &RequestContext,
    route: &Route,
    parsed: ParsedRequest,
) -> Result<Reply, Problem> {
    offerable(shared, route, &parsed)?;
    let _place = shared.admit(route.heavy, context.client, &context.catalog)?;
    let price = parsed.price;
    let work = resolve(shared, context, parsed).await?;
    let price = work.batch_price().unwrap_or(price);
    let rails = shared.gate().map(Gate::rails).unwrap_or_default();
    let quote = Quote::new(route.path, shared.prices.of(price), rails, work.subject());
    let body = serde_json::to_vec(&quote).map_err(|error| {
        tracing::error!(%error, path = route.path, "a quote cannot be encoded");
        Problem::internal()
    })?;
    Ok(Reply::quote(encode(body, Coding::choose(&context.headers))))
}

/// Answers with a page, or with 304 if the client already has it.
fn answer_page(
    shared: &Shared,
    page: &Page,
    query: &str,
    context: &RequestContext,
) -> Result<Reply, Problem> {
    Reader::new(query, context.catalog.as_of()).finish().map_err(Problem::bad_parameters)?;
    let tag = etag::of_page(&page.body);
    if context.holds(&tag) {
        return Ok(Reply::page_not_modified(tag));
    }
    let coding = Coding::choose(&context.headers);
    let encoded = || shared.bodies.share(&tag, coding, encode_shared(page.body.clone(), coding));
    let body = shared.bodies.find(&tag, coding).unwrap_or_else(encoded);
    Ok(Reply::page(body, page.media_type, tag))
}

/// The paid route whose quote is requested, and the query of the paid request.
///
/// # Errors
/// Returns an error that lists every bad parameter, for example if the requested path is not that of a paid route.
pub(super) fn requested_route<'a>(
    shared: &'a Shared,
    query: &str,
    as_of: Day,
) -> Result<(&'a Route, String), Vec<BadParameter>> {
    let mut reader = Reader::new(query, as_of);
    let request = reader.required_text(&REQUEST);
    reader.finish()?;
    let (path, query) = request.split_once('?').unwrap_or((&request, ""));
    let refused = |reason| Err(vec![BadParameter::new(REQUEST.name, reason)]);
    match shared.route(path) {
        Some(route) if route.is_free() => refused("is free, so it has no price; send the request itself"),
        Some(route) => Ok((route, query.to_owned())),
        None => Err(vec![BadParameter::new(
            REQUEST.name,
            format!(
                "does not begin with a paid path; give path and query, such as {}, percent-encoded",
                BEST_PRICE.request("q=tea")
            ),
        )]),
    }
}
