//! The words of a tree's segments, and where a pattern meets them.
//!
//! The words of each label are folded and numbered once, in their order, so that a pattern's word is a range of
//! numbers and a search reads nothing but numbers.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{IDLE_WORDS, Pattern, PatternWord, Table, bare};
use crate::lang::lexicon::{Kind, Lexicon};
use crate::lang::text::terms::{Term, terms};

/// Signs between the things that a label lists.
const LIST_SIGNS: [char; 8] = ['&', ',', ';', '/', '(', ')', '+', '|'];
/// Things told apart in one label; further ones count as the last.
const PARTS_MAX: usize = 64;

/// The words of the labels of a tree.
#[derive(Debug, Default)]
pub struct Segments {
    /// Every word, in order.
    vocabulary: Vec<String>,
    nodes: Vec<Node>,
    /// Nodes whose label has a word, by word.
    with: Vec<Vec<u32>>,
}

#[derive(Debug, Default)]
struct Node {
    parent: Option<u32>,
    words: Vec<SegmentWord>,
}

/// A word of a label.
#[derive(Debug, Clone, Copy)]
struct SegmentWord {
    word: u32,
    /// Which of the things that the label lists it belongs to.
    part: u8,
    /// Whether it sets that thing apart from what the part's other words name.
    is_apart: bool,
    /// Whether it says nothing about it.
    is_idle: bool,
}

/// The numbers of the words that meet each word of a pattern.
struct PatternWords {
    held: Vec<Range<u32>>,
    without: Vec<Range<u32>>,
}

/// Where a pattern meets a tree. The better the less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternMatch {
    /// The node.
    pub node: u32,
    /// Whether those above it hold some of the words.
    pub is_spread: bool,
    /// Which of the patterns it is.
    pub pattern: u32,
}

