//! The representations of an answer.
//!
//! An answer is one JSON object and, for formats of rows, a table: the rows in the fields that [`Descriptor::rows`]
//! names, with columns that depend on the route alone ([`Columns`]). A [`Representation`] makes bytes of it, one file
//! each, one line each in [`ALL`]. It is chosen by `Accept` once the route is known and before anything is computed.
//! Tags name it, and an answer that was paid for is stored with its media type and replayed as it was.
//!
//! JSON is written by the types of the answer themselves. For the other formats `fill`, a serializer, walks the answer
//! into an [`AnswerTable`] without an untyped value between; a field that the schema does not describe is an error.
//! CSV and NDJSON are printed from the cells. Arrow and Parquet take the cells as arrays and not as frames: texts of
//! Polars frames are string views, which not every reader of Arrow knows, and the writers of frames enter rayon for
//! fifty rows. A caller that wants cells and no bytes takes the [`AnswerTable`].
//!
//! [`Descriptor::rows`]: super::descriptor::Descriptor::rows

mod arrays;
mod arrow;
mod columns;
mod csv;
mod fill;
mod json;
mod key;
mod ndjson;
mod parquet;
mod table;

use std::fmt::Display;

pub use arrays::HEAD_KEY;
pub use arrow::Arrow;
pub use columns::{AnswerColumn, ColumnKind, Columns};
pub use csv::Csv;
pub use fill::Filling;
pub use json::Json;
pub use key::FillError;
pub use ndjson::Ndjson;
pub use parquet::Parquet;
pub use table::{AnswerTable, TableCell};

/// Every representation, the one of clients that ask for none first.
pub static ALL: [&dyn Representation; 5] = [&Json, &Csv, &Ndjson, &Arrow, &Parquet];

/// A way to write answers down.
pub trait Representation: Send + Sync + 'static {
    /// Media type, without parameters: what `Accept` is held against, and what is kept with a stored answer.
    fn media_type(&self) -> &'static str;

    /// What `Content-Type` says.
    fn content_type(&self) -> &'static str {
        self.media_type()
    }

    /// What a client gets, in a sentence or two.
    fn about(&self) -> &'static str;

    /// Whether only an answer with columns can be written so.
    fn is_tabular(&self) -> bool {
        true
    }

    /// The bytes of an answer.
    ///
    /// # Errors
    /// When the answer cannot be written so.
    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError>;
}

/// An answer, whatever its endpoint.
pub trait Answered {
    /// Its fields, in their order.
    fn fields(&self) -> &dyn erased_serde::Serialize;

    /// The columns of its rows.
    fn columns(&self) -> &'static Columns;

    /// Puts its rows into their columns, as [`Answered::fields`] would be written, without asking what each field is.
    ///
    /// # Errors
    /// When its schema does not describe it.
    fn fill(&self, filling: &mut Filling) -> Result<(), FillError>;

    /// Appends it as JSON: as [`Answered::fields`] would be written, without asking what each field is.
    ///
    /// # Errors
    /// When a map has a key that is no text, which no answer type allows.
    fn write_json(&self, body: &mut Vec<u8>) -> serde_json::Result<()>;
}

/// Why an answer has no bytes.
#[derive(Debug, thiserror::Error)]
#[error("{media_type}: {reason}")]
pub struct EncodeError {
    /// The representation.
    pub media_type: &'static str,
    /// What it cannot write.
    pub reason: String,
}

impl EncodeError {
    /// That a representation cannot write an answer, and why.
    pub fn of(representation: &impl Representation, reason: &impl Display) -> Self {
        Self { media_type: representation.media_type(), reason: reason.to_string() }
    }
}
