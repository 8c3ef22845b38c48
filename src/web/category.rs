//! The page of a category: how its prices moved, its price ladder, the largest drops, its retailers and its brands.
//!
//! Each part is the answer of one route, its picture, and a sentence that states the finding.

use futures_util::future::join_all;
use hyper::StatusCode;
use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use super::explorer::{self, Outcome, QueryString, Search};
use super::layout::{self, Frame, Section};
use super::wording::{change, count, counted, months, price};
use super::{METHODOLOGY, busiest, paying, product};
use crate::endpoints::{
    CATEGORIES, CATEGORY_SUMMARY, INFLATION, PRICE_BANDS, PRICE_CHANGE_LEADERS, PROMO_INTELLIGENCE,
    SHARE_OF_SHELF,
};
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::descriptor::Descriptor;
use crate::query::json_text::JsonText;
use crate::query::params::KEPT;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::Country;

/// Address of the page.
pub(super) const PATH: &str = "/category";

const ABOUT: &str =
    "How the prices of a category moved, its price ladder, its largest drops, its retailers and its brands.";
/// Largest drops that are listed.
const DROPS: &str = "8";
/// Most root categories that are listed.
const ROOTS_MAX: &str = "200";

/// A question about a category, and how the page words the answer of its route.
struct Part {
    id: &'static str,
    heading: &'static str,
    route: &'static Descriptor,
    params: &'static [(&'static str, &'static str)],
    /// The figure in two or three words.
    figure: fn(&JsonText) -> Option<String>,
    /// The finding in a sentence.
    finding: fn(&JsonText) -> Option<String>,
}

/// The first part is the headline.
const PARTS: [Part; 5] = [
    Part {
        id: "movement",
        heading: "How prices moved",
        route: INFLATION,
        params: &[("time_window", "month_over_month")],
        figure: |answer| answer.number("lfl_change_pct").map(change),
        finding: movement,
    },
    Part {
        id: "ladder",
        heading: "Price ladder",
        route: PRICE_BANDS,
        params: &[],
        figure: |answer| Some(format!("{} in the middle", price(answer, "price_range.median")?)),
        finding: ladder,
    },
    Part {
        id: "drops",
        heading: "Biggest drops",
        route: PRICE_CHANGE_LEADERS,
        params: &[("direction", "down"), ("limit", DROPS)],
        figure: |answer| {
            let first = answer.rows("items").first()?;
            Some(format!("{} {}", change(first.number("change_pct")?), first.text("product_name")?))
        },
        finding: drops,
    },
    Part {
        id: "retailers",
        heading: "Retailers compared",
        route: PROMO_INTELLIGENCE,
        params: &[("aggregate_by", "retailer")],
        figure: |answer| {
            let most = most_promotions(answer)?;
            Some(format!("{} promotes most", most.text("retailer")?))
        },
        finding: promotions,
    },
    Part {
        id: "brands",
        heading: "Share of brands",
        route: SHARE_OF_SHELF,
        params: &[],
        figure: |answer| {
            let first = answer.rows("brands").first()?;
            Some(format!("{} {} %", first.text("brand")?, first.number("share_pct")?))
        },
        finding: brands,
    },
];

/// A part with what the server said.
struct Answered {
    part: &'static Part,
    asked: QueryString,
    outcome: Outcome,
    answer: Option<JsonText>,
}

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>, wallet: Option<&Wallet>) -> PageResponse {
    let asked = QueryString::read(visitor.query);
    let country = asked.value("country").and_then(Country::read);
    let country = country.unwrap_or_else(|| busiest(&visitor.shared.catalog()));
    let search = explorer::search(&Search::CATEGORY, asked.value("category").unwrap_or_default(), country);
    let (Some(category), Some(route)) =
        (asked.value("category"), visitor.shared.route(CATEGORY_SUMMARY.path))
    else {
        let main = html! { h1 { "Categories" } (search) (roots(visitor, country).await) };
        return page(StatusCode::OK, "Categories", &main);
    };
    let scope = QueryString::default().with("category", category).with("country", country.as_str());
    let summary = Outcome::bought(visitor, wallet, route, &scope).await;
    if summary.is_refusal() {
        let main = html! { (search) h1 { (category) } (summary.section(PATH, route, &scope)) };
        return page(summary.status(), category, &main);
    }
    let parts = join_all(PARTS.iter().map(|part| ask(visitor, wallet, part, &scope))).await;
    let main = match summary.json() {
        Some(summary_answer) => {
            let paid = [&summary].into_iter().chain(parts.iter().flatten().map(|part| &part.outcome));
            html! { (search) (answered(&summary_answer, &parts, country)) (paying::paid(paid)) }
        }
        None => html! { (search) (offered(visitor, category, &summary, country)) },
    };
    page(StatusCode::OK, category, &main)
}

