//! Quotes in other ways than the contract's: behind a backslash, or with blanks before them. A file of such a dialect
//! is read by it, and every other file as before.

use std::path::PathBuf;

use pricebook::ingest::explain::explain;
use pricebook::ingest::mapping::{InputMapping, InputTable};
use pricebook::ingest::{Arguments, Preview, Spool, find, preview_file};

use super::input_traps::{Cleaned, clean_files, clean_mapped, folder, reasons};
use crate::support::written::gzipped;

const HEADER: &str = "country,platform,product_id,product_name,date,price";

/// A file of both tables with these rows.
fn offers(rows: &[&str]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

fn read(text: &str) -> Cleaned {
    clean_files(&[("offers.csv", text.as_bytes())])
}

fn names(cleaned: &Cleaned) -> Vec<&str> {
    cleaned.tables.listings.name.iter().collect()
}

/// Checks the names of all rows, each of which has the price 9.99, and that no row is rejected.
fn reads(text: &str, expected: &[&str]) {
    let cleaned = read(text);
    assert_eq!(names(&cleaned), expected, "{text}\n{}", cleaned.rejected);
    assert_eq!(cleaned.tables.observations.columns.price, vec![999; expected.len()], "{text}");
    assert_eq!((cleaned.rejected.as_str(), cleaned.report.open_quotes.count), ("", 0), "{text}");
}

/// The names that are read with a mapping, and the rejected rows.
fn mapped(text: &str, mapping: &str) -> (Vec<String>, u64) {
    let cleaned = clean_mapped(mapping, &[("offers.csv", text.as_bytes())]).unwrap();
    (names(&cleaned).into_iter().map(str::to_owned).collect(), cleaned.report.rejected_rows)
}

fn preview(text: &str) -> Preview {
    let folder = folder(&[("offers.csv", text.as_bytes())]);
    let found = find(&Arguments::folders([folder.path()]), &Spool::new(folder.path())).unwrap();
    preview_file(&found.listings[0], InputTable::Listings).unwrap()
}

const ESCAPED: [&str; 2] =
    [r#"us,acme,1,"27\" monitor, black",2026-10-30,9.99"#, r#"us,acme,2,"Cable, 2 m",2026-10-30,9.99"#];
const ESCAPED_NAMES: [&str; 2] = ["27\" monitor, black", "Cable, 2 m"];

#[test]
fn quotes_behind_backslashes_are_found_and_read() {
    let text = offers(&ESCAPED);
    reads(&text, &ESCAPED_NAMES);
    reads(&text.replace('\n', "\r\n"), &ESCAPED_NAMES);
    reads(&format!("sep=;\n{}", text.replace(',', ";").replace("; ", ", ")), &ESCAPED_NAMES);
    let rows = [
        r#"us,acme,1,"TV 27\"",2026-10-30,9.99"#,
        r#"us,acme,2,"Path C:\\ of \new",2026-10-30,9.99"#,
        r#"us,acme,3,"Backslash \\",2026-10-30,9.99"#,
        r#"us,acme,4,"Doubled ""so""",2026-10-30,9.99"#,
        r#"us,acme,5,Plain \" one,2026-10-30,9.99"#,
    ];
    reads(
        &offers(&rows),
        &["TV 27\"", "Path C:\\ of \\new", "Backslash \\", "Doubled \"so\"", "Plain \\\" one"],
    );
}

#[test]
fn the_dialect_is_told() {
    let quoting = |text: &str| preview(text).form.quoting;
    assert_eq!(quoting(&offers(&ESCAPED)).as_deref(), Some("backslash before quotes"));
    assert_eq!(
        quoting(&offers(&["us, acme, 1, \"Tea, red\", 2026-10-30, 9.99"])).as_deref(),
        Some("blanks before quotes")
    );
    assert_eq!(quoting(&offers(&["us,acme,1,\"Tea, red\",2026-10-30,9.99"])), None);
    let folder = folder(&[("offers.csv", offers(&ESCAPED).as_bytes())]);
    let told = explain(&Arguments::folders([folder.path()]), folder.path()).unwrap().to_string();
    assert!(told.contains("27\" monitor, black | Cable, 2 m"), "{told}");
    assert!(!told.contains("unreadable") && !told.contains("NOT FOUND"), "{told}");
}

#[test]
fn compressed_files_and_other_encodings_have_dialects_too() {
    let text = offers(&[r#"us,acme,1,"27\" écran, noir",2026-10-30,9.99"#]);
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    for (name, bytes) in
        [("offers.csv.gz", gzipped(text.as_bytes())), ("offers.csv", wide), ("offers.csv", latin)]
    {
        let cleaned = clean_files(&[(name, &bytes)]);
        assert_eq!(names(&cleaned), ["27\" écran, noir"]);
        assert_eq!((cleaned.rejected.as_str(), cleaned.report.replaced_bytes.count), ("", 0));
    }
}

#[test]
fn lines_are_counted_as_they_stand_in_the_file() {
    let cleaned = read(&offers(&[
        ESCAPED[0],
        "us,acme,3,\"two \\\"\nlines\\\\\",2026-10-30,9.99",
        "",
        "us,acme,4,\"Jam\",2026-10-30,no price",
    ]));
    assert_eq!(names(&cleaned), ["27\" monitor, black", "two \"\nlines\\", "Jam"]);
    assert_eq!(reasons(&cleaned), [(6, "unparsable_price".to_owned())]);
}

#[test]
fn records_of_a_dialect_are_read_over_every_block() {
    // Blocks have 4 MiB, and the dialect is found in the first one.
    let (long, rows) = ("x, \\\"y\\\"\n".repeat(200), 5_000);
    let mut text = offers(&[]);
    for row in 0..rows {
        text += &format!("us,acme,{row:04},\"{row} {long}\",2026-10-30,9.99\n");
    }
    assert!(text.len() > 7 << 20);
    let cleaned = read(&text);
    assert_eq!((cleaned.rejected.as_str(), cleaned.tables.listings.name.len()), ("", rows));
    let tail = "x, \"y\"\n".repeat(200);
    for (row, name) in names(&cleaned).into_iter().enumerate() {
        assert!(name == format!("{row} {}", tail.trim_end()), "{row}");
    }
}

#[test]
fn blanks_before_quotes_are_dropped() {
    let rows =
        [r#"us, "acme", 1, "Tea, red", "2026-10-30", 9.99"#, r#""us" ,"acme", 2, Mug, 2026-10-30 , "9.99""#];
    reads(&offers(&rows), &["Tea, red", "Mug"]);
    let header = HEADER.split(',').map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    reads(&offers(&rows).replace(HEADER, &header), &["Tea, red", "Mug"]);
    reads(&offers(&[r#"us, acme, 1, "27\" TV, black", 2026-10-30, 9.99"#]), &["27\" TV, black"]);
}

#[test]
fn a_file_that_fits_the_contract_is_read_by_it() {
    // The path ends with a backslash.
    let paths = [r#"us,acme,1,"Drive C:\",2026-10-30,9.99"#, r#"us,acme,2,"Drive D:\",2026-10-30,9.99"#];
    reads(&offers(&paths), &["Drive C:\\", "Drive D:\\"]);
    let doubled =
        [r#"us,acme,1,"Drive \"", red",2026-10-30,9.99"#, r#"us,acme,2,"Say ""so"" \\",2026-10-30,9.99"#];
    reads(&offers(&doubled), &["Drive \\\", red", "Say \"so\" \\\\"]);
    reads(&offers(&[r#"us,acme,1, "Best" mug,2026-10-30,9.99"#]), &["\"Best\" mug"]);
}

#[test]
fn a_file_that_no_dialect_fits_is_read_by_the_contract_and_told() {
    let cleaned = read(&offers(&[ESCAPED[0], "us,acme,2,Cup", "us,acme,3,Mug,2026-10-30,9.99"]));
    assert_eq!(names(&cleaned), ["Mug"]);
    assert_eq!(reasons(&cleaned), [(2, "ragged_record".to_owned()), (3, "ragged_record".to_owned())]);
    let remedy = r#"(a quote after a backslash: set quote_escape = \"backslash\" in the mapping)"#;
    assert!(cleaned.rejected.contains(remedy), "{}", cleaned.rejected);
}

#[test]
fn a_mapping_decides_how_quotes_are_escaped() {
    let ragged = offers(&[ESCAPED[0], ESCAPED[1], "us,acme,3,Cup"]);
    let backslash = "quote_escape = \"backslash\"";
    let expected = ESCAPED_NAMES.map(str::to_owned).to_vec();
    assert_eq!(mapped(&ragged, backslash), (expected.clone(), 1));
    let source = format!("[[source]]\nfiles = \"offers.csv\"\n{backslash}");
    assert_eq!(mapped(&ragged, &source), (expected, 1));
    assert_eq!(mapped(&offers(&ESCAPED), "quote_escape = \"double\""), (vec!["Cable, 2 m".to_owned()], 1));
    let fault = InputMapping::of_text("quote_escape = \"none\"").unwrap_err().to_string();
    assert_eq!(fault, "mapping: quote_escape: \"none\": write \"double\" or \"backslash\"");
}

#[test]
fn the_case_of_the_world_is_read() {
    let case = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/world/backslash-quotes/in");
    let Ok(text) = std::fs::read_to_string(case.join("offers.csv")) else {
        eprintln!("SKIPPED: {} is absent", case.display());
        return;
    };
    let cleaned = read(&text);
    assert_eq!(names(&cleaned), ESCAPED_NAMES);
    assert_eq!(cleaned.tables.observations.columns.price, [19_999, 999]);
}
