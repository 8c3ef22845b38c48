//! Resolves the text of `category` and `department` to a category scope.
//!
//! A text has several readings, for example as a path, as one segment or as an everyday name ([`MatchSource`]). They
//! are tried from the most to the least specific, and the first reading that finds a category of the country is used.
//! If this reading finds several categories, they are ranked by confidence, then by number of priced listings.

mod spelling;

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use super::descriptor::free_list;
use super::params::{Kind, Param};
use super::refusal::{NoResultsDetails, NoResultsReason, Refusal, Sought};
use crate::analytics::category_scope::{CategoryScope, path_of, priced_rows, slug_of};
use crate::catalog::{Catalog, Node, words};
use crate::lang::everyday::segments::PatternMatch;
use crate::lang::everyday::{self, Pattern};
use crate::lang::text::name::{self, label_product_types};
use crate::lang::text::terms::{label_terms, terms};
use crate::lang::text::{fold_term, slug, slug_path, twins};
use crate::snapshot::layout::AliasTarget;
use crate::types::{Country, Ratio4};

/// Maximum number of alternates in a `resolved` block.
pub const ALTERNATES_MAX: usize = 5;
/// Maximum number of suggestions in a refusal.
pub const SUGGESTIONS_MAX: usize = 5;
/// Confidence of an everyday name whose words are spread over several segments of the path.
const SPREAD_CONFIDENCE: f64 = 0.6;
/// Minimum overlap of words (Jaccard index) that counts as a match.
const JACCARD_MIN: f64 = 0.5;
/// Minimum similarity (Jaro-Winkler) of a suggestion that does not have a word in common with the text.
const SUGGESTION_SIMILARITY_MIN: f64 = 0.7;

/// Maximum number of bytes of a text that are compared with categories for suggestions.
const COMPARED_BYTES_MAX: usize = 120;
/// Maximum number of child categories that a message lists.
const CHILDREN_MAX: usize = 12;

/// `category`.
pub static CATEGORY: Param = Param {
    name: "category",
    kind: Kind::Text,
    about: "A category: display path (A > B > C), slug path (a/b/c), one segment, an everyday shelf name in English \
            or French, or a classification code of 8 digits, which includes every brick below it.",
};
/// `node`, an alias of `category`.
pub static NODE: Param = Param { name: "node", kind: Kind::Text, about: "The same as category." };
/// `department`.
pub static DEPARTMENT: Param = Param {
    name: "department",
    kind: Kind::Text,
    about: "A root segment of the category tree, any case; narrows category, or selects the department if alone.",
};

/// How a category text was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchSource {
    /// A classification code of eight digits.
    Gpc,
    /// A complete path from the root.
    Path,
    /// Two or more segments at the end of a path.
    Subtree,
    /// One whole segment of a path.
    Segment,
    /// An everyday name, or the singular or plural of a segment.
    Alias,
    /// An everyday name, in English or French, whose words occur in the path. Confidence is 0.65 if the last segment
    /// contains all of the words, and 0.6 if some of them are only in the segments above it.
    Everyday,
    /// Words in common with a segment, at least half of all words of the text and the segment.
    Text,
    /// The parameter `department` without `category`.
    Department,
}

impl MatchSource {
    fn confidence(self) -> f64 {
        match self {
            Self::Gpc | Self::Path | Self::Department => 1.0,
            Self::Subtree => 0.9,
            Self::Segment => 0.8,
            Self::Alias => 0.7,
            Self::Everyday => 0.65,
            Self::Text => 0.6,
        }
    }
}

/// The `resolved` block of category answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ResolvedCategory")]
pub struct Resolved {
    /// Requested category or department, as given.
    pub input: String,
    /// Display path of the category (A > B > C), or the ancestry of the classification code.
    pub category_path: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was understood.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
    /// Other categories that the input may mean, best first, at most five.
    pub alternates: Vec<Alternate>,
}

