//! Batches over a socket: they cost what they resolve to, in every offer, and a swap that changes it takes no money for
//! another price.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::statuses::{
    Shop, accepted, canonical, decoded, field_bytes, longest_offers, offered_schemes, sandbox,
};
use crate::support::channel::Channel;
use crate::support::client::Answer;
use crate::support::server::TestServer;
use crate::support::snapshots;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pricebook::catalog::Catalog;
use pricebook::endpoints;
use pricebook::payment::Mode;
use pricebook::payment::core::clock::unix_seconds;
use pricebook::payment::core::offer::BATCH_BYTES_MAX;
use pricebook::payment::core::prices::Prices;
use pricebook::payment::protocols::x402::batch::BATCH;
use pricebook::payment::settings::{Secrets, Settings};
use pricebook::query::descriptor::PriceClass;
use serde_json::Value;

/// Header fields of the offers of a batch.
const HEADER_BYTES_MAX: usize = 8_192;
const UNKNOWN: &str = "p_0000000000000";

/// A catalog of one shop that sells so many things, each another product.
fn selling(things: usize) -> Arc<Catalog> {
    let mut listings = "country,platform,product_id,product_name,category_path\n".to_owned();
    let mut observations = "country,platform,product_id,date,price\n".to_owned();
    for thing in 0..things {
        listings += &format!("us,shop,{thing},Thing {thing},Kitchen\n");
        observations += &format!("us,shop,{thing},2026-10-30,{}\n", thing + 1);
    }
    let out = tempfile::tempdir().unwrap();
    let tables = snapshots::cleaned(&listings, &observations);
    let id = format!("sells-{things}");
    Arc::new(Catalog::open(&snapshots::publish_tables(out.path(), &id, &tables)).unwrap())
}

/// Ids of all products and of their entities.
fn ids(catalog: &Catalog) -> Vec<(String, String)> {
    let rows = 0..catalog.listings.country.len() as u32;
    let listings = rows.map(|row| catalog.listing(row));
    listings.map(|listing| (listing.uid().to_string(), listing.entity_uid().to_string())).collect()
}

fn open(things: usize) -> (Shop, Vec<(String, String)>) {
    let catalog = selling(things);
    let ids = ids(&catalog);
    (Shop::over(catalog, |_| {}), ids)
}

fn best_prices<'a>(uids: impl IntoIterator<Item = &'a str>) -> String {
    let uids: Vec<&str> = uids.into_iter().collect();
    format!("/v1/shopper/best-prices?country=us&product_uid={}", uids.join(","))
}

fn basket<'a>(items: impl IntoIterator<Item = &'a str>, quantity: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("{item}{quantity}")).collect();
    format!("/v1/shopper/basket?country=us&items={}", items.join(","))
}

/// Amounts that offers ask for: of x402, then of MPP.
fn amounts<'a>(offers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut amounts = Vec::new();
    for (name, value) in offers {
        if name == "payment-required" {
            let offer = decoded(value);
            let accepts = offer["accepts"].as_array().unwrap().iter();
            amounts.extend(accepts.map(|accepts| accepts["amount"].as_str().unwrap().to_owned()));
        }
        if name == "www-authenticate" {
            let request = value.split(" request=\"").nth(1).unwrap().split('"').next().unwrap();
            let request: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(request).unwrap()).unwrap();
            amounts.push(request["amount"].as_str().unwrap().to_owned());
        }
    }
    amounts
}

/// Settings of a sandbox that takes vouchers on channels, too.
fn with_channels() -> Settings {
    let payment = r#"
        [rail.base]
        network = "eip155:84532"
        asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
        pay_to = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
        [rail.channels]
    "#;
    let raw = payment.parse::<toml::Table>().unwrap().try_into().unwrap();
    let address = "127.0.0.1:8080".parse().unwrap();
    Settings::new(&raw, Mode::Sandbox, address, Secrets::default(), [9; 32]).unwrap()
}

/// The offer of channels among those of x402.
fn offer_of_channels(offers: &Answer) -> Value {
    let mut offer = decoded(offers.header("payment-required").unwrap());
    let mut accepts = offer["accepts"].as_array_mut().unwrap().drain(..);
    accepts.find(|accepts| accepts["scheme"] == BATCH).unwrap()
}

