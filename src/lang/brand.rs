//! One key for all spellings of a brand, and the words that mean "no brand".
//!
//! Invariant: a key is never empty and holds no blanks or punctuation. Which spelling is shown is decided
//! above, over all listings of a snapshot.

use super::text::{folded, spaced};

/// What sources write where there is no brand, in lower case.
const PLACEHOLDERS: [&str; 16] = [
    "",
    "null",
    "none",
    "no",
    "no brand",
    "nobrand",
    "generic",
    "unbranded",
    "unknown",
    "n/a",
    "na",
    "not applicable",
    "does not apply",
    "-",
    "--",
    "brand",
];

/// Legal forms that may end a company's name.
const LEGAL_FORMS: [&str; 8] = ["inc", "llc", "ltd", "co", "corp", "company", "corporation", "gmbh"];

/// Whether the text stands for the absence of a brand.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    // Longer than the longest placeholder, in any case of its letters: spare the lower-casing.
    text.len() <= 32 && PLACEHOLDERS.contains(&spaced(text).to_lowercase().as_str())
}

/// The key that all spellings of a brand share; `None` for a placeholder or when nothing is left.
pub fn brand_key(text: &str) -> Option<String> {
    if is_placeholder(text) {
        return None;
    }
    let mut spaced = String::with_capacity(text.len());
    for c in folded(text) {
        match c {
            '&' => spaced.push_str(" and "),
            '.' | '\'' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{02bc}' | '`' => {}
            c if c.is_alphanumeric() => spaced.push(c),
            _ => spaced.push(' '),
        }
    }
    let mut words = spaced.split_ascii_whitespace();
    let mut rest = words.clone();
    while let Some(last) = rest.next_back() {
        if !LEGAL_FORMS.contains(&last) || rest.clone().next().is_none() {
            break;
        }
        words = rest.clone();
    }
    let key: String = words.collect();
    (!key.is_empty()).then_some(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn treats_placeholders_as_no_brand() {
        for text in PLACEHOLDERS {
            assert!(is_placeholder(&format!(" {} ", text.to_uppercase())), "{text:?}");
            assert_eq!(brand_key(text), None, "{text:?}");
        }
        for text in ["---", "...", "&.", "\u{a0}"] {
            assert_eq!(brand_key(text).filter(|key| key != "and"), None, "{text:?}");
        }
        assert!(!is_placeholder("Generic Foods"));
        assert!(is_placeholder("\u{3000}No\u{a0}Brand\u{202f}"));
        assert!(is_placeholder("does\u{2009}not\u{a0}apply"));
    }

    #[test]
    fn spellings_fold() {
        for (text, expected) in [
            ("Nestlé", "nestle"),
            ("L'Oréal", "loreal"),
            ("L\u{2019}OREAL", "loreal"),
            ("Johnson & Johnson", "johnsonandjohnson"),
            ("Johnson and Johnson, Inc.", "johnsonandjohnson"),
            ("Haier Co., Ltd.", "haier"),
            ("Cisco", "cisco"),
            ("Co", "co"),
            ("Co. Ltd.", "co"),
            ("J.R. Watkins", "jrwatkins"),
            ("TP-Link", "tplink"),
            ("tp link", "tplink"),
            ("A_B", "ab"),
            ("Company Corp", "company"),
            ("Inc Magazine", "incmagazine"),
            ("日本", "日本"),
        ] {
            assert_eq!(brand_key(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn keys_hold_only_letters_and_digits(text in "\\PC{0,30}") {
            if let Some(key) = brand_key(&text) {
                prop_assert!(!key.is_empty() && key.chars().all(char::is_alphanumeric));
            }
        }
    }
}
