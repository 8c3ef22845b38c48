//! How numbers are written: decimal point or comma, groups of thousands, signs of currencies.
//!
//! The contract's form is what [`Cents::parse`](crate::types::Cents::parse) takes for a number, whatever its size.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::currency::Currency;
use super::{Ambiguity, UnknownNotation, Votes};
use crate::types::Country;

/// Digits in a group of thousands.
const GROUP_DIGITS: usize = 3;
/// Most digits of a whole number that always fit 64 bits.
const WHOLE_DIGITS_MAX: i64 = 18;

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberNotation {
    /// `1299.5`, `1.2e3`: digits and a decimal point, perhaps a sign and an exponent.
    Contract,
    /// `$1,299.50`: a decimal point; groups by comma, blank or apostrophe; currencies.
    Point,
    /// `1.299,50 $`: a decimal comma; groups by point, blank or apostrophe; currencies.
    Comma,
}

impl NumberNotation {
    /// What is asked where a column is not in the contract's form, the first of equals first.
    const CANDIDATES: [Self; 2] = [Self::Point, Self::Comma];

    /// The word for it in a mapping.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Contract => "contract",
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }

    /// The number in the contract's form. `None` when it is none in this form, or when it names a currency that is
    /// not the country's; without a country the dollars of either are read.
    pub fn plain(self, text: &str, country: Option<Country>) -> Option<Cow<'_, str>> {
        let text = text.trim();
        let plain = scan_contract(text);
        if plain.is_some_and(|found| self != Self::Comma || found.point.is_none()) {
            return Some(Cow::Borrowed(text));
        }
        let number = self.read(text)?;
        number.currency.is_of(country).then(|| Cow::Owned(number.to_string()))
    }

    /// Whether it is a number of this form with sign or code of another currency than the country's. The contract's
    /// form knows no currencies.
    pub fn names_other_currency(self, text: &str, country: Option<Country>) -> bool {
        self.read(text.trim()).is_some_and(|number| !number.currency.is_of(country))
    }

    /// The number in a trimmed text, with any currency. None in the contract's form: that is read without taking
    /// numbers apart.
    fn read(self, text: &str) -> Option<Number<'_>> {
        let decimal = match self {
            Self::Contract => return None,
            Self::Point => '.',
            Self::Comma => ',',
        };
        let is_digit = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
        let (start, last) = (text.find(is_digit)?, text.rfind(is_digit)?);
        let (before, body, behind) = (&text[..start], &text[start..=last], &text[last + 1..]);
        let (negative, before) = take_sign(before)?;
        let currency = match (before, behind) {
            ("", "") => Currency::Unnamed,
            _ => Currency::parse(before)?.and(Currency::parse(behind)?),
        };
        let (mantissa, exponent) = split_exponent(body)?;
        let shape = scan_grouped(mantissa, decimal)?;
        Some(Number { negative, mantissa, exponent, shape, currency })
    }
}

impl fmt::Display for NumberNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contract => "digits with a decimal point",
            Self::Point => "decimal point, groups of thousands",
            Self::Comma => "decimal comma",
        })
    }
}

impl FromStr for NumberNotation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        let notations = [Self::Point, Self::Comma, Self::Contract];
        notations.into_iter().find(|notation| notation.setting() == text).ok_or_else(|| UnknownNotation {
            text: text.to_owned(),
            what: "numbers",
            choice: "\"point\" (1,299.50), \"comma\" (1.299,50) or \"contract\" (1299.50)",
        })
    }
}

/// What the numbers of a column, or of several that are written alike, say of their form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberEvidence(Votes<2>);

impl NumberEvidence {
    /// Adds the value on `line`; empty ones say nothing.
    pub fn add(&mut self, text: &str, line: u64) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let contract = scan_contract(text);
        if contract.is_some_and(|shape| shape.point.is_none()) {
            return self.0.add_contract();
        }
        // Most prices: two decimals are no group.
        let may_be_grouped = contract.is_none_or(|shape| shape.decimals == GROUP_DIGITS);
        let point = match contract {
            Some(shape) => Some(Value::Contract(shape, text)),
            None => NumberNotation::Point.read(text).map(Value::Taken),
        };
        let comma = may_be_grouped.then(|| NumberNotation::Comma.read(text)).flatten().map(Value::Taken);
        let describe =
            |value: &Option<Value<'_>>| value.as_ref().map_or("not a number".to_owned(), Value::to_string);
        self.0.add(contract.is_some(), &[point, comma], (line, text), describe);
    }

    /// Adds what the values behind these say.
    pub fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
    }

    /// Whether every value so far has the contract's form.
    pub fn is_contract(&self) -> bool {
        self.0.is_contract()
    }

    /// The form of the column.
    ///
    /// # Errors
    /// When decimal point and comma read equally many values, but not all alike.
    pub fn decide(&self) -> Result<NumberNotation, Ambiguity> {
        match self.0.decide() {
            Ok(best) => Ok(best.map_or(NumberNotation::Contract, |best| NumberNotation::CANDIDATES[best])),
            Err((one, other, difference)) => {
                let [one, other] =
                    [one, other].map(|candidate| NumberNotation::CANDIDATES[candidate].setting());
                Err(difference.ambiguity(format!("decimal = \"{one}\" or \"{other}\"")))
            }
        }
    }
}

