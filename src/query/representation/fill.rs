//! Fills the table of an answer: a serializer that puts every field of a row into its column.
//!
//! No intermediate value is built. A field without a column, or with a value of another type than its column, is an
//! error, because the answer does not match its schema.

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use super::Answered;
use super::columns::{ColumnKind, Columns, FieldTarget};
use super::key::{FillError, Key, No, refused};
use super::table::{AnswerTable, Cells};

/// A table that is being filled from an answer.
pub struct Filling {
    table: AnswerTable,
    /// The fields outside the rows as JSON, without the closing brace; `None` if they are not needed.
    head: Option<Vec<u8>>,
    /// Columns whose value is the same in every row, with this value.
    constants: Vec<(usize, String)>,
}

impl AnswerTable {
    /// Creates the table of an answer.
    ///
    /// # Errors
    /// Returns an error if the answer does not match its schema.
    pub fn of(answer: &dyn Answered) -> Result<Self, FillError> {
        Self::filled(answer, Some(vec![b'{']))
    }

    /// Creates the table of an answer without its head.
    pub(super) fn without_head(answer: &dyn Answered) -> Result<Self, FillError> {
        Self::filled(answer, None)
    }

    fn filled(answer: &dyn Answered, head: Option<Vec<u8>>) -> Result<Self, FillError> {
        let mut filling = Filling { table: Self::new(answer.columns()), head, constants: Vec::new() };
        answer.fill(&mut filling)?;
        let Filling { mut table, head, constants } = filling;
        for (column, value) in constants {
            table.set_all(column, &value);
        }
        if let Some(mut head) = head {
            head.push(b'}');
            table.set_head(String::from_utf8(head).map_err(FillError::custom)?);
        }
        Ok(table)
    }
}

impl Filling {
    /// Fills the table with an answer.
    ///
    /// # Errors
    /// Returns an error if the answer does not match its schema.
    pub fn fill(&mut self, answer: &impl Serialize) -> Result<(), FillError> {
        let slot = if self.columns().rows().is_empty() { Slot::Rows } else { Slot::Answer };
        answer.serialize(Field { filling: self, slot })
    }

    fn columns(&self) -> &'static Columns {
        self.table.layout()
    }

    /// Adds a field of the answer itself.
    fn answer_field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), FillError> {
        if self.columns().rows().contains(&name) {
            return value.serialize(Field { filling: self, slot: Slot::Rows });
        }
        let constant = self.columns().constants().iter().find(|(constant, _)| *constant == name);
        if let Some(&(_, column)) = constant {
            value.serialize(Field { filling: self, slot: Slot::Constant(column) })?;
        }
        let Some(head) = &mut self.head else { return Ok(()) };
        if head.len() > 1 {
            head.push(b',');
        }
        serde_json::to_writer(&mut *head, name).map_err(FillError::custom)?;
        head.push(b':');
        serde_json::to_writer(head, value).map_err(FillError::custom)
    }

    /// Adds a field of a row, or of an object in a row.
    fn row_field<T: Serialize + ?Sized>(&mut self, place: FieldTarget, value: &T) -> Result<(), FillError> {
        let column = match place {
            FieldTarget::Shape(shape) => {
                return value.serialize(Field { filling: self, slot: Slot::Shape(shape) });
            }
            FieldTarget::Column(column) => column,
        };
        if self.columns().all()[column].kind != ColumnKind::Json {
            return value.serialize(Field { filling: self, slot: Slot::Column(column) });
        }
        let text = serde_json::to_string(value).map_err(FillError::custom)?;
        if text != "null" {
            self.table.cells_mut(column).push_text(&text);
        }
        Ok(())
    }
}

/// Destination of a value.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// The answer itself.
    Answer,
    /// A row, or a list of rows.
    Rows,
    /// An object in a row.
    Shape(usize),
    /// A cell of a row.
    Column(usize),
    /// A cell that is the same in every row.
    Constant(usize),
}

/// The serializer of one value.
struct Field<'a> {
    filling: &'a mut Filling,
    slot: Slot,
}

impl<'a> Field<'a> {
    /// Puts the value into its column.
    fn cell(self, push: impl FnOnce(&mut Cells) -> bool) -> Result<(), FillError> {
        let Slot::Column(column) = self.slot else { return Err(self.misfit()) };
        if push(self.filling.table.cells_mut(column)) { Ok(()) } else { Err(self.misfit()) }
    }

    fn misfit(&self) -> FillError {
        let columns = self.filling.columns();
        match self.slot {
            Slot::Column(at) | Slot::Constant(at) => {
                let column = &columns.all()[at];
                FillError::custom(format!(
                    "the value of {} is not of the kind {}",
                    column.name,
                    column.kind.as_str()
                ))
            }
            slot => FillError::custom(format!("a table cannot contain a value at this position ({slot:?})")),
        }
    }

