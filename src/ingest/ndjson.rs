//! NDJSON: one object per line, so that a bad line costs that line only.
//!
//! Numbers must be read to the last bit: the shortest decimal form of a price decides its rounding.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

use polars::prelude::{StringChunked, StringChunkedBuilder};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::DeserializeSeed};

use simd_json::Buffers;

use super::blocks::{Block, excerpt};
use super::json_repair::parse_repaired;
use super::nesting::is_deeper;
use super::plan::ColumnPlan;
use super::typed::FloatText;
use crate::ingest::limits::{COLUMNS_MAX, JSON_DEPTH_MAX};
use crate::ingest::rejects::Reason;

/// Most unknown names a chunk remembers.
const UNKNOWN_MAX: usize = 64;
/// Bytes of an unknown name that are remembered.
const UNKNOWN_BYTES_MAX: usize = 200;

/// Knows which keys are wanted.
#[derive(Debug)]
pub(super) struct Decoder {
    plan: ColumnPlan,
    /// The columns that the first keys of the file mean.
    known: Option<HashMap<String, Meaning>>,
}

/// The columns that a key means, a bit for each.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    /// Columns that are called exactly so.
    exact: u64,
    /// Columns that are called so but for case, blanks and the like. Each takes the first key of a line that means it.
    near: u64,
}

/// What the lines of a block hold.
pub(super) struct Decoded {
    pub columns: Vec<Option<StringChunked>>,
    /// Bit `i` is set when column `i` was there.
    pub present: u64,
    /// Keys that nothing reads.
    pub unknown: Vec<String>,
    /// Lines that could not be read: why, and what is quoted of them.
    pub broken: Vec<(usize, Reason, String)>,
    /// Lines with escapes that stand for no character, and their number.
    pub replaced: Vec<(usize, u64)>,
}

/// One line as it is read.
struct Row<'a> {
    decoder: &'a Decoder,
    values: &'a mut [Option<String>],
    /// Columns of this line that have a value.
    filled: &'a mut u64,
    unknown: &'a mut BTreeSet<String>,
}

/// A scalar as text; nothing for null, lists and objects.
struct Text(Option<String>);

impl Decoder {
    pub(super) fn new(plan: ColumnPlan) -> Self {
        Self { plan, known: None }
    }

    /// Remembers what the first keys of a file mean, so that it need not be found out in every line.
    pub(super) fn learn(&mut self, keys: impl FnOnce() -> Vec<String>) {
        if self.known.is_none() {
            let known = keys().into_iter().map(|key| (self.find(&key), key));
            self.known = Some(known.map(|(meaning, key)| (key, meaning)).collect());
        }
    }

    pub(super) fn decode(&self, block: &Block) -> Decoded {
        let (rows, columns) = (block.lines.len(), &self.plan.columns);
        let mut builders: Vec<_> =
            columns.iter().map(|column| StringChunkedBuilder::new(column.name.into(), rows)).collect();
        let (mut present, mut unknown) = (0, BTreeSet::new());
        let (mut broken, mut replaced) = (Vec::new(), Vec::new());
        let (mut values, mut buffers) = (vec![None; columns.len()], Buffers::default());
        for (row, line) in block.bytes.split(|&byte| byte == b'\n').take(rows).enumerate() {
            values.fill(None);
            let mut filled = 0;
            if is_deeper(line, JSON_DEPTH_MAX) {
                broken.push((row, Reason::NestedTooDeep, excerpt(line)));
            } else {
                let parsed = parse_repaired(line, |json| {
                    // An attempt before may have left some.
                    values.fill(None);
                    filled = 0;
                    let row = Row {
                        decoder: self,
                        values: &mut values,
                        filled: &mut filled,
                        unknown: &mut unknown,
                    };
                    read_line(json, &mut buffers, row).ok()
                });
                match parsed {
                    None => broken.push((row, Reason::UnreadableRow, excerpt(line))),
                    Some(((), 0)) => {}
                    Some(((), count)) => replaced.push((row, count)),
                }
            }
            present |= filled;
            for (builder, value) in builders.iter_mut().zip(&values) {
                builder.append_option(value.as_deref());
            }
        }
        let columns =
            builders.into_iter().map(|builder| Some(StringChunked::from(builder.finish()))).collect();
        Decoded { columns, present, unknown: unknown.into_iter().collect(), broken, replaced }
    }
}

impl Decoder {
    /// The columns that a key means.
    fn meaning(&self, key: &str) -> Meaning {
        let known = self.known.as_ref().and_then(|known| known.get(key));
        known.copied().unwrap_or_else(|| self.find(key))
    }

    fn find(&self, key: &str) -> Meaning {
        let exact = self.plan.exact(key);
        Meaning { exact, near: self.plan.near(key) & !exact }
    }
}

/// The keys of the lines of a block, in order of appearance.
pub(super) fn keys(block: &Block) -> Vec<String> {
    let (mut keys, mut seen) = (Vec::new(), std::collections::HashSet::new());
    for line in block.bytes.split(|&byte| byte == b'\n') {
        let object = if is_deeper(line, JSON_DEPTH_MAX) {
            None
        } else {
            parse_repaired(line, |json| simd_json::from_slice::<Keys>(json).ok())
        };
        for key in object.into_iter().flat_map(|(keys, _)| keys.0) {
            if keys.len() < COLUMNS_MAX && seen.insert(key.clone()) {
                keys.push(key);
            }
        }
    }
    keys
}

/// Reads one line, which is overwritten.
fn read_line(line: &mut [u8], buffers: &mut Buffers, row: Row<'_>) -> simd_json::Result<()> {
    row.deserialize(&mut simd_json::Deserializer::from_slice_with_buffers(line, buffers)?)
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let decoder = self.decoder;
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            let Meaning { exact, near } = decoder.meaning(&key);
            let mut columns = exact | (near & !*self.filled);
            if columns != 0 {
                let text = map.next_value::<Text>()?.0;
                *self.filled |= columns;
                while !columns.is_power_of_two() {
                    self.values[columns.trailing_zeros() as usize].clone_from(&text);
                    columns &= columns - 1;
                }
                self.values[columns.trailing_zeros() as usize] = text;
            } else {
                map.next_value::<IgnoredAny>()?;
                if self.unknown.len() < UNKNOWN_MAX && !self.unknown.contains(&*key) {
                    self.unknown.insert(key[..key.floor_char_boundary(UNKNOWN_BYTES_MAX)].to_owned());
                }
            }
        }
        Ok(())
    }
}

/// The keys of an object.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_map(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Text, E> {
        Ok(Text(Some(value.to_owned())))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Text, E> {
        Ok(Text(Some(value)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Text, E> {
        // Rust prints the shortest decimal form that reads back, never with an exponent.
        Ok(Text(Some(FloatText(value).to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Text, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}
