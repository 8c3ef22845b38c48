//! The reply store: answers that were computed for claims, and how long sold ones are kept.
//!
//! Invariant: `bytes` is the sum of all stored bodies. Only bodies of settled claims leave for want of time or room,
//! the longest settled first; an unsettled one leaves when its claim is closed. `kept_at` is the moment of settlement.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::ReplyLimits;
use super::rows::{integer, number};
use crate::payment::core::claim::{ClaimKey, StoreError, StoredAnswer};

/// Bodies that one step may drop. It adds at most one, so a backlog shrinks without ever holding the others up.
const DROPS_PER_STEP_MAX: usize = 64;
const MILLIS_PER_SECOND: u64 = 1000;

/// The sold answer that leaves next.
pub(super) const OLDEST: &str =
    "SELECT kept_at, key FROM replies WHERE kept_at IS NOT NULL ORDER BY kept_at, key LIMIT 1";

/// What is known of the stored answers without asking the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyStore {
    limits: ReplyLimits,
    bytes: u64,
}

impl ReplyStore {
    /// Counts what is stored and drops what is kept no longer.
    pub(super) fn take_stock(
        connection: &mut Connection,
        limits: ReplyLimits,
        now: u64,
    ) -> Result<Self, StoreError> {
        let transaction = connection.transaction()?;
        let bytes =
            transaction.query_row("SELECT coalesce(sum(bytes), 0) FROM replies", [], |row| number(row, 0))?;
        let mut replies = Self { limits, bytes };
        while replies.drop_oldest(&transaction, now)? {}
        transaction.commit()?;
        Ok(replies)
    }

    /// Stores an answer in the place of any other of its claim.
    pub(super) fn store(
        &mut self,
        connection: &Connection,
        key: &ClaimKey,
        answer: &StoredAnswer,
    ) -> Result<(), StoreError> {
        self.remove(connection, key)?;
        let bytes = answer.body.len() as u64;
        connection
            .prepare_cached(
                "INSERT INTO replies (key, freshness_seconds, bytes, body, media_type) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![key.0, integer(answer.freshness_seconds)?, integer(bytes)?, answer.body, answer.media_type])?;
        self.bytes += bytes;
        Ok(())
    }

    /// Starts the time that an answer is kept; `false` when there is none.
    pub(super) fn sell(connection: &Connection, key: &ClaimKey, at: u64) -> Result<bool, StoreError> {
        let mut statement = connection.prepare_cached("UPDATE replies SET kept_at = ?2 WHERE key = ?1")?;
        Ok(statement.execute(params![key.0, integer(at)?])? == 1)
    }

    /// Drops an answer, if there is one.
    pub(super) fn remove(&mut self, connection: &Connection, key: &ClaimKey) -> Result<(), StoreError> {
        let mut statement =
            connection.prepare_cached("DELETE FROM replies WHERE key = ?1 RETURNING bytes")?;
        let bytes = statement.query_row([&key.0], |row| number(row, 0)).optional()?;
        self.bytes = self.bytes.saturating_sub(bytes.unwrap_or(0));
        Ok(())
    }

    /// Drops sold answers that are kept no longer.
    pub(super) fn trim(&mut self, connection: &Connection, now: u64) -> Result<(), StoreError> {
        for _ in 0..DROPS_PER_STEP_MAX {
            if !self.drop_oldest(connection, now)? {
                break;
            }
        }
        Ok(())
    }

    fn drop_oldest(&mut self, connection: &Connection, now: u64) -> Result<bool, StoreError> {
        let read = |row: &rusqlite::Row<'_>| Ok((number(row, 0)?, ClaimKey(row.get(1)?)));
        let oldest = connection.prepare_cached(OLDEST)?.query_row([], read).optional()?;
        let Some((kept_at, key)) = oldest else { return Ok(false) };
        let goes = self.bytes > self.limits.replies_bytes_max || is_over(self.limits, kept_at, now);
        if goes {
            self.remove(connection, &key)?;
        }
        Ok(goes)
    }
}

/// Whether the time is over for which an answer that was sold at `kept_at` is kept.
fn is_over(limits: ReplyLimits, kept_at: u64, now: u64) -> bool {
    kept_at.saturating_add(limits.reply_ttl_s.saturating_mul(MILLIS_PER_SECOND)) < now
}

/// The stored answer of a claim. One whose time is over may still be there: it leaves with the next step.
pub(super) fn answer(
    connection: &Connection,
    limits: ReplyLimits,
    key: &ClaimKey,
    now: u64,
) -> Result<Option<StoredAnswer>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT body, snapshot_id, freshness_seconds, kept_at, media_type FROM replies JOIN claims USING (key) WHERE key = ?1",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        let answer = StoredAnswer {
            body: row.get(0)?,
            media_type: row.get(4)?,
            snapshot_id: row.get(1)?,
            freshness_seconds: number(row, 2)?,
        };
        let kept_at = if row.get_ref(3)? == ValueRef::Null { None } else { Some(number(row, 3)?) };
        Ok((answer, kept_at))
    };
    let found = statement.query_row([&key.0], read).optional()?;
    Ok(found
        .filter(|(_, kept_at)| kept_at.is_none_or(|at| !is_over(limits, at, now)))
        .map(|(answer, _)| answer))
}
