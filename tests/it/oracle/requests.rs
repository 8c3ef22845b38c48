//! Request lines drawn from a catalog: every endpoint, every parameter, every way to name a shelf, and
//! requests that must be refused.

use super::dirty::{Rng, encode};
use super::load::Listing;
use super::{Oracle, day};

struct Draw<'a> {
    o: &'a Oracle,
    r: Rng,
    country: &'static str,
    parts: Vec<String>,
}

const EVERYDAY: [&str; 30] = [
    "lait",
    "thé",
    "pâté",
    "le pâté",
    "oeufs",
    "fromage bleu",
    "fromage",
    "boissons gazeuses",
    "pop",
    "fruits & vegetables",
    "légumes",
    "grignotines",
    "téléphones",
    "cellulaire",
    "wine",
    "vin",
    "coffrets-cadeaux",
    "phone cases",
    "étui pour téléphone",
    "batterie de cuisine",
    "l'épicerie",
    "biscuits",
    "chips",
    "pain",
    "jus d'orange",
    "électronique",
    "milk powder",
    "soda/pop",
    "produce",
    "beverages",
];

const PRESETS: [&str; 7] = [
    "last_30_days",
    "last_60_days",
    "last_90_days",
    "month_to_date",
    "previous_month",
    "month_over_month",
    "quarter_to_date",
];

/// A few hundred requests.
pub fn requests(oracle: &Oracle, seed: u64) -> Vec<String> {
    let mut out: Vec<String> = INVALID.iter().map(ToString::to_string).collect();
    let rng = Rng(seed ^ 0xA5A5_5A5A);
    let mut d = Draw { o: oracle, r: rng, country: "us", parts: Vec::new() };
    for round in 0..28 {
        for (path, _) in Oracle::ENDPOINTS {
            let alike = path.starts_with("/v1/public/") || path.starts_with("/v1/reference/");
            if path.starts_with("/v1/social/") || alike && round % 4 != 0 {
                continue;
            }
            d.country = if round % 8 < 4 { "ca" } else { "us" };
            out.push(d.request(path));
        }
    }
    out
}

/// Requests for texts alone.
pub fn text_requests(oracle: &Oracle, seed: u64, count: usize) -> Vec<String> {
    let mut d = Draw { o: oracle, r: Rng(seed ^ 0x7E97), country: "us", parts: Vec::new() };
    (0..count).map(|_| d.text_request()).collect()
}

