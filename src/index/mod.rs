//! From input files to a snapshot: rows are validated, sorted, merged, cleaned and written.
//!
//! A build has two halves. The ingest [`pipeline`] leads from input files to a [`normalized`] catalog: names in
//! memory, listings and their price spells in batches and in snapshot order. The index [`writer`] turns that catalog
//! into the bytes and indices of a snapshot. The halves exchange no other data.
//!
//! ```text
//! files ─validate─▶ runs ──merge──▶ shards ──Source──▶ writer ─▶ snapshot
//!        one file  (store) a range of (store)
//!        each              key hashes
//! ```
//!
//! - [`validate`] applies the rules of one row to one file, whatever other files hold. It makes a run ([`runs`]): the
//!   rows of the file sorted by (hash of the key, key).
//! - [`merge`] decides what several rows of one key decide together. It reads one range of hashes of all runs and
//!   makes a shard of it.
//! - `clean` decides what many rows decide together, over all shards: spellings, brands, the category tree, days far
//!   ahead of all others.
//! - [`scratch`] has the temporary columns and the external sorts by which both halves stay within a bound of memory.
//! - [`run`] is a whole build in one process, [`job`] the same steps as tasks on many machines.
//!
//! A row carries its position in the reading order along. The distribution of rows over files, runs and shards
//! therefore does not show in the result. Runs and shards are named by a hash of their inputs and lie in a
//! [`Store`](crate::store::Store), which may be a bucket. Data is written first and the marker that completes it last,
//! so a task may be killed, repeated, or done on another machine.
//!
//! The id of a snapshot is its as-of date and eight digits of the hash of its files' names, lengths and checksums.

mod clean;
pub mod demo;
mod everyday;
#[cfg(test)]
mod for_tests;
pub mod job;
pub mod memory;
pub mod merge;
pub mod normalized;
pub mod pipeline;
pub mod run;
pub mod runs;
pub mod scratch;
mod space;
pub mod validate;
pub mod writer;
