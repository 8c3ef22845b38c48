//! Names of listings: brand, name, barcode and the retailer's own product id.
//!
//! The properties of a product come from its identity, so all its listings have the same pack, model and colour. The
//! wording differs by retailer.

use std::fmt::Write as _;

use super::categories::{LeafCategory, Measure, Trade};
use super::draw::{Draw, Stream};
use super::plan::{Offer, Product, State};
use super::retailers::BarcodeNotation;
use super::words;

/// Number of listings per brand in a department, and the bounds of the number of brands in a department.
const BRAND_LISTINGS: u32 = 60;
const BRANDS: [u32; 2] = [12, 4_000];
/// Number of brands of a shelf, and the share of the shelf's products that have one of these brands.
const LEAF_BRANDS: usize = 14;
const SHELF_BRAND_SHARE: f64 = 0.7;
/// Share of products without a brand.
const UNBRANDED_SHARE: f64 = 0.06;
/// Share of pairs of a retailer and a brand in which the retailer's spelling of the brand is unusual.
const VARIANT_SHARE: f64 = 0.125;
/// Share of brands with two words.
const TWO_WORDS_SHARE: f64 = 0.3;
/// Share of listings with an overlong name.
const LONG_NAME_SHARE: f64 = 0.01;
/// Barcode bodies (barcodes without the check digit) have eleven digits, the first of which is 8. The other digits are
/// multiples of a step modulo a prime, so bodies do not repeat.
const BODY_FIRST: u64 = 80_000_000_000;
const BODY_PRIME: u64 = 9_999_999_967;
const BODY_STEP: u64 = 7_368_787;

/// Properties of a product from which its names are made.
#[derive(Debug, Clone)]
pub(super) struct PlannedProduct {
    /// Usual spelling of the brand; `None` for a product without a brand.
    pub brand: Option<String>,
    /// Number of the brand.
    brand_number: u64,
    noun: String,
    variety: Option<&'static str>,
    line: &'static str,
    detail: String,
    model: String,
    pack: Option<&'static str>,
    trade: Trade,
}

impl PlannedProduct {
    /// Draws the properties of a product. `department` is the number of listings of its department.
    pub(super) fn of(seed: u64, product: Product, leaf: &LeafCategory, department: u32) -> Self {
        let mut draw = Draw::at(seed, Stream::Name, &[u64::from(product.identity)]);
        let brands = (department / BRAND_LISTINGS).clamp(BRANDS[0], BRANDS[1]) as usize;
        let rank = draw.unit();
        let number = if draw.chance(SHELF_BRAND_SHARE) {
            let own = (rank * rank * LEAF_BRANDS as f64) as usize;
            (product.leaf as usize * 5 + own) % brands
        } else {
            (rank * rank * rank * brands as f64) as usize
        };
        let brand_number = (leaf.department as u64) << 32 | number as u64;
        let brand = (!draw.chance(UNBRANDED_SHARE)).then(|| brand(seed, brand_number));
        let trade = leaf.department().trade;
        let noun = leaf.name.split(" & ").next().unwrap_or(leaf.name).to_owned();
        let line = *draw.pick(words::LINES);
        let detail = detail(trade, &mut draw);
        let model = model(&mut draw);
        let pack = pack(leaf.measure(), &mut draw);
        Self { brand, brand_number, noun, variety: leaf.variety, line, detail, model, pack, trade }
    }

    /// The name as the retailer of an offer writes it.
    pub(super) fn name(&self, offer: &Offer, draw: &mut Draw) -> String {
        let brand = self.brand.as_deref().unwrap_or_default();
        let variety = self.variety.unwrap_or_default();
        let colour =
            if matches!(self.trade, Trade::Grocery | Trade::Liquor) { "" } else { colour(offer.product) };
        let model = if self.trade == Trade::Electronics { self.model.as_str() } else { "" };
        let Self { line, noun, detail, .. } = self;
        let mut name = match offer.retailer.name_style {
            0 => join(" ", &[brand, line, variety, noun, detail, colour, model]),
            1 => join(" ", &[line, variety, noun, detail, model]),
            2 => join(" - ", &[&join(" ", &[&brand.to_uppercase(), model, noun]), detail, variety, colour]),
            3 => join(", ", &[&join(" ", &[brand, line, noun]), variety, detail, colour, model]),
            4 => join(" ", &[brand, model, variety, detail, noun, colour]),
            _ => join(" ", &[brand, noun, line, model, detail]).to_uppercase(),
        };
        if let Some(pack) = self.pack {
            let _ = write!(name, ", {pack}");
        }
        if offer.state != State::New && offer.retailer.name_style.is_multiple_of(2) {
            name += if offer.state == State::Used { " (Pre-Owned)" } else { " (Renewed)" };
        }
        if draw.chance(LONG_NAME_SHARE) {
            for phrase in words::PRAISE {
                let _ = write!(name, ", {phrase}");
            }
        }
        name
    }