impl Segments {
    /// Of nodes by label and parent, parents first.
    pub fn of<'a>(table: &Table, nodes: impl IntoIterator<Item = (&'a str, Option<u32>)>) -> Self {
        let mut labels = Vec::new();
        let mut parents = Vec::new();
        for (label, parent) in nodes {
            labels.push(parts(table, label));
            parents.push(parent);
        }
        let vocabulary: BTreeSet<&String> =
            labels.iter().flatten().flatten().map(|word| &word.folded).collect();
        let vocabulary: Vec<String> = vocabulary.into_iter().cloned().collect();
        let apart: Vec<bool> =
            vocabulary.iter().map(|word| table.apart().iter().any(|apart| apart.is_met_by(word))).collect();
        let mut with = vec![Vec::new(); vocabulary.len()];
        let mut nodes = Vec::with_capacity(labels.len());
        for (at, (parts, parent)) in (0..).zip(labels.iter().zip(parents)) {
            let mut words = Vec::new();
            for (part, terms) in parts.iter().enumerate() {
                words.extend(terms.iter().filter_map(|term| {
                    let word = vocabulary.binary_search(&term.folded).ok()?;
                    Some(SegmentWord {
                        word: word as u32,
                        part: part.min(PARTS_MAX - 1) as u8,
                        is_apart: terms.len() > 1 && apart[word],
                        is_idle: term.is_idle,
                    })
                }));
            }
            for SegmentWord { word, .. } in &words {
                with[*word as usize].push(at);
            }
            nodes.push(Node { parent, words });
        }
        with.iter_mut().for_each(Vec::dedup);
        Self { vocabulary, nodes, with }
    }

    /// Every word of the tree, in order, with the nodes whose labels have it.
    pub fn words(&self) -> impl Iterator<Item = (&str, &[u32])> {
        self.vocabulary.iter().map(String::as_str).zip(self.with.iter().map(Vec::as_slice))
    }

    /// Where any of the patterns meets the tree: each node once, at its best, in order.
    pub fn meetings(&self, patterns: &[Pattern]) -> Vec<PatternMatch> {
        let meetings = numbered(patterns).flat_map(|(at, pattern)| {
            let candidates = self.wanted(pattern).map(|wanted| {
                let mut nodes: Vec<u32> =
                    wanted.held.iter().flat_map(|words| self.nodes_with(words)).collect();
                nodes.sort_unstable();
                nodes.dedup();
                (nodes, wanted)
            });
            self.held(at, candidates)
        });
        best(meetings.collect())
    }

    /// Those of the meetings where a node's own label holds a whole pattern.
    pub fn whole_meetings(&self, patterns: &[Pattern]) -> Vec<PatternMatch> {
        let meetings = numbered(patterns).flat_map(|(at, pattern)| self.whole_at(at, pattern));
        best(meetings.collect())
    }

    /// Nodes whose own label holds the whole pattern, in order.
    pub fn whole(&self, pattern: &Pattern) -> Vec<u32> {
        self.whole_at(0, pattern).into_iter().map(|meeting| meeting.node).collect()
    }

    fn whole_at(&self, at: u32, pattern: &Pattern) -> Vec<PatternMatch> {
        let candidates = self.wanted(pattern).and_then(|wanted| {
            let rarest = wanted.held.iter().min_by_key(|words| self.nodes_with(words).count())?;
            let mut nodes: Vec<u32> = self.nodes_with(rarest).collect();
            nodes.sort_unstable();
            nodes.dedup();
            Some((nodes, wanted))
        });
        let mut held = self.held(at, candidates);
        held.retain(|meeting| !meeting.is_spread);
        held
    }

    /// What a pattern wants; `None` where no word meets one of its.
    fn wanted(&self, pattern: &Pattern) -> Option<PatternWords> {
        let numbers = |words: &[PatternWord]| words.iter().map(|word| self.numbers(word)).collect();
        let wanted = PatternWords { held: numbers(pattern.words()), without: numbers(pattern.without()) };
        wanted.held.iter().all(|words| !words.is_empty()).then_some(wanted)
    }

    fn nodes_with(&self, words: &Range<u32>) -> impl Iterator<Item = u32> {
        self.with[words.start as usize..words.end as usize].iter().flatten().copied()
    }

    /// Those of the candidates that hold what is wanted, in order.
    fn held(&self, at: u32, candidates: Option<(Vec<u32>, PatternWords)>) -> Vec<PatternMatch> {
        let Some((nodes, wanted)) = candidates else { return Vec::new() };
        let meeting = |node| {
            let is_spread = self.holds(node, &wanted)?;
            Some(PatternMatch { node, is_spread, pattern: at })
        };
        nodes.into_iter().filter_map(meeting).collect()
    }

    /// Whether a node holds all that is wanted only together with those above it; `None` where it does not.
    fn holds(&self, node: u32, wanted: &PatternWords) -> Option<bool> {
        let own = self.words_of(node);
        let is_wanted = |word: u32| wanted.held.iter().any(|range| range.contains(&word));
        let with = |is_in: &dyn Fn(&SegmentWord) -> bool| {
            own.iter().filter(|word| is_in(word)).fold(0_u64, |parts, word| parts | 1 << word.part)
        };
        let other_things = with(&|word| word.is_apart && !is_wanted(word.word));
        let said = |but: u64, range: &Range<u32>| {
            own.iter().any(|word| but & 1 << word.part == 0 && range.contains(&word.word))
        };
        let is_whole = wanted.held.iter().all(|range| said(other_things, range));
        if !is_whole {
            // What borrows a word must be no more than the words that are wanted: "Food > Hot Dogs" is no dog food.
            let but = with(&|word| !word.is_idle && !is_wanted(word.word));
            let is_own = |range: &&Range<u32>| said(but, range);
            let mut missing = wanted.held.iter().filter(|range| !is_own(range));
            if !wanted.held.iter().any(|range| is_own(&range))
                || !missing.all(|range| self.is_said_above(node, range))
            {
                return None;
            }
        }
        let is_unwanted = |word: &SegmentWord| wanted.without.iter().any(|range| range.contains(&word.word));
        let mut path = std::iter::once(node).chain(self.above(node));
        (wanted.without.is_empty() || !path.any(|node| self.words_of(node).iter().any(is_unwanted)))
            .then_some(!is_whole)
    }

    /// Whether a segment above a node says a word, and none between them chooses another of the things that it lists:
    /// "Beer & Wine > Wine > Red" is no beer.
    fn is_said_above(&self, node: u32, range: &Range<u32>) -> bool {
        let mut between = vec![node];
        for above in self.above(node) {
            let words = self.words_of(above);
            let said = |part: u8| words.iter().any(|word| word.part == part && range.contains(&word.word));
            let chosen = |word: &SegmentWord| {
                !word.is_idle
                    && between.iter().any(|&node| self.words_of(node).iter().any(|own| own.word == word.word))
            };
            let chooses = |is_said: bool| words.iter().any(|word| said(word.part) == is_said && chosen(word));
            if words.iter().any(|word| range.contains(&word.word)) && (chooses(true) || !chooses(false)) {
                return true;
            }
            between.push(above);
        }
        false
    }

    fn words_of(&self, node: u32) -> &[SegmentWord] {
        &self.nodes[node as usize].words
    }

    fn above(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.nodes[node as usize].parent, |&node| self.nodes[node as usize].parent)
    }

    /// The numbers of the words that meet a pattern's word.
    fn numbers(&self, word: &PatternWord) -> Range<u32> {
        let (from, to) = match word {
            PatternWord::Whole(whole) => (
                self.vocabulary.partition_point(|word| word < whole),
                self.vocabulary.partition_point(|word| word <= whole),
            ),
            PatternWord::Beginning(beginning) => {
                let from = self.vocabulary.partition_point(|word| word < beginning);
                let meeting = self.vocabulary[from..].iter().take_while(|other| word.is_met_by(other));
                (from, from + meeting.count())
            }
        };
        from as u32..to as u32
    }
}

