//! Lists of ids in one parameter: their normal form, the object that each one names, and its status in the answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::product::Product;
use crate::analytics::scope::is_at;
use crate::catalog::Catalog;
use crate::types::{Country, EntityUid, Gtin, ProductUid};

/// An id in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedId {
    /// Normal form: a uid as given, a usable barcode as a GTIN of 14 digits, anything else as given.
    pub text: String,
    /// The object that the id names.
    pub names: IdNames,
}

/// The object that an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdNames {
    /// A listing.
    Listing(ProductUid),
    /// A product across retailers.
    Entity(EntityUid),
    /// A product by its barcode.
    Barcode(Gtin),
    /// A text that begins like a uid but is not a valid uid.
    NoUid,
    /// A text that is neither a uid nor a usable barcode.
    Nothing,
}

/// Status of an id in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ItemStatus")]
pub enum ItemStatus {
    /// The answer contains the figures of the item.
    Ok,
    /// The id is neither a usable barcode nor a kind of uid that the parameter accepts.
    NotABarcode,
    /// The country has no such product.
    UnknownProduct,
    /// The product has no listing with a price of the last 90 days, at the requested retailer if there is one.
    NoPricedListing,
    /// Every priced listing is used, refurbished or out of stock. Baskets only.
    NoOffer,
}

impl ListedId {
    /// Reads an id; `None` if it is empty.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let uid =
            |names: Option<IdNames>| Self { text: text.to_owned(), names: names.unwrap_or(IdNames::NoUid) };
        Some(if text.starts_with("p_") {
            uid(ProductUid::parse(text).map(IdNames::Listing))
        } else if text.starts_with("e_") {
            uid(EntityUid::parse(text).map(IdNames::Entity))
        } else if let Some(gtin) = Gtin::from_query(text) {
            Self { text: gtin.to_string(), names: IdNames::Barcode(gtin) }
        } else {
            Self { text: text.to_owned(), names: IdNames::Nothing }
        })
    }

    /// Finds the product that the id names in a country. The product must have an offer, which must be at the
    /// retailer if one is given.
    ///
    /// # Errors
    /// Returns the status with the reason if there is no such product or offer.
    pub fn find(
        &self,
        catalog: &Catalog,
        country: Country,
        retailer: Option<u16>,
    ) -> Result<Product, ItemStatus> {
        let (entity, listing) = match self.names {
            IdNames::Nothing => return Err(ItemStatus::NotABarcode),
            IdNames::NoUid => (None, None),
            IdNames::Entity(uid) => (catalog.entities.by_uid(uid), None),
            IdNames::Barcode(gtin) => (catalog.entities.by_uid(EntityUid::of_gtin(gtin)), None),
            IdNames::Listing(uid) => {
                let rows = catalog.country_rows(country);
                let here = |row: &u32| rows.contains(row) && is_at(catalog, retailer, *row);
                let row = catalog.row_of(uid).filter(here);
                (row.map(|row| catalog.listing(row).entity()), row)
            }
        };
        let entity = entity.ok_or(ItemStatus::UnknownProduct)?;
        let product = Product::of_entity(catalog, country, retailer, entity, listing);
        match (product.member_count, product.offers.is_empty()) {
            (0, _) => Err(ItemStatus::UnknownProduct),
            (_, true) => Err(ItemStatus::NoPricedListing),
            (_, false) => Ok(product),
        }
    }
}

/// Reads a comma-separated list of ids; `None` if an id is empty.
pub fn read_list(text: &str) -> Option<Vec<ListedId>> {
    text.split(',').map(ListedId::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_has_one_normal_form() {
        let texts = |list: &str| -> Option<Vec<String>> {
            Some(read_list(list)?.into_iter().map(|id| id.text).collect())
        };
        let gtin = "00013409918104";
        for spelling in ["13409918104", "0-13409-91810-4", " 013409918104 ", "00013409918104"] {
            assert_eq!(texts(spelling), Some(vec![gtin.to_owned()]), "{spelling}");
        }
        let mixed = texts("zz, p_0000000000000 ,e_x").unwrap();
        assert_eq!(mixed, ["zz", "p_0000000000000", "e_x"]);
        for empty in ["", "e_1,,e_2", "a,", " "] {
            assert_eq!(texts(empty), None, "{empty:?}");
        }
        let names = |text: &str| ListedId::read(text).unwrap().names;
        assert_eq!(
            (names("e_x"), names("p_"), names("zz")),
            (IdNames::NoUid, IdNames::NoUid, IdNames::Nothing)
        );
    }
}
