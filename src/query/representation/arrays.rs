//! A table as Arrow arrays, for the writers of Arrow streams and of Parquet.
//!
//! Every column is nullable, even if none of its cells is null, because the schema depends on the route alone.

use polars::prelude::PolarsResult;
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8Array};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field, TimeUnit};
use polars_arrow::offset::{Offset, Offsets};
use polars_arrow::record_batch::RecordBatchT;

use super::columns::ColumnKind;
use super::table::{AnswerTable, Cells, Values};
use crate::types::{Day, Instant};

/// Metadata key of a file or stream under which the answer without its rows is stored, as JSON.
pub const HEAD_KEY: &str = "pricebook";

/// Returns the columns of a table with Arrow types. `O` is the width of text offsets.
pub(super) fn schema<O: Offset>(table: &AnswerTable) -> ArrowSchema {
    let field = |kind: ColumnKind, name: &str| Field::new(name.into(), dtype::<O>(kind), true);
    table.columns().iter().map(|column| field(column.kind, &column.name)).collect()
}

/// Returns the rows of a table as a record batch.
///
/// # Errors
/// Returns an error if the texts are too long for offsets of width `O`.
pub(super) fn batch<O: Offset>(
    table: &AnswerTable,
    schema: ArrowSchema,
) -> PolarsResult<RecordBatchT<Box<dyn Array>>> {
    let columns = table.columns().iter().enumerate();
    let arrays = columns.map(|(at, column)| array::<O>(table.cells(at), column.kind));
    RecordBatchT::try_new(table.rows(), schema.into(), arrays.collect::<PolarsResult<_>>()?)
}

fn dtype<O: Offset>(kind: ColumnKind) -> ArrowDataType {
    match kind {
        ColumnKind::Text | ColumnKind::Json => Utf8Array::<O>::default_dtype(),
        ColumnKind::Day => ArrowDataType::Date32,
        ColumnKind::Instant => ArrowDataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ColumnKind::Integer => ArrowDataType::Int64,
        ColumnKind::Number => ArrowDataType::Float64,
        ColumnKind::Flag => ArrowDataType::Boolean,
    }
}

fn array<O: Offset>(cells: &Cells, kind: ColumnKind) -> PolarsResult<Box<dyn Array>> {
    let validity = cells.present.contains(&false).then(|| bits(&cells.present));
    let dtype = dtype::<O>(kind);
    Ok(match &cells.values {
        Values::Text { text, ends } => match kind {
            ColumnKind::Day => {
                let days = read(text, ends, |text| Day::parse(text).map_or(0, Day::days));
                PrimitiveArray::try_new(dtype, days.into(), validity)?.boxed()
            }
            ColumnKind::Instant => {
                let micros = read(text, ends, |text| Instant::parse_rfc3339(text).map_or(0, Instant::micros));
                PrimitiveArray::try_new(dtype, micros.into(), validity)?.boxed()
            }
            _ => {
                let from = std::iter::once(0).chain(ends.iter().copied());
                let lengths = from.zip(ends).map(|(from, &to)| to - from);
                let offsets = Offsets::<O>::try_from_lengths(lengths)?;
                Utf8Array::try_new(dtype, offsets.into(), text.clone().into_bytes().into(), validity)?.boxed()
            }
        },
        Values::Integer(values) => PrimitiveArray::try_new(dtype, values.clone().into(), validity)?.boxed(),
        Values::Number(values) => PrimitiveArray::try_new(dtype, values.clone().into(), validity)?.boxed(),
        Values::Flag(values) => BooleanArray::try_new(dtype, bits(values), validity)?.boxed(),
    })
}

fn bits(flags: &[bool]) -> Bitmap {
    flags.iter().copied().collect()
}

/// Parses every text. Null cells have an empty text.
fn read<T>(text: &str, ends: &[usize], one: impl Fn(&str) -> T) -> Vec<T> {
    let mut from = 0;
    ends.iter().map(|&to| one(&text[std::mem::replace(&mut from, to)..to])).collect()
}
