//! What a text is understood as, against the law of tolerant search worked out word by word over all listings.

use crate::support::crafted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::support::searching::{Slow, of_kind, shop, typo};
use pricebook::catalog::Catalog;
use pricebook::lang::Lexicon;
use pricebook::lang::everyday;
use pricebook::lang::quantities::{self, NumberCode, Stated};
use pricebook::lang::text::terms::{Term, TermKind, label_terms, terms};
use pricebook::lang::text::{fold_term, name};
use pricebook::search::index::{
    Form, Hit, MatchQuality, NamedBrand, Property, QualityQuery, QueryQuantity, QueryTerm, Role, SearchScope,
    SoughtTerms,
};
use pricebook::search::query::{
    Correction, DEFAULT_MIN_QUALITY, Reading, Strictness, Understood, WeakMatch, understand,
};
use pricebook::stats::rng::Rng;
use pricebook::types::Country;

const QUERIES: usize = 600;
const ASK_WORDS: &str = "a the of for buy price cheap cheapest best le la les de du des prix";

/// A part of the query with the terms that it is read as: two where it was split.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    from: Vec<String>,
    folded: Vec<String>,
    to: Option<String>,
    /// The quantity that it states.
    quantity: Option<NumberCode>,
    /// Whether it is another name of the same, and no correction.
    is_renamed: bool,
    is_glued: bool,
}

type Version = Vec<Piece>;

/// What is said of a query.
#[derive(Debug, Default, Clone, PartialEq)]
struct Said {
    corrected: Option<Vec<(String, String)>>,
    dropped: Option<Vec<String>>,
    read: Option<Vec<(String, Option<String>)>>,
    distinct: usize,
    /// Rows, hundredths of quality and bits of scores.
    hits: Vec<(u32, u8, u32)>,
    half: Vec<(u32, u8, u32)>,
    matched: Vec<[u32; 2]>,
}

/// By which step a query was understood: which version as a whole, or a part of it, or another name of the thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Exact,
    Whole(usize),
    Part(usize),
    Named,
    Renamed,
    Refused,
    Nothing,
}

/// What is said where no match is good enough.
#[derive(Debug, PartialEq)]
struct Refused {
    terms: Vec<String>,
    quality: u8,
    nearest: Vec<(String, u8)>,
}

/// What was found of a version.
#[derive(Clone)]
struct Found {
    said: Said,
    version: Version,
    is_whole: bool,
    /// All matches, the best first.
    hits: Vec<Hit>,
}

impl Found {
    fn quality(&self) -> MatchQuality {
        self.hits[0].quality
    }
}

/// Where is searched.
#[derive(Clone, Copy)]
struct Scope<'a> {
    slow: &'a Slow<'a>,
    country: Country,
    retailer: Option<&'a str>,
}

fn is_ask_word(term: &str) -> bool {
    ASK_WORDS.split(' ').any(|word| word == term)
}

/// Different terms in order.
fn distinct(version: &[Piece]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for term in version.iter().flat_map(|piece| &piece.folded) {
        if !distinct.contains(term) {
            distinct.push(term.clone());
        }
    }
    distinct
}

/// What a match of a version holds: its terms that state no quantity.
fn needed(version: &[Piece]) -> Vec<String> {
    let words: Vec<Piece> = version.iter().filter(|piece| piece.quantity.is_none()).cloned().collect();
    distinct(&words)
}

/// The words of pieces, joined by blanks.
fn joined(pieces: &[Piece]) -> String {
    pieces.iter().flat_map(|piece| piece.folded.clone()).collect::<Vec<_>>().join(" ")
}

fn forms(rows: &[Vec<&str>], is: impl Fn(&[&str]) -> bool) -> Vec<String> {
    rows.iter().filter(|row| is(row)).map(|row| row[3].to_owned()).collect()
}

/// The rows of the lexicon.
fn rows() -> Vec<Vec<&'static str>> {
    Lexicon::shipped().text().lines().map(|line| line.split('\t').collect()).collect()
}

