//! What a merge keeps while it walks the keys, and how it is written in order.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::reduce::{PlacedOdd, PlacedReject, Reducer, Row};
use super::shard::{self, LateRows, SHARD_LISTINGS, SHARD_REJECTS, SHARD_SPELLS, ShardMeta, ShardReject};
use crate::index::clean::categories::slug_path;
use crate::index::clean::codes::CodeRules;
use crate::index::clean::labels::Interner;
use crate::index::normalized::{GroupedSpells, ListingColumns};
use crate::index::runs::{Key, Odd};
use crate::ingest::rejects::Reason;
use crate::snapshot::Strings;
use crate::snapshot::columns::ColumnWriter;
use crate::snapshot::tables::{ListingInput, ListingRow};
use crate::types::{EntityUid, Gtin, ProductUid};

/// What is kept of the keys of a shard.
#[derive(Default)]
pub(super) struct Building {
    first_late_day: Option<u16>,
    meta: ShardMeta,
    listings: ListingColumns,
    spells: GroupedSpells,
    platforms: Interner,
    paths: Interner,
    brands: Interner,
    rejects: Vec<ShardReject>,
}

impl Building {
    /// Remembers the rows of the days from `first_late_day` on.
    pub(super) fn new(first_late_day: Option<u16>) -> Self {
        Self { first_late_day, ..Self::default() }
    }

    /// Takes a key and what is left of its rows.
    pub(super) fn take(&mut self, key: &Key<'_>, reducer: &mut Reducer, codes: &CodeRules) {
        for PlacedReject { place, line, reason, value } in reducer.far.drain(..) {
            self.reject(ShardReject { place, line, reason, value });
        }
        if !reducer.has_listing() {
            for row in &reducer.rows {
                let value = crate::ingest::report::quoted(key.product_id);
                let reason = Reason::NoListing;
                self.reject(ShardReject { place: row.place, line: row.line, reason, value });
            }
            return;
        }
        let duplicates = &mut self.meta.duplicate_listings;
        reducer.duplicates(|place, line| {
            duplicates.add(place, line, &format!("{} {}", key.platform, key.product_id));
        });
        for odd in &reducer.odd {
            self.note_odd(key, odd);
        }
        self.meta.repeated_days += reducer.keep_days() as u64;
        let gtin = codes.gtin(reducer.chosen.gtin, key.platform);
        self.push(key, gtin, reducer);
    }

    fn reject(&mut self, reject: ShardReject) {
        *self.meta.rejected.entry(reject.place).or_default() += 1;
        self.rejects.push(reject);
    }

    fn note_odd(&mut self, key: &Key<'_>, odd: &PlacedOdd) {
        let tally = match odd.what {
            Odd::IgnoredListPrice => &mut self.meta.ignored_list_prices,
            Odd::UnreadableFlag => &mut self.meta.unreadable_flags,
            Odd::OneCentPrice => self.meta.one_cent_prices.entry(key.platform.to_owned()).or_default(),
        };
        tally.add(odd.place, odd.line, &odd.value);
    }

    fn push(&mut self, key: &Key<'_>, gtin: Option<Gtin>, reducer: &Reducer) {
        let (chosen, rows) = (&reducer.chosen, &reducer.rows);
        let listing = ProductUid::of(key.country, key.platform, key.product_id);
        let entity = gtin.map_or_else(|| EntityUid::of_listing(listing), EntityUid::of_gtin);
        let row = ListingRow {
            country: key.country,
            platform: u16::try_from(self.platforms.number(key.platform)).unwrap_or(u16::MAX),
            category: self.paths.number(&chosen.path),
            brand: self.brands.number(&chosen.brand),
            condition: chosen.condition,
            product_uid: listing.get(),
            gtin: gtin.map_or(0, Gtin::get),
            latest_instant: rows.last().map_or(0, |row| row.micros),
            gpc_code: chosen.gpc_code,
            mpn: chosen.mpn.clone(),
            entity_uid: entity.get(),
        };
        self.listings.push(row, |column| match column {
            ListingInput::ProductId => key.product_id,
            column => chosen.text(column),
        });
        self.spells.push(rows.iter().map(Row::seen));
        self.note_latest(rows);
        let ShardMeta { listings, unobserved, observations, days, .. } = &mut self.meta;
        *listings += 1;
        *observations += rows.len() as u64;
        match (rows.first(), rows.last()) {
            (Some(first), Some(last)) => {
                let (from, to) = days.unwrap_or((first.day, last.day));
                *days = Some((from.min(first.day), to.max(last.day)));
            }
            _ => *unobserved += 1,
        }
    }

