//! From what a chunk calls its retailers to their keys.

use std::collections::HashMap;

use super::labels::Interner;
use crate::build::mapping::Retailers;

/// How a source writes a retailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spelling {
    pub key: String,
    pub written: String,
}

/// The retailers of a chunk, each looked up once.
pub(super) struct Sellers<'a> {
    retailers: &'a Retailers,
    /// Number of the key that each spelling means, if any.
    numbers: HashMap<&'a str, Option<u32>>,
    /// Rows of one retailer mostly come together.
    last: Option<(&'a str, Option<u32>)>,
    keys: Interner,
}

impl<'a> Sellers<'a> {
    pub(super) fn new(retailers: &'a Retailers) -> Self {
        Self { retailers, numbers: HashMap::new(), last: None, keys: Interner::default() }
    }

    /// The number of the key that a text means; nothing where it means none.
    pub(super) fn number(&mut self, text: &'a str) -> Option<u32> {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == text) {
            return number;
        }
        let (retailers, keys) = (self.retailers, &mut self.keys);
        let number =
            *self.numbers.entry(text).or_insert_with(|| retailers.key(text).map(|key| keys.number(&key)));
        self.last = Some((text, number));
        number
    }

    /// The key with this number.
    pub(super) fn key(&self, number: u32) -> &str {
        &self.keys.texts()[number as usize]
    }

    /// The key of a text that was looked up.
    pub(super) fn known(&self, text: &str) -> Option<&str> {
        self.numbers.get(text).copied().flatten().map(|number| self.key(number))
    }

    /// Keys and how they were written.
    pub(super) fn spellings(&self) -> Vec<Spelling> {
        let spelling = |(text, number): (&&str, &Option<u32>)| {
            Some(Spelling { key: self.key((*number)?).to_owned(), written: (*text).to_owned() })
        };
        self.numbers.iter().filter_map(spelling).collect()
    }
}
