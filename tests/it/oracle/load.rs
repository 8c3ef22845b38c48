//! Raw input folders to clean rows: the input contract, row by row.

use super::forms::{DateNotation, Doubt, NumberNotation, cents};
use super::frac::Frac;
use super::tables::{Kind, Source, bytes, csv, file_name};
use super::{day, forms, tables, words};
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// One listing with everything that was observed of it.
#[derive(Debug, Clone)]
pub struct Listing {
    pub country: String,
    pub platform: String,
    pub product_id: String,
    pub uid: String,
    pub entity: String,
    pub name: String,
    pub brand_raw: Option<String>,
    pub brand_key: Option<String>,
    pub gtin: Option<String>,
    /// (slug, source spelling) from the root down.
    pub path: Vec<(String, String)>,
    pub node: String,
    pub gpc_code: Option<String>,
    pub condition: &'static str,
    pub rating: Option<f64>,
    pub reviews: Option<f64>,
    pub url: Option<String>,
    pub days: BTreeMap<i64, Obs>,
}

/// What one day holds of a listing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obs {
    pub price: i64,
    pub list: Option<i64>,
    pub stock: Option<bool>,
    pub said_promo: bool,
    /// UTC seconds.
    pub instant: i64,
}

impl Obs {
    /// A list price that can be believed to be one.
    pub fn believed(&self) -> Option<i64> {
        self.list.filter(|l| *l > self.price && *l <= 5 * self.price)
    }

    pub fn promo(&self) -> bool {
        self.said_promo || self.believed().is_some()
    }

    pub fn suspect_list(&self) -> bool {
        self.list.is_some_and(|l| l > 5 * self.price)
    }

    /// (list − price) / list.
    pub fn depth(&self) -> Option<Frac> {
        self.believed().map(|l| Frac::new(i128::from(l - self.price), i128::from(l)))
    }
}

/// A node of the classification publication.
#[derive(Debug, Clone)]
pub struct GpcNode {
    pub code: String,
    pub title: String,
    pub level: usize,
    /// Codes from the segment down to this node.
    pub line: Vec<String>,
    pub attributes: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Default)]
pub struct Raw {
    pub listings: Vec<Listing>,
    pub gpc: BTreeMap<String, GpcNode>,
    pub gpc_date: String,
    pub gpc_has_attributes: bool,
    /// (name, target) in file order.
    pub aliases: Vec<(String, String)>,
    /// Slug path to brick.
    pub category_gpc: BTreeMap<String, String>,
    pub rows_read: usize,
    pub rows_rejected: usize,
    /// Of these, rows of days that are not believed.
    pub rows_far_ahead: usize,
}

/// A file that cannot be read without being told how, and why.
#[derive(Debug)]
pub struct Doubtful {
    pub file: PathBuf,
    pub doubt: Box<Doubt>,
}

/// A file with the forms in which it is read.
struct Read {
    source: Source,
    places: BTreeMap<&'static str, usize>,
    prices: NumberNotation,
    ratings: NumberNotation,
    reviews: NumberNotation,
    dates: DateNotation,
}

const COLUMNS: [&str; 18] = [
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
    "date",
    "price",
    "list_price",
    "in_stock",
    "promo",
    "currency",
];

