//! What a newcomer types first, over the demo that the program carries: the thing is found, or the refusal helps.

use crate::support::asking::{Service, demo};

/// What is not there, though the catalog has the words: as a flavour, a label, a part of another name.
const REFUSED: [(&str, &str); 9] = [
    ("ca", "ketchup"),
    ("ca", "toilet paper"),
    ("ca", "iphone 15"),
    ("ca", "nintendo switch"),
    ("ca", "papier hygiénique"),
    ("ca", "lunettes de soleil"),
    ("us", "playstation 5"),
    ("us", "window cleaner"),
    ("us", "mesh wifi router"),
];

/// Words for a product, and what the name of the one that is found says.
const PRODUCTS: [(&str, &str, &str); 16] = [
    ("ca", "tofu", "tofu"),
    ("ca", "salmon", "salmon"),
    ("ca", "greek yogurt", "greek yogurt"),
    ("ca", "bananas", "bananas"),
    ("ca", "brown rice", "brown rice"),
    ("ca", "chicken breast", "chicken breast"),
    ("ca", "eggs", "eggs"),
    ("ca", "chedar cheese", "cheddar cheese"),
    ("ca", "vin rouge", "rouge"),
    ("ca", "vodka", "vodka"),
    ("us", "rtx 4090", "rtx 4090"),
    ("us", "ryzen 7 7800x3d", "ryzen 7 7800x3d"),
    ("us", "samsung 990 pro", "samsung 990 pro"),
    ("us", "mechanical keyboard", "mechanical"),
    ("us", "logitec mouse", "logitech"),
    ("us", "noctua fan", "noctua"),
];

#[test]
fn answers_typical_first_questions() {
    let service = Service::new(demo());
    let ask = |words: &str, country: &str| {
        let q = words.replace(' ', "+");
        service.ask(&format!("/v1/shopper/best-price?q={q}&country={country}"))
    };
    for (country, words, meant) in PRODUCTS {
        let (status, answer) = ask(words, country);
        let name = answer["resolved_product"]["product_name"].to_string().to_lowercase();
        assert!(status == 200 && name.contains(meant), "{words}: {status} {name}");
    }

    for (country, words) in REFUSED {
        let (status, refusal) = ask(words, country);
        let details = &refusal["error"]["details"];
        assert_eq!((status, &details["reason"]), (404, &"unknown_product".into()), "{words}: {refusal}");
    }

    let (status, shelf) =
        service.ask("/v1/marketing/competitive-landscape?category=bi%C3%A8re&country=ca&limit=1");
    assert_eq!((status, &shelf["category"]), (200, &"Beer".into()));
    let (status, brand) = service.ask("/v1/marketing/brand-tracker?brand=corsair&country=us");
    assert_eq!((status, &brand["brand"]), (200, &"Corsair".into()));

    // The other country has it; nobody has it.
    for (words, other) in [("tofu", "ca".into()), ("sofa", serde_json::Value::Null)] {
        let (status, refusal) = ask(words, "us");
        let details = &refusal["error"]["details"];
        assert_eq!((status, &details["reason"]), (404, &"unknown_product".into()), "{words}");
        assert_eq!(details["other_country"], other, "{words}");
    }
}
