//! Small dirty inputs by seed, full of what real sources hold, and requests drawn from what they became.
//! Bad rows stay under 3 % of all rows, so that a build with the default limit goes through.

use super::dress::{self, Trouble};
use super::written::scatter;
use super::{day, words};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn chance(&mut self, pct: u64) -> bool {
        self.next() % 100 < pct
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Small indices more often, as sizes of shops and shelves are.
    fn zipf(&mut self, n: usize) -> usize {
        let a = self.below(n);
        let b = self.below(a + 1);
        if self.chance(50) { b } else { self.below(b + 1) }
    }
}

const PLATFORMS: [&str; 8] =
    ["Metro", "walmart", "BEST-BUY", "shop_24", "no-frills", "Corner-Store", "k9-goods", "7market"];

const BRANDS: [&[&str]; 10] = [
    &["Best Buy", "BEST BUY", "Best-Buy", "Best Buy Inc.", "BestBuy"],
    &["Cisco", "CISCO", "Cisco Co., Ltd.", "Cisco Corp"],
    &["Kellogg's", "Kelloggs", "KELLOGG\u{2019}S", "Kellogg's Company"],
    &["Nestlé", "Nestle", "NESTLÉ", "Nestlé GmbH"],
    &["Black & Decker", "Black and Decker", "BLACK+DECKER", "Black & Decker, Inc."],
    &["Renewed", "Renewed Inc"],
    &["Häagen-Dazs", "Haagen Dazs"],
    &["Company", "Co"],
    &["資生堂", "資生堂"],
    &["L'Oréal", "L\u{2019}OREAL"],
];
const NO_BRANDS: [&str; 10] =
    ["", "Generic", "N/A", "no brand", "-", "null", "  Unbranded ", "UNKNOWN", "--", "does not apply"];

const PATHS: [&str; 24] = [
    "Food > Dairy > Milk",
    "Food > Fruits & Vegetables",
    "FOOD>DAIRY>MILK",
    "Food > Fruits and Vegetables > Berries",
    "Electronics > Phones > Accessories",
    "Food > Snacks",
    "Electronics > Cables > Accessories",
    "Electronics > Phones",
    "Home > Kitchen > Accessories",
    "",
    "Food > > Snacks",
    "Café & Thé > Thé vert",
    "Cafe and The>The Vert",
    "> Food > Dairy",
    "Drinks > Wine",
    "Wine",
    "Wine > France - Wine > Red",
    "Home > Kitchen > Dishes",
    "日本 >",
    "electronics > phones > ACCESSORIES",
    "Drinks > Soft Drinks/Soda",
    "Drinks > Wine > France Wine",
    "Home > Garden Tools & Supplies",
    "Food > Dairy > Cheese > Blue Cheese",
];

const NOUNS: [&str; 26] = [
    "Whole Milk",
    "Oat Cookies",
    "Green Tea",
    "Phone Case",
    "USB Cable",
    "Crème Brûlée",
    "Camera",
    "Maple Syrup",
    "Red Wine",
    "Blueberries",
    "Kitchen Knife",
    "Root Beer",
    "Jacket, \"Winter\"",
    "CafÃ© crÃ¨me",
    "Brush used for paint",
    "Restoration Oil",
    "Headphones 🎧",
    "Blue Cheese",
    "Blue Berry Muffin",
    "Peanut Butter",
    "Lait de coco",
    "Huile d'olive extra-vierge",
    "Glasses",
    "Gâteaux, œufs",
    "Wireless Keyboard",
    "Ice-Cream",
];
/// What a name goes on to say of other things, and numbers of parts.
const ASIDES: [&str; 14] = [
    "for iPhone 13",
    "with Wireless Keyboard",
    "compatible with DL-325",
    "WH-1000XM4",
    "avec lait",
    "pour L'Oréal",
    "(vanilla flavour)",
    "SM/A-52/5G",
    "910-000692",
    "910000692 2024-25",
    "4 in 1",
    "27 in",
    "0,5 kg",
    "12,000 mAh",
];
const PACKS: [&str; 26] = [
    "",
    "",
    "",
    "",
    "2 L",
    "355 mL",
    "500 g",
    "12 x 355 mL",
    "6-pack of 12 fl oz",
    "10 count",
    "pack of 2",
    "1.5 kg",
    "510 g",
    "6 x 500 ml",
    "16 oz",
    "27\" 4K",
    "500\u{a0}g",
    "12\u{202f}fl\u{2009}oz",
    "6\u{3000}x 330\u{2007}ml",
    "195 g*3",
    "4 * 43 g",
    "30 Each",
    "240 Gram",
    "2 Pack, 240 Gram",
    "64 count, 3 pack",
    "10 lb, 1 Each",
];
const STATES: [&str; 9] = [
    "(Renewed)",
    "Refurbished",
    "Open-Box",
    "used",
    "Like New",
    "for parts",
    "Certified Pre-Owned",
    "pre_owned",
    "second hand",
];
const ADJECTIVES: [&str; 10] =
    ["Golden", "Classic", "Organic", "Premium", "Petit", "ÉCLAIR", "Old", "Extra", "Mini", "Deluxe"];

