//! Category paths become one tree over both countries.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use memchr::memchr_iter;

use super::labels::Spellings;
use crate::index::normalized::{Category, NONE};
use crate::ingest::limits::{CATEGORY_DEPTH_MAX, CATEGORY_NODES_MAX};
use crate::lang::text::slug;

/// Where listings without a category lie.
const UNCATEGORIZED: &str = "Uncategorized";

/// Slug and spelling of each segment that has a slug.
fn segments(path: &str) -> Vec<(String, &str)> {
    path.split('>')
        .map(|segment| (slug(segment), segment.trim()))
        .filter(|(slug, _)| !slug.is_empty())
        .collect()
}

/// The slug path of the node that a category path leads to.
pub(in crate::index) fn slug_path(path: &str) -> String {
    let slugs: Vec<String> = segments(path).into_iter().map(|(slug, _)| slug).collect();
    if slugs.is_empty() { slug(UNCATEGORIZED) } else { slugs.join("/") }
}

/// Whether a path leads deeper than a tree may be.
pub(in crate::index) fn is_too_deep(path: &str) -> bool {
    // Hardly any path has that many separators.
    memchr_iter(b'>', path.as_bytes()).count() >= CATEGORY_DEPTH_MAX
        && segments(path).len() > CATEGORY_DEPTH_MAX
}

/// A node while the tree grows.
#[derive(Default)]
struct Node {
    children: HashMap<String, usize>,
    slug: String,
    spellings: Spellings,
}

/// Builds the tree from `paths`, each lying in `listings[i]` listings; those of none are left out.
///
/// Returns the nodes in preorder, siblings by slug, and for each path the index of its node.
///
/// # Errors
/// When there are more than [`CATEGORY_NODES_MAX`].
pub(in crate::index) fn tree(paths: &[String], listings: &[u64]) -> Result<(Vec<Category>, Vec<u32>)> {
    let mut nodes = vec![Node::default()];
    let mut ends = Vec::with_capacity(paths.len());
    for (path, &count) in paths.iter().zip(listings) {
        // Of listings that newer rows took the place of.
        if count == 0 {
            ends.push(0);
            continue;
        }
        let mut segments = segments(path);
        if segments.is_empty() {
            segments.push((slug(UNCATEGORIZED), UNCATEGORIZED));
        }
        let end = segments.into_iter().fold(0, |at, (slug, spelling)| {
            let child = child(&mut nodes, at, slug);
            nodes[child].spellings.add(spelling, count);
            child
        });
        ends.push(end);
        ensure!(
            nodes.len() - 1 <= CATEGORY_NODES_MAX,
            "the category paths contain more than {CATEGORY_NODES_MAX} categories: use category_path for categories, \
             not for products or tags"
        );
    }
    let mut categories = Vec::with_capacity(nodes.len());
    let mut places = vec![NONE; nodes.len()];
    let mut stack = vec![(0, NONE)];
    while let Some((at, parent)) = stack.pop() {
        let node = std::mem::take(&mut nodes[at]);
        let place = if at == 0 { NONE } else { categories.len() as u32 };
        places[at] = place;
        if at != 0 {
            categories.push(Category { slug: node.slug, label: node.spellings.label(), parent });
        }
        let mut children: Vec<_> = node.children.into_iter().collect();
        children.sort_by(|a, b| b.0.cmp(&a.0));
        stack.extend(children.into_iter().map(|(_, child)| (child, place)));
    }
    Ok((categories, ends.into_iter().map(|end| places[end]).collect()))
}

/// The child of `at` with this slug, made when it is new.
fn child(nodes: &mut Vec<Node>, at: usize, slug: String) -> usize {
    if let Some(&child) = nodes[at].children.get(&slug) {
        return child;
    }
    let path = if at == 0 { slug.clone() } else { format!("{}/{slug}", nodes[at].slug) };
    nodes.push(Node { slug: path, ..Node::default() });
    let child = nodes.len() - 1;
    nodes[at].children.insert(slug, child);
    child
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow(paths: &[(&str, u64)]) -> (Vec<(String, String, u32)>, Vec<u32>) {
        let texts: Vec<_> = paths.iter().map(|(path, _)| (*path).to_owned()).collect();
        let counts: Vec<_> = paths.iter().map(|(_, count)| *count).collect();
        let (nodes, ends) = tree(&texts, &counts).unwrap();
        (nodes.into_iter().map(|node| (node.slug, node.label, node.parent)).collect(), ends)
    }

    #[test]
    fn preorder_goes_by_segment_and_not_by_path() {
        let (nodes, ends) = grow(&[("a > z", 1), ("a-b", 1), ("A>C", 2), ("", 1), (" > !! > ", 1), ("x", 0)]);
        let expected = [
            ("a", "A", NONE),
            ("a/c", "C", 0),
            ("a/z", "z", 0),
            ("a-b", "a-b", NONE),
            ("uncategorized", "Uncategorized", NONE),
        ];
        assert_eq!(nodes, expected.map(|(slug, label, parent)| (slug.to_owned(), label.to_owned(), parent)));
        assert_eq!(ends, [2, 3, 1, 4, 4, NONE]);
        assert_eq!([" A > z", " > !! > "].map(slug_path), ["a/z", "uncategorized"]);
    }

    #[test]
    fn equal_leaves_in_several_places_are_several_nodes() {
        let (nodes, _) = grow(&[("Phones > Accessories", 1), ("Cameras > accessories", 3)]);
        let slugs: Vec<_> = nodes.iter().map(|node| node.0.as_str()).collect();
        assert_eq!(slugs, ["cameras", "cameras/accessories", "phones", "phones/accessories"]);
        assert_eq!(nodes[1].1, "accessories");
        assert_eq!(nodes[3].1, "Accessories");
    }
}
