//! Snapshots made of canonical tables, packed and published as real ones are.

use std::path::{Path, PathBuf};

use pricebook::build::canonical::{Canonical, Category, Listings, NONE, Observations};
use pricebook::build::pack::{Linking, pack};
use pricebook::domain::INTERFACE_VERSION;
use pricebook::domain::{Condition, Country, Day, EntityUid, ProductUid};
use pricebook::snapshot::Strings;
use pricebook::snapshot::manifest::{FORMAT_VERSION, Manifest};
use pricebook::snapshot::publish::Staging;

/// Publishes a snapshot whose one listing costs `price` cents, and makes it current.
pub fn publish(snapshots: &Path, id: &str, price: u32) -> PathBuf {
    publish_tables(snapshots, id, &one_listing(price))
}

/// Publishes a snapshot of these tables and makes it current.
pub fn publish_tables(snapshots: &Path, id: &str, tables: &Canonical) -> PathBuf {
    let staging = Staging::begin(snapshots).unwrap();
    let packed = pack(tables, Linking::Checked, staging.dir(), &|_| ()).unwrap();
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        id: id.to_owned(),
        as_of: tables.last_day.plus_days(1).to_string(),
        schema_version: INTERFACE_VERSION.to_owned(),
        classification_release: None,
        counts: packed.counts,
        linking: packed.linking,
        files: packed.files,
    };
    staging.publish(&manifest).unwrap()
}

fn one_listing(price: u32) -> Canonical {
    let text = |text: &str| {
        let mut column = Strings::default();
        column.push(text);
        column
    };
    let day = Day::from_ymd(2026, 10, 30).unwrap();
    let uid = ProductUid::of(Country::Us, "shop", "1");
    Canonical {
        listings: Listings {
            country: vec![Country::Us],
            platform: vec![0],
            product_id: text("1"),
            name: text("Red Kettle"),
            url: text(""),
            mpn: text(""),
            brand: vec![NONE],
            gtin: vec![0],
            category: vec![0],
            gpc_code: vec![0],
            condition: vec![Condition::New],
            rating: vec![f64::NAN],
            review_count: vec![NONE],
            product_uid: vec![uid.get()],
            entity_uid: vec![EntityUid::of_listing(uid).get()],
            latest_instant: vec![day.start().micros()],
        },
        observations: Observations {
            offsets: vec![0, 1],
            day: vec![0],
            price: vec![price],
            list_price: vec![0],
            flags: vec![0],
        },
        first_day: day,
        last_day: day,
        platforms: vec!["shop".into()],
        brands: Vec::new(),
        categories: vec![Category { slug: "kitchen".into(), label: "Kitchen".into(), parent: NONE }],
        aliases: Vec::new(),
        category_bricks: Vec::new(),
        classification: None,
    }
}
