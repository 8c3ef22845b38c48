//! The page of a product: what it costs and where, what it cost before, and what is like it.
//!
//! It shows the answers of best-price and price-history and computes nothing of its own.

use hyper::StatusCode;
use maud::{Markup, html};
use percent_encoding::utf8_percent_encode;

use super::explorer::{self, Outcome, QueryString, Search};
use super::layout::{self, Section};
use super::wording::{currency, day, price, short_day};
use super::{METHODOLOGY, asked_country, paying};
use crate::endpoints::{BEST_PRICE, PRICE_HISTORY};
use crate::payment::protocols::x402::wallet::Wallet;
use crate::query::json_text::JsonText;
use crate::query::params::KEPT;
use crate::server::pages::{PageResponse, Visitor};

/// Path of the page.
pub(super) const PATH: &str = "/product";

const ABOUT: &str = "What a product costs now, at which retailer, and what it cost before.";
/// Match quality from which on a product is shown without a note that it may be another one.
const SURE_QUALITY: f64 = 0.6;
/// Names of the parameters that name a product, in the order in which they are used.
const PRODUCT: [&str; 3] = ["product_uid", "entity_uid", Q];
/// The parameter of a product by name.
const Q: &str = "q";
/// The days of the history, as price-history calls them.
const HISTORY_WINDOW: &str = "last_90_days";
/// Offers of other retailers that are seen at once.
const OFFERS_SEEN: usize = 6;

/// The page.
pub(super) async fn show(visitor: &Visitor<'_>, wallet: Option<&Wallet>) -> PageResponse {
    let asked = QueryString::read(visitor.query);
    let country = asked_country(visitor, &asked);
    let search = explorer::search(&Search::PRODUCT, asked.value("q").unwrap_or_default(), &country);
    let product = PRODUCT.into_iter().find_map(|name| Some((name, asked.value(name)?)));
    let Some((route, (name, value))) = visitor.shared.route(BEST_PRICE.path).zip(product) else {
        return layout::live(
            StatusCode::OK,
            Section::Products,
            "Products",
            ABOUT,
            &html! { h1 { "What does it cost?" } (search) },
        );
    };
    let asked = QueryString::default().with(name, value).with("country", &country).with("linking", "likely");
    let outcome = Outcome::buy(visitor, wallet, route, &asked).await;
    let Some(answer) = outcome.answer() else {
        let title = if name == Q { value } else { "Product" };
        let main = html! { (search) h1 { (title) } (outcome.section(PATH, route, &asked)) (price_of_answer(visitor)) };
        return layout::live(outcome.status(), Section::Products, title, ABOUT, &main);
    };
    let past = Past::ask(visitor, wallet, answer).await;
    let name = &answer.text_or_empty("best_price.product_name");
    let main = html! {
        (search)
        (note(answer))
        h1 { (name) }
        p class="quiet" { (about(answer)) }
        div class="hero" { (headline(answer, past.as_ref())) (offers(answer)) }
        (paying::paid([&outcome].into_iter().chain(past.as_ref().map(|past| &past.outcome))))
        (likely(answer))
        @if let Some(past) = &past { (past.section(answer)) }
        (related(answer))
        details {
            summary { "For developers: this answer as JSON, curl, Python, TypeScript" }
            p { a href={ (explorer::place(BEST_PRICE.path)) "?" (asked.query()) } { "Every field of the answer, and the request as a program" } "." }
        }
    };
    layout::live(StatusCode::OK, Section::Products, name, ABOUT, &main)
}

/// How an answer is paid for, at a server that charges.
fn price_of_answer(visitor: &Visitor<'_>) -> Markup {
    html! {
        @if let Some(price) = visitor.shared.price(BEST_PRICE.path) {
            p { "An answer costs " (price) "; a refusal costs nothing." }
            (paying::help())
        }
    }
}

/// A sentence above a product that may be another one than was asked for.
fn note(answer: &JsonText) -> Markup {
    let is_sure = answer.number("match_quality").is_none_or(|quality| quality >= SURE_QUALITY);
    let query = answer.text("query").filter(|_| !is_sure);
    let missing: Vec<String> = answer
        .rows("dropped_terms")
        .iter()
        .map(|term| format!("“{}”", term.cell().unwrap_or_default()))
        .collect();
    html! {
        @if let Some(query) = query {
            p class="note" {
                "No exact match for “" (query) "”. Nearest: " (answer.text_or_empty("best_price.product_name"))
                @if !missing.is_empty() { "; its name does not have " (missing.join(", ")) }
                "."
            }
        }
    }
}

