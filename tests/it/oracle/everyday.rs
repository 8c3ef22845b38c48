//! Everyday names of shelves, by the law and from the shipped table, phrase by phrase and node by node.

use super::words;
use std::collections::BTreeMap;

pub const SHIPPED: &str = include_str!("../../../src/domain/everyday/table.txt");

/// A pattern's words; a beginning ends in `*`.
pub type Pattern = Vec<String>;

pub struct Table {
    phrases: BTreeMap<Vec<String>, Vec<Pattern>>,
    origins: BTreeMap<Vec<String>, Vec<Pattern>>,
    colours: BTreeMap<Vec<String>, Vec<Pattern>>,
    apart: Vec<String>,
}

impl Table {
    pub fn is_colour(&self, word: &str) -> bool {
        self.colours.contains_key(std::slice::from_ref(&word.to_string()))
    }
}

pub fn table() -> Table {
    let mut t = Table {
        phrases: BTreeMap::new(),
        origins: BTreeMap::new(),
        colours: BTreeMap::new(),
        apart: Vec::new(),
    };
    let mut section = "";
    for line in SHIPPED.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        if section == "[apart]" {
            t.apart.extend(line.split(',').flat_map(pattern));
            continue;
        }
        let (names, patterns) = line.split_once(':').expect("phrases: patterns");
        let patterns: Vec<Pattern> = patterns.split('|').map(pattern).collect();
        let into = match section {
            "[origins]" => &mut t.origins,
            "[colours]" => &mut t.colours,
            _ => &mut t.phrases,
        };
        for name in names.split(',') {
            into.insert(without_articles(name), patterns.clone());
        }
    }
    t
}

fn pattern(text: &str) -> Pattern {
    let mut out: Pattern = Vec::new();
    for word in text.split_whitespace() {
        let words = if word.ends_with('*') { vec![word.to_string()] } else { without_articles(word) };
        for w in words {
            if !out.contains(&w) {
                out.push(w);
            }
        }
    }
    out
}

/// Singular and plural in one form.
pub fn fold(term: &str) -> String {
    if term.chars().any(char::is_numeric) {
        return term.to_string();
    }
    let term = term.replace('œ', "oe").replace('æ', "ae").replace('ß', "ss");
    for (from, to) in [("lenses", "lens"), ("lens", "lens"), ("mice", "mouse"), ("knives", "knife")] {
        if term == from {
            return to.to_string();
        }
    }
    let mut letters: Vec<char> = term.chars().collect();
    let ends = |letters: &[char], end: &str| letters.iter().collect::<String>().ends_with(end);
    if letters.len() < 4 {
        return term;
    }
    let plural = ends(&letters, "eaux") || ends(&letters, "eux") || ends(&letters, "oux");
    let plural_s =
        letters[letters.len() - 1] == 's' && !matches!(letters[letters.len() - 2], 's' | 'u' | 'i');
    if plural || plural_s {
        letters.pop();
    }
    let long = letters.len() >= 5;
    let loses_e = letters.len() >= 4 && ends(&letters, "xe")
        || long && ["che", "she", "sse", "oe"].iter().any(|e| ends(&letters, e));
    if loses_e {
        letters.pop();
    } else if long && ends(&letters, "ie") {
        letters.pop();
        letters.pop();
        letters.push('y');
    }
    letters.into_iter().collect()
}

/// Folded words, without elided articles.
pub fn folded(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().map(|c| if c == '’' { '\'' } else { c }).collect();
    let mut plain = String::new();
    let mut i = 0;
    while i < letters.len() {
        let begins = i == 0 || !letters[i - 1].is_alphanumeric() && letters[i - 1] != '\'';
        let elided = ["l'", "d'", "qu'"].into_iter().find(|a| {
            let here: String = letters[i..].iter().take(a.len()).flat_map(|c| c.to_lowercase()).collect();
            here == **a && letters.get(i + a.len()).is_some_and(|c| c.is_alphabetic())
        });
        if let (true, Some(article)) = (begins, elided) {
            i += article.len();
            plain.push(' ');
        } else {
            plain.push(letters[i]);
            i += 1;
        }
    }
    words::terms(&plain).iter().map(|t| fold(t)).collect()
}

