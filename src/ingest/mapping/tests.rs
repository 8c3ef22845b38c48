//! What a mapping may say, what is laid over what, and how it is refused.

use std::path::PathBuf;

use super::InputTable::{Listings, Observations};
use super::*;

/// A mapping file of this text; the folder goes with it.
fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

pub(super) fn mapping(text: &str) -> InputMapping {
    let (_folder, path) = file(text);
    InputMapping::read(&path).expect(text)
}

/// What is wrong with a mapping, without the path of its file.
fn faults(text: &str) -> Vec<String> {
    let (folder, path) = file(text);
    let error = format!("{:#}", InputMapping::read(&path).expect_err(text));
    let file = format!("{}/map.toml: ", folder.path().display());
    error.lines().map(|line| line.strip_prefix(&file).expect(line).to_owned()).collect()
}

fn columns(settings: &InputSettings, table: InputTable) -> String {
    let columns: Vec<String> =
        settings.columns(table).map(|(ours, theirs)| format!("{ours}={theirs}")).collect();
    columns.join(" ")
}

#[test]
fn all_keys_are_read() {
    let settings = mapping(
        "separator = \"\\t\"\nencoding = \"windows-1252\"\ndecimal = \"comma\"\ndates = \"DMY\"\n\
         [columns]\nplatform = \"Retailer\"\nprice = \"Prix\"\n[listings.columns]\nplatform = \"Shop\"\n\
         [observations.columns]\ndate = \"Day\"\n\
         [constants]\ncountry = \"Canada\"\ncondition = \" new \"\nin_stock = true\nrating = 4\n\
         [retailers]\n\"Bestbuy.com\" = \"best-buy\"\n",
    )
    .settings("x/listings.csv");
    assert_eq!((settings.separator, settings.encoding), (Some(b'\t'), Some(Encoding::Windows1252)));
    assert_eq!(
        (settings.decimal, settings.dates.clone()),
        (Some(NumberNotation::Comma), Some(DateNotation::Dmy))
    );
    assert_eq!(columns(&settings, Listings), "platform=Shop");
    assert_eq!(columns(&settings, Observations), "date=Day platform=Retailer price=Prix");
    assert_eq!(settings.column(Observations, "date"), Some("Day"));
    assert_eq!(settings.column(Listings, "date"), None);
    let constants: Vec<_> = settings.constants.iter().map(|(ours, text)| (*ours, text.as_str())).collect();
    assert_eq!(constants, [("condition", "new"), ("country", "ca"), ("in_stock", "true"), ("rating", "4")]);
    assert_eq!(settings.retailers.key("BESTBUY.COM").as_deref(), Some("best-buy"));
}

#[test]
fn a_source_says_how_quotes_are_escaped() {
    let mapping = mapping(
        "quote_escape = \"backslash\"\n[[source]]\nfiles = \"x\"\nquote_escape = \"double\"\n[[source]]\nfiles = \"y\"\n",
    );
    let escape = |path| mapping.settings(path).quote_escape;
    assert_eq!(
        ["x", "y", "z"].map(escape),
        [QuoteEscape::Double, QuoteEscape::Backslash, QuoteEscape::Backslash].map(Some)
    );
}

#[test]
fn accepts_an_empty_mapping() {
    assert_eq!(*mapping("").settings("x"), InputSettings::default());
    assert_eq!(*InputMapping::default().settings("x"), InputSettings::default());
    assert_eq!(
        *mapping("\u{feff}decimal = \"point\"").settings("x"),
        InputSettings { decimal: Some(NumberNotation::Point), ..InputSettings::default() }
    );
    for (text, notation) in [
        ("YMD", DateNotation::Ymd),
        ("unix_ms", DateNotation::UnixMillis),
        ("contract", DateNotation::Contract),
    ] {
        assert_eq!(mapping(&format!("dates = \"{text}\"")).settings("x").dates, Some(notation));
    }
    assert!(matches!(mapping("dates = \"%d.%m.%y\"").settings("x").dates, Some(DateNotation::Pattern(_))));
}

