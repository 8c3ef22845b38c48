//! The prepared periods of a snapshot, see [`crate::snapshot::periods`].

use std::ops::Range;

use polars_buffer::Buffer;

use crate::snapshot::columns::ColumnFile;
use crate::snapshot::periods;
use crate::types::{Day, Granularity};

/// The prices of all listings by week and by month.
pub struct Periods {
    listings: usize,
    widths: Vec<Width>,
}

/// The periods of one width.
struct Width {
    granularity: Granularity,
    /// All periods, as days counted from the snapshot's first day, each with its index among the prepared periods;
    /// `None` if it is not prepared.
    periods: Vec<(Range<u16>, Option<usize>)>,
    sum: Buffer<u32>,
    days: Buffer<u8>,
    flags: Buffer<u8>,
}

/// The values of all listings in a period, one entry per listing.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    /// The sum of the daily prices in cents; 0 if there is no price.
    pub sum: &'a [u32],
    /// Number of days with a price.
    pub days: &'a [u8],
    /// Stock and promotion bits of the last observation in the period.
    pub flags: &'a [u8],
}

impl Periods {
    /// Loads the columns from a mapped file. The snapshot's observations are in `[first, end)`.
    ///
    /// # Errors
    /// Returns an error if a column is missing or has an unexpected type or length.
    pub fn load(file: &ColumnFile, listings: usize, first: Day, end: Day) -> Result<Self, String> {
        if !(1..=i32::from(u16::MAX)).contains(&end.minus(first)) {
            return Err(format!("the observation days from {first} to {end} are not a valid range"));
        }
        let width = |(granularity, name): (Granularity, &str)| {
            let ranges = periods::periods(first, end, granularity);
            let prepared: Buffer<u8> = file.column_of(&format!("{name}_prepared"), ranges.len())?;
            let mut places = 0..;
            let place = |&prepared: &u8| if prepared == 1 { places.next() } else { None };
            let places: Vec<Option<usize>> = prepared.iter().map(place).collect();
            let cells = listings * places.iter().flatten().count();
            Ok(Width {
                granularity,
                periods: ranges.into_iter().zip(places).collect(),
                sum: file.column_of(&format!("{name}_sum"), cells)?,
                days: file.column_of(&format!("{name}_days"), cells)?,
                flags: file.column_of(&format!("{name}_flags"), cells)?,
            })
        };
        Ok(Self {
            listings,
            widths: periods::PREPARED.into_iter().map(width).collect::<Result<_, String>>()?,
        })
    }

    /// The prepared period of this width that covers exactly these days; `None` if it does not exist or is not
    /// prepared.
    pub fn cells(&self, granularity: Granularity, days: &Range<u16>) -> Option<Cells<'_>> {
        let width = self.widths.iter().find(|width| width.granularity == granularity)?;
        let at = width.periods.binary_search_by_key(&days.start, |(period, _)| period.start).ok()?;
        let (period, place) = &width.periods[at];
        place.filter(|_| period == days).map(|place| width.cells(place, self.listings))
    }

    /// All periods with their width and days, and with their cells if they are prepared.
    pub fn all(&self) -> impl Iterator<Item = (Granularity, &Range<u16>, Option<Cells<'_>>)> {
        self.widths.iter().flat_map(|width| {
            width.periods.iter().map(|(days, place)| {
                (width.granularity, days, place.map(|place| width.cells(place, self.listings)))
            })
        })
    }
}

impl Width {
    fn cells(&self, place: usize, listings: usize) -> Cells<'_> {
        let rows = place * listings..(place + 1) * listings;
        Cells { sum: &self.sum[rows.clone()], days: &self.days[rows.clone()], flags: &self.flags[rows] }
    }
}
