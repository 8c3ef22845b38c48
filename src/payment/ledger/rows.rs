//! Claims as rows: the columns of the table, read back into the types they were written from.
//!
//! Invariant: what does not read as what was written is an error, never a default. `operations` writes these rows.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row_checksum::{self, BROKEN_LOGGED_MAX, CHECKSUMMED_COLUMNS, checksummed_columns};
use crate::payment::core::claim::{
    Claim, ClaimKey, ClaimKind, ClaimRow, ClaimState, DEPOSIT_WORD, PaymentProtocol, RailName, StoreError,
};
use crate::payment::rails;

/// A row as [`read`] takes it: the sealed columns, then the seal, then its kind, which the sealed words of a deposit
/// tell too.
macro_rules! columns {
    () => {
        concat!(checksummed_columns!(), ", checksum, kind")
    };
}

const FIND: &str = concat!("SELECT ", columns!(), " FROM claims WHERE key = ?1");
/// Claims of a rail that the reconciler looks at next, Open ones or all others.
pub(super) const WATCHED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM claims WHERE watched = 1 AND rail = ?1 AND (state = 'open') = ?2 AND next_look <= ?3 \
     ORDER BY next_look, claimed_at, key LIMIT ?4"
);

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// A number as SQLite holds it.
pub(super) fn integer(value: u64) -> Result<i64, StoreError> {
    i64::try_from(value).map_err(|_| StoreError(format!("{value} is too large for a number of the ledger")))
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

/// The claims of a rail that are to be looked at. A row that is not as it was written is left out, and not for silence.
pub(super) fn watched(
    connection: &Connection,
    rail: RailName,
    now: u64,
    count_max: usize,
) -> Result<Vec<ClaimRow>, StoreError> {
    let (now, count) = (integer(now)?, i64::try_from(count_max).unwrap_or(i64::MAX));
    let mut statement = connection.prepare_cached(WATCHED)?;
    let (mut watched, mut broken) = (Vec::new(), 0);
    for is_open in [false, true] {
        let rows = statement.query_map(params![rail, is_open, now, count], read)?;
        let log = |error: &rusqlite::Error| {
            tracing::error!(
                %rail, %error,
                "a payment cannot be read from the ledger, so its outcome cannot be determined"
            );
        };
        watched.extend(row_checksum::sound(rows, &mut broken, log));
    }
    if broken > BROKEN_LOGGED_MAX {
        tracing::error!(
            %rail, claims = broken,
            "payments cannot be read from the ledger; pricebook ledger verify lists all damaged rows"
        );
    }
    Ok(watched)
}

/// How many claims are in each state, as they were counted when they changed.
pub(super) fn tallies(connection: &Connection) -> Result<Vec<(ClaimState, u64)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT state, claims FROM tallies WHERE claims > 0 ORDER BY state")?;
    let tallies = statement.query_map([], |row| Ok((row.get(0)?, number(row, 1)?)))?;
    Ok(tallies.collect::<Result<_, _>>()?)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<ClaimRow> {
    let claim = Claim {
        key: ClaimKey(row.get(0)?),
        kind: row.get(CHECKSUMMED_COLUMNS + 1)?,
        rail: row.get(1)?,
        protocol: row.get(2)?,
        network: row.get(3)?,
        asset: row.get(4)?,
        payer: row.get(5)?,
        pay_to: row.get(6)?,
        amount: number(row, 7)?,
        endpoint: row.get(8)?,
        request: row.get(9)?,
        media_type: row.get(24)?,
        reference: row.get(10)?,
        trace: row.get(11)?,
        valid_before: number(row, 12)?,
        from_block: number(row, 13)?,
        claimed_at: number(row, 14)?,
    };
    // What a column says of itself is more to the point, so the seal comes after them.
    let row_read = ClaimRow {
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
    };
    row_checksum::check(row)?;
    let claim = &row_read.claim;
    if (claim.kind == ClaimKind::Deposit) != claim.request.starts_with(DEPOSIT_WORD) {
        return Err(row_checksum::broken_row(&claim.key));
    }
    Ok(row_read)
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

stored_as_words!(ClaimKind, PaymentProtocol, ClaimState);

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
