//! The name of a run: a hash of everything that its bytes follow from.

use std::io::Read as _;

use anyhow::{Context as _, Result};
use blake3::Hasher;

use super::{VALIDATION_VERSION, observations};
use crate::ingest::mapping::{Encoding, InputTable, QuoteEscape};
use crate::ingest::{InputFile, column_sources};
use crate::snapshot::safe_open;
use crate::snapshot::tables::ListingInput;

/// Bytes of a file that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// Hashes texts so that none runs into the next.
#[derive(Default)]
pub(super) struct TextHasher(Hasher);

impl TextHasher {
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let text = text.as_ref();
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text);
        self
    }

    /// A text that may be missing.
    pub(super) fn maybe(&mut self, text: Option<impl AsRef<[u8]>>) -> &mut Self {
        match text {
            Some(text) => self.text([1]).text(text),
            None => self.text([0]),
        }
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.text(number.to_le_bytes())
    }

    /// The hash, in hexadecimal.
    pub(super) fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// The name of the run that a file becomes: BLAKE3 of the version of judging, its bytes, what it holds and how it is
/// written, and what the mapping and its folders say that applies to it. Where it lies and how it is called is not in
/// it. `newest` counts where listings are read, since it decides whether their dates are.
///
/// # Errors
/// When the file cannot be read.
pub fn run_name(file: &InputFile, newest: bool) -> Result<String> {
    let mut hash = TextHasher::default();
    hash.text(content(file)?);
    settings(&mut hash, file, newest);
    Ok(hash.finish())
}

/// Hash of the bytes of a file.
fn content(file: &InputFile) -> Result<[u8; 32]> {
    let read = || {
        let (mut from, _) = safe_open::open(&file.path)?;
        let (mut hash, mut bytes) = (Hasher::new(), vec![0; READ_BYTES]);
        loop {
            match from.read(&mut bytes)? {
                0 => return std::io::Result::Ok(*hash.finalize().as_bytes()),
                read => _ = hash.update(&bytes[..read]),
            }
        }
    };
    read().with_context(|| format!("{} cannot be read", file.name))
}

/// Everything but the bytes of a file that its run follows from.
pub(super) fn settings(hash: &mut TextHasher, file: &InputFile, newest: bool) {
    let InputFile { format, compression, holds, settings, .. } = file;
    hash.number(VALIDATION_VERSION.into())
        .text(holds.as_str())
        .text(format.as_str())
        .text(format!("{compression:?}"));
    hash.maybe(settings.separator.map(|separator| [separator]));
    hash.maybe(settings.quote_escape.map(QuoteEscape::as_str));
    hash.maybe(settings.encoding.map(Encoding::as_str));
    hash.maybe(settings.decimal.map(|form| form.to_string()));
    hash.maybe(settings.dates.as_ref().map(ToString::to_string));
    for sheet in settings.sheets.iter().flatten() {
        hash.text(sheet);
    }
    if holds.has(InputTable::Listings) {
        hash.number(u64::from(newest));
        columns(hash, file, InputTable::Listings, ListingInput::ALL);
    }
    if holds.has(InputTable::Observations) {
        columns(hash, file, InputTable::Observations, observations::columns(file));
    }
    for (name, key) in settings.retailers.entries() {
        hash.text(name).text(key);
    }
    for (column, words) in &settings.values {
        for (word, value) in words {
            hash.text(column).text(word).text(value);
        }
    }
}

/// Where the columns of a table come from.
fn columns(
    hash: &mut TextHasher,
    file: &InputFile,
    table: InputTable,
    columns: &'static [crate::snapshot::tables::Input],
) {
    let sources = column_sources(file, table, columns);
    hash.text(table.as_str()).number(sources.len() as u64);
    for source in sources {
        hash.text(source.column)
            .maybe(source.header)
            .text(&source.defaults)
            .number(source.is_path_key.into());
    }
}
