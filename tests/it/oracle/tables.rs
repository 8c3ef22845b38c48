//! Files of an input and what they hold: which are read as what, and their cells as text.

use super::day;
use polars::prelude::{
    AnyValue, CsvParseOptions, CsvReadOptions, DataFrame, ParquetReader, SerReader, TimeUnit,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

pub const LISTING: [&str; 4] = ["country", "platform", "product_id", "product_name"];
pub const OBSERVATION: [&str; 5] = ["country", "platform", "product_id", "date", "price"];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Listings,
    Observations,
    Both,
}

/// A file that is read: its rows as it writes them, and where our columns stand.
pub struct Source {
    pub path: PathBuf,
    pub kind: Kind,
    pub table: Table,
    /// Values of the folders of its path.
    pub keys: BTreeMap<String, String>,
}

pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Option<String>>>,
    /// Line of the first row.
    pub first: usize,
}

impl Source {
    /// Where a column of ours stands: under its name, or the first that is its name when folded.
    pub fn place(&self, ours: &str) -> Option<usize> {
        let exact = self.table.columns.iter().position(|c| c == ours);
        exact.or_else(|| self.table.columns.iter().position(|c| folded(c) == ours))
    }

    fn has(&self, ours: &[&str]) -> bool {
        ours.iter().all(|c| self.keys.contains_key(*c) || self.place(c).is_some())
    }
}

pub fn folded(name: &str) -> String {
    name.trim()
        .to_lowercase()
        .chars()
        .map(|c| if c.is_whitespace() || c == '-' || c == '.' { '_' } else { c })
        .collect()
}

/// The files of an input folder in the order that counts, and those beside them.
pub fn sources(dir: &Path) -> (Vec<Source>, Vec<PathBuf>) {
    let mut files = Vec::new();
    walk(dir, &mut files);
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    let is_side = |f: &PathBuf| {
        ["gpc.json", "gpc.json.gz", "aliases.csv", "category_gpc.csv"].contains(&file_name(f).as_str())
    };
    let (side, files): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_side);
    let files: Vec<PathBuf> = files.into_iter().filter(|f| is_table(f)).collect();
    let any_named = files.iter().any(|f| by_name(dir, f).is_some());
    let mut found = Vec::new();
    for path in files {
        let keys = keys(&path);
        let named = by_name(dir, &path);
        if named.is_none() && any_named && keys.is_empty() {
            continue;
        }
        let required: BTreeSet<&str> = match named {
            Some(Kind::Listings) => LISTING.into(),
            Some(_) => OBSERVATION.into(),
            None => LISTING.into_iter().chain(OBSERVATION).collect(),
        };
        let mut source = Source { table: table(&path, &required), kind: Kind::Both, keys, path };
        source.kind = match named {
            Some(kind) => kind,
            None => match (source.has(&LISTING), source.has(&OBSERVATION)) {
                (true, true) => Kind::Both,
                (true, false) => Kind::Listings,
                (false, true) => Kind::Observations,
                (false, false) => continue,
            },
        };
        found.push(source);
    }
    (found, side)
}

pub fn file_name(p: &Path) -> String {
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

/// The name without endings of compression, then the format.
fn format(path: &Path) -> (String, String) {
    let name = file_name(path);
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    let (stem, format) = name.rsplit_once('.').unwrap_or((name, ""));
    (stem.to_string(), format.to_string())
}

fn is_table(path: &Path) -> bool {
    let hidden = file_name(path).starts_with(['.', '_']);
    !hidden && ["csv", "tsv", "txt", "ndjson", "jsonl", "parquet"].contains(&format(path).1.as_str())
}

/// What a file's stem says, or the nearest folder that says something.
fn by_name(dir: &Path, path: &Path) -> Option<Kind> {
    let kind = |name: &str| match name {
        "listings" => Some(Kind::Listings),
        "observations" => Some(Kind::Observations),
        _ => None,
    };
    let folders = path.strip_prefix(dir).ok()?.parent()?.components().rev();
    kind(&format(path).0).or_else(|| folders.into_iter().find_map(|f| kind(&f.as_os_str().to_string_lossy())))
}

/// Every `key=value` of a path, decoded; the last of a name counts.
fn keys(path: &Path) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    for folder in path.parent().into_iter().flat_map(Path::components) {
        if let Some((key, value)) = folder.as_os_str().to_string_lossy().split_once('=') {
            let key = if key == "dt" { "date" } else { key };
            let value = if value == "__HIVE_DEFAULT_PARTITION__" { String::new() } else { decoded(value) };
            keys.insert(key.to_string(), value);
        }
    }
    keys
}

