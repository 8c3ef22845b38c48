//! External sort of records of one size: sorted parts are written, then merged.

use std::io;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::files::{Scratch, Spool, SpoolReader};

/// Runs that are merged at a time.
pub(super) const RUNS_AT_A_TIME: usize = 256;
/// Least and most bytes that are read of a run at a time.
const BLOCK_BYTES: (usize, usize) = (1 << 12, 1 << 20);
/// Bytes of a run that wait until they are written.
const WRITE_BYTES: usize = 1 << 18;

/// Takes records and gives them back in order, in a bound of bytes. All of a record has to count in its order, so that
/// equal records are equal bytes and nothing hangs on the bound.
pub struct Sorter<T> {
    records: Vec<T>,
    /// Records that fit the bound.
    capacity: usize,
    runs: Runs,
    len: u64,
}

/// Records in order.
pub struct Sorted<T> {
    count: u64,
    left: Left<T>,
}

enum Left<T> {
    Memory(std::vec::IntoIter<T>),
    Runs(Merge<Run<T>>),
}

/// A run of records that stands at one of them.
struct Run<T> {
    reader: SpoolReader,
    head: Option<T>,
}

/// Runs in one file: each ends at its byte of `ends`.
pub(super) struct Runs {
    scratch: Scratch,
    name: String,
    bytes: usize,
    spool: Spool,
    ends: Vec<u64>,
}

impl Runs {
    pub(super) fn new(scratch: &Scratch, name: &str, bytes: usize) -> Self {
        let spool = Spool::new(scratch, name, WRITE_BYTES.min(bytes));
        Self { scratch: scratch.clone(), name: name.to_owned(), bytes, spool, ends: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends to the run that is being written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.spool.write(bytes)
    }

    /// Ends the run that is being written.
    pub(super) fn end(&mut self) {
        self.ends.push(self.spool.len());
    }

    /// Merges runs until few enough are left to be read side by side, and hands out a reader of each.
    pub(super) fn readers<S: Stream>(
        mut self,
        stream: impl Fn(SpoolReader) -> S,
        mut write: impl FnMut(&S, &mut Self) -> io::Result<()>,
    ) -> io::Result<Vec<S>> {
        while self.ends.len() > RUNS_AT_A_TIME {
            let mut longer = Self::new(&self.scratch, &self.name, self.bytes);
            let mut streams: Vec<S> = self.split(RUNS_AT_A_TIME).into_iter().map(&stream).collect();
            while !streams.is_empty() {
                let rest = streams.split_off(streams.len().min(RUNS_AT_A_TIME));
                let mut merge = Merge::new(streams)?;
                while let Some((_, first)) = merge.first() {
                    write(first, &mut longer)?;
                    merge.advance()?;
                }
                longer.end();
                streams = rest;
            }
            self = longer;
        }
        let count = self.ends.len();
        Ok(self.split(count).into_iter().map(stream).collect())
    }

    /// A reader of each run, where so many are read at a time.
    fn split(self, at_a_time: usize) -> Vec<SpoolReader> {
        let Self { bytes, spool, ends, .. } = self;
        let block = (bytes / at_a_time.max(1)).clamp(BLOCK_BYTES.0, BLOCK_BYTES.1);
        let spool = Arc::new(spool);
        let mut from = 0;
        let reader =
            |end| SpoolReader::new(Arc::clone(&spool), std::mem::replace(&mut from, end), end, block);
        ends.into_iter().map(reader).collect()
    }
}

impl<T: Pod + Ord + Send + Sync> Sorter<T> {
    /// A sort that takes about so many bytes of memory; `name` shows in the names of its files.
    pub fn new(scratch: &Scratch, name: &str, bytes: usize) -> Self {
        let capacity = (bytes / size_of::<T>()).max(1);
        Self { records: Vec::new(), capacity, runs: Runs::new(scratch, name, bytes), len: 0 }
    }

    /// Takes a record.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn push(&mut self, record: T) -> io::Result<()> {
        if self.records.len() == self.records.capacity() {
            self.grow()?;
        }
        self.records.push(record);
        self.len += 1;
        Ok(())
    }

    /// How many records were taken.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether none was taken.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes room: doubles it up to a half of the bound, so that what moves fits it too, takes the bound as a whole from
    /// there, and writes a run when that is full.
    #[cold]
    fn grow(&mut self) -> io::Result<()> {
        let held = self.records.len();
        if held >= self.capacity {
            return self.spill();
        }
        let doubled = (2 * held).max(64);
        if doubled < self.capacity / 2 {
            self.records.reserve_exact(doubled - held);
        } else if self.records.is_empty() {
            self.records.reserve_exact(self.capacity);
        } else {
            let all = Vec::with_capacity(self.capacity);
            let some = std::mem::replace(&mut self.records, all);
            self.records.extend_from_slice(&some);
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.records.par_sort_unstable();
        self.runs.write(bytemuck::cast_slice(&self.records))?;
        self.runs.end();
        self.records.clear();
        Ok(())
    }

    /// All records in order.
    ///
    /// # Errors
    /// When a file cannot be written or read.
    pub fn finish(mut self) -> io::Result<Sorted<T>> {
        if self.runs.is_empty() {
            self.records.par_sort_unstable();
            return Ok(Sorted { count: self.len, left: Left::Memory(self.records.into_iter()) });
        }
        if !self.records.is_empty() {
            self.spill()?;
        }
        self.records = Vec::new();
        let runs = self.runs.readers(
            |reader| Run { reader, head: None },
            |run, longer| run.head.map_or(Ok(()), |head| longer.write(bytemuck::bytes_of(&head))),
        )?;
        Ok(Sorted { count: self.len, left: Left::Runs(Merge::new(runs)?) })
    }
}

impl<T: Pod + Ord> Stream for Run<T> {
    fn advance(&mut self) -> io::Result<bool> {
        if self.reader.is_at_end() {
            return Ok(false);
        }
        self.head = Some(bytemuck::pod_read_unaligned(self.reader.take(size_of::<T>())?));
        Ok(true)
    }

