//! The product classification (GS1 GPC) of a snapshot: nodes by code, their rows, attributes and values.

use std::ops::Range;

use polars_buffer::Buffer;

use super::category_scopes::{CategoryScopes, ScopeAggregates};
use super::titles::Titles;
use crate::snapshot::StringEnd;
use crate::snapshot::columns::{ColumnFile, StringColumn};
use crate::snapshot::layout::{CLASSIFICATION, NONE};
use crate::snapshot::lists::RowLists;
use crate::types::Country;

/// Level of a node in the product classification (GS1 GPC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GpcLevel {
    /// Level 1, the broadest.
    Segment,
    /// Level 2.
    Family,
    /// Level 3.
    Class,
    /// Level 4, the narrowest.
    Brick,
}

/// The classification of a snapshot. Nodes are in preorder, with siblings ordered by code.
pub struct Classification {
    release: String,
    titles: StringColumn,
    code: Buffer<u32>,
    level: Buffer<u8>,
    title: Buffer<u32>,
    parent: Buffer<u32>,
    has_attributes: bool,
    attribute_ends: Buffer<u32>,
    attribute_title: Buffer<u32>,
    attribute_values: Buffer<u32>,
    value_ends: Buffer<u32>,
    value_title: Buffer<u32>,
    /// The nodes in order of their codes.
    by_code: Vec<u32>,
    /// Whether each node is a residual brick, such as "Other" or "Variety Packs".
    catchall: Vec<bool>,
    index: Titles,
    bricks: RowLists,
    scopes: CategoryScopes,
}

impl Classification {
    /// Loads the classification from its mapped file, and the rows of its nodes from the mapped indices.
    ///
    /// # Errors
    /// Returns an error if a column is missing or does not fit the others.
    pub fn load(file: &ColumnFile, indices: &ColumnFile) -> Result<Self, String> {
        let code: Buffer<u32> = file.column("code")?;
        let nodes = code.len();
        let titles = file.column::<StringEnd>("titles.ends")?.len();
        let flag: Buffer<u8> = file.column_of("has_attributes", 1)?;
        let attribute_title: Buffer<u32> = file.column("attribute_title")?;
        let mut by_code: Vec<u32> = (0..nodes as u32).collect();
        by_code.sort_unstable_by_key(|&node| code[node as usize]);
        let cells = nodes * Country::ALL.len();
        let classification = Self {
            release: file.strings("release", 1)?.get(0).to_owned(),
            titles: file.strings("titles", titles)?,
            level: file.column_of("level", nodes)?,
            title: file.column_of("title", nodes)?,
            parent: file.column_of("parent", nodes)?,
            has_attributes: flag[0] == 1,
            attribute_ends: file.column_of("attribute_ends", nodes)?,
            attribute_values: file.column_of("attribute_values", attribute_title.len())?,
            attribute_title,
            value_ends: file.column("value_ends")?,
            value_title: file.column("value_title")?,
            bricks: RowLists::load(indices, "brick", cells)?,
            scopes: CategoryScopes::load(indices, "code", cells)?,
            by_code,
            index: Titles::default(),
            catchall: Vec::new(),
            code,
        };
        if let Some(fault) = classification.fault(titles) {
            return Err(fault);
        }
        let index = Titles::new((0..nodes as u32).map(|node| classification.title(node)));
        let is_brick = |node| classification.level(node) == GpcLevel::Brick;
        let catchall =
            (0..nodes as u32).map(|node| is_brick(node) && is_residual(classification.title(node))).collect();
        Ok(Self { catchall, index, ..classification })
    }

    /// Returns the first inconsistency of the columns.
    fn fault(&self, titles: usize) -> Option<String> {
        let nodes = self.code.len();
        let ends_at = |ends: &[u32], len: usize| {
            ends.windows(2).all(|pair| pair[0] <= pair[1])
                && ends.last().map_or(0, |&end| end as usize) == len
        };
        let named = |column: &[u32]| column.iter().all(|&title| (title as usize) < titles);
        // In preorder the parent of a node is the last preceding node one level up.
        let mut open = [NONE; 5];
        let tree = (0..nodes).all(|node| {
            let level = self.level[node] as usize;
            if !(1..=4).contains(&level) || self.parent[node] != open[level - 1] {
                return false;
            }
            open[level] = node as u32;
            open[level + 1..].fill(NONE);
            level == 1 || self.parent[node] != NONE
        });
        let distinct = self.by_code.windows(2).all(|pair| self.code(pair[0]) < self.code(pair[1]));
        let lists = self.attribute_values.iter().all(|&list| (list as usize) < self.value_ends.len());
        let holds = [
            (tree, "nodes are not in preorder"),
            (distinct, "a code occurs twice"),
            (
                named(&self.title) && named(&self.attribute_title) && named(&self.value_title),
                "a title is missing",
            ),
            (ends_at(&self.attribute_ends, self.attribute_title.len()), "attribute links are inconsistent"),
            (lists && ends_at(&self.value_ends, self.value_title.len()), "value lists are inconsistent"),
        ];
        let broken = holds.iter().find(|(holds, _)| !holds)?;
        Some(format!("{CLASSIFICATION}: {}", broken.1))
    }

