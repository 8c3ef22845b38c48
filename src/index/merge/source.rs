//! Shards as what pack takes: names summed over all of them, listings and spells merged in snapshot order.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use polars_buffer::Buffer;

use super::shard::{Shard, ShardMeta};
use crate::index::clean::categories;
use crate::index::clean::labels::{self, Interner};
use crate::index::normalized::{
    Batches, GroupedSpells, LISTINGS_PER_BATCH, ListingColumns, ListingSpells, NONE, Names, Sizes, Source,
};
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::NO_DAY;
use crate::types::{Country, Day};

/// Listings of a shard that are read at a time.
const BLOCK_ROWS: usize = 1 << 10;
/// Most platforms of a catalog: their numbers have 16 bits.
const PLATFORMS_MAX: usize = 1 << 16;
/// Most listings of a catalog: their numbers have 32 bits, one of which says "none".
const LISTINGS_MAX: u64 = NONE as u64 - 1;

/// A catalog whose listings lie in shards.
pub struct Shards {
    names: Names,
    sizes: Sizes,
    parts: Vec<Part>,
    /// The shard of each listing, in snapshot order; nothing where there is one shard.
    sequence: Vec<u16>,
}

/// A shard, and what its numbers mean in the catalog.
struct Part {
    listings: ColumnFile,
    rows: usize,
    platform: Vec<u16>,
    category: Vec<u32>,
    brand: Vec<u32>,
    spells: Spells,
}

/// Columns of the spells of a shard.
struct Spells {
    offsets: Buffer<u64>,
    first_day: Buffer<u16>,
    last_day: Buffer<u16>,
    day_offsets: Buffer<u64>,
    days: Buffer<u64>,
    end: Buffer<u16>,
    price: Buffer<u32>,
    list_price: Buffer<u32>,
    flags: Buffer<u8>,
}

/// A message of a column file as an error.
fn fault(message: String) -> anyhow::Error {
    anyhow::Error::msg(message)
}

impl Spells {
    fn open(file: &ColumnFile) -> Result<Self, String> {
        Ok(Self {
            offsets: file.column("offsets")?,
            first_day: file.column("first_day")?,
            last_day: file.column("last_day")?,
            day_offsets: file.column("day_offsets")?,
            days: file.column("days")?,
            end: file.column("end")?,
            price: file.column("price")?,
            list_price: file.column("list_price")?,
            flags: file.column("flags")?,
        })
    }

    /// Appends the spells of a listing; `first` is the snapshot's first day.
    fn copy(&self, row: usize, first: u16, to: &mut GroupedSpells) {
        let spells = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let words = self.day_offsets[row] as usize..self.day_offsets[row + 1] as usize;
        let day = |day: u16| if day == NO_DAY { NO_DAY } else { day - first };
        to.push_spells(&ListingSpells {
            first_day: day(self.first_day[row]),
            last_day: day(self.last_day[row]),
            days: &self.days[words],
            end: &self.end[spells.clone()],
            price: &self.price[spells.clone()],
            list_price: &self.list_price[spells.clone()],
            flags: &self.flags[spells],
        });
    }
}

/// Texts of all shards, and of how many listings each is.
#[derive(Default)]
struct Sums {
    texts: Interner,
    listings: Vec<u64>,
}

impl Sums {
    /// Takes the texts of a shard in, and says which number each has.
    fn add(&mut self, file: &ColumnFile, name: &str) -> Result<Vec<u32>, String> {
        let listings = file.column::<u64>(&format!("{name}_listings"))?;
        let texts = file.strings(&format!("{name}_text"), listings.len())?;
        let (view, mut numbers) = (texts.view(), Vec::with_capacity(listings.len()));
        for (at, count) in listings.iter().enumerate() {
            let number = self.texts.number(view.get(at));
            self.listings.resize(self.texts.texts().len(), 0);
            self.listings[number as usize] += count;
            numbers.push(number);
        }
        Ok(numbers)
    }
}

