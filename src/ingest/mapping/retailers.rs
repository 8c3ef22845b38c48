//! Names of retailers, as sources write them, and the keys that they mean.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::lang::text::slug;
use crate::types::platform::{PLATFORM_BYTES_MAX, is_key};

/// Longest name that is made a key: a slug is shorter than its name, but pages of text are no names, in bytes.
const NAME_BYTES_MAX: usize = 16 * PLATFORM_BYTES_MAX;

/// The table of a mapping, and the rules for names that it does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retailers {
    /// Keys by the names as they are written.
    exact: HashMap<String, String>,
    /// Keys by the folded names; of two that fold alike the first by bytes.
    folded: HashMap<String, String>,
}

impl Retailers {
    /// A table from names to keys.
    pub(super) fn new(table: &BTreeMap<String, String>) -> Self {
        let mut retailers = Self::default();
        for (name, key) in table {
            retailers.exact.insert(name.clone(), key.clone());
            retailers.folded.entry(folded(name).into_owned()).or_insert_with(|| key.clone());
        }
        retailers
    }

    /// The names of the table as they are written, and their keys, by name.
    pub(crate) fn entries(&self) -> BTreeMap<&str, &str> {
        self.exact.iter().map(|(name, key)| (name.as_str(), key.as_str())).collect()
    }

    /// The key that a name means: the table's, by the name as it is written, else folded; else the name, in lower case,
    /// where that is a key; else its slug. `None` when nothing is left of it, or more than a key may hold.
    pub fn key<'a>(&'a self, name: &'a str) -> Option<Cow<'a, str>> {
        if !self.exact.is_empty() {
            let known = self.exact.get(name).or_else(|| self.folded.get(folded(name).as_ref()));
            if let Some(key) = known {
                return Some(Cow::Borrowed(key));
            }
        }
        let name = name.trim();
        if is_key(name) {
            return Some(Cow::Borrowed(name));
        }
        if name.len() > NAME_BYTES_MAX {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        if is_key(&lower) {
            return Some(Cow::Owned(lower));
        }
        let slug = slug(name);
        is_key(&slug).then_some(Cow::Owned(slug))
    }
}

/// A name as the table compares it: trimmed, in lower case, with one blank for several.
fn folded(name: &str) -> Cow<'_, str> {
    let trimmed = name.trim();
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() || byte == b' ';
    if trimmed.bytes().all(is_plain) && !trimmed.contains("  ") {
        return Cow::Borrowed(trimmed);
    }
    Cow::Owned(trimmed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn retailers(table: &[(&str, &str)]) -> Retailers {
        Retailers::new(&table.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect())
    }

    #[test]
    fn names_become_keys() {
        let retailers = Retailers::default();
        for (name, key) in [
            ("save_on", Some("save_on")),
            ("Save_On", Some("save_on")),
            (" best-buy ", Some("best-buy")),
            ("Best Buy", Some("best-buy")),
            ("amazon.com", Some("amazon-com")),
            ("Barnes & Noble", Some("barnes-and-noble")),
            ("Métro", Some("metro")),
            ("_x", Some("x")),
            ("", None),
            (" ", None),
            ("---", None),
            ("北京", None),
        ] {
            assert_eq!(retailers.key(name).as_deref(), key, "{name:?}");
        }
        let longest = "a ".repeat(PLATFORM_BYTES_MAX / 2);
        assert_eq!(retailers.key(&longest).map(|key| key.len()), Some(PLATFORM_BYTES_MAX - 1));
        assert_eq!(retailers.key(&format!("{longest} bc")), None);
        assert_eq!(retailers.key(&"a".repeat(PLATFORM_BYTES_MAX + 1)), None);
        assert_eq!(retailers.key(&format!("a{}", " ".repeat(NAME_BYTES_MAX))).as_deref(), Some("a"));
    }

    #[test]
    fn keys_are_borrowed() {
        let (empty, table) = (Retailers::default(), retailers(&[("Bestbuy.com", "best-buy")]));
        for retailers in [&empty, &table] {
            assert!(matches!(retailers.key("acme-foods"), Some(Cow::Borrowed("acme-foods"))));
        }
        assert!(matches!(table.key("Bestbuy.com"), Some(Cow::Borrowed("best-buy"))));
    }

    #[test]
    fn the_table_comes_first_exact_names_before_folded_ones() {
        let table = retailers(&[
            ("Bestbuy.com", "best-buy"),
            ("acme", "acme-foods"),
            ("ACME", "acme-tools"),
            ("Épicerie  Roy", "roy"),
        ]);
        for (name, key) in [
            ("Bestbuy.com", "best-buy"),
            (" BESTBUY.COM", "best-buy"),
            ("acme", "acme-foods"),
            ("ACME", "acme-tools"),
            ("Acme", "acme-tools"),
            ("épicerie\tROY ", "roy"),
            ("bestbuy", "bestbuy"),
        ] {
            assert_eq!(table.key(name).as_deref(), Some(key), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn derives_stable_retailer_keys(name in "\\PC{0,40}") {
            let retailers = Retailers::default();
            if let Some(key) = retailers.key(&name) {
                prop_assert!(is_key(&key));
                let again = retailers.key(&key);
                prop_assert_eq!(again.as_deref(), Some(key.as_ref()));
            }
            let slowly = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let folded = folded(&name);
            prop_assert_eq!(folded.as_ref(), slowly.as_str());
        }
    }
}
