//! From `q`, `product_uid` and `entity_uid` to a product: an entity, and the listing that stands for it.

use std::cmp::Reverse;
use std::ops::Range;

use super::params::{BadParameter, Kind, Param, Reader};
use super::refusal::{Reason, Refusal};
use super::scope;
use crate::catalog::{Catalog, Hit};
use crate::domain::text::search_terms;
use crate::domain::{Condition, Country, EntityUid, Gtin, ProductUid};

/// Most related products in an answer.
pub const RELATED_MAX: usize = 50;
/// How many text matches are ranked at first; more only where these belong to too few entities.
const RANKED_FIRST: usize = 256;

/// `q`.
pub static Q: Param = Param {
    name: "q",
    kind: Kind::Text,
    about: "Product text or barcode. Digits, spaces and hyphens that form a usable barcode are looked up as one; \
            any other text must match name and brand.",
};
/// `product_uid`.
pub static PRODUCT_UID: Param =
    Param { name: "product_uid", kind: Kind::Text, about: "Pins the answer to this listing." };
/// `entity_uid`.
pub static ENTITY_UID: Param =
    Param { name: "entity_uid", kind: Kind::Text, about: "Resolves within this cross-retailer entity." };
/// `country`.
pub static COUNTRY: Param =
    Param { name: "country", kind: Kind::Word(&["us", "ca"], Some("us")), about: "Country of the listings." };
/// `retailer`.
pub static RETAILER: Param = Param {
    name: "retailer",
    kind: Kind::PlatformKey,
    about: "Only listings of this retailer platform; any case.",
};

/// What product a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Product text or barcode.
    pub q: Option<String>,
    /// Listing, as written.
    pub product_uid: Option<String>,
    /// Entity, as written.
    pub entity_uid: Option<String>,
    /// Country.
    pub country: Country,
    /// Retailer key, in lower case.
    pub retailer: Option<String>,
}

impl Asked {
    /// Reads the five parameters.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let asked = Self {
            q: reader.text(&Q),
            product_uid: reader.text(&PRODUCT_UID),
            entity_uid: reader.text(&ENTITY_UID),
            country: reader.word(&COUNTRY, Country::parse).unwrap_or(Country::Us),
            retailer: reader.text(&RETAILER),
        };
        if ![&Q, &PRODUCT_UID, &ENTITY_UID].into_iter().any(|param| reader.was_given(param)) {
            reader.reject(BadParameter::new(Q.name, "give q, product_uid or entity_uid"));
        }
        asked
    }
}

/// A resolved product.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Country.
    pub country: Country,
    /// Platform that narrows the listings.
    pub retailer: Option<u16>,
    /// `q` as given; `None` for uid look-ups.
    pub query: Option<String>,
    /// Terms that were dropped before something matched.
    pub dropped_terms: Option<Vec<String>>,
    /// Its entity.
    pub entity: u32,
    /// Members of the entity in the country, priced or not.
    pub member_count: u32,
    /// The pinned listing or the best text match; `None` for an entity or a barcode.
    pub listing: Option<u32>,
    /// Whether `listing` was asked for by uid.
    pub is_pinned: bool,
    /// Priced rows in the order of best-price, best first.
    pub offers: Vec<u32>,
    /// Text matches in rank order, for related products; empty until [`Product::related`] for other look-ups.
    matches: Vec<u32>,
}

