//! Raw input folders to clean rows: the input contract, row by row.

use super::frac::Frac;
use super::{day, words};
use polars::prelude::{AnyValue, CsvReadOptions, DataFrame, ParquetReader, SerReader, TimeUnit};
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

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

struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

impl Table {
    fn each(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }
}

struct Row<'a> {
    columns: &'a [String],
    cells: &'a [Option<String>],
}

impl Row<'_> {
    /// The cell's text; a blank one is missing.
    fn get(&self, column: &str) -> Option<&str> {
        let i = self.columns.iter().position(|c| c == column)?;
        self.cells[i].as_deref().filter(|s| !s.trim().is_empty())
    }
}

pub fn load(dirs: &[PathBuf]) -> Raw {
    let mut raw = Raw::default();
    let mut files = Vec::new();
    for dir in dirs {
        let mut here = Vec::new();
        walk(dir, &mut here);
        here.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
        files.extend(here);
    }
    let named = |stem: &str| -> Vec<&PathBuf> {
        let kinds = ["csv", "csv.gz", "parquet", "ndjson", "ndjson.gz"];
        files.iter().filter(|f| kinds.iter().any(|k| file_name(f) == format!("{stem}.{k}"))).collect()
    };
    let mut seen = BTreeMap::new();
    for file in named("listings") {
        for row in table(file).each() {
            raw.rows_read += 1;
            match listing(&row) {
                Some(l) => {
                    let key = (l.country.clone(), l.platform.clone(), l.product_id.clone());
                    if let Entry::Vacant(first) = seen.entry(key) {
                        first.insert(raw.listings.len());
                        raw.listings.push(l);
                    }
                }
                None => raw.rows_rejected += 1,
            }
        }
    }
    let mut observed = Vec::new();
    for file in named("observations") {
        for row in table(file).each() {
            raw.rows_read += 1;
            match observation(&row, &seen) {
                Some(one) => observed.push(one),
                None => raw.rows_rejected += 1,
            }
        }
    }
    let last = last_believed(&observed);
    for (listing, today, new) in observed {
        if today > last {
            raw.rows_rejected += 1;
            raw.rows_far_ahead += 1;
            continue;
        }
        let days = &mut raw.listings[listing].days;
        if days.get(&today).is_none_or(|old| new.price < old.price) {
            days.insert(today, new);
        }
    }
    for file in files.iter().filter(|f| matches!(file_name(f).as_str(), "gpc.json" | "gpc.json.gz")) {
        let json: Value = serde_json::from_slice(&bytes(file)).expect("gpc.json");
        raw.gpc_date = json["DateUtc"].as_str().unwrap_or("").to_string();
        for segment in json["Schema"].as_array().into_iter().flatten() {
            gpc_node(segment, &[], &mut raw);
        }
    }
    for file in files.iter().filter(|f| file_name(f) == "aliases.csv") {
        for r in &csv(bytes(file)).rows {
            if let [Some(name), Some(target), ..] = r.as_slice() {
                raw.aliases.push((name.clone(), target.clone()));
            }
        }
    }
    for file in files.iter().filter(|f| file_name(f) == "category_gpc.csv") {
        for r in &csv(bytes(file)).rows {
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
    raw
}

fn file_name(p: &Path) -> String {
    p.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("input folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            walk(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn bytes(file: &Path) -> Vec<u8> {
    let data = std::fs::read(file).expect("input file");
    if file.extension().is_some_and(|e| e == "gz") {
        let mut out = Vec::new();
        flate2::read::MultiGzDecoder::new(&data[..]).read_to_end(&mut out).expect("gzip");
        return out;
    }
    data
}

fn table(file: &Path) -> Table {
    let name = file_name(file);
    if name.ends_with(".parquet") {
        return frame(&ParquetReader::new(Cursor::new(bytes(file))).finish().expect("parquet"));
    }
    if name.contains(".ndjson") { ndjson(&bytes(file)) } else { csv(bytes(file)) }
}

fn csv(data: Vec<u8>) -> Table {
    let options = CsvReadOptions::default().with_infer_schema_length(Some(0)).with_has_header(true);
    frame(&options.into_reader_with_file_handle(Cursor::new(data)).finish().expect("csv"))
}

fn frame(df: &DataFrame) -> Table {
    let columns: Vec<String> = df.get_column_names().iter().map(ToString::to_string).collect();
    let mut rows = vec![Vec::with_capacity(columns.len()); df.height()];
    for column in df.columns() {
        for (i, row) in rows.iter_mut().enumerate() {
            row.push(match column.get(i).expect("in range") {
                AnyValue::Null => None,
                AnyValue::String(s) => Some(s.to_string()),
                AnyValue::StringOwned(s) => Some(s.to_string()),
                AnyValue::Boolean(b) => Some(b.to_string()),
                AnyValue::Float64(x) => Some(format!("{x}")),
                AnyValue::Float32(x) => Some(format!("{x}")),
                AnyValue::Date(d) => Some(day::text(i64::from(d))),
                AnyValue::Datetime(t, unit, _) => Some(day::instant_text(t.div_euclid(match unit {
                    TimeUnit::Milliseconds => 1_000,
                    TimeUnit::Microseconds => 1_000_000,
                    TimeUnit::Nanoseconds => 1_000_000_000,
                }))),
                other => Some(other.to_string()),
            });
        }
    }
    Table { columns, rows }
}

fn ndjson(data: &[u8]) -> Table {
    let text = std::str::from_utf8(data).expect("utf-8");
    let objects: Vec<Value> = text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).expect("one JSON object per line"))
        .collect();
    let names: BTreeSet<String> =
        objects.iter().flat_map(|o| o.as_object().expect("object").keys().cloned()).collect();
    let columns: Vec<String> = names.into_iter().collect();
    let cell = |v: Option<&Value>| match v {
        None | Some(Value::Null) => None,
        Some(Value::String(s)) => Some(s.clone()),
        Some(other) => Some(other.to_string()),
    };
    let rows = objects.iter().map(|o| columns.iter().map(|c| cell(o.get(c))).collect()).collect();
    Table { columns, rows }
}

/// A category path's segments with a slug, as (slug, spelling).
pub fn segments(path: &str) -> Vec<(String, String)> {
    path.split('>').map(|s| (words::slug(s), s.trim().to_string())).filter(|s| !s.0.is_empty()).collect()
}

fn listing(row: &Row) -> Option<Listing> {
    let country = row.get("country").filter(|c| matches!(*c, "us" | "ca"))?.to_string();
    let platform = row.get("platform")?.to_lowercase();
    let product_id = row.get("product_id")?.trim().to_string();
    let name = row.get("product_name")?.trim().to_string();
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
        rating: row.get("rating").and_then(|r| r.trim().parse().ok()),
        reviews: row.get("review_count").and_then(|r| r.trim().parse().ok()),
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

/// Decimal text to (cents half up, whether it is above 10,000,000). `None` is no number.
pub fn cents(text: &str) -> Option<(i64, bool)> {
    let text = text.trim().to_lowercase();
    let (mantissa, exponent) = match text.split_once('e') {
        Some((m, e)) => (m, e.parse::<i32>().ok()?),
        None => (text.as_str(), 0),
    };
    let (negative, number) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|b| b.is_ascii_digit()) || exponent.abs() > 30 {
        return None;
    }
    let digits: i128 = all.parse().ok()?;
    let shift = exponent - part.len() as i32;
    if digits != 0 && (shift > 5 || all.trim_start_matches('0').len() as i32 + shift > 12) {
        return Some((i64::MAX, true));
    }
    let value = if shift >= 0 {
        Frac::int(digits * 10i128.pow(shift as u32))
    } else {
        Frac::new(digits, 10i128.checked_pow(shift.unsigned_abs())?)
    };
    let value = if negative { Frac::new(-value.n, value.d) } else { value };
    Some((value.times(100).half_up() as i64, Frac::int(10_000_000i64).less(value)))
}

/// The last day that is believed. Where no day was observed for more than 366 days, and of all rows less than one in a
/// hundred comes later, those are not believed.
fn last_believed(observed: &[(usize, i64, Obs)]) -> i64 {
    let days: BTreeSet<i64> = observed.iter().map(|(_, today, _)| *today).collect();
    let later = |day: i64| observed.iter().filter(|(_, today, _)| *today > day).count();
    let is_last = |&&day: &&i64| {
        let next = days.range(day + 1..).next();
        next.is_some_and(|next| next - day > 366) && later(day) * 100 < observed.len()
    };
    days.iter().find(is_last).or(days.last()).copied().unwrap_or(0)
}

/// A row as place of its listing, day and what was seen.
fn observation(row: &Row, keys: &BTreeMap<(String, String, String), usize>) -> Option<(usize, i64, Obs)> {
    let country = row.get("country").filter(|c| matches!(*c, "us" | "ca"))?;
    let key = (country.to_string(), row.get("platform")?.to_lowercase(), row.get("product_id")?.to_string());
    let (instant, _) = day::parse_moment(row.get("date")?.trim())?;
    let today = instant.div_euclid(86_400);
    if !(2000..=2100).contains(&day::civil(today).0) {
        return None;
    }
    let (price, above) = cents(row.get("price")?)?;
    if price <= 0 || above {
        return None;
    }
    let currency = row.get("currency").map(|c| c.trim().to_uppercase());
    if currency.is_some_and(|c| c != if country == "ca" { "CAD" } else { "USD" }) {
        return None;
    }
    let flag = |column: &str| match row.get(column).map(|v| v.trim().to_lowercase()).as_deref() {
        Some("true" | "1") => Some(true),
        Some("false" | "0") => Some(false),
        _ => None,
    };
    let list = row.get("list_price").and_then(cents).filter(|(c, above)| *c > 0 && !above).map(|(c, _)| c);
    let new = Obs { price, list, stock: flag("in_stock"), said_promo: flag("promo") == Some(true), instant };
    Some((*keys.get(&key)?, today, new))
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
