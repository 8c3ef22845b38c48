//! The docs that contain a term. Each term has a list of postings. A frequent term also has a set, in which a doc is
//! looked up with one load from memory, regardless of the size of the set.

use polars_buffer::Buffer;

use super::TextIndex;
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::set::DocBlock;
use crate::snapshot::layout::{TermField, posting, set};
use crate::types::Country;

/// The sets of frequent terms.
pub(super) struct Sets {
    /// The frequent terms, ascending.
    pub(super) terms: Buffer<u32>,
    words: Buffer<u64>,
    before: Buffer<u32>,
    /// The frequent terms that are the product type of any listing.
    pub(super) type_terms: Buffer<u32>,
    product_types: Buffer<u64>,
    filled: Buffer<u64>,
    /// The number of lines of a set.
    width: usize,
}

/// The docs that contain a term as a product type, according to their posting or to the parent of their category.
pub(super) struct TypeSet {
    lines: Vec<DocBlock>,
    filled: Vec<u64>,
}

/// The set of a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocSet<'a> {
    pub(super) lines: &'a [DocBlock],
    /// The number of postings before those of each line.
    pub(super) before: &'a [u32],
    /// The docs that are the product that the term names; `None` if there are no such docs.
    pub(super) product_types: Option<Subset<'a>>,
}

/// Some of the docs that contain a frequent term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subset<'a> {
    pub(super) lines: &'a [DocBlock],
    /// One bit per line, set if the line has any doc.
    pub(super) filled: &'a [u64],
}

/// Looks up the field in which docs contain a term. The docs must be requested in ascending order.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    postings: &'a [u32],
    /// The index of the next posting to examine. It does not change if the term has a set.
    at: usize,
    set: Option<DocSet<'a>>,
    /// The field in which docs contain the term: first for docs that are not the product that the term names, then for
    /// docs that are. `None` unless there is exactly one such field.
    only: [Option<TermField>; 2],
}

impl Sets {
    /// Loads the sets from a mapped file that covers `docs` docs.
    ///
    /// # Errors
    /// Returns an error if a column is missing or has an unexpected length.
    pub(super) fn load(file: &ColumnFile, docs: usize) -> Result<Self, String> {
        let (terms, type_terms): (Buffer<u32>, Buffer<u32>) =
            (file.column("set_terms")?, file.column("thing_terms")?);
        let width = set::lines(docs);
        Ok(Self {
            words: file.column_of("set_words", terms.len() * width * set::WORDS)?,
            before: file.column_of("set_before", terms.len() * width)?,
            product_types: file.column_of("thing_words", type_terms.len() * width * set::WORDS)?,
            filled: file.column_of("thing_lines", type_terms.len() * filled_width(width))?,
            terms,
            type_terms,
            width,
        })
    }

    /// The set of a term; `None` if the term is not frequent.
    pub(super) fn get(&self, term: u32) -> Option<DocSet<'_>> {
        self.find(term).map(|at| self.at(at))
    }

    /// The index of a term among the frequent terms.
    pub(super) fn find(&self, term: u32) -> Option<usize> {
        self.terms.binary_search(&term).ok()
    }

    /// The set of the frequent term at an index.
    pub(super) fn at(&self, at: usize) -> DocSet<'_> {
        let nth = |at: usize, width: usize| at * width..(at + 1) * width;
        let product_types = |at: usize| Subset {
            lines: &self.product_types.as_chunks().0[nth(at, self.width)],
            filled: &self.filled[nth(at, filled_width(self.width))],
        };
        DocSet {
            lines: &self.words.as_chunks().0[nth(at, self.width)],
            before: &self.before[nth(at, self.width)],
            product_types: self.type_terms.binary_search(&self.terms[at]).ok().map(product_types),
        }
    }
}

/// The number of words of a bit mask over the lines of a set.
fn filled_width(lines: usize) -> usize {
    lines.div_ceil(u64::BITS as usize)
}

impl TypeSet {
    /// Builds the set of the docs in `holding`, out of `docs` docs.
    pub(super) fn of(holding: impl Iterator<Item = u32>, docs: usize) -> Self {
        let lines = set::of(holding, docs);
        Self { filled: set::filled(&lines).collect(), lines }
    }

    pub(super) fn subset(&self) -> Subset<'_> {
        Subset { lines: &self.lines, filled: &self.filled }
    }
}

impl DocSet<'_> {
    pub(super) fn has(self, doc: u32) -> bool {
        has(self.lines, doc)
    }

    /// Whether a doc is the product that the term names.
    pub(super) fn is_product_type(self, doc: u32) -> bool {
        self.product_types.is_some_and(|product_types| product_types.has(doc))
    }

    /// The index of a doc's posting among the term's postings; `None` if the doc does not contain the term.
    fn nth(self, doc: u32) -> Option<usize> {
        let (line, word, bit) = set::bit(doc);
        let words = &self.lines[line];
        let in_line = || set::count(&words[..word]) + (words[word] & (bit - 1)).count_ones();
        (words[word] & bit != 0).then(|| (self.before[line] + in_line()) as usize)
    }
}

