//! What a product name says of its product, and what it says of other things.
//!
//! "Leather Case for iPhone" is a case. A name speaks of itself up to a word such as "for" or "with"; the *head* of
//! that part is the thing itself: its last word in English ("wireless mouse"), the first in French, as a preposition tells
//! ("lait de coco") or the word itself ("yogourt grec").

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::terms::{Separator, Term, TermKind, part_numbers, terms};
use crate::lang::lexicon::{Kind, Lexicon};

/// Shortest head, in letters.
const HEAD_LETTERS_MIN: usize = 2;

/// How a name holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The thing itself.
    Head,
    /// Of the thing itself.
    Own,
    /// Of something else.
    Aside,
}

/// A term that a name is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTerm {
    /// As it is compared.
    pub folded: String,
    /// As the name has it; `None` for joined terms and where an article went.
    pub written: Option<String>,
    /// How the name holds it.
    pub part: Part,
}

/// The terms of a name: its own in order, then what its writer might have joined (`loreal`, part numbers without
/// hyphens and slashes).
pub fn name_terms(lexicon: &Lexicon, name: &str) -> Vec<NameTerm> {
    let terms = terms(lexicon, name);
    let (aside, head) = asides(lexicon, &terms);
    let head = head.filter(|&at| terms_before_a(lexicon, name).is_none_or(|before| at < before));
    let mut joined: Vec<NameTerm> = Vec::new();
    let mut push = |folded: String, part: Part| joined.push(NameTerm { folded, written: None, part });
    for (at, term) in terms.iter().enumerate() {
        if let Some(with_article) = &term.with_article {
            push(with_article.clone(), part(at, &aside, head));
        }
    }
    part_numbers(lexicon, &terms).for_each(|number| push(number, Part::Own));
    let named = terms.into_iter().enumerate().map(|(at, term)| NameTerm {
        written: term.with_article.is_none().then_some(term.written),
        folded: term.folded,
        part: part(at, &aside, head),
    });
    named.chain(joined).collect()
}

/// How many terms stand before the first "à" of a name: folded, it is an English article.
fn terms_before_a(lexicon: &Lexicon, name: &str) -> Option<usize> {
    if !name.contains(['à', 'À', '\u{300}']) {
        return None;
    }
    let name: String = name.nfc().flat_map(char::to_lowercase).collect();
    name.find(" à ").map(|at| terms(lexicon, &name[..at]).len())
}

/// The head of a category's label: "Flavoured Wine" is wine.
pub fn label_head(lexicon: &Lexicon, label: &str) -> Option<String> {
    head_in(&label_words(lexicon, label), lexicon, |own| last_word_of_all(lexicon, own))
}

/// The things that the label of a category names, of each part of a list ("Pasta, Rice & Grains") its head, and that of what
/// stands before a colon or a hyphen beside a blank ("Cereal - Cold") and before words that name nothing ("Onions Other").
pub fn label_product_types(lexicon: &Lexicon, label: &str) -> Vec<String> {
    let names_nothing = |term: &Term| lexicon.has(Kind::Empty, &term.folded) || is_no_head(lexicon, term);
    let (whole, before) = (listed(lexicon, label), listed(lexicon, before_details(label)));
    let last = whole.iter().filter_map(|part| head_in(part, lexicon, |own| last_word_of_all(lexicon, own)));
    let named =
        before.iter().filter_map(|part| head_in(part, lexicon, |own| head_of(lexicon, own, names_nothing)));
    let mut product_types: Vec<String> = Vec::new();
    for thing in last.chain(named) {
        if !product_types.contains(&thing) {
            product_types.push(thing);
        }
    }
    product_types
}

/// The terms of a label but for "flavoured" and the like, which say that its thing has a taste.
fn label_words(lexicon: &Lexicon, label: &str) -> Vec<Term> {
    let mut terms = terms(lexicon, label);
    terms.retain(|term| {
        term.after == Separator::Clause || lexicon.canonical(Kind::Aside, &term.written) != Some("flavoured")
    });
    terms
}

