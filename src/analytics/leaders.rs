//! The products with the largest price changes between two bands of days.
//!
//! Catalogs are refreshed at uneven intervals, so bands of days are compared: the last days with observations, and
//! days around an earlier date. A product's price in a band is its lowest price there.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use crate::catalog::Catalog;
use crate::snapshot::layout::NO_DAY;
use crate::stats::like_for_like::{RELATIVE_MAX, STABLE_PCT};
use crate::types::{Condition, Day};

/// The minimum number of listings per parallel task.
const LISTINGS_PER_TASK: usize = 2_048;
/// The half-width of a band is the distance between the bands divided by this number.
const DAYS_PER_BAND_DAY: i32 = 10;

/// Two bands of days, numbered as in the columns of days. The earlier band may begin before day 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// The first and the last day of the recent band.
    pub recent: (i32, i32),
    /// The first and the last day of the band with which it is compared.
    pub base: (i32, i32),
    /// The number of days by which the middle of the base band was moved, to a day with observations.
    pub shifted: i32,
}

/// A listing with prices in both bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Row of the listing.
    pub row: u32,
    /// The lowest price in the base band, in cents.
    pub from: u32,
    /// The lowest price in the recent band, in cents.
    pub to: u32,
    /// The number of days observed in the base band.
    pub base_days: u32,
    /// The number of days observed in the recent band.
    pub recent_days: u32,
}

/// The direction of the price changes that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ChangeDirection")]
pub enum Direction {
    /// Rises and falls.
    All,
    /// Price rises.
    Up,
    /// Price falls.
    Down,
}

/// The price changes between two bands.
#[derive(Debug, Default)]
pub struct Moves {
    /// The number of listings with prices in both bands.
    pub matched: u32,
    /// The number of these whose price rose by more than 1 %.
    pub rising: u32,
    /// The number of these whose price fell by more than 1 %.
    pub falling: u32,
    /// The number of these that are errors: their price fell to less than half or rose to more than double.
    pub trimmed: u32,
    /// The listings with prices in both bands, except errors, in the order of rows.
    pub kept: Vec<Move>,
}

/// The rows of condition new.
pub fn new_rows(catalog: &Catalog, mut rows: Vec<u32>) -> Vec<u32> {
    let condition = &catalog.listings.condition;
    rows.retain(|&row| condition[row as usize] == Condition::New.as_u8());
    rows
}

impl Bands {
    /// Chooses the bands for some rows, `win` days apart.
    pub fn of(catalog: &Catalog, rows: &[u32], win: i32) -> Self {
        let last_days = rows.iter().map(|&row| catalog.listings.current_day[row as usize]);
        let last = last_days.filter(|&day| day != NO_DAY).max();
        let end = i32::from(catalog.day_number(catalog.as_of()));
        let last = last.map_or(end - 1, i32::from);
        let half = (win / DAYS_PER_BAND_DAY).max(1);
        let wanted = last - win;
        let is_seen = |from: i32, to: i32| {
            let days = numbers(from, to);
            rows.iter().any(|&row| !catalog.spells_within(row, &days).is_empty())
        };
        let mut middle = wanted;
        if !is_seen(wanted - half, wanted + half) {
            let reach = win / 2;
            let seen = seen_days(catalog, rows, wanted - reach, wanted + reach);
            // If two days are equally near, the earlier day is used.
            let nearest = seen.into_iter().min_by_key(|day| (day - wanted).abs());
            middle = nearest.unwrap_or(wanted);
        }
        Self { recent: (last - half, last), base: (middle - half, middle + half), shifted: middle - wanted }
    }

    /// The date of a day number of the bands.
    pub fn day(catalog: &Catalog, number: i32) -> Day {
        catalog.day(0).plus_days(number)
    }
}

/// The days from the first to the last, clamped to the range of the columns of days.
fn numbers(first: i32, last: i32) -> Range<u16> {
    let number = |day: i32| day.clamp(0, i32::from(u16::MAX)) as u16;
    number(first)..number(last + 1)
}

/// The days of a span on which any of the rows was observed, in ascending order.
fn seen_days(catalog: &Catalog, rows: &[u32], first: i32, last: i32) -> Vec<i32> {
    let days = numbers(first, last);
    let mut seen = vec![false; days.len()];
    for &row in rows {
        catalog.spells_within(row, &days).each_stretch(|_, stretch| {
            seen[usize::from(stretch.start - days.start)..usize::from(stretch.end - days.start)].fill(true);
        });
    }
    (i32::from(days.start)..).zip(seen).filter(|(_, seen)| *seen).map(|(day, _)| day).collect()
}

impl Moves {
    /// Computes the price changes of some rows between two bands.
    pub fn of(catalog: &Catalog, rows: &[u32], bands: &Bands) -> Self {
        let (base, recent) = (numbers(bands.base.0, bands.base.1), numbers(bands.recent.0, bands.recent.1));
        let parts = rows.par_chunks(LISTINGS_PER_TASK).map(|rows| {
            let mut part = Self::default();
            rows.iter()
                .filter_map(|&row| Move::of(catalog, row, &base, &recent))
                .for_each(|found| part.add(found));
            part
        });
        parts.collect::<Vec<Self>>().into_iter().fold(Self::default(), Self::plus)
    }

