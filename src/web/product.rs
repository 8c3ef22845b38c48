//! The page of a product: what it costs and where, what it cost before, and what is like it.
//!
//! It shows the answers of best-price and price-history and computes nothing of its own.

use hyper::StatusCode;
use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use super::explorer::{self, Outcome, QueryString};
use super::layout::{self, Frame, Section};
use super::{METHODOLOGY, busiest};
use crate::endpoints::{BEST_PRICE, PRICE_HISTORY};
use crate::query::params::KEPT;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::{Country, Day};

/// Where it is.
pub(super) const PATH: &str = "/product";

const ABOUT: &str = "What a product costs now, at which retailer, and what it cost before.";
/// Match quality from which on a product is shown without a note that it may be another one.
const SURE_QUALITY: f64 = 0.6;
/// The days of the history, as price-history calls them.
const HISTORY_WINDOW: &str = "last_90_days";
/// Offers of other retailers that are seen at once.
const OFFERS_SEEN: usize = 6;

/// The answer of best-price, as far as the page shows it.
#[derive(Debug, Deserialize)]
struct Answer {
    query: Option<String>,
    dropped_terms: Option<Vec<String>>,
    match_quality: Option<f64>,
    country: String,
    entity_uid: Option<String>,
    match_suspect: bool,
    retailers_compared: u32,
    resolved_product: Resolved,
    best_price: Offer,
    other_prices: Vec<Offer>,
    likely_matches: Option<Vec<Offer>>,
    likely_cheaper: Option<bool>,
    related_matches: Vec<Offer>,
}

#[derive(Debug, Deserialize)]
struct Resolved {
    product_uid: String,
    brand: Option<String>,
    gtin: Option<String>,
    category_path: String,
    url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Offer {
    product_uid: String,
    retailer: String,
    product_name: String,
    price: f64,
    in_stock: Option<bool>,
    condition: String,
    #[serde(alias = "scraped_at")]
    observed_at: String,
    unit_price: Option<UnitPrice>,
}

#[derive(Debug, Deserialize)]
struct UnitPrice {
    price: f64,
    per: String,
}

/// The answer of price-history, as far as the page states it.
#[derive(Debug, Deserialize)]
struct History {
    series_summary: Summary,
}

#[derive(Debug, Deserialize)]
struct Summary {
    current: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    min_date: Option<String>,
    max_date: Option<String>,
}

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>) -> PageResponse {
    let asked = QueryString::read(visitor.query);
    let country = asked.value("country").and_then(Country::read);
    let country = country.unwrap_or_else(|| busiest(&visitor.shared.catalog()));
    let search = explorer::search(PATH, asked.value("q").unwrap_or_default(), country);
    let names_product =
        ["q", "product_uid", "entity_uid"].into_iter().any(|name| asked.value(name).is_some());
    let Some(route) = visitor.shared.route(BEST_PRICE.path).filter(|_| names_product) else {
        return page(StatusCode::OK, "Products", &html! { h1 { "What does it cost?" } (search) });
    };
    let asked = asked.with("country", country.as_str()).with("linking", "likely");
    let outcome = Outcome::of(visitor, route, &asked).await;
    let answer = outcome.answer().and_then(|json| serde_json::from_str::<Answer>(json).ok());
    let Some(answer) = answer else {
        let title = asked.value("q").unwrap_or("Product");
        let main = html! { (search) h1 { (title) } (outcome.section(PATH, route, &asked)) (paying(visitor)) };
        return page(outcome.status(), title, &main);
    };
    let history = history(visitor, &answer).await;
    let name = &answer.best_price.product_name;
    let main = html! {
        (search)
        (note(&answer))
        h1 { (name) }
        p class="quiet" { (about(&answer)) }
        div class="hero" { (headline(&answer)) (offers(&answer)) }
        (likely(&answer))
        (history)
        (related(&answer))
        details {
            summary { "For developers: this answer as JSON, curl, Python, TypeScript" }
            p { a href={ (explorer::place(BEST_PRICE.path)) "?" (asked.query()) } { "Every field of the answer, and the request as a program" } "." }
        }
    };
    page(StatusCode::OK, name, &main)
}

fn page(status: StatusCode, title: &str, main: &Markup) -> PageResponse {
    let frame =
        Frame { title, section: Section::Products, about: ABOUT, twin: None, scripts: &[explorer::SCRIPT] };
    PageResponse::Live { status, body: layout::page(&frame, main) }
}

