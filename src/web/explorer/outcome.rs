//! The outcome of a request, on a page: an answer, a quote where it has to be paid for, or a refusal with its reason.

use hyper::body::Bytes;
use hyper::{Response, StatusCode};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::query_string::QueryString;
use super::tables::Tables;
use super::{PATH, place};
use crate::endpoints::CATEGORY_CONCENTRATION;
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::descriptor::Descriptor;
use crate::query::endpoint::Route;
use crate::query::json_text::{JsonText, indented};
use crate::query::refusal::misnamed;
use crate::server::pages::Visitor;
use crate::server::quote;
use crate::types::Country;

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
    body: OutcomeBody,
    /// Amount that the page paid with test money, in atomic USDC.
    paid: Option<u64>,
}

enum OutcomeBody {
    Answer(Document),
    /// The answer has to be paid for.
    Quote(Document),
    Refusal(Box<Refused>),
}

/// JSON as it was sent, and read.
struct Document {
    text: String,
    json: JsonText,
}

impl Document {
    fn read(body: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?.to_owned();
        Some(Self { json: JsonText::read(&text).ok()?, text })
    }
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
    /// Asks as the visitor. An answer that has to be paid for is quoted.
    pub(in crate::web) async fn ask(visitor: &Visitor<'_>, route: &Route, asked: &QueryString) -> Self {
        let request = route.request(&asked.query());
        let must_pay = visitor.shared.must_be_paid(route);
        let target = if must_pay { quote::target_of(&request) } else { request.clone() };
        let response = visitor.ask(&target).await.ok();
        let body = if must_pay { OutcomeBody::Quote } else { OutcomeBody::Answer };
        Self::read(request, response, body, None)
    }

    /// Asks as the visitor. An answer that has to be paid for is bought with the test money of `wallet`, and quoted where
    /// there is no wallet, or no offer that it can pay.
    pub(in crate::web) async fn buy(
        visitor: &Visitor<'_>,
        wallet: Option<&Wallet>,
        route: &Route,
        asked: &QueryString,
    ) -> Self {
        let Some(wallet) = wallet.filter(|_| visitor.shared.must_be_paid(route)) else {
            return Self::ask(visitor, route, asked).await;
        };
        let request = route.request(&asked.query());
        match visitor.buy(wallet, &request).await {
            Ok((response, None)) if response.status() == StatusCode::PAYMENT_REQUIRED => {
                Self::ask(visitor, route, asked).await
            }
            Ok((response, paid)) => Self::read(request, Some(response), OutcomeBody::Answer, paid),
            Err(_) => Self::read(request, None, OutcomeBody::Answer, None),
        }
    }

    /// Reads a response; `None` where the request could not be sent. Forms encode their fields, so that is a request that
    /// is far too long.
    fn read(
        request: String,
        response: Option<Response<Bytes>>,
        body_of: fn(Document) -> OutcomeBody,
        paid: Option<u64>,
    ) -> Self {
        let (status, bytes) = response.map_or((StatusCode::URI_TOO_LONG, Bytes::new()), |response| {
            (response.status(), response.into_body())
        });
        let document = Document::read(&bytes).filter(|_| status == StatusCode::OK);
        let body = document.map_or_else(|| OutcomeBody::Refusal(Box::new(Refused::read(&bytes))), body_of);
        Self { request, status, body, paid: paid.filter(|_| status == StatusCode::OK) }
    }

    /// Amount that the page paid for the answer with test money, in atomic USDC.
    pub(in crate::web) fn paid(&self) -> Option<u64> {
        self.paid
    }

    /// The answer.
    pub(in crate::web) fn answer(&self) -> Option<&JsonText> {
        match &self.body {
            OutcomeBody::Answer(document) => Some(&document.json),
            OutcomeBody::Quote(_) | OutcomeBody::Refusal(_) => None,
        }
    }

    /// The quote.
    pub(in crate::web) fn quote(&self) -> Option<&JsonText> {
        match &self.body {
            OutcomeBody::Quote(document) => Some(&document.json),
            OutcomeBody::Answer(_) | OutcomeBody::Refusal(_) => None,
        }
    }

