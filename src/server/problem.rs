//! Errors that clients read: a code, a sentence that states the error, a sentence that states the remedy, and typed
//! details.
//!
//! A [`Problem`] is rendered as a problem document (RFC 9457), or as its bare error object if the route declares
//! `bare_errors`. [`Code`] is the only table of errors: it determines status, title and type. The cause of an internal
//! error is not part of a problem; it is logged.

use hyper::StatusCode;
use hyper::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::TARGET_BYTES_MAX;
use super::backlog::UnreadLimit;
use crate::payment::core::outcome::PaymentReason;
use crate::payment::core::prices::QuotedPrice;
use crate::query::params::BadParameter;
use crate::query::refusal::{NoResultsDetails, Refusal, RetailerDetails};

/// Seconds after which a client may retry at an overloaded server.
const OVERLOAD_RETRY_SECONDS: u64 = 2;

/// Seconds after which a client may retry on a payment channel for which too many requests wait.
const CHANNEL_RETRY_SECONDS: u64 = 1;

/// Seconds after which a client may retry at a server whose snapshot was damaged. The operator has to act first.
const WITHDRAWN_RETRY_SECONDS: u64 = 30;

/// Seconds after which a client may repeat a request whose payment is being processed.
const IN_PROGRESS_RETRY_SECONDS: u64 = 1;

/// The stable name of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// 400: parameters that cannot be accepted.
    InvalidParams,
    /// 402: a paid request without a payment, or with a payment that is not accepted.
    PaymentRequired,
    /// 404: the path does not exist.
    NotFound,
    /// 404: the catalog has no data for the request.
    NoResults,
    /// 404: the retailer is not serving-eligible now.
    RetailerNotServingEligible,
    /// 404: the rollup is not computed yet.
    NotPublished,
    /// 405: the method is not GET, HEAD or OPTIONS.
    MethodNotAllowed,
    /// 406: `Accept` names no media type in which this route answers.
    NotAcceptable,
    /// 409: a request with the same payment is being answered.
    PaymentInProgress,
    /// 410: the answer that this payment bought is no longer kept.
    AnswerExpired,
    /// 414: a request target that is too long, or a paid request that is too long to be offered.
    UriTooLong,
    /// 429: too many requests of one client, or too many failed payments of one payer.
    RateLimited,
    /// 500: an error of the server.
    Internal,
    /// 503: the server cannot take the request now.
    Unavailable,
}

/// A problem document (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemDocument<'a> {
    /// URI reference that names the type of problem.
    #[serde(rename = "type")]
    #[schemars(extend("format" = "uri-reference"))]
    pub kind: &'a str,
    /// Title of the status.
    pub title: &'a str,
    /// Status of the response.
    pub status: u16,
    /// The remedy for people: how to change or repeat the request.
    pub detail: &'a str,
    /// Path of the request.
    #[schemars(extend("format" = "uri-reference"))]
    pub instance: &'a str,
    /// The error: its code, a sentence and details.
    pub error: &'a ErrorObject,
}

/// An error: a stable code, a sentence and details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorObject {
    /// Stable name of the error. Programs compare this value.
    pub code: Code,
    /// The error in one sentence for people.
    pub message: String,
    /// Details of the error. Their members depend on code.
    pub details: Details,
}

/// Details of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Details {
    /// `INVALID_PARAMS`: every bad parameter.
    Parameters(ParametersDetails),
    /// `RETAILER_NOT_SERVING_ELIGIBLE`.
    Retailer(RetailerDetails),
    /// `NO_RESULTS`.
    NoResults(NoResultsDetails),
    /// `METHOD_NOT_ALLOWED`.
    Methods(MethodsDetails),
    /// `NOT_ACCEPTABLE`.
    Forms(FormsDetails),
    /// `URI_TOO_LONG`.
    Target(TargetDetails),
    /// `RATE_LIMITED`, `UNAVAILABLE` and `PAYMENT_IN_PROGRESS`.
    Retry(RetryDetails),
    /// `PAYMENT_REQUIRED`.
    Payment(PaymentDetails),
    /// `ANSWER_EXPIRED`.
    Settled(SettledDetails),
    /// All other codes: no details.
    Nothing(NoDetails),
}

