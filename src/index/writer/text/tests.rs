//! The index against one that is made without any care for memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::listing_key::ListingKeys;
use super::tokens::Tokens;
use super::*;
use crate::index::normalized::{Brand, Category, ListingColumns, NONE, Names};
use crate::index::scratch::{Scratch, TempColumns};
use crate::index::writer::listing_key::Current;
use crate::lang::Lexicon;
use crate::snapshot::Strings;
use crate::snapshot::columns::{ColumnFile, ColumnSink};
use crate::snapshot::layout::{STOCK_IN, STOCK_MASK, TermField, letters, posting, term_field};
use crate::snapshot::mapped::{Mapping, Residence};
use crate::types::{Condition, Country, Day};

/// A listing: country, words of its name, brand, category, price, stock, whether it is priced, instant, members.
type Draw = (bool, Vec<usize>, u32, u32, u32, bool, bool, i64, u32);

/// Words with spellings, parts of other words, asides, part numbers, brands and words of categories.
const WORDS: [&str; 24] = [
    "mouse",
    "mice",
    "Mäuse",
    "cookie",
    "cookies",
    "Cookys",
    "cooky",
    "for",
    "with",
    "WH-1000XM4",
    "L'Oréal",
    "loreal",
    "case",
    "Cases",
    "365",
    "tea",
    "a",
    "500 g",
    "1,5 L",
    "(new)",
    "USB/C",
    "é",
    "日本",
    "zzz",
];

fn names() -> Names {
    let category =
        |slug: &str, label: &str, parent| Category { slug: slug.into(), label: label.into(), parent };
    let brand = |label: &str| Brand { key: label.to_lowercase(), label: label.into() };
    Names {
        lexicon: Arc::new(Lexicon::extended("").unwrap()),
        first_day: Day::from_days(20_000),
        last_day: Day::from_days(20_200),
        platforms: vec!["a".into()],
        brands: ["365 Tea", "L'Oréal", "Only Brand", "cases"].map(brand).into(),
        categories: vec![
            category("food", "Food, Tea", NONE),
            category("food/tea", "Teas & Cases", 0),
            category("food/tea/rare", "Nobody Sells This", 1),
            category("uncategorized", "Uncategorized", NONE),
            category("zzz", "Mice", NONE),
        ],
        aliases: vec![],
        category_bricks: vec![],
        classification: None,
    }
}

struct Listings {
    keys: ListingKeys,
    names: Vec<String>,
}

fn listings(draws: &[Draw]) -> Listings {
    let (mut columns, mut keys) = (ListingColumns::default(), ListingKeys::with_capacity(draws.len()));
    let mut current =
        Current { day: vec![], price: vec![], list_price: vec![], flags: vec![], priced: vec![] };
    let mut names = Vec::new();
    for (at, (ca, words, brand, category, price, in_stock, priced, instant, _)) in (0..).zip(draws) {
        columns.country.push(if *ca { Country::Ca } else { Country::Us });
        columns.condition.push(Condition::New);
        columns.platform.push(0);
        columns.brand.push(if *brand < 4 { *brand } else { NONE });
        columns.category.push(*category);
        columns.product_uid.push((at + 7) % draws.len() as u64);
        columns.latest_instant.push(*instant);
        columns.gtin.push(0);
        current.day.push(0);
        current.price.push(*price);
        current.flags.push(if *in_stock { STOCK_IN } else { 0 });
        current.priced.push((*priced).into());
        names.push(words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" "));
    }
    keys.extend(&columns, &current, &vec![0; draws.len()]);
    keys.members = draws.iter().map(|draw| draw.8).collect();
    Listings { keys, names }
}

/// The file, written in so much memory.
fn written(listings: &Listings, memory: u64, path: &Path) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(dir.path());
    let mut columns = TempColumns::new(&scratch);
    columns.append_strings("name", Strings::default().view()).unwrap();
    listings.names.iter().for_each(|name| columns.push_str("name", name).unwrap());
    let names = names();
    let step =
        WriterContext { names: &names, keys: &listings.keys, listings: &columns, scratch: &scratch, memory };
    write(&step, path).unwrap();
    std::fs::read(path).unwrap()
}

/// The same as columns, made of everything at once.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    rows: Vec<u32>,
    doc_ends: Vec<u32>,
    doc_terms: Vec<u32>,
    name_terms: Vec<u32>,
    term_ends: Vec<u64>,
    postings: Vec<u32>,
    ranks: Vec<u32>,
    set_terms: Vec<u32>,
    set_words: Vec<u64>,
    set_before: Vec<u32>,
    type_terms: Vec<u32>,
    things: Vec<u64>,
    type_lines: Vec<u64>,
    held: Vec<u8>,
    priced: Vec<u32>,
    letters: Vec<u32>,
    terms: Vec<String>,
    spelled: Vec<String>,
}

fn tokens(listings: &Listings, labels: &Labels) -> Vec<Tokens> {
    let Listings { names, keys, .. } = listings;
    let of = |row: usize| (&*names[row], keys.brand[row], keys.category[row]);
    let split = |(name, brand, category)| Tokens::of(Lexicon::shipped(), name, brand, category, labels);
    (0..keys.len()).map(of).map(split).collect()
}

