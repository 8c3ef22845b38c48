//! The category tree of a country and how an input finds its shelf, rank by rank.

use super::load::{GpcNode, Listing};
use super::{Oracle, everyday, words};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What a category-scoped answer is about.
#[derive(Debug, Clone)]
pub enum Scope {
    /// A slug path and all beneath it.
    Node(String),
    /// A classification code, perhaps within one root.
    Gpc(String, Option<String>),
}

#[derive(Debug, Clone)]
pub struct Resolved {
    pub input: String,
    pub scope: Scope,
    pub source: &'static str,
    pub confidence: f64,
    pub category_path: String,
    pub department: Option<String>,
    pub alternates: Vec<Value>,
}

impl Resolved {
    pub fn json(&self) -> Value {
        json!({
            "input": self.input, "category_path": self.category_path, "department": self.department,
            "match_source": self.source, "match_confidence": self.confidence, "alternates": self.alternates,
        })
    }
}

/// Every node of a country's tree by slug path, with its priced listings.
pub fn tree(o: &Oracle, country: &str) -> BTreeMap<String, usize> {
    let mut nodes = BTreeMap::new();
    for l in o.listings.iter().filter(|l| l.country == country) {
        for depth in 1..=l.path.len() {
            *nodes.entry(node_at(l, depth)).or_insert(0) += usize::from(o.priced(l));
        }
    }
    nodes
}

pub fn node_at(l: &Listing, depth: usize) -> String {
    l.path[..depth].iter().map(|s| s.0.as_str()).collect::<Vec<_>>().join("/")
}

pub fn lies_in(l: &Listing, node: &str) -> bool {
    l.node == node || l.node.starts_with(&format!("{node}/"))
}

/// Singular and plural of each other.
pub fn twins(a: &str, b: &str) -> bool {
    let one = |x: &str, y: &str| {
        y == format!("{x}s")
            || y == format!("{x}es")
            || x.strip_suffix('y').is_some_and(|stem| y == format!("{stem}ies"))
    };
    one(a, b) || one(b, a)
}

fn slugs(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|p| words::slug(p)).filter(|s| !s.is_empty()).collect()
}

/// The ways to read an input as a path.
fn readings(input: &str) -> Vec<Vec<String>> {
    let mut ways = if input.contains('>') {
        vec![slugs(&input.split('>').collect::<Vec<_>>())]
    } else {
        vec![slugs(&input.split('/').collect::<Vec<_>>()), slugs(&[input])]
    };
    ways.retain(|w| !w.is_empty());
    ways.dedup();
    ways
}

enum Target {
    Node(String),
    Gpc(String),
}

