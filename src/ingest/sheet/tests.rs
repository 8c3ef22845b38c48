//! Workbooks of three libraries, and damaged ones.

use std::path::PathBuf;

use super::*;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/input").join(name)
}

fn holds_price(header: &[String]) -> bool {
    header.iter().any(|name| name == "price")
}

/// Number and texts of a row.
type Numbered = (u64, String);

/// The rows of the sheet with a price: its names, then the number and the texts of each.
fn read(path: &Path) -> Result<(Vec<String>, Vec<Numbered>)> {
    let (mut parts, decoder) = open(path, None, &holds_price)?;
    Ok((decoder.names().to_vec(), rows_of(&mut parts, &decoder)?))
}

/// Number and texts of every row.
fn rows_of(parts: &mut Parts, decoder: &Decoder) -> Result<Vec<Numbered>> {
    let positions: Vec<_> = (0..decoder.names().len()).map(Some).collect();
    decoder.check(&positions, &[])?;
    let mut rows = Vec::new();
    while let Some(part) = parts.next()? {
        let decoded = decoder.decode(&part, &positions)?;
        let text = |row: usize| {
            let texts = decoded.columns.iter().map(|column| column.as_ref().unwrap().get(row).unwrap_or("-"));
            (decoded.first + row as u64, texts.collect::<Vec<_>>().join("|"))
        };
        rows.extend((0..decoded.rows).map(text));
    }
    assert!(parts.next()?.is_none());
    Ok(rows)
}

#[test]
fn parts_of_wide_sheets_have_fewer_rows() {
    let mut row = Row::default();
    for (width, expected) in [(10, PART_ROWS), (COLUMNS_MAX, PART_CELLS / COLUMNS_MAX)] {
        let (mut rows, mut number) = (Rows::new(width), 1);
        loop {
            row.begin(number);
            row.set(0, "x").unwrap();
            if rows.ends_before(number) {
                break;
            }
            rows.push(number, &row, &vec![Some(0); width]);
            number += 1;
        }
        assert_eq!(rows.len, expected, "{width}");
    }
}

#[test]
fn the_first_sheet_with_the_columns_is_read() {
    let names = ["", "country", "Product ID", "date", "price", "seen", "in_stock", "note"];
    let row = |at: u64, texts: &str| (at, format!("-|{texts}"));
    let first = "ca|4711|2026-10-29|-|2026-10-29T22:30:00.25Z|false|-";
    let second = "us|a longer id than fits into a view|2026-10-30|4.99|2026-10-30T22:30:00.25Z|true|-";
    let third = "ca|-|2026-10-31|1299|2026-10-31T22:30:00.25Z|false|a & b\nc";
    for name in ["prices.xlsx", "prices.xls"] {
        let (header, rows) = read(&golden(name)).unwrap();
        assert_eq!(header, names, "{name}");
        // The library that writes .xls leaves fractions of seconds out.
        let expected = [row(4, first), row(5, second), row(7, third)].map(|(number, texts)| match name {
            "prices.xls" => (number, texts.replace(".25Z", "Z")),
            _ => (number, texts),
        });
        assert_eq!(rows, expected, "{name}");
    }
    let (header, rows) = read(&golden("prices.ods")).unwrap();
    assert_eq!(header, names);
    let fractions = |(number, texts): (u64, String)| (number, texts.replace(".250000Z", ".25Z"));
    let rows: Vec<_> = rows.into_iter().map(fractions).collect();
    assert_eq!(rows, [row(4, first), row(5, second), row(6, second), row(8, third)]);
}

#[test]
fn dates_that_count_from_1904_are_read() {
    let (mut parts, decoder) = open(&golden("mac.xlsx"), None, &|header| header == ["date"]).unwrap();
    let part = parts.next().unwrap().unwrap();
    let decoded = decoder.decode(&part, &[None, Some(0)]).unwrap();
    assert!(decoded.columns[0].is_none());
    assert_eq!((decoded.first, decoded.columns[1].as_ref().unwrap().get(0)), (2, Some("2026-10-29")));
}

#[test]
fn sheets_without_the_columns_are_listed() {
    let error = |name: &str| open(&golden(name), None, &|_| false).err().unwrap().to_string();
    let prices = "country, Product ID, date, price, seen, in_stock, note";
    assert_eq!(
        error("prices.xlsx"),
        format!(
            "the required columns are missing; the first row of a sheet must contain their names:\n  sheet Read me begins with Prices of acme, 2026\
             \n  sheet Prices begins with {prices}\n  sheet Empty begins with an empty row"
        )
    );
    assert!(error("prices.ods").contains("\n  sheet Read me begins with an empty row\n"));
    let many: Vec<String> = (0..20).map(|at| format!("c{at}")).collect();
    let sheets: Vec<_> = (0..20).map(|_| ("a".to_owned(), many.clone())).collect();
    let text = listed(&sheets);
    assert!(
        text.contains("c11, …\n") && !text.contains("c12") && text.ends_with("and 8 more sheets"),
        "{text}"
    );
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.xlsx");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn refusal(bytes: &[u8]) -> String {
    let (_folder, path) = written(bytes);
    format!("{:#}", read(&path).unwrap_err())
}

