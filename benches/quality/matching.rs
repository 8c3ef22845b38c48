//! How good likely links are: listed pairs of listings, same or not.
//!
//! The links of the snapshot are measured as they are served, then the listings are linked again without a threshold, for
//! what other thresholds would give. Pairs as such are measured by the scorer alone.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use super::labels::{self, Column, required};
use pricebook::catalog::Catalog;
use pricebook::matching::{BrandName, Confidence, Described, FEATURES, Item, Linker};
use pricebook::snapshot::layout::NONE;
use pricebook::types::{Country, Instant};

/// Precisions at which recall is told.
const PRECISIONS: [f64; 4] = [0.99, 0.98, 0.95, 0.90];

const COLUMNS: [Column; 7] = [
    required("left_platform"),
    required("left_product_id"),
    required("right_platform"),
    required("right_product_id"),
    required("label"),
    Column { name: "split", required: false },
    Column { name: "weight", required: false },
];

/// What is known of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Open,
    Different,
    Same,
}

/// A listed pair.
struct Pair {
    keys: [String; 4],
    /// Rows of the listings, the smaller first; nothing where the snapshot lacks one.
    rows: Option<(u32, u32)>,
    label: Label,
    split: String,
    weight: f64,
}

/// What makes two rows one pair.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum PairKey {
    /// Rows of listings, the smaller first.
    Rows(u32, u32),
    /// Platforms and products as they are listed, the smaller first, of what the snapshot lacks.
    Listed([String; 4]),
}

impl Pair {
    fn key(&self) -> PairKey {
        if let Some((a, b)) = self.rows {
            return PairKey::Rows(a, b);
        }
        let [left, left_id, right, right_id] = self.keys.clone();
        PairKey::Listed(if (&left, &left_id) <= (&right, &right_id) {
            [left, left_id, right, right_id]
        } else {
            [right, right_id, left, left_id]
        })
    }
}

/// Shares of links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// Share of the links that are right; null without links.
    pub precision: Option<f64>,
    /// Share of the same pairs that are linked; null without any.
    pub recall: Option<f64>,
    /// Harmonic mean of the two.
    pub f1: Option<f64>,
}

/// What the pairs say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchingReport {
    /// Listed pairs, each once.
    pub pairs: usize,
    /// Of these, pairs of which the snapshot lacks a listing.
    pub unknown: usize,
    /// Links of the snapshot that count.
    pub links: usize,
    /// The snapshot's links.
    pub linked: Shares,
    /// Recall at the precisions of `PRECISIONS`, linked again without a threshold; null where it is not reached.
    pub recall_at: Vec<(f64, Option<f64>)>,
    /// F1 of listed pairs on the split `test` at the threshold that is best on `valid`; null without the splits.
    pub pairs_f1: Option<f64>,
    /// That threshold, as the scores that are written: calibrated.
    pub pairs_threshold: Option<f64>,
}

/// What to measure and to write.
#[derive(Debug, Clone, Copy)]
pub struct MatchingOptions<'a> {
    /// Listed pairs.
    pub pairs: &'a Path,
    /// Whether every same pair is listed, so that any other link is wrong.
    pub is_closed: bool,
    /// File for the calibrated score of every listed pair.
    pub scores: Option<&'a Path>,
    /// File for what the scorer sees of listed pairs and candidates.
    pub features: Option<&'a Path>,
}

