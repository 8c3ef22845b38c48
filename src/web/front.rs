//! The front page: what this is, a search, questions to begin with, a picture, and the catalog in figures.

use hyper::StatusCode;
use maud::{Markup, html};

use super::busiest;
use super::explorer::{self, Explorer, Outcome, Starts};
use super::layout::{self, Frame, Section};
use crate::catalog::Catalog;
use crate::endpoints::{BEST_PRICE, INFLATION, PRICE_BANDS, SHARE_OF_SHELF};
use crate::query::descriptor::Descriptor;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::Country;

/// Where it is.
pub(super) const PATH: &str = "/";

const ABOUT: &str = "Prices of products at online retailers in the United States and Canada: what a product costs and where, \
                     what it cost before, promotions, shares of shelf, price levels and inflation.";

/// Routes whose answer may be the picture of the page, the best first.
const PICTURED: [&Descriptor; 3] = [PRICE_BANDS, INFLATION, SHARE_OF_SHELF];

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>, explorer: &Explorer) -> PageResponse {
    let shared = visitor.shared;
    let (catalog, starts) = (shared.catalog(), explorer.starts(shared));
    let main = html! {
        h1 { "What things cost, and what they cost before" }
        p class="lead" { (ABOUT) }
        (explorer::search(BEST_PRICE.path, busiest(&catalog)))
        (picture(visitor, &starts).await)
        h2 { "Questions to begin with" }
        ul class="grid" {
            @for route in &shared.routes {
                @if let (Some(question), Some(query)) = (route.question, starts.of(route.path).first()) {
                    li class="card" {
                        a href={ (explorer::place(route.path)) "?" (query) } { (question) }
                        p { (route.title) ": " (explorer::in_words(query)) }
                    }
                }
            }
        }
        p { a href=(explorer::PATH) { "Every question" } ", as a form." }
        h2 { "In this catalog" }
        (figures(&catalog))
        p { a href="/coverage" { "Who sells what, and how fresh it is" } "." }
        h2 { "For programs" }
        ul {
            li { a href="/reference" { "Reference" } ": every route, parameter, field and error; " a href="/openapi.json" { "OpenAPI" } "." }
            li { a href="/docs/clients" { "Clients" } " in Python and TypeScript, and how to " a href="/docs/clients#paying" { "pay" } "." }
            li { a href="/docs/agents" { "Agents" } ": the same as tools over MCP at " code { "/mcp" } "." }
            li { a href="/docs/formats" { "Tables" } ": CSV, NDJSON, Arrow and Parquet." }
            li { a href="/docs" { "Documents" } ": your own data, running a server, what the figures mean." }
        }
    };
    let frame = Frame {
        title: "pricebook",
        section: Section::Front,
        about: ABOUT,
        twin: None,
        scripts: &[explorer::SCRIPT],
    };
    PageResponse::Live { status: StatusCode::OK, body: layout::page(&frame, &main) }
}

/// One answer drawn at once, where nobody has to pay for it.
async fn picture(visitor: &Visitor<'_>, starts: &Starts) -> Markup {
    for pictured in PICTURED {
        let Some(route) = visitor.shared.route(pictured.path) else { continue };
        let Some(query) = starts.of(route.path).last().filter(|_| !visitor.shared.must_be_paid(route)) else {
            continue;
        };
        if let Some(picture) = Outcome::picture_of(visitor, route, query).await {
            return html! {
                h2 { (route.title) ": " (explorer::in_words(query)) }
                (picture)
                p { a href={ (explorer::place(route.path)) "?" (query) } { "Ask for another" } }
            };
        }
    }
    html! {}
}

/// The catalog in figures, by country.
fn figures(catalog: &Catalog) -> Markup {
    let priced = |country: Country| -> u64 {
        catalog
            .coverage
            .cells
            .iter()
            .filter(|cell| cell.country == country)
            .map(|cell| u64::from(cell.recent))
            .sum()
    };
    html! {
        div class="scroll" role="region" aria-label="The catalog in figures" tabindex="0" {
            table {
                caption { "Snapshot " code { (catalog.id()) } ", up to " (catalog.as_of().to_string()) }
                thead { tr {
                    th scope="col" { "country" }
                    th scope="col" class="num" { "listings" }
                    th scope="col" class="num" { "with a price now" }
                    th scope="col" class="num" { "retailers served" }
                } }
                tbody {
                    @for country in Country::ALL {
                        tr {
                            th scope="row" { a href={ "/coverage?country=" (country.as_str()) } { (country.name()) } }
                            td class="num" { (catalog.country_rows(country).len()) }
                            td class="num" { (priced(country)) }
                            td class="num" { (catalog.coverage.serving(country).count()) }
                        }
                    }
                }
            }
        }
    }
}
