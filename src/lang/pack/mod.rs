//! How much one buys: the pack a name states, and what a unit of it costs.
//!
//! A pack is `count × quantity unit`, the quantity an exact fraction as printed. A name has one pack or
//! none: the same amount stated twice (`454g, 454g Brick`, `12 fl oz (355 ml)`) is one pack, different
//! amounts are none, because nobody can say which of them the price buys. What is served and what
//! [`conflicts`] compares is therefore the same pack. [`quantities`](super::quantities) reads packs from names.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::dimension::Dimension;
use crate::types::country::Country;
use crate::types::money::Cents;
use crate::types::rounded::Money4;

/// Mass, volume and pieces, the first dimensions.
const DIMENSIONS: usize = Dimension::Pieces as usize + 1;

/// Most that one pack may hold: 100 kg, 200 l, 10,000 pieces. More is a model number.
const TOTAL_MAX: [u128; DIMENSIONS] = [100_000 * GRAM, 200_000 * MILLILITRE, 10_000];

/// One gram, in the base unit of mass of 10^-10 g, in which customary units are whole.
const GRAM: u128 = 10_000_000_000;
/// The international avoirdupois ounce, 28.349523125 g.
const OUNCE: u128 = 283_495_231_250;
/// One millilitre, in the base unit of volume of 10^-10 ml.
const MILLILITRE: u128 = 10_000_000_000;
/// The US fluid ounce, 29.5735295625 ml.
const FLUID_OUNCE: u128 = 295_735_295_625;

/// Name, dimension and size in the base unit of each unit, by code.
const UNITS: [(&str, Dimension, u128); Unit::ALL.len()] = [
    ("oz", Dimension::Mass, OUNCE),
    ("lb", Dimension::Mass, 16 * OUNCE),
    ("g", Dimension::Mass, GRAM),
    ("kg", Dimension::Mass, 1000 * GRAM),
    ("fl oz", Dimension::Volume, FLUID_OUNCE),
    ("ml", Dimension::Volume, MILLILITRE),
    ("cl", Dimension::Volume, 10 * MILLILITRE),
    ("l", Dimension::Volume, 1000 * MILLILITRE),
    ("pt", Dimension::Volume, 16 * FLUID_OUNCE),
    ("qt", Dimension::Volume, 32 * FLUID_OUNCE),
    ("gal", Dimension::Volume, 128 * FLUID_OUNCE),
    ("piece", Dimension::Pieces, 1),
];

/// Totals up to this many percent apart are the same amount, printed with other rounding.
const SAME_TOTAL_PCT: u128 = 2;

/// Unit of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
#[schemars(rename = "PackUnit")]
pub enum Unit {
    /// Avoirdupois ounce.
    Oz,
    /// Avoirdupois pound.
    Lb,
    /// Gram.
    G,
    /// Kilogram.
    Kg,
    /// US fluid ounce.
    #[serde(rename = "fl oz")]
    FlOz,
    /// Millilitre.
    Ml,
    /// Centilitre.
    Cl,
    /// Litre.
    L,
    /// US liquid pint.
    Pt,
    /// US liquid quart.
    Qt,
    /// US gallon.
    Gal,
    /// Pieces, as counted by `ct`, `count`, `each`, `pk` and `pack`.
    Piece,
}

impl Unit {
    /// Every unit, by code.
    pub const ALL: [Self; 12] = [
        Self::Oz,
        Self::Lb,
        Self::G,
        Self::Kg,
        Self::FlOz,
        Self::Ml,
        Self::Cl,
        Self::L,
        Self::Pt,
        Self::Qt,
        Self::Gal,
        Self::Piece,
    ];

    /// Code of the unit, its place in [`Unit::ALL`].
    pub const fn as_u8(self) -> u8 {
        self as u8
    }

    /// The unit of a code.
    pub fn from_u8(code: u8) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// The name in answers.
    pub const fn as_str(self) -> &'static str {
        UNITS[self as usize].0
    }

    /// What it measures: mass, volume or pieces.
    pub(crate) const fn dimension(self) -> Dimension {
        UNITS[self as usize].1
    }

    /// One of it in grams, millilitres or pieces.
    pub(crate) fn size(self) -> f64 {
        self.base() as f64 / self.one() as f64
    }

    /// A gram, a millilitre or a piece in the base unit of the dimension.
    const fn one(self) -> u128 {
        match self.dimension() {
            Dimension::Mass => GRAM,
            Dimension::Volume => MILLILITRE,
            _ => 1,
        }
    }

    /// One of it in the base unit of its dimension: 10^-10 g, 10^-10 ml, one piece.
    const fn base(self) -> u128 {
        UNITS[self as usize].2
    }
}

/// A pack: `count` times a quantity of a unit. Pieces have a count of 1 unless packs of pieces are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pack {
    count: u32,
    /// The quantity, `num / den`.
    num: u32,
    den: u32,
    unit: Unit,
}

impl Pack {
    /// A pack of `count × num / den` units; `None` when nothing or absurdly much is in it.
    pub fn new(count: u32, num: u32, den: u32, unit: Unit) -> Option<Self> {
        let pack = Self { count, num, den, unit };
        let whole = den > 0 && (unit != Unit::Piece || num.is_multiple_of(den));
        if count == 0 || num == 0 || !whole {
            return None;
        }
        let (total, den) = pack.scaled_total();
        (total <= TOTAL_MAX[unit.dimension() as usize] * den).then_some(pack)
    }

    /// How many of the quantity.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Numerator and denominator of the quantity, as printed.
    pub const fn fraction(&self) -> (u32, u32) {
        (self.num, self.den)
    }

