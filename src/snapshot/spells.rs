//! Price spells and the days on which a listing was seen, as they lie in memory and on disk.
//!
//! What adds up over days adds up over spells, of which there are far fewer. A spell ends at a *place* among the
//! listing's observations. Where no day is missing a place is a day; else a word of bits tells of 64 days, and places are
//! counted in it.

use std::iter::zip;
use std::ops::Range;

/// Days that a word tells of.
pub const WORD_DAYS: u16 = u64::BITS as u16;

/// The days on which a listing was seen.
#[derive(Debug, Clone, Copy)]
pub struct SeenDays<'a> {
    /// The first of them.
    first: u16,
    /// Bit `d`: seen `d` days after the first, to the last one. None where no day is missing.
    words: &'a [u64],
}

impl<'a> SeenDays<'a> {
    /// The days from `first` on whose bits are set in `words`; all of them where there is no word.
    #[inline]
    pub const fn new(first: u16, words: &'a [u64]) -> Self {
        Self { first, words }
    }

    /// How many of `seen` days in all lie before `day`.
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

    /// The day at a place.
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

    /// The days from a place on, run by run.
    #[inline]
    fn runs(self, place: u16) -> Runs<'a> {
        Runs { days: self, at: self.day(place) - self.first }
    }
}

/// Where bit number `nth` of the set ones lies.
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

/// Goes along the days on which a listing was seen.
struct Runs<'a> {
    days: SeenDays<'a>,
    /// How many days after the first one.
    at: u16,
}

impl Runs<'_> {
    /// The next days in a row, at most so many.
    #[inline]
    fn next(&mut self, most: u16) -> Range<u16> {
        let from = if self.days.words.is_empty() { self.at } else { self.next_seen() };
        self.at = if self.days.words.is_empty() { from + most } else { self.next_missing(from, most) };
        self.days.first + from..self.days.first + self.at
    }

    /// The next seen day from here on; there is one while places are left.
    fn next_seen(&self) -> u16 {
        let mut word = usize::from(self.at / WORD_DAYS);
        let mut bits = self.days.words[word] >> (self.at % WORD_DAYS) << (self.at % WORD_DAYS);
        while bits == 0 {
            word += 1;
            bits = self.days.words[word];
        }
        word as u16 * WORD_DAYS + bits.trailing_zeros() as u16
    }

    /// The next day from a seen one on that was not seen, or is that many days later.
    fn next_missing(&self, seen: u16, most: u16) -> u16 {
        let (mut at, end) = (seen, seen + most);
        while at < end {
            let Some(word) = self.days.words.get(usize::from(at / WORD_DAYS)) else { break };
            // Zeros move in from above, so that no run is longer than what is left of the word.
            let ones = (!(word >> (at % WORD_DAYS))).trailing_zeros() as u16;
            let left = WORD_DAYS - at % WORD_DAYS;
            at += ones.min(left);
            if ones < left {
                break;
            }
        }
        at.min(end)
    }
}

/// A listing's spells, cut at the bounds of a window.
#[derive(Clone)]
pub struct Cut<'a> {
    /// Rows of the spells that reach into the window.
    pub rows: Range<usize>,
    /// Places of the window's observations among those of the listing.
    seen: Range<u16>,
    days: SeenDays<'a>,
    end: &'a [u16],
}

impl<'a> Cut<'a> {
    /// The spells in `rows`, all of a listing's that was seen on `days`, as far as they lie in `window`. A spell ends at
    /// the place in `end`.
    #[inline]
    pub fn of(rows: Range<usize>, days: SeenDays<'a>, end: &'a [u16], window: &Range<u16>) -> Self {
        let (mut from, mut to) = (rows.start, rows.end);
        let all = if rows.is_empty() { 0 } else { end[rows.end - 1] };
        let seen = days.before(window.start, all)..days.before(window.end, all);
        if seen.is_empty() {
            to = from;
        } else {
            // Most windows hold all of a listing: neither bound is searched for.
            if seen.start > 0 {
                from += end[rows].partition_point(|&end| end <= seen.start);
            }
            if seen.end < all {
                to = from + end[from..to].partition_point(|&end| end < seen.end) + 1;
            }
        }
        Self { rows: from..to, seen, days, end }
    }

    /// Number of observations.
    #[inline]
    pub fn len(&self) -> u32 {
        u32::from(self.seen.end.saturating_sub(self.seen.start))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// First and last day with an observation.
    #[inline]
    pub fn days(&self) -> Option<(u16, u16)> {
        (!self.is_empty()).then(|| (self.days.day(self.seen.start), self.days.day(self.seen.end - 1)))
    }

    /// The last day but one with an observation.
    #[inline]
    pub fn last_day_but_one(&self) -> Option<u16> {
        (self.len() > 1).then(|| self.days.day(self.seen.end - 2))
    }

    /// Number of observations of each spell in `rows`.
    #[inline]
    pub fn times(&self) -> impl Iterator<Item = u32> + '_ {
        let mut from = self.seen.start;
        self.end[self.rows.clone()].iter().map(move |&end| {
            let to = end.min(self.seen.end);
            u32::from(to - std::mem::replace(&mut from, to))
        })
    }

    /// Hands each spell's row and days to `each`, in order; days in a row at once, so that a spell that reaches over
    /// a missing day comes in parts.
    #[inline]
    pub fn each_stretch(&self, mut each: impl FnMut(usize, Range<u16>)) {
        if self.is_empty() {
            return;
        }
        let mut runs = self.days.runs(self.seen.start);
        for (row, times) in zip(self.rows.clone(), self.times()) {
            let mut left = times as u16;
            while left > 0 {
                let days = runs.next(left);
                left -= days.end - days.start;
                each(row, days);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words of days, of which the first is the first of all.
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
            // Without a missing day, too.
            let whole: Vec<u16> = (first..).take(days.len()).collect();
            check(&whole, &end, &(first / 2..first + 100));
        }
    }

    #[test]
    fn bounds_of_words_are_no_bounds_of_runs() {
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
    fn nothing_is_cut_from_nothing() {
        let cut = Cut::of(5..5, SeenDays::new(u16::MAX, &[]), &[], &(0..u16::MAX));
        assert!(cut.is_empty() && cut.days().is_none());
        assert_eq!(cut.len(), 0);
        cut.each_stretch(|_, _| panic!("nothing was seen"));
    }
}
