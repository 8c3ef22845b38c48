//! Words of which two names cannot have different ones: "boneless" and "bone in", "spaghetti" and "penne".
//!
//! The lexicon lists the groups of each synonym. A name may state nothing of a group. If both names state something of a
//! group, they state one meaning in common, or sell different products. The longest form that fits is used.

use std::sync::LazyLock;

use super::lexicon::{Kind, Meaning, lexicon};

/// Words of 64 bits in a set of meanings.
const WORDS: usize = 8;
/// Maximum number of groups.
const GROUPS_MAX: usize = 128;

/// The groups of all meanings.
static GROUPS: LazyLock<Groups> = LazyLock::new(|| Groups::of(meanings()));

/// The meanings; [`StatedSynonyms::add`] takes their positions.
pub(crate) fn meanings() -> &'static [Meaning] {
    lexicon().meanings(Kind::Synonym)
}

/// Groups of meanings, of which a name has one meaning each.
struct Groups {
    /// By meaning: its groups, as bits.
    of: Vec<u128>,
    /// By group: its meanings, as bits.
    meanings: Vec<[u64; WORDS]>,
}

impl Groups {
    fn of(meanings: &[Meaning]) -> Self {
        assert!(meanings.len() <= 64 * WORDS, "at most {} synonyms", 64 * WORDS);
        let mut names: Vec<&str> = meanings.iter().flat_map(|meaning| meaning.value.split(' ')).collect();
        names.sort_unstable();
        names.dedup();
        assert!(names.len() <= GROUPS_MAX, "at most {GROUPS_MAX} groups of synonyms");
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
    pub(crate) fn add(&mut self, meaning: usize) {
        self.meanings[meaning / 64] |= 1 << (meaning % 64);
        self.groups |= GROUPS.of[meaning];
    }

    pub(crate) fn is_empty(self) -> bool {
        self.groups == 0
    }

    /// Whether both state something of a group and no meaning in common.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let mut groups = self.groups & other.groups;
        while groups != 0 {
            let all = &GROUPS.meanings[groups.trailing_zeros() as usize];
            if (0..WORDS).all(|at| self.meanings[at] & other.meanings[at] & all[at] == 0) {
                return true;
            }
            groups &= groups - 1;
        }
        false
    }
}
