//! `.xlsx`: calamine's stream of cells, put together as rows.

use anyhow::{Context, Result, anyhow, ensure};
use calamine::{Reader as _, Xlsx, XlsxError};

use super::archive::Bytes;
use super::row::{Book, ROWS_MAX, Row, SheetInfo, worksheets};

/// An opened workbook.
pub(super) struct Workbook {
    book: Xlsx<Bytes>,
    sheets: Vec<SheetInfo>,
}

impl Workbook {
    /// Opens a workbook whose archive was measured.
    pub(super) fn open(bytes: Bytes) -> Result<Self> {
        let book = Xlsx::new(bytes).map_err(unreadable)?;
        Ok(Self { sheets: worksheets(book.sheets_metadata()), book })
    }
}

fn unreadable(error: XlsxError) -> anyhow::Error {
    match error {
        XlsxError::Password => anyhow!("the workbook is protected by a password; save it without a password"),
        error => anyhow!(error).context("the file is damaged or not a workbook; save it again as .xlsx"),
    }
}

impl Book for Workbook {
    fn sheets(&self) -> &[SheetInfo] {
        &self.sheets
    }

    fn rows(&mut self, sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()> {
        let mut cells = self.book.worksheet_cells_reader(&self.sheets[sheet].name).map_err(unreadable)?;
        let mut row = Row::default();
        loop {
            let cell = match cells.next_cell() {
                // An error that calamine does not know is one like the others.
                Err(XlsxError::CellError(_)) => continue,
                cell => cell.map_err(unreadable).with_context(|| format!("after row {}", row.number))?,
            };
            let number = cell.as_ref().map(|cell| u64::from(cell.get_position().0) + 1);
            if number != Some(row.number) {
                if !row.is_empty() && !take(&row)? {
                    return Ok(());
                }
                let Some(number) = number else { return Ok(()) };
                ensure!(
                    row.number < number && number <= ROWS_MAX,
                    "row {number} is stored after row {}, or is above {ROWS_MAX}; save the workbook again",
                    row.number
                );
                row.begin(number);
            }
            if let Some(cell) = cell {
                let (_, column) = cell.get_position();
                row.set_shared(column as usize, cell.get_value())?;
            }
        }
    }
}
