//! The condition of a listing: new, refurbished, used or unknown. The source's statement takes precedence over the
//! name and the URL.
//!
//! Invariant: only a source can set `unknown`. Whole words are compared, case-insensitively, and a hyphen or
//! underscore counts as a blank. All refurbished words are searched for before any used word, because "certified
//! pre-owned" contains "pre-owned".

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// The state in which a listing is sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Condition {
    /// New. Also used if neither the source nor the name or URL states a condition.
    #[default]
    New = 0,
    /// Refurbished, renewed, restored and the like.
    Refurbished = 1,
    /// Used, open box, for parts.
    Used = 2,
    /// The source states that the condition is unknown.
    Unknown = 3,
}

const REFURBISHED: &[&[&str]] = &[
    &["refurbished"],
    &["refurb"],
    &["renewed"],
    &["restored"],
    &["reconditioned"],
    &["remanufactured"],
    &["recertified"],
    &["certified", "pre", "owned"],
];

const USED: &[&[&str]] = &[
    &["used"],
    &["pre", "owned"],
    &["preowned"],
    &["second", "hand"],
    &["secondhand"],
    &["open", "box"],
    &["like", "new"],
    &["for", "parts"],
];

/// The maximum number of nested percent-encodings of a URL that are decoded.
const DECODE_ROUNDS_MAX: usize = 4;

impl Condition {
    /// Every condition, by code.
    pub const ALL: [Self; 4] = [Self::New, Self::Refurbished, Self::Used, Self::Unknown];

    /// The name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Refurbished => "refurbished",
            Self::Used => "used",
            Self::Unknown => "unknown",
        }
    }

    /// The code stored in columns.
    pub const fn as_u8(self) -> u8 {
        self as u8
    }

    /// Reads the code stored in columns.
    pub const fn from_u8(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::New),
            1 => Some(Self::Refurbished),
            2 => Some(Self::Used),
            3 => Some(Self::Unknown),
            _ => None,
        }
    }

    /// Sort rank of the condition in a comparison: new and unknown first, used last.
    pub const fn rank(self) -> u8 {
        match self {
            Self::New | Self::Unknown => 0,
            Self::Refurbished => 1,
            Self::Used => 2,
        }
    }

    /// The condition of a listing.
    ///
    /// A column that states a condition takes precedence. Otherwise the name, without the words of the brand
    /// ("Renewed", "Open Box Co"), and the path and query of the URL are searched.
    pub fn derive(column: &str, name: &str, brand: &str, url: &str) -> Self {
        if let Some(condition) = Self::of_column(column) {
            return condition;
        }
        let place = decoded(path_and_query(url));
        let holds = |phrases| says(name, brand, phrases) || says(&place, "", phrases);
        if holds(REFURBISHED) {
            Self::Refurbished
        } else if holds(USED) {
            Self::Used
        } else {
            Self::New
        }
    }

    fn of_column(column: &str) -> Option<Self> {
        if column.trim().eq_ignore_ascii_case("unknown") {
            Some(Self::Unknown)
        } else if says(column, "", REFURBISHED) {
            Some(Self::Refurbished)
        } else if says(column, "", USED) {
            Some(Self::Used)
        } else {
            let first = Tokens::of(column).next()?;
            first.word.eq_ignore_ascii_case("new").then_some(Self::New)
        }
    }
}

/// Whether the text contains one of the phrases. The words of `brand` and "used for" are skipped.
fn says(text: &str, brand: &str, phrases: &[&[&str]]) -> bool {
    let mut tokens = Tokens::of(text);
    while let Some(first) = tokens.next() {
        // Skips most words early, because few words of a name begin a phrase.
        let mut starting =
            phrases.iter().filter(|phrase| first.word.eq_ignore_ascii_case(phrase[0])).peekable();
        if starting.peek().is_none() || is_brand_word(first.word, brand) {
            continue;
        }
        let follows = |words: &[&str]| {
            let mut ahead = tokens.clone();
            words.iter().all(|word| {
                ahead.next().is_some_and(|token| {
                    token.near && token.word.eq_ignore_ascii_case(word) && !is_brand_word(token.word, brand)
                })
            })
        };
        let used_for = first.word.eq_ignore_ascii_case("used") && follows(&["for"]);
        if !used_for && starting.any(|phrase| follows(&phrase[1..])) {
            return true;
        }
    }
    false
}

fn is_brand_word(word: &str, brand: &str) -> bool {
    !brand.is_empty() && Tokens::of(brand).any(|token| token.word.eq_ignore_ascii_case(word))
}

/// A run of letters and digits.
#[derive(Clone, Copy)]
struct Token<'a> {
    word: &'a str,
    /// Whether only blanks, hyphens and underscores separate the word from the previous one.
    near: bool,
}

#[derive(Clone)]
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let start = self.rest.find(char::is_alphanumeric)?;
        let near = self.rest[..start].chars().all(|c| c.is_whitespace() || matches!(c, '-' | '_'));
        let word = &self.rest[start..];
        let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        self.rest = &word[end..];
        Some(Token { word: &word[..end], near })
    }
}

/// The part of a URL after the host, without the fragment. The host is ignored, because a shop called "usedgear" also
/// sells new products.
fn path_and_query(url: &str) -> &str {
    let url = url.trim();
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    let after_scheme = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => rest,
        _ => match url.strip_prefix("//") {
            Some(rest) => rest,
            None if url.starts_with(['/', '?']) => return url,
            None => url,
        },
    };
    after_scheme.find(['/', '?']).map_or("", |at| &after_scheme[at..])
}

