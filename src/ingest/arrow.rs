//! Arrow IPC: a batch at a time, cut into slices for the workers, as text ([`super::typed`]).
//!
//! A stream is what pipes carry, so it is read forwards only. The file format is the same messages behind a magic
//! number, and read as they come. What a message says of its lengths is held against its bytes and against
//! [`BATCH_BYTES_MAX`] before Polars makes room for it: memory is bounded by a batch, and a damaged length is an error.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::ArrowDataType;
use polars_arrow::array::{Array, FixedSizeBinaryArray, PrimitiveArray};
use polars_arrow::io::ipc::read::common::{read_dictionary, read_record_batch};
use polars_arrow::io::ipc::read::{Dictionaries, StreamMetadata, read_stream_metadata};
use polars_arrow::types::i256;
use polars_arrow_format::ipc::planus::ReadAsRoot as _;
use polars_arrow_format::ipc::{MessageHeaderRef, MessageRef, RecordBatchRef};

use super::typed::{self, Decoded, SLICE_ROWS, guarded};
use crate::snapshot::safe_open;
use crate::snapshot::tables::Input;

/// Bytes of the largest batch or dictionary, decompressed.
const BATCH_BYTES_MAX: u64 = 2 << 30;
/// Bytes of the longest description of a schema or a batch.
const DESCRIPTION_BYTES_MAX: u32 = 64 << 20;
/// What stands before every message.
const MESSAGE: [u8; 4] = [0xff; 4];
/// Bytes of the widest decimal. Polars writes such columns and cannot read them, so they are read as bytes.
const WIDE_BYTES: usize = 32;
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
    let mut stream = BufReader::with_capacity(1 << 18, safe_open::open(path)?.0);
    if stream.fill_buf()?.starts_with(FILE_MAGIC) {
        stream.consume(FILE_MAGIC.len());
    }
    let description = description(&mut stream)?.context("the stream does not contain a schema")?;
    // Polars reads a schema with its length before it.
    let length = (description.len() as u32).to_le_bytes();
    let mut schema = guarded(|| Ok(read_stream_metadata(&mut length.chain(&description[..]))?))
        .context("the schema cannot be read; is this an Arrow stream?")?;
    ensure!(schema.schema.len() == schema.ipc_schema.fields.len(), "two columns have the same name");
    let fields = || schema.schema.iter_values();
    let decoder = Decoder {
        names: fields().map(|field| field.name.to_string()).collect(),
        kinds: fields().map(|field| field.dtype.clone()).collect(),
    };
    for field in schema.schema.iter_values_mut().filter(|field| is_wide(&field.dtype)) {
        field.dtype = ArrowDataType::FixedSizeBinary(WIDE_BYTES);
    }
    let dictionaries = Dictionaries::default();
    let parts = Parts { stream, schema, dictionaries, batch: Vec::new(), rows: 0, first: 1, end: false };
    Ok((parts, decoder))
}

impl Parts {
    /// The next rows; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Part>> {
        while self.rows == 0 && !self.end {
            self.read().with_context(|| format!("after row {}", self.first - 1))?;
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
        self.first = self.first.checked_add(rows as u64).context("the number of rows exceeds 2^64")?;
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
            self.take(message.header()?.context("a message does not have a header")?, body)
        })
    }

    fn take(&mut self, header: MessageHeaderRef<'_>, body: Vec<u8>) -> Result<()> {
        let Self { schema: StreamMetadata { schema, ipc_schema, version, .. }, dictionaries, .. } = self;
        #[expect(clippy::default_trait_access, reason = "its crate is none of ours")]
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
                ensure!(!batch.is_delta()?, "delta dictionaries are not supported; write whole dictionaries");
                check(batch.data()?.context("a dictionary does not have values")?, &body)?;
                let body = &mut Cursor::new(body);
                read_dictionary(batch, schema, ipc_schema, dictionaries, body, 0, &mut vec![], checked)?;
            }
            _ => bail!("a message is neither a record batch nor a dictionary"),
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
                "the stream ends without an end-of-stream marker: the file is truncated, or its writer was not closed"
            ),
            _ => error.into(),
        })
    };
    next(&mut word)?;
    if word == MESSAGE {
        next(&mut word)?;
    }
    let length = u32::from_le_bytes(word);
    ensure!(length <= DESCRIPTION_BYTES_MAX, "a message has an invalid length; is this an Arrow stream?");
    Ok(if length == 0 { None } else { Some(bytes(stream, length.into())?) })
}

