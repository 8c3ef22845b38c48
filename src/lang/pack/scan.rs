//! The cursor under [`parse`](super::parse()): numbers that stand alone, and the units behind them.
//!
//! Every function takes a byte offset and gives the one where it ended, so nothing is copied or allocated.

use super::Unit;
use crate::lang::lexicon::{Kind, lexicon};

/// Digits of one number; more is an article number.
const DIGITS_MAX: usize = 7;

/// Units of time: a quantity over one of them is a rate.
const PER_TIME: [&str; 7] = ["s", "sec", "min", "h", "hr", "hour", "day"];

/// What a unit makes of the number before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// So much of something.
    Measure(Unit),
    /// So many pieces.
    Pieces,
    /// So many pieces, where it is no part of a model number.
    Each,
    /// So many packs of whatever stands beside it.
    Packs,
}

impl Word {
    /// Reads a word in lower case.
    fn read(word: &str) -> Option<Self> {
        Some(match lexicon().canonical(Kind::PackUnit, word)? {
            "ct" => Self::Pieces,
            "each" => Self::Each,
            "pack" => Self::Packs,
            unit => Self::Measure(Unit::ALL.into_iter().find(|known| known.as_str() == unit)?),
        })
    }
}

/// A number as printed, `num / den`.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) num: u32,
    pub(super) den: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Number {
    /// It as a whole number.
    pub(super) fn whole(self) -> Option<u32> {
        self.num.is_multiple_of(self.den).then(|| self.num / self.den)
    }
}

/// A name and its bytes.
pub(super) struct Scanner<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a [u8],
    /// Whether it has a letter in lower case.
    pub(super) has_lower_case: bool,
}

