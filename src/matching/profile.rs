//! What a listing says of itself, read once and compared often.

use std::collections::HashMap;

use super::Item;
use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::pack::Pack;
use crate::lang::part_numbers::{self, is_decimal, said};
use crate::lang::product_types::{self, ProductTypes};
use crate::lang::quantities::{self, Number};
use crate::lang::series::{self, Member};
use crate::lang::synonyms::{Groups, StatedSynonyms};
use crate::lang::text::folded;
use crate::lang::variants;
use crate::types::{Condition, Day};

/// Most letters, and most digits, of a model that a sign makes the larger one.
const MODEL_CHARS_MAX: usize = 2;

/// What a name says, before its terms are numbers.
pub(super) struct Reading {
    /// Terms of the name in order, then what might have been joined.
    pub(super) terms: Vec<String>,
    /// How many of them are the name's own.
    pub(super) own: usize,
    pub(super) parts: Vec<Box<str>>,
    pub(super) numbers: Box<[Number]>,
    /// Those that say how much is sold.
    pub(super) amounts: Box<[Number]>,
    pub(super) members: Box<[Member]>,
    pub(super) variants: u128,
    /// The variant that its head names.
    pub(super) head_variant: u128,
    /// The things that it is called.
    pub(super) product_types: ProductTypes,
    pub(super) forms: StatedSynonyms,
    pub(super) labels: Box<[u16]>,
    pub(super) pack: Option<Pack>,
}

/// Forms of a table by their first word.
pub(super) struct SynonymIndex {
    by_first: HashMap<String, Vec<(Vec<String>, u16)>>,
}

impl SynonymIndex {
    /// The forms of each of some meanings.
    fn of(
        lexicon: &Lexicon,
        meanings: impl Iterator<Item = impl IntoIterator<Item = impl AsRef<str>>>,
    ) -> Self {
        let forms = meanings.zip(0..).flat_map(|(forms, row)| forms.into_iter().map(move |form| (form, row)));
        Self::new(forms.map(|(form, row)| (said(lexicon, form.as_ref()).folded, row)))
    }

    /// Forms with their rows, as words.
    fn new(forms: impl Iterator<Item = (Vec<String>, u16)>) -> Self {
        let mut by_first: HashMap<String, Vec<(Vec<String>, u16)>> = HashMap::new();
        // A form of a number alone has no terms.
        for (mut form, row) in forms.filter(|(form, _)| !form.is_empty()) {
            let first = form.remove(0);
            by_first.entry(first).or_default().push((form, row));
        }
        // The longest form that fits is what is said: "extra large" is not "large".
        for forms in by_first.values_mut() {
            forms.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        Self { by_first }
    }

    /// The rows whose forms stand in a text.
    fn rows(&self, words: &[String], mut found: impl FnMut(u16)) {
        let mut at = 0;
        while at < words.len() {
            let forms = self.by_first.get(words[at].as_str()).map_or(&[][..], Vec::as_slice);
            at += 1;
            // "2 for $7" is a price.
            let is_for = matches!(words[at - 1].as_str(), "for" | "pour");
            if is_for
                && at > 1
                && is_decimal(&words[at - 2])
                && words.get(at).is_some_and(|next| is_decimal(next))
            {
                continue;
            }
            if let Some((rest, row)) = forms.iter().find(|(rest, _)| words[at..].starts_with(rest)) {
                found(*row);
                at += rest.len();
            }
        }
    }
}

/// Reads names.
pub(super) struct Names<'a> {
    pub(super) lexicon: &'a Lexicon,
    pub(super) groups: Groups,
    variants: SynonymIndex,
    forms: SynonymIndex,
    product_types: SynonymIndex,
    labels: SynonymIndex,
}

impl<'a> Names<'a> {
    pub(super) fn new(lexicon: &'a Lexicon) -> Self {
        let labels = lexicon.meanings(Kind::PrivateLabel).iter().zip(0..);
        let labels = labels.flat_map(|(label, at)| label.forms.iter().map(move |form| (form, at)));
        Self {
            variants: SynonymIndex::of(lexicon, variants::forms(lexicon)),
            forms: SynonymIndex::of(
                lexicon,
                lexicon.meanings(Kind::Synonym).iter().map(|meaning| &meaning.forms),
            ),
            product_types: SynonymIndex::of(
                lexicon,
                product_types::meanings(lexicon).map(|meaning| &meaning.forms),
            ),
            labels: SynonymIndex::new(labels.map(|(form, at)| (said(lexicon, form).written, at))),
            groups: Groups::of(lexicon),
            lexicon,
        }
    }

    /// What folded terms say of variants.
    pub(super) fn variants(&self, folded: &[String]) -> u128 {
        let mut bits = 0;
        self.variants.rows(folded, |row| bits |= 1 << row);
        bits
    }

    /// What folded terms say of the groups of forms.
    pub(super) fn forms(&self, folded: &[String]) -> StatedSynonyms {
        let mut said = StatedSynonyms::default();
        self.forms.rows(folded, |row| said.add(&self.groups, row.into()));
        said
    }

    /// The things that folded terms name.
    pub(super) fn product_types(&self, folded: &[String]) -> ProductTypes {
        let mut product_types = ProductTypes::default();
        let types = self.lexicon.meanings(Kind::Type).len();
        self.product_types.rows(folded, |row| {
            if usize::from(row) < types {
                product_types.add(row.into());
            }
        });
        product_types
    }

    /// Whether folded terms say of which variant or form something is.
    pub(super) fn tells_apart(&self, folded: &[String]) -> bool {
        self.variants(folded) != 0 || !self.forms(folded).is_empty()
    }

