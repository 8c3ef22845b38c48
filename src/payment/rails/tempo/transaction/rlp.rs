//! A strict reader of RLP: every value has one encoding, and every other one is refused.
//!
//! `alloy_rlp` knows the encoding; here its values are taken one after the other. Neighbour: [`super`] knows what they
//! mean.

use alloy_rlp::{Decodable as _, Header};

/// A value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RlpItem<'a> {
    /// Bytes.
    Text(&'a [u8]),
    /// The encodings of a list's values, one after the other.
    List(&'a [u8]),
}

/// Reads values one after the other.
pub(super) struct RlpReader<'a> {
    rest: &'a [u8],
}

/// The values of a list that is all there is.
pub(super) fn only_list(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = RlpReader::new(bytes);
    reader.list().filter(|_| reader.is_at_end())
}

/// What stands before the values of a list.
pub(super) fn list_head(length: usize) -> Vec<u8> {
    let mut head = Vec::new();
    Header { list: true, payload_length: length }.encode(&mut head);
    head
}

impl<'a> RlpReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn item(&mut self) -> Option<RlpItem<'a>> {
        let Header { list, payload_length } = Header::decode(&mut self.rest).ok()?;
        let (payload, rest) = self.rest.split_at_checked(payload_length)?;
        self.rest = rest;
        Some(if list { RlpItem::List(payload) } else { RlpItem::Text(payload) })
    }

    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        Header::decode_bytes(&mut self.rest, false).ok()
    }

    pub(super) fn list(&mut self) -> Option<&'a [u8]> {
        Header::decode_bytes(&mut self.rest, true).ok()
    }

    /// A number of at most `bytes_max` bytes, without leading zeros.
    pub(super) fn quantity(&mut self, bytes_max: usize) -> Option<&'a [u8]> {
        self.text().filter(|text| text.len() <= bytes_max && text.first() != Some(&0))
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        u64::decode(&mut self.rest).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut reader = RlpReader::new(bytes);
        let text = reader.text()?.to_vec();
        reader.is_at_end().then_some(text)
    }

    /// The encoding of a text, by the book.
    fn encode(text: &[u8]) -> Vec<u8> {
        let mut encoded = match text {
            [small] if *small < 0x80 => vec![],
            _ if text.len() <= 55 => vec![0x80 + text.len() as u8],
            _ if text.len() <= 255 => vec![0xb8, text.len() as u8],
            _ => vec![0xb9, (text.len() >> 8) as u8, text.len() as u8],
        };
        encoded.extend_from_slice(text);
        encoded
    }

    #[test]
    fn reads_the_book() {
        // Examples of the Ethereum wiki.
        assert_eq!(text(b"\x83dog"), Some(b"dog".to_vec()));
        assert_eq!(only_list(b"\xc8\x83cat\x83dog"), Some(&b"\x83cat\x83dog"[..]));
        assert_eq!(text(b"\x80"), Some(vec![]));
        assert_eq!(only_list(b"\xc0"), Some(&b""[..]));
        assert_eq!(text(b"\x0f"), Some(vec![0x0f]));
        assert_eq!(text(b"\x82\x04\x00"), Some(vec![4, 0]));
        let long = b"Lorem ipsum dolor sit amet, consectetur adipisicing elit";
        assert_eq!(text(&[b"\xb8\x38", &long[..]].concat()), Some(long.to_vec()));
    }

    #[test]
    fn refuses_other_encodings() {
        let long = [&b"\xb8\x37"[..], &[b'a'; 55]].concat();
        let padded = [&b"\xb9\x00\x38"[..], &[b'a'; 56]].concat();
        for wrong in
            [&b"\x81\x0f"[..], &long, &padded, b"\x83do", b"", b"\xb8", b"\xbb\x00\x00\x00\x00", b"\xc0"]
        {
            assert_eq!(text(wrong), None, "{wrong:?}");
        }
        assert_eq!(RlpReader::new(b"\x00").number(), None, "zero is the empty text");
        assert_eq!(RlpReader::new(b"\x82\x00\x01").number(), None, "leading zero");
        assert_eq!(RlpReader::new(b"\x89\x01\x00\x00\x00\x00\x00\x00\x00\x00").number(), None, "nine bytes");
        assert_eq!(RlpReader::new(b"\x82\x04\x00").number(), Some(1024));
    }

    proptest! {
        #[test]
        fn texts_are_read_back(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            prop_assert_eq!(text(&encode(&bytes)), Some(bytes.clone()));
            let list = encode(&bytes);
            let whole = [list_head(list.len()), list.clone()].concat();
            prop_assert_eq!(only_list(&whole), Some(&list[..]));
        }

        #[test]
        fn accepts_only_canonical_encodings(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(read) = text(&bytes) {
                prop_assert_eq!(encode(&read), bytes);
            }
        }
    }
}
