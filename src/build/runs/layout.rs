//! Batches of groups as Arrow: a row is a group, its rows are lists of structs.
//!
//! What repeats is written so that it compresses: days and lines of a group as differences, times of day only where a
//! group has any. The hash is made of the key when it is read.

use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use anyhow::{Context as _, Result, ensure};
use polars_arrow::array::{Array, ListArray, PrimitiveArray, StructArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, ArrowSchemaRef, Field};
use polars_arrow::io::ipc::read::Dictionaries;
use polars_arrow::io::ipc::read::common::read_record_batch;
use polars_arrow::io::ipc::write::common_sync::{push_footer, write_message};
use polars_arrow::io::ipc::write::{
    Block, Compression, EncodedData, FileWriter, WriteOptions, default_ipc_fields, encode_record_batch,
};
use polars_arrow::io::ipc::{IpcField, IpcSchema};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::record_batch::RecordBatchT;
use polars_arrow::types::NativeType;
use polars_arrow_format::ipc::planus::ReadAsRoot as _;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, MetadataVersion};
use polars_buffer::Buffer;

use super::columns::{ListingColumnsOfRun, ObservationColumnsOfRun, OddColumns, Texts};
use super::rows::{Odd, TEXT_COLUMNS};
use super::table::GroupTable;
use crate::build::ingest::guarded;
use crate::domain::{Condition, Country, Day};

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;
/// What stands before every message.
const MESSAGE: [u8; 4] = [0xff; 4];
/// Bytes of that and of the length of the description that follows.
const PREFIX_BYTES: usize = 8;

/// How a batch is compressed.
const OPTIONS: WriteOptions = WriteOptions { compression: Some(Compression::LZ4) };

type Arrays = Vec<Box<dyn Array>>;

struct Layout {
    schema: ArrowSchemaRef,
    fields: Vec<IpcField>,
}

static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    let batch = arrays(&GroupTable::default()).expect("an empty table has a layout");
    let names = ["country", "platform", "product_id", "member", "listings", "observations", "times", "odd"];

    let schema: ArrowSchema =
        names.into_iter().zip(&batch).map(|(name, array)| field(name, array.as_ref())).collect();
    let fields = default_ipc_fields(schema.iter_values());
    Layout { schema: Arc::new(schema), fields }
});

/// What a file begins with.
pub(super) fn head() -> Result<Vec<u8>> {
    let fields = Some(LAYOUT.fields.clone());
    Ok(FileWriter::try_new(Vec::new(), LAYOUT.schema.clone(), fields, OPTIONS)?.into_inner())
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
    let batch = RecordBatchT::try_new(table.len(), LAYOUT.schema.clone(), arrays(table)?)?;
    let mut encoded = EncodedData::default();
    encode_record_batch(&batch, &OPTIONS, &mut encoded);
    let mut bytes = Vec::with_capacity(encoded.ipc_message.len() + encoded.arrow_data.len() + 128);
    let (description, body) = write_message(&mut bytes, &encoded)?;
    Ok((bytes, description, body))
}

/// Reads a batch.
///
/// # Errors
/// When it is none of ours.
pub(super) fn decode(bytes: &[u8]) -> Result<GroupTable> {
    let arrays = guarded(|| record_batch(bytes))?;
    let [country, platform, product_id, member, listings, observations, times, odd] =
        <[Box<dyn Array>; 8]>::try_from(arrays).ok().context("a batch of other columns")?;
    let (listing_ends, listings) = list(listings.as_ref())?;
    let (observation_ends, observations) = list(observations.as_ref())?;
    let (time_ends, times) = list(times.as_ref())?;
    let (odd_ends, odd) = list(odd.as_ref())?;
    let mut table = GroupTable {
        hash: vec![],
        country: codes(country.as_ref(), Country::from_u8)?,
        platform: texts(platform.as_ref())?,
        product_id: texts(product_id.as_ref())?,
        member: numbers(member.as_ref())?,
        listings: listing_columns(listings.as_ref())?,
        observations: observation_columns(observations.as_ref())?,
        odd: odd_columns(odd.as_ref())?,
        listing_ends,
        observation_ends,
        odd_ends,
    };
    undo_differences(&mut table, &time_ends, &numbers::<i64>(times.as_ref())?)?;
    table.hash = (0..table.country.len()).map(|at| table.key(at).hash()).collect();
    Ok(table)
}

fn record_batch(bytes: &[u8]) -> Result<Arrays> {
    let length = bytes.get(4..PREFIX_BYTES).context("a batch without a description")?;
    ensure!(bytes[..4] == MESSAGE, "no batch begins here");
    let length = u32::from_le_bytes(length.try_into()?) as usize;
    let rest = &bytes[PREFIX_BYTES..];
    ensure!(length <= rest.len(), "a batch ends within its description");
    let (description, body) = rest.split_at(length);
    let message = MessageRef::read_as_root(description)?;
    let Some(MessageHeaderRef::RecordBatch(batch)) = message.header()? else {
        anyhow::bail!("a message that is no batch")
    };
    let schema = IpcSchema { fields: LAYOUT.fields.clone(), is_little_endian: true };
    #[expect(clippy::default_trait_access, reason = "its crate is none of ours")]
    let checked = Default::default();
    let batch = read_record_batch(
        batch,
        &LAYOUT.schema,
        &schema,
        None,
        None,
        &Dictionaries::default(),
        MetadataVersion::V5,
        &mut Cursor::new(body),
        0,
        &mut vec![],
        checked,
    )?;
    Ok(batch.into_arrays())
}