/// `None`: nothing resolves, 404.
pub fn resolve(
    o: &Oracle,
    country: &str,
    category: Option<&str>,
    department: Option<&str>,
) -> Option<Resolved> {
    let nodes = &o.trees[country];
    let root = match department {
        Some(d) => Some(Some(words::slug(d)).filter(|s| !s.is_empty() && nodes.contains_key(s))?),
        None => None,
    };
    let Some(input) = category else {
        let root = root.expect("category or department");
        return Some(at_node(o, department.unwrap_or(""), &root, "department", 1.0, vec![]));
    };
    let code = input.trim();
    if code.len() == 8 && code.bytes().all(|b| b.is_ascii_digit()) && o.gpc.contains_key(code) {
        return Some(at_code(o, input, code, root, "gpc", 1.0, vec![]));
    }
    let inside = |n: &str| match &root {
        Some(r) => n == r || n.starts_with(&format!("{r}/")),
        None => true,
    };
    let nodes: Vec<(&String, usize)> =
        nodes.iter().filter(|(n, _)| inside(n)).map(|(n, count)| (n, *count)).collect();
    let ways = readings(input);
    let last = |n: &str| n.rsplit('/').next().unwrap_or("").to_string();

    let by = |test: &dyn Fn(&str) -> bool| -> Vec<(Target, usize)> {
        nodes.iter().filter(|(n, _)| test(n)).map(|(n, c)| (Target::Node((*n).clone()), *c)).collect()
    };
    let path = by(&|n| ways.iter().any(|w| w.join("/") == n));
    let subtree = by(&|n| ways.iter().any(|w| w.len() >= 2 && n.ends_with(&format!("/{}", w.join("/")))));
    let segment = by(&|n| ways.iter().any(|w| w.len() == 1 && last(n) == w[0]));
    let mut alias = by(&|n| {
        let named = |w: &Vec<String>| {
            w.len() == 1
                && o.aliases.iter().any(|(name, target)| words::slug(name) == w[0] && alias_path(target) == n)
        };
        ways.iter().any(|w| w.len() == 1 && twins(&last(n), &w[0]) || named(w))
    });
    for (name, target) in &o.aliases {
        let code = target.trim();
        let hit = ways.iter().any(|w| w.len() == 1 && w[0] == words::slug(name));
        if hit && o.gpc.contains_key(code) {
            let within = Scope::Gpc(code.into(), root.clone());
            let count = o.listings.iter().filter(|l| l.country == country && o.priced(l));
            let count = count.filter(|l| in_scope(o, l, &within)).count();
            alias.push((Target::Gpc(code.to_string()), count));
        }
    }
    for (mut hits, source, confidence) in
        [(path, "path", 1.0), (subtree, "subtree", 0.9), (segment, "segment", 0.8), (alias, "alias", 0.7)]
    {
        hits.sort_by_key(|(t, count)| (usize::MAX - count, key(t)));
        hits.dedup_by_key(|(t, _)| key(t));
        if hits.is_empty() {
            continue;
        }
        let rest = hits[1..].iter().take(5).map(|(t, c)| alternate(o, t, source, confidence, *c)).collect();
        return Some(match &hits[0].0 {
            Target::Node(n) => at_node(o, input, n, source, confidence, rest),
            Target::Gpc(code) => at_code(o, input, code, root, source, confidence, rest),
        });
    }
    // everyday: what has a price first, alone before together with those above, then patterns in order, the shallower,
    // the fuller
    let patterns = everyday::patterns(&o.everyday, input);
    let mut hits: Vec<(bool, u32, usize, usize, usize, &String)> = Vec::new();
    for (n, count) in &nodes {
        let path = o.display(n);
        let labels: Vec<&str> = path.split(" > ").collect();
        let held = patterns.iter().flatten().enumerate().filter_map(|(i, p)| {
            let confidence = everyday::holds(&o.everyday, &labels, p)?;
            Some((*count == 0, 100 - confidence, i, labels.len(), usize::MAX - count, *n))
        });
        hits.extend(held.min());
    }
    hits.sort();
    let confidence = |h: &(bool, u32, usize, usize, usize, &String)| f64::from(100 - h.1) / 100.0;
    if let Some(best) = hits.first() {
        let rest = hits[1..]
            .iter()
            .take(5)
            .map(|h| alternate(o, &Target::Node(h.5.clone()), "everyday", confidence(h), usize::MAX - h.4));
        return Some(at_node(o, input, best.5, "everyday", confidence(best), rest.collect()));
    }
    // text: Jaccard of word sets, at least one half, and the product that the head noun names
    let product = head_product(o, input);
    let asked: BTreeSet<String> = words::slug(input).split('-').map(str::to_string).collect();
    let mut hits: Vec<(usize, usize, &String, usize)> = Vec::new();
    for (n, count) in nodes {
        let has: BTreeSet<String> = last(n).split('-').map(str::to_string).collect();
        let (both, any) = (asked.intersection(&has).count(), asked.union(&has).count());
        // of a phrase of the table all of several words, colours apart
        let told = |w: &String| has.contains(w) || o.everyday.is_colour(w);
        if patterns.is_some() && (asked.len() < 2 || !asked.iter().all(told)) {
            continue;
        }
        let is_it = |product: &String| has.iter().any(|w| everyday::fold(w) == *product);
        if 2 * both >= any && both > 0 && product.as_ref().is_none_or(is_it) {
            hits.push((both, any, n, count));
        }
    }
    hits.sort_by(|a, b| (b.0 * a.1).cmp(&(a.0 * b.1)).then(b.3.cmp(&a.3)).then(a.2.cmp(b.2)));
    let confidence = |h: &(usize, usize, &String, usize)| {
        let exact = super::frac::Frac::new(6 * h.0 as i128, 10 * h.1 as i128);
        exact.times(10_000).half_away() as f64 / 10_000.0
    };
    let best = hits.first()?;
    let rest = hits[1..].iter().take(5);
    let rest = rest.map(|h| alternate(o, &Target::Node(h.2.clone()), "text", confidence(h), h.3)).collect();
    Some(at_node(o, input, best.2, "text", confidence(best), rest))
}

