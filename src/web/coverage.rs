//! The coverage map: which retailer sells which root category, how much of it, and how fresh that is.

use std::collections::BTreeMap;

use hyper::StatusCode;
use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use super::busiest;
use super::explorer;
use super::layout::{self, Frame, Section};
use crate::endpoints::{COMPETITIVE_LANDSCAPE, COVERAGE};
use crate::query::params::KEPT;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::{Country, Day, Instant};

/// Where it is, and the name under which its requests are counted.
pub(super) const PATH: &str = "/coverage";

/// Cells that the route gives at once.
const PAGE_CELLS: u32 = 1_000;
/// Retailers on a page, those with most products first.
const RETAILERS_MAX: usize = 200;

/// A page of cells as the route gives it.
#[derive(Deserialize)]
struct Page {
    items: Vec<Cell>,
    total: u32,
}

/// A cell as the route gives it.
#[derive(Deserialize)]
struct Cell {
    platform: String,
    category_root: String,
    priced_product_count: u32,
    recent_priced_product_count: u32,
    quality_status: String,
    last_observed_at: String,
}

/// The page: `country` chooses, `from` leaves out so many retailers.
pub(super) async fn show(visitor: &Visitor<'_>) -> PageResponse {
    let given: BTreeMap<String, String> =
        url::form_urlencoded::parse(visitor.query.as_bytes()).into_owned().collect();
    let catalog = visitor.shared.catalog();
    let country =
        given.get("country").and_then(|word| Country::parse(word)).unwrap_or_else(|| busiest(&catalog));
    let from = given.get("from").and_then(|number| number.parse().ok()).unwrap_or(0);
    let (status, main) = match cells(visitor, country).await {
        Ok(cells) => (StatusCode::OK, map(country, &cells, from, catalog.as_of())),
        Err(status) => (status, explorer::failed(status)),
    };
    let main = html! {
        h1 { "Coverage" }
        p class="lead" {
            "Products with a price, by retailer and root category. A serving cell has enough products and enough recent \
             prices. Requests on thin and stale cells are answered too, from fewer products or older prices. "
            a href="/docs/methodology#coverage" { "Definition of the three states" }
        }
        nav class="tabs" aria-label="Country" {
            @for one in Country::ALL {
                a href={ (PATH) "?country=" (one.as_str()) } aria-current=[(one == country).then_some("page")] {
                    (one.name())
                }
            }
        }
        (main)
    };
    let about = "Retailers and their categories, with the number of products and the age of their prices.";
    let frame = Frame { title: "Coverage", section: Section::Coverage, about, twin: None, scripts: &[] };
    PageResponse::Live { status, body: layout::page(&frame, &main) }
}

/// Every cell of a country.
async fn cells(visitor: &Visitor<'_>, country: Country) -> Result<Vec<Cell>, StatusCode> {
    let mut cells = Vec::new();
    loop {
        let target = format!(
            "{}?country={}&limit={PAGE_CELLS}&offset={}",
            COVERAGE.path,
            country.as_str(),
            cells.len()
        );
        let response = visitor.ask(&target).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        if response.status() != StatusCode::OK {
            return Err(response.status());
        }
        let page: Page =
            serde_json::from_slice(response.body()).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
        let is_last = page.items.is_empty() || cells.len() + page.items.len() >= page.total as usize;
        cells.extend(page.items);
        if is_last {
            return Ok(cells);
        }
    }
}

/// A retailer's cells by root category, and the sum of its products.
type Line<'a> = (&'a str, BTreeMap<&'a str, &'a Cell>, u64);

