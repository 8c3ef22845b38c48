//! Parquet: a row group at a time, typed columns turned into the text the rules read.
//!
//! Floats become their shortest decimal form, dates `YYYY-MM-DD`, date-times RFC 3339 in UTC (without a zone they
//! count as UTC).

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::{
    ArrowDataType, Column as Series, DataType, IntoColumn, ParallelStrategy, ParquetReader, SerReader,
    StringChunked, TimeUnit,
};

use super::chunk::{Chunk, Lines};
use crate::domain::{Day, Instant};
use crate::snapshot::tables::Input;

/// Most rows decoded at a time; larger row groups are read in slices.
const SLICE_ROWS: usize = 1 << 19;

/// Rows `from..from + len` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    from: usize,
    len: usize,
}

/// The slices of a file, in order.
#[derive(Debug)]
pub(super) struct RowGroups {
    /// What is left of each row group. A footer may say any number of rows, so slices are cut when they are read.
    groups: Vec<Slice>,
    at: usize,
}

/// Knows the columns of a file.
#[derive(Debug)]
pub(super) struct Decoder {
    path: PathBuf,
    columns: &'static [Input],
    wanted: Vec<String>,
    unknown: Vec<String>,
}

impl RowGroups {
    pub(super) fn next_slice(&mut self) -> Option<Slice> {
        while self.groups.get(self.at).is_some_and(|group| group.len == 0) {
            self.at += 1;
        }
        let group = self.groups.get_mut(self.at)?;
        let slice = Slice { from: group.from, len: group.len.min(SLICE_ROWS) };
        *group = Slice { from: group.from + slice.len, len: group.len - slice.len };
        Some(slice)
    }
}

/// Reads something with Polars, which panics over some damaged files; what it had of them is dropped.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| bail!("it is damaged; write the file again"))
}

/// Opens `path` and reads its footer.
pub(super) fn open(path: &Path, columns: &'static [Input]) -> Result<(RowGroups, Decoder)> {
    guarded(|| open_sound(path, columns))
}

fn open_sound(path: &Path, columns: &'static [Input]) -> Result<(RowGroups, Decoder)> {
    let mut reader = ParquetReader::new(File::open(path)?);
    let schema = reader.schema()?;
    let names: Vec<String> = schema.iter_names().map(ToString::to_string).collect();
    super::require(super::names(columns), |index| names.iter().any(|name| name == columns[index].name))?;
    for column in columns {
        let kind = schema.get(column.name).map(|field| &field.dtype);
        ensure!(kind.is_none_or(is_read), "column {}: values of type {kind:?} are not read", column.name);
    }
    let (wanted, unknown) =
        names.into_iter().partition(|name| columns.iter().any(|column| column.name == name));
    let (mut groups, mut from) = (Vec::new(), 0_usize);
    for group in &reader.get_metadata()?.row_groups {
        let len = group.num_rows();
        groups.push(Slice { from, len });
        from = from.checked_add(len).context("its footer says more rows than can be")?;
    }
    let decoder = Decoder { path: path.to_path_buf(), columns, wanted, unknown };
    Ok((RowGroups { groups, at: 0 }, decoder))
}

/// Whether values of this type have a text. Decimals are not among them: Polars is built without them.
fn is_read(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    match kind {
        Kind::Dictionary(_, values, _) => is_read(values),
        Kind::Null | Kind::Boolean | Kind::Date32 | Kind::Date64 | Kind::Timestamp(..) => true,
        _ => is_text(kind) || is_number(kind),
    }
}

fn is_text(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    let text = matches!(kind, Kind::Utf8 | Kind::LargeUtf8 | Kind::Utf8View);
    text || matches!(kind, Kind::Binary | Kind::LargeBinary | Kind::BinaryView)
}

fn is_number(kind: &ArrowDataType) -> bool {
    use ArrowDataType as Kind;
    let signed = matches!(kind, Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int64);
    let unsigned = matches!(kind, Kind::UInt8 | Kind::UInt16 | Kind::UInt32 | Kind::UInt64);
    signed || unsigned || matches!(kind, Kind::Float32 | Kind::Float64)
}

