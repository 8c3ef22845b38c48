//! Answers as tables: every format holds what the JSON holds, field by field, under columns that hang on the route alone.
//!
//! `UPDATE_GOLDEN=1 cargo test --test it formats` writes the columns of docs/formats.md anew.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use polars::prelude::{AnyValue, ParquetReader, SerReader as _};
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::io::ipc::read::{StreamReader, StreamState, read_stream_metadata};
use pricebook::endpoints;
use pricebook::query::endpoint::{Route, Stamp};
use pricebook::query::representation::{
    AnswerTable, Answered, Arrow, ColumnKind, Columns, Csv, FillError, Filling, HEAD_KEY, Json, Ndjson,
    Parquet, Representation, TableCell,
};
use pricebook::types::{Day, Instant};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::support::asking;

/// Requests beside the examples: rows of every kind, and pages without any.
const FURTHER: [(&str, &str); 7] = [
    ("/v1/shopper/best-price", "q=sweet+baby+rays+barbecue+sauce&country=ca&linking=likely"),
    ("/v1/shopper/best-price", "q=tofu&country=ca&linking=likely"),
    ("/v1/marketing/competitive-landscape", "category=food&country=ca&limit=50"),
    ("/v1/marketing/competitive-landscape", "category=memory&cursor=100000"),
    ("/v1/shopper/deal-finder", "category=food&country=ca&cursor=100000"),
    ("/v1/public/coverage", "offset=100000"),
    ("/v1/public/brands", "q=qqzzx"),
];

/// A table as a format holds it: columns with the kinds that it tells, and rows.
struct Read {
    columns: Vec<(String, Option<ColumnKind>)>,
    rows: Vec<Vec<Value>>,
    head: Option<Value>,
}

fn written(route: &Route, query: &str, representation: &dyn Representation) -> Vec<u8> {
    let parsed =
        route.parse(query, asking::fixture().as_of()).unwrap_or_else(|faults| panic!("{query}: {faults:?}"));
    let stamp = Stamp { computed_at: Instant::from_micros(0), freshness_seconds: 0 };
    let work = parsed.resolve(&asking::fixture()).unwrap_or_else(|refusal| panic!("{query}: {refusal:?}"));
    work.run(stamp, representation).unwrap()
}

/// Every route with the requests that it is asked here.
fn requests() -> Vec<(Route, Vec<&'static str>)> {
    let further = |path| FURTHER.into_iter().filter(move |(known, _)| *known == path).map(|(_, query)| query);
    let queries = |route: &Route| route.examples.iter().copied().chain(further(route.path)).collect();
    endpoints::routes()
        .into_iter()
        .map(|route| (queries(&route), route))
        .map(|(queries, route)| (route, queries))
        .collect()
}

/// The rows of an answer, flattened, and the answer without them.
fn flattened(route: &Route, answer: &Value) -> (Vec<BTreeMap<String, Value>>, Value) {
    let mut head = answer.clone();
    let mut rows = Vec::new();
    for field in route.rows {
        match &answer[field] {
            Value::Null => {}
            Value::Array(list) => rows.extend(list.iter().cloned()),
            one => rows.push(one.clone()),
        }
        head.as_object_mut().unwrap().shift_remove(*field);
    }
    let flat = |row: &Value| {
        let row = row.as_object().unwrap();
        let mut cells = BTreeMap::new();
        flatten(row, row, "", &mut cells);
        for constant in ["country", "currency"] {
            if let Some(said) = answer.get(constant) {
                cells.entry(constant.to_owned()).or_insert_with(|| said.clone());
            }
        }
        cells
    };
    (rows.iter().map(flat).collect(), head)
}

fn flatten(
    row: &Map<String, Value>,
    object: &Map<String, Value>,
    prefix: &str,
    cells: &mut BTreeMap<String, Value>,
) {
    for (name, value) in object {
        match value {
            Value::Object(inner) => flatten(row, inner, &format!("{prefix}{name}_"), cells),
            value => {
                let joined = format!("{prefix}{name}");
                let twice = !prefix.is_empty() && row.contains_key(&joined);
                let column = if twice { format!("{prefix}_{name}") } else { joined };
                assert!(cells.insert(column.clone(), value.clone()).is_none(), "two fields are {column}");
            }
        }
    }
}

