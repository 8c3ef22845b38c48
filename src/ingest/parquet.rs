//! Parquet: some rows of a row group at a time, column by column, as text ([`super::typed`]).
//!
//! Types come from Parquet's own schema alone. What writers add of Arrow's (`ARROW:schema`) says nothing more about the
//! values here, and where it disagrees with the columns it is wrong. The file is read and not mapped, so that one which
//! shrinks meanwhile is an error.

use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use polars::prelude::{ArrowDataType, PlSmallStr};
use polars_arrow::array::Array;
use polars_arrow::datatypes::Field;
use polars_buffer::Buffer;
use polars_parquet::parquet::schema::types::GroupConvertedType;
use polars_parquet::read::schema::parquet_to_arrow_schema;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, Filter, PageReader, ParquetType,
    column_iter_to_arrays, read_metadata,
};
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;
use polars_parquet_format::{PageHeader, PageType};

use super::typed::{self, Decoded, SLICE_ROWS, guarded};
use crate::snapshot::safe_open;
use crate::snapshot::tables::Input;

/// Most digits of a decimal that Polars takes for one of 128 bits.
const NARROW_DIGITS_MAX: usize = 38;
/// Bytes of the largest page, decompressed; writers aim at a megabyte.
const PAGE_BYTES_MAX: i32 = 512 << 20;

/// Some rows of a row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    group: usize,
    /// The first of them, counted in the group from 0.
    from: usize,
    rows: usize,
    /// Number of that row in the file, from 1.
    first: u64,
}

/// The parts of a file, in order.
#[derive(Debug)]
pub(super) struct Parts {
    /// Rows of each group. A footer may say any number of rows, so groups are cut when they are read.
    groups: Vec<usize>,
    next: Part,
}

/// A column of the file.
#[derive(Debug)]
struct Column {
    field: Field,
    /// Its place among the columns of a row group.
    leaf: usize,
}

/// Knows the columns of a file.
#[derive(Debug)]
pub(super) struct Decoder {
    path: PathBuf,
    footer: Arc<FileMetadata>,
    names: Vec<String>,
    kinds: Vec<ArrowDataType>,
    columns: Vec<Column>,
}

impl Parts {
    fn new(groups: Vec<usize>) -> Self {
        Self { groups, next: Part { group: 0, from: 0, rows: 0, first: 1 } }
    }

    /// The next rows; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Part>> {
        while self.groups.get(self.next.group).is_some_and(|&rows| self.next.from == rows) {
            self.next = Part { group: self.next.group + 1, from: 0, ..self.next };
        }
        let Some(&rows) = self.groups.get(self.next.group) else { return Ok(None) };
        let part = Part { rows: SLICE_ROWS.min(rows - self.next.from), ..self.next };
        self.next.from += part.rows;
        self.next.first =
            part.first.checked_add(part.rows as u64).context("the footer states too many rows")?;
        Ok(Some(part))
    }
}

/// Opens `path` and reads its footer.
///
/// # Errors
/// When it cannot be read or is no Parquet file.
pub(super) fn open(path: &Path) -> Result<(Parts, Decoder)> {
    guarded(|| open_sound(path))
}

fn open_sound(path: &Path) -> Result<(Parts, Decoder)> {
    let footer = read_metadata(&mut safe_open::open(path)?.0)?;
    let (mut columns, mut leaf) = (Vec::new(), 0);
    for root in footer.schema().fields() {
        let kind = kind_of(root);
        columns.push(Column { field: Field::new(PlSmallStr::from_str(root.name()), kind, true), leaf });
        leaf += leaves(root);
    }
    for group in &footer.row_groups {
        ensure!(group.n_columns() == leaf, "a row group has {} columns, expected {leaf}", group.n_columns());
    }
    let groups = footer.row_groups.iter().map(polars_parquet::read::RowGroupMetadata::num_rows).collect();
    let decoder = Decoder {
        path: path.to_path_buf(),
        names: columns.iter().map(|column| column.field.name.to_string()).collect(),
        kinds: columns.iter().map(|column| column.field.dtype.clone()).collect(),
        columns,
        footer: Arc::new(footer),
    };
    Ok((Parts::new(groups), decoder))
}

