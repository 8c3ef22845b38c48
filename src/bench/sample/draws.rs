//! The rules by which requests are drawn, by route: the weight of the route, and how each of its parameters is drawn.

use anyhow::Context as _;
use percent_encoding::{AsciiSet, utf8_percent_encode};

use self::Draw::{
    Basket, Brand, BrandPrefix, Bricks, Category, Country, Cursor, OneOf, Phrases, Product, ProductId,
    ProductIds, Retailer, RetailerOrBrand, Root, Sometimes,
};
use super::Scope;
use crate::catalog::Listing;
use crate::query::endpoint::Route;
use crate::query::params::KEPT;
use crate::stats::rng::Rng;

/// Characters that a client does not escape in a query string.
const UNESCAPED: &AsciiSet = &KEPT.remove(b'/');
/// Numbers of products in a list, and of items in a basket.
const LIST: [usize; 4] = [5, 10, 20, 50];
const BASKET: [usize; 4] = [3, 6, 10, 20];
/// Number of items on a page.
const PAGE: usize = 20;
/// Maximum number of words in a search text.
const WORDS_MAX: usize = 5;

/// How a parameter is drawn.
enum Draw {
    /// The country of the scope.
    Country,
    /// The slug of the category.
    Category,
    /// The slug of the root of the category, as `parent`.
    Root,
    /// A cursor: the index of the first item of a page of the category. The first pages are drawn most often.
    Cursor,
    /// A product by its listing, its entity, its barcode or its name.
    Product,
    /// A product by its listing or its entity.
    ProductId,
    /// Several different products, all by the same kind of id.
    ProductIds,
    /// A shopping list, mostly with a quantity of one for each product.
    Basket,
    /// A brand of the country.
    Brand,
    /// The first letters of a brand of the country.
    BrandPrefix,
    /// A retailer of a listing of the category, if the retailer is serving eligible.
    Retailer,
    /// A brand of the category in at most 40 % of the draws, otherwise a retailer of the category.
    RetailerOrBrand,
    /// Labels of categories, as in a request to classify another category tree.
    Phrases,
    /// Codes of bricks.
    Bricks,
    /// One of the values. A value that is listed twice is drawn twice as often.
    OneOf(&'static str, &'static [&'static str]),
    /// A parameter that this percentage of requests has. Requests about a category as a whole do not have it.
    Sometimes(usize, &'static Draw),
}

/// How the requests of a route are drawn.
pub(in crate::bench) struct RouteDraws {
    /// Name of the route.
    name: &'static str,
    /// Weight of the route, in thousandths. Most requests look up one product. Pages of a category are the second
    /// most frequent, and statistics the third.
    pub(in crate::bench) weight: u32,
    parameters: &'static [Draw],
}

const fn of(name: &'static str, weight: u32, parameters: &'static [Draw]) -> RouteDraws {
    RouteDraws { name, weight, parameters }
}

const A_RETAILER: Draw = Sometimes(20, &Retailer);
/// Time windows. The last 30 days are drawn twice as often as each other window.
const WINDOW: Draw = OneOf("time_window", WINDOWS);
const WINDOWS: &[&str] =
    &["last_90_days", "last_60_days", "last_30_days", "last_30_days", "month_over_month"];
const INDEX_DAYS: Draw = OneOf("lookback_days", &["180", "180", "90", "365"]);
const METHOD: Draw = Sometimes(30, &OneOf("method", &["jevons_chained", "jevons_fixed", "tpd"]));
const CHANGE_DAYS: Draw = OneOf("win", &["30", "30", "7", "90"]);
const DIRECTION: Draw = OneOf("direction", &["all", "up", "down"]);
const SORT: Draw = Sometimes(30, &OneOf("sort", &["price_desc"]));
const BY_BRAND: Draw = Sometimes(20, &OneOf("aggregate_by", &["brand"]));
/// Requests about a category as a whole use the first value, `retailer`, because some sources do not state brands.
const DIVISION: Draw = OneOf("aggregate_by", &["retailer", "brand"]);

static ROUTES: [RouteDraws; 29] = [
    of("best-price", 290, &[Product, Country]),
    of("best-prices", 30, &[ProductIds, Country]),
    of("basket", 20, &[Basket, Country]),
    of("price-history", 170, &[ProductId, Country, OneOf("lookback_days", &["30", "30", "60", "90", "180"])]),
    of("price-drop-alert", 60, &[ProductId, Country, OneOf("threshold_pct", &["1", "5", "10"])]),
    of("deal-finder", 30, &[Category, Country, OneOf("min_discount_pct", &["5", "10", "30"])]),
    of("competitive-landscape", 100, &[Category, Country, Cursor, SORT, A_RETAILER]),
    of("promo-intelligence", 10, &[Category, Country, WINDOW, DIVISION]),
    of("share-of-shelf", 20, &[Category, Country, A_RETAILER]),
    of("brand-tracker", 10, &[Brand, Country, WINDOW]),
    of("brand-breakdown", 5, &[Brand, Country, WINDOW]),
    of("price-positioning", 10, &[RetailerOrBrand, Category, Country]),
    of("availability-index", 5, &[Category, Country, WINDOW, BY_BRAND]),
    of("retailer-assortment", 5, &[Retailer, Category, Country, WINDOW]),
    of("category-summary", 20, &[Category, Country, WINDOW, A_RETAILER]),
    of("category-concentration", 5, &[Category, Country, DIVISION]),
    of("price-change-leaders", 10, &[Category, Country, A_RETAILER, CHANGE_DAYS, DIRECTION]),
    of("price-index", 10, &[Category, Country, A_RETAILER, INDEX_DAYS, METHOD]),
    of("inflation", 20, &[Category, Country, WINDOW, A_RETAILER]),
    of("retailer-index", 10, &[Retailer, Category, Country, WINDOW]),
    of("price-bands", 30, &[Category, Country]),
    of("price-dispersion", 20, &[Category, Country, A_RETAILER]),
    of("classify", 20, &[Phrases]),
    of("brick-attributes", 20, &[Bricks]),
    of("categories", 20, &[Country, Sometimes(60, &Root)]),
    of("retailers", 10, &[Country]),
    of("brands", 20, &[BrandPrefix, Country]),
    of("coverage", 10, &[Country, OneOf("limit", &["20", "50", "200"])]),
    of("stats", 10, &[Sometimes(30, &Country)]),
];

impl RouteDraws {
    /// The draws of a route; `None` for a route without examples, because such a route does not return data of the
    /// snapshot.
    ///
    /// # Errors
    /// Returns an error if the route has examples but no line in [`ROUTES`].
    pub(in crate::bench) fn of(route: &Route) -> anyhow::Result<Option<&'static Self>> {
        if route.examples.is_empty() {
            return Ok(None);
        }
        let found = ROUTES.iter().find(|draws| draws.name == route.name());
        found.map(Some).with_context(|| {
            format!("requests of {} cannot be drawn; add a line to ROUTES in {}", route.path, file!())
        })
    }

    /// Whether the route is about a classification, which a snapshot may lack.
    pub(in crate::bench) fn needs_classification(&self) -> bool {
        self.parameters.iter().any(|draw| matches!(draw, Phrases | Bricks))
    }

    /// A query string; `None` if the snapshot has no value for a parameter that is not optional.
    pub(super) fn query(&self, scope: &Scope<'_>, rng: &mut Rng) -> Option<String> {
        let mut query = String::new();
        for draw in self.parameters {
            let (draw, optional) = match draw {
                Sometimes(pct, draw) if !scope.whole && rng.chance(*pct) => (*draw, true),
                Sometimes(..) => continue,
                draw => (draw, false),
            };
            match scope.value(draw, rng) {
                Some((name, value)) => {
                    let separator = if query.is_empty() { "" } else { "&" };
                    query.extend([separator, name, "="]);
                    query.extend(utf8_percent_encode(&value, UNESCAPED));
                }
                None if optional => {}
                None => return None,
            }
        }
        Some(query)
    }
}

impl Scope<'_> {
    /// Name and value of a parameter; `None` if the snapshot does not contain a value for the parameter.
    fn value(&self, draw: &Draw, rng: &mut Rng) -> Option<(&'static str, String)> {
        let catalog = self.sampler.catalog;
        let taxonomy = &catalog.taxonomy;
        Some(match draw {
            Country => ("country", self.popular.country.as_str().to_owned()),
            Category => ("category", taxonomy.node(self.node).slug.clone()),
            Root => ("parent", taxonomy.node(taxonomy.node(self.node).root).slug.clone()),
            Cursor => {
                let pages = self.rows().len() / PAGE;
                ("cursor", (rng.zipf(pages + 1) * PAGE).to_string())
            }
            Product => self.product(rng)?,
            ProductId => {
                let listing = self.listing(rng)?;
                if rng.chance(70) {
                    ("product_uid", listing.uid().to_string())
                } else {
                    ("entity_uid", listing.entity_uid().to_string())
                }
            }
            ProductIds => self.product_ids(rng)?,
            Basket => ("items", self.basket(rng)?),
            Brand => ("brand", self.brand(rng)?.to_owned()),
            BrandPrefix => {
                let letters = 1 + rng.below(3);
                ("q", self.brand(rng)?.chars().take(letters).collect())
            }
            Retailer => ("retailer", self.retailer(rng)?),
            RetailerOrBrand => self.retailer_or_brand(rng)?,
            Phrases => {
                let nodes = (0..=rng.below(3)).filter_map(|_| rng.popular(&self.popular.nodes));
                let labels: Vec<_> = nodes.map(|&node| taxonomy.node(node).label.replace(',', " ")).collect();
                ("q", labels.join(","))
            }
            Bricks => {
                let gpc = catalog.classification.as_ref()?;
                let bricks = (0..=rng.below(2)).map(|_| rng.pick(&self.sampler.bricks));
                let codes: Option<Vec<_>> =
                    bricks.map(|brick| Some(format!("{:08}", gpc.code(*brick?)))).collect();
                ("gpc_code", codes?.join(","))
            }
            OneOf(name, values) => {
                let value = if self.whole { values.first() } else { rng.pick(values) };
                (name, (*value?).to_owned())
            }
            Sometimes(_, draw) => return self.value(draw, rng),
        })
    }

    /// Priced listings of the category.
    fn rows(&self) -> &[u32] {
        self.sampler.catalog.taxonomy.priced_rows(self.popular.country, self.node)
    }

    /// A listing of the country.
    fn listing(&self, rng: &mut Rng) -> Option<Listing<'_>> {
        rng.popular(&self.popular.rows).map(|&row| self.sampler.catalog.listing(row))
    }

