//! A strict reader of RLP: every value has one encoding, and every other one is refused.
//!
//! Neighbour: [`super`] knows what the values mean.

/// Texts below this length have a head of one byte.
const SHORT_LENGTH_MAX: usize = 55;
const TEXT_HEAD: u8 = 0x80;
const LIST_HEAD: u8 = 0xc0;
/// Lengths are read up to this many bytes; a credential is shorter than that says.
const LENGTH_BYTES_MAX: usize = 2;

/// A value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// Bytes.
    Text(&'a [u8]),
    /// The encodings of a list's values, one after the other.
    List(&'a [u8]),
}

/// Reads values one after the other.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// The values of a list that is all there is.
pub(super) fn only_list(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    reader.list().filter(|_| reader.is_at_end())
}

/// What stands before the values of a list.
pub(super) fn list_head(length: usize) -> Vec<u8> {
    if length <= SHORT_LENGTH_MAX {
        return vec![LIST_HEAD + length as u8];
    }
    let bytes = length.to_be_bytes();
    let bytes = &bytes[length.leading_zeros() as usize / 8..];
    let mut head = vec![LIST_HEAD + SHORT_LENGTH_MAX as u8 + bytes.len() as u8];
    head.extend_from_slice(bytes);
    head
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn item(&mut self) -> Option<Item<'a>> {
        let (&head, _) = self.rest.split_first()?;
        match head {
            ..TEXT_HEAD => self.take(1).map(Item::Text),
            TEXT_HEAD..LIST_HEAD => {
                let text = self.payload(head - TEXT_HEAD)?;
                // A single small byte stands for itself.
                let is_canonical = text.len() != 1 || text[0] >= TEXT_HEAD;
                is_canonical.then_some(Item::Text(text))
            }
            LIST_HEAD.. => self.payload(head - LIST_HEAD).map(Item::List),
        }
    }

    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        match self.item()? {
            Item::Text(text) => Some(text),
            Item::List(_) => None,
        }
    }

    pub(super) fn list(&mut self) -> Option<&'a [u8]> {
        match self.item()? {
            Item::List(list) => Some(list),
            Item::Text(_) => None,
        }
    }

    /// A number of at most `bytes_max` bytes, without leading zeros.
    pub(super) fn quantity(&mut self, bytes_max: usize) -> Option<&'a [u8]> {
        self.text().filter(|text| text.len() <= bytes_max && text.first() != Some(&0))
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        Some(big_endian(self.quantity(8)?))
    }

    /// The bytes behind a head, whose lower part says how long they are.
    fn payload(&mut self, size: u8) -> Option<&'a [u8]> {
        let size = usize::from(size);
        self.take(1)?;
        if size <= SHORT_LENGTH_MAX {
            return self.take(size);
        }
        let length_bytes = size - SHORT_LENGTH_MAX;
        if length_bytes > LENGTH_BYTES_MAX {
            return None;
        }
        let length = self.take(length_bytes)?;
        let is_canonical = length[0] != 0;
        let length = big_endian(length) as usize;
        (is_canonical && length > SHORT_LENGTH_MAX).then(|| self.take(length))?
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(bytes: &[u8]) -> Option<Vec<u8>> {
        let mut reader = Reader::new(bytes);
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
        assert_eq!(Reader::new(b"\x00").number(), None, "zero is the empty text");
        assert_eq!(Reader::new(b"\x82\x00\x01").number(), None, "leading zero");
        assert_eq!(Reader::new(b"\x89\x01\x00\x00\x00\x00\x00\x00\x00\x00").number(), None, "nine bytes");
        assert_eq!(Reader::new(b"\x82\x04\x00").number(), Some(1024));
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
        fn what_is_read_has_one_encoding(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Some(read) = text(&bytes) {
                prop_assert_eq!(encode(&read), bytes);
            }
        }
    }
}
