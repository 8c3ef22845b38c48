//! Paid tools at a server that takes test money: both protocols in one answer, each paid in the metadata of a call.

use super::{call, call_with, text};
use crate::payment::statuses::Shop;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const TARGET: &str = "/v1/shopper/best-price?q=sweet+baby+rays+barbecue+sauce&country=ca&limit=1";

fn arguments() -> Value {
    json!({ "q": "sweet baby rays barbecue sauce", "country": "ca", "limit": 1 })
}

/// A header's JSON.
fn json_of(header: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// A credential as MCP carries it: the challenge's request as an object.
fn credential(shop: &Shop) -> Value {
    let header = shop.mpp(TARGET, 10_000);
    let decoded = URL_SAFE_NO_PAD.decode(header.strip_prefix("Payment ").unwrap()).unwrap();
    let mut credential: Value = serde_json::from_slice(&decoded).unwrap();
    let request = URL_SAFE_NO_PAD.decode(credential["challenge"]["request"].as_str().unwrap()).unwrap();
    credential["challenge"]["request"] = serde_json::from_slice(&request).unwrap();
    credential
}

#[test]
fn an_unpaid_call_has_the_offers_of_both_protocols() {
    let shop = Shop::open();
    let result = call(&shop.server, "best_price", &arguments());
    assert_eq!(result["isError"], true);
    let offers = &result["structuredContent"];
    assert_eq!(&text(&result, 0), offers, "both forms are one");
    assert_eq!((&offers["x402Version"], &offers["accepts"][0]["amount"]), (&json!(2), &json!("10000")));
    let told = result["content"][1]["text"].as_str().unwrap();
    assert!(told.contains("0.01 USD") && told.contains("_meta"), "{told}");
    let challenges = &result["_meta"]["org.paymentauth/payment-required"];
    assert_eq!(challenges["httpStatus"], 402);
    assert_eq!(challenges["challenges"][0]["request"]["amount"], "10000");
    // What is free is answered, and what cannot be answered is refused without an offer.
    assert_eq!(call(&shop.server, "retailers", &json!({}))["isError"], false);
    let refused = call(&shop.server, "best_price", &json!({ "q": "qqzzx" }));
    assert_eq!((&refused["structuredContent"]["code"], refused.get("_meta")), (&json!("NO_RESULTS"), None));
}

#[test]
fn a_payment_by_x402_buys_one_answer() {
    let shop = Shop::open();
    let meta = json!({ "x402/payment": json_of(&shop.x402(TARGET, "mcp")) });
    let result = call_with(&shop.server, "best_price", &arguments(), &meta);
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["_meta"]["x402/payment-response"]["success"], true);
    assert!(text(&result, 0)["best_price"].is_object());
    // The same payment: the same answer, over HTTP too. Another request with it: none.
    let again = call_with(&shop.server, "best_price", &arguments(), &meta);
    assert_eq!(again["content"], result["content"]);
    let header = STANDARD.encode(meta["x402/payment"].to_string());
    let over_http = shop.get(TARGET, &[("payment-signature", &header)]);
    assert_eq!(Some(&*over_http.text()), result["content"][0]["text"].as_str());
    let other = call_with(&shop.server, "best_price", &json!({ "q": "tofu", "country": "ca" }), &meta);
    assert_eq!(other["isError"], true);
    assert!(other["content"][1]["text"].as_str().unwrap().contains("payment"), "{other}");
}

#[test]
fn a_payment_by_mpp_buys_one_answer() {
    let shop = Shop::open();
    let credential = credential(&shop);
    let meta = json!({ "org.paymentauth/credential": credential });
    let result = call_with(&shop.server, "best_price", &arguments(), &meta);
    assert_eq!(result["isError"], false, "{result}");
    let receipt = &result["_meta"]["org.paymentauth/receipt"];
    assert_eq!(
        (&receipt["status"], &receipt["challengeId"]),
        (&json!("success"), &credential["challenge"]["id"])
    );
    let again = call_with(&shop.server, "best_price", &arguments(), &meta);
    assert_eq!(again["content"], result["content"]);
}

#[test]
fn reports_invalid_payments_without_charging() {
    let shop = Shop::open();
    let x402 = json_of(&shop.x402(TARGET, "both"));
    for (meta, told) in [
        (json!({ "x402/payment": "nonsense" }), "x402/payment"),
        (json!({ "org.paymentauth/credential": { "challenge": 1 } }), "x402/payment"),
        (json!({ "x402/payment": null }), "x402/payment"),
        (json!({ "x402/payment": x402, "org.paymentauth/credential": credential(&shop) }), "INVALID_PARAMS"),
    ] {
        let result = call_with(&shop.server, "best_price", &arguments(), &meta);
        assert_eq!(result["isError"], true, "{meta}");
        let mut texts =
            result["content"].as_array().unwrap().iter().map(|text| text["text"].as_str().unwrap());
        assert!(texts.next_back().unwrap().contains(told), "{result}");
    }
    // Nothing of it was charged: the good one still pays.
    let meta = json!({ "x402/payment": x402 });
    assert_eq!(call_with(&shop.server, "best_price", &arguments(), &meta)["isError"], false);
}