    /// Remembers the rows of the latest days, whose days ascend.
    fn note_latest(&mut self, rows: &[Row]) {
        let Some(first_late_day) = self.first_late_day else { return };
        for row in rows.iter().rev().take_while(|row| row.day >= first_late_day) {
            let late = LateRows { observations: 1, first: (row.place, row.line) };
            self.meta.latest_days.entry(row.day).and_modify(|known| known.merge(late)).or_insert(late);
        }
    }

    /// The rows in snapshot order.
    fn order(&self) -> Vec<u32> {
        let paths: Vec<String> = self.paths.texts().iter().map(|path| slug_path(path)).collect();
        // As preorder has it, where a path ends before another goes on.
        let by_segment = |slug: &String| slug.replace('/', "\u{1}");
        let (category, platform) =
            (ranks(paths.iter().map(by_segment)), ranks(self.platforms.texts().iter()));
        let listings = &self.listings;
        let key = |row: u32| {
            let at = row as usize;
            let category = category[listings.category[at] as usize];
            let platform = platform[usize::from(listings.platform[at])];
            (listings.country[at], category, platform, listings.product_id.get(at).as_bytes())
        };
        let mut order: Vec<u32> = (0..listings.country.len() as u32).collect();
        order.par_sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        order
    }

    /// Writes the files of the shard into `dir`, and says what is in it.
    pub(super) fn write(mut self, dir: &Path) -> Result<ShardMeta> {
        let order = self.order();
        self.rejects.sort_unstable_by_key(|reject| (reject.place, reject.line));
        shard::write_rejects(&self.rejects, &dir.join(SHARD_REJECTS))?;
        self.rejects = Vec::new();
        let mut file = ColumnWriter::create(&dir.join(SHARD_LISTINGS))?;
        write_texts(
            &mut file,
            "platform",
            &self.platforms,
            self.listings.platform.iter().map(|&at| u32::from(at)),
        )?;
        write_texts(&mut file, "path", &self.paths, self.listings.category.iter().copied())?;
        write_texts(&mut file, "brand", &self.brands, self.listings.brand.iter().copied())?;
        let listings = self.listings.take(&order);
        for (name, column) in listings.all() {
            column.write(name, &mut file)?;
        }
        file.finish()?;
        drop(listings);
        let spells = self.spells.take(&order);
        self.meta.spells = spells.columns.end.len() as u64;
        self.meta.day_words = spells.days.len() as u64;
        let mut file = ColumnWriter::create(&dir.join(SHARD_SPELLS))?;
        file.column("offsets", &spells.offsets)?;
        file.column("first_day", &spells.first_day)?;
        file.column("last_day", &spells.last_day)?;
        file.column("day_offsets", &spells.day_offsets)?;
        file.column("days", &spells.days)?;
        file.column("end", &spells.columns.end)?;
        file.column("price", &spells.columns.price)?;
        file.column("list_price", &spells.columns.list_price)?;
        file.column("flags", &spells.columns.flags)?;
        file.finish()?;
        Ok(self.meta)
    }
}

/// Writes the texts that listings share, and of how many listings each is.
fn write_texts(
    file: &mut ColumnWriter,
    name: &str,
    texts: &Interner,
    numbers: impl Iterator<Item = u32>,
) -> Result<()> {
    let mut counts = vec![0_u64; texts.texts().len()];
    numbers.for_each(|number| counts[number as usize] += 1);
    let texts: Strings = texts.texts().iter().map(String::as_str).collect();
    file.strings(&format!("{name}_text"), &texts)?;
    file.column(&format!("{name}_listings"), &counts)?;
    Ok(())
}

/// The place of each text among the different ones in order.
fn ranks<T: Ord + std::hash::Hash + Clone>(texts: impl Iterator<Item = T>) -> Vec<u32> {
    let texts: Vec<T> = texts.collect();
    let mut sorted = texts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let rank: HashMap<&T, u32> = sorted.iter().zip(0..).collect();
    texts.iter().map(|text| rank[text]).collect()
}