/// Columns of a row group that a column of the table takes: one, but for structs.
fn leaves(column: &ParquetType) -> usize {
    match column {
        ParquetType::PrimitiveType(_) => 1,
        ParquetType::GroupType { fields, .. } => fields.iter().map(leaves).sum(),
    }
}

fn kind_of(column: &ParquetType) -> ArrowDataType {
    let nothing = ArrowDataType::Struct(vec![]);
    match column {
        ParquetType::PrimitiveType(_) => {}
        ParquetType::GroupType { converted_type, .. } => {
            let is_list = matches!(converted_type, Some(GroupConvertedType::List));
            return if is_list { list_of(nothing) } else { nothing };
        }
    }
    let schema = parquet_to_arrow_schema(std::slice::from_ref(column));
    match schema.iter_values().next().map(|field| field.dtype.clone()) {
        Some(ArrowDataType::Decimal(digits, scale)) if digits > NARROW_DIGITS_MAX => {
            ArrowDataType::Decimal256(digits, scale)
        }
        kind => kind.unwrap_or(nothing),
    }
}

fn list_of(items: ArrowDataType) -> ArrowDataType {
    ArrowDataType::List(Box::new(Field::new(PlSmallStr::EMPTY, items, true)))
}

impl Decoder {
    /// Names of the columns, in file order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Fails where a wanted column holds values that have no text.
    pub(super) fn check(&self, positions: &[Option<usize>], columns: &[Input]) -> Result<()> {
        typed::check(&self.names, &self.kinds, positions, columns)
    }

    /// The columns at `positions` of the rows of `part`.
    pub(super) fn decode(&self, part: Part, positions: &[Option<usize>]) -> Result<Decoded> {
        let column = |at: usize| {
            let arrays = self.arrays(&self.columns[at], part)?;
            let rows: usize = arrays.iter().map(|array| array.len()).sum();
            ensure!(
                rows == part.rows,
                "from row {} on: the file contains fewer rows than its footer states",
                part.first
            );
            typed::texts(arrays.iter().map(AsRef::as_ref))
        };
        let named = |at: usize| {
            guarded(|| column(at)).with_context(|| format!("column {}: cannot be read", self.names[at]))
        };
        let columns = typed::columns_at(positions, named)?;
        Ok(Decoded { columns, rows: part.rows, first: part.first })
    }

    fn arrays(&self, column: &Column, part: Part) -> Result<Vec<Box<dyn Array>>> {
        let chunk = &self.footer.row_groups[part.group].parquet_columns()[column.leaf];
        let bytes = Buffer::from(bytes_of(&safe_open::open(&self.path)?.0, chunk)?);
        check_pages(&bytes, self.footer.row_groups[part.group].num_rows())?;
        let pages = PageReader::new(Cursor::new(bytes), chunk, vec![], usize::MAX);
        let kinds = vec![&chunk.descriptor().descriptor.primitive_type];
        let rows = Filter::new_ranged(part.from, part.from + part.rows);
        let pages = vec![BasicDecompressor::new(pages, vec![])];
        Ok(column_iter_to_arrays(pages, kinds, column.field.clone(), Some(rows))?.0)
    }
}