impl Decoder {
    pub(super) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    pub(super) fn decode(&self, slice: Slice) -> Result<Chunk> {
        guarded(|| self.decode_sound(slice))
    }

    fn decode_sound(&self, slice: Slice) -> Result<Chunk> {
        let frame = ParquetReader::new(File::open(&self.path)?)
            .with_columns(Some(self.wanted.clone()))
            .with_slice(Some((slice.from, slice.len)))
            .read_parallel(ParallelStrategy::None)
            .finish()?;
        ensure!(frame.height() == slice.len, "row {}: fewer rows than the footer says", slice.from + 1);
        let (mut columns, mut present) = (Vec::new(), 0);
        for (index, column) in self.columns.iter().enumerate() {
            let Ok(series) = frame.column(column.name) else {
                columns.push(None);
                continue;
            };
            let texts = text(series).with_context(|| {
                format!("column {}: values of type {} cannot be read", column.name, series.dtype())
            })?;
            columns.push(Some(texts));
            present |= 1 << index;
        }
        let lines = Lines::From(slice.from as u64 + 1);
        Ok(Chunk { columns, lines, rows: slice.len, present, unknown: vec![], broken: vec![] })
    }
}

fn text(series: &Series) -> Result<StringChunked> {
    Ok(match series.dtype() {
        DataType::Float64 => series.f64()?.iter().map(|value| value.map(|value| value.to_string())).collect(),
        DataType::Float32 => series.f32()?.iter().map(|value| value.map(|value| value.to_string())).collect(),
        DataType::Boolean => {
            series.bool()?.iter().map(|value| value.map(|value| value.to_string())).collect()
        }
        DataType::Date => {
            let days = series.date()?.physical();
            days.iter().map(|day| day.map(date_text)).collect()
        }
        DataType::Datetime(unit, _) => {
            let ticks = series.datetime()?.physical();
            ticks.iter().map(|tick| tick.map(|tick| instant_text(tick, *unit))).collect()
        }
        DataType::String => series.str()?.rechunk().into_owned(),
        _ => series.cast(&DataType::String)?.into_column().str()?.rechunk().into_owned(),
    })
}

/// The date; beyond the calendar its last day, which no rule takes.
fn date_text(days: i32) -> String {
    Day::from_days(days).to_string()
}

/// The instant, floored to microseconds.
fn instant_text(tick: i64, unit: TimeUnit) -> String {
    let micros = match unit {
        TimeUnit::Nanoseconds => tick.div_euclid(1_000),
        TimeUnit::Microseconds => tick,
        TimeUnit::Milliseconds => tick.saturating_mul(1_000),
    };
    Instant::from_micros(micros).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many rows a footer says there are, nothing is kept for each of them.
    #[test]
    fn row_groups_are_cut_when_they_are_read() {
        let slice = |from, len| Slice { from, len };
        let groups = vec![slice(0, 0), slice(0, SLICE_ROWS + 1), slice(SLICE_ROWS + 1, 3)];
        let mut groups = RowGroups { groups, at: 0 };
        let cut: Vec<Slice> = std::iter::from_fn(|| groups.next_slice()).collect();
        assert_eq!(cut, [slice(0, SLICE_ROWS), slice(SLICE_ROWS, 1), slice(SLICE_ROWS + 1, 3)]);
        let mut endless = RowGroups { groups: vec![slice(0, usize::MAX)], at: 0 };
        assert_eq!(endless.next_slice(), Some(slice(0, SLICE_ROWS)));
        assert!(guarded::<()>(|| panic!("a bitmap is too short")).is_err());
    }

    #[test]
    fn ticks_become_text() {
        assert_eq!(date_text(20_000), "2024-10-04");
        assert_eq!(instant_text(1_500, TimeUnit::Milliseconds), "1970-01-01T00:00:01.5Z");
        assert_eq!(instant_text(-1, TimeUnit::Nanoseconds), "1969-12-31T23:59:59.999999Z");
        assert_eq!(date_text(i32::MAX), "9999-12-31");
        assert!(instant_text(i64::MAX, TimeUnit::Milliseconds).starts_with("9999-12-31"));
    }
}
