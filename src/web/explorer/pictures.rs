//! Which answers are drawn: the rows that a picture shows, and where its figure is defined.

use maud::{Markup, html};

use crate::query::json_text::JsonText;

/// A picture of some rows of an answer.
#[derive(Debug)]
pub(super) struct Picture {
    /// Path of the route.
    route: &'static str,
    /// Field of the answer whose rows are drawn, and shown as a table behind it.
    pub(super) rows: &'static str,
    /// The word by which the script knows how to draw it.
    kind: &'static str,
    /// What it shows.
    pub(super) title: &'static str,
    /// Anchor of its figure in the methodology.
    figure: &'static str,
}

const fn picture(
    route: &'static str,
    rows: &'static str,
    kind: &'static str,
    title: &'static str,
    figure: &'static str,
) -> Picture {
    Picture { route, rows, kind, title, figure }
}

/// Every picture.
static PICTURES: &[Picture] = &[
    picture(
        "/v1/shopper/price-history",
        "series",
        "price-history",
        "Price by day, its drops marked",
        "price-history",
    ),
    picture(
        "/v1/analyst/inflation",
        "time_series",
        "inflation",
        "Change of prices, matched and naive",
        "inflation-like-for-like",
    ),
    picture(
        "/v1/analyst/price-bands",
        "tiers",
        "price-bands",
        "Products by price, on a logarithmic scale",
        "price-bands",
    ),
    picture(
        "/v1/analyst/retailer-index",
        "time_series",
        "retailer-index",
        "Prices of the retailer against the category's",
        "retailer-index",
    ),
    picture("/v1/analyst/price-dispersion", "histogram", "dispersion", "Products by price", "dispersion"),
    picture(
        "/v1/marketing/share-of-shelf",
        "brands",
        "share-of-shelf",
        "Share of the shelf by brand",
        "share-of-shelf",
    ),
    picture(
        "/v1/marketing/promo-intelligence",
        "retailers",
        "promo",
        "Promotions by retailer: how many, how deep",
        "promotions",
    ),
    picture(
        "/v1/marketing/promo-intelligence",
        "brands",
        "promo",
        "Promotions by brand: how many, how deep",
        "promotions",
    ),
    picture(
        "/v1/marketing/competitive-landscape",
        "items",
        "landscape",
        "Prices on this page, by retailer",
        "category-page",
    ),
];

/// The picture of an answer: the first whose rows it has.
pub(super) fn of(route: &str, answer: &JsonText) -> Option<&'static Picture> {
    let has_rows = |rows: &str| matches!(answer.field(rows), Some(JsonText::List(rows)) if !rows.is_empty());
    PICTURES.iter().find(|picture| picture.route == route && has_rows(picture.rows))
}

impl Picture {
    /// The place of the picture; a script draws it, and the table behind it says the same.
    pub(super) fn figure(&self) -> Markup {
        html! {
            figure class="picture" data-picture=(self.kind) data-rows=(self.rows) {
                figcaption {
                    span { (self.title) } " "
                    a href={ "/docs/methodology#" (self.figure) } { "How this figure is made" }
                }
            }
        }
    }
}
