//! Which numbers of a name say how much is sold: its packs, all of them where it states several.
//!
//! A number with a unit of mass or volume may be an aperture (`f/1.8G`), a memory (`16G`), protein, or a model number. It
//! is an amount where the reader of packs reads a pack from it when it stands alone in the name.

use std::ops::Range;

use super::quantities::Number;
use super::units::Unit;
use crate::lang::pack::{self, Dimension, Pack};

/// Amounts up to this many percent apart are one, as totals of packs are.
const SAME_PCT: f64 = 2.0;
/// What takes the place of each byte of another number.
const MASK: &str = "_";

/// The amounts among the numbers of a name; `pack` is what the whole name states, `loose` are numbers that may be
/// something else.
pub(crate) fn amounts(
    name: &str,
    pack: Option<&Pack>,
    numbers: &[Number],
    loose: &[Number],
) -> Box<[Number]> {
    let is_loose = |number: &Number| number.is_measured() && loose.contains(number);
    let packs = match pack {
        Some(pack) => vec![*pack],
        None if numbers.iter().any(is_loose) => packs(name),
        None => Vec::new(),
    };
    let is_amount = |number: &&Number| match number.unit {
        _ if !loose.contains(number) => number.unit <= Unit::Pieces,
        Unit::Mass => packs.iter().any(|pack| is_of(number, pack, Dimension::Mass)),
        Unit::Volume => packs.iter().any(|pack| is_of(number, pack, Dimension::Volume)),
        _ => false,
    };
    numbers.iter().filter(is_amount).copied().collect()
}

/// Whether a number is a pack's total or one of its pieces.
fn is_of(number: &Number, pack: &Pack, dimension: Dimension) -> bool {
    let stated = number.value as f64 / 1000.0;
    let is_near = |amount: f64| (amount - stated).abs() * 100.0 <= SAME_PCT * amount.min(stated);
    pack.unit().dimension() == dimension
        && (is_near(pack.total()) || is_near(pack.total() / f64::from(pack.count())))
}

/// The packs that a name states, each read as if its number were the only one.
fn packs(name: &str) -> Vec<Pack> {
    let runs = runs(name);
    let mut masked = name.to_owned();
    for run in &runs {
        masked.replace_range(run.clone(), &MASK.repeat(run.len()));
    }
    let alone = |run: Range<usize>| {
        let (before, behind) = (&masked[..run.start], &masked[run.end..]);
        pack::parse(&[before, &name[run.clone()], behind].concat())
    };
    runs.into_iter().filter_map(alone).collect()
}

/// Where numbers lie: digits, decimals, fractions, and what multiplies them.
fn runs(name: &str) -> Vec<Range<usize>> {
    let text = name.as_bytes();
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let blanks = |at: usize| at + text[at..].iter().take_while(|byte| **byte == b' ').count();
    let mut runs = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let from = at;
        loop {
            at += text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let sign = blanks(at);
            at = match text.get(sign) {
                Some(b'.' | b',' | b'/') if sign == at && is_digit(at + 1) => at + 1,
                Some(b'x' | b'X' | b'*') if is_digit(blanks(sign + 1)) => blanks(sign + 1),
                _ => break,
            };
        }
        runs.push(from..at);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::quantities;
    use super::*;
    use crate::lang::text::folded;

    /// Whether two names of one text have amounts.
    fn has_some(name: &str) -> bool {
        let (numbers, loose) = quantities::read_with_loose(&folded(name).collect::<String>());
        !amounts(name, pack::parse(name).as_ref(), &numbers, &loose).is_empty()
    }

    #[test]
    fn sizes_and_numbers_of_pieces_are_amounts() {
        for name in [
            "Oats 1 kg",
            "Bars 10 ct, 210 g",
            "Chewy 10 bars, 210 g, 5 ct",
            "2 Pack, 240 Gram",
            "Tea 20 bags",
            "Soda 12 x 355 mL, 24 cans of 4.26 L",
            "Eggs, 12 large eggs",
            "6 Mega Roll",
        ] {
            assert!(has_some(name), "{name}");
        }
    }

    #[test]
    fn other_numbers_are_none() {
        for name in [
            "Nikkor 85mm f/1.8G Lens",
            "Canon 70-200mm f/2.8L Lens",
            "MicroSD 16G",
            "Card TURBO 8G, 2 GB, 64G",
            "Jetpack 6620l Hotspot",
            "9G Protein Drink",
            "5.1 Sound Bar",
            "Samsung 850 Evo Bar",
            "10bar Housing",
            "335 Camera Bag",
            "Vitamin C 500 mg",
        ] {
            assert!(!has_some(name), "{name}");
        }
    }
}
