//! The representations of an answer.
//!
//! An answer is one JSON object. For tabular formats it is also a table: [`Descriptor::rows`] names the fields that
//! contain its rows, and its columns depend on the route alone ([`Columns`]). A [`Representation`] encodes the answer
//! as bytes. Each representation has a file of its own and an entry in [`ALL`]. `Accept` selects the representation
//! once the route is known, before the answer is computed. Entity tags contain the representation. An answer that was
//! paid for is stored with its media type and replayed unchanged.
//!
//! JSON is written by the types of the answer themselves. For the other formats a serializer, `fill`, writes the
//! answer directly into an [`AnswerTable`]. A field that the schema does not describe is an error. CSV and NDJSON are
//! written from the cells. Arrow and Parquet are written from arrays and not from Polars frames, for two reasons:
//! frames contain texts as string views, which some Arrow readers do not support, and writers of frames use rayon
//! even for fifty rows. A caller that needs cells instead of bytes uses the [`AnswerTable`].
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

/// Every representation. The first one is the default for clients that do not request a format.
pub static ALL: [&dyn Representation; 5] = [&Json, &Csv, &Ndjson, &Arrow, &Parquet];

/// An encoding of answers.
pub trait Representation: Send + Sync + 'static {
    /// Media type, without parameters. It is matched against `Accept` and stored with a paid answer.
    fn media_type(&self) -> &'static str;

    /// Value of `Content-Type`.
    fn content_type(&self) -> &'static str {
        self.media_type()
    }

    /// Description of the format for clients, in one or two sentences.
    fn about(&self) -> &'static str;

    /// Whether the format requires columns, so that answers without columns cannot be encoded.
    fn is_tabular(&self) -> bool {
        true
    }

    /// Encodes an answer.
    ///
    /// # Errors
    /// Returns an error if the answer cannot be encoded.
    fn encode(&self, answer: &dyn Answered) -> Result<Vec<u8>, EncodeError>;
}

/// An answer of any endpoint.
pub trait Answered {
    /// Fields of the answer, in order.
    fn fields(&self) -> &dyn erased_serde::Serialize;

    /// Columns of the rows of the answer.
    fn columns(&self) -> &'static Columns;

    /// Writes the rows into their columns. The result is the same as from serialising [`Answered::fields`], but
    /// without dynamic dispatch for each field.
    ///
    /// # Errors
    /// Returns an error if the answer does not match its schema.
    fn fill(&self, filling: &mut Filling) -> Result<(), FillError>;

    /// Appends the answer as JSON. The result is the same as from serialising [`Answered::fields`], but without
    /// dynamic dispatch for each field.
    ///
    /// # Errors
    /// Returns an error if a map has a key that is not a text. No answer type has such a key.
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
