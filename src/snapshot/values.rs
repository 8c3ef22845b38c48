//! The types of column values. Each type defines its representation of a column while a snapshot is built, and in an
//! opened snapshot.
//!
//! A type defines how a value is stored and how a missing value is represented. A table of columns
//! ([`tables`](super::tables)) therefore only names the type of each column.

use std::fmt::Debug;
use std::io;
use std::ops::{Deref, Range};

use polars_buffer::Buffer;
use rayon::prelude::*;

use super::columns::{ColumnFile, ColumnSink, ColumnWriter, Element, StringColumn};
use super::layout::{NONE, Offer};
use super::strings::Strings;
use crate::types::{Condition, Country};

/// A type of column values: numbers, codes, texts, and numbers that may be missing.
pub trait Value: Sized {
    /// The representation of a column while a snapshot is built.
    type Built: BuiltColumn + Debug + Default + Clone + PartialEq;
    /// The representation of a column in an opened snapshot.
    type Opened: OpenedColumn;

    /// Appends the value to a column.
    fn push(self, column: &mut Self::Built);
}

/// A value that is stored unchanged from the input. An unreadable value counts as missing.
pub trait Plain: Value {
    /// Reads a trimmed text and appends its value to a column.
    fn push_text(text: &str, column: &mut Self::Built);
}

impl Plain for String {
    fn push_text(text: &str, column: &mut Strings) {
        column.push(text);
    }
}

impl Plain for Option<u32> {
    /// A whole number. The suffix `.0`, which some exports add, is removed.
    fn push_text(text: &str, column: &mut Vec<u32>) {
        column.push(text.strip_suffix(".0").unwrap_or(text).parse().unwrap_or(u32::MISSING));
    }
}

impl Plain for Option<f64> {
    /// A finite number.
    fn push_text(text: &str, column: &mut Vec<f64>) {
        column.push(text.parse().ok().filter(|number: &f64| number.is_finite()).unwrap_or(f64::MISSING));
    }
}

/// A number that may be missing.
pub trait Missing: Copy {
    /// The value that represents a missing number.
    const MISSING: Self;

    /// Whether the value represents a missing number.
    fn is_missing(self) -> bool;
}

impl Missing for u32 {
    const MISSING: Self = NONE;

    fn is_missing(self) -> bool {
        self == NONE
    }
}

impl Missing for f64 {
    const MISSING: Self = Self::NAN;

    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

/// A column in memory while a snapshot is built. It can be extended, reordered and written.
pub trait BuiltColumn {
    /// Number of values.
    fn rows(&self) -> usize;

    /// Appends another column.
    fn append(&mut self, more: Self)
    where
        Self: Sized;

    /// The values of the given rows, in this order.
    #[must_use]
    fn take(self, rows: &[u32]) -> Self
    where
        Self: Sized;

    /// A range of values.
    #[must_use]
    fn slice(&self, rows: Range<usize>) -> Self
    where
        Self: Sized;

    /// Appends the value in `row` of another column.
    fn push_from(&mut self, other: &Self, row: usize)
    where
        Self: Sized;

    /// Appends the column to a column file or to temporary columns.
    ///
    /// # Errors
    /// Returns an error if the column cannot be written.
    fn write(&self, name: &str, file: &mut dyn ColumnSink) -> io::Result<()>;

    /// A range of rows of the column `name` in a file whose columns have `length` rows.
    ///
    /// # Errors
    /// Returns an error if the column is missing or damaged, or has another type or length.
    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Self, String>
    where
        Self: Sized;
}

/// A value that can be stored in a column file.
pub trait Writable: Copy + Send + Sync {
    /// Writes a column of these values.
    ///
    /// # Errors
    /// Returns an error if the column cannot be written.
    fn write(values: &[Self], name: &str, file: &mut dyn ColumnSink) -> io::Result<()>;

