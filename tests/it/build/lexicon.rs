//! Rows that a build adds to the lexicon, and the page about the lexicon.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pricebook::catalog::Catalog;
use pricebook::index::run::{Options, run};
use pricebook::index::writer::Linking;
use pricebook::ingest::mapping::InputMapping;
use pricebook::ingest::{self, Arguments, Silent};
use pricebook::lang::lexicon::definitions;
use pricebook::lang::{Lexicon, Pack, Unit};
use pricebook::types::Country;
use serde_json::json;

use crate::support::asking::{Service, shared};

const OFFERS: &str = "country,platform,product_id,product_name,date,price\n\
    ca,acme,1,Arroz blanco 2 kilogramos,2026-10-30,20.00\n\
    ca,acme,2,Arroz blanco 3 kilogramos,2026-10-30,25.00\n";
/// A unit in a further language.
const KILOGRAMS: &str = "unit\tkg\tes\tkilogramos\t\t\n";

const HEBREW_COLUMNS: &str = r#"
[constants]
country = "us"
currency = "usd"
[columns]
platform = "רשת"
product_id = "ברקוד"
product_name = "שם מוצר"
price = "מחיר (₪)"
date = { file_name = "prices_%Y-%m-%d" }
[retailers]
"#;
const CHAINS: [(&str, &str); 7] = [
    ("שופרסל", "shufersal"),
    ("רמי לוי", "rami-levy"),
    ("יוחננוף", "yohananof"),
    ("ויקטורי", "victory"),
    ("חצי חינם", "hatzi-hinam"),
    ("יינות ביתן / קרפור", "carrefour"),
    ("אושר עד", "osher-ad"),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// What the columns of a Hebrew row state: the dimension, and the total in grams, millilitres or pieces.
fn stated(quantity: &str, unit: &str) -> Option<(char, f64)> {
    let quantity: f64 = quantity.parse().ok().filter(|quantity| *quantity > 0.0)?;
    let (dimension, size) = match unit {
        "גרם" => ('g', 1.0),
        "קילוגרם" | "ק\"ג" | "קילו" => ('g', 1000.0),
        "מיליליטר" | "מ\"ל" | "מ'ל" | "מל" => ('l', 1.0),
        "ליטר" => ('l', 1000.0),
        "יחידות" | "יח'" | "יח" | "יחידה" => ('p', 1.0),
        _ => return None,
    };
    Some((dimension, quantity * size))
}

fn dimension_of(pack: &Pack) -> char {
    match pack.unit() {
        Unit::Oz | Unit::Lb | Unit::G | Unit::Kg => 'g',
        Unit::Piece => 'p',
        _ => 'l',
    }
}

/// A snapshot of a file of offers, with the rows of a lexicon.
fn try_built(offers: &str, rows: Option<&str>, out: &Path) -> anyhow::Result<Catalog> {
    let input = tempfile::tempdir()?;
    std::fs::write(input.path().join("offers.csv"), offers)?;
    let lexicon = input.path().join("words.tsv");
    std::fs::write(&lexicon, rows.unwrap_or_default())?;
    let options = Options {
        arguments: Arguments::folders([input.path().join("offers.csv")]),
        out: out.to_owned(),
        lexicon: rows.map(|_| lexicon),
        ..Options::default()
    };
    Ok(Catalog::open(&run(&options, &Silent)?.published.path())?)
}

#[test]
fn requests_read_the_rows_of_their_snapshot() {
    let out = tempfile::tempdir().unwrap();
    let [without, with] =
        [None, Some(KILOGRAMS)].map(|rows| Arc::new(try_built(OFFERS, rows, out.path()).unwrap()));
    assert_ne!(without.id(), with.id());
    assert_eq!(&*without.lexicon, Lexicon::shipped());
    assert!(with.lexicon.text().contains("unit\tkg\tes\tkilogramos\tmass 1000\t\n"));
    let best = |catalog: &Arc<Catalog>| {
        let (status, answer) = Service::new(Arc::clone(catalog))
            .ask("/v1/shopper/best-price?country=ca&q=arroz+3+kg&min_quality=0");
        assert_eq!(status, 200, "{answer}");
        (answer["best_price"]["pack"].clone(), answer["dropped_terms"].clone())
    };
    assert_eq!(best(&without), (json!(null), json!(["3kg"])));
    assert_eq!(best(&with), (json!({"quantity": 3.0, "unit": "kg", "count": 1}), json!(null)));
}

#[test]
fn a_wrong_row_is_refused_with_its_line() {
    let out = tempfile::tempdir().unwrap();
    for (rows, fault) in [
        (
            "# units\nunit\tkg\tes\tkilogramos\tmass 2\t\n",
            "line 2: another row of the meaning has another value",
        ),
        ("unit\tkg\tkilogramos\n", "line 1: 3 columns, expected 4 to 6"),
    ] {
        let error = format!("{:#}", try_built(OFFERS, Some(rows), out.path()).err().unwrap());
        assert!(error.contains(&format!("words.tsv: lexicon {fault}")), "{error}");
    }
    let error = run(
        &Options {
            arguments: Arguments::folders([out.path()]),
            out: out.path().to_owned(),
            lexicon: Some(out.path().join("none.tsv")),
            ..Options::default()
        },
        &Silent,
    );
    let error = format!("{:#}", error.err().unwrap());
    assert!(error.contains("cannot read the lexicon") && error.contains("none.tsv"), "{error}");
}

#[test]
fn the_example_of_the_page_is_valid() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lexicon.md")).unwrap();
    let example = page.split("```\n").nth(1).unwrap();
    assert!(example.lines().count() > 2, "{example}");
    let lexicon = Lexicon::extended(example).unwrap();
    assert!(example.lines().all(|row| lexicon.text().contains(row.trim_end())), "{}", lexicon.text());
}

