//! Newline-delimited JSON: an object for each row.

use super::columns::ColumnKind;
use super::table::{AnswerTable, TableCell};
use super::{Answered, EncodeError, Representation};

/// Initial capacity of the output per field, in bytes.
const FIELD_BYTES: usize = 28;

/// `application/x-ndjson`. Every line has every column. Lists are JSON arrays.
pub struct Ndjson;

impl Representation for Ndjson {
    fn media_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn about(&self) -> &'static str {
        "The rows as JSON objects, one per line. Every line has every column."
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let table = AnswerTable::without_head(answer).map_err(|error| EncodeError::of(self, &error))?;
        lines(&table).map_err(|error| EncodeError::of(self, &error))
    }
}

fn lines(table: &AnswerTable) -> serde_json::Result<Vec<u8>> {
    let columns = table.columns();
    let mut out = Vec::with_capacity(table.rows() * columns.len() * FIELD_BYTES);
    let mut keys = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let opening = if at == 0 { '{' } else { ',' };
        keys.push(format!("{opening}{}:", serde_json::to_string(&column.name)?));
    }
    for row in 0..table.rows() {
        for (at, key) in keys.iter().enumerate() {
            out.extend_from_slice(key.as_bytes());
            match table.cell(row, at) {
                TableCell::Null => out.extend_from_slice(b"null"),
                TableCell::Text(text) if columns[at].kind == ColumnKind::Json => {
                    out.extend_from_slice(text.as_bytes());
                }
                TableCell::Text(text) => serde_json::to_writer(&mut out, text)?,
                TableCell::Integer(number) => serde_json::to_writer(&mut out, &number)?,
                TableCell::Number(number) => serde_json::to_writer(&mut out, &number)?,
                TableCell::Flag(flag) => serde_json::to_writer(&mut out, &flag)?,
            }
        }
        out.extend_from_slice(b"}\n");
    }
    Ok(out)
}
