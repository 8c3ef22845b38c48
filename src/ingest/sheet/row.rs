//! A row of a sheet as texts, and the text of a cell.

use std::fmt::{Display, Write as _};

use anyhow::{Result, ensure};
use calamine::{Data, DataRef, ExcelDateTime, Sheet, SheetType, SheetVisible};

use crate::ingest::limits::COLUMNS_MAX;
use crate::ingest::typed::FloatText;
use crate::types::{Day, Instant};

/// Most rows of a sheet, as the formats have it.
pub(super) const ROWS_MAX: u64 = 1_048_576;
/// Bytes of the texts of the longest row.
const ROW_BYTES_MAX: usize = 64 << 20;

const DAY_MILLIS: i64 = 86_400_000;

/// A sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SheetInfo {
    pub name: String,
    /// Whether a spreadsheet program does not show it.
    pub is_hidden: bool,
}

/// A workbook whose sheets are read row by row.
pub(super) trait Book: Send {
    /// The sheets, in the order of their tabs.
    fn sheets(&self) -> &[SheetInfo];

    /// Gives every row of a sheet that holds a text to `take`, from the top, until that says no.
    fn rows(&mut self, sheet: usize, take: &mut dyn FnMut(&Row) -> Result<bool>) -> Result<()>;
}

/// The sheets of cells among those that calamine knows.
pub(super) fn worksheets(sheets: &[Sheet]) -> Vec<SheetInfo> {
    let cells = sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let info = |sheet: &Sheet| SheetInfo {
        name: sheet.name.clone(),
        is_hidden: sheet.visible != SheetVisible::Visible,
    };
    cells.map(info).collect()
}

/// The texts of a row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// As a spreadsheet shows it: from 1.
    pub number: u64,
    /// By column, from the first of the sheet; empty where there is none. What lies behind them holds none.
    texts: Vec<String>,
    used: usize,
    bytes: usize,
    /// Whether a text lies behind the last column that is read.
    pub too_wide: bool,
}

impl Row {
    /// Forgets the texts and goes on with another row.
    pub(super) fn begin(&mut self, number: u64) {
        self.texts[..self.used].iter_mut().for_each(String::clear);
        (self.number, self.used, self.bytes, self.too_wide) = (number, 0, 0, false);
    }

    /// Sets the text of the cell in a column, counted from 0.
    pub(super) fn set(&mut self, column: usize, text: impl Display) -> Result<()> {
        if column >= COLUMNS_MAX {
            self.too_wide = true;
            return Ok(());
        }
        if self.texts.len() <= column {
            self.texts.resize_with(column + 1, String::new);
        }
        let cell = &mut self.texts[column];
        cell.clear();
        let _ = write!(cell, "{text}");
        if !cell.is_empty() {
            self.used = self.used.max(column + 1);
        }
        self.bytes += cell.len();
        ensure!(
            self.bytes <= ROW_BYTES_MAX,
            "row {} is longer than {ROW_BYTES_MAX} bytes; remove columns that are not needed",
            self.number
        );
        Ok(())
    }

    /// The texts up to the last that is not empty.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts[..self.used]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0 && !self.too_wide
    }

    /// Sets the value of a cell in a column, counted from 0. Errors such as `#DIV/0!` count as missing.
    pub(super) fn set_value(&mut self, column: usize, value: &Data) -> Result<()> {
        match value {
            Data::Empty | Data::Error(_) => Ok(()),
            Data::String(text) | Data::DurationIso(text) => self.set(column, text),
            Data::Float(number) => self.set(column, FloatText(*number)),
            Data::Int(number) => self.set(column, number),
            Data::Bool(value) => self.set(column, value),
            Data::DateTime(moment) => self.set(column, moment_text(moment)),
            Data::DateTimeIso(text) => self.set(column, iso_text(text)),
        }
    }

    /// As [`Row::set_value`], of a value whose text may be shared.
    pub(super) fn set_shared(&mut self, column: usize, value: &DataRef<'_>) -> Result<()> {
        match value {
            DataRef::SharedString(text) => self.set(column, text),
            value => self.set_value(column, &value.clone().into()),
        }
    }
}

