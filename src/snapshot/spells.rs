//! Price spells and the days on which a listing was seen, as stored in memory and on disk.
//!
//! A price spell is a run of a listing's consecutive observations with the same price, list price and flags. A
//! listing usually keeps its price for weeks, so it has far fewer spells than days. Sums over days are therefore
//! computed over spells. A catalog of a year takes 1.1 kB per listing; with daily prices it took 5.1 kB.
//!
//! The end of a spell is a *position*: an exclusive index into the listing's observations. If no day is missing, the
//! day of an observation is the first day plus its position. Otherwise the days are stored as a bit set in words of
//! 64 days, and the position of a day is the number of set bits before it. A listing without a missing day has no
//! words.
//!
//! [`Cut`] is a listing's spells restricted to a window. [`Cut::each_stretch`] iterates over runs of consecutive days
//! with one price, [`Cut::each_day`] over single days.

use std::iter::zip;
use std::ops::Range;

/// The number of days that a word covers.
pub const WORD_DAYS: u16 = u64::BITS as u16;

/// The days on which a listing was seen.
#[derive(Debug, Clone, Copy)]
pub struct SeenDays<'a> {
    /// The first day.
    first: u16,
    /// Bit `d` is set if the listing was seen `d` days after the first. The words end at the last day. Empty if no
    /// day is missing.
    words: &'a [u64],
}

impl<'a> SeenDays<'a> {
    /// The days whose bits are set in `words`, counted from `first`; without words, all days from `first`.
    #[inline]
    pub const fn new(first: u16, words: &'a [u64]) -> Self {
        Self { first, words }
    }

    /// The number of seen days before `day`, given the total number `seen`.
    #[inline]
    fn before(self, day: u16, seen: u16) -> u16 {
        let bits = day.saturating_sub(self.first);
        if self.words.is_empty() {
            return bits.min(seen);
        }
        let whole = usize::from(bits / WORD_DAYS);
        let Some(part) = self.words.get(whole) else { return seen };
        let part = part & ((1 << (bits % WORD_DAYS)) - 1);
        let before: u32 = self.words[..whole].iter().map(|word| word.count_ones()).sum();
        (before + part.count_ones()) as u16
    }

    /// The day of the observation at position `place`.
    #[inline]
    fn day(self, place: u16) -> u16 {
        if self.words.is_empty() {
            return self.first + place;
        }
        let (mut left, mut at) = (u32::from(place), 0);
        for &word in self.words {
            let ones = word.count_ones();
            if left < ones {
                return self.first + at + set_bit(word, left);
            }
            left -= ones;
            at += WORD_DAYS;
        }
        self.first + at
    }

    /// The word that contains a position, with the bits before the position cleared, and the words after it. The
    /// first value is the number of days from the first day to the start of the word.
    #[inline]
    fn bits(self, place: u16) -> (u16, u64, &'a [u64]) {
        let at = self.day(place) - self.first;
        let word = usize::from(at / WORD_DAYS);
        let bits = self.words[word] >> (at % WORD_DAYS) << (at % WORD_DAYS);
        (at - at % WORD_DAYS, bits, &self.words[word + 1..])
    }
}

/// The index of the `nth` set bit of a word, counted from 0.
#[inline]
fn set_bit(word: u64, nth: u32) -> u16 {
    let (mut left, mut at) = (nth, 0);
    for width in [32, 16, 8, 4, 2, 1] {
        let ones = (word >> at & ((1 << width) - 1)).count_ones();
        if left >= ones {
            left -= ones;
            at += width;
        }
    }
    at
}

/// Iterates over runs of seen days.
struct Runs<'a> {
    /// The number of days from the first day to the start of the current word.
    base: u16,
    /// The remaining bits of the current word.
    bits: u64,
    later: &'a [u64],
}

impl Runs<'_> {
    /// The next run of consecutive days, at most `most` days long, counted from the listing's first day. At least one
    /// seen day must remain.
    #[inline]
    fn next(&mut self, most: u16) -> Range<u16> {
        while self.bits == 0 {
            self.load();
        }
        let from = self.bits.trailing_zeros() as u16;
        // The shift inserts zeros at the top, so a run does not extend beyond the word.
        let ones = (!(self.bits >> from)).trailing_zeros() as u16;
        let begin = self.base + from;
        let mut length = ones.min(most);
        self.leave(from + length);
        // Extends the run into the following words.
        while self.bits == 0
            && length < most
            && self.base + WORD_DAYS == begin + length
            && !self.later.is_empty()
        {
            self.load();
            let more = ((!self.bits).trailing_zeros() as u16).min(most - length);
            length += more;
            self.leave(more);
        }
        begin..begin + length
    }

    #[inline]
    fn load(&mut self) {
        self.base += WORD_DAYS;
        (self.bits, self.later) = (self.later[0], &self.later[1..]);
    }

    /// Clears the `bits` lowest bits of the current word.
    #[inline]
    fn leave(&mut self, bits: u16) {
        self.bits &= u64::MAX.checked_shl(bits.into()).unwrap_or_default();
    }
}

