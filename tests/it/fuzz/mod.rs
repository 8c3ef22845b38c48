//! Everything that reads bytes from outside, held against bytes that are almost right: an error or a value, never a
//! panic. The decoders of payments, which are private, have the same in `src/payment/decoder_tests.rs`;
//! `PRICEBOOK_FUZZ=50` runs fifty times as many cases, and `tests/fuzz/` has targets for cargo-fuzz.

mod configuration;
mod formats;
mod inputs;
mod queries;
mod snapshot_files;
mod wire;