fn numbered(patterns: &[Pattern]) -> impl Iterator<Item = (u32, &Pattern)> {
    (0..).zip(patterns)
}

/// The best meeting of each node, in order.
fn best(mut meetings: Vec<PatternMatch>) -> Vec<PatternMatch> {
    meetings.sort_unstable();
    meetings.dedup_by_key(|meeting| meeting.node);
    meetings
}

/// A word of a label, before it is numbered.
struct LabelWord {
    folded: String,
    is_idle: bool,
}

/// The words of each thing that a label lists: "Mice & Mouse Pads" are "mice" and "mouse pads", "Laptop & Tablet
/// Cases" are "laptop cases" and "tablet cases", and "Vegetable Juice (Except Tomato)" is "vegetable juice".
fn parts(table: &Table, label: &str) -> Vec<Vec<LabelWord>> {
    let lexicon = Lexicon::shipped();
    let mut parts: Vec<Vec<Term>> = Vec::new();
    let mut is_excepted = false;
    for listed in label.split_inclusive(LIST_SIGNS) {
        for thing in terms(lexicon, listed).split(|term| lexicon.has(Kind::Joining, &term.written)) {
            let exception = thing.iter().position(|term| is_aside(term, "except"));
            let held = if is_excepted { &[] } else { &thing[..exception.unwrap_or(thing.len())] };
            is_excepted |= exception.is_some();
            parts.extend((!held.is_empty()).then(|| held.to_vec()));
        }
        is_excepted &= !listed.ends_with(')');
    }
    if let Some(gear) = shared_gear(table, &parts) {
        for part in parts.iter_mut().filter(|part| is_shared(part, &gear)) {
            part.push(gear.term.clone());
        }
    }
    // Without its accent, "thé" is an article.
    let has_tea = parts.iter().flatten().any(|term| term.written == "the") && bare(label).contains("thé");
    let word = |term: Term| {
        let written = term.written.as_str();
        let is_article = IDLE_WORDS.contains(&written) && !(has_tea && written == "the");
        LabelWord { is_idle: is_article || is_aside(&term, "for"), folded: term.folded }
    };
    parts.into_iter().map(|part| part.into_iter().map(word).collect()).collect()
}

/// Whether a term is a form of a word after which a label speaks of other things.
fn is_aside(term: &Term, canonical: &str) -> bool {
    Lexicon::shipped().canonical(Kind::Aside, &term.written) == Some(canonical)
}

/// Gear that a label says once for several things.
struct Gear {
    term: Term,
    /// Where it is said.
    part: Vec<Term>,
    /// Whether what goes with it may be a plural, as in "Cases for Laptops and Tablets".
    is_before: bool,
}

/// The gear of the last thing that a label lists, or of the first where "for" follows it.
fn shared_gear(table: &Table, parts: &[Vec<Term>]) -> Option<Gear> {
    let [first, .., last] = parts else { return None };
    let is_gear = |term: &Term| table.gear().iter().any(|gear| gear.is_met_by(&term.folded));
    let gear =
        |term: &Term, part: &[Term], is_before| Gear { term: term.clone(), part: part.to_vec(), is_before };
    match (first.as_slice(), last.as_slice()) {
        ([term, word, _, ..], _) if is_gear(term) && is_aside(word, "for") => Some(gear(term, first, true)),
        (_, part @ [_, .., term]) if is_gear(term) => Some(gear(term, part, false)),
        _ => None,
    }
}