/// Measures the likely links of a snapshot.
///
/// # Errors
/// When a file cannot be read or written, or says what is not understood.
pub fn run(catalog: &Catalog, options: &MatchingOptions<'_>) -> Result<MatchingReport> {
    let pairs = read(catalog, options.pairs)?;
    let judge = Judge::of(&pairs, options.is_closed);
    let linkers = Country::ALL.map(|country| linker(catalog, country));
    let wanted: Vec<(u32, u32)> = pairs.iter().filter_map(|pair| pair.rows).collect();
    let scores = describe(&linkers, &wanted);
    if let Some(path) = options.scores {
        write_scores(path, &pairs, &scores).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = options.features {
        write_features(path, catalog, &linkers, &pairs)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let own: Vec<(u32, (u32, u32))> = links_of(catalog);
    let again: Vec<(u32, (u32, u32))> = linkers
        .iter()
        .flat_map(|linker| linker.links(Confidence(0)))
        .map(|link| (link.score.0, (link.left.min(link.right), link.left.max(link.right))))
        .collect();
    let (pairs_f1, pairs_threshold) = pairs_f1(&pairs, &scores).unzip();
    let listed = once(&pairs);
    Ok(MatchingReport {
        pairs: listed.len(),
        unknown: listed.iter().filter(|pair| pair.rows.is_none()).count(),
        links: own.iter().filter(|(_, rows)| judge.weigh(*rows).is_some()).count(),
        linked: judge.shares(own.iter().map(|(_, rows)| *rows)),
        recall_at: judge.recalls(again),
        pairs_f1,
        pairs_threshold,
    })
}

fn read(catalog: &Catalog, path: &Path) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for row in labels::read(path, &COLUMNS)? {
        let find = |platform: &str, id: &str| {
            Country::ALL.into_iter().find_map(|country| labels::find(catalog, country, platform, id))
        };
        let [left, left_id, right, right_id, label, split, weight] = &row.values;
        let label = match label.as_str() {
            "1" => Label::Same,
            "0" => Label::Different,
            "-1" => Label::Open,
            _ => return Err(row.fault(&format!("label {label:?} is not 1, 0 or -1"))),
        };
        let weight = if weight.is_empty() { Ok(1.0) } else { weight.parse::<f64>() };
        let weight = weight.ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
        let weight = weight.ok_or_else(|| row.fault("weight is not a number from 0"))?;
        let rows = find(left, left_id).zip(find(right, right_id)).map(|(a, b)| (a.min(b), a.max(b)));
        let keys = [left, left_id, right, right_id].map(Clone::clone);
        pairs.push(Pair { keys, rows, label, split: split.clone(), weight });
    }
    ensure!(!pairs.is_empty(), "{} lists no pair", path.display());
    settle(&mut pairs);
    Ok(pairs)
}

/// Gives all rows of a pair, either way round, one label and its weight: same where any row says so, else different where
/// any does. Of equal labels the last row's weight counts.
fn settle(pairs: &mut [Pair]) {
    let mut settled: HashMap<PairKey, (Label, f64)> = HashMap::new();
    for pair in &*pairs {
        let known = settled.entry(pair.key()).or_insert((pair.label, pair.weight));
        if pair.label >= known.0 {
            *known = (pair.label, pair.weight);
        }
    }
    for pair in pairs {
        (pair.label, pair.weight) = settled[&pair.key()];
    }
}

/// Each pair once: the first row of it.
fn once(pairs: &[Pair]) -> Vec<&Pair> {
    let mut seen = HashSet::new();
    pairs.iter().filter(|pair| seen.insert(pair.key())).collect()
}

/// The listings of a country, ready to be linked.
fn linker(catalog: &Catalog, country: Country) -> Linker<'_> {
    let brands: Vec<BrandName<'_>> =
        catalog.brands.iter().map(|brand| BrandName { key: &brand.key, label: &brand.label }).collect();
    let items = catalog.country_rows(country).map(|row| {
        let (listing, at) = (catalog.listing(row), row as usize);
        Item {
            row,
            uid: listing.uid().get(),
            platform: listing.platform(),
            name: listing.name(),
            brand: match catalog.listings.brand[at] {
                NONE => pricebook::matching::NONE,
                brand => brand,
            },
            gtin: catalog.listings.gtin[at],
            condition: listing.condition(),
            price: catalog.listings.current_price[at],
            seen: Instant::from_micros(catalog.listings.latest_instant[at]).day(),
            mpn: catalog.links.mpn(row),
        }
    });
    Linker::new(&catalog.lexicon, &catalog.platforms, &brands, items.collect())
}

