//! How deep JSON is nested, told without reading it: what reads it recurses.

use memchr::memchr2_iter;

/// Whether lists and objects lie in each other more than `most` deep.
pub(crate) fn is_deeper(json: &[u8], most: usize) -> bool {
    // Cheap, and enough for nearly every line: there are not that many.
    if memchr2_iter(b'[', b'{', json).count() <= most {
        return false;
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for &byte in json {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_and_beside_each_other_do_not_count() {
        for (json, depth) in [
            ("", 0),
            ("[]", 1),
            ("[[],[],{}]", 2),
            (r#"{"a": "[[[[", "b\"[[": [1]}"#, 2),
            (r#"["\\", [[0]]]"#, 3),
            ("]]]]{{{", 3),
        ] {
            assert!(!is_deeper(json.as_bytes(), depth), "{json}");
            assert!(depth == 0 || is_deeper(json.as_bytes(), depth - 1), "{json}");
        }
        assert!(is_deeper(&vec![b'['; 1 << 20], 64));
    }
}
