//! From a draw to a query string.

use super::{Popular, Query, Sampler};
use crate::bench::rng::Rng;
use crate::bench::routes::About;
use crate::catalog::{Listing, Node};

/// Presets of a window, the usual ones more often.
const WINDOWS: [&str; 8] = [
    "last_30_days",
    "last_30_days",
    "last_30_days",
    "last_60_days",
    "last_60_days",
    "last_90_days",
    "last_90_days",
    "month_over_month",
];
/// The window of a category as a whole.
const LONG_WINDOW: &str = "last_90_days";
/// Days of a price index; the first are its default.
const INDEX_DAYS: [&str; 4] = ["180", "180", "90", "365"];
/// Products of a list, and of a basket.
const LIST: [usize; 4] = [5, 10, 20, 50];
const BASKET: [usize; 4] = [3, 6, 10, 20];
/// Days of a price history.
const LOOKBACKS: [&str; 5] = ["30", "30", "60", "90", "180"];
/// Items of a page.
const PAGE: usize = 20;
/// Most words of a text that is searched for.
const WORDS_MAX: usize = 5;

/// What a request is about: a country and a category of it, and whatever else is drawn.
pub(super) struct Draw<'a> {
    pub(super) sampler: &'a Sampler<'a>,
    pub(super) popular: &'a Popular,
    pub(super) node: Node,
    /// Whether the category is asked for as a whole, over the longest of the usual windows.
    pub(super) whole: bool,
}