fn describe(linkers: &[Linker], pairs: &[(u32, u32)]) -> HashMap<(u32, u32), Described> {
    let of = |linker: &Linker| pairs.iter().copied().zip(linker.describe(pairs)).collect::<Vec<_>>();
    linkers.iter().flat_map(of).filter_map(|(rows, described)| Some((rows, described?))).collect()
}

/// The links of the snapshot, each once, with their confidence.
fn links_of(catalog: &Catalog) -> Vec<(u32, (u32, u32))> {
    let rows = 0..catalog.listings.country.len() as u32;
    let links = rows.flat_map(|row| catalog.links.of(row).map(move |link| (row, link)));
    links
        .filter(|(row, link)| *row < link.row)
        .map(|(row, link)| (u32::from(link.confidence.0), (row, link.row)))
        .collect()
}

/// What is known of pairs.
struct Judge {
    known: HashMap<(u32, u32), (Label, f64)>,
    same: f64,
    is_closed: bool,
}

impl Judge {
    fn of(pairs: &[Pair], is_closed: bool) -> Self {
        let known = pairs.iter().filter_map(|pair| Some((pair.rows?, (pair.label, pair.weight)))).collect();
        let same = once(pairs).iter().filter(|pair| pair.label == Label::Same).map(|pair| pair.weight).sum();
        Self { known, same, is_closed }
    }

    /// Whether a link is right, and its weight; nothing for one that is left out.
    fn weigh(&self, rows: (u32, u32)) -> Option<(bool, f64)> {
        match self.known.get(&rows) {
            Some((Label::Same, weight)) => Some((true, *weight)),
            Some((Label::Different, weight)) => Some((false, *weight)),
            Some((Label::Open, _)) => None,
            None => self.is_closed.then_some((false, 1.0)),
        }
    }

    fn shares(&self, links: impl Iterator<Item = (u32, u32)>) -> Shares {
        let (mut right, mut all) = (0.0, 0.0);
        for (is_right, weight) in links.filter_map(|rows| self.weigh(rows)) {
            all += weight;
            right += if is_right { weight } else { 0.0 };
        }
        let precision = (all > 0.0).then(|| right / all);
        let recall = (self.same > 0.0).then(|| right / self.same);
        let f1 = (all + self.same > 0.0).then(|| 2.0 * right / (all + self.same));
        Shares { precision, recall, f1 }
    }

    /// The most recall at each precision, over all thresholds.
    fn recalls(&self, mut links: Vec<(u32, (u32, u32))>) -> Vec<(f64, Option<f64>)> {
        links.sort_unstable_by_key(|(score, rows)| (std::cmp::Reverse(*score), *rows));
        let (mut right, mut all, mut reached) = (0.0, 0.0, Vec::new());
        for same_score in links.chunk_by(|a, b| a.0 == b.0) {
            for (is_right, weight) in same_score.iter().filter_map(|(_, rows)| self.weigh(*rows)) {
                all += weight;
                right += if is_right { weight } else { 0.0 };
            }
            if all > 0.0 && self.same > 0.0 {
                reached.push((right / all, right / self.same));
            }
        }
        let best = |least: f64| {
            let enough = reached.iter().filter(|(precision, _)| *precision >= least);
            enough.map(|(_, recall)| *recall).max_by(f64::total_cmp)
        };
        PRECISIONS.map(|least| (least, best(least))).to_vec()
    }
}

