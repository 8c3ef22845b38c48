//! How payments travel in messages of MCP: in the metadata of a call and of its result, as both protocols define it.
//!
//! Nothing is decided here. What a call carries becomes the header fields that a request would carry, and the fields of
//! the response become what the result carries; so what is paid is one and the same, whichever way it came. x402 has its
//! offers in the result itself ([`offers`]), MPP in the metadata, so one answer serves clients of both.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use serde::Serialize;

use super::codec::{base64, from_base64, json};
use super::mpp;

/// Key of a payment of x402 in the metadata of a call.
pub const X402_PAYMENT: &str = "x402/payment";

/// Keys of what the header fields of a response become in the metadata of a result. Each field is JSON in base64.
const RECEIPTS: [(HeaderName, &str); 2] = [
    (HeaderName::from_static("payment-response"), "x402/payment-response"),
    (HeaderName::from_static("payment-receipt"), "org.paymentauth/receipt"),
];

/// Key of the offers of MPP in the metadata of a result.
const MPP_REQUIRED: &str = "org.paymentauth/payment-required";

const PAYMENT_SIGNATURE: HeaderName = HeaderName::from_static("payment-signature");
const PAYMENT_REQUIRED: HeaderName = HeaderName::from_static("payment-required");

/// The header fields of the payments that a call carries: `x402` is what stands under [`X402_PAYMENT`] in its metadata.
pub fn fields(x402: Option<&impl Serialize>, meta: &impl Serialize) -> Vec<(HeaderName, HeaderValue)> {
    let x402 = x402.map(|payment| (PAYMENT_SIGNATURE, base64(&json(payment))));
    let mpp = mpp::authorization_of_meta(meta).map(|value| (AUTHORIZATION, value));
    let fields = x402.into_iter().chain(mpp);
    fields.filter_map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))).collect()
}

/// The offers of x402 that came with a response, as JSON.
pub fn offers(headers: &HeaderMap) -> Option<Vec<u8>> {
    from_base64(headers.get(PAYMENT_REQUIRED)?.to_str().ok()?)
}

/// What came with a response and belongs into the metadata of the result: keys and JSON.
pub fn metadata(headers: &HeaderMap) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let lines = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|line| line.to_str().ok());
    let offers = mpp::challenges_for_meta(lines).map(|offers| (MPP_REQUIRED, offers));
    let receipts = RECEIPTS
        .into_iter()
        .filter_map(move |(name, key)| Some((key, from_base64(headers.get(name)?.to_str().ok()?)?)));
    offers.into_iter().chain(receipts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_become_header_fields() {
        let call = r#"{"x402/payment":{"x402Version":2},"org.paymentauth/credential":"nonsense"}"#;
        let meta: serde_json::Map<_, _> = serde_json::from_str(call).expect("metadata");
        let fields = fields(meta.get(X402_PAYMENT), &meta);
        assert_eq!(fields[0], (PAYMENT_SIGNATURE, HeaderValue::from_static("eyJ4NDAyVmVyc2lvbiI6Mn0=")));
        assert_eq!(fields[1].0, AUTHORIZATION);
        assert!(mpp::decode(fields[1].1.to_str().expect("a text")).is_err(), "nonsense stays nonsense");
        assert_eq!(fields.len(), 2);
    }

    #[test]
    fn a_result_has_receipts_and_challenges() {
        let mut headers = HeaderMap::new();
        assert_eq!((offers(&headers), metadata(&headers).count()), (None, 0));
        headers.insert("payment-required", HeaderValue::from_static("e30="));
        headers.insert("payment-receipt", HeaderValue::from_static("e30"));
        let line =
            r#"Payment id="a", realm="r", method="evm", intent="charge", request="eyJhbW91bnQiOiIxIn0""#;
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(line));
        let found: Vec<_> = metadata(&headers).collect();
        assert_eq!(offers(&headers), Some(b"{}".to_vec()));
        assert_eq!(found[1], ("org.paymentauth/receipt", b"{}".to_vec()));
        let challenges = String::from_utf8(found[0].1.clone()).expect("JSON");
        assert!(challenges.contains(r#""request":{"amount":"1"}"#), "{challenges}");
    }
}
