//! The trees of the scorer, laid out so that a walk through one has no branch.
//!
//! A walk from split to split takes a way that no processor foresees, hundreds of times for a pair. Here all splits of a
//! tree are looked at, each leaves the leaves that can still be reached, and one is left in the end.

use std::sync::LazyLock;

use super::comparison::FEATURES;
use super::model::{Split, TREES, Tree};

/// Most leaves of a tree.
const LEAVES_MAX: usize = u8::BITS as usize;

/// The trees of the model.
pub(super) static FOREST: LazyLock<Forest> =
    LazyLock::new(|| Forest { trees: TREES.iter().map(FlatTree::of).collect() });

/// Trees whose leaves are added up.
pub(super) struct Forest {
    trees: Vec<FlatTree>,
}

/// A tree. Splits that it has not leave all leaves.
struct FlatTree {
    values: [f64; LEAVES_MAX - 1],
    leaves: [f64; LEAVES_MAX],
    features: [u8; LEAVES_MAX - 1],
    /// Leaves that are left above a split's value, and at it or below, a bit each.
    left: [[u8; 2]; LEAVES_MAX - 1],
}

impl Forest {
    /// What all trees say of a pair, added up in their order.
    pub(super) fn sum(&self, features: &[f64; FEATURES.len()]) -> f64 {
        // As many as there are bytes: none needs to be checked.
        let mut all = [0.0; 1 << u8::BITS];
        all[..FEATURES.len()].copy_from_slice(features);
        self.trees.iter().map(|tree| tree.leaf(&all)).sum()
    }
}

impl FlatTree {
    fn of((splits, leaves): &Tree) -> Self {
        assert!(
            leaves.len() <= LEAVES_MAX && splits.len() < LEAVES_MAX,
            "a tree has {LEAVES_MAX} leaves at most"
        );
        let mut tree = Self {
            values: [0.0; LEAVES_MAX - 1],
            leaves: [0.0; LEAVES_MAX],
            features: [0; LEAVES_MAX - 1],
            left: [[u8::MAX; 2]; LEAVES_MAX - 1],
        };
        tree.leaves[..leaves.len()].copy_from_slice(leaves);
        for (at, &(feature, value, below, above)) in splits.iter().enumerate() {
            (tree.features[at], tree.values[at]) = (feature, value);
            tree.left[at] = [!leaves_under(splits, below), !leaves_under(splits, above)];
        }
        tree
    }

    fn leaf(&self, features: &[f64; 1 << u8::BITS]) -> f64 {
        let splits = self.features.iter().zip(&self.values).zip(&self.left);
        let left = splits.fold(u8::MAX, |left, ((&feature, value), leave)| {
            left & leave[usize::from(features[usize::from(feature)] <= *value)]
        });
        self.leaves[left.trailing_zeros() as usize % LEAVES_MAX]
    }
}

/// The leaves that can be reached by a split's way, a bit each.
fn leaves_under(splits: &[Split], way: i8) -> u8 {
    match usize::try_from(way) {
        Ok(split) => {
            let (.., below, above) = splits[split];
            leaves_under(splits, below) | leaves_under(splits, above)
        }
        Err(_) => 1 << (way.unsigned_abs() - 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The leaf that a walk from split to split ends at.
    fn walked((splits, leaves): &Tree, features: &[f64]) -> f64 {
        let mut at = 0;
        loop {
            let (feature, value, below, above) = splits[at];
            let next = if features[usize::from(feature)] <= value { below } else { above };
            match usize::try_from(next) {
                Ok(split) => at = split,
                Err(_) => return leaves[usize::from(next.unsigned_abs()) - 1],
            }
        }
    }

    proptest! {
        #[test]
        fn a_walk_ends_at_the_leaf_that_is_left(
            features in prop::array::uniform::<_, { FEATURES.len() }>(-0.2..1.5),
        ) {
            let sum: f64 = TREES.iter().map(|tree| walked(tree, &features)).sum();
            prop_assert_eq!(FOREST.sum(&features).to_bits(), sum.to_bits());
        }
    }

    #[test]
    fn a_value_goes_below_its_own_split_and_small_trees_have_their_leaves() {
        let tree: Tree = (&[(3, 0.25, -2, 1), (5, 0.5, -1, -3)], &[1.0, 2.0, 3.0]);
        for (third, fifth) in [(0.25, 0.0), (0.3, 0.5), (0.3, 0.6), (f64::NAN, 0.5), (-1.0, 9.0)] {
            let mut features = [0.0; 256];
            (features[3], features[5]) = (third, fifth);
            let (flat, walked) = (FlatTree::of(&tree).leaf(&features), walked(&tree, &features));
            assert_eq!(flat.to_bits(), walked.to_bits(), "{third} {fifth}");
        }
    }

    #[test]
    fn every_way_through_a_tree_ends_at_a_leaf() {
        fn usize_of(next: i8) -> isize {
            isize::from(next)
        }
        for (splits, leaves) in TREES {
            for &(feature, value, below, above) in *splits {
                assert!(usize::from(feature) < FEATURES.len() && value.is_finite());
                for next in [below, above] {
                    let known = if next < 0 { -usize_of(next) } else { next as isize };
                    let bound = if next < 0 { leaves.len() } else { splits.len() };
                    assert!(known.unsigned_abs() < bound + usize::from(next < 0));
                }
            }
        }
    }

    /// The fit sees features with six decimals, the program as they are. A split between two such numbers sends both the same
    /// way.
    #[test]
    fn splits_stand_between_numbers_of_six_decimals() {
        for &(feature, value, ..) in TREES.iter().flat_map(|(splits, _)| *splits) {
            let millionths = value * 1e6;
            assert!((millionths.fract() - 0.5).abs() < 1e-3, "{} at {value}", FEATURES[usize::from(feature)]);
        }
    }
}
