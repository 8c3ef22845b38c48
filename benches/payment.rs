//! What payment adds to a request, without the network and without the durable write: making the offers of a 402, and
//! reading, authenticating and checking a credential of each kind. `present` and `check` are the whole way of a
//! credential through [`pricebook::payment::credential`]; the limit for each is 100 µs.

#[path = "../tests/it/support/payer.rs"]
#[allow(unreachable_pub)]
mod payer;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use payer::{Payer, Terms};
use pricebook::config::{ServeConfig, ServeWish};
use pricebook::payment::Mode;
use pricebook::payment::claim::{ClaimStore, Rail};
use pricebook::payment::clock::unix_seconds;
use pricebook::payment::credential::{PAYMENT_SIGNATURE, Presented, present};
use pricebook::payment::ledger::{Ledger, Limits};
use pricebook::payment::offer::{Offers, Open, Sale};
use pricebook::payment::reference::{LABEL_BASE, Reference};
use pricebook::payment::settings::{EvmRail, Secrets, Settings};
use pricebook::payment::x402::Requirement;
use pricebook::query::endpoint::PriceClass;

const NONCE: [u8; 12] = [7; 12];

fn settings() -> Settings {
    let wish = ServeWish { payments: Some(Mode::Sandbox), ..ServeWish::default() };
    let config = ServeConfig::new(wish, None, Secrets::default(), [9; 32]).expect("a sandbox needs nothing");
    let mut settings = config.payment.expect("settings");
    settings.offer_ttl_s = 600;
    settings
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

fn x402(offers: &Offers, rail: &EvmRail, payer: &Payer) -> HeaderMap {
    let secret = offers.secrets()[0].to_owned();
    let reference =
        Reference::make(&secret, LABEL_BASE, &sale().request, 10_000, NONCE, unix_seconds() + offers.ttl_s);
    let terms = offers.base.as_ref().expect("a rail");
    let accepted = Requirement::evm(&terms.rail, 10_000, offers.ttl_s, Some(reference));
    let accepted = serde_json::to_string(&accepted).expect("JSON");
    let pays = Terms::of(rail, 10_000, unix_seconds() + offers.ttl_s);
    let value = payer.x402(rail, &accepted, &offers.url(&sale()), pays, "nonce");
    HeaderMap::from_iter([(PAYMENT_SIGNATURE, HeaderValue::try_from(value).expect("a header"))])
}

fn mpp(offers: &Offers, rail: &EvmRail, payer: &Payer) -> HeaderMap {
    let challenges = offers.headers(&sale(), &open(), "", NONCE, unix_seconds()).expect("offers");
    let (_, line) = challenges.iter().find(|(name, _)| name == WWW_AUTHENTICATE).expect("a challenge");
    let pays = Terms::of(rail, 10_000, unix_seconds() + offers.ttl_s);
    let value = payer.mpp(rail, line.to_str().expect("text"), pays);
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(value).expect("a header"))])
}

fn payment(criterion: &mut Criterion) {
    let (settings, payer) = (settings(), Payer::new(3));
    let offers = Offers::new(&settings);
    let rail = settings.base.as_ref().expect("a rail");
    let (sale, open) = (sale(), open());
    let mut group = criterion.benchmark_group("payment");
    group.bench_function("challenge", |bench| {
        bench.iter(|| offers.headers(black_box(&sale), &open, "payment required", NONCE, unix_seconds()));
    });
    for (name, headers) in [("x402", x402(&offers, rail, &payer)), ("mpp_evm", mpp(&offers, rail, &payer))] {
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