/// Fails where pages are larger than they may be or do not hold `rows` values. Polars makes room for what their headers
/// say before it looks, and the process ends where there is none.
fn check_pages(chunk: &[u8], rows: usize) -> Result<()> {
    let (mut rest, mut values) = (chunk, 0_u64);
    while values < rows as u64 {
        let header =
            PageHeader::read_from_in_protocol(&mut TCompactInputProtocol::new(&mut rest, chunk.len()))?;
        let size = header.uncompressed_page_size;
        ensure!(
            (0..=PAGE_BYTES_MAX).contains(&size),
            "a page has {size} bytes; at most {PAGE_BYTES_MAX} are supported"
        );
        let data = match header.type_ {
            PageType::DATA_PAGE => header.data_page_header.map(|page| page.num_values),
            PageType::DATA_PAGE_V2 => header.data_page_header_v2.map(|page| page.num_values),
            PageType::DICTIONARY_PAGE => {
                let words =
                    header.dictionary_page_header.context("a dictionary does not have a header")?.num_values;
                ensure!((0..=size).contains(&words), "a dictionary of {words} values has {size} bytes");
                Some(0)
            }
            _ => Some(0),
        };
        let more = u64::try_from(data.context("a page does not have a header")?)
            .context("a page has a negative size")?;
        values = values.saturating_add(more);
        let len = usize::try_from(header.compressed_page_size).context("a page has a negative size")?;
        rest = rest.get(len..).context("a page extends beyond its column")?;
    }
    ensure!(values == rows as u64, "the pages contain {values} values, but the footer states {rows}");
    Ok(())
}

