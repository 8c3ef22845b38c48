//! Raw input in, snapshot out.

pub mod canonical;