    /// A range of values of a column that was written by [`Self::write`] and has `length` values.
    ///
    /// # Errors
    /// Returns an error if the column is missing, has another type or length, or contains an invalid value.
    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Vec<Self>, String>;
}

impl<T: Element> Writable for T {
    fn write(values: &[Self], name: &str, file: &mut dyn ColumnSink) -> io::Result<()> {
        file.append(name, T::TAG, bytemuck::cast_slice(values))
    }

    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Vec<Self>, String> {
        Ok(file.column_of::<Self>(name, length)?[rows].to_vec())
    }
}

impl<T: Writable> BuiltColumn for Vec<T> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn append(&mut self, more: Self) {
        self.extend_from_slice(&more);
    }

    fn take(self, rows: &[u32]) -> Self {
        rows.par_iter().map(|&row| self[row as usize]).collect()
    }

    fn slice(&self, rows: Range<usize>) -> Self {
        self[rows].to_vec()
    }

    fn push_from(&mut self, other: &Self, row: usize) {
        self.push(other[row]);
    }

    fn write(&self, name: &str, file: &mut dyn ColumnSink) -> io::Result<()> {
        T::write(self, name, file)
    }

    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Self, String> {
        T::read(file, name, length, rows)
    }
}

impl BuiltColumn for Strings {
    fn rows(&self) -> usize {
        self.len()
    }

    fn append(&mut self, more: Self) {
        self.extend(&more);
    }

    fn take(self, rows: &[u32]) -> Self {
        Self::take(&self, rows)
    }

    fn slice(&self, rows: Range<usize>) -> Self {
        rows.map(|row| self.get(row)).collect()
    }

    fn push_from(&mut self, other: &Self, row: usize) {
        self.push(other.get(row));
    }

    fn write(&self, name: &str, file: &mut dyn ColumnSink) -> io::Result<()> {
        file.append_strings(name, self.view())
    }

    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Self, String> {
        let column = file.strings(name, length)?;
        let view = column.view();
        Ok(rows.map(|row| view.get(row)).collect())
    }
}

/// A column that is produced part by part while it is written.
pub trait ColumnParts<T> {
    /// Calls `take` with the parts, in order.
    ///
    /// # Errors
    /// Returns an error if a part cannot be produced, or `take` fails.
    fn each(&self, take: &mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()>;
}

impl<T> ColumnParts<T> for Vec<T> {
    fn each(&self, take: &mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()> {
        take(self)
    }
}

/// Appends a column to a file, part by part.
pub(super) fn write_parts<T: Element>(
    parts: &dyn ColumnParts<T>,
    name: &str,
    file: &mut ColumnWriter,
) -> io::Result<()> {
    file.column::<T>(name, &[])?;
    parts.each(&mut |part| file.column(name, part))
}

/// A column that is read in place from a mapped file.
pub trait OpenedColumn: Sized {
    /// Loads the column `name` from a mapped file.
    ///
    /// # Errors
    /// Returns an error if the column is missing, or has another type or length.
    fn open(file: &ColumnFile, name: &str, rows: usize) -> Result<Self, String>;

