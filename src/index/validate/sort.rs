//! Rows of a file in the order of runs, in bounded memory.
//!
//! Rows come in file order as tables of groups, in which rows of one key that follow each other are one group already.
//! Where they fill the memory, they are sorted and spilled as a piece; pieces are merged. Groups of one key are put
//! together in file order, so neither memory nor the cut of tables shows.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rayon::prelude::*;

use crate::index::runs::{BatchIndex, GroupTable, GroupWriter, Groups, MergedGroups};

/// Most pieces that are merged at a time: each holds a batch and what was read ahead.
const PIECES_MAX: usize = 64;
/// Bytes of memory for sorting a group.
const ENTRY_BYTES: usize = size_of::<Entry>();

/// Where a group is: sorted by hash and key, then by place, which is file order.
#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    table: u32,
    group: u32,
}

/// Sorts the rows of a file.
pub(super) struct Sorter<'a> {
    scratch: &'a Path,
    /// Bytes of rows that are kept before they are spilled.
    memory: usize,
    tables: Vec<GroupTable>,
    bytes: usize,
    pieces: Vec<(PathBuf, BatchIndex)>,
    /// Files made in `scratch`.
    made: usize,
}

/// Groups in order: where their batches are, and how many keys there are.
pub(super) struct Sorted {
    pub batches: BatchIndex,
    pub groups: u64,
}

impl<'a> Sorter<'a> {
    pub(super) fn new(scratch: &'a Path, memory: usize) -> Self {
        Self { scratch, memory, tables: Vec::new(), bytes: 0, pieces: Vec::new(), made: 0 }
    }

    /// Takes the next rows of the file.
    pub(super) fn push(&mut self, table: GroupTable) -> Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        self.bytes += table.bytes() + ENTRY_BYTES * table.len();
        self.tables.push(table);
        if self.bytes >= self.memory { self.spill() } else { Ok(()) }
    }

    /// Writes all rows to a file.
    pub(super) fn finish(mut self, to: &Path) -> Result<Sorted> {
        if self.pieces.is_empty() {
            return write_sorted(&self.tables, to);
        }
        if !self.tables.is_empty() {
            self.spill()?;
        }
        while self.pieces.len() > PIECES_MAX {
            let mut merged = Vec::new();
            for pieces in std::mem::take(&mut self.pieces).chunks(PIECES_MAX) {
                let path = self.next_path();
                let sorted = merge(pieces, &path)?;
                merged.push((path, sorted.batches));
            }
            self.pieces = merged;
        }
        merge(&self.pieces, to)
    }

    fn spill(&mut self) -> Result<()> {
        let path = self.next_path();
        let sorted = write_sorted(&self.tables, &path)?;
        self.pieces.push((path, sorted.batches));
        self.tables.clear();
        self.bytes = 0;
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        self.made += 1;
        self.scratch.join(format!("piece-{}", self.made))
    }
}

/// Writes the groups of tables in order.
fn write_sorted(tables: &[GroupTable], to: &Path) -> Result<Sorted> {
    let entries = |(number, table): (usize, &GroupTable)| {
        let hashes = table.hashes().iter().enumerate();
        let entry = move |(group, &hash)| Entry { hash, table: number as u32, group: group as u32 };
        hashes.map(entry).collect::<Vec<_>>()
    };
    let mut order: Vec<Entry> = tables.par_iter().enumerate().flat_map_iter(entries).collect();
    let key = |entry: &Entry| tables[entry.table as usize].key(entry.group as usize);
    order.par_sort_unstable_by(|a, b| {
        let by_key = a.hash.cmp(&b.hash).then_with(|| key(a).cmp(&key(b)));
        by_key.then_with(|| (a.table, a.group).cmp(&(b.table, b.group)))
    });
    let mut writer = GroupWriter::create(to)?;
    for entry in order {
        writer.push(&tables[entry.table as usize].group(entry.group as usize))?;
    }
    Ok(Sorted { groups: writer.groups(), batches: writer.finish()? })
}

/// Writes the groups of pieces in order, and removes the pieces.
fn merge(pieces: &[(PathBuf, BatchIndex)], to: &Path) -> Result<Sorted> {
    let open = |(path, index): &(PathBuf, BatchIndex)| {
        let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
        Groups::of_file(file, index.clone())
    };
    let mut merged = MergedGroups::new(pieces.iter().map(open).collect::<Result<_>>()?)?;
    let mut writer = GroupWriter::create(to)?;
    while let Some((_, group)) = merged.current() {
        writer.push(&group)?;
        merged.advance()?;
    }
    for (path, _) in pieces {
        fs::remove_file(path).with_context(|| format!("{} cannot be removed", path.display()))?;
    }
    Ok(Sorted { groups: writer.groups(), batches: writer.finish()? })
}