/// Resolves what a request asks for.
///
/// # Errors
/// 400 when the two uids contradict each other, `RETAILER_NOT_SERVING_ELIGIBLE`, or `NO_RESULTS` when the country
/// has no such product.
pub fn resolve(catalog: &Catalog, asked: &Asked) -> Result<Product, Refusal> {
    let find_row = |uid: &String| ProductUid::parse(uid).and_then(|uid| catalog.row_of(uid));
    let find_entity = |uid: &String| EntityUid::parse(uid).and_then(|uid| catalog.entities.by_uid(uid));
    let (row, entity) =
        (asked.product_uid.as_ref().map(find_row), asked.entity_uid.as_ref().map(find_entity));
    // An entity that is unknown contains nothing, and an unknown listing is in no entity.
    if let (Some(row), Some(entity)) = (row, entity)
        && (entity.is_none() || row.map(|row| catalog.listing(row).entity()) != entity)
    {
        let reason = "product_uid is not a member of entity_uid; leave one of them out";
        let both = [PRODUCT_UID.name, ENTITY_UID.name].map(|name| BadParameter::new(name, reason));
        return Err(Refusal::BadParameters(both.into()));
    }
    let country = asked.country;
    let retailer = scope::retailer(catalog, country, asked.retailer.as_deref())?;
    let unknown = |what: &str| {
        Refusal::no_results(Reason::UnknownProduct, format!("{} has no {what}", country.as_str()))
    };
    let here =
        |row: &u32| catalog.country_rows(country).contains(row) && scope::is_at(catalog, retailer, *row);
    let mut product = Product {
        country,
        retailer,
        query: None,
        dropped_terms: None,
        entity: 0,
        member_count: 0,
        listing: None,
        is_pinned: false,
        offers: Vec::new(),
        matches: Vec::new(),
    };
    match (row, entity, &asked.q) {
        (Some(row), _, _) => {
            let row = row
                .filter(here)
                .ok_or_else(|| unknown("listing with this product_uid, at this retailer if one is named"))?;
            product.entity = catalog.listing(row).entity();
            product.listing = Some(row);
            product.is_pinned = true;
        }
        (None, Some(entity), _) => {
            product.entity = entity.ok_or_else(|| unknown("entity with this entity_uid"))?;
        }
        (None, None, Some(q)) => {
            product.query = Some(q.clone());
            match Gtin::from_query(q) {
                Some(gtin) => {
                    let entity = catalog.entities.by_uid(EntityUid::of_gtin(gtin));
                    product.entity = entity.ok_or_else(|| unknown("product with this barcode"))?;
                }
                None => product.resolve_text(catalog, q)?,
            }
        }
        (None, None, None) => return Err(unknown("product without q, product_uid or entity_uid")),
    }
    let members = catalog.entities.members(product.entity, &catalog.country_rows(country));
    if !members.iter().any(here) {
        return Err(unknown("listing of this product, at this retailer if one is named"));
    }
    product.member_count = members.len() as u32;
    product.offers = offers(catalog, members.iter().copied().filter(here));
    Ok(product)
}

impl Product {
    /// Whether prices span several listings.
    pub fn is_entity(&self) -> bool {
        self.member_count >= 2
    }

    /// The listing that stands for the product: the pinned one or the text match, else the best offer.
    pub fn representative(&self) -> Option<u32> {
        self.listing.or_else(|| self.offers.first().copied())
    }

    /// The listing that tells what the product is, whatever anything costs: the pinned one or the text match, else the
    /// first member in the order of the catalog.
    pub fn named_listing(&self, catalog: &Catalog) -> Option<u32> {
        let members = catalog.entities.members(self.entity, &catalog.country_rows(self.country));
        let first = || members.iter().copied().find(|&row| scope::is_at(catalog, self.retailer, row));
        self.listing.or_else(first)
    }

    /// Refuses a product without any offer.
    ///
    /// # Errors
    /// `NO_RESULTS`.
    pub fn require_offer(&self) -> Result<u32, Refusal> {
        self.offers.first().copied().ok_or_else(|| {
            let message = "no listing of this product has a price of the last 90 days";
            Refusal::no_results(Reason::NoPricedListing, message)
        })
    }

    /// The best text matches outside the entity, one listing per entity: its cheapest.
    pub fn related(&self, catalog: &Catalog, limit: usize) -> Vec<u32> {
        let found;
        let matches = match self.query {
            Some(_) if !self.matches.is_empty() => &self.matches,
            _ => {
                let Some(row) = self.representative() else { return Vec::new() };
                found = self.like(catalog, row);
                &found
            }
        };
        let country = catalog.country_rows(self.country);
        let mut seen = vec![self.entity];
        let mut related = Vec::new();
        for &row in matches {
            if related.len() == limit {
                break;
            }
            let entity = catalog.listing(row).entity();
            if !seen.contains(&entity) {
                seen.push(entity);
                related.extend(self.cheapest(catalog, catalog.entities.members(entity, &country)));
            }
        }
        related
    }

    /// Text matches of a listing's name, in rank order; those of the product itself may be left out.
    fn like(&self, catalog: &Catalog, row: u32) -> Vec<u32> {
        let terms = search_terms(catalog.listing(row).name());
        if !self.offers.contains(&row) {
            return search(catalog, self.country, self.retailer, &terms).1;
        }
        // An offer matches its own name, so no term is dropped, and what remains of interest is the rest.
        let entity = &catalog.listings.entity;
        let accept = |row: u32| entity[row as usize] != self.entity && is_offer(catalog, self.retailer, row);
        let country = catalog.country_rows(self.country);
        let hits = read(catalog.text.search_all(&terms, country.clone(), accept));
        ranked(catalog, &country, hits)
    }

