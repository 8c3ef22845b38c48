//! Several files of groups as one, in order.

use std::iter;

use anyhow::Result;

use super::cursor::Groups;
use super::group::RunGroup;
use super::key::Key;

/// The groups of several cursors, ordered by (hash, key, rank).
pub struct MergedGroups {
    cursors: Vec<RankedGroups>,
    /// Numbers of the cursors that are not at their end, as a heap: none stands before the one at half its place.
    heap: Vec<usize>,
}

/// A cursor, and what it is among others.
struct RankedGroups {
    groups: Groups,
    /// Rank of each member; groups of members without one are left out.
    ranks: Vec<Option<u32>>,
}

impl RankedGroups {
    /// By what the group at which the cursor stands is ordered.
    fn head(&self) -> Option<(u64, Key<'_>, Option<u32>)> {
        let (hash, key, member) = self.groups.head()?;
        Some((hash, key, self.ranks.get(member as usize).copied().flatten()))
    }

    /// Goes on to a group of a member with a rank, if this is none.
    fn settle(&mut self) -> Result<()> {
        while self.head().is_some_and(|(.., rank)| rank.is_none()) {
            self.groups.advance()?;
        }
        Ok(())
    }
}

impl MergedGroups {
    /// All groups of cursors over files of one member; the number of its cursor is a group's rank.
    ///
    /// # Errors
    /// When one cannot be read, or is damaged.
    pub fn new(cursors: Vec<Groups>) -> Result<Self> {
        Self::ranked(cursors.into_iter().zip((0..).map(|rank| vec![Some(rank)])))
    }

    /// The groups of cursors whose members have ranks, ascending within each cursor.
    ///
    /// # Errors
    /// When one cannot be read, or is damaged.
    pub fn ranked(cursors: impl IntoIterator<Item = (Groups, Vec<Option<u32>>)>) -> Result<Self> {
        let cursors = cursors.into_iter().map(|(groups, ranks)| {
            let mut cursor = RankedGroups { groups, ranks };
            cursor.settle()?;
            Ok(cursor)
        });
        let cursors: Vec<RankedGroups> = cursors.collect::<Result<_>>()?;
        let heap = (0..cursors.len()).filter(|&at| cursors[at].head().is_some()).collect();
        let mut merged = Self { cursors, heap };
        for place in (0..merged.heap.len() / 2).rev() {
            merged.sift(place);
        }
        Ok(merged)
    }

    /// The next group, and its rank; nothing behind the last.
    pub fn current(&self) -> Option<(u32, RunGroup<'_>)> {
        let cursor = &self.cursors[*self.heap.first()?];
        let (_, _, rank) = cursor.head()?;
        Some((rank?, cursor.groups.current()?))
    }

    /// Goes on to the next group.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn advance(&mut self) -> Result<()> {
        let Some(&at) = self.heap.first() else { return Ok(()) };
        let cursor = &mut self.cursors[at];
        cursor.groups.advance()?;
        cursor.settle()?;
        if cursor.head().is_none() {
            self.heap.swap_remove(0);
        }
        self.sift(0);
        Ok(())
    }

    fn comes_before(&self, a: usize, b: usize) -> bool {
        self.cursors[a].head() < self.cursors[b].head()
    }

    /// Moves a cursor down until none below it comes before it.
    fn sift(&mut self, mut place: usize) {
        loop {
            let below = |place: usize| 2 * place + 1..(2 * place + 3).min(self.heap.len());
            let all = iter::once(place).chain(below(place));
            let first = all.reduce(|a, b| if self.comes_before(self.heap[b], self.heap[a]) { b } else { a });
            let Some(first) = first.filter(|&first| first != place) else { return };
            self.heap.swap(place, first);
            place = first;
        }
    }
}
