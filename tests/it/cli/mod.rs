//! What the commands do.

mod bench;
mod config;
mod eval;
mod explain;
mod export;
mod export_page;
mod generate;
mod generate_distributions;
mod link_figures;
mod runs;
mod snapshots;
mod tasks;
