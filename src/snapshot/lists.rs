//! Lists stored one after the other in a mapped column: list `i` ends at `ends[i]`.

use std::ops::Range;

use polars_buffer::Buffer;

use crate::snapshot::columns::{ColumnFile, Element};

/// The end of each list in the columns that contain the entries of all lists.
pub(crate) struct Ends<T = u64>(Buffer<T>);

impl<T: Element + Ord + Into<u64>> Ends<T> {
    /// Loads the ends of `lists` lists from the column `name_ends` of a mapped file. All lists together have `len`
    /// entries.
    ///
    /// # Errors
    /// Returns an error if the column is missing, its values decrease, or the last value is not `len`.
    pub(crate) fn load(file: &ColumnFile, name: &str, lists: usize, len: usize) -> Result<Self, String> {
        let ends: Buffer<T> = file.column_of(&format!("{name}_ends"), lists)?;
        let sorted = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        if !sorted || ends.last().map_or(0, |&end| end.into()) != len as u64 {
            return Err(format!("{name}_ends does not match the {len} entries of {name}"));
        }
        Ok(Self(ends))
    }

    /// The range of entries of consecutive lists.
    pub(crate) fn span(&self, lists: Range<usize>) -> Range<usize> {
        let end = |list: usize| if list == 0 { 0 } else { self.0[list - 1].into() as usize };
        end(lists.start)..end(lists.end)
    }

    /// The range of entries of list `at`.
    pub(crate) fn of(&self, at: usize) -> Range<usize> {
        self.span(at..at + 1)
    }

    /// Number of lists.
    pub(crate) fn lists(&self) -> usize {
        self.0.len()
    }
}

/// Lists of row numbers.
pub(crate) struct RowLists {
    ends: Ends,
    rows: Buffer<u32>,
}

impl RowLists {
    /// Loads `lists` lists from the columns `name_ends` and `name_rows` of a mapped file.
    ///
    /// # Errors
    /// Returns an error if a column is missing or the ends do not fit the rows.
    pub(crate) fn load(file: &ColumnFile, name: &str, lists: usize) -> Result<Self, String> {
        let rows: Buffer<u32> = file.column(&format!("{name}_rows"))?;
        Ok(Self { ends: Ends::load(file, name, lists, rows.len())?, rows })
    }

    /// The rows of list `at`.
    pub(crate) fn get(&self, at: usize) -> &[u32] {
        &self.rows[self.ends.of(at)]
    }

    /// The rows of consecutive lists.
    pub(crate) fn span(&self, lists: Range<usize>) -> &[u32] {
        &self.rows[self.ends.span(lists)]
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.lists()
    }

    /// The rows of all lists, one list after the other.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }
}
