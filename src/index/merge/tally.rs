//! Counts whose examples come in no order: kept are the first ones by place and line.

use serde::{Deserialize, Serialize};

use crate::ingest::report::{EXAMPLES_MAX, Example, Tally, quoted};

/// One row that shows what a count means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedExample {
    /// Place of its file in the reading order of its table.
    pub place: u32,
    /// Its line, from 1.
    pub line: u64,
    /// The value in question, as much of it as a report quotes.
    pub value: String,
}

/// A count with its first few examples by place and line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedTally {
    /// How often.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<PlacedExample>,
}

impl PlacedTally {
    /// Counts one.
    pub fn add(&mut self, place: u32, line: u64, value: &str) {
        self.count += 1;
        let last = self.examples.last().map(|last| (last.place, last.line));
        if self.examples.len() < EXAMPLES_MAX || last.is_some_and(|last| (place, line) < last) {
            self.insert(PlacedExample { place, line, value: quoted(value) });
        }
    }

    /// Counts what another counted, whatever the order.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for example in &other.examples {
            self.insert(example.clone());
        }
    }

    /// Takes an example in, behind those of the same row.
    fn insert(&mut self, example: PlacedExample) {
        let order = |example: &PlacedExample| (example.place, example.line);
        let at = self.examples.partition_point(|other| order(other) <= order(&example));
        self.examples.insert(at, example);
        self.examples.truncate(EXAMPLES_MAX);
    }

    /// The count as a report has it, where the file at place `i` is called `files[i]`.
    pub fn named(&self, files: &[&str]) -> Tally {
        let example = |PlacedExample { place, line, value }: &PlacedExample| {
            Example::new(files[*place as usize], *line, value)
        };
        Tally { count: self.count, examples: self.examples.iter().map(example).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_the_first_whatever_the_order() {
        let rows: Vec<(u32, u64)> = (0..4).flat_map(|place| (1..4).map(move |line| (place, line))).collect();
        let tally = |rows: &mut dyn Iterator<Item = &(u32, u64)>| {
            let mut tally = PlacedTally::default();
            rows.for_each(|&(place, line)| tally.add(place, line, &format!("{place}:{line}")));
            tally
        };
        let forwards = tally(&mut rows.iter());
        assert_eq!(forwards.named(&["a", "b", "c", "d"]).examples[3], Example::new("b", 1, "1:1"));
        assert_eq!(tally(&mut rows.iter().rev()), forwards);
        let (odd, even): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, line)| line % 2 == 1);
        let mut merged = tally(&mut odd.iter());
        merged.merge(&tally(&mut even.iter()));
        assert_eq!(merged, forwards);
    }
}