    /// Private labels that words name.
    pub(super) fn labels(&self, written: &[String]) -> Box<[u16]> {
        let mut labels = Vec::new();
        self.labels.rows(written, |row| labels.push(row));
        labels.into()
    }

    /// Reads a listing.
    pub(super) fn read(&self, item: &Item<'_>) -> Reading {
        let name = said(self.lexicon, item.name);
        let text: String = folded(item.name).map(plain_mark).collect();
        let own = name.folded.len();
        let mut variants = self.variants(&name.folded);
        if ends_in_plus(&text) {
            variants |= self.variants(&["plus".to_owned()]);
        }
        let forms = self.forms(&name.folded);
        let head_variant = name.head.map_or(0, |head| self.variants(&name.folded[head..=head]));
        let product_types = self.product_types(&name.folded);
        let quantities = quantities::read(self.lexicon, item.name);
        let mut terms = name.folded;
        terms.extend(name.joined);
        Reading {
            terms,
            own,
            parts: part_numbers::parts(self.lexicon, item.name),
            amounts: quantities.amounts,
            numbers: quantities.numbers,
            members: series::members(self.lexicon, &text),
            variants,
            head_variant,
            product_types,
            forms,
            labels: self.labels(&name.written),
            pack: quantities.pack,
        }
    }
}

/// Hands over the words of which several mean one thing, each with a number for that: colours, tastes, forms, numerals.
pub(super) fn each_meaning(lexicon: &Lexicon, mut each: impl FnMut(&str, u16)) {
    let all =
        [Kind::Colour, Kind::Flavour, Kind::Synonym].into_iter().flat_map(|kind| lexicon.meanings(kind));
    let mut meaning = 0;
    for of_one in all {
        meaning += 1;
        for form in &of_one.forms {
            if let [word] = said(lexicon, form).folded.as_slice() {
                each(word, meaning);
            }
        }
    }
    for (letters, digits) in variants::numerals(lexicon) {
        meaning += 1;
        each(letters, meaning);
        each(digits, meaning);
    }
}

/// Whether a folded text names the larger one of two models: `S8+`.
fn ends_in_plus(text: &str) -> bool {
    text.split('+').rev().skip(1).zip(text.split('+').rev()).any(|(before, behind)| {
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = digits.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (1..=MODEL_CHARS_MAX).contains(&(before.len() - digits.len()))
            && (1..=MODEL_CHARS_MAX).contains(&(digits.len() - rest.len()))
            && !rest.ends_with(|c: char| c.is_alphanumeric())
            && !behind.starts_with(|c: char| c.is_alphanumeric())
    })
}

/// Quotation marks that stand for inches and feet in one form, and so spaces.
fn plain_mark(c: char) -> char {
    match c {
        c if c.is_whitespace() => ' ',
        '”' | '“' | '″' => '"',
        '’' | '′' | '‘' => '\'',
        '×' => 'x',
        c => c,
    }
}

/// A listing as it is compared.
pub(super) struct Profile {
    pub(super) uid: u64,
    pub(super) platform: u16,
    /// Index of the brand, or [`super::NONE`].
    pub(super) brand: u32,
    pub(super) gtin: u64,
    pub(super) condition: Condition,
    pub(super) price: u32,
    pub(super) seen: Day,
    /// Distinct terms of name and brand, ascending.
    pub(super) terms: Box<[u32]>,
    /// Terms of the name in order.
    pub(super) name: Box<[u32]>,
    pub(super) parts: Box<[Box<str>]>,
    pub(super) mpn: Option<Box<str>>,
    pub(super) numbers: Box<[Number]>,
    /// Those that say how much is sold.
    pub(super) amounts: Box<[Number]>,
    /// Members of series that the name names.
    pub(super) members: Box<[Member]>,
    pub(super) variants: u128,
    /// The variant that its head names.
    pub(super) head_variant: u128,
    /// The things that it is called.
    pub(super) product_types: ProductTypes,
    pub(super) forms: StatedSynonyms,
    pub(super) labels: Box<[u16]>,
    pub(super) pack: Option<Pack>,
    /// Length of the vector of its terms' weights.
    pub(super) length: f64,
    /// Sum of its terms' weights.
    pub(super) weight: f64,
}

impl Profile {
    /// Part numbers of the name and of the column.
    pub(super) fn part_numbers(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().chain(&self.mpn).map(|part| &**part)
    }
}

/// A brand as it is looked for in names.
pub(super) struct Brand {
    pub(super) key: String,
    /// The key that counts of those that it goes by.
    pub(super) name: String,
    /// Its terms in order.
    pub(super) terms: Vec<u32>,
    /// Its key as a term, where some listing has that.
    pub(super) joined: Option<u32>,
    pub(super) variants: u128,
    pub(super) labels: Box<[u16]>,
}

impl Brand {
    /// Whether a name holds it: its words in a row, or joined. `own` is the brand of the listing, whose words are among
    /// the listing's terms without being of its name.
    pub(super) fn is_named_by(&self, profile: &Profile, own: Option<&Self>) -> bool {
        let in_a_row = !self.terms.is_empty()
            && profile.name.windows(self.terms.len()).any(|window| window == self.terms.as_slice());
        let is_joined = |term: u32| {
            profile.terms.binary_search(&term).is_ok() && own.is_none_or(|own| !own.terms.contains(&term))
        };
        in_a_row || self.joined.is_some_and(is_joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_colours_but_not_multi_buy_prices_as_variants() {
        let names = Names::new(Lexicon::shipped());
        let says_any = |name: &str| names.variants(&said(Lexicon::shipped(), name).folded) != 0;
        assert!(!says_any("Chips 235 g, 2 for $7") && !says_any("Pizza 788 g, 2 pour 12 $"));
        assert!(says_any("Air Max 90 black 10") && says_any("Sauce for 2"));
    }
}
