//! A price: a positive integer number of cents, read exactly.
//!
//! Text is read digit by digit, and floats through their shortest decimal form, so that 1.005 becomes 1.01 and is not
//! rounded to 1.00 through its binary value. [`Cents`] is the type of offered prices. Results of arithmetic have the
//! types in [`rounded`](super::rounded).

use std::fmt::{self, Write};

use serde::{Serialize, Serializer};

use super::inline_schema;

/// A price in minor units (cents).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cents(u32);

/// The highest accepted price: 10,000,000.00.
pub const PRICE_MAX: Cents = Cents(1_000_000_000);

/// `PRICE_MAX` in thousandths of a currency unit, to which text is read before it is rounded.
const THOUSANDTHS_MAX: u64 = PRICE_MAX.0 as u64 * 10;

/// Half a cent in thousandths: the lowest value that rounds to a price.
const THOUSANDTHS_MIN: u64 = 5;

/// A list price above this multiple of the price is not plausible. It is still shown, but no discount is computed
/// from it.
const LIST_PRICE_FACTOR_MAX: u64 = 5;

/// Whether a list price (0 if there is none) is above the price and plausible. Both are in cents.
pub const fn is_believed(price: u32, list_price: u32) -> bool {
    price < list_price && list_price as u64 <= LIST_PRICE_FACTOR_MAX * price as u64
}

/// The reason why a text or a number is not a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PriceError {
    /// Not a decimal number.
    #[error("the price is not a decimal number")]
    Unparsable,
    /// Zero or negative.
    #[error("the price is not above zero")]
    NotPositive,
    /// Positive, but under half a cent.
    #[error("the price is under half a cent")]
    TooSmall,
    /// Above [`PRICE_MAX`] before rounding.
    #[error("the price is above 10,000,000")]
    TooLarge,
}

impl Cents {
    /// Wraps a number of cents that is known to be a price, such as one read from a snapshot.
    pub const fn new(cents: u32) -> Self {
        Self(cents)
    }

    /// The number of cents.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Reads a decimal number, rounded half up to cents.
    ///
    /// The accepted syntax covers what exports write: surrounding blanks, a sign, digits with an optional point, an
    /// optional exponent. Thousands separators, currency signs, `nan` and `inf` are not accepted.
    ///
    /// # Errors
    ///
    /// Returns an error that names the violated rule.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let (negative, digits) = split_sign(text.trim().as_bytes());
        let (mantissa, exponent) = split_exponent(digits)?;
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let digits = || mantissa.iter().filter(|&&byte| byte != b'.');
        if digits().next().is_none() || !digits().all(u8::is_ascii_digit) {
            return Err(PriceError::Unparsable);
        }
        if mantissa.len() > point + 1 && mantissa[point + 1..].contains(&b'.') {
            return Err(PriceError::Unparsable);
        }
        let zeros = digits().take_while(|&&byte| byte == b'0').count();
        if negative || zeros == digits().count() {
            return Err(PriceError::NotPositive);
        }
        // The value is 0.d1d2d3… × 10^magnitude with d1 > 0.
        let magnitude = exponent.saturating_add(point as i64).saturating_sub(zeros as i64);
        round(digits().skip(zeros).map(|byte| u64::from(byte - b'0')), magnitude)
    }

    /// Reads a double through its shortest decimal form, by the rules of [`Cents::parse`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Cents::parse`]. Infinities and NaN are unparsable.
    pub fn from_f64(value: f64) -> Result<Self, PriceError> {
        Self::parse(shortest(&mut Shortest::default(), format_args!("{value:e}")))
    }

    /// Reads a single-precision float through *its* shortest decimal form: 4.99 stays 4.99, although it would be
    /// 4.98999977 when widened.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Cents::from_f64`].
    pub fn from_f32(value: f32) -> Result<Self, PriceError> {
        Self::parse(shortest(&mut Shortest::default(), format_args!("{value:e}")))
    }
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Splits `12.5e-3` into `12.5` and `-3`. Extreme exponents saturate.
fn split_exponent(text: &[u8]) -> Result<(&[u8], i64), PriceError> {
    let Some(at) = text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e')) else {
        return Ok((text, 0));
    };
    let (negative, digits) = split_sign(&text[at + 1..]);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(PriceError::Unparsable);
    }
    let size = digits
        .iter()
        .fold(0_i64, |sum, byte| sum.saturating_mul(10).saturating_add(i64::from(byte - b'0')).min(1 << 40));
    Ok((&text[..at], if negative { -size } else { size }))
}

/// Rounds 0.d1d2d3… × 10^magnitude half up to cents. Digits after the thousandths only matter for the comparison with
/// the maximum.
fn round(mut digits: impl Iterator<Item = u64>, magnitude: i64) -> Result<Cents, PriceError> {
    if magnitude > 8 {
        return Err(PriceError::TooLarge);
    }
    let mut thousandths = 0;
    for _ in 0..(magnitude + 3).max(0) {
        thousandths = thousandths * 10 + digits.next().unwrap_or(0);
    }
    if thousandths > THOUSANDTHS_MAX || (thousandths == THOUSANDTHS_MAX && digits.any(|digit| digit > 0)) {
        return Err(PriceError::TooLarge);
    }
    if thousandths < THOUSANDTHS_MIN {
        return Err(PriceError::TooSmall);
    }
    Ok(Cents(((thousandths + 5) / 10) as u32))
}

