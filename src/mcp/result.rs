//! What came of a call: the response of its route as the result of a tool.
//!
//! An answer is one text, the JSON of the response to the byte; agents read texts, and the same a second time as
//! structured content would cost them twice. What to call next is a second text. A refusal is an error of the tool: a
//! sentence with its remedy for who reads, the error object as structured content for who parses. A 402 has the offers
//! of x402 as its binding to MCP wants them, in the first text and as structured content, and those of MPP in the
//! metadata: a client takes what it knows.

use hyper::body::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde::Deserialize;

use super::next::{Suggested, Way};
use crate::payment::protocols::mcp;
use crate::query::descriptor::Descriptor;

/// How a payment is sent.
const HOW_TO_PAY: &str = "Call again with a payment in _meta: under x402/payment for one of accepts (x402), or under \
                          org.paymentauth/credential for one of the challenges in _meta (MPP).";

/// What is read of a problem document.
#[derive(Deserialize)]
struct ProblemText {
    #[serde(default)]
    detail: String,
    error: ProblemError,
}

/// What is read of an error object.
#[derive(Deserialize)]
struct ProblemError {
    code: String,
    message: String,
    #[serde(default)]
    details: JsonObject,
}

/// A call, as its result needs it.
pub(super) struct ToolCall<'a> {
    /// The route that it asks.
    pub(super) route: &'static Descriptor,
    /// Arguments, as they came.
    pub(super) arguments: &'a JsonObject,
}

/// The result of a call from the response of its route.
pub(super) fn of_response(response: &Response<Bytes>, asked: &ToolCall<'_>) -> CallToolResult {
    let (headers, body) = (response.headers(), response.body());
    let mut result = match response.status() {
        StatusCode::OK => answered(body, asked),
        StatusCode::PAYMENT_REQUIRED => payment_required(headers, body),
        _ => refused(body, asked),
    };
    let meta: JsonObject = mcp::metadata(headers)
        .filter_map(|(key, json)| Some((key.to_owned(), serde_json::from_slice(&json).ok()?)))
        .collect();
    if !meta.is_empty() {
        result.meta = Some(MetaObject(meta));
    }
    result
}

/// An error that no route has told.
pub(super) fn error(sentence: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}

fn answered(body: &Bytes, asked: &ToolCall<'_>) -> CallToolResult {
    let next = Suggested::after(asked.route, asked.arguments, body);
    let texts = [Some(String::from_utf8_lossy(body).into_owned()), next.and_then(|next| text(&next))];
    CallToolResult::success(texts.into_iter().flatten().map(ContentBlock::text).collect())
}

fn payment_required(headers: &HeaderMap, body: &Bytes) -> CallToolResult {
    let told = told(body).map_or_else(String::new, |ProblemText { detail, error }| {
        // Without a reason the detail says how to pay over HTTP.
        let detail = if error.details.contains_key("reason") { format!("{detail} ") } else { String::new() };
        format!("{} {detail}", error.message)
    });
    let sentence = format!("{told}{HOW_TO_PAY}");
    let Some(offers) = mcp::offers(headers) else { return error(sentence) };
    let mut result = CallToolResult::error(vec![
        ContentBlock::text(String::from_utf8_lossy(&offers)),
        ContentBlock::text(sentence),
    ]);
    result.structured_content = serde_json::from_slice(&offers).ok();
    result
}

fn refused(body: &Bytes, asked: &ToolCall<'_>) -> CallToolResult {
    let Some(ProblemText { detail, error: ProblemError { code, message, details } }) = told(body) else {
        return error("The server failed to answer. Call again; if it fails again, tell its operator.");
    };
    let way = Way::deserialize(serde::de::value::MapDeserializer::new(details.clone().into_iter()));
    let next = way.ok().and_then(|way| Suggested::instead(asked.route, asked.arguments, &way));
    let texts = [
        Some(format!("{code}: {} {}", sentence(&message), spoken(&detail)).trim_end().to_owned()),
        next.and_then(|next| text(&next)),
    ];
    let mut result = CallToolResult::error(texts.into_iter().flatten().map(ContentBlock::text).collect());
    let object = [
        ("code".to_owned(), code.into()),
        ("message".to_owned(), message.into()),
        ("details".to_owned(), details.into()),
    ];
    result.structured_content = Some(JsonObject::from_iter(object).into());
    result
}

/// A message as a sentence by itself, with what follows it behind.
fn sentence(message: &str) -> String {
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{end}", spoken(message))
}

/// A text of a route, which sends its reader to the free paths, for a reader who has tools of their names.
fn spoken(text: &str) -> String {
    text.replace("/v1/public/", "the tool ")
}

/// The problem of a response, also where it is the bare error.
fn told(body: &[u8]) -> Option<ProblemText> {
    let bare = || Some(ProblemText { detail: String::new(), error: serde_json::from_slice(body).ok()? });
    serde_json::from_slice(body).ok().or_else(bare)
}

fn text(next: &Suggested) -> Option<String> {
    serde_json::to_string(next).ok()
}
