//! Raw input in, snapshot out.

pub mod canonical;
pub mod pack;
