//! A GPC publication, from the JSON of its publisher to interned tables.
//!
//! Levels 1–4 are nodes (segment, family, class, brick), 5 the attributes of a brick, 6 the values of an attribute.
//! Bricks share attributes and attributes share value lists: a publication links 184,000 values of 6,000 titles, so
//! titles and lists are stored once. Codes are numbers; as text they have eight digits.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::Limited;
use super::limits::RELEASE_BYTES_MAX;
use super::publication::{self, Node, Publication};
use crate::ingest;
use crate::snapshot::Strings;
use crate::snapshot::layout::NONE;

/// Largest publication, decompressed.
const PUBLICATION_BYTES_MAX: u64 = 1 << 30;

/// Levels of nodes; what lies deeper belongs to a brick.
const BRICK: u8 = 4;
const ATTRIBUTE: u8 = 5;

/// A classification publication, interned: titles and attribute value lists are stored once.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ClassificationTables {
    /// Release identifier of the publication: its date, `YYYY-MM`.
    pub release: String,
    /// Every title once.
    pub titles: Strings,
    /// Code of each node of levels 1–4, in preorder of the publication with siblings by code.
    pub code: Vec<u32>,
    /// Level of each node, 1 to 4 (segment, family, class, brick).
    pub level: Vec<u8>,
    /// Index into `titles` for each node.
    pub title: Vec<u32>,
    /// Index of each node's parent, or [`NONE`].
    pub parent: Vec<u32>,
    /// Whether the publication has any attribute level at all.
    pub has_attributes: bool,
    /// Attribute links of node `i` are `attribute_ends[i - 1]..attribute_ends[i]` (0 before the first).
    pub attribute_ends: Vec<u32>,
    /// Per attribute link: index into `titles` of the attribute's name.
    pub attribute_title: Vec<u32>,
    /// Per attribute link: index of its value list.
    pub attribute_values: Vec<u32>,
    /// Value list `v` is `value_ends[v - 1]..value_ends[v]`. Equal lists are stored once.
    pub value_ends: Vec<u32>,
    /// Per value: index into `titles`.
    pub value_title: Vec<u32>,
}

/// Eight digits; the `.0` of an export goes.
pub(crate) fn gpc_code(text: &str) -> Option<u32> {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    let usable = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&code| usable && code > 0)
}

/// Reads a publication, compressed or not.
///
/// # Errors
/// When the file cannot be read, is larger than it may be or is no publication.
pub fn read(path: &Path) -> Result<ClassificationTables> {
    ingest::open(path, ingest::Compression::of_name(path))
        .and_then(|reader| import(Limited::new(reader, PUBLICATION_BYTES_MAX)))
        .with_context(|| format!("{}: cannot be read", path.display()))
}

/// Interns a publication.
///
/// # Errors
/// When `json` is no publication or holds no node.
pub fn parse(json: &[u8]) -> Result<ClassificationTables> {
    import(json)
}

fn import(json: impl Read) -> Result<ClassificationTables> {
    let Publication { date, schema, titles } = publication::read(json)?;
    let mut importer = Importer { placed: vec![None; titles.len()], texts: titles, ..Importer::default() };
    importer.out.release = release(&date);
    let bytes = importer.out.release.len();
    ensure!(bytes <= RELEASE_BYTES_MAX, "DateUtc has {bytes} bytes; the maximum is {RELEASE_BYTES_MAX}");
    importer.siblings(schema, 1, NONE)?;
    ensure!(!importer.out.code.is_empty(), "not a GPC publication: the file does not contain a segment");
    Ok(importer.out)
}

/// `YYYY-MM` of the publication's date; the text as it stands when it does not begin with a date.
fn release(date: &str) -> String {
    let date = date.trim();
    let is_month = date.len() >= 7
        && date
            .bytes()
            .take(7)
            .enumerate()
            .all(|(at, byte)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() });
    if is_month { date[..7].to_owned() } else { date.to_owned() }
}

#[derive(Default)]
struct Importer {
    out: ClassificationTables,
    /// The titles as they were read.
    texts: Vec<String>,
    /// Where each of them lies among those of the tables.
    placed: Vec<Option<u32>>,
    lists: HashMap<Vec<u32>, u32>,
    seen: HashSet<u32>,
}

