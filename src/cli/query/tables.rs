//! An answer as text for people: fields first, then a table for each object and each list of objects.
//!
//! A terminal is narrower than most answers. Columns that are empty in every row are left out. If the table is still
//! too wide, the most dispensable columns are left out until it fits, and a line below the table names them.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::query::json_text::JsonText;
use crate::query::representation::{Answered, EncodeError, Json, Representation};

/// Maximum width of a cell, in characters, when the width of a column is determined. Longer cells are wrapped.
const CELL_CHARS_MAX: usize = 48;
/// Padding of a column, in characters.
const GAP_CHARS: usize = 2;
/// Minimum width of a table, in characters.
const WIDTH_CHARS_MIN: usize = 40;

/// Representation as text for a terminal. Without a width, lines are as long as needed.
pub(super) struct ShownTable {
    /// Width of the terminal, in characters.
    pub(super) width: Option<usize>,
}

impl Representation for ShownTable {
    fn media_type(&self) -> &'static str {
        "text/plain"
    }

    fn about(&self) -> &'static str {
        "Fields above, tables below, for people."
    }

    fn is_tabular(&self) -> bool {
        false
    }

    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError> {
        let json = Json.encode(answer)?;
        let text = std::str::from_utf8(&json).map_err(|error| EncodeError::of(self, &error))?;
        let read = JsonText::read(text).map_err(|fault| EncodeError::of(self, &fault))?;
        Ok(self.text(&read).into_bytes())
    }
}

impl ShownTable {
    fn text(&self, answer: &JsonText) -> String {
        let JsonText::Object(fields) = answer else { return answer.cell().unwrap_or_default() + "\n" };
        let cells = fields.iter().filter_map(|(name, value)| Some((name.as_str(), value.cell()?)));
        let head: Vec<(&str, String)> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
        let width = head.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        let mut text = String::new();
        for (name, cell) in head {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{name:<width$}  {cell}");
        }
        for (name, value) in fields {
            let rows: Vec<&JsonText> = match value {
                JsonText::Object(_) => vec![value],
                JsonText::List(values) if value.cell().is_none() => values.iter().collect(),
                _ => continue,
            };
            let _ = write!(text, "\n{name}\n{}", self.table(&rows));
        }
        text
    }

    /// Formats rows as a table, with a column for each field of their objects.
    fn table(&self, rows: &[&JsonText]) -> String {
        let mut columns: Vec<Column> = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            flatten("", row, &mut |name, cell| {
                let at = columns.iter().position(|column| column.name == name);
                let at = at.unwrap_or_else(|| {
                    columns.push(Column { name, cells: vec![String::new(); rows.len()], is_number: true });
                    columns.len() - 1
                });
                columns[at].is_number &= matches!(cell, JsonText::Plain(_) | JsonText::Nothing);
                columns[at].cells[number] = cell.cell().unwrap_or_default();
            });
        }
        columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
        let left_out = self.fit(&mut columns);
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(width) = self.width {
            table.set_width(u16::try_from(width.max(WIDTH_CHARS_MIN)).unwrap_or(u16::MAX));
        }
        table.set_header(columns.iter().map(|column| &column.name));
        for number in 0..rows.len() {
            table.add_row(columns.iter().map(|column| &column.cells[number]));
        }
        for (shown, column) in table.column_iter_mut().zip(&columns) {
            if column.is_number {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut text = table.trim_fmt() + "\n";
        if !left_out.is_empty() {
            let _ = writeln!(text, "not shown because the terminal is too narrow: {}", left_out.join(", "));
        }
        text
    }

    /// Removes columns until the remaining columns fit. Returns the names of the removed columns.
    fn fit(&self, columns: &mut Vec<Column>) -> Vec<String> {
        let Some(width) = self.width.map(|width| width.max(WIDTH_CHARS_MIN)) else { return Vec::new() };
        let mut left_out = Vec::new();
        while columns.len() > 1
            && columns.iter().map(|column| column.width() + GAP_CHARS + 1).sum::<usize>() >= width
        {
            let least =
                columns.iter().enumerate().max_by_key(|(place, column)| (column.dispensability(), *place));
            let Some((place, _)) = least else { break };
            left_out.push(columns.remove(place).name);
        }
        left_out
    }
}

/// A column of a table.
struct Column {
    name: String,
    cells: Vec<String>,
    is_number: bool,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count().min(CELL_CHARS_MAX));
        cells.max().unwrap_or_default().max(self.name.chars().count())
    }

    /// Rank of the column, from 0 (necessary) to 4 (most dispensable for a person). Identifiers for programs have the
    /// highest rank. The next ranks are fields about the origin of a value, and columns with the same value in every
    /// row.
    fn dispensability(&self) -> u8 {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        let is_of_programs = ["_uid", "_id", "url", "gtin"].iter().any(|end| last.ends_with(end))
            || self.name.starts_with("gpc.");
        let is_same = self.cells.len() > 1 && self.cells.iter().all(|cell| *cell == self.cells[0]);
        match last {
            _ if is_of_programs => 4,
            "match_type" | "mapping" | "scraped_at" | "observed_at" => 3,
            "product_name" | "retailer" | "price" | "brand" | "date" | "label" | "name" => 0,
            _ if is_same => 2,
            _ => 1,
        }
    }
}

