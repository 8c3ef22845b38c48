//! Results of calls: the response of a route as the result of a tool.
//!
//! An answer is one text: the JSON of the response, byte for byte. It is not repeated as structured content, because an
//! agent would pay for reading it twice. The suggested calls are a second text. A refusal is an error of the tool: a
//! sentence with its remedy as text, and the error object as structured content. A 402 has the offers of x402 in the
//! first text and as structured content, as the MCP binding of x402 requires, and the offers of MPP in the metadata. A
//! client uses the offers of the protocol that it supports.

use hyper::body::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde::Deserialize;

use super::next::{Suggested, Way};
use crate::payment::protocols::mcp;
use crate::query::descriptor::Descriptor;

/// Instructions on how to send a payment.
const HOW_TO_PAY: &str = "Call again with a payment in _meta: under x402/payment for an entry of accepts (x402), or \
                          under org.paymentauth/credential for one of the challenges in _meta (MPP).";

/// The fields of a problem document from which a result is made.
#[derive(Deserialize)]
struct ProblemText {
    #[serde(default)]
    detail: String,
    error: ProblemError,
}

/// The fields of an error object from which a result is made.
#[derive(Deserialize)]
struct ProblemError {
    code: String,
    message: String,
    #[serde(default)]
    details: JsonObject,
}

/// The parts of a call on which its result depends.
pub(super) struct ToolCall<'a> {
    /// The called route.
    pub(super) route: &'static Descriptor,
    /// Arguments as they were received.
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

/// An error that does not come from a route.
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
        // If the error has no reason, its detail describes how to pay over HTTP, so the detail is left out.
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
        return error(
            "The server failed to answer. Call again; if that fails too, report it to its operator.",
        );
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

/// A message as a complete sentence, so that another text can follow it.
fn sentence(message: &str) -> String {
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{end}", spoken(message))
}

/// Replaces the free paths in a text of a route by the names of their tools.
fn spoken(text: &str) -> String {
    text.replace("/v1/public/", "the tool ")
}

/// Parses the problem document of a response, or the bare error object.
fn told(body: &[u8]) -> Option<ProblemText> {
    let bare = || Some(ProblemText { detail: String::new(), error: serde_json::from_slice(body).ok()? });
    serde_json::from_slice(body).ok().or_else(bare)
}

fn text(next: &Suggested) -> Option<String> {
    serde_json::to_string(next).ok()
}