impl Scope<'_> {
    fn accepts(&self, row: u32) -> bool {
        self.retailer.is_none_or(|retailer| self.slow.catalog.listing(row).retailer() == retailer)
    }

    fn wanted(&self, limit: usize) -> SearchScope<'_, impl Fn(u32) -> bool> {
        let catalog = self.slow.catalog;
        let platform = self.retailer.and_then(|retailer| catalog.platform(retailer));
        let among = platform.map(|platform| catalog.docs_at(platform, self.country));
        SearchScope { country: self.country, limit, among, accept: |row| self.accepts(row) }
    }

    fn known(&self, term: &str) -> Option<u32> {
        self.slow.known(term, self.country)
    }

    fn spelled(&self, term: u32) -> String {
        self.slow.spelled(term).to_owned()
    }

    /// Rows of the scope that hold all of some terms.
    fn matches(&self, terms: &[String]) -> Vec<u32> {
        let Some(terms) = terms.iter().map(|term| self.known(term)).collect::<Option<Vec<u32>>>() else {
            return Vec::new();
        };
        let all = |row: &u32| !terms.is_empty() && terms.iter().all(|&term| self.slow.holds(*row, term));
        self.slow.priced(self.country).filter(|&row| self.accepts(row)).filter(all).collect()
    }

    fn is_match(&self, terms: &[String]) -> bool {
        !self.matches(terms).is_empty()
    }

    /// Step 2.
    fn joined_and_split(&self, written: &[Piece]) -> Version {
        let (mut out, mut at, mut unknown) = (Version::new(), 0, 0);
        while at < written.len() {
            let glued = 1 + written[at + 1..].iter().take_while(|piece| piece.is_glued).count();
            let all = if written[at].is_glued { 2 } else { glued.max(2) };
            let joined =
                [all, 2].into_iter().filter(|&count| at + count <= written.len()).find_map(|count| {
                    let from: Vec<String> =
                        written[at..at + count].iter().map(|piece| piece.from[0].clone()).collect();
                    let folded = fold_term(&from.concat());
                    let to = self.known(&folded).map(|term| self.spelled(term))?;
                    Some((
                        count,
                        Piece {
                            from,
                            folded: vec![folded],
                            to: Some(to),
                            quantity: None,
                            ..written[at].clone()
                        },
                    ))
                });
            if let Some((count, piece)) = joined {
                out.push(piece);
                at += count;
                continue;
            }
            let mut piece = written[at].clone();
            if self.known(&piece.folded[0]).is_none() && piece.quantity.is_none() {
                unknown += 1;
                if let Some((folded, to)) = self.split(&piece.from[0]).filter(|_| unknown <= 8) {
                    (piece.folded, piece.to) = (folded, Some(to));
                }
            }
            out.push(piece);
            at += 1;
        }
        out
    }

    fn split(&self, word: &str) -> Option<(Vec<String>, String)> {
        // A number with its unit is compared in the unit of all.
        let compared = |half: &[char]| match &terms(Lexicon::shipped(), &half.iter().collect::<String>())[..]
        {
            [only] => only.folded.clone(),
            _ => fold_term(&half.iter().collect::<String>()),
        };
        let letters: Vec<char> = word.chars().collect();
        let mut best: Option<(u32, [u32; 2])> = None;
        for at in 3..letters.len().saturating_sub(2) {
            let halves = [&letters[..at], &letters[at..]].map(compared);
            if letters.len() >= 6
                && let [Some(left), Some(right)] = halves.each_ref().map(|half| self.known(half))
            {
                let with = self.slow.count(&[left, right], self.country);
                if with > 0 && best.is_none_or(|(most, _)| with > most) {
                    best = Some((with, [left, right]));
                }
            }
        }
        let (_, parts) = best?;
        Some((
            parts.map(|term| self.slow.terms[term as usize].clone()).into(),
            parts.map(|term| self.spelled(term)).join(" "),
        ))
    }

    /// Step 3.
    fn respelled(&self, version: &[Piece]) -> Version {
        let (mut out, mut unknown) = (version.to_vec(), 0);
        for piece in &mut out {
            if piece.quantity.is_some() || piece.folded.iter().all(|term| self.known(term).is_some()) {
                continue;
            }
            unknown += 1;
            let (written, folded) = (&piece.from[0], &piece.folded[0]);
            if unknown > 8 || is_ask_word(folded) || everyday::table().has_word(folded) {
                continue;
            }
            if let Some(&near) = self.slow.near(written, folded, self.country).first() {
                piece.folded = vec![self.slow.terms[near as usize].clone()];
                piece.to = Some(self.spelled(near));
            }
        }
        out
    }

    /// What the words became that may be the head of a query: of a piece that was split, the last word.
    fn heads(&self, q: &str, version: &[Piece]) -> Vec<u32> {
        let pieces = version.iter().flat_map(|piece| std::iter::repeat_n(piece, piece.from.len()));
        let pieces: Vec<&Piece> = pieces.collect();
        let known = |at: usize| self.known(pieces[at].folded.last().unwrap());
        name::head_nouns(Lexicon::shipped(), &terms(Lexicon::shipped(), q))
            .into_iter()
            .filter_map(known)
            .collect()
    }

    /// Words of a version with how they are spelled.
    fn words(version: &[Piece]) -> Vec<(String, String)> {
        let words = |piece: &Piece| -> Vec<(String, String)> {
            let spelled: Vec<String> = match &piece.to {
                None => vec![piece.from.concat()],
                Some(to) => to.split(' ').map(str::to_owned).collect(),
            };
            piece.folded.iter().cloned().zip(spelled).collect()
        };
        version.iter().flat_map(words).collect()
    }

    /// The brands that neighbouring words name in full.
    fn brands(&self, version: &[Piece]) -> Vec<NamedBrand> {
        let (words, country) = (Self::words(version), self.country.as_u8() as usize);
        let mut named: Vec<NamedBrand> = Vec::new();
        for from in 0..words.len() {
            for to in from + 1..=words.len().min(from + 4) {
                let key: String = words[from..to].iter().map(|word| word.1.as_str()).collect();
                let brands = &self.slow.catalog.brands;
                let Some(brand) =
                    brands.iter().position(|brand| brand.key == key && brand.priced[country] > 0)
                else {
                    continue;
                };
                let terms = words[from..to].iter().filter_map(|word| self.known(&word.0)).collect();
                let brand = NamedBrand { brand: brand as u32, terms };
                if !key.chars().all(|c| c.is_ascii_digit()) && named.iter().all(|of| of.brand != brand.brand)
                {
                    named.push(brand);
                }
            }
        }
        named
    }

    /// Whether a word is a name in the everyday table, or what a category is named after.
    fn is_name(&self, word: &str) -> bool {
        everyday::table().is_phrase(word) || self.slow.heads.contains(word)
    }

    /// The word that is asked for: the first of those that may be, or the first name behind properties.
    fn head(&self, q: &str, version: &[Piece]) -> Option<String> {
        let pieces = version.iter().flat_map(|piece| std::iter::repeat_n(piece, piece.from.len()));
        let pieces: Vec<&Piece> = pieces.collect();
        let of = |at: usize| pieces[at].folded.last().unwrap().clone();
        let head_nouns = name::head_nouns(Lexicon::shipped(), &terms(Lexicon::shipped(), q));
        let is_word = |at: &usize| pieces[*at].quantity.is_none();
        let all: Vec<String> = head_nouns.into_iter().filter(is_word).map(of).collect();
        let kinds = ["synonym", "variant", "colour", "flavour", "variety", "qualifier"];
        let is_form = |row: &[&str], word: &str| match row[0] {
            "variety" | "qualifier" => fold_term(row[3]) == word,
            _ => row[3] == word,
        };
        let is_property = |word: &str| rows().iter().any(|row| kinds.contains(&row[0]) && is_form(row, word));
        let properties = all.iter().take_while(|word| !self.is_name(word) && is_property(word)).count();
        all.get(properties).filter(|word| self.is_name(word)).or(all.first()).cloned()
    }

    /// Words that name something together only.
    fn compounds(version: &[Piece]) -> Vec<Vec<String>> {
        let words: Vec<(String, bool)> = version
            .iter()
            .flat_map(|piece| {
                let glued = |at: usize| at == 0 && piece.is_glued;
                piece.folded.iter().enumerate().map(move |(at, word)| (word.clone(), glued(at)))
            })
            .collect();
        let (mut compounds, mut at) = (Vec::new(), 0);
        while at < words.len() && compounds.len() < 8 {
            let text = |count: usize, by: &str| {
                words[at..at + count].iter().map(|word| word.0.as_str()).collect::<Vec<_>>().join(by)
            };
            let is_phrase = |count: &usize| {
                at + count <= words.len() && everyday::table().is_compound(&text(*count, " "))
            };
            let glued = 1 + words[at + 1..].iter().take_while(|word| word.1).count();
            let glued = Some(glued).filter(|&count| count > 1 && is_part_number(&text(count, "")));
            let count = [4, 3, 2].into_iter().find(is_phrase).or(glued).unwrap_or(1);
            if count > 1 {
                let own: BTreeSet<String> = words[at..at + count].iter().map(|word| word.0.clone()).collect();
                let is_new =
                    |word: &String| !compounds.iter().any(|other: &Vec<String>| other.contains(word));
                let own = own.into_iter().filter(is_new).collect();
                compounds.push(own);
            }
            at += count;
        }
        compounds
    }

    /// Properties of a version, and what else listings may state of the same.
    fn properties(&self, version: &[Piece], query: &QualityQuery) -> Vec<Property> {
        let words: Vec<String> = version.iter().flat_map(|piece| piece.folded.clone()).collect();
        let rows: Vec<Vec<&str>> = rows().into_iter().filter(|row| row[0] == "synonym").collect();
        let folded: Vec<String> =
            rows.iter().map(|row| label_terms(Lexicon::shipped(), row[3]).join(" ")).collect();
        let (mut properties, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let row = |count: usize| {
                let text = (at + count <= words.len()).then(|| words[at..at + count].join(" "))?;
                Some((count, &rows[folded.iter().position(|form| *form == text)?]))
            };
            let Some((count, own)) = (1..=4).rev().find_map(row) else {
                at += 1;
                continue;
            };
            let numbers = |forms: Vec<String>| -> Vec<Form> {
                let of = |form: &String| {
                    let terms = terms(Lexicon::shipped(), form);
                    terms.iter().map(|term| self.slow.number(&term.folded)).collect::<Option<Form>>()
                };
                forms.iter().filter_map(of).collect()
            };
            let shares = |row: &[&str]| {
                row[1] != own[1] && row[4].split(' ').any(|group| own[4].split(' ').any(|of| of == group))
            };
            let is_own = |term: u32| words[at..at + count].iter().any(|word| self.known(word) == Some(term));
            properties.push(Property {
                weight: query.terms.iter().filter(|of| is_own(of.term)).map(|of| of.weight).sum(),
                own: numbers(forms(&rows, |row| row[1] == own[1])),
                others: numbers(forms(&rows, shares)),
            });
            at += count;
        }
        properties
    }

    /// The categories in which the everyday table has what is asked for, by its longest phrase with the head.
    fn expected_categories(
        &self,
        version: &[Piece],
        head: &str,
        is_compound: bool,
    ) -> Vec<std::ops::Range<u32>> {
        let words: Vec<String> = version.iter().flat_map(|piece| piece.folded.clone()).collect();
        let at = words.iter().rposition(|word| word == head).unwrap();
        let longest = if is_compound { 4 } else { 1 };
        let mut best: Option<(usize, Vec<std::ops::Range<u32>>)> = None;
        for from in 0..=at {
            for to in at + 1..=words.len().min(from + longest) {
                if let Some(patterns) = everyday::table().patterns_of(&words[from..to].join(" "))
                    && best.as_ref().is_none_or(|(length, _)| to - from >= *length)
                {
                    let taxonomy = &self.slow.catalog.taxonomy;
                    let met = taxonomy.meetings(patterns).into_iter().map(|met| met.node);
                    let ranges = met.map(|node| node..taxonomy.node(node).subtree_end).collect();
                    best = Some((to - from, ranges));
                }
            }
        }
        best.map_or_else(Vec::new, |(_, expected_categories)| expected_categories)
    }

    /// What the quality of the matches of a version is measured by.
    fn weigh(&self, q: &str, version: &[Piece]) -> QualityQuery {
        let head = self.head(q, version);
        let brands = self.brands(version);
        let words = distinct(version);
        let piece = |word: &String| version.iter().find(|piece| piece.folded.contains(word)).unwrap();
        let idf = |word: &String| {
            let with = self.known(word).map_or(1, |term| self.slow.count(&[term], self.country));
            let idf = self.slow.idf(with, self.country).max(0.0);
            let is_weightless = is_ask_word(word) || piece(word).quantity.is_some();
            if is_weightless { 0 } else { (idf * f64::from(1 << 20)).round() as u64 }
        };
        let idfs: Vec<u64> = words.iter().map(idf).collect();
        let weighted = idfs.iter().filter(|idf| **idf > 0).count();
        let mean = idfs.iter().sum::<u64>() / weighted.max(1) as u64;
        let has_aside = words.iter().any(|word| word == "in" || of_kind("aside", word));
        let mut query = QualityQuery { is_title: weighted > 4, ..QualityQuery::default() };
        for (word, idf) in words.iter().zip(idfs) {
            let (is_head, known) = (Some(word) == head.as_ref(), self.known(word));
            let has = |is: fn(char) -> bool| word.contains(is);
            let is_type = |term: u32| {
                !has(|c| c.is_ascii_digit())
                    && (self.slow.names_type(term, self.country)
                        || is_head && everyday::table().has_word(word))
            };
            let role = known.map(|term| match (is_type(term), is_head) {
                (true, _) => Role::Type,
                (false, true) => Role::Name,
                (false, false) if has_aside || query.is_title => Role::Anywhere,
                (false, false) => Role::Any,
            });
            let is_noun = is_head && idf > 0 && role != Some(Role::Name);
            let mut weight = match known {
                _ if is_noun => idf.max(mean * 75 / 100) * 175 / 100,
                None => {
                    if query.is_title {
                        idf * 50 / 100
                    } else {
                        idf * 2
                    }
                }
                Some(_) => idf,
            };
            if known.is_some_and(|term| brands.iter().any(|brand| brand.terms.contains(&term))) {
                weight = weight * 130 / 100;
            }
            query.total += weight;
            let Some(term) = known else { continue };
            if is_head {
                query.head = Some(term);
            }
            query.terms.push(query_term(word, term, weight, role.unwrap(), piece(word)));
        }
        query.brands = brands;
        quantities_of(version, &mut query);
        self.add_roles(version, head, &mut query);
        query
    }

    /// What is asked for beside the words.
    fn add_roles(&self, version: &[Piece], head: Option<String>, query: &mut QualityQuery) {
        let words = distinct(version);
        query.asks_accessory = words.iter().any(|word| name::is_accessory(Lexicon::shipped(), word));
        if query.is_title {
            return;
        }
        for (at, own) in Self::compounds(version).into_iter().enumerate() {
            query.compounds.push(own.len() as u32);
            for of in &mut query.terms {
                if own.contains(&self.slow.terms[of.term as usize]) {
                    of.compound = Some(at);
                }
            }
            if head.as_ref().is_some_and(|head| own.contains(head)) {
                query.head_compound = Some(at);
            }
        }
        let head_compound = query.head_compound;
        for of in query.terms.iter_mut().filter(|of| of.compound.is_some() && of.compound == head_compound) {
            if query.head != Some(of.term) && of.role == Role::Type {
                of.role = Role::Any;
            }
        }
        query.properties = self.properties(version, query);
        if let Some(head) = head {
            let names_type = |term: u32| self.slow.names_type(term, self.country);
            query.properties.extend(self.other_products(&words, &head, query));
            query.asks_type = self.is_name(&head) || self.known(&head).is_some_and(names_type);
            query.expected_categories =
                self.expected_categories(version, &head, query.head_compound.is_some());
        }
    }

    /// Phrases of the lexicon in which what is asked for is part of the name of something else.
    fn other_products(&self, words: &[String], head: &str, query: &QualityQuery) -> Option<Property> {
        let phrases = forms(&rows(), |row| row[0] == "no_type" && row[3].contains(' '));
        let mut others: Vec<Form> = Vec::new();
        for phrase in phrases {
            let terms: Vec<String> =
                terms(Lexicon::shipped(), &phrase).into_iter().map(|term| term.folded).collect();
            if terms.iter().any(|term| term == head) && !terms.iter().all(|term| words.contains(term)) {
                others.extend(terms.iter().map(|term| self.slow.number(term)).collect::<Option<Form>>());
            }
        }
        let weight = query.terms.iter().find(|of| query.head == Some(of.term))?.weight;
        (!others.is_empty()).then(|| Property { weight, own: Vec::new(), others })
    }

    /// What is found of a version; `needed` are the terms that a match holds, or none for a weighty part.
    fn found(
        &self,
        q: &str,
        version: &[Piece],
        needed: &[String],
        limit: usize,
        is_tolerant: bool,
    ) -> Option<Found> {
        let terms = distinct(version);
        let known: Vec<u32> = terms.iter().filter_map(|term| self.known(term)).collect();
        let needed: Vec<u32> = needed.iter().filter_map(|term| self.known(term)).collect();
        let thing =
            self.slow.thing(&self.heads(q, version), if needed.is_empty() { &known } else { &needed });
        let quality = self.weigh(q, version);
        let least = MatchQuality::default();
        let sought = SoughtTerms {
            needed: &needed,
            scored: &known,
            product_type: thing,
            quality: Some(&quality),
            least,
        };
        let accept = |row: u32| self.accepts(row);
        let hits = if needed.is_empty() {
            self.slow.weighty_matches(sought, self.country, &accept)
        } else {
            let holds = |row: &u32| accept(*row) && needed.iter().all(|&term| self.slow.holds(*row, term));
            self.slow.ranked(self.slow.priced(self.country).filter(holds), sought, self.country)
        };
        let best = hits.first()?.row;
        let is_held = |term: &String| self.known(term).is_some_and(|term| self.slow.holds(best, term));
        let (mut corrected, mut dropped) = (Vec::new(), Vec::new());
        for piece in version {
            match &piece.to {
                _ if !self.is_held(best, piece) => dropped.extend(piece.from.clone()),
                Some(_) if piece.is_renamed => {}
                Some(to) => {
                    let parts = to.split(' ').zip(&piece.folded).filter(|(_, term)| is_held(term));
                    let parts: Vec<&str> = parts.map(|(part, _)| part).collect();
                    corrected.push((piece.from.join(" "), parts.join(" ")));
                }
                None => {}
            }
        }
        let least = terms.len().div_ceil(2);
        let half = if is_tolerant && !needed.is_empty() {
            self.slow.half_matches(sought, least, self.country, &accept)
        } else {
            Vec::new()
        };
        let matched = half.iter().take(limit).map(|hit| {
            [known.iter().filter(|&&term| self.slow.holds(hit.row, term)).count() as u32, terms.len() as u32]
        });
        let said = Said {
            matched: matched.collect(),
            corrected: Some(corrected).filter(|all| !all.is_empty()),
            dropped: Some(dropped).filter(|all| !all.is_empty()),
            read: None,
            distinct: terms.len(),
            hits: bits(&hits, limit),
            half: bits(&half, limit),
        };
        Some(Found { said, hits, version: version.to_vec(), is_whole: !needed.is_empty() })
    }

    /// Whether a row holds a word of a piece, or states its quantity.
    fn is_held(&self, row: u32, piece: &Piece) -> bool {
        let is_held = |term: &String| self.known(term).is_some_and(|term| self.slow.holds(row, term));
        let is_stated = |quantity| self.slow.catalog.text.stated(row, quantity) == Stated::Equal;
        piece.folded.iter().any(is_held) || piece.quantity.is_some_and(is_stated)
    }

    fn written(q: &str) -> Version {
        let piece = |term: pricebook::lang::text::terms::Term| Piece {
            is_glued: term.is_glued(),
            from: vec![term.written],
            folded: vec![term.folded],
            to: None,
            quantity: None,
            is_renamed: false,
        };
        terms(Lexicon::shipped(), q).into_iter().map(piece).collect()
    }

    /// The same with quantities, unless there is nothing else.
    fn measured(q: &str) -> Version {
        let mut version = Self::written(q);
        let word = |at: usize| version[at].folded[0].as_str();
        let mut read: Vec<Option<NumberCode>> = vec![None; version.len()];
        for at in 0..version.len() {
            read[at] = quantities::only(Lexicon::shipped(), word(at));
            if read[at].is_none() {
                read[at] = quantities::percentage(Lexicon::shipped(), q, word(at));
            }
            if at > 0
                && word(at - 1).starts_with(|c: char| c.is_ascii_digit())
                && word(at - 1).parse::<f64>().is_ok()
                && read[at - 1..=at] == [None, None]
            {
                let both = format!("{} {}", word(at - 1), word(at));
                let both = quantities::only(Lexicon::shipped(), &both);
                (read[at - 1], read[at]) = (both, both);
            }
        }
        if read.iter().any(Option::is_none) {
            version.iter_mut().zip(read).for_each(|(piece, quantity)| piece.quantity = quantity);
        }
        version
    }

    /// Other names of some pieces that have a word more than the version.
    fn other_names(version: &[Piece], pieces: &[Piece]) -> Vec<String> {
        let rows = rows();
        let kinds = ["synonym", "variant", "colour", "flavour"];
        let of = |text: &str| -> Vec<String> {
            let mut all = Vec::new();
            for kind in kinds {
                if let Some(own) = rows.iter().find(|row| row[0] == kind && row[3] == text) {
                    all.extend(forms(&rows, |row| row[0] == kind && row[1] == own[1] && row[3] != text));
                }
            }
            all
        };
        let written: Vec<String> =
            pieces.iter().map(|piece| piece.to.clone().unwrap_or_else(|| piece.from.concat())).collect();
        let (written, folded) = (written.join(" "), joined(pieces));
        let mut names: Vec<String> = everyday::table().names(&folded).map(str::to_owned).collect();
        names.extend(of(&written));
        if written != folded {
            names.extend(of(&folded));
        }
        let own = distinct(version);
        names.retain(|name| terms(Lexicon::shipped(), name).iter().any(|term| !own.contains(&term.folded)));
        names
    }

    /// Other names of pieces from left to right, where they lead to a better match that holds more of what was asked for.
    fn renamed(&self, q: &str, found: Option<&Found>, limit: usize) -> Option<Found> {
        let held = |found: &Found| -> usize {
            let held = found.version.iter().filter(|piece| self.is_held(found.hits[0].row, piece));
            held.map(|piece| piece.from.len()).sum()
        };
        let mut version = found.map_or_else(|| Self::measured(q), |found| found.version.clone());
        let (mut best, mut at, mut tried, mut tried_in_part) = (found.cloned(), 0, 0, 0);
        while at < version.len() {
            let before = best.as_ref().map_or(0, held);
            for count in (1..=4.min(version.len() - at)).rev() {
                let pieces = &version[at..at + count];
                for name in Self::other_names(&version, pieces) {
                    let folded: Vec<String> =
                        terms(Lexicon::shipped(), &name).into_iter().map(|term| term.folded).collect();
                    if tried == 16 || !folded.iter().all(|term| self.known(term).is_some()) {
                        continue;
                    }
                    tried += 1;
                    let piece = Piece {
                        from: pieces.iter().flat_map(|piece| piece.from.clone()).collect(),
                        folded,
                        to: Some(name),
                        quantity: None,
                        is_renamed: !pieces.iter().any(|piece| piece.to.is_some() && !piece.is_renamed),
                        is_glued: pieces[0].is_glued,
                    };
                    let mut other = version.clone();
                    other.splice(at..at + count, [piece]);
                    let needed = needed(&other);
                    let whole = if self.is_match(&needed) { needed } else { Vec::new() };
                    tried_in_part += usize::from(whole.is_empty());
                    if whole.is_empty() && tried_in_part > 4 {
                        continue;
                    }
                    let Some(other) = self.found(q, &other, &whole, limit, true) else { continue };
                    let row = other.hits[0].row;
                    let holds = |term: &String| self.known(term).is_some_and(|of| self.slow.holds(row, of));
                    let all = other.version.iter().map(|piece| piece.from.len()).sum::<usize>();
                    if other.version[at].folded.iter().all(holds)
                        && (held(&other) == all || held(&other) > before)
                        && best.as_ref().is_none_or(|best| other.quality() > best.quality())
                    {
                        best = Some(other);
                    }
                }
            }
            if let Some(best) = &best {
                version.clone_from(&best.version);
            }
            at += 1;
        }
        let is_other = |best: &Found| found.is_none_or(|found| best.version != found.version);
        best.filter(|best| best.quality().hundredths() >= 60 && is_other(best))
    }

    /// What is found of a text, and by which step.
    fn read(&self, q: &str, is_exact: bool, limit: usize) -> Option<(Found, Step)> {
        if is_exact {
            let written = Self::written(q);
            let last = |count: &usize| self.is_match(&distinct(&written[..*count]));
            let count = (1..=written.len()).rev().find(last)?;
            let found = self.found(q, &written, &distinct(&written[..count]), limit, false)?;
            return Some((found, Step::Exact));
        }
        let mut best = self.of_versions(q, limit);
        let is_sure = |best: &(Found, Step)| best.0.is_whole && best.0.quality().hundredths() >= 60;
        if best.as_ref().is_some_and(is_sure) {
            return best;
        }
        if let Some(renamed) = self.renamed(q, best.as_ref().map(|(found, _)| found), limit) {
            best = Some((renamed, Step::Renamed));
        }
        if best.as_ref().is_some_and(is_sure) {
            return best;
        }
        for name in everyday::table().other_names(q) {
            let version = Self::written(name);
            if !self.is_match(&distinct(&version)) {
                continue;
            }
            let found = self.found(name, &version, &distinct(&version), limit, true);
            if let Some(mut found) = found
                && found.quality().hundredths() >= 60
                && best.as_ref().is_none_or(|(best, _)| best.quality() < found.quality())
            {
                let from: Vec<String> =
                    terms(Lexicon::shipped(), q).into_iter().map(|term| term.written).collect();
                found.said.read = Some(vec![(from.join(" "), Some(name.to_owned()))]);
                best = Some((found, Step::Named));
            }
        }
        best
    }

    /// The first version that some listing holds as a whole, well enough if it is corrected, or else the best of all.
    fn of_versions(&self, q: &str, limit: usize) -> Option<(Found, Step)> {
        let written = Self::measured(q);
        let joined = self.joined_and_split(&written);
        let (respelled, both) = (self.respelled(&written), self.respelled(&joined));
        let versions = [written, joined, respelled, both];
        let (mut best, mut parts) = (None, Vec::new());
        for (at, version) in versions.iter().enumerate() {
            if !self.is_match(&needed(version)) {
                parts.push((at, version));
                continue;
            }
            let found = self.found(q, version, &needed(version), limit, true)?;
            if at == 0 || found.quality() >= DEFAULT_MIN_QUALITY {
                return Some((found, Step::Whole(at)));
            }
            if best.as_ref().is_none_or(|(best, _): &(Found, Step)| best.quality() < found.quality()) {
                best = Some((found, Step::Whole(at)));
            }
        }
        for (at, version) in parts {
            if let Some(found) = self.found(q, version, &[], limit, true)
                && best.as_ref().is_none_or(|(best, _)| best.quality() < found.quality())
            {
                best = Some((found, Step::Part(at)));
            }
        }
        best
    }

    fn understand(&self, q: &str, strictness: Strictness, limit: usize) -> Result<(Said, Step), Refused> {
        let asked = if strictness.is_exact { None } else { Lexicon::shipped().without_asking(q) };
        let text = asked.as_ref().map_or(q, |asked| &asked.rest);
        let default = if strictness.is_exact { 0 } else { DEFAULT_MIN_QUALITY.hundredths() };
        let least = strictness.min_quality.map_or(default, MatchQuality::hundredths);
        let found = self.read(text, strictness.is_exact, limit);
        let quality = found.as_ref().map_or(0, |(found, _)| found.quality().hundredths());
        match found {
            Some((found, step)) if quality >= least => {
                let mut said = found.said;
                let mut read = said.read.take().unwrap_or_else(|| {
                    let mut asked = terms(Lexicon::shipped(), text).into_iter();
                    let mut read = Vec::new();
                    for piece in &found.version {
                        let own: Vec<_> = asked.by_ref().take(piece.from.len()).collect();
                        if piece.is_renamed {
                            read.push((piece.from.join(" "), piece.to.clone()));
                            continue;
                        }
                        let is_converted =
                            |term: &Term| term.kind == TermKind::Quantity && term.written != term.folded;
                        let converted = own.into_iter().filter(is_converted);
                        read.extend(converted.map(|term| (term.written, Some(term.folded))));
                    }
                    read
                });
                read.extend(asked.into_iter().flat_map(|asked| asked.amounts).map(|from| (from, None)));
                said.read = Some(read).filter(|read| !read.is_empty());
                Ok((said, step))
            }
            found => {
                let hits = found.map_or(Vec::new(), |(found, _)| found.hits);
                let name = |hit: &Hit| self.slow.catalog.listing(hit.row).name().to_owned();
                Err(Refused {
                    terms: terms(Lexicon::shipped(), text).into_iter().map(|term| term.written).collect(),
                    quality,
                    nearest: hits.iter().take(3).map(|hit| (name(hit), hit.quality.hundredths())).collect(),
                })
            }
        }
    }
}

