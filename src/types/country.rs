//! The two markets. A country determines the currency and, for pack prices, the customary units.
//!
//! Invariant: Canada sorts before the United States, in memory as in every answer and file.

use schemars::JsonSchema;
use serde::Serialize;

/// A market of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Country {
    /// Canada.
    Ca = 0,
    /// The United States.
    Us = 1,
}

impl Country {
    /// Every country, in order.
    pub const ALL: [Self; 2] = [Self::Ca, Self::Us];

    /// The other countries, in order.
    pub fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |&country| country != self)
    }

    /// The key in parameters, answers and input files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ca => "ca",
            Self::Us => "us",
        }
    }

    /// The English name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ca => "Canada",
            Self::Us => "United States",
        }
    }

    /// Reads the key, case-sensitively.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|country| country.as_str() == text)
    }

    /// Reads a country as input files write it: a code or an English name, case-insensitively.
    pub fn read(text: &str) -> Option<Self> {
        let is_one_of = |names: &[&str]| names.iter().any(|name| text.eq_ignore_ascii_case(name));
        match text {
            "us" => Some(Self::Us),
            "ca" => Some(Self::Ca),
            _ if is_one_of(&["us", "usa", "united states"]) => Some(Self::Us),
            _ if is_one_of(&["ca", "can", "canada"]) => Some(Self::Ca),
            _ => None,
        }
    }

    /// The ISO 4217 code of the currency of the country's prices.
    pub const fn currency(self) -> &'static str {
        match self {
            Self::Ca => "CAD",
            Self::Us => "USD",
        }
    }

    /// The code stored in columns.
    pub const fn as_u8(self) -> u8 {
        self as u8
    }

    /// Reads the code stored in columns.
    pub const fn from_u8(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Ca),
            1 => Some(Self::Us),
            _ => None,
        }
    }
}

impl std::fmt::Display for Country {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_codes_round_trip() {
        for country in Country::ALL {
            assert_eq!(Country::parse(country.as_str()), Some(country));
            assert_eq!(Country::from_u8(country.as_u8()), Some(country));
            assert_eq!(serde_json::to_string(&country).unwrap(), format!("\"{country}\""));
        }
        assert!(Country::Ca < Country::Us);
        assert_eq!(Country::Ca.currency(), "CAD");
        assert_eq!(Country::Us.currency(), "USD");
    }

    #[test]
    fn people_write_names_and_codes_in_any_case() {
        let us = ["us", "US", "Usa", "United States"].map(Country::read);
        let ca = ["ca", "CA", "CAN", "Canada"].map(Country::read);
        assert!(us.iter().all(|country| *country == Some(Country::Us)));
        assert!(ca.iter().all(|country| *country == Some(Country::Ca)));
        assert_eq!(["", "mx", "u.s.", "états-unis"].map(Country::read), [None; 4]);
    }

    #[test]
    fn rejects_unknown_country_codes() {
        for text in ["CA", "Us", "", "mx", " us"] {
            assert_eq!(Country::parse(text), None, "{text:?}");
        }
        assert_eq!(Country::from_u8(2), None);
    }
}
