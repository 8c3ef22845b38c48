//! The page of a category: how its prices moved, its price ladder, the largest drops, its retailers and its brands.
//!
//! Each part is the answer of one route, its picture, and a sentence that states the finding.

use std::cmp::Reverse;

use futures_util::future::join_all;
use hyper::StatusCode;
use maud::{Markup, html};

use super::explorer::{self, Outcome, QueryString, Search};
use super::layout::{self, Section};
use super::wording::{change, count, counted, currency, day, months, percent, price};
use super::{METHODOLOGY, asked_country, paying, product};
use crate::endpoints::{
    CATEGORIES, CATEGORY_SUMMARY, INFLATION, PRICE_BANDS, PRICE_CHANGE_LEADERS, PROMO_INTELLIGENCE,
    SHARE_OF_SHELF,
};
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::descriptor::Descriptor;
use crate::query::json_text::JsonText;
use crate::server::pages::{PageResponse, Visitor};
use crate::types::{Country, Day};

/// Most narrower categories that category-summary lists.
const CHILDREN_MAX: usize = 20;
/// Days of the shortest month.
const MONTH_DAYS_MIN: u32 = 28;

/// Path of the page.
pub(super) const PATH: &str = "/category";

const ABOUT: &str =
    "How the prices of a category moved, its price ladder, its largest drops, its retailers and its brands.";
/// Largest drops that are listed.
const DROPS: &str = "8";
/// Most root categories that are listed.
const ROOTS_MAX: &str = "1000";

/// A question about a category, and how the page words the answer of its route.
struct Part {
    id: &'static str,
    heading: &'static str,
    route: &'static Descriptor,
    params: &'static [(&'static str, &'static str)],
    /// The figure in two or three words; `None` where there is none.
    figure: fn(&JsonText) -> Option<String>,
    /// The finding in a sentence.
    finding: fn(&JsonText) -> Option<String>,
    /// The rows that the page lists where the route has no picture.
    rows: Option<fn(&JsonText, &str) -> Markup>,
}

/// The parts in the order of the page. The first one is also shown large.
const PARTS: [Part; 5] = [
    Part {
        id: "movement",
        heading: "How prices moved",
        route: INFLATION,
        params: &[("time_window", "month_over_month")],
        figure: |answer| answer.number("lfl_change_pct").map(change),
        finding: movement,
        rows: None,
    },
    Part {
        id: "ladder",
        heading: "Price ladder",
        route: PRICE_BANDS,
        params: &[],
        figure: |answer| Some(format!("{} in the middle", price(answer, "price_range.median")?)),
        finding: ladder,
        rows: None,
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
        rows: Some(drops_table),
    },
    Part {
        id: "retailers",
        heading: "Promotions by retailer",
        route: PROMO_INTELLIGENCE,
        params: &[("aggregate_by", "retailer"), ("time_window", "last_30_days")],
        figure: |answer| {
            let most = most_promotions(answer)?;
            Some(format!("{} promotes most", most.text("retailer")?))
        },
        finding: promotions,
        rows: None,
    },
    Part {
        id: "brands",
        heading: "Share of brands",
        route: SHARE_OF_SHELF,
        params: &[],
        figure: |answer| {
            let first = answer.rows("brands").first()?;
            Some(format!("{} {}", first.text("brand")?, percent(first.number("share_pct")?)))
        },
        finding: brands,
        rows: None,
    },
];

/// A part with the outcome of its request.
struct Answered {
    part: &'static Part,
    asked: QueryString,
    outcome: Outcome,
}

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>, wallet: Option<&Wallet>) -> PageResponse {
    let asked = QueryString::read(visitor.query);
    let country = asked_country(visitor, &asked);
    let search = explorer::search(&Search::CATEGORY, asked.value("category").unwrap_or_default(), &country);
    let (Some(category), Some(route)) =
        (asked.value("category"), visitor.shared.route(CATEGORY_SUMMARY.path))
    else {
        let main = html! { h1 { "Categories" } (search) (roots(visitor, &country).await) };
        return layout::live(StatusCode::OK, Section::Categories, "Categories", ABOUT, &main);
    };
    let scope = QueryString::default().with("category", category).with("country", &country);
    let outcome = Outcome::buy(visitor, wallet, route, &scope).await;
    let main = match (outcome.answer(), outcome.quote()) {
        (Some(summary), _) => {
            let parts = join_all(PARTS.iter().map(|part| ask(visitor, wallet, part, &scope))).await;
            let parts: Vec<Answered> = parts.into_iter().flatten().collect();
            let outcomes = [&outcome].into_iter().chain(parts.iter().map(|part| &part.outcome));
            html! { (search) (answered(summary, &parts, &paying::paid(outcomes))) }
        }
        (None, Some(quote)) => html! { (search) (offered(visitor, category, quote, &scope)) },
        (None, None) => {
            let product = QueryString::default().with("q", category).with("country", &country);
            html! {
                (search) h1 { (category) } (outcome.section(PATH, route, &scope))
                p { a href={ (product::PATH) "?" (product.query()) } { "Search for a product named “" (category) "”" } }
            }
        }
    };
    layout::live(outcome.status(), Section::Categories, category, ABOUT, &main)
}

