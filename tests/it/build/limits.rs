//! Parts of an input that are far larger than anything real: rows are rejected with their own reason, files end the
//! build with a sentence, and nothing takes its time with them.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::cleaned::clean;
use pricebook::index::normalized::Canonical;
use pricebook::ingest::limits::{
    BRAND_BYTES_MAX, CATEGORY_DEPTH_MAX, CATEGORY_PATH_BYTES_MAX, COLUMNS_MAX, HEADER_BYTES_MAX,
    JSON_DEPTH_MAX, NAME_BYTES_MAX, PRODUCT_ID_BYTES_MAX, QUOTED_BYTES_MAX, RELEASE_BYTES_MAX, URL_BYTES_MAX,
};
use pricebook::ingest::{Arguments, InputReport, RejectWriter};

const LISTINGS: &str = "country,platform,product_id,product_name,brand,category_path,url\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price\n";

/// Tables and line and reason of each rejected row, or the error.
fn cleaned(files: &[(&str, &str)]) -> Result<(Canonical, Vec<(u64, String)>), String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let arguments = Arguments::folders([folder.path()]);
    let (mut rejects, mut report) = (RejectWriter::discard(), InputReport::default());
    let tables = clean(&arguments, &mut rejects, &mut report);
    rejects.report(&mut report);
    let tables = tables.map_err(|fault| format!("{fault:#}"))?;
    let rejected = report.rejected.iter();
    let mut rows: Vec<(u64, String)> = rejected
        .flat_map(|(reason, tally)| tally.examples.iter().map(|at| (at.line, reason.clone())))
        .collect();
    rows.sort();
    Ok((tables, rows))
}

/// A listing with these values, as a row.
fn listing(id: &str, name: &str, brand: &str, path: &str, url: &str) -> String {
    format!("us,shop,{id},{name},{brand},{path},{url}\n")
}

#[test]
fn rows_are_rejected_beyond_a_limit_and_taken_at_it() {
    let long = |bytes: usize| "é".repeat(bytes / 2) + &"x".repeat(bytes % 2);
    let deep = |depth: usize| vec!["a"; depth].join(">");
    let mut listings = LISTINGS.to_owned();
    for more in [0, 1] {
        let id = |kind: &str| format!("{kind}{more}");
        listings += &listing(&long(PRODUCT_ID_BYTES_MAX + more), "Thing", "", "", "");
        listings += &listing(&id("name"), &long(NAME_BYTES_MAX + more), "", "", "");
        listings += &listing(&id("brand"), "Thing", &long(BRAND_BYTES_MAX + more), "", "");
        listings += &listing(&id("url"), "Thing", "", "", &long(URL_BYTES_MAX + more));
        listings += &listing(&id("path"), "Thing", "", &long(CATEGORY_PATH_BYTES_MAX + more), "");
        listings += &listing(&id("depth"), "Thing", "", &deep(CATEGORY_DEPTH_MAX + more), "");
    }
    // What says nothing is no depth.
    listings += &listing("blank", "Thing", "", &format!("{} a", ">".repeat(CATEGORY_DEPTH_MAX * 2)), "");
    let far = long(PRODUCT_ID_BYTES_MAX + 1);
    let observations = format!("{OBSERVATIONS}us,shop,name0,2026-10-30,1\nus,shop,{far},2026-10-30,1\n");
    let (tables, rejected) =
        cleaned(&[("listings.csv", &listings), ("observations.csv", &observations)]).unwrap();
    let expected = [
        (3, "product_id_too_long"),
        (8, "product_id_too_long"),
        (9, "name_too_long"),
        (10, "brand_too_long"),
        (11, "url_too_long"),
        (12, "category_path_too_long"),
        (13, "category_too_deep"),
    ];
    assert_eq!(rejected, expected.map(|(line, reason)| (line, reason.to_owned())));
    assert_eq!(tables.listings.country.len(), 7);
}

#[test]
fn a_line_of_a_million_brackets_is_a_rejected_row() {
    let row = |extra: &str| {
        format!(
            "{{\"country\":\"us\",\"platform\":\"shop\",\"product_id\":\"1\",\"product_name\":\"T\",\"x\":{extra}}}\n"
        )
    };
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    // The row itself is one.
    let listings = [nested(JSON_DEPTH_MAX - 1), nested(JSON_DEPTH_MAX), nested(1 << 20), "[".repeat(1 << 20)];
    let listings: String = listings.iter().map(|extra| row(extra)).collect();
    let observations = format!("{OBSERVATIONS}us,shop,1,2026-10-30,1\n");
    let (tables, rejected) =
        cleaned(&[("listings.ndjson", &listings), ("observations.csv", &observations)]).unwrap();
    assert_eq!(tables.listings.country.len(), 1);
    assert_eq!(rejected, [2, 3, 4].map(|line| (line, "nested_too_deep".to_owned())));
}

