//! Words and phrases about asking: "how much is", "cheap", "under $5". They say nothing of the product.

use unicode_normalization::UnicodeNormalization;

use super::lexicon::{Kind, Lexicon};
use super::text::folded;

/// Placeholder of an amount of money in a phrase.
const AMOUNT: &str = "#";

/// A text without its phrases about asking.
#[derive(Debug, PartialEq, Eq)]
pub struct BareQuery {
    /// The rest of the text.
    pub rest: String,
    /// Phrases with an amount of money, as they are written.
    pub amounts: Vec<String>,
}

impl Lexicon {
    /// A text without its phrases about asking; `None` if it has none, or nothing else.
    pub fn without_asking(&self, text: &str) -> Option<BareQuery> {
        let written: Vec<&str> = text.split_whitespace().collect();
        let words: Vec<String> = written.iter().map(|word| bare(word)).collect();
        let (mut rest, mut amounts, mut at) = (Vec::new(), Vec::new(), 0);
        while at < words.len() {
            let Some((phrase, count)) = self.phrase(&words[at..]) else {
                rest.push(written[at]);
                at += 1;
                continue;
            };
            if phrase.ends_with(AMOUNT) {
                amounts.push(written[at..at + count].join(" "));
            }
            at += count;
        }
        let has_any =
            rest.len() < written.len() && rest.iter().any(|word| word.contains(char::is_alphanumeric));
        has_any.then(|| BareQuery { rest: rest.join(" "), amounts })
    }

    /// The longest phrase with which words begin, and how many of them it takes.
    fn phrase(&self, words: &[String]) -> Option<(&str, usize)> {
        let forms = self.meanings(Kind::Ask).iter().flat_map(|meaning| &meaning.forms);
        let phrases = forms.filter(|form| form.contains(' '));
        let found = phrases.filter_map(|phrase| Some((&**phrase, self.met(phrase, words)?)));
        found.max_by_key(|(_, count)| *count)
    }

    /// How many of the words a phrase takes, if they begin with it.
    fn met(&self, phrase: &str, words: &[String]) -> Option<usize> {
        let mut at = 0;
        for word in phrase.split(' ') {
            at += match word {
                AMOUNT => self.amount(&words[at.min(words.len())..])?,
                word => usize::from(words.get(at).filter(|own| is_same(own, word)).map(|_| true)?),
            };
        }
        Some(at)
    }

    /// How many words say an amount of money: `$5`, `5$`, `5 $`, `5 dollars`, `$5 CAD`.
    fn amount(&self, words: &[String]) -> Option<usize> {
        let first = words.first()?;
        let has_currency = words.get(1).is_some_and(|next| self.has(Kind::Currency, next));
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

/// Whether a word without apostrophes is this word of a phrase.
fn is_same(bare: &str, word: &str) -> bool {
    bare.chars().eq(word.chars().filter(|letter| *letter != '\''))
}

/// A word in lower case, without diacritics, apostrophes and the marks at its end.
fn bare(word: &str) -> String {
    let word: String = word.nfc().filter(|letter| !matches!(letter, '\'' | '’')).collect();
    folded(word.trim_end_matches(['?', '!', '.', ',', ';', ':'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_about_asking_are_taken_out() {
        let lexicon = Lexicon::shipped();
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
            let found = lexicon.without_asking(text);
            assert_eq!(found.as_ref().map(|of| of.rest.as_str()), rest, "{text}");
            assert_eq!(found.map_or(Vec::new(), |of| of.amounts), amounts, "{text}");
        }
    }

    #[test]
    fn words_about_asking_are_told_from_others() {
        let lexicon = Lexicon::shipped();
        for word in ["cheap", "the", "prix", "de"] {
            assert!(lexicon.has(Kind::Ask, word), "{word}");
        }
        for word in ["organic", "under", "how", "bottle"] {
            assert!(!lexicon.has(Kind::Ask, word), "{word}");
        }
    }
}
