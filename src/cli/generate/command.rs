//! `pricebook generate`: a synthetic input.

use std::path::PathBuf;

use clap::Args;

use super::super::{percent, say};
use crate::cli::generate::{self, CHURN_PCT};

#[derive(Debug, Args)]
pub(in crate::cli) struct GenerateArgs {
    /// Listings in all: three quarters in the US, a twentieth on the largest shelf.
    #[arg(long, value_name = "COUNT")]
    listings: u32,
    /// Days up to 2026-10-31.
    #[arg(long, value_name = "COUNT")]
    days: u32,
    /// Observes on every so many of these days, the last one among them.
    #[arg(long, default_value_t = 1, value_name = "DAYS")]
    every: u32,
    /// Another seed, another catalog of the same kind.
    #[arg(long)]
    seed: u64,
    /// Share of the listings that leave in thirty days; as many come. Without any, every listing has all its days.
    #[arg(long, default_value_t = CHURN_PCT, value_name = "PCT", value_parser = percent)]
    churn: f64,
    /// Folder to write into, new or empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(in crate::cli) fn run(args: GenerateArgs) -> anyhow::Result<()> {
    let GenerateArgs { listings, days, every, seed, churn, out } = args;
    let options = generate::GenerateOptions { listings, days, every, seed, churn_pct: churn, out };
    let summary = generate::run(&options, &|done| tracing::info!("generated {done} of {listings} listings"))?;
    say(summary)
}
