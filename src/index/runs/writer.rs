//! Writes `rows.arrow`: groups come in order, and leave in batches.
//!
//! Where a batch or a very large group is cut follows from the rows alone, so the file is the same however they came.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::group::RunGroup;
use super::index::BatchIndex;
use super::key::Key;
use super::layout;
use super::rows::{ObservationOfRun, OddRow};
use super::table::GroupTable;

/// Rows of a batch, roughly: it is closed by the group that reaches them.
const BATCH_ROWS: usize = 4_096;
/// Bytes of texts that close a batch as well.
const BATCH_TEXT_BYTES: usize = 1 << 20;
/// Most rows of a group; what more there is follows as another group of the same key.
pub(super) const GROUP_ROWS_MAX: usize = 1 << 16;
/// Bytes of texts that close a group as well.
const GROUP_TEXT_BYTES: usize = 8 << 20;

/// Writes groups that come in order.
pub struct GroupWriter {
    file: BufWriter<File>,
    /// Bytes written.
    bytes: u64,
    /// The batch that grows.
    open: GroupTable,
    /// Rows and bytes of texts of its last group.
    last: (usize, usize),
    /// Batches that are full.
    full: Vec<GroupTable>,
    /// Of each batch that was written: place, lengths of description and body.
    blocks: Vec<(u64, usize, usize)>,
    index: BatchIndex,
    groups: u64,
}

impl GroupWriter {
    /// Writes to a new file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        let head = layout::head()?;
        file.write_all(&head)?;
        Ok(Self {
            file,
            bytes: head.len() as u64,
            open: GroupTable::default(),
            last: (0, 0),
            full: Vec::new(),
            blocks: Vec::new(),
            index: BatchIndex::default(),
            groups: 0,
        })
    }

    /// Takes the rows of a group, behind those of earlier ones of the same key and member.
    ///
    /// # Errors
    /// When it does not come in order, or the file cannot be written.
    pub fn push(&mut self, group: &RunGroup<'_>) -> Result<()> {
        let last = self.open.len().checked_sub(1).map(|last| self.open.group(last).order());
        if last != Some(group.order()) {
            ensure!(last.is_none_or(|last| last < group.order()), "groups are out of order");
            self.groups += 1;
            self.begin(group.key, group.hash, group.member)?;
        }
        let (rows, text_bytes) = (group.rows(), group.text_bytes());
        if self.last.0 + rows <= GROUP_ROWS_MAX && self.last.1 + text_bytes < GROUP_TEXT_BYTES {
            self.open.extend(group);
            self.last = (self.last.0 + rows, self.last.1 + text_bytes);
            return Ok(());
        }
        self.push_rows(group)
    }

    /// Takes the rows of a group one by one, and cuts it where it is large.
    fn push_rows(&mut self, group: &RunGroup<'_>) -> Result<()> {
        for listing in group.listings.iter() {
            self.cut(group)?;
            self.open.push_listing(&listing);
            self.last = (self.last.0 + 1, self.last.1 + listing.text_bytes());
        }
        let mut odd = group.odd.iter().peekable();
        let rows = &group.observations;
        for row in 0..rows.len() {
            self.cut(group)?;
            let (day, price, list_price) = (rows.day[row], rows.price[row], rows.list_price[row]);
            let (flags, micros, line) = (rows.flags[row], rows.micros[row], rows.line[row]);
            self.open.push_observation(ObservationOfRun { day, price, list_price, flags, micros, line });
            self.last.0 += 1;
            while let Some(odd) = odd.next_if(|odd: &OddRow<'_>| odd.line <= line) {
                self.open.push_odd(&odd);
            }
        }
        odd.for_each(|odd| self.open.push_odd(&odd));
        Ok(())
    }

    /// Begins another group of the same key where the last one is full.
    fn cut(&mut self, group: &RunGroup<'_>) -> Result<()> {
        if self.last.0 < GROUP_ROWS_MAX && self.last.1 < GROUP_TEXT_BYTES {
            return Ok(());
        }
        self.begin(group.key, group.hash, group.member)
    }

    fn begin(&mut self, key: Key<'_>, hash: u64, member: u32) -> Result<()> {
        if self.open.rows() >= BATCH_ROWS || self.open.text_bytes() >= BATCH_TEXT_BYTES {
            self.full.push(std::mem::take(&mut self.open));
            if self.full.len() >= 2 * rayon::current_num_threads() {
                self.write_full()?;
            }
        }
        self.open.begin(key, hash, member);
        self.last = (0, 0);
        Ok(())
    }

    fn write_full(&mut self) -> Result<()> {
        let encode = |table: &GroupTable| {
            let (bytes, description, body) = layout::encode(table)?;
            Ok((table.group(0).hash, xxh3_64(&bytes), bytes, description, body))
        };
        let encoded = self.full.par_iter().map(encode).collect::<Result<Vec<_>>>()?;
        self.full.clear();
        for (first_hash, sum, bytes, description, body) in encoded {
            self.blocks.push((self.bytes, description, body));
            self.index.push(first_hash, self.bytes, sum);
            self.file.write_all(&bytes).context("rows.arrow cannot be written")?;
            self.bytes += bytes.len() as u64;
        }
        Ok(())
    }

    /// Number of keys, or of keys and members, so far.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// Writes what is left; says where the batches are.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<BatchIndex> {
        if !self.open.is_empty() {
            self.full.push(std::mem::take(&mut self.open));
        }
        self.write_full()?;
        self.index.end = self.bytes;
        self.file.write_all(&layout::foot(&self.blocks))?;
        self.file
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)
            .context("rows.arrow cannot be written")?;
        Ok(self.index)
    }
}
