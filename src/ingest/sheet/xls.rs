//! `.xls`: calamine reads the whole workbook at once, after [`super::compound`] had a look at it.

use std::io::Cursor;

use anyhow::{Result, anyhow};
use calamine::{Reader as _, Xls, XlsError};

use super::compound;
use super::row::{Book, Row, SheetInfo, worksheets};

/// An opened workbook.
pub(super) struct Workbook {
    book: Xls<Cursor<Vec<u8>>>,
    sheets: Vec<SheetInfo>,
}

impl Workbook {
    /// Opens a workbook that can be held in memory.
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self> {
        compound::check(&bytes)?;
        let book = Xls::new(Cursor::new(bytes)).map_err(unreadable)?;
        Ok(Self { sheets: worksheets(book.sheets_metadata()), book })
    }
}

fn unreadable(error: XlsError) -> anyhow::Error {
    match error {
        XlsError::Password => anyhow!("the workbook is protected by a password; save it without a password"),
        error => anyhow!(error).context("the workbook is damaged; save it again"),
    }
}

impl Book for Workbook {
    fn sheets(&self) -> &[SheetInfo] {
        &self.sheets
    }

    fn rows(&mut self, sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
        let cells = self.book.worksheet_range(&self.sheets[sheet].name).map_err(unreadable)?;
        let Some((top, left)) = cells.start() else { return Ok(()) };
        let mut row = Row::default();
        for (at, values) in cells.rows().enumerate() {
            row.begin(u64::from(top) + at as u64 + 1);
            for (at, value) in values.iter().enumerate() {
                row.set_value(left as usize + at, value)?;
            }
            if !row.is_empty() && !take(&row)? {
                return Ok(());
            }
        }
        Ok(())
    }
}