    /// Whether at least `count` listings have prices in both bands, not counting errors. Stops when enough are found.
    pub fn has(catalog: &Catalog, rows: &[u32], bands: &Bands, count: usize) -> bool {
        let (base, recent) = (numbers(bands.base.0, bands.base.1), numbers(bands.recent.0, bands.recent.1));
        let moves = rows.iter().filter_map(|&row| Move::of(catalog, row, &base, &recent));
        moves.filter(|found| !found.is_error()).take(count).count() == count
    }

    fn add(&mut self, found: Move) {
        self.matched += 1;
        self.rising += u32::from(found.is_rising());
        self.falling += u32::from(found.is_falling());
        if found.is_error() {
            self.trimmed += 1;
        } else {
            self.kept.push(found);
        }
    }

    fn plus(mut self, other: Self) -> Self {
        self.matched += other.matched;
        self.rising += other.rising;
        self.falling += other.falling;
        self.trimmed += other.trimmed;
        self.kept.extend(other.kept);
        self
    }

    /// The changes in a direction, unordered.
    pub fn leaders(&self, direction: Direction) -> Vec<Move> {
        let goes = |found: &&Move| match direction {
            Direction::All => found.is_rising() || found.is_falling(),
            Direction::Up => found.is_rising(),
            Direction::Down => found.is_falling(),
        };
        self.kept.iter().filter(goes).copied().collect()
    }
}

/// A page of the largest changes, in descending order of the factor, then by uid.
pub fn page(catalog: &Catalog, mut leaders: Vec<Move>, cursor: usize, limit: usize) -> Vec<Move> {
    let uids = &catalog.listings.product_uid;
    let order = |one: &Move, other: &Move| {
        farther(one, other).then_with(|| uids[one.row as usize].cmp(&uids[other.row as usize]))
    };
    if cursor >= leaders.len() {
        return Vec::new();
    }
    if cursor > 0 {
        leaders.select_nth_unstable_by(cursor, order);
    }
    let mut page = leaders.split_off(cursor);
    if page.len() > limit {
        page.select_nth_unstable_by(limit, order);
        page.truncate(limit);
    }
    page.sort_unstable_by(order);
    page
}

/// Orders changes by their factor, largest first, regardless of direction.
fn farther(one: &Move, other: &Move) -> Ordering {
    let factor = |found: &Move| {
        let (low, high) = (found.from.min(found.to), found.from.max(found.to));
        (u64::from(high), u64::from(low))
    };
    let ((a, b), (c, d)) = (factor(one), factor(other));
    (c * b).cmp(&(a * d))
}

impl Move {
    fn of(catalog: &Catalog, row: u32, base: &Range<u16>, recent: &Range<u16>) -> Option<Self> {
        let lowest = |days: &Range<u16>| {
            let cut = catalog.spells_within(row, days);
            let low = catalog.spells.price[cut.rows.clone()].iter().min().copied()?;
            Some((low, cut.len()))
        };
        let ((to, recent_days), (from, base_days)) = (lowest(recent)?, lowest(base)?);
        Some(Self { row, from, to, base_days, recent_days })
    }

    fn is_rising(&self) -> bool {
        u64::from(self.to) * 100 > u64::from(self.from) * (100 + STABLE_PCT)
    }

    fn is_falling(&self) -> bool {
        u64::from(self.to) * 100 < u64::from(self.from) * (100 - STABLE_PCT)
    }

    fn is_error(&self) -> bool {
        let (from, to) = (u64::from(self.from), u64::from(self.to));
        to > from * RELATIVE_MAX || to * RELATIVE_MAX < from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(row: u32, from: u32, to: u32) -> Move {
        Move { row, from, to, base_days: 1, recent_days: 1 }
    }

    #[test]
    fn half_is_kept_and_one_percent_is_stable() {
        let mut moves = Moves::default();
        for (from, to) in [(400, 200), (200, 250), (500, 504), (400, 199), (100, 201), (100, 200)] {
            moves.add(moved(0, from, to));
        }
        assert_eq!((moves.matched, moves.rising, moves.falling, moves.trimmed), (6, 3, 2, 2));
        assert_eq!(moves.leaders(Direction::All).len(), 3);
        assert_eq!(moves.leaders(Direction::Down), [moved(0, 400, 200)]);
    }

    #[test]
    fn a_fall_to_half_goes_as_far_as_a_rise_to_double() {
        assert_eq!(farther(&moved(0, 400, 200), &moved(1, 1, 2)), Ordering::Equal);
        assert_eq!(farther(&moved(0, 400, 200), &moved(1, 100, 199)), Ordering::Less);
    }
}
