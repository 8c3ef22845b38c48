//! Batches over a socket: they cost what they resolve to, in every offer, and a swap that changes it takes no money for
//! another price.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::statuses::{Shop, accepted, canonical, field_bytes, longest_offers, offered_schemes, sandbox};
use crate::support::client::Answer;
use crate::support::server::TestServer;
use crate::support::snapshots;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use pricebook::api;
use pricebook::catalog::Catalog;
use pricebook::payment::core::offer::BATCH_BYTES_MAX;
use pricebook::payment::core::prices::Prices;
use pricebook::query::endpoint::PriceClass;
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
            let offer: Value = serde_json::from_slice(&STANDARD.decode(value).unwrap()).unwrap();
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
fn what_resolves_to_nothing_is_not_found_for_free() {
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

#[test]
fn what_a_batch_costs_is_told_wherever_prices_are() {
    let (shop, _) = open(1);
    let routes = api::routes();
    for path in ["/v1/shopper/basket", "/v1/shopper/best-prices"] {
        let route = routes.iter().find(|route| route.path == path).unwrap();
        let words = Prices::DEFAULT.words(route).unwrap();
        assert_eq!(words, "0.01 USD for each 10 answered items begun, at most 0.05 USD");
        for told in ["/llms.txt", "/openapi.json"] {
            assert!(shop.get(told, &[]).text().contains(&words), "{told}");
        }
    }
}
