//! Example answers: what the demo's snapshot answers to the first example of each route, long lists cut.
//!
//! `examples.json` is written by the test that compares it with real answers (`tests/it/api/examples.rs`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::object::{Example, Map};

/// Answers by path.
pub(super) struct Examples(BTreeMap<String, Answered>);

/// A request and its answer.
#[derive(Deserialize)]
struct Answered {
    request: String,
    answer: Value,
}

impl Examples {
    /// Reads them.
    ///
    /// # Errors
    /// When the file is not what the test wrote.
    pub(super) fn read() -> serde_json::Result<Self> {
        serde_json::from_str(include_str!("examples.json")).map(Self)
    }

    /// The examples of a path's answer: one, or none.
    pub(super) fn of(&self, path: &str) -> Map<Example> {
        let named = |Answered { request, answer }: &Answered| {
            ("demo", Example { summary: Some(format!("GET {request}")), value: answer.clone() })
        };
        self.0.get(path).map(named).into_iter().collect()
    }
}
