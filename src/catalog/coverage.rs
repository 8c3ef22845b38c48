//! Coverage: the state of each retailer in each root category, the retailers that can be selected by name, and the
//! retailers that show promotions. If a retailer never shows promotions, it is unknown whether its products are on
//! promotion.

use rayon::prelude::*;

use super::Listings;
use super::taxonomy::Node;
use crate::snapshot::layout::{CellEntry, PROMO, QualityStatus};
use crate::types::{Country, Instant};

/// A (platform, country, root category) cell.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Index of the platform.
    pub platform: u16,
    /// Country.
    pub country: Country,
    /// Root category.
    pub root: Node,
    /// Listings with any observation.
    pub priced: u32,
    /// Listings with an observation in the 90 days before the snapshot's now.
    pub recent: u32,
    /// Listings with any observation that have a brand.
    pub branded: u32,
    /// Newest observation.
    pub newest: Instant,
    /// State of the cell.
    pub status: QualityStatus,
}

/// The coverage of a snapshot.
pub struct Coverage {
    /// Cells ordered by platform, country, slug of the root.
    pub cells: Vec<Cell>,
    /// Best status of each platform, by country; `None` without cells.
    best: Vec<[Option<QualityStatus>; Country::ALL.len()]>,
}

impl Coverage {
    /// Builds the coverage of `platforms` platforms.
    ///
    /// # Errors
    /// Returns an error if a cell has an unknown country.
    pub fn load(entries: &[CellEntry], platforms: usize) -> Result<Self, String> {
        let mut cells = Vec::with_capacity(entries.len());
        let mut best = vec![[None; Country::ALL.len()]; platforms];
        for entry in entries {
            let country = Country::from_u8(entry.country)
                .ok_or("dictionary: a coverage cell has an unknown country")?;
            let status = QualityStatus::of(entry.priced, entry.recent);
            let known = best
                .get_mut(entry.platform as usize)
                .map(|platform: &mut [_; 2]| &mut platform[country.as_u8() as usize])
                .ok_or("dictionary: a coverage cell has an unknown platform")?;
            *known = Some(known.map_or(status, |known: QualityStatus| known.min(status)));
            cells.push(Cell {
                platform: entry.platform,
                country,
                root: entry.root,
                priced: entry.priced,
                recent: entry.recent,
                branded: entry.branded,
                newest: Instant::from_micros(entry.newest),
                status,
            });
        }
        Ok(Self { cells, best })
    }

    /// The best status of a platform's cells in a country; `None` if it has no cells there.
    pub fn best(&self, platform: u16, country: Country) -> Option<QualityStatus> {
        self.best[platform as usize][country.as_u8() as usize]
    }

    /// Platforms with at least one serving cell in a country, ascending.
    pub fn serving(&self, country: Country) -> impl Iterator<Item = u16> {
        (0..self.best.len() as u16)
            .filter(move |&platform| self.best(platform, country) == Some(QualityStatus::Serving))
    }
}

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 16_384;

/// The retailers of each country that show promotions.
#[derive(Debug, Default)]
pub struct Promoters([Vec<bool>; Country::ALL.len()]);

impl Promoters {
    /// Finds the platforms that have a priced listing with a list price or on promotion.
    pub(super) fn of(listings: &Listings, platforms: usize) -> Self {
        let none = || Country::ALL.map(|_| vec![false; platforms]);
        let mark = |mut marks: [Vec<bool>; Country::ALL.len()], row: usize| {
            let shows = listings.current_list_price[row] > 0 || listings.current_flags[row] & PROMO != 0;
            if shows && listings.priced[row] == 1 {
                marks[listings.country[row] as usize][listings.platform[row] as usize] = true;
            }
            marks
        };
        let either = |mut one: [Vec<bool>; Country::ALL.len()], other: [Vec<bool>; Country::ALL.len()]| {
            let pairs = one.iter_mut().flatten().zip(other.iter().flatten());
            pairs.for_each(|(one, other)| *one |= other);
            one
        };
        let rows = (0..listings.priced.len()).into_par_iter().with_min_len(LISTINGS_PER_TASK);
        Self(rows.fold(none, mark).reduce(none, either))
    }

    /// Whether each platform shows promotions in a country, by platform index.
    pub fn of_country(&self, country: Country) -> &[bool] {
        &self.0[country.as_u8() as usize]
    }
}