/// A listing's spells, restricted to a window.
#[derive(Clone)]
pub struct Cut<'a> {
    /// Rows of the spells that overlap the window.
    pub rows: Range<usize>,
    /// Positions of the window's observations among those of the listing.
    seen: Range<u16>,
    days: SeenDays<'a>,
    end: &'a [u16],
}

impl<'a> Cut<'a> {
    /// The spells in `rows`, which must be all spells of a listing that was seen on `days`, restricted to `window`.
    /// `end` contains the end position of each spell.
    #[inline]
    pub fn of(rows: Range<usize>, days: SeenDays<'a>, end: &'a [u16], window: &Range<u16>) -> Self {
        let (mut from, mut to) = (rows.start, rows.end);
        let all = if rows.is_empty() { 0 } else { end[rows.end - 1] };
        let seen = days.before(window.start, all)..days.before(window.end, all);
        if seen.is_empty() {
            to = from;
        } else {
            // Most windows contain all observations of a listing, and then neither bound is searched for.
            if seen.start > 0 {
                from += end[rows].partition_point(|&end| end <= seen.start);
            }
            if seen.end < all {
                to = from + end[from..to].partition_point(|&end| end < seen.end) + 1;
            }
        }
        Self { rows: from..to, seen, days, end }
    }

    /// The number of observations.
    #[inline]
    pub fn len(&self) -> u32 {
        u32::from(self.seen.end.saturating_sub(self.seen.start))
    }

    /// Whether there are no observations.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The first and the last day with an observation; `None` if there are no observations.
    #[inline]
    pub fn days(&self) -> Option<(u16, u16)> {
        (!self.is_empty()).then(|| (self.days.day(self.seen.start), self.days.day(self.seen.end - 1)))
    }

    /// The second-to-last day with an observation; `None` if there are fewer than two observations.
    #[inline]
    pub fn last_day_but_one(&self) -> Option<u16> {
        (self.len() > 1).then(|| self.days.day(self.seen.end - 2))
    }