    /// The quantity of one of them, in [`unit`](Self::unit)s.
    pub fn quantity(&self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// The unit of the quantity.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// All of it, in grams, millilitres or pieces.
    pub fn total(&self) -> f64 {
        let (total, den) = self.scaled_total();
        total as f64 / (den * self.unit.one()) as f64
    }

    /// Whether it is one piece, of which nothing says how much it is.
    pub(super) const fn is_single_piece(&self) -> bool {
        matches!(self.unit, Unit::Piece) && self.count == 1 && self.num == self.den
    }

    /// All of it as a fraction in the base unit.
    fn scaled_total(&self) -> (u128, u128) {
        (u128::from(self.count) * u128::from(self.num) * self.unit.base(), u128::from(self.den))
    }

    fn total_is_less(&self, other: &Self) -> bool {
        let ((a, b), (c, d)) = (self.scaled_total(), other.scaled_total());
        a * d < c * b
    }

    /// Whether both hold the same amount, give or take the rounding of a label.
    pub(super) fn same_total(&self, other: &Self) -> bool {
        let ((a, b), (c, d)) = (self.scaled_total(), other.scaled_total());
        let (mine, theirs) = (a * d, c * b);
        let (small, large) = (mine.min(theirs), mine.max(theirs));
        self.unit.dimension() == other.unit.dimension() && large * 100 <= small * (100 + SAME_TOTAL_PCT)
    }
}

/// Whether two packs of one barcode contradict each other: comparable, and either the totals are more than
/// 2 % apart or the counts differ.
pub fn conflicts(a: &Pack, b: &Pack) -> bool {
    a.unit.dimension() == b.unit.dimension() && (a.count != b.count || !a.same_total(b))
}

/// Whether any two of these packs contradict each other.
///
/// Of one dimension, all counts have to be equal, and the largest total and the smallest one the same amount: then
/// those between them are too.
pub fn any_conflict(packs: impl IntoIterator<Item = Pack>) -> bool {
    // The smallest and the largest of each dimension.
    let mut bounds: [Option<(Pack, Pack)>; DIMENSIONS] = [None; DIMENSIONS];
    for pack in packs {
        let bounds = &mut bounds[pack.unit.dimension() as usize];
        let (small, large) = bounds.unwrap_or((pack, pack));
        if conflicts(&small, &pack) || conflicts(&large, &pack) {
            return true;
        }
        let small = if pack.total_is_less(&small) { pack } else { small };
        let large = if large.total_is_less(&pack) { pack } else { large };
        *bounds = Some((small, large));
    }
    false
}

/// Unit to which a unit price refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "UnitPriceBasis")]
pub enum Per {
    /// 100 grams, in Canada.
    #[serde(rename = "100 g")]
    HundredGrams,
    /// 100 millilitres, in Canada.
    #[serde(rename = "100 ml")]
    HundredMillilitres,
    /// One ounce, in the United States.
    #[serde(rename = "oz")]
    Ounce,
    /// One US fluid ounce, in the United States.
    #[serde(rename = "fl oz")]
    FluidOunce,
    /// One piece, anywhere.
    #[serde(rename = "piece")]
    Piece,
}

/// A price per unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnitPrice {
    /// Price per unit, with 4 decimals. The field `per` names the unit.
    pub price: Money4,
    /// Unit to which the price refers.
    pub per: Per,
}

impl Per {
    /// Its name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HundredGrams => "100 g",
            Self::HundredMillilitres => "100 ml",
            Self::Ounce => "oz",
            Self::FluidOunce => "fl oz",
            Self::Piece => "piece",
        }
    }
}

/// The price per customary unit of the country, exact until it is rounded; `None` when it rounds to nothing.
pub fn unit_price(price: Cents, pack: &Pack, country: Country) -> Option<UnitPrice> {
    let (per, (num, total)) = exact_unit_price(price, pack, country);
    let price = Money4::from_ratio(num, total);
    (price.get() > 0).then_some(UnitPrice { price, per })
}

/// The same in cents, before it is rounded.
pub fn exact_unit_price(price: Cents, pack: &Pack, country: Country) -> (Per, (i128, i128)) {
    let (per, size) = match (pack.unit.dimension(), country) {
        (Dimension::Mass, Country::Ca) => (Per::HundredGrams, 100 * GRAM),
        (Dimension::Mass, Country::Us) => (Per::Ounce, OUNCE),
        (Dimension::Volume, Country::Ca) => (Per::HundredMillilitres, 100 * MILLILITRE),
        (Dimension::Volume, Country::Us) => (Per::FluidOunce, FLUID_OUNCE),
        _ => (Per::Piece, 1),
    };
    let (total, den) = pack.scaled_total();
    // At most 10^9 cents × 10^9 × 10^12 over 10^18: far inside i128.
    let num = u128::from(price.get()) * den * size;
    (per, (num as i128, total as i128))
}

impl Serialize for Pack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Pack", 3)?;
        fields.serialize_field("quantity", &self.quantity())?;
        fields.serialize_field("unit", &self.unit)?;
        fields.serialize_field("count", &self.count)?;
        fields.end()
    }
}

impl JsonSchema for Pack {
    fn schema_name() -> Cow<'static, str> {
        "Pack".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Pack size stated in the product name: `count` pieces of `quantity` `unit` each.",
            "properties": {
                "quantity": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "description": "Size of one piece, in `unit`."
                },
                "unit": generator.subschema_for::<Unit>(),
                "count": { "type": "integer", "minimum": 1, "description": "Number of pieces in the pack." }
            },
            "required": ["quantity", "unit", "count"]
        })
    }
}

#[cfg(test)]
mod tests;