impl Scanner<'_> {
    /// Whether a number begins here that is no part of a word, a model number, a range or a price.
    pub(super) fn stands_alone(&self, at: usize, last_end: usize) -> bool {
        let Some(before) = self.before(at) else { return true };
        match before {
            '$' | '#' | '€' | '£' | '.' => false,
            '-' | '/' => at - 1 == last_end || self.may_precede(at - 1, before),
            _ => !before.is_alphanumeric(),
        }
    }

    /// Whether the word before a hyphen or slash leaves the number after it alone: model numbers hold
    /// digits, or few letters and a hyphen.
    pub(super) fn may_precede(&self, at: usize, mark: char) -> bool {
        let token = self.text[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric());
        let (mut letters, mut digits) = (0, 0);
        token.for_each(|byte| if byte.is_ascii_digit() { digits += 1 } else { letters += 1 });
        let aperture = mark == '/' && letters == 1 && matches!(self.text[at - 1], b'f' | b'F');
        // "CFR-012": nobody pads a quantity behind a hyphen.
        let padded = mark == '-' && self.byte(at + 1) == Some(b'0') && self.digits(at + 1) > at + 2;
        digits == 0 && !aperture && !padded && (mark == '/' || letters == 0 || letters >= 3)
    }

    /// The number at `at`: digits with a decimal point or comma, thousands, a fraction, a mixed fraction.
    pub(super) fn number(&self, at: usize) -> Option<Number> {
        let whole = self.digits(at);
        let mut number = Number { num: self.value(at, whole)?, den: 1, start: at, end: whole };
        if whole == at && self.byte(at) != Some(b'.') {
            return None;
        }
        match self.byte(whole) {
            Some(mark @ (b'.' | b',')) => {
                let end = self.digits(whole + 1);
                let decimals = end - whole - 1;
                if decimals > 0 {
                    let thousands = mark == b',' && decimals == 3;
                    if (mark == b',' && !thousands && decimals > 2) || self.byte(end) == Some(b'.') {
                        return None;
                    }
                    let power = 10_u32.checked_pow(decimals as u32)?;
                    let part = self.value(whole + 1, end)?;
                    number.num = number.num.checked_mul(power)?.checked_add(part)?;
                    number.den = if thousands { 1 } else { power };
                    number.end = end;
                } else if whole == at {
                    return None;
                }
            }
            Some(b'/') => match self.fraction(number.num, whole) {
                Some((num, den, end)) => number = Number { num, den, start: at, end },
                // "12/18" is two numbers, and neither of them is the one that the unit belongs to.
                None if self.digits(whole + 1) > whole + 1 => return None,
                None => {}
            },
            Some(b' ' | b'-') => {
                let next = self.digits(whole + 1);
                let part = self.value(whole + 1, next).filter(|_| next > whole + 1);
                if let Some((num, den, end)) = part.and_then(|part| self.fraction(part, next)) {
                    let num = number.num.checked_mul(den)?.checked_add(num)?;
                    number = Number { num, den, start: at, end };
                }
            }
            _ => {}
        }
        (number.num > 0).then_some(number)
    }

    /// A proper fraction as kitchens know them, with the cursor at its slash.
    pub(super) fn fraction(&self, num: u32, slash: usize) -> Option<(u32, u32, usize)> {
        let end = self.digits(slash + 1);
        let den = self.value(slash + 1, end)?;
        let kitchen = self.byte(slash) == Some(b'/') && matches!(den, 2 | 3 | 4 | 8) && num < den;
        kitchen.then_some((num, den, end))
    }

    /// The unit after a number that ends at `at`, and where it ends. Blanks or one hyphen may lie between.
    pub(super) fn unit(&self, at: usize) -> Option<(Word, usize)> {
        let start = if self.byte(at) == Some(b'-') { at + 1 } else { self.blanks(at) };
        let mut end = self.letters(start);
        let times = self.digits(end);
        if times > end && !self.glued(times) && matches!(self.text[end - 1], b'x' | b'X') {
            end -= 1;
        } else if self.glued(end) {
            return None;
        }
        let word = self.name.get(start..end).filter(|word| !word.is_empty())?;
        let (unit, end) = if ["fl", "fluid"].iter().any(|fluid| word.eq_ignore_ascii_case(fluid)) {
            let dot = end + usize::from(self.byte(end) == Some(b'.'));
            (Word::Measure(Unit::FlOz), self.word(self.blanks(dot), &["oz", "ounce", "ounces"])?)
        } else {
            (Word::read(&word.to_ascii_lowercase())?, end)
        };
        // "G+" is a label and "L/min" a rate.
        (!self.is_rate(end) && self.byte(end) != Some(b'+')).then_some((unit, end))
    }

    /// Whether the letters that ended at `end` go on as a rate: `10 L/min`.
    pub(super) fn is_rate(&self, end: usize) -> bool {
        self.byte(end) == Some(b'/') && self.word(end + 1, &PER_TIME).is_some()
    }

    /// The number after a multiplication sign, as in `12 x 355 mL`, when the text goes on with one. An asterisk that
    /// leans on the word before, and not on the number, is a mark of a footnote: `500 ml* 2 servings`.
    pub(super) fn times(&self, at: usize) -> Option<usize> {
        let sign = self.blanks(at);
        let after = match self.text.get(sign..)? {
            [b'x' | b'X', ..] => sign + 1,
            [0xC3, 0x97, ..] => sign + 2,
            [b'*', ..] if sign > at || self.byte(sign + 1) != Some(b' ') => sign + 1,
            _ => return None,
        };
        let next = self.blanks(after);
        let digit = |at| self.byte(at).is_some_and(|byte| byte.is_ascii_digit());
        (digit(next) || (self.byte(next) == Some(b'.') && digit(next + 1))).then_some(next)
    }

    /// Past what begins at `at`: a whole run of digits and points, or one byte.
    pub(super) fn skip(&self, at: usize) -> usize {
        if !self.text[at].is_ascii_digit() {
            return at + 1;
        }
        let run = self.text[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.');
        at + run.count()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.name.get(..at)?.chars().next_back()
    }

    /// Whether the text goes on with a letter or digit, so that what ended at `at` was no whole word.
    pub(super) fn glued(&self, at: usize) -> bool {
        self.name.get(at..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
    }

    pub(super) fn run(&self, at: usize, of: impl Fn(&u8) -> bool) -> usize {
        at + self.text.get(at..).unwrap_or_default().iter().take_while(|byte| of(byte)).count()
    }

    pub(super) fn digits(&self, at: usize) -> usize {
        self.run(at, u8::is_ascii_digit)
    }

    pub(super) fn letters(&self, at: usize) -> usize {
        self.run(at, u8::is_ascii_alphabetic)
    }

    pub(super) fn blanks(&self, at: usize) -> usize {
        self.run(at, |byte| *byte == b' ')
    }

    /// The end of one of the words, when it stands at `at` as a whole word.
    pub(super) fn word(&self, at: usize, words: &[&str]) -> Option<usize> {
        let end = self.letters(at);
        let word = self.name.get(at..end)?;
        (words.iter().any(|known| word.eq_ignore_ascii_case(known)) && !self.glued(end)).then_some(end)
    }

    /// The digits between two places as a number; none of them is 0.
    pub(super) fn value(&self, from: usize, to: usize) -> Option<u32> {
        let digits = self.text.get(from..to).filter(|digits| digits.len() <= DIGITS_MAX)?;
        Some(digits.iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')))
    }
}
