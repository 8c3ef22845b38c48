//! What the payment codecs share: base64, hexadecimal, HMAC, and the words for what cannot be taken.
//!
//! Readers are lenient about spelling (either base64 alphabet, padding or none, any case of hexadecimal) and strict
//! about meaning: bits that encode nothing must be zero, and nothing may follow the end. Payments are keyed by what was
//! decoded, so spelling never makes a second payment of one.
use base64::Engine as _;
use base64::alphabet::STANDARD as STANDARD_ALPHABET;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Longest credential that is read, as the header's value.
pub const CREDENTIAL_BYTES_MAX: usize = 8 * 1024;

/// A credential that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the credential is malformed: {0}")]
pub struct Malformed(pub &'static str);

/// A transaction that is no payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTransaction {
    /// It is not a transaction in its canonical form.
    #[error("the transaction is malformed: {0}")]
    Malformed(&'static str),
    /// It is one, but does something else than the one transfer that was asked for.
    #[error("the transaction is not the offered payment: {0}")]
    Layout(&'static str),
    /// Its signature is not that of the payer.
    #[error("the transaction's signature is not valid; sign it with one key, as low-s secp256k1 or ed25519")]
    Signature,
}

/// Accepts padding and its absence; the alphabet is mapped before.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD_ALPHABET,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Base64 in the standard alphabet, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Base64 in the URL-safe alphabet, without padding.
pub(in crate::payment) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads either alphabet, with or without padding.
pub(in crate::payment) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let standard: Vec<u8> = text
        .bytes()
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    LENIENT.decode(standard).ok()
}

/// Reads the URL-safe alphabet without padding: what [`base64url`] writes and nothing else.
pub(in crate::payment) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// Reads `0x` and an even number of hexadecimal digits of any case.
pub(in crate::payment) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    // The decoder would strip a second prefix.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| alloy_primitives::hex::decode(digits).ok())?
}

/// A value as JSON. The values of this room are structs of texts and numbers, which always have a form.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers have a form in JSON")
}

/// HMAC-SHA256 of the parts, one after the other.
pub(in crate::payment) fn hmac_sha256(secret: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// SHA-256.
pub(in crate::payment) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Whether two texts are the same, in a time that says nothing of where they differ.
pub(in crate::payment) fn same(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let mac = |key: &str, text: &str| hex::encode(hmac_sha256(key, &[text.as_bytes()]));
        assert_eq!(
            mac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        // A key longer than a block, computed with Python's hmac.
        assert_eq!(
            mac(&"k".repeat(131), "Test Using Larger Than Block-Size Key - Hash Key First"),
            LONG_KEY_MAC
        );
        assert_eq!(hmac_sha256("k", &[b"ab", b"c"]), hmac_sha256("k", &[b"a", b"bc"]));
    }

    const LONG_KEY_MAC: &str = "70e4b005732fa7ff79392aa24fb240159b925dbc9f1398420c0f45e6763dcf14";

    #[test]
    fn base64_is_lenient_in_spelling_only() {
        for text in ["-_8=", "-_8", "+/8=", "+/8", "-/8"] {
            assert_eq!(from_base64(text), Some(vec![0xfb, 0xff]), "{text}");
        }
        // Bits that encode nothing, too much padding, white space, a lone letter.
        for text in ["-_9", "-_8==", "-_8=x", " -_8", "-_8\n", "A", "-_8=-_8="] {
            assert_eq!(from_base64(text), None, "{text:?}");
        }
        assert_eq!(from_base64url("-_8"), Some(vec![0xfb, 0xff]));
        assert_eq!((from_base64url("-_8="), from_base64url("+/8")), (None, None));
    }

    #[test]
    fn hexadecimal_has_one_prefix() {
        assert_eq!(from_hex("0xAbcd"), Some(vec![0xab, 0xcd]));
        assert_eq!(from_hex("0x"), Some(vec![]));
        for text in ["abcd", "0x0xabcd", "0X12", "0x1", "0x1g", " 0x12", ""] {
            assert_eq!(from_hex(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn texts_are_read_back(bytes: Vec<u8>) {
            prop_assert_eq!(from_base64(&base64(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_base64(&base64url(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_base64url(&base64url(&bytes)), Some(bytes.clone()));
            prop_assert_eq!(from_hex(&hex::encode_prefixed(&bytes)), Some(bytes));
        }

        #[test]
        fn nonsense_is_read_without_a_panic(text: String) {
            let _ = (from_base64(&text), from_base64url(&text), from_hex(&text));
        }
    }
}