/// Decodes percent-encoding, including nested encodings, and `+` for a blank.
fn decoded(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains('+') {
        text = Cow::Owned(text.replace('+', " "));
    }
    for _ in 0..DECODE_ROUNDS_MAX {
        match decoded_once(text.as_bytes()) {
            Some(bytes) => text = Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            None => break,
        }
    }
    text
}

/// Decodes one level of percent-encoding; `None` if there is nothing to decode.
fn decoded_once(text: &[u8]) -> Option<Vec<u8>> {
    let hex = |byte: u8| (byte as char).to_digit(16);
    let escape = |at: usize| match text.get(at..at + 3) {
        Some([b'%', high, low]) => Some((hex(*high)? * 16 + hex(*low)?) as u8),
        _ => None,
    };
    let first = (0..text.len()).find(|&at| escape(at).is_some())?;
    let mut bytes = text[..first].to_vec();
    let mut at = first;
    while let Some(&byte) = text.get(at) {
        let decoded = escape(at);
        bytes.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    Some(bytes)
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use Condition::{New, Refurbished, Unknown, Used};
    use proptest::prelude::*;

    use super::*;

    fn check_column(column: &str, expected: Condition) {
        assert_eq!(Condition::derive(column, "Phone (Refurbished)", "", ""), expected, "{column:?}");
    }

    fn check_name(name: &str, expected: Condition) {
        assert_eq!(Condition::derive("", name, "", ""), expected, "{name:?}");
    }

    fn check_url(url: &str, expected: Condition) {
        assert_eq!(Condition::derive("", "Phone", "", url), expected, "{url:?}");
    }

    #[test]
    fn the_column_wins_when_it_says_something() {
        check_column("unknown", Unknown);
        check_column(" Unknown ", Unknown);
        check_column("\u{a0}Unknown\u{3000}", Unknown);
        check_column("like\u{a0}new", Used);
        check_column("New", New);
        check_column("New other (see details)", New);
        check_column("new - open box", Used);
        check_column("Like New", Used);
        check_column("Manufacturer refurbished, like new", Refurbished);
        check_column("Brand New", Refurbished);
        check_column("unknown condition", Refurbished);
        check_column("good", Refurbished);
        check_column("", Refurbished);
    }

    #[test]
    fn names_give_it_away() {
        check_name("Laptop 7th Gen W10 Refurbished\"", Refurbished);
        check_name("Certified Pre-Owned TV", Refurbished);
        check_name("certified_pre_owned", Refurbished);
        check_name("Pre-owned Laptop", Used);
        check_name("PREOWNED phone, renewed", Refurbished);
        check_name("Camera (Open-Box)", Used);
        check_name("second  hand lens", Used);
        check_name("Camera, open\u{a0}box", Used);
        check_name("Certified\u{202f}Pre\u{2009}Owned TV", Refurbished);
        check_name("A tool used\u{a0}for baking", New);
        check_name("Phone for parts", Used);
        check_name("Phone, used for parts", Used);
        check_name("A tool used for baking", New);
        check_name("Used, for baking", Used);
        check_name("Hair restoration kit", New);
        check_name("Unused stamp", New);
        check_name("open. box", New);
        check_name("Openbox speaker", New);
        check_name("", New);
    }

    #[test]
    fn ignores_condition_words_in_the_brand() {
        assert_eq!(Condition::derive("", "Renewed Life Vitamins", "Renewed-Life", ""), New);
        assert_eq!(Condition::derive("", "Open Box Wine", "open box co", ""), New);
        assert_eq!(Condition::derive("", "Open Acme Box", "Acme", ""), New);
        assert_eq!(Condition::derive("", "Renewed Phone", "Acme", ""), Refurbished);
    }

    #[test]
    fn urls_without_their_host() {
        check_url("https://used.example.com/phone", New);
        check_url("https://example.com/certified-pre-owned/phone", Refurbished);
        check_url("https://example.com?condition=open%20box", Used);
        check_url("https://example.com/p?c=like+new&x=1", Used);
        check_url("https://example.com/p%2525252Frefurbished", Refurbished);
        check_url("https://example.com/phone#used", New);
        check_url("https://example.com?condition=open%C2%A0box", Used);
        check_url("//used.example.com/x", New);
        check_url("used.example.com", New);
        check_url("/used/phone", Used);
        check_url("https://example.com/r?u=http://used/", Used);
        check_url("https://example.com/%zz%", New);
    }

    #[test]
    fn codes_and_names_round_trip() {
        for condition in Condition::ALL {
            assert_eq!(Condition::from_u8(condition.as_u8()), Some(condition));
            assert_eq!(serde_json::to_string(&condition).unwrap(), format!("\"{condition}\""));
        }
        assert_eq!(Condition::ALL.map(Condition::rank), [0, 1, 2, 0]);
    }

    proptest! {
        #[test]
        fn no_text_panics(name in "\\PC{0,30}", brand in "\\PC{0,10}", url in "[%+:/?#a-f0-9é]{0,30}") {
            let _ = Condition::derive(&name, &name, &brand, &url);
            prop_assert_ne!(Condition::derive("", &name, &brand, &url), Unknown);
        }
    }
}
