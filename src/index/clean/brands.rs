//! Spellings of brands become canonical brands.

use std::collections::BTreeMap;

use super::labels::Spellings;
use crate::index::normalized::{Brand, NONE};
use crate::lang::brand::brand_key;

/// Folds `spellings`, each of `listings[i]` listings, into brands; those of none are left out.
///
/// Returns the brands by label and for each spelling the index of its brand, or [`NONE`] for a placeholder.
pub(in crate::index) fn fold(spellings: &[String], listings: &[u64]) -> (Vec<Brand>, Vec<u32>) {
    let mut by_key: BTreeMap<String, (Spellings, Vec<usize>)> = BTreeMap::new();
    for (number, (spelling, &count)) in spellings.iter().zip(listings).enumerate() {
        // Of listings that newer rows took the place of.
        if count == 0 {
            continue;
        }
        let Some(key) = brand_key(spelling) else { continue };
        let (counts, members) = by_key.entry(key).or_default();
        counts.add(spelling, count);
        members.push(number);
    }
    let mut labelled: Vec<_> =
        by_key.into_iter().map(|(key, (counts, members))| (counts.label(), key, members)).collect();
    labelled.sort_unstable_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut index = vec![NONE; spellings.len()];
    let mut brands = Vec::with_capacity(labelled.len());
    for (label, key, members) in labelled {
        for number in members {
            index[number] = brands.len() as u32;
        }
        brands.push(Brand { key, label });
    }
    (brands, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_share_a_brand_and_placeholders_have_none() {
        let spellings = ["Sony", "N/A", "SONY", "Acer", "Gone"].map(str::to_owned);
        let (brands, index) = fold(&spellings, &[1, 9, 2, 1, 0]);
        let labels: Vec<_> = brands.iter().map(|brand| brand.label.as_str()).collect();
        assert_eq!(labels, ["Acer", "SONY"]);
        assert_eq!(index, [1, NONE, 1, 0, NONE]);
    }
}
