//! The page of a category: each part states the figure of its route, and a live server states none.

use super::html::{Element, Html};
use super::{demo, page, read};
use crate::payment::statuses::Shop;

const FOOD: &str = "/category?category=food&country=ca";

fn findings(page: &Html) -> Vec<&str> {
    page.all("p").filter(|line| line.has_class("finding")).map(|line| line.text.as_str()).collect()
}

fn headline(page: &Html) -> Option<&Element> {
    page.all("div").find(|element| element.has_class("headline"))
}

#[test]
fn the_movement_of_prices_comes_first_with_its_interval() {
    let server = demo();
    let (status, shown) = page(&server, FOOD);
    assert_eq!((status, shown.one("h1").text.as_str()), (200, "Food in Canada"));
    let asked = "/v1/analyst/inflation?category=food&country=ca&time_window=month_over_month";
    let answer = server.get(asked).json();
    let headline = headline(&shown).unwrap();
    let change = answer["lfl_change_pct"].as_f64().unwrap();
    for said in [
        format!("{:.2}\u{a0}%", change.abs()),
        "95 % interval".to_owned(),
        "from September to October 2026".to_owned(),
    ] {
        assert!(headline.text.contains(&said), "{said}: {}", headline.text);
    }
    let includes_zero = answer["lfl_ci95_pct"][0].as_f64().unwrap() <= 0.0
        && answer["lfl_ci95_pct"][1].as_f64().unwrap() >= 0.0;
    assert_eq!(headline.text.contains("not certain"), includes_zero, "{}", headline.text);
}

#[test]
fn every_part_states_its_finding_and_how_it_is_computed() {
    let server = demo();
    let (_, shown) = page(&server, FOOD);
    let stated = findings(&shown);
    assert_eq!(stated.len(), 5, "{stated:?}");
    let leaders =
        server.get("/v1/analyst/price-change-leaders?category=food&country=ca&direction=down").json();
    let first = &leaders["items"][0];
    assert!(stated[2].contains(first["product_name"].as_str().unwrap()), "{}", stated[2]);
    assert_eq!(stated[4], "No listing of this category names its brand.");
    let links = shown.all("a").filter(|link| link.text == "How this is computed");
    assert_eq!(links.count(), 5);
    let (_, memory) = page(&server, "/category?category=memory&country=us");
    let shares = server.get("/v1/marketing/share-of-shelf?category=memory").json();
    let largest = shares["brands"][0]["brand"].as_str().unwrap();
    assert!(findings(&memory).last().unwrap().starts_with(largest));
    // Where prices cannot be compared, the page says why and draws nothing.
    assert!(headline(&memory).unwrap().text.starts_with("No change can be stated"));
    assert_eq!(memory.all("figure").count(), 2);
}

#[test]
fn categories_lead_to_narrower_ones() {
    let server = demo();
    let (status, list) = page(&server, "/category?country=ca");
    assert_eq!(status, 200);
    let food = list.all("a").find(|link| link.text == "Food").unwrap();
    let (_, shown) = page(&server, food.attribute("href").unwrap());
    let narrower = shown.all("ul").find(|list| list.has_class("browse")).unwrap();
    for link in shown.within(narrower, "a") {
        assert_eq!(server.get(link.attribute("href").unwrap()).status, 200);
    }
    let (status, refused) = page(&server, "/category?category=foood&country=ca");
    assert_eq!(status, 404);
    let suggested = refused.all("a").find(|link| {
        link.attribute("href")
            .is_some_and(|target| target.starts_with("/category?") && target.contains("food"))
    });
    assert_eq!(server.get(suggested.unwrap().attribute("href").unwrap()).status, 200);
}

#[test]
fn a_live_server_states_prices_of_answers_and_no_finding() {
    let shop = Shop::live();
    let (status, shown) = read(FOOD, &shop.get(FOOD, &[]));
    assert_eq!(status, 200);
    assert!(headline(&shown).is_none() && findings(&shown).is_empty());
    let main = &shown.one("main").text;
    assert!(main.contains("Understood as Food") && main.contains("How prices moved: 0.02 USD"), "{main}");
    let sandbox = Shop::open();
    let (_, paid) = read(FOOD, &sandbox.get(FOOD, &[]));
    let main = &paid.one("main").text;
    assert!(findings(&paid).len() == 5 && main.contains("of test money for 5 answers"), "{main}");
}
