//! Walks many runs at once, key by key.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use anyhow::Result;

use super::reduce::Reducer;
use super::task::{PlacedMember, PlacedRun};
use crate::index::runs::{Groups, Key, Run, RunGroup};
use crate::store::Store;

/// Runs that are read side by side.
pub(super) struct Cursors<'t> {
    runs: Vec<(Groups, &'t [PlacedMember])>,
    /// Hash of the key at which each head stands.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    /// Heads whose key has the least hash.
    equal: Vec<usize>,
    platform: String,
    product_id: String,
}

impl<'t> Cursors<'t> {
    /// The keys of runs whose hashes lie in a range.
    pub(super) fn open(store: &Store, runs: &'t [PlacedRun], hashes: &RangeInclusive<u64>) -> Result<Self> {
        let mut opened = Self {
            runs: Vec::with_capacity(runs.len()),
            next: BinaryHeap::with_capacity(runs.len()),
            equal: Vec::new(),
            platform: String::new(),
            product_id: String::new(),
        };
        for PlacedRun { run, members } in runs {
            let groups = Run::open(store, run)?.groups(hashes.clone())?;
            opened.runs.push((groups, members));
            opened.wait(opened.runs.len() - 1);
        }
        Ok(opened)
    }

    /// Puts a head into the queue, unless it is at its end.
    fn wait(&mut self, head: usize) {
        if let Some(group) = self.runs[head].0.current() {
            self.next.push(Reverse((group.hash, head)));
        }
    }

    /// Has `reducer` take all that is said of the next key, and says which it is.
    pub(super) fn next(&mut self, reducer: &mut Reducer) -> Result<Option<Key<'_>>> {
        let Some(&Reverse((hash, _))) = self.next.peek() else { return Ok(None) };
        self.equal.clear();
        while let Some(&Reverse((_, head))) = self.next.peek().filter(|Reverse((other, _))| *other == hash) {
            self.next.pop();
            self.equal.push(head);
        }
        // Different keys of one hash are as good as never met; the least of them goes first.
        let key_of = |head: &usize| self.runs[*head].0.current().map(|group: RunGroup<'_>| group.key);
        let Some(country) = self.equal.iter().filter_map(key_of).min().map(|least| {
            self.platform.clear();
            self.platform.push_str(least.platform);
            self.product_id.clear();
            self.product_id.push_str(least.product_id);
            least.country
        }) else {
            return Ok(None);
        };
        reducer.clear();
        let equal = std::mem::take(&mut self.equal);
        for &head in &equal {
            let key = Key { country, platform: &self.platform, product_id: &self.product_id };
            let (groups, members) = &mut self.runs[head];
            // Members of a run, and parts of many rows, follow each other.
            while let Some(group) = groups.current().filter(|group| group.hash == hash && group.key == key) {
                if let Some(member) = members.get(group.member as usize) {
                    reducer.add(&group, &member.places);
                }
                groups.advance()?;
            }
            self.wait(head);
        }
        self.equal = equal;
        Ok(Some(Key { country, platform: &self.platform, product_id: &self.product_id }))
    }
}
