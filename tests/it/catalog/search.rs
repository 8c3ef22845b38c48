//! The text index against the slow truth: every listing scored and every rank sorted, every listing counted, every term
//! compared.

use crate::support::searching::{Slow, shop, typo};
use crate::support::{crafted, generated};
use pricebook::catalog::Catalog;
use pricebook::cli::generate::run;
use pricebook::lang::Lexicon;
use pricebook::lang::quantities;
use pricebook::lang::text::fold_term;
use pricebook::search::index::{
    Form, Hit, MatchQuality, Matches, NamedBrand, PartialMatch, Property, QualityQuery, QueryQuantity,
    QueryTerm, Role, SearchScope, SoughtTerms,
};
use pricebook::stats::rng::Rng;
use pricebook::types::Country;

const LISTINGS: u32 = 1_500;
const QUERIES: usize = 300;
const WORDS: [&str; 12] =
    ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew"];
/// Terms of a query that matches are ranked by, whatever they hold.
const RANKED_TERMS: usize = 64;
const LIMITS: [usize; 5] = [1, 2, 20, 64, 100_000];

/// What a comparison met, so that a test can tell that it put something to the test.
#[derive(Debug, Default)]
struct Met {
    cut: usize,
    /// Listings that lost to another one of their product.
    outdone: usize,
    by_category: usize,
    unneeded: usize,
    ties: usize,
    /// Queries with terms that are not ranked by.
    unranked: usize,
}

/// Terms of one listing or of several, each once; now and then so many that not all are ranked by.
fn query(slow: &Slow<'_>, rng: &mut Rng) -> Vec<u32> {
    let mut query = Vec::new();
    let (listings, terms) = if rng.chance(4) { (60, 12) } else { (2, 4) };
    for _ in 0..=rng.below(listings) {
        let own: Vec<u32> = slow.listings[rng.below(slow.listings.len())].ways.keys().copied().collect();
        for _ in 0..=rng.below(terms) {
            query.extend(rng.pick(&own).filter(|term| !query.contains(*term)).copied());
        }
    }
    if rng.chance(5) {
        let any = rng.below(slow.terms.len()) as u32;
        query.extend(Some(any).filter(|any| !query.contains(any)));
    }
    query
}

/// A part of some terms in any order.
fn some_of(terms: &[u32], rng: &mut Rng) -> Vec<u32> {
    let mut some = terms.to_vec();
    rng.shuffle(&mut some);
    some.truncate(1 + rng.below(terms.len()));
    some
}

/// Listings that are looked among: a part, and now and then those of one retailer.
#[derive(Clone, Copy)]
struct Among<'a> {
    catalog: &'a Catalog,
    every: u32,
    platform: Option<u16>,
}

impl<'a> Among<'a> {
    fn draw(catalog: &'a Catalog, rng: &mut Rng) -> Self {
        let every = 1 + rng.below(3) as u32;
        let platforms = &catalog.listings.platform;
        Self { catalog, every, platform: rng.chance(15).then(|| platforms[rng.below(platforms.len())]) }
    }

    fn accepts(self, row: u32) -> bool {
        let is_at = |platform| self.catalog.listings.platform[row as usize] == platform;
        row.is_multiple_of(self.every) && self.platform.is_none_or(is_at)
    }

    fn wanted(self, country: Country, limit: usize) -> SearchScope<'a, impl Fn(u32) -> bool> {
        let among = self.platform.map(|platform| self.catalog.docs_at(platform, country));
        SearchScope { country, limit, among, accept: move |row| self.accepts(row) }
    }
}

/// The first of ranked hits that have the tenths of a quality.
fn first(ranked: &[Hit], limit: usize, least: MatchQuality) -> Matches {
    let enough = ranked.iter().copied().filter(|hit| hit.quality.tenths() >= least.tenths());
    Matches { hits: enough.take(limit).collect(), all: ranked.len() <= limit && least.tenths() == 0 }
}

/// The least quality of a search by one: mostly none.
fn least_quality(quality: Option<&QualityQuery>, rng: &mut Rng) -> MatchQuality {
    let is_bounded = quality.is_some() && rng.chance(30);
    MatchQuality::of_hundredths(if is_bounded { rng.below(100) as u8 } else { 0 })
}

fn same(found: &Matches, expected: &Matches, of: &dyn std::fmt::Debug) {
    let bits = |matches: &Matches| -> Vec<(u32, u32, u8)> {
        matches.hits.iter().map(|hit| (hit.row, hit.score.to_bits(), hit.quality.hundredths())).collect()
    };
    assert_eq!(bits(found), bits(expected), "{of:?}");
    // A search that finds nothing may say so or not.
    assert!(found.all == expected.all || expected.hits.is_empty(), "{of:?}");
}

