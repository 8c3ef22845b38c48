//! Inputs as the world writes them: each case is rebuilt after public reports of people who read such files with other
//! programs. No record is misread, and a record that is not taken says why.

use polars::prelude::{NamedFrom, Series};
use pricebook::index::normalized::{STOCK_IN, STOCK_MASK, STOCK_OUT};

use super::input_traps::{Cleaned, clean_files, clean_mapped, error_of, parquet, reasons};

const HEADER: &str = "country,platform,product_id,product_name,date,price";

/// Cleans one file of both tables with these rows.
fn offers(header: &str, rows: &[&str]) -> Cleaned {
    clean_files(&[("offers.csv", format!("{header}\n{}\n", rows.join("\n")).as_bytes())])
}

fn json(rows: &[&str]) -> Cleaned {
    clean_files(&[("offers.ndjson", rows.join("\n").as_bytes())])
}

fn names(cleaned: &Cleaned) -> Vec<&str> {
    cleaned.tables.listings.name.iter().collect()
}

fn prices(cleaned: &Cleaned) -> &[u32] {
    &cleaned.tables.observations.columns.price
}

/// The reasons of rejected rows, by line.
fn rejected(cleaned: &Cleaned, expected: &[(u64, &str)]) {
    let expected: Vec<(u64, String)> =
        expected.iter().map(|(line, reason)| (*line, (*reason).to_owned())).collect();
    assert_eq!(reasons(cleaned), expected, "{}", cleaned.rejected);
}

#[test]
fn a_record_that_does_not_fit_its_header_gives_neither_price_nor_listing() {
    let cleaned = offers(
        HEADER,
        &[
            "us,acme,1,Mug,2026-10-30,9.99",
            "us,acme,2,TV 55,2026-10-30,1,299.00",
            "us,acme,3,Tea",
            "us,acme,4,Jam, sour,2026-10-30,4.99",
            "us,acme,5,Pen,2026-10-30,1.99,,",
        ],
    );
    assert_eq!(names(&cleaned), ["Mug", "Pen"]);
    assert_eq!(prices(&cleaned), [999, 199]);
    rejected(&cleaned, &[(3, "ragged_record"), (4, "ragged_record"), (5, "ragged_record")]);
    for part in [
        "found 7 values, expected 6 (a thousands separator in a number without quotes): us,acme,2,TV 55",
        "found 4 values, expected 6",
        "found 7 values, expected 6 (a separator in a value without quotes): us,acme,4,Jam",
    ] {
        assert!(cleaned.rejected.contains(part), "{part} in {}", cleaned.rejected);
    }
}

#[test]
fn a_record_that_does_not_fit_its_header_says_nothing_of_notations() {
    // 1.299 alone may be 1299 or 1.299, and the build would end.
    let rows = ["us;a;1;Mug;2026-10-30;5", "us;a;2;Tea;2026-10-30;1.299;green"];
    let cleaned = offers(&HEADER.replace(',', ";"), &rows);
    assert_eq!(prices(&cleaned), [500]);
    rejected(&cleaned, &[(3, "ragged_record")]);
}

