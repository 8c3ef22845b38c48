//! Files become runs: every row is in them, and nothing that is not in the file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::*;
use crate::index::clean::codes::CodeRules;
use crate::index::runs::{Odd, RUN_FOLDER, RUN_JSON, RunGroup};
use crate::ingest::mapping::InputMapping;
use crate::ingest::rejects::Reason;
use crate::ingest::{Arguments, Silent, Spool, find};
use crate::snapshot::tables::ListingInput;
use crate::types::{Condition, Day, Gtin, Instant};

const BIG: u64 = 1 << 30;

/// The files of a folder by what they hold: listings, then observations.
fn files(dir: &Path, mapping: &str) -> Vec<InputFile> {
    let mapping = InputMapping::of_text(mapping).unwrap();
    let arguments = Arguments { mapping, ..Arguments::folders([dir.join("in")]) };
    let found = find(&arguments, &Spool::new(dir)).unwrap();
    let both = found.listings.iter().filter(|file| file.holds == Holds::Both).count();
    assert!(found.listings.len() + found.observations.len() > both, "{:?}", found.unread);
    found.listings.into_iter().chain(found.observations).collect()
}

/// Writes a file of an input, and says what it is found as.
fn file(dir: &Path, name: &str, text: &str) -> InputFile {
    fs::create_dir_all(dir.join("in")).unwrap();
    fs::write(dir.join("in").join(name), text).unwrap();
    files(dir, "").remove(0)
}

fn store(dir: &Path) -> Store {
    Store::open(dir.join("runs").to_str().unwrap()).unwrap()
}

fn validated(dir: &Path, file: &InputFile, newest: bool) -> Run {
    let name = run_name(file, newest).unwrap();
    validate(file, newest, &name, &store(dir), dir, BIG, &Silent).unwrap();
    Run::open(&store(dir), &name).unwrap()
}

/// What a run says of each key, in words, sorted by key.
fn said(run: &Run) -> Vec<String> {
    let (mut groups, mut said) = (run.groups(0..=u64::MAX).unwrap(), Vec::new());
    while let Some(group) = groups.current() {
        said.push(words(&group));
        groups.advance().unwrap();
    }
    said.sort();
    said
}

fn words(group: &RunGroup<'_>) -> String {
    let mut words = format!("{} {} {}", group.key.country.as_str(), group.key.platform, group.key.product_id);
    for row in group.listings.iter() {
        let written = (row.micros > i64::MIN).then(|| Instant::from_micros(row.micros).to_string());
        let texts = [ListingInput::ProductName, ListingInput::Rating, ListingInput::ReviewCount];
        let texts = texts.map(|column| row.text(column));
        let barcode = CodeRules::default().gtin(row.gtin, "acme").map_or(0, Gtin::get);
        let validated = (row.brand, row.path, row.mpn, barcode, row.gpc_code);
        let _ = write!(words, " | {}: {texts:?} {validated:?} {:?} {written:?}", row.line, row.condition);
    }
    let rows = group.observations;
    for at in 0..rows.len() {
        let (day, instant) = (Day::OBSERVED_MIN.plus_days(rows.day[at].into()), rows.micros[at]);
        let time = Instant::from_micros(instant).to_string();
        assert_eq!(Instant::from_micros(instant).day(), day);
        let (line, price, list_price) = (rows.line[at], rows.price[at], rows.list_price[at]);
        let _ = write!(words, " | {line}: {time} {price} {list_price} {}", rows.flags[at]);
    }
    for row in group.odd.iter() {
        let _ = write!(words, " | {}: {:?} {}", row.line, row.what, row.value);
    }
    words
}

fn rejects(run: &Run) -> Vec<(bool, u64, Reason, String)> {
    let reject = |reject: Result<RunReject>| {
        let RunReject { of_listings, line, reason, value, .. } = reject.unwrap();
        (of_listings, line, reason, value)
    };
    run.rejects().unwrap().map(reject).collect()
}

