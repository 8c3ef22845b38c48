//! Free text: what a query may be understood to say, and what it finds.
//!
//! A linear recomputation of the law on tolerant search: terms and their folding, joined forms, what is known, the
//! four versions of a query, full and half-matches. Which partial match is best depends on head nouns and scores, which
//! are not recomputed here; `check_text.rs` says what is held of an answer.

use super::load::Listing;
use super::{Oracle, words};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Words about asking: never corrected, and without weight where terms are dropped.
const ASK_WORDS: [&str; 16] = [
    "a", "the", "of", "for", "buy", "price", "cheap", "cheapest", "best", "le", "la", "les", "de", "du",
    "des", "prix",
];
/// Unknown terms that are split or corrected.
const CORRECTED: usize = 8;

// ---- terms ----

/// One term of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// As it was written: number and unit joined, nothing folded, nothing converted.
    pub said: String,
    /// The same without an elided article.
    bare: String,
    /// What it is compared by.
    pub key: String,
    /// A hyphen or slash, and nothing else, stands between it and the term before it.
    pub glued: bool,
    /// It stood behind d'.
    after_d: bool,
}

/// A run of letters and digits.
struct Run {
    text: String,
    /// With its commas.
    said: String,
    glued: bool,
    /// Only blanks, hyphens and points stand between it and the run before it, so that it may be its unit. (The law
    /// has "12 oz" alone.)
    near: bool,
    after_d: bool,
    /// With the elided article, where it had one.
    whole: Option<String>,
}

const APOSTROPHES: [char; 5] = ['\'', '\u{2019}', '\u{2018}', '\u{2bc}', '`'];

fn runs(text: &str) -> Vec<Run> {
    let t: Vec<char> = words::plain(text).chars().collect();
    let digit = |i: Option<usize>| i.and_then(|i| t.get(i)).is_some_and(char::is_ascii_digit);
    let mut out: Vec<Run> = Vec::new();
    let (mut now, mut said) = (String::new(), String::new());
    let (mut whole, mut after_d) = (String::new(), false);
    // what separates the run that is being read from the one before, and the next one from it
    let (mut before, mut between) = (String::new(), String::new());
    let mut end =
        |now: &mut String, said: &mut String, whole: &mut String, after_d: &mut bool, before: &str| {
            if !now.is_empty() {
                let (text, said) = (std::mem::take(now), std::mem::take(said));
                let whole = Some(std::mem::take(whole)).filter(|w| !w.is_empty()).map(|_| said.clone());
                let glued = ["-", "/", "\u{2010}"].contains(&before);
                let near = before.chars().all(|c| c.is_whitespace() || ".-\u{2010}".contains(c));
                out.push(Run { text, said, glued, near, after_d: *after_d, whole });
            }
            *after_d = false;
        };
    for (i, &c) in t.iter().enumerate() {
        let inside = digit(i.checked_sub(1)) && digit(Some(i + 1));
        let mut keep = c.is_alphanumeric().then_some(c);
        if APOSTROPHES.contains(&c) {
            let letter = t.get(i + 1).is_some_and(|x| x.is_alphabetic());
            let right_before = i > 0 && t[i - 1].is_alphabetic();
            if letter && right_before && ["l", "d", "qu"].contains(&now.as_str()) {
                after_d = now == "d";
                whole.push_str(&std::mem::take(&mut now));
            }
            continue;
        }
        if c == '.' && inside {
            keep = Some('.');
        }
        if c == ',' && inside {
            let three = (1..=3).all(|k| digit(Some(i + k))) && !digit(Some(i + 4));
            if three && now != "0" {
                said.push(',');
                continue;
            }
            keep = Some('.');
        }
        match keep {
            Some(c) => {
                if now.is_empty() && whole.is_empty() {
                    before = std::mem::take(&mut between);
                }
                now.push(c);
                said.push(t[i]);
                between.clear();
            }
            None => {
                end(&mut now, &mut said, &mut whole, &mut after_d, &before);
                between.push(c);
                if (c == '"' || c == '\u{201d}') && digit(i.checked_sub(1)) {
                    let mark = || "\"".to_string();
                    end(&mut mark(), &mut mark(), &mut String::new(), &mut false, "");
                }
            }
        }
    }
    end(&mut now, &mut said, &mut whole, &mut after_d, &before);
    out
}

