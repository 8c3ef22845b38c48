//! What one country has not and the other has is refused with the name of the other, whatever was asked for.

use serde_json::{Value, json};

use crate::support::asking::{Service, build};

/// A product that both countries have, one of each country alone, one that Canada had long ago, and a brand and a shelf
/// of each country alone.
fn shops() -> Service {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let listings = "country,platform,product_id,product_name,brand,gtin,category_path\n\
                    us,alpha,1,Black Tea,Leaf,4006381333931,Grocery > Tea\n\
                    ca,boreal,1,Black Tea,Leaf,4006381333931,Grocery > Tea\n\
                    ca,boreal,2,Maple Syrup,Sucre,0041570054161,Grocery > Syrups\n\
                    us,alpha,3,Corn Syrup,Karo,0036000291452,Pantry > Sweeteners\n\
                    ca,boreal,4,Old Stout,Brune,0012345678905,Cellar > Stouts\n";
    let observations = "country,platform,product_id,date,price\nus,alpha,1,2026-10-15,4.00\n\
                        ca,boreal,1,2026-10-15,5.00\nca,boreal,2,2026-10-15,9.00\n\
                        us,alpha,3,2026-10-15,3.00\nca,boreal,4,2026-01-15,7.00\n";
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    Service::new(build(&[input.path().to_owned()], out.path()))
}

fn uids(service: &Service, target: &str) -> [String; 2] {
    let product = &service.ask(target).1["resolved_product"];
    ["product_uid", "entity_uid"].map(|name| product[name].as_str().unwrap().to_owned())
}

/// The other country that a refusal names.
fn other(service: &Service, target: &str) -> Value {
    let (status, body) = service.ask(target);
    assert_eq!((status, &body["error"]["code"]), (404, &json!("NO_RESULTS")), "{target}: {body}");
    body["error"]["details"]["other_country"].clone()
}

#[test]
fn the_other_country_is_named_if_it_has_the_product() {
    let service = shops();
    let [product, entity] = uids(&service, "/v1/shopper/best-price?q=maple+syrup&country=ca");
    for path in ["best-price", "price-history", "price-drop-alert"] {
        for asked in [
            "q=maple+sucre".into(),
            "q=0041570054161".into(),
            format!("product_uid={product}"),
            format!("entity_uid={entity}"),
        ] {
            assert_eq!(other(&service, &format!("/v1/shopper/{path}?{asked}")), "ca", "{path} {asked}");
        }
        let nowhere = ["q=zzyqx", "q=4006381333948", "product_uid=p_0000000000000"];
        for asked in nowhere {
            assert_eq!(
                other(&service, &format!("/v1/shopper/{path}?{asked}")),
                Value::Null,
                "{path} {asked}"
            );
        }
        // What has no price there is not there.
        assert_eq!(other(&service, &format!("/v1/shopper/{path}?q=0012345678905")), Value::Null, "{path}");
    }
}

#[test]
fn the_other_country_is_named_if_it_has_the_shelf() {
    let service = shops();
    for (path, name) in [
        ("/v1/shopper/deal-finder", "category"),
        ("/v1/marketing/competitive-landscape", "category"),
        ("/v1/marketing/promo-intelligence", "category"),
        ("/v1/marketing/share-of-shelf", "category"),
        ("/v1/analyst/inflation", "category"),
        ("/v1/analyst/price-bands", "node"),
        ("/v1/analyst/price-dispersion", "category"),
    ] {
        assert_eq!(other(&service, &format!("{path}?{name}=syrups")), "ca", "{path}");
        assert_eq!(other(&service, &format!("{path}?{name}=sweeteners&country=ca")), "us", "{path}");
        assert_eq!(other(&service, &format!("{path}?{name}=zzyqx")), Value::Null, "{path}");
        assert_eq!(other(&service, &format!("{path}?{name}=stouts")), Value::Null, "{path}");
        // A shelf of its own that is empty by now.
        if path != "/v1/marketing/promo-intelligence" && path != "/v1/analyst/inflation" {
            assert_eq!(other(&service, &format!("{path}?{name}=stouts&country=ca")), Value::Null, "{path}");
        }
    }
    assert_eq!(other(&service, "/v1/analyst/inflation?department=pantry&country=ca"), "us");
    assert_eq!(
        other(&service, "/v1/analyst/price-dispersion?category=tea&department=pantry&country=ca"),
        Value::Null
    );
}

#[test]
fn the_other_country_is_named_if_it_has_the_brand() {
    let service = shops();
    let tracked = "/v1/marketing/brand-tracker?brand=";
    assert_eq!(other(&service, &format!("{tracked}sucre")), "ca");
    assert_eq!(other(&service, &format!("{tracked}karo&country=ca")), "us");
    assert_eq!(other(&service, &format!("{tracked}zzyqx")), Value::Null);
    assert_eq!(other(&service, &format!("{tracked}brune")), Value::Null, "no price of late");
    assert_eq!(other(&service, &format!("{tracked}brune&country=ca")), Value::Null);
    assert_eq!(other(&service, &format!("{tracked}leaf&category=syrups&country=us")), "ca", "the shelf");
    let promoted = "/v1/marketing/promo-intelligence?category=tea&brand=";
    assert_eq!(other(&service, &format!("{promoted}sucre")), "ca");
}

#[test]
fn the_message_says_what_to_ask() {
    let service = shops();
    let route = service.routes.iter().find(|route| route.path == "/v1/marketing/brand-tracker").unwrap();
    let parsed = route.parse("brand=sucre", service.catalog.as_of()).unwrap_or_else(|_| panic!("in order"));
    let Err(refusal) = parsed.resolve(&service.catalog) else { panic!("us has no such brand") };
    let problem = pricebook::server::problem::Problem::from(refusal);
    let message = &problem.error.message;
    assert!(message.ends_with("ca has a match: ask with country=ca"), "{message}");
    assert_eq!(problem.detail, "Ask with country=ca.");
}