fn decoded(text: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), text.bytes());
    while let Some(b) = bytes.next() {
        out.push(match b {
            b'%' => {
                let hex = [bytes.next().expect("hex"), bytes.next().expect("hex")];
                u8::from_str_radix(std::str::from_utf8(&hex).expect("ascii"), 16).expect("hex")
            }
            plain => plain,
        });
    }
    String::from_utf8(out).expect("utf-8")
}

pub fn bytes(file: &Path) -> Vec<u8> {
    let data = std::fs::read(file).expect("input file");
    let mut out = Vec::new();
    match file.extension().and_then(|e| e.to_str()) {
        Some("gz") => flate2::read::MultiGzDecoder::new(&data[..]).read_to_end(&mut out).expect("gzip"),
        Some("zst") => zstd::Decoder::new(&data[..]).expect("zstd").read_to_end(&mut out).expect("zstd"),
        _ => return data,
    };
    out
}

/// A file's text: by its mark, by NULs, or by the first record with a byte above 127.
fn text(data: &[u8]) -> String {
    let wide = |data: &[u8], pair: fn([u8; 2]) -> u16| -> String {
        let units: Vec<u16> = data.chunks_exact(2).map(|c| pair([c[0], c[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match data {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return String::from_utf8_lossy(rest).into_owned(),
        [0xFF, 0xFE, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return wide(rest, u16::from_be_bytes),
        [_, 0, ..] => return wide(data, u16::from_le_bytes),
        [0, _, ..] => return wide(data, u16::from_be_bytes),
        _ => {}
    }
    // No value of ours holds a line end, so a line is a record.
    let first = data.split(|b| *b == b'\n').find(|line| !line.is_ascii());
    match first {
        Some(line) if std::str::from_utf8(line).is_err() => {
            encoding_rs::WINDOWS_1252.decode_without_bom_handling(data).0.into_owned()
        }
        _ => String::from_utf8_lossy(data).into_owned(),
    }
}

fn table(file: &Path, required: &BTreeSet<&str>) -> Table {
    match format(file).1.as_str() {
        "parquet" => frame(&ParquetReader::new(Cursor::new(bytes(file))).finish().expect("parquet"), 1),
        "ndjson" | "jsonl" => ndjson(&text(&bytes(file))),
        _ => {
            let text = text(&bytes(file));
            let header = text.lines().next().unwrap_or("").to_string();
            let fields = |mark: char| -> Vec<String> {
                header.split(mark).map(|f| folded(f.trim().trim_matches('"'))).collect()
            };
            let rank = |mark: &char| {
                let fields = fields(*mark);
                (required.iter().filter(|r| fields.iter().any(|f| f == *r)).count(), fields.len())
            };
            // The last of equals is found, so the first one comes last.
            let mark = ['\t', ';', ','].into_iter().max_by_key(rank).expect("three");
            csv(text.into_bytes(), mark)
        }
    }
}

pub fn csv(data: Vec<u8>, mark: char) -> Table {
    let parse = CsvParseOptions::default().with_separator(mark as u8);
    let options = CsvReadOptions::default()
        .with_infer_schema_length(Some(0))
        .with_has_header(true)
        .with_parse_options(parse);
    frame(&options.into_reader_with_file_handle(Cursor::new(data)).finish().expect("csv"), 2)
}

fn frame(df: &DataFrame, first: usize) -> Table {
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
                AnyValue::Decimal(x, _, scale) => Some(decimal(x, scale)),
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
    Table { columns, rows, first }
}

/// A whole number with a point `scale` digits from the right.
fn decimal(x: i128, scale: usize) -> String {
    let digits = format!("{:0>1$}", x.unsigned_abs(), scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    format!("{}{whole}.{part}", if x < 0 { "-" } else { "" })
}

fn ndjson(text: &str) -> Table {
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
        // Numbers by their shortest decimal form.
        Some(Value::Number(n)) if n.is_f64() => n.as_f64().map(|x| x.to_string()),
        Some(other) => Some(other.to_string()),
    };
    let rows = objects.iter().map(|o| columns.iter().map(|c| cell(o.get(c))).collect()).collect();
    Table { columns, rows, first: 1 }
}