impl Part {
    /// The request about a scope.
    fn asked(&self, scope: &QueryString) -> QueryString {
        self.params.iter().fold(scope.clone(), |asked, (name, value)| asked.with(name, value))
    }
}

/// Asks the route of a part. Where prices cannot be compared in the window, and the answer names a longer one in which
/// they can, that one is asked for.
async fn ask(
    visitor: &Visitor<'_>,
    wallet: Option<&Wallet>,
    part: &'static Part,
    scope: &QueryString,
) -> Option<Answered> {
    let route = visitor.shared.route(part.route.path)?;
    let asked = part.asked(scope);
    let outcome = Outcome::buy(visitor, wallet, route, &asked).await;
    match outcome.answer().and_then(|answer| answer.text("lfl_try")) {
        None => Some(Answered { part, asked, outcome }),
        Some(longer) => {
            let asked = asked.with("time_window", &longer);
            let outcome = Outcome::buy(visitor, wallet, route, &asked).await;
            Some(Answered { part, asked, outcome })
        }
    }
}

/// Root categories with the number of their products, most products first.
pub(super) async fn roots(visitor: &Visitor<'_>, country: &str) -> Markup {
    let Some(route) = visitor.shared.route(CATEGORIES.path) else { return html! {} };
    let asked = QueryString::default().with("country", country).with("limit", ROOTS_MAX);
    let outcome = Outcome::ask(visitor, route, &asked).await;
    let Some(answer) = outcome.answer() else { return explorer::failed(outcome.status()) };
    let products = |root: &&JsonText| root.count("products").unwrap_or_default();
    let mut roots: Vec<&JsonText> = answer.rows("items").iter().filter(|root| products(root) > 0).collect();
    roots.sort_by_key(|root| Reverse(products(root)));
    html! {
        ul class="browse" aria-label="Categories" {
            @for root in roots { (link(root, &root.text_or_empty("category_path"), products(&root), country)) }
        }
    }
}

/// A category as a link to its page, with the number of its products.
fn link(category: &JsonText, name: &str, products: u64, country: &str) -> Markup {
    let query =
        QueryString::default().with("category", &category.text_or_empty("slug")).with("country", country);
    html! {
        li { a href={ (PATH) "?" (query.query()) } { (name) } " " small { (counted(products, "product")) } }
    }
}

/// The page of a category whose answers are there.
fn answered(summary: &JsonText, parts: &[Answered], paid: &Markup) -> Markup {
    let (path, country) = (summary.text_or_empty("category"), summary.text_or_empty("country"));
    html! {
        h1 { (last(&path)) @if let Some(country) = Country::read(&country) { " in " (country.name()) } }
        p class="quiet" { (size(summary, &path)) }
        div class="hero" {
            @if let Some(movement) = parts.first() { (headline(movement)) }
            (key_figures(parts.get(1..).unwrap_or_default()))
        }
        (paid)
        @if !summary.rows("children").is_empty() {
            ul class="browse" aria-label="Narrower categories" {
                @for child in summary.rows("children") {
                    @let products = child.count("product_count").unwrap_or_default();
                    (link(child, last(&child.text_or_empty("category_path")), products, &country))
                }
                @if summary.rows("children").len() == CHILDREN_MAX {
                    @let child = summary.first_text("children.slug").unwrap_or_default();
                    @let parent = child.rsplit_once('/').map_or("", |(parent, _)| parent);
                    @let all = QueryString::default().with("parent", parent).with("country", &country);
                    li { a href={ (explorer::place(CATEGORIES.path)) "?" (all.query()) } { "all" } }
                }
            }
        }
        @for part in parts { (part.section(&country)) }
    }
}