    /// Reason and message of a refusal; both are empty where the server failed to answer.
    pub(in crate::web) fn refusal(&self) -> Option<(&str, &str)> {
        match &self.body {
            OutcomeBody::Refusal(refused) => {
                Some((&refused.error.details.reason, refused.error.message.as_str()))
            }
            OutcomeBody::Answer(_) | OutcomeBody::Quote(_) => None,
        }
    }

    /// Status of the page: that of the answer.
    pub(in crate::web) fn status(&self) -> StatusCode {
        self.status
    }

    /// Parameters that were refused.
    pub(super) fn faults(&self) -> &[Fault] {
        match &self.body {
            OutcomeBody::Refusal(refused) => &refused.error.details.parameters,
            OutcomeBody::Answer(_) | OutcomeBody::Quote(_) => &[],
        }
    }

    /// The part of a page that shows it; links ask that page again.
    pub(in crate::web) fn section(&self, page: &str, route: &Route, asked: &QueryString) -> Markup {
        html! {
            section class="outcome" aria-labelledby="outcome-title" data-request=(self.request) data-status=(self.status.as_u16()) {
                @match &self.body {
                    OutcomeBody::Answer(document) => {
                        h2 id="outcome-title" tabindex="-1" { "Answer" }
                        (data(&document.text))
                        (document.shown(route, asked))
                        @if let Some(cursor) = document.json.text("next_cursor") {
                            p { a rel="next" class="next" href={ (place(route.path)) "?" (asked.with("cursor", &cursor).query()) } { "Next page" } }
                        }
                    }
                    OutcomeBody::Quote(document) => {
                        h2 id="outcome-title" tabindex="-1" { "Quote" }
                        p class="note" {
                            "This request can be answered, and the answer has to be paid for. Nothing was charged. A program \
                             below pays for the request and receives the answer."
                        }
                        (document.shown(route, asked))
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
        let OutcomeBody::Answer(document) = &self.body else { return None };
        let tables = Tables::new(route, asked, &document.json);
        let picture = tables.picture()?;
        Some(html! {
            section class="outcome" aria-label=(picture.title) data-request=(self.request) data-status=(self.status.as_u16()) {
                (data(&document.text))
                (tables.figure(picture))
                details class="twin" { summary { "The same as a table" } (tables.rows(picture.rows)) }
            }
        })
    }
}

impl Document {
    /// Its figures, picture, tables and JSON.
    fn shown(&self, route: &Route, asked: &QueryString) -> Markup {
        html! {
            (Tables::new(route.descriptor, asked, &self.json).whole())
            details class="json" {
                summary { "JSON" }
                pre tabindex="0" { code { (indented(&self.text)) } }
            }
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
            "Available names: "
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
        let message = match named.and_then(|name| asked.value(name)) {
            // The pages of products and categories are for people; the forms show the message that programs get.
            Some(text) if !page.starts_with(PATH) => {
                let country = asked.value("country").and_then(Country::read).map_or("", Country::name);
                format!("Nothing was found for “{text}” in {country}.")
            }
            _ => error.message.clone(),
        };
        html! {
            @if error.code.is_empty() { (failed(status)) } @else {
                p class="error" { (message) }
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
                } @else if !detail.is_empty() && page.starts_with(PATH) && details.reason != NO_BRAND { p { (detail) } }
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
                    p { a href=(again("country", country)) { "Same request for " (Country::read(country).map_or_else(|| country.clone(), |country| country.name().to_owned())) } }
                }
                @if !details.serving_eligible_retailers.is_empty() && has("retailer") {
                    p { "Retailers that a request may name" }
                    ul { @for retailer in details.serving_eligible_retailers.iter().take(20) {
                        li { a href=(again("retailer", retailer)) { (retailer) } }
                    } }
                }
                @if status == StatusCode::NOT_FOUND { (what_there_is(asked)) }
                @if page.starts_with(PATH) {
                    @let code = error.code.to_lowercase().replace('_', "-");
                    @let problem = if kind.is_empty() { format!("{PROBLEMS}{code}") } else { kind.clone() };
                    p { "Error " a href=(problem) { code { (error.code) } } ", status " (status.as_u16()) "." }
                }
            }
        }
    }
}
