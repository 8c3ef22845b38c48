//! The front page: a search, example questions, and what the catalog covers.

use hyper::StatusCode;
use maud::{Markup, html};

use super::explorer::{self, Explorer, Search, Starts};
use super::layout::{self, Section};
use super::{busiest, category, product};
use crate::catalog::Catalog;
use crate::endpoints::ComparedProduct;
use crate::payment::Mode;
use crate::payment::core::prices::usd;
use crate::query::endpoint::Route;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::Country;

/// Path of the page.
pub(super) const PATH: &str = "/";

const ABOUT: &str = "Prices of products at online retailers in the United States and Canada: what a product costs and where, \
                     what it cost before, promotions, shares of shelf, price levels and inflation.";

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>, explorer: &Explorer) -> PageResponse {
    let catalog = visitor.shared.catalog();
    let starts = explorer.starts(visitor.shared);
    let here = busiest(&catalog);
    let main = html! {
        h1 { "What does it cost, and where is it cheapest?" }
        (explorer::search(&Search::PRODUCT, "", here.as_str()))
        (examples(&starts))
        p class="quiet" { (covered(&starts)) }
        h2 { "How did prices of a category move?" }
        (category::roots(visitor, here.as_str()).await)
        h2 { "In this catalog" }
        p { a href="/coverage" { "Retailers, their categories, and the age of their prices" } "." }
        (figures(&catalog))
        h2 { "For programs" }
        ul {
            li { a href=(explorer::PATH) { "API" } ": every question as a form. " a href="/reference" { "Reference" } ": every route, parameter, field and error. " a href="/openapi.json" { "OpenAPI" } "." }
            li { (cost(visitor)) " " a href="/docs/clients#paying" { "How a paid answer is bought" } ": no account, the payment comes with the request." }
            li { a href="/docs/clients" { "Clients" } " in Python and TypeScript. " a href="/docs/formats" { "Tables" } ": CSV, NDJSON, Arrow and Parquet." }
            li { a href="/docs/agents" { "Agents" } ": the same as tools over MCP at " code { "/mcp" } "." }
            li { a href="/docs" { "Documents" } ": your own data, running a server, what the figures mean." }
        }
    };
    layout::live(StatusCode::OK, Section::Products, "pricebook", ABOUT, &main)
}

/// The price of answers at this server.
fn cost(visitor: &Visitor<'_>) -> String {
    let shared = visitor.shared;
    let is_paid = |route: &&Route| shared.must_be_paid(route);
    let prices = shared.routes.iter().filter(is_paid).map(|route| shared.prices.of(route.usual_price()));
    match prices.min() {
        None => "Answers are free on this server.".to_owned(),
        Some(least) => {
            let test = if shared.payments == Mode::Sandbox {
                " of test money: this server is a sandbox"
            } else {
                ""
            };
            format!("An answer costs {} to {} USD{test}.", usd(least), usd(shared.prices.dearest()))
        }
    }
}

/// Questions about products that several retailers sell.
fn examples(starts: &Starts) -> Markup {
    html! {
        @if !starts.compared().is_empty() {
            ul class="examples" aria-label="Example questions" {
                @for ComparedProduct { country, entity_uid, name, retailers } in starts.compared() {
                    li {
                        a href={ (product::PATH) "?entity_uid=" (entity_uid) "&country=" (country.as_str()) } { "What does " (name) " cost?" }
                        " " small { "at " (retailers) " retailers" }
                    }
                }
            }
        }
    }
}

/// Number of products that the catalog compares, in a sentence.
fn covered(starts: &Starts) -> String {
    match starts.compared_count() {
        0 => "No product has prices at two retailers, so nothing is compared.".to_owned(),
        products => format!("{products} products have prices at two retailers or more in one country."),
    }
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
        (layout::scrolled("The catalog in figures", &html! {
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
        }))
    }
}