    fn fields(self) -> Result<Fields<'a>, FillError> {
        let shape = match self.slot {
            Slot::Answer => None,
            Slot::Rows => Some(0),
            Slot::Shape(shape) => Some(shape),
            Slot::Column(_) | Slot::Constant(_) => return Err(self.misfit()),
        };
        Ok(Fields { filling: self.filling, shape, next: 0, is_row: matches!(self.slot, Slot::Rows) })
    }
}

/// Serializer methods that convert a number and call the method of a wider type.
macro_rules! widened {
    ($($method:ident($type:ty) -> $other:ident;)*) => {
        $(fn $method(self, value: $type) -> Result<(), FillError> {
            self.$other(value.into())
        })*
    };
}

impl<'a> Serializer for Field<'a> {
    type Ok = ();
    type Error = FillError;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = No<()>;
    type SerializeTupleStruct = No<()>;
    type SerializeTupleVariant = No<()>;
    type SerializeMap = Fields<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = No<()>;

    widened! {
        serialize_i8(i8) -> serialize_i64;
        serialize_i16(i16) -> serialize_i64;
        serialize_i32(i32) -> serialize_i64;
        serialize_u8(u8) -> serialize_i64;
        serialize_u16(u16) -> serialize_i64;
        serialize_u32(u32) -> serialize_i64;
        serialize_f32(f32) -> serialize_f64;
    }

    refused! {
        serialize_char(char) -> ();
        serialize_bytes(&[u8]) -> ();
        serialize_tuple(usize) -> No<()>;
        serialize_tuple_struct(&'static str, usize) -> No<()>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No<()>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No<()>;
    }

    fn serialize_bool(self, value: bool) -> Result<(), FillError> {
        self.cell(|cells| cells.push_flag(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), FillError> {
        self.cell(|cells| cells.push_integer(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), FillError> {
        self.serialize_i64(i64::try_from(value).map_err(FillError::custom)?)
    }

    fn serialize_f64(self, value: f64) -> Result<(), FillError> {
        self.cell(|cells| cells.push_number(value))
    }

    fn serialize_str(self, value: &str) -> Result<(), FillError> {
        if let Slot::Constant(column) = self.slot {
            self.filling.constants.push((column, value.to_owned()));
            return Ok(());
        }
        self.cell(|cells| cells.push_text(value))
    }

    // A cell without a value becomes null when the row ends.
    fn serialize_none(self) -> Result<(), FillError> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), FillError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), FillError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), FillError> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Result<(), FillError> {
        self.serialize_str(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), FillError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
        _: &T,
    ) -> Result<(), FillError> {
        Err(FillError::custom(format!(
            "a table cannot contain a value with the name of its variant ({word})"
        )))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Elements<'a>, FillError> {
        if !matches!(self.slot, Slot::Rows) {
            return Err(self.misfit());
        }
        self.filling.table.reserve(len.unwrap_or_default());
        Ok(Elements(self.filling))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'a>, FillError> {
        self.fields()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, FillError> {
        self.fields()
    }
}

/// The rows of a list.
struct Elements<'a>(&'a mut Filling);

impl SerializeSeq for Elements<'_> {
    type Ok = ();
    type Error = FillError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), FillError> {
        value.serialize(Field { filling: self.0, slot: Slot::Rows })
    }

    fn end(self) -> Result<(), FillError> {
        Ok(())
    }
}

/// The fields of the answer, of a row, or of an object in a row.
struct Fields<'a> {
    filling: &'a mut Filling,
    /// Index of the shape; `None` for the answer itself.
    shape: Option<usize>,
    /// Position in the shape at which the next field is expected.
    next: usize,
    is_row: bool,
}

impl Fields<'_> {
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), FillError> {
        let Some(shape) = self.shape else { return self.filling.answer_field(name, value) };
        let place = self.filling.columns().place(shape, name, &mut self.next);
        let place = place
            .ok_or_else(|| FillError::custom(format!("the schema of the answer does not have {name}")))?;
        self.filling.row_field(place, value)
    }

    fn finish(self) {
        if self.is_row {
            self.filling.table.end_row();
        }
    }
}

impl SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = FillError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), FillError> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), FillError> {
        self.finish();
        Ok(())
    }
}

/// A struct with flattened fields is serialised as a map, entry by entry.
impl SerializeMap for Fields<'_> {
    type Ok = ();
    type Error = FillError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), FillError> {
        Err(FillError::custom("a table requires a key together with its value"))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), FillError> {
        Err(FillError::custom("a table requires a value together with its key"))
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), FillError> {
        key.serialize(Key(|name: &str| self.field(name, value)))
    }

    fn end(self) -> Result<(), FillError> {
        self.finish();
        Ok(())
    }
}