/// F1 on `test` and the threshold, calibrated, which is the best on `valid`. A pair counts once in each split.
fn pairs_f1(pairs: &[Pair], scores: &HashMap<(u32, u32), Described>) -> Option<(f64, f64)> {
    let of = |split: &str| -> Vec<(u32, bool, f64)> {
        let mut seen = HashSet::new();
        let known = pairs.iter().filter(|pair| pair.split == split && pair.label != Label::Open);
        known
            .filter(|pair| seen.insert(pair.rows))
            .filter_map(|pair| {
                let score = scores.get(&pair.rows?)?.score.0;
                Some((score, pair.label == Label::Same, pair.weight))
            })
            .collect()
    };
    let (valid, test) = (of("valid"), of("test"));
    if valid.is_empty() || test.is_empty() {
        return None;
    }
    let f1 = |pairs: &[(u32, bool, f64)], least: u32| {
        let sum = |of: &dyn Fn(&(u32, bool, f64)) -> bool| -> f64 {
            pairs.iter().filter(|pair| of(pair)).map(|pair| pair.2).sum()
        };
        let right = sum(&|pair| pair.0 >= least && pair.1);
        2.0 * right / (sum(&|pair| pair.0 >= least) + sum(&|pair| pair.1)).max(f64::MIN_POSITIVE)
    };
    let mut thresholds: Vec<u32> = valid.iter().map(|pair| pair.0).collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    let best = thresholds.into_iter().max_by(|a, b| f1(&valid, *a).total_cmp(&f1(&valid, *b)))?;
    Some((f1(&test, best), pricebook::matching::Score(best).calibrated()))
}

fn write_scores(path: &Path, pairs: &[Pair], scores: &HashMap<(u32, u32), Described>) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "left_platform,left_product_id,right_platform,right_product_id,score")?;
    for pair in pairs {
        let score =
            pair.rows.and_then(|rows| scores.get(&rows)).map(|described| described.score.calibrated());
        let score = score.map(|score| format!("{score:.6}")).unwrap_or_default();
        writeln!(out, "{},{score}", pair.keys.each_ref().map(|key| quoted(key)).join(","))?;
    }
    Ok(out.flush()?)
}

