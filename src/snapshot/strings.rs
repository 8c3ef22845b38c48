//! A column of strings as two arrays: end offsets, and the concatenated UTF-8 bytes.
//!
//! The same layout is built in memory ([`Strings`]) and read from a mapping ([`StringsView`]), so a string column is
//! written without conversion and read without a copy.

use std::cmp::Ordering;
use std::ops::Range;

/// The end offset of a string in a column.
pub type StringEnd = u64;

/// A growing string column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    offsets: Vec<StringEnd>,
    bytes: Vec<u8>,
}

impl Strings {
    /// An empty column with capacity for `rows` strings and `bytes` bytes in total.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        Self { offsets: Vec::with_capacity(rows), bytes: Vec::with_capacity(bytes) }
    }

    /// Appends one string.
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(self.bytes.len() as StringEnd);
    }

    /// Appends the strings of another column.
    pub fn extend(&mut self, more: &Self) {
        let before = self.bytes.len() as StringEnd;
        self.bytes.extend_from_slice(&more.bytes);
        self.offsets.extend(more.offsets.iter().map(|end| before + end));
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The string in `row`.
    pub fn get(&self, row: usize) -> &str {
        self.view().get(row)
    }

    /// The column as borrowed slices.
    pub fn view(&self) -> StringsView<'_> {
        StringsView { ends: &self.offsets, bytes: &self.bytes }
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The strings of `rows` in that order, as a new column.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let mut out = Self::with_capacity(rows.len(), self.bytes.len());
        for &row in rows {
            out.push(self.get(row as usize));
        }
        out
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut out = Self::default();
        texts.into_iter().for_each(|text| out.push(text));
        out
    }
}

/// A string column that is read in place. The string of `row` ends at `ends[row]` in `bytes`.
#[derive(Debug, Clone, Copy)]
pub struct StringsView<'a> {
    /// End offsets, ascending, one per string.
    pub ends: &'a [StringEnd],
    /// All strings, concatenated.
    pub bytes: &'a [u8],
}

impl<'a> StringsView<'a> {
    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string in `row`. Empty if the bytes are not UTF-8, which the check at opening excludes.
    pub fn get(&self, row: usize) -> &'a str {
        self.within(self.range(row))
    }

    /// The bytes of the string in `row`.
    pub fn bytes_at(&self, row: usize) -> &'a [u8] {
        &self.bytes[self.range(row)]
    }

    /// The string in a range of the bytes. Empty if the bytes are not UTF-8.
    pub fn within(&self, range: Range<usize>) -> &'a str {
        std::str::from_utf8(&self.bytes[range]).unwrap_or_default()
    }

    /// Index of the row that contains this string; `None` if no row contains it. The strings must be sorted.
    pub fn find(&self, text: &str) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let row = from.midpoint(to);
            match self.bytes_at(row).cmp(text.as_bytes()) {
                Ordering::Equal => return Some(row),
                Ordering::Less => from = row + 1,
                Ordering::Greater => to = row,
            }
        }
        None
    }

    /// The byte range of the string in `row`.
    pub fn range(&self, row: usize) -> Range<usize> {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        from as usize..self.ends[row] as usize
    }

    /// Returns the first fault of the column: decreasing offsets, a last offset that is not the number of bytes, or
    /// invalid UTF-8.
    pub fn fault(&self) -> Option<String> {
        if let Some(row) = self.ends.windows(2).position(|pair| pair[0] > pair[1]) {
            return Some(format!("string offsets decrease at row {row}"));
        }
        if self.ends.last().map_or(0, |&end| end as usize) != self.bytes.len() {
            return Some("the last string offset is not the number of bytes".into());
        }
        let Ok(text) = std::str::from_utf8(self.bytes) else { return Some("strings are not UTF-8".into()) };
        let cut = self.ends.iter().position(|&end| !text.is_char_boundary(end as usize));
        cut.map(|row| format!("string {row} ends inside a character"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_in_order() {
        let strings: Strings = ["a", "", "thé"].into_iter().collect();
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["a", "", "thé"]);
        assert_eq!(strings.take(&[2, 0]).iter().collect::<Vec<_>>(), ["thé", "a"]);
        let mut twice = strings.clone();
        twice.extend(&strings);
        assert_eq!(twice.iter().collect::<Vec<_>>(), ["a", "", "thé", "a", "", "thé"]);
        assert_eq!(strings.view().fault(), None);
    }

    #[test]
    fn strings_in_order_are_found() {
        let texts = ["", "a", "ab", "thé", "z"];
        let strings: Strings = texts.into_iter().collect();
        for (row, text) in texts.into_iter().enumerate() {
            assert_eq!(strings.view().find(text), Some(row));
        }
        assert!(["b", "zz", "aa"].into_iter().all(|text| strings.view().find(text).is_none()));
    }

    #[test]
    fn faults_are_named() {
        let falling = StringsView { ends: &[2, 1], bytes: b"ab" };
        assert!(falling.fault().expect("a fault").contains("decrease"));
        let short = StringsView { ends: &[1], bytes: b"ab" };
        assert!(short.fault().expect("a fault").contains("last string offset"));
        let split = StringsView { ends: &[1, 2], bytes: "é".as_bytes() };
        assert!(split.fault().expect("a fault").contains("character"));
    }
}
