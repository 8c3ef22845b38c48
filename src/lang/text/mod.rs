//! Text as it is compared: slugs of category segments, terms of names and queries, folded text.
//!
//! All three start alike: compatibility decomposition (NFKD), marks dropped, lower case. Names and queries
//! go through one function, so that what a shopper types and what a shop writes meet in the middle.

mod fold;
pub mod name;
pub mod terms;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub use fold::fold_term;

/// The text with every Unicode space as a blank: names that were copied from a page hold no-break ones.
pub(crate) fn spaced(text: &str) -> Cow<'_, str> {
    let is_other_space = |c: char| c != ' ' && c.is_whitespace();
    if text.contains(is_other_space) { text.replace(is_other_space, " ").into() } else { text.into() }
}

/// The characters of a text, decomposed, without diacritics, in lower case.
pub(crate) fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c))
}

/// The slug of one segment of a category path; empty when nothing of it is left.
///
/// `&` reads as "and"; every run of other characters than a–z and 0–9 becomes one hyphen.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    let mut gap = false;
    let mut push = |c: char, apart: bool| {
        if apart {
            gap = !slug.is_empty();
            return;
        }
        if std::mem::take(&mut gap) {
            slug.push('-');
        }
        slug.push(c);
    };
    for c in folded(text) {
        if c == '&' {
            push(' ', true);
            "and".chars().for_each(|c| push(c, false));
            push(' ', true);
        } else {
            push(c, !(c.is_ascii_lowercase() || c.is_ascii_digit()));
        }
    }
    slug
}

/// The slug path of a category that a side table names: a display path (`A > B > C`), or a slug path, which stays
/// as it is. Empty when no segment has a slug.
pub fn path_slug(path: &str) -> String {
    let path = path.trim();
    let is_slug_path =
        path.contains('/') && path.split('/').all(|part| !part.is_empty() && slug(part) == part);
    if is_slug_path { path.to_owned() } else { slug_path(path, '>') }
}

/// The slug path of a text split at `separator`; segments without a slug are dropped.
pub fn slug_path(text: &str, separator: char) -> String {
    let segments: Vec<String> = text.split(separator).map(slug).filter(|slug| !slug.is_empty()).collect();
    segments.join("/")
}

/// Singular and plural forms of a segment's slug.
pub fn twins(segment: &str) -> Vec<String> {
    let mut twins = vec![format!("{segment}s"), format!("{segment}es")];
    twins.extend(segment.strip_suffix('s').map(str::to_owned));
    twins.extend(segment.strip_suffix("es").map(str::to_owned));
    twins.extend(segment.strip_suffix('y').map(|stem| format!("{stem}ies")));
    twins.extend(segment.strip_suffix("ies").map(|stem| format!("{stem}y")));
    twins.retain(|twin| !twin.is_empty());
    twins
}

/// The form in which two texts that differ in case, diacritics, blanks or `&`/`and` are equal.
pub fn fold(text: &str) -> String {
    let mut fold = String::with_capacity(text.len());
    let mut gap = false;
    for c in folded(text) {
        if c.is_whitespace() {
            gap = !fold.is_empty();
            continue;
        }
        if (std::mem::take(&mut gap) || c == '&') && !fold.is_empty() && !fold.ends_with(' ') {
            fold.push(' ');
        }
        if c == '&' {
            fold.push_str("and");
            gap = true;
        } else {
            fold.push(c);
        }
    }
    fold
}

