//! Usable barcodes: numbers that identify one physical product at all retailers.
//!
//! Invariant: a [`Gtin`] has a valid check digit and is outside the ranges that shops, coupons or scales use
//! internally. A raw barcode that does not qualify is dropped, and its listing is kept.
//!
//! The width in which a source writes a number is not reliable: some exports drop leading zeros, and other exports
//! pad them again. Usability is therefore decided by the *value* alone, so that a number has the same result however
//! it was padded. A value of at most 8 digits is read as a GTIN-8, and as such must not begin with 0 or 2. Longer
//! GTINs do not have such a value, because GS1 does not assign numbers whose 14-digit form begins with six zeros.
//! Only the rules about *length* depend on the text.

use std::fmt;

/// The number of characters of an ISBN-10.
const ISBN_10_CHARACTERS: usize = 10;

/// A usable GTIN, stored as the integer value of its 14 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gtin(u64);

/// Values below this number are read as GTIN-8.
const GTIN8_END: u64 = 100_000_000;
/// Values from this number on have an indicator digit 1–9, for a case or for goods of variable measure.
const INDICATOR_START: u64 = 10_000_000_000_000;
/// Divisor of a GTIN-13 that yields its first three digits.
const PREFIX_UNIT: u64 = 10_000_000_000;

impl Gtin {
    /// Reads a value of a barcode column. ISBN-10 is not accepted here, see [`SourceCode`].
    ///
    /// A text with letters (including scientific notation) is not a barcode. A trailing `.0` (or `.00`) is removed,
    /// and then all other characters that are not digits. Numbers of 8, 12, 13 and 14 digits are read as they are.
    /// Numbers of 9 to 11 digits are read as 12 digits whose leading zeros were dropped. The check digit must confirm
    /// this. Numbers of 8 digits that are not a usable GTIN-8 may be UPC-E.
    pub fn parse(text: &str) -> Option<Self> {
        digits(text).and_then(Self::from_digits)
    }

    /// Reads a search text. It is a barcode only if it consists of digits, blanks and hyphens, or is an ISBN-10.
    pub fn from_query(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_digit() || c == '-' || c.is_whitespace();
        let gtin = text.chars().all(plain).then(|| Self::parse(text)).flatten();
        gtin.or_else(|| ten_characters(text).and_then(Self::from_isbn_10))
    }

    /// Reads a number, given its value and the number of digits with which it was written.
    fn from_digits((value, length): (u64, usize)) -> Option<Self> {
        let short = || (length == 8).then(|| Self::from_upc_e(value)).flatten();
        (length >= 8).then_some(value).and_then(Self::from_value).or_else(short)
    }

    /// Converts an ISBN-10 to the ISBN-13 of the same book: prefix 978 and a new check digit (ISO 2108).
    fn from_isbn_10(code: [u8; ISBN_10_CHARACTERS]) -> Option<Self> {
        let (check, number) = code.split_last()?;
        if !number.iter().all(u8::is_ascii_digit) || number.iter().all(|digit| digit == check) {
            return None;
        }
        let check = match check {
            b'X' => 10,
            digit if digit.is_ascii_digit() => u64::from(digit - b'0'),
            _ => return None,
        };
        let weighted =
            number.iter().zip((2..=10).rev()).map(|(digit, weight)| u64::from(digit - b'0') * weight);
        if (weighted.sum::<u64>() + check) % 11 != 0 {
            return None;
        }
        let value = number.iter().fold(978, |value, digit| value * 10 + u64::from(digit - b'0')) * 10;
        (value..value + 10).find_map(Self::from_value)
    }

    /// Expands the eight digits of UPC-E, which omit zeros of a UPC-A (GS1 General Specifications, 5.2.2.4.2).
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

    /// Checks the value of 14 digits, for example when it is read from a snapshot.
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

    /// The integer value of the 14 digits.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A form of codes that a single code cannot prove. All codes of the retailer in this form decide together whether
/// they are barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeForm {
    /// Ten characters: an ISBN-10, or an internal number of the retailer.
    TenCharacters,
    /// 11 to 13 digits: one in ten numbers without a check digit passes the check by chance.
    LongNumber,
}

/// A value of a barcode column, interpreted as far as a single row permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceCode {
    /// The barcode, if it is usable.
    pub gtin: Option<Gtin>,
    /// The form whose codes together decide whether `gtin` is accepted. `None` if it is accepted unconditionally.
    pub believed_with: Option<CodeForm>,
    /// Evidence from the code for or against its form. `None` if the code does not have one of the two forms.
    pub vote: Option<CodeVote>,
}

/// Evidence from a code for or against its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeVote {
    /// The form.
    pub form: CodeForm,
    /// The code as an identifying number: the value of its digits, or its ten bytes.
    pub code: u128,
    /// Whether the check digit of the form is valid.
    pub holds: bool,
}

