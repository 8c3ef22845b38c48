//! A GPC publication as its JSON has it, read as a stream.
//!
//! A compressed file may unpack to a thousand times its size, so everything that is kept has a limit that holds while
//! the file is read: the nodes ([`CLASSIFICATION_NODES_MAX`]) and the bytes of their titles, each kept once
//! ([`CLASSIFICATION_TITLE_BYTES_MAX`]). A text and the depth are bounded before the parser makes room for them
//! ([`BoundedJson`]). Values that nothing reads are skipped.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufReader, Read};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::BOM;
use super::BoundedJson;
use super::limits::{CLASSIFICATION_NODES_MAX, CLASSIFICATION_TITLE_BYTES_MAX};

/// Bytes at the beginning whose bounds are checked before any is parsed.
const HEAD_BYTES: u64 = 8 << 10;

/// A publication.
pub(super) struct Publication {
    /// Its `DateUtc`; empty where it has none.
    pub date: String,
    pub schema: Vec<Node>,
    /// The titles of its nodes, trimmed, each once.
    pub titles: Vec<String>,
}

/// A segment, family, class, brick, attribute or value.
pub(super) struct Node {
    pub level: Option<u8>,
    pub code: u32,
    /// Its place among [`Publication::titles`].
    pub title: u32,
    pub children: Vec<Self>,
}

/// Reads a publication.
///
/// # Errors
/// When it cannot be read, is beyond a limit, or is no publication.
pub(super) fn read(mut json: impl Read) -> Result<Publication> {
    let mut head = Vec::new();
    (&mut json).take(HEAD_BYTES).read_to_end(&mut head)?;
    let begin = head.strip_prefix(BOM).unwrap_or(&head);
    let json = BufReader::new(BoundedJson::new(begin.chain(json)));
    let mut read = NodesRead::default();
    let mut parser = serde_json::Deserializer::from_reader(json);
    let parsed =
        PublicationSeed(&mut read).deserialize(&mut parser).and_then(|parsed| parser.end().map(|()| parsed));
    match parsed {
        Ok((date, schema)) => Ok(Publication { date, schema, titles: read.titles() }),
        Err(_) if read.beyond.is_some() => bail!(read.beyond.unwrap_or_default()),
        Err(fault) if fault.is_io() => Err(io::Error::from(fault).into()),
        Err(fault) => Err(fault).context("not a GPC publication"),
    }
}

/// State kept of the nodes that were read so far.
#[derive(Default)]
struct NodesRead {
    nodes: usize,
    titles: HashMap<String, u32>,
    title_bytes: usize,
    /// The limit that was exceeded.
    beyond: Option<String>,
}

impl NodesRead {
    /// Counts a node before it is read.
    fn begin_node<E: Error>(&mut self) -> Result<(), E> {
        self.nodes += 1;
        if self.nodes > CLASSIFICATION_NODES_MAX {
            return Err(self.too_large(format!(
                "more than {CLASSIFICATION_NODES_MAX} segments, families, classes, bricks, attributes and values"
            )));
        }
        Ok(())
    }

    fn title<E: Error>(&mut self, title: &str) -> Result<u32, E> {
        let title = title.trim();
        if let Some(&number) = self.titles.get(title) {
            return Ok(number);
        }
        self.title_bytes += title.len();
        if self.title_bytes > CLASSIFICATION_TITLE_BYTES_MAX {
            return Err(self.too_large(format!(
                "the distinct titles have more than {CLASSIFICATION_TITLE_BYTES_MAX} bytes"
            )));
        }
        let number = self.titles.len() as u32;
        self.titles.insert(title.to_owned(), number);
        Ok(number)
    }

    fn too_large<E: Error>(&mut self, why: String) -> E {
        let fault = E::custom(&why);
        self.beyond = Some(why);
        fault
    }

    /// The titles by their numbers.
    fn titles(self) -> Vec<String> {
        let mut titles = vec![String::new(); self.titles.len()];
        for (title, number) in self.titles {
            titles[number as usize] = title;
        }
        titles
    }
}

/// Puts a value into its place, which has to be empty.
fn put<T, E: Error>(place: &mut Option<T>, name: &'static str, value: Result<T, E>) -> Result<(), E> {
    if place.is_some() {
        return Err(E::duplicate_field(name));
    }
    *place = Some(value?);
    Ok(())
}

/// Reads the date and the nodes of a publication.
struct PublicationSeed<'r>(&'r mut NodesRead);

#[derive(Deserialize)]
#[serde(field_identifier)]
enum PublicationKey {
    DateUtc,
    Schema,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for PublicationSeed<'_> {
    type Value = (String, Vec<Node>);

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PublicationSeed<'_> {
    type Value = (String, Vec<Node>);

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a publication")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut date, mut schema) = (None, None);
        while let Some(key) = map.next_key()? {
            match key {
                PublicationKey::DateUtc => put(&mut date, "DateUtc", map.next_value::<Option<String>>())?,
                PublicationKey::Schema => put(&mut schema, "Schema", map.next_value_seed(NodesSeed(self.0)))?,
                PublicationKey::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        let schema = schema.ok_or_else(|| Error::missing_field("Schema"))?;
        Ok((date.flatten().unwrap_or_default(), schema))
    }
}

/// Reads a list of nodes, or `null`.
struct NodesSeed<'r>(&'r mut NodesRead);

