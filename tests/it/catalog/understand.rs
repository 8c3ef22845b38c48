//! What a text is understood as, against the law of tolerant search worked out word by word over all listings.

use crate::support::crafted;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::support::searching::{Slow, shop, typo};
use pricebook::bench::load::rng::Rng;
use pricebook::catalog::{Catalog, Hit, SoughtTerms, Wanted};
use pricebook::domain::text::terms::terms;
use pricebook::domain::text::{fold_term, name};
use pricebook::domain::{Country, everyday};
use pricebook::query::refusal::Refusal;
use pricebook::query::search::{Correction, Understood, understand};

const QUERIES: usize = 600;
const ASK_WORDS: &str = "a the of for buy price cheap cheapest best le la les de du des prix";

/// A part of the query with the terms that it is read as: two where it was split.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    from: Vec<String>,
    folded: Vec<String>,
    to: Option<String>,
    is_glued: bool,
}

type Version = Vec<Piece>;

/// What is said of a query.
#[derive(Debug, Default, PartialEq)]
struct Said {
    corrected: Option<Vec<(String, String)>>,
    dropped: Option<Vec<String>>,
    distinct: usize,
    /// Rows and bits of scores.
    hits: Vec<(u32, u32)>,
    half: Vec<(u32, u32)>,
    matched: Vec<[u32; 2]>,
}

/// By which step a query was understood: which version as a whole, or what was left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Exact,
    Whole(usize),
    Dropped(usize),
    Heaviest(usize),
    Nothing,
}

/// What is said where nothing is left.
#[derive(Debug, PartialEq)]
struct Nothing {
    terms: Vec<String>,
    suggestions: Vec<String>,
    other_country: Option<Country>,
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

impl Scope<'_> {
    fn accepts(&self, row: u32) -> bool {
        self.retailer.is_none_or(|retailer| self.slow.catalog.listing(row).retailer() == retailer)
    }

