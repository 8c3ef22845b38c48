//! Packs in product names. Only plain wordings are read; everything else is murky, and then nothing that
//! rests on the pack is decided here.

use super::frac::Frac;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    Mass,
    Volume,
    Pieces,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Pack {
    pub dimension: Dimension,
    pub quantity: Frac,
    pub unit: String,
    pub count: i128,
    /// All of it in g, ml or pieces.
    pub total: Frac,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Reading {
    Clear(Option<Pack>),
    Murky,
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(Frac),
    Word(String),
}

fn tokens(name: &str) -> Option<Vec<Token>> {
    let chars: Vec<char> = name.to_lowercase().chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c.is_ascii_digit() {
            if i > 0 && (chars[i - 1].is_alphabetic() || chars[i - 1] == '.' || chars[i - 1] == ',') {
                return None;
            }
            let start = i;
            while i < chars.len()
                && (chars[i].is_ascii_digit()
                    || chars[i] == '.' && chars.get(i + 1).is_some_and(char::is_ascii_digit))
            {
                i += 1;
            }
            if matches!(chars.get(i), Some('%' | '"' | ',' | '/')) {
                return None;
            }
            let text: String = chars[start..i].iter().collect();
            let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
            if part.contains('.') || text.len() > 9 {
                return None;
            }
            let n: i128 = format!("{whole}{part}").parse().ok()?;
            out.push(Token::Number(Frac::new(n, 10i128.pow(part.len() as u32))));
        } else if c == '*' {
            // a sign between a quantity and its number
            out.push(Token::Word("x".into()));
            i += 1;
        } else if c.is_alphabetic() || c == '×' {
            let start = i;
            while i < chars.len() && (chars[i].is_alphabetic() || chars[i] == '×') {
                i += 1;
            }
            out.push(Token::Word(chars[start..i].iter().collect()));
        } else {
            i += 1;
        }
    }
    Some(out)
}

/// (dimension, g or ml or pieces per unit)
fn unit(word: &str, after: Option<&Token>) -> Option<(Dimension, String, Frac, usize)> {
    let f = |n: i128, d: i128| Frac::new(n, d);
    if word == "fl" && after == Some(&Token::Word("oz".into())) {
        return Some((Dimension::Volume, "fl oz".into(), f(295_735_295_625, 10_000_000_000), 2));
    }
    let (dimension, size) = match short(word) {
        "oz" => (Dimension::Mass, f(28_349_523_125, 1_000_000_000)),
        "lb" => (Dimension::Mass, f(45_359_237, 100_000)),
        "g" => (Dimension::Mass, f(1, 1)),
        "kg" => (Dimension::Mass, f(1000, 1)),
        "ml" => (Dimension::Volume, f(1, 1)),
        "cl" => (Dimension::Volume, f(10, 1)),
        "l" => (Dimension::Volume, f(1000, 1)),
        _ => return None,
    };
    Some((dimension, short(word).to_string(), size, 1))
}

/// The short form of a unit that is spelled in full.
fn short(word: &str) -> &str {
    match word {
        "ounce" | "ounces" => "oz",
        "pound" | "pounds" => "lb",
        "gram" | "grams" => "g",
        "litre" | "litres" | "liter" | "liters" => "l",
        other => other,
    }
}

/// `N word` and nothing else, the number whole.
fn said(part: &str) -> Option<(i128, String)> {
    match tokens(part)?.as_slice() {
        [Token::Number(n), Token::Word(word)] if n.d == 1 && n.n > 0 => Some((n.n, word.clone())),
        _ => None,
    }
}

