//! Comma-separated values (RFC 4180): a header, then a line for each row.

use super::table::{AnswerTable, TableCell};
use super::{Answered, EncodeError, Representation};

/// Initial capacity of the output per cell, in bytes.
const CELL_BYTES: usize = 12;

/// `text/csv`, in UTF-8. Null is an empty field, an empty text is `""`. Lines end with a line feed.
pub struct Csv;

impl Representation for Csv {
    fn media_type(&self) -> &'static str {
        "text/csv"
    }

    fn content_type(&self) -> &'static str {
        "text/csv; charset=utf-8"
    }

    fn about(&self) -> &'static str {
        "The rows as comma-separated values with a header, in UTF-8. Null is an empty field."
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let table = AnswerTable::without_head(answer).map_err(|error| EncodeError::of(self, &error))?;
        lines(&table).map_err(|error| EncodeError::of(self, &error))
    }
}

fn lines(table: &AnswerTable) -> serde_json::Result<Vec<u8>> {
    let columns = table.columns();
    let mut out = Vec::with_capacity((table.rows() + 1) * columns.len() * CELL_BYTES);
    for (at, column) in columns.iter().enumerate() {
        separate(at, &mut out);
        quote(&column.name, &mut out);
    }
    out.push(b'\n');
    for row in 0..table.rows() {
        for at in 0..columns.len() {
            separate(at, &mut out);
            match table.cell(row, at) {
                TableCell::Null => {}
                TableCell::Text(text) => quote(text, &mut out),
                TableCell::Integer(number) => serde_json::to_writer(&mut out, &number)?,
                TableCell::Number(number) => serde_json::to_writer(&mut out, &number)?,
                TableCell::Flag(flag) => serde_json::to_writer(&mut out, &flag)?,
            }
        }
        out.push(b'\n');
    }
    Ok(out)
}

fn separate(at: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
}

/// Appends a text, in quotes if it is empty or contains a comma, a quote or a line break.
fn quote(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    if !bytes.is_empty() && !bytes.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use polars::prelude::*;
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = Vec::new();
        quote(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_needs_quotes_has_them() {
        for (text, expected) in [
            ("Sauce à l'érable", "Sauce à l'érable"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("24\" screen", "\"24\"\" screen\""),
            ("two\nlines", "\"two\nlines\""),
            ("two\rlines", "\"two\rlines\""),
            (" = 1+1", " = 1+1"),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }

    proptest! {
        /// A different CSV reader must read back every text that was written.
        #[test]
        fn every_text_comes_back(texts in prop::collection::vec("[ a,\"\n;'=à\u{1F36A}]{0,6}", 1..6)) {
            let row = texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(",");
            let header = (0..texts.len()).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",");
            let file = format!("{header}\n{row}\n");
            let columns = (0..texts.len()).map(|at| (format!("c{at}").into(), DataType::String));
            let schema: Schema = columns.collect();
            let options = CsvReadOptions::default()
                .with_schema(Some(Arc::new(schema)))
                .with_parse_options(CsvParseOptions::default().with_missing_is_null(false));
            let read = CsvReader::new(Cursor::new(file.into_bytes())).with_options(options).finish().unwrap();
            prop_assert_eq!(read.height(), 1);
            for (column, text) in read.columns().iter().zip(&texts) {
                prop_assert_eq!(column.str().unwrap().get(0).unwrap_or_default(), text);
            }
        }
    }
}