    /// The number of observations of each spell in `rows`.
    #[inline]
    pub fn times(&self) -> impl Iterator<Item = u32> + '_ {
        let mut from = self.seen.start;
        self.end[self.rows.clone()].iter().map(move |&end| {
            let to = end.min(self.seen.end);
            u32::from(to - std::mem::replace(&mut from, to))
        })
    }

    /// Calls `each` with the row and the days of each spell, in order. Consecutive days are passed as one range, so a
    /// spell that spans a missing day is passed in parts.
    #[inline]
    pub fn each_stretch(&self, mut each: impl FnMut(usize, Range<u16>)) {
        if self.is_empty() {
            return;
        }
        let first = self.days.first;
        let spells = zip(self.rows.clone(), self.times());
        if self.days.words.is_empty() {
            let mut day = first + self.seen.start;
            for (row, times) in spells {
                let from = day;
                day += times as u16;
                each(row, from..day);
            }
            return;
        }
        let (base, bits, later) = self.days.bits(self.seen.start);
        let mut runs = Runs { base, bits, later };
        for (row, times) in spells {
            let mut left = times as u16;
            while left > 0 {
                let days = runs.next(left);
                left -= days.end - days.start;
                each(row, first + days.start..first + days.end);
            }
        }
    }

    /// Calls `each` with each day and the row of its spell, in order. If many days are missing, this is faster than
    /// [`Cut::each_stretch`], whose runs are then short and irregular.
    #[inline]
    pub fn each_day(&self, mut each: impl FnMut(usize, u16)) {
        if self.is_empty() || self.days.words.is_empty() {
            return self.each_stretch(|row, days| days.for_each(|day| each(row, day)));
        }
        let (mut base, mut bits, mut later) = self.days.bits(self.seen.start);
        let (mut row, mut place) = (self.rows.start, self.seen.start);
        loop {
            while bits != 0 {
                row += usize::from(place == self.end[row]);
                each(row, self.days.first + base + bits.trailing_zeros() as u16);
                bits &= bits - 1;
                place += 1;
                if place == self.seen.end {
                    return;
                }
            }
            base += WORD_DAYS;
            (bits, later) = (later[0], &later[1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words of a list of days, counted from its first day.
    fn words(days: &[u16]) -> Vec<u64> {
        let (first, last) = (days[0], days[days.len() - 1]);
        let span = usize::from(last - first) + 1;
        if span == days.len() {
            return Vec::new();
        }
        let mut words = vec![0_u64; span.div_ceil(usize::from(WORD_DAYS))];
        for day in days {
            words[usize::from((day - first) / WORD_DAYS)] |= 1 << ((day - first) % WORD_DAYS);
        }
        words
    }

    fn check(days: &[u16], end: &[u16], window: &Range<u16>) {
        let words = words(days);
        let (rows, seen) = (0..end.len(), SeenDays::new(days[0], &words));
        let cut = Cut::of(rows, seen, end, window);
        let expect: Vec<(usize, u16)> = zip(days, 0_u16..)
            .filter(|(day, _)| window.contains(day))
            .map(|(&day, place)| (end.partition_point(|&end| end <= place), day))
            .collect();
        let (mut found, mut times, mut before) = (Vec::new(), vec![0; cut.rows.len()], None);
        cut.each_stretch(|row, days| {
            assert!(!days.is_empty() && before.replace((row, days.end)) != Some((row, days.start)));
            times[row - cut.rows.start] += u32::from(days.end - days.start);
            found.extend(days.map(|day| (row, day)));
        });
        assert_eq!(found, expect, "{window:?}");
        let mut daily = Vec::new();
        cut.each_day(|row, day| daily.push((row, day)));
        assert_eq!(daily, expect, "{window:?}");
        assert_eq!(cut.times().collect::<Vec<_>>(), times);
        assert!(!times.contains(&0), "a spell outside of the window");
        assert_eq!((cut.len() as usize, cut.is_empty()), (expect.len(), expect.is_empty()));
        let (first, last) = (expect.first(), expect.last());
        assert_eq!(cut.days(), first.zip(last).map(|(first, last)| (first.1, last.1)));
        assert_eq!(cut.last_day_but_one(), expect.iter().rev().nth(1).map(|seen| seen.1));
    }

    proptest! {
        #[test]
        fn a_cut_holds_the_days_of_its_window(
            gaps in prop::collection::vec(prop_oneof![4 => Just(1_u16), 1 => 2_u16..5, 1 => 60_u16..70], 1..300),
            first in 0_u16..90,
            ends in prop::collection::btree_set(1_u16..300, 0..20),
            windows in prop::collection::vec((0_u16..900, 0_u16..900), 1..20),
        ) {
            let mut days = vec![first];
            days.extend(gaps.iter().scan(first, |day, gap| { *day += gap; Some(*day) }));
            let mut end: Vec<u16> = ends.into_iter().filter(|&end| usize::from(end) < days.len()).collect();
            end.push(days.len() as u16);
            for (a, b) in windows {
                check(&days, &end, &(a..b));
            }
            check(&days, &end, &(0..u16::MAX));
            // The same number of days, without a missing day.
            let whole: Vec<u16> = (first..).take(days.len()).collect();
            check(&whole, &end, &(first / 2..first + 100));
        }
    }

    #[test]
    fn cuts_runs_that_cross_word_boundaries() {
        let days: Vec<u16> = (3..).take(200).filter(|&day| day != 4).collect();
        for from in 0..210 {
            for end in [&[199][..], &[63, 64, 199], &[62, 65, 127, 199]] {
                check(&days, end, &(from..204));
                check(&days, end, &(0..from));
            }
        }
        check(&[0, u16::MAX - 2], &[1, 2], &(0..u16::MAX));
        check(&[7], &[1], &(7..8));
    }

    #[test]
    fn cuts_nothing_from_an_empty_range() {
        let cut = Cut::of(5..5, SeenDays::new(u16::MAX, &[]), &[], &(0..u16::MAX));
        assert!(cut.is_empty() && cut.days().is_none());
        assert_eq!(cut.len(), 0);
        cut.each_stretch(|_, _| panic!("nothing was seen"));
        cut.each_day(|_, _| panic!("nothing was seen"));
    }
}
