//! A name and the characters at its places.
//!
//! Functions take a byte offset into the text, and return the offset at which they ended.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::lang::lexicon::Lexicon;
use crate::lang::text::{is_hebrew, spaced};

/// A name, for reading.
pub(super) struct Cursor<'a> {
    pub(super) lexicon: &'a Lexicon,
    /// Without diacritics, in the case of the name.
    pub(super) cased: Cow<'a, str>,
    /// The same in lower case.
    pub(super) text: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(lexicon: &'a Lexicon, name: &'a str) -> Self {
        let cased = if name.is_ascii() { spaced(name) } else { Cow::Owned(plain(name)) };
        let text = if cased.is_ascii() { cased.to_ascii_lowercase() } else { lower(&cased) };
        Self { lexicon, cased, text }
    }

    /// The byte at `at`; 0 behind the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn is_digit(&self, at: usize) -> bool {
        self.byte(at).is_ascii_digit()
    }

    /// The letter or other character that ends at `at`.
    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    pub(super) fn next_char(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Whether a letter or digit stands at `at`, so that what ended there was not a whole word.
    pub(super) fn is_glued(&self, at: usize) -> bool {
        self.next_char(at).is_some_and(char::is_alphanumeric)
    }

    fn run(&self, at: usize, is_inside: impl Fn(char) -> bool) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest.find(|c| !is_inside(c)).unwrap_or(rest.len())
    }

    pub(super) fn digits(&self, at: usize) -> usize {
        self.run(at, |c| c.is_ascii_digit())
    }

    pub(super) fn blanks(&self, at: usize) -> usize {
        self.run(at, |c| c == ' ')
    }

    pub(super) fn alphanumerics(&self, at: usize) -> usize {
        self.run(at, char::is_alphanumeric)
    }

    /// Words that underscores join.
    pub(super) fn words_with_underscores(&self, at: usize) -> usize {
        self.run(at, |c| c.is_alphabetic() || c == '_')
    }

    /// Letters. Of Hebrew, the marks of abbreviations are letters: `ק"ג`.
    pub(super) fn letters(&self, at: usize) -> usize {
        let mut end = self.run(at, char::is_alphabetic);
        while matches!(self.byte(end), b'"' | b'\'') && self.before(end).is_some_and(is_hebrew) && end > at {
            let next = self.run(end + 1, char::is_alphabetic);
            if next == end + 1 && self.byte(end) == b'"' {
                break;
            }
            end = next;
        }
        end
    }
}

/// A name without diacritics; quotation marks that stand for inches and feet, spaces and fractions in one form.
fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '¼'..='¾' | '⅐'..='⅞') && plain.ends_with(|c: char| c.is_ascii_digit()) {
            plain.push(' ');
        }
        let ligature = match c {
            'œ' => "oe",
            'Œ' => "OE",
            'æ' => "ae",
            'Æ' => "AE",
            _ => "",
        };
        if !ligature.is_empty() {
            plain.push_str(ligature);
            continue;
        }
        let letters = std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c));
        plain.extend(letters.map(|c| match c {
            c if c.is_whitespace() => ' ',
            '”' | '“' | '″' | '״' => '"',
            '’' | '′' | '‘' | '׳' | '`' => '\'',
            '×' => 'x',
            '\u{2044}' => '/',
            c => c,
        }));
    }
    plain
}

/// A text in lower case of the same length.
fn lower(text: &str) -> String {
    let lower = |c: char| c.to_lowercase().next().filter(|lower| lower.len_utf8() == c.len_utf8());
    text.chars().map(|c| lower(c).unwrap_or(c)).collect()
}
