//! The terms by which products are found: one analysis of names, brands, category labels and queries.
//!
//! Every term has two forms. The *written* one is the word in lower case without diacritics and apostrophes; answers show
//! it to clients. The *folded* one is compared: without inflection ([`fold_term`]), a number with its unit in
//! one form (`2kg` and `2000 g` are `2000g`), without an elided article ("L'Oréal" is `oreal`).
//!
//! A name is also found by what its writer might have joined: `loreal`, and a part number without its hyphens and
//! slashes.

use super::fold::{fold_term, without_commas};
use super::{folded, is_apostrophe, is_hebrew};
use crate::lang::lexicon::{Kind, Lexicon};

/// Shortest part number, in letters and digits.
const PART_NUMBER_MIN: usize = 4;
/// Fewest digits of a part number without a letter that hyphens or slashes join: ranges ("10-20") have fewer.
const JOINED_DIGITS_MIN: usize = 7;
/// Articles and prepositions that French elides before a vowel.
const ELIDED: [&str; 3] = ["qu", "l", "d"];

/// Units that are compared in a smaller one: how many decimal places smaller, and which.
const CONVERTED: [(&str, usize, &str); 3] = [("kg", 3, "g"), ("l", 3, "ml"), ("cl", 1, "ml")];

/// The short form of a unit that joins the number before it.
fn unit<'a>(lexicon: &'a Lexicon, word: &str) -> Option<&'a str> {
    lexicon.canonical(Kind::Unit, word)
}

/// What a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// A word, or letters and digits that form no quantity.
    Word,
    /// A number with its unit.
    Quantity,
}

/// What lies between two terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Nothing but a hyphen or a slash.
    Glue,
    /// A comma, a semicolon or a bracket.
    Clause,
    /// An "&" or a "+".
    Added,
    /// Anything else.
    Blank,
}

/// A term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As it is told to a client.
    pub written: String,
    /// As it is compared.
    pub folded: String,
    /// A number with its unit, or anything else.
    pub kind: TermKind,
    /// Whether it stands in the text as it is written here: `2kg`, and not `2 kg` or `2 kilos`.
    is_run: bool,
    /// What lies between it and the term before.
    pub after: Separator,
    /// The folded form together with the article that it lost.
    pub with_article: Option<String>,
}

/// The terms of a text, in order, repetitions kept.
pub fn terms(lexicon: &Lexicon, text: &str) -> Vec<Term> {
    let text: String = folded_text(text);
    let mut terms = Vec::new();
    let mut words = Words { text: &text, at: 0 }.peekable();
    while let Some(word) = words.next() {
        let number_length = word.number_length();
        let (number, rest) = word.text.split_at(number_length);
        if number.is_empty() {
            terms.push(Term::word(&word));
            continue;
        }
        let mut ahead = words.clone();
        match unit_of(lexicon, rest, word, &mut ahead) {
            Some(unit) => {
                terms.push(Term::quantity(number, unit, &word));
                words = ahead;
            }
            None => terms.push(Term::word(&word)),
        }
    }
    terms
}

/// The folded terms of a brand or a category label.
pub fn label_terms(lexicon: &Lexicon, text: &str) -> Vec<String> {
    terms(lexicon, text).into_iter().map(|term| term.folded).collect()
}

/// What a word is compared by that may be no term as it stands, because it was joined or split off: a number may have met
/// its unit.
pub fn word_term(lexicon: &Lexicon, word: &str) -> String {
    match label_terms(lexicon, word).as_slice() {
        [term] => term.clone(),
        _ => fold_term(word),
    }
}

/// Terms that hyphens or slashes join to letters and digits that form no quantity, though a part of them may look like
/// one: `E-2274G` is found by `e2274g`. Many digits do without a letter: `010-00576-10` is found by `0100057610`.
pub fn part_numbers<'a>(lexicon: &'a Lexicon, terms: &'a [Term]) -> impl Iterator<Item = String> + 'a {
    joined(lexicon, terms, |term| term.is_run, |joined| is_part_number(joined) || is_long_number(joined))
}