/// Another category that the input may mean.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AlternateCategory")]
pub struct Alternate {
    /// Display path of the category (A > B > C), or the ancestry of the classification code.
    pub category_path: String,
    /// Slug path that selects it as `category`, or the classification code.
    pub slug: String,
    /// Root segment of the path; null for a classification code.
    pub department: Option<String>,
    /// How the input was matched with this category.
    pub match_source: MatchSource,
    /// Confidence of the match, 0 to 1.
    pub match_confidence: Ratio4,
    /// Number of listings of this category in the country with a price of the last 90 days.
    pub products: u32,
}

/// A category scope that matches an input.
struct Candidate {
    category_scope: CategoryScope,
    source: MatchSource,
    confidence: f64,
    /// Whether the candidate ranks behind all others regardless of confidence: the text is an everyday name of the
    /// category, but the category has no priced listing in the country.
    is_unpriced: bool,
    /// Rank among candidates of equal confidence, which is compared before the number of products: index of the
    /// matched pattern, then depth of the node.
    place: (u32, u32),
}

/// Resolves `category` and `department`, at least one of which must be given.
///
/// # Errors
/// Returns `NO_RESULTS` if no category of the country matches. [`super::suggest::complete`] adds suggestions.
pub fn resolve(
    catalog: &Catalog,
    country: Country,
    category: Option<&str>,
    department: Option<&str>,
) -> Result<(CategoryScope, Resolved), Refusal> {
    let view = View { catalog, country };
    let input = category.or(department).unwrap_or_default();
    let (best, others) = view.find(category, department).map_err(|(text, root)| {
        view.unknown(text, root).elsewhere(view.other_country(category, department))
    })?;
    let alternates = others.iter().take(ALTERNATES_MAX).map(|other| view.alternate(other)).collect();
    let Alternate { category_path, department, match_source, match_confidence, .. } = view.alternate(&best);
    let resolved = Resolved {
        input: input.to_owned(),
        category_path,
        department,
        match_source,
        match_confidence,
        alternates,
    };
    Ok((best.category_scope, resolved))
}

impl Candidate {
    fn node(node: Node, source: MatchSource) -> Self {
        Self::of(CategoryScope::Category(node), source)
    }

    /// Creates the candidate of a classification code. A code is accepted even if the country does not have a listing
    /// with this code.
    fn code(node: u32, within: Option<Node>, source: MatchSource) -> Self {
        Self::of(CategoryScope::Code { node, within }, source)
    }

    fn of(category_scope: CategoryScope, source: MatchSource) -> Self {
        Self { category_scope, source, confidence: source.confidence(), is_unpriced: false, place: (0, 0) }
    }
}

/// A text that matches no category, and the root category within which it was looked up.
type Unknown<'t> = (&'t str, Option<Node>);

/// A catalog as seen from one country.
struct View<'a> {
    catalog: &'a Catalog,
    country: Country,
}

