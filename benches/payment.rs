//! What payment adds to a request, without the network and without the durable write: making the offers of a 402, and
//! reading, authenticating and checking a credential of each kind. `present` and `check` are the whole way of a
//! credential through [`pricebook::payment::core::credential`]; the limit for each is 100 µs.

#[path = "../tests/it/support/payer.rs"]
#[allow(unreachable_pub, clippy::unwrap_used, reason = "the tests share it among their files")]
mod payer;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use payer::{Payer, Terms};
use pricebook::payment::Mode;
use pricebook::payment::core::claim::ClaimStore;
use pricebook::payment::core::clock::unix_seconds;
use pricebook::payment::core::credential::{PAYMENT_SIGNATURE, PresentedPayment, present};
use pricebook::payment::core::offer::{OpenRail, PaymentOffers, Sale};
use pricebook::payment::core::reference::OfferReference;
use pricebook::payment::ledger::{Ledger, ReplyLimits};
use pricebook::payment::rails::base::{self, BaseRail};
use pricebook::payment::settings::{Secrets, Settings};
use pricebook::query::descriptor::PriceClass;
use pricebook::server::config::{ServeConfig, ServeFlags};

const NONCE: [u8; 12] = [7; 12];

fn settings() -> Settings {
    let flags = ServeFlags { payments: Some(Mode::Sandbox), ..ServeFlags::default() };
    let config = ServeConfig::new(flags, None, Secrets::default(), [9; 32]).expect("a sandbox needs nothing");
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
        media_type: "application/json",
    }
}

fn open() -> Vec<OpenRail> {
    vec![OpenRail { rail: base::NAME, fee_payer: None }]
}

fn x402(offers: &PaymentOffers, rail: &BaseRail, payer: &Payer) -> HeaderMap {
    let secret = offers.secrets()[0].to_owned();
    let reference = OfferReference::make(
        &secret,
        base::LABEL,
        &sale().request,
        10_000,
        NONCE,
        unix_seconds() + offers.ttl_s,
    );
    let accepted = rail.requirement(10_000, offers.ttl_s, Some(reference));
    let accepted = serde_json::to_string(&accepted).expect("JSON");
    let pays = Terms::of(rail, 10_000, unix_seconds() + offers.ttl_s);
    let value = payer.x402(rail, &accepted, &offers.url(&sale()), pays, "nonce");
    HeaderMap::from_iter([(PAYMENT_SIGNATURE, HeaderValue::try_from(value).expect("a header"))])
}

fn mpp(offers: &PaymentOffers, rail: &BaseRail, payer: &Payer) -> HeaderMap {
    let challenges = offers.headers(&sale(), &open(), "", NONCE, unix_seconds()).expect("offers");
    let (_, line) = challenges.iter().find(|(name, _)| name == WWW_AUTHENTICATE).expect("a challenge");
    let pays = Terms::of(rail, 10_000, unix_seconds() + offers.ttl_s);
    let value = payer.mpp(rail, line.to_str().expect("text"), pays);
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(value).expect("a header"))])
}

fn payment(criterion: &mut Criterion) {
    let (settings, payer) = (settings(), Payer::new(3));
    let offers = PaymentOffers::new(&settings);
    let rail = settings.rail::<BaseRail>().expect("a rail");
    let (sale, open) = (sale(), open());
    let mut group = criterion.benchmark_group("payment");
    group.bench_function("challenge", |bench| {
        bench.iter(|| offers.headers(black_box(&sale), &open, "payment required", NONCE, unix_seconds()));
    });
    for (name, headers) in [("x402", x402(&offers, rail, &payer)), ("mpp_evm", mpp(&offers, rail, &payer))] {
        let verify = |headers: &HeaderMap| {
            let Ok(PresentedPayment::Payment(credential)) = present(headers, &offers) else {
                panic!("{name}: not a payment")
            };
            credential.check(&offers, &sale, None, unix_seconds()).expect("a payment for this sale");
            credential
        };
        let key = verify(&headers).key.clone();
        group
            .bench_function(format!("credential/{name}"), |bench| bench.iter(|| verify(black_box(&headers))));
        let ledger = Ledger::in_memory(ReplyLimits { reply_ttl_s: 60, replies_bytes_max: 1_000_000 })
            .expect("a ledger");
        group.bench_function(format!("lookup/{name}"), |bench| bench.iter(|| ledger.lookup(black_box(&key))));
    }
    group.finish();
}

criterion_group!(benches, payment);
criterion_main!(benches);