impl Draw<'_> {
    fn text_request(&mut self) -> String {
        self.parts.clear();
        let l = {
            let of = self.r.below(self.o.listings.len());
            self.o.listings[of].clone()
        };
        self.country = if l.country == "ca" { "ca" } else { "us" };
        let country = self.country;
        self.put("country", country);
        let text = self.text(&l);
        self.put("q", text);
        self.maybe(15, "exact_query", &["true", "true", "false"]);
        self.maybe(30, "min_quality", &["0", "0", "0.0", "0.5", "1", "0.4"]);
        if self.r.chance(25) {
            self.put("retailer", &l.platform);
        }
        let path =
            *self.r.pick(&["best-price", "best-price", "best-price", "price-history", "price-drop-alert"]);
        if path == "best-price" {
            self.maybe(50, "limit", &["1", "3", "50"]);
        }
        format!("/v1/shopper/{path}?{}", self.parts.join("&"))
    }

    fn put(&mut self, name: &str, value: impl ToString) {
        self.parts.push(format!("{name}={}", encode(&value.to_string())));
    }

    fn maybe(&mut self, pct: u64, name: &str, values: &[&str]) {
        if self.r.chance(pct) {
            let v = *self.r.pick(values);
            self.put(name, v);
        }
    }

    fn request(&mut self, path: &str) -> String {
        self.parts.clear();
        let country = self.country;
        if country == "ca" || self.r.chance(50) {
            self.put("country", country);
        }
        match path.rsplit('/').next().unwrap_or("") {
            "best-price" => {
                self.product(true);
                self.maybe(40, "limit", &["1", "2", "5", "50"]);
                self.maybe(40, "strict", &["true", "true", "false"]);
                self.maybe(30, "linking", &["likely", "likely", "likely", "off"]);
            }
            "price-history" => {
                self.product(false);
                self.maybe(40, "win", &["7", "30", "90"]);
                match self.r.below(3) {
                    0 => self.window(),
                    1 => self.maybe(100, "lookback_days", &["1", "8", "45", "120", "400", "1100"]),
                    _ => {}
                }
            }
            "price-drop-alert" => {
                self.product(false);
                self.maybe(50, "win", &["7", "30", "90"]);
                self.maybe(50, "threshold_pct", &["1", "5", "20", "95"]);
                self.maybe(50, "target_price", &["5", "9.99", "0.01", "100"]);
            }
            "deal-finder" => {
                self.category("category");
                self.retailer(25);
                self.maybe(60, "min_discount_pct", &["0", "1", "10", "33", "95"]);
                self.maybe(70, "sort", &["verified_pct", "claimed_pct", "amount"]);
                self.maybe(50, "limit", &["1", "3", "50"]);
                self.maybe(30, "cursor", &["0", "1", "4", "1000", "4294967296"]);
            }
            "competitive-landscape" => {
                self.category("category");
                self.retailer(30);
                self.maybe(50, "sort", &["price_asc", "price_desc", "rating", "reviews"]);
                self.maybe(60, "limit", &["1", "3", "20", "50"]);
                self.maybe(40, "cursor", &["0", "1", "7", "20", "999", "18446744073709551615"]);
            }
            "promo-intelligence" => {
                self.category("category");
                self.retailer(20);
                self.brand(25, "brand");
                self.maybe(60, "aggregate_by", &["brand", "retailer"]);
                self.window();
            }
            "share-of-shelf" => {
                self.category("category");
                self.retailer(25);
            }
            "brand-tracker" => {
                self.brand(100, "brand");
                if self.r.chance(50) {
                    self.category("category");
                }
                self.retailer(15);
                self.window();
                self.maybe(40, "granularity", &["daily", "weekly", "monthly"]);
            }
            "inflation" => {
                self.shelf();
                self.retailer(20);
                self.window();
                self.maybe(50, "granularity", &["daily", "weekly", "monthly"]);
            }
            "retailer-index" => {
                self.retailer(100);
                self.shelf();
                self.window();
            }
            "price-bands" => {
                let name = if self.r.chance(50) { "node" } else { "category" };
                self.category(name);
                self.brand(30, "brand");
            }
            "price-dispersion" => {
                self.shelf();
                self.retailer(20);
            }
            "category-summary" => {
                self.shelf();
                self.retailer(20);
                self.window();
            }
            "category-concentration" => {
                self.shelf();
                self.retailer(20);
                self.maybe(60, "aggregate_by", &["brand", "retailer"]);
            }
            "price-change-leaders" => {
                self.shelf();
                self.retailer(15);
                self.maybe(70, "win", &["7", "30", "90"]);
                self.maybe(50, "direction", &["all", "up", "down"]);
                self.maybe(50, "limit", &["1", "3", "50"]);
                self.maybe(25, "cursor", &["0", "1", "2", "1000", "4294967296"]);
            }
            "price-index" => {
                self.shelf();
                self.retailer(15);
                match self.r.below(3) {
                    0 => self.window(),
                    1 => self.maybe(100, "lookback_days", &["60", "120", "400", "1100"]),
                    _ => {}
                }
                self.maybe(50, "granularity", &["weekly", "monthly"]);
                self.maybe(80, "method", &["jevons_chained", "jevons_fixed", "geks_jevons", "tpd"]);
                self.maybe(60, "splice", &["mean", "movement", "window", "half"]);
                self.maybe(60, "window_periods", &["3", "4", "7", "61"]);
            }
            "price-positioning" => {
                self.category("category");
                let whose = self.r.below(3);
                self.brand(if whose == 1 { 0 } else { 100 }, "brand");
                self.retailer(if whose == 0 { 0 } else { 100 });
            }
            "availability-index" => {
                self.category("category");
                self.retailer(20);
                self.brand(20, "brand");
                self.window();
                self.maybe(60, "aggregate_by", &["retailer", "brand"]);
            }
            "retailer-assortment" => {
                self.retailer(100);
                self.category("category");
                self.window();
                self.maybe(50, "min_retailers", &["1", "1", "3", "10"]);
                self.maybe(50, "limit", &["1", "3", "50"]);
            }
            "brand-breakdown" => {
                self.brand(100, "brand");
                if self.r.chance(60) {
                    self.category("category");
                }
                self.retailer(15);
                self.window();
            }
            "basket" => {
                let ids: Vec<String> = (0..1 + self.r.below(8)).map(|_| self.wanted()).collect();
                self.put("items", ids.join(","));
            }
            "best-prices" => {
                let name = *self.r.pick(&["gtin", "gtin", "product_uid", "entity_uid"]);
                let ids: Vec<String> = (0..1 + self.r.below(8)).map(|_| self.id(name)).collect();
                self.put(name, ids.join(","));
                self.retailer(25);
            }
            "stats" => self.parts.retain(|_| country == "ca"),
            "coverage" => {
                self.parts.retain(|_| country == "ca");
                if self.r.chance(40) {
                    let platform = self.platform();
                    self.put("platform", platform);
                }
                self.maybe(20, "category_root", &["food", "electronics", "Food", "no-such-root"]);
                self.maybe(30, "quality_status", &["serving", "thin", "stale"]);
                self.maybe(40, "limit", &["1", "2", "1000"]);
                self.maybe(40, "offset", &["0", "1", "3", "5000", "4294967296"]);
            }
            "categories" => {
                self.maybe(60, "parent", &["food", "electronics", "home", "Food > Dairy", "no-such-root"]);
                self.maybe(60, "depth", &["1", "2", "3"]);
                self.maybe(30, "limit", &["1", "2", "1000"]);
                self.maybe(30, "offset", &["0", "1", "3", "18446744073709551615"]);
            }
            "retailers" => {}
            "brands" => {
                self.maybe(40, "q", &["b", "Best", "nes", "zzz", "KELL"]);
                self.maybe(40, "limit", &["1", "2", "100"]);
            }
            "brick-attributes" => {
                self.parts.clear();
                let codes = [
                    "10000025",
                    "10000045,10000025,10000045",
                    "50000000",
                    "10000999,10000046",
                    "50131700,12345678",
                    "99999999",
                ];
                self.maybe(100, "gpc_code", &codes);
            }
            "classify" => {
                self.parts.clear();
                let phrases: Vec<String> = (0..1 + self.r.below(12)).map(|_| self.phrase()).collect();
                self.put("q", phrases.join(","));
            }
            other => panic!("no requests for {other}"),
        }
        if self.parts.is_empty() { path.to_string() } else { format!("{path}?{}", self.parts.join("&")) }
    }

    fn listing(&mut self) -> Listing {
        let here: Vec<&Listing> = self.o.listings.iter().filter(|l| l.country == self.country).collect();
        let all: Vec<&Listing> = self.o.listings.iter().collect();
        let pool = if here.is_empty() || self.r.chance(4) { all } else { here };
        (*self.r.pick(&pool)).clone()
    }

    fn product(&mut self, text: bool) {
        let l = self.listing();
        match self.r.below(if text { 16 } else { 10 }) {
            0..=2 => {
                self.put("product_uid", &l.uid);
                if self.r.chance(15) {
                    let other = if self.r.chance(50) { l.entity.clone() } else { self.listing().entity };
                    self.put("entity_uid", other);
                }
            }
            3..=5 => self.put("entity_uid", &l.entity),
            6 | 7 => match &l.gtin {
                Some(g) if self.r.chance(50) => self.put("q", g.trim_start_matches('0').to_string()),
                Some(g) => self.put("q", format!("{}-{} ", &g[..7], &g[7..])),
                None => self.put("product_uid", &l.uid),
            },
            _ => {
                let text = self.text(&l);
                self.put("q", text);
                self.maybe(25, "exact_query", &["true", "true", "false"]);
                self.maybe(30, "min_quality", &["0", "0.5", "1", "1.01", "0.123", ".5", "-1"]);
            }
        }
        match self.r.below(10) {
            0 | 1 => {
                let own = odd_case(&mut self.r, &l.platform);
                self.put("retailer", own);
            }
            2 => {
                let any = self.platform();
                self.put("retailer", any);
            }
            _ => {}
        }
    }

    /// An id of a list that is meant to hold ids of one kind; now and then it is another's, or nothing's.
    fn id(&mut self, kind: &str) -> String {
        let l = self.listing();
        if self.r.chance(6) {
            let odd = ["zz", "p_0000000000000", "e_1", "4006381333931", "12 34", "p_ab"];
            return (*self.r.pick(&odd)).into();
        }
        match (kind, &l.gtin) {
            ("gtin", Some(gtin)) => match self.r.below(3) {
                0 => gtin.clone(),
                1 => gtin.trim_start_matches('0').to_string(),
                _ => format!(" {}-{} ", &gtin[..7], &gtin[7..]),
            },
            ("gtin", None) | ("entity_uid", _) => l.entity,
            _ => l.uid,
        }
    }

    /// An id of a basket, perhaps with its quantity.
    fn wanted(&mut self) -> String {
        let kind = *self.r.pick(&["gtin", "product_uid", "entity_uid"]);
        let id = self.id(kind);
        let quantity = *self.r.pick(&["", "", "*1", "*2", "*99", " *3"]);
        format!("{}{quantity}", id.trim_end())
    }

    /// Words of a listing as people type them: some of its name, misspelled, run together, asked about, measured
    /// otherwise, with words that nothing has.
    fn text(&mut self, l: &Listing) -> String {
        let brand = l.brand_raw.clone().unwrap_or_default();
        let shelf = l.path.last().map_or(String::new(), |s| s.1.clone());
        let source = match self.r.below(10) {
            0 => brand,
            1 => shelf,
            2 => format!("{brand} {}", l.name),
            3 => format!("{} {shelf}", l.name),
            4 => format!("{} {}", l.name, self.listing().name),
            _ => l.name.clone(),
        };
        let all: Vec<&str> = source.split_whitespace().collect();
        let take = (1 + self.r.below(6)).min(all.len());
        let first = self.r.below(2) * self.r.below(all.len() + 1 - take);
        let mut words: Vec<String> = all[first..first + take].iter().map(ToString::to_string).collect();
        for _ in 0..self.r.below(4) {
            if words.is_empty() {
                break;
            }
            let at = self.r.below(words.len());
            match self.r.below(12) {
                0..=3 => words[at] = mistyped(&mut self.r, &words[at]),
                4 if at + 1 < words.len() => {
                    let glue = *self.r.pick(&["", "", "-", "/"]);
                    words[at] = format!("{}{glue}{}", words[at], words[at + 1]);
                    words.remove(at + 1);
                }
                5 => words[at] = cut(&mut self.r, &words[at]),
                6 if words[at].starts_with(char::is_alphabetic)
                    && !words[at].contains(['\'', '\u{2019}']) =>
                {
                    let article = *self.r.pick(&["l'", "d\u{2019}", "Qu'", "L\u{2019}"]);
                    words[at] = format!("{article}{}", words[at]);
                }
                7 => words[at] = measured(&words[at]),
                8 => {
                    let asking =
                        ["cheap", "the", "best", "price", "of", "buy", "prix", "des", "cheapest", "a"];
                    words.insert(at, (*self.r.pick(&asking)).into());
                }
                9 => {
                    let alien = [
                        "zzzunheard",
                        "Zzz",
                        "qqqqqqqqqq",
                        "blub99",
                        "x",
                        "4 in 1",
                        "27in",
                        "1,5 kilo",
                        "0,355 l",
                    ];
                    words.insert(at, (*self.r.pick(&alien)).into());
                }
                10 => words[at] = format!("{}s", words[at]),
                _ => words[at] = words[at].to_uppercase(),
            }
        }
        let text = words.join(" ");
        if text.trim().is_empty() { "??".into() } else { text }
    }

    fn platform(&mut self) -> String {
        if self.r.chance(5) {
            return "nobody".into();
        }
        let name = self.listing().platform;
        odd_case(&mut self.r, &name)
    }

    fn retailer(&mut self, pct: u64) {
        if self.r.chance(pct) {
            let name = self.platform();
            self.put("retailer", name);
        }
    }

    fn brand(&mut self, pct: u64, name: &str) {
        if !self.r.chance(pct) {
            return;
        }
        let country = self.country;
        let all: Vec<String> = self
            .o
            .listings
            .iter()
            .filter(|l| l.country == country)
            .filter_map(|l| l.brand_raw.clone())
            .collect();
        let brand = if all.is_empty() { "Nobody's".to_string() } else { self.r.pick(&all).clone() };
        let brand = odd_case(&mut self.r, &brand);
        self.put(name, brand);
    }

    /// A title of the publication, whole or changed, an alias, or nothing of the kind.
    fn phrase(&mut self) -> String {
        let titles: Vec<String> = self.o.gpc.values().map(|n| n.title.clone()).collect();
        let title = if titles.is_empty() { "Milk".to_string() } else { self.r.pick(&titles).clone() };
        let other = if titles.is_empty() { "Tea".to_string() } else { self.r.pick(&titles).clone() };
        let some = |text: &str, n: usize| text.split_whitespace().take(n).collect::<Vec<_>>().join(" ");
        match self.r.below(12) {
            0 | 1 => odd_case(&mut self.r, &title),
            10 | 11 => self.everyday(),
            2 => format!(" {}  ", title.replace(['/', '('], "  ")),
            3 => twin(&super::words::slug(&title)).replace('-', " "),
            4 => some(&title, 1),
            5 => format!("{} {}", some(&title, 2), some(&other, 1)),
            6 => format!("{title} {other}"),
            7 => format!("{title} and {} more", some(&other, 1)),
            8 => {
                let alias = *self.r.pick(&["dairy codes", "Greens", "gadgets", "DAIRY  CODES"]);
                alias.to_string()
            }
            _ => (*self.r.pick(&["", "zzz", "10000025", "&", "milks", "biscuit", "phone case", "other"]))
                .into(),
        }
    }

    /// What people call shelves, and what only looks like it.
    fn everyday(&mut self) -> String {
        let phrase = *self.r.pick(&EVERYDAY);
        let phrase = match self.r.below(8) {
            0 => format!("the {phrase}s"),
            1 => format!("{} {phrase}", *self.r.pick(&["french", "red", "organic", "white"])),
            2 => format!("{phrase} {}", *self.r.pick(&["français", "rouge", "du Canada", "> milk"])),
            _ => phrase.to_string(),
        };
        odd_case(&mut self.r, &phrase)
    }

    /// Category, department or both.
    fn shelf(&mut self) {
        match self.r.below(4) {
            0 => self.department(),
            1 => {
                self.category("category");
                self.department();
            }
            _ => self.category("category"),
        }
    }

    fn department(&mut self) {
        let l = self.listing();
        let root = odd_case(&mut self.r, &l.path[0].1);
        let text = if self.r.chance(5) { "no such root".to_string() } else { root };
        self.put("department", text);
    }

    fn category(&mut self, name: &str) {
        let l = self.listing();
        let cut = if self.r.chance(70) { l.path.len().min(1 + self.r.below(2)) } else { l.path.len() };
        let path = &l.path[..cut];
        let spelled: Vec<&str> = path.iter().map(|s| s.1.as_str()).collect();
        let slugs: Vec<&str> = path.iter().map(|s| s.0.as_str()).collect();
        let last = path[cut - 1].clone();
        let text = match self.r.below(19) {
            0..=2 => odd_case(&mut self.r, &spelled.join(" > ")),
            3 | 4 => slugs.join("/"),
            5 => spelled.join(">"),
            6 | 7 => last.1.clone(),
            8 => l.path[l.path.len().saturating_sub(2)..]
                .iter()
                .map(|s| s.1.as_str())
                .collect::<Vec<_>>()
                .join(" > "),
            9 => l.path[l.path.len().saturating_sub(2)..]
                .iter()
                .map(|s| s.0.as_str())
                .collect::<Vec<_>>()
                .join("/"),
            10 => (*self.r.pick(&["greens", "Fizzy Stuff", "GADGETS", "nowhere land", "dairy codes"])).into(),
            11 => twin(&last.0),
            12 => format!("{} nonsense", last.0.replace('-', " ")),
            13 => {
                let codes =
                    ["10000025", "10000045", "50131700", "50130000", "50000000", "66000000", "12345678"];
                (*self.r.pick(&codes)).into()
            }
            14 => last.1.replace('&', "and").to_uppercase(),
            15..=17 => self.everyday(),
            _ => (*self.r.pick(&[
                "no-such-shelf",
                "uncategorized",
                "accessories",
                "accessory",
                "wine",
                "wines",
            ]))
            .into(),
        };
        self.put(name, text);
    }

    fn window(&mut self) {
        let n = self.o.n;
        let (a, b) = (n - 1 - self.r.below(130) as i64, self.r.below(50) as i64);
        match self.r.below(9) {
            0..=3 => self.maybe(100, "time_window", &PRESETS),
            4 => {
                self.put("from", day::text(a));
                self.put("to", day::text(a + 1 + b));
            }
            5 => {
                self.put("from", format!("{}T23:30:00-05:00", day::text(a - 2)));
                self.put("to", format!("{}T00:30:00+02:00", day::text(a + 2 + b)));
                self.maybe(50, "time_window", &["custom", "last_90_days"]);
            }
            6 => self.put("from", day::text(a)),
            7 => self.put("to", day::text(a)),
            _ => {}
        }
    }
}

