//! What benchmarks need: a synthetic input of any size, and a load on a server.

pub mod generate;
pub mod load;