/// One input row: column to text; an absent column is a blank cell.
pub type Row = BTreeMap<&'static str, String>;

struct Shop {
    country: &'static str,
    platform: &'static str,
    /// Days between two observations, and how many days before the end it stopped.
    step: i64,
    stopped: i64,
    instants: bool,
}

/// Writes an input folder. Some inputs are in the contract's own form, more are as users have them.
pub fn write_input(dir: &Path, seed: u64) {
    let mut r = Rng(seed ^ 0x0D2E_55ED);
    let as_users_have_it = r.chance(65);
    write(dir, seed, |listings, observations| {
        if as_users_have_it {
            dress::write(&mut r, dir, listings, observations);
        }
        as_users_have_it
    });
}

/// Writes an input folder with a file that can be read in two ways.
pub fn write_ambiguous_input(dir: &Path, seed: u64, trouble: Trouble) {
    let mut r = Rng(seed ^ 0xA3B1_6005);
    write(dir, seed, |listings, observations| {
        dress::write_ambiguous(&mut r, dir, listings, observations, trouble);
        true
    });
}

/// Writes an input folder; `tables` writes both tables, or says that it leaves them to the contract's form.
fn write(dir: &Path, seed: u64, tables: impl FnOnce(&[Row], &[Row]) -> bool) {
    let mut r = Rng(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0xD1E7);
    let span = *r.pick(&[1i64, 12, 40, 100, 190, 400]);
    let end = day::from_civil(2026, 3, 1) + r.below(240) as i64;
    // a dense catalog has few shops and shelves, so that cells serve and samples suffice
    let dense = r.chance(60);
    // and in a matched one most products are sold in two shops, every day
    let matched = dense && r.chance(40);
    let count = if dense { 180 + r.below(120) } else { 20 + r.below(280) };
    let span = if matched { span.min(100) } else { span };
    let mut shops = Vec::new();
    for country in ["us", "ca"] {
        let first = r.below(PLATFORMS.len());
        for i in 0..if dense { 2 + r.below(2) } else { 2 + r.below(5) } {
            let stopped = if i > 0 && r.chance(25) { 60 + r.below(80) as i64 } else { r.below(4) as i64 };
            shops.push(Shop {
                country,
                platform: PLATFORMS[(first + i) % PLATFORMS.len()],
                step: if matched { 1 } else { *r.pick(&[1, 1, 2, 7, 30]) },
                stopped: if matched { 0 } else { stopped },
                instants: r.chance(30),
            });
        }
    }
    // the greater part of a catalog lies with the first shop of each country
    let places: Vec<usize> = shops.iter().enumerate().map(|(i, _)| i).collect();
    let half: Vec<usize> = places.iter().copied().filter(|i| shops[*i].country == "ca").collect();
    let gtins: Vec<String> =
        (0..count / if matched { 6 } else { 4 } + 3).map(|_| good_gtin(&mut r)).collect();
    let with_gpc = r.chance(70);
    let (mut listings, mut observations) = (Vec::new(), Vec::new());
    for i in 0..count {
        let pool: &[usize] = if r.chance(40) { &half } else { &places };
        let shop = &shops[pool[r.zipf(pool.len())]];
        let paths = &PATHS[..if matched {
            3
        } else if dense {
            7
        } else {
            PATHS.len()
        }];
        let row = listing(&mut r, shop, i, if matched { 90 } else { 50 }, &gtins, paths);
        if r.chance(94) {
            observe(&mut r, shop, &row, span, end, &mut observations);
        }
        if r.chance(3) {
            let mut again = row.clone();
            again.insert("product_name", "The second row of a key".into());
            listings.push(again);
        }
        listings.push(row);
    }
    if observations.is_empty() {
        let row = listings[0].clone();
        observe(&mut r, &shops[0], &row, 1, end, &mut observations);
        let key = |c: &'static str| (c, row[c].clone());
        observations.push(BTreeMap::from([
            key("country"),
            key("platform"),
            key("product_id"),
            ("date", day::text(end)),
            ("price", "9.99".into()),
        ]));
    }
    let bad = (listings.len() + observations.len()) * 3 / 100;
    for i in 0..bad.min(40) {
        spoil(&mut r, i, &mut listings, &mut observations);
    }
    come_too_early(seed, &mut observations);
    if !tables(&listings, &observations) {
        scatter(&mut r, dir, "listings", listings, &LISTING_COLUMNS);
        scatter(&mut r, dir, "observations", observations, &OBSERVATION_COLUMNS);
    }
    let file = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("write");
    if with_gpc {
        file("gpc.json", &publication(r.chance(50)).to_string());
        if r.chance(70) {
            file(
                "category_gpc.csv",
                "category_path,brick\nFood > Dairy,10000025\nfood/dairy/cheese,10000028\n\
                 Food > Snacks,10000045\nElectronics > Phones,10001200\nDrinks,99999999\n",
            );
        }
    }
    if r.chance(80) {
        file(
            "aliases.csv",
            "alias,target\nGreens,Food > Fruits & Vegetables\nfizzy stuff,drinks/soft-drinks-soda\n\
             gadgets,Electronics\ngadgets,Home > Kitchen\nnowhere land,No > Such > Shelf\n\
             dairy codes,50130000\n",
        );
    }
}