    fn wanted(&self, limit: usize) -> Wanted<'_, impl Fn(u32) -> bool> {
        let catalog = self.slow.catalog;
        let platform = self.retailer.and_then(|retailer| catalog.platform(retailer));
        let among = platform.map(|platform| catalog.places_at(platform, self.country));
        Wanted { country: self.country, limit, among, accept: |row| self.accepts(row) }
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
                        Piece { from, folded: vec![folded], to: Some(to), is_glued: written[at].is_glued },
                    ))
                });
            if let Some((count, piece)) = joined {
                out.push(piece);
                at += count;
                continue;
            }
            let mut piece = written[at].clone();
            if self.known(&piece.folded[0]).is_none() {
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
        let compared = |half: &[char]| match &terms(&half.iter().collect::<String>())[..] {
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
            if piece.folded.iter().all(|term| self.known(term).is_some()) {
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

    /// Weight of a term in fractions of 2^20, so that equal sums are equal.
    fn weight(&self, term: &str) -> u64 {
        let with = self.known(term).map_or(0, |term| self.slow.count(&[term], self.country));
        let weight = (self.slow.idf(with, self.country) * f64::from(1 << 20)).round() as u64;
        match term {
            _ if is_ask_word(term) => 0,
            _ if self.slow.heads.contains(term) && !everyday::table().is_colour(term) => 2 * weight,
            _ => weight,
        }
    }

    /// What is kept of a version, and whether it is the heaviest set.
    fn kept(&self, version: &[Piece]) -> (Vec<String>, bool) {
        let known: Vec<String> =
            distinct(version).into_iter().filter(|term| self.known(term).is_some()).collect();
        let mut kept = known.clone();
        if !self.is_match(&kept) {
            kept.retain(|term| !is_ask_word(term));
        }
        while !kept.is_empty() && !self.is_match(&kept) {
            kept.pop();
        }
        let weight = |terms: &[String]| terms.iter().map(|term| self.weight(term)).sum::<u64>();
        if 2 * weight(&kept) >= weight(&known) {
            return (kept, false);
        }
        let first: Vec<(u32, u64)> =
            known.iter().take(16).map(|term| (self.known(term).unwrap(), self.weight(term))).collect();
        let held = self.slow.heaviest(&first, self.country, &|row| self.accepts(row));
        (known.into_iter().zip(held).filter(|(_, held)| *held).map(|(term, _)| term).collect(), true)
    }

    /// What the words became that may be the head of a query: of a piece that was split, the last word.
    fn heads(&self, q: &str, version: &[Piece]) -> Vec<u32> {
        let pieces = version.iter().flat_map(|piece| std::iter::repeat_n(piece, piece.from.len()));
        let pieces: Vec<&Piece> = pieces.collect();
        let known = |at: usize| self.known(pieces[at].folded.last().unwrap());
        name::heads(&terms(q)).into_iter().filter_map(known).collect()
    }

    fn said(&self, q: &str, version: &[Piece], kept: &[String], limit: usize, is_tolerant: bool) -> Said {
        let terms = distinct(version);
        let known: Vec<u32> = terms.iter().filter_map(|term| self.known(term)).collect();
        let (mut corrected, mut dropped) = (Vec::new(), Vec::new());
        for piece in version {
            let is_kept = piece.folded.iter().any(|term| kept.contains(term));
            match &piece.to {
                _ if !is_kept => dropped.extend(piece.from.clone()),
                Some(to) => {
                    let parts = to.split(' ').zip(&piece.folded).filter(|(_, term)| kept.contains(term));
                    let parts: Vec<&str> = parts.map(|(part, _)| part).collect();
                    corrected.push((piece.from.join(" "), parts.join(" ")));
                }
                None => {}
            }
        }
        let bits =
            |hits: Vec<Hit>| hits.iter().take(limit).map(|hit| (hit.row, hit.score.to_bits())).collect();
        let needed: Vec<u32> = kept.iter().filter_map(|term| self.known(term)).collect();
        let thing = self.slow.thing(&self.heads(q, version), &needed);
        let sought = SoughtTerms { needed: &needed, scored: &known, thing };
        let hits = self.slow.ranked(self.matches(kept).into_iter(), sought, self.country);
        let least = terms.len().div_ceil(2);
        let half = if is_tolerant {
            self.slow.half_matches(sought, least, self.country, &|row| self.accepts(row))
        } else {
            Vec::new()
        };
        let matched = half.iter().take(limit).map(|hit| {
            [known.iter().filter(|&&term| self.slow.holds(hit.row, term)).count() as u32, terms.len() as u32]
        });
        Said {
            matched: matched.collect(),
            corrected: Some(corrected).filter(|all| !all.is_empty()),
            dropped: Some(dropped).filter(|all| !all.is_empty()),
            distinct: terms.len(),
            hits: bits(hits),
            half: bits(half),
        }
    }

    fn understand(&self, q: &str, is_exact: bool, limit: usize) -> Result<(Said, Step), Nothing> {
        let piece = |term: pricebook::domain::text::terms::Term| Piece {
            is_glued: term.is_glued(),
            from: vec![term.written],
            folded: vec![term.folded],
            to: None,
        };
        let written: Version = terms(q).into_iter().map(piece).collect();
        if self.is_match(&distinct(&written)) {
            return Ok((self.said(q, &written, &distinct(&written), limit, !is_exact), Step::Whole(0)));
        }
        if is_exact {
            let last = |count: &usize| self.is_match(&distinct(&written[..*count]));
            let count = (1..written.len()).rev().find(last).ok_or_else(|| self.nothing(&written))?;
            let dropped = written[count..].iter().flat_map(|piece| piece.from.clone()).collect();
            let said = self.said(q, &written, &distinct(&written[..count]), limit, false);
            return Ok((Said { dropped: Some(dropped), ..said }, Step::Exact));
        }
        let joined = self.joined_and_split(&written);
        let (respelled, both) = (self.respelled(&written), self.respelled(&joined));
        let versions = [written, joined, respelled, both];
        if let Some(at) = versions.iter().position(|version| self.is_match(&distinct(version))) {
            return Ok((self.said(q, &versions[at], &distinct(&versions[at]), limit, true), Step::Whole(at)));
        }
        let mut best: Option<(f64, usize, Vec<String>, bool)> = None;
        for (at, version) in versions.iter().enumerate() {
            let (kept, is_heaviest) = self.kept(version);
            let weight = |terms: &[String]| terms.iter().map(|term| self.weight(term)).sum::<u64>() as f64;
            // Sums are exact, and a quotient of equals is equal.
            let share = weight(&kept) / weight(&distinct(version)).max(1.0);
            if best.as_ref().map_or(0.0, |(most, ..)| *most) < share {
                best = Some((share, at, kept, is_heaviest));
            }
        }
        let (_, at, kept, is_heaviest) = best.ok_or_else(|| self.nothing(&versions[0]))?;
        let step = if is_heaviest { Step::Heaviest(at) } else { Step::Dropped(at) };
        Ok((self.said(q, &versions[at], &kept, limit, true), step))
    }

    fn nothing(&self, written: &[Piece]) -> Nothing {
        let unknown = written.iter().find(|piece| self.known(&piece.folded[0]).is_none());
        let near = unknown.map(|piece| self.slow.near(&piece.from[0], &piece.folded[0], self.country));
        let other = Country::ALL.into_iter().find(|&country| country != self.country).unwrap();
        let anywhere = Scope { slow: self.slow, country: other, retailer: None };
        Nothing {
            terms: written.iter().map(|piece| piece.from[0].clone()).collect(),
            suggestions: near
                .unwrap_or_default()
                .into_iter()
                .take(5)
                .map(|term| self.spelled(term))
                .collect(),
            other_country: Some(other).filter(|_| anywhere.is_match(&distinct(written))),
        }
    }
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
    let bits = |hits: &[Hit]| hits.iter().map(|hit| (hit.row, hit.score.to_bits())).collect();
    let half = understood.half_matches(catalog, &wanted);
    assert_eq!(understood.again(catalog, &wanted), understood.matches);
    let pair = |of: &Correction| (of.from.clone(), of.to.clone());
    Said {
        corrected: understood.corrected_terms.as_ref().map(|all| all.iter().map(pair).collect()),
        dropped: understood.dropped_terms.clone(),
        distinct: understood.distinct,
        hits: bits(&understood.matches.hits),
        half: bits(&half.hits),
        matched: half.hits.iter().map(|hit| understood.matched(catalog, hit.row)).collect(),
    }
}

/// Compares one query; what is said of it, and by which step.
fn compare(scope: &Scope<'_>, q: &str, is_exact: bool, limit: usize) -> Result<(Said, Step), String> {
    let wanted = scope.wanted(limit);
    let found = match understand(scope.slow.catalog, q, is_exact, &wanted) {
        Ok(understood) => Ok(told(&understood, scope, limit)),
        Err(Refusal::NoResults { details, .. }) => Err(Nothing {
            terms: details.terms.unwrap(),
            suggestions: details.suggestions.unwrap(),
            other_country: details.other_country.unwrap(),
        }),
        Err(other) => panic!("{other:?}"),
    };
    let (expected, step) = match scope.understand(q, is_exact, limit) {
        Ok((said, step)) => (Ok(said), step),
        Err(nothing) => (Err(nothing), Step::Nothing),
    };
    if found == expected {
        return Ok((expected.unwrap_or_default(), step));
    }
    let at = format!("{q:?} {:?} {:?} {step:?}", scope.country, scope.retailer);
    Err(format!("{at}\n  found    {found:?}\n  expected {expected:?}"))
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
        match compare(&scope, &q, rng.chance(15), 1 + rng.below(5)) {
            Ok((said, step)) => {
                *steps.entry(step).or_insert(0) += 1;
                half += usize::from(!said.half.is_empty());
            }
            Err(fault) => wrong.push(fault),
        }
    }
    assert!(wrong.is_empty(), "{} of {QUERIES}\n{}", wrong.len(), wrong.join("\n"));
    let versions = (0..4).flat_map(|at| [Step::Whole(at), Step::Dropped(at)]);
    let all: Vec<Step> = versions.chain([Step::Exact, Step::Heaviest(0), Step::Nothing]).collect();
    assert!(all.iter().all(|step| steps.contains_key(step)) && half > QUERIES / 10, "{steps:?} {half}");
}

/// What is said of a query in the shop, compared.
fn said(scope: &Scope<'_>, q: &str, is_exact: bool) -> (Said, Step) {
    compare(scope, q, is_exact, 5).unwrap_or_else(|fault| panic!("{fault}"))
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
        ("strawbery jam unheardof", &[("strawbery", "strawberry")], &["unheardof"], Step::Dropped(2)),
        ("cheap wireless keyboard", &[], &["cheap"], Step::Dropped(0)),
        ("the best peanut butter", &[], &["the", "best"], Step::Dropped(0)),
        ("wireless jam keyboard", &[], &["jam"], Step::Heaviest(0)),
        ("K4O0 k400", &[], &["k4o0"], Step::Dropped(0)),
        // A word of the table of everyday names is never corrected.
        ("jams", &[], &[], Step::Whole(0)),
        ("cordless grill", &[], &["grill"], Step::Dropped(0)),
        // Just half of the weight: the thing that a category names counts twice.
        ("keyboard cordless drill", &[], &["cordless", "drill"], Step::Dropped(0)),
        // A colour is no thing, though a category is called so.
        ("red wine", &[], &["red"], Step::Heaviest(0)),
        // Not all that hyphens join.
        ("x-wh-1000-xm4", &[("1000 xm4", "1000xm4")], &["x"], Step::Dropped(1)),
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
    let Err(nothing) = scope.understand("maple syrup", false, 1) else { panic!("us has no maple syrup") };
    assert_eq!(nothing.other_country, Some(Country::Ca));
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
        let wanted = Wanted { country: Country::Ca, limit: 1, among: None, accept: |_| true };
        let understood = understand(&catalog, q, false, &wanted).unwrap();
        assert_eq!(catalog.listing(understood.matches.hits[0].row).name(), first, "{q}");
    }
}