// Writing.

fn arrays(table: &GroupTable) -> Result<Arrays> {
    let (observations, time_ends, times) = differences(table);
    Ok(vec![
        numeric(table.country.iter().map(|country| country.as_u8()).collect()),
        text(&table.platform)?,
        text(&table.product_id)?,
        numeric(table.member.clone()),
        listing_lists(table)?,
        lists(&table.observation_ends, observations)?,
        lists(&time_ends, numeric(times))?,
        odd_lists(table)?,
    ])
}

fn numeric<T: NativeType>(values: Vec<T>) -> Box<dyn Array> {
    PrimitiveArray::from_vec(values).boxed()
}

fn text(texts: &Texts) -> Result<Box<dyn Array>> {
    let offsets = texts.offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>();
    let offsets = OffsetsBuffer::try_from(offsets.context("more than 2 GiB of text in a batch")?)?;
    let bytes = Buffer::from(texts.text.as_bytes().to_vec());
    Ok(Utf8Array::try_new(ArrowDataType::Utf8, offsets, bytes, None)?.boxed())
}

fn field(name: &str, array: &dyn Array) -> Field {
    Field::new(name.into(), array.dtype().clone(), false)
}

fn structs(fields: Vec<(&str, Box<dyn Array>)>) -> Result<Box<dyn Array>> {
    let rows = fields.first().map_or(0, |(_, array)| array.len());
    let (names, arrays): (Vec<_>, Vec<_>) = fields.into_iter().unzip();

    let kind = ArrowDataType::Struct(
        names.into_iter().zip(&arrays).map(|(name, array)| field(name, array.as_ref())).collect(),
    );
    Ok(StructArray::try_new(kind, rows, arrays, None)?.boxed())
}

fn lists(ends: &[u32], values: Box<dyn Array>) -> Result<Box<dyn Array>> {
    let offsets = [0].into_iter().chain(ends.iter().copied()).map(i32::try_from);
    let offsets = offsets.collect::<Result<Vec<_>, _>>().context("more than 2^31 rows in a batch")?;
    let kind = ArrowDataType::List(Box::new(Field::new("item".into(), values.dtype().clone(), false)));
    Ok(ListArray::<i32>::try_new(kind, OffsetsBuffer::try_from(offsets)?, values, None)?.boxed())
}

fn listing_lists(table: &GroupTable) -> Result<Box<dyn Array>> {
    let columns = &table.listings;
    let mut fields = vec![
        ("line", numeric(columns.line.clone())),
        ("micros", numeric(columns.micros.clone())),
        ("says", numeric(columns.says.clone())),
        ("brand", text(&columns.brand)?),
        ("path", text(&columns.path)?),
        ("mpn", text(&columns.mpn)?),
        ("condition", numeric(columns.condition.iter().map(|condition| condition.as_u8()).collect())),
        ("gtin", numeric(columns.gtin.clone())),
        ("gpc_code", numeric(columns.gpc_code.clone())),
    ];
    for (column, texts) in TEXT_COLUMNS.iter().zip(&columns.texts) {
        fields.push((column.name(), text(texts)?));
    }
    lists(&table.listing_ends, structs(fields)?)
}

fn odd_lists(table: &GroupTable) -> Result<Box<dyn Array>> {
    let columns = &table.odd;
    let values = structs(vec![
        ("line", numeric(columns.line.clone())),
        ("what", numeric(columns.what.iter().map(|what| *what as u8).collect())),
        ("value", text(&columns.value)?),
    ])?;
    lists(&table.odd_ends, values)
}

/// The observations with days and lines as differences to the row before in their group, and the times of day of the
/// groups that have any.
fn differences(table: &GroupTable) -> (Box<dyn Array>, Vec<u32>, Vec<i64>) {
    let ObservationColumnsOfRun { day, price, list_price, flags, micros, line } = &table.observations;
    let (mut days, mut lines) = (Vec::with_capacity(day.len()), Vec::with_capacity(line.len()));
    let (mut time_ends, mut times) = (Vec::with_capacity(table.observation_ends.len()), Vec::new());
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
        if of_day().any(|time| time != 0) {
            times.extend(of_day());
        }
        time_ends.push(times.len() as u32);
        from = rows.end;
    }
    let values = structs(vec![
        ("day", numeric(days)),
        ("price", numeric(price.clone())),
        ("list_price", numeric(list_price.clone())),
        ("flags", numeric(flags.clone())),
        ("line", numeric(lines)),
    ]);
    (values.expect("columns of one length are a struct"), time_ends, times)
}