pub const LISTING_COLUMNS: [&str; 12] = [
    "country",
    "platform",
    "product_id",
    "product_name",
    "brand",
    "gtin",
    "category_path",
    "gpc_code",
    "condition",
    "rating",
    "review_count",
    "url",
];
pub const OBSERVATION_COLUMNS: [&str; 9] =
    ["country", "platform", "product_id", "date", "price", "list_price", "in_stock", "promo", "currency"];
/// Stock as feeds write it. All words but "" and the last say whether there is any.
const STOCK_WORDS: [&str; 12] =
    ["true", "true", "TRUE", "1", "1", "false", "0", "yes", "in_stock", "OutOfStock", "", "PreOrder"];

fn with_check_digit(body: &str) -> String {
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, d)| u32::from(d - b'0') * if i % 2 == 0 { 3 } else { 1 })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

fn digits(r: &mut Rng, n: usize) -> String {
    (0..n).map(|_| char::from(b'0' + r.below(10) as u8)).collect()
}

/// Usable: UPC with and without leading zeros, EAN, GTIN-8, a case.
fn good_gtin(r: &mut Rng) -> String {
    match r.below(10) {
        0..=3 => with_check_digit(&format!("0{}{}", 1 + r.below(9), digits(r, 9))),
        4 | 5 => with_check_digit(&format!("{}{}", r.pick(&["1", "3", "6", "7", "8", "9"]), digits(r, 10))),
        6 | 7 => with_check_digit(&format!("{}{}", r.pick(&["400", "503", "880", "301"]), digits(r, 9))),
        8 => with_check_digit(&format!("{}{}", 4 + r.below(5), digits(r, 6))),
        _ => with_check_digit(&format!("1{}", digits(r, 12))),
    }
}