/// The head of a label, or of a part of it.
fn head_in(words: &[Term], lexicon: &Lexicon, head: impl Fn(&[Term]) -> Option<usize>) -> Option<String> {
    let own = &words[..own_terms(lexicon, words)];
    head(own).map(|at| own[at].folded.clone())
}

/// The parts of a label that lists things, up to a bracket and to the first that says what its things are for. What only
/// says whose accessories follow is no part: "Laptop & Tablet Accessories".
fn listed(lexicon: &Lexicon, label: &str) -> Vec<Vec<Term>> {
    let before_bracket = label.split('(').next().filter(|text| text.contains(char::is_alphanumeric));
    let mut parts: Vec<Vec<Term>> = vec![Vec::new()];
    for term in label_words(lexicon, &before_bracket.unwrap_or(label).replace('/', ", ")) {
        let is_listing_word = lexicon.has(Kind::Joining, &term.written);
        if is_listing_word || [Separator::Clause, Separator::Added].contains(&term.after) {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_listing_word) {
            part.push(term);
        }
    }
    parts.retain(|part| !part.is_empty());
    let ends = parts.iter().position(|part| own_terms(lexicon, part) < part.len());
    parts.truncate(ends.map_or(parts.len(), |at| at + 1));
    if let Some((last, before)) = parts.split_last()
        && last.len() > 1
        && lexicon.has(Kind::GroupHead, &last[last.len() - 1].folded)
    {
        let is_governed = |part: &Vec<Term>| part.last().is_some_and(|term| term.written == term.folded);
        let product_types = before.iter().filter(|part| !is_governed(part));
        parts = product_types.chain([last]).cloned().collect();
    }
    parts
}

/// What stands in a label before a colon or a hyphen beside a blank; all where nothing does.
fn before_details(label: &str) -> &str {
    let end = [":", " -", "- ", " –", "– "].iter().filter_map(|mark| label.find(mark)).min();
    let before = &label[..end.unwrap_or(label.len())];
    if before.trim().is_empty() { label } else { before }
}

fn part(at: usize, aside: &Range<usize>, head: Option<usize>) -> Part {
    match at {
        _ if head == Some(at) => Part::Head,
        _ if aside.contains(&at) => Part::Aside,
        _ => Part::Own,
    }
}

/// Whether a thing, folded, is one that is named after what it is for.
pub fn is_accessory(lexicon: &Lexicon, thing: &str) -> bool {
    lexicon.has(Kind::AccessoryHead, thing)
}

/// Whether a term, folded, tells a taste or a diet.
pub fn is_variety(lexicon: &Lexicon, term: &str) -> bool {
    lexicon.has(Kind::Variety, term)
}

/// Whether a term, folded, only tells what a thing is like, or which part or how much of it.
pub fn is_qualifier(lexicon: &Lexicon, term: &str) -> bool {
    lexicon.has(Kind::Qualifier, term)
}

/// How many leading terms speak of the product itself: all of them where the name begins with another thing.
fn own_terms(lexicon: &Lexicon, terms: &[Term]) -> usize {
    let is_aside = |at: usize| {
        let word = terms[at].written.as_str();
        lexicon.has(Kind::Aside, word)
            || word == "compatible" && terms.get(at + 1).is_some_and(|next| next.written == "with")
    };
    (0..terms.len()).find(|&at| is_aside(at)).filter(|&at| at > 0).unwrap_or(terms.len())
}

