//! Free text: what a query is understood to say, and what it finds.
//!
//! A linear recomputation of the law on tolerant search: terms and their folding, joined forms, what is known, the
//! four versions of a query, dropping by weight, full and half-matches. The score within full and within half-matches
//! is left open by the law and is not recomputed; `check_text.rs` says what is.

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
/// What may stand between a thing and what it is made of, in French.
const FRENCH: [&str; 9] = ["de", "du", "des", "a", "au", "aux", "en", "sans", "pour"];
/// A name speaks of itself before these.
const ASIDES: [&str; 9] =
    ["for", "compatible", "pour", "with", "avec", "flavour", "flavoured", "finish", "style"];
/// Terms that are looked at for the heaviest set, of those that are left when the unknown ones went.
const HEAVIEST_OF: usize = 16;
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
        let measure = if fluid { Some("floz") } else { unit(&run.text).filter(|u| *u != "floz") };
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

/// The term that says what a thing is: the last one without a digit before a comma or bracket, the first one if a
/// French preposition follows it.
fn head(text: &str) -> Option<String> {
    let cut = text.find([',', '(', '[', '{']).unwrap_or(text.len());
    let mut own = terms(&text[..cut]);
    let aside = own.iter().position(|t| ASIDES.contains(&t.said.as_str())).filter(|at| *at > 0);
    let french = own.get(1).is_some_and(|t| t.after_d || FRENCH.contains(&t.said.as_str()));
    if french {
        return Some(own[0].key.clone());
    }
    own.truncate(aside.unwrap_or(own.len()));
    own.iter().rev().find(|t| !t.said.chars().any(|c| c.is_ascii_digit())).map(|t| t.key.clone())
}

// ---- what is known ----

/// Terms of a country's priced listings.
#[derive(Debug, Default)]
pub struct Known {
    /// Priced listings by their place in [`Oracle::listings`].
    pub priced: Vec<usize>,
    pub holds: HashMap<usize, HashSet<String>>,
    pub with: BTreeMap<String, BTreeSet<usize>>,
    /// Heads of last segments, but for colours.
    heads: HashSet<String>,
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
                known.heads.extend(
                    l.node
                        .match_indices('/')
                        .map(|(at, _)| at)
                        .chain([l.node.len()])
                        .filter_map(|at| head(o.display(&l.node[..at]).rsplit(" > ").next().unwrap_or("")))
                        .filter(|head| !o.everyday.is_colour(head)),
                );
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
            apart = line == "[apart]" || line == "[gear]";
        } else if !apart {
            // a beginning of words is no word, what a path must not hold says nothing, and a phrase that is compared letter
            // by letter protects nothing
            let (names, patterns) = line.split_once(':').unwrap_or((line, ""));
            let names = names.split(',').filter(|name| !name.trim().starts_with('='));
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

    /// Weight of a term where terms are dropped, in 2^-20.
    fn weight(&self, key: &str) -> u128 {
        if ASK_WORDS.contains(&key) {
            return 0;
        }
        let (n, df) = (self.priced.len() as f64, self.df(key) as f64);
        let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
        let fixed = (idf * f64::from(1 << 20)).round() as u128;
        if self.heads.contains(key) { 2 * fixed } else { fixed }
    }
}

// ---- understanding ----

