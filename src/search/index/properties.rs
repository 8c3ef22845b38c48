//! The forms of properties in the lexicon, as terms of the index.
//!
//! They are computed by the first query that is not a title.

use std::collections::HashMap;
use std::sync::Arc;

use super::TextIndex;
use crate::lang::lexicon::{Kind, Lexicon, Meaning};
use crate::lang::text::terms::label_terms;

/// The terms of a form, of which a listing contains all.
pub type Form = Arc<[u32]>;

/// The forms that listings contain.
pub(super) struct PropertyForms {
    /// The forms of each synonym, and the positions of the other synonyms of its groups.
    synonyms: Vec<(Vec<Form>, Vec<usize>)>,
    /// The position of a synonym in `synonyms`, by the folded words of each of its forms.
    by_words: HashMap<String, usize>,
    /// The phrases of the kind `no_type` that contain a term, by this term: "almond milk" by "milk".
    other_products: HashMap<u32, Vec<Form>>,
}

impl PropertyForms {
    fn of(lexicon: &Lexicon, index: &TextIndex) -> Self {
        let form = |text: &str| -> Option<Form> {
            let terms = label_terms(lexicon, text);
            let numbers: Form = terms.iter().map(|term| index.look_up(term)).collect::<Option<_>>()?;
            Some(numbers).filter(|form| !form.is_empty())
        };
        let all = lexicon.meanings(Kind::Synonym);
        let synonyms = all.iter().enumerate().map(|(at, own)| {
            let shares =
                |other: &str| own.value.split(' ').any(|group| other.split(' ').any(|of| of == group));
            let others = (0..all.len()).filter(|&other| other != at && shares(&all[other].value));
            (own.forms().filter_map(form).collect(), others.collect())
        });
        let mut by_words = HashMap::new();
        for (at, own) in all.iter().enumerate() {
            for form in own.forms() {
                by_words.entry(label_terms(lexicon, form).join(" ")).or_insert(at);
            }
        }
        let mut other_products: HashMap<u32, Vec<Form>> = HashMap::new();
        for phrase in lexicon.meanings(Kind::NoType).iter().flat_map(Meaning::forms) {
            let Some(form) = form(phrase).filter(|form| form.len() > 1) else { continue };
            for &term in &*form {
                other_products.entry(term).or_default().push(Arc::clone(&form));
            }
        }
        Self { synonyms: synonyms.collect(), by_words, other_products }
    }
}

impl TextIndex {
    fn property_forms(&self) -> &PropertyForms {
        self.property_forms.get_or_init(|| PropertyForms::of(&self.lexicon, self))
    }

    /// The forms of the synonym that folded words state, and the forms of the other synonyms of its groups. `None` if the
    /// words state no synonym.
    pub fn alternatives(&self, words: &str) -> Option<(Vec<Form>, Vec<Form>)> {
        let PropertyForms { synonyms, by_words, .. } = self.property_forms();
        let (own, others) = &synonyms[*by_words.get(words)?];
        Some((own.clone(), others.iter().flat_map(|&other| synonyms[other].0.iter().cloned()).collect()))
    }

    /// The phrases of the kind `no_type` that contain a term.
    pub fn other_products(&self, term: u32) -> &[Form] {
        self.property_forms().other_products.get(&term).map_or(&[], Vec::as_slice)
    }
}
