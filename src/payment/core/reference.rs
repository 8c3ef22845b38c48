//! References: a token that ties an x402 offer to one request, one price and one moment.
//!
//! `pb1.<nonce>.<expiry>.<mac>`. x402 payers echo it in `accepted.extra.ref`. Where a rail has a memo, which payers
//! sign, the memo is a token with a label of its own. The mac covers the label of its use, the canonical request, the
//! amount, the nonce and the expiry, so the server needs no memory of what it offered. A memo is public on the chain,
//! so the stored answer is asked for by the other token. Invariant: a token has one spelling; [`parse`] takes what
//! [`OfferReference::make`] writes and nothing else. `protocols::x402` carries the token; `protocols::mpp` has
//! challenges of its own.

use std::fmt;

use crate::payment::protocols::codec::{base64url, from_base64url, hmac_sha256, same};
use crate::payment::protocols::eip3009::decimal;

/// Begins every token; a new form of token gets a new one.
const VERSION: &str = "pb1";
/// Length of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Length of a mac: 128 bits, of which nobody can try enough.
const MAC_BYTES: usize = 16;

/// Makes tokens.
#[derive(Debug, Clone, Copy)]
pub struct OfferReference;

impl OfferReference {
    /// The token of an offer. The nonce must be random: it is what keeps two callers of one moment apart.
    pub fn make(
        secret: &str,
        label: &str,
        request: &str,
        amount: u64,
        nonce: [u8; NONCE_BYTES],
        expiry: u64,
    ) -> String {
        let mac = mac(secret, label, request, amount, &nonce, expiry);
        format!("{VERSION}.{}.{expiry}.{}", base64url(&nonce), base64url(&mac))
    }
}

/// A token that was read. Whether this server wrote it is [`ParsedReference::binds`]' word. Who knows a token may ask
/// for what it paid for, so its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct ParsedReference {
    /// What makes it unique.
    pub nonce: [u8; NONCE_BYTES],
    /// Unix seconds at which it expires.
    pub expiry: u64,
    mac: [u8; MAC_BYTES],
}

impl fmt::Debug for ParsedReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parsed").field("expiry", &self.expiry).finish_non_exhaustive()
    }
}

/// Reads a token.
pub fn parse(token: &str) -> Option<ParsedReference> {
    let mut parts = token.split('.');
    let (version, nonce, expiry, mac) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if version != VERSION || parts.next().is_some() {
        return None;
    }
    let parsed = ParsedReference {
        nonce: from_base64url(nonce)?.try_into().ok()?,
        expiry: decimal(expiry)?,
        mac: from_base64url(mac)?.try_into().ok()?,
    };
    (parsed.expiry.to_string() == expiry).then_some(parsed)
}

impl ParsedReference {
    /// Whether it was made with one of the secrets for this label, canonical request and amount.
    pub fn binds(&self, secrets: &[&str], label: &str, request: &str, amount: u64) -> bool {
        let made_with =
            |secret: &&str| same(&mac(secret, label, request, amount, &self.nonce, self.expiry), &self.mac);
        // Every secret is tried, whichever fits.
        secrets.iter().filter(|secret| made_with(secret)).count() > 0
    }
}