    fn brand(&self, rng: &mut Rng) -> Option<&str> {
        rng.popular(&self.popular.brands).map(|&brand| &*self.sampler.catalog.brands[brand].label)
    }

    fn product(&self, rng: &mut Rng) -> Option<(&'static str, String)> {
        let listing = self.listing(rng)?;
        Some(match (rng.below(100), listing.gtin()) {
            (0..35, _) => ("product_uid", listing.uid().to_string()),
            (35..60, _) => ("entity_uid", listing.entity_uid().to_string()),
            (60..75, Some(gtin)) => ("q", gtin),
            _ => ("q", text(listing.name(), rng)),
        })
    }

    fn product_ids(&self, rng: &mut Rng) -> Option<(&'static str, String)> {
        let count = *rng.pick(&LIST)?;
        let (name, id): (_, fn(Listing<'_>) -> Option<String>) = match rng.below(3) {
            0 => ("gtin", |listing| listing.gtin()),
            1 => ("product_uid", |listing| Some(listing.uid().to_string())),
            _ => ("entity_uid", |listing| Some(listing.entity_uid().to_string())),
        };
        let ids = self.ids(count, rng, id);
        (!ids.is_empty()).then(|| (name, ids.join(",")))
    }

    fn basket(&self, rng: &mut Rng) -> Option<String> {
        let count = *rng.pick(&BASKET)?;
        let mut items = self.ids(count, rng, |listing| {
            Some(listing.gtin().unwrap_or_else(|| listing.entity_uid().to_string()))
        });
        for item in &mut items {
            if rng.chance(30) {
                *item = format!("{item}*{}", 2 + rng.below(4));
            }
        }
        Some(items.join(","))
    }

    /// Distinct ids of `count` drawn listings, in the order in which they are drawn.
    fn ids(&self, count: usize, rng: &mut Rng, id: impl Fn(Listing<'_>) -> Option<String>) -> Vec<String> {
        let mut ids: Vec<String> = Vec::with_capacity(count);
        for _ in 0..count {
            let drawn = self.listing(rng).and_then(&id);
            ids.extend(drawn.filter(|drawn| !ids.contains(drawn)));
        }
        ids
    }

    fn retailer(&self, rng: &mut Rng) -> Option<String> {
        let listing = self.sampler.catalog.listing(*rng.pick(self.rows())?);
        self.popular.retailers.contains(&listing.platform()).then(|| listing.retailer().to_owned())
    }

    fn retailer_or_brand(&self, rng: &mut Rng) -> Option<(&'static str, String)> {
        if rng.chance(40) {
            let listing = self.sampler.catalog.listing(*rng.pick(self.rows())?);
            if let Some(brand) = listing.brand() {
                return Some(("brand", brand.to_owned()));
            }
        }
        Some(("retailer", self.retailer(rng)?))
    }
}

/// A few neighbouring words of a name, mostly its first words, because these identify the product best.
fn text(name: &str, rng: &mut Rng) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let count = (2 + rng.below(WORDS_MAX - 1)).min(words.len());
    let from = if rng.chance(75) { 0 } else { rng.below(words.len() - count + 1) };
    words[from..from + count].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;

    #[test]
    fn every_line_is_of_a_route_and_every_route_with_examples_has_a_line() {
        let routes = endpoints::routes();
        for draws in &ROUTES {
            assert_eq!(routes.iter().filter(|route| route.name() == draws.name).count(), 1, "{}", draws.name);
        }
        for route in &routes {
            assert!(RouteDraws::of(route).is_ok(), "{}", route.path);
        }
        assert_eq!(ROUTES.iter().map(|draws| draws.weight).sum::<u32>(), 1000);
    }

    #[test]
    fn a_text_is_a_part_of_the_name() {
        let mut rng = Rng::new(4);
        for name in ["One", "Red Kettle", "Dairy  Free Becel Plant Butter Salted 454g, 454g Brick"] {
            let plain = name.split_whitespace().collect::<Vec<_>>().join(" ");
            for _ in 0..50 {
                let text = text(name, &mut rng);
                assert!(!text.is_empty() && plain.contains(&text), "{text} of {name}");
                assert!(text.split(' ').count() <= WORDS_MAX);
            }
        }
    }
}
