//! Entities of HTML in texts, which feeds and scrapers leave in names.

use std::borrow::Cow;
use std::num::IntErrorKind;

use html_escape::NAMED_ENTITIES;
use memchr::memchr;

/// Longest name of an entity, in bytes.
const NAME_BYTES_MAX: usize = 32;

/// The text with its entities decoded once; `None` where it holds none. A no-break space becomes a blank.
pub(super) fn decoded(text: &str) -> Option<String> {
    memchr(b'&', text.as_bytes())?;
    let (mut out, mut rest, mut is_changed) = (String::with_capacity(text.len()), text, false);
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(NAME_BYTES_MAX).position(|byte| byte == b';');
        if let Some((end, text)) = end.and_then(|end| Some((end, text_of(&after[..end])?))) {
            out.push_str(&text);
            rest = &after[end + 1..];
            is_changed = true;
        } else {
            out.push('&');
            rest = after;
        }
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// The text of an entity.
fn text_of(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        let at = NAMED_ENTITIES.binary_search_by_key(&name.as_bytes(), |(known, _)| known).ok()?;
        let text = NAMED_ENTITIES[at].1;
        return Some(if text == "\u{a0}" { " " } else { text }.into());
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if digits.is_empty() || !is_number {
        return None;
    }
    // A number too large for an integer is that of no character either.
    let code = match u32::from_str_radix(digits, radix) {
        Ok(code) => code,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => u32::MAX,
        Err(_) => return None,
    };
    Some(match code {
        0xa0 => " ".into(),
        // HTML reads these as Windows-1252.
        0x80..0xa0 => {
            encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.into_owned().into()
        }
        _ => {
            let character = char::from_u32(code).filter(|character| *character != '\0');
            character.unwrap_or(char::REPLACEMENT_CHARACTER).to_string().into()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once() {
        for (text, expected) in [
            ("Ben &amp; Jerry&#39;s", "Ben & Jerry's"),
            ("Food &gt; Ice&nbsp;Cream", "Food > Ice Cream"),
            ("&amp;lt;", "&lt;"),
            ("Caf&eacute; &#x201C;a&#8221; &#146;", "Café “a” ’"),
            ("a&#0;b&#xD800;c&#x110000;", "a\u{fffd}b\u{fffd}c\u{fffd}"),
            ("&#160;&#xA0;x", "  x"),
            ("B&oelig;uf &OElig; &Yuml; &alpha;&circ;", "Bœuf Œ Ÿ αˆ"),
            ("&#x110000;&#99999999999;&#0;", "\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn keeps_text_that_is_not_an_entity() {
        for text in ["A&W; B", "AT&T", "R&D & more;", "&;", "&#;", "&#+1;", "&unheardof;", "é&é;"] {
            assert_eq!(decoded(text), None, "{text}");
        }
        assert_eq!(decoded("AT&T &amp; more").as_deref(), Some("AT&T & more"));
    }
}
