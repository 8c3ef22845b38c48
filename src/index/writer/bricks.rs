//! The product type of each listing: a node of the classification, given or derived.

use std::collections::HashMap;

use super::super::normalized::{NONE, Names};
use crate::snapshot::layout::mapping;

/// What tells the classification node of a listing.
pub(super) struct Bricks {
    /// The node of each brick's code.
    nodes: HashMap<u32, u32>,
    /// The node that each category gives.
    derived: Vec<u32>,
}

impl Bricks {
    /// That of a classification, or nothing.
    pub(super) fn of(names: &Names) -> Self {
        let Some(classification) = &names.classification else {
            return Self { nodes: HashMap::new(), derived: vec![NONE; names.categories.len()] };
        };
        let nodes = classification.code.iter().zip(&classification.level).zip(0..);
        let nodes: HashMap<u32, u32> =
            nodes.filter(|&((_, &level), _)| level == 4).map(|((&code, _), node)| (code, node)).collect();
        Self { derived: derived(names, &nodes), nodes }
    }

    /// The node of a listing, and how it got it: the source's brick where the publication holds it, else that of the
    /// listing's category or of its nearest ancestor with one.
    pub(super) fn node(&self, gpc_code: u32, category: u32) -> (u32, u8) {
        match self.nodes.get(&gpc_code) {
            Some(&node) => (node, mapping::EXACT),
            None => match self.derived[category as usize] {
                NONE => (NONE, mapping::NONE),
                node => (node, mapping::DERIVED),
            },
        }
    }
}

/// The brick of each category, inherited from the nearest ancestor (preorder puts parents first).
fn derived(names: &Names, nodes: &HashMap<u32, u32>) -> Vec<u32> {
    let mut rows = HashMap::new();
    for row in &names.category_bricks {
        rows.entry(row.slug.as_str()).or_insert(row.brick);
    }
    let mut derived: Vec<u32> = Vec::with_capacity(names.categories.len());
    for category in &names.categories {
        let own = rows.get(category.slug.as_str());
        derived.push(match own {
            Some(code) => nodes.get(code).copied().unwrap_or(NONE),
            None if category.parent == NONE => NONE,
            None => derived[category.parent as usize],
        });
    }
    derived
}