impl Read {
    fn new(source: Source) -> Result<Self, Doubtful> {
        let places: BTreeMap<&str, usize> =
            COLUMNS.iter().filter_map(|c| Some((*c, source.place(c)?))).collect();
        let values = |columns: &[&str]| -> Vec<(usize, &str)> {
            let own: Vec<usize> = columns.iter().filter_map(|c| places.get(c).copied()).collect();
            let rows = source.table.rows.iter().enumerate();
            let all = rows.flat_map(|(i, row)| {
                own.iter().map(move |c| (source.table.first + i, row[*c].as_deref().unwrap_or("").trim()))
            });
            let keys = columns.iter().filter_map(|c| source.keys.get(*c)).map(|v| (0, v.as_str()));
            keys.chain(all).filter(|(_, v)| !v.is_empty()).collect()
        };
        let (observes, lists) = (source.kind != Kind::Listings, source.kind != Kind::Observations);
        let numbers = |columns: &[&str], wanted: bool| {
            if wanted { forms::number_form(&values(columns)) } else { Ok(NumberNotation::Contract) }
        };
        let found = (|| {
            let ratings = numbers(&["rating"], lists)?;
            let reviews = numbers(&["review_count"], lists)?;
            let prices = numbers(&["price", "list_price"], observes)?;
            let dates = if observes { forms::date_form(&values(&["date"]))? } else { DateNotation::Contract };
            Ok((prices, ratings, reviews, dates))
        })();
        match found {
            Ok((prices, ratings, reviews, dates)) => {
                // Of longer files only the beginning counts, unless it has another form; none here is of that kind.
                let plain = [prices, ratings, reviews] == [NumberNotation::Contract; 3]
                    && dates == DateNotation::Contract;
                assert!(plain || source.table.rows.len() < 1 << 16, "{:?} is too long", source.path);
                Ok(Self { source, places, prices, ratings, reviews, dates })
            }
            Err(doubt) => Err(Doubtful { file: source.path.clone(), doubt: Box::new(doubt) }),
        }
    }

    fn each(&self) -> impl Iterator<Item = Row<'_>> {
        self.source.table.rows.iter().map(|cells| Row { file: self, cells })
    }
}

struct Row<'a> {
    file: &'a Read,
    cells: &'a [Option<String>],
}

impl Row<'_> {
    /// The cell's text, or what the path says; a blank one is missing.
    fn get(&self, column: &str) -> Option<&str> {
        let own = self.file.places.get(column).and_then(|i| self.cells[*i].as_deref());
        let own = own.map(str::trim).filter(|s| !s.is_empty());
        own.or_else(|| self.file.source.keys.get(column).map(|v| v.trim()).filter(|v| !v.is_empty()))
    }

    fn country(&self) -> Option<&'static str> {
        match self.get("country")?.to_lowercase().as_str() {
            "us" | "usa" | "united states" => Some("us"),
            "ca" | "can" | "canada" => Some("ca"),
            _ => None,
        }
    }

    /// A key once in lower case, or the slug of a name.
    fn platform(&self) -> Option<String> {
        let lower = self.get("platform")?.to_lowercase();
        let letter = |c: char| c.is_ascii_alphanumeric();
        let is_key = lower.starts_with(letter)
            && lower.chars().all(|c| letter(c) || c == '-' || c == '_')
            && lower.len() <= 128;
        let key = if is_key { lower } else { words::slug(&lower) };
        (!key.is_empty()).then_some(key)
    }

    /// A number in the contract's form; none that names another country's money.
    fn number(&self, column: &str) -> Option<String> {
        let form = match column {
            "rating" => self.file.ratings,
            "review_count" => self.file.reviews,
            _ => self.file.prices,
        };
        let (text, money) = forms::number(form, self.get(column)?)?;
        money.is_of(self.country()?).then_some(text)
    }

    /// Whether it stands for an observation: all but listings that say neither day nor price.
    fn observes(&self) -> bool {
        match self.file.source.kind {
            Kind::Listings => false,
            Kind::Observations => true,
            Kind::Both => !self.lists() || self.get("date").is_some() || self.get("price").is_some(),
        }
    }

    fn lists(&self) -> bool {
        match self.file.source.kind {
            Kind::Listings => true,
            Kind::Observations => false,
            Kind::Both => self.get("product_name").is_some(),
        }
    }
}

pub fn load(dirs: &[PathBuf]) -> Raw {
    try_load(dirs).expect("forms that decide")
}

