//! The outcome of a request, on a page: an answer, a quote where it has to be paid for, or a refusal with its reason.

use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::place;
use super::query_string::QueryString;
use super::tables::Tables;
use crate::endpoints::CATEGORY_CONCENTRATION;
use crate::payment::Mode;
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::descriptor::Descriptor;
use crate::query::endpoint::Route;
use crate::query::json_text::{JsonText, indented};
use crate::query::refusal::misnamed;
use crate::server::pages::Visitor;
use crate::server::quote;

/// Where what errors mean is explained.
const PROBLEMS: &str = "/problems/";

/// The reason of a refusal where no listing has a brand.
const NO_BRAND: &str = "no_brand";
/// The parameter that chooses what rows stand for.
const AGGREGATE_BY: &str = "aggregate_by";

/// The outcome of a request.
pub(crate) struct Outcome {
    /// The request, path and query.
    request: String,
    status: StatusCode,
    said: OutcomeBody,
    /// Amount that the page paid with test money, in atomic USDC.
    paid: Option<u64>,
}

enum OutcomeBody {
    /// The answer's JSON.
    Answer(String),
    /// The quote's JSON: the answer has to be paid for.
    Quote(String),
    Refusal(Box<Refused>),
}

/// A parameter that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Fault {
    /// Its name.
    pub(super) parameter: String,
    /// The reason of the refusal.
    pub(super) reason: String,
}

/// A problem document, as far as a page shows it.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Refused {
    #[serde(rename = "type")]
    kind: String,
    detail: String,
    error: RefusedError,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct RefusedError {
    code: String,
    message: String,
    details: RefusedDetails,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct RefusedDetails {
    reason: String,
    parameters: Vec<Fault>,
    suggestions: Option<Vec<String>>,
    nearest: Vec<Nearest>,
    other_country: Option<String>,
    serving_eligible_retailers: Vec<String>,
}

/// A product that is not near enough.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Nearest {
    product_name: String,
}

impl Refused {
    /// Reads a problem document, or the bare error that some routes give.
    fn read(body: &[u8]) -> Self {
        let whole: Self = serde_json::from_slice(body).unwrap_or_default();
        if !whole.error.code.is_empty() {
            return whole;
        }
        Self { error: serde_json::from_slice(body).unwrap_or_default(), ..Self::default() }
    }
}

impl Outcome {
    /// Asks as the visitor. What has to be paid for is quoted.
    pub(in crate::web) async fn of(visitor: &Visitor<'_>, route: &Route, asked: &QueryString) -> Self {
        let request = route.request(&asked.query());
        let must_pay = visitor.shared.must_be_paid(route);
        let target = if must_pay { quote::target_of(&request) } else { request.clone() };
        let response = visitor.ask(&target).await.ok();
        Self::read(request, response, must_pay, None)
    }

    /// Asks as the visitor. In a sandbox, what has to be paid for is bought with the test money of `wallet`; elsewhere it
    /// is quoted.
    pub(in crate::web) async fn bought(
        visitor: &Visitor<'_>,
        wallet: Option<&Wallet>,
        route: &Route,
        asked: &QueryString,
    ) -> Self {
        let is_sold = visitor.shared.must_be_paid(route) && visitor.shared.payments == Mode::Sandbox;
        let Some(wallet) = wallet.filter(|_| is_sold) else { return Self::of(visitor, route, asked).await };
        let request = route.request(&asked.query());
        let (response, paid) = visitor.buy(wallet, &request).await.ok().unzip();
        Self::read(request, response, false, paid.flatten())
    }

    fn read(request: String, response: Option<Response<Bytes>>, is_quote: bool, paid: Option<u64>) -> Self {
        // Forms encode their fields, so only a request that is far too long is not a request.
        let (status, body) = response.map_or((StatusCode::URI_TOO_LONG, Bytes::new()), |response| {
            (response.status(), response.into_body())
        });
        let said = match (status, std::str::from_utf8(&body)) {
            (StatusCode::OK, Ok(body)) if is_quote => OutcomeBody::Quote(body.to_owned()),
            (StatusCode::OK, Ok(body)) => OutcomeBody::Answer(body.to_owned()),
            _ => OutcomeBody::Refusal(Box::new(Refused::read(&body))),
        };
        Self { request, status, said, paid: paid.filter(|_| status == StatusCode::OK) }
    }