impl Draw<'_> {
    /// Writes the parameters of a request; `false` where the snapshot has nothing of the kind.
    pub(super) fn write(&self, about: About, query: &mut Query, rng: &mut Rng) -> bool {
        match about {
            About::Product => self.product(query, rng),
            About::Products => return self.products(query, rng),
            About::Basket => self.basket(query, rng),
            About::History => {
                self.pinned(query, rng);
                query.put("lookback_days", rng.pick(&LOOKBACKS).unwrap_or(&"30"));
            }
            About::Drops => {
                self.pinned(query, rng);
                query.put("threshold_pct", ["1", "5", "10"][rng.below(3)]);
            }
            About::Deals => {
                self.category("category", query);
                query.put("min_discount_pct", ["5", "10", "30"][rng.below(3)]);
            }
            About::Page => self.page(query, rng),
            About::Promotions => self.promotions(query, rng),
            About::CategoryScope => {
                self.category("category", query);
                self.sometimes_retailer(query, rng);
            }
            About::ShelfInWindow => {
                self.category("category", query);
                self.sometimes_retailer(query, rng);
                self.window(query, rng);
            }
            About::Division => self.division(query, rng),
            About::Stock => self.stock(query, rng),
            About::Changes => self.changes(query, rng),
            About::Index => self.index(query, rng),
            About::Position => return self.position(query, rng),
            About::Node => self.category("node", query),
            About::Brand => return self.brand(query, rng),
            About::Retailer => return self.retailer_index(query, rng),
            About::Phrases => self.phrases(query, rng),
            About::Bricks => return self.bricks(query, rng),
            About::Categories => self.categories(query, rng),
            About::BrandPrefix => return self.prefix(query, rng),
            About::Retailers => query.put("country", self.country()),
            About::Coverage => {
                query.put("country", self.country());
                query.put("limit", ["20", "50", "200"][rng.below(3)]);
            }
            About::Stats => self.stats(query, rng),
        }
        true
    }

    fn country(&self) -> &'static str {
        self.popular.country.as_str()
    }

    /// One country or, mostly, both.
    fn stats(&self, query: &mut Query, rng: &mut Rng) {
        if rng.chance(30) {
            query.put("country", self.country());
        }
    }

    fn category(&self, parameter: &str, query: &mut Query) {
        query.put(parameter, &self.sampler.catalog.taxonomy.node(self.node).slug);
        query.put("country", self.country());
    }

    fn row(&self, rng: &mut Rng) -> u32 {
        rng.popular(&self.popular.rows).copied().unwrap_or_default()
    }

    /// A product by its listing, its entity, its barcode or its name.
    fn product(&self, query: &mut Query, rng: &mut Rng) {
        let listing = self.sampler.catalog.listing(self.row(rng));
        let way = rng.below(100);
        match (way, listing.gtin()) {
            (0..35, _) => query.put("product_uid", &listing.uid().to_string()),
            (35..60, _) => query.put("entity_uid", &listing.entity_uid().to_string()),
            (60..75, Some(gtin)) => query.put("q", &gtin),
            _ => query.put("q", &text(listing.name(), rng)),
        }
        query.put("country", self.country());
    }

    /// Different products by one kind of id, as somebody sends them who keeps a catalog.
    fn products(&self, query: &mut Query, rng: &mut Rng) -> bool {
        let way = rng.below(3);
        let id = |listing: Listing<'_>| match way {
            0 => listing.gtin(),
            1 => Some(listing.uid().to_string()),
            _ => Some(listing.entity_uid().to_string()),
        };
        let most = LIST[rng.below(LIST.len())];
        let ids = self.ids(most, rng, id);
        query.put(["gtin", "product_uid", "entity_uid"][way], &ids.join(","));
        query.put("country", self.country());
        !ids.is_empty()
    }

    /// A shopping list, mostly one of each.
    fn basket(&self, query: &mut Query, rng: &mut Rng) {
        let most = BASKET[rng.below(BASKET.len())];
        let mut items = self.ids(most, rng, |listing| {
            Some(listing.gtin().unwrap_or_else(|| listing.entity_uid().to_string()))
        });
        for item in &mut items {
            if rng.chance(30) {
                *item = format!("{item}*{}", 2 + rng.below(4));
            }
        }
        query.put("items", &items.join(","));
        query.put("country", self.country());
    }

    /// Ids of drawn listings, at most so many, each once, in the order in which they came.
    fn ids(&self, most: usize, rng: &mut Rng, id: impl Fn(Listing<'_>) -> Option<String>) -> Vec<String> {
        let mut ids: Vec<String> = Vec::with_capacity(most);
        for _ in 0..most {
            let drawn = id(self.sampler.catalog.listing(self.row(rng)));
            ids.extend(drawn.filter(|drawn| !ids.contains(drawn)));
        }
        ids
    }

    /// A product by its listing or its entity.
    fn pinned(&self, query: &mut Query, rng: &mut Rng) {
        let listing = self.sampler.catalog.listing(self.row(rng));
        if rng.chance(70) {
            query.put("product_uid", &listing.uid().to_string());
        } else {
            query.put("entity_uid", &listing.entity_uid().to_string());
        }
        query.put("country", self.country());
    }

    /// A page, mostly one of the first, now and then one far behind.
    fn page(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        let pages = self.sampler.catalog.taxonomy.priced_rows(self.popular.country, self.node).len() / PAGE;
        let cursor = rng.zipf(pages + 1) * PAGE;
        if cursor > 0 {
            query.put("cursor", &cursor.to_string());
        }
        if rng.chance(30) {
            query.put("sort", "price_desc");
        }
        self.sometimes_retailer(query, rng);
    }

    fn promotions(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        self.window(query, rng);
        query.put("aggregate_by", if self.whole || rng.chance(50) { "retailer" } else { "brand" });
    }

    fn window(&self, query: &mut Query, rng: &mut Rng) {
        let drawn = *rng.pick(&WINDOWS).unwrap_or(&LONG_WINDOW);
        query.put("time_window", if self.whole { LONG_WINDOW } else { drawn });
    }

    /// Shares by brand or by retailer: not every source names brands, and the largest category is to be answered.
    fn division(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        let by_retailer = self.whole || rng.chance(30);
        query.put("aggregate_by", if by_retailer { "retailer" } else { "brand" });
    }

    fn stock(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        self.window(query, rng);
        if rng.chance(20) && !self.whole {
            query.put("aggregate_by", "brand");
        }
    }

    fn changes(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        self.sometimes_retailer(query, rng);
        query.put("win", if self.whole { "30" } else { ["7", "30", "30", "90"][rng.below(4)] });
        query.put("direction", ["all", "up", "down"][rng.below(3)]);
    }

    /// A price index, mostly as it comes by default.
    fn index(&self, query: &mut Query, rng: &mut Rng) {
        self.category("category", query);
        self.sometimes_retailer(query, rng);
        let days = if self.whole { INDEX_DAYS[0] } else { INDEX_DAYS[rng.below(INDEX_DAYS.len())] };
        query.put("lookback_days", days);
        if rng.chance(30) && !self.whole {
            query.put("method", ["jevons_chained", "jevons_fixed", "tpd"][rng.below(3)]);
        }
    }

    /// A retailer or a brand of a listing of the category, whichever it has.
    fn position(&self, query: &mut Query, rng: &mut Rng) -> bool {
        if rng.chance(60) && self.retailer(query, rng) {
            self.category("category", query);
            return true;
        }
        let catalog = self.sampler.catalog;
        let rows = catalog.taxonomy.priced_rows(self.popular.country, self.node);
        let brand = rng.pick(rows).and_then(|&row| catalog.listing(row).brand());
        let is_told = match brand {
            Some(brand) => {
                query.put("brand", brand);
                true
            }
            None => self.retailer(query, rng),
        };
        if is_told {
            self.category("category", query);
        }
        is_told
    }

    fn sometimes_retailer(&self, query: &mut Query, rng: &mut Rng) {
        if rng.chance(20) && !self.whole {
            self.retailer(query, rng);
        }
    }

    /// A retailer of a listing of the category, if it is served.
    fn retailer(&self, query: &mut Query, rng: &mut Rng) -> bool {
        let catalog = self.sampler.catalog;
        let rows = catalog.taxonomy.priced_rows(self.popular.country, self.node);
        let Some(&row) = rng.pick(rows) else { return false };
        let listing = catalog.listing(row);
        if !self.popular.retailers.contains(&listing.platform()) {
            return false;
        }
        query.put("retailer", listing.retailer());
        true
    }

    fn brand(&self, query: &mut Query, rng: &mut Rng) -> bool {
        let Some(&brand) = rng.popular(&self.popular.brands) else { return false };
        query.put("brand", &self.sampler.catalog.brands[brand].label);
        query.put("country", self.country());
        self.window(query, rng);
        true
    }

    fn retailer_index(&self, query: &mut Query, rng: &mut Rng) -> bool {
        if !self.retailer(query, rng) {
            return false;
        }
        self.category("category", query);
        self.window(query, rng);
        true
    }

    /// Labels of categories, as somebody who has a tree of their own would have them classified.
    fn phrases(&self, query: &mut Query, rng: &mut Rng) {
        let taxonomy = &self.sampler.catalog.taxonomy;
        let phrases: Vec<String> = (0..=rng.below(3))
            .filter_map(|_| rng.popular(&self.popular.nodes))
            .map(|&node| taxonomy.node(node).label.replace(',', " "))
            .collect();
        query.put("q", &phrases.join(","));
    }

    fn bricks(&self, query: &mut Query, rng: &mut Rng) -> bool {
        let Some(gpc) = &self.sampler.catalog.classification else { return false };
        let codes: Vec<String> = (0..=rng.below(2))
            .filter_map(|_| rng.pick(&self.sampler.bricks))
            .map(|&node| format!("{:08}", gpc.code(node)))
            .collect();
        query.put("gpc_code", &codes.join(","));
        !codes.is_empty()
    }

    fn categories(&self, query: &mut Query, rng: &mut Rng) {
        query.put("country", self.country());
        if rng.chance(60) {
            let taxonomy = &self.sampler.catalog.taxonomy;
            query.put("parent", &taxonomy.node(taxonomy.node(self.node).root).slug);
        }
    }

    /// The beginning of a brand, as somebody types it.
    fn prefix(&self, query: &mut Query, rng: &mut Rng) -> bool {
        let Some(&brand) = rng.popular(&self.popular.brands) else { return false };
        let letters = 1 + rng.below(3);
        query.put("q", &self.sampler.catalog.brands[brand].label.chars().take(letters).collect::<String>());
        query.put("country", self.country());
        true
    }
}

/// A few neighbouring words of a name; mostly its first ones, as they name the product best.
fn text(name: &str, rng: &mut Rng) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let count = (2 + rng.below(WORDS_MAX - 1)).min(words.len());
    let from = if rng.chance(75) { 0 } else { rng.below(words.len() - count + 1) };
    words[from..from + count].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
