//! The columns of a snapshot: Polars frames over the mapping, and the slices that requests run on.
//!
//! A [`Buffer`] is a slice that keeps its mapping alive. The same buffer backs a column of a frame (for ad-hoc
//! queries, benchmarks and tests) and the field that a request loops over. Neither copies
//! (`tests/it/catalog/zero_copy.rs`).

use polars::prelude::{ChunkedArray, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use polars::prelude::{Column, DataFrame, IntoColumn, PolarsNumericType, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;

pub use crate::snapshot::tables::Listings;
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
