//! `cargo run --release --example eval -- search|people|matching --snapshot DIR …`: the figures of labelled sets.

#![allow(clippy::unwrap_used, clippy::format_push_string, unreachable_pub, missing_docs)]

#[path = "mod.rs"]
mod quality;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    print!("{}", quality::command::run(quality::command::EvalCommand::parse())?);
    Ok(())
}
