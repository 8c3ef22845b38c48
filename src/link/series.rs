//! Short model numbers: `S20`, `G3`, `i5`.
//!
//! Too short for part numbers, they tell the members of a series apart: who says `S20` does not sell the `S21`.

use super::terms::PART_CHARS_MIN;

/// Most letters of one.
const LETTERS_MAX: usize = 2;
/// Letters that count: `X2` is two of something.
const FACTOR: &[u8] = b"x";

/// A short model number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    series: [u8; LETTERS_MAX],
    number: u8,
}

/// The short model numbers of a name's terms, ascending.
pub(super) fn members(terms: &[String]) -> Box<[Member]> {
    let mut members: Vec<Member> = terms.iter().filter_map(|term| member(term)).collect();
    members.sort_unstable();
    members.dedup();
    members.into()
}

fn member(term: &str) -> Option<Member> {
    let digits = term.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = &term.as_bytes()[..term.len() - digits.len()];
    let is_one =
        (1..=LETTERS_MAX).contains(&letters.len()) && term.len() < PART_CHARS_MIN && letters != FACTOR;
    let number = digits.parse().ok().filter(|_| is_one && digits.bytes().all(|c| c.is_ascii_digit()))?;
    let mut series = [0; LETTERS_MAX];
    series[..letters.len()].copy_from_slice(letters);
    Some(Member { series, number })
}

/// Whether both name members of a series, and none in common.
pub(super) fn differ(a: &[Member], b: &[Member]) -> bool {
    let of_one_series = |x: &Member| b.iter().any(|y| y.series == x.series);
    let is_shared = |x: &Member| a.iter().any(|own| own.series == x.series && b.contains(own));
    a.iter().any(|x| of_one_series(x) && !is_shared(x))
}

#[cfg(test)]
mod tests {
    use super::super::terms::said;
    use super::*;

    #[test]
    fn members_of_a_series_are_told_apart() {
        let of = |name: &str| members(&said(name).folded);
        for (a, b) in [
            ("Galaxy S20 FE / S20 FE 5G protector", "Galaxy S21 FE protector"),
            ("EliteBook 840 G3", "EliteBook 840 G5"),
            ("Vitamin B6 100 mg", "Vitamin B12 100 mg"),
        ] {
            assert!(differ(&of(a), &of(b)) && differ(&of(b), &of(a)), "{a} | {b}");
        }
        for (a, b) in [
            ("Galaxy S20 protector", "Galaxy S20, S21 protector"),
            ("EliteBook 840 G3", "EliteBook 840"),
            ("Fujifilm X4", "Fujifilm X2"),
            ("Galaxy A71 S20", "Galaxy S20"),
        ] {
            assert!(!differ(&of(a), &of(b)) && !differ(&of(b), &of(a)), "{a} | {b}");
        }
    }
}
