//! Titles of one shop asked against the catalog of another, beside plain BM25 over the names there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use crate::oracle::tables::{Table, bytes, csv};
use crate::support::asking::{build, shared};
use pricebook::eval::search::known;
use serde_json::{Map, Value};

/// Retailer and id of a listing.
type Key<'a> = [&'a str; 2];

/// The values of some columns; what is missing is empty.
fn columns<'a, const N: usize>(table: &'a Table, names: [&str; N]) -> impl Iterator<Item = [&'a str; N]> {
    let places = names.map(|name| table.columns.iter().position(|column| column == name).unwrap());
    table.rows.iter().map(move |row| places.map(|at| row[at].as_deref().unwrap_or_default()))
}

/// Writes the rows of one retailer.
fn write(path: &Path, table: &Table, retailer: &str) {
    let of_retailer = columns(table, ["platform"]).zip(&table.rows).filter(|([of], _)| *of == retailer);
    let object = |row: &Vec<Option<String>>| -> Map<String, Value> {
        table.columns.iter().cloned().zip(row.iter().cloned().map(Value::from)).collect()
    };
    let lines: Vec<String> = of_retailer.map(|(_, row)| Value::from(object(row)).to_string()).collect();
    fs::write(path, lines.join("\n")).unwrap();
}

/// Okapi BM25 with the usual constants: any word may match.
struct Bm25<'a> {
    ids: Vec<&'a str>,
    lengths: Vec<f64>,
    /// By word, how often the names that hold it do.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl<'a> Bm25<'a> {
    fn of(names: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut own = Self { ids: Vec::new(), lengths: Vec::new(), postings: HashMap::new() };
        for (at, (id, name)) in names.enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in words(name) {
                *counts.entry(word).or_default() += 1.0;
            }
            own.ids.push(id);
            own.lengths.push(counts.values().sum());
            for (word, count) in counts {
                own.postings.entry(word).or_default().push((at, count));
            }
        }
        own
    }

    /// The name that fits a text best, the earlier among equals.
    fn first(&self, text: &str) -> Option<&'a str> {
        let average = self.lengths.iter().sum::<f64>() / self.lengths.len() as f64;
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for postings in words(text).iter().filter_map(|word| self.postings.get(word)) {
            let (all, with) = (self.ids.len() as f64, postings.len() as f64);
            let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for &(at, count) in postings {
                let length = 1.2 * (0.25 + 0.75 * self.lengths[at] / average);
                *scores.entry(at).or_default() += idf * count * 2.2 / (count + length);
            }
        }
        let best = scores.into_iter().rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map(|(at, _)| self.ids[at])
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Asks the titles of one shop whose products another has a price of: at least so many find it at the first place.
fn titles_find_their_product(set: &str, from: &str, at: &str, least: f64) {
    let Some(folder) = shared(&format!("matching/{set}")) else { return };
    let [listings, observations, pairs] = ["listings", "observations", "pairs"]
        .map(|name| csv(bytes(&folder.join(format!("{name}.csv.gz"))), ','));
    let name_columns = columns(&listings, ["platform", "product_id", "product_name"]);
    let names: BTreeMap<Key<'_>, &str> =
        name_columns.map(|[retailer, id, name]| ([retailer, id], name)).collect();
    let priced: BTreeSet<Key<'_>> =
        columns(&observations, ["platform", "product_id"]).filter(|[retailer, _]| *retailer == at).collect();

    let mut meant: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let ends = ["left_platform", "left_product_id", "right_platform", "right_product_id", "label"];
    for [left, left_id, right, right_id, label] in columns(&pairs, ends) {
        for (asked, found) in [([left, left_id], [right, right_id]), ([right, right_id], [left, left_id])] {
            if label == "1" && asked[0] == from && priced.contains(&found) {
                meant.entry(names[&asked]).or_default().insert(found[1]);
            }
        }
    }

    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(&input.path().join("listings.ndjson"), &listings, at);
    write(&input.path().join("observations.ndjson"), &observations, at);
    let catalog = build(&[input.path().to_owned()], out.path());
    let mut queries = "country,kind,query,meant,targets\n".to_owned();
    for (title, ids) in &meant {
        let targets: Vec<String> = ids.iter().map(|id| format!("{at}|{id}")).collect();
        let title = title.replace('"', "\"\"");
        queries += &format!("us,title,\"{title}\",\"{title}\",{}\n", targets.join(";"));
    }
    let file = out.path().join("titles.csv");
    fs::write(&file, queries).unwrap();
    let report = known::run(&catalog, &file).unwrap();

    let bm25 = Bm25::of(priced.iter().map(|key| (key[1], names[key])));
    let found = meant.iter().filter(|(title, ids)| bm25.first(title).is_some_and(|id| ids.contains(id)));
    let bm25 = found.count() as f64 / meant.len() as f64;
    let titles = &report.kinds[0];
    eprintln!("{from} to {at}: {} titles, hit@1 {:.3}, BM25 {bm25:.3}", titles.queries, titles.hit_at_1);
    assert!(titles.queries == meant.len() && titles.hit_at_1 >= least, "{report}");
}

#[test]
fn electronics_titles() {
    titles_find_their_product("abt_buy", "abt", "buy", 0.88);
    titles_find_their_product("abt_buy", "buy", "abt", 0.91);
}

#[test]
fn software_titles() {
    titles_find_their_product("amazon_google", "amazon", "google", 0.75);
    titles_find_their_product("amazon_google", "google", "amazon", 0.81);
}