/// Details of an `INVALID_PARAMS` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParametersDetails {
    /// Every bad parameter, each once.
    pub parameters: Vec<BadParameter>,
}

/// Details of a `METHOD_NOT_ALLOWED` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MethodsDetails {
    /// Methods that are answered.
    pub allowed: Vec<&'static str>,
}

/// Details of a `NOT_ACCEPTABLE` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormsDetails {
    /// Media types in which this route answers. The default for clients without `Accept` comes first.
    pub media_types: Vec<&'static str>,
}

/// Details of a `URI_TOO_LONG` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TargetDetails {
    /// Maximum length in bytes, of the request target or of a paid request in normal form.
    pub bytes_max: usize,
}

/// Details of a `RATE_LIMITED`, `UNAVAILABLE` or `PAYMENT_IN_PROGRESS` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetryDetails {
    /// Seconds after which to try again, as in the Retry-After header.
    pub retry_after_seconds: u64,
}

/// Details of a `PAYMENT_REQUIRED` error. The ways to pay are in the header fields of the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PaymentDetails {
    /// Reason why the payment that was sent is not accepted; absent if no payment was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaymentReason", default)]
    pub reason: Option<PaymentReason>,
    /// Price of the request.
    pub price: QuotedPrice,
}

/// Details of an `ANSWER_EXPIRED` error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettledDetails {
    /// Network of the payment.
    pub network: String,
    /// Transaction that settled the payment.
    pub transaction: String,
}

/// Details of an error without details: an empty object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoDetails {}

/// An error response to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The error object.
    pub error: Box<ErrorObject>,
    /// The remedy.
    pub detail: String,
    /// Header fields of the response: offers and receipts.
    pub fields: Vec<(HeaderName, HeaderValue)>,
}

impl Code {
    /// Every code, ordered by status.
    pub const ALL: [Self; 14] = [
        Self::InvalidParams,
        Self::PaymentRequired,
        Self::NotFound,
        Self::NoResults,
        Self::RetailerNotServingEligible,
        Self::NotPublished,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::PaymentInProgress,
        Self::AnswerExpired,
        Self::UriTooLong,
        Self::RateLimited,
        Self::Internal,
        Self::Unavailable,
    ];

    /// JSON schema of the details of the code.
    pub fn details(self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Self::InvalidParams => generator.subschema_for::<ParametersDetails>(),
            Self::NoResults => generator.subschema_for::<NoResultsDetails>(),
            Self::RetailerNotServingEligible => generator.subschema_for::<RetailerDetails>(),
            Self::MethodNotAllowed => generator.subschema_for::<MethodsDetails>(),
            Self::NotAcceptable => generator.subschema_for::<FormsDetails>(),
            Self::UriTooLong => generator.subschema_for::<TargetDetails>(),
            Self::RateLimited | Self::Unavailable | Self::PaymentInProgress => {
                generator.subschema_for::<RetryDetails>()
            }
            Self::PaymentRequired => generator.subschema_for::<PaymentDetails>(),
            Self::AnswerExpired => generator.subschema_for::<SettledDetails>(),
            Self::NotFound | Self::NotPublished | Self::Internal => generator.subschema_for::<NoDetails>(),
        }
    }

    /// Status of the response.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidParams => StatusCode::BAD_REQUEST,
            Self::PaymentRequired => StatusCode::PAYMENT_REQUIRED,
            Self::NotFound | Self::NoResults | Self::RetailerNotServingEligible | Self::NotPublished => {
                StatusCode::NOT_FOUND
            }
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::PaymentInProgress => StatusCode::CONFLICT,
            Self::AnswerExpired => StatusCode::GONE,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// URI reference that names this type of problem. On servers with pages, the page at this path explains the
    /// problem.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::InvalidParams => "/problems/invalid-params",
            Self::PaymentRequired => "/problems/payment-required",
            Self::NotFound => "/problems/not-found",
            Self::NoResults => "/problems/no-results",
            Self::RetailerNotServingEligible => "/problems/retailer-not-serving-eligible",
            Self::NotPublished => "/problems/not-published",
            Self::MethodNotAllowed => "/problems/method-not-allowed",
            Self::NotAcceptable => "/problems/not-acceptable",
            Self::PaymentInProgress => "/problems/payment-in-progress",
            Self::AnswerExpired => "/problems/answer-expired",
            Self::UriTooLong => "/problems/uri-too-long",
            Self::RateLimited => "/problems/rate-limited",
            Self::Internal => "/problems/internal",
            Self::Unavailable => "/problems/unavailable",
        }
    }
}

