//! What a store says of an object.

/// An object of a store, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreEntry {
    /// Its name, relative to the store.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was written: microseconds since 1970 UTC, or 0 where the store does not say.
    pub modified_micros: i64,
    /// What changes with its bytes, where the store says so; one that begins with `W/` is weak.
    pub etag: Option<String>,
}