fn map(country: Country, cells: &[Cell], from: usize, now: Day) -> Markup {
    let mut roots: BTreeMap<&str, u64> = BTreeMap::new();
    let mut lines: BTreeMap<&str, BTreeMap<&str, &Cell>> = BTreeMap::new();
    for cell in cells {
        *roots.entry(&cell.category_root).or_default() += u64::from(cell.priced_product_count);
        lines.entry(&cell.platform).or_default().insert(&cell.category_root, cell);
    }
    let products = |line: &BTreeMap<&str, &Cell>| -> u64 {
        line.values().map(|cell| u64::from(cell.priced_product_count)).sum()
    };
    let lines = lines.into_iter().map(|(name, line)| (name, products(&line), line));
    let mut lines: Vec<Line<'_>> = lines.map(|(name, products, line)| (name, line, products)).collect();
    lines.sort_by_key(|(name, _, products)| (std::cmp::Reverse(*products), *name));
    let mut columns: Vec<(&str, u64)> = roots.into_iter().collect();
    columns.sort_by_key(|(name, products)| (std::cmp::Reverse(*products), *name));
    let (count, shown) = (lines.len(), lines.iter().skip(from).take(RETAILERS_MAX));
    let next = from + RETAILERS_MAX;
    html! {
        @if cells.is_empty() { p class="note" { "The catalog has no products in this country." } } @else {
            p class="legend" {
                @for (status, meaning) in LEGEND { span class={ "status-" (status) } { (status) } " " (meaning) " " }
            }
            (layout::scrolled("Products by retailer and category", &html! {
                table class="coverage" {
                    caption { (count) " retailers, " (columns.len()) " root categories" }
                    thead { tr {
                        th scope="col" { "retailer" }
                        th scope="col" class="num" { "all" }
                        @for (root, _) in &columns { th scope="col" { (root.replace('-', " ")) } }
                    } }
                    tbody { @for (platform, line, products) in shown { tr {
                        th scope="row" { a href={ (explorer::place(COVERAGE.path)) "?" (pair("platform", platform)) "&country=" (country.as_str()) } { (platform) } }
                        td class="num" { (products) }
                        @for (root, _) in &columns {
                            @match line.get(root) {
                                Some(cell) => (shown_cell(cell, country, now)),
                                None => td class="none" { span class="unknown" { span aria-hidden="true" { "–" } span class="unseen" { "none" } } },
                            }
                        }
                    } } }
                    tfoot { tr {
                        th scope="row" { "all" }
                        td class="num" { (columns.iter().map(|(_, products)| products).sum::<u64>()) }
                        @for (_, products) in &columns { td class="num" { (products) } }
                    } }
                }
            }))
            @if next < count {
                p { a rel="next" href={ (PATH) "?country=" (country.as_str()) "&from=" (next) } { "Next page, " (count - next) " more retailers" } }
            }
        }
    }
}

/// The words for quality and their meanings.
const LEGEND: [(&str, &str); 3] = [
    ("serving", "enough products and recent prices;"),
    ("thin", "few products;"),
    ("stale", "few prices from the last 90 days."),
];

fn shown_cell(cell: &Cell, country: Country, now: Day) -> Markup {
    let Cell { platform, category_root, quality_status, .. } = cell;
    let query = format!(
        "{}&{}&country={}",
        pair("category", category_root),
        pair("retailer", platform),
        country.as_str()
    );
    // A retailer without a serving cell cannot be asked for by name.
    let place = if quality_status == "serving" {
        format!("{}?{query}", explorer::place(COMPETITIVE_LANDSCAPE.path))
    } else {
        format!(
            "{}?{}&{}&country={}",
            explorer::place(COVERAGE.path),
            pair("platform", platform),
            pair("category_root", category_root),
            country.as_str()
        )
    };
    let days = Instant::parse_rfc3339(&cell.last_observed_at).map_or(0, |newest| now.minus(newest.day()));
    html! {
        td class={ "status-" (quality_status) } {
            a href=(place) { (cell.priced_product_count) }
            small { (quality_status) ", " (cell.recent_priced_product_count) " fresh, " (days) " d old" }
        }
    }
}

fn pair(name: &str, value: &str) -> String {
    format!("{name}={}", utf8_percent_encode(value, KEPT))
}