/// The range of terms that describe other things than the product, and the index of the head. The range begins at "for" and
/// similar words, at tastes before "flavour", or at "in", where it ends at a comma or bracket. "Coffee Flavoured Yogurt" says what it is after what it tastes of, and "Broccoli & Cheese" names two things: neither has a head.
fn asides(lexicon: &Lexicon, terms: &[Term]) -> (Range<usize>, Option<usize>) {
    let own = own_terms(lexicon, terms);
    let without_tastes = own - tastes(lexicon, terms, own);
    let head = head_before(lexicon, terms, own, without_tastes).filter(|&at| !is_added(lexicon, terms, at));
    let lies_in = before_in(lexicon, &terms[..own]).len();
    if own == terms.len() && lies_in < own {
        let in_what = &terms[lies_in..];
        let is_kind = |term: &Term| {
            lexicon.has(Kind::Colour, &term.written) || lexicon.has(Kind::BehindIn, &term.written)
        };
        let end = if in_what.iter().skip(1).any(is_kind) { lies_in } else { lies_in + clause(in_what).len() };
        return (lies_in..end, head);
    }
    let from = |own: usize| own..terms.len();
    if !terms.get(own).is_some_and(|next| states_flavour(lexicon, next)) {
        return (from(own), head);
    }
    match terms.get(own + 1) {
        Some(next) if next.after != Separator::Clause && !has_a_digit(&next.folded) => {
            (from(without_tastes), None)
        }
        // "Vanilla Flavour" is one.
        _ if without_tastes == 0 => (from(own), head),
        _ => (from(without_tastes), head),
    }
}

/// Whether a term is added to the one before: "Cheese" of "Broccoli & Cheese".
fn is_added(lexicon: &Lexicon, terms: &[Term], at: usize) -> bool {
    at > 0 && terms[at].after == Separator::Added
        || at > 1 && lexicon.canonical(Kind::Joining, &terms[at - 1].written) == Some("and")
}

/// How many of a name's own terms, the last ones, say what it tastes of or is like.
fn tastes(lexicon: &Lexicon, terms: &[Term], own: usize) -> usize {
    let Some(after) = terms.get(own) else { return 0 };
    let states_flavour = states_flavour(lexicon, after);
    if !states_flavour && !matches!(lexicon.canonical(Kind::Aside, &after.written), Some("finish" | "style"))
    {
        return 0;
    }
    let any = usize::from(states_flavour);
    any + terms[..own - any].iter().rev().take_while(|term| is_variety(lexicon, &term.folded)).count()
}

/// Whether a term says of the words before it that they are a flavour.
fn states_flavour(lexicon: &Lexicon, term: &Term) -> bool {
    matches!(lexicon.canonical(Kind::Aside, &term.written), Some("flavour" | "flavoured"))
}

/// Where the head of a name stands.
pub fn head(lexicon: &Lexicon, terms: &[Term]) -> Option<usize> {
    let own = own_terms(lexicon, terms);
    head_before(lexicon, terms, own, own - tastes(lexicon, terms, own))
}

/// The head of a name's own terms: before its tastes, for "Greek Yogurt Pineapple Flavour" is a yogurt, or else one of them.
fn head_before(lexicon: &Lexicon, terms: &[Term], own: usize, without_tastes: usize) -> Option<usize> {
    let head = |own: &[Term]| head_of(lexicon, own, |term| is_no_head(lexicon, term));
    head(&terms[..without_tastes]).or_else(|| head(&terms[..own]))
}

/// Where the words stand that may say what a text asks for, the surest first: its head, then those before it. Part numbers
/// ("WH-1000XM4") say nothing.
pub fn head_nouns(lexicon: &Lexicon, terms: &[Term]) -> Vec<usize> {
    let Some(head) = head(lexicon, terms) else { return Vec::new() };
    let (mut head_nouns, mut at) = (Vec::new(), 0);
    for joined in terms.chunk_by(|_, next| next.is_glued()) {
        let is_number = joined.iter().any(|term| has_a_digit(&term.folded));
        head_nouns.extend((at..at + joined.len()).filter(|&at| at <= head && !is_number));
        at += joined.len();
    }
    head_nouns.reverse();
    head_nouns
}

fn has_a_digit(term: &str) -> bool {
    term.contains(|c: char| c.is_numeric())
}

/// Whether a head is sought before a term.
fn is_no_head(lexicon: &Lexicon, term: &Term) -> bool {
    is_qualifier(lexicon, &term.folded) && !lexicon.has(Kind::PluralHead, &term.written)
}