/// Each quantity weighs as the lower median of the words.
fn quantities_of(version: &[Piece], query: &mut QualityQuery) {
    let mut weights: Vec<u64> = query.terms.iter().map(|of| of.weight).filter(|of| *of > 0).collect();
    weights.sort_unstable();
    let weight = weights.get((weights.len().max(1) - 1) / 2).copied().unwrap_or(query.total);
    for piece in version {
        let is_new = |number: &NumberCode| query.quantities.iter().all(|of| of.number != *number);
        if let Some(number) = piece.quantity.filter(is_new) {
            query.quantities.push(QueryQuantity { number, weight });
            query.total += weight;
        }
    }
}

/// A known word of a version as a term of the query.
fn query_term(word: &str, term: u32, weight: u64, role: Role, piece: &Piece) -> QueryTerm {
    let is_number = is_quantity(word) || word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_part_number = piece.quantity.is_none() && is_part_number(word);
    QueryTerm {
        term,
        weight,
        full_pct: if piece.to.is_some() && !piece.is_renamed { 55 } else { 100 },
        role,
        is_evidence: weight > 0 && (is_part_number || !is_number),
        is_part_number,
        compound: None,
    }
}

/// Whether a word is one number with its unit.
fn is_quantity(word: &str) -> bool {
    let all = terms(Lexicon::shipped(), word);
    all.len() == 1 && all[0].kind == TermKind::Quantity
}

