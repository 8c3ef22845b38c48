//! Columns that are written while others are, to be joined to a column file one after the other.

use std::io;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::files::{Scratch, Spool};
use crate::snapshot::columns::{ColumnSink, ColumnWriter, Element, Tag};
use crate::snapshot::{StringEnd, Strings, StringsView};

/// Bytes of a column that wait until they are written.
const WRITE_BYTES: usize = 1 << 18;
/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 18;

/// Columns that grow side by side.
pub struct TempColumns {
    scratch: Scratch,
    columns: Vec<Named>,
}

struct Named {
    name: String,
    tag: Tag,
    spool: Spool,
}

/// A column that is read again.
pub struct TempColumn<T> {
    spool: Spool,
    of: PhantomData<T>,
}

/// Reads a column from its beginning.
pub struct TempReader<'a, T> {
    column: &'a TempColumn<T>,
    next: u64,
    chunk: Vec<T>,
}

impl TempColumns {
    /// None yet.
    pub fn new(scratch: &Scratch) -> Self {
        Self { scratch: scratch.clone(), columns: Vec::new() }
    }

    /// Appends values to the column of a name, which begins with them.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn column<T: Element>(&mut self, name: &str, values: &[T]) -> io::Result<()> {
        self.append(name, T::TAG, bytemuck::cast_slice(values))
    }

    /// Appends a text to the strings of a name.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn push_str(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.append_strings(name, StringsView { ends: &[text.len() as StringEnd], bytes: text.as_bytes() })
    }

    /// Appends the column of a name, or the strings, to a file; they are gone from here.
    ///
    /// # Errors
    /// When there are none of that name, or files cannot be read or written.
    pub fn join(&mut self, name: &str, file: &mut ColumnWriter) -> io::Result<()> {
        self.copy(name, file)?;
        let names = self.parts(name);
        self.columns.retain(|column| !names.contains(&column.name));
        Ok(())
    }

    /// Appends the column of a name, or the strings, to a file, and keeps them.
    ///
    /// # Errors
    /// When there are none of that name, or files cannot be read or written.
    pub fn copy(&self, name: &str, file: &mut ColumnWriter) -> io::Result<()> {
        for name in self.parts(name) {
            let Named { tag, spool, .. } = self.named(&name)?;
            join(spool, &name, *tag, file)?;
        }
        Ok(())
    }

    /// Number of values of a column.
    ///
    /// # Errors
    /// When there is none of that name and type.
    pub fn len<T: Element>(&self, name: &str) -> io::Result<u64> {
        Ok(self.typed::<T>(name)?.len() / size_of::<T>() as u64)
    }

    /// Reads values of a column, from `from` on.
    ///
    /// # Errors
    /// When there is none of that name and type, it has fewer, or its file cannot be read.
    pub fn read_at<T: Element>(&self, name: &str, from: u64, into: &mut [T]) -> io::Result<()> {
        self.typed::<T>(name)?.read(from * size_of::<T>() as u64, bytemuck::cast_slice_mut(into))
    }

    /// The string in `row`.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at).
    pub fn string(&self, name: &str, row: u64) -> io::Result<String> {
        let mut ends: [StringEnd; 2] = [0; 2];
        let from = usize::from(row == 0);
        self.read_at(&ends_of(name), row.saturating_sub(1), &mut ends[from..])?;
        let mut bytes = vec![0; (ends[1] - ends[0]) as usize];
        self.read_at(&bytes_of(name), ends[0], &mut bytes)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    /// Strings from `row` on: at most so many, and about so many bytes, but one where there is one left.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at).
    pub fn strings_from(&self, name: &str, row: u64, rows: usize, bytes: usize) -> io::Result<Strings> {
        let left = self.len::<StringEnd>(&ends_of(name))?.saturating_sub(row).min(rows as u64) as usize;
        if left == 0 {
            return Ok(Strings::default());
        }
        let mut ends: Vec<StringEnd> = vec![0; left + 1];
        let from = usize::from(row == 0);
        self.read_at(&ends_of(name), row.saturating_sub(1), &mut ends[from..])?;
        let begin = ends[0];
        let rows = ends[1..].partition_point(|&end| (end - begin) as usize <= bytes).max(1);
        let mut text = vec![0; (ends[rows] - begin) as usize];
        self.read_at(&bytes_of(name), begin, &mut text)?;
        let text = str::from_utf8(&text).map_err(io::Error::other)?;
        Ok(ends[..=rows]
            .windows(2)
            .map(|pair| &text[(pair[0] - begin) as usize..(pair[1] - begin) as usize])
            .collect())
    }

    /// Names of the columns that a name stands for.
    fn parts(&self, name: &str) -> Vec<String> {
        let is_column = self.columns.iter().any(|column| column.name == name);
        if is_column { vec![name.to_owned()] } else { vec![ends_of(name), bytes_of(name)] }
    }

    fn named(&self, name: &str) -> io::Result<&Named> {
        let missing = || io::Error::other(format!("column {name} does not exist"));
        self.columns.iter().find(|column| column.name == name).ok_or_else(missing)
    }

    fn typed<T: Element>(&self, name: &str) -> io::Result<&Spool> {
        let Named { tag, spool, .. } = self.named(name)?;
        let other = || io::Error::other(format!("column {name} has a different type"));
        (*tag == T::TAG).then_some(spool).ok_or_else(other)
    }

    fn spool(&mut self, name: &str, tag: Tag) -> &mut Spool {
        let at = self.columns.iter().position(|column| column.name == name).unwrap_or_else(|| {
            let spool = Spool::new(&self.scratch, name, WRITE_BYTES);
            self.columns.push(Named { name: name.to_owned(), tag, spool });
            self.columns.len() - 1
        });
        &mut self.columns[at].spool
    }
}

