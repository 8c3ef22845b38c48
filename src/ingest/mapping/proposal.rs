//! The mapping that a file seems to need: for what it lacks, the strange columns that may be it.

use std::fmt::Write as _;

use crate::ingest::column_names::{self, Nearness};
use crate::snapshot::tables::Input;

/// Other columns that are named beside a proposed one.
const ALTERNATIVES_MAX: usize = 3;
/// Columns of which a hint speaks.
const HINTED_COLUMNS_MAX: usize = 8;

/// What a file lacks, and where it may be. Nothing of it is taken before somebody has said so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Columns that were found a strange name for, required ones first; each strange name stands here once.
    pub columns: Vec<ProposedColumn>,
    /// Required columns that were not.
    pub missing: Vec<MissingColumn>,
}

/// A column, and the strange name that seems to mean it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedColumn {
    /// Our name.
    pub ours: &'static str,
    /// The file's.
    pub theirs: String,
    /// Other names in the file that may mean it as well.
    pub or: Vec<String>,
    /// Other columns of ours that the file lacks and that this name may mean as well.
    pub instead: Vec<&'static str>,
}

/// A required column that no strange name is left for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingColumn {
    /// Our name.
    pub ours: &'static str,
    /// A value that it could have.
    pub example: &'static str,
    /// Names in the file that may mean it, but seem to mean something else.
    pub or: Vec<String>,
}

/// A strange name that may mean a column that is lacking: their places, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    lacking: usize,
    strange: usize,
    nearness: Nearness,
}

impl Proposal {
    /// Proposes for a file: `strange` are the names in its header that nothing is taken from, `lacking` our columns that
    /// come neither from a column nor from a constant or the path. A column that both tables lack is taken once.
    pub fn new(strange: &[String], lacking: &[Input]) -> Self {
        let mut wanted: Vec<&Input> = Vec::new();
        for column in lacking {
            match wanted.iter_mut().find(|known| known.name == column.name) {
                Some(known) if column.required => *known = column,
                Some(_) => {}
                None => wanted.push(column),
            }
        }
        wanted.sort_by_key(|column| !column.required);
        let mut names: Vec<&String> = Vec::new();
        for name in strange {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let pairs = pairs(&names, &wanted);
        let taken = assign(&pairs, &wanted);
        let at = |lacking| taken.iter().find(|pair| pair.lacking == lacking);
        let mut proposal = Self::default();
        for (place, column) in wanted.iter().enumerate() {
            match at(place) {
                Some(own) => proposal.columns.push(ProposedColumn {
                    ours: column.name,
                    theirs: names[own.strange].clone(),
                    or: others(&pairs, &names, place, |pair| {
                        let chosen = taken.iter().find(|chosen| chosen.strange == pair.strange);
                        chosen.is_none_or(|chosen| chosen != own && chosen.nearness >= pair.nearness)
                    }),
                    instead: pairs
                        .iter()
                        .filter(|pair| pair.strange == own.strange && at(pair.lacking).is_none())
                        .map(|pair| wanted[pair.lacking].name)
                        .collect(),
                }),
                None if column.required => proposal.missing.push(MissingColumn {
                    ours: column.name,
                    example: column.example,
                    or: others(&pairs, &names, place, |_| true),
                }),
                None => {}
            }
        }
        proposal
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.missing.is_empty()
    }

    /// A question for an error, in one line; `None` where no strange name is near anything.
    pub fn hint(&self) -> Option<String> {
        let mut hint = String::from("did you mean ");
        for (at, column) in self.columns.iter().take(HINTED_COLUMNS_MAX).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let _ = write!(hint, "{comma}{} for {}", column.ours, named(&column.theirs));
        }
        hint.push('?');
        (!self.columns.is_empty()).then_some(hint)
    }
}

/// Every strange name that is near a column that is wanted.
fn pairs(names: &[&String], wanted: &[&Input]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (strange, name) in names.iter().enumerate() {
        for (nearness, ours) in column_names::guesses(name) {
            let lacking = wanted.iter().position(|column| column.name == ours);
            pairs.extend(lacking.map(|lacking| Pair { lacking, strange, nearness }));
        }
    }
    pairs
}

/// A strange name for as many columns as possible, each once: required columns choose first, the surest pair goes first,
/// and of equally sure ones the name that could mean the fewest.
fn assign(pairs: &[Pair], wanted: &[&Input]) -> Vec<Pair> {
    let meanings = |name: usize| pairs.iter().filter(|pair| pair.strange == name).count();
    let mut order = pairs.to_vec();
    order.sort_by_key(|pair| {
        (!wanted[pair.lacking].required, pair.nearness, meanings(pair.strange), pair.strange, pair.lacking)
    });
    let mut taken: Vec<Pair> = Vec::new();
    for pair in order {
        if taken.iter().all(|other| other.lacking != pair.lacking && other.strange != pair.strange) {
            taken.push(pair);
        }
    }
    taken
}

/// The first few names that may mean a column as well, the surest first.
fn others(pairs: &[Pair], names: &[&String], lacking: usize, counts: impl Fn(&Pair) -> bool) -> Vec<String> {
    let mut others: Vec<&Pair> =
        pairs.iter().filter(|pair| pair.lacking == lacking && counts(pair)).collect();
    others.sort_by_key(|pair| (pair.nearness, pair.strange));
    others.into_iter().take(ALTERNATIVES_MAX).map(|pair| names[pair.strange].clone()).collect()
}

