//! The columns of an answer as a table. They depend on the route and not on the rows.
//!
//! Columns are read from the JSON schema of the answer's type, once for each endpoint, so an empty page has the same
//! columns. A field of a row is a column. An object in a row becomes a column for each of its fields, prefixed with
//! the name of the object (`price` in `unit_price` is `unit_price_price`; with two underscores if the row has a field
//! of that name). A list in a row is one column with its JSON text. If the answer has a country and a currency and
//! its rows do not, both are added as columns, so that rows of several answers can be combined.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock};

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// Fields of an answer that are repeated in every row as columns.
const CONSTANTS: [&str; 2] = ["country", "currency"];

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text, including the words of an enumeration.
    Text,
    /// The JSON text of a list.
    Json,
    /// A UTC day.
    Day,
    /// An instant in UTC.
    Instant,
    /// A whole number.
    Integer,
    /// A number with decimals: money, percentages and ratios, with the same digits as in the JSON.
    Number,
    /// True or false.
    Flag,
}

impl ColumnKind {
    /// Name of the kind in the documentation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Json => "JSON text",
            Self::Day => "date",
            Self::Instant => "timestamp",
            Self::Integer => "int64",
            Self::Number => "double",
            Self::Flag => "boolean",
        }
    }
}

/// A column.
#[derive(Debug)]
pub struct AnswerColumn {
    /// Name of the column.
    pub name: String,
    /// Type of the values of the column.
    pub kind: ColumnKind,
    /// Meaning: the description of the field in the JSON schema.
    pub about: String,
}

/// Destination of a field of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldTarget {
    /// A column, by index.
    Column(usize),
    /// A shape, by index, which contains the targets of the fields of an object.
    Shape(usize),
}

/// The fields of a row, or of an object in a row, with their targets, in the order of serialisation.
#[derive(Debug, Default)]
pub(super) struct Shape(Vec<(String, FieldTarget)>);

/// The columns of an endpoint, and the mapping of an answer to them.
#[derive(Debug)]
pub struct Columns {
    all: Vec<AnswerColumn>,
    /// Shapes of rows and of objects in rows. Index 0 is the shape of a row.
    shapes: Vec<Shape>,
    /// Fields of the answer that contain its rows; empty if the answer is one row.
    rows: &'static [&'static str],
    /// Fields of the answer that become columns of every row, with their columns.
    constants: Vec<(&'static str, usize)>,
}

impl Columns {
    /// Returns the columns of an endpoint type. `make` builds the columns on first use. They are stored until the
    /// process ends.
    pub fn once(endpoint: TypeId, make: impl FnOnce() -> Self) -> &'static Self {
        static KNOWN: RwLock<BTreeMap<TypeId, &'static Columns>> = RwLock::new(BTreeMap::new());
        if let Some(known) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&endpoint) {
            return known;
        }
        let made = make();
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(endpoint).or_insert_with(|| Box::leak(Box::new(made)))
    }

    /// Reads the columns from the schema of an answer whose rows are in the fields `rows`.
    pub fn read(schema: fn(&mut SchemaGenerator) -> Schema, rows: &'static [&'static str]) -> Self {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let answer = schema(&mut generator).to_value();
        let definitions = generator.take_definitions(true);
        let mut reading =
            Reading { definitions: &definitions, columns: Vec::new(), shapes: vec![Shape::default()] };
        let fields = reading.fields(&answer);
        let row_types: Vec<&Value> = match rows {
            [] => vec![&answer],
            rows => {
                rows.iter().filter_map(|row| fields?.get(*row)).map(|field| reading.element(field)).collect()
            }
        };
        let direct = row_types.iter().filter_map(|row| reading.fields(row)).flat_map(Map::keys).cloned();
        let mut taken: BTreeSet<String> = direct.collect();
        for row in row_types {
            reading.object(row, 0, "", &mut taken);
        }
        let mut constants = Vec::new();
        for name in CONSTANTS.into_iter().filter(|_| !rows.is_empty()) {
            let Some(field) = fields.and_then(|fields| fields.get(name)) else { continue };
            if taken.insert(name.to_owned()) {
                constants.push((name, reading.columns.len()));
                let (kind, about) = (ColumnKind::Text, reading.about(field));
                reading.columns.push(AnswerColumn { name: name.to_owned(), kind, about });
            }
        }
        let Reading { columns, shapes, .. } = reading;
        Self { all: columns, shapes, rows, constants }
    }

    /// Columns in order; empty if the answer has no field.
    pub fn all(&self) -> &[AnswerColumn] {
        &self.all
    }

    /// Fields of the answer that contain its rows; empty if the answer is one row.
    pub(super) fn rows(&self) -> &'static [&'static str] {
        self.rows
    }

    /// Fields of the answer that become columns of every row, with their columns.
    pub(super) fn constants(&self) -> &[(&'static str, usize)] {
        &self.constants
    }

    /// Returns the target of a field of a shape. The search begins at `next` and advances it, because fields are
    /// serialised in a fixed order.
    pub(super) fn place(&self, shape: usize, name: &str, next: &mut usize) -> Option<FieldTarget> {
        let fields = &self.shapes[shape].0;
        let at = match fields.get(*next) {
            Some((field, _)) if field == name => *next,
            _ => fields.iter().position(|(field, _)| field == name)?,
        };
        *next = at + 1;
        Some(fields[at].1)
    }
}

