//! Batches of groups as Arrow: a row is a batch, and every column a list of what the groups hold one after the other.
//!
//! What repeats is written so that it compresses: lengths and not places, days and lines of a group as differences,
//! platforms once, times of day only where a group has any. The hash is made of the key when it is read.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use anyhow::{Context as _, Result};
use polars_arrow::array::{Array, ListArray, PrimitiveArray, StructArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, ArrowSchemaRef, Field};
use polars_arrow::io::ipc::IpcField;
use polars_arrow::io::ipc::write::common_sync::{push_footer, write_message};
use polars_arrow::io::ipc::write::{
    Block, Compression, EncodedData, FileWriter, WriteOptions, default_ipc_fields, encode_record_batch,
};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::record_batch::RecordBatchT;
use polars_arrow::types::NativeType;
use polars_buffer::Buffer;

use super::columns::{ObservationColumnsOfRun, Texts};
use super::rows::TEXT_COLUMNS;
use super::table::GroupTable;
use crate::snapshot::tables::ListingInput;
use crate::types::Day;

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;
/// How a batch is compressed. Every column is a frame of its own, and a frame of Zstandard begins with a context that is
/// made for it: a quarter of the time of a build, to save a third of the bytes where every key has one row.
static OPTIONS: LazyLock<WriteOptions> =
    LazyLock::new(|| WriteOptions { compression: Some(Compression::LZ4) });

/// Columns of a batch, by name.
type Columns = Vec<(&'static str, Box<dyn Array>)>;

/// What every file says of its columns.
pub(super) struct Layout {
    pub schema: ArrowSchemaRef,
    pub fields: Vec<IpcField>,
}

pub(super) static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    let columns = columns(&GroupTable::default()).expect("an empty table has a layout");
    let schema: ArrowSchema = columns.iter().map(|(name, array)| field(name, array.as_ref())).collect();
    let fields = default_ipc_fields(schema.iter_values());
    Layout { schema: Arc::new(schema), fields }
});

/// What a file begins with.
pub(super) fn head() -> Result<Vec<u8>> {
    let fields = Some(LAYOUT.fields.clone());
    Ok(FileWriter::try_new(Vec::new(), LAYOUT.schema.clone(), fields, *OPTIONS)?.into_inner())
}

/// What a file ends with, behind batches of these places and lengths of description and body.
pub(super) fn foot(batches: &[(u64, usize, usize)]) -> Vec<u8> {
    let block = |&(offset, description, body): &(u64, usize, usize)| Block {
        offset: offset as i64,
        meta_data_length: description as i32,
        body_length: body as i64,
    };
    let (mut parts, blocks) = (Vec::new(), batches.iter().map(block).collect());
    push_footer(&mut parts, &LAYOUT.schema, &LAYOUT.fields, vec![], blocks, None, None);
    let mut foot = parts.concat();
    foot.extend_from_slice(b"ARROW1");
    foot
}

/// A batch as it is written, and the lengths of its description and body.
pub(super) fn encode(table: &GroupTable) -> Result<(Vec<u8>, usize, usize)> {
    let arrays = columns(table)?.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatchT::try_new(1, LAYOUT.schema.clone(), arrays)?;
    let mut encoded = EncodedData::default();
    encode_record_batch(&batch, &OPTIONS, &mut encoded);
    let mut bytes = Vec::with_capacity(encoded.ipc_message.len() + encoded.arrow_data.len() + 128);
    let (description, body) = write_message(&mut bytes, &encoded)?;
    Ok((bytes, description, body))
}

fn columns(table: &GroupTable) -> Result<Columns> {
    let (observations, time_counts, times) = differences(table);
    let (platform, platforms) = distinct(&table.platform);
    let groups = structs(vec![
        ("country", numeric(table.country.iter().map(|country| country.as_u8()).collect())),
        ("platform", numeric(platform)),
        ("id_bytes", numeric(lengths(&table.product_id))),
        ("member", numeric(table.member.clone())),
        ("listings", numeric(counts(&table.listing_ends))),
        ("observations", numeric(counts(&table.observation_ends))),
        ("times", numeric(time_counts)),
        ("odd", numeric(counts(&table.odd_ends))),
    ])?;
    let mut columns: Columns = vec![
        ("groups", list(groups)?),
        ("platforms", list(text(&platforms)?)?),
        ("product_ids", whole(&table.product_id)?),
    ];
    listing_columns(table, &mut columns)?;
    columns.push(("observations", list(observations)?));
    let odd = &table.odd;
    let fields = vec![
        ("line", numeric(odd.line.clone())),
        ("what", numeric(odd.what.iter().map(|what| *what as u8).collect())),
        ("value_bytes", numeric(lengths(&odd.value))),
    ];
    columns.push(("odd", list(structs(fields)?)?));
    columns.push(("odd_values", whole(&odd.value)?));
    columns.push(("times", list(numeric(times))?));
    Ok(columns)
}