/// The short form of a word that is a unit after a number. The law names some units and leaves the others open; these
/// are the ones that the methodology promises or that packs are read from, and what catalogs of electronics say.
fn unit(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &str); 29] = [
        ("oz", "oz ounce ounces once onces"),
        ("floz", "floz"),
        ("lb", "lb lbs pound pounds livre livres"),
        ("g", "g gram grams gramme grammes grs gm"),
        ("kg", "kg kilo kilos kilogram kilograms"),
        ("mg", "mg"),
        ("ml", "ml millilitre millilitres"),
        ("cl", "cl"),
        ("l", "l litre litres liter liters ltr"),
        ("qt", "qt quart quarts"),
        ("pt", "pt pint pints"),
        ("gal", "gal gallon gallons"),
        ("ct", "ct count"),
        ("pack", "pack pk paquet paquets"),
        ("inch", "inch inches in po pouces \""),
        ("ft", "ft"),
        ("m", "m"),
        ("cm", "cm"),
        ("mm", "mm"),
        ("w", "w watt watts"),
        ("v", "v"),
        ("hz", "hz"),
        ("mhz", "mhz"),
        ("ghz", "ghz"),
        ("mb", "mb"),
        ("gb", "gb"),
        ("tb", "tb"),
        ("mp", "mp"),
        ("mah", "mah"),
    ];
    UNITS.iter().find(|(_, said)| said.split(' ').any(|s| s == word)).map(|u| u.0)
}

fn number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || b".,".contains(&b))
}

/// A number moved by some decimal places, without zeros that say nothing.
fn moved(number: &str, places: usize) -> Option<String> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.contains('.') {
        return None;
    }
    let mut part = part.to_string();
    while part.len() < places {
        part.push('0');
    }
    let digits = format!("{whole}{}", &part[..places]);
    let (digits, rest) = (digits.trim_start_matches('0'), part[places..].trim_end_matches('0'));
    let digits = if digits.is_empty() { "0" } else { digits };
    Some(if rest.is_empty() { digits.to_string() } else { format!("{digits}.{rest}") })
}

fn measured(number: &str, unit: &str) -> String {
    let (places, to) = match unit {
        "kg" => (3, "g"),
        "l" => (3, "ml"),
        "cl" => (1, "ml"),
        other => return format!("{number}{other}"),
    };
    moved(number, places).map_or_else(|| format!("{number}{unit}"), |n| format!("{n}{to}"))
}

/// Number and unit of a word that is both.
fn parts(word: &str) -> Option<(&str, &'static str)> {
    let cut = word.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')?;
    let (n, u) = word.split_at(cut);
    number(n).then_some(())?;
    Some((n, unit(u)?))
}

/// What a word is compared by that a join or a split makes.
fn made(word: &str) -> String {
    match terms(word).as_slice() {
        [term] => term.key.clone(),
        _ => key(word),
    }
}

/// What a single word is compared by.
pub fn key(word: &str) -> String {
    match parts(word) {
        Some((n, u)) => measured(n, u),
        None => fold(word),
    }
}

pub fn fold(word: &str) -> String {
    if word.chars().any(|c| c.is_ascii_digit()) {
        return word.to_string();
    }
    let mut w = word.replace('œ', "oe").replace('æ', "ae").replace('ß', "ss");
    match w.as_str() {
        "lens" | "lenses" => return "lens".into(),
        "mice" => return "mouse".into(),
        "knives" => return "knife".into(),
        _ => {}
    }
    let long = |w: &str, n: usize| w.chars().count() >= n;
    let ends = |w: &str, all: &[&str]| all.iter().any(|e| w.ends_with(e));
    let plural = ends(&w, &["eaux", "eux", "oux"]) || w.ends_with('s') && !ends(&w, &["ss", "us", "is"]);
    if long(&w, 4) && plural {
        w.pop();
    }
    if long(&w, 4) && w.ends_with("xe") {
        w.pop();
    }
    if long(&w, 5) {
        if ends(&w, &["che", "she", "sse", "oe"]) {
            w.pop();
        } else if w.ends_with("ie") {
            w.truncate(w.len() - 2);
            w.push('y');
        }
    }
    w
}