impl<'de> DeserializeSeed<'de> for NodesSeed<'_> {
    type Value = Vec<Node>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Vec<Node>, D::Error> {
        json.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for NodesSeed<'_> {
    type Value = Vec<Node>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of nodes")
    }

    fn visit_none<E: Error>(self) -> Result<Vec<Node>, E> {
        Ok(Vec::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, json: D) -> Result<Vec<Node>, D::Error> {
        json.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Node>, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element_seed(NodeSeed(self.0))? {
            nodes.push(node);
        }
        Ok(nodes)
    }
}

/// Reads a node and those below it.
struct NodeSeed<'r>(&'r mut NodesRead);

#[derive(Deserialize)]
#[serde(field_identifier)]
enum NodeKey {
    Level,
    Code,
    Title,
    #[serde(alias = "Children")]
    Childs,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Node, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let read = self.0;
        read.begin_node()?;
        let (mut level, mut code, mut title, mut children) = (None, None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                NodeKey::Level => put(&mut level, "Level", map.next_value::<Option<u8>>())?,
                NodeKey::Code => put(&mut code, "Code", map.next_value::<Code>())?,
                NodeKey::Title => put(&mut title, "Title", map.next_value::<Option<String>>())?,
                NodeKey::Childs => put(&mut children, "Childs", map.next_value_seed(NodesSeed(read)))?,
                NodeKey::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(Node {
            level: level.flatten(),
            code: code.map_or(0, |Code(code)| code),
            title: read.title(title.flatten().as_deref().unwrap_or_default())?,
            children: children.unwrap_or_default(),
        })
    }
}

/// A code as a number or as text.
struct Code(u32);

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(CodeVisitor)
    }
}

struct CodeVisitor;

impl Visitor<'_> for CodeVisitor {
    type Value = Code;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a code of up to ten digits")
    }

    fn visit_u64<E: Error>(self, code: u64) -> Result<Code, E> {
        u32::try_from(code).map(Code).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, code: &str) -> Result<Code, E> {
        code.trim().parse().map(Code).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::ingest::JSON_TOKEN_BYTES_MAX;

    /// Bytes behind a limit that a reader takes before it notices: its buffers.
    const AHEAD_BYTES: usize = 1 << 16;

    /// A text that goes on for as long as it is read.
    struct Endless<'c> {
        begin: &'c [u8],
        again: &'c [u8],
        at: usize,
        read: &'c Cell<usize>,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *out {
                let again = |at: usize| self.again[(at - self.begin.len()) % self.again.len()];
                *byte = self.begin.get(self.at).copied().unwrap_or_else(|| again(self.at));
                self.at += 1;
            }
            self.read.set(self.at);
            Ok(out.len())
        }
    }

    /// Why a text without end is refused, and how many of its bytes were read.
    fn refused(begin: &str, again: &str) -> (String, usize) {
        let count = Cell::new(0);
        let endless = Endless { begin: begin.as_bytes(), again: again.as_bytes(), at: 0, read: &count };
        (format!("{:#}", read(endless).err().unwrap()), count.get())
    }

    #[test]
    fn empty_nodes_end_at_the_limit() {
        for begin in
            ["{\"Schema\":[", "{\"Schema\":[{\"Childs\":[", "{\"Schema\":[{\"Children\":[{\"Childs\":["]
        {
            let (fault, bytes) = refused(begin, "{},");
            assert_eq!(fault, "more than 1000000 segments, families, classes, bricks, attributes and values");
            assert!(bytes < 3 * CLASSIFICATION_NODES_MAX + AHEAD_BYTES, "{bytes}");
        }
    }

    #[test]
    fn titles_end_at_the_limit() {
        let text = "x".repeat(1 << 16);
        let node = |number: usize| format!("{{\"Title\":\"{number}{text}\"}},");
        let many: String = (0..300).map(node).collect();
        let (fault, bytes) = refused("{\"Schema\":[", &many);
        assert!(fault.contains("distinct titles have more than 16777216 bytes"), "{fault}");
        assert!(bytes < 2 * CLASSIFICATION_TITLE_BYTES_MAX, "{bytes}");
    }

    #[test]
    fn long_tokens_and_deep_nesting_end_before_room_is_made_for_them() {
        for begin in
            ["{\"DateUtc\":\"", "{\"", "{\"Schema\":[{\"Title\":\"", "{\"x\":\"", "{\"Schema\":[{\"Code\":"]
        {
            let (fault, bytes) = refused(begin, "1");
            assert!(fault.contains("a text or number has more than 1048576 bytes"), "{begin}: {fault}");
            assert!(bytes < JSON_TOKEN_BYTES_MAX + AHEAD_BYTES, "{begin}: {bytes}");
        }
        for begin in ["", "{\"Schema\":", "{\"Schema\":[{\"Code\":", "{\"x\":"] {
            let (fault, bytes) = refused(begin, "[");
            assert!(fault.contains("nested more than 64 levels deep"), "{begin}: {fault}");
            assert!(bytes < AHEAD_BYTES, "{begin}: {bytes}");
        }
    }

    #[test]
    fn values_of_the_wrong_kind_are_refused() {
        for (json, fault) in [
            ("{\"Schema\":[{\"Code\":[1]}]}", "expected a code"),
            ("{\"Schema\":[{\"Code\":1,\"Code\":2}]}", "duplicate field `Code`"),
            ("{\"Schema\":[{\"Childs\":[],\"Children\":[]}]}", "duplicate field `Childs`"),
            ("{\"Schema\":[]} x", "trailing characters"),
            ("{}", "missing field `Schema`"),
            ("{\"Schema\":[1]}", "expected a node"),
        ] {
            let error = format!("{:#}", read(json.as_bytes()).err().expect(json));
            assert!(error.starts_with("not a GPC publication: ") && error.contains(fault), "{json}: {error}");
        }
    }
}