#[test]
fn protected_and_foreign_files_are_told() {
    assert!(refusal(b"<html><table>").starts_with("the file is not a workbook, despite its name"));
    assert!(refusal(b"").starts_with("the file is not a workbook"));
    let mut book = std::fs::read(golden("prices.xls")).unwrap();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let at = memchr::memmem::find(&book, &utf16("Workbook")).unwrap();
    book[at..at + 32].copy_from_slice(&utf16("EncryptedPackage"));
    assert_eq!(refusal(&book), "the workbook is protected by a password; save it without a password");
    book[at..at + 32].copy_from_slice(&utf16("WordDocument\0\0\0\0"));
    assert_eq!(refusal(&book), "the file does not contain a workbook; save it as .xlsx or .csv");
    let (_folder, path) = written(b"PK");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
    assert!(read(&path).unwrap_err().to_string().starts_with("a workbook of more than 67108864 bytes"));
}

#[test]
fn damage_is_an_error_and_no_panic() {
    for (name, step) in [("prices.xls", 5), ("prices.xlsx", 11), ("prices.ods", 3)] {
        let whole = std::fs::read(golden(name)).unwrap();
        let (_folder, path) = written(&whole);
        let mut refused = 0;
        for at in (0..whole.len()).step_by(step) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            std::fs::write(&path, bytes).unwrap();
            refused += usize::from(read(&path).is_err());
        }
        assert!(refused > 0, "{name}");
        // Nothing but padding may be missing.
        for cut in (0..whole.len() - 512).step_by(97) {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(read(&path).is_err(), "{name} of {cut} bytes");
        }
    }
}

/// Gives rows of one number each.
struct Counting(std::ops::Range<u64>);

impl Book for Counting {
    fn sheets(&self) -> &[SheetInfo] {
        &[]
    }

    fn rows(&mut self, _sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
        let mut row = Row::default();
        for number in self.0.clone() {
            row.begin(number);
            row.set(usize::from(number == 3), number)?;
            if !take(&row)? {
                return Ok(());
            }
        }
        bail!("it ends badly")
    }
}

fn one_column() -> Vec<PickedSheet> {
    vec![PickedSheet { at: 0, name: "S".to_owned(), width: 1, columns: vec![Some(0)] }]
}

#[test]
fn parts_are_bounded_and_an_error_comes_through() {
    let rows = 2 * PART_ROWS as u64;
    let mut parts = Parts::start(Box::new(Counting(1..rows + 2)), one_column(), vec![]).unwrap();
    let mut seen = Vec::new();
    let error = loop {
        match parts.next() {
            Ok(part) => seen.push(part.map(|part| (part.first, part.rows)).unwrap()),
            Err(error) => break error,
        }
    };
    // Row 1 is the header, and what row 3 holds lies beside the table.
    assert_eq!(seen, [(2, 1), (4, PART_ROWS)]);
    assert_eq!(format!("{error:#}"), "sheet S: it ends badly");
    drop(Parts::start(Box::new(Counting(1..u64::MAX)), one_column(), vec![]).unwrap());
}

/// Sheets of texts: name, whether it is hidden, and rows.
struct Written(Vec<SheetInfo>, Vec<Vec<&'static str>>);

impl Book for Written {
    fn sheets(&self) -> &[SheetInfo] {
        &self.0
    }

    fn rows(&mut self, sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
        let mut row = Row::default();
        for (at, texts) in self.1[sheet].iter().enumerate() {
            row.begin(at as u64 + 1);
            texts.split('|').enumerate().try_for_each(|(column, text)| row.set(column, text))?;
            if !take(&row)? {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn months() -> Box<dyn Book> {
    let sheets = [("Oct", false), ("Notes", false), ("Old", true), ("Nov", false)];
    let info = |(name, is_hidden): (&str, bool)| SheetInfo { name: name.to_owned(), is_hidden };
    let rows = vec![
        vec!["id|price", "1|4.99", "2|5.99"],
        vec!["written by hand"],
        vec!["id|price", "9|9.99"],
        vec!["Price|stock|ID", "3.99|yes|3"],
    ];
    Box::new(Written(sheets.map(info).into(), rows))
}

/// Names, rows with their numbers, and sheets that are not read.
fn picked(chosen: Option<&[String]>) -> Result<(Vec<String>, Vec<Numbered>, Vec<String>)> {
    let holds = |header: &[String]| header.iter().any(|name| folded(name) == "price");
    let (mut parts, decoder) = pick(months(), chosen, &holds)?;
    let rows = rows_of(&mut parts, &decoder)?;
    Ok((decoder.names().to_vec(), rows, parts.unread().to_vec()))
}

#[test]
fn every_visible_sheet_with_the_columns_is_read_by_the_names_of_its_columns() {
    let (names, rows, unread) = picked(None).unwrap();
    assert_eq!(names, ["id", "price", "stock"]);
    let row = |number, text: &str| (number, text.to_owned());
    assert_eq!(rows, [row(2, "1|4.99|-"), row(3, "2|5.99|-"), row(5, "3|3.99|yes")]);
    assert_eq!(unread, ["Notes (without the required columns)", "Old (hidden)"]);
}

#[test]
fn chosen_sheets_are_read_alone() {
    let chosen = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (_, rows, unread) = picked(Some(&chosen(&["Old"]))).unwrap();
    assert_eq!(rows, [(2, "9|9.99".to_owned())]);
    assert_eq!(unread, ["Oct", "Notes", "Nov"]);
    let error = |names: &[&str]| picked(Some(&chosen(names))).unwrap_err().to_string();
    assert_eq!(
        error(&["Dec"]),
        "the workbook does not have a sheet \"Dec\"; its sheets are Oct, Notes, Old, Nov"
    );
    assert!(error(&["Oct", "Notes"]).contains("sheet Notes begins with written by hand"));
}