fn bad_gtin(r: &mut Rng) -> String {
    match r.below(12) {
        0 => "4.81E+10".into(),
        1 => "4011".into(),
        2 => with_check_digit(&format!("2{}", digits(r, 11))),
        3 => with_check_digit(&format!("02{}", digits(r, 9))),
        4 => with_check_digit(&format!(
            "{}{}",
            r.pick(&["040", "050", "980", "981", "990", "299"]),
            digits(r, 9)
        )),
        5 => with_check_digit(&format!("2{}", digits(r, 6))),
        6 => with_check_digit(&format!("0{}", digits(r, 6))),
        7 => "55555555".into(),
        8 => "0000000000000".into(),
        9 => format!("B0{}X", digits(r, 7)),
        10 => {
            let good = good_gtin(r);
            let last = (good.as_bytes()[good.len() - 1] - b'0' + 1) % 10;
            format!("{}{last}", &good[..good.len() - 1])
        }
        _ => digits(r, 16),
    }
}

/// The ways a good barcode is written.
fn spelled(r: &mut Rng, gtin: &str) -> String {
    let stripped = gtin.trim_start_matches('0');
    match r.below(8) {
        0 => format!("{gtin:0>14}"),
        1 if gtin.len() <= 13 => {
            format!("{gtin:0>13}").split_at(7).0.to_string() + "-" + &format!("{gtin:0>13}")[7..]
        }
        2 => format!("{gtin}.0"),
        3 | 4 if gtin.len() == 12 && (9..=11).contains(&stripped.len()) => stripped.to_string(),
        5 => format!(" {gtin} "),
        _ => gtin.to_string(),
    }
}

/// What one GTIN is called, costs and belongs to is mostly the same everywhere, as in life.
fn listing(r: &mut Rng, shop: &Shop, i: usize, shared_pct: u64, gtins: &[String], paths: &[&str]) -> Row {
    let shared = r.chance(shared_pct).then(|| r.pick(gtins).clone());
    let mut own = Rng(r.next());
    if let Some(g) = &shared
        && r.chance(80)
    {
        own = Rng(g.bytes().fold(7, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b))));
    }
    let noun = NOUNS[own.zipf(NOUNS.len())];
    let mut name = format!("{} {noun}", own.pick(&ADJECTIVES));
    let path = paths[own.zipf(paths.len())];
    let family = BRANDS[own.below(BRANDS.len())];
    let base = 100 + (own.below(60) * own.below(60)) as i64 * 3 + own.below(100) as i64;
    let pack = *own.pick(&PACKS);
    let brand = if r.chance(75) { family[r.zipf(family.len())] } else { *r.pick(&NO_BRANDS) };
    if r.chance(30) && !brand.trim().is_empty() && brand.len() > 2 {
        name = format!("{brand} {name}");
    }
    if !pack.is_empty() {
        name = format!("{name} {pack}");
    }
    if own.chance(15) {
        name = format!("{name} {}", own.pick(&ASIDES));
    }
    if r.chance(8) {
        name = format!("{name} {}", r.pick(&STATES));
    }
    if r.chance(2) {
        name = format!("{name} {}", "very long words ".repeat(20).trim());
    }
    let gtin = match &shared {
        Some(g) => spelled(r, g),
        None if r.chance(40) => bad_gtin(r),
        None => String::new(),
    };
    let code = match r.below(12) {
        0 => "10000025",
        1 => "10000045",
        2 => "10001200",
        3 => "10000999",
        4 if r.chance(30) => "50130000",
        5 if r.chance(30) => "99999999",
        _ => "",
    };
    let said =
        ["", "", "", "", "", "", "new", "New other (see details)", "Used", "unknown", "Refurbished", "n/a"];
    let url = match r.below(14) {
        0 => format!("https://refurbished.example.com/p/{i}"),
        1 if r.chance(50) => format!("https://shop.example.com/open-box/item-{i}"),
        2 if r.chance(50) => format!("https://shop.example.com/p/{i}?state=renewed"),
        3 => format!("https://shop.example.com/p/{i}#used"),
        4..=7 => format!("https://shop.example.com/p/{i}"),
        _ => String::new(),
    };
    let odd = if r.chance(10) { shop.platform.to_uppercase() } else { shop.platform.to_string() };
    let id = if r.chance(5) { format!("sku|{i}/ü") } else { format!("{i:04x}") };
    let stars = if r.chance(40) { format!("{}.{}", 1 + r.below(4), r.below(10)) } else { String::new() };
    let reviews = if r.chance(40) { r.below(5000).to_string() } else { String::new() };
    BTreeMap::from([
        ("country", shop.country.to_string()),
        ("platform", odd),
        ("product_id", id),
        ("product_name", name),
        ("brand", brand.to_string()),
        ("gtin", gtin),
        ("category_path", path.to_string()),
        ("gpc_code", code.to_string()),
        ("condition", if r.chance(50) { String::new() } else { (*r.pick(&said)).to_string() }),
        ("rating", stars),
        ("review_count", reviews),
        ("url", url),
        // not a column: what the product costs about everywhere
        ("base", base.to_string()),
    ])
}