/// The pages of a column in a row group, as they lie in the file.
fn bytes_of(mut file: &File, chunk: &ColumnChunkMetadata) -> Result<Vec<u8>> {
    let (place, length) = (chunk.byte_range(), file.metadata()?.len());
    ensure!(place.start <= place.end && place.end <= length, "a column extends beyond the file");
    let len = place.end - place.start;
    file.seek(SeekFrom::Start(place.start))?;
    let mut bytes = Vec::with_capacity(len as usize);
    file.take(len).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 == len, "the file was truncated while it was read");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of a file that [`make.py`](../../../tests/golden/input/make.py) made: names and texts.
    fn read(name: &str) -> Result<Vec<(String, Vec<Option<String>>)>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/input").join(name);
        let (mut parts, decoder) = open(&path)?;
        let kept: Vec<usize> =
            (0..decoder.names.len()).filter(|&at| typed::has_text(&decoder.kinds[at])).collect();
        let positions: Vec<Option<usize>> = kept.iter().copied().map(Some).collect();
        let mut columns: Vec<_> = kept.iter().map(|&at| (decoder.names()[at].clone(), vec![])).collect();
        let mut next = 1;
        while let Some(part) = parts.next()? {
            let decoded = decoder.decode(part, &positions)?;
            assert_eq!(decoded.first, next);
            next += decoded.rows as u64;
            for (texts, (_, column)) in decoded.columns.into_iter().zip(&mut columns) {
                column.extend(texts.unwrap().iter().map(|text| text.map(str::to_owned)));
            }
        }
        Ok(columns)
    }

    fn texts(columns: &[(String, Vec<Option<String>>)], name: &str) -> Vec<String> {
        let column = columns.iter().find(|(column, _)| column == name).unwrap_or_else(|| panic!("{name}"));
        column.1.iter().map(|text| text.clone().unwrap_or_else(|| "-".to_owned())).collect()
    }

    #[test]
    fn every_type_of_pyarrow_is_read() {
        let columns = read("typed.parquet").unwrap();
        let id = "a longer id than fits into a view";
        for (name, expected) in [
            ("text", ["4711", id, ""]),
            ("large_text", ["4711", id, ""]),
            ("view", ["4711", id, ""]),
            ("binary", ["4711", id, ""]),
            ("category", ["ca", "us", "ca"]),
            ("small_category", ["ca", "-", "us"]),
            ("number_category", ["7", "-", "7"]),
            ("flag", ["-", "true", "false"]),
            ("nothing", ["-", "-", "-"]),
            ("double", ["-", "4.99", "1299"]),
            ("single", ["-", "4.99", "1299"]),
            ("decimal9", ["-", "4.99", "1299"]),
            ("decimal18", ["-", "4.99", "1299"]),
            ("decimal38", ["-", "4.99", "1299"]),
            ("decimal76", ["-", "4.99", "1299"]),
            ("day", ["2026-10-29", "2026-10-30", "2026-10-31"]),
            ("day64", ["2026-10-29", "2026-10-30", "2026-10-31"]),
        ] {
            assert_eq!(texts(&columns, name), expected, "{name}");
        }
        for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] {
            assert_eq!(texts(&columns, name), ["-", "7", "100"], "{name}");
        }
        for (unit, fraction) in [("s", ""), ("ms", ".25"), ("us", ".25"), ("ns", ".25")] {
            let instants = [29, 30, 31].map(|day| format!("2026-10-{day}T22:30:00{fraction}Z"));
            assert_eq!(texts(&columns, &format!("instant_{unit}")), instants, "{unit}");
            assert_eq!(texts(&columns, &format!("zoned_{unit}")), instants, "{unit}");
        }
        assert!(!columns.iter().any(|(name, _)| ["time", "list"].contains(&name.as_str())));
    }

    #[test]
    fn every_codec_is_read() {
        let expected = read("snappy.parquet").unwrap();
        assert_eq!(texts(&expected, "decimal38"), ["-", "4.99", "1299"]);
        for codec in ["gzip", "brotli", "zstd", "lz4"] {
            assert_eq!(read(&format!("{codec}.parquet")).unwrap(), expected, "{codec}");
        }
    }

    #[test]
    fn other_writers_are_read() {
        let columns = read("integers.parquet").unwrap();
        for name in ["decimal9", "decimal18", "decimal38"] {
            assert_eq!(texts(&columns, name), ["-", "4.99", "1299"], "{name}");
        }
        assert_eq!(texts(&columns, "instant_us")[2], "2026-10-31T22:30:00.25Z", "96 bits");
        let columns = read("pandas.parquet").unwrap();
        assert_eq!(texts(&columns, "country"), ["ca", "us", "ca"]);
        assert_eq!(texts(&columns, "date")[0], "2026-10-29T22:30:00.25Z");
        assert_eq!(texts(&columns, "price"), ["-", "4.99", "1299"]);
        assert_eq!(texts(&columns, "review_count"), ["-", "7", "100"]);
        let columns = read("duckdb.parquet").unwrap();
        assert_eq!(texts(&columns, "date"), ["2026-10-29", "2026-10-30", "2026-10-31"]);
        assert_eq!(texts(&columns, "price"), ["-", "4.99", "12.99"]);
        assert_eq!(texts(&columns, "seen")[0], "2026-10-29T22:30:00.25Z");
        assert_eq!(texts(&columns, "stock"), ["1", "-", "3"]);
    }

    /// Whatever a file says of itself, it is read or it is an error.
    #[test]
    fn damage_is_an_error_and_no_panic() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/input");
        let whole = std::fs::read(golden.join("duckdb.parquet")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.parquet");
        let mut refused = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            std::fs::write(&path, bytes).unwrap();
            let decoded = open(&path).and_then(|(mut parts, decoder)| {
                let positions = [Some(0), Some(3), None];
                decoder.check(&positions, &[])?;
                while let Some(part) = parts.next()? {
                    // A footer may say any number of rows.
                    ensure!(part.first < 1 << 30, "too many");
                    decoder.decode(part, &positions)?;
                }
                Ok(())
            });
            refused += usize::from(decoded.is_err());
        }
        assert!(refused > whole.len() / 4, "{refused}");
    }

    /// However many rows a footer says there are, nothing is kept for each of them.
    #[test]
    fn row_groups_are_cut_when_they_are_read() {
        let part = |group, from, rows, first| Part { group, from, rows, first };
        let mut parts = Parts::new(vec![0, SLICE_ROWS + 1, 0, 3, 0]);
        let cut: Vec<Part> = std::iter::from_fn(|| parts.next().unwrap()).collect();
        let slice = SLICE_ROWS as u64;
        let expected =
            [part(1, 0, SLICE_ROWS, 1), part(1, SLICE_ROWS, 1, slice + 1), part(3, 0, 3, slice + 2)];
        assert_eq!(cut, expected);
        let mut endless = Parts::new(vec![usize::MAX, usize::MAX]);
        assert_eq!(endless.next().unwrap(), Some(part(0, 0, SLICE_ROWS, 1)));
    }
}
