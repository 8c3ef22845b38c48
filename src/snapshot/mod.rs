//! The on-disk format of snapshots.
//!
//! A snapshot is an immutable directory of files that are mapped without conversion:
//!
//! ```text
//! manifest.json (+ .xxh3)   description of the snapshot; for every other file its length, its root checksum, and the
//!                           XXH3-128 of each block of 64 MiB
//! listings.cols             one row per listing, ordered by (country, category in preorder, platform, product id):
//!                           columns, and a record of 64 bytes with the fields of the listing that answers show
//! spells.cols               price spells, grouped by listing in the same order: end, prices, flags and discount of
//!                           each spell; per listing its first day, and one bit per day if a day is missing
//! periods.cols              per listing and ISO week or month: sum and number of prices, flags of the last observation
//! indices.cols              uids in order and entities; per category and classification code: rows, priced rows in
//!                           price order, prices in new condition, brands with counts, spreads across retailers
//! classification.cols       GPC nodes, attributes and values; every title is stored once
//! dictionary.bin            small tables (platforms, brands, categories, aliases, coverage), decoded at opening
//! lexicon.tsv               words and units by which names and queries are read
//! links.cols                likely links of each listing in both directions, with confidence and reasons; part numbers
//! text.cols                 terms, their usual spelling in names, the terms of each listing, the postings of each
//!                           term, and bit sets of the listings that contain a frequent term
//! ```
//!
//! The listings of a category in one country are consecutive rows, and so are their spells. Classification codes cut
//! across categories. Their rows are listed by brick (the finest classification code) in preorder, so a coarser code
//! is one range of this list. The priced rows of every category and code are stored in price order, so the cost of a
//! page of results depends only on its size, at any offset.
//!
//! - [`columns`] reads and writes column files. [`layout`] contains the names of files and the records in them.
//!   [`manifest`] describes a snapshot, with checksums by block ([`blocks`]). [`verified`] records that a snapshot
//!   was verified.
//! - [`tables`] defines every column of listings and observations, from the input file to the snapshot. [`values`]
//!   contains the types of column values, [`spells`] the price spells of a listing, and [`periods`] the aggregates by
//!   week and month.
//! - [`publish`] publishes a snapshot atomically, and `read_only` makes it immutable. [`pointer_lock`] serializes the
//!   commands that put a snapshot in use or remove one, and [`lock_holder`] names the process that holds a lock.
//!   [`retention`] lists snapshots and removes old ones.
//! - [`watch`] detects changes of files that are in use. [`safe_open`] reads small files that another user may have
//!   placed in a directory. [`mapped`] maps files and contains the only unsafe code.

pub mod blocks;
pub mod columns;
pub mod layout;
pub(crate) mod lists;
pub mod lock_holder;
pub mod manifest;
pub mod mapped;
pub mod periods;
pub mod pointer_lock;
pub mod publish;
mod read_only;
pub mod retention;
pub mod safe_open;
pub mod spells;
mod strings;
pub mod tables;
pub mod values;
pub mod verified;
pub mod watch;

pub use strings::{StringEnd, Strings, StringsView};