/// Appends all of a spool to a file as a column.
fn join(spool: &Spool, name: &str, tag: Tag, file: &mut ColumnWriter) -> io::Result<()> {
    file.append(name, tag, &[])?;
    let mut block = vec![0; READ_BYTES.min(spool.len() as usize)];
    let mut from = 0;
    while from < spool.len() {
        block.truncate((spool.len() - from) as usize);
        spool.read(from, &mut block)?;
        file.append(name, tag, &block)?;
        from += block.len() as u64;
    }
    Ok(())
}

fn ends_of(name: &str) -> String {
    format!("{name}.ends")
}

fn bytes_of(name: &str) -> String {
    format!("{name}.bytes")
}

impl ColumnSink for TempColumns {
    fn append(&mut self, name: &str, tag: Tag, bytes: &[u8]) -> io::Result<()> {
        self.spool(name, tag).write(bytes)
    }

    fn append_strings(&mut self, name: &str, values: StringsView<'_>) -> io::Result<()> {
        let of_bytes = self.spool(&bytes_of(name), u8::TAG);
        let before = of_bytes.len();
        of_bytes.write(values.bytes)?;
        let of_ends = self.spool(&ends_of(name), StringEnd::TAG);
        for &end in values.ends {
            of_ends.write(bytemuck::bytes_of(&(before + end)))?;
        }
        Ok(())
    }
}

impl<T: Pod> TempColumn<T> {
    /// An empty column; `name` shows in the name of its file.
    pub fn new(scratch: &Scratch, name: &str) -> Self {
        Self { spool: Spool::new(scratch, name, WRITE_BYTES), of: PhantomData }
    }

    /// The same, with so many bytes that wait until they are written: what is no longer meets no disk.
    pub fn with_buffer(scratch: &Scratch, name: &str, bytes: usize) -> Self {
        Self { spool: Spool::new(scratch, name, bytes), of: PhantomData }
    }

    /// Appends a value.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, value: T) -> io::Result<()> {
        self.spool.write(bytemuck::bytes_of(&value))
    }

    /// Appends values.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn extend(&mut self, values: &[T]) -> io::Result<()> {
        self.spool.write(bytemuck::cast_slice(values))
    }

    /// Number of values.
    pub fn len(&self) -> u64 {
        self.spool.len() / size_of::<T>() as u64
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the values from `from` on.
    ///
    /// # Errors
    /// When the file cannot be read, or has fewer.
    pub fn read_at(&self, from: u64, into: &mut [T]) -> io::Result<()> {
        self.spool.read(from * size_of::<T>() as u64, bytemuck::cast_slice_mut(into))
    }

    /// Reads all values.
    pub fn read(&self) -> TempReader<'_, T> {
        TempReader { column: self, next: 0, chunk: Vec::new() }
    }
}

