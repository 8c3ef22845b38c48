//! Spreadsheets (`.xlsx`, `.xls`, `.ods`): the visible sheets that begin with the wanted columns, one after the other, as
//! text. Their rows are counted through.
//!
//! The whole file is read into memory; what is in it is given row by row by a [`Book`] in a thread of its own, since the
//! stream of a sheet borrows its workbook, and cut into parts of consecutive rows. Rows without any text are none.
//!
//! In memory are at most: the file ([`FILE_BYTES_MAX`]), what [`archive`] lets calamine keep of an `.xlsx` (its shared
//! texts, not its cells), everything of an `.xls` as far as [`compound`] lets it be, nothing of an `.ods` but a row, and
//! [`PARTS_AHEAD`] parts of [`PART_BYTES`], [`PART_CELLS`] and a row each, beside those that workers have.

mod archive;
mod compound;
mod ods;
mod row;
mod xls;
mod xlsx;

use std::fmt::Write as _;
use std::io::Cursor;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use polars::prelude::{PlSmallStr, StringChunked};
use polars_arrow::array::{MutablePlString, Utf8ViewArray};

use super::typed::{Decoded, guarded};
use crate::ingest::column_names::folded;
use crate::ingest::limits::COLUMNS_MAX;
use crate::snapshot::safe_open;
use crate::snapshot::tables::Input;
use row::{Book, Row, SheetInfo};

/// Bytes of the largest file.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Most sheets of a workbook: each may be read from the beginning of the file to see how it begins.
const SHEETS_MAX: usize = 1_024;
/// Most rows of a part.
const PART_ROWS: usize = 1 << 15;
/// Cells at which a part ends: an empty one takes memory too.
const PART_CELLS: usize = 1 << 20;
/// Bytes of text at which a part ends.
const PART_BYTES: usize = 16 << 20;
/// Parts that wait for a worker.
const PARTS_AHEAD: usize = 2;
/// Most sheets, and most columns of each, that an error lists.
const LISTED_MAX: usize = 12;

/// Consecutive rows.
#[derive(Debug)]
pub(super) struct Part {
    columns: Vec<Utf8ViewArray>,
    rows: usize,
    /// Number of the first row, from 1, as a spreadsheet shows it.
    first: u64,
}

/// The parts of a sheet, in order.
pub(super) struct Parts {
    /// Nothing marks the end.
    received: Receiver<Result<Option<Part>>>,
    end: bool,
    /// Sheets that are not read, and why.
    unread: Vec<String>,
}

/// A sheet that is read.
struct PickedSheet {
    at: usize,
    name: String,
    /// How many columns its header has.
    width: usize,
    /// By column of the file, where the sheet has it.
    columns: Vec<Option<usize>>,
}

/// Knows the columns of a sheet.
#[derive(Debug)]
pub(super) struct Decoder {
    names: Vec<String>,
}

/// Opens `path` at the visible sheets whose first row with a text `holds` the wanted columns, or at those that are
/// `chosen` by name. The names of the columns are those of the first sheet, then those that only later ones have.
///
/// # Errors
/// When it cannot be read, is protected, is no workbook or too large, or when no sheet or not every chosen one holds the
/// columns; the message then lists sheets and their columns.
pub(super) fn open(
    path: &Path,
    chosen: Option<&[String]>,
    holds: &dyn Fn(&[String]) -> bool,
) -> Result<(Parts, Decoder)> {
    let (file, about) = safe_open::open(path)?;
    ensure!(
        about.len() <= FILE_BYTES_MAX,
        "a workbook of more than {FILE_BYTES_MAX} bytes is not supported; save the sheet as .csv"
    );
    let bytes = safe_open::read_opened(&file, FILE_BYTES_MAX)?;
    pick(guarded(|| open_book(bytes))?, chosen, holds)
}