/// The lengths before the texts keep one text from running into the next.
fn mac(
    secret: &str,
    label: &str,
    request: &str,
    amount: u64,
    nonce: &[u8; NONCE_BYTES],
    expiry: u64,
) -> [u8; MAC_BYTES] {
    let length = |text: &str| (text.len() as u64).to_be_bytes();
    let whole = hmac_sha256(
        secret,
        &[
            &length(VERSION),
            VERSION.as_bytes(),
            &length(label),
            label.as_bytes(),
            &length(request),
            request.as_bytes(),
            &amount.to_be_bytes(),
            nonce,
            &expiry.to_be_bytes(),
        ],
    );
    let mut mac = [0; MAC_BYTES];
    mac.copy_from_slice(&whole[..MAC_BYTES]);
    mac
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LABEL: &str = "x402-base";
    const OTHER_LABEL: &str = "x402-solana";
    const MEMO_LABEL: &str = "x402-solana-memo";
    const SECRET: &str = "test-vector-secret-0123456789abcdef";
    const OTHER: &str = "another-secret-0123456789abcdef-xyz";
    const REQUEST: &str = "/v1/shopper/best-price?q=coffee";
    const NONCE: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    const EXPIRY: u64 = 1_796_083_200;
    /// Computed with Python's hmac from the description of the mac.
    const TOKEN: &str = "pb1.AAECAwQFBgcICQoL.1796083200.cd84C5sF-6LTkxC9eaVzdw";

    fn token() -> String {
        OfferReference::make(SECRET, LABEL, REQUEST, 10_000, NONCE, EXPIRY)
    }

    #[test]
    fn is_what_another_program_computes() {
        assert_eq!(token(), TOKEN);
    }

    #[test]
    fn binds_everything_it_was_made_of() {
        let parsed = parse(&token()).expect("what was made is read");
        assert_eq!((parsed.nonce, parsed.expiry), (NONCE, EXPIRY));
        assert!(parsed.binds(&[SECRET], LABEL, REQUEST, 10_000));
        assert!(parsed.binds(&[OTHER, SECRET], LABEL, REQUEST, 10_000), "the previous secret");
        assert!(!parsed.binds(&[OTHER], LABEL, REQUEST, 10_000));
        assert!(!parsed.binds(&[], LABEL, REQUEST, 10_000));
        assert!(!parsed.binds(&[SECRET], OTHER_LABEL, REQUEST, 10_000));
        assert!(!parsed.binds(&[SECRET], LABEL, "/v1/shopper/best-price?q=tea", 10_000));
        assert!(!parsed.binds(&[SECRET], LABEL, REQUEST, 9_999));
        let moved = |change: fn(&mut ParsedReference)| {
            let mut moved = parsed.clone();
            change(&mut moved);
            moved.binds(&[SECRET], LABEL, REQUEST, 10_000)
        };
        assert!(!moved(|parsed| parsed.expiry += 1));
        assert!(!moved(|parsed| parsed.nonce[11] ^= 1));
        assert!(!moved(|parsed| parsed.mac[15] ^= 1));
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let one = OfferReference::make(SECRET, "x402", "-base/v1", 1, NONCE, EXPIRY);
        let other = OfferReference::make(SECRET, "x402-base", "/v1", 1, NONCE, EXPIRY);
        assert_ne!(one, other);
    }

    #[test]
    fn other_spellings_are_refused() {
        let token = token();
        let (head, mac) = token.rsplit_once('.').expect("it has parts");
        // The last letter of 22 holds four bits that encode nothing.
        let last = mac.as_bytes()[21];
        let neighbour = char::from(if last == b'A' { b'B' } else { last + 1 });
        for wrong in [
            format!("{token}="),
            format!("{token}."),
            format!(" {token}"),
            token.replace("pb1", "pb2"),
            token.replace(".1796083200.", ".01796083200."),
            token.replace(".1796083200.", ".+1796083200."),
            token.replace(".1796083200.", "."),
            token.replace(".1796083200.", ".99999999999999999999."),
            format!("{head}.{}{neighbour}", &mac[..21]),
            format!("{head}.{}", &mac[..20]),
            String::new(),
        ] {
            assert_eq!(parse(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn nonsense_is_read_without_a_panic(text: String) {
            prop_assert!(parse(&text).is_none_or(|_| text.starts_with("pb1.")));
        }

        #[test]
        fn a_changed_letter_never_binds(place in 0_usize..100, byte in 0x20_u8..0x7f) {
            let token = token();
            let mut changed = token.clone().into_bytes();
            let place = place % changed.len();
            prop_assume!(changed[place] != byte);
            changed[place] = byte;
            let changed = String::from_utf8(changed).expect("ASCII");
            if let Some(parsed) = parse(&changed) {
                prop_assert!(!parsed.binds(&[SECRET], LABEL, REQUEST, 10_000));
            }
        }

        #[test]
        fn binds_to_secret_request_and_amount(request: String, amount: u64, nonce: [u8; 12], expiry: u64) {
            let token = OfferReference::make(OTHER, MEMO_LABEL, &request, amount, nonce, expiry);
            let parsed = parse(&token).expect("what was made is read");
            prop_assert_eq!((parsed.nonce, parsed.expiry), (nonce, expiry));
            prop_assert!(parsed.binds(&[SECRET, OTHER], MEMO_LABEL, &request, amount));
            prop_assert!(!parsed.binds(&[SECRET], MEMO_LABEL, &request, amount));
        }
    }
}
