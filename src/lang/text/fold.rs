//! The form in which two inflections of a word are one term: singular and plural, English and French.
//!
//! Not a stemmer: it undoes what spelling does to a plural and nothing else, so that "cookie" meets "cookies" and
//! "gâteau" meets "gâteaux", but "organic" does not meet "organs". Words with a digit stay as they are, but for commas
//! among their digits.

/// Shortest word, in letters, that loses anything.
const LETTERS_MIN: usize = 4;
/// Shortest word, in letters, that loses more than a plural's last letter.
const LONG_LETTERS_MIN: usize = 5;

/// Plurals that no rule reaches, and a singular that looks like a plural.
const IRREGULAR: &[(&str, &str)] =
    &[("knives", "knife"), ("lens", "lens"), ("lenses", "lens"), ("mice", "mouse")];

/// The folded form of a word in lower case without diacritics.
pub fn fold_term(word: &str) -> String {
    if word.contains(',') {
        return without_commas(word);
    }
    if word.chars().any(char::is_numeric) {
        return word.to_owned();
    }
    let mut term = String::with_capacity(word.len() + 1);
    for letter in word.chars() {
        match letter {
            'œ' => term.push_str("oe"),
            'æ' => term.push_str("ae"),
            'ß' => term.push_str("ss"),
            letter => term.push(letter),
        }
    }
    if let Ok(at) = IRREGULAR.binary_search_by_key(&term.as_str(), |(plural, _)| plural) {
        IRREGULAR[at].1.clone_into(&mut term);
        return term;
    }
    let letters = term.chars().count();
    if letters < LETTERS_MIN {
        return term;
    }
    let is_plural = ends_with_any(&term, &["eaux", "eux", "oux"])
        || term.ends_with('s') && !ends_with_any(&term, &["ss", "us", "is"]);
    let left = letters - usize::from(is_plural);
    if is_plural {
        term.pop();
    }
    let is_long = left >= LONG_LETTERS_MIN;
    if left >= LETTERS_MIN && term.ends_with("xe")
        || is_long && ends_with_any(&term, &["che", "she", "sse", "oe"])
    {
        term.pop();
    } else if is_long && term.ends_with("ie") {
        term.truncate(term.len() - "ie".len());
        term.push('y');
    }
    term
}

/// A word with numbers whose commas are points, or gone where they part thousands.
pub(super) fn without_commas(number: &str) -> String {
    let mut out = String::with_capacity(number.len());
    for (at, c) in number.char_indices() {
        if c != ',' {
            out.push(c);
            continue;
        }
        let digits = number[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits != 3 || out == "0" {
            out.push('.');
        }
    }
    out
}

fn ends_with_any(term: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| term.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plurals_meet_singulars() {
        for pair in [
            "cookie cookies",
            "quiche quiches",
            "box boxes",
            "potato potatoes",
            "shoe shoes",
            "axe axes",
            "pie pies",
            "cherry cherries",
            "glass glasses",
            "dish dishes",
            "lens lenses",
            "mouse mice",
            "knife knives",
            "gateau gateaux",
            "jeu jeux",
            "chou choux",
            "oeuf œufs",
            "peach peaches",
            "egg eggs",
            "deluxe deluxes",
        ] {
            let (one, many) = pair.split_once(' ').expect("a pair");
            assert_eq!(fold_term(one), fold_term(many), "{pair}");
        }
    }

    #[test]
    fn folded_forms() {
        for (word, folded) in [
            ("virus", "virus"),
            ("tennis", "tennis"),
            ("glass", "glass"),
            ("bus", "bus"),
            ("gas", "gas"),
            ("wines", "wine"),
            ("brie", "brie"),
            ("shoe", "shoe"),
            ("boxes", "box"),
            ("cookies", "cooky"),
            ("mousse", "mouss"),
            ("prix", "prix"),
            ("kcp424s", "kcp424s"),
            ("straße", "strass"),
        ] {
            assert_eq!(fold_term(word), folded, "{word}");
        }
    }

    #[test]
    fn irregular_words_are_sorted_for_the_search() {
        assert!(IRREGULAR.is_sorted_by(|a, b| a.0 < b.0));
    }

    proptest! {
        #[test]
        fn a_folded_word_is_never_empty(word in "[a-zœæß]{1,12}") {
            prop_assert!(!fold_term(&word).is_empty());
        }
    }
}
