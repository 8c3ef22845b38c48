//! The words of dates, English and French.

use crate::lang::text::fold;

/// Months, the English name first. Accents, case and a dot behind are not compared.
const MONTHS: [&[&str]; 12] = [
    &["January", "jan", "janvier", "janv"],
    &["February", "feb", "fevrier", "fevr", "fev"],
    &["March", "mar", "mars"],
    &["April", "apr", "avril", "avr"],
    &["May", "mai"],
    &["June", "jun", "juin"],
    &["July", "jul", "juillet", "juill", "juil"],
    &["August", "aug", "aout", "aou"],
    &["September", "sep", "sept", "septembre"],
    &["October", "oct", "octobre"],
    &["November", "nov", "novembre"],
    &["December", "dec", "decembre"],
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
    MONTHS.iter().position(|names| is_one_of(names, &word)).map(|at| at as u32 + 1)
}

/// The English name of a month, from 1.
pub(super) fn month_name(month: u32) -> &'static str {
    MONTHS[month as usize - 1][0]
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
