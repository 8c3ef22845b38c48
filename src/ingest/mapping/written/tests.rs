//! What a proposed mapping says, and that it can be read.

use proptest::prelude::*;

use super::*;
use crate::ingest::mapping::tests::mapping;
use crate::ingest::mapping::{InputMapping, InputSettings};
use crate::snapshot::tables::Input;

/// A file with these columns, parted by `|`.
fn file(path: &str, table: Option<InputTable>, header: &str) -> FileProposal {
    let names: Vec<String> = header.split('|').map(str::to_owned).collect();
    let all =
        FileProposal { path: path.to_owned(), table, proposal: Proposal::default(), notations: Vec::new() };
    let tables = InputTable::ALL.into_iter().filter(|own| table.is_none_or(|table| table == *own));
    let columns = tables.flat_map(InputTable::columns).copied();
    let lacking: Vec<Input> =
        columns.filter(|column| !names.iter().any(|name| name == column.name)).collect();
    let strange: Vec<String> =
        names.into_iter().filter(|name| !lacking.is_empty() && !all.holds(name)).collect();
    FileProposal { proposal: Proposal::new(&strange, &lacking), ..all }
}

fn ambiguous(settings: &str, value: &str, readings: [&str; 2]) -> Ambiguity {
    let readings = readings.map(str::to_owned);
    Ambiguity { line: 2, value: value.to_owned(), readings, settings: settings.to_owned() }
}

const LISTINGS: Option<InputTable> = Some(InputTable::Listings);
const OBSERVATIONS: Option<InputTable> = Some(InputTable::Observations);

/// Everything a mapping says of a file's columns, by table.
fn said(settings: &InputSettings, table: InputTable) -> BTreeMap<String, String> {
    settings.columns(table).map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned())).collect()
}

/// Whether each file gets what it needs, and nothing else.
fn holds(mapping: &InputMapping, files: &[FileProposal]) {
    for file in files {
        let settings = mapping.settings(&file.path);
        for table in InputTable::ALL.into_iter().filter(|table| file.table.is_none_or(|own| own == *table)) {
            let own =
                |column: &&ProposedColumn| table.columns().iter().any(|input| input.name == column.ours);
            let needs = file.proposal.columns.iter().filter(own);
            let needs: BTreeMap<_, _> =
                needs.map(|column| (column.ours.to_owned(), column.theirs.clone())).collect();
            assert_eq!(said(&settings, table), needs, "{}", file.path);
        }
    }
}

#[test]
fn one_file_has_columns_and_what_is_to_be_decided() {
    let mut shop = file("shop.csv", None, "Retailer|SKU|Title|Name|Prix|Day|color");
    shop.notations.push(ambiguous("dates = \"DMY\" or \"MDY\"", "01/02/2026", ["1 February", "2 January"]));
    let files = [shop];
    let text = Proposal::toml(&files);
    let expected = [
        HEAD.trim_end(),
        "# dates = \"DMY\"    # 01/02/2026 (line 2) is 1 February",
        "# dates = \"MDY\"    # ... or 2 January: remove one '#'",
        "",
        "[columns]",
        "platform = \"Retailer\"",
        "product_id = \"SKU\"",
        "product_name = \"Title\"    # or \"Name\"",
        "date = \"Day\"",
        "price = \"Prix\"",
        "",
        "[constants]",
        "# country = \"us\"    # required; no column contains the value",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    holds(&mapping(&text), &files);
    // Without the marks it is a mapping too.
    let decided = text.replace("# country", "country").replace("# dates = \"DMY\"", "dates = \"DMY\"");
    let settings = mapping(&decided).settings("shop.csv");
    assert_eq!(settings.constants.get("country").map(String::as_str), Some("us"));
    assert_eq!(settings.dates, Some(crate::ingest::parsers::DateNotation::Dmy));
}

#[test]
fn tables_that_differ_have_columns_of_their_own() {
    let files = [
        file("a/listings.csv", LISTINGS, "country|Retailer|SKU|Title"),
        file("b/listings.csv", LISTINGS, "country|Retailer|SKU|Title"),
        file("a/observations.csv", OBSERVATIONS, "country|platform|SKU|date|Cost"),
    ];
    let text = Proposal::toml(&files);
    let expected = [
        "[columns]",
        "product_id = \"SKU\"",
        "product_name = \"Title\"",
        "price = \"Cost\"",
        "",
        "[listings.columns]",
        "platform = \"Retailer\"",
    ];
    assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), expected, "{text}");
    holds(&mapping(&text), &files);
}

#[test]
fn a_form_of_one_table_is_not_said_of_the_other() {
    let mut files = [
        file("listings.csv", LISTINGS, "country|platform|SKU|product_name"),
        file("observations.csv", OBSERVATIONS, "country|platform|SKU|date|price"),
    ];
    files[1].notations.push(ambiguous(
        "dates = \"DMY\" or \"MDY\"",
        "01/02/2026",
        ["1 February", "2 January"],
    ));
    let text = Proposal::toml(&files);
    holds(&mapping(&text), &files);
    let decided = mapping(&text.replace("# dates = \"MDY\"", "dates = \"MDY\""));
    let dates = files.map(|file| decided.settings(&file.path).dates.clone());
    assert_eq!(dates, [None, Some(crate::ingest::parsers::DateNotation::Mdy)]);
}