/// How an answer is paid for, at a server that charges.
fn paying(visitor: &Visitor<'_>) -> Markup {
    let price = visitor.shared.route(BEST_PRICE.path).filter(|route| visitor.shared.must_be_paid(route));
    let price = price.and_then(|route| visitor.shared.prices.words(route));
    html! {
        @if let Some(price) = price {
            p {
                "An answer costs " (price) ". There are no accounts: a program pays with the request "
                "(" a href="/docs/clients#paying" { "Python and TypeScript" } "), and so does an agent over "
                a href="/docs/agents" { "MCP" } "."
            }
        }
    }
}

/// A sentence above a product that may be another one than was asked for.
fn note(answer: &Answer) -> Markup {
    let is_sure = answer.match_quality.is_none_or(|quality| quality >= SURE_QUALITY);
    let query = answer.query.as_deref().filter(|_| !is_sure);
    let missing = answer.dropped_terms.as_deref().unwrap_or_default();
    html! {
        @if let Some(query) = query {
            p class="note" {
                "No exact match for “" (query) "”. Nearest: " (answer.best_price.product_name)
                @if !missing.is_empty() { "; its name does not have “" (missing.join("”, “")) "”" }
                "."
            }
        }
    }
}

/// Category, condition, brand and barcode in a line.
fn about(answer: &Answer) -> String {
    let resolved = &answer.resolved_product;
    let parts = [
        Some(resolved.category_path.clone()),
        resolved.brand.clone(),
        Some(answer.best_price.condition.clone()),
        // As it is printed: a GTIN of 12 or 13 digits has zeros before it here.
        resolved.gtin.as_deref().map(|gtin| {
            let printed = gtin.strip_prefix("00").or_else(|| gtin.strip_prefix('0')).unwrap_or(gtin);
            format!("barcode {printed}")
        }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The price, where it is and when it was seen.
fn headline(answer: &Answer) -> Markup {
    let Answer { best_price: offer, resolved_product, .. } = answer;
    let url = resolved_product.url.as_ref().filter(|_| resolved_product.product_uid == offer.product_uid);
    let url = url.filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    html! {
        div class="headline" {
            strong { (money(offer.price)) " " span { (currency(&answer.country)) } }
            p {
                "at " span class="where" { @match url {
                    Some(url) => a href=(url) rel="nofollow noopener" { (offer.retailer) },
                    None => (offer.retailer),
                } }
                " " span class="quiet" { (stock(offer)) ", seen " (day(&offer.observed_at)) }
            }
            p class="quiet" {
                @if let Some(UnitPrice { price, per }) = &offer.unit_price { (money(*price)) " per " (per) " · " }
                @match answer.retailers_compared {
                    0 | 1 => "no other retailer to compare with",
                    retailers => { "lowest of " (retailers) " retailers" }
                }
                @if answer.match_suspect { " · the offers may be of different products" }
            }
        }
    }
}

/// The offers of all retailers.
fn offers(answer: &Answer) -> Markup {
    let offers = [&answer.best_price].into_iter().chain(&answer.other_prices).take(OFFERS_SEEN);
    table("Offers", offers, answer, "Retailer", |offer| html! { (offer.retailer) })
}

/// Offers of what is likely the same product.
fn likely(answer: &Answer) -> Markup {
    let offers = answer.likely_matches.as_deref().unwrap_or_default();
    html! {
        @if !offers.is_empty() {
            h2 { "Likely the same product at other shops" }
            p class="quiet" {
                "Matched by name, not by barcode: verify before you rely on it."
                @if answer.likely_cheaper == Some(true) { " One of them is cheaper than " (money(answer.best_price.price)) "." }
            }
            (table("Likely the same product", offers.iter(), answer, "Product", |offer| linked(offer, &answer.country)))
        }
    }
}

/// Products like it.
fn related(answer: &Answer) -> Markup {
    let offers = &answer.related_matches;
    html! {
        @if !offers.is_empty() {
            h2 { "Related products" }
            (table("Related products", offers.iter(), answer, "Product", |offer| linked(offer, &answer.country)))
        }
    }
}

/// A product as a link to its page, with its retailer.
fn linked(offer: &Offer, country: &str) -> Markup {
    html! {
        a href={ (PATH) "?product_uid=" (utf8_percent_encode(&offer.product_uid, KEPT)) "&country=" (country) } { (offer.product_name) }
        " " span class="quiet" { "at " (offer.retailer) }
    }
}

/// Offers as a table: the first column says whose, then price, price per unit, day and stock.
fn table<'a>(
    caption: &str,
    offers: impl Iterator<Item = &'a Offer> + Clone,
    answer: &Answer,
    first: &str,
    whose: impl Fn(&Offer) -> Markup,
) -> Markup {
    let has_units = offers.clone().any(|offer| offer.unit_price.is_some());
    html! {
        div class="scroll" role="region" aria-label=(caption) tabindex="0" {
            table {
                caption class="unseen" { (caption) }
                thead { tr {
                    th scope="col" { (first) }
                    th scope="col" class="num" { "Price, " (currency(&answer.country)) }
                    @if has_units { th scope="col" class="num" { "per unit" } }
                    th scope="col" { "Seen" }
                    th scope="col" { "Stock" }
                } }
                tbody { @for offer in offers { tr {
                    th scope="row" { (whose(offer)) }
                    td class="num" { (money(offer.price)) }
                    @if has_units { td class="num" {
                        @if let Some(UnitPrice { price, per }) = &offer.unit_price { (money(*price)) " / " (per) }
                    } }
                    td { (day(&offer.observed_at)) }
                    td { (stock(offer)) }
                } } }
            }
        }
    }
}

/// What the product cost before: a sentence and a picture.
async fn history(visitor: &Visitor<'_>, answer: &Answer) -> Markup {
    let Some(route) = visitor.shared.route(PRICE_HISTORY.path) else { return html! {} };
    let product = match &answer.entity_uid {
        Some(uid) => QueryString::default().with("entity_uid", uid),
        None => QueryString::default().with("product_uid", &answer.best_price.product_uid),
    };
    let asked = product.with("country", &answer.country).with("time_window", HISTORY_WINDOW);
    let outcome = Outcome::of(visitor, route, &asked).await;
    let summary = outcome.answer().and_then(|json| serde_json::from_str::<History>(json).ok());
    let finding = summary.and_then(|history| finding(&history.series_summary));
    let Some((finding, picture)) = finding.zip(outcome.picture(route, &asked)) else { return html! {} };
    html! {
        h2 { "Was it ever cheaper?" }
        p class="finding" { (finding) }
        (picture)
        p class="quiet" {
            @if answer.entity_uid.is_some() { "The lowest price of any retailer by day. " }
            a href={ (METHODOLOGY) "#price-history" } { "How this is computed" } " · "
            a href={ (explorer::place(PRICE_HISTORY.path)) "?" (asked.query()) } { "another period" }
        }
    }
}

/// What a history says, in a sentence.
fn finding(summary: &Summary) -> Option<String> {
    let (current, min, max) = (summary.current?, summary.min?, summary.max?);
    let (min_day, max_day) = (day(summary.min_date.as_deref()?), day(summary.max_date.as_deref()?));
    let [current_text, min_text, max_text] = [current, min, max].map(money);
    Some(if min_text == max_text {
        format!("{current_text} on every day seen in the last 90 days.")
    } else if current_text == min_text {
        format!(
            "{min_text} is the lowest price of the last 90 days; the highest was {max_text} on {max_day}."
        )
    } else {
        format!(
            "Yes: {min_text} on {min_day}. The highest price of the last 90 days was {max_text} on {max_day}."
        )
    })
}

/// The code of a country's currency.
fn currency(country: &str) -> &'static str {
    Country::read(country).map_or("", Country::currency)
}

fn stock(offer: &Offer) -> &'static str {
    match offer.in_stock {
        Some(true) => "in stock",
        Some(false) => "out of stock",
        None => "stock not known",
    }
}

