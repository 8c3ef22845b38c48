//! The lexicon: words of product names and their meanings, as rows of data.
//!
//! `lang/data/lexicon.tsv` contains one form per row: its kind, its canonical word, its language, the form, a value and a
//! note. Forms with the same kind and canonical word have the same meaning. The comments at the head of the file define
//! the kinds.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::text::{fold_term, folded};
use super::units::{Unit, Units};

const OTHER_VALUE: &str = "another row of the meaning has another value";

/// The shipped rows, with the definitions of the kinds.
const ROWS: &str = include_str!("data/lexicon.tsv");

static SHIPPED: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::parse(ROWS).expect("a test parses the shipped lexicon"));

macro_rules! kinds {
    ($($kind:ident => $word:literal),+ $(,)?) => {
        /// The kind of a form; `lexicon.tsv` defines each kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Kind { $($kind),+ }

        impl Kind {
            const ALL: &'static [Self] = &[$(Self::$kind),+];

            const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $word),+ }
            }
        }
    };
}

kinds! {
    Accessory => "accessory",
    AccessoryHead => "accessory_head",
    Aside => "aside",
    Ask => "ask",
    Attribute => "attribute",
    BeforeIn => "before_in",
    BehindIn => "behind_in",
    Brand => "brand",
    Code => "code",
    Colour => "colour",
    Container => "container",
    Currency => "currency",
    Empty => "empty",
    Flavour => "flavour",
    FreeName => "free_name",
    FrenchHead => "french_head",
    GroupHead => "group_head",
    Joining => "joining",
    Measure => "measure",
    Neutral => "neutral",
    NoSeries => "no_series",
    NoType => "no_type",
    Number => "number",
    Nutrient => "nutrient",
    Of => "of",
    PluralHead => "plural_head",
    Preposition => "preposition",
    PrivateLabel => "private_label",
    Qualifier => "qualifier",
    Set => "set",
    Synonym => "synonym",
    Time => "time",
    Type => "type",
    Unit => "unit",
    Variant => "variant",
    Variety => "variety",
    Wearer => "wearer",
}

impl Kind {
    /// Whether the forms are single words that are compared with the folded terms of a name. Forms of other kinds are
    /// phrases, and folded where they are sought.
    const fn is_folded(self) -> bool {
        matches!(
            self,
            Self::AccessoryHead
                | Self::Ask
                | Self::Container
                | Self::Empty
                | Self::FreeName
                | Self::FrenchHead
                | Self::GroupHead
                | Self::Qualifier
                | Self::Variety
        )
    }
}

/// The kinds and their definitions, from the head of the shipped rows.
pub fn definitions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let head = ROWS.lines().map_while(|line| line.strip_prefix('#'));
    head.filter_map(|line| line.strip_prefix(' ')?.split_once(": ")).filter(|(kind, _)| !kind.contains(' '))
}

/// The kinds of variants.
pub(crate) const VARIANTS: [Kind; 5] =
    [Kind::Variant, Kind::Colour, Kind::Flavour, Kind::Wearer, Kind::Accessory];
/// Most meanings of these kinds together.
const VARIANTS_MAX: usize = 127;
/// Most synonyms.
pub(crate) const SYNONYMS_MAX: usize = 512;
/// Most groups of synonyms.
pub(crate) const SYNONYM_GROUPS_MAX: usize = 128;
/// Most types.
pub(crate) const TYPES_MAX: usize = 192;

/// A meaning and the forms that express it.
#[derive(Debug)]
pub(crate) struct Meaning {
    pub(crate) canonical: Box<str>,
    pub(crate) forms: Vec<Box<str>>,
    /// What the kind needs beside the forms; empty for most kinds.
    pub(crate) value: Box<str>,
}

impl Meaning {
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(AsRef::as_ref)
    }
}

/// The meanings of a kind, in the order of their canonical words; rows are added in this order.
#[derive(Debug, Default)]
struct Meanings {
    all: Vec<Meaning>,
    /// Positions in `all` by form, folded if the kind is.
    by_form: HashMap<Box<str>, usize>,
}

/// Forms and their meanings, by kind.
#[derive(Debug)]
pub struct Lexicon {
    /// The rows, sorted by their first four columns.
    text: String,
    kinds: Vec<Meanings>,
    /// Units of the kinds `unit` and `measure`.
    pub(crate) units: Units,
    /// Units of the numbers behind a word, of the kind `attribute`.
    pub(crate) attributes: Units,
}

