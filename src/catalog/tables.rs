//! The columns of a snapshot: Polars frames over the mapping, and the slices that requests run on.
//!
//! A [`Buffer`] is a slice that keeps its mapping alive. The same buffer backs a column of a frame (for ad-hoc
//! queries, benchmarks and tests) and the field that a request loops over: neither copies.

use polars::prelude::{ChunkedArray, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use polars::prelude::{Column, DataFrame, IntoColumn, PolarsNumericType, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;

use crate::snapshot::columns::ColumnFile;
pub use crate::snapshot::tables::{Listings, OpenedObservations};
use crate::snapshot::values::AnyColumn;

/// A numeric frame column over the buffer's memory.
fn column<T: PolarsNumericType>(name: &str, buffer: &Buffer<T::Native>) -> Column {
    let array = PrimitiveArray::new(<T::Native as NativeType>::PRIMITIVE.into(), buffer.clone(), None);
    ChunkedArray::<T>::with_chunk(name.into(), array).into_column()
}

/// The columns of numbers as a frame that shares their memory.
fn frame(columns: Vec<(&'static str, AnyColumn<'_>)>) -> PolarsResult<DataFrame> {
    let numbers = columns.into_iter().filter_map(|(name, any)| match any {
        AnyColumn::U8(values) => Some(column::<UInt8Type>(name, values)),
        AnyColumn::U16(values) => Some(column::<UInt16Type>(name, values)),
        AnyColumn::U32(values) => Some(column::<UInt32Type>(name, values)),
        AnyColumn::U64(values) => Some(column::<UInt64Type>(name, values)),
        AnyColumn::I64(values) => Some(column::<Int64Type>(name, values)),
        AnyColumn::Count(values) => Some(column::<UInt32Type>(name, values)),
        AnyColumn::Number(values) => Some(column::<Float64Type>(name, values)),
        AnyColumn::Text(_) | AnyColumn::Offer(_) => None,
    });
    DataFrame::new_infer_height(numbers.collect())
}

impl Listings {
    /// The columns of numbers as a frame that shares their memory; a missing number is what stands for it.
    ///
    /// # Errors
    /// Never for a table that was loaded: its columns have one length.
    pub fn frame(&self) -> PolarsResult<DataFrame> {
        frame(self.columns())
    }
}

impl OpenedObservations {
    /// The columns of numbers as a frame that shares their memory; a missing number is what stands for it.
    ///
    /// # Errors
    /// Never for a table that was loaded: its columns have one length.
    pub fn frame(&self) -> PolarsResult<DataFrame> {
        frame(self.columns())
    }
}

/// Observations with the row offsets of each listing.
pub struct Observations {
    /// Observations of listing `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Buffer<u32>,
    /// The columns.
    pub columns: OpenedObservations,
}

impl Observations {
    /// Takes the columns out of a mapped file.
    ///
    /// # Errors
    /// When a column is missing or has another type or length.
    pub fn load(file: &ColumnFile, listings: usize, rows: usize) -> Result<Self, String> {
        let offsets = file.column_of("offsets", listings + 1)?;
        Ok(Self { offsets, columns: OpenedObservations::load(file, rows)? })
    }

    /// Rows of a listing's observations.
    pub fn of(&self, listing: u32) -> std::ops::Range<usize> {
        self.offsets[listing as usize] as usize..self.offsets[listing as usize + 1] as usize
    }

    /// Rows of a listing's observations on days in `[from, to)`, days counted from the snapshot's first.
    pub fn within(&self, listing: u32, from: u16, to: u16) -> std::ops::Range<usize> {
        let rows = self.of(listing);
        let days = &self.columns.day[rows.clone()];
        let start = first_on_or_after(days, from);
        let end = start + first_on_or_after(&days[start..], to);
        rows.start + start..rows.start + end
    }
}

/// How many of a listing's days, strictly ascending, lie before `day`.
///
/// Where no day is missing, as in most listings, the place follows from the first day; it is looked at before it is
/// searched for.
pub fn first_on_or_after(days: &[u16], day: u16) -> usize {
    let Some(&first) = days.first().filter(|first| **first < day) else { return 0 };
    // No more than this many days fit before it.
    let most = usize::from(day - first).min(days.len());
    if days[most - 1] < day { most } else { days[..most].partition_point(|&seen| seen < day) }
}
