//! The linker against barcodes: what it finds where the answer is known, with the answer hidden.

use crate::lang::Lexicon;
use std::collections::HashSet;

use super::{BrandName, Confidence, Item, Linker};

/// Pairs below which shares say nothing.
const PAIRS_MIN: u64 = 50;

/// What the linker makes of listings whose barcodes are hidden from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SelfCheck {
    /// Barcodes that two platforms of one country have, counted once for each two platforms.
    pub pairs: u64,
    /// Links made.
    pub links: u64,
    /// Links of one barcode.
    pub right: u64,
    /// Pairs that a link was made for.
    pub found: u64,
}

impl SelfCheck {
    /// Adds the listings of a country, which all have a barcode.
    pub fn add(
        &mut self,
        lexicon: &Lexicon,
        platforms: &[String],
        brands: &[BrandName<'_>],
        items: &[Item<'_>],
    ) {
        let mut known: Vec<(u64, u16)> = items.iter().map(|item| (item.gtin, item.platform)).collect();
        known.sort_unstable();
        known.dedup();
        let sizes = known.chunk_by(|a, b| a.0 == b.0).map(|group| group.len() as u64);
        self.pairs += sizes.map(|size| size * (size - 1) / 2).sum::<u64>();

        let hidden = items.iter().zip(0..).map(|(item, row)| Item { row, gtin: 0, ..*item }).collect();
        let links = Linker::new(lexicon, platforms, brands, hidden).links(Confidence::THRESHOLD);
        let mut found = HashSet::new();
        for link in &links {
            let (a, b) = (&items[link.left as usize], &items[link.right as usize]);
            if a.gtin == b.gtin {
                self.right += 1;
                found.insert((a.gtin, a.platform.min(b.platform), a.platform.max(b.platform)));
            }
        }
        self.links += links.len() as u64;
        self.found += found.len() as u64;
    }

    /// Links of one barcode over all links; nothing where too little is known, or no link was made.
    pub fn precision(&self) -> Option<f64> {
        (self.pairs >= PAIRS_MIN && self.links > 0).then(|| self.right as f64 / self.links as f64)
    }

    /// Pairs found over all pairs; nothing where too little is known.
    pub fn recall(&self) -> Option<f64> {
        (self.pairs >= PAIRS_MIN).then(|| self.found as f64 / self.pairs as f64)
    }
}
