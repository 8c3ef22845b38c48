//! Merging what is in order.

use std::io;

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
