//! Reads batches of groups ([`layout`](super::layout)), and believes nothing of them.

use std::io::Cursor;

use anyhow::{Context as _, Result, bail, ensure};
use polars_arrow::array::{Array, ListArray, PrimitiveArray, StructArray, Utf8Array};
use polars_arrow::io::ipc::IpcSchema;
use polars_arrow::io::ipc::read::Dictionaries;
use polars_arrow::io::ipc::read::common::read_record_batch;
use polars_arrow::types::NativeType;
use polars_arrow_format::ipc::planus::ReadAsRoot as _;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, MetadataVersion};

use super::columns::{ListingColumnsOfRun, ObservationColumnsOfRun, OddColumns, Texts};
use super::layout::{LAYOUT, midnight};
use super::rows::Odd;
use super::table::GroupTable;
use crate::ingest::guarded;
use crate::types::{Condition, Country};

/// What stands before every message.
const MESSAGE: [u8; 4] = [0xff; 4];
/// Bytes of that and of the length of the description that follows.
const PREFIX_BYTES: usize = 8;

/// The fault of rows whose columns are not those of this format.
fn unexpected_columns(rows: &str) -> String {
    format!("the {rows} have unexpected columns")
}

/// Reads a batch.
///
/// # Errors
/// If the batch is not in the format of runs.
pub(super) fn decode(bytes: &[u8]) -> Result<GroupTable> {
    let mut columns = BatchColumns(guarded(|| record_batch(bytes))?.into_iter());
    let groups = columns.structs()?;
    let [country, platform, id_bytes, member, listings, observations, times, odd] = fields(&groups)?[..]
    else {
        bail!(unexpected_columns("groups"))
    };
    let country = codes(country, Country::from_u8)?;
    let mut table = GroupTable {
        platform: columns.platforms(&numbers(platform)?)?,
        product_id: columns.texts(&numbers(id_bytes)?)?,
        member: numbers(member)?,
        listing_ends: ends(&numbers(listings)?)?,
        observation_ends: ends(&numbers(observations)?)?,
        odd_ends: ends(&numbers(odd)?)?,
        listings: columns.listings()?,
        observations: columns.observations()?,
        odd: columns.odd()?,
        hash: vec![],
        country,
    };
    let rows = [
        (&table.listing_ends, table.listings.line.len()),
        (&table.observation_ends, table.observations.line.len()),
        (&table.odd_ends, table.odd.line.len()),
    ];
    for (ends, rows) in rows {
        ensure!(ends.last().is_none_or(|&end| end as usize == rows), "the groups do not contain all rows");
    }
    let time_ends = ends(&numbers(times)?)?;
    undo_differences(&mut table, &time_ends, &columns.numbers::<i64>()?)?;
    table.hash = (0..table.country.len()).map(|at| table.key(at).hash()).collect();
    Ok(table)
}

