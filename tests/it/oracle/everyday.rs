//! Everyday names of shelves, by the law and from the shipped table, phrase by phrase and node by node.

use super::words;
use std::collections::BTreeMap;

pub const SHIPPED: &str = include_str!("../../../src/lang/data/everyday.txt");

/// A pattern's words; a beginning ends in `*`, and what the path must not hold begins with `-`.
pub type Pattern = Vec<String>;

pub struct Table {
    phrases: BTreeMap<Vec<String>, Vec<Pattern>>,
    origins: BTreeMap<Vec<String>, Vec<Pattern>>,
    colours: BTreeMap<Vec<String>, Vec<Pattern>>,
    apart: Vec<String>,
    /// Those of them that govern a whole list.
    gear: Vec<String>,
    /// Phrases that are compared letter by letter.
    letters: BTreeMap<Vec<String>, Vec<Pattern>>,
}

impl Table {
    pub fn is_colour(&self, word: &str) -> bool {
        self.colours.contains_key(&vec![fold(word)])
    }
}

pub fn table() -> Table {
    let mut t = Table {
        phrases: BTreeMap::new(),
        origins: BTreeMap::new(),
        colours: BTreeMap::new(),
        apart: Vec::new(),
        gear: Vec::new(),
        letters: BTreeMap::new(),
    };
    let mut section = "";
    for line in SHIPPED.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            continue;
        }
        if section == "[apart]" || section == "[gear]" {
            let words: Vec<String> = line.split(',').flat_map(pattern).collect();
            if section == "[gear]" {
                t.gear.extend(words.iter().cloned());
            }
            t.apart.extend(words);
            continue;
        }
        let (names, patterns) = line.split_once(':').expect("phrases: patterns");
        let patterns: Vec<Pattern> = patterns.split('|').map(pattern).collect();
        let into = match section {
            "[origins]" => &mut t.origins,
            "[colours]" => &mut t.colours,
            _ => &mut t.phrases,
        };
        for name in names.split([',', ';']).map(str::trim) {
            match name.strip_prefix('=') {
                Some(name) => t.letters.insert(letters(name), patterns.clone()),
                None => into.insert(without_articles(name), patterns.clone()),
            };
        }
    }
    t
}

fn pattern(text: &str) -> Pattern {
    let mut out: Pattern = Vec::new();
    for word in text.split_whitespace() {
        let (sign, word) = word.strip_prefix('-').map_or(("", word), |word| ("-", word));
        let words = if word.ends_with('*') { vec![word.to_string()] } else { without_articles(word) };
        for w in words.iter().map(|w| format!("{sign}{w}")) {
            if !out.contains(&w) {
                out.push(w);
            }
        }
    }
    out
}

/// The words of a text in one case and composed, their accents kept, without those that say nothing.
fn letters(text: &str) -> Vec<String> {
    let text = kept(text);
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_string).collect()
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
    unfolded(text).iter().map(|t| fold(t)).collect()
}

fn unfolded(text: &str) -> Vec<String> {
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
    words::terms(&plain)
}

/// The same without whole words that say nothing.
fn without_articles(text: &str) -> Vec<String> {
    folded(&kept(text))
}

/// A text in one case without whole words that say nothing. An accent makes another word of one.
fn kept(text: &str) -> String {
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
    kept
}

