//! How many listings can be compared with another retailer's, by barcode and by link.

use super::ByRow;
use crate::index::writer::WriterContext;
use crate::types::Country;

/// Priced listings whose product another retailer sells in the country.
pub(super) struct Reach {
    /// By barcode alone.
    pub by_barcode: u64,
    /// By barcode or by a link.
    pub with_links: u64,
}

/// Platforms that sell something, as far as one has to know to tell whether another one than a given does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sellers {
    None,
    One(u16),
    Several,
}

impl Reach {
    pub(super) fn of(step: &WriterContext<'_>, linked: &ByRow) -> Self {
        let keys = step.keys;
        let entities = keys.entity.iter().max().map_or(0, |&last| last as usize + 1);
        let cell = |row: u32| {
            keys.country(row as usize).as_u8() as usize * entities + keys.entity[row as usize] as usize
        };
        let rows = || 0..keys.len() as u32;
        let is_priced = |row: &u32| keys.is_priced(*row as usize);
        let platform = |row: u32| keys.platform[row as usize];
        // Who sells a product in a country, by itself and over the links of its listings.
        let mut by_barcode = vec![Sellers::None; entities * Country::ALL.len()];
        let mut by_link = by_barcode.clone();
        for row in rows() {
            if is_priced(&row) {
                by_barcode[cell(row)].add(platform(row));
            }
            let is_here = |other: &u32| keys.country(*other as usize) == keys.country(row as usize);
            for other in linked.at(row).map(|(other, _)| other).filter(is_priced).filter(is_here) {
                by_link[cell(row)].add(platform(other));
            }
        }
        let elsewhere = |sellers: &[Sellers], row: u32| sellers[cell(row)].any_other(platform(row));
        let mut reach = Self { by_barcode: 0, with_links: 0 };
        for row in rows().filter(is_priced) {
            let is_by_barcode = elsewhere(&by_barcode, row);
            reach.by_barcode += u64::from(is_by_barcode);
            reach.with_links += u64::from(is_by_barcode || elsewhere(&by_link, row));
        }
        reach
    }
}

impl Sellers {
    fn add(&mut self, platform: u16) {
        *self = match *self {
            Self::None => Self::One(platform),
            Self::One(known) if platform == known => Self::One(known),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    fn any_other(self, platform: u16) -> bool {
        match self {
            Self::None => false,
            Self::One(known) => known != platform,
            Self::Several => true,
        }
    }
}
