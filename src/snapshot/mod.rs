//! The bytes on disk.

mod strings;

pub use strings::{STRING_BYTES_MAX, Strings, StringsView};