fn page(status: StatusCode, title: &str, main: &Markup) -> PageResponse {
    let frame =
        Frame { title, section: Section::Categories, about: ABOUT, twin: None, scripts: &[explorer::SCRIPT] };
    PageResponse::Live { status, body: layout::page(&frame, main) }
}

async fn ask(
    visitor: &Visitor<'_>,
    wallet: Option<&Wallet>,
    part: &'static Part,
    scope: &QueryString,
) -> Option<Answered> {
    let route = visitor.shared.route(part.route.path)?;
    let asked = part.params.iter().fold(scope.clone(), |asked, (name, value)| asked.with(name, value));
    let outcome = Outcome::bought(visitor, wallet, route, &asked).await;
    let answer = outcome.json();
    Some(Answered { part, asked, outcome, answer })
}

/// Root categories with the number of their products; empty where the server has none.
pub(super) async fn roots(visitor: &Visitor<'_>, country: Country) -> Markup {
    #[derive(Deserialize)]
    struct Roots {
        items: Vec<Root>,
    }
    #[derive(Deserialize)]
    struct Root {
        slug: String,
        category_path: String,
        products: u64,
    }
    let target = format!("{}?country={}&limit={ROOTS_MAX}", CATEGORIES.path, country.as_str());
    let response = visitor.ask(&target).await.ok();
    let roots = response.and_then(|response| serde_json::from_slice::<Roots>(response.body()).ok());
    let mut items = roots.map(|roots| roots.items).unwrap_or_default();
    items.retain(|root| root.products > 0);
    items.sort_by_key(|root| std::cmp::Reverse(root.products));
    html! {
        ul class="browse" aria-label={ "Categories in " (country.name()) } {
            @for Root { slug, category_path, products } in &items { (link(slug, category_path, *products, country)) }
        }
    }
}

fn link(slug: &str, name: &str, products: u64, country: Country) -> Markup {
    html! {
        li {
            a href={ (PATH) "?category=" (utf8_percent_encode(slug, KEPT)) "&country=" (country.as_str()) } { (name) }
            " " small { (counted(products, "product")) }
        }
    }
}

/// The page of a category whose answers are there.
fn answered(summary: &JsonText, parts: &[Option<Answered>], country: Country) -> Markup {
    let path = summary.text_or_empty("category");
    let mut parts = parts.iter().flatten();
    let movement = parts.next();
    html! {
        h1 { (last(&path)) " in " (country.name()) }
        p class="quiet" { (size(summary, &path)) }
        div class="hero" {
            @if let Some(movement) = movement { (headline(movement)) }
            (key_figures(parts.clone()))
        }
        @if !summary.rows("children").is_empty() {
            ul class="browse" aria-label="Narrower categories" {
                @for child in summary.rows("children") {
                    @let name = child.text_or_empty("category_path");
                    @let products = child.number("product_count").unwrap_or_default();
                    (link(&child.text_or_empty("slug"), last(&name), products as u64, country))
                }
            }
        }
        @for part in movement.into_iter().chain(parts) { (part.section(country)) }
    }
}

/// The change of prices, large.
fn headline(movement: &Answered) -> Markup {
    let answer = movement.answer.as_ref();
    html! {
        div class="headline" {
            @if let Some(figure) = answer.and_then(movement.part.figure) { strong { (figure) } }
            @if let Some(finding) = movement.finding() { p { (finding) } }
        }
    }
}

