//! Words that tell one product from another: "decaf", colours, flavours, wearers, accessories.
//!
//! The lexicon lists the forms of each variant. A name is one number, with a bit for each variant that it states.

use std::sync::LazyLock;

use super::lexicon::{Kind, Meaning, lexicon};

/// Kinds of variants, in the order of their bits.
const KINDS: [Kind; 5] = [Kind::Variant, Kind::Colour, Kind::Flavour, Kind::Wearer, Kind::Accessory];

/// The forms of each variant, in the order of the bits. The last variant has all neutral phrases: it tells nothing apart,
/// and hides the words of its phrases.
pub(crate) fn forms() -> impl Iterator<Item = Vec<&'static str>> {
    let forms = |meaning: &'static Meaning| meaning.forms.iter().map(AsRef::as_ref);
    let neutral = lexicon().meanings(Kind::Neutral).iter().flat_map(forms).collect();
    let telling = KINDS.iter().flat_map(|kind| lexicon().meanings(*kind));
    telling.map(move |meaning| forms(meaning).collect()).chain([neutral])
}

/// Bits of variants by kind.
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

/// Bits of variants by kind.
pub(crate) static BITS: LazyLock<Bits> = LazyLock::new(|| {
    let mut end = 0;
    let [variants, colours, flavours, wearers, accessories] = KINDS.map(|kind| {
        let start = end;
        end += lexicon().meanings(kind).len();
        assert!(end < 128, "at most 128 variants");
        (1_u128 << end) - (1 << start)
    });
    let (strict, outweighed) = (variants | flavours, colours | wearers | accessories);
    Bits { colours, wearers, accessories, strict, outweighed, variants: strict | wearers | accessories }
});

/// The key that is used for a brand.
pub(crate) fn brand_name(key: &str) -> &str {
    lexicon().canonical(Kind::Brand, key).unwrap_or(key)
}

/// Numerals in letters with their digits: `Mark II` is `Mark 2`.
pub(crate) fn numerals() -> impl Iterator<Item = (&'static str, &'static str)> {
    let forms = |meaning: &'static Meaning| meaning.forms.iter().map(|form| (&**form, &*meaning.canonical));
    lexicon().meanings(Kind::Number).iter().flat_map(forms)
}

/// Private labels. The key of a retailer that sells a label, without hyphens and underscores, begins with one of the words
/// of its value.
pub(crate) fn private_labels() -> &'static [Meaning] {
    lexicon().meanings(Kind::PrivateLabel)
}