impl View<'_> {
    /// Returns the best match, and the other matches in rank order.
    fn find<'t>(
        &self,
        category: Option<&'t str>,
        department: Option<&'t str>,
    ) -> Result<(Candidate, Vec<Candidate>), Unknown<'t>> {
        let root = match department {
            Some(department) => Some(self.root(department).ok_or((department, None))?),
            None => None,
        };
        let mut candidates = match (category, root) {
            (Some(category), root) => self.candidates(category, root),
            (None, Some(root)) => vec![Candidate::node(root, MatchSource::Department)],
            (None, None) => Vec::new(),
        };
        self.rank(&mut candidates);
        let mut candidates = candidates.into_iter();
        let unknown = (category.or(department).unwrap_or_default(), root);
        Ok((candidates.next().ok_or(unknown)?, candidates.collect()))
    }

    /// Returns the root category that a department text names, if the country has it.
    fn root(&self, department: &str) -> Option<Node> {
        let node = self.catalog.taxonomy.by_slug(&slug(department))?;
        (self.catalog.taxonomy.node(node).parent.is_none() && self.exists(node)).then_some(node)
    }

    /// Sorts the candidates, best first.
    fn rank(&self, candidates: &mut [Candidate]) {
        candidates.sort_by_cached_key(|candidate| {
            // Confidence is not negative, so its bits have the same order as its value.
            (
                candidate.is_unpriced,
                Reverse(candidate.confidence.to_bits()),
                candidate.place,
                Reverse(self.products(candidate.category_scope)),
                self.slug(candidate.category_scope),
            )
        });
    }

    fn exists(&self, node: Node) -> bool {
        self.catalog.taxonomy.exists(self.country, node)
    }

    /// Returns the matches of the first reading that has a match.
    fn candidates(&self, input: &str, root: Option<Node>) -> Vec<Candidate> {
        if let Some(code) = self.code(input) {
            return vec![Candidate::code(code, root, MatchSource::Gpc)];
        }
        let paths = paths(input);
        let readings: [(MatchSource, Vec<Node>); 3] = [
            (MatchSource::Path, self.by_path(&paths)),
            (MatchSource::Subtree, self.by_subtree(&paths)),
            (MatchSource::Segment, self.by_segment(&paths)),
        ];
        for (source, nodes) in readings {
            let found: Vec<Candidate> =
                self.narrow(nodes, root).map(|node| Candidate::node(node, source)).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let found = self.by_alias(input, &paths, root);
        if !found.is_empty() {
            return found;
        }
        let patterns = everyday::table().patterns(input);
        let found = patterns.as_deref().map_or_else(Vec::new, |patterns| self.by_phrase(patterns, root));
        if found.is_empty() { self.by_words(input, patterns.is_some(), root) } else { found }
    }

    /// Returns the nodes of the country without duplicates, within the root if one is given.
    fn narrow(&self, mut nodes: Vec<Node>, root: Option<Node>) -> impl Iterator<Item = Node> {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter().filter(move |&node| self.is_within(node, root))
    }

    /// Whether the country has the node, and the node is within the root if one is given.
    fn is_within(&self, node: Node, root: Option<Node>) -> bool {
        self.exists(node) && root.is_none_or(|root| self.catalog.taxonomy.is_below(node, root))
    }

    fn code(&self, input: &str) -> Option<u32> {
        let input = input.trim();
        let digits = input.len() == 8 && input.bytes().all(|byte| byte.is_ascii_digit());
        let code = digits.then(|| input.parse().ok()).flatten()?;
        self.catalog.classification.as_ref()?.by_code(code)
    }

    fn by_path(&self, paths: &[String]) -> Vec<Node> {
        paths.iter().filter_map(|path| self.catalog.taxonomy.by_slug(path)).collect()
    }

    fn by_subtree(&self, paths: &[String]) -> Vec<Node> {
        let taxonomy = &self.catalog.taxonomy;
        let ends_with = |path: &String| {
            let (_, last) = path.rsplit_once('/')?;
            let tail = format!("/{path}");
            Some(
                taxonomy
                    .by_segment(last)
                    .iter()
                    .copied()
                    .filter(move |&node| taxonomy.node(node).slug.ends_with(&tail)),
            )
        };
        paths.iter().filter_map(ends_with).flatten().collect()
    }

    fn by_segment(&self, paths: &[String]) -> Vec<Node> {
        let single = paths.iter().filter(|path| !path.contains('/'));
        single.flat_map(|path| self.catalog.taxonomy.by_segment(path)).copied().collect()
    }

    /// Matches everyday names, and segments that are the singular or plural of the input.
    fn by_alias(&self, input: &str, paths: &[String], root: Option<Node>) -> Vec<Candidate> {
        let taxonomy = &self.catalog.taxonomy;
        let mut nodes: Vec<Node> = Vec::new();
        let mut codes: Vec<u32> = Vec::new();
        for target in taxonomy.alias(&slug(input)) {
            match target {
                AliasTarget::Category(path) => nodes.extend(taxonomy.by_slug(path)),
                AliasTarget::Code(code) => {
                    codes.extend(self.catalog.classification.as_ref().and_then(|gpc| gpc.by_code(*code)));
                }
            }
        }
        for path in paths.iter().filter(|path| !path.contains('/')) {
            nodes.extend(twins(path).iter().flat_map(|twin| taxonomy.by_segment(twin)));
        }
        codes.sort_unstable();
        codes.dedup();
        let source = MatchSource::Alias;
        let codes = codes.into_iter().map(|code| Candidate::code(code, root, source));
        self.narrow(nodes, root).map(|node| Candidate::node(node, source)).chain(codes).collect()
    }

    /// Matches the patterns of an everyday name. Category scopes with a price in the country come first.
    fn by_phrase(&self, patterns: &[Pattern], root: Option<Node>) -> Vec<Candidate> {
        let taxonomy = &self.catalog.taxonomy;
        let is_unpriced = |node| taxonomy.priced_rows(self.country, node).is_empty();
        let mut meetings = taxonomy.whole_meetings(patterns);
        meetings.retain(|met| self.is_within(met.node, root));
        if meetings.iter().filter(|met| !is_unpriced(met.node)).count() <= ALTERNATES_MAX {
            // Nodes whose pattern is spread over several segments are added only if the other nodes do not fill the
            // alternates.
            meetings = taxonomy.meetings(patterns);
            meetings.retain(|met| self.is_within(met.node, root));
        }
        let place = |met: &PatternMatch| {
            (is_unpriced(met.node), met.is_spread, met.pattern, taxonomy.node(met.node).depth)
        };
        meetings.sort_by_key(place);
        if let Some(last) = meetings.get(ALTERNATES_MAX).map(place) {
            // Nodes that rank behind the last alternate are dropped before their products are counted.
            meetings.retain(|met| place(met) <= last);
        }
        let candidate = |met: PatternMatch| {
            let whole = Candidate::node(met.node, MatchSource::Everyday);
            let confidence = if met.is_spread { SPREAD_CONFIDENCE } else { whole.confidence };
            let (is_unpriced, _, pattern, depth) = place(&met);
            Candidate { confidence, is_unpriced, place: (pattern, depth), ..whole }
        };
        meetings.into_iter().map(candidate).collect()
    }

    /// Matches segments that share at least half of their words with the input. If the head noun of the input is an
    /// everyday name by itself, a segment must contain it: "whisky cream" is not whisky. If the input is an everyday name
    /// (`is_name`), a partial match would be another product ("fleurs" is not "choux-fleurs"). Such an input matches
    /// only if it has several words and the segment contains all of them except colours.
    fn by_words(&self, input: &str, is_name: bool, root: Option<Node>) -> Vec<Candidate> {
        let asked = words(&slug(input));
        let product = self.head_product(input);
        let all = (0..self.catalog.taxonomy.nodes().len() as Node).collect();
        let overlap = |node| {
            let own = &self.catalog.taxonomy.node(node).words;
            let jaccard = jaccard(&asked, own);
            let confidence = MatchSource::Text.confidence() * jaccard;
            let is_told =
                |word: &String| own.binary_search(word).is_ok() || everyday::table().is_colour(word);
            let is_product = |product: &String| own.iter().any(|word| fold_term(word) == *product);
            let is_held = || !is_name || asked.len() > 1 && asked.iter().all(is_told);
            (jaccard >= JACCARD_MIN && product.as_ref().is_none_or(is_product) && is_held())
                .then_some(Candidate { confidence, ..Candidate::node(node, MatchSource::Text) })
        };
        self.narrow(all, root).filter_map(overlap).collect()
    }

    /// Returns the folded head noun of a text that is not a path, if it is an everyday name by itself.
    fn head_product(&self, input: &str) -> Option<String> {
        if everyday::is_path(input) {
            return None;
        }
        let terms = terms(&self.catalog.lexicon, input);
        let head = name::head(&self.catalog.lexicon, &terms)?;
        Some(terms[head].folded.clone()).filter(|head| everyday::table().is_phrase(head))
    }

    /// Returns the number of priced listings of a category scope in the country.
    fn products(&self, of: CategoryScope) -> u32 {
        priced_rows(self.catalog, self.country, of).count() as u32
    }

    fn slug(&self, of: CategoryScope) -> String {
        slug_of(self.catalog, of)
    }

    /// Returns the label of the root category above a category scope. `None` for a classification code.
    fn department(&self, of: CategoryScope) -> Option<String> {
        let taxonomy = &self.catalog.taxonomy;
        match of {
            CategoryScope::Category(node) => Some(taxonomy.node(taxonomy.node(node).root).label.clone()),
            CategoryScope::Code { .. } => None,
        }
    }

    fn alternate(&self, candidate: &Candidate) -> Alternate {
        Alternate {
            category_path: path_of(self.catalog, candidate.category_scope),
            slug: self.slug(candidate.category_scope),
            department: self.department(candidate.category_scope),
            match_source: candidate.source,
            match_confidence: Ratio4::from_f64(candidate.confidence),
            products: self.products(candidate.category_scope),
        }
    }

    fn unknown(&self, input: &str, root: Option<Node>) -> Refusal {
        let details = NoResultsDetails {
            suggestions: Some(Vec::new()),
            ..NoResultsDetails::new(NoResultsReason::UnknownCategory)
        };
        let message = format!(
            "no category of {} matches {input:?}; ask for one of the suggestions or see {}",
            self.country.as_str(),
            free_list!(categories)
        );
        let asked = Sought::Category { country: self.country, text: input.to_owned(), root };
        Refusal::NoResults { message, details: Box::new(details), suggest: Some(Box::new(asked)) }
    }

    /// Returns the other country if the same texts match a category scope with a priced listing there.
    fn other_country(&self, category: Option<&str>, department: Option<&str>) -> Option<Country> {
        let has = |country: &Country| {
            let view = View { catalog: self.catalog, country: *country };
            view.find(category, department).is_ok_and(|(best, _)| view.products(best.category_scope) > 0)
        };
        self.country.others().find(has)
    }

    /// Returns the slugs to suggest. Categories that are found by correcting one word come first, then the nearest
    /// categories.
    fn suggestions(&self, input: &str, root: Option<Node>) -> Vec<String> {
        let corrected =
            self.corrected(input, root).into_iter().map(|category_scope| self.slug(category_scope));
        let mut suggestions: Vec<String> = Vec::new();
        for slug in corrected.chain(self.alike(input)) {
            if suggestions.len() < SUGGESTIONS_MAX && !suggestions.contains(&slug) {
                suggestions.push(slug);
            }
        }
        suggestions
    }

    /// Returns the slugs of the nearest categories: first the categories that have words in common with the text,
    /// then categories of similar spelling. For an everyday name, common words count only if the label names its
    /// product type ("dairy" is not near "Cream/Dairy Liqueurs"). Similar spelling counts only if a word of the text
    /// is not in the everyday table ("bread" is not near "Brandy").
    fn alike(&self, input: &str) -> Vec<String> {
        let last_asked = slug(input.rsplit(['>', '/']).find(|part| !slug(part).is_empty()).unwrap_or(input));
        let words_asked = words(&slug(input));
        let terms_asked = label_terms(&self.catalog.lexicon, &last_asked.replace('-', " "));
        let is_name = everyday::table().patterns(input).is_some();
        let may_be_misspelled = terms_asked.iter().any(|term| !everyday::table().has_word(term));
        let mut near: Vec<(bool, u64, Reverse<u32>, &str)> = Vec::new();
        let all = 0..self.catalog.taxonomy.nodes().len() as Node;
        for at in all.filter(|&at| self.exists(at)) {
            let node = self.catalog.taxonomy.node(at);
            let last = node.slug.rsplit('/').next().unwrap_or_default();
            let spelling = strsim::jaro_winkler(&last_asked, last);
            let mut common = jaccard(&words_asked, &node.words);
            if is_name
                && !label_product_types(&self.catalog.lexicon, &node.label)
                    .iter()
                    .any(|product_type| terms_asked.contains(product_type))
            {
                common = 0.0;
            }
            if common > 0.0 || may_be_misspelled && spelling >= SUGGESTION_SIMILARITY_MIN {
                // Floats that are not negative have the same order as their bits.
                near.push((
                    common <= 0.0,
                    u64::MAX - (common + spelling).to_bits(),
                    Reverse(self.products(CategoryScope::Category(at))),
                    &node.slug,
                ));
            }
        }
        near.sort_unstable();
        near.into_iter().take(SUGGESTIONS_MAX).map(|(_, _, _, slug)| slug.to_owned()).collect()
    }

    /// Lists the children of the deepest existing category in the path of a text that does not match a category.
    /// Children with the most priced listings come first. If no part of the path exists, lists the children of
    /// `root`, or the root categories.
    fn branch(&self, input: &str, root: Option<Node>) -> Option<String> {
        let taxonomy = &self.catalog.taxonomy;
        let parts: Vec<&str> = input.split(['>', '/']).collect();
        let named = (1..parts.len()).rev().find_map(|count| {
            taxonomy.by_slug(&slug_path(&parts[..count].join(">"), '>')).filter(|&node| self.exists(node))
        });
        let end = named.or(root);
        let is_child = |node: &Node| taxonomy.node(*node).parent == end && self.exists(*node);
        let mut children: Vec<Node> = (0..taxonomy.nodes().len() as Node).filter(is_child).collect();
        children.sort_by_key(|&node| (Reverse(self.products(CategoryScope::Category(node))), node));
        let labels: Vec<&str> =
            children.iter().take(CHILDREN_MAX).map(|&node| taxonomy.node(node).label.as_str()).collect();
        let name = end.map_or(self.country.as_str(), |node| taxonomy.node(node).label.as_str());
        (!labels.is_empty()).then(|| format!("{name} has: {}", labels.join(", ")))
    }
}