const LISTINGS: &str = "country,platform,product_id,product_name,brand,gtin,category_path,gpc_code,rating,review_count,mpn,date\n\
    us,acme,1,Corn Flakes,Acme,036000291452,Food > Cereal,10000285,4.5,12,WH-1000XM5,2026-10-31\n\
    us,Acme,1,Corn Flakes 500 g,Acme,,Food,x,,,,2026-11-01T10:00:00Z\n\
    ca,Best Buy,b|1,Kettle (renewed),,12345678,,,0,0,,\n\
    xx,acme,2,No country,,,,,,,,\n\
    us,,3,No retailer,,,,,,,,\n\
    us,acme,,No id,,,,,,,,\n\
    us,acme,4,,,,,,,,,\n";

const OBSERVATIONS: &str = "country,platform,product_id,date,price,list_price,in_stock,promo,currency\n\
    us,acme,1,2026-10-31,4.99,5.99,true,false,USD\n\
    us,acme,1,2026-11-01T23:30:00-02:00,0.01,free,maybe,,\n\
    us,acme,nobody,2026-11-01,2.00,,0,1,usd\n\
    us,ACME,1,2026-11-01,4.49,,,,\n\
    us,acme,nobody,2026-13-01,2.00,,,,\n\
    us,acme,nobody,2026-11-01,2.00,,,,EUR\n\
    us,acme,1,1999-12-31,2.00,,,,\n\
    us,acme,1,2026-11-01,-2.00,,,,\n\
    uk,acme,1,2026-11-01,2.00,,,,\n";

#[test]
fn listings_are_kept_whole_and_rejects_have_their_lines() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), "listings.csv", LISTINGS);
    let run = validated(dir.path(), &file, false);
    let kettle = format!("{:?}", Condition::Refurbished);
    assert_eq!(
        said(&run),
        [
            format!("ca best-buy b|1 | 4: [\"Kettle (renewed)\", \"0\", \"0\"] (\"\", \"\", \"\", 0, 0) {kettle} None"),
            "us acme 1 | 2: [\"Corn Flakes\", \"4.5\", \"12\"] (\"Acme\", \"Food > Cereal\", \"wh1000xm5\", 36000291452, 10000285) New None \
             | 3: [\"Corn Flakes 500 g\", \"\", \"\"] (\"Acme\", \"Food\", \"\", 0, 0) New None"
                .to_owned(),
        ]
    );
    let expected = [
        (true, 5, Reason::UnknownCountry, "xx"),
        (true, 6, Reason::InvalidPlatform, ""),
        (true, 7, Reason::EmptyProductId, "No id"),
        (true, 8, Reason::EmptyName, "4"),
    ];
    assert_eq!(rejects(&run), expected.map(|(of, line, reason, value)| (of, line, reason, value.to_owned())));
    let member = &run.meta().members[0];
    assert_eq!((member.listing_rows, member.observation_rows, member.rejected_listings), (7, 0, 4));
    assert_eq!((member.groups, member.candidates), (2, 3));
    let tallies = &member.tallies;
    assert_eq!(tallies.unusable_barcodes["check_digit_or_restricted"].examples[0].line, 4);
    assert_eq!(tallies.unusable_gpc_codes.examples[0], LineExample { line: 3, value: "x".to_owned() });
    assert_eq!(tallies.one_level_categories.count, 1);
    let spelled = member.spellings.iter().map(|(key, written)| format!("{key} {written:?}"));
    assert_eq!(spelled.collect::<Vec<_>>(), ["acme {\"Acme\", \"acme\"}", "best-buy {\"Best Buy\"}"]);
    assert!(member.rows_by_day.is_empty());
    assert_eq!(member.detected.unknown_columns, [""; 0]);
}

#[test]
fn dates_of_listings_count_where_the_newest_does() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), "listings.csv", LISTINGS);
    assert_ne!(run_name(&file, false).unwrap(), run_name(&file, true).unwrap());
    let said = said(&validated(dir.path(), &file, true));
    assert!(said[0].ends_with(" None"), "{}", said[0]);
    assert!(said[1].contains("Some(\"2026-10-31T00:00:00Z\") | 3"), "{}", said[1]);
    assert!(said[1].ends_with("Some(\"2026-11-01T10:00:00Z\")"), "{}", said[1]);
}

