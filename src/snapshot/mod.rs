//! The bytes on disk.
//!
//! A snapshot is an immutable directory: [`columns`] files that are mapped as they lie, one small [`layout`]
//! dictionary, a text index, and a [`manifest`] with the length and checksums of each, [`blocks`] of it one by one;
//! [`verified`] remembers that they were found sound. [`tables`] names every column of
//! listings and observations, from the input to the file; [`values`] says what columns are made of. [`spells`] goes
//! along a listing's prices; [`periods`] says what is prepared by week and month. [`publish`] makes a snapshot appear
//! whole or not at all, `seal` unchangeable; [`pointer_lock`] keeps commands apart that put one in use or remove one,
//! and [`lock_holder`] names the process that holds a lock; [`retention`] says which there are; [`watch`] looks whether they
//! stay what they were. [`safe_open`] reads small files; [`mapped`] is the only unsafe code.

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
pub(crate) mod rows;
pub mod safe_open;
pub mod spells;
mod strings;
pub mod tables;
pub mod values;
pub mod verified;
pub mod watch;

pub use strings::{StringEnd, Strings, StringsView};
