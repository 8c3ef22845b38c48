//! External sort of texts that have a record.

use std::cmp::Ordering;
use std::io;

use bytemuck::Pod;
use rayon::prelude::*;

use super::files::{Scratch, SpoolReader};
use super::sort::{Merge, Runs, Stream};

/// Share of the bound that is for texts, the others for records: 1 in so many.
const RECORDS_SHARE: usize = 2;

/// Takes texts with records and gives them back by text, then by record, in a bound of bytes. All of a record has to
/// count in its order.
pub struct TextSorter<R> {
    records: Vec<Entry<R>>,
    texts: Vec<u8>,
    /// Records that fit the bound.
    capacity: usize,
    /// Bytes of texts that fit the bound; a longer text alone is taken all the same.
    texts_bytes: usize,
    runs: Runs,
}

/// A record, and where its text lies.
#[derive(Clone, Copy)]
struct Entry<R> {
    record: R,
    from: u32,
    to: u32,
}

/// Texts with records, in order.
pub struct SortedTexts<R> {
    left: Left<R>,
}

enum Left<R> {
    Memory { records: std::vec::IntoIter<Entry<R>>, texts: Vec<u8> },
    Runs { merge: Merge<Run<R>>, has_begun: bool },
}

/// A run that stands at a record with its text.
struct Run<R> {
    reader: SpoolReader,
    record: Option<R>,
    text: Vec<u8>,
}

impl<R: Pod + Ord + Send + Sync> TextSorter<R> {
    /// A sort that takes about so many bytes of memory; `name` shows in the names of its files.
    pub fn new(scratch: &Scratch, name: &str, bytes: usize) -> Self {
        let of_records = bytes / RECORDS_SHARE;
        Self {
            records: Vec::new(),
            texts: Vec::new(),
            capacity: (of_records / size_of::<Entry<R>>()).max(1),
            // Where texts lie is written in 32 bits.
            texts_bytes: (bytes - of_records).min(1 << 31),
            runs: Runs::new(scratch, name, bytes),
        }
    }

    /// Takes a text of less than 1 GiB, with its record.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn push(&mut self, text: &str, record: R) -> io::Result<()> {
        let is_full = self.records.len() >= self.capacity || self.texts.len() + text.len() > self.texts_bytes;
        if is_full && !self.records.is_empty() {
            self.spill()?;
        }
        grow(&mut self.records, 1, self.capacity);
        grow(&mut self.texts, text.len(), self.texts_bytes);
        let from = self.texts.len() as u32;
        self.texts.extend_from_slice(text.as_bytes());
        self.records.push(Entry { record, from, to: self.texts.len() as u32 });
        Ok(())
    }

    fn sort(&mut self) {
        let texts = &self.texts;
        self.records.par_sort_unstable_by(|a, b| compare(a, b, texts));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        for entry in &self.records {
            write(&entry.record, entry.text(&self.texts), &mut self.runs)?;
        }
        self.runs.end();
        self.records.clear();
        self.texts.clear();
        Ok(())
    }

    /// All texts with their records, in order.
    ///
    /// # Errors
    /// When a file cannot be written or read.
    pub fn finish(mut self) -> io::Result<SortedTexts<R>> {
        if self.runs.is_empty() {
            self.sort();
            let (records, texts) = (self.records.into_iter(), self.texts);
            return Ok(SortedTexts { left: Left::Memory { records, texts } });
        }
        if !self.records.is_empty() {
            self.spill()?;
        }
        (self.records, self.texts) = (Vec::new(), Vec::new());
        let runs = self.runs.readers(
            |reader| Run { reader, record: None, text: Vec::new() },
            |run, longer| run.record.map_or(Ok(()), |record| write(&record, &run.text, longer)),
        )?;
        Ok(SortedTexts { left: Left::Runs { merge: Merge::new(runs)?, has_begun: false } })
    }
}

/// Makes room for `more` values: by doubling up to a half of the bound, so that what moves fits it too, then for all that
/// the bound allows.
fn grow<T>(values: &mut Vec<T>, more: usize, bound: usize) {
    let needed = values.len() + more;
    if needed > values.capacity() {
        let doubled = (2 * values.capacity()).max(needed);
        let room = if doubled < bound / 2 { doubled } else { bound.max(needed) };
        values.reserve_exact(room - values.len());
    }
}

fn compare<R: Ord>(a: &Entry<R>, b: &Entry<R>, texts: &[u8]) -> Ordering {
    a.text(texts).cmp(b.text(texts)).then_with(|| a.record.cmp(&b.record))
}

fn write<R: Pod>(record: &R, text: &[u8], runs: &mut Runs) -> io::Result<()> {
    runs.write(bytemuck::bytes_of(record))?;
    runs.write(&(text.len() as u32).to_le_bytes())?;
    runs.write(text)
}

impl<R> Entry<R> {
    fn text<'a>(&self, texts: &'a [u8]) -> &'a [u8] {
        &texts[self.from as usize..self.to as usize]
    }
}

impl<R: Pod + Ord> Stream for Run<R> {
    fn advance(&mut self) -> io::Result<bool> {
        if self.reader.is_at_end() {
            return Ok(false);
        }
        self.record = Some(bytemuck::pod_read_unaligned(self.reader.take(size_of::<R>())?));
        let bytes: u32 = bytemuck::pod_read_unaligned(self.reader.take(size_of::<u32>())?);
        self.text.clear();
        self.text.extend_from_slice(self.reader.take(bytes as usize)?);
        Ok(true)
    }

    fn is_before(&self, other: &Self) -> bool {
        self.text.cmp(&other.text).then_with(|| self.record.cmp(&other.record)).is_lt()
    }
}

impl<R: Pod + Ord> SortedTexts<R> {
    /// The next text and its record.
    ///
    /// # Errors
    /// When a file cannot be read.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<(&str, R)>> {
        let found = match &mut self.left {
            Left::Memory { records, texts } => records.next().map(|entry| (entry.record, entry.text(texts))),
            Left::Runs { merge, has_begun } => {
                if std::mem::replace(has_begun, true) {
                    merge.advance()?;
                }
                merge.first().and_then(|(_, run)| Some((run.record?, run.text.as_slice())))
            }
        };
        found.map(|(record, text)| Ok((str::from_utf8(text).map_err(io::Error::other)?, record))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(all: &[(String, u32)], bytes: usize) -> Vec<(String, u32)> {
        let dir = tempfile::tempdir().unwrap();
        let mut sorter = TextSorter::new(&Scratch::new(dir.path()), "texts", bytes);
        for (text, record) in all {
            sorter.push(text, *record).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let mut found = Vec::new();
        while let Some((text, record)) = sorted.next().unwrap() {
            found.push((text.to_owned(), record));
        }
        drop(sorted);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "files are gone");
        found
    }

    proptest! {
        #[test]
        fn texts_come_back_in_order_whatever_the_bound(
            all in proptest::collection::vec(("[a-cé]{0,3}", 0..30_u32), 0..1_500),
            bytes in 1..20_000_usize,
        ) {
            let mut expected = all.clone();
            expected.sort_unstable();
            prop_assert_eq!(sorted(&all, bytes), expected);
        }
    }

    #[test]
    fn a_text_longer_than_the_bound_is_taken() {
        let long = "x".repeat(10_000);
        let all = [(long.clone(), 2), (String::new(), 1), (long, 1)];
        let mut expected = all.to_vec();
        expected.sort_unstable();
        assert_eq!(sorted(&all, 50), expected);
    }
}