/// Fields of lines between commas, read by the letter of RFC 4180; `None` for one that is empty and has no quotes.
fn csv_fields(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut lines, mut line, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                quoted = true;
                loop {
                    match letters.next().expect("a quote ends") {
                        '"' if letters.peek() == Some(&'"') => field.extend(letters.next()),
                        '"' => break,
                        other => field.push(other),
                    }
                }
            }
            ',' | '\n' => {
                let taken = std::mem::take(&mut field);
                line.push((quoted || !taken.is_empty()).then_some(taken));
                quoted = false;
                if letter == '\n' {
                    lines.push(std::mem::take(&mut line));
                }
            }
            other => field.push(other),
        }
    }
    assert!(line.is_empty() && field.is_empty(), "the last line ends");
    lines
}

fn read_csv(bytes: Vec<u8>, route: &Route) -> Read {
    let mut lines = csv_fields(&String::from_utf8(bytes).unwrap()).into_iter();
    let columns = lines.next().unwrap().into_iter().map(|name| (name.unwrap(), None)).collect();
    let kinds = route.columns().all();
    let value = |(at, field): (usize, Option<String>)| match (field, kinds[at].kind) {
        (None, _) => Value::Null,
        (Some(text), ColumnKind::Text | ColumnKind::Day | ColumnKind::Instant) => Value::String(text),
        (Some(text), _) => serde_json::from_str(&text).unwrap(),
    };
    let rows = lines.map(|line| line.into_iter().enumerate().map(value).collect()).collect();
    Read { columns, rows, head: None }
}

fn read_ndjson(bytes: &[u8], route: &Route) -> Read {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines: Vec<Map<String, Value>> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Without a line there are no names.
    let names = |line: &Map<String, Value>| line.keys().map(|name| (name.clone(), None)).collect();
    let columns = route.columns().all().iter().map(|column| (column.name.clone(), None)).collect();
    Read {
        columns: lines.first().map_or(columns, names),
        rows: lines.into_iter().map(|line| line.into_iter().map(|(_, value)| value).collect()).collect(),
        head: None,
    }
}

/// JSON text as what it says.
fn said(text: &str, kind: ColumnKind) -> Value {
    if kind == ColumnKind::Json { serde_json::from_str(text).unwrap() } else { Value::from(text) }
}

fn read_arrow(bytes: &[u8], route: &Route) -> Read {
    let mut reader = Cursor::new(bytes);
    let metadata = read_stream_metadata(&mut reader).unwrap();
    let head = metadata.custom_schema_metadata.as_ref().unwrap()[HEAD_KEY].to_string();
    let fields: Vec<_> = metadata.schema.iter_values().cloned().collect();
    let kinds = route.columns().all();
    let columns = fields.iter().map(|field| {
        assert!(field.is_nullable);
        let kind = match &field.dtype {
            ArrowDataType::Utf8 => ColumnKind::Text,
            ArrowDataType::Date32 => ColumnKind::Day,
            ArrowDataType::Timestamp(_, Some(zone)) if zone == "UTC" => ColumnKind::Instant,
            ArrowDataType::Int64 => ColumnKind::Integer,
            ArrowDataType::Float64 => ColumnKind::Number,
            ArrowDataType::Boolean => ColumnKind::Flag,
            other => panic!("{} is {other:?}", field.name),
        };
        (field.name.to_string(), Some(kind))
    });
    let columns: Vec<_> = columns.collect();
    let mut rows = Vec::new();
    for state in StreamReader::new(reader, metadata, None) {
        let StreamState::Some(batch) = state.unwrap() else { panic!("a batch is there or not") };
        let row = |row: usize| {
            let arrays = batch.arrays().iter().zip(kinds);
            arrays.map(|(array, column)| arrow_value(array.as_ref(), row, column.kind)).collect()
        };
        rows.extend((0..batch.len()).map(row));
    }
    Read { columns, rows, head: Some(serde_json::from_str(&head).unwrap()) }
}