/// The figures of the other parts, which lead to their sections.
fn key_figures<'a>(parts: impl Iterator<Item = &'a Answered>) -> Markup {
    layout::scrolled(
        "In short",
        &html! {
            table {
                caption class="unseen" { "In short" }
                tbody {
                    @for Answered { part, answer, .. } in parts {
                        tr {
                            th scope="row" { a href={ "#" (part.id) } { (part.heading) } }
                            td { @match answer.as_ref().and_then(part.figure) {
                                Some(figure) => (figure),
                                None => span class="quiet" { "not known" },
                            } }
                        }
                    }
                }
            }
        },
    )
}

impl Answered {
    /// The finding of the answer, or the reason why there is none.
    fn finding(&self) -> Option<String> {
        match &self.answer {
            Some(answer) => (self.part.finding)(answer),
            None => self.outcome.refusal().map(|(reason, message)| absence(reason, message)),
        }
    }

    fn section(&self, country: Country) -> Markup {
        let Part { id, heading, route, .. } = self.part;
        let drops = self.answer.as_ref().map(|answer| answer.rows("items")).unwrap_or_default();
        let is_known = self.answer.as_ref().and_then(self.part.figure).is_some();
        let picture = self.outcome.picture(route, &self.asked).filter(|_| is_known);
        html! {
            h2 id=(id) { (heading) }
            @if let Some(picture) = picture { (picture) }
            @if !drops.is_empty() { (drops_table(drops, country)) }
            @if let Some(finding) = self.finding() { p class="finding" { (finding) } }
            p class="quiet" {
                @if let Some(anchor) = route.methodology.first() {
                    a href={ (METHODOLOGY) "#" (anchor) } { "How this is computed" }
                }
                @if self.answer.is_some() {
                    " · " a href={ (explorer::place(route.path)) "?" (self.asked.query()) } { "every figure" }
                }
            }
        }
    }
}

fn drops_table(items: &[JsonText], country: Country) -> Markup {
    let cell = |item: &JsonText, name: &str| item.text_or_empty(name);
    layout::scrolled(
        "Biggest drops",
        &html! {
            table {
                caption class="unseen" { "Biggest drops" }
                thead { tr {
                    th scope="col" { "Product" }
                    th scope="col" class="num" { "Change" }
                    th scope="col" class="num" { "From, " (country.currency()) }
                    th scope="col" class="num" { "To, " (country.currency()) }
                    th scope="col" { "Retailer" }
                } }
                tbody { @for item in items { tr {
                    th scope="row" {
                        a href={ (product::PATH) "?product_uid=" (cell(item, "product_uid")) "&country=" (country.as_str()) } {
                            (cell(item, "product_name"))
                        }
                    }
                    td class="num" { (item.number("change_pct").map(change).unwrap_or_default()) }
                    td class="num" { (price(item, "from_price").unwrap_or_default()) }
                    td class="num" { (price(item, "to_price").unwrap_or_default()) }
                    td { (cell(item, "retailer")) }
                } } }
            }
        },
    )
}

/// The page of a server that charges: the questions, the price of each answer, and how it is paid for.
fn offered(visitor: &Visitor<'_>, category: &str, quoted: &Outcome, country: Country) -> Markup {
    let understood = quoted.quote().and_then(|quote| quote.text("resolved.category_path"));
    let query = format!("category={}&country={}", utf8_percent_encode(category, KEPT), country.as_str());
    html! {
        h1 { (category) " in " (country.name()) }
        @if let Some(path) = understood { p { "Understood as " strong { (path) } "." } }
        p { "Each answer is sold by itself:" }
        ul {
            @for part in &PARTS {
                @let price = visitor.shared.route(part.route.path).and_then(|route| visitor.shared.prices.words(route));
                li {
                    a href={ (explorer::place(part.route.path)) "?" (query) } { (part.heading) }
                    // The price of the usual request; what makes one dearer stands at the form.
                    @if let Some(price) = price { ": " (price.split(';').next().unwrap_or_default()) }
                }
            }
        }
        (paying::how())
    }
}

