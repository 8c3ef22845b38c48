//! Resolves `q`, `product_uid` and `entity_uid` to a product: an entity, and the listing that represents it.

use super::params::BadParameter;
use super::product_params::{ENTITY_UID, PRODUCT_UID, ProductQuery};
use super::refusal::{NoResultsReason, Refusal, Sought};
use super::requirements::platform_of;
use crate::analytics::offers;
use crate::analytics::scope::is_at;
use crate::catalog::Catalog;
use crate::lang::text::name;
use crate::lang::text::terms::terms;
use crate::search::index::{Hit, MatchQuality, Matches, SearchScope, SoughtTerms};
use crate::search::query::{self, DEFAULT_MIN_QUALITY, TextReading, Understood};
use crate::types::{Condition, Country, EntityUid, Gtin, ProductUid};

/// Maximum number of related products in an answer.
pub const RELATED_MAX: usize = 50;

/// A resolved product.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Country.
    pub country: Country,
    /// Index of the platform to which the listings are restricted.
    pub retailer: Option<u16>,
    /// `q` as given; `None` for look-ups by uid.
    pub query: Option<String>,
    /// Index of the entity of the product.
    pub entity: u32,
    /// Number of listings of the entity in the country, priced or not.
    pub member_count: u32,
    /// Row of the listing that was requested by uid, or of the best text match; `None` for an entity uid or a
    /// barcode.
    pub listing: Option<u32>,
    /// Whether `listing` was requested by uid.
    pub is_pinned: bool,
    /// Priced rows in the order of best-price, the best first.
    pub offers: Vec<u32>,
    /// How a text was understood; `None` for other look-ups.
    understood: Option<Understood>,
}

/// A related product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Related {
    /// Row of the cheapest listing of the product.
    pub row: u32,
    /// Number of terms of the requested text that the best-matching listing contains, and number of all terms; `None`
    /// for look-ups other than by text.
    pub matched: Option<[u32; 2]>,
    /// Quality of the best match; `None` for look-ups other than by text.
    pub quality: Option<MatchQuality>,
}

/// Resolves the product of a request. `related` is the number of related products that the answer needs.
///
/// # Errors
/// Returns status 400 if the two uids contradict each other, `RETAILER_NOT_SERVING_ELIGIBLE` if the retailer does not
/// serve the country, and `NO_RESULTS` if the country does not have such a product.
pub fn resolve(catalog: &Catalog, asked: &ProductQuery, related: usize) -> Result<Product, Refusal> {
    let find_row = |uid: &String| ProductUid::parse(uid).and_then(|uid| catalog.row_of(uid));
    let find_entity = |uid: &String| EntityUid::parse(uid).and_then(|uid| catalog.entities.by_uid(uid));
    let (row, entity) =
        (asked.product_uid.as_ref().map(find_row), asked.entity_uid.as_ref().map(find_entity));
    // An unknown entity contains no listing, and an unknown listing belongs to no entity.
    if let (Some(row), Some(entity)) = (row, entity)
        && (entity.is_none() || row.map(|row| catalog.listing(row).entity()) != entity)
    {
        let reason = "product_uid is not a member of entity_uid; leave one of them out";
        let both = [PRODUCT_UID.name, ENTITY_UID.name].map(|name| BadParameter::new(name, reason));
        return Err(Refusal::BadParameters(both.into()));
    }
    let country = asked.country;
    let retailer = platform_of(catalog, country, asked.retailer.as_deref())?;
    let unknown = |what: &str, rows: &[u32]| unknown(catalog, country, what, rows);
    let here = |row: &u32| catalog.country_rows(country).contains(row) && is_at(catalog, retailer, *row);
    let mut product = Product {
        country,
        retailer,
        query: None,
        entity: 0,
        member_count: 0,
        listing: None,
        is_pinned: false,
        offers: Vec::new(),
        understood: None,
    };
    match (row, entity, &asked.q) {
        (Some(row), _, _) => {
            let row = row.filter(here).ok_or_else(|| {
                unknown("listing with this product_uid (at the requested retailer)", row.as_slice())
            })?;
            product.entity = catalog.listing(row).entity();
            product.listing = Some(row);
            product.is_pinned = true;
        }
        (None, Some(entity), _) => {
            product.entity = entity.ok_or_else(|| unknown("entity with this entity_uid", &[]))?;
        }
        (None, None, Some(q)) => {
            product.query = Some(q.clone());
            match Gtin::from_query(q) {
                Some(gtin) => {
                    let entity = catalog.entities.by_uid(EntityUid::of_gtin(gtin));
                    product.entity = entity.ok_or_else(|| unknown("product with this barcode", &[]))?;
                }
                None => product.resolve_text(catalog, q, asked, related)?,
            }
        }
        (None, None, None) => return Err(unknown("product without q, product_uid or entity_uid", &[])),
    }
    let members = catalog.entities.members(product.entity, &catalog.country_rows(country));
    if !members.iter().any(here) {
        let elsewhere = members_elsewhere(catalog, country, product.entity);
        return Err(unknown("listing of this product (at the requested retailer)", &elsewhere));
    }
    product.member_count = members.len() as u32;
    product.offers = offers::in_order(catalog, members.iter().copied().filter(here));
    Ok(product)
}