/// Whether letters and digits, four or more, are no number with a unit.
fn is_part_number(word: &str) -> bool {
    word.len() >= 4
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && word.contains(|c: char| c.is_ascii_digit())
        && (!word.contains(|c: char| c.is_ascii_alphabetic()) || !is_quantity(word))
}

fn bits(hits: &[Hit], limit: usize) -> Vec<(u32, u8, u32)> {
    let bits = |hit: &Hit| (hit.row, hit.quality.hundredths(), hit.score.to_bits());
    hits.iter().take(limit).map(bits).collect()
}

/// Words of names, mistyped, joined, split, in the wrong order, beside words that nobody knows.
fn asked(slow: &Slow<'_>, rng: &mut Rng) -> String {
    let mut words: Vec<String> = Vec::new();
    let parts = match rng.below(100) {
        0 => 40,
        1..5 => 8,
        _ => 1 + rng.below(4) / 3,
    };
    for _ in 0..parts {
        let row = rng.below(slow.listings.len()) as u32;
        let listing = slow.catalog.listing(row);
        let shelf = &slow.catalog.taxonomy.node(listing.category()).path;
        let text = format!("{} {} {shelf}", listing.brand().unwrap_or_default(), listing.name());
        let own: Vec<&str> = text.split_whitespace().collect();
        let from = rng.below(own.len());
        words.extend(own.iter().skip(from).take(1 + rng.below(4)).map(|word| (*word).to_owned()));
    }
    let unknown = ["unheard", "zzyzx", "qwertyuiop", "99x99", "abcdefghijkl"];
    let asking: Vec<&str> = ASK_WORDS.split(' ').collect();
    for _ in 0..rng.below(4) * parts {
        let at = rng.below(words.len());
        match rng.below(9) {
            0..4 => words[at] = typo(&words[at], rng),
            4 if at + 1 < words.len() => {
                let glue = ["", "", "-", "/", " - "][rng.below(5)];
                let second = words.remove(at + 1);
                words[at] = format!("{}{glue}{second}", words[at]);
            }
            5 => {
                let letters: Vec<char> = words[at].chars().collect();
                let (left, right) = letters.split_at(rng.below(letters.len()));
                words[at] = left.iter().chain(&[' ']).chain(right).collect();
            }
            6 => words.insert(at, (*rng.pick(&unknown).unwrap()).to_owned()),
            7 => words.insert(at, (*rng.pick(&asking).unwrap()).to_owned()),
            _ => words.push(words[at].clone()),
        }
    }
    words.join(" ")
}

