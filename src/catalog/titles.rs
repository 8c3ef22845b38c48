//! An index of the titles of a classification, by whole title and by words.

use std::collections::HashMap;

use super::taxonomy::words;
use crate::lang::everyday::segments::Segments;
use crate::lang::everyday::{Pattern, table};
use crate::lang::text::slug;

/// Nodes by title and by the words of their titles. Titles are compared as slugs.
#[derive(Debug, Default)]
pub struct Titles {
    by_slug: HashMap<Box<str>, Vec<u32>>,
    by_word: HashMap<Box<str>, Vec<u32>>,
    /// The number of distinct words in the title of each node.
    words: Vec<u16>,
    /// Folded words of the titles.
    segments: Segments,
}

/// A title that has words in common with a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// The node with the title.
    pub node: u32,
    /// The number of distinct words that occur in both title and phrase.
    pub common: u32,
    /// The number of distinct words that occur in the title or in the phrase.
    pub all: u32,
}

impl Titles {
    /// Indexes the titles of the nodes 0, 1, 2, ….
    pub fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let titles: Vec<&str> = titles.into_iter().collect();
        let segments = Segments::of(table(), titles.iter().map(|&title| (title, None)));
        let mut index = Self { segments, ..Self::default() };
        for (node, title) in titles.into_iter().enumerate() {
            let slug = slug(title);
            let words = words(&slug);
            index.words.push(words.len() as u16);
            for word in words {
                index.by_word.entry(word.into()).or_default().push(node as u32);
            }
            if !slug.is_empty() {
                index.by_slug.entry(slug.into()).or_default().push(node as u32);
            }
        }
        index
    }

    /// The nodes whose title has this slug, ascending.
    pub fn named(&self, slug: &str) -> &[u32] {
        self.by_slug.get(slug).map_or(&[], Vec::as_slice)
    }

    /// The nodes whose title matches a pattern completely, ascending.
    pub fn holding(&self, pattern: &Pattern) -> Vec<u32> {
        self.segments.whole(pattern)
    }

    /// The nodes whose titles contain any of these words, ascending. The words must be sorted and distinct.
    pub fn overlapping(&self, words: &[String]) -> Vec<Overlap> {
        let mut common = vec![0_u16; self.words.len()];
        for word in words {
            for &node in self.by_word.get(word.as_str()).into_iter().flatten() {
                common[node as usize] += 1;
            }
        }
        let overlap = |(node, (&common, &own)): (usize, (&u16, &u16))| {
            let (common, own) = (u32::from(common), u32::from(own));
            (common > 0).then(|| Overlap {
                node: node as u32,
                common,
                all: own + words.len() as u32 - common,
            })
        };
        common.iter().zip(&self.words).enumerate().filter_map(overlap).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_found_whole_and_by_words() {
        let titles = Titles::new(["Milk & Cream", "milk and CREAM", "Ice Cream", "—"]);
        assert_eq!(titles.named("milk-and-cream"), [0, 1]);
        assert_eq!(titles.named(""), [0; 0]);
        let found = titles.overlapping(&words("cream-of-milk"));
        let expected = [(0, 2, 4), (1, 2, 4), (2, 1, 4)];
        assert_eq!(found, expected.map(|(node, common, all)| Overlap { node, common, all }));
        assert_eq!(titles.overlapping(&words("")), []);
        assert_eq!(titles.overlapping(&words("butter")), []);
    }
}
