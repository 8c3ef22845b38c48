//! Likely links of a snapshot: made, held against barcodes, written.

use std::io;
use std::path::Path;

use super::super::canonical::NONE;
use super::interim::{Current, EntityGroups, Whole};
use crate::domain::{Country, Ratio4};
use crate::link::{BrandName, Confidence, Item, Link, Linker, SelfCheck};
use crate::snapshot::columns::{ColumnWriter, Written};
use crate::snapshot::manifest;

/// Share of right links among those of the self check under which none are published.
const PRECISION_MIN: f64 = 0.9;
/// Most listings of the self check.
const CHECKED_MAX: usize = 100_000;

/// Listings of a barcode from which on it is left out of the self check: nobody sells one product that often, and every
/// listing would be held against every other.
const CHECKED_MEMBERS_MAX: usize = 1_000;

/// What a build does about likely links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linking {
    /// None are looked for.
    Off,
    /// They are published unless the self check speaks against it.
    Checked,
    /// They are published whatever the self check says.
    Kept,
}

/// Links as they are written.
pub(super) struct Links {
    made: Vec<Link>,
    /// What manifest and report say; `None` when no links were looked for.
    pub(super) summary: Option<manifest::LinkingFigures>,
    /// Why links are not published, if they are not.
    pub(super) unpublished: Option<String>,
}

impl Links {
    pub(super) fn of(tables: &Whole<'_>, current: &Current, entities: &EntityGroups, wish: Linking) -> Self {
        let mut links = Self { made: Vec::new(), summary: None, unpublished: None };
        if wish == Linking::Off {
            return links;
        }
        let brands: Vec<BrandName<'_>> = tables
            .names
            .brands
            .iter()
            .map(|brand| BrandName { key: &brand.key, label: &brand.label })
            .collect();
        let items = |rows: &mut dyn Iterator<Item = u32>, country: Country| -> Vec<Item<'_>> {
            let here = rows.filter(|&row| tables.listings.country[row as usize] == country);
            here.map(|row| item(tables, current, row)).collect()
        };
        let check =
            self_check(tables, entities, |rows, country| items(&mut rows.iter().copied(), country), &brands);
        let wrong = check.precision().filter(|&precision| precision < PRECISION_MIN);
        if let Some(precision) = wrong.filter(|_| wish == Linking::Checked) {
            links.unpublished = Some(format!(
                "likely links are not published: of {} made among listings with a barcode, it hidden, {:.1} % \
                     were right, and at least {:.0} % have to be; --keep-links publishes them all the same",
                check.links,
                100.0 * precision,
                100.0 * PRECISION_MIN
            ));
        } else {
            let rows = 0..tables.listings.product_uid.len() as u32;
            for country in Country::ALL {
                let linker = Linker::new(&tables.names.platforms, &brands, items(&mut rows.clone(), country));
                links.made.extend(linker.links(Confidence::THRESHOLD));
            }
        }
        links.summary = Some(links.summarize(tables, current, entities, check));
        links
    }

    fn summarize(
        &self,
        tables: &Whole<'_>,
        current: &Current,
        entities: &EntityGroups,
        check: SelfCheck,
    ) -> manifest::LinkingFigures {
        let listings = &tables.listings;
        let linked = self.of_rows(listings.product_uid.len());
        let priced = || (0..current.priced.len() as u32).filter(|&row| current.priced[row as usize] == 1);
        let cell = |row: u32| {
            let country = listings.country[row as usize].as_u8() as usize;
            country * entities.uid.len() + entities.of_row[row as usize] as usize
        };
        let is_here = |row: u32, other: u32| {
            current.priced[other as usize] == 1
                && listings.country[other as usize] == listings.country[row as usize]
        };
        // Who sells a product in a country, by itself and over the links of its listings.
        let mut by_barcode = vec![Sellers::None; entities.uid.len() * Country::ALL.len()];
        let mut by_link = by_barcode.clone();
        for row in 0..current.priced.len() as u32 {
            let linked = linked.of(row).map(|(other, _)| other);
            let sold = |other: &u32| is_here(row, *other);
            by_barcode[cell(row)].add(Some(row).filter(sold).map(|row| listings.platform[row as usize]));
            for other in linked.filter(sold) {
                by_link[cell(row)].add(Some(listings.platform[other as usize]));
            }
        }
        let elsewhere =
            |sellers: &[Sellers], row: u32| sellers[cell(row)].any_other(listings.platform[row as usize]);
        let by_barcode = |&row: &u32| elsewhere(&by_barcode, row);
        let by_link = |&row: &u32| elsewhere(&by_link, row);
        let ratio = |share: Option<f64>| share.map(|share| Ratio4::from_f64(share).as_f64());
        manifest::LinkingFigures {
            listings_without_barcode: listings.gtin.iter().filter(|&&gtin| gtin == 0).count() as u64,
            linked_listings: (0..listings.gtin.len() as u32)
                .filter(|&row| linked.of(row).next().is_some())
                .count() as u64,
            links: self.made.len() as u64,
            threshold: Confidence::THRESHOLD.get(),
            comparable_by_barcode: priced().filter(by_barcode).count() as u64,
            comparable_with_links: priced().filter(|row| by_barcode(row) || by_link(row)).count() as u64,
            self_check: manifest::SelfCheckFigures {
                pairs: check.pairs,
                links: check.links,
                precision: ratio(check.precision()),
                recall: ratio(check.recall()),
            },
        }
    }

    /// The links of each row, both ways.
    fn of_rows(&self, rows: usize) -> ByRow {
        let both = self
            .made
            .iter()
            .flat_map(|link| [(link.left, link.right, *link), (link.right, link.left, *link)]);
        let mut sorted: Vec<(u32, u32, Link)> = both.collect();
        sorted.sort_unstable_by_key(|&(row, other, _)| (row, other));
        let mut ends = Vec::with_capacity(rows);
        let mut at = 0;
        for row in 0..rows as u32 {
            at += sorted[at..].partition_point(|entry| entry.0 == row);
            ends.push(at as u32);
        }
        ByRow { ends, sorted }
    }

    /// Writes links and part numbers to `path`.
    pub(super) fn write(&self, tables: &Whole<'_>, path: &Path) -> io::Result<Written> {
        let ByRow { ends, sorted } = self.of_rows(tables.listings.product_uid.len());
        let mut file = ColumnWriter::create(path)?;
        file.column("looked_for", &[u8::from(self.summary.is_some())])?;
        file.column("link_ends", &ends)?;
        file.column("link_rows", &sorted.iter().map(|entry| entry.1).collect::<Vec<_>>())?;
        file.column("link_confidence", &sorted.iter().map(|entry| entry.2.confidence.0).collect::<Vec<_>>())?;
        file.column("link_reasons", &sorted.iter().map(|entry| entry.2.reasons).collect::<Vec<_>>())?;
        file.strings("mpn", &tables.listings.mpn)?;
        file.finish()
    }
}