impl Subset<'_> {
    /// Whether the line of a doc has any doc of the subset.
    pub(super) fn is_filled_at(self, doc: u32) -> bool {
        let line = doc / set::DOCS;
        self.filled[(line / u64::BITS) as usize] >> (line % u64::BITS) & 1 == 1
    }

    pub(super) fn has(self, doc: u32) -> bool {
        self.is_filled_at(doc) && has(self.lines, doc)
    }
}

/// Whether a doc is in a set.
pub(super) fn has(lines: &[DocBlock], doc: u32) -> bool {
    let (line, word, bit) = set::bit(doc);
    lines[line][word] & bit != 0
}

impl<'a> Cursor<'a> {
    /// A cursor before the first doc that contains a term and is priced in a country.
    pub(super) fn of(index: &'a TextIndex, term: u32, country: Country) -> Self {
        let set = index.sets.get(term);
        let postings =
            if set.is_some() { index.postings(term) } else { index.priced_postings(term, country) };
        let ways = |is_product_type| {
            TermField::among(index.term_held[term as usize])
                .filter(move |of| of.is_product_type() == is_product_type)
        };
        let only =
            |is_product_type| ways(is_product_type).next().filter(|_| ways(is_product_type).count() == 1);
        Self { postings, at: 0, set, only: [false, true].map(only) }
    }

    /// Whether a doc contains the term.
    #[inline]
    pub(super) fn has(&mut self, doc: u32) -> bool {
        match self.set {
            Some(set) => set.has(doc),
            None => self.seek(doc).is_some(),
        }
    }

    /// The field in which a doc contains the term; `None` if the doc does not contain it.
    #[inline]
    pub(super) fn held(&mut self, doc: u32) -> Option<TermField> {
        let Some(set) = self.set else { return self.seek(doc).map(posting::held) };
        match self.only[usize::from(set.is_product_type(doc))] {
            Some(held) => set.has(doc).then_some(held),
            None => set.nth(doc).and_then(|nth| self.postings.get(nth)).map(|&of| posting::held(of)),
        }
    }

    /// The term's set, if it has one.
    pub(super) fn set(&self) -> Option<DocSet<'a>> {
        self.set
    }

    /// Moves to the first posting of a doc that is not before `doc`. Returns the posting if it belongs to `doc`.
    fn seek(&mut self, doc: u32) -> Option<u32> {
        self.at += count_before(&self.postings[self.at..], doc);
        self.postings.get(self.at).copied().filter(|of| posting::doc(*of) == doc)
    }
}

/// The number of postings before a doc. Galloping search: the step is doubled until it passes the doc, and the range
/// is then bisected, so the cost depends on the distance to the doc.
pub(super) fn count_before(postings: &[u32], doc: u32) -> usize {
    let is_before = |of: &u32| posting::doc(*of) < doc;
    let mut reach = 1;
    while postings.get(reach - 1).is_some_and(is_before) {
        reach *= 2;
    }
    let (from, to) = (reach / 2, reach.min(postings.len()));
    from + postings[from..to].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cursors_say_how_docs_hold_a_term(
            holding in prop::collection::btree_set(0..7_u8, 1..7).prop_flat_map(|codes| {
                let code = prop::sample::select(codes.into_iter().collect::<Vec<u8>>());
                prop::collection::btree_map(0..1_900_u32, code, 0..400)
            }),
            asked in prop::collection::btree_set(0..2_000_u32, 0..200),
        ) {
            let postings: Vec<u32> =
                holding.iter().map(|(&doc, &code)| posting::of(doc, TermField::from_code(code))).collect();
            let lines = set::of(holding.keys().copied(), 2_000);
            let before: Vec<u32> = set::before(&lines).collect();
            let product_types = holding.iter().filter(|(_, code)| TermField::from_code(**code).is_product_type());
            let product_types = set::of(product_types.map(|(&doc, _)| doc), 2_000);
            let filled: Vec<u64> = set::filled(&product_types).collect();
            let product_types = Subset { lines: &product_types, filled: &filled };
            let set = DocSet { lines: &lines, before: &before, product_types: Some(product_types) };
            let held: Vec<TermField> = holding.values().map(|&code| TermField::from_code(code)).collect();
            let ways = |is_product_type| held.iter().copied().filter(move |held| held.is_product_type() == is_product_type);
            let only = [false, true].map(|is_product_type| {
                ways(is_product_type).next().filter(|first| ways(is_product_type).all(|other| other == *first))
            });
            for (set, only) in [(None, [None; 2]), (Some(set), [None; 2]), (Some(set), only)] {
                let cursor = Cursor { postings: &postings, at: 0, set, only };
                let (mut has, mut held) = (cursor.clone(), cursor);
                for &doc in &asked {
                    let expected = holding.get(&doc).map(|&code| TermField::from_code(code));
                    prop_assert_eq!(held.held(doc), expected);
                    prop_assert_eq!(has.has(doc), expected.is_some());
                }
            }
            let is_product_type = |doc| holding.get(&doc).is_some_and(|&code| TermField::from_code(code).is_product_type());
            prop_assert!((0..2_000).all(|doc| product_types.has(doc) == is_product_type(doc)));
        }
    }
}
