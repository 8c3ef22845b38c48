//! How an answer is written down.
//!
//! An endpoint answers a head and rows: fields that are said once, and a list in one of them ([`Endpoint::ROWS`]). A
//! [`Representation`] makes bytes of it. One file each, one line each in [`ALL`]; which one a client gets is decided by
//! its `Accept` before anything is computed, and kept with what it bought.
//!
//! [`Endpoint::ROWS`]: super::endpoint::Endpoint::ROWS

mod json;

pub use json::Json;

/// Every representation, the one of clients that ask for none first.
pub static ALL: [&dyn Representation; 1] = [&Json];

/// A way to write answers down.
pub trait Representation: Send + Sync + 'static {
    /// Media type, without parameters: what `Accept` is held against, and what `Content-Type` says.
    fn media_type(&self) -> &'static str;

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

    /// Names of the fields that may hold its rows: the first that is there and not null does. None where the answer is
    /// one row.
    fn rows(&self) -> &'static [&'static str];

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
