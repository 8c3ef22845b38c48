//! Rows as files: formats, folders, dialects.

use super::dirty::{Rng, Row};
use polars::prelude::{Column, DataFrame, ParquetWriter};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// Rows over one to three files in folders whose byte order is not their order by component.
pub fn scatter(r: &mut Rng, dir: &Path, stem: &str, rows: Vec<Row>, columns: &[&'static str]) {
    let folders: &[&str] = match r.below(3) {
        0 => &["."],
        1 => &["a-b", "a"],
        _ => &["b/deep", "b", "a"],
    };
    let share = rows.len().div_ceil(folders.len());
    for (folder, part) in folders.iter().zip(rows.chunks(share.max(1))) {
        let to = dir.join(folder);
        std::fs::create_dir_all(&to).expect("folder");
        let required = if stem == "listings" { 4 } else { 5 };
        let mut kept: Vec<&'static str> = columns[..required].to_vec();
        kept.extend(
            columns[required..]
                .iter()
                .filter(|c| **c == "gtin" || **c == "category_path" || **c == "currency" || !r.chance(8)),
        );
        if r.chance(20) {
            kept.reverse();
        }
        match r.below(5) {
            0 | 1 => std::fs::write(to.join(format!("{stem}.csv")), csv(part, &own_names(&kept), &PLAIN))
                .expect("write"),
            2 => gzip(&to.join(format!("{stem}.csv.gz")), csv(part, &own_names(&kept), &PLAIN).as_bytes()),
            3 => {
                let text = ndjson(r, part, &own_names(&kept));
                if r.chance(50) {
                    gzip(&to.join(format!("{stem}.ndjson.gz")), text.as_bytes());
                } else {
                    std::fs::write(to.join(format!("{stem}.ndjson")), text).expect("write");
                }
            }
            _ => parquet(&to.join(format!("{stem}.parquet")), part, &own_names(&kept), true),
        }
    }
}

pub fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column).map_or("", String::as_str)
}

/// How a CSV file is written.
pub struct Dialect {
    pub separator: char,
    pub line_end: &'static str,
}

const PLAIN: Dialect = Dialect { separator: ',', line_end: "\n" };

pub fn csv(rows: &[Row], columns: &[(&str, String)], dialect: &Dialect) -> String {
    let Dialect { separator, line_end } = dialect;
    let quoted = |s: &str| {
        if s.contains(['"', ' ', ',', *separator]) {
            format!("\"{}\"", s.replace('"', "\"\""))
        } else {
            s.to_string()
        }
    };
    let joined = |cells: Vec<String>| cells.join(&separator.to_string());
    let names = columns.iter().map(|(_, name)| quoted(name)).chain(["remark".to_string()]);
    let mut text = joined(names.collect()) + line_end;
    for row in rows {
        let cells = columns.iter().map(|(c, _)| quoted(cell(row, c))).chain(["x".to_string()]);
        text.push_str(&(joined(cells.collect()) + line_end));
    }
    text
}

/// Columns under their own names.
pub fn own_names<'a>(columns: &[&'a str]) -> Vec<(&'a str, String)> {
    columns.iter().map(|c| (*c, (*c).to_string())).collect()
}

pub fn gzip(path: &Path, data: &[u8]) {
    let file = std::fs::File::create(path).expect("create");
    let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    out.write_all(data).expect("write");
    out.finish().expect("finish");
}

/// Numbers as numbers now and then; a blank cell is null, absent or empty.
pub fn ndjson(r: &mut Rng, rows: &[Row], columns: &[(&str, String)]) -> String {
    let numbers = r.chance(50);
    let mut text = String::new();
    for row in rows {
        let mut object = Map::new();
        for (c, theirs) in columns {
            let v = cell(row, c);
            let numeric = matches!(*c, "price" | "list_price" | "rating" | "review_count");
            let flag = matches!(*c, "in_stock" | "promo");
            let value = match v {
                "" if r.chance(50) => Value::Null,
                "" if r.chance(50) => continue,
                "true" if flag && numbers => json!(true),
                "false" if flag && numbers => json!(false),
                _ if numeric && numbers => v
                    .parse::<f64>()
                    .map_or(json!(v), |x| if *c == "review_count" { json!(x as i64) } else { json!(x) }),
                _ => json!(v),
            };
            object.insert(theirs.clone(), value);
        }
        text.push_str(&format!("{}\n", Value::Object(object)));
    }
    text
}

pub fn parquet(path: &Path, rows: &[Row], columns: &[(&str, String)], typed: bool) {
    // Numbers are texts where one of them is no plain number.
    let plain = |c: &str| {
        if !typed {
            return false;
        }
        let odd = |row: &&Row| !cell(row, c).is_empty() && cell(row, c).parse::<f64>().is_err();
        rows.iter().filter(odd).count() * 20 < rows.len()
    };
    let column = |(c, name): &(&str, String)| -> Column {
        let name = name.into();
        let texts = || rows.iter().map(|row| Some(cell(row, c)).filter(|s| !s.is_empty()));
        match *c {
            "price" | "list_price" | "rating" if plain(c) => {
                Column::new(name, texts().map(|t| t?.parse::<f64>().ok()).collect::<Vec<_>>())
            }
            "review_count" if plain(c) => {
                Column::new(name, texts().map(|t| t?.parse::<i64>().ok()).collect::<Vec<_>>())
            }
            "in_stock" => {
                let flag = |t: &str| match t.to_lowercase().as_str() {
                    "true" | "1" => Some(true),
                    "false" | "0" => Some(false),
                    _ => None,
                };
                Column::new(name, texts().map(|t| flag(t?)).collect::<Vec<_>>())
            }
            _ => Column::new(name, texts().collect::<Vec<_>>()),
        }
    };
    let mut df = DataFrame::new(rows.len(), columns.iter().map(column).collect()).expect("frame");
    let file = std::fs::File::create(path).expect("create");
    ParquetWriter::new(file).finish(&mut df).expect("parquet");
}
