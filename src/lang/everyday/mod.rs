//! Everyday names of shelves: what people call them, and the words by which shops do.
//!
//! One table, `lang/data/everyday.txt`, English and French: a phrase stands for patterns, and a pattern is a set of words
//! that a category path holds. Origins and colours are no rows but rules: "french wine" is "wine" with one word more
//! in each of its patterns. How patterns meet category trees is in [`segments`].

pub mod segments;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::lexicon::Lexicon;
use super::text::terms::label_terms;

static TEXT: &str = include_str!("../data/everyday.txt");
static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(TEXT).expect("the shipped table is held to its form by its tests"));

/// Longest text that is looked up, in bytes: no phrase is half as long, and folding takes time.
const TEXT_BYTES_MAX: usize = 256;
/// Most words of a text that is looked up.
const WORDS_MAX: usize = 12;
/// Shortest beginning of a word in a pattern, in letters.
const BEGINNING_MIN: usize = 4;
/// Most words of an origin or a colour.
const MODIFIER_WORDS_MAX: usize = 2;
/// Words that no phrase needs, sorted. They are compared with their diacritics: "thé" is no article.
const IDLE_WORDS: [&str; 14] =
    ["a", "an", "de", "des", "du", "en", "la", "le", "les", "of", "the", "un", "une", "à"];

/// The shipped table.
pub fn table() -> &'static Table {
    &TABLE
}

/// Phrases and their patterns, and the words that may stand beside any phrase.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Entry>,
    /// The names of each thing.
    product_types: Vec<Vec<&'static str>>,
    /// Phrases by their folded words.
    by_phrase: HashMap<String, Phrase>,
    /// Phrases that are compared letter by letter.
    by_accents: HashMap<String, Phrase>,
    origins: HashMap<String, Vec<Pattern>>,
    colours: HashMap<String, Vec<Pattern>>,
    apart: Vec<PatternWord>,
    gear: Vec<PatternWord>,
    words: HashSet<String>,
}

/// Where a phrase stands.
#[derive(Debug, Clone, Copy)]
struct Phrase {
    row: usize,
    /// Which of the things it names.
    thing: usize,
}

/// Phrases for the things of one shelf, and what names it in category paths.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// As people write them.
    pub phrases: Vec<&'static str>,
    /// The surest first.
    pub patterns: Vec<Pattern>,
}

/// Words that a category path holds, in any order, and words that it does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    words: Vec<PatternWord>,
    without: Vec<PatternWord>,
}

/// A word of a pattern, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternWord {
    /// The word itself.
    Whole(String),
    /// Any word that begins so.
    Beginning(String),
}

impl Pattern {
    /// The pattern of these folded words and no others.
    pub fn of(words: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into_iter().map(PatternWord::Whole).collect(), without: Vec::new() }
    }

    /// The words that are held.
    pub fn words(&self) -> &[PatternWord] {
        &self.words
    }

    /// The words that are not.
    pub fn without(&self) -> &[PatternWord] {
        &self.without
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut pattern = Self::of([]);
        for word in text.split_whitespace() {
            let (word, into) = match word.strip_prefix('-') {
                Some(word) => (word, &mut pattern.without),
                None => (word, &mut pattern.words),
            };
            let parsed = PatternWord::parse(word)?;
            if parsed.is_empty() {
                return Err(format!("{word:?} says nothing in a pattern"));
            }
            for word in parsed {
                if into.contains(&word) {
                    return Err(format!("{text:?} has a word twice"));
                }
                into.push(word);
            }
        }
        if pattern.words.is_empty() { Err("a pattern has no word".to_owned()) } else { Ok(pattern) }
    }

    fn with(&self, more: &Self) -> Self {
        let both = |own: &[PatternWord], more: &[PatternWord]| {
            let new = more.iter().filter(|word| !own.contains(word));
            own.iter().chain(new).cloned().collect()
        };
        Self { words: both(&self.words, &more.words), without: both(&self.without, &more.without) }
    }
}

