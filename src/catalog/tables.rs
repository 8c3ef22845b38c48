//! The columns of a snapshot: Polars frames over the mapping, and the slices that requests run on.
//!
//! A [`Buffer`] is a slice that keeps its mapping alive. The same buffer backs a column of a frame (for ad-hoc
//! queries, benchmarks and tests) and the field that a request loops over: neither copies.

use polars::prelude::{ChunkedArray, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use polars::prelude::{Column, DataFrame, IntoColumn, PolarsNumericType, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;

use crate::snapshot::columns::{ColumnFile, StringColumn};

/// A numeric frame column over the buffer's memory.
fn column<T: PolarsNumericType>(name: &str, buffer: &Buffer<T::Native>) -> Column {
    let array = PrimitiveArray::new(<T::Native as NativeType>::PRIMITIVE.into(), buffer.clone(), None);
    ChunkedArray::<T>::with_chunk(name.into(), array).into_column()
}

macro_rules! columns {
    ($(#[$about:meta])* $table:ident { $($(#[$field_about:meta])* $field:ident: $native:ty as $polars:ty,)* }
     strings { $($(#[$text_about:meta])* $text:ident,)* }) => {
        $(#[$about])*
        #[allow(missing_docs)]
        pub struct $table {
            $($(#[$field_about])* pub $field: Buffer<$native>,)*
            $($(#[$text_about])* pub $text: StringColumn,)*
        }

        impl $table {
            /// Takes the columns out of a mapped file, all of `rows` rows.
            ///
            /// # Errors
            /// When a column is missing or has another type or length.
            pub fn load(file: &ColumnFile, rows: usize) -> Result<Self, String> {
                Ok(Self {
                    $($field: file.column_of(stringify!($field), rows)?,)*
                    $($text: file.strings(stringify!($text), rows)?,)*
                })
            }

            /// The numeric columns as a frame that shares their memory.
            ///
            /// # Errors
            /// Never for a table that was loaded: its columns have one length.
            pub fn frame(&self) -> PolarsResult<DataFrame> {
                let columns = vec![$(column::<$polars>(stringify!($field), &self.$field),)*];
                DataFrame::new_infer_height(columns)
            }
        }
    };
}

columns! {
    /// Listings, one row each, ordered (country, category in preorder, platform, product id).
    Listings {
        country: u8 as UInt8Type,
        platform: u16 as UInt16Type,
        category: u32 as UInt32Type,
        brand: u32 as UInt32Type,
        condition: u8 as UInt8Type,
        product_uid: u64 as UInt64Type,
        entity: u32 as UInt32Type,
        gtin: u64 as UInt64Type,
        brick: u32 as UInt32Type,
        brick_mapping: u8 as UInt8Type,
        rating: f64 as Float64Type,
        review_count: u32 as UInt32Type,
        priced: u8 as UInt8Type,
        current_day: u16 as UInt16Type,
        current_price: u32 as UInt32Type,
        current_list_price: u32 as UInt32Type,
        current_flags: u8 as UInt8Type,
        latest_instant: i64 as Int64Type,
    }
    strings {
        name,
        product_id,
        url,
    }
}

columns! {
    /// Observations, grouped by listing, days ascending. Days count from the snapshot's first day.
    ObservationColumns {
        day: u16 as UInt16Type,
        price: u32 as UInt32Type,
        list_price: u32 as UInt32Type,
        flags: u8 as UInt8Type,
    }
    strings {}
}

/// Observations with the row offsets of each listing.
pub struct Observations {
    /// Observations of listing `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Buffer<u32>,
    /// The columns.
    pub columns: ObservationColumns,
}

impl Observations {
    /// Takes the columns out of a mapped file.
    ///
    /// # Errors
    /// When a column is missing or has another type or length.
    pub fn load(file: &ColumnFile, listings: usize, rows: usize) -> Result<Self, String> {
        let offsets = file.column_of("offsets", listings + 1)?;
        Ok(Self { offsets, columns: ObservationColumns::load(file, rows)? })
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
