//! Names of columns: which of a file's columns is meant, and which one a strange name may mean.
//!
//! A name counts as it stands, else folded ([`positions`]). Everything beyond that is a guess: [`near`] knows what
//! exports of shops and collectors of prices call our columns, and how near spellings are. Guesses are proposed to
//! whoever runs a build and never taken.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::lang::text;
use crate::snapshot::tables::{Input, ListingInput, ObservationInput};

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of(include_str!("../data/column_names.txt")));

/// Names of columns in the files of shops, feeds and price collectors.
#[derive(Default)]
struct Table {
    connectives: Vec<&'static str>,
    fillers: Vec<&'static str>,
    /// Our columns, the names that mean each, and the names that may mean it.
    columns: Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)>,
}

impl Table {
    fn of(text: &'static str) -> Self {
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((of, names)) = line.split_once(": ") else { continue };
            let (sure, perhaps) = names.split_once('|').unwrap_or((names, ""));
            let [sure, perhaps] = [sure, perhaps].map(|names| names.split_whitespace().collect());
            match of {
                "connective" => table.connectives = sure,
                "filler" => table.fillers = sure,
                column => table.columns.push((column, sure, perhaps)),
            }
        }
        table
    }
}

/// Longest name that is guessed at, in bytes; what is longer is text and no name.
const GUESSED_BYTES_MAX: usize = 100;
/// Letters of one of our names for which one may be mistyped.
const LETTERS_PER_MISTAKE: usize = 4;

/// A name as it is compared: trimmed, in lower case, with `_` for blanks, `-` and `.`.
pub fn folded(name: &str) -> String {
    let plain =
        |letter: char| if letter.is_whitespace() || matches!(letter, '-' | '.') { '_' } else { letter };
    name.trim().chars().flat_map(char::to_lowercase).map(plain).collect()
}

/// Where each wanted column stands in a header: the first column of that name, else the first whose folded name is
/// equal.
pub fn positions<'w>(header: &[String], wanted: impl IntoIterator<Item = &'w str>) -> Vec<Option<usize>> {
    let (mut exact, mut alike) = (HashMap::new(), HashMap::new());
    for (at, name) in header.iter().enumerate() {
        exact.entry(name.as_str()).or_insert(at);
        alike.entry(folded(name)).or_insert(at);
    }
    let position = |name: &str| exact.get(name).or_else(|| alike.get(&folded(name))).copied();
    wanted.into_iter().map(position).collect()
}

/// All columns of both tables, each once.
pub fn columns() -> impl Iterator<Item = &'static Input> {
    let known = |name| ListingInput::ALL.iter().any(|listing| listing.name == name);
    ListingInput::ALL.iter().chain(ObservationInput::ALL.iter().filter(move |column| !known(column.name)))
}

/// How sure a guess is, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// Our name, in another notation: `ProductName`.
    Notation,
    /// A name that means it: `Retailer`.
    Synonym,
    /// One of these, among words that say little: `Variant Price`.
    Within,
    /// A name that may mean it, or something else.
    Perhaps,
    /// Such a one, among words that say little.
    PerhapsWithin,
    /// Our name, mistyped: `prodct_name`.
    Mistyped,
}

impl Nearness {
    /// The same of a name that stands among other words.
    fn within(self) -> Self {
        if self == Self::Perhaps { Self::PerhapsWithin } else { Self::Within }
    }
}

/// The columns of ours that a strange name may mean, the best first.
pub fn near(name: &str) -> Vec<&'static str> {
    guesses(name).into_iter().map(|(_, column)| column).collect()
}

