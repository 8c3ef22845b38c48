//! Daily totals of values that are constant over runs of days.

use std::ops::Range;

/// A sum, and the number of values in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Sum, in the unit of the values.
    pub sum: i64,
    /// The number of values.
    pub count: i64,
}

impl Total {
    fn add(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    fn take(&mut self, other: Self) {
        self.sum -= other.sum;
        self.count -= other.count;
    }
}

/// A difference array of daily totals: for each day of a window, and for the day after the window, the change from the
/// day before. Adding a value changes two entries, regardless of the number of its days. The entries are integers, so
/// the order of additions does not matter.
#[derive(Debug, Clone)]
pub(super) struct Changes(Vec<Total>);

impl Changes {
    /// Zero totals over `days` days.
    pub(super) fn none(days: usize) -> Self {
        Self(vec![Total::default(); days + 1])
    }

    /// Adds a value for a range of days, counted from the first day of the window.
    pub(super) fn add(&mut self, days: Range<usize>, value: i64) {
        let value = Total { sum: value, count: 1 };
        self.0[days.start].add(value);
        self.0[days.end].take(value);
    }

    /// Adds the values of another difference array.
    #[must_use]
    pub(super) fn with(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(total, other)| total.add(*other));
        self
    }

    /// Subtracts the values of another difference array.
    #[must_use]
    pub(super) fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(total, other)| total.take(*other));
        self
    }

    /// The total of each day.
    pub(super) fn totals(mut self) -> Vec<Total> {
        self.0.pop();
        let mut running = Total::default();
        for total in &mut self.0 {
            running.add(*total);
            *total = running;
        }
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_day_has_the_values_that_stay_on_it(
            values in prop::collection::vec((0_usize..9, 0_usize..9, -5_i64..9), 0..30),
            cut in 0_usize..30,
        ) {
            let of = |values: &[(usize, usize, i64)]| {
                let mut changes = Changes::none(9);
                for &(a, b, value) in values {
                    changes.add(a.min(b)..a.max(b), value);
                }
                changes
            };
            let (some, others) = values.split_at(cut.min(values.len()));
            let totals = of(&values).totals();
            for (day, total) in totals.iter().enumerate() {
                let here = values.iter().filter(|&&(a, b, _)| (a.min(b)..a.max(b)).contains(&day));
                let sum = here.clone().map(|&(_, _, value)| value).sum();
                prop_assert_eq!(*total, Total { sum, count: here.count() as i64 });
            }
            prop_assert_eq!(of(some).with(&of(others)).totals(), totals);
            prop_assert_eq!(of(&values).without(&of(others)).totals(), of(some).totals());
        }
    }
}
