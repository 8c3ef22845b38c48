//! Paid routes over a socket, in the sandbox: the statuses and headers of every kind of credential, held against the
//! description of the interface. Real clients and chains pay in `tests/payments`.

use crate::support::{asking, snapshots, validate};
use std::sync::Arc;

use crate::support::client::{Answer, Client};
use crate::support::payer::{Payer, Terms};
use crate::support::server::TestServer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pricebook::catalog::Catalog;
use pricebook::payment::core::clock::unix_seconds;
use pricebook::payment::core::gate::Gate;
use pricebook::payment::core::offer::{OpenRail, PaymentOffers, REQUEST_BYTES_MAX, Sale};
use pricebook::payment::core::outcome::PaymentReason;
use pricebook::payment::core::rail::RailKind;
use pricebook::payment::core::secret::Secret;
use pricebook::payment::rails::base::BaseRail;
use pricebook::payment::settings::{PUBLIC_URL_BYTES_MAX, Secrets, Settings};
use pricebook::payment::{Mode, rails, start};
use pricebook::query::descriptor::PriceClass;
use pricebook::server::ServerOptions;
use pricebook::server::config::{ServeConfig, ServeFlags};
use pricebook::types::Day;
use pricebook::{endpoints, openapi};
use serde_json::Value;

pub const PATH: &str = "/v1/shopper/best-price?q=sweet+baby+rays+barbecue+sauce&country=ca";
const OTHER: &str = "/v1/shopper/best-price?q=sweet+baby+rays+barbecue+sauce&country=ca&limit=1";
const DEARER: &str = "/v1/analyst/price-bands?node=beer&country=ca";
const NOTHING: &str = "/v1/shopper/best-price?q=qqzzx&country=ca";
const FREE: &str = "/v1/public/coverage";
const HEADER_BYTES_MAX: usize = 4_096;

/// A server that takes test money.
pub struct Shop {
    pub server: TestServer,
    pub gate: Arc<Gate>,
    settings: Settings,
    document: Value,
}

impl Shop {
    pub fn open() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::over(asking::fixture(), change)
    }

    pub fn over(catalog: Arc<Catalog>, change: impl FnOnce(&mut Settings)) -> Self {
        Self::serving(catalog, change, &sandbox())
    }

    /// A server that says it is live, over rails that move no money.
    pub fn live() -> Self {
        let options = ServerOptions { payments: Mode::Live, ..ServerOptions::default() };
        Self::serving(asking::fixture(), |_| {}, &options)
    }

    fn serving(catalog: Arc<Catalog>, change: impl FnOnce(&mut Settings), options: &ServerOptions) -> Self {
        let flags = ServeFlags { payments: Some(Mode::Sandbox), ..ServeFlags::default() };
        let config = ServeConfig::new(flags, None, Secrets::default(), [9; 32]).unwrap();
        let mut settings = config.payment.unwrap();
        change(&mut settings);
        let server = TestServer::real(catalog, options);
        let answering = Arc::downgrade(&server.shared);
        let answerer =
            move |request: &str, media_type: &str| answering.upgrade()?.answer_again(request, media_type);
        let answerer = Arc::new(answerer);
        let _inside = server.runtime.enter();
        let gate = start::open(&settings, answerer).unwrap();
        server.shared.take_payments(Arc::clone(&gate));
        while gate.open().is_empty() {
            std::thread::yield_now();
        }
        let document = serde_json::from_slice(
            &openapi::compact(&endpoints::routes(), &openapi::Terms::default()).unwrap(),
        )
        .unwrap();
        Self { server, gate, settings, document }
    }

    pub fn rail(&self) -> &BaseRail {
        self.settings.rail().unwrap()
    }

    fn connect(&self) -> Client {
        self.server.connect()
    }

    pub fn get(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.connect().send("GET", target, headers)
    }

    /// The offers for a request.
    pub fn offers(&self, target: &str) -> Answer {
        let answer = self.get(target, &[]);
        assert_eq!(answer.status, 402, "{}", answer.text());
        answer
    }

    /// A payment by x402 for a request.
    pub fn x402(&self, target: &str, nonce: &str) -> String {
        let offers = self.offers(target);
        let (accepted, url) = accepted(&offers);
        let price = accepted["amount"].as_str().unwrap().parse().unwrap();
        let terms = Terms::of(self.rail(), price, unix_seconds() + 60);
        Payer::new(3).x402(self.rail(), &accepted.to_string(), &url, terms, nonce)
    }

    /// A payment by MPP for a request that costs `price`.
    pub fn mpp(&self, target: &str, price: u64) -> String {
        let line = self.offers(target).header("www-authenticate").unwrap().to_owned();
        Payer::new(4).mpp(self.rail(), &line, Terms::of(self.rail(), price, unix_seconds() + 60))
    }

    /// Holds a body against the schema that the document names for its code.
    pub fn problem(&self, answer: &Answer, schema: &str) -> Value {
        let body = answer.json();
        let faults = validate::faults(&self.document, &self.document["components"]["schemas"][schema], &body);
        assert!(faults.is_empty(), "{}\n{}", answer.text(), faults.join("\n"));
        body
    }

    /// Sends a payment that is not taken, and checks that it is told why and how to pay.
    pub fn refused(&self, target: &str, headers: &[(&str, &str)], reason: &str) -> Value {
        let answer = self.get(target, headers);
        assert_eq!(answer.status, 402, "{reason}: {}", answer.text());
        let body = self.problem(&answer, "PaymentRequiredProblem");
        assert_eq!(body["error"]["details"]["reason"], reason);
        assert!(answer.header("payment-required").is_some() && answer.header("www-authenticate").is_some());
        body
    }
}

