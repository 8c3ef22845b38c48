//! The lexicon: words of product names and their meanings, as rows of data.
//!
//! `lang/data/lexicon.tsv` contains one form per row: its kind, its canonical word, its language, the form, a value and a
//! note. Forms with the same kind and canonical word have the same meaning. The comments at the head of the file define
//! the kinds.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::text::fold_term;

static SHIPPED: LazyLock<Lexicon> = LazyLock::new(|| {
    Lexicon::parse(include_str!("data/lexicon.tsv")).expect("a test parses the shipped lexicon")
});

/// Languages of forms; `*` is any language.
const LANGUAGES: [&str; 3] = ["*", "en", "fr"];

/// The shipped lexicon.
pub(crate) fn lexicon() -> &'static Lexicon {
    &SHIPPED
}

macro_rules! kinds {
    ($($kind:ident => $word:literal),+ $(,)?) => {
        /// The kind of a form; `lexicon.tsv` defines each kind.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    Brand => "brand",
    Colour => "colour",
    Container => "container",
    Flavour => "flavour",
    FrenchHead => "french_head",
    GroupHead => "group_head",
    Measure => "measure",
    Neutral => "neutral",
    NoType => "no_type",
    Number => "number",
    PackUnit => "pack_unit",
    PluralHead => "plural_head",
    PrivateLabel => "private_label",
    Qualifier => "qualifier",
    Synonym => "synonym",
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
                | Self::Container
                | Self::FrenchHead
                | Self::GroupHead
                | Self::Qualifier
                | Self::Variety
        )
    }
}

/// A meaning and the forms that express it.
#[derive(Debug)]
pub(crate) struct Meaning {
    pub(crate) canonical: Box<str>,
    pub(crate) forms: Vec<Box<str>>,
    /// What the kind needs beside the forms; empty for most kinds.
    pub(crate) value: Box<str>,
}

/// The meanings of a kind, in the order of their canonical words.
#[derive(Debug, Default)]
struct Meanings {
    all: Vec<Meaning>,
    /// Positions in `all` by form, folded if the kind is.
    by_form: HashMap<Box<str>, usize>,
}

/// Forms and their meanings, by kind.
#[derive(Debug)]
pub(crate) struct Lexicon(Vec<Meanings>);

impl Lexicon {
    /// Reads the text of a lexicon.
    ///
    /// # Errors
    /// Returns an error that names the line if a row does not have six columns, names an unknown kind or language, is out
    /// of order, or repeats a form of its kind, or if the values of a meaning differ.
    fn parse(text: &str) -> Result<Self, String> {
        let mut lexicon = Self(Kind::ALL.iter().map(|_| Meanings::default()).collect());
        let mut last: [&str; 4] = [""; 4];
        let rows = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        for (number, line) in rows {
            let fault = |fault: &str| Err(format!("lexicon line {number}: {fault}: {line}"));
            let columns: Vec<&str> = line.split('\t').collect();
            let [kind, canonical, language, form, value, _note] = columns[..] else {
                return fault(&format!("{} columns, expected 6", columns.len()));
            };
            let order = [kind, canonical, language, form];
            let Some(kind) = Kind::ALL.iter().find(|known| known.as_str() == kind) else {
                return fault("the kind is not known");
            };
            if !LANGUAGES.contains(&language) {
                return fault("the language is not known");
            }
            if canonical.is_empty() || form.is_empty() || order <= last {
                return fault("the row is empty or out of order");
            }
            last = order;
            if let Err(text) = lexicon.0[*kind as usize].add(canonical, form, value, kind.is_folded()) {
                return fault(text);
            }
        }
        Ok(lexicon)
    }

    /// The meanings of a kind.
    pub(crate) fn meanings(&self, kind: Kind) -> &[Meaning] {
        &self.0[kind as usize].all
    }

    /// Whether a form has a meaning of a kind. `form` is folded if the kind is.
    pub(crate) fn has(&self, kind: Kind, form: &str) -> bool {
        self.0[kind as usize].by_form.contains_key(form)
    }

    /// The canonical word of a form of a kind.
    pub(crate) fn canonical(&self, kind: Kind, form: &str) -> Option<&str> {
        let meanings = &self.0[kind as usize];
        meanings.by_form.get(form).map(|&at| &*meanings.all[at].canonical)
    }
}

impl Meanings {
    fn add(&mut self, canonical: &str, form: &str, value: &str, is_folded: bool) -> Result<(), &'static str> {
        if self.all.last().is_none_or(|last| &*last.canonical != canonical) {
            self.all.push(Meaning { canonical: canonical.into(), forms: Vec::new(), value: value.into() });
        }
        let at = self.all.len() - 1;
        let meaning = &mut self.all[at];
        if &*meaning.value != value {
            return Err("another row of the meaning has another value");
        }
        meaning.forms.push(form.into());
        let key = if is_folded { fold_term(form).into() } else { form.into() };
        match self.by_form.insert(key, at) {
            None => Ok(()),
            Some(_) => Err("an earlier row of the kind has the form"),
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
    fn every_kind_has_rows_and_is_defined_at_the_head_of_the_file() {
        let head: Vec<&str> =
            include_str!("data/lexicon.tsv").lines().take_while(|line| line.starts_with('#')).collect();
        for kind in Kind::ALL {
            assert!(!lexicon().meanings(*kind).is_empty(), "{kind:?}");
            let definition = format!("# {}: ", kind.as_str());
            assert_eq!(head.iter().filter(|line| line.starts_with(&definition)).count(), 1, "{kind:?}");
        }
    }

    #[test]
    fn forms_are_terms_of_names_and_occur_once() {
        for form in lexicon().meanings(Kind::PrivateLabel).iter().flat_map(|meaning| &meaning.forms) {
            assert_eq!(said(form).written.join(" "), form.replace('\'', ""));
        }
        for kinds in IN_NAMES {
            let mut all = HashSet::new();
            let meanings = kinds.iter().flat_map(|kind| lexicon().meanings(*kind));
            for form in meanings.flat_map(|meaning| &meaning.forms) {
                assert_eq!(said(form).written.join(" "), form.replace('\'', ""), "{kinds:?}");
                assert!(all.insert(said(form).folded), "{kinds:?} have {form} twice, folded");
            }
        }
    }

    #[test]
    fn rejects_rows_that_are_wrong() {
        let good = "colour\tred\ten\tred\t\t\n";
        for (row, fault) in [
            ("colour\tred\ten\tred\t", "5 columns"),
            ("shade\tred\ten\tscarlet\t\t", "kind"),
            ("colour\tred\tde\trot\t\t", "language"),
            ("colour\tblue\ten\tblue\t\t", "out of order"),
            ("colour\tred\tfr\trouge\tx\t", "another value"),
            ("colour\tred\tfr\tred\t\t", "has the form"),
        ] {
            let said = Lexicon::parse(&format!("{good}{row}")).unwrap_err();
            assert!(said.starts_with("lexicon line 2: ") && said.contains(fault), "{said}");
        }
        let lexicon = Lexicon::parse(&format!("# comment\n\n{good}colour\tred\tfr\trouge\t\t")).unwrap();
        assert_eq!(lexicon.canonical(Kind::Colour, "rouge"), Some("red"));
        assert!(lexicon.has(Kind::Colour, "red") && !lexicon.has(Kind::Flavour, "red"));
    }
}
