//! Numbers as names print them: decimals, thousands, fractions.

use super::cursor::Cursor;

/// Most digits of a number that counts; more is an article number.
const DIGITS_MAX: usize = 7;
/// Numbers are read up to this value.
const VALUE_MAX: u64 = 100_000_000;
/// Largest denominator of a fraction.
const DENOMINATOR_MAX: u64 = 16;

/// A number as printed, `num / den`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printed {
    num: u64,
    den: u64,
    pub(super) start: usize,
    pub(super) end: usize,
    /// False for versions, article numbers and fractions that packs do not use.
    is_plain: bool,
}

impl Printed {
    pub(super) fn value(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// Numerator and denominator, if it may be an amount.
    pub(super) fn fraction(self) -> Option<(u32, u32)> {
        let fraction = (u32::try_from(self.num).ok()?, u32::try_from(self.den).ok()?);
        (self.is_plain && self.num > 0).then_some(fraction)
    }

    /// The number, if it may be an amount and is whole.
    pub(super) fn whole(self) -> Option<u32> {
        let (num, den) = self.fraction()?;
        num.is_multiple_of(den).then(|| num / den)
    }
}

impl Cursor<'_> {
    /// The number at `at`, which is a digit or a decimal point before one.
    pub(super) fn number(&self, at: usize) -> Printed {
        let end = self.digits(at);
        let mut number =
            Printed { num: self.value(at, end), den: 1, start: at, end, is_plain: end - at <= DIGITS_MAX };
        // "0,750" has decimals, "1,299" thousands.
        let is_zero = &self.text[at..end] == "0";
        while !is_zero && self.byte(number.end) == b',' && self.digits(number.end + 1) == number.end + 4 {
            let thousands = self.value(number.end + 1, number.end + 4);
            number.num = number.num.saturating_mul(1000).saturating_add(thousands).min(VALUE_MAX);
            number.end += 4;
        }
        self.decimals(&mut number, is_zero);
        self.fraction_of(&mut number, at);
        number
    }

    fn decimals(&self, number: &mut Printed, is_zero: bool) {
        let mark = self.byte(number.end);
        let from = number.end + 1;
        if !matches!(mark, b'.' | b',') || !self.is_digit(from) {
            return;
        }
        number.end = self.digits(from);
        let places = number.end - from;
        let kept = places.min(DIGITS_MAX);
        let power = 10_u64.pow(kept as u32);
        number.num = number.num * power + self.value(from, from + kept);
        number.den = power;
        // "1.2.3" is a version.
        number.is_plain &= kept == places && self.byte(number.end) != b'.';
        number.is_plain &= mark == b'.' || places <= 2 || is_zero;
    }

    /// Reads a fraction in its place or behind it: `1/2`, `22-1/2`.
    fn fraction_of(&self, number: &mut Printed, at: usize) {
        let is_mixed = matches!(self.byte(number.end), b'-' | b' ');
        let from = if is_mixed { number.end + 1 } else { at };
        if let Some((part, of, end)) = self.fraction(from) {
            let (whole, den) = if is_mixed { (number.num, number.den) } else { (0, 1) };
            // Kitchens use these fractions.
            let is_plain = number.is_plain && den == 1 && matches!(of, 2 | 3 | 4 | 8);
            *number = Printed { num: whole * of + part * den, den: den * of, end, is_plain, ..*number };
        } else if self.byte(number.end) == b'/' && self.is_digit(number.end + 1) && number.den == 1 {
            // "12/18" is two numbers, and the unit belongs to neither of them.
            number.is_plain = false;
        }
    }

    /// A proper fraction and where it ends.
    fn fraction(&self, at: usize) -> Option<(u64, u64, usize)> {
        let slash = self.digits(at);
        if slash == at || self.byte(slash) != b'/' || !self.is_digit(slash + 1) {
            return None;
        }
        let end = self.digits(slash + 1);
        let (part, of) = (self.value(at, slash), self.value(slash + 1, end));
        (part < of && of <= DENOMINATOR_MAX).then_some((part, of, end))
    }

    /// The digits between two places as a number.
    fn value(&self, from: usize, to: usize) -> u64 {
        let digits = self.text.as_bytes()[from..to].iter();
        digits.fold(0, |sum, byte| (sum * 10 + u64::from(byte - b'0')).min(VALUE_MAX))
    }
}
