//! From the bytes of a text file to UTF-8.
//!
//! UTF-16 shows in the first bytes and is turned into UTF-8 before records are cut. UTF-8 and windows-1252 both hold
//! ASCII, so records are cut in either, and the first that holds anything else decides which of them it is. What is then
//! not in the encoding becomes replacement characters, and is counted.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::format;
use crate::ingest::mapping::Encoding;

/// The byte order mark that some programs put before UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";
/// Bytes by which UTF-16 is recognised.
const HEAD_BYTES: u64 = 16;
/// Bytes of UTF-16 that are turned at a time.
const STEP_BYTES: usize = 1 << 16;

/// The bytes of `reader` in an encoding that holds ASCII, and the encoding of the file where that is known already. What
/// is no text, whatever it is called, is an error.
pub(super) fn ascii_based(
    mut reader: Box<dyn Read + Send>,
    setting: Option<Encoding>,
) -> io::Result<(Box<dyn Read + Send>, Option<Encoding>)> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES).read_to_end(&mut head)?;
    if let Some(fault) = format::no_text(&head) {
        return Err(io::Error::other(fault));
    }
    let wide = if matches!(setting, None | Some(Encoding::Utf16)) { utf16(&head) } else { None };
    // Without any mark, programs that write UTF-16 write the little end first.
    let wide = wide.or((setting == Some(Encoding::Utf16)).then_some(UTF_16LE));
    let marked = head.starts_with(BOM).then_some(Encoding::Utf8);
    let whole = Box::new(io::Cursor::new(head).chain(reader));
    Ok(match wide {
        Some(encoding) => (Box::new(Narrowed::new(whole, encoding)), Some(Encoding::Utf16)),
        None => (whole, setting.or(marked)),
    })
}

/// Which UTF-16 the first bytes of a file are: by their mark, or by a zero at every second place.
fn utf16(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let zeros = |from: usize| {
        head.len() > 1 && head.iter().skip(from).step_by(2).all(|&byte| byte == 0) && head[1 - from] != 0
    };
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if zeros(1) => Some(UTF_16LE),
        _ if zeros(0) => Some(UTF_16BE),
        _ => None,
    }
}

/// UTF-16 on its way to UTF-8.
struct Narrowed<R> {
    reader: R,
    decoder: Decoder,
    /// UTF-16 that is not turned yet, from `at` on.
    raw: Vec<u8>,
    at: usize,
    /// UTF-8 that was not handed out yet, from `given` on.
    text: String,
    given: usize,
    end: bool,
}

impl<R: Read> Narrowed<R> {
    fn new(reader: R, encoding: &'static encoding_rs::Encoding) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        let text = String::with_capacity(2 * STEP_BYTES);
        Self { reader, decoder, raw: Vec::new(), at: 0, text, given: 0, end: false }
    }

    /// Turns some more.
    fn step(&mut self) -> io::Result<()> {
        if self.at == self.raw.len() {
            self.raw.clear();
            self.at = 0;
            let got = (&mut self.reader).take(STEP_BYTES as u64).read_to_end(&mut self.raw)?;
            self.end = got == 0;
        }
        self.text.clear();
        self.given = 0;
        let (result, read, _) = self.decoder.decode_to_string(&self.raw[self.at..], &mut self.text, self.end);
        self.at += read;
        // With a full buffer there is more to come.
        self.end &= result == CoderResult::InputEmpty;
        Ok(())
    }
}

impl<R: Read> Read for Narrowed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if self.end {
                return Ok(0);
            }
            self.step()?;
        }
        let len = out.len().min(self.text.len() - self.given);
        out[..len].copy_from_slice(&self.text.as_bytes()[self.given..self.given + len]);
        self.given += len;
        Ok(len)
    }
}

/// What a record that holds other bytes than ASCII says of its file.
pub(super) fn of_record(record: &[u8]) -> Encoding {
    if std::str::from_utf8(record).is_ok() { Encoding::Utf8 } else { Encoding::Windows1252 }
}

/// Bytes as UTF-8.
pub(super) fn utf8(bytes: Vec<u8>, encoding: Option<Encoding>) -> Vec<u8> {
    match encoding {
        Some(Encoding::Windows1252) if !bytes.is_ascii() => {
            WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned().into_bytes()
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], setting: Option<Encoding>) -> (String, Option<Encoding>) {
        let (mut reader, encoding) = ascii_based(Box::new(io::Cursor::new(bytes.to_vec())), setting).unwrap();
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        (String::from_utf8_lossy(&out).into_owned(), encoding)
    }

    fn wide(text: &str, mark: bool, little: bool) -> Vec<u8> {
        let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn utf16_is_told_by_mark_or_zeros_and_read_over_every_step() {
        let text = "country,name\nca,Crème brûlée 😀\n".repeat(9_000);
        for (mark, little) in [(true, true), (true, false), (false, true), (false, false)] {
            assert!(read(&wide(&text, mark, little), None) == (text.clone(), Some(Encoding::Utf16)));
        }
        let mut odd = wide("a,b", true, true);
        odd.push(0);
        assert_eq!(read(&odd, None).0, "a,b\u{fffd}");
        assert_eq!(read(&wide("日本", false, true), Some(Encoding::Utf16)).0, "日本");
    }

    #[test]
    fn leaves_the_encoding_of_ascii_undecided() {
        assert_eq!(read(b"", None), (String::new(), None));
        assert_eq!(read(b"a,b\n", None), ("a,b\n".into(), None));
        assert_eq!(read(b"\xef\xbb\xbfa", None), ("\u{feff}a".into(), Some(Encoding::Utf8)));
        assert_eq!(read(b"a", Some(Encoding::Windows1252)).1, Some(Encoding::Windows1252));
        assert_eq!(of_record("é".as_bytes()), Encoding::Utf8);
        assert_eq!(of_record(b"caf\xe9"), Encoding::Windows1252);
        assert_eq!(utf8(b"caf\xe9 \x80".to_vec(), Some(Encoding::Windows1252)), "café €".as_bytes());
        assert_eq!(utf8(b"caf\xe9".to_vec(), Some(Encoding::Utf8)), b"caf\xe9");
    }
}