/// A value of a CSV file.
fn quoted(value: &str) -> String {
    if value.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

/// What the scorer sees of listed pairs and of all candidates, for `benches/quality/train_links.py`.
fn write_features(path: &Path, catalog: &Catalog, linkers: &[Linker], pairs: &[Pair]) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "left,right,label,split,weight,candidate,veto,identified,{}", FEATURES.join(","))?;
    let listed: HashMap<(u32, u32), &Pair> =
        pairs.iter().filter_map(|pair| Some((pair.rows?, pair))).collect();
    for linker in linkers {
        let candidates = linker.all_candidates().into_iter().map(|(a, b)| (a.min(b), a.max(b)));
        let mut all: Vec<((u32, u32), bool)> = candidates.map(|rows| (rows, true)).collect();
        all.extend(listed.keys().map(|rows| (*rows, false)));
        all.sort_unstable_by_key(|(rows, is_candidate)| (*rows, !is_candidate));
        all.dedup_by_key(|(rows, _)| *rows);
        let rows: Vec<(u32, u32)> = all.iter().map(|(rows, _)| *rows).collect();
        for ((rows, is_candidate), described) in all.iter().zip(linker.describe(&rows)) {
            let Some(described) = described else { continue };
            let (label, split, weight) = match listed.get(rows) {
                Some(Pair { label: Label::Same, split, weight, .. }) => ("1", split.as_str(), *weight),
                Some(Pair { label: Label::Different, split, weight, .. }) => ("0", split.as_str(), *weight),
                Some(Pair { label: Label::Open, split, weight, .. }) => ("-1", split.as_str(), *weight),
                None => ("", "", 1.0),
            };
            let key = |row: u32| {
                let listing = catalog.listing(row);
                quoted(&format!("{}|{}", listing.retailer(), listing.product_id()))
            };
            write!(
                out,
                "{},{},{label},{split},{weight},{},",
                key(rows.0),
                key(rows.1),
                u8::from(*is_candidate)
            )?;
            let veto = described.veto.map(|veto| format!("{veto:?}")).unwrap_or_default();
            write!(out, "{veto},{}", u8::from(described.is_identified))?;
            for feature in described.features {
                write!(out, ",{feature:.6}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

impl fmt::Display for MatchingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share =
            |share: Option<f64>| share.map_or_else(|| "none".to_owned(), |share| format!("{share:.4}"));
        writeln!(
            f,
            "pairs              {} ({} of listings that the snapshot lacks)",
            self.pairs, self.unknown
        )?;
        writeln!(f, "links that count   {}", self.links)?;
        writeln!(f, "precision          {}", share(self.linked.precision))?;
        writeln!(f, "recall             {}", share(self.linked.recall))?;
        writeln!(f, "F1                 {}", share(self.linked.f1))?;
        for (precision, recall) in &self.recall_at {
            writeln!(f, "recall at P {precision:.2}   {}", share(*recall))?;
        }
        write!(f, "pairs F1 on test   {}", share(self.pairs_f1))?;
        match self.pairs_threshold {
            Some(threshold) => writeln!(f, " at {threshold:.6}, the best on valid"),
            None => writeln!(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricebook::matching::Score;

    fn pair(ids: [&str; 2], label: Label, split: &str, weight: f64) -> Pair {
        let rows = ids.map(|id| id.parse::<u32>().unwrap());
        Pair {
            keys: ["a", ids[0], "a", ids[1]].map(str::to_owned),
            rows: Some((rows[0].min(rows[1]), rows[0].max(rows[1]))),
            label,
            split: split.to_owned(),
            weight,
        }
    }

    #[test]
    fn a_pair_is_the_same_where_any_row_says_so_and_counts_once() {
        let rows = || {
            let mut other_case = pair(["2", "1"], Label::Different, "", 3.0);
            other_case.keys[0] = "A".to_owned();
            vec![
                pair(["1", "2"], Label::Same, "", 2.0),
                other_case,
                pair(["3", "4"], Label::Different, "", 1.0),
                pair(["4", "3"], Label::Open, "", 1.0),
            ]
        };
        for mut pairs in [rows(), rows().into_iter().rev().collect()] {
            settle(&mut pairs);
            assert!(pairs.iter().all(|pair| (pair.label == Label::Same) == (pair.rows == Some((1, 2)))));
            let judge = Judge::of(&pairs, false);
            assert_eq!((judge.weigh((1, 2)), judge.weigh((3, 4))), (Some((true, 2.0)), Some((false, 1.0))));
            assert_eq!((once(&pairs).len(), judge.same), (2, 2.0));
            let shares = judge.shares([(1, 2)].into_iter());
            assert_eq!((shares.precision, shares.recall), (Some(1.0), Some(1.0)));
        }
    }

    /// What is printed cuts the scores that are written as the scores themselves are cut.
    #[test]
    fn the_threshold_of_pairs_is_calibrated() {
        let (low, high) = (Score(200_000), Score(600_000));
        let pairs: Vec<Pair> = ["valid", "test"]
            .into_iter()
            .flat_map(|split| {
                [
                    pair(["1", "2"], Label::Same, split, 1.0),
                    pair(["3", "4"], Label::Different, split, 1.0),
                    pair(["4", "3"], Label::Different, split, 1.0),
                ]
            })
            .collect();
        let described =
            |score| Described { score, veto: None, is_identified: true, features: [0.0; FEATURES.len()] };
        let scores = HashMap::from([((1, 2), described(high)), ((3, 4), described(low))]);
        assert_eq!(pairs_f1(&pairs, &scores), Some((1.0, high.calibrated())));
        let turned = HashMap::from([((1, 2), described(low)), ((3, 4), described(high))]);
        assert_eq!(
            pairs_f1(&pairs, &turned),
            Some((2.0 / 3.0, low.calibrated())),
            "twice listed, once wrong"
        );
        assert!(low.calibrated() < high.calibrated());
    }
}
