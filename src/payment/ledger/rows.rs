//! Claims as rows: the columns of the table, read back into the types they were written from.
//!
//! Invariant: what does not read as what was written is an error, never a default. `operations` writes these rows.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _};

use crate::payment::core::claim::RailName;
use crate::payment::core::claim::{Claim, ClaimKey, ClaimRow, ClaimState, PaymentProtocol, StoreError};
use crate::payment::rails;

/// Columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "key, rail, protocol, network, asset, payer, pay_to, amount, endpoint, request, reference, trace, \
         valid_before, from_block, claimed_at, state, since, tx, settled_at, confirmed, watched, reason, snapshot_id"
    };
}

const FIND: &str = concat!("SELECT ", columns!(), " FROM claims WHERE key = ?1");
/// Claims that the reconciler asks for. Open ones come last: anybody can make many of them, with wallets that are
/// empty.
pub(super) const WATCHED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM claims WHERE watched = 1 ORDER BY state = 'open', claimed_at, key LIMIT ?1"
);

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// A number as SQLite holds it.
pub(super) fn integer(value: u64) -> Result<i64, StoreError> {
    i64::try_from(value)
        .map_err(|_| StoreError(format!("{value} is too large a number for it; refuse it before")))
}

/// A number as it was before SQLite held it.
pub(super) fn number(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// The row of a payment.
pub(super) fn find(connection: &Connection, key: &ClaimKey) -> Result<Option<ClaimRow>, StoreError> {
    Ok(connection.prepare_cached(FIND)?.query_row([&key.0], read).optional()?)
}

/// The claims that are watched.
pub(super) fn watched(connection: &Connection, count_max: usize) -> Result<Vec<ClaimRow>, StoreError> {
    let count = i64::try_from(count_max).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(WATCHED)?;
    let rows = statement.query_map([count], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<ClaimRow> {
    let claim = Claim {
        key: ClaimKey(row.get(0)?),
        rail: row.get(1)?,
        protocol: row.get(2)?,
        network: row.get(3)?,
        asset: row.get(4)?,
        payer: row.get(5)?,
        pay_to: row.get(6)?,
        amount: number(row, 7)?,
        endpoint: row.get(8)?,
        request: row.get(9)?,
        reference: row.get(10)?,
        trace: row.get(11)?,
        valid_before: number(row, 12)?,
        from_block: number(row, 13)?,
        claimed_at: number(row, 14)?,
    };
    Ok(ClaimRow {
        claim,
        state: row.get(15)?,
        since: number(row, 16)?,
        transaction: row.get(17)?,
        settled_at: match row.get_ref(18)? {
            ValueRef::Null => None,
            _ => Some(number(row, 18)?),
        },
        confirmed: flag(row, 19)?,
        watched: flag(row, 20)?,
        reason: row.get(21)?,
        snapshot_id: row.get(22)?,
    })
}

fn flag(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<bool> {
    match row.get(column)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(rusqlite::Error::IntegralValueOutOfRange(column, other)),
    }
}

macro_rules! stored_as_words {
    ($($kind:ty),+) => {
        $(
            impl ToSql for $kind {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    Ok(self.as_str().into())
                }
            }

            impl FromSql for $kind {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    value.as_str()?.parse().map_err(|unknown| FromSqlError::Other(Box::new(unknown)))
                }
            }
        )+
    };
}

stored_as_words!(PaymentProtocol, ClaimState);

impl ToSql for RailName {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for RailName {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        rails::named(value.as_str()?).map_err(|unknown| FromSqlError::Other(Box::new(unknown)))
    }
}
