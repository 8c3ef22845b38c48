//! The words of dates, English and French.

use crate::lang::text::fold;
use crate::types::day::MONTH_NAMES;

/// Other names of the months than the English ones. Accents, case and a dot behind are not compared.
const OTHER_MONTHS: [&[&str]; 12] = [
    &["jan", "janvier", "janv"],
    &["feb", "fevrier", "fevr", "fev"],
    &["mar", "mars"],
    &["apr", "avril", "avr"],
    &["mai"],
    &["jun", "juin"],
    &["jul", "juillet", "juill", "juil"],
    &["aug", "aout", "aou"],
    &["sep", "sept", "septembre"],
    &["oct", "octobre"],
    &["nov", "novembre"],
    &["dec", "decembre"],
];

/// Days of the week. `mar` is Tuesday (mardi) too.
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon", "lundi", "lun"],
    &["tuesday", "tue", "tues", "mardi", "mar"],
    &["wednesday", "wed", "mercredi", "mer"],
    &["thursday", "thu", "thur", "thurs", "jeudi", "jeu"],
    &["friday", "fri", "vendredi", "ven"],
    &["saturday", "sat", "samedi", "sam"],
    &["sunday", "sun", "dimanche", "dim"],
];

/// Endings of ordinal numbers: `1er`, `31st`.
const ORDINALS: [&str; 5] = ["er", "st", "nd", "rd", "th"];

/// The month, from 1, that a word names.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = fold(word);
    let mut names = MONTH_NAMES.into_iter().zip(OTHER_MONTHS);
    names
        .position(|(name, others)| is_one_of(&[name], &word) || is_one_of(others, &word))
        .map(|at| at as u32 + 1)
}

pub(super) fn is_weekday(word: &str) -> bool {
    let word = fold(word);
    WEEKDAYS.iter().any(|names| is_one_of(names, &word))
}

pub(super) fn is_ordinal(word: &str) -> bool {
    is_one_of(&ORDINALS, word)
}

fn is_one_of(names: &[&str], word: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(word))
}
