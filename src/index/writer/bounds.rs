//! What packing needs, and what a snapshot can hold: said before anything is written.

use anyhow::{Result, bail, ensure};

use super::super::normalized::{Names, Sizes, Source};
use crate::index::space::mebibytes;
use crate::snapshot::columns::DECODE_BYTES_MAX;
use crate::snapshot::layout::{NO_DAY, posting};

/// Memory for buffers, sorts and what is worked on, in bytes.
pub const BUFFERS_BYTES: u64 = 128 << 20;
/// Memory for each listing, in bytes: what is kept of it, and one sort of all of them at a time.
pub const LISTING_BYTES: u64 = 64;
/// Most listings of a snapshot: the text index has so many places.
const LISTINGS_MAX: u64 = posting::DOCS_MAX as u64;
/// Most platforms of a snapshot: their numbers have 16 bits.
const PLATFORMS_MAX: usize = 1 << 16;
/// Most brands, and most categories: their numbers have 32 bits, and one of these means none.
const NAMES_MAX: usize = u32::MAX as usize - 1;
/// Most days from the first observation to the last: their numbers have 16 bits, and one of these means none.
const DAYS_MAX: i64 = NO_DAY as i64 - 1;
/// What an entry of the dictionary takes beside its texts, in bytes: lengths, counts, a parent.
const ENTRY_BYTES: u64 = 40;
/// Of the memory beyond what is kept of listings, this part goes to a sort: 1 in so many.
const SORT_SHARE: u64 = 4;

/// How much memory a build may take beyond what is kept of listings and names.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryBudget {
    bytes: u64,
}

impl MemoryBudget {
    /// Holds a source against what a snapshot can hold, and against the memory that packing may take.
    ///
    /// # Errors
    /// When the snapshot, or the memory, is too small; it says what is needed.
    pub(super) fn of(source: &dyn Source, memory: u64) -> Result<Self> {
        let (names, sizes) = (source.names(), source.sizes());
        check_sizes(names, sizes)?;
        let kept = LISTING_BYTES * sizes.listings + dictionary_bytes(names);
        let needed = BUFFERS_BYTES + kept;
        if memory < needed {
            bail!(
                "writing a snapshot of {} listings requires {} MiB of memory, but the limit is {} MiB: raise the limit \
                 with --memory {}M",
                sizes.listings,
                mebibytes(needed),
                mebibytes(memory),
                mebibytes(needed)
            );
        }
        Ok(Self { bytes: memory - kept })
    }

    /// A room of so many bytes, however few: sorts meet the disk in tests, too.
    #[cfg(test)]
    pub(super) fn of_bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// Bytes that a sort may take.
    pub(super) fn sort_bytes(self) -> usize {
        usize::try_from(self.bytes / SORT_SHARE).unwrap_or(usize::MAX)
    }

    /// Bytes that a step may take in all.
    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }
}

/// Bytes of the dictionary: texts, and a bit for each entry.
fn dictionary_bytes(names: &Names) -> u64 {
    let brands = names.brands.iter().map(|brand| brand.key.len() + brand.label.len());
    let categories = names.categories.iter().map(|category| category.slug.len() + category.label.len());
    let platforms = names.platforms.iter().map(String::len);
    let aliases = names.aliases.iter().map(|alias| alias.name.len() + alias.target.len());
    let texts: usize = brands.chain(categories).chain(platforms).chain(aliases).sum();
    let entries = names.brands.len() + names.categories.len() + names.platforms.len() + names.aliases.len();
    texts as u64 + ENTRY_BYTES * entries as u64
}

fn check_sizes(names: &Names, sizes: Sizes) -> Result<()> {
    let bounds = [
        ("listings", sizes.listings, LISTINGS_MAX),
        ("retailers", names.platforms.len() as u64, PLATFORMS_MAX as u64),
        ("brands", names.brands.len() as u64, NAMES_MAX as u64),
        ("categories", names.categories.len() as u64, NAMES_MAX as u64),
    ];
    for (what, found, most) in bounds {
        ensure!(
            found <= most,
            "the input has {found} {what}, but a snapshot can contain at most {most}: split the input into several \
             snapshots"
        );
    }
    let days = i64::from(names.last_day.minus(names.first_day)) + 1;
    ensure!(
        days <= DAYS_MAX,
        "the observations span {days} days, but a snapshot can contain at most {DAYS_MAX}: remove the oldest \
         observations"
    );
    let bytes = dictionary_bytes(names);
    ensure!(
        bytes <= DECODE_BYTES_MAX as u64,
        "the names of brands, categories and retailers take {} MiB, but a snapshot can contain at most {} MiB: check \
         whether one of these columns contains other data",
        mebibytes(bytes),
        mebibytes(DECODE_BYTES_MAX as u64)
    );
    Ok(())
}