fn listing_columns(table: &GroupTable, columns: &mut Columns) -> Result<()> {
    let rows = &table.listings;
    let fields = vec![
        ("line", numeric(rows.line.clone())),
        ("micros", numeric(rows.micros.clone())),
        ("says", numeric(rows.says.clone())),
        ("condition", numeric(rows.condition.iter().map(|condition| condition.as_u8()).collect())),
        ("gtin", numeric(rows.gtin.clone())),
        ("gpc_code", numeric(rows.gpc_code.clone())),
    ];
    columns.push(("listings", list(structs(fields)?)?));
    let names = ["brand", "category_path", "mpn"].into_iter().chain(TEXT_COLUMNS.map(ListingInput::name));
    let (mut bytes, mut texts) = (Vec::new(), Vec::new());
    for (name, text) in names.zip(rows.all_texts()) {
        bytes.push((name, numeric(lengths(text))));
        texts.push((name, whole(text)?));
    }
    columns.push(("listing_text_bytes", list(structs(bytes)?)?));
    columns.extend(texts);
    Ok(())
}

fn numeric<T: NativeType>(values: Vec<T>) -> Box<dyn Array> {
    PrimitiveArray::from_vec(values).boxed()
}

/// Bytes of each text.
fn lengths(texts: &Texts) -> Vec<u32> {
    texts.offsets.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Rows of each group.
fn counts(ends: &[u32]) -> Vec<u32> {
    let mut before = 0;
    ends.iter().map(|&end| end - std::mem::replace(&mut before, end)).collect()
}

/// Texts as numbers of distinct ones, which come in the order in which they are met.
fn distinct(texts: &Texts) -> (Vec<u32>, Texts) {
    let (mut distinct, mut numbers) = (Texts::default(), HashMap::new());
    let number = |at: usize| {
        let text = texts.get(at);
        *numbers.entry(text).or_insert_with(|| {
            distinct.push(text);
            distinct.offsets.len() as u32 - 2
        })
    };
    ((0..texts.offsets.len() - 1).map(number).collect(), distinct)
}

fn text(texts: &Texts) -> Result<Box<dyn Array>> {
    utf8(&texts.text, &texts.offsets)
}

/// All texts behind each other as one.
fn whole(texts: &Texts) -> Result<Box<dyn Array>> {
    utf8(&texts.text, &[0, texts.text.len() as u32])
}

fn utf8(text: &str, offsets: &[u32]) -> Result<Box<dyn Array>> {
    let offsets = offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>();
    let offsets = OffsetsBuffer::try_from(offsets.context("more than 2 GiB of text in a batch")?)?;
    let bytes = Buffer::from(text.as_bytes().to_vec());
    Ok(Utf8Array::try_new(ArrowDataType::Utf8, offsets, bytes, None)?.boxed())
}

fn field(name: &str, array: &dyn Array) -> Field {
    Field::new(name.into(), array.dtype().clone(), false)
}

fn structs(fields: Columns) -> Result<Box<dyn Array>> {
    let rows = fields.first().map_or(0, |(_, array)| array.len());
    let (names, arrays): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let kind = names.into_iter().zip(&arrays).map(|(name, array)| field(name, array.as_ref())).collect();
    Ok(StructArray::try_new(ArrowDataType::Struct(kind), rows, arrays, None)?.boxed())
}

/// One list of all values.
fn list(values: Box<dyn Array>) -> Result<Box<dyn Array>> {
    let end = i32::try_from(values.len()).context("more than 2^31 rows in a batch")?;
    let kind = ArrowDataType::List(Box::new(field("item", values.as_ref())));
    Ok(ListArray::<i32>::try_new(kind, OffsetsBuffer::try_from(vec![0, end])?, values, None)?.boxed())
}

/// The observations with days and lines as differences to the row before in their group, and the times of day of the
/// groups that have any, behind the number of those of each.
fn differences(table: &GroupTable) -> (Box<dyn Array>, Vec<u32>, Vec<i64>) {
    let ObservationColumnsOfRun { day, price, list_price, flags, micros, line } = &table.observations;
    let (mut days, mut lines) = (Vec::with_capacity(day.len()), Vec::with_capacity(line.len()));
    let (mut time_counts, mut times) = (Vec::with_capacity(table.observation_ends.len()), Vec::new());
    let mut from = 0;
    for &end in &table.observation_ends {
        let rows = from..end as usize;
        let (mut last_day, mut last_line) = (0, 0);
        for (&day, &line) in day[rows.clone()].iter().zip(&line[rows.clone()]) {
            days.push(day.wrapping_sub(last_day));
            lines.push(line.wrapping_sub(last_line));
            (last_day, last_line) = (day, line);
        }
        let time = |(&micros, &day): (&i64, &u16)| micros.wrapping_sub(midnight(day));
        let of_day = || micros[rows.clone()].iter().zip(&day[rows.clone()]).map(time);
        let before = times.len();
        if of_day().any(|time| time != 0) {
            times.extend(of_day());
        }
        time_counts.push((times.len() - before) as u32);
        from = rows.end;
    }
    let values = structs(vec![
        ("day", numeric(days)),
        ("price", numeric(price.clone())),
        ("list_price", numeric(list_price.clone())),
        ("flags", numeric(flags.clone())),
        ("line", numeric(lines)),
    ]);
    (values.expect("columns of one length are a struct"), time_counts, times)
}

/// Microseconds from 1970 to a day that is counted from the first that is observed.
pub(super) fn midnight(day: u16) -> i64 {
    (i64::from(Day::OBSERVED_MIN.days()) + i64::from(day)) * DAY_MICROS
}