impl<T: Element> TempColumn<T> {
    /// Appends the column to a file.
    ///
    /// # Errors
    /// When files cannot be read or written.
    pub fn join(&self, name: &str, file: &mut ColumnWriter) -> io::Result<()> {
        join(&self.spool, name, T::TAG, file)
    }
}

impl<T: Pod> TempReader<'_, T> {
    /// The next values; `None` after the last.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_chunk(&mut self) -> io::Result<Option<&[T]>> {
        let left = self.column.len() - self.next;
        let count = left.min((READ_BYTES / size_of::<T>()).max(1) as u64) as usize;
        self.chunk.resize(count, T::zeroed());
        self.column.read_at(self.next, &mut self.chunk)?;
        self.next += count as u64;
        Ok(Some(self.chunk.as_slice()).filter(|chunk| !chunk.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_grow_side_by_side_are_joined_as_if_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(&dir.path().join("scratch"));
        let numbers: Vec<u32> = (0..300_000).collect();
        let names: Strings = ["", "é", "name"].into_iter().cycle().take(3_000).collect();
        let whole = dir.path().join("whole.cols");
        let mut file = ColumnWriter::create(&whole).unwrap();
        file.column("number", &numbers).unwrap();
        file.strings("name", &names).unwrap();
        file.column::<u16>("none", &[]).unwrap();
        let whole = (file.finish().unwrap(), std::fs::read(&whole).unwrap());

        let mut temp = TempColumns::new(&scratch);
        temp.column::<u16>("none", &[]).unwrap();
        for chunk in 0..3_000 {
            temp.column("number", &numbers[chunk * 100..][..100]).unwrap();
            match chunk % 2 {
                0 => temp.push_str("name", names.get(chunk)).unwrap(),
                _ => temp
                    .append_strings("name", [names.get(chunk)].into_iter().collect::<Strings>().view())
                    .unwrap(),
            }
        }
        let joined = dir.path().join("joined.cols");
        let mut file = ColumnWriter::create(&joined).unwrap();
        for name in ["number", "name", "none"] {
            temp.join(name, &mut file).unwrap();
        }
        assert!(temp.join("name", &mut file).unwrap_err().to_string().contains("name"));
        let written = file.finish().unwrap();
        assert_eq!((written, std::fs::read(&joined).unwrap()), whole);
        assert_eq!(std::fs::read_dir(dir.path().join("scratch")).unwrap().count(), 0);
    }

    #[test]
    fn strings_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut temp = TempColumns::new(&Scratch::new(dir.path()));
        let texts = ["", "é", "name", "", "x"];
        for text in texts {
            temp.push_str("name", text).unwrap();
        }
        temp.column("other", &[7_u16]).unwrap();
        for (row, text) in (0..).zip(texts) {
            assert_eq!(temp.string("name", row).unwrap(), text);
        }
        let from = |row, rows, bytes| {
            temp.strings_from("name", row, rows, bytes).unwrap().iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(from(0, 9, 99), texts);
        assert_eq!(from(1, 2, 99), ["é", "name"]);
        assert_eq!(from(1, 9, 6), ["é", "name", ""]);
        assert_eq!(from(2, 9, 1), ["name"], "a long one alone");
        assert_eq!((from(5, 9, 9), from(6, 9, 9)), (vec![], vec![]));
        assert!(temp.string("name", 5).is_err() && temp.string("nobody", 0).is_err());
        assert!(temp.len::<u32>("other").unwrap_err().to_string().contains("a different type"));
    }

    #[test]
    fn a_column_is_read_in_chunks_and_in_places() {
        let dir = tempfile::tempdir().unwrap();
        let mut column = TempColumn::new(&Scratch::new(dir.path()), "x");
        for at in 0..100_000_u64 {
            column.push(at).unwrap();
        }
        column.extend(&[7, 8]).unwrap();
        assert_eq!(column.len(), 100_002);
        let (mut reader, mut read) = (column.read(), Vec::new());
        while let Some(chunk) = reader.next_chunk().unwrap() {
            read.extend_from_slice(chunk);
        }
        assert!(read.iter().copied().eq((0..100_000).chain([7, 8])));
        let mut some = [0; 4];
        column.read_at(99_998, &mut some).unwrap();
        assert_eq!(some, [99_998, 99_999, 7, 8]);
    }
}
