//! A payer: signs what a server offers, in both protocols, on the sandbox's chain.

use alloy_primitives::{Address, B256, hex, keccak256};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pricebook::payment::protocols::eip3009::{Authorization, Domain};
use pricebook::payment::protocols::mpp::evm_nonces;
use pricebook::payment::rails::base::BaseRail;
use secp256k1::{Message, PublicKey, Secp256k1, SecretKey};

pub struct Payer {
    key: SecretKey,
    pub address: Address,
}

/// How an authorization differs from what is asked for.
#[derive(Clone, Copy)]
pub struct Terms {
    pub to: Address,
    pub value: u64,
    pub valid_after: u64,
    pub valid_before: u64,
}

impl Terms {
    /// As it is asked for.
    pub fn of(rail: &BaseRail, value: u64, valid_before: u64) -> Self {
        Self { to: rail.pay_to, value, valid_after: 0, valid_before }
    }
}

impl Payer {
    pub fn new(seed: u8) -> Self {
        let key = SecretKey::from_byte_array([seed; 32]).unwrap();
        let public = PublicKey::from_secret_key(&Secp256k1::new(), &key);
        Self { key, address: Address::from_raw_public_key(&public.serialize_uncompressed()[1..]) }
    }

    /// A signed authorization: its fields and the signature, as both protocols write them.
    fn authorize(&self, rail: &BaseRail, terms: Terms, nonce: B256) -> (String, String) {
        let Terms { to, value, valid_after, valid_before } = terms;
        let from = self.address;
        let authorization = Authorization { from, to, value, valid_after, valid_before, nonce };
        let domain = Domain::new(&rail.eip712_name, &rail.eip712_version, rail.chain_id, rail.asset);
        let digest = Message::from_digest(authorization.digest(&domain).0);
        let (v, rs) = Secp256k1::new().sign_ecdsa_recoverable(digest, &self.key).serialize_compact();
        let fields = format!(
            r#""from":"{from}","to":"{to}","value":"{value}","validAfter":"{valid_after}","validBefore":"{valid_before}","nonce":"{nonce}""#
        );
        (fields, format!("0x{}{:02x}", hex::encode(rs), 27 + i32::from(v)))
    }

    /// Value of a PAYMENT-SIGNATURE header for an offer, `accepted` as JSON.
    pub fn x402(&self, rail: &BaseRail, accepted: &str, url: &str, terms: Terms, nonce: &str) -> String {
        let (fields, signature) = self.authorize(rail, terms, keccak256(nonce));
        STANDARD.encode(format!(
            r#"{{"x402Version":2,"resource":{{"url":"{url}"}},"accepted":{accepted},"payload":{{"signature":"{signature}","authorization":{{{fields}}}}}}}"#
        ))
    }

    /// Value of an Authorization header for a WWW-Authenticate line.
    pub fn mpp(&self, rail: &BaseRail, line: &str, terms: Terms) -> String {
        let field = |name: &str| {
            let from = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
            line[from..].split('"').next().unwrap()
        };
        let echo = ["id", "realm", "method", "intent", "request", "expires", "opaque"]
            .map(|name| format!(r#""{name}":"{}""#, field(name)))
            .join(",");
        let nonce = evm_nonces(field("id"), field("realm"))[0];
        let (fields, signature) = self.authorize(rail, terms, nonce);
        let credential = format!(
            r#"{{"challenge":{{{echo}}},"payload":{{"type":"authorization","signature":"{signature}",{fields}}}}}"#
        );
        format!("Payment {}", URL_SAFE_NO_PAD.encode(credential))
    }
}
