//! NDJSON: one object per line, so that a bad line costs that line only.
//!
//! Numbers must be read to the last bit: the shortest decimal form of a price decides its rounding.

use std::collections::BTreeSet;
use std::fmt;

use polars::prelude::{StringChunked, StringChunkedBuilder};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::DeserializeSeed};

use simd_json::Buffers;

use super::blocks::Block;
use super::chunk::{Chunk, Lines};
use super::nesting::is_deeper;
use crate::build::limits::JSON_DEPTH_MAX;
use crate::build::rejects::Reason;
use crate::snapshot::tables::Input;

/// Most unknown names a chunk remembers.
const UNKNOWN_MAX: usize = 64;
/// Bytes of an unknown name that are remembered.
const UNKNOWN_BYTES_MAX: usize = 200;

/// Knows which keys are wanted.
#[derive(Debug)]
pub(super) struct Decoder {
    columns: &'static [Input],
}

/// One line as it is read.
struct Row<'a> {
    columns: &'static [Input],
    values: &'a mut [Option<String>],
    present: &'a mut u64,
    unknown: &'a mut BTreeSet<String>,
}

/// A scalar as text; nothing for null, lists and objects.
struct Text(Option<String>);

impl Decoder {
    pub(super) fn new(columns: &'static [Input]) -> Self {
        Self { columns }
    }

    pub(super) fn decode(&self, block: &Block) -> Chunk {
        let rows = block.lines.len();
        let mut builders: Vec<_> =
            self.columns.iter().map(|column| StringChunkedBuilder::new(column.name.into(), rows)).collect();
        let (mut present, mut unknown, mut broken) = (0, BTreeSet::new(), Vec::new());
        let (mut values, mut buffers) = (vec![None; self.columns.len()], Buffers::default());
        for (row, line) in block.bytes.split(|&byte| byte == b'\n').take(rows).enumerate() {
            values.fill(None);
            let seed = Row {
                columns: self.columns,
                values: &mut values,
                present: &mut present,
                unknown: &mut unknown,
            };
            if is_deeper(line, JSON_DEPTH_MAX) {
                broken.push((row, Reason::NestedTooDeep));
            } else if read_line(line, &mut buffers, seed).is_err() {
                broken.push((row, Reason::UnreadableRow));
            }
            for (builder, value) in builders.iter_mut().zip(&values) {
                builder.append_option(value.as_deref());
            }
        }
        Chunk {
            columns: builders
                .into_iter()
                .map(|builder| Some(StringChunked::from(builder.finish())))
                .collect(),
            lines: Lines::Each(block.lines.clone()),
            rows,
            present,
            unknown: unknown.into_iter().collect(),
            broken,
        }
    }
}

/// Reads one line; bytes that are no UTF-8 become replacement characters.
fn read_line(line: &[u8], buffers: &mut Buffers, row: Row<'_>) -> simd_json::Result<()> {
    let mut text = String::from_utf8_lossy(line).into_owned().into_bytes();
    row.deserialize(&mut simd_json::Deserializer::from_slice_with_buffers(&mut text, buffers)?)
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
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            if let Some(index) = self.columns.iter().position(|column| column.name == key) {
                self.values[index] = map.next_value::<Text>()?.0;
                *self.present |= 1 << index;
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
        Ok(Text(Some(value.to_string())))
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
