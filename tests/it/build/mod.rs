//! Raw input in, snapshot out.

mod addresses;
mod far_days;
mod forms;
mod increments;
mod input_page;
mod input_traps;
mod large;
mod lexicon;
mod limits;
mod messy;
mod one_barcode;
mod one_column_twice;
mod packing;
mod reproducible;
mod same_id;
mod world;
mod world_quotes;