fn told(understood: &Understood, scope: &Scope<'_>, limit: usize) -> Said {
    let catalog = scope.slow.catalog;
    let wanted = scope.wanted(limit);
    let half = understood.half_matches(catalog, &wanted);
    // Matches below the quality of another reading are left out until they are asked for again.
    let all = understood.again(catalog, &wanted);
    assert!(all.hits.starts_with(&understood.matches.hits));
    assert!(!understood.matches.all || understood.matches == all);
    let reading = &understood.reading;
    let best = understood.matches.hits[0].quality;
    assert_eq!(reading.match_quality, Some(best.ratio()));
    let pair = |of: &Correction| (of.from.clone(), of.to.clone());
    let read = |of: &Reading| (of.from.clone(), of.to.clone());
    Said {
        corrected: reading.corrected_terms.as_ref().map(|all| all.iter().map(pair).collect()),
        dropped: reading.dropped_terms.clone(),
        read: reading.understood_as.as_ref().map(|all| all.iter().map(read).collect()),
        distinct: understood.distinct,
        hits: bits(&all.hits, usize::MAX),
        half: bits(&half.hits, usize::MAX),
        matched: half.hits.iter().map(|hit| understood.matched(catalog, hit.row)).collect(),
    }
}

/// Compares one query; what is said of it, and by which step.
fn compare(scope: &Scope<'_>, q: &str, strictness: Strictness, limit: usize) -> Result<(Said, Step), String> {
    let wanted = scope.wanted(limit);
    let found = match understand(scope.slow.catalog, q, strictness, &wanted) {
        Ok(understood) => Ok(told(&understood, scope, limit)),
        Err(WeakMatch { terms, quality, nearest, .. }) => Err(Refused {
            terms,
            quality: quality.hundredths(),
            nearest: nearest.into_iter().map(|(name, quality)| (name, quality.hundredths())).collect(),
        }),
    };
    let (expected, step) = match scope.understand(q, strictness, limit) {
        Ok((said, step)) => (Ok(said), step),
        Err(refused) if refused.nearest.is_empty() => (Err(refused), Step::Nothing),
        Err(refused) => (Err(refused), Step::Refused),
    };
    if found == expected {
        return Ok((expected.unwrap_or_default(), step));
    }
    let at = format!("{q:?} {:?} {:?} {strictness:?} {step:?}", scope.country, scope.retailer);
    Err(format!("{at}\n  found    {found:?}\n  expected {expected:?}"))
}

