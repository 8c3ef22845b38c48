//! `GET /v1/reference/classify`: maps phrases to classification codes.
//!
//! A phrase is compared with titles in four steps, from the most to the least certain match: the phrase is a whole
//! title; the phrase is a synonym of a title; a title contains the words that the table of everyday phrases lists for
//! the phrase; the phrase and a title have words in common. The first step that finds a node ends the comparison. The
//! nodes of this step are ranked by confidence, then by code. The answer contains a code only if a single node has the
//! highest confidence and this confidence is sufficient.

use schemars::JsonSchema;
use serde::Serialize;

use super::{GpcNode, code_of, published, read_list, release};
use crate::catalog::{Catalog, Classification, GpcLevel, Overlap, words};
use crate::lang::everyday;
use crate::lang::text::{slug, twins};
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::refusal::{Refusal, RefusalKind};
use crate::query::subject::Subject;
use crate::snapshot::layout::AliasTarget;
use crate::types::{INTERFACE_VERSION, Ratio4};

static Q: Param = Param {
    name: "q",
    kind: Kind::Text,
    about: "Phrases in everyday words, up to 100, separated by commas. Case, diacritics and `&` in place of `and` do \
            not matter.",
};

/// Maximum number of candidates of a phrase, unless more candidates share the highest confidence.
const CANDIDATES_MAX: usize = 5;

/// The endpoint.
pub(super) struct Classify;

/// Answer of classify.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// One result per phrase, in the order of the request, including repetitions.
    results: Vec<Finding>,
    /// Release of the classification, the year and month of its publication.
    gpc_release: String,
    /// Version of the response schema.
    schema_version: &'static str,
}

/// The classification of a phrase.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClassifyResult")]
struct Finding {
    /// Phrase from the request, without surrounding blanks.
    query: String,
    /// The matching node; null if several nodes match equally well, or if `confidence` is below 0.5. It is never a
    /// guess.
    gpc: Option<GpcNode>,
    /// Kind of match between the phrase and the classification.
    match_kind: MatchKind,
    /// Confidence of the best candidate, 0 to 1. It is 1 for a title and 0.9 for a synonym. For any other match, it is
    /// the number of words that phrase and title have in common, divided by the number of different words in both
    /// together. It is 0 if there is no candidate.
    confidence: Ratio4,
    /// Matching nodes, best first, including the node in `gpc`. If several nodes share the best confidence, all of
    /// these are listed. Otherwise, at most five nodes are listed.
    candidates: Vec<Candidate>,
}

/// Kind of match between a phrase and the classification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MatchKind {
    /// The phrase is a title.
    Exact,
    /// The phrase is an everyday name of a code, the singular or plural of a title, or an everyday phrase for words
    /// that a title contains.
    Synonym,
    /// Several nodes match equally well.
    CoEqual,
    /// The phrase has words in common with a title.
    Text,
    /// The phrase has no word in common with a title.
    None,
}

/// A node that a phrase may mean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClassifyCandidate")]
struct Candidate {
    /// Code in the classification, 8 digits.
    code: String,
    /// Title of the code.
    title: String,
    /// Level of the code: segment, family, class or brick.
    level: GpcLevel,
    /// Confidence, 0 to 1.
    confidence: Ratio4,
}

impl Endpoint for Classify {
    type Params = Vec<String>;
    type Plan = Vec<String>;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Classify",
        summary: "Classification codes for everyday phrases.",
        about: concat!(
            "Use it to turn everyday phrases, up to 100 at once, into codes of the product classification (GPC). gpc \
             is null if several codes match equally well (match_kind co_equal), or if no code matches well enough. It \
             is never a nearest guess, so choose among candidates yourself. A code can be used as category in the paid \
             endpoints, and as gpc_code in brick-attributes. To find categories of the shops themselves, use ",
            free_list!(categories),
            ".",
        ),
        methodology: &["classify"],
        params: &[&Q],
        examples: &["q=beers,still+wine,communications"],
        refusals: &[RefusalKind::NotPublished],
        rows: &["results"],
        next: |answer| {
            Some(NextStep::to("brick-attributes", "gpc_code", answer.first_text("results.gpc.code")?))
        },
        // A hundred phrases of common words take a millisecond or two.
        heavy: true,
        ..Descriptor::of("/v1/reference/classify", Group::Reference)
    };

    fn read(reader: &mut Reader<'_>) -> Vec<String> {
        read_list(reader, &Q)
    }

    fn resolve(catalog: &Catalog, phrases: Vec<String>) -> Result<Vec<String>, Refusal> {
        published(catalog).map(|_| phrases)
    }

    fn subject(catalog: &Catalog, phrases: &Vec<String>) -> Subject {
        Subject::Phrases { phrases: phrases.clone(), gpc_release: release(catalog) }
    }

    fn run(catalog: &Catalog, phrases: Vec<String>, _: Stamp) -> Answer {
        let gpc = catalog.classification.as_ref();
        let finding = |gpc| move |phrase: String| Finding::of(catalog, gpc, phrase);
        Answer {
            results: gpc.map(|gpc| phrases.into_iter().map(finding(gpc)).collect()).unwrap_or_default(),
            gpc_release: release(catalog),
            schema_version: INTERFACE_VERSION,
        }
    }
}