/// Picks the sheets of a workbook that are read.
fn pick(
    mut book: Box<dyn Book>,
    chosen: Option<&[String]>,
    holds: &dyn Fn(&[String]) -> bool,
) -> Result<(Parts, Decoder)> {
    let sheets = book.sheets().to_vec();
    ensure!(sheets.len() <= SHEETS_MAX, "the workbook has more than {SHEETS_MAX} sheets; split the workbook");
    if let Some(name) =
        chosen.unwrap_or_default().iter().find(|name| !sheets.iter().any(|sheet| sheet.name == **name))
    {
        let names: Vec<&str> = sheets.iter().map(|sheet| sheet.name.as_str()).take(LISTED_MAX).collect();
        bail!("the workbook does not have a sheet {name:?}; its sheets are {}", names.join(", "));
    }
    let (mut picked, mut passed, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    let mut names: Vec<String> = Vec::new();
    for (at, SheetInfo { name, is_hidden }) in sheets.into_iter().enumerate() {
        let is_wanted = chosen.map_or(!is_hidden, |chosen| chosen.contains(&name));
        if !is_wanted {
            unread.push(if is_hidden { format!("{name} (hidden)") } else { name });
            continue;
        }
        let header = guarded(|| header(book.as_mut(), at)).with_context(|| format!("sheet {name}"))?;
        if header.is_empty() || !holds(&header) {
            unread.push(format!("{name} (without the required columns)"));
            passed.push((name, header));
            continue;
        }
        let columns = columns_in(&mut names, &header);
        picked.push(PickedSheet { at, name, width: header.len(), columns });
    }
    if picked.is_empty() || (chosen.is_some() && !passed.is_empty()) {
        let mut sheets = listed(&passed);
        for name in unread.iter().filter_map(|sheet| sheet.strip_suffix(" (hidden)")) {
            let _ = write!(sheets, "\n  sheet {name} is hidden: to read it, set sheets = [{name:?}]");
        }
        bail!("the required columns are missing; the first row of a sheet must contain their names:{sheets}")
    }
    for sheet in &mut picked {
        sheet.columns.resize(names.len(), None);
    }
    Ok((Parts::start(book, picked, unread)?, Decoder { names }))
}

/// Where the columns of a file stand in the header of one of its sheets; names that are new are added.
fn columns_in(names: &mut Vec<String>, header: &[String]) -> Vec<Option<usize>> {
    if names.is_empty() {
        names.extend_from_slice(header);
        return (0..header.len()).map(Some).collect();
    }
    let place = |name: &String| header.iter().position(|own| !name.is_empty() && folded(own) == folded(name));
    let mut columns: Vec<Option<usize>> = names.iter().map(place).collect();
    for (at, name) in header.iter().enumerate() {
        if !name.is_empty() && !names.iter().any(|known| folded(known) == folded(name)) {
            names.push(name.clone());
            columns.push(Some(at));
        }
    }
    columns
}

fn open_book(bytes: Vec<u8>) -> Result<Box<dyn Book>> {
    if bytes.starts_with(compound::MAGIC) {
        return Ok(Box::new(xls::Workbook::open(bytes)?));
    }
    ensure!(
        bytes.starts_with(b"PK"),
        "the file is not a workbook, despite its name; save it as .xlsx or .csv"
    );
    let bytes = Cursor::new(bytes.into());
    let mut archive = archive::open(&bytes)?;
    let kind = archive::part(&mut archive, "mimetype")?.unwrap_or_default();
    if kind.starts_with(b"application/vnd.oasis.opendocument") {
        return Ok(Box::new(ods::Document::open(archive)?));
    }
    drop(archive);
    Ok(Box::new(xlsx::Workbook::open(bytes)?))
}

/// The first row of a sheet that holds a text; empty where none does.
fn header(book: &mut dyn Book, sheet: usize) -> Result<Vec<String>> {
    let mut header = Vec::new();
    book.rows(sheet, &mut |row| {
        ensure!(
            !row.too_wide,
            "row {} has more than {COLUMNS_MAX} columns; remove columns that are not needed",
            row.number
        );
        header = row.texts().to_vec();
        Ok(false)
    })?;
    Ok(header)
}

/// Sheets and their first rows, for an error.
fn listed(sheets: &[(String, Vec<String>)]) -> String {
    let mut text = String::new();
    for (name, header) in sheets.iter().take(LISTED_MAX) {
        let names: Vec<&str> =
            header.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
        let more = if names.len() > LISTED_MAX { ", …" } else { "" };
        let names = names[..names.len().min(LISTED_MAX)].join(", ");
        let names = if names.is_empty() { "an empty row" } else { &names };
        let _ = write!(text, "\n  sheet {name} begins with {names}{more}");
    }
    if sheets.len() > LISTED_MAX {
        let _ = write!(text, "\n  and {} more sheets", sheets.len() - LISTED_MAX);
    }
    text
}

impl Parts {
    fn start(mut book: Box<dyn Book>, sheets: Vec<PickedSheet>, unread: Vec<String>) -> Result<Self> {
        let (sender, received) = sync_channel(PARTS_AHEAD);
        let read = move || {
            let mut before = 0;
            let mut send = |sheet: &PickedSheet| {
                let sent = guarded(|| send_rows(book.as_mut(), sheet, &mut before, &sender));
                sent.with_context(|| format!("sheet {}", sheet.name))
            };
            let end = sheets.iter().try_for_each(&mut send);
            // Nobody waits any more where the receiver is gone.
            let _ = sender.send(end.map(|()| None));
        };
        let thread = thread::Builder::new().name("sheet".to_owned()).spawn(read);
        thread.context("the thread that reads the sheets cannot be started")?;
        Ok(Self { received, end: false, unread })
    }

    /// Sheets that are not read, and why.
    pub(super) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// The next rows; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Part>> {
        if self.end {
            return Ok(None);
        }
        let part = self.received.recv().context("the thread that reads the sheets has ended too early")??;
        self.end = part.is_none();
        Ok(part)
    }
}

