//! Words that two names may not both have instead of each other: "boneless" and "bone in", "spaghetti" and "penne".
//!
//! One side may say nothing of a group. Where both do, they have one of its rows in common, or sell two things. Forms are
//! written by hand in English and French and folded as names are; the longest one that fits is what is said.

mod table;

pub(crate) use self::table::FORMS;

/// Words of a set, of 64 rows each.
const WORDS: usize = 8;

/// Rows of [`FORMS`] that a name says.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StatedSynonyms {
    rows: [u64; WORDS],
    /// The groups of these, as bits.
    groups: u128,
}

impl StatedSynonyms {
    pub(crate) fn add(&mut self, row: usize) {
        self.rows[row / 64] |= 1 << (row % 64);
        self.groups |= FORMS[row].0.iter().fold(0, |groups, group| groups | 1 << *group as u32);
    }

    pub(crate) fn is_empty(self) -> bool {
        self.groups == 0
    }

    /// Whether both say something of a group and nothing in common.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let mut groups = self.groups & other.groups;
        while groups != 0 {
            let rows = &GROUPS[groups.trailing_zeros() as usize];
            if (0..WORDS).all(|at| self.rows[at] & other.rows[at] & rows[at] == 0) {
                return true;
            }
            groups &= groups - 1;
        }
        false
    }
}

/// What rows are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Size,
    Strength,
    Texture,
    Style,
    Flake,
    Cut,
    Joint,
    Roast,
    Chocolate,
    State,
    Edition,
    Flavour,
    System,
    Computer,
    Drive,
    Picture,
    Light,
    Wire,
    Place,
    Memory,
    Version,
    Bone,
    Skin,
    Part,
    Meat,
    Cook,
    Lean,
    Milk,
    Liquid,
    Pulp,
    Scent,
    Wings,
    Clump,
    Roll,
    Cell,
    Rice,
    Oil,
    Pressing,
    Grain,
    Chip,
    Pasta,
    Animal,
    Age,
    Container,
    Dose,
    Hour,
    Syrup,
    Muscle,
    Variety,
    Cheese,
    Deli,
    Care,
    Form,
    Breed,
    Nutrient,
    Salt,
    Starch,
    Grape,
    Beer,
    Spice,
    Bean,
    Nut,
    Absorbency,
    Line,
    Sex,
    Bed,
    Shade,
    Movement,
    Fold,
}

const GROUP_COUNT: usize = Group::Fold as usize + 1;

/// The rows of each group, as bits.
const GROUPS: [[u64; WORDS]; GROUP_COUNT] = {
    let (mut groups, mut row) = ([[0; WORDS]; GROUP_COUNT], 0);
    while row < FORMS.len() {
        let (of, mut at) = (FORMS[row].0, 0);
        while at < of.len() {
            groups[of[at] as usize][row / 64] |= 1 << (row % 64);
            at += 1;
        }
        row += 1;
    }
    groups
};

#[cfg(test)]
mod tests {
    use super::super::part_numbers::assert_forms_stand_once;
    use super::*;

    #[test]
    fn forms_are_what_a_name_says_and_stand_once() {
        assert_forms_stand_once(FORMS.iter().flat_map(|(_, forms)| *forms));
    }

    #[test]
    fn a_set_has_room_for_all_rows() {
        assert!(FORMS.len() <= 64 * WORDS && GROUP_COUNT <= 128);
    }
}
