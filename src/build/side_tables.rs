//! The small tables beside the rows: everyday shelf names, and bricks of category paths.
//!
//! Both have two columns. Their order is that of the file unless a header names them otherwise.

use std::collections::HashSet;

use anyhow::Result;

use super::canonical::{Alias, CategoryBrick};
use super::classification::gpc_code;
use super::ingest::{self, SideFile};
use crate::domain::text::path_slug;

/// Words in a header that say what a column is.
const NAME_WORDS: &[&str] = &["alias", "aliases", "name", "shelf", "shelf_name", "term", "phrase", "synonym"];
const PATH_WORDS: &[&str] = &["category_path", "category", "path", "slug", "node"];
const CODE_WORDS: &[&str] = &["gpc_code", "brick_code", "gpc_brick", "brick", "gpc", "code"];
const TARGET_WORDS: &[&str] =
    &["target", "category_path", "category", "path", "slug", "node", "gpc_code", "brick", "gpc", "code"];

/// Reads tables of everyday shelf names, in order.
pub(super) fn aliases(files: &[SideFile]) -> Result<Vec<Alias>> {
    let mut aliases = Vec::new();
    for file in files {
        let pairs = pairs(&ingest::table(&file.path)?, NAME_WORDS, TARGET_WORDS);
        let usable = pairs.into_iter().filter(|(_, name, target)| !name.is_empty() && !target.is_empty());
        aliases.extend(usable.map(|(_, name, target)| Alias { name, target }));
    }
    Ok(aliases)
}

/// Reads tables from category paths to bricks; the first row of a path counts.
pub(super) fn category_bricks(files: &[SideFile], warnings: &mut Vec<String>) -> Result<Vec<CategoryBrick>> {
    let (mut bricks, mut seen) = (Vec::new(), HashSet::new());
    for file in files {
        for (line, category, code) in pairs(&ingest::table(&file.path)?, PATH_WORDS, CODE_WORDS) {
            let (slug, brick) = (path_slug(&category), gpc_code(&code));
            let (false, Some(brick)) = (slug.is_empty(), brick) else {
                warnings.push(format!(
                    "{}: row {line}: no category path and brick: {category}, {code}",
                    file.name
                ));
                continue;
            };
            if seen.insert(slug.clone()) {
                bricks.push(CategoryBrick { slug, brick });
            }
        }
    }
    Ok(bricks)
}

/// Line and two values of each record, without a header.
fn pairs(records: &[(u64, Vec<String>)], first: &[&str], second: &[&str]) -> Vec<(u64, String, String)> {
    let header = records.first().and_then(|(_, names)| positions(names, first, second));
    let (skip, (a, b)) = header.map_or((0, (0, 1)), |positions| (1, positions));
    let value = |values: &[String], at: usize| values.get(at).cloned().unwrap_or_default();
    records.iter().skip(skip).map(|(line, values)| (*line, value(values, a), value(values, b))).collect()
}

/// Where both columns are, when `names` are names.
fn positions(names: &[String], first: &[&str], second: &[&str]) -> Option<(usize, usize)> {
    let names: Vec<_> = names.iter().map(|name| name.to_lowercase().replace([' ', '-'], "_")).collect();
    let find = |words: &[&str], other: Option<usize>| {
        words.iter().find_map(|word| {
            names.iter().enumerate().find(|(at, name)| name == word && Some(*at) != other).map(|(at, _)| at)
        })
    };
    let a = find(first, None)?;
    Some((a, find(second, Some(a))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, text: &str) -> (tempfile::TempDir, SideFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (folder, SideFile::at(&path))
    }

    #[test]
    fn headers_are_optional() {
        for header in ["", "alias,category\n", "Shelf Name,GPC Code\n"] {
            let (_folder, file) =
                table("aliases.csv", &format!("{header}\"pop, soda\",Drinks > Soft\nwine,10000276\n"));
            let aliases = aliases(&[file]).unwrap();
            let pairs: Vec<_> =
                aliases.iter().map(|alias| (alias.name.as_str(), alias.target.as_str())).collect();
            assert_eq!(pairs, [("pop, soda", "Drinks > Soft"), ("wine", "10000276")]);
        }
    }

    #[test]
    fn columns_go_by_name_where_they_have_one() {
        let (_folder, file) =
            table("category_gpc.csv", "brick,category_path\n10000276,A > B\n10000277,a>b\nx,C\n");
        let mut warnings = Vec::new();
        let bricks = category_bricks(&[file], &mut warnings).unwrap();
        assert_eq!(bricks, [CategoryBrick { slug: "a/b".into(), brick: 10_000_276 }]);
        assert!(warnings.len() == 1 && warnings[0].contains("row 4"), "{warnings:?}");
    }
}