impl Naive {
    fn of(listings: &Listings) -> Self {
        let (names, keys) = (names(), &listings.keys);
        let labels = Labels::of(&names);
        let tokens = tokens(listings, &labels);
        let own = tokens.iter().flat_map(|tokens| tokens.terms.iter().map(|(term, _)| term.as_str()));
        let terms: Vec<&str> =
            own.chain(labels.categories.all()).collect::<BTreeSet<_>>().into_iter().collect();
        let number = |term: &str| terms.binary_search(&term).unwrap() as u32;
        let spelled = spelled(&terms, &tokens);
        let mut naive =
            Self { terms: terms.iter().map(|&term| term.to_owned()).collect(), spelled, ..Self::default() };
        naive.letters = terms.iter().map(|term| letters::of(term)).collect();
        let group = |row: usize| (keys.country(row).as_u8(), !keys.is_priced(row));
        let mut ranked: Vec<u32> = (0..keys.len() as u32).collect();
        ranked.sort_by_key(|&row| {
            let at = row as usize;
            let in_stock = keys.flags[at] & STOCK_MASK == STOCK_IN;
            let newest = Reverse(keys.latest_instant[at]);
            (group(at), Reverse(keys.members[at]), !in_stock, keys.price[at], newest, keys.uid[at])
        });
        naive.rows = ranked.clone();
        naive.rows.sort_by_key(|&row| (group(row as usize), tokens[row as usize].length(Lexicon::shipped())));
        let rank = |row: &u32| ranked.iter().position(|other| other == row).unwrap() as u32;
        naive.ranks = naive.rows.iter().map(rank).collect();
        let mut path_terms: Vec<BTreeMap<u32, TermField>> = Vec::new();
        naive.held = vec![0; terms.len()];
        for (at, category) in (0..).zip(&names.categories) {
            let last = labels.categories.get(at).map(|term| (number(term), labels.held(at, term).unwrap()));
            let above = path_terms.get(category.parent as usize).cloned().unwrap_or_default();
            let mut path: BTreeMap<u32, TermField> =
                above.keys().map(|&term| (term, TermField::Above)).collect();
            path.extend(last);
            path_terms.push(path);
        }
        naive.priced = vec![0; 2 * terms.len()];
        let mut lists = BTreeMap::new();
        for (doc, &row) in (0..).zip(&naive.rows) {
            let row = row as usize;
            let own = tokens[row].terms.iter().map(|(term, held)| (number(term), *held));
            naive.doc_terms.extend(own.clone().map(|(term, held)| term_field::of(term, held)));
            let mut all = path_terms[keys.category[row] as usize].clone();
            all.extend(own);
            for (term, held) in all {
                if keys.is_priced(row) {
                    naive.priced[keys.country(row).as_u8() as usize * terms.len() + term as usize] += 1;
                }
                naive.held[term as usize] |= 1 << held as u8;
                lists.insert((term, doc), posting::of(doc, held));
            }
            naive.doc_ends.push(naive.doc_terms.len() as u32);
            naive.name_terms.push(tokens[row].name_terms as u32);
        }
        for term in 0..terms.len() as u32 {
            let of_term: Vec<u32> = lists.range((term, 0)..(term + 1, 0)).map(|(_, &of)| of).collect();
            naive.postings.extend(&of_term);
            naive.term_ends.push(naive.postings.len() as u64);
            naive.push_set(term, &of_term, keys.len());
        }
        naive
    }

    /// The set of a term, if it is frequent, and of the things that it names: lines of eight words.
    fn push_set(&mut self, term: u32, of_term: &[u32], docs: usize) {
        if of_term.is_empty() || of_term.len() * 128 < docs {
            return;
        }
        let is_product_type =
            |of: u32| [TermField::ProductType, TermField::CategoryType].contains(&posting::held(of));
        let word = |word: u32, is_wanted: &dyn Fn(u32) -> bool| -> u64 {
            let wanted = of_term.iter().copied().filter(|&of| is_wanted(of)).map(posting::doc);
            wanted.filter(|doc| doc / 64 == word).map(|doc| 1 << (doc % 64)).sum()
        };
        let lines = docs.div_ceil(512) as u32;
        let words = 0..lines * 8;
        self.set_terms.push(term);
        self.set_words.extend(words.clone().map(|at| word(at, &|_| true)));
        let before = |end: u32| of_term.iter().filter(|&&of| posting::doc(of) < end).count() as u32;
        self.set_before.extend((0..lines).map(|line| before(line * 512)));
        if !of_term.iter().copied().any(is_product_type) {
            return;
        }
        self.type_terms.push(term);
        let things: Vec<u64> = words.map(|at| word(at, &is_product_type)).collect();
        let is_filled = |line: u32| things[line as usize * 8..][..8].iter().any(|&word| word != 0);
        let filled = |from: u32| (from..lines.min(from + 64)).filter(|&at| is_filled(at));
        let bits = |from: u32| filled(from).map(|at| 1_u64 << (at - from)).sum::<u64>();
        self.type_lines.extend((0..lines).step_by(64).map(bits));
        self.things.extend(things);
    }

