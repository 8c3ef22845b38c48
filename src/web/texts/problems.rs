//! A page for each error: the `type` of a problem document leads to it.

use std::fmt::Write as _;

use serde_json::Value;

use super::Text;
use super::schema::Schemas;
use crate::server::problem::Code;
use crate::web::explorer;
use crate::web::layout::Section;

/// Where the index is.
pub(super) const PATH: &str = "/problems";

/// Causes and remedies, beyond the sentence that the description of the interface has.
#[allow(clippy::too_many_lines, reason = "a table")]
const fn advice(code: Code) -> &'static str {
    match code {
        Code::InvalidParams => {
            "Parameters are checked strictly, so that a mistyped name never changes an answer silently. \
             `error.details.parameters` lists all faults of the request, with the accepted values where they can be \
             listed. Correct the query and send it again. The request was not charged."
        }
        Code::PaymentRequired => {
            "The request can be answered for the price in `error.details.price`. The header fields of the response \
             carry the offers: `PAYMENT-REQUIRED` for x402 version 2, `WWW-Authenticate: Payment` for MPP. Pay one of \
             the offers and send the same request with the payment; a library does both \
             ([clients](/docs/clients#paying)). If the request carried a payment, `error.details.reason` says why it \
             was not accepted; that payment was not charged."
        }
        Code::NotFound => {
            "Paths are matched exactly, without a trailing slash. The [reference](/reference) lists all paths."
        }
        Code::NoResults => {
            "The request is valid, but the catalog has no data for it. `error.details.reason` says what is missing. \
             `suggestions` lists names that the catalog has; `other_country` is the country in which the same request \
             has an answer. The lists of [categories](/reference/public/categories), \
             [brands](/reference/public/brands) and [retailers](/reference/public/retailers) are free. The request was \
             not charged."
        }
        Code::RetailerNotServingEligible => {
            "The retailer is known, but the catalog has too few of its products, or too few recent prices, to answer a \
             request that names it. `error.details.serving_eligible_retailers` lists the retailers that a request may \
             name. Without `retailer`, the listings of this retailer are included with all others. See \
             [coverage](/coverage)."
        }
        Code::NotPublished => {
            "The data that this route needs is part of some snapshots only, and the current snapshot does not contain \
             it. Another server, or a later snapshot, may have it."
        }
        Code::MethodNotAllowed => {
            "The interface is read-only: use GET, and send parameters in the query string, not in a body."
        }
        Code::NotAcceptable => {
            "`Accept` contains only media types that this route does not produce. `error.details.media_types` lists \
             the supported ones. Without `Accept` the answer is JSON. See [formats](/docs/formats)."
        }
        Code::PaymentInProgress => {
            "The same payment was sent twice at the same time, and the first request is still being processed. Send \
             this request again with the same payment after `Retry-After`; it then gets the same answer. The payment \
             is charged once."
        }
        Code::AnswerExpired => {
            "The answer that the payment bought was stored for a limited time and has been deleted. The receipt is in \
             the header fields. Send the request without the payment to get a new offer."
        }
        Code::UriTooLong => {
            "Shorten the values of parameters. The limit of a paid request is lower than that of a free one, because \
             every offer contains the request. Characters outside ASCII take six bytes or more each."
        }
        Code::RateLimited => {
            "Wait for the number of seconds in `Retry-After`, and spread requests over time: `RateLimit` in every \
             response states the remaining quota. After failed payments the limit applies to the payer; check the \
             balance before the next payment."
        }
        Code::Internal => {
            "The server failed. The cause is in its log under the `X-Request-Id` of the response. The request was not \
             charged. Send it again; if the error persists, report the id."
        }
        Code::Unavailable => {
            "The server is overloaded, is being restarted, or cannot accept payments at the moment. Send the same \
             request again after `Retry-After`, with the same payment if there was one: a payment is charged at most \
             once, and signing another payment would pay twice."
        }
    }
}

/// The code as clients read it.
fn word(code: Code) -> String {
    serde_json::to_value(code).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Where the page of a code is.
pub(super) fn place(code: &str) -> String {
    format!("{PATH}/{}", code.to_lowercase().replace('_', "-"))
}

/// The errors of an operation: status and code.
pub(super) fn of(schemas: Schemas<'_>, get: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (status, response) in get["responses"].as_object().into_iter().flatten() {
        let said = schemas.resolve(response)["description"].as_str().unwrap_or_default();
        let codes = Code::ALL.into_iter().map(word).filter(|word| said.contains(&format!("`{word}`")));
        found.extend(codes.map(|code| (status.clone(), code)));
    }
    found
}

/// The pages.
pub(super) fn texts(document: &Value) -> Vec<Text> {
    let mut index = "# Errors\n\nAn error is a problem document (RFC 9457) with a stable code in `error.code`, a \
                     sentence for people in `error.message` and the remedy in `detail`; its `type` is the address of \
                     one of these pages. A request that cannot be answered is refused before any payment.\n\n\
                     | status | code | when |\n|---|---|---|\n"
        .to_owned();
    let mut texts = Vec::new();
    for code in Code::ALL {
        let about = about(document, code);
        let (word, status) = (word(code), code.status().as_u16());
        // Writing into a String cannot fail.
        let _ = writeln!(index, "| {status} | [{word}]({}) | {about} |", code.kind());
        texts.push(Text {
            path: code.kind().to_owned(),
            section: Section::Api,
            about: about.clone(),
            markdown: page(document, code, &about),
        });
    }
    let about = "All error codes, with their causes and remedies.";
    texts.push(Text {
        path: PATH.to_owned(),
        section: Section::Api,
        about: about.to_owned(),
        markdown: index,
    });
    texts
}

/// The name of a code's component in the document.
fn response(document: &Value, code: Code) -> &Value {
    &document["components"]["responses"][format!("{code:?}")]
}

/// When it comes, in the words of the document.
fn about(document: &Value, code: Code) -> String {
    let said = response(document, code)["description"].as_str().unwrap_or_default();
    let about = said.split_once(": ").map_or(said, |(_, about)| about);
    let mut letters = about.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn page(document: &Value, code: Code, about: &str) -> String {
    let (schemas, word) = (Schemas(document), word(code));
    let status = code.status();
    let mut page = format!(
        "# {word}\n\nStatus {} {}. {about}\n\n{}\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or_default(),
        advice(code)
    );
    let details = &schemas.resolve(&document["components"]["schemas"][format!("{code:?}Error")])["properties"]
        ["details"];
    if schemas.resolve(details)["properties"].as_object().is_some_and(|fields| !fields.is_empty()) {
        let _ = write!(page, "\n## Details\n\nIn `error.details`:\n\n{}", schemas.table(details));
    }
    let content = response(document, code)["content"].as_object().into_iter().flatten().next();
    let examples = content.and_then(|(_, content)| content["examples"].as_object()).into_iter().flatten();
    if let Some((_, example)) = examples.into_iter().next() {
        let json = serde_json::to_string_pretty(&example["value"]).unwrap_or_default();
        let _ = write!(page, "\n## Example\n\n```json\n{json}\n```\n");
    }
    let paths = document["paths"].as_object().into_iter().flatten();
    let given = paths.filter(|(_, item)| of(schemas, &item["get"]).iter().any(|(_, given)| *given == word));
    let given: Vec<String> =
        given.map(|(path, _)| format!("- [`{path}`]({})\n", explorer::reference(path))).collect();
    if !given.is_empty() {
        let _ = write!(page, "\n## Given by\n\n{}", given.concat());
    }
    page
}
