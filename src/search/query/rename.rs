//! Other names of what a query asks for: of products in the everyday table, and of their properties in the lexicon.
//!
//! Names are replaced from left to right. A name is accepted if the best match contains all of its words and has a higher
//! quality, and contains more words of the request than before, or all.

use super::reading::{Version, Word};
use super::{OTHER_NAME_MIN, Search, VersionMatches};
use crate::lang::everyday;
use crate::lang::text::terms::label_terms;
use crate::search::index::MatchQuality;

/// The maximum number of terms of the request that another name replaces.
const TERMS_MAX: usize = 4;
/// The maximum number of other names that are tried for a query, and of those that no listing contains together with all
/// other terms, which take longest.
const TRIED_MAX: usize = 16;
const PARTIAL_TRIED_MAX: usize = 4;

impl<F: Fn(u32) -> bool> Search<'_, F> {
    /// Replaces terms of the best version, or of the text as written if nothing matches, by other names. Returns the
    /// matches as they were if this does not lead to enough quality.
    pub(super) fn renamed(&self, written: &Version, found: Option<VersionMatches>) -> Option<VersionMatches> {
        let mut version = found.as_ref().map_or(written, |found| &found.version).clone();
        let mut best = found.clone();
        let (mut at, mut tried, mut tried_in_part) = (0, 0, 0);
        while at < version.origins.len() {
            let (current, last) = (&version, TERMS_MAX.min(version.origins.len() - at));
            let named = (1..=last).rev().flat_map(|count| {
                let names = self.other_names(current, at, count).into_iter();
                names.filter_map(move |name| self.with_name(current, at, count, &name))
            });
            let named: Vec<Version> = named.take(TRIED_MAX - tried).collect();
            let held_before = best.as_ref().map_or(0, |best| self.held_terms(best));
            for version in named {
                tried += 1;
                let least = best.as_ref().map_or(MatchQuality::default(), VersionMatches::quality);
                let mut renamed = self.whole(&version, least);
                if renamed.is_none() && tried_in_part < PARTIAL_TRIED_MAX {
                    tried_in_part += 1;
                    renamed = self.found(&version, Vec::new(), least);
                }
                let renamed = renamed.filter(|renamed| self.is_accepted(renamed, at, held_before));
                best = match best {
                    Some(best) => Some(best.or_better(renamed)),
                    None => renamed,
                };
            }
            if let Some(best) = &best {
                version = best.version.clone();
            }
            at += 1;
        }
        best.filter(|best| best.quality() >= OTHER_NAME_MIN).or(found)
    }

    /// Whether the best match contains all words of the origin `at`, and more than `held_before` terms of the request, or
    /// all.
    fn is_accepted(&self, renamed: &VersionMatches, at: usize, held_before: usize) -> bool {
        let held = self.held_terms(renamed);
        let all: usize = renamed.version.origins.iter().map(|origin| origin.written.len()).sum();
        self.held(renamed, at).all(|is_held| is_held) && (held == all || held > held_before)
    }

    /// The number of terms of the request of which the best match contains a word.
    fn held_terms(&self, found: &VersionMatches) -> usize {
        let origins = found.version.origins.iter().enumerate();
        let held = origins.filter(|(at, _)| self.held(found, *at).any(|is_held| is_held));
        held.map(|(_, origin)| origin.written.len()).sum()
    }

    /// Whether the best match contains each word of an origin.
    fn held<'f>(&'f self, found: &'f VersionMatches, at: usize) -> impl Iterator<Item = bool> + 'f {
        let row = found.matches.hits[0].row;
        let words = found.version.words.iter().filter(move |word| word.origin == at);
        words.map(move |word| self.holds(row, word))
    }

    /// Other names of the terms of the request from `at` on, of which a word is new.
    fn other_names(&self, version: &Version, at: usize, count: usize) -> Vec<String> {
        let written = version.origins[at..at + count].iter().map(|origin| match &origin.to {
            Some(to) => to.clone(),
            None => origin.written.concat(),
        });
        let written = written.collect::<Vec<_>>().join(" ");
        let words = version.words.iter().filter(|word| (at..at + count).contains(&word.origin));
        let folded = words.map(|word| word.folded.as_str()).collect::<Vec<_>>().join(" ");
        let lexicon = &self.catalog.lexicon;
        let mut names: Vec<String> = everyday::table().names(&folded).map(str::to_owned).collect();
        names.extend(lexicon.other_forms(&written).map(str::to_owned));
        if folded != written {
            names.extend(lexicon.other_forms(&folded).map(str::to_owned));
        }
        let own = version.folded();
        names.retain(|name| label_terms(lexicon, name).iter().any(|term| !own.contains(&term.as_str())));
        names
    }

    /// A version with another name; `None` if a word of the name is unknown.
    fn with_name(&self, version: &Version, at: usize, count: usize, name: &str) -> Option<Version> {
        let words = label_terms(&self.catalog.lexicon, name).into_iter().map(|folded| {
            let term = self.known(&folded)?;
            Some(Word { folded, term: Some(term), quantity: None, origin: 0 })
        });
        let words: Vec<Word> = words.collect::<Option<_>>()?;
        (!words.is_empty()).then(|| version.renamed(at..at + count, &words, name))
    }
}
