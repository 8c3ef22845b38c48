//! The page of a product: the price comes first, and nothing is said that the answer does not say.

use super::html::{Element, Html};
use super::{demo, page, read};
use crate::payment::statuses::Shop;

const SAUCE: &str = "q=sweet+baby+rays+barbecue+sauce&country=ca";

fn with_class<'a>(page: &'a Html, name: &'a str, class: &str) -> Option<&'a Element> {
    page.all(name).find(|element| element.has_class(class))
}

#[test]
fn the_price_of_the_answer_comes_first() {
    let server = demo();
    let (status, page) = page(&server, &format!("/product?{SAUCE}"));
    let answer = server.get(&format!("/v1/shopper/best-price?{SAUCE}")).json();
    let best = &answer["best_price"];
    assert_eq!((status, page.one("h1").text.as_str()), (200, best["product_name"].as_str().unwrap()));
    let headline = with_class(&page, "div", "headline").unwrap();
    let price = format!("${:.2} CAD", best["price"].as_f64().unwrap());
    for said in [
        price.as_str(),
        best["retailer"].as_str().unwrap(),
        "in stock",
        "October 2026",
        "lowest of 2 retailers",
    ] {
        assert!(headline.text.contains(said), "{said}: {}", headline.text);
    }
    let offers = page.all("table").next().unwrap();
    assert_eq!(page.cells(offers).len(), 2 + answer["other_prices"].as_array().unwrap().len());
    let finding = with_class(&page, "p", "finding").unwrap();
    assert!(finding.text.contains("days seen since"), "{}", finding.text);
    let order: Vec<usize> = ["class=\"headline\"", "<table", "class=\"finding\"", "Related products"]
        .into_iter()
        .map(|part| server.get(&format!("/product?{SAUCE}")).text().find(part).unwrap())
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn every_product_of_a_page_has_a_page() {
    let server = demo();
    let (_, found) = page(&server, &format!("/product?{SAUCE}"));
    let links = found.all("a").filter_map(|link| link.attribute("href"));
    let links: Vec<&str> = links.filter(|link| link.starts_with("/product?product_uid=")).collect();
    assert!(!links.is_empty());
    for link in links {
        let (status, product) = page(&server, link);
        assert_eq!(status, 200, "{link}");
        assert!(with_class(&product, "div", "headline").is_some(), "{link}");
    }
}

#[test]
fn a_refusal_leads_on() {
    let server = demo();
    let (status, refused) = page(&server, "/product?q=tofu&country=us");
    assert_eq!(status, 404);
    let links = refused.all("a").filter_map(|link| link.attribute("href"));
    let elsewhere =
        links.into_iter().find(|link| link.starts_with("/product?") && link.contains("country=ca"));
    assert_eq!(server.get(elsewhere.unwrap()).status, 200);
    let (status, empty) = page(&server, "/product");
    assert_eq!((status, empty.all("form").count()), (200, 1));
}

#[test]
fn a_live_server_shows_no_price_of_a_product() {
    let shop = Shop::live();
    let target = "/product?q=tofu&country=ca";
    let (status, shown) = read(target, &shop.get(target, &[]));
    assert_eq!(status, 200);
    assert!(with_class(&shown, "div", "headline").is_none() && shown.all("figure").next().is_none());
    let main = &shown.one("main").text;
    assert!(main.contains("An answer costs") && main.contains("0.01"), "{main}");
}

#[test]
fn a_sandbox_pays_for_its_page_and_says_so() {
    let shop = Shop::open();
    let (status, shown) = read("/product", &shop.get(&format!("/product?{SAUCE}"), &[]));
    assert_eq!(status, 200);
    let headline = with_class(&shown, "div", "headline").unwrap();
    assert!(headline.text.contains("CAD"), "{}", headline.text);
    let main = &shown.one("main").text;
    assert!(main.contains("paid 0.02 USD of test money for 2 answers"), "{main}");
    // A second visit is another purchase, not the same payment again.
    let (status, again) = read("/product", &shop.get(&format!("/product?{SAUCE}"), &[]));
    assert_eq!((status, again.one("main").text == *main), (200, true));
    let refused = shop.get("/product?q=qqzzx&country=ca", &[]);
    assert!(refused.status == 404 && !refused.text().contains("test money"), "{}", refused.text());
}
