//! Words that feeds write for values: stock, condition, country and currency, and what stands for a missing value.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::lang::text::fold;

/// The columns whose values may be words.
pub(super) const COLUMNS: [&str; 4] = ["in_stock", "condition", "country", "currency"];

/// Words of a column by their folded form, and the values that they stand for in the form of the input contract.
pub type ValueWords = BTreeMap<String, String>;

/// Longest placeholder of a missing value, in bytes.
const PLACEHOLDER_BYTES_MAX: usize = 9;

/// The words of all feeds, by column.
static WORDS: LazyLock<HashMap<&str, ValueWords>> = LazyLock::new(|| {
    let mut words: HashMap<&str, ValueWords> = HashMap::new();
    for line in include_str!("values.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(column), Some(value)) = (fields.next(), fields.next()) else { continue };
        words.entry(column).or_default().extend(fields.map(|word| (folded(word), value.to_owned())));
    }
    words
});

/// The form in which words are compared: letters and digits alone, without case, accents and the address of schema.org. A
/// word without any, such as a tick, stays as it is.
pub(super) fn folded(word: &str) -> String {
    let word = word.trim();
    let word =
        word.rsplit_once("schema.org/").or_else(|| word.split_once("schema:")).map_or(word, |(_, word)| word);
    let folded: String = fold(word).chars().filter(|letter| letter.is_alphanumeric()).collect();
    if folded.is_empty() { word.to_owned() } else { folded }
}

/// The value that a word of a column stands for: by the words of the mapping, else by those of all feeds.
pub(super) fn meaning<'a>(column: &str, own: Option<&'a ValueWords>, word: &str) -> Option<&'a str> {
    let word = folded(word);
    let known = || WORDS.get(column)?.get(&word).map(String::as_str);
    own.and_then(|own| own.get(&word)).map(String::as_str).or_else(known)
}

/// Whether a value of a column has the form of the input contract, so that it is no word.
pub(super) fn is_contract(column: &str, text: &str) -> bool {
    match column {
        "in_stock" => matches!(text, "true" | "false" | "1" | "0" | "unknown" | ""),
        "country" => matches!(text, "us" | "ca" | ""),
        "currency" => matches!(text, "USD" | "CAD" | ""),
        _ => matches!(text, "new" | "used" | "refurbished" | "unknown" | ""),
    }
}

/// The values of a column as a mapping writes them, and their form in the input contract.
pub(super) fn allowed(column: &str) -> &'static [(&'static str, &'static str)] {
    match column {
        "in_stock" => &[("true", "true"), ("false", "false"), ("unknown", "unknown")],
        "condition" => {
            &[("new", "new"), ("refurbished", "refurbished"), ("used", "used"), ("unknown", "unknown")]
        }
        "country" => &[("us", "us"), ("ca", "ca")],
        _ => &[("USD", "USD"), ("CAD", "CAD")],
    }
}

/// Whether a text only stands for a missing value, in any case.
pub(super) fn is_placeholder(text: &str) -> bool {
    if text.len() > PLACEHOLDER_BYTES_MAX {
        return false;
    }
    let is = |placeholder: &str| text.eq_ignore_ascii_case(placeholder);
    match text.as_bytes() {
        [b'-'] => true,
        [b'n' | b'N', ..] => is("nan") || is("none") || is("null") || is("n/a"),
        // Errors of spreadsheets.
        [b'#', ..] => {
            ["#n/a", "#ref!", "#value!", "#name?", "#div/0!", "#num!", "#null!"].into_iter().any(is)
        }
        [b'<', ..] => is("<na>"),
        [b'\\', ..] => text == "\\N",
        [b'u' | b'U', ..] => is("undefined"),
        [0xe2, ..] => text == "—",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_feeds_have_the_form_of_the_contract() {
        for (column, word, value) in [
            ("in_stock", "In Stock", "true"),
            ("in_stock", "https://schema.org/InStock", "true"),
            ("in_stock", "http://schema.org/OutOfStock", "false"),
            ("in_stock", "LimitedAvailability", "true"),
            ("in_stock", "schema:InStock", "true"),
            ("in_stock", "out_of_stock", "false"),
            ("in_stock", "Épuisé", "false"),
            ("in_stock", "en rupture de stock", "false"),
            ("in_stock", "PreOrder", "unknown"),
            ("in_stock", "BackOrder", "unknown"),
            ("condition", "NewCondition", "new"),
            ("condition", "Remis à neuf", "refurbished"),
            ("condition", "D'occasion", "used"),
            ("country", "États-Unis", "us"),
            ("currency", "dollars canadiens", "CAD"),
        ] {
            assert_eq!(meaning(column, None, word), Some(value), "{word}");
        }
        for (column, word) in [("in_stock", "soon"), ("in_stock", "NewCondition"), ("country", "France")] {
            assert_eq!(meaning(column, None, word), None, "{word}");
        }
    }

    #[test]
    fn words_of_the_mapping_come_first() {
        let own = ValueWords::from([(folded("Yes"), "false".to_owned())]);
        assert_eq!(meaning("in_stock", Some(&own), "YES"), Some("false"));
        assert_eq!(meaning("in_stock", Some(&own), "no"), Some("false"));
        let own = ValueWords::from(
            [("✓", "true"), ("✗", "false")].map(|(word, value)| (folded(word), value.to_owned())),
        );
        let words = ["✓", " ✗ ", "?", ""].map(|word| meaning("in_stock", Some(&own), word));
        assert_eq!(words, [Some("true"), Some("false"), None, None]);
    }

    #[test]
    fn placeholders_are_known_in_any_case() {
        for text in [
            "nan",
            "NaN",
            "None",
            "NULL",
            "n/a",
            "#N/A",
            "#REF!",
            "-",
            "—",
            "Undefined",
            "#DIV/0!",
            "<NA>",
            "\\N",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "no", "Nantes", "n", "--", "–", "#1", "nonesuch", "under"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