#[test]
fn a_record_that_fits_its_header_by_accident_is_found_by_the_kinds_of_values() {
    let columns = [
        ("list_price", "12.99", "1,299.00"),
        ("in_stock", "true", "1,299.00"),
        ("in_stock,url", "true,https://shop.example/1", "1,299.00,false"),
        ("in_stock", "1", "1,299"),
    ];
    for (optional, values, price) in columns {
        let mut rows: Vec<String> =
            (0..40).map(|at| format!("us,acme,{at},Mug {at},2026-10-30,9.99,{values}")).collect();
        rows[7] = format!("us,acme,7,TV 55,2026-10-30,{price}");
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let cleaned = offers(&format!("{HEADER},{optional}"), &rows);
        assert!(!names(&cleaned).contains(&"TV 55"), "{optional}");
        rejected(&cleaned, &[(9, "ragged_record")]);
        let text = "found values that do not match the kinds of their columns (a thousands separator in a number without quotes): us,acme,7";
        assert!(cleaned.rejected.contains(text), "{}", cleaned.rejected);
    }
    // A fifth of the rows is.
    let rows: Vec<String> = (0..20)
        .map(|at| match at % 5 {
            0 => format!("us,acme,{at},TV {at},2026-10-30,1,299.00"),
            _ => format!("us,acme,{at},Mug {at},2026-10-30,9.99,1"),
        })
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let cleaned = offers(&format!("{HEADER},in_stock"), &rows);
    assert_eq!((names(&cleaned).len(), cleaned.report.rejected["ragged_record"].count), (16, 4));
    // A cut name is no listing, in files of both tables.
    let header = "country,platform,product_id,product_name,date,price,list_price";
    let row = |at| format!("us,acme,{at},Mug {at},2026-10-30,9.99,12.99");
    let rows = [row(1), row(2), "us,acme,3,Jam, sour,2026-10-30,4.99".to_owned(), row(4)];
    let cleaned = offers(header, &rows.each_ref().map(String::as_str));
    assert_eq!(names(&cleaned), ["Mug 1", "Mug 2", "Mug 4"]);
    rejected(&cleaned, &[(4, "ragged_record")]);
}

#[test]
fn a_record_may_lack_optional_values_at_its_end() {
    let cleaned = offers(
        &format!("{HEADER},list_price,in_stock"),
        &["us,acme,1,Mug,2026-10-30,9.99", "us,acme,2,Cup,2026-10-30,8.99,10.99"],
    );
    assert_eq!(prices(&cleaned), [999, 899]);
    rejected(&cleaned, &[]);
}

#[test]
fn a_stray_quote_is_one_rejected_row_and_names_the_lines_that_it_swallowed() {
    let cleaned = offers(
        HEADER,
        &[
            "us,acme,1,\"Monitor,2026-10-30,199.99",
            "us,acme,2,Cable,2026-10-30,9.99",
            "us,acme,3,\"Desk, oak\",2026-10-30,99.99",
            "us,acme,4,Lamp,2026-10-30,9.99",
        ],
    );
    assert_eq!(names(&cleaned), ["Lamp"]);
    rejected(&cleaned, &[(2, "ragged_record")]);
    let warning = "offers.csv: lines 2 to 4 are one record";
    assert!(
        cleaned.report.distinct_warnings().iter().any(|text| text.contains(warning)),
        "{:?}",
        cleaned.report.warnings
    );
    assert!(cleaned.rejected.contains("(a stray quote)"), "{}", cleaned.rejected);
}

fn object(id: &str, name: &str, more: &str) -> String {
    format!(
        r#"{{"country":"us","platform":"acme","product_id":{id},"product_name":{name},"price":4.99,"date":"2026-10-30"{more}}}"#
    )
}