fn offered(answer: &Answer) -> Vec<String> {
    amounts(answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

#[test]
fn a_batch_costs_what_it_resolves_to_in_offers_and_quotes() {
    let (shop, ids) = open(41);
    for (items, atomic) in [(1, "10000"), (10, "10000"), (11, "20000"), (41, "50000")] {
        let entities = ids[..items].iter().map(|(_, entity)| entity.as_str());
        let uids = ids[..items].iter().map(|(uid, _)| uid.as_str()).chain([UNKNOWN]);
        for (target, requested) in [(basket(entities, ""), items), (best_prices(uids), items + 1)] {
            let offers = shop.offers(&target);
            let body = shop.problem(&offers, "PaymentRequiredProblem");
            assert_eq!(body["error"]["details"]["price"]["atomic"], atomic, "{items}");
            assert_eq!(offered(&offers), [atomic, atomic], "{items}");
            let quote = shop.get(&format!("{target}&quote=true"), &[]);
            assert_eq!(quote.status, 200, "{}", quote.text());
            let quote = quote.json();
            assert_eq!(quote["price"]["atomic"], atomic);
            assert_eq!(
                (&quote["items"]["requested"], &quote["items"]["resolved"]),
                (&requested.into(), &items.into())
            );
            assert!(quote.get("product").is_none());
        }
    }
    // Every rail asks for the same, channels too.
    let request = canonical(&best_prices([ids[0].0.as_str()]));
    let every = longest_offers(request, PriceClass::Batch(11));
    let every = every.iter().map(|(name, value)| (name.as_str(), std::str::from_utf8(value).unwrap()));
    assert_eq!(amounts(every), ["20000"; 5]);
}

#[test]
fn answers_404_without_charge_when_no_item_resolves() {
    let (shop, ids) = open(1);
    let payment = shop.x402(&best_prices([ids[0].0.as_str()]), "kept");
    for target in [best_prices([UNKNOWN]), basket([UNKNOWN], "*2")] {
        for headers in [&[][..], &[("payment-signature", payment.as_str())]] {
            let answer = shop.get(&target, headers);
            assert_eq!(answer.status, 404, "{}", answer.text());
            assert_eq!(answer.json()["error"]["details"]["reason"], "unknown_product");
            assert_eq!((answer.header("payment-required"), answer.header("www-authenticate")), (None, None));
        }
    }
}

#[test]
fn the_longest_batches_that_are_offered_can_be_paid() {
    let (shop, ids) = open(100);
    let all = best_prices(ids.iter().map(|(uid, _)| uid.as_str()));
    let full = basket(ids[..50].iter().map(|(_, entity)| entity.as_str()), "*99");
    let middle = basket(ids[..30].iter().map(|(_, entity)| entity.as_str()), "*9");
    for (target, nonce) in [(&all, "all"), (&full, "full"), (&middle, "middle")] {
        let request = canonical(target);
        assert!(request.len() <= BATCH_BYTES_MAX, "{}", request.len());
        let offers = shop.get(target, &[("x-request-id", &"r".repeat(64))]);
        assert_eq!(offers.status, 402, "{}", offers.text());
        let is_offer = |name: &str| ["payment-required", "www-authenticate"].contains(&name);
        let others = offers.headers.iter().filter(|(name, _)| !is_offer(name));
        let others = field_bytes(others.map(|(name, value)| (name, value)));
        let every = longest_offers(request, PriceClass::Batch(100));
        assert_eq!(offered_schemes(&every), ["exact", "exact", "batch-settlement"]);
        let every = field_bytes(every);
        assert!(others + every < HEADER_BYTES_MAX, "{others} + {every}");
        let price: u64 = accepted(&offers).0["amount"].as_str().unwrap().parse().unwrap();
        let (x402, mpp) = (shop.x402(target, nonce), shop.mpp(target, price));
        for (header, payment) in [("payment-signature", x402), ("authorization", mpp)] {
            assert!(payment.len() < HEADER_BYTES_MAX, "{}", payment.len());
            let answer = shop.get(target, &[(header, &payment)]);
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
    }
}

/// A new snapshot has fewer of the items: what was offered before it pays for nothing after it, and what was paid before
/// it is answered as it was.
#[test]
fn a_payment_of_the_price_before_a_swap_is_told_the_price_after_it() {
    let (shop, wide) = open(11);
    let narrow = selling(10);
    let left: BTreeSet<String> = ids(&narrow).into_iter().map(|(uid, _)| uid).collect();
    let gone = wide.iter().find(|(uid, _)| !left.contains(uid)).expect("a thing that is sold no longer");
    let after = TestServer::real(narrow, &sandbox());
    after.shared.take_payments(Arc::clone(&shop.gate));
    let get = |target: &str, headers: &[(&str, &str)]| after.connect().send("GET", target, headers);
    let target = best_prices(wide.iter().map(|(uid, _)| uid.as_str()));
    let (x402, mpp) = (shop.x402(&target, "one"), shop.mpp(&target, 20_000));
    for header in [("payment-signature", x402.as_str()), ("authorization", mpp.as_str())] {
        let refused = get(&target, &[header]);
        assert_eq!(refused.status, 402, "{}", refused.text());
        let body = shop.problem(&refused, "PaymentRequiredProblem");
        assert_eq!(body["error"]["details"]["reason"], "amount", "{}", header.0);
        assert_eq!(body["error"]["details"]["price"]["atomic"], "10000");
        assert_eq!(offered(&refused), ["10000", "10000"]);
        assert_eq!(refused.header("payment-response"), None);
        // It was neither claimed nor charged: at its price it still pays.
        let paid = shop.get(&target, &[header]);
        assert_eq!(paid.status, 200, "{}", paid.text());
        // From then on it is answered with what it bought, whatever that would cost now.
        let again = get(&target, &[header]);
        assert_eq!((again.status, &again.body), (200, &paid.body), "{}", again.text());
    }
    // The same where nothing of the batch is left.
    let lost = basket([gone.1.as_str()], "");
    let payment = shop.x402(&lost, "lost");
    let unpaid = shop.x402(&lost, "unpaid");
    let paid = shop.get(&lost, &[("payment-signature", &payment)]);
    assert_eq!(paid.status, 200, "{}", paid.text());
    assert_eq!(get(&lost, &[("payment-signature", &payment)]).body, paid.body);
    for headers in [&[][..], &[("payment-signature", unpaid.as_str())]] {
        let refused = get(&lost, headers);
        assert_eq!((refused.status, refused.header("payment-required")), (404, None), "{}", refused.text());
    }
}

/// The same on a channel: a voucher of the price before the swap charges nothing, and its payer is told what was charged.
#[test]
fn a_voucher_of_the_price_before_a_swap_is_told_what_was_charged() {
    let wide = selling(21);
    let ids = ids(&wide);
    let narrow = selling(10);
    let shop = Shop::over(wide, |settings| *settings = with_channels());
    let after = TestServer::real(narrow, &sandbox());
    after.shared.take_payments(Arc::clone(&shop.gate));
    let get =
        |target: &str, payment: &str| after.connect().send("GET", target, &[("payment-signature", payment)]);
    let target = best_prices(ids.iter().map(|(uid, _)| uid.as_str()));
    let accepted = offer_of_channels(&shop.offers(&target));
    assert_eq!(accepted["amount"], "30000");
    let channel = Channel::on(shop.rail(), &accepted, 5);
    // The deposit's own purchase is of the price before, too: nothing is moved for it.
    let opening = channel.deposit(30_000, 1_000_000, unix_seconds() + 60);
    let refused = get(&target, &opening);
    assert_eq!(refused.status, 402, "{}", refused.text());
    let opened = shop.get(&target, &[("payment-signature", &opening)]);
    assert_eq!(opened.status, 200, "{}", opened.text());
    let turned = best_prices(ids.iter().rev().map(|(uid, _)| uid.as_str()));
    let refused = get(&turned, &channel.voucher(60_000));
    assert_eq!(refused.status, 402, "{}", refused.text());
    let body = shop.problem(&refused, "PaymentRequiredProblem");
    assert_eq!(body["error"]["details"]["reason"], "amount");
    assert_eq!(body["error"]["details"]["price"]["atomic"], "10000");
    let told = offer_of_channels(&refused);
    assert_eq!((&told["amount"], refused.header("payment-response")), (&"10000".into(), None));
    let state = &told["extra"]["channelState"];
    assert_eq!((&state["balance"], &state["chargedCumulativeAmount"]), (&"1000000".into(), &"30000".into()));
    // At the price of now it pays, once.
    let paid = get(&turned, &channel.voucher(40_000));
    assert_eq!(paid.status, 200, "{}", paid.text());
    assert_eq!(get(&turned, &channel.voucher(40_000)).body, paid.body, "the same purchase");
    // Back on the catalog before, what was bought there stays what it is, and the next costs what it costs there.
    assert_eq!(shop.get(&turned, &[("payment-signature", &channel.voucher(40_000))]).body, paid.body);
    assert_eq!(shop.get(&target, &[("payment-signature", &channel.voucher(50_000))]).status, 402);
    assert_eq!(shop.get(&target, &[("payment-signature", &channel.voucher(70_000))]).status, 200);
}

/// A batch that is too long to be offered is refused without an offer; one of the longest is offered.
#[test]
fn a_batch_too_long_to_be_offered_is_refused() {
    let (shop, ids) = open(99);
    let all = best_prices(ids.iter().map(|(uid, _)| uid.as_str()));
    // An id that nobody has may be of any length.
    let at = |letters: usize| format!("{all},{}", "z".repeat(letters));
    let letters = BATCH_BYTES_MAX - canonical(&at(1)).len() + 1;
    assert_eq!(canonical(&at(letters)).len(), BATCH_BYTES_MAX);
    shop.offers(&at(letters));
    let longer = at(letters + 1);
    for target in [longer.clone(), format!("{longer}&quote=true")] {
        let refused = shop.get(&target, &[]);
        assert_eq!(refused.status, 414, "{}", refused.text());
        let body = shop.problem(&refused, "UriTooLongProblem");
        assert_eq!(body["error"]["details"]["bytes_max"], BATCH_BYTES_MAX);
        assert_eq!((refused.header("payment-required"), refused.header("www-authenticate")), (None, None));
    }
}

#[test]
fn states_batch_prices_wherever_prices_appear() {
    let (shop, _) = open(1);
    let routes = endpoints::routes();
    for path in ["/v1/shopper/basket", "/v1/shopper/best-prices"] {
        let route = routes.iter().find(|route| route.path == path).unwrap();
        let words = Prices::DEFAULT.words(route).unwrap();
        assert_eq!(words, "0.01 USD for each started group of 10 answered items, at most 0.05 USD");
        for told in ["/llms.txt", "/openapi.json"] {
            assert!(shop.get(told, &[]).text().contains(&words), "{told}");
        }
    }
}
