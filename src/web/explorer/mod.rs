//! The explorer: a page for each route, with a form of its parameters and, once something was asked, what the server says.
//!
//! `form` makes the form out of the route's parameters, `outcome` asks the pipeline and shows its response, `tables` writes
//! an answer down, `basket` compares retailers in one, `copies` writes the request as programs, `starters` has requests
//! that the catalog in use answers. A page computes nothing of its own.

mod basket;
mod copies;
mod form;
mod outcome;
mod query_string;
mod starters;
mod tables;

use std::sync::Arc;

use hyper::StatusCode;
use maud::{Markup, html};

use super::layout::{self, Frame, Section};
use crate::query::descriptor::{Descriptor, Group};
use crate::query::endpoint::Route;
use crate::server::Shared;
use crate::server::pages::{PageResponse, Visitor};
use copies::Copies;
pub(super) use form::{Search, search};
pub(super) use outcome::{Outcome, failed};
pub(super) use query_string::QueryString;
use starters::StarterCache;
pub(super) use starters::Starts;

/// Where the explorer begins, and the name under which its requests are counted.
pub(super) const PATH: &str = "/explore";

/// Prefix of the paths of all routes.
const API: &str = "/v1";

/// Routes that are listed together: their name, what they are for, and their groups.
const GROUPS: [(&str, &str, &[Group]); 4] = [
    ("Shopper", "Current and past prices of a product or a basket.", &[Group::Shopper]),
    (
        "Marketing",
        "Retailers and promotions of a category, and the position of a brand.",
        &[Group::Marketing],
    ),
    ("Analyst", "Distribution of the prices of a category, and their changes.", &[Group::Analyst]),
    (
        "Lists and classification",
        "Names that the other routes accept, free of charge, and the product classification.",
        &[Group::Public, Group::Reference, Group::Social],
    ),
];

/// The pages of the explorer.
pub(super) struct Explorer {
    /// The routes that are asked.
    routes: Vec<&'static Descriptor>,
    /// How clients know this server, where the operator said it; else empty.
    base: String,
    starts: StarterCache,
}

/// Path of the form of a route.
pub(super) fn place(route: &str) -> String {
    format!("{PATH}{}", route.trim_start_matches(API))
}

/// Where the page of a route in the reference is.
pub(super) fn reference(route: &str) -> String {
    format!("/reference{}", route.trim_start_matches(API))
}

/// A query in words, to be read.
pub(super) fn in_words(query: &str) -> String {
    QueryString::read(query).in_words()
}

impl Explorer {
    /// Of the routes that answer anything, at a server known as `base`.
    pub(super) fn new(routes: &[Route], base: &str) -> Self {
        let routes = routes.iter().filter(|route| !route.examples.is_empty()).map(|route| route.descriptor);
        Self { routes: routes.collect(), base: base.to_owned(), starts: StarterCache::default() }
    }

    /// Whether there is a page at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        path == PATH || self.route(path).is_some()
    }

    fn route(&self, path: &str) -> Option<&'static str> {
        let rest = path.strip_prefix(PATH)?;
        self.routes.iter().map(|route| route.path).find(|path| path.strip_prefix(API) == Some(rest))
    }

    /// Requests that the catalog in use answers.
    pub(super) fn starts(&self, shared: &Shared) -> Arc<Starts> {
        self.starts.of(shared)
    }

    /// The page of a path that it has.
    pub(super) async fn show(&self, visitor: &Visitor<'_>) -> PageResponse {
        match self.route(visitor.path).and_then(|path| visitor.shared.route(path)) {
            Some(route) => self.explore(visitor, route).await,
            None => PageResponse::Live { status: StatusCode::OK, body: self.index(visitor.shared) },
        }
    }

    async fn explore(&self, visitor: &Visitor<'_>, route: &Route) -> PageResponse {
        let asked = QueryString::read(visitor.query);
        // A route that needs nothing is asked at once.
        let needs = form::needed(route, visitor.shared.catalog().as_of());
        let is_asked = asked.was_sent() || (needs.is_empty() && route.is_free());
        let outcome = if is_asked { Some(Outcome::ask(visitor, route, &asked).await) } else { None };
        let status = outcome.as_ref().map_or(StatusCode::OK, Outcome::status);
        let starts = self.starts(visitor.shared);
        let price = visitor.shared.prices.words(route);
        let must_pay = visitor.shared.must_be_paid(route);
        let faults = outcome.as_ref().map(Outcome::faults).unwrap_or_default();
        let (base, request) = (self.base_for(visitor), route.request(&asked.query()));
        let copies = Copies { base: &base, request: &request, must_pay };
        let tries = starts.of(route.path);
        let main = html! {
            (self.nav(route.descriptor))
            h1 { (route.title) }
            p class="lead" { (route.summary) " " a href=(reference(route.path)) { "Every parameter and field" } }
            p class="price" {
                @match (&price, must_pay) {
                    (None, _) => "Free.",
                    (Some(_), false) => "Free on this server: payments are off.",
                    (Some(price), true) => { "Costs " (price) ". This form shows the quote and charges nothing." }
                }
            }
            @if !tries.is_empty() {
                p class="tries" {
                    "Try "
                    @for (at, query) in tries.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href={ (place(route.path)) "?" (query) } { (in_words(query)) }
                    }
                }
            }
            div class="explore" {
                (form::form(route, &asked, &needs, faults, must_pay))
                div id="outcome" {
                    @if let Some(outcome) = &outcome { (outcome.section(&place(route.path), route, &asked)) }
                    @if is_asked { (copies.section()) }
                }
            }
        };
        layout::live(status, Section::Api, route.title, route.summary, &main)
    }

    fn index(&self, shared: &Shared) -> Vec<u8> {
        let main = html! {
            h1 { "API" }
            p class="lead" { "Every route of this server as a form, with its answer, its price and the request as a program." }
            p {
                a href="/reference" { "Reference" } ": every parameter, field and error. "
                a href="/openapi.json" { "OpenAPI" } ". " a href="/docs/clients#paying" { "How programs pay" } "."
            }
            @for (name, about, groups) in GROUPS {
                h2 { (name) }
                p class="quiet" { (about) }
                ul class="lines" {
                    @for route in self.routes.iter().filter(|route| groups.contains(&route.group)) {
                        @let price = shared.price(route.path);
                        li {
                            a href=(place(route.path)) { (route.title) } " " span class="quiet" {
                                (route.summary)
                                @if let Some(price) = price { " " (price) "." }
                            }
                        }
                    }
                }
            }
        };
        let about = "Every route of this server as a form.";
        let frame = Frame { title: "API", section: Section::Api, about, twin: None, scripts: &[] };
        layout::page(&frame, &main)
    }

    /// The routes that are listed together with the one that is shown.
    fn nav(&self, shown: &Descriptor) -> Markup {
        let together = GROUPS.iter().find(|(.., groups)| groups.contains(&shown.group));
        let (name, groups) = together.map_or(("", &[][..]), |(name, _, groups)| (*name, *groups));
        html! {
            nav class="routes" aria-label=(name) {
                ul {
                    li { a href=(PATH) { "API" } " › " (name) }
                    @for route in self.routes.iter().filter(|route| groups.contains(&route.group)) {
                        li { a href=(place(route.path)) aria-current=[(route.path == shown.path).then_some("page")] { (route.title) } }
                    }
                }
            }
        }
    }

    /// How this visitor knows the server.
    fn base_for(&self, visitor: &Visitor<'_>) -> String {
        if self.base.is_empty() { visitor.origin() } else { self.base.clone() }
    }
}