/// Columns and shapes that are being read from a schema.
struct Reading<'a> {
    definitions: &'a Map<String, Value>,
    columns: Vec<AnswerColumn>,
    shapes: Vec<Shape>,
}

impl<'a> Reading<'a> {
    /// Adds the fields of an object to a shape. The column names begin with the prefix. A name that is in `taken`
    /// gets a second underscore after the prefix.
    fn object(&mut self, schema: &'a Value, shape: usize, prefix: &str, taken: &mut BTreeSet<String>) {
        for (name, field) in self.fields(schema).into_iter().flatten() {
            let known = self.shapes[shape].0.iter().find(|(known, _)| known == name).map(|(_, place)| *place);
            if self.fields(field).is_some_and(|fields| !fields.is_empty()) {
                let inner = if let Some(FieldTarget::Shape(inner)) = known {
                    inner
                } else {
                    self.shapes.push(Shape::default());
                    let inner = self.shapes.len() - 1;
                    self.shapes[shape].0.push((name.clone(), FieldTarget::Shape(inner)));
                    inner
                };
                self.object(field, inner, &format!("{prefix}{name}_"), taken);
            } else if known.is_none() {
                let mut column = format!("{prefix}{name}");
                if !prefix.is_empty() && !taken.insert(column.clone()) {
                    column = format!("{prefix}_{name}");
                    taken.insert(column.clone());
                }
                let (kind, about) = (self.kind(field), self.about(field));
                self.shapes[shape].0.push((name.clone(), FieldTarget::Column(self.columns.len())));
                self.columns.push(AnswerColumn { name: column, kind, about });
            }
        }
    }

