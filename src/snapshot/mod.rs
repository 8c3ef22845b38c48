//! The on-disk format.
//!
//! A snapshot is an immutable directory of files that are mapped without conversion:
//!
//! ```text
//! manifest.json (+ .xxh3)   description of the snapshot; of every other file the length, the root checksum, and the
//!                           XXH3-128 of each block of 64 MiB
//! listings.cols             a row per listing, ordered (country, category in preorder, platform, product id): columns,
//!                           and a record of 64 bytes with the fields of the listing's offer that answers show
//! spells.cols               price spells, grouped by listing in the same order: the end of each, its prices, flags and
//!                           discount; of each listing the first day, and bits for its days if one was missed
//! periods.cols              each listing by ISO week and month: sum and number of its prices, flags of the last
//! indices.cols              uids in order and entities; of each category and classification code: rows, priced rows in
//!                           price order, prices of new products, brands with counts, spreads across retailers
//! classification.cols       GPC nodes, attributes and values; every title stored once
//! dictionary.bin            small tables (platforms, brands, categories, aliases, coverage), decoded at opening
//! links.cols                likely links of each listing in both directions, with confidence and reasons; part numbers
//! text.cols                 terms, their usual spelling in names, the terms of each listing, the postings of each
//!                           term, and sets of the doc ordinals of frequent terms
//! ```
//!
//! A category is one range of listings and therefore one range of spells. Classification codes cut across categories:
//! their rows are listed by brick in preorder, so a coarser code is one range of that list. The priced rows of every
//! category and code are stored in price order, so the cost of a page of results depends only on its size, at any
//! offset.
//!
//! - [`columns`] is the column file, [`layout`] has the names of files and the records in them, [`manifest`] the
//!   description of a snapshot, with checksums by block ([`blocks`]). [`verified`] records that a snapshot was
//!   verified.
//! - [`tables`] names every column of listings and observations, from the input to the file. [`values`] has the types
//!   of columns, [`spells`] the price spells of a listing, [`periods`] the aggregates by week and month.
//! - [`publish`] publishes a snapshot atomically, and `read_only` makes it immutable. [`pointer_lock`] serializes the
//!   commands that put a snapshot in use or remove one, and [`lock_holder`] names the process that holds a lock.
//!   [`retention`] lists snapshots and removes old ones.
//! - [`watch`] looks for files that change. [`safe_open`] reads small files that others may have placed there.
//!   [`mapped`] has the only unsafe code.

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
