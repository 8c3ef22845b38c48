//! A shard: the listings of a range of hashes and their spells, reduced and in snapshot order.
//!
//! ```text
//! listings.cols        listings, with numbers of platforms, category paths and brands that hold in the shard
//! spells.cols          their spells; days count from the first that is taken
//! rejects.ndjson.zst   rows of observations that are not taken, by (place, line)
//! shard.json           what is in it; where it is there, the shard is whole
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::index::runs::{SHARD_FOLDER, SHARD_JSON};
use crate::ingest::rejects::Reason;
use crate::ingest::report::{EXAMPLES_MAX, Example, Tally, quoted};
use crate::snapshot::columns::{ColumnFile, Verification};
use crate::snapshot::mapped::{Mapping, Residence};
use crate::store::{Store, StoreEntry};

/// File of listings.
pub const SHARD_LISTINGS: &str = "listings.cols";
/// File of spells.
pub const SHARD_SPELLS: &str = "spells.cols";
/// File of rejects.
pub const SHARD_REJECTS: &str = "rejects.ndjson.zst";
/// The files behind it, in the order in which they are put.
pub(super) const FILES: [&str; 3] = [SHARD_LISTINGS, SHARD_SPELLS, SHARD_REJECTS];

/// A file of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardFile {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// XXH3-128 of them, in hexadecimal digits.
    pub sum: String,
}

/// Observations of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateRows {
    /// How many.
    pub observations: u64,
    /// Place of the file of the first one among the files of observations, and its line.
    pub first: (u32, u64),
}

impl LateRows {
    /// Counts others of the same day.
    pub(super) fn merge(&mut self, other: Self) {
        self.observations += other.observations;
        self.first = self.first.min(other.first);
    }
}

/// What is in a shard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardMeta {
    /// Listings.
    pub listings: u64,
    /// Listings that were never observed.
    pub unobserved: u64,
    /// Spells.
    pub spells: u64,
    /// Observations.
    pub observations: u64,
    /// Words of missing days.
    pub day_words: u64,
    /// First and last day of its observations, in days since
    /// [`Day::OBSERVED_MIN`](crate::types::Day::OBSERVED_MIN).
    pub days: Option<(u16, u16)>,
    /// Its observations on each of the latest days of the input, counted likewise.
    pub latest_days: BTreeMap<u16, LateRows>,
    /// Rows of observations beyond the first of their listing and day.
    pub repeated_days: u64,
    /// Rows of listings whose key was there before.
    pub duplicate_listings: PlacedTally,
    /// List prices that are no price.
    pub ignored_list_prices: PlacedTally,
    /// Values of stock and promotion that say neither yes nor no.
    pub unreadable_flags: PlacedTally,
    /// Prices of one cent, by platform.
    pub one_cent_prices: BTreeMap<String, PlacedTally>,
    /// Rejects by place of their file among those of observations.
    pub rejected: BTreeMap<u32, u64>,
    /// The files.
    pub files: Vec<ShardFile>,
}

/// A row of observations that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardReject {
    /// Place of its file among those of observations.
    pub place: u32,
    /// Its line, from 1.
    pub line: u64,
    /// Why.
    pub reason: Reason,
    /// The value that decided, as much of it as a report quotes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

/// A shard that is there.
pub struct Shard {
    /// What is in it.
    pub meta: ShardMeta,
    /// Its listings.
    pub(super) listings: ColumnFile,
    /// Its spells.
    pub(super) spells: ColumnFile,
    /// Its rejects, compressed.
    pub(super) rejects: Mapping,
}

/// Name of a file of a shard in its store.
fn file(shard: &str, name: &str) -> String {
    format!("{SHARD_FOLDER}/{shard}/{name}")
}

