//! How deep JSON is nested, told without reading it: what reads it recurses.

use std::io::{self, Read};

use memchr::memchr2_iter;

use crate::ingest::limits::JSON_DEPTH_MAX;

/// Bytes of the longest text or number in a stream of JSON.
pub(crate) const JSON_TOKEN_BYTES_MAX: usize = 1 << 20;

/// Whether lists and objects lie in each other more than `most` deep.
pub(super) fn is_deeper(json: &[u8], most: usize) -> bool {
    // Cheap, and enough for nearly every line: there are not that many.
    if memchr2_iter(b'[', b'{', json).count() <= most {
        return false;
    }
    let mut position = JsonPosition::default();
    json.iter().any(|&byte| {
        position.pass(byte);
        position.depth > most
    })
}

/// A place in JSON.
#[derive(Default)]
struct JsonPosition {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl JsonPosition {
    fn pass(&mut self, byte: u8) {
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return;
        }
        match byte {
            b'"' => self.in_text = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// A stream of JSON that is an error where it is nested more than [`JSON_DEPTH_MAX`] deep or has a text or number of
/// more than [`JSON_TOKEN_BYTES_MAX`]: what parses it recurses, and makes room for a whole text.
pub(crate) struct BoundedJson<R> {
    reader: R,
    position: JsonPosition,
    /// Bytes of the text or number at the place.
    token: usize,
}

impl<R: Read> BoundedJson<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, position: JsonPosition::default(), token: 0 }
    }
}

impl<R: Read> Read for BoundedJson<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out)?;
        for &byte in &out[..read] {
            self.position.pass(byte);
            let is_between =
                matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            self.token = if self.position.in_text || !is_between { self.token + 1 } else { 0 };
            if self.position.depth > JSON_DEPTH_MAX {
                return Err(io::Error::other(format!("nested more than {JSON_DEPTH_MAX} levels deep")));
            }
            if self.token > JSON_TOKEN_BYTES_MAX {
                return Err(io::Error::other(format!(
                    "a text or number has more than {JSON_TOKEN_BYTES_MAX} bytes"
                )));
            }
        }
        Ok(read)
    }
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