fn joined_units(runs: &[Run]) -> Vec<Term> {
    let mut out: Vec<Term> = Vec::new();
    let (mut i, mut bare) = (0, false);
    while i < runs.len() {
        let (run, next) = (&runs[i], runs.get(i + 1));
        let fluid = run.text == "fl"
            && next.is_some_and(|next| next.text == "oz" && next.near && next.whole.is_none());
        let preposition = run.text == "in"
            && next.is_some_and(|next| next.near && next.said.bytes().all(|b| b.is_ascii_digit()));
        let measure = if fluid { Some("floz") } else { unit(&run.text) };
        let measure = measure.filter(|_| bare && run.near && !preposition && run.whole.is_none());
        match (out.last_mut(), measure) {
            _ if run.text == "\"" && measure.is_none() => {}
            (Some(last), Some(u)) => {
                last.key = measured(&last.key, u);
                last.said.push_str(u);
                last.bare.push_str(u);
                bare = false;
            }
            _ => {
                bare = number(&run.text);
                // "4in 1" is "4 in 1"
                let next_number =
                    next.is_some_and(|next| next.near && next.said.bytes().all(|b| b.is_ascii_digit()));
                let of_one = parts(&run.text).is_some_and(|p| p.1 == "inch") && run.text.ends_with("in");
                let plain = of_one && next_number;
                let short = parts(&run.said).filter(|_| !plain).map(|(n, u)| format!("{n}{u}"));
                out.push(Term {
                    bare: run.text.clone(),
                    said: short.unwrap_or_else(|| run.said.clone()),
                    key: if plain { run.text.clone() } else { key(&run.text) },
                    glued: run.glued,
                    after_d: run.after_d,
                });
            }
        }
        i += if fluid && measure.is_some() { 2 } else { 1 };
    }
    out
}

/// Terms of a query.
pub fn terms(text: &str) -> Vec<Term> {
    joined_units(&runs(text))
}

/// What a name holds beside its terms: elided words as one, and part numbers without their hyphens and slashes.
fn joined_forms(text: &str) -> Vec<String> {
    let runs = runs(text);
    let mut out: Vec<String> = runs.iter().filter_map(|r| r.whole.clone()).collect();
    let all = joined_units(&runs);
    for group in all.chunk_by(|_, next| next.glued) {
        let whole: String = group.iter().map(|t| t.said.as_str()).collect();
        let digits = whole.chars().filter(char::is_ascii_digit).count();
        // letters and digits, or digits enough
        let number = digits > 0 && whole.chars().any(char::is_alphabetic)
            || digits == whole.chars().count() && digits >= 7;
        // neither the number nor a part of it is a measure
        let measures = parts(&whole).is_some() || group.iter().any(|t| parts(&t.said).is_some());
        if group.len() > 1 && number && whole.chars().count() >= 4 && !measures {
            out.push(whole);
        }
    }
    out
}

// ---- what is known ----

/// Terms of a country's priced listings.
#[derive(Debug, Default)]
pub struct Known {
    /// Priced listings by their place in [`Oracle::listings`].
    pub priced: Vec<usize>,
    pub holds: HashMap<usize, HashSet<String>>,
    pub with: BTreeMap<String, BTreeSet<usize>>,
}

#[derive(Debug, Default)]
pub struct Texts {
    countries: BTreeMap<&'static str, Known>,
    /// The ways in which names write a term.
    forms: HashMap<String, BTreeMap<String, usize>>,
    /// Words that are never corrected.
    protected: HashSet<String>,
}

impl Texts {
    pub fn of(o: &Oracle) -> Texts {
        let mut texts = Texts { protected: protected(), ..Texts::default() };
        for l in &o.listings {
            for (said, key) in name_terms(&l.name) {
                *texts.forms.entry(key).or_default().entry(said).or_insert(0) += 1;
            }
        }
        for country in ["us", "ca"] {
            let mut known = Known::default();
            for (i, l) in o.listings.iter().enumerate().filter(|(_, l)| l.country == country) {
                if !o.priced(l) {
                    continue;
                }
                let all = searchable(o, l);
                for key in &all {
                    known.with.entry(key.clone()).or_default().insert(i);
                }
                known.priced.push(i);
                known.holds.insert(i, all);
            }
            texts.countries.insert(country, known);
        }
        texts
    }