fn arrow_value(array: &dyn Array, row: usize, kind: ColumnKind) -> Value {
    fn of<A: 'static>(array: &dyn Array) -> &A {
        array.as_any().downcast_ref().unwrap()
    }
    if array.is_null(row) {
        return Value::Null;
    }
    match kind {
        ColumnKind::Text | ColumnKind::Json => said(of::<Utf8Array<i32>>(array).value(row), kind),
        ColumnKind::Day => json!(Day::from_days(of::<PrimitiveArray<i32>>(array).value(row))),
        ColumnKind::Instant => json!(Instant::from_micros(of::<PrimitiveArray<i64>>(array).value(row))),
        ColumnKind::Integer => json!(of::<PrimitiveArray<i64>>(array).value(row)),
        ColumnKind::Number => json!(of::<PrimitiveArray<f64>>(array).value(row)),
        ColumnKind::Flag => json!(of::<BooleanArray>(array).value(row)),
    }
}

fn read_parquet(bytes: Vec<u8>, route: &Route) -> Read {
    let mut reader = ParquetReader::new(Cursor::new(bytes));
    let metadata = reader.get_metadata().unwrap().key_value_metadata().clone().unwrap();
    let head = metadata.into_iter().find(|pair| pair.key == HEAD_KEY).unwrap().value.unwrap();
    let frame = reader.finish().unwrap();
    let kinds = route.columns().all();
    let columns = frame.columns().iter().map(|column| {
        let kind = match column.dtype().to_string().as_str() {
            "str" => ColumnKind::Text,
            "date" => ColumnKind::Day,
            "i64" => ColumnKind::Integer,
            "f64" => ColumnKind::Number,
            "bool" => ColumnKind::Flag,
            other if other.starts_with("datetime[μs") => ColumnKind::Instant,
            other => panic!("{} is {other}", column.name()),
        };
        (column.name().to_string(), Some(kind))
    });
    let columns = columns.collect();
    let cell = |row: usize, at: usize| match frame.columns()[at].get(row).unwrap() {
        AnyValue::Null => Value::Null,
        AnyValue::String(text) => said(text, kinds[at].kind),
        AnyValue::StringOwned(text) => said(&text, kinds[at].kind),
        AnyValue::Date(days) => json!(Day::from_days(days)),
        AnyValue::Datetime(micros, ..) | AnyValue::DatetimeOwned(micros, ..) => {
            json!(Instant::from_micros(micros))
        }
        AnyValue::Int64(number) => json!(number),
        AnyValue::Float64(number) => json!(number),
        AnyValue::Boolean(flag) => json!(flag),
        other => panic!("{other:?}"),
    };
    let rows = (0..frame.height()).map(|row| (0..frame.width()).map(|at| cell(row, at)).collect()).collect();
    Read { columns, rows, head: Some(serde_json::from_str(&head).unwrap()) }
}

#[test]
fn every_format_holds_what_the_json_holds() {
    let (mut tables, mut cells, mut empty) = (0, 0, 0);
    for (route, queries) in requests() {
        for query in queries {
            let target = format!("{}?{query}", route.path);
            let answer: Value = serde_json::from_slice(&written(&route, query, &Json)).unwrap();
            let (expected, head) = flattened(&route, &answer);
            let reads = [
                read_csv(written(&route, query, &Csv), &route),
                read_ndjson(&written(&route, query, &Ndjson), &route),
                read_arrow(&written(&route, query, &Arrow), &route),
                read_parquet(written(&route, query, &Parquet), &route),
            ];
            for Read { columns, rows, head: said } in reads {
                for ((name, kind), column) in columns.iter().zip(route.columns().all()) {
                    // JSON is text to who does not know better.
                    let known = if column.kind == ColumnKind::Json { ColumnKind::Text } else { column.kind };
                    assert_eq!((name, kind.unwrap_or(known)), (&column.name, known), "{target}");
                }
                assert_eq!(columns.len(), route.columns().all().len(), "{target}");
                assert!(said.is_none_or(|said| said == head), "{target}");
                assert_eq!(rows.len(), expected.len(), "{target}");
                for (row, expected) in rows.iter().zip(&expected) {
                    assert_eq!(row.len(), columns.len(), "{target}");
                    let told = |name: &String| columns.iter().any(|(column, _)| column == name);
                    // Of an object that is null there are no fields to ask for.
                    let untold = expected.iter().find(|(name, value)| !value.is_null() && !told(name));
                    assert_eq!(untold, None, "{target} has a column for it");
                    for ((name, _), cell) in columns.iter().zip(row) {
                        assert_eq!(cell, expected.get(name).unwrap_or(&Value::Null), "{name} of {target}");
                        cells += 1;
                    }
                }
                tables += 1;
                empty += usize::from(rows.is_empty());
            }
        }
    }
    assert!(tables > 100 && cells > 15_000 && empty >= 16, "{tables} tables, {empty} empty, {cells} cells");
}