/// The part numbers no part of which looks like a quantity.
pub fn plain_part_numbers<'a>(lexicon: &'a Lexicon, terms: &'a [Term]) -> impl Iterator<Item = String> + 'a {
    joined(lexicon, terms, |term| term.kind == TermKind::Word, is_part_number)
}

fn joined<'a>(
    lexicon: &'a Lexicon,
    terms: &'a [Term],
    may_be_part: fn(&Term) -> bool,
    may_be_whole: fn(&str) -> bool,
) -> impl Iterator<Item = String> + 'a {
    let groups = terms.chunk_by(|_, next| next.is_glued());
    groups.filter(|group| group.len() > 1).filter_map(move |group| {
        let joined: String = group.iter().map(|term| term.written.as_str()).collect();
        let is_part =
            group.iter().all(may_be_part) && may_be_whole(&joined) && !is_quantity(lexicon, &joined);
        is_part.then_some(joined)
    })
}

/// Whether a word is so many digits that it counts nothing.
fn is_long_number(word: &str) -> bool {
    word.len() >= JOINED_DIGITS_MIN && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether letters and digits are a number and its unit.
fn is_quantity(lexicon: &Lexicon, word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len() && unit(lexicon, rest).is_some()
}

/// Whether a word is made of letters and digits, enough of them to tell one product from another.
fn is_part_number(word: &str) -> bool {
    word.len() >= PART_NUMBER_MIN
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

impl Term {
    /// Whether nothing but a hyphen or a slash lies between it and the term before.
    pub fn is_glued(&self) -> bool {
        self.after == Separator::Glue
    }

    fn word(word: &Word<'_>) -> Self {
        let written: String = word.text.chars().filter(|&c| !is_apostrophe(c) && c != '"').collect();
        let after_article = word.after_article();
        Self {
            folded: fold_term(after_article.as_ref().unwrap_or(&written)),
            is_run: true,
            with_article: after_article.is_some().then(|| fold_term(&written)),
            written,
            kind: TermKind::Word,
            after: word.after(),
        }
    }

    fn quantity(number: &str, unit: &str, word: &Word<'_>) -> Self {
        let number = without_commas(number);
        let written = format!("{number}{unit}");
        let converted = CONVERTED.iter().find(|(from, _, _)| *from == unit);
        let folded = converted
            .and_then(|(_, places, to)| Some(format!("{}{to}", shifted(&number, *places)?)))
            .unwrap_or_else(|| written.clone());
        Self {
            is_run: word.text == written,
            written,
            folded,
            kind: TermKind::Quantity,
            after: word.after(),
            with_article: None,
        }
    }
}

/// The short form of the unit of a number: of what is glued to it, or of what follows it; then the words are past it.
fn unit_of<'l, 'a>(
    lexicon: &'l Lexicon,
    glued: &'a str,
    word: Word<'a>,
    words: &mut std::iter::Peekable<Words<'a>>,
) -> Option<&'l str> {
    let first = match glued {
        "" if word.inch_mark => "\"",
        "" => words.next().filter(Word::is_near)?.text,
        glued => glued,
    };
    if lexicon.units.begins(first)
        && let Some(second) = words.peek().filter(|next| next.is_near())
        && let Some(unit) = unit(lexicon, &format!("{first} {}", second.text))
    {
        words.next();
        return Some(unit);
    }
    unit(lexicon, first).filter(|_| first != "in" || !before_number(words))
}

/// Whether a number follows.
fn before_number(words: &mut std::iter::Peekable<Words<'_>>) -> bool {
    words.peek().is_some_and(|next| next.is_near() && next.text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A decimal number times a power of ten; `None` where it has several points.
fn shifted(number: &str, places: usize) -> Option<String> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.contains('.') {
        return None;
    }
    let (moved, left) = part.split_at(part.len().min(places));
    let whole = format!("{whole}{moved:0<places$}");
    let whole = whole.trim_start_matches('0');
    let left = left.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if left.is_empty() { whole.to_owned() } else { format!("{whole}.{left}") })
}

/// Folded characters; the signs for inches are one.
fn folded_text(text: &str) -> String {
    if text.contains(['”', '″', '״']) {
        folded(&text.replace(['”', '″', '״'], "\"")).collect()
    } else {
        folded(text).collect()
    }
}

/// A run of letters and digits; apostrophes do not end it.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// What lies between it and the word before.
    gap: &'a str,
    /// Whether an inch sign follows it.
    inch_mark: bool,
}