/// Lists the children of the deepest existing category in the path of a text that does not match a category.
pub(super) fn branch(catalog: &Catalog, country: Country, text: &str, root: Option<Node>) -> Option<String> {
    let end = text.floor_char_boundary(COMPARED_BYTES_MAX);
    View { catalog, country }.branch(&text[..end], root)
}

/// Returns the slugs of a country's categories that a text without a match may have meant.
pub(super) fn suggestions(
    catalog: &Catalog,
    country: Country,
    text: &str,
    root: Option<Node>,
) -> Vec<String> {
    let end = text.floor_char_boundary(COMPARED_BYTES_MAX);
    View { catalog, country }.suggestions(&text[..end], root)
}

/// Returns the slugs of a country's categories that may contain the product requested by a text: first the categories
/// that match the text, then similar categories.
pub(super) fn near(catalog: &Catalog, country: Country, text: &str, limit: usize) -> Vec<String> {
    let view = View { catalog, country };
    let text = &text[..text.floor_char_boundary(COMPARED_BYTES_MAX)];
    let mut named = view.candidates(text, None);
    view.rank(&mut named);
    let named = named
        .iter()
        .filter(|candidate| !candidate.is_unpriced)
        .map(|candidate| view.slug(candidate.category_scope));
    let mut slugs: Vec<String> = Vec::new();
    for slug in named.chain(view.suggestions(text, None)) {
        if slugs.len() < limit && !slugs.contains(&slug) {
            slugs.push(slug);
        }
    }
    slugs
}