#[test]
fn a_source_lies_over_the_top_level() {
    let mapping = mapping(
        "decimal = \"comma\"\nseparator = \";\"\n\
         [columns]\nplatform = \"Retailer\"\nbrand = \"Marque\"\n[observations.columns]\nplatform = \"Chain\"\n\
         [constants]\ncountry = \"ca\"\ncondition = \"new\"\n[retailers]\n\"A\" = \"a1\"\n\"B\" = \"b1\"\n\
         [[source]]\nfiles = \"acme/*.csv\"\ndecimal = \"point\"\n[source.columns]\nplatform = \"Shop\"\ncountry = \"Land\"\n\
         [source.constants]\nbrand = \"Acme\"\n[source.retailers]\n\"A\" = \"a2\"\n\
         [[source]]\nfiles = \"acme/b*\"\ndecimal = \"contract\"\n",
    );
    let (acme, rest) = (mapping.settings("in/acme/b.csv"), mapping.settings("in/other/b.csv"));
    assert_eq!((acme.decimal, acme.separator), (Some(NumberNotation::Point), Some(b';')));
    assert_eq!((rest.decimal, rest.separator), (Some(NumberNotation::Comma), Some(b';')));
    // Said of one table above or of both here: what is said here comes first.
    assert_eq!(columns(&acme, Listings), "country=Land platform=Shop");
    assert_eq!(columns(&acme, Observations), "country=Land platform=Shop");
    assert_eq!(columns(&rest, Observations), "platform=Chain");
    // A column here takes the place of a constant above, and the other way round.
    let constants = |settings: &InputSettings| format!("{:?}", settings.constants);
    assert_eq!(constants(&acme), "{\"brand\": \"Acme\", \"condition\": \"new\"}");
    assert_eq!(constants(&rest), "{\"condition\": \"new\", \"country\": \"ca\"}");
    let keys = |settings: &InputSettings| {
        ["A", "B"].map(|name| settings.retailers.key(name).map(std::borrow::Cow::into_owned).unwrap())
    };
    assert_eq!((keys(&acme), keys(&rest)), (["a2", "b1"].map(String::from), ["a1", "b1"].map(String::from)));
}

#[test]
fn files_are_matched_at_the_end_of_their_paths() {
    for (files, path, matches) in [
        ("acme/*.csv", "acme/a.csv", true),
        ("acme/*.csv", "/data/in/acme/a.csv", true),
        ("acme/*.csv", "s3://bucket/acme/a.csv", true),
        ("acme/*.csv", "acme/b/a.csv", false),
        ("acme/*.csv", "big-acme/a.csv", false),
        ("acme/*.csv", "acme/a.csv.gz", false),
        ("acme/**/*.csv", "x/acme/b/c/a.csv", true),
        ("*.{csv,tsv}", "x/a.tsv", true),
        ("./a?.csv", "x/a1.csv", true),
        ("[ab].csv", "c.csv", false),
        ("/acme/*", "/acme/a", true),
        ("/acme/*", "x/acme/a", false),
    ] {
        let mapping = mapping(&format!("[[source]]\nfiles = \"{files}\"\nseparator = \";\""));
        assert_eq!(mapping.settings(path).separator.is_some(), matches, "{files} {path}");
    }
}

#[test]
fn a_constant_platform_is_read_like_any_other() {
    let text = "[constants]\nplatform = \"Best Buy\"\n[[source]]\nfiles = \"*.tsv\"\n[source.retailers]\n\"best buy\" = \"bby\"\n";
    let platform = |path: &str| mapping(text).settings(path).constants.get("platform").cloned();
    assert_eq!(platform("a.csv").as_deref(), Some("best-buy"));
    assert_eq!(platform("a.tsv").as_deref(), Some("bby"));
    let reason = "constants.platform: \"!\" cannot be converted to a key";
    let below = faults("[[source]]\nfiles = \"*\"\n[source.constants]\nplatform = \"!\"");
    assert!(below.len() == 1 && below[0].starts_with(&format!("[[source]] 1: {reason}")), "{below:?}");
    // Once, though a source has it too.
    let above = faults("[constants]\nplatform = \"!\"\n[[source]]\nfiles = \"*\"");
    assert!(above.len() == 1 && above[0].starts_with(reason), "{above:?}");
}

/// Asserts that each text has one fault, which starts so.
fn assert_rejected(cases: &[(&str, &str)]) {
    for &(text, fault) in cases {
        let faults = faults(text);
        assert!(faults.len() == 1 && faults[0].starts_with(fault), "{text}: {faults:#?}");
    }
}

#[test]
fn rejects_invalid_settings_with_the_valid_choices() {
    assert_rejected(&[
        ("seperator = \";\"", "seperator: is not a key; did you mean separator?"),
        (
            "color = 1",
            "color: is not a key; the keys are separator, quote_escape, encoding, decimal, dates, sheets, columns, listings, observations, constants, retailers, values, source",
        ),
        ("files = \"x\"", "files: is not a key; the keys are "),
        ("separator = \";;\"", "separator: \";;\": write one character, as in"),
        ("separator = \"a\"", "separator: \"a\": write one"),
        ("separator = \"\"", "separator: \"\": write one"),
        ("quote_escape = \"\\\\\"", "quote_escape: \"\\\\\": write \"double\" or \"backslash\""),
        ("quote_escape = true", "quote_escape: is not a text: write a text in quotes"),
        ("separator = 1", "separator: is not a text: write a text in quotes"),
        ("encoding = \"latin1\"", "encoding: \"latin1\": write \"utf-8\", \"utf-16\" or \"windows-1252\""),
        ("decimal = \"komma\"", "decimal: \"komma\" is not a notation of numbers"),
        ("dates = \"DYM\"", "dates: \"DYM\" is not a notation of dates"),
        ("a = ", "line 1 is not valid TOML: "),
    ]);
}

