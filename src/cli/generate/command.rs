//! `pricebook generate`: a synthetic input.

use std::path::PathBuf;

use clap::Args;

use super::super::{percent, say};
use crate::cli::generate::{self, CHURN_PCT};

#[derive(Debug, Args)]
pub(in crate::cli) struct GenerateArgs {
    /// Total number of listings; three quarters are in the US, and a twentieth is in the largest category.
    #[arg(long, value_name = "COUNT")]
    listings: u32,
    /// Number of days, the last of which is 2026-10-31.
    #[arg(long, value_name = "COUNT")]
    days: u32,
    /// Interval between observed days, in days, counted back from the last day.
    #[arg(long, default_value_t = 1, value_name = "DAYS")]
    every: u32,
    /// Seed of the random numbers; another seed produces other listings with the same distributions.
    #[arg(long)]
    seed: u64,
    /// Share of listings, in percent, that disappear within thirty days; new listings replace them.
    ///
    /// With 0, every listing has an observation on every observed day.
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
