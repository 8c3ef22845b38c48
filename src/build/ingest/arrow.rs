//! Arrow IPC: a batch at a time, cut into slices for the workers, as text ([`typed`](super::typed)).
//!
//! A stream is what pipes carry, so it is read forwards only. The file format is the same messages behind a magic
//! number, and read as they come. What a message says of its lengths is held against its bytes and against
//! [`BATCH_BYTES_MAX`] before Polars makes room for it: memory is bounded by a batch, and a damaged length is an error.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::ArrowDataType;
use polars_arrow::array::Array;
use polars_arrow::io::ipc::read::common::{read_dictionary, read_record_batch};
use polars_arrow::io::ipc::read::{Dictionaries, StreamMetadata, read_stream_metadata};
use polars_arrow_format::ipc::planus::ReadAsRoot as _;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, RecordBatchRef};

use super::typed::{self, Decoded, SLICE_ROWS, guarded};
use crate::snapshot::regular;
use crate::snapshot::tables::Input;

/// Bytes of the largest batch or dictionary, decompressed.
const BATCH_BYTES_MAX: u64 = 2 << 30;
/// Bytes of the longest description of a schema or a batch.
const DESCRIPTION_BYTES_MAX: u32 = 64 << 20;
/// What stands before every message.
const MESSAGE: [u8; 4] = [0xff; 4];
/// How the file format begins, with its padding.
const FILE_MAGIC: &[u8; 8] = b"ARROW1\0\0";

/// Some rows of a batch.
pub(super) struct Part {
    arrays: Vec<Box<dyn Array>>,
    rows: usize,
    /// Number of the first of them, from 1.
    first: u64,
}

/// The parts of a stream, in order.
pub(super) struct Parts {
    stream: BufReader<File>,
    schema: StreamMetadata,
    dictionaries: Dictionaries,
    /// What is left of the batch that was read last.
    batch: Vec<Box<dyn Array>>,
    rows: usize,
    first: u64,
    end: bool,
}

/// Knows the columns of a stream.
#[derive(Debug)]
pub(super) struct Decoder {
    names: Vec<String>,
    kinds: Vec<ArrowDataType>,
}

/// Opens `path` and reads its schema.
///
/// # Errors
/// When it cannot be read, is no Arrow stream, or two of its columns have one name.
pub(super) fn open(path: &Path) -> Result<(Parts, Decoder)> {
    let mut stream = BufReader::with_capacity(1 << 18, regular::open(path)?.0);
    if stream.fill_buf()?.starts_with(FILE_MAGIC) {
        stream.consume(FILE_MAGIC.len());
    }
    let description = description(&mut stream)?.context("it holds no schema")?;
    // Polars reads a schema with its length before it.
    let length = (description.len() as u32).to_le_bytes();
    let schema = guarded(|| Ok(read_stream_metadata(&mut length.chain(&description[..]))?))
        .context("it does not begin with a schema that can be read; is it an Arrow stream?")?;
    ensure!(schema.schema.len() == schema.ipc_schema.fields.len(), "two of its columns have one name");
    let fields = || schema.schema.iter_values();
    let decoder = Decoder {
        names: fields().map(|field| field.name.to_string()).collect(),
        kinds: fields().map(|field| field.dtype.clone()).collect(),
    };
    let dictionaries = Dictionaries::default();
    let parts = Parts { stream, schema, dictionaries, batch: Vec::new(), rows: 0, first: 1, end: false };
    Ok((parts, decoder))
}