/// Units that a number before them swallows, with the spelling they get: "12 Ounces" is `12oz`.
///
/// The single letters are units only right behind a number, which is the only place they are looked up.
const JOINED_UNITS: &[(&str, &str)] = &[
    ("cl", "cl"),
    ("cm", "cm"),
    ("count", "ct"),
    ("ct", "ct"),
    ("ft", "ft"),
    ("g", "g"),
    ("gal", "gal"),
    ("gallon", "gal"),
    ("gallons", "gal"),
    ("gb", "gb"),
    ("ghz", "ghz"),
    ("gram", "g"),
    ("grams", "g"),
    ("hz", "hz"),
    ("inch", "inch"),
    ("kg", "kg"),
    ("kilogram", "kg"),
    ("kilograms", "kg"),
    ("l", "l"),
    ("lb", "lb"),
    ("lbs", "lb"),
    ("liter", "l"),
    ("liters", "l"),
    ("litre", "l"),
    ("litres", "l"),
    ("m", "m"),
    ("mah", "mah"),
    ("mb", "mb"),
    ("mg", "mg"),
    ("mhz", "mhz"),
    ("ml", "ml"),
    ("mm", "mm"),
    ("mp", "mp"),
    ("ounce", "oz"),
    ("ounces", "oz"),
    ("oz", "oz"),
    ("pack", "pack"),
    ("pint", "pt"),
    ("pints", "pt"),
    ("pk", "pack"),
    ("pound", "lb"),
    ("pounds", "lb"),
    ("pt", "pt"),
    ("qt", "qt"),
    ("quart", "qt"),
    ("quarts", "qt"),
    ("tb", "tb"),
    ("v", "v"),
    ("w", "w"),
    ("watt", "w"),
    ("watts", "w"),
];

fn joined_unit(word: &str) -> Option<&'static str> {
    JOINED_UNITS.binary_search_by_key(&word, |(name, _)| name).ok().map(|at| JOINED_UNITS[at].1)
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | 'ʼ' | '`')
}

/// The terms of a name or a query, in order, repetitions kept.
///
/// Apostrophes go, so that "Ray's" and "rays" are one term.
/// Words and numbers are runs of letters and digits; a point between two digits stays in the number. A
/// number and the unit after it (blanks or a hyphen between, or none) become one term: "12 oz", "12-oz"
/// and "12OZ" are all `12oz`, "12 fl oz" is `12floz`.
pub fn search_terms(text: &str) -> Vec<String> {
    let folded: String = folded(text).filter(|letter| !is_apostrophe(*letter)).collect();
    let mut terms: Vec<String> = Vec::new();
    let mut words = Words { text: &folded, at: 0 }.peekable();
    while let Some(word) = words.next() {
        let digits =
            word.text.len() - word.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, glued) = word.text.split_at(digits);
        let mut term = word.text.to_owned();
        if digits > 0 {
            let near = words.peek().copied().filter(|next| next.near);
            if glued == "fl" && near.is_some_and(|next| next.text == "oz") {
                term = format!("{number}floz");
                words.next();
            } else if let Some(unit) = joined_unit(glued) {
                term = format!("{number}{unit}");
            } else if let Some(next) = near.filter(|_| glued.is_empty()) {
                if let Some(unit) = joined_unit(next.text) {
                    term = format!("{number}{unit}");
                    words.next();
                } else if next.text == "fl" {
                    let mut ahead = words.clone();
                    ahead.next();
                    if ahead.peek().is_some_and(|oz| oz.near && oz.text == "oz") {
                        term = format!("{number}floz");
                        words = ahead;
                        words.next();
                    }
                }
            }
        }
        terms.push(term);
    }
    terms
}

/// A run of letters and digits.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Whether only blanks, points or one hyphen lie between it and the word before.
    near: bool,
}