impl Word<'_> {
    /// Whether only blanks, points or one hyphen lie between it and the word before.
    fn is_near(&self) -> bool {
        self.gap.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '.'))
    }

    fn after(&self) -> Separator {
        match self.gap {
            "-" | "/" => Separator::Glue,
            gap if gap.contains([',', ';', '(', ')', '[', ']', '{', '}', '|']) => Separator::Clause,
            gap if gap.contains(['&', '+']) => Separator::Added,
            _ => Separator::Blank,
        }
    }

    /// Length of the number with which it begins.
    fn number_length(&self) -> usize {
        let is_inside = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        self.text.len() - self.text.trim_start_matches(is_inside).len()
    }

    /// What is left without an elided article.
    fn after_article(&self) -> Option<String> {
        let (article, rest) = self.text.split_once(is_apostrophe)?;
        let is_word = rest.starts_with(char::is_alphabetic);
        (ELIDED.contains(&article) && is_word).then(|| rest.chars().filter(|&c| !is_apostrophe(c)).collect())
    }
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
        let word = &rest[start..];
        let end = word
            .char_indices()
            .find(|&(at, c)| {
                !c.is_alphanumeric()
                    && !is_apostrophe(c)
                    && !is_inside_number(word, at, c)
                    && !is_inside_abbreviation(word, at, c)
            })
            .map_or(word.len(), |(at, _)| at);
        self.at += start + end;
        let text = word[..end].trim_end_matches(is_apostrophe);
        Some(Word { text, gap: &rest[..start], inch_mark: word[end..].starts_with('"') })
    }
}

/// Whether a quotation mark lies between two Hebrew letters.
fn is_inside_abbreviation(word: &str, at: usize, c: char) -> bool {
    c == '"' && word[..at].ends_with(is_hebrew) && word[at + 1..].starts_with(is_hebrew)
}