impl Problem {
    fn new(code: Code, message: impl Into<String>, details: Details, detail: impl Into<String>) -> Self {
        Self {
            error: Box::new(ErrorObject { code, message: message.into(), details }),
            detail: detail.into(),
            fields: Vec::new(),
        }
    }

    /// Adds header fields to the problem.
    #[must_use]
    pub fn with_fields(mut self, fields: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.fields.extend(fields);
        self
    }

    /// 402: the request has to be paid for. The caller adds the offers as header fields.
    pub fn payment_required(reason: Option<PaymentReason>, price: QuotedPrice) -> Self {
        let (message, detail) = match reason {
            None => (
                format!("This request costs {price}."),
                "Pay one of the offers in PAYMENT-REQUIRED (x402 version 2, paid in PAYMENT-SIGNATURE) or WWW-Authenticate \
                 (MPP), and send the request again with the payment."
                    .to_owned(),
            ),
            Some(reason) => (reason.said().to_owned(), reason.remedy().to_owned()),
        };
        let details = Details::Payment(PaymentDetails { reason, price });
        Self::new(Code::PaymentRequired, message, details, detail)
    }

    /// 409: the payment is being processed.
    pub fn payment_in_progress() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: IN_PROGRESS_RETRY_SECONDS });
        let detail =
            "Send the same request with the same payment again after the time that Retry-After names.";
        Self::new(Code::PaymentInProgress, "A request with this payment is being answered.", details, detail)
    }

    /// 410: the payment bought an answer that is no longer kept. The caller adds the receipt as a header field.
    pub fn answer_expired(network: String, transaction: String) -> Self {
        let details = Details::Settled(SettledDetails { network, transaction });
        let message = "This payment was answered; the answer is no longer kept.";
        Self::new(
            Code::AnswerExpired,
            message,
            details,
            "Send the request without the payment for new offers.",
        )
    }

    /// 503: it is not known yet whether a payment is settled.
    pub fn payment_unclear() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: OVERLOAD_RETRY_SECONDS });
        let detail = "Send the same request with the same payment again after the time that Retry-After names; it is \
                      charged at most once. Do not sign another payment.";
        Self::new(Code::Unavailable, "It is not certain yet whether the payment is settled.", details, detail)
    }

    /// 503: too many requests wait for one payment channel.
    pub fn channel_busy() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: CHANNEL_RETRY_SECONDS });
        let detail = "Send one request at a time on a channel, or open several channels; send this request again after \
                      the time that Retry-After names. Nothing was charged.";
        Self::new(Code::Unavailable, "Too many requests wait for this payment channel.", details, detail)
    }

    /// 503: no rail is open.
    pub fn no_way_to_pay() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: OVERLOAD_RETRY_SECONDS });
        let detail = "Send the same request again after the time that Retry-After names.";
        Self::new(Code::Unavailable, "No payment can be accepted now.", details, detail)
    }

    /// 400: the request has more than one payment.
    pub fn repeated_payment(header: &str) -> Self {
        Self::bad_parameters(vec![BadParameter::new(header, "carries a second payment; send one")])
    }

    /// 404: the path belongs to no route.
    pub fn unknown_path() -> Self {
        let detail = "Check the path: paths are case-sensitive and do not end in a slash.";
        Self::new(Code::NotFound, "No such path.", Details::Nothing(NoDetails {}), detail)
    }

    /// 405: the method is not answered.
    pub fn method_not_allowed() -> Self {
        let details = Details::Methods(MethodsDetails { allowed: super::METHODS.split(", ").collect() });
        let detail = "Send a GET request with its parameters in the query string.";
        Self::new(Code::MethodNotAllowed, "This method is not supported here.", details, detail)
    }

    /// 406: the client accepts none of these media types.
    pub fn not_acceptable(media_types: Vec<&'static str>) -> Self {
        let detail = format!("Name one of these in Accept, or leave Accept out: {}.", media_types.join(", "));
        let details = Details::Forms(FormsDetails { media_types });
        Self::new(
            Code::NotAcceptable,
            "This route supports none of the media types in Accept.",
            details,
            detail,
        )
    }

    /// 414: the request target is too long.
    pub fn target_too_long(bytes: usize) -> Self {
        let message = format!("The request target has {bytes} bytes, more than {TARGET_BYTES_MAX}.");
        let detail = "Shorten the values of the parameters.";
        let details = Details::Target(TargetDetails { bytes_max: TARGET_BYTES_MAX });
        Self::new(Code::UriTooLong, message, details, detail)
    }

    /// 414: the paid request is too long to be offered.
    pub fn request_too_long(bytes: usize, bytes_max: usize) -> Self {
        let message = format!(
            "In normal form (path and percent-encoded query) this paid request has {bytes} bytes, more than \
             {bytes_max}."
        );
        let detail =
            "Shorten the values of the parameters; letters beyond ASCII take six bytes or more each.";
        let details = Details::Target(TargetDetails { bytes_max });
        Self::new(Code::UriTooLong, message, details, detail)
    }

    /// 429: too many payments of one payer failed.
    pub fn payer_limited(retry_after_seconds: u64) -> Self {
        let detail = format!(
            "Wait {retry_after_seconds} s and check the payer's balance, then send the same payment again or ask for a \
             new offer. Nothing was charged for this request."
        );
        let details = Details::Retry(RetryDetails { retry_after_seconds });
        Self::new(Code::RateLimited, "Too many payments of this payer failed.", details, detail)
    }

    /// 429: the client sends too many requests.
    pub fn rate_limited(retry_after_seconds: u64) -> Self {
        let detail = format!("Wait {retry_after_seconds} s, then spread the requests over time.");
        let details = Details::Retry(RetryDetails { retry_after_seconds });
        Self::new(Code::RateLimited, "This client sends too many requests.", details, detail)
    }

    /// 503: the server is too busy for another request.
    pub fn overloaded() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: OVERLOAD_RETRY_SECONDS });
        let detail = "Send the same request again after the time that Retry-After names.";
        Self::new(Code::Unavailable, "The server is busy.", details, detail)
    }

    /// 503: too many bytes of answers are unread.
    pub fn unread(limit: UnreadLimit) -> Self {
        let (whose, remedy) = match limit {
            UnreadLimit::Connection => ("on this connection", "Read the answers of this connection"),
            UnreadLimit::Client => ("of this client", "Read the answers of all connections"),
            UnreadLimit::Total => ("of all clients", "Wait for the time that Retry-After names"),
        };
        let details = Details::Retry(RetryDetails { retry_after_seconds: OVERLOAD_RETRY_SECONDS });
        let message = format!("Too many bytes of answers {whose} are not read yet.");
        let detail = format!(
            "{remedy}, then send the same request again. The first answer of a new connection is always sent."
        );
        Self::new(Code::Unavailable, message, details, detail)
    }

    /// 503: the files of the snapshot in use were changed.
    pub fn withdrawn() -> Self {
        let details = Details::Retry(RetryDetails { retry_after_seconds: WITHDRAWN_RETRY_SECONDS });
        let message = "The snapshot in use was found damaged and is out of service.";
        let detail =
            "Send the same request again later, once the operator has put an undamaged snapshot in use.";
        Self::new(Code::Unavailable, message, details, detail)
    }

    /// 500: an error of the server. Its cause is in the log.
    pub fn internal() -> Self {
        let detail = "Send the request again; if it fails again, report the X-Request-Id of this response.";
        Self::new(
            Code::Internal,
            "The server failed to compute the answer.",
            Details::Nothing(NoDetails {}),
            detail,
        )
    }

    /// 400: every parameter that cannot be accepted.
    pub fn bad_parameters(parameters: Vec<BadParameter>) -> Self {
        let message = match parameters.len() {
            1 => "A parameter cannot be accepted.".to_owned(),
            count => format!("{count} parameters cannot be accepted."),
        };
        let faults: Vec<String> = parameters.iter().map(said).collect();
        let detail = format!("Correct the query. {}.", faults.join("; "));
        Self::new(Code::InvalidParams, message, Details::Parameters(ParametersDetails { parameters }), detail)
    }

    /// The header fields that this problem adds to those of every response.
    pub fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = self.fields.clone();
        match self.error.details {
            Details::Retry(RetryDetails { retry_after_seconds }) => {
                headers.push((RETRY_AFTER, retry_after_seconds.into()));
            }
            Details::Methods(_) => headers.push((ALLOW, HeaderValue::from_static(super::METHODS))),
            _ => {}
        }
        headers
    }

    /// The body: the bare error object, or the problem document.
    ///
    /// # Errors
    /// Returns an error if the body cannot be encoded, which cannot happen with its types.
    pub fn body(&self, instance: &str, bare: bool) -> Result<Vec<u8>, serde_json::Error> {
        if bare {
            return serde_json::to_vec(&self.error);
        }
        let status = self.error.code.status();
        serde_json::to_vec(&ProblemDocument {
            kind: self.error.code.kind(),
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: &self.detail,
            instance,
            error: self.error.as_ref(),
        })
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::BadParameters(parameters) => Self::bad_parameters(parameters),
            Refusal::RetailerNotServing(details) => {
                let detail = match details.serving_eligible_retailers.as_slice() {
                    [] => "No retailer serves this country now; leave out retailer.".to_owned(),
                    [first, ..] => {
                        format!("Ask for another retailer, such as {first}, or leave out retailer.")
                    }
                };
                let message = format!("The retailer {} is not serving-eligible.", details.retailer);
                Self::new(Code::RetailerNotServingEligible, message, Details::Retailer(details), detail)
            }
            Refusal::NoResults { message, details, .. } => {
                let detail = next_step(&details);
                Self::new(Code::NoResults, message, Details::NoResults(*details), detail)
            }
            Refusal::NotPublished(message) => {
                let detail = "Send the request again after a later publish run, or request data that the discovery \
                              endpoints list.";
                Self::new(Code::NotPublished, message, Details::Nothing(NoDetails {}), detail)
            }
        }
    }
}

