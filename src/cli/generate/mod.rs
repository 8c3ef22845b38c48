//! A synthetic input of any size, in the format that [`build`](crate::index) reads.
//!
//! ```text
//! plan ─┬─▶ part-000/listings.parquet, part-000/observations.parquet, part-001/…
//!       └─▶ gpc.json, category_gpc.csv, aliases.csv
//! ```
//!
//! Invariant: the options determine the bytes. Every random draw depends only on the seed and a key, such as the number
//! of a listing (`draw`), chunks are made in parallel and written in order, and the clock is not read. Memory is
//! bounded by the plan (a few bytes per product) and a few row groups, whatever the number of days.
//!
//! The distributions are those of real catalogs, which `tests/it/cli/generate_distributions.rs` checks. Rows, names and
//! codes are invented.

mod categories;
pub(super) mod command;
mod draw;
mod endings;
mod names;
mod path;
mod plan;
mod retailers;
mod rows;
mod side_tables;
mod words;

use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use polars::prelude::{DataFrame, ParquetWriter};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use self::categories::DEPARTMENTS;
use self::plan::Plan;
use self::rows::Days;
use crate::types::Day;

/// The last day of every generated input: 2026-10-31.
pub const LAST_DAY: Day = Day::from_days(20_757);
/// Maximum number of listings.
pub const LISTINGS_MAX: u32 = 20_000_000;
/// Maximum number of days.
pub const DAYS_MAX: u32 = 1_100;
/// Default share of listings, in percent, that disappear within thirty days. The same number of new listings appears.
pub const CHURN_PCT: f64 = 7.0;
/// Number of listings in a file.
const PART_LISTINGS: u32 = 1 << 16;
/// Maximum number of observations in a row group, unless one listing has more.
const GROUP_ROWS: u32 = 1 << 18;
/// Number of row groups that are made in parallel.
const GROUPS_AT_ONCE: usize = 4;

/// Options of a synthetic input.
#[derive(Debug, Clone)]
pub struct GenerateOptions {
    /// Total number of listings.
    pub listings: u32,
    /// Number of days up to [`LAST_DAY`].
    pub days: u32,
    /// Interval between observed days, in days, counted back from the last day.
    pub every: u32,
    /// Seed of the random numbers. Another seed gives other listings with the same distributions.
    pub seed: u64,
    /// Share of listings, in percent, that disappear within thirty days. The same number of new listings appears.
    pub churn_pct: f64,
    /// Folder to write into; it must be new or empty.
    pub out: PathBuf,
}

/// Counts of a generated input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Generated {
    /// Number of listings.
    pub listings: u64,
    /// Number of observations.
    pub observations: u64,
    /// Number of products, counted once per country.
    pub products: u64,
    /// Number of retailers, counted once per country.
    pub retailers: u64,
    /// Number of leaf categories with at least one listing.
    pub leaves: u64,
}

/// Generates an input. After every part, `progress` is called with the number of listings generated so far.
///
/// # Errors
/// Returns an error if an option is out of bounds, the folder is not empty, or a file cannot be written.
pub fn run(options: &GenerateOptions, progress: &dyn Fn(u64)) -> Result<Generated> {
    check(options)?;
    let GenerateOptions { listings, days, every, seed, churn_pct, out } = options;
    let plan = Plan::of(*seed, *listings);
    let days = Days { count: *days, every: *every, churn: churn_pct / 100.0 };
    side_tables::write(&plan, out)?;
    let departments: Vec<u32> = (0..DEPARTMENTS.len()).map(|at| plan.department_listings(at)).collect();
    let mut observations = 0;
    for (number, from) in (0..*listings).step_by(PART_LISTINGS as usize).enumerate() {
        let range = from..listings.min(&(from + PART_LISTINGS)).to_owned();
        let folder = out.join(format!("part-{number:03}"));
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let frame = rows::listings(&plan, &departments, range.clone())?;
        write(&folder.join("listings.parquet"), std::iter::once(Ok(frame)))?;
        observations += write_observations(&plan, days, range.clone(), &folder.join("observations.parquet"))?;
        progress(u64::from(range.end));
    }
    Ok(Generated {
        listings: u64::from(plan.listings),
        observations,
        products: plan.products.len() as u64,
        retailers: plan.retailers.all.len() as u64,
        leaves: plan.leaves.len() as u64,
    })
}

