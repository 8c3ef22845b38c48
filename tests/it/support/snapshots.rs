//! Snapshots made of canonical tables, packed and published as real ones are.

use std::path::{Path, PathBuf};

use crate::support::cleaned::clean;
use pricebook::index::normalized::Canonical;
use pricebook::index::writer::{Linking, pack};
use pricebook::ingest::{Arguments, InputReport, RejectWriter};
use pricebook::snapshot::manifest::{FORMAT_VERSION, Manifest};
use pricebook::snapshot::publish::Staging;
use pricebook::types::{Cents, INTERFACE_VERSION};

/// Publishes a snapshot whose one listing costs `price` cents, and makes it current.
pub fn publish(snapshots: &Path, id: &str, price: u32) -> PathBuf {
    publish_tables(snapshots, id, &one_listing(price))
}

/// Publishes a snapshot of these tables and makes it current.
pub fn publish_tables(snapshots: &Path, id: &str, tables: &Canonical) -> PathBuf {
    let staging = Staging::begin(snapshots).unwrap();
    let packed = pack(tables, Linking::Checked, staging.dir(), staging.scratch(), u64::MAX, &|_| ()).unwrap();
    let manifest = Manifest {
        format_version: FORMAT_VERSION,
        id: id.to_owned(),
        as_of: tables.names.last_day.plus_days(1).to_string(),
        schema_version: INTERFACE_VERSION.to_owned(),
        classification_release: None,
        counts: packed.counts,
        linking: packed.linking,
        files: packed.files,
    };
    staging.publish(&manifest).unwrap().activate().unwrap()
}

/// The tables that such files of an input leave: CSV, header and all.
pub fn cleaned(listings: &str, observations: &str) -> Canonical {
    let input = tempfile::tempdir().unwrap();
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let arguments = Arguments::folders([input.path()]);
    let (mut rejects, mut report) = (RejectWriter::discard(), InputReport::default());
    clean(&arguments, &mut rejects, &mut report).unwrap()
}

fn one_listing(price: u32) -> Canonical {
    let price = Cents::new(price);
    cleaned(
        "country,platform,product_id,product_name,category_path\nus,shop,1,Red Kettle,Kitchen\n",
        &format!("country,platform,product_id,date,price\nus,shop,1,2026-10-30,{price}\n"),
    )
}