impl Product {
    /// Creates the product of an entity, pinned to a listing if one is given. Its `member_count` is 0 if the country
    /// does not have a listing of the entity.
    pub fn of_entity(
        catalog: &Catalog,
        country: Country,
        retailer: Option<u16>,
        entity: u32,
        listing: Option<u32>,
    ) -> Self {
        let members = catalog.entities.members(entity, &catalog.country_rows(country));
        let here = members.iter().copied().filter(|&row| is_at(catalog, retailer, row));
        Self {
            country,
            retailer,
            query: None,
            entity,
            member_count: members.len() as u32,
            listing,
            is_pinned: listing.is_some(),
            offers: offers::in_order(catalog, here),
            understood: None,
        }
    }

    /// Number of distinct retailers of the offers.
    pub fn retailers(&self, catalog: &Catalog) -> u32 {
        distinct_retailers(catalog, self.offers.iter().copied())
    }

    /// Whether the entity has several listings in the country.
    pub fn is_entity(&self) -> bool {
        self.member_count >= 2
    }

    /// The listing that represents the product: the pinned one or the text match, otherwise the best offer.
    pub fn representative(&self) -> Option<u32> {
        self.listing.or_else(|| self.offers.first().copied())
    }

    /// The listing that identifies the product independently of prices: the pinned one, otherwise the first member in
    /// the order of the catalog. The text match is not used, because the choice among equally good matches depends on
    /// their prices.
    pub fn named_listing(&self, catalog: &Catalog) -> Option<u32> {
        let members = catalog.entities.members(self.entity, &catalog.country_rows(self.country));
        let first = || members.iter().copied().find(|&row| is_at(catalog, self.retailer, row));
        self.listing.filter(|_| self.is_pinned).or_else(first)
    }

    /// Returns the best offer.
    ///
    /// # Errors
    /// Returns `NO_RESULTS` if the product does not have an offer.
    pub fn require_offer(&self, catalog: &Catalog) -> Result<u32, Refusal> {
        self.offers.first().copied().ok_or_else(|| {
            let message = "no listing of this product has a price of the last 90 days";
            let rows = members_elsewhere(catalog, self.country, self.entity);
            let refusal = Refusal::no_results(NoResultsReason::NoPricedListing, message);
            refusal.elsewhere(other_country(catalog, self.country, &rows))
        })
    }

    /// Quality of the best match of a text; `None` for other look-ups.
    pub fn match_quality(&self) -> Option<MatchQuality> {
        Some(self.understood.as_ref()?.matches.hits.first()?.quality)
    }

    /// How a text was read; the default for other look-ups.
    pub fn reading(&self) -> TextReading {
        self.understood.as_ref().map_or_else(TextReading::default, |understood| understood.reading.clone())
    }

    /// Returns the best text matches outside the entity, as the cheapest listing of each matching entity. For a text,
    /// complete matches come first, then listings that contain at least half of its terms.
    pub fn related(&self, catalog: &Catalog, limit: usize) -> Vec<Related> {
        self.related_beside(catalog, limit, &[])
    }

    /// Like [`Product::related`], but skips the entities in `passed_over`.
    pub fn related_beside(&self, catalog: &Catalog, limit: usize, passed_over: &[u32]) -> Vec<Related> {
        if limit == 0 {
            return Vec::new();
        }
        let seen = [&[self.entity], passed_over].concat();
        // Among this number of products, at least `limit` are not skipped.
        let enough = limit + seen.len();
        let mut of = OnePerEntity { product: self, catalog, limit, seen, related: Vec::new() };
        let Some(understood) = &self.understood else {
            of.take(&self.like(catalog, enough).hits, None);
            return of.related;
        };
        let wanted = self.wanted(catalog, enough);
        of.take(&understood.matches.hits, Some(understood));
        if !of.is_full() && !understood.matches.all {
            of.take(&understood.again(catalog, &wanted).hits, Some(understood));
        }
        if !of.is_full() {
            of.take(&understood.half_matches(catalog, &wanted).hits, Some(understood));
        }
        of.related
    }

