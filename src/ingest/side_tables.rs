//! The small tables beside the rows: everyday shelf names, and bricks of category paths.
//!
//! Both have two columns. Their order is that of the file unless a header names them otherwise.

use std::collections::HashSet;

use anyhow::Result;

use super::SideFile;
use super::classification::gpc_code;
use super::report::{InputReport, WarningCode, excerpt};
use crate::ingest;
use crate::lang::text::path_slug;

/// Words in a header that say what a column is.
const NAME_WORDS: &[&str] = &["alias", "aliases", "name", "shelf", "shelf_name", "term", "phrase", "synonym"];
const PATH_WORDS: &[&str] = &["category_path", "category", "path", "slug", "node"];
const CODE_WORDS: &[&str] = &["gpc_code", "brick_code", "gpc_brick", "brick", "gpc", "code"];
const TARGET_WORDS: &[&str] =
    &["target", "category_path", "category", "path", "slug", "node", "gpc_code", "brick", "gpc", "code"];

/// Rows of a table without what they should have that are named one by one.
const ROWS_NAMED_MAX: u64 = 10;

/// An everyday shelf name from `aliases.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name as the source has it.
    pub name: String,
    /// A category path (display form, as given) or an 8-digit classification code.
    pub target: String,
}

/// A row of `category_gpc.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryBrick {
    /// Slug path of the category (it need not exist in the tree).
    pub slug: String,
    /// Brick code.
    pub brick: u32,
}

/// Reads tables of everyday shelf names, in order.
pub(crate) fn aliases(files: &[SideFile]) -> Result<Vec<Alias>> {
    let mut aliases = Vec::new();
    for file in files {
        pairs(file, NAME_WORDS, TARGET_WORDS, |_, name, target| {
            if !name.is_empty() && !target.is_empty() {
                aliases.push(Alias { name, target });
            }
        })?;
    }
    Ok(aliases)
}

/// Reads tables from category paths to bricks; the first row of a path counts.
pub(crate) fn category_bricks(files: &[SideFile], report: &mut InputReport) -> Result<Vec<CategoryBrick>> {
    let (mut bricks, mut seen) = (Vec::new(), HashSet::new());
    for file in files {
        let mut unusable = 0;
        pairs(file, PATH_WORDS, CODE_WORDS, |line, category, code| {
            let (slug, brick) = (path_slug(&category), gpc_code(&code));
            let (false, Some(brick)) = (slug.is_empty(), brick) else {
                unusable += 1;
                if unusable <= ROWS_NAMED_MAX {
                    let (category, code) = (excerpt(&category), excerpt(&code));
                    let text = format!(
                        "row {line} does not contain a valid category path and brick code: {category}, {code}"
                    );
                    report.warn(WarningCode::SideTableRow, &file.name, text);
                }
                return;
            };
            if seen.insert(slug.clone()) {
                bricks.push(CategoryBrick { slug, brick });
            }
        })?;
        if unusable > ROWS_NAMED_MAX {
            let more = unusable - ROWS_NAMED_MAX;
            let text = format!("{more} more rows do not contain a valid category path and brick code");
            report.warn(WarningCode::SideTableRow, &file.name, text);
        }
    }
    Ok(bricks)
}

/// Hands over line and two values of each record of a table, without a header.
fn pairs(
    file: &SideFile,
    first: &[&str],
    second: &[&str],
    mut take: impl FnMut(u64, String, String),
) -> Result<()> {
    let mut columns = None;
    ingest::table(&file.path, |line, mut values| {
        if columns.is_none() {
            let named = positions(&values, first, second);
            columns = Some(named.unwrap_or((0, 1)));
            if named.is_some() {
                return Ok(());
            }
        }
        let (a, b) = columns.unwrap_or((0, 1));
        let mut value = |at: usize| values.get_mut(at).map(std::mem::take).unwrap_or_default();
        take(line, value(a), value(b));
        Ok(())
    })
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
    use crate::ingest::limits::{COLUMNS_MAX, QUOTED_BYTES_MAX, TABLE_ROWS_MAX};

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
        let mut report = InputReport::default();
        let bricks = category_bricks(&[file], &mut report).unwrap();
        assert_eq!(bricks, [CategoryBrick { slug: "a/b".into(), brick: 10_000_276 }]);
        let warnings = report.distinct_warnings();
        assert!(warnings.len() == 1 && warnings[0].contains("row 4"), "{warnings:?}");
    }

    #[test]
    fn ten_rows_without_a_brick_are_named_and_the_others_counted() {
        let rows = "A,none\n".repeat(300_000);
        let (_folder, file) = table("category_gpc.csv", &rows);
        let mut report = InputReport::default();
        assert_eq!(category_bricks(&[file], &mut report).unwrap(), []);
        let warnings = report.distinct_warnings();
        assert_eq!(warnings.len(), 11);
        assert!(
            warnings[9].ends_with("row 10 does not contain a valid category path and brick code: A, none"),
            "{}",
            warnings[9]
        );
        assert!(
            warnings[10].ends_with(": 299990 more rows do not contain a valid category path and brick code"),
            "{}",
            warnings[10]
        );
    }

    #[test]
    fn tables_beyond_a_limit_are_refused_with_the_line() {
        let wide = ",x".repeat(COLUMNS_MAX);
        let unclosed = format!("wine,10000276\nbeer,\"{}", "x\n".repeat(QUOTED_BYTES_MAX));
        let long = format!("wine,{}\n", "x".repeat(64 << 20));
        let many = "a,b\n".repeat(TABLE_ROWS_MAX as usize + 1);
        for (text, fault) in [
            (wide.as_str(), "line 1 has 1025 values, and at most 1024 are supported"),
            (&unclosed, "line 2: a quote opens a value and does not close within 1048576 bytes"),
            (&long, "line 1 is longer than 67108864 bytes"),
            (&many, "line 1000001: the file has more than 1000000 rows"),
        ] {
            let (_folder, file) = table("aliases.csv", text);
            let error = format!("{:#}", aliases(&[file]).unwrap_err());
            assert!(error.contains("aliases.csv: cannot be read: ") && error.contains(fault), "{error}");
        }
    }
}