    /// Returns the type of a row from a field that contains rows: the element of a list, or the object that is one
    /// row.
    fn element(&self, field: &'a Value) -> &'a Value {
        let field = self.plain(field);
        field.get("items").unwrap_or(field)
    }

    /// Returns the fields of an object; `None` if the schema is not an object.
    fn fields(&self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        self.plain(schema).get("properties")?.as_object()
    }

    /// Follows references, and reduces a choice between one type and null to this type.
    fn plain(&self, mut schema: &'a Value) -> &'a Value {
        loop {
            let target =
                schema.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
            let other = match target {
                Some(name) => self.definitions.get(name),
                None => match alternatives(schema).as_slice() {
                    [only] => Some(*only),
                    _ => None,
                },
            };
            match other {
                Some(other) => schema = other,
                None => return schema,
            }
        }
    }

    fn kind(&self, schema: &'a Value) -> ColumnKind {
        let schema = self.plain(schema);
        let alternatives = alternatives(schema);
        let words = schema.get("enum").and_then(Value::as_array);
        let is_word = |value: &Value| value.is_string() || value.is_null();
        if words.is_some_and(|words| words.iter().all(is_word))
            || schema.get("const").is_some_and(Value::is_string)
            || (!alternatives.is_empty() && alternatives.iter().all(|one| self.kind(one) == ColumnKind::Text))
        {
            return ColumnKind::Text;
        }
        match (type_of(schema), schema.get("format").and_then(Value::as_str)) {
            (Some("string"), Some("date")) => ColumnKind::Day,
            (Some("string"), Some("date-time")) => ColumnKind::Instant,
            (Some("string"), _) => ColumnKind::Text,
            (Some("integer"), _) => ColumnKind::Integer,
            (Some("number"), _) => ColumnKind::Number,
            (Some("boolean"), _) => ColumnKind::Flag,
            _ => ColumnKind::Json,
        }
    }

    /// Returns the description of a field, or else of its type.
    fn about(&self, field: &'a Value) -> String {
        let said = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
        let text = said(field).or_else(|| said(self.plain(field))).unwrap_or_default();
        text.replace('\n', " ")
    }
}

/// Returns the alternatives of a schema except null.
fn alternatives(schema: &Value) -> Vec<&Value> {
    let either = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
    either.into_iter().flatten().filter(|one| type_of(one) != Some("null")).collect()
}

/// Returns the type of a schema if it has exactly one type except null.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(types) => {
            let mut types = types.iter().filter_map(Value::as_str).filter(|one| *one != "null");
            types.next().filter(|_| types.next().is_none())
        }
        one => one.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;
    use crate::lang::UnitPrice;
    use crate::types::{Cents, Day, Instant};

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Row {
        /// A code.
        unit_price_per: String,
        unit_price: Option<UnitPrice>,
        day: Option<Day>,
        at: Instant,
        price: Cents,
        words: Vec<String>,
        likely: Option<bool>,
        count: u32,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Best {
        price: Cents,
        url: Option<String>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Whole {
        currency: &'static str,
        best: Option<Best>,
        rows: Option<Vec<Row>>,
    }

    fn listed(columns: &Columns) -> Vec<(&str, ColumnKind)> {
        columns.all().iter().map(|column| (column.name.as_str(), column.kind)).collect()
    }

    #[test]
    fn objects_are_flattened_and_lists_are_text() {
        let columns = Columns::read(SchemaGenerator::subschema_for::<Whole>, &["rows"]);
        assert_eq!(
            listed(&columns),
            [
                ("unit_price_per", ColumnKind::Text),
                ("unit_price_price", ColumnKind::Number),
                ("unit_price__per", ColumnKind::Text),
                ("day", ColumnKind::Day),
                ("at", ColumnKind::Instant),
                ("price", ColumnKind::Number),
                ("words", ColumnKind::Json),
                ("likely", ColumnKind::Flag),
                ("count", ColumnKind::Integer),
                ("currency", ColumnKind::Text),
            ]
        );
        assert_eq!(columns.all()[0].about, "A code.");
    }

    #[test]
    fn rows_of_several_fields_share_columns() {
        let columns = Columns::read(SchemaGenerator::subschema_for::<Whole>, &["best", "rows"]);
        let names: Vec<&str> = columns.all().iter().map(|column| column.name.as_str()).collect();
        let last = "currency";
        assert_eq!(names[..3], ["price", "url", "unit_price_per"]);
        assert_eq!((names.len(), names[names.len() - 1]), (11, last));
    }

    #[test]
    fn an_answer_without_rows_is_one() {
        let columns = Columns::read(SchemaGenerator::subschema_for::<Best>, &[]);
        assert_eq!(listed(&columns), [("price", ColumnKind::Number), ("url", ColumnKind::Text)]);
        let mut next = 0;
        assert_eq!(columns.place(0, "price", &mut next), Some(FieldTarget::Column(0)));
        assert_eq!(columns.place(0, "url", &mut next), Some(FieldTarget::Column(1)));
        assert_eq!(columns.place(0, "price", &mut next), Some(FieldTarget::Column(0)));
        assert_eq!(columns.place(0, "other", &mut next), None);
    }
}
