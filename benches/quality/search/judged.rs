//! nDCG: rankings against listings that people graded.
//!
//! A place gains 2^g − 1, g being the best grade of the entity's listings for the query, 0 where nobody judged one, and
//! counts by 1 / log2(1 + place). The ideal takes the graded listings of the query, best first, one to a place,
//! whether the snapshot holds them or not.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use anyhow::{Result, ensure};
use serde::Serialize;

use super::super::labels::{self, Column, Row, required};
use super::{PLACES, QueryTimes, Ranking, rank_all, share};
use pricebook::catalog::Catalog;
use pricebook::types::Country;

const COLUMNS: [Column; 5] =
    [required("country"), required("query"), required("platform"), required("product_id"), required("grade")];
/// The best grade.
const GRADE_MAX: u8 = 3;

/// How good rankings are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankingReport {
    /// Queries with a positive grade.
    pub queries: usize,
    /// Queries without one, left out.
    pub without_positive: usize,
    /// Graded listings of the queries that count.
    pub judged_listings: usize,
    /// Those of them that the snapshot does not hold.
    pub missing_listings: usize,
    /// Mean nDCG of the first ten places.
    pub ndcg_at_10: f64,
    /// Share of the queries that nothing was found for.
    pub zero_result_rate: f64,
    /// Time of a query.
    #[serde(flatten)]
    pub latency: QueryTimes,
}

/// A query with its graded listings; of two grades of a listing the better counts.
struct Query {
    country: Country,
    text: String,
    grades: HashMap<(String, String), u8>,
}

impl Query {
    fn is_positive(&self) -> bool {
        self.grades.values().any(|&grade| grade > 0)
    }

    /// The row in the snapshot of each graded listing, with its grade.
    fn rows<'a>(&'a self, catalog: &'a Catalog) -> impl Iterator<Item = (Option<u32>, u8)> + 'a {
        let find = |(retailer, id): &(String, String)| labels::find(catalog, self.country, retailer, id);
        self.grades.iter().map(move |(key, &grade)| (find(key), grade))
    }

    fn ndcg(&self, catalog: &Catalog, ranking: &Ranking) -> f64 {
        let mut best: HashMap<u32, u8> = HashMap::new();
        for (row, grade) in self.rows(catalog) {
            if let Some(row) = row {
                let known = best.entry(catalog.listing(row).entity()).or_default();
                *known = grade.max(*known);
            }
        }
        let grades = ranking.entities.iter().map(|entity| best.get(entity).copied().unwrap_or(0));
        let mut ideal: Vec<u8> = self.grades.values().copied().collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        dcg(grades) / dcg(ideal.into_iter())
    }
}

/// Discounted gain of the first places.
fn dcg(grades: impl Iterator<Item = u8>) -> f64 {
    let gain = |(place, grade): (f64, u8)| (f64::from(grade).exp2() - 1.0) / (place + 1.0).log2();
    (1..=PLACES).map(|place| place as f64).zip(grades).map(gain).sum()
}

/// Measures the search of a snapshot by a file of graded listings, with the columns country, query, platform,
/// product_id and grade.
///
/// # Errors
/// When the file cannot be read, or grades nothing above 0.
pub fn run(catalog: &Catalog, file: &Path) -> Result<RankingReport> {
    let all = queries(&labels::read(file, &COLUMNS)?)?;
    let before = all.len();
    let queries: Vec<Query> = all.into_iter().filter(Query::is_positive).collect();
    ensure!(!queries.is_empty(), "{}: no query has a grade above 0", file.display());
    let (rankings, latency) =
        rank_all(catalog, queries.iter().map(|query| (query.country, query.text.as_str())))?;
    let ndcg: f64 = queries.iter().zip(&rankings).map(|(query, ranking)| query.ndcg(catalog, ranking)).sum();
    let rows = || queries.iter().flat_map(|query| query.rows(catalog));
    Ok(RankingReport {
        queries: queries.len(),
        without_positive: before - queries.len(),
        judged_listings: rows().count(),
        missing_listings: rows().filter(|(row, _)| row.is_none()).count(),
        ndcg_at_10: ndcg / queries.len() as f64,
        zero_result_rate: share(
            rankings.iter().filter(|ranking| ranking.entities.is_empty()).count(),
            queries.len(),
        ),
        latency,
    })
}

/// Queries in the order of the file.
fn queries(rows: &[Row<'_, 5>]) -> Result<Vec<Query>> {
    let (mut queries, mut place) = (Vec::<Query>::new(), HashMap::new());
    for row in rows {
        let [country, text, retailer, id, grade] = &row.values;
        let country = row.country(country)?;
        let grade: u8 = grade.parse().ok().filter(|&grade| grade <= GRADE_MAX).ok_or_else(|| {
            row.fault(&format!("grade {grade:?} is not a whole number from 0 to {GRADE_MAX}"))
        })?;
        let at = *place.entry((country, text)).or_insert_with(|| {
            queries.push(Query { country, text: text.clone(), grades: HashMap::new() });
            queries.len() - 1
        });
        let known = queries[at].grades.entry((retailer.clone(), id.clone())).or_default();
        *known = grade.max(*known);
    }
    Ok(queries)
}

impl fmt::Display for RankingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "queries           {:>10}", self.queries)?;
        writeln!(f, "left out          {:>10}  without a grade above 0", self.without_positive)?;
        let missing = self.missing_listings;
        writeln!(f, "judged listings   {:>10}  {missing} of them not in the snapshot", self.judged_listings)?;
        writeln!(f, "nDCG@{PLACES}           {:>10.4}", self.ndcg_at_10)?;
        writeln!(f, "zero-result rate  {:>10.4}", self.zero_result_rate)?;
        writeln!(f, "p50               {:>10.1} µs", self.latency.p50_us)?;
        writeln!(f, "p99               {:>10.1} µs", self.latency.p99_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_discounted_by_place() {
        // 7 / log2(2) + 0 + 1 / log2(4)
        assert!((dcg([3, 0, 1].into_iter()) - 7.5).abs() < 1e-12);
        let eleven = [0; 10].into_iter().chain([3]);
        assert!(dcg(eleven).abs() < 1e-12, "the eleventh place does not count");
    }
}
