//! What is lost is counted in the report and printed; a build that fails keeps its report, and says where.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::{LIST, PriceList, folder};

/// Columns of listings, one of which and two days are in each input here.
const LISTINGS: &str = "country,platform,product_id,product_name,brand,gtin,category_path\n";
const OBSERVATIONS: &str = "country,platform,product_id,date,price\n";

/// Runs the program over the folder IN.
fn pricebook(dir: &TempDir, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pricebook"));
    command.args(["build", "--input", "IN", "--out", "OUT", "--linking", "off"]).args(more);
    command.current_dir(dir.path()).env_remove("PRICEBOOK_LOG").output().unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// What a build that succeeds reports, and what it prints.
fn report(files: &[(&str, &[u8])]) -> (Value, String) {
    let dir = folder(files);
    let output = pricebook(&dir, &[]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let id = fs::read_to_string(dir.path().join("OUT/CURRENT")).unwrap();
    (json(&dir.path().join("OUT/reports").join(id.trim()).join("report.json")), printed)
}

/// Checks that something is counted, with an example, and printed in a line.
fn counted(found: &(Value, String), field: &str, count: u64, example: (&str, u64, &str), line: &str) {
    let (report, printed) = found;
    let tally = &report["input"][field];
    let tally =
        if tally["count"].is_null() { tally.as_object().unwrap().values().next().unwrap() } else { tally };
    assert_eq!(tally["count"], count, "{field}: {report}");
    let (file, at, value) = example;
    assert_eq!(tally["examples"][0]["file"], file, "{field}");
    assert_eq!(tally["examples"][0]["line"], at, "{field}");
    assert!(tally["examples"][0]["value"].as_str().unwrap().contains(value), "{field}: {tally}");
    let shown = printed.lines().find(|shown| shown.trim_start().starts_with(line));
    let shown = shown.unwrap_or_else(|| panic!("{line:?} is not printed: {printed}"));
    for part in [&count.to_string(), &format!("{file}:{at} "), value] {
        assert!(shown.contains(part), "{part:?} is not in {shown:?}");
    }
}

#[test]
fn every_kind_of_damage_is_counted_and_printed() {
    let listings = format!(
        "{LISTINGS}us,acme,A-1,Café,,3.6E+10,Kitchen\n\
         us,acme,A-2,Kettle &amp; lid,,,Kitchen > Kettles\n\
         us,Acme,A-3,Tin,,,Kitchen/Tins\n"
    );
    let mut listings = listings.into_bytes();
    listings.extend_from_slice(b"us,acme,A-4,Cr\xe8me,,,Kitchen | Food\n");
    let observations = format!("{OBSERVATIONS}us,acme,A-1,2026-10-31,3.99\n");
    let parted = "country,platform,product_id,date,price\nus,acme,A-2,2026-10-29,2\n";
    let found = report(&[
        ("listings.csv", &listings),
        ("observations/all.csv", observations.as_bytes()),
        ("observations/dt=2026-10-30/part.csv", parted.as_bytes()),
        ("notes.csv", b"a,b\n1,2\n"),
        ("listings.pdf", b"%PDF-1.7"),
    ]);
    counted(&found, "replaced_bytes", 1, ("IN/listings.csv", 5, "Cr\u{fffd}me"), "replaced bytes");
    counted(&found, "decoded_entities", 1, ("IN/listings.csv", 3, "Kettle &amp; lid"), "HTML entities");
    counted(&found, "unusable_barcodes", 1, ("IN/listings.csv", 2, "3.6E+10"), "unusable barcodes");
    counted(&found, "one_level_categories", 3, ("IN/listings.csv", 2, "Kitchen"), "one-level categories");
    counted(
        &found,
        "differ_from_path",
        1,
        ("IN/observations/dt=2026-10-30/part.csv", 2, "2026-10-29"),
        "unlike their folder",
    );
    let (report, printed) = found;
    assert_eq!(report["input"]["retailer_spellings"]["acme"], serde_json::json!(["Acme", "acme"]));
    assert!(printed.contains("retailer spellings") && printed.contains("acme: Acme, acme"), "{printed}");
    let warnings = report["input"]["warnings"].to_string();
    for name in ["IN/notes.csv", "IN/listings.pdf"] {
        assert!(warnings.contains(name), "{name}: {warnings}");
        assert!(printed.contains(&format!("{name}: not read")), "{name}: {printed}");
    }
}

#[test]
fn rejected_rows_and_ignored_values_are_printed() {
    let mut observations = String::from("country,platform,product_id,date,price,list_price\n");
    (1..=30).for_each(|day| observations += &format!("us,acme,A-1,2026-09-{day:02},4.99,\n"));
    observations += "us,acme,A-1,2026-10-01,4.99,soon\nus,acme,A-1,2026-10-02,N/A,\n";
    let listings = format!("{LISTINGS}us,acme,A-1,Kettle,,,\n");
    let found =
        report(&[("listings.csv", listings.as_bytes()), ("observations.csv", observations.as_bytes())]);
    counted(&found, "ignored_list_prices", 1, ("IN/observations.csv", 32, "soon"), "ignored list prices");
    counted(&found, "rejected", 1, ("IN/observations.csv", 33, "N/A"), "missing_price");
}

#[test]
fn a_failed_build_keeps_its_report_and_says_where() {
    let text = PriceList { prices: ["3.99", "N/A", "1299.00", "1199.00"], ..LIST }.text();
    let dir = folder(&[("prices.csv", text.as_bytes())]);
    let output = pricebook(&dir, &[]);
    assert_eq!(output.status.code(), Some(1));
    let failed = dir.path().join("OUT/reports/.failed");
    let report = json(&failed.join("report.json"));
    assert_eq!(report["input"]["rejected"]["missing_price"]["count"], 1, "{report}");
    assert!(report["error"].as_str().unwrap().contains("1 of 4 rows (25.00 %) were rejected"), "{report}");
    let rejected = fs::read_to_string(failed.join("rejected.ndjson")).unwrap();
    let row = r#"{"file":"IN/prices.csv","line":3,"reason":"missing_price","value":"N/A"}"#;
    assert_eq!(rejected.trim_end(), row);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("OUT/reports/.failed contains the report and all rejected rows"), "{printed}");
    assert!(!dir.path().join("OUT/CURRENT").exists());

    // The next failure takes its place, and a build that succeeds leaves no failure behind.
    fs::write(dir.path().join("IN/prices.csv"), "").unwrap();
    assert_eq!(pricebook(&dir, &[]).status.code(), Some(1));
    assert_eq!(fs::read_to_string(failed.join("rejected.ndjson")).unwrap(), "");
    assert!(json(&failed.join("report.json"))["error"].as_str().unwrap().contains("IN/prices.csv"));
}

#[test]
fn messages_of_several_lines() {
    let text = PriceList { prices: ["3.99", "N/A", "0", "1199.00"], ..LIST }.text();
    let dir = folder(&[("prices.csv", text.as_bytes())]);
    let printed = String::from_utf8(pricebook(&dir, &[]).stderr).unwrap();
    let lines: Vec<&str> = printed.lines().skip_while(|line| !line.contains("ERROR")).collect();
    assert!(
        lines[0].ends_with("2 of 4 rows (50.00 %) were rejected, more than the 5 % allowed"),
        "{printed}"
    );
    assert!(lines[1].starts_with("  missing_price 1, first IN/prices.csv:3 \"N/A\": "), "{printed}");
    assert!(lines[2].starts_with("  price_not_positive 1, first IN/prices.csv:4 \"0\": "), "{printed}");
    assert!(lines[3].starts_with("no snapshot was published; "), "{printed}");
    assert_eq!(lines.len(), 4, "{printed}");

    let logged = String::from_utf8(pricebook(&dir, &["--log-format", "json"]).stderr).unwrap();
    let lines: Vec<Value> = logged.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let errors: Vec<&Value> = lines.iter().filter(|line| line["level"] == "ERROR").collect();
    let [error] = errors[..] else { panic!("{logged}") };
    assert!(error["message"].as_str().unwrap().contains("\n  missing_price 1"), "{logged}");
}
