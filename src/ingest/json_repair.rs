//! Repairs of JSON that common writers produce and no parser takes as it stands.

use memchr::memchr;

/// Most digits of a number that a parser holds exactly.
const DIGITS_MAX: usize = 18;
/// Tokens that writers put where a number is missing.
const MISSING_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
/// Bytes of an escape `\u00e9`.
const ESCAPE_BYTES: usize = 6;

/// Reads a line with `parse`, which may overwrite its copy, and again with repaired numbers where that fails. Returns what
/// was read and the number of escapes that were replaced.
pub(super) fn parse_repaired<T>(
    line: &[u8],
    mut parse: impl FnMut(&mut [u8]) -> Option<T>,
) -> Option<(T, u64)> {
    let mut attempt = |mut json: Vec<u8>| {
        let replaced = replace_unpaired(&mut json);
        Some((parse(&mut json)?, replaced))
    };
    attempt(line.to_vec()).or_else(|| attempt(with_repaired_numbers(line)?))
}

/// Replaces escapes that stand for no character (`\u0000`, and a surrogate without its other half) by that of U+FFFD, and
/// returns their number.
fn replace_unpaired(json: &mut [u8]) -> u64 {
    let (mut replaced, mut at) = (0, 0);
    while let Some(step) = json.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        at += step;
        let Some(unit) = code_unit(json, at) else {
            at += 2;
            continue;
        };
        let is_low = |unit| (0xdc00..0xe000).contains(&unit);
        let is_pair =
            (0xd800..0xdc00).contains(&unit) && code_unit(json, at + ESCAPE_BYTES).is_some_and(is_low);
        if is_pair {
            at += ESCAPE_BYTES;
        } else if unit == 0 || (0xd800..0xe000).contains(&unit) {
            json[at + 2..at + ESCAPE_BYTES].copy_from_slice(b"fffd");
            replaced += 1;
        }
        at += ESCAPE_BYTES;
    }
    replaced
}

/// The code unit of an escape at a place.
fn code_unit(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The JSON with null for `NaN`, `Infinity` and `-Infinity` outside of texts, and with texts for numbers that are too large
/// for a parser; `None` where it holds none of them.
fn with_repaired_numbers(json: &[u8]) -> Option<Vec<u8>> {
    let (mut repaired, mut at, mut in_text, mut is_changed) =
        (Vec::with_capacity(json.len()), 0, false, false);
    while let Some(&byte) = json.get(at) {
        let rest = &json[at..];
        let token = MISSING_NUMBERS.iter().find(|token| !in_text && rest.starts_with(token));
        if let Some(token) = token {
            repaired.extend_from_slice(b"null");
            is_changed = true;
            at += token.len();
            continue;
        }
        let number = if in_text { 0 } else { number_len(rest) };
        if number > 0 {
            let (number, is_large) = (&rest[..number], is_large(&rest[..number]));
            let quote: &[u8] = if is_large { b"\"" } else { b"" };
            repaired.extend([quote, number, quote].concat());
            is_changed |= is_large;
            at += number.len();
            continue;
        }
        in_text ^= byte == b'"';
        let taken = if in_text && byte == b'\\' { rest.len().min(2) } else { 1 };
        repaired.extend_from_slice(&rest[..taken]);
        at += taken;
    }
    is_changed.then_some(repaired)
}

/// Length of the number that bytes begin with.
fn number_len(bytes: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    let is_number = matches!(bytes, [b'-', b'0'..=b'9', ..] | [b'0'..=b'9', ..]);
    if is_number { bytes.iter().take_while(is_part).count() } else { 0 }
}

/// Whether a number has more digits than a parser holds, or is beyond the range of floats.
fn is_large(number: &[u8]) -> bool {
    let value = std::str::from_utf8(number).ok().and_then(|text| text.parse::<f64>().ok());
    value.is_some_and(|value| !value.is_finite() || number.len() > DIGITS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_without_a_character_become_the_replacement_character() {
        for (json, expected, count) in [
            (r#""a \u0000 b""#, r#""a \ufffd b""#, 1),
            (r#""\ud83d""#, r#""\ufffd""#, 1),
            (r#""\ude00 \ud83d\ude00""#, r#""\ufffd \ud83d\ude00""#, 1),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#, 1),
            (r#""\\u0000 \u0041 \uD83D\n""#, r#""\\u0000 \u0041 \ufffd\n""#, 1),
            (r#""\u00"#, r#""\u00"#, 0),
            ("\\", "\\", 0),
        ] {
            let mut text = json.as_bytes().to_vec();
            assert_eq!(replace_unpaired(&mut text), count, "{json}");
            assert_eq!(String::from_utf8(text).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn missing_numbers_are_null_outside_of_texts() {
        let repaired =
            |json: &str| with_repaired_numbers(json.as_bytes()).map(|json| String::from_utf8(json).unwrap());
        assert_eq!(
            repaired(r#"{"NaN": NaN, "a": [-Infinity, Infinity], "b\"NaN": "NaN"}"#).as_deref(),
            Some(r#"{"NaN": null, "a": [null, null], "b\"NaN": "NaN"}"#)
        );
        assert_eq!(repaired(r#"{"a": "NaN \\", "b": 1}"#), None);
        assert_eq!(
            repaired(r#"{"a": 12345678901234567890123, "b1": 1e999, "c": -4.99e0, "d": "1e999"}"#).as_deref(),
            Some(r#"{"a": "12345678901234567890123", "b1": "1e999", "c": -4.99e0, "d": "1e999"}"#)
        );
        assert_eq!(repaired(r#"{"a": 1-2-3, "b": 01e}"#), None);
        assert_eq!(repaired(r#"{"a": "\"#), None);
    }
}
