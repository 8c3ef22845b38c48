//! Text files: what parts the values, what the bytes mean, and what stands around the table.

use super::{LIST, Outcome, PriceList, build, build_text};
use crate::support::written::{latin1, utf16};

fn bytes(name: &str, bytes: &[u8]) -> Outcome {
    build(&[(name, bytes)])
}

/// The list with a name that is not ASCII.
fn french(separator: char) -> String {
    PriceList { separator, ..LIST }.text().replace("Coffee machine", "Machine à café")
}

#[test]
fn separators_are_found() {
    let comma = ["3,99", "3,49", "1.299,00", "1.199,00"];
    for (name, separator, prices) in [
        ("prices.csv", ';', comma),
        ("prices.csv", ';', LIST.prices),
        ("prices.csv", '\t', comma),
        ("prices.tsv", '\t', LIST.prices),
        ("prices.txt", '\t', comma),
        ("prices.txt", ';', comma),
    ] {
        let report = build_text(name, &PriceList { separator, prices, ..LIST }.text()).sound();
        assert_eq!(report.input.files[0].form.separator, Some(separator));
    }
}

#[test]
fn other_separators_are_asked_for() {
    for separator in ['|', '^'] {
        let asked = format!("If {separator:?} separates the values, set separator = \"{separator}\"");
        build_text("prices.csv", &PriceList { separator, ..LIST }.text()).refused(&[
            "IN/prices.csv",
            &asked,
            "--map FILE",
        ]);
    }
}

#[test]
fn encodings_are_found() {
    for (mark, little) in [(true, true), (true, false), (false, true)] {
        let report = bytes("prices.csv", &utf16(&french('\t'), mark, little)).sound();
        assert_eq!(report.input.files[0].form.encoding.as_deref(), Some("utf-16"));
    }
    let text = french(';');
    let report = bytes("prices.csv", &latin1(&text)).sound();
    assert_eq!(report.input.files[0].form.encoding.as_deref(), Some("windows-1252"));
    let report = bytes("prices.csv", format!("\u{feff}{text}").as_bytes()).sound();
    assert_eq!(report.input.files[0].form.encoding.as_deref(), Some("utf-8"));
    assert_eq!(report.input.replaced_bytes.count, 0);
}

#[test]
fn line_ends_and_blank_lines() {
    let text = LIST.text();
    build_text("prices.csv", &text.replace('\n', "\r\n")).sound();
    build_text("prices.csv", &text.replace('\n', "\n\n")).sound();
    build_text("prices.csv", &format!("\n\r\n{}", text.trim_end())).sound();
    build_text("prices.csv", &format!("{text},,,,,\n , , ,,,\n")).sound();
}

#[test]
fn old_line_ends() {
    build_text("prices.csv", &LIST.text().replace('\n', "\r")).refused(&["IN/prices.csv", "CR alone"]);
}

/// Excel writes and obeys this line; for others it is a table of one column.
#[test]
fn accepts_the_excel_separator_line() {
    for (separator, first) in [(';', "sep=;\r\n"), (',', "sep=,\n"), ('|', "sep=|\n"), ('\t', "sep=\t\n")] {
        let text = PriceList { separator, ..LIST }.text();
        let report = build_text("prices.csv", &format!("{first}{text}")).sound();
        assert_eq!(report.input.files[0].form.separator, Some(separator));
    }
    let text = PriceList { prices: ["3.99", "free", "1299.00", "1199.00"], ..LIST }.text();
    build_text("prices.csv", &format!("sep=,\n{text}")).refused(&["IN/prices.csv:4 \"free\""]);
    let wide = utf16(&format!("sep=\t\r\n{}", PriceList { separator: '\t', ..LIST }.text()), true, true);
    bytes("prices.csv", &wide).sound();
}

#[test]
fn a_title_above_the_header_is_told() {
    for title in ["Price list of October 2026\n\n", "Acme Ltd.,,,,,\nPrinted 2026-10-31,,,,,\n"] {
        let line = title.lines().count() + 1;
        build_text("prices.csv", &format!("{title}{}", LIST.text())).refused(&[
            "IN/prices.csv",
            &format!("line {line} looks like the header: remove the lines above it"),
        ]);
    }
}

#[test]
fn columns_and_rows_around_the_table() {
    // Trailing empty columns, as sheets leave them.
    let text = LIST.text().replace('\n', ",,,\n");
    build_text("prices.csv", &text).sound();
    // A total, which is no row.
    let mut text = LIST.text();
    (1..=30).for_each(|day| text += &format!("us,acme,A-2,Coffee machine,2026-09-{day:02},1299\n"));
    let report = build_text("prices.csv", &format!("{text}Total,,,,,41470.48\n")).result.unwrap().1;
    let reject = &report.input.rejected["unknown_country"];
    assert_eq!((reject.count, reject.examples[0].line, reject.examples[0].value.as_str()), (1, 36, "Total"));
    assert_eq!(report.counts.observations, 34);
}

#[test]
fn quotes_that_open_and_never_close() {
    let text = LIST.text().replace("Coffee machine", "27\" screen");
    build_text("prices.csv", &text).sound();
    let text = LIST.text().replace("Coffee machine", "\"Coffee\nmachine, \"\"large\"\"\"");
    build_text("prices.csv", &text).sound();
}

/// The first is closed by the second, which swallows a row: both are rejected as one record, and a warning names them.
#[test]
fn quotes_that_close_where_another_opens() {
    let text = LIST.text().replace("Coffee machine", "\"Coffee machine");
    let mut text = text;
    (1..=30).for_each(|day| text += &format!("us,acme,A-1,Tin,2026-09-{day:02},1299\n"));
    let report = build_text("prices.csv", &text).result.unwrap().1;
    let open = &report.input.open_quotes;
    assert_eq!((open.count, open.examples[0].line), (1, 4));
    assert_eq!(report.input.rejected["ragged_record"].count, 1);
    let warnings = report.input.distinct_warnings().join("\n");
    assert!(warnings.contains("prices.csv: lines 4 to 5 are one record"), "{warnings}");
    assert!(report.to_string().contains("quotes left open         1  e.g. "), "{report}");
}

#[test]
fn headers_in_other_words() {
    for header in [
        "COUNTRY,PLATFORM,PRODUCT_ID,PRODUCT_NAME,DATE,PRICE",
        " Country , Platform,Product ID,Product Name,Date,Price ",
        "country,platform,Product-ID,product.name,DATE,price",
        "\u{feff}country,platform,product_id,product_name,date,price",
    ] {
        build_text("prices.csv", &PriceList { header, ..LIST }.text()).sound();
    }
    let header = "Pays,Magasin,Code produit,Nom du produit,Date,Prix";
    build_text("prices.csv", &PriceList { header, ..LIST }.text()).refused(&[
        "IN/prices.csv",
        "country for Pays",
        "platform for Magasin",
        "product_id for \"Code produit\"",
        "price for Prix",
        "--write-map FILE",
    ]);
    let header = "Country,Retailer,SKU,Title,Day,Cost";
    build_text("prices.csv", &PriceList { header, ..LIST }.text()).refused(&[
        "platform for Retailer",
        "product_id for SKU",
        "product_name for Title",
        "price for Cost",
    ]);
}

#[test]
fn names_that_come_twice() {
    let text = LIST.text().replace('\n', ",9.99\n");
    let text = text.replacen("price,9.99", "price,price", 1);
    let report = build_text("prices.csv", &text).sound();
    let warnings = report.input.distinct_warnings();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.contains("IN/prices.csv: columns that are not read: price"), "{warning}");
}