impl PatternWord {
    fn parse(text: &str) -> Result<Vec<Self>, String> {
        let Some(beginning) = text.strip_suffix('*') else {
            return Ok(bare_words(text).into_iter().map(Self::Whole).collect());
        };
        if beginning.len() < BEGINNING_MIN || !beginning.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err(format!("{text:?} must begin with {BEGINNING_MIN} letters or more, a to z"));
        }
        Ok(vec![Self::Beginning(beginning.to_owned())])
    }

    /// Whether a folded word is the one that is meant.
    pub fn is_met_by(&self, word: &str) -> bool {
        match self {
            Self::Whole(whole) => whole == word,
            Self::Beginning(beginning) => word.starts_with(beginning.as_str()),
        }
    }
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// Which line is wrong, and how.
    pub fn parse(text: &'static str) -> Result<Self, String> {
        let mut table = Self::default();
        let mut section = "";
        for (line, text) in (1..).zip(text.lines()) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let fault = |fault: String| format!("line {line}: {fault}");
            match text.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(name) => section = name,
                None => table.take(section, text).map_err(fault)?,
            }
        }
        Ok(table)
    }

    fn take(&mut self, section: &str, line: &'static str) -> Result<(), String> {
        if section == "apart" || section == "gear" {
            for word in line.split(',') {
                let word = PatternWord::parse(word.trim())?;
                if section == "gear" {
                    self.gear.extend(word.iter().cloned());
                }
                self.apart.extend(word);
            }
            return Ok(());
        }
        let (phrases, patterns) =
            line.split_once(": ").ok_or_else(|| "write `phrase, phrase: pattern | pattern`".to_owned())?;
        let patterns: Vec<Pattern> = patterns.split('|').map(Pattern::parse).collect::<Result<_, _>>()?;
        self.learn(patterns.iter().flat_map(Pattern::words));
        let mut written = Vec::new();
        for thing in phrases.split(';') {
            let names: Vec<&'static str> = thing.split(',').map(str::trim).collect();
            for name in &names {
                written.push(self.take_phrase(section, name, &patterns)?);
            }
            self.product_types.push(names.into_iter().map(|name| name.trim_start_matches('=')).collect());
        }
        if section == "phrases" {
            self.rows.push(Entry { phrases: written, patterns });
        }
        Ok(())
    }

    /// Takes a phrase of a section; gives it without its mark.
    fn take_phrase(
        &mut self,
        section: &str,
        phrase: &'static str,
        patterns: &[Pattern],
    ) -> Result<&'static str, String> {
        let (phrase, is_accented) = phrase.strip_prefix('=').map_or((phrase, false), |bare| (bare, true));
        let key = if is_accented {
            accented(phrase)
        } else {
            let words = bare_words(phrase);
            let key = words.join(" ");
            self.words.extend(words);
            key
        };
        let is_empty = key.is_empty();
        let at = Phrase { row: self.rows.len(), thing: self.product_types.len() };
        let is_new = match section {
            "origins" => self.origins.insert(key, patterns.to_vec()).is_none(),
            "colours" => self.colours.insert(key, patterns.to_vec()).is_none(),
            "phrases" if is_accented => self.by_accents.insert(key, at).is_none(),
            "phrases" => self.by_phrase.insert(key, at).is_none(),
            _ => return Err(format!("there is no section {section:?}")),
        };
        if !is_new || is_empty {
            return Err(format!("{phrase:?} says nothing, or the same as a phrase before it"));
        }
        Ok(phrase)
    }

    fn learn<'a>(&mut self, words: impl Iterator<Item = &'a PatternWord>) {
        for word in words {
            if let PatternWord::Whole(word) = word {
                self.words.insert(word.clone());
            }
        }
    }

    /// All rows, in the order of the table.
    pub fn rows(&self) -> &[Entry] {
        &self.rows
    }

    /// Whether a folded word stands in the table, but for phrases that are compared letter by letter.
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether folded words are a phrase of the table.
    pub fn is_phrase(&self, words: &str) -> bool {
        self.by_phrase.contains_key(words)
    }

    /// Whether folded words name a product only together. A phrase that may be found by its last word alone does not: a
    /// "wireless keyboard" is a keyboard.
    pub fn is_compound(&self, words: &str) -> bool {
        let Some((_, last)) = words.rsplit_once(' ') else { return false };
        let is_last = |pattern: &Pattern| match pattern.words() {
            [PatternWord::Whole(word)] => word == last && pattern.without().is_empty(),
            _ => false,
        };
        self.patterns_of(words).is_some_and(|patterns| !patterns.iter().any(is_last))
    }

    /// The patterns of a phrase, given by its folded words.
    pub fn patterns_of(&self, words: &str) -> Option<&[Pattern]> {
        self.by_phrase.get(words).map(|phrase| self.rows[phrase.row].patterns.as_slice())
    }

    /// The names of the thing that a phrase names, given by its folded words, with or without prepositions.
    pub fn names(&self, words: &str) -> impl Iterator<Item = &'static str> {
        let without_idle = || {
            let needed = words.split(' ').filter(|word| IDLE_WORDS.binary_search(word).is_err());
            self.by_phrase.get(&needed.collect::<Vec<_>>().join(" "))
        };
        self.names_of(self.by_phrase.get(words).or_else(without_idle))
    }

    fn names_of(&self, phrase: Option<&Phrase>) -> impl Iterator<Item = &'static str> {
        let names = phrase.map_or(&[][..], |phrase| &self.product_types[phrase.thing]);
        names.iter().copied()
    }

    /// All folded words of the table, in no order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether a word is a colour.
    pub fn is_colour(&self, word: &str) -> bool {
        self.colours.contains_key(&bare_words(word).join(" "))
    }

    /// Other names of the thing that a whole text names, in the order of the table; none whose words the text has too,
    /// for they say less.
    pub fn other_names(&self, text: &str) -> impl Iterator<Item = &'static str> {
        let own = bare_words(text);
        let phrase = (text.len() <= TEXT_BYTES_MAX && !is_path(text))
            .then(|| self.by_accents.get(&accented(text)).or_else(|| self.by_phrase.get(&own.join(" "))));
        self.names_of(phrase.flatten())
            .filter(move |name| bare_words(name).iter().any(|word| !own.contains(word)))
    }

    /// Words that set a shelf apart from the thing that its other words name, as "printer ink" is no printer.
    pub fn apart(&self) -> &[PatternWord] {
        &self.apart
    }

    /// Those of them that also set apart what a label lists beside: "laptop & tablet cases" holds no laptops.
    pub fn gear(&self) -> &[PatternWord] {
        &self.gear
    }

    /// What a whole text stands for, the surest first; `None` where it is no phrase, too long for one, or a path.
    pub fn patterns(&self, text: &str) -> Option<Cow<'_, [Pattern]>> {
        if text.len() > TEXT_BYTES_MAX || is_path(text) {
            return None;
        }
        let letters = accented(text);
        if self.by_accents.keys().any(|phrase| letters.contains(phrase.as_str())) {
            let words: Vec<String> = letters.split(' ').map(str::to_owned).collect();
            let found = self.modified(&words, &self.by_accents, |named| {
                label_terms(Lexicon::shipped(), &named).join(" ")
            });
            if found.is_some() {
                return found;
            }
        }
        let text = text.replace('&', " and ");
        // With its articles first: without its accent, "thé" looks like one.
        let of = |words: &[String]| self.modified(words, &self.by_phrase, |named| named);
        of(&label_terms(Lexicon::shipped(), &text)).or_else(|| of(&bare_words(&text)))
    }

    /// What words stand for by some of the phrases, with an origin and a colour beside them or without, which are found by
    /// the fold of their words.
    fn modified(
        &self,
        words: &[String],
        phrases: &HashMap<String, Phrase>,
        fold: fn(String) -> String,
    ) -> Option<Cow<'_, [Pattern]>> {
        if words.is_empty() || words.len() > WORDS_MAX {
            return None;
        }
        let row =
            |words: &[String]| phrases.get(&words.join(" ")).map(|of| self.rows[of.row].patterns.as_slice());
        if let Some(patterns) = row(words) {
            return Some(Cow::Borrowed(patterns));
        }
        let origins = modifiers(&self.origins, words, fold);
        for (rest, more) in origins.iter().chain(&modifiers(&self.colours, words, fold)) {
            if let Some(patterns) = row(rest) {
                return Some(Cow::Owned(combined(patterns, more)));
            }
        }
        origins.iter().find_map(|(rest, origin)| {
            modifiers(&self.colours, rest, fold).iter().find_map(|(rest, colour)| {
                let patterns = combined(row(rest)?, origin);
                Some(Cow::Owned(combined(&patterns, colour)))
            })
        })
    }
}

