//! Retailer platform keys: lower-case ASCII, so that each retailer has one spelling.
//!
//! A key is called `retailer` in most parameters and answers, and `platform` in the coverage map.

/// The maximum length of a key, in bytes.
pub const PLATFORM_BYTES_MAX: usize = 128;

/// The pattern of a key, as a regular expression for clients. It also accepts upper-case letters.
pub const PLATFORM_PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9_-]*$";

/// Whether the text is a key in normal form: a letter or digit, then letters, digits, `_` and `-`.
pub fn is_key(text: &str) -> bool {
    let word = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match text.as_bytes() {
        [first, rest @ ..] => {
            word(first)
                && rest.iter().all(|byte| word(byte) || matches!(byte, b'_' | b'-'))
                && text.len() <= PLATFORM_BYTES_MAX
        }
        [] => false,
    }
}

/// The key for a text, after trimming and lower-casing; `None` if it does not have the form of a key.
pub fn normalize(text: &str) -> Option<String> {
    let key = text.trim().to_ascii_lowercase();
    is_key(&key).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for key in ["metro", "best-buy", "7eleven", "save_on", "a"] {
            assert!(is_key(key), "{key}");
        }
        for text in ["", "-a", "_a", "Metro", "best buy", "a.b", "é", "a\n"] {
            assert!(!is_key(text), "{text:?}");
        }
        assert!(!is_key(&"a".repeat(PLATFORM_BYTES_MAX + 1)));
    }

    #[test]
    fn case_and_blanks_do_not_matter() {
        assert_eq!(normalize(" Best-Buy ").as_deref(), Some("best-buy"));
        assert_eq!(normalize("Bestbuy.com"), None);
        assert_eq!(normalize("  "), None);
    }
}