pub fn sandbox() -> ServerOptions {
    ServerOptions { payments: Mode::Sandbox, ..ServerOptions::default() }
}

/// The name of a request: path and canonical query.
pub fn canonical(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap();
    let routes = endpoints::routes();
    let route = routes.iter().find(|route| route.path == path).unwrap();
    let parsed =
        route.parse(query, Day::parse("2026-11-21").unwrap()).unwrap_or_else(|faults| panic!("{faults:?}"));
    format!("{path}?{}", parsed.canonical_query)
}

/// Bytes of header fields as they are sent.
pub fn field_bytes<N: AsRef<str>, V: AsRef<[u8]>>(fields: impl IntoIterator<Item = (N, V)>) -> usize {
    fields.into_iter().map(|(name, value)| name.as_ref().len() + value.as_ref().len() + ": \r\n".len()).sum()
}

/// What a header of x402 says.
pub fn decoded(header: impl AsRef<[u8]>) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// The first requirement of an offer, and the URL of what is offered.
pub fn accepted(offers: &Answer) -> (Value, String) {
    let offer = decoded(offers.header("payment-required").unwrap());
    (offer["accepts"][0].clone(), offer["resource"]["url"].as_str().unwrap().to_owned())
}

fn receipt(answer: &Answer) -> Value {
    decoded(answer.header("payment-response").unwrap())
}

#[test]
fn an_unpaid_request_is_told_how_to_pay() {
    let shop = Shop::open();
    let offers = shop.offers(PATH);
    let body = shop.problem(&offers, "PaymentRequiredProblem");
    assert_eq!(body["error"]["details"]["price"]["atomic"], "10000");
    assert_eq!(offers.header("cache-control"), Some("no-store"));
    assert_eq!(offers.header("payment-mode"), Some("sandbox"));
    let bytes: usize = offers.headers.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    assert!(bytes < HEADER_BYTES_MAX, "{bytes}");
    // No two offers are the same, and HEAD is told the same way.
    assert_ne!(accepted(&offers).0["extra"]["ref"], accepted(&shop.offers(PATH)).0["extra"]["ref"]);
    let payment = shop.x402(PATH, "head");
    let head = shop.connect().send("HEAD", PATH, &[("payment-signature", &payment)]);
    assert_eq!((head.status, head.header("payment-response")), (402, None));
    // What cannot be served is refused without an offer, whatever payment comes with it.
    for (target, status) in [(NOTHING, 404), ("/v1/shopper/best-price", 400)] {
        let answer = shop.get(target, &[("payment-signature", &payment)]);
        assert_eq!((answer.status, answer.header("payment-required")), (status, None));
        assert_eq!(answer.header("www-authenticate"), None);
    }
    assert_eq!(shop.get(FREE, &[("payment-signature", &payment)]).status, 200);
    assert_eq!(shop.get(PATH, &[("payment-signature", &payment)]).status, 200, "it was never charged");
}

