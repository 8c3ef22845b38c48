//! How numbers and dates are written in a file: every value is evidence, the form that reads most of them wins.

use super::day;
use super::frac::Frac;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberNotation {
    Contract,
    Point,
    Comma,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateNotation {
    Contract,
    Ymd,
    Dmy,
    Mdy,
}

/// Whose money a number says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Money {
    Unsaid,
    Us,
    Ca,
    Other,
}

impl Money {
    pub fn is_of(self, country: &str) -> bool {
        match self {
            Money::Unsaid => true,
            Money::Us => country == "us",
            Money::Ca => country == "ca",
            Money::Other => false,
        }
    }
}

/// Values that two forms read equally often, but not alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    pub line: usize,
    pub value: String,
    /// What to set.
    pub settings: String,
    /// Of dates that both forms read: what they are, in words.
    pub readings: Option<[String; 2]>,
}

fn all_digits(s: &str) -> bool {
    s.bytes().all(|b| b.is_ascii_digit())
}

/// `-1299.5e3`: as (sign and digits, decimals, exponent).
fn is_contract_number(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let some = format!("{whole}{part}").len() * exponent.len() > 0;
    some && all_digits(whole) && all_digits(part) && all_digits(exponent)
}

/// A value as text of the contract's form, and whose money it is.
pub fn number(form: NumberNotation, text: &str) -> Option<(String, Money)> {
    let text = text.trim();
    let plain = is_contract_number(text);
    let decimal = match form {
        NumberNotation::Contract | NumberNotation::Point if plain => {
            return Some((text.to_string(), Money::Unsaid));
        }
        NumberNotation::Comma if plain && !text.contains('.') => {
            return Some((text.to_string(), Money::Unsaid));
        }
        NumberNotation::Contract => return None,
        NumberNotation::Point => '.',
        NumberNotation::Comma => ',',
    };
    let first = text.find(|c: char| c.is_ascii_digit() || c == decimal)?;
    let last = text.rfind(|c: char| c.is_ascii_digit() || c == decimal)?;
    let (before, after) = (&text[..first], &text[last + 1..]);
    let minus = before.matches('-').count();
    let money = match (money(&before.replacen('-', "", 1))?, money(after)?) {
        (one, Money::Unsaid) | (Money::Unsaid, one) => one,
        (one, other) if one == other => one,
        _ => Money::Other,
    };
    let body = &text[first..=last];
    let (whole, part) = body.split_once(decimal).unwrap_or((body, ""));
    let whole = ungrouped(whole, decimal)?;
    if minus > 1 || !all_digits(part) || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    let sign = if minus == 1 { "-" } else { "" };
    let point = if part.is_empty() { "" } else { "." };
    Some((format!("{sign}{whole}{point}{part}"), money))
}

/// Digits, or groups of three of them behind a shorter one, all parted alike.
fn ungrouped(whole: &str, decimal: char) -> Option<String> {
    if all_digits(whole) {
        return Some(whole.to_string());
    }
    let kinds: [&[char]; 4] = [
        if decimal == '.' { &[','] } else { &['.'] },
        &[' '],
        &['\u{a0}', '\u{202f}', '\u{2009}'],
        &['\'', '\u{2019}'],
    ];
    kinds.into_iter().find_map(|kind| {
        let groups: Vec<&str> = whole.split(kind).collect();
        let sound = groups
            .iter()
            .enumerate()
            .all(|(i, g)| all_digits(g) && if i == 0 { (1..=3).contains(&g.len()) } else { g.len() == 3 });
        sound.then(|| groups.concat())
    })
}

/// What stands beside a number: nothing, `$`, a country's or currency's code, or both joined.
fn money(beside: &str) -> Option<Money> {
    let word: String = beside.to_uppercase().split_whitespace().collect();
    let bare = word.strip_prefix('$').or(word.strip_suffix('$')).unwrap_or(&word);
    match bare {
        "" => Some(Money::Unsaid),
        "US" | "USD" => Some(Money::Us),
        "CA" | "CAD" => Some(Money::Ca),
        "€" | "£" | "¥" | "EUR" | "GBP" | "MXN" | "JPY" => Some(Money::Other),
        _ => None,
    }
}