/// A stack buffer for the shortest form of a double. The longest such form has 24 bytes: `-1.2345678901234567e-308`.
#[derive(Default)]
struct Shortest {
    bytes: [u8; 32],
    len: usize,
}

impl Write for Shortest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

fn shortest<'a>(buffer: &'a mut Shortest, number: fmt::Arguments<'_>) -> &'a str {
    let written = buffer.write_fmt(number);
    debug_assert!(written.is_ok(), "a float fits the buffer");
    std::str::from_utf8(&buffer.bytes[..buffer.len]).unwrap_or_default()
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

inline_schema!(Cents, "Price", {
    "type": "number",
    "description": "Money in the country's currency, at most 2 decimals."
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_list_price_is_believed_up_to_five_times_the_price() {
        assert!(is_believed(100, 101) && is_believed(100, 500));
        assert!(!is_believed(100, 100) && !is_believed(100, 501) && !is_believed(100, 0));
        assert!(is_believed(900_000_000, 1_000_000_000));
    }

    fn check(text: &str, expected: Result<u32, PriceError>) {
        assert_eq!(Cents::parse(text).map(Cents::get), expected, "{text:?}");
    }

    #[test]
    fn decimals_round_half_up() {
        check("4.99", Ok(499));
        check(" 1.005 ", Ok(101));
        check("1.0049999999999999999999999", Ok(100));
        check("+5", Ok(500));
        check("5.", Ok(500));
        check(".5", Ok(50));
        check("0.005", Ok(1));
        check("0000000000000000000000012.3", Ok(1230));
        check("1.2e1", Ok(1200));
        check("1.2E+1", Ok(1200));
        check("499e-2", Ok(499));
        check("0.000000000000000000001e21", Ok(100));
        check("10000000", Ok(PRICE_MAX.get()));
        check("1e7", Ok(PRICE_MAX.get()));
    }

    #[test]
    fn rejects_invalid_prices() {
        for text in [
            "", " ", ".", "-", "e5", "1e", "1e+", "1,5", "1,000.00", "$5", "5 CAD", "nan", "inf", "1.2.3",
            "0x10", "--5",
        ] {
            check(text, Err(PriceError::Unparsable));
        }
        for text in ["0", "0.00", "-0", "-1", "-1e99", "0e5", "-0.001"] {
            check(text, Err(PriceError::NotPositive));
        }
        for text in ["0.001", "0.00499999999999999", "1e-400", "1e-99999999999999999999"] {
            check(text, Err(PriceError::TooSmall));
        }
        for text in ["10000000.0000000001", "10000000.01", "1e8", "1e99999999999999999999", "99999999"] {
            check(text, Err(PriceError::TooLarge));
        }
    }

    #[test]
    fn floats_are_read_as_people_read_them() {
        assert_eq!(Cents::from_f64(1.005).map(Cents::get), Ok(101));
        assert_eq!(Cents::from_f64(0.1 + 0.2).map(Cents::get), Ok(30));
        assert_eq!(Cents::from_f32(4.99).map(Cents::get), Ok(499));
        assert_eq!(Cents::from_f64(f64::NAN), Err(PriceError::Unparsable));
        assert_eq!(Cents::from_f64(f64::INFINITY), Err(PriceError::Unparsable));
        assert_eq!(Cents::from_f64(-0.0), Err(PriceError::NotPositive));
        assert_eq!(Cents::from_f64(f64::MIN_POSITIVE), Err(PriceError::TooSmall));
        assert_eq!(Cents::from_f64(-f64::MAX), Err(PriceError::NotPositive));
    }

    #[test]
    fn serialized_as_a_number() {
        assert_eq!(serde_json::to_string(&Cents::new(499)).unwrap(), "4.99");
        assert_eq!(serde_json::to_string(&PRICE_MAX).unwrap(), "10000000.0");
        assert_eq!(Cents::new(1205).to_string(), "12.05");
    }

    proptest! {
        #[test]
        fn every_price_survives_text_and_floats(cents in 1..=PRICE_MAX.get()) {
            let price = Cents::new(cents);
            prop_assert_eq!(Cents::parse(&price.to_string()), Ok(price));
            prop_assert_eq!(Cents::from_f64(f64::from(cents) / 100.0), Ok(price));
            let json: f64 = serde_json::from_str(&serde_json::to_string(&price).unwrap()).unwrap();
            prop_assert_eq!(Cents::from_f64(json), Ok(price));
        }

        #[test]
        fn no_text_panics(text in "[-+0-9.eE ]{0,24}") {
            let _ = Cents::parse(&text);
        }
    }
}
