//! The command line of the evaluation: the figures of a labelled set as text or JSON.

use std::fmt::Display;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Parser};
use serde::Serialize;

use super::matching;
use super::search::{judged, known, people};
use pricebook::catalog::Catalog;
use pricebook::search::index::{MatchQuality, QualityConstants};
use pricebook::snapshot::publish;

/// Measures answers of a snapshot by labelled sets.
#[derive(Debug, Parser)]
#[command(name = "eval")]
pub enum EvalCommand {
    /// How good the answers to text queries are: nDCG by graded listings, or hits of known products.
    Search(SearchArgs),
    /// How shoppers' queries are answered: what is there is found, what is not there is refused.
    People(PeopleArgs),
    /// How good likely links are: precision, recall and F1 by listed pairs.
    Matching(MatchingArgs),
}

/// The snapshot, and how figures are printed.
#[derive(Debug, Args)]
struct Source {
    /// Snapshot, or directory of snapshots, of which the current one is meant.
    #[arg(long, value_name = "DIR")]
    snapshot: PathBuf,
    /// Prints JSON instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    labels: SearchLabels,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct SearchLabels {
    /// Graded listings: CSV, also .gz, with country, query, platform, product_id and grade (0 to 3). Prints nDCG@10,
    /// the share of queries without a result, p50 and p99.
    #[arg(long, value_name = "FILE")]
    judgements: Option<PathBuf>,
    /// Queries that mean known listings: CSV, also .gz, with country, kind, query, meant and targets
    /// (platform|product_id, joined by ;). Prints hit@1, hit@10 and the share without a result, by kind.
    #[arg(long, value_name = "FILE")]
    typos: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PeopleArgs {
    #[command(flatten)]
    source: Source,
    /// Labelled queries: CSV, also .gz, with country, query, kind (present or absent), wanted and unwanted (regular
    /// expressions on the name and category of a right answer), and catalog.
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// The value of the column catalog whose queries are asked.
    #[arg(long, value_name = "NAME")]
    catalog: String,
    /// The least match_quality that is answered, in hundredths; else the default.
    #[arg(long, value_name = "HUNDREDTHS")]
    min_quality: Option<u8>,
    /// Writes the outcome of each query, separated by tabs.
    #[arg(long, value_name = "FILE")]
    outcomes: Option<PathBuf>,
    /// Other constants of the formula, name=percent.
    #[arg(long, value_name = "NAME=PERCENT", hide = true)]
    constant: Vec<String>,
}

#[derive(Debug, Args)]
pub struct MatchingArgs {
    #[command(flatten)]
    source: Source,
    /// Listed pairs: CSV, also .gz, with left_platform, left_product_id, right_platform, right_product_id, label (1 same,
    /// 0 not, -1 nobody can tell) and, if there are, split and weight.
    #[arg(long, value_name = "FILE")]
    pairs: PathBuf,
    /// All same pairs are listed: a link of other listings is wrong, not left out.
    #[arg(long)]
    closed: bool,
    /// Writes the calibrated score of every listed pair.
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
    /// Writes what the scorer sees of listed pairs and candidates.
    #[arg(long, value_name = "FILE", hide = true)]
    features: Option<PathBuf>,
}

/// The figures that a command asks for, as they are printed.
///
/// # Errors
/// When the snapshot or a file cannot be read.
pub fn run(command: EvalCommand) -> anyhow::Result<String> {
    match command {
        EvalCommand::Search(SearchArgs { source, labels }) => {
            let catalog = source.open()?;
            match (labels.judgements, labels.typos) {
                (Some(file), _) => source.print(&judged::run(&catalog, &file)?),
                (None, Some(file)) => source.print(&known::run(&catalog, &file)?),
                (None, None) => bail!("name a file of judgements or of typos"),
            }
        }
        EvalCommand::People(PeopleArgs { source, queries, catalog, min_quality, outcomes, constant }) => {
            let mut constants = QualityConstants::default();
            for text in &constant {
                let (name, value) = text.split_once('=').unwrap_or((text, ""));
                let percent = value.parse().with_context(|| format!("{text:?} is not name=percent"))?;
                ensure!(constants.set(name, percent), "{name:?} is not a constant of match quality");
            }
            let options = people::PeopleOptions {
                queries: &queries,
                catalog: &catalog,
                min_quality: min_quality.map(MatchQuality::of_hundredths),
                constants,
                outcomes: outcomes.as_deref(),
            };
            source.print(&people::run(&source.open()?, &options)?)
        }
        EvalCommand::Matching(MatchingArgs { source, pairs, closed, scores, features }) => {
            let options = matching::MatchingOptions {
                pairs: &pairs,
                is_closed: closed,
                scores: scores.as_deref(),
                features: features.as_deref(),
            };
            source.print(&matching::run(&source.open()?, &options)?)
        }
    }
}

impl Source {
    fn open(&self) -> anyhow::Result<Catalog> {
        let path = publish::named(&self.snapshot)
            .with_context(|| format!("{} cannot be read", self.snapshot.display()))?;
        Ok(Catalog::open(&path)?)
    }

    fn print(&self, report: &(impl Display + Serialize)) -> anyhow::Result<String> {
        Ok(if self.json { serde_json::to_string_pretty(report)? + "\n" } else { report.to_string() })
    }
}
