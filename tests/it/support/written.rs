//! A table of texts, written in the formats that a build reads.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use polars::prelude::{DataFrame, DataType, IntoColumn as _, NamedFrom as _, ParquetWriter, Series};
use polars_arrow::array::{Array, PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field};
use polars_arrow::io::ipc::write::{StreamWriter, WriteOptions};
use polars_arrow::record_batch::RecordBatchT;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Columns that are money, in files that have types.
const MONEY: [&str; 2] = ["price", "list_price"];
/// Decimals of money there.
const SCALE: usize = 4;
/// Digits of money there.
const PRECISION: usize = 18;
/// The column that is a day there.
const DAY: &str = "date";

/// Names of columns, and rows of as many values; an empty one is missing.
#[derive(Debug, Clone)]
pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these names and values.
    pub fn new(names: &str, rows: &[&[&str]]) -> Self {
        let owned = |row: &&[&str]| row.iter().map(|value| (*value).to_owned()).collect();
        Self { names: names.split(',').map(str::to_owned).collect(), rows: rows.iter().map(owned).collect() }
    }

    /// The same without a column.
    pub fn without(&self, name: &str) -> Self {
        let at = self.place(name);
        let cut = |row: &Vec<String>| {
            let mut row = row.clone();
            row.remove(at);
            row
        };
        Self { names: cut(&self.names), rows: self.rows.iter().map(cut).collect() }
    }

    /// The rows in which a column has this value.
    pub fn only(&self, name: &str, value: &str) -> Self {
        let at = self.place(name);
        let rows = self.rows.iter().filter(|row| row[at] == value).cloned().collect();
        Self { names: self.names.clone(), rows }
    }

    /// The values of a column that are different, in order.
    pub fn values(&self, name: &str) -> Vec<String> {
        let mut values: Vec<String> = self.texts(self.place(name)).map(str::to_owned).collect();
        values.sort();
        values.dedup();
        values
    }

    /// The same with the values of a column changed.
    pub fn with(mut self, name: &str, change: impl Fn(&str) -> String) -> Self {
        let at = self.place(name);
        self.rows.iter_mut().for_each(|row| row[at] = change(&row[at]));
        self
    }

    /// The values of some columns, row by row.
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> impl Iterator<Item = [&str; N]> {
        let places = names.map(|name| self.place(name));
        self.rows.iter().map(move |row| places.map(|at| row[at].as_str()))
    }

    fn place(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap()
    }

    fn texts(&self, at: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row[at].as_str())
    }

    /// Values between separators, in quotes where they hold one.
    pub fn separated(&self, separator: char) -> String {
        let value = |text: &String| {
            if text.contains([separator, '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.clone()
            }
        };
        let line =
            |row: &Vec<String>| row.iter().map(value).collect::<Vec<_>>().join(&separator.to_string()) + "\n";
        std::iter::once(&self.names).chain(&self.rows).map(line).collect()
    }

    /// An object a line; money without quotes.
    pub fn ndjson(&self) -> String {
        let line = |row: &Vec<String>| {
            let field = |(name, value): (&String, &String)| {
                let value = match &**value {
                    "" => "null".to_owned(),
                    text if MONEY.contains(&name.as_str()) => text.to_owned(),
                    text => serde_json::Value::from(text).to_string(),
                };
                format!("{}:{value}", serde_json::Value::from(name.as_str()))
            };
            format!("{{{}}}\n", self.names.iter().zip(row).map(field).collect::<Vec<_>>().join(","))
        };
        self.rows.iter().map(line).collect()
    }

    /// Parquet with money as DECIMAL and days as dates.
    pub fn parquet(&self) -> Vec<u8> {
        let column = |(at, name): (usize, &String)| {
            let texts = self.texts(at).map(|text| Some(text).filter(|text| !text.is_empty()));
            let series = match name.as_str() {
                DAY => Series::new(name.into(), self.days(at)).cast(&DataType::Date).unwrap(),
                _ => Series::new(name.into(), texts.collect::<Vec<_>>()),
            };
            let is_money = MONEY.contains(&name.as_str());
            let decimal = DataType::Decimal(PRECISION, SCALE);
            if is_money { series.strict_cast(&decimal).unwrap() } else { series }.into_column()
        };
        let columns = self.names.iter().enumerate().map(column).collect();
        let mut frame = DataFrame::new(self.rows.len(), columns).unwrap();
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes).with_row_group_size(Some(100)).finish(&mut frame).unwrap();
        bytes
    }

    /// A stream of Arrow, money as decimals and days as dates, in batches of a hundred rows.
    pub fn arrow(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::new(&mut bytes, WriteOptions { compression: None });
        let arrays: Vec<Box<dyn Array>> = (0..self.names.len()).map(|at| self.array(at)).collect();
        let fields = self.names.iter().zip(&arrays);
        let fields =
            fields.map(|(name, array)| Field::new(name.as_str().into(), array.dtype().clone(), true));
        let schema: ArrowSchema = fields.map(|field| (field.name.clone(), field)).collect();
        writer.start(&schema, None).unwrap();
        for from in (0..self.rows.len()).step_by(100) {
            let rows = (self.rows.len() - from).min(100);
            let part = arrays.iter().map(|array| array.sliced(from, rows)).collect();
            writer.write(&RecordBatchT::new(rows, schema.clone().into(), part), None).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    fn array(&self, at: usize) -> Box<dyn Array> {
        let name = self.names[at].as_str();
        if name == DAY {
            return PrimitiveArray::<i32>::from(self.days(at)).to(ArrowDataType::Date32).boxed();
        }
        if MONEY.contains(&name) {
            let units = |text: &str| (!text.is_empty()).then(|| units(text));
            let units: Vec<Option<i128>> = self.texts(at).map(units).collect();
            return PrimitiveArray::<i128>::from(units).to(ArrowDataType::Decimal(PRECISION, SCALE)).boxed();
        }
        let texts = self.texts(at).map(|text| Some(text).filter(|text| !text.is_empty()));
        texts.collect::<Utf8Array<i64>>().boxed()
    }

    fn days(&self, at: usize) -> Vec<Option<i32>> {
        let day = |text: &str| {
            let day: jiff::civil::Date = text.parse().unwrap();
            Some((day - jiff::civil::date(1970, 1, 1)).get_days())
        };
        self.texts(at).map(day).collect()
    }

    /// A workbook of Excel with one sheet; money and nothing else as numbers.
    pub fn xlsx(&self) -> Vec<u8> {
        const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        const LINKS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
        let mut rows = String::new();
        for (at, row) in std::iter::once(&self.names).chain(&self.rows).enumerate() {
            rows += &format!("<row r=\"{}\">", at + 1);
            for (name, value) in self.names.iter().zip(row) {
                rows += &if at > 0 && MONEY.contains(&name.as_str()) && !value.is_empty() {
                    format!("<c><v>{value}</v></c>")
                } else {
                    format!("<c t=\"inlineStr\"><is><t>{}</t></is></c>", escaped(value))
                };
            }
            rows += "</row>";
        }
        zipped(&[
            (
                "[Content_Types].xml",
                &format!(
                    "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
                ),
            ),
            (
                "_rels/.rels",
                &format!(
                    "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" Type=\"{LINKS}/officeDocument\" \
                     Target=\"xl/workbook.xml\"/></Relationships>"
                ),
            ),
            (
                "xl/workbook.xml",
                &format!(
                    "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{LINKS}\"><sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/>\
                     </sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                &format!(
                    "<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" Type=\"{LINKS}/worksheet\" \
                     Target=\"worksheets/sheet1.xml\"/></Relationships>"
                ),
            ),
            (
                "xl/worksheets/sheet1.xml",
                &format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>"),
            ),
        ])
    }

    /// An OpenDocument sheet, all of it text.
    pub fn ods(&self) -> Vec<u8> {
        const NAMES: &str = "urn:oasis:names:tc:opendocument:xmlns";
        let mut rows = String::new();
        for row in std::iter::once(&self.names).chain(&self.rows) {
            rows += "<table:table-row>";
            for value in row {
                rows += &format!(
                    "<table:table-cell office:value-type=\"string\"><text:p>{}</text:p></table:table-cell>",
                    escaped(value)
                );
            }
            rows += "</table:table-row>";
        }
        let content = format!(
            "<office:document-content xmlns:office=\"{NAMES}:office:1.0\" xmlns:table=\"{NAMES}:table:1.0\" \
             xmlns:text=\"{NAMES}:text:1.0\"><office:body><office:spreadsheet><table:table table:name=\"Prices\">{rows}\
             </table:table></office:spreadsheet></office:body></office:document-content>"
        );
        zipped(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
    }
}

/// Ten-thousandths of a decimal number.
fn units(text: &str) -> i128 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{decimals:0<SCALE$}").parse().unwrap()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A zip archive of texts.
pub fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Bytes in a gzip.
pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A text in UTF-16, the little end first unless told otherwise.
pub fn utf16(text: &str, mark: bool, little: bool) -> Vec<u8> {
    let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
    units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

/// A text whose letters are all in Latin 1, in Latin 1.
pub fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
}