/// The change of prices, large.
fn headline(movement: &Answered) -> Markup {
    html! {
        div class="headline" {
            @if let Some(figure) = movement.figure() { strong { (figure) } }
            @if let Some(finding) = movement.finding() { p { (finding) } }
        }
    }
}

/// The figures of the other parts, which lead to their sections.
fn key_figures(parts: &[Answered]) -> Markup {
    let figures = parts.iter().filter_map(|answered| Some((answered.part, answered.figure()?)));
    layout::scrolled(
        "In short",
        &html! {
            table {
                caption class="unseen" { "In short" }
                tbody {
                    @for (part, figure) in figures {
                        tr {
                            th scope="row" { a href={ "#" (part.id) } { (part.heading) } }
                            td { (figure) }
                        }
                    }
                }
            }
        },
    )
}

impl Answered {
    fn figure(&self) -> Option<String> {
        self.outcome.answer().and_then(self.part.figure)
    }

    /// The finding of the answer, or the reason why there is none.
    fn finding(&self) -> Option<String> {
        match self.outcome.answer() {
            Some(answer) => (self.part.finding)(answer),
            None => self.outcome.refusal().map(|(reason, message)| absence(reason, message)),
        }
    }

    fn section(&self, country: &str) -> Markup {
        let Part { id, heading, route, rows, .. } = self.part;
        let answer = self.outcome.answer();
        // A picture without its figure is empty.
        let picture = self.figure().and_then(|_| self.outcome.picture(route, &self.asked));
        html! {
            h2 id=(id) { (heading) }
            @if let Some(picture) = picture { (picture) }
            @if let Some((rows, answer)) = rows.zip(answer) { (rows(answer, country)) }
            @if let Some(finding) = self.finding() { p class="finding" { (finding) } }
            p class="quiet" {
                @if let Some(anchor) = route.methodology.first() {
                    a href={ (METHODOLOGY) "#" (anchor) } { "How this is computed" }
                }
                @if answer.is_some() {
                    " · " a href={ (explorer::place(route.path)) "?" (self.asked.query()) } { "every figure" }
                }
            }
        }
    }
}

fn drops_table(answer: &JsonText, country: &str) -> Markup {
    let currency = currency(country);
    let table = html! {
        table {
            caption class="unseen" { "Biggest drops" }
            thead { tr {
                th scope="col" { "Product" }
                th scope="col" class="num" { "Change" }
                th scope="col" class="num" { "From, " (currency) }
                th scope="col" class="num" { "To, " (currency) }
                th scope="col" { "Retailer" }
            } }
            tbody { @for item in answer.rows("items") { tr {
                th scope="row" {
                    a href=(product::address(&item.text_or_empty("product_uid"), country)) { (item.text_or_empty("product_name")) }
                }
                td class="num" { (item.number("change_pct").map(change).unwrap_or_default()) }
                td class="num" { (price(item, "from_price").unwrap_or_default()) }
                td class="num" { (price(item, "to_price").unwrap_or_default()) }
                td { (item.text_or_empty("retailer")) }
            } } }
        }
    };
    html! { @if !answer.rows("items").is_empty() { (layout::scrolled("Biggest drops", &table)) } }
}

/// The page of a server that charges: the questions, the price of each answer, and how it is paid for.
fn offered(visitor: &Visitor<'_>, category: &str, quote: &JsonText, scope: &QueryString) -> Markup {
    let shared = visitor.shared;
    html! {
        h1 { (category) }
        @if let Some(path) = quote.text("resolved.category_path") { p { "Understood as " strong { (path) } "." } }
        p { "Each answer is sold by itself:" }
        ul {
            @for part in &PARTS {
                li {
                    a href={ (explorer::place(part.route.path)) "?" (part.asked(scope).query()) } { (part.heading) }
                    @if let Some(price) = shared.price(part.route.path) { ": " (price) }
                }
            }
        }
        (paying::help())
    }
}