/// As words are written, or not.
fn strictness(is_exact: bool) -> Strictness {
    Strictness { is_exact, ..Strictness::default() }
}

#[test]
fn queries_are_understood_as_the_law_has_it() {
    let out = tempfile::tempdir().unwrap();
    let catalog = shop::build(8, out.path());
    let slow = Slow::of(&catalog);
    let mut rng = Rng::new(19);
    let (mut wrong, mut steps, mut half) = (Vec::new(), BTreeMap::new(), 0);
    for _ in 0..QUERIES {
        let q = asked(&slow, &mut rng);
        let retailer = rng.chance(30).then(|| ["alpha", "beta", "gamma", "nobody"][rng.below(4)]);
        let scope = Scope { slow: &slow, country: Country::ALL[rng.below(2)], retailer };
        let min_quality = [None, None, Some(0), Some(0), Some(60), Some(100)][rng.below(6)];
        let min_quality = min_quality.map(MatchQuality::of_hundredths);
        let strictness = Strictness { min_quality, ..strictness(rng.chance(15)) };
        match compare(&scope, &q, strictness, 1 + rng.below(5)) {
            Ok((said, step)) => {
                *steps.entry(step).or_insert(0) += 1;
                half += usize::from(!said.half.is_empty());
            }
            Err(fault) => wrong.push(fault),
        }
    }
    assert!(wrong.is_empty(), "{} of {QUERIES}\n{}", wrong.len(), wrong.join("\n"));
    let versions = (0..4).flat_map(|at| [Step::Whole(at), Step::Part(at)]);
    let all: Vec<Step> = versions.chain([Step::Exact, Step::Renamed, Step::Refused, Step::Nothing]).collect();
    assert!(all.iter().all(|step| steps.contains_key(step)) && half > QUERIES / 10, "{steps:?} {half}");
}

