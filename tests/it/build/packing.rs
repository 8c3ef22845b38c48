//! Packing: the same bytes however the input is cut and however little memory it may take, and refusals in time.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use pricebook::cli::generate::run as generate;
use pricebook::index::normalized::{Batches, Canonical, GroupedSpells, ListingColumns, Names, Sizes, Source};
use pricebook::index::writer::{BUFFERS_BYTES, LISTING_BYTES, Linking, pack};
use pricebook::ingest::{Arguments, InputReport, RejectWriter};
use pricebook::snapshot::manifest::list;

use crate::oracle;
use crate::support::asking::fixture_input;
use crate::support::cleaned::clean;
use crate::support::crafted::write_input;
use crate::support::generated;
use crate::support::snapshots::cleaned;

/// Tables that come so many listings at a time.
struct Cut<'a> {
    tables: &'a Canonical,
    listings: usize,
    sizes: Sizes,
}

impl<'a> Cut<'a> {
    fn new(tables: &'a Canonical, listings: usize) -> Self {
        Self { tables, listings, sizes: tables.sizes() }
    }

    fn batches(&self) -> impl Iterator<Item = Range<usize>> + Send + use<> {
        let (count, step) = (self.sizes.listings as usize, self.listings);
        (0..count).step_by(step).map(move |from| from..count.min(from + step))
    }
}

impl Source for Cut<'_> {
    fn names(&self) -> &Names {
        &self.tables.names
    }

    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn listings(&self) -> Result<Batches<'_, ListingColumns>> {
        Ok(Box::new(self.batches().map(|rows| Ok(self.tables.listings.slice(&rows)))))
    }

    fn spells(&self) -> Result<Batches<'_, GroupedSpells>> {
        Ok(Box::new(self.batches().map(|rows| Ok(GroupedSpells::of(&self.tables.observations, rows)))))
    }
}

