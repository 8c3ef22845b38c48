//! Parameters that select a product, and their values in a request.

use super::params::{BadParameter, Kind, Param, Reader};
use crate::search::index::{MatchQuality, QualityConstants};
use crate::search::query::{DEFAULT_MIN_QUALITY, Strictness};
use crate::types::Country;

/// `q`.
pub static Q: Param = Param {
    name: "q",
    kind: Kind::Text,
    about: "Product text or barcode. Digits, spaces and hyphens that form a usable barcode are looked up as a \
            barcode. Any other text is searched in name, brand and category: misspelled words are corrected (see \
            corrected_terms), and words that the best match does not have are dropped (see dropped_terms). A text \
            whose best match has too low a match_quality is refused before payment.",
};
/// `exact_query`.
pub static EXACT_QUERY: Param = Param {
    name: "exact_query",
    kind: Kind::Flag,
    about: "Takes the words of q literally: nothing is corrected, and only trailing words are dropped until \
            something matches. Ignored for uids and barcodes.",
};
/// `min_quality`.
pub static MIN_QUALITY: Param = Param {
    name: "min_quality",
    kind: Kind::Fraction(DEFAULT_MIN_QUALITY.hundredths()),
    about: "Minimum match_quality of the answered product; a request below it is refused before payment. 0 refuses \
            only texts that match nothing. With exact_query the default is 0. Ignored for uids and barcodes.",
};
/// `product_uid`.
pub static PRODUCT_UID: Param =
    Param { name: "product_uid", kind: Kind::Text, about: "Pins the answer to the listing with this uid." };
/// `entity_uid`.
pub static ENTITY_UID: Param =
    Param { name: "entity_uid", kind: Kind::Text, about: "Selects the product across retailers by uid." };
/// `country`.
pub static COUNTRY: Param =
    Param { name: "country", kind: Kind::Word(&["us", "ca"], Some("us")), about: "Country of the listings." };
/// `retailer`.
pub static RETAILER: Param = Param {
    name: "retailer",
    kind: Kind::PlatformKey,
    about: "Restricts the listings to this retailer platform; any case.",
};

/// Reads `country`.
pub fn read_country(reader: &mut Reader<'_>) -> Country {
    reader.choice(&COUNTRY, [Country::Us, Country::Ca])
}

/// Values of the parameters that select a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductQuery {
    /// Product text or barcode.
    pub q: Option<String>,
    /// Uid of the listing, as given.
    pub product_uid: Option<String>,
    /// Uid of the entity, as given.
    pub entity_uid: Option<String>,
    /// Country.
    pub country: Country,
    /// Retailer key, in lower case.
    pub retailer: Option<String>,
    /// How `q` is matched.
    pub strictness: Strictness,
}

impl ProductQuery {
    /// Reads the parameters. A request without `q`, `product_uid` and `entity_uid` is recorded as a fault.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let asked = Self {
            q: reader.text(&Q),
            product_uid: reader.text(&PRODUCT_UID),
            entity_uid: reader.text(&ENTITY_UID),
            country: read_country(reader),
            retailer: reader.text(&RETAILER),
            strictness: Strictness {
                is_exact: reader.flag(&EXACT_QUERY),
                min_quality: reader.fraction(&MIN_QUALITY).map(MatchQuality::of_hundredths),
                constants: QualityConstants::default(),
            },
        };
        if ![&Q, &PRODUCT_UID, &ENTITY_UID].into_iter().any(|param| reader.was_given(param)) {
            reader.reject(BadParameter::new(Q.name, "give q, product_uid or entity_uid"));
        }
        asked
    }
}