/// A name as a sentence shows it: in quotes where it is more than a word.
fn named(name: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if !name.is_empty() && name.chars().all(is_word) { name.to_owned() } else { format!("{name:?}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ingest::mapping::InputTable;

    /// What a file with this header lacks of some tables, and the proposal for it.
    fn propose(header: &str, tables: &[InputTable]) -> Proposal {
        let header: Vec<String> = header.split('|').map(str::to_owned).collect();
        let is_there = |name: &str| header.iter().any(|strange| strange == name);
        let columns = tables.iter().flat_map(|table| table.columns()).copied();
        let lacking: Vec<Input> = columns.filter(|column| !is_there(column.name)).collect();
        let ours = |name: &String| column_names::columns().any(|column| column.name == *name);
        let strange: Vec<String> = header.iter().filter(|name| !ours(name)).cloned().collect();
        Proposal::new(&strange, &lacking)
    }

    fn pairs_of(proposal: &Proposal) -> String {
        let pairs: Vec<_> =
            proposal.columns.iter().map(|column| format!("{}={}", column.ours, column.theirs)).collect();
        pairs.join("|")
    }

    fn missing_of(proposal: &Proposal) -> Vec<&'static str> {
        proposal.missing.iter().map(|column| column.ours).collect()
    }

    #[test]
    fn exports_are_understood() {
        use InputTable::{Listings, Observations};
        let shopify = "Handle|Title|Body (HTML)|Vendor|Product Category|Tags|Variant SKU|Variant Grams|Variant Price|\
                       Variant Compare At Price|Variant Barcode|Image Src";
        let proposal = propose(shopify, &[Listings, Observations]);
        assert_eq!(
            pairs_of(&proposal),
            "platform=Vendor|product_id=Variant SKU|product_name=Title|price=Variant Price|gtin=Variant Barcode|\
             category_path=Product Category|list_price=Variant Compare At Price"
        );
        assert_eq!(missing_of(&proposal), ["country", "date"]);
        assert_eq!(
            (&proposal.columns[0].instead[..], &proposal.columns[1].or[..]),
            (&["brand"][..], &["Handle".to_owned()][..])
        );

        let amazon = "asin|title|brand|Categories|stars|reviewsCount|productURL|isBestSeller";
        assert_eq!(
            pairs_of(&propose(amazon, &[Listings])),
            "product_id=asin|product_name=title|category_path=Categories|rating=stars|review_count=reviewsCount|\
             url=productURL"
        );
        let french = "Magasin|Code produit|Pays|Date de relevé|Prix|Prix régulier|Disponibilité|Devise";
        let proposal = propose(french, &[Observations]);
        assert_eq!(
            pairs_of(&proposal),
            "country=Pays|platform=Magasin|product_id=Code produit|date=Date de relevé|price=Prix|\
             list_price=Prix régulier|in_stock=Disponibilité|currency=Devise"
        );
        assert!(proposal.missing.is_empty() && proposal.columns.iter().all(|column| column.or.is_empty()));
    }

    #[test]
    fn equally_good_names_are_seen() {
        let proposal = propose("Title|Name|country|platform|product_id", &[InputTable::Listings]);
        assert_eq!(pairs_of(&proposal), "product_name=Title");
        assert_eq!(proposal.columns[0].or, ["Name"]);
        // What means one thing only goes first, and leaves the other name to the other column.
        let proposal = propose("Item|Title|country|platform", &[InputTable::Listings]);
        assert_eq!(pairs_of(&proposal), "product_id=Item|product_name=Title");
        assert_eq!(proposal.columns[1].or, ["Item"]);
    }

    #[test]
    fn required_columns_come_first() {
        let proposal = propose("UPC|name|country|platform", &[InputTable::Listings]);
        assert_eq!(pairs_of(&proposal), "product_id=UPC|product_name=name");
        assert_eq!(proposal.columns[0].instead, ["gtin"]);
        assert_eq!(
            pairs_of(&propose("UPC|SKU|name", &[InputTable::Listings])),
            "product_id=SKU|product_name=name|gtin=UPC"
        );
    }

    #[test]
    fn lists_missing_columns_with_candidates() {
        let proposal = propose("Item|store|price|day", &[InputTable::Listings, InputTable::Observations]);
        assert_eq!(pairs_of(&proposal), "platform=store|product_name=Item|date=day");
        assert_eq!(missing_of(&proposal), ["country", "product_id"]);
        assert_eq!(
            (proposal.missing[0].example, proposal.missing[1].or.as_slice()),
            ("us", &["Item".to_owned()][..])
        );
    }

    #[test]
    fn hints_are_one_line() {
        let hint = propose("Retailer|Product Title|country|product_id", &[InputTable::Listings]).hint();
        assert_eq!(
            hint.as_deref(),
            Some("did you mean platform for Retailer, product_name for \"Product Title\"?")
        );
        assert_eq!(propose("color", &[InputTable::Listings]).hint(), None);
        assert!(Proposal::new(&[], &[]).is_empty());
    }

    proptest! {
        #[test]
        fn each_strange_name_is_used_once(
            header in prop::collection::vec(
                prop::sample::select(vec!["Item", "Title", "SKU", "UPC", "Store", "Vendor", "Cost", "Day", "x", "product"]), 0..12)
        ) {
            let strange: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
            let lacking: Vec<Input> = InputTable::ALL.iter().flat_map(|table| table.columns()).copied().collect();
            let proposal = Proposal::new(&strange, &lacking);
            let mut theirs: Vec<_> = proposal.columns.iter().map(|column| &column.theirs).collect();
            theirs.sort();
            prop_assert!(theirs.windows(2).all(|pair| pair[0] != pair[1]));
            let named = proposal.columns.iter().map(|column| column.ours).chain(missing_of(&proposal));
            for required in lacking.iter().filter(|column| column.required) {
                prop_assert_eq!(named.clone().filter(|ours| *ours == required.name).count(), 1);
            }
        }
    }
}