/// Products and retailers of the category in a sentence.
fn size(summary: &JsonText, path: &str) -> String {
    let whole = |path: &str| summary.number(path).unwrap_or_default() as u64;
    let several = summary.rows("retailers").first().filter(|_| whole("retailer_count") > 1);
    let largest = several.and_then(|first| {
        let (name, products) = (first.text("retailer")?, first.number("product_count")?);
        Some(format!("; {name} lists most, {}", count(products as u64)))
    });
    format!(
        "{path}: {} at {}{}.",
        counted(whole("products"), "product"),
        counted(whole("retailer_count"), "retailer"),
        largest.unwrap_or_default()
    )
}

fn movement(answer: &JsonText) -> Option<String> {
    let Some(percent) = answer.number("lfl_change_pct") else {
        return answer.text("lfl_note").map(|note| format!("No change can be stated: {note}."));
    };
    let matched = count(answer.number("lfl_matched")? as u64);
    let moved = match percent {
        rise if rise > 0.0 => format!("rose {rise} %"),
        fall if fall < 0.0 => format!("fell {} %", fall.abs()),
        _ => "did not change".to_owned(),
    };
    let cell = |name: &str, at: usize| match answer.field(name) {
        Some(JsonText::List(values)) => values.get(at).and_then(JsonText::cell),
        _ => None,
    };
    let between = months(&cell("lfl_periods", 0)?, &cell("lfl_periods", 1)?);
    let bound = |at: usize| cell("lfl_ci95_pct", at)?.parse::<f64>().ok();
    let certainty = match bound(0).zip(bound(1)) {
        None => String::new(),
        Some((low, high)) => {
            let (low_text, high_text) = (change(low), change(high));
            let includes_zero = low <= 0.0 && high >= 0.0;
            let verdict = if includes_zero {
                "includes zero: it is not certain that prices moved"
            } else {
                "does not include zero: prices did move"
            };
            format!(" The 95 % interval, {low_text} to {high_text}, {verdict}.")
        }
    };
    let category = last(&answer.text("category")?).to_owned();
    Some(format!("Prices of {matched} matched products of {category} {moved} {between}.{certainty}"))
}

fn ladder(answer: &JsonText) -> Option<String> {
    Some(format!(
        "Half of {} products cost {} or less; nine in ten cost between {} and {}.",
        count(answer.number("products")? as u64),
        price(answer, "price_range.median")?,
        price(answer, "price_range.p05")?,
        price(answer, "price_range.p95")?,
    ))
}

fn drops(answer: &JsonText) -> Option<String> {
    let whole = |name: &str| answer.number(name).map(|number| count(number as u64));
    let first = answer.rows("items").first();
    let largest = first.and_then(|first| {
        let (name, retailer) = (first.text("product_name")?, first.text("retailer")?);
        let (from, to) = (price(first, "from_price")?, price(first, "to_price")?);
        Some(format!(" The largest drop is {name} at {retailer}, from {from} to {to}."))
    });
    Some(format!(
        "{} of {} products became cheaper within {} days.{}",
        whole("falling")?,
        whole("matched")?,
        whole("win")?,
        largest.unwrap_or_default()
    ))
}

/// The retailer with the most frequent promotions.
fn most_promotions(answer: &JsonText) -> Option<&JsonText> {
    let frequency = |row: &&JsonText| row.number("promo_frequency_pct").unwrap_or_default();
    let rows = answer.rows("retailers").iter().filter(|row| frequency(row) > 0.0);
    rows.max_by(|one, next| frequency(one).total_cmp(&frequency(next)))
}

fn promotions(answer: &JsonText) -> Option<String> {
    let retailers = answer.rows("retailers").len() as u64;
    let Some(most) = most_promotions(answer) else {
        return Some(format!("No promotion at {} in the last 30 days.", counted(retailers, "retailer")));
    };
    let depth = most.number("avg_promo_depth_pct");
    Some(format!(
        "Of {}, {} promotes most: {} % of its prices of the last 30 days were promotions{}.",
        counted(retailers, "retailer"),
        most.text("retailer")?,
        most.number("promo_frequency_pct")?,
        depth.map(|depth| format!(", {depth} % below the list price on average")).unwrap_or_default()
    ))
}