    /// Amount that the page paid for the answer with test money, in atomic USDC.
    pub(in crate::web) fn paid(&self) -> Option<u64> {
        self.paid
    }

    /// Whether the server refused the request.
    pub(in crate::web) fn is_refusal(&self) -> bool {
        matches!(self.said, OutcomeBody::Refusal(_))
    }

    /// Why there is no answer: the reason's word, and the message.
    pub(in crate::web) fn refusal(&self) -> Option<(&str, &str)> {
        match &self.said {
            OutcomeBody::Refusal(refused) => {
                Some((&refused.error.details.reason, refused.error.message.as_str()))
            }
            OutcomeBody::Answer(_) | OutcomeBody::Quote(_) => None,
        }
    }

    /// The answer, read.
    pub(in crate::web) fn json(&self) -> Option<JsonText> {
        JsonText::read(self.answer()?).ok()
    }

    /// The quote, read.
    pub(in crate::web) fn quote(&self) -> Option<JsonText> {
        match &self.said {
            OutcomeBody::Quote(json) => JsonText::read(json).ok(),
            OutcomeBody::Answer(_) | OutcomeBody::Refusal(_) => None,
        }
    }

    /// Status of the page: that of the answer.
    pub(in crate::web) fn status(&self) -> StatusCode {
        self.status
    }

    /// The answer's JSON.
    pub(in crate::web) fn answer(&self) -> Option<&str> {
        match &self.said {
            OutcomeBody::Answer(json) => Some(json),
            OutcomeBody::Quote(_) | OutcomeBody::Refusal(_) => None,
        }
    }

    /// Parameters that were refused.
    pub(super) fn faults(&self) -> &[Fault] {
        match &self.said {
            OutcomeBody::Refusal(refused) => &refused.error.details.parameters,
            OutcomeBody::Answer(_) | OutcomeBody::Quote(_) => &[],
        }
    }

    /// The part of a page that shows it; links ask that page again.
    pub(in crate::web) fn section(&self, page: &str, route: &Route, asked: &QueryString) -> Markup {
        html! {
            section class="outcome" aria-labelledby="outcome-title" data-request=(self.request) data-status=(self.status.as_u16()) {
                @match &self.said {
                    OutcomeBody::Answer(json) => {
                        h2 id="outcome-title" tabindex="-1" { "Answer" }
                        (answered(route, asked, json))
                    }
                    OutcomeBody::Quote(json) => {
                        h2 id="outcome-title" tabindex="-1" { "Quote" }
                        p class="note" {
                            "This request can be answered, and the answer has to be paid for. Nothing was charged: a program \
                             below pays for it and gets it."
                        }
                        (shown(route, asked, json))
                    }
                    OutcomeBody::Refusal(refused) => {
                        h2 id="outcome-title" tabindex="-1" { "No answer" }
                        (refused.shown(page, route, asked, self.status))
                    }
                }
            }
        }
    }

    /// The picture of the answer with its table.
    pub(in crate::web) fn picture(&self, route: &'static Descriptor, asked: &QueryString) -> Option<Markup> {
        let OutcomeBody::Answer(json) = &self.said else { return None };
        let answer = JsonText::read(json).ok()?;
        let tables = Tables::new(route, asked, &answer);
        let picture = tables.picture()?;
        Some(html! {
            section class="outcome" aria-label=(picture.title) data-request=(self.request) data-status=(self.status.as_u16()) {
                (data(json))
                (tables.figure(picture))
                details class="twin" { summary { "The same as a table" } (tables.rows(picture.rows)) }
            }
        })
    }
}

/// The answer with its picture, its tables and its JSON.
fn answered(route: &Route, asked: &QueryString, json: &str) -> Markup {
    let cursor = JsonText::read(json).ok().and_then(|answer| answer.field("next_cursor")?.cell());
    html! {
        (data(json))
        (shown(route, asked, json))
        @if let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) {
            p { a rel="next" class="next" href={ (place(route.path)) "?" (asked.with("cursor", &cursor).query()) } { "Next page" } }
        }
    }
}