    /// The brand as the retailer of an offer spells it.
    pub(super) fn spelled_brand(&self, seed: u64, offer: &Offer) -> String {
        let Some(brand) = &self.brand else {
            let place = [u64::MAX, offer.retailer.number];
            return (*Draw::at(seed, Stream::Spelling, &place).pick(words::NO_BRANDS)).to_owned();
        };
        let mut draw = Draw::at(seed, Stream::Spelling, &[self.brand_number, offer.retailer.number]);
        if !draw.chance(VARIANT_SHARE) {
            return brand.clone();
        }
        match draw.below(4) {
            0 => brand.to_uppercase(),
            1 => format!("{brand} Inc."),
            2 if brand.contains(' ') => brand.replace(' ', "-"),
            2 => format!("{brand} Co., Ltd."),
            _ => brand.to_lowercase(),
        }
    }
}

/// Joins the words that are not empty.
fn join(between: &str, words: &[&str]) -> String {
    let there: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    there.join(between)
}

fn brand(seed: u64, number: u64) -> String {
    let mut draw = Draw::at(seed, Stream::Brand, &[number]);
    let mut label =
        format!("{}{}{}", draw.pick(words::HEADS), draw.pick(words::MIDDLES), draw.pick(words::TAILS));
    if draw.chance(TWO_WORDS_SHARE) {
        let _ = write!(label, " {}", draw.pick(words::SECOND_WORDS));
    }
    label
}

fn detail(trade: Trade, draw: &mut Draw) -> String {
    match trade {
        Trade::Grocery => (*draw.pick(words::FLAVOURS)).to_owned(),
        Trade::Electronics => (*draw.pick(words::FEATURES)).to_owned(),
        Trade::Fashion => format!("Size {}", 5 + draw.below(9)),
        Trade::Liquor => format!("{} {}", draw.pick(words::REGIONS), 2012 + draw.below(12)),
        Trade::General => (*draw.pick(words::MATERIALS)).to_owned(),
    }
}

/// A model code such as `XG-4512B`.
fn model(draw: &mut Draw) -> String {
    let mut letter = || char::from(b'A' + draw.below(26) as u8);
    let (first, second, last) = (letter(), letter(), letter());
    format!("{first}{second}-{}{last}", 100 + draw.below(9_900))
}

fn pack(measure: Measure, draw: &mut Draw) -> Option<&'static str> {
    let packs = match measure {
        Measure::Volume => words::VOLUMES,
        Measure::Weight => words::WEIGHTS,
        Measure::Count => words::COUNTS,
        Measure::Bottle => words::BOTTLES,
        Measure::None => return None,
    };
    Some(*draw.pick(packs))
}

fn colour(product: Product) -> &'static str {
    words::COLOURS[product.identity as usize % words::COLOURS.len()]
}

/// The barcode as the retailer writes it; empty if the retailer does not state the barcode.
pub(super) fn barcode(offer: &Offer, draw: &mut Draw) -> String {
    if !draw.chance(offer.retailer.barcodes) {
        return String::new();
    }
    let gtin = gtin(offer.product.identity);
    match offer.retailer.barcode_notation {
        BarcodeNotation::Twelve => format!("{gtin:012}"),
        BarcodeNotation::Thirteen => format!("{gtin:013}"),
        BarcodeNotation::Fourteen => format!("{gtin:014}"),
        BarcodeNotation::Float => format!("{gtin}.0"),
        BarcodeNotation::Scientific => {
            format!("{}.{:02}E+11", gtin / 100_000_000_000, gtin / 1_000_000_000 % 100)
        }
    }
}

/// The GTIN-12 of a product. Each identity has a different GTIN.
fn gtin(identity: u32) -> u64 {
    let body = BODY_FIRST + u64::from(identity) * BODY_STEP % BODY_PRIME;
    let (mut rest, mut sum, mut weight) = (body, 0, 3);
    while rest > 0 {
        sum += rest % 10 * weight;
        rest /= 10;
        weight = 4 - weight;
    }
    body * 10 + (10 - sum % 10) % 10
}

/// The retailer's own id of a product.
pub(super) fn product_id(offer: &Offer) -> String {
    let identity = offer.product.identity;
    match offer.retailer.name_style {
        0 => format!("{}", 10_000_000 + identity),
        1 => format!("SKU-{identity:07}"),
        // Multiplication by an odd factor permutes 32-bit numbers, so ids stay distinct.
        2 => format!("B0{:08X}", identity.wrapping_mul(2_654_435_761)),
        3 => format!("{identity:07}_EA"),
        4 => format!("{}", u64::from(identity) * 7 + 13),
        _ => format!("p{:x}", identity.wrapping_mul(2_246_822_519)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Gtin;

    #[test]
    fn barcodes_are_usable_and_differ() {
        let all: std::collections::HashSet<u64> = (0..50_000).map(gtin).collect();
        assert_eq!(all.len(), 50_000);
        assert!(all.into_iter().all(|value| Gtin::from_value(value).is_some()));
    }

    #[test]
    fn variants_fold_to_one_key() {
        use crate::lang::brand::brand_key;
        for number in 0..500 {
            let label = brand(3, number);
            let key = brand_key(&label);
            assert!(key.is_some());
            for variant in [label.to_uppercase(), format!("{label} Co., Ltd."), label.replace(' ', "-")] {
                assert_eq!(brand_key(&variant), key, "{variant}");
            }
        }
    }
}
