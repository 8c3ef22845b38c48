//! Titles of one shop asked against the catalog of another, beside plain BM25 over the names there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use crate::oracle::tables;
use crate::oracle::words::words_of;
use crate::quality::search::known;
use crate::support::asking::{build, shared};
use crate::support::written::Table;
use pricebook::catalog::Catalog;
use pricebook::search::index::SearchScope;
use pricebook::search::query::{Strictness, understand};
use pricebook::types::Country;

/// How far under plain BM25 titles may be found: a search that must also leave out what was not meant gives up some.
const BM25_LEAD_MAX: f64 = 0.04;

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
            for word in words_of(name) {
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
        for postings in words_of(text).iter().filter_map(|word| self.postings.get(word)) {
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

/// Two shops and which listings of theirs are one product.
struct Labelled {
    listings: Table,
    observations: Table,
    pairs: Table,
}

impl Labelled {
    fn read(folder: &Path) -> Self {
        let table = |name: &str| {
            let tables::Table { columns, rows, .. } =
                tables::csv(tables::bytes(&folder.join(format!("{name}.csv.gz"))), ',');
            let filled = |row: Vec<Option<String>>| row.into_iter().map(Option::unwrap_or_default).collect();
            Table { names: columns, rows: rows.into_iter().map(filled).collect() }
        };
        Self { listings: table("listings"), observations: table("observations"), pairs: table("pairs") }
    }

    /// The names of a shop's listings by id.
    fn names(&self, of: &str) -> BTreeMap<&str, &str> {
        let listings = self.listings.columns(["platform", "product_id", "product_name"]);
        listings.filter(|[shop, ..]| *shop == of).map(|[_, id, name]| (id, name)).collect()
    }

    /// The ids of a shop's listings that have a price.
    fn priced(&self, of: &str) -> BTreeSet<&str> {
        let observations = self.observations.columns(["platform", "product_id"]);
        observations.filter(|[shop, _]| *shop == of).map(|[_, id]| id).collect()
    }

    /// Asks the titles of one shop whose products another has a price of: at least so many find it at the
    /// first place, and about as many as BM25 does. How many there are, and how many are refused by default.
    fn titles_find_their_product(&self, from: &str, at: &str, least: f64) -> (usize, usize) {
        let (titles, names, priced) = (self.names(from), self.names(at), self.priced(at));
        let mut meant: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let ends = ["left_platform", "left_product_id", "right_platform", "right_product_id", "label"];
        for [left, left_id, right, right_id, label] in self.pairs.columns(ends) {
            for (asked, found) in [([left, left_id], [right, right_id]), ([right, right_id], [left, left_id])]
            {
                if label == "1" && asked[0] == from && found[0] == at && priced.contains(found[1]) {
                    meant.entry(titles[asked[1]]).or_default().insert(found[1]);
                }
            }
        }

        let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (file, table) in [("listings", &self.listings), ("observations", &self.observations)] {
            let path = input.path().join(file).with_extension("ndjson");
            fs::write(path, table.only("platform", at).ndjson()).unwrap();
        }
        let catalog = build(&[input.path().to_owned()], out.path());
        let mut queries = Table::new("country,kind,query,meant,targets", &[]);
        for (title, ids) in &meant {
            let targets: Vec<String> = ids.iter().map(|id| format!("{at}|{id}")).collect();
            queries.rows.push(["us", "title", title, title, &targets.join(";")].map(str::to_owned).to_vec());
        }
        let file = out.path().join("titles.csv");
        fs::write(&file, queries.separated(',')).unwrap();
        let report = known::run(&catalog, &file).unwrap();

        let bm25 = Bm25::of(priced.iter().map(|id| (*id, names[id])));
        let found = meant.iter().filter(|(title, ids)| bm25.first(title).is_some_and(|id| ids.contains(id)));
        let bm25 = found.count() as f64 / meant.len() as f64;
        let titles = &report.kinds[0];
        eprintln!("{from} to {at}: {} titles, hit@1 {:.3}, BM25 {bm25:.3}", titles.queries, titles.hit_at_1);
        assert_eq!(titles.queries, meant.len());
        assert!(titles.hit_at_1 >= least && titles.hit_at_1 >= bm25 - BM25_LEAD_MAX, "{report}");
        (meant.len(), meant.keys().filter(|title| is_refused(&catalog, title)).count())
    }
}

fn is_refused(catalog: &Catalog, title: &str) -> bool {
    let anywhere = SearchScope { country: Country::Us, limit: 1, among: None, accept: |_| true };
    understand(catalog, title, Strictness::default(), &anywhere).is_err()
}

#[test]
fn electronics_titles() {
    let Some(folder) = shared("matching/abt_buy") else { return };
    let shops = Labelled::read(&folder);
    let (of_abt, refused_of_abt) = shops.titles_find_their_product("abt", "buy", 0.90);
    let (of_buy, refused_of_buy) = shops.titles_find_their_product("buy", "abt", 0.91);
    let (all, refused) = (of_abt + of_buy, refused_of_abt + refused_of_buy);
    eprintln!("{refused} of {all} are refused");
    assert!(refused * 100 <= 3 * all);
}

#[test]
fn software_titles() {
    let Some(folder) = shared("matching/amazon_google") else { return };
    let shops = Labelled::read(&folder);
    shops.titles_find_their_product("amazon", "google", 0.75);
    shops.titles_find_their_product("google", "amazon", 0.81);
}