impl Shards {
    /// The catalog of these shards; `names` is what else is small.
    ///
    /// # Errors
    /// When a shard is damaged, there is no observation, or the catalog is beyond a limit.
    pub fn of(shards: Vec<Shard>, names: Names) -> Result<Self> {
        let (first, last) =
            span(shards.iter().map(|shard| &shard.meta)).context("the shards contain no observations")?;
        let mut sums = [Sums::default(), Sums::default(), Sums::default()];
        let mut numbers = Vec::with_capacity(shards.len());
        for shard in &shards {
            let mut add = |at: usize, name| sums[at].add(&shard.listings, name).map_err(fault);
            numbers.push([add(0, "platform")?, add(1, "path")?, add(2, "brand")?]);
        }
        let [platforms, paths, brands] = sums;
        let (categories, category_of) = categories::tree(paths.texts.texts(), &paths.listings)?;
        let (brands, brand_of) = labels::fold_brands(brands.texts.texts(), &brands.listings);
        let (platforms, rank_of) = ranks(platforms.texts.texts())?;
        let mut parts = Vec::with_capacity(shards.len());
        let mut sizes = Sizes::default();
        for (shard, [platform, path, brand]) in shards.into_iter().zip(numbers) {
            sizes.listings += shard.meta.listings;
            sizes.spells += shard.meta.spells;
            sizes.observations += shard.meta.observations;
            sizes.day_words += shard.meta.day_words;
            parts.push(Part {
                spells: Spells::open(&shard.spells).map_err(fault)?,
                rows: shard.meta.listings as usize,
                listings: shard.listings,
                platform: platform.into_iter().map(|number| rank_of[number as usize]).collect(),
                category: path.into_iter().map(|number| category_of[number as usize]).collect(),
                brand: brand.into_iter().map(|number| brand_of[number as usize]).collect(),
            });
        }
        ensure!(
            sizes.listings <= LISTINGS_MAX,
            "the input has {} listings, but a catalog can contain at most {LISTINGS_MAX}",
            sizes.listings
        );
        let (first_day, last_day) = (day_of(first), day_of(last));
        let names = Names { first_day, last_day, platforms, brands, categories, ..names };
        let mut shards = Self { names, sizes, parts, sequence: Vec::new() };
        if shards.parts.len() > 1 {
            shards.sequence = shards.merged()?;
        }
        Ok(shards)
    }

    /// The shard of each listing, in snapshot order.
    fn merged(&self) -> Result<Vec<u16>> {
        let mut sequence = Vec::with_capacity(self.sizes.listings as usize);
        let mut cursors = Vec::with_capacity(self.parts.len());
        let mut next = BinaryHeap::with_capacity(self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            cursors.push(ShardCursor { part, block: ListingColumns::default(), at: 0, next: 0 });
            next.extend(cursors[at].place(at)?.map(Reverse));
        }
        while let Some(Reverse(SnapshotPosition { shard, .. })) = next.pop() {
            sequence.push(shard as u16);
            cursors[shard].at += 1;
            next.extend(cursors[shard].place(shard)?.map(Reverse));
        }
        Ok(sequence)
    }

    /// The shards of some listings.
    fn shards_of(&self, listings: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        listings.map(|listing| self.sequence.get(listing).map_or(0, |&shard| usize::from(shard)))
    }

    /// The ranges of listings of the batches.
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> + Send + use<> {
        let listings = self.sizes.listings as usize;
        let range = move |from| from..listings.min(from + LISTINGS_PER_BATCH);
        (0..listings).step_by(LISTINGS_PER_BATCH).map(range)
    }
}

