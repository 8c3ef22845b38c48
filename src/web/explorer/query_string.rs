//! The query of a page, without the fields of a form that were left empty.

use url::form_urlencoded::{Serializer, parse};

/// Names and values, in the order they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct QueryString {
    pairs: Vec<(String, String)>,
    was_sent: bool,
}

impl QueryString {
    /// Reads a query string.
    pub(in crate::web) fn read(query: &str) -> Self {
        let pairs = parse(query.as_bytes()).filter(|(_, value)| !value.trim().is_empty());
        let pairs = pairs.map(|(name, value)| (name.into_owned(), value.trim().to_owned())).collect();
        Self { pairs, was_sent: !query.is_empty() }
    }

    /// Whether a form was sent, and be it an empty one.
    pub(in crate::web) fn was_sent(&self) -> bool {
        self.was_sent
    }

    /// The value of a parameter.
    pub(in crate::web) fn value(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The same with another value of one parameter.
    #[must_use]
    pub(in crate::web) fn with(&self, name: &str, value: &str) -> Self {
        let mut pairs = self.pairs.clone();
        pairs.retain(|(known, _)| known != name);
        pairs.push((name.to_owned(), value.to_owned()));
        Self { pairs, was_sent: true }
    }

    /// The query string of the request.
    pub(in crate::web) fn query(&self) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(&self.pairs);
        query.finish()
    }

    /// The values in a line, to be read.
    pub(in crate::web) fn in_words(&self) -> String {
        let words = self.pairs.iter().map(|(name, value)| match (name.as_str(), value.as_str()) {
            ("country", country) => country.to_uppercase(),
            ("product_uid" | "entity_uid", _) => "a product".to_owned(),
            (name, "true") => name.replace('_', " "),
            (name, value) if value.parse::<f64>().is_ok() => format!("{} {value}", name.replace('_', " ")),
            (_, value) => value.replace(['_', '/'], " "),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_empty_parameters() {
        let asked = QueryString::read("q=oat+milk%20&brand=&country=ca&limit=5&in_stock=true");
        assert_eq!(asked.query(), "q=oat+milk&country=ca&limit=5&in_stock=true");
        assert_eq!(asked.in_words(), "oat milk, CA, limit 5, in stock");
        assert_eq!(
            asked.with("q", "tea & <b>").query(),
            "country=ca&limit=5&in_stock=true&q=tea+%26+%3Cb%3E"
        );
        assert!(QueryString::read("q=").was_sent() && !QueryString::read("").was_sent());
    }
}