fn cents_text(r: &mut Rng, cents: i64) -> String {
    match r.below(12) {
        0 => format!("{}.{:02}5", cents / 100, cents % 100),
        1 if cents % 100 == 0 => (cents / 100).to_string(),
        2 if cents % 10 == 0 => format!("{}.{}", cents / 100, cents % 100 / 10),
        _ => format!("{}.{:02}", cents / 100, cents % 100),
    }
}

fn observe(r: &mut Rng, shop: &Shop, listing: &Row, span: i64, end: i64, out: &mut Vec<Row>) {
    let base: i64 = listing["base"].parse().expect("a number");
    let mut price = base * (90 + r.below(25) as i64) / 100;
    price = if r.chance(40) { price / 100 * 100 + 99 } else { price };
    let step = if span > 150 && shop.step < 7 { shop.step * 7 } else { shop.step };
    let last = end - shop.stopped.min(span.max(200));
    let mut today = last - r.below(step as usize) as i64;
    let first = (today - span).max(end - 420);
    while today >= first {
        if r.chance(90) {
            let rows = if r.chance(4) { 2 + r.below(2) } else { 1 };
            for k in 0..rows {
                let now = if k == 0 { price } else { (price + r.below(40) as i64 - 20).max(1) };
                out.push(observation(r, shop, listing, today, now));
            }
        }
        if r.chance(20) {
            let change = [80, 90, 95, 97, 103, 105, 110, 125, 50, 205];
            price = (price * change[r.zipf(change.len())] / 100).max(20);
        }
        today -= step;
    }
}

fn observation(r: &mut Rng, shop: &Shop, listing: &Row, today: i64, price: i64) -> Row {
    let mut row = Row::new();
    for c in ["country", "platform", "product_id"] {
        row.insert(c, listing[c].clone());
    }
    let text = day::text(today);
    let date = if shop.instants && r.chance(60) {
        match r.below(3) {
            0 => format!("{text}T{:02}:30:00Z", r.below(24)),
            1 => format!("{text}T{:02}:15:07+02:00", r.below(24)),
            _ => format!("{text}T{:02}:05:00-05:00", r.below(20)),
        }
    } else {
        text
    };
    row.insert("date", date);
    let price = if r.chance(1) { 1 } else { price };
    row.insert("price", cents_text(r, price));
    let list = match r.below(20) {
        0 | 1 => price * 100 / (60 + r.below(35) as i64),
        2 => price * 2,
        3 => price * 5,
        4 if r.chance(50) => price * 5 + 1,
        5 => price,
        6 if r.chance(50) => price - price / 10,
        7 if r.chance(30) => price * 12,
        _ => 0,
    };
    let list = if list > 0 { format!("{}.{:02}", list / 100, list % 100) } else { String::new() };
    row.insert(
        "list_price",
        if r.chance(1) { (*r.pick(&["call us", "0", "99999999"])).into() } else { list },
    );
    row.insert("in_stock", (*r.pick(&STOCK_WORDS)).into());
    row.insert("promo", (*r.pick(&["", "", "", "", "false", "0", "true", "1"])).into());
    let own = if shop.country == "ca" { "CAD" } else { "USD" };
    row.insert("currency", if r.chance(80) { own.into() } else { String::new() });
    row
}