    fn is_before(&self, other: &Self) -> bool {
        self.head < other.head
    }
}

impl<T: Pod + Ord> Iterator for Sorted<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<io::Result<T>> {
        self.count = self.count.saturating_sub(1);
        match &mut self.left {
            Left::Memory(records) => records.next().map(Ok),
            Left::Runs(merge) => {
                let head = merge.first()?.1.head?;
                Some(merge.advance().map(|()| head))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count as usize, Some(self.count as usize))
    }
}

/// Something in order, one after the other.
pub trait Stream {
    /// Goes to the next; `false` when there is none. It is called once before the first is looked at.
    ///
    /// # Errors
    /// When it cannot be read.
    fn advance(&mut self) -> io::Result<bool>;

    /// Whether what this stands at comes before what the other stands at.
    fn is_before(&self, other: &Self) -> bool;
}

/// Streams merged to one: a heap of them by what they stand at, equal ones by their number.
pub struct Merge<S> {
    streams: Vec<S>,
    /// Numbers of streams that stand at something; each comes before those at twice its place plus 1 and 2.
    heap: Vec<u32>,
}

impl<S: Stream> Merge<S> {
    /// Goes to the first of all.
    ///
    /// # Errors
    /// When a stream cannot be read.
    pub fn new(mut streams: Vec<S>) -> io::Result<Self> {
        let mut heap = Vec::with_capacity(streams.len());
        for (number, stream) in (0..).zip(&mut streams) {
            if stream.advance()? {
                heap.push(number);
            }
        }
        let mut merge = Self { streams, heap };
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sink(place);
        }
        Ok(merge)
    }

    /// The first of all that are left, as the number of its stream and the stream that stands at it.
    pub fn first(&self) -> Option<(usize, &S)> {
        let &number = self.heap.first()?;
        Some((number as usize, &self.streams[number as usize]))
    }

    /// Goes on from the first.
    ///
    /// # Errors
    /// When its stream cannot be read.
    pub fn advance(&mut self) -> io::Result<()> {
        let Some(&number) = self.heap.first() else { return Ok(()) };
        if !self.streams[number as usize].advance()? {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(())
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        let (x, y) = (&self.streams[a as usize], &self.streams[b as usize]);
        x.is_before(y) || a < b && !y.is_before(x)
    }

    /// Moves the one at a place down to where it belongs.
    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let Some(&below) = self.heap.get(left) else { return };
            let lower = match self.heap.get(right) {
                Some(&other) if self.is_before(other, below) => right,
                _ => left,
            };
            if !self.is_before(self.heap[lower], self.heap[place]) {
                return;
            }
            self.heap.swap(place, lower);
            place = lower;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(records: &[(u32, u32)], bytes: usize) -> Vec<[u32; 2]> {
        let dir = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(&Scratch::new(dir.path()), "pairs", bytes);
        for &(a, b) in records {
            sorter.push([a, b]).unwrap();
        }
        assert_eq!(sorter.len(), records.len() as u64);
        let sorted = sorter.finish().unwrap();
        assert_eq!(sorted.size_hint().0, records.len());
        let all = sorted.map(Result::unwrap).collect();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "files are gone");
        all
    }

    proptest! {
        #[test]
        fn records_come_back_in_order_whatever_the_bound(
            records in proptest::collection::vec((0..40_u32, any::<u32>()), 0..2_000),
            bytes in 1..20_000_usize,
        ) {
            let mut expected: Vec<[u32; 2]> = records.iter().map(|&(a, b)| [a, b]).collect();
            expected.sort_unstable();
            prop_assert_eq!(sorted(&records, bytes), expected);
        }
    }

    #[test]
    fn more_runs_than_are_merged_at_a_time() {
        let records: Vec<(u32, u32)> =
            (0..RUNS_AT_A_TIME as u32 * 3 + 7).map(|at| (at.wrapping_mul(0x9e37_79b1) % 1_000, at)).collect();
        let mut expected: Vec<[u32; 2]> = records.iter().map(|&(a, b)| [a, b]).collect();
        expected.sort_unstable();
        // A run of one record, and of two.
        assert_eq!(sorted(&records, 1), expected);
        assert_eq!(sorted(&records, 16), expected);
        assert_eq!(sorted(&[], 1), [[0; 2]; 0]);
    }
}
