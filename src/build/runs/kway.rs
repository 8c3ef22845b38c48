//! Several files of groups as one, in order.

use anyhow::Result;

use super::cursor::Groups;
use super::group::RunGroup;

/// The groups of several cursors, ordered by (hash, key, number of the cursor).
pub struct MergedGroups {
    cursors: Vec<Groups>,
    /// Numbers of the cursors that are not at their end, as a heap: none stands before the one at half its place.
    heap: Vec<usize>,
}

impl MergedGroups {
    /// All groups of these cursors.
    pub fn new(cursors: Vec<Groups>) -> Self {
        let heap = (0..cursors.len()).filter(|&at| cursors[at].current().is_some()).collect();
        let mut merged = Self { cursors, heap };
        for place in (0..merged.heap.len() / 2).rev() {
            merged.sift(place);
        }
        merged
    }

    /// The next group, and the number of its cursor; nothing behind the last.
    pub fn current(&self) -> Option<(usize, RunGroup<'_>)> {
        let &at = self.heap.first()?;
        Some((at, self.cursors[at].current()?))
    }

    /// Goes on to the next group.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn advance(&mut self) -> Result<()> {
        let Some(&at) = self.heap.first() else { return Ok(()) };
        self.cursors[at].advance()?;
        if self.cursors[at].current().is_none() {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    fn comes_before(&self, a: usize, b: usize) -> bool {
        (self.cursors[a].head(), a) < (self.cursors[b].head(), b)
    }

    /// Moves a cursor down until none below it comes before it.
    fn sift(&mut self, mut place: usize) {
        loop {
            let children = 2 * place + 1..(2 * place + 3).min(self.heap.len());
            let first =
                children.reduce(|a, b| if self.comes_before(self.heap[b], self.heap[a]) { b } else { a });
            let Some(first) = first.filter(|&first| self.comes_before(self.heap[first], self.heap[place]))
            else {
                return;
            };
            self.heap.swap(place, first);
            place = first;
        }
    }
}