/// What comes to a pattern, at each place where the words name an origin or a colour: the other words, and that.
fn beside<'a>(
    table: &'a BTreeMap<Vec<String>, Vec<Pattern>>,
    words: &[String],
) -> Vec<(Vec<String>, &'a [Pattern])> {
    let mut out = Vec::new();
    for from in 0..words.len() {
        for n in [2, 1] {
            let named = words.get(from..from + n).map(|named| folded(&named.join(" ")));
            if let Some(more) = named.and_then(|named| table.get(&named)) {
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
    let and = input.replace('&', " and ");
    for (words, phrases) in
        [(letters(input), &t.letters), (folded(&and), &t.phrases), (without_articles(&and), &t.phrases)]
    {
        if words.len() > 12 {
            continue;
        }
        if let Some(patterns) = phrases.get(&words) {
            return Some(patterns.clone());
        }
        for table in [&t.origins, &t.colours] {
            for (rest, more) in beside(table, &words) {
                if let Some(patterns) = phrases.get(&rest) {
                    return Some(both(patterns, more));
                }
            }
        }
        for (rest, origin) in beside(&t.origins, &words) {
            for (rest, colour) in beside(&t.colours, &rest) {
                if let Some(patterns) = phrases.get(&rest) {
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

/// A folded word of a label, and whether it says nothing.
type Word = (String, bool);

/// The things that a label lists, each as its words, with the gear that one of them has for all.
fn things(t: &Table, label: &str) -> Vec<Vec<Word>> {
    let mut said: Vec<Vec<(String, String)>> = Vec::new();
    for listed in label.split(['&', ',', ';', '/', '(', ')', '+', '|']) {
        said.push(Vec::new());
        for written in unfolded(listed) {
            let word = (written.clone(), fold(&written));
            if matches!(word.1.as_str(), "and" | "et" | "or" | "ou") {
                said.push(Vec::new());
            } else {
                said.last_mut().expect("one").push(word);
            }
        }
    }
    said.retain(|thing| !thing.is_empty());
    let is_gear = |word: &(String, String)| t.gear.iter().any(|g| is(g, &word.1));
    let is_for = |word: &(String, String)| matches!(word.1.as_str(), "for" | "pour");
    let shared = match (said.first(), said.last()) {
        (Some(first), Some(last)) if said.len() > 1 => {
            if first.len() > 2 && is_gear(&first[0]) && is_for(&first[1]) {
                Some((first[0].clone(), first.clone(), true))
            } else {
                let at_end = last.len() > 1 && last.last().is_some_and(is_gear);
                at_end.then(|| (last[last.len() - 1].clone(), last.clone(), false))
            }
        }
        _ => None,
    };
    if let Some((gear, of, is_before)) = shared {
        for thing in &mut said {
            let one = thing.len() == 1 || thing.len() == 2 && is_for(&thing[0]);
            let Some((written, folded)) = thing.last().cloned().filter(|_| one) else { continue };
            if !of.iter().any(|w| w.1 == folded) && (is_before || written == folded) {
                thing.push(gear.clone());
            }
        }
    }
    // Tea is an article without its accent.
    let tea = kept(label).contains("thé");
    let word = |(written, folded): (String, String)| (folded, idle(&written) && !(tea && written == "the"));
    said.into_iter().map(|thing| thing.into_iter().map(word).collect()).collect()
}

/// How a node holds a pattern: 65 alone, 60 with those above it. `labels` from the root down.
pub fn holds(t: &Table, labels: &[&str], pattern: &Pattern) -> Option<u32> {
    let all: Vec<Vec<Vec<Word>>> = labels.iter().map(|label| things(t, label)).collect();
    let (without, wanted): (Vec<&String>, Vec<&String>) = pattern.iter().partition(|w| w.starts_with('-'));
    if all.iter().flatten().flatten().any(|word| without.iter().any(|w| is(&w[1..], &word.0))) {
        return None;
    }
    let (own, above) = all.split_last()?;
    let meant = |word: &Word| wanted.iter().any(|w| is(w, &word.0));
    let says = |things: &[&Vec<Word>], w: &String| {
        things.iter().any(|thing| thing.iter().any(|word| is(w, &word.0)))
    };
    let apart = |word: &Word| t.apart.iter().any(|a| is(a, &word.0));
    let whole: Vec<&Vec<Word>> =
        own.iter().filter(|thing| thing.len() == 1 || !thing.iter().any(|w| apart(w) && !meant(w))).collect();
    if wanted.iter().all(|w| says(&whole, w)) {
        return Some(65);
    }
    // What borrows a word says nothing else.
    let bare: Vec<&Vec<Word>> = own.iter().filter(|thing| thing.iter().all(|w| w.1 || meant(w))).collect();
    let missing: Vec<&&String> = wanted.iter().filter(|w| !says(&bare, w)).collect();
    if missing.len() == wanted.len() {
        return None;
    }
    let lends = |at: usize, w: &String| {
        let chosen: Vec<&Vec<Word>> = above[at]
            .iter()
            .filter(|thing| {
                let below = all[at + 1..].iter().flatten().flatten();
                thing.iter().any(|word| !word.1 && below.clone().any(|other| other.0 == word.0))
            })
            .collect();
        let lenders: Vec<&Vec<Word>> = above[at].iter().filter(|thing| says(&[thing], w)).collect();
        !lenders.is_empty() && (chosen.is_empty() || lenders.iter().any(|thing| chosen.contains(thing)))
    };
    missing.iter().all(|w| (0..above.len()).any(|at| lends(at, w))).then_some(60)
}

/// Whether a word says nothing of a thing.
fn idle(word: &str) -> bool {
    let idle =
        ["a", "an", "the", "of", "le", "la", "les", "un", "une", "de", "du", "des", "à", "en", "for", "pour"];
    idle.contains(&word)
}
