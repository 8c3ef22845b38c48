//! What a product is: a shampoo is not a conditioner, even if brand, line, pack and price are equal.
//!
//! The lexicon lists the forms of each type; the longest form that fits is used. A name may state no type. If both names
//! state types, they have one in common, or sell different products.

use super::lexicon::{Kind, Lexicon, Meaning, TYPES_MAX};

/// Words of 64 bits in a set of types.
const WORDS: usize = TYPES_MAX / 64;

/// The types that a name states.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProductTypes([u64; WORDS]);

/// The types, then the phrases in which a type is not the product.
pub(crate) fn meanings(lexicon: &Lexicon) -> impl Iterator<Item = &Meaning> {
    lexicon.meanings(Kind::Type).iter().chain(lexicon.meanings(Kind::NoType))
}

impl ProductTypes {
    /// Adds a type by its position.
    pub(crate) fn add(&mut self, meaning: usize) {
        self.0[meaning / 64] |= 1 << (meaning % 64);
    }

    /// Whether both state types and none in common.
    pub(crate) fn differ(&self, other: &Self) -> bool {
        let is_some = |product_types: &Self| product_types.0.iter().any(|word| *word != 0);
        is_some(self) && is_some(other) && self.0.iter().zip(other.0).all(|(own, other)| own & other == 0)
    }
}
