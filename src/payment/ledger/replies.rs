//! The reply store: answers that were computed for claims, and how long sold ones are kept.
//!
//! Bodies that were sold and bodies that nobody has paid for yet have a room each, so that what anybody can have computed
//! with an empty wallet pushes out nothing that was paid for.
//!
//! Invariant: `sold` and `unsold` are the sums of the stored bodies of their kind. Sold ones leave for want of time or
//! room, the longest sold first; unsold ones when their claim is closed, or for want of room, the oldest first and never
//! one that is being settled: should its money come after all, the answer is computed anew. `kept_at` is the moment of
//! settlement.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::ReplyLimits;
use super::rows::{integer, number};
use crate::payment::core::claim::{ClaimKey, StoreError, StoredAnswer};
use crate::payment::protocols::channel::ChannelId;

/// Bodies that one step may drop. It adds at most one, so a backlog shrinks without ever holding the others up.
const DROPS_PER_STEP_MAX: usize = 64;
/// Unsold bodies have this share of the room that sold ones have, beside it.
const UNSOLD_SHARE: u64 = 4;
const MILLIS_PER_SECOND: u64 = 1000;

/// The sold answer that leaves next.
pub(super) const OLDEST: &str =
    "SELECT kept_at, key FROM replies WHERE kept_at IS NOT NULL ORDER BY kept_at, key LIMIT 1";

/// The unsold answer that leaves next.
pub(super) const OLDEST_UNSOLD: &str = "SELECT replies.key FROM replies JOIN claims USING (key)
     WHERE kept_at IS NULL AND state <> 'settling' ORDER BY replies.rowid LIMIT 1";
/// The answer on a channel that leaves next. A channel keeps its newest, sold when it was last used.
pub(super) const OLDEST_ON_CHANNEL: &str =
    "SELECT used_at, id FROM channel WHERE last_bytes IS NOT NULL ORDER BY used_at, id LIMIT 1";
/// Bytes of the sold and of the unsold ones.
const STOCK: &str = "SELECT coalesce(sum(bytes) FILTER (WHERE kept_at IS NOT NULL), 0)
         + (SELECT coalesce(sum(last_bytes), 0) FROM channel),
     coalesce(sum(bytes) FILTER (WHERE kept_at IS NULL), 0) FROM replies";
/// Answers on channels whose time is over are looked for so often; nobody is given one meanwhile.
const CHANNELS_TRIM_PAUSE_MS: u64 = 1_000;

/// What is known of the stored answers without asking the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyStore {
    limits: ReplyLimits,
    /// Bytes of bodies that were paid for.
    pub(super) sold: u64,
    /// Bytes of all others.
    pub(super) unsold: u64,
    /// When answers on channels were last looked at, in Unix milliseconds.
    channels_trimmed_at: u64,
}

impl ReplyStore {
    /// Counts what is stored and drops what is kept no longer.
    pub(super) fn take_stock(
        connection: &mut Connection,
        limits: ReplyLimits,
        now: u64,
    ) -> Result<Self, StoreError> {
        let transaction = connection.transaction()?;
        let (sold, unsold) =
            transaction.query_row(STOCK, [], |row| Ok((number(row, 0)?, number(row, 1)?)))?;
        let mut replies = Self { limits, sold, unsold, channels_trimmed_at: 0 };
        while replies.drop_one(&transaction, now)? {}
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
        self.unsold += bytes;
        Ok(())
    }

    /// Notes that the answer of a channel's newest sale took the place of the one before.
    pub(super) fn replaced_on_channel(&mut self, before: u64, now: u64) {
        self.sold = self.sold.saturating_sub(before) + now;
    }

    /// Starts the time that an answer is kept; `false` when there is none that was not sold yet.
    pub(super) fn sell(
        &mut self,
        connection: &Connection,
        key: &ClaimKey,
        at: u64,
    ) -> Result<bool, StoreError> {
        let mut statement = connection.prepare_cached(
            "UPDATE replies SET kept_at = ?2 WHERE key = ?1 AND kept_at IS NULL RETURNING bytes",
        )?;
        let bytes = statement.query_row(params![key.0, integer(at)?], |row| number(row, 0)).optional()?;
        let Some(bytes) = bytes else { return Ok(false) };
        self.unsold = self.unsold.saturating_sub(bytes);
        self.sold += bytes;
        Ok(true)
    }