/// As [`near`], with how sure each is; among equally sure ones those of listings come first.
pub fn guesses(name: &str) -> Vec<(Nearness, &'static str)> {
    if name.len() > GUESSED_BYTES_MAX {
        return Vec::new();
    }
    let words = words(name);
    // A hundred times too dear, if anybody took it.
    if words.iter().any(|word| word == "cents") {
        return Vec::new();
    }
    let whole = words.concat();
    let mut core: &[String] = &words;
    while let [first, rest @ ..] = core
        && TABLE.fillers.contains(&first.as_str())
    {
        core = rest;
    }
    while let [rest @ .., last] = core
        && TABLE.fillers.contains(&last.as_str())
    {
        core = rest;
    }
    let core = core.concat();
    let guess = |ours: &Input| {
        let nearness = known(&whole, ours.name)
            .or_else(|| known(&core, ours.name).map(Nearness::within))
            .or_else(|| is_mistyped(&whole, &joined(ours.name)).then_some(Nearness::Mistyped))?;
        Some((nearness, ours.name))
    };
    let mut guesses: Vec<_> = columns().filter_map(guess).collect();
    guesses.sort_by_key(|(nearness, _)| *nearness);
    guesses
}

/// What the table of synonyms says of a name without its gaps.
fn known(name: &str, ours: &str) -> Option<Nearness> {
    static KNOWN: LazyLock<HashMap<(&str, &str), Nearness>> = LazyLock::new(|| {
        let of = |(ours, sure, perhaps): &'static (&'static str, Vec<&'static str>, Vec<&'static str>)| {
            let entry = move |nearness| move |name: &&'static str| ((*name, *ours), nearness);
            sure.iter().map(entry(Nearness::Synonym)).chain(perhaps.iter().map(entry(Nearness::Perhaps)))
        };
        TABLE.columns.iter().flat_map(of).collect()
    });
    if name == joined(ours) { Some(Nearness::Notation) } else { KNOWN.get(&(name, ours)).copied() }
}

/// A name of ours without its gaps.
fn joined(ours: &str) -> String {
    ours.replace('_', "")
}

/// Whether a name is one of ours with so few mistakes that it is hardly another word; nobody mistypes the first letter.
fn is_mistyped(name: &str, ours: &str) -> bool {
    name.starts_with(&ours[..1]) && strsim::osa_distance(name, ours) <= ours.len() / LETTERS_PER_MISTAKE
}

