//! The category tree, and the lookup of its nodes by text.
//!
//! Nodes are numbered in preorder, over both countries. A node exists in a country if it has rows there.

use std::collections::HashMap;
use std::ops::Range;

use polars_buffer::Buffer;

use super::category_scopes::{CategoryScopes, ScopeAggregates};
use crate::lang::everyday::segments::{PatternMatch, Segments};
use crate::lang::everyday::{Pattern, table};
use crate::search::index::CategoryLabel;
use crate::snapshot::columns::ColumnFile;
use crate::snapshot::layout::{AliasEntry, AliasTarget, CategoryEntry, NONE};
use crate::types::Country;

/// Index of a category in preorder.
pub type Node = u32;

/// The category tree of a snapshot.
pub struct Taxonomy {
    nodes: Vec<CategoryNode>,
    from: Buffer<u32>,
    to: Buffer<u32>,
    scopes: CategoryScopes,
    by_slug: HashMap<String, Node>,
    /// Nodes by the slug of their last segment.
    by_segment: HashMap<String, Vec<Node>>,
    aliases: HashMap<String, Vec<AliasTarget>>,
    /// Folded words of the labels.
    segments: Segments,
}

/// A node of the category tree.
#[derive(Debug)]
pub struct CategoryNode {
    /// Slug path.
    pub slug: String,
    /// Display label of the last segment.
    pub label: String,
    /// Display path, `A > B > C`.
    pub path: String,
    /// The parent; `None` for a root.
    pub parent: Option<Node>,
    /// The root of its tree (itself for a root).
    pub root: Node,
    /// The depth. It is 1 for a root.
    pub depth: u32,
    /// One past the last node of its subtree.
    pub subtree_end: Node,
    /// The words of the last segment, for matching by overlap: sorted and distinct.
    pub words: Vec<String>,
}

impl CategoryNode {
    /// The category in the form that the text index loads.
    pub fn as_label(&self) -> CategoryLabel<'_> {
        CategoryLabel { slug: &self.slug, label: &self.label, parent: self.parent }
    }
}

impl Taxonomy {
    /// Builds the tree from its entries and the mapped rows of its nodes.
    ///
    /// # Errors
    /// Returns an error if the entries are not in preorder or a column is missing.
    pub fn load(
        entries: Vec<CategoryEntry>,
        aliases: Vec<AliasEntry>,
        file: &ColumnFile,
    ) -> Result<Self, String> {
        let cells = entries.len() * Country::ALL.len();
        let nodes = nodes(entries)?;
        let mut by_slug = HashMap::with_capacity(nodes.len());
        let mut by_segment: HashMap<String, Vec<Node>> = HashMap::new();
        for (at, node) in nodes.iter().enumerate() {
            by_slug.insert(node.slug.clone(), at as Node);
            let last = node.slug.rsplit('/').next().unwrap_or_default();
            by_segment.entry(last.to_owned()).or_default().push(at as Node);
        }
        let segments = Segments::of(table(), nodes.iter().map(|node| (node.label.as_str(), node.parent)));
        let mut by_alias: HashMap<String, Vec<AliasTarget>> = HashMap::new();
        for alias in aliases {
            by_alias.entry(alias.slug).or_default().push(alias.target);
        }
        Ok(Self {
            nodes,
            from: file.column_of("category_from", cells)?,
            to: file.column_of("category_to", cells)?,
            scopes: CategoryScopes::load(file, "category", cells)?,
            by_slug,
            by_segment,
            aliases: by_alias,
            segments,
        })
    }

    /// A node.
    pub fn node(&self, node: Node) -> &CategoryNode {
        &self.nodes[node as usize]
    }

    /// All nodes, in preorder.
    pub fn nodes(&self) -> &[CategoryNode] {
        &self.nodes
    }

    /// Rows of a node's listings in a country, priced or not.
    pub fn rows(&self, country: Country, node: Node) -> Range<u32> {
        let cell = self.cell(country, node);
        self.from[cell]..self.to[cell]
    }

    /// The priced rows of a node in a country, by price, then by product uid.
    pub fn priced_rows(&self, country: Country, node: Node) -> &[u32] {
        self.figures(country, node).priced_rows()
    }