/// What the last two parts between commas say where one of them is a number of packs or pieces and the other a
/// quantity or another number of pieces, with no word before it that could be part of it: whether the one is in the
/// other is open, so the name has several different packs, that is none; one piece of something is the thing itself.
fn beside(lower: &str) -> Option<Reading> {
    let parts: Vec<&str> = lower.split(',').map(str::trim).collect();
    let [rest @ .., left, right] = parts.as_slice() else { return None };
    if rest.iter().any(|part| part.contains(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let counts = |word: &str| matches!(word, "pack" | "packs" | "pk" | "ct" | "count" | "each");
    // a name may run on into the first of the two
    let at = left.find(|c: char| c.is_ascii_digit())?;
    let (left, right) = (said(&left[at..])?, said(right)?);
    let whole = |(n, word): &(i128, String)| -> Option<Pack> {
        if counts(word) {
            return Some(pieces(*n));
        }
        let (dimension, unit, size, _) = unit(word, None)?;
        let quantity = Frac::int(*n);
        Some(Pack { dimension, quantity, unit, count: 1, total: quantity.mul(size) })
    };
    let (a, b) = (whole(&left)?, whole(&right)?);
    match (counts(&left.1), counts(&right.1)) {
        (true, _) if left.0 == 1 => Some(Reading::Clear(Some(b))),
        (_, true) if right.0 == 1 => Some(Reading::Clear(Some(a))),
        (true, true) if left.0 == right.0 => Some(Reading::Clear(Some(a))),
        (true, _) | (_, true) => Some(Reading::Clear(None)),
        _ => None,
    }
}

fn pieces(n: i128) -> Pack {
    Pack {
        dimension: Dimension::Pieces,
        quantity: Frac::int(n),
        unit: String::new(),
        count: 1,
        total: Frac::int(n),
    }
}

pub fn read(name: &str) -> Reading {
    const UNIT_WORDS: [&str; 19] = [
        "oz", "fl", "g", "kg", "ml", "cl", "l", "lb", "lbs", "qt", "pt", "gal", "ct", "count", "each", "ea",
        "pk", "pack", "packs",
    ];
    let lower = name.to_lowercase();
    let mut letters = lower.split(|c: char| !c.is_alphabetic());
    // words of which a unit may be made out, spelled in full or run together with what follows
    const LONG: [&str; 10] =
        ["lit", "gram", "kilo", "pound", "ounce", "gall", "quart", "pint", "milli", "centi"];
    let run_together = |w: &str| UNIT_WORDS.iter().any(|u| w.strip_suffix('x') == Some(u));
    let may_be =
        |w: &str| UNIT_WORDS.contains(&w) || LONG.iter().any(|l| w.starts_with(l)) || run_together(w);
    if !letters.any(may_be) {
        return Reading::Clear(None);
    }
    // numbers of models, and what a serving holds
    let b = lower.as_bytes();
    let model =
        |i: usize| i >= 2 && b[i].is_ascii_digit() && b[i - 1] == b'-' && b[i - 2].is_ascii_alphabetic();
    if (0..b.len()).any(model) || lower.contains("protein") {
        return Reading::Murky;
    }
    if let Some(reading) = beside(&lower) {
        return reading;
    }
    let Some(t) = tokens(name) else { return Reading::Murky };
    let numbers = t.iter().filter(|x| matches!(x, Token::Number(_))).count();
    if numbers == 0 {
        return Reading::Clear(None);
    }
    let word = |i: usize| match t.get(i) {
        Some(Token::Word(w)) => w.as_str(),
        _ => "",
    };
    let number = |i: usize| match t.get(i) {
        Some(Token::Number(f)) => Some(*f),
        _ => None,
    };
    let at = t.iter().position(|x| matches!(x, Token::Number(_))).expect("counted");
    let whole = |f: Frac| (f.d == 1 && f.n >= 1).then_some(f.n);
    let first = number(at).expect("a number");
    if first.n == 0 {
        return Reading::Murky;
    }
    let single = |start: usize, count: i128, used: usize| -> Option<(Pack, usize)> {
        let q = number(start)?;
        let (dimension, unit, size, len) = unit(word(start + 1), t.get(start + 2))?;
        let total = q.mul(size).times(count);
        Some((Pack { dimension, quantity: q, unit, count, total }, used + 1 + len))
    };
    // count x quantity unit; quantity unit x count; count-pack of quantity unit
    let found = if let (Some(n), "x" | "×") = (whole(first), word(at + 1)) {
        single(at + 2, n, 1).filter(|_| numbers == 2).map(|(p, _)| p)
    } else if let (2, Some((p, 2)), "x" | "×", Some(n)) =
        (numbers, single(at, 1, 0), word(at + 2), number(at + 3).and_then(whole))
    {
        // the last thing that the name says
        t.get(at + 4).is_none().then(|| Pack { count: n, total: p.total.times(n), ..p })
    } else if let (Some(n), "pack", "of") = (whole(first), word(at + 1), word(at + 2)) {
        single(at + 3, n, 1).filter(|_| numbers == 2).map(|(p, _)| p)
    } else if numbers != 1 {
        None
    } else if at >= 2 && word(at - 1) == "of" && word(at - 2) == "pack" {
        let plain_end = t.get(at + 1).is_none();
        whole(first).filter(|_| plain_end).map(pieces)
    } else if matches!(word(at + 1), "ct" | "count" | "each" | "pk" | "pack") && word(at + 2) != "of" {
        whole(first).map(pieces)
    } else {
        single(at, 1, 0).map(|(p, _)| p)
    };
    match found {
        Some(p) => Reading::Clear(Some(p)),
        None => Reading::Murky,
    }
}

impl Pack {
    /// (price with 4 decimals, per)
    pub fn unit_price(&self, cents: i64, country: &str) -> (f64, &'static str) {
        let (price, per) = self.exact_unit_price(cents, country);
        (price.times(10_000).half_up() as f64 / 10_000.0, per)
    }

    /// The same, not rounded.
    pub fn exact_unit_price(&self, cents: i64, country: &str) -> (Frac, &'static str) {
        let (size, per) = match (self.dimension, country) {
            (Dimension::Mass, "ca") => (Frac::int(100), "100 g"),
            (Dimension::Volume, "ca") => (Frac::int(100), "100 ml"),
            (Dimension::Mass, _) => (Frac::new(28_349_523_125, 1_000_000_000), "oz"),
            (Dimension::Volume, _) => (Frac::new(295_735_295_625, 10_000_000_000), "fl oz"),
            (Dimension::Pieces, _) => (Frac::int(1), "piece"),
        };
        (Frac::new(i128::from(cents), 100).mul(size).div(self.total), per)
    }
}