    fn cheapest(&self, catalog: &Catalog, members: &[u32]) -> Option<u32> {
        let listings = &catalog.listings;
        let members = members.iter().copied().filter(|&row| is_offer(catalog, self.retailer, row));
        members.min_by_key(|&row| (listings.current_price[row as usize], listings.product_uid[row as usize]))
    }

    fn resolve_text(&mut self, catalog: &Catalog, q: &str) -> Result<(), Refusal> {
        let terms = search_terms(q);
        let (kept, matches) = search(catalog, self.country, self.retailer, &terms);
        let Some(&best) = matches.first() else {
            let message =
                format!("no priced listing of {} matches any leading term of q", self.country.as_str());
            return Err(Refusal::no_results(Reason::UnknownProduct, message));
        };
        self.dropped_terms = (kept < terms.len()).then(|| terms[kept..].to_vec());
        self.entity = catalog.listing(best).entity();
        self.listing = Some(best);
        self.matches = matches;
        Ok(())
    }
}

/// Priced rows in the order of best-price: condition, then not out of stock, then price, then uid.
pub fn offers(catalog: &Catalog, members: impl Iterator<Item = u32>) -> Vec<u32> {
    let listings = &catalog.listings;
    let mut rows: Vec<u32> = members.filter(|&row| listings.priced[row as usize] == 1).collect();
    rows.sort_by_key(|&row| {
        let listing = catalog.listing(row);
        let at = row as usize;
        (
            listing.condition().rank(),
            listing.in_stock() == Some(false),
            listings.current_price[at],
            listings.product_uid[at],
        )
    });
    rows
}

/// Priced listings of the country (and retailer) that match the longest prefix of the terms that anything matches,
/// in rank order; and the length of that prefix.
fn search(catalog: &Catalog, country: Country, retailer: Option<u16>, terms: &[String]) -> (usize, Vec<u32>) {
    let rows = catalog.country_rows(country);
    let accept = |row: u32| is_offer(catalog, retailer, row);
    let found = read(catalog.text.search(terms, rows.clone(), accept));
    (found.kept, ranked(catalog, &rows, found.hits))
}

/// Whether a listing is priced, and of the retailer if one is named.
fn is_offer(catalog: &Catalog, retailer: Option<u16>, row: u32) -> bool {
    catalog.listing(row).is_priced() && scope::is_at(catalog, retailer, row)
}

/// What the text index found. Its files are mapped and checked, so a fault is a defect: it is logged, and nothing
/// was found.
fn read<T: Default>(found: std::io::Result<T>) -> T {
    found.unwrap_or_else(|fault| {
        tracing::error!(%fault, "the text index cannot be read");
        T::default()
    })
}

/// The best hits in rank order: all of them, or enough for every place an answer has.
fn ranked(catalog: &Catalog, country: &Range<u32>, mut hits: Vec<Hit>) -> Vec<u32> {
    let mut wanted = RANKED_FIRST;
    while wanted < hits.len() {
        let by_score = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score);
        let (_, &mut Hit { score, .. }, _) = hits.select_nth_unstable_by(wanted, by_score);
        let best: Vec<Hit> = hits.iter().copied().filter(|hit| hit.score >= score).collect();
        let mut entities: Vec<u32> = best.iter().map(|hit| catalog.listing(hit.row).entity()).collect();
        entities.sort_unstable();
        entities.dedup();
        if entities.len() > RELATED_MAX {
            hits = best;
            break;
        }
        wanted *= 4;
    }
    hits.sort_by_cached_key(|&hit| rank(catalog, country, hit));
    hits.into_iter().map(|hit| hit.row).collect()
}

/// Order of text matches: score, then members in the country, then in stock, then newer, then uid.
fn rank(catalog: &Catalog, country: &Range<u32>, hit: Hit) -> impl Ord + use<> {
    let listing = catalog.listing(hit.row);
    let members = catalog.entities.members(listing.entity(), country).len();
    // Scores are positive, so their bits order them.
    (
        Reverse(hit.score.to_bits()),
        Reverse(members),
        Reverse(listing.in_stock() == Some(true)),
        Reverse(listing.observed_at()),
        listing.uid(),
    )
}

/// Rows of an entity in a country that have the condition, of one retailer if it is named.
pub fn same_condition(catalog: &Catalog, product: &Product, condition: Condition) -> Vec<u32> {
    let members = catalog.entities.members(product.entity, &catalog.country_rows(product.country));
    let ours = |&row: &u32| {
        catalog.listing(row).condition() == condition && scope::is_at(catalog, product.retailer, row)
    };
    members.iter().copied().filter(ours).collect()
}