/// Compares searches for all of some terms.
fn compare_searches(slow: &Slow<'_>, seed: u64) -> Met {
    let (mut rng, mut met) = (Rng::new(seed), Met::default());
    for _ in 0..QUERIES {
        let (terms, country) = (query(slow, &mut rng), Country::ALL[rng.below(2)]);
        let mut needed = some_of(&terms, &mut rng);
        if terms.len() > RANKED_TERMS {
            needed.truncate(2);
        }
        // Mostly what is needed is scored too.
        let scored = if rng.chance(90) { terms } else { some_of(&terms, &mut rng)[1..].to_vec() };
        let thing = rng.pick(&scored).copied();
        let among = Among::draw(slow.catalog, &mut rng);
        let matching = |row: &u32| among.accepts(*row) && needed.iter().all(|&term| slow.holds(*row, term));
        let quality = rng.chance(70).then(|| weights(slow, &scored, &mut rng));
        let least = least_quality(quality.as_ref(), &mut rng);
        let sought = SoughtTerms {
            needed: &needed,
            scored: &scored,
            product_type: thing,
            quality: quality.as_ref(),
            least,
        };
        let hits = slow.ranked(slow.priced(country).filter(matching), sought, country);
        met.outdone += slow.priced(country).filter(matching).count() - hits.len();
        for limit in LIMITS {
            let found = slow.catalog.text.search(sought, &among.wanted(country, limit));
            same(&found, &first(&hits, limit, sought.least), &(sought, country, limit));
            met.cut += usize::from(!found.all);
        }
        let rarest = needed.iter().copied().min_by_key(|&term| (slow.count(&[term], country), term)).unwrap();
        met.by_category += hits.iter().filter(|hit| slow.is_by_category(hit.row, rarest)).count();
        met.unneeded += usize::from(needed.iter().any(|term| !scored.contains(term)));
        met.unranked += usize::from(!hits.is_empty() && scored.len() > needed.len() + RANKED_TERMS);
        met.ties += hits.windows(2).filter(|two| two[0].score.to_bits() == two[1].score.to_bits()).count();
        let any = slow.catalog.text.any(&needed, &among.wanted(country, 1));
        assert_eq!(any, !hits.is_empty(), "{needed:?} {country:?}");
        assert_eq!(slow.catalog.text.count(&needed, country), slow.count(&needed, country), "{needed:?}");
    }
    met
}

/// Compares searches for a part of some terms; how many found something, and how many had to look away from a term that
/// too many hold.
fn compare_half_matches(slow: &Slow<'_>, seed: u64) -> (usize, usize) {
    let (mut rng, mut found_any, mut frequent) = (Rng::new(seed), 0, 0);
    for _ in 0..QUERIES {
        let (terms, country) = (query(slow, &mut rng), Country::ALL[rng.below(2)]);
        let needed = some_of(&terms, &mut rng);
        let held = if rng.chance(70) { terms.len().div_ceil(2) } else { 1 + rng.below(terms.len()) };
        let among = Among::draw(slow.catalog, &mut rng);
        let (thing, quality) =
            (rng.pick(&terms).copied(), rng.chance(70).then(|| weights(slow, &terms, &mut rng)));
        let half = PartialMatch::Half(held);
        let least = least_quality(quality.as_ref(), &mut rng);
        let sought = SoughtTerms {
            needed: &needed,
            scored: &terms,
            product_type: thing,
            quality: quality.as_ref(),
            least,
        };
        let hits = slow.half_matches(sought, held, country, &|row| among.accepts(row));
        for limit in LIMITS {
            let found = slow.catalog.text.search_some(sought, half, &among.wanted(country, limit));
            same(&found, &first(&hits, limit, sought.least), &(sought, half, country, limit));
        }
        found_any += usize::from(!hits.is_empty());
        frequent += usize::from(terms.iter().any(|&term| !slow.is_rare(term, country)));
    }
    (found_any, frequent)
}