#[test]
fn files_that_differ_are_sources() {
    let mut files = [
        file("in/acme/listings-1.csv", LISTINGS, "platform|SKU|Title"),
        file("in/acme/listings-2.csv", LISTINGS, "platform|SKU|Title"),
        file("in/best, [buy]/listings.csv", LISTINGS, "platform|UPC|Name|condition"),
        file("listings.csv", LISTINGS, "platform|Item|product_name"),
        file("in/listings.csv", LISTINGS, "platform|product_id|product_name"),
    ];
    files[2].notations.push(ambiguous("decimal = \"point\" or \"comma\"", "1,299", ["1299", "1.299"]));
    let text = Proposal::toml(&files);
    let settings = mapping(&text);
    holds(&settings, &files);
    for part in [
        "[constants]\n# country = \"us\"    # required; no column contains the value\n",
        "[[source]]\nfiles = \"in/acme/*.csv\"\n\n[source.columns]\nproduct_id = \"SKU\"\nproduct_name = \"Title\"\n",
        "[[source]]\nfiles = \"in/best[,] [[]buy[]]/listings.csv\"\n# decimal = \"point\"    # 1,299 (line 2) is 1299\n",
        "[[source]]\nfiles = \"in/listings.csv\"\n\n[[source]]\nfiles = \"listings.csv\"\n",
        "product_id = \"UPC\"    # the column may also be gtin\n",
    ] {
        assert!(text.contains(part), "{part}\n\n{text}");
    }
    assert_eq!(text.matches("country").count(), 1);
}

#[test]
fn limits_missing_columns_to_the_files_that_lack_them() {
    let files = [
        file("a/listings.csv", LISTINGS, "country|platform|product_id|title"),
        file("b/listings.csv", LISTINGS, "platform|product_id|title"),
        file("c/listings.csv", LISTINGS, "country|platform|color|title"),
    ];
    let text = Proposal::toml(&files);
    holds(&mapping(&text), &files);
    assert!(text.contains("files = \"b/listings.csv\"\n\n[source.columns]\nproduct_name = \"title\"\n\n[source.constants]\n# country = \"us\""), "{text}");
    assert!(
        text.contains(
            "# product_id = \"...\"    # required; no column has a similar name: write the name of the column"
        ),
        "{text}"
    );
    let decided = mapping(&text.replace("# country", "country"));
    let countries = files.map(|file| decided.settings(&file.path).constants.contains_key("country"));
    assert_eq!(countries, [false, true, false]);
    // A column that may be one of two is shown where the other is missing.
    let text = Proposal::toml(&[file("x.csv", LISTINGS, "country|platform|Item")]);
    assert!(
        text.contains("# product_id = \"Item\"    # required; remove the first '#' if this is the column\n"),
        "{text}"
    );
}

#[test]
fn writes_only_the_head_when_nothing_is_missing() {
    assert_eq!(Proposal::toml(&[]), HEAD);
    let whole = file("x.csv", LISTINGS, "country|platform|product_id|product_name");
    assert_eq!(Proposal::toml(&[whole]), HEAD);
}

#[test]
fn patterns_match_their_files_and_no_others() {
    for (members, others, expected) in [
        (vec!["a/x.csv"], vec![], "a/x.csv"),
        (vec!["a/x.csv", "a/y.csv"], vec!["b/x.csv"], "a/*.csv"),
        (vec!["a/x.csv", "a/y.csv"], vec!["a/z.csv"], "{a/x.csv,a/y.csv}"),
        (vec!["in/dt=1/p.csv.gz", "in/dt=2/p.csv.gz"], vec!["in/x.csv"], "in/**/*.csv.gz"),
        (vec!["a/x.csv", "b/y.tsv"], vec![], "{a/x.csv,b/y.tsv}"),
        (vec!["x", "y"], vec![], "{x,y}"),
        (vec!["a/é.csv", "a/è.csv"], vec![], "a/*.csv"),
    ] {
        assert_eq!(pattern(&members, &others), expected);
    }
}

proptest! {
    #[test]
    fn reads_back_every_written_mapping(
        headers in prop::collection::vec(
            prop::collection::vec("(Retailer|SKU|Title|Item|UPC|Prix|Day|\\PC{0,8}|[\\x00-\\x7f]{0,6})", 0..8), 1..5),
        tables in prop::collection::vec(0_usize..3, 5),
        dir in "[a-c\\[\\]{},*?!é \\\\]{0,4}",
    ) {
        let tables: Vec<_> = tables.into_iter().map(|table| [None, LISTINGS, OBSERVATIONS][table]).collect();
        let files: Vec<FileProposal> = headers.iter().enumerate().map(|(at, names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut file = file(&format!("in/{dir}{}/{}.csv", at % 2, at / 2), tables[at], &names.join("|"));
            file.notations.push(ambiguous("dates = \"DMY\" or \"MDY\"", names.first().unwrap_or(&""), ["a\n", "\u{1}b"]));
            file
        }).collect();
        holds(&mapping(&Proposal::toml(&files)), &files);
    }
}