/// What is said of a query in the shop, compared.
fn said(scope: &Scope<'_>, q: &str, is_exact: bool) -> (Said, Step) {
    let any = Some(MatchQuality::default());
    let strictness = Strictness { min_quality: any, ..strictness(is_exact) };
    compare(scope, q, strictness, 5).unwrap_or_else(|fault| panic!("{fault}"))
}

fn pairs(all: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
    let pair = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
    (!all.is_empty()).then(|| all.iter().map(pair).collect())
}

/// A catalog of rows (country, retailer, name, brand, shelf) and their prices.
fn catalog_of<'a>(
    rows: impl IntoIterator<Item = ((&'a str, &'a str, &'a str, &'a str, &'a str), &'a str)>,
    out: &Path,
) -> Catalog {
    let input = tempfile::tempdir().unwrap();
    let mut listings = String::from("country,platform,product_id,product_name,brand,category_path\n");
    let mut observations = String::from("country,platform,product_id,date,price\n");
    for (id, ((country, platform, name, brand, shelf), price)) in rows.into_iter().enumerate() {
        writeln!(listings, "{country},{platform},{id},{name},{brand},{shelf}").unwrap();
        writeln!(observations, "{country},{platform},{id},2026-10-01,{price}").unwrap();
    }
    std::fs::write(input.path().join("listings.csv"), listings).unwrap();
    std::fs::write(input.path().join("observations.csv"), observations).unwrap();
    let id = crafted::build(input.path(), out, None).unwrap().id;
    Catalog::open(&out.join(id)).unwrap()
}