    fn wanted<'a>(
        &'a self,
        catalog: &'a Catalog,
        limit: usize,
    ) -> SearchScope<'a, impl Fn(u32) -> bool + 'a> {
        let among = self.retailer.map(|platform| catalog.docs_at(platform, self.country));
        SearchScope {
            country: self.country,
            limit,
            among,
            accept: move |row| is_at(catalog, self.retailer, row),
        }
    }

    /// Searches for the name of the listing that represents the product.
    fn like(&self, catalog: &Catalog, limit: usize) -> Matches {
        let Some(row) = self.representative() else { return Matches { all: true, ..Matches::default() } };
        let (text, named) = (&catalog.text, terms(&catalog.lexicon, catalog.listing(row).name()));
        let heads = name::head_nouns(&catalog.lexicon, &named)
            .into_iter()
            .filter_map(|at| text.look_up(&named[at].folded));
        let terms = text.name_terms(row);
        let wanted = self.wanted(catalog, limit);
        // An offer matches its own name, so no term is dropped.
        let kept = if self.offers.contains(&row) {
            terms.len()
        } else {
            query::longest_prefix(catalog, &terms, 0, &wanted)
        };
        let needed = &terms[..kept];
        let product_type = query::type_term(catalog, heads, needed);
        let sought = SoughtTerms {
            needed,
            scored: &terms,
            product_type,
            quality: None,
            least: MatchQuality::default(),
        };
        text.search(sought, &wanted)
    }

    fn resolve_text(
        &mut self,
        catalog: &Catalog,
        q: &str,
        asked: &ProductQuery,
        related: usize,
    ) -> Result<(), Refusal> {
        let found = query::understand(catalog, q, asked.strictness, &self.wanted(catalog, 1 + related));
        let understood = found.map_err(|weak| {
            Refusal::weak_match(asked.country, weak).to_complete(Sought::Product(asked.clone()))
        })?;
        let best = understood.matches.hits.first().map(|hit| hit.row);
        self.listing = best;
        self.entity = best.map(|row| catalog.listing(row).entity()).unwrap_or_default();
        self.understood = Some(understood);
        Ok(())
    }
}

/// Creates the refusal of a product that the country does not have. The refusal names another country if it has a
/// price for one of `rows`.
fn unknown(catalog: &Catalog, country: Country, what: &str, rows: &[u32]) -> Refusal {
    let message = format!("{} has no {what}", country.as_str());
    let refusal = Refusal::no_results(NoResultsReason::UnknownProduct, message);
    refusal.elsewhere(other_country(catalog, country, rows))
}

/// Returns the listings of an entity in other countries.
fn members_elsewhere(catalog: &Catalog, country: Country, entity: u32) -> Vec<u32> {
    let members = |other| catalog.entities.members(entity, &catalog.country_rows(other)).to_vec();
    country.others().flat_map(members).collect()
}

/// Returns the other country if it has a price for one of these listings.
fn other_country(catalog: &Catalog, country: Country, rows: &[u32]) -> Option<Country> {
    let priced = |row: &&u32| catalog.listing(**row).is_priced();
    let has = |other: &Country| {
        let here = catalog.country_rows(*other);
        rows.iter().filter(priced).any(|row| here.contains(row))
    };
    country.others().find(has)
}

/// Related matches below the default minimum quality divided by this number are left out.
const RELATED_QUALITY_ONE_IN: u8 = 2;

/// Collects matches in rank order, one per entity.
struct OnePerEntity<'a> {
    product: &'a Product,
    catalog: &'a Catalog,
    limit: usize,
    seen: Vec<u32>,
    related: Vec<Related>,
}

impl OnePerEntity<'_> {
    fn is_full(&self) -> bool {
        self.related.len() == self.limit
    }

    /// Adds the cheapest listing of each entity that was not added before. Text matches of insufficient quality are
    /// skipped.
    fn take(&mut self, hits: &[Hit], of_text: Option<&Understood>) {
        let Product { country, retailer, .. } = *self.product;
        for hit in hits {
            if self.is_full() {
                break;
            }
            let listing = self.catalog.listing(hit.row);
            let is_too_little = of_text.is_some()
                && hit.quality.hundredths() < DEFAULT_MIN_QUALITY.hundredths() / RELATED_QUALITY_ONE_IN;
            if is_too_little || self.seen.contains(&listing.entity()) {
                continue;
            }
            self.seen.push(listing.entity());
            let cheapest = if retailer.is_none() {
                listing.cheapest()
            } else {
                let members =
                    self.catalog.entities.members(listing.entity(), &self.catalog.country_rows(country));
                self.catalog.cheapest(members, |row| is_at(self.catalog, retailer, row))
            };
            self.related.extend(cheapest.map(|row| Related {
                row,
                matched: of_text.map(|understood| understood.matched(self.catalog, hit.row)),
                quality: of_text.map(|_| hit.quality),
            }));
        }
    }
}

/// Returns the number of distinct retailers of some rows.
pub fn distinct_retailers(catalog: &Catalog, rows: impl Iterator<Item = u32>) -> u32 {
    let mut platforms: Vec<u16> = rows.map(|row| catalog.listing(row).platform()).collect();
    platforms.sort_unstable();
    platforms.dedup();
    platforms.len() as u32
}

/// Returns the listings of the product's entity that have the condition, in the country of the product and at its
/// retailer if one was requested.
pub fn same_condition(catalog: &Catalog, product: &Product, condition: Condition) -> Vec<u32> {
    let members = catalog.entities.members(product.entity, &catalog.country_rows(product.country));
    let ours =
        |&row: &u32| catalog.listing(row).condition() == condition && is_at(catalog, product.retailer, row);
    members.iter().copied().filter(ours).collect()
}
