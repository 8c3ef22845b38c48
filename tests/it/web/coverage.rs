//! The coverage map against the route that it shows.

use std::collections::BTreeMap;

use super::{demo, page};

#[test]
fn the_map_has_every_cell_and_each_leads_on() {
    let server = demo();
    for country in ["ca", "us"] {
        let answer = server.get(&format!("/v1/public/coverage?limit=1000&country={country}")).json();
        let (status, map) = page(&server, &format!("/coverage?country={country}"));
        assert_eq!(status, 200);
        let rows = map.cells(map.one("table"));
        let roots: Vec<&str> = rows[0][2..].iter().map(String::as_str).collect();
        let mut shown: BTreeMap<(String, String), String> = BTreeMap::new();
        for row in &rows[1..rows.len() - 1] {
            for (root, cell) in roots.iter().zip(&row[2..]).filter(|(_, cell)| *cell != "–none") {
                shown.insert((row[0].clone(), root.replace(' ', "-")), cell.clone());
            }
        }
        let cells = answer["items"].as_array().unwrap();
        assert_eq!(shown.len(), cells.len());
        for cell in cells {
            let text = |name: &str| cell[name].as_str().unwrap().to_owned();
            let said = &shown[&(text("platform"), text("category_root"))];
            let expected = format!(
                "{}{}, {} fresh, ",
                cell["priced_product_count"],
                text("quality_status"),
                cell["recent_priced_product_count"]
            );
            assert!(said.starts_with(&expected), "{said} is {cell}");
        }
        let links = map.within(map.one("table"), "a").filter_map(|link| link.attribute("href"));
        for link in links {
            assert_eq!(server.get(link).status, 200, "{link}");
        }
    }
}

#[test]
fn the_map_begins_with_the_country_that_has_most_retailers() {
    let server = demo();
    let (_, map) = page(&server, "/coverage");
    let current = map.all("a").filter(|link| link.attribute("aria-current") == Some("page"));
    assert!(current.into_iter().any(|link| link.text == "Canada"));
}
