//! A basket as people compare it: a row for each item, a column for each retailer, and what all of it costs there.

use maud::{Markup, html};

use crate::endpoints::BASKET;
use crate::query::json_text::JsonText;
use crate::web::layout;

/// Retailers that are shown beside each other: those that carry most.
const COLUMNS_MAX: usize = 8;

/// The basket of an answer as a table; `None` for other answers.
pub(super) fn table(route: &str, answer: &JsonText) -> Option<Markup> {
    if route != BASKET.path {
        return None;
    }
    let retailers = answer.rows("retailers");
    let shown = &retailers[..retailers.len().min(COLUMNS_MAX)];
    let names: Vec<String> = shown.iter().map(|row| row.text_or_empty("retailer")).collect();
    let split: Vec<String> = match answer.at("split.retailers") {
        Some(JsonText::List(names)) => names.iter().filter_map(JsonText::cell).collect(),
        _ => Vec::new(),
    };
    let currency = answer.text_or_empty("currency");
    let caption = format!("The basket by retailer, {currency}: unit prices, and sums for the quantities");
    Some(html! {
        h3 { "The basket" }
        (layout::scrolled(&caption, &html! {
            table class="basket" {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "item" }
                    th scope="col" class="num" { "quantity" }
                    @for name in &names { th scope="col" class="num" { (name) } }
                } }
                tbody { @for item in answer.rows("items") { (row(item, &names)) } }
                tfoot {
                    (sums("carried", shown, "items_carried"))
                    (sums("sum of the carried items", shown, "total"))
                    (sums("with the other items bought elsewhere", shown, "completed_total"))
                }
            }
        }))
        @if split.len() > 1 {
            @let sum = answer.text_or_empty("split.total");
            p {
                "Each item where it is cheapest (" (split.join(", ")) "): " (sum) " " (currency) ", "
                (answer.text_or_empty("split_saving")) " less than at one retailer."
            }
        }
        @if retailers.len() > shown.len() {
            p class="note" { "The " (shown.len()) " retailers that carry most items; the table below has more." }
        }
    })
}

/// An item: its price at each retailer, the cheapest marked.
fn row(item: &JsonText, retailers: &[String]) -> Markup {
    let offers = item.rows("offers");
    let cheapest = offers.first().map(|offer| offer.text_or_empty("retailer"));
    let at = |name: &String| offers.iter().find(|offer| offer.text_or_empty("retailer") == *name);
    let status = item.text_or_empty("status");
    html! {
        tr {
            th scope="row" {
                @if status == "ok" { (item.text_or_empty("product_name")) } @else { (item.text_or_empty("item")) " (" (status.replace('_', " ")) ")" }
            }
            td class="num" { (item.text_or_empty("quantity")) }
            @for name in retailers {
                td class="num" {
                    @match at(name).map(|offer| offer.text_or_empty("price")) {
                        None => span class="unknown" { span aria-hidden="true" { "–" } span class="unseen" { "not sold" } },
                        Some(price) if cheapest.as_ref() == Some(name) => strong { (price) },
                        Some(price) => (price),
                    }
                }
            }
        }
    }
}

fn sums(name: &str, retailers: &[JsonText], field: &str) -> Markup {
    html! {
        tr {
            th scope="row" colspan="2" { (name) }
            @for retailer in retailers { td class="num" { (retailer.text_or_empty(field)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::COVERAGE;

    #[test]
    fn a_basket_has_a_column_for_each_retailer_and_marks_the_cheapest() {
        let answer = JsonText::read(
            r#"{"currency": "CAD",
                "items": [
                  {"item": "x", "quantity": 2, "status": "ok", "product_name": "Tea",
                   "offers": [{"retailer": "a", "price": 3.0}, {"retailer": "b", "price": 4.0}]},
                  {"item": "y", "quantity": 1, "status": "ok", "product_name": "Jam",
                   "offers": [{"retailer": "b", "price": 5.0}]},
                  {"item": "zz", "quantity": 1, "status": "not_a_barcode", "product_name": null, "offers": []}],
                "retailers": [
                  {"retailer": "b", "items_carried": 2, "total": 13.0, "completed_total": 13.0},
                  {"retailer": "a", "items_carried": 1, "total": 6.0, "completed_total": 11.0}],
                "split": {"retailers": ["a", "b"], "items_carried": 2, "total": 11.0},
                "split_saving": 2.0}"#,
        );
        let page = table(BASKET.path, &answer.unwrap()).unwrap().into_string();
        for part in [
            "<th scope=\"row\">Tea</th><td class=\"num\">2</td><td class=\"num\">4.0</td><td class=\"num\"><strong>3.0</strong></td>",
            "zz (not a barcode)",
            "(a, b): 11.0 CAD, 2.0 less than at one retailer.",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(table(COVERAGE.path, &JsonText::Nothing).is_none());
    }
}