impl Importer {
    /// Adds the nodes of one parent, by code, and what is below them. A code counts once; levels follow one another.
    fn siblings(&mut self, mut nodes: Vec<Node>, depth: u8, parent: u32) -> Result<()> {
        nodes.sort_by_key(|node| node.code);
        for node in nodes {
            let level = node.level.unwrap_or(depth);
            if !(1..=BRICK).contains(&level) || !self.seen.insert(node.code) {
                continue;
            }
            ensure!(level == depth, "code {} has level {level}, expected level {depth}", node.code);
            let place = self.out.code.len() as u32;
            let title = self.title(node.title);
            self.out.code.push(node.code);
            self.out.level.push(level);
            self.out.title.push(title);
            self.out.parent.push(parent);
            let (attributes, below): (Vec<_>, Vec<_>) =
                node.children.into_iter().partition(|child| child.level.unwrap_or(level + 1) >= ATTRIBUTE);
            for attribute in &attributes {
                self.attribute(attribute);
            }
            self.out.attribute_ends.push(self.out.attribute_title.len() as u32);
            self.siblings(below, level + 1, place)?;
        }
        Ok(())
    }

    /// Adds an attribute to the node that was added last.
    fn attribute(&mut self, attribute: &Node) {
        self.out.has_attributes = true;
        let values = attribute.children.iter().map(|value| self.title(value.title)).collect();
        let title = self.title(attribute.title);
        let list = self.list(values);
        self.out.attribute_title.push(title);
        self.out.attribute_values.push(list);
    }

    fn title(&mut self, read: u32) -> u32 {
        let place = &mut self.placed[read as usize];
        *place.get_or_insert_with(|| {
            let number = self.out.titles.len() as u32;
            self.out.titles.push(&self.texts[read as usize]);
            number
        })
    }

    fn list(&mut self, values: Vec<u32>) -> u32 {
        if let Some(&number) = self.lists.get(&values) {
            return number;
        }
        let number = self.out.value_ends.len() as u32;
        self.out.value_title.extend_from_slice(&values);
        self.out.value_ends.push(self.out.value_title.len() as u32);
        self.lists.insert(values, number);
        number
    }
}

