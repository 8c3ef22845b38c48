//! What the commands do.

mod at_once;
mod bench;
mod command_page;
mod config;
mod doctor;
mod eval;
mod explain;
mod export;
mod export_page;
mod generate;
mod generate_distributions;
mod link_figures;
mod pages;
mod query;
mod runs;
mod snapshots;
mod tasks;