/// Compares searches for what holds a weighty part of some terms; how many left some listings of the terms out.
fn compare_weighty_matches(slow: &Slow<'_>, seed: u64) -> usize {
    let (mut rng, mut left_out) = (Rng::new(seed), 0);
    for _ in 0..QUERIES {
        let (terms, country) = (query(slow, &mut rng), Country::ALL[rng.below(2)]);
        let among = Among::draw(slow.catalog, &mut rng);
        let quality = weights(slow, &terms, &mut rng);
        let thing = rng.pick(&terms).copied();
        let least = least_quality(Some(&quality), &mut rng);
        let sought =
            SoughtTerms { needed: &[], scored: &terms, product_type: thing, quality: Some(&quality), least };
        let hits = slow.weighty_matches(sought, country, &|row| among.accepts(row));
        for limit in LIMITS {
            let found =
                slow.catalog.text.search_some(sought, PartialMatch::Weighty, &among.wanted(country, limit));
            same(&found, &first(&hits, limit, sought.least), &(sought, country, limit));
        }
        let any = |row: &u32| among.accepts(*row) && terms.iter().any(|&term| slow.holds(*row, term));
        left_out += usize::from(slow.priced(country).filter(any).count() > hits.len());
    }
    left_out
}

/// What terms weigh in a made-up query.
fn weights(slow: &Slow<'_>, terms: &[u32], rng: &mut Rng) -> QualityQuery {
    let mut query =
        QualityQuery { head: rng.pick(terms).copied(), is_title: rng.chance(40), ..QualityQuery::default() };
    for &term in terms {
        query.terms.push(QueryTerm {
            term,
            weight: rng.below(4) as u64,
            full_pct: [70, 100][rng.below(2)],
            role: [Role::Any, Role::Anywhere, Role::Name, Role::Type][rng.below(4)],
            is_evidence: rng.chance(80),
            is_part_number: rng.chance(20),
            compound: [None, None, Some(0), Some(1)][rng.below(4)],
        });
    }
    // A word of a compound may be unknown.
    let of_compound = |at: usize| query.terms.iter().filter(|term| term.compound == Some(at)).count() as u32;
    query.compounds = [0, 1].map(of_compound).map(|words| words + u32::from(rng.chance(30))).into();
    query.head_compound =
        query.terms.iter().find(|of| query.head == Some(of.term)).and_then(|of| of.compound);
    (query.asks_type, query.asks_accessory) = (rng.chance(50), rng.chance(50));
    let categories = slow.catalog.taxonomy.nodes().len() as u32;
    query.expected_categories =
        (0..rng.below(2)).map(|_| rng.below(categories as usize) as u32..categories).collect();
    if rng.chance(50) {
        let name = slow.catalog.listing(rng.below(slow.listings.len()) as u32).name();
        let weigh = |number| QueryQuantity { number, weight: 2 };
        query.quantities = quantities::codes(Lexicon::shipped(), name).into_iter().map(weigh).collect();
    }
    if rng.chance(50) {
        let mut form = || -> Form { (0..=rng.below(2)).filter_map(|_| rng.pick(terms).copied()).collect() };
        query.properties.push(Property { weight: 1, own: vec![form()], others: vec![form(), form()] });
    }
    for _ in 0..rng.below(3) {
        let brand = rng.below(slow.catalog.brands.len()) as u32;
        query.brands.push(NamedBrand { brand, terms: terms.iter().copied().take(2).collect() });
    }
    query.total = query.terms.iter().map(|term| term.weight).sum::<u64>() + rng.below(3) as u64;
    query
}

/// Compares everything that is said of single terms and of single listings.
fn compare_terms(slow: &Slow<'_>, seed: u64) {
    let text = &slow.catalog.text;
    for (number, term) in (0..).zip(&slow.terms) {
        assert_eq!(text.look_up(term), Some(number), "{term}");
        assert_eq!((text.term(number), text.spelled(number)), (term.as_str(), slow.spelled(number)));
        assert_eq!(text.names_category(number), slow.heads.contains(term), "{term}");
        assert_eq!(text.names_listing(number), slow.things.contains(&number), "{term}");
        for country in Country::ALL {
            let with = slow.count(&[number], country);
            assert_eq!(text.priced_with(number, country), with, "{term} {country:?}");
            assert_eq!(text.known(term, country), (with > 0).then_some(number), "{term} {country:?}");
            assert_eq!(
                text.names_type(number, country),
                slow.names_type(number, country),
                "{term} {country:?}"
            );
        }
    }
    for country in Country::ALL {
        assert_eq!(text.priced_count(country) as usize, slow.priced(country).count());
        assert_eq!(text.known("unheard", country), None);
    }
    let mut rng = Rng::new(seed);
    for (row, known) in (0..).zip(&slow.listings) {
        assert_eq!(text.name_terms(row), known.name, "the terms of a name are kept in their order");
        let asked = query(slow, &mut rng);
        let held = asked.iter().filter(|&&term| slow.holds(row, term)).count();
        assert_eq!(text.held_count(row, &asked), held, "row {row}: {asked:?}");
    }
}