/// A term of one version of a query.
#[derive(Debug, Clone)]
struct Piece {
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

/// What a text was understood to be.
#[derive(Debug)]
pub struct Understood {
    /// Different terms of the version that won, dropped ones too.
    pub distinct: Vec<String>,
    pub kept: Vec<String>,
    pub corrected: Value,
    pub dropped: Value,
    /// Listings that hold all kept terms, and further ones that hold half of all.
    pub full: Vec<usize>,
    pub half: Vec<usize>,
}

impl Oracle {
    pub fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| Texts::of(self))
    }

    /// What a text means in a scope, or the details of its 404.
    pub fn understand(&self, q: &str, scope: &Scope, exact: bool) -> Result<Understood, Value> {
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
        let found = if exact {
            let kept = reader.without_last(&written, vec![true; written.len()]);
            kept.contains(&true).then(|| (written.clone(), kept))
        } else {
            reader.read(&written)
        };
        match found {
            Some((version, kept)) => Ok(reader.understood(&asked, &version, &kept, exact)),
            None => Err(self.nothing_left(&asked, &written, &reader)),
        }
    }

    fn nothing_left(&self, asked: &[Term], written: &[Piece], reader: &Reader) -> Value {
        let unknown = asked.iter().find(|t| !reader.known.knows(&t.key));
        let near = unknown.map_or(vec![], |t| reader.near(&t.said, &t.key));
        let suggestions: Vec<String> = near.iter().take(5).map(|k| self.texts().form(k)).collect();
        let other = if reader.scope.country == "us" { "ca" } else { "us" };
        let there = Reader::new(self, &Scope { country: other, retailer: None });
        let sold = !written.is_empty() && there.matches(written, &vec![true; written.len()]);
        json!({
            "reason": "unknown_product", "terms": asked.iter().map(|t| either_way(&t.said)).collect::<Vec<_>>(),
            "suggestions": suggestions, "other_country": sold.then_some(other),
        })
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

/// Which terms are kept, said again or not.
fn throughout(version: &[Piece], once: &[Piece], kept: &[bool]) -> Vec<bool> {
    version.iter().map(|p| once.iter().zip(kept).any(|(o, k)| *k && o.key == p.key)).collect()
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

    /// The version that is taken, and which of its terms are kept.
    fn read(&self, written: &[Piece]) -> Option<(Vec<Piece>, Vec<bool>)> {
        let joined = self.joined_and_split(written);
        let versions = [written.to_vec(), joined.clone(), self.spelled(written), self.spelled(&joined)];
        for version in &versions {
            let all = vec![true; version.len()];
            if self.matches(version, &all) {
                return Some((version.clone(), all));
            }
        }
        let mut best: Option<(u128, u128, Vec<Piece>, Vec<bool>)> = None;
        for version in versions {
            let once = different(&version);
            let Some(kept) = self.dropped(&once) else { continue };
            let weight = |all: bool| -> u128 {
                once.iter()
                    .zip(&kept)
                    .filter(|(_, k)| all || **k)
                    .map(|(p, _)| self.known.weight(&p.key))
                    .sum()
            };
            let (part, whole) = (weight(false), weight(true).max(1));
            let kept = throughout(&version, &once, &kept);
            if best.as_ref().is_none_or(|b| part * b.1 > b.0 * whole) {
                best = Some((part, whole, version, kept));
            }
        }
        best.map(|b| (b.2, b.3))
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

    /// Which terms of a version are kept where no listing holds it as a whole.
    fn dropped(&self, version: &[Piece]) -> Option<Vec<bool>> {
        let known: Vec<bool> = version.iter().map(|p| self.known.knows(&p.key)).collect();
        let mut kept = known.clone();
        if !self.matches(version, &kept) {
            for (k, p) in kept.iter_mut().zip(version) {
                *k &= !ASK_WORDS.contains(&p.key.as_str());
            }
            kept = self.without_last(version, kept);
        }
        let weights: Vec<u128> = version.iter().map(|p| self.known.weight(&p.key)).collect();
        let sum =
            |mask: &[bool]| -> u128 { weights.iter().zip(mask).filter(|(_, m)| **m).map(|(w, _)| *w).sum() };
        if 2 * sum(&kept) < sum(&known) {
            kept = self.heaviest(version, &weights)?;
        }
        // Ask-words alone are nothing left.
        (sum(&kept) > 0).then_some(kept)
    }

    /// The heaviest set of a version's first terms that one listing holds.
    fn heaviest(&self, version: &[Piece], weights: &[u128]) -> Option<Vec<bool>> {
        let known = (0..version.len()).filter(|t| self.known.knows(&version[*t].key));
        let first: Vec<usize> = known.take(HEAVIEST_OF).collect();
        let sets = self.here.iter().map(|i| {
            let held: Vec<usize> =
                first.iter().copied().filter(|t| self.known.holds[i].contains(&version[*t].key)).collect();
            (held.iter().map(|t| weights[*t]).sum::<u128>(), held.len(), Reverse(held))
        });
        let (_, _, Reverse(held)) = sets.max().filter(|set| set.1 > 0)?;
        Some((0..version.len()).map(|t| held.contains(&t)).collect())
    }

    fn understood(&self, asked: &[Term], version: &[Piece], kept: &[bool], exact: bool) -> Understood {
        let keys = |all: Vec<Piece>| -> Vec<String> { all.into_iter().map(|p| p.key).collect() };
        let once = different(version);
        let pairs = || version.iter().zip(kept);
        let kept_keys =
            keys(once.iter().filter(|o| pairs().any(|(p, k)| *k && p.key == o.key)).cloned().collect());
        let distinct = keys(once);
        let mut corrected = Vec::new();
        let (mut gone, mut again) = (BTreeSet::new(), BTreeSet::new());
        for at in 0..asked.len() {
            let of: Vec<(&Piece, bool)> =
                pairs().filter(|(p, _)| p.from.contains(&at)).map(|(p, k)| (p, *k)).collect();
            if of.iter().all(|(_, k)| !k) {
                gone.insert(at);
                again.extend(of.iter().all(|(p, _)| kept_keys.contains(&p.key)).then_some(at));
            } else if of[0].0.changed && of[0].0.from.start == at {
                let from: Vec<&str> = asked[of[0].0.from.clone()].iter().map(|t| t.said.as_str()).collect();
                let to: Vec<String> =
                    of.iter().filter(|(_, k)| *k).map(|(p, _)| self.texts.form(&p.key)).collect();
                // That a quantity's form is the most frequent one of names too, and not the one it is compared by, is
                // the letter of the law; it is let pass.
                let keys: Vec<&str> = of.iter().filter(|(_, k)| *k).map(|(p, _)| p.key.as_str()).collect();
                // Whether a split of which one half was dropped is told whole is open.
                let whole: Vec<String> = of.iter().map(|(p, _)| self.texts.form(&p.key)).collect();
                let quantity = keys.iter().any(|k| parts(k).is_some());
                let to = match quantity || whole.len() > to.len() {
                    true => json!({ "$any_of": [to.join(" "), keys.join(" "), whole.join(" ")] }),
                    false => json!(to.join(" ")),
                };
                corrected.push(json!({ "from": either_way(&from.join(" ")), "to": to }));
            }
        }
        let list = |all: Vec<Value>| if all.is_empty() { Value::Null } else { Value::Array(all) };
        // Whether a term that was dropped where it stands again, and kept where it stands first, is told, is open.
        let told =
            |places: Vec<&usize>| list(places.into_iter().map(|at| either_way(&asked[*at].said)).collect());
        let all = told(gone.iter().collect());
        let once = told(gone.difference(&again).collect());
        let dropped = if all == once { all } else { json!({ "$any_of": [all, once] }) };
        let held =
            |i: &usize, keys: &[String]| keys.iter().filter(|k| self.known.holds[i].contains(*k)).count();
        let rare = (self.known.priced.len() / 100).max(1000);
        let is_half = |i: &usize| {
            2 * held(i, &distinct) >= distinct.len()
                && distinct.iter().any(|k| self.known.holds[i].contains(k) && self.known.df(k) <= rare)
        };
        let (full, others): (Vec<usize>, Vec<usize>) =
            self.here.iter().partition(|i| held(i, &kept_keys) == kept_keys.len());
        let half = others.into_iter().filter(|i| !exact && is_half(i)).collect();
        Understood { corrected: list(corrected), dropped, distinct, kept: kept_keys, full, half }
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
