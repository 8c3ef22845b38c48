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
            "Parameters are read strictly, so that a mistyped name never changes an answer silently. All that is wrong is \
             named at once in `error.details.parameters`, with the values that would do where they can be listed. Correct \
             the query and send it again; nothing was charged."
        }
        Code::PaymentRequired => {
            "The request can be answered, and costs what `error.details.price` says. The header fields of the response \
             carry the offers: `PAYMENT-REQUIRED` for x402 version 2, `WWW-Authenticate: Payment` for MPP. Pay one of them \
             and send the same request with the payment; a library does both ([clients](/docs/clients#paying)). Where a payment \
             was sent, `error.details.reason` says why it was not taken; it was not charged."
        }
        Code::NotFound => {
            "Paths are matched to the letter, without a slash at the end. The [reference](/reference) lists all of them."
        }
        Code::NoResults => {
            "The request is in order, and this catalog has nothing for it. `error.details.reason` says what is missing; \
             `suggestions` are names that it does have, `other_country` is where the same question is answered. Which \
             categories, brands and retailers there are is free to ask: [categories](/reference/public/categories), \
             [brands](/reference/public/brands), [retailers](/reference/public/retailers). Nothing was charged."
        }
        Code::RetailerNotServingEligible => {
            "The retailer is known, but too little of it, or nothing fresh enough, to answer about it by name. \
             `error.details.serving_eligible_retailers` can be asked for; without `retailer` its listings count among all \
             others. See [coverage](/coverage)."
        }
        Code::NotPublished => {
            "What the route answers with is part of some snapshots only, and not of this one. Another server, or a later \
             snapshot, may have it."
        }
        Code::MethodNotAllowed => {
            "Everything here is read, by GET. Parameters belong into the query string, not into a body."
        }
        Code::NotAcceptable => {
            "`Accept` names media types, and this route answers in none of them. `error.details.media_types` lists those \
             that it has; without `Accept` the answer is JSON. See [formats](/docs/formats)."
        }
        Code::PaymentInProgress => {
            "The same payment came twice at once. The first request is at work; send this one again after `Retry-After`, \
             with the same payment, and it gets the same answer. It is charged once."
        }
        Code::AnswerExpired => {
            "The payment bought an answer, which was kept for a while and is gone. The receipt is in the header fields. \
             Send the request without the payment for a new offer."
        }
        Code::UriTooLong => {
            "Shorten the values of parameters. A paid request has a lower bound than a free one, because it stands in every \
             offer; letters beyond ASCII take six bytes or more each."
        }
        Code::RateLimited => {
            "Wait as long as `Retry-After` says, and spread requests over time: `RateLimit` of every response says what is \
             left. After failed payments it is the payer who is limited; check the balance before the next one."
        }
        Code::Internal => {
            "A fault of the server, whose cause is in its log under the `X-Request-Id` of the response. Nothing was charged. \
             Send the request again; report the id if it stays."
        }
        Code::Unavailable => {
            "The server is busy, is being restarted, or cannot take payments at the moment. Send the same request again \
             after `Retry-After`, with the same payment if there was one: a payment is charged once at most, and signing \
             another one would pay twice."
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
    let mut index = "# Errors\n\nAn error is a problem document (RFC 9457) with a stable code in `error.code`, a sentence for \
                     people in `error.message`, and what to change in `detail`; its `type` leads here. What \
                     cannot be answered is refused before any payment.\n\n| status | code | when |\n|---|---|---|\n"
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
    let about = "Every error: what happened, and what to change.";
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
