//! Words and phrases about asking: "how much is", "cheap", "under $5". They say nothing of the product.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::text::{fold_term, folded};

/// Placeholder of an amount of money in a phrase.
const AMOUNT: &str = "#";

/// Words and phrases about asking.
#[derive(Debug, Default)]
pub struct Asking {
    /// Words for the currency behind an amount, without diacritics.
    currencies: HashSet<String>,
    /// Single words, as terms are folded.
    words: HashSet<String>,
    /// Phrases of several words by their first word, the longest first.
    phrases: HashMap<String, Vec<Vec<String>>>,
}

/// A text without its phrases about asking.
#[derive(Debug, PartialEq, Eq)]
pub struct BareQuery {
    /// The rest of the text.
    pub rest: String,
    /// Phrases with an amount of money, as they are written.
    pub amounts: Vec<String>,
}

impl Asking {
    /// Adds a word or phrase.
    pub(super) fn add(&mut self, form: &str) {
        let words: Vec<String> = form.split_whitespace().map(bare).collect();
        match words.as_slice() {
            [] => {}
            [word] => drop(self.words.insert(fold_term(word))),
            [first, ..] => {
                let same = self.phrases.entry(first.clone()).or_default();
                same.push(words);
                same.sort_by_key(|words| std::cmp::Reverse(words.len()));
            }
        }
    }

    /// Adds a word or sign for a currency.
    pub(super) fn add_currency(&mut self, form: &str) {
        self.currencies.insert(form.to_owned());
    }

    /// Whether a folded word is about asking.
    pub(crate) fn has_word(&self, folded: &str) -> bool {
        self.words.contains(folded)
    }

    /// A text without its phrases; `None` where it has none, or nothing else.
    pub fn without(&self, text: &str) -> Option<BareQuery> {
        let written: Vec<&str> = text.split_whitespace().collect();
        let words: Vec<String> = written.iter().map(|word| bare(word)).collect();
        let (mut rest, mut amounts, mut at) = (Vec::new(), Vec::new(), 0);
        while at < words.len() {
            let phrases = self.phrases.get(&words[at]).map_or(&[][..], Vec::as_slice);
            let Some((phrase, count)) =
                phrases.iter().find_map(|phrase| Some((phrase, self.met(phrase, &words[at..])?)))
            else {
                rest.push(written[at]);
                at += 1;
                continue;
            };
            if phrase.last().is_some_and(|word| word == AMOUNT) {
                amounts.push(written[at..at + count].join(" "));
            }
            at += count;
        }
        let has_any =
            rest.len() < written.len() && rest.iter().any(|word| word.contains(char::is_alphanumeric));
        has_any.then(|| BareQuery { rest: rest.join(" "), amounts })
    }

    /// How many words a phrase takes of those that begin here, if it stands there.
    fn met(&self, phrase: &[String], words: &[String]) -> Option<usize> {
        let mut at = 0;
        for word in phrase {
            at += match word.as_str() {
                AMOUNT => self.amount(&words[at.min(words.len())..])?,
                word => usize::from(words.get(at).filter(|own| *own == word).map(|_| true)?),
            };
        }
        Some(at)
    }

    /// How many words say an amount of money: `$5`, `5$`, `5 $`, `5 dollars`, `$5 CAD`.
    fn amount(&self, words: &[String]) -> Option<usize> {
        let first = words.first()?;
        let has_currency = words.get(1).is_some_and(|next| self.currencies.contains(next));
        let is_number = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_digit())
                && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
        };
        if first.strip_prefix('$').or_else(|| first.strip_suffix('$')).is_some_and(is_number) {
            return Some(1 + usize::from(has_currency));
        }
        (is_number(first) && has_currency).then_some(2)
    }
}

/// A word in lower case, without diacritics, apostrophes and the marks at its end.
fn bare(word: &str) -> String {
    let word: String = word.nfc().filter(|letter| !matches!(letter, '\'' | '’')).collect();
    folded(word.trim_end_matches(['?', '!', '.', ',', ';', ':'])).collect()
}

#[cfg(test)]
mod tests {
    use crate::lang::Lexicon;

    #[test]
    fn phrases_about_asking_are_taken_out() {
        let asking = &Lexicon::shipped().asking;
        for (text, rest, amounts) in [
            ("how much is a bottle of baileys", Some("baileys"), &[][..]),
            ("can i get oat milk under $5", Some("oat milk"), &["under $5"]),
            ("Where can I get oat milk?", Some("oat milk?"), &[]),
            ("oat milk under $5 CAD", Some("oat milk"), &["under $5 CAD"]),
            ("café moins de 5 $", Some("café"), &["moins de 5 $"]),
            ("tea less than 10 dollars please", Some("tea please"), &["less than 10 dollars"]),
            ("vin pas cher", Some("vin"), &[]),
            ("OÙ ACHETER du lait", Some("du lait"), &[]),
            // Amounts need a currency, and a text keeps a word.
            ("under armour shoes", None, &[]),
            ("under 5 shirts", None, &[]),
            ("how much is", None, &[]),
            ("under $5", None, &[]),
            ("milk", None, &[]),
            ("", None, &[]),
        ] {
            let found = asking.without(text);
            assert_eq!(found.as_ref().map(|of| of.rest.as_str()), rest, "{text}");
            assert_eq!(found.map_or(Vec::new(), |of| of.amounts), amounts, "{text}");
        }
    }

    #[test]
    fn words_about_asking_are_told_from_others() {
        let asking = &Lexicon::shipped().asking;
        for word in ["cheap", "the", "prix", "de"] {
            assert!(asking.has_word(word), "{word}");
        }
        for word in ["organic", "under", "how", "bottle"] {
            assert!(!asking.has_word(word), "{word}");
        }
    }
}