    /// Drops an answer, if there is one.
    pub(super) fn remove(&mut self, connection: &Connection, key: &ClaimKey) -> Result<(), StoreError> {
        let mut statement = connection
            .prepare_cached("DELETE FROM replies WHERE key = ?1 RETURNING bytes, kept_at IS NULL")?;
        let read = |row: &rusqlite::Row<'_>| Ok((number(row, 0)?, row.get(1)?));
        match statement.query_row([&key.0], read).optional()? {
            Some((bytes, true)) => self.unsold = self.unsold.saturating_sub(bytes),
            Some((bytes, false)) => self.sold = self.sold.saturating_sub(bytes),
            None => {}
        }
        Ok(())
    }

    /// Drops answers that are kept no longer.
    pub(super) fn trim(&mut self, connection: &Connection, now: u64) -> Result<(), StoreError> {
        for _ in 0..DROPS_PER_STEP_MAX {
            if !self.drop_one(connection, now)? {
                break;
            }
        }
        Ok(())
    }

    fn drop_one(&mut self, connection: &Connection, now: u64) -> Result<bool, StoreError> {
        Ok(self.drop_sold(connection, now)? || self.drop_unsold(connection)?)
    }

    fn drop_sold(&mut self, connection: &Connection, now: u64) -> Result<bool, StoreError> {
        let read = |row: &rusqlite::Row<'_>| Ok((number(row, 0)?, ClaimKey(row.get(1)?)));
        let oldest = connection.prepare_cached(OLDEST)?.query_row([], read).optional()?;
        let is_full = self.sold > self.limits.replies_bytes_max;
        let on_channel = self.oldest_on_channel(connection, is_full, now)?;
        let goes = |kept_at: u64| is_full || is_over(self.limits, kept_at, now);
        match (oldest, on_channel) {
            (Some((kept_at, key)), None) if goes(kept_at) => self.remove(connection, &key)?,
            (Some((kept_at, key)), Some((used_at, _))) if kept_at <= used_at && goes(kept_at) => {
                self.remove(connection, &key)?;
            }
            (_, Some((used_at, id))) if goes(used_at) => {
                let sql = "UPDATE channel SET last_bytes = NULL, last_body = NULL WHERE id = ?1";
                let mut bytes = connection.prepare_cached("SELECT last_bytes FROM channel WHERE id = ?1")?;
                let bytes = bytes.query_row([id.as_slice()], |row| number(row, 0))?;
                connection.prepare_cached(sql)?.execute([id.as_slice()])?;
                self.sold = self.sold.saturating_sub(bytes);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The answer on a channel that leaves next. It is looked for when room is needed, and else now and then.
    fn oldest_on_channel(
        &mut self,
        connection: &Connection,
        is_full: bool,
        now: u64,
    ) -> Result<Option<(u64, ChannelId)>, StoreError> {
        if !is_full && now < self.channels_trimmed_at.saturating_add(CHANNELS_TRIM_PAUSE_MS) {
            return Ok(None);
        }
        let read =
            |row: &rusqlite::Row<'_>| Ok((number(row, 0)?, ChannelId::from(row.get::<_, [u8; 32]>(1)?)));
        let oldest = connection.prepare_cached(OLDEST_ON_CHANNEL)?.query_row([], read).optional()?;
        let is_due = oldest.is_some_and(|(used_at, _)| is_full || is_over(self.limits, used_at, now));
        if !is_due {
            self.channels_trimmed_at = now;
        }
        Ok(oldest.filter(|_| is_due))
    }

    fn drop_unsold(&mut self, connection: &Connection) -> Result<bool, StoreError> {
        if self.unsold <= self.limits.replies_bytes_max / UNSOLD_SHARE {
            return Ok(false);
        }
        let mut statement = connection.prepare_cached(OLDEST_UNSOLD)?;
        let oldest = statement.query_row([], |row| row.get(0).map(ClaimKey)).optional()?;
        if let Some(key) = &oldest {
            self.remove(connection, key)?;
        }
        Ok(oldest.is_some())
    }
}

/// The answer of a channel's newest sale, unless its time is over.
pub(super) fn last_body(
    connection: &Connection,
    limits: ReplyLimits,
    id: ChannelId,
    now: u64,
) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "SELECT used_at, last_body FROM channel WHERE id = ?1 AND last_body IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([id.as_slice()], |row| Ok((number(row, 0)?, row.get(1)?))).optional()?;
    Ok(found.filter(|(used_at, _)| !is_over(limits, *used_at, now)).map(|(_, body)| body))
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
        "SELECT body, snapshot_id, freshness_seconds, kept_at, replies.media_type FROM replies JOIN claims USING (key) WHERE key = ?1",
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
