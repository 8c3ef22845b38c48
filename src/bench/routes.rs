//! What is asked of each route and how often: one line a route, the only place of the generator that names them.

use anyhow::Context as _;

use crate::query::endpoint::Route;

/// What a request of a route is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A product by uid, entity, barcode or text.
    Product,
    /// Many products by one kind of id.
    Products,
    /// A shopping list.
    Basket,
    /// The history of a product by uid.
    History,
    /// The drops of a product by uid.
    Drops,
    /// Discounts on a shelf.
    Deals,
    /// A page of a shelf.
    Page,
    /// Promotions of a shelf in a window.
    Promotions,
    /// A shelf as it is today.
    CategoryScope,
    /// A shelf in a window.
    ShelfInWindow,
    /// How a shelf is divided among brands or retailers.
    Division,
    /// The stock of a shelf in a window, by retailer or brand.
    Stock,
    /// What became dearer or cheaper on a shelf.
    Changes,
    /// The price index of a shelf.
    Index,
    /// A brand or a retailer against its shelf.
    Position,
    /// A node of either tree.
    Node,
    /// A brand in a window.
    Brand,
    /// A retailer on a shelf in a window.
    Retailer,
    /// Phrases to classify.
    Phrases,
    /// Bricks by code.
    Bricks,
    /// The category tree.
    Categories,
    /// The beginning of a brand's name.
    BrandPrefix,
    /// The retailers of a country.
    Retailers,
    /// What the snapshot covers.
    Coverage,
    /// How much the snapshot holds.
    Stats,
}

/// What is asked of a route.
pub(super) struct Asked {
    /// Last segment of its path.
    name: &'static str,
    /// Requests of it in a thousand: mostly look-ups of one product, then pages of a shelf, then statistics.
    pub(super) weight: u32,
    pub(super) about: About,
}

const fn asked(name: &'static str, weight: u32, about: About) -> Asked {
    Asked { name, weight, about }
}

static ASKED: [Asked; 29] = [
    asked("best-price", 290, About::Product),
    asked("best-prices", 30, About::Products),
    asked("basket", 20, About::Basket),
    asked("price-history", 170, About::History),
    asked("price-drop-alert", 60, About::Drops),
    asked("deal-finder", 30, About::Deals),
    asked("competitive-landscape", 100, About::Page),
    asked("promo-intelligence", 10, About::Promotions),
    asked("share-of-shelf", 20, About::CategoryScope),
    asked("brand-tracker", 10, About::Brand),
    asked("brand-breakdown", 5, About::Brand),
    asked("price-positioning", 10, About::Position),
    asked("availability-index", 5, About::Stock),
    asked("retailer-assortment", 5, About::Retailer),
    asked("category-summary", 20, About::ShelfInWindow),
    asked("category-concentration", 5, About::Division),
    asked("price-change-leaders", 10, About::Changes),
    asked("price-index", 10, About::Index),
    asked("inflation", 20, About::ShelfInWindow),
    asked("retailer-index", 10, About::Retailer),
    asked("price-bands", 30, About::Node),
    asked("price-dispersion", 20, About::CategoryScope),
    asked("classify", 20, About::Phrases),
    asked("brick-attributes", 20, About::Bricks),
    asked("categories", 20, About::Categories),
    asked("retailers", 10, About::Retailers),
    asked("brands", 20, About::BrandPrefix),
    asked("coverage", 10, About::Coverage),
    asked("stats", 10, About::Stats),
];

/// The name of a route in a mix: the last segment of its path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Asked {
    /// What is asked of a route; `None` of one that no snapshot answers.
    ///
    /// # Errors
    /// For a route that has examples and no line in the table above.
    pub(super) fn of(route: &Route) -> anyhow::Result<Option<&'static Self>> {
        if route.examples.is_empty() {
            return Ok(None);
        }
        let found = ASKED.iter().find(|asked| asked.name == name(route.path));
        found.map(Some).with_context(|| {
            format!("nothing says what is asked of {}; give it a line in bench/load/routes.rs", route.path)
        })
    }

    /// Whether it is about a classification, which a snapshot may lack.
    pub(super) fn needs_classification(&self) -> bool {
        matches!(self.about, About::Phrases | About::Bricks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;

    #[test]
    fn every_line_is_of_a_route_and_every_route_that_answers_has_one() {
        let routes = endpoints::routes();
        for asked in &ASKED {
            assert_eq!(
                routes.iter().filter(|route| name(route.path) == asked.name).count(),
                1,
                "{}",
                asked.name
            );
        }
        for route in &routes {
            assert!(Asked::of(route).is_ok(), "{}", route.path);
        }
        assert_eq!(ASKED.iter().map(|asked| asked.weight).sum::<u32>(), 1000);
    }
}
