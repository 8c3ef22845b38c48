//! The explorer: a page for each route, with a form of its parameters and, once something was asked, what the server says.
//!
//! `form` makes the form out of the route's parameters, `outcome` asks the pipeline and shows what it says, `tables` writes
//! an answer down, `basket` compares retailers in one, `copies` writes the
//! request as programs, `starters` has requests that the catalog in use answers. A page computes nothing of its own.

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
use crate::query::descriptor::Descriptor;
use crate::query::endpoint::Route;
use crate::server::Shared;
use crate::server::pages::{PageResponse, Visitor};
use copies::Copies;
pub(super) use form::search;
pub(super) use outcome::{Outcome, failed};
pub(super) use query_string::QueryString;
use starters::StarterCache;
pub(super) use starters::Starts;

/// Where the explorer begins, and the name under which its requests are counted.
pub(super) const PATH: &str = "/explore";

/// What the paths of all routes begin with.
const API: &str = "/v1";

/// The script of pages that show answers.
pub(super) const SCRIPT: &str = "explorer.js";

/// The pages of the explorer.
pub(super) struct Explorer {
    /// The routes that are asked.
    routes: Vec<&'static Descriptor>,
    /// How clients know this server, where the operator said it; else empty.
    base: String,
    starts: StarterCache,
}

/// Where a route is explored.
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

    /// What there is to ask of the catalog in use.
    pub(super) fn starts(&self, shared: &Shared) -> Arc<Starts> {
        self.starts.of(shared)
    }

    /// The page of a path that it has.
    pub(super) async fn show(&self, visitor: &Visitor<'_>) -> PageResponse {
        match self.route(visitor.path).and_then(|path| visitor.shared.route(path)) {
            Some(route) => self.explore(visitor, route).await,
            None => PageResponse::Live { status: StatusCode::OK, body: self.index() },
        }
    }

    async fn explore(&self, visitor: &Visitor<'_>, route: &Route) -> PageResponse {
        let asked = QueryString::read(visitor.query);
        // A route that needs nothing is asked at once.
        let needs = form::needed(route, visitor.shared.catalog().as_of());
        let is_asked = asked.was_sent() || (needs.is_empty() && route.is_free());
        let outcome = if is_asked { Some(Outcome::of(visitor, route, &asked).await) } else { None };
        let status = outcome.as_ref().map_or(StatusCode::OK, Outcome::status);
        let starts = self.starts(visitor.shared);
        let price = visitor.shared.prices.words(route);
        let must_pay = visitor.shared.must_be_paid(route);
        let faults = outcome.as_ref().map(Outcome::faults).unwrap_or_default();
        let (base, request) = (self.base_for(visitor), route.request(&asked.query()));
        let copies = Copies { base: &base, request: &request, must_pay };
        let main = html! {
            (nav(&self.routes, route.path))
            h1 { (route.title) }
            p class="lead" { (route.summary) " " a href=(reference(route.path)) { "Every parameter and field" } }
            p class="price" {
                @match (&price, must_pay) {
                    (None, _) => "Free.",
                    (Some(_), false) => "Free on this server: payments are off.",
                    (Some(price), true) => { "Costs " (price) ". Asking here shows the quote and charges nothing." }
                }
            }
            @let tries = starts.of(route.path);
            @if !tries.is_empty() {
                p class="tries" {
                    "Try "
                    @for (at, query) in tries.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href={ (place(route.path)) "?" (query) } { (in_words(query)) }
                    }
                }
            }
            (form::form(route, &asked, &needs, faults, must_pay))
            div id="outcome" {
                @if let Some(outcome) = &outcome { (outcome.section(&place(route.path), route, &asked)) }
            }
            @if is_asked { (copies.section()) }
        };
        let frame = Frame {
            title: route.title,
            section: Section::Api,
            about: route.summary,
            twin: None,
            scripts: &[SCRIPT],
        };
        PageResponse::Live { status, body: layout::page(&frame, &main) }
    }

    fn index(&self) -> Vec<u8> {
        let main = html! {
            h1 { "Explore" }
            p class="lead" { "Every question that this server answers, as a form." }
            @for routes in self.routes.chunk_by(|one, next| one.group == next.group) {
                h2 { (routes[0].group.name()) }
                ul class="grid" {
                    @for route in routes {
                        li class="card" {
                            a href=(place(route.path)) { (route.title) }
                            p { (route.summary) }
                        }
                    }
                }
            }
        };
        let frame = Frame {
            title: "Explore",
            section: Section::Api,
            about: "Every question that this server answers, as a form.",
            twin: None,
            scripts: &[],
        };
        layout::page(&frame, &main)
    }

    /// How this visitor knows the server.
    fn base_for(&self, visitor: &Visitor<'_>) -> String {
        if self.base.is_empty() { visitor.origin() } else { self.base.clone() }
    }
}

/// The other routes, beside the one that is shown.
fn nav(routes: &[&Descriptor], shown: &str) -> Markup {
    html! {
        nav class="routes" aria-label="Questions" {
            ul {
                @for route in routes {
                    li { a href=(place(route.path)) aria-current=[(route.path == shown).then_some("page")] { (route.title) } }
                }
            }
        }
    }
}