/// Calls `take` with each cell of a row. The name of a field of a nested object is its path, as in `unit.price`.
fn flatten(above: &str, row: &JsonText, take: &mut impl FnMut(String, &JsonText)) {
    let JsonText::Object(fields) = row else {
        return take(if above.is_empty() { "value".to_owned() } else { above.to_owned() }, row);
    };
    for (name, value) in fields {
        let name = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        match value {
            JsonText::Object(_) => flatten(&name, value, take),
            // A list of objects within a row is shown as its length.
            JsonText::List(values) if value.cell().is_none() => {
                take(name, &JsonText::Plain(values.len().to_string()));
            }
            _ => take(name, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"query":null,"country":"ca","count":2,"terms":["a","b"],
        "best":{"product_uid":"p_0123456789abc","retailer":"metro","price":3.90,"unit":{"price":0.1,"per":"100 ml"}},
        "items":[{"product_uid":"p_0123456789abc","product_name":"Ketchup","price":3.90,"url":null,"parts":[{},{}]},
                 {"product_uid":"p_cba9876543210","product_name":"Ketchup, large","price":13.5,"url":null,"parts":[]}],
        "none":[]}"#;

    fn text(width: Option<usize>) -> String {
        ShownTable { width }.text(&JsonText::read(ANSWER).expect("JSON"))
    }

    #[test]
    fn fields_stand_above_tables() {
        let text = text(None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["country  ca", "count    2", "terms    a, b"], "{text}");
        assert_eq!(lines[4], "best");
        assert!(lines[5].contains("| unit.price |") && lines[7].contains("100 ml"), "{text}");
        let items = text.split("\nitems\n").nth(1).expect("a table");
        assert!(items.contains("Ketchup, large |  13.5"), "numbers are aligned: {items}");
        assert!(!text.contains("url") && !text.contains("none") && !text.contains("query"), "{text}");
        assert!(items.contains("| parts |") && !text.contains("not shown"), "{text}");
    }

    #[test]
    fn names_columns_that_do_not_fit() {
        let text = text(Some(40));
        assert!(
            text.lines().all(|line| line.chars().count() <= 40 || line.starts_with("not shown")),
            "{text}"
        );
        assert!(
            text.contains("not shown because the terminal is too narrow: product_uid, unit.per\n"),
            "{text}"
        );
        assert!(text.ends_with("not shown because the terminal is too narrow: product_uid\n"), "{text}");
        assert!(text.contains("Ketchup") && text.contains("13.5"), "{text}");
    }
}