/// Platforms that sell something, as far as one has to know to tell whether another one than a given does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sellers {
    None,
    One(u16),
    Several,
}

impl Sellers {
    fn add(&mut self, platform: Option<u16>) {
        *self = match (*self, platform) {
            (known, None) => known,
            (Self::None, Some(platform)) => Self::One(platform),
            (Self::One(known), Some(platform)) if known == platform => Self::One(known),
            (Self::One(_) | Self::Several, Some(_)) => Self::Several,
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

/// Links by row: those of row `i` end at `ends[i]`.
struct ByRow {
    ends: Vec<u32>,
    sorted: Vec<(u32, u32, Link)>,
}

impl ByRow {
    fn of(&self, row: u32) -> impl Iterator<Item = (u32, Link)> + '_ {
        let row = row as usize;
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        self.sorted[from as usize..self.ends[row] as usize].iter().map(|entry| (entry.1, entry.2))
    }
}

fn item<'a>(tables: &'a Whole<'a>, current: &Current, row: u32) -> Item<'a> {
    let (listings, at) = (&tables.listings, row as usize);
    Item {
        row,
        uid: listings.product_uid[at],
        platform: listings.platform[at],
        name: listings.name.get(at),
        brand: match listings.brand[at] {
            NONE => crate::link::NONE,
            brand => brand,
        },
        gtin: listings.gtin[at],
        condition: listings.condition[at],
        price: current.price[at],
        mpn: listings.mpn.get(at),
    }
}

/// The linker over listings that have a barcode: whole entities, those of the lowest uids.
fn self_check<'a>(
    tables: &'a Whole<'a>,
    entities: &EntityGroups,
    items: impl Fn(&[u32], Country) -> Vec<Item<'a>>,
    brands: &[BrandName<'_>],
) -> SelfCheck {
    let mut rows: Vec<u32> = Vec::new();
    for entity in 0..entities.uid.len() {
        let members = entities.members(entity);
        let has_barcode = members.first().is_some_and(|&row| tables.listings.gtin[row as usize] != 0);
        if !has_barcode || members.len() > CHECKED_MEMBERS_MAX {
            continue;
        }
        if rows.len() + members.len() > CHECKED_MAX {
            break;
        }
        rows.extend_from_slice(members);
    }
    let mut check = SelfCheck::default();
    for country in Country::ALL {
        check.add(&tables.names.platforms, brands, &items(&rows, country));
    }
    check
}