/// A row of a lexicon and its line.
struct Row<'a> {
    /// 0 for a shipped row that a file is added to.
    line: usize,
    kind: Kind,
    /// Kind, canonical word, language, form, value and note.
    columns: [&'a str; 6],
}

impl Lexicon {
    /// The lexicon that is part of the program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads the text of a lexicon.
    ///
    /// # Errors
    /// Returns an error that names the line if a row does not have four to six columns, names an unknown kind or language, or
    /// repeats a form of its kind, or if a value is wrong or differs from that of another row of the meaning.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::of(rows(text)?)
    }

    /// The shipped lexicon with further rows. A row replaces the shipped row of its kind and form. The value may be empty
    /// if the meaning is shipped.
    ///
    /// # Errors
    /// As for [`Lexicon::parse`].
    pub fn extended(text: &str) -> Result<Self, String> {
        let shipped = Self::shipped();
        let mut all = rows(text)?;
        for row in &mut all {
            let canonical = row.columns[1];
            let Some(meaning) =
                shipped.meanings(row.kind).iter().find(|meaning| &*meaning.canonical == canonical)
            else {
                continue;
            };
            if row.columns[4].is_empty() {
                row.columns[4] = &meaning.value;
            } else if row.columns[4] != &*meaning.value {
                return Err(row.fault(OTHER_VALUE));
            }
        }
        let new: HashSet<(Kind, &str)> = all.iter().map(|row| (row.kind, row.columns[3])).collect();
        let kept = rows(&shipped.text)?.into_iter().filter(|row| !new.contains(&(row.kind, row.columns[3])));
        all.extend(kept.map(|row| Row { line: 0, ..row }));
        Self::of(all)
    }

    fn of(mut rows: Vec<Row<'_>>) -> Result<Self, String> {
        rows.sort_by_key(|row| row.columns);
        let mut lexicon = Self {
            text: rows.iter().flat_map(|row| [&row.columns.join("\t"), "\n"].map(str::to_owned)).collect(),
            kinds: Kind::ALL.iter().map(|_| Meanings::default()).collect(),
            units: Units::default(),
            attributes: Units::default(),
        };
        for row in &rows {
            lexicon.add(row).map_err(|fault| {
                // Of two rows that collide, the later one is named, which is not a shipped one.
                let form = fold_term(row.columns[3]);
                let same = rows.iter().filter(|other| fold_term(other.columns[3]) == form);
                same.max_by_key(|other| other.line).unwrap_or(row).fault(fault)
            })?;
        }
        lexicon.check_limits().map(|()| lexicon)
    }

    /// Checks the numbers of meanings, which names are compared by as bits.
    fn check_limits(&self) -> Result<(), String> {
        let count = |kinds: &[Kind]| kinds.iter().map(|kind| self.meanings(*kind).len()).sum::<usize>();
        for (what, count, most) in [
            ("synonyms", count(&[Kind::Synonym]), SYNONYMS_MAX),
            ("groups of synonyms", self.synonym_groups().len(), SYNONYM_GROUPS_MAX),
            ("types", count(&[Kind::Type]), TYPES_MAX),
            ("variants, colours, flavours, wearers and accessories", count(&VARIANTS), VARIANTS_MAX),
        ] {
            if count > most {
                return Err(format!("lexicon: {count} {what}, at most {most}"));
            }
        }
        Ok(())
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), &'static str> {
        let Row { kind, columns: [_, canonical, _, form, value, _], .. } = *row;
        let plain: String = folded(form).collect();
        if plain != form || form.trim() != form {
            return Err("the form is not in lower case without diacritics, or has a blank at an end");
        }
        match kind {
            Kind::Synonym | Kind::PrivateLabel | Kind::Set if value.is_empty() => {
                return Err("the kind requires a value");
            }
            Kind::Code | Kind::Set if !value.is_empty() && value.parse::<u32>().is_err() => {
                return Err("the value is not a number");
            }
            _ => {}
        }
        self.kinds[kind as usize].add(canonical, form, value, kind.is_folded())?;
        let units = match kind {
            Kind::Unit | Kind::Measure => &mut self.units,
            Kind::Attribute => &mut self.attributes,
            _ => return Ok(()),
        };
        let unit = Unit::read(canonical, value)
            .ok_or("the value is not a dimension and a size, or not that of the unit of packs")?;
        units.add(form, unit).then_some(()).ok_or("another unit has the form")
    }

    /// The rows, sorted by their first four columns.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the groups of synonyms, sorted, each once.
    pub(crate) fn synonym_groups(&self) -> Vec<&str> {
        let values = self.meanings(Kind::Synonym).iter().map(|meaning| &meaning.value);
        let mut names: Vec<&str> = values.flat_map(|value| value.split(' ')).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The meanings of a kind.
    pub(crate) fn meanings(&self, kind: Kind) -> &[Meaning] {
        &self.kinds[kind as usize].all
    }

    /// Whether a form has a meaning of a kind. `form` is folded if the kind is.
    pub(crate) fn has(&self, kind: Kind, form: &str) -> bool {
        self.kinds[kind as usize].by_form.contains_key(form)
    }

    /// Other forms of a property.
    pub(crate) fn other_forms<'a>(&'a self, form: &'a str) -> impl Iterator<Item = &'a str> {
        let kinds = [Kind::Synonym, Kind::Variant, Kind::Colour, Kind::Flavour];
        let meanings = kinds.into_iter().filter_map(move |kind| self.meaning(kind, form));
        meanings.flat_map(Meaning::forms).filter(move |other| *other != form)
    }

    /// Whether a word states a property of a product.
    pub(crate) fn is_property(&self, form: &str) -> bool {
        let kinds =
            [Kind::Synonym, Kind::Variant, Kind::Colour, Kind::Flavour, Kind::Variety, Kind::Qualifier];
        kinds.iter().any(|kind| self.has(*kind, form))
    }

    fn meaning(&self, kind: Kind, form: &str) -> Option<&Meaning> {
        let of_kind = &self.kinds[kind as usize];
        of_kind.by_form.get(form).map(|&at| &of_kind.all[at])
    }

    /// The canonical word of a form of a kind.
    pub(crate) fn canonical(&self, kind: Kind, form: &str) -> Option<&str> {
        self.meaning(kind, form).map(|meaning| &*meaning.canonical)
    }

    /// The value of a form of a kind.
    pub(crate) fn value(&self, kind: Kind, form: &str) -> Option<&str> {
        self.meaning(kind, form).map(|meaning| &*meaning.value)
    }
}

