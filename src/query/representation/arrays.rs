//! A table as arrays of Arrow, for the writers of Arrow streams and of Parquet.
//!
//! Every column may be null, whatever the rows hold: the schema is that of the route.

use polars::prelude::PolarsResult;
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8Array};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field, TimeUnit};
use polars_arrow::offset::{Offset, Offsets};
use polars_arrow::record_batch::RecordBatchT;

use super::columns::ColumnKind;
use super::table::{AnswerTable, Cells, Values};
use crate::types::{Day, Instant};

/// Key of the metadata of a file or stream under which the answer without its rows stands, as JSON.
pub const HEAD_KEY: &str = "pricebook";

/// The columns of a table with the types of Arrow; offsets of texts have the width of `O`.
pub(super) fn schema<O: Offset>(table: &AnswerTable) -> ArrowSchema {
    let field = |kind: ColumnKind, name: &str| Field::new(name.into(), dtype::<O>(kind), true);
    table.columns().iter().map(|column| field(column.kind, &column.name)).collect()
}

/// The rows of a table.
///
/// # Errors
/// When its texts are too long for offsets of this width.
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

/// Reads every text; what stands where there is none is empty.
fn read<T>(text: &str, ends: &[usize], one: impl Fn(&str) -> T) -> Vec<T> {
    let mut from = 0;
    ends.iter().map(|&to| one(&text[std::mem::replace(&mut from, to)..to])).collect()
}