#[test]
fn files_beyond_a_limit_end_the_build_with_a_sentence() {
    let good = [
        ("listings.csv", format!("{LISTINGS}us,shop,1,Thing,,,\n")),
        ("observations.csv", format!("{OBSERVATIONS}us,shop,1,2026-10-30,1\n")),
    ];
    let wide = |columns: usize| {
        let header = LISTINGS.trim_end().to_owned() + &",x".repeat(columns - 7);
        format!("{header}\nus,shop,1,Thing,,,\n")
    };
    let release = |bytes: usize| {
        let date = "x".repeat(bytes);
        format!(
            r#"{{"DateUtc":"{date}","Schema":[{{"Level":1,"Code":50000000,"Title":"Food","Childs":[]}}]}}"#
        )
    };
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (name, text, sentence) in [
        ("listings.csv", wide(COLUMNS_MAX), None),
        (
            "listings.csv",
            wide(COLUMNS_MAX + 1),
            Some("the header has 1025 columns, and at most 1024 are supported"),
        ),
        (
            "listings.csv",
            "x".repeat(2 * HEADER_BYTES_MAX + 1),
            Some("the header is longer than 1048576 bytes"),
        ),
        ("gpc.json", release(RELEASE_BYTES_MAX), None),
        ("gpc.json", release(RELEASE_BYTES_MAX + 1), Some("DateUtc has 101 bytes; the maximum is 100")),
        ("gpc.json", deep(1 << 20), Some("nested more than 64 levels deep")),
        (
            "listings.csv",
            format!("{LISTINGS}us,shop,1,Thing,,,\nus,shop,2,\"{}", "x\n".repeat(QUOTED_BYTES_MAX)),
            Some("line 3: a quote opens a value and does not close within 1048576 bytes: close it"),
        ),
        (
            "observations.csv",
            format!("{OBSERVATIONS}us,shop,1,2026-10-30,1\n{}\n", ",".repeat(64 << 20)),
            Some("line 3 is longer than 67108864 bytes"),
        ),
    ] {
        let mut files: Vec<(&str, &str)> = good.iter().map(|(name, text)| (*name, text.as_str())).collect();
        files.retain(|(other, _)| *other != name);
        files.push((name, &text));
        match (cleaned(&files), sentence) {
            (Ok(_), None) => {}
            (Err(fault), Some(sentence)) => {
                assert!(fault.contains(sentence) && fault.contains(name), "{fault}");
            }
            (result, sentence) => panic!("{name}, {sentence:?}: {:?}", result.err()),
        }
    }
}

/// A text file of so many bytes that compresses a thousandfold, written a piece at a time.
fn bomb(begin: &str, again: &str, bytes: usize) -> Vec<u8> {
    let piece = again.repeat((1 << 20) / again.len());
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(begin.as_bytes()).unwrap();
    (0..bytes / piece.len()).for_each(|_| out.write_all(piece.as_bytes()).unwrap());
    out.finish().unwrap()
}

/// Files of a few hundred kilobytes that unpack to a hundred megabytes are read up to the limit and no further: the error
/// names the limit, although the files are cut short at their end.
#[test]
fn small_files_that_unpack_to_large_ones_end_at_the_limit() {
    let good = [
        ("listings.csv", format!("{LISTINGS}us,shop,1,Thing,,,\n").into_bytes()),
        ("observations.csv", format!("{OBSERVATIONS}us,shop,1,2026-10-30,1\n").into_bytes()),
    ];
    let listing = format!("{LISTINGS}us,shop,2,\"");
    for (name, begin, again, sentence) in [
        ("gpc.json.gz", "{\"Schema\":[", "{},", "more than 1000000 segments"),
        ("gpc.json.gz", "{\"Schema\":[{\"Title\":\"", "x", "a text or number has more than 1048576 bytes"),
        ("listings.csv.gz", listing.as_str(), "x\n", "line 2: a quote opens a value and does not close"),
        (
            "listings.csv.gz",
            &listing,
            "us,shop,3,Thing,,,\n",
            "line 2: a quote opens a value and does not close",
        ),
        ("listings.csv.gz", &listing, "x", "line 2: a quote opens a value and does not close"),
        ("aliases.csv.gz", "a,\"b", "\n", "line 1: a quote opens a value and does not close"),
        ("category_gpc.csv.gz", "", ",", "line 1 is longer than 67108864 bytes"),
    ] {
        let mut bytes = bomb(begin, again, 100 << 20);
        // A file that is read to its end is damaged.
        bytes.truncate(bytes.len() - 16);
        let folder = tempfile::tempdir().unwrap();
        for (other, bytes) in good.iter().filter(|(other, _)| !name.starts_with(other)) {
            fs::write(folder.path().join(other), bytes).unwrap();
        }
        fs::write(folder.path().join(name), bytes).unwrap();
        let (mut rejects, mut report) = (RejectWriter::discard(), InputReport::default());
        let fault = clean(&Arguments::folders([folder.path()]), &mut rejects, &mut report).err().unwrap();
        let fault = format!("{fault:#}");
        assert!(fault.contains(name) && fault.contains(sentence), "{name}: {fault}");
    }
}