#[test]
fn a_payment_buys_one_answer() {
    let shop = Shop::open();
    let (x402, mpp) = (shop.x402(PATH, "one"), shop.mpp(PATH, 10_000));
    for header in [("payment-signature", x402.as_str()), ("authorization", mpp.as_str())] {
        let answer = shop.get(PATH, &[header]);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.header("cache-control").unwrap().contains("private"));
        let tag = answer.header("etag").unwrap();
        if header.0 == "payment-signature" {
            let receipt = receipt(&answer);
            assert_eq!((&receipt["success"], &receipt["transaction"]), (&true.into(), &"".into()));
            assert_eq!(receipt["sandbox"], true);
        } else {
            assert!(answer.header("payment-receipt").is_some());
        }
        // Sent again: the same bytes, from whatever snapshot, and nothing where the client holds them.
        let again = shop.get(PATH, &[header]);
        assert_eq!((again.status, &again.body), (200, &answer.body));
        assert_eq!(again.header("x-data-freshness-hours"), answer.header("x-data-freshness-hours"));
        assert_eq!(shop.get(PATH, &[header, ("if-none-match", tag)]).status, 304);
        // The order of parameters is no other request; another parameter is.
        let turned = "/v1/shopper/best-price?country=ca&q=sweet+baby+rays+barbecue+sauce";
        assert_eq!(shop.get(turned, &[header]).body, answer.body);
        shop.refused(OTHER, &[header], "payment_used");
        shop.refused(DEARER, &[header], "payment_used");
    }
    // A tag alone buys nothing.
    assert_eq!(shop.get(PATH, &[("if-none-match", "*")]).status, 402);
}

#[test]
fn refuses_invalid_or_mismatched_payments() {
    let shop = Shop::open();
    let (rail, payer) = (shop.rail().clone(), Payer::new(5));
    let now = unix_seconds();
    let (accepted, url) = accepted(&shop.offers(PATH));
    let good = Terms::of(&rail, 10_000, now + 60);
    let pay = |accepted: &Value, terms: Terms| payer.x402(&rail, &accepted.to_string(), &url, terms, "bad");
    let changed = |field: &str, value: &str| {
        let mut accepted = accepted.clone();
        accepted[field] = value.into();
        accepted
    };
    let mut forged = accepted.clone();
    forged["extra"]["ref"] = accepted["extra"]["ref"].as_str().unwrap().replace("pb1.", "pb1.A").into();
    let mut unbound = accepted.clone();
    unbound["extra"].as_object_mut().unwrap().remove("ref");
    for (header, reason) in [
        ("%%%".to_owned(), "malformed"),
        (STANDARD.encode("null"), "malformed"),
        ("A".repeat(9_000), "malformed"),
        (pay(&changed("amount", "1"), good), "amount"),
        (pay(&accepted, Terms { value: 9_999, ..good }), "amount"),
        (pay(&accepted, Terms { value: 10_001, ..good }), "amount"),
        (pay(&changed("payTo", "0x0000000000000000000000000000000000000001"), good), "terms"),
        (pay(&changed("network", "eip155:8453"), good), "terms"),
        (pay(&accepted, Terms { to: payer.address, ..good }), "terms"),
        (pay(&accepted, Terms { valid_before: now + 3_600, ..good }), "terms"),
        (pay(&accepted, Terms { valid_after: now + 50, ..good }), "terms"),
        (pay(&accepted, Terms { valid_before: now + 4, ..good }), "expired"),
        (pay(&forged, good), "not_ours"),
        (pay(&unbound, good), "not_ours"),
        (shop.x402(OTHER, "for another request"), "not_ours"),
    ] {
        shop.refused(PATH, &[("payment-signature", &header)], reason);
    }
    let other_domain = BaseRail { eip712_name: "USD Coin".into(), ..rail.clone() };
    let foreign = payer.x402(&other_domain, &accepted.to_string(), &url, good, "bad");
    shop.refused(PATH, &[("payment-signature", &foreign)], "signature");
    // After all of these the same nonce still pays: nothing was claimed. How an address is spelled means nothing, and
    // neither does what nobody asked for.
    let mut spelled = changed("payTo", &rail.pay_to.to_string().to_lowercase());
    spelled["asset"] = rail.asset.to_string().to_lowercase().into();
    spelled["extra"]["unknown"] = 7.into();
    assert_eq!(shop.get(PATH, &[("payment-signature", &pay(&spelled, good))]).status, 200);
    // Challenges.
    for (target, price, reason) in [(OTHER, 10_000, "not_ours"), (PATH, 9_999, "amount")] {
        shop.refused(PATH, &[("authorization", &shop.mpp(target, price))], reason);
    }
    let line = shop.offers(PATH).header("www-authenticate").unwrap().replace("127.0.0.1", "localhost");
    let elsewhere = payer.mpp(&rail, &line, good);
    shop.refused(PATH, &[("authorization", &elsewhere)], "not_ours");
    shop.refused(PATH, &[("authorization", "Payment bnVsbA")], "malformed");
    // Other schemes belong to somebody else.
    assert_eq!(shop.get(PATH, &[("authorization", "Bearer x"), ("x-payment", "y")]).status, 402);
}

