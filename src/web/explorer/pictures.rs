//! Which answers are drawn, and the rows that a picture shows.

use maud::{Markup, html};

use crate::query::json_text::JsonText;
use crate::web::definitions;

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
}

const fn picture(
    route: &'static str,
    rows: &'static str,
    kind: &'static str,
    title: &'static str,
) -> Picture {
    Picture { route, rows, kind, title }
}

/// Every picture.
static PICTURES: &[Picture] = &[
    picture("/v1/shopper/price-history", "series", "price-history", "Price by day, its drops marked"),
    picture("/v1/analyst/inflation", "time_series", "inflation", "Change of prices, matched and naive"),
    picture("/v1/analyst/price-bands", "tiers", "price-bands", "Price tiers, on a logarithmic scale"),
    picture(
        "/v1/analyst/retailer-index",
        "time_series",
        "retailer-index",
        "Prices of the retailer against the category's",
    ),
    picture("/v1/analyst/price-dispersion", "histogram", "dispersion", "Products by price"),
    picture("/v1/marketing/share-of-shelf", "brands", "share-of-shelf", "Share of the shelf by brand"),
    picture(
        "/v1/marketing/promo-intelligence",
        "retailers",
        "promo",
        "Promotions by retailer: how many, how deep",
    ),
    picture("/v1/marketing/promo-intelligence", "brands", "promo", "Promotions by brand: how many, how deep"),
    picture(
        "/v1/analyst/price-index",
        "time_series",
        "price-index",
        "The index, its interval, and what other methods say",
    ),
    picture("/v1/marketing/availability-index", "retailers", "availability", "Products in stock by retailer"),
    picture("/v1/marketing/availability-index", "brands", "availability", "Products in stock by brand"),
    picture("/v1/marketing/retailer-assortment", "overlap", "overlap", "What other retailers sell too"),
    picture("/v1/marketing/competitive-landscape", "items", "landscape", "Prices on this page, by retailer"),
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
                    @if let Some(figure) = definitions::of(self.route).first() {
                        a href={ (definitions::METHODOLOGY) "#" (figure) } { "How this figure is made" }
                    }
                }
            }
        }
    }
}