impl Source for Shards {
    fn names(&self) -> &Names {
        &self.names
    }

    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn listings(&self) -> Result<Batches<'_, ListingColumns>> {
        let head = |part| ShardCursor { part, block: ListingColumns::default(), at: 0, next: 0 };
        let mut cursors: Vec<ShardCursor<'_>> = self.parts.iter().map(head).collect();
        Ok(Box::new(self.ranges().map(move |listings| {
            let mut batch = ListingColumns::default();
            for shard in self.shards_of(listings) {
                let head = &mut cursors[shard];
                ensure!(head.fill()?, "a shard contains fewer listings than its metadata states");
                batch.push_from(&head.block, head.at);
                head.at += 1;
            }
            Ok(batch)
        })))
    }

    fn spells(&self) -> Result<Batches<'_, GroupedSpells>> {
        let first = self.names.first_day.minus(Day::OBSERVED_MIN) as u16;
        let mut next = vec![0; self.parts.len()];
        Ok(Box::new(self.ranges().map(move |listings| {
            let mut batch = GroupedSpells::default();
            for shard in self.shards_of(listings) {
                self.parts[shard].spells.copy(next[shard], first, &mut batch);
                next[shard] += 1;
            }
            Ok(batch)
        })))
    }
}

/// A way through the listings of a shard.
struct ShardCursor<'a> {
    part: &'a Part,
    /// Some of them, with numbers of the catalog.
    block: ListingColumns,
    /// The next one in the block.
    at: usize,
    /// The first one behind the block.
    next: usize,
}

impl ShardCursor<'_> {
    /// Reads on where the block is at its end, and says whether there is another listing.
    fn fill(&mut self) -> Result<bool> {
        if self.at < self.block.country.len() {
            return Ok(true);
        }
        let Part { rows, listings, platform, category, brand, .. } = self.part;
        let range = self.next..(*rows).min(self.next + BLOCK_ROWS);
        self.next = range.end;
        let mut block = ListingColumns::read(listings, *rows, range).map_err(fault)?;
        block.platform.iter_mut().for_each(|number| *number = platform[usize::from(*number)]);
        block.category.iter_mut().for_each(|number| *number = category[*number as usize]);
        block.brand.iter_mut().for_each(|number| *number = brand[*number as usize]);
        (self.block, self.at) = (block, 0);
        Ok(!self.block.country.is_empty())
    }

    /// Where its next listing belongs.
    fn place(&mut self, shard: usize) -> Result<Option<SnapshotPosition>> {
        if !self.fill()? {
            return Ok(None);
        }
        let (block, at) = (&self.block, self.at);
        Ok(Some(SnapshotPosition {
            key: (block.country[at], block.category[at], block.platform[at]),
            product_id: block.product_id.get(at).into(),
            shard,
        }))
    }
}

/// Where a listing belongs in snapshot order.
#[derive(PartialEq, Eq)]
struct SnapshotPosition {
    key: (Country, u32, u16),
    product_id: Box<str>,
    shard: usize,
}

impl Ord for SnapshotPosition {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key).then_with(|| self.product_id.as_bytes().cmp(other.product_id.as_bytes()))
    }
}

impl PartialOrd for SnapshotPosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// First and last day of all shards.
fn span<'a>(shards: impl Iterator<Item = &'a ShardMeta>) -> Option<(u16, u16)> {
    shards.filter_map(|shard| shard.days).reduce(|(from, to), (first, last)| (from.min(first), to.max(last)))
}

/// The date of a kept day.
pub(super) fn day_of(day: u16) -> Day {
    Day::OBSERVED_MIN.plus_days(i32::from(day))
}

/// The platforms in order, and the place of each.
fn ranks(texts: &[String]) -> Result<(Vec<String>, Vec<u16>)> {
    ensure!(
        texts.len() <= PLATFORMS_MAX,
        "the input has {} retailers, but a catalog can contain at most {PLATFORMS_MAX}",
        texts.len()
    );
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by_key(|&number| &texts[number]);
    let mut rank = vec![0; texts.len()];
    for (place, &number) in (0..=u16::MAX).zip(&order) {
        rank[number] = place;
    }
    Ok((order.into_iter().map(|number| texts[number].clone()).collect(), rank))
}