impl SourceCode {
    /// Reads a value of a barcode column.
    pub fn parse(text: &str) -> Self {
        let digits = digits(text);
        let gtin = digits.and_then(Gtin::from_digits);
        if let Some((value, 11..=13)) = digits {
            let form = CodeForm::LongNumber;
            let vote = CodeVote { form, code: value.into(), holds: check_digit_holds(value) };
            return Self { gtin, believed_with: Some(form), vote: Some(vote) };
        }
        let Some(code) = ten_characters(text) else { return Self { gtin, ..Self::default() } };
        let (isbn, form) = (Gtin::from_isbn_10(code), CodeForm::TenCharacters);
        let code = code.iter().fold(0, |number, &byte| number << 8 | u128::from(byte));
        let vote = Some(CodeVote { form, code, holds: isbn.is_some() });
        match gtin {
            Some(gtin) => Self { gtin: Some(gtin), believed_with: None, vote },
            None => Self { gtin: isbn, believed_with: Some(form), vote },
        }
    }
}

/// The value and the number of digits of a text without letters; `None` if there are more than 14 digits.
fn digits(text: &str) -> Option<(u64, usize)> {
    let text = text.trim();
    if text.chars().any(char::is_alphabetic) {
        return None;
    }
    let (mut value, mut length) = (0_u64, 0);
    for byte in without_zero_fraction(text).bytes().filter(u8::is_ascii_digit) {
        length += 1;
        if length > 14 {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
    }
    Some((value, length))
}

/// The ten letters and digits of a text, in upper case. The text may also contain blanks and hyphens, but no other
/// characters.
fn ten_characters(text: &str) -> Option<[u8; ISBN_10_CHARACTERS]> {
    let mut code = [0; ISBN_10_CHARACTERS];
    let mut length = 0;
    for byte in without_zero_fraction(text.trim()).bytes().filter(|byte| !matches!(byte, b'-' | b' ')) {
        if !byte.is_ascii_alphanumeric() {
            return None;
        }
        *code.get_mut(length)? = byte.to_ascii_uppercase();
        length += 1;
    }
    (length == ISBN_10_CHARACTERS).then_some(code)
}

/// Removes a fraction of zeros such as `.0` or `.00`. If it were kept, an even number of zeros would not be detected,
/// because the check digit would still be valid.
fn without_zero_fraction(text: &str) -> &str {
    match text.rsplit_once('.') {
        Some((number, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => number,
        _ => text,
    }
}

/// The weights 3 and 1 alternate from the right, so leading zeros do not matter.
fn check_digit_holds(value: u64) -> bool {
    let (mut rest, mut sum, mut weight) = (value, 0, 1);
    while rest > 0 {
        sum += rest % 10 * weight;
        rest /= 10;
        weight = 4 - weight;
    }
    sum % 10 == 0
}

/// Whether all digits are equal, as in 55555555 or zero. Such numbers are placeholders that were entered into a
/// required field.
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

/// Whether the first three digits of a GTIN-13 are in a range that is not used for manufacturers' products.
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
    fn rejects_unusable_barcodes() {
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

    /// Appends the check digit to a number.
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

    /// Examples of the GS1 General Specifications.
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
        // A usable GTIN-8 is not expanded.
        let value = with_check(1_234_567);
        check(&value.to_string(), Some(&format!("{value:014}")));
    }

    /// ISBN-10 and ISBN-13 of the same books, as printed by their publishers.
    #[test]
    fn isbn_10_becomes_isbn_13() {
        for (short, long) in [
            ("0306406152", "9780306406157"),
            ("0-306-40615-2", "9780306406157"),
            ("080442957X", "9780804429573"),
            ("0 8044 2957 x", "9780804429573"),
            ("0131103628", "9780131103627"),
        ] {
            let code = SourceCode::parse(short);
            assert_eq!(code.gtin, Gtin::parse(long), "{short}");
            assert_eq!(code.believed_with, Some(CodeForm::TenCharacters));
            assert!(code.vote.unwrap().holds);
            assert_eq!(Gtin::from_query(short), Gtin::parse(long));
            assert_eq!(Gtin::parse(short), None, "{short}: alone it is no barcode");
        }
        for none in ["0306406153", "X306406152", "030640615", "1111111111", "B00X4WHP5E", "4.81E+1012"] {
            assert_eq!(SourceCode::parse(none).gtin, None, "{none}");
        }
        assert!(!SourceCode::parse("B00X4WHP5E").vote.unwrap().holds);
    }

    #[test]
    fn ten_digits_that_lost_zeros_stay_a_upc() {
        let isbn = |upc: &u64| ten_characters(&upc.to_string()).and_then(Gtin::from_isbn_10);
        let both = (100_000_000..100_001_000).map(with_check).find(|upc| isbn(upc).is_some()).unwrap();
        let code = SourceCode::parse(&both.to_string());
        assert_eq!((code.gtin, code.believed_with), (Gtin::from_value(both), None));
        assert!(code.vote.unwrap().holds);
    }

    #[test]
    fn long_numbers_are_believed_together() {
        for (text, holds) in [("13409918104", true), ("013409918105", false), ("3760196304685.0", true)] {
            let code = SourceCode::parse(text);
            let vote = code.vote.unwrap();
            assert_eq!((vote.form, vote.holds), (CodeForm::LongNumber, holds), "{text}");
            assert_eq!(code.gtin, Gtin::parse(text));
        }
        assert_eq!(SourceCode::parse("00013409918104").vote, None);
        assert_eq!(SourceCode::parse("40678726").believed_with, None);
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
            prop_assert!(SourceCode::parse(&text).believed_with.is_some() || SourceCode::parse(&text).gtin == Gtin::parse(&text));
        }
    }
}
