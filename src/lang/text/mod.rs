//! Normalized text: slugs of category segments, terms of names and queries, folded text.
//!
//! All three begin with compatibility decomposition (NFKD), without combining marks, in lower case. The terms of names and
//! queries are made by one function ([`terms::terms`]).

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

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | 'ʼ' | '`' | '׳')
}

/// Whether a letter is Hebrew. A quotation mark between two of them is the mark of an abbreviation: `ק"ג`.
pub(crate) fn is_hebrew(letter: char) -> bool {
    matches!(letter, 'א'..='ת')
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

    proptest! {
        #[test]
        fn slugs_are_slugs_and_stay(text in "\\PC{0,30}") {
            let once = slug(&text);
            prop_assert!(once.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!once.starts_with('-') && !once.ends_with('-') && !once.contains("--"));
            prop_assert_eq!(slug(&once), once);
        }

        #[test]
        fn folding_is_stable(text in "\\PC{0,30}") {
            prop_assert_eq!(fold(&fold(&text)), fold(&text));
        }
    }
}