/// Whether a point or a comma lies between two digits.
fn is_inside_number(word: &str, at: usize, c: char) -> bool {
    matches!(c, '.' | ',')
        && word[..at].ends_with(|d: char| d.is_ascii_digit())
        && word[at + 1..].starts_with(|d: char| d.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn both(text: &str) -> (String, String) {
        let terms = terms(Lexicon::shipped(), text);
        let form = |of: fn(&Term) -> &str| terms.iter().map(of).collect::<Vec<_>>().join(" ");
        (form(|term| &term.written), form(|term| &term.folded))
    }

    #[test]
    fn written_and_folded() {
        for (text, written, folded) in [
            ("Mann's Broccoli, 12 oz", "manns broccoli 12oz", "mann broccoli 12oz"),
            ("12oz 12-oz 12 OZ. 12 Ounces", "12oz 12oz 12oz 12oz", "12oz 12oz 12oz 12oz"),
            ("1.5 L", "1.5l", "1500ml"),
            ("75cl 0,75 l 750 millilitres", "75cl 0.75l 750ml", "750ml 750ml 750ml"),
            ("2 kilos, 2,5kg 2000 grammes", "2kg 2.5kg 2000g", "2000g 2500g 2000g"),
            ("1,299 g 0,750 kg 1.2.3 kg", "1299g 0.750kg 1.2.3kg", "1299g 750g 1.2.3kg"),
            (
                "12 fl oz 12 fl. oz. 12floz 12fl oz",
                "12floz 12floz 12floz 12floz",
                "12floz 12floz 12floz 12floz",
            ),
            (
                "27 in monitor 27\" 27 po 27inches",
                "27inch monitor 27inch 27inch 27inch",
                "27inch monitor 27inch 27inch 27inch",
            ),
            ("15.6” laptop", "15.6inch laptop", "15.6inch laptop"),
            ("4 in 1 2 in 1", "4 in 1 2 in 1", "4 in 1 2 in 1"),
            ("Crème Brûlée", "creme brulee", "creme brulee"),
            (
                "L'Oréal d’Aragon qu'il aujourd'hui l'Annie's",
                "loreal daragon quil aujourdhui lannies",
                "oreal aragon il aujourdhui anny",
            ),
            ("Core i7-7700 3.6 GHz", "core i7 7700 3.6ghz", "core i7 7700 3.6ghz"),
            ("6-pack 6 pk 6PK 6 paquets", "6pack 6pack 6pack 6pack", "6pack 6pack 6pack 6pack"),
            ("rock 'n' roll dogs'", "rock n roll dogs", "rock n roll dog"),
            ("v1.2. end. 5, g", "v1.2 end 5 g", "v1.2 end 5 g"),
            (
                "200\u{a0}g 200\u{202f}g 200\u{2009}g 200\u{3000}g 200\tg",
                "200g 200g 200g 200g 200g",
                "200g 200g 200g 200g 200g",
            ),
            ("12\u{a0}fl\u{a0}oz 0,75\u{2007}l", "12floz 0.75l", "12floz 750ml"),
            // Where no unit says so, too, a comma is a point, or parts thousands.
            ("yogourt 1,5 1,000 x", "yogourt 1,5 1,000 x", "yogourt 1.5 1000 x"),
            // The mark of a Hebrew abbreviation is not a quotation mark.
            ("רוטב \"צ׳ילי\" 2 ק״ג", "רוטב צילי 2 קג", "רוטב צילי 2 קג"),
            ("", "", ""),
            (" -- ' ", "", ""),
        ] {
            assert_eq!(both(text), (written.to_owned(), folded.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn part_numbers_are_joined() {
        for (text, expected) in [
            ("Camera DSC-W150/B", "dscw150b"),
            ("Xeon E-2274G, RP-150M, ZT-70601-10M", "e2274g rp150m zt7060110m"),
            ("KVR1333D3E9S/8G", "kvr1333d3e9s8g"),
            ("GPS 010-00576-10, Mouse 910-000692", "0100057610 910000692"),
            ("12 PK/12 OZ, 12-pack, 6-12oz, 4-2.5l, 10-20, 100-200, 10/100, 12.5-1000", ""),
        ] {
            assert_eq!(
                part_numbers(Lexicon::shipped(), &terms(Lexicon::shipped(), text))
                    .collect::<Vec<_>>()
                    .join(" "),
                expected,
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_term_is_empty(text in "\\PC{0,30}") {
            for term in terms(Lexicon::shipped(), &text) {
                prop_assert!(!term.written.is_empty() && !term.folded.is_empty());
            }
        }

        #[test]
        fn the_case_of_letters_moves_no_term(text in "\\PC{0,30}") {
            prop_assert_eq!(terms(Lexicon::shipped(), &text.to_uppercase().to_lowercase()).len(), terms(Lexicon::shipped(), &text.to_lowercase()).len());
        }

        #[test]
        fn litres_are_millilitres(whole in 0_u32..5_000, thousandths in 0_u32..1_000) {
            prop_assume!(whole + thousandths > 0);
            let (litres, millilitres) = (format!("{whole}.{thousandths:03} l"), format!("{} ml", whole * 1_000 + thousandths));
            prop_assert_eq!(both(&litres).1, both(&millilitres).1);
        }
    }
}
