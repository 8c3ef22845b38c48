//! From what a chunk calls its retailers to their keys.

use std::collections::HashMap;

use crate::ingest::mapping::Retailers;

/// How a source writes a retailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::index) struct Spelling {
    pub key: String,
    pub written: String,
}

/// The retailers of a chunk, each looked up once.
pub(in crate::index) struct Sellers<'a> {
    retailers: &'a Retailers,
    /// Number of the key that each spelling means, if any.
    numbers: HashMap<&'a str, Option<u32>>,
    /// Rows of one retailer mostly come together.
    last: Option<(&'a str, Option<u32>)>,
    keys: Vec<String>,
}

impl<'a> Sellers<'a> {
    pub(super) fn new(retailers: &'a Retailers) -> Self {
        Self { retailers, numbers: HashMap::new(), last: None, keys: Vec::new() }
    }

    /// The number of the key that a text means; nothing where it means none.
    pub(super) fn number(&mut self, text: &'a str) -> Option<u32> {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == text) {
            return number;
        }
        let number = if let Some(&number) = self.numbers.get(text) {
            number
        } else {
            let number = self.retailers.key(text).map(|key| self.number_of_key(&key));
            self.numbers.insert(text, number);
            number
        };
        self.last = Some((text, number));
        number
    }

    /// Chunks have few retailers.
    fn number_of_key(&mut self, key: &str) -> u32 {
        let known = self.keys.iter().position(|known| known == key);
        known.unwrap_or_else(|| {
            self.keys.push(key.to_owned());
            self.keys.len() - 1
        }) as u32
    }

    /// The key with this number.
    pub(in crate::index) fn key(&self, number: u32) -> &str {
        &self.keys[number as usize]
    }

    /// Keys and how they were written.
    pub(in crate::index) fn spellings(&self) -> Vec<Spelling> {
        let spelling = |(text, number): (&&str, &Option<u32>)| {
            Some(Spelling { key: self.key((*number)?).to_owned(), written: (*text).to_owned() })
        };
        self.numbers.iter().filter_map(spelling).collect()
    }
}