/// The text of a serial date: a day at midnight, else an instant in UTC, to the millisecond. A span of time, and the
/// 29 February 1900 that never was, keep their number.
fn moment_text(moment: &ExcelDateTime) -> String {
    let (year, month, day, hours, minutes, seconds, millis) = moment.to_ymd_hms_milli();
    let day = Day::from_ymd(year.into(), month.into(), day.into());
    let Some(day) = day.filter(|_| moment.is_datetime() && moment.as_f64().is_finite()) else {
        return moment.as_f64().to_string();
    };
    let seconds = (i64::from(hours) * 60 + i64::from(minutes)) * 60 + i64::from(seconds);
    match seconds * 1_000 + i64::from(millis) {
        0 => day.to_string(),
        millis => Instant::from_micros((i64::from(day.days()) * DAY_MILLIS + millis) * 1_000).to_string(),
    }
}

/// An ISO 8601 date of a cell: spreadsheets know no zones, so times count as UTC.
fn iso_text(text: &str) -> String {
    let Some((day, time)) = text.split_once('T') else { return text.to_owned() };
    if time.contains(['Z', 'z', '+', '-']) {
        return text.to_owned();
    }
    let midnight = !time.is_empty() && time.chars().all(|letter| matches!(letter, '0' | ':' | '.'));
    if midnight { day.to_owned() } else { format!("{text}Z") }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType;

    use super::*;

    fn text(value: &Data) -> String {
        let mut row = Row::default();
        row.set_value(0, value).unwrap();
        row.texts().first().cloned().unwrap_or_default()
    }

    #[test]
    fn cells_become_text() {
        for (value, expected) in [
            (Data::Float(4.99), "4.99"),
            (Data::Float(1_299.0), "1299"),
            (Data::Float(36_000_291_452.0), "36000291452"),
            (Data::Int(-3), "-3"),
            (Data::Bool(true), "true"),
            (Data::String(" a\n".into()), " a\n"),
            (Data::Error(calamine::CellErrorType::Div0), ""),
            (Data::Empty, ""),
            (Data::DateTimeIso("2026-10-31".into()), "2026-10-31"),
            (Data::DateTimeIso("2026-10-31T00:00:00.000".into()), "2026-10-31"),
            (Data::DateTimeIso("2026-10-31T22:30:00".into()), "2026-10-31T22:30:00Z"),
            (Data::DateTimeIso("2026-10-31T22:30:00-04:00".into()), "2026-10-31T22:30:00-04:00"),
        ] {
            assert_eq!(text(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn serials_become_days_and_instants() {
        let serial = |value, kind, of_1904| text(&Data::DateTime(ExcelDateTime::new(value, kind, of_1904)));
        let moment = |value| serial(value, ExcelDateTimeType::DateTime, false);
        assert_eq!(moment(1.0), "1900-01-01");
        assert_eq!(moment(59.0), "1900-02-28");
        assert_eq!(moment(61.0), "1900-03-01");
        assert_eq!(moment(46_326.0), "2026-10-31");
        assert_eq!(moment(46_326.937_5), "2026-10-31T22:30:00Z");
        // A third of a day is no float.
        assert_eq!(moment(46_326.0 + 1.0 / 3.0), "2026-10-31T08:00:00Z");
        assert_eq!(moment(46_325.999_999_999_9), "2026-10-31");
        assert_eq!(serial(44_864.0, ExcelDateTimeType::DateTime, true), "2026-10-31");
        assert_eq!(serial(1.5, ExcelDateTimeType::TimeDelta, false), "1.5");
        assert_eq!(moment(60.0), "60");
        assert_eq!(moment(1e300), "9999-12-31");
        assert_eq!(moment(f64::NAN), "NaN");
    }

    #[test]
    fn a_row_ends_with_its_last_text_and_has_bounds() {
        let mut row = Row::default();
        row.begin(7);
        row.set(2, "x").unwrap();
        row.set(4, "").unwrap();
        assert_eq!(row.texts(), ["", "", "x"]);
        row.begin(8);
        assert!(row.is_empty());
        row.set(0, "y").unwrap();
        assert_eq!(row.texts(), ["y"]);
        row.set(COLUMNS_MAX, "far").unwrap();
        assert!(row.too_wide);
        row.begin(9);
        let long = "x".repeat(ROW_BYTES_MAX);
        row.set(0, &long).unwrap();
        assert!(row.set(1, "y").unwrap_err().to_string().starts_with("row 9 is longer than"));
    }
}