/// One or two slips of the hand.
fn mistyped(r: &mut Rng, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    for _ in 0..1 + r.below(4) / 3 {
        let at = r.below(letters.len().max(1));
        let letter = *r.pick(&['e', 'a', 'x', 'r', 's', '1']);
        match r.below(5) {
            0 if letters.len() > 1 => {
                letters.remove(at);
            }
            1 => letters.insert(at, letter),
            2 if at + 1 < letters.len() => letters.swap(at, at + 1),
            3 if at < letters.len() => letters.insert(at, letters[at]),
            _ if at < letters.len() => letters[at] = letter,
            _ => {}
        }
    }
    letters.into_iter().collect()
}

/// A word as two.
fn cut(r: &mut Rng, word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let at = r.below(letters.len().max(1));
    let glue = *r.pick(&[" ", " ", "-", "/", ", "]);
    format!("{}{glue}{}", letters[..at].iter().collect::<String>(), letters[at..].iter().collect::<String>())
}

/// A measure said otherwise, or the word.
fn measured(word: &str) -> String {
    let said = [
        ("500", "0.5 kilo"),
        ("510", "0,510 kg"),
        ("355", "35,5 cl"),
        ("1.5", "1500 grammes"),
        ("2", "200cl"),
        ("kg", "kilos"),
        ("g", "grs"),
        ("L", "ltr"),
        ("oz", "onces"),
        ("mL", "millilitres"),
        ("27\"", "27 pouces"),
        ("4K", "2160 p"),
        ("pack", "paquet"),
        ("count", "ct"),
    ];
    said.iter().find(|s| s.0 == word).map_or_else(|| format!("{word} 2 livres"), |s| s.1.into())
}

