//! Price spells: the longest runs of a listing's consecutive observations with one price, list price and flags.

use std::ops::Range;

use super::GroupedObservations;
use crate::snapshot::layout::NO_DAY;
use crate::snapshot::spells::{Cut, SeenDays, WORD_DAYS};

/// Columns of spells. All have the same length.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SpellColumns {
    /// How many of the listing's observations lie before the end of each spell.
    pub end: Vec<u16>,
    /// Price in cents.
    pub price: Vec<u32>,
    /// List price in cents as the source has it; 0 for none.
    pub list_price: Vec<u32>,
    /// Stock and promotion bits.
    pub flags: Vec<u8>,
}

/// Price spells of listings in a row, and the days on which each was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedSpells {
    /// Spells of listing `i` are rows `offsets[i]..offsets[i + 1]`: one more than there are listings.
    pub offsets: Vec<u64>,
    /// First day of each listing from the snapshot's first; [`NO_DAY`] for one that was never observed.
    pub first_day: Vec<u16>,
    /// Last day of each likewise.
    pub last_day: Vec<u16>,
    /// Words of listing `i` are `days[day_offsets[i]..day_offsets[i + 1]]`; none where no day is missing.
    pub day_offsets: Vec<u64>,
    /// Bit `d` of a listing's words: it was seen `d` days after its first.
    pub days: Vec<u64>,
    /// The spells.
    pub columns: SpellColumns,
}

impl Default for GroupedSpells {
    /// Of no listing.
    fn default() -> Self {
        Self {
            offsets: vec![0],
            first_day: vec![],
            last_day: vec![],
            day_offsets: vec![0],
            days: vec![],
            columns: SpellColumns::default(),
        }
    }
}

/// An observation of one listing, as spells tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Day from the snapshot's first.
    pub day: u16,
    /// Price in cents.
    pub price: u32,
    /// List price in cents; 0 for none.
    pub list_price: u32,
    /// Stock and promotion bits.
    pub flags: u8,
}

/// The spells of one listing, as [`GroupedSpells`] has them, wherever they lie.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct ListingSpells<'a> {
    pub first_day: u16,
    pub last_day: u16,
    pub days: &'a [u64],
    pub end: &'a [u16],
    pub price: &'a [u32],
    pub list_price: &'a [u32],
    pub flags: &'a [u8],
}

impl GroupedSpells {
    /// Number of listings.
    pub fn listings(&self) -> usize {
        self.first_day.len()
    }

    /// Appends a listing with these observations, days ascending.
    pub fn push(&mut self, observations: impl Iterator<Item = Seen> + Clone) {
        let mut last: Option<Seen> = None;
        let mut count = 0_u16;
        for seen in observations.clone() {
            let same = |last: Seen| Seen { day: seen.day, ..last } == seen;
            if !last.is_some_and(same) {
                self.columns.end.push(0);
                self.columns.price.push(seen.price);
                self.columns.list_price.push(seen.list_price);
                self.columns.flags.push(seen.flags);
            }
            count += 1;
            if let Some(end) = self.columns.end.last_mut() {
                *end = count;
            }
            last = Some(seen);
        }
        let span = observations.clone().next().zip(last).map(|(first, last)| (first.day, last.day));
        let (first, last) = span.unwrap_or((NO_DAY, NO_DAY));
        self.first_day.push(first);
        self.last_day.push(last);
        let days = usize::from(last - first) + 1;
        if count > 0 && usize::from(count) < days {
            let from = self.days.len();
            self.days.resize(from + days.div_ceil(WORD_DAYS.into()), 0);
            for seen in observations {
                let at = seen.day - first;
                self.days[from + usize::from(at / WORD_DAYS)] |= 1 << (at % WORD_DAYS);
            }
        }
        self.offsets.push(self.columns.end.len() as u64);
        self.day_offsets.push(self.days.len() as u64);
    }

    /// These listings, in this order.
    #[must_use]
    pub fn take(&self, listings: &[u32]) -> Self {
        let mut taken = Self::default();
        for &listing in listings {
            taken.push_spells(&self.of_listing(listing as usize));
        }
        taken
    }