fn shown(route: &Route, asked: &QueryString, json: &str) -> Markup {
    html! {
        @match JsonText::read(json) {
            Ok(answer) => (Tables::new(route.descriptor, asked, &answer).whole()),
            Err(fault) => p class="error" { (fault) },
        }
        details class="json" {
            summary { "JSON" }
            pre tabindex="0" { code { (indented(json)) } }
        }
    }
}

/// The answer's JSON for scripts. It is data and never run; nothing in it can end the element.
fn data(json: &str) -> Markup {
    let safe = json.replace('<', "\\u003c");
    html! { script type="application/json" class="answer" { (PreEscaped(safe)) } }
}

/// The same question about retailers, where no listing has a brand.
fn by_retailer(route: &Route, page: &str, asked: &QueryString) -> String {
    let by_retailer = asked.with(AGGREGATE_BY, "retailer");
    if route.params.iter().any(|param| param.name == AGGREGATE_BY) {
        return format!("{page}?{}", by_retailer.query());
    }
    format!("{}?{}", place(CATEGORY_CONCENTRATION.path), by_retailer.query())
}

/// Where the catalog says what can be asked for.
fn what_there_is(asked: &QueryString) -> Markup {
    let country = asked.value("country").unwrap_or("us");
    html! {
        p {
            "What there is: "
            @for (at, (name, query)) in [("categories", ""), ("brands", "&q=a"), ("retailers", "")].into_iter().enumerate() {
                @if at > 0 { ", " }
                a href={ (place("/v1/public/")) (name) "?country=" (country) (query) } { (name) }
            }
            "."
        }
    }
}

/// The sentence shown where the server failed to answer.
pub(crate) fn failed(status: StatusCode) -> Markup {
    html! { p class="error" { "The server answered " (status.as_u16()) ". Try again in a moment." } }
}

impl Refused {
    fn shown(&self, page: &str, route: &Route, asked: &QueryString, status: StatusCode) -> Markup {
        let Self { kind, detail, error } = self;
        let details = &error.details;
        let again = |name: &str, value: &str| format!("{page}?{}", asked.with(name, value).query());
        let has = |name: &str| route.params.iter().any(|param| param.name == name);
        let is_asked = |name: &&&str| asked.value(name).is_some() && has(name);
        let named = misnamed(&details.reason).iter().find(is_asked);
        html! {
            @if error.code.is_empty() { (failed(status)) } @else {
                p class="error" { (error.message) }
                @if !details.parameters.is_empty() {
                    ul {
                        @for fault in &details.parameters {
                            li {
                                @if has(&fault.parameter) { a href={ "#p-" (fault.parameter) } { (fault.parameter) } }
                                @else { (fault.parameter) }
                                ": " (fault.reason)
                            }
                        }
                    }
                } @else if !detail.is_empty() { p { (detail) } }
                @if let (Some(name), Some(suggestions)) = (named, &details.suggestions) {
                    @if !suggestions.is_empty() {
                        p { "Did you mean" }
                        ul { @for suggestion in suggestions { li { a href=(again(name, suggestion)) { (suggestion) } } } }
                    }
                }
                @if details.reason == NO_BRAND { p { a href=(by_retailer(route, page, asked)) { "Compare its retailers instead" } } }
                @if has("q") && !details.nearest.is_empty() {
                    p { "Nearest products" }
                    ul { @for Nearest { product_name } in &details.nearest {
                        li { a href=(again("q", product_name)) { (product_name) } }
                    } }
                }
                @if let Some(country) = &details.other_country {
                    p { a href=(again("country", country)) { "Ask in " (country.to_uppercase()) } }
                }
                @if !details.serving_eligible_retailers.is_empty() && has("retailer") {
                    p { "Retailers that can be asked for" }
                    ul { @for retailer in details.serving_eligible_retailers.iter().take(20) {
                        li { a href=(again("retailer", retailer)) { (retailer) } }
                    } }
                }
                @if status == StatusCode::NOT_FOUND { (what_there_is(asked)) }
                @let code = error.code.to_lowercase().replace('_', "-");
                @let page = if kind.is_empty() { format!("{PROBLEMS}{code}") } else { kind.clone() };
                p { "Error " a href=(page) { code { (error.code) } } ", status " (status.as_u16()) "." }
            }
        }
    }
}