fn brands(answer: &JsonText) -> Option<String> {
    let first = answer.rows("brands").first()?;
    Some(format!(
        "{} has most products: {} of {} that name a brand ({} %).",
        first.text("brand")?,
        count(first.number("product_count")? as u64),
        count(answer.number("total_products")? as u64),
        first.number("share_pct")?
    ))
}

/// Why a part has no answer, as a person reads it.
fn absence(reason: &str, message: &str) -> String {
    match reason {
        "no_brand" => "No listing of this category names its brand.".to_owned(),
        "too_few_products" => "Too few products have prices then and now to compare them.".to_owned(),
        _ => format!("No answer: {message}."),
    }
}

/// The last name of a category path.
fn last(path: &str) -> &str {
    path.rsplit(" > ").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> JsonText {
        JsonText::read(json).expect("JSON")
    }

    #[test]
    fn a_change_is_stated_with_its_interval() {
        let said = |change: &str, interval: &str| {
            movement(&read(&format!(
                r#"{{"category": "A > Tea", "lfl_change_pct": {change}, "lfl_ci95_pct": {interval},
                    "lfl_matched": 3036, "lfl_periods": ["2026-09", "2026-10"], "lfl_note": "too few"}}"#
            )))
            .expect("a sentence")
        };
        assert_eq!(
            said("-0.22", "[-0.5, 0.06]"),
            "Prices of 3,036 matched products of Tea fell 0.22 % from September to October 2026. \
             The 95 % interval, −0.5 % to +0.06 %, includes zero: it is not certain that prices moved."
        );
        let certain = said("1.5", "[1.0, 2.0]");
        assert!(
            certain.contains("rose 1.5 %") && certain.ends_with("does not include zero: prices did move.")
        );
        assert!(said("0.0", "null").contains("did not change"));
        assert_eq!(said("null", "null"), "No change can be stated: too few.");
    }

    #[test]
    fn findings_are_sentences() {
        let bands = r#"{"products": 4094, "price_range": {"p05": 1.99, "median": 5.49, "p95": 1016.5}}"#;
        assert_eq!(
            ladder(&read(bands)).expect("a sentence"),
            "Half of 4,094 products cost $5.49 or less; nine in ten cost between $1.99 and $1,016.50."
        );
        let leaders = r#"{"win": 30, "matched": 2808, "falling": 312, "items": [{"product_name": "Carrots",
            "retailer": "loblaws", "from_price": 4.0, "to_price": 2.0}]}"#;
        assert_eq!(
            drops(&read(leaders)).expect("a sentence"),
            "312 of 2,808 products became cheaper within 30 days. The largest drop is Carrots at loblaws, from $4.00 to $2.00."
        );
        let shares = r#"{"total_products": 2659, "brands": [{"brand": "Kingston", "product_count": 576, "share_pct": 21.66}]}"#;
        assert_eq!(
            brands(&read(shares)).expect("a sentence"),
            "Kingston has most products: 576 of 2,659 that name a brand (21.66 %)."
        );
        let promotions_of = |rows: &str| promotions(&read(&format!(r#"{{"retailers": {rows}}}"#)));
        let rows = r#"[{"retailer": "a", "promo_frequency_pct": 3.0, "avg_promo_depth_pct": 9.5},
            {"retailer": "b", "promo_frequency_pct": 20.89, "avg_promo_depth_pct": null}]"#;
        assert_eq!(
            promotions_of(rows).expect("a sentence"),
            "Of 2 retailers, b promotes most: 20.89 % of its prices of the last 30 days were promotions."
        );
        assert_eq!(
            promotions_of(r#"[{"retailer": "a", "promo_frequency_pct": 0.0}]"#).expect("a sentence"),
            "No promotion at 1 retailer in the last 30 days."
        );
    }
}