    pub fn country(&self, country: &str) -> &Known {
        &self.countries[country]
    }

    /// How names write a term most often.
    fn form(&self, key: &str) -> String {
        self.forms.get(key).map_or_else(|| key.to_string(), super::most_frequent)
    }
}

/// Terms of a name as (said, key), joined forms included.
fn name_terms(name: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = terms(name).into_iter().map(|t| (t.bare, t.key)).collect();
    all.extend(joined_forms(name).into_iter().map(|whole| (whole.clone(), key(&whole))));
    all
}

/// What a listing is found by: name, brand, and its category's path.
fn searchable(o: &Oracle, l: &Listing) -> HashSet<String> {
    let mut all: HashSet<String> = name_terms(&l.name).into_iter().map(|t| t.1).collect();
    all.extend(terms(o.brand(l).unwrap_or("")).into_iter().map(|t| t.key));
    if l.node != "uncategorized" {
        for segment in o.display(&l.node).split(" > ") {
            all.extend(terms(segment).into_iter().map(|t| t.key));
        }
    }
    all
}

/// Ask-words, and the words of the everyday table: of its phrases and of what they stand for, not those that only set
/// shelves apart.
fn protected() -> HashSet<String> {
    let mut all: HashSet<String> = ASK_WORDS.iter().map(|w| fold(w)).collect();
    let mut apart = false;
    for line in super::everyday::SHIPPED.lines().filter(|l| !l.starts_with('#')) {
        if line.starts_with('[') {
            apart = ["[apart]", "[gear]"].contains(&line);
        } else if !apart {
            // a beginning of words is no word, what a path must not hold says nothing, and a phrase that is compared letter
            // by letter protects nothing
            let (names, patterns) = line.split_once(':').unwrap_or((line, ""));
            let names = names.split([',', ';']).filter(|name| !name.trim().starts_with('='));
            let patterns = patterns.split([' ', '|']).filter(|w| !w.ends_with('*') && !w.starts_with('-'));
            all.extend(names.chain(patterns).flat_map(terms).map(|t| t.key));
        }
    }
    all
}

impl Known {
    fn knows(&self, key: &str) -> bool {
        self.with.contains_key(key)
    }

    pub fn df(&self, key: &str) -> usize {
        self.with.get(key).map_or(0, BTreeSet::len)
    }
}

// ---- understanding ----

/// A term of one version of a query.
#[derive(Debug, Clone)]
pub struct Piece {
    key: String,
    said: String,
    glued: bool,
    /// The terms of the query that it stands for.
    from: Range<usize>,
    changed: bool,
}

/// What a text was asked for in.
pub struct Scope<'a> {
    pub country: &'a str,
    pub retailer: Option<&'a str>,
}

/// A version of a query that an answer may rest on.
#[derive(Debug)]
pub struct Version {
    pieces: Vec<Piece>,
    /// Its different terms.
    pub distinct: Vec<String>,
    /// The terms that a full match holds: all of them, of an exact query the leading ones; none where nothing holds them.
    pub needed: Vec<String>,
    /// Listings that hold what is needed, and further ones that hold half of all terms.
    pub full: Vec<usize>,
    pub half: Vec<usize>,
}

/// How a text may be read.
#[derive(Debug)]
pub struct Readings {
    asked: Vec<Term>,
    /// The one version that some listing holds as a whole; else all of which some listing holds a term.
    pub versions: Vec<Version>,
}

impl Readings {
    /// Whether a term, as it is disclosed, is about asking.
    pub fn is_about_asking(&self, said: &Value) -> bool {
        let is_ask_word = |t: &&Term| ASK_WORDS.iter().any(|ask| fold(ask) == t.key);
        self.asked.iter().filter(is_ask_word).any(|t| *said == t.said)
    }
}