/// What is described.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Described {
    rows: Vec<DescribedRow>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct DescribedRow {
    count: u32,
}

/// What is answered instead.
struct Odd(Value);

impl Answered for Odd {
    fn fields(&self) -> &dyn erased_serde::Serialize {
        &self.0
    }

    fn columns(&self) -> &'static Columns {
        let schema = SchemaGenerator::subschema_for::<Described>;
        Columns::once(TypeId::of::<Self>(), || Columns::read(schema, &["rows"]))
    }

    fn fill(&self, filling: &mut Filling) -> Result<(), FillError> {
        filling.fill(&self.0)
    }

    fn write_json(&self, body: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(body, &self.0)
    }
}

/// No table is made of an answer that is not what its schema says.
#[test]
fn rejects_tables_that_do_not_match_the_schema() {
    for (answer, fault) in [
        (json!({ "rows": [{ "count": 1 }] }), None),
        (json!({ "rows": [{ "count": null }, {}] }), None),
        (json!({ "rows": null, "more": { "a": [1] } }), None),
        (json!({ "rows": [{ "count": 1, "other": 2 }] }), Some("does not have other")),
        (json!({ "rows": [{ "count": "one" }] }), Some("the value of count is not of the kind int64")),
        (json!({ "rows": [{ "count": 1.5 }] }), Some("the value of count is not of the kind int64")),
        (json!({ "rows": [{ "count": u64::MAX }] }), Some("out of range")),
        (json!({ "rows": [{ "count": [1] }] }), Some("the value of count")),
        (json!({ "rows": [{ "count": {} }] }), Some("the value of count")),
        (json!({ "rows": [1] }), Some("a table cannot contain a value at this position")),
        (json!(1), Some("a table cannot contain a value at this position")),
    ] {
        let said = Csv.encode(&Odd(answer.clone())).map_err(|error| error.to_string());
        match fault {
            None => assert!(said.unwrap().starts_with(b"count\n"), "{answer}"),
            Some(fault) => assert!(said.unwrap_err().contains(fault), "{answer}"),
        }
    }
    let table = AnswerTable::of(&Odd(json!({ "a": 1, "rows": [{ "count": 7 }, {}], "b": [null] }))).unwrap();
    assert_eq!((table.rows(), table.head()), (2, r#"{"a":1,"b":[null]}"#));
    assert_eq!((table.cell(0, 0), table.cell(1, 0)), (TableCell::Integer(7), TableCell::Null));
    assert_eq!((table.cell(0, 0).text().as_deref(), table.cell(1, 0).text()), (Some("7"), None));
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")
}

/// The columns of every route, as the page has them.
fn derived() -> String {
    let mut text = String::new();
    for (route, _) in requests().iter().filter(|(route, _)| !route.columns().all().is_empty()) {
        let fields: Vec<String> = route.rows.iter().map(|field| format!("`{field}`")).collect();
        writeln!(text, "### {}\n\nRows: {}.\n", route.path, fields.join(", then ")).unwrap();
        text.push_str("| column | type | meaning |\n|---|---|---|\n");
        for column in route.columns().all() {
            let about = column.about.replace('|', "\\|");
            writeln!(text, "| `{}` | {} | {about} |", column.name, column.kind.as_str()).unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_formats_page_has_the_columns_of_the_routes() {
    let written = std::fs::read_to_string(page()).unwrap();
    let opening = "<!-- derived: columns -->\n";
    let from = written.find(opening).expect("a place for the columns") + opening.len();
    let to = from + written[from..].find("<!-- end -->").unwrap();
    let mut now = written.clone();
    now.replace_range(from..to, &derived());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(page(), &now).unwrap();
        return;
    }
    assert_eq!(written, now, "docs/formats.md is out of date: see {}", file!());
}