/// Reads an input; where files leave doubt about their forms, all of these.
pub fn try_load(dirs: &[PathBuf]) -> Result<Raw, Vec<Doubtful>> {
    let mut raw = Raw::default();
    let (mut files, mut beside, mut doubtful) = (Vec::new(), Vec::new(), Vec::new());
    for dir in dirs {
        let (sources, side) = tables::sources(dir);
        for source in sources {
            match Read::new(source) {
                Ok(file) => files.push(file),
                Err(doubt) => doubtful.push(doubt),
            }
        }
        beside.extend(side);
    }
    if !doubtful.is_empty() {
        return Err(doubtful);
    }
    let mut seen = BTreeMap::new();
    for row in files.iter().flat_map(Read::each) {
        raw.rows_read += 1;
        if !row.lists() {
            continue;
        }
        let Some(l) = listing(&row) else {
            // As an observation it falls with the same fault.
            raw.rows_rejected += usize::from(!row.observes());
            continue;
        };
        let key = (l.country.clone(), l.platform.clone(), l.product_id.clone());
        if let Entry::Vacant(first) = seen.entry(key) {
            first.insert(raw.listings.len());
            raw.listings.push(l);
        }
    }
    let mut observed = Vec::new();
    for row in files.iter().flat_map(Read::each).filter(Row::observes) {
        match observation(&row, &seen) {
            Some(one) => observed.push(one),
            None => raw.rows_rejected += 1,
        }
    }
    let last = last_believed(&observed);
    for (listing, today, new) in observed {
        if today > last {
            raw.rows_rejected += 1;
            raw.rows_far_ahead += 1;
            continue;
        }
        // What is wrong with the row itself comes before what is not there.
        let Some(listing) = listing else {
            raw.rows_rejected += 1;
            continue;
        };
        let days = &mut raw.listings[listing].days;
        if days.get(&today).is_none_or(|old| new.price < old.price) {
            days.insert(today, new);
        }
    }
    side_tables(&beside, &mut raw);
    Ok(raw)
}

fn side_tables(files: &[PathBuf], raw: &mut Raw) {
    for file in files.iter().filter(|f| matches!(file_name(f).as_str(), "gpc.json" | "gpc.json.gz")) {
        let json: Value = serde_json::from_slice(&bytes(file)).expect("gpc.json");
        raw.gpc_date = json["DateUtc"].as_str().unwrap_or("").to_string();
        for segment in json["Schema"].as_array().into_iter().flatten() {
            gpc_node(segment, &[], raw);
        }
    }
    for file in files.iter().filter(|f| file_name(f) == "aliases.csv") {
        for r in &csv(bytes(file), ',').rows {
            if let [Some(name), Some(target), ..] = r.as_slice() {
                raw.aliases.push((name.clone(), target.clone()));
            }
        }
    }
    for file in files.iter().filter(|f| file_name(f) == "category_gpc.csv") {
        for r in &csv(bytes(file), ',').rows {
            if let [Some(path), Some(brick), ..] = r.as_slice() {
                // A slug path stands for itself.
                let plain =
                    path.contains('/') && path.split('/').all(|s| !s.is_empty() && words::slug(s) == s);
                let slugs: Vec<String> = segments(path).into_iter().map(|s| s.0).collect();
                let slug = if plain { path.clone() } else { slugs.join("/") };
                raw.category_gpc.entry(slug).or_insert(brick.trim().to_string());
            }
        }
    }
}

/// A category path's segments with a slug, as (slug, spelling).
pub fn segments(path: &str) -> Vec<(String, String)> {
    path.split('>').map(|s| (words::slug(s), s.trim().to_string())).filter(|s| !s.0.is_empty()).collect()
}

fn listing(row: &Row) -> Option<Listing> {
    let country = row.country()?.to_string();
    let platform = row.platform()?;
    let product_id = row.get("product_id")?.to_string();
    let name = row.get("product_name")?.to_string();
    let uid = words::uid("p_", &format!("{country}|{platform}|{product_id}"));
    let gtin = row.get("gtin").and_then(words::barcode);
    let entity = match &gtin {
        Some(g) => words::uid("e_", &format!("gtin:{g}")),
        None => words::uid("e_", &format!("listing:{uid}")),
    };
    let brand_raw = row.get("brand").map(|b| b.trim().to_string());
    let brand_key = brand_raw.as_deref().and_then(words::brand_key);
    let real_brand = brand_raw.clone().filter(|_| brand_key.is_some());
    let mut path = segments(row.get("category_path").unwrap_or(""));
    if path.is_empty() {
        path.push(("uncategorized".into(), "Uncategorized".into()));
    }
    let url = row.get("url").map(str::to_string);
    let condition = words::condition(row.get("condition"), &name, real_brand.as_deref(), url.as_deref());
    Some(Listing {
        node: path.iter().map(|s| s.0.as_str()).collect::<Vec<_>>().join("/"),
        gpc_code: row.get("gpc_code").map(|c| c.trim().to_string()),
        rating: row.number("rating").and_then(|r| r.parse().ok()),
        reviews: row.number("review_count").and_then(|r| r.parse::<f64>().ok()).filter(|r| r.fract() == 0.0),
        days: BTreeMap::new(),
        country,
        platform,
        product_id,
        uid,
        entity,
        name,
        brand_raw: real_brand,
        brand_key,
        gtin,
        path,
        condition,
        url,
    })
}