impl Readings {
    /// Whether the text states a quantity that is compared in any unit.
    pub fn has_quantity(&self, q: &str) -> bool {
        let is_dozen = |t: &&Term| t.key.starts_with("dozen") || t.key.starts_with("douzaine");
        q.contains('%')
            || self.asked.iter().any(|t| {
                parts(&t.key).is_some()
                    || t.key.ends_with(char::is_alphabetic) && t.key.starts_with(|c: char| c.is_ascii_digit())
            })
            || self.asked.iter().any(|t| is_dozen(&t))
            || self
                .asked
                .windows(2)
                .any(|pair| number(&pair[0].key) && pair[1].key.starts_with(char::is_alphabetic))
    }
}

impl Oracle {
    pub fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::of(self))
    }

    /// How a text may be read in a scope.
    pub fn readings(&self, q: &str, scope: &Scope, exact: bool) -> Readings {
        let reader = Reader::new(self, scope);
        let asked = terms(q);
        let pieces = asked.iter().enumerate().map(|(i, t)| Piece {
            key: t.key.clone(),
            said: t.said.clone(),
            glued: t.glued,
            from: i..i + 1,
            changed: false,
        });
        let written: Vec<Piece> = pieces.collect();
        let versions = if exact {
            let kept = reader.without_last(&written, vec![true; written.len()]);
            let count = kept.iter().filter(|kept| **kept).count();
            if count > 0 { vec![reader.version(written, Some(count))] } else { Vec::new() }
        } else {
            reader.versions(written)
        };
        Readings { asked, versions }
    }

    /// The terms of a text as they are disclosed.
    pub fn said_terms(&self, q: &str) -> Vec<Value> {
        terms(q).iter().map(|t| either_way(&t.said)).collect()
    }

    /// Whether a listing holds all terms of a text.
    pub fn holds_text(&self, country: &str, listing: usize, text: &str) -> bool {
        let held = &self.texts().country(country).holds[&listing];
        terms(text).iter().all(|t| held.contains(&t.key))
    }
}

/// The terms of a version, each once: that a term is said again changes nothing, so dropping looks at each once.
fn different(version: &[Piece]) -> Vec<Piece> {
    let mut once: Vec<Piece> = Vec::new();
    for piece in version {
        if !once.iter().any(|p| p.key == piece.key) {
            once.push(piece.clone());
        }
    }
    once
}

