//! Side tables: an invented classification (in the format of GPC), the bricks of categories, and everyday names of
//! categories.
//!
//! Codes of segments, families, classes and bricks begin with 9. Segments, families and classes correspond to
//! departments, aisles and shelves of the category tree. A shelf has one brick, which has one attribute. Every
//! department also has a residual brick without attributes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::categories::LeafCategory;
use super::plan::Plan;

/// Date of the invented publication.
const PUBLISHED: &str = "2026-10-01T00:00:00Z";
/// One category in this many is left out of the table of bricks.
const UNMAPPED_ONE_IN: usize = 12;
/// Everyday names of shelves: the everyday name, and the shelf's name in category paths.
const EVERYDAY: [(&str, &str); 10] = [
    ("Cans", "Headphones"),
    ("Pop", "Soda"),
    ("Soft Drinks", "Soda"),
    ("Cell Phones", "Smartphones"),
    ("Notebooks and Ultrabooks", "Laptops"),
    ("TVs", "Televisions"),
    ("GPU", "Graphics Cards"),
    ("Trainers", "Running Shoes"),
    ("Crisps", "Chips"),
    ("Red", "Merlot"),
];

#[derive(Serialize)]
struct Publication {
    #[serde(rename = "DateUtc")]
    date: &'static str,
    #[serde(rename = "Schema")]
    schema: Vec<Node>,
}

#[derive(Serialize)]
struct Node {
    #[serde(rename = "Level")]
    level: u8,
    #[serde(rename = "Code")]
    code: u32,
    #[serde(rename = "Title")]
    title: String,
    #[serde(rename = "Childs")]
    children: Vec<Node>,
}

/// Code of the brick of a shelf. All varieties of the shelf have the same brick.
pub(super) fn brick(leaf: &LeafCategory) -> u32 {
    let aisle = &leaf.department().aisles[leaf.aisle];
    let place = aisle.leaves.split(';').position(|name| name == leaf.name).unwrap_or(0);
    class(leaf.department, leaf.aisle, place) + 1
}

fn segment(department: usize) -> u32 {
    90_000_000 + 100_000 * department as u32
}

fn family(department: usize, aisle: usize) -> u32 {
    segment(department) + 1_000 * (aisle as u32 + 1)
}

fn class(department: usize, aisle: usize, place: usize) -> u32 {
    family(department, aisle) + 10 * (place as u32 + 1)
}

/// Writes the tables into `folder`.
pub(super) fn write(plan: &Plan, folder: &Path) -> Result<()> {
    let put = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    let schema = super::categories::DEPARTMENTS.iter().enumerate().map(|(at, _)| department(at)).collect();
    let gpc = serde_json::to_string(&Publication { date: PUBLISHED, schema })?;
    put("gpc.json", gpc + "\n")?;
    put("category_gpc.csv", bricks(plan))?;
    put("aliases.csv", aliases(plan))
}

fn department(at: usize) -> Node {
    let row = &super::categories::DEPARTMENTS[at];
    let mut children = Vec::new();
    for (place, aisle) in row.aisles.iter().enumerate() {
        let leaves = aisle.leaves.split(';').enumerate();
        let classes = leaves.map(|(leaf, name)| class_node(class(at, place, leaf), name)).collect();
        children.push(Node {
            level: 2,
            code: family(at, place),
            title: aisle.name.to_owned(),
            children: classes,
        });
    }
    let other = format!("{} Other", row.name);
    let rest = family(at, row.aisles.len());
    let brick = Node { level: 4, code: rest + 11, title: other.clone(), children: vec![] };
    let class = Node { level: 3, code: rest + 10, title: other.clone(), children: vec![brick] };
    children.push(Node { level: 2, code: rest, title: other, children: vec![class] });
    Node { level: 1, code: segment(at), title: row.name.to_owned(), children }
}

fn class_node(code: u32, name: &str) -> Node {
    let values = ["YES", "NO", "UNCLASSIFIED"].iter().zip(30_000_001..);
    let values =
        values.map(|(title, code)| Node { level: 6, code, title: (*title).to_owned(), children: vec![] });
    let organic =
        Node { level: 5, code: 20_000_001, title: "Organic Claim".to_owned(), children: values.collect() };
    let brick = Node { level: 4, code: code + 1, title: name.to_owned(), children: vec![organic] };
    Node { level: 3, code, title: format!("{name} Class"), children: vec![brick] }
}

/// Table of category paths and bricks, with a row for most shelves. The varieties of a divided shelf inherit its brick.
fn bricks(plan: &Plan) -> String {
    let mut rows = BTreeSet::new();
    for (at, leaf) in plan.leaves.iter().enumerate() {
        if at % UNMAPPED_ONE_IN != UNMAPPED_ONE_IN - 1 || leaf.is_head() {
            let whole = LeafCategory { variety: None, ..leaf.clone() };
            rows.insert((whole.path(), brick(leaf)));
        }
    }
    let mut text = "category_path,brick\n".to_owned();
    for (path, brick) in rows {
        let _ = writeln!(text, "{path},{brick}");
    }
    text
}

fn aliases(plan: &Plan) -> String {
    let mut text = "alias,target\n".to_owned();
    for (name, last) in EVERYDAY {
        if let Some(leaf) = plan.leaves.iter().find(|leaf| leaf.name == last) {
            let whole = LeafCategory { variety: None, ..leaf.clone() };
            let _ = writeln!(text, "{name},{}", whole.path());
        }
    }
    text
}