/// Every file that is packed, with its bytes.
fn packed(source: &dyn Source, linking: Linking, memory: u64) -> BTreeMap<String, Vec<u8>> {
    let (dir, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let packed = pack(source, linking, dir.path(), scratch.path(), memory, &|_| ()).unwrap();
    assert_eq!(list(scratch.path(), ""), [""; 0], "temporary files are gone");
    let files = list(dir.path(), "");
    let mut named: Vec<&str> = packed.files.iter().map(|file| file.name.as_str()).collect();
    named.sort_unstable();
    assert_eq!(files, named);
    files.into_iter().map(|name| (name.clone(), fs::read(dir.path().join(name)).unwrap())).collect()
}

fn least_memory(source: &dyn Source) -> u64 {
    // What names take is a part of what is there beside the buffers.
    BUFFERS_BYTES + LISTING_BYTES * source.sizes().listings + (1 << 20)
}

fn assert_packs_alike(tables: &Canonical, cuts: &[usize]) {
    let whole = packed(tables, Linking::Kept, u64::MAX);
    for &listings in cuts {
        let cut = Cut::new(tables, listings);
        let parts = packed(&cut, Linking::Kept, least_memory(&cut));
        assert_eq!(parts.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
        for (name, bytes) in &parts {
            assert!(bytes == &whole[name], "{name} differs with {listings} listings at a time");
        }
    }
}

fn tables_of(input: &Path) -> Canonical {
    let (mut rejects, mut report) = (RejectWriter::discard(), InputReport::default());
    let arguments = Arguments::folders([input]);
    clean(&arguments, &mut rejects, &mut report).unwrap()
}

#[test]
fn cuts_and_memory_leave_no_trace() {
    let input = tempfile::tempdir().unwrap();
    write_input(input.path());
    assert_packs_alike(&tables_of(input.path()), &[1, 7, 64]);
}

#[test]
fn dirty_inputs_leave_no_trace_of_cuts_either() {
    for seed in 0..4 {
        let input = tempfile::tempdir().unwrap();
        oracle::write_input(input.path(), seed);
        assert_packs_alike(&tables_of(input.path()), &[3, 50]);
    }
}

#[test]
fn a_generated_catalog_leaves_no_trace_of_cuts_either() {
    let input = tempfile::tempdir().unwrap();
    generate(&generated::options(3_000, 45, 5, input.path()), &|_| ()).unwrap();
    assert_packs_alike(&tables_of(input.path()), &[1_000]);
}

#[test]
fn the_demo_leaves_no_trace_of_cuts_either() {
    assert_packs_alike(&tables_of(&fixture_input()), &[700]);
}

#[test]
fn no_listing_at_all_is_packed() {
    let mut tables = cleaned(
        "country,platform,product_id,product_name,category_path\nus,shop,1,Red Kettle,Kitchen\n",
        "country,platform,product_id,date,price\nus,shop,1,2026-10-30,5.00\n",
    );
    tables.listings = ListingColumns::default();
    tables.observations.offsets = vec![0];
    tables.observations.columns = tables.observations.columns.take(&[]);
    let files = packed(&tables, Linking::Kept, u64::MAX);
    assert!(files.contains_key("listings.cols") && files.contains_key("indices.cols"));
}

fn refused(source: &dyn Source, memory: u64) -> String {
    let (dir, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fault = pack(source, Linking::Off, dir.path(), scratch.path(), memory, &|_| ()).unwrap_err();
    assert_eq!(list(dir.path(), ""), [""; 0], "nothing was written");
    format!("{fault:#}")
}

#[test]
fn refuses_oversized_input_before_writing() {
    let input = tempfile::tempdir().unwrap();
    write_input(input.path());
    let tables = tables_of(input.path());
    let fault = refused(&tables, BUFFERS_BYTES);
    assert!(
        fault.contains(
            "requires 129 MiB of memory, but the limit is 128 MiB: raise the limit with --memory 129M"
        ),
        "{fault}"
    );

    let mut cut = Cut::new(&tables, 10);
    cut.sizes.listings = u64::from(u32::MAX);
    let fault = refused(&cut, u64::MAX);
    assert!(fault.contains("4294967295 listings, but a snapshot can contain at most 536870912"), "{fault}");

    let mut many = tables.clone();
    many.names.platforms = (0..=1 << 16).map(|number| format!("shop-{number:06}")).collect();
    let fault = refused(&many, u64::MAX);
    assert!(fault.contains("65537 retailers, but a snapshot can contain at most 65536"), "{fault}");

    let mut long = tables.clone();
    long.names.last_day = long.names.first_day.plus_days(65_534);
    let fault = refused(&long, u64::MAX);
    assert!(fault.contains("65535 days, but a snapshot can contain at most 65534"), "{fault}");
}

#[test]
fn spells_of_other_listings_are_refused() {
    /// Spells that are cut elsewhere.
    struct Torn<'a>(Cut<'a>, usize);
    impl Source for Torn<'_> {
        fn names(&self) -> &Names {
            self.0.names()
        }

        fn sizes(&self) -> Sizes {
            self.0.sizes()
        }

        fn listings(&self) -> Result<Batches<'_, ListingColumns>> {
            self.0.listings()
        }

        fn spells(&self) -> Result<Batches<'_, GroupedSpells>> {
            let tables = self.0.tables;
            let count = self.0.sizes.listings as usize;
            let spells = (0..count).step_by(self.1).map(move |from| from..count.min(from + self.1));
            Ok(Box::new(spells.map(|rows| Ok(GroupedSpells::of(&tables.observations, rows)))))
        }
    }
    let input = tempfile::tempdir().unwrap();
    write_input(input.path());
    let tables = tables_of(input.path());
    let fault = |listings, spells| {
        let (dir, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let torn = Torn(Cut::new(&tables, listings), spells);
        let packed = pack(&torn, Linking::Off, dir.path(), scratch.path(), u64::MAX, &|_| ());
        format!("{:#}", packed.unwrap_err())
    };
    assert!(fault(36, 18).contains("36 listings, but the price spells belong to 18 listings"));
    assert!(fault(18, 36).contains("18 listings, but the price spells belong to 36 listings"));
}
