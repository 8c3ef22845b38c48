//! Words that tell one product from another: "decaf", colours, flavours, wearers, accessories.
//!
//! The lexicon lists the forms of each variant. A name is one number, with a bit for each variant that it states.

use super::lexicon::{Kind, Lexicon, Meaning, VARIANTS};

/// The forms of each variant, in the order of the bits. The last variant has all neutral phrases: it tells nothing apart,
/// and hides the words of its phrases.
pub(crate) fn forms(lexicon: &Lexicon) -> impl Iterator<Item = Vec<&str>> {
    fn forms(meaning: &Meaning) -> Vec<&str> {
        meaning.forms.iter().map(AsRef::as_ref).collect()
    }
    let neutral = lexicon.meanings(Kind::Neutral).iter().flat_map(forms).collect();
    let telling = VARIANTS.iter().flat_map(|kind| lexicon.meanings(*kind));
    telling.map(forms).chain([neutral])
}

/// Bits of variants by kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits {
    pub(crate) colours: u128,
    pub(crate) wearers: u128,
    pub(crate) accessories: u128,
    /// Variants and flavours: names that differ in them sell different products, whatever their part numbers.
    pub(crate) strict: u128,
    /// Colours, wearers and accessories: a shared part number decides if one name does not state them.
    pub(crate) outweighed: u128,
    /// All but colours.
    pub(crate) variants: u128,
}

impl Bits {
    pub(crate) fn of(lexicon: &Lexicon) -> Self {
        let mut end = 0;
        let [variants, colours, flavours, wearers, accessories] = VARIANTS.map(|kind| {
            let start = end;
            end += lexicon.meanings(kind).len();
            (1_u128 << end) - (1 << start)
        });
        let (strict, outweighed) = (variants | flavours, colours | wearers | accessories);
        Self { colours, wearers, accessories, strict, outweighed, variants: strict | wearers | accessories }
    }
}

/// The key that is used for a brand.
pub(crate) fn brand_name<'a>(lexicon: &'a Lexicon, key: &'a str) -> &'a str {
    lexicon.canonical(Kind::Brand, key).unwrap_or(key)
}

/// Numerals in letters with their digits: `Mark II` is `Mark 2`.
pub(crate) fn numerals(lexicon: &Lexicon) -> impl Iterator<Item = (&str, &str)> {
    fn forms(meaning: &Meaning) -> impl Iterator<Item = (&str, &str)> {
        meaning.forms.iter().map(|form| (&**form, &*meaning.canonical))
    }
    lexicon.meanings(Kind::Number).iter().flat_map(forms)
}