/// An orphan stays: whether there is a listing is another file's to say. A row's own faults come first.
#[test]
fn observations_are_judged_without_listings() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), "observations.csv", OBSERVATIONS);
    let run = validated(dir.path(), &file, false);
    assert_eq!(
        said(&run),
        [
            "us acme 1 | 2: 2026-10-31T00:00:00Z 499 599 6 | 3: 2026-11-02T01:30:00Z 1 0 0 | 5: 2026-11-01T00:00:00Z 449 0 0 \
             | 3: IgnoredListPrice free | 3: UnreadableFlag maybe | 3: OneCentPrice 1",
            "us acme nobody | 4: 2026-11-01T00:00:00Z 200 0 5",
        ]
    );
    let expected = [
        (6, Reason::UnparsableDate, "2026-13-01"),
        (7, Reason::WrongCurrency, "EUR"),
        (8, Reason::DateOutOfRange, "1999-12-31"),
        (9, Reason::PriceNotPositive, "-2.00"),
        (10, Reason::UnknownCountry, "uk"),
    ];
    assert_eq!(rejects(&run), expected.map(|(line, reason, value)| (false, line, reason, value.to_owned())));
    let member = &run.meta().members[0];
    let days: Vec<u64> = member.rows_by_day.values().copied().collect();
    assert_eq!((days, member.latest_day()), (vec![1, 2, 1], Some(9_802)));
    assert_eq!((member.observation_rows, member.rejected_observations, member.rejected_listings), (9, 5, 0));
    assert_eq!(Odd::ALL.len(), 3);
}

const BOTH: &str = "country,platform,product_id,product_name,brand,date,price\n\
    us,acme,1,One,Acme,2026-10-30,1.00\n\
    us,acme,1,One,Acme,2026-10-31,1.10\n\
    us,acme,2,,,2026-10-31,2.00\n\
    us,acme,3,Three,,,\n\
    us,acme,4,Four,,2026-10-31,free\n\
    us,,5,Five,,2026-10-31,5.00\n\
    us,acme,1,Uno,Acme,2026-11-01,1.20\n";

#[test]
fn a_file_of_both_tables_is_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path(), "acme.csv", BOTH);
    assert_eq!(file.holds, Holds::Both);
    let run = validated(dir.path(), &file, false);
    let said = said(&run);
    assert_eq!(said.len(), 4);
    for (at, lines) in [(0, "2 3 8 2 3 8"), (1, "4"), (2, "5"), (3, "6")] {
        let rows = said[at].split(" | ").skip(1).map(|row| row.split(':').next().unwrap());
        assert_eq!(rows.collect::<Vec<_>>().join(" "), lines, "{}", said[at]);
    }
    // A row that is no listing is no observation; one that is no observation stays a listing.
    let expected = [
        (true, 7, Reason::InvalidPlatform, String::new()),
        (false, 6, Reason::UnparsablePrice, "free".to_owned()),
    ];
    assert_eq!(rejects(&run), expected);
    let member = &run.meta().members[0];
    assert_eq!((member.listing_rows, member.observation_rows), (0, 7));
    let mut groups = run.groups(0..=u64::MAX).unwrap();
    while let Some(group) = groups.current().filter(|group| group.key.product_id != "1") {
        assert!(group.listings.len() <= 1);
        groups.advance().unwrap();
    }
    let says: Vec<u64> = groups.current().unwrap().listings.iter().map(|row| row.says).collect();
    assert!(says[0] == says[1] && says[1] != says[2], "a repeat says the same");
}

/// A file of several blocks whose rows come listing by listing, day by day, or however. Most of it is a column that
/// nobody reads: rows take long to judge.
fn large(rows: u64, key: impl Fn(u64) -> u64) -> String {
    let unread = "-".repeat(300);
    let mut text = String::from("country,platform,product_id,date,price,list_price,in_stock,unread\n");
    for row in 0..rows {
        let (key, day) = (key(row), Day::from_days(20_000 + (row % 300) as i32));
        let time = if key % 50 == 7 { "T10:00:00Z" } else { "" };
        let price = if row % 1_000 == 999 { "free".to_owned() } else { format!("{}.99", row % 90) };
        let _ = writeln!(text, "us,shop-{},{key:06},{day}{time},{price},{},yes,{unread}", key % 5, row % 77);
    }
    text
}