/// Compares what is spelled alike; how many words had several candidates.
fn compare_spelling(slow: &Slow<'_>, seed: u64) -> usize {
    let (mut rng, mut several) = (Rng::new(seed), 0);
    for _ in 0..QUERIES {
        let mut written = slow.terms[rng.below(slow.terms.len())].clone();
        for _ in 0..rng.below(4) {
            written = typo(&written, &mut rng);
        }
        let (folded, country) = (fold_term(&written), Country::ALL[rng.below(2)]);
        let found: Vec<u32> =
            slow.catalog.text.near(&written, &folded, country).into_iter().map(|near| near.term).collect();
        assert_eq!(found, slow.near(&written, &folded, country), "{written} {folded} {country:?}");
        several += usize::from(found.len() > 1);
    }
    several
}

fn compare(catalog: &Catalog, seed: u64) -> Met {
    let slow = Slow::of(catalog);
    compare_terms(&slow, seed);
    compare_spelling(&slow, seed);
    assert!(compare_half_matches(&slow, seed).0 > QUERIES / 3);
    assert!(compare_weighty_matches(&slow, seed) > QUERIES / 10);
    compare_searches(&slow, seed)
}

fn generated_catalog(listings: u32) -> (tempfile::TempDir, Catalog) {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(&generated::options(listings, 3, 5, input.path()), &|_| ()).unwrap();
    let id = crafted::build(input.path(), out.path(), None).unwrap().id;
    let catalog = Catalog::open(&out.path().join(id)).unwrap();
    (out, catalog)
}

#[test]
fn a_generated_catalog() {
    let (_out, catalog) = generated_catalog(LISTINGS);
    let met = compare(&catalog, 9);
    assert!(met.cut > QUERIES / 2 && met.unneeded > 0 && met.ties > 0 && met.outdone > 0, "{met:?}");
}

/// Words of the category alone, asides, brands of digits, part numbers, units, and a word that most listings have.
#[test]
fn a_shop_of_every_kind_of_name() {
    let out = tempfile::tempdir().unwrap();
    let catalog = shop::build(3, out.path());
    let met = compare(&catalog, 7);
    assert!(
        met.cut > QUERIES / 2 && met.unneeded > 0 && met.ties > 0 && met.by_category > QUERIES,
        "{met:?}"
    );
    let slow = Slow::of(&catalog);
    assert!(compare_spelling(&slow, 1) > QUERIES / 30);
    assert!(compare_half_matches(&slow, 2).1 > QUERIES / 10);
}

/// Names of a dozen words, most of them several times, up to lengths that are no longer counted one by one: scores tie
/// across lengths, and every bound is put to the test.
#[test]
fn long_and_repetitive_names() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut rng = Rng::new(4);
    let mut listings = String::from("country,platform,product_id,product_name,brand,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price\n");
    for id in 0..LISTINGS {
        let country = Country::ALL[rng.below(2)].as_str();
        let longest = [3, 12, 50, 250][rng.below(4)];
        let word = |rng: &mut Rng| {
            let common = 1 + rng.below(WORDS.len());
            let word = WORDS[rng.below(common)];
            // Different words make a name long, as repetition does not.
            if longest > 12 { format!("{word}{}", rng.zipf(400)) } else { word.to_owned() }
        };
        let mut name: Vec<String> = (0..=rng.below(longest)).map(|_| word(&mut rng)).collect();
        if rng.chance(30) {
            name.insert(rng.below(name.len()), "with".to_owned());
        }
        name.insert(rng.below(name.len()), WORDS[rng.below(3)].to_owned());
        let brand = ["", "alder", "Birch elm", "400"][rng.below(4)];
        let shelf = ["Wood", "Wood > Alders", "Wood > Yew 400", ""][rng.below(4)];
        listings += &format!("{country},shop,{id},{},{brand},{shelf}\n", name.join(" "));
        let day = ["2026-10-01", "2026-10-02", "2026-06-01"][rng.below(3)];
        let price = ["9.99", "9.49", "12.00"][rng.below(3)];
        observations += &format!("{country},shop,{id},{day},{price}\n");
    }
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let id = crafted::build(input.path(), out.path(), None).unwrap().id;
    let catalog = Catalog::open(&out.path().join(id)).unwrap();
    let met = compare(&catalog, 6);
    assert!(met.cut > QUERIES / 2 && met.ties > 0 && met.by_category > 0 && met.unranked > 0, "{met:?}");
    let long = Slow::of(&catalog).listings.iter().filter(|known| known.length > 127).count();
    assert!(long > 20, "{long} names are longer than postings count");
}