    fn read(path: &Path) -> Self {
        let bytes = std::fs::metadata(path).unwrap().len();
        let file = ColumnFile::new("text", Mapping::open(path, bytes, Residence::Mapped).unwrap()).unwrap();
        let u32s = |name: &str| file.column::<u32>(name).unwrap().to_vec();
        let letters = u32s("term_letters");
        let texts = |name: &str| {
            let column = file.strings(name, letters.len()).unwrap();
            (0..letters.len() as u32).map(|term| column.get(term).to_owned()).collect()
        };
        let (rows, docs) = (u32s("place_row"), u32s("row_place"));
        assert!((0..).zip(&rows).all(|(doc, &row)| docs[row as usize] == doc));
        Self {
            rows,
            doc_ends: u32s("place_ends"),
            doc_terms: u32s("place_terms"),
            name_terms: u32s("name_terms"),
            term_ends: file.column("term_ends").unwrap().to_vec(),
            postings: u32s("postings"),
            ranks: u32s("place_rank"),
            set_terms: u32s("set_terms"),
            set_words: file.column("set_words").unwrap().to_vec(),
            set_before: u32s("set_before"),
            type_terms: u32s("thing_terms"),
            things: file.column("thing_words").unwrap().to_vec(),
            type_lines: file.column("thing_lines").unwrap().to_vec(),
            held: file.column("term_held").unwrap().to_vec(),
            priced: u32s("term_priced"),
            terms: texts("term"),
            spelled: texts("term_spelled"),
            letters,
        }
    }
}

/// The most frequent spelling of each term, the first in order of two; nothing where it is the term.
fn spelled(terms: &[&str], tokens: &[Tokens]) -> Vec<String> {
    let mut times: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for tokens in tokens {
        for (at, spelling) in &tokens.spellings {
            *times.entry((&tokens.terms[*at as usize].0, spelling)).or_default() += 1;
        }
    }
    let best = |&term: &&str| {
        let of_term = times.range((term, "")..).take_while(|((of, _), _)| *of == term);
        let best = of_term.min_by_key(|((_, spelling), times)| (Reverse(**times), *spelling));
        best.map_or("", |((_, spelling), _)| spelling).to_owned()
    };
    terms
        .iter()
        .map(best)
        .zip(terms)
        .map(|(best, term)| if best == **term { String::new() } else { best })
        .collect()
}

fn draws(most: usize) -> impl Strategy<Value = Vec<Draw>> {
    let words = prop_oneof![9 => 0..6_usize, 1 => 30..60_usize]
        .prop_flat_map(|count| proptest::collection::vec(0..WORDS.len(), count));
    let draw = (
        any::<bool>(),
        words,
        0..6_u32,
        0..5_u32,
        0..4_u32,
        any::<bool>(),
        any::<bool>(),
        -1..2_i64,
        1..3_u32,
    );
    proptest::collection::vec(draw, 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_index_is_the_same_in_any_memory(draws in draws(120), memory in 1..4_000_u64) {
        let dir = tempfile::tempdir().unwrap();
        let listings = listings(&draws);
        let large = written(&listings, 1 << 28, &dir.path().join("large"));
        prop_assert_eq!(Naive::read(&dir.path().join("large")), Naive::of(&listings));
        let small = written(&listings, memory, &dir.path().join("small"));
        prop_assert!(small == large, "in {} bytes", memory);
    }
}

#[test]
fn the_most_frequent_spelling_wins_then_the_first_by_code_point() {
    let names = ["mouse mice", "cookie cookies", "cookies", "box box", "365"];
    let draws = names.map(|_| (false, vec![], 9, 3, 1, true, true, 0, 1));
    let listings = Listings { names: names.map(str::to_owned).into(), ..listings(&draws) };
    let dir = tempfile::tempdir().unwrap();
    // All at once, and a generation for each listing.
    for memory in [1 << 28, 8] {
        let path = dir.path().join(memory.to_string());
        written(&listings, memory, &path);
        let found = Naive::read(&path);
        let spelled: Vec<(&str, &str)> = found
            .terms
            .iter()
            .zip(&found.spelled)
            .map(|(term, spelled)| (term.as_str(), spelled.as_str()))
            .filter(|(term, _)| ["365", "box", "cooky", "mouse"].contains(term))
            .collect();
        // Empty where the spelling is the term.
        assert_eq!(spelled, [("365", ""), ("box", ""), ("cooky", "cookies"), ("mouse", "mice")]);
    }
}

#[test]
fn too_many_terms_are_told_of() {
    assert!(check_terms(term_field::TERMS_MAX as u64).is_ok());
    let fault = check_terms(term_field::TERMS_MAX as u64 + 1).unwrap_err().to_string();
    assert!(fault.contains("too many distinct terms") && fault.contains("536870912"), "{fault}");
}