/// An amount in dollars with two decimals and thousands separators.
fn money(amount: f64) -> String {
    let text = format!("{amount:.2}");
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("${grouped}.{cents}")
}

/// A day in words; the text as it is where it begins with no day.
fn day(text: &str) -> String {
    text.get(..10).and_then(Day::parse).map_or_else(|| text.to_owned(), Day::in_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_days_are_words() {
        assert_eq!([3.97, 1299.0, 1_234_567.5].map(money), ["$3.97", "$1,299.00", "$1,234,567.50"]);
        assert_eq!(day("2026-10-30T00:00:00Z"), "30 October 2026");
        assert_eq!(["2026-13-01", "soon", ""].map(day), ["2026-13-01", "soon", ""]);
    }

    #[test]
    fn a_history_is_a_sentence() {
        let summary = |current: f64, min: f64, max: f64| Summary {
            current: Some(current),
            min: Some(min),
            max: Some(max),
            min_date: Some("2026-09-19".to_owned()),
            max_date: Some("2026-10-01".to_owned()),
        };
        assert_eq!(finding(&summary(4.0, 4.0, 4.0)).unwrap(), "$4.00 on every day seen in the last 90 days.");
        assert_eq!(
            finding(&summary(4.0, 4.0, 5.5)).unwrap(),
            "$4.00 is the lowest price of the last 90 days; the highest was $5.50 on 1 October 2026."
        );
        assert_eq!(
            finding(&summary(4.5, 4.0, 5.5)).unwrap(),
            "Yes: $4.00 on 19 September 2026. The highest price of the last 90 days was $5.50 on 1 October 2026."
        );
        assert_eq!(finding(&Summary { current: None, ..summary(1.0, 1.0, 1.0) }), None);
    }
}