impl PartialEq for Lexicon {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Row<'_> {
    fn fault(&self, fault: &str) -> String {
        fault_of(self.line, fault, &self.columns.join("\t"))
    }
}

fn fault_of(line: usize, fault: &str, row: &str) -> String {
    format!("lexicon line {line}: {fault}: {row}")
}

/// The rows of a text.
fn rows(text: &str) -> Result<Vec<Row<'_>>, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| row(number, line)).collect()
}

/// A row. Empty columns at its end may be left out.
fn row(line: usize, text: &str) -> Result<Row<'_>, String> {
    let fault = |fault: &str| Err(fault_of(line, fault, text));
    let mut columns = [""; 6];
    let count = text.split('\t').count();
    if !(4..=columns.len()).contains(&count) {
        return fault(&format!("{count} columns, expected 4 to 6"));
    }
    columns.iter_mut().zip(text.split('\t')).for_each(|(column, value)| *column = value);
    let [kind, canonical, language, form, ..] = columns;
    let Some(&kind) = Kind::ALL.iter().find(|known| known.as_str() == kind) else {
        return fault("the kind is not known");
    };
    let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    if language != "*" && !is_code {
        return fault("the language is not * or a code of two letters");
    }
    if canonical.is_empty() || form.is_empty() {
        return fault("the canonical word or the form is empty");
    }
    Ok(Row { line, kind, columns })
}