fn body(stream: &mut impl Read, length: i64) -> Result<Vec<u8>> {
    let length = u64::try_from(length).context("a batch has a negative length")?;
    ensure!(length <= BATCH_BYTES_MAX, "a batch has {length} bytes; {}", too_large());
    bytes(stream, length)
}

/// The next bytes. Room is made as they come and not as they are announced.
fn bytes(stream: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 == length, "the stream ends within a message: the file is truncated");
    Ok(bytes)
}

fn too_large() -> String {
    format!("at most {BATCH_BYTES_MAX} decompressed bytes are supported: write fewer rows per batch")
}

/// Whether the buffers of a batch lie in its body, and are not larger than they may be.
fn check(batch: RecordBatchRef<'_>, body: &[u8]) -> Result<()> {
    let (compressed, mut total) = (batch.compression()?.is_some(), 0_u64);
    let buffers = batch.buffers()?.context("a batch does not have buffers")?;
    for buffer in buffers {
        let within = || {
            let from = usize::try_from(buffer.offset()).ok()?;
            body.get(from..from.checked_add(usize::try_from(buffer.length()).ok()?)?)
        };
        let bytes = within().context("a buffer is outside its batch")?;
        let length = match bytes.first_chunk().map(|length| i64::from_le_bytes(*length)) {
            Some(length) if compressed && length != -1 => length,
            _ => bytes.len() as i64,
        };
        total = total.saturating_add(u64::try_from(length).context("a buffer has a negative length")?);
    }
    ensure!(total <= BATCH_BYTES_MAX, "a batch has {total} bytes; {}", too_large());
    Ok(())
}

fn is_wide(kind: &ArrowDataType) -> bool {
    matches!(kind, ArrowDataType::Decimal256(..))
}

