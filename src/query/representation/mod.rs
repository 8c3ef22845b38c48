//! The representations of an answer.
//!
//! An answer is one JSON object and, for formats of rows, a table: the rows in the fields that [`Descriptor::rows`]
//! names, with columns that depend on the route alone ([`Columns`]). A [`Representation`] encodes it as bytes. Each
//! representation has a file of its own and an entry in [`ALL`]. It is chosen by `Accept` once the route is known and
//! before anything is computed. Entity tags contain it, and an answer that was paid for is stored with its media type
//! and replayed unchanged.
//!
//! JSON is written by the types of the answer themselves. For the other formats a serializer, `fill`, writes the
//! answer directly into an [`AnswerTable`]. A field that the schema does not describe is an error. CSV and NDJSON are
//! printed from the cells. Arrow and Parquet take the cells as arrays and not as Polars frames: texts of frames are
//! string views, which not every Arrow reader supports, and the writers of frames use rayon even for fifty rows. A
//! caller that needs cells instead of bytes takes the [`AnswerTable`].
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

/// Every representation. The first one is the default for clients that request none.
pub static ALL: [&dyn Representation; 5] = [&Json, &Csv, &Ndjson, &Arrow, &Parquet];

/// An encoding of answers.
pub trait Representation: Send + Sync + 'static {
    /// Media type, without parameters. It is matched against `Accept` and stored with a paid answer.
    fn media_type(&self) -> &'static str;

    /// Value of `Content-Type`.
    fn content_type(&self) -> &'static str {
        self.media_type()
    }

    /// Content for the client, described in one or two sentences.
    fn about(&self) -> &'static str;

    /// Whether only answers with columns can be encoded.
    fn is_tabular(&self) -> bool {
        true
    }

    /// Encodes an answer.
    ///
    /// # Errors
    /// An error if the answer cannot be encoded.
    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError>;
}

/// An answer of any endpoint.
pub trait Answered {
    /// Fields of the answer, in order.
    fn fields(&self) -> &dyn erased_serde::Serialize;

    /// Columns of its rows.
    fn columns(&self) -> &'static Columns;

    /// Puts the rows into their columns. The result is that of serialising [`Answered::fields`], without dynamic
    /// dispatch for each field.
    ///
    /// # Errors
    /// An error if the schema of the answer does not describe it.
    fn fill(&self, filling: &mut Filling) -> Result<(), FillError>;

    /// Appends the answer as JSON. The result is that of serialising [`Answered::fields`], without dynamic dispatch
    /// for each field.
    ///
    /// # Errors
    /// An error if a map has a key that is not a text. No answer type has such a key.
    fn write_json(&self, body: &mut Vec<u8>) -> serde_json::Result<()>;
}

/// Reason why an answer cannot be encoded.
#[derive(Debug, thiserror::Error)]
#[error("{media_type}: {reason}")]
pub struct EncodeError {
    /// Media type of the representation.
    pub media_type: &'static str,
    /// Cause of the failure.
    pub reason: String,
}

impl EncodeError {
    /// Creates the error of a representation that cannot encode an answer.
    pub fn of(representation: &impl Representation, reason: &impl Display) -> Self {
        Self { media_type: representation.media_type(), reason: reason.to_string() }
    }
}