    /// The column as the [`AnyColumn`] variant of its type.
    fn any(&self) -> AnyColumn<'_>;
}

/// A column of an opened snapshot, for code that treats all columns alike.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum AnyColumn<'a> {
    U8(&'a Buffer<u8>),
    U16(&'a Buffer<u16>),
    U32(&'a Buffer<u32>),
    U64(&'a Buffer<u64>),
    I64(&'a Buffer<i64>),
    /// Whole numbers that may be missing.
    Count(&'a Optional<u32>),
    /// Numbers that may be missing.
    Number(&'a Optional<f64>),
    /// Texts. An empty text is missing.
    Text(&'a StringColumn),
    Offer(&'a Buffer<Offer>),
}

/// Mapped numbers that may be missing. Dereferenced to a slice, it contains [`Missing::MISSING`] for missing numbers.
#[derive(Debug, Clone)]
pub struct Optional<T>(Buffer<T>);

impl<T: Missing> Optional<T> {
    /// The number in `row`; `None` if it is missing.
    pub fn get(&self, row: u32) -> Option<T> {
        Some(self.0[row as usize]).filter(|value| !value.is_missing())
    }
}

impl<T> Deref for Optional<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.0
    }
}

macro_rules! numbers {
    ($($type:ty => $any:ident),*) => { $(
        impl Value for $type {
            type Built = Vec<$type>;
            type Opened = Buffer<$type>;

            fn push(self, column: &mut Vec<$type>) {
                column.push(self);
            }
        }

        impl OpenedColumn for Buffer<$type> {
            fn open(file: &ColumnFile, name: &str, rows: usize) -> Result<Self, String> {
                file.column_of(name, rows)
            }

            fn any(&self) -> AnyColumn<'_> {
                AnyColumn::$any(self)
            }
        }
    )* };
}
numbers!(u8 => U8, u16 => U16, u32 => U32, u64 => U64, i64 => I64, Offer => Offer);

macro_rules! optional_numbers {
    ($($type:ty => $any:ident),*) => { $(
        impl Value for Option<$type> {
            type Built = Vec<$type>;
            type Opened = Optional<$type>;

            fn push(self, column: &mut Vec<$type>) {
                column.push(self.unwrap_or(<$type>::MISSING));
            }
        }

        impl OpenedColumn for Optional<$type> {
            fn open(file: &ColumnFile, name: &str, rows: usize) -> Result<Self, String> {
                file.column_of(name, rows).map(Self)
            }

            fn any(&self) -> AnyColumn<'_> {
                AnyColumn::$any(self)
            }
        }
    )* };
}
optional_numbers!(u32 => Count, f64 => Number);

/// Implements [`Value`] and [`Writable`] for enums that are stored as a code of one byte.
macro_rules! codes {
    ($($type:ty),*) => { $(
        impl Value for $type {
            type Built = Vec<$type>;
            type Opened = Buffer<u8>;

            fn push(self, column: &mut Vec<$type>) {
                column.push(self);
            }
        }

        impl Writable for $type {
            fn write(values: &[Self], name: &str, file: &mut dyn ColumnSink) -> io::Result<()> {
                let codes: Vec<u8> = values.iter().map(|value| value.as_u8()).collect();
                file.append(name, u8::TAG, &codes)
            }

            fn read(
                file: &ColumnFile,
                name: &str,
                length: usize,
                rows: Range<usize>,
            ) -> Result<Vec<Self>, String> {
                let codes = file.column_of::<u8>(name, length)?;
                let unknown = |code: u8| format!("column {name} has the unknown code {code}");
                let value = |&code| Self::from_u8(code).ok_or_else(|| unknown(code));
                codes[rows].iter().map(value).collect()
            }
        }
    )* };
}
codes!(Country, Condition);

impl Value for String {
    type Built = Strings;
    type Opened = StringColumn;

    fn push(self, column: &mut Strings) {
        column.push(&self);
    }
}

impl OpenedColumn for StringColumn {
    fn open(file: &ColumnFile, name: &str, rows: usize) -> Result<Self, String> {
        file.strings(name, rows)
    }

    fn any(&self) -> AnyColumn<'_> {
        AnyColumn::Text(self)
    }
}

/// The minimum number of rows per parallel task. Tasks of small tables, such as those of category scopes, have fewer
/// rows, because checking one of their rows takes longer.
const ROWS_PER_TASK: usize = 1 << 14;
/// The approximate number of tasks for a small table.
const TASKS: usize = 256;

/// The first row for which `holds` returns false; `None` if it returns true for all rows.
pub(crate) fn first_bad(rows: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let rows_per_task = (rows / TASKS).clamp(1, ROWS_PER_TASK);
    (0..rows).into_par_iter().with_min_len(rows_per_task).find_first(|&row| !holds(row))
}