/// A text that is a number in some form.
struct Number<'a> {
    negative: bool,
    mantissa: &'a str,
    /// `e-3`, or nothing.
    exponent: &'a str,
    shape: Shape,
    currency: Currency,
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        let (whole, decimals) = match self.shape.point {
            Some(at) => (&self.mantissa[..at], Some(&self.mantissa[at + 1..])),
            None => (self.mantissa, None),
        };
        for group in whole.split(|letter: char| !letter.is_ascii_digit()) {
            f.write_str(group)?;
        }
        if let Some(decimals) = decimals {
            write!(f, ".{decimals}")?;
        }
        f.write_str(self.exponent)
    }
}

/// What a candidate reads in a value. Two of one text are equal when their numbers are: the digits are the same, so
/// that hangs on the decimals.
enum Value<'a> {
    Contract(Shape, &'a str),
    Taken(Number<'a>),
}

impl Value<'_> {
    const fn shape(&self) -> Shape {
        match self {
            Self::Contract(shape, _) => *shape,
            Self::Taken(number) => number.shape,
        }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (self.shape(), other.shape());
        one.decimals == other.decimals || (one.is_zero && other.is_zero)
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contract(_, text) => f.write_str(text),
            Self::Taken(number) => number.fmt(f),
        }
    }
}

/// What a mantissa looks like.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// Where its decimal mark stands, in bytes.
    point: Option<usize>,
    /// Digits behind the mark.
    decimals: usize,
    is_zero: bool,
}

/// Reads a trimmed text of the contract's form.
fn scan_contract(text: &str) -> Option<Shape> {
    let (mantissa, _) = split_exponent(text.strip_prefix(['+', '-']).unwrap_or(text))?;
    let (mut point, mut digits, mut is_zero) = (None, 0, true);
    for (at, byte) in mantissa.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                is_zero &= byte == b'0';
            }
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |at| mantissa.len() - at - 1);
    (digits > 0).then_some(Shape { point, decimals, is_zero })
}

/// Reads digits with a decimal mark, the whole part in groups of three or in none.
fn scan_grouped(mantissa: &str, decimal: char) -> Option<Shape> {
    let mut shape = Shape { point: None, decimals: 0, is_zero: true };
    // The digits since the last mark, and the kind of marks between groups.
    let (mut digits, mut any, mut group) = (0, false, None);
    for (at, letter) in mantissa.char_indices() {
        if letter.is_ascii_digit() {
            digits += 1;
            any = true;
            shape.is_zero &= letter == '0';
        } else if shape.point.is_some() || (group.is_some() && digits != GROUP_DIGITS) {
            return None;
        } else if letter == decimal {
            shape.point = Some(at);
            digits = 0;
        } else {
            let kind = kind_of_group(letter)?;
            if !(1..=GROUP_DIGITS).contains(&digits) || group.is_some_and(|group| group != kind) {
                return None;
            }
            group = Some(kind);
            digits = 0;
        }
    }
    match shape.point {
        Some(_) => shape.decimals = digits,
        None if group.is_some() && digits != GROUP_DIGITS => return None,
        None => {}
    }
    any.then_some(shape)
}

/// What may stand between groups, each kind by its first letter. The decimal mark is looked for before.
const fn kind_of_group(letter: char) -> Option<char> {
    match letter {
        '.' | ',' | ' ' => Some(letter),
        '\u{a0}' | '\u{202f}' | '\u{2009}' => Some('\u{a0}'),
        '\'' | '\u{2019}' => Some('\''),
        _ => None,
    }
}

/// Takes a sign off what stands before a number, from either end of it.
fn take_sign(before: &str) -> Option<(bool, &str)> {
    let before = before.trim();
    let signs = ['+', '-'];
    let rest = before.strip_prefix(signs).or_else(|| before.strip_suffix(signs)).unwrap_or(before);
    (!rest.contains(signs)).then_some((before.contains('-'), rest))
}

/// Parts `12.5e-3` into `12.5` and `e-3`; `None` when the exponent has no digits.
fn split_exponent(text: &str) -> Option<(&str, &str)> {
    let Some(at) = text.bytes().position(|byte| matches!(byte, b'e' | b'E')) else { return Some((text, "")) };
    let (mantissa, exponent) = text.split_at(at);
    let digits = exponent[1..].strip_prefix(['+', '-']).unwrap_or(&exponent[1..]);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some((mantissa, exponent))
}

/// A number of the contract's form times 10^`places`, cut to a whole number. `None` when it is none, or does not fit.
pub(super) fn scaled(text: &str, places: i64) -> Option<i64> {
    let shape = scan_contract(text)?;
    if shape.is_zero {
        return Some(0);
    }
    let negative = text.starts_with('-');
    let (mantissa, exponent) = split_exponent(text.strip_prefix(['+', '-']).unwrap_or(text))?;
    // An exponent beyond 64 bits is one of a number that does not fit, or of nothing.
    let exponent: i64 = match exponent.get(1..) {
        Some(digits) => digits.parse().unwrap_or(if digits.starts_with('-') { i64::MIN } else { i64::MAX }),
        None => 0,
    };
    let digits = || mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| i64::from(digit - b'0'));
    let zeros = digits().take_while(|&digit| digit == 0).count();
    let whole = (shape.point.unwrap_or(mantissa.len()) as i64 - zeros as i64).saturating_add(places);
    let whole = whole.saturating_add(exponent).max(0);
    if whole > WHOLE_DIGITS_MAX {
        return None;
    }
    let padded = digits().skip(zeros).chain(std::iter::repeat(0)).take(whole as usize);
    let value = padded.fold(0, |sum, digit| sum * 10 + digit);
    Some(if negative { -value } else { value })
}
