//! What columns are made of: the types of their values, and what a column of each is while a snapshot is built and
//! when it is opened.
//!
//! A type settles how a value is kept and what stands for a missing one, so that a table of columns
//! ([`tables`](super::tables)) names nothing but types.

use std::fmt::Debug;
use std::io;
use std::ops::{Deref, Range};

use polars_buffer::Buffer;
use rayon::prelude::*;

use super::columns::{ColumnFile, ColumnSink, ColumnWriter, Element, StringColumn};
use super::layout::{NONE, Offer};
use super::strings::Strings;
use crate::types::{Condition, Country};

/// A type of values: numbers, codes and texts, and numbers that may be missing.
pub trait Value: Sized {
    /// A column of them while a snapshot is built.
    type Built: BuiltColumn + Debug + Default + Clone + PartialEq;
    /// A column of them in an opened snapshot.
    type Opened: OpenedColumn;

    /// Appends the value to a column.
    fn push(self, column: &mut Self::Built);
}

/// A value that is kept as an input says it. What cannot be read is missing.
pub trait Plain: Value {
    /// Reads a trimmed text and appends what it says to a column.
    fn push_text(text: &str, column: &mut Self::Built);
}

impl Plain for String {
    fn push_text(text: &str, column: &mut Strings) {
        column.push(text);
    }
}

impl Plain for Option<u32> {
    /// A whole number; the `.0` of an export goes.
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
    /// The number that stands for none.
    const MISSING: Self;

    /// Whether it is the one that stands for none.
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

/// A column that grows, is put in order and written.
pub trait BuiltColumn {
    /// Number of values.
    fn rows(&self) -> usize;

    /// Appends another column.
    fn append(&mut self, more: Self)
    where
        Self: Sized;

    /// The values of these rows, in this order.
    #[must_use]
    fn take(self, rows: &[u32]) -> Self
    where
        Self: Sized;

    /// Some values in a row.
    #[must_use]
    fn slice(&self, rows: Range<usize>) -> Self
    where
        Self: Sized;

    /// Appends a value of another column.
    fn push_from(&mut self, other: &Self, row: usize)
    where
        Self: Sized;

    /// Appends the column to a file, or to one of temporary columns.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, name: &str, file: &mut dyn ColumnSink) -> io::Result<()>;

    /// Some rows of the column of a name in a file, where columns have so many.
    ///
    /// # Errors
    /// When it is missing or damaged, or has another type or length.
    fn read(file: &ColumnFile, name: &str, length: usize, rows: Range<usize>) -> Result<Self, String>
    where
        Self: Sized;
}

/// A value that has an element of a file.
pub trait Writable: Copy + Send + Sync {
    /// Writes a column of them.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(values: &[Self], name: &str, file: &mut dyn ColumnSink) -> io::Result<()>;

    /// Some values of a column that was written so, where it has so many.
    ///
    /// # Errors
    /// When it is missing, has another type or length, or a value that is none.
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

/// A column that is made part by part while it is written.
pub trait ColumnParts<T> {
    /// Hands over its parts in order.
    ///
    /// # Errors
    /// When a part cannot be made, or is refused.
    fn each(&self, take: &mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()>;
}

impl<T> ColumnParts<T> for Vec<T> {
    fn each(&self, take: &mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()> {
        take(self)
    }
}

/// Appends a column to a file as its parts come.
pub(super) fn write_parts<T: Element>(
    parts: &dyn ColumnParts<T>,
    name: &str,
    file: &mut ColumnWriter,
) -> io::Result<()> {
    file.column::<T>(name, &[])?;
    parts.each(&mut |part| file.column(name, part))
}

/// A column that is read where it is mapped.
pub trait OpenedColumn: Sized {
    /// Takes the column of a name out of a mapped file.
    ///
    /// # Errors
    /// When it is missing, or has another type or length.
    fn open(file: &ColumnFile, name: &str, rows: usize) -> Result<Self, String>;

    /// The column, whatever its type.
    fn any(&self) -> AnyColumn<'_>;
}

/// A column of an opened snapshot, for what treats all columns alike.
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
    /// Texts; an empty one is missing.
    Text(&'a StringColumn),
    Offer(&'a Buffer<Offer>),
}

/// Numbers that may be missing, where they are mapped. As a slice it shows what stands for a missing one.
#[derive(Debug, Clone)]
pub struct Optional<T>(Buffer<T>);

impl<T: Missing> Optional<T> {
    /// The number in `row`, if there is one.
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

/// Words with a code, which is what is kept.
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
                let value = |&code| Self::from_u8(code).ok_or_else(|| format!("column {name} has a code {code}"));
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

/// Rows that one task checks; fewer where the rows are few, such as shelves, and one is work enough.
const ROWS_PER_TASK: usize = 1 << 14;
/// Into so many tasks few rows are cut.
const TASKS: usize = 256;

/// The first row for which `holds` is false.
pub(crate) fn first_bad(rows: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let rows_per_task = (rows / TASKS).clamp(1, ROWS_PER_TASK);
    (0..rows).into_par_iter().with_min_len(rows_per_task).find_first(|&row| !holds(row))
}