/// Products and retailers of the category in a sentence.
fn size(summary: &JsonText, path: &str) -> String {
    let retailers = summary.count("retailer_count").unwrap_or_default();
    let largest = summary.rows("retailers").first().filter(|_| retailers > 1);
    let largest = largest.and_then(|first| {
        Some(format!(
            "; {} has most of them, {}",
            first.text("retailer")?,
            count(first.count("product_count")?)
        ))
    });
    format!(
        "{path}: {} with a current price at {}{}. Prices in {}.",
        counted(summary.count("products").unwrap_or_default(), "product"),
        counted(retailers, "retailer"),
        largest.unwrap_or_default(),
        summary.text_or_empty("currency")
    )
}

fn movement(answer: &JsonText) -> Option<String> {
    let note = answer.text("lfl_note").map(|note| format!(" {note}.")).unwrap_or_default();
    let Some(moved) = answer.number("lfl_change_pct") else {
        return Some(format!("No change can be stated.{note}"));
    };
    let moved = match moved {
        rise if rise > 0.0 => format!("rose {}", percent(rise)),
        fall if fall < 0.0 => format!("fell {}", percent(fall.abs())),
        _ => "did not change".to_owned(),
    };
    let periods: Vec<String> = answer.rows("lfl_periods").iter().filter_map(JsonText::cell).collect();
    let [from, to] = &periods[..] else { return None };
    let interval: Vec<f64> = answer.rows("lfl_ci95_pct").iter().filter_map(JsonText::as_number).collect();
    let certainty = match interval[..] {
        [low, high] => {
            let verdict = if low <= 0.0 && high >= 0.0 {
                "includes zero: it is not certain that prices moved"
            } else {
                "does not include zero: prices did move"
            };
            format!(" The 95 % interval, {} to {}, {verdict}.", change(low), change(high))
        }
        _ => String::new(),
    };
    Some(format!(
        "Prices of {} of {} {moved} {}{}.{certainty}{note}",
        counted(answer.count("lfl_matched")?, "matched product"),
        last(&answer.text("category")?),
        months(from, to),
        same_days(answer).unwrap_or_default()
    ))
}

/// The days that are compared, where the newer month is not over.
fn same_days(answer: &JsonText) -> Option<String> {
    let end = Day::parse(&answer.text("window.to")?)?;
    let (_, _, last) = end.plus_days(-1).ymd();
    (answer.text("window.preset")? == "month_over_month" && last < MONTH_DAYS_MIN)
        .then(|| format!(" (days 1 to {last} of both)"))
}

fn ladder(answer: &JsonText) -> Option<String> {
    Some(format!(
        "Half of {} cost {} or less; nine in ten cost between {} and {}.",
        counted(answer.count("products")?, "product"),
        price(answer, "price_range.median")?,
        price(answer, "price_range.p05")?,
        price(answer, "price_range.p95")?,
    ))
}