/// Category, brand, condition and barcode in a line.
fn about(answer: &JsonText) -> String {
    let parts = [
        answer.text("resolved_product.category_path"),
        answer.text("resolved_product.brand"),
        answer.text("best_price.condition").filter(|condition| condition != "new"),
        // As it is printed: a GTIN of 8, 12 or 13 digits has zeros before it here.
        answer.text("resolved_product.gtin").map(|gtin| {
            let printed = ["000000", "00", "0"].into_iter().find_map(|zeros| gtin.strip_prefix(zeros));
            let printed = printed.unwrap_or(&gtin);
            format!("barcode {printed}")
        }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The price, its retailer, and the day on which it was seen.
fn headline(answer: &JsonText, past: Option<&Past>) -> Markup {
    let is_resolved = answer.at("best_price.product_uid") == answer.at("resolved_product.product_uid");
    let url = answer.text("resolved_product.url").filter(|_| is_resolved);
    let url = url.filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    let retailer = answer.text_or_empty("best_price.retailer");
    html! {
        div class="headline" {
            strong { (price(answer, "best_price.price").unwrap_or_default()) " " span { (currency(&answer.text_or_empty("country"))) } }
            p {
                "at " span class="where" { @match url {
                    Some(url) => a href=(url) rel="nofollow noopener" { (retailer) },
                    None => (retailer),
                } }
                @if let Some(offer) = answer.field("best_price") {
                    " " span class="quiet" { (stock(offer)) ", seen " span class="day" { (day(&observed(offer))) } }
                }
            }
            @if let Some(lowest) = past.and_then(Past::lowest) { p { (lowest) } }
            p class="quiet" {
                @if let Some(unit_price) = price(answer, "best_price.unit_price.price") {
                    (unit_price) " per " (answer.text_or_empty("best_price.unit_price.per")) " · "
                }
                @match answer.number("retailers_compared") {
                    Some(retailers) if retailers > 1.0 => { "lowest of " (retailers) " retailers" }
                    _ => "not matched at another retailer",
                }
                @if answer.is_true("match_suspect") { " · the offers may be of different products" }
            }
        }
    }
}

/// The offers of all retailers.
fn offers(answer: &JsonText) -> Markup {
    let best = answer.field("best_price").into_iter();
    let offers: Vec<&JsonText> = best.chain(answer.rows("other_prices")).take(OFFERS_SEEN).collect();
    table("Offers", &offers, answer, "Retailer", |offer, _| html! { (offer.text_or_empty("retailer")) })
}

/// Offers of what is likely the same product.
fn likely(answer: &JsonText) -> Markup {
    let offers: Vec<&JsonText> = answer.rows("likely_matches").iter().collect();
    html! {
        @if !offers.is_empty() {
            h2 { "Likely the same product at other shops" }
            p class="quiet" {
                "Matched by name, not by barcode: verify before you rely on it."
                @if answer.is_true("likely_cheaper") {
                    " One of them is cheaper than " (price(answer, "best_price.price").unwrap_or_default()) "."
                }
            }
            (table("Likely the same product", &offers, answer, "Product", linked))
        }
    }
}

/// Products like it.
fn related(answer: &JsonText) -> Markup {
    let offers: Vec<&JsonText> = answer.rows("related_matches").iter().collect();
    html! {
        @if !offers.is_empty() {
            h2 { "Related products" }
            (table("Related products", &offers, answer, "Product", linked))
        }
    }
}

/// The page of a listing.
pub(super) fn address(product_uid: &str, country: &str) -> String {
    format!("{PATH}?product_uid={}&country={country}", utf8_percent_encode(product_uid, KEPT))
}

/// A product as a link to its page, with its retailer.
fn linked(offer: &JsonText, country: &str) -> Markup {
    html! {
        a href=(address(&offer.text_or_empty("product_uid"), country)) { (offer.text_or_empty("product_name")) }
        " " span class="quiet" { "at " (offer.text_or_empty("retailer")) }
    }
}

/// Offers as a table: the first column says whose, then price, price per unit, day and stock.
fn table(
    caption: &str,
    offers: &[&JsonText],
    answer: &JsonText,
    first: &str,
    whose: impl Fn(&JsonText, &str) -> Markup,
) -> Markup {
    let country = answer.text_or_empty("country");
    let has_units = offers.iter().any(|offer| offer.number("unit_price.price").is_some());
    let table = html! {
        table {
            caption class="unseen" { (caption) }
            thead { tr {
                th scope="col" { (first) }
                th scope="col" class="num" { "Price, " (currency(&country)) }
                @if has_units { th scope="col" class="num unit" { "per unit" } }
                th scope="col" { "Seen" }
                th scope="col" { "Stock" }
            } }
            tbody { @for offer in offers { tr {
                th scope="row" { (whose(offer, &country)) }
                td class="num" { (price(offer, "price").unwrap_or_default()) }
                @if has_units { td class="num unit" {
                    @if let Some(unit_price) = price(offer, "unit_price.price") { (unit_price) " / " (offer.text_or_empty("unit_price.per")) }
                } }
                td class="day" { (short_day(&observed(offer))) }
                td { (stock(offer)) }
            } } }
        }
    };
    layout::scrolled(caption, &table)
}

/// When the price of an offer was seen.
fn observed(offer: &JsonText) -> String {
    offer.text("observed_at").unwrap_or_else(|| offer.text_or_empty("scraped_at"))
}

fn stock(offer: &JsonText) -> &'static str {
    match offer.text_or_empty("in_stock").as_str() {
        "true" => "in stock",
        "false" => "out of stock",
        _ => "stock not known",
    }
}

/// The price history of the product.
struct Past {
    asked: QueryString,
    outcome: Outcome,
}

impl Past {
    /// Asks for the lowest price of any retailer by day, or for the prices of a listing that has no entity.
    async fn ask(visitor: &Visitor<'_>, wallet: Option<&Wallet>, answer: &JsonText) -> Option<Self> {
        let route = visitor.shared.route(PRICE_HISTORY.path)?;
        let product = match answer.text("entity_uid") {
            Some(uid) => QueryString::default().with("entity_uid", &uid),
            None => {
                QueryString::default().with("product_uid", &answer.text_or_empty("best_price.product_uid"))
            }
        };
        let asked =
            product.with("country", &answer.text_or_empty("country")).with("time_window", HISTORY_WINDOW);
        let outcome = Outcome::buy(visitor, wallet, route, &asked).await;
        Some(Self { asked, outcome })
    }

    /// The series of lowest prices, summed up.
    fn summary(&self) -> Option<&JsonText> {
        self.outcome.answer()?.field("series_summary")
    }

    /// The lowest price in a line.
    fn lowest(&self) -> Option<String> {
        let (summary, days) = (self.summary()?, self.days()?);
        let min = price(summary, "min")?;
        Some(if min == price(summary, "current")? {
            format!("the lowest price of {days}")
        } else {
            format!("lowest of {days}: {min} on {}", day(&summary.text("min_date")?))
        })
    }

    /// The days on which a price was seen, in words.
    fn days(&self) -> Option<String> {
        let series = self.outcome.answer()?.rows("series");
        let first = day(&series.first()?.text("date")?);
        Some(match series.len() {
            1 => format!("the only day seen, {first}"),
            days => format!("the {days} days seen since {first}"),
        })
    }

    /// A sentence and a picture, or the reason why there are none.
    fn section(&self, answer: &JsonText) -> Markup {
        html! {
            h2 { "Was it cheaper in the last 90 days?" }
            @match self.summary().zip(self.days()).and_then(|(summary, days)| finding(summary, &days)) {
                Some(finding) => p class="finding" { (finding) },
                None => p { (self.outcome.refusal().map_or("No price of these days is known.", |(_, message)| message)) },
            }
            @if let Some(picture) = self.outcome.picture(PRICE_HISTORY, &self.asked) { (picture) }
            p class="quiet" {
                @if answer.text("entity_uid").is_some() {
                    "A point is the lowest price among the retailers seen on that day: a step may be another retailer. "
                }
                a href={ (METHODOLOGY) "#price-history" } { "How this is computed" } " · "
                a href={ (explorer::place(PRICE_HISTORY.path)) "?" (self.asked.query()) } { "another period" }
            }
        }
    }
}

/// The finding of a history, in a sentence.
fn finding(summary: &JsonText, days: &str) -> Option<String> {
    let (current, min, max) = (price(summary, "current")?, price(summary, "min")?, price(summary, "max")?);
    let (min_day, max_day) = (day(&summary.text("min_date")?), day(&summary.text("max_date")?));
    Some(if min == max {
        format!("No: {current} on {days}.")
    } else if current == min {
        format!("No: {min} is the lowest price of {days}; the highest was {max} on {max_day}.")
    } else {
        format!("Yes: {min} on {min_day}. The highest price of {days} was {max} on {max_day}.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: &str = "the 39 days seen since 19 September 2026";

    #[test]
    fn a_history_is_a_sentence() {
        let summary = |current: f64, min: f64, max: f64| {
            let json = format!(
                r#"{{"current": {current}, "min": {min}, "max": {max}, "min_date": "2026-09-19", "max_date": "2026-10-01"}}"#
            );
            JsonText::read(&json).expect("JSON")
        };
        assert_eq!(
            finding(&summary(4.0, 4.0, 4.0), DAYS).unwrap(),
            "No: $4.00 on the 39 days seen since 19 September 2026."
        );
        assert_eq!(
            finding(&summary(4.0, 4.0, 5.5), DAYS).unwrap(),
            "No: $4.00 is the lowest price of the 39 days seen since 19 September 2026; the highest was $5.50 on 1 October 2026."
        );
        assert_eq!(
            finding(&summary(4.5, 4.0, 5.5), DAYS).unwrap(),
            "Yes: $4.00 on 19 September 2026. The highest price of the 39 days seen since 19 September 2026 was $5.50 on 1 October 2026."
        );
        assert_eq!(finding(&JsonText::Object(Vec::new()), DAYS), None);
    }
}