/// Where the head of a name's own terms stands; of terms that are passed over only where there are no others.
fn head_of(lexicon: &Lexicon, own: &[Term], is_passed: impl Fn(&Term) -> bool) -> Option<usize> {
    let begins_french = own.first().is_some_and(|term| lexicon.has(Kind::FrenchHead, &term.folded));
    if begins_french {
        return Some(0);
    }
    // "Raisins secs au yogourt" are no yogurt, and which of the words before they are is not known.
    let is_french = clause(own).iter().skip(2).any(|term| is_preposition(lexicon, term, true));
    last_word(lexicon, before_in(lexicon, own), is_passed).filter(|&head| head == 0 || !is_french)
}

/// What stands in a name before "in", where this says in what a thing lies or how it is coloured, and before what became of
/// it: "Tuna in Water", "Kabobs wrapped in Bacon". "Bone in Ribs", "In Ear Headphones" and "2 in 1" say neither.
fn before_in<'a>(lexicon: &Lexicon, own: &'a [Term]) -> &'a [Term] {
    let words = clause(own);
    let is_in = |at: &usize| {
        let [before, this, next] = [*at - 1, *at, *at + 1].map(|at| &words[at]);
        let is_kind = at + 2 < words.len() && lexicon.has(Kind::BehindIn, &next.written);
        this.written == "in"
            && [this, next].iter().all(|term| term.after == Separator::Blank)
            && !is_kind
            && !lexicon.has(Kind::BeforeIn, &before.written)
            && !has_a_digit(&before.folded)
            && !has_a_digit(&next.folded)
    };
    let Some(at) = (1..words.len().saturating_sub(1)).find(is_in) else { return own };
    let became = own[1..at].iter().rev().take_while(|term| is_participle(&term.written)).count();
    &own[..at - became]
}

/// Whether a word tells what became of a thing: "wrapped", "dipped", and no "seed".
fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// Where the last word stands that may be a head, the first where a French preposition follows it; of terms that are passed
/// over only where there are no others.
fn last_word(lexicon: &Lexicon, own: &[Term], is_passed: impl Fn(&Term) -> bool) -> Option<usize> {
    let clause = clause(own);
    let may_be = |at: &usize| {
        let term = clause[*at].folded.as_str();
        !has_a_digit(term) && term.chars().count() >= HEAD_LETTERS_MIN && !is_measured(lexicon, clause, *at)
    };
    if clause.get(1).is_some_and(|term| is_preposition(lexicon, term, false)) {
        return Some(0).filter(may_be);
    }
    let mut backwards = (0..clause.len()).rev().filter(may_be);
    backwards.clone().find(|&at| !is_passed(&clause[at])).or_else(|| backwards.next())
}

/// The same where no term is passed over.
fn last_word_of_all(lexicon: &Lexicon, own: &[Term]) -> Option<usize> {
    last_word(lexicon, own, |_| false)
}

/// Whether a term is a container whose size stands before it: "Navel Oranges 3 lb Bag".
fn is_measured(lexicon: &Lexicon, own: &[Term], at: usize) -> bool {
    lexicon.has(Kind::Container, &own[at].folded) && at > 0 && is_size(lexicon, &own[at - 1])
}

/// Whether a term is a quantity, or several of one: "12x355ml".
fn is_size(lexicon: &Lexicon, term: &Term) -> bool {
    term.kind == TermKind::Quantity
        || term.folded.split_once('x').is_some_and(|(count, each)| {
            count.parse::<u32>().is_ok()
                && terms(lexicon, each).iter().all(|term| term.kind == TermKind::Quantity)
        })
}

/// The terms up to the first comma, semicolon or bracket.
fn clause(own: &[Term]) -> &[Term] {
    let end = own.iter().skip(1).position(|term| term.after == Separator::Clause);
    &own[..end.map_or(own.len(), |at| at + 1)]
}

