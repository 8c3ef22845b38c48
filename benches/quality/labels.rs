//! Files of labels: small CSV tables, also compressed, with named columns in any order.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};

use pricebook::catalog::Catalog;
use pricebook::ingest;
use pricebook::types::{Country, ProductUid, platform};

/// A column of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its name in the header.
    pub(super) name: &'static str,
    /// Whether a file without it is refused.
    pub(super) required: bool,
}

/// A column that a file must have.
pub(super) const fn required(name: &'static str) -> Column {
    Column { name, required: true }
}

/// A row: its values in the order of the columns asked for, empty where the file has none.
pub(super) struct Row<'a, const N: usize> {
    file: &'a Path,
    line: u64,
    pub(super) values: [String; N],
}

impl<const N: usize> Row<'_, N> {
    /// An error that names the place.
    pub(super) fn fault(&self, what: &str) -> anyhow::Error {
        anyhow!("{}: line {}: {what}", self.file.display(), self.line)
    }

    /// The country that a value names.
    pub(super) fn country(&self, text: &str) -> Result<Country> {
        Country::parse(text).ok_or_else(|| self.fault(&format!("country {text:?} is not us or ca")))
    }
}

/// The rows of a file. Columns that nobody asked for may stand beside the others.
///
/// # Errors
/// When the file cannot be read or lacks a column.
pub(super) fn read<'a, const N: usize>(path: &'a Path, columns: &[Column; N]) -> Result<Vec<Row<'a, N>>> {
    let (mut rows, mut header) = (Vec::new(), None);
    ingest::table(path, |line, mut values| {
        let Some(places) = header else {
            header = Some(columns.map(|column| values.iter().position(|name| name == column.name)));
            return Ok(());
        };
        let value = |place: Option<usize>| place.and_then(|at| values.get_mut(at)).map(std::mem::take);
        rows.push(Row { file: path, line, values: places.map(value).map(Option::unwrap_or_default) });
        Ok(())
    })?;
    let places = header.with_context(|| format!("{} is empty", path.display()))?;
    ingest::require(columns.map(|column| (column.name, column.required)), |index| places[index].is_some())
        .with_context(|| format!("{} cannot be evaluated", path.display()))?;
    Ok(rows)
}

/// The row of a listing in the snapshot, if it holds it.
pub(super) fn find(catalog: &Catalog, country: Country, retailer: &str, product_id: &str) -> Option<u32> {
    let retailer = platform::normalize(retailer)?;
    catalog.row_of(ProductUid::of(country, &retailer, product_id))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const COLUMNS: [Column; 3] = [required("b"), required("a"), Column { name: "c", required: false }];

    #[test]
    fn columns_go_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        fs::write(&path, "a,x,b\n1,2,\"3, 4\"\n\n5\n").unwrap();
        let rows = read(&path, &COLUMNS).unwrap();
        assert_eq!(rows[0].values, ["3, 4", "1", ""]);
        assert_eq!(rows[1].values, ["", "5", ""]);
        assert!(rows[1].fault("no").to_string().ends_with("labels.csv: line 4: no"));
        assert!(rows[1].country("fr").is_err() && rows[1].country("ca").is_ok());
    }

    #[test]
    fn a_missing_column_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        fs::write(&path, "a,x\n1,2\n").unwrap();
        let error = read(&path, &COLUMNS).err().map(|error| format!("{error:#}")).unwrap();
        assert!(error.contains("labels.csv") && error.ends_with("column b"), "{error}");
        fs::write(&path, "").unwrap();
        assert!(read(&path, &COLUMNS).is_err());
    }
}
