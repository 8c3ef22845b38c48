//! Compression of bodies for clients that accept it.
//!
//! A body is encoded as a whole, on the thread that computed it. Small bodies are not compressed because they fit
//! into a packet. A client that sends no `Accept-Encoding` causes no extra work.

use std::io::{self, Write};

use hyper::body::Bytes;
use hyper::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};

use super::content_negotiation::weighted;

/// Bodies up to this size, in bytes, are not compressed.
pub const COMPRESS_BYTES_MIN: usize = 1_024;

/// Compression levels at which 40 kB of JSON are compressed in a fraction of a millisecond.
const ZSTD_LEVEL: i32 = 3;
const BROTLI_LEVEL: i32 = 4;
/// Brotli level of bodies that are encoded once. Compressing 300 kB of script takes some tens of milliseconds.
const BROTLI_LEVEL_KEPT: i32 = 9;
const BROTLI_WINDOW_BITS: i32 = 20;
const GZIP_LEVEL: u32 = 5;

/// Content coding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// `zstd`
    Zstd,
    /// `br`
    Brotli,
    /// `gzip`
    Gzip,
}

/// A body and its content coding.
#[derive(Debug, Clone)]
pub struct Encoded {
    /// The bytes that are sent.
    pub bytes: Bytes,
    /// Coding of the bytes; `None` if they are not encoded.
    pub coding: Option<Coding>,
}

/// Codings in order of preference, for clients that give several codings the same weight.
const CODINGS: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

impl Coding {
    /// The supported coding to which the client gives the highest weight.
    pub fn choose(headers: &HeaderMap) -> Option<Self> {
        let offers: Vec<(&str, u32)> = weighted(headers, &ACCEPT_ENCODING).collect();
        let weight = |name: &str| {
            let named = |wanted: &str| offers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            named(name).or_else(|| named("*")).map_or(0, |(_, weight)| *weight)
        };
        let best = CODINGS.iter().map(|coding| weight(coding.as_str())).max().filter(|best| *best > 0)?;
        CODINGS.into_iter().find(|coding| weight(coding.as_str()) == best)
    }

    /// Whether the client accepts this coding by name.
    pub fn is_taken(self, headers: &HeaderMap) -> bool {
        weighted(headers, &ACCEPT_ENCODING)
            .any(|(name, weight)| weight > 0 && name.eq_ignore_ascii_case(self.as_str()))
    }

    /// The name in `Content-Encoding`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The value of `Content-Encoding`.
    pub const fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.as_str())
    }

    fn compress(self, body: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            Self::Brotli => brotli_at(BROTLI_LEVEL, body),
            Self::Gzip => {
                let mut encoder =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
                encoder.write_all(body)?;
                encoder.finish()
            }
        }
    }
}

fn brotli_at(quality: i32, body: &[u8]) -> io::Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: body.len(),
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &body[..], &mut out, &params)?;
    Ok(out)
}

/// Encodes a body in Brotli at a higher level than [`encode`] uses, for bodies that are encoded once and sent often.
pub fn pack(body: &[u8]) -> Encoded {
    match brotli_at(BROTLI_LEVEL_KEPT, body) {
        Ok(bytes) => Encoded { bytes: fitted(bytes), coding: Some(Coding::Brotli) },
        Err(_) => Encoded { bytes: Bytes::copy_from_slice(body), coding: None },
    }
}

/// Encodes a body in this coding if the body is large enough.
pub fn encode(body: Vec<u8>, coding: Option<Coding>) -> Encoded {
    compressed(&body, coding).unwrap_or_else(|| Encoded { bytes: fitted(body), coding: None })
}

/// Like [`encode`], for a body whose buffer is shared.
pub fn encode_shared(body: Bytes, coding: Option<Coding>) -> Encoded {
    compressed(&body, coding).unwrap_or(Encoded { bytes: body, coding: None })
}

/// The body in this coding; `None` if there is no coding or the body is too small.
fn compressed(body: &[u8], coding: Option<Coding>) -> Option<Encoded> {
    let coding = coding.filter(|_| body.len() > COMPRESS_BYTES_MIN)?;
    // Writing into memory does not fail. If it did, the plain body would be used.
    let bytes = coding.compress(body).ok()?;
    Some(Encoded { bytes: fitted(bytes), coding: Some(coding) })
}

/// The bytes without spare capacity. A body may stay in memory for long, and only its length is counted.
pub(super) fn fitted(mut bytes: Vec<u8>) -> Bytes {
    bytes.shrink_to_fit();
    bytes.into()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn chooses_what_the_client_likes_best() {
        let check = |accepted: &str, expected| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, accepted.parse().expect("a header value"));
            assert_eq!(Coding::choose(&headers).map(Coding::as_str), expected, "{accepted}");
        };
        check("gzip, deflate, br, zstd", Some("zstd"));
        check("gzip;q=1.0, br;q=0.5", Some("gzip"));
        check("GZip", Some("gzip"));
        check("*", Some("zstd"));
        check("zstd;q=0, *;q=0.1", Some("br"));
        check("identity", None);
        check("gzip;q=0", None);
        check("", None);
        assert_eq!(Coding::choose(&HeaderMap::new()), None);
    }

    #[test]
    fn keeps_no_room_behind_a_body() {
        let mut body = Vec::with_capacity(1 << 20);
        body.resize(100_000, b'x');
        for coding in CODINGS.into_iter().map(Some).chain([None]) {
            let encoded = encode(body.clone(), coding);
            let length = encoded.bytes.len();
            let room = encoded.bytes.try_into_mut().expect("one holder").capacity();
            assert!(room <= length + 64, "{room} bytes for {length}: {coding:?}");
        }
        let plain = encode(body, None).bytes.try_into_mut().expect("one holder");
        assert!(plain.capacity() <= 100_064, "{} bytes", plain.capacity());
    }

    #[test]
    fn decodes_to_the_same_bytes() {
        let body: Vec<u8> = (0..4_000u32).flat_map(|number| number.to_string().into_bytes()).collect();
        for coding in CODINGS {
            let encoded = encode(body.clone(), Some(coding));
            assert_eq!(encoded.coding, Some(coding));
            assert!(encoded.bytes.len() < body.len());
            let mut back = Vec::new();
            match coding {
                Coding::Zstd => back = zstd::bulk::decompress(&encoded.bytes, body.len()).expect("zstd"),
                Coding::Brotli => {
                    brotli::Decompressor::new(&encoded.bytes[..], 4_096).read_to_end(&mut back).expect("br");
                }
                Coding::Gzip => {
                    flate2::read::GzDecoder::new(&encoded.bytes[..]).read_to_end(&mut back).expect("gzip");
                }
            }
            assert_eq!(back, body, "{coding:?}");
        }
        assert_eq!(encode(vec![0; COMPRESS_BYTES_MIN], Some(Coding::Gzip)).coding, None);
    }
}
