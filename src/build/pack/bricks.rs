//! The product type of each listing: a node of the classification, given or derived.

use std::collections::HashMap;

use super::super::canonical::{Canonical, NONE};
use crate::snapshot::layout::mapping;

/// The classification node of each listing and how it got it.
pub(super) struct Bricks {
    pub(super) node: Vec<u32>,
    pub(super) mapping: Vec<u8>,
}

impl Bricks {
    /// The source's brick where the publication holds it, else that of the listing's category or of its nearest
    /// ancestor with one.
    pub(super) fn of(tables: &Canonical) -> Self {
        let rows = tables.listings.category.len();
        let Some(classification) = &tables.names.classification else {
            return Self { node: vec![NONE; rows], mapping: vec![mapping::NONE; rows] };
        };
        let nodes = classification.code.iter().zip(&classification.level).zip(0..);
        let codes: HashMap<u32, u32> =
            nodes.filter(|&((_, &level), _)| level == 4).map(|((&code, _), node)| (code, node)).collect();
        let derived = derived_bricks(tables, &codes);
        let (node, mapping) = (0..rows)
            .map(|row| match codes.get(&tables.listings.gpc_code[row]) {
                Some(&node) => (node, mapping::EXACT),
                None => match derived[tables.listings.category[row] as usize] {
                    NONE => (NONE, mapping::NONE),
                    node => (node, mapping::DERIVED),
                },
            })
            .unzip();
        Self { node, mapping }
    }
}

/// The brick of each category, inherited from the nearest ancestor (preorder puts parents first).
fn derived_bricks(tables: &Canonical, codes: &HashMap<u32, u32>) -> Vec<u32> {
    let mut rows = HashMap::new();
    for row in &tables.names.category_bricks {
        rows.entry(row.slug.as_str()).or_insert(row.brick);
    }
    let mut derived: Vec<u32> = Vec::with_capacity(tables.names.categories.len());
    for category in &tables.names.categories {
        let own = rows.get(category.slug.as_str());
        derived.push(match own {
            Some(code) => codes.get(code).copied().unwrap_or(NONE),
            None if category.parent == NONE => NONE,
            None => derived[category.parent as usize],
        });
    }
    derived
}