#[test]
fn version_1_of_x402_is_told_of_version_2() {
    let shop = Shop::open();
    let version_1 = STANDARD.encode(r#"{"x402Version":1,"scheme":"exact","network":"base","payload":{}}"#);
    let version_2 = shop.x402(PATH, "version");
    let is_told = |body: &Value| {
        let text = body.to_string();
        assert!(text.contains("version 2") && text.contains("PAYMENT-SIGNATURE"), "{text}");
    };
    is_told(&shop.refused(PATH, &[("payment-signature", &version_1)], "malformed"));
    for payment in [version_1.as_str(), version_2.as_str(), "nonsense"] {
        let answer = shop.get(PATH, &[("x-payment", payment)]);
        assert_eq!(answer.status, 402);
        is_told(&shop.problem(&answer, "PaymentRequiredProblem"));
    }
    // A payment of version 2 counts, whatever stands beside it, and free routes read neither.
    let both = [("x-payment", version_1.as_str()), ("payment-signature", version_2.as_str())];
    assert_eq!(shop.get(PATH, &both).status, 200);
    assert_eq!(shop.get("/v1/public/coverage", &[("x-payment", &version_1)]).status, 200);
}

/// A payment is looked up before anything is judged by today's snapshot: the request that it was made for is recognised
/// where it is refused by now, and nobody else's answer is given for it.
#[test]
fn answers_paid_requests_after_the_snapshot_changes() {
    let shop = Shop::open();
    let as_of = shop.server.shared.catalog().as_of();
    let path = "/v1/shopper/best-price?q=sweet+baby+rays+barbecue+sauce&country=ca";
    let history = shop.get(path, &[("payment-signature", &shop.x402(path, "uid"))]).json();
    let uid = history["best_price"]["product_uid"].as_str().unwrap().to_owned();
    let (day, before) = (as_of.plus_days(-1), as_of.plus_days(-2));
    let windowed = |day| format!("/v1/shopper/price-history?product_uid={uid}&country=ca&from={day}");
    let (target, other) = (windowed(day), windowed(before));
    let payment = shop.x402(&target, "window");
    let answer = shop.get(&target, &[("payment-signature", &payment)]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    // Another snapshot is in use now, which ends before that day and knows no such product.
    let folder = tempfile::tempdir().unwrap();
    let tables = snapshots::cleaned(
        "country,platform,product_id,product_name,category_path\nca,shop,1,Red Kettle,Kitchen\n",
        "country,platform,product_id,date,price\nca,shop,1,2020-01-01,100\n",
    );
    let older = Catalog::open(&snapshots::publish_tables(folder.path(), "older", &tables)).unwrap();
    let older = TestServer::real(Arc::new(older), &sandbox());
    assert!(older.shared.catalog().as_of() <= day);
    older.shared.take_payments(Arc::clone(&shop.gate));
    let get = |target: &str, headers: &[(&str, &str)]| older.connect().send("GET", target, headers);
    assert_eq!(get(&target, &[]).status, 400, "it is refused to who has not paid");
    let again = get(&target, &[("payment-signature", &payment)]);
    assert_eq!((again.status, &again.body), (200, &answer.body), "{}", again.text());
    assert_eq!(receipt(&again)["success"], true);
    // Of another request, or of one that cannot be read, nothing is given away.
    for target in [
        other.as_str(),
        &format!("{target}&limit=x"),
        &format!("{target}&from={day}"),
        &target[..target.len() - 2],
    ] {
        let answer = get(target, &[("payment-signature", &payment)]);
        assert!(matches!(answer.status, 400 | 402), "{target}: {}", answer.status);
        assert_eq!(answer.header("payment-response"), None, "{target}");
    }
    // A quote is no request for the answer.
    assert_eq!(get(&format!("{target}&quote=true"), &[("payment-signature", &payment)]).status, 400);
}

/// What is offered can be paid: the longest request that is offered fits into the headers of a 402 with every rail open
/// and the longest public URL, and into those of its payment; a longer one is refused before it is offered.
#[test]
fn the_longest_request_that_is_offered_can_be_paid() {
    let shop = Shop::open();
    let begin = "/v1/shopper/best-price?country=ca&q=sweet+baby+rays+barbecue+sauce";
    let rest = REQUEST_BYTES_MAX - canonical(begin).len() - "%20".len();
    // A word that nothing holds is dropped: it makes the request longer and the answer no other.
    let with = |word: &str| format!("{begin}+{word}");
    let (longest, longer) = (with(&"x".repeat(rest)), with(&"x".repeat(rest + 1)));
    assert_eq!(canonical(&longest).len(), REQUEST_BYTES_MAX);
    // With the longest id of its own that a client gives a request.
    let offers = shop.get(&longest, &[("x-request-id", &"r".repeat(64))]);
    assert_eq!(offers.status, 402, "{}", offers.text());
    let is_offer = |name: &str| ["payment-required", "www-authenticate"].contains(&name);
    let others = offers.headers.iter().filter(|(name, _)| !is_offer(name));
    let others = field_bytes(others.map(|(name, value)| (name, value)));
    for (request, schemes) in [
        (canonical(&longest), &["exact", "exact"][..]),
        (canonical(PATH), &["exact", "exact", "batch-settlement"]),
    ] {
        let offers = longest_offers(request, PriceClass::Deep);
        assert_eq!(offered_schemes(&offers), schemes);
        let all_rails = field_bytes(offers);
        assert!(others + all_rails < HEADER_BYTES_MAX, "{others} + {all_rails}");
    }
    for (header, payment) in
        [("payment-signature", shop.x402(&longest, "long")), ("authorization", shop.mpp(&longest, 10_000))]
    {
        let answer = shop.get(&longest, &[(header, &payment)]);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // Letters beyond ASCII are short in a target and long in an offer.
    let accented = with(&"%c3%a9".repeat(rest / 6 + 1));
    for target in [longer.clone(), accented, format!("{longer}&quote=true")] {
        let refused = shop.get(&target, &[]);
        assert_eq!(refused.status, 414, "{}", refused.text());
        let body = shop.problem(&refused, "UriTooLongProblem");
        assert_eq!(body["error"]["details"]["bytes_max"], REQUEST_BYTES_MAX);
        assert!(!refused.headers.iter().any(|(name, _)| is_offer(name)), "{target}");
    }
}

/// The offers of a request with every rail open, behind the longest public URL.
pub fn longest_offers(request: String, class: PriceClass) -> Vec<(String, Vec<u8>)> {
    let example = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/pricebook.example.toml"));
    let mut example: toml::Table = example.unwrap().parse().unwrap();
    let payment = example["payment"].as_table_mut().unwrap();
    let host = format!("{}.example.net", "a".repeat(PUBLIC_URL_BYTES_MAX - "https://.example.net".len()));
    payment.insert("public_base_url".into(), format!("https://{host}").into());
    let payee = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    for (rail, pay_to) in
        [("base", payee), ("tempo", payee), ("solana", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM")]
    {
        payment["rail"][rail]["pay_to"] = pay_to.into();
    }
    let raw = example.remove("payment").unwrap().try_into().unwrap();
    let secrets = Secrets {
        current: Some(Secret::new("c47d1f9ab3025e86d90f7c1e4ba86325")),
        channel_key: Some(Secret::new("07".repeat(32))),
        ..Secrets::default()
    };
    let settings =
        Settings::new(&raw, Mode::Live, "127.0.0.1:8080".parse().unwrap(), secrets, [0; 32]).unwrap();
    assert_eq!(settings.rails.len(), rails::KINDS.len(), "the example has every rail");
    // Somebody pays the fees where the rail asks for it; an address of 44 letters is the longest.
    let open = |kind: &RailKind| OpenRail { rail: kind.name, fee_payer: Some("1".repeat(44)) };
    let open: Vec<OpenRail> = rails::KINDS.iter().map(open).collect();
    let summary =
        endpoints::routes().iter().map(|route| route.summary).max_by_key(|text| text.len()).unwrap();
    let endpoint = "/v1/shopper/best-price";
    let sale = Sale { endpoint, summary, request, class, media_type: "application/json" };
    let reason =
        PaymentReason::ALL.iter().map(|reason| reason.as_str()).max_by_key(|word| word.len()).unwrap();
    let fields =
        PaymentOffers::new(&settings).headers(&sale, &open, reason, [0xff; 12], 4_000_000_000).unwrap();
    assert_eq!(fields.len(), 3, "x402, and a line each for two methods of MPP");
    fields.into_iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect()
}

/// The schemes that offers of x402 name.
pub fn offered_schemes(offers: &[(String, Vec<u8>)]) -> Vec<String> {
    let (_, header) = offers.iter().find(|(name, _)| name == "payment-required").unwrap();
    let offer = decoded(header);
    let schemes = offer["accepts"].as_array().unwrap().iter();
    schemes.map(|accepts| accepts["scheme"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_payment_at_a_time() {
    let shop = Shop::open();
    let (x402, mpp) = (shop.x402(PATH, "twice"), shop.mpp(PATH, 10_000));
    for (headers, name) in [
        ([("payment-signature", &x402), ("payment-signature", &x402)], "PAYMENT-SIGNATURE"),
        ([("payment-signature", &x402), ("authorization", &mpp)], "Authorization"),
        ([("authorization", &mpp), ("authorization", &mpp)], "Authorization"),
    ] {
        let answer = shop.get(PATH, &headers.map(|(name, value)| (name, value.as_str())));
        assert_eq!(answer.status, 400);
        let body = shop.problem(&answer, "InvalidParamsProblem");
        assert_eq!(body["error"]["details"]["parameters"][0]["parameter"], name);
    }
    // Some clients and proxies join what is repeated.
    for (name, value) in [("payment-signature", &x402), ("authorization", &mpp)] {
        let answer = shop.get(PATH, &[(name, &format!("{value}, {value}"))]);
        assert_eq!(answer.status, 400, "{}", answer.text());
    }
    shop.refused(PATH, &[("payment-signature", "{\"x402Version\":2,\"accepted\":{}}")], "malformed");
    // A credential of another scheme may stand beside the payment.
    let beside = shop.mpp(PATH, 10_000);
    assert_eq!(shop.get(PATH, &[("authorization", &format!("Bearer x, {beside}"))]).status, 200);
    assert_eq!(shop.get(PATH, &[("authorization", "Bearer x"), ("authorization", &beside)]).status, 200);
    // Copies at once: one answer, of which each gets the bytes, now or when it is sent again.
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let copies: Vec<_> =
            (0..20).map(|_| scope.spawn(|| shop.get(PATH, &[("payment-signature", &x402)]))).collect();
        copies.into_iter().map(|copy| copy.join().unwrap()).collect()
    });
    let last = shop.get(PATH, &[("payment-signature", &x402)]);
    for answer in answers {
        match answer.status {
            200 => assert_eq!(answer.body, last.body),
            409 => {
                assert_eq!(answer.header("retry-after"), Some("1"));
                shop.problem(&answer, "PaymentInProgressProblem");
            }
            other => panic!("{other}: {}", answer.text()),
        }
    }
}

#[test]
fn does_not_resell_an_expired_answer() {
    let shop = Shop::with(|settings| settings.replies_bytes_max = 1);
    let first = shop.x402(PATH, "first");
    assert_eq!(shop.get(PATH, &[("payment-signature", &first)]).status, 200, "who paid gets it, kept or not");
    let answer = shop.get(PATH, &[("payment-signature", &first)]);
    assert_eq!(answer.status, 410);
    shop.problem(&answer, "AnswerExpiredProblem");
    assert_eq!(receipt(&answer)["success"], true);
}