/// The decimals that were read as bytes.
fn wide(array: &dyn Array, kind: &ArrowDataType) -> Result<Box<dyn Array>> {
    let bytes: &FixedSizeBinaryArray = array.as_any().downcast_ref().context("values are not decimals")?;
    let word = |bytes: &[u8]| i128::from_le_bytes(*bytes.first_chunk().expect("16 bytes"));
    let number = |bytes: &[u8]| i256::from_words(word(&bytes[16..]), word(bytes));
    let numbers: PrimitiveArray<i256> = bytes.iter().map(|bytes| bytes.map(number)).collect();
    Ok(numbers.to(kind.clone()).boxed())
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
        let texts = |at: usize| match part.arrays[at].as_ref() {
            array if is_wide(&self.kinds[at]) => typed::texts([wide(array, &self.kinds[at])?.as_ref()]),
            array => typed::texts([array]),
        };
        let column = |at: usize| {
            guarded(|| texts(at))
                .with_context(|| format!("row {}: column {}: cannot be read", part.first, self.names[at]))
        };
        let columns = typed::columns_at(positions, column)?;
        Ok(Decoded { columns, rows: part.rows, first: part.first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/input").join(name)
    }

    /// The rows of a file, its texts joined; columns whose values have no text are left out.
    fn read(path: &Path) -> Result<(Vec<String>, Vec<Vec<String>>)> {
        let (mut parts, decoder) = open(path)?;
        let kept: Vec<usize> =
            (0..decoder.names.len()).filter(|&at| typed::has_text(&decoder.kinds[at])).collect();
        let positions: Vec<Option<usize>> = kept.iter().copied().map(Some).collect();
        let mut rows = Vec::new();
        while let Some(part) = parts.next()? {
            let decoded = decoder.decode(&part, &positions)?;
            assert_eq!(decoded.first, rows.len() as u64 + 1);
            let text = |at: usize, row| {
                let column = decoded.columns[at].as_ref().unwrap();
                column.get(row).unwrap_or("-").to_owned()
            };
            rows.extend((0..decoded.rows).map(|row| (0..kept.len()).map(|at| text(at, row)).collect()));
        }
        Ok((kept.iter().map(|&at| decoder.names()[at].clone()).collect(), rows))
    }

    #[test]
    fn every_type_of_pyarrow_is_read() {
        let (names, rows) = read(&golden("typed.arrows")).unwrap();
        let column = |name: &str| {
            let at = names.iter().position(|other| other == name).unwrap_or_else(|| panic!("{name}"));
            rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>()
        };
        for name in ["text", "large_text", "view", "binary"] {
            assert_eq!(column(name), ["4711", "a longer id than fits into a view", ""], "{name}");
        }
        assert_eq!(column("category"), ["ca", "us", "ca"]);
        assert_eq!(column("small_category"), ["ca", "-", "us"]);
        assert_eq!(column("number_category"), ["7", "-", "7"]);
        assert_eq!(column("flag"), ["-", "true", "false"]);
        assert_eq!(column("nothing"), ["-", "-", "-"]);
        assert_eq!(column("empty"), ["", "-", ""]);
        assert_eq!(column("void"), ["-", "-", "-"]);
        let numbers =
            ["double", "single", "decimal9", "decimal18", "decimal38", "decimal76", "decimal32", "decimal64"];
        for name in numbers {
            assert_eq!(column(name), ["-", "4.99", "1299"], "{name}");
        }
        for name in ["day", "day64"] {
            assert_eq!(column(name), ["2026-10-29", "2026-10-30", "2026-10-31"], "{name}");
        }
        for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] {
            assert_eq!(column(name), ["-", "7", "100"], "{name}");
        }
        assert_eq!(column("instant_s")[0], "2026-10-29T22:30:00Z");
        assert_eq!(column("zoned_ns")[2], "2026-10-31T22:30:00.25Z");
    }

    #[test]
    fn compressed_streams_and_files_are_the_same_rows() {
        let plain = read(&golden("typed.arrows")).unwrap();
        assert_eq!(read(&golden("typed.zstd.arrows")).unwrap(), plain);
        assert_eq!(read(&golden("typed.lz4.arrows")).unwrap(), plain);
        let (names, rows) = read(&golden("file.arrow")).unwrap();
        assert_eq!(names, ["text", "decimal9", "category"]);
        assert_eq!(rows[0], ["4711", "-", "ca"]);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn dictionaries_may_be_replaced_and_may_not_grow() {
        let (_, rows) = read(&golden("replaced.arrows")).unwrap();
        assert_eq!(rows.concat(), ["us", "us", "ca", "us"]);
        let error = format!("{:#}", read(&golden("growing.arrows")).unwrap_err());
        assert_eq!(error, "after row 2: delta dictionaries are not supported; write whole dictionaries");
    }

    #[test]
    fn reports_incomplete_or_invalid_streams() {
        let error = |name: &str| format!("{:#}", read(&golden(name)).unwrap_err());
        assert_eq!(
            error("unclosed.arrows"),
            "after row 3: the stream ends without an end-of-stream marker: the file is truncated, or its writer was not closed"
        );
        assert_eq!(error("twice.arrows"), "two columns have the same name");
        assert!(error("duckdb.parquet").contains("is this an Arrow stream?"), "{}", error("duckdb.parquet"));
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.arrows");
        for (name, step) in [("replaced.arrows", 3), ("typed.zstd.arrows", 41)] {
            let whole = std::fs::read(golden(name)).unwrap();
            for cut in (0..whole.len()).step_by(step) {
                std::fs::write(&path, &whole[..cut]).unwrap();
                assert!(read(&path).is_err(), "{name} of {cut} bytes");
                let mut bytes = whole.clone();
                bytes[cut] ^= 0x55;
                std::fs::write(&path, bytes).unwrap();
                // What it reads as is another matter: there are no checksums.
                let _ = read(&path);
            }
        }
    }

    #[test]
    fn lengths_are_held_against_what_is_there() {
        let body = [0xff; 16];
        assert_eq!(super::body(&mut &body[..], 16).unwrap().len(), 16);
        for (length, error) in [
            (-1, "a batch has a negative length"),
            (17, "the stream ends within a message: the file is truncated"),
            (BATCH_BYTES_MAX as i64 + 1, "a batch has 2147483649 bytes; "),
        ] {
            let told = super::body(&mut &body[..], length).unwrap_err().to_string();
            assert!(told.starts_with(error), "{told}");
        }
    }
}