/// Whether a part is one thing that the gear goes with too. A plural before it stands for itself, and so does what the
/// gear's own part names again: "Laptops & Tablet Cases" and "Tablet & Tablet Cases" hold what comes first.
fn is_shared(part: &[Term], gear: &Gear) -> bool {
    let ([term] | [_, term]) = part else { return false };
    let is_one = part.len() == 1 || is_aside(&part[0], "for");
    let is_named = gear.part.iter().any(|named| named.folded == term.folded);
    is_one && !is_named && (gear.is_before || term.folded == term.written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::everyday::table;

    /// A tree of display paths, whose prefixes are in it too.
    fn tree(paths: &[&str]) -> (Segments, Vec<String>) {
        let mut all: Vec<String> = Vec::new();
        for path in paths {
            let labels: Vec<&str> = path.split(" > ").collect();
            all.extend((1..=labels.len()).map(|depth| labels[..depth].join(" > ")));
        }
        all.sort();
        all.dedup();
        let parent = |path: &str| {
            let (above, _) = path.rsplit_once(" > ")?;
            all.iter().position(|other| other == above).map(|at| at as u32)
        };
        let nodes: Vec<(&str, Option<u32>)> =
            all.iter().map(|path| (path.rsplit(" > ").next().unwrap_or_default(), parent(path))).collect();
        (Segments::of(table(), nodes), all)
    }

    fn met(paths: &[&str], pattern: &str) -> Vec<(String, bool)> {
        let (segments, all) = tree(paths);
        let pattern = Pattern::parse(pattern).expect("a pattern");
        let meetings = segments.meetings(&[pattern]);
        meetings.into_iter().map(|met| (all[met.node as usize].clone(), met.is_spread)).collect()
    }

    #[test]
    fn a_segment_holds_a_pattern_alone_or_with_those_above_it() {
        let paths = ["Grocery > Soft Drinks > Cola", "Soft > Drinks", "Drinks > Soft"];
        let found = met(&paths, "soft drink");
        let expected = [("Drinks > Soft", true), ("Grocery > Soft Drinks", false), ("Soft > Drinks", true)];
        assert_eq!(found, expected.map(|(path, is_spread)| (path.to_owned(), is_spread)));
    }

    #[test]
    fn matches_a_parent_segment_only_weakly() {
        assert_eq!(met(&["Soft Drinks > Cola"], "drink"), [("Soft Drinks".to_owned(), false)]);
    }

    #[test]
    fn words_are_compared_folded_and_by_their_beginnings() {
        assert_eq!(met(&["Cookies", "Cooky", "Œufs"], "cookies").len(), 2);
        assert_eq!(met(&["Œufs", "Boîtiers"], "oeuf").len(), 1);
        assert_eq!(met(&["Chocolates", "Chocolatey things", "Chalk"], "choco*").len(), 2);
        assert!(met(&["Chalk"], "choco*").is_empty());
    }

    #[test]
    fn other_things_are_apart() {
        for label in
            ["Printer Ink", "Printer Accessories", "Accessories for Printers", "Accessoires d'imprimante"]
        {
            assert!(met(&[label], "printer").is_empty(), "{label}");
            assert!(met(&[label], "imprimante").is_empty(), "{label}");
        }
        for label in ["Printers & Accessories", "Ink, Printers", "Printers/Ink", "Printers and Ink"] {
            assert_eq!(met(&[label], "printer").len(), 1, "{label}");
        }
        assert_eq!(met(&["Printer Ink"], "printer ink").len(), 1);
        assert_eq!(met(&["Ink"], "ink").len(), 1);
    }

    #[test]
    fn gear_is_shared_by_the_things_that_a_label_lists() {
        for label in [
            "Laptop & Tablet Accessories",
            "Tablet, Laptop and Phone Cases",
            "Laptop/Tablet Bags",
            "Accessoires pour tablettes et laptops",
            "Cases for Phones & for Laptops",
            "Laptop & Tablet Protectors",
        ] {
            assert!(met(&[label], "laptop").is_empty(), "{label}");
        }
        for label in [
            "Laptops & Tablet Accessories",
            "Laptop & Accessories",
            "Laptop & Laptop Cases",
            "Laptop, Tablet",
            "Étuis et laptops",
        ] {
            assert_eq!(met(&[label], "laptop").len(), 1, "{label}");
        }
        assert_eq!(
            met(&["Laptop & Tablet Cases"], "laptop case"),
            [("Laptop & Tablet Cases".to_owned(), false)]
        );
        assert!(met(&["Tea & Coffee Makers"], "tea").is_empty());
        assert_eq!(met(&["Ketchup, Mustard & BBQ Sauce"], "mustard").len(), 1);
    }

    #[test]
    fn does_not_match_phrases_that_share_only_a_word() {
        let shop = "Food > Hot Dogs";
        assert!(met(&[shop], "dog food").is_empty());
        assert!(met(&["Food > Fresh Fish"], "fish food").is_empty());
        assert!(met(&["Pasta & Rice > Dry Pasta"], "rice dry").is_empty());
        assert!(met(&["Beer & Wine > Wine > Red Wine"], "red beer").is_empty());
        for (path, pattern) in [
            ("Dog > Food > Dry Food", "dog food"),
            ("Food > Fish & Hot Dogs", "fish food"),
            ("Wine > France > Red", "wine red"),
            ("Vin > de France", "vin france"),
            ("Bières et thés > La bière > Noire", "biere noire"),
        ] {
            assert!(met(&[path], pattern).iter().any(|(_, is_spread)| *is_spread), "{path}");
        }
    }

    #[test]
    fn a_word_of_a_list_is_borrowed_where_none_between_chooses_another() {
        let path = "Beer & Wine > Wine > Red";
        assert!(met(&[path], "beer red").is_empty());
        assert_eq!(met(&[path], "wine red"), [(path.to_owned(), true)]);
        assert_eq!(met(&["Beer & Wine > Red"], "beer red").len(), 1);
        assert!(met(&["Frozen & Dairy > Dairy > Cream"], "frozen cream").is_empty());
        // Folded, tea looks like an article.
        assert!(met(&["Cafés et thés > Thés > Instantanés"], "cafe instantane").is_empty());
        assert!(met(&["Bières et thés > Thé noir"], "biere noir").is_empty());
        // One that chooses both.
        assert_eq!(met(&["Beer & Wine > Wine & Beer > Red"], "beer red").len(), 1);
    }

    #[test]
    fn a_path_must_not_hold_what_a_pattern_is_without() {
        let paths = ["Bakery > Pain", "Pain & Fever Relief", "Savons > Pain", "Bain > Pains de savon"];
        assert_eq!(met(&paths, "pain -relief -savon"), [("Bakery > Pain".to_owned(), false)]);
        assert_eq!(met(&paths, "pain bakery -relief"), [("Bakery > Pain".to_owned(), true)]);
        assert!(met(&paths, "pain -bake*").iter().all(|(path, _)| !path.starts_with("Bakery")));
        assert_eq!(met(&paths, "pain -unheard").len(), 4);
    }

    #[test]
    fn does_not_match_excepted_items() {
        let label = "Vinegar All-Except Wine/Rice";
        assert_eq!(met(&[label], "vinegar").len(), 1);
        for thing in ["wine", "rice", "wine vinegar"] {
            assert!(met(&[label], thing).is_empty(), "{thing}");
        }
        let label = "Veg Juice (Except Tomato) (Chilled), Sauf Carotte";
        assert_eq!(met(&[label], "chilled").len(), 1);
        for thing in ["tomato", "tomato juice", "carotte"] {
            assert!(met(&[label], thing).is_empty(), "{thing}");
        }
    }

    #[test]
    fn a_node_is_met_once_at_its_best() {
        let (segments, _) = tree(&["Drinks > Soft Drinks"]);
        let patterns =
            ["drink juice", "soft drink", "drink"].map(|text| Pattern::parse(text).expect("a pattern"));
        let found = segments.meetings(&patterns);
        let expected = [(0, 2), (1, 1)];
        assert_eq!(found, expected.map(|(node, pattern)| PatternMatch { node, is_spread: false, pattern }));
        assert_eq!(segments.whole(&patterns[2]), [0, 1]);
        assert_eq!(segments.whole_meetings(&patterns), found);
    }
}