    /// The prepared data of a node in a country.
    pub fn figures(&self, country: Country, node: Node) -> ScopeAggregates<'_> {
        self.scopes.get(self.cell(country, node))
    }

    /// The prepared data of all nodes, by (country, node).
    pub(super) fn scopes(&self) -> &CategoryScopes {
        &self.scopes
    }

    /// Whether a node has a listing in a country.
    pub fn exists(&self, country: Country, node: Node) -> bool {
        !self.rows(country, node).is_empty()
    }

    /// The node of a slug path.
    pub fn by_slug(&self, slug: &str) -> Option<Node> {
        self.by_slug.get(slug).copied()
    }

    /// Nodes whose last segment has this slug, in preorder.
    pub fn by_segment(&self, slug: &str) -> &[Node] {
        self.by_segment.get(slug).map_or(&[], Vec::as_slice)
    }

    /// The targets of an alias, which is an everyday name of a category.
    pub fn alias(&self, slug: &str) -> &[AliasTarget] {
        self.aliases.get(slug).map_or(&[], Vec::as_slice)
    }

    /// The nodes that match any of the patterns, each once, in preorder.
    pub fn meetings(&self, patterns: &[Pattern]) -> Vec<PatternMatch> {
        self.segments.meetings(patterns)
    }

    /// The nodes whose own segment matches any of the patterns completely, each once, in preorder.
    pub fn whole_meetings(&self, patterns: &[Pattern]) -> Vec<PatternMatch> {
        self.segments.whole_meetings(patterns)
    }

    /// Every folded word of a segment, in order, with the nodes whose last segment contains it.
    pub fn segment_words(&self) -> impl Iterator<Item = (&str, &[Node])> {
        self.segments.words()
    }

    /// Whether `node` is in the subtree of `ancestor`, which includes `ancestor` itself.
    pub fn is_below(&self, node: Node, ancestor: Node) -> bool {
        (ancestor..self.node(ancestor).subtree_end).contains(&node)
    }

    /// The children of a node in a country. For `None`, the roots.
    pub fn children(&self, country: Country, parent: Option<Node>) -> impl Iterator<Item = Node> {
        let range = match parent {
            Some(parent) => parent + 1..self.node(parent).subtree_end,
            None => 0..self.nodes.len() as Node,
        };
        range.filter(move |&node| self.node(node).parent == parent && self.exists(country, node))
    }

    /// The level of a node in a country: root, department, then shelf if the node has no children there, and category
    /// otherwise.
    pub fn level(&self, country: Country, node: Node) -> Level {
        match self.node(node).depth {
            1 => Level::Root,
            2 => Level::Department,
            _ if self.children(country, Some(node)).next().is_none() => Level::Shelf,
            _ => Level::Category,
        }
    }

    fn cell(&self, country: Country, node: Node) -> usize {
        country.as_u8() as usize * self.nodes.len() + node as usize
    }
}

/// Position of a node in the category hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CategoryLevel")]
pub enum Level {
    /// Depth 1, without a parent.
    Root,
    /// Depth 2, directly below a root.
    Department,
    /// Depth 3 or more, with children.
    Category,
    /// Depth 3 or more, without children.
    Shelf,
}

fn nodes(entries: Vec<CategoryEntry>) -> Result<Vec<CategoryNode>, String> {
    // In preorder the segments of the paths ascend. Together with correct parents, this makes subtrees contiguous.
    let ascend = |a: &CategoryEntry, b: &CategoryEntry| a.slug.split('/').lt(b.slug.split('/'));
    if let Some(at) = entries.windows(2).position(|pair| !ascend(&pair[0], &pair[1])) {
        return Err(format!("dictionary: category {} is out of order", entries[at + 1].slug));
    }
    let mut nodes: Vec<CategoryNode> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.into_iter().enumerate() {
        let parent = (entry.parent != NONE).then_some(entry.parent);
        let above = match parent {
            None => None,
            Some(parent) if (parent as usize) < at => Some(&nodes[parent as usize]),
            Some(_) => return Err(format!("dictionary: category {} comes before its parent", entry.slug)),
        };
        let path =
            above.map_or_else(|| entry.label.clone(), |above| format!("{} > {}", above.path, entry.label));
        let (root, depth) = above.map_or((at as Node, 1), |above| (above.root, above.depth + 1));
        if above.map(|above| above.slug.as_str()) != entry.slug.rsplit_once('/').map(|(path, _)| path) {
            return Err(format!("dictionary: category {} is not below its parent", entry.slug));
        }
        let words = words(entry.slug.rsplit('/').next().unwrap_or_default());
        let subtree_end = at as Node + 1;
        nodes.push(CategoryNode {
            slug: entry.slug,
            label: entry.label,
            path,
            parent,
            root,
            depth,
            subtree_end,
            words,
        });
    }
    for at in (0..nodes.len()).rev() {
        if let Some(parent) = nodes[at].parent {
            let end = nodes[at].subtree_end;
            let above = &mut nodes[parent as usize].subtree_end;
            *above = end.max(*above);
        }
    }
    Ok(nodes)
}

/// The words of a slug, sorted and distinct.
pub fn words(slug: &str) -> Vec<String> {
    let mut words: Vec<String> = slug.split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words
}