#[derive(Clone)]
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.at..];
        let start = rest.find(char::is_alphanumeric)?;
        let near = rest[..start].chars().all(|c| c.is_whitespace() || matches!(c, '-' | '.'));
        let word = &rest[start..];
        let mut end = word.len();
        for (at, c) in word.char_indices() {
            let inside_number = c == '.'
                && word[..at].ends_with(|d: char| d.is_ascii_digit())
                && word[at + 1..].starts_with(|d: char| d.is_ascii_digit());
            if !c.is_alphanumeric() && !inside_number {
                end = at;
                break;
            }
        }
        self.at += start + end;
        Some(Word { text: &word[..end], near })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn side_tables_name_categories_in_either_form() {
        assert_eq!(path_slug("Home & Garden > --- > Café"), "home-and-garden/cafe");
        assert_eq!(path_slug("home/garden-tools"), "home/garden-tools");
        assert_eq!(path_slug("Home/Garden"), "home-garden");
    }

    #[test]
    fn slugs() {
        for (text, expected) in [
            ("France - Wine", "france-wine"),
            (" Fruits & Vegetables ", "fruits-and-vegetables"),
            ("R&B", "r-and-b"),
            ("Crème Brûlée", "creme-brulee"),
            ("TV/Video (4K)", "tv-video-4k"),
            ("&", "and"),
            ("—", ""),
            ("", ""),
            ("ﬁne ½", "fine-1-2"),
        ] {
            assert_eq!(slug(text), expected, "{text:?}");
        }
    }

    #[test]
    fn every_space_is_a_blank() {
        assert!(matches!(spaced("12 oz, Crème"), Cow::Borrowed("12 oz, Crème")));
        for space in [
            '\t', '\n', '\u{85}', '\u{a0}', '\u{1680}', '\u{2007}', '\u{2009}', '\u{2028}', '\u{202f}',
            '\u{205f}', '\u{3000}',
        ] {
            assert_eq!(spaced(&format!("200{space}g")), "200 g", "{space:?}");
            assert_eq!(search_terms(&format!("200{space}g")), ["200g"], "{space:?}");
            assert_eq!(slug(&format!("Olive{space}Oil")), "olive-oil", "{space:?}");
            assert_eq!(fold(&format!("Olive{space}{space}Oil{space}")), "olive oil", "{space:?}");
        }
    }

    #[test]
    fn twins_are_singular_and_plural() {
        for (one, many) in [("wine", "wines"), ("box", "boxes"), ("battery", "batteries")] {
            assert!(twins(one).contains(&many.to_owned()), "{one}");
            assert!(twins(many).contains(&one.to_owned()), "{many}");
        }
    }

    #[test]
    fn folds() {
        assert_eq!(fold("  Crème   &BRÛLÉE "), fold("creme and brulee"));
        assert_eq!(fold("A&B"), "a and b");
        assert_eq!(fold("A-B"), "a-b");
        assert_eq!(fold(" "), "");
    }

    #[test]
    fn units_are_sorted_for_the_search() {
        assert!(JOINED_UNITS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn terms() {
        for (text, expected) in [
            ("Mann's Broccoli, 12 oz", "manns broccoli 12oz"),
            ("12oz 12-oz 12 OZ. 12 Ounces", "12oz 12oz 12oz 12oz"),
            ("1.5 L", "1.5l"),
            ("12 fl oz 12 fl. oz. 12floz 12fl oz", "12floz 12floz 12floz 12floz"),
            ("Crème Brûlée", "creme brulee"),
            ("Core i7-7700 3.6 GHz", "core i7 7700 3.6ghz"),
            ("6-pack 6 pk 6PK", "6pack 6pack 6pack"),
            ("4 in 1", "4 in 1"),
            ("v1.2. end.", "v1.2 end"),
            ("5, g", "5 g"),
            ("", ""),
            (" -- ", ""),
        ] {
            assert_eq!(search_terms(text).join(" "), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn slugs_are_slugs_and_stay(text in "\\PC{0,30}") {
            let once = slug(&text);
            prop_assert!(once.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!once.starts_with('-') && !once.ends_with('-') && !once.contains("--"));
            prop_assert_eq!(slug(&once), once);
        }

        #[test]
        fn folding_and_terms_are_stable(text in "\\PC{0,30}") {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
            prop_assert!(search_terms(&text).iter().all(|term| !term.is_empty()));
            prop_assert_eq!(search_terms(&text.to_uppercase().to_lowercase()).len(), search_terms(&text.to_lowercase()).len());
        }
    }
}