fn odd_case(r: &mut Rng, text: &str) -> String {
    match r.below(3) {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        _ => text.to_string(),
    }
}

fn twin(slug: &str) -> String {
    if let Some(stem) = slug.strip_suffix("ies") {
        format!("{stem}y")
    } else if let Some(stem) = slug.strip_suffix('s') {
        stem.to_string()
    } else if let Some(stem) = slug.strip_suffix('y') {
        format!("{stem}ies")
    } else {
        format!("{slug}s")
    }
}

const INVALID: [&str; 92] = [
    "/v1/shopper/best-price",
    "/v1/shopper/best-price?q=",
    "/v1/shopper/best-price?q=milk&country=mx&limit=51",
    "/v1/shopper/best-price?q=milk&country=US",
    "/v1/shopper/best-price?q=milk&strict=TRUE&limit=0",
    "/v1/shopper/best-price?q=milk&strict=true&linking=likely",
    "/v1/shopper/best-price?q=milk&linking=maybe",
    "/v1/shopper/best-price?q=milk&q=tea&shop=x",
    "/v1/shopper/best-price?q=milk&limit=1e1",
    "/v1/shopper/best-price?q=milk&limit=%2B5",
    "/v1/shopper/best-price?q=milk&limit=+5",
    "/v1/shopper/best-price?q=milk&limit=05",
    "/v1/shopper/price-history?q=milk&win=07&lookback_days=030",
    "/v1/shopper/price-drop-alert?q=milk&win=030&threshold_pct=05",
    "/v1/marketing/competitive-landscape?category=milk&limit=020&cursor=00",
    "/v1/marketing/deal-finder?category=milk&cursor=%2B1&min_discount_pct=010",
    "/v1/public/coverage?limit=0200&offset=00",
    "/v1/public/coverage?offset=18446744073709551616",
    "/v1/marketing/competitive-landscape?category=milk&cursor=18446744073709551616",
    "/v1/public/categories?depth=01&limit=+5",
    "/v1/shopper/best-price?q=%FF%FE",
    "/v1/shopper/best-price?q=milk&retailer=Best+Buy",
    "/v1/shopper/best-price?q=milk&retailer=-x",
    "/v1/shopper/best-price?product_uid=p_0000000000000",
    "/v1/shopper/best-price?entity_uid=e_0000000000000&country=ca",
    "/v1/shopper/price-history?q=milk&win=8",
    "/v1/shopper/price-history?q=milk&win=7&change_window_days=30",
    "/v1/shopper/price-history?q=milk&lookback_days=1101",
    "/v1/shopper/price-history?q=milk&time_window=custom",
    "/v1/shopper/price-history?q=milk&time_window=custom&from=2026-01-01",
    "/v1/shopper/price-history?q=milk&from=2026-02-30",
    "/v1/shopper/price-history?q=milk&from=2026-03-01T00:00:00",
    "/v1/shopper/price-history?q=milk&from=2026-03-02&to=2026-03-02",
    "/v1/shopper/price-history?q=milk&from=2020-03-02&to=2026-03-02",
    "/v1/shopper/price-history?q=milk&from=2150-01-01",
    "/v1/shopper/price-drop-alert?q=milk&win=10&threshold_pct=0&target_price=-1",
    "/v1/shopper/deal-finder?min_discount_pct=96&sort=best",
    "/v1/marketing/competitive-landscape?category=&limit=0",
    "/v1/marketing/competitive-landscape?category=food&department=food",
    "/v1/marketing/competitive-landscape?category=food&cursor=-1&sort=cheapest",
    "/v1/marketing/promo-intelligence?category=food&aggregate_by=shop&time_window=last_week",
    "/v1/marketing/promo-intelligence?category=food&lookback_days=5",
    "/v1/marketing/share-of-shelf",
    "/v1/marketing/share-of-shelf?category=food&time_window=last_30_days",
    "/v1/marketing/brand-tracker?category=food",
    "/v1/analyst/inflation",
    "/v1/analyst/inflation?category=food&granularity=Daily",
    "/v1/analyst/retailer-index?category=food",
    "/v1/analyst/retailer-index",
    "/v1/analyst/price-bands?brand=x",
    "/v1/analyst/price-bands?category=food&node=tea",
    "/v1/analyst/price-bands?category=&node=tea",
    "/v1/analyst/price-dispersion?limit=3",
    "/v1/public/coverage?quality_status=fresh&limit=1001&offset=-1",
    "/v1/public/categories?depth=4&limit=0",
    "/v1/public/brands?limit=101",
    "/v1/analyst/retailer-index?retailer=&time_window=custom",
    "/v1/analyst/price-bands?node=food&brand=&department=food",
    "/v1/analyst/category-summary",
    "/v1/analyst/category-summary?category=food&granularity=weekly",
    "/v1/analyst/category-concentration?category=food&aggregate_by=category",
    "/v1/analyst/price-change-leaders?category=food&win=60&direction=left&limit=51&cursor=x",
    "/v1/analyst/price-index?lookback_days=1101",
    "/v1/analyst/price-index?category=food&granularity=daily&method=fisher&splice=wisp&window_periods=2",
    "/v1/analyst/price-index?category=food&granularity=weekly&lookback_days=401",
    "/v1/analyst/price-index?category=food&window_periods=62",
    "/v1/marketing/price-positioning?category=food",
    "/v1/marketing/price-positioning?brand=x",
    "/v1/marketing/availability-index?aggregate_by=category",
    "/v1/marketing/retailer-assortment?category=food&min_retailers=0&limit=51",
    "/v1/marketing/retailer-assortment?retailer=x&min_retailers=11",
    "/v1/marketing/brand-breakdown?category=food&brand=",
    "/v1/shopper/basket",
    "/v1/shopper/basket?items=a,,b",
    "/v1/shopper/basket?items=a*0",
    "/v1/shopper/basket?items=a*100",
    "/v1/shopper/basket?items=a*2,b,a",
    "/v1/shopper/basket?items=00013409918104,0-13409-91810-4",
    "/v1/shopper/best-prices",
    "/v1/shopper/best-prices?gtin=1&entity_uid=e_1",
    "/v1/shopper/best-prices?product_uid=p_1,",
    "/v1/public/stats?country=mx",
    "/v1/reference/brick-attributes",
    "/v1/reference/brick-attributes?gpc_code=&country=us",
    "/v1/reference/brick-attributes?gpc_code=,10000025,,abc,%2010000025%20,1000002",
    "/v1/reference/classify",
    "/v1/reference/classify?q=milk&limit=3&country=us",
    "/v1/social/category-structure?country=mx",
    "/v1/social/category-structure?q=milk",
    "/v1/social/topic-trends",
    "/v1/social/product-type-trends?country=ca",
    "/v1/no-such-group/no-such-path",
];
