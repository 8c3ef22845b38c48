//! How an answer is written down.
//!
//! An answer is one JSON object, and it is a table: the rows in some of its fields ([`Endpoint::ROWS`]), with columns that
//! hang on the route alone ([`Columns`]). A [`Representation`] makes bytes of it. One file each, one line each in [`ALL`];
//! which one a client gets is decided by its `Accept` before anything is computed, and kept with what it bought.
//!
//! JSON is written straight from the answer. For the others `fill` walks the answer into an [`AnswerTable`], of which they
//! are made; who wants cells and no bytes takes that.
//!
//! [`Endpoint::ROWS`]: super::endpoint::Endpoint::ROWS

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