    /// Release identifier of the publication.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether the publication has no nodes.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// The node with a code.
    pub fn by_code(&self, code: u32) -> Option<u32> {
        let at = self.by_code.binary_search_by_key(&code, |&node| self.code[node as usize]).ok()?;
        Some(self.by_code[at])
    }

    /// Code of a node.
    pub fn code(&self, node: u32) -> u32 {
        self.code[node as usize]
    }

    /// Title of a node.
    pub fn title(&self, node: u32) -> &str {
        self.titles.get(self.title[node as usize])
    }

    /// The index of nodes by the words of their titles.
    pub fn titles(&self) -> &Titles {
        &self.index
    }

    /// Level of a node.
    pub fn level(&self, node: u32) -> GpcLevel {
        match self.level[node as usize] {
            1 => GpcLevel::Segment,
            2 => GpcLevel::Family,
            3 => GpcLevel::Class,
            _ => GpcLevel::Brick,
        }
    }

    /// The parent of a node; `None` for a segment.
    pub fn parent(&self, node: u32) -> Option<u32> {
        Some(self.parent[node as usize]).filter(|&parent| parent != NONE)
    }

    /// A node and its ancestors, from the segment down.
    pub fn ancestry(&self, node: u32) -> Vec<u32> {
        let mut path: Vec<u32> = std::iter::successors(Some(node), |&node| self.parent(node)).collect();
        path.reverse();
        path
    }

    /// Title of the node's ancestor (or itself) at a level.
    pub fn title_at(&self, node: u32, level: GpcLevel) -> Option<&str> {
        let mut path = std::iter::successors(Some(node), |&node| self.parent(node));
        path.find(|&node| self.level(node) == level).map(|node| self.title(node))
    }

    /// Whether a node is a residual brick, such as "Other" or "Variety Packs".
    pub fn is_catchall(&self, node: u32) -> bool {
        self.catchall[node as usize]
    }

    /// All rows of a node in a country, grouped by brick.
    pub fn rows(&self, country: Country, node: u32) -> &[u32] {
        let base = country.as_u8() as usize * self.len();
        let nodes = self.subtree(node);
        self.bricks.span(base + nodes.start as usize..base + nodes.end as usize)
    }

    /// The priced rows of a node in a country, by price, then by product uid.
    pub fn priced_rows(&self, country: Country, node: u32) -> &[u32] {
        self.figures(country, node).priced_rows()
    }

    /// The prepared data of a node in a country.
    pub fn figures(&self, country: Country, node: u32) -> ScopeAggregates<'_> {
        self.scopes.get(country.as_u8() as usize * self.len() + node as usize)
    }

    /// The rows of every (country, brick) and the prepared data of every (country, node).
    pub(super) fn lists(&self) -> (&RowLists, &CategoryScopes) {
        (&self.bricks, &self.scopes)
    }

    /// The node and all its descendants, which are consecutive in preorder.
    pub(super) fn subtree(&self, node: u32) -> Range<u32> {
        let level = self.level[node as usize];
        let below = self.level[node as usize + 1..].iter().take_while(|&&other| other > level).count();
        node..node + 1 + below as u32
    }

    /// Whether the publication contains attributes.
    pub fn has_attributes(&self) -> bool {
        self.has_attributes
    }

    /// Attributes of a node: name and allowed values.
    pub fn attributes(&self, node: u32) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let start = |ends: &[u32], at: usize| if at == 0 { 0 } else { ends[at - 1] as usize };
        let links = start(&self.attribute_ends, node as usize)..self.attribute_ends[node as usize] as usize;
        links.map(move |link| {
            let list = self.attribute_values[link] as usize;
            let values = start(&self.value_ends, list)..self.value_ends[list] as usize;
            let values = values.map(|value| self.titles.get(self.value_title[value])).collect();
            (self.titles.get(self.attribute_title[link]), values)
        })
    }
}

/// Whether a title contains one of the words by which the publication names its residual bricks.
fn is_residual(title: &str) -> bool {
    const MARKS: [&str; 5] = ["other", "unclassified", "unidentified", "variety packs", "assortments"];
    let words = title.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), " ");
    let spaced = format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "));
    MARKS.iter().any(|mark| spaced.contains(&format!(" {mark} ")))
}
