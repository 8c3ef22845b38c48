//! A reading of a query: its words, and what they come from.

use std::collections::HashSet;

use super::Correction;

/// A word of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) folded: String,
    /// Its number, where priced listings of the country hold it.
    pub(super) term: Option<u32>,
    /// Which of the version's origins it comes from.
    pub(super) origin: usize,
}

/// What words of a version come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// As asked for; several terms where they were joined.
    pub(super) written: Vec<String>,
    /// As it was corrected.
    pub(super) to: Option<String>,
    /// Whether a hyphen or a slash joins it to the origin before.
    pub(super) is_glued: bool,
}

/// A reading of a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Version {
    pub(super) words: Vec<Word>,
    pub(super) origins: Vec<Origin>,
}

impl Version {
    /// Appends words that come from these terms.
    pub(super) fn take(&mut self, words: &[Word], written: &[&String], to: Option<String>, is_glued: bool) {
        let origin = self.origins.len();
        self.words.extend(words.iter().map(|word| Word { origin, ..word.clone() }));
        let written = written.iter().map(|&term| term.clone()).collect();
        self.origins.push(Origin { written, to, is_glued });
    }

    /// Different terms in order.
    pub(super) fn distinct(&self) -> Vec<(String, Option<u32>)> {
        let mut seen = HashSet::with_capacity(self.words.len());
        let new = self.words.iter().filter(|word| seen.insert(word.folded.as_str()));
        new.map(|word| (word.folded.clone(), word.term)).collect()
    }

    /// What each of the terms that were asked for became: where one was split, the last part.
    pub(super) fn became(&self) -> Vec<Option<u32>> {
        let mut last = vec![None; self.origins.len()];
        self.words.iter().for_each(|word| last[word.origin] = word.term);
        let of_origin = |(origin, term): (&Origin, _)| std::iter::repeat_n(term, origin.written.len());
        self.origins.iter().zip(last).flat_map(of_origin).collect()
    }

    /// What is told of corrections and dropped terms, given which words are kept. What was corrected and then dropped is
    /// only dropped; of a split, the parts that are kept are what it was corrected to.
    pub(super) fn told(&self, is_kept: &[bool]) -> (Option<Vec<Correction>>, Option<Vec<String>>) {
        let (mut corrected, mut dropped) = (Vec::new(), Vec::new());
        let mut kept: Vec<Vec<bool>> = vec![Vec::new(); self.origins.len()];
        self.words.iter().zip(is_kept).for_each(|(word, is_kept)| kept[word.origin].push(*is_kept));
        for (origin, is_kept) in self.origins.iter().zip(kept) {
            match &origin.to {
                _ if !is_kept.contains(&true) => dropped.extend(origin.written.iter().cloned()),
                Some(to) => {
                    let parts = to.split(' ').zip(is_kept).filter(|(_, is_kept)| *is_kept);
                    let to: Vec<&str> = parts.map(|(part, _)| part).collect();
                    corrected.push(Correction { from: origin.written.join(" "), to: to.join(" ") });
                }
                None => {}
            }
        }
        ((!corrected.is_empty()).then_some(corrected), (!dropped.is_empty()).then_some(dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(folded: &str, term: Option<u32>) -> Word {
        Word { folded: folded.to_owned(), term, origin: 0 }
    }

    fn version(origins: &[(&[&str], &[&str], Option<&str>)]) -> Version {
        let mut version = Version::default();
        for (written, folded, to) in origins {
            let written: Vec<String> = written.iter().map(|&term| term.to_owned()).collect();
            let words: Vec<Word> = folded.iter().map(|folded| word(folded, Some(1))).collect();
            version.take(
                &words,
                &written.iter().collect::<Vec<_>>(),
                to.as_ref().map(|&to| to.to_owned()),
                false,
            );
        }
        version
    }

    #[test]
    fn what_is_told_follows_the_query() {
        let version = version(&[
            (&["the"], &["the"], None),
            (&["de", "walt"], &["dewalt"], Some("dewalt")),
            (&["peanutbutter"], &["peanut", "butter"], Some("peanut butter")),
            (&["smoth"], &["smooth"], Some("smooth")),
        ]);
        let told = |is_kept: [bool; 5]| {
            let (corrected, dropped) = version.told(&is_kept);
            let corrected: Vec<String> =
                corrected.into_iter().flatten().map(|of| format!("{} = {}", of.from, of.to)).collect();
            (corrected.join(", "), dropped.map(|dropped| dropped.join(" ")))
        };
        let all = "de walt = dewalt, peanutbutter = peanut butter, smoth = smooth".to_owned();
        assert_eq!(told([true; 5]), (all, None));
        // What was corrected and then dropped is only dropped; of a split the part is told that stays.
        let (corrected, dropped) = told([true, false, false, true, false]);
        assert_eq!(corrected, "peanutbutter = butter");
        assert_eq!(dropped.as_deref(), Some("de walt smoth"));
        assert_eq!(told([false; 5]), (String::new(), Some("the de walt peanutbutter smoth".to_owned())));
    }

    #[test]
    fn terms_count_once() {
        let version =
            version(&[(&["egg"], &["egg"], None), (&["eggs"], &["egg"], None), (&["box"], &["box"], None)]);
        let folded: Vec<String> = version.distinct().into_iter().map(|(folded, _)| folded).collect();
        assert_eq!(folded, ["egg", "box"]);
        assert_eq!(super::super::distinct_numbers([3, 1, 3, 2, 1].into_iter()), [3, 1, 2]);
    }
}