fn record_batch(bytes: &[u8]) -> Result<Vec<Box<dyn Array>>> {
    let length = bytes.get(4..PREFIX_BYTES).context("the batch has no metadata")?;
    ensure!(bytes[..4] == MESSAGE, "the batch does not begin with the continuation marker");
    let length = u32::from_le_bytes(length.try_into()?) as usize;
    let rest = &bytes[PREFIX_BYTES..];
    ensure!(length <= rest.len(), "the batch ends within its metadata");
    let (description, body) = rest.split_at(length);
    let message = MessageRef::read_as_root(description)?;
    let Some(MessageHeaderRef::RecordBatch(batch)) = message.header()? else {
        bail!("the message is not a record batch")
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
    ensure!(batch.len() == 1, "the batch does not have exactly one row");
    Ok(batch.into_arrays())
}

fn typed<A: Array>(array: &dyn Array) -> Result<&A> {
    ensure!(array.null_count() == 0, "a value is missing");
    array.as_any().downcast_ref().context("a column has an unexpected type")
}

fn numbers<T: NativeType>(array: &dyn Array) -> Result<Vec<T>> {
    Ok(typed::<PrimitiveArray<T>>(array)?.values().as_slice().to_vec())
}

fn codes<T>(array: &dyn Array, word: impl Fn(u8) -> Option<T>) -> Result<Vec<T>> {
    let codes = typed::<PrimitiveArray<u8>>(array)?.values().iter();
    codes.map(|&code| word(code).with_context(|| format!("code {code} is not valid"))).collect()
}

fn fields(array: &StructArray) -> Result<Vec<&dyn Array>> {
    ensure!(array.null_count() == 0, "a value is missing");
    Ok(array.values().iter().map(AsRef::as_ref).collect())
}

/// Where groups end that have so many rows.
fn ends(counts: &[u32]) -> Result<Vec<u32>> {
    let mut end = 0_u32;
    let add = |&count: &u32| {
        end = end.checked_add(count)?;
        Some(end)
    };
    counts.iter().map(add).collect::<Option<_>>().context("more than 2^32 rows in a batch")
}

/// Columns of a batch that are taken one after the other.
struct BatchColumns(std::vec::IntoIter<Box<dyn Array>>);

impl BatchColumns {
    fn next(&mut self) -> Result<Box<dyn Array>> {
        self.0.next().context("the batch has too few columns")
    }

    /// The values of a list.
    fn values(&mut self) -> Result<Box<dyn Array>> {
        let array = self.next()?;
        let array = typed::<ListArray<i32>>(array.as_ref())?;
        let all = [0, array.values().len() as i32];
        ensure!(array.offsets().as_slice() == all, "a list does not contain all values");
        Ok(array.values().clone())
    }

    fn numbers<T: NativeType>(&mut self) -> Result<Vec<T>> {
        numbers(self.values()?.as_ref())
    }

    fn structs(&mut self) -> Result<StructArray> {
        typed::<StructArray>(self.values()?.as_ref()).cloned()
    }

    /// Texts that lie behind each other, of which each has so many bytes.
    fn texts(&mut self, lengths: &[u32]) -> Result<Texts> {
        let array = self.next()?;
        let text = typed::<Utf8Array<i32>>(array.as_ref())?.value(0).to_owned();
        let offsets: Vec<u32> = [0].into_iter().chain(ends(lengths)?).collect();
        ensure!(
            offsets.last().is_some_and(|&end| end as usize == text.len()),
            "the texts do not contain all bytes"
        );
        ensure!(
            offsets.iter().all(|&offset| text.is_char_boundary(offset as usize)),
            "a text ends within a character"
        );
        Ok(Texts { text, offsets })
    }

    fn platforms(&mut self, numbers: &[u32]) -> Result<Texts> {
        let array = self.values()?;
        let (distinct, mut texts) = (typed::<Utf8Array<i32>>(array.as_ref())?, Texts::default());
        for &number in numbers {
            ensure!((number as usize) < distinct.len(), "a platform is missing");
            texts.push(distinct.value(number as usize));
        }
        Ok(texts)
    }

    fn listings(&mut self) -> Result<ListingColumnsOfRun> {
        let (rows, bytes) = (self.structs()?, self.structs()?);
        let [line, micros, says, condition, gtin, gpc_code] = fields(&rows)?[..] else {
            bail!(unexpected_columns("listings"))
        };
        let lengths = fields(&bytes)?.into_iter().map(numbers::<u32>).collect::<Result<Vec<_>>>()?;
        let texts = lengths.iter().map(|lengths| self.texts(lengths)).collect::<Result<Vec<_>>>()?;
        let line = numbers::<u64>(line)?;
        ensure!(
            lengths.iter().all(|lengths| lengths.len() == line.len()),
            "the text columns of listings have different lengths"
        );
        let mut texts = texts.into_iter();
        let mut validated = || texts.next().with_context(|| unexpected_columns("listings"));
        let (brand, path, mpn) = (validated()?, validated()?, validated()?);
        Ok(ListingColumnsOfRun {
            line,
            micros: numbers(micros)?,
            says: numbers(says)?,
            brand,
            path,
            mpn,
            condition: codes(condition, Condition::from_u8)?,
            gtin: numbers(gtin)?,
            gpc_code: numbers(gpc_code)?,
            texts: texts
                .collect::<Vec<_>>()
                .try_into()
                .ok()
                .with_context(|| unexpected_columns("listings"))?,
        })
    }

    fn observations(&mut self) -> Result<ObservationColumnsOfRun> {
        let rows = self.structs()?;
        let [day, price, list_price, flags, line] = fields(&rows)?[..] else {
            bail!(unexpected_columns("observations"))
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

    fn odd(&mut self) -> Result<OddColumns> {
        let rows = self.structs()?;
        let [line, what, bytes] = fields(&rows)?[..] else { bail!(unexpected_columns("rows with warnings")) };
        Ok(OddColumns {
            line: numbers(line)?,
            what: codes(what, Odd::from_u8)?,
            value: self.texts(&numbers(bytes)?)?,
        })
    }
}

/// Turns differences into days and lines, and makes instants of days and times.
fn undo_differences(table: &mut GroupTable, time_ends: &[u32], times: &[i64]) -> Result<()> {
    let ObservationColumnsOfRun { day, micros, line, .. } = &mut table.observations;
    let (mut from, mut from_time) = (0, 0);
    for (&end, &time_end) in table.observation_ends.iter().zip(time_ends) {
        let (rows, of_day) = (from..end as usize, times.get(from_time..time_end as usize));
        let of_day = of_day.context("times are missing")?;
        ensure!(
            of_day.is_empty() || of_day.len() == rows.len(),
            "the number of times differs from the number of rows"
        );
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