fn bytes(store: &Store, name: &str) -> Vec<Vec<u8>> {
    let part = |part| store.get(&format!("{RUN_FOLDER}/{name}/{part}")).unwrap().unwrap();
    [ROWS, REJECTS, RUN_JSON].map(part).into()
}

/// Neither memory nor threads show in a run.
#[test]
fn a_run_has_the_same_bytes_however_it_was_made() {
    let rows = 30_000;
    for (number, key) in [
        (|row: u64| row / 60) as fn(u64) -> u64,
        |row| row % 2_000,
        |row| row * 7_919 % 10_007,
        |row| u64::from(row % 50 == 0),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path(), "observations.csv", &large(rows, key));
        let name = run_name(&file, false).unwrap();
        let make = |memory, threads| {
            let folder = dir.path().join(format!("{memory}-{threads}"));
            let store = Store::open(folder.to_str().unwrap()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| validate(&file, false, &name, &store, dir.path(), memory, &Silent)).unwrap();
            bytes(&store, &name)
        };
        let whole = make(BIG, 1);
        assert!(whole == make(0, 3), "order {number}, every chunk a piece");
        assert!(whole == make(BIG, 3), "order {number}, threads");
        let left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("judge-"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn names_follow_from_bytes_and_from_what_applies() {
    let dir = tempfile::tempdir().unwrap();
    let named = |dir: &Path, mapping: &str| -> Vec<String> {
        files(dir, mapping).iter().map(|file| run_name(file, false).unwrap()).collect()
    };
    file(dir.path(), "listings.csv", LISTINGS);
    file(dir.path(), "observations.csv", OBSERVATIONS);
    let plain = named(dir.path(), "");
    assert_ne!(plain[0], plain[1]);
    assert_eq!(named(dir.path(), "[listings.columns]\nbrand = \"b\"")[1], plain[1]);
    assert_eq!(named(dir.path(), "[observations.columns]\nin_stock = \"stock\"")[0], plain[0]);
    for (mapping, changes) in [
        ("[columns]\nproduct_id = \"id\"", [true, true]),
        ("[constants]\ncountry = \"us\"", [true, true]),
        ("[constants]\nprice = \"1\"", [false, true]),
        ("[constants]\nbrand = \"Acme\"", [true, false]),
        ("[retailers]\nacme = \"acme-foods\"", [true, true]),
        ("decimal = \"comma\"", [true, true]),
        ("[[source]]\nfiles = \"listings.csv\"\nseparator = \";\"", [true, false]),
    ] {
        let other = named(dir.path(), mapping);
        assert_eq!([other[0] != plain[0], other[1] != plain[1]], changes, "{mapping}");
    }
    // Neither its name nor the time is in it, but its folders are where they say something.
    let elsewhere = tempfile::tempdir().unwrap();
    file(elsewhere.path(), "observations.csv", OBSERVATIONS);
    assert_eq!(named(elsewhere.path(), "")[0], plain[1]);
    for (folder, changes) in [("seen=1", false), ("country=us", true)] {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("in").join(folder);
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join("observations.csv"), OBSERVATIONS).unwrap();
        assert_eq!(named(dir.path(), "")[0] != plain[1], changes, "{folder}");
    }
}

/// Whoever changes a byte of a run changes the version too: runs of the old one are then judged anew. Names hang on the
/// version, so it is in this hash as well.
#[test]
fn the_bytes_of_a_run_are_those_of_its_version() {
    let dir = tempfile::tempdir().unwrap();
    let mut hash = blake3::Hasher::new();
    for (name, text) in [("listings.csv", LISTINGS), ("observations.csv", OBSERVATIONS), ("both.csv", BOTH)] {
        let dir = dir.path().join(name);
        let run = validated(&dir, &file(&dir, name, text), true);
        hash.update(run.name().as_bytes());
        for part in bytes(&store(&dir), run.name()) {
            hash.update(&part);
        }
    }
    assert_eq!((VALIDATION_VERSION, &hash.finalize().to_hex()[..16]), (4, "043a70ff0d8cfb8a"));
}