impl ClassificationTables {
    /// Bytes that the tables hold.
    pub fn bytes(&self) -> usize {
        let titles = self.titles.view();
        let numbers = titles.ends.len()
            + self.code.len()
            + self.title.len()
            + self.parent.len()
            + self.attribute_ends.len()
            + self.attribute_title.len()
            + self.attribute_values.len()
            + self.value_ends.len()
            + self.value_title.len();
        titles.bytes.len() + self.level.len() + size_of::<u32>() * numbers
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn codes_are_eight_digits() {
        assert_eq!(gpc_code("10000276"), Some(10_000_276));
        assert_eq!(gpc_code("10000276.0"), Some(10_000_276));
        for text in ["", "1000027", "100002760", "+1000027", "00000000", "abcdefgh"] {
            assert_eq!(gpc_code(text), None, "{text}");
        }
    }

    fn small(attributes: &str) -> Vec<u8> {
        format!(
            r#"{{"LanguageCode":"EN","DateUtc":"2025-11-27T00:00:00Z","Schema":[
            {{"Level":1,"Code":50000000,"Title":"Food","Definition":"x","Active":true,"Childs":[
              {{"Level":2,"Code":50200000,"Title":"Drinks","Childs":[
                {{"Level":3,"Code":50202200,"Title":"Wine","Childs":[
                  {{"Level":4,"Code":10000276,"Title":"Still","Childs":{attributes}}},
                  {{"Level":4,"Code":"10000275","Title":"Still"}}]}}]}}]}},
            {{"Level":1,"Code":10000000,"Title":"Pets","Childs":null}}]}}"#
        )
        .into_bytes()
    }

    #[test]
    fn nodes_come_in_preorder_by_code() {
        let gpc = parse(&small("[]")).unwrap();
        assert_eq!(gpc.release, "2025-11");
        assert_eq!(gpc.code, [10_000_000, 50_000_000, 50_200_000, 50_202_200, 10_000_275, 10_000_276]);
        assert_eq!(gpc.level, [1, 1, 2, 3, 4, 4]);
        assert_eq!(gpc.parent, [NONE, NONE, 1, 2, 3, 3]);
        assert_eq!(gpc.title[4], gpc.title[5]);
        assert!(!gpc.has_attributes);
        assert_eq!(gpc.attribute_ends, [0; 6]);
    }

    #[test]
    fn attributes_and_values_are_kept_in_order() {
        let values =
            r#"[{"Level":6,"Code":30000001,"Title":"RED"},{"Level":6,"Code":30000002,"Title":"WHITE"}]"#;
        let gpc = parse(&small(&format!(
            r#"[{{"Level":5,"Code":20000002,"Title":"Colour","Childs":{values}}},
                {{"Level":5,"Code":20000001,"Title":"Tint","Childs":{values}}},
                {{"Level":5,"Code":20000003,"Title":"Origin"}}]"#
        )))
        .unwrap();
        assert!(gpc.has_attributes);
        assert_eq!(gpc.attribute_ends, [0, 0, 0, 0, 0, 3]);
        let titles: Vec<_> =
            gpc.attribute_title.iter().map(|&title| gpc.titles.get(title as usize)).collect();
        assert_eq!(titles, ["Colour", "Tint", "Origin"]);
        assert_eq!(gpc.attribute_values, [0, 0, 1]);
        assert_eq!(gpc.value_ends, [2, 2]);
        assert_eq!(gpc.titles.get(gpc.value_title[1] as usize), "WHITE");
    }

    #[test]
    fn rejects_invalid_classification_files() {
        assert!(parse(b"{}").is_err());
        assert!(parse(br#"{"Schema":[]}"#).is_err());
        let gap = br#"{"Schema":[{"Level":1,"Code":1,"Childs":[{"Level":4,"Code":2}]}]}"#;
        assert!(parse(gap).unwrap_err().to_string().contains("code 2 has level 4, expected level 2"));
    }

    /// As large as a real one: 6,463 nodes, 10,000 attribute links, 184,000 value links.
    #[test]
    fn a_full_publication_takes_a_few_megabytes() {
        let mut code = 10_000_000;
        let mut json = String::from(r#"{"DateUtc":"2025-11-27","Schema":["#);
        let mut node = |json: &mut String, level: u8, comma: bool| {
            code += 1;
            let comma = if comma { "," } else { "" };
            write!(
                json,
                r#"{comma}{{"Level":{level},"Code":{code},"Title":"Title {level} {code}","Childs":["#
            )
            .unwrap();
        };
        // Nested at the start of each parent; the counts add up to 6,463.
        let (mut families, mut classes, mut bricks, mut links) = (0, 0, 0, 0);
        for segment in 0..45 {
            node(&mut json, 1, segment > 0);
            for family in 0..(162 * (segment + 1) / 45 - families) {
                node(&mut json, 2, family > 0);
                for class in 0..if families < 161 { 5 } else { 937 - classes } {
                    node(&mut json, 3, class > 0);
                    for brick in 0..if classes < 936 { 5 } else { 5_319 - bricks } {
                        node(&mut json, 4, brick > 0);
                        for attribute in 0..if bricks < 4_681 { 2 } else { 1 } {
                            let comma = if attribute > 0 { "," } else { "" };
                            let kind = links % 1_500;
                            write!(
                                json,
                                r#"{comma}{{"Level":5,"Code":{kind},"Title":"Attribute {kind}","Childs":["#
                            )
                            .unwrap();
                            for value in 0..if links % 5 == 0 { 20 } else { 18 } {
                                let comma = if value > 0 { "," } else { "" };
                                let value = kind * 4 + value;
                                write!(
                                    json,
                                    r#"{comma}{{"Level":6,"Code":{value},"Title":"Value {value}"}}"#
                                )
                                .unwrap();
                            }
                            json.push_str("]}");
                            links += 1;
                        }
                        json.push_str("]}");
                        bricks += 1;
                    }
                    json.push_str("]}");
                    classes += 1;
                }
                json.push_str("]}");
                families += 1;
            }
            json.push_str("]}");
        }
        json.push_str("]}");
        let gpc = parse(json.as_bytes()).unwrap();
        assert_eq!((gpc.code.len(), gpc.attribute_title.len()), (6_463, 10_000));
        let linked = |link: &u32| {
            let end = gpc.value_ends[*link as usize];
            end - if *link == 0 { 0 } else { gpc.value_ends[*link as usize - 1] }
        };
        assert_eq!(gpc.attribute_values.iter().map(linked).sum::<u32>(), 184_000);
        assert!(gpc.bytes() < 3 << 20, "{} bytes", gpc.bytes());
    }
}
