//! From `q`, `product_uid` and `entity_uid` to a product: an entity, and the listing that stands for it.

use super::params::{BadParameter, Kind, Param, Reader};
use super::refusal::{Reason, Refusal};
use super::scope;
use crate::catalog::{Catalog, Matches, Wanted};
use crate::domain::text::search_terms;
use crate::domain::{Condition, Country, EntityUid, Gtin, ProductUid};

/// Most related products in an answer.
pub const RELATED_MAX: usize = 50;
/// How many text matches are ranked at first; more only where these belong to too few entities.
const RANKED_FIRST: usize = 64;
/// How many times as many are ranked next.
const RANKED_GROWTH: usize = 8;

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
    /// What a text look-up found; nothing for the others.
    found: Option<Found>,
}

/// What a text look-up searched for and found.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    terms: Vec<Option<u32>>,
    matches: Matches,
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
        found: None,
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
        let mut ranked = RANKED_FIRST;
        let mut again;
        let mut matches = if let Some(found) = &self.found {
            &found.matches
        } else {
            again = self.like(catalog, ranked);
            &again
        };
        loop {
            let related = self.one_per_entity(catalog, matches, limit);
            if related.len() == limit || matches.all {
                return related;
            }
            ranked *= RANKED_GROWTH;
            again = match &self.found {
                Some(found) => search(catalog, self.country, self.retailer, &found.terms, ranked),
                None => self.like(catalog, ranked),
            };
            matches = &again;
        }
    }

    /// The cheapest listings of the entities of matches, best match first, without the product's own.
    fn one_per_entity(&self, catalog: &Catalog, matches: &Matches, limit: usize) -> Vec<u32> {
        let country = catalog.country_rows(self.country);
        let mut seen = vec![self.entity];
        let mut related = Vec::new();
        for hit in &matches.hits {
            if related.len() == limit {
                break;
            }
            let listing = catalog.listing(hit.row);
            if !seen.contains(&listing.entity()) {
                seen.push(listing.entity());
                related.extend(if self.retailer.is_none() {
                    listing.cheapest()
                } else {
                    let members = catalog.entities.members(listing.entity(), &country);
                    catalog.cheapest(members, |row| scope::is_at(catalog, self.retailer, row))
                });
            }
        }
        related
    }

    /// Text matches of the name of the listing that stands for the product; those of the product itself may be left
    /// out.
    fn like(&self, catalog: &Catalog, limit: usize) -> Matches {
        let Some(row) = self.representative() else { return Matches { all: true, ..Matches::default() } };
        let terms = catalog.text.name_terms(row);
        if !self.offers.contains(&row) {
            let terms: Vec<Option<u32>> = terms.iter().copied().map(Some).collect();
            return search(catalog, self.country, self.retailer, &terms, limit);
        }
        // An offer matches its own name, so no term is dropped, and what remains of interest is the rest.
        let entity = &catalog.listings.entity;
        let accept =
            |row: u32| entity[row as usize] != self.entity && scope::is_at(catalog, self.retailer, row);
        catalog.text.search_all(terms, &Wanted { country: self.country, limit, accept })
    }

    fn resolve_text(&mut self, catalog: &Catalog, q: &str) -> Result<(), Refusal> {
        let words = search_terms(q);
        let terms = catalog.text.look_up(&words);
        let matches = search(catalog, self.country, self.retailer, &terms, RANKED_FIRST);
        let Some(best) = matches.hits.first().map(|hit| hit.row) else {
            let message =
                format!("no priced listing of {} matches any leading term of q", self.country.as_str());
            return Err(Refusal::no_results(Reason::UnknownProduct, message));
        };
        self.dropped_terms = (matches.kept < words.len()).then(|| words[matches.kept..].to_vec());
        self.entity = catalog.listing(best).entity();
        self.listing = Some(best);
        self.found = Some(Found { terms, matches });
        Ok(())
    }
}

/// Priced rows in the order of best-price: condition, then not out of stock, then price, then uid.
pub fn offers(catalog: &Catalog, members: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = members.filter(|&row| catalog.listing(row).is_priced()).collect();
    rows.sort_by_key(|&row| {
        let listing = catalog.listing(row);
        (listing.condition().rank(), listing.in_stock() == Some(false), listing.price(), listing.uid())
    });
    rows
}

/// The best priced listings of the country (and retailer) that match the longest prefix of the terms that anything
/// matches.
fn search(
    catalog: &Catalog,
    country: Country,
    retailer: Option<u16>,
    terms: &[Option<u32>],
    limit: usize,
) -> Matches {
    let accept = |row: u32| scope::is_at(catalog, retailer, row);
    catalog.text.search(terms, &Wanted { country, limit, accept })
}

/// Rows of an entity in a country that have the condition, of one retailer if it is named.
pub fn same_condition(catalog: &Catalog, product: &Product, condition: Condition) -> Vec<u32> {
    let members = catalog.entities.members(product.entity, &catalog.country_rows(product.country));
    let ours = |&row: &u32| {
        catalog.listing(row).condition() == condition && scope::is_at(catalog, product.retailer, row)
    };
    members.iter().copied().filter(ours).collect()
}