/// `UPDATE_GOLDEN=1 cargo test --test it lexicon_page` writes the table of kinds anew.
#[test]
fn the_lexicon_page_is_that_of_the_source() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lexicon.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let mut table = "| kind | meaning |\n|---|---|\n".to_owned();
    for (kind, definition) in definitions() {
        writeln!(table, "| `{kind}` | {definition} |").unwrap();
    }
    let from = written.find("<!-- derived: kinds -->\n").unwrap() + "<!-- derived: kinds -->\n".len();
    let to = from + written[from..].find("<!-- end -->").unwrap();
    let now = [&written[..from], &table, &written[to..]].concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    assert_eq!(written, now, "docs/lexicon.md is out of date: see {}", file!());
}

/// Hebrew names, whose units are rows of a file. The chains state the quantity of a product in columns, which are compared
/// with the packs of the snapshot.
#[test]
fn packs_of_hebrew_names_are_those_of_their_columns() {
    let Some(input) = shared("acceptance/israel") else { return };
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("israeli_prices_2026-08-22.csv.gz");
    std::fs::copy(input.join(day.file_name().unwrap()), &day).unwrap();
    let retailers = CHAINS.map(|(name, key)| format!("\"{name}\" = \"{key}\"\n")).concat();
    let options = Options {
        arguments: Arguments {
            mapping: InputMapping::of_text(&[HEBREW_COLUMNS, &retailers].concat()).unwrap(),
            ..Arguments::folders([folder.path()])
        },
        out: folder.path().join("out"),
        lexicon: Some(golden("lexicon/hebrew.tsv")),
        linking: Linking::Off,
        ..Options::default()
    };
    let catalog = Catalog::open(&run(&options, &Silent).unwrap().published.path()).unwrap();
    let pack = |row: u32| {
        let listing = catalog.listing(row);
        let retailer = catalog.platforms[usize::from(listing.platform())].as_str();
        Some(((retailer, listing.product_id()), listing.pack()?))
    };
    let packs: HashMap<(&str, &str), Pack> = catalog.country_rows(Country::Us).filter_map(pack).collect();
    let (mut both, mut agree) = (0_u32, 0_u32);
    let mut header = Vec::new();
    ingest::table(&day, |_, values| {
        if header.is_empty() {
            header = values;
            return Ok(());
        }
        let value = |name: &str| {
            values[header.iter().position(|known| known.trim_start_matches('\u{feff}') == name).unwrap()]
                .as_str()
        };
        let retailer = CHAINS.iter().find(|(name, _)| *name == value("רשת")).map_or("", |(_, key)| key);
        let pack = packs.get(&(retailer, value("ברקוד")));
        let stated = stated(value("כמות"), value("יחידת כמות"));
        let (Some(pack), Some((dimension, total))) = (pack, stated) else { return Ok(()) };
        both += 1;
        let is_near = (pack.total() - total).abs() <= 0.02 * total;
        agree += u32::from(dimension_of(pack) == dimension && is_near);
        Ok(())
    })
    .unwrap();
    eprintln!("{agree} of {both} agree");
    assert!(both > 10_000 && agree * 100 >= both * 90, "{agree} of {both}");
}
