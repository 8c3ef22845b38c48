//! Snapshots with correct checksums whose content makes no sense: the checks at opening refuse them by name.

use std::panic::catch_unwind;
use std::path::Path;

use crate::support::crafted::{build_small, copy, edit_column, edit_dictionary, reseal};
use pricebook::catalog::Catalog;
use pricebook::snapshot::columns::Element;
use pricebook::snapshot::layout::TermField::{Above, Aside, CategoryType, Number};
use pricebook::snapshot::layout::{
    CLASSIFICATION, Dictionary, INDICES, LISTINGS, NO_DAY, NONE, Offer, PERIODS, PROMO, SPELLS, TEXT,
    UNBELIEVED, term_field,
};

/// Applies a change to a copy of a sound snapshot.
type Edit = Box<dyn Fn(&Path)>;
/// The change and a part of the message that it must bring.
type Case = (&'static str, Edit);

fn column<T: Element>(
    expect: &'static str,
    file: &'static str,
    name: &'static str,
    edit: impl Fn(&mut Vec<T>) + 'static,
) -> Case {
    (expect, Box::new(move |snapshot| edit_column::<T>(snapshot, file, name, &edit)))
}

fn dictionary(expect: &'static str, edit: impl Fn(&mut Dictionary) + 'static) -> Case {
    (expect, Box::new(move |snapshot| edit_dictionary(snapshot, &edit)))
}

/// Every change brings its message and no panic.
fn check(cases: Vec<Case>) {
    let out = tempfile::tempdir().unwrap();
    let snapshot = build_small(out.path());
    let mut wrong = Vec::new();
    for (number, (expect, edit)) in cases.into_iter().enumerate() {
        let copied = copy(&snapshot, "nonsense");
        edit(&copied);
        let opened = catch_unwind(|| Catalog::open(&copied).err().map(|fault| fault.faults.join("; ")));
        match opened {
            Ok(Some(message)) if message.contains(expect) => {}
            Ok(Some(message)) => wrong.push(format!("{number}: {message}\n    instead of {expect}")),
            Ok(None) => wrong.push(format!("{number}: it opens, with {expect}")),
            Err(_) => wrong.push(format!("{number}: it panics, with {expect}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn periods() {
    let p = PERIODS;
    check(vec![
        column::<u8>("rows instead of", p, "week_prepared", Vec::clear),
        column::<u8>("rows instead of", p, "week_prepared", |v| *v.last_mut().unwrap() ^= 1),
        column::<u8>("rows instead of", p, "month_prepared", |v| v.fill(0)),
        column::<u32>("the cell of listing 0 does not match its observations", p, "week_sum", |v| v[0] += 1),
        column::<u32>("weekly 2026-W43: the cell of listing", p, "week_sum", |v| {
            *v.iter_mut().rfind(|sum| **sum > 0).unwrap() += 1;
        }),
        column::<u8>("the cell of listing 1 does not match its observations", p, "month_days", |v| v[1] += 1),
        column::<u8>("the cell of listing 0 does not match", p, "month_flags", |v| v[0] ^= 4),
        column::<u32>("rows instead of", p, "month_sum", |v| v.truncate(1)),
    ]);
}

#[test]
fn spells() {
    let s = SPELLS;
    let foreign = "are inconsistent";
    check(vec![
        column::<u64>("the first offset is not 0", s, "offsets", |v| v[0] = 1),
        column::<u64>("offset 3 is less", s, "offsets", |v| v[3] = v[2] - 1),
        column::<u64>("offset 5 is less", s, "offsets", |v| v[4] = u64::MAX),
        column::<u64>("rows instead of", s, "offsets", |v| *v.last_mut().unwrap() += 1),
        column::<u64>("rows instead of", s, "offsets", |v| *v.last_mut().unwrap() = u64::MAX),
        column::<u64>("rows instead of", s, "offsets", |v| v.truncate(4)),
        column::<u64>("the days of listing 0 do not", s, "offsets", |v| v[1] -= 1),
        column::<u16>(foreign, s, "end", |v| v[0] = 0),
        column::<u16>(foreign, s, "end", |v| v[0] += 1),
        column::<u16>(foreign, s, "end", |v| v[1] = u16::MAX),
        column::<u16>("the days of listing 35", s, "end", |v| *v.last_mut().unwrap() += 1),
        column::<u16>("rows instead of", s, "end", Vec::clear),
        column::<u32>(foreign, s, "price", |v| v[5] = 0),
        column::<u32>(foreign, s, "price", |v| v[1] += 1),
        column::<u32>(foreign, s, "list_price", |v| v[1] += 1),
        column::<u8>(foreign, s, "flags", |v| v[5] = 0b11),
        column::<u8>(foreign, s, "flags", |v| v[5] = 0b1000),
        column::<u8>("not its latest observation", s, "flags", |v| *v.last_mut().unwrap() ^= PROMO),
        column::<u64>(foreign, s, "depth", |v| v[1] += 1),
        column::<u64>(foreign, s, "depth", |v| v[1] = UNBELIEVED),
        column::<u64>("rows instead of", s, "depth", Vec::clear),
    ]);
}

/// Bits of the 27 days in a row on which listing 0 was seen, each with a price of its own.
const DAYS: u64 = (1 << 27) - 1;

/// Gives listing 0 these words of days.
fn give_words(snapshot: &Path, words: &[u64]) {
    edit_column::<u64>(snapshot, SPELLS, "day_offsets", |v| {
        v[1..].iter_mut().for_each(|end| *end += words.len() as u64);
    });
    edit_column::<u64>(snapshot, SPELLS, "days", |v| drop(v.splice(0..0, words.iter().copied())));
}

/// Takes the second of its spells away, and gives listing 0 these words.
fn miss_a_day(snapshot: &Path, words: &[u64]) {
    edit_column::<u64>(snapshot, SPELLS, "offsets", |v| v[1..].iter_mut().for_each(|end| *end -= 1));
    edit_column::<u16>(snapshot, SPELLS, "end", |v| _ = v.remove(26));
    for name in ["price", "list_price"] {
        edit_column::<u32>(snapshot, SPELLS, name, |v| _ = v.remove(1));
    }
    edit_column::<u8>(snapshot, SPELLS, "flags", |v| _ = v.remove(1));
    edit_column::<u64>(snapshot, SPELLS, "depth", |v| _ = v.remove(1));
    give_words(snapshot, words);
}

#[test]
fn seen_days() {
    let s = SPELLS;
    let days = "the days of listing 0 do not match its observations";
    let given = |words: &'static [u64]| -> Case { (days, Box::new(|path| give_words(path, words))) };
    let missed =
        |expect, words: &'static [u64]| -> Case { (expect, Box::new(|path| miss_a_day(path, words))) };
    check(vec![
        column::<u64>("the first day_offset is not 0", s, "day_offsets", |v| v[0] = 1),
        column::<u64>("day_offset 3 is less", s, "day_offsets", |v| v[2] = 1),
        column::<u64>("rows instead of", s, "day_offsets", |v| *v.last_mut().unwrap() += 1),
        column::<u64>("rows instead of", s, "day_offsets", |v| *v.last_mut().unwrap() = u64::MAX),
        column::<u64>("rows instead of", s, "day_offsets", |v| v.truncate(4)),
        column::<u64>("rows instead of", s, "days", |v| v.push(1)),
        column::<u16>(days, s, "first_day", |v| v[0] = NO_DAY),
        column::<u16>(days, s, "first_day", |v| v[0] += 1),
        column::<u16>(days, s, "first_day", |v| v[0] -= 1),
        column::<u16>(days, LISTINGS, "current_day", |v| v[0] -= 1),
        column::<u16>(days, LISTINGS, "current_day", |v| v[0] = NO_DAY),
        column::<u16>("the days of listing 1 do not", s, "first_day", |v| v[1] = 0),
        given(&[DAYS]),
        given(&[0]),
        // Neither first nor last, one too few, one too late, one word too many or none.
        missed(days, &[DAYS ^ 1]),
        missed(days, &[DAYS >> 1]),
        missed(days, &[DAYS ^ 0b110]),
        missed(days, &[DAYS ^ 0b110 | 1 << 27]),
        missed(days, &[DAYS ^ 0b10, 0]),
        missed(days, &[DAYS ^ 0b110, 1]),
        missed(days, &[DAYS]),
        missed(days, &[]),
        missed("observations instead of", &[DAYS ^ 0b10]),
    ]);
}

/// What makes sense by itself, but is not what the periods and the manifest say.
#[test]
fn a_day_too_few_is_seen_by_the_periods() {
    let out = tempfile::tempdir().unwrap();
    let copied = copy(&build_small(out.path()), "nonsense");
    miss_a_day(&copied, &[DAYS ^ 0b10]);
    reseal(&copied, |manifest| manifest.counts.observations -= 1);
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("periods: weekly 2026-W40: the cell of listing 0 does not match"), "{fault}");
}

#[test]
fn listings() {
    let l = LISTINGS;
    check(vec![
        column::<u8>("does not exist", l, "country", |v| v[0] = 9),
        column::<u16>("does not exist", l, "platform", |v| v[0] = 9),
        column::<u32>("does not exist", l, "category", |v| v[0] = NONE),
        column::<u32>("does not exist", l, "brand", |v| v[0] = 77),
        column::<u32>("does not exist", l, "entity", |v| v[0] = NONE),
        column::<u32>("does not exist", l, "brick", |v| v[0] = 99),
        column::<u32>("does not exist", l, "brick", |v| v[0] = 0),
        column::<u8>("does not exist", l, "brick_mapping", |v| v[0] = 7),
        column::<u8>("does not exist", l, "condition", |v| v[0] = 99),
        column::<u8>("does not exist", l, "priced", |v| v[0] = 2),
        column::<u16>("out of order", l, "platform", |v| v.swap(0, 3)),
        column::<u8>("out of order", l, "country", |v| v.reverse()),
        column::<u64>("string offsets decrease", l, "name.ends", |v| v.swap(3, 4)),
        column::<u64>("is not the number of bytes", l, "url.ends", |v| v.fill(9)),
        column::<u8>("not UTF-8", l, "name.bytes", |v| v[0] = 0xff),
        column::<u64>("is not the row of its uid", l, "product_uid", |v| v.swap(0, 1)),
        column::<u64>("is not the row of its uid", l, "product_uid", |v| v[1] = v[0]),
        column::<u32>("not its latest observation", l, "current_price", |v| v[0] += 1),
        column::<u32>("not its latest observation", l, "current_list_price", |v| v[0] += 1),
        column::<u16>("the days of listing 0 do not", l, "current_day", |v| v[0] -= 1),
        column::<u8>("not its latest observation", l, "current_flags", |v| v[0] ^= 4),
        column::<u8>("not its latest observation", l, "priced", |v| v.iter_mut().for_each(|p| *p ^= 1)),
        column::<i64>("not its latest observation", l, "latest_instant", |v| v[0] = i64::MAX),
        column::<i64>("not its latest observation", l, "latest_instant", |v| v[0] += 86_400_000_000),
        column::<f64>("rows instead of", l, "rating", |v| v.truncate(1)),
    ]);
}

#[test]
fn offers() {
    let (l, fault) = (LISTINGS, "the offer of row 0 does not");
    check(vec![
        column::<Offer>("rows instead of", l, "offer", |v| v.truncate(1)),
        column::<Offer>(fault, l, "offer", |v| v.swap(0, 1)),
        column::<Offer>(fault, l, "offer", |v| v[0].uid ^= 1),
        column::<Offer>(fault, l, "offer", |v| v[0].entity_uid ^= 1),
        column::<Offer>(fault, l, "offer", |v| v[0].observed_at += 1),
        column::<Offer>(fault, l, "offer", |v| v[0].entity = NONE),
        column::<Offer>(fault, l, "offer", |v| v[0].cheapest = NONE),
        column::<Offer>(fault, l, "offer", |v| v[0].price += 1),
        column::<Offer>(fault, l, "offer", |v| v[0].name ^= 1 << 20),
        column::<Offer>(fault, l, "offer", |v| v[0].name ^= 1),
        column::<Offer>(fault, l, "offer", |v| v[0].name = u64::MAX),
        column::<Offer>(fault, l, "offer", |v| v[0].platform = u16::MAX),
        column::<Offer>(fault, l, "offer", |v| v[0].country = 9),
        column::<Offer>(fault, l, "offer", |v| v[0].condition ^= 1),
        column::<Offer>(fault, l, "offer", |v| v[0].flags ^= 4),
        column::<Offer>(fault, l, "offer", |v| v[0].priced ^= 1),
        column::<Offer>(fault, l, "offer", |v| v[0].linked ^= 1),
    ]);
}

#[test]
fn indices() {
    let i = INDICES;
    check(vec![
        column::<u32>("uid_order 2 is not the row", i, "uid_order", |v| v[2] = NONE),
        column::<u32>("uid_order 2 is not the row", i, "uid_order", |v| v.swap(2, 3)),
        column::<u64>("uid_order 2 is not the row", i, "listing_uid", |v| v[2] += 1),
        column::<u32>("do not belong", i, "entity_rows", |v| v.swap(0, 9)),
        column::<u32>("do not belong", i, "entity_rows", |v| v[0] = NONE),
        column::<u64>("entities are out of order", i, "entity_ends", |v| v[0] = 0),
        column::<u64>("entities are out of order", i, "entity_ends", |v| v.swap(0, 1)),
        column::<u64>("entities are out of order", i, "entity_ends", |v| *v.last_mut().unwrap() += 1),
        column::<u64>("entities are out of order", i, "entity_uid", |v| v.swap(0, 1)),
        column::<u32>("do not match the listings", i, "category_from", |v| v[0] += 1),
        column::<u32>("do not match the listings", i, "category_to", |v| v[0] -= 1),
        column::<u32>("do not match the listings", i, "category_to", |v| v.fill(0)),
        column::<u32>("do not match the listings", i, "category_to", |v| v[2] = NONE),
        column::<u32>("do not match the listings", i, "category_from", |v| v[1] = NONE),
        column::<u32>("list 0 are out of order", i, "category_priced_rows", |v| v.swap(0, 1)),
        column::<u32>("list 0 are out of order", i, "category_priced_rows", |v| v[0] = v[1]),
        column::<u32>("category_priced_rows 4 lies outside", i, "category_priced_rows", |v| v[4] = NONE),
        column::<u64>("does not match the", i, "category_priced_ends", |v| v[0] = u64::MAX),
        column::<u64>("are out of order", i, "category_priced_ends", |v| v[0] -= 1),
        column::<u32>("do not match the listings", i, "brick_rows", |v| v.swap(0, 1)),
        column::<u32>("brick_rows 0 lies outside", i, "brick_rows", |v| v[0] = NONE),
        column::<u64>("do not match the listings", i, "brick_ends", |v| v[3] = 0),
        column::<u32>("list 0 are out of order", i, "code_priced_rows", |v| v.swap(0, 1)),
        column::<u32>("code_priced_rows 0 lies outside", i, "code_priced_rows", |v| v[0] = NONE),
        column::<u64>("are out of order", i, "code_priced_ends", |v| v[0] -= 1),
    ]);
}

#[test]
fn figures_of_shelves() {
    let i = INDICES;
    check(vec![
        column::<u32>("category_new_cents of list 0", i, "category_new_cents", |v| v[0] += 1),
        column::<u64>("category_new_cents of list 0", i, "category_new_ends", |v| v[0] -= 1),
        column::<u64>("does not match the", i, "category_new_ends", |v| v[0] = u64::MAX),
        column::<i64>("category_new_observed of list 0", i, "category_new_observed", |v| v[0] += 1),
        column::<i64>("category_new_observed of list 0", i, "category_new_observed", |v| v[1] -= 1),
        column::<i64>("rows instead of", i, "category_new_observed", |v| v.truncate(3)),
        column::<u32>("category_brand of list 0", i, "category_brand", |v| v.swap(0, 1)),
        column::<u32>("category_brand of list 0", i, "category_brand", |v| v[0] = NONE),
        column::<u32>("category_brand of list 0", i, "category_brand", |v| v[1] = v[0]),
        column::<u32>("category_brand of list 0", i, "category_brand_count", |v| v[0] += 1),
        column::<u64>("category_brand of list 0", i, "category_brand_ends", |v| v[0] -= 1),
        column::<u32>("rows instead of", i, "category_brand_count", |v| v.truncate(1)),
        column::<i64>("category_brand_observed of list 0", i, "category_brand_observed", |v| v[1] = 0),
        column::<u32>("category_spread of list 0", i, "category_spread_lowest", |v| v[0] += 1),
        column::<u32>("category_spread of list 0", i, "category_spread_lowest", |v| v[0] = 0),
        column::<u32>("category_spread of list 0", i, "category_spread_highest", |v| v[0] -= 1),
        column::<u64>("does not match the", i, "category_spread_ends", |v| *v.last_mut().unwrap() += 1),
        column::<u64>("category_gap_sum of list 0", i, "category_gap_sum", |v| v[0] += 1),
        column::<u64>("category_gap_sum of list 0", i, "category_gap_sum", |v| v[1] += 1),
        column::<u32>("category_saving of list 0", i, "category_saving_retailers", |v| v[0] = 9),
        column::<u64>("category_saving of list 0", i, "category_saving_sum", |v| v[0] += 1),
        column::<u64>("category_saving of list 0", i, "category_saving_ends", |v| v[0] -= 1),
        column::<u32>("code_new_cents of list 0", i, "code_new_cents", |v| v.swap(0, 1)),
        column::<u32>("code_brand of list 0", i, "code_brand_count", |v| v[0] = 0),
        column::<u32>("code_spread of list 0", i, "code_spread_highest", |v| v[0] += 1),
        column::<u64>("code_gap_sum of list 0", i, "code_gap_sum", |v| v[0] -= 1),
    ]);
}

#[test]
fn classifications() {
    let c = CLASSIFICATION;
    check(vec![
        column::<u8>("not in preorder", c, "level", |v| v[0] = 255),
        column::<u8>("not in preorder", c, "level", |v| v[1] = 1),
        column::<u32>("not in preorder", c, "parent", |v| v[2] = 2),
        column::<u32>("not in preorder", c, "parent", |v| v[0] = 1),
        column::<u32>("a code occurs twice", c, "code", |v| v[1] = v[0]),
        column::<u32>("a title is missing", c, "title", |v| v[0] = NONE),
        column::<u32>("a title is missing", c, "value_title", |v| v[0] = NONE),
        column::<u32>("are inconsistent", c, "attribute_ends", |v| v[0] = NONE),
        column::<u32>("are inconsistent", c, "attribute_values", |v| v[0] = NONE),
        column::<u32>("are inconsistent", c, "value_ends", |v| v[0] += 1),
        column::<u8>("not of the release", c, "release.bytes", |v| v[0] = b'x'),
        column::<u64>("string offsets", c, "titles.ends", |v| v[0] = u64::MAX),
        column::<u8>("rows instead of", c, "has_attributes", Vec::clear),
    ]);
}

#[test]
fn dictionaries() {
    check(vec![
        dictionary("has the as-of date", |d| d.last_day += 1),
        dictionary("has the as-of date", |d| d.last_day = i32::MAX),
        dictionary("are not a valid range", |d| d.first_day = i32::MAX),
        dictionary("rows instead of", |d| d.first_day -= 1),
        dictionary("do not match its observations", |d| d.first_day += 1),
        dictionary("the newest instant", |d| d.newest -= 1),
        dictionary("the newest instant", |d| d.newest = i64::MIN),
        dictionary("platforms are not in order", |d| d.platforms.swap(0, 1)),
        dictionary("4 platforms instead of 3", |d| d.platforms.push("zeta".into())),
        dictionary("1 brands instead of 2", |d| d.brands.truncate(1)),
        dictionary("brands are not in order", |d| d.brands.swap(0, 1)),
        dictionary("miscounted", |d| d.brands[1].priced[0] += 1),
        dictionary("out of order", |d| d.categories.swap(0, 1)),
        dictionary("before its parent", |d| d.categories[1].parent = 77),
        dictionary("not below its parent", |d| d.categories[1].parent = NONE),
        dictionary("not below its parent", |d| d.categories[2].slug.push_str("/x/y")),
        dictionary("rows instead of", |d| d.categories.truncate(2)),
        dictionary("coverage cells", |d| d.coverage.truncate(2)),
        dictionary("coverage cells", |d| d.coverage[0].root = NONE),
        dictionary("coverage cells", |d| d.coverage[0].recent += 1),
        dictionary("unknown country", |d| d.coverage[0].country = 7),
        dictionary("unknown platform", |d| d.coverage[0].platform = 7),
    ]);
}

#[test]
fn manifests() {
    let counts = |expect, edit: fn(&mut pricebook::snapshot::manifest::Manifest)| -> Case {
        (expect, Box::new(move |snapshot: &Path| reseal(snapshot, edit)))
    };
    check(vec![
        counts("rows instead of", |m| m.counts.listings = u64::MAX),
        counts("observations instead of", |m| m.counts.observations += 1),
        counts("rows instead of", |m| m.counts.entities = 1 << 63),
        counts("brands instead of", |m| m.counts.brands = 0),
        counts("categories instead of", |m| m.counts.categories += 1),
        counts("has the as-of date", |m| m.as_of = "2026-01-01".into()),
        counts("brick or entity that does not exist", |m| m.classification_release = None),
        counts("not of the release", |m| m.classification_release = Some("1999-01".into())),
    ]);
}

#[test]
fn text() {
    let t = TEXT;
    check(vec![
        column::<u32>("disagree at doc", t, "row_place", |v| v[0] = v[1]),
        column::<u32>("disagree at doc", t, "place_row", |v| v.swap(0, 1)),
        column::<u32>("is out of range", t, "place_row", |v| v[3] = NONE),
        column::<u32>("is out of range", t, "row_place", |v| v[3] = NONE),
        column::<u32>("rows instead of", t, "place_row", |v| v.truncate(1)),
        column::<u32>("place_ends does not match the", t, "place_ends", |v| v.swap(2, 3)),
        column::<u32>("place_ends does not match the", t, "place_ends", |v| *v.last_mut().unwrap() += 1),
        column::<u32>("is out of range", t, "place_terms", |v| v[0] = NONE),
        column::<u32>("the docs that contain the term", t, "place_terms", |v| v[0] = v[1]),
        column::<u32>("the docs that contain the term", t, "place_terms", |v| {
            v[0] = term_field::of(term_field::term(v[0]), CategoryType);
        }),
        column::<u32>("the docs that contain the term", t, "place_terms", |v| {
            v[0] = term_field::of(term_field::term(v[0]), Aside);
        }),
        column::<u32>("has too many terms", t, "name_terms", |v| v[2] = 99),
        column::<u64>("term_ends does not match the", t, "term_ends", |v| v.swap(0, 1)),
        column::<u64>("the docs that contain the term", t, "term_ends", |v| v[0] = 0),
        column::<u32>("is out of range", t, "postings", |v| v[0] = u32::MAX),
        column::<u32>("the docs that contain the term", t, "postings", |v| v.swap(0, 1)),
        column::<u32>("the docs that contain the term", t, "postings", |v| v[0] ^= 1),
        column::<u32>("the docs that contain the term", t, "postings", |v| v[0] ^= 4),
        column::<u32>("the docs that contain the term", t, "postings", |v| v[0] ^= 8),
        column::<u32>("the docs that contain the term", t, "postings", |v| v[1] = v[0]),
        column::<u32>("belongs to two docs", t, "place_rank", |v| v[0] = v[1]),
        column::<u32>("or is out of range", t, "place_rank", |v| v[0] = NONE),
        column::<u32>("is out of order", t, "place_rank", |v| v.swap(0, 1)),
        column::<u32>("rows instead of", t, "place_rank", |v| v.truncate(1)),
        column::<u32>("sets do not match the frequent terms", t, "set_terms", |v| v.swap(0, 1)),
        column::<u32>("rows instead of", t, "set_terms", |v| v.truncate(1)),
        column::<u64>("does not match its postings", t, "set_words", |v| v[0] ^= 1),
        column::<u64>("rows instead of", t, "set_words", |v| v.truncate(1)),
        column::<u32>("does not match its postings", t, "set_before", |v| v[0] += 1),
        column::<u32>("rows instead of", t, "set_before", |v| v.truncate(1)),
        column::<u32>("sets do not match the frequent terms", t, "thing_terms", |v| v[0] = NONE),
        column::<u32>("rows instead of", t, "thing_terms", |v| v.truncate(1)),
        column::<u64>("does not match its postings", t, "thing_words", |v| v[0] ^= 1),
        column::<u64>("rows instead of", t, "thing_words", |v| v.truncate(1)),
        column::<u64>("does not match its postings", t, "thing_lines", |v| v[0] ^= 1),
        column::<u64>("rows instead of", t, "thing_lines", Vec::clear),
        column::<u8>("the docs that contain the term", t, "term_held", |v| v[0] ^= 1 << Above as u8),
        column::<u8>("the docs that contain the term", t, "term_held", |v| v[0] = 0),
        column::<u8>("the docs that contain the term", t, "term_held", |v| v[0] |= 1 << Number as u8),
        column::<u8>("rows instead of", t, "term_held", |v| v.push(1)),
        column::<u32>("listings with term 0 is wrong", t, "term_priced", |v| v[0] += 1),
        column::<u32>("the number of priced listings", t, "term_priced", |v| *v.last_mut().unwrap() = NONE),
        column::<u32>("rows instead of", t, "term_priced", |v| v.truncate(3)),
        column::<u32>("the letters of term 0 do not match", t, "term_letters", |v| v[0] ^= 1),
        column::<u32>("the letters of term 2 do not match", t, "term_letters", |v| v[2] = 0),
        column::<u32>("rows instead of", t, "term_letters", Vec::clear),
        column::<u64>("string offsets", t, "term_spelled.ends", |v| v[0] = u64::MAX),
        column::<u64>("rows instead of", t, "term_spelled.ends", |v| v.truncate(1)),
        dictionary("is not in the term dictionary", |d| d.categories[0].label = "Nowhere".into()),
        dictionary("do not match the docs", |d| d.categories[0].label = "Bottle".into()),
        column::<u64>("string offsets", t, "term.ends", |v| v[0] = u64::MAX),
        column::<u8>("term 1 is out of order", t, "term.bytes", |v| v[0] = b'z'),
    ]);
}

/// Words that do not fold to the term that they are said to spell.
#[test]
fn a_term_is_what_its_spelling_folds_to() {
    let out = tempfile::tempdir().unwrap();
    let copied = copy(&build_small(out.path()), "nonsense");
    edit_column::<u8>(&copied, TEXT, "term_spelled.bytes", |v| v.splice(0..0, *b"unheard").for_each(drop));
    edit_column::<u64>(&copied, TEXT, "term_spelled.ends", |v| v.iter_mut().for_each(|end| *end += 7));
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("text: term 0 is not the folded form of its spelling"), "{fault}");
}

/// A place that has a term and is not among the term's.
#[test]
fn a_place_is_missing() {
    let out = tempfile::tempdir().unwrap();
    let copied = copy(&build_small(out.path()), "nonsense");
    edit_column::<u32>(&copied, TEXT, "postings", |v| v.truncate(v.len() - 1));
    edit_column::<u64>(&copied, TEXT, "term_ends", |v| {
        let left = v.last().unwrap() - 1;
        for end in v {
            *end = left.min(*end);
        }
    });
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("do not match the docs that contain the term"), "{fault}");
}

/// Uids in another order, and their rows with them.
#[test]
fn uids_are_in_order() {
    let out = tempfile::tempdir().unwrap();
    let copied = copy(&build_small(out.path()), "nonsense");
    edit_column::<u64>(&copied, INDICES, "listing_uid", |v| v.swap(2, 3));
    edit_column::<u32>(&copied, INDICES, "uid_order", |v| v.swap(2, 3));
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("listing_uid 3 is out of order"), "{fault}");
}

/// Places in another order, everything else moved along.
#[test]
fn places_are_in_order() {
    let out = tempfile::tempdir().unwrap();
    let copied = copy(&build_small(out.path()), "nonsense");
    edit_column::<u32>(&copied, TEXT, "place_row", |v| v.reverse());
    edit_column::<u32>(&copied, TEXT, "row_place", |v| v.iter_mut().for_each(|place| *place = 35 - *place));
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("text: rank 1 is out of order"), "{fault}");
    edit_column::<u32>(&copied, TEXT, "place_rank", |v| v.reverse());
    let fault = Catalog::open(&copied).err().unwrap().faults.join("; ");
    assert!(fault.contains("text: doc 1 is out of order"), "{fault}");
}
