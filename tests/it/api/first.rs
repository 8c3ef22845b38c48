//! The request that a starting server proposes is answered, whatever its catalog holds.

use pricebook::endpoints;

use crate::oracle;
use crate::support::asking::{Service, build, demo};

#[test]
fn the_first_request_is_answered_by_any_catalog() {
    let demo = Service::new(demo());
    let (status, answer) = demo.ask(&endpoints::first_request(&demo.catalog));
    assert_eq!(status, 200);
    let items = answer["items"].as_array().unwrap();
    assert_eq!(items.len(), 3, "{answer}");
    assert_ne!(answer["category"], "Uncategorized");
    for seed in 1..6 {
        let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        oracle::write_input(input.path(), seed);
        let service = Service::new(build(&[input.path().to_owned()], out.path()));
        let first = endpoints::first_request(&service.catalog);
        assert_eq!(service.ask(&first).0, 200, "{first}");
    }
}

#[test]
fn the_first_request_can_be_pasted() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let listings = "country,platform,product_id,product_name,category_path\n\
                    us,alpha,1,Crème Brûlée,Desserts > Crèmes & Flans\n";
    let observations = "country,platform,product_id,date,price\nus,alpha,1,2026-10-15,4.00\n";
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let service = Service::new(build(&[input.path().to_owned()], out.path()));
    let first = endpoints::first_request(&service.catalog);
    assert!(first.starts_with("/v1/marketing/competitive-landscape?category=desserts/"), "{first}");
    assert!(first.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\''), "{first}");
    let (status, answer) = service.ask(&first);
    assert_eq!((status, &answer["items"][0]["price"]), (200, &serde_json::json!(4.0)));
}
