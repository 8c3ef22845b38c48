//! Row checksums: a checksum in every row of claims, over everything that says what was paid, by whom, for what, and
//! in which state it is.
//!
//! A checksum is made in the transaction that writes its row and compared with the row whenever it is read, so a row
//! that anything else has changed (a disk, a hand) is refused and never acted on. The time of the next chain query
//! (`next_look`) is not covered. The form of the checksum stands in ledgers for good: XXH3-64 over the columns in the
//! order of [`checksummed_columns`], each as a byte for its type (0 NULL, 1 INTEGER, 2 REAL, 3 TEXT, 4 BLOB) and, but for
//! NULL, its eight little-endian bytes or its length and bytes.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use xxhash_rust::xxh3::Xxh3;

use crate::payment::core::claim::{ClaimKey, StoreError};

/// The columns under a seal, in their order.
macro_rules! checksummed_columns {
    () => {
        "key, rail, protocol, network, asset, payer, pay_to, amount, endpoint, request, reference, trace, \
         valid_before, from_block, claimed_at, state, since, tx, settled_at, confirmed, watched, reason, snapshot_id, \
         log_index, media_type"
    };
}
pub(super) use checksummed_columns;

/// How many they are: the checksum follows them.
pub(super) const CHECKSUMMED_COLUMNS: usize = 25;

const ONE: &str = concat!("SELECT ", checksummed_columns!(), " FROM claims WHERE key = ?1");
const ALL: &str = concat!("SELECT ", checksummed_columns!(), ", checksum, rowid FROM claims ORDER BY key");

/// Rows that do not fit their checksums and are logged one by one; the others are counted.
pub(super) const BROKEN_LOGGED_MAX: usize = 10;

/// The rows that are as they were written. The others are added to `broken`, and the first of them are logged by `log`.
pub(super) fn sound<T>(
    rows: impl Iterator<Item = rusqlite::Result<T>>,
    broken: &mut usize,
    log: impl Fn(&rusqlite::Error),
) -> Vec<T> {
    let take = |row: rusqlite::Result<T>| {
        row.inspect_err(|error| {
            *broken += 1;
            if *broken <= BROKEN_LOGGED_MAX {
                log(error);
            }
        })
        .ok()
    };
    rows.filter_map(take).collect()
}

/// A row that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the row of payment {0} is damaged: it does not match its checksum; `pricebook ledger verify` lists all damaged \
     rows, and a backup contains the original rows"
)]
pub(super) struct Broken(String);

/// The checksum of a row that begins with the sealed columns.
fn checksum(row: &Row<'_>) -> rusqlite::Result<i64> {
    let mut hash = Xxh3::new();
    for column in 0..CHECKSUMMED_COLUMNS {
        let (kind, length, bytes): (u8, &[u8], &[u8]) = match row.get_ref(column)? {
            ValueRef::Null => (0, &[], &[]),
            ValueRef::Integer(value) => (1, &value.to_le_bytes(), &[]),
            ValueRef::Real(value) => (2, &value.to_le_bytes(), &[]),
            ValueRef::Text(bytes) => (3, &(bytes.len() as u64).to_le_bytes(), bytes),
            ValueRef::Blob(bytes) => (4, &(bytes.len() as u64).to_le_bytes(), bytes),
        };
        for part in [&[kind], length, bytes] {
            hash.update(part);
        }
    }
    Ok(hash.digest().cast_signed())
}

/// Whether a row that holds the sealed columns and then its checksum is as it was written.
///
/// # Errors
/// With [`Broken`] when it is not.
pub(super) fn check(row: &Row<'_>) -> rusqlite::Result<()> {
    if checksum(row)? == row.get::<_, i64>(CHECKSUMMED_COLUMNS)? {
        return Ok(());
    }
    let key = row.get_ref(0)?.as_str().unwrap_or("(unreadable key)").to_owned();
    Err(broken_row(&ClaimKey(key)))
}

/// What is said of a row that is not as it was written.
pub(super) fn broken_row(key: &ClaimKey) -> rusqlite::Error {
    let kind = rusqlite::types::Type::Integer;
    rusqlite::Error::FromSqlConversionFailure(CHECKSUMMED_COLUMNS, kind, Box::new(Broken(key.0.clone())))
}

/// Seals a row that was just written.
pub(super) fn write_checksum(connection: &Connection, key: &ClaimKey) -> Result<(), StoreError> {
    let sum = connection.prepare_cached(ONE)?.query_row([&key.0], checksum)?;
    let mut statement = connection.prepare_cached("UPDATE claims SET checksum = ?2 WHERE key = ?1")?;
    statement.execute(params![key.0, sum])?;
    Ok(())
}

/// Seals every row: of a ledger whose rows had no checksums.
pub(super) fn checksum_all(connection: &Connection) -> rusqlite::Result<()> {
    let mut sums = connection.prepare(ALL)?;
    let mut write = connection.prepare("UPDATE claims SET checksum = ?2 WHERE key = ?1")?;
    let mut rows = sums.query([])?;
    while let Some(row) = rows.next()? {
        let (key, sum) = (row.get::<_, String>(0)?, checksum(row)?);
        write.execute(params![key, sum])?;
    }
    Ok(())
}

/// Where a row lies that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BrokenRow {
    pub rowid: i64,
    /// As much of its key as can be read.
    pub key: String,
}

/// All rows that are not as they were written, and how many rows there are.
pub(super) fn broken(connection: &Connection) -> rusqlite::Result<(Vec<BrokenRow>, u64)> {
    let mut statement = connection.prepare(ALL)?;
    let mut rows = statement.query([])?;
    let (mut broken, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        count += 1;
        if checksum(row)? != row.get::<_, i64>(CHECKSUMMED_COLUMNS)? {
            let key = row.get_ref(0)?.as_str().unwrap_or("(unreadable key)").to_owned();
            broken.push(BrokenRow { rowid: row.get(CHECKSUMMED_COLUMNS + 1)?, key });
        }
    }
    Ok((broken, count))
}
