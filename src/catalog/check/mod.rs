//! The invariants that the index writer guarantees and requests rely on, checked once at opening.
//!
//! Checksums prove that the bytes are those that were written. These checks prove that the data are consistent,
//! independent of the program that wrote them. Each fault states the violation and its location.

mod aggregates;
mod indices;
mod periods;
pub(super) mod spells;

use std::cmp::Reverse;

use rayon::prelude::*;

use super::{Catalog, GpcLevel};
use crate::matching::{Confidence, reason};
use crate::snapshot::layout::{NO_DAY, NONE, Offer, mapping};
use crate::snapshot::values::first_bad;
use crate::types::{Condition, Country, Instant};

/// A listing is priced when its latest observation is at most this many days before the snapshot's now.
const PRICED_DAYS: i32 = 90;

/// A check. Returns a description of the first violation, if any.
type Check = fn(&Catalog) -> Option<String>;

/// Checks that run in sequence: earlier checks validate the values that later checks use as indices.
const IN_TURN: &[Check] = &[
    names,
    codes,
    listing_order,
    indices::uid_order,
    indices::entities,
    spells::offsets,
    spells::rows,
    spells::days,
    spells::observations,
    current,
    offers,
    span,
    indices::categories,
    indices::category_lists,
    indices::classification_lists,
];

/// Independent checks, which run in parallel.
const AT_ONCE: &[Check] = &[
    text,
    links,
    indices::coverage,
    indices::brand_counts,
    periods::periods,
    aggregates::of_categories,
    aggregates::of_codes,
];

/// Describes the first violated invariant. Empty if there is no violation.
pub(super) fn faults(catalog: &Catalog) -> Vec<String> {
    let fault = IN_TURN.iter().find_map(|check| check(catalog));
    let fault = fault.or_else(|| AT_ONCE.par_iter().find_map_first(|check| check(catalog)));
    fault.into_iter().collect()
}

/// Checks the text index. The key of a row is its group (country, priced listings first), then its order among equally
/// good matches.
fn text(catalog: &Catalog) -> Option<String> {
    let key = |row: u32| {
        let listing = catalog.listing(row);
        let country = listing.country();
        let members = catalog.entities.members(listing.entity(), &catalog.country_rows(country)).len();
        let in_stock = listing.in_stock() == Some(true);
        let first = Reverse((members as u32, in_stock));
        let order = (first, listing.price(), Reverse(listing.observed_at()), listing.uid());
        ((country, Reverse(listing.is_priced())), order)
    };
    catalog.text.check(key).err()
}

fn names(catalog: &Catalog) -> Option<String> {
    let counts = catalog.manifest.counts;
    let lengths = [
        (counts.platforms, catalog.platforms.len(), "platforms"),
        (counts.brands, catalog.brands.len(), "brands"),
        (counts.categories, catalog.taxonomy.nodes().len(), "categories"),
    ];
    if let Some((counted, held, what)) =
        lengths.into_iter().find(|&(counted, held, _)| counted != held as u64)
    {
        return Some(format!("dictionary: {held} {what} instead of {counted}"));
    }
    if !catalog.platforms.is_sorted_by(|a, b| a < b) {
        return Some("dictionary: platforms are not in order".into());
    }
    let brands = catalog.brands.is_sorted_by(|a, b| (&a.label, &a.key) < (&b.label, &b.key));
    (!brands).then(|| "dictionary: brands are not in order".into())
}

fn codes(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let known = |code: u32, len: usize| code == NONE || (code as usize) < len;
    let brick = |row: usize| match (listings.brick[row], &catalog.classification) {
        (NONE, _) => listings.brick_mapping[row] == mapping::NONE,
        (_, None) => false,
        (node, Some(classification)) => {
            (node as usize) < classification.len()
                && classification.level(node) == GpcLevel::Brick
                && [mapping::EXACT, mapping::DERIVED].contains(&listings.brick_mapping[row])
        }
    };
    let bad = first_bad(listings.country.len(), |row| {
        Country::from_u8(listings.country[row]).is_some()
            && Condition::from_u8(listings.condition[row]).is_some()
            && (listings.platform[row] as usize) < catalog.platforms.len()
            && (listings.category[row] as usize) < catalog.taxonomy.nodes().len()
            && (listings.entity[row] as usize) < catalog.entities.len()
            && known(listings.brand[row], catalog.brands.len())
            && brick(row)
            && listings.priced[row] <= 1
    })?;
    Some(format!(
        "listings: row {bad} names a country, platform, category, brand, brick or entity that does not exist"
    ))
}

