//! Counts with examples. An example has a line and no file, since a run does not know how its file is called.

use serde::{Deserialize, Serialize};

use crate::ingest::report::{EXAMPLES_MAX, quoted};

/// One row that shows what a count means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineExample {
    /// Its line, from 1.
    pub line: u64,
    /// The value in question, as much of it as a report quotes.
    pub value: String,
}

/// A count with its first few examples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTally {
    /// How often.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<LineExample>,
}

impl LineTally {
    /// Counts one.
    pub fn add(&mut self, line: u64, value: &str) {
        self.count += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(LineExample { line, value: quoted(value) });
        }
    }

    /// Counts what `later` counted, whose lines come behind.
    pub fn merge(&mut self, later: Self) {
        self.count += later.count;
        let room = EXAMPLES_MAX - self.examples.len();
        self.examples.extend(later.examples.into_iter().take(room));
    }
}