/// Microseconds from 1970 to a day that is counted from the first that is observed.
fn midnight(day: u16) -> i64 {
    (i64::from(Day::OBSERVED_MIN.days()) + i64::from(day)) * DAY_MICROS
}

// Reading.

fn typed<A: Array>(array: &dyn Array) -> Result<&A> {
    ensure!(array.null_count() == 0, "a value is missing");
    array.as_any().downcast_ref().context("a column of another type")
}

fn numbers<T: NativeType>(array: &dyn Array) -> Result<Vec<T>> {
    Ok(typed::<PrimitiveArray<T>>(array)?.values().as_slice().to_vec())
}

fn codes<T>(array: &dyn Array, word: impl Fn(u8) -> Option<T>) -> Result<Vec<T>> {
    let codes = typed::<PrimitiveArray<u8>>(array)?.values().iter();
    codes.map(|&code| word(code).with_context(|| format!("code {code} is no word"))).collect()
}

fn texts(array: &dyn Array) -> Result<Texts> {
    let array = typed::<Utf8Array<i32>>(array)?;
    let bytes = array.values().as_slice().to_vec();
    let offsets = array.offsets().as_slice().iter().map(|&offset| offset as u32).collect();
    Ok(Texts { text: String::from_utf8(bytes)?, offsets })
}

/// Where each list ends, and what they hold.
fn list(array: &dyn Array) -> Result<(Vec<u32>, Box<dyn Array>)> {
    let array = typed::<ListArray<i32>>(array)?;
    let offsets = array.offsets().as_slice();
    ensure!(
        offsets.first() == Some(&0)
            && offsets.last().is_some_and(|&end| end as usize == array.values().len()),
        "lists do not hold all rows"
    );
    Ok((offsets[1..].iter().map(|&end| end as u32).collect(), array.values().clone()))
}

fn fields(array: &dyn Array) -> Result<Vec<&dyn Array>> {
    Ok(typed::<StructArray>(array)?.values().iter().map(AsRef::as_ref).collect())
}

fn listing_columns(array: &dyn Array) -> Result<ListingColumnsOfRun> {
    let fields = fields(array)?;
    let Some((&[line, micros, says, brand, path, mpn, condition, gtin, gpc_code], plain)) =
        fields.split_first_chunk()
    else {
        anyhow::bail!("listings of other columns")
    };
    let plain = plain.iter().map(|array| texts(*array)).collect::<Result<Vec<_>>>()?;
    Ok(ListingColumnsOfRun {
        line: numbers(line)?,
        micros: numbers(micros)?,
        says: numbers(says)?,
        brand: texts(brand)?,
        path: texts(path)?,
        mpn: texts(mpn)?,
        condition: codes(condition, Condition::from_u8)?,
        gtin: numbers(gtin)?,
        gpc_code: numbers(gpc_code)?,
        texts: plain.try_into().ok().context("listings of other columns")?,
    })
}

fn observation_columns(array: &dyn Array) -> Result<ObservationColumnsOfRun> {
    let [day, price, list_price, flags, line] = fields(array)?[..] else {
        anyhow::bail!("observations of other columns")
    };
    let day: Vec<u16> = numbers(day)?;
    Ok(ObservationColumnsOfRun {
        micros: vec![0; day.len()],
        day,
        price: numbers(price)?,
        list_price: numbers(list_price)?,
        flags: numbers(flags)?,
        line: numbers(line)?,
    })
}

fn odd_columns(array: &dyn Array) -> Result<OddColumns> {
    let [line, what, value] = fields(array)?[..] else { anyhow::bail!("odd rows of other columns") };
    Ok(OddColumns { line: numbers(line)?, what: codes(what, Odd::from_u8)?, value: texts(value)? })
}

/// Turns differences into days and lines, and makes instants of days and times.
fn undo_differences(table: &mut GroupTable, time_ends: &[u32], times: &[i64]) -> Result<()> {
    let ObservationColumnsOfRun { day, micros, line, .. } = &mut table.observations;
    let (mut from, mut from_time) = (0, 0);
    for (&end, &time_end) in table.observation_ends.iter().zip(time_ends) {
        let (rows, of_day) = (from..end as usize, &times[from_time..time_end as usize]);
        ensure!(of_day.is_empty() || of_day.len() == rows.len(), "times of another number than rows");
        let (mut last_day, mut last_line) = (0_u16, 0_u64);
        for row in rows.clone() {
            last_day = last_day.wrapping_add(day[row]);
            last_line = last_line.wrapping_add(line[row]);
            (day[row], line[row]) = (last_day, last_line);
            micros[row] = midnight(last_day);
        }
        for (micros, time) in micros[rows.clone()].iter_mut().zip(of_day) {
            *micros = micros.wrapping_add(*time);
        }
        (from, from_time) = (rows.end, time_end as usize);
    }
    Ok(())
}
