//! Price spells and seen days against the rows of the input that they stand for, in every window.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::crafted::{build, copy, edit_column};
use crate::support::daily::{self, Daily};
use pricebook::catalog::Catalog;
use pricebook::snapshot::layout::{PROMO, SPELLS, STOCK_IN, STOCK_OUT};
use pricebook::stats::rng::mixed;
use pricebook::types::Day;

const LISTINGS: u64 = 80;
/// More than two words of days.
const DAYS: u16 = 150;
const SEED: u64 = 6;

/// What the input says of each listing, by product id.
type Truth = BTreeMap<String, Vec<Daily>>;

/// A row of the input, and what it says.
fn row(listing: u64, day: u16, price: u32, list_price: u32, in_stock: bool, promo: bool) -> (String, Daily) {
    let date = Day::parse("2026-06-01").unwrap().plus_days(day.into());
    let money = |cents: u32| format!("{}.{:02}", cents / 100, cents % 100);
    let text =
        format!("us,shop,{listing},{date},{},{},{in_stock},{promo}\n", money(price), money(list_price));
    let stock = if in_stock { STOCK_IN } else { STOCK_OUT };
    let flags = stock | if promo || price < list_price { PROMO } else { 0 };
    (text, (day, price, list_price, flags))
}

/// Builds a snapshot of listings whose prices hold for some days, every other one with days missing, one never seen.
fn snapshot(out: &Path) -> (PathBuf, Truth) {
    let input = tempfile::tempdir().unwrap();
    let mut listings = String::from("country,platform,product_id,product_name,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price,list_price,in_stock,promo\n");
    let mut truth = Truth::new();
    for listing in 0..LISTINGS {
        listings += &format!("us,shop,{listing},Kettle {listing},Home\n");
        let draw =
            |day: u16, what: u64, of: u64| mixed(mixed(SEED ^ listing) ^ (u64::from(day) << 8 | what)) % of;
        let (mut first, mut last) = (draw(0, 1, 80) as u16, DAYS - draw(0, 2, 60) as u16);
        if listing == 0 {
            // From the first day of all to the last.
            (first, last) = (0, DAYS);
        }
        let (mut said, mut seen) = ((0, 0, true, true), Vec::new());
        for day in first..if listing == 7 { first } else { last } {
            if day == first || draw(day, 3, 9) == 0 {
                let (price, list_price) =
                    (499 + draw(day, 4, 2) as u32 * 100, 599 + draw(day, 5, 2) as u32 * 100);
                said = (price, list_price, draw(day, 6, 2) == 0, draw(day, 7, 2) == 0);
            }
            if listing % 2 == 0 || draw(day, 8, 5) > 0 {
                let (text, daily) = row(listing, day, said.0, said.1, said.2, said.3);
                observations += &text;
                seen.push(daily);
            }
        }
        truth.insert(listing.to_string(), seen);
    }
    fs::write(input.path().join("listings.csv"), listings).unwrap();
    fs::write(input.path().join("observations.csv"), observations).unwrap();
    (out.join(build(input.path(), out, None).unwrap().id), truth)
}

#[test]
fn a_cut_holds_the_observations_of_its_days() {
    let out = tempfile::tempdir().unwrap();
    let (snapshot, truth) = snapshot(out.path());
    let catalog = Catalog::open(&snapshot).unwrap();
    let spells = &catalog.spells;
    let whole = (0..LISTINGS as u32).filter(|&listing| spells.words(listing).is_empty()).count();
    assert!(whole > 10 && whole < LISTINGS as usize - 10, "{whole} listings miss no day");
    for listing in 0..LISTINGS as u32 {
        let truth = &truth[catalog.listing(listing).product_id()];
        assert_eq!(daily::of(&catalog, listing), *truth, "listing {listing}");
        assert_eq!(
            catalog.seen_span(listing),
            truth.first().map(|first| (first.0, truth[truth.len() - 1].0))
        );
        for from in (0..DAYS + 2).step_by(3) {
            for to in (from..DAYS + 3).step_by(7) {
                let expect: Vec<Daily> =
                    truth.iter().copied().filter(|(day, ..)| (from..to).contains(day)).collect();
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
                assert_eq!(cut.last_day_but_one(), expect.iter().rev().nth(1).map(|seen| seen.0));
            }
        }
    }
}

#[test]
fn a_spell_in_two_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let (snapshot, _) = snapshot(out.path());
    let (at, listing) = {
        let catalog = Catalog::open(&snapshot).unwrap();
        let long =
            |&listing: &u32| catalog.spells.of(listing).next().is_some_and(|row| catalog.spells.end[row] > 1);
        let listing = (0..LISTINGS as u32).find(long).unwrap();
        (catalog.spells.of(listing).start, listing as usize)
    };
    let copied = copy(&snapshot, "halves");
    edit_column::<u64>(&copied, SPELLS, "offsets", |v| v[listing + 1..].iter_mut().for_each(|end| *end += 1));
    edit_column::<u16>(&copied, SPELLS, "end", |v| v.insert(at, 1));
    for name in ["price", "list_price"] {
        edit_column::<u32>(&copied, SPELLS, name, |v| v.insert(at, v[at]));
    }
    edit_column::<u8>(&copied, SPELLS, "flags", |v| v.insert(at, v[at]));
    edit_column::<u64>(&copied, SPELLS, "depth", |v| v.insert(at, v[at]));
    let message = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(message.contains(&format!("the spells of listing {listing} are inconsistent")), "{message}");
}