/// Returns the display path of the country's category that has the text as an everyday name.
pub(super) fn of_everyday_name(catalog: &Catalog, country: Country, text: &str) -> Option<String> {
    let view = View { catalog, country };
    let mut candidates = view.by_phrase(&everyday::table().patterns(text)?, None);
    view.rank(&mut candidates);
    candidates.first().map(|best| path_of(catalog, best.category_scope))
}

/// Returns the slug paths that an input may mean. An input with `>` is split there. Any other input is split at `/`,
/// and is also read as one segment.
fn paths(input: &str) -> Vec<String> {
    let mut paths = if input.contains('>') {
        vec![slug_path(input, '>')]
    } else {
        vec![slug_path(input, '/'), slug(input)]
    };
    paths.retain(|path| !path.is_empty());
    paths.dedup();
    paths
}

/// Returns the number of common words divided by the number of all words (Jaccard index) of two sorted lists without
/// duplicates.
pub fn jaccard(a: &[String], b: &[String]) -> f64 {
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_as_paths() {
        assert_eq!(paths("Food > Fruits & Vegetables"), ["food/fruits-and-vegetables"]);
        assert_eq!(paths("food/fruits"), ["food/fruits", "food-fruits"]);
        assert_eq!(paths("Wine"), ["wine"]);
        assert_eq!(paths(" / "), Vec::<String>::new());
    }

    #[test]
    fn overlap_is_symmetric() {
        let (a, b) = (words("red-wine"), words("wine-from-france"));
        assert!((jaccard(&a, &b) - 0.25).abs() < 1e-12);
        assert!((jaccard(&b, &a) - 0.25).abs() < 1e-12);
    }
}
