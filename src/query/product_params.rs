//! The product that a request asks for: the parameters, and their values.

use super::params::{BadParameter, Kind, Param, Reader};
use crate::search::index::{MatchQuality, QualityConstants};
use crate::search::query::{DEFAULT_MIN_QUALITY, Strictness};
use crate::types::Country;

/// `q`.
pub static Q: Param = Param {
    name: "q",
    kind: Kind::Text,
    about: "Product text or barcode. Digits, spaces and hyphens that form a usable barcode are looked up as one; \
            any other text is looked for in name, brand and category, misspelled words corrected (see \
            corrected_terms) and words that the best match does not have dropped (see dropped_terms). A text whose \
            best match has too little match_quality is refused before it is paid.",
};
/// `exact_query`.
pub static EXACT_QUERY: Param = Param {
    name: "exact_query",
    kind: Kind::Flag,
    about: "Takes the words of q as they are written: nothing is corrected, and only last words are dropped until \
            something matches. Means nothing to uids and barcodes.",
};
/// `min_quality`.
pub static MIN_QUALITY: Param = Param {
    name: "min_quality",
    kind: Kind::Fraction(DEFAULT_MIN_QUALITY.hundredths()),
    about: "The least match_quality of the product that is answered; below it the request is refused before it is paid. 0 \
            refuses only what matches nothing. With exact_query the default is 0. Means nothing to uids and barcodes.",
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

/// Reads `country`.
pub fn read_country(reader: &mut Reader<'_>) -> Country {
    reader.choice(&COUNTRY, [Country::Us, Country::Ca])
}

/// The product that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductQuery {
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
    /// How `q` is matched.
    pub strictness: Strictness,
}

impl ProductQuery {
    /// Reads the seven parameters.
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
