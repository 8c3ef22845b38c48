//! Words of which two names cannot have different ones: "boneless" and "bone in", "spaghetti" and "penne".
//!
//! The lexicon lists the groups of each synonym. A name may state nothing of a group. If both names state something of a
//! group, they state one meaning in common, or sell different products. The longest form that fits is used.

use super::lexicon::{Kind, Lexicon, SYNONYMS_MAX};

/// Words of 64 bits in a set of meanings.
const WORDS: usize = SYNONYMS_MAX / 64;

/// Groups of meanings, of which a name has one meaning each.
pub(crate) struct Groups {
    /// By meaning: its groups, as bits.
    of: Vec<u128>,
    /// By group: its meanings, as bits.
    meanings: Vec<[u64; WORDS]>,
}

impl Groups {
    pub(crate) fn of(lexicon: &Lexicon) -> Self {
        let (meanings, names) = (lexicon.meanings(Kind::Synonym), lexicon.synonym_groups());
        let mut groups = Self { of: vec![0; meanings.len()], meanings: vec![[0; WORDS]; names.len()] };
        for (at, meaning) in meanings.iter().enumerate() {
            for group in meaning.value.split(' ').filter_map(|name| names.binary_search(&name).ok()) {
                groups.of[at] |= 1 << group;
                groups.meanings[group][at / 64] |= 1 << (at % 64);
            }
        }
        groups
    }
}

/// The meanings that a name states.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StatedSynonyms {
    meanings: [u64; WORDS],
    /// The groups of these meanings, as bits.
    groups: u128,
}

impl StatedSynonyms {
    pub(crate) fn add(&mut self, groups: &Groups, meaning: usize) {
        self.meanings[meaning / 64] |= 1 << (meaning % 64);
        self.groups |= groups.of[meaning];
    }

    pub(crate) fn is_empty(self) -> bool {
        self.groups == 0
    }

    /// Whether both state something of a group and no meaning in common.
    pub(crate) fn differs(&self, groups: &Groups, other: &Self) -> bool {
        let mut both = self.groups & other.groups;
        while both != 0 {
            let all = &groups.meanings[both.trailing_zeros() as usize];
            if (0..WORDS).all(|at| self.meanings[at] & other.meanings[at] & all[at] == 0) {
                return true;
            }
            both &= both - 1;
        }
        false
    }
}