impl Shard {
    /// What is in a shard, if it is there, whole.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub fn meta(store: &Store, name: &str) -> Result<Option<ShardMeta>> {
        let path = file(name, SHARD_JSON);
        let Some(bytes) = store.get(&path)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).with_context(|| damaged(name))
    }

    /// The shards that are there, whole.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn names(store: &Store) -> Result<Vec<String>> {
        let entries = store.list(SHARD_FOLDER)?.into_iter();
        let name = |entry: StoreEntry| {
            let (folder, file) = entry.name.rsplit_once('/')?;
            (file == SHARD_JSON).then(|| folder.rsplit('/').next().unwrap_or_default().to_owned())
        };
        Ok(entries.filter_map(name).collect())
    }

    /// Puts a shard into a store: its files, which lie in `from`, then what is in it.
    ///
    /// # Errors
    /// When the store refuses.
    pub(super) fn put(store: &Store, name: &str, from: &Path, mut meta: ShardMeta) -> Result<()> {
        for part in FILES {
            let mapped = map(&from.join(part))?;
            let (bytes, sum) = (mapped.bytes().len() as u64, sum(mapped.bytes()));
            meta.files.push(ShardFile { name: part.to_owned(), bytes, sum });
        }
        for part in FILES {
            store.put_file(&file(name, part), &from.join(part))?;
        }
        store.create(&file(name, SHARD_JSON), &serde_json::to_vec(&meta)?)?;
        Ok(())
    }

    /// Opens a shard, every byte of it checked. What lies elsewhere is brought into `scratch` first.
    ///
    /// # Errors
    /// When it is not there, or damaged.
    pub fn open(store: &Store, name: &str, scratch: &Path) -> Result<Self> {
        let meta = Self::meta(store, name)?
            .with_context(|| format!("shard {name} is missing; merge the shard again"))?;
        let part = |part: &str| {
            let path = if let Some(path) = store.path(&file(name, part)) {
                path
            } else {
                let copy = scratch.join(format!("{name}.{part}"));
                store.fetch(&file(name, part), &copy)?.with_context(|| damaged(name))?;
                copy
            };
            let mapped = map(&path).with_context(|| damaged(name))?;
            let known = meta.files.iter().find(|file| file.name == part);
            let whole = known.is_some_and(|file| {
                file.bytes == mapped.bytes().len() as u64 && file.sum == sum(mapped.bytes())
            });
            ensure!(whole, damaged(name));
            Ok(mapped)
        };
        let columns = |name: &'static str| {
            let file = ColumnFile::new(name, part(name)?).map_err(anyhow::Error::msg)?;
            Ok::<_, anyhow::Error>(file.verified(Verification::Lengths))
        };
        let (listings, spells) = (columns(SHARD_LISTINGS)?, columns(SHARD_SPELLS)?);
        let rejects = part(SHARD_REJECTS)?;
        Ok(Self { meta, listings, spells, rejects })
    }

    /// Its rejects, in order.
    ///
    /// # Errors
    /// When they are damaged.
    pub(super) fn rejects(&self) -> Result<impl Iterator<Item = Result<ShardReject>> + '_> {
        let plain = zstd::Decoder::new(self.rejects.bytes())?;
        let rows = serde_json::Deserializer::from_reader(std::io::BufReader::new(plain)).into_iter();
        Ok(rows.map(|row| row.context("the rejected rows of a shard cannot be read")))
    }
}

/// Writes the rejects of a shard, which come in order.
pub(super) fn write_rejects(rejects: &[ShardReject], path: &Path) -> Result<()> {
    let mut out = zstd::Encoder::new(File::create(path)?, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    for reject in rejects {
        serde_json::to_writer(&mut out, reject)?;
        out.write_all(b"\n")?;
    }
    out.finish()?;
    Ok(())
}

fn map(path: &Path) -> Result<Mapping> {
    let bytes = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    Ok(Mapping::open(path, bytes, Residence::Mapped)?)
}

fn sum(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

fn damaged(name: &str) -> String {
    format!("shard {name} is damaged; remove its folder below {SHARD_FOLDER}/ and build again")
}

/// One row that shows what a count means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedExample {
    /// Place of its file in the reading order of its table.
    pub place: u32,
    /// Its line, from 1.
    pub line: u64,
    /// The value in question, as much of it as a report quotes.
    pub value: String,
}

/// A count with its first few examples by place and line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTally {
    /// How often.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<PlacedExample>,
}

impl PlacedTally {
    /// Counts one.
    pub fn add(&mut self, place: u32, line: u64, value: &str) {
        self.count += 1;
        let last = self.examples.last().map(|last| (last.place, last.line));
        if self.examples.len() < EXAMPLES_MAX || last.is_some_and(|last| (place, line) < last) {
            self.insert(PlacedExample { place, line, value: quoted(value) });
        }
    }

    /// Counts what another counted, whatever the order.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for example in &other.examples {
            self.insert(example.clone());
        }
    }

    /// Takes an example in, behind those of the same row.
    fn insert(&mut self, example: PlacedExample) {
        let order = |example: &PlacedExample| (example.place, example.line);
        let at = self.examples.partition_point(|other| order(other) <= order(&example));
        self.examples.insert(at, example);
        self.examples.truncate(EXAMPLES_MAX);
    }

    /// The count as a report has it, where the file at place `i` is called `files[i]`.
    pub fn named(&self, files: &[&str]) -> Tally {
        let example = |PlacedExample { place, line, value }: &PlacedExample| {
            Example::new(files[*place as usize], *line, value)
        };
        Tally { count: self.count, examples: self.examples.iter().map(example).collect() }
    }
}
