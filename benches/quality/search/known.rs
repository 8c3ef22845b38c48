//! Known items: queries that mean a product that is known, as written or with an error of a known kind.
//!
//! A query hits when the entity of any of its targets is at that place. One whose targets are all listings that the
//! snapshot does not hold says nothing about its search and is left out.

use std::fmt;
use std::path::Path;

use anyhow::{Result, ensure};
use serde::Serialize;

use super::super::labels::{self, Column, Row, required};
use super::{PLACES, QueryTimes, Ranking, rank_all, share};
use pricebook::catalog::Catalog;
use pricebook::types::Country;

const COLUMNS: [Column; 5] =
    [required("country"), required("kind"), required("query"), required("meant"), required("targets")];
/// Separates the targets of a query, and platform and product_id of a target.
const SEPARATORS: (char, char) = (';', '|');
/// The kind of the queries that are written as they are meant.
const CONTROL: &str = "control";
/// Sums: of the kinds that are not control, and of all.
const EDITED: &str = "edited";
const ALL: &str = "all";

/// How often queries find what they mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownItemReport {
    /// Queries without a target in the snapshot, left out.
    pub without_target: usize,
    /// By kind in the order of the file, then of all kinds but the control, then of all.
    pub kinds: Vec<EditKind>,
    /// Time of a query.
    #[serde(flatten)]
    pub latency: QueryTimes,
}

/// The queries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EditKind {
    /// Kind of error.
    pub kind: String,
    /// Queries.
    pub queries: usize,
    /// Share with a target at the first place.
    pub hit_at_1: f64,
    /// Share with a target among the first ten.
    pub hit_at_10: f64,
    /// Share that nothing was found for.
    pub zero_result_rate: f64,
    /// Queries of which terms were corrected.
    pub corrected: usize,
}

struct Query {
    country: Country,
    kind: String,
    text: String,
    targets: Vec<u32>,
}

/// A query's kind and what came of it.
struct Outcome<'a> {
    kind: &'a str,
    /// Place of the first target, from 0.
    place: Option<usize>,
    is_empty: bool,
    is_corrected: bool,
}

impl<'a> Outcome<'a> {
    fn of(query: &'a Query, ranking: &Ranking) -> Self {
        Self {
            kind: &query.kind,
            place: ranking.entities.iter().position(|entity| query.targets.contains(entity)),
            is_empty: ranking.entities.is_empty(),
            is_corrected: ranking.is_corrected,
        }
    }
}

impl EditKind {
    /// Sums the outcomes of the kinds that belong to it; `None` when there is none.
    fn of(name: &str, outcomes: &[Outcome<'_>], belongs: impl Fn(&str) -> bool) -> Option<Self> {
        let own: Vec<_> = outcomes.iter().filter(|outcome| belongs(outcome.kind)).collect();
        let count = |test: &dyn Fn(&Outcome<'_>) -> bool| own.iter().filter(|outcome| test(outcome)).count();
        (!own.is_empty()).then(|| Self {
            kind: name.to_owned(),
            queries: own.len(),
            hit_at_1: share(count(&|outcome| outcome.place == Some(0)), own.len()),
            hit_at_10: share(count(&|outcome| outcome.place.is_some()), own.len()),
            zero_result_rate: share(count(&|outcome| outcome.is_empty), own.len()),
            corrected: count(&|outcome| outcome.is_corrected),
        })
    }
}

/// Measures the search of a snapshot by a file of queries that mean known listings, with the columns country, kind,
/// query, meant and targets (`platform|product_id`, joined by `;`).
///
/// # Errors
/// When the file cannot be read, or the snapshot holds no target of any query.
pub fn run(catalog: &Catalog, file: &Path) -> Result<KnownItemReport> {
    let rows = labels::read(file, &COLUMNS)?;
    let all: Vec<Query> = rows.iter().map(|row| query(catalog, row)).collect::<Result<_>>()?;
    let before = all.len();
    let queries: Vec<Query> = all.into_iter().filter(|query| !query.targets.is_empty()).collect();
    ensure!(
        !queries.is_empty(),
        "{}: no target is a listing of this snapshot; build one from the catalogs that the queries are about",
        file.display()
    );
    let (rankings, latency) =
        rank_all(catalog, queries.iter().map(|query| (query.country, query.text.as_str())))?;
    let outcomes: Vec<Outcome<'_>> =
        queries.iter().zip(&rankings).map(|(query, ranking)| Outcome::of(query, ranking)).collect();
    Ok(KnownItemReport { without_target: before - queries.len(), kinds: by_kind(&outcomes), latency })
}

/// The query of a row, with the entities of those targets that the snapshot holds.
fn query(catalog: &Catalog, row: &Row<'_, 5>) -> Result<Query> {
    let [country, kind, text, _, targets] = &row.values;
    let country = row.country(country)?;
    let mut entities = Vec::new();
    for target in targets.split(SEPARATORS.0) {
        let (retailer, id) = target
            .split_once(SEPARATORS.1)
            .ok_or_else(|| row.fault(&format!("target {target:?} is not platform|product_id")))?;
        let found = labels::find(catalog, country, retailer, id);
        entities.extend(found.map(|row| catalog.listing(row).entity()));
    }
    Ok(Query { country, kind: kind.clone(), text: text.clone(), targets: entities })
}

fn by_kind(outcomes: &[Outcome<'_>]) -> Vec<EditKind> {
    let mut names: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if !names.contains(&outcome.kind) {
            names.push(outcome.kind);
        }
    }
    let kinds = names.iter().filter_map(|&name| EditKind::of(name, outcomes, |kind| kind == name));
    let edited = EditKind::of(EDITED, outcomes, |kind| kind != CONTROL);
    kinds.chain(edited).chain(EditKind::of(ALL, outcomes, |_| true)).collect()
}

impl fmt::Display for KnownItemReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widest = self.kinds.iter().map(|kind| kind.kind.chars().count()).max().unwrap_or(0).max(4);
        writeln!(f, "{:widest$}  queries  hit@1  hit@{PLACES}   zero  corrected", "kind")?;
        for EditKind { kind, queries, hit_at_1, hit_at_10, zero_result_rate, corrected } in &self.kinds {
            writeln!(
                f,
                "{kind:widest$}  {queries:>7}  {hit_at_1:>5.3}  {hit_at_10:>6.3}  {zero_result_rate:>5.3}  {corrected:>9}"
            )?;
        }
        writeln!(f, "left out: {} queries without a target in the snapshot", self.without_target)?;
        writeln!(f, "p50 {:.1} µs, p99 {:.1} µs", self.latency.p50_us, self.latency.p99_us)
    }
}
