//! An answer as a table: cells by column, and the head, which is the answer without its rows.

use std::borrow::Cow;

use super::columns::{AnswerColumn, ColumnKind, Columns};

/// An answer as a table.
#[derive(Debug)]
pub struct AnswerTable {
    columns: &'static Columns,
    cells: Vec<Cells>,
    rows: usize,
    head: String,
}

/// Value of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TableCell<'a> {
    /// Null: the field is null or absent.
    Null,
    /// Text, including days, instants and JSON, as written in the JSON of the answer.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Number(f64),
    /// True or false.
    Flag(bool),
}

/// The cells of a column.
#[derive(Debug)]
pub(super) struct Cells {
    /// Whether each cell has a value.
    pub(super) present: Vec<bool>,
    pub(super) values: Values,
}

/// Values of one type, one for each row. The value of a null cell is arbitrary.
#[derive(Debug)]
pub(super) enum Values {
    /// The concatenated texts, and the byte offset at which each text ends.
    Text {
        text: String,
        ends: Vec<usize>,
    },
    Integer(Vec<i64>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
}

impl AnswerTable {
    /// Creates a table without rows.
    pub(super) fn new(columns: &'static Columns) -> Self {
        let cells = columns.all().iter().map(|column| Cells::new(column.kind)).collect();
        Self { columns, cells, rows: 0, head: String::new() }
    }

    /// Columns in order.
    pub fn columns(&self) -> &'static [AnswerColumn] {
        self.columns.all()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The answer without its rows, as a JSON object.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Returns the cell of a row and a column. Both indices must be in range.
    pub fn cell(&self, row: usize, column: usize) -> TableCell<'_> {
        self.cells[column].get(row)
    }

    /// The mapping of an answer to the columns.
    pub(super) fn layout(&self) -> &'static Columns {
        self.columns
    }

    pub(super) fn cells(&self, column: usize) -> &Cells {
        &self.cells[column]
    }

    pub(super) fn cells_mut(&mut self, column: usize) -> &mut Cells {
        &mut self.cells[column]
    }

    pub(super) fn set_head(&mut self, head: String) {
        self.head = head;
    }

    /// Reserves capacity for more rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        for cells in &mut self.cells {
            cells.reserve(rows);
        }
    }

    /// Ends a row. Cells without a value become null.
    pub(super) fn end_row(&mut self) {
        self.rows += 1;
        for cells in &mut self.cells {
            cells.pad(self.rows);
        }
    }

    /// Sets every row of a column to one text.
    pub(super) fn set_all(&mut self, column: usize, value: &str) {
        let mut cells = Cells::new(ColumnKind::Text);
        for _ in 0..self.rows {
            cells.push_text(value);
        }
        self.cells[column] = cells;
    }
}

impl Cells {
    fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text | ColumnKind::Json | ColumnKind::Day | ColumnKind::Instant => {
                Values::Text { text: String::new(), ends: Vec::new() }
            }
            ColumnKind::Integer => Values::Integer(Vec::new()),
            ColumnKind::Number => Values::Number(Vec::new()),
            ColumnKind::Flag => Values::Flag(Vec::new()),
        };
        Self { present: Vec::new(), values }
    }

    fn reserve(&mut self, rows: usize) {
        self.present.reserve(rows);
        match &mut self.values {
            Values::Text { ends, .. } => ends.reserve(rows),
            Values::Integer(values) => values.reserve(rows),
            Values::Number(values) => values.reserve(rows),
            Values::Flag(values) => values.reserve(rows),
        }
    }

    /// Pads the column with null to this many rows.
    fn pad(&mut self, rows: usize) {
        if self.present.len() == rows {
            return;
        }
        self.present.resize(rows, false);
        match &mut self.values {
            Values::Text { text, ends } => ends.resize(rows, text.len()),
            Values::Integer(values) => values.resize(rows, 0),
            Values::Number(values) => values.resize(rows, 0.0),
            Values::Flag(values) => values.resize(rows, false),
        }
    }

    fn get(&self, row: usize) -> TableCell<'_> {
        if !self.present[row] {
            return TableCell::Null;
        }
        match &self.values {
            Values::Text { text, ends } => {
                let from = row.checked_sub(1).map_or(0, |before| ends[before]);
                TableCell::Text(&text[from..ends[row]])
            }
            Values::Integer(values) => TableCell::Integer(values[row]),
            Values::Number(values) => TableCell::Number(values[row]),
            Values::Flag(values) => TableCell::Flag(values[row]),
        }
    }

    /// Appends a text. Returns false if the column does not contain texts.
    pub(super) fn push_text(&mut self, value: &str) -> bool {
        let Values::Text { text, ends } = &mut self.values else { return false };
        text.push_str(value);
        ends.push(text.len());
        self.present.push(true);
        true
    }

    /// Appends a whole number. Returns false if the column does not contain numbers.
    pub(super) fn push_integer(&mut self, value: i64) -> bool {
        match &mut self.values {
            Values::Integer(values) => values.push(value),
            Values::Number(values) => values.push(value as f64),
            Values::Text { .. } | Values::Flag(_) => return false,
        }
        self.present.push(true);
        true
    }

    /// Appends a number. Returns false if the column does not contain numbers with decimals. A value that is not
    /// finite becomes null, as in JSON.
    pub(super) fn push_number(&mut self, value: f64) -> bool {
        let Values::Number(values) = &mut self.values else { return false };
        values.push(value);
        self.present.push(value.is_finite());
        true
    }

    /// Appends true or false. Returns false if the column does not contain such values.
    pub(super) fn push_flag(&mut self, value: bool) -> bool {
        let Values::Flag(values) = &mut self.values else { return false };
        values.push(value);
        self.present.push(true);
        true
    }
}

impl<'a> TableCell<'a> {
    /// The cell as text, with the same digits as in JSON; `None` if the cell is null.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Integer(number) => Some(Cow::Owned(number.to_string())),
            Self::Number(number) => serde_json::to_string(&number).ok().map(Cow::Owned),
            Self::Flag(flag) => Some(Cow::Borrowed(if flag { "true" } else { "false" })),
        }
    }
}