/// A node with its confidence as an exact ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fit {
    node: u32,
    num: u32,
    den: u32,
}

impl Fit {
    /// Orders by confidence, the highest first.
    fn confidence_order(&self, other: &Self) -> std::cmp::Ordering {
        let (own, theirs) =
            (u64::from(self.num) * u64::from(other.den), u64::from(other.num) * u64::from(self.den));
        theirs.cmp(&own)
    }

    fn confidence(&self) -> Ratio4 {
        Ratio4::from_ratio(self.num.into(), self.den.into())
    }

    fn is_sure(&self) -> bool {
        2 * self.num >= self.den
    }
}

impl Finding {
    fn of(catalog: &Catalog, gpc: &Classification, phrase: String) -> Self {
        let (kind, fits) = fits(catalog, gpc, &phrase);
        let best = fits.first().copied();
        let alone = fits.get(1).is_none_or(|next| fits[0].confidence_order(next).is_ne());
        let candidate = |fit: &Fit| Candidate {
            code: code_of(gpc, fit.node),
            title: gpc.title(fit.node).to_owned(),
            level: gpc.level(fit.node),
            confidence: fit.confidence(),
        };
        Self {
            query: phrase,
            gpc: best.filter(|best| alone && best.is_sure()).map(|best| GpcNode::of(gpc, best.node)),
            match_kind: if alone { kind } else { MatchKind::CoEqual },
            confidence: best.map_or(Ratio4::new(0), |best| best.confidence()),
            candidates: fits.iter().map(candidate).collect(),
        }
    }
}

/// Returns the nodes that the first successful step of the comparison finds, best first.
fn fits(catalog: &Catalog, gpc: &Classification, text: &str) -> (MatchKind, Vec<Fit>) {
    let phrase = &slug(text);
    let alike = |nodes: Vec<u32>, num, den| {
        let mut nodes: Vec<Fit> = nodes.into_iter().map(|node| Fit { node, num, den }).collect();
        nodes.sort_unstable_by_key(|fit| gpc.code(fit.node));
        nodes.dedup();
        nodes
    };
    let titled = gpc.titles().named(phrase);
    if !titled.is_empty() {
        return (MatchKind::Exact, alike(titled.to_vec(), 1, 1));
    }
    let named = catalog.taxonomy.alias(phrase).iter().filter_map(|target| match target {
        AliasTarget::Code(code) => gpc.by_code(*code),
        AliasTarget::Category(_) => None,
    });
    let twins = twins(phrase);
    let twins = twins.iter().flat_map(|twin| gpc.titles().named(twin)).copied();
    let synonyms: Vec<u32> = named.chain(twins).collect();
    if !synonyms.is_empty() {
        return (MatchKind::Synonym, alike(synonyms, 9, 10));
    }
    let patterns = everyday::table().patterns(text).unwrap_or_default();
    let mut held = patterns.iter().map(|pattern| gpc.titles().holding(pattern));
    if let Some(named) = held.find(|nodes| !nodes.is_empty()) {
        return (MatchKind::Synonym, alike(named, 9, 10));
    }
    let overlaps = gpc.titles().overlapping(&words(phrase));
    if overlaps.is_empty() {
        return (MatchKind::None, Vec::new());
    }
    (MatchKind::Text, best_first(gpc, &overlaps))
}

/// Returns the five best nodes. If several nodes share the highest confidence, returns all of these instead.
fn best_first(gpc: &Classification, overlaps: &[Overlap]) -> Vec<Fit> {
    let mut fits: Vec<Fit> =
        overlaps.iter().map(|fit| Fit { node: fit.node, num: fit.common, den: fit.all }).collect();
    let by_rank = |a: &Fit, b: &Fit| a.confidence_order(b).then(gpc.code(a.node).cmp(&gpc.code(b.node)));
    let Some(best) = fits.iter().copied().min_by(by_rank) else { return fits };
    let tied = fits.iter().filter(|fit| fit.confidence_order(&best).is_eq()).count();
    let kept = if tied > 1 { tied } else { CANDIDATES_MAX };
    if kept < fits.len() {
        // A common word is in thousands of titles, so only the nodes that are kept are sorted.
        fits.select_nth_unstable_by(kept, by_rank);
        fits.truncate(kept);
    }
    fits.sort_unstable_by(by_rank);
    fits
}