/// Where origins or colours stand among words: the other words, and what it adds to their patterns.
fn modifiers<'a>(
    table: &'a HashMap<String, Vec<Pattern>>,
    words: &[String],
    fold: fn(String) -> String,
) -> Vec<(Vec<String>, &'a [Pattern])> {
    let mut found = Vec::new();
    for from in 0..words.len() {
        for to in (from + 1..=words.len().min(from + MODIFIER_WORDS_MAX)).rev() {
            if let Some(patterns) = table.get(&fold(words[from..to].join(" "))) {
                let rest = words[..from].iter().chain(&words[to..]).cloned().collect();
                found.push((rest, patterns.as_slice()));
            }
        }
    }
    found
}

/// Each pattern with each of those that come to it.
fn combined(patterns: &[Pattern], more: &[Pattern]) -> Vec<Pattern> {
    patterns.iter().flat_map(|pattern| more.iter().map(|more| pattern.with(more))).collect()
}

/// Whether a text is written as a path.
pub fn is_path(text: &str) -> bool {
    text.contains(['>', '/'])
}

/// The folded words of a text without articles and the like.
fn bare_words(text: &str) -> Vec<String> {
    label_terms(Lexicon::shipped(), &bare(text))
}

/// The same with their diacritics and endings.
fn accented(text: &str) -> String {
    let bare = bare(text);
    let words = bare.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A text in lower case without articles and the like.
fn bare(text: &str) -> String {
    let text: String = text.nfc().flat_map(char::to_lowercase).collect();
    let mut bare = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (gap, tail) = rest.split_at(start);
        let end = tail.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(tail.len());
        bare.push_str(gap);
        // An elided article belongs to the word after it, which loses it when it is folded.
        if tail[end..].starts_with(['\'', '’']) || IDLE_WORDS.binary_search(&&tail[..end]).is_err() {
            bare.push_str(&tail[..end]);
        }
        rest = &tail[end..];
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests;