/// A parameter error with the allowed values. The reason may be a whole sentence.
fn said(fault: &BadParameter) -> String {
    let BadParameter { parameter, reason, allowed } = fault;
    match allowed.as_slice() {
        [] => format!("{parameter}: {reason}"),
        allowed => format!("{parameter}: {reason} (allowed: {})", allowed.join(", ")),
    }
}

/// The remedy for a request without results.
fn next_step(details: &NoResultsDetails) -> String {
    if let Some(Some(other)) = details.other_country {
        return format!("Ask with country={}.", other.as_str());
    }
    if let Some([first, ..]) = details.suggestions.as_deref() {
        return format!("Ask for one of the suggestions, such as {first}.");
    }
    if let Some([first, ..]) = details.categories.as_deref() {
        return format!("Choose one of the categories, such as {first}.");
    }
    if details.nearest.as_ref().is_some_and(|nearest| !nearest.is_empty()) {
        return "Use other words, or a lower min_quality if the intended product is in nearest.".to_owned();
    }
    if let Some((from, to)) = details.observed.and_then(|seen| seen.observed_from.zip(seen.observed_to)) {
        return format!("Ask for a window that overlaps the observed days, {from} to {to}.");
    }
    "Ask for a wider scope: the free discovery endpoints list the content of the catalog.".to_owned()
}
