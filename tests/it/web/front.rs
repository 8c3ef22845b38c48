//! The front page: what it offers can be asked.

use super::{demo, page};

#[test]
fn front_page_examples_resolve() {
    let server = demo();
    let (status, front) = page(&server, "/");
    assert_eq!(status, 200);
    let examples = front.all("ul").find(|list| list.has_class("examples")).unwrap();
    let links: Vec<&str> = front.within(examples, "a").map(|link| link.attribute("href").unwrap()).collect();
    assert_eq!(links.len(), 4);
    for link in links {
        let (status, product) = page(&server, link);
        assert_eq!(status, 200, "{link}");
        assert!(product.one("main").text.contains("lowest of "), "{link}");
    }
    let form = front.all("form").next().unwrap();
    assert_eq!(form.attribute("action"), Some("/product"));
    assert_eq!(server.get("/product?q=tofu&country=ca").status, 200);
    let catalog = server.shared.catalog();
    assert!(front.one("main").text.contains(catalog.id()));
}
