//! Price spells against the observations that they stand for, in every window.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::support::crafted::{build, copy, edit_column};
use pricebook::catalog::Catalog;
use pricebook::snapshot::layout::{NO_DAY, SPELLS};
use pricebook::stats::splitmix::mixed;

const LISTINGS: u64 = 80;
const DAYS: u16 = 14;
const SEED: u64 = 6;

/// Builds a snapshot of listings whose prices hold for some days, every other one with days missing, one never seen.
fn snapshot(out: &Path) -> PathBuf {
    let input = tempfile::tempdir().unwrap();
    let mut listings = String::from("country,platform,product_id,product_name,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price,list_price,in_stock,promo\n");
    for listing in 0..LISTINGS {
        listings += &format!("us,shop,{listing},Kettle {listing},Home\n");
        let draw =
            |day: u16, what: u64, of: u64| mixed(mixed(SEED ^ listing) ^ (u64::from(day) << 8 | what)) % of;
        let (first, last) = (draw(0, 1, 8) as u16, DAYS - draw(0, 2, 6) as u16);
        let mut said = String::new();
        for day in first..if listing == 7 { first } else { last } {
            if said.is_empty() || draw(day, 3, 4) == 0 {
                let (price, list_price) = (4 + draw(day, 4, 2), 5 + draw(day, 5, 2));
                said = format!("{price}.99,{list_price}.99,{},{}", draw(day, 6, 2), draw(day, 7, 2));
            }
            if listing % 2 == 0 || draw(day, 8, 5) > 0 {
                observations += &format!("us,shop,{listing},2026-10-{:02},{said}\n", day + 1);
            }
        }
    }
    observations += "us,shop,0,2026-10-01,9,9,1,1\nus,shop,0,2026-10-14,9,9,1,1\n";
    fs::write(input.path().join("listings.csv"), listings).unwrap();
    fs::write(input.path().join("observations.csv"), observations).unwrap();
    out.join(build(input.path(), out, None).unwrap().id)
}

/// Day, price, list price and flags.
type Seen = (u16, u32, u32, u8);

/// A listing's observations on some days.
fn observed(catalog: &Catalog, listing: u32, days: &Range<u16>) -> Vec<Seen> {
    let columns = &catalog.observations.columns;
    let all = catalog.observations.of(listing);
    let seen =
        |row: usize| (columns.day[row], columns.price[row], columns.list_price[row], columns.flags[row]);
    all.map(seen).filter(|(day, ..)| days.contains(day)).collect()
}

#[test]
fn a_cut_holds_the_observations_of_its_days() {
    let out = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&snapshot(out.path())).unwrap();
    let spells = &catalog.spells;
    let whole = spells.first_day.iter().filter(|&&day| day != NO_DAY).count();
    assert!(whole > 10 && whole < spells.first_day.len() - 10, "{whole} listings miss no day");
    for listing in 0..LISTINGS as u32 {
        for (from, to) in (0..DAYS + 2).flat_map(|from| (from..DAYS + 3).map(move |to| (from, to))) {
            let expect = observed(&catalog, listing, &(from..to));
            let cut = catalog.spells_within(listing, &(from..to));
            let (mut seen, mut times) = (Vec::new(), vec![0; cut.rows.len()]);
            cut.each_stretch(|row, days| {
                times[row - cut.rows.start] += u32::from(days.end - days.start);
                seen.extend(
                    days.map(|day| (day, spells.price[row], spells.list_price[row], spells.flags[row])),
                );
            });
            assert_eq!(seen, expect, "listing {listing} from {from} to {to}");
            assert_eq!(cut.times().collect::<Vec<_>>(), times);
            assert!(!times.contains(&0), "a spell outside of the window");
            assert_eq!((cut.len() as usize, cut.is_empty()), (expect.len(), expect.is_empty()));
            assert_eq!(cut.days(), expect.first().map(|first| (first.0, expect[expect.len() - 1].0)));
        }
    }
}

#[test]
fn a_spell_in_two_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let snapshot = snapshot(out.path());
    let (at, listing) = {
        let catalog = Catalog::open(&snapshot).unwrap();
        let long =
            |&listing: &u32| catalog.spells.of(listing).next().is_some_and(|row| catalog.spells.end[row] > 1);
        let listing = (0..LISTINGS as u32).find(long).unwrap();
        (catalog.spells.of(listing).start, listing as usize)
    };
    let copied = copy(&snapshot, "halves");
    edit_column::<u32>(&copied, SPELLS, "offsets", |v| v[listing + 1..].iter_mut().for_each(|end| *end += 1));
    edit_column::<u16>(&copied, SPELLS, "end", |v| v.insert(at, 1));
    for name in ["price", "list_price"] {
        edit_column::<u32>(&copied, SPELLS, name, |v| v.insert(at, v[at]));
    }
    edit_column::<u8>(&copied, SPELLS, "flags", |v| v.insert(at, v[at]));
    edit_column::<u64>(&copied, SPELLS, "depth", |v| v.insert(at, v[at]));
    let message = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(message.contains(&format!("those of listing {listing} are not")), "{message}");
}
