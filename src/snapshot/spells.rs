//! Price spells and the days on which a listing was seen, as they lie in memory and on disk.
//!
//! A price spell is a run of a listing's consecutive observations with one price, list price and flags. A listing
//! keeps its price for weeks, so sums over days are taken over spells, of which there are far fewer. A catalog of a
//! year takes 1.1 kB a listing; with daily prices it took 5.1 kB.
//!
//! A spell ends at a *position* among the listing's observations. Where no day is missing a position is a day.
//! Otherwise positions are counted in words of bits, each of which covers 64 days. A listing without a missing day has
//! no words: its first day and the number of its observations determine its days.
//!
//! [`Cut`] is a listing's spells cut at the bounds of a window. [`Cut::each_stretch`] walks runs of days in a row with
//! one price, [`Cut::each_day`] the single days.

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

    /// The words from the one on that holds a place, with no bit before it; the first one is this many days after the
    /// first day.
    #[inline]
    fn bits(self, place: u16) -> (u16, u64, &'a [u64]) {
        let at = self.day(place) - self.first;
        let word = usize::from(at / WORD_DAYS);
        let bits = self.words[word] >> (at % WORD_DAYS) << (at % WORD_DAYS);
        (at - at % WORD_DAYS, bits, &self.words[word + 1..])
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

/// Goes along the bits of seen days, run by run.
struct Runs<'a> {
    /// How many days after the first one the word begins.
    base: u16,
    /// What is left of it.
    bits: u64,
    later: &'a [u64],
}

impl Runs<'_> {
    /// Where the next days in a row lie after the first one, at most so many; there are some while places are left.
    #[inline]
    fn next(&mut self, most: u16) -> Range<u16> {
        while self.bits == 0 {
            self.load();
        }
        let from = self.bits.trailing_zeros() as u16;
        // Zeros move in from above, so that no run is longer than what is left of the word.
        let ones = (!(self.bits >> from)).trailing_zeros() as u16;
        let begin = self.base + from;
        let mut length = ones.min(most);
        self.leave(from + length);
        // As far as the run goes on in the next words.
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

    /// Takes the lowest bits away.
    #[inline]
    fn leave(&mut self, bits: u16) {
        self.bits &= u64::MAX.checked_shl(bits.into()).unwrap_or_default();
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

    /// Hands each day and the row of its spell to `each`, in order. Where many days are missing, that costs less than
    /// runs of days, which are short and of any length.
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
        cut.each_day(|_, _| panic!("nothing was seen"));
    }
}
