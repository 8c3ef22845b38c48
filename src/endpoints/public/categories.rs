//! The free list `categories`: the category tree of a country.

use schemars::JsonSchema;
use serde::Serialize;

use super::coverage::{LIMIT, OFFSET};
use crate::catalog::{Catalog, Level, Node};
use crate::lang::text::slug_path;
use crate::query::descriptor::{Descriptor, Group, free_list};
use crate::query::endpoint::{Endpoint, Stamp};
use crate::query::json_text::JsonText;
use crate::query::next_step::NextStep;
use crate::query::params::{Kind, Param, Reader};
use crate::query::product_params::{COUNTRY, read_country};
use crate::query::refusal::Refusal;
use crate::types::Country;

static PARENT: Param = Param {
    name: "parent",
    kind: Kind::Text,
    about: "Slug or display path of the category below which to list; without it the list begins with the roots.",
};
static DEPTH: Param = Param {
    name: "depth",
    kind: Kind::Integer { min: 1, max: 3, default: Some(1) },
    about: "Number of levels to list.",
};

/// The endpoint.
pub(super) struct Categories;

/// Parsed parameters, which `resolve` returns unchanged as the plan.
pub(super) struct Params {
    country: Country,
    parent: Option<String>,
    depth: u32,
    limit: u32,
    offset: u64,
}

/// Answer of categories.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// One page of categories, ordered by slug path.
    items: Vec<Item>,
    /// Number of matching categories, on all pages.
    total: u32,
    /// Maximum number of items on the page, as requested or by default.
    limit: u32,
    /// Number of items skipped before the page, as requested or by default.
    offset: u64,
}

/// A category.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedCategory")]
pub(super) struct Item {
    /// Slug path of the category (a/b/c), a valid value of the parameter `category` of other routes.
    slug: String,
    /// Path of the category for display, such as A > B > C.
    category_path: String,
    /// Level in the category tree: root, department, category or shelf. A shelf has no subcategories.
    level: Level,
    /// Number of listings in the category and its subcategories with a price of the last 90 days.
    products: u32,
    /// Number of the country's categories directly below this category.
    children: u32,
}

impl Endpoint for Categories {
    type Params = Params;
    type Plan = Params;
    type Answer<'a> = Answer;

    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        title: "Categories",
        summary: "The category tree of a country.",
        about: "Use it to find the categories that the paid endpoints accept. Without parent it lists the roots, \
                with parent the categories below it; depth lists several levels at once. slug is the value for \
                category and node. products counts listings with a price of the last 90 days, and most endpoints \
                refuse a category with 0. An unknown parent has no items. No field is null.",
        params: &[&COUNTRY, &PARENT, &DEPTH, &LIMIT, &OFFSET],
        examples: &["country=ca", "parent=computers&depth=2"],
        rows: &["items"],
        next: largest,
        ..Descriptor::of(free_list!(categories), Group::Public)
    };

    fn read(reader: &mut Reader<'_>) -> Params {
        Params {
            country: read_country(reader),
            parent: reader.text(&PARENT),
            depth: reader.integer(&DEPTH).unwrap_or_default(),
            limit: reader.integer(&LIMIT).unwrap_or_default(),
            offset: reader.position(&OFFSET),
        }
    }

    fn resolve(_: &Catalog, params: Params) -> Result<Params, Refusal> {
        Ok(params)
    }

    fn run(catalog: &Catalog, params: Params, _: Stamp) -> Answer {
        let nodes = below(catalog, &params);
        let page = nodes.iter().skip(params.offset as usize).take(params.limit as usize);
        Answer {
            items: page.map(|&node| Item::of(catalog, params.country, node)).collect(),
            total: nodes.len() as u32,
            limit: params.limit,
            offset: params.offset,
        }
    }
}

/// Returns the categories of the country that are at most `depth` levels below the parent, ordered by slug. Returns no
/// category if the parent is unknown.
fn below(catalog: &Catalog, params: &Params) -> Vec<Node> {
    let taxonomy = &catalog.taxonomy;
    let (range, base) = match &params.parent {
        None => (0..taxonomy.nodes().len() as Node, 0),
        Some(parent) => {
            let separator = if parent.contains('>') { '>' } else { '/' };
            let Some(node) = taxonomy.by_slug(&slug_path(parent, separator)) else { return Vec::new() };
            (node + 1..taxonomy.node(node).subtree_end, taxonomy.node(node).depth)
        }
    };
    let near = |&node: &Node| {
        taxonomy.node(node).depth <= base + params.depth && taxonomy.exists(params.country, node)
    };
    let mut nodes: Vec<Node> = range.filter(near).collect();
    nodes.sort_unstable_by_key(|&node| taxonomy.node(node).slug.as_str());
    nodes
}

/// Suggests a request for the subcategories of the largest category on the page, or for its products if it has no
/// subcategories. Of equally large categories, the first is used.
fn largest(answer: &JsonText) -> Option<NextStep> {
    let number = |row: &JsonText, name| row.field(name)?.cell()?.parse::<u32>().ok();
    let row = answer.rows("items").iter().rev().max_by_key(|row| number(row, "products"))?;
    let slug = row.first_text("slug")?;
    match (number(row, "children")?, number(row, "products")?) {
        (0, 0) => None,
        (0, _) => Some(NextStep::to("competitive-landscape", "category", slug)),
        _ => Some(NextStep::to("categories", "parent", slug)),
    }
}

impl Item {
    fn of(catalog: &Catalog, country: Country, node: Node) -> Self {
        let taxonomy = &catalog.taxonomy;
        Self {
            slug: taxonomy.node(node).slug.clone(),
            category_path: taxonomy.node(node).path.clone(),
            level: taxonomy.level(country, node),
            products: taxonomy.priced_rows(country, node).len() as u32,
            children: taxonomy.children(country, Some(node)).count() as u32,
        }
    }
}