fn check(options: &GenerateOptions) -> Result<()> {
    let GenerateOptions { listings, days, every, churn_pct, out, .. } = options;
    ensure!(
        (1..=LISTINGS_MAX).contains(listings),
        "--listings: {listings} is not between 1 and {LISTINGS_MAX}"
    );
    ensure!((1..=DAYS_MAX).contains(days), "--days: {days} is not between 1 and {DAYS_MAX}");
    ensure!((1..=*days).contains(every), "--every: {every} is not between 1 and the {days} days of --days");
    ensure!((0.0..=100.0).contains(churn_pct), "--churn: {churn_pct} is not between 0 and 100 percent");
    fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let mut entries = fs::read_dir(out).with_context(|| format!("cannot list {}", out.display()))?;
    ensure!(
        entries.next().is_none(),
        "{} is not empty: name a new or an empty folder with --out",
        out.display()
    );
    Ok(())
}

/// Writes the observations of the listings in `range` and returns their number. Row groups are made a few at a time
/// in parallel, and written in order.
fn write_observations(plan: &Plan, days: Days, range: Range<u32>, path: &Path) -> Result<u64> {
    let step = (GROUP_ROWS / days.observed()).max(1);
    let chunks: Vec<Range<u32>> =
        range.clone().step_by(step as usize).map(|from| from..range.end.min(from + step)).collect();
    let made = chunks.chunks(GROUPS_AT_ONCE).flat_map(|chunks| {
        let frames: Vec<Result<DataFrame>> =
            chunks.into_par_iter().map(|chunk| rows::observations(plan, days, chunk.clone())).collect();
        frames
    });
    write(path, made)
}

/// Writes frames of one schema as row groups of a file. Returns the number of rows.
fn write(path: &Path, mut frames: impl Iterator<Item = Result<DataFrame>>) -> Result<u64> {
    let context = || format!("cannot write {}", path.display());
    let Some(first) = frames.next().transpose()? else { return Ok(0) };
    let file = BufWriter::new(File::create(path).with_context(context)?);
    let mut writer = ParquetWriter::new(file).batched(first.schema()).with_context(context)?;
    let mut rows = 0;
    for frame in std::iter::once(Ok(first)).chain(frames) {
        let frame = frame?;
        rows += frame.height() as u64;
        writer.write_batch(&frame).with_context(context)?;
    }
    writer.finish().with_context(context)?;
    Ok(rows)
}

impl std::fmt::Display for Generated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { listings, observations, products, retailers, leaves } = self;
        writeln!(f, "  {:<24} {listings}", "listings")?;
        writeln!(f, "  {:<24} {observations}", "observations")?;
        writeln!(f, "  {:<24} {products} of {retailers} retailers in {leaves} categories", "products")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_is_the_end_of_a_month() {
        assert_eq!(LAST_DAY.to_string(), "2026-10-31");
    }

    #[test]
    fn options_are_bounded() {
        let folder = tempfile::tempdir().expect("a folder");
        let good = GenerateOptions {
            listings: 10,
            days: 5,
            every: 2,
            seed: 1,
            churn_pct: CHURN_PCT,
            out: folder.path().join("new"),
        };
        assert!(check(&good).is_ok());
        let bad = [
            (GenerateOptions { listings: 0, ..good.clone() }, "--listings"),
            (GenerateOptions { days: 0, ..good.clone() }, "--days"),
            (GenerateOptions { every: 6, ..good.clone() }, "--every"),
            (GenerateOptions { every: 0, ..good.clone() }, "--every"),
            (GenerateOptions { churn_pct: f64::NAN, ..good.clone() }, "--churn"),
            (GenerateOptions { out: folder.path().to_owned(), ..good }, "--out"),
        ];
        for (options, named) in bad {
            let error = check(&options).expect_err(named).to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