#[test]
fn rejects_invalid_columns_constants_and_sources() {
    assert_rejected(&[
        ("columns = 3", "columns: is not a table: write a table"),
        (
            "[columns]\nRetailer = \"x\"",
            "columns.Retailer: is not a column of pricebook; did you mean platform?",
        ),
        (
            "[columns]\n\"Product Title\" = \"x\"",
            "columns.\"Product Title\": is not a column of pricebook; did you mean product_name?",
        ),
        (
            "[columns]\nRetailer = \"platform\"",
            "columns.Retailer: the column name of pricebook must be on the left: platform = \"Retailer\"",
        ),
        (
            "[columns]\ncolor = \"x\"",
            "columns.color: is not a column of pricebook; the columns are country, platform, product_id, product_name, ",
        ),
        ("[columns]\nprice = \" \"", "columns.price: is empty; leave it out"),
        (
            "[listings.columns]\nprice = \"x\"",
            "listings.columns.price: is a column of observations: write it below columns or observations.columns",
        ),
        (
            "[observations.columns]\nTitle = \"x\"",
            "observations.columns.Title: is not a column of pricebook; the columns are country, platform, product_id, date, ",
        ),
        ("[listings]\nconstants = 1", "listings.constants: is not a key; the key is columns"),
        ("[constants]\ncountry = \"mx\"", "constants.country: \"mx\": write \"us\" or \"ca\""),
        ("[constants]\nprise = \"x\"", "constants.prise: is not a column of pricebook; did you mean price?"),
        ("[constants]\nprice = [1]", "constants.price: is not a text: write a text in quotes"),
        (
            "[constants]\nbrand = \"x\"\n[columns]\nbrand = \"y\"",
            "constants.brand: is a constant and a column: keep one of them",
        ),
        (
            "[constants]\nbrand = \"x\"\n[listings.columns]\nbrand = \"y\"",
            "constants.brand: is a constant and a column",
        ),
        (
            "[retailers]\nx = \"Best Buy\"",
            "retailers.x: \"Best Buy\" is not a key: write lower-case letters, digits, - and _, as in \"best-buy\"",
        ),
        ("[retailers]\n\" \" = \"x\"", "retailers: a retailer does not have a name"),
        (
            "[source]\ndecimal = \"point\"",
            "[[source]] 1: files: is missing: write a pattern of paths, as in \"acme/*.csv\"",
        ),
        ("source = [1]", "[[source]] 1: is not a table: write a table"),
        ("[[source]]\nfiles = \"a[\"", "[[source]] 1: files: "),
        (
            "[[source]]\nfiles = \"a\"\n[[source]]\nfiles = \"b\"\nsource = 1",
            "[[source]] 2: source: is not a key; the keys are ",
        ),
        (
            "[[source]]\nfiles = \"a\"\n[source.columns]\nstore = \"b\"",
            "[[source]] 1: columns.store: is not a column of pricebook; did you mean platform?",
        ),
    ]);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let faults = faults("color = 1\ndecimal = 5\n[constants]\ncountry = \"fr\"\n[[source]]\nfiles = 3\n");
    let keys: Vec<_> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
    assert_eq!(keys, ["color", "decimal", "constants.country", "[[source]] 1"], "{faults:#?}");
}

#[test]
fn a_configuration_has_it_below_input() {
    let (_folder, path) = file(
        "rate = 5\nlisten = \"nonsense\"\n[input]\nseparator = \"|\"\n[[input.source]]\nfiles = \"x\"\nseparator = \";\"",
    );
    let mapping = InputMapping::of_config(&path).unwrap();
    assert_eq!((mapping.settings("y").separator, mapping.settings("x").separator), (Some(b'|'), Some(b';')));
    let (_folder, path) = file("rate = 5");
    assert_eq!(*InputMapping::of_config(&path).unwrap().settings("x"), InputSettings::default());
    for (text, fault) in [
        ("[input]\nsecret = 1", "map.toml: input.secret: is not a key"),
        ("[[input.source]]\nfiles = \"x\"\nrate = 1", "map.toml: [[input.source]] 1: rate: is not a key"),
        ("input = 1", "map.toml: input is not a table: write it as [input]"),
    ] {
        let (_folder, path) = file(text);
        let error = InputMapping::of_config(&path).unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
    }
    let (_folder, path) = file("rate = 5\nsecret = hunter2");
    let error = format!("{:#}", InputMapping::of_config(&path).unwrap_err());
    assert!(error.contains("line 2 is not valid TOML") && !error.contains("hunter2"), "{error}");
    let error = format!("{:#}", InputMapping::read(std::path::Path::new("no/map.toml")).unwrap_err());
    assert!(error.starts_with("no/map.toml cannot be read: "), "{error}");
}

#[test]
fn the_example_is_a_mapping_once_its_marks_are_gone() {
    let example = include_str!("../../../pricebook.example.toml");
    let lines = example.lines().skip_while(|line| *line != "# [input]");
    let lines: Vec<&str> = lines.map(|line| line.trim_start_matches("# ")).collect();
    let (_folder, path) = file(&lines.join("\n"));
    let settings = InputMapping::of_config(&path).unwrap().settings("acme/x.csv");
    assert_eq!((settings.decimal, settings.separator), (Some(NumberNotation::Point), Some(b';')));
    assert_eq!(settings.column(Listings, "platform"), Some("Retailer"));
}
