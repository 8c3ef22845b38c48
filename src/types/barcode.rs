//! Usable barcodes: numbers that name one physical product wherever it is sold.
//!
//! Invariant: a [`Gtin`] has a valid check digit and lies in no range that shops, coupons or scales use
//! for themselves. A raw barcode that does not qualify is dropped; the listing that carried it stays.
//!
//! How wide the source wrote a number says little: exports lose zeros on the left and other exports pad
//! them back. Usability is therefore decided by the *value* alone, so that one physical number gives one
//! result however it was padded. A value of at most 8 digits is read as a GTIN-8 (the longer ranges begin
//! above it; GS1 leaves those with six leading zeros unassigned to avoid this very collision), and as a
//! GTIN-8 it must not begin with 0 or 2. Only the *length* rules look at the text.

use std::fmt;

/// A usable GTIN, as the number behind its 14 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gtin(u64);

/// Values below are GTIN-8.
const GTIN8_END: u64 = 100_000_000;
/// Values from here on carry an indicator digit 1–9: a case, or goods of variable measure.
const INDICATOR_START: u64 = 10_000_000_000_000;
/// What a GTIN-13 is divided by to get its first three digits.
const PREFIX_UNIT: u64 = 10_000_000_000;

impl Gtin {
    /// Reads a barcode column.
    ///
    /// Letters (scientific notation among them) make it no barcode; a trailing `.0` goes (`.00` too); everything
    /// else that is not a digit goes. 8, 12, 13 and 14 digits are read as they are; 9 to 11 digits are
    /// taken for 12 that lost zeros, which the check digit must confirm; 8 digits that are no usable GTIN-8 may be UPC-E.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.chars().any(char::is_alphabetic) {
            return None;
        }
        let text = match text.rsplit_once('.') {
            // Kept, an even number of zeros would go unnoticed: the check digit still holds.
            Some((number, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => number,
            _ => text,
        };
        let mut value = 0_u64;
        let mut length = 0;
        for byte in text.bytes().filter(u8::is_ascii_digit) {
            length += 1;
            if length > 14 {
                return None;
            }
            value = value * 10 + u64::from(byte - b'0');
        }
        let short = || (length == 8).then(|| Self::from_upc_e(value)).flatten();
        (length >= 8).then_some(value).and_then(Self::from_value).or_else(short)
    }

    /// Reads a search text: a barcode only when it holds digits, blanks and hyphens and nothing else.
    pub fn from_query(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_digit() || c == '-' || c.is_whitespace();
        text.chars().all(plain).then(|| Self::parse(text)).flatten()
    }

    /// Expands the eight digits of UPC-E, which leave out zeros of a UPC-A (GS1 General Specifications, 5.2.2.4.2).
    fn from_upc_e(value: u64) -> Option<Self> {
        let digit = |place: u32| value / 10_u64.pow(7 - place) % 10;
        let number = |places: &[u32]| places.iter().fold(0, |number, &place| number * 10 + digit(place));
        let (manufacturer, item) = match digit(6) {
            0..=2 => (number(&[1, 2, 6]) * 100, number(&[3, 4, 5])),
            3 => (number(&[1, 2, 3]) * 100, number(&[4, 5])),
            4 => (number(&[1, 2, 3, 4]) * 10, digit(5)),
            _ => (number(&[1, 2, 3, 4, 5]), digit(6)),
        };
        let upc_a = ((digit(0) * 100_000 + manufacturer) * 100_000 + item) * 10 + digit(7);
        if digit(0) > 1 { None } else { Self::from_value(upc_a) }
    }

    /// Checks the number behind 14 digits, such as one read back from a snapshot.
    pub fn from_value(value: u64) -> Option<Self> {
        if value >= INDICATOR_START * 10 || !check_digit_holds(value) || all_digits_equal(value) {
            return None;
        }
        let restricted = if value < GTIN8_END {
            matches!(value / (GTIN8_END / 10), 0 | 2)
        } else if value < INDICATOR_START {
            restricted_prefix(value / PREFIX_UNIT)
        } else {
            false
        };
        (!restricted).then_some(Self(value))
    }

    /// The number behind the 14 digits.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Weights 3 and 1 alternate from the right, so zeros on the left never matter.
fn check_digit_holds(value: u64) -> bool {
    let (mut rest, mut sum, mut weight) = (value, 0, 1);
    while rest > 0 {
        sum += rest % 10 * weight;
        rest /= 10;
        weight = 4 - weight;
    }
    sum % 10 == 0
}

/// 55555555, 555555555555 and their like: typed to get past a form. Zeros are one of them.
fn all_digits_equal(value: u64) -> bool {
    let last = value % 10;
    let mut rest = value;
    while rest > 0 {
        if rest % 10 != last {
            return false;
        }
        rest /= 10;
    }
    true
}

/// The first three digits of a GTIN-13 that name no product of a manufacturer.
fn restricted_prefix(prefix: u64) -> bool {
    matches!(prefix, 20..=29 | 40..=49 | 200..=299 | 50..=59 | 980..=984 | 990..=999)
}

impl fmt::Display for Gtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:014}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(Gtin::parse(text).map(|gtin| gtin.to_string()).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn usual_forms() {
        check("00013409918104", Some("00013409918104"));
        check("13409918104", Some("00013409918104"));
        check("013409918104", Some("00013409918104"));
        check(" 0-13409-91810-4 ", Some("00013409918104"));
        check("13409918104.0", Some("00013409918104"));
        check("013409918104.00", Some("00013409918104"));
        check("3760196304685", Some("03760196304685"));
        check("40678726", Some("00000040678726"));
        check("00000040678726", Some("00000040678726"));
        check("570008109", Some("00000570008109"));
        check("10013409918101", Some("10013409918101"));
    }

    #[test]
    fn what_is_not_usable() {
        for text in [
            "",
            "4.81E+10",
            "4.81e10",
            "01340991810X",
            "013409918105",
            "1340991",
            "123456789012345",
            "N/A",
            "13409918105",
        ] {
            check(text, None);
        }
        for text in ["00000000", "0000000000000", "55555555", "555555555555", "0055555555", "00555555555555"]
        {
            check(text, None);
        }
    }

    /// The number with its check digit appended.
    fn with_check(digits: u64) -> u64 {
        (0..10).map(|check| digits * 10 + check).find(|value| check_digit_holds(*value)).unwrap()
    }

    #[test]
    fn ranges_that_name_no_product() {
        let usable =
            |prefix: u64| Gtin::from_value(with_check(prefix * 1_000_000_000 + 123_456_789)).is_some();
        let restricted: Vec<u64> = (0..1000).filter(|prefix| !usable(*prefix)).collect();
        let mut expected: Vec<u64> = (20..30).chain(40..60).chain(200..300).collect();
        expected.extend((980..985).chain(990..1000));
        assert_eq!(restricted, expected);
    }

    #[test]
    fn indicators_lift_the_restriction() {
        let inner = with_check(200_123_456_789);
        assert_eq!(Gtin::from_value(inner), None);
        let case = with_check(1_200_123_456_789);
        assert!(Gtin::from_value(case).is_some());
    }

    #[test]
    fn short_numbers_are_read_as_eight_digits() {
        for first in 0..10 {
            let value = with_check(first * 1_000_000 + 234_567);
            let usable = Gtin::from_value(value).is_some();
            assert_eq!(usable, first != 0 && first != 2, "{value:08}");
            // Eight digits that begin with 0 may be UPC-E.
            let short = Some(format!("{value:08}")).filter(|_| first != 0);
            for text in short.into_iter().chain([
                format!("{value:012}"),
                format!("{value:013}"),
                format!("{value:014}"),
            ]) {
                assert_eq!(Gtin::parse(&text).is_some(), usable, "{text}");
            }
        }
    }

    /// Expansions of the GS1 General Specifications.
    #[test]
    fn upc_e_is_expanded() {
        for (short, expected) in [
            ("04963406", Some("00049000006346")),
            ("01234505", Some("00012000003455")),
            ("01234531", Some("00012300000451")),
            ("01234543", Some("00012340000053")),
            ("01234565", Some("00012345000065")),
            ("11234502", Some("00112000003452")),
            ("16543214", Some("00165100004324")),
            ("04963407", None),
            ("24963406", None),
            ("004963406", None),
            ("000004963406", None),
        ] {
            check(short, expected);
        }
        // A usable GTIN-8 stays one.
        let value = with_check(1_234_567);
        check(&value.to_string(), Some(&format!("{value:014}")));
    }

    #[test]
    fn queries_are_barcodes_only_when_they_look_like_one() {
        assert!(Gtin::from_query("0 13409-91810 4").is_some());
        assert_eq!(Gtin::from_query("013409918104.0"), None);
        assert_eq!(Gtin::from_query("#013409918104"), None);
        assert_eq!(Gtin::from_query("12"), None);
        assert_eq!(Gtin::from_query(""), None);
    }

    proptest! {
        #[test]
        fn padding_never_matters(digits in 1_000_000_u64..9_999_999_999_999) {
            let gtin = Gtin::from_value(with_check(digits));
            let value = with_check(digits);
            for width in [8, 12, 13, 14] {
                let text = format!("{value:0width$}");
                if matches!(text.len(), 8..=14) {
                    prop_assert_eq!(Gtin::parse(&text), gtin);
                    prop_assert_eq!(Gtin::parse(&format!("{text}.0")), gtin);
                    prop_assert_eq!(Gtin::from_query(&text), gtin);
                }
            }
        }

        #[test]
        fn one_wrong_digit_is_noticed(digits in 10_000_000_000_u64..99_999_999_999, place in 0..12_u32, by in 1..9_u64) {
            let value = with_check(digits);
            let unit = 10_u64.pow(place);
            let changed = value - value / unit % 10 * unit + (value / unit + by) % 10 * unit;
            prop_assert_eq!(Gtin::from_value(changed), None);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,30}") {
            let _ = Gtin::parse(&text);
            let _ = Gtin::from_query(&text);
        }
    }
}