/// Whether a term is a French preposition, or has lost a "d'". `is_sure`: one that is not an English word either.
fn is_preposition(lexicon: &Lexicon, term: &Term, is_sure: bool) -> bool {
    let canonical = lexicon.canonical(Kind::Preposition, &term.written);
    canonical.is_some_and(|canonical| !is_sure || matches!(canonical, "au" | "de"))
        || term.with_article.as_ref().is_some_and(|with| with.starts_with('d'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(name: &str) -> String {
        name_terms(Lexicon::shipped(), name).into_iter().map(|term| term.folded).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_are_found_by_what_is_joined() {
        for (name, expected) in [
            ("L'Oréal", "oreal loreal"),
            ("Kingston KCP424NS6/4", "kingston kcp424ns6 4 kcp424ns64"),
            ("Sony WH-1000XM4 USB-C", "sony wh 1000xm4 usb c wh1000xm4"),
            ("12-oz 6-pack AM/FM 1/2", "12oz 6pack am fm 1 2"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
    }

    #[test]
    fn heads_and_asides() {
        for (name, head, aside) in [
            ("Logitech Wireless Mouse", "mouse", ""),
            ("Large Brown Eggs, Grade A, 12 ct", "egg", ""),
            ("Leather Case for iPhone 12", "case", "for iphone 12"),
            ("Lait de coco bio 400 ml", "lait", ""),
            ("Flaked Light Tuna in Water, 170 g", "tuna", "in water"),
            ("Chicken Kabobs Wrapped in Bacon", "kabob", "wrapped in bacon"),
            ("Designs Musical Mobile in White/Navy", "mobile", ""),
            ("Bone in Pork Ribs", "rib", ""),
            ("Keurig 2 in 1 Brewer", "brewer", ""),
            ("Wireless In-Ear Headphones", "headphone", ""),
            ("Sony In Ear Headphones", "headphone", ""),
            ("Polk Audio In Wall Speaker", "speaker", ""),
            ("Pioneer In Dash Receiver, 7 in", "receiver", ""),
            ("Earbuds in Ear", "earbud", ""),
            ("All in One Printer", "printer", ""),
            ("Huile d'olive extra vierge", "huile", ""),
            ("Whisky Red Wine Cask Finish", "cask", "finish"),
            ("Cable compatible with Dell", "cable", "compatible with dell"),
            ("For Dogs", "dog", ""),
            ("Greek Yogurt Pineapple Flavour 4 x 100 g", "yogurt", "pineapple flavour 4 x 100g"),
            ("Vanilla Flavour", "vanilla", "flavour"),
            ("Chips Sea Salt Ketchup Flavour", "salt", "ketchup flavour"),
            ("Greek Yogurt Cold Coffee Flavoured, 4 x 100 g", "cold", "coffee flavoured 4 x 100g"),
            ("Coffee Flavoured Greek Yogurt", "", "coffee flavoured greek yogurt"),
            ("Butter Popcorn Flavour Cakes", "", "popcorn flavour cake"),
            ("Soup Broccoli & Cheese 515 ml", "", ""),
            ("Mac and Cheese, Family Size", "", ""),
            ("Salt & Vinegar Chips", "chip", ""),
            ("27\" 4K", "", ""),
            ("Sony Turntable - PSLX350H", "turntable", ""),
            ("Grapes Red Seedless 2 lb", "grape", ""),
            ("Wireless Headphones Black, 30 h", "headphone", ""),
            ("Thé vert", "the", ""),
            ("Yogourt grec Oikos", "yogourt", ""),
            ("Raisins secs enrobés de yogourt", "", ""),
            ("Barres tendres aux noix", "barre", ""),
            ("Raisins rouges", "raisin", ""),
            ("Liquid Egg Whites", "white", ""),
            ("Chicken Breasts Value Pack", "chicken", ""),
            ("Almonds Honey Roasted", "roasted", ""),
            ("Red, Black", "red", ""),
            ("Navel Oranges 3 lb Bag", "orange", ""),
            ("Cola 12x355ml Cans", "cola", ""),
            ("Glad Garbage Bags", "bag", ""),
            ("Canon G7X Bag", "bag", ""),
            ("Ail 3 un", "ail", ""),
            ("Primo Sauce à pizza 213 ml", "", ""),
            ("PRIMO SAUCE A\u{300} PIZZA 213 ML", "", ""),
            ("Logitech Wireless Mouse, prêt à jouer", "mouse", ""),
            ("Sauce à pizza Primo", "sauce", ""),
        ] {
            let terms = name_terms(Lexicon::shipped(), name);
            let of = |part: Part| {
                let found: Vec<&str> =
                    terms.iter().filter(|term| term.part == part).map(|term| term.folded.as_str()).collect();
                found.join(" ")
            };
            assert_eq!((of(Part::Head).as_str(), of(Part::Aside)), (head, aside.to_owned()), "{name}");
        }
    }

    #[test]
    fn finds_head_nouns() {
        for (text, expected) in [
            ("chocolate milk", "milk chocolate"),
            ("lait au chocolat", "lait"),
            ("sony headphones wh-1000xm4", "headphone sony"),
            ("sony in ear headphones", "headphone ear in sony"),
            ("usb-c cable for laptop", "cable c usb"),
            ("27 inch monitor 4-in-1", "monitor"),
            ("bose 700/nc", "bose"),
            ("1000xm4", ""),
            ("", ""),
        ] {
            let terms = terms(Lexicon::shipped(), text);
            let found: Vec<&str> = head_nouns(Lexicon::shipped(), &terms)
                .into_iter()
                .map(|at| terms[at].folded.as_str())
                .collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn labels_name_things() {
        for (label, head, product_types) in [
            ("Wireless Keyboards", "keyboard", "keyboard"),
            ("Spices & Seasonings", "seasoning", "spice seasoning"),
            ("Cookies: Gourmet", "gourmet", "gourmet cooky"),
            ("Canada - BC Red Wine", "wine", "wine canada"),
            ("Cereal- Cold", "cold", "cold cereal"),
            ("Hot Dogs-Beef", "beef", "beef"),
            ("Onions Other", "other", "other onion"),
            ("Fluid Milk White Only", "only", "only milk"),
            ("Grapes Red", "red", "red grape"),
            ("Vin rouge", "rouge", "rouge vin"),
            ("Hash Browns", "brown", "brown"),
            ("Aperitif And Flavoured Wine", "wine", "aperitif wine"),
            ("Chocolate Flavoured, Bars", "chocolate", "chocolate bar"),
            ("Food (Other)", "food", "food"),
            ("Cases for Tablets - Leather", "case", "case"),
            ("Jus de fruits", "jus", "jus"),
            ("Other", "other", "other"),
            ("- Cold", "cold", "cold"),
            ("4K", "", ""),
            // Each thing of a list.
            ("Pasta, Rice & Grains", "pasta", "pasta rice grain"),
            ("Craquelins et galettes de riz", "riz", "craquelin galette"),
            ("Bacon, Sausages & Hot Dogs", "bacon", "bacon sausage dog"),
            ("Beers/Ales", "ale", "beer ale"),
            ("Ink & Toner", "toner", "ink toner"),
            ("Cases, Covers for Phones & Tablets", "case", "case cover"),
            // And not whose accessories they are.
            ("Laptop & Tablet Accessories", "accessory", "accessory"),
            ("Laptops & Tablet Accessories", "accessory", "laptop accessory"),
            ("Tea & Coffee Makers", "maker", "maker"),
            ("Dog & Cat Food", "food", "food"),
            ("3D Printer & Printer Supplies", "supply", "supply"),
        ] {
            assert_eq!(label_head(Lexicon::shipped(), label).unwrap_or_default(), head, "{label}");
            assert_eq!(label_product_types(Lexicon::shipped(), label).join(" "), product_types, "{label}");
        }
    }
}