#[test]
fn escapes_without_a_character_become_the_replacement_character() {
    let rows = [
        object("\"1\"", r#""Tea \ud83c tail""#, ""),
        object("\"2\"", r#""Tea \udf75 tail""#, ""),
        object("\"3\"", r#""Tea \u0000 tail""#, ""),
        object("\"4\"", r#""Tea \ud83c\udf75 tail""#, ""),
        object(r#""5\ud800""#, r#""Jam""#, ""),
    ];
    let cleaned = json(&rows.each_ref().map(String::as_str));
    assert_eq!(
        names(&cleaned),
        ["Tea \u{fffd} tail", "Tea \u{fffd} tail", "Tea \u{fffd} tail", "Tea 🍵 tail"]
    );
    assert_eq!(cleaned.report.replaced_bytes.count, 4, "{:?}", cleaned.report.replaced_bytes);
    rejected(&cleaned, &[(5, "inexact_id")]);
}

#[test]
fn a_nul_never_enters_a_snapshot() {
    let cleaned = offers(HEADER, &["us,acme,1,Tea\0bag,2026-10-30,4.99", "us,acme,2\0,Jam,2026-10-30,4.99"]);
    assert_eq!(names(&cleaned), ["Tea\u{fffd}bag"]);
    assert_eq!(cleaned.report.replaced_bytes.count, 2);
    rejected(&cleaned, &[(3, "inexact_id")]);
}

#[test]
fn a_line_that_nests_too_deep_does_not_repeat_the_line_before() {
    let row = |date: &str| {
        format!(
            r#"{{"country":"us","platform":"shop","product_id":"1","product_name":"Tea","date":"{date}","price":4.99}}"#
        )
    };
    let deep = format!(r#"{{"date":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    let lines = [row("31/10/2026"), deep, row("10/31/2026")].join("\n");
    // As many dates have the day first as the month.
    let error = error_of(&[("offers.ndjson", lines.as_bytes())]);
    assert!(error.contains("dates = \"DMY\" or \"MDY\""), "{error}");
}

#[test]
fn numbers_that_are_none_are_missing_values() {
    let rows = [
        object("\"1\"", "\"Tea\"", r#","rating":NaN"#),
        object("\"2\"", "\"Jam\"", r#","list_price":Infinity,"colour":[-Infinity]"#),
        object("\"3\"", "\"NaN bread\"", ""),
        object("\"4\"", "\"Ham\"", "").replace("4.99", "NaN"),
        "not JSON, NaN".to_owned(),
    ];
    let cleaned = json(&rows.each_ref().map(String::as_str));
    assert_eq!(names(&cleaned), ["Tea", "Jam", "NaN bread", "Ham"]);
    assert_eq!(prices(&cleaned), [499, 499, 499]);
    rejected(&cleaned, &[(5, "unreadable_row"), (4, "missing_price")]);
    assert!(cleaned.rejected.contains("not JSON, NaN"), "{}", cleaned.rejected);
}

#[test]
fn placeholders_are_missing_values() {
    let rows: Vec<String> = ["nan", "None", "#N/A", "null", "-", "undefined", "0"]
        .iter()
        .map(|id| format!("us,acme,{id},Tea {id},2026-10-30,4.99,NaN,—"))
        .chain(
            [
                "us,N/A,1,Tea,2026-10-30,4.99,,",
                "us,acme,1,#REF!,2026-10-30,4.99,,",
                "us,acme,2,Jam,2026-10-30,n/a,,",
            ]
            .map(str::to_owned),
        )
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let cleaned = offers(&format!("{HEADER},brand,category_path"), &rows);
    assert_eq!(names(&cleaned), ["Tea 0", "Jam"]);
    assert!(cleaned.tables.names.brands.is_empty());
    assert_eq!(cleaned.tables.names.platforms, ["acme"]);
    let mut expected: Vec<(u64, &str)> = (2..8).map(|line| (line, "empty_product_id")).collect();
    expected.push((9, "invalid_platform"));
    // A row without a name is an observation alone, of a listing that is not there.
    let mut found = reasons(&cleaned);
    found.retain(|(line, _)| *line < 10);
    assert_eq!(
        found,
        expected.iter().map(|(line, reason)| (*line, (*reason).to_owned())).collect::<Vec<_>>()
    );
    assert!(reasons(&cleaned).contains(&(11, "missing_price".to_owned())), "{}", cleaned.rejected);
}

#[test]
fn entities_of_html_are_decoded_before_a_path_is_split() {
    let cleaned = offers(
        &format!("{HEADER},brand,category_path"),
        &[
            "us,acme,1,Ben &amp; Jerry&#39;s 473&nbsp;ml,2026-10-30,4.99,Ben &amp; Jerry&#39;s,Food &gt; Ice Cream",
            "us,shop,1,Ben & Jerry's 473 ml,2026-10-30,5.99,Ben & Jerry's,Food > Ice Cream",
        ],
    );
    assert_eq!(names(&cleaned), ["Ben & Jerry's 473 ml", "Ben & Jerry's 473 ml"]);
    assert_eq!(cleaned.tables.names.brands.len(), 1);
    assert_eq!(cleaned.tables.names.categories.len(), 2);
    let decoded = &cleaned.report.decoded_entities;
    assert_eq!((decoded.count, decoded.examples[0].line), (3, 2));
    assert_eq!(cleaned.report.one_level_categories.count, 0);
}

#[test]
fn stock_is_read_in_the_words_of_feeds() {
    let words = [
        "in_stock",
        "out_of_stock",
        "yes",
        "no",
        "https://schema.org/InStock",
        "SoldOut",
        "preorder",
        "Épuisé",
        "soon",
    ];
    let rows: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(at, word)| format!("us,a,{at},Tea,2026-10-30,4.99,{word},$,neuf"))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let cleaned = offers(&format!("{HEADER},in_stock,currency,condition"), &rows);
    let stock: Vec<u8> =
        cleaned.tables.observations.columns.flags.iter().map(|flags| flags & STOCK_MASK).collect();
    assert_eq!(stock, [STOCK_IN, STOCK_OUT, STOCK_IN, STOCK_OUT, STOCK_IN, STOCK_OUT, 0, STOCK_OUT, 0]);
    assert_eq!(cleaned.report.unreadable_flags.count, 1);
    assert_eq!(cleaned.report.unreadable_flags.examples[0].value, "soon");
    rejected(&cleaned, &[]);
}

#[test]
fn currencies_are_read_by_sign_and_name() {
    let cleaned = offers(
        &format!("{HEADER},currency"),
        &[
            "us,a,1,Tea,2026-10-30,4.99,US$",
            "ca,a,2,Tea,2026-10-30,4.99,CA$",
            "Canada,a,3,Tea,2026-10-30,4.99,dollars canadiens",
            "États-Unis,a,4,Tea,2026-10-30,4.99,$",
            "us,a,5,Tea,2026-10-30,4.99,CA$",
            "us,a,6,Tea,2026-10-30,4.99,€",
        ],
    );
    assert_eq!(prices(&cleaned).len(), 4);
    rejected(&cleaned, &[(6, "wrong_currency"), (7, "wrong_currency")]);
}

#[test]
fn accepts_out_of_stock_rows_without_a_price() {
    let cleaned = offers(
        &format!("{HEADER},in_stock"),
        &["us,a,1,Tea,2026-10-30,,0", "us,a,2,Jam,2026-10-30,,1", "us,a,3,Ham,2026-10-30,4.99,1"],
    );
    assert_eq!(names(&cleaned), ["Tea", "Jam", "Ham"], "the listing part stays");
    rejected(&cleaned, &[(2, "unpriced_out_of_stock"), (3, "missing_price")]);
    assert_eq!(cleaned.report.rejected_rows, 1);
    assert_eq!(cleaned.report.rejected["unpriced_out_of_stock"].count, 1);
    assert_eq!(cleaned.report.files[0].rejected, 1);
}

/// The barcodes of listings, 0 for none, in snapshot order.
fn barcodes(cleaned: &Cleaned) -> &[u64] {
    &cleaned.tables.listings.gtin
}

#[test]
fn isbn_10_is_the_book_of_its_isbn_13() {
    let header = format!("{HEADER},gtin");
    let rows = [
        "us,a,1,Book,2026-10-30,9.99,0306406152",
        "us,b,1,Book pb,2026-10-30,8.99,9780306406157",
        "us,c,1,Book,2026-10-30,7.99,0-306-40615-2",
        "us,d,1,Bk,2026-10-30,7.99,080442957X",
        "us,shelf,1,Book,2026-10-30,7.99,0306406152",
        "us,shelf,2,Lamp,2026-10-30,7.99,B00X4WHP5E",
    ];
    let cleaned = offers(&header, &rows);
    let book = 9_780_306_406_157;
    assert_eq!(barcodes(&cleaned), [book, book, book, 9_780_804_429_573, 0, 0]);
    assert_eq!(cleaned.report.unusable_barcodes["not_isbn_10"].count, 1);
    assert_eq!(cleaned.report.unusable_barcodes["letters"].count, 1);
}

#[test]
fn ignores_barcodes_that_lack_check_digits() {
    let header = format!("{HEADER},gtin");
    // The check digits of two of the twenty hold by chance.
    let code = |at: u64| 36_000_291_439 + at;
    let row = |shop: &str, at: u64| format!("us,{shop},{at:02},Mug,2026-10-30,9.99,{}", code(at));
    let rows: Vec<String> =
        (0..20).map(|at| row("bare", at)).chain((0..19).map(|at| row("few", at))).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let cleaned = offers(&header, &rows);
    let (bare, few) = barcodes(&cleaned).split_at(20);
    assert_eq!(bare, [0; 20]);
    assert_eq!(few.iter().filter(|gtin| **gtin != 0).count(), 2, "of 19 codes each is judged by itself");
    assert_eq!(cleaned.report.unusable_barcodes["no_check_digits"].count, 2);
    let warnings = cleaned.report.distinct_warnings().join("\n");
    assert!(warnings.contains("bare: check digits are probably missing"), "{warnings}");
    // Split into files, the rows say the same.
    let file = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let (first, second) = (file(&rows[..7]), file(&rows[7..]));
    let apart = clean_files(&[("a.csv", first.as_bytes()), ("b.csv", second.as_bytes())]);
    assert_eq!(barcodes(&apart), barcodes(&cleaned));
}

/// Cleans files with a mapping.
#[test]
fn the_name_of_a_file_may_hold_the_date_and_the_retailer() {
    let mapping = "[constants]\ncountry = \"us\"\n[columns]\ndate = { file_name = \"prices_%Y-%m-%d\" }\n\
                   platform = { file_name = \"^([a-z]+)_prices\" }\n";
    let rows = b"product_id,product_name,price\n1,Mug,9.99\n";
    let named = [("acme_prices_2026-10-30.csv", &rows[..]), ("zeta_prices_2026-10-31.csv", &rows[..])];
    let tables = clean_mapped(mapping, &named).unwrap().tables;
    assert_eq!(tables.names.platforms, ["acme", "zeta"]);
    assert_eq!(tables.names.last_day.to_string(), "2026-10-31");
    let error = clean_mapped(mapping, &[("acme_prices.csv", &rows[..])]).err().unwrap().to_string();
    assert!(error.contains("date") && error.contains("prices_%Y-%m-%d in the name of the file"), "{error}");
}

#[test]
fn a_list_in_parquet_is_refused_as_a_list() {
    let text = |name: &str, value: &str| Series::new(name.into(), [value]);
    let path = Series::new("".into(), ["Food", "Cheese"]);
    let columns = vec![
        text("country", "us"),
        text("platform", "shop"),
        text("product_id", "1"),
        text("product_name", "Gouda"),
        text("date", "2026-10-30"),
        text("price", "4.99"),
        Series::new("category_path".into(), [path]),
    ];
    let error = error_of(&[("offers.parquet", &parquet(columns))]);
    let expected =
        "column category_path: lists are not supported; join the values to one text, as in \"Food > Pasta\"";
    assert!(error.ends_with(expected), "{error}");
}

// Dates.

/// Cleans a file of both tables with a product for each of these dates.
fn dated(dates: &[&str]) -> Vec<u8> {
    let rows = dates.iter().enumerate().map(|(at, date)| format!("us,acme,{at},Mug {at},\"{date}\",9.99\n"));
    format!("{HEADER}\n{}", rows.collect::<String>()).into_bytes()
}

#[test]
fn dates_of_spreadsheets_and_programs_are_read() {
    let contract = clean_files(&[("offers.csv", &dated(&["2026-10-29", "2026-10-30"]))]);
    for dates in [
        ["10/29/26", "10/30/26"],
        ["29.10.26", "30.10.26"],
        ["29-Oct-26", "30-Oct-26"],
        ["29 octobre 2026", "30 octobre 2026"],
        ["20261029T040506Z", "20261030T040506Z"],
        ["46324", "46325"],
        ["1793246706", "1793333106"],
        ["Thu Oct 29 04:05:06 2026", "Fri Oct 30 04:05:06 2026"],
    ] {
        let cleaned = clean_files(&[("offers.csv", &dated(&dates))]);
        rejected(&cleaned, &[]);
        let days = |cleaned: &Cleaned| {
            let tables = &cleaned.tables;
            (tables.names.first_day, tables.observations.columns.day.clone())
        };
        assert_eq!(days(&cleaned), days(&contract), "{dates:?}");
    }
}

#[test]
fn short_years_that_nothing_decides_ask_for_a_pattern() {
    let error = error_of(&[("offers.csv", &dated(&["10/01/26", "10/02/26"]))]);
    assert!(error.contains("set dates = \"%d/%m/%y\" or \"%m/%d/%y\""), "{error}");
}

#[test]
fn a_quote_that_swallows_whole_records_is_stray_even_where_it_closes_well() {
    let cleaned = offers(
        HEADER,
        &[
            "us,acme,1,\"Monitor,2026-10-30,199.99",
            "us,acme,2,Cup,2026-10-30,8.99",
            "us,acme,3,TV 27\",2026-10-30,99.99",
            "us,acme,4,\"Tea\nof two lines, one comma\nand three\",2026-10-30,4.99",
        ],
    );
    assert_eq!(names(&cleaned), ["Tea\nof two lines, one comma\nand three"]);
    rejected(&cleaned, &[(2, "ragged_record")]);
    assert!(
        cleaned.report.warnings.iter().any(|warning| warning.text.starts_with("lines 2 to 4 are one record"))
    );
}

#[test]
fn words_count_in_folders_constants_and_over_folders() {
    let header = "product_id,product_name,price,in_stock";
    let offers = format!("{header}\n1,Mug,9.99,\n2,Cup,8.99,PreOrder\n3,Pen,1.99,✗\n");
    let mapping = "constants = { platform = \"acme\", date = \"2026-10-30\" }\n[values.in_stock]\n\"✓\" = true\n\"✗\" = false\n";
    let path = "country=états-unis/in_stock=oui/offers.csv";
    let cleaned = clean_mapped(mapping, &[(path, offers.as_bytes())]).unwrap();
    rejected(&cleaned, &[]);
    let flags = &cleaned.tables.observations.columns.flags;
    let stock: Vec<u8> = flags.iter().map(|flags| flags & STOCK_MASK).collect();
    assert_eq!(stock, [STOCK_IN, 0, STOCK_OUT]);
    assert_eq!(cleaned.report.unreadable_flags.count, 0);
}

#[test]
fn treats_nan_as_a_missing_value() {
    let text = |name: &str, values: [&str; 2]| Series::new(name.into(), values);
    let columns = vec![
        text("country", ["us", "us"]),
        text("platform", ["shop", "shop"]),
        text("product_id", ["1", "2"]),
        text("product_name", ["Gouda", "Brie"]),
        text("date", ["2026-10-30", "2026-10-30"]),
        Series::new("brand".into(), [f64::NAN, f64::NAN]),
        Series::new("price".into(), [f64::NAN, 4.99]),
        Series::new("list_price".into(), [5.99_f32, f32::NAN]),
    ];
    let cleaned = clean_files(&[("offers.parquet", &parquet(columns))]);
    rejected(&cleaned, &[(1, "missing_price")]);
    assert_eq!((prices(&cleaned), cleaned.report.ignored_list_prices.count), (&[499][..], 0));
    assert!(cleaned.tables.names.brands.iter().all(|brand| !brand.label.contains('N')));
}

#[test]
fn numbers_beyond_every_type_cost_nothing_where_they_are_not_read() {
    let row = |id: &str, more: &str| {
        format!(
            r#"{{"country":"us","platform":"acme","product_id":{id},"product_name":"Mug","date":"2026-10-30","price":9.99{more}}}"#
        )
    };
    let rows = [
        row("1", r#","foo":12345678901234567890123"#),
        row("2", r#","list_price":1e999"#),
        row("12345678901234567890123", ""),
    ];
    let cleaned = json(&rows.each_ref().map(String::as_str));
    rejected(&cleaned, &[]);
    let ids: Vec<&str> = cleaned.tables.listings.product_id.iter().collect();
    assert_eq!(ids, ["1", "12345678901234567890123", "2"]);
}

// Variants of a product.

const EXPORT: &str = "Handle,Title,Vendor,Category,Option1 Value,Option2 Value,SKU,Price";
const EXPORT_MAPPING: &str = "constants = { country = \"us\", platform = \"shop\", date = \"2026-10-30\" }\n\
    [columns]\nproduct_id = \"SKU\"\nproduct_name = \"Title\"\nbrand = \"Vendor\"\ncategory_path = \"Category\"\n\
    price = \"Price\"\n";

/// Cleans an export of a shop system with these rows.
fn exported(mapping: &str, rows: &[&str]) -> Cleaned {
    let export = format!("{EXPORT}\n{}\n", rows.join("\n"));
    clean_mapped(mapping, &[("export.csv", export.as_bytes())]).unwrap()
}

#[test]
fn a_variant_takes_the_values_of_its_handle_and_adds_its_options() {
    let rows = [
        // The rows of a handle may come in any order.
        "mug,,,,Red,,M2,5.99",
        "tea,Green Tea &amp; Mint,Acme,Food > Tea,100 g,Tin,T1,4.99",
        "tea,,,,500 g,Tin,T2,9.99",
        "tea,,,,,,,",
        "mug,Mug,Zeta,Kitchen > Mugs,Default Title,,M1,6.99",
        "cup,,,,,,C1,7.99",
        "tea,,,,50 g,,,2.99",
        "tea,,,,,,,3.99",
        ",Plate,,,White,,P1,3.99",
        "shirt,T-Shirt Sport,,,S,,S1,3.99",
    ];
    let handle = format!("{EXPORT_MAPPING}handle = \"Handle\"\n");
    let cleaned = exported(&handle, &rows);
    let expected = [
        "Green Tea & Mint 100 g Tin",
        "Green Tea & Mint 500 g Tin",
        "Mug",
        "Mug Red",
        "Plate",
        "T-Shirt Sport S",
    ];
    assert_eq!(names(&cleaned), expected);
    let brands =
        |at: usize| cleaned.tables.names.brands[cleaned.tables.listings.brand[at] as usize].label.clone();
    assert_eq!((brands(1), brands(3)), ("Acme".to_owned(), "Zeta".to_owned()));
    rejected(
        &cleaned,
        &[(5, "image_row"), (8, "empty_product_id"), (9, "empty_product_id"), (7, "empty_name")],
    );
    // An image is no fault.
    assert_eq!(cleaned.report.rejected_rows, 3);
    let cleaned = exported(EXPORT_MAPPING, &rows);
    let reasons = [
        (2, "empty_name"),
        (4, "empty_name"),
        (5, "empty_product_id"),
        (7, "empty_name"),
        (8, "empty_product_id"),
        (9, "empty_product_id"),
    ];
    rejected(&cleaned, &reasons);
}

#[test]
fn a_handle_reaches_over_every_block() {
    // Several blocks of rows without a name.
    let (products, brand) = (2_000, "x".repeat(1_000));
    let rows = (0..6_000).map(|row| format!("h{},,{brand},,{row} g,,S{row},1.99", row % products));
    let rows: Vec<String> = rows.chain((0..products).map(|at| format!("h{at},Tea,,,,,L{at},2.99"))).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let cleaned = exported(&format!("{EXPORT_MAPPING}handle = \"Handle\"\n"), &rows);
    rejected(&cleaned, &[]);
    assert_eq!(names(&cleaned).iter().filter(|name| name.starts_with("Tea")).count(), 8_000);
}