/// The last word of an input, the first one before a French preposition, if the table has it as a name.
fn head_product(o: &Oracle, input: &str) -> Option<String> {
    let slug = words::slug(input);
    let said: Vec<&str> = slug.split('-').collect();
    let is_french = said.iter().skip(1).any(|w| ["de", "du", "des", "d", "au", "aux", "pour"].contains(w));
    let head = if is_french { said.first() } else { said.last() }?;
    (!input.contains(['>', '/']) && everyday::patterns(&o.everyday, head).is_some())
        .then(|| everyday::fold(head))
}

fn key(t: &Target) -> String {
    match t {
        Target::Node(n) | Target::Gpc(n) => n.clone(),
    }
}

fn alias_path(target: &str) -> String {
    let cut = if target.contains('>') { '>' } else { '/' };
    slugs(&target.split(cut).collect::<Vec<_>>()).join("/")
}

fn alternate(o: &Oracle, t: &Target, source: &str, confidence: f64, products: usize) -> Value {
    let (path, slug, department) = match t {
        Target::Node(n) => (o.display(n), n.clone(), Some(o.display(n.split('/').next().unwrap_or("")))),
        Target::Gpc(code) => (ancestry(o, &o.gpc[code]), code.clone(), None),
    };
    json!({ "category_path": path, "slug": slug, "department": department, "match_source": source,
        "match_confidence": confidence, "products": products })
}

fn at_node(
    o: &Oracle,
    input: &str,
    node: &str,
    source: &'static str,
    confidence: f64,
    alternates: Vec<Value>,
) -> Resolved {
    Resolved {
        input: input.to_string(),
        scope: Scope::Node(node.to_string()),
        source,
        confidence,
        category_path: o.display(node),
        department: Some(o.display(node.split('/').next().unwrap_or(""))),
        alternates,
    }
}

fn at_code(
    o: &Oracle,
    input: &str,
    code: &str,
    root: Option<String>,
    source: &'static str,
    confidence: f64,
    alternates: Vec<Value>,
) -> Resolved {
    Resolved {
        input: input.to_string(),
        category_path: ancestry(o, &o.gpc[code]),
        scope: Scope::Gpc(code.to_string(), root),
        source,
        confidence,
        department: None,
        alternates,
    }
}

fn ancestry(o: &Oracle, node: &GpcNode) -> String {
    node.line.iter().map(|c| o.gpc[c].title.as_str()).collect::<Vec<_>>().join(" > ")
}

pub fn in_scope(o: &Oracle, l: &Listing, scope: &Scope) -> bool {
    match scope {
        Scope::Node(node) => lies_in(l, node),
        Scope::Gpc(code, root) => {
            let under = brick(o, l).is_some_and(|(b, _)| o.gpc[&b].line.contains(code));
            under && root.as_ref().is_none_or(|r| lies_in(l, r))
        }
    }
}

/// The brick a listing maps to and whether the source gave it.
pub fn brick(o: &Oracle, l: &Listing) -> Option<(String, bool)> {
    let is_brick = |code: &str| o.gpc.get(code).is_some_and(|n| n.level == 4);
    if let Some(code) = l.gpc_code.as_deref().filter(|c| is_brick(c)) {
        return Some((code.to_string(), true));
    }
    (1..=l.path.len()).rev().find_map(|depth| {
        let code = o.category_gpc.get(&node_at(l, depth)).filter(|c| is_brick(c))?;
        Some((code.clone(), false))
    })
}

/// The gpc block of a node of the publication.
pub fn gpc_json(o: &Oracle, code: &str) -> Value {
    const LEVELS: [&str; 5] = ["", "segment", "family", "class", "brick"];
    let node = &o.gpc[code];
    let title = |level: usize| node.line.get(level - 1).map(|c| o.gpc[c].title.clone());
    json!({ "code": node.code, "title": node.title, "level": LEVELS[node.level], "segment": title(1),
        "family": title(2), "class": title(3), "brick": title(4), "is_catchall": catchall(node) })
}

fn catchall(node: &GpcNode) -> bool {
    let words: Vec<&str> =
        node.title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let one = words.iter().any(|w| matches!(*w, "Other" | "Unclassified" | "Unidentified" | "Assortments"));
    node.level == 4 && (one || words.windows(2).any(|w| w == ["Variety", "Packs"]))
}

pub fn listing_gpc(o: &Oracle, l: &Listing) -> Value {
    let Some((code, exact)) = brick(o, l) else { return Value::Null };
    let mut block = gpc_json(o, &code);
    block["mapping"] = json!(if exact { "exact" } else { "derived" });
    block
}