impl Parts {
    /// The next rows; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Part>> {
        while self.rows == 0 && !self.end {
            self.read().with_context(|| format!("behind row {}", self.first - 1))?;
        }
        let rows = self.rows.min(SLICE_ROWS);
        if rows == 0 {
            return Ok(None);
        }
        let arrays = self.batch.iter().map(|array| array.sliced(0, rows)).collect();
        for array in &mut self.batch {
            *array = array.sliced(rows, self.rows - rows);
        }
        let part = Part { arrays, rows, first: self.first };
        self.rows -= rows;
        self.first = self.first.checked_add(rows as u64).context("it says more rows than can be")?;
        Ok(Some(part))
    }

    /// Reads one message.
    fn read(&mut self) -> Result<()> {
        self.batch = Vec::new();
        let Some(description) = description(&mut self.stream)? else {
            self.end = true;
            return Ok(());
        };
        guarded(|| {
            let message = MessageRef::read_as_root(&description)?;
            let body = body(&mut self.stream, message.body_length()?)?;
            self.take(message.header()?.context("a message without a header")?, body)
        })
    }

    fn take(&mut self, header: MessageHeaderRef<'_>, body: Vec<u8>) -> Result<()> {
        let Self { schema: StreamMetadata { schema, ipc_schema, version, .. }, dictionaries, .. } = self;
        let checked = Default::default();
        match header {
            MessageHeaderRef::RecordBatch(batch) => {
                check(batch, &body)?;
                let body = &mut Cursor::new(body);
                let batch = read_record_batch(
                    batch,
                    schema,
                    ipc_schema,
                    None,
                    None,
                    dictionaries,
                    *version,
                    body,
                    0,
                    &mut vec![],
                    checked,
                )?;
                self.rows = batch.len();
                self.batch = batch.into_arrays();
            }
            MessageHeaderRef::DictionaryBatch(batch) => {
                ensure!(!batch.is_delta()?, "dictionaries that grow are not read; write each of them whole");
                check(batch.data()?.context("a dictionary without values")?, &body)?;
                let body = &mut Cursor::new(body);
                read_dictionary(batch, schema, ipc_schema, dictionaries, body, 0, &mut vec![], checked)?;
            }
            _ => bail!("a message that is neither a batch nor a dictionary"),
        }
        Ok(())
    }
}

/// The description of the next message; nothing at the end.
fn description(stream: &mut impl Read) -> Result<Option<Vec<u8>>> {
    let mut word = [0; 4];
    let mut next = |word: &mut [u8; 4]| {
        stream.read_exact(word).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => anyhow::anyhow!(
                "it ends without the mark of its end: it was cut short, or whoever wrote it did not close it"
            ),
            _ => error.into(),
        })
    };
    next(&mut word)?;
    if word == MESSAGE {
        next(&mut word)?;
    }
    let length = u32::from_le_bytes(word);
    ensure!(length <= DESCRIPTION_BYTES_MAX, "no message of Arrow begins here; is it an Arrow stream?");
    Ok(if length == 0 { None } else { Some(bytes(stream, length.into())?) })
}

fn body(stream: &mut impl Read, length: i64) -> Result<Vec<u8>> {
    let length = u64::try_from(length).context("a batch of negative length")?;
    ensure!(length <= BATCH_BYTES_MAX, "a batch of {length} bytes; {}", too_large());
    bytes(stream, length)
}

/// The next bytes. Room is made as they come and not as they are announced.
fn bytes(stream: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 == length, "it ends within a message: it was cut short");
    Ok(bytes)
}

fn too_large() -> String {
    format!("at most {BATCH_BYTES_MAX} are read, decompressed: write fewer rows a batch")
}

/// Whether the buffers of a batch lie in its body, and are not larger than they may be.
fn check(batch: RecordBatchRef<'_>, body: &[u8]) -> Result<()> {
    let (compressed, mut total) = (batch.compression()?.is_some(), 0_u64);
    let buffers = batch.buffers()?.context("a batch without buffers")?;
    for buffer in buffers {
        let within = || {
            let from = usize::try_from(buffer.offset()).ok()?;
            body.get(from..from.checked_add(usize::try_from(buffer.length()).ok()?)?)
        };
        let bytes = within().context("a buffer lies outside of its batch")?;
        let length = match bytes.first_chunk().map(|length| i64::from_le_bytes(*length)) {
            Some(length) if compressed && length != -1 => length,
            _ => bytes.len() as i64,
        };
        total = total.saturating_add(u64::try_from(length).context("a buffer of negative length")?);
    }
    ensure!(total <= BATCH_BYTES_MAX, "a batch of {total} bytes; {}", too_large());
    Ok(())
}

impl Decoder {
    /// Names of the columns, in order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Fails where a wanted column holds values that have no text.
    pub(super) fn check(&self, positions: &[Option<usize>], columns: &[Input]) -> Result<()> {
        typed::check(&self.names, &self.kinds, positions, columns)
    }

    /// The columns at `positions` of the rows of `part`.
    pub(super) fn decode(&self, part: &Part, positions: &[Option<usize>]) -> Result<Decoded> {
        let column = |at: usize| {
            guarded(|| typed::texts([part.arrays[at].as_ref()]))
                .with_context(|| format!("row {}: column {}: cannot be read", part.first, self.names[at]))
        };
        let columns = positions.iter().map(|at| at.map(column).transpose()).collect::<Result<_>>()?;
        Ok(Decoded { columns, rows: part.rows, first: part.first })
    }
}
