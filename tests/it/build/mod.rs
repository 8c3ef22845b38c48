//! Raw input in, snapshot out.

mod input_page;
mod input_traps;
mod one_barcode;
mod reproducible;
