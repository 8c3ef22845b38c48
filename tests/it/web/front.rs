//! The front page: what it offers can be asked.

use super::{demo, page};
use crate::payment::statuses::Shop;

#[test]
fn what_the_front_page_offers_is_answered() {
    let server = demo();
    let (status, front) = page(&server, "/");
    assert_eq!(status, 200);
    let cards = front.all("li").filter(|card| card.has_class("card"));
    let links: Vec<&str> =
        cards.map(|card| front.within(card, "a").next().unwrap().attribute("href").unwrap()).collect();
    assert_eq!(links.len(), 8);
    for link in links {
        assert_eq!(server.get(link).status, 200, "{link}");
    }
    let form = front.all("form").next().unwrap();
    assert_eq!(form.attribute("action"), Some("/explore/shopper/best-price"));
    assert_eq!(server.get("/explore/shopper/best-price?q=tofu&country=ca").status, 200);
    let figure = front.one("figure");
    assert!(figure.attribute("data-picture").is_some());
    let catalog = server.shared.catalog();
    assert!(front.one("main").text.contains(catalog.id()));
}

#[test]
fn nothing_that_is_sold_is_drawn() {
    let shop = Shop::open();
    let front = super::read("/", &shop.get("/", &[])).1;
    assert!(front.all("figure").next().is_none());
}