/// Corner by corner, with what is said of it.
#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn corners_of_the_law() {
    let rows = [
        ("us", "alpha", "Smooth Peanut Butter", "Kraft", "Food > Spreads"),
        ("us", "alpha", "Strawberry Jam", "Smucker", "Food > Spreads"),
        ("us", "beta", "Chocolate Cookies", "Oreo", "Food > Snacks"),
        ("us", "beta", "Chocolate Cookies Cookie Tin", "Oreo", "Food > Snacks"),
        ("us", "beta", "Wireless Keyboard K400", "Logitech", "Electronics > Keyboards"),
        ("us", "beta", "Wireless Mouse", "Logitech", "Electronics > Mice"),
        ("us", "alpha", "Cordless Drill", "DeWalt", "Tools"),
        ("us", "alpha", "Best of the West Coffee", "", "Food"),
        ("us", "alpha", "Gala", "", "Apples > Red"),
        ("us", "alpha", "Merlot 0.75L", "", "Drinks > Wine"),
        ("us", "alpha", "USB-C AM/FM WH-1000XM4 Radio 910-000692", "Sony", "Electronics"),
        ("ca", "alpha", "Maple Syrup", "", "Food"),
    ];
    let out = tempfile::tempdir().unwrap();
    let catalog = catalog_of(rows.map(|row| (row, "9.99")), out.path());
    let slow = Slow::of(&catalog);
    let scope = Scope { slow: &slow, country: Country::Us, retailer: None };
    for (q, corrected, dropped, step) in [
        ("cookie", &[][..], &[][..], Step::Whole(0)),
        ("peanutbutter", &[("peanutbutter", "peanut butter")], &[], Step::Whole(1)),
        ("de walt drill", &[("de walt", "dewalt")], &[], Step::Whole(1)),
        // As names write it, not in the unit that terms are compared in.
        ("merlot0.75l", &[("merlot0.75l", "merlot 0.75l")], &[], Step::Whole(1)),
        ("am-fm radio", &[], &[], Step::Whole(0)),
        // Digits alone are joined where there are many.
        ("sony 910000692", &[], &[], Step::Whole(0)),
        ("sony 910/000692", &[], &[], Step::Whole(0)),
        ("wh1000-xm4", &[("wh1000 xm4", "wh1000xm4")], &[], Step::Whole(1)),
        ("choclate coookie", &[("choclate", "chocolate"), ("coookie", "cookies")], &[], Step::Whole(2)),
        (
            "peanutbutter smoth",
            &[("peanutbutter", "peanut butter"), ("smoth", "smooth")],
            &[],
            Step::Whole(3),
        ),
        ("strawbery jam unheardof", &[("strawbery", "strawberry")], &["unheardof"], Step::Part(2)),
        ("cheap wireless keyboard", &[], &["cheap"], Step::Part(0)),
        ("the best peanut butter", &[], &["the", "best"], Step::Part(0)),
        ("wireless jam keyboard", &[], &["jam"], Step::Part(0)),
        ("K4O0 k400", &[], &["k4o0"], Step::Part(0)),
        // A word of the table of everyday names is never corrected.
        ("jams", &[], &[], Step::Whole(0)),
        ("cordless grill", &[], &["grill"], Step::Part(0)),
        // The head noun counts twice.
        ("keyboard cordless drill", &[], &["keyboard"], Step::Part(0)),
        // A colour is no thing, though a category is called so.
        ("red wine", &[], &["red"], Step::Part(0)),
        // Not all that hyphens join.
        ("x-wh-1000-xm4", &[("1000 xm4", "1000xm4")], &["x"], Step::Part(1)),
        ("wh-1000-xm4", &[("wh 1000 xm4", "wh1000xm4")], &[], Step::Whole(1)),
    ] {
        let dropped: Vec<String> = dropped.iter().map(|term: &&str| (*term).to_owned()).collect();
        let (said, taken) = said(&scope, q, false);
        let expected = (pairs(corrected), Some(dropped).filter(|all| !all.is_empty()), step);
        assert_eq!((said.corrected, said.dropped, taken), expected, "{q}");
    }
    for q in ["peanutbutter", "choclate coookie", "de walt"] {
        assert_eq!(said(&scope, q, true).1, Step::Nothing, "{q}");
    }
    assert_eq!(said(&scope, "cookie choclate", true).0.dropped, Some(vec!["choclate".into()]));
    // Words about asking match what is written so, and are nothing left of something else.
    assert_eq!(said(&scope, "the best of", false).1, Step::Whole(0));
    assert_eq!(said(&scope, "the best unheardof", false).1, Step::Nothing);
    // Nothing left: at another retailer, in the other country, of nothing at all.
    let beta = Scope { retailer: Some("beta"), ..scope };
    for q in ["strawberry jam", "", "-- !", "qwertyuiop", "maple syrup", "the", "straberry"] {
        assert_eq!(said(&beta, q, false).1, Step::Nothing, "{q}");
    }
    // Many terms: the ninth unknown one and the seventeenth known one are of no account.
    let unknown: Vec<String> = (0..8).map(|at| format!("nowhere{}", "z".repeat(20 + at))).collect();
    let many = format!("{} choclate cookies", unknown.join(" "));
    assert_eq!(said(&scope, &many, false).0.corrected, None);
    let all: Vec<&str> = rows.iter().filter(|row| row.0 == "us").map(|row| row.2).collect();
    for turned in 0..all.len() {
        let mut all = all.clone();
        all.rotate_left(turned);
        said(&scope, &all.join(" "), false);
        said(&scope, &all.join(" "), true);
    }
}

/// The head of the query is what it asks for, whatever became of its spelling; a qualifier is not. Of each two names with
/// the same words the cheaper one would come first.
#[test]
fn the_head_of_a_query_is_what_it_asks_for() {
    let names = [
        "Chocolate Milk",
        "Milk Chocolate",
        "Lait au chocolat",
        "Chocolat au lait",
        "Rouge vin",
        "Vin rouge",
        "Goat Cheese",
        "Broccoli & Cheese",
        "Roasted Coffee Beans",
        "Coffee Flavoured Yogurt",
        "Miel liquide Billy Bee",
        "Moutarde au miel",
        "Yogourt grec nature Oikos",
        "Raisins secs au yogourt",
        "Folding Studio Headphones Black",
        "Headphones Case Black",
    ];
    let rows = names.map(|name| ("ca", "alpha", name, "", ""));
    let out = tempfile::tempdir().unwrap();
    let catalog = catalog_of(rows.into_iter().zip(["2.00", "1.00"].into_iter().cycle()), out.path());
    for (q, first) in [
        ("chocolate milk", "Chocolate Milk"),
        ("milk chocolate", "Milk Chocolate"),
        ("choclate milk", "Chocolate Milk"),
        ("chocolatemilk", "Chocolate Milk"),
        ("chocolate milk unheardof", "Chocolate Milk"),
        ("chocolate milk for dogs", "Chocolate Milk"),
        ("lait au chocolat", "Lait au chocolat"),
        ("chocolat au lait", "Chocolat au lait"),
        // Both are wine.
        ("vin rouge", "Vin rouge"),
        // What is added to another thing, and what it tastes of, is less so.
        ("cheese", "Goat Cheese"),
        ("coffee", "Roasted Coffee Beans"),
        ("miel", "Miel liquide Billy Bee"),
        ("yogourts", "Yogourt grec nature Oikos"),
        ("headphones", "Folding Studio Headphones Black"),
        // Nothing is white: of the words that are left, the last that something is.
        ("chocolate milk white", "Chocolate Milk"),
    ] {
        let wanted = SearchScope { country: Country::Ca, limit: 1, among: None, accept: |_| true };
        let any = Strictness { min_quality: Some(MatchQuality::default()), ..Strictness::default() };
        let understood = understand(&catalog, q, any, &wanted).unwrap();
        assert_eq!(catalog.listing(understood.matches.hits[0].row).name(), first, "{q}");
    }
}
