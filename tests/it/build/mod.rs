//! Raw input in, snapshot out.

mod input_traps;
mod reproducible;
