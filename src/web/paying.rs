//! Sentences about payment: how an answer is paid for, and how much the page itself paid.

use maud::{Markup, html};

use super::explorer::Outcome;
use crate::payment::core::prices::usd;

/// How a program or an agent pays.
pub(super) fn help() -> Markup {
    html! {
        p {
            "Pages show the subject of a paid answer; programs buy the answer. There are no accounts: a program pays with the request (" a href="/docs/clients#paying" { "Python and TypeScript" }
            "), and so does an agent over " a href="/docs/agents" { "MCP" } "."
        }
    }
}

/// The sum that a page paid with the test money of a sandbox; empty where it paid nothing.
pub(super) fn paid<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Markup {
    let payments: Vec<u64> = outcomes.filter_map(Outcome::paid).collect();
    html! {
        @if !payments.is_empty() {
            p class="note" {
                "This server is a sandbox: the page paid " (usd(payments.iter().sum())) " USD of test money for "
                (payments.len()) @if payments.len() == 1 { " answer" } @else { " answers" }
                ". A live server sells these answers. " a href="/docs/clients#paying" { "How programs pay" } "."
            }
        }
    }
}