/// The words of a name, without case and marks, and without those that only join others: `Nom du produit`,
/// `nomProduit` and `NOM_PRODUIT` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_small = false;
    for letter in name.chars() {
        let is_part = letter.is_alphanumeric() || is_combining_mark(letter);
        let starts = !is_part || (letter.is_uppercase() && before_small);
        before_small = letter.is_lowercase();
        if starts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    let plain = |word: &String| text::folded(word).filter(|letter| letter.is_alphanumeric()).collect();
    let mut words: Vec<String> = words.iter().map(plain).collect();
    words.retain(|word| !word.is_empty() && !TABLE.connectives.contains(&word.as_str()));
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn does_not_match_cent_columns_to_prices() {
        for name in ["price_cents", "Price (cents)", "cents", "listPriceCents"] {
            assert_eq!(near(name), Vec::<&str>::new(), "{name}");
        }
    }

    #[test]
    fn names_are_folded() {
        for (name, expected) in [
            (" Product Name ", "product_name"),
            ("LIST-PRICE", "list_price"),
            ("review.count", "review_count"),
            ("in\u{a0}stock", "in_stock"),
            ("price", "price"),
            ("a  b", "a__b"),
            ("É", "é"),
            ("", ""),
        ] {
            assert_eq!(folded(name), expected, "{name:?}");
        }
    }

    #[test]
    fn exact_names_come_before_folded_ones_and_first_ones_before_later() {
        let header = header(&["Price", "price", "price", "Product ID", "product-id", "x"]);
        let found = positions(&header, ["price", "product_id", "country", "X", "Product-Id"]);
        assert_eq!(found, [Some(1), Some(3), None, Some(5), Some(3)]);
    }

    #[test]
    fn every_column_has_synonyms_in_the_form_in_which_they_are_looked_up() {
        let ours: Vec<&str> = columns().map(|column| column.name).collect();
        let listed: Vec<&str> = TABLE.columns.iter().map(|(ours, ..)| *ours).collect();
        assert_eq!(listed, ours);
        for (name, sure, perhaps) in &TABLE.columns {
            let mut all: Vec<&str> = sure.iter().chain(perhaps).copied().collect();
            for synonym in &all {
                assert_eq!(words(synonym), [*synonym], "{name}");
                assert!(
                    ours.iter().all(|ours| joined(ours) != *synonym),
                    "{name}: {synonym} is our own name"
                );
            }
            all.sort_unstable();
            assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{name} has a synonym twice");
        }
    }

    #[test]
    fn exports_say_what_they_mean() {
        for (ours, names) in [
            ("country", "Country Code|Pays|market"),
            (
                "platform",
                "Retailer|store|Shop Name|merchant|seller|Vendor|chain|prices.merchant|Magasin|détaillant",
            ),
            (
                "product_id",
                "SKU|item_id|Article|asin|Handle|id|Variant SKU|g:id|PRODUCT_SKU_NO|code produit|UGS",
            ),
            (
                "product_name",
                "Title|name|Product|item|Description|Nom du produit|productTitle|PRODUCT_LONG_NAME",
            ),
            ("brand", "Marque|Manufacturer|Brand Name|brands"),
            ("gtin", "UPC|ean|Barcode|gtin13|isbn|Code-barres|Variant Barcode|GTIN, UPC, EAN, or ISBN"),
            (
                "category_path",
                "department|Category|Categories|taxonomy|product_type|google_product_category|Rayon",
            ),
            ("gpc_code", "brick|GPC"),
            ("condition", "Google Shopping / Condition|État|item_condition"),
            ("rating", "stars|averageRating|Note|rating_value"),
            ("review_count", "reviews|reviewsCount|number of reviews|Nombre d'avis"),
            ("url", "link|product_url|productURL|lien|permalink"),
            ("mpn", "Model Number|manufacturerNumber|part_no"),
            ("date", "scraped_at|timestamp|Observed|day|crawl_date|prices.dateSeen|nowtime|Date de relevé"),
            (
                "price",
                "sale_price|current_price|Amount|cost|Prix|Variant Price|price_cad|PRODUCT_PRICE|Sale price",
            ),
            (
                "list_price",
                "MSRP|rrp|Regular price|was|compare_at_price|Variant Compare At Price|Prix régulier|old_price",
            ),
            ("in_stock", "availability|Stock|available|Disponibilité|In stock?|isAvailable"),
            ("promo", "on_sale|Promotion|prices.isSale|en promotion"),
            ("currency", "currency_code|priceCurrency|Devise|prices.currency"),
        ] {
            for name in names.split('|') {
                assert_eq!(near(name).first(), Some(&ours), "{name}: {:?}", guesses(name));
            }
        }
    }

    #[test]
    fn a_name_of_two_meanings_has_both() {
        assert_eq!(near("Product"), ["product_name", "product_id"]);
        assert_eq!(near("Vendor"), ["platform", "brand"]);
        assert_eq!(near("UPC"), ["gtin", "product_id"]);
        assert_eq!(near("Regular price"), ["list_price", "price"]);
    }

    #[test]
    fn slips_of_the_keyboard_are_near_and_other_words_are_not() {
        for (name, ours) in [
            ("prodct_name", "product_name"),
            ("plattform", "platform"),
            ("prcie", "price"),
            ("contry", "country"),
            ("dates", "date"),
            ("listprices", "list_price"),
            ("reviw count", "review_count"),
        ] {
            assert_eq!(near(name).first(), Some(&ours), "{name}");
            assert_eq!(guesses(name)[0].0, Nearness::Mistyped);
        }
        for name in [
            "",
            "-",
            "rate",
            "color",
            "shipping",
            "price per unit",
            "retailer_id",
            "brand id",
            "Ünï",
            "weight",
        ] {
            assert_eq!(near(name), [""; 0], "{name}");
        }
        assert_eq!(near(&"price ".repeat(100)), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_name_is_looked_at(name in "\\PC{0,40}") {
            prop_assert_eq!(folded(&folded(&name)), folded(&name));
            let guesses = guesses(&name);
            prop_assert!(guesses.is_sorted_by_key(|(nearness, _)| *nearness));
            let mut columns: Vec<_> = guesses.iter().map(|(_, column)| column).collect();
            columns.sort();
            columns.dedup();
            prop_assert_eq!(columns.len(), guesses.len());
        }
    }
}