/// The last day that is believed. Where no day was observed for more than 366 days, and of all rows less than one in a
/// hundred comes later, those are not believed.
fn last_believed(observed: &[Observed]) -> i64 {
    let days: BTreeSet<i64> = observed.iter().map(|(_, today, _)| *today).collect();
    let later = |day: i64| observed.iter().filter(|(_, today, _)| *today > day).count();
    let is_last = |&&day: &&i64| {
        let next = days.range(day + 1..).next();
        next.is_some_and(|next| next - day > 366) && later(day) * 100 < observed.len()
    };
    days.iter().find(is_last).or(days.last()).copied().unwrap_or(0)
}

/// A row without a fault of its own: place of its listing, if there is one, day and what was seen.
type Observed = (Option<usize>, i64, Obs);

fn observation(row: &Row, keys: &BTreeMap<(String, String, String), usize>) -> Option<Observed> {
    let country = row.country()?;
    let key = (country.to_string(), row.platform()?, row.get("product_id")?.to_string());
    let instant = forms::moment(row.file.dates, row.get("date")?)?;
    let today = instant.div_euclid(86_400);
    if !(2000..=2100).contains(&day::civil(today).0) {
        return None;
    }
    let (price, above) = cents(&row.number("price")?)?;
    if price <= 0 || above {
        return None;
    }
    let currency = row.get("currency").map(|c| c.trim().to_uppercase());
    if currency.is_some_and(|c| c != if country == "ca" { "CAD" } else { "USD" }) {
        return None;
    }
    let word = |column: &str| row.get(column).map(|v| v.trim().to_lowercase());
    let flag = |column: &str| match word(column).as_deref() {
        Some("true" | "1") => Some(true),
        Some("false" | "0") => Some(false),
        _ => None,
    };
    // The words of feeds that the generator writes.
    let stock = flag("in_stock").or_else(|| match word("in_stock").as_deref() {
        Some("yes" | "in_stock") => Some(true),
        Some("no" | "outofstock") => Some(false),
        _ => None,
    });
    let list = row
        .number("list_price")
        .and_then(|l| cents(&l))
        .filter(|(c, above)| *c > 0 && !above)
        .map(|(c, _)| c);
    let new = Obs { price, list, stock, said_promo: flag("promo") == Some(true), instant };
    Some((keys.get(&key).copied(), today, new))
}

fn gpc_node(json: &Value, above: &[String], raw: &mut Raw) {
    let code = match &json["Code"] {
        Value::Number(n) => format!("{:0>8}", n.to_string()),
        Value::String(s) => format!("{s:0>8}"),
        _ => return,
    };
    let level = json["Level"].as_u64().unwrap_or(0) as usize;
    if level > 4 {
        raw.gpc_has_attributes = true;
        return;
    }
    let mut line = above.to_vec();
    line.push(code.clone());
    let children: Vec<Value> = json["Childs"].as_array().cloned().unwrap_or_default();
    let mut attributes = Vec::new();
    if level == 4 {
        for attribute in &children {
            let values = attribute["Childs"].as_array().cloned().unwrap_or_default();
            let title = |v: &Value| v["Title"].as_str().unwrap_or("").to_string();
            attributes.push((title(attribute), values.iter().map(title).collect()));
        }
    }
    for child in &children {
        gpc_node(child, &line, raw);
    }
    let title = json["Title"].as_str().unwrap_or("").to_string();
    raw.gpc.insert(code.clone(), GpcNode { code, title, level, line, attributes });
}
