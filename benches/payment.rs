//! What payment adds to a request, without the network and without the durable write: making the offers of a 402, and
//! reading, authenticating and checking a credential of each kind. `present` and `check` are the whole way of a
//! credential through [`pricebook::payment::credential`]; the limit for each is 100 µs.

use std::hint::black_box;

use alloy_primitives::{Address, B256, keccak256};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use criterion::{Criterion, criterion_group, criterion_main};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue};
use pricebook::config::{ServeConfig, ServeWish};
use pricebook::payment::Mode;
use pricebook::payment::claim::{ClaimStore, Rail};
use pricebook::payment::clock::unix_seconds;
use pricebook::payment::credential::{PAYMENT_SIGNATURE, Presented, present};
use pricebook::payment::eip3009::{Authorization, Domain};
use pricebook::payment::ledger::{Ledger, Limits};
use pricebook::payment::mpp;
use pricebook::payment::offer::{Offers, Open, Sale};
use pricebook::payment::settings::{Secrets, Settings};
use pricebook::query::endpoint::PriceClass;
use secp256k1::{Message, PublicKey, Secp256k1, SecretKey};

const NONCE: [u8; 12] = [7; 12];

fn settings() -> Settings {
    let wish = ServeWish { payments: Some(Mode::Sandbox), ..ServeWish::default() };
    let config = ServeConfig::new(wish, None, Secrets::default(), [9; 32]).expect("a sandbox needs nothing");
    config.payment.expect("settings")
}

fn sale() -> Sale {
    Sale {
        endpoint: "/v1/shopper/best-price",
        summary: "Best price of a product across retailers.",
        request: "/v1/shopper/best-price?q=sweet+baby+rays+barbecue+sauce&country=ca".to_owned(),
        class: PriceClass::Shopper,
    }
}

fn open() -> Vec<Open> {
    vec![Open { rail: Rail::Base, fee_payer: None }]
}

/// A payer who signs what is offered.
struct Payer {
    key: SecretKey,
    address: Address,
}

impl Payer {
    fn new() -> Self {
        let key = SecretKey::from_byte_array([3; 32]).expect("a key");
        let public = PublicKey::from_secret_key(&Secp256k1::new(), &key);
        Self { key, address: Address::from_raw_public_key(&public.serialize_uncompressed()[1..]) }
    }

    /// A signed authorization, as both protocols write its fields.
    fn authorize(&self, settings: &Settings, nonce: B256) -> (Authorization, String) {
        let rail = settings.base.as_ref().expect("a rail");
        let authorization = Authorization {
            from: self.address,
            to: rail.pay_to,
            value: 10_000,
            valid_after: 0,
            valid_before: unix_seconds() + 60,
            nonce,
        };
        let domain = Domain::new(&rail.eip712_name, &rail.eip712_version, rail.chain_id, rail.asset);
        let digest = Message::from_digest(authorization.digest(&domain).0);
        let (v, rs) = Secp256k1::new().sign_ecdsa_recoverable(digest, &self.key).serialize_compact();
        let signature = format!("0x{}{:02x}", alloy_primitives::hex::encode(rs), 27 + i32::from(v));
        (authorization, signature)
    }
}

fn fields(authorization: &Authorization) -> String {
    let Authorization { from, to, value, valid_after, valid_before, nonce } = authorization;
    format!(
        r#""from":"{from}","to":"{to}","value":"{value}","validAfter":"{valid_after}","validBefore":"{valid_before}","nonce":"{nonce}""#
    )
}

fn x402(offers: &Offers, settings: &Settings, payer: &Payer) -> HeaderMap {
    let terms = offers.base.as_ref().expect("a rail");
    let reference = pricebook::payment::reference::Reference::make(
        settings.secret.expose(),
        pricebook::payment::reference::LABEL_BASE,
        &sale().request,
        10_000,
        NONCE,
        unix_seconds() + 60,
    );
    let accepted =
        serde_json::to_string(&offers.evm_requirement(terms, 10_000, Some(reference))).expect("JSON");
    let (authorization, signature) = payer.authorize(settings, keccak256("nonce"));
    let payment = format!(
        r#"{{"x402Version":2,"resource":{{"url":"{}"}},"accepted":{accepted},"payload":{{"signature":"{signature}","authorization":{{{}}}}}}}"#,
        offers.url(&sale()),
        fields(&authorization),
    );
    let mut headers = HeaderMap::new();
    headers.insert(PAYMENT_SIGNATURE, HeaderValue::try_from(STANDARD.encode(payment)).expect("a header"));
    headers
}

fn mpp(offers: &Offers, settings: &Settings, payer: &Payer) -> HeaderMap {
    let challenges = offers.headers(&sale(), &open(), "", NONCE, unix_seconds()).expect("offers");
    let line = challenges
        .iter()
        .map(|(_, value)| value.to_str().expect("text"))
        .find(|line| line.starts_with("Payment "));
    let line = line.expect("a challenge");
    let field = |name: &str| {
        let from = line.find(&format!(" {name}=\"")).expect("a field") + name.len() + 3;
        line[from..].split('"').next().expect("a value").to_owned()
    };
    let echo = ["id", "realm", "method", "intent", "request", "expires", "opaque"]
        .map(|name| format!(r#""{name}":"{}""#, field(name)))
        .join(",");
    let nonce = mpp::evm_nonces(&field("id"), &field("realm"))[0];
    let (authorization, signature) = payer.authorize(settings, nonce);
    let credential = format!(
        r#"{{"challenge":{{{echo}}},"payload":{{"type":"authorization","signature":"{signature}",{}}}}}"#,
        fields(&authorization),
    );
    let value = format!("Payment {}", URL_SAFE_NO_PAD.encode(credential));
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::try_from(value).expect("a header"));
    headers
}

fn payment(criterion: &mut Criterion) {
    let (settings, payer) = (settings(), Payer::new());
    let offers = Offers::new(&settings);
    let (sale, open) = (sale(), open());
    let mut group = criterion.benchmark_group("payment");
    group.bench_function("challenge", |bench| {
        bench.iter(|| offers.headers(black_box(&sale), &open, "payment required", NONCE, unix_seconds()));
    });
    for (name, headers) in
        [("x402", x402(&offers, &settings, &payer)), ("mpp_evm", mpp(&offers, &settings, &payer))]
    {
        let verify = |headers: &HeaderMap| {
            let Ok(Presented::Payment(credential)) = present(headers, &offers) else {
                panic!("{name}: not a payment")
            };
            credential.check(&offers, &sale, None, unix_seconds()).expect("a payment for this sale");
            credential
        };
        let key = verify(&headers).key.clone();
        group
            .bench_function(format!("credential/{name}"), |bench| bench.iter(|| verify(black_box(&headers))));
        let ledger =
            Ledger::in_memory(Limits { reply_ttl_s: 60, replies_bytes_max: 1_000_000 }).expect("a ledger");
        group.bench_function(format!("lookup/{name}"), |bench| bench.iter(|| ledger.lookup(black_box(&key))));
    }
    group.finish();
}

criterion_group!(benches, payment);
criterion_main!(benches);