/// The form of the numbers of a file's columns that are written alike; `values` with their lines.
pub fn number_form(values: &[(usize, &str)]) -> Result<NumberNotation, Doubt> {
    if values.iter().all(|(_, v)| is_contract_number(v.trim())) {
        return Ok(NumberNotation::Contract);
    }
    let reads = |form| values.iter().filter(|(_, v)| number(form, v).is_some()).count();
    let (contract, point, comma) =
        (reads(NumberNotation::Contract), reads(NumberNotation::Point), reads(NumberNotation::Comma));
    if contract >= point.max(comma) {
        return Ok(NumberNotation::Contract);
    }
    if point != comma {
        return Ok(if point > comma { NumberNotation::Point } else { NumberNotation::Comma });
    }
    let worth = |form, v: &str| number(form, v).map(|(text, money)| (exact(&text), money == Money::Other));
    match values.iter().find(|(_, v)| worth(NumberNotation::Point, v) != worth(NumberNotation::Comma, v)) {
        None => Ok(NumberNotation::Point),
        Some((line, value)) => Err(Doubt {
            line: *line,
            value: value.trim().to_string(),
            settings: "decimal = \"point\" or \"comma\"".into(),
            readings: None,
        }),
    }
}

/// Digits without the zeros that change nothing, for comparison.
fn exact(text: &str) -> (bool, String, String) {
    let digits = text.trim_start_matches(['-', '+']);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let zero = whole.is_empty() && part.is_empty();
    (text.starts_with('-') && !zero, whole.to_string(), part.to_string())
}

/// UTC seconds of a value.
pub fn moment(form: DateNotation, text: &str) -> Option<i64> {
    let text = text.trim();
    if let Some((seconds, _)) = day::parse_moment(text) {
        return Some(seconds);
    }
    let (today, rest) = match form {
        DateNotation::Contract => return None,
        DateNotation::Ymd => year_first(text)?,
        DateNotation::Dmy => year_last(text, false).or_else(|| named(text))?,
        DateNotation::Mdy => year_last(text, true).or_else(|| named(text))?,
    };
    if rest.is_empty() {
        return Some(today * 86_400);
    }
    Some(today * 86_400 + clock(rest.strip_prefix(['T', ' '])?.trim())?)
}

fn real(y: i64, m: i64, d: i64) -> Option<i64> {
    let day = (1..=12).contains(&m).then(|| day::from_civil(y, m, d))?;
    (day::civil(day) == (y, m, d)).then_some(day)
}

/// The digits that a text begins with, and what is left.
fn leading(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Three numbers parted by one of `- / .`, each with its count of digits, and what is left.
fn three(text: &str) -> Option<([(usize, i64); 3], &str)> {
    let mut parts = [(0, 0); 3];
    let (mut rest, mut mark) = (text, None);
    for (i, part) in parts.iter_mut().enumerate() {
        if i > 0 {
            let next = rest.chars().next().filter(|c| "-/.".contains(*c))?;
            if *mark.get_or_insert(next) != next {
                return None;
            }
            rest = &rest[1..];
        }
        let (digits, behind) = leading(rest);
        *part = (digits.len(), digits.parse().ok()?);
        rest = behind;
    }
    Some((parts, rest))
}

fn year_first(text: &str) -> Option<(i64, &str)> {
    let (digits, rest) = leading(text);
    if digits.len() == 8 {
        let n: i64 = digits.parse().ok()?;
        return Some((real(n / 10_000, n / 100 % 100, n % 100)?, rest));
    }
    let ([(4, y), (1 | 2, m), (1 | 2, d)], rest) = three(text)? else { return None };
    Some((real(y, m, d)?, rest))
}

fn year_last(text: &str, month_first: bool) -> Option<(i64, &str)> {
    let ([(1 | 2, a), (1 | 2, b), (4, y)], rest) = three(text)? else { return None };
    let (m, d) = if month_first { (a, b) } else { (b, a) };
    Some((real(y, m, d)?, rest))
}

/// `October 31, 2026`, `31-Oct-2026`: the name says which is the month.
fn named(text: &str) -> Option<(i64, &str)> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let (mut y, mut m, mut d) = (None, None, None);
    let mut rest = text;
    for i in 0..3 {
        if i > 0 {
            rest = rest.trim_start_matches([' ', ',', '-', '/', '.']);
        }
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (digits, _) = leading(rest);
        let word = rest[..letters].to_lowercase();
        match (letters, digits.len()) {
            (3.., 0) => {
                m = MONTHS.iter().position(|name| *name == word || name[..3] == word).map(|i| i as i64 + 1)
            }
            (0, 4) => y = digits.parse().ok(),
            (0, 1 | 2) => d = digits.parse().ok(),
            _ => return None,
        }
        rest = &rest[letters.max(digits.len())..];
    }
    Some((real(y?, m?, d?)?, rest))
}