fn listing_order(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let key = |row: usize| {
        let id = listings.product_id.get(row as u32);
        (listings.country[row], listings.category[row], listings.platform[row], id)
    };
    let bad = first_bad(listings.country.len().saturating_sub(1), |row| key(row) < key(row + 1))?;
    Some(format!("listings: row {} is out of order", bad + 1))
}

fn current(catalog: &Catalog) -> Option<String> {
    let (listings, spells) = (&catalog.listings, &catalog.spells);
    let bad = first_bad(listings.country.len(), |row| {
        let Some(last) = spells.of(row as u32).last() else {
            return listings.current_day[row] == NO_DAY && listings.priced[row] == 0;
        };
        let day = catalog.day(listings.current_day[row]);
        let age = catalog.as_of.minus(day);
        listings.current_price[row] == spells.price[last]
            && listings.current_list_price[row] == spells.list_price[last]
            && listings.current_flags[row] == spells.flags[last]
            && (listings.priced[row] == 1) == (age <= PRICED_DAYS)
            && Instant::from_micros(listings.latest_instant[row]).day() == day
    })?;
    Some(format!("listings: the current price of row {bad} is not its latest observation"))
}

/// The first day, the last day and the newest instant of the snapshot must match the observations.
fn span(catalog: &Catalog) -> Option<String> {
    let listings = &catalog.listings;
    let observed = (0..listings.country.len()).filter(|&row| listings.current_day[row] != NO_DAY);
    let newest = observed.map(|row| listings.latest_instant[row]).max();
    let holds = newest == Some(catalog.newest.micros())
        && catalog.newest.day().plus_days(1) == catalog.as_of
        && catalog.spells.first_day.iter().min() == Some(&0);
    (!holds).then(|| "dictionary: the first day or the newest instant does not match the observations".into())
}

fn links(catalog: &Catalog) -> Option<String> {
    let (links, listings) = (&catalog.links, &catalog.listings);
    if links.looked_for != catalog.manifest.linking.is_some() {
        return Some("links: the links do not match the manifest".into());
    }
    let counted = catalog.manifest.linking.map_or(0, |linking| linking.links);
    if links.rows.len() as u64 != 2 * counted {
        return Some(format!(
            "links: {} entries instead of two for each of {counted} links",
            links.rows.len()
        ));
    }
    let bad = first_bad(links.ends.len(), |row| {
        let own: Vec<_> = links.of(row as u32).collect();
        own.is_sorted_by(|a, b| a.row < b.row)
            && own.iter().all(|link| {
                let other = link.row as usize;
                other < listings.country.len()
                    && listings.country[other] == listings.country[row]
                    && listings.platform[other] != listings.platform[row]
                    && (listings.gtin[other] == 0 || listings.gtin[row] == 0)
                    && (Confidence::THRESHOLD.0..=Confidence::ONE).contains(&link.confidence.0)
                    && link.reasons & !reason::ALL == 0
                    && links.of(link.row).any(|back| {
                        back.row as usize == row
                            && (back.confidence, back.reasons) == (link.confidence, link.reasons)
                    })
            })
    })?;
    Some(format!("links: the links of listing {bad} are not valid"))
}

/// Each offer record must match the columns of its listing. The pack fields are not checked, because that would parse
/// every name again.
///
/// The cheapest listing of a product is computed once, for the first of its rows in the country. The other rows must
/// have the same value.
fn offers(catalog: &Catalog) -> Option<String> {
    let (listings, entities) = (&catalog.listings, &catalog.entities);
    let names = listings.name.view();
    let bad = first_bad(listings.country.len(), |row| {
        let (offer, entity, name) = (listings.offer[row], listings.entity[row], names.range(row));
        let Some(name) = Offer::name_word(&(name.start as u64..name.end as u64)) else { return false };
        let here = catalog.country_rows[listings.country[row] as usize].clone();
        let members = entities.members(entity, &here);
        let cheapest = match members.first() {
            Some(&first) if first as usize != row => listings.offer[first as usize].cheapest,
            _ => catalog.cheapest(members, |_| true).unwrap_or(NONE),
        };
        offer
            == Offer {
                uid: listings.product_uid[row],
                entity_uid: entities.uid(entity).get(),
                observed_at: listings.latest_instant[row],
                entity,
                cheapest,
                price: listings.current_price[row],
                name,
                platform: listings.platform[row],
                country: listings.country[row],
                condition: listings.condition[row],
                flags: listings.current_flags[row],
                priced: listings.priced[row],
                linked: u8::from(members.len() > 1),
                ..offer
            }
    })?;
    Some(format!("listings: the offer of row {bad} does not match its columns"))
}
