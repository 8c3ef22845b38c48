//! What is understood of a file, without taking anything of it.

use std::borrow::Cow;

use anyhow::{Context, Result};

use super::chunk::Chunk;
use super::evidence::Reading;
use super::file_table::{self, FileTable};
use super::input_file::InputFile;
use super::parsers::Ambiguity;
use super::variants::Products;
use crate::ingest::mapping::InputTable;
use crate::ingest::report::FileForm;
use crate::snapshot::tables::Input;
use crate::types::Country;

/// Most rows that are shown.
const ROWS_MAX: usize = 3;

/// Where a column comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A column of the file, by its name there.
    Column(String),
    /// A constant of the mapping.
    Constant,
    /// A `key=value` folder.
    Path,
    /// Nothing says it.
    Nowhere,
}

/// A file as a table, as it is understood.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Where each column comes from, and what it says in the first rows, in the contract's form.
    pub columns: Vec<(Input, Origin, Vec<String>)>,
    /// Names in the file that no column is taken from.
    pub unmapped: Vec<String>,
    /// How it is written.
    pub form: FileForm,
    /// What can be read in two ways: columns, and how.
    pub ambiguous: Vec<(String, Ambiguity)>,
}

/// Looks at a file as a table.
///
/// # Errors
/// When it cannot be read; the message names the file.
pub fn preview_file(file: &InputFile, table: InputTable) -> Result<Preview> {
    let _kept = file.fetch()?;
    look_at(file, table).with_context(|| file.name.clone())
}

fn look_at(file: &InputFile, table: InputTable) -> Result<Preview> {
    let source = FileTable::new(file, table, table.columns());
    let mut reader = source.open()?;
    let (mut held, evidence) = source.begin(&mut reader)?;
    let reading = Reading::as_far_as_decided(file, reader.decoding.plan(), &evidence);
    held.truncate(1);
    let mut products = Products::new(reader.decoding.plan());
    for chunk in &mut held {
        if let Some(products) = &mut products {
            products.add(chunk)?;
            products.complete(chunk);
        }
        reading.apply(chunk, file);
    }
    let first = held.first();
    let columns = reader.decoding.plan().columns.iter().enumerate().map(|(at, &column)| {
        let origin = match reader.decoding.origin(at, first.map_or(0, |chunk| chunk.present)) {
            Some(header) => Origin::Column(header),
            None if file.settings.constants.contains_key(column.name) => Origin::Constant,
            None if reader.decoding.plan().from_path.contains(&at) => Origin::Path,
            None => Origin::Nowhere,
        };
        (column, origin, values(file, &column, first, at))
    });
    let mut unmapped = reader.decoding.unmapped();
    unmapped.extend(first.into_iter().flat_map(|chunk| chunk.unknown.iter().cloned()));
    Ok(Preview {
        columns: columns.collect(),
        unmapped,
        form: file_table::form(&reader.source, &reader.decoding, &reading),
        ambiguous: evidence.ambiguities(file),
    })
}

/// The first values of a column.
fn values(file: &InputFile, column: &Input, chunk: Option<&Chunk>, at: usize) -> Vec<String> {
    let rows = chunk.map_or(0, |chunk| chunk.rows().min(ROWS_MAX));
    let understood = |text: &str| match column.name {
        "platform" => file.settings.retailers.key(text).map(Cow::into_owned),
        "country" => Country::read(text).map(|country| country.to_string()),
        _ => None,
    };
    let text = |row| {
        let text = chunk.map_or("", |chunk| chunk.text(at, row));
        understood(text).unwrap_or_else(|| text.to_owned())
    };
    (0..rows).map(text).collect()
}
