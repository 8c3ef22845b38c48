//! Quality of answers: labelled sets against what a snapshot answers.
//!
//! A labelled file names listings by country, platform and the retailer's own id, so that it outlives any snapshot.
//! [`search`] measures rankings of text queries, [`matching`] likely links; every kind of label has a file of its own beside it. `labels` reads
//! the files.
//!
//! Invariant: what is measured is what is served. Nothing is ranked or linked here; the figures are functions of
//! snapshot and file, times aside.

pub mod command;
mod labels;
pub mod matching;
pub mod search;