/// Seconds after midnight UTC of `H:MM[:SS]`, `AM`, `PM`, `Z` or an offset.
fn clock(text: &str) -> Option<i64> {
    let upper = text.to_uppercase();
    let (upper, offset) = match upper.len().checked_sub(6).and_then(|at| upper.split_at_checked(at)) {
        Some((time, zone)) if zone.starts_with(['+', '-']) && zone.get(3..4) == Some(":") => {
            let seconds = zone[1..3].parse::<i64>().ok()? * 3600 + zone[4..].parse::<i64>().ok()? * 60;
            (time.to_string(), if zone.starts_with('-') { -seconds } else { seconds })
        }
        _ => (upper.strip_suffix('Z').unwrap_or(&upper).to_string(), 0),
    };
    let (digits, half) =
        match upper.strip_suffix("AM").map(|t| (t, 0)).or(upper.strip_suffix("PM").map(|t| (t, 12))) {
            Some((time, half)) => (time.trim().to_string(), Some(half)),
            None => (upper.trim().to_string(), None),
        };
    let parts: Vec<&str> = digits.split(':').collect();
    if !(2..=3).contains(&parts.len()) || parts.iter().any(|p| p.is_empty() || p.len() > 2 || !all_digits(p))
    {
        return None;
    }
    let n: Vec<i64> = parts.iter().map(|p| p.parse().expect("digits")).collect();
    let hour = match half {
        Some(half) if (1..=12).contains(&n[0]) => n[0] % 12 + half,
        Some(_) => return None,
        None => n[0],
    };
    let second = n.get(2).copied().unwrap_or(0);
    let sound = hour <= 23 && n[1] <= 59 && second <= 59 && parts[1].len() == 2;
    sound.then_some(hour * 3600 + n[1] * 60 + second - offset)
}

/// The form of the dates of a file; `values` with their lines.
pub fn date_form(values: &[(usize, &str)]) -> Result<DateNotation, Doubt> {
    use DateNotation::{Contract, Dmy, Mdy, Ymd};
    if values.iter().all(|(_, v)| moment(Contract, v).is_some()) {
        return Ok(Contract);
    }
    let readings: Vec<[Option<i64>; 4]> =
        values.iter().map(|(_, v)| [Contract, Ymd, Dmy, Mdy].map(|form| moment(form, v))).collect();
    let counts: Vec<usize> = (0..4).map(|i| readings.iter().filter(|r| r[i].is_some()).count()).collect();
    let most = *counts.iter().max().expect("four");
    if counts[0] == most {
        return Ok(Contract);
    }
    let best: Vec<usize> = (1..4).filter(|i| counts[*i] == most).collect();
    let differ = |r: &[Option<i64>; 4]| {
        best.iter().find_map(|i| best.iter().find(|j| j > &i && r[*i] != r[**j]).map(|j| (*i, *j)))
    };
    let first = readings.iter().enumerate().find_map(|(at, r)| differ(r).map(|pair| (at, pair)));
    let Some((at, (i, j))) = first else { return Ok([Contract, Ymd, Dmy, Mdy][best[0]]) };
    let word = |i: usize| ["contract", "YMD", "DMY", "MDY"][i];
    let said = |i: usize| readings[at][i].map(in_words);
    Err(Doubt {
        line: values[at].0,
        value: values[at].1.trim().to_string(),
        settings: format!("dates = \"{}\" or \"{}\"", word(i), word(j)),
        readings: said(i).zip(said(j)).map(|(a, b)| [a, b]),
    })
}

/// `1 February`.
fn in_words(seconds: i64) -> String {
    let (_, m, d) = day::civil(seconds.div_euclid(86_400));
    format!("{d} {}", day::MONTHS[m as usize - 1])
}

/// Decimal text to (cents half up, whether it is above 10,000,000). `None` is no number.
pub fn cents(text: &str) -> Option<(i64, bool)> {
    let text = text.trim().to_lowercase();
    let (mantissa, exponent) = match text.split_once('e') {
        Some((m, e)) => (m, e.parse::<i32>().ok()?),
        None => (text.as_str(), 0),
    };
    let (negative, number) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || all.len() > 30 || !all_digits(&all) || exponent.abs() > 30 {
        return None;
    }
    let digits: i128 = all.parse().ok()?;
    let shift = exponent - part.len() as i32;
    if digits != 0 && (shift > 5 || all.trim_start_matches('0').len() as i32 + shift > 12) {
        return Some((i64::MAX, true));
    }
    let value = if shift >= 0 {
        Frac::int(digits * 10i128.pow(shift as u32))
    } else {
        Frac::new(digits, 10i128.checked_pow(shift.unsigned_abs())?)
    };
    let value = if negative { Frac::new(-value.n, value.d) } else { value };
    Some((value.times(100).half_up() as i64, Frac::int(10_000_000i64).less(value)))
}