fn drops(answer: &JsonText) -> Option<String> {
    let first = answer.rows("items").first();
    let largest = first.and_then(|first| {
        let (name, retailer) = (first.text("product_name")?, first.text("retailer")?);
        let (from, to) = (price(first, "from_price")?, price(first, "to_price")?);
        Some(format!(" The largest drop is {name} at {retailer}, from {from} to {to}."))
    });
    let errors = answer
        .count("trimmed")
        .filter(|errors| *errors > 0)
        .map(|errors| format!(" Changes beyond half or double are left out as errors: {}.", count(errors)));
    Some(format!(
        "{} of {} fell by more than 1 %: their lowest price of {} to {} is compared with that of {} to {}, and a drop may \
         be over.{}{}",
        count(answer.count("falling")?),
        counted(answer.count("matched")?, "product"),
        day(&answer.text("bands.base_from")?),
        day(&answer.text("bands.base_to")?),
        day(&answer.text("bands.recent_from")?),
        day(&answer.text("bands.recent_to")?),
        largest.unwrap_or_default(),
        errors.unwrap_or_default()
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
        let retailers = counted(retailers, "retailer");
        return Some(format!("No promotion was recorded at {retailers} in the last 30 days."));
    };
    let depth = most.number("avg_promo_depth_pct");
    Some(format!(
        "{} promotes most of {}: {} of its prices of the last 30 days were promotions{}.",
        most.text("retailer")?,
        counted(retailers, "retailer"),
        percent(most.number("promo_frequency_pct")?),
        depth
            .map(|depth| format!(", {} below the list price on average", percent(depth)))
            .unwrap_or_default()
    ))
}

fn brands(answer: &JsonText) -> Option<String> {
    let first = answer.rows("brands").first()?;
    Some(format!(
        "{} has most products: {} of {} that name a brand ({}).",
        first.text("brand")?,
        count(first.count("product_count")?),
        count(answer.count("total_products")?),
        percent(first.number("share_pct")?)
    ))
}

/// Why a part has no answer, as a person reads it.
fn absence(reason: &str, message: &str) -> String {
    match reason {
        "no_brand" => "No listing of this category names its brand.".to_owned(),
        "too_few_products" => "There are too few products with prices to compare.".to_owned(),
        _ if message.is_empty() => "The server did not answer. Try again in a moment.".to_owned(),
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
        let said = |change: &str, interval: &str, end: &str, note: &str| {
            movement(&read(&format!(
                r#"{{"category": "A > Tea", "lfl_change_pct": {change}, "lfl_ci95_pct": {interval},
                    "lfl_matched": 3036, "lfl_periods": ["2026-09", "2026-10"], "lfl_note": {note},
                    "window": {{"preset": "month_over_month", "to": "{end}"}}}}"#
            )))
            .expect("a sentence")
        };
        assert_eq!(
            said("-0.22", "[-0.5, 0.06]", "2026-10-31", "null"),
            "Prices of 3,036 matched products of Tea fell 0.22\u{a0}% from September to October 2026. \
             The 95 % interval, −0.50\u{a0}% to +0.06\u{a0}%, includes zero: it is not certain that prices moved."
        );
        assert_eq!(
            said("1.5", "[1.0, 2.0]", "2026-10-11", "\"Few matched\""),
            "Prices of 3,036 matched products of Tea rose 1.50\u{a0}% from September to October 2026 (days 1 to 10 of both). \
             The 95 % interval, +1.00\u{a0}% to +2.00\u{a0}%, does not include zero: prices did move. Few matched."
        );
        assert!(
            said("0.0", "null", "2026-11-01", "null")
                .ends_with("did not change from September to October 2026.")
        );
        assert_eq!(
            said("null", "null", "2026-11-01", "\"Only 0 products matched\""),
            "No change can be stated. Only 0 products matched."
        );
    }

    #[test]
    fn findings_are_sentences() {
        let bands = r#"{"products": 4094, "price_range": {"p05": 1.99, "median": 5.49, "p95": 1016.5}}"#;
        assert_eq!(
            ladder(&read(bands)).expect("a sentence"),
            "Half of 4,094 products cost $5.49 or less; nine in ten cost between $1.99 and $1,016.50."
        );
        let leaders = r#"{"matched": 2808, "falling": 312, "leaders": 300, "trimmed": 12, "items": [{"product_name": "Carrots",
            "retailer": "loblaws", "from_price": 4.0, "to_price": 2.0}],
            "bands": {"base_from": "2026-09-23", "base_to": "2026-09-29", "recent_from": "2026-10-20",
            "recent_to": "2026-10-26"}}"#;
        assert_eq!(
            drops(&read(leaders)).expect("a sentence"),
            "312 of 2,808 products fell by more than 1 %: their lowest price of 23 September 2026 to 29 September 2026 is \
             compared with that of 20 October 2026 to 26 October 2026, and a drop may be over. The largest drop is Carrots \
             at loblaws, from $4.00 to $2.00. Changes beyond half or double are left out as errors: 12."
        );
        let shares = r#"{"total_products": 2659, "brands": [{"brand": "Kingston", "product_count": 576, "share_pct": 21.66}]}"#;
        assert_eq!(
            brands(&read(shares)).expect("a sentence"),
            "Kingston has most products: 576 of 2,659 that name a brand (21.66\u{a0}%)."
        );
        let promotions_of = |rows: &str| promotions(&read(&format!(r#"{{"retailers": {rows}}}"#)));
        let rows = r#"[{"retailer": "a", "promo_frequency_pct": 3.0, "avg_promo_depth_pct": 9.5},
            {"retailer": "b", "promo_frequency_pct": 20.89, "avg_promo_depth_pct": null}]"#;
        assert_eq!(
            promotions_of(rows).expect("a sentence"),
            "b promotes most of 2 retailers: 20.89\u{a0}% of its prices of the last 30 days were promotions."
        );
        assert_eq!(
            promotions_of(r#"[{"retailer": "a", "promo_frequency_pct": 0.0}]"#).expect("a sentence"),
            "No promotion was recorded at 1 retailer in the last 30 days."
        );
    }
}
