//! Resolves the text of `brand` to a canonical brand.

use std::cmp::Reverse;

use super::descriptor::free_list;
use super::params::{Kind, Param};
use super::refusal::{NoResultsDetails, NoResultsReason, Refusal, Sought};
use crate::catalog::Catalog;
use crate::lang::brand::brand_key;
use crate::lang::text::fold;
use crate::snapshot::layout::BrandEntry;
use crate::types::Country;

/// Maximum number of suggestions in a refusal.
const SUGGESTIONS_MAX: usize = 5;
/// Maximum number of characters of a brand text that are compared for suggestions.
const COMPARED_CHARS_MAX: usize = 40;

/// `brand`.
pub static BRAND: Param = Param {
    name: "brand",
    kind: Kind::Text,
    about: "A brand in any spelling: case, accents, punctuation and a trailing legal form (such as Inc) are ignored.",
};

/// Returns the index of the brand that a text names, if the country has a listing of it.
///
/// # Errors
/// Returns `NO_RESULTS` if the country does not have a listing of such a brand. [`super::suggest::complete`] adds the
/// labels of the nearest brands.
pub fn resolve(catalog: &Catalog, country: Country, text: &str) -> Result<u32, Refusal> {
    let here = country.as_u8() as usize;
    let key = brand_key(text);
    let is_asked = |brand: &BrandEntry| brand.listings[here] > 0 && Some(&brand.key) == key.as_ref();
    if let Some(at) = catalog.brands.iter().position(is_asked) {
        return Ok(at as u32);
    }
    let asked = key.unwrap_or_else(|| fold(text));
    let details = NoResultsDetails {
        suggestions: Some(Vec::new()),
        ..NoResultsDetails::new(NoResultsReason::UnknownBrand)
    };
    let message = format!(
        "{} has no brand {text:?}; ask for one of the suggestions or see {}",
        country.as_str(),
        free_list!(brands)
    );
    let other = country.others().find(|other| {
        let is_offered = |brand: &BrandEntry| brand.priced[other.as_u8() as usize] > 0 && brand.key == asked;
        catalog.brands.iter().any(is_offered)
    });
    let suggest = Some(Box::new(Sought::Brand { country, text: asked.clone() }));
    Err(Refusal::NoResults { message, details: Box::new(details), suggest }.elsewhere(other))
}

/// Returns the labels of a country's brands that are spelled most like a folded text.
pub(super) fn suggestions(catalog: &Catalog, country: Country, text: &str) -> Vec<String> {
    let here = country.as_u8() as usize;
    nearest(text, catalog.brands.iter().filter(|brand| brand.listings[here] > 0), here)
}

/// Returns the labels of the brands whose keys are spelled most like the requested text. Brands of equal similarity
/// are ordered by number of priced listings, then by label.
fn nearest<'a>(asked: &str, brands: impl Iterator<Item = &'a BrandEntry>, country: usize) -> Vec<String> {
    let asked: String = asked.chars().take(COMPARED_CHARS_MAX).collect();
    let near = |brand: &'a BrandEntry| {
        let similarity = strsim::jaro_winkler(&asked, &brand.key);
        // Floats that are not negative have the same order as their bits.
        (Reverse(similarity.to_bits()), Reverse(brand.priced[country]), brand.label.as_str())
    };
    let mut best: Vec<_> = brands.map(near).collect();
    if best.len() > SUGGESTIONS_MAX {
        best.select_nth_unstable(SUGGESTIONS_MAX);
        best.truncate(SUGGESTIONS_MAX);
    }
    best.sort_unstable();
    best.into_iter().map(|(_, _, label)| label.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brand(label: &str, priced: u32) -> BrandEntry {
        let key = brand_key(label).unwrap();
        BrandEntry { key, label: label.into(), listings: [priced, 0], priced: [priced, 0] }
    }

    #[test]
    fn suggestions_are_the_nearest_spellings() {
        let brands: Vec<BrandEntry> =
            ["Corsair", "Corning", "Kingston", "G.Skill", "Crucial", "Cor Sair Inc", "Asus"]
                .map(|label| brand(label, 3))
                .into();
        let labels = nearest("corsaire", brands.iter(), 0);
        assert_eq!(labels.len(), SUGGESTIONS_MAX);
        assert_eq!(labels[..2], ["Cor Sair Inc", "Corsair"], "one key: by label");
        assert_eq!(nearest("corsaire", brands[..2].iter(), 0), ["Corsair", "Corning"]);
        assert!(nearest("corsaire", [].iter(), 0).is_empty());
    }

    #[test]
    fn where_nothing_is_alike_the_largest_are_suggested() {
        let brands = [brand("Asus", 1), brand("Intel", 9), brand("AMD", 4)];
        assert_eq!(nearest("", brands.iter(), 0), ["Intel", "AMD", "Asus"]);
    }
}