    /// The spells of a listing, where they lie.
    fn of_listing(&self, at: usize) -> ListingSpells<'_> {
        let spells = self.offsets[at] as usize..self.offsets[at + 1] as usize;
        ListingSpells {
            first_day: self.first_day[at],
            last_day: self.last_day[at],
            days: &self.days[self.day_offsets[at] as usize..self.day_offsets[at + 1] as usize],
            end: &self.columns.end[spells.clone()],
            price: &self.columns.price[spells.clone()],
            list_price: &self.columns.list_price[spells.clone()],
            flags: &self.columns.flags[spells],
        }
    }

    /// Appends a listing with these spells.
    pub fn push_spells(&mut self, of: &ListingSpells<'_>) {
        self.first_day.push(of.first_day);
        self.last_day.push(of.last_day);
        self.columns.end.extend_from_slice(of.end);
        self.columns.price.extend_from_slice(of.price);
        self.columns.list_price.extend_from_slice(of.list_price);
        self.columns.flags.extend_from_slice(of.flags);
        self.days.extend_from_slice(of.days);
        self.offsets.push(self.columns.end.len() as u64);
        self.day_offsets.push(self.days.len() as u64);
    }

    /// Appends the listings of another part.
    pub fn append(&mut self, more: &Self) {
        let (spells, words) = (self.columns.end.len() as u64, self.days.len() as u64);
        self.offsets.extend(more.offsets[1..].iter().map(|end| spells + end));
        self.day_offsets.extend(more.day_offsets[1..].iter().map(|end| words + end));
        self.first_day.extend_from_slice(&more.first_day);
        self.last_day.extend_from_slice(&more.last_day);
        self.days.extend_from_slice(&more.days);
        self.columns.end.extend_from_slice(&more.columns.end);
        self.columns.price.extend_from_slice(&more.columns.price);
        self.columns.list_price.extend_from_slice(&more.columns.list_price);
        self.columns.flags.extend_from_slice(&more.columns.flags);
    }

    /// The spells of some listings.
    pub fn of(observations: &GroupedObservations, listings: Range<usize>) -> Self {
        let mut spells = Self::default();
        let columns = &observations.columns;
        for listing in listings {
            let rows = observations.offsets[listing] as usize..observations.offsets[listing + 1] as usize;
            spells.push(rows.map(|row| Seen {
                day: columns.day[row],
                price: columns.price[row],
                list_price: columns.list_price[row],
                flags: columns.flags[row],
            }));
        }
        spells
    }

    /// The spells of a listing.
    pub fn cut(&self, listing: usize) -> Cut<'_> {
        let rows = self.offsets[listing] as usize..self.offsets[listing + 1] as usize;
        let words = &self.days[self.day_offsets[listing] as usize..self.day_offsets[listing + 1] as usize];
        let days = SeenDays::new(self.first_day[listing], words);
        Cut::of(rows, days, &self.columns.end, &(0..NO_DAY))
    }

    /// The observations of a listing, days ascending.
    pub fn seen(&self, listing: usize) -> Vec<Seen> {
        let SpellColumns { price, list_price, flags, .. } = &self.columns;
        let mut seen = Vec::new();
        self.cut(listing).each_stretch(|row, days| {
            let (price, list_price, flags) = (price[row], list_price[row], flags[row]);
            seen.extend(days.map(|day| Seen { day, price, list_price, flags }));
        });
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(days: &[(u16, u32)]) -> Vec<Seen> {
        days.iter().map(|&(day, price)| Seen { day, price, list_price: 0, flags: 1 }).collect()
    }

    #[test]
    fn observations_become_spells_and_days_and_come_back() {
        let whole = seen(&[(3, 5), (4, 5), (5, 6), (6, 5)]);
        let gaps = seen(&[(0, 9), (2, 9), (70, 9), (129, 8)]);
        let listings = [whole, vec![], gaps, seen(&[(7, 1)])];
        let mut spells = GroupedSpells::default();
        for listing in &listings {
            spells.push(listing.iter().copied());
        }
        assert_eq!(spells.offsets, [0, 3, 3, 5, 6]);
        assert_eq!(spells.columns.end, [2, 3, 4, 3, 4, 1]);
        assert_eq!(spells.day_offsets, [0, 0, 0, 3, 3], "words stand only where a day is missing");
        assert_eq!((&spells.first_day[..], spells.last_day[1]), (&[3, NO_DAY, 0, 7][..], NO_DAY));
        for (at, listing) in listings.iter().enumerate() {
            assert_eq!(spells.seen(at), *listing);
        }
        let turned = spells.take(&[2, 1, 0]);
        assert_eq!(turned.seen(0), listings[2]);
        assert_eq!((turned.listings(), turned.seen(1).len()), (3, 0));
        let mut twice = spells.clone();
        twice.append(&spells);
        assert_eq!(twice.seen(6), listings[2]);
        assert_eq!((twice.listings(), twice.offsets[8], twice.day_offsets[8]), (8, 12, 6));
    }
}