struct Reader<'a> {
    texts: &'a Texts,
    known: &'a Known,
    scope: Scope<'a>,
    /// Priced listings of the scope.
    here: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(o: &'a Oracle, scope: &Scope<'a>) -> Reader<'a> {
        let known = o.texts().country(scope.country);
        let at = |i: &&usize| scope.retailer.is_none_or(|r| o.listings[**i].platform == r);
        let here = known.priced.iter().filter(at).copied().collect();
        let scope = Scope { country: scope.country, retailer: scope.retailer };
        Reader { texts: o.texts(), known, scope, here }
    }

    fn held_by(&self, i: usize, keys: &[&str]) -> usize {
        keys.iter().filter(|k| self.known.holds[&i].contains(**k)).count()
    }

    fn matches(&self, version: &[Piece], kept: &[bool]) -> bool {
        let keys: Vec<&str> =
            version.iter().zip(kept).filter(|(_, k)| **k).map(|(p, _)| p.key.as_str()).collect();
        if keys.is_empty() || keys.iter().any(|k| !self.known.knows(k)) {
            return false;
        }
        self.here.iter().any(|i| self.held_by(*i, &keys) == keys.len())
    }

    /// The first version that some listing holds as a whole; where none is, all of which some listing holds a term.
    fn versions(&self, written: Vec<Piece>) -> Vec<Version> {
        let joined = self.joined_and_split(&written);
        let (spelled, both) = (self.spelled(&written), self.spelled(&joined));
        let versions = [written, joined, spelled, both];
        let all = |version: &Vec<Piece>| self.matches(version, &vec![true; version.len()]);
        let whole = versions.iter().position(all);
        let is_corrected = |at: usize| versions[at].iter().any(|piece| piece.changed);
        let whole_version = |at: usize| self.version(versions[at].clone(), Some(versions[at].len()));
        if let Some(at) = whole.filter(|at| !is_corrected(*at)) {
            return vec![whole_version(at)];
        }
        // A corrected version that matches as a whole, but not well enough, may be passed over.
        let corrected = (0..versions.len()).filter(|at| all(&versions[*at])).map(whole_version);
        let some = versions.iter().map(|version| self.version(version.clone(), None));
        let some = some.filter(|version| version.distinct.iter().any(|key| self.known.knows(key)));
        corrected.chain(some).collect()
    }

    /// A version of which so many leading pieces are needed.
    fn version(&self, pieces: Vec<Piece>, needed: Option<usize>) -> Version {
        let keys = |all: Vec<Piece>| -> Vec<String> { all.into_iter().map(|p| p.key).collect() };
        let needed = needed.map_or_else(Vec::new, |count| keys(different(&pieces[..count])));
        let distinct = keys(different(&pieces));
        let rare = (self.known.priced.len() / 100).max(1000);
        let is_half = |i: &usize| {
            2 * self.held(*i, &distinct) >= distinct.len()
                && distinct.iter().any(|k| self.known.holds[i].contains(k) && self.known.df(k) <= rare)
        };
        let (full, others): (Vec<usize>, Vec<usize>) =
            self.here.iter().partition(|i| !needed.is_empty() && self.held(**i, &needed) == needed.len());
        let half = others.into_iter().filter(|i| !needed.is_empty() && is_half(i)).collect();
        Version { pieces, distinct, needed, full, half }
    }

    fn held(&self, i: usize, keys: &[String]) -> usize {
        keys.iter().filter(|k| self.known.holds[&i].contains(*k)).count()
    }

    /// Neighbours that make a known term are one; an unknown term that two known ones make is two.
    fn joined_and_split(&self, v: &[Piece]) -> Vec<Piece> {
        let (mut out, mut i, mut unknown) = (Vec::new(), 0, 0);
        let one = |range: Range<usize>| -> Option<Piece> {
            let part = v.get(range)?;
            let said: String = part.iter().map(|p| p.said.as_str()).collect();
            let key = made(&said);
            let (first, last) = (part.first()?, part.last()?);
            self.known.knows(&key).then_some(Piece {
                key,
                said,
                glued: first.glued,
                from: first.from.start..last.from.end,
                changed: true,
            })
        };
        while i < v.len() {
            let mut j = i + 1;
            while j < v.len() && v[j].glued {
                j += 1;
            }
            let whole = (j > i + 2 && !(i > 0 && v[i].glued)).then(|| one(i..j)).flatten();
            if let Some(piece) = whole {
                out.push(piece);
                i = j;
            } else if let Some(piece) = one(i..i + 2) {
                out.push(piece);
                i += 2;
            } else {
                unknown += usize::from(!self.known.knows(&v[i].key));
                let parts = (unknown <= CORRECTED).then(|| self.split(&v[i])).flatten();
                out.extend(parts.unwrap_or_else(|| vec![v[i].clone()]));
                i += 1;
            }
        }
        out
    }

    fn split(&self, p: &Piece) -> Option<Vec<Piece>> {
        let letters: Vec<char> = p.said.chars().collect();
        if self.known.knows(&p.key) || letters.len() < 6 {
            return None;
        }
        let cuts = (3..=letters.len() - 3).filter_map(|at| {
            let halves: [String; 2] = [letters[..at].iter().collect(), letters[at..].iter().collect()];
            let (a, b) = (self.known.with.get(&made(&halves[0]))?, self.known.with.get(&made(&halves[1]))?);
            let both = a.intersection(b).count();
            (both > 0).then_some((Reverse(both), at, halves))
        });
        let (_, _, halves) = cuts.min()?;
        let piece = |said: String| Piece { key: made(&said), said, changed: true, ..p.clone() };
        Some(halves.into_iter().map(piece).collect())
    }

    fn spelled(&self, v: &[Piece]) -> Vec<Piece> {
        let (mut out, mut unknown) = (v.to_vec(), 0);
        for piece in &mut out {
            if self.known.knows(&piece.key) {
                continue;
            }
            unknown += 1;
            if unknown > CORRECTED || self.texts.protected.contains(&piece.key) {
                continue;
            }
            if let Some(right) = self.near(&piece.said, &piece.key).into_iter().next() {
                piece.key = right;
                piece.changed = true;
            }
        }
        out
    }

    /// Known terms that a word may have been meant for, the likeliest first.
    fn near(&self, word: &str, folded: &str) -> Vec<String> {
        let letters = word.chars().count();
        if letters < 4 || word.chars().any(|c| c.is_ascii_digit()) {
            return vec![];
        }
        let firsts = [word.chars().next(), folded.chars().next()];
        let mut found: Vec<(usize, bool, Reverse<usize>, &String)> = Vec::new();
        for (key, with) in &self.known.with {
            let distance = edits(word, key).min(edits(folded, key));
            let same = firsts.contains(&key.chars().next());
            if distance <= 1 || distance == 2 && letters >= 8 && same {
                found.push((distance, !same, Reverse(with.len()), key));
            }
        }
        found.sort();
        found.into_iter().map(|f| f.3.clone()).collect()
    }

    fn without_last(&self, version: &[Piece], mut kept: Vec<bool>) -> Vec<bool> {
        while !self.matches(version, &kept) {
            let Some(last) = kept.iter().rposition(|k| *k) else { break };
            kept[last] = false;
        }
        kept
    }
}