/// The same without whole words that say nothing. An accent makes another word of one.
fn without_articles(text: &str) -> Vec<String> {
    use unicode_normalization::UnicodeNormalization;
    let text: String = text.nfc().collect::<String>().to_lowercase();
    let idle = ["a", "an", "the", "of", "le", "la", "les", "un", "une", "de", "du", "des", "à", "en"];
    let mut kept = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        if c == '\'' || c == '’' || !idle.contains(&word.as_str()) {
            kept.push_str(&word);
        }
        kept.push(c);
        word.clear();
    }
    folded(&kept)
}

/// What comes to a pattern, at each place where the words name an origin or a colour: the other words, and that.
fn beside<'a>(
    table: &'a BTreeMap<Vec<String>, Vec<Pattern>>,
    words: &[String],
) -> Vec<(Vec<String>, &'a [Pattern])> {
    let mut out = Vec::new();
    for from in 0..words.len() {
        for n in [2, 1] {
            if let Some(more) = words.get(from..from + n).and_then(|named| table.get(named)) {
                let mut rest = words.to_vec();
                rest.drain(from..from + n);
                out.push((rest, more.as_slice()));
            }
        }
    }
    out
}

fn both(patterns: &[Pattern], more: &[Pattern]) -> Vec<Pattern> {
    let mut out = Vec::new();
    for p in patterns {
        for m in more {
            let mut all = p.clone();
            all.extend(m.iter().filter(|w| !p.contains(w)).cloned());
            out.push(all);
        }
    }
    out
}

/// The patterns of a whole input, if it is a phrase.
pub fn patterns(t: &Table, input: &str) -> Option<Vec<Pattern>> {
    if input.contains('>') || input.contains('/') {
        return None;
    }
    let input = input.replace('&', " and ");
    for words in [folded(&input), without_articles(&input)] {
        if words.len() > 12 {
            continue;
        }
        if let Some(patterns) = t.phrases.get(&words) {
            return Some(patterns.clone());
        }
        for table in [&t.origins, &t.colours] {
            for (rest, more) in beside(table, &words) {
                if let Some(patterns) = t.phrases.get(&rest) {
                    return Some(both(patterns, more));
                }
            }
        }
        for (rest, origin) in beside(&t.origins, &words) {
            for (rest, colour) in beside(&t.colours, &rest) {
                if let Some(patterns) = t.phrases.get(&rest) {
                    return Some(both(&both(patterns, origin), colour));
                }
            }
        }
    }
    None
}

fn is(wanted: &str, word: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => wanted == word,
    }
}

/// The words of a label that count for a pattern: those of the things it lists, but for things that another word sets
/// apart.
fn counted(t: &Table, label: &str, pattern: &Pattern) -> Vec<String> {
    let mut out = Vec::new();
    for listed in label.split(['&', ',', ';', '/', '(', ')', '+', '|']) {
        let mut things: Vec<Vec<String>> = vec![Vec::new()];
        for word in folded(listed) {
            if matches!(word.as_str(), "and" | "et" | "or" | "ou") {
                things.push(Vec::new());
            } else {
                things.last_mut().expect("one").push(word);
            }
        }
        for thing in things {
            let other = |w: &String| t.apart.iter().any(|a| is(a, w)) && !pattern.iter().any(|p| is(p, w));
            if thing.len() == 1 || !thing.iter().any(other) {
                out.extend(thing);
            }
        }
    }
    out
}

/// How a node holds a pattern: 65 alone, 60 with those above it. `labels` from the root down.
pub fn holds(t: &Table, labels: &[&str], pattern: &Pattern) -> Option<u32> {
    let (last, above) = labels.split_last()?;
    let own = counted(t, last, pattern);
    let has = |words: &[String], wanted: &String| words.iter().any(|w| is(wanted, w));
    let missing: Vec<&String> = pattern.iter().filter(|w| !has(&own, w)).collect();
    if missing.is_empty() {
        return Some(65);
    }
    let above: Vec<String> = above.iter().flat_map(|l| folded(l)).collect();
    (missing.len() < pattern.len() && missing.iter().all(|w| has(&above, w))).then_some(60)
}