/// One more row that must be rejected.
fn spoil(r: &mut Rng, i: usize, listings: &mut Vec<Row>, observations: &mut Vec<Row>) {
    if r.chance(20) {
        let mut row = r.pick(listings).clone();
        row.insert("product_id", format!("bad-{i}"));
        let (column, value) =
            *r.pick(&[("product_name", ""), ("product_id", ""), ("country", "mx"), ("country", "")]);
        row.insert(column, value.into());
        let at = r.below(listings.len());
        listings.insert(at, row);
        return;
    }
    let mut row = r.pick(observations).clone();
    let (column, value) = *r.pick(&[
        ("price", "abc"),
        ("price", ""),
        ("price", "0"),
        ("price", "-4.99"),
        ("price", "0.004"),
        ("price", "10000000.01"),
        ("date", "2026-02-30"),
        ("date", "1999-12-31"),
        ("date", "2101-01-01"),
        ("date", "yesterday"),
        ("date", ""),
        ("date", "2026-05-05T10:00:00"),
        ("country", "gb"),
        ("currency", "EUR"),
        ("currency", "GBP"),
        ("product_id", "never-listed"),
    ]);
    row.insert(column, value.into());
    let at = r.below(observations.len());
    observations.insert(at, row);
}

/// Rows of a year that was mistyped: in most inputs few enough to be one, in some too many, or not far enough ahead.
fn come_too_early(seed: u64, observations: &mut Vec<Row>) {
    let mut r = Rng(seed ^ 0xFA2D_A7E5);
    if r.chance(60) {
        return;
    }
    let most = observations.len() / 100;
    for _ in 0..r.below(most.min(4) + 2) {
        let mut row = r.pick(observations).clone();
        let date = *r.pick(&["2099-12-31", "2062-03-01T12:00:00Z", "2100-12-31", "2027-02-01"]);
        row.insert("date", date.into());
        let at = r.below(observations.len());
        observations.insert(at, row);
    }
}

/// Two segments with bricks, in the shape of GS1's own download.
fn publication(attributes: bool) -> Value {
    let node = |level: u8, code: u64, title: &str, children: Vec<Value>| json!({ "Level": level, "Code": code, "Title": title, "Definition": "", "Active": true, "Childs": children });
    let brick = |code: u64, title: &str, with: bool| {
        let values = vec![node(6, 30_000_001, "WHOLE", vec![]), node(6, 30_000_002, "SKIMMED", vec![])];
        let list = if attributes && with { vec![node(5, 20_000_001, "Fat Level", values)] } else { vec![] };
        node(4, code, title, list)
    };
    json!({ "LanguageCode": "EN", "DateUtc": "2025-11-27T00:00:00Z", "Schema": [
        node(1, 50_000_000, "Food/Beverage", vec![
            node(2, 50_130_000, "Milk/Butter/Cream", vec![
                node(3, 50_131_700, "Milk", vec![
                    brick(10_000_025, "Milk (Perishable)", true),
                    brick(10_000_028, "Cheese (Perishable)", false),
                    brick(10_000_999, "Dairy Variety Packs", false),
                ]),
            ]),
            node(2, 50_180_000, "Snacks", vec![node(3, 50_182_200, "Biscuits", vec![
                brick(10_000_045, "Biscuits - Other", true),
                brick(10_000_046, "Mothering Biscuits", false),
            ])]),
        ]),
        node(1, 66_000_000, "Communications", vec![node(2, 66_010_000, "Phones", vec![
            node(3, 66_010_100, "Phone Parts", vec![brick(10_001_200, "Phone Cases", false)]),
        ])]),
    ] })
}

/// Blank-free percent-encoding for a request line.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for b in text.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(b)),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

/// The slug of a text, for requests.
pub fn slugged(text: &str) -> String {
    words::slug(text)
}