impl Oracle {
    /// What is disclosed of a version that a listing answers: terms that were corrected, and those that it does not hold.
    pub fn disclosed(&self, readings: &Readings, version: &Version, country: &str, listing: usize) -> Value {
        let held = &self.texts().country(country).holds[&listing];
        let kept: Vec<bool> = version.pieces.iter().map(|p| held.contains(&p.key)).collect();
        let (asked, version) = (&readings.asked, &version.pieces);
        let pairs = || version.iter().zip(&kept);
        let mut corrected = Vec::new();
        let mut gone = BTreeSet::new();
        for at in 0..asked.len() {
            let of: Vec<(&Piece, bool)> =
                pairs().filter(|(p, _)| p.from.contains(&at)).map(|(p, k)| (p, *k)).collect();
            if of.iter().all(|(_, k)| !k) {
                gone.insert(at);
            } else if of[0].0.changed && of[0].0.from.start == at {
                let from: Vec<&str> = asked[of[0].0.from.clone()].iter().map(|t| t.said.as_str()).collect();
                let to: Vec<String> =
                    of.iter().filter(|(_, k)| *k).map(|(p, _)| self.texts().form(&p.key)).collect();
                // That a quantity's form is the most frequent one of names too, and not the one it is compared by, is
                // the letter of the law; it is let pass.
                let keys: Vec<&str> = of.iter().filter(|(_, k)| *k).map(|(p, _)| p.key.as_str()).collect();
                // Whether a split of which one half was dropped is told whole is open.
                let whole: Vec<String> = of.iter().map(|(p, _)| self.texts().form(&p.key)).collect();
                let quantity = keys.iter().any(|k| parts(k).is_some());
                let to = match quantity || whole.len() > to.len() {
                    true => json!({ "$any_of": [to.join(" "), keys.join(" "), whole.join(" ")] }),
                    false => json!(to.join(" ")),
                };
                corrected.push(json!({ "from": either_way(&from.join(" ")), "to": to }));
            }
        }
        let list = |all: Vec<Value>| if all.is_empty() { Value::Null } else { Value::Array(all) };
        let gone = gone.into_iter().map(|at: usize| either_way(&asked[at].said)).collect();
        json!({ "corrected_terms": list(corrected), "dropped_terms": list(gone) })
    }
}

/// A term as it is disclosed. Whether a comma in a number is shown as it was written or as it was read is open.
fn either_way(said: &str) -> Value {
    if said.contains(',') {
        json!({ "$any_of": [said, said.replace(',', "."), said.replace(',', "")] })
    } else {
        json!(said)
    }
}

/// Damerau–Levenshtein without a second edit of any part.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 {
        return 3;
    }
    let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let other = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (d[i - 1][j] + 1).min(d[i][j - 1] + 1).min(d[i - 1][j - 1] + other);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(d[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    d[a.len()][b.len()]
}