impl Meanings {
    fn add(&mut self, canonical: &str, form: &str, value: &str, is_folded: bool) -> Result<(), &'static str> {
        if self.all.last().is_none_or(|last| &*last.canonical != canonical) {
            self.all.push(Meaning { canonical: canonical.into(), forms: Vec::new(), value: value.into() });
        }
        let at = self.all.len() - 1;
        let meaning = &mut self.all[at];
        if &*meaning.value != value {
            return Err(OTHER_VALUE);
        }
        meaning.forms.push(form.into());
        let key = if is_folded { fold_term(form).into() } else { form.into() };
        match self.by_form.insert(key, at) {
            None => Ok(()),
            Some(_) => Err("another row of the kind has the form"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::lang::part_numbers::said;

    /// Kinds whose forms are found in the terms of names. The kinds of a row are sought together: none of them has a form
    /// of another one.
    const IN_NAMES: [&[Kind]; 3] = [
        &[Kind::Accessory, Kind::Colour, Kind::Flavour, Kind::Neutral, Kind::Variant, Kind::Wearer],
        &[Kind::NoType, Kind::Type],
        &[Kind::Synonym],
    ];

    #[test]
    fn every_kind_has_rows_and_a_definition() {
        assert!(Kind::ALL.iter().all(|kind| !Lexicon::shipped().meanings(*kind).is_empty()));
        let kinds = Kind::ALL.iter().map(|kind| kind.as_str());
        assert!(
            definitions().map(|(kind, _)| kind).eq(kinds),
            "the definitions are in the order of the kinds"
        );
    }

    #[test]
    fn forms_are_terms_of_names_and_occur_once() {
        for form in Lexicon::shipped().meanings(Kind::PrivateLabel).iter().flat_map(|meaning| &meaning.forms)
        {
            assert_eq!(said(Lexicon::shipped(), form).written.join(" "), form.replace('\'', ""));
        }
        for kinds in IN_NAMES {
            let mut all = HashSet::new();
            let meanings = kinds.iter().flat_map(|kind| Lexicon::shipped().meanings(*kind));
            for form in meanings.flat_map(|meaning| &meaning.forms) {
                assert_eq!(
                    said(Lexicon::shipped(), form).written.join(" "),
                    form.replace('\'', ""),
                    "{kinds:?}"
                );
                assert!(
                    all.insert(said(Lexicon::shipped(), form).folded),
                    "{kinds:?} have {form} twice, folded"
                );
            }
        }
    }

    #[test]
    fn the_shipped_rows_are_sorted() {
        let rows = ROWS.lines().filter(|line| !line.starts_with('#'));
        assert!(rows.eq(Lexicon::shipped().text().lines()));
    }

    #[test]
    fn rejects_rows_that_are_wrong() {
        let good = "colour\tred\ten\tred\t\t\n";
        for (row, fault) in [
            ("colour\tred\ten", "3 columns"),
            ("shade\tred\ten\tscarlet\t\t", "kind"),
            ("colour\tred\teng\trot\t\t", "language"),
            ("colour\tred\ten\t\t\t", "empty"),
            ("colour\tred\tfr\trouge\tx\t", "another value"),
            ("colour\tred\tfr\tred\t\t", "has the form"),
            ("unit\tg\tfr\tgramme\tmass much\t", "dimension"),
            ("measure\tkg\tes\tarroba\tmass 11500\t", "dimension"),
            ("colour\tred\tfr\tRouge\t\t", "lower case"),
            ("colour\tred\tfr\trouge \t\t", "blank"),
            ("synonym\tx\ten\tx", "requires a value"),
            ("code\tddr\t*\tddr\tnine", "not a number"),
        ] {
            let said = Lexicon::parse(&format!("{good}{row}")).unwrap_err();
            assert!(said.starts_with("lexicon line 2: ") && said.contains(fault), "{said}");
        }
        let lexicon = Lexicon::parse(&format!("# comment\n\n{good}colour\tred\tfr\trouge\t\t")).unwrap();
        assert_eq!(lexicon.canonical(Kind::Colour, "rouge"), Some("red"));
        assert!(lexicon.has(Kind::Colour, "red") && !lexicon.has(Kind::Flavour, "red"));
    }

    #[test]
    fn further_rows_join_shipped_meanings_and_replace_shipped_rows() {
        let lexicon =
            Lexicon::extended("unit\tkg\the\t\u{5e7}\"\u{5d2}\t\t\ncolour\tpink\ten\trouge\t\t").unwrap();
        assert_eq!(lexicon.units.get("\u{5e7}\"\u{5d2}"), lexicon.units.get("kg"));
        assert_eq!(lexicon.canonical(Kind::Colour, "rouge"), Some("pink"));
        assert_eq!(Lexicon::parse(lexicon.text()).unwrap().text(), lexicon.text());
        assert_eq!(Lexicon::extended("# none").unwrap().text(), Lexicon::shipped().text());
        let fault = Lexicon::extended("unit\tkg\the\tx\tmass 2\t").unwrap_err();
        assert!(fault.starts_with("lexicon line 1: another row"), "{fault}");
        for row in ["measure\tinch\tes\tpo\tinch 1", "container\tbags\ten\tbags", "unit\tct\ten\tunits"] {
            let fault = Lexicon::extended(row).unwrap_err();
            assert!(fault.starts_with("lexicon line 1: another"), "{fault}");
        }
    }
}