/// Rows that are put together.
struct Rows {
    columns: Vec<MutablePlString>,
    len: usize,
    bytes: usize,
    first: u64,
}

impl Rows {
    fn new(width: usize) -> Self {
        let columns = (0..width).map(|_| MutablePlString::new()).collect();
        Self { columns, len: 0, bytes: 0, first: 0 }
    }

    /// Whether `row` cannot be put behind the others.
    fn ends_before(&self, number: u64) -> bool {
        let gap = number != self.first + self.len as u64;
        let is_full =
            self.len == PART_ROWS || self.len * self.columns.len() >= PART_CELLS || self.bytes >= PART_BYTES;
        self.len > 0 && (gap || is_full)
    }

    /// Adds a row by its number in the file; `places` are those of the columns in its sheet.
    fn push(&mut self, number: u64, row: &Row, places: &[Option<usize>]) {
        if self.len == 0 {
            self.first = number;
        }
        for (place, column) in places.iter().zip(&mut self.columns) {
            let text = place.and_then(|at| row.texts().get(at)).filter(|text| !text.is_empty());
            self.bytes += text.map_or(0, String::len);
            column.push(text);
        }
        self.len += 1;
    }

    fn part(self) -> Part {
        let columns = self.columns.into_iter().map(MutablePlString::freeze).collect();
        Part { columns, rows: self.len, first: self.first }
    }
}

/// Sends the rows behind the header of a sheet, which `before` rows of others precede; ends early when nobody waits for
/// them.
fn send_rows(
    book: &mut dyn Book,
    sheet: &PickedSheet,
    before: &mut u64,
    sender: &SyncSender<Result<Option<Part>>>,
) -> Result<()> {
    let width = sheet.columns.len();
    let (mut rows, mut header, mut heard, mut last) = (Rows::new(width), true, true, *before);
    book.rows(sheet.at, &mut |row| {
        last = *before + row.number;
        // Notes beside the table are no rows of it.
        let within = &row.texts()[..row.texts().len().min(sheet.width)];
        if std::mem::take(&mut header) || within.iter().all(String::is_empty) {
            return Ok(true);
        }
        if rows.ends_before(last) {
            let part = std::mem::replace(&mut rows, Rows::new(width)).part();
            heard = sender.send(Ok(Some(part))).is_ok();
        }
        rows.push(last, row, &sheet.columns);
        Ok(heard)
    })?;
    *before = last;
    if heard && rows.len > 0 {
        let _ = sender.send(Ok(Some(rows.part())));
    }
    Ok(())
}

impl Decoder {
    /// Names of the columns, in the order of the sheet; empty where a column has none.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Never fails: every cell has a text.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as the other typed formats")]
    pub(super) fn check(&self, _positions: &[Option<usize>], _columns: &[Input]) -> Result<()> {
        Ok(())
    }

    /// The columns at `positions` of the rows of `part`.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as the other typed formats")]
    pub(super) fn decode(&self, part: &Part, positions: &[Option<usize>]) -> Result<Decoded> {
        let column = |at: usize| StringChunked::with_chunk(PlSmallStr::EMPTY, part.columns[at].clone());
        let columns = positions.iter().map(|at| at.map(column)).collect();
        Ok(Decoded { columns, rows: part.rows, first: part.first })
    }
}

#[cfg(test)]
mod tests;
